/* result/comparison: what may be concluded from sets of runs, each against the first. */
#ifndef RAWTPS_RESULT_COMPARISON_H
#define RAWTPS_RESULT_COMPARISON_H

#include "result/set.h"
#include "stats/bootstrap.h"
#include "stats/compare.h"
#include <stdbool.h>
#include <stdint.h>

enum { COMPARISON_METRICS = 32 };

struct comparison_options {
    const struct set_metric *metrics[COMPARISON_METRICS];
    uint32_t metric_count; /* 0: those that are shown by themselves */
    bool aggregate, vms;   /* which rows; neither: the aggregate */
    int32_t vm;            /* of the VMs this one alone; -1: all */
    int32_t named_vm;      /* the highest that was named, for who checks it; -1: none */
    bool no_curve;         /* latency.hlog is not read: no ratio curve, no +- of quantiles */
};

/* Why a row has no verdict. */
enum comparison_why {
    COMPARISON_JUDGED,
    COMPARISON_ONE_RUN,     /* fewer than two runs on a side: within-run intervals are not enough */
    COMPARISON_ONE_SEED,    /* runs in virtual time that repeat a seed are one run */
    COMPARISON_CONCURRENCY, /* latency, and the sides did not hold as much under way */
    COMPARISON_WORKLOAD,    /* runs of one side have no type of transaction that the other has */
    COMPARISON_UNKNOWN      /* not recorded by any run of a side */
};

struct comparison_side {
    uint32_t known; /* runs that have the metric */
    double value;   /* their geometric mean, in the metric's unit; NAN */
    double within;  /* +- of a run by itself, a share (the mean of the runs'); NAN */
    double least, most;
};

struct comparison_against {
    struct compare compare; /* the base as A, this side as B */
    enum comparison_why why;
    enum compare_verdict verdict;
    double p_holm;     /* over the rows of the aggregate that are judged; NAN */
    bool crosses;      /* the 95 % interval contains 0 */
    bool ranks_differ; /* Mann-Whitney says otherwise at 5 % */
    bool too_fine;     /* a percentile that differs by less than a counter of the histogram */
    double mde;        /* of compare, but of a percentile no less than that */
};

struct comparison_row {
    const struct set_metric *metric;
    int32_t vm; /* -1: the aggregate */
    struct comparison_side sides[SET_SIDES];
    struct comparison_against against[SET_SIDES]; /* the first is unused */
};

struct comparison {
    const struct set *sets[SET_SIDES];
    uint32_t count;
    struct set_rows rows;
    uint32_t pairs[SET_SIDES]; /* of each side with the first; 0: analysed as independent */
    bool one_seed[SET_SIDES];  /* runs in virtual time that repeat a seed */
    bool unlike[SET_SIDES];    /* another workload than the base's: COMPARISON_WORKLOAD */
    bool scenario[SET_SIDES];  /* of a scenario file that is not the base's, by name or text */
    struct comparison_row *metrics;
    uint32_t metric_count;
    /* of response times, the side's over the base's; the first is unused */
    struct bootstrap_interval curve[SET_SIDES][BOOTSTRAP_CURVE];
    bool has_curve;
    double ks[SET_SIDES]; /* distance of these distributions, 0 to 1 (drift_ks); the first unused */
    double fairness[SET_SIDES]; /* mean over runs of (max - min) / mean of the VMs' tps */
    double users[SET_SIDES], concurrency[SET_SIDES]; /* means over runs: N and X (R + Z) */
};

/*
 * Compare `count` sets (2 to SET_SIDES, none empty, named); the first is the base. Sets must
 * outlive ret. Reads intervals.csv and latency.hlog of every run.
 *   errors  EXIT_WRONG_DATA: a run is void; EXIT_USAGE: a run is in two sets, a file is damaged;
 *           EXIT_FAILED
 */
int comparison_open(struct comparison *ret, const struct set *const *sets, uint32_t count,
                    const struct comparison_options *options, struct error *err);
void comparison_close(struct comparison *comparison); /* all zero is fine */

/* The order of a side's series with the base as it was, "ABBAABBAAB", '.' for runs that are
 * missing; "" if it is none. */
void comparison_order(const struct comparison *comparison, uint32_t side, char *ret, size_t size);

#endif
