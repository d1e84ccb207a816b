/* stats/hist: latencies counted so that percentiles can be merged. */
#ifndef RAWTPS_STATS_HIST_H
#define RAWTPS_STATS_HIST_H

#include <stdint.h>

/*
 * Log-linear histogram with the HDR layout: 2 significant digits over 1 ns to 1 h, 256 sub-buckets,
 * error at most 1/128. Values above an hour count in the last bucket (max stays true).
 */
enum { HIST_SUB_BITS = 8, HIST_COUNTS = 4608 };
#define HIST_HIGHEST_NS 3600000000000ll
#define HIST_LAYOUT     "hdr-2-1-3600000000000"

struct hist {
    uint64_t count;
    int64_t min_ns, max_ns; /* true extremes; 0 if nothing was recorded */
    int64_t sum_ns;         /* exact */
    unsigned __int128 sumsq_ns2;
    uint64_t counts[HIST_COUNTS];
};

/* The counter that holds v (v >= 0), and the highest value that counter i holds. */
static inline uint32_t hist_index(int64_t v)
{
    uint64_t x = v < 0 ? 0 : v > HIST_HIGHEST_NS ? (uint64_t)HIST_HIGHEST_NS : (uint64_t)v;
    uint32_t msb = 63u - (uint32_t)__builtin_clzll(x | (1u << (HIST_SUB_BITS - 1)));
    uint32_t bucket = msb - (HIST_SUB_BITS - 1);

    /* bucket 0 has 256 linear counters; each later one adds 128 */
    return (bucket << (HIST_SUB_BITS - 1)) + (uint32_t)(x >> bucket);
}
int64_t hist_highest_of(uint32_t i);

void hist_init(struct hist *hist);

/* Record one value; about 10 instructions. Negative values count as 0. */
static inline void hist_record(struct hist *hist, int64_t v)
{
    v = v < 0 ? 0 : v;
    hist->counts[hist_index(v)]++;
    hist->min_ns = __builtin_expect(hist->count == 0, 0) || v < hist->min_ns ? v : hist->min_ns;
    hist->max_ns = v > hist->max_ns ? v : hist->max_ns;
    hist->sum_ns += v;
    hist->sumsq_ns2 += (unsigned __int128)((uint64_t)v) * (uint64_t)v;
    hist->count++;
}

/* Add from's values to into's: exact, commutative, associative. */
void hist_merge(struct hist *into, const struct hist *from);
/* later - earlier of two cumulative states of one histogram; extremes bucket-rounded. */
void hist_subtract(struct hist *ret, const struct hist *later, const struct hist *earlier);

/*
 * The value below which a share of the recorded values lies.
 *   share    0 to 1; 0.99 is the 99th percentile. Outside: must() fails.
 *   returns  nanoseconds; at most 0.8 % above the true value; 0 if nothing was recorded;
 *            never above max_ns
 *   time     proportional to buckets, not to values
 *   source   nearest-rank definition (Hyndman and Fan 1996, type 1)
 */
int64_t hist_quantile(const struct hist *hist, double share);
double hist_mean(const struct hist *hist);
double hist_stddev(const struct hist *hist); /* population standard deviation, ns */

#endif
