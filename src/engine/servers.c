#include "servers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/must.h"
#include "base/units.h"
#include "engine/load.h"
#include "engine/run.h"
#include "vm.h"

uint32_t server_share(uint32_t whole, uint32_t loops, uint32_t part)
{
    uint64_t from = (uint64_t)whole * part / loops, to = (uint64_t)whole * (part + 1) / loops;

    return (uint32_t)(to - from);
}

static int64_t server_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int server_open_texts(struct server *server, struct error *err)
{
    const struct plan_vm *plan = server->plan;
    struct sql_schema schema;
    struct sql_texts_settings settings;

    load_schema(plan, &schema);
    settings = (struct sql_texts_settings){
        .dialect = schema.dialect,
        .tpcc = schema.tpcc,
        .sysbench = schema.sysbench,
        .tpcb = schema.tpcb,
    };
    server->texts = sql_texts_open(&settings, err);
    return server->texts == NULL ? err->code : 0;
}

static uint32_t server_people(const struct plan_vm *plan)
{
    return plan->users + plan->workers;
}

/* As many as the plan says; else one a user and worker, up to what the server has left. */
static uint32_t server_choose(const struct server *server)
{
    const struct plan_vm *plan = server->plan;
    const struct server_facts *facts = &server->facts;
    uint32_t people = server_people(plan), left = people;

    if (plan->sql.connections > 0) {
        return plan->sql.connections < people ? plan->sql.connections : people;
    }
    if (!plan->sql.url.fake && facts->connection_limit != UINT32_MAX) {
        uint32_t used = facts->connections_used; /* and the one for the counters */

        left = facts->connection_limit > used + 1 ? facts->connection_limit - used - 1 : 1;
    }
    return left < people ? left : people;
}

/* TPC-C thinks ten times its mean at most. */
static int64_t server_longest_pause(const struct plan_vm *plan)
{
    return plan->workload == PLAN_TPCC ? (int64_t)(plan->model.tpcc.wait_factor * 12e9 * 10) : 0;
}

static int server_ask_all(struct server *server, struct error *err)
{
    const struct plan_vm *plan = server->plan;
    struct sql_schema schema;
    struct server_need need;
    int count;

    load_schema(plan, &schema);
    if (server_facts_read(server->plain, plan->sql.url.dialect, &server->facts, err) < 0) {
        return err->code;
    }
    server->connections = server_choose(server);
    need = (struct server_need){
        .schema = &schema,
        .connections = server->connections,
        .statements = plan->sql.prepared ? sql_texts_count(server->texts) : 0,
        .longest_pause_ns = server_longest_pause(plan),
        .procedures = plan->sql.procedures,
    };
    count = server_preflight(server->plain, &server->facts, &need, server->findings,
                             SERVER_FINDINGS, &server->load, err);
    if (count < 0) {
        return count;
    }
    while (server->finding_count < SERVER_FINDINGS &&
           server->findings[server->finding_count].name[0] != '\0') {
        server->finding_count++;
    }
    server->loaded = server->load.workload[0] != '\0';
    return 0;
}

static int server_connect(struct server *server, struct error *err)
{
    if (server_open_texts(server, err)) {
        return err->code;
    }
    if (server->plan->sql.url.fake) {
        server->connections = server_choose(server);
        return 0;
    }
    return sql_plain_open(&server->plain, &server->plan->sql.url, err);
}

/* The first that stops a run. */
static int server_refuse(const struct server *server, struct error *err)
{
    for (uint32_t i = 0; i < server->finding_count; i++) {
        const struct server_finding *finding = &server->findings[i];

        if (finding->level == FINDING_HARD) {
            error_set(err, EXIT_FAILED, -EINVAL, "%s: %s: %s", server->plan->name, finding->name,
                      finding->text);
            return error_hint(err, "%s", finding->hint);
        }
    }
    return 0;
}

int server_open(struct server *server, const struct plan_vm *plan, struct error *err)
{
    *server = (struct server){.plan = plan, .opened_ns = server_clock_ns()};
    if (server_connect(server, err) || (server->plain != NULL && server_ask_all(server, err))) {
        return error_wrap(err, "%s", plan->name);
    }
    return server_refuse(server, err);
}

void server_warn(const struct server *server, struct result *result)
{
    for (uint32_t i = 0; i < server->finding_count; i++) {
        const struct server_finding *finding = &server->findings[i];

        if (finding->level == FINDING_SOFT) {
            result_warn(result, "%s: %s: %s%s%s", server->plan->name, finding->name, finding->text,
                        finding->hint[0] != '\0' ? "; " : "", finding->hint);
        }
    }
}

void server_close(struct server *server)
{
    if (server->plain != NULL) {
        sql_plain_close(server->plain);
    }
    sql_texts_free(server->texts);
    *server = (struct server){0};
}

/* ---- counters ---- */

static void take_uptime(void *context, const struct sql_value *columns, uint32_t count)
{
    const struct sql_value *last = &columns[count - 1];
    char text[24];

    if (last->kind == SQL_INT) {
        *(int64_t *)context = last->number;
    } else if (last->kind == SQL_TEXT) {
        snprintf(text, sizeof(text), "%.*s", (int)last->bytes, last->text);
        *(int64_t *)context = strtoll(text, NULL, 10);
    }
}

/* A server that was started again counts from 0. */
static void server_look_at_uptime(struct server *server)
{
    int64_t uptime_s = INT64_MAX, open_s = (server_clock_ns() - server->opened_ns) / 1000000000;
    struct error ignored = {0};

    sql_plain_run(server->plain,
                  server->plan->sql.url.dialect == SQL_POSTGRES
                      ? "SELECT extract(epoch FROM now() - pg_postmaster_start_time())::bigint"
                      : "SHOW GLOBAL STATUS LIKE 'Uptime'",
                  take_uptime, &uptime_s, &ignored);
    if (uptime_s < open_s - 1) {
        server->restarted = true;
        server->counted = false;
    }
}

/* On the connection that there is, or a new one. */
static bool server_try(struct server *server, struct target_facts *ret)
{
    struct error ignored = {0};

    if (server->plain == NULL &&
        sql_plain_open(&server->plain, &server->plan->sql.url, &ignored) < 0) {
        server->plain = NULL;
        return false;
    }
    server_look_at_uptime(server);
    if (server_counters_read(server->plain, &server->facts, ret, &ignored) < 0) {
        sql_plain_close(server->plain);
        server->plain = NULL;
        return false;
    }
    return true;
}

bool server_count(struct server *server)
{
    struct target_facts now = {0};

    if (server->plan->sql.url.fake) {
        return false;
    }
    if (!server_try(server, &now) && !server_try(server, &now)) {
        server->counted = false;
        return false;
    }
    if (now.page_accesses < server->counters.page_accesses) {
        server->counted = false;
    }
    server->counters = now;
    server->grown = true;
    return true;
}

void server_mark(struct server *server)
{
    server->counted = true;
    server->counted = server_count(server) && server->counted;
    server->before = server->counters;
    server->grown = false;
}

int server_growth(struct server *server, int64_t *ret_orders, int64_t *ret_histories,
                  struct error *err)
{
    enum plan_workload workload = server->plan->workload;
    int rc = 0;

    *ret_orders = *ret_histories = 0;
    if (server->plan->sql.url.fake || workload == PLAN_SYSBENCH) {
        return 0;
    }
    if (server->plain == NULL) {
        rc = sql_plain_open(&server->plain, &server->plan->sql.url, err);
    }
    if (rc == 0 && workload == PLAN_TPCC) {
        rc = sql_plain_number(server->plain, "SELECT SUM(d_next_o_id) FROM district", ret_orders,
                              err);
    }
    return rc < 0 ? rc
                  : sql_plain_number(server->plain,
                                     workload == PLAN_TPCC ? "SELECT COUNT(*) FROM history"
                                                           : "SELECT COUNT(*) FROM pgbench_history",
                                     ret_histories, err);
}

/* ---- the result ---- */

void server_describe(const struct server *server, struct result_server *ret)
{
    const struct plan_vm *plan = server->plan;
    const struct server_facts *facts = &server->facts;

    *ret = (struct result_server){
        .durable = facts->durable || plan->sql.url.fake,
        .buffer_bytes = facts->buffer_bytes,
        .log_capacity_bytes = facts->log_capacity_bytes,
        .database_bytes = facts->database_bytes,
        .connections = server->connections,
        .loops = plan->sql.loops,
        .prepared = plan->sql.prepared,
        .pipeline = plan->sql.pipeline,
        .procedures = plan->sql.procedures,
        .setting_count = facts->setting_count,
    };
    snprintf(ret->vm, sizeof(ret->vm), "%s", plan->name);
    plan_server(plan, ret->url, sizeof(ret->url));
    snprintf(ret->flavour, sizeof(ret->flavour), "%s",
             plan->sql.url.fake ? "fake" : facts->flavour);
    snprintf(ret->version, sizeof(ret->version), "%s", facts->version);
    snprintf(ret->flush_method, sizeof(ret->flush_method), "%s", facts->flush_method);
    snprintf(ret->isolation, sizeof(ret->isolation), "%s",
             plan->sql.isolation == ISOLATION_DEFAULT ? facts->isolation
                                                      : sql_isolation_names[plan->sql.isolation]);
    _Static_assert((int)RESULT_SETTINGS == (int)SERVER_SETTINGS, "one list of settings");
    for (uint32_t i = 0; i < facts->setting_count; i++) {
        memcpy(ret->settings[i].name, facts->settings[i].name, sizeof(ret->settings[i].name));
        memcpy(ret->settings[i].value, facts->settings[i].value, sizeof(ret->settings[i].value));
    }
}

/* ---- for `plan` ---- */

static void explain_facts(const struct server *server, struct text *ret)
{
    const struct server_facts *facts = &server->facts;
    char buffer[UNITS_TEXT], data[UNITS_TEXT];

    text_addf(ret, "  %s %s, buffer %s, database %s, %u connections%s%s\n", facts->flavour,
              facts->version, units_format_size(facts->buffer_bytes, buffer, sizeof(buffer)),
              units_format_size(facts->database_bytes, data, sizeof(data)), server->connections,
              server->plan->workers > 0 ? ", those for deferred deliveries among them" : "",
              facts->durable ? "" : ", commits not durable");
    for (uint32_t i = 0; i < facts->setting_count; i++) {
        text_addf(ret, "    %-40s %s\n", facts->settings[i].name, facts->settings[i].value);
    }
}

static void explain_findings(const struct server *server, struct text *ret)
{
    static const char *const words[] = {
        [FINDING_HARD] = "refused", [FINDING_SOFT] = "warning", [FINDING_FINE] = "ok"};

    for (uint32_t i = 0; i < server->finding_count; i++) {
        const struct server_finding *finding = &server->findings[i];

        text_addf(ret, "  %-8s %s: %s\n", words[finding->level], finding->name, finding->text);
        if (finding->hint[0] != '\0') {
            text_addf(ret, "           %s\n", finding->hint);
        }
    }
}

static int explain_server(const struct plan_vm *plan, struct text *ret, struct error *err)
{
    struct server server;
    char url[256];
    int rc;

    text_addf(ret, "\n%s: %s\n", plan->name, plan_server(plan, url, sizeof(url)));
    rc = server_open(&server, plan, err);
    if (server.facts.version[0] != '\0') {
        explain_facts(&server, ret);
        explain_findings(&server, ret);
    }
    server_close(&server);
    return rc;
}

int servers_look(const struct plan *plan, struct text *ret, struct error *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < plan->vm_count; i++) {
        rc = plan->vms[i].target == PLAN_SQL ? explain_server(&plan->vms[i], ret, err) : 0;
    }
    return rc;
}
