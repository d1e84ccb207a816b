#include "model_postgres.h"
#include "model_tpcc.h"

/*
 * TPC-C's statements on heaps (MODEL.md 4.1, 5.3): what differs from tables that are kept in the
 * order of their primary key. A connection inserts into a page of its own, so orders and lines lie
 * in the order of time.
 */

enum { FIRST_ORDER = TPCC_LOADED_ORDERS + 1, FIRST_NEW_ORDER = 2101, STOCK_LEVEL_ORDERS = 20 };
enum { MEAN_LINES = 10 };

static uint64_t stock_rank(const struct op *op)
{
    return tpcc_stock_rank(op->key[0], op->key[1]);
}

static uint64_t customer_rank(const struct op *op)
{
    return tpcc_customer_rank(tpcc_district_of(op->key[0], op->key[1]), op->key[2]);
}

/* 0: the item that is not there; its search ends on the last leaf. */
static uint64_t item_rank(const struct op *op)
{
    return (uint64_t)(op->key[0] > 0 ? op->key[0] : TPCC_ITEMS) - 1;
}

/* Orders since the load belong to the last leaf of their district. */
static uint64_t order_rank(uint32_t district, uint32_t o)
{
    return (uint64_t)district * TPCC_LOADED_ORDERS + (o < FIRST_ORDER ? o : FIRST_ORDER - 1) - 1;
}

static uint32_t first_recent(const struct op *op)
{
    return op->key[2] > STOCK_LEVEL_ORDERS ? (uint32_t)op->key[2] - STOCK_LEVEL_ORDERS : 1;
}

/* ---- prepare -----------------------------------------------------------------------------------
 */

static void prepare_order(struct model *m, struct model_session *s, const struct op *op,
                          uint32_t district)
{
    s->tail = heap_insert(m, s, IX_ORDERS, IX_ORDERS);
    tpcc_heap_order(m, district, (uint32_t)op->key[2])->order = s->tail + 1;
    random_insert(&m->tpcc->orders_customer, m, s, tpcc_customer_rank(district, op->key[3]),
                  rng_u64(&m->rng));
}

static void prepare_line(struct model *m, struct model_session *s, const struct op *op,
                         uint32_t district)
{
    struct heap_order *order = tpcc_heap_order(m, district, (uint32_t)op->key[2]);

    s->tail = heap_insert(m, s, IX_ORDER_LINE, IX_ORDER_LINE);
    order->last_line = s->tail + 1;
    if (op->key[3] == 1) {
        order->first_line = s->tail + 1;
    }
    if (m->tpcc->line_stock.fill) {
        log_append(&m->log, m->log_bytes->leaf_insert);
        random_insert(&m->tpcc->line_stock, m, s, 3 * tpcc_stock_rank(op->key[5], op->key[4]),
                      rng_u64(&m->rng));
    }
}

/*
 * The leaf of the index of names that gets an entry if the row moves: known if the customer was
 * found by his name; else he is one of the first 1,000, who have each name in turn, or of any name.
 */
static uint32_t name_leaf(const struct model *m, const struct model_session *s, const struct op *op)
{
    uint32_t district = tpcc_district_of(op->key[0], op->key[1]);
    uint32_t name = op->key[2] <= TPCC_NAMES ? (uint32_t)op->key[2] - 1
                                             : (uint32_t)(rng_hash(customer_rank(op)) % TPCC_NAMES);

    if (s->flags & SESSION_NAMED) {
        return s->old;
    }
    return index_leaf(&m->layout.index[IX_CUSTOMER_NAME], tpcc_name_row(m, district, name));
}

static void prepare_customer(struct model *m, struct model_session *s, const struct op *op)
{
    s->leaf = name_leaf(m, s, op);
    heap_update_row(m, s, IX_CUSTOMER, IX_CUSTOMER, customer_rank(op), false);
}

static void prepare_history(struct model *m, struct model_session *s, const struct op *op)
{
    s->tail = heap_insert(m, s, IX_HISTORY, IX_HISTORY);
    if (m->tpcc->history_customer.fill) {
        log_append(&m->log, 2u * m->log_bytes->leaf_insert);
        random_insert(&m->tpcc->history_customer, m, s, customer_rank(op), rng_u64(&m->rng));
    }
}

/*
 * An order's lines are updated by one statement, which cannot use the room that it makes. s->leaf:
 * how many lines go to another page, s->split: to the first of two pages.
 */
static void prepare_lines(struct model *m, struct model_session *s, const struct op *op,
                          uint32_t district)
{
    uint32_t o = (uint32_t)op->key[2], lines = tpcc_order_lines(m, district, o), tail;

    s->leaf = 0;
    tail = s->split = POOL_NO_PAGE;
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t page = tpcc_line_page(m, district, o, i);

        if (heap_update(m, s, IX_ORDER_LINE, IX_ORDER_LINE, page, false)) {
            s->leaf++;
            s->split = tail == POOL_NO_PAGE ? s->tail : s->split;
            tail = s->tail;
        }
    }
    s->tail = tail;
}

static void prepare_carrier(struct model *m, struct model_session *s, const struct op *op,
                            uint32_t district)
{
    s->old = tpcc_order_page(m, district, (uint32_t)op->key[2]);
    if (heap_update(m, s, IX_ORDERS, IX_ORDERS, s->old, false)) {
        s->flags |= SESSION_MOVED;
    }
}

void postgres_tpcc_prepare(struct model *m, struct model_session *s, const struct op *op)
{
    uint32_t district = tpcc_district_of(op->key[0], op->key[1]);

    s->tail = s->leaf = s->split = POOL_NO_PAGE;
    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_NO_DISTRICT_SET:
    case TPCC_S_PAY_DISTRICT_ADD:
        heap_update_row(m, s, IX_DISTRICT, IX_DISTRICT, district, false);
        break;
    case TPCC_S_PAY_WAREHOUSE_ADD:
        heap_update_row(m, s, IX_WAREHOUSE, IX_WAREHOUSE, (uint64_t)op->key[0] - 1, false);
        break;
    case TPCC_S_NO_ORDER:
        prepare_order(m, s, op, district);
        break;
    case TPCC_S_NO_NEW_ORDER:
        s->tail = heap_insert(m, s, IX_NEW_ORDERS, IX_NEW_ORDERS);
        tpcc_heap_order(m, district, (uint32_t)op->key[2])->new_order = s->tail + 1;
        break;
    case TPCC_S_NO_LINE:
        prepare_line(m, s, op, district);
        break;
    case TPCC_S_NO_STOCK_SET:
        heap_update_row(m, s, IX_STOCK, IX_STOCK, stock_rank(op), false);
        break;
    case TPCC_S_PAY_CUSTOMER_ADD:
        if (op->key[6]) {
            log_append(&m->log, m->log_bytes->bad_credit);
        }
        prepare_customer(m, s, op);
        break;
    case TPCC_S_DEL_CUSTOMER:
        prepare_customer(m, s, op);
        break;
    case TPCC_S_PAY_HISTORY:
        prepare_history(m, s, op);
        break;
    case TPCC_S_DEL_REMOVE:
        heap_delete(m, s, IX_NEW_ORDERS, IX_NEW_ORDERS,
                    tpcc_new_order_page(m, district, (uint32_t)op->key[2]));
        break;
    case TPCC_S_DEL_CARRIER:
        prepare_carrier(m, s, op, district);
        break;
    case TPCC_S_DEL_LINES:
        prepare_lines(m, s, op, district);
        break;
    default:
        break;
    }
}

/* ---- plan --------------------------------------------------------------------------------------
 */

/* The version that is replaced, the new one, and an entry for it in each index if it moved. */
static void plan_update(const struct model *m, const struct model_session *s, struct plan *plan,
                        enum index_id id, enum index_id key, uint64_t rank)
{
    plan_row(m, plan, key, rank, TOUCH_READ);
    plan_add(plan, id, s->old, TOUCH_WRITE);
    if (s->flags & SESSION_MOVED) {
        if (s->tail != s->old) {
            plan_add(plan, id, s->tail, TOUCH_WRITE);
        }
        plan_row(m, plan, key, rank, TOUCH_ENTRY);
    }
}

static void plan_stock_set(const struct model *m, const struct model_session *s, struct plan *plan,
                           const struct op *op)
{
    uint64_t by_item = (uint64_t)(op->key[1] - 1) * m->is.tpcc.warehouses;

    plan_update(m, s, plan, IX_STOCK, IX_STOCK_KEY, stock_rank(op));
    if (s->flags & SESSION_MOVED) {
        plan_row(m, plan, IX_STOCK_ITEM, by_item + (uint64_t)op->key[0] - 1, TOUCH_ENTRY);
    }
}

static void plan_customer_set(const struct model *m, const struct model_session *s,
                              struct plan *plan, const struct op *op)
{
    plan_update(m, s, plan, IX_CUSTOMER, IX_CUSTOMER_KEY, customer_rank(op));
    if (s->flags & SESSION_MOVED) {
        plan_add(plan, IX_CUSTOMER_NAME, s->leaf, TOUCH_ENTRY);
    }
}

/* Count and fetch: two queries, each of which reads all that match: the index has no number. */
static void plan_by_name(const struct model *m, struct plan *plan, uint32_t district, uint32_t name)
{
    uint32_t matches = tpcc_name_matches(m, district, name);
    uint64_t entry = tpcc_name_row(m, district, name);

    for (uint32_t query = 0; query < 2; query++) {
        plan_row(m, plan, IX_CUSTOMER_NAME, entry, TOUCH_READ);
        for (uint32_t i = 0; i < matches; i++) {
            uint64_t rank = tpcc_customer_rank(district, tpcc_name_customer(m, district, name, i));
            uint32_t before = heap_row_before(m, IX_CUSTOMER, rank, ENTRY_NAME);

            if (before != POOL_NO_PAGE && query == 0) {
                plan_add(plan, IX_CUSTOMER, before, TOUCH_READ);
                plan_row(m, plan, IX_CUSTOMER_NAME, entry, TOUCH_HINT);
            }
            plan_add(plan, IX_CUSTOMER, heap_row_page(m, IX_CUSTOMER, rank), TOUCH_READ);
        }
    }
}

static void plan_lines_set(const struct model *m, const struct model_session *s, struct plan *plan,
                           const struct op *op, uint32_t district)
{
    uint32_t o = (uint32_t)op->key[2], lines = tpcc_order_lines(m, district, o);
    uint64_t first = order_rank(district, o) * MEAN_LINES;

    tpcc_plan_lines(m, plan, district, o, TOUCH_WRITE, POOL_NO_PAGE);
    if (s->leaf == 0) {
        return;
    }
    plan_add(plan, IX_ORDER_LINE, s->split, TOUCH_WRITE);
    if (s->tail != s->split) {
        plan_add(plan, IX_ORDER_LINE, s->tail, TOUCH_WRITE);
    }
    for (uint32_t i = lines > s->leaf ? lines - s->leaf : 0; i < lines; i++) {
        plan_row(m, plan, IX_ORDER_LINE_KEY, first, TOUCH_ENTRY);
        if (m->tpcc->line_stock.fill) {
            uint32_t item = tpcc_item_of_line(m, district, o, i);
            uint64_t rank = 3 * tpcc_stock_rank(district / TPCC_DISTRICTS + 1, item ? item : 1);

            plan_add(plan, IX_LINE_STOCK,
                     random_page(&m->tpcc->line_stock, m, rank, rng_hash(first + i)), TOUCH_ENTRY);
        }
    }
}

static void plan_carrier(const struct model *m, const struct model_session *s, struct plan *plan,
                         const struct op *op, uint32_t district)
{
    uint32_t o = (uint32_t)op->key[2];
    uint64_t rank = tpcc_customer_rank(district, tpcc_order_customer(m, district, o));

    plan_update(m, s, plan, IX_ORDERS, IX_ORDERS_KEY, order_rank(district, o));
    if (s->flags & SESSION_MOVED) {
        plan_add(plan, IX_ORDERS_CUSTOMER, random_page(&m->tpcc->orders_customer, m, rank, rank),
                 TOUCH_ENTRY);
    }
}

/* The first entries of the district are of orders that were delivered: one is met and marked. */
static void plan_oldest(const struct model *m, struct plan *plan, uint32_t district)
{
    uint32_t o = m->tpcc->districts[district].oldest;
    uint64_t rank = (uint64_t)district * TPCC_LOADED_NEW_ORDERS +
                    (o < FIRST_ORDER ? o - FIRST_NEW_ORDER : TPCC_LOADED_NEW_ORDERS - 1);

    plan_row(m, plan, IX_NEW_ORDERS_KEY, rank, TOUCH_READ);
    if (o > FIRST_NEW_ORDER) {
        plan_add(plan, IX_NEW_ORDERS, tpcc_new_order_page(m, district, o - 1), TOUCH_READ);
        plan_row(m, plan, IX_NEW_ORDERS_KEY, rank, TOUCH_HINT);
    }
    plan_add(plan, IX_NEW_ORDERS, tpcc_new_order_page(m, district, o), TOUCH_WRITE);
}

/* Lines of the last 20 orders, then the stock of each of their items. */
static void plan_stock_level(const struct model *m, struct plan *plan, const struct op *op,
                             uint32_t district)
{
    uint32_t before = POOL_NO_PAGE;

    for (uint32_t o = first_recent(op); o < op->key[2]; o++) {
        before = tpcc_plan_lines(m, plan, district, o, TOUCH_READ, before);
    }
    for (uint32_t o = first_recent(op); o < op->key[2]; o++) {
        uint32_t lines = tpcc_order_lines(m, district, o);

        for (uint32_t i = 0; i < lines && plan->count < plan->base + PLAN_TOUCHES; i++) {
            uint32_t item = tpcc_item_of_line(m, district, o, i);

            heap_plan_row(m, plan, IX_STOCK, IX_STOCK_KEY,
                          tpcc_stock_rank(op->key[0], item ? item : 1), TOUCH_READ);
        }
    }
}

/* Warehouse and district: few rows, found by leaves that are always in memory. */
static bool plan_hot(const struct model *m, const struct model_session *s, const struct op *op,
                     struct plan *plan, uint32_t district)
{
    uint64_t w = (uint64_t)op->key[0] - 1;

    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_NO_WAREHOUSE:
    case TPCC_S_PAY_WAREHOUSE:
        plan_add(plan, IX_WAREHOUSE, heap_row_page(m, IX_WAREHOUSE, w), TOUCH_READ);
        return true;
    case TPCC_S_PAY_WAREHOUSE_ADD:
        plan_update(m, s, plan, IX_WAREHOUSE, IX_SYSTEM, 0);
        return true;
    case TPCC_S_NO_DISTRICT:
        plan_add(plan, IX_DISTRICT, heap_row_page(m, IX_DISTRICT, district), TOUCH_WRITE);
        return true;
    case TPCC_S_PAY_DISTRICT:
    case TPCC_S_SL_DISTRICT:
        plan_add(plan, IX_DISTRICT, heap_row_page(m, IX_DISTRICT, district), TOUCH_READ);
        return true;
    case TPCC_S_NO_DISTRICT_SET:
    case TPCC_S_PAY_DISTRICT_ADD:
        plan_update(m, s, plan, IX_DISTRICT, IX_SYSTEM, 0);
        return true;
    default:
        return false;
    }
}

static bool plan_rows(const struct model *m, const struct model_session *s, const struct op *op,
                      struct plan *plan, uint32_t district)
{
    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_NO_CUSTOMER:
    case TPCC_S_OS_CUSTOMER:
        heap_plan_row(m, plan, IX_CUSTOMER, IX_CUSTOMER_KEY, customer_rank(op), TOUCH_READ);
        return true;
    case TPCC_S_PAY_CUSTOMER:
        heap_plan_row(m, plan, IX_CUSTOMER, IX_CUSTOMER_KEY, customer_rank(op), TOUCH_WRITE);
        return true;
    case TPCC_S_PAY_CUSTOMER_ADD:
    case TPCC_S_DEL_CUSTOMER:
        plan_customer_set(m, s, plan, op);
        return true;
    case TPCC_S_PAY_BY_NAME:
    case TPCC_S_OS_BY_NAME:
        plan_by_name(m, plan, district, (uint32_t)op->key[2]);
        return true;
    case TPCC_S_NO_ITEM:
        plan_row(m, plan, IX_ITEM_KEY, item_rank(op), TOUCH_READ);
        plan_row(m, plan, IX_ITEM, item_rank(op), TOUCH_READ);
        return true;
    case TPCC_S_NO_STOCK:
        heap_plan_row(m, plan, IX_STOCK, IX_STOCK_KEY, stock_rank(op), TOUCH_WRITE);
        return true;
    case TPCC_S_NO_STOCK_SET:
        plan_stock_set(m, s, plan, op);
        return true;
    case TPCC_S_SL_COUNT:
        plan_stock_level(m, plan, op, district);
        return true;
    default:
        return false;
    }
}

static bool plan_orders(const struct model *m, const struct model_session *s, const struct op *op,
                        struct plan *plan, uint32_t district)
{
    uint32_t o = (uint32_t)op->key[2];

    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_NO_NEW_ORDER:
        plan_add(plan, IX_NEW_ORDERS, s->tail, TOUCH_WRITE);
        plan_row(m, plan, IX_NEW_ORDERS_KEY, (uint64_t)(district + 1) * TPCC_LOADED_NEW_ORDERS - 1,
                 TOUCH_WRITE);
        return true;
    case TPCC_S_DEL_OLDEST:
        plan_oldest(m, plan, district);
        return true;
    case TPCC_S_DEL_ORDER:
        plan_row(m, plan, IX_ORDERS_KEY, order_rank(district, o), TOUCH_READ);
        plan_add(plan, IX_ORDERS, tpcc_order_page(m, district, o), TOUCH_READ);
        return true;
    case TPCC_S_DEL_CARRIER:
        plan_carrier(m, s, plan, op, district);
        return true;
    case TPCC_S_DEL_LINES:
        plan_lines_set(m, s, plan, op, district);
        return true;
    default:
        return false;
    }
}

bool postgres_tpcc_plan(const struct model *m, const struct model_session *s, const struct op *op,
                        struct plan *plan)
{
    uint32_t district = tpcc_district_of(op->key[0], op->key[1]);

    return plan_hot(m, s, op, plan, district) || plan_rows(m, s, op, plan, district) ||
           plan_orders(m, s, op, plan, district);
}

/* ---- apply -------------------------------------------------------------------------------------
 */

/* Dead entries that scans came past are marked, and not followed again. */
void postgres_tpcc_apply(struct model *m, struct model_session *s, const struct op *op)
{
    uint32_t district = tpcc_district_of(op->key[0], op->key[1]), matches;

    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_NO_CUSTOMER:
    case TPCC_S_OS_CUSTOMER:
    case TPCC_S_PAY_CUSTOMER:
        heap_row_seen(m, IX_CUSTOMER, customer_rank(op), ENTRY_KEY);
        break;
    case TPCC_S_NO_STOCK:
        heap_row_seen(m, IX_STOCK, stock_rank(op), ENTRY_KEY);
        break;
    case TPCC_S_PAY_BY_NAME:
    case TPCC_S_OS_BY_NAME:
        s->flags |= SESSION_NAMED;
        s->old = index_leaf(&m->layout.index[IX_CUSTOMER_NAME],
                            tpcc_name_row(m, district, (uint32_t)op->key[2]));
        matches = tpcc_name_matches(m, district, (uint32_t)op->key[2]);
        for (uint32_t i = 0; i < matches; i++) {
            uint32_t c = tpcc_name_customer(m, district, (uint32_t)op->key[2], i);

            heap_row_seen(m, IX_CUSTOMER, tpcc_customer_rank(district, c), ENTRY_NAME);
        }
        break;
    case TPCC_S_SL_COUNT:
        for (uint32_t o = first_recent(op); o < op->key[2]; o++) {
            uint32_t lines = tpcc_order_lines(m, district, o);

            for (uint32_t i = 0; i < lines; i++) {
                uint32_t item = tpcc_item_of_line(m, district, o, i);

                heap_row_seen(m, IX_STOCK, tpcc_stock_rank(op->key[0], item ? item : 1), ENTRY_KEY);
            }
        }
        break;
    default:
        break;
    }
}
