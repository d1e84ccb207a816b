/* base/dist: distributions, equal to the bit on every compiler and machine with IEEE doubles. */
#ifndef RAWTPS_BASE_DIST_H
#define RAWTPS_BASE_DIST_H

#include "base/rng.h"

/*
 * Natural logarithm, exponential and power from basic IEEE operations only, so that a run in
 * virtual time is equal to the bit whatever the C library. Relative error at most 1e-14.
 *   dist_ln   x > 0      dist_exp  |x| < 700      dist_pow  x > 0
 */
double dist_ln(double x);
double dist_exp(double x);
double dist_pow(double x, double y);

/* Exponential with the given mean; any unit. */
double dist_exponential(struct rng *rng, double mean);
/* Standard normal (polar method, Marsaglia 1964). */
double dist_normal(struct rng *rng);
/* Lognormal with the given mean and sigma of the logarithm. */
double dist_lognormal(struct rng *rng, double mean, double sigma);

/* TPC-C clause 2.1.6: (((random(0,a) | random(x,y)) + c) mod (y - x + 1)) + x. */
int64_t dist_nurand(struct rng *rng, int64_t a, int64_t x, int64_t y, int64_t c);

/* The distributions of Sysbench ids (WORKLOADS.md 2.3), each over [1, n]. */
enum dist_kind { DIST_UNIFORM, DIST_GAUSSIAN, DIST_SPECIAL, DIST_PARETO, DIST_ZIPF, DIST_KINDS };
/* "uniform" "gaussian" "special" "pareto" "zipfian" */
extern const char *const dist_names[DIST_KINDS];

/* A distribution over [1, n] with what it needs worked out beforehand. Immutable after init. */
struct dist {
    enum dist_kind kind;
    uint64_t n;
    double p[8]; /* kind's own: pareto exponent; zipf rejection-inversion constants, ... */
};
/*
 * param: pareto's h (default 0.2) or zipf's exponent (default 0.8); 0 takes the default.
 * special is Sysbench 0.5's: 1/4 gaussian of 12 draws, else uniform in the centre 1 %.
 */
void dist_init(struct dist *dist, enum dist_kind kind, uint64_t n, double param);
uint64_t dist_draw(const struct dist *dist, struct rng *rng);
/* The share of draws at or below x, x in [0, n]; exact, or the limit for large n. */
double dist_cdf(const struct dist *dist, double x);

/*
 * A keyed permutation of [0, n): bijective, no memory (Feistel network with cycle walking).
 * Random places that visit each once; also the customer of a loaded order (TPC-C 4.3.3.1).
 */
struct permutation {
    uint64_t n, key;
    uint32_t left_bits, right_bits;
};
void permutation_init(struct permutation *perm, uint64_t n, uint64_t key);
uint64_t permutation_at(const struct permutation *perm, uint64_t i);
uint64_t permutation_inverse(const struct permutation *perm, uint64_t value);

#endif
