/* result/sweep_points: which runs of several sides are of one load. */
#ifndef RAWTPS_RESULT_SWEEP_POINTS_H
#define RAWTPS_RESULT_SWEEP_POINTS_H

#include "result/sweep.h"

/* What differs among the runs of a side. Names point into results. */
struct sweep_keys {
    char names[SWEEP_KEYS][SWEEP_NAME];
    uint32_t count;
};
void sweep_keys_find(struct sweep_keys *ret, const struct set *const *sets, uint32_t count);
/* The value of these keys in one run: "4", or "scenario=a outstanding=4" of several. */
void sweep_keys_value(const struct sweep_keys *keys, const struct result *result,
                      char ret[SWEEP_NAME]);
/* "4" "70%" "8KiB" "15k/s" as a number; NAN. */
double sweep_load(const char *value);

#endif
