#include "stats/steady.h"

#include "base/must.h"
#include "stats/drift.h"
#include <string.h>

#define DRIFT_LIMIT   0.02
#define DRIFT_P       0.05
#define WARM_UP_SHARE 0.05  /* a cut beyond this share of the sample is told, */
#define WARM_UP_BIAS  0.001 /* if without it the sample's mean were another by this share */
#define NS_A_SECOND   1000000000ll

const struct steady_preset steady_presets[STEADY_PRESETS] = {
    {"snia", 0.20, 0.10, 5, 25, 60},
    {"gate", 0.10, 0.03, 5, 25, 60},
};

const struct steady_preset *steady_preset(const char *name)
{
    if (name == NULL || name[0] == '\0') {
        return &steady_presets[0];
    }
    for (int i = 0; i < STEADY_PRESETS; i++) {
        if (strcmp(name, steady_presets[i].name) == 0) {
            return &steady_presets[i];
        }
    }
    return NULL;
}

static double absolute(double x)
{
    return x < 0 ? -x : x;
}

bool steady_within(const struct steady_preset *preset, double range_share, double excursion_share)
{
    return range_share <= preset->range_limit && excursion_share <= preset->excursion_limit;
}

void steady_window(const double *means, uint32_t n, const struct steady_preset *preset,
                   struct steady_window *ret)
{
    double low = means[0], high = means[0];
    struct drift_line line;

    must(n >= 2);
    drift_line(means, n, &line);
    *ret = (struct steady_window){.mean = line.middle};
    for (uint32_t i = 0; i < n; i++) {
        low = means[i] < low ? means[i] : low;
        high = means[i] > high ? means[i] : high;
    }
    if (ret->mean == 0) {
        return;
    }
    ret->range_share = (high - low) / absolute(ret->mean);
    ret->excursion_share = absolute(line.slope * (n - 1)) / absolute(ret->mean);
    ret->holds = steady_within(preset, ret->range_share, ret->excursion_share);
}

/* Add to the last rounds; the oldest goes. */
static void push(double *rounds, uint32_t window, double value)
{
    memmove(rounds, rounds + 1, (window - 1) * sizeof(*rounds));
    rounds[window - 1] = value;
}

bool steady_watch(struct steady_watch *watch, int64_t length_ns, double done, double mean_ns)
{
    uint32_t window = watch->preset->window_rounds;
    struct steady_window tps, latency;

    must(window >= 2 && window <= STEADY_WINDOW_MAX);
    watch->round_ns += length_ns;
    watch->done += done;
    watch->spent_ns += done * mean_ns;
    if ((double)watch->round_ns < (double)watch->preset->round_s * (double)NS_A_SECOND *
                                      (watch->shortened > 0 ? watch->shortened : 1)) {
        return false;
    }
    push(watch->tps, window, watch->done * (double)NS_A_SECOND / (double)watch->round_ns);
    push(watch->latency_ns, window, watch->done > 0 ? watch->spent_ns / watch->done : 0);
    watch->rounds++;
    watch->round_ns = 0;
    watch->done = watch->spent_ns = 0;
    if (watch->rounds < window) {
        return false;
    }
    steady_window(watch->tps, window, watch->preset, &tps);
    steady_window(watch->latency_ns, window, watch->preset, &latency);
    return tps.holds && latency.holds;
}

/* Mean of x, each value by its weight (NULL: all alike). */
static double mean_by(const double *x, const double *weights, uint32_t n)
{
    double sum = 0, weight = 0;

    for (uint32_t i = 0; i < n; i++) {
        double w = weights != NULL ? weights[i] : 1;

        sum += w * x[i];
        weight += w;
    }
    return weight > 0 ? sum / weight : 0;
}

/* The last rounds of a series. */
static void last_window(const double *x, const double *weights, uint32_t n, uint32_t round,
                        const struct steady_preset *preset, struct steady_window *ret)
{
    uint32_t window = preset->window_rounds, from = n - window * round;
    double means[STEADY_WINDOW_MAX];

    must(window >= 2 && window <= STEADY_WINDOW_MAX);
    for (uint32_t i = 0; i < window; i++, from += round) {
        means[i] = mean_by(x + from, weights != NULL ? weights + from : NULL, round);
    }
    steady_window(means, window, preset, ret);
}

/* On a long flat series MSER-5 finds a cut that gains next to nothing: that is no warm-up. */
static bool warm_up_is_short(const double *tps, uint32_t n, uint32_t cut)
{
    double rest;

    if (cut <= WARM_UP_SHARE * n) {
        return false;
    }
    rest = mean_by(tps + cut, NULL, n - cut);
    return absolute(mean_by(tps, NULL, n) - rest) > WARM_UP_BIAS * rest;
}

void steady_judge(const struct steady_series *series, uint32_t round_s,
                  const struct steady_preset *preset, uint64_t seed, struct steady *ret)
{
    uint32_t n = series->n, round = round_s > 0 ? round_s : preset->round_s;
    struct steady_window tps;
    bool latency = true;

    *ret = (struct steady){.preset = preset, .rounds = n / round};
    drift_of(series->tps, n, seed, &ret->drift_share, &ret->drift_p);
    ret->drifting = absolute(ret->drift_share) > DRIFT_LIMIT && ret->drift_p <= DRIFT_P;
    ret->mser_cut_s = drift_mser5(series->tps, n);
    ret->warm_up_short_s = warm_up_is_short(series->tps, n, ret->mser_cut_s) ? ret->mser_cut_s : 0;
    if (ret->rounds < preset->window_rounds) {
        return;
    }
    last_window(series->tps, NULL, n, round, preset, &tps);
    ret->range_share = tps.range_share;
    ret->excursion_share = tps.excursion_share;
    if (series->lat_avg_ns != NULL) {
        last_window(series->lat_avg_ns, series->tps, n, round, preset, &ret->lat_avg);
        latency = ret->lat_avg.holds;
    }
    if (series->lat_p99_ns != NULL) {
        last_window(series->lat_p99_ns, series->tps, n, round, preset, &ret->lat_p99);
    }
    ret->reached = tps.holds && latency && !ret->drifting;
}
