/* result/heat: how many transactions took how long, over time. */
#ifndef RAWTPS_RESULT_HEAT_H
#define RAWTPS_RESULT_HEAT_H

#include "result/result.h"

enum { HEAT_COLUMNS = 180, HEAT_DECADE = 12, HEAT_LINES = 40000 };

/*
 * counts[row * columns + column]: response times of all VMs and kinds that are not deferred; rows
 * are HEAT_DECADE a decade of ns, columns equal stretches of the run's clock in seconds.
 */
struct heat {
    uint32_t columns, rows; /* 0: nothing was recorded */
    double *x_edges;        /* columns + 1, seconds */
    double *y_edges;        /* rows + 1, ns */
    double *counts;
    uint32_t stride; /* 1: every interval; else every stride-th, as many lines are thinned */
    /* Counted, and how many of them are below the first row: those of 0, which no logarithm has,
     * and the fastest as long as they are at most HEAT_CUT of all. The slowest are all there. */
    double total, below, zeros;
};
#define HEAT_CUT 0.001

/*
 * From latency.hlog of a run directory; at most about HEAT_LINES of its lines are decoded. A file
 * that is not there is an empty heat.
 *   errors   EXIT_USAGE: a damaged line, with file:line (a torn last one is passed over);
 *            EXIT_FAILED: cannot be read, no memory
 *   time     proportional to the file, and HEAT_LINES times about 10 us
 */
int heat_read(struct heat *ret, const char *run_dir, const struct result *result,
              struct error *err);
void heat_free(struct heat *heat);

#endif
