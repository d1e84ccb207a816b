#include "live_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "workload/sql_schema.h"

void live_plan_set(struct live_plan *live, const char *format, ...)
{
    va_list args;

    must(live->set_count < LIVE_SETS);
    va_start(args, format);
    vsnprintf(live->texts[live->set_count], LIVE_SET, format, args);
    va_end(args);
    live->sets[live->set_count] = live->texts[live->set_count];
    live->set_count++;
}

/* ---- what a database holds ---- */

static int64_t number_of(const struct sql_value *value)
{
    char text[24];

    if (value->kind == SQL_INT) {
        return value->number;
    }
    snprintf(text, sizeof(text), "%.*s", value->kind == SQL_TEXT ? (int)value->bytes : 0,
             value->kind == SQL_TEXT ? value->text : "");
    return strtoll(text, NULL, 10);
}

static void take_load(void *context, const struct sql_value *columns, uint32_t count)
{
    struct sql_schema_load *load = context;

    if (count < 7 || columns[0].kind != SQL_TEXT) {
        return;
    }
    snprintf(load->workload, sizeof(load->workload), "%.*s", (int)columns[0].bytes,
             columns[0].text);
    load->scale = (uint64_t)number_of(&columns[4]);
    load->rows_a_table = (uint64_t)number_of(&columns[5]);
    load->complete = number_of(&columns[6]) != 0;
}

/* workload "": no load of rawtps has begun here. */
static int read_load(const struct sql_url *url, struct sql_schema_load *ret, struct error *err)
{
    struct sql_plain *plain;
    int64_t there = 0;
    int code;

    *ret = (struct sql_schema_load){0};
    if (sql_plain_open(&plain, url, err) < 0) {
        return err->code;
    }
    code = sql_plain_number(plain,
                            url->dialect == SQL_POSTGRES
                                ? "SELECT count(*) FROM pg_class WHERE relname = 'rawtps_load' AND "
                                  "pg_table_is_visible(oid)"
                                : "SELECT count(*) FROM information_schema.tables WHERE table_name "
                                  "= 'rawtps_load' AND table_schema = database()",
                            &there, err);
    if (code == 0 && there > 0) {
        code = sql_plain_run(plain, sql_schema_load_select, take_load, ret, err);
    }
    sql_plain_close(plain);
    return code < 0 ? code : 0;
}

/* Tables that another tool made are not written to, whatever a scenario calls its own. */
static int refuse_empty(const struct sql_url *url, const struct sql_schema_load *load,
                        struct error *err)
{
    const char *scenario = url->dialect == SQL_POSTGRES ? "tpcc-postgres" : "tpcc-mariadb";

    error_set(err, EXIT_FAILED, -ENOENT, "%s",
              load->workload[0] == '\0' ? "the database holds no tables that rawtps has loaded"
                                        : "the load of this database was broken off");
    return error_hint(err, "`rawtps load %s --target URL --warehouses 10` fills it", scenario);
}

static int choose_scenario(struct live_plan *live, bool load_it, struct error *err)
{
    struct plan_request *request = &live->request;
    struct sql_schema_load load;
    struct sql_url url;

    if (request->target == NULL) {
        error_set(err, EXIT_USAGE, -EINVAL, "which server? --target is missing");
        return error_hint(err, "--target postgresql://user@host/database, or mysql://...");
    }
    if (sql_url_parse(&url, request->target, err) < 0) {
        return error_wrap(err, "--target");
    }
    if (read_load(&url, &load, err) < 0) {
        return err->code;
    }
    if (!load_it && (load.workload[0] == '\0' || !load.complete)) {
        return refuse_empty(&url, &load, err);
    }
    live->found = true;
    snprintf(live->threads, sizeof(live->threads), "8");
    request->threads = request->threads ? request->threads : live->threads;
    if (strcmp(load.workload, "sysbench") == 0 || strcmp(load.workload, "sbtest") == 0) {
        snprintf(live->scenario, sizeof(live->scenario), "sysbench-sql");
        live_plan_set(live, "workload.tables=%" PRIu64, load.scale);
        live_plan_set(live, "workload.rows=%" PRIu64, load.rows_a_table);
    } else {
        snprintf(live->scenario, sizeof(live->scenario), "%s",
                 url.dialect == SQL_POSTGRES ? "tpcc-postgres" : "tpcc-mariadb");
        snprintf(live->warehouses, sizeof(live->warehouses), "%" PRIu64,
                 load.scale > 0 ? load.scale : 2);
        request->warehouses = request->warehouses ? request->warehouses : live->warehouses;
    }
    request->scenario = live->scenario;
    return 0;
}

int live_plan_open(struct live_plan *live, const struct plan_request *request, bool load,
                   struct error *err)
{
    *live = (struct live_plan){.request = *request};
    if (request->set_count > LIVE_SETS / 2) {
        return error_set(err, EXIT_USAGE, -EINVAL, "more than %d --set", LIVE_SETS / 2);
    }
    for (uint32_t i = 0; i < request->set_count; i++) {
        live->sets[live->set_count++] = request->sets[i];
    }
    return request->scenario == NULL ? choose_scenario(live, load, err) : 0;
}

/* ---- plans ---- */

static int build(const struct plan_request *request, struct plan **ret, struct error *err)
{
    struct plan *plan = mem_zalloc(sizeof(*plan));

    if (plan == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the plan");
    }
    if (plan_build(plan, request, err) < 0) {
        mem_free(plan);
        return err->code;
    }
    *ret = plan;
    return 0;
}

void live_plan_free(struct plan *plan)
{
    if (plan != NULL) {
        plan_free(plan);
        mem_free(plan);
    }
}

int live_plan_look(const struct plan *plan, struct error *err)
{
    const struct sql_url *url = &plan->vms[0].sql.url;
    struct sql_schema_load load;

    if (read_load(url, &load, err) < 0) {
        return err->code;
    }
    return load.complete ? 0 : refuse_empty(url, &load, err);
}

static int judge(const struct plan *plan, struct error *err)
{
    if (plan->vm_count != 1) {
        error_set(err, EXIT_USAGE, -EINVAL, "one server is measured at a time, the scenario has %u",
                  plan->vm_count);
        return error_hint(err, "--set vms=1");
    }
    if (plan->vms[0].workload == PLAN_TPCB) {
        return error_set(err, EXIT_USAGE, -EINVAL, "there is no model of a workload of kind tpcb");
    }
    if (plan->drive != PLAN_DRIVE_NONE) {
        error_set(err, EXIT_USAGE, -EINVAL, "which server? --target is missing");
        return error_hint(err, "--target postgresql://user@host/database, or mysql://...");
    }
    if (plan->vms[0].sql.url.fake) {
        return error_set(err, EXIT_USAGE, -EINVAL, "a fake server does nothing to measure");
    }
    return 0;
}

int live_plan_build(const struct live_plan *live, struct plan **ret, struct error *err)
{
    struct plan_request request = live->request;
    struct plan *plan;

    request.sets = live->sets;
    request.set_count = live->set_count;
    if (build(&request, &plan, err) < 0) {
        return err->code;
    }
    if (judge(plan, err) < 0) {
        live_plan_free(plan);
        return err->code;
    }
    *ret = plan;
    return 0;
}

int live_plan_twin(const struct live_plan *live, const struct server_profile *profile,
                   uint32_t cores, int64_t latency_ns, uint64_t seed, struct plan **ret,
                   struct error *err)
{
    struct live_plan *twin = mem_zalloc(sizeof(*twin));
    char seed_text[24];
    int code;

    if (twin == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the plan");
    }
    twin->request = live->request;
    twin->request.target = NULL;
    twin->request.connections = NULL;
    twin->request.server_count = 0;
    twin->request.virtual_time = true;
    snprintf(seed_text, sizeof(seed_text), "%" PRIu64, seed);
    twin->request.seed = seed_text;
    for (uint32_t i = 0; i < live->set_count; i++) {
        twin->sets[twin->set_count++] = live->sets[i];
    }
    live_plan_set(twin, "database.profile=%s", model_profile_names[profile->kind]);
    for (uint32_t i = 0; i < profile->count; i++) {
        live_plan_set(twin, "database.%s=%s", profile->rows[i].key, profile->rows[i].value);
    }
    live_plan_set(twin, "database.tpcc_tables=rawtps");
    live_plan_set(twin, "drive.kind=null");
    live_plan_set(twin, "drive.latency=%" PRId64 "ns", latency_ns);
    live_plan_set(twin, "drive.stamps=no");
    twin->request.sets = twin->sets;
    twin->request.set_count = twin->set_count;
    code = build(&twin->request, ret, err);
    if (code == 0) {
        (*ret)->vms[0].vcpus = (*ret)->vms[0].model.cores = cores;
    }
    mem_free(twin);
    return code;
}
