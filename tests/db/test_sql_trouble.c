/* rooms: base io sql. What servers refuse, break off and forget, provoked for real.
 * must-run, not-sanitized, limit: 240
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server.h"
#include "sql_rig.h"

enum { MANY = 500 };
static const int64_t MS = 1000000;

static struct server servers[2];
static const char *const kinds[2] = {"postgresql", "mysql"};
static const struct sql_options prepared = {.statements = 8, .prepared = true};

/* A case that failed may hold the table: the next one says so instead of waiting. */
static void remake(int d)
{
    server_sql(&servers[d],
               d == 0 ? "SET lock_timeout = '20s'; DROP TABLE IF EXISTS t"
                      : "SET lock_wait_timeout = 20; DROP TABLE IF EXISTS t",
               NULL, 0);
    server_sql(&servers[d],
               d == 0 ? "CREATE TABLE t (a int PRIMARY KEY, b int); GRANT ALL ON t TO bench; "
                        "INSERT INTO t VALUES (1, 0), (2, 0)"
                      : "CREATE TABLE t (a int PRIMARY KEY, b int); "
                        "INSERT INTO t VALUES (1, 0), (2, 0)",
               NULL, 0);
}

static struct sql_statement update_of(int d)
{
    return (struct sql_statement){.id = 0,
                                  .text = d == 0 ? "UPDATE t SET b = b + 1 WHERE a = $1"
                                                 : "UPDATE t SET b = b + 1 WHERE a = ?",
                                  .params = 1};
}

/*
 * Two transactions hold a row each and want the other's: one of the two is told to retry, and the
 * other goes on. Either answer may come first: the loser's locks go before he is told.
 */
static void deadlock(struct sql_rig *rig, int d)
{
    struct sql_statement update = update_of(d);
    struct sql *sql[2];
    struct sql_rig_answer answers[2];
    int lost;

    for (int i = 0; i < 2; i++) {
        sql[i] = sql_rig_connect(rig, &prepared);
        assert_int_equal(sql_rig_text(rig, sql[i], "BEGIN", NULL), SQL_DONE);
        sql_rig_ask(&answers[i], &update, "i", (int64_t)(1 + i));
        assert_int_equal(sql_rig_run(rig, sql[i], &answers[i]), SQL_DONE);
    }
    for (int i = 0; i < 2; i++) {
        sql_rig_ask(&answers[i], &update, "i", (int64_t)(2 - i));
        rig->ops->begin(sql[i], &answers[i].call);
    }
    sql_rig_wait(rig, answers, 2);
    lost = answers[0].call.fate == SQL_RETRY ? 0 : 1;
    assert_int_equal(answers[lost].call.fate, SQL_RETRY);
    assert_string_equal(answers[lost].call.state, d == 0 ? "40P01" : "1213");
    assert_true(answers[lost].call.error[0] != '\0');
    assert_int_equal(answers[1 - lost].call.fate, SQL_DONE);
    assert_int_equal(sql_rig_text(rig, sql[lost], "ROLLBACK", NULL), SQL_DONE);
    assert_int_equal(sql_rig_text(rig, sql[1 - lost], "COMMIT", NULL), SQL_DONE);
    rig->ops->close(sql[0]);
    rig->ops->close(sql[1]);
}

static void deadlocks_are_to_be_tried_again(void **state)
{
    for (int d = 0; d < 2; d++) {
        struct sql_rig rig;

        remake(d);
        sql_rig_open(&rig, servers[d].url, 4);
        deadlock(&rig, d);
        sql_rig_close(&rig);
    }
}

/* Two connections to a table made anew. */
static void pair_open(struct sql_rig *rig, int d, struct sql **a, struct sql **b)
{
    remake(d);
    sql_rig_open(rig, servers[d].url, 4);
    *a = sql_rig_connect(rig, &prepared);
    *b = sql_rig_connect(rig, &prepared);
}

static void pair_close(struct sql_rig *rig, struct sql *a, struct sql *b)
{
    rig->ops->close(a);
    rig->ops->close(b);
    sql_rig_close(rig);
}

static void lock_timeouts_are_to_be_tried_again(void **state)
{
    for (int d = 0; d < 2; d++) {
        struct sql_statement update = update_of(d);
        struct sql_rig rig;
        struct sql_rig_answer answer;
        struct sql *a, *b;

        pair_open(&rig, d, &a, &b);
        sql_rig_text(&rig, b,
                     d == 0 ? "SET lock_timeout = '100ms'" : "SET innodb_lock_wait_timeout = 1",
                     NULL);
        sql_rig_text(&rig, a, "BEGIN", NULL);
        sql_rig_ask(&answer, &update, "i", (int64_t)1);
        assert_int_equal(sql_rig_run(&rig, a, &answer), SQL_DONE);
        assert_int_equal(answer.call.rows, 1);
        sql_rig_ask(&answer, &update, "i", (int64_t)1);
        assert_int_equal(sql_rig_run(&rig, b, &answer), SQL_RETRY);
        assert_string_equal(answer.call.state, d == 0 ? "55P03" : "1205");
        pair_close(&rig, a, b);
    }
}

static void serialization_failures_are_to_be_tried_again(void **state)
{
    for (int d = 0; d < 2; d++) {
        struct sql_statement update = update_of(d);
        struct sql_rig rig;
        struct sql_rig_answer answer;
        struct sql *a, *b;

        pair_open(&rig, d, &a, &b);
        if (d == 1 &&
            sql_rig_text(&rig, a, "SET innodb_snapshot_isolation = 1", NULL) != SQL_DONE) {
            print_message("# this MariaDB has no innodb_snapshot_isolation\n");
        } else {
            sql_rig_text(&rig, a,
                         d == 0 ? "BEGIN ISOLATION LEVEL REPEATABLE READ"
                                : "START TRANSACTION WITH CONSISTENT SNAPSHOT",
                         NULL);
            sql_rig_text(&rig, a, "SELECT a FROM t", NULL);
            sql_rig_ask(&answer, &update, "i", (int64_t)1);
            assert_int_equal(sql_rig_run(&rig, b, &answer), SQL_DONE);
            sql_rig_ask(&answer, &update, "i", (int64_t)1);
            assert_int_equal(sql_rig_run(&rig, a, &answer), SQL_RETRY);
            assert_string_equal(answer.call.state, d == 0 ? "40001" : "1020");
        }
        pair_close(&rig, a, b);
    }
}

static void other_errors_are_refusals_and_the_connection_goes_on(void **state)
{
    static const struct {
        const char *text, *states[2];
    } rows[] = {
        {"INSERT INTO t VALUES (1, 1)", {"23505", "1062"}},
        {"SELECT * FROM missing", {"42P01", "1146"}},
        {"SELEC 1", {"42601", "1064"}},
        {"SELECT 1/0 FROM t WHERE a = 'x'", {"22P02", NULL}},
        {"INSERT INTO t (nothing) VALUES (1)", {"42703", "1054"}},
    };

    for (int d = 0; d < 2; d++) {
        for (int mode = 0; mode < 4; mode++) {
            struct sql_options options = {
                .statements = 8, .prepared = mode & 1, .pipeline = d == 0 && mode & 2};
            struct sql_rig rig;
            struct sql *sql;

            remake(d);
            sql_rig_open(&rig, mode & 2 && d == 1 ? servers[d].tls_url : servers[d].url, 4);
            sql = sql_rig_connect(&rig, &options);
            for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct sql_statement statement = {.id = i, .text = rows[i].text};
                struct sql_rig_answer answer;

                if (rows[i].states[d] == NULL) {
                    continue;
                }
                for (int round = 0; round < 2; round++) {
                    sql_rig_ask(&answer, &statement, NULL);
                    assert_int_equal(sql_rig_run(&rig, sql, &answer), SQL_REFUSED);
                    assert_string_equal(answer.call.state, rows[i].states[d]);
                    assert_null(strchr(answer.call.error, '\n'));
                }
                statement = (struct sql_statement){.id = 7, .text = "SELECT b FROM t WHERE a = 2"};
                sql_rig_ask(&answer, &statement, NULL);
                assert_int_equal(sql_rig_run(&rig, sql, &answer), SQL_DONE);
                assert_string_equal(answer.rows, "#0;");
            }
            rig.ops->close(sql);
            sql_rig_close(&rig);
        }
    }
}

/* Until the server has begun n calls that sleep. */
static void wait_for_sleepers(struct sql_rig *rig, int d, int n)
{
    char wanted[12], found[12] = "";

    snprintf(wanted, sizeof(wanted), "%d", n);
    for (int turn = 0; turn < 1000 && strcmp(found, wanted) != 0; turn++) {
        sql_rig_turn(rig, 20 * MS);
        server_sql(&servers[d],
                   d == 0 ? "SELECT count(*) FROM pg_stat_activity WHERE usename = 'bench' AND "
                            "state = 'active' AND query LIKE '%pg_sleep%'"
                          : "SELECT COUNT(*) FROM information_schema.processlist WHERE "
                            "user = 'bench' AND state = 'User sleep'",
                   found, sizeof(found));
    }
    assert_string_equal(found, wanted);
}

static void killed_connections_are_gone_and_say_why(void **state)
{
    for (int d = 0; d < 2; d++) {
        const char *urls[] = {servers[d].url, servers[d].tls_url};

        for (int u = 0; u < 2; u++) {
            struct sql_statement sleep = {
                .id = 1, .text = d == 0 ? "SELECT pg_sleep(20)" : "SELECT SLEEP(20)"};
            struct sql_rig rig;
            struct sql_rig_answer answer, later;
            struct sql *busy, *idle, *other;
            char kill[600];

            sql_rig_open(&rig, urls[u], 8);
            busy = sql_rig_connect(&rig, &prepared);
            idle = sql_rig_connect(&rig, &prepared);
            other = sql_rig_connect(&rig, &prepared);
            sql_rig_text(&rig, idle, "SELECT 1", NULL);
            sql_rig_ask(&answer, &sleep, NULL);
            rig.ops->begin(busy, &answer.call);
            wait_for_sleepers(&rig, d, 1);
            if (d == 0) {
                server_sql(&servers[d],
                           "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                           "usename = 'bench' AND (query LIKE '%pg_sleep%' OR query = 'SELECT 1')",
                           kill, sizeof(kill));
                assert_string_equal(kill, "2");
            } else {
                server_sql(&servers[d],
                           "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist "
                           "WHERE user = 'bench'",
                           kill, sizeof(kill));
                server_sql(&servers[d], kill, NULL, 0);
            }
            sql_rig_wait(&rig, &answer, 1);
            assert_int_equal(answer.call.fate, SQL_GONE);
            assert_true(answer.call.error[0] != '\0');
            sql_rig_ask(&later, &sleep, NULL);
            assert_int_equal(sql_rig_run(&rig, idle, &later), SQL_GONE);
            sql_rig_ask(&later, &sleep, NULL);
            assert_int_equal(sql_rig_run(&rig, idle, &later), SQL_GONE); /* and stays so */
            rig.ops->close(busy);
            rig.ops->close(idle);
            busy = sql_rig_connect(&rig, &prepared);
            assert_int_equal(sql_rig_text(&rig, busy, "SELECT 1", NULL), SQL_DONE);
            rig.ops->close(busy);
            rig.ops->close(other);
            assert_int_equal(rig.loop.in_flight, 0);
            sql_rig_close(&rig);
        }
    }
}

static void a_killed_server_is_gone_and_comes_back(void **state)
{
    for (int d = 0; d < 2; d++) {
        struct sql_statement sleep = {.id = 1,
                                      .text = d == 0 ? "SELECT pg_sleep(20)" : "SELECT SLEEP(20)"};
        struct sql_rig rig;
        struct sql_rig_answer answers[3];
        struct sql *sql[3], *again;
        struct error err = {0};

        remake(d);
        sql_rig_open(&rig, servers[d].tcp_url, 8);
        for (int i = 0; i < 3; i++) {
            sql[i] = sql_rig_connect(&rig, &prepared);
            sql_rig_ask(&answers[i], &sleep, NULL);
            rig.ops->begin(sql[i], &answers[i].call);
        }
        wait_for_sleepers(&rig, d, 3);
        server_kill(&servers[d]);
        sql_rig_wait(&rig, answers, 3);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(answers[i].call.fate, SQL_GONE);
            rig.ops->close(sql[i]);
        }
        assert_null(sql_rig_try(&rig, &prepared, &err));
        assert_int_equal(err.exit, EXIT_FAILED);
        server_again(&servers[d]);
        again = sql_rig_connect(&rig, &prepared);
        assert_int_equal(sql_rig_text(&rig, again, "SELECT a FROM t", NULL), SQL_DONE);
        rig.ops->close(again);
        sql_rig_close(&rig);
    }
}

static void five_hundred_connections_answer(void **state)
{
    static struct sql_rig_answer answers[MANY];
    static struct sql *sql[MANY];

    for (int d = 0; d < 2; d++) {
        struct sql_statement select = {.id = 1,
                                       .text = d == 0 ? "SELECT b FROM t WHERE a = $1"
                                                      : "SELECT b FROM t WHERE a = ?",
                                       .params = 1};
        struct sql_rig rig;

        remake(d);
        sql_rig_open(&rig, servers[d].url, MANY);
        for (int i = 0; i < MANY; i++) {
            sql[i] = sql_rig_connect(&rig, &prepared);
        }
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < MANY; i++) {
                sql_rig_ask(&answers[i], &select, "i", (int64_t)(1 + i % 2));
                rig.ops->begin(sql[i], &answers[i].call);
            }
            sql_rig_wait(&rig, answers, MANY);
            for (int i = 0; i < MANY; i++) {
                assert_int_equal(answers[i].call.fate, SQL_DONE);
                assert_string_equal(answers[i].rows, "#0;");
            }
        }
        assert_true(rig.ops->memory_bytes(sql[0]) < 2048);
        for (int i = 0; i < MANY; i++) {
            rig.ops->close(sql[i]);
        }
        sql_rig_close(&rig);
    }
}

static void calls_under_way_end_when_it_is_closed(void **state)
{
    for (int d = 0; d < 2; d++) {
        struct sql_statement sleep = {.id = 1,
                                      .text = d == 0 ? "SELECT pg_sleep(1)" : "SELECT SLEEP(1)"};
        const char *urls[] = {servers[d].url, servers[d].tls_url};

        for (int u = 0; u < 2; u++) {
            struct sql_rig rig;
            struct sql_rig_answer answer;
            struct sql *sql;

            sql_rig_open(&rig, urls[u], 2);
            sql = sql_rig_connect(&rig, &prepared);
            sql_rig_ask(&answer, &sleep, NULL);
            rig.ops->begin(sql, &answer.call);
            rig.ops->close(sql);
            assert_int_equal(answer.done, 1);
            assert_int_equal(answer.call.fate, SQL_GONE);
            assert_int_equal(rig.loop.in_flight, 0);
            sql = sql_rig_connect(&rig, &prepared);
            sql_rig_ask(&answer, &sleep, NULL);
            rig.ops->begin(sql, &answer.call);
            sql_rig_turn(&rig, 20 * MS);
            rig.ops->close(sql); /* while it waits */
            assert_int_equal(answer.done, 1);
            sql_rig_close(&rig);
        }
    }
}

static int begin(void **state)
{
    for (int d = 0; d < 2; d++) {
        server_start(&servers[d], kinds[d], kinds[d], "tls");
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deadlocks_are_to_be_tried_again),
        cmocka_unit_test(lock_timeouts_are_to_be_tried_again),
        cmocka_unit_test(serialization_failures_are_to_be_tried_again),
        cmocka_unit_test(other_errors_are_refusals_and_the_connection_goes_on),
        cmocka_unit_test(killed_connections_are_gone_and_say_why),
        cmocka_unit_test(a_killed_server_is_gone_and_comes_back),
        cmocka_unit_test(five_hundred_connections_answer),
        cmocka_unit_test(calls_under_way_end_when_it_is_closed),
    };

    return cmocka_run_group_tests_name("sql_trouble", tests, begin, NULL);
}
