/* rooms: base io sql. Connections that do not come to stand: one clear message, a hint, no
 * password. must-run, not-sanitized
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "server.h"
#include "sql_rig.h"

static struct server servers[2], few[2]; /* few: take 5 connections */
static const char *const kinds[2] = {"postgresql", "mysql"};

/* Ask both ways to connect; the message of each must say so. */
static void refuses(const char *text, const char *says, const char *hints)
{
    struct sql_options options = {.statements = 1};
    struct sql_rig rig;
    struct sql_plain *plain;

    sql_rig_open(&rig, text, 2);
    for (int way = 0; way < 2; way++) {
        struct error err = {0};

        if (way == 0) {
            if (sql_rig_try(&rig, &options, &err)) {
                fail_msg("%s stands", text);
            }
        } else {
            assert_int_not_equal(sql_plain_open(&plain, &rig.url, &err), 0);
        }
        assert_int_equal(err.exit, EXIT_FAILED);
        if (strstr(err.text, says) == NULL || strstr(err.hint, hints) == NULL) {
            fail_msg("%s: said \"%s\" (%s), not \"%s\" (%s)", text, err.text, err.hint, says,
                     hints);
        }
        assert_null(strstr(err.text, "S3cret"));
        assert_null(strstr(err.hint, "S3cret"));
        assert_null(strchr(err.text, '\n'));
        assert_non_null(strstr(err.text, "://"));
    }
    assert_int_equal(rig.loop.in_flight, 0);
    assert_int_equal(loop_armed_count(&rig.loop), 0);
    sql_rig_close(&rig);
}

static const char *url_of(int d, const char *user, const char *place, const char *database)
{
    static char urls[4][300];
    static int next;
    char *url = urls[next++ % 4];

    snprintf(url, sizeof(urls[0]), "%s://%s@%s/%s", kinds[d], user, place, database);
    return url;
}

static void what_is_wrong_is_said(void **state)
{
    static const char *const no_password[2] = {"password authentication failed for user \"bench\"",
                                               "Access denied for user 'bench'@"};
    static const char *const no_user[2] = {"password authentication failed for user \"nobody\"",
                                           "Access denied for user 'nobody'@"};
    static const char *const no_database[2] = {"database \"missing\" does not exist",
                                               "Unknown database 'missing'"};
    static const char *const passwords[2] = {"PGPASSWORD", "MYSQL_PWD"};
    static const char *const names[2] = {"could not translate host name", "Unknown server host"};

    for (int d = 0; d < 2; d++) {
        char place[256], tcp[64];
        const char *at = strchr(servers[d].url, '@') + 1;

        snprintf(place, sizeof(place), "%.*s", (int)strcspn(at, "/"), at); /* its socket */
        snprintf(tcp, sizeof(tcp), "127.0.0.1:%s", servers[d].port);
        refuses(url_of(d, "bench:S3cret", place, "bench"), no_password[d], passwords[d]);
        refuses(url_of(d, "bench:S3cret", tcp, "bench"), no_password[d], passwords[d]);
        refuses(url_of(d, "nobody:S3cret", tcp, "bench"), no_user[d], passwords[d]);
        refuses(url_of(d, "bench:secret", tcp, "missing"), no_database[d], "CREATE DATABASE");
        refuses(url_of(d, "bench:S3cret", "127.0.0.1:1", "bench"),
                d == 0 ? "Connection refused" : "Can't connect to server on '127.0.0.1'",
                "is the server running there");
        refuses(url_of(d, "bench:S3cret", "[::1]:1", "bench"),
                d == 0 ? "Connection refused" : "Can't connect to server on '::1'",
                "is the server running there");
        refuses(url_of(d, "bench:S3cret", "%2Fnowhere%2Fs", "bench"), d == 0 ? "No such file" : "",
                "is the server running");
        refuses(url_of(d, "bench:S3cret", "no.such.host.invalid:1", "bench"), names[d],
                "is the name of the host right");
        refuses(url_of(d, "bench:S3cret", tcp, "bench?sslmode=verify-full&sslrootcert=/nowhere"),
                "", "sslrootcert");
        refuses(url_of(d, "bench:S3cret", tcp, "bench?sslmode=require"), no_password[d],
                passwords[d]);
        snprintf(tcp, sizeof(tcp), "127.0.0.1:%s", few[d].port);
        refuses(url_of(d, "bench:secret", tcp, "bench?sslmode=require"), d == 0 ? "SSL" : "no TLS",
                "sslmode");
    }
}

static void no_password_at_all_is_said(void **state)
{
    char url[300];

    setenv("HOME", "/nowhere", 1);
    snprintf(url, sizeof(url), "postgresql://bench@127.0.0.1:%s/bench", servers[0].port);
    refuses(url, "no password supplied", "PGPASSWORD");
    snprintf(url, sizeof(url), "mysql://bench@127.0.0.1:%s/bench", servers[1].port);
    refuses(url, "using password: NO", "MYSQL_PWD");
}

static void too_many_connections_are_said(void **state)
{
    for (int d = 0; d < 2; d++) {
        struct sql_options options = {.statements = 1};
        struct error err = {0};
        struct sql *stands[16];
        struct sql_rig rig;
        uint32_t n = 0;

        sql_rig_open(&rig, few[d].url, 16);
        while (n < 16 && (stands[n] = sql_rig_try(&rig, &options, &err)) != NULL) {
            n++;
        }
        assert_in_range(n, 1, 11); /* MariaDB has a least limit of its own */
        if (strstr(err.text, d == 0 ? "remaining connection slots" : "Too many connections") ==
                NULL &&
            strstr(err.text, "too many clients") == NULL) {
            fail_msg("%s", err.text);
        }
        assert_non_null(strstr(err.hint, "max_connections"));
        while (n) {
            rig.ops->close(stands[--n]);
        }
        sql_rig_close(&rig);
    }
}

static void stands(const char *text)
{
    struct sql_options options = {.statements = 1};
    struct sql_rig rig;
    struct sql *sql;
    struct sql_plain *plain;
    struct error err = {0};

    sql_rig_open(&rig, text, 1);
    sql = sql_rig_connect(&rig, &options);
    assert_int_equal(sql_rig_text(&rig, sql, "SELECT 1", NULL), SQL_DONE);
    rig.ops->close(sql);
    if (sql_plain_open(&plain, &rig.url, &err)) {
        fail_msg("%s: %s", text, err.text);
    }
    sql_plain_close(plain);
    sql_rig_close(&rig);
}

static void passwords_come_from_elsewhere_too(void **state)
{
    char home[] = "/tmp/rawtps-home-XXXXXX", path[300], urls[2][300];
    FILE *file;

    assert_non_null(mkdtemp(home));
    setenv("HOME", home, 1);
    for (int d = 0; d < 2; d++) {
        snprintf(urls[d], sizeof(urls[d]), "%s://bench@127.0.0.1:%s/bench", kinds[d],
                 servers[d].port);
    }
    setenv("PGPASSWORD", "secret", 1);
    setenv("MYSQL_PWD", "secret", 1);
    stands(urls[0]);
    stands(urls[1]);
    unsetenv("PGPASSWORD");
    unsetenv("MYSQL_PWD");
    snprintf(path, sizeof(path), "%s/.pgpass", home);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "127.0.0.1:%s:bench:bench:secret\n", servers[0].port);
    fclose(file);
    chmod(path, 0600);
    setenv("PGPASSFILE", path, 1); /* libpq asks the account for its home, not HOME */
    stands(urls[0]);
    unlink(path);
    snprintf(path, sizeof(path), "%s/.my.cnf", home);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "[client]\nuser=somebody\npassword=secret\nhost=nowhere\n");
    fclose(file);
    stands(urls[1]);
    unlink(path);
    rmdir(home);
}

static void every_way_to_a_server_stands(void **state)
{
    for (int d = 0; d < 2; d++) {
        char url[400];

        stands(servers[d].url);
        stands(servers[d].tcp_url);
        stands(servers[d].tls_url);
        snprintf(url, sizeof(url),
                 "%s://bench:secret@127.0.0.1:%s/bench?sslmode=verify-ca&"
                 "sslrootcert=%s",
                 kinds[d], servers[d].port, servers[d].ca);
        stands(url);
        snprintf(url, sizeof(url),
                 "%s://bench:secret@localhost:%s/bench?sslmode=verify-full&"
                 "sslrootcert=%s",
                 kinds[d], servers[d].port, servers[d].ca);
        stands(url);
        if (access("/proc/net/if_inet6", R_OK) == 0) {
            snprintf(url, sizeof(url), "%s://bench:secret@[::1]:%s/bench", kinds[d],
                     servers[d].port);
            stands(url);
        }
    }
}

static void the_servers_know_tls_is_used(void **state)
{
    char found[64] = "";

    for (int d = 0; d < 2; d++) {
        struct sql_options options = {.statements = 1};
        struct sql_rig rig;
        struct sql *sql;
        struct sql_rig_answer answer;

        sql_rig_open(&rig, servers[d].tls_url, 1);
        sql = sql_rig_connect(&rig, &options);
        sql_rig_text(&rig, sql,
                     d == 0 ? "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
                            : "SHOW STATUS LIKE 'Ssl_version'",
                     &answer);
        snprintf(found, sizeof(found), "%.60s", answer.rows);
        assert_non_null(strstr(found, "TLSv1."));
        rig.ops->close(sql);
        sql_rig_close(&rig);
    }
}

static int begin(void **state)
{
    unsetenv("PGPASSWORD");
    unsetenv("MYSQL_PWD");
    for (int d = 0; d < 2; d++) {
        server_start(&servers[d], kinds[d], kinds[d], "tls");
        server_start(&few[d], kinds[d], d == 0 ? "few-pg" : "few-my",
                     d == 0 ? "max_connections=5 superuser_reserved_connections=1 "
                              "max_wal_senders=0"
                            : "max_connections=5");
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(no_password_at_all_is_said),
        cmocka_unit_test(too_many_connections_are_said),
        cmocka_unit_test(passwords_come_from_elsewhere_too),
        cmocka_unit_test(every_way_to_a_server_stands),
        cmocka_unit_test(the_servers_know_tls_is_used),
    };

    return cmocka_run_group_tests_name("sql_connect", tests, begin, NULL);
}
