#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/dist.h"
#include "base/must.h"
#include "model_writer.h"

/* innodb (MODEL.md 5.2): one batch at a time, from the tail of the LRU list and the flush list. */

#define SECOND_NS 1000000000ll
enum { MEAN_SECONDS = 30, FILES = 256, EXTENT_PAGES = 64 };
enum { SCAN_LOOKS = 1024 }; /* frames looked at in one go, beside those that are to be freed */
enum { USER_LOOKS = 100 };
enum { SCANS_MOST = 40 }; /* with so many in a second none is without */

static void batch_next(struct model *m);

/* ---- log ---------------------------------------------------------------------------------------
 */

void flush_move_checkpoint(struct model *m)
{
    const struct flush_batch *batch = &m->writer->batch;
    uint64_t oldest = m->log.lsn, lsn;

    if (pool_oldest(&m->pool, &lsn) != POOL_NONE && lsn < oldest) {
        oldest = lsn;
    }
    if (batch->state != BATCH_IDLE && batch->oldest < oldest) {
        oldest = batch->oldest;
    }
    if (oldest > m->log.checkpoint) {
        m->log.checkpoint = oldest;
    }
    writer_space(m);
}

static uint64_t age_of(const struct model *m)
{
    return m->log.lsn - m->log.checkpoint;
}

/* An eighth before those who write must wait (log_t::max_modified_age_async). */
static bool is_too_old(const struct model *m, uint64_t lsn)
{
    return m->log.lsn - lsn > m->log.is.limit_bytes / 8 * 7;
}

/* ---- a batch -----------------------------------------------------------------------------------
 */

static bool batch_add(struct model *m, uint32_t frame, bool from_list)
{
    struct flush_batch *batch = &m->writer->batch;
    uint32_t i = batch->count;
    bool fresh;
    uint64_t lsn;

    if (batch->state != BATCH_IDLE || i == BATCH_PAGES) {
        return false;
    }
    batch->page[i] = m->pool.frames[frame].page;
    lsn = writer_capture(m, frame, &fresh, &batch->newest);
    batch->lsn = lsn > batch->lsn ? lsn : batch->lsn;
    if (from_list) {
        bit_set(batch->from_list, i);
    }
    if (fresh) {
        bit_set(batch->fresh, i);
    }
    batch->count++;
    return true;
}

static void extra_submit(struct model *m, enum io_verb verb, uint32_t pages,
                         void (*done)(struct io *))
{
    struct io *io = &m->writer->extra.io;

    io->verb = (uint8_t)verb;
    io->area = IO_DATA;
    io->flags = IO_NO_STAMP;
    io->vm = (uint8_t)m->target.vm;
    io->bytes = pages * m->is.page_bytes;
    io->offset = verb == IO_WRITE ? m->layout.doublewrite_offset : 0;
    io->owner = (uint64_t)(uintptr_t)m;
    io->done = done;
    drive_submit(m->data, io);
}

static void extra_done(struct io *io)
{
    struct model *m = (struct model *)(uintptr_t)io->owner;

    model_enter(m);
    m->writer->errors += io->result < 0;
    batch_next(m);
    model_leave(m);
}

static uint32_t batch_fresh(const struct flush_batch *batch)
{
    return (uint32_t)(__builtin_popcountll(batch->fresh[0]) +
                      __builtin_popcountll(batch->fresh[1]));
}

static void batch_double(struct model *m)
{
    struct flush_batch *batch = &m->writer->batch;
    uint32_t pages = batch->count - batch_fresh(batch);

    m->writer->early += batch->lsn > m->log.durable || batch->newest > m->log.durable;
    if (!m->is.doublewrite || pages == 0) {
        batch->state = BATCH_DOUBLE_SYNC;
        batch_next(m);
        return;
    }
    m->writer->doubled += pages;
    m->writer->batches++;
    batch->state = BATCH_DOUBLE;
    extra_submit(m, IO_WRITE, pages, extra_done);
}

static void batch_pages(struct model *m)
{
    struct flush_batch *batch = &m->writer->batch;

    batch->state = BATCH_PAGES_OUT;
    batch->out = batch->count;
    for (uint32_t i = 0; i < batch->count; i++) {
        enum write_kind kind = bit_get(batch->from_list, i) ? WRITE_CHECKPOINT : WRITE_CLEANER;

        writer_send(m, batch->page[i], 1, kind, POOL_NONE, batch->lsn, batch->newest);
    }
}

/*
 * The dirty pages that lie side by side with one, in its extent of 64: InnoDB writes them with it
 * where the drive says it is rotational (innodb_flush_neighbors = 1, buf_flush_try_neighbors).
 */
static void extent_of(const struct model *m, uint32_t page, uint32_t *ret_low, uint32_t *ret_end)
{
    bool level1;
    enum index_id id = layout_owner(&m->layout, page, &level1);
    const struct model_index *index = &m->layout.index[id == INDEXES ? IX_SYSTEM : id];
    bool grown = page >= index->grown_first && page < index->grown_first + index->reserve;
    uint32_t first = grown ? index->grown_first : index->first, end;

    *ret_low = page;
    *ret_end = page + 1;
    if (id == INDEXES || id == IX_SYSTEM || level1) {
        return;
    }
    end = first + (grown ? index->reserve : index->leaves);
    *ret_low = page - (page - first) % EXTENT_PAGES;
    *ret_end = *ret_low + EXTENT_PAGES < end ? *ret_low + EXTENT_PAGES : end;
}

/* False: it is not dirty, or on its way already. */
static bool batch_add_neighbor(struct model *m, uint32_t page, bool from_list)
{
    uint32_t frame;

    if (!pool_page_dirty(&m->pool, page)) {
        return false;
    }
    frame = pool_find(&m->pool, page);
    return (m->pool.frames[frame].prev & FRAME_WRITING) == 0 && batch_add(m, frame, from_list);
}

/* Returns how many pages were added: none if the batch is full. */
static uint32_t batch_add_all(struct model *m, uint32_t frame, bool from_list, bool neighbors)
{
    uint32_t page = m->pool.frames[frame].page, before = m->writer->batch.count, low, end;

    if (!batch_add(m, frame, from_list) || !neighbors) {
        return m->writer->batch.count - before;
    }
    extent_of(m, page, &low, &end);
    for (uint32_t i = page; i > low && batch_add_neighbor(m, i - 1, from_list); i--) {
    }
    for (uint32_t i = page + 1; i < end && batch_add_neighbor(m, i, from_list); i++) {
    }
    return m->writer->batch.count - before;
}

/* Tablespace files that the batch touched: each gets a sync of its own. */
static uint32_t batch_files(const struct model *m)
{
    const struct flush_batch *batch = &m->writer->batch;
    const struct model_index *rows = &m->layout.index[IX_SBTEST];
    uint64_t seen[FILES / 64] = {0};
    uint32_t files = 0;

    for (uint32_t i = 0; i < batch->count; i++) {
        bool level1;
        uint32_t file = layout_owner(&m->layout, batch->page[i], &level1);

        if (file == IX_SBTEST && batch->page[i] < rows->leaves) {
            uint64_t leaf = batch->page[i] - rows->first;

            file = INDEXES + (uint32_t)(leaf * m->is.sysbench.tables / rows->leaves);
        }
        file %= FILES;
        files += !bit_get(seen, file);
        bit_set(seen, file);
    }
    return files;
}

static void batch_over(struct model *m)
{
    m->writer->batch.state = BATCH_IDLE;
    flush_move_checkpoint(m);
    flush_pump(m);
}

/* The step after the one that is done. */
static void batch_next(struct model *m)
{
    struct flush_batch *batch = &m->writer->batch;

    switch (batch->state) {
    case BATCH_LOG:
        batch_double(m);
        break;
    case BATCH_DOUBLE:
        batch->state = BATCH_DOUBLE_SYNC;
        extra_submit(m, IO_FLUSH, 0, extra_done);
        break;
    case BATCH_DOUBLE_SYNC:
        batch_pages(m);
        break;
    case BATCH_PAGES_OUT:
        batch->state = BATCH_SYNC;
        batch->syncs = batch_files(m);
        extra_submit(m, IO_FLUSH, 0, extra_done);
        break;
    case BATCH_SYNC:
        if (--batch->syncs > 0) {
            extra_submit(m, IO_FLUSH, 0, extra_done);
        } else {
            batch_over(m);
        }
        break;
    case BATCH_IDLE:
        must(!"a batch that is under way");
    }
}

uint32_t flush_undoubled(const struct model *m)
{
    const struct flush_batch *batch = &m->writer->batch;

    return batch->state == BATCH_LOG ? batch->count - batch_fresh(batch) : 0;
}

void flush_log_advanced(struct model *m)
{
    struct flush_batch *batch = &m->writer->batch;

    if (batch->state == BATCH_LOG && batch->lsn <= m->log.durable) {
        batch_next(m);
    }
}

/* A page of the batch has arrived. */
void flush_page_done(struct model *m)
{
    struct flush_batch *batch = &m->writer->batch;

    must(batch->state == BATCH_PAGES_OUT && batch->out > 0);
    if (--batch->out == 0) {
        batch_next(m);
    }
}

/* ---- what to write -----------------------------------------------------------------------------
 */

/*
 * The cleaner's scan (buf_flush_LRU_list_batch): from the tail on clean pages are freed until
 * enough are; dirty ones that it meets are written, and freed by a later scan if they are still
 * clean.
 */
static void tail_scan(struct model *m)
{
    struct model_writer *w = m->writer;
    struct pool *pool = &m->pool;
    uint32_t frame = pool->tail, looks = SCAN_LOOKS + 2 * w->free_target;

    w->tail_due = 0;
    w->refill = false;
    while (frame != POOL_NONE && pool->free_count < w->free_target && looks-- > 0) {
        const struct pool_frame *f = &pool->frames[frame];
        uint32_t before = f->prev & FRAME_LINK;

        pool_prefetch_before(pool, before);
        if ((f->prev & (FRAME_DIRTY | FRAME_WRITING | FRAME_READING)) == 0) {
            pool_evict(pool, frame);
        } else if ((f->prev & (FRAME_WRITING | FRAME_READING)) == 0 &&
                   w->tail_due < m->is.io_capacity_max) {
            w->tail_due++;
        }
        frame = before;
    }
}

/*
 * Who finds no free frame looks at the last hundred of the list for one that is clean
 * (buf_LRU_scan_and_free_block), and waits for the cleaner if there is none.
 */
void flush_evict_one(struct model *m)
{
    struct pool *pool = &m->pool;
    uint32_t frame = pool->tail;

    for (uint32_t i = 0; i < USER_LOOKS && frame != POOL_NONE && pool->free_count == 0; i++) {
        uint32_t before = pool->frames[frame].prev & FRAME_LINK;

        if ((pool->frames[frame].prev & (FRAME_DIRTY | FRAME_WRITING | FRAME_READING)) == 0) {
            pool_evict(pool, frame);
        }
        frame = before;
    }
}

static void batch_fill_from_tail(struct model *m)
{
    struct model_writer *w = m->writer;
    uint32_t frame = m->pool.tail, looks = SCAN_LOOKS + 4 * w->free_target;
    bool neighbors = m->is.flush_neighbors && m->pool.free_count >= w->free_target / 2;

    while (frame != POOL_NONE && w->tail_due > 0 && w->batch.count < BATCH_PAGES && looks-- > 0) {
        const struct pool_frame *f = &m->pool.frames[frame];
        uint32_t before = f->prev & FRAME_LINK;

        if ((f->prev & FRAME_DIRTY) && (f->prev & FRAME_WRITING) == 0) {
            batch_add_all(m, frame, false, neighbors);
            w->tail_due--;
        }
        frame = before;
    }
    w->tail_due = w->batch.count < BATCH_PAGES ? 0 : w->tail_due;
}

/*
 * An undo page that was given back stays among the dirty ones until its turn comes; it is not
 * written then, but what lies beside it is: headers of rollback segments, which are dirty again
 * within a second. Inferred from the counters of a live server: 0.20 to 0.37 of them are written a
 * transaction, where 0.34 undo pages are created.
 */
static void batch_fill_beside(struct model *m)
{
    struct model_writer *w = m->writer;
    uint32_t first = m->layout.index[IX_SYSTEM].first;

    while (w->batch.count > 0 && w->batch.count < BATCH_PAGES && w->beside > 0) {
        batch_add_neighbor(m, first + w->beside_next++ % ROLLBACK_PAGES, false);
        w->beside--;
    }
}

static void batch_fill_from_list(struct model *m)
{
    struct model_writer *w = m->writer;
    uint64_t lsn;

    while (w->batch.count < BATCH_PAGES) {
        uint32_t frame = pool_oldest(&m->pool, &lsn), added;

        if (frame == POOL_NONE || (w->quota == 0 && !is_too_old(m, lsn))) {
            w->quota = 0;
            return;
        }
        pool_oldest_pop(&m->pool);
        added = batch_add_all(m, frame, true, m->is.flush_neighbors);
        w->quota -= added < w->quota ? added : w->quota;
    }
}

/* One that frames are short for waits until the writes of the one before are done. */
static bool scan_is_due(struct model *m)
{
    struct model_writer *w = m->writer;

    if (w->refill) {
        return true;
    }
    if (m->pool.free_count >= w->free_low || w->batch.state != BATCH_IDLE || w->tail_due > 0) {
        return false;
    }
    w->asleep = false;
    w->scans++;
    return true;
}

void flush_pump(struct model *m)
{
    struct model_writer *w = m->writer;
    struct flush_batch *batch = &w->batch;

    if (m->stopped || m->warm) {
        return;
    }
    if (batch->state == BATCH_IDLE) {
        memset(batch, 0, sizeof(*batch));
        batch->oldest = m->log.lsn;
        pool_oldest(&m->pool, &batch->oldest);
    }
    if (scan_is_due(m)) {
        tail_scan(m);
        reader_wake_frames(m);
    }
    if (batch->state != BATCH_IDLE) {
        return;
    }
    batch_fill_from_tail(m);
    batch_fill_from_list(m);
    batch_fill_beside(m);
    if (batch->count == 0) {
        return;
    }
    batch->state = BATCH_LOG;
    if (batch->lsn > m->log.durable) {
        log_want(&m->log, batch->lsn);
    } else {
        batch_next(m);
    }
}

/* ---- once a second -----------------------------------------------------------------------------
 */

#define DIRTY_MOST 0.9 /* of the frames: innodb_max_dirty_pages_pct */

static bool age_is_low(const struct model *m)
{
    return (double)age_of(m) < 0.1 * (double)m->log.is.limit_bytes;
}

static double per_cent_by_age(const struct model *m)
{
    double f = 100 * (double)age_of(m) / (double)m->log.is.limit_bytes;
    double low = m->is.io_capacity > 0 ? m->is.io_capacity : 1;

    return age_is_low(m) ? 0 : m->is.io_capacity_max / low * (f * sqrt(f) / 7.5);
}

/* What became dirty first, in the next three seconds' worth of log: a second's share. */
static double pages_by_lsn(struct model *m)
{
    uint64_t oldest;

    if (pool_oldest(&m->pool, &oldest) == POOL_NONE) {
        return 0;
    }
    return pool_dirty_before(&m->pool, oldest + (uint64_t)(3 * m->writer->lsn_rate)) / 3.0;
}

static uint32_t at_most(double pages, uint32_t most)
{
    return pages < most ? (uint32_t)pages : most;
}

static void mysql_means(struct model *m)
{
    struct model_writer *w = m->writer;
    uint64_t flushed = w->pages_of[WRITE_CHECKPOINT];

    w->lsn_rate += ((double)(m->log.lsn - w->second_lsn) - w->lsn_rate) / MEAN_SECONDS;
    w->page_rate += ((double)(flushed - w->second_written) - w->page_rate) / MEAN_SECONDS;
    w->second_lsn = m->log.lsn;
    w->second_written = flushed;
}

static uint32_t mysql_pages(struct model *m)
{
    double percent = per_cent_by_age(m);

    if (m->pool.dirty >= m->pool.count * DIRTY_MOST) {
        percent = percent > 100 ? percent : 100;
    }
    if (m->pool.dirty == 0) {
        return 0;
    }
    return at_most((m->is.io_capacity * percent / 100 + m->writer->page_rate + pages_by_lsn(m)) / 3,
                   m->is.io_capacity_max);
}

/* Means of thirty passes, halved with those before; a pass counts all pages that were written. */
static void maria_means(struct model *m)
{
    struct model_writer *w = m->writer;
    int64_t seconds = (m->loop->now_ns - w->second_ns) / SECOND_NS;

    if (++w->seconds < MEAN_SECONDS && seconds < MEAN_SECONDS) {
        return;
    }
    seconds = seconds < 1 ? 1 : seconds;
    w->lsn_rate = ((double)(m->log.lsn - w->second_lsn) / (double)seconds + w->lsn_rate) / 2;
    w->page_rate =
        ((double)(m->pool.captured - w->second_written) / (double)seconds + w->page_rate) / 2;
    w->second_ns = m->loop->now_ns;
    w->second_lsn = m->log.lsn;
    w->second_written = m->pool.captured;
    w->seconds = 0;
}

/*
 * page_cleaner_flush_pages_recommendation from 10.6.13 on: age says whether, no longer how much,
 * while innodb_max_dirty_pages_pct_lwm is 0. The first pass writes all, or io_capacity.
 */
static uint32_t maria_pages(struct model *m)
{
    struct model_writer *w = m->writer;
    double by_lsn, dirty = m->pool.dirty, capacity = m->is.io_capacity;

    if (w->second_ns == 0 || age_is_low(m)) {
        w->second_ns = m->loop->now_ns;
        w->second_lsn = m->log.lsn;
        w->second_written = m->pool.captured;
        if (dirty <= capacity || capacity / DIRTY_MOST > m->pool.count) {
            return at_most(dirty, m->is.io_capacity_max);
        }
        return m->is.io_capacity;
    }
    maria_means(m);
    by_lsn = pages_by_lsn(m);
    return at_most((capacity + w->page_rate + (by_lsn > 1 ? by_lsn : 1)) / 3,
                   m->is.io_capacity_max);
}

/*
 * MariaDB's cleaner (buf0flu.cc from 10.5.8) goes to sleep when neither dirty pages nor the log ask
 * for it, and then age alone does not wake it: frames that run short do, or a log that is full.
 */
static bool cleaner_rests(const struct model *m)
{
    return m->pool.dirty < m->pool.count * DIRTY_MOST && age_is_low(m);
}

/*
 * The cleaner looks at the flush list when it has waited for a second; a scan that frames were
 * short for ends the wait, and it begins anew (buf_flush_page_cleaner from 10.6.13 on). On a real
 * host scans do not come evenly: as if by chance, so that a second has none with probability
 * e^-scans.
 */
static void maria_second(struct model *m)
{
    struct model_writer *w = m->writer;
    bool quiet =
        w->scans == 0 || (w->scans < SCANS_MOST && rng_unit(&m->rng) < dist_exp(-(double)w->scans));

    w->scans = 0;
    if (!quiet || w->asleep) {
        return;
    }
    w->asleep = cleaner_rests(m);
    w->quota = w->asleep ? 0 : maria_pages(m);
    w->refill = !w->asleep && m->pool.free_count < w->free_target;
}

static void second_fire(struct timer *timer)
{
    struct model_writer *w =
        (struct model_writer *)((char *)timer - offsetof(struct model_writer, interval));
    struct model *m = w->owner;

    model_enter(m);
    flush_move_checkpoint(m);
    if (m->is.cleaner_sleeps) {
        maria_second(m);
    } else {
        mysql_means(m);
        w->quota = mysql_pages(m);
    }
    loop_arm(m->loop, timer, m->loop->now_ns + SECOND_NS);
    flush_pump(m);
    model_leave(m);
}

void flush_start_timer(struct model *m)
{
    struct model_writer *w = m->writer;

    w->second_written = w->pages_of[WRITE_CHECKPOINT];
    w->second_ns = 0;
    w->asleep = m->is.cleaner_sleeps;
    w->interval.fire = second_fire;
    loop_disarm(m->loop, &w->interval);
    loop_arm(m->loop, &w->interval, m->loop->now_ns + SECOND_NS);
}
