/* stats/bootstrap: intervals within one run: of means by batches, of quantiles by blocks. */
#ifndef RAWTPS_STATS_BOOTSTRAP_H
#define RAWTPS_STATS_BOOTSTRAP_H

#include "base/error.h"
#include "stats/hist.h"
#include "stats/student.h"
#include <stdbool.h>
#include <stdint.h>

/*
 * Means have student_batch_interval() (20 batch means, t with 19 degrees), here also as a half
 * width. Quantiles: the sample is cut into blocks of 30 s, at least 20, whose histograms are drawn
 * with replacement, 1,000 times (block bootstrap, Kuensch 1989). These intervals do not hold what
 * differs from run to run: no verdict rests on them.
 */
enum { BOOTSTRAP_BLOCK_S = 30, BOOTSTRAP_BLOCKS_MIN = 20, BOOTSTRAP_BLOCKS_MAX = 1000 };
enum { BOOTSTRAP_DRAWS = 1000 };

/* Half of the 95 % interval of the mean as a share of it (0.011 is "+-1.1 %"); NAN if n < 40. */
double bootstrap_batch_share(const double *x, uint32_t n);

/*
 * The sample of one run as blocks. Holds 37 kB a block (a sample of 1,800 s: 60 blocks, 2.2 MB;
 * never more than BOOTSTRAP_BLOCKS_MAX blocks).
 */
struct bootstrap {
    int64_t from_ns, until_ns;
    uint32_t blocks;  /* of equal length: (until - from) / 30 s, at least 20; 0: too short */
    uint64_t count;   /* values added */
    uint64_t *counts; /* [blocks][HIST_COUNTS]; sums of themselves once it is sealed */
    bool sealed;
};

/*
 * Room for the sample [from_ns, until_ns). A sample under 20 s has no blocks: it may be filled and
 * asked, and answers "no interval".
 *   most     blocks, so that many runs share out memory: at most BOOTSTRAP_BLOCKS_MAX, and 20
 *            whatever it says. Blocks are longer then.
 *   errors   EXIT_FAILED: no memory
 */
int bootstrap_open(struct bootstrap *ret, int64_t from_ns, int64_t until_ns, uint32_t most,
                   struct error *err);
void bootstrap_close(struct bootstrap *bootstrap); /* all zero is fine */

/*
 * Add what was recorded in [start_ns, start_ns + length_ns), an interval of a histogram log: it
 * counts where its middle lies; outside of the sample it is left out. Several histograms of one
 * interval (VMs, transaction types) add up. Not after it was asked: must() fails.
 */
void bootstrap_add(struct bootstrap *bootstrap, int64_t start_ns, int64_t length_ns,
                   const struct hist *hist);

/* Add up all blocks: counts and count of *into alone. Not after it was asked: must() fails. */
void bootstrap_sum(const struct bootstrap *bootstrap, struct hist *into);

struct bootstrap_interval {
    double value;     /* ns, or the ratio */
    double low, high; /* 95 % */
    bool ok;          /* false: too short or empty; low and high are value */
};

/*
 * 95 % intervals of quantiles of one run.
 *   shares   n of them, each 0 to 1
 *   seed     equal seeds give equal intervals (take it from the run's id: bootstrap_seed)
 *   ret      n of them; value as hist_quantile's (highest value of the counter, but not capped by
 *            max_ns), low and high widened to the ends of their counters (0.8 %)
 *   time     about 12 x BOOTSTRAP_DRAWS x n x blocks operations
 */
void bootstrap_quantiles(struct bootstrap *bootstrap, const double *shares, uint32_t n,
                         uint64_t seed, struct bootstrap_interval *ret);

/*
 * The ratio curve: quantiles of B over those of A, with a band.
 *   a, b     n_a and n_b runs a side (each 1 to BOOTSTRAP_RUNS_MAX); with one run a side the band
 *            is within-run only
 *   value    exp(mean over runs of ln q_B - the same of A), q interpolated within its counter
 *   band     95 %: runs drawn with replacement, and blocks within each
 *   ok       false for a share at which a run has no values, or if a run has no blocks
 */
enum { BOOTSTRAP_RUNS_MAX = 64 };
void bootstrap_ratio(struct bootstrap *const *a, uint32_t n_a, struct bootstrap *const *b,
                     uint32_t n_b, const double *shares, uint32_t n, uint64_t seed,
                     struct bootstrap_interval *ret);

/* The shares of the ratio curve of `compare`: p50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99. */
enum { BOOTSTRAP_CURVE = 9 };
extern const double bootstrap_curve[BOOTSTRAP_CURVE];

/* A seed of a run's id. */
uint64_t bootstrap_seed(const char *run_id);

#endif
