// rooms: base stats result report
/* Sets of runs compared: verdicts, why there is none, and what is printed. */
#include "golden.h"
#include "report/doc_compare.h"
#include "run_maker.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDES = 3, RUNS = 10 };

static char place[64];
static struct set sets[SIDES];
static const struct set *all[SIDES] = {&sets[0], &sets[1], &sets[2]};
static struct comparison comparison;

static int begin(void **state)
{
    static const char *const labels[SIDES] = {"u2", "e1s", "other"};

    run_maker_place(place);
    for (int s = 0; s < SIDES; s++) {
        set_init(&sets[s], labels[s]);
    }
    return 0;
}

static int end(void **state)
{
    comparison_close(&comparison);
    for (int s = 0; s < SIDES; s++) {
        set_free(&sets[s]);
    }
    run_maker_clear(place);
    return 0;
}

/* Runs of a side whose rate goes up and down by `spread` around tps. */
static void make(uint32_t side, uint32_t runs, double tps, double spread,
                 const struct run_recipe *like)
{
    static const double places[RUNS] = {0.2, -1.1, 0.9, -0.4, 0.4, 1.2, -0.7, 0.1, -0.9, 0.3};

    for (uint32_t i = 0; i < runs; i++) {
        struct run_recipe recipe = *like;
        struct error err = {0};
        char path[128];

        recipe.tps = tps * (1 + spread * places[i]);
        recipe.minute = 10 * i + side;
        recipe.seed = like->seed > 0 ? like->seed : 1 + i;
        snprintf(path, sizeof(path), "%s/%c%u", place, (char)('a' + side), i);
        run_maker_dir(&recipe, path);
        assert_int_equal(set_add(&sets[side], path, &err), 0);
    }
}

static void compare(uint32_t count, const struct comparison_options *options)
{
    struct error err = {0};

    if (comparison_open(&comparison, all, count, options, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

static const struct comparison_row *row_of(const char *metric)
{
    for (uint32_t i = 0; i < comparison.metric_count; i++) {
        if (strcmp(comparison.metrics[i].metric->name, metric) == 0) {
            return &comparison.metrics[i];
        }
    }
    fail_msg("no row %s", metric);
    return NULL;
}

static const struct run_recipe drive_a = {.users = 4, .vms = 2, .firmware = "2.0.1"};
static const struct run_recipe drive_b = {.users = 4,
                                          .vms = 2,
                                          .firmware = "2.0.3",
                                          .model = "D2",
                                          .serial = "SERIAL0002",
                                          .form_factor = "E1.S"};

static void text_is(const char *golden, uint32_t width)
{
    struct doc_text_options page = {.width = width};
    struct doc_compare_options options = {.narrow = width < 100};
    struct text text = {0};
    struct doc doc;

    doc_init(&doc);
    doc_compare(&doc, &comparison, &options);
    doc_text(&doc, &page, &text);
    assert_false(doc.failed || text.failed);
    golden_expect(golden, text_string(&text));
    for (const char *line = text_string(&text); *line != '\0';) {
        size_t n = strcspn(line, "\n"), wide = 0;

        for (size_t i = 0; i < n; i++) {
            wide += ((unsigned char)line[i] & 0xc0) != 0x80;
        }
        if (wide > width) {
            fail_msg("%zu columns of %u: %.*s", wide, width, (int)n, line);
        }
        line += n + (line[n] == '\n');
    }
    text_free(&text);
    doc_free(&doc);
}

/* 10 % more with a spread of 0.5 % is better; 5 runs a side. The mock-up of the design. */
static void test_better(void **state)
{
    make(0, 5, 1000, 0.005, &drive_a);
    make(1, 5, 1100, 0.004, &drive_b);
    compare(2, &(struct comparison_options){0});
    assert_int_equal(row_of("tps")->against[1].verdict, COMPARE_IS_BETTER);
    assert_int_equal(row_of("lat_avg")->against[1].verdict, COMPARE_IS_BETTER);
    assert_float_equal(row_of("tps")->sides[0].value, 2000, 5);
    assert_float_equal(compare_share(row_of("tps")->against[1].compare.delta), 0.10, 0.005);
    assert_true(row_of("tps")->against[1].p_holm >= row_of("tps")->against[1].compare.p);
    assert_true(isfinite(row_of("tps")->sides[0].within));
    assert_true(isfinite(row_of("lat_p99")->sides[1].within));
    assert_true(comparison.has_curve);
    assert_float_equal(comparison.curve[1][0].value, 1 / 1.1, 0.01);
    /* times from 2 to 6 ms against 1 / 1.1 of them: widest apart where the shorter end, at 5.45 */
    assert_float_equal(comparison.ks[1], 1 - (6 / 1.1 - 2) / 4, 0.005);
    text_is("compare-120.txt", 120);
    text_is("compare-80.txt", 80);
}

static void test_no_difference(void **state)
{
    make(0, 5, 1000, 0.005, &drive_a);
    make(1, 5, 1000.5, 0.006, &drive_b);
    compare(2, &(struct comparison_options){0});
    assert_int_equal(row_of("tps")->against[1].verdict, COMPARE_SAME);
    assert_true(row_of("tps")->against[1].crosses);
}

/* However far apart two single runs are: no verdict, and the sentence that says why. */
static void test_one_run_a_side(void **state)
{
    make(0, 1, 1000, 0, &drive_a);
    make(1, 1, 1100, 0, &drive_b);
    compare(2, &(struct comparison_options){0});
    for (uint32_t i = 0; i < comparison.metric_count; i++) {
        assert_int_equal(comparison.metrics[i].against[1].verdict, COMPARE_NONE);
        assert_int_equal(comparison.metrics[i].against[1].why, COMPARISON_ONE_RUN);
    }
    text_is("compare-one-run.txt", 120);
}

/* A drive that was asked with less under way answers faster, which says nothing. */
static void test_concurrency(void **state)
{
    struct run_recipe less = drive_b;

    less.held = 0.92;
    make(0, 5, 1000, 0.005, &drive_a);
    make(1, 5, 1000, 0.005, &less);
    compare(2, &(struct comparison_options){0});
    assert_int_equal(row_of("lat_avg")->against[1].why, COMPARISON_CONCURRENCY);
    assert_int_equal(row_of("lat_p99")->against[1].verdict, COMPARE_NONE);
    assert_int_equal(row_of("tps")->against[1].why, COMPARISON_JUDGED);
    assert_string_equal(set_rows_refused(&comparison.rows)->name, "concurrency");
}

/* Another workload is no better or worse; another file may be the same work on another drive. */
static void test_another_scenario(void **state)
{
    struct run_recipe other = drive_b;
    struct doc doc;
    struct text text = {0};

    other.scenario = "scans";
    make(0, 5, 1000, 0.005, &drive_a);
    make(1, 5, 1100, 0.005, &other);
    compare(2, &(struct comparison_options){0});
    assert_true(comparison.scenario[1] && !comparison.unlike[1]);
    assert_int_equal(row_of("tps")->against[1].verdict, COMPARE_IS_BETTER);
    doc_init(&doc);
    doc_compare(&doc, &comparison, &(struct doc_compare_options){.narrow = false});
    doc_text(&doc, &(struct doc_text_options){.width = 400}, &text);
    assert_non_null(strstr(text_string(&text), "B and A ran different scenario files (scans, "
                                               "points): not comparable unless"));
    text_free(&text);
    doc_free(&doc);
    end(state);
    begin(state);
    other.kind = "scan";
    make(0, 5, 1000, 0.005, &drive_a);
    make(1, 5, 1100, 0.005, &other);
    compare(2, &(struct comparison_options){0});
    for (uint32_t i = 0; i < comparison.metric_count; i++) {
        assert_int_equal(comparison.metrics[i].against[1].verdict, COMPARE_NONE);
    }
    assert_int_equal(row_of("tps")->against[1].why, COMPARISON_WORKLOAD);
    doc_init(&doc);
    doc_compare(&doc, &comparison, &(struct doc_compare_options){.narrow = false});
    doc_text(&doc, &(struct doc_text_options){.width = 400}, &text);
    assert_non_null(strstr(text_string(&text), "not comparable: A ran points and B scans"));
    text_free(&text);
    doc_free(&doc);
}

/* Virtual time repeats one seed to the bit: five copies are one run. */
static void test_one_seed(void **state)
{
    struct run_recipe a = drive_a, b = drive_b;

    a.virtual_time = b.virtual_time = true;
    a.seed = b.seed = 7;
    make(0, 3, 1000, 0, &a);
    make(1, 3, 1001, 0, &b);
    compare(2, &(struct comparison_options){0});
    assert_int_equal(row_of("tps")->against[1].why, COMPARISON_ONE_SEED);
    assert_int_equal(row_of("tps")->against[1].verdict, COMPARE_NONE);
}

static bool is_not_first(const struct set_run *run, uint32_t i, void *context)
{
    return i > 0;
}

/* A drift of 2 % over an ABBA series is taken out by its pairs. */
static void test_pairs(void **state)
{
    char order[16];

    for (uint32_t i = 1; i <= 10; i++) {
        bool b = compare_abba_is_b(i);
        struct run_recipe recipe = b ? drive_b : drive_a;
        struct error err = {0};
        char path[128];

        recipe.pair = (struct result_pair){.design = "abba", .series = "s", .order = i};
        recipe.pair.side[0] = b ? 'B' : 'A';
        recipe.minute = i;
        recipe.tps = 1000 * (1 - 0.02 * i / 10) * (b ? 1.01 : 1) * (i % 3 == 0 ? 1.0005 : 1);
        snprintf(path, sizeof(path), "%s/%02u", place, i);
        run_maker_dir(&recipe, path);
        assert_int_equal(set_add(&sets[b], path, &err), 0);
    }
    compare(2, &(struct comparison_options){0});
    assert_int_equal(comparison.pairs[1], 5);
    assert_int_equal(row_of("tps")->against[1].compare.design, COMPARE_PAIRED);
    assert_int_equal(row_of("tps")->against[1].verdict, COMPARE_IS_BETTER);
    comparison_order(&comparison, 1, order, sizeof(order));
    assert_string_equal(order, "ABBAABBAAB");
    comparison_close(&comparison);
    set_keep(&sets[0], is_not_first, NULL); /* its neighbour stays, in no pair */
    compare(2, &(struct comparison_options){.no_curve = true});
    assert_int_equal(comparison.pairs[1], 4);
    comparison_order(&comparison, 1, order, sizeof(order));
    assert_string_equal(order, ".BBAABBAAB");
}

/* Runs that agree to the digit on a percentile agree on a counter of the histogram, no more. */
static void test_too_fine(void **state)
{
    make(0, 3, 1000, 0.00001, &drive_a);
    make(1, 3, 1004, 0.00001, &drive_b);
    compare(2, &(struct comparison_options){0});
    assert_int_equal(row_of("tps")->against[1].verdict, COMPARE_IS_BETTER);
    assert_int_equal(row_of("lat_p95")->against[1].verdict, COMPARE_SAME);
    assert_true(row_of("lat_p95")->against[1].mde > 0.007);
}

static void test_three_sides(void **state)
{
    struct run_recipe other = drive_b;

    other.firmware = "2.1.0";
    make(0, 3, 1000, 0.003, &drive_a);
    make(1, 3, 1050, 0.003, &drive_b);
    make(2, 3, 900, 0.003, &other);
    compare(3, &(struct comparison_options){0});
    assert_int_equal(row_of("tps")->against[1].verdict, COMPARE_IS_BETTER);
    assert_int_equal(row_of("tps")->against[2].verdict, COMPARE_IS_WORSE);
    text_is("compare-three-120.txt", 120);
    text_is("compare-three-80.txt", 80);
}

/* One metric, each VM. */
static void test_choice(void **state)
{
    struct comparison_options options = {.metrics = {set_metric_find("tps")},
                                         .metric_count = 1,
                                         .vms = true,
                                         .vm = -1,
                                         .no_curve = true};

    make(0, 2, 1000, 0.005, &drive_a);
    make(1, 2, 1100, 0.005, &drive_b);
    compare(2, &options);
    assert_int_equal(comparison.metric_count, 2);
    assert_int_equal(comparison.metrics[1].vm, 1);
    assert_false(comparison.has_curve);
    text_is("compare-vms-80.txt", 80);
}

/* Nothing of a name from outside reaches the terminal as a control. */
static void test_hostile_words(void **state)
{
    struct run_recipe bad = drive_b;
    struct doc_compare_options options = {0};
    struct text text = {0}, page = {0};
    struct doc doc;

    bad.model = "<script>alert(1)</script>\033[31m";
    bad.label = "|x|\r\n";
    make(0, 2, 1000, 0.005, &drive_a);
    make(1, 2, 1000, 0.005, &bad);
    compare(2, &(struct comparison_options){0});
    doc_init(&doc);
    doc_compare(&doc, &comparison, &options);
    doc_text(&doc, &(struct doc_text_options){.width = 120}, &text);
    doc_markdown(&doc, &text);
    doc_html(&doc, &page);
    assert_null(strchr(text_string(&text), '\033'));
    assert_null(strstr(text_string(&page), "<script>alert"));
    text_clear(&text);
    doc_compare_json(&comparison, &text);
    assert_null(strchr(text_string(&text), '\033'));
    text_free(&text);
    text_free(&page);
    doc_free(&doc);
}

static void test_machines(void **state)
{
    struct text text = {0};
    struct doc doc;

    make(0, 3, 1000, 0.005, &drive_a);
    make(1, 3, 1100, 0.004, &drive_b);
    compare(2,
            &(struct comparison_options){.metrics = {set_metric_find("tps")}, .metric_count = 1});
    doc_init(&doc);
    doc_compare_figures(&doc, &comparison);
    doc_csv(&doc, &text);
    assert_non_null(strstr(text_string(&text), "\r\ntps,agg,B,e1s,better,judged,welch,3,3,2"));
    text_free(&text);
    doc_free(&doc);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_better),           CASE(test_no_difference), CASE(test_one_run_a_side),
        CASE(test_concurrency),      CASE(test_one_seed),      CASE(test_pairs),
        CASE(test_another_scenario), CASE(test_three_sides),   CASE(test_choice),
        CASE(test_hostile_words),    CASE(test_machines),      CASE(test_too_fine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
