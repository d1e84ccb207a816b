#include "engine/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/must.h"
#include "load_crew.h"
#include "load_known.h"
#include "load_rows.h"
#include "target/server_facts.h"

const char *const load_stage_names[LOAD_STAGES] = {"looking", "tables", "rows", "indexes",
                                                   "statistics"};

struct load {
    const struct plan_vm *vm;
    const struct load_options *options;
    struct load_report *report;
    struct sql_schema schema;
    struct sql_plain *plain;
    struct load_known known;
    struct load_source source;
    struct load_part *parts; /* those that are missing */
    uint32_t part_count;
    uint64_t rows_all;
    struct text *statements; /* of the stage under way */
    enum sql_schema_stage schema_stage;
    uint32_t statement_count;
    uint32_t *firsts, group_count; /* the statements of one table follow each other */
    struct load_crew crew;
    enum load_stage stage;
    int64_t stage_from_ns;
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void load_schema(const struct plan_vm *vm, struct sql_schema *ret)
{
    *ret = (struct sql_schema){
        .dialect = vm->sql.url.dialect == SQL_POSTGRES ? SQL_TEXT_POSTGRES : SQL_TEXT_MARIADB,
        .tpcc = vm->workload == PLAN_TPCC ? &vm->model.tpcc : NULL,
        .sysbench = vm->workload == PLAN_SYSBENCH ? &vm->model.sysbench : NULL,
        .tpcb = vm->workload == PLAN_TPCB ? &vm->tpcb : NULL,
        .index_full = vm->sql.full_indexes,
        .foreign_keys = vm->sql.foreign_keys,
        .history_key = vm->sql.history_key,
        .procedures = vm->sql.procedures,
        .partitions = vm->sql.partitions,
        .options = vm->sql.engine_options,
    };
}

/* ---- what is shown ---- */

static void load_look(void *context)
{
    struct load *load = context;
    const struct load_report *report = load->report;
    struct load_view view = {
        .vm = load->vm->name,
        .stage = load->stage,
        .rows_before = report->rows_before,
        .rows = report->rows_before + atomic_load(&load->crew.rows),
        .rows_all = load->rows_all,
        .steps = atomic_load(&load->crew.done),
        .steps_all = load->crew.items,
        .stage_ns = clock_ns(CLOCK_MONOTONIC) - load->stage_from_ns,
        .left_ns = -1,
    };
    double done = load->stage == LOAD_ROWS ? (double)(view.rows - view.rows_before) : view.steps;
    double left = load->stage == LOAD_ROWS ? (double)view.rows_all - (double)view.rows
                                           : (double)view.steps_all - view.steps;

    if (load->options->watch == NULL) {
        return;
    }
    if (done > 0) {
        view.left_ns = left > 0 ? (int64_t)((double)view.stage_ns * left / done) : 0;
    }
    load->options->watch(load->options->context, &view);
}

static void load_begin_stage(struct load *load, enum load_stage stage)
{
    load->stage = stage;
    load->stage_from_ns = clock_ns(CLOCK_MONOTONIC);
}

static uint32_t load_jobs(const struct load *load)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return load->options->jobs > 0 ? load->options->jobs : cores > 0 ? (uint32_t)cores : 1;
}

static int load_work(struct load *load, uint32_t items,
                     int (*item)(void *, struct load_hand *, uint32_t, struct error *),
                     struct error *err)
{
    bool postgres = load->schema.dialect == SQL_TEXT_POSTGRES;

    load->crew = (struct load_crew){
        .url = &load->vm->sql.url,
        /* parts are committed with their names: one that is lost in a crash is made again */
        .session = postgres ? "SET synchronous_commit = off"
                            : "SET SESSION unique_checks = 0, foreign_key_checks = 0",
        .hands = load_jobs(load),
        .items = items,
        .item = item,
        .context = load,
        .stop = load->options->stop,
        .look = load_look,
    };
    return load_crew_run(&load->crew, err);
}

/* ---- rows ---- */

struct putting {
    struct load *load;
    struct load_hand *hand;
    uint32_t since; /* rows since they were counted */
    struct error *err;
};

enum { COUNT_EVERY = 256 };

static int put_row(void *context, const struct load_row *row)
{
    struct putting *putting = context;

    if (++putting->since == COUNT_EVERY) {
        atomic_fetch_add_explicit(&putting->load->crew.rows, COUNT_EVERY, memory_order_relaxed);
        putting->since = 0;
        if (load_crew_stopping(&putting->load->crew)) {
            return -EINTR;
        }
    }
    return sql_plain_load_row(putting->hand->plain, row->columns, row->count, putting->err);
}

static void part_name(const struct load *load, const struct load_part *part, struct text *ret)
{
    struct text columns = {0};

    sql_schema_table(&load->schema, part->table, ret, &columns);
    text_addf(ret, " %u", part->number);
    text_free(&columns);
}

static int put_part(struct load *load, struct load_hand *hand, const struct load_part *part,
                    const char *name, struct error *err)
{
    struct putting putting = {.load = load, .hand = hand, .err = err};
    struct text table = {0}, columns = {0};
    char mark[160];
    int rc;

    sql_schema_table(&load->schema, part->table, &table, &columns);
    snprintf(mark, sizeof(mark), "INSERT INTO rawtps_load_part (part) VALUES ('%s')", name);
    rc = sql_plain_run(hand->plain, "BEGIN", NULL, NULL, err);
    rc = rc == 0
             ? sql_plain_load_begin(hand->plain, text_string(&table), text_string(&columns), err)
             : rc;
    rc = rc == 0 ? load_part_rows(&load->source, part, put_row, &putting) : rc;
    rc = rc == 0 ? sql_plain_load_end(hand->plain, err) : rc;
    rc = rc == 0 ? sql_plain_run(hand->plain, mark, NULL, NULL, err) : rc;
    rc = rc == 0 ? sql_plain_run(hand->plain, "COMMIT", NULL, NULL, err) : rc;
    atomic_fetch_add(&load->crew.rows, putting.since);
    text_free(&table);
    text_free(&columns);
    return rc;
}

static int load_item_part(void *context, struct load_hand *hand, uint32_t i, struct error *err)
{
    struct load *load = context;
    struct text name = {0};
    int rc;

    part_name(load, &load->parts[i], &name);
    rc = put_part(load, hand, &load->parts[i], text_string(&name), err);
    if (rc < 0 && rc != -EINTR) {
        error_wrap(err, "loading %s", text_string(&name));
    }
    text_free(&name);
    return rc;
}

/* Which parts are missing. */
static int load_list_parts(struct load *load, struct error *err)
{
    uint32_t count = load_parts(load->vm, NULL, &load->rows_all);

    load->parts = mem_array(count, sizeof(*load->parts));
    if (load->parts == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the list of parts");
    }
    load_parts(load->vm, load->parts, &load->rows_all);
    for (uint32_t i = 0; i < count; i++) {
        struct text name = {0};

        part_name(load, &load->parts[i], &name);
        if (load_known_part(&load->known, text_string(&name))) {
            load->report->rows_before += load->parts[i].rows;
        } else {
            load->parts[load->part_count++] = load->parts[i];
        }
        text_free(&name);
    }
    return 0;
}

static int load_rows(struct load *load, struct error *err)
{
    int64_t wall_ns = clock_ns(CLOCK_MONOTONIC), cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    int rc = load_list_parts(load, err);

    load_begin_stage(load, LOAD_ROWS);
    rc = rc == 0 ? load_work(load, load->part_count, load_item_part, err) : rc;
    load->report->rows = atomic_load(&load->crew.rows);
    load->report->rows_ns = clock_ns(CLOCK_MONOTONIC) - wall_ns;
    load->report->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
    return rc;
}

/* ---- statements ---- */

/* All statements of a stage, and where the ones of a table begin. */
static int load_list_statements(struct load *load, enum sql_schema_stage stage, struct error *err)
{
    struct text text = {0};
    uint32_t count = 0, table, last = UINT32_MAX;

    while (sql_schema_statement(&load->schema, stage, count, &text, &table)) {
        count++;
    }
    load->statements = mem_array(count + 1, sizeof(*load->statements));
    load->firsts = mem_array(count + 1, sizeof(*load->firsts));
    if (load->statements == NULL || load->firsts == NULL) {
        text_free(&text);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a list of statements");
    }
    load->group_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        sql_schema_statement(&load->schema, stage, i, &load->statements[i], &table);
        if (i == 0 || table != last || table == UINT32_MAX) {
            load->firsts[load->group_count++] = i;
        }
        last = table;
    }
    load->firsts[load->group_count] = count;
    load->statement_count = count;
    text_free(&text);
    return 0;
}

static void load_free_statements(struct load *load)
{
    for (uint32_t i = 0; load->statements != NULL && i < load->statement_count; i++) {
        text_free(&load->statements[i]);
    }
    mem_free(load->statements);
    mem_free(load->firsts);
    load->statements = NULL;
    load->firsts = NULL;
    load->statement_count = 0;
}

/* Statement s of the stage, unless a killed load has carried it out. */
static int load_statement(struct load *load, struct load_hand *hand, uint32_t s, struct error *err)
{
    const char *words = text_string(&load->statements[s]);
    struct text made = {0};
    int64_t is_made = 0;
    int rc = 0;

    sql_schema_made(&load->schema, load->schema_stage, s, &made);
    if (made.length > 0) {
        rc = sql_plain_number(hand->plain, text_string(&made), &is_made, err);
    }
    text_free(&made);
    if (rc == 0 && is_made <= 0 && sql_plain_run(hand->plain, words, NULL, NULL, err) < 0) {
        rc = error_wrap(err, "%.80s", words);
    }
    return rc;
}

static int load_item_statements(void *context, struct load_hand *hand, uint32_t i,
                                struct error *err)
{
    struct load *load = context;
    int rc = 0;

    for (uint32_t s = load->firsts[i]; rc == 0 && s < load->firsts[i + 1]; s++) {
        rc = load_crew_stopping(&load->crew) ? -EINTR : load_statement(load, hand, s, err);
    }
    return rc;
}

/* Different tables in parallel. */
static int load_stage(struct load *load, enum sql_schema_stage stage, struct error *err)
{
    int rc;

    load->schema_stage = stage;
    rc = load_list_statements(load, stage, err);
    if (rc == 0 && load->group_count > 0) {
        rc = load_work(load, load->group_count, load_item_statements, err);
    }
    load_free_statements(load);
    return rc;
}

/* In order, by the one connection. */
static int load_each(struct load *load, const struct sql_schema *schema,
                     enum sql_schema_stage stage, struct error *err)
{
    struct text text = {0};
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && sql_schema_statement(schema, stage, i, &text, NULL); i++) {
        rc = sql_plain_run(load->plain, text_string(&text), NULL, NULL, err);
        rc = rc < 0 ? error_wrap(err, "%.80s", text_string(&text)) : rc;
    }
    text_free(&text);
    return rc;
}

/* ---- before and after ---- */

static int load_refuse_findings(struct load *load, struct error *err)
{
    struct server_finding findings[SERVER_FINDINGS];
    struct server_facts server;
    struct server_need need = {
        .schema = &load->schema, .connections = load_jobs(load) + 1, .load = true};
    int count = server_facts_read(load->plain, load->vm->sql.url.dialect, &server, err);

    count = count < 0 ? count
                      : server_preflight(load->plain, &server, &need, findings, SERVER_FINDINGS,
                                         NULL, err);
    for (int i = 0; i < count; i++) {
        const char *name = findings[i].name;
        bool ours = strcmp(name, "schema") == 0 || strcmp(name, "scale") == 0;

        /* whose tables they are is for load_known_judge(): --replace may drop them */
        if (findings[i].level == FINDING_HARD && !ours) {
            error_set(err, EXIT_FAILED, -EINVAL, "%s: %s", name, findings[i].text);
            return error_hint(err, "%s", findings[i].hint);
        }
    }
    return count < 0 ? count : 0;
}

/* Everything that an earlier load of ours, or another tool, has under our names. */
static int load_drop(struct load *load, struct error *err)
{
    struct sql_schema old = load->schema;
    struct tpcc_settings tpcc = {.warehouses = 1, .users = 1};
    struct sysbench_settings sysbench = load->vm->model.sysbench;
    struct tpcb_settings tpcb = {.scale = 1, .clients = 1};
    const struct sql_schema_load *row = &load->known.row;

    if (load->known.has_row && row->workload[0] != '\0') {
        old.tpcc = strcmp(row->workload, "tpcc") == 0 ? &tpcc : NULL;
        old.tpcb = strcmp(row->workload, "tpcb") == 0 ? &tpcb : NULL;
        old.sysbench = old.tpcc || old.tpcb ? NULL : &sysbench;
        sysbench.tables = row->scale > 0 ? (uint32_t)row->scale : 1;
        if (load_each(load, &old, SQL_SCHEMA_DROP, err)) {
            return err->code;
        }
    }
    return load_each(load, &load->schema, SQL_SCHEMA_DROP, err);
}

/* The server's tables, and what may be done with them. */
static int load_look_around(struct load *load, struct error *err)
{
    int rc = load_known_read(&load->known, load->plain, &load->schema, err);

    if (rc < 0 || load->options->replace == NULL) {
        return rc < 0 ? rc : load_known_judge(&load->known, &load->schema, err);
    }
    if (strcmp(load->options->replace, load->known.database) != 0) {
        error_set(err, EXIT_USAGE, -EINVAL, "--replace %s: the database is %s",
                  load->options->replace, load->known.database);
        return error_hint(err, "--replace names the database whose tables are dropped, exactly");
    }
    rc = load_drop(load, err);
    load_known_free(&load->known);
    return rc == 0 ? load_known_read(&load->known, load->plain, &load->schema, err) : rc;
}

static void now_text(char ret[24])
{
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(ret, 24, "%Y-%m-%d %H:%M:%S", &utc);
}

/* The row that says what is being loaded, and the instant that all its rows take for now. */
static int load_begin(struct load *load, struct error *err)
{
    struct text text = {0};
    char now[96];
    int rc;

    if (load->known.has_row && load->known.now[0] != '\0') {
        memcpy(load->source.now, load->known.now, sizeof(load->source.now));
        return 0;
    }
    now_text(load->source.now);
    rc = load_each(load, &load->schema, SQL_SCHEMA_META, err);
    snprintf(now, sizeof(now), "INSERT INTO rawtps_load_part (part) VALUES ('" KNOWN_NOW "%s')",
             load->source.now);
    rc = rc == 0 ? sql_plain_run(load->plain, now, NULL, NULL, err) : rc;
    if (rc == 0 && !load->known.has_row) {
        sql_schema_load_insert(&load->schema, &text);
        rc = sql_plain_run(load->plain, text_string(&text), NULL, NULL, err);
    }
    text_free(&text);
    return rc;
}

static int load_all(struct load *load, struct error *err)
{
    int64_t from_ns;
    int rc = load_begin(load, err);

    load_begin_stage(load, LOAD_TABLES);
    load_look(load);
    rc = rc == 0 ? load_each(load, &load->schema, SQL_SCHEMA_TABLES, err) : rc;
    rc = rc == 0 ? load_rows(load, err) : rc;
    from_ns = clock_ns(CLOCK_MONOTONIC);
    load_begin_stage(load, LOAD_INDEXES);
    rc = rc == 0 ? load_stage(load, SQL_SCHEMA_INDEXES, err) : rc;
    rc = rc == 0 ? load_stage(load, SQL_SCHEMA_KEYS, err) : rc;
    rc = rc == 0 ? load_each(load, &load->schema, SQL_SCHEMA_PROCEDURES, err) : rc;
    load_begin_stage(load, LOAD_ANALYZE);
    rc = rc == 0 ? load_stage(load, SQL_SCHEMA_ANALYZE, err) : rc;
    load->report->index_ns = clock_ns(CLOCK_MONOTONIC) - from_ns;
    return rc == 0 ? sql_plain_run(load->plain, sql_schema_load_complete, NULL, NULL, err) : rc;
}

static void load_hint_disk(struct error *err)
{
    if (strstr(err->text, "o space left") != NULL || strstr(err->text, "is full") != NULL) {
        error_hint(err, "the server's disk is full; the load goes on from here once there is room");
    }
}

static int load_open(struct load *load, struct error *err)
{
    struct sql_schema_load row;
    int rc;

    load_schema(load->vm, &load->schema);
    rc = sql_schema_check(&load->schema, err);
    rc = rc == 0 ? sql_plain_open(&load->plain, &load->vm->sql.url, err) : rc;
    if (rc < 0) {
        return rc;
    }
    sql_schema_load_of(&load->schema, &row);
    load->source.vm = load->vm;
    load->source.seed = row.seed;
    load->source.c_load = row.c_load;
    return load_refuse_findings(load, err);
}

int load_run(const struct plan *plan, uint32_t i, const struct load_options *options,
             struct load_report *ret, struct error *err)
{
    struct load load = {.vm = &plan->vms[i], .options = options, .report = ret};
    int64_t from_ns = clock_ns(CLOCK_MONOTONIC);
    int rc;

    must(load.vm->target == PLAN_SQL);
    *ret = (struct load_report){0};
    load_begin_stage(&load, LOAD_LOOK);
    rc = load_open(&load, err);
    rc = rc == 0 ? load_look_around(&load, err) : rc;
    ret->was_complete = rc == 0 && load.known.has_row && load.known.row.complete;
    if (rc == 0 && !ret->was_complete) {
        rc = load_all(&load, err);
    }
    if (rc < 0) {
        load_hint_disk(err);
    }
    ret->all_ns = clock_ns(CLOCK_MONOTONIC) - from_ns;
    if (load.plain != NULL) {
        sql_plain_close(load.plain);
    }
    load_known_free(&load.known);
    mem_free(load.parts);
    return rc;
}
