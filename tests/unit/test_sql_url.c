/* rooms: base io sql. URLs of servers: what is meant, what is refused, and that no password shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sql/sql.h"

struct good {
    const char *text, *user, *password, *host, *port, *database, *printed;
};
static const struct good goods[] = {
    {"postgresql://bench@db1/tpcc", "bench", "", "db1", "", "tpcc", "postgresql://bench@db1/tpcc"},
    {"postgres://bench@db1/tpcc", "bench", "", "db1", "", "tpcc", "postgresql://bench@db1/tpcc"},
    {"mysql://b:S3@h:3306/d", "b", "S3", "h", "3306", "d", "mysql://b@h:3306/d"},
    {"mariadb://b:S3@h/d", "b", "S3", "h", "", "d", "mysql://b@h/d"},
    {"postgresql://", "", "", "", "", "", "postgresql:///"},
    {"postgresql:///d", "", "", "", "", "d", "postgresql:///d"},
    {"mysql://h", "", "", "h", "", "", "mysql://h/"},
    {"mysql://h/", "", "", "h", "", "", "mysql://h/"},
    {"mysql://[::1]:33/d", "", "", "::1", "33", "d", "mysql://[::1]:33/d"},
    {"mysql://u@[fe80::1%25eth0]/d", "u", "", "fe80::1%eth0", "", "d",
     "mysql://u@[fe80::1%25eth0]/d"},
    {"postgresql://u:p@%2Fvar%2Frun/d", "u", "p", "/var/run", "", "d",
     "postgresql://u@%2Fvar%2Frun/d"},
    {"mysql://u:p@%2Frun%2Fm.sock/d", "u", "p", "/run/m.sock", "", "d",
     "mysql://u@%2Frun%2Fm.sock/d"},
    {"mysql://u/d?socket=/run/m.sock", NULL, NULL, NULL, NULL, NULL, NULL}, /* given twice */
    {"mysql://u@/d?socket=/run/m.sock", "u", "", "/run/m.sock", "", "d",
     "mysql://u@/d?socket=/run/m.sock"},
    {"postgresql:///d?host=/tmp", "", "", "/tmp", "", "d", "postgresql:///d?host=/tmp"},
    {"mysql://u:a:b:c@h/d", "u", "a:b:c", "h", "", "d", "mysql://u@h/d"},
    {"mysql://u:a@b@h/d", "u", "a@b", "h", "", "d", "mysql://u@h/d"},
    {"mysql://u:%2F%3f%23%40%3A%25@h/d", "u", "/?#@:%", "h", "", "d", "mysql://u@h/d"},
    {"mysql://us%20er:p@h/d%2Fe", "us er", "p", "h", "", "d/e", "mysql://us%20er@h/d%2Fe"},
    {"mysql://u:@h/d", "u", "", "h", "", "d", "mysql://u@h/d"},
    {"postgresql://u@h:1/d?sslmode=require", "u", "", "h", "1", "d",
     "postgresql://u@h:1/d?sslmode=require"},
    {"postgresql://u@h:65535/d?sslmode=verify-full&sslrootcert=/c&connect_timeout=3", "u", "", "h",
     "65535", "d", "postgresql://u@h:65535/d?sslmode=verify-full&sslrootcert=/c&connect_timeout=3"},
    {"postgresql://h/d?application_name=a%20b&options=-c%20x%3D1", "", "", "h", "", "d",
     "postgresql://h/d?application_name=a%20b&options=-c%20x%3D1"},
    {"fake://?delay=1ms", "", "", "", "", "", "fake:///?delay=1ms"},
    {"fake://?bimodal=1ms:0.9,10ms&stall_at=5s&stall=2s&error=40001:0.01&gone_at=3s", "", "", "",
     "", "", NULL},
    {"fake://?dialect=mysql&rows=3&number=5&seed=9&connect=1ms", "", "", "", "", "", NULL},
};

struct bad {
    const char *text, *says;
};
static const struct bad bads[] = {
    {"", "must begin with postgresql:// or mysql://"},
    {"db1", "must begin with"},
    {"postgresql:/h/d", "must begin with"},
    {"postgre://h/d", "did you mean postgres://?"},
    {"mysqll://h/d", "did you mean mysql://?"},
    {"http://h/d", "must begin with"},
    {"mysql://h:0/d", "the port must be 1 to 65535"},
    {"mysql://h:65536/d", "at character 11: the port must be 1 to 65535"},
    {"mysql://h:/d", "the port must be 1 to 65535"},
    {"mysql://h:33x/d", "the port must be 1 to 65535"},
    {"mysql://h:-1/d", "the port must be 1 to 65535"},
    {"mysql://::1/d", "an IPv6 address is written in [ ]"},
    {"mysql://[::1/d", "no ] behind the address"},
    {"mysql://[::1]x/d", "behind ] a port"},
    {"mysql://[host]/d", "an IPv6 address is expected"},
    {"mysql://@h/d", "no user before the @"},
    {"mysql://:S3cret@h/d", "no user before the @"},
    {"mysql://u@h/d%2", "two hexadecimal digits"},
    {"mysql://u@h/d%zz", "two hexadecimal digits"},
    {"mysql://u@h/d%00", "a control character"},
    {"mysql://u@h/d\n", "a control character"},
    {"mysql://a,b/d", "the host is one name"},
    {"mysql://a b/d", "the host is one name"},
    {"mysql://u:S3cret/x@h/d", "an @ behind the host"},
    {"mysql://u:S3cret?x=@h/d", "an @ behind the host"},
    {"mysql://u:S3cret#x@h/d", "an @ behind the host"},
    {"mysql://h/d#x", "# has no meaning here"},
    {"mysql://h/d?x", "an option is written key=value"},
    {"mysql://h/d?sslmod=require", "did you mean sslmode?"},
    {"mysql://h/d?sslmode=always", "sslmode wants disable"},
    {"mysql://h/d?connect_timeout=soon", "whole seconds"},
    {"mysql://h/d?connect_timeout=0", "whole seconds"},
    {"mysql://u@h/d?password=S3cret", "user and password stand before the @"},
    {"mysql://u@h/d?application_name=x", "there is no option \"application_name\""},
    {"mysql://h/d?delay=1ms", "there is no option \"delay\""},
    {"mysql://h/d?host=/x", "the host is given twice"},
    {"fake://?delay=1", "delay wants a duration"},
    {"fake://?bimodal=1ms", "bimodal wants as 1ms:0.9,10ms"},
    {"fake://?bimodal=1ms:2,10ms", "bimodal wants"},
    {"fake://?error=40001", "error wants a state and a share"},
    {"fake://?rows=many", "rows wants a whole number"},
    {"fake://?dialect=oracle", "dialect wants postgresql or mysql"},
};

static void good_urls_are_understood_and_printed_without_password(void **state)
{
    for (size_t i = 0; i < sizeof(goods) / sizeof(*goods); i++) {
        const struct good *good = &goods[i];
        struct sql_url url;
        struct error err = {0};
        struct text text;
        int code = sql_url_parse(&url, good->text, &err);

        if (good->user == NULL) {
            assert_int_not_equal(code, 0);
            continue;
        }
        if (code) {
            fail_msg("%s: %s", good->text, err.text);
        }
        assert_string_equal(url.user, good->user);
        assert_string_equal(url.password, good->password);
        assert_string_equal(url.host, good->host);
        assert_string_equal(url.port, good->port);
        assert_string_equal(url.database, good->database);
        text_init(&text);
        sql_url_print(&url, &text);
        if (good->printed) {
            struct sql_url again;

            assert_string_equal(text_string(&text), good->printed);
            assert_int_equal(sql_url_parse(&again, text_string(&text), &err), 0);
            assert_string_equal(again.host, url.host);
            assert_string_equal(again.database, url.database);
        }
        text_free(&text);
    }
}

static void bad_urls_are_refused_with_the_place_and_without_the_password(void **state)
{
    for (size_t i = 0; i < sizeof(bads) / sizeof(*bads); i++) {
        struct sql_url url = {.user = "untouched"};
        struct error err = {0};

        assert_true(sql_url_parse(&url, bads[i].text, &err) < 0);
        assert_int_equal(err.exit, EXIT_USAGE);
        if (strstr(err.text, bads[i].says) == NULL) {
            fail_msg("%s: said \"%s\", not \"%s\"", bads[i].text, err.text, bads[i].says);
        }
        assert_non_null(strstr(err.text, "at character "));
        assert_null(strstr(err.text, "S3cret"));
        assert_null(strstr(err.hint, "S3cret"));
        assert_string_equal(url.user, "untouched");
    }
}

static void parts_that_are_too_long_are_refused(void **state)
{
    char text[700], part[400];
    struct sql_url url;
    struct error err = {0};

    memset(part, 'x', sizeof(part));
    snprintf(text, sizeof(text), "mysql://%.64s@h/d", part);
    assert_true(sql_url_parse(&url, text, &err) < 0);
    assert_non_null(strstr(err.text, "the user is longer than 63 bytes"));
    snprintf(text, sizeof(text), "mysql://u:%.256s@h/d", part);
    assert_true(sql_url_parse(&url, text, &err) < 0);
    assert_non_null(strstr(err.text, "the password is longer than 255 bytes"));
    assert_null(strstr(err.text, "xxxx"));
    snprintf(text, sizeof(text), "mysql://%.256s/d", part);
    assert_true(sql_url_parse(&url, text, &err) < 0);
    snprintf(text, sizeof(text), "mysql://h/d?sslrootcert=%.300s", part);
    assert_true(sql_url_parse(&url, text, &err) < 0);
    snprintf(text, sizeof(text), "mysql://%.63s:%.255s@h/d", part, part);
    assert_int_equal(sql_url_parse(&url, text, &err), 0);
}

static void options_are_decoded(void **state)
{
    struct sql_url url;
    struct error err = {0};
    char buf[64];

    assert_int_equal(
        sql_url_parse(&url, "postgresql://h/d?sslrootcert=%2Fa%20b&sslmode=verify-ca", &err), 0);
    assert_true(sql_url_option(&url, "sslrootcert", buf, sizeof(buf)));
    assert_string_equal(buf, "/a b");
    assert_true(sql_url_option(&url, "sslmode", buf, sizeof(buf)));
    assert_string_equal(buf, "verify-ca");
    assert_false(sql_url_option(&url, "sslcert", buf, sizeof(buf)));
    assert_false(sql_url_option(&url, "ssl", buf, sizeof(buf)));
}

static void a_password_in_an_argument_is_written_over(void **state)
{
    char one[] = "mysql://bench:S3cret@h/d", two[] = "--target=mysql://b:S3@cret@h:3306/d?x=1";
    char three[] = "mysql://bench@h:3306/d", four[] = "scenario.yaml", five[] = "a=mysql://u:x@h";

    sql_url_hide(one);
    assert_string_equal(one, "mysql://bench:******@h/d");
    sql_url_hide(two);
    assert_string_equal(two, "--target=mysql://b:*******@h:3306/d?x=1");
    sql_url_hide(three);
    assert_string_equal(three, "mysql://bench@h:3306/d");
    sql_url_hide(four);
    assert_string_equal(four, "scenario.yaml");
    sql_url_hide(five);
    assert_string_equal(five, "a=mysql://u:*@h");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_urls_are_understood_and_printed_without_password),
        cmocka_unit_test(bad_urls_are_refused_with_the_place_and_without_the_password),
        cmocka_unit_test(parts_that_are_too_long_are_refused),
        cmocka_unit_test(options_are_decoded),
        cmocka_unit_test(a_password_in_an_argument_is_written_over),
    };

    return cmocka_run_group_tests_name("sql_url", tests, NULL, NULL);
}
