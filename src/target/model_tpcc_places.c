#include <stddef.h>

#include "base/dist.h"
#include "model_postgres.h"
#include "model_tpcc.h"

enum { FIRST_ORDER = TPCC_LOADED_ORDERS + 1, FIRST_NEW_ORDER = 2101, MEAN_LINES = 10 };
enum { LINES_BITS = 4, CUSTOMER_BITS = 12, FIRST_LINE_SHIFT = LINES_BITS + CUSTOMER_BITS };

/* ---- tails -------------------------------------------------------------------------------------
 */

uint32_t tpcc_tail_page(struct model *m, struct tpcc_tail *tail, enum index_id id,
                        uint32_t district, uint32_t row)
{
    uint32_t rows = m->layout.index[id].tail_rows;
    uint32_t *slot = tpcc_tail_slot(tail, district, row / rows);

    if (row % rows == 0 || *slot == 0) {
        *slot = model_grow(m, id);
    }
    return *slot;
}

/* The page of a row that was appended; if it is too long ago, any page that was added. */
static uint32_t tail_find(const struct model *m, const struct tpcc_tail *tail, enum index_id id,
                          uint32_t district, uint32_t row, uint32_t rows_now)
{
    const struct model_index *index = &m->layout.index[id];
    uint32_t page = row / index->tail_rows, last = rows_now ? (rows_now - 1) / index->tail_rows : 0;
    uint32_t grown = m->grown[id] < index->reserve ? m->grown[id] : index->reserve;

    page = page > last ? last : page;
    if (last - page <= tail->mask && *tpcc_tail_slot(tail, district, page)) {
        return *tpcc_tail_slot(tail, district, page);
    }
    if (grown == 0) {
        return index->first + index->leaves - 1;
    }
    return index->grown_first + (uint32_t)(rng_hash((uint64_t)district << 32 | page) % grown);
}

uint32_t tpcc_heap_tail(struct model *m, enum index_id id)
{
    struct model_tpcc *t = m->tpcc;

    if (t->heap_rows[id]++ % m->layout.index[id].tail_rows == 0) {
        t->heap_page[id] = model_grow(m, id);
    }
    return t->heap_page[id];
}

/* ---- orders ------------------------------------------------------------------------------------
 */

struct heap_order *tpcc_heap_order(const struct model *m, uint32_t district, uint32_t o)
{
    const struct model_postgres *pg = m->postgres;

    return &pg->orders[(uint64_t)district * (pg->order_mask + 1) + (o & pg->order_mask)];
}

/* A page noted with an order; if it was placed too long ago, any page that was added. */
static uint32_t noted_page(const struct model *m, enum index_id id, uint32_t district, uint32_t o,
                           size_t offset)
{
    const struct model_index *index = &m->layout.index[id];
    const struct heap_order *order = tpcc_heap_order(m, district, o);
    uint32_t page = *(const uint32_t *)((const char *)order + offset);
    uint32_t grown = m->grown[id] < index->reserve ? m->grown[id] : index->reserve;

    if (page && m->tpcc->districts[district].next_o_id - o <= m->postgres->order_mask) {
        return page - 1;
    }
    return grown ? index->grown_first + (uint32_t)(rng_hash((uint64_t)district << 32 | o) % grown)
                 : index->first + index->leaves - 1;
}

uint32_t tpcc_line_page(const struct model *m, uint32_t district, uint32_t o, uint32_t number)
{
    if (o < FIRST_ORDER) {
        uint64_t order = (uint64_t)district * TPCC_LOADED_ORDERS + o - 1;

        return index_leaf(&m->layout.index[IX_ORDER_LINE], order * MEAN_LINES + number);
    }
    return noted_page(m, IX_ORDER_LINE, district, o,
                      number * 2 < tpcc_order_lines(m, district, o)
                          ? offsetof(struct heap_order, first_line)
                          : offsetof(struct heap_order, last_line));
}

uint32_t tpcc_order_page(const struct model *m, uint32_t district, uint32_t o)
{
    const struct model_tpcc *t = m->tpcc;

    if (o < FIRST_ORDER) {
        return index_leaf(&m->layout.index[IX_ORDERS],
                          (uint64_t)district * TPCC_LOADED_ORDERS + o - 1);
    }
    if (m->postgres) {
        return noted_page(m, IX_ORDERS, district, o, offsetof(struct heap_order, order));
    }
    return tail_find(m, &t->order_tail, IX_ORDERS, district, o - FIRST_ORDER,
                     t->districts[district].next_o_id - FIRST_ORDER);
}

uint32_t tpcc_new_order_page(const struct model *m, uint32_t district, uint32_t o)
{
    const struct model_tpcc *t = m->tpcc;

    if (t->new_order.leaves) {
        return new_order_page(m, district, o);
    }
    if (o < FIRST_ORDER) {
        uint32_t row = o < FIRST_NEW_ORDER ? 0 : o - FIRST_NEW_ORDER;

        return index_leaf(&m->layout.index[IX_NEW_ORDERS],
                          (uint64_t)district * TPCC_LOADED_NEW_ORDERS + row);
    }
    if (m->postgres) {
        return noted_page(m, IX_NEW_ORDERS, district, o, offsetof(struct heap_order, new_order));
    }
    return tail_find(m, &t->new_order_tail, IX_NEW_ORDERS, district, o - FIRST_ORDER,
                     t->districts[district].next_o_id - FIRST_ORDER);
}

/* 0 if the order is of the load, or was placed too long ago. */
static uint32_t order_entry(const struct model_tpcc *t, uint32_t district, uint32_t o)
{
    if (o < FIRST_ORDER || t->districts[district].next_o_id - o > t->order_mask) {
        return 0;
    }
    return t->orders[(uint64_t)district * (t->order_mask + 1) + (o & t->order_mask)];
}

static void district_names(uint32_t district, uint32_t *ret_w, uint32_t *ret_d)
{
    *ret_w = district / TPCC_DISTRICTS + 1;
    *ret_d = district % TPCC_DISTRICTS + 1;
}

uint32_t tpcc_order_lines(const struct model *m, uint32_t district, uint32_t o)
{
    uint32_t entry = order_entry(m->tpcc, district, o), w, d;

    if (entry) {
        return entry & ((1u << LINES_BITS) - 1);
    }
    district_names(district, &w, &d);
    return tpcc_loaded_line_count(m->tpcc->seed, w, d, o);
}

uint32_t tpcc_order_customer(const struct model *m, uint32_t district, uint32_t o)
{
    uint32_t entry = order_entry(m->tpcc, district, o), w, d;

    if (entry) {
        return entry >> LINES_BITS & ((1u << CUSTOMER_BITS) - 1);
    }
    district_names(district, &w, &d);
    return tpcc_loaded_customer_of_order(m->tpcc->seed, w, d, (o - 1) % TPCC_LOADED_ORDERS + 1);
}

static uint32_t plan_new_page(struct plan *plan, uint32_t page, uint32_t before,
                              enum touch_mode mode)
{
    if (page != before) {
        plan_add(plan, IX_ORDER_LINE, page, mode);
    }
    return page;
}

/* Loaded lines: ten an order on average, one order behind the other. */
static uint32_t plan_loaded_lines(const struct model *m, struct plan *plan, uint64_t order,
                                  uint32_t lines, enum touch_mode mode, uint32_t before)
{
    const struct model_index *index = &m->layout.index[IX_ORDER_LINE];
    uint32_t last = index_leaf(index, order * MEAN_LINES + lines - 1);

    for (uint32_t page = index_leaf(index, order * MEAN_LINES); page <= last; page++) {
        before = plan_new_page(plan, page, before, mode);
    }
    return before;
}

/* Rows since the load, counted in 16 bits in the order's entry: the order is within 4,096. */
static uint32_t first_line(const struct model_tpcc *t, uint32_t district, uint32_t o,
                           uint32_t entry)
{
    const struct tpcc_district *at = &t->districts[district];

    if (entry == 0) {
        uint64_t orders = at->next_o_id - FIRST_ORDER;

        return orders ? (uint32_t)((uint64_t)at->lines * (o - FIRST_ORDER) / orders) : 0;
    }
    return at->lines - ((at->lines - (entry >> FIRST_LINE_SHIFT)) & 0xffff);
}

uint32_t tpcc_plan_lines(const struct model *m, struct plan *plan, uint32_t district, uint32_t o,
                         enum touch_mode mode, uint32_t before)
{
    const struct model_tpcc *t = m->tpcc;
    uint32_t lines = tpcc_order_lines(m, district, o);
    uint64_t order = (uint64_t)district * TPCC_LOADED_ORDERS + o - 1;

    if (before == POOL_NO_PAGE) {
        plan_row(m, plan, IX_ORDER_LINE_KEY, order * MEAN_LINES, TOUCH_READ);
    }
    if (o < FIRST_ORDER) {
        return plan_loaded_lines(m, plan, order, lines, mode, before);
    }
    if (m->postgres) {
        before = plan_new_page(plan, tpcc_line_page(m, district, o, 0), before, mode);
        return plan_new_page(plan, tpcc_line_page(m, district, o, lines - 1), before, mode);
    }
    uint32_t first = first_line(t, district, o, order_entry(t, district, o));
    uint32_t now = t->districts[district].lines;

    before = plan_new_page(plan, tail_find(m, &t->line_tail, IX_ORDER_LINE, district, first, now),
                           before, mode);
    return plan_new_page(
        plan, tail_find(m, &t->line_tail, IX_ORDER_LINE, district, first + lines - 1, now), before,
        mode);
}

/*
 * Loading leaves a sixteenth of a page free. When less than a 32nd is left, a row that grows is no
 * longer changed in its page alone (btr_cur_optimistic_update, BTR_CUR_PAGE_REORGANIZE_LIMIT): the
 * tree is descended again, and the leaves beside are latched, which are read for it; when nothing
 * is left the leaf splits. Orders are delivered in their order, so what has grown lies before.
 */
enum { DATE_BYTES = 5, LOADED_FREE_SHARE = 16, OPTIMISTIC_SHARE = 32 };

/*
 * rows: of a leaf, in which `before` is counted. Those of the load are as many as leaves hold on
 * average, of all orders; in tables of `rawtps load` one without dates holds more (tail_rows),
 * which all grow, so that hardly one does not split in the end.
 */
static enum lines_growth grown_lines(const struct model *m, uint64_t before, uint32_t lines,
                                     uint64_t rows)
{
    uint64_t there = layout_own(&m->is) ? m->layout.index[IX_ORDER_LINE].tail_rows : rows;
    uint64_t full = rows * (m->is.page_bytes / LOADED_FREE_SHARE) / (DATE_BYTES * there);
    uint64_t low = rows *
                   (m->is.page_bytes / LOADED_FREE_SHARE - m->is.page_bytes / OPTIMISTIC_SHARE) /
                   (DATE_BYTES * there);

    return before + lines <= low || before >= full ? LINES_FIT
           : before + lines > full                 ? LINES_SPLIT
                                                   : LINES_LATCHED;
}

/* Those of the load: how many on the leaf have grown before this order's. */
static uint64_t loaded_before(const struct model *m, uint32_t district, uint32_t o,
                              uint32_t ret_beside[2])
{
    const struct model_index *index = &m->layout.index[IX_ORDER_LINE];
    uint64_t rank = ((uint64_t)district * TPCC_LOADED_ORDERS + o - 1) * MEAN_LINES;
    uint64_t first = ((uint64_t)district * TPCC_LOADED_ORDERS + FIRST_NEW_ORDER - 1) * MEAN_LINES;
    uint32_t page = index_leaf(index, rank), end = index->first + index->leaves;
    uint64_t begins =
        ((uint64_t)(page - index->first) * index->rows + index->leaves - 1) / index->leaves;

    ret_beside[0] = page > index->first ? page - 1 : page;
    ret_beside[1] = page + 1 < end ? page + 1 : page;
    begins = begins > first ? begins : first;
    return rank > begins ? rank - begins : 0;
}

static uint64_t added_before(const struct model *m, uint32_t district, uint32_t o,
                             uint32_t ret_beside[2])
{
    const struct model_tpcc *t = m->tpcc;
    uint32_t rows = m->layout.index[IX_ORDER_LINE].tail_rows, now = t->districts[district].lines;
    uint32_t first = first_line(t, district, o, order_entry(t, district, o));

    ret_beside[0] = tail_find(m, &t->line_tail, IX_ORDER_LINE, district,
                              first > rows ? first - rows : first, now);
    ret_beside[1] = tail_find(m, &t->line_tail, IX_ORDER_LINE, district, first + rows, now);
    return first % rows;
}

enum lines_growth tpcc_lines_grow(const struct model *m, uint32_t district, uint32_t o,
                                  uint32_t ret_beside[2])
{
    if (m->is.profile != MODEL_INNODB) {
        return LINES_FIT;
    }
    const struct model_index *index = &m->layout.index[IX_ORDER_LINE];
    bool loaded = o < FIRST_ORDER;

    return grown_lines(m,
                       loaded ? loaded_before(m, district, o, ret_beside)
                              : added_before(m, district, o, ret_beside),
                       tpcc_order_lines(m, district, o),
                       loaded ? index->rows / index->leaves : index->tail_rows);
}

uint32_t tpcc_item_of_line(const struct model *m, uint32_t district, uint32_t o, uint32_t number)
{
    if (o < FIRST_ORDER) {
        uint64_t row = ((uint64_t)district * TPCC_LOADED_ORDERS + o) * TPCC_MAX_LINES + number;

        return 1 + (uint32_t)((unsigned __int128)rng_hash(m->tpcc->seed ^ row) * TPCC_ITEMS >> 64);
    }
    return m->tpcc
        ->items[(uint64_t)district * RECENT_ITEMS + o % RECENT_ORDERS * TPCC_MAX_LINES + number];
}

/* ---- customers by name -------------------------------------------------------------------------
 */

static uint64_t name_hash(const struct model *m, uint32_t district, uint32_t name)
{
    return rng_hash(m->tpcc->seed ^ ((uint64_t)district << 12 | name));
}

/*
 * One of the first 1,000 customers, and of the other 2,000 a number that is binomial; drawn from
 * Poisson with the same mean, as a function of district and name.
 */
uint32_t tpcc_name_matches(const struct model *m, uint32_t district, uint32_t name)
{
    double mean = m->tpcc->name_mean[name], p = dist_exp(-mean), sum = p;
    double u = (double)(name_hash(m, district, name) >> 11) * 0x1p-53;
    uint32_t more = 0;

    while (u >= sum && more < 64) {
        more++;
        p *= mean / more;
        sum += p;
    }
    return 1 + more;
}

uint32_t tpcc_name_customer(const struct model *m, uint32_t district, uint32_t name, uint32_t i)
{
    uint64_t hash = rng_hash(name_hash(m, district, name) + i);

    return i == 0 ? name + 1 : TPCC_NAMES + 1 + (uint32_t)(hash % (TPCC_CUSTOMERS - TPCC_NAMES));
}

uint64_t tpcc_name_row(const struct model *m, uint32_t district, uint32_t name)
{
    return (uint64_t)district * TPCC_CUSTOMERS + m->tpcc->name_rank[name];
}
