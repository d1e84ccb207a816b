#include "model_tpcc.h"

enum { FIRST_ORDER = TPCC_LOADED_ORDERS + 1 };

static void ahead_page(const struct model *m, struct tpcc_ahead *ahead, uint32_t page)
{
    pool_prefetch(&m->pool, page);
    ahead->pages[ahead->count++] = page;
}

/* Level-1 pages are found by number alone; those of small tables are near anyway. */
static void ahead_parent(const struct model *m, struct tpcc_ahead *ahead,
                         const struct model_index *index, uint32_t page)
{
    if (index->level1_first) {
        ahead->parents[ahead->parent_count++] = index_parent(index, page);
    }
}

static void ahead_row(const struct model *m, struct tpcc_ahead *ahead, enum index_id id,
                      uint64_t rank)
{
    const struct model_index *index = &m->layout.index[id];

    if (index->leaves) {
        uint32_t page = index_leaf(index, rank);

        ahead_page(m, ahead, page);
        if (id != IX_ITEM) {
            ahead_parent(m, ahead, index, page);
        }
    }
}

static void ahead_customer(const struct model *m, struct tpcc_ahead *ahead,
                           const struct tpcc_foresight *foresight)
{
    uint32_t district = tpcc_district_of(foresight->w, foresight->d), c = foresight->c;

    if (foresight->by_name) {
        ahead_row(m, ahead, IX_CUSTOMER_NAME, tpcc_name_row(m, district, foresight->name));
        c = tpcc_name_middle(m, district, foresight->name,
                             tpcc_name_matches(m, district, foresight->name));
    }
    ahead_row(m, ahead, IX_CUSTOMER, tpcc_customer_rank(district, c));
}

void tpcc_rows_foresee(struct model *m, const struct op *op)
{
    struct tpcc_ahead *ahead = &m->tpcc->ahead;
    struct tpcc_foresight foresight;

    ahead->count = ahead->parent_count = 0;
    if (op->key[7] == 0) {
        return;
    }
    tpcc_foresee((const struct txn *)(uintptr_t)op->key[7], &foresight);
    if (foresight.w == 0) {
        return;
    }
    ahead_customer(m, ahead, &foresight);
    for (uint32_t i = 0; i < foresight.line_count; i++) {
        if (foresight.item[i]) {
            ahead_row(m, ahead, IX_ITEM, foresight.item[i] - 1);
            ahead_row(m, ahead, IX_STOCK, tpcc_stock_rank(foresight.supply[i], foresight.item[i]));
        }
    }
}

void tpcc_ahead_frames(const struct model *m)
{
    const struct tpcc_ahead *ahead = &m->tpcc->ahead;

    for (uint32_t i = 0; i < ahead->count; i++) {
        pool_prefetch_frame(&m->pool, ahead->pages[i]);
    }
    for (uint32_t i = 0; i < ahead->parent_count; i++) {
        pool_prefetch_level1(&m->pool, ahead->parents[i]);
    }
}

/* The supplying warehouse is the home one in 99 of 100 lines. */
void tpcc_ahead_stock(const struct model *m, const struct model_session *s, int64_t item)
{
    int64_t w = s->home / TPCC_DISTRICTS + 1;

    if (item > 0) {
        locks_prefetch(&m->locks, tpcc_stock_lock(w, item));
        pool_prefetch_beside(&m->pool,
                             index_leaf(&m->layout.index[IX_STOCK], tpcc_stock_rank(w, item)));
    }
}

static uint32_t *tail_now(const struct model *m, const struct tpcc_tail *tail, enum index_id id,
                          uint32_t district, uint32_t rows)
{
    return tpcc_tail_slot(tail, district, rows / m->layout.index[id].tail_rows);
}

void tpcc_ahead_tails(const struct model *m, uint32_t district)
{
    const struct model_tpcc *t = m->tpcc;
    const struct tpcc_district *at = &t->districts[district];
    uint32_t orders = at->next_o_id - FIRST_ORDER;
    uint64_t ring = (uint64_t)district * (t->order_mask + 1);

    mem_prefetch(tail_now(m, &t->order_tail, IX_ORDERS, district, orders));
    if (t->new_order.leaves) {
        mem_prefetch(&t->new_order.ends[district]);
    } else {
        mem_prefetch(tail_now(m, &t->new_order_tail, IX_NEW_ORDERS, district, orders));
    }
    mem_prefetch(tail_now(m, &t->line_tail, IX_ORDER_LINE, district, at->lines));
    mem_prefetch(&t->orders[ring + (at->next_o_id & t->order_mask)]);
    mem_prefetch(&t->items[(uint64_t)district * RECENT_ITEMS +
                           at->next_o_id % RECENT_ORDERS * TPCC_MAX_LINES]);
}

static uint32_t new_order_now(const struct model *m, uint32_t district, uint32_t orders)
{
    const struct model_tpcc *t = m->tpcc;

    return t->new_order.leaves
               ? index_page(&m->layout.index[IX_NEW_ORDERS], t->new_order.ends[district].tail)
               : *tail_now(m, &t->new_order_tail, IX_NEW_ORDERS, district, orders);
}

void tpcc_ahead_tail_pages(const struct model *m, uint32_t district)
{
    const struct model_tpcc *t = m->tpcc;
    const struct tpcc_district *at = &t->districts[district];
    uint32_t orders = at->next_o_id - FIRST_ORDER;

    pool_prefetch(&m->pool, *tail_now(m, &t->order_tail, IX_ORDERS, district, orders));
    pool_prefetch(&m->pool, new_order_now(m, district, orders));
    pool_prefetch(&m->pool, *tail_now(m, &t->line_tail, IX_ORDER_LINE, district, at->lines));
}

static void ahead_oldest(const struct model *m, uint32_t district)
{
    const struct model_tpcc *t = m->tpcc;
    uint32_t o = t->districts[district].oldest;

    mem_prefetch(&t->orders[(uint64_t)district * (t->order_mask + 1) + (o & t->order_mask)]);
    if (o >= FIRST_ORDER) {
        mem_prefetch(tail_now(m, &t->order_tail, IX_ORDERS, district, o - FIRST_ORDER));
        if (t->new_order.leaves == NULL) {
            mem_prefetch(tail_now(m, &t->new_order_tail, IX_NEW_ORDERS, district, o - FIRST_ORDER));
        }
    }
    if (t->new_order.leaves) {
        mem_prefetch(&t->new_order.ends[district]);
    }
}

void tpcc_ahead_delivery(struct model *m, uint32_t district)
{
    struct tpcc_ahead *ahead = &m->tpcc->ahead;
    uint32_t o = m->tpcc->districts[district].oldest;

    if (district % TPCC_DISTRICTS + 1 < TPCC_DISTRICTS) {
        ahead_oldest(m, district + 1);
    }
    ahead->count = ahead->parent_count = 0;
    ahead_page(m, ahead, tpcc_order_page(m, district, o));
    ahead_row(m, ahead, IX_CUSTOMER,
              tpcc_customer_rank(district, tpcc_order_customer(m, district, o)));
}
