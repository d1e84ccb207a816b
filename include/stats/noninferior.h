/* stats/noninferior: the rule of the gate: not worse than the margin, or proven so, or unknown. */
#ifndef RAWTPS_STATS_NONINFERIOR_H
#define RAWTPS_STATS_NONINFERIOR_H

#include "stats/compare.h"
#include <stdbool.h>
#include <stdint.h>

enum noninferior_verdict {
    NONINFERIOR_PASS,
    NONINFERIOR_FAIL,
    NONINFERIOR_INCONCLUSIVE,
    NONINFERIOR_INVALID,
    NONINFERIOR_VERDICTS
};
extern const char *const noninferior_names[NONINFERIOR_VERDICTS]; /* "PASS", "FAIL", ... */

enum noninferior_why {
    NONINFERIOR_BY_BOUNDS,   /* the bounds decide; the only reason of PASS, FAIL, INCONCLUSIVE */
    NONINFERIOR_FEW_RUNS,    /* fewer than min_runs on a side */
    NONINFERIOR_TOO_NOISY,   /* MDE > margin: the gate cannot see the margin */
    NONINFERIOR_NO_LOGARITHM /* a value of 0 or below */
};

enum noninferior_kind {
    NONINFERIOR_MARGIN,      /* not worse by more than `share` (0.03: 3 %) */
    NONINFERIOR_EQUIVALENCE, /* within `share` both ways: two one-sided tests (Schuirmann 1987) */
    NONINFERIOR_IMPROVE      /* better by at least `share` */
};

/* Zero in alpha, power, min_runs or max_runs takes the default: 0.05, 0.80, 5, 100. */
struct noninferior_rule {
    enum noninferior_kind kind;
    enum compare_better better;
    double share; /* [0, 1); IMPROVE: 0 or more */
    double alpha; /* one-sided; with `more` runs allowed the caller gives alpha / looks */
    double power;
    uint32_t min_runs; /* below 3 counts as 3 */
    uint32_t max_runs; /* cap of runs_needed */
};

/* All on logarithms and signed so that + is better; compare_share() makes shares of them. */
struct noninferior {
    enum noninferior_verdict verdict;
    enum noninferior_verdict decision; /* what the bounds alone say: INVALID only without bounds */
    enum noninferior_why why;
    double theta;     /* ln(B/A) where higher is better, -ln(B/A) where lower is */
    double low, high; /* L and U, one-sided 1 - alpha each */
    double limit;     /* m = ln(1 - share); IMPROVE: ln(1 + share); EQUIVALENCE: -m is the other */
    double mde;       /* share, at this alpha and power */
    uint32_t runs_needed; /* a side (or pairs) in all, to decide, capped; 0: PASS or FAIL */
    bool capped;          /* runs_needed is the cap, and may not suffice */
    bool regressed;       /* PASS, yet U < 0: "regressed within the margin" */
};

/*
 * Judge one metric.
 *   PASS          L > m   (EQUIVALENCE: and U < -m)
 *   FAIL          U < m   (EQUIVALENCE: or L > -m)
 *   INCONCLUSIVE  m within [L, U]
 *   INVALID       too few runs, or not FAIL and MDE > share: what is proven worse stays proven
 * INVALID by noise is not asked where share is 0.
 */
void noninferior_judge(const struct compare *compare, const struct noninferior_rule *rule,
                       struct noninferior *ret);

/*
 * Upper one-sided 1 - alpha bound of the geometric mean of n runs, in the metric's unit, to be held
 * against an absolute `max`; for a `min` take noninferior_lower. n < 2: NAN. Values above 0: else
 * NAN.
 */
double noninferior_upper(const double *x, uint32_t n, double alpha);
double noninferior_lower(const double *x, uint32_t n, double alpha);

/*
 * One candidate run against a history (RESULTS section 11): FAIL if it lies on the worse side of
 * the prediction interval, mean - t(1 - alpha, n - 1) s sqrt(1 + 1/n); else PASS. INVALID if n <
 * NONINFERIOR_HISTORY_MIN or a value is not above 0.
 *   bound    in the metric's unit: the worst value that still passes
 *   change   ln(candidate / mean), signed so that + is better
 */
enum { NONINFERIOR_HISTORY_MIN = 5 };
struct noninferior_prediction {
    enum noninferior_verdict verdict;
    double mean, bound, change; /* mean: geometric */
};
void noninferior_predict(const double *baseline, uint32_t n, double candidate,
                         enum compare_better better, double alpha,
                         struct noninferior_prediction *ret);

#endif
