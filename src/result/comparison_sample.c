#include "comparison_parts.h"

#include "base/mem.h"
#include "result/set_samples.h"
#include "stats/drift.h"
#include <errno.h>
#include <math.h>

/* All runs of a side together; 151 MB. */
enum { SHELF_BLOCKS = 4096 };

/* Samples of the runs of one side, at most as many as a curve takes. */
struct shelf {
    struct set_samples *samples;
    struct bootstrap *latencies[BOOTSTRAP_RUNS_MAX];
    struct hist *all; /* counts alone, of all of them */
    uint32_t count;
};

static void shelf_close(struct shelf *shelf)
{
    for (uint32_t i = 0; i < shelf->count; i++) {
        set_samples_free(&shelf->samples[i]);
    }
    mem_free(shelf->samples);
    mem_free(shelf->all);
    *shelf = (struct shelf){0};
}

static int shelf_open(struct shelf *shelf, const struct set *set, bool histograms,
                      struct error *err)
{
    uint32_t count = set->run_count < BOOTSTRAP_RUNS_MAX ? set->run_count : BOOTSTRAP_RUNS_MAX;
    uint32_t blocks = histograms ? SHELF_BLOCKS / count : 0;

    *shelf = (struct shelf){.samples = mem_array(count, sizeof(*shelf->samples)),
                            .all = mem_zalloc(sizeof(*shelf->all))};
    if (!shelf->samples || !shelf->all) {
        shelf_close(shelf);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the samples of runs");
    }
    for (uint32_t i = 0; i < count; i++) {
        if (set_samples_load(&shelf->samples[i], &set->runs[i], blocks, err) < 0) {
            shelf_close(shelf);
            return err->code;
        }
        shelf->latencies[i] = &shelf->samples[i].latency;
        shelf->count++;
        bootstrap_sum(shelf->latencies[i], shelf->all);
    }
    return 0;
}

/* The mean of what is known of the runs. */
static double within(const struct shelf *shelf, const struct set_metric *metric)
{
    uint32_t known = 0;
    double sum = 0;

    for (uint32_t i = 0; i < shelf->count; i++) {
        double share = set_samples_within(&shelf->samples[i], metric);

        known += isfinite(share);
        sum += isfinite(share) ? share : 0;
    }
    return known > 0 ? sum / known : NAN;
}

static bool has_values(const struct shelf *shelf)
{
    for (uint32_t i = 0; i < shelf->count; i++) {
        if (shelf->latencies[i]->count == 0) {
            return false;
        }
    }
    return true;
}

/* The base's histograms stay open while one side after the other is held against them. */
static int sample_side(struct comparison *comparison, struct shelf *base, uint32_t side,
                       bool histograms, struct error *err)
{
    struct shelf shelf = {0}, *mine = side == 0 ? base : &shelf;

    if (side > 0 && shelf_open(&shelf, comparison->sets[side], histograms, err) < 0) {
        return err->code;
    }
    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        if (comparison->metrics[i].vm < 0) {
            comparison->metrics[i].sides[side].within = within(mine, comparison->metrics[i].metric);
        }
    }
    if (side > 0 && has_values(base) && has_values(&shelf)) {
        bootstrap_ratio(base->latencies, base->count, shelf.latencies, shelf.count, bootstrap_curve,
                        BOOTSTRAP_CURVE, base->samples[0].seed, comparison->curve[side]);
        comparison->ks[side] = drift_ks(base->all, shelf.all);
        comparison->has_curve = true;
    }
    shelf_close(&shelf);
    return 0;
}

int comparison_sample(struct comparison *comparison, const struct comparison_options *options,
                      struct error *err)
{
    bool histograms = !options->no_curve;
    struct shelf base;
    int code = shelf_open(&base, comparison->sets[0], histograms, err);

    if (code != 0) {
        return code;
    }
    for (uint32_t s = 0; code == 0 && s < comparison->count; s++) {
        code = sample_side(comparison, &base, s, histograms, err);
    }
    shelf_close(&base);
    return code;
}
