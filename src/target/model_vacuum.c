#include <errno.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/must.h"
#include "model_postgres.h"
#include "model_writer.h"

/*
 * PostgreSQL's autovacuum, after its source (autovacuum.c, vacuumlazy.c, freelist.c) and its
 * documented defaults. Once a minute it looks for tables of which more than 50 and a fifth of the
 * rows are dead versions, or more than 1,000 and a fifth were inserted. A worker goes through such
 * a table: the pages that are not all-visible are pruned; if index entries are left that lead to
 * dead line pointers on at least a fiftieth of the pages, all of every index is read and they are
 * taken out, and those heap pages are changed once more. Free space is on the map from then on.
 * Its pages pass through a ring of 256 KiB, and it rests for 2 ms whenever what it did costs 200:
 * a page that was there 1, one that was read 2, one that it made dirty 20 besides.
 *
 * One worker stands for three: they share the limit on cost. Not imitated: ANALYZE, freezing.
 * Dead are versions that moved and rows that were deleted: heap-only ones are pruned by whoever
 * comes next, which takes them off the count (pgstat_update_heap_dead_tuples).
 */
#define NAPTIME_NS (60 * 1000000000ll)
#define DELAY_NS   2000000ll
enum { COST_HIT = 1, COST_MISS = 2, COST_DIRTY = 20, COST_LIMIT = 200 };
enum { THRESHOLD = 50, INSERT_THRESHOLD = 1000, SCALE = 5 };
enum { RING_FRAMES = 32, SKIP_LEAST = 32, BYPASS_SHARE = 50 };
enum { VISIBLE_BYTES = 60, DELETED_BYTES = 60 }; /* log records, estimated */
enum { INDEXES_OF_TABLE = 2 };

enum vacuum_pass { PASS_NONE, PASS_PRUNE, PASS_INDEX, PASS_REUSE };

struct vacuum_table {
    uint64_t dead, inserted; /* since it was vacuumed last */
};

struct model_vacuum {
    struct model *owner;
    struct timer naptime, pause;
    struct op op;
    bool busy;
    struct vacuum_table *tables; /* by slot */
    uint64_t *changed, *left;    /* not all-visible; with line pointers of dead rows */
    uint64_t *room;              /* the map of free space knows that there is some */
    /* the pass under way */
    enum vacuum_pass pass;
    uint32_t slot, index;
    uint32_t page, at, end, left_pages; /* page: visited now; at: where the next is looked for */
    bool grown, was_here, was_dirty;
    uint32_t cost;
    uint32_t ring[RING_FRAMES], ring_at; /* pages + 1 */
};

uint32_t vacuum_sessions(const struct model_settings *settings)
{
    return settings->profile == MODEL_POSTGRES && settings->autovacuum;
}

/* ---- tables ------------------------------------------------------------------------------------
 */

static enum index_id heap_of(const struct model *m, uint32_t slot)
{
    return m->is.is_tpcc ? (enum index_id)slot : IX_SBTEST;
}

static uint32_t tables_in(const struct model *m)
{
    return m->is.is_tpcc ? 1 : m->is.sysbench.tables;
}

static enum index_id index_of(const struct model *m, uint32_t slot, uint32_t i)
{
    static const enum index_id indexes[IX_ITEM + 1][INDEXES_OF_TABLE] = {
        [IX_WAREHOUSE] = {INDEXES, INDEXES},
        [IX_DISTRICT] = {INDEXES, INDEXES},
        [IX_CUSTOMER] = {IX_CUSTOMER_KEY, IX_CUSTOMER_NAME},
        [IX_HISTORY] = {IX_HISTORY_CUSTOMER, IX_HISTORY_DISTRICT},
        [IX_ORDERS] = {IX_ORDERS_KEY, IX_ORDERS_CUSTOMER},
        [IX_NEW_ORDERS] = {IX_NEW_ORDERS_KEY, INDEXES},
        [IX_ORDER_LINE] = {IX_ORDER_LINE_KEY, IX_LINE_STOCK},
        [IX_STOCK] = {IX_STOCK_KEY, IX_STOCK_ITEM},
        [IX_ITEM] = {IX_ITEM_KEY, INDEXES},
    };
    static const enum index_id sbtest[INDEXES_OF_TABLE] = {IX_SBTEST_KEY, IX_SBTEST_K};

    return m->is.is_tpcc ? indexes[slot][i] : sbtest[i];
}

static uint64_t rows_of(const struct model *m, uint32_t slot)
{
    return m->layout.index[heap_of(m, slot)].rows / tables_in(m);
}

static bool is_due(const struct model *m, uint32_t slot)
{
    const struct vacuum_table *t = &m->postgres->vacuum->tables[slot];
    uint64_t fifth = rows_of(m, slot) / SCALE;

    return m->layout.index[heap_of(m, slot)].leaves > 0 &&
           (t->dead > THRESHOLD + fifth || t->inserted > INSERT_THRESHOLD + fifth);
}

/* ---- what the heaps tell it --------------------------------------------------------------------
 */

void vacuum_note_dead(struct model *m, uint32_t slot, uint32_t page)
{
    struct model_vacuum *v = m->postgres->vacuum;

    if (v) {
        v->tables[slot].dead++;
        bit_set(v->left, page);
    }
}

void vacuum_note_insert(struct model *m, uint32_t slot)
{
    if (m->postgres->vacuum) {
        m->postgres->vacuum->tables[slot].inserted++;
    }
}

void vacuum_note_change(struct model *m, uint32_t page)
{
    if (m->postgres->vacuum) {
        bit_set(m->postgres->vacuum->changed, page);
    }
}

/* Where a table's pages lie: as loaded, or added; of sbtest tables the latter are mixed. */
static void range_of(const struct model *m, enum index_id id, uint32_t slot, bool grown,
                     uint32_t *ret_from, uint32_t *ret_end)
{
    const struct model_index *index = &m->layout.index[id];
    uint32_t each = index->leaves / tables_in(m), nth = m->is.is_tpcc ? 0 : slot;
    uint32_t added = m->grown[id] < index->reserve ? m->grown[id] : index->reserve;

    *ret_from = grown ? index->grown_first : index->first + nth * each;
    *ret_end = *ret_from + (grown ? added : each);
}

static bool is_mine(const struct model *m, enum index_id id, uint32_t slot, uint32_t page)
{
    const struct model_index *index = &m->layout.index[id];

    return m->is.is_tpcc || page < index->grown_first ||
           (page - index->grown_first) % tables_in(m) == slot;
}

uint32_t vacuum_room(struct model *m, enum index_id id, uint32_t slot, uint32_t from)
{
    struct model_vacuum *v = m->postgres->vacuum;

    for (uint32_t grown = 0; v && grown < 2; grown++) {
        uint32_t begin, end, page;

        range_of(m, id, slot, grown != 0, &begin, &end);
        page = pool_map_next(v->room, from > begin && from < end ? from : begin, end);
        if (page != POOL_NO_PAGE) {
            return page;
        }
    }
    return POOL_NO_PAGE;
}

void vacuum_no_room(struct model *m, uint32_t page)
{
    bit_clear(m->postgres->vacuum->room, page);
}

/* ---- the worker's way --------------------------------------------------------------------------
 */

static enum index_id id_now(const struct model *m)
{
    const struct model_vacuum *v = m->postgres->vacuum;

    return v->pass == PASS_INDEX ? index_of(m, v->slot, v->index) : heap_of(m, v->slot);
}

static void range_begin(struct model *m, bool grown)
{
    struct model_vacuum *v = m->postgres->vacuum;

    v->grown = grown;
    range_of(m, id_now(m), v->slot, grown, &v->at, &v->end);
}

static bool page_is_there(const struct model *m, uint32_t page)
{
    return page < m->layout.grown_first || bit_get(m->made, page - m->layout.grown_first) ||
           pool_find(&m->pool, page) != POOL_NONE;
}

/* The next page of this range that the pass wants, POOL_NO_PAGE at its end. */
static uint32_t next_in_range(struct model *m)
{
    struct model_vacuum *v = m->postgres->vacuum;

    while (v->at < v->end) {
        uint32_t page = v->at;

        if (v->pass != PASS_INDEX) {
            uint64_t *map = v->pass == PASS_PRUNE ? v->changed : v->left;
            uint32_t wanted = pool_map_next(map, page, v->end);

            if (wanted == POOL_NO_PAGE) {
                break;
            }
            /* a short run of all-visible pages is read too, for the sake of read-ahead */
            page = v->pass == PASS_PRUNE && wanted - page < SKIP_LEAST ? page : wanted;
        }
        v->at = page + 1;
        if (is_mine(m, id_now(m), v->slot, page) && page_is_there(m, page)) {
            return page;
        }
    }
    return POOL_NO_PAGE;
}

static uint32_t pages_of_table(const struct model *m, uint32_t slot)
{
    uint32_t from, end, sum;

    range_of(m, heap_of(m, slot), slot, false, &from, &end);
    sum = end - from;
    range_of(m, heap_of(m, slot), slot, true, &from, &end);
    return sum + (end - from) / tables_in(m);
}

/* False: the table is done. */
static bool next_pass(struct model *m)
{
    struct model_vacuum *v = m->postgres->vacuum;

    if (v->pass == PASS_PRUNE) {
        if (v->left_pages < pages_of_table(m, v->slot) / BYPASS_SHARE || v->left_pages == 0) {
            return false;
        }
        v->pass = PASS_INDEX;
        v->index = 0;
    } else if (v->pass == PASS_INDEX) {
        v->index++;
    } else {
        return false;
    }
    while (v->pass == PASS_INDEX) {
        if (v->index == INDEXES_OF_TABLE) {
            v->pass = PASS_REUSE;
        } else if (id_now(m) == INDEXES || m->layout.index[id_now(m)].leaves == 0) {
            v->index++;
        } else {
            break;
        }
    }
    range_begin(m, false);
    return true;
}

static bool next_table(struct model *m)
{
    struct model_vacuum *v = m->postgres->vacuum;

    for (uint32_t i = 0; i < m->postgres->slots; i++) {
        if (is_due(m, i)) {
            v->slot = i;
            v->tables[i] = (struct vacuum_table){0};
            v->pass = PASS_PRUNE;
            v->left_pages = 0;
            m->postgres->vacuums++;
            range_begin(m, false);
            return true;
        }
    }
    v->pass = PASS_NONE;
    return false;
}

/* False: nothing is due any more. */
static bool choose_page(struct model *m)
{
    struct model_vacuum *v = m->postgres->vacuum;

    for (;;) {
        v->page = next_in_range(m);
        if (v->page != POOL_NO_PAGE) {
            uint32_t frame = pool_find(&m->pool, v->page);

            v->was_here = frame != POOL_NONE;
            v->was_dirty = pool_page_dirty(&m->pool, v->page);
            m->postgres->vacuum_pages++;
            return true;
        }
        if (!v->grown) {
            range_begin(m, true);
        } else if (!next_pass(m) && !next_table(m)) {
            return false;
        }
    }
}

/* ---- a page ------------------------------------------------------------------------------------
 */

static bool prune_pass(struct model *m, enum index_id id, uint32_t page, bool *ret_hint)
{
    struct model_vacuum *v = m->postgres->vacuum;
    bool was_changed = bit_get(v->changed, page);
    bool pruned = heap_vacuum(m, id, page);

    v->left_pages += bit_get(v->left, page);
    if (was_changed && !bit_get(v->left, page) && m->postgres->pages[page].dead == 0) {
        bit_clear(v->changed, page);
        log_append(&m->log, VISIBLE_BYTES);
        *ret_hint = true; /* PD_ALL_VISIBLE */
    }
    bit_set(v->room, page);
    return pruned;
}

bool vacuum_touch(struct model *m, enum index_id id, uint32_t page, bool *ret_hint)
{
    struct model_vacuum *v = m->postgres->vacuum;

    *ret_hint = false;
    switch (v->pass) {
    case PASS_PRUNE:
        return prune_pass(m, id, page, ret_hint);
    case PASS_INDEX:
        return leaf_vacuum(m, id, page);
    case PASS_REUSE:
        bit_clear(v->left, page);
        bit_clear(v->changed, page);
        log_append(&m->log, DELETED_BYTES + VISIBLE_BYTES);
        return true;
    default:
        return false;
    }
}

void vacuum_plan(const struct model *m, struct plan *plan)
{
    plan_add(plan, id_now(m), m->postgres->vacuum->page, TOUCH_VACUUM);
}

/* Its own pages of 32 pages ago go, if nobody else has used them. */
static void ring_turn(struct model *m)
{
    struct model_vacuum *v = m->postgres->vacuum;
    uint32_t *slot = &v->ring[v->ring_at++ % RING_FRAMES];
    uint32_t frame = *slot ? pool_find(&m->pool, *slot - 1) : POOL_NONE;

    *slot = v->page + 1;
    if (frame == POOL_NONE) {
        return;
    }
    const struct pool_frame *f = &m->pool.frames[frame];

    if ((f->stamp & FRAME_STAMP) != 0 || (f->prev & (FRAME_READING | FRAME_WRITING)) != 0) {
        return;
    }
    if ((f->prev & FRAME_DIRTY) == 0) {
        pool_evict(&m->pool, frame);
    } else if (writer_has_slot(m->writer)) {
        writer_run(m, f->page, 1, WRITE_VICTIM, frame);
    }
}

static void count_cost(struct model *m)
{
    struct model_vacuum *v = m->postgres->vacuum;

    v->cost += v->was_here ? COST_HIT : COST_MISS;
    if (!v->was_dirty && pool_page_dirty(&m->pool, v->page)) {
        v->cost += COST_DIRTY;
    }
    if (!v->was_here) {
        ring_turn(m);
    }
}

static bool pause_if_due(struct model *m)
{
    struct model_vacuum *v = m->postgres->vacuum;

    if (v->cost < COST_LIMIT) {
        return false;
    }
    loop_arm(m->loop, &v->pause, m->loop->now_ns + DELAY_NS * v->cost / COST_LIMIT);
    v->cost = 0;
    return true;
}

/* False: it waits, for a page or until its pause is over. */
bool vacuum_step(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);
    struct model_vacuum *v = m->postgres->vacuum;

    for (;;) {
        if (v->page == POOL_NO_PAGE) { /* at first, and after a pause */
            if (m->stopped || m->warm || !choose_page(m)) {
                s->phase = PHASE_NONE;
                return true;
            }
            s->step = 0;
            s->flags = SESSION_LOGGED;
        }
        if (!reader_walk(m, number)) {
            return false;
        }
        count_cost(m);
        v->page = POOL_NO_PAGE;
        if (pause_if_due(m)) {
            return false;
        }
    }
}

/* ---- timers ------------------------------------------------------------------------------------
 */

static void worker_done(struct op *op)
{
    struct model_vacuum *v = (struct model_vacuum *)(uintptr_t)op->key[0];

    v->busy = false;
    v->pass = PASS_NONE;
    v->page = POOL_NO_PAGE;
}

static void pause_fire(struct timer *timer)
{
    struct model_vacuum *v =
        (struct model_vacuum *)((char *)timer - offsetof(struct model_vacuum, pause));
    struct model *m = v->owner;

    model_enter(m);
    queue_push(m, &m->ready, m->is.sessions);
    model_leave(m);
}

static void naptime_fire(struct timer *timer)
{
    struct model_vacuum *v =
        (struct model_vacuum *)((char *)timer - offsetof(struct model_vacuum, naptime));
    struct model *m = v->owner;
    struct model_session *s = model_session(m, m->is.sessions);

    loop_arm(m->loop, timer, m->loop->now_ns + NAPTIME_NS);
    if (v->busy || m->warm || m->stopped || !next_table(m)) {
        return;
    }
    model_enter(m);
    *s = (struct model_session){.op = &v->op, .flags = SESSION_LOGGED};
    s->phase = PHASE_PURGE;
    s->since_ns = m->loop->now_ns;
    v->busy = true;
    v->page = POOL_NO_PAGE;
    v->cost = 0;
    queue_push(m, &m->ready, m->is.sessions);
    model_leave(m);
}

/* A table that passed its threshold while time stood still has been vacuumed since. */
static void forget_due(struct model *m)
{
    struct model_vacuum *v = m->postgres->vacuum;

    for (uint32_t i = 0; i < m->postgres->slots; i++) {
        uint64_t fifth = rows_of(m, i) / SCALE;

        v->tables[i].dead %= THRESHOLD + fifth;
        v->tables[i].inserted %= INSERT_THRESHOLD + fifth;
    }
}

void vacuum_start(struct model *m)
{
    struct model_vacuum *v = m->postgres ? m->postgres->vacuum : NULL;

    if (v == NULL) {
        return;
    }
    must(!v->busy);
    forget_due(m);
    loop_disarm(m->loop, &v->naptime);
    loop_arm(m->loop, &v->naptime, m->loop->now_ns + NAPTIME_NS);
}

void vacuum_stop(struct model *m)
{
    struct model_vacuum *v = m->postgres ? m->postgres->vacuum : NULL;

    if (v == NULL) {
        return;
    }
    loop_disarm(m->loop, &v->naptime);
    if (timer_armed(&v->pause)) {
        loop_disarm(m->loop, &v->pause);
        worker_done(&v->op);
    }
}

/* ---- memory ------------------------------------------------------------------------------------
 */

uint64_t vacuum_memory_bytes(const struct model_settings *settings, uint64_t map_bytes,
                             uint32_t slots)
{
    return vacuum_sessions(settings)
               ? sizeof(struct model_vacuum) + 3 * map_bytes + slots * sizeof(struct vacuum_table)
               : 0;
}

int vacuum_open(struct model *m, struct error *err)
{
    struct model_vacuum *v;

    if (!vacuum_sessions(&m->is)) {
        return 0;
    }
    v = m->postgres->vacuum = mem_zalloc(sizeof(*v));
    if (v != NULL) {
        v->tables = mem_array(m->postgres->slots, sizeof(*v->tables));
        v->changed = mem_large(m->map_bytes);
        v->left = mem_large(m->map_bytes);
        v->room = mem_large(m->map_bytes);
    }
    if (!v || !v->tables || !v->changed || !v->left || !v->room) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for autovacuum");
    }
    v->owner = m;
    v->page = POOL_NO_PAGE;
    v->naptime.fire = naptime_fire;
    v->pause.fire = pause_fire;
    v->op.verb = OP_UPDATE;
    v->op.key[0] = (int64_t)(uintptr_t)v;
    v->op.done = worker_done;
    return 0;
}

void vacuum_close(struct model *m)
{
    struct model_vacuum *v = m->postgres->vacuum;

    if (v == NULL) {
        return;
    }
    loop_disarm(m->loop, &v->naptime);
    loop_disarm(m->loop, &v->pause);
    mem_free(v->tables);
    mem_large_free(v->changed, m->map_bytes);
    mem_large_free(v->left, m->map_bytes);
    mem_large_free(v->room, m->map_bytes);
    mem_free(v);
    m->postgres->vacuum = NULL;
}
