#include "metrics.h"

#include <stdio.h>
#include <string.h>

static struct result_txn *txn_of(struct result_vm *vm, const char *kind)
{
    for (uint32_t i = 0; i < vm->txn_count; i++) {
        if (strcmp(vm->txns[i].kind, kind) == 0) {
            return &vm->txns[i];
        }
    }
    if (vm->txn_count == RESULT_TXNS) {
        return NULL;
    }
    snprintf(vm->txns[vm->txn_count].kind, sizeof(vm->txns[0].kind), "%s", kind);
    return &vm->txns[vm->txn_count++];
}

static struct result_io *io_of(struct result_vm *vm, const struct result_io *like)
{
    for (uint32_t i = 0; i < vm->io_count; i++) {
        if (strcmp(vm->ios[i].verb, like->verb) == 0 && strcmp(vm->ios[i].area, like->area) == 0) {
            return &vm->ios[i];
        }
    }
    if (vm->io_count == RESULT_IOS) {
        return NULL;
    }
    memcpy(vm->ios[vm->io_count].verb, like->verb, sizeof(like->verb));
    memcpy(vm->ios[vm->io_count].area, like->area, sizeof(like->area));
    return &vm->ios[vm->io_count++];
}

/* Counts to zero, so that summing again gives the same. */
static void forget_counts(struct result_vm *all)
{
    for (uint32_t i = 0; i < all->txn_count; i++) {
        struct result_txn *txn = &all->txns[i];

        txn->due = txn->done = txn->rolled_back = txn->failed = 0;
        txn->skipped = txn->open = txn->retries = 0;
        memset(txn->spent_ns, 0, sizeof(txn->spent_ns));
    }
    for (uint32_t i = 0; i < all->io_count; i++) {
        struct result_io *io = &all->ios[i];

        io->count = io->bytes = io->errors = 0;
        io->size_count = 0;
    }
    all->users = all->open = 0;
    all->audit.think_mean_ns = all->audit.cut_off = 0;
    memset(&all->integrity, 0, sizeof(all->integrity));
}

static void sum_txns(struct result_vm *all, const struct result_vm *vm)
{
    for (uint32_t i = 0; i < vm->txn_count; i++) {
        const struct result_txn *from = &vm->txns[i];
        struct result_txn *into = txn_of(all, from->kind);

        if (into) {
            into->due += from->due;
            into->done += from->done;
            into->rolled_back += from->rolled_back;
            into->failed += from->failed;
            into->skipped += from->skipped;
            into->open += from->open;
            into->retries += from->retries;
            into->deferred = from->deferred;
            into->p90_limit_ns = from->p90_limit_ns;
            for (uint32_t j = 0; j < RESULT_SPENT; j++) {
                into->spent_ns[j] =
                    (int64_t)((uint64_t)into->spent_ns[j] + (uint64_t)from->spent_ns[j]);
            }
        }
    }
}

/* Sizes beyond the room are counted in the last row, whose size is then 0: mixed. */
static void sum_size(struct result_io *into, uint32_t bytes, uint64_t count)
{
    uint32_t i = 0;

    while (i < into->size_count && into->sizes[i].bytes != bytes) {
        i++;
    }
    if (i == RESULT_SIZES) {
        i = RESULT_SIZES - 1;
        into->sizes[i].bytes = 0;
    } else if (i == into->size_count) {
        into->sizes[i].bytes = bytes;
        into->sizes[i].count = 0;
        into->size_count++;
    }
    into->sizes[i].count += count;
}

static void sum_ios(struct result_vm *all, const struct result_vm *vm)
{
    for (uint32_t i = 0; i < vm->io_count; i++) {
        const struct result_io *from = &vm->ios[i];
        struct result_io *into = io_of(all, from);

        if (into) {
            into->count += from->count;
            into->bytes += from->bytes;
            into->errors += from->errors;
            for (uint32_t j = 0; j < from->size_count; j++) {
                sum_size(into, from->sizes[j].bytes, from->sizes[j].count);
            }
        }
    }
}

static bool ends_in(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);

    return n >= m && strcmp(name + n - m, ending) == 0;
}

static bool adds_up(const char *name)
{
    return !ends_in(name, "_ratio") && !ends_in(name, "_share") && !ends_in(name, "_mean") &&
           !ends_in(name, "_ns_per_txn");
}

static void sum_facts(struct result *result)
{
    struct result_vm *all = &result->aggregate;

    for (uint32_t i = 0; i < result->vm_count; i++) {
        const struct result_vm *vm = &result->vms[i];

        for (uint32_t j = 0; j < vm->fact_count; j++) {
            const char *name = vm->facts[j].name;
            double sum = 0;

            if (!adds_up(name)) {
                continue;
            }
            for (uint32_t k = 0; k < result->vm_count; k++) {
                double value = result_fact(&result->vms[k], name);

                sum += value == value ? value : 0;
            }
            if (result_fact(all, name) == result_fact(all, name) ||
                all->fact_count < RESULT_FACTS) {
                result_fact_set(all, name, sum);
            }
        }
    }
}

static void sum_integrity(struct result_integrity *into, const struct result_integrity *from)
{
    into->checked = into->checked || from->checked;
    into->stamps_checked += from->stamps_checked;
    into->stamp_errors += from->stamp_errors;
    into->stamps_unjudged += from->stamps_unjudged;
    if (into->first[0] == '\0') {
        memcpy(into->first, from->first, sizeof(into->first));
    }
}

void metrics_sum(struct result *result)
{
    struct result_vm *all = &result->aggregate;
    double think_ns = 0, responses = 0;

    forget_counts(all);
    for (uint32_t i = 0; i < result->vm_count; i++) {
        const struct result_vm *vm = &result->vms[i];
        bool from_first = i == 0 || vm->sample_from_ns < all->sample_from_ns;
        bool until_last = i == 0 || vm->sample_until_ns > all->sample_until_ns;

        all->sample_from_ns = from_first ? vm->sample_from_ns : all->sample_from_ns;
        all->sample_until_ns = until_last ? vm->sample_until_ns : all->sample_until_ns;
        all->users += vm->users;
        all->open += vm->open;
        sum_txns(all, vm);
        sum_ios(all, vm);
        sum_integrity(&all->integrity, &vm->integrity);
        think_ns += vm->audit.think_mean_ns * (double)vm->response.count;
        responses += (double)vm->response.count;
        all->audit.cut_off += vm->audit.cut_off;
        if (strcmp(vm->audit.verdict, "open loop") == 0 ||
            strcmp(vm->audit.verdict, "work-bound") == 0) {
            memcpy(all->audit.verdict, vm->audit.verdict, sizeof(all->audit.verdict));
        }
    }
    all->audit.think_mean_ns = responses > 0 ? think_ns / responses : 0;
    sum_facts(result);
    memcpy(all->ended, result->run.ended, sizeof(all->ended));
}
