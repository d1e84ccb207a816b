/* cli/pair_series: a series of runs in turns on two drives: where each is, and what is still to do.
 */
#ifndef RAWTPS_CLI_PAIR_SERIES_H
#define RAWTPS_CLI_PAIR_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/plan.h"
#include "result/set.h"

enum { PAIR_SERIES_DIR = 400, PAIR_SERIES_MOST = 50 };

struct pair_series {
    char dir[PAIR_SERIES_DIR]; /* of the whole series; its runs are 01-A, 02-B ... in it */
    char name[40];             /* kept in each run */
    uint32_t pairs;            /* runs a side */
    int lock_fd;               /* of the directory: one process at a time is at work in it */
};

/*
 * out: the directory exactly, NULL: root/<UTC>-pair-<scenario>. resume: it may hold runs already.
 * Errors: EXIT_USAGE if it is there and not to be resumed, or is not there and is, or another
 * process is at work there.
 */
int pair_series_open(struct pair_series *ret, const char *out, const char *root,
                     const char *scenario, uint32_t pairs, bool resume, struct error *err);
void pair_series_close(struct pair_series *series);
/* The directory of the run at place `order`, from 1. */
void pair_series_run(const struct pair_series *series, uint32_t order, char ret[SET_PATH]);
/*
 * Is the run at that place complete? What is there and is not (interrupted, killed) is set aside,
 * as 03-A.partial-1. plan: what would be run there. Errors: EXIT_USAGE if what stands there is a
 * run of something else: the text names what differs.
 */
int pair_series_done(const struct pair_series *series, uint32_t order, const struct plan *plan,
                     bool *ret_done, struct error *err);
/* The same errors of what stands at that place, which is left as it is. */
int pair_series_check(const struct pair_series *series, uint32_t order, const struct plan *plan,
                      struct error *err);
/* The runs of one side that are there. Errors: as set_add(); none at all is no error. */
int pair_series_load(const struct pair_series *series, bool is_b, struct set *ret,
                     struct error *err);

#endif
