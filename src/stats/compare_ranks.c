#include "stats/compare.h"

#include <math.h>
#include <string.h>

enum { RANK_SUM_MAX = 2 * COMPARE_RANKS_MAX * (2 * COMPARE_RANKS_MAX + 1) };

double compare_a12(const double *a, uint32_t n_a, const double *b, uint32_t n_b)
{
    double u = 0;

    if (n_a == 0 || n_b == 0) {
        return 0.5;
    }
    for (uint32_t i = 0; i < n_a; i++) {
        for (uint32_t j = 0; j < n_b; j++) {
            u += b[j] > a[i] ? 1 : b[j] == a[i] ? 0.5 : 0;
        }
    }
    return u / ((double)n_a * n_b);
}

/* Twice the midrank of value among all, a whole number. */
static uint32_t double_rank(double value, const double *all, uint32_t n)
{
    uint32_t twice = 1;

    for (uint32_t i = 0; i < n; i++) {
        twice += all[i] < value ? 2 : all[i] == value ? 1 : 0;
    }
    return twice;
}

double compare_rank_p(const double *a, uint32_t n_a, const double *b, uint32_t n_b)
{
    /* ways[k][s]: choices of k of the values so far whose doubled ranks add up to s */
    uint32_t ways[COMPARE_RANKS_MAX + 1][RANK_SUM_MAX + 1], n = n_a + n_b;
    double all[2 * COMPARE_RANKS_MAX], choices = 0, as_far = 0;
    int found = 0, middle = (int)(n_a * (n + 1));

    if (n_a == 0 || n_b == 0 || n_a > COMPARE_RANKS_MAX || n_b > COMPARE_RANKS_MAX) {
        return NAN;
    }
    memcpy(all, a, n_a * sizeof(*a));
    memcpy(all + n_a, b, n_b * sizeof(*b));
    memset(ways, 0, sizeof(ways));
    ways[0][0] = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rank = double_rank(all[i], all, n);

        found += i < n_a ? (int)rank : 0;
        for (uint32_t k = i < n_a ? i + 1 : n_a; k > 0; k--) {
            for (uint32_t s = RANK_SUM_MAX; s >= rank; s--) {
                ways[k][s] += ways[k - 1][s - rank];
            }
        }
    }
    found = found > middle ? found - middle : middle - found;
    for (int s = 0; s <= RANK_SUM_MAX; s++) {
        choices += ways[n_a][s];
        as_far += (s > middle ? s - middle : middle - s) >= found ? ways[n_a][s] : 0;
    }
    return as_far / choices;
}

void compare_holm(const double *p, uint32_t n, double *ret)
{
    uint32_t left = 0;
    double highest = 0;

    for (uint32_t i = 0; i < n; i++) {
        ret[i] = fabs(p[i]);
        left += !isnan(p[i]);
    }
    /* from the smallest p on; what is done has a minus, so that no memory is needed */
    for (; left > 0; left--) {
        uint32_t least = n;

        for (uint32_t i = 0; i < n; i++) {
            if (!isnan(ret[i]) && !signbit(ret[i]) && (least == n || ret[i] < ret[least])) {
                least = i;
            }
        }
        highest = fmax(highest, fmin(1, left * ret[least]));
        ret[least] = -highest;
    }
    for (uint32_t i = 0; i < n; i++) {
        ret[i] = fabs(ret[i]);
    }
}
