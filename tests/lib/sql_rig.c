#include "sql_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <time.h>

#include "io/drive_types.h"

static const int64_t SQL_RIG_PATIENCE_NS = 60ll * 1000000000;

static int64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void sql_rig_open(struct sql_rig *rig, const char *url, uint32_t connections)
{
    struct uring_options options = {.polls = 2 * connections,
                                    .no_socket_reads = getenv("RAWTPS_TEST_POLLED") != NULL};
    struct error err = {0};

    memset(rig, 0, sizeof(*rig));
    if (sql_url_parse(&rig->url, url, &err) < 0) {
        fail_msg("%s (%s)", err.text, err.hint);
    }
    rig->ops = sql_ops_of(&rig->url, &err);
    if (rig->ops == NULL) {
        fail_msg("%s (%s)", err.text, err.hint);
    }
    if (loop_uring_open(&rig->loop, connections + 4, &options, clock_ns(), &err) < 0) {
        fail_msg("%s (%s)", err.text, err.hint);
    }
}

void sql_rig_close(struct sql_rig *rig)
{
    loop_close(&rig->loop);
}

struct hope {
    struct loop *loop;
    struct error *err;
    uint32_t heard;
    bool stands;
};

static void hope_hears(void *context, struct sql *sql, const struct error *err)
{
    struct hope *hope = context;

    hope->heard++;
    hope->stands = err == NULL;
    if (err) {
        *hope->err = *err;
    }
    hope->loop->stop = true;
}

void sql_rig_until(struct sql_rig *rig, const uint32_t *done)
{
    int64_t until_ns = clock_ns() + SQL_RIG_PATIENCE_NS;

    while (*done == 0 && clock_ns() < until_ns) {
        rig->loop.stop = false;
        rig->loop.in_flight++;
        loop_run(&rig->loop, rig->loop.now_ns + 100000000);
        rig->loop.in_flight--;
    }
    assert_int_equal(*done, 1);
}

struct sql *sql_rig_try(struct sql_rig *rig, const struct sql_options *options, struct error *err)
{
    struct hope hope = {.loop = &rig->loop, .err = err};
    struct sql *sql = NULL;

    if (rig->ops->connect(&sql, &rig->loop, &rig->url, options, hope_hears, &hope, err) < 0) {
        return NULL;
    }
    sql_rig_until(rig, &hope.heard);
    if (!hope.stands) {
        rig->ops->close(sql);
        return NULL;
    }
    return sql;
}

struct sql *sql_rig_connect(struct sql_rig *rig, const struct sql_options *options)
{
    struct error err = {0};
    struct sql *sql = sql_rig_try(rig, options, &err);

    if (sql == NULL) {
        fail_msg("%s (%s)", err.text, err.hint);
    }
    return sql;
}

static void answer_row(struct sql_call *call, const struct sql_value *columns, uint32_t count)
{
    struct sql_rig_answer *answer = (struct sql_rig_answer *)call;
    size_t n = strlen(answer->rows), size = sizeof(answer->rows);

    answer->seen++;
    for (uint32_t c = 0; c < count && n < size - 100; c++) {
        const char *part = c + 1 < count ? "|" : ";";

        if (columns[c].bytes > answer->longest) {
            answer->longest = columns[c].bytes;
        }
        if (columns[c].kind == SQL_NULL) {
            n += (size_t)snprintf(answer->rows + n, size - n, "NULL%s", part);
        } else if (columns[c].kind == SQL_INT) {
            n += (size_t)snprintf(answer->rows + n, size - n, "#%lld%s",
                                  (long long)columns[c].number, part);
        } else {
            n += (size_t)snprintf(answer->rows + n, size - n, "%.*s%s",
                                  (int)(columns[c].bytes < 60 ? columns[c].bytes : 60),
                                  columns[c].text, part);
        }
    }
}

static void answer_done(struct sql_call *call)
{
    struct sql_rig_answer *answer = (struct sql_rig_answer *)call;

    answer->done++;
    if (answer->loop) {
        answer->loop->stop = true;
    }
}

void sql_rig_ask(struct sql_rig_answer *answer, const struct sql_statement *statement,
                 const char *format, ...)
{
    va_list args;
    uint32_t p = 0;

    memset(answer, 0, sizeof(*answer));
    answer->call.statement = statement;
    answer->call.row = answer_row;
    answer->call.done = answer_done;
    va_start(args, format);
    for (const char *c = format; c && *c; c++, p++) {
        struct sql_value *value = &answer->call.params[p];

        if (*c == 'i') {
            value->kind = SQL_INT;
            value->number = va_arg(args, int64_t);
        } else if (*c == 's') {
            value->kind = SQL_TEXT;
            value->text = va_arg(args, const char *);
            value->bytes = (uint32_t)strlen(value->text);
        }
    }
    va_end(args);
    assert_int_equal(p, statement->params);
}

enum sql_fate sql_rig_run(struct sql_rig *rig, struct sql *sql, struct sql_rig_answer *answer)
{
    answer->loop = &rig->loop;
    answer->done = 0;
    rig->ops->begin(sql, &answer->call);
    sql_rig_until(rig, &answer->done);
    if (answer->call.fate != SQL_DONE) {
        print_message("# %s: %s %s\n", answer->call.statement->text, answer->call.state,
                      answer->call.error);
    }
    return answer->call.fate;
}

enum sql_fate sql_rig_text(struct sql_rig *rig, struct sql *sql, const char *text,
                           struct sql_rig_answer *answer)
{
    struct sql_statement statement = {.text = text, .utility = true};
    struct sql_rig_answer own;

    answer = answer ? answer : &own;
    sql_rig_ask(answer, &statement, NULL);
    return sql_rig_run(rig, sql, answer);
}

void sql_rig_wait(struct sql_rig *rig, struct sql_rig_answer *answers, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        answers[i].loop = &rig->loop;
        sql_rig_until(rig, &answers[i].done);
    }
}

void sql_rig_turn(struct sql_rig *rig, int64_t ns)
{
    rig->loop.stop = false;
    rig->loop.in_flight++;
    loop_run(&rig->loop, rig->loop.now_ns + 1);
    loop_run(&rig->loop, rig->loop.now_ns + ns);
    rig->loop.in_flight--;
}
