#include "stats/student.h"

#include "base/dist.h"
#include "base/must.h"
#include <math.h>

#define LN_SQRT_2PI 0.91893853320467274178
#define PI          3.14159265358979323846

/* ln of the gamma function, x > 0: Stirling's series (Abramowitz and Stegun 6.1.41) from 16 on. */
static double ln_gamma(double x)
{
    double product = 1, z;

    while (x < 16) {
        product *= x;
        x++;
    }
    z = 1 / (x * x);
    z = (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188))))) / x;
    return (x - 0.5) * dist_ln(x) - x + LN_SQRT_2PI + z - dist_ln(product);
}

/* The j-th coefficient (from 1) of the continued fraction of DLMF 8.17.22. */
static double beta_coefficient(double a, double b, double x, int j)
{
    int half = j / 2;
    double m = half;

    if (j % 2 == 0) {
        return m * (b - m) * x / ((a + j - 1) * (a + j));
    }
    return -(a + m) * (a + b + m) * x / ((a + j - 1) * (a + j));
}

static double not_zero(double x)
{
    return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* 1 + d1 / (1 + d2 / (1 + ...)) by Lentz's method as Thompson and Barnett (1986) mend it. */
static double beta_fraction(double a, double b, double x)
{
    double value = 1, up = 1, down = 0, change = 0;

    for (int j = 1; j < 20000 && fabs(change - 1) > 1e-16; j++) {
        double d = beta_coefficient(a, b, x, j);

        down = 1 / not_zero(1 + d * down);
        up = not_zero(1 + d / up);
        change = up * down;
        value *= change;
    }
    return value;
}

double student_beta(double a, double b, double x)
{
    double front;

    must(a > 0 && b > 0 && x >= 0 && x <= 1);
    if (x == 0 || x == 1) {
        return x;
    }
    if (x > (a + 1) / (a + b + 2)) {
        return 1 - student_beta(b, a, 1 - x);
    }
    front = a * dist_ln(x) + b * dist_ln(1 - x) + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b);
    return front < -700 ? 0 : dist_exp(front) / (a * beta_fraction(a, b, x));
}

/* P(T > |t|) */
static double tail(double t, double df)
{
    double x = df / (df + t * t);

    /* where x rounds to 1 the other side of the beta function has the digits */
    if (x > 0.5) {
        return 0.5 * (1 - student_beta(0.5, df / 2, t * t / (df + t * t)));
    }
    return 0.5 * student_beta(df / 2, 0.5, x);
}

double student_cdf(double t, double df)
{
    must(df > 0 && t == t);
    return t > 0 ? 1 - tail(t, df) : tail(-t, df);
}

/* The density of t, as its value at 0 (`top`) makes it. */
static double density(double t, double df, double top)
{
    double exponent = -(df + 1) / 2 * dist_ln(1 + t * t / df);

    return exponent < -700 ? 0 : top * dist_exp(exponent);
}

double student_quantile(double p, double df)
{
    double want = p < 0.5 ? p : 1 - p, t = 0, top;

    must(p > 0 && p < 1 && df > 0);
    top = dist_exp(ln_gamma((df + 1) / 2) - ln_gamma(df / 2)) / sqrt(df * PI);
    /* the tail is convex, so that Newton's steps from 0 only rise, until rounding ends them */
    for (;;) {
        double over = tail(t, df) - want, slope = density(t, df, top), next = t + over / slope;

        if (over <= 0 || slope == 0 || next <= t || next > 1e150) {
            break;
        }
        t = next;
    }
    return p < 0.5 ? -t : t;
}

bool student_batch_interval(const double *x, uint32_t n, struct interval *ret)
{
    uint32_t length = n / STUDENT_BATCHES, front = n % STUDENT_BATCHES;
    double means[STUDENT_BATCHES], sum = 0, square = 0, half;

    if (n < 2 * STUDENT_BATCHES) {
        for (uint32_t i = 0; i < n; i++) {
            sum += x[i];
        }
        ret->mean = ret->low = ret->high = n > 0 ? sum / n : 0;
        return false;
    }
    for (uint32_t b = 0; b < STUDENT_BATCHES; b++) {
        means[b] = 0;
        for (uint32_t i = 0; i < length; i++) {
            means[b] += x[front + b * length + i];
        }
        means[b] /= length;
        sum += means[b];
    }
    ret->mean = sum / STUDENT_BATCHES;
    for (uint32_t b = 0; b < STUDENT_BATCHES; b++) {
        square += (means[b] - ret->mean) * (means[b] - ret->mean);
    }
    half = student_quantile(0.975, STUDENT_BATCHES - 1) *
           sqrt(square / (STUDENT_BATCHES - 1) / STUDENT_BATCHES);
    ret->low = ret->mean - half;
    ret->high = ret->mean + half;
    return true;
}
