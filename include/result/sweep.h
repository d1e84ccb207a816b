/* result/sweep: sides that were run at several loads each, compared load by load. */
#ifndef RAWTPS_RESULT_SWEEP_H
#define RAWTPS_RESULT_SWEEP_H

#include "result/comparison.h"
#include <stdbool.h>
#include <stdint.h>

enum { SWEEP_POINTS = 64, SWEEP_KEYS = 64, SWEEP_NAME = 128, SWEEP_METRICS = 3 };

/* In place of a value that is another at each point. */
#define SWEEP_BY_POINT "by point"

/* The runs of all sides at one value of what was swept. */
struct sweep_point {
    char name[SWEEP_NAME]; /* "4"; "outstanding=4 read=70%"; too long: "...@" and a checksum */
    double load;           /* as a number; NAN: it is none */
    struct set parts[SET_SIDES]; /* runs that are the sides' own */
    struct comparison comparison;
};

/* Over all points of a sweep, one side against the first. */
struct sweep_mean {
    const struct set_metric *metric;
    uint32_t points;  /* that both sides know */
    double delta;     /* mean over points of ln B - ln A: the geometric mean of their ratios */
    double low, high; /* its 95 % interval, from the scatter of runs; NAN: not all were judged */
};

struct sweep {
    const struct set *sets[SET_SIDES];
    uint32_t count;
    char swept[SWEEP_NAME]; /* "workload.outstanding", "users", "drive model" */
    struct sweep_point *points;
    uint32_t point_count; /* on all sides; loads ascend, else names */
    uint32_t alone_count; /* values that not all sides have: not compared */
    char alone[256];      /* these in words: "64 of A" */
    struct set_rows rows; /* of comparability, the worst over all points */
    struct sweep_mean means[SET_SIDES][SWEEP_METRICS]; /* tps, lat_avg, lat_p99 */
    double area[SET_SIDES];   /* under throughput over load, the side's over A's; NAN */
    uint32_t knee[SET_SIDES]; /* the point of the highest throughput with p99 < slo; or count */
    double slo_ns;
};

/*
 * Were the runs of a side made at several loads? What differs among the runs of one side is what is
 * swept: keys set on the command line, else the number of users; the scenario; and the drive's
 * model, form factor, simulated capacity or file of its model, where sides share one. False also if
 * no value of it is on all sides: nothing can be matched.
 */
bool sweep_found(const struct set *const *sets, uint32_t count);

/*
 * Compare point by point; sweep_found() must hold. slo_ns 0: ten times the least p99.
 * Errors: those of comparison_open(); EXIT_USAGE: more than SWEEP_POINTS points.
 */
int sweep_open(struct sweep *ret, const struct set *const *sets, uint32_t count,
               const struct comparison_options *options, int64_t slo_ns, struct error *err);
/* The aggregate's row of a metric, or NULL. */
const struct comparison_row *sweep_row(const struct comparison *comparison,
                                       const struct set_metric *metric);
/* The geometric mean of a metric of the aggregate over a point's runs of one side; NAN. */
double sweep_value(const struct sweep *sweep, uint32_t point, uint32_t side, const char *metric);
void sweep_close(struct sweep *sweep); /* all zero is fine */

#endif
