/* result/window: what the rows of intervals.csv add up to. */
#ifndef RAWTPS_RESULT_WINDOW_H
#define RAWTPS_RESULT_WINDOW_H

#include "result/result.h"

/* One VM (or all) over the intervals of a phase. Counts, bytes, rates and max are exact. */
struct result_window {
    uint64_t intervals;
    int64_t from_ns, until_ns; /* begin of the first, end of the last */
    bool whole;                /* no interval is missing between them */
    uint64_t due, done, rolled_back, failed, skipped, retries;
    uint64_t read_bytes, write_bytes, flushes;
    double tps, read_mb_s, write_mb_s;
    double mean_ns, stddev_ns; /* of the intervals' means and deviations, by what ended in each */
    int64_t max_ns;
    double hit_ratio;                /* of all page accesses; NAN: unknown */
    int64_t pause_ns;                /* keying and think time of what ended, all together */
    double tps_cv, worst_second_tps; /* over intervals of full length (98 %); 0 if none */
};

/*
 * vm: -1 for the rows "all". phase: NULL for every phase. due counts what fell due in the window
 * alone, not what was open when it began.
 *   time  proportional to count
 */
void result_window_of(const struct result_interval *rows, uint64_t count, int32_t vm,
                      const char *phase, struct result_window *ret);

#endif
