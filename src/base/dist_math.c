#include "base/dist.h"

#include "base/must.h"
#include <string.h>

/* ln 2 in two parts; the first ends in 21 zero bits, so that k times it is exact. */
#define LN2_HIGH       0x1.62e42feep-1
#define LN2_LOW        0x1.a39ef35793c76p-33
#define LOG2_E         0x1.71547652b82fep+0
#define SQRT_HALF_BITS 0x3fe6a09e667f3bcdu

static double from_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

static uint64_t to_bits(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* x = m * 2^k with m in [sqrt(1/2), sqrt(2)); no branch on m, which would be a coin's toss. */
static double split(double x, int *ret_k)
{
    uint64_t bits = to_bits(x), over;
    int k = 0;

    if (bits < 0x0010000000000000u) { /* subnormal */
        bits = to_bits(x * 0x1p54);
        k = -54;
    }
    over = bits - SQRT_HALF_BITS;
    *ret_k = k + (int)((int64_t)over >> 52);
    return from_bits(bits - (over & 0xfff0000000000000u));
}

/*
 * ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.1716: the series in s^2 from its second term,
 * sum of 2 s^(2i) / (2i + 1), i from 1 to 11, in pairs of pairs (Estrin 1960) as a long chain
 * would wait for itself.
 */
static double atanh_tail(double z)
{
    double w = z * z, v = w * w;
    double low = (2.0 / 3 + z * (2.0 / 5)) + w * (2.0 / 7 + z * (2.0 / 9));
    double middle = (2.0 / 11 + z * (2.0 / 13)) + w * (2.0 / 15 + z * (2.0 / 17));
    double high = (2.0 / 19 + z * (2.0 / 21)) + w * (2.0 / 23);

    return z * (low + v * (middle + v * high));
}

double dist_ln(double x)
{
    int k;
    double m, f, s, r;

    must(x > 0 && x <= 0x1.fffffffffffffp+1023);
    m = split(x, &k);
    f = m - 1;
    s = f / (m + 1);
    r = s * atanh_tail(s * s);
    /* 2 s = f - f s: exact f, so that nothing is lost near 1, where k is 0 */
    return k * LN2_HIGH - ((f * s - (r + k * LN2_LOW)) - f);
}

/* e^(x + low), |x| < 708, low small. */
static double exp_parts(double x, double low)
{
    /* to the nearest whole number by an addition that leaves no bits behind the point */
    double kd = (x * LOG2_E + 0x1.8p52) - 0x1.8p52, r = (x - kd * LN2_HIGH) - kd * LN2_LOW + low;
    double z = r * r, w = z * z, even, odd;
    int k = (int)kd;

    /* e^r - 1 - r by Taylor to r^13, even and odd powers apart */
    even = (1.0 / 2 + z * (1.0 / 24)) +
           w * ((1.0 / 720 + z * (1.0 / 40320)) + w * (1.0 / 3628800 + z * (1.0 / 479001600)));
    odd = (1.0 / 6 + z * (1.0 / 120)) +
          w * ((1.0 / 5040 + z * (1.0 / 362880)) + w * (1.0 / 39916800 + z * (1.0 / 6227020800.0)));
    r = 1 + (r + z * (even + r * odd));
    return r * from_bits((uint64_t)(k + 1023) << 52);
}

double dist_exp(double x)
{
    must(x > -708 && x < 708);
    return exp_parts(x, 0);
}

/* a * b exactly, as the returned product and what it lacks (Dekker 1971). */
static double product(double a, double b, double *ret_rest)
{
    double p = a * b, ca = a * 0x8000001p0, cb = b * 0x8000001p0;
    double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;

    *ret_rest = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return p;
}

/* a + b exactly, for |a| >= |b|. */
static double sum(double a, double b, double *ret_rest)
{
    double s = a + b;

    *ret_rest = b - (s - a);
    return s;
}

double dist_pow(double x, double y)
{
    double m, f, g, g_rest, s, s_rest, p, p_rest, high, low, e;
    int k;

    must(x > 0 && x <= 0x1.fffffffffffffp+1023);
    if (x == 1 || y == 0) {
        return 1;
    }
    /* the logarithm in two parts: an error of 1e-16 in it would be one of 1e-13 in the result */
    m = split(x, &k);
    f = m - 1;
    g = m + 1;
    e = g - 1;
    g_rest = (1 - (g - e)) + (m - e);
    s = f / g;
    p = product(s, g, &p_rest);
    s_rest = ((f - p) - p_rest - s * g_rest) / g;
    low = 2 * s_rest + s * atanh_tail(s * s) + k * LN2_LOW;
    if (k == 0) {
        high = sum(2 * s, low, &low);
    } else {
        high = sum(k * LN2_HIGH, 2 * s, &e);
        high = sum(high, e + low, &low);
    }
    p = product(high, y, &p_rest);
    must(p > -708 && p < 708);
    return exp_parts(p, p_rest + low * y);
}
