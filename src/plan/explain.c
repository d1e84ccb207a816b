#include "plan/plan.h"

#include "base/units.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COLUMN = 16 };

struct explain {
    const struct plan *plan;
    struct text *out;
};

static const char *decimal(uint64_t bytes, char buf[UNITS_TEXT])
{
    return units_format_size_decimal(bytes, buf, UNITS_TEXT);
}

static const char *binary(uint64_t bytes, char buf[UNITS_TEXT])
{
    return units_format_size(bytes, buf, UNITS_TEXT);
}

/* What somebody chose, as he would say it: "3.84 TB", "1536 MiB" is "1.5 GiB"; else rounded. */
static const char *chosen(uint64_t bytes, char buf[UNITS_TEXT])
{
    size_t digits;
    char exact[UNITS_TEXT];

    units_format_size_exact(bytes, exact, sizeof(exact));
    digits = strspn(exact, "0123456789.");
    if (exact[digits] == '\0') {
        return decimal(bytes, buf);
    }
    snprintf(buf, UNITS_TEXT, "%.*s %s", (int)digits, exact, exact + digits);
    return buf;
}

static const char *period(int64_t ns, char buf[UNITS_TEXT])
{
    return units_format_period(ns, buf, UNITS_TEXT);
}

static const char *count(uint64_t value, char buf[UNITS_TEXT])
{
    return units_format_count(value, buf, UNITS_TEXT);
}

static void line(struct text *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void line(struct text *out, const char *name, const char *format, ...)
{
    va_list args;

    text_addf(out, "  %-*s", NAME_COLUMN, name);
    va_start(args, format);
    text_addv(out, format, args);
    va_end(args);
    text_add_char(out, '\n');
}

/* ---- what a run comes to ---- */

/* Page writes and log bytes a transaction at the labs' scale (MODEL.md 10.2): estimates. */
static double written_per_txn(const struct plan_vm *vm)
{
    static const double tpcc_pages[MODEL_PROFILES] = {
        [MODEL_INNODB] = 3.8, [MODEL_POSTGRES] = 3.6, [MODEL_SQLSERVER] = 5.6};
    static const double tpcc_log[MODEL_PROFILES] = {
        [MODEL_INNODB] = 6300, [MODEL_POSTGRES] = 30000, [MODEL_SQLSERVER] = 4000};
    const struct model_settings *model = &vm->model;
    double page_bytes = model->page_bytes;

    if (model->profile == MODEL_INNODB && model->doublewrite) {
        page_bytes *= 2;
    }
    if (model->is_tpcc) {
        return tpcc_pages[model->profile] * page_bytes + tpcc_log[model->profile];
    }
    return model->sysbench.mix == SYSBENCH_READ_ONLY || model->sysbench.mix == SYSBENCH_POINT_SELECT
               ? 0
               : (model->profile == MODEL_INNODB ? 3.5 : 5.0) * page_bytes + 2000;
}

static double cpu_limit_tps(const struct plan_vm *vm)
{
    const struct model_settings *model = &vm->model;
    double cpu_ns = model->cpu_txn_ns > 0
                        ? (double)model->cpu_txn_ns
                        : (double)model->cpu_statement_ns * (model->is_tpcc ? 28 : 20);

    return cpu_ns > 0 ? (double)vm->vcpus * 1e9 / cpu_ns : 0;
}

static double ceiling_tps(const struct plan_vm *vm)
{
    return vm->mean_think_ns > 0 ? (double)vm->users * 1e9 / vm->mean_think_ns : 0;
}

/* Most transactions a second that a VM can come to; 0: nothing but the drive bounds it. */
static double most_tps(const struct plan_vm *vm)
{
    double cpu = vm->target == PLAN_MODEL ? cpu_limit_tps(vm) : 0, think = ceiling_tps(vm);

    if (vm->arrivals != PLAN_CLOSED) {
        return vm->rate_per_s;
    }
    return think > 0 && (cpu == 0 || think < cpu) ? think : cpu;
}

/* ---- sections ---- */

static void explain_head(struct explain *explain)
{
    const struct plan *plan = explain->plan;
    struct text *out = explain->out;
    bool tpcc = false;

    text_addf(out, "%s: %s\n", plan->name, plan->about[0] != '\0' ? plan->about : "no description");
    for (uint32_t i = 0; i < plan->vm_count; i++) {
        tpcc |= plan->vms[i].workload == PLAN_TPCC;
    }
    if (tpcc) {
        text_add(out, "TPC-C-derived; not comparable with published TPC results.\n");
    }
    text_add_char(out, '\n');
    line(out, "scenario", "%s (basis: %s, sha256 %.12s)", plan->path, plan->basis, plan->sha256);
    line(out, "time", "%s", plan->virtual_time ? "virtual" : "real");
    line(out, "scale", "%s%s", plan->scale_text,
         plan->scale_fitted ? " (the largest that fits)" : "");
    line(out, "seed", "%" PRIu64, plan->seed);
}

static void explain_drive(struct explain *explain)
{
    const struct plan *plan = explain->plan;
    struct text *out = explain->out;
    char size[UNITS_TEXT];

    if (plan->drive == PLAN_DRIVE_NONE) {
        return;
    }
    if (plan->drive == PLAN_DRIVE_SIM) {
        line(out, "drive", "simulated like %s (%s%s%s), %s", plan->drive_like, plan->sim.model,
             plan->form_factor[0] ? ", " : "", plan->form_factor,
             chosen(plan->drive_capacity_bytes, size));
    } else if (plan->drive == PLAN_DRIVE_NULL) {
        char latency[UNITS_TEXT];

        line(out, "drive", "null: answers after %s, moves nothing",
             units_format_duration(plan->null_latency_ns, latency, sizeof(latency)));
    } else {
        line(out, "drive", "%s, %s, io_uring with O_DIRECT, stamps %s", plan->drive_path,
             chosen(plan->drive_capacity_bytes, size), plan->stamps ? "on" : "off");
    }
}

static const char *workload_words(const struct plan_vm *vm, char *buf, size_t size)
{
    char rows[UNITS_TEXT];
    const struct sysbench_settings *sysbench = &vm->model.sysbench;

    if (vm->workload == PLAN_TPCC) {
        snprintf(buf, size, "TPC-C, %u warehouses, %s", vm->model.tpcc.warehouses,
                 vm->model.tpcc.deck ? "deck" : "weights");
    } else if (vm->workload == PLAN_SYSBENCH) {
        snprintf(buf, size, "Sysbench %s, %u tables x %s rows, ids %s",
                 sysbench_mix_names[sysbench->mix], sysbench->tables, count(sysbench->rows, rows),
                 dist_names[sysbench->rand_type]);
    } else if (vm->workload == PLAN_TPCB) {
        snprintf(buf, size, "TPC-B as pgbench has it (%s), scale %u", tpcb_mix_names[vm->tpcb.mix],
                 vm->tpcb.scale);
    } else {
        snprintf(buf, size, "block, %u stream%s", vm->block.stream_count,
                 vm->block.stream_count == 1 ? "" : "s");
    }
    return buf;
}

static bool alike(const struct plan_vm *a, const struct plan_vm *b)
{
    return a->target != PLAN_SQL && a->users == b->users && a->bytes == b->bytes &&
           strcmp(a->config, b->config) == 0;
}

static void explain_tables(struct text *out, const struct plan_vm *vm)
{
    const struct model_footprint *footprint = &vm->footprint;

    text_addf(out, "\n  %-20s %14s %14s %12s %10s\n", "table or index", "rows", "pages",
              "rows a page", "size");
    for (uint32_t i = 0; i < footprint->table_count; i++) {
        char rows[UNITS_TEXT], pages[UNITS_TEXT], size[UNITS_TEXT];

        text_addf(out, "  %-20s %14s %14s %12u %10s\n", footprint->tables[i].name,
                  count(footprint->tables[i].rows, rows), count(footprint->tables[i].pages, pages),
                  footprint->tables[i].rows_per_page,
                  decimal(footprint->tables[i].pages * vm->model.page_bytes, size));
    }
}

static void explain_model(struct text *out, const struct plan_vm *vm)
{
    const struct model_footprint *footprint = &vm->footprint;
    char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT], d[UNITS_TEXT];
    double think = ceiling_tps(vm), cpu = cpu_limit_tps(vm);

    line(out, "database", "%s as loaded, %s with growth; log %s, doublewrite %s",
         decimal(footprint->database_bytes, a), decimal(footprint->data_bytes, b),
         chosen(footprint->log_bytes, c), chosen(footprint->doublewrite_bytes, d));
    line(out, "model", "%s, %s pages, buffer %s = %s frames",
         model_profile_names[vm->model.profile], binary(vm->model.page_bytes, a),
         chosen(vm->model.buffer_bytes, b), count(footprint->frames, c));
    if (think > 0) {
        line(out, "ceiling", "users / Z = %s / %.4gs = %.1f TPS", count(vm->users, a),
             vm->mean_think_ns * 1e-9, think);
    }
    if (cpu > 0) {
        line(out, "CPU", "%u vCPUs carry at most %.0f TPS", vm->vcpus, cpu);
    }
}

static void explain_block(struct text *out, const struct plan_vm *vm)
{
    char size[UNITS_TEXT];

    line(out, "range", "%s", chosen(vm->block.range_bytes, size));
    for (uint32_t i = 0; i < vm->block.stream_count; i++) {
        const struct block_stream *stream = &vm->block.streams[i];

        line(out, "stream", "%s: %.4g %% of requests, %.4g %% reads, %.4g %% random, %s%s",
             stream->name, stream->share * 100, stream->read * 100, stream->random * 100,
             chosen(stream->read > 0 ? stream->read_sizes[0].bytes : stream->write_sizes[0].bytes,
                    size),
             stream->read_size_count > 1 || stream->write_size_count > 1 ? " and other sizes" : "");
    }
}

static void explain_server(struct text *out, const struct plan_vm *vm)
{
    const struct plan_sql *sql = &vm->sql;
    char connections[UNITS_TEXT];
    struct text url = {0};
    double think = ceiling_tps(vm);

    sql_url_print(&sql->url, &url);
    line(out, "server", "%s", text_string(&url));
    text_free(&url);
    if (sql->connections > 0) {
        line(out, "connections", "%s, by %u loop%s", count(sql->connections, connections),
             sql->loops, sql->loops == 1 ? "" : "s");
    } else {
        line(out, "connections", "one a user, up to the server's limit; by %u loop%s", sql->loops,
             sql->loops == 1 ? "" : "s");
    }
    line(out, "statements", "%s%s%s%s", sql->prepared ? "prepared" : "text",
         sql->pipeline ? ", pipelined" : "", sql->procedures ? ", stored procedures" : "",
         sql->autocommit ? ", autocommit" : "");
    if (think > 0) {
        line(out, "ceiling", "users / Z = %u / %.4gs = %.1f TPS", vm->users,
             vm->mean_think_ns * 1e-9, think);
    }
}

static void explain_vm(struct explain *explain, uint32_t first, uint32_t last)
{
    const struct plan *plan = explain->plan;
    const struct plan_vm *vm = &plan->vms[first];
    struct text *out = explain->out;
    char words[160], a[UNITS_TEXT], b[UNITS_TEXT];

    text_addf(out, first == last ? "\n%s" : "\n%s to %s, each", vm->name, plan->vms[last].name);
    if (vm->config[0] != '\0') {
        text_addf(out, " (%s: %u vCPUs, %s)", vm->config, vm->vcpus, chosen(vm->memory_bytes, a));
    }
    text_add_char(out, '\n');
    line(out, "workload", "%s", workload_words(vm, words, sizeof(words)));
    if (vm->arrivals == PLAN_CLOSED) {
        line(out, vm->target == PLAN_BARE ? "outstanding" : "users", "%s", count(vm->users, a));
    } else {
        line(out, "offered", "%.6g/s, %s, at most %s at once", vm->rate_per_s,
             vm->arrivals == PLAN_POISSON ? "Poisson" : "constant", count(vm->users, a));
    }
    if (vm->work_transactions > 0) {
        line(out, "work", "ends after %s transactions", count(vm->work_transactions, a));
    }
    for (uint32_t i = 0; i < vm->disk_count; i++) {
        line(out, i == 0 ? "disks" : "", "%s %s, from %s", vm->disks[i].role,
             chosen(vm->disks[i].bytes, a), chosen(vm->disks[i].from_bytes, b));
    }
    if (vm->target == PLAN_MODEL) {
        explain_model(out, vm);
        explain_tables(out, vm);
    } else if (vm->target == PLAN_SQL) {
        explain_server(out, vm);
    } else {
        explain_block(out, vm);
    }
}

static void explain_vms(struct explain *explain)
{
    const struct plan *plan = explain->plan;
    uint32_t last;

    for (uint32_t i = 0; i < plan->vm_count; i = last + 1) {
        last = i;
        while (last + 1 < plan->vm_count && alike(&plan->vms[i], &plan->vms[last + 1])) {
            last++;
        }
        explain_vm(explain, i, last);
    }
}

static const char *phase_end(const struct plan_phase *phase, char *buf, size_t size)
{
    char length[UNITS_TEXT], amount[UNITS_TEXT];

    switch (phase->rule) {
    case RULE_DONE:
        snprintf(buf, size,
                 phase->kind == PHASE_FILL ? "until %s are written"
                                           : "until the hit ratio is stable; takes no time",
                 decimal(phase->amount_bytes, amount));
        break;
    case RULE_STEADY:
        snprintf(buf, size, "until throughput and latency are steady (%s), at most %s",
                 phase->preset, period(phase->length_ns, length));
        break;
    case RULE_AMOUNT:
        snprintf(buf, size, "until %s are written, at most %s",
                 decimal(phase->amount_bytes, amount), period(phase->length_ns, length));
        break;
    default:
        snprintf(buf, size, "%s", period(phase->length_ns, length));
    }
    return buf;
}

static void explain_phases(struct explain *explain)
{
    const struct plan *plan = explain->plan;
    struct text *out = explain->out;
    char end[120], asked[UNITS_TEXT], fill[UNITS_TEXT];
    int64_t total_ns = 0;

    text_add(out, "\nphases\n");
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct plan_phase *phase = &plan->phases[i];

        phase_end(phase, end, sizeof(end));
        if (phase->requested_ns > 0) {
            line(out, phase->name, "%s (asked: %s)", end, period(phase->requested_ns, asked));
        } else {
            line(out, phase->name, "%s", end);
        }
        total_ns += phase->rule == RULE_DONE ? 0 : phase->length_ns;
    }
    units_format_clock(total_ns, end, sizeof(end));
    if (plan->virtual_time) {
        line(out, "duration", "%s of virtual time", end);
    } else if (plan->fill_bytes > 0) {
        line(out, "duration", "at most %s, and the fill of %s", end,
             decimal(plan->fill_bytes, fill));
    } else {
        line(out, "duration", "at most %s", end);
    }
}

static void explain_written(struct explain *explain)
{
    const struct plan *plan = explain->plan;
    double seconds = 0, bytes = 0;
    char a[UNITS_TEXT], b[UNITS_TEXT];

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        seconds += plan->phases[i].rule == RULE_DONE ? 0 : (double)plan->phases[i].length_ns * 1e-9;
    }
    for (uint32_t i = 0; i < plan->vm_count; i++) {
        const struct plan_vm *vm = &plan->vms[i];

        bytes += vm->target == PLAN_MODEL ? most_tps(vm) * written_per_txn(vm) * seconds : 0;
    }
    if (plan->drive == PLAN_DRIVE_NONE) {
        text_add(explain->out, "\nused\n");
        return;
    }
    text_add(explain->out, "\nwritten and used\n");
    line(explain->out, "on the drive", "%s = %.1f %% of its %s", decimal(plan->footprint_bytes, a),
         100.0 * (double)plan->footprint_bytes / (double)plan->drive_capacity_bytes,
         decimal(plan->drive_capacity_bytes, b));
    if (!plan->writes) {
        line(explain->out, "written", "nothing: the scenario only reads");
        return;
    }
    line(explain->out, "by filling", "%s",
         plan->fill_bytes > 0 ? decimal(plan->fill_bytes, a) : "nothing");
    if (bytes > 0) {
        line(explain->out, "by running",
             "some %s (a third to three times that), if CPU and think times are the bound, else "
             "less",
             decimal((uint64_t)bytes, a));
    } else {
        line(explain->out, "by running", "what the drive takes");
    }
}

static void explain_memory(struct explain *explain)
{
    const struct plan *plan = explain->plan;
    char a[UNITS_TEXT];

    line(explain->out, "memory", "%s of this machine, planned", binary(plan->memory_bytes, a));
    for (uint32_t i = 0; i < plan->vm_count; i++) {
        const struct plan_vm *vm = &plan->vms[i];

        if (i == 0 || !alike(vm, &plan->vms[i - 1])) {
            line(explain->out, "", "%s for %s%s", binary(vm->memory_needed_bytes, a), vm->name,
                 i + 1 < plan->vm_count && alike(&plan->vms[i + 1], vm) ? " and each VM like it"
                                                                        : "");
        }
    }
}

static void explain_choices(struct explain *explain)
{
    const struct plan *plan = explain->plan;

    text_add(explain->out, "\nkeys (at full scale; database: of the first VM, as it is run)\n");
    for (uint32_t i = 0; i < plan->choice_count; i++) {
        const struct plan_choice *choice = &plan->choices[i];

        text_addf(explain->out, "  %-28s %-28s %s\n", choice->path, choice->value, choice->from);
    }
}

void plan_explain(const struct plan *plan, struct text *ret)
{
    struct explain explain = {.plan = plan, .out = ret};

    explain_head(&explain);
    explain_drive(&explain);
    explain_vms(&explain);
    explain_phases(&explain);
    explain_written(&explain);
    explain_memory(&explain);
    explain_choices(&explain);
    for (uint32_t i = 0; i < plan->warning_count; i++) {
        text_addf(ret, "%swarning: %s\n", i == 0 ? "\n" : "", plan->warnings[i]);
    }
}
