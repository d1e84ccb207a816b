// Many users on a few connections: who waits, who is told what, and what becomes of it when the
// server refuses or goes. The server is a stub that does what each test says.
// rooms: base io workload sql target
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "target/target_sql.h"

#define MS 1000000ll
#define S  1000000000ll

/* ---- the stub server --------------------------------------------------------------------- */

enum { LOG = 8192 };

struct stub {
    int64_t delay_ns;
    bool inside_begin; /* answers before begin() returns */
    /* what becomes of a call; NULL: done */
    enum sql_fate (*fate)(struct sql_call *, uint32_t number);
    uint32_t refuse_connects; /* so many are refused, after `connects_before` */
    uint32_t connects_before;
    uint32_t number, connects, closes;
    int64_t connect_ns[64];
    const char *log[LOG];
};
static struct stub stub;

struct sql {
    struct loop *loop;
    struct timer timer;
    void (*connected)(void *, struct sql *, const struct error *);
    void *context;
    struct sql_call *first, *last;
    bool stands, gone, refused, pipeline;
};

static void stub_answer(struct sql *sql, struct sql_call *call)
{
    uint32_t number = stub.number++;

    assert_true(number < LOG);
    stub.log[number] = call->statement->text;
    call->fate = sql->gone ? SQL_GONE : stub.fate ? stub.fate(call, number) : SQL_DONE;
    sql->gone = sql->gone || call->fate == SQL_GONE;
    call->rows = call->fate == SQL_DONE;
    if (call->fate == SQL_DONE && call->row) {
        call->row(call, &(struct sql_value){.kind = SQL_INT, .number = 77}, 1);
    }
    call->done(call);
}

static void stub_fire(struct timer *timer)
{
    struct sql *sql = (struct sql *)((char *)timer - offsetof(struct sql, timer));
    struct sql_call *call = sql->first;

    if (!sql->stands) {
        struct error err = {0};

        sql->stands = !sql->refused;
        error_set(&err, EXIT_FAILED, -1, "too many connections");
        sql->connected(sql->context, sql, sql->stands ? NULL : &err);
        return;
    }
    sql->first = call->next;
    if (sql->first) {
        loop_arm(sql->loop, &sql->timer, sql->loop->now_ns + (sql->gone ? 0 : stub.delay_ns));
    }
    stub_answer(sql, call);
}

static int stub_connect(struct sql **ret, struct loop *loop, const struct sql_url *url,
                        const struct sql_options *options,
                        void (*connected)(void *, struct sql *, const struct error *),
                        void *context, struct error *err)
{
    struct sql *sql = calloc(1, sizeof(*sql));

    stub.connect_ns[stub.connects % 64] = loop->now_ns;
    sql->refused = stub.connects >= stub.connects_before &&
                   stub.connects - stub.connects_before < stub.refuse_connects;
    stub.connects++;
    sql->loop = loop;
    sql->pipeline = options->pipeline;
    sql->connected = connected;
    sql->context = context;
    sql->timer.fire = stub_fire;
    loop_arm(loop, &sql->timer, loop->now_ns);
    *ret = sql;
    return 0;
}

static void stub_begin(struct sql *sql, struct sql_call *call)
{
    assert_true(sql->stands);
    if (stub.inside_begin) {
        stub_answer(sql, call);
        return;
    }
    call->next = NULL;
    if (sql->first) {
        assert_true(sql->pipeline);
        sql->last->next = call;
    } else {
        sql->first = call;
        loop_arm(sql->loop, &sql->timer, sql->loop->now_ns + stub.delay_ns);
    }
    sql->last = call;
}

static void stub_close(struct sql *sql)
{
    if (sql) {
        stub.closes++;
        loop_disarm(sql->loop, &sql->timer);
        free(sql);
    }
}

static const struct sql_ops stub_ops = {"stub", stub_connect, stub_begin, stub_close, NULL};

/* ---- users --------------------------------------------------------------------------------- */

enum { USERS = 1000 };

struct user {
    struct op op;
    int64_t spent_ns[SPENT_KINDS], due_ns, ended_ns;
    uint32_t step, answers;
    int status; /* -1: under way */
};

struct rig {
    struct loop loop;
    struct target *target;
    struct sql_texts *texts;
    struct user users[USERS];
    uint32_t ended, order[USERS];
};
static struct rig rig;

static const struct tpcb_settings tpcb = {TPCB_LIKE, 1, 1, 1};

/* BEGIN, account_add, account, insert_history, COMMIT. */
static const uint8_t asked[] = {TPCB_S_BEGIN, TPCB_S_ACCOUNT_ADD, TPCB_S_ACCOUNT, TPCB_S_HISTORY,
                                TPCB_S_COMMIT};
enum { ASKED = sizeof(asked) };

static void user_goes(struct user *user, enum op_status status)
{
    user->status = (int)status;
    user->ended_ns = rig.loop.now_ns;
    rig.order[rig.ended++] = (uint32_t)(user - rig.users);
}

static void user_asks(struct user *user)
{
    for (;;) {
        if (user->op.status != OP_OK || user->step == ASKED) {
            user_goes(user, (enum op_status)user->op.status);
            return;
        }
        user->op.statement = asked[user->step++];
        user->op.verb = tpcb_catalog()->statements[user->op.statement].verb;
        user->op.key[0] = 5;
        if (!rig.target->ops->begin(rig.target, (uint32_t)(user - rig.users), &user->op)) {
            return;
        }
    }
}

static void user_answered(struct op *op)
{
    struct user *user = (struct user *)op;

    user->answers++;
    user_asks(user);
}

static void user_begins(uint32_t i)
{
    struct user *user = &rig.users[i];

    *user = (struct user){.status = -1, .due_ns = rig.loop.now_ns};
    user->op.done = user_answered;
    user->op.spent_ns = user->spent_ns;
    user_asks(user);
}

static int rig_open(uint32_t sessions, uint32_t connections, struct target_sql_settings *settings)
{
    struct sql_texts_settings texts = {.dialect = SQL_TEXT_POSTGRES, .tpcb = &tpcb};
    struct error err = {0};

    memset(&rig, 0, sizeof(rig));
    assert_int_equal(loop_virtual_open(&rig.loop, 4096, &err), 0);
    rig.texts = sql_texts_open(&texts, &err);
    assert_non_null(rig.texts);
    settings->url.dialect = SQL_POSTGRES;
    settings->texts = rig.texts;
    settings->sessions = sessions;
    settings->connections = connections;
    settings->ops = &stub_ops;
    rig.target = target_sql_open(settings, &rig.loop, 0, &err);
    assert_non_null(rig.target);
    return target_sql_connect(rig.target, 10 * S, &err) < 0 ? (int)err.exit : 0;
}

static int setup(void **state)
{
    stub = (struct stub){.delay_ns = MS};
    return 0;
}

static int teardown(void **state)
{
    if (rig.target) {
        rig.target->ops->stop(rig.target);
        rig.target->ops->free(rig.target);
        assert_int_equal(stub.connects, stub.closes);
        sql_texts_free(rig.texts);
        loop_close(&rig.loop);
    }
    memset(&rig, 0, sizeof(rig));
    return 0;
}

static struct target_sql_counts counts_now(void)
{
    struct target_sql_counts counts;

    target_sql_counts(rig.target, &counts);
    return counts;
}

static void run_for(int64_t ns)
{
    loop_run(&rig.loop, rig.loop.now_ns + ns);
}

/* ---- tests --------------------------------------------------------------------------------- */

/* A user who comes later than another never gets a connection before it, and knows how long it
 * stood in line. */
static void a_thousand_users_wait_in_line_for_four_connections(void **state)
{
    struct target_sql_settings settings = {0};
    int64_t begun_ns;
    uint64_t allocations;

    assert_int_equal(rig_open(USERS, 4, &settings), 0);
    begun_ns = rig.loop.now_ns;
    allocations = mem_allocations();
    for (uint32_t i = 0; i < USERS; i++) {
        user_begins(i);
    }
    assert_int_equal(counts_now().waiting, USERS - 4);
    run_for(10 * S);
    assert_int_equal(rig.ended, USERS);
    for (uint32_t i = 0; i < USERS; i++) {
        const struct user *user = &rig.users[i];

        assert_int_equal(rig.order[i], i);
        assert_int_equal(user->status, OP_OK);
        assert_int_equal(user->spent_ns[SPENT_SESSION], (i / 4) * ASKED * MS);
        assert_int_equal(user->spent_ns[SPENT_SERVER], ASKED * MS);
        assert_int_equal(user->ended_ns - begun_ns, (i / 4 + 1) * ASKED * MS);
        assert_int_equal(user->op.answer[0], 77);
    }
    assert_int_equal(counts_now().waits, USERS - 4);
    assert_int_equal(counts_now().calls, USERS * ASKED);
    assert_int_equal(mem_allocations(), allocations);
}

/* The thread that ran the loop closes; another one then asks what was counted, and frees. */
static void connections_are_closed_before_the_figures_are_read(void **state)
{
    struct target_sql_settings settings = {0};
    struct target_check check;

    assert_int_equal(rig_open(8, 4, &settings), 0);
    for (uint32_t i = 0; i < 8; i++) {
        user_begins(i);
    }
    run_for(MS);
    rig.target->ops->stop(rig.target);
    target_sql_close(rig.target);
    assert_int_equal(stub.closes, 4);
    assert_int_equal(counts_now().calls, 4);
    assert_int_equal(counts_now().lost, 0);
    assert_int_equal(rig.target->ops->check(rig.target, &check, 1), 1);
    assert_true(check.passed);
    run_for(10 * S); /* nothing is opened again */
    assert_int_equal(stub.connects, 4);
}

static enum sql_fate fails_with(struct sql_call *call, enum sql_fate fate, const char *code)
{
    snprintf(call->state, sizeof(call->state), "%s", code);
    snprintf(call->error, sizeof(call->error), "said %s", code);
    return fate;
}

static enum sql_fate deadlock_at_2(struct sql_call *call, uint32_t number)
{
    return number == 2 ? fails_with(call, SQL_RETRY, "40P01") : SQL_DONE;
}

/* Else the next BEGIN on the connection would commit half a transaction. */
static void a_deadlock_is_rolled_back_before_the_user_hears_of_it(void **state)
{
    struct target_sql_settings settings = {0};

    assert_int_equal(rig_open(2, 1, &settings), 0);
    stub.fate = deadlock_at_2;
    user_begins(0);
    user_begins(1);
    run_for(S);
    assert_int_equal(rig.users[0].status, OP_RETRY);
    assert_string_equal(stub.log[3], "ROLLBACK");
    assert_string_equal(stub.log[4], "BEGIN"); /* of the other user */
    assert_int_equal(rig.users[1].status, OP_OK);
    assert_int_equal(rig.users[1].spent_ns[SPENT_SESSION], 4 * MS);
    assert_int_equal(rig.users[0].spent_ns[SPENT_SERVER], 4 * MS);
    assert_int_equal(counts_now().retried, 1);
    assert_int_equal(counts_now().code_count, 1);
    assert_true(counts_now().codes[0].retried);
}

static enum sql_fate refused_at_1(struct sql_call *call, uint32_t number)
{
    return number % 3 == 1 ? fails_with(call, SQL_REFUSED, "23514") : SQL_DONE;
}

static void a_refusal_fails_the_transaction_and_is_counted_by_its_code(void **state)
{
    struct target_sql_settings settings = {0};

    assert_int_equal(rig_open(1, 1, &settings), 0);
    stub.fate = refused_at_1;
    for (int i = 0; i < 3; i++) {
        user_begins(0);
        run_for(S);
        assert_int_equal(rig.users[0].status, OP_FAILED);
        assert_string_equal(stub.log[stub.number - 1], "ROLLBACK");
    }
    assert_int_equal(counts_now().refused, 3);
    assert_int_equal(counts_now().code_count, 1);
    assert_string_equal(counts_now().codes[0].state, "23514");
    assert_string_equal(counts_now().codes[0].error, "said 23514");
    assert_int_equal(counts_now().codes[0].count, 3);
    assert_int_equal(counts_now().unknown, 0);
}

static void a_code_to_ignore_is_skipped_and_still_rolled_back(void **state)
{
    struct target_sql_settings settings = {.ignore = {"40001", "23514"}, .ignore_count = 2};

    assert_int_equal(rig_open(1, 1, &settings), 0);
    stub.fate = refused_at_1;
    user_begins(0);
    run_for(S);
    assert_int_equal(rig.users[0].status, OP_SKIPPED);
    assert_string_equal(stub.log[2], "ROLLBACK");
    assert_int_equal(counts_now().skipped, 1);
    assert_int_equal(counts_now().refused, 0);
}

static uint32_t gone_at;

static enum sql_fate is_gone(struct sql_call *call, uint32_t number)
{
    return number == gone_at ? SQL_GONE : SQL_DONE;
}

/* Only while COMMIT is under way does nobody know what became of the transaction. */
static void a_lost_connection_fails_its_transaction_and_no_other(void **state)
{
    for (uint32_t inside = 0; inside < 2; inside++) {
        for (gone_at = 0; gone_at < ASKED; gone_at++) {
            struct target_sql_settings settings = {0};

            stub = (struct stub){.delay_ns = MS, .inside_begin = inside, .fate = is_gone};
            assert_int_equal(rig_open(3, 1, &settings), 0);
            for (uint32_t i = 0; i < 3; i++) {
                user_begins(i);
            }
            run_for(S);
            assert_int_equal(rig.users[0].status, OP_FAILED);
            assert_int_equal(rig.users[1].status, OP_OK);
            assert_int_equal(rig.users[2].status, OP_OK);
            assert_int_equal(counts_now().lost, 1);
            assert_int_equal(counts_now().reconnects, 1);
            assert_int_equal(counts_now().unknown, gone_at == ASKED - 1);
            assert_int_equal(counts_now().longest_gap_ns, 100 * MS);
            assert_true(rig.users[1].spent_ns[SPENT_SESSION] >= 100 * MS);
            teardown(state);
        }
    }
}

static enum sql_fate gone_in_rollback(struct sql_call *call, uint32_t number)
{
    return number == 2 ? fails_with(call, SQL_RETRY, "40P01") : number == 3 ? SQL_GONE : SQL_DONE;
}

/* The server rolls back what its lost connections had begun. */
static void a_connection_lost_in_the_rollback_still_lets_the_user_repeat(void **state)
{
    struct target_sql_settings settings = {0};

    assert_int_equal(rig_open(1, 1, &settings), 0);
    stub.fate = gone_in_rollback;
    user_begins(0);
    run_for(50 * MS);
    assert_int_equal(rig.users[0].status, OP_RETRY);
    assert_int_equal(counts_now().unknown, 0);
    user_begins(0);
    run_for(S);
    assert_int_equal(rig.users[0].status, OP_OK);
    assert_int_equal(counts_now().reconnects, 1);
}

static void a_server_that_is_down_is_asked_less_and_less_often(void **state)
{
    static const int64_t after_ms[] = {100, 300, 700, 1500, 3100, 6300, 11300, 16300};
    struct target_sql_settings settings = {0};
    int64_t lost_ns;

    assert_int_equal(rig_open(1, 1, &settings), 0);
    stub.connects_before = 1;
    stub.refuse_connects = 7;
    stub.fate = is_gone;
    gone_at = 0;
    lost_ns = rig.loop.now_ns + MS;
    user_begins(0);
    run_for(S);
    user_begins(0);
    run_for(30 * S);
    assert_int_equal(rig.users[0].status, OP_OK);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(stub.connect_ns[1 + i] - lost_ns, after_ms[i] * MS);
    }
    assert_int_equal(counts_now().longest_gap_ns, 16300 * MS);
    assert_int_equal(counts_now().connected, 1);
}

static void the_first_connections_must_all_stand(void **state)
{
    struct target_sql_settings settings = {0};
    struct error err = {0};

    stub.connects_before = 2;
    stub.refuse_connects = 1;
    assert_int_equal(rig_open(4, 4, &settings), EXIT_FAILED);
    assert_true(target_sql_connect(rig.target, S, &err) < 0);
    assert_string_equal(err.text, "connection 3 of 4: too many connections");
}

static void the_isolation_is_set_before_a_connection_is_used(void **state)
{
    struct target_sql_settings settings = {.isolation = ISOLATION_SERIALIZABLE};

    assert_int_equal(rig_open(1, 1, &settings), 0);
    assert_int_equal(stub.number, 1);
    assert_string_equal(stub.log[0],
                        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    user_begins(0);
    run_for(S);
    assert_int_equal(rig.users[0].status, OP_OK);
    assert_int_equal(counts_now().reconnects, 0);
}

static struct op single(uint16_t statement)
{
    struct op op = {.verb = tpcb_catalog()->statements[statement].verb, .statement = statement};

    return op;
}
static uint32_t singles;
static void single_done(struct op *op)
{
    singles++;
}

/* Without BEGIN a connection is taken for one statement, and nothing needs to be rolled back. */
static void single_statements_hold_no_connection(void **state)
{
    struct target_sql_settings settings = {0};
    struct op op[3];

    assert_int_equal(rig_open(3, 1, &settings), 0);
    singles = 0;
    for (uint32_t i = 0; i < 3; i++) {
        op[i] = single(i == 1 ? TPCB_S_ACCOUNT_ADD : TPCB_S_ACCOUNT);
        op[i].done = single_done;
        assert_false(rig.target->ops->begin(rig.target, i, &op[i]));
    }
    stub.fate = refused_at_1;
    run_for(S);
    assert_int_equal(singles, 3);
    assert_int_equal(stub.number, 3); /* no ROLLBACK */
    assert_int_equal(op[0].status, OP_OK);
    assert_int_equal(op[1].status, OP_FAILED);
    assert_int_equal(op[2].status, OP_OK);
    stub.fate = is_gone;
    gone_at = 3;
    assert_false(rig.target->ops->begin(rig.target, 0, &op[1]));
    run_for(S);
    assert_int_equal(op[1].status, OP_FAILED);
    assert_int_equal(counts_now().unknown, 1); /* a change by itself is its own commit */
}

static void a_pipeline_sends_ahead_what_nobody_waits_for(void **state)
{
    struct target_sql_settings settings = {.pipeline = true};
    const struct target_sql_statement *add;
    struct target_sql_statement statements[TPCB_STATEMENTS];

    assert_int_equal(rig_open(2, 1, &settings), 0);
    user_begins(0);
    assert_int_equal(rig.users[0].step, ASKED); /* all sent, COMMIT is waited for */
    run_for(S);
    assert_int_equal(rig.users[0].status, OP_OK);
    assert_int_equal(rig.users[0].answers, 1);
    assert_int_equal(stub.number, ASKED);
    assert_string_equal(stub.log[4], "COMMIT");
    assert_int_equal(target_sql_statements(rig.target, statements, TPCB_STATEMENTS),
                     TPCB_STATEMENTS);
    add = &statements[TPCB_S_ACCOUNT_ADD];
    assert_string_equal(add->name, "account_add");
    assert_int_equal(add->count, 1);
    assert_int_equal(add->sum_ns, 2 * MS);
}

/* In a batch the statements behind an error are refused too: the first one counts. */
static enum sql_fate aborted_from_1(struct sql_call *call, uint32_t number)
{
    return number == 1                ? fails_with(call, SQL_RETRY, "40001")
           : number > 1 && number < 5 ? fails_with(call, SQL_REFUSED, "25P02")
                                      : SQL_DONE;
}

static void what_failed_ahead_fails_the_commit(void **state)
{
    struct target_sql_settings settings = {.pipeline = true};

    assert_int_equal(rig_open(2, 1, &settings), 0);
    stub.fate = aborted_from_1;
    user_begins(0);
    user_begins(1);
    run_for(S);
    assert_int_equal(rig.users[0].status, OP_RETRY);
    assert_string_equal(stub.log[5], "ROLLBACK");
    assert_int_equal(rig.users[1].status, OP_OK);
    assert_int_equal(counts_now().code_count, 1);
    assert_string_equal(counts_now().codes[0].state, "40001");
}

static void a_pipeline_that_breaks_ends_one_transaction(void **state)
{
    for (gone_at = 0; gone_at < ASKED; gone_at++) {
        struct target_sql_settings settings = {.pipeline = true};

        stub = (struct stub){.delay_ns = MS, .fate = is_gone};
        assert_int_equal(rig_open(2, 1, &settings), 0);
        user_begins(0);
        user_begins(1);
        run_for(S);
        assert_int_equal(rig.users[0].status, OP_FAILED);
        assert_int_equal(rig.users[1].status, OP_OK);
        assert_int_equal(counts_now().lost, 1);
        teardown(state);
    }
}

static void settings_that_do_not_go_together_are_refused(void **state)
{
    struct sql_texts_settings texts = {.dialect = SQL_TEXT_MARIADB, .tpcb = &tpcb};
    struct target_sql_settings settings = {.sessions = 4, .connections = 4, .ops = &stub_ops};
    struct error err = {0};
    struct loop loop;

    assert_int_equal(loop_virtual_open(&loop, 64, &err), 0);
    settings.texts = sql_texts_open(&texts, &err);
    settings.url.dialect = SQL_POSTGRES;
    assert_null(target_sql_open(&settings, &loop, 0, &err));
    settings.url.dialect = SQL_MARIADB;
    settings.pipeline = true;
    assert_null(target_sql_open(&settings, &loop, 0, &err));
    assert_int_equal(err.exit, EXIT_USAGE);
    settings.pipeline = false;
    settings.connections = 5;
    assert_null(target_sql_open(&settings, &loop, 0, &err));
    sql_texts_free((struct sql_texts *)(uintptr_t)settings.texts);
    loop_close(&loop);
}

static void fifteen_thousand_users_on_64_connections_cost_half_a_megabyte(void **state)
{
    struct target_sql_settings settings = {.sessions = 15000, .connections = 64};
    struct target_sql_settings large = {.sessions = 15000, .connections = 15000};

    assert_true(target_sql_memory_bytes(&settings) < 512 * 1024);
    assert_true(target_sql_memory_bytes(&large) < 15000ull * 2048);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_thousand_users_wait_in_line_for_four_connections),
        T(connections_are_closed_before_the_figures_are_read),
        T(a_deadlock_is_rolled_back_before_the_user_hears_of_it),
        T(a_refusal_fails_the_transaction_and_is_counted_by_its_code),
        T(a_code_to_ignore_is_skipped_and_still_rolled_back),
        T(a_lost_connection_fails_its_transaction_and_no_other),
        T(a_connection_lost_in_the_rollback_still_lets_the_user_repeat),
        T(a_server_that_is_down_is_asked_less_and_less_often),
        T(the_first_connections_must_all_stand),
        T(the_isolation_is_set_before_a_connection_is_used),
        T(single_statements_hold_no_connection),
        T(a_pipeline_sends_ahead_what_nobody_waits_for),
        T(what_failed_ahead_fails_the_commit),
        T(a_pipeline_that_breaks_ends_one_transaction),
        T(settings_that_do_not_go_together_are_refused),
        T(fifteen_thousand_users_on_64_connections_cost_half_a_megabyte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
