#include "model_postgres.h"
#include "model_writer.h"

/*
 * PostgreSQL's background writer, after BgBufferSync() of its bufmgr.c: ahead of the clock's hand
 * it writes dirty pages that nobody used lately, so that as many may be reused as the next 200 ms
 * are expected to need, and goes round the whole pool in two minutes at least. Documented settings:
 * bgwriter_delay 200 ms, bgwriter_lru_multiplier 2.0, bgwriter_lru_maxpages 100.
 */
enum { WRITES_MOST = 100, ROUNDS_A_POOL = 120000 / 200, SMOOTHING = 16 };
#define MULTIPLIER 2.0
#define DENSITY_FIRST                                                                              \
    10.0 /* frames looked at for one that may be reused, before any is counted                     \
          */

/*
 * RelationGetBufferForTuple() lengthens the file before it fills the page (hio.c): one more write
 * of it, by the backend, which pg_stat_bgwriter counts among buffers_backend. Nothing of it has to
 * be in the log before.
 */
void postgres_extend(struct model *m, uint32_t frame)
{
    uint32_t page = m->pool.frames[frame].page;

    if (m->warm || m->stopped || !writer_has_slot(m->writer)) {
        return;
    }
    if (m->witness) {
        m->witness[page] = 0;
    }
    pool_dirty(&m->pool, frame, m->log.epoch - 1, m->log.lsn);
    writer_run(m, page, 1, WRITE_VICTIM, POOL_NONE);
}

/* How far ahead of the hand it is: frames left before it has lapped it. */
static uint32_t frames_to_lap(struct model *m)
{
    struct bgwriter *b = &m->postgres->bgwriter;
    const struct pool *pool = &m->pool;

    if (b->began && (int32_t)(b->passes - pool->passes) > 0) {
        return pool->hand > b->next ? pool->hand - b->next : 0;
    }
    if (b->began && b->passes == pool->passes && b->next >= pool->hand) {
        return pool->count - (b->next - pool->hand);
    }
    b->next = pool->hand; /* it was overtaken */
    b->passes = pool->passes;
    return pool->count;
}

static void smooth(double *density, double scanned, double found)
{
    if (scanned > 0 && found > 0) {
        *density += (scanned / found - *density) / SMOOTHING;
    }
}

/* Returns whether it may be reused; writes it if it is dirty and may. */
static bool clean_frame(struct model *m, uint32_t frame, uint32_t *writes)
{
    const struct pool_frame *f = &m->pool.frames[frame];

    if (frame >= m->pool.unused || f->page == POOL_NO_PAGE) {
        return true;
    }
    if ((f->stamp & FRAME_STAMP) != 0 || (f->prev & (FRAME_READING | FRAME_WRITING)) != 0) {
        return false;
    }
    if (f->prev & FRAME_DIRTY) {
        writer_run(m, f->page, 1, WRITE_CLEANER, POOL_NONE);
        ++*writes;
    }
    return true;
}

void bgwriter_round(struct model *m)
{
    struct bgwriter *b = &m->postgres->bgwriter;
    const struct pool *pool = &m->pool;
    uint32_t to_lap = frames_to_lap(m), left = to_lap, writes = 0;
    double allocated = (double)(pool->inserted - b->inserted);
    double moved = ((double)pool->passes - b->hand_passes) * pool->count + pool->hand - b->hand;
    double ahead, found, wanted;

    if (!b->began) {
        b->density = DENSITY_FIRST;
        moved = allocated = 0;
    }
    b->began = true;
    b->inserted = pool->inserted;
    b->hand = pool->hand;
    b->hand_passes = pool->passes;
    smooth(&b->density, moved, allocated);
    ahead = found = (pool->count - to_lap) / b->density;
    /* more are needed: at once; fewer: by and by */
    b->allocated += b->allocated <= allocated ? allocated - b->allocated
                                              : (allocated - b->allocated) / SMOOTHING;
    wanted = b->allocated * MULTIPLIER;
    if (wanted < ahead + (double)(pool->count / ROUNDS_A_POOL)) {
        wanted = ahead + (double)(pool->count / ROUNDS_A_POOL);
    }
    for (; left > 0 && found < wanted && writes < WRITES_MOST && writer_has_slot(m->writer);
         left--) {
        found += clean_frame(m, b->next, &writes);
        if (++b->next >= pool->count) {
            b->next = 0;
            b->passes++;
        }
    }
    smooth(&b->density, to_lap - left, found - ahead);
}
