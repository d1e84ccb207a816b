#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/must.h"
#include "model_writer.h"

/* innodb (MODEL.md 5.2): one batch at a time, from the tail of the LRU list and the flush list. */

#define SECOND_NS 1000000000ll
enum { MEAN_SECONDS = 30, FILES = 256 };
enum { SCAN_LOOKS = 1024 }; /* frames looked at in one go, beside those that are to be freed */

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

/* Furious flushing begins a sixteenth before those who write must wait. */
static bool age_is_high(const struct model *m)
{
    return age_of(m) > m->log.is.limit_bytes / 16 * 15;
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
    w->refill = pool->free_count < w->free_target;
}

static void batch_fill_from_tail(struct model *m)
{
    struct model_writer *w = m->writer;
    uint32_t frame = m->pool.tail, looks = SCAN_LOOKS + 4 * w->free_target;

    while (frame != POOL_NONE && w->tail_due > 0 && w->batch.count < BATCH_PAGES && looks-- > 0) {
        const struct pool_frame *f = &m->pool.frames[frame];
        uint32_t before = f->prev & FRAME_LINK;

        if ((f->prev & FRAME_DIRTY) && (f->prev & FRAME_WRITING) == 0) {
            batch_add(m, frame, false);
            w->tail_due--;
        }
        frame = before;
    }
    w->tail_due = w->batch.count < BATCH_PAGES ? 0 : w->tail_due;
}

static void batch_fill_from_list(struct model *m)
{
    struct model_writer *w = m->writer;
    uint64_t lsn;

    while (w->batch.count < BATCH_PAGES && (w->quota > 0 || age_is_high(m))) {
        uint32_t frame = pool_oldest(&m->pool, &lsn);

        if (frame == POOL_NONE) {
            w->quota = 0;
            return;
        }
        pool_oldest_pop(&m->pool);
        batch_add(m, frame, true);
        w->quota -= w->quota > 0;
    }
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
    if (w->refill || m->pool.free_count < w->free_low) {
        tail_scan(m);
        reader_wake_frames(m);
    }
    if (batch->state != BATCH_IDLE) {
        return;
    }
    batch_fill_from_tail(m);
    batch_fill_from_list(m);
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

static double per_cent_by_age(const struct model *m)
{
    double cap = (double)m->log.is.limit_bytes, age = (double)age_of(m), f = 100 * age / cap;
    double low = m->is.io_capacity > 0 ? m->is.io_capacity : 1;

    return age < 0.1 * cap ? 0 : m->is.io_capacity_max / low * (f * sqrt(f) / 7.5);
}

static uint32_t pages_to_flush(struct model *m)
{
    struct model_writer *w = m->writer;
    double percent = per_cent_by_age(m), by_lsn = 0, n;
    uint64_t oldest;

    if (m->pool.dirty >= m->pool.count * 0.9) {
        percent = percent > 100 ? percent : 100;
    }
    if (pool_oldest(&m->pool, &oldest) == POOL_NONE) {
        return 0;
    }
    by_lsn = pool_dirty_before(&m->pool, oldest + (uint64_t)(3 * w->lsn_rate)) / 3.0;
    n = (m->is.io_capacity * percent / 100 + w->page_rate + by_lsn) / 3;
    return n < m->is.io_capacity_max ? (uint32_t)n : m->is.io_capacity_max;
}

/*
 * MariaDB's cleaner (buf0flu.cc from 10.5.8) goes to sleep when neither dirty pages nor the log ask
 * for it, and then age alone does not wake it: frames that run short do, or a log that is full.
 */
static bool cleaner_rests(const struct model *m)
{
    return m->pool.dirty < m->pool.count * 0.9 &&
           (double)age_of(m) < 0.1 * (double)m->log.is.limit_bytes;
}

void flush_wake(struct model *m)
{
    m->writer->asleep = m->writer->asleep && cleaner_rests(m);
}

static void second_fire(struct timer *timer)
{
    struct model_writer *w =
        (struct model_writer *)((char *)timer - offsetof(struct model_writer, interval));
    struct model *m = w->owner;
    double share = 1.0 / MEAN_SECONDS;
    uint64_t flushed = w->pages_of[WRITE_CHECKPOINT];

    model_enter(m);
    w->lsn_rate += ((double)(m->log.lsn - w->second_lsn) - w->lsn_rate) * share;
    w->page_rate += ((double)(flushed - w->second_written) - w->page_rate) * share;
    w->second_lsn = m->log.lsn;
    w->second_written = flushed;
    flush_move_checkpoint(m);
    w->asleep = m->is.cleaner_sleeps && (w->asleep || cleaner_rests(m));
    w->quota = w->asleep ? 0 : pages_to_flush(m);
    loop_arm(m->loop, timer, m->loop->now_ns + SECOND_NS);
    flush_pump(m);
    model_leave(m);
}

void flush_start_timer(struct model *m)
{
    struct model_writer *w = m->writer;

    w->second_written = w->pages_of[WRITE_CHECKPOINT];
    w->interval.fire = second_fire;
    loop_disarm(m->loop, &w->interval);
    loop_arm(m->loop, &w->interval, m->loop->now_ns + SECOND_NS);
}
