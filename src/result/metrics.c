#include "metrics.h"

#include "stats/little.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double seconds_of(const struct result_vm *vm)
{
    return ((double)vm->sample_until_ns - (double)vm->sample_from_ns) / 1e9;
}

static double per_second(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds : 0;
}

static void totals(struct result_vm *vm)
{
    vm->due = vm->open = vm->done = vm->rolled_back = vm->failed = vm->skipped = vm->retries = 0;
    for (uint32_t i = 0; i < vm->txn_count; i++) {
        const struct result_txn *txn = &vm->txns[i];

        if (!txn->deferred) {
            vm->due += txn->due;
            vm->done += txn->done;
            vm->rolled_back += txn->rolled_back;
            vm->failed += txn->failed;
            vm->skipped += txn->skipped;
            vm->retries += txn->retries;
            vm->open += txn->open;
        }
    }
}

static void rates(struct result_vm *vm)
{
    double seconds = seconds_of(vm);
    uint64_t count = 0, read_bytes = 0, write_bytes = 0;

    for (uint32_t i = 0; i < vm->io_count; i++) {
        const struct result_io *io = &vm->ios[i];
        bool reads = strcmp(io->verb, "read") == 0, writes = strcmp(io->verb, "write") == 0;

        count += reads || writes ? io->count : 0;
        read_bytes += reads ? io->bytes : 0;
        write_bytes += writes ? io->bytes : 0;
    }
    vm->tps = per_second((double)vm->done, seconds);
    vm->iops = per_second((double)count, seconds);
    vm->mb_s = per_second((double)(read_bytes + write_bytes) / 1e6, seconds);
    vm->read_mb_s = per_second((double)read_bytes / 1e6, seconds);
    vm->write_mb_s = per_second((double)write_bytes / 1e6, seconds);
}

void metrics_of_vm(struct result_vm *vm)
{
    double hits = result_fact(vm, "page_hits"), accesses = result_fact(vm, "page_accesses");

    totals(vm);
    rates(vm);
    if (accesses > 0 && hits >= 0 && vm->fact_count < RESULT_FACTS) {
        result_fact_set(vm, "hit_ratio", hits / accesses);
    }
}

static double ended_per_second(const struct result_vm *vm)
{
    return per_second((double)vm->response.count, seconds_of(vm));
}

/*
 * N = X (R + Z). X counts whatever ended with a response time, so that X R is the mean number under
 * way whatever became of them. What ended in the sample is counted whole, with the time before it
 * began, and that stands for the time in it of those that end later; by how much the two may differ
 * where nothing changes is little_cut_off(). Where the end cuts off more than the beginning, as
 * when a drive stalls, audit.cut_off says how many users are missing.
 */
static void audit_with(struct result_vm *vm, double x)
{
    struct result_audit *audit = &vm->audit;
    double seconds = seconds_of(vm), n = (double)vm->users, off, held, noise;
    bool open_loop = strcmp(audit->verdict, "open loop") == 0;
    bool work_bound = strcmp(audit->verdict, "work-bound") == 0; /* whose users are idle at last */

    audit->users = vm->users;
    audit->response_mean_ns = vm->response.mean_ns;
    /* an open loop's users do not think: they are there for the next that is due */
    audit->concurrency =
        little_concurrency(x, audit->response_mean_ns, open_loop ? 0 : audit->think_mean_ns);
    audit->ratio = audit->ceiling_tps = audit->ceiling_share = 0;
    if (open_loop) {
        return;
    }
    audit->ratio = n > 0 ? audit->concurrency / n : 0;
    if (audit->think_mean_ns > 0) {
        audit->ceiling_tps = little_ceiling(n, audit->think_mean_ns);
        audit->ceiling_share = audit->ceiling_tps > 0 ? x / audit->ceiling_tps : 0;
    }
    noise = vm->response.count == 0 ? 0
                                    : little_cut_off(n, (double)vm->response.count, seconds * 1e9,
                                                     vm->response.mean_ns + audit->think_mean_ns,
                                                     vm->response.stddev_ns);
    off = fabs(audit->ratio - 1);
    held = n > 0 ? fabs(audit->ratio + audit->cut_off / n - 1) : off;
    snprintf(audit->verdict, sizeof(audit->verdict), "%s",
             vm->response.count == 0 || n <= 0 ? "no sample"
             : off <= LITTLE_TOLERANCE         ? "ok"
             : work_bound                      ? "work-bound"
             : off <= noise                    ? "too short"
             : held <= LITTLE_TOLERANCE        ? "cut off"
                                               : "inconsistent");
}

void metrics_audit(struct result_vm *vm)
{
    audit_with(vm, ended_per_second(vm));
}

static bool same_window(const struct result *result)
{
    bool same = true;

    for (uint32_t i = 0; i < result->vm_count; i++) {
        same = same && result->vms[i].sample_from_ns == result->aggregate.sample_from_ns &&
               result->vms[i].sample_until_ns == result->aggregate.sample_until_ns;
    }
    return same;
}

/*
 * Rates are those of the VMs together, each over its own sample: on a busy host their samples do
 * not begin and end at one instant, and what all did over the time from the first beginning to the
 * last end is less than any of them did.
 */
static void sum_rates(struct result *result)
{
    struct result_vm *all = &result->aggregate;
    double x = ended_per_second(all);

    if (!same_window(result)) {
        x = all->tps = all->iops = all->mb_s = all->read_mb_s = all->write_mb_s = 0;
        for (uint32_t i = 0; i < result->vm_count; i++) {
            const struct result_vm *vm = &result->vms[i];

            x += ended_per_second(vm);
            all->tps += vm->tps;
            all->iops += vm->iops;
            all->mb_s += vm->mb_s;
            all->read_mb_s += vm->read_mb_s;
            all->write_mb_s += vm->write_mb_s;
        }
    }
    audit_with(all, x);
}

static void check_vm(struct result *result, const struct result_vm *vm)
{
    uint64_t errors = 0;
    uint64_t ended = vm->done + vm->rolled_back + vm->failed + vm->skipped + vm->open;

    result_check(result, "due = done + rolled_back + failed + skipped + open", vm->name,
                 (double)vm->due, (double)ended, 0, vm->due == ended, EXIT_WANTING);
    for (uint32_t i = 0; i < vm->io_count; i++) {
        errors += vm->ios[i].errors;
    }
    result_check(result, "I/O errors", vm->name, 0, (double)errors, 0, errors == 0, EXIT_FAILED);
    if (strcmp(vm->audit.verdict, "open loop") != 0 && vm->response.count > 0) {
        result_check(result, "X (R + Z) / N", vm->name, 1, vm->audit.ratio, LITTLE_TOLERANCE,
                     strcmp(vm->audit.verdict, "inconsistent") != 0, EXIT_WANTING);
    }
    if (vm->integrity.checked) {
        result_check(result, "wrong pages", vm->name, 0, (double)vm->integrity.stamp_errors, 0,
                     vm->integrity.stamp_errors == 0, EXIT_WRONG_DATA);
    }
}

/* The histograms that were merged for the aggregate hold what the VMs' hold. */
static void check_aggregate(struct result *result)
{
    const struct result_latency *all = &result->aggregate.response;
    struct result_latency sum = {0};

    for (uint32_t i = 0; i < result->vm_count; i++) {
        result_latency_add(&sum, &result->vms[i].response);
    }
    result_check(result, "response times merged", "all", (double)sum.count, (double)all->count, 0,
                 sum.count == all->count && sum.sum_ns == all->sum_ns &&
                     sum.sumsq_ns2 == all->sumsq_ns2 && sum.min_ns == all->min_ns &&
                     sum.max_ns == all->max_ns,
                 EXIT_WANTING);
}

static double fairness_of(const struct result *result)
{
    double least = 0, most = 0, sum = 0;

    for (uint32_t i = 0; i < result->vm_count; i++) {
        double tps = result->vms[i].tps;

        least = i == 0 || tps < least ? tps : least;
        most = i == 0 || tps > most ? tps : most;
        sum += tps;
    }
    return sum > 0 ? (most - least) / (sum / result->vm_count) : 0;
}

void result_derive(struct result *result)
{
    for (uint32_t i = 0; i < result->vm_count; i++) {
        metrics_of_vm(&result->vms[i]);
        metrics_audit(&result->vms[i]);
        check_vm(result, &result->vms[i]);
    }
    metrics_sum(result);
    metrics_of_vm(&result->aggregate);
    sum_rates(result);
    check_aggregate(result);
    result->fairness = fairness_of(result);
    result->run.exit_code = result_exit_code(result);
}

/* The code of how it ended: of the run, or of one VM. */
static enum exit_code exit_of_end(const char *ended)
{
    static const struct {
        const char *ended;
        enum exit_code exit;
    } table[] = {
        {"void", EXIT_WRONG_DATA},
        {"interrupted", EXIT_INTERRUPTED},
        {"failed", EXIT_FAILED},
        {"running", EXIT_FAILED}, /* if nobody comes to write another word, it was killed */
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcmp(ended, table[i].ended) == 0) {
            return table[i].exit;
        }
    }
    return EXIT_FINE;
}

static uint32_t rank_of(enum exit_code exit)
{
    static const enum exit_code order[] = {EXIT_USAGE,        EXIT_WRONG_DATA, EXIT_INTERRUPTED,
                                           EXIT_FAILED,       EXIT_INVALID,    EXIT_WANTING,
                                           EXIT_INCONCLUSIVE, EXIT_FINE};
    uint32_t i = 0;

    while (i < sizeof(order) / sizeof(order[0]) - 1 && order[i] != exit) {
        i++;
    }
    return i;
}

static enum exit_code graver(enum exit_code a, enum exit_code b)
{
    return rank_of(b) < rank_of(a) ? b : a;
}

enum exit_code result_exit_code(const struct result *result)
{
    enum exit_code exit = exit_of_end(result->run.ended);

    for (uint32_t i = 0; i < result->vm_count; i++) {
        exit = graver(exit, exit_of_end(result->vms[i].ended));
        if (result->vms[i].integrity.stamp_errors > 0) {
            exit = graver(exit, EXIT_WRONG_DATA);
        }
    }
    for (uint32_t i = 0; i < result->check_count; i++) {
        if (!result->checks[i].passed) {
            exit = graver(exit, result->checks[i].exit);
        }
    }
    return exit;
}
