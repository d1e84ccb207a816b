#include "model_tpcc.h"
#include "model_postgres.h"

#include <errno.h>

#include "base/mem.h"
#include "base/must.h"

enum { FIRST_NEW_ORDER = 2101, LINES_MEAN = 10, W_YTD = 30000000, D_YTD = 3000000 };
enum { ORDERS_LEAST = 256, ORDERS_MOST = 4096, ORDERS_BYTES = 64 << 20 };

/* ---- answers and counts ------------------------------------------------------------------------
 */

static uint64_t mix(const struct model *m, int64_t a, int64_t b)
{
    return rng_hash(m->tpcc->seed ^ ((uint64_t)a << 32 | (uint64_t)b));
}

/* The middle by first name is any of them with equal chance (WORKLOADS.md 1.4). */
uint32_t tpcc_name_middle(const struct model *m, uint32_t district, uint32_t name, uint32_t matches)
{
    return tpcc_name_customer(m, district, name, (uint32_t)(mix(m, district, name) % matches));
}

static void answer_by_name(const struct model *m, struct op *op, uint32_t district)
{
    uint32_t name = (uint32_t)op->key[2];
    uint32_t matches = tpcc_name_matches(m, district, name);

    op->rows = matches;
    op->answer[0] = tpcc_name_middle(m, district, name, matches);
}

static void answer_last_order(const struct model *m, struct op *op, uint32_t district)
{
    uint32_t c = (uint32_t)op->key[2];
    uint32_t o = m->tpcc->last_order[tpcc_customer_rank(district, c)];

    if (o == 0) {
        o = tpcc_loaded_order_of_customer(m->tpcc->seed, (uint32_t)op->key[0], (uint32_t)op->key[1],
                                          c);
    }
    op->answer[0] = o;
    op->answer[1] = tpcc_order_lines(m, district, o);
}

static void apply_order(struct model *m, struct model_session *s, const struct op *op,
                        uint32_t district)
{
    struct model_tpcc *t = m->tpcc;
    uint32_t o = (uint32_t)op->key[2], c = (uint32_t)op->key[3], lines = (uint32_t)op->key[4];
    uint64_t at = (uint64_t)district * (t->order_mask + 1) + (o & t->order_mask);

    t->orders[at] = t->districts[district].lines << 16 | c << 4 | lines;
    s->flags |= SESSION_ORDER;
    s->ordered.order = o;
    s->ordered.customer = (uint16_t)c;
    s->ordered.line_count = (uint8_t)lines;
    mem_prefetch(&t->last_order[tpcc_customer_rank(district, c)]);
}

static void apply_line(struct model *m, struct model_session *s, const struct op *op,
                       uint32_t district)
{
    uint32_t o = (uint32_t)op->key[2], number = (uint32_t)op->key[3];

    must(number >= 1 && number <= TPCC_MAX_LINES);
    m->tpcc->items[(uint64_t)district * RECENT_ITEMS + o % RECENT_ORDERS * TPCC_MAX_LINES + number -
                   1] = (uint32_t)op->key[4];
    m->tpcc->districts[district].lines++;
    s->ordered.lines++;
}

static void apply_new_order(struct model *m, struct model_session *s, struct op *op,
                            uint32_t district)
{
    struct tpcc_district *at = &m->tpcc->districts[district];

    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_NO_WAREHOUSE:
        op->answer[0] = (int64_t)(mix(m, op->key[0], 1) % 2001);
        break;
    case TPCC_S_NO_CUSTOMER:
        mem_prefetch(at);
        op->answer[0] = (int64_t)(mix(m, district, op->key[2]) % 5001);
        break;
    case TPCC_S_NO_DISTRICT:
        tpcc_ahead_tails(m, district);
        tpcc_ahead_frames(m);
        s->home = district;
        op->answer[0] = at->next_o_id;
        op->answer[1] = (int64_t)(mix(m, district, 2) % 2001);
        break;
    case TPCC_S_NO_DISTRICT_SET:
        tpcc_ahead_tail_pages(m, district);
        at->next_o_id = (uint32_t)op->key[2];
        s->flags |= SESSION_NEXT;
        break;
    case TPCC_S_NO_ORDER:
        apply_order(m, s, op, district);
        break;
    case TPCC_S_NO_NEW_ORDER:
        s->flags |= SESSION_NEW_ORDER;
        break;
    case TPCC_S_NO_ITEM:
        tpcc_ahead_stock(m, s, op->key[0]);
        op->rows = op->key[0] > 0;
        op->answer[0] =
            op->key[0] > 0 ? tpcc_item_price_cents(m->tpcc->seed, (uint32_t)op->key[0]) : 0;
        break;
    case TPCC_S_NO_STOCK:
        /* quantities are not kept: 150 million of them; any in 10 to 100 does */
        op->answer[0] = 10 + (int64_t)((mix(m, op->key[0], op->key[1]) + m->log.lsn) % 91);
        break;
    case TPCC_S_NO_LINE:
        apply_line(m, s, op, district);
        break;
    default:
        break;
    }
}

static void apply_payment(struct model *m, struct model_session *s, struct op *op,
                          uint32_t district)
{
    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_PAY_WAREHOUSE_ADD:
        s->home = tpcc_district_of(op->key[0], 1);
        s->paid_cents[0] = (int32_t)op->key[1];
        s->flags |= SESSION_PAID_W;
        break;
    case TPCC_S_PAY_DISTRICT_ADD:
        s->home = district;
        s->paid_cents[1] = (int32_t)op->key[2];
        tpcc_ahead_frames(m);
        s->flags |= SESSION_PAID_D;
        break;
    case TPCC_S_PAY_BY_NAME:
        answer_by_name(m, op, district);
        break;
    case TPCC_S_PAY_CUSTOMER:
        op->answer[0] = tpcc_loaded_bad_credit(m->tpcc->seed, (uint32_t)op->key[0],
                                               (uint32_t)op->key[1], (uint32_t)op->key[2]);
        break;
    case TPCC_S_PAY_HISTORY:
        s->home = tpcc_district_of(op->key[3], op->key[4]);
        s->paid_cents[2] = (int32_t)op->key[5];
        s->flags |= SESSION_PAID_H;
        break;
    default:
        break;
    }
}

static void apply_delivery(struct model *m, struct model_session *s, struct op *op,
                           uint32_t district)
{
    struct tpcc_district *at = &m->tpcc->districts[district];

    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_DEL_OLDEST:
        tpcc_ahead_delivery(m, district);
        op->rows = at->new_orders > 0;
        op->answer[0] = at->oldest;
        break;
    case TPCC_S_DEL_REMOVE:
        must(op->key[2] == at->oldest && at->new_orders > 0);
        tpcc_ahead_frames(m);
        at->oldest++;
        at->new_orders--;
        s->home = district / TPCC_DISTRICTS * TPCC_DISTRICTS;
        s->delivered |= (uint16_t)(1u << (district % TPCC_DISTRICTS));
        break;
    case TPCC_S_DEL_ORDER:
        op->answer[0] = tpcc_order_customer(m, district, (uint32_t)op->key[2]);
        op->answer[1] = tpcc_order_lines(m, district, (uint32_t)op->key[2]);
        break;
    case TPCC_S_DEL_LINES:
        op->rows = tpcc_order_lines(m, district, (uint32_t)op->key[2]);
        break;
    case TPCC_S_DEL_SUM:
        op->rows = tpcc_order_lines(m, district, (uint32_t)op->key[2]);
        op->answer[0] = (int64_t)(mix(m, district, op->key[2]) % 1000000);
        break;
    default:
        break;
    }
}

static void apply_stock_level(struct model *m, struct op *op)
{
    op->rows = 20 * LINES_MEAN;
    /* quantities are uniform on 10 to 100: so many of 200 are below the threshold */
    op->answer[0] = (op->key[3] - 10) * op->rows / 91;
}

void tpcc_rows_apply(struct model *m, struct model_session *s, struct op *op)
{
    uint32_t district = tpcc_district_of(op->key[0], op->key[1]);

    op->rows = 1;
    if (m->postgres) {
        postgres_tpcc_apply(m, s, op);
    }
    if (op->statement <= TPCC_S_NO_LINE) {
        apply_new_order(m, s, op, district);
        return;
    }
    if (op->statement <= TPCC_S_PAY_HISTORY) {
        apply_payment(m, s, op, district);
        return;
    }
    switch ((enum tpcc_statement)op->statement) {
    case TPCC_S_OS_BY_NAME:
        answer_by_name(m, op, district);
        break;
    case TPCC_S_OS_LAST_ORDER:
        answer_last_order(m, op, district);
        break;
    case TPCC_S_OS_LINES:
        op->rows = tpcc_order_lines(m, district, (uint32_t)op->key[2]);
        break;
    case TPCC_S_SL_DISTRICT:
        op->answer[0] = m->tpcc->districts[district].next_o_id;
        break;
    case TPCC_S_SL_COUNT:
        apply_stock_level(m, op);
        break;
    default:
        apply_delivery(m, s, op, district);
    }
}

/* ---- the end of a transaction ------------------------------------------------------------------
 */

/* innodb: the rows that it marked as deleted go when purge comes past them. */
static void purge_delivered(struct model *m, const struct model_session *s)
{
    for (uint32_t d = 0; m->purge && d < TPCC_DISTRICTS; d++) {
        if (s->delivered >> d & 1) {
            purge_later(m, IX_NEW_ORDERS, s->home + d);
        }
    }
}

static void rows_commit(struct model *m, struct model_session *s)
{
    struct model_tpcc *t = m->tpcc;
    struct tpcc_district *at = &t->districts[s->home];
    struct tpcc_warehouse *w = &t->warehouses[s->home / TPCC_DISTRICTS];

    if (s->flags & SESSION_ORDER) {
        at->last_order = s->ordered.order > at->last_order ? s->ordered.order : at->last_order;
        at->lines_claimed += s->ordered.line_count;
        at->lines_inserted += s->ordered.lines;
        t->last_order[tpcc_customer_rank(s->home, s->ordered.customer)] = s->ordered.order;
    }
    if (s->delivered && t->new_order.leaves) {
        purge_delivered(m, s);
    }
    if (s->flags & SESSION_NEW_ORDER) {
        at->last_new_order = s->ordered.order;
        at->new_orders++;
    }
    if (s->flags & SESSION_PAID_W) {
        w->ytd_cents += s->paid_cents[0];
    }
    if (s->flags & SESSION_PAID_D) {
        at->ytd_cents += s->paid_cents[1];
    }
    if (s->flags & SESSION_PAID_H) {
        w->history_cents += s->paid_cents[2];
        at->history_cents += s->paid_cents[2];
    }
    /* it is committed: nothing of it may be undone any more */
    s->flags &= SESSION_TXN | SESSION_WROTE;
    s->delivered = 0;
}

/* All changes are logged once more as they are undone (MODEL.md 4.1). */
static void log_undo(struct model *m, const struct model_session *s)
{
    const uint16_t *log = m->statement_log;
    uint32_t line = (uint32_t)log[TPCC_S_NO_LINE] + log[TPCC_S_NO_STOCK_SET];

    if (s->flags & SESSION_WROTE) {
        log_append(&m->log, m->log_bytes->commit);
    }
    /* postgres leaves the versions where they are */
    if ((s->flags & SESSION_ORDER) && m->postgres == NULL) {
        log_append(&m->log, log[TPCC_S_NO_ORDER] + s->ordered.lines * line);
    }
}

static void rows_rollback(struct model *m, struct model_session *s)
{
    struct model_tpcc *t = m->tpcc;

    log_undo(m, s);
    if (s->flags & SESSION_NEXT) {
        t->districts[s->home].next_o_id--;
    }
    if ((s->flags & SESSION_NEW_ORDER) && t->new_order.leaves) {
        new_order_withdraw(m, s->home);
    }
    if (s->flags & SESSION_ORDER) {
        t->districts[s->home].lines -= s->ordered.lines;
    }
    for (uint32_t d = 0; d < TPCC_DISTRICTS; d++) {
        if (s->delivered >> d & 1) {
            t->districts[s->home + d].oldest--;
            t->districts[s->home + d].new_orders++;
            if (t->new_order.leaves) {
                new_order_return(m, s->home + d, t->districts[s->home + d].oldest);
            }
        }
    }
    s->delivered = 0;
    s->flags &= SESSION_TXN | SESSION_WROTE;
}

/* ---- conditions (TPC-C 3.3.2) ------------------------------------------------------------------
 */

struct broken {
    uint32_t one, two, three, four, eight, nine;
};

static void check_district(const struct tpcc_district *at, struct broken *broken)
{
    uint32_t last = at->next_o_id - 1;

    broken->two += at->last_order != last || (at->new_orders > 0 && at->last_new_order != last);
    broken->three += at->last_new_order + 1 - at->oldest != at->new_orders;
    broken->four += at->lines_claimed != at->lines_inserted || at->lines != at->lines_inserted;
    broken->nine += at->ytd_cents != at->history_cents;
}

static uint32_t rows_check(struct model *m, struct target_check *ret, uint32_t limit)
{
    const struct model_tpcc *t = m->tpcc;
    struct broken broken = {0};
    int64_t sum = 0;

    if (limit < 6) {
        return 0;
    }
    for (uint32_t i = 0; i < t->district_count; i++) {
        const struct tpcc_warehouse *w = &t->warehouses[i / TPCC_DISTRICTS];

        check_district(&t->districts[i], &broken);
        sum += t->districts[i].ytd_cents;
        if (i % TPCC_DISTRICTS == TPCC_DISTRICTS - 1) {
            broken.one += w->ytd_cents != sum;
            broken.eight += w->ytd_cents != w->history_cents;
            sum = 0;
        }
    }
    ret[0] = check_equal("tpcc.1", 0, broken.one, EXIT_WRONG_DATA);
    ret[1] = check_equal("tpcc.2", 0, broken.two, EXIT_WRONG_DATA);
    ret[2] = check_equal("tpcc.3", 0, broken.three, EXIT_WRONG_DATA);
    ret[3] = check_equal("tpcc.4", 0, broken.four, EXIT_WRONG_DATA);
    ret[4] = check_equal("tpcc.8", 0, broken.eight, EXIT_WRONG_DATA);
    ret[5] = check_equal("tpcc.9", 0, broken.nine, EXIT_WRONG_DATA);
    return 6;
}

/* ---- memory ------------------------------------------------------------------------------------
 */

static uint32_t order_mask_of(uint32_t districts)
{
    uint32_t orders = ORDERS_LEAST;

    while (orders < ORDERS_MOST && (uint64_t)orders * 2 * 4 * districts <= ORDERS_BYTES) {
        orders *= 2;
    }
    return orders - 1;
}

/* As many pages as hold the orders that are remembered. */
static uint32_t tail_mask_of(uint32_t rows, uint32_t tail_rows)
{
    uint32_t pages = 4;

    while ((uint64_t)pages * tail_rows < rows) {
        pages *= 2;
    }
    return pages - 1;
}

static uint64_t tail_bytes(const struct model_tpcc *t, const struct tpcc_tail *tail)
{
    return (uint64_t)t->district_count * (tail->mask + 1) * 4;
}

static void tpcc_sizes(struct model_tpcc *t, const struct model_layout *layout, uint32_t warehouses,
                       bool innodb)
{
    uint32_t orders;

    t->district_count = warehouses * TPCC_DISTRICTS;
    t->order_mask = order_mask_of(t->district_count);
    orders = t->order_mask + 1;
    t->order_tail.mask = tail_mask_of(orders, layout->index[IX_ORDERS].tail_rows);
    t->new_order_tail.mask =
        innodb ? 0 : tail_mask_of(orders, layout->index[IX_NEW_ORDERS].tail_rows);
    t->line_tail.mask = tail_mask_of(orders * LINES_MEAN, layout->index[IX_ORDER_LINE].tail_rows);
}

static uint64_t rows_bytes(const struct model_tpcc *t, uint32_t what)
{
    uint64_t n = t->district_count;

    switch (what) {
    case 0:
        return n / TPCC_DISTRICTS * sizeof(struct tpcc_warehouse);
    case 1:
        return n * sizeof(struct tpcc_district);
    case 2:
        return n * (t->order_mask + 1) * 4;
    case 3:
        return n * RECENT_ITEMS * 4;
    case 4:
        return n * TPCC_CUSTOMERS * 4;
    case 5:
        return tail_bytes(t, &t->order_tail);
    case 6:
        return tail_bytes(t, &t->new_order_tail);
    default:
        return tail_bytes(t, &t->line_tail);
    }
}

enum { ARRAYS = 8 };

static void rows_arrays(struct model_tpcc *t, void **ret[ARRAYS])
{
    ret[0] = (void **)&t->warehouses;
    ret[1] = (void **)&t->districts;
    ret[2] = (void **)&t->orders;
    ret[3] = (void **)&t->items;
    ret[4] = (void **)&t->last_order;
    ret[5] = (void **)&t->order_tail.pages;
    ret[6] = (void **)&t->new_order_tail.pages;
    ret[7] = (void **)&t->line_tail.pages;
}

uint64_t tpcc_rows_memory_bytes(const struct model_settings *settings)
{
    struct model_layout layout;
    struct model_tpcc t = {0};
    struct error err;
    uint64_t sum = sizeof(t);

    if (layout_open(&layout, settings, true, &err) != 0) {
        return 0;
    }
    tpcc_sizes(&t, &layout, settings->tpcc.warehouses, settings->profile == MODEL_INNODB);
    for (uint32_t i = 0; i < ARRAYS; i++) {
        sum += rows_bytes(&t, i);
    }
    return sum + new_order_memory_bytes(settings, &layout.index[IX_NEW_ORDERS]) +
           random_memory_bytes(&layout.index[IX_ORDERS_CUSTOMER]) +
           random_memory_bytes(&layout.index[IX_LINE_STOCK]) +
           random_memory_bytes(&layout.index[IX_HISTORY_CUSTOMER]);
}

static void rows_close(struct model *m)
{
    struct model_tpcc *t = m->tpcc;
    void **arrays[ARRAYS];

    rows_arrays(t, arrays);
    for (uint32_t i = 0; i < ARRAYS; i++) {
        mem_large_free(*arrays[i], rows_bytes(t, i));
    }
    new_order_close(&t->new_order);
    random_close(&t->orders_customer);
    random_close(&t->line_stock);
    random_close(&t->history_customer);
    mem_free(t);
    m->tpcc = NULL;
}

/*
 * NURand(255, 0, 999) by counting all that it can draw: how many of 2,000 customers of the load
 * have each name, on average.
 */
static void count_names(struct model_tpcc *t, uint32_t c_last_load, bool per_call)
{
    uint32_t count[TPCC_NAMES] = {0};
    double before = 0;

    for (uint32_t a = 0; a < 256; a++) {
        for (uint32_t b = 0; b < TPCC_NAMES; b++) {
            /* C drawn at every call as good as levels them */
            count[per_call ? b : ((a | b) + c_last_load) % TPCC_NAMES]++;
        }
    }
    for (uint32_t i = 0; i < TPCC_NAMES; i++) {
        t->name_rank[i] = (uint16_t)before;
        t->name_mean[i] = (float)(2000.0 * count[i] / (256.0 * TPCC_NAMES));
        before += 1 + 2000.0 * count[i] / (256.0 * TPCC_NAMES);
    }
}

static void populate(struct model_tpcc *t)
{
    for (uint32_t i = 0; i < t->district_count; i++) {
        t->districts[i] = (struct tpcc_district){
            .next_o_id = TPCC_LOADED_ORDERS + 1,
            .last_order = TPCC_LOADED_ORDERS,
            .last_new_order = TPCC_LOADED_ORDERS,
            .oldest = FIRST_NEW_ORDER,
            .new_orders = TPCC_LOADED_NEW_ORDERS,
            .ytd_cents = D_YTD,
            .history_cents = D_YTD,
        };
    }
    for (uint32_t i = 0; i < t->district_count / TPCC_DISTRICTS; i++) {
        t->warehouses[i] = (struct tpcc_warehouse){.ytd_cents = W_YTD, .history_cents = W_YTD};
    }
}

static const struct rows_ops tpcc_rows_ops = {
    .foresee = tpcc_rows_foresee,
    .lock = tpcc_rows_lock,
    .prepare = tpcc_rows_prepare,
    .plan = tpcc_rows_plan,
    .apply = tpcc_rows_apply,
    .commit = rows_commit,
    .rollback = rows_rollback,
    .check = rows_check,
    .close = rows_close,
};

int tpcc_rows_open(struct model *m, struct error *err)
{
    struct model_tpcc *t = m->tpcc = mem_zalloc(sizeof(*t));
    struct tpcc_constants constants;
    void **arrays[ARRAYS];
    int code;

    if (t == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the rows of TPC-C");
    }
    m->rows = &tpcc_rows_ops;
    t->seed = m->is.tpcc.seed;
    tpcc_sizes(t, &m->layout, m->is.tpcc.warehouses, m->is.profile == MODEL_INNODB);
    rows_arrays(t, arrays);
    for (uint32_t i = 0; i < ARRAYS; i++) {
        *arrays[i] = mem_large(rows_bytes(t, i));
        if (*arrays[i] == NULL) {
            return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the rows of %u warehouses",
                             m->is.tpcc.warehouses);
        }
    }
    tpcc_constants(t->seed, &constants);
    count_names(t, constants.c_last_load, m->is.names_loaded_per_call);
    populate(t);
    if ((code = new_order_open(&t->new_order, m, err)) ||
        (code = random_open(&t->orders_customer, m, IX_ORDERS_CUSTOMER,
                            layout_full(&m->is, IX_ORDERS_CUSTOMER), err)) ||
        (code = random_open(&t->line_stock, m, IX_LINE_STOCK, layout_full(&m->is, IX_LINE_STOCK),
                            err))) {
        return code;
    }
    return random_open(&t->history_customer, m, IX_HISTORY_CUSTOMER,
                       layout_full(&m->is, IX_HISTORY_CUSTOMER), err);
}
