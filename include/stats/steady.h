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
extern const struct steady_preset steady_presets[]; /* "pts": 20 %, 10 %; "gate": 10 %, 3 % */
enum { STEADY_PRESETS = 2 };
/* NULL if there is none of that name. */
const struct steady_preset *steady_preset(const char *name);

struct steady_window {
    double mean, range_share, excursion_share;
    bool holds; /* both within the preset's limits */
};
/* Judge a window of round means, n >= 2. A mean of 0 never holds. For `until_steady`. */
void steady_window(const double *means, uint32_t n, const struct steady_preset *preset,
                   struct steady_window *ret);

/* A sample judged as a whole; the `steady` object of run.json. */
struct steady {
    const struct steady_preset *preset;
    uint32_t rounds;                     /* whole rounds in the sample */
    uint32_t mser_cut_s;                 /* what MSER-5 would cut off its front */
    double range_share, excursion_share; /* of the last window; 0 if rounds < window_rounds */
    double drift_share, drift_p;         /* over the whole sample */
    bool drifting;                       /* |drift| > 2 % and p <= 0.05 */
    bool reached;                        /* enough rounds, the last window holds, not drifting */
};

/*
 * Judge a sample of one-second values.
 *   per_second   n values, n >= 0
 *   round_s      seconds a round; 0 takes the preset's 60 (a shortened run may take less)
 *   seed         for the permutations of the drift's p; equal seeds give equal results
 *   time         proportional to n, plus about 10 million basic operations
 */
void steady_judge(const double *per_second, uint32_t n, uint32_t round_s,
                  const struct steady_preset *preset, uint64_t seed, struct steady *ret);

/*
 * The parts. Theil-Sen slope (Sen 1968) over block means times the sample's length over its mean;
 * p: Kendall's S against permutations of the blocks (30 s each where the sample has 20 of them),
 * two-sided, 999 permutations. MSER-5 (White 1997): batches of 5, the cut in the first half that
 * makes the squared standard error of the rest smallest; in seconds.
 */
void steady_drift(const double *per_second, uint32_t n, uint64_t seed, double *ret_share,
                  double *ret_p);
uint32_t steady_mser5(const double *per_second, uint32_t n);

#endif
