#include "model_new_order.h"

#include <errno.h>

#include "base/mem.h"
#include "base/must.h"
#include "model_random.h"
#include "model_tpcc.h"
#include "model_writer.h"

enum { FIRST_ROW = 2101, NO_LEAF = 0xffffffff, DIVE_LEAVES = 10 };
/* record: 5 of header, 13 of transaction and roll pointer, int and int, or tinyint and smallint */
enum { OWN_BYTES = 30, ROW_BYTES = 25, PAGE_ENDS = 132, RESERVE = 16 };
#define SLOT_BYTES 0.5 /* two for each four records */

uint64_t new_order_memory_bytes(const struct model_settings *settings,
                                const struct model_index *index)
{
    return settings->profile != MODEL_INNODB
               ? 0
               : (uint64_t)settings->tpcc.warehouses * TPCC_DISTRICTS *
                         sizeof(struct new_order_ends) +
                     ((uint64_t)index->leaves + index->reserve) * sizeof(struct new_order_leaf);
}

/* ---- the load ----------------------------------------------------------------------------------
 */

static void set_limits(struct model_new_order *queue, const struct model *m)
{
    const struct model_index *index = &m->layout.index[IX_NEW_ORDERS];
    double bytes = layout_own(&m->is) ? OWN_BYTES : ROW_BYTES, page = m->is.page_bytes - PAGE_ENDS;
    uint32_t mean = (uint32_t)((index->rows + index->leaves - 1) / index->leaves);

    queue->full = (uint32_t)(page / (bytes + SLOT_BYTES));
    queue->kept = (uint32_t)((page - m->is.page_bytes / (double)RESERVE) / (bytes + SLOT_BYTES));
    queue->merge_below = (uint32_t)(m->is.page_bytes / 2 / bytes) + 1;
    /* sysbench-tpcc's leaves are known for 16 KiB alone, and are as many with another page size */
    if (queue->kept < mean) {
        queue->kept = mean;
        queue->full = mean + mean / RESERVE;
        queue->merge_below = mean / 2;
    }
}

static void leaf_fill(struct model_new_order *queue, uint32_t leaf, uint64_t from, uint64_t to)
{
    struct new_order_leaf *at = &queue->leaves[leaf];

    *at = (struct new_order_leaf){.district = (uint32_t)(from / TPCC_LOADED_NEW_ORDERS),
                                  .order = FIRST_ROW + (uint32_t)(from % TPCC_LOADED_NEW_ORDERS),
                                  .prev = leaf > 0 ? leaf - 1 : NO_LEAF,
                                  .next = NO_LEAF,
                                  .rows = (uint32_t)(to - from)};
    if (leaf > 0) {
        queue->leaves[leaf - 1].next = leaf;
    }
}

/*
 * Rows came in the order of their keys. In sysbench-tpcc's load several connections load a
 * warehouse each at the same time, so the last leaf of a warehouse is not filled up by the next.
 */
static void load_leaves(struct model_new_order *queue, const struct model *m)
{
    const struct model_index *index = &m->layout.index[IX_NEW_ORDERS];
    uint64_t warehouse = TPCC_DISTRICTS * TPCC_LOADED_NEW_ORDERS;
    uint64_t needed = (warehouse + queue->kept - 1) / queue->kept * m->is.tpcc.warehouses;
    uint64_t run = layout_own(&m->is) || needed > index->leaves ? index->rows : warehouse;
    uint64_t from = 0;
    uint32_t leaf = 0;

    while (from < index->rows && leaf < index->leaves) {
        uint64_t end = (from / run + 1) * run, to = from + queue->kept;

        to = leaf + 1 == index->leaves ? index->rows : to > end ? end : to;
        leaf_fill(queue, leaf++, from, to);
        from = to;
    }
    for (; leaf < index->leaves; leaf++) {
        queue->leaves[leaf].next = queue->freed;
        queue->freed = leaf;
    }
}

static bool before(uint32_t district, uint32_t order, uint32_t other, uint32_t other_order)
{
    return district != other ? district < other : order < other_order;
}

static void load_ends(struct model_new_order *queue)
{
    uint32_t leaf = 0;

    for (uint32_t d = 0; d < queue->districts; d++) {
        struct new_order_ends *at = &queue->ends[d];
        uint32_t next;

        *at = (struct new_order_ends){.oldest = FIRST_ROW, .end = TPCC_LOADED_ORDERS + 1};
        for (uint32_t o = 0; o < 2; o++) {
            uint32_t order = o == 0 ? FIRST_ROW : at->end;

            while ((next = queue->leaves[leaf].next) != NO_LEAF &&
                   !before(d, order, queue->leaves[next].district, queue->leaves[next].order)) {
                leaf = next;
            }
            *(o == 0 ? &at->head : &at->tail) = leaf;
        }
    }
}

int new_order_open(struct model_new_order *queue, const struct model *m, struct error *err)
{
    const struct model_index *index = &m->layout.index[IX_NEW_ORDERS];

    *queue = (struct model_new_order){.freed = NO_LEAF};
    if (m->is.profile != MODEL_INNODB) {
        return 0;
    }
    queue->count = index->leaves + index->reserve;
    queue->districts = m->is.tpcc.warehouses * TPCC_DISTRICTS;
    queue->leaves = mem_large(queue->count * sizeof(*queue->leaves));
    queue->ends = mem_large(queue->districts * sizeof(*queue->ends));
    if (queue->leaves == NULL || queue->ends == NULL) {
        new_order_close(queue);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the %u leaves of %s",
                         queue->count, index->name);
    }
    set_limits(queue, m);
    load_leaves(queue, m);
    load_ends(queue);
    return 0;
}

void new_order_close(struct model_new_order *queue)
{
    mem_large_free(queue->leaves, queue->count * sizeof(*queue->leaves));
    mem_large_free(queue->ends, queue->districts * sizeof(*queue->ends));
    queue->leaves = NULL;
    queue->ends = NULL;
}

/* ---- places ------------------------------------------------------------------------------------
 */

static uint32_t page_of(const struct model *m, uint32_t leaf)
{
    return index_page(&m->layout.index[IX_NEW_ORDERS], leaf);
}

static bool leaf_begins_behind(const struct model_new_order *queue, uint32_t leaf,
                               uint32_t district, uint32_t order)
{
    return leaf != NO_LEAF &&
           before(district, order, queue->leaves[leaf].district, queue->leaves[leaf].order);
}

/* From a leaf near by. */
static uint32_t leaf_find(const struct model_new_order *queue, uint32_t leaf, uint32_t district,
                          uint32_t order)
{
    while (leaf_begins_behind(queue, leaf, district, order) &&
           queue->leaves[leaf].prev != NO_LEAF) {
        leaf = queue->leaves[leaf].prev;
    }
    while (queue->leaves[leaf].next != NO_LEAF &&
           !leaf_begins_behind(queue, queue->leaves[leaf].next, district, order)) {
        leaf = queue->leaves[leaf].next;
    }
    return leaf;
}

uint32_t new_order_page(const struct model *m, uint32_t district, uint32_t o)
{
    const struct model_new_order *queue = &m->tpcc->new_order;

    return page_of(m, leaf_find(queue, queue->ends[district].head, district, o));
}

bool new_order_holds(const struct model *m, uint32_t page)
{
    const struct model_new_order *queue = &m->tpcc->new_order;
    uint32_t leaf = index_slot(&m->layout.index[IX_NEW_ORDERS], page);

    return queue->leaves == NULL || queue->leaves[leaf].rows > 0;
}

/* The last district that may have rows in a leaf. */
static uint32_t leaf_last(const struct model_new_order *queue, uint32_t leaf)
{
    uint32_t next = queue->leaves[leaf].next;

    return next != NO_LEAF ? queue->leaves[next].district : queue->districts - 1;
}

/* The rows of a district in a leaf: their first order; returns how many there are. */
static uint32_t leaf_rows_of(const struct model_new_order *queue, uint32_t leaf, uint32_t district,
                             uint32_t *ret_first)
{
    const struct new_order_ends *ends = &queue->ends[district];
    const struct new_order_leaf *at = &queue->leaves[leaf];
    uint32_t from = ends->oldest, to = ends->end;

    if (district == at->district && at->order > from) {
        from = at->order;
    }
    if (at->next != NO_LEAF && district == queue->leaves[at->next].district &&
        queue->leaves[at->next].order < to) {
        to = queue->leaves[at->next].order;
    }
    *ret_first = from;
    return to > from ? to - from : 0;
}

/* The key of the row that `skip` rows of a leaf come before, counted from a district on. */
static void leaf_key(const struct model_new_order *queue, uint32_t leaf, uint32_t district,
                     uint32_t skip, uint32_t *ret_district, uint32_t *ret_order)
{
    uint32_t last = leaf_last(queue, leaf), first, rows;

    for (; district <= last; district++) {
        rows = leaf_rows_of(queue, leaf, district, &first);
        if (skip < rows) {
            *ret_district = district;
            *ret_order = first + skip;
            return;
        }
        skip -= rows;
    }
    must(!"rows of the leaf are counted");
}

static void ends_move(struct model_new_order *queue, uint32_t from, uint32_t to, uint32_t first,
                      uint32_t last)
{
    for (uint32_t d = first; d <= last; d++) {
        queue->ends[d].head = queue->ends[d].head == from ? to : queue->ends[d].head;
        queue->ends[d].tail = queue->ends[d].tail == from ? to : queue->ends[d].tail;
    }
}

/* ---- inserts -----------------------------------------------------------------------------------
 */

static void leaf_alone(struct model_session *s, uint32_t page)
{
    s->leaf = page;
    s->split = s->left = s->right = POOL_NO_PAGE;
    s->flags &= (uint16_t)~SESSION_MERGED;
}

static void note_beside(const struct model *m, struct model_session *s, uint32_t leaf)
{
    const struct new_order_leaf *at = &m->tpcc->new_order.leaves[leaf];

    s->left = at->prev != NO_LEAF ? page_of(m, at->prev) : POOL_NO_PAGE;
    s->right = at->next != NO_LEAF ? page_of(m, at->next) : POOL_NO_PAGE;
}

/* A split or merge logs the rows that move; what it logs in all is known for half a page. */
static void log_moved(struct model *m, uint32_t bytes, uint32_t rows)
{
    log_append(&m->log, (uint32_t)((uint64_t)bytes * rows * 2 / m->tpcc->new_order.full));
}

static uint32_t take_leaf(struct model_new_order *queue, struct model *m)
{
    const struct model_index *index = &m->layout.index[IX_NEW_ORDERS];
    uint32_t leaf = queue->freed;

    if (leaf != NO_LEAF) {
        queue->freed = queue->leaves[leaf].next;
        random_renew(m, IX_NEW_ORDERS, leaf);
        return leaf;
    }
    return m->grown[IX_NEW_ORDERS] < index->reserve
               ? index_slot(index, model_grow(m, IX_NEW_ORDERS))
               : NO_LEAF;
}

/* The last `rows` of a leaf go to a new one, whose first key is the given one. */
static uint32_t leaf_split(struct model_new_order *queue, struct model *m, uint32_t leaf,
                           uint32_t district, uint32_t order, uint32_t rows)
{
    struct new_order_leaf *at = &queue->leaves[leaf];
    uint32_t last = leaf_last(queue, leaf), right = take_leaf(queue, m), next = at->next;

    if (right == NO_LEAF) {
        return NO_LEAF;
    }
    queue->leaves[right] = (struct new_order_leaf){
        .district = district, .order = order, .prev = leaf, .next = next, .rows = rows};
    if (next != NO_LEAF) {
        queue->leaves[next].prev = right;
    }
    at->next = right;
    at->rows -= rows;
    at->last = 0;
    if (queue->ends[district].head == leaf && queue->ends[district].oldest >= order) {
        queue->ends[district].head = right;
    }
    if (queue->ends[district].tail == leaf) {
        queue->ends[district].tail = right;
    }
    ends_move(queue, leaf, right, district + 1, last);
    queue->splits++;
    log_moved(m, m->log_bytes->split, rows);
    return right;
}

/*
 * In order: the rows behind go but for one, or the new row begins a leaf if there is no more than
 * that; else in the middle.
 */
static uint32_t split_for(struct model_new_order *queue, struct model *m, uint32_t leaf,
                          uint32_t district, bool in_order)
{
    uint32_t rows = queue->leaves[leaf].rows, last = leaf_last(queue, leaf), behind = 0, first, d,
             o;

    for (d = district + 1; d <= last; d++) {
        behind += leaf_rows_of(queue, leaf, d, &first);
    }
    if (!in_order) {
        leaf_key(queue, leaf, queue->leaves[leaf].district, rows / 2, &d, &o);
        return leaf_split(queue, m, leaf, d, o, rows - rows / 2);
    }
    if (behind > 1) {
        leaf_key(queue, leaf, district + 1, 1, &d, &o);
        return leaf_split(queue, m, leaf, d, o, behind - 1);
    }
    return leaf_split(queue, m, leaf, district, queue->ends[district].end, behind);
}

void new_order_insert(struct model *m, struct model_session *s, uint32_t district)
{
    struct model_new_order *queue = &m->tpcc->new_order;
    struct new_order_ends *ends = &queue->ends[district];
    uint32_t leaf = ends->tail, right = NO_LEAF;
    struct new_order_leaf *at = &queue->leaves[leaf];
    bool in_order = at->last == district + 1;

    leaf_alone(s, page_of(m, leaf));
    if (at->rows >= (in_order ? queue->kept : queue->full) && at->rows > 1) {
        note_beside(m, s, leaf);
        right = split_for(queue, m, leaf, district, in_order);
    }
    if (right != NO_LEAF) {
        s->split = page_of(m, right);
    }
    leaf = ends->tail;
    if (ends->oldest == ends->end) {
        ends->head = leaf;
    }
    ends->end++;
    queue->leaves[leaf].rows++;
    queue->leaves[leaf].last = district + 1;
}

void new_order_withdraw(struct model *m, uint32_t district)
{
    struct model_new_order *queue = &m->tpcc->new_order;
    struct new_order_ends *ends = &queue->ends[district];

    must(ends->end > ends->oldest);
    ends->end--;
    queue->leaves[ends->tail].rows -= queue->leaves[ends->tail].rows > 0;
    queue->leaves[ends->tail].last = 0;
}

/* ---- deletes -----------------------------------------------------------------------------------
 */

/* A leaf is given back, whose rows, if there are any, are those of the one beside it now. */
static void leaf_leave(struct model_new_order *queue, struct model *m, struct model_session *s,
                       uint32_t leaf, uint32_t to)
{
    struct new_order_leaf *at = &queue->leaves[leaf], *into = &queue->leaves[to];

    ends_move(queue, leaf, to, at->district, leaf_last(queue, leaf));
    if (to == at->next) {
        into->district = at->district;
        into->order = at->order;
    }
    into->rows += at->rows;
    into->last = 0;
    if (at->prev != NO_LEAF) {
        queue->leaves[at->prev].next = at->next;
    }
    if (at->next != NO_LEAF) {
        queue->leaves[at->next].prev = at->prev;
    }
    log_moved(m, m->log_bytes->merge, at->rows);
    *at = (struct new_order_leaf){.next = queue->freed};
    queue->freed = leaf;
    queue->merges++;
    s->leaf = page_of(m, to);
    s->split = page_of(m, leaf);
    s->flags |= SESSION_MERGED;
    note_beside(m, s, to);
    writer_free_page(m, s->split);
}

static void leaf_shrunk(struct model_new_order *queue, struct model *m, struct model_session *s,
                        uint32_t leaf)
{
    const struct new_order_leaf *at = &queue->leaves[leaf];

    if (at->rows >= queue->merge_below || (at->prev == NO_LEAF && at->next == NO_LEAF)) {
        return;
    }
    note_beside(m, s, leaf);
    if (at->prev != NO_LEAF && (queue->leaves[at->prev].rows + at->rows <= queue->full ||
                                (at->rows == 0 && at->next == NO_LEAF))) {
        leaf_leave(queue, m, s, leaf, at->prev);
    } else if (at->next != NO_LEAF &&
               (queue->leaves[at->next].rows + at->rows <= queue->full || at->rows == 0)) {
        leaf_leave(queue, m, s, leaf, at->next);
    }
}

static void remove_oldest(struct model_new_order *queue, struct model *m, struct model_session *s,
                          uint32_t district)
{
    struct new_order_ends *ends = &queue->ends[district];
    uint32_t leaf = leaf_find(queue, ends->head, district, ends->oldest);

    leaf_alone(s, page_of(m, leaf));
    ends->oldest++;
    ends->head = leaf_find(queue, leaf, district, ends->oldest);
    queue->leaves[leaf].rows -= queue->leaves[leaf].rows > 0;
    queue->leaves[leaf].last = 0;
    leaf_shrunk(queue, m, s, leaf);
}

void new_order_purge(struct model *m, struct model_session *s, uint32_t district, uint32_t oldest)
{
    struct model_new_order *queue = &m->tpcc->new_order;
    struct new_order_ends *ends = &queue->ends[district];

    leaf_alone(s, page_of(m, ends->head));
    while (ends->oldest < oldest && ends->oldest < ends->end) {
        remove_oldest(queue, m, s, district);
    }
}

void new_order_mark(struct model *m, struct model_session *s, uint32_t district)
{
    const struct tpcc_district *at = &m->tpcc->districts[district];

    leaf_alone(s, new_order_page(m, district, at->oldest));
    if (m->purge == NULL || m->warm) {
        new_order_purge(m, s, district, at->oldest + 1);
    }
}

void new_order_return(struct model *m, uint32_t district, uint32_t oldest)
{
    struct model_new_order *queue = &m->tpcc->new_order;
    struct new_order_ends *ends = &queue->ends[district];

    while (ends->oldest > oldest) {
        ends->oldest--;
        ends->head = leaf_find(queue, ends->head, district, ends->oldest);
        queue->leaves[ends->head].rows++;
        queue->leaves[ends->head].last = 0;
    }
}

/* ---- reads -------------------------------------------------------------------------------------
 */

void new_order_dive(const struct model *m, struct plan *plan, uint32_t district)
{
    const struct model_new_order *queue = &m->tpcc->new_order;
    const struct new_order_ends *ends = &queue->ends[district];
    uint32_t leaf = ends->head;

    if (m->is.optimizer_dives) {
        plan_add(plan, IX_NEW_ORDERS, page_of(m, leaf), TOUCH_READ);
        if (ends->tail != leaf) {
            plan_add(plan, IX_NEW_ORDERS, page_of(m, ends->tail), TOUCH_READ);
        }
        for (uint32_t i = 0; i < DIVE_LEAVES && leaf != ends->tail; i++) {
            leaf = queue->leaves[leaf].next;
            if (leaf == ends->tail || leaf == NO_LEAF) {
                break;
            }
            plan_add(plan, IX_NEW_ORDERS, page_of(m, leaf), TOUCH_READ);
        }
    }
    plan_add(plan, IX_NEW_ORDERS, new_order_page(m, district, m->tpcc->districts[district].oldest),
             TOUCH_READ);
}
