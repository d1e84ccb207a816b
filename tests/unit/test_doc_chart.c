/*
 * Charts of a document: spikes survive thinning, gaps stay gaps, nobody's words leave their place.
 * rooms: report result plan stats base
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/doc.h"

enum { MANY = 100000, SPIKE = 54321, DIP = 77777, GAP_FROM = 20000, GAP_UNTIL = 30000 };

static const struct doc_chart lines = {.kind = DOC_LINES,
                                       .key = "tps",
                                       .title = "TPS",
                                       .x = {"time", DOC_CLOCK, false},
                                       .y = {"TPS", DOC_NUMBER, false}};

struct points {
    uint32_t count, gaps;
    double least, largest, last_x;
    bool ascends;
};

/* The series of a chart's data, read back. */
static void read_points(const char *data, struct points *ret)
{
    *ret = (struct points){.least = INFINITY, .largest = -INFINITY, .last_x = -1, .ascends = true};
    while (data && (data = strchr(data, '\n')) != NULL && data[1] != '\0') {
        char *end;
        double x = strtod(data + 1, &end), y;

        ret->ascends = ret->ascends && x >= ret->last_x;
        ret->last_x = x;
        ret->count++;
        data = end;
        if (strncmp(end, " ?", 2) == 0) {
            ret->gaps++;
            continue;
        }
        y = strtod(end, NULL);
        ret->least = fmin(ret->least, y);
        ret->largest = fmax(ret->largest, y);
    }
}

static void thinning_keeps_extremes(void **state)
{
    double *x = mem_array(MANY, sizeof(*x)), *y = mem_array(MANY, sizeof(*y));
    struct points points;
    struct text text;
    struct doc doc;

    for (uint32_t i = 0; i < MANY; i++) {
        x[i] = i;
        y[i] = i >= GAP_FROM && i < GAP_UNTIL ? NAN : 100 + i % 7;
    }
    y[SPIKE] = 5000;
    y[DIP] = 3;
    doc_init(&doc);
    doc_chart(&doc, &lines);
    doc_series(&doc, "all", x, y, MANY);
    assert_false(doc.failed);
    text_init(&text);
    assert_string_equal(doc_chart_data(&doc, 0, &text), "tps");
    read_points(text_string(&text), &points);
    assert_int_equal(points.count, DOC_POINTS);
    assert_true(points.ascends);
    assert_float_equal(points.largest, 5000, 0);
    assert_float_equal(points.least, 3, 0);
    assert_in_range(points.gaps, DOC_POINTS / 10 - 4, DOC_POINTS / 10);
    text_free(&text);
    doc_free(&doc);
    mem_free(x);
    mem_free(y);
}

/* So that a page of many series stays small. */
static void equal_x_is_kept_once(void **state)
{
    const double x[] = {1, 2, 3}, other[] = {1, 2, 4}, y[] = {5, 6, 7};
    struct doc doc;

    doc_init(&doc);
    doc_chart(&doc, &lines);
    doc_series(&doc, "a", x, y, 3);
    doc_series(&doc, "b", x, y, 3);
    assert_int_equal(doc.value_count, 9);
    doc_series(&doc, "c", other, y, 3);
    assert_int_equal(doc.value_count, 15);
    doc_free(&doc);
}

/* Figures and names stand in a script element: no name may end it. */
static void names_stay_names(void **state)
{
    static const char evil[] = "</script><!--<script>\"'&\n\x1b";
    const double x[] = {1, 2}, y[] = {3, NAN};
    struct doc_chart chart = lines;
    const char *data, *end;
    struct text page;
    struct doc doc;

    doc_init(&doc);
    chart.title = evil;
    doc_chart(&doc, &chart);
    doc_series(&doc, evil, x, y, 2);
    doc_band(&doc, evil, 1, 2);
    doc_limit(&doc, evil, 3);
    doc_mark(&doc, evil, 1, 3);
    text_init(&page);
    doc_html(&doc, &page);
    assert_false(page.failed || doc.failed);
    data = strstr(text_string(&page), "id=\"rawtps-data\">");
    assert_non_null(data);
    end = strstr(data, "</script>\n<script>");
    assert_non_null(end);
    data += strlen("id=\"rawtps-data\">");
    assert_null(memchr(data, '<', (size_t)(end - data)));
    assert_non_null(strstr(data, "\"y\":[3,null]"));
    assert_null(strstr(text_string(&page), evil));
    text_free(&page);
    doc_free(&doc);
}

/* Every kind, with what a hand-edited result may hold: no crash, no endless axis. */
static void odd_figures_are_drawn(void **state)
{
    static const double odd[][2] = {{0, 0},     {NAN, NAN},        {-5, 5},  {1e300, 1e-300},
                                    {1e9, 1e9}, {INFINITY, -1e18}, {1, 1e18}};
    static const double edges[] = {1, 2, 3}, counts[] = {0, 1, 0, 0};
    struct text page;
    struct doc doc;

    doc_init(&doc);
    for (uint32_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
        for (int kind = DOC_LINES; kind <= DOC_HEAT; kind++) {
            for (int unit = DOC_NUMBER; unit <= DOC_PERCENTILE; unit++) {
                struct doc_chart chart = {.kind = (enum doc_chart_kind)kind,
                                          .key = "odd",
                                          .title = "odd",
                                          .x = {"x", (enum doc_unit)unit, i % 2 == 0},
                                          .y = {"y", (enum doc_unit)unit, i % 2 == 1}};

                doc_chart(&doc, &chart);
                doc_category(&doc, "a");
                doc_category(&doc, "b");
                doc_category(&doc, "c");
                if (kind == DOC_HEAT) {
                    doc_heat(&doc, edges, 2, odd[i], 1, counts);
                } else {
                    doc_series(&doc, "s", kind == DOC_LINES ? edges : NULL, odd[i], 2);
                }
            }
        }
    }
    text_init(&page);
    doc_html(&doc, &page);
    assert_false(page.failed || doc.failed);
    assert_in_range(page.length, 1000, 4000000);
    assert_null(strstr(strstr(page.data, "<main>"), "nan,"));
    text_free(&page);
    doc_free(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thinning_keeps_extremes),
        cmocka_unit_test(equal_x_is_kept_once),
        cmocka_unit_test(names_stay_names),
        cmocka_unit_test(odd_figures_are_drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
