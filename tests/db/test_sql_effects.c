/* rooms: base io workload sql target. What TPC-C's operations do to real
 * databases: by hand, and the same by every way of sending them.
 * limit: 300
 * must-run, not-sanitized
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sql_bench.h"

static void new_order_by_hand(void)
{
    struct op op;

    bench_ask(TPCC_S_BEGIN, TPCC_NEW_ORDER, 0, 0, 0, 0, 0, 0, 0);
    op = bench_ask(TPCC_S_NO_WAREHOUSE, 1, 0, 0, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 1234);
    op = bench_ask(TPCC_S_NO_CUSTOMER, 1, 3, 8, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 500);
    op = bench_ask(TPCC_S_NO_DISTRICT, 1, 3, 0, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 101);
    assert_int_equal(op.answer[1], 100);
    bench_ask(TPCC_S_NO_DISTRICT_SET, 1, 3, 102, 0, 0, 0, 0, 0);
    bench_ask(TPCC_S_NO_ORDER, 1, 3, 101, 8, 2, 0, 0, 0);
    bench_ask(TPCC_S_NO_NEW_ORDER, 1, 3, 101, 0, 0, 0, 0, 0);
    op = bench_ask(TPCC_S_NO_ITEM, 77, 0, 0, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 77 * 37 % 9901 + 100);
    op = bench_ask(TPCC_S_NO_STOCK, 2, 77, 3, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 15);
    bench_ask(TPCC_S_NO_STOCK_SET, 2, 77, 15 - 6 + 91, 6, 1, 0, 0, 0);
    bench_ask(TPCC_S_NO_LINE, 1, 3, 101, 2, 77, 2, 6, 6 * 2949);
    op = bench_ask(TPCC_S_NO_ITEM, 0, 0, 0, 0, 0, 0, 0, 0);
    assert_int_equal(op.rows, 0); /* the unused item */
    bench_ask(TPCC_S_COMMIT, 0, 0, 0, 0, 0, 0, 0, 0);
    assert_string_equal(bench_look(bench.d,
                                   "SELECT d_next_o_id FROM district WHERE d_w_id = 1 AND d_id = "
                                   "3"),
                        "102 ");
    assert_string_equal(bench_look(bench.d,
                                   "SELECT o_c_id, o_ol_cnt, o_all_local, o_carrier_id IS NULL, "
                                   "o_entry_d > '2020-01-01' FROM orders WHERE o_w_id = 1 AND "
                                   "o_d_id = 3 AND o_id = 101"),
                        bench.d == SQL_POSTGRES ? "8 2 0 t t " : "8 2 0 1 1 ");
    assert_string_equal(bench_look(bench.d,
                                   "SELECT ol_number, ol_i_id, ol_supply_w_id, ol_quantity, "
                                   "ol_amount, ol_dist_info FROM order_line WHERE ol_w_id = 1 "
                                   "AND ol_d_id = 3 AND ol_o_id = 101"),
                        "2 77 2 6 176.94 stock of the other house ");
    assert_string_equal(bench_look(bench.d,
                                   "SELECT s_quantity, s_ytd, s_order_cnt, s_remote_cnt FROM "
                                   "stock WHERE s_w_id = 2 AND s_i_id = 77"),
                        "100 6 1 1 ");
    assert_string_equal(bench_look(bench.d, "SELECT no_o_id FROM new_order WHERE no_w_id = 1 AND "
                                            "no_d_id = 3 ORDER BY no_o_id DESC LIMIT 1"),
                        "101 ");
}

static void payment_by_hand(void)
{
    struct op op;

    bench_ask(TPCC_S_BEGIN, TPCC_PAYMENT, 0, 0, 0, 0, 0, 0, 0);
    bench_ask(TPCC_S_PAY_WAREHOUSE_ADD, 1, 12345, 0, 0, 0, 0, 0, 0);
    bench_ask(TPCC_S_PAY_WAREHOUSE, 1, 0, 0, 0, 0, 0, 0, 0);
    bench_ask(TPCC_S_PAY_DISTRICT_ADD, 1, 6, 12345, 0, 0, 0, 0, 0);
    bench_ask(TPCC_S_PAY_DISTRICT, 1, 6, 0, 0, 0, 0, 0, 0);
    op = bench_ask(TPCC_S_PAY_BY_NAME, 2, 4, 371, 0, 0, 0, 0, 0);
    assert_int_equal(op.rows, 3);
    assert_int_equal(op.answer[0], 3); /* the second of a, b, c */
    op = bench_ask(TPCC_S_PAY_CUSTOMER, 2, 4, 3, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 0);
    op = bench_ask(TPCC_S_PAY_CUSTOMER, 2, 4, 5, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 1);
    bench_ask(TPCC_S_PAY_CUSTOMER_ADD, 2, 4, 5, 12345, 1, 6, 1, 0);
    bench_ask(TPCC_S_PAY_CUSTOMER_ADD, 2, 4, 9, 1, 1, 6, 0, 0);
    bench_ask(TPCC_S_PAY_HISTORY, 2, 4, 5, 1, 6, 12345, 0, 0);
    bench_ask(TPCC_S_COMMIT, 0, 0, 0, 0, 0, 0, 0, 0);
    assert_string_equal(bench_look(bench.d,
                                   "SELECT w_ytd, d_ytd FROM warehouse JOIN district ON d_w_id = "
                                   "w_id WHERE w_id = 1 AND d_id = 6"),
                        "300123.45 30123.45 ");
    assert_string_equal(bench_look(bench.d,
                                   "SELECT c_id, c_balance, c_ytd_payment, c_payment_cnt, c_data "
                                   "FROM customer WHERE c_w_id = 2 ORDER BY c_id"),
                        "3 -10.00 10.00 1 old 5 -133.45 133.45 2 5 4 2 6 1 123.45|old "
                        "9 -10.01 10.01 2 old ");
    assert_string_equal(bench_look(bench.d,
                                   "SELECT h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_amount, "
                                   "h_data FROM history"),
                        "5 4 2 6 1 123.45 House-1    Dist-6 ");
}

static void order_status_by_hand(void)
{
    struct op op;

    bench_ask(TPCC_S_BEGIN, TPCC_ORDER_STATUS, 0, 0, 0, 0, 0, 0, 0);
    op = bench_ask(TPCC_S_OS_BY_NAME, 2, 4, 371, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 3);
    op = bench_ask(TPCC_S_OS_LAST_ORDER, 2, 4, 3, 0, 0, 0, 0, 0);
    assert_int_equal(op.rows, 0);
    op = bench_ask(TPCC_S_OS_CUSTOMER, 1, 3, 8, 0, 0, 0, 0, 0);
    assert_int_equal(op.rows, 1);
    op = bench_ask(TPCC_S_OS_LAST_ORDER, 1, 3, 8, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 101); /* the newer of 8 and 101 */
    assert_int_equal(op.answer[1], 2);
    op = bench_ask(TPCC_S_OS_LINES, 1, 3, 8, 0, 0, 0, 0, 0);
    assert_int_equal(op.rows, 5);
    bench_ask(TPCC_S_COMMIT, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void delivery_by_hand(void)
{
    struct op op;

    bench_ask(TPCC_S_BEGIN, TPCC_DELIVERY, 0, 0, 0, 0, 0, 0, 0);
    op = bench_ask(TPCC_S_DEL_OLDEST, 1, 2, 0, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 96);
    bench_ask(TPCC_S_DEL_REMOVE, 1, 2, 96, 0, 0, 0, 0, 0);
    op = bench_ask(TPCC_S_DEL_ORDER, 1, 2, 96, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 96);
    assert_int_equal(op.answer[1], 5);
    bench_ask(TPCC_S_DEL_CARRIER, 1, 2, 96, 7, 0, 0, 0, 0);
    op = bench_ask(TPCC_S_DEL_LINES, 1, 2, 96, 0, 0, 0, 0, 0);
    assert_int_equal(op.rows, 5);
    op = bench_ask(TPCC_S_DEL_SUM, 1, 2, 96, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 5 * 1234);
    bench_ask(TPCC_S_DEL_CUSTOMER, 1, 2, 96, 6170, 0, 0, 0, 0);
    op = bench_ask(TPCC_S_DEL_OLDEST, 2, 4, 0, 0, 0, 0, 0, 0);
    assert_int_equal(op.rows, 0); /* skipped */
    bench_ask(TPCC_S_COMMIT, 0, 0, 0, 0, 0, 0, 0, 0);
    assert_string_equal(bench_look(bench.d,
                                   "SELECT count(*), min(no_o_id) FROM new_order WHERE no_w_id = "
                                   "1 AND no_d_id = 2"),
                        "4 97 ");
    assert_string_equal(bench_look(bench.d,
                                   "SELECT o_carrier_id, c_balance, c_delivery_cnt FROM orders "
                                   "JOIN customer ON c_w_id = o_w_id AND c_d_id = o_d_id AND "
                                   "c_id = o_c_id WHERE o_w_id = 1 AND o_d_id = 2 AND o_id = 96"),
                        "7 51.70 1 ");
    assert_string_equal(bench_look(bench.d, "SELECT count(ol_delivery_d) FROM order_line"), "5 ");
}

static void stock_level_by_hand(void)
{
    struct op op;
    char query[256];

    bench_do(bench.d, "UPDATE stock SET s_quantity = 5 WHERE s_w_id = 1 AND s_i_id IN (SELECT "
                      "ol_i_id FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 5 AND (ol_o_id = 90 "
                      "OR ol_o_id = 80))");
    bench_ask(TPCC_S_BEGIN, TPCC_STOCK_LEVEL, 0, 0, 0, 0, 0, 0, 0);
    op = bench_ask(TPCC_S_SL_DISTRICT, 1, 5, 0, 0, 0, 0, 0, 0);
    assert_int_equal(op.answer[0], 101);
    op = bench_ask(TPCC_S_SL_COUNT, 1, 5, 101, 10, 0, 0, 0, 0);
    snprintf(query, sizeof(query), "%lld", (long long)op.answer[0]);
    assert_string_equal(query, "1"); /* of order 90; 80 is behind the last twenty */
    bench_ask(TPCC_S_COMMIT, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void every_transaction_does_what_it_should(void **state)
{
    for (int d = 0; d < SQL_DIALECTS; d++) {
        bench_new_tpcc(d, 2);
        bench_open(d, &(struct sql_texts_settings){.tpcc = &bench_tpcc}, 1, 1, PREPARED);
        new_order_by_hand();
        payment_by_hand();
        order_status_by_hand();
        delivery_by_hand();
        stock_level_by_hand();
        bench_close();
    }
}

/* All that the transactions change, but for times. */
static void sums_of(int d, char *ret, size_t size)
{
    static const char *const queries[] = {
        "SELECT sum(w_ytd) FROM warehouse",
        "SELECT sum(d_ytd * d_id), sum(d_next_o_id * d_id) FROM district",
        "SELECT sum(c_balance * c_id), sum(c_ytd_payment * c_d_id), sum(c_payment_cnt * c_id), "
        "sum(c_delivery_cnt * c_id), max(c_data), sum(length(c_data)) FROM customer",
        "SELECT count(*), sum(h_amount * h_c_id * h_d_id), min(h_data), max(h_data) FROM history",
        "SELECT count(*), sum(o_c_id * o_id), sum(o_carrier_id * o_d_id), sum(o_ol_cnt * o_id), "
        "sum(o_all_local), count(o_entry_d) FROM orders",
        "SELECT count(*), sum(no_o_id * no_d_id) FROM new_order",
        "SELECT count(*), sum(ol_amount * ol_o_id), sum(cast(ol_i_id * ol_number AS "
        "decimal(20))), sum(ol_quantity * ol_number), count(ol_delivery_d), min(ol_dist_info), "
        "max(ol_dist_info) FROM order_line",
        "SELECT sum(cast(s_i_id AS decimal(20)) * s_quantity), sum(s_ytd * s_i_id), "
        "sum(s_order_cnt), sum(s_remote_cnt) FROM stock",
    };

    ret[0] = '\0';
    for (uint32_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
        size_t used = strlen(ret);

        snprintf(ret + used, size - used, "%s\n", bench_look(d, queries[i]));
    }
}

/* Text or prepared, one by one or in a pipeline, or as a procedure, on either server: the same
 * input leaves the same database. */
static void every_way_of_sending_has_the_same_effects(void **state)
{
    static char sums[SQL_DIALECTS][WAYS][8192];
    uint64_t digests[SQL_DIALECTS][WAYS] = {{0}};

    for (int d = 0; d < SQL_DIALECTS; d++) {
        for (int way = 0; way < WAYS; way++) {
            struct tpcc_settings settings = bench_tpcc;
            struct error err;

            if (way == PIPELINE && d != SQL_POSTGRES) {
                continue;
            }
            settings.procedures = way == PROCEDURES;
            bench_new_tpcc(d, 1);
            bench_open(d, &(struct sql_texts_settings){.tpcc = &bench_tpcc}, 1, 1,
                       (enum bench_way)way);
            bench_users_begin(tpcc_open(&settings, &err), 600);
            bench_users_run(100 * S);
            assert_int_equal(bench.failed, 0);
            assert_int_equal(bench.done, 600);
            assert_true(bench.rolled_back > 0);
            digests[d][way] = bench.digest;
            sums_of(d, sums[d][way], sizeof(sums[d][way]));
            bench_close();
            assert_string_equal(sums[d][way], sums[0][0]);
            if (way != PROCEDURES) {
                assert_true(digests[d][way] == digests[0][0]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_transaction_does_what_it_should),
        cmocka_unit_test(every_way_of_sending_has_the_same_effects),
    };

    return cmocka_run_group_tests_name("sql_effects", tests, bench_begin, bench_end);
}
