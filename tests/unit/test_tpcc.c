/* rooms: base workload. What TPC-C asks for, in which order, with which numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "workload/tpcc.h"
#include "workload_fixture.h"

static const struct tpcc_settings settings = {
    .warehouses = 20,
    .users = 200,
    .deck = true,
    .weights = {0.45, 0.43, 0.04, 0.04, 0.04},
    .wait_factor = 1,
    .seed = 1,
};

static struct fixture *fixture_open(const struct tpcc_settings *from)
{
    struct error err;

    return fixture_of(tpcc_open(from, &err));
}

static void run(struct fixture *fix)
{
    stub_run(fix->workload, &fix->txn, true, &fix->asked);
}

/* Draws until there is one of the kind that asks for `statement` (TPCC_S_BEGIN: any). */
static void choose_kind(struct fixture *fix, uint32_t user, enum tpcc_kind kind,
                        enum tpcc_statement statement)
{
    struct txn txn;

    for (;;) {
        fixture_choose(fix, user);
        txn = fix->txn;
        run(fix);
        for (uint32_t i = 0; txn.kind == kind && i < fix->asked.count; i++) {
            if (fix->asked.ops[i].statement == statement) {
                fix->txn = txn;
                return;
            }
        }
    }
}

/* ---- order of statements --------------------------------------------------------------------- */

static void names(const struct stub_txn *asked, char *text, size_t size)
{
    size_t at = 0;

    text[0] = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        at += (size_t)snprintf(text + at, size - at, "%s\n",
                               tpcc_catalog()->statements[asked->ops[i].statement].name);
    }
}

static void assert_order(struct fixture *fix, enum tpcc_kind kind, enum tpcc_statement with,
                         const char *golden)
{
    char text[16384];

    choose_kind(fix, 3, kind, with);
    run(fix);
    names(&fix->asked, text, sizeof(text));
    assert_string_equal(text, golden);
}

static void payment_asks_in_order(void **state)
{
    struct fixture *fix = fixture_open(&settings);

    assert_order(fix, TPCC_PAYMENT, TPCC_S_PAY_BY_NAME,
                 "begin\npayment.warehouse_add\npayment.warehouse\npayment.district_add\n"
                 "payment.district\npayment.customer_by_name\npayment.customer_for_update\n"
                 "payment.customer_add\npayment.insert_history\ncommit\n");
    do {
        choose_kind(fix, 3, TPCC_PAYMENT, TPCC_S_BEGIN);
    } while (fix->asked.count == 10);
    run(fix);
    assert_int_equal(fix->asked.count, 9);
    assert_int_equal(fix->asked.ops[5].statement, TPCC_S_PAY_CUSTOMER);
    fixture_close(fix);
}

static void readers_ask_in_order(void **state)
{
    struct fixture *fix = fixture_open(&settings);

    assert_order(fix, TPCC_ORDER_STATUS, TPCC_S_OS_BY_NAME,
                 "begin\norder_status.customer_by_name\norder_status.last_order\n"
                 "order_status.lines\ncommit\n");
    assert_order(fix, TPCC_ORDER_STATUS, TPCC_S_OS_CUSTOMER,
                 "begin\norder_status.customer\norder_status.last_order\norder_status.lines\n"
                 "commit\n");
    assert_order(fix, TPCC_STOCK_LEVEL, TPCC_S_BEGIN,
                 "begin\nstock_level.district\nstock_level.count\ncommit\n");
    fixture_close(fix);
}

static void new_order_asks_in_order(void **state)
{
    static const char head[] =
        "begin\nnew_order.warehouse\nnew_order.customer\nnew_order.district_for_update\n"
        "new_order.district_set\nnew_order.insert_order\nnew_order.insert_new_order\n";
    static const char line[] = "new_order.item\nnew_order.stock_for_update\nnew_order.stock_set\n"
                               "new_order.insert_line\n";
    struct fixture *fix = fixture_open(&settings);
    char golden[16384], text[16384];

    for (int i = 0; i < 200; i++) {
        uint32_t lines;

        choose_kind(fix, 3, TPCC_NEW_ORDER, TPCC_S_COMMIT);
        run(fix);
        lines = (fix->asked.count - 8) / 4;
        strcpy(golden, head);
        for (uint32_t l = 0; l < lines; l++) {
            strcat(golden, line);
        }
        strcat(golden, "commit\n");
        names(&fix->asked, text, sizeof(text));
        assert_string_equal(text, golden);
        assert_int_equal(fix->asked.ops[5].key[4], lines);
    }
    fixture_close(fix);
}

/* ---- New-Order ------------------------------------------------------------------------------- */

/* Lines in the order of asking, ascending (supply, item); numbers as entered; sums in cents. */
static void check_lines(const struct stub_txn *asked, uint32_t w, uint32_t lines)
{
    uint32_t numbers = 0, remote = 0;
    int64_t last_supply = 0, last_item = 0;

    for (uint32_t i = 0; i < lines; i++) {
        const struct op *item = &asked->ops[7 + 4 * i], *stock = item + 1, *set = item + 2,
                        *line = item + 3;
        int64_t supply = stock->key[0], id = item->key[0], q = line->key[6];
        int64_t had = tpcc_loaded_stock(STUB_SEED, (uint32_t)supply, (uint32_t)id);

        assert_true(supply > last_supply || (supply == last_supply && id >= last_item));
        assert_in_range(id, 1, TPCC_ITEMS);
        assert_in_range(supply, 1, 20);
        assert_in_range(q, 1, 10);
        assert_true(stock->key[1] == id && set->key[0] == supply && set->key[1] == id);
        assert_int_equal(stock->key[2], line->key[1]);
        assert_int_equal(set->key[2], had - q >= 10 ? had - q : had - q + 91);
        assert_true(set->key[2] >= 10 && set->key[2] <= 100);
        assert_true(set->key[3] == q && set->key[4] == (supply != w));
        assert_true(line->key[4] == id && line->key[5] == supply);
        assert_int_equal(line->key[7], q * tpcc_item_price_cents(STUB_SEED, (uint32_t)id));
        assert_int_equal(line->key[2], asked->ops[5].key[2]);
        numbers |= 1u << line->key[3];
        remote += supply != w;
        last_supply = supply;
        last_item = id;
    }
    assert_int_equal(numbers, (2u << lines) - 2);
    assert_int_equal(asked->ops[5].key[5], remote == 0);
}

static void new_order_keys_belong_together(void **state)
{
    struct fixture *fix = fixture_open(&settings);

    for (uint32_t user = 0; user < 200; user++) {
        const struct op *ops = fix->asked.ops;
        uint32_t w = 1 + user / 10;
        struct op district;

        choose_kind(fix, user, TPCC_NEW_ORDER, TPCC_S_COMMIT);
        run(fix);
        district = ops[3];
        stub_answer_tpcc(&district);
        assert_true(ops[1].key[0] == w && ops[2].key[0] == w && ops[3].key[0] == w);
        assert_in_range(ops[2].key[1], 1, 10);
        assert_in_range(ops[2].key[2], 1, 3000);
        assert_true(ops[3].key[1] == ops[2].key[1] && ops[5].key[3] == ops[2].key[2]);
        assert_int_equal(ops[4].key[2], district.answer[0] + 1);
        assert_int_equal(ops[5].key[2], district.answer[0]);
        assert_int_equal(ops[6].key[2], district.answer[0]);
        check_lines(&fix->asked, w, (fix->asked.count - 8) / 4);
    }
    fixture_close(fix);
}

static void unused_item_comes_last_and_rolls_back(void **state)
{
    struct fixture *fix = fixture_open(&settings);

    for (int i = 0; i < 20; i++) {
        const struct op *end;

        choose_kind(fix, 3, TPCC_NEW_ORDER, TPCC_S_ROLLBACK);
        assert_int_equal(fix->txn.rolled_back, 0);
        run(fix);
        end = &fix->asked.ops[fix->asked.count - 1];
        assert_int_equal(end->statement, TPCC_S_ROLLBACK);
        assert_int_equal(end[-1].statement, TPCC_S_NO_ITEM);
        assert_int_equal(end[-1].key[0], 0);
        assert_int_equal(end[-2].statement, TPCC_S_NO_LINE);
        assert_int_equal(fix->txn.rolled_back, 1);
        /* all lines but the last were written, the missing one is the highest number */
        assert_int_equal(fix->asked.count, 7 + 4 * (fix->asked.ops[5].key[4] - 1) + 2);
        for (uint32_t l = 10; l < fix->asked.count - 2; l += 4) {
            assert_true(fix->asked.ops[l].key[3] < fix->asked.ops[5].key[4]);
        }
    }
    fixture_close(fix);
}

/* An order may name an item twice (isolation test 7): both lines must change its stock. */
static void repeated_items_are_asked_twice(void **state)
{
    struct fixture *fix = fixture_open(&settings);
    uint32_t repeated = 0;

    for (int i = 0; i < 4000; i++) {
        choose_kind(fix, 3, TPCC_NEW_ORDER, TPCC_S_COMMIT);
        run(fix);
        for (uint32_t l = 7; l + 5 < fix->asked.count; l += 4) {
            const struct op *a = &fix->asked.ops[l], *b = a + 4;

            if (a->key[0] == b->key[0] && a[1].key[0] == b[1].key[0]) {
                repeated++;
                assert_true(a[3].key[3] < b[3].key[3]);
            }
        }
    }
    assert_true(repeated > 0);
    fixture_close(fix);
}

/* ---- Payment --------------------------------------------------------------------------------- */

static void payment_keys_belong_together(void **state)
{
    struct fixture *fix = fixture_open(&settings);
    uint32_t bad = 0, other = 0, elsewhere = 0, paying = 0;

    for (int i = 0; i < 1000; i++) {
        const struct op *ops = fix->asked.ops, *customer, *add, *history;
        int64_t amount;

        choose_kind(fix, 57, TPCC_PAYMENT, TPCC_S_BEGIN);
        run(fix);
        customer = &ops[fix->asked.count - 4];
        add = customer + 1;
        history = customer + 2;
        amount = ops[1].key[1];
        assert_in_range(amount, 100, 500000);
        assert_true(ops[1].key[0] == 6 && ops[3].key[0] == 6 && ops[3].key[2] == amount);
        assert_int_equal(history->key[4], ops[3].key[1]);
        assert_true(history->key[3] == 6 && history->key[5] == amount);
        assert_memory_equal(add->key, customer->key, 3 * sizeof(int64_t));
        assert_memory_equal(history->key, customer->key, 3 * sizeof(int64_t));
        assert_true(add->key[3] == amount && add->key[4] == 6 && add->key[5] == ops[3].key[1]);
        assert_int_equal(add->key[6],
                         tpcc_loaded_bad_credit(STUB_SEED, (uint32_t)add->key[0],
                                                (uint32_t)add->key[1], (uint32_t)add->key[2]));
        assert_in_range(ops[3].key[1], 1, 10);
        assert_in_range(add->key[1], 1, 10);
        if (add->key[0] == 6) {
            assert_int_equal(add->key[1], ops[3].key[1]);
        }
        bad += add->key[6] != 0;
        other += add->key[0] != 6;
        elsewhere += add->key[1] != ops[3].key[1]; /* 9 of 10 of the remote ones */
        paying |= 1u << ops[3].key[1];
    }
    assert_in_range(bad, 60, 145);
    assert_in_range(other, 105, 200);
    assert_in_range(elsewhere, other * 4 / 5, other - 1);
    assert_int_equal(paying, 0x7fe);
    fixture_close(fix);
}

static void payment_takes_the_customer_that_the_name_gave(void **state)
{
    struct fixture *fix = fixture_open(&settings);
    struct op op = {0};

    choose_kind(fix, 3, TPCC_PAYMENT, TPCC_S_PAY_BY_NAME);
    while (op.statement != TPCC_S_PAY_BY_NAME) {
        assert_true(fix->workload->ops->next(fix->workload, &fix->txn, &op));
    }
    op.rows = 3;
    op.answer[0] = 1234;
    assert_true(fix->workload->ops->next(fix->workload, &fix->txn, &op));
    assert_int_equal(op.statement, TPCC_S_PAY_CUSTOMER);
    assert_int_equal(op.key[2], 1234);
    fixture_close(fix);
}

/* ---- Delivery -------------------------------------------------------------------------------- */

/* Runs txn; districts in `empty` (bit d) have nothing to deliver; stops after `stop` statements. */
static void run_delivery(struct fixture *fix, uint32_t empty, uint32_t stop)
{
    struct op op = {0};

    fix->asked.count = 0;
    while (fix->asked.count < stop && fix->workload->ops->next(fix->workload, &fix->txn, &op)) {
        fix->asked.ops[fix->asked.count++] = op;
        stub_answer_tpcc(&op);
        if (op.statement == TPCC_S_DEL_OLDEST && (empty >> op.key[1] & 1)) {
            op.rows = 0;
        }
    }
}

static void delivery_takes_districts_in_order(void **state)
{
    static const char district[] =
        "delivery.oldest_for_update\ndelivery.delete_new_order\ndelivery.order\n"
        "delivery.order_carrier\ndelivery.lines_date\ndelivery.lines_sum\ndelivery.customer_add\n";
    struct fixture *fix = fixture_open(&settings);
    char golden[8192] = "begin\n", text[8192];

    choose_kind(fix, 31, TPCC_DELIVERY, TPCC_S_BEGIN);
    run_delivery(fix, 0, STUB_OPS);
    for (int d = 0; d < 10; d++) {
        strcat(golden, district);
    }
    strcat(golden, "commit\n");
    names(&fix->asked, text, sizeof(text));
    assert_string_equal(text, golden);
    for (uint32_t i = 1; i < 71; i++) {
        const struct op *op = &fix->asked.ops[i], *oldest = &fix->asked.ops[i - (i - 1) % 7];
        struct op found = *oldest, order = oldest[2], sum = oldest[5];

        stub_answer_tpcc(&found);
        stub_answer_tpcc(&order);
        stub_answer_tpcc(&sum);
        assert_true(op->key[0] == 4 && op->key[1] == 1 + (i - 1) / 7);
        if (op->statement == TPCC_S_DEL_CUSTOMER) {
            assert_true(op->key[2] == order.answer[0] && op->key[3] == sum.answer[0]);
        } else if (op != oldest) {
            assert_int_equal(op->key[2], found.answer[0]);
        }
    }
    assert_in_range(fix->asked.ops[4].key[3], 1, 10);
    fixture_close(fix);
}

static void delivery_skips_empty_districts(void **state)
{
    struct fixture *fix = fixture_open(&settings);
    struct workload_check checks[32];
    uint32_t count;

    choose_kind(fix, 31, TPCC_DELIVERY, TPCC_S_BEGIN);
    run_delivery(fix, 1 << 1 | 1 << 5 | 1 << 10, STUB_OPS);
    assert_int_equal(fix->asked.count, 2 + 10 + 7 * 6);
    assert_int_equal(fix->asked.ops[fix->asked.count - 1].statement, TPCC_S_COMMIT);
    fix->workload->ops->ended(fix->workload, &fix->txn, false);
    count = fix->workload->ops->audit(fix->workload, checks, 32);
    assert_string_equal(checks[count - 1].name, "tpcc.deliveries_skipping");
    assert_int_equal(checks[count - 1].samples, 1);
    assert_true(checks[count - 1].found == 1 && checks[count - 1].passed);
    fixture_close(fix);
}

/* What a first try skipped does not count if the second finds it. */
static void delivery_forgets_the_skips_of_a_first_try(void **state)
{
    for (int each = 0; each < 2; each++) {
        struct tpcc_settings own = settings;
        struct fixture *fix;
        struct workload_check checks[32];
        uint32_t count;

        own.delivery_per_district = each;
        fix = fixture_open(&own);
        choose_kind(fix, 31, TPCC_DELIVERY, TPCC_S_BEGIN);
        run_delivery(fix, 1 << 1, each ? 3 : 12);
        fix->workload->ops->restart(fix->workload, &fix->txn);
        run_delivery(fix, 0, STUB_OPS);
        assert_int_equal(fix->asked.count, each ? 90 : 72);
        fix->workload->ops->ended(fix->workload, &fix->txn, false);
        count = fix->workload->ops->audit(fix->workload, checks, 32);
        assert_int_equal(checks[count - 1].samples, 1);
        assert_true(checks[count - 1].found == 0);
        fixture_close(fix);
    }
}

/* With a commit a district, a retry must not deliver again what has been committed. */
static void delivery_by_district_keeps_what_is_committed(void **state)
{
    struct tpcc_settings own = settings;
    struct fixture *fix;

    own.delivery_per_district = true;
    fix = fixture_open(&own);
    choose_kind(fix, 31, TPCC_DELIVERY, TPCC_S_BEGIN);
    run_delivery(fix, 0, STUB_OPS);
    assert_int_equal(fix->asked.count, 90);
    choose_kind(fix, 31, TPCC_DELIVERY, TPCC_S_BEGIN);
    run_delivery(fix, 0, 9 * 3 + 4); /* in the fourth district */
    fix->workload->ops->restart(fix->workload, &fix->txn);
    run_delivery(fix, 0, STUB_OPS);
    assert_int_equal(fix->asked.count, 9 * 7);
    assert_int_equal(fix->asked.ops[0].statement, TPCC_S_BEGIN);
    assert_int_equal(fix->asked.ops[1].key[1], 4);
    choose_kind(fix, 31, TPCC_DELIVERY, TPCC_S_BEGIN);
    run_delivery(fix, 0, 9 * 3); /* the third COMMIT was asked, but not answered well */
    fix->workload->ops->restart(fix->workload, &fix->txn);
    run_delivery(fix, 0, STUB_OPS);
    assert_int_equal(fix->asked.ops[1].key[1], 3);
    fixture_close(fix);
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static void restart_asks_the_same_again(void **state)
{
    struct fixture *fix = fixture_open(&settings);
    struct stub_txn *first = malloc(sizeof(*first));

    for (uint32_t i = 0; i < 3000; i++) {
        struct txn txn;
        struct op op = {0};

        fixture_choose(fix, i % 200);
        txn = fix->txn;
        stub_run(fix->workload, &txn, true, first);
        txn = fix->txn;
        for (uint32_t n = 0; n < i % first->count; n++) {
            fix->workload->ops->next(fix->workload, &txn, &op);
            stub_answer_tpcc(&op);
        }
        fix->workload->ops->restart(fix->workload, &txn);
        stub_run(fix->workload, &txn, true, &fix->asked);
        assert_int_equal(fix->asked.count, first->count);
        for (uint32_t n = 0; n < first->count; n++) {
            assert_int_equal(fix->asked.ops[n].statement, first->ops[n].statement);
            assert_memory_equal(fix->asked.ops[n].key, first->ops[n].key, sizeof(op.key));
        }
        fix->workload->ops->restart(fix->workload, &txn);
        assert_int_equal(txn.rolled_back, 0);
        assert_int_equal(stub_run(fix->workload, &txn, true, NULL), first->count);
        assert_false(fix->workload->ops->next(fix->workload, &txn, &op));
    }
    free(first);
    fixture_close(fix);
}

static void users_keep_their_places(void **state)
{
    struct tpcc_settings own = settings;
    struct fixture *fix;

    own.warehouses = 3;
    own.users = 75;
    fix = fixture_open(&own);
    for (uint32_t user = 0; user < 75; user++) {
        choose_kind(fix, user, TPCC_STOCK_LEVEL, TPCC_S_BEGIN);
        run(fix);
        assert_int_equal(fix->asked.ops[1].key[0], 1 + user / 10 % 3);
        assert_int_equal(fix->asked.ops[1].key[1], 1 + user % 10);
        assert_in_range(fix->asked.ops[2].key[3], 10, 20);
    }
    fixture_close(fix);
}

/* A database is as large as what is used of it: few users stand in all warehouses. */
static void few_users_leave_no_warehouse_alone(void **state)
{
    static const struct {
        uint32_t users, warehouses, most;
    } rows[] = {{64, 10, 7}, {10, 3, 4}, {8, 10, 1}, {64, 100, 1}, {29, 3, 10}};

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        struct tpcc_settings own = settings;
        uint32_t there[101] = {0}, used = 0;
        struct fixture *fix;

        own.warehouses = rows[r].warehouses;
        own.users = rows[r].users;
        fix = fixture_open(&own);
        for (uint32_t user = 0; user < own.users; user++) {
            int64_t w;

            choose_kind(fix, user, TPCC_STOCK_LEVEL, TPCC_S_BEGIN);
            run(fix);
            w = fix->asked.ops[1].key[0];
            assert_in_range(w, 1, own.warehouses);
            used += there[w]++ == 0;
            assert_in_range(there[w], 1, rows[r].most);
        }
        assert_int_equal(used, own.users < own.warehouses ? own.users : own.warehouses);
        fixture_close(fix);
    }
}

/* A single warehouse has no other; local_only wants none. Neither may ask for warehouse 2. */
static void one_warehouse_stays_at_home(void **state)
{
    struct tpcc_settings own = settings;

    for (int local = 0; local < 2; local++) {
        struct fixture *fix;
        struct workload_check checks[32];
        uint32_t count;

        own.warehouses = local ? 20 : 1;
        own.local_only = local;
        fix = fixture_open(&own);
        for (uint32_t i = 0; i < 5000; i++) {
            fixture_choose(fix, 5);
            run(fix);
            for (uint32_t n = 1; n < fix->asked.count; n++) {
                const struct op *op = &fix->asked.ops[n];

                if (op->statement > TPCC_S_ROLLBACK && op->statement != TPCC_S_NO_ITEM) {
                    assert_int_equal(op->key[0], 1);
                }
            }
        }
        count = fix->workload->ops->audit(fix->workload, checks, 32);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(checks[i].passed);
        }
        fixture_close(fix);
    }
}

/* ---- waits and constants --------------------------------------------------------------------- */

static void cycles_are_the_standards(void **state)
{
    struct tpcc_settings own = settings;

    assert_float_equal(tpcc_mean_cycle_ns(&own) / 1e9, 476.0 / 23 - 5.2e-4, 1e-5);
    assert_float_equal(tpcc_wait_factor(&own, 4743000000), 0.22918, 5e-6);
    own.deck = false;
    assert_float_equal(tpcc_mean_cycle_ns(&own) / 1e9, 20.99 - 5.2e-4, 1e-5);
    assert_float_equal(tpcc_wait_factor(&own, 4743000000), 0.22597, 5e-6);
}

static void constants_keep_their_distance(void **state)
{
    uint32_t least = 255, most = 0;

    for (uint64_t seed = 0; seed < 10000; seed++) {
        struct tpcc_constants c;
        uint32_t apart;

        tpcc_constants(seed, &c);
        assert_true(c.c_last <= 255 && c.c_last_load <= 255 && c.c_id <= 1023 && c.i_id <= 8191);
        apart = c.c_last > c.c_last_load ? c.c_last - c.c_last_load : c.c_last_load - c.c_last;
        assert_true(apart >= 65 && apart <= 119 && apart != 96 && apart != 112);
        least = apart < least ? apart : least;
        most = apart > most ? apart : most;
    }
    assert_int_equal(least, 65);
    assert_int_equal(most, 119);
}

static void wrong_settings_are_refused(void **state)
{
    struct tpcc_settings own[6];
    struct error err;

    for (int i = 0; i < 6; i++) {
        own[i] = settings;
        own[i].deck = false;
    }
    own[0].warehouses = 0;
    own[1].users = 0;
    own[2].weights[0] = 0.5;
    own[3].weights[0] = -0.1;
    own[4].wait_factor = -1;
    own[5].weights[4] = 0.0 / (double)own[0].warehouses; /* not a number */
    for (int i = 0; i < 6; i++) {
        memset(&err, 0, sizeof(err));
        assert_null(tpcc_open(&own[i], &err));
        assert_int_equal(err.exit, EXIT_USAGE);
        assert_true(err.text[0] != 0);
    }
}

/* ---- catalog --------------------------------------------------------------------------------- */

static void catalog_names_everything_once(void **state)
{
    const struct catalog *catalog = tpcc_catalog();
    struct fixture *fix = fixture_open(&settings);
    const struct catalog *own = fix->workload->ops->catalog(fix->workload);

    assert_int_equal(catalog->statement_count, TPCC_STATEMENTS);
    for (uint32_t i = 0; i < catalog->statement_count; i++) {
        assert_non_null(catalog->statements[i].name);
        assert_true(catalog->statements[i].table < catalog->table_count);
        for (uint32_t j = 0; j < i; j++) {
            assert_string_not_equal(catalog->statements[i].name, catalog->statements[j].name);
        }
    }
    for (uint32_t i = 0; i < catalog->table_count; i++) {
        assert_non_null(catalog->tables[i].name);
    }
    assert_float_equal(own->kinds[TPCC_PAYMENT].share, 10.0 / 23, 1e-12);
    assert_string_equal(own->kinds[TPCC_STOCK_LEVEL].name, "stock_level");
    assert_int_equal(own->kinds[TPCC_STOCK_LEVEL].p90_limit_ns, 20000000000);
    assert_int_equal(own->kinds[TPCC_NEW_ORDER].p90_limit_ns, 5000000000);
    assert_false(own->kinds[TPCC_DELIVERY].deferred); /* as settings.deferred says */
    assert_true(catalog->kinds[TPCC_DELIVERY].deferred);
    fixture_close(fix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_order_asks_in_order),
        cmocka_unit_test(payment_asks_in_order),
        cmocka_unit_test(readers_ask_in_order),
        cmocka_unit_test(new_order_keys_belong_together),
        cmocka_unit_test(unused_item_comes_last_and_rolls_back),
        cmocka_unit_test(repeated_items_are_asked_twice),
        cmocka_unit_test(payment_keys_belong_together),
        cmocka_unit_test(payment_takes_the_customer_that_the_name_gave),
        cmocka_unit_test(delivery_takes_districts_in_order),
        cmocka_unit_test(delivery_skips_empty_districts),
        cmocka_unit_test(delivery_forgets_the_skips_of_a_first_try),
        cmocka_unit_test(delivery_by_district_keeps_what_is_committed),
        cmocka_unit_test(restart_asks_the_same_again),
        cmocka_unit_test(users_keep_their_places),
        cmocka_unit_test(few_users_leave_no_warehouse_alone),
        cmocka_unit_test(one_warehouse_stays_at_home),
        cmocka_unit_test(cycles_are_the_standards),
        cmocka_unit_test(constants_keep_their_distance),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(catalog_names_everything_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
