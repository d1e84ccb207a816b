// rooms: base stats
/* Steady or not, on series whose truth is known; Student's t against tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/dist.h"
#include "stats/drift.h"
#include "stats/moments.h"
#include "stats/steady.h"
#include "stats/student.h"
#include <math.h>
#include <string.h>

enum { N = 1800 };

/* AR(1) round `mean` with a standard deviation of `sd`. */
static void make_series(double *x, int n, double mean, double sd, double ar, uint64_t seed)
{
    struct rng rng;
    double y;

    rng_init(&rng, seed, 1);
    y = dist_normal(&rng);
    for (int i = 0; i < n; i++) {
        x[i] = mean + sd * y;
        y = ar * y + sqrt(1 - ar * ar) * dist_normal(&rng);
    }
}

static void student_gives_the_values_of_tables(void **state)
{
    static const struct {
        double p, df, t;
    } rows[] = {
        {0.975, 1, 12.706204736174707},
        {0.975, 2, 4.302652729749462},
        {0.975, 4, 2.776445105197793},
        {0.975, 19, 2.093024054408310},
        {0.975, 30, 2.042272456301238},
        {0.95, 4, 2.131846786326650},
        {0.95, 8, 1.859548037530898},
        {0.80, 8, 0.888889517767019},
        {0.995, 5, 4.032142983555227},
        {0.999, 10, 4.143700494046617},
        {0.75, 1, 1.0},
        {0.975, 1000, 1.962339080826408},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        double t = student_quantile(rows[i].p, rows[i].df);

        if (fabs(t / rows[i].t - 1) > 1e-11) {
            fail_msg("p %g df %g: %.15g", rows[i].p, rows[i].df, t);
        }
        assert_true(fabs(student_cdf(rows[i].t, rows[i].df) - rows[i].p) < 5e-13);
        assert_true(student_quantile(1 - rows[i].p, rows[i].df) < 0);
    }
    assert_true(student_cdf(0, 7) == 0.5 && student_quantile(0.5, 7) == 0);
}

static void student_agrees_with_closed_forms(void **state)
{
    for (double t = -40; t <= 40; t += 0.37) {
        double one = 0.5 + atan(t) / M_PI, two = 0.5 + t / (2 * sqrt(2 + t * t));
        double x = t * t / 4, four = 0.5 + 0.375 * (t / sqrt(1 + x)) * (1 - x / (1 + x) / 3);

        assert_true(fabs(student_cdf(t, 1) - one) < 5e-13);
        assert_true(fabs(student_cdf(t, 2) - two) < 5e-13);
        assert_true(fabs(student_cdf(t, 4) - four) < 5e-13);
    }
    assert_true(fabs(student_cdf(1.96, 1e6) - 0.9750021048517795) < 2e-7);
    assert_true(fabs(student_beta(2, 3, 0.4) - 0.5248) < 1e-13);
    assert_true(student_beta(2, 3, 0) == 0 && student_beta(2, 3, 1) == 1);
}

static void batch_intervals_cover_as_simulated(void **state)
{
    static const struct {
        double ar, low, high;
    } rows[] = {{0, .925, .970}, {0.5, .925, .970}, {0.8, .920, .970}, {0.95, .890, .950}};
    enum { RUNS = 1000 };
    static double x[N];

    for (int r = 0; r < 4; r++) {
        double covered = 0;

        for (uint64_t run = 0; run < RUNS; run++) {
            struct interval interval;

            make_series(x, N, 3163, 158, rows[r].ar, run * 7 + (uint64_t)r);
            assert_true(student_batch_interval(x, N, &interval));
            covered += interval.low <= 3163 && 3163 <= interval.high;
        }
        if (covered / RUNS < rows[r].low || covered / RUNS > rows[r].high) {
            fail_msg("AR %g: covered %g", rows[r].ar, covered / RUNS);
        }
    }
}

static void short_series_have_no_interval(void **state)
{
    static const double x[41] = {1, 2, 3};
    struct interval interval;

    assert_false(student_batch_interval(x, 3, &interval));
    assert_true(interval.mean == 2 && interval.low == 2 && interval.high == 2);
    assert_false(student_batch_interval(x, 0, &interval));
    assert_true(student_batch_interval(x, 41, &interval));
}

static void moments_merge_like_one_pass(void **state)
{
    struct moments whole, part = {0}, rest = {0}, empty = {0};
    static double x[N];

    make_series(x, N, 1e9, 1, 0.5, 3);
    moments_of(&whole, x, N);
    moments_of(&part, x, 700);
    moments_of(&rest, x + 700, N - 700);
    moments_merge(&part, &rest);
    moments_merge(&part, &empty);
    moments_merge(&empty, &part);
    assert_true(empty.count == N && empty.min == whole.min && empty.max == whole.max);
    assert_true(fabs(empty.mean - whole.mean) < 1e-6);
    assert_true(fabs(moments_stddev(&empty) / moments_stddev(&whole) - 1) < 1e-7);
    assert_true(fabs(moments_stddev(&whole) - 1) < 0.1);
    moments_of(&empty, x, 1);
    assert_true(moments_variance(&empty) == 0 && moments_cv(&empty) == 0);
}

static void windows_are_held_against_their_limits(void **state)
{
    static const struct {
        const char *preset;
        double means[5], range, excursion;
        bool holds;
    } rows[] = {
        {"snia", {100, 100, 100, 100, 100}, 0, 0, true},
        {"snia", {110, 90, 110, 90, 110}, 20 / 102.0, 0, true},
        {"snia", {115, 90, 110, 90, 110}, 25 / 103.0, .0388350, false},
        {"snia", {96, 98, 100, 102, 104}, .08, .08, true},
        {"gate", {96, 98, 100, 102, 104}, .08, .08, false},
        {"snia", {94, 97, 100, 103, 106}, .12, .12, false},
        {"gate", {101, 100, 99, 100, 101}, .01996, 0, true},
        {"snia", {0, 0, 0, 0, 0}, 0, 0, false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct steady_window window;

        steady_window(rows[i].means, 5, steady_preset(rows[i].preset), &window);
        if (fabs(window.range_share - rows[i].range) > 1e-5 || window.holds != rows[i].holds ||
            fabs(window.excursion_share - rows[i].excursion) > 1e-5) {
            fail_msg("%zu: %g %g %d", i, window.range_share, window.excursion_share, window.holds);
        }
    }
    assert_null(steady_preset("lenient"));
    assert_ptr_equal(steady_preset(NULL), steady_preset("snia"));
    assert_ptr_equal(steady_preset(""), steady_preset("snia"));
    assert_true(steady_preset("snia")->round_s == 60 && steady_preset("gate")->max_rounds == 25);
}

/* Throughput alone. */
static void judge(const double *x, uint32_t n, uint32_t round_s, const struct steady_preset *preset,
                  uint64_t seed, struct steady *ret)
{
    struct steady_series series = {.tps = x, .n = n};

    steady_judge(&series, round_s, preset, seed, ret);
}

static void level_series_are_steady(void **state)
{
    static double x[N];
    int drifting = 0, reached = 0;

    for (uint64_t seed = 0; seed < 100; seed++) {
        struct steady steady;

        make_series(x, N, 3163, 100, 0.5, seed);
        judge(x, N, 0, steady_preset("snia"), seed, &steady);
        assert_int_equal(steady.rounds, 30);
        drifting += steady.drift_p <= 0.05;
        reached += steady.reached;
    }
    assert_true(drifting <= 14); /* nominal 5 of 100 */
    assert_true(reached == 100);
}

static void a_drift_is_seen_and_measured(void **state)
{
    static double x[N];
    struct steady steady;

    make_series(x, N, 3163, 60, 0.3, 5);
    for (int i = 0; i < N; i++) {
        x[i] *= 1 - 0.10 * i / N;
    }
    judge(x, N, 0, steady_preset("snia"), 1, &steady);
    assert_true(fabs(steady.drift_share + 0.10 / 0.95) < 0.01 && steady.drift_p <= 0.002);
    assert_true(steady.drifting && !steady.reached);
    /* the last five minutes alone are level enough: the drift is what gives it away */
    assert_true(steady.range_share < 0.2 && steady.excursion_share < 0.1);
}

static void a_warm_up_that_was_too_short_is_cut(void **state)
{
    static const struct {
        double constant;
        uint32_t least, most;
    } rows[] = {{1, 0, 60}, {60, 60, 300}, {200, 250, 900}};
    static double x[2 * N];

    for (int r = 0; r < 3; r++) {
        uint32_t cut;

        make_series(x, 2 * N, 3163, 158, 0.8, 77);
        for (int i = 0; i < 2 * N; i++) {
            x[i] -= 2000 * exp(-i / rows[r].constant);
        }
        cut = drift_mser5(x, 2 * N);
        if (cut < rows[r].least || cut > rows[r].most || cut % 5) {
            fail_msg("time constant %g: cut %u", rows[r].constant, cut);
        }
    }
    for (int i = 0; i < N; i++) {
        x[i] = 5;
    }
    assert_int_equal(drift_mser5(x, N), 0);
}

static void a_latency_that_creeps_up_is_not_steady(void **state)
{
    static double x[N], mean[N], p99[N];
    struct steady_series series = {x, mean, p99, N};
    struct steady steady;

    make_series(x, N, 3163, 20, 0.3, 6);
    make_series(mean, N, 5e6, 1e4, 0.3, 7);
    make_series(p99, N, 2e7, 1e5, 0.3, 8);
    steady_judge(&series, 0, steady_preset("gate"), 1, &steady);
    assert_true(steady.reached && steady.lat_avg.holds && steady.lat_p99.holds);
    assert_true(fabs(steady.lat_avg.mean / 5e6 - 1) < 0.01);
    /* users who think hide it from throughput: 5 % more every minute */
    for (int i = 0; i < N; i++) {
        mean[i] *= 1 + 0.05 * i / 60;
    }
    steady_judge(&series, 0, steady_preset("snia"), 1, &steady);
    assert_true(!steady.drifting && steady.range_share < 0.01);
    assert_true(!steady.lat_avg.holds || steady.lat_avg.excursion_share < 0.1);
    steady_judge(&series, 0, steady_preset("gate"), 1, &steady);
    assert_true(!steady.lat_avg.holds && !steady.reached);
    /* the tail alone is told, but does not decide */
    make_series(mean, N, 5e6, 1e4, 0.3, 7);
    for (int i = 0; i < N; i++) {
        p99[i] *= i / 60 % 2 ? 1.3 : 1;
    }
    steady_judge(&series, 0, steady_preset("snia"), 1, &steady);
    assert_true(steady.reached && !steady.lat_p99.holds && steady.lat_p99.range_share > 0.2);
    /* seconds in which nothing ended say nothing about latency */
    for (int i = 0; i < N; i += 3) {
        x[i] = mean[i] = 0;
    }
    steady_judge(&series, 0, steady_preset("gate"), 1, &steady);
    assert_true(fabs(steady.lat_avg.mean / 5e6 - 1) < 0.01 && steady.lat_avg.holds);
}

static void a_short_warm_up_is_told_by_its_seconds(void **state)
{
    static double x[2 * N];
    struct steady steady;

    make_series(x, 2 * N, 3163, 158, 0.8, 77);
    judge(x, 2 * N, 0, steady_preset("snia"), 1, &steady);
    assert_true(steady.mser_cut_s <= 180 && steady.warm_up_short_s == 0);
    for (int i = 0; i < 2 * N; i++) {
        x[i] -= 2000 * exp(-i / 200.0);
    }
    judge(x, 2 * N, 0, steady_preset("snia"), 1, &steady);
    assert_true(steady.mser_cut_s > 180 && steady.warm_up_short_s == steady.mser_cut_s);
}

/* Checkpoints, a minute each, the first ones rougher: whatever is cut, the mean is the same. */
static void waves_without_a_trend_are_no_short_warm_up(void **state)
{
    static double x[N];
    struct steady steady;

    for (int i = 0; i < N; i++) {
        x[i] = 12590 + (i < 120 ? 400 : 60) * sin(i * 2 * 3.14159265 / 60);
    }
    judge(x, N, 0, steady_preset("snia"), 1, &steady);
    assert_true(steady.mser_cut_s > N / 20);
    assert_int_equal(steady.warm_up_short_s, 0);
}

/* Feeds a drive that slows down to its steady state; returns the second at which it is called so.
 */
static int steady_after(const char *preset, double settle_s, double latency_settle_s)
{
    struct steady_watch watch = {.preset = steady_preset(preset)};

    for (int s = 0; s < 4 * 3600; s++) {
        double tps = 1000 + 3000 * exp(-s / settle_s);
        double mean_ns = 1e7 - 8e6 * exp(-s / latency_settle_s);

        if (steady_watch(&watch, 1000000000, tps, mean_ns)) {
            return s + 1;
        }
    }
    return -1;
}

static void watching_ends_when_both_figures_are_steady(void **state)
{
    assert_int_equal(steady_after("snia", 20, 20), 360); /* the first round holds the fall */
    assert_int_equal(steady_after("snia", 1e-3, 1e-3), 300);
    assert_true(steady_after("snia", 300, 300) > 900);
    assert_true(steady_after("gate", 300, 300) > steady_after("snia", 300, 300));
    assert_true(steady_after("snia", 1, 1200) > 1200); /* latency alone still moves */
    assert_int_equal(steady_after("snia", 300, 300) % 60, 0);
}

static void intervals_need_not_fit_into_rounds(void **state)
{
    struct steady_watch watch = {.preset = steady_preset("snia")};
    int rounds = 0;

    for (int i = 0; i < 60; i++) {
        if (steady_watch(&watch, 7000000000, 7000, 1e6)) {
            break;
        }
        rounds = (int)watch.rounds;
    }
    assert_int_equal(rounds, 4);
    assert_true(watch.rounds == 5 && watch.tps[4] == 1000 && watch.latency_ns[0] == 1e6);
    /* a run made shorter has shorter rounds */
    watch = (struct steady_watch){.preset = steady_preset("snia"), .shortened = 0.05};
    rounds = 0;
    while (!steady_watch(&watch, 1000000000, 500, 1e6)) {
        rounds++;
    }
    assert_int_equal(rounds + 1, 15);
    /* a dead server is never steady */
    watch = (struct steady_watch){.preset = steady_preset("snia")};
    for (int i = 0; i < 600; i++) {
        assert_false(steady_watch(&watch, 1000000000, 0, 0));
    }
}

static void short_and_dead_samples_are_not_steady(void **state)
{
    static double x[N];
    struct steady steady;

    for (uint32_t n = 0; n < 80; n++) {
        judge(x, n, 0, steady_preset("snia"), 1, &steady);
        assert_false(steady.reached);
        assert_true(steady.drift_share == 0 && steady.drift_p == 1);
    }
    make_series(x, N, 100, 1, 0, 2);
    judge(x, 299, 0, steady_preset("gate"), 1, &steady);
    assert_true(steady.rounds == 4 && !steady.reached);
    judge(x, 60, 10, steady_preset("gate"), 1, &steady);
    assert_true(steady.rounds == 6 && steady.reached);
}

static void equal_seeds_judge_equally(void **state)
{
    static double x[N];
    struct steady a, b;

    make_series(x, N, 100, 5, 0.9, 4);
    memset(&a, 0, sizeof(a));
    memset(&b, 0, sizeof(b));
    judge(x, N, 0, steady_preset("gate"), 9, &a);
    judge(x, N, 0, steady_preset("gate"), 9, &b);
    assert_true(a.drift_p == b.drift_p && a.drift_share == b.drift_share);
    assert_true(a.mser_cut_s == b.mser_cut_s && a.reached == b.reached);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_gives_the_values_of_tables),
        cmocka_unit_test(student_agrees_with_closed_forms),
        cmocka_unit_test(batch_intervals_cover_as_simulated),
        cmocka_unit_test(short_series_have_no_interval),
        cmocka_unit_test(moments_merge_like_one_pass),
        cmocka_unit_test(windows_are_held_against_their_limits),
        cmocka_unit_test(level_series_are_steady),
        cmocka_unit_test(a_drift_is_seen_and_measured),
        cmocka_unit_test(a_warm_up_that_was_too_short_is_cut),
        cmocka_unit_test(a_latency_that_creeps_up_is_not_steady),
        cmocka_unit_test(waves_without_a_trend_are_no_short_warm_up),
        cmocka_unit_test(a_short_warm_up_is_told_by_its_seconds),
        cmocka_unit_test(watching_ends_when_both_figures_are_steady),
        cmocka_unit_test(intervals_need_not_fit_into_rounds),
        cmocka_unit_test(short_and_dead_samples_are_not_steady),
        cmocka_unit_test(equal_seeds_judge_equally),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
