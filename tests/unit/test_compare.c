// rooms: base stats
/* Sets of runs held against each other: figures of textbooks, and every answer of the gate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/mem.h"
#include "stats/compare.h"
#include "stats/noninferior.h"
#include <math.h>
#include <string.h>

#define NEAR(found, want, off) assert_true(fabs((found) - (want)) <= (off))

/* "Student" (1908), hours of sleep gained by two drugs; here as logarithms. */
static const double sleep_a[10] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double sleep_b[10] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void exponentials(const double *x, double *ret)
{
    for (int i = 0; i < 10; i++) {
        ret[i] = exp(x[i]);
    }
}

static void two_sets_give_the_values_of_the_textbook(void **state)
{
    double a[10], b[10], low, high;
    struct compare compare;

    exponentials(sleep_a, a);
    exponentials(sleep_b, b);
    compare_runs(a, 10, b, 10, COMPARE_WELCH, &compare);
    assert_int_equal(compare.state, COMPARE_JUDGED);
    NEAR(compare.delta, 1.58, 1e-12);
    NEAR(compare.t, 1.8608, 5e-5);
    NEAR(compare.df, 17.776, 5e-4);
    NEAR(compare.p, 0.07939, 5e-6);
    NEAR(compare.low, -0.2054832, 5e-7);
    NEAR(compare.high, 3.3654832, 5e-7);
    NEAR(compare.mean_a, exp(0.75), 1e-12);
    NEAR(compare.cv_a, 1.789010, 5e-6);
    assert_int_equal(compare_verdict_of(&compare, COMPARE_HIGHER, compare.p, 0.05), COMPARE_SAME);
    compare_interval(&compare, 0.05, &low, &high);
    assert_true(low > compare.low && high < compare.high && low > 0);

    compare_runs(a, 10, b, 10, COMPARE_PAIRED, &compare);
    NEAR(compare.delta, 1.58, 1e-12);
    NEAR(compare.t, 4.0621, 5e-5);
    NEAR(compare.p, 0.002833, 5e-7);
    NEAR(compare.low, 0.7001142, 5e-7);
    NEAR(compare.high, 2.4598858, 5e-7);
    assert_true(compare.df == 9 && compare.n_a == 10);
    NEAR(compare.spread, 1.229995, 5e-6);
    NEAR(compare.mde, compare_mde_pairs(compare.spread, 10), 1e-15);
    NEAR(compare.mde, compare_mde_at(&compare, 0.05, 0.80), 1e-15);
    assert_int_equal(compare_verdict_of(&compare, COMPARE_HIGHER, compare.p, 0.05),
                     COMPARE_IS_BETTER);
    assert_int_equal(compare_verdict_of(&compare, COMPARE_LOWER, compare.p, 0.05),
                     COMPARE_IS_WORSE);
}

static void one_run_a_side_has_no_verdict(void **state)
{
    static const double a[] = {100, 101}, b[] = {50};
    struct compare compare;

    compare_runs(a, 2, b, 1, COMPARE_WELCH, &compare);
    assert_int_equal(compare.state, COMPARE_TOO_FEW);
    NEAR(compare_share(compare.delta), 50 / sqrt(10100) - 1, 1e-12);
    assert_int_equal(compare_verdict_of(&compare, COMPARE_HIGHER, 0, 0.05), COMPARE_NONE);
    assert_true(isinf(compare_mde_at(&compare, 0.05, 0.8)));
    compare_runs(NULL, 0, b, 1, COMPARE_WELCH, &compare);
    assert_int_equal(compare.state, COMPARE_TOO_FEW);
    assert_true(compare.delta == 0 && compare.mean_a == 0);
    NEAR(compare.mean_b, 50, 1e-12);
}

static void values_without_a_logarithm_are_said_to_be_so(void **state)
{
    static const double a[] = {100, 101}, zero[] = {1, 0}, none[] = {1, NAN}, far[] = {1, INFINITY};
    static const double *const bad[] = {zero, none, far};

    for (int i = 0; i < 3; i++) {
        struct compare compare;

        compare_runs(a, 2, bad[i], 2, COMPARE_WELCH, &compare);
        assert_int_equal(compare.state, COMPARE_NOT_ABOVE_0);
        assert_int_equal(compare_verdict_of(&compare, COMPARE_LOWER, 0, 0.05), COMPARE_NONE);
    }
}

/* In virtual time a run repeats to the bit. */
static void runs_without_any_spread_are_equal_or_not(void **state)
{
    static const double a[] = {8646.123, 8646.123, 8646.123}, b[] = {8647, 8647, 8647};
    static const enum compare_design designs[] = {COMPARE_WELCH, COMPARE_PAIRED};

    for (int d = 0; d < 2; d++) {
        struct compare compare;

        compare_runs(a, 3, a, 3, designs[d], &compare);
        assert_true(compare.p == 1 && compare.t == 0 && compare.low == 0 && compare.high == 0);
        assert_true(compare.mde == 0 && isnan(compare.hedges_g) && compare.a12 == 0.5);
        compare_runs(a, 3, b, 3, designs[d], &compare);
        assert_true(compare.p == 0 && compare.low == compare.high && compare.low > 0);
        assert_int_equal(compare_verdict_of(&compare, COMPARE_LOWER, compare.p, 0.05),
                         COMPARE_IS_WORSE);
    }
}

static void ranks_give_the_exact_p(void **state)
{
    /* Hollander and Wolfe (1973), page 69: permeability; one-sided p 0.1272 */
    static const double x[] = {.80, .83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, .73, 1.46};
    static const double y[] = {1.15, .88, .90, .74, 1.21};
    static const double low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 10},
                        same[] = {3, 3, 3, 3, 3};
    static const double tied_a[] = {1, 2, 2}, tied_b[] = {2, 3, 3};
    double many[11] = {0};

    NEAR(compare_rank_p(x, 10, y, 5), 0.254412, 1e-6);
    NEAR(compare_rank_p(y, 5, x, 10), 0.254412, 1e-6);
    NEAR(compare_rank_p(low, 5, high, 5), 2 / 252.0, 1e-15);
    NEAR(compare_rank_p(same, 5, same, 5), 1, 0);
    /* by hand: 20 choices of 3, doubled midranks 2 6 6 6 11 11, a has 14, the middle is 21 */
    NEAR(compare_rank_p(tied_a, 3, tied_b, 3), 6 / 20.0, 1e-15);
    assert_true(isnan(compare_rank_p(many, 11, low, 5)) && isnan(compare_rank_p(low, 0, low, 5)));
}

static void effect_sizes_are_those_of_their_formulas(void **state)
{
    static const double a[] = {1, 2, 3, 4, 5}, b[] = {3, 4, 5, 6, 7};

    NEAR(compare_hedges(a, 5, b, 5), 2 / sqrt(2.5) * (1 - 3.0 / 31), 1e-12);
    NEAR(compare_a12(a, 5, b, 5), 0.82, 1e-15);
    NEAR(compare_a12(b, 5, a, 5), 0.18, 1e-15);
    assert_true(isnan(compare_hedges(a, 1, b, 5)));
}

static void holm_corrects_in_order(void **state)
{
    double p[] = {0.01, 0.04, NAN, 0.03, 0.005}, one = 0.4;
    static const double want[] = {0.03, 0.06, NAN, 0.06, 0.02};
    double high[] = {0.6, 0.7}, same[] = {0.02, 0.02};

    compare_holm(p, 5, p);
    for (int i = 0; i < 5; i++) {
        assert_true(isnan(want[i]) ? isnan(p[i]) : fabs(p[i] - want[i]) < 1e-15);
    }
    compare_holm(&one, 1, &one);
    assert_true(one == 0.4);
    compare_holm(high, 2, high);
    assert_true(high[0] == 1 && high[1] == 1);
    compare_holm(same, 2, same);
    assert_true(same[0] == 0.04 && same[1] == 0.04);
}

static void runs_needed_are_the_fewest_that_suffice(void **state)
{
    for (double gap = 0.01; gap < 0.08; gap += 0.007) {
        uint32_t n = compare_runs_needed(0.02, gap, COMPARE_WELCH, 0.05, 0.80, 100);
        uint32_t pairs = compare_runs_needed(0.02, gap, COMPARE_PAIRED, 0.05, 0.80, 100);

        assert_true(compare_mde(0.02, n, n) <= gap);
        assert_true(n == 2 || compare_mde(0.02, n - 1, n - 1) > gap);
        assert_true(compare_mde_pairs(0.02, pairs) <= gap);
        assert_true(pairs == 2 || compare_mde_pairs(0.02, pairs - 1) > gap);
    }
    assert_int_equal(compare_runs_needed(0.02, 0.0001, COMPARE_WELCH, 0.05, 0.80, 30), 30);
    assert_int_equal(compare_runs_needed(0.02, 0, COMPARE_WELCH, 0.05, 0.80, 30), 30);
    assert_int_equal(compare_runs_needed(0, 0.01, COMPARE_WELCH, 0.05, 0.80, 30), 2);
    assert_true(isinf(compare_mde(0.01, 1, 1)) && isinf(compare_mde_pairs(0.01, 1)));
}

/* Five runs a side with a CV of 1 % of which B's are `change` apart. */
static void five(double *a, double *b, double change, double wide)
{
    static const double steps[] = {-1.2, 0.4, 1.3, -0.7, 0.2},
                        other[] = {0.9, -1.4, 0.3, 1.1, -0.9};

    for (int i = 0; i < 5; i++) {
        a[i] = 1000 * exp(wide * steps[i]);
        b[i] = 1000 * exp(wide * other[i] + change);
    }
}

static struct noninferior judge(double change, double wide, struct noninferior_rule rule)
{
    double a[5], b[5];
    struct noninferior judged;
    struct compare compare;

    five(a, b, change, wide);
    compare_runs(a, 5, b, 5, COMPARE_WELCH, &compare);
    noninferior_judge(&compare, &rule, &judged);
    return judged;
}

static void the_gate_has_four_answers(void **state)
{
    static const struct {
        double change, wide;
        struct noninferior_rule rule;
        enum noninferior_verdict verdict;
        enum noninferior_why why;
        bool regressed;
    } rows[] = {
        {0, .01, {.share = .03}, NONINFERIOR_PASS, NONINFERIOR_BY_BOUNDS, false},
        {-.015, .005, {.share = .03}, NONINFERIOR_PASS, NONINFERIOR_BY_BOUNDS, true},
        {-.10, .01, {.share = .03}, NONINFERIOR_FAIL, NONINFERIOR_BY_BOUNDS, false},
        {-.03, .01, {.share = .03}, NONINFERIOR_INCONCLUSIVE, NONINFERIOR_BY_BOUNDS, false},
        {0, .04, {.share = .03}, NONINFERIOR_INVALID, NONINFERIOR_TOO_NOISY, false},
        {-.30, .04, {.share = .03}, NONINFERIOR_FAIL, NONINFERIOR_BY_BOUNDS, false},
        {0, .01, {.share = .03, .min_runs = 6}, NONINFERIOR_INVALID, NONINFERIOR_FEW_RUNS, false},
        {0, .01, {.share = 0}, NONINFERIOR_INCONCLUSIVE, NONINFERIOR_BY_BOUNDS, false},
        /* latency: less is better */
        {.10, .01, {.share = .05, .better = COMPARE_LOWER}, NONINFERIOR_FAIL, 0, false},
        {-.10, .01, {.share = .05, .better = COMPARE_LOWER}, NONINFERIOR_PASS, 0, false},
        {.051, .01, {.share = .05, .better = COMPARE_LOWER}, NONINFERIOR_INCONCLUSIVE, 0, false},
        {0, .01, {NONINFERIOR_EQUIVALENCE, .share = .03}, NONINFERIOR_PASS, 0, false},
        {.10, .01, {NONINFERIOR_EQUIVALENCE, .share = .03}, NONINFERIOR_FAIL, 0, false},
        {-.10, .01, {NONINFERIOR_EQUIVALENCE, .share = .03}, NONINFERIOR_FAIL, 0, false},
        {.025, .01, {NONINFERIOR_EQUIVALENCE, .share = .03}, NONINFERIOR_INCONCLUSIVE, 0, false},
        {.10, .01, {NONINFERIOR_IMPROVE, .share = .05}, NONINFERIOR_PASS, 0, false},
        {0, .01, {NONINFERIOR_IMPROVE, .share = .05}, NONINFERIOR_FAIL, 0, false},
        {.05, .01, {NONINFERIOR_IMPROVE, .share = .05}, NONINFERIOR_INCONCLUSIVE, 0, false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct noninferior judged = judge(rows[i].change, rows[i].wide, rows[i].rule);

        if (judged.verdict != rows[i].verdict || judged.why != rows[i].why ||
            judged.regressed != rows[i].regressed) {
            fail_msg("row %zu: %s, why %d, L %g U %g m %g mde %g", i,
                     noninferior_names[judged.verdict], judged.why, judged.low, judged.high,
                     judged.limit, judged.mde);
        }
        assert_true((judged.runs_needed > 0) == (judged.verdict >= NONINFERIOR_INCONCLUSIVE));
    }
}

static void the_gate_says_how_many_runs_it_needs(void **state)
{
    struct noninferior judged = judge(-.02, .015, (struct noninferior_rule){.share = .03});
    double gap = judged.theta - judged.limit;

    assert_int_equal(judged.verdict, NONINFERIOR_INCONCLUSIVE);
    assert_true(judged.runs_needed > 5 && judged.runs_needed <= 100 && !judged.capped);
    assert_true(gap > 0);
    judged = judge(-.02, .015, (struct noninferior_rule){.share = .03, .max_runs = 7});
    assert_true(judged.runs_needed == 7 && judged.capped);
    /* too noisy: the runs at which the margin is seen */
    judged = judge(0, .04, (struct noninferior_rule){.share = .03});
    assert_int_equal(judged.why, NONINFERIOR_TOO_NOISY);
    assert_true(judged.mde > 0.03 && judged.decision == NONINFERIOR_INCONCLUSIVE);
    assert_true(judged.runs_needed > 10);
    judged = judge(0, .01, (struct noninferior_rule){.share = .03, .min_runs = 6});
    assert_true(judged.runs_needed == 6 && judged.decision == NONINFERIOR_PASS);
}

static void what_cannot_be_judged_is_invalid(void **state)
{
    static const double a[] = {1, 2, 3, 4, 5}, zero[] = {0, 0, 0, 0, 0};
    static const struct noninferior_rule rule = {.share = .03, .min_runs = 1};
    struct noninferior judged;
    struct compare compare;

    compare_runs(a, 5, zero, 5, COMPARE_WELCH, &compare);
    noninferior_judge(&compare, &rule, &judged);
    assert_true(judged.verdict == NONINFERIOR_INVALID && judged.why == NONINFERIOR_NO_LOGARITHM);
    /* 2 runs are never gated, whatever the file says */
    compare_runs(a, 2, a, 2, COMPARE_WELCH, &compare);
    noninferior_judge(&compare, &rule, &judged);
    assert_true(judged.verdict == NONINFERIOR_INVALID && judged.why == NONINFERIOR_FEW_RUNS);
    assert_int_equal(judged.runs_needed, 3);
    compare_runs(a, 1, a, 1, COMPARE_WELCH, &compare);
    noninferior_judge(&compare, &rule, &judged);
    assert_true(judged.verdict == NONINFERIOR_INVALID && judged.decision == NONINFERIOR_INVALID);
}

static void absolute_limits_are_held_against_bounds(void **state)
{
    static const double x[] = {1, M_E, M_E * M_E}, zero[] = {1, 0};
    double half = 2.919985580355516 / sqrt(3);

    NEAR(noninferior_upper(x, 3, 0.05), exp(1 + half), 1e-9);
    NEAR(noninferior_lower(x, 3, 0.05), exp(1 - half), 1e-9);
    assert_true(isnan(noninferior_upper(x, 1, 0.05)) && isnan(noninferior_upper(zero, 2, 0.05)));
}

static void one_run_is_held_against_the_prediction(void **state)
{
    static const double history[] = {100, 101, 99, 100.5, 99.5};
    struct noninferior_prediction low, high;

    noninferior_predict(history, 5, 97, COMPARE_HIGHER, 0.05, &low);
    noninferior_predict(history, 5, 97, COMPARE_LOWER, 0.05, &high);
    assert_true(low.verdict == NONINFERIOR_FAIL && high.verdict == NONINFERIOR_PASS);
    NEAR(low.mean, 100, 0.01);
    NEAR(low.bound, 100 * (1 - 2.1318 * 0.00791 * sqrt(1.2)), 0.03);
    assert_true(low.change < 0 && high.change > 0 && high.bound > 101);
    noninferior_predict(history, 4, 97, COMPARE_HIGHER, 0.05, &low);
    assert_int_equal(low.verdict, NONINFERIOR_INVALID);
    noninferior_predict(history, 5, 0, COMPARE_HIGHER, 0.05, &low);
    assert_int_equal(low.verdict, NONINFERIOR_INVALID);
}

static void nothing_of_this_allocates(void **state)
{
    uint64_t before = mem_allocations();
    double a[10], b[10];
    struct compare compare;

    exponentials(sleep_a, a);
    exponentials(sleep_b, b);
    compare_runs(a, 10, b, 10, COMPARE_WELCH, &compare);
    judge(-.02, .015, (struct noninferior_rule){.share = .03});
    assert_true(mem_allocations() == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sets_give_the_values_of_the_textbook),
        cmocka_unit_test(one_run_a_side_has_no_verdict),
        cmocka_unit_test(values_without_a_logarithm_are_said_to_be_so),
        cmocka_unit_test(runs_without_any_spread_are_equal_or_not),
        cmocka_unit_test(ranks_give_the_exact_p),
        cmocka_unit_test(effect_sizes_are_those_of_their_formulas),
        cmocka_unit_test(holm_corrects_in_order),
        cmocka_unit_test(runs_needed_are_the_fewest_that_suffice),
        cmocka_unit_test(the_gate_has_four_answers),
        cmocka_unit_test(the_gate_says_how_many_runs_it_needs),
        cmocka_unit_test(what_cannot_be_judged_is_invalid),
        cmocka_unit_test(absolute_limits_are_held_against_bounds),
        cmocka_unit_test(one_run_is_held_against_the_prediction),
        cmocka_unit_test(nothing_of_this_allocates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
