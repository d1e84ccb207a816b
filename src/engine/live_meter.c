#include "live_meter.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fidelity_run.h"

#define SECOND_NS 1000000000ll
enum { NAME_BYTES = 24 };

int live_meter_open(struct live_meter *meter, const struct sql_url *url, struct error *err)
{
    *meter = (struct live_meter){.dialect = url->dialect};
    if (sql_plain_open(&meter->plain, url, err) < 0) {
        meter->plain = NULL;
        return err->code;
    }
    if (server_facts_read(meter->plain, url->dialect, &meter->server, err) < 0) {
        live_meter_close(meter);
        return err->code;
    }
    proc_cpu_find(&meter->cpu, meter->plain, url);
    return 0;
}

void live_meter_close(struct live_meter *meter)
{
    if (meter->plain != NULL) {
        sql_plain_close(meter->plain);
        meter->plain = NULL;
    }
}

/* ---- tables ---- */

/* As the tables are called on servers, in the model, and whose file an index of innodb lies in. */
static const struct {
    const char *server, *model, *file;
} names[] = {
    {"new_order", "new_orders", "new_orders"},
    {"new_order_pkey", "new_orders_pkey", "new_orders"},
    {"customer_name", "idx_customer", "customer"},
    {"orders_customer", "idx_orders", "orders"},
    {"order_line_stock", "fkey_order_line_2", "order_line"},
    {"stock_item", "fkey_stock_2", "stock"},
    {"history_customer", "fkey_history_1", "history"},
    {"history_district", "fkey_history_2", "history"},
    {"k_", "sbtest.k", "sbtest"},
};

const char *live_name(const char *name, enum sql_dialect dialect, char *buf)
{
    size_t from = strncmp(name, "sbtest", 6) == 0 ? 6 : strncmp(name, "k_", 2) == 0 ? 2 : 0, to;

    /* "sbtest7_pkey" is sbtest_pkey: all tables of sbtest are alike */
    to = from;
    while (from > 0 && isdigit((unsigned char)name[to])) {
        to++;
    }
    memcpy(buf, name, from);
    snprintf(buf + from, NAME_BYTES - from, "%.17s", name + to);
    buf[strcspn(buf, "#")] = '\0'; /* partitions */
    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(buf, names[i].server) == 0 || strcmp(buf, names[i].model) == 0) {
            snprintf(buf, NAME_BYTES, "%s",
                     dialect == SQL_POSTGRES ? names[i].model : names[i].file);
            break;
        }
    }
    return buf;
}

static const char postgres_tables[] =
    "SELECT relname, heap_blks_read FROM pg_statio_user_tables WHERE schemaname = "
    "current_schema() AND relname NOT LIKE 'rawtps%' UNION ALL SELECT indexrelname, idx_blks_read "
    "FROM pg_statio_user_indexes WHERE schemaname = current_schema() AND relname NOT LIKE "
    "'rawtps%'";
static const char maria_tables[] =
    "SELECT substring_index(substring_index(file_name, '/', -1), '.', 1), count_read "
    "FROM performance_schema.file_summary_by_instance WHERE file_name LIKE "
    "concat('%/', database(), '/%.ibd') AND file_name NOT LIKE '%/rawtps%'";

struct table_reader {
    struct live_reading *reading;
    enum sql_dialect dialect;
};

static void take_table(void *context, const struct sql_value *columns, uint32_t count)
{
    struct table_reader *reader = context;
    char name[80] = "", buf[NAME_BYTES], text[24];
    double reads = (double)columns[count - 1].number;

    if (count < 2 || columns[0].kind != SQL_TEXT) {
        return;
    }
    snprintf(name, sizeof(name), "%.*s", (int)columns[0].bytes, columns[0].text);
    if (columns[1].kind == SQL_TEXT) {
        snprintf(text, sizeof(text), "%.*s", (int)columns[1].bytes, columns[1].text);
        reads = strtod(text, NULL);
    }
    fidelity_count(reader->reading->tables, &reader->reading->table_count,
                   live_name(name, reader->dialect, buf), reads);
}

/* ---- readings ---- */

static void read_now(struct live_meter *meter, struct live_reading *ret)
{
    struct table_reader reader = {.reading = ret, .dialect = meter->dialect};
    struct error ignored = {0};

    struct timespec own = {0};

    memset(ret, 0, sizeof(*ret));
    ret->cpu.server_ns = proc_cpu_ns(&meter->cpu);
    ret->cpu.sessions_ns = proc_cpu_sessions_ns(&meter->cpu, meter->plain, &ret->cpu.sessions);
    ret->cpu.kernel_ns = ret->cpu.server_ns >= 0 ? proc_cpu_kernel_ns() : 0;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    ret->cpu.own_ns = own.tv_sec * SECOND_NS + own.tv_nsec;
    if (server_counters_read(meter->plain, &meter->server, &ret->facts, &meter->error) < 0) {
        meter->failed = true;
        return;
    }
    /* not every user may see them, and they may be off: then there are none */
    sql_plain_run(meter->plain, meter->dialect == SQL_POSTGRES ? postgres_tables : maria_tables,
                  take_table, &reader, &ignored);
}

static void live_meter_watch(void *context, const struct run_view *view)
{
    struct live_meter *meter = context;

    if (meter->say != NULL) {
        meter->say(meter->context, view);
    }
    if (meter->failed) {
        return;
    }
    if (strcmp(view->phase, "sample") != 0) {
        read_now(meter, &meter->before);
        return;
    }
    read_now(meter, &meter->after);
    /* the last one may come when users have gone already */
    if (meter->after.cpu.sessions >= meter->before.cpu.sessions) {
        meter->whole = meter->after.cpu;
    }
}

/* ---- runs ---- */

int live_meter_refuse(const struct result *result, const char *lost, struct error *err)
{
    if (strcmp(result->run.ended, "interrupted") == 0) {
        return error_set(err, EXIT_INTERRUPTED, -EINTR, "interrupted: %s", lost);
    }
    if (result->run.error[0] != '\0') {
        return error_set(err, EXIT_FAILED, -EIO, "%s", result->run.error);
    }
    if (result->vms[0].done + result->vms[0].rolled_back == 0) {
        error_set(err, EXIT_FAILED, -ETIME, "no transaction ended in the time that there was");
        return error_hint(err, "a longer --for");
    }
    return 0;
}

int live_meter_run(struct live_meter *meter, const struct plan *plan, const volatile int *stop,
                   const char *lost, struct result *ret, struct error *err)
{
    struct run_options options = {
        .stop = stop, .watch = live_meter_watch, .context = meter, .no_files = true};
    char dir[512] = "";
    int code;

    meter->whole = (struct live_cpu){0};
    code = run_plan(plan, &options, ret, dir, err);

    if (code < 0) {
        return code;
    }
    code = live_meter_refuse(ret, lost, err);
    if (code == 0 && meter->failed) {
        *err = meter->error;
        code = err->code;
    }
    if (code < 0) {
        result_free(ret);
    }
    return code;
}
