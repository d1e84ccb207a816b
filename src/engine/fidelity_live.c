#include "engine/fidelity_live.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "fidelity_run.h"
#include "live_disk.h"
#include "live_meter.h"
#include "live_plan.h"

#define SHARE_WARM  0.35
#define SECOND_NS   1000000000ll
#define LATENCY_NS  1000 /* memory that answers at once */
#define PACE_WITHIN 0.04
/* Below this part of its frames a pool still fills, and reads are those of filling. */
#define POOL_FULL 0.9
#define LOST      "nothing is compared"
enum { PACE_TRIES = 6, NOTES = 6, USERS_MOST = 100, FEW = 5000 };

struct live_run {
    const struct fidelity_live_options *options;
    struct live_plan live;
    struct live_meter meter;
    struct server_profile profile; /* settings; the twin's CPU is added to copies */
    uint32_t cores;
    double cpu_ns;      /* a transaction; negative: not known */
    double response_ns; /* of the server, mean */
    int64_t latency_ns;
    struct fidelity_live *ret;
};

/* What the look at the model's requests counts. */
struct twin_reads {
    struct fidelity_share now[FIDELITY_TABLES], sample[FIDELITY_TABLES];
    uint32_t count;
    enum sql_dialect dialect;
};

static void say(const struct live_run *run, const char *text)
{
    if (run->options->say != NULL) {
        run->options->say(run->options->context, text);
    }
}

static void note(struct live_run *run, const char *text)
{
    for (uint32_t i = 0; i < NOTES; i++) {
        if (run->ret->notes[i][0] == '\0') {
            snprintf(run->ret->notes[i], sizeof(run->ret->notes[i]), "%s", text);
            return;
        }
    }
}

/* ---- the server ---- */

static void measured_tables(const struct live_meter *meter, double n, struct fidelity_figures *ret)
{
    for (uint32_t i = 0; i < meter->after.table_count; i++) {
        fidelity_count(ret->tables, &ret->table_count, meter->after.tables[i].name,
                       meter->after.tables[i].reads / n);
    }
    for (uint32_t i = 0; i < meter->before.table_count; i++) {
        fidelity_count(ret->tables, &ret->table_count, meter->before.tables[i].name,
                       -meter->before.tables[i].reads / n);
    }
}

static void measured_figures(struct live_run *run, const struct result_vm *vm)
{
    const struct target_facts *a = &run->meter.before.facts, *b = &run->meter.after.facts;
    struct fidelity_figures *ret = &run->ret->cell.truth;
    double n = (double)(vm->done + vm->rolled_back);

    fidelity_figures_between(ret, a, b, n);
    ret->log_bytes = (double)(b->log_bytes - a->log_bytes) / n;
    ret->tps = vm->tps;
    run->response_ns = vm->service.mean_ns;
    measured_tables(&run->meter, n, ret);
    run->cpu_ns =
        run->meter.before.cpu.server_ns >= 0
            ? (double)(run->meter.after.cpu.server_ns - run->meter.before.cpu.server_ns) / n
            : -1;
}

/* InnoDB keeps lru_scan_depth frames free, which of a small pool is much. */
static bool pool_is_full(const struct live_run *run)
{
    const struct target_facts *facts = &run->meter.after.facts;
    double wanted = (double)facts->frames;

    for (uint32_t i = 0; i < run->profile.count; i++) {
        if (strcmp(run->profile.rows[i].key, "lru_scan_depth") == 0) {
            double depth = strtod(run->profile.rows[i].value, NULL);

            wanted -= fmin(depth, wanted / 2);
        }
    }
    return (double)facts->frames_resident >= POOL_FULL * wanted;
}

static void describe_notes(struct live_run *run)
{
    const struct fidelity_cell *cell = &run->ret->cell;

    if (cell->is_tpcc && cell->threads < cell->warehouses) {
        note(run, "fewer users than warehouses: some warehouses have nobody at home, and their "
                  "pages are read less; --threads says how many users");
    }
    if (cell->transactions < FEW) {
        note(run, "so few transactions leave several percent to chance; a longer --for, or more "
                  "--threads");
    }
    if (!cell->settled) {
        note(run, "the server's pool is not full yet: its figures are shown and not judged");
    }
    if (cell->truth.page_reads < FIDELITY_READS_LEAST) {
        note(run, "less than one page read a transaction: pages are shown and not judged; a larger "
                  "database or a smaller buffer would tell more");
    }
    if (run->meter.after.table_count == 0) {
        note(run, "the server does not tell reads by table (performance_schema is off, or not for "
                  "this user)");
    }
}

static void describe(struct live_run *run, const struct plan *plan, const struct result_vm *vm)
{
    const struct plan_vm *from = &plan->vms[0];
    struct fidelity_cell *cell = &run->ret->cell;

    cell->profile = run->profile.kind;
    cell->is_tpcc = from->workload == PLAN_TPCC;
    cell->index_full = from->sql.full_indexes;
    cell->buffer_mib = (uint32_t)(run->meter.server.buffer_bytes >> 20);
    cell->threads = from->users;
    cell->warehouses = from->model.tpcc.warehouses;
    cell->tables = from->model.sysbench.tables;
    cell->rows = from->model.sysbench.rows;
    cell->transactions = (uint32_t)(vm->done + vm->rolled_back);
    cell->settled = pool_is_full(run);
    describe_notes(run);
    snprintf(cell->id, sizeof(cell->id), "live/%s/%s/%u/%u", run->meter.server.flavour,
             cell->is_tpcc ? "tpcc" : "sysbench", cell->buffer_mib, cell->threads);
    for (char *c = cell->id; *c != '\0'; c++) {
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    }
}

static int measure(struct live_run *run, const struct plan *plan, struct error *err)
{
    struct result *result = mem_zalloc(sizeof(*result));
    int code;

    if (result == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a result");
    }
    say(run, "measuring the server");
    run->meter.say = run->options->watch;
    run->meter.context = run->options->context;
    code = live_meter_run(&run->meter, plan, run->options->stop, LOST, result, err);
    if (code == 0) {
        measured_figures(run, &result->vms[0]);
        describe(run, plan, &result->vms[0]);
        result_free(result);
    }
    mem_free(result);
    return code;
}

/* ---- the model ---- */

static void twin_look(void *context, const struct target *target, const struct io *io)
{
    struct twin_reads *reads = context;
    const char *name;
    char buf[24];

    if (io->verb == IO_READ && io->area == IO_DATA) {
        name = target_model_table(target, io->offset);
        fidelity_count(reads->now, &reads->count, live_name(name ? name : "?", reads->dialect, buf),
                       1);
    }
}

/* Called between intervals: what was counted before the sample goes, then the rest is kept. */
static void twin_watch(void *context, const struct run_view *view)
{
    struct twin_reads *reads = context;

    if (strcmp(view->phase, "sample") != 0) {
        reads->count = 0;
    }
    memcpy(reads->sample, reads->now, sizeof(reads->sample));
}

/* Facts of a model that never happened are not among the result's. */
static double fact(const struct result_vm *vm, const char *name)
{
    double value = result_fact(vm, name);

    return isnan(value) ? 0 : value;
}

static void twin_figures(const struct result_vm *vm, const struct twin_reads *reads,
                         struct fidelity_figures *ret)
{
    double n = (double)(vm->done + vm->rolled_back);

    memset(ret, 0, sizeof(*ret));
    n = n > 0 ? n : 1;
    ret->page_reads = fact(vm, "page_reads") / n;
    ret->page_writes = fact(vm, "pages_written") / n;
    ret->dirty_delta = (fact(vm, "pages_dirtied") - fact(vm, "pages_written")) / n;
    ret->images = fact(vm, "page_images") / n;
    ret->log_bytes = (fact(vm, "log_record_bytes") + fact(vm, "log_image_bytes")) / n;
    ret->log_writes = fact(vm, "log_writes") / n;
    ret->lock_waits = fact(vm, "lock_waits") / n;
    ret->doublewritten = fact(vm, "pages_doublewritten") / n;
    ret->created = fact(vm, "pages_created") / n;
    ret->by_checkpoint = fact(vm, "written_by_checkpoint") / n;
    ret->by_cleaner = fact(vm, "written_by_cleaner") / n;
    ret->by_victim = fact(vm, "written_by_victim") / n;
    ret->tps = vm->tps;
    ret->table_count = reads->count;
    for (uint32_t i = 0; i < reads->count; i++) {
        ret->tables[i] = reads->sample[i];
        ret->tables[i].reads /= n;
    }
}

static int twin_plan(struct live_run *run, uint64_t seed, struct plan **ret, struct error *err)
{
    struct server_profile profile = run->profile;
    char value[UNITS_TEXT];

    server_profile_add(&profile, "cpu_transaction",
                       units_format_period((int64_t)run->cpu_ns, value, sizeof(value)), "");
    server_profile_add(&profile, "cpu_statement", "0s", "");
    if (run->ret->cell.is_tpcc) {
        server_profile_add(&profile, "index_set", run->ret->cell.index_full ? "full" : "lean", "");
    }
    return live_plan_twin(&run->live, &profile, run->cores, run->latency_ns, seed, ret, err);
}

static void take_checks(const struct result *result, struct fidelity_outcome *outcome)
{
    for (uint32_t i = 0; i < result->check_count; i++) {
        const struct result_check *check = &result->checks[i];

        /* those of pacing and counts by chance are the run's, not the model's accounting */
        if (!check->passed && check->exit != EXIT_WANTING) {
            fidelity_check_failed(outcome, check->name, check->expected, check->found);
        }
    }
}

static int twin_run(struct live_run *run, uint64_t seed, struct fidelity_figures *ret,
                    struct error *err)
{
    struct twin_reads *reads = mem_zalloc(sizeof(*reads));
    struct result *result = mem_zalloc(sizeof(*result));
    struct run_options options = {.stop = run->options->stop,
                                  .watch = twin_watch,
                                  .context = reads,
                                  .look = twin_look,
                                  .look_context = reads,
                                  .no_files = true};
    struct plan *plan = NULL;
    char dir[512] = "";
    int code = reads && result ? twin_plan(run, seed, &plan, err)
                               : error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the model");

    if (code == 0) {
        reads->dialect = run->meter.dialect;
        code = run_plan(plan, &options, result, dir, err);
    }
    if (code == 0) {
        code = live_meter_refuse(result, LOST, err);
        twin_figures(&result->vms[0], reads, ret);
        take_checks(result, &run->ret->outcome);
        result_free(result);
    }
    live_plan_free(plan);
    mem_free(reads);
    mem_free(result);
    return code < 0 ? error_wrap(err, "the model") : 0;
}

/* ---- pace: whatever the model does once a second depends on how fast it is ---- */

static void pace_guess(struct live_run *run)
{
    const struct fidelity_cell *cell = &run->ret->cell;
    double wait_ns;

    run->latency_ns = LATENCY_NS;
    if (run->cpu_ns <= 0) {
        run->cpu_ns = run->response_ns * fmin(1, (double)run->cores / cell->threads);
        run->cpu_ns = run->cpu_ns > 0 ? run->cpu_ns : 1;
        return;
    }
    wait_ns = (run->response_ns - run->cpu_ns) / (cell->truth.page_reads + 2);
    run->latency_ns = wait_ns > LATENCY_NS ? (int64_t)wait_ns : LATENCY_NS;
}

static void pace_mend(struct live_run *run, double tps)
{
    double ratio = tps / run->ret->cell.truth.tps;

    if (ratio < 1 && run->latency_ns <= LATENCY_NS) {
        run->cpu_ns *= ratio;
        return;
    }
    run->latency_ns = (int64_t)((double)run->latency_ns * ratio);
    run->latency_ns = run->latency_ns > LATENCY_NS ? run->latency_ns : LATENCY_NS;
    run->latency_ns = run->latency_ns < SECOND_NS ? run->latency_ns : SECOND_NS;
}

static int pace_find(struct live_run *run, struct fidelity_figures *ret, struct error *err)
{
    double measured = run->ret->cell.truth.tps;
    int code;

    pace_guess(run);
    for (uint32_t i = 0;; i++) {
        run->ret->outcome.checks_failed = 0;
        code = twin_run(run, 1, ret, err);
        if (code != 0 || i + 1 == PACE_TRIES || ret->tps <= 0 ||
            fabs(ret->tps / measured - 1) < PACE_WITHIN) {
            break;
        }
        pace_mend(run, ret->tps);
    }
    if (code == 0 && fabs(ret->tps / measured - 1) >= 0.1) {
        note(run, "the model's pace could not be brought to the measured one: what is done once a "
                  "second falls on other numbers of transactions");
    }
    return code;
}

/* ---- both ---- */

static double reads_of(const struct fidelity_figures *figures, const char *name)
{
    for (uint32_t i = 0; i < figures->table_count; i++) {
        if (strcmp(figures->tables[i].name, name) == 0) {
            return figures->tables[i].reads;
        }
    }
    return 0;
}

static void show(struct fidelity_outcome *outcome, const char *quantity, double model,
                 double measured)
{
    if (outcome->gate_count < FIDELITY_GATES) {
        struct fidelity_gate *gate = &outcome->gates[outcome->gate_count++];

        *gate = (struct fidelity_gate){.model = model, .measured = measured};
        snprintf(gate->quantity, sizeof(gate->quantity), "%s", quantity);
    }
}

static void show_more(struct fidelity_live *ret)
{
    const struct fidelity_figures *truth = &ret->cell.truth;

    show(&ret->outcome, "transactions a second (paced)", ret->outcome.model.tps, truth->tps);
    for (uint32_t i = 0; i < truth->table_count; i++) {
        char quantity[40];

        if (truth->tables[i].reads >= 0.005) {
            snprintf(quantity, sizeof(quantity), "reads of %.24s", truth->tables[i].name);
            show(&ret->outcome, quantity, reads_of(&ret->outcome.model, truth->tables[i].name),
                 truth->tables[i].reads);
        }
    }
}

/* A figure that the server does not count, or that did not happen, is no measurement. */
static void forgive_uncounted(struct fidelity_outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->gate_count; i++) {
        outcome->gates[i].judged = outcome->gates[i].judged && outcome->gates[i].measured > 0;
    }
}

static int model_all(struct live_run *run, struct error *err)
{
    struct fidelity_outcome *outcome = &run->ret->outcome;
    uint32_t seeds = run->options->seeds > 0 ? run->options->seeds : 1;
    struct fidelity_figures one;
    double least, most;
    int code;

    say(run, "running the model");
    code = pace_find(run, &one, err);
    least = most = one.page_reads;
    for (uint32_t seed = 1; code == 0; seed++) {
        fidelity_figures_add(&outcome->model, &one, 1.0 / seeds);
        least = fmin(least, one.page_reads);
        most = fmax(most, one.page_reads);
        if (seed == seeds) {
            break;
        }
        code = twin_run(run, seed + 1, &one, err);
    }
    if (code == 0) {
        outcome->spread =
            outcome->model.page_reads > 0 ? (most - least) / outcome->model.page_reads : 0;
        fidelity_judge(outcome);
        forgive_uncounted(outcome);
        show_more(run->ret);
    }
    return code;
}

/* Users of a warehouse are ten in a row: fewer users leave the last warehouses alone. */
static void spread_users(struct live_plan *live, const struct plan_request *asked)
{
    uint64_t users;

    if (!live->found || asked->threads != NULL || live->request.warehouses == NULL) {
        return;
    }
    users = strtoull(live->request.warehouses, NULL, 10) * 10;
    snprintf(live->threads, sizeof(live->threads), "%" PRIu64,
             users > 0 && users < USERS_MOST ? users : USERS_MOST);
}

/* Equal counts by type: the standard's deck, unless the scenario has weights of its own. */
static bool draws_by_weight(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->choice_count; i++) {
        if (strcmp(plan->choices[i].path, "workload.mix") == 0) {
            return strcmp(plan->choices[i].value, "weights") == 0;
        }
    }
    return false;
}

static int plan_live(struct live_run *run, struct plan **ret, struct error *err)
{
    double warm_ns = (double)run->options->length_ns * SHARE_WARM;
    struct live_plan *live = &run->live;

    if (live_plan_open(live, run->options->request, false, err) < 0) {
        return err->code;
    }
    spread_users(live, run->options->request);
    live_plan_set(live, "phases.precondition=%" PRId64 "ns", (int64_t)warm_ns);
    live_plan_set(live, "phases.sample=%" PRId64 "ns", run->options->length_ns - (int64_t)warm_ns);
    if (live_plan_build(live, ret, err) < 0) {
        return err->code;
    }
    if ((*ret)->vms[0].workload == PLAN_TPCC && draws_by_weight(*ret)) {
        live_plan_free(*ret);
        live_plan_set(live, "workload.mix=deck");
        return live_plan_build(live, ret, err);
    }
    return 0;
}

static int ask(struct live_run *run, const struct plan *plan, struct error *err)
{
    long here = sysconf(_SC_NPROCESSORS_ONLN);

    if (live_plan_look(plan, err) < 0) {
        return err->code;
    }
    if (live_meter_open(&run->meter, &plan->vms[0].sql.url, err) < 0) {
        return err->code;
    }
    if (server_profile_read(run->meter.plain, &run->meter.server, &run->profile, err) < 0) {
        return err->code;
    }
    live_disk_add(&run->profile, run->meter.plain, &plan->vms[0].sql.url, &run->meter.server);
    run->cores = run->profile.cores > 0 && !proc_cpu_is_local(&plan->vms[0].sql.url)
                     ? run->profile.cores
                     : (uint32_t)(here > 0 ? here : 1);
    return 0;
}

int fidelity_live_run(const struct fidelity_live_options *options, struct fidelity_live *ret,
                      struct error *err)
{
    struct live_run *run = mem_zalloc(sizeof(*run));
    struct plan *plan = NULL;
    int code;

    memset(ret, 0, sizeof(*ret));
    ret->outcome.cell = &ret->cell;
    if (run == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a run");
    }
    run->options = options;
    run->ret = ret;
    code = plan_live(run, &plan, err);
    code = code == 0 ? ask(run, plan, err) : code;
    code = code == 0 ? measure(run, plan, err) : code;
    code = code == 0 ? model_all(run, err) : code;
    live_plan_free(plan);
    live_meter_close(&run->meter);
    mem_free(run);
    return code;
}
