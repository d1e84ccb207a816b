/* stats/steady: was the system steady while it was measured. */
#ifndef RAWTPS_STATS_STEADY_H
#define RAWTPS_STATS_STEADY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * After SNIA PTS 2.0.2: over a window of rounds, the range (max - min) and the excursion (rise or
 * fall of the least-squares line across the window) of the round means, as shares of the window's
 * mean.
 */
struct steady_preset {
    const char *name;
    double range_limit, excursion_limit;
    uint32_t window_rounds, max_rounds, round_s;
};
extern const struct steady_preset steady_presets[]; /* "snia": 20 %, 10 %; "gate": 10 %, 3 % */
enum { STEADY_PRESETS = 2 };
/* NULL if there is none of that name. NULL or "" is the default, snia. */
const struct steady_preset *steady_preset(const char *name);

struct steady_window {
    double mean, range_share, excursion_share;
    bool holds; /* both within the preset's limits */
};
/* Are these two shares, of a result for instance, within the preset's limits? */
bool steady_within(const struct steady_preset *preset, double range_share, double excursion_share);
/* Judge a window of round means, n >= 2. A mean of 0 never holds. */
void steady_window(const double *means, uint32_t n, const struct steady_preset *preset,
                   struct steady_window *ret);

/*
 * For `until_steady`: seconds come in, rounds go out; a window of rounds is kept, so nothing grows.
 * It holds once throughput and mean latency both do, each over the last window_rounds rounds. All
 * zero but the preset is the beginning.
 */
enum { STEADY_WINDOW_MAX = 32 };
struct steady_watch {
    const struct steady_preset *preset;
    double shortened; /* of a phase made shorter: the share of a round's length; 0: 1 */
    uint32_t rounds;  /* so far */
    double tps[STEADY_WINDOW_MAX],
        latency_ns[STEADY_WINDOW_MAX]; /* of the last rounds, oldest first */
    double done, spent_ns; /* of the round under way: transactions, their latencies added up */
    int64_t round_ns;
};
/* One interval: what was done in it, the mean latency of that; true: steady now. */
bool steady_watch(struct steady_watch *watch, int64_t length_ns, double done, double mean_ns);

/* What was measured, one value a second. */
struct steady_series {
    const double *tps;
    const double *lat_avg_ns,
        *lat_p99_ns; /* NULL: not judged; 0 in a second without transactions */
    uint32_t n;
};

/* A sample judged as a whole; the `steady` object of run.json. */
struct steady {
    const struct steady_preset *preset;
    uint32_t rounds;                     /* whole rounds in the sample */
    uint32_t mser_cut_s;                 /* what MSER-5 would cut off its front */
    uint32_t warm_up_short_s;            /* mser_cut_s if it matters (steady.c), else 0 */
    double range_share, excursion_share; /* TPS, the last window; 0 if rounds < window_rounds */
    struct steady_window lat_avg;        /* the same of the mean latency; it counts too */
    struct steady_window lat_p99;        /* of the p99 of the seconds: advice, never counts */
    double drift_share, drift_p;         /* TPS over the whole sample */
    bool drifting;                       /* |drift| > 2 % and p <= 0.05 */
    bool reached; /* enough rounds, the last window holds (TPS and mean latency), not drifting */
};

/*
 * Judge a sample.
 *   series       n >= 0 seconds
 *   round_s      seconds a round; 0 takes the preset's 60 (a shortened run may take less)
 *   seed         for the permutations of the drift's p; equal seeds give equal results
 *   time         proportional to n, plus about 10 million basic operations
 * The mean latency of a round weighs each second by its TPS.
 */
void steady_judge(const struct steady_series *series, uint32_t round_s,
                  const struct steady_preset *preset, uint64_t seed, struct steady *ret);

#endif
