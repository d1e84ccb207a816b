#include <errno.h>

#include "base/mem.h"
#include "model_postgres.h"

/*
 * PostgreSQL's data files go through the operating system's cache (MODEL.md 5.3): pages that it
 * holds are read without the drive. Kept as a second clock behind the pool, with what was read and
 * written lately; writes still go to the drive at once, as in `pg_io: direct_equivalent`.
 */
#define COPY_NS 5000 /* a read() of 8 KiB that the cache answers: the system call and the copy */

static uint32_t frames_for(const struct model_settings *settings)
{
    uint64_t frames = settings->os_cache_bytes / settings->page_bytes;

    if (settings->profile != MODEL_POSTGRES || frames < 8) {
        return 0;
    }
    return frames < POOL_NONE ? (uint32_t)frames : POOL_NONE - 1;
}

uint64_t os_cache_memory_bytes(const struct model_settings *settings,
                               const struct model_layout *layout)
{
    uint32_t frames = frames_for(settings);

    return frames ? pool_memory_bytes(frames, layout->pages, 0, false) : 0;
}

int os_cache_open(struct model *m, struct error *err)
{
    uint32_t frames = frames_for(&m->is);

    if (frames == 0) {
        return 0;
    }
    m->postgres->os_cache = mem_zalloc(sizeof(*m->postgres->os_cache));
    if (m->postgres->os_cache == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a cache of %u pages", frames);
    }
    return pool_open(m->postgres->os_cache, POOL_CLOCK, frames, m->layout.pages, 0, 0, false, err);
}

void os_cache_close(struct model *m)
{
    if (m->postgres->os_cache && m->postgres->os_cache->count) {
        pool_close(m->postgres->os_cache);
    }
    mem_free(m->postgres->os_cache);
}

void os_cache_note(struct model *m, uint32_t page)
{
    struct pool *cache = m->postgres->os_cache;
    uint32_t frame;

    if (cache == NULL) {
        return;
    }
    frame = pool_find(cache, page);
    if (frame != POOL_NONE) {
        pool_access(cache, frame);
        return;
    }
    frame = pool_take(cache);
    if (frame == POOL_NONE) {
        pool_evict(cache, pool_sweep(cache));
        frame = pool_take(cache);
    }
    pool_insert(cache, frame, page, false);
}

bool os_cache_read(struct model *m, struct model_session *s, uint32_t page)
{
    struct pool *cache = m->postgres->os_cache;
    uint32_t frame = cache ? pool_find(cache, page) : POOL_NONE;

    if (frame == POOL_NONE) {
        return false;
    }
    pool_access(cache, frame);
    s->cpu_ns += m->warm ? 0 : COPY_NS;
    m->postgres->os_cache_reads++;
    return true;
}
