#include "base/mem.h"
#include "base/must.h"
#include "model_core.h"
#include "model_postgres.h"
#include "model_writer.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- facts and checks --------------------------------------------------------------------------
 */

void model_facts(const struct target *target, struct target_facts *ret)
{
    const struct model *m = model_of(target);

    *ret = m->facts;
    ret->page_accesses = m->pool.accesses;
    ret->page_hits = m->pool.hits;
    ret->pages_created = m->created;
    ret->pages_dirtied = m->pool.dirtied;
    ret->pages_dirty = m->pool.dirty;
    ret->frames = m->pool.count;
    ret->frames_resident = m->pool.count - m->pool.free_count;
    ret->log_bytes = m->log.physical_bytes;
    ret->log_record_bytes = m->log.record_bytes;
    ret->log_image_bytes = m->log.image_bytes;
    ret->log_padding_bytes = m->log.padding_bytes;
    ret->log_writes = m->log.write_count;
    ret->log_flushes = m->log.flush_count;
    ret->lock_waits = m->locks.waits;
    ret->deadlocks = m->locks.deadlocks;
    ret->cpu_busy_ns = cpu_busy_ns(&m->cpu);
    ret->cores = m->cpu.core_count;
    writer_facts(m, ret);
}

struct target_check check_equal(const char *name, double expected, double found,
                                enum exit_code exit)
{
    struct target_check check = {
        .expected = expected,
        .found = found,
        .passed = expected == found,
        .exit = exit,
    };

    snprintf(check.name, sizeof(check.name), "%s", name);
    return check;
}

/* What was still open when the run ended is rolled back, as a database would when it starts. */
static void model_roll_back_open(struct model *m)
{
    /* first nobody waits any more, lest a lock pass to one that is over already */
    for (uint32_t i = 0; i < m->is.sessions; i++) {
        while (m->locks.sessions[i].waiting != LOCK_NONE) {
            locks_cancel(&m->locks, locks_longest(&m->locks, i));
        }
    }
    for (uint32_t i = 0; i < m->is.sessions; i++) {
        struct model_session *s = model_session(m, i);

        if (s->flags & SESSION_TXN) {
            m->rows->rollback(m, s);
            session_over(m, i);
        }
    }
}

static double count_dirty(const struct model *m)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i <= m->pool.pages / 64; i++) {
        count += (uint64_t)__builtin_popcountll(m->pool.dirty_map[i]);
    }
    return (double)count;
}

/* MODEL.md 8.2 (1), (4); the writer adds (2), (3) and (5), the rows (7). */
static uint32_t model_identities(const struct model *m, struct target_check *ret)
{
    const struct pool *pool = &m->pool;
    const struct model_log *log = &m->log;
    uint32_t n = 0;
    double gone = (double)(pool->evictions + m->forgotten);

    ret[n++] = check_equal("pool.accesses", (double)pool->accesses,
                           (double)(pool->hits + m->misses), EXIT_WANTING);
    ret[n++] = check_equal("pool.reads", (double)(m->misses - m->created + m->ahead),
                           (double)m->facts.page_reads, EXIT_WANTING);
    ret[n++] = check_equal("pool.resident", (double)pool->inserted - gone,
                           (double)(pool->count - pool->free_count), EXIT_WANTING);
    ret[n++] = check_equal("pool.dirty",
                           (double)(pool->dirtied - pool->captured) - (double)pool->discarded,
                           count_dirty(m), EXIT_WANTING);
    ret[n++] = check_equal("log.errors", 0, log->error != 0, EXIT_FAILED);
    ret[n++] = check_equal("log.lsn", (double)(log->record_bytes + log->image_bytes),
                           (double)log->lsn, EXIT_WANTING);
    ret[n++] = check_equal("log.written", (double)(log->issued - log->skipped_bytes),
                           (double)(log->physical_bytes - log->padding_bytes), EXIT_WANTING);
    ret[n++] = check_equal("log.acknowledged_early", 0, (double)m->early_commits, EXIT_WRONG_DATA);
    ret[n++] = check_equal("locks.left", 0, (double)(m->locks.node_count - m->locks.free_count),
                           EXIT_WANTING);
    return n;
}

enum { OWN_CHECKS = 9 };

uint32_t model_check(struct target *target, struct target_check *ret, uint32_t limit)
{
    struct model *m = model_of(target);
    uint32_t n;

    model_roll_back_open(m);
    if (limit < OWN_CHECKS) {
        return 0;
    }
    n = model_identities(m, ret);
    must(n == OWN_CHECKS);
    n += writer_check(m, ret + n, limit - n);
    return n + m->rows->check(m, ret + n, limit - n);
}

void model_warm(struct target *target, bool on)
{
    struct model *m = model_of(target);

    must(m->ready.first == NO_SESSION && log_idle(&m->log) && writer_idle(m));
    m->warm = on;
    m->log.free_of_charge = on;
    log_append(&m->log, 0);
    if (!on) {
        writer_start(m);
        purge_start(m);
        vacuum_start(m);
    }
}

void model_elapse(struct target *target, int64_t ns)
{
    struct model *m = model_of(target);
    int64_t computing = m->warm_cpu_ns / m->is.cores;

    must(m->warm);
    m->warm_ns += ns > computing ? ns : computing;
    m->warm_cpu_ns = 0;
}

void target_model_restart(struct target *target)
{
    struct model *m = model_of(target);
    struct pool *pool = &m->pool;

    must(m->ready.first == NO_SESSION && log_idle(&m->log) && writer_idle(m) && !m->warm);
    for (uint32_t frame = 0; frame < pool->unused; frame++) {
        if (pool->frames[frame].page == POOL_NO_PAGE) {
            continue;
        }
        if (pool->frames[frame].prev & FRAME_DIRTY) {
            writer_discard(m, frame);
        }
        pool_evict(pool, frame);
    }
    if (m->image_map) {
        memset(m->image_map, 0, m->map_bytes); /* it ends with a checkpoint */
    }
    if (m->postgres) {
        postgres_reconnect(m);
    }
    writer_start(m);
    purge_start(m);
    vacuum_start(m);
}

void model_stop(struct target *target)
{
    struct model *m = model_of(target);

    m->stopped = true;
    loop_disarm(m->loop, &m->lock_timer);
    writer_stop(m);
    purge_stop(m);
    vacuum_stop(m);
}

const char *target_model_table(const struct target *target, uint64_t offset)
{
    const struct model *m = model_of(target);
    uint64_t page = (offset - m->layout.data_offset) / m->layout.page_bytes;
    enum index_id id;
    bool level1;

    if (offset < m->layout.data_offset || page >= m->layout.pages) {
        return NULL;
    }
    id = layout_owner(&m->layout, (uint32_t)page, &level1);
    return id == INDEXES ? NULL : m->layout.index[id].name;
}

const char *target_model_added(const struct target *target, uint32_t i, uint64_t *ret_pages)
{
    const struct model *m = model_of(target);

    for (uint32_t id = 0; id < INDEXES; id++) {
        if (m->layout.index[id].leaves > 0 && i-- == 0) {
            *ret_pages = m->grown[id];
            return m->layout.index[id].name;
        }
    }
    return NULL;
}

void target_model_name(const struct target *target, uint64_t offset, char *buf, uint64_t size)
{
    const struct model *m = model_of(target);
    const struct model_layout *layout = &m->layout;
    bool level1;
    uint64_t page = (offset - layout->data_offset) / layout->page_bytes;
    enum index_id id;

    if (offset < layout->data_offset || page >= layout->pages) {
        const char *region = offset < layout->superblock_bytes     ? "superblock"
                             : offset < layout->doublewrite_offset ? "log"
                             : offset < layout->data_offset        ? "doublewrite"
                                                                   : "beyond the data";
        snprintf(buf, size, "%s", region);
        return;
    }
    id = layout_owner(layout, (uint32_t)page, &level1);
    if (id == INDEXES) {
        snprintf(buf, size, "page %llu", (unsigned long long)page);
        return;
    }
    uint64_t first = layout->index[id].first;
    bool grown = !level1 && page >= layout->grown_first;

    first = level1  ? layout->index[id].level1_first
            : grown ? layout->index[id].grown_first - layout->index[id].leaves
                    : first;
    snprintf(buf, size, "%s %s %llu", layout->index[id].name, level1 ? "inner page" : "page",
             (unsigned long long)(page - first));
}
