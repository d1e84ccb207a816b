#include "base/dist.h"

#include "base/must.h"
#include <math.h>
#include <stdbool.h>

const char *const dist_names[DIST_KINDS] = {"uniform", "gaussian", "special", "pareto", "zipfian"};

enum { PARETO_POWER = 0 };
enum { ZIPF_Q, ZIPF_H1, ZIPF_HN, ZIPF_S, ZIPF_TOTAL };
enum { GAUSSIAN_DRAWS = 12 };

double dist_exponential(struct rng *rng, double mean)
{
    return -mean * dist_ln(rng_unit_open(rng));
}

double dist_normal(struct rng *rng)
{
    double x, y, s;

    do {
        x = 2 * rng_unit(rng) - 1;
        y = 2 * rng_unit(rng) - 1;
        s = x * x + y * y;
    } while (s >= 1 || s == 0);
    return x * sqrt(-2 * dist_ln(s) / s);
}

double dist_lognormal(struct rng *rng, double mean, double sigma)
{
    return mean * dist_exp(sigma * dist_normal(rng) - sigma * sigma / 2);
}

int64_t dist_nurand(struct rng *rng, int64_t a, int64_t x, int64_t y, int64_t c)
{
    int64_t wide = rng_between(rng, 0, a), flat = rng_between(rng, x, y);

    return ((wide | flat) + c) % (y - x + 1) + x;
}

/* Rejection-inversion (Hörmann and Derflinger 1996): h(x) = x^-q, H its integral from 1. */
static double zipf_h(double q, double x)
{
    return dist_exp(-q * dist_ln(x));
}

static bool zipf_is_harmonic(double q)
{
    return q > 1 - 1e-9 && q < 1 + 1e-9;
}

static double zipf_integral(double q, double x)
{
    return zipf_is_harmonic(q) ? dist_ln(x) : (dist_exp((1 - q) * dist_ln(x)) - 1) / (1 - q);
}

static double zipf_integral_inverse(double q, double u)
{
    return zipf_is_harmonic(q) ? dist_exp(u) : dist_exp(dist_ln(1 + (1 - q) * u) / (1 - q));
}

/* Sum of i^-q for i up to x: term by term, then Euler and Maclaurin. */
static double zipf_sum(double q, double x)
{
    double sum = 0, a = 64, fa, fb;

    for (double i = 1; i <= a && i <= x; i++) {
        sum += zipf_h(q, i);
    }
    if (x <= a) {
        return sum;
    }
    fa = zipf_h(q, a);
    fb = zipf_h(q, x);
    sum += zipf_integral(q, x) - zipf_integral(q, a) + (fb - fa) / 2;
    sum += (-q * fb / x + q * fa / a) / 12;
    return sum - q * (q + 1) * (q + 2) * (-fb / (x * x * x) + fa / (a * a * a)) / 720;
}

static void zipf_init(struct dist *dist, double q)
{
    double *p = dist->p;

    p[ZIPF_Q] = q;
    p[ZIPF_H1] = zipf_integral(q, 1.5) - 1;
    p[ZIPF_HN] = zipf_integral(q, (double)dist->n + 0.5);
    p[ZIPF_S] = 2 - zipf_integral_inverse(q, zipf_integral(q, 2.5) - zipf_h(q, 2));
    p[ZIPF_TOTAL] = zipf_sum(q, (double)dist->n);
}

static uint64_t zipf_draw(const struct dist *dist, struct rng *rng)
{
    const double *p = dist->p;

    for (;;) {
        double u = p[ZIPF_HN] + rng_unit(rng) * (p[ZIPF_H1] - p[ZIPF_HN]);
        double x = zipf_integral_inverse(p[ZIPF_Q], u);
        uint64_t k = x < 1 ? 1 : (uint64_t)(x + 0.5);

        k = k > dist->n ? dist->n : k;
        if ((double)k - x <= p[ZIPF_S] ||
            u >= zipf_integral(p[ZIPF_Q], (double)k + 0.5) - zipf_h(p[ZIPF_Q], (double)k)) {
            return k;
        }
    }
}

/* The place of a share in [0, 1) of the range. */
static uint64_t place(uint64_t n, double share)
{
    uint64_t at = (uint64_t)((double)n * share);

    return 1 + (at < n ? at : n - 1);
}

static uint64_t gaussian_draw(uint64_t n, struct rng *rng)
{
    double sum = 0;

    for (int i = 0; i < GAUSSIAN_DRAWS; i++) {
        sum += rng_unit(rng);
    }
    return place(n, sum / GAUSSIAN_DRAWS);
}

/* The hot centre of special: its first id and how many there are (Sysbench 0.5). */
static uint64_t centre_first(uint64_t n)
{
    return 1 + n / 2 - n / 200;
}

static uint64_t centre_length(uint64_t n)
{
    uint64_t length = n / 100, room = n - centre_first(n) + 1;

    length = length < 1 ? 1 : length;
    return length < room ? length : room;
}

static uint64_t special_draw(uint64_t n, struct rng *rng)
{
    if ((rng_u64(rng) >> 62) == 0) {
        return gaussian_draw(n, rng);
    }
    return centre_first(n) + rng_below(rng, centre_length(n));
}

static uint64_t pareto_draw(const struct dist *dist, struct rng *rng)
{
    return place(dist->n, dist_exp(dist->p[PARETO_POWER] * dist_ln(rng_unit_open(rng))));
}

void dist_init(struct dist *dist, enum dist_kind kind, uint64_t n, double param)
{
    double h = param > 0 ? param : 0.2;

    must(n >= 1 && (unsigned)kind < DIST_KINDS && param >= 0);
    *dist = (struct dist){.kind = kind, .n = n};
    if (kind == DIST_PARETO) {
        must(h < 1);
        dist->p[PARETO_POWER] = dist_ln(h) / dist_ln(1 - h);
    } else if (kind == DIST_ZIPF) {
        zipf_init(dist, param > 0 ? param : 0.8);
    }
}

uint64_t dist_draw(const struct dist *dist, struct rng *rng)
{
    switch (dist->kind) {
    case DIST_GAUSSIAN:
        return gaussian_draw(dist->n, rng);
    case DIST_SPECIAL:
        return special_draw(dist->n, rng);
    case DIST_PARETO:
        return pareto_draw(dist, rng);
    case DIST_ZIPF:
        return zipf_draw(dist, rng);
    default:
        return 1 + rng_below(rng, dist->n);
    }
}

/* P(mean of 12 uniforms < share): Irwin and Hall 1927. */
static double gaussian_cdf(double share)
{
    double t = share * GAUSSIAN_DRAWS, sum = 0, choose = 1, factorial = 1;

    if (share > 0.5) {
        return 1 - gaussian_cdf(1 - share);
    }
    for (int j = 0; j <= GAUSSIAN_DRAWS; j++) {
        double power = 1;

        for (int i = 0; i < GAUSSIAN_DRAWS; i++) {
            power *= t - j;
        }
        sum += t > j ? (j % 2 == 0 ? choose : -choose) * power : 0;
        choose = choose * (GAUSSIAN_DRAWS - j) / (j + 1);
        factorial *= j > 0 ? j : 1;
    }
    return sum / factorial;
}

static double special_cdf(const struct dist *dist, double k)
{
    double first = (double)centre_first(dist->n), length = (double)centre_length(dist->n);
    double centre = (k - first + 1) / length;

    centre = centre < 0 ? 0 : centre > 1 ? 1 : centre;
    return 0.25 * gaussian_cdf(k / (double)dist->n) + 0.75 * centre;
}

double dist_cdf(const struct dist *dist, double x)
{
    double n = (double)dist->n, k = x < 1 ? 0 : x >= n ? n : (double)(uint64_t)x;

    if (k <= 0 || k >= n) {
        return k <= 0 ? 0 : 1;
    }
    switch (dist->kind) {
    case DIST_GAUSSIAN:
        return gaussian_cdf(k / n);
    case DIST_SPECIAL:
        return special_cdf(dist, k);
    case DIST_PARETO:
        return dist_exp(dist_ln(k / n) / dist->p[PARETO_POWER]);
    case DIST_ZIPF:
        return zipf_sum(dist->p[ZIPF_Q], k) / dist->p[ZIPF_TOTAL];
    default:
        return k / n;
    }
}
