/* rooms: base stats io workload sql target plan result report */
/* What is drawn of several runs: which of them make the curve and its knee, and what is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text.h"
#include "report/doc_page.h"
#include "sample_result.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MOST = 24, SLO_NS = 30000000 };

struct rig {
    struct result results[RUNS_MOST];
    uint32_t count;
};

/* A run of so many users. */
static struct result *add(struct rig *rig, uint32_t users, double tps, int64_t p99_ns)
{
    struct result *result = &rig->results[rig->count++];

    sample_tpcc(result, 1);
    snprintf(result->run.id, sizeof(result->run.id), "run%u", rig->count);
    snprintf(result->run.label, sizeof(result->run.label), "drive");
    result->run.seed = rig->count;
    result->aggregate.users = users;
    result->aggregate.tps = tps;
    result->aggregate.response.p99_ns = p99_ns;
    return result;
}

static void end(struct result *result, const char *ended, enum exit_code exit)
{
    snprintf(result->run.ended, sizeof(result->run.ended), "%s", ended);
    result->run.exit_code = exit;
}

/* The page as text, or the figures of its curve. */
static char *draw(struct rig *rig, bool data)
{
    struct doc_text_options options = {.width = 160};
    const struct result *results[RUNS_MOST];
    struct text text = {0};
    struct doc doc;
    char *ret;

    for (uint32_t i = 0; i < rig->count; i++) {
        results[i] = &rig->results[i];
    }
    doc_init(&doc);
    doc_page_sweep(&doc, results, rig->count, SLO_NS);
    assert_false(doc.failed);
    for (uint32_t i = 0; data && i < doc.block_count; i++) {
        doc_chart_data(&doc, i, &text);
    }
    if (!data) {
        doc_text(&doc, &options, &text);
    }
    ret = strdup(text_string(&text));
    assert_non_null(ret);
    text_free(&text);
    doc_free(&doc);
    return ret;
}

static void done(struct rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++) {
        result_free(&rig->results[i]);
    }
    free(rig);
}

/* The row of a run in the table; its end is what the run is. */
static bool row_ends(const char *page, const char *run, const char *word)
{
    const char *row = strstr(page, run);
    size_t n = row ? strcspn(row, "\n") : 0, m = strlen(word);

    while (n > 0 && row[n - 1] == ' ') {
        n--;
    }
    return n >= m && strncmp(row + n - m, word, m) == 0;
}

static uint32_t count_of(const char *page, const char *word)
{
    uint32_t n = 0;

    for (const char *at = page; (at = strstr(at, word)) != NULL; at++) {
        n++;
    }
    return n;
}

static void broken_runs_are_marked_and_make_no_curve(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    char *page, *data;

    add(rig, 100, 1000, 10 * 1000000);
    add(rig, 200, 2000, 20 * 1000000);
    end(add(rig, 300, 7777, 21 * 1000000), "void", EXIT_WRONG_DATA);
    end(add(rig, 400, 8888, 22 * 1000000), "interrupted", EXIT_INTERRUPTED);
    end(add(rig, 500, 9999, 23 * 1000000), "running", EXIT_FINE);
    page = draw(rig, false);
    data = draw(rig, true);
    assert_true(row_ends(page, "run2", "knee"));
    assert_true(row_ends(page, "run3", "void"));
    assert_true(row_ends(page, "run4", "interrupted"));
    assert_true(row_ends(page, "run5", "killed"));
    assert_non_null(strstr(page, "3 of 5 runs are void or did not finish"));
    assert_non_null(strstr(data, "2000 "));
    assert_null(strstr(data, "7777"));
    assert_null(strstr(data, "8888"));
    assert_null(strstr(data, "9999"));
    free(page);
    free(data);
    done(rig);
}

static void none_that_finished_is_no_curve(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    char *page;

    end(add(rig, 100, 1000, 10 * 1000000), "void", EXIT_WRONG_DATA);
    end(add(rig, 200, 2000, 20 * 1000000), "running", EXIT_FINE);
    page = draw(rig, false);
    assert_true(row_ends(page, "run1", "void"));
    assert_null(strstr(page, "knee\n"));
    free(page);
    done(rig);
}

static void runs_of_a_load_are_one_point(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    char *page, *data;

    for (uint32_t seed = 0; seed < 3; seed++) {
        add(rig, 100, 1000 + 10 * seed, 10 * 1000000);
        add(rig, 200, 2000 + 10 * seed, (20 + 4 * seed) * 1000000);
    }
    page = draw(rig, false);
    data = draw(rig, true);
    assert_non_null(strstr(data, "1010 "));
    assert_non_null(strstr(data, "2010 "));
    assert_int_equal(count_of(data, "\n"), 3); /* the name and two points */
    assert_non_null(strstr(page, "up to 3"));
    assert_null(strstr(page, "One run a point"));
    assert_true(row_ends(page, "run6", "knee")); /* the point is below the limit */
    free(page);
    free(data);
    done(rig);
}

/* Behind the knee more load gives less: the line turns back, it does not jump to and fro. */
static void a_curve_that_bends_back_is_joined_by_load(void **state)
{
    static const char *const in_order[] = {"# drive", "1000 ", "2000 ", "1800 ", "1900 "};
    struct rig *rig = calloc(1, sizeof(*rig));
    char *page, *data;
    const char *at;

    add(rig, 300, 1800, 40 * 1000000);
    add(rig, 100, 1000, 10 * 1000000);
    add(rig, 400, 1900, 50 * 1000000);
    add(rig, 200, 2000, 20 * 1000000);
    page = draw(rig, false);
    data = draw(rig, true);
    at = data;
    for (uint32_t i = 0; i < sizeof(in_order) / sizeof(*in_order); i++) {
        at = strstr(at, in_order[i]);
        assert_non_null(at);
    }
    assert_true(row_ends(page, "run4", "knee"));
    assert_true(strstr(page, "run2") < strstr(page, "run4"));
    assert_true(strstr(page, "run4") < strstr(page, "run1"));
    assert_true(strstr(page, "run1") < strstr(page, "run3"));
    free(page);
    free(data);
    done(rig);
}

/* One number of users at several rates: what was due a second is the load. */
static void rates_are_loads(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    char *data;

    for (uint32_t i = 0; i < 3; i++) {
        struct result *result = add(rig, 100, i == 2 ? 1500 : 1000 + 1000 * i, 10 * 1000000);

        result->aggregate.due = 60000 * (i + 1);
        snprintf(result->scenario.settings, sizeof(result->scenario.settings), "rate=%u", 9 - i);
    }
    data = draw(rig, true);
    assert_true(strstr(data, "1000 ") < strstr(data, "2000 "));
    assert_true(strstr(data, "2000 ") < strstr(data, "1500 "));
    free(data);
    done(rig);
}

/* Model files that were edited between runs: two drives of one name, not one point. */
static void drives_of_one_name_are_told_apart(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    char *page, *data;

    for (uint32_t i = 0; i < 4; i++) {
        struct result *result = add(rig, 100, 1000 + 500 * (i % 2), 10 * 1000000);

        result->run.label[0] = '\0';
        result->drive_count = 1;
        snprintf(result->drives[0].model, sizeof(result->drives[0].model), "Fast");
        snprintf(result->drives[0].model_sha256, sizeof(result->drives[0].model_sha256), "%s",
                 i % 2 == 0 ? "aaaaaaaa0123" : "bbbbbbbb0123");
    }
    page = draw(rig, false);
    data = draw(rig, true);
    assert_int_equal(count_of(data, "# Fast"), 2);
    assert_non_null(strstr(data, "1000 "));
    assert_non_null(strstr(data, "1500 "));
    assert_null(strstr(data, "1250 "));
    assert_non_null(strstr(page, "@aaaaaaaa"));
    assert_non_null(strstr(page, "@bbbbbbbb"));
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(rig->results[i].drives[0].model_sha256,
                 sizeof(rig->results[i].drives[0].model_sha256), "aaaaaaaa0123");
    }
    free(page);
    page = draw(rig, false);
    assert_null(strstr(page, "@aaaaaaaa"));
    free(page);
    free(data);
    done(rig);
}

static void lines_that_are_left_out_are_counted(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    char *page, *data;

    for (uint32_t i = 0; i < 11; i++) {
        snprintf(add(rig, 100, 1000, 10 * 1000000)->run.label, 64, "drive%02u", i);
    }
    page = draw(rig, false);
    data = draw(rig, true);
    assert_int_equal(count_of(data, "# drive"), 8);
    assert_non_null(strstr(page, "first 8 lines of 11: 3 more"));
    assert_non_null(strstr(page, "One run a point"));
    free(page);
    free(data);
    done(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_runs_are_marked_and_make_no_curve),
        cmocka_unit_test(none_that_finished_is_no_curve),
        cmocka_unit_test(runs_of_a_load_are_one_point),
        cmocka_unit_test(a_curve_that_bends_back_is_joined_by_load),
        cmocka_unit_test(rates_are_loads),
        cmocka_unit_test(drives_of_one_name_are_told_apart),
        cmocka_unit_test(lines_that_are_left_out_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
