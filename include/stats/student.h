/* stats/student: Student's t, and intervals of means. */
#ifndef RAWTPS_STATS_STUDENT_H
#define RAWTPS_STATS_STUDENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * P(T <= t) with df > 0 degrees of freedom (need not be whole); absolute error below 5e-13 for df
 * up to 300, 2e-12 up to 3,000. Incomplete beta function by its continued fraction (Lentz 1976).
 * Basic operations and square roots only: equal to the bit on every machine.
 */
double student_cdf(double t, double df);
/* The t with P(T <= t) = p, 0 < p < 1; relative error below 1e-11. */
double student_quantile(double p, double df);

/* The regularised incomplete beta function, a, b > 0, x in [0, 1]. */
double student_beta(double a, double b, double x);

struct interval {
    double mean, low, high;
};

/*
 * 95 % interval of the mean of a correlated series: 20 batch means, t with 19 degrees. A remainder
 * of n / 20 is left off the front. False, and all three set to the plain mean, if n < 40.
 */
enum { STUDENT_BATCHES = 20 };
bool student_batch_interval(const double *x, uint32_t n, struct interval *ret);

#endif
