/* rooms: base io sql. The fake server keeps its word about time, so that percentiles can be
 * checked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sql/sql.h"

static const int64_t MS = 1000000;

struct client {
    struct sql_call call;
    const struct sql_ops *ops;
    struct loop *loop;
    struct sql *sql;
    struct sql_statement statement;
    int64_t begun_ns, sum_ns, longest_ns, until_ns;
    uint32_t count, slow, retried, gone, rows;
    int64_t number;
};

static void go(struct client *client)
{
    client->begun_ns = client->loop->now_ns;
    client->ops->begin(client->sql, &client->call);
}

static void take(struct sql_call *call, const struct sql_value *columns, uint32_t count)
{
    struct client *client = (struct client *)call;

    client->rows++;
    client->number = columns[0].number;
}

static void done(struct sql_call *call)
{
    struct client *client = (struct client *)call;
    int64_t took_ns = client->loop->now_ns - client->begun_ns;

    client->count++;
    client->sum_ns += took_ns;
    client->slow += took_ns >= 10 * MS;
    client->longest_ns = took_ns > client->longest_ns ? took_ns : client->longest_ns;
    client->retried += call->fate == SQL_RETRY;
    if (call->fate == SQL_GONE) {
        client->gone++;
        return;
    }
    if (client->loop->now_ns < client->until_ns) {
        go(client);
    }
}

static void connected(void *context, struct sql *sql, const struct error *err)
{
    assert_null(err);
    go(context);
}

static uint32_t two_rows(void *context, const struct sql_call *call, uint32_t row,
                         struct sql_value *ret)
{
    ret[0] = (struct sql_value){.kind = SQL_INT, .number = 40 + row};
    ret[1] = (struct sql_value){.kind = SQL_TEXT, .text = "x", .bytes = 1};
    return row < 2 ? 2 : 0;
}

static struct client run(const char *text, int64_t until_ns, bool script)
{
    struct client client = {.until_ns = until_ns};
    struct sql_options options = {.statements = 1, .answer = script ? two_rows : NULL};
    struct sql_url url;
    struct loop loop;
    struct error err = {0};

    assert_int_equal(sql_url_parse(&url, text, &err), 0);
    assert_int_equal(loop_virtual_open(&loop, 4, &err), 0);
    client.ops = sql_ops_of(&url, &err);
    client.loop = &loop;
    client.statement = (struct sql_statement){.text = "SELECT 1"};
    client.call = (struct sql_call){.statement = &client.statement, .row = take, .done = done};
    assert_int_equal(
        client.ops->connect(&client.sql, &loop, &url, &options, connected, &client, &err), 0);
    loop_run(&loop, INT64_MAX);
    assert_int_equal(loop.in_flight, 0);
    client.ops->close(client.sql);
    loop_close(&loop);
    return client;
}

static void a_constant_delay_is_exact(void **state)
{
    struct client client = run("fake://?delay=2ms", 1000 * MS, false);

    assert_int_equal(client.count, 500);
    assert_int_equal(client.sum_ns, 1000 * MS);
    assert_int_equal(client.longest_ns, 2 * MS);
    assert_int_equal(client.rows, 500);
}

static void two_delays_come_in_their_shares_and_repeat(void **state)
{
    struct client client = run("fake://?bimodal=1ms:0.9,10ms&seed=7", 200000 * MS, false);
    struct client again = run("fake://?bimodal=1ms:0.9,10ms&seed=7", 200000 * MS, false);
    struct client other = run("fake://?bimodal=1ms:0.9,10ms&seed=8", 200000 * MS, false);

    /* mean 1.9 ms: about 105,263 calls; 4 standard deviations of the slow ones are 390 */
    assert_in_range(client.count, 104000, 106600);
    assert_in_range(client.slow, client.count / 10 - 400, client.count / 10 + 400);
    assert_int_equal(client.sum_ns, client.count * MS + client.slow * 9 * MS);
    assert_int_equal(client.count, again.count);
    assert_int_equal(client.slow, again.slow);
    assert_int_not_equal(client.slow, other.slow);
}

static void a_stall_holds_what_is_under_way(void **state)
{
    struct client client = run("fake://?delay=3ms&stall_at=1000ms&stall=2s", 5000 * MS, false);

    /* the call begun at 999 ms has 1 ms of its 3 before the stall, and 2 after */
    assert_int_equal(client.longest_ns, 2003 * MS);
    assert_int_equal(client.sum_ns, (client.count - 1) * 3 * MS + 2003 * MS);
}

static void errors_and_loss_come_as_told(void **state)
{
    struct client client = run("fake://?delay=1ms&error=40001:0.25&gone_at=10s", 20000 * MS, false);

    assert_int_equal(client.gone, 1);
    assert_in_range(client.count, 9999, 10001);
    assert_in_range(client.retried, 2300, 2700);
}

static void rows_are_canned_or_written_by_the_test(void **state)
{
    struct client client = run("fake://?delay=1ms&rows=3&number=42", 1 * MS, false);

    assert_int_equal(client.rows, 3);
    assert_int_equal(client.number, 42);
    client = run("fake://?delay=1ms", 1 * MS, true);
    assert_int_equal(client.rows, 2);
    assert_int_equal(client.number, 41);
    assert_int_equal(client.call.rows, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_delay_is_exact),
        cmocka_unit_test(two_delays_come_in_their_shares_and_repeat),
        cmocka_unit_test(a_stall_holds_what_is_under_way),
        cmocka_unit_test(errors_and_loss_come_as_told),
        cmocka_unit_test(rows_are_canned_or_written_by_the_test),
    };

    return cmocka_run_group_tests_name("sql_fake", tests, NULL, NULL);
}
