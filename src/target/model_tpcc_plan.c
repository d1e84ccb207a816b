#include <stddef.h>

#include "base/must.h"
#include "model_postgres.h"
#include "model_tpcc.h"

/* Pages of the statements: MODEL.md 4.1. */

enum { FIRST_ORDER = TPCC_LOADED_ORDERS + 1, STOCK_LEVEL_ORDERS = 20 };
enum { LOCK_WAREHOUSE = 1, LOCK_DISTRICT, LOCK_CUSTOMER, LOCK_STOCK, LOCK_OLDEST, LOCK_SHIFT = 56 };

/* ---- locks -------------------------------------------------------------------------------------
 */

static uint64_t lock_key(uint64_t table, uint64_t row)
{
    return table << LOCK_SHIFT | row;
}

uint64_t tpcc_stock_lock(int64_t w, int64_t i)
{
    return lock_key(LOCK_STOCK, tpcc_stock_rank(w, i));
}

/* The statements behind a FOR UPDATE hold its lock already. */
uint64_t tpcc_rows_lock(struct model *m, const struct op *op, bool *ret_hot)
{
    const int64_t *key = op->key;

    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_PAY_WAREHOUSE_ADD:
        *ret_hot = true;
        return lock_key(LOCK_WAREHOUSE, (uint64_t)key[0]);
    case TPCC_S_NO_DISTRICT:
    case TPCC_S_PAY_DISTRICT_ADD:
        *ret_hot = true;
        return lock_key(LOCK_DISTRICT, tpcc_district_of(key[0], key[1]));
    case TPCC_S_NO_STOCK:
        return tpcc_stock_lock(key[0], key[1]);
    case TPCC_S_PAY_CUSTOMER:
    case TPCC_S_DEL_CUSTOMER:
        return lock_key(LOCK_CUSTOMER,
                        tpcc_customer_rank(tpcc_district_of(key[0], key[1]), key[2]));
    case TPCC_S_DEL_OLDEST:
        return lock_key(LOCK_OLDEST, tpcc_district_of(key[0], key[1]));
    default:
        return 0;
    }
}

/* ---- prepare -----------------------------------------------------------------------------------
 */

static void prepare_order(struct model *m, struct model_session *s, const struct op *op,
                          uint32_t district)
{
    struct model_tpcc *t = m->tpcc;

    s->tail =
        tpcc_tail_page(m, &t->order_tail, IX_ORDERS, district, (uint32_t)op->key[2] - FIRST_ORDER);
    random_insert(&t->orders_customer, m, s, tpcc_customer_rank(district, op->key[3]),
                  rng_u64(&m->rng));
}

static void prepare_new_order(struct model *m, struct model_session *s, const struct op *op,
                              uint32_t district)
{
    struct model_tpcc *t = m->tpcc;

    if (t->new_order.leaves) {
        new_order_insert(m, s, district);
        return;
    }
    s->tail = tpcc_tail_page(m, &t->new_order_tail, IX_NEW_ORDERS, district,
                             (uint32_t)op->key[2] - FIRST_ORDER);
}

static void prepare_line(struct model *m, struct model_session *s, const struct op *op,
                         uint32_t district)
{
    struct model_tpcc *t = m->tpcc;

    s->tail =
        tpcc_tail_page(m, &t->line_tail, IX_ORDER_LINE, district, t->districts[district].lines);
    if (t->line_stock.fill) {
        log_append(&m->log, m->log_bytes->leaf_insert);
        random_insert(&t->line_stock, m, s, 3 * tpcc_stock_rank(op->key[5], op->key[4]),
                      rng_u64(&m->rng));
    }
}

static void prepare_history(struct model *m, struct model_session *s, const struct op *op)
{
    struct model_tpcc *t = m->tpcc;

    s->tail = tpcc_heap_tail(m, IX_HISTORY);
    if (t->history_customer.fill) {
        log_append(&m->log, 2u * m->log_bytes->leaf_insert);
        random_insert(&t->history_customer, m, s,
                      tpcc_customer_rank(tpcc_district_of(op->key[0], op->key[1]), op->key[2]),
                      rng_u64(&m->rng));
    }
}

static void prepare_lines(struct model *m, struct model_session *s, uint32_t district, uint32_t o)
{
    uint32_t beside[2];

    if (tpcc_lines_grow(m, district, o, beside) == LINES_SPLIT) {
        s->split = model_grow(m, IX_ORDER_LINE);
        log_append(&m->log, m->log_bytes->split);
    }
}

static void prepare_customer(struct model *m, struct model_session *s, const struct op *op)
{
    if (op->statement == TPCC_S_PAY_CUSTOMER_ADD && op->key[6]) {
        log_append(&m->log, m->log_bytes->bad_credit);
        s->flags |= SESSION_WROTE;
    }
}

static void plan_recent_lines(const struct model *m, struct plan *plan, const struct op *op,
                              uint32_t district, uint32_t from)
{
    uint32_t before = POOL_NO_PAGE;

    plan_dive(m, plan, IX_STOCK, tpcc_stock_rank(op->key[0], 1),
              tpcc_stock_rank(op->key[0], TPCC_ITEMS));
    for (uint32_t o = from; o < op->key[2]; o++) {
        before = tpcc_plan_lines(m, plan, district, o, TOUCH_READ, before);
    }
}

static uint32_t first_recent(const struct op *op)
{
    return op->key[2] > STOCK_LEVEL_ORDERS ? (uint32_t)op->key[2] - STOCK_LEVEL_ORDERS : 1;
}

/* How many pages of lines there are, so that it can be resumed behind them. */
static void prepare_stock_level(struct model *m, struct model_session *s, const struct op *op,
                                uint32_t district)
{
    m->plan.base = m->plan.count = 0;
    plan_recent_lines(m, &m->plan, op, district, first_recent(op));
    s->leaf = m->plan.count;
}

void tpcc_rows_prepare(struct model *m, struct model_session *s, const struct op *op)
{
    struct model_tpcc *t = m->tpcc;
    uint32_t district = tpcc_district_of(op->key[0], op->key[1]);

    if (m->postgres) {
        postgres_tpcc_prepare(m, s, op);
        return;
    }
    s->tail = s->leaf = s->split = POOL_NO_PAGE;
    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_NO_ORDER:
        prepare_order(m, s, op, district);
        break;
    case TPCC_S_NO_NEW_ORDER:
        prepare_new_order(m, s, op, district);
        break;
    case TPCC_S_NO_LINE:
        prepare_line(m, s, op, district);
        break;
    case TPCC_S_PAY_CUSTOMER_ADD:
        prepare_customer(m, s, op);
        break;
    case TPCC_S_PAY_HISTORY:
        prepare_history(m, s, op);
        break;
    case TPCC_S_DEL_REMOVE:
        if (t->new_order.leaves) {
            new_order_mark(m, s, district);
        }
        break;
    case TPCC_S_DEL_LINES:
        prepare_lines(m, s, district, (uint32_t)op->key[2]);
        break;
    case TPCC_S_SL_COUNT:
        prepare_stock_level(m, s, op, district);
        break;
    default:
        break;
    }
}

/* ---- plan --------------------------------------------------------------------------------------
 */

static void plan_customer(const struct model *m, struct plan *plan, uint32_t district, int64_t c,
                          enum touch_mode mode)
{
    uint64_t rank = tpcc_customer_rank(district, c);

    plan_row(m, plan, IX_CUSTOMER_KEY, rank, TOUCH_READ);
    plan_row(m, plan, IX_CUSTOMER, rank, mode);
}

/* The update of a customer estimates the name index over the district too (innodb). */
static void plan_customer_set(const struct model *m, struct plan *plan, const struct op *op,
                              uint32_t district)
{
    plan_dive(m, plan, IX_CUSTOMER_NAME, tpcc_customer_rank(district, 1),
              tpcc_customer_rank(district, TPCC_CUSTOMERS));
    plan_customer(m, plan, district, op->key[2], TOUCH_WRITE);
}

/* Count and fetch: two queries. Rows come from the table where the index lacks their number. */
static void plan_by_name(const struct model *m, struct plan *plan, uint32_t district, uint32_t name,
                         bool rows)
{
    uint32_t matches = rows ? tpcc_name_matches(m, district, name) : 0;

    for (uint32_t query = 0; query < 2; query++) {
        plan_dive(m, plan, IX_CUSTOMER, tpcc_customer_rank(district, 1),
                  tpcc_customer_rank(district, TPCC_CUSTOMERS));
        plan_row(m, plan, IX_CUSTOMER_NAME, tpcc_name_row(m, district, name), TOUCH_READ);
        for (uint32_t i = 0; i < matches; i++) {
            plan_row(m, plan, IX_CUSTOMER,
                     tpcc_customer_rank(district, tpcc_name_customer(m, district, name, i)),
                     TOUCH_READ);
        }
    }
}

static void plan_stock(const struct model *m, struct plan *plan, int64_t w, int64_t i,
                       enum touch_mode mode)
{
    uint64_t rank = tpcc_stock_rank(w, i);

    plan_row(m, plan, IX_STOCK_KEY, rank, TOUCH_READ);
    plan_row(m, plan, IX_STOCK, rank, mode);
}

static void plan_item(const struct model *m, struct plan *plan, int64_t item)
{
    plan_row(m, plan, IX_ITEM, (uint64_t)(item > 0 ? item - 1 : TPCC_ITEMS - 1), TOUCH_READ);
}

static void plan_stock_set(const struct model *m, struct plan *plan, const struct op *op)
{
    uint64_t by_item = (uint64_t)(op->key[1] - 1) * m->is.tpcc.warehouses;

    plan_row(m, plan, IX_STOCK_ITEM, by_item + (uint64_t)op->key[0] - 1, TOUCH_READ);
    plan_stock(m, plan, op->key[0], op->key[1], TOUCH_WRITE);
}

static void plan_order(const struct model *m, const struct model_session *s, struct plan *plan,
                       uint32_t district)
{
    plan_add(plan, IX_ORDERS, s->tail, TOUCH_WRITE);
    plan_row(m, plan, IX_ORDERS_KEY, (uint64_t)(district + 1) * TPCC_LOADED_ORDERS - 1,
             TOUCH_WRITE);
    random_plan(m, s, plan, IX_ORDERS_CUSTOMER);
}

static void plan_line(const struct model *m, const struct model_session *s, struct plan *plan,
                      uint32_t district)
{
    plan_add(plan, IX_ORDER_LINE, s->tail, TOUCH_WRITE);
    plan_row(m, plan, IX_ORDER_LINE_KEY, (uint64_t)(district + 1) * TPCC_LOADED_ORDERS * 10 - 1,
             TOUCH_WRITE);
    if (s->leaf != POOL_NO_PAGE) {
        random_plan(m, s, plan, IX_LINE_STOCK);
    }
}

static void plan_history(const struct model *m, const struct model_session *s, struct plan *plan,
                         uint32_t district)
{
    plan_add(plan, IX_HISTORY, s->tail, TOUCH_WRITE);
    if (s->leaf != POOL_NO_PAGE) {
        random_plan(m, s, plan, IX_HISTORY_CUSTOMER);
        plan_row(m, plan, IX_HISTORY_DISTRICT, (uint64_t)(district + 1) * TPCC_CUSTOMERS - 1,
                 TOUCH_WRITE);
    }
}

static void plan_last_order(const struct model *m, struct plan *plan, uint32_t district, int64_t c)
{
    uint64_t rank = tpcc_customer_rank(district, c);
    uint32_t o = m->tpcc->last_order[rank];
    uint32_t loaded = tpcc_loaded_order_of_customer(m->tpcc->seed, district / TPCC_DISTRICTS + 1,
                                                    district % TPCC_DISTRICTS + 1, (uint32_t)c);

    plan_dive(m, plan, IX_ORDERS, (uint64_t)district * TPCC_LOADED_ORDERS,
              (uint64_t)(district + 1) * TPCC_LOADED_ORDERS - 1);
    plan_add(plan, IX_ORDERS_CUSTOMER, random_page(&m->tpcc->orders_customer, m, rank, rank),
             TOUCH_READ);
    plan_add(plan, IX_ORDERS, tpcc_order_page(m, district, loaded), TOUCH_READ);
    if (o) {
        plan_add(plan, IX_ORDERS, tpcc_order_page(m, district, o), TOUCH_READ);
    }
}

static void plan_oldest(const struct model *m, struct plan *plan, uint32_t district)
{
    const struct tpcc_district *at = &m->tpcc->districts[district];

    if (m->tpcc->new_order.leaves) {
        new_order_dive(m, plan, district);
        return;
    }
    plan_dive(m, plan, IX_NEW_ORDERS, (uint64_t)district * TPCC_LOADED_NEW_ORDERS,
              (uint64_t)(district + 1) * TPCC_LOADED_NEW_ORDERS - 1);
    plan_add(plan, IX_NEW_ORDERS, tpcc_new_order_page(m, district, at->oldest), TOUCH_READ);
}

static void plan_stocks(const struct model *m, struct plan *plan, int64_t w, uint32_t district,
                        uint32_t o)
{
    uint32_t lines = tpcc_order_lines(m, district, o);
    uint32_t touches = lines * (m->layout.index[IX_STOCK_KEY].leaves ? 2 : 1);

    if (plan->count + touches <= plan->base || plan->count >= plan->base + PLAN_TOUCHES) {
        plan->count += touches; /* done before the session waited, or not its turn yet */
        return;
    }
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t item = tpcc_item_of_line(m, district, o, i);

        /* 0: an order that is under way, with nothing before it */
        plan_stock(m, plan, w, item ? item : 1, TOUCH_READ);
    }
}

/* Lines of the last 20 orders, then the stock of each of their items: it is resumed often. */
static void plan_stock_level(const struct model *m, const struct model_session *s,
                             struct plan *plan, const struct op *op, uint32_t district)
{
    if (plan->base >= s->leaf) {
        plan->count = s->leaf;
    } else {
        plan_recent_lines(m, plan, op, district, first_recent(op));
    }
    for (uint32_t o = first_recent(op); o < op->key[2]; o++) {
        plan_stocks(m, plan, op->key[0], district, o);
    }
}

/* Lines get their date; both neighbours are latched where that is not done in the page alone. */
static void plan_lines_set(const struct model *m, const struct model_session *s, struct plan *plan,
                           uint32_t district, uint32_t o)
{
    uint32_t beside[2];
    enum lines_growth growth = tpcc_lines_grow(m, district, o, beside);

    tpcc_plan_lines(m, plan, district, o, TOUCH_WRITE, POOL_NO_PAGE);
    if (growth == LINES_FIT) {
        return;
    }
    plan_add(plan, IX_ORDER_LINE, beside[0], TOUCH_READ);
    plan_add(plan, IX_ORDER_LINE, beside[1], s->split != POOL_NO_PAGE ? TOUCH_WRITE : TOUCH_READ);
    if (s->split != POOL_NO_PAGE) {
        plan_add(plan, IX_ORDER_LINE, s->split, TOUCH_WRITE);
    }
}

static void plan_delivery(const struct model *m, const struct model_session *s, struct plan *plan,
                          const struct op *op, uint32_t district)
{
    uint32_t o = (uint32_t)op->key[2];

    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_DEL_OLDEST:
        plan_oldest(m, plan, district);
        break;
    case TPCC_S_DEL_REMOVE:
        if (m->tpcc->new_order.leaves) {
            random_plan(m, s, plan, IX_NEW_ORDERS);
        } else {
            plan_add(plan, IX_NEW_ORDERS, tpcc_new_order_page(m, district, o), TOUCH_WRITE);
        }
        break;
    case TPCC_S_DEL_ORDER:
        plan_add(plan, IX_ORDERS, tpcc_order_page(m, district, o), TOUCH_READ);
        break;
    case TPCC_S_DEL_CARRIER:
        plan_dive(m, plan, IX_ORDERS_CUSTOMER, tpcc_customer_rank(district, 1),
                  tpcc_customer_rank(district, TPCC_CUSTOMERS));
        plan_add(plan, IX_ORDERS, tpcc_order_page(m, district, o), TOUCH_WRITE);
        break;
    case TPCC_S_DEL_LINES:
        plan_lines_set(m, s, plan, district, o);
        break;
    case TPCC_S_DEL_SUM:
        tpcc_plan_lines(m, plan, district, o, TOUCH_READ, POOL_NO_PAGE);
        break;
    default:
        plan_customer_set(m, plan, op, district);
    }
}

static void plan_payment(const struct model *m, const struct model_session *s, struct plan *plan,
                         const struct op *op, uint32_t district)
{
    bool adds =
        op->statement == TPCC_S_PAY_WAREHOUSE_ADD || op->statement == TPCC_S_PAY_DISTRICT_ADD;
    enum touch_mode mode = adds ? TOUCH_WRITE : TOUCH_READ;

    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_PAY_WAREHOUSE_ADD:
    case TPCC_S_PAY_WAREHOUSE:
        plan_row(m, plan, IX_WAREHOUSE, (uint64_t)op->key[0] - 1, mode);
        break;
    case TPCC_S_PAY_DISTRICT_ADD:
    case TPCC_S_PAY_DISTRICT:
        plan_row(m, plan, IX_DISTRICT, district, mode);
        break;
    case TPCC_S_PAY_BY_NAME:
        plan_by_name(m, plan, district, (uint32_t)op->key[2], false);
        break;
    case TPCC_S_PAY_CUSTOMER:
        plan_customer(m, plan, district, op->key[2], TOUCH_READ);
        break;
    case TPCC_S_PAY_CUSTOMER_ADD:
        plan_customer_set(m, plan, op, district);
        break;
    default:
        plan_history(m, s, plan, tpcc_district_of(op->key[3], op->key[4]));
    }
}

static void plan_new_order(const struct model *m, const struct model_session *s, struct plan *plan,
                           const struct op *op, uint32_t district)
{
    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_NO_WAREHOUSE:
        plan_row(m, plan, IX_WAREHOUSE, (uint64_t)op->key[0] - 1, TOUCH_READ);
        break;
    case TPCC_S_NO_CUSTOMER:
        plan_customer(m, plan, district, op->key[2], TOUCH_READ);
        break;
    case TPCC_S_NO_DISTRICT:
        plan_row(m, plan, IX_DISTRICT, district, TOUCH_READ);
        break;
    case TPCC_S_NO_DISTRICT_SET:
        plan_row(m, plan, IX_DISTRICT, district, TOUCH_WRITE);
        break;
    case TPCC_S_NO_ORDER:
        plan_order(m, s, plan, district);
        break;
    case TPCC_S_NO_NEW_ORDER:
        if (m->tpcc->new_order.leaves) {
            random_plan(m, s, plan, IX_NEW_ORDERS);
        } else {
            plan_add(plan, IX_NEW_ORDERS, s->tail, TOUCH_WRITE);
        }
        break;
    case TPCC_S_NO_ITEM:
        plan_item(m, plan, op->key[0]);
        break;
    case TPCC_S_NO_STOCK:
        plan_stock(m, plan, op->key[0], op->key[1], TOUCH_READ);
        break;
    case TPCC_S_NO_STOCK_SET:
        plan_stock_set(m, plan, op);
        break;
    default:
        plan_line(m, s, plan, district);
    }
}

void tpcc_rows_plan(struct model *m, const struct model_session *s, const struct op *op,
                    struct plan *plan)
{
    uint32_t district = tpcc_district_of(op->key[0], op->key[1]);

    if (m->postgres && postgres_tpcc_plan(m, s, op, plan)) {
        return;
    }
    if (op->statement <= TPCC_S_NO_LINE) {
        plan_new_order(m, s, plan, op, district);
        return;
    }
    if (op->statement <= TPCC_S_PAY_HISTORY) {
        plan_payment(m, s, plan, op, district);
        return;
    }
    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_OS_BY_NAME:
        plan_by_name(m, plan, district, (uint32_t)op->key[2], true);
        break;
    case TPCC_S_OS_CUSTOMER:
        plan_customer(m, plan, district, op->key[2], TOUCH_READ);
        break;
    case TPCC_S_OS_LAST_ORDER:
        plan_last_order(m, plan, district, op->key[2]);
        break;
    case TPCC_S_OS_LINES:
        tpcc_plan_lines(m, plan, district, (uint32_t)op->key[2], TOUCH_READ, POOL_NO_PAGE);
        break;
    case TPCC_S_SL_DISTRICT:
        plan_row(m, plan, IX_DISTRICT, district, TOUCH_READ);
        break;
    case TPCC_S_SL_COUNT:
        plan_stock_level(m, s, plan, op, district);
        break;
    default:
        plan_delivery(m, s, plan, op, district);
    }
}
