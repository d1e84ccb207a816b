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
        {{"SELECT count(*), sum(a), min(b) FROM kinds", "SELECT count(*), sum(a), min(b) FROM kinds"},
         0},
        {{"SELECT c FROM kinds WHERE a = 99 AND b = $1", "SELECT c FROM kinds WHERE a = 99 AND b = ?"},
         1},
    };
    struct sql_rig_answer answer;
    struct sql_statement s;

    for (int round = 0; round < 3; round++) { /* prepared anew, and known */
        s = pick(&pairs[0], d, 0);
        sql_rig_ask(&answer, &s, "i", (int64_t)-5);
        assert_int_equal(sql_rig_run(rig, sql, &answer), SQL_DONE);
        assert_string_equal(answer.rows,
                            "#-5|#-9000000000000000000|it's \\ \"q\" ?|12.34|#-7;"
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
    "INSERT INTO kinds VALUES (-5, -9000000000000000000, 'it''s \\ \"q\" ?', 12.34, -7, NULL, NULL, "
    "NULL), (1, 2, 'x', -0.5, 32767, '2024-02-29 13:14:15', 1.5, 'ab'), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    "CREATE TABLE kinds (a int PRIMARY KEY, b bigint, c text, d decimal(10,2), e smallint, "
    "f datetime, g double, h char(10)); INSERT INTO kinds VALUES (-5, -9000000000000000000, "
    "'it''s \\\\ \"q\" ?', 12.34, -7, NULL, NULL, NULL), (1, 2, 'x', -0.5, 32767, "
    "'2024-02-29 13:14:15', 1.5, 'ab        '), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"};

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

static int begin(void **state)
{
    for (int d = 0; d < 2; d++) {
        server_start(&servers[d], kinds[d], kinds[d], "tls");
        server_sql(&servers[d], makes[d], NULL, 0);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_of_values_come_back),
    };

    return cmocka_run_group_tests_name("sql_calls", tests, begin, NULL);
}
