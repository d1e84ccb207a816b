#include "stats/moments.h"

#include "base/dist.h"
#include <math.h>

void moments_add(struct moments *moments, double x)
{
    double off = x - moments->mean;

    moments->min = moments->count == 0 || x < moments->min ? x : moments->min;
    moments->max = moments->count == 0 || x > moments->max ? x : moments->max;
    moments->count++;
    moments->mean += off / (double)moments->count;
    moments->m2 += off * (x - moments->mean);
}

void moments_merge(struct moments *into, const struct moments *from)
{
    double off = from->mean - into->mean, n = (double)into->count + (double)from->count;

    if (from->count == 0) {
        return;
    }
    if (into->count == 0) {
        *into = *from;
        return;
    }
    into->m2 += from->m2 + off * off * ((double)into->count * (double)from->count / n);
    into->mean += off * ((double)from->count / n);
    into->min = from->min < into->min ? from->min : into->min;
    into->max = from->max > into->max ? from->max : into->max;
    into->count += from->count;
}

void moments_of(struct moments *ret, const double *x, uint64_t n)
{
    *ret = (struct moments){0};
    for (uint64_t i = 0; i < n; i++) {
        moments_add(ret, x[i]);
    }
}

bool moments_of_logs(struct moments *ret, const double *x, uint64_t n)
{
    *ret = (struct moments){0};
    for (uint64_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || x[i] <= 0) {
            *ret = (struct moments){0};
            return false;
        }
        moments_add(ret, dist_ln(x[i]));
    }
    return true;
}

double moments_variance(const struct moments *moments)
{
    return moments->count < 2 ? 0 : moments->m2 / (double)(moments->count - 1);
}

double moments_stddev(const struct moments *moments)
{
    return sqrt(moments_variance(moments));
}

double moments_cv(const struct moments *moments)
{
    return moments->mean == 0 ? 0 : moments_stddev(moments) / moments->mean;
}
