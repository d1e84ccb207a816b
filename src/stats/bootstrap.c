#include "stats/bootstrap.h"

#include "base/dist.h"
#include "base/mem.h"
#include "base/must.h"
#include "base/rng.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SECOND_NS 1000000000ll
#define NORMAL_DF 3000 /* so many degrees of freedom are a normal distribution */

const double bootstrap_curve[BOOTSTRAP_CURVE] = {.5, .75, .9, .95, .99, .995, .999, .9995, .9999};

double bootstrap_batch_share(const double *x, uint32_t n)
{
    struct interval interval;

    if (!student_batch_interval(x, n, &interval) || interval.mean == 0) {
        return NAN;
    }
    return (interval.high - interval.low) / 2 / fabs(interval.mean);
}

uint64_t bootstrap_seed(const char *run_id)
{
    uint64_t seed = 0;

    for (; *run_id != '\0'; run_id++) {
        seed = rng_hash(seed ^ (uint8_t)*run_id);
    }
    return seed;
}

int bootstrap_open(struct bootstrap *ret, int64_t from_ns, int64_t until_ns, uint32_t most,
                   struct error *err)
{
    int64_t seconds = until_ns > from_ns ? (until_ns - from_ns) / SECOND_NS : 0;
    int64_t blocks = seconds / BOOTSTRAP_BLOCK_S;
    uint64_t *counts;

    blocks = blocks > BOOTSTRAP_BLOCKS_MAX ? BOOTSTRAP_BLOCKS_MAX : blocks;
    blocks = blocks > (int64_t)most ? (int64_t)most : blocks;
    blocks = blocks < BOOTSTRAP_BLOCKS_MIN ? BOOTSTRAP_BLOCKS_MIN : blocks;
    blocks = seconds < BOOTSTRAP_BLOCKS_MIN ? 0 : blocks;
    counts = mem_array((size_t)(blocks > 0 ? blocks : 1) * HIST_COUNTS, sizeof(*counts));
    if (counts == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the blocks of a sample");
    }
    *ret = (struct bootstrap){
        .from_ns = from_ns, .until_ns = until_ns, .blocks = (uint32_t)blocks, .counts = counts};
    return 0;
}

void bootstrap_close(struct bootstrap *bootstrap)
{
    mem_free(bootstrap->counts);
    *bootstrap = (struct bootstrap){0};
}

static uint32_t rows_of(const struct bootstrap *bootstrap)
{
    return bootstrap->blocks > 0 ? bootstrap->blocks : 1;
}

void bootstrap_add(struct bootstrap *bootstrap, int64_t start_ns, int64_t length_ns,
                   const struct hist *hist)
{
    int64_t middle = start_ns + length_ns / 2, span = bootstrap->until_ns - bootstrap->from_ns;
    uint64_t *row;

    must(!bootstrap->sealed);
    if (middle < bootstrap->from_ns || middle >= bootstrap->until_ns || hist->count == 0) {
        return;
    }
    row = bootstrap->counts + (size_t)((__int128)(middle - bootstrap->from_ns) *
                                       rows_of(bootstrap) / span * HIST_COUNTS);
    for (uint32_t i = hist_index(hist->min_ns), last = hist_index(hist->max_ns); i <= last; i++) {
        row[i] += hist->counts[i];
    }
    bootstrap->count += hist->count;
}

void bootstrap_sum(const struct bootstrap *bootstrap, struct hist *into)
{
    must(!bootstrap->sealed);
    for (uint32_t b = 0; bootstrap->count > 0 && b < rows_of(bootstrap); b++) {
        for (uint32_t i = 0; i < HIST_COUNTS; i++) {
            into->counts[i] += bootstrap->counts[(size_t)b * HIST_COUNTS + i];
        }
    }
    into->count += bootstrap->count;
}

/* From counts to counts of all that is not larger, so that a quantile is found by halving. */
static void seal(struct bootstrap *bootstrap)
{
    for (uint32_t b = 0; !bootstrap->sealed && b < rows_of(bootstrap); b++) {
        uint64_t *row = bootstrap->counts + (size_t)b * HIST_COUNTS;

        for (uint32_t i = 1; i < HIST_COUNTS; i++) {
            row[i] += row[i - 1];
        }
    }
    bootstrap->sealed = true;
}

/* Some of a run's blocks: once each, or as drawn. */
struct pick {
    const struct bootstrap *of;
    uint32_t count;
    uint16_t blocks[BOOTSTRAP_BLOCKS_MAX];
};

static void pick_all(struct pick *pick, const struct bootstrap *of)
{
    pick->of = of;
    pick->count = rows_of(of);
    for (uint32_t b = 0; b < pick->count; b++) {
        pick->blocks[b] = (uint16_t)b;
    }
}

static void pick_some(struct pick *pick, const struct bootstrap *of, struct rng *rng)
{
    pick->of = of;
    pick->count = of->blocks;
    for (uint32_t b = 0; b < pick->count; b++) {
        pick->blocks[b] = (uint16_t)rng_below(rng, of->blocks);
    }
}

static uint64_t picked_below(const struct pick *pick, uint32_t counter)
{
    uint64_t sum = 0;

    for (uint32_t b = 0; b < pick->count; b++) {
        sum += pick->of->counts[(size_t)pick->blocks[b] * HIST_COUNTS + counter];
    }
    return sum;
}

/* As hist_quantile: nearest rank. False if there is no value. */
static bool picked_quantile(const struct pick *pick, double share, uint32_t *ret,
                            double *ret_between)
{
    uint64_t count = picked_below(pick, HIST_COUNTS - 1), before;
    uint32_t low = 0, high = HIST_COUNTS - 1;
    double rank = ceil(share * (double)count * (1 - 0x1p-50));

    must(share >= 0 && share <= 1);
    if (count == 0) {
        return false;
    }
    rank = rank < 1 ? 1 : rank;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if ((double)picked_below(pick, middle) >= rank) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *ret = low;
    if (ret_between != NULL) {
        double bottom = low == 0 ? 0 : (double)hist_highest_of(low - 1) + 1;
        double width = (double)hist_highest_of(low) - bottom + 1;

        before = low == 0 ? 0 : picked_below(pick, low - 1);
        *ret_between = bottom + width * (rank - (double)before - 0.5) /
                                    (double)(picked_below(pick, low) - before);
    }
    return true;
}

/*
 * How many of the sorted draws lie outside on each side: fewer than 2.5 % where blocks are few, as
 * t is wider than the normal distribution (expanded percentile interval, Hesterberg 2015).
 */
static uint32_t draws_outside(uint32_t blocks)
{
    double n = blocks, z = sqrt(n / (n - 1)) * student_quantile(0.975, n - 1);

    return (uint32_t)(student_cdf(-z, NORMAL_DF) * BOOTSTRAP_DRAWS);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void one_quantile(const struct bootstrap *of, double share, struct rng *rng,
                         struct bootstrap_interval *ret)
{
    double drawn[BOOTSTRAP_DRAWS];
    struct pick pick;
    uint32_t point, counter, outside;

    *ret = (struct bootstrap_interval){0};
    pick_all(&pick, of);
    if (!picked_quantile(&pick, share, &point, NULL)) {
        return;
    }
    ret->value = ret->low = ret->high = (double)hist_highest_of(point);
    if (of->blocks == 0) {
        return;
    }
    for (uint32_t d = 0; d < BOOTSTRAP_DRAWS; d++) {
        pick_some(&pick, of, rng);
        /* nothing in any of the blocks drawn: the point itself, which moves neither end */
        drawn[d] = picked_quantile(&pick, share, &counter, NULL) ? counter : point;
    }
    qsort(drawn, BOOTSTRAP_DRAWS, sizeof(*drawn), by_value);
    outside = draws_outside(of->blocks);
    counter = (uint32_t)drawn[outside];
    ret->low = counter == 0 ? 0 : (double)hist_highest_of(counter - 1) + 1;
    ret->high = (double)hist_highest_of((uint32_t)drawn[BOOTSTRAP_DRAWS - 1 - outside]);
    ret->ok = true;
}

void bootstrap_quantiles(struct bootstrap *bootstrap, const double *shares, uint32_t n,
                         uint64_t seed, struct bootstrap_interval *ret)
{
    seal(bootstrap);
    for (uint32_t i = 0; i < n; i++) {
        struct rng rng;

        rng_init(&rng, seed, 1);
        one_quantile(bootstrap, shares[i], &rng, &ret[i]);
    }
}

/* Mean over a side's runs of ln q; rng NULL: the runs as they are. False: a run has no values. */
static bool side_mean(struct bootstrap *const *runs, uint32_t n, double share, struct rng *rng,
                      double *ret)
{
    double sum = 0;

    for (uint32_t r = 0; r < n; r++) {
        struct pick pick;
        uint32_t counter;
        double q;

        if (rng == NULL) {
            pick_all(&pick, runs[r]);
        } else {
            pick_some(&pick, runs[rng_below(rng, n)], rng);
        }
        if (!picked_quantile(&pick, share, &counter, &q)) {
            return false;
        }
        sum += dist_ln(q < 0.5 ? 0.5 : q);
    }
    *ret = sum / n;
    return true;
}

static void one_ratio(struct bootstrap *const *a, uint32_t n_a, struct bootstrap *const *b,
                      uint32_t n_b, double share, struct rng *rng, struct bootstrap_interval *ret)
{
    double drawn[BOOTSTRAP_DRAWS], of_a, of_b, point;
    uint32_t blocks = 0, outside;
    bool whole = true;

    *ret = (struct bootstrap_interval){0};
    if (!side_mean(a, n_a, share, NULL, &of_a) || !side_mean(b, n_b, share, NULL, &of_b)) {
        return;
    }
    point = of_b - of_a;
    ret->value = ret->low = ret->high = dist_exp(point);
    for (uint32_t r = 0; r < n_a + n_b; r++) {
        const struct bootstrap *run = r < n_a ? a[r] : b[r - n_a];

        whole = whole && run->blocks > 0;
        blocks = blocks == 0 || run->blocks < blocks ? run->blocks : blocks;
    }
    if (!whole) {
        return;
    }
    for (uint32_t d = 0; d < BOOTSTRAP_DRAWS; d++) {
        bool both = side_mean(a, n_a, share, rng, &of_a) && side_mean(b, n_b, share, rng, &of_b);

        drawn[d] = both ? of_b - of_a : point;
    }
    qsort(drawn, BOOTSTRAP_DRAWS, sizeof(*drawn), by_value);
    outside = draws_outside(blocks);
    ret->low = dist_exp(drawn[outside]);
    ret->high = dist_exp(drawn[BOOTSTRAP_DRAWS - 1 - outside]);
    ret->ok = true;
}

void bootstrap_ratio(struct bootstrap *const *a, uint32_t n_a, struct bootstrap *const *b,
                     uint32_t n_b, const double *shares, uint32_t n, uint64_t seed,
                     struct bootstrap_interval *ret)
{
    must(n_a >= 1 && n_a <= BOOTSTRAP_RUNS_MAX && n_b >= 1 && n_b <= BOOTSTRAP_RUNS_MAX);
    for (uint32_t r = 0; r < n_a; r++) {
        seal(a[r]);
    }
    for (uint32_t r = 0; r < n_b; r++) {
        seal(b[r]);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct rng rng;

        rng_init(&rng, seed, 2);
        one_ratio(a, n_a, b, n_b, shares[i], &rng, &ret[i]);
    }
}
