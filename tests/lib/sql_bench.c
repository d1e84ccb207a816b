#include "sql_bench.h"

#include "io/drive_types.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct server bench_servers[SQL_DIALECTS];
struct sql_plain *bench_plains[SQL_DIALECTS];
struct sql_bench bench;

void bench_do(int d, const char *text)
{
    struct error err = {0};

    if (sql_plain_run(bench_plains[d], text, NULL, NULL, &err) < 0) {
        fail_msg("%s: %s\n%s", sql_dialect_names[d], err.text, text);
    }
}

static void take(void *context, const struct sql_value *columns, uint32_t count)
{
    char *buf = context;

    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(buf);

        if (columns[i].kind == SQL_INT) {
            snprintf(buf + used, 2048 - used, "%lld ", (long long)columns[i].number);
        } else {
            snprintf(buf + used, 2048 - used, "%.*s ", (int)columns[i].bytes,
                     columns[i].kind == SQL_TEXT ? columns[i].text : "");
        }
    }
}

/* What a query gives, columns parted by blanks. */
const char *bench_look(int d, const char *query)
{
    static char buf[2048];
    struct error err = {0};

    buf[0] = '\0';
    if (sql_plain_run(bench_plains[d], query, take, buf, &err) < 0) {
        fail_msg("%s: %s\n%s", sql_dialect_names[d], err.text, query);
    }
    return buf;
}

void bench_carry_out(int d, const struct sql_schema *schema, enum sql_schema_stage stage)
{
    struct text text;

    text_init(&text);
    for (uint32_t i = 0; sql_schema_statement(schema, stage, i, &text, NULL); i++) {
        bench_do(d, text_string(&text));
    }
    text_free(&text);
}

/* '$' stands for a series from 1 to the number behind it, whose column is seq. */
void bench_fill(int d, const char *text)
{
    char made[4000];
    size_t n = 0;

    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '$') {
            char *end;
            unsigned long count = strtoul(at + 1, &end, 10);

            n += (size_t)sprintf(
                made + n, d == SQL_POSTGRES ? "generate_series(1, %lu) s(seq)" : "seq_1_to_%lu",
                count);
            at = end - 1;
        } else {
            made[n++] = *at;
        }
    }
    made[n] = '\0';
    bench_do(d, made);
}

#define SYLLABLE(n)                                                                                \
    "CASE " n " WHEN 0 THEN 'BAR' WHEN 1 THEN 'OUGHT' WHEN 2 THEN 'ABLE' WHEN 3 THEN 'PRI' "       \
    "WHEN 4 THEN 'PRES' WHEN 5 THEN 'ESE' WHEN 6 THEN 'ANTI' WHEN 7 THEN 'CALLY' "                 \
    "WHEN 8 THEN 'ATION' ELSE 'EING' END"
/* Row seq of a table of ten districts: its district, and its number there. */
#define D "((seq - 1) % 10 + 1)"
#define N "((seq - 1 - (seq - 1) % 10) / 10 + 1)"

/* A database as large as TPC-C's keys demand, but made in seconds: 100 orders a district. */
static void fill_places(int d)
{
    bench_do(d, "INSERT INTO warehouse (w_id, w_name, w_tax, w_ytd) VALUES (1, 'House-1', 0.1234, "
                "300000.00)");
    bench_fill(
        d, "INSERT INTO district (d_id, d_w_id, d_name, d_tax, d_ytd, d_next_o_id) SELECT seq, 1, "
           "concat('Dist-', seq), 0.01, 30000.00, 101 FROM $10");
}

static void fill_people(int d)
{
    bench_fill(d,
               "INSERT INTO item (i_id, i_im_id, i_name, i_price, i_data) SELECT seq, 1, 'thing', "
               "((seq * 37) % 9901 + 100) * 0.01, 'ORIGINAL' FROM $100000");
    bench_fill(
        d, "INSERT INTO stock (s_i_id, s_w_id, s_quantity, s_dist_01, s_dist_02, s_dist_03, "
           "s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10, s_ytd, "
           "s_order_cnt, s_remote_cnt, s_data) SELECT seq, 1, seq % 91 + 10, "
           "'aaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbb', 'cccccccccccccccccccccccc', "
           "'dddddddddddddddddddddddd', 'eeeeeeeeeeeeeeeeeeeeeeee', 'ffffffffffffffffffffffff', "
           "'gggggggggggggggggggggggg', 'hhhhhhhhhhhhhhhhhhhhhhhh', 'iiiiiiiiiiiiiiiiiiiiiiii', "
           "'jjjjjjjjjjjjjjjjjjjjjjjj', 0, 0, 0, 'data' FROM $100000");
    bench_fill(
        d,
        "INSERT INTO customer (c_id, c_d_id, c_w_id, c_first, c_last, c_credit, c_discount, "
        "c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data) SELECT " N ", " D
        ", 1, concat('F', 900000 - seq), concat(" SYLLABLE(
            "(((" N " - 1) % 1000) - (" N
            " - 1) % 100) / 100") ", " SYLLABLE("((" N " - 1) % 100 - (" N
                                                " - 1) % 10) / 10") ", " SYLLABLE("(" N " - 1) % "
                                                                                  "10") "), "
                                                                                        "CASE"
                                                                                        " " N " % "
                                                                                        "10 "
                                                                                        "WHEN"
                                                                                        " 0 "
                                                                                        "THEN"
                                                                                        " '"
                                                                                        "BC' "
                                                                                        "ELSE"
                                                                                        " '"
                                                                                        "GC' "
                                                                                        "END,"
                                                                                        " "
                                                                                        "0."
                                                                                        "05, "
                                                                                        "-10."
                                                                                        "00, "
                                                                                        "10."
                                                                                        "00, "
                                                                                        "1, "
                                                                                        "0, "
                                                                                        "'old"
                                                                                        " dat"
                                                                                        "a' "
                                                                                        "FROM"
                                                                                        " $"
                                                                                        "3000"
                                                                                        "0");
    bench_fill(d,
               "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_carrier_id, o_ol_cnt, "
               "o_all_local) SELECT " N ", " D ", 1, " N ", CASE WHEN " N " > 95 THEN NULL ELSE 3 "
               "END, 5, 1 FROM $1000");
}

static void fill_lines(int d)
{
    char text[1024];

    for (int line = 1; line <= 5; line++) {
        snprintf(text, sizeof(text), "%s%d%s",
                 "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, "
                 "ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) "
                 "SELECT " N ", " D ", 1, ",
                 line,
                 ", (seq * 7) % 100000 + 1, 1, NULL, 5, 12.34, 'zzzzzzzzzzzzzzzzzzzzzzzz' "
                 "FROM $1000");
        bench_fill(d, text);
    }
    bench_fill(d, "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) SELECT " N " + 95, " D
                  ", 1 FROM $50");
}

static void fill_other_house(int d)
{
    bench_do(d, "INSERT INTO warehouse (w_id, w_name, w_tax, w_ytd) VALUES (2, 'House-2', "
                "0.2, 300000.00)");
    bench_do(d, "INSERT INTO district (d_id, d_w_id, d_name, d_tax, d_ytd, d_next_o_id) "
                "VALUES (4, 2, 'Dist-4', 0.02, 30000.00, 3001)");
    bench_do(d, "INSERT INTO stock (s_i_id, s_w_id, s_quantity, s_dist_03, s_ytd, "
                "s_order_cnt, s_remote_cnt) VALUES (77, 2, 15, 'stock of the other house', 0, "
                "0, 0)");
    bench_do(d, "INSERT INTO customer (c_id, c_d_id, c_w_id, c_first, c_last, c_credit, "
                "c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data) VALUES "
                "(5, 4, 2, 'a', 'PRICALLYOUGHT', 'BC', -10.00, 10.00, 1, 0, 'old'), "
                "(3, 4, 2, 'b', 'PRICALLYOUGHT', 'GC', -10.00, 10.00, 1, 0, 'old'), "
                "(9, 4, 2, 'c', 'PRICALLYOUGHT', 'GC', -10.00, 10.00, 1, 0, 'old')");
}

const struct tpcc_settings bench_tpcc = {
    .warehouses = 1, .users = 10, .weights = {0.40, 0.40, 0.08, 0.06, 0.06}, .seed = 7};

void bench_new_tpcc(int d, uint32_t warehouses)
{
    struct sql_schema schema = {.dialect = (enum sql_text_dialect)d,
                                .tpcc = &bench_tpcc,
                                .foreign_keys = warehouses == 1,
                                .index_full = true,
                                .procedures = true};

    bench_carry_out(d, &schema, SQL_SCHEMA_DROP);
    bench_carry_out(d, &schema, SQL_SCHEMA_TABLES);
    fill_places(d);
    fill_people(d);
    fill_lines(d);
    if (warehouses > 1) {
        fill_other_house(d);
    }
    bench_carry_out(d, &schema, SQL_SCHEMA_INDEXES);
    bench_carry_out(d, &schema, SQL_SCHEMA_KEYS);
    bench_carry_out(d, &schema, SQL_SCHEMA_PROCEDURES);
    bench_carry_out(d, &schema, SQL_SCHEMA_ANALYZE);
}

void bench_new_sbtest(int d, const struct sysbench_settings *settings)
{
    struct sql_schema schema = {.dialect = (enum sql_text_dialect)d, .sysbench = settings};
    char text[256];

    bench_carry_out(d, &schema, SQL_SCHEMA_DROP);
    bench_carry_out(d, &schema, SQL_SCHEMA_TABLES);
    for (uint32_t t = 1; t <= settings->tables; t++) {
        snprintf(text, sizeof(text),
                 "INSERT INTO sbtest%u (id, k, c, pad) SELECT seq, seq, 'c', "
                 "'pad' FROM $%llu",
                 t, (unsigned long long)settings->rows);
        bench_fill(d, text);
    }
    bench_carry_out(d, &schema, SQL_SCHEMA_INDEXES);
}

void bench_plain_again(int d)
{
    struct sql_url url;
    struct error err = {0};

    sql_plain_close(bench_plains[d]);
    if (sql_url_parse(&url, bench_servers[d].url, &err) < 0 ||
        sql_plain_open(&bench_plains[d], &url, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

int bench_begin(void **state)
{
    for (int d = 0; d < SQL_DIALECTS; d++) {
        server_start(&bench_servers[d], sql_dialect_names[d], sql_dialect_names[d],
                     d == SQL_POSTGRES ? "deadlock_timeout=20ms" : NULL);
        bench_plain_again(d);
    }
    return 0;
}

int bench_end(void **state)
{
    for (int d = 0; d < SQL_DIALECTS; d++) {
        sql_plain_close(bench_plains[d]);
    }
    return 0;
}

void bench_open(int d, const struct sql_texts_settings *of, uint32_t users, uint32_t connections,
                enum bench_way way)
{
    struct target_sql_settings settings = {
        .sessions = users,
        .connections = connections,
        .prepared = way != BY_TEXT,
        .pipeline = way == PIPELINE,
        .isolation = d == SQL_POSTGRES ? ISOLATION_READ_COMMITTED : ISOLATION_REPEATABLE_READ};
    struct uring_options options = {.polls = connections * 2 + 8};
    struct sql_texts_settings own = *of;
    struct error err = {0};

    memset(&bench, 0, sizeof(bench));
    bench.d = d;
    bench.user_count = users;
    own.dialect = (enum sql_text_dialect)d;
    bench.texts = sql_texts_open(&own, &err);
    assert_non_null(bench.texts);
    if (loop_uring_open(&bench.loop, 4096, &options, 0, &err) < 0 ||
        sql_url_parse(&settings.url, bench_servers[d].url, &err) < 0) {
        fail_msg("%s", err.text);
    }
    settings.texts = bench.texts;
    bench.target = target_sql_open(&settings, &bench.loop, 0, &err);
    if (!bench.target || target_sql_connect(bench.target, 20 * S, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

void bench_close(void)
{
    struct target_check check;

    assert_int_equal(bench.target->ops->check(bench.target, &check, 1), 1);
    assert_true(check.passed);
    bench.target->ops->stop(bench.target);
    bench.target->ops->free(bench.target);
    sql_texts_free(bench.texts);
    loop_close(&bench.loop);
    if (bench.workload) {
        bench.workload->ops->free(bench.workload);
    }
}

struct target_sql_counts bench_counts(void)
{
    struct target_sql_counts counts;

    target_sql_counts(bench.target, &counts);
    return counts;
}

static void on_done(struct op *op)
{
    bench.answered = true;
    bench.loop.stop = true;
}

/* Asks one thing, and waits. */
struct op bench_ask(uint16_t statement, int64_t k0, int64_t k1, int64_t k2, int64_t k3, int64_t k4,
                    int64_t k5, int64_t k6, int64_t k7)
{
    struct op op = {.statement = statement,
                    .verb = sql_texts_catalog(bench.texts)->statements[statement].verb,
                    .key = {k0, k1, k2, k3, k4, k5, k6, k7},
                    .done = on_done};

    bench.answered = false;
    bench.loop.stop = false;
    if (!bench.target->ops->begin(bench.target, 0, &op)) {
        loop_run(&bench.loop, bench.loop.now_ns + 20 * S);
        assert_true(bench.answered);
    }
    if (op.status != OP_OK) {
        fail_msg("%s, %s: %s %s", sql_dialect_names[bench.d],
                 sql_texts_catalog(bench.texts)->statements[statement].name,
                 bench_counts().codes[0].state, bench_counts().codes[0].error);
    }
    return op;
}

static void user_asks(struct bench_user *user);

static void user_fire(struct timer *timer)
{
    struct bench_user *user =
        (struct bench_user *)((char *)timer - offsetof(struct bench_user, timer));
    struct pause pause;

    if (user->op.status == OP_RETRY) {
        user->op.status = OP_OK;
        user_asks(user);
        return;
    }
    if (bench.left == 0) {
        bench.loop.stop = --bench.under_way == 0;
        return;
    }
    bench.left--;
    user->op.status = OP_OK;
    bench.workload->ops->choose(bench.workload, (uint32_t)(user - bench.users), &user->deck,
                                &user->rng, &user->txn, &pause);
    user_asks(user);
}

static void user_later(struct bench_user *user, int64_t ns)
{
    user->timer.fire = user_fire;
    loop_arm(&bench.loop, &user->timer, bench.loop.now_ns + ns);
}

static void user_asks(struct bench_user *user)
{
    for (;;) {
        if (user->op.status == OP_RETRY) {
            bench.retried++;
            bench.workload->ops->restart(bench.workload, &user->txn);
            user_later(user, (int64_t)rng_below(&user->rng, S / 500));
            return;
        }
        if (user->op.status != OP_OK) {
            bench.failed++;
            user_later(user, 0);
            return;
        }
        if (!bench.workload->ops->next(bench.workload, &user->txn, &user->op)) {
            bench.done++;
            bench.rolled_back += user->txn.rolled_back != 0;
            user_later(user, 0);
            return;
        }
        for (int i = 0; i < OP_KEYS; i++) {
            bench.digest = rng_hash(bench.digest ^ (uint64_t)user->op.key[i]);
        }
        if (!bench.target->ops->begin(bench.target, (uint32_t)(user - bench.users), &user->op)) {
            return;
        }
    }
}

static void user_answered(struct op *op)
{
    user_asks((struct bench_user *)op);
}

/* Begin `transactions` of all users. */
void bench_users_begin(struct workload *workload, uint32_t transactions)
{
    assert_non_null(workload);
    bench.workload = workload;
    bench.left = transactions;
    bench.under_way = bench.user_count;
    for (uint32_t i = 0; i < bench.user_count; i++) {
        struct bench_user *user = &bench.users[i];

        user->op.done = user_answered;
        user->op.spent_ns = user->spent_ns;
        rng_init(&user->rng, 7, i);
        user_later(user, 0);
    }
}

void bench_users_run(int64_t ns)
{
    bench.loop.stop = false;
    loop_run(&bench.loop, bench.loop.now_ns); /* what time is it? the caller may have slept */
    loop_run(&bench.loop, bench.loop.now_ns + ns);
}
