#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "run_state.h"
#include "target/target_sql.h"

int run_open_servers(struct run *run, struct error *err)
{
    const struct plan *plan = run->plan;
    int rc = 0;

    if (plan->drive != PLAN_DRIVE_NONE) {
        return 0;
    }
    run->servers = mem_array(plan->vm_count, sizeof(*run->servers));
    if (run->servers == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u servers", plan->vm_count);
    }
    for (uint32_t i = 0; rc == 0 && i < plan->vm_count; i++) {
        struct server *server = &run->servers[i];

        rc = server_open(server, &plan->vms[i], err);
        if (rc == 0 && run->options->check) {
            rc = server_growth(server, &server->orders, &server->histories, err);
        }
    }
    return rc;
}

void run_close_servers(struct run *run)
{
    for (uint32_t i = 0; run->servers != NULL && i < run->plan->vm_count; i++) {
        server_close(&run->servers[i]);
    }
    mem_free(run->servers);
}

void run_mark_servers(struct run *run)
{
    if (run->servers == NULL || run->marked || !atomic_load(&run->shared.sampling)) {
        return;
    }
    run->marked = true;
    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        server_mark(&run->servers[i]);
    }
}

void run_describe_servers(struct run *run)
{
    uint32_t count = run->plan->vm_count < RESULT_SERVERS ? run->plan->vm_count : RESULT_SERVERS;

    if (run->result->server_count > 0) {
        return;
    }
    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        server_warn(&run->servers[i], run->result);
    }
    for (uint32_t i = 0; i < count; i++) {
        server_describe(&run->servers[i], &run->result->servers[run->result->server_count++]);
    }
}

/* ---- when all is over ---- */

static void add_codes(struct target_sql_counts *into, const struct target_sql_counts *from)
{
    for (uint32_t i = 0; i < from->code_count; i++) {
        uint32_t at = 0;

        while (at < into->code_count && strcmp(into->codes[at].state, from->codes[i].state) != 0) {
            at++;
        }
        if (at < into->code_count) {
            into->codes[at].count += from->codes[i].count;
        } else if (at < TARGET_SQL_CODES) {
            into->codes[into->code_count++] = from->codes[i];
        }
    }
}

static void add_counts(struct target_sql_counts *into, const struct target_sql_counts *from)
{
    into->calls += from->calls;
    into->retried += from->retried;
    into->refused += from->refused;
    into->skipped += from->skipped;
    into->lost += from->lost;
    into->reconnects += from->reconnects;
    into->unknown += from->unknown;
    into->waits += from->waits;
    into->wait_ns += from->wait_ns;
    if (from->longest_gap_ns > into->longest_gap_ns) {
        into->longest_gap_ns = from->longest_gap_ns;
    }
    add_codes(into, from);
}

static void warn_counts(struct run *run, const char *name, const struct target_sql_counts *counts)
{
    char gap[UNITS_TEXT];

    if (counts->lost > 0) {
        result_warn(run->result,
                    "%s: %llu connections were lost, %llu made again; longest time without any "
                    "%s; outcomes unknown: %llu",
                    name, (unsigned long long)counts->lost, (unsigned long long)counts->reconnects,
                    units_format_duration(counts->longest_gap_ns, gap, sizeof(gap)),
                    (unsigned long long)counts->unknown);
    }
    for (uint32_t c = 0; c < counts->code_count; c++) {
        const struct target_sql_code *code = &counts->codes[c];

        result_warn(run->result, "%s: error %s, %llu time%s%s: %s", name, code->state,
                    (unsigned long long)code->count, code->count == 1 ? "" : "s",
                    code->ignored   ? ", skipped"
                    : code->retried ? ", repeated"
                                    : "",
                    code->error);
    }
}

static void set_facts(const struct target_sql_counts *counts, struct result_vm *ret)
{
    result_fact_set(ret, "sql_calls", (double)counts->calls);
    result_fact_set(ret, "sql_retried", (double)counts->retried);
    result_fact_set(ret, "sql_refused", (double)counts->refused);
    result_fact_set(ret, "sql_skipped", (double)counts->skipped);
    result_fact_set(ret, "connections_lost", (double)counts->lost);
    result_fact_set(ret, "reconnects", (double)counts->reconnects);
    result_fact_set(ret, "outcomes_unknown", (double)counts->unknown);
    result_fact_set(ret, "connection_waits", (double)counts->waits);
    result_fact_set(ret, "connection_wait_ns", (double)counts->wait_ns);
}

static void add_statements(const struct world *world, struct result_vm *ret)
{
    for (uint32_t s = 0; s < world->statement_count && world->statements_counted; s++) {
        const struct target_sql_statement *from = &world->statements[s];
        struct result_statement *row = &ret->statements[s];

        if (s >= ret->statement_count) {
            snprintf(row->name, sizeof(row->name), "%s", from->name);
            ret->statement_count = s + 1;
        }
        row->count += from->count;
        row->errors += from->errors;
        row->empty += from->empty;
        row->sum_ns += from->sum_ns;
        row->max_ns = row->max_ns > from->max_ns ? row->max_ns : from->max_ns;
    }
}

/* A commit whose answer was lost may have happened or not. */
static void check_grew(struct run *run, const char *name, uint32_t i, int64_t grew, uint64_t done,
                       uint64_t unknown)
{
    bool passed = grew >= (int64_t)done && grew <= (int64_t)(done + unknown);

    result_check(run->result, name, run->plan->vms[i].name, (double)done, (double)grew,
                 (double)unknown, passed, EXIT_WRONG_DATA);
}

/* What users were told is done must be there, and nothing that was rolled back. */
static void check_growth(struct run *run, uint32_t i, uint64_t unknown)
{
    const struct plan_vm *plan = &run->plan->vms[i];
    const struct vm_total *total = &run->totals[i];
    struct server *server = &run->servers[i];
    uint64_t done[CATALOG_KINDS + 1] = {0}, open = 0;
    int64_t orders, histories;
    struct error err = {0};

    for (uint32_t w = 0; w < total->world_count; w++) {
        const struct vm *vm = run->worlds[total->first_world + w].vms[0];

        for (uint32_t k = 0; vm != NULL && k <= CATALOG_KINDS; k++) {
            done[k] += vm->done_of[k];
            open += vm->open_of[k];
        }
    }
    if (server_growth(server, &orders, &histories, &err) < 0) {
        result_warn(run->result, "%s: what was committed could not be checked: %s", plan->name,
                    err.text);
    } else if (plan->workload == PLAN_TPCC) {
        check_grew(run, "R1 orders grew by the New-Orders", i, orders - server->orders,
                   done[TPCC_NEW_ORDER], unknown + open);
        check_grew(run, "R2 history grew by the Payments", i, histories - server->histories,
                   done[TPCC_PAYMENT], unknown + open);
    } else if (plan->workload == PLAN_TPCB && plan->tpcb.mix != TPCB_SELECT_ONLY) {
        check_grew(run, "history grew by the transactions", i, histories - server->histories,
                   done[0], unknown + open);
    }
}

static void finish_vm(struct run *run, uint32_t i)
{
    const struct vm_total *total = &run->totals[i];
    const char *name = run->plan->vms[i].name;
    struct target_sql_counts sum = {0}, counts;

    _Static_assert((int)RESULT_STATEMENTS == (int)WORLD_STATEMENTS, "one list of statements");
    for (uint32_t w = 0; w < total->world_count; w++) {
        const struct world *world = &run->worlds[total->first_world + w];

        if (world->vms[0] != NULL && world->vms[0]->target != NULL) {
            target_sql_counts(world->vms[0]->target, &counts);
            add_counts(&sum, &counts);
            add_statements(world, &run->result->vms[i]);
        }
    }
    set_facts(&sum, &run->result->vms[i]);
    warn_counts(run, name, &sum);
    if (!shared_hurried(&run->shared)) { /* else it is not asked again: it may not answer */
        server_count(&run->servers[i]);
    }
    if (run->servers[i].restarted) {
        result_warn(run->result, "%s: the server was started again during the run", name);
    }
    result_check(run->result, "connections lost", name, 0, (double)sum.lost, 0, sum.lost == 0,
                 EXIT_WANTING);
    result_check(run->result, "statements refused", name, 0, (double)sum.refused, 0,
                 sum.refused == 0, EXIT_WANTING);
    if (run->options->check && !shared_hurried(&run->shared)) {
        check_growth(run, i, sum.unknown);
    }
}

void run_finish_servers(struct run *run)
{
    for (uint32_t i = 0; run->servers != NULL && i < run->plan->vm_count; i++) {
        finish_vm(run, i);
    }
}
