/* stats/compare: two sets of runs held against each other; the run is the unit. */
#ifndef RAWTPS_STATS_COMPARE_H
#define RAWTPS_STATS_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One number a run and side (its TPS, its p99, ...), all on natural logarithms: differences are
 * ratios, and +10 % and -9.1 % are equally far. Samples within a run never enter these tests.
 * Nothing here allocates; results are equal to the bit on every machine.
 */
enum compare_design {
    COMPARE_WELCH,  /* two independent sets, spreads may differ (Welch 1947) */
    COMPARE_PAIRED, /* a[i] and b[i] were neighbours in time (ABBA): paired t */
    COMPARE_DESIGNS
};
enum compare_better { COMPARE_HIGHER, COMPARE_LOWER }; /* which way of the metric is better */

enum compare_state {
    COMPARE_JUDGED,  /* everything below is set */
    COMPARE_TOO_FEW, /* fewer than 2 runs on a side (or pairs): only n, means and delta are set */
    COMPARE_NOT_ABOVE_0 /* a value is 0, negative or not finite: no logarithm, nothing else set */
};

struct compare {
    enum compare_state state;
    enum compare_design design;
    uint32_t n_a, n_b;     /* runs; pairs if paired */
    double mean_a, mean_b; /* geometric means, in the metric's unit */
    double cv_a, cv_b;     /* standard deviation of the logarithms: the run-to-run CV as a share */
    double delta;          /* mean ln B - mean ln A; exp(delta) - 1 is the change as a share */
    double se, df;         /* of delta: of the design */
    double low, high;      /* two-sided 95 % interval of delta */
    double t, p;           /* two-sided; equal sides without any spread: p 1, unequal: p 0 */
    double cv;             /* pooled run-to-run CV, the noise floor */
    double spread;         /* Welch: cv; paired: standard deviation of the pairs' differences */
    double mde;            /* minimum detectable effect as a share; see compare_mde */
    double hedges_g;       /* on logarithms, (B - A) / pooled; NAN without any spread */
    double a12;            /* P(a run of B exceeds one of A), ties half (Vargha and Delaney 2000) */
    double rank_p;         /* Mann-Whitney, exact, two-sided; NAN if a side has more than 10 */
};

/*
 * Compare A with B.
 *   a, b    one value a run, of any order (Welch) or a[i] with b[i] (paired: n_a == n_b, else
 *           must() fails)
 *   n       0 is allowed: COMPARE_TOO_FEW, means 0
 *   Welch   se = sqrt(sA^2/nA + sB^2/nB), df of Welch and Satterthwaite
 *   paired  d_i = ln(b_i/a_i), df = n - 1
 *   time    proportional to n_a * n_b, plus 50,000 operations
 */
void compare_runs(const double *a, uint32_t n_a, const double *b, uint32_t n_b,
                  enum compare_design design, struct compare *ret);

/*
 * Another interval of delta: [low, high] each missed with probability `tail` (0.05 gives the two
 * one-sided 95 % bounds of the gate, 0.025 is what `low` and `high` are). State must be JUDGED.
 */
void compare_interval(const struct compare *compare, double tail, double *ret_low,
                      double *ret_high);

/*
 * The word of a row. COMPARE_JUDGED and p <= alpha is better or worse; else same ("~", no
 * difference shown) or none (no verdict: fewer than 2 runs a side, or no logarithm).
 * p: the row's own p or Holm's.
 */
enum compare_verdict { COMPARE_NONE, COMPARE_SAME, COMPARE_IS_BETTER, COMPARE_IS_WORSE };
enum compare_verdict compare_verdict_of(const struct compare *compare, enum compare_better better,
                                        double p, double alpha);

/* exp(delta) - 1: a difference of logarithms as a share, -0.089 for -8.9 %. */
double compare_share(double delta);

/*
 * Minimum detectable effect, as a share: (t(.95, df) + t(.80, df)) x cv x sqrt(1/nA + 1/nB), df =
 * nA + nB - 2 (80 % power, one-sided 5 %). k of RESULTS 8f: for 5 + 5 runs 1.74 cv.
 *   n_a, n_b  1 or more, together 3 or more; fewer give INFINITY
 */
double compare_mde(double cv, uint32_t n_a, uint32_t n_b);
/* The mde of a comparison at another alpha (one-sided) and power; INFINITY if it is not JUDGED. */
double compare_mde_at(const struct compare *compare, double alpha, double power);
/* The same for n pairs: (t(.95, n-1) + t(.80, n-1)) x spread / sqrt(n). n < 2: INFINITY. */
double compare_mde_pairs(double spread, uint32_t n);

/*
 * The runs a side (or pairs) that are needed to tell apart what lies `gap` (of logarithms, > 0)
 * apart: the smallest n >= 2 with (t(1 - alpha) + t(power)) x spread x sqrt(2/n) <= gap (Welch,
 * df = 2n - 2) or x sqrt(1/n) (paired, df = n - 1).
 *   returns  2 to cap; cap also if cap does not suffice, or gap is 0
 */
uint32_t compare_runs_needed(double spread, double gap, enum compare_design design, double alpha,
                             double power, uint32_t cap);

/* Hedges g of two samples as they are (no logarithms), n >= 2 each; NAN without spread. */
double compare_hedges(const double *a, uint32_t n_a, const double *b, uint32_t n_b);
/* A12 = U / (nA nB) of B over A. 0.5 if a side is empty. */
double compare_a12(const double *a, uint32_t n_a, const double *b, uint32_t n_b);
/*
 * Exact two-sided p of Mann and Whitney's test, ties by midranks (the permutation distribution
 * itself, so exact with ties too). NAN if a side is empty or has more than COMPARE_RANKS_MAX.
 */
enum { COMPARE_RANKS_MAX = 10 };
double compare_rank_p(const double *a, uint32_t n_a, const double *b, uint32_t n_b);

/*
 * Holm (1979): adjusted p, in the order given; NAN stays NAN and does not count. For "did anything
 * change" over several metrics. ret may be p itself. time: n^2.
 */
void compare_holm(const double *p, uint32_t n, double *ret);

/*
 * The order ABBA ABBA ...: is run `order` (from 1, as in `run.pair.order`) of side B? A drift that
 * is linear in time falls on both sides alike.
 */
static inline bool compare_abba_is_b(uint32_t order)
{
    return order % 4 == 2 || order % 4 == 3;
}

#endif
