/* rooms: base io sql. What a call brings back, of every kind, on both servers.
 * must-run, not-sanitized
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

static struct server servers[2];
static const char *const kinds[2] = {"postgresql", "mysql"};

/* The same statement in each dialect. */
struct pair {
    const char *text[2];
    uint8_t params;
};

static struct sql_statement pick(const struct pair *pair, int d, uint32_t id)
{
    return (struct sql_statement){.id = id, .text = pair->text[d], .params = pair->params};
}

static void check_kinds(struct sql_rig *rig, struct sql *sql, int d)
{
    static const struct pair pairs[] = {
        {{"SELECT a, b, c, d, e FROM kinds WHERE a >= $1 ORDER BY a",
          "SELECT a, b, c, d, e FROM kinds WHERE a >= ? ORDER BY a"},
         1},
        {{"SELECT f, g, h FROM kinds WHERE a = $1", "SELECT f, g, h FROM kinds WHERE a = ?"}, 1},
        {{"UPDATE kinds SET b = $1, c = $2 WHERE a = $3",
          "UPDATE kinds SET b = ?, c = ? WHERE a = ?"},
         3},
        {{"SELECT count(*), sum(a), min(b) FROM kinds",
          "SELECT count(*), sum(a), min(b) FROM kinds"},
         0},
        {{"SELECT c FROM kinds WHERE a = 99 AND b = $1",
          "SELECT c FROM kinds WHERE a = 99 AND b = ?"},
         1},
    };
    struct sql_rig_answer answer;
    struct sql_statement s;

    for (int round = 0; round < 3; round++) { /* prepared anew, and known */
        s = pick(&pairs[0], d, 0);
        sql_rig_ask(&answer, &s, "i", (int64_t)-5);
        assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
        assert_string_equal(answer.rows, "#-5|#-9000000000000000000|it's \\ \"q\" ?|12.34|#-7;"
                                         "#1|#2|x|-0.50|#32767;#2|NULL|NULL|NULL|NULL;");
        assert_int_equal(answer.call.rows, 3);
        s = pick(&pairs[1], d, 1);
        sql_rig_ask(&answer, &s, "i", (int64_t)1);
        assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
        /* MariaDB takes the blanks off again */
        assert_string_equal(answer.rows, d == 0 ? "2024-02-29 13:14:15|1.5|ab        ;"
                                                : "2024-02-29 13:14:15|1.5|ab;");
        s = pick(&pairs[2], d, 2);
        sql_rig_ask(&answer, &s, "nni", (int64_t)2);
        assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
        assert_int_equal(answer.call.rows, 1);
        assert_string_equal(answer.rows, "");
        sql_rig_ask(&answer, &s, "isi", (int64_t)3, "a'b\\c\n", (int64_t)77);
        assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
        assert_int_equal(answer.call.rows, 0);
        s = pick(&pairs[3], d, 3);
        sql_rig_ask(&answer, &s, NULL);
        assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
        assert_int_equal(strncmp(answer.rows, "#3|", 3), 0);
        assert_non_null(strstr(answer.rows, "-2|#-9000000000000000000;"));
        s = pick(&pairs[4], d, 4);
        sql_rig_ask(&answer, &s, "i", (int64_t)-1);
        assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
        assert_int_equal(answer.call.rows, 0);
    }
}

static const char *const makes[2] = {
    "CREATE TABLE kinds (a int PRIMARY KEY, b bigint, c text, d numeric(10,2), e smallint, "
    "f timestamp, g double precision, h char(10)); GRANT ALL ON kinds TO bench; "
    "INSERT INTO kinds VALUES (-5, -9000000000000000000, 'it''s \\ \"q\" ?', 12.34, -7, NULL, "
    "NULL, "
    "NULL), (1, 2, 'x', -0.5, 32767, '2024-02-29 13:14:15', 1.5, 'ab'), (2, NULL, NULL, NULL, "
    "NULL, NULL, NULL, NULL)",
    "CREATE TABLE kinds (a int PRIMARY KEY, b bigint, c text, d decimal(10,2), e smallint, "
    "f datetime, g double, h char(10)); INSERT INTO kinds VALUES (-5, -9000000000000000000, "
    "'it''s \\\\ \"q\" ?', 12.34, -7, NULL, NULL, NULL), (1, 2, 'x', -0.5, 32767, "
    "'2024-02-29 13:14:15', 1.5, 'ab        '), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"};

static const char *const more[2] = {
    "CREATE TABLE long_ones (a int, b text); CREATE TABLE many_ones (a int, b text); "
    "CREATE TABLE pipe (b int); INSERT INTO pipe VALUES (0); "
    "INSERT INTO many_ones SELECT i, 'text ' || i FROM generate_series(1, 20000) i; "
    "GRANT ALL ON ALL TABLES IN SCHEMA public TO bench",
    "CREATE TABLE long_ones (a int, b mediumtext); CREATE TABLE many_ones (a int, b text); "
    "INSERT INTO many_ones SELECT seq, CONCAT('text ', seq) FROM seq_1_to_20000"};

static void with_url(int d, const char *url, struct sql_options options,
                     void (*check)(struct sql_rig *, struct sql *, int))
{
    struct sql_rig rig;
    struct sql *sql;

    sql_rig_open(&rig, url, 4);
    options.statements = 16;
    sql = sql_rig_connect(&rig, &options);
    check(&rig, sql, d);
    rig.ops->close(sql);
    sql_rig_close(&rig);
}

static void all_kinds_of_values_come_back(void **state)
{
    for (int d = 0; d < 2; d++) {
        const char *places[] = {servers[d].url, servers[d].tcp_url, servers[d].tls_url};

        for (int p = 0; p < 3; p++) {
            print_message("# %s, place %d\n", kinds[d], p);
            with_url(d, places[p], (struct sql_options){.prepared = true}, check_kinds);
            with_url(d, places[p], (struct sql_options){.prepared = false}, check_kinds);
        }
        if (d == 0) {
            with_url(d, places[0], (struct sql_options){.prepared = true, .pipeline = true},
                     check_kinds);
            with_url(d, places[0], (struct sql_options){.pipeline = true}, check_kinds);
        }
    }
}

/* ---- much, and many -------------------------------------------------------------------------- */

enum { LONG = 1 << 20 };

static void check_long(struct sql_rig *rig, struct sql *sql, int d)
{
    static const struct pair pairs[] = {
        {{"INSERT INTO long_ones VALUES ($1, $2)", "INSERT INTO long_ones VALUES (?, ?)"}, 2},
        {{"SELECT b, length(b) FROM long_ones WHERE a = $1",
          "SELECT b, length(b) FROM long_ones WHERE a = ?"},
         1},
        {{"DELETE FROM long_ones WHERE a >= $1", "DELETE FROM long_ones WHERE a >= ?"}, 1},
    };
    char *text = malloc(LONG + 1);
    struct sql_rig_answer answer;
    struct sql_statement s;

    assert_non_null(text);
    for (int i = 0; i < LONG; i++) {
        text[i] = (char)(i % 37 == 0 ? '\'' : i % 41 == 0 ? '\\' : 'a' + i % 26);
    }
    text[LONG] = '\0';
    for (int64_t round = 1; round <= 2; round++) {
        s = pick(&pairs[0], d, 0);
        sql_rig_ask(&answer, &s, "is", round, text);
        assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
        assert_int_equal(answer.call.rows, 1);
        s = pick(&pairs[1], d, 1);
        sql_rig_ask(&answer, &s, "i", round);
        assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
        assert_int_equal(answer.longest, LONG);
        assert_non_null(strstr(answer.rows, "|#1048576;"));
        assert_int_equal(strncmp(answer.rows, text, 60), 0);
    }
    s = pick(&pairs[2], d, 2);
    sql_rig_ask(&answer, &s, "i", (int64_t)0);
    assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
    assert_int_equal(answer.call.rows, 2);
    free(text);
}

static void check_many(struct sql_rig *rig, struct sql *sql, int d)
{
    struct sql_statement all = {.id = 3, .text = "SELECT a, b FROM many_ones"};
    struct sql_rig_answer answer;

    for (int round = 0; round < 2; round++) {
        sql_rig_ask(&answer, &all, NULL);
        assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
        assert_int_equal(answer.call.rows, 20000);
        assert_int_equal(answer.seen, 20000);
        sql_rig_ask(&answer, &all, NULL);
        answer.call.row = NULL; /* only counted */
        assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
        assert_int_equal(answer.call.rows, 20000);
    }
}

static void long_texts_and_many_rows_come_whole(void **state)
{
    for (int d = 0; d < 2; d++) {
        const char *places[] = {servers[d].url, servers[d].tcp_url, servers[d].tls_url};

        for (int p = 0; p < 3; p++) {
            for (int way = 0; way < 2; way++) {
                struct sql_options options = {.prepared = way};

                with_url(d, places[p], options, check_long);
                with_url(d, places[p], options, check_many);
            }
        }
    }
}

/* ---- pipeline -------------------------------------------------------------------------------- */

static void check_pipeline(struct sql_rig *rig, struct sql *sql, int d)
{
    static const char *const texts[] = {"BEGIN", "UPDATE pipe SET b = b + 1", "SELECT b FROM pipe",
                                        "COMMIT", "SELECT b FROM pipe"};
    static const char *const breaks[] = {"BEGIN", "UPDATE pipe SET b = b + 1",
                                         "SELECT 1 / b0 FROM pipe", "SELECT b FROM pipe", "COMMIT"};
    static const enum sql_fate fates[] = {SQL_DONE, SQL_DONE, SQL_REFUSED, SQL_REFUSED,
                                          SQL_REFUSED};
    struct sql_statement s[5];
    struct sql_rig_answer answers[5];
    char wanted[32];

    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 5; i++) {
            s[i] = (struct sql_statement){.id = i, .text = texts[i], .utility = i == 0 || i == 3};
            sql_rig_ask(&answers[i], &s[i], NULL);
            rig->ops->begin(sql, &answers[i].call);
            assert_int_equal(answers[i].done, 0);
        }
        sql_rig_wait(rig, answers, 5);
        snprintf(wanted, sizeof(wanted), "#%d;", round + 1);
        for (int i = 0; i < 5; i++) {
            assert_int_equal(answers[i].call.fate, SQL_DONE);
        }
        assert_string_equal(answers[2].rows, wanted);
        assert_string_equal(answers[4].rows, wanted);
        for (uint32_t i = 0; i < 5; i++) {
            s[i] =
                (struct sql_statement){.id = 5 + i, .text = breaks[i], .utility = i == 0 || i == 4};
            sql_rig_ask(&answers[i], &s[i], NULL);
            rig->ops->begin(sql, &answers[i].call);
        }
        sql_rig_wait(rig, answers, 5);
        for (int i = 0; i < 5; i++) {
            assert_int_equal(answers[i].call.fate, fates[i]);
        }
        assert_string_equal(answers[2].call.state, "42703");
        assert_string_equal(answers[3].call.state, "25P02");
        assert_int_equal(sql_rig_text(rig, sql, "ROLLBACK", NULL), SQL_DONE);
        /* outside of a transaction an error is one call's own */
        for (uint32_t i = 0; i < 3; i++) {
            s[i] = (struct sql_statement){.id = 10 + i, .text = breaks[1 + i]};
            sql_rig_ask(&answers[i], &s[i], NULL);
            rig->ops->begin(sql, &answers[i].call);
        }
        sql_rig_wait(rig, answers, 3);
        assert_int_equal(answers[0].call.fate, SQL_DONE);
        assert_int_equal(answers[1].call.fate, SQL_REFUSED);
        assert_int_equal(answers[2].call.fate, SQL_DONE);
        server_sql(&servers[d], "UPDATE pipe SET b = b - 1", NULL, 0);
    }
    server_sql(&servers[d], "UPDATE pipe SET b = 0", NULL, 0);
}

static void statements_are_sent_ahead(void **state)
{
    struct sql_options options = {.pipeline = true};

    for (int way = 0; way < 2; way++) {
        options.prepared = way;
        with_url(0, servers[0].url, options, check_pipeline);
        with_url(0, servers[0].tcp_url, options, check_pipeline);
    }
}

/* ---- callers that do things in callbacks ----------------------------------------------------- */

struct closer {
    struct sql_call call;
    struct sql_rig *rig;
    struct sql *sql;
    uint32_t done;
};

static void close_when_done(struct sql_call *call)
{
    struct closer *closer = (struct closer *)call;

    closer->done++;
    closer->rig->ops->close(closer->sql);
}

static void a_connection_may_be_closed_by_its_answer(void **state)
{
    static const char *const texts[] = {"SELECT 1", "SELECT nothing"};

    for (int d = 0; d < 2; d++) {
        const char *places[] = {servers[d].url, servers[d].tls_url};

        for (int i = 0; i < 4; i++) {
            struct sql_statement s = {.text = texts[i % 2]};
            struct sql_options options = {.statements = 1, .prepared = true};
            struct closer closer = {.call = {.statement = &s, .done = close_when_done}};
            struct sql_rig rig;

            sql_rig_open(&rig, places[i / 2], 1);
            closer.rig = &rig;
            closer.sql = sql_rig_connect(&rig, &options);
            rig.ops->begin(closer.sql, &closer.call);
            sql_rig_until(&rig, &closer.done);
            assert_int_equal(closer.call.fate, i % 2 ? SQL_REFUSED : SQL_DONE);
            sql_rig_close(&rig);
        }
    }
}

static void a_statement_that_cannot_be_prepared_goes_as_text(void **state)
{
    for (int u = 0; u < 2; u++) {
        struct sql_statement s = {.id = 0, .text = "LOCK TABLES kinds READ"};
        struct sql_statement call = {.id = 1, .text = "CALL two_answers(?)", .params = 1};
        struct sql_options options = {.statements = 2, .prepared = true};
        struct sql_rig rig;
        struct sql_rig_answer answer;
        struct sql *sql;

        sql_rig_open(&rig, u ? servers[1].tls_url : servers[1].url, 1);
        sql = sql_rig_connect(&rig, &options);
        for (int round = 0; round < 2; round++) {
            sql_rig_ask(&answer, &s, NULL);
            assert_int_equal(sql_rig_run(&rig, sql, &answer), SQL_DONE);
            assert_int_equal(sql_rig_text(&rig, sql, "UNLOCK TABLES", NULL), SQL_DONE);
            /* a procedure answers several times */
            sql_rig_ask(&answer, &call, "i", (int64_t)7);
            assert_int_equal(sql_rig_run(&rig, sql, &answer), SQL_DONE);
            assert_string_equal(answer.rows, "#7;#8|x;");
            assert_int_equal(answer.call.rows, 2);
        }
        rig.ops->close(sql);
        sql_rig_close(&rig);
    }
}

static void an_old_kernel_brings_the_same(void **state)
{
    setenv("RAWTPS_TEST_POLLED", "1", 1);
    for (int d = 0; d < 2; d++) {
        for (int way = 0; way < 2; way++) {
            struct sql_options options = {.prepared = way};

            with_url(d, servers[d].tcp_url, options, check_kinds);
            with_url(d, servers[d].tcp_url, options, check_long);
            with_url(d, servers[d].tcp_url, options, check_many);
        }
    }
    with_url(0, servers[0].tcp_url, (struct sql_options){.pipeline = true}, check_pipeline);
    unsetenv("RAWTPS_TEST_POLLED");
}

static void a_full_server_of_prepared_statements_says_so(void **state)
{
    struct sql_statement s = {.text = "SELECT 1"};
    struct sql_options options = {.statements = 1, .prepared = true};
    struct sql_rig rig;
    struct sql_rig_answer answer;
    struct sql *sql;

    sql_rig_open(&rig, servers[1].url, 1);
    sql = sql_rig_connect(&rig, &options);
    server_sql(&servers[1], "SET GLOBAL max_prepared_stmt_count = 0", NULL, 0);
    sql_rig_ask(&answer, &s, NULL);
    assert_int_equal(sql_rig_run(&rig, sql, &answer), SQL_REFUSED);
    assert_string_equal(answer.call.state, "1461");
    assert_non_null(strstr(answer.call.error, "max_prepared_stmt_count"));
    server_sql(&servers[1], "SET GLOBAL max_prepared_stmt_count = 16382", NULL, 0);
    sql_rig_ask(&answer, &s, NULL);
    assert_int_equal(sql_rig_run(&rig, sql, &answer), SQL_DONE);
    rig.ops->close(sql);
    sql_rig_close(&rig);
}

static void make_procedure(const char *text)
{
    struct sql_plain *plain;
    struct sql_url url;
    struct error err = {0};

    assert_int_equal(sql_url_parse(&url, text, &err), 0);
    assert_int_equal(sql_plain_open(&plain, &url, &err), 0);
    assert_int_equal(sql_plain_run(plain,
                                   "CREATE PROCEDURE two_answers(n int) BEGIN SELECT n; "
                                   "SELECT n + 1, 'x'; END",
                                   NULL, NULL, &err),
                     0);
    sql_plain_close(plain);
}

static int begin(void **state)
{
    for (int d = 0; d < 2; d++) {
        server_start(&servers[d], kinds[d], kinds[d], "tls");
        server_sql(&servers[d], makes[d], NULL, 0);
        server_sql(&servers[d], more[d], NULL, 0);
        if (d == 1) {
            make_procedure(servers[d].url);
        }
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_of_values_come_back),
        cmocka_unit_test(long_texts_and_many_rows_come_whole),
        cmocka_unit_test(statements_are_sent_ahead),
        cmocka_unit_test(a_connection_may_be_closed_by_its_answer),
        cmocka_unit_test(a_statement_that_cannot_be_prepared_goes_as_text),
        cmocka_unit_test(an_old_kernel_brings_the_same),
        cmocka_unit_test(a_full_server_of_prepared_statements_says_so),
    };

    return cmocka_run_group_tests_name("sql_calls", tests, begin, NULL);
}
