/* result/set_samples: what a run measured second by second, and how sure its own figures are. */
#ifndef RAWTPS_RESULT_SET_SAMPLES_H
#define RAWTPS_RESULT_SET_SAMPLES_H

#include "result/set.h"
#include "stats/bootstrap.h"

/*
 * The sample of one run, all VMs together, from its intervals.csv and latency.hlog. A file that is
 * not there leaves its part empty.
 */
struct set_samples {
    uint32_t seconds; /* intervals of full length in the sample */
    double *tps;      /* a value an interval */
    double *mb_s;
    double *mean_ns; /* of the response times that ended in it; intervals without any left out */
    uint32_t mean_count;
    struct bootstrap latency; /* response times of what is not deferred; blocks 0: too short */
    uint64_t seed;            /* of what is drawn: from the run's id */
};

/*
 * blocks: read latency.hlog too (about 10 us a line of response times), into at most so many blocks
 * of 37 kB; 0: do not. Errors: EXIT_USAGE with file:line for what is no row or line (a torn last
 * one is dropped), EXIT_FAILED.
 */
int set_samples_load(struct set_samples *ret, const struct set_run *run, uint32_t blocks,
                     struct error *err);
void set_samples_free(struct set_samples *samples); /* all zero is fine */

/*
 * Half of the 95 % interval of a metric of the run itself, as a share of it: 0.011 is +-1.1 %.
 * It does not hold what differs from run to run. Means: 20 batch means; quantiles: 30 s blocks.
 *   returns  NAN: too short, or no interval is known for that metric
 */
double set_samples_within(struct set_samples *samples, const struct set_metric *metric);

#endif
