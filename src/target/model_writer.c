#include "model_writer.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "model_postgres.h"

/* Requests of the cleaner (lazy writer, victims) beside those of a checkpoint. */
enum { CLEANER_DEPTH = 32, VICTIM_DEPTH = 64 };
enum { TAIL_LOOKS = 1024 };   /* frames looked at from the tail in one go */
#define WARM_DIRTY_SHARE 0.08 /* what is dirty on average between checkpoints (MODEL.md 5.4) */

/* ---- memory ------------------------------------------------------------------------------------
 */

static uint32_t run_pages_of(const struct model_settings *settings)
{
    uint32_t pages = settings->profile == MODEL_SQLSERVER ? settings->gather_pages : 1;

    return pages < 1 ? 1 : pages > 64 ? 64 : pages;
}

static uint32_t slots_of(const struct model_settings *settings)
{
    uint32_t depth = settings->checkpoint_depth < 1      ? 1
                     : settings->checkpoint_depth > 1024 ? 1024
                                                         : settings->checkpoint_depth;

    return settings->profile == MODEL_INNODB ? BATCH_PAGES : depth + CLEANER_DEPTH + VICTIM_DEPTH;
}

static uint64_t double_bytes(const struct model_settings *settings)
{
    return settings->doublewrite ? (uint64_t)BATCH_PAGES * settings->page_bytes : 0;
}

uint64_t writer_buffer_bytes(const struct model_settings *settings)
{
    return (uint64_t)slots_of(settings) * run_pages_of(settings) * settings->page_bytes +
           double_bytes(settings);
}

uint64_t writer_memory_bytes(const struct model_settings *settings)
{
    return sizeof(struct model_writer) + (uint64_t)slots_of(settings) * sizeof(struct model_io);
}

/* Incompressible at first; a stamp wrapper replaces all of it at every write. */
static void fill_buffer(struct model *m, void *buffer, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes / 8; i++) {
        ((uint64_t *)buffer)[i] = rng_u64(&m->rng);
    }
}

static void frames_to_keep_free(struct model *m, struct model_writer *w)
{
    uint32_t frames = m->pool.count,
             share = m->is.profile == MODEL_INNODB ? frames / 4 : frames / 67;

    /* innodb: lru_scan_depth / 2 to lru_scan_depth (5.1); sqlserver: 1 to 2 % (5.4) */
    w->free_target = share < 2 ? 2 : share;
    if (m->is.profile == MODEL_INNODB) {
        if (m->is.lru_scan_depth > 0 && w->free_target > m->is.lru_scan_depth) {
            w->free_target = m->is.lru_scan_depth;
        }
        /* never 0: who waits for a frame would wait for ever */
        w->free_low = w->free_target > 1 ? w->free_target / 2 : 1;
    } else {
        w->free_low = w->free_target - (w->free_target / 4 < 128 ? w->free_target / 4 : 128);
    }
}

int writer_open(struct model *m, void *buffers, struct error *err)
{
    struct model_writer *w = m->writer = mem_zalloc(sizeof(*w));
    uint64_t run_bytes = (uint64_t)run_pages_of(&m->is) * m->is.page_bytes;

    if (w) {
        w->owner = m;
        w->slot_count = slots_of(&m->is);
        w->slots = mem_array(w->slot_count, sizeof(*w->slots));
        w->checkpoint.map = m->is.profile == MODEL_POSTGRES ? mem_large(m->map_bytes) : NULL;
    }
    if (!w || !w->slots || (m->is.profile == MODEL_POSTGRES && !w->checkpoint.map)) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for page writes");
    }
    w->run_pages = run_pages_of(&m->is);
    w->held_last = &w->held_first;
    for (uint32_t i = 0; i < w->slot_count; i++) {
        w->slots[i].io.data = buffers ? (char *)buffers + i * run_bytes : NULL;
        w->slots[i].frame = i + 1 < w->slot_count ? i + 1 : NO_SESSION;
    }
    if (buffers) {
        w->extra.io.data =
            double_bytes(&m->is) ? (char *)buffers + w->slot_count * run_bytes : NULL;
        fill_buffer(m, buffers, writer_buffer_bytes(&m->is));
    }
    frames_to_keep_free(m, w);
    return 0;
}

void writer_close(struct model *m)
{
    struct model_writer *w = m->writer;

    if (w == NULL) {
        return;
    }
    loop_disarm(m->loop, &w->interval);
    loop_disarm(m->loop, &w->pace);
    loop_disarm(m->loop, &w->sweep);
    mem_large_free(w->newest, (uint64_t)w->slot_count * 8);
    mem_large_free(w->checkpoint.map, m->map_bytes);
    mem_free(w->slots);
    mem_free(w);
    m->writer = NULL;
}

void writer_start(struct model *m)
{
    struct model_writer *w = m->writer;

    w->second_lsn = m->log.lsn;
    w->second_written = m->pool.captured;
    if (m->is.profile == MODEL_INNODB) {
        flush_start_timer(m);
        flush_move_checkpoint(m);
    } else {
        checkpoint_start_timers(m);
        m->log.checkpoint = w->checkpoint.lsn = m->log.lsn;
    }
}

void writer_stop(struct model *m)
{
    loop_disarm(m->loop, &m->writer->interval);
    loop_disarm(m->loop, &m->writer->pace);
    loop_disarm(m->loop, &m->writer->sweep);
}

bool writer_idle(const struct model *m)
{
    const struct model_writer *w = m->writer;

    return w->out[WRITE_CHECKPOINT] + w->out[WRITE_CLEANER] + w->out[WRITE_VICTIM] == 0 &&
           w->batch.state == BATCH_IDLE;
}

/* ---- one page ----------------------------------------------------------------------------------
 */

static uint32_t epoch_of(const struct pool_frame *frame)
{
    return (frame->stamp & FRAME_EPOCH) >> FRAME_EPOCH_SHIFT;
}

uint64_t writer_capture(struct model *m, uint32_t frame, bool *ret_fresh, uint64_t *newest)
{
    const struct pool_frame *f = &m->pool.frames[frame];
    bool durable = log_epoch_durable(&m->log, epoch_of(f));

    *ret_fresh = (f->stamp & FRAME_FRESH) != 0;
    m->writer->fresh += *ret_fresh;
    if (m->witness && m->witness[f->page] > *newest) {
        *newest = m->witness[f->page];
    }
    pool_capture(&m->pool, frame);
    return durable ? 0 : m->log.lsn;
}

void writer_settle(struct model *m, uint32_t page, bool ok)
{
    uint32_t frame = pool_find(&m->pool, page);

    must(frame != POOL_NONE);
    if (!ok) {
        m->writer->errors++;
        pool_recapture(&m->pool, frame, m->log.lsn);
        return;
    }
    pool_written(&m->pool, frame);
    if (m->postgres) {
        os_cache_note(m, page);
    }
    if (page >= m->layout.grown_first) {
        bit_set(m->made, page - m->layout.grown_first);
    }
}

/* ---- requests ----------------------------------------------------------------------------------
 */

bool writer_has_slot(const struct model_writer *w)
{
    return w->slot_free != NO_SESSION;
}

static void slot_submit(struct model *m, struct model_io *slot)
{
    struct model_writer *w = m->writer;

    /* no page is written while its LSN is not durable (8.2 (5)) */
    w->early += slot->lsn > m->log.durable;
    if (w->newest && w->newest[slot - w->slots] > m->log.durable) {
        w->early++;
    }
    drive_submit(m->data, &slot->io);
}

static void evict_victim(struct model *m, uint32_t frame)
{
    const struct pool_frame *f = &m->pool.frames[frame];
    uint32_t busy = FRAME_DIRTY | FRAME_READING | FRAME_WRITING;
    bool wanted =
        m->pool.policy == POOL_CLOCK ? (f->stamp & FRAME_STAMP) != 0 : (f->prev & FRAME_OLD) == 0;

    if ((f->prev & busy) == 0 && !wanted) {
        pool_evict(&m->pool, frame);
    }
}

static void run_done(struct io *io)
{
    struct model *m = (struct model *)(uintptr_t)io->owner;
    struct model_writer *w = m->writer;
    struct model_io *slot = (struct model_io *)io;
    uint32_t page = (uint32_t)((io->offset - m->layout.data_offset) / m->is.page_bytes);
    enum write_kind kind = (enum write_kind)(slot->kind & ~WRITE_BEFORE);
    bool ok = io->result == (int32_t)io->bytes;

    model_enter(m);
    for (uint32_t i = 0; i < slot->pages; i++) {
        writer_settle(m, page + i, ok);
    }
    w->out[kind]--;
    w->pages_of[kind] += ok ? slot->pages : 0;
    background_compute(m, slot->pages);
    if (m->is.profile == MODEL_INNODB) {
        flush_page_done(m);
    } else {
        if (ok && slot->frame != POOL_NONE && m->pool.frames[slot->frame].page == page) {
            evict_victim(m, slot->frame);
        }
        checkpoint_written(m, slot);
    }
    slot->frame = w->slot_free;
    w->slot_free = (uint32_t)(slot - w->slots);
    writer_pump(m);
    reader_wake_frames(m);
    model_leave(m);
}

static void slot_hold(struct model *m, struct model_io *slot)
{
    struct model_writer *w = m->writer;

    slot->io.next = NULL;
    *w->held_last = &slot->io;
    w->held_last = &slot->io.next;
    w->held++;
    log_want(&m->log, slot->lsn);
}

void writer_send(struct model *m, uint32_t page, uint32_t pages, enum write_kind kind,
                 uint32_t victim, uint64_t lsn, uint64_t newest)
{
    struct model_writer *w = m->writer;
    struct model_io *slot = &w->slots[w->slot_free];
    struct io *io = &slot->io;

    must(writer_has_slot(w));
    w->slot_free = slot->frame;
    slot->lsn = lsn;
    if (w->newest) {
        w->newest[slot - w->slots] = newest;
    }
    slot->frame = victim;
    slot->kind = (uint8_t)kind;
    if (w->checkpoint.active && kind != WRITE_CHECKPOINT && w->checkpoint.hand < m->layout.pages) {
        /* taken from under the hand: the checkpoint is not over before it has arrived */
        slot->kind |= WRITE_BEFORE;
        w->checkpoint.before++;
    }
    slot->pages = (uint8_t)pages;
    io->verb = IO_WRITE;
    io->area = IO_DATA;
    io->flags = m->is.log_fua ? IO_FUA : 0;
    io->vm = (uint8_t)m->target.vm;
    io->bytes = pages * m->is.page_bytes;
    io->offset = layout_offset(&m->layout, page);
    io->done = run_done;
    io->owner = (uint64_t)(uintptr_t)m;
    w->out[kind]++;
    if (lsn > m->log.durable) {
        slot_hold(m, slot);
    } else {
        slot_submit(m, slot);
    }
}

void writer_run(struct model *m, uint32_t page, uint32_t pages, enum write_kind kind,
                uint32_t victim)
{
    uint64_t newest = 0, lsn = 0;

    must(pages >= 1 && pages <= m->writer->run_pages);
    for (uint32_t i = 0; i < pages; i++) {
        bool fresh;
        uint64_t needs = writer_capture(m, pool_find(&m->pool, page + i), &fresh, &newest);

        lsn = needs > lsn ? needs : lsn;
    }
    writer_send(m, page, pages, kind, victim, lsn, newest);
}

static void release_held(struct model *m)
{
    struct model_writer *w = m->writer;

    while (w->held_first && ((struct model_io *)w->held_first)->lsn <= m->log.durable) {
        struct model_io *slot = (struct model_io *)w->held_first;

        w->held_first = slot->io.next;
        if (w->held_first == NULL) {
            w->held_last = &w->held_first;
        }
        w->held--;
        slot_submit(m, slot);
    }
}

void writer_log_advanced(struct model *m)
{
    release_held(m);
    if (m->is.profile == MODEL_INNODB) {
        flush_log_advanced(m);
    } else if (m->postgres) {
        checkpoint_by_log(m);
    } else if (m->log.lsn - m->log.checkpoint > m->log.is.limit_bytes / 10 * 7) {
        m->writer->full_charge = true;
        checkpoint_begin(m);
    }
}

/* ---- frames ------------------------------------------------------------------------------------
 */

/* How far from the tail clean pages are looked for: sqlserver's lazy writer goes over a quarter. */
static uint32_t looks_most(const struct model *m)
{
    return m->pool.count / 4 + TAIL_LOOKS;
}

/* Gather write (5.4): from the victim outward over dirty pages whose log is durable. */
static bool may_gather(const struct model *m, uint32_t page)
{
    uint32_t frame;

    if (page >= m->layout.pages || !pool_page_dirty(&m->pool, page)) {
        return false;
    }
    frame = pool_find(&m->pool, page);
    return (m->pool.frames[frame].prev & FRAME_WRITING) == 0 &&
           log_epoch_durable(&m->log, epoch_of(&m->pool.frames[frame]));
}

static bool write_gathered(struct model *m, uint32_t frame)
{
    struct model_writer *w = m->writer;
    uint32_t first = m->pool.frames[frame].page, last = first;
    bool down = true, up = true;

    if (w->out[WRITE_CLEANER] >= CLEANER_DEPTH || !writer_has_slot(w)) {
        return false;
    }
    while ((down || up) && last - first + 1 < w->run_pages) {
        if (up && (up = may_gather(m, last + 1))) {
            last++;
        }
        if (last - first + 1 < w->run_pages && down &&
            (down = first > 0 && may_gather(m, first - 1))) {
            first--;
        }
    }
    /* only the page that was asked for is to go */
    uint32_t victim = first == m->pool.frames[frame].page ? frame : POOL_NONE;

    writer_run(m, first, last - first + 1, WRITE_CLEANER, victim);
    return true;
}

/* Each call looks at so many frames more, until enough are free or `looked` is reset. */
static void evict_tail(struct model *m)
{
    struct model_writer *w = m->writer;
    struct pool *pool = &m->pool;
    uint32_t frame = w->looked == 0 ? pool->tail : pool->scan;
    bool asked = true;

    if (w->looked >= looks_most(m)) {
        return;
    }
    for (uint32_t i = 0; i < TAIL_LOOKS && frame != POOL_NONE; i++) {
        const struct pool_frame *f = &pool->frames[frame];
        uint32_t before = f->prev & FRAME_LINK;

        if (pool->free_count >= w->free_target) {
            w->looked = 0;
            return;
        }
        pool_prefetch_before(pool, before);
        if ((f->prev & (FRAME_DIRTY | FRAME_WRITING)) == 0) {
            pool_evict(pool, frame);
        } else if ((f->prev & FRAME_WRITING) == 0 && asked) {
            asked = write_gathered(m, frame);
        }
        frame = before;
    }
    pool->scan = frame;
    w->looked = frame == POOL_NONE ? UINT32_MAX : w->looked + TAIL_LOOKS;
}

void writer_frames(struct model *m, bool none)
{
    struct model_writer *w = m->writer;

    if (m->pool.policy == POOL_CLOCK) {
        if (none) {
            sweep_victim(m);
        }
        return;
    }
    if (m->pool.free_count >= w->free_low || m->stopped) {
        return;
    }
    if (m->is.profile == MODEL_INNODB) {
        flush_pump(m);
        if (none) {
            flush_evict_one(m);
        }
        return;
    }
    if (none && w->looked >= looks_most(m)) {
        w->looked = 0;
    }
    evict_tail(m);
}

void writer_pump(struct model *m)
{
    struct model_writer *w = m->writer;

    if (m->stopped) {
        return;
    }
    if (m->is.profile == MODEL_INNODB) {
        /* a batch looks at the tail when it is over, not when a page of it is */
        if (w->batch.state == BATCH_IDLE) {
            flush_pump(m);
        }
        return;
    }
    w->looked = 0; /* a write is over: pages near the tail may be clean now */
    writer_frames(m, false);
    checkpoint_pump(m);
}

/* ---- log space ---------------------------------------------------------------------------------
 */

void writer_space(struct model *m)
{
    uint32_t number;

    if (log_full(&m->log)) {
        return;
    }
    while ((number = queue_pop(m, &m->for_space)) != NO_SESSION) {
        session_wake(m, number);
    }
}

void writer_check_log(struct model *m)
{
    if (m->is.profile == MODEL_INNODB) {
        flush_move_checkpoint(m);
        flush_pump(m);
    } else {
        m->writer->full_charge = true;
        checkpoint_begin(m);
    }
}

/* ---- warm --------------------------------------------------------------------------------------
 */

void writer_discard(struct model *m, uint32_t frame)
{
    uint32_t page = m->pool.frames[frame].page;

    pool_discard(&m->pool, frame);
    if (page >= m->layout.grown_first) {
        bit_set(m->made, page - m->layout.grown_first);
    }
}

void writer_free_page(struct model *m, uint32_t page)
{
    uint32_t frame = pool_find(&m->pool, page);

    if (frame != POOL_NONE && (m->pool.frames[frame].prev & FRAME_DIRTY)) {
        writer_discard(m, frame);
    }
    if (page >= m->layout.grown_first) {
        bit_clear(m->made, page - m->layout.grown_first);
    }
}

uint32_t writer_warm_frame(struct model *m)
{
    struct pool *pool = &m->pool;
    uint32_t frame = pool->policy == POOL_CLOCK ? pool_sweep(pool) : pool->tail;

    must(frame != POOL_NONE);
    if (pool->frames[frame].prev & FRAME_DIRTY) {
        writer_discard(m, frame);
    }
    pool_evict(pool, frame);
    /* as many stay free as when the cleaner runs */
    while (pool->policy != POOL_CLOCK && pool->free_count < m->writer->free_low) {
        frame = pool->tail;
        if (pool->frames[frame].prev & FRAME_DIRTY) {
            writer_discard(m, frame);
        }
        pool_evict(pool, frame);
    }
    if (pool->policy != POOL_CLOCK) {
        pool_prefetch_before(pool, pool->tail);
    }
    return pool_take(pool);
}

static uint32_t warm_next(struct model *m)
{
    struct model_writer *w = m->writer;
    uint32_t page = pool_map_next(m->pool.dirty_map, w->warm_hand, m->layout.pages);

    if (page == POOL_NO_PAGE) {
        page = pool_map_next(m->pool.dirty_map, 0, m->layout.pages);
    }
    w->warm_hand = page + 1;
    return page;
}

/* Two pages are on their way to us, so that neither bucket nor frame must be waited for. */
static void warm_discard_next(struct model *m)
{
    struct model_writer *w = m->writer;
    uint32_t page = w->warm_coming[0];

    w->warm_coming[0] = w->warm_coming[1];
    pool_prefetch_frame(&m->pool, w->warm_coming[0]);
    w->warm_coming[1] = warm_next(m);
    pool_prefetch(&m->pool, w->warm_coming[1]);
    if (pool_page_dirty(&m->pool, page)) {
        writer_discard(m, pool_find(&m->pool, page));
    }
}

void writer_warm_dirty(struct model *m)
{
    uint64_t oldest;
    uint32_t frame;

    if (m->is.profile != MODEL_INNODB) {
        if (m->pool.dirty > 1 + (uint32_t)(m->pool.count * WARM_DIRTY_SHARE)) {
            warm_discard_next(m);
        }
        return;
    }
    /* the age of the oldest change settles between 10 % and all of what the log allows (5.2) */
    while ((frame = pool_oldest(&m->pool, &oldest)) != POOL_NONE &&
           (m->log.lsn - oldest > m->log.is.limit_bytes / 2 ||
            m->pool.dirty > m->pool.count - m->pool.count / 4)) {
        pool_oldest_pop(&m->pool);
        writer_discard(m, frame);
    }
}

/* ---- facts -------------------------------------------------------------------------------------
 */

void writer_facts(const struct model *m, struct target_facts *ret)
{
    const struct model_writer *w = m->writer;

    ret->written_by_checkpoint = w->pages_of[WRITE_CHECKPOINT];
    ret->written_by_cleaner = w->pages_of[WRITE_CLEANER];
    ret->written_by_victim = w->pages_of[WRITE_VICTIM];
    ret->pages_written = m->pool.captured;
    ret->pages_doublewritten = w->doubled;
    ret->doublewrite_batches = w->batches;
    ret->checkpoints = w->checkpoints;
}

/* Pages that were captured and have not arrived. */
static double count_on_way(const struct model *m)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < m->pool.count; i++) {
        count += (m->pool.frames[i].prev & FRAME_WRITING) != 0;
    }
    return (double)count;
}

uint32_t writer_check(const struct model *m, struct target_check *ret, uint32_t limit)
{
    const struct model_writer *w = m->writer;
    double written = (double)m->pool.captured;
    double on_way = count_on_way(m), undoubled = flush_undoubled(m); /* a run may be cut off */
    uint32_t n = 0;

    if (limit < 4) {
        return 0;
    }
    ret[n++] = check_equal("writer.kinds", written,
                           (double)(w->pages_of[WRITE_CHECKPOINT] + w->pages_of[WRITE_CLEANER] +
                                    w->pages_of[WRITE_VICTIM]) +
                               on_way,
                           EXIT_WANTING);
    ret[n++] = check_equal("writer.before_log", 0, (double)w->early, EXIT_WRONG_DATA);
    ret[n++] = check_equal("writer.errors", 0, (double)w->errors, EXIT_WANTING);
    if (m->is.doublewrite && m->is.profile == MODEL_INNODB) {
        ret[n++] = check_equal("writer.doublewritten", written - (double)w->fresh,
                               (double)w->doubled + undoubled, EXIT_WANTING);
    }
    return n;
}
