#include "stats/compare.h"

#include "base/dist.h"
#include "base/must.h"
#include "stats/moments.h"
#include "stats/student.h"
#include <math.h>

#define TAIL_TWO_SIDED 0.025
#define MDE_ALPHA      0.05
#define MDE_POWER      0.80

static double pooled_sd(const struct moments *a, const struct moments *b)
{
    double df = (double)a->count + (double)b->count - 2;

    return df > 0 ? sqrt((a->m2 + b->m2) / df) : 0;
}

static double hedges_of(const struct moments *a, const struct moments *b)
{
    double sd = pooled_sd(a, b), n = (double)a->count + (double)b->count;

    if (sd == 0 || a->count < 2 || b->count < 2) {
        return NAN;
    }
    return (b->mean - a->mean) / sd * (1 - 3 / (4 * n - 9));
}

double compare_hedges(const double *a, uint32_t n_a, const double *b, uint32_t n_b)
{
    struct moments of_a, of_b;

    moments_of(&of_a, a, n_a);
    moments_of(&of_b, b, n_b);
    return hedges_of(&of_a, &of_b);
}

static void welch(const struct moments *a, const struct moments *b, struct compare *ret)
{
    double part_a = moments_variance(a) / ret->n_a, part_b = moments_variance(b) / ret->n_b;
    double square = part_a + part_b;

    ret->se = sqrt(square);
    ret->df = ret->n_a + ret->n_b - 2.0;
    if (square > 0) {
        ret->df = square * square /
                  (part_a * part_a / (ret->n_a - 1.0) + part_b * part_b / (ret->n_b - 1.0));
    }
    ret->spread = ret->cv;
    ret->mde = compare_mde(ret->cv, ret->n_a, ret->n_b);
}

static void paired(const double *a, const double *b, struct compare *ret)
{
    struct moments d = {0};

    for (uint32_t i = 0; i < ret->n_a; i++) {
        moments_add(&d, dist_ln(b[i]) - dist_ln(a[i]));
    }
    ret->delta = d.mean;
    ret->spread = moments_stddev(&d);
    ret->se = ret->spread / sqrt(ret->n_a);
    ret->df = ret->n_a - 1.0;
    ret->mde = compare_mde_pairs(ret->spread, ret->n_a);
}

static void test_delta(struct compare *ret)
{
    compare_interval(ret, TAIL_TWO_SIDED, &ret->low, &ret->high);
    if (ret->se > 0) {
        ret->t = ret->delta / ret->se;
        ret->p = 2 * student_cdf(-fabs(ret->t), ret->df);
    } else {
        ret->t = ret->delta == 0 ? 0 : copysign(INFINITY, ret->delta);
        ret->p = ret->delta == 0 ? 1 : 0;
    }
}

void compare_runs(const double *a, uint32_t n_a, const double *b, uint32_t n_b,
                  enum compare_design design, struct compare *ret)
{
    struct moments of_a, of_b;

    must(design != COMPARE_PAIRED || n_a == n_b);
    *ret = (struct compare){.state = COMPARE_NOT_ABOVE_0, .design = design, .n_a = n_a, .n_b = n_b};
    if (!moments_of_logs(&of_a, a, n_a) || !moments_of_logs(&of_b, b, n_b)) {
        return;
    }
    ret->state = COMPARE_TOO_FEW;
    ret->mean_a = n_a > 0 ? dist_exp(of_a.mean) : 0;
    ret->mean_b = n_b > 0 ? dist_exp(of_b.mean) : 0;
    ret->delta = n_a > 0 && n_b > 0 ? of_b.mean - of_a.mean : 0;
    if (n_a < 2 || n_b < 2) {
        return;
    }
    ret->state = COMPARE_JUDGED;
    ret->cv_a = moments_stddev(&of_a);
    ret->cv_b = moments_stddev(&of_b);
    ret->cv = pooled_sd(&of_a, &of_b);
    if (design == COMPARE_PAIRED) {
        paired(a, b, ret);
    } else {
        welch(&of_a, &of_b, ret);
    }
    test_delta(ret);
    ret->hedges_g = hedges_of(&of_a, &of_b);
    ret->a12 = compare_a12(a, n_a, b, n_b);
    ret->rank_p = compare_rank_p(a, n_a, b, n_b);
}

void compare_interval(const struct compare *compare, double tail, double *ret_low, double *ret_high)
{
    double half;

    must(compare->state == COMPARE_JUDGED);
    half = compare->se > 0 ? student_quantile(1 - tail, compare->df) * compare->se : 0;
    *ret_low = compare->delta - half;
    *ret_high = compare->delta + half;
}

enum compare_verdict compare_verdict_of(const struct compare *compare, enum compare_better better,
                                        double p, double alpha)
{
    if (compare->state != COMPARE_JUDGED) {
        return COMPARE_NONE;
    }
    if (!(p <= alpha) || compare->delta == 0) {
        return COMPARE_SAME;
    }
    return (compare->delta > 0) == (better == COMPARE_HIGHER) ? COMPARE_IS_BETTER
                                                              : COMPARE_IS_WORSE;
}

double compare_share(double delta)
{
    return delta > 700 ? INFINITY : delta < -700 ? -1 : dist_exp(delta) - 1;
}

static double detectable(double se, double df, double alpha, double power)
{
    return se == 0 ? 0 : (student_quantile(1 - alpha, df) + student_quantile(power, df)) * se;
}

double compare_mde(double cv, uint32_t n_a, uint32_t n_b)
{
    if (n_a < 1 || n_b < 1 || n_a + n_b < 3) {
        return INFINITY;
    }
    return detectable(cv * sqrt(1.0 / n_a + 1.0 / n_b), n_a + n_b - 2.0, MDE_ALPHA, MDE_POWER);
}

double compare_mde_pairs(double spread, uint32_t n)
{
    return n < 2 ? INFINITY : detectable(spread / sqrt(n), n - 1.0, MDE_ALPHA, MDE_POWER);
}

double compare_mde_at(const struct compare *compare, double alpha, double power)
{
    double n_a = compare->n_a, n_b = compare->n_b;

    if (compare->state != COMPARE_JUDGED) {
        return INFINITY;
    }
    if (compare->design == COMPARE_PAIRED) {
        return detectable(compare->spread / sqrt(n_a), n_a - 1, alpha, power);
    }
    return detectable(compare->spread * sqrt(1 / n_a + 1 / n_b), n_a + n_b - 2, alpha, power);
}

uint32_t compare_runs_needed(double spread, double gap, enum compare_design design, double alpha,
                             double power, uint32_t cap)
{
    bool pairs = design == COMPARE_PAIRED;
    uint32_t low = 2, high = cap < 2 ? 2 : cap;

    if (!(gap > 0)) {
        return high;
    }
    /* what can be told apart shrinks as n grows, so halving finds the smallest n */
    while (low < high) {
        uint32_t n = low + (high - low) / 2;
        double se = spread * sqrt((pairs ? 1.0 : 2.0) / n);

        if (detectable(se, pairs ? n - 1.0 : 2.0 * n - 2, alpha, power) <= gap) {
            high = n;
        } else {
            low = n + 1;
        }
    }
    return high;
}
