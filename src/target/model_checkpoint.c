#include <stddef.h>
#include <string.h>

#include "base/must.h"
#include "model_postgres.h"
#include "model_writer.h"

#define MS       1000000ll
#define PACE_NS  (10 * MS)
#define SWEEP_NS (200 * MS) /* postgres: bgwriter_delay and wal_writer_delay */
#define SLOW_NS  (50 * MS)  /* sqlserver: a checkpoint holds back while writes take longer */
enum { VICTIM_WRITES = 64 };
#define PACE_SHARE 0.9 /* of the interval (checkpoint_completion_target) */

/* Pages dirty at the beginning are written, and no others. */
static bool is_mapped(const struct model *m)
{
    return m->is.profile == MODEL_POSTGRES;
}

/* Spread over the interval; sqlserver: indirect checkpoints. */
static bool is_paced(const struct model *m)
{
    return is_mapped(m) || m->is.checkpoint_indirect;
}

/*
 * postgres (CalculateCheckpointSegments): so much log since the last checkpoint began asks for the
 * next, that what both need stays below max_wal_size.
 */
static double log_wanted(const struct model *m)
{
    return (double)m->log.is.limit_bytes / (1 + PACE_SHARE);
}

void checkpoint_by_log(struct model *m)
{
    uint64_t since = m->log.lsn - m->writer->checkpoint.lsn;

    m->writer->full_charge |= m->log.lsn - m->log.checkpoint > m->log.is.limit_bytes / 20 * 19;
    if ((double)since > log_wanted(m)) {
        checkpoint_begin(m);
    }
}

/* ---- begin and end -----------------------------------------------------------------------------
 */

/* What is on its way was captured before: the checkpoint is not over before it has arrived. */
static void mark_before(struct model *m)
{
    struct model_writer *w = m->writer;

    w->checkpoint.before = 0;
    for (uint32_t i = 0; i < w->slot_count; i++) {
        w->slots[i].kind |= WRITE_BEFORE;
    }
    for (uint32_t i = w->slot_free; i != NO_SESSION; i = w->slots[i].frame) {
        w->slots[i].kind &= (uint8_t)~WRITE_BEFORE;
    }
    for (uint32_t i = 0; i < w->slot_count; i++) {
        w->checkpoint.before += (w->slots[i].kind & WRITE_BEFORE) != 0;
    }
}

void checkpoint_begin(struct model *m)
{
    struct model_writer *w = m->writer;
    struct checkpoint *c = &w->checkpoint;

    if (c->active || m->stopped) {
        return;
    }
    c->active = true;
    c->lsn = m->log.lsn;
    c->hand = c->ahead = 0;
    c->total = m->pool.dirty;
    c->dirtied = m->pool.dirtied;
    c->done = 0;
    c->began_ns = m->loop->now_ns;
    c->allowed = m->is.checkpoint_depth < 1 ? 1 : m->is.checkpoint_depth;
    mark_before(m);
    if (is_mapped(m)) {
        memcpy(c->map, m->pool.dirty_map, m->map_bytes);
        if (m->image_map) {
            memset(m->image_map, 0, m->map_bytes);
        }
        if (m->is.checkpoint_ns > 0) {
            /* checkpoint_timeout counts from here, whatever asked for this one */
            loop_disarm(m->loop, &w->interval);
            loop_arm(m->loop, &w->interval, m->loop->now_ns + m->is.checkpoint_ns);
        }
    }
    if (is_paced(m)) {
        loop_disarm(m->loop, &w->pace);
        loop_arm(m->loop, &w->pace, m->loop->now_ns + PACE_NS);
    }
    checkpoint_pump(m);
}

static void checkpoint_end(struct model *m)
{
    struct model_writer *w = m->writer;

    w->checkpoint.active = false;
    w->checkpoint.syncing = false;
    w->checkpoints++;
    w->full_charge = false;
    m->log.checkpoint = w->checkpoint.lsn;
    writer_space(m);
}

static void sync_done(struct io *io)
{
    struct model *m = (struct model *)(uintptr_t)io->owner;

    model_enter(m);
    m->writer->errors += io->result < 0;
    checkpoint_end(m);
    model_leave(m);
}

static void checkpoint_sync(struct model *m)
{
    struct io *io = &m->writer->extra.io;

    m->writer->checkpoint.syncing = true;
    io->verb = IO_FLUSH;
    io->area = IO_DATA;
    io->vm = (uint8_t)m->target.vm;
    io->bytes = 0;
    io->offset = 0;
    io->done = sync_done;
    io->owner = (uint64_t)(uintptr_t)m;
    drive_submit(m->data, io);
}

/* ---- writing -----------------------------------------------------------------------------------
 */

static bool page_writing(const struct model *m, uint32_t page)
{
    return (m->pool.frames[pool_find(&m->pool, page)].prev & FRAME_WRITING) != 0;
}

static uint32_t run_length(const struct model *m, uint32_t page)
{
    uint32_t pages = 1;

    while (pages < m->writer->run_pages && page + pages < m->layout.pages &&
           pool_page_dirty(&m->pool, page + pages) && !page_writing(m, page + pages)) {
        pages++;
    }
    return pages;
}

/* The next page to write, POOL_NO_PAGE at the end. */
static uint32_t checkpoint_next(struct model *m)
{
    struct checkpoint *c = &m->writer->checkpoint;

    if (!is_mapped(m)) {
        return pool_map_next(m->pool.dirty_map, c->hand, m->layout.pages);
    }
    for (;;) {
        uint32_t page = pool_map_next(c->map, c->hand, m->layout.pages);

        if (page == POOL_NO_PAGE || pool_page_dirty(&m->pool, page)) {
            return page;
        }
        c->hand = page + 1;
        c->done++; /* written meanwhile by others */
    }
}

/* Pages behind the hand that are on their way to us: first the bucket, two steps later the frame.
 */
static void checkpoint_fetch(struct model *m, uint32_t pages)
{
    struct checkpoint *c = &m->writer->checkpoint;
    const uint64_t *map = is_mapped(m) ? c->map : m->pool.dirty_map;

    if (c->ahead < c->hand) {
        c->ahead = c->hand;
        pages = CHECKPOINT_AHEAD;
    }
    for (uint32_t i = 0; i < pages && c->ahead < m->layout.pages; i++) {
        uint32_t page = pool_map_next(map, c->ahead, m->layout.pages);

        if (page == POOL_NO_PAGE) {
            c->ahead = m->layout.pages;
            break;
        }
        pool_prefetch(&m->pool, page);
        pool_prefetch_frame(&m->pool, c->coming[(c->steps + 2) % CHECKPOINT_AHEAD]);
        c->coming[c->steps++ % CHECKPOINT_AHEAD] = page;
        c->ahead = page + 1;
    }
}

static uint32_t checkpoint_due(const struct model *m)
{
    const struct checkpoint *c = &m->writer->checkpoint;
    double share =
        (double)(m->loop->now_ns - c->began_ns) / ((double)m->is.checkpoint_ns * PACE_SHARE);
    double by_log = (double)(m->log.lsn - c->lsn) / (log_wanted(m) * PACE_SHARE);
    /* without a map it meets half of what is dirtied while it is under way, too */
    double more = is_mapped(m) ? 0 : (double)(m->pool.dirtied - c->dirtied) / 2;

    if (!is_paced(m) || m->writer->full_charge || share >= 1 || m->is.checkpoint_ns <= 0) {
        return UINT32_MAX;
    }
    /* on schedule by time and by log (IsCheckpointOnSchedule) */
    share = is_mapped(m) && by_log > share ? by_log : share;
    if (share >= 1) {
        return UINT32_MAX;
    }
    return (uint32_t)(share * (c->total + more));
}

void checkpoint_pump(struct model *m)
{
    struct model_writer *w = m->writer;
    struct checkpoint *c = &w->checkpoint;
    uint32_t due = checkpoint_due(m), page = 0;

    if (!c->active || c->syncing || m->stopped) {
        return;
    }
    while (w->out[WRITE_CHECKPOINT] < c->allowed && writer_has_slot(w) && c->done < due) {
        page = checkpoint_next(m);
        /* a page whose older image is on its way is written when that has arrived */
        if (page == POOL_NO_PAGE) {
            c->hand = m->layout.pages;
            break;
        }
        if (page_writing(m, page)) {
            break;
        }
        uint32_t pages = run_length(m, page);

        writer_run(m, page, pages, WRITE_CHECKPOINT, POOL_NONE);
        c->done += pages;
        c->hand = page + pages;
        checkpoint_fetch(m, pages);
    }
    if (page == POOL_NO_PAGE && w->out[WRITE_CHECKPOINT] == 0 && c->before == 0) {
        if (is_mapped(m)) {
            checkpoint_sync(m);
        } else {
            checkpoint_end(m);
        }
    }
}

void checkpoint_written(struct model *m, const struct model_io *slot)
{
    struct checkpoint *c = &m->writer->checkpoint;

    c->before -= (slot->kind & WRITE_BEFORE) != 0;
    if ((slot->kind & ~WRITE_BEFORE) != WRITE_CHECKPOINT) {
        return;
    }
    if (slot->io.done_ns - slot->io.sent_ns > SLOW_NS) {
        c->allowed = c->allowed > 2 ? c->allowed / 2 : 1;
    } else if (c->allowed < m->is.checkpoint_depth) {
        c->allowed++;
    }
}

/* ---- timers ------------------------------------------------------------------------------------
 */

static void interval_fire(struct timer *timer)
{
    struct model_writer *w =
        (struct model_writer *)((char *)timer - offsetof(struct model_writer, interval));
    struct model *m = w->owner;

    model_enter(m);
    if (!timer_armed(timer)) {
        loop_arm(m->loop, timer, m->loop->now_ns + m->is.checkpoint_ns);
    }
    checkpoint_begin(m);
    model_leave(m);
}

static void pace_fire(struct timer *timer)
{
    struct model_writer *w =
        (struct model_writer *)((char *)timer - offsetof(struct model_writer, pace));
    struct model *m = w->owner;

    model_enter(m);
    checkpoint_pump(m);
    if (w->checkpoint.active && !w->checkpoint.syncing) {
        loop_arm(m->loop, timer, m->loop->now_ns + PACE_NS);
    }
    model_leave(m);
}

/* ---- the clock (postgres) ----------------------------------------------------------------------
 */

static void sweep_fire(struct timer *timer)
{
    struct model_writer *w =
        (struct model_writer *)((char *)timer - offsetof(struct model_writer, sweep));
    struct model *m = w->owner;

    model_enter(m);
    bgwriter_round(m);
    /* the WAL writer: what is pending after wal_writer_delay, 200 ms too, is written */
    log_want(&m->log, m->log.lsn);
    loop_arm(m->loop, timer, m->loop->now_ns + SWEEP_NS);
    model_leave(m);
}

/*
 * A backend wants a frame: the first page that the hand finds. A dirty one is written by the
 * backend itself, which waits for it.
 */
void sweep_victim(struct model *m)
{
    struct model_writer *w = m->writer;
    uint32_t frame = pool_sweep(&m->pool);

    if (frame == POOL_NONE) {
        return;
    }
    if ((m->pool.frames[frame].prev & FRAME_DIRTY) == 0) {
        pool_evict(&m->pool, frame);
    } else if (writer_has_slot(w) && w->out[WRITE_VICTIM] < VICTIM_WRITES) {
        writer_run(m, m->pool.frames[frame].page, 1, WRITE_VICTIM, frame);
    }
}

/* VMs do not checkpoint in step: each has its own place in the interval (golden section). */
static int64_t first_interval(const struct model *m)
{
    /* postgres: the first comes when checkpoint_timeout has passed since the server started */
    double place = (m->target.vm + !m->postgres) * 0.6180339887498949;

    place -= (double)(int64_t)place;
    return (int64_t)((double)m->is.checkpoint_ns * (1 - place));
}

void checkpoint_start_timers(struct model *m)
{
    struct model_writer *w = m->writer;

    w->interval.fire = interval_fire;
    w->pace.fire = pace_fire;
    w->sweep.fire = sweep_fire;
    if (m->is.checkpoint_ns > 0) {
        loop_disarm(m->loop, &w->interval);
        loop_arm(m->loop, &w->interval, m->loop->now_ns + first_interval(m));
    }
    if (m->pool.policy == POOL_CLOCK) {
        loop_disarm(m->loop, &w->sweep);
        loop_arm(m->loop, &w->sweep, m->loop->now_ns + SWEEP_NS);
    }
}
