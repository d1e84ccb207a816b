#include "set_check.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

/* No run lasts longer; what is computed of instants below does not overflow. */
#define SET_LONGEST_NS (INT64_MAX / 64)

/* Figures are written with all their digits: what differs by more was not written by us. */
#define SET_ROUNDING 1e-6

static bool near(double a, double b)
{
    return !isfinite(a) || fabs(a - b) <= SET_ROUNDING * fmax(fabs(a), fabs(b)) + 1e-9;
}

static int contradicts(struct error *err, const char *path, const struct result_vm *vm,
                       const char *key, double found, const char *from, double wanted)
{
    error_set(err, EXIT_USAGE, -EINVAL,
              "%s/run.json contradicts itself: %s of %s is %.9g, but %s gives %.9g", path, key,
              vm->name, found, from, wanted);
    return error_hint(err, "was it edited by hand? only what rawtps wrote can be compared");
}

static int check_latency(const struct result_vm *vm, const char *path, struct error *err)
{
    const struct result_latency *latency = &vm->response;
    const int64_t rising[] = {latency->min_ns,    latency->p50_ns,     latency->p90_ns,
                              latency->p95_ns,    latency->p99_ns,     latency->p99_9_ns,
                              latency->p99_99_ns, latency->p99_999_ns, latency->max_ns};

    if (latency->count == 0) {
        return 0;
    }
    if (!near(latency->mean_ns, (double)latency->sum_ns / (double)latency->count)) {
        return contradicts(err, path, vm, "response.mean_ns", latency->mean_ns, "sum_ns / count",
                           (double)latency->sum_ns / (double)latency->count);
    }
    /* merged results may have no percentiles */
    for (uint32_t i = 1; latency->p99_999_ns != 0 && i < sizeof(rising) / sizeof(rising[0]); i++) {
        if (rising[i] < rising[i - 1]) {
            error_set(err, EXIT_USAGE, -EINVAL,
                      "%s/run.json contradicts itself: response times of %s do not rise from "
                      "min_ns to max_ns",
                      path, vm->name);
            return error_hint(err, "was it edited by hand? only what rawtps wrote can be compared");
        }
    }
    return 0;
}

static double sample_rate(const struct result_vm *vm)
{
    double seconds = ((double)vm->sample_until_ns - (double)vm->sample_from_ns) / 1e9;

    return seconds > 0 ? (double)vm->done / seconds : vm->tps;
}

/* summed: what the VMs' tps add up to, of the aggregate; NAN of a VM. */
static int check_vm(const struct result_vm *vm, double summed, const char *path, struct error *err)
{
    double rate = sample_rate(vm);

    if (vm->sample_until_ns < vm->sample_from_ns || vm->sample_from_ns < 0 ||
        vm->sample_until_ns > SET_LONGEST_NS) {
        return contradicts(err, path, vm, "sample_until_ns", (double)vm->sample_until_ns,
                           "sample_from_ns", (double)vm->sample_from_ns);
    }
    /* the aggregate's was once done / sample too, from the first VM's beginning to the last's end
     */
    if (!near(vm->tps, rate) && (isnan(summed) || !near(vm->tps, summed))) {
        return contradicts(err, path, vm, "tps", vm->tps,
                           isnan(summed) ? "done / sample" : "the sum of the VMs",
                           isnan(summed) ? rate : summed);
    }
    return check_latency(vm, path, err);
}

int set_check_run(const struct result *result, const char *path, struct error *err)
{
    uint64_t done = 0;
    double tps = 0;

    for (uint32_t i = 0; i < result->vm_count; i++) {
        if (check_vm(&result->vms[i], NAN, path, err) < 0) {
            return err->code;
        }
        done += result->vms[i].done;
        tps += result->vms[i].tps;
    }
    if (check_vm(&result->aggregate, tps, path, err) < 0) {
        return err->code;
    }
    return done == result->aggregate.done
               ? 0
               : contradicts(err, path, &result->aggregate, "done", (double)result->aggregate.done,
                             "the sum of the VMs", (double)done);
}
