#include "engine/calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "engine/load.h"
#include "live_disk.h"
#include "live_meter.h"
#include "live_plan.h"

/* Shares of the time: warming up, all users, one user; the rest is for connecting. */
#define SHARE_WARM   0.20
#define SHARE_ALL    0.50
#define SHARE_SINGLE 0.20
#define SECOND_NS    1000000000ll
/* Where nothing is told of a server's memory: its buffer is three quarters, as a VM config's. */
#define BUFFER_OF_MEMORY 0.75
/* Fewer pages written a transaction do not tell what writing one costs. */
#define PAGES_LEAST   0.05
#define WRITE_MOST_NS 1e7 /* what a scenario may say */
#define LOST          "nothing is written"

static void say(const struct calibrate_options *options, const char *text)
{
    if (options->say != NULL) {
        options->say(options->context, text);
    }
}

/* ---- figures ---- */

static const struct result_statement *statement_of(const struct result_vm *vm, const char *name)
{
    for (uint32_t i = 0; i < vm->statement_count; i++) {
        if (strcmp(vm->statements[i].name, name) == 0 && vm->statements[i].count > 0) {
            return &vm->statements[i];
        }
    }
    return NULL;
}

static double mean_of(const struct result_statement *row)
{
    return (double)row->sum_ns / (double)row->count;
}

/* Of all CPU between two readings, what is neither the connections' nor ours; 0: not known. */
static double background_share(const struct live_cpu *a, const struct live_cpu *b)
{
    double server_ns = (double)(b->server_ns - a->server_ns);
    double kernel_ns = fmax(0, (double)(b->kernel_ns - a->kernel_ns));
    double own_ns = (double)(b->own_ns - a->own_ns);

    if (a->sessions_ns < 0 || b->sessions_ns <= a->sessions_ns || server_ns <= 0) {
        return 0;
    }
    return fmax(0, server_ns - (double)(b->sessions_ns - a->sessions_ns) + kernel_ns) /
           (server_ns + kernel_ns + own_ns);
}

/*
 * Who asks, and the kernel that does the I/O, take their share of the same cores. What is not the
 * connections' own comes in bursts, as pages are written, and is charged to them.
 */
static void take_cpu(struct calibration *ret, const struct live_meter *meter)
{
    const struct live_cpu *a = &meter->before.cpu, *b = &meter->after.cpu;
    double n = (double)ret->transactions, own_ns, background_ns = 0;

    if (a->server_ns < 0 || b->server_ns <= a->server_ns) {
        return;
    }
    own_ns = (double)(b->own_ns - a->own_ns) / n;
    ret->cpu_ns = (double)(b->server_ns - a->server_ns) / n + own_ns +
                  fmax(0, (double)(b->kernel_ns - a->kernel_ns)) / n;
    if (ret->page_writes >= PAGES_LEAST) {
        background_ns = ret->cpu_ns * background_share(a, &meter->whole);
        ret->write_ns = background_ns / ret->page_writes;
        ret->cpu_ns -= background_ns;
        snprintf(ret->write_how, sizeof(ret->write_how),
                 "%.0fus a transaction of the server's background threads and the kernel's, over "
                 "%.2f pages written",
                 background_ns / 1e3, ret->page_writes);
    }
    snprintf(ret->cpu_how, sizeof(ret->cpu_how),
             "measured: CPU of the server's processes (%s), reads of pages included, %.0fus of "
             "this client%s, which have the same cores",
             meter->cpu.how, own_ns / 1e3, background_ns > 0 ? "" : " and the kernel's threads");
}

static void take_all(struct calibration *ret, const struct result *result,
                     const struct live_meter *meter)
{
    const struct target_facts *a = &meter->before.facts, *b = &meter->after.facts;
    const struct result_vm *vm = &result->vms[0];
    double n = (double)(vm->done + vm->rolled_back), statements = 0;

    for (uint32_t i = 0; i < vm->statement_count; i++) {
        statements += (double)vm->statements[i].count;
    }
    ret->transactions = vm->done + vm->rolled_back;
    ret->seconds = (double)(vm->sample_until_ns - vm->sample_from_ns) / (double)SECOND_NS;
    ret->tps = vm->tps;
    ret->mean_ns = vm->response.mean_ns;
    ret->p99_ns = (double)vm->response.p99_ns;
    ret->statements = statements / n;
    ret->page_reads = (double)(b->page_reads - a->page_reads) / n;
    ret->page_writes = (double)(b->pages_written - a->pages_written) / n;
    ret->log_bytes = (double)(b->log_bytes - a->log_bytes) / n;
    ret->log_writes = b->log_writes > 0 ? (double)(b->log_writes - a->log_writes) / n : -1;
    take_cpu(ret, meter);
}

/* Of the commits, those of transactions that change something: only they wait for the log. */
static double writing_share(const struct result_vm *vm, const struct plan_vm *plan)
{
    enum sysbench_mix mix = plan->model.sysbench.mix;
    uint64_t all = 0, reading = 0;

    if (plan->workload == PLAN_SYSBENCH) {
        return mix == SYSBENCH_READ_ONLY || mix == SYSBENCH_POINT_SELECT ? 0 : 1;
    }
    for (uint32_t i = 0; i < vm->txn_count; i++) {
        const struct result_txn *txn = &vm->txns[i];

        all += txn->done;
        reading += strcmp(txn->kind, "order_status") == 0 || strcmp(txn->kind, "stock_level") == 0
                       ? txn->done
                       : 0;
    }
    return all > 0 ? 1 - (double)reading / (double)all : 0;
}

/* A commit waits for the log, a BEGIN for the same wire and nothing: one client, no neighbour. */
static void take_flush(struct calibration *ret, const struct result_vm *vm,
                       const struct plan_vm *plan)
{
    const struct result_statement *commit = statement_of(vm, "commit");
    const struct result_statement *begin = statement_of(vm, "begin");
    double share = writing_share(vm, plan);

    if (commit == NULL || begin == NULL || share < 0.01) {
        snprintf(ret->flush_how, sizeof(ret->flush_how), "not measured: %s",
                 share < 0.01 ? "the workload only reads" : "no statement is a commit alone");
        return;
    }
    ret->round_trip_ns = mean_of(begin);
    ret->flush_ns = (mean_of(commit) - ret->round_trip_ns) / share;
    ret->flush_ns = ret->flush_ns > 0 ? ret->flush_ns : 0;
    snprintf(ret->flush_how, sizeof(ret->flush_how),
             "one user's COMMIT less BEGIN, over the %.0f %% of transactions that change rows",
             share * 100);
}

/* Where the server's CPU cannot be seen: the time of statements less the wire's. */
static void take_single_cpu(struct calibration *ret, const struct result_vm *vm,
                            const struct live_meter *meter)
{
    const struct result_statement *begin = statement_of(vm, "begin");
    double n = (double)(vm->done + vm->rolled_back), sum_ns = 0, reads;

    if (ret->cpu_ns >= 0 || begin == NULL) {
        return;
    }
    for (uint32_t i = 0; i < vm->statement_count; i++) {
        const struct result_statement *row = &vm->statements[i];

        if (row->count > 0 && strcmp(row->name, "commit") != 0 && mean_of(row) > mean_of(begin)) {
            sum_ns += (mean_of(row) - mean_of(begin)) * (double)row->count;
        }
    }
    reads = (double)(meter->after.facts.page_reads - meter->before.facts.page_reads) / n;
    ret->cpu_ns = sum_ns / n;
    snprintf(
        ret->cpu_how, sizeof(ret->cpu_how),
        "derived: one user's statements less a BEGIN's round trip, since %.110s; %.2f page reads "
        "a transaction are in it%s",
        meter->cpu.how, fmin(reads, 1e6), reads > 0.05 ? ", so it is an upper bound" : "");
}

static void take_single(struct calibration *ret, const struct result *result,
                        const struct plan *plan, const struct live_meter *meter)
{
    ret->single_tps = result->vms[0].tps;
    take_flush(ret, &result->vms[0], &plan->vms[0]);
    take_single_cpu(ret, &result->vms[0], meter);
}

static void take_host(struct calibration *ret, const struct live_meter *meter,
                      const struct sql_url *url)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
    bool here = proc_cpu_is_local(url);

    if (here || ret->profile.cores == 0) {
        ret->cores = cores > 0 ? (uint32_t)cores : 1;
        snprintf(ret->cores_how, sizeof(ret->cores_how), "%s",
                 here ? "this host's, where the server runs"
                      : "estimated: this host's; the server does not tell its own");
    } else {
        ret->cores = ret->profile.cores;
        snprintf(ret->cores_how, sizeof(ret->cores_how), "%.110s", ret->profile.cores_how);
    }
    if (here && pages > 0) {
        ret->memory_bytes = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
        snprintf(ret->memory_how, sizeof(ret->memory_how), "this host's");
    } else {
        ret->memory_bytes = (uint64_t)((double)meter->server.buffer_bytes / BUFFER_OF_MEMORY);
        snprintf(ret->memory_how, sizeof(ret->memory_how),
                 "estimated: the server does not tell; the model does not use it");
    }
}

static void add_cpu(struct calibration *ret)
{
    char value[UNITS_TEXT], each[UNITS_TEXT], how[160];
    double statement_ns = ret->statements > 0 ? ret->cpu_ns / ret->statements : 0;

    if (ret->cpu_ns <= 0 || statement_ns < 1) {
        return;
    }
    units_format_period((int64_t)(statement_ns / 10 + 0.5) * 10, value, sizeof(value));
    units_format_duration((int64_t)ret->cpu_ns, each, sizeof(each));
    snprintf(how, sizeof(how), "%s a transaction of %.1f statements; see above", each,
             ret->statements);
    server_profile_add(&ret->profile, "cpu_statement", value, how);
    server_profile_add(&ret->profile, "cpu_transaction", "0s", "by cpu_statement");
    if (ret->write_ns >= 100) {
        units_format_period((int64_t)(fmin(ret->write_ns, WRITE_MOST_NS) / 10 + 0.5) * 10, value,
                            sizeof(value));
        server_profile_add(&ret->profile, "cpu_page_write", value, ret->write_how);
    }
}

/* ---- all of it ---- */

static void describe(struct calibration *ret, const struct plan *plan,
                     const struct live_meter *meter)
{
    const struct plan_vm *vm = &plan->vms[0];
    const struct sysbench_settings *bench = &vm->model.sysbench;

    snprintf(ret->scenario, sizeof(ret->scenario), "%s", plan->name);
    plan_server(vm, ret->url, sizeof(ret->url));
    memcpy(ret->flavour, meter->server.flavour, sizeof(ret->flavour));
    memcpy(ret->version, meter->server.version, sizeof(ret->version));
    ret->users = vm->users;
    if (vm->workload == PLAN_TPCC && vm->users < vm->model.tpcc.warehouses * 10) {
        snprintf(ret->note, sizeof(ret->note),
                 "%u users are those of %u of the warehouses: page traffic is theirs alone.",
                 vm->users, (vm->users + 9) / 10);
    }
    if (vm->workload == PLAN_TPCC) {
        snprintf(ret->workload, sizeof(ret->workload), "TPC-C, %u warehouses",
                 vm->model.tpcc.warehouses);
    } else {
        snprintf(ret->workload, sizeof(ret->workload), "Sysbench, %u tables x %" PRIu64 " rows",
                 bench->tables, bench->rows);
    }
}

/* 0: the tables are there, and those of a load of rawtps. */
static int load_tables(const struct calibrate_options *options, const struct plan *plan,
                       struct error *err)
{
    struct load_options load = {.stop = options->stop};
    struct load_report report;

    if (!options->load) {
        return live_plan_look(plan, err);
    }
    say(options, "loading");
    return load_run(plan, 0, &load, &report, err);
}

static int measure_all(const struct calibrate_options *options, const struct plan *plan,
                       struct live_meter *meter, struct calibration *ret, struct error *err)
{
    struct result *result = mem_zalloc(sizeof(*result));
    int code;

    if (result == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a result");
    }
    say(options, "measuring with all users");
    code = live_meter_run(meter, plan, options->stop, LOST, result, err);
    if (code == 0) {
        take_all(ret, result, meter);
        result_free(result);
    }
    mem_free(result);
    return code;
}

static int measure_single(const struct calibrate_options *options, struct live_plan *live,
                          struct live_meter *meter, struct calibration *ret, struct error *err)
{
    struct result *result = mem_zalloc(sizeof(*result));
    struct plan *plan = NULL;
    int code;

    live->request.threads = "1";
    live->request.connections = NULL;
    live_plan_set(live, "target.connections=1");
    live_plan_set(live, "phases.precondition=1s");
    live_plan_set(live, "phases.sample=%" PRId64 "ns",
                  (int64_t)((double)options->length_ns * SHARE_SINGLE));
    code = result == NULL ? error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a result")
                          : live_plan_build(live, &plan, err);
    if (code == 0) {
        plan->vms[0].model.tpcc.wait_factor = 0; /* the user need not think */
        plan->vms[0].mean_think_ns = 0;
        say(options, "measuring with one user");
        code = live_meter_run(meter, plan, options->stop, LOST, result, err);
    }
    if (code == 0) {
        take_single(ret, result, plan, meter);
        result_free(result);
    }
    live_plan_free(plan);
    mem_free(result);
    return code;
}

static int measure(const struct calibrate_options *options, struct live_plan *live,
                   const struct plan *plan, struct calibration *ret, struct error *err)
{
    struct live_meter *meter = mem_zalloc(sizeof(*meter));
    int code = meter == NULL ? error_set(err, EXIT_FAILED, -ENOMEM, "no memory for counters")
                             : live_meter_open(meter, &plan->vms[0].sql.url, err);

    if (code < 0) {
        mem_free(meter);
        return code;
    }
    meter->say = options->watch;
    meter->context = options->context;
    code = server_profile_read(meter->plain, &meter->server, &ret->profile, err);
    live_disk_add(&ret->profile, meter->plain, &plan->vms[0].sql.url, &meter->server);
    if (plan->vms[0].workload == PLAN_TPCC) {
        server_profile_add(&ret->profile, "tpcc_tables", "rawtps", "by `rawtps load`");
    }
    describe(ret, plan, meter);
    code = code == 0 ? measure_all(options, plan, meter, ret, err) : code;
    code = code == 0 ? measure_single(options, live, meter, ret, err) : code;
    if (code == 0) {
        take_host(ret, meter, &plan->vms[0].sql.url);
        add_cpu(ret);
    }
    live_meter_close(meter);
    mem_free(meter);
    return code;
}

int calibrate_run(const struct calibrate_options *options, struct calibration *ret,
                  struct error *err)
{
    struct live_plan *live = mem_zalloc(sizeof(*live));
    struct plan *plan = NULL;
    int code;

    *ret = (struct calibration){.cpu_ns = -1, .flush_ns = -1, .round_trip_ns = -1};
    if (live == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the plan");
    }
    code = live_plan_open(live, options->request, options->load, err);
    if (code == 0) {
        live_plan_set(live, "phases.precondition=%" PRId64 "ns",
                      (int64_t)((double)options->length_ns * SHARE_WARM));
        live_plan_set(live, "phases.sample=%" PRId64 "ns",
                      (int64_t)((double)options->length_ns * SHARE_ALL));
        code = live_plan_build(live, &plan, err);
    }
    code = code == 0 ? load_tables(options, plan, err) : code;
    code = code == 0 ? measure(options, live, plan, ret, err) : code;
    live_plan_free(plan);
    mem_free(live);
    return code;
}
