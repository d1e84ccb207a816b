/* A gate file is read with every default filled in, and every mistake is named with its place. */
/* rooms: base stats io workload sql target plan result report */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plan/gate_file.h"
#include "result/gate.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SIDES "baseline: {runs: old/*}\ncandidate: {runs: new/*}\n"
#define HEAD  "version: 1\n" SIDES

static int read_text(const char *text, struct gate_file *ret, struct error *err)
{
    FILE *file = fopen("g.yaml", "w");
    struct gate_words words;

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    gate_words_here(&words);
    *err = (struct error){0};
    return gate_file_read("g.yaml", &words, ret, err);
}

static void defaults_are_filled_in(void **state)
{
    struct gate_file file;
    struct gate_words words;
    struct error err;

    if (read_text(HEAD "metrics: [{metric: tps, margin: 2%}]\n", &file, &err) < 0) {
        fail_msg("%s", err.text);
    }
    gate_words_here(&words);
    assert_string_equal(file.name, "g");
    assert_string_equal(file.baseline.label, "baseline");
    assert_string_equal(file.baseline.runs[0], "old/*");
    assert_int_equal(file.require.min_runs, 5);
    assert_true(file.require.steady_state);
    assert_true(file.require.concurrency_tolerance == 0.02);
    assert_int_equal(file.require.same_count, 11);
    assert_string_equal(words.same[file.require.same[0]], "scenario");
    assert_true(file.design.alpha == 0.05 && file.design.power == 0.8);
    assert_int_equal(file.design.on_inconclusive, GATE_INCONCLUSIVE_FAIL);
    assert_int_equal(file.design.max_runs, 10);
    assert_string_equal(file.metrics[0].scope, "aggregate");
    assert_true(file.metrics[0].margin == 0.02 && isnan(file.metrics[0].most));
    assert_false(file.history.given);
    assert_string_equal(file.outputs.junit, "");
}

static void the_shipped_example_is_read(void **state)
{
    const char *root = getenv("ROOT");
    struct gate_file file;
    struct gate_words words;
    struct error err = {0};
    char path[300];

    if (root == NULL) {
        skip();
    }
    snprintf(path, sizeof(path), "%s/docs/gate-example.yaml", root);
    gate_words_here(&words);
    if (gate_file_read(path, &words, &file, &err) < 0) {
        fail_msg("%d:%d %s", err.line, err.column, err.text);
    }
    assert_int_equal(file.metric_count, 7);
    assert_true(file.metrics[2].most == 35e6);
    assert_true(file.metrics[4].advisory && file.metrics[6].optional);
    assert_true(file.history.given && file.history.advisory);
    assert_string_equal(file.outputs.markdown, "gate.md");
    /* globs are relative to the file, wherever the command is called */
    assert_non_null(strstr(file.candidate.runs[0], "/docs/../results/fw-2.0.3/*"));
}

static void limits_have_their_metrics_unit(void **state)
{
    struct gate_file file;
    struct error err;

    assert_int_equal(read_text(HEAD "metrics:\n"
                                    "  - {metric: lat_p99.9, max: 1.5s}\n"
                                    "  - {metric: tps, min: 8000, by: point}\n"
                                    "  - {metric: tps_cv, max: 5%}\n"
                                    "  - {metric: tps, scope: vm1, improve_min: 3%}\n"
                                    "  - {metric: iops, scope: each_vm, margin: 1%, "
                                    "equivalence: yes}\n",
                               &file, &err),
                     0);
    assert_true(file.metrics[0].most == 1.5e9);
    assert_true(file.metrics[1].least == 8000 && file.metrics[1].by == GATE_BY_POINT);
    assert_true(file.metrics[2].most == 0.05);
    assert_true(file.metrics[3].improve_min == 0.03);
    assert_true(file.metrics[4].equivalence);
}

static void mistakes_are_named_with_their_place(void **state)
{
    static const struct {
        const char *text, *where, *says, *hint;
    } cases[] = {
        {"metrics: []\n", "1:1", "\"version\" is missing in the gate", ""},
        {"version: 2\n" SIDES "metrics: [{metric: tps, margin: 2%}]\n", "1:10", "version: must be",
         ""},
        {HEAD "metrics: [{metric: tps, margin: 2%}]\nmetric: 1\n", "5:1", "unknown key \"metric\"",
         "did you mean \"metrics\"?"},
        {HEAD "metrics: [{metric: tpss, margin: 2%}]\n", "4:20", "there is no \"tpss\"",
         "did you mean \"tps\"?"},
        {HEAD "metrics: [{metric: tps, margn: 2%}]\n", "4:25", "unknown key \"margn\" in a metric",
         "did you mean \"margin\"?"},
        {HEAD "metrics: [{metric: tps}]\n", "4:11", "one of margin, improve_min, max and min",
         "for example"},
        {HEAD "metrics: [{metric: tps, margin: 2}]\n", "4:33", "margin", ""},
        {HEAD "metrics: [{metric: tps, margin: 95%}]\n", "4:33", "margin: must be", ""},
        {HEAD "metrics: [{metric: lat_p99, max: 35}]\n", "4:34", "max: \"35\" is not a duration",
         ""},
        {HEAD "metrics: [{metric: tps, max: 0}]\n", "4:30", "max: must be above 0", ""},
        {HEAD "metrics: [{metric: tps, equivalence: yes, max: 9}]\n", "4:11", "a margin is needed",
         ""},
        {HEAD "metrics: [{metric: tps, margin: 1%, improve_min: 1%}]\n", "4:11",
         "exclude one another", ""},
        {HEAD "metrics: [{metric: tps, margin: 1%}, {metric: tps, margin: 2%}]\n", "4:38",
         "a second row on tps of aggregate", ""},
        {HEAD "metrics: 3\n", "4:10", "metrics: ", ""},
        {HEAD "metrics: []\n", "4:10", "a list of 1 to 32 rows", ""},
        {HEAD "require: {same: [kernle]}\nmetrics: [{metric: tps, margin: 2%}]\n", "4:18",
         "same: there is no \"kernle\"", "did you mean \"kernel\"?"},
        {HEAD "require: {same: [host, host]}\nmetrics: [{metric: tps, margin: 2%}]\n", "4:24",
         "twice", ""},
        {HEAD "require: {min_runs: 2}\nmetrics: [{metric: tps, margin: 2%}]\n", "4:21",
         "min_runs: must be 3", ""},
        {HEAD "design: {on_inconclusive: ignore}\nmetrics: [{metric: tps, margin: 2%}]\n", "4:27",
         "on_inconclusive", ""},
        {HEAD "design: {max_runs: 4}\nmetrics: [{metric: tps, margin: 2%}]\n", "4:20",
         "max_runs: must be at least min_runs, 5", ""},
        {"version: 1\nbaseline: old\ncandidate: {runs: b}\nmetrics: [{metric: tps, margin: 2%}]\n",
         "2:11", "baseline: a section of keys is expected, not a single value", ""},
        {"version: 1\nbaseline: {label: x}\ncandidate: {runs: b}\n"
         "metrics: [{metric: tps, margin: 2%}]\n",
         "2:1", "\"runs\" is missing in a side", ""},
        {"version: 1\nbaseline: {runs: []}\ncandidate: {runs: b}\n"
         "metrics: [{metric: tps, margin: 2%}]\n",
         "2:18", "runs: 1 to 8 paths", ""},
        {"version: 1\nbaseline: {runs: [[a]]}\ncandidate: {runs: b}\n"
         "metrics: [{metric: tps, margin: 2%}]\n",
         "2:19", "runs: a path such as", ""},
        {HEAD "metrics: [{metric: tps, margin: 2%}]\noutputs: {junit: a, json: a}\n", "5:10",
         "two of them are a", ""},
        {HEAD "metrics: [{metric: tps, margin: 2%}\n", "5:1", "", ""},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gate_file file;
        struct error err;
        char where[32];

        assert_int_not_equal(read_text(cases[i].text, &file, &err), 0);
        snprintf(where, sizeof(where), "%d:%d", err.line, err.column);
        if (strcmp(err.file, "g.yaml") != 0 || err.exit != EXIT_USAGE ||
            strcmp(where, cases[i].where) != 0 || !strstr(err.text, cases[i].says) ||
            !strstr(err.hint, cases[i].hint)) {
            fail_msg("%s\nwanted %s %s (%s)\ngot    %s:%s %s (%s)", cases[i].text, cases[i].where,
                     cases[i].says, cases[i].hint, err.file, where, err.text, err.hint);
        }
    }
}

static void a_file_that_is_not_there_is_usage(void **state)
{
    struct gate_words words;
    struct gate_file file;
    struct error err = {0};

    gate_words_here(&words);
    assert_int_not_equal(gate_file_read("nowhere.yaml", &words, &file, &err), 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    assert_non_null(strstr(err.text, "nowhere.yaml"));
}

static void the_document_names_every_key(void **state)
{
    static const char *const keys[] = {"baseline",
                                       "on_inconclusive",
                                       "improve_min",
                                       "throttle_"
                                       "seconds",
                                       "window",
                                       "junit",
                                       "optional",
                                       "equivalence"};
    struct text text = {0};

    gate_file_document(&text);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        assert_non_null(strstr(text_string(&text), keys[i]));
    }
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(the_shipped_example_is_read),
        cmocka_unit_test(limits_have_their_metrics_unit),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(a_file_that_is_not_there_is_usage),
        cmocka_unit_test(the_document_names_every_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
