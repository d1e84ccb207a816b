/* stats/little: Little's law, N = X (R + Z), of runs and of figures that others published. */
#ifndef RAWTPS_STATS_LITTLE_H
#define RAWTPS_STATS_LITTLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A closed system holds N = X (R + Z): N users, X a second, R the mean response time, Z the mean
 * think and keying time (Little 1961). Times are ns, rates a second. Where N is known, X (R + Z)
 * may differ from it by LITTLE_TOLERANCE; two sides whose N differ by more than
 * LITTLE_PAIR_TOLERANCE were not run alike, so their latencies cannot be compared.
 */
#define LITTLE_TOLERANCE      0.02
#define LITTLE_PAIR_TOLERANCE 0.05

double little_concurrency(double per_s, double response_ns, double think_ns);
/* N / Z, the most that N users can ask for a second; 0 without think time. */
double little_ceiling(double users, double think_ns);
/* max / min - 1 of two concurrencies above 0. */
double little_pair(double a, double b);

/*
 * By how much cycles that are cut off at both ends of a sample may move X (R + Z) / N: a few
 * standard errors of a count, and as each user's first and last cycle is cut, two cycles of as many
 * as he went through, or as fit in the sample. Where cycles differ, the cut ones are the longer
 * ones: twice E[C^2] / 2 E[C].
 *   users, ended         above 0; ended: responses in the sample
 *   cycle_ns, stddev_ns  mean of R + Z, and the standard deviation of R
 */
double little_cut_off(double users, double ended, double sample_ns, double cycle_ns,
                      double stddev_ns);

/* A published row. What was not published is NAN. */
struct little_row {
    double users; /* declared */
    double per_s, response_ns;
    double think_ns; /* 0: a load generator's threads, which wait for nothing */
};

enum little_verdict {
    LITTLE_NO_FIGURE,    /* X or R was not published */
    LITTLE_NO_USERS,     /* N was not declared: there is nothing to hold X (R + Z) against */
    LITTLE_NO_THINK,     /* Z was not published, and no other row tells it */
    LITTLE_CONSISTENT,   /* within LITTLE_TOLERANCE */
    LITTLE_INCONSISTENT, /* the row contradicts itself */
    LITTLE_VERDICTS
};
extern const char *const little_verdict_names[LITTLE_VERDICTS];

/* What cannot be known is NAN. */
struct little_finding {
    enum little_verdict verdict;
    double own_think_ns;        /* published, else N/X - R */
    double think_ns;            /* Z it is held against: published, else the mean of other rows */
    double concurrency;         /* X (R + Z) */
    double off;                 /* concurrency / N - 1 */
    double implied_per_s;       /* the X that R means: N / (R + Z) */
    double implied_response_ns; /* the R that X means: N/X - Z; negative: X is above the ceiling */
    double ceiling_per_s, ceiling_share; /* N / Z, X of it; where there is think time */
    double unit; /* R was probably printed in a unit so many times too large (1000) or too small
                    (0.001); 1: no such suspicion */
};

/*
 * Judge the rows of one test. Where Z was not published, N/X - R is held against the mean Z of the
 * other rows, leaving out those that contradict themselves; of several, the one that is furthest
 * off is left out first. Two rows that only have each other are both inconsistent. A unit is
 * suspected if N is off by more than 4 times and a factor of 1,000 or a million on R mends that; it
 * is held against N, or where N was not declared against the median of the other rows.
 *   ret   count findings
 *   time  proportional to the cube of count
 */
void little_judge(const struct little_row *rows, uint32_t count, struct little_finding *ret);

#endif
