/* result/history: one metric over a series of runs in order of their time, and where it changed. */
#ifndef RAWTPS_RESULT_HISTORY_H
#define RAWTPS_RESULT_HISTORY_H

#include "result/set.h"
#include "stats/changepoint.h"

enum { HISTORY_CHANGES = 64 };

struct history {
    const struct set *set; /* outlives this */
    const struct set_metric *metric;
    int32_t vm;     /* -1: the aggregate */
    double *values; /* of the runs that are whole and have it, in order of their start */
    uint32_t *runs; /* which run of the set each is */
    uint32_t count;
    uint32_t partial, wrong, unknown; /* runs left out: not whole, void, without the metric */
    struct changepoint changes[HISTORY_CHANGES]; /* `at` is an index into values */
    uint32_t change_count;
};

/*
 * Find the changes of a metric. rule: zeros take the defaults of changepoint_find().
 * Errors: EXIT_FAILED, no memory. history_free() may be called then.
 */
int history_find(struct history *history, const struct set *set, const struct set_metric *metric,
                 int32_t vm, const struct changepoint_rule *rule, struct error *err);
void history_free(struct history *history);

/* A change as a share, signed so that + is better; is it for the worse? */
double history_share(const struct history *history, const struct changepoint *change);

#endif
