// rooms: base
/* Dice: reference numbers, independence, and the skews that the standards' formulas imply. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "base/dist.h"
#include "base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void xoshiro_gives_its_reference_numbers(void **state)
{
    static const uint64_t expected[] = {41943041u,
                                        58720359u,
                                        3588806011781223u,
                                        3591011842654386u,
                                        9228616714210784205u,
                                        9973669472204895162u,
                                        14011001112246962877u,
                                        12406186145184390807u};
    struct rng rng = {{1, 2, 3, 4}};

    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        assert_true(rng_u64(&rng) == expected[i]);
    }
    /* splitmix64 from the seed 1234567 */
    assert_true(rng_hash(1234567) == 6457827717110365317u);
    assert_true(rng_hash(1234567 + 0x9e3779b97f4a7c15u) == 3203168211198807973u);
}

static void streams_differ_and_repeat(void **state)
{
    struct rng a, b;

    rng_init(&a, 7, 1);
    rng_init(&b, 7, 1);
    assert_memory_equal(&a, &b, sizeof(a));
    for (uint64_t stream = 0; stream < 1000; stream++) {
        int same = 0;
        double sum = 0;

        rng_init(&a, 7, stream);
        rng_init(&b, 7, stream + 1);
        for (int i = 0; i < 64; i++) {
            uint64_t x = rng_u64(&a), y = rng_u64(&b);

            same += __builtin_popcountll(x ^ y);
            sum += x == y;
        }
        assert_true(sum == 0 && abs(same - 2048) < 6 * 32); /* 64 * 64 coins, sd 32 */
    }
}

static void below_is_uniform(void **state)
{
    enum { CELLS = 10, DRAWS = 1000000 };
    double counts[CELLS] = {0}, chi = 0;
    struct rng rng;

    rng_init(&rng, 11, 0);
    for (int i = 0; i < DRAWS; i++) {
        counts[rng_between(&rng, -3, 6) + 3]++;
    }
    for (int i = 0; i < CELLS; i++) {
        chi += (counts[i] - DRAWS / CELLS) * (counts[i] - DRAWS / CELLS) / (DRAWS / CELLS);
    }
    assert_true(chi < 27.9); /* 9 degrees, p = .001 */
    for (int i = 0; i < 1000; i++) {
        double u = rng_unit(&rng), v = rng_unit_open(&rng);

        assert_true(rng_below(&rng, 1) == 0 && u >= 0 && u < 1 && v > 0 && v <= 1);
    }
}

static double relative(double x, long double exact)
{
    return (double)(fabsl(x - exact) / fabsl(exact));
}

static void logarithm_and_power_agree_with_the_c_library(void **state)
{
    struct rng rng;

    rng_init(&rng, 1, 1);
    for (int i = 0; i < 300000; i++) {
        double e = (2 * rng_unit(&rng) - 1) * 700, x = exp(e), near = 0.5 + rng_unit(&rng);
        double y = (2 * rng_unit(&rng) - 1) * 690 / log(x);

        assert_true(relative(dist_ln(x), logl(x)) < 1e-15);
        assert_true(near == 1 || relative(dist_ln(near), logl(near)) < 1e-15);
        assert_true(relative(dist_exp(e), expl(e)) < 1e-15);
        assert_true(relative(dist_pow(x, y), powl(x, y)) < 1e-14);
        assert_true(relative(dist_pow(near, 40), powl(near, 40)) < 1e-14);
    }
    assert_true(dist_ln(1) == 0 && dist_exp(0) == 1 && dist_pow(1, 1e9) == 1);
    assert_true(dist_pow(2, 10) == 1024 && dist_pow(7, 0) == 1);
    assert_true(relative(dist_ln(5e-324), -744.44007192138126231L) < 1e-15);
    assert_true(relative(dist_ln(1.7976931348623157e308), 709.78271289338399684L) < 1e-15);
    assert_true(relative(dist_ln(1 + 0x1p-52), 0x1p-52) < 1e-15);
}

static void named_moments_hold(void **state)
{
    enum { DRAWS = 1000000 };
    double e = 0, z = 0, zz = 0, l = 0, tail = 0;
    struct rng rng;

    rng_init(&rng, 2, 2);
    for (int i = 0; i < DRAWS; i++) {
        double x = dist_exponential(&rng, 12), n = dist_normal(&rng);

        e += x;
        tail += x > 12 * 4.605170186;
        z += n;
        zz += n * n;
        l += dist_lognormal(&rng, 5, 0.7);
    }
    assert_true(fabs(e / DRAWS - 12) < 0.05);
    assert_true(fabs(tail / DRAWS - 0.01) < 0.0004);
    assert_true(fabs(z / DRAWS) < 0.004 && fabs(zz / DRAWS - 1) < 0.006);
    assert_true(fabs(l / DRAWS - 5) < 0.02);
}

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/*
 * P of each value of NURand(a, x, y), C = 0, exactly. A whole block of a + 1 values gives each of
 * its own 3^(bits set) / 4^(bits) of its share; what is left of blocks is enumerated.
 */
static double *nurand_shares(int64_t a, int64_t x, int64_t y)
{
    int64_t n = y - x + 1, flat = x;
    double *share = mem_array((size_t)n, sizeof(*share)), pair = 1.0 / (double)((a + 1) * n);

    while (flat <= y) {
        if ((flat & a) == 0 && flat + a <= y) {
            for (int64_t low = 0; low <= a; low++) {
                share[(flat | low) % n] += pair * pow(3, __builtin_popcountll((uint64_t)low));
            }
            flat += a + 1;
        } else {
            for (int64_t wide = 0; wide <= a; wide++) {
                share[(wide | flat) % n] += pair;
            }
            flat++;
        }
    }
    return share;
}

static void nurand_has_the_skew_of_the_standard(void **state)
{
    static const struct {
        int64_t a, x, y;
        double top[5]; /* of the hottest 1, 5, 10, 20, 40 % */
    } rows[] = {
        {8191, 1, 100000, {.3046, .5896, .7098, .8444, .9476}},
        {1023, 1, 3000, {.2224, .4872, .6132, .7899, .9248}},
        {255, 0, 999, {.1473, .3999, .5423, .7233, .8942}},
    };
    static const int percent[] = {1, 5, 10, 20, 40};

    for (int r = 0; r < 3; r++) {
        int64_t n = rows[r].y - rows[r].x + 1, draws = 1000000;
        double *exact = nurand_shares(rows[r].a, rows[r].x, rows[r].y);
        double *drawn = mem_array((size_t)n, sizeof(*drawn)), sum = 0, chi = 0, cells = 0;
        struct rng rng;

        rng_init(&rng, 3, (uint64_t)r);
        for (int64_t i = 0; i < draws; i++) {
            drawn[dist_nurand(&rng, rows[r].a, rows[r].x, rows[r].y, 0) - rows[r].x]++;
        }
        for (int64_t i = 0; i < n; i++) {
            double want = exact[i] * (double)draws;

            /* value i + x is (wide | flat) mod n */
            chi += want >= 5 ? (drawn[i] - want) * (drawn[i] - want) / want : 0;
            cells += want >= 5;
        }
        assert_true(cells > 100 && chi < cells + 5 * sqrt(2 * cells));
        qsort(exact, (size_t)n, sizeof(*exact), falling);
        for (int64_t i = 0, p = 0; i < n && p < 5; i++) {
            sum += exact[i];
            if (i + 1 == n * percent[p] / 100) {
                if (fabs(sum - rows[r].top[p]) > 0.00006) {
                    fail_msg("row %d, %d %%: %.5f", r, percent[p], sum);
                }
                p++;
            }
        }
        mem_free(exact);
        mem_free(drawn);
    }
}

static void nurand_turns_with_c(void **state)
{
    struct rng a, b;

    rng_init(&a, 5, 5);
    rng_init(&b, 5, 5);
    for (int i = 0; i < 10000; i++) {
        int64_t plain = dist_nurand(&a, 255, 0, 999, 0), turned = dist_nurand(&b, 255, 0, 999, 123);

        assert_true(turned == (plain + 123) % 1000);
    }
}

/* What the table in WORKLOADS.md 2.3 says: the share of draws on the hottest 1, 5, 10, 20 %. */
static const struct {
    enum dist_kind kind;
    double top[4];
} skews[] = {{DIST_UNIFORM, {.01, .05, .10, .20}},
             {DIST_GAUSSIAN, {.047, .233, .447, .767}},
             {DIST_SPECIAL, {.762, .808, .862, .942}},
             {DIST_PARETO, {.528, .660, .727, .800}},
             {DIST_ZIPF, {.376, .533, .617, .715}}};

/* The hottest share of ids: low ids for pareto and zipfian, the centre for the others. */
static double hottest(const struct dist *dist, double share)
{
    double n = (double)dist->n, half = n * share / 2, middle = n / 2;

    if (dist->kind == DIST_PARETO || dist->kind == DIST_ZIPF) {
        return dist_cdf(dist, n * share);
    }
    return dist_cdf(dist, middle + half) - dist_cdf(dist, middle - half);
}

static void sysbench_ids_have_their_skew(void **state)
{
    static const double percent[] = {.01, .05, .10, .20};

    for (int kind = 0; kind < DIST_KINDS; kind++) {
        struct dist dist;

        dist_init(&dist, skews[kind].kind, 10000000, 0);
        for (int i = 0; i < 4; i++) {
            if (fabs(hottest(&dist, percent[i]) - skews[kind].top[i]) > 0.00051) {
                fail_msg("%s %g: %.5f", dist_names[kind], percent[i], hottest(&dist, percent[i]));
            }
        }
    }
}

static void draws_follow_the_cdf(void **state)
{
    static const uint64_t sizes[] = {1, 2, 7, 64, 65, 1000, 10000000};
    enum { DRAWS = 300000, CELLS = 100 };

    for (int kind = 0; kind < DIST_KINDS; kind++) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
            uint64_t n = sizes[s], cells = n < CELLS ? n : CELLS;
            double counts[CELLS] = {0}, chi = 0, used = 0;
            struct dist dist;
            struct rng rng;

            dist_init(&dist, (enum dist_kind)kind, n, 0);
            rng_init(&rng, 40 + s, (uint64_t)kind);
            for (int i = 0; i < DRAWS; i++) {
                uint64_t x = dist_draw(&dist, &rng);

                assert_true(x >= 1 && x <= n);
                counts[(x * cells + n - 1) / n - 1]++;
            }
            for (uint64_t c = 0; c < cells; c++) {
                double from = floor((double)(c * n) / (double)cells);
                double until = floor((double)((c + 1) * n) / (double)cells);
                double want = DRAWS * (dist_cdf(&dist, until) - dist_cdf(&dist, from));

                assert_true(want > 0 || counts[c] < 3);
                chi += want >= 5 ? (counts[c] - want) * (counts[c] - want) / want : 0;
                used += want >= 5;
            }
            if (chi > used + 5 * sqrt(2 * used) + 5) {
                fail_msg("%s of %lu: chi2 %.1f in %g cells", dist_names[kind], n, chi, used);
            }
        }
    }
}

static void zipf_cdf_is_the_sum_of_its_terms(void **state)
{
    static const double exponents[] = {0.5, 0.8, 1, 1.2, 2};

    for (int e = 0; e < 5; e++) {
        double total = 0, sum = 0;
        struct dist dist;

        dist_init(&dist, DIST_ZIPF, 100000, exponents[e]);
        for (int i = 1; i <= 100000; i++) {
            total += pow(i, -exponents[e]);
        }
        for (int i = 1; i <= 100000; i++) {
            sum += pow(i, -exponents[e]);
            assert_true(fabs(dist_cdf(&dist, i) - sum / total) < 1e-10);
        }
    }
}

static void zipf_head_is_right_to_the_value(void **state)
{
    enum { DRAWS = 2000000 };
    double counts[11] = {0};
    struct dist dist;
    struct rng rng;

    dist_init(&dist, DIST_ZIPF, 1000, 1);
    rng_init(&rng, 8, 8);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t x = dist_draw(&dist, &rng);

        counts[x <= 10 ? x : 0]++;
    }
    for (int k = 1; k <= 10; k++) {
        double want = DRAWS / (k * 7.485470860550345);

        assert_true(fabs(counts[k] - want) < 5 * sqrt(want));
    }
}

static void permutations_visit_each_place_once(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 100, 1000, 3000, 4096, 4097, 65537};

    for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
        uint64_t n = sizes[s], fixed = 0;
        char *seen = mem_zalloc(n);
        struct permutation perm;

        permutation_init(&perm, n, 42 + s);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t at = permutation_at(&perm, i);

            assert_true(at < n && !seen[at]);
            assert_true(permutation_inverse(&perm, at) == i);
            seen[at] = 1;
            fixed += at == i;
        }
        assert_true(n < 100 || fixed < 12);
        mem_free(seen);
    }
}

static void permutations_scatter_neighbours(void **state)
{
    enum { N = 3000, KEYS = 300 };
    double first[10] = {0}, chi = 0, near = 0;
    struct permutation perm;

    for (uint64_t key = 0; key < KEYS; key++) {
        permutation_init(&perm, N, key);
        first[permutation_at(&perm, 0) * 10 / N]++;
        for (uint64_t i = 0; i + 1 < N; i++) {
            int64_t step =
                (int64_t)permutation_at(&perm, i + 1) - (int64_t)permutation_at(&perm, i);

            near += llabs(step) <= N / 100;
        }
    }
    for (int i = 0; i < 10; i++) {
        chi += (first[i] - KEYS / 10) * (first[i] - KEYS / 10) / (KEYS / 10);
    }
    assert_true(chi < 27.9);
    near /= (double)KEYS * (N - 1);
    assert_true(fabs(near - 0.0199) < 0.002);
    permutation_init(&perm, (uint64_t)1 << 63 | 12345, 9);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_true(permutation_inverse(&perm, permutation_at(&perm, i)) == i);
    }
}

/* The same numbers with every compiler and optimisation: what virtual time rests on. */
static void draws_are_equal_to_the_bit_everywhere(void **state)
{
    char hex[SHA256_HEX];
    struct sha256 sha;
    struct dist dist;
    struct rng rng;

    sha256_init(&sha);
    for (int kind = 0; kind < DIST_KINDS; kind++) {
        dist_init(&dist, (enum dist_kind)kind, 123456789, 0);
        rng_init(&rng, 1, (uint64_t)kind);
        for (int i = 0; i < 20000; i++) {
            uint64_t x = dist_draw(&dist, &rng);
            double d[4] = {0};

            d[0] = dist_exponential(&rng, 4.743);
            d[1] = dist_lognormal(&rng, 3, 0.5);
            d[2] = dist_pow(1 + rng_unit(&rng), 7.2);
            d[3] = dist_cdf(&dist, (double)x);
            sha256_add(&sha, &x, sizeof(x));
            sha256_add(&sha, d, sizeof(d));
        }
    }
    assert_string_equal(sha256_finish_hex(&sha, hex),
                        "92bcba70f24cec586944fe98ab7085c74cc4e6d64d44270f33b73845d5438541");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xoshiro_gives_its_reference_numbers),
        cmocka_unit_test(streams_differ_and_repeat),
        cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(logarithm_and_power_agree_with_the_c_library),
        cmocka_unit_test(named_moments_hold),
        cmocka_unit_test(nurand_has_the_skew_of_the_standard),
        cmocka_unit_test(nurand_turns_with_c),
        cmocka_unit_test(sysbench_ids_have_their_skew),
        cmocka_unit_test(draws_follow_the_cdf),
        cmocka_unit_test(zipf_cdf_is_the_sum_of_its_terms),
        cmocka_unit_test(zipf_head_is_right_to_the_value),
        cmocka_unit_test(draws_are_equal_to_the_bit_everywhere),
        cmocka_unit_test(permutations_visit_each_place_once),
        cmocka_unit_test(permutations_scatter_neighbours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
