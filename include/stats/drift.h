/* stats/drift: slopes, cuts and distances: is a series one thing or several. */
#ifndef RAWTPS_STATS_DRIFT_H
#define RAWTPS_STATS_DRIFT_H

#include "stats/hist.h"
#include <stdint.h>

/* A least-squares line through (0, x[0]), (1, x[1]), ...; n < 2 has slope 0. */
struct drift_line {
    double slope, middle; /* a step; the value at (n - 1) / 2, which is the mean */
};
void drift_line(const double *x, uint32_t n, struct drift_line *ret);

/* Theil-Sen slope a step (Sen 1968): the median over all pairs. n at most DRIFT_POINTS_MAX; n < 2:
 * 0. */
enum { DRIFT_POINTS_MAX = 120 };
double drift_theil_sen(const double *x, uint32_t n);

/*
 * Chance of as much trend by accident: Kendall's S against 999 permutations, two-sided.
 * Exchangeable values only: give it means of blocks. n at most DRIFT_POINTS_MAX; n < 4: 1.
 */
double drift_permutation_p(const double *x, uint32_t n, uint64_t seed);

/*
 * Drift of a sample of one-second values, over block means (30 s each where the sample has 20 of
 * them, never more than DRIFT_POINTS_MAX): share = Theil-Sen slope x T / mean. Fewer than 4 values,
 * or a mean of 0: 0 and p 1.
 */
void drift_of(const double *per_second, uint32_t n, uint64_t seed, double *ret_share,
              double *ret_p);

/*
 * MSER-5 (White 1997): batches of 5, the cut in the first half that makes the squared standard
 * error of the rest smallest; in values (seconds).
 */
uint32_t drift_mser5(const double *per_second, uint32_t n);

/* Kolmogorov and Smirnov's distance, 0 to 1: the largest gap between the two distributions, exact
 * to a counter's width. For information: with many values anything is "significant". Empty: 0. */
double drift_ks(const struct hist *a, const struct hist *b);

#endif
