#include "stats/drift.h"

#include "base/must.h"
#include "base/rng.h"
#include <string.h>

enum { BLOCKS_WANTED = 20, BLOCK_S = 30, PERMUTATIONS = 999, MSER_BATCH = 5 };

static double mean_of(const double *x, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return n > 0 ? sum / n : 0;
}

void drift_line(const double *x, uint32_t n, struct drift_line *ret)
{
    double middle = n > 0 ? (n - 1) / 2.0 : 0, above = 0, below = 0;

    ret->middle = mean_of(x, n);
    for (uint32_t i = 0; i < n; i++) {
        above += (i - middle) * (x[i] - ret->middle);
        below += (i - middle) * (i - middle);
    }
    ret->slope = below > 0 ? above / below : 0;
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

double drift_theil_sen(const double *x, uint32_t n)
{
    double slopes[DRIFT_POINTS_MAX * (DRIFT_POINTS_MAX - 1) / 2];
    uint32_t pairs = 0;

    must(n <= DRIFT_POINTS_MAX);
    if (n < 2) {
        return 0;
    }
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

double drift_permutation_p(const double *x, uint32_t n, uint64_t seed)
{
    int found = kendall(x, n), as_far = 1;
    double order[DRIFT_POINTS_MAX];
    struct rng rng;

    must(n <= DRIFT_POINTS_MAX);
    if (n < 4) {
        return 1;
    }
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

void drift_of(const double *per_second, uint32_t n, uint64_t seed, double *ret_share, double *ret_p)
{
    uint32_t length = n / BLOCKS_WANTED, blocks, front;
    double means[DRIFT_POINTS_MAX], mean;

    length = length > BLOCK_S ? BLOCK_S : length < 1 ? 1 : length;
    length = n / length > DRIFT_POINTS_MAX ? (n + DRIFT_POINTS_MAX - 1) / DRIFT_POINTS_MAX : length;
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
        *ret_share = drift_theil_sen(means, blocks) * n / length / mean;
        *ret_p = drift_permutation_p(means, blocks, seed);
    }
}

uint32_t drift_mser5(const double *per_second, uint32_t n)
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

double drift_ks(const struct hist *a, const struct hist *b)
{
    double below_a = 0, below_b = 0, gap = 0;

    if (a->count == 0 || b->count == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < HIST_COUNTS; i++) {
        double off;

        below_a += (double)a->counts[i];
        below_b += (double)b->counts[i];
        off = below_a / (double)a->count - below_b / (double)b->count;
        off = off < 0 ? -off : off;
        gap = off > gap ? off : gap;
    }
    return gap;
}
