/* stats/changepoint: since which run is it different. */
#ifndef RAWTPS_STATS_CHANGEPOINT_H
#define RAWTPS_STATS_CHANGEPOINT_H

#include <stdint.h>

/*
 * Change points of a series with one value a run, in order of time, all above 0 (others are left
 * out by the caller: must() fails). A window of runs is split where the energy distance of its two
 * parts is largest (E-divisive, Matteson and James 2014); a pooled t test on logarithms, not
 * permutations, says whether it is a change: deterministic. Parts are split again until nothing
 * changes. Zero takes the default: 50, 0.001, 0.01.
 */
struct changepoint_rule {
    uint32_t window; /* runs, 4 to CHANGEPOINT_WINDOW_MAX; longer series by windows that overlap */
    double p;        /* below this it is a change */
    double min_change; /* and if it is at least that share: max(1 %, margin / 2) */
};
enum { CHANGEPOINT_WINDOW_MAX = 200 };

struct changepoint {
    uint32_t at;          /* the first run that is different (index into the series) */
    double before, after; /* geometric means of the parts on both sides, up to the next change */
    double change;        /* ln(after / before) */
    double p;
};

/*
 *   returns  how many change points were written to ret, ascending; the newest `limit` of them (and
 *            of 256)
 *   time     proportional to n x window, and to window^2 a change
 */
uint32_t changepoint_find(const double *x, uint32_t n, const struct changepoint_rule *rule,
                          struct changepoint *ret, uint32_t limit);

#endif
