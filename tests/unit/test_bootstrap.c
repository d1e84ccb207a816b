// rooms: base stats
/* Intervals within a run, slopes and distances, and since which run it is different. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/dist.h"
#include "base/mem.h"
#include "stats/bootstrap.h"
#include "stats/changepoint.h"
#include "stats/drift.h"
#include <math.h>
#include <string.h>

#define NEAR(found, want, off) assert_true(fabs((found) - (want)) <= (off))
#define SECOND_NS              1000000000ll

/* A run of n seconds, 200 lognormal latencies each, about `scale` ns. */
static void fill(struct bootstrap *bootstrap, int64_t from_s, int seconds, double scale,
                 uint64_t seed, struct hist *ret_all)
{
    static struct hist second;
    struct rng rng;

    rng_init(&rng, seed, 1);
    hist_init(ret_all);
    for (int s = 0; s < seconds; s++) {
        hist_init(&second);
        for (int i = 0; i < 200; i++) {
            hist_record(&second, (int64_t)(scale * dist_exp(0.5 * dist_normal(&rng))));
        }
        bootstrap_add(bootstrap, (from_s + s) * SECOND_NS, SECOND_NS, &second);
        hist_merge(ret_all, &second);
    }
}

static void open_sample(struct bootstrap *bootstrap, int64_t from_s, int seconds)
{
    struct error err;

    assert_int_equal(bootstrap_open(bootstrap, from_s * SECOND_NS, (from_s + seconds) * SECOND_NS,
                                    BOOTSTRAP_BLOCKS_MAX, &err),
                     0);
}

static void quantiles_are_the_histograms_own_with_an_interval(void **state)
{
    uint64_t before = mem_allocated_bytes();
    struct bootstrap_interval intervals[BOOTSTRAP_CURVE], again[BOOTSTRAP_CURVE];
    struct bootstrap bootstrap;
    static struct hist all;

    open_sample(&bootstrap, 30, 660);
    assert_int_equal(bootstrap.blocks, 22);
    fill(&bootstrap, 30, 660, 1e6, 1, &all);
    bootstrap_quantiles(&bootstrap, bootstrap_curve, BOOTSTRAP_CURVE, 7, intervals);
    bootstrap_quantiles(&bootstrap, bootstrap_curve, BOOTSTRAP_CURVE, 7, again);
    assert_memory_equal(intervals, again, sizeof(intervals));
    for (int q = 0; q < BOOTSTRAP_CURVE; q++) {
        assert_true(intervals[q].ok);
        assert_true(intervals[q].value == (double)hist_quantile(&all, bootstrap_curve[q]));
        assert_true(intervals[q].low <= intervals[q].value);
        assert_true(intervals[q].value <= intervals[q].high);
    }
    /* 132,000 values: the median is known to 1 %, p99.99 is not */
    assert_true(intervals[0].high / intervals[0].low < 1.03);
    assert_true(intervals[8].high / intervals[8].low > 1.1);
    bootstrap_close(&bootstrap);
    assert_true(mem_allocated_bytes() == before);
}

static void only_the_sample_counts(void **state)
{
    struct bootstrap bootstrap;
    struct hist *hist = mem_zalloc(sizeof(*hist));

    open_sample(&bootstrap, 100, 40);
    hist_record(hist, 500);
    for (int s = 0; s < 300; s++) {
        bootstrap_add(&bootstrap, s * SECOND_NS, SECOND_NS, hist);
    }
    assert_true(bootstrap.count == 40 && bootstrap.blocks == 20);
    for (uint32_t b = 0; b < bootstrap.blocks; b++) {
        assert_true(bootstrap.counts[(size_t)b * HIST_COUNTS + hist_index(500)] == 2);
    }
    bootstrap_close(&bootstrap);
    mem_free(hist);
}

static void what_is_too_short_has_no_interval(void **state)
{
    static const double share = 0.99;
    struct bootstrap_interval interval;
    struct bootstrap bootstrap, *side = &bootstrap;
    static struct hist all;

    open_sample(&bootstrap, 0, 19);
    fill(&bootstrap, 0, 19, 1e6, 2, &all);
    bootstrap_quantiles(&bootstrap, &share, 1, 1, &interval);
    assert_true(!interval.ok && interval.value == (double)hist_quantile(&all, 0.99));
    assert_true(interval.low == interval.value && interval.high == interval.value);
    bootstrap_ratio(&side, 1, &side, 1, &share, 1, 1, &interval);
    assert_true(!interval.ok && interval.value == 1);
    bootstrap_close(&bootstrap);
    open_sample(&bootstrap, 0, 100);
    bootstrap_quantiles(&bootstrap, &share, 1, 1, &interval);
    assert_true(!interval.ok && interval.value == 0);
    bootstrap_ratio(&side, 1, &side, 1, &share, 1, 1, &interval);
    assert_true(!interval.ok && interval.value == 0);
    bootstrap_close(&bootstrap);
    open_sample(&bootstrap, 5, -5);
    assert_int_equal(bootstrap.blocks, 0);
    bootstrap_close(&bootstrap);
}

/* Hundreds of long runs at once must fit into memory: their blocks are fewer and longer. */
static void blocks_are_as_many_as_there_is_room_for(void **state)
{
    static const struct {
        int64_t seconds;
        uint32_t most, blocks;
    } cases[] = {{1800, BOOTSTRAP_BLOCKS_MAX, 60},
                 {1800, 64, 60},
                 {1800, 32, 32},
                 {1800, 0, BOOTSTRAP_BLOCKS_MIN},
                 {86400, 5000, BOOTSTRAP_BLOCKS_MAX},
                 {60, 64, BOOTSTRAP_BLOCKS_MIN},
                 {10, 64, 0}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct bootstrap bootstrap;
        struct error err;

        assert_int_equal(
            bootstrap_open(&bootstrap, 0, cases[i].seconds * SECOND_NS, cases[i].most, &err), 0);
        assert_int_equal(bootstrap.blocks, cases[i].blocks);
        bootstrap_close(&bootstrap);
    }
}

static void a_drive_that_is_slower_by_a_fifth_shows_it_in_the_curve(void **state)
{
    struct bootstrap runs[4], *a[2] = {&runs[0], &runs[1]}, *b[2] = {&runs[2], &runs[3]};
    struct bootstrap_interval one[BOOTSTRAP_CURVE], two[BOOTSTRAP_CURVE];
    static struct hist all;

    for (int r = 0; r < 4; r++) {
        open_sample(&runs[r], 0, 600);
        fill(&runs[r], 0, 600, r < 2 ? 1e6 : 1.2e6, 10 + (uint64_t)r, &all);
    }
    bootstrap_ratio(a, 1, b, 1, bootstrap_curve, BOOTSTRAP_CURVE, 3, one);
    bootstrap_ratio(a, 2, b, 2, bootstrap_curve, BOOTSTRAP_CURVE, 3, two);
    for (int q = 0; q < BOOTSTRAP_CURVE; q++) {
        assert_true(one[q].ok && two[q].ok);
        assert_true(two[q].low <= two[q].value && two[q].value <= two[q].high);
        NEAR(two[q].value, 1.2, q < 6 ? 0.02 : 0.25);
        assert_true(q >= 6 || one[q].low > 1.1);
    }
    /* no steps of a counter's width: the median's ratio is good to a few parts in a thousand */
    NEAR(two[0].value, 1.2, 0.006);
    for (int r = 0; r < 4; r++) {
        bootstrap_close(&runs[r]);
    }
}

static void half_widths_and_seeds(void **state)
{
    double x[400];
    struct rng rng;

    rng_init(&rng, 4, 4);
    for (int i = 0; i < 400; i++) {
        x[i] = 100 + dist_normal(&rng);
    }
    /* t(.975, 19) sd / sqrt(400) / 100 */
    NEAR(bootstrap_batch_share(x, 400), 2.093 * 0.01 / 20, 0.0004);
    assert_true(isnan(bootstrap_batch_share(x, 39)));
    memset(x, 0, sizeof(x));
    assert_true(isnan(bootstrap_batch_share(x, 400)));
    assert_true(bootstrap_seed("20261130T091500Z-a") != bootstrap_seed("20261130T091500Z-b"));
    assert_true(bootstrap_seed("ab") != bootstrap_seed("ba"));
}

static void lines_and_slopes(void **state)
{
    static const double line[] = {1, 3, 5, 7, 9, 11}, odd[] = {1, 3, 500, 7, 9, 11};
    struct drift_line fit;

    drift_line(line, 6, &fit);
    assert_true(fit.slope == 2 && fit.middle == 6);
    assert_true(drift_theil_sen(line, 6) == 2);
    NEAR(drift_theil_sen(odd, 6), 2, 0.1); /* one wild value does not turn it */
    drift_line(line, 1, &fit);
    assert_true(fit.slope == 0 && fit.middle == 1 && drift_theil_sen(line, 1) == 0);
    assert_true(drift_permutation_p(line, 3, 1) == 1);
    /* 2 of 6! orders are as far */
    NEAR(drift_permutation_p(line, 6, 1), 2 / 720.0, 0.006);
}

static void distances_between_distributions(void **state)
{
    struct hist *a = mem_zalloc(sizeof(*a)), *b = mem_zalloc(sizeof(*b));

    assert_true(drift_ks(a, b) == 0);
    for (int i = 0; i < 100; i++) {
        hist_record(a, i);
        hist_record(b, i + 25);
        hist_record(b, i + 25);
    }
    NEAR(drift_ks(a, b), 0.25, 1e-12);
    assert_true(drift_ks(a, a) == 0 && drift_ks(b, a) == drift_ks(a, b));
    hist_init(b);
    hist_record(b, 1000000);
    assert_true(drift_ks(a, b) == 1);
    mem_free(a);
    mem_free(b);
}

/* Runs about `level` with a CV of 0.5 %. */
static void runs_at(struct rng *rng, double *x, uint32_t n, double level)
{
    for (uint32_t i = 0; i < n; i++) {
        x[i] = level * (1 + 0.005 * dist_normal(rng));
    }
}

static void a_change_is_found_where_it_was(void **state)
{
    static const struct changepoint_rule rule = {0};
    struct changepoint points[8];
    double x[300];
    struct rng rng;

    rng_init(&rng, 5, 5);
    runs_at(&rng, x, 30, 100);
    runs_at(&rng, x + 30, 20, 96);
    assert_int_equal(changepoint_find(x, 50, &rule, points, 8), 1);
    assert_int_equal(points[0].at, 30);
    NEAR(points[0].change, log(0.96), 0.004);
    NEAR(points[0].before, 100, 0.3);
    NEAR(points[0].after, 96, 0.4);
    assert_true(points[0].p < 1e-9);
    /* a long history: down, up, and down within one window */
    runs_at(&rng, x, 120, 100);
    runs_at(&rng, x + 120, 110, 95);
    runs_at(&rng, x + 230, 15, 102);
    runs_at(&rng, x + 245, 55, 98);
    assert_int_equal(changepoint_find(x, 300, &rule, points, 8), 3);
    assert_true(points[0].at == 120 && points[1].at == 230 && points[2].at == 245);
    assert_true(points[0].change < 0 && points[1].change > 0 && points[2].change < 0);
    /* only the newest are told where there is no room */
    assert_int_equal(changepoint_find(x, 300, &rule, points, 1), 1);
    assert_int_equal(points[0].at, 245);
    assert_int_equal(changepoint_find(x, 300, &rule, points, 0), 0);
}

static void small_changes_and_short_series_are_none(void **state)
{
    struct changepoint_rule rule = {.min_change = 0.05};
    struct changepoint points[8];
    double x[50] = {0};
    struct rng rng;

    rng_init(&rng, 6, 6);
    runs_at(&rng, x, 25, 100);
    runs_at(&rng, x + 25, 25, 97);
    assert_int_equal(changepoint_find(x, 50, &rule, points, 8), 0);
    rule.min_change = 0.01;
    assert_int_equal(changepoint_find(x, 50, &rule, points, 8), 1);
    assert_int_equal(changepoint_find(x, 3, &rule, points, 8), 0);
    assert_int_equal(changepoint_find(x, 0, &rule, points, 8), 0);
    for (int i = 0; i < 50; i++) {
        x[i] = i < 20 ? 100 : 98; /* virtual time: no spread at all */
    }
    assert_int_equal(changepoint_find(x, 50, &rule, points, 8), 1);
    assert_true(points[0].at == 20 && points[0].p == 0);
    for (int i = 0; i < 50; i++) {
        x[i] = 100;
    }
    assert_int_equal(changepoint_find(x, 50, &rule, points, 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_the_histograms_own_with_an_interval),
        cmocka_unit_test(only_the_sample_counts),
        cmocka_unit_test(what_is_too_short_has_no_interval),
        cmocka_unit_test(blocks_are_as_many_as_there_is_room_for),
        cmocka_unit_test(a_drive_that_is_slower_by_a_fifth_shows_it_in_the_curve),
        cmocka_unit_test(half_widths_and_seeds),
        cmocka_unit_test(lines_and_slopes),
        cmocka_unit_test(distances_between_distributions),
        cmocka_unit_test(a_change_is_found_where_it_was),
        cmocka_unit_test(small_changes_and_short_series_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
