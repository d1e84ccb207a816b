#include "sample_result.h"

#include "base/mem.h"
#include "base/must.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const sample_kinds[SAMPLE_KINDS] = {"new_order", "payment",     "order_status",
                                                "delivery",  "stock_level", "deferred"};
static const uint32_t weights[SAMPLE_KINDS] = {10, 10, 1, 1, 1, 1};

static void set(char *to, size_t size, const char *word)
{
    snprintf(to, size, "%s", word);
}
#define SET(field, word) set(field, sizeof(field), word)

void sample_hist(uint32_t vm, uint32_t second, uint32_t kind, struct hist *ret)
{
    uint32_t count = weights[kind] * (2 + (second * 7 + vm) % 3);

    hist_init(ret);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = (vm * 31 + second * 1709 + kind * 101 + i * 13) * 7919u % 10007u;

        hist_record(ret, 5000000 + (int64_t)x * 1000 * (x % 97 == 0 ? 4 : 1));
    }
}

static void add_interval(uint32_t vm, uint32_t second, struct result_interval *row,
                         struct hist *all)
{
    struct hist hist;

    for (uint32_t k = 0; k < SAMPLE_KINDS - 1; k++) {
        sample_hist(vm, second, k, &hist);
        hist_merge(all, &hist);
        row->done += hist.count - (k == 0);
        row->rolled_back += k == 0;
        row->due += hist.count;
    }
    row->retries += second % 10 == 0;
    row->read_bytes += 8192 * (100 + vm);
    row->write_bytes += 8192 * 50 + 4096 * 40;
    row->flushes += 40;
}

void sample_interval(int32_t vm, uint32_t second, struct result_interval *ret)
{
    struct hist *all = mem_zalloc(sizeof(*all));
    uint32_t from = vm < 0 ? 0 : (uint32_t)vm, to = vm < 0 ? SAMPLE_VMS : from + 1;

    *ret = (struct result_interval){.start_ns = (SAMPLE_FROM_S + (int64_t)second) * 1000000000,
                                    .length_ns = 1000000000,
                                    .vm = vm,
                                    .hit_ratio = 0.93};
    SET(ret->phase, "sample");
    for (uint32_t v = from; v < to; v++) {
        add_interval(v, second, ret, all);
    }
    ret->tps = (double)ret->done;
    ret->mean_ns = hist_mean(all);
    ret->stddev_ns = hist_stddev(all);
    ret->p50_ns = hist_quantile(all, 0.5);
    ret->p95_ns = hist_quantile(all, 0.95);
    ret->p99_ns = hist_quantile(all, 0.99);
    ret->p99_9_ns = hist_quantile(all, 0.999);
    ret->max_ns = all->max_ns;
    mem_free(all);
}

static void of_kind(uint32_t from, uint32_t to, uint32_t kind, struct hist *ret)
{
    struct hist hist;

    hist_init(ret);
    for (uint32_t v = from; v < to; v++) {
        for (uint32_t s = 0; s < SAMPLE_SECONDS; s++) {
            sample_hist(v, s, kind, &hist);
            hist_merge(ret, &hist);
        }
    }
}

static void fill_txns(struct result_vm *vm, uint32_t from, uint32_t to)
{
    struct hist kind, all;

    hist_init(&all);
    for (uint32_t k = 0; k < SAMPLE_KINDS; k++) {
        struct result_txn *txn = &vm->txns[k];

        of_kind(from, to, k, &kind);
        SET(txn->kind, sample_kinds[k]);
        txn->deferred = k == SAMPLE_KINDS - 1;
        txn->rolled_back = k == 0 ? (to - from) * SAMPLE_SECONDS : 0;
        txn->done = kind.count - txn->rolled_back;
        txn->open = k == 0 ? to - from : 0;
        txn->due = kind.count + txn->open;
        txn->retries = k == 0 ? (to - from) * SAMPLE_SECONDS / 10 : 0;
        txn->p90_limit_ns = k == 4 ? 20000000000 : k == 5 ? 80000000000 : 5000000000;
        txn->spent_ns[0] = kind.sum_ns / 10;
        txn->spent_ns[1] = kind.sum_ns / 100;
        txn->spent_ns[2] = kind.sum_ns / 2;
        txn->spent_ns[3] = kind.sum_ns / 5;
        result_latency_of(&txn->response, &kind);
        result_latency_of(&txn->service, &kind);
        if (k < SAMPLE_KINDS - 1) {
            hist_merge(&all, &kind);
        }
    }
    vm->txn_count = SAMPLE_KINDS;
    result_latency_of(&vm->response, &all);
    result_latency_of(&vm->service, &all);
}

static void fill_io(struct result_vm *vm, const char *verb, const char *area, uint64_t count,
                    uint32_t bytes, int64_t latency_ns)
{
    struct result_io *io = &vm->ios[vm->io_count++];
    struct hist hist;

    hist_init(&hist);
    for (uint64_t i = 0; i < count; i++) {
        hist_record(&hist, latency_ns + (int64_t)(i % 100) * latency_ns / 50);
    }
    SET(io->verb, verb);
    SET(io->area, area);
    io->count = count;
    io->bytes = count * bytes;
    io->size_count = bytes > 0;
    io->sizes[0].bytes = bytes;
    io->sizes[0].count = bytes > 0 ? count : 0;
    result_latency_of(&io->latency, &hist);
}

static void fill_steady(struct result_steady *steady)
{
    SET(steady->preset, "snia");
    steady->rounds = 30;
    steady->range_share = 0.031;
    steady->excursion_share = 0.004;
    steady->drift_share = -0.001;
    steady->drift_p = 0.44;
    steady->judged = steady->reached = true;
}

static void fill_vm(struct result_vm *vm, uint32_t from, uint32_t to)
{
    uint32_t n = to - from, extra = 0;

    vm->sample_from_ns = SAMPLE_FROM_S * INT64_C(1000000000);
    vm->sample_until_ns = (SAMPLE_FROM_S + SAMPLE_SECONDS) * INT64_C(1000000000);
    vm->users = 400 * n;
    SET(vm->ended, "complete");
    SET(vm->config, "sqlserver-16c64g");
    SET(vm->host, "rig7");
    for (uint32_t v = from; v < to; v++) {
        extra += v;
    }
    fill_txns(vm, from, to);
    fill_io(vm, "read", "data", SAMPLE_SECONDS * (100 * n + extra), 8192, 90000);
    fill_io(vm, "write", "data", SAMPLE_SECONDS * 50 * n, 8192, 15000);
    fill_io(vm, "write", "log", SAMPLE_SECONDS * 40 * n, 4096, 14000);
    fill_io(vm, "flush", "log", SAMPLE_SECONDS * 40 * n, 0, 1000);
    vm->audit.think_mean_ns =
        (double)vm->users * SAMPLE_SECONDS * 1e9 / (double)vm->response.count -
        vm->response.mean_ns;
    vm->tps_cv = 0.021;
    vm->worst_second_tps = 45 * n;
    fill_steady(&vm->steady);
    vm->integrity.checked = true;
    vm->integrity.stamps_checked = SAMPLE_SECONDS * (100 * n + extra);
    result_fact_set(vm, "page_accesses", 85714.0 * n);
    result_fact_set(vm, "page_hits", 79714.0 * n);
    result_fact_set(vm, "page_reads", SAMPLE_SECONDS * (100.0 * n + extra));
    result_fact_set(vm, "log_bytes", SAMPLE_SECONDS * 40.0 * n * 4096);
    result_fact_set(vm, "lock_waits", 30.0 * n);
    result_fact_set(vm, "deadlocks", 2.0 * n);
    result_fact_set(vm, "commits_waited", 4000.0 * n);
    result_fact_set(vm, "commit_groups", 2400.0 * n);
    result_fact_set(vm, "checkpoints", n);
    result_fact_set(vm, "cpu_busy_ns", 96e9 * n);
    result_fact_set(vm, "cores", 16.0 * n);
    result_fact_set(vm, "dirty_share", 0.1);
    result_fact_set(vm, "not_known", NAN);
}

static void fill_run(struct result *ret)
{
    static const char *const words[] = {"rawtps", "run", "scenarios/tpcc-1500-4vm.yaml",
                                        "--virtual"};

    SET(ret->run.id, "20261130T091500Z-tpcc-1500-4vm-7f3a");
    SET(ret->run.tool, "rawtps");
    SET(ret->run.version, "0.1.0");
    SET(ret->run.build_id, "b17d");
    SET(ret->run.label, "fw 2.0.3");
    SET(ret->run.ended, "complete");
    SET(ret->run.started_utc, "2026-11-30T09:15:00Z");
    ret->run.seed = 18446744073709551557u; /* above 2^63 */
    ret->run.virtual_time = true;
    ret->run.wall_ns = 92000000000;
    ret->run.cpu_ns = 91000000000;
    ret->run.memory_bytes = 1200000000;
    ret->run.peak_memory_bytes = 1100000000;
    ret->run.command = mem_array(4, sizeof(char *));
    must(ret->run.command);
    for (uint32_t i = 0; i < 4; i++) {
        ret->run.command[i] = mem_strdup(words[i]);
    }
    ret->run.command_count = 4;
}

static void fill_scenario(struct result *ret)
{
    SET(ret->scenario.name, "tpcc-1500-4vm");
    SET(ret->scenario.sha256, "9f3c0a51d2e4b6879f3c0a51d2e4b6879f3c0a51d2e4b6879f3c0a51d2e4b687");
    SET(ret->scenario.basis, "published");
    SET(ret->scenario.scale, "1");
    ret->scenario.text = mem_strdup("name: tpcc-1500-4vm\n# \"quoted\" \\ and µ\n");
    ret->scenario.comparable = true;
    SET(ret->scenario.configs[0].name, "sqlserver-16c64g");
    SET(ret->scenario.configs[0].sha256, "77aa");
    ret->scenario.configs[0].text = mem_strdup("name: sqlserver-16c64g\n");
    ret->scenario.config_count = 1;
    SET(ret->phases[0].name, "precondition");
    SET(ret->phases[0].rule, "fixed");
    ret->phases[0].until_ns = 30000000000;
    ret->phases[0].requested_ns = 9000000000000;
    ret->phases[0].bytes_written = 400000000;
    SET(ret->phases[1].name, "sample");
    SET(ret->phases[1].rule, "fixed");
    ret->phases[1].from_ns = 30000000000;
    ret->phases[1].until_ns = 90000000000;
    ret->phases[1].requested_ns = 60000000000;
    ret->phase_count = 2;
}

static void fill_place(struct result *ret)
{
    struct result_drive *drive = &ret->drives[0];

    SET(ret->host.hostname, "rig7");
    SET(ret->host.kernel, "6.1.0-28");
    SET(ret->host.cpu_model, "EPYC 7402P");
    ret->host.cores = 24;
    ret->host.memory_bytes = 134000000000;
    SET(drive->kind, "sim");
    SET(drive->model, "H3201");
    SET(drive->form_factor, "E1.S");
    SET(drive->firmware, "2.0.3");
    SET(drive->flush, "no-op (no volatile cache)");
    drive->capacity_bytes = 3840000000000;
    drive->logical_block_bytes = 512;
    drive->physical_block_bytes = 4096;
    drive->write_amplification = 1.84;
    ret->drive_count = 1;
    ret->precondition.bytes_written = 7680000000000;
    ret->precondition.capacity_share = 2.0;
    ret->precondition.idle_before_s = NAN;
}

void sample_tpcc(struct result *ret, uint32_t vm_count)
{
    struct error err;

    must(vm_count <= SAMPLE_VMS && result_init(ret, vm_count, &err) == 0);
    fill_run(ret);
    fill_scenario(ret);
    fill_place(ret);
    for (uint32_t v = 0; v < vm_count; v++) {
        snprintf(ret->vms[v].name, sizeof(ret->vms[v].name), "vm%u", v);
        fill_vm(&ret->vms[v], v, v + 1);
    }
    fill_vm(&ret->aggregate, 0, vm_count);
    result_check(ret, "tpcc.share.new_order", "vm0", 43.48, 43.5, 0.5, true, EXIT_WANTING);
    result_check(ret, "new orders = orders", "vm0", 1200, 1200, 0, true, EXIT_WRONG_DATA);
    result_derive(ret);
}

void sample_block(struct result *ret)
{
    struct hist all, second;
    struct result_vm *vm;
    struct error err;

    must(result_init(ret, 1, &err) == 0);
    fill_run(ret);
    fill_scenario(ret);
    fill_place(ret);
    SET(ret->scenario.name, "block-8k-70-30");
    SET(ret->scenario.scale, "1/400");
    ret->scenario.comparable = false;
    ret->run.virtual_time = false;
    SET(ret->drives[0].kind, "nvme");
    SET(ret->drives[0].path, "/dev/nvme1n1");
    SET(ret->drives[0].serial, "S5XX0417");
    SET(ret->drives[0].how, "uring, batch 32, fixed buffers");
    vm = &ret->vms[0];
    SET(vm->name, "vm0");
    fill_vm(vm, 0, 1);
    vm->fact_count = 0;
    vm->integrity.checked = false;
    vm->steady.judged = false;
    for (uint32_t k = 0; k < SAMPLE_KINDS; k++) {
        memset(vm->txns[k].spent_ns, 0, sizeof(vm->txns[k].spent_ns));
        vm->txns[k].p90_limit_ns = 0;
    }
    vm->txn_count = 2;
    SET(vm->txns[0].kind, "read");
    SET(vm->txns[1].kind, "write");
    of_kind(0, 1, 0, &all);
    of_kind(0, 1, 1, &second);
    hist_merge(&all, &second);
    result_latency_of(&vm->response, &all);
    vm->audit.think_mean_ns = 0;
    vm->users = 32;
    vm->sample_until_ns = vm->sample_from_ns + vm->response.sum_ns / 32;
    ret->aggregate = *vm;
    SET(ret->aggregate.name, "all");
    result_derive(ret);
}
