#include "result/set.h"

#include "base/must.h"
#include <math.h>
#include <string.h>

#define RATE(n, t, k, u, ...)                                                                      \
    {                                                                                              \
        .name = (n), .title = (t), .key = (k), .unit = (u), .higher_better = true, __VA_ARGS__     \
    }
#define COST(n, t, k, u, ...)                                                                      \
    {                                                                                              \
        .name = (n), .title = (t), .key = (k), .unit = (u), __VA_ARGS__                            \
    }
#define LATENCY(n, t, k, ...)                                                                      \
    {                                                                                              \
        .name = (n), .title = (t), .key = (k), .unit = SET_NS, .latency = true, __VA_ARGS__        \
    }

/* RESULTS.md section 9. */
const struct set_metric set_metrics[] = {
    RATE("tps", "tps", "tps", SET_PER_S, .shown = true),
    RATE("iops", "iops", "iops", SET_PER_S, .shown = true),
    RATE("mb_s", "MB/s", "mb_s", SET_MB_S, .shown = true),
    RATE("worst_second_tps", "worst tps", "worst_second_tps", SET_PER_S, .shown = true),
    LATENCY("lat_avg", "lat avg", "lat_avg_ns", .shown = true),
    LATENCY("lat_p50", "lat p50", "lat_p50_ns", .shown = true, .quantile = 0.50),
    LATENCY("lat_p90", "lat p90", "lat_p90_ns", .quantile = 0.90),
    LATENCY("lat_p95", "lat p95", "lat_p95_ns", .shown = true, .quantile = 0.95),
    LATENCY("lat_p99", "lat p99", "lat_p99_ns", .shown = true, .quantile = 0.99),
    LATENCY("lat_p99.9", "lat p99.9", "lat_p99_9_ns", .shown = true, .quantile = 0.999),
    LATENCY("lat_p99.99", "lat p99.99", "lat_p99_99_ns", .quantile = 0.9999),
    LATENCY("lat_max", "lat max", "lat_max_ns", .shown = true),
    LATENCY("lat_stddev", "lat stddev", "lat_stddev_ns", .shown = true),
    COST("tps_cv", "tps cv", "tps_cv", SET_SHARE, .shown = true),
    RATE("tps_per_w", "tps per W", "tps_per_w", SET_PER_W, .power = true, .shown = true),
    RATE("iops_per_w", "iops per W", "iops_per_w", SET_PER_W, .power = true),
    RATE("mb_s_per_w", "MB/s per W", "mb_s_per_w", SET_PER_W, .power = true),
    COST("w_avg", "W avg", "w_avg", SET_WATT, .power = true, .shown = true),
    COST("mj_per_txn", "mJ per txn", "mj_per_txn", SET_MJ, .power = true, .shown = true),
    COST("waf", "waf", "waf", SET_RATIO, .shown = true),
};
const uint32_t set_metric_count = sizeof(set_metrics) / sizeof(set_metrics[0]);

enum { METRIC_COUNT = sizeof(set_metrics) / sizeof(set_metrics[0]) };

static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && (*a == *b || (*a == '-' && *b == '_') || (*a == '_' && *b == '-'))) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

const struct set_metric *set_metric_find(const char *name)
{
    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        if (same_name(set_metrics[i].name, name) || same_name(set_metrics[i].key, name)) {
            return &set_metrics[i];
        }
    }
    return NULL;
}

const char *set_metric_nearest(const char *name)
{
    const char *names[METRIC_COUNT];

    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        names[i] = set_metrics[i].name;
    }
    return text_nearest(name, names, METRIC_COUNT);
}

static double latency_of(const struct set_metric *metric, const struct result_latency *latency)
{
    const struct {
        const char *name;
        double value;
    } values[] = {
        {"lat_avg", latency->mean_ns},
        {"lat_p50", (double)latency->p50_ns},
        {"lat_p90", (double)latency->p90_ns},
        {"lat_p95", (double)latency->p95_ns},
        {"lat_p99", (double)latency->p99_ns},
        {"lat_p99.9", (double)latency->p99_9_ns},
        {"lat_p99.99", (double)latency->p99_99_ns},
        {"lat_max", (double)latency->max_ns},
        {"lat_stddev", latency->stddev_ns},
    };

    for (size_t i = 0; latency->count > 0 && i < sizeof(values) / sizeof(values[0]); i++) {
        if (strcmp(values[i].name, metric->name) == 0) {
            return values[i].value;
        }
    }
    return NAN;
}

/* Watts of the sample, where a meter was read: 0 or less is none. */
static double watts_of(const struct result *result)
{
    double watts = result_fact(&result->aggregate, "w_avg");

    return watts > 0 ? watts : NAN;
}

static double power_of(const struct set_metric *metric, const struct result *result)
{
    const struct result_vm *all = &result->aggregate;
    double watts = watts_of(result);

    if (strcmp(metric->name, "w_avg") == 0) {
        return watts;
    }
    if (strcmp(metric->name, "mj_per_txn") == 0) {
        return watts * 1000 / all->tps;
    }
    if (strcmp(metric->name, "tps_per_w") == 0) {
        return all->tps / watts;
    }
    return (strcmp(metric->name, "iops_per_w") == 0 ? all->iops : all->mb_s) / watts;
}

static double rate_of(const struct set_metric *metric, const struct result_vm *vm)
{
    const struct {
        const char *name;
        double value;
    } values[] = {
        {"tps", vm->tps},       {"iops", vm->iops},
        {"mb_s", vm->mb_s},     {"worst_second_tps", vm->worst_second_tps},
        {"tps_cv", vm->tps_cv},
    };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (strcmp(values[i].name, metric->name) == 0) {
            return values[i].value;
        }
    }
    return NAN;
}

double set_metric_of(const struct set_metric *metric, const struct result *result, int32_t vm)
{
    bool all = vm < 0;
    double value = NAN;

    if (!all && (uint32_t)vm >= result->vm_count) {
        return NAN;
    }
    if (metric->latency) {
        value = latency_of(metric, all ? &result->aggregate.response : &result->vms[vm].response);
    } else if (metric->power) {
        value = all ? power_of(metric, result) : NAN;
    } else if (strcmp(metric->name, "waf") == 0) {
        value = all && result->drive_count == 1 ? result->drives[0].write_amplification : NAN;
    } else {
        value = rate_of(metric, all ? &result->aggregate : &result->vms[vm]);
    }
    return isfinite(value) && value > 0 ? value : NAN;
}

uint32_t set_values(const struct set *set, const struct set_metric *metric, int32_t vm, double *ret)
{
    uint32_t known = 0;

    for (uint32_t i = 0; i < set->run_count; i++) {
        ret[i] = set_metric_of(metric, set->runs[i].result, vm);
        known += isfinite(ret[i]);
    }
    return known;
}

uint32_t set_vm_count(const struct set *const *sets, uint32_t count)
{
    uint32_t vms = 0;

    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t i = 0; i < sets[s]->run_count; i++) {
            uint32_t has = sets[s]->runs[i].result->vm_count;

            if (vms > 0 && has != vms) {
                return 0;
            }
            vms = has;
        }
    }
    return vms;
}
