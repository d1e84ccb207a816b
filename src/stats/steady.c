#include "stats/steady.h"

#include "base/must.h"
#include "base/rng.h"
#include <string.h>

enum { BLOCKS_MAX = 120, BLOCKS_WANTED = 20, BLOCK_S = 30, PERMUTATIONS = 999, MSER_BATCH = 5 };
#define DRIFT_LIMIT 0.02
#define DRIFT_P     0.05

const struct steady_preset steady_presets[STEADY_PRESETS] = {
    {"pts", 0.20, 0.10, 5, 25, 60},
    {"gate", 0.10, 0.03, 5, 25, 60},
};

const struct steady_preset *steady_preset(const char *name)
{
    for (int i = 0; i < STEADY_PRESETS; i++) {
        if (strcmp(name, steady_presets[i].name) == 0) {
            return &steady_presets[i];
        }
    }
    return NULL;
}

static double mean_of(const double *x, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return n > 0 ? sum / n : 0;
}

static double absolute(double x)
{
    return x < 0 ? -x : x;
}

void steady_window(const double *means, uint32_t n, const struct steady_preset *preset,
                   struct steady_window *ret)
{
    double low = means[0], high = means[0], middle = (n - 1) / 2.0, above = 0, below = 0;

    must(n >= 2);
    *ret = (struct steady_window){.mean = mean_of(means, n)};
    for (uint32_t i = 0; i < n; i++) {
        low = means[i] < low ? means[i] : low;
        high = means[i] > high ? means[i] : high;
        above += (i - middle) * (means[i] - ret->mean);
        below += (i - middle) * (i - middle);
    }
    if (ret->mean == 0) {
        return;
    }
    ret->range_share = (high - low) / absolute(ret->mean);
    ret->excursion_share = absolute(above / below * (n - 1)) / absolute(ret->mean);
    ret->holds =
        ret->range_share <= preset->range_limit && ret->excursion_share <= preset->excursion_limit;
}

/* The k-th smallest of x (k from 0), which is reordered (Hoare 1961). */
static double select_kth(double *x, uint32_t n, uint32_t k)
{
    uint32_t low = 0, high = n - 1;

    while (low < high) {
        double pivot = x[low + (high - low) / 2];
        uint32_t i = low, j = high;

        for (;;) {
            while (x[i] < pivot) {
                i++;
            }
            while (x[j] > pivot) {
                j--;
            }
            if (i >= j) {
                break;
            }
            double spare = x[i];

            x[i++] = x[j];
            x[j--] = spare;
        }
        if (k <= j) {
            high = j;
        } else {
            low = j + 1;
        }
    }
    return x[k];
}

static double theil_sen(const double *x, uint32_t n)
{
    double slopes[BLOCKS_MAX * (BLOCKS_MAX - 1) / 2];
    uint32_t pairs = 0;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) {
            slopes[pairs++] = (x[j] - x[i]) / (j - i);
        }
    }
    if (pairs % 2 == 1) {
        return select_kth(slopes, pairs, pairs / 2);
    }
    return (select_kth(slopes, pairs, pairs / 2 - 1) + select_kth(slopes, pairs, pairs / 2)) / 2;
}

/* Kendall's S: pairs that rise less pairs that fall. */
static int kendall(const double *x, uint32_t n)
{
    int s = 0;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) {
            s += (x[j] > x[i]) - (x[j] < x[i]);
        }
    }
    return s;
}

static double permutation_p(const double *x, uint32_t n, uint64_t seed)
{
    int found = kendall(x, n), as_far = 1;
    double order[BLOCKS_MAX];
    struct rng rng;

    rng_init(&rng, seed, n);
    memcpy(order, x, n * sizeof(*x));
    found = found < 0 ? -found : found;
    for (int round = 0; round < PERMUTATIONS; round++) {
        int s;

        for (uint32_t i = n - 1; i > 0; i--) {
            uint32_t j = (uint32_t)rng_below(&rng, i + 1);
            double spare = order[i];

            order[i] = order[j];
            order[j] = spare;
        }
        s = kendall(order, n);
        as_far += (s < 0 ? -s : s) >= found;
    }
    return as_far / (PERMUTATIONS + 1.0);
}

void steady_drift(const double *per_second, uint32_t n, uint64_t seed, double *ret_share,
                  double *ret_p)
{
    uint32_t length = n / BLOCKS_WANTED, blocks, front;
    double means[BLOCKS_MAX], mean;

    length = length > BLOCK_S ? BLOCK_S : length < 1 ? 1 : length;
    length = n / length > BLOCKS_MAX ? (n + BLOCKS_MAX - 1) / BLOCKS_MAX : length;
    blocks = n / length;
    *ret_share = 0;
    *ret_p = 1;
    if (blocks < 4) {
        return;
    }
    front = n - blocks * length;
    for (uint32_t i = 0; i < blocks; i++) {
        means[i] = mean_of(per_second + front + i * length, length);
    }
    mean = mean_of(means, blocks);
    if (mean != 0) {
        *ret_share = theil_sen(means, blocks) * n / length / mean;
        *ret_p = permutation_p(means, blocks, seed);
    }
}

uint32_t steady_mser5(const double *per_second, uint32_t n)
{
    uint32_t batches = n / MSER_BATCH, cut = 0;
    double sum = 0, squares = 0, least = 0, shift;

    if (batches < 4) {
        return 0;
    }
    /* from the back, less a constant near the mean so that squares do not cancel */
    shift = mean_of(per_second, batches * MSER_BATCH);
    for (uint32_t d = batches; d-- > 0;) {
        double y = mean_of(per_second + d * MSER_BATCH, MSER_BATCH) - shift;
        double kept = batches - d, error;

        sum += y;
        squares += y * y;
        error = (squares - sum * sum / kept) / (kept * kept);
        if (d <= batches / 2 && (d == batches / 2 || error <= least)) {
            least = error;
            cut = d;
        }
    }
    return cut * MSER_BATCH;
}

void steady_judge(const double *per_second, uint32_t n, uint32_t round_s,
                  const struct steady_preset *preset, uint64_t seed, struct steady *ret)
{
    uint32_t length = round_s > 0 ? round_s : preset->round_s, window = preset->window_rounds;
    struct steady_window last = {0};
    double means[64];

    must(window >= 2 && window <= 64);
    *ret = (struct steady){.preset = preset, .rounds = n / length};
    steady_drift(per_second, n, seed, &ret->drift_share, &ret->drift_p);
    ret->drifting = absolute(ret->drift_share) > DRIFT_LIMIT && ret->drift_p <= DRIFT_P;
    ret->mser_cut_s = steady_mser5(per_second, n);
    if (ret->rounds < window) {
        return;
    }
    for (uint32_t i = 0; i < window; i++) {
        means[i] = mean_of(per_second + n - (window - i) * length, length);
    }
    steady_window(means, window, preset, &last);
    ret->range_share = last.range_share;
    ret->excursion_share = last.excursion_share;
    ret->reached = last.holds && !ret->drifting;
}
