// The same seed asks a model and a server the same questions in the same order. The server here
// is a stub that understands the SQL call (its parameters become an operation again), asks a model
// of its own, and gives the answer as a server prints it: what is lost on the way there or back
// makes the next question another one.
// rooms: base io workload sql target
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_rig.h"
#include "target/target_sql.h"

enum { TRANSACTIONS = 3000 };

struct asking {
    uint64_t digest, questions, by_statement[64];
    uint32_t transactions, rolled_back;
};

struct sql {
    struct loop *loop;
    struct timer timer;
    void (*connected)(void *, struct sql *, const struct error *);
    void *context;
    struct sql_call *call;
    bool stands;
};

static struct rig model;
static const struct sql_texts *texts;
static struct op *asked; /* what the call should say */
static char last_dist[25];

static int64_t number_of_name(const struct sql_value *value)
{
    char name[TPCC_NAME_BYTES + 1];

    for (uint32_t i = 0; i < TPCC_NAMES; i++) {
        if (tpcc_sql_name(i, name) == value->bytes &&
            memcmp(name, value->text, value->bytes) == 0) {
            return i;
        }
    }
    fail_msg("no last name: %.*s", (int)value->bytes, value->text);
    return -1;
}

static void check_text(const struct sql_text_param *param, const struct sql_value *value)
{
    char text[SQL_TEXT_BYTES + 1];

    assert_int_equal(value->kind, SQL_TEXT);
    snprintf(text, sizeof(text), "%.*s", (int)value->bytes, value->text);
    if (param->from == SQL_FROM_DIST_INFO) {
        assert_string_equal(text, last_dist);
    } else if (param->from == SQL_FROM_H_DATA) {
        assert_string_equal(text, "House    Quarter");
    } else if (param->from == SQL_FROM_C) {
        assert_int_equal(value->bytes, SYSBENCH_C_BYTES);
    } else if (param->from == SQL_FROM_PAD) {
        assert_int_equal(value->bytes, SYSBENCH_PAD_BYTES);
    }
}

/* The operation that a call means, from its text and parameters alone. */
static void understand(const struct sql_call *call, struct op *op)
{
    const struct sql_text *text = sql_texts_at(texts, call->statement->id);
    const char *at;

    memset(op, 0, sizeof(*op));
    op->statement = text->statement;
    op->verb = sql_texts_catalog(texts)->statements[text->statement].verb;
    for (uint32_t i = 0; i < text->param_count; i++) {
        const struct sql_text_param *param = &text->params[i];
        const struct sql_value *value = &call->params[i];

        if (param->from == SQL_FROM_KEY) {
            assert_int_equal(value->kind, SQL_INT);
            op->key[param->key] = value->number;
        } else if (param->from == SQL_FROM_NAME) {
            op->key[param->key] = number_of_name(value);
        } else {
            check_text(param, value);
        }
    }
    at = strstr(text->text, "s_dist_");
    op->key[2] = at && op->verb == OP_SELECT ? atoi(at + 7) : op->key[2];
    at = strstr(text->text, "sbtest");
    op->key[0] = at ? atoi(at + 6) - 1 : op->key[0];
    if (model.settings.is_tpcc && text->statement == TPCC_S_PAY_CUSTOMER_ADD) {
        op->key[6] = strstr(text->text, "c_data") != NULL;
    }
    if (op->verb == OP_BEGIN) {
        op->key[0] = asked->key[0]; /* a server does not hear what will come */
    }
}

/* An answer as servers print it: decimals as text. */
static void say(const struct sql_text_column *column, const struct op *op, struct sql_value *ret,
                char buf[32])
{
    int64_t answer = op->answer[column->answer];
    int n = 0;

    *ret = (struct sql_value){.kind = SQL_TEXT, .text = buf};
    switch ((enum sql_text_into)column->into) {
    case SQL_INTO_ANSWER:
        if (column->scale == 0) {
            *ret = (struct sql_value){.kind = SQL_INT, .number = answer};
            return;
        }
        n = column->scale == 2
                ? (int)sql_text_money(answer, buf)
                : sprintf(buf, "%lld.%04lld", (long long)answer / 10000, (long long)answer % 10000);
        break;
    case SQL_INTO_CREDIT:
        n = sprintf(buf, "%s", answer ? "BC" : "GC");
        break;
    case SQL_INTO_DIST_INFO:
        n = sprintf(buf, "dist %lld of %lld", (long long)op->key[2], (long long)op->key[1]);
        assert_true(n < (int)sizeof(last_dist));
        memcpy(last_dist, buf, (size_t)n + 1);
        break;
    case SQL_INTO_W_NAME:
        n = sprintf(buf, "House");
        break;
    case SQL_INTO_D_NAME:
        n = sprintf(buf, "Quarter");
        break;
    default:
        *ret = (struct sql_value){.kind = SQL_NULL};
    }
    ret->bytes = (uint32_t)n;
}

static void answer(struct sql_call *call, const struct op *op)
{
    const struct sql_text *text = sql_texts_at(texts, call->statement->id);
    struct sql_value columns[SQL_TEXT_COLUMNS];
    char bufs[SQL_TEXT_COLUMNS][32];

    call->fate = SQL_DONE;
    call->rows = op->rows;
    for (uint32_t row = 1; call->row && row <= op->rows; row++) {
        for (uint32_t i = 0; i < text->column_count; i++) {
            if (text->columns[i].into == SQL_INTO_MIDDLE) {
                bool middle = row == (op->rows + 1) / 2;

                columns[i] = (struct sql_value){.kind = SQL_INT,
                                                .number = middle ? op->answer[0] : 3000 - row};
            } else {
                say(&text->columns[i], op, &columns[i], bufs[i]);
            }
        }
        call->row(call, columns, text->column_count);
    }
    call->done(call);
}

static void stub_fire(struct timer *timer)
{
    struct sql *sql = (struct sql *)((char *)timer - offsetof(struct sql, timer));
    struct sql_call *call = sql->call;
    struct op op;

    if (!sql->stands) {
        sql->stands = true;
        sql->connected(sql->context, sql, NULL);
        return;
    }
    sql->call = NULL;
    understand(call, &op);
    assert_true(model.target->ops->begin(model.target, 0, &op));
    assert_int_equal(op.status, OP_OK);
    answer(call, &op);
}

static int stub_connect(struct sql **ret, struct loop *loop, const struct sql_url *url,
                        const struct sql_options *options,
                        void (*connected)(void *, struct sql *, const struct error *),
                        void *context, struct error *err)
{
    struct sql *sql = calloc(1, sizeof(*sql));

    *sql = (struct sql){.loop = loop, .connected = connected, .context = context};
    sql->timer.fire = stub_fire;
    loop_arm(loop, &sql->timer, loop->now_ns);
    *ret = sql;
    return 0;
}

static void stub_begin(struct sql *sql, struct sql_call *call)
{
    assert_null(sql->call);
    sql->call = call;
    loop_arm(sql->loop, &sql->timer, sql->loop->now_ns + 1000);
}

static void stub_close(struct sql *sql)
{
    free(sql);
}

static const struct sql_ops stub_ops = {"stub", stub_connect, stub_begin, stub_close, NULL};

static bool answered;
static void on_done(struct op *op)
{
    answered = true;
}

static void note(struct asking *asking, const struct op *op)
{
    asking->digest = rng_hash(asking->digest ^ op->statement);
    for (uint32_t i = 0; i < (op->verb == OP_BEGIN ? 1 : OP_KEYS); i++) {
        asking->digest = rng_hash(asking->digest ^ (uint64_t)op->key[i]);
    }
    asking->by_statement[op->statement]++;
    asking->questions++;
}

static void ask_all(struct workload *workload, struct target *target, struct loop *loop,
                    struct asking *asking)
{
    struct user_deck deck = {{0}};
    struct pause pause;
    struct txn txn;
    struct rng rng;
    struct op op = {.done = on_done};

    memset(asking, 0, sizeof(*asking));
    rng_init(&rng, 7, 0);
    for (uint32_t i = 0; i < TRANSACTIONS; i++) {
        workload->ops->choose(workload, i % 10, &deck, &rng, &txn, &pause);
        while (workload->ops->next(workload, &txn, &op)) {
            note(asking, &op);
            asked = &op;
            answered = false;
            if (!target->ops->begin(target, 0, &op)) {
                loop_run(loop, loop->now_ns + 10000);
                assert_true(answered);
            }
            assert_int_equal(op.status, OP_OK);
        }
        asking->transactions++;
        asking->rolled_back += txn.rolled_back != 0;
    }
}

static void settings_of(struct model_settings *settings, bool is_tpcc)
{
    rig_settings(settings, MODEL_INNODB, is_tpcc, 2, 4000, 1);
}

static void ask_model(bool is_tpcc, struct asking *ret)
{
    struct model_settings settings;

    settings_of(&settings, is_tpcc);
    rig_open(&model, &settings, 1000, NULL, NULL);
    model.target->ops->warm(model.target, true);
    ask_all(model.workload, model.target, &model.loop, ret);
    rig_close(&model);
}

static void ask_server(bool is_tpcc, enum sql_dialect dialect, struct asking *ret)
{
    struct sql_texts_settings of = {.dialect = (enum sql_text_dialect)dialect};
    struct target_sql_settings settings = {.sessions = 1, .connections = 1, .ops = &stub_ops};
    struct error err = {0};
    struct target *target;
    struct loop loop;
    struct model_settings of_model;

    settings_of(&of_model, is_tpcc);
    rig_open(&model, &of_model, 1000, NULL, NULL);
    model.target->ops->warm(model.target, true);
    of.tpcc = is_tpcc ? &model.settings.tpcc : NULL;
    of.sysbench = is_tpcc ? NULL : &model.settings.sysbench;
    settings.texts = texts = sql_texts_open(&of, &err);
    assert_non_null(texts);
    settings.url.dialect = dialect;
    assert_int_equal(loop_virtual_open(&loop, 16, &err), 0);
    target = target_sql_open(&settings, &loop, 0, &err);
    assert_non_null(target);
    assert_int_equal(target_sql_connect(target, 1000000000, &err), 0);
    ask_all(model.workload, target, &loop, ret);
    target->ops->free(target);
    sql_texts_free((struct sql_texts *)(uintptr_t)texts);
    loop_close(&loop);
    rig_close(&model);
}

static void compare(bool is_tpcc, uint32_t statements)
{
    struct asking model_asked, server_asked;
    uint32_t used = 0;

    ask_model(is_tpcc, &model_asked);
    for (uint32_t i = 0; i < statements; i++) {
        used += model_asked.by_statement[i] > 0;
    }
    for (uint32_t dialect = 0; dialect < SQL_DIALECTS; dialect++) {
        ask_server(is_tpcc, (enum sql_dialect)dialect, &server_asked);
        assert_int_equal(model_asked.questions, server_asked.questions);
        assert_int_equal(model_asked.rolled_back, server_asked.rolled_back);
        assert_true(model_asked.digest == server_asked.digest);
    }
    assert_true(used >= statements - 1); /* Sysbench has no ROLLBACK of its own */
    assert_int_equal(is_tpcc, model_asked.rolled_back > 0);
}

static void tpcc_asks_a_server_what_it_asks_a_model(void **state)
{
    compare(true, TPCC_S_SL_COUNT + 1);
}

static void sysbench_asks_a_server_what_it_asks_a_model(void **state)
{
    compare(false, SYSBENCH_STATEMENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tpcc_asks_a_server_what_it_asks_a_model),
        cmocka_unit_test(sysbench_asks_a_server_what_it_asks_a_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
