/* rooms: base io workload sql target. The SQL target on real servers: under
 * contention, and when connections and servers are killed.
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

static void sbtest_of(struct sysbench_settings *ret, enum sysbench_mix mix, uint64_t rows)
{
    sysbench_defaults(ret);
    ret->mix = mix;
    ret->rows = rows;
    ret->tables = 2;
    ret->threads = 16;
    ret->rand_type = DIST_UNIFORM;
    ret->seed = 3;
}

static void check_sbtest(int d, uint64_t rows)
{
    char want[64];

    snprintf(want, sizeof(want), "%llu 1 %llu ", (unsigned long long)rows,
             (unsigned long long)rows);
    assert_string_equal(bench_look(d, "SELECT count(*), min(id), max(id) FROM sbtest1"), want);
    assert_string_equal(bench_look(d, "SELECT count(*), min(id), max(id) FROM sbtest2"), want);
}

/* Twenty rows for sixteen users: rows are deleted and inserted again under one another's feet. */
static void no_row_is_lost_under_contention(void **state)
{
    for (int d = 0; d < SQL_DIALECTS; d++) {
        struct sysbench_settings settings;
        struct error err;
        enum bench_way ways[] = {PREPARED, d == SQL_POSTGRES ? PIPELINE : BY_TEXT};

        sbtest_of(&settings, SYSBENCH_READ_WRITE, 20);
        for (int i = 0; i < 2; i++) {
            bench_new_sbtest(d, &settings);
            bench_open(d, &(struct sql_texts_settings){.sysbench = &settings}, 16, 16, ways[i]);
            bench_users_begin(sysbench_open(&settings, &err), 2000);
            bench_users_run(100 * S);
            assert_int_equal(bench.under_way, 0);
            assert_int_equal(bench.failed, 0);
            assert_int_equal(bench.done, 2000);
            assert_true(bench.retried > 0);
            check_sbtest(d, 20);
            bench_close();
        }
    }
}

/* Every mix, by few connections, and the pages of text that its statements return. */
static void every_mix_is_answered(void **state)
{
    for (int d = 0; d < SQL_DIALECTS; d++) {
        for (int mix = 0; mix < SYSBENCH_MIXES; mix++) {
            struct sysbench_settings settings;
            struct target_sql_statement statements[SYSBENCH_STATEMENTS];
            struct error err;

            sbtest_of(&settings, (enum sysbench_mix)mix, 1000);
            bench_new_sbtest(d, &settings);
            bench_open(d, &(struct sql_texts_settings){.sysbench = &settings}, 16, 4, PREPARED);
            bench_users_begin(sysbench_open(&settings, &err), 100);
            bench_users_run(60 * S);
            assert_int_equal(bench.done, 100);
            assert_int_equal(bench.failed, 0);
            assert_true(bench_counts().waits > 0);
            target_sql_statements(bench.target, statements, SYSBENCH_STATEMENTS);
            assert_int_equal(statements[SYSBENCH_S_SUM].count, mix < 2 ? 100 : 0);
            assert_int_equal(statements[SYSBENCH_S_POINT].errors, 0);
            if (mix <= SYSBENCH_WRITE_ONLY) {
                check_sbtest(d, 1000);
            }
            bench_close();
        }
    }
}

static void tpcb_keeps_its_balances(void **state)
{
    static const struct tpcb_settings settings = {TPCB_LIKE, 1, 8, 5};

    for (int d = 0; d < SQL_DIALECTS; d++) {
        struct sql_schema schema = {.dialect = (enum sql_text_dialect)d, .tpcb = &settings};
        struct error err;

        bench_carry_out(d, &schema, SQL_SCHEMA_DROP);
        bench_carry_out(d, &schema, SQL_SCHEMA_TABLES);
        bench_do(d, "INSERT INTO pgbench_branches (bid, bbalance) VALUES (1, 0)");
        bench_fill(d, "INSERT INTO pgbench_tellers (tid, bid, tbalance) SELECT seq, 1, 0 FROM $10");
        bench_fill(d,
                   "INSERT INTO pgbench_accounts (aid, bid, abalance, filler) SELECT seq, 1, 0, '' "
                   "FROM $100000");
        bench_carry_out(d, &schema, SQL_SCHEMA_INDEXES);
        bench_open(d, &(struct sql_texts_settings){.tpcb = &settings}, 8, 4,
                   d == SQL_POSTGRES ? PIPELINE : PREPARED);
        bench_users_begin(tpcb_open(&settings, &err), 500);
        bench_users_run(60 * S);
        assert_int_equal(bench.done, 500);
        assert_int_equal(bench.failed, 0);
        assert_string_equal(
            bench_look(
                d, "SELECT count(*) FROM pgbench_history h WHERE (SELECT sum(abalance) FROM "
                   "pgbench_accounts) = (SELECT sum(delta) FROM pgbench_history) AND (SELECT "
                   "sum(tbalance) FROM pgbench_tellers) = (SELECT sum(delta) FROM "
                   "pgbench_history) AND (SELECT sum(bbalance) FROM pgbench_branches) = (SELECT "
                   "sum(delta) FROM pgbench_history)"),
            "500 ");
        bench_close();
    }
}

static void kill_connections(int d)
{
    static const char *const texts[SQL_DIALECTS] = {
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'bench'",
        "KILL USER bench"};

    server_sql(&bench_servers[d], texts[d], NULL, 0);
}

/* Killed connections, then a server that is killed and comes back: users fail, wait, and go on;
 * what was answered is there, and no half of anything. */
static void a_server_may_go_and_come_back(void **state)
{
    for (int d = 0; d < SQL_DIALECTS; d++) {
        struct sysbench_settings settings;
        struct target_sql_counts counts;
        struct error err;

        sbtest_of(&settings, SYSBENCH_WRITE_ONLY, 100);
        bench_new_sbtest(d, &settings);
        bench_open(d, &(struct sql_texts_settings){.sysbench = &settings}, 16, 8, PREPARED);
        bench_users_begin(sysbench_open(&settings, &err), 1000000);
        bench_users_run(S);
        kill_connections(d);
        bench_users_run(S);
        counts = bench_counts();
        assert_true(counts.lost > 0);
        assert_int_equal(counts.connected, 8);
        server_kill(&bench_servers[d]);
        bench_users_run(S);
        assert_int_equal(bench_counts().connected, 0);
        server_again(&bench_servers[d]);
        bench_users_run(7 * S);
        assert_int_equal(bench_counts().connected, 8);
        assert_true(bench_counts().longest_gap_ns > S);
        assert_true(bench.failed >= 8 &&
                    bench.failed <= bench_counts().lost + bench_counts().refused);
        bench.left = 0;
        bench_users_run(20 * S);
        assert_int_equal(bench.under_way, 0);
        bench_plain_again(d);
        check_sbtest(d, 100);
        bench_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_row_is_lost_under_contention),
        cmocka_unit_test(every_mix_is_answered),
        cmocka_unit_test(tpcb_keeps_its_balances),
        cmocka_unit_test(a_server_may_go_and_come_back),
    };

    return cmocka_run_group_tests_name("sql_target", tests, bench_begin, bench_end);
}
