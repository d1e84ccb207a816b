/* target/model_tpcc: TPC-C's rows: where each lies, what counts are kept, what must hold. */
#ifndef RAWTPS_TARGET_MODEL_TPCC_H
#define RAWTPS_TARGET_MODEL_TPCC_H

#include "model_new_order.h"
#include "model_random.h"

/* Stock-Level looks at 20 orders; one more may be under way. */
enum { RECENT_ORDERS = 21, RECENT_ITEMS = RECENT_ORDERS * TPCC_MAX_LINES };

/* A district's counts: rows as they stand, and what condition 1 to 4, 8 and 9 compare. 56 bytes. */
struct tpcc_district {
    uint32_t next_o_id;
    uint32_t last_order, last_new_order;    /* largest o_id, no_o_id that were committed */
    uint32_t oldest, new_orders;            /* head and number of new_orders rows */
    uint32_t lines;                         /* order_line rows added, those under way too */
    uint32_t lines_claimed, lines_inserted; /* committed: sum of o_ol_cnt, number of rows */
    int64_t ytd_cents, history_cents;
};

struct tpcc_warehouse {
    int64_t ytd_cents, history_cents;
};

/* Pages that a growing tail was given, the last `mask + 1` of each district. */
struct tpcc_tail {
    uint32_t *pages;
    uint32_t mask;
};

/* Pages that were foreseen: of a New-Order, or of one district's Delivery. */
struct tpcc_ahead {
    uint32_t count, parent_count;
    uint32_t pages[2 * TPCC_MAX_LINES + 4], parents[TPCC_MAX_LINES + 4];
};

struct model_tpcc {
    struct tpcc_warehouse *warehouses;
    struct tpcc_district *districts;
    uint32_t *orders; /* [district][order & order_mask]: first line << 16 | c << 4 | lines */
    uint32_t order_mask;
    uint32_t *items;      /* [district][RECENT_ITEMS] of the last orders' lines */
    uint32_t *last_order; /* [customer]: largest o_id placed in the run, 0 if none */
    struct tpcc_tail order_tail, new_order_tail, line_tail;
    uint32_t district_count;
    uint32_t history_page, heap_page[TPCC_TABLES];
    uint64_t history_rows, heap_rows[TPCC_TABLES];
    struct model_random orders_customer, line_stock, history_customer;
    struct model_new_order new_order;   /* innodb: instead of new_order_tail */
    uint16_t name_rank[TPCC_NAMES + 1]; /* rows of a district with a smaller last name */
    float name_mean[TPCC_NAMES];        /* mean number of customers beyond the first 1,000 */
    uint64_t seed;
    struct tpcc_ahead ahead;
};

static inline uint32_t tpcc_district_of(int64_t w, int64_t d)
{
    return (uint32_t)((w - 1) * TPCC_DISTRICTS + d - 1);
}

static inline uint64_t tpcc_customer_rank(uint32_t district, int64_t c)
{
    return (uint64_t)district * TPCC_CUSTOMERS + (uint64_t)(c - 1);
}

static inline uint64_t tpcc_stock_rank(int64_t w, int64_t i)
{
    return (uint64_t)(w - 1) * TPCC_ITEMS + (uint64_t)(i - 1);
}

/* ---- where rows lie (model_tpcc_places.c) ---- */

uint32_t tpcc_order_page(const struct model *m, uint32_t district, uint32_t o);
uint32_t tpcc_new_order_page(const struct model *m, uint32_t district, uint32_t o);
/*
 * The pages of an order's lines, one or two, but not the one that was planned just before
 * (POOL_NO_PAGE: none was). Returns the last.
 */
uint32_t tpcc_plan_lines(const struct model *m, struct plan *plan, uint32_t district, uint32_t o,
                         enum touch_mode mode, uint32_t before);
/*
 * innodb: what becomes of an order's leaf when its lines get the date that was NULL, 5 bytes each.
 * ret_beside: the leaves to its left and right, which are latched unless it is FIT.
 */
enum lines_growth { LINES_FIT, LINES_LATCHED, LINES_SPLIT };
enum lines_growth tpcc_lines_grow(const struct model *m, uint32_t district, uint32_t o,
                                  uint32_t ret_beside[2]);
/* postgres: the heap page of a line, counted from 0; and where an order's rows were noted. */
uint32_t tpcc_line_page(const struct model *m, uint32_t district, uint32_t o, uint32_t number);
struct heap_order *tpcc_heap_order(const struct model *m, uint32_t district, uint32_t o);
uint32_t tpcc_order_lines(const struct model *m, uint32_t district, uint32_t o);
uint32_t tpcc_order_customer(const struct model *m, uint32_t district, uint32_t o);
uint32_t tpcc_item_of_line(const struct model *m, uint32_t district, uint32_t o, uint32_t number);
uint32_t tpcc_name_matches(const struct model *m, uint32_t district, uint32_t name);
uint32_t tpcc_name_customer(const struct model *m, uint32_t district, uint32_t name, uint32_t i);
uint64_t tpcc_name_row(const struct model *m, uint32_t district, uint32_t name);
/* The page that a row appended to a tail goes to; a new one when the last is full. */
uint32_t tpcc_tail_page(struct model *m, struct tpcc_tail *tail, enum index_id id,
                        uint32_t district, uint32_t row);
uint32_t tpcc_heap_tail(struct model *m, enum index_id id);
static inline uint32_t *tpcc_tail_slot(const struct tpcc_tail *tail, uint32_t district,
                                       uint32_t page)
{
    return &tail->pages[(uint64_t)district * (tail->mask + 1) + (page & tail->mask)];
}

/*
 * ---- what later statements will look at is fetched (model_tpcc_ahead.c) ----
 *
 * A page is three fetches, one after the other: its bucket, its frame, and the frames beside that
 * in the list. None changes anything.
 */

/* BEGIN: buckets of what a transaction will ask for. */
void tpcc_rows_foresee(struct model *m, const struct op *op);
/* Frames of the pages foreseen last. */
void tpcc_ahead_frames(const struct model *m);
/* The stock of an item: the frames beside its page's, and its lock. */
void tpcc_ahead_stock(const struct model *m, const struct model_session *s, int64_t item);
/* A district's tails, and then the pages they say. */
void tpcc_ahead_tails(const struct model *m, uint32_t district);
void tpcc_ahead_tail_pages(const struct model *m, uint32_t district);
/* Delivery: the oldest order, its customer and its lines; and the next district's. */
void tpcc_ahead_delivery(struct model *m, uint32_t district);

/* ---- plans (model_tpcc_plan.c) ---- */

uint64_t tpcc_stock_lock(int64_t w, int64_t i);
uint64_t tpcc_rows_lock(struct model *m, const struct op *op, bool *ret_hot);
void tpcc_rows_prepare(struct model *m, struct model_session *s, const struct op *op);
void tpcc_rows_plan(struct model *m, const struct model_session *s, const struct op *op,
                    struct plan *plan);

/* ---- counts (model_tpcc.c) ---- */

uint32_t tpcc_name_middle(const struct model *m, uint32_t district, uint32_t name,
                          uint32_t matches);
void tpcc_rows_apply(struct model *m, struct model_session *s, struct op *op);

#endif
