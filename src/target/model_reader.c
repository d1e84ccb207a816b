#include <errno.h>

#include "base/mem.h"
#include "base/must.h"
#include "model_core.h"
#include "model_postgres.h"

/* How far ahead of the walk a bucket is fetched, the frame it leads to, and those beside that. */
enum { BUCKET_AHEAD = 9, FRAME_AHEAD = 6, BESIDE_AHEAD = 3 };
/* Linear read-ahead (innodb's defaults): the next 64 pages once 56 of 64 were read in order. */
enum { EXTENT_PAGES = 64, RUN_LEAST = 56 };
enum { READS_MOST = 2048 };

uint32_t reader_slots(const struct model_settings *settings)
{
    uint32_t slots = settings->sessions + EXTENT_PAGES;

    return slots < READS_MOST ? slots : READS_MOST;
}

int reader_open(struct model *m, void *buffers, struct error *err)
{
    m->read_count = reader_slots(&m->is);
    m->reads = mem_large((uint64_t)m->read_count * sizeof(*m->reads));
    if (m->reads == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u page reads", m->read_count);
    }
    m->read_free = 0;
    for (uint32_t i = 0; i < m->read_count; i++) {
        m->reads[i].io.data = buffers ? (char *)buffers + (uint64_t)i * m->is.page_bytes : NULL;
        m->reads[i].frame = i + 1 < m->read_count ? i + 1 : NO_SESSION;
    }
    return 0;
}

void reader_close(struct model *m)
{
    mem_large_free(m->reads, (uint64_t)m->read_count * sizeof(*m->reads));
    m->reads = NULL;
}

/* ---- answers -----------------------------------------------------------------------------------
 */

void reader_wake_frames(struct model *m)
{
    uint32_t number, free = m->pool.free_count;

    if (free == 0 && m->pool.policy == POOL_CLOCK) {
        free = 1; /* the victim was wanted again meanwhile: look for another */
    }
    while (free > 0 && (number = queue_pop(m, &m->for_frame)) != NO_SESSION) {
        session_wake(m, number);
        free--;
    }
}

static enum op_status read_fate(const struct io *io)
{
    return io->result == (int32_t)io->bytes ? OP_OK : io->result == -EILSEQ ? OP_LOST : OP_FAILED;
}

static void read_done(struct io *io)
{
    struct model *m = (struct model *)(uintptr_t)io->owner;
    struct model_io *slot = (struct model_io *)io;
    uint32_t frame = slot->frame, waiter;
    struct session_queue waiting = slot->waiting;
    enum op_status fate = read_fate(io);

    model_enter(m);
    model_pool_clock(m);
    if (fate == OP_OK) {
        pool_arrive(&m->pool, frame);
        if (m->postgres) {
            os_cache_note(m, m->pool.frames[frame].page);
        }
    } else {
        pool_forget(&m->pool, frame);
        m->forgotten++;
    }
    slot->frame = m->read_free;
    m->read_free = (uint32_t)(slot - m->reads);
    while ((waiter = queue_pop(m, &waiting)) != NO_SESSION) {
        model_session(m, waiter)->fate = (uint8_t)fate;
        session_wake(m, waiter);
    }
    if ((waiter = queue_pop(m, &m->for_read_slot)) != NO_SESSION) {
        session_wake(m, waiter);
    }
    /* where frames are evicted on demand, one that came is one that may go */
    if ((waiter = queue_pop(m, &m->for_frame)) != NO_SESSION) {
        session_wake(m, waiter);
    }
    model_leave(m);
}

/* ---- asking ------------------------------------------------------------------------------------
 */

static void read_submit(struct model *m, uint32_t frame, uint32_t page)
{
    struct model_io *slot = &m->reads[m->read_free];
    struct io *io = &slot->io;

    m->read_free = slot->frame;
    slot->frame = frame;
    slot->waiting = (struct session_queue){NO_SESSION, NO_SESSION};
    io->verb = IO_READ;
    io->area = IO_DATA;
    io->vm = (uint8_t)m->target.vm;
    io->bytes = m->is.page_bytes;
    io->offset = layout_offset(&m->layout, page);
    io->done = read_done;
    io->owner = (uint64_t)(uintptr_t)m;
    pool_insert(&m->pool, frame, page, true);
    m->pool.frames[frame].stamp = (uint32_t)(slot - m->reads);
    m->facts.page_reads++;
    drive_submit(m->data, io);
}

/* Others that want it wait behind the first. */
static void frame_wait(struct model *m, uint32_t frame, uint32_t number)
{
    struct model_io *slot = &m->reads[m->pool.frames[frame].stamp & FRAME_STAMP];

    session_wait(m, number, SPENT_READ, &slot->waiting);
}

static bool page_exists(const struct model *m, uint32_t page)
{
    return page < m->layout.grown_first || bit_get(m->made, page - m->layout.grown_first);
}

static void read_ahead(struct model *m, uint32_t from)
{
    for (uint32_t page = from; page < from + EXTENT_PAGES && page < m->layout.pages; page++) {
        uint32_t frame;

        if (m->read_free == NO_SESSION || m->pool.free_count <= EXTENT_PAGES) {
            return;
        }
        if (!page_exists(m, page) || pool_find(&m->pool, page) != POOL_NONE) {
            continue;
        }
        frame = pool_take(&m->pool);
        m->ahead++;
        read_submit(m, frame, page);
    }
}

static void note_run(struct model *m, uint32_t page)
{
    struct read_run *run = &m->runs[page / EXTENT_PAGES % READ_RUNS];

    if (run->extent != page / EXTENT_PAGES || run->next != page) {
        *run = (struct read_run){.extent = page / EXTENT_PAGES};
    }
    run->next = page + 1;
    run->length++;
    if (run->length >= RUN_LEAST && run->next % EXTENT_PAGES == 0) {
        /* a scan of the next extent begins beyond what is fetched now */
        struct read_run *after = &m->runs[run->next / EXTENT_PAGES % READ_RUNS];

        *after = (struct read_run){.extent = run->next / EXTENT_PAGES, .next = run->next};
        read_ahead(m, run->next);
    }
}

static void count_miss(struct model *m, struct model_session *s)
{
    /* also if it had come and was evicted before we looked: that is one access more */
    m->pool.accesses++;
    m->misses++;
    s->flags &= (uint16_t)~SESSION_ARRIVED;
}

/* The record that fills a new page says all of it: no image is needed (postgres). */
static void note_created(struct model *m, uint32_t page)
{
    if (m->image_map) {
        bit_set(m->image_map, page);
    }
}

static uint32_t miss_warm(struct model *m, struct model_session *s, uint32_t page, bool create)
{
    uint32_t frame = pool_take(&m->pool);

    count_miss(m, s);
    m->created += create;
    m->facts.page_reads += !create;
    if (create) {
        note_created(m, page);
    }
    if (m->postgres) {
        os_cache_note(m, page);
    }
    return frame != POOL_NONE ? frame : writer_warm_frame(m);
}

static void insert_warm(struct pool *pool, uint32_t frame, uint32_t page, bool create)
{
    bool reading = !create && pool->policy == POOL_INNODB;

    pool_insert(pool, frame, page, reading);
    if (reading) {
        pool_arrive(pool, frame);
    }
    pool->frames[frame].stamp &= create ? ~0u : ~FRAME_FRESH;
}

/*
 * The page is not in memory. POOL_NONE: the session waits; it will look again. Else the frame that
 * now holds it, created without a read.
 */
static uint32_t page_miss(struct model *m, uint32_t number, uint32_t page)
{
    struct model_session *s = model_session(m, number);
    bool create = !page_exists(m, page);
    uint32_t frame;

    if (m->warm) {
        frame = miss_warm(m, s, page, create);
        insert_warm(&m->pool, frame, page, create);
        return frame;
    }
    if (session_compute(m, number)) {
        return POOL_NONE;
    }
    if (!create && m->read_free == NO_SESSION) {
        session_wait(m, number, SPENT_READ, &m->for_read_slot);
        return POOL_NONE;
    }
    frame = pool_take(&m->pool);
    if (frame == POOL_NONE) {
        writer_frames(m, true);
        frame = pool_take(&m->pool);
    }
    if (frame == POOL_NONE) {
        session_wait(m, number, SPENT_READ, &m->for_frame);
        return POOL_NONE;
    }
    count_miss(m, s);
    if (create) {
        m->created++;
        note_created(m, page);
        pool_insert(&m->pool, frame, page, false);
        if (m->postgres) {
            postgres_extend(m, frame);
        }
        reader_wake_frames(m); /* no read will come that does */
        return frame;
    }
    if (m->postgres && os_cache_read(m, s, page)) {
        m->facts.page_reads++;
        pool_insert(&m->pool, frame, page, false);
        m->pool.frames[frame].stamp &= ~FRAME_FRESH;
        reader_wake_frames(m);
        return frame;
    }
    s->flags |= SESSION_ARRIVED;
    read_submit(m, frame, page);
    frame_wait(m, frame, number);
    if (m->postgres == NULL) { /* who reads ahead there is the operating system */
        note_run(m, page);
    }
    writer_frames(m, false);
    return POOL_NONE;
}

/* ---- touching ----------------------------------------------------------------------------------
 */

static void log_statement(struct model *m, struct model_session *s)
{
    if ((s->flags & SESSION_LOGGED) == 0) {
        s->flags |= SESSION_LOGGED | SESSION_WROTE;
        log_append(&m->log, m->statement_log[s->op->statement]);
    }
}

/* The first change after a checkpoint began logs the whole page (postgres). */
static void log_image(struct model *m, enum index_id id, uint32_t page)
{
    if (m->image_map && !bit_get(m->image_map, page)) {
        bit_set(m->image_map, page);
        log_append_image(&m->log, postgres_image_bytes(m, id, page));
        m->postgres->images[id]++;
        m->facts.page_images++;
    }
}

static void dirty_logged(struct model *m, uint32_t frame, enum index_id id, uint32_t page,
                         uint64_t lsn)
{
    log_image(m, id, page);
    pool_dirty(&m->pool, frame, m->log.epoch, lsn);
    if (m->witness) {
        m->witness[page] = m->log.lsn;
    }
    if (m->warm) {
        writer_warm_dirty(m);
    }
}

static void touch_dirty(struct model *m, struct model_session *s, uint32_t frame, enum index_id id,
                        uint32_t page)
{
    uint64_t lsn = m->log.lsn;

    log_statement(m, s);
    dirty_logged(m, frame, id, page, lsn);
}

/* A read that changes the page: innodb merges what its change buffer holds for it (5.2). */
static void touch_pending(struct model *m, struct model_session *s, uint32_t frame, uint32_t page)
{
    uint64_t lsn = m->log.lsn;

    bit_clear(m->pending_map, page);
    log_append(&m->log, m->log_bytes->pending);
    s->flags |= SESSION_WROTE;
    pool_dirty(&m->pool, frame, m->log.epoch, lsn);
    if (m->witness) {
        m->witness[page] = m->log.lsn;
    }
}

/*
 * A change that needs no log record, unless pages carry checksums: then the first since a
 * checkpoint began logs the page (XLOG_FPI_FOR_HINT), as a page that is torn must be whole again.
 */
static void touch_hint(struct model *m, uint32_t frame, enum index_id id, uint32_t page)
{
    uint32_t epoch = (m->pool.frames[frame].stamp & FRAME_EPOCH) >> FRAME_EPOCH_SHIFT;
    uint64_t lsn = m->log.lsn;

    if (m->is.data_checksums) {
        log_image(m, id, page);
        epoch = m->log.epoch;
        if (m->witness) {
            m->witness[page] = m->log.lsn;
        }
    }
    pool_dirty(&m->pool, frame, epoch, lsn);
    if (m->warm) {
        writer_warm_dirty(m);
    }
}

/* postgres: reads prune heap pages and set hint bits in them (MODEL.md 5.3, rules 3, 5 and 6). */
static void touch_postgres(struct model *m, struct model_session *s, uint32_t frame,
                           enum index_id id, uint32_t page, enum touch_mode mode)
{
    bool hint = mode == TOUCH_HINT;
    uint64_t lsn = m->log.lsn;

    if (mode == TOUCH_ENTRY) {
        postgres_leaf_insert(m, id, page);
    }
    if ((mode == TOUCH_READ && postgres_read(m, page, &hint)) ||
        (mode == TOUCH_VACUUM && vacuum_touch(m, id, page, &hint))) {
        dirty_logged(m, frame, id, page, lsn);
    } else if (hint) {
        touch_hint(m, frame, id, page);
    } else if (mode == TOUCH_WRITE || mode == TOUCH_ENTRY) {
        touch_dirty(m, s, frame, id, page);
    }
}

/* True: touched. False: the session waits, and touches it again when it is woken. */
static bool visit(struct model *m, uint32_t number, enum index_id id, uint32_t page,
                  enum touch_mode mode)
{
    struct model_session *s = model_session(m, number);
    uint32_t frame = pool_find(&m->pool, page);

    if (frame == POOL_NONE) {
        frame = page_miss(m, number, page);
        if (frame == POOL_NONE) {
            return false;
        }
    } else if (__builtin_expect(m->pool.frames[frame].prev & FRAME_READING, 0)) {
        if (!session_compute(m, number)) {
            frame_wait(m, frame, number);
        }
        return false;
    } else {
        if (s->flags & SESSION_ARRIVED) {
            s->flags &= (uint16_t)~SESSION_ARRIVED;
        } else {
            m->pool.accesses++;
            m->pool.hits++;
        }
        if (mode < TOUCH_HEADER) { /* PinBuffer: a ring's pages are not used more than once */
            pool_access(&m->pool, frame);
        }
    }
    if (m->postgres) {
        touch_postgres(m, s, frame, id, page, mode);
    } else if (mode != TOUCH_READ) {
        touch_dirty(m, s, frame, id, page);
    } else if (m->pending_map && bit_get(m->pending_map, page)) {
        touch_pending(m, s, frame, page);
    }
    return true;
}

/* innodb: a change of a secondary index whose leaf is not in memory waits in the change buffer. */
static bool buffer_change(struct model *m, struct model_session *s, const struct touch *touch)
{
    if (!m->is.change_buffer || m->is.profile != MODEL_INNODB || touch->mode != TOUCH_WRITE ||
        !m->layout.index[touch->index].random || !page_exists(m, touch->page) ||
        pool_find(&m->pool, touch->page) != POOL_NONE) {
        return false;
    }
    bit_set(m->pending_map, touch->page);
    s->flags |= SESSION_WROTE;
    log_append(&m->log, m->log_bytes->pending);
    return true;
}

static bool visit_parent(struct model *m, uint32_t number, const struct touch *touch)
{
    struct model_session *s = model_session(m, number);
    const struct model_index *index = &m->layout.index[touch->index];

    if (index->level1_first == 0 || (s->flags & SESSION_DESCENDED) || touch->mode == TOUCH_VACUUM) {
        return true;
    }
    if (!visit(m, number, (enum index_id)touch->index, index_parent(index, touch->page),
               TOUCH_READ)) {
        return false;
    }
    s->flags |= SESSION_DESCENDED;
    return true;
}

/* The plan's window from the session's step on; returns the touches in it. */
static uint32_t plan_from(struct model *m, uint32_t number)
{
    const struct model_session *s = model_session(m, number);
    struct plan *plan = &m->plan;

    plan->base = s->step;
    plan->count = 0;
    if (__builtin_expect(s->phase == PHASE_PURGE, 0)) {
        if (m->postgres) {
            vacuum_plan(m, plan);
        } else {
            purge_plan(m, number, plan);
        }
    } else if (s->op->verb == OP_COMMIT) {
        if (s->leaf != POOL_NO_PAGE) {
            plan_add(plan, IX_SYSTEM, s->leaf, TOUCH_WRITE);
        }
        if (s->split != POOL_NO_PAGE) {
            plan_add(plan, IX_SYSTEM, s->split, TOUCH_HEADER);
        }
    } else {
        m->rows->plan(m, s, s->op, plan);
    }
    /* less than before, if an order it looks at was rolled back meanwhile and placed anew */
    uint32_t here = plan->count > plan->base ? plan->count - plan->base : 0;

    here = here < PLAN_TOUCHES ? here : PLAN_TOUCHES;
    for (uint32_t i = 0; i < here && i < BUCKET_AHEAD; i++) {
        pool_prefetch(&m->pool, plan->touches[i].page);
    }
    for (uint32_t i = 0; i < here && i < FRAME_AHEAD && here > 1; i++) {
        pool_prefetch_frame(&m->pool, plan->touches[i].page);
    }
    return here;
}

static void fetch_ahead(const struct model *m, uint32_t at, uint32_t here)
{
    const struct touch *touches = m->plan.touches;

    if (at + BUCKET_AHEAD < here) {
        pool_prefetch(&m->pool, touches[at + BUCKET_AHEAD].page);
    }
    if (at + FRAME_AHEAD < here) {
        pool_prefetch_frame(&m->pool, touches[at + FRAME_AHEAD].page);
    }
    if (at + BESIDE_AHEAD < here) {
        pool_prefetch_beside(&m->pool, touches[at + BESIDE_AHEAD].page);
    }
}

bool reader_walk(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

    model_pool_clock(m);
    do {
        uint32_t here = plan_from(m, number);

        for (uint32_t i = 0; i < here; i++) {
            const struct touch *touch = &m->plan.touches[i];

            fetch_ahead(m, i, here);
            if (!visit_parent(m, number, touch)) {
                return false;
            }
            if (!buffer_change(m, s, touch) && !visit(m, number, (enum index_id)touch->index,
                                                      touch->page, (enum touch_mode)touch->mode)) {
                return false;
            }
            if (touch->mode == TOUCH_WRITE && m->purge && s->phase != PHASE_PURGE) {
                purge_note(m, touch);
            }
            s->flags &= (uint16_t)~SESSION_DESCENDED;
            s->step++;
        }
    } while (s->step < m->plan.count);
    return true;
}

/* ---- plans -------------------------------------------------------------------------------------
 */

void plan_dive(const struct model *m, struct plan *plan, enum index_id id, uint64_t low,
               uint64_t high)
{
    const struct model_index *index = &m->layout.index[id];
    uint32_t first, last;

    if (!m->is.optimizer_dives || index->leaves == 0) {
        return;
    }
    first = index_leaf(index, low);
    last = index_leaf(index, high);
    plan_add(plan, id, first, TOUCH_READ);
    if (last != first) {
        plan_add(plan, id, last, TOUCH_READ);
    }
    for (uint32_t page = first + 1; page < last && page <= first + 10; page++) {
        plan_add(plan, id, page, TOUCH_READ);
    }
}
