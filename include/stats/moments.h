/* stats/moments: count, mean, spread and extremes of numbers that pass by. */
#ifndef RAWTPS_STATS_MOMENTS_H
#define RAWTPS_STATS_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* All zero is empty. Numerically stable (Welford 1962); merge by Chan, Golub and LeVeque 1979. */
struct moments {
    uint64_t count;
    double mean, m2; /* m2: sum of squared distances from the mean */
    double min, max;
};

void moments_add(struct moments *moments, double x);
void moments_merge(struct moments *into, const struct moments *from);
void moments_of(struct moments *ret, const double *x, uint64_t n);
/* Of the natural logarithms; false, and all zero, if a value is not finite or not above 0. */
bool moments_of_logs(struct moments *ret, const double *x, uint64_t n);

/* Of the sample (n - 1); 0 if fewer than 2. */
double moments_variance(const struct moments *moments);
double moments_stddev(const struct moments *moments);
/* stddev / mean; 0 if the mean is 0. */
double moments_cv(const struct moments *moments);

#endif
