/* rooms: base io sql. Blocking connections: texts, numbers, and loads that lose no row.
 * must-run, not-sanitized
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/resource.h>

#include "server.h"
#include "sql/sql.h"

enum { ROWS = 200000 };

static struct server servers[3]; /* the third: MariaDB without local_infile */
static const char *const kinds[3] = {"postgresql", "mysql", "mysql"};

static struct sql_plain *open_plain(int d, const char *text)
{
    struct sql_plain *plain = NULL;
    struct sql_url url;
    struct error err = {0};

    assert_int_equal(sql_url_parse(&url, text ? text : servers[d].url, &err), 0);
    if (sql_plain_open(&plain, &url, &err)) {
        fail_msg("%s", err.text);
    }
    return plain;
}

static void run(struct sql_plain *plain, const char *text)
{
    struct error err = {0};

    if (sql_plain_run(plain, text, NULL, NULL, &err)) {
        fail_msg("%s: %s", text, err.text);
    }
}

static int64_t number(struct sql_plain *plain, const char *text)
{
    struct error err = {0};
    int64_t ret = -1;

    if (sql_plain_number(plain, text, &ret, &err)) {
        fail_msg("%s: %s", text, err.text);
    }
    return ret;
}

static void note(void *context, const struct sql_value *columns, uint32_t count)
{
    char *seen = context;
    size_t n = strlen(seen);

    for (uint32_t c = 0; c < count; c++) {
        n += (size_t)snprintf(seen + n, 200 - n, columns[c].kind == SQL_NULL ? "NULL " : "%.*s ",
                              (int)columns[c].bytes, columns[c].text);
    }
}

static void texts_are_run_and_numbers_read(void **state)
{
    for (int d = 0; d < 2; d++) {
        const char *urls[] = {NULL, servers[d].tcp_url, servers[d].tls_url};

        for (int u = 0; u < 3; u++) {
            struct sql_plain *plain = open_plain(d, urls[u]);
            struct error err = {0};
            char seen[200] = "";
            int64_t ignored = 0;

            assert_int_equal(number(plain, "SELECT 42"), 42);
            assert_int_equal(number(plain,
                                    "SELECT sum(x) FROM (SELECT 20 AS x UNION ALL SELECT 22) "
                                    "AS y"),
                             42);
            assert_int_equal(sql_plain_run(plain, "SELECT 'a', NULL, 'c'", note, seen, &err), 0);
            assert_string_equal(seen, "a NULL c ");
            assert_int_equal(sql_plain_number(plain,
                                              "SELECT 1 FROM (SELECT 1 AS x) AS y WHERE x = 2",
                                              &ignored, &err),
                             -ENOENT);
            assert_int_not_equal(sql_plain_run(plain, "SELECT nothing", NULL, NULL, &err), 0);
            assert_int_equal(err.exit, EXIT_FAILED);
            assert_non_null(strstr(err.text, "nothing"));
            assert_non_null(strstr(err.text, d == 0 ? "[42703]" : "[1054]"));
            assert_int_equal(number(plain, "SELECT 1"), 1);
            sql_plain_close(plain);
        }
    }
}

static void make_table(struct sql_plain *plain, int d)
{
    run(plain, "DROP TABLE IF EXISTS loads");
    run(plain, d == 0 ? "CREATE TABLE loads (a int PRIMARY KEY, b bigint, c text)"
                      : "CREATE TABLE loads (a int PRIMARY KEY, b bigint, c mediumtext)");
}

static int put(struct sql_plain *plain, int64_t a, const char *c, struct error *err)
{
    struct sql_value values[3] = {{.kind = SQL_INT, .number = a},
                                  {.kind = a % 2 ? SQL_INT : SQL_NULL, .number = -a},
                                  {.kind = c ? SQL_TEXT : SQL_NULL, .text = c}};

    values[2].bytes = c ? (uint32_t)strlen(c) : 0;
    return sql_plain_load_row(plain, values, 3, err);
}

static const char *const odd_texts[] = {"",   "\\", "\\N", "a\tb",     "a\nb", "\r",  "'",
                                        "''", "\"", "%",   "\xc3\xa9", "NULL", "\\.", "x\\"};
enum { ODD = sizeof(odd_texts) / sizeof(*odd_texts) };

static void whatever_a_text_holds_arrives(void **state)
{
    for (int d = 0; d < 3; d++) {
        struct sql_plain *plain = open_plain(d, NULL);
        struct error err = {0};

        make_table(plain, d);
        assert_int_equal(sql_plain_load_begin(plain, "loads", "a, b, c", &err), 0);
        for (int i = 0; i < ODD; i++) {
            assert_int_equal(put(plain, i, odd_texts[i], &err), 0);
        }
        assert_int_equal(put(plain, ODD, NULL, &err), 0);
        if (sql_plain_load_end(plain, &err)) {
            fail_msg("%s", err.text);
        }
        assert_int_equal(number(plain, "SELECT count(*) FROM loads"), ODD + 1);
        assert_int_equal(number(plain, "SELECT count(*) FROM loads WHERE c IS NULL"), 1);
        assert_int_equal(number(plain, "SELECT count(*) FROM loads WHERE b IS NULL"), ODD / 2 + 1);
        for (int i = 0; i < ODD; i++) {
            char text[120], seen[200] = "", wanted[40];

            snprintf(text, sizeof(text), "SELECT c FROM loads WHERE a = %d", i);
            snprintf(wanted, sizeof(wanted), "%s ", odd_texts[i]);
            assert_int_equal(sql_plain_run(plain, text, note, seen, &err), 0);
            assert_string_equal(seen, wanted);
        }
        sql_plain_close(plain);
    }
}

static double cpu_s(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static void many_rows_arrive_and_cost_little(void **state)
{
    char text[121];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    for (int d = 0; d < 3; d++) {
        struct sql_plain *plain = open_plain(d, NULL);
        struct error err = {0};
        double before;

        make_table(plain, d);
        before = cpu_s();
        run(plain, "BEGIN");
        assert_int_equal(sql_plain_load_begin(plain, "loads", "a, b, c", &err), 0);
        for (int i = 1; i <= ROWS; i++) {
            assert_int_equal(put(plain, i, text, &err), 0);
        }
        assert_int_equal(sql_plain_load_end(plain, &err), 0);
        run(plain, "COMMIT");
        print_message("# %s%s: %.0f rows a second of the client's CPU\n", kinds[d],
                      d == 2 ? " by INSERT" : "", ROWS / (cpu_s() - before));
        assert_int_equal(number(plain, "SELECT count(*) FROM loads"), ROWS);
        assert_int_equal(number(plain, "SELECT sum(a) FROM loads"), (int64_t)ROWS * (ROWS + 1) / 2);
        assert_int_equal(number(plain, "SELECT sum(length(c)) FROM loads"), 120ll * ROWS);
        sql_plain_close(plain);
    }
}

static void rows_that_are_refused_are_an_error(void **state)
{
    for (int d = 0; d < 3; d++) {
        struct sql_plain *plain = open_plain(d, NULL);
        struct error err = {0};
        int code;

        make_table(plain, d);
        assert_int_equal(sql_plain_load_begin(plain, "loads", NULL, &err), 0);
        put(plain, 1, "x", &err);
        put(plain, 1, "the same key", &err);
        code = sql_plain_load_end(plain, &err);
        assert_true(code < 0);
        assert_int_equal(err.exit, EXIT_FAILED);
        assert_non_null(strstr(err.text, d == 0 ? "duplicate key" : "Duplicate entry"));
        assert_int_equal(number(plain, "SELECT 5"), 5);
        assert_true(sql_plain_load_begin(plain, "no_such_table", NULL, &err) < 0 ||
                    put(plain, 1, "x", &err) < 0 || sql_plain_load_end(plain, &err) < 0);
        assert_int_equal(number(plain, "SELECT 6"), 6);
        /* given up in the middle */
        run(plain, "DELETE FROM loads");
        run(plain, "BEGIN");
        assert_int_equal(sql_plain_load_begin(plain, "loads", NULL, &err), 0);
        put(plain, 7, "x", &err);
        run(plain, "ROLLBACK");
        assert_int_equal(number(plain, "SELECT count(*) FROM loads"), 0);
        sql_plain_close(plain);
    }
}

static int begin(void **state)
{
    for (int d = 0; d < 3; d++) {
        server_start(&servers[d], kinds[d], d == 2 ? "off" : kinds[d],
                     d == 2 ? "local_infile=0" : "tls");
    }
    server_sql(&servers[0], "GRANT ALL ON SCHEMA public TO bench", NULL, 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_run_and_numbers_read),
        cmocka_unit_test(whatever_a_text_holds_arrives),
        cmocka_unit_test(many_rows_arrive_and_cost_little),
        cmocka_unit_test(rows_that_are_refused_are_an_error),
    };

    return cmocka_run_group_tests_name("sql_plain", tests, begin, NULL);
}
