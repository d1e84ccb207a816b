// rooms: base stats
// slow, limit: 400
/*
 * How often the verdicts are wrong, on runs whose truth is known: the error rates that the manual
 * promises (docs/METHOD.md). Seeds are fixed: a rate that moves is a rule that moved.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/dist.h"
#include "stats/bootstrap.h"
#include "stats/changepoint.h"
#include "stats/compare.h"
#include "stats/drift.h"
#include "stats/noninferior.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 10, SERIES_MAX = 3600 };

/* Fails unless the rate is within `off` of what it should be. */
static void near(const char *what, double rate, double want, double off)
{
    print_message("# %s: %.3f (%.3f)\n", what, rate, want);
    if (!(fabs(rate - want) <= off)) {
        fail_msg("%s: %.4f, not %.3f +- %.3f", what, rate, want, off);
    }
}

static void within(const char *what, double rate, double low, double high)
{
    print_message("# %s: %.3f [%.3f, %.3f]\n", what, rate, low, high);
    if (!(rate >= low && rate <= high)) {
        fail_msg("%s: %.4f, not %.3f to %.3f", what, rate, low, high);
    }
}

/* One-second values: AR(1) round `mean`, standard deviation `sd` of them. */
static void make_series(struct rng *rng, double *x, uint32_t n, double mean, double sd, double ar)
{
    double step = sqrt(1 - ar * ar), y = dist_normal(rng);

    for (uint32_t i = 0; i < n; i++) {
        x[i] = mean + sd * y;
        y = ar * y + step * dist_normal(rng);
    }
}

static double mean_of(const double *x, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum / n;
}

/* A run's mean: its own level (run-to-run CV), and its seconds about that (AR 0.8, sd 5 %). */
static double run_of_seconds(struct rng *rng, double truth, double cv)
{
    static double x[SERIES_MAX];
    double level = truth * (1 + cv * dist_normal(rng));

    make_series(rng, x, 600, level, 0.05 * level, 0.8);
    return mean_of(x, 600);
}

static void runs_of(struct rng *rng, double *x, uint32_t n, double truth, double cv)
{
    for (uint32_t i = 0; i < n; i++) {
        x[i] = truth * (1 + cv * dist_normal(rng));
    }
}

static void equal_drives_are_seldom_called_different(void **state)
{
    static const double cvs[] = {0, 0.005, 0.01};
    enum { TRIES = 2000 };
    struct rng rng;

    rng_init(&rng, 1, 1);
    for (int c = 0; c < 3; c++) {
        double welch = 0, pairs = 0;

        for (int i = 0; i < TRIES; i++) {
            struct compare compare;
            double a[5], b[5];

            for (int r = 0; r < 5; r++) {
                a[r] = run_of_seconds(&rng, 8646, cvs[c]);
                b[r] = run_of_seconds(&rng, 8646, cvs[c]);
            }
            compare_runs(a, 5, b, 5, COMPARE_WELCH, &compare);
            welch += compare_verdict_of(&compare, COMPARE_HIGHER, compare.p, 0.05) != COMPARE_SAME;
            compare_runs(a, 5, b, 5, COMPARE_PAIRED, &compare);
            pairs += compare.p <= 0.05;
        }
        within("5 + 5 runs called different, Welch", welch / TRIES, 0.02, 0.07);
        within("5 + 5 runs called different, pairs", pairs / TRIES, 0.02, 0.07);
    }
}

/* RESULTS 8e: P(pass), P(inconclusive), P(fail) by the bounds; margin 3 %, one-sided 95 %. */
static void the_gate_decides_as_often_as_it_says(void **state)
{
    static const double truths[] = {0, -0.01, -0.02, -0.03, -0.05};
    static const struct {
        double cv;
        uint32_t n;
        double want[5][3];
    } rows[] = {
        {.005, 3, {{1, 0, 0}, {.98, .02, 0}, {.59, .41, 0}, {.04, .92, .04}, {0, .02, .98}}},
        {.005, 5, {{1, 0, 0}, {1, 0, 0}, {.90, .10, 0}, {.04, .91, .04}, {0, 0, 1}}},
        {.01, 3, {{.87, .13, 0}, {.59, .41, 0}, {.23, .76, 0}, {.03, .93, .04}, {0, .39, .61}}},
        {.01, 5, {{1, 0, 0}, {.90, .10, 0}, {.42, .58, 0}, {.04, .91, .04}, {0, .10, .90}}},
        {.02, 5, {{.69, .31, 0}, {.41, .59, 0}, {.18, .82, .01}, {.05, .90, .05}, {0, .58, .42}}},
        {.02, 10, {{.95, .05, 0}, {.69, .31, 0}, {.30, .70, 0}, {.05, .90, .05}, {0, .28, .72}}},
    };
    static const struct noninferior_rule rule = {.share = 0.03, .min_runs = 3};
    enum { TRIES = 8000 };
    struct rng rng;

    rng_init(&rng, 2, 1);
    for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
        for (int t = 0; t < 5; t++) {
            double found[NONINFERIOR_VERDICTS] = {0}, a[RUNS_MAX], b[RUNS_MAX];
            char what[96];

            for (int i = 0; i < TRIES; i++) {
                struct noninferior judged;
                struct compare compare;

                runs_of(&rng, a, rows[r].n, 100, rows[r].cv);
                runs_of(&rng, b, rows[r].n, 100 * (1 + truths[t]), rows[r].cv);
                compare_runs(a, rows[r].n, b, rows[r].n, COMPARE_WELCH, &compare);
                noninferior_judge(&compare, &rule, &judged);
                found[judged.decision]++;
            }
            snprintf(what, sizeof(what), "gate, CV %g, n %u, true %g", rows[r].cv, rows[r].n,
                     truths[t]);
            near(what, found[NONINFERIOR_PASS] / TRIES, rows[r].want[t][0], 0.02);
            near(what, found[NONINFERIOR_INCONCLUSIVE] / TRIES, rows[r].want[t][1], 0.02);
            near(what, found[NONINFERIOR_FAIL] / TRIES, rows[r].want[t][2], 0.02);
        }
    }
}

/* What INVALID adds: a bad firmware passes no oftener, and noise is called noise. */
static void a_gate_that_cannot_see_says_so(void **state)
{
    static const struct noninferior_rule rule = {.share = 0.03};
    enum { TRIES = 4000 };
    double found[NONINFERIOR_VERDICTS] = {0}, bad = 0, a[5], b[5];
    struct noninferior judged;
    struct compare compare;
    struct rng rng;

    rng_init(&rng, 3, 1);
    for (int i = 0; i < TRIES; i++) {
        runs_of(&rng, a, 5, 100, 0.04);
        runs_of(&rng, b, 5, 100, 0.04);
        compare_runs(a, 5, b, 5, COMPARE_WELCH, &compare);
        noninferior_judge(&compare, &rule, &judged);
        found[judged.verdict]++;
        runs_of(&rng, b, 5, 97, 0.01);
        compare_runs(a, 5, b, 5, COMPARE_WELCH, &compare);
        noninferior_judge(&compare, &rule, &judged);
        bad += judged.verdict == NONINFERIOR_PASS;
    }
    within("CV 4 %, margin 3 %: invalid", found[NONINFERIOR_INVALID] / TRIES, 0.93, 1);
    within("CV 4 %, no difference: fail", found[NONINFERIOR_FAIL] / TRIES, 0, 0.02);
    within("3 % worse: pass", bad / TRIES, 0, 0.05);
}

static void intervals_of_means_cover_as_stated(void **state)
{
    static const double ars[] = {0, 0.5, 0.8, 0.95}, want[] = {.944, .952, .945, .921};
    static double x[SERIES_MAX];
    enum { TRIES = 1500, N = 1800 };
    struct rng rng;

    rng_init(&rng, 4, 1);
    for (int r = 0; r < 4; r++) {
        double covered = 0;
        char what[96];

        for (int i = 0; i < TRIES; i++) {
            struct interval interval;

            make_series(&rng, x, N, 3163, 158, ars[r]);
            assert_true(student_batch_interval(x, N, &interval));
            covered += interval.low <= 3163 && 3163 <= interval.high;
        }
        snprintf(what, sizeof(what), "batch means cover, AR %g", ars[r]);
        near(what, covered / TRIES, want[r], 0.02);
        within(what, covered / TRIES, ars[r] < 0.9 ? 0.92 : 0.9, 0.98);
    }
}

/*
 * 600 s at 300 transactions a second, lognormal about a level that wanders (AR 0.9, as a drive's
 * background work makes it) and doubles in bursts.
 */
enum { BURSTY_S = 600, BURSTY_PER_S = 300 };
struct bursty {
    struct rng rng;
    double wander, every_s, length_s; /* of the level; bursts, on average */
    double level;
    bool burst;
};

static void bursty_hist(struct bursty *bursty, struct hist *ret)
{
    double chance = bursty->burst ? 1 - 1 / bursty->length_s : 1 / bursty->every_s, level;

    bursty->level = 0.9 * bursty->level + bursty->wander * dist_normal(&bursty->rng);
    bursty->burst = rng_unit(&bursty->rng) < chance;
    level = 5e6 * dist_exp(bursty->level + (bursty->burst ? 0.7 : 0));
    hist_init(ret);
    for (int i = 0; i < BURSTY_PER_S; i++) {
        hist_record(ret, (int64_t)(level * dist_exp(0.4 * dist_normal(&bursty->rng))));
    }
}

static const double covered_shares[3] = {0.5, 0.99, 0.999};

static void fill_bursty(struct bursty *bursty, struct bootstrap *bootstrap)
{
    static struct hist second;

    for (int s = 0; s < BURSTY_S; s++) {
        bursty_hist(bursty, &second);
        bootstrap_add(bootstrap, s * 1000000000ll, 1000000000, &second);
    }
}

static void cover(struct bursty *bursty, const double low[3])
{
    enum { TRIES = 300, LONG_S = 40000 };
    static struct hist second, all;
    double covered[3] = {0};

    hist_init(&all);
    for (int s = 0; s < LONG_S; s++) {
        bursty_hist(bursty, &second);
        hist_merge(&all, &second);
    }
    for (uint64_t t = 0; t < TRIES; t++) {
        struct bootstrap_interval intervals[3];
        struct bootstrap bootstrap;
        struct error err;

        assert_int_equal(
            bootstrap_open(&bootstrap, 0, BURSTY_S * 1000000000ll, BOOTSTRAP_BLOCKS_MAX, &err), 0);
        fill_bursty(bursty, &bootstrap);
        bootstrap_quantiles(&bootstrap, covered_shares, 3, t, intervals);
        for (int q = 0; q < 3; q++) {
            double truth = (double)hist_quantile(&all, covered_shares[q]);

            covered[q] += intervals[q].low <= truth && truth <= intervals[q].high;
        }
        bootstrap_close(&bootstrap);
    }
    for (int q = 0; q < 3; q++) {
        char what[96];

        snprintf(what, sizeof(what), "a burst every %g s: interval of the quantile %g covers",
                 bursty->every_s, covered_shares[q]);
        within(what, covered[q] / TRIES, low[q], 0.98);
    }
}

static void intervals_of_quantiles_cover_as_stated(void **state)
{
    struct bursty often = {.wander = 0.05, .every_s = 20, .length_s = 3};
    struct bursty seldom = {.wander = 0.1, .every_s = 60, .length_s = 5};

    rng_init(&often.rng, 5, 1);
    cover(&often, (const double[3]){0.89, 0.89, 0.89});
    /* fewer than one burst in a block: no method sees what the sample does not hold */
    rng_init(&seldom.rng, 5, 1);
    cover(&seldom, (const double[3]){0.89, 0.75, 0.68});
}

/* Ten runs of equal drives while both lose 2 % in all; nominal 10 %. */
static double called_different(struct rng *rng, const char *order, enum compare_design design,
                               double *ret_bias)
{
    enum { TRIES = 8000 };
    double different = 0;

    *ret_bias = 0;
    for (int i = 0; i < TRIES; i++) {
        uint32_t n_a = 0, n_b = 0;
        struct compare compare;
        double a[5], b[5];

        for (uint32_t r = 0; r < 10; r++) {
            double drifted = 100 * (1 - 0.02 * r / 9) * (1 + 0.005 * dist_normal(rng));

            if (order[r] == 'A') {
                a[n_a++] = drifted;
            } else {
                b[n_b++] = drifted;
            }
        }
        compare_runs(a, 5, b, 5, design, &compare);
        different += compare.p <= 0.10;
        *ret_bias += compare_share(compare.delta) / TRIES;
    }
    return different / TRIES;
}

static void abba_stands_a_drift_and_blocks_do_not(void **state)
{
    double bias;
    struct rng rng;

    for (uint32_t order = 1; order <= 10; order++) {
        assert_true(compare_abba_is_b(order) == ("ABBAABBAAB"[order - 1] == 'B'));
    }
    rng_init(&rng, 6, 1);
    within("ABBAABBAAB under drift", called_different(&rng, "ABBAABBAAB", COMPARE_PAIRED, &bias), 0,
           0.10);
    near("its bias, %", 100 * bias, -0.04, 0.03);
    near("ABABABABAB under drift", called_different(&rng, "ABABABABAB", COMPARE_PAIRED, &bias),
         0.16, 0.02);
    near("its bias, %", 100 * bias, -0.22, 0.03);
    within("AAAAABBBBB under drift", called_different(&rng, "AAAAABBBBB", COMPARE_WELCH, &bias),
           0.80, 1);
    near("its bias, %", 100 * bias, -1.11, 0.03);
}

static void the_least_effect_is_found_four_times_in_five(void **state)
{
    static const struct {
        uint32_t n;
        double k;
    } rows[] = {{2, 3.98}, {3, 2.51}, {4, 2.01}, {5, 1.74}, {6, 1.55}, {8, 1.31}, {10, 1.16}};
    enum { TRIES = 6000 };
    struct rng rng;

    rng_init(&rng, 7, 1);
    for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
        double found = 0, a[RUNS_MAX], b[RUNS_MAX], low, high;
        uint32_t n = rows[r].n;

        if (fabs(compare_mde(0.01, n, n) / 0.01 - rows[r].k) > 0.006) {
            fail_msg("n %u: k %g", n, compare_mde(0.01, n, n) / 0.01);
        }
        if (n < 3) {
            continue;
        }
        for (int i = 0; i < TRIES; i++) {
            struct compare compare;

            runs_of(&rng, a, n, 100, 0.005);
            runs_of(&rng, b, n, 100 * (1 + rows[r].k * 0.005), 0.005);
            compare_runs(a, n, b, n, COMPARE_WELCH, &compare);
            compare_interval(&compare, 0.05, &low, &high);
            found += low > 0;
        }
        within("power at the least effect", found / TRIES, 0.74, 0.84);
    }
}

/* One candidate against a history. */
static double fails_of(struct rng *rng, uint32_t n, double truth)
{
    enum { TRIES = 20000 };
    double fails = 0, x[RUNS_MAX], candidate;

    for (int i = 0; i < TRIES; i++) {
        struct noninferior_prediction prediction;

        runs_of(rng, x, n, 100, 0.005);
        runs_of(rng, &candidate, 1, 100 * (1 + truth), 0.005);
        noninferior_predict(x, n, candidate, COMPARE_HIGHER, 0.05, &prediction);
        fails += prediction.verdict == NONINFERIOR_FAIL;
    }
    return fails / TRIES;
}

static void one_run_is_held_against_a_history(void **state)
{
    struct rng rng;

    rng_init(&rng, 8, 1);
    near("prediction, false, n 5", fails_of(&rng, 5, 0), 0.05, 0.006);
    near("prediction, false, n 10", fails_of(&rng, 10, 0), 0.05, 0.006);
    near("prediction, -2 %, n 5", fails_of(&rng, 5, -0.02), 0.91, 0.02);
    near("prediction, -2 %, n 10", fails_of(&rng, 10, -0.02), 0.97, 0.02);
}

static bool seen_in(const double *x, uint32_t n, double p)
{
    struct changepoint_rule rule = {.p = p};
    struct changepoint points[8];

    return changepoint_find(x, n, &rule, points, 8) > 0;
}

/* While a history of equal runs grows from 5 to 50: the share in which a change is imagined. */
static double false_changes(struct rng *rng, double p)
{
    enum { TRIES = 1500, FIRST = 5, RUNS = 50 };
    double seen = 0, x[RUNS];

    for (int i = 0; i < TRIES; i++) {
        bool now = false;

        runs_of(rng, x, RUNS, 100, 0.005);
        for (uint32_t n = FIRST; n <= RUNS && !now; n++) {
            now = seen_in(x, n, p);
        }
        seen += now;
    }
    return seen / TRIES;
}

/* Runs that a change of -2 % needs until it is seen, after 20 runs without. */
static double runs_until_seen(struct rng *rng, double p)
{
    enum { TRIES = 3000, BEFORE = 20, RUNS = 50 };
    double sum = 0, x[RUNS];

    for (int i = 0; i < TRIES; i++) {
        uint32_t n = BEFORE + 1;

        runs_of(rng, x, BEFORE, 100, 0.005);
        runs_of(rng, x + BEFORE, RUNS - BEFORE, 98, 0.005);
        while (n < RUNS && !seen_in(x, n, p)) {
            n++;
        }
        sum += n - BEFORE;
    }
    return sum / TRIES;
}

static void changes_are_seen_and_seldom_imagined(void **state)
{
    struct rng rng;

    rng_init(&rng, 9, 1);
    near("false changes in 50 runs, p .01", false_changes(&rng, 0.01), 0.198, 0.03);
    near("false changes in 50 runs, p .001", false_changes(&rng, 0.001), 0.048, 0.02);
    near("false changes in 50 runs, p .0001", false_changes(&rng, 0.0001), 0.018, 0.015);
    near("runs until -2 % is seen, p .001", runs_until_seen(&rng, 0.001), 2.0, 0.15);
    near("runs until -2 % is seen, p .0001", runs_until_seen(&rng, 0.0001), 2.4, 0.2);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A drive that begins at 40 % of its throughput; AR 0.8, standard deviation 5 %, one hour. */
static void mser_cuts_where_it_was_simulated_to(void **state)
{
    static const struct {
        double constant, cut, off;
    } rows[] = {{0, 0, 5}, {60, 150, 15}, {200, 505, 30}, {600, 1330, 60}, {1500, 1765, 35}};
    enum { TRIES = 300 };
    static double x[SERIES_MAX];
    struct rng rng;

    rng_init(&rng, 10, 1);
    for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
        double cuts[TRIES];
        char what[96];

        for (int t = 0; t < TRIES; t++) {
            make_series(&rng, x, SERIES_MAX, 1, 0.05, 0.8);
            for (int i = 0; rows[r].constant > 0 && i < SERIES_MAX; i++) {
                x[i] -= 0.6 * dist_exp(-i / rows[r].constant);
            }
            cuts[t] = drift_mser5(x, SERIES_MAX);
        }
        qsort(cuts, TRIES, sizeof(*cuts), by_value);
        snprintf(what, sizeof(what), "MSER-5, time constant %g s: cut", rows[r].constant);
        near(what, cuts[TRIES / 2], rows[r].cut, rows[r].off);
        assert_true(rows[r].constant > 0 || cuts[TRIES * 9 / 10] <= 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_drives_are_seldom_called_different),
        cmocka_unit_test(the_gate_decides_as_often_as_it_says),
        cmocka_unit_test(a_gate_that_cannot_see_says_so),
        cmocka_unit_test(intervals_of_means_cover_as_stated),
        cmocka_unit_test(intervals_of_quantiles_cover_as_stated),
        cmocka_unit_test(abba_stands_a_drift_and_blocks_do_not),
        cmocka_unit_test(the_least_effect_is_found_four_times_in_five),
        cmocka_unit_test(one_run_is_held_against_a_history),
        cmocka_unit_test(changes_are_seen_and_seldom_imagined),
        cmocka_unit_test(mser_cuts_where_it_was_simulated_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
