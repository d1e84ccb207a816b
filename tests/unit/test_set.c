// rooms: base stats result
/* Sets of runs: found, refused, paired, and asked what differs. */
#include "result/set.h"
#include "run_maker.h"
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char place[64];

static int make_place(void **state)
{
    run_maker_place(place);
    return 0;
}

static int clear_place(void **state)
{
    run_maker_clear(place);
    return 0;
}

static const char *in(const char *name)
{
    static char paths[8][320];
    static int next;

    next = (next + 1) % 8;
    snprintf(paths[next], sizeof(paths[next]), "%s/%s", place, name);
    return paths[next];
}

static void make(const char *name, const struct run_recipe *recipe)
{
    run_maker_dir(recipe, in(name));
}

static void add(struct set *set, const char *name)
{
    struct error err = {0};

    if (set_add(set, in(name), &err) < 0) {
        fail_msg("%s: %s", name, err.text);
    }
}

static void refuses(const char *name, enum exit_code exit, const char *words)
{
    struct error err = {0};
    struct set set;

    set_init(&set, "x");
    assert_true(set_add(&set, in(name), &err) < 0);
    assert_int_equal(err.exit, exit);
    if (!strstr(err.text, words)) {
        fail_msg("\"%s\" is not in \"%s\"", words, err.text);
    }
    set_free(&set);
}

static void put(const char *name, const char *content)
{
    FILE *file = fopen(in(name), "w");

    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A run's json with one text replaced by another. */
static void edit(const char *name, const char *from, const char *to)
{
    static char text[400000], other[400000];
    char path[200];
    FILE *file;
    char *at;
    size_t n;

    snprintf(path, sizeof(path), "%s/run.json", name);
    file = fopen(in(path), "r");
    assert_non_null(file);
    n = fread(text, 1, sizeof(text) - 1, file);
    text[n] = '\0';
    fclose(file);
    at = strstr(text, from);
    assert_non_null(at);
    snprintf(other, sizeof(other), "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    put(path, other);
}

/* A directory of runs, a pattern, a run.json, LATEST and the same run twice. */
static void test_runs_are_found(void **state)
{
    struct set set;

    make("r2", &(struct run_recipe){.minute = 2, .no_files = true});
    make("r1", &(struct run_recipe){.minute = 1, .no_files = true});
    make("r3", &(struct run_recipe){.minute = 3, .no_files = true});
    put("notes.txt", "x");
    assert_int_equal(symlink("r3", in("LATEST")), 0);
    set_init(&set, "x");
    add(&set, "");
    assert_int_equal(set.run_count, 3);
    assert_string_equal(set.runs[0].result->run.id, "r1"); /* by their start */
    assert_string_equal(set.runs[2].result->run.id, "r3");
    add(&set, "r[12]");
    add(&set, "LATEST");
    add(&set, "r1/run.json");
    add(&set, "r1//");
    assert_int_equal(set.run_count, 3);
    set_free(&set);
    set_init(&set, "x");
    add(&set, "*");
    assert_int_equal(set.run_count, 3);
    set_free(&set);
    refuses("none", EXIT_USAGE, "no run in ");
    refuses("q*", EXIT_USAGE, "no run matches ");
}

/* What nobody can look into is not passed over as if it were no run. */
static void test_unreadable(void **state)
{
    assert_int_equal(mkdir(in("shut"), 0777), 0);
    make("shut/a", &(struct run_recipe){.no_files = true});
    assert_int_equal(mkdir(in("shut/b"), 0777), 0);
    assert_int_equal(symlink("run.json", in("shut/b/run.json")), 0); /* as fails for root too */
    refuses("shut", EXIT_FAILED, "/shut/b is a run: ");
    assert_int_equal(unlink(in("shut/b/run.json")), 0);
    if (geteuid() != 0) {
        assert_int_equal(chmod(in("shut/b"), 0), 0);
        refuses("shut", EXIT_FAILED, "/shut/b is a run: Permission denied");
        assert_int_equal(chmod(in("shut/b"), 0777), 0);
    }
}

static void test_labels(void **state)
{
    char label[SET_LABEL];

    assert_string_equal(set_take_label("u2=results/u2/*", label), "results/u2/*");
    assert_string_equal(label, "u2");
    assert_string_equal(set_take_label("results/a=1", label), "results/a=1");
    assert_string_equal(label, "");
    assert_string_equal(set_take_label("=x", label), "=x");
}

/* Files that are not what a run left are refused, each with its own words. */
static void test_files_that_are_refused(void **state)
{
    const struct run_recipe plain = {.no_files = true};

    make("newer", &plain);
    edit("newer", "\"schema_version\": 1", "\"schema_version\": 2");
    refuses("newer", EXIT_USAGE, "schema_version: is 2, this program reads 1");
    make("older", &plain);
    edit("older", "\"schema_version\": 1", "\"schema_version\": 0");
    refuses("older", EXIT_USAGE, "schema_version: is 0, this program reads 1");
    make("foreign", &plain);
    put("foreign/run.json", "{\"jobs\": []}\n");
    refuses("foreign", EXIT_USAGE, "schema_version");
    make("torn", &plain);
    put("torn/run.json", "{\n \"schema_version\": 1,\n \"run\"");
    refuses("torn", EXIT_USAGE, "");
    make("edited", &plain);
    edit("edited", "\"tps\": 100.0", "\"tps\": 110.0");
    refuses("edited", EXIT_USAGE, "contradicts itself: tps of ");
    make("edited2", &plain);
    edit("edited2", "\"p99_ns\": ", "\"p99_ns\": 9");
    refuses("edited2", EXIT_USAGE, "do not rise");
}

static void test_void_and_shared_runs(void **state)
{
    struct set a, b;
    const struct set *both[] = {&a, &b};
    struct error err = {0};

    make("good", &(struct run_recipe){.no_files = true});
    make("bad", &(struct run_recipe){.no_files = true, .stamp_errors = 3});
    make("part", &(struct run_recipe){.no_files = true, .ended = "interrupted"});
    set_init(&a, "a");
    set_init(&b, "b");
    add(&a, "good");
    add(&a, "part");
    add(&b, "bad");
    assert_int_equal(set_refuse_void(&a, &err), 0);
    assert_true(a.runs[0].state + a.runs[1].state == SET_WHOLE + SET_PARTIAL);
    assert_true(set_refuse_void(&b, &err) < 0);
    assert_int_equal(err.exit, EXIT_WRONG_DATA);
    assert_int_equal(set_refuse_shared(both, 2, &err), 0);
    add(&b, "good");
    assert_true(set_refuse_shared(both, 2, &err) < 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    set_free(&a);
    set_free(&b);
}

static double value(const struct set *set, const char *metric)
{
    return set_metric_of(set_metric_find(metric), set->runs[0].result, -1);
}

static void test_metrics(void **state)
{
    double values[1];
    struct set set;

    make("r", &(struct run_recipe){.no_files = true, .tps = 200, .users = 8, .vms = 2});
    set_init(&set, "x");
    add(&set, "r");
    assert_float_equal(value(&set, "tps"), 400, 1e-9);
    assert_float_equal(value(&set, "iops"), 1200, 1e-9);
    assert_float_equal(value(&set, "mb_s"), 1200 * 8192 / 1e6, 1e-9);
    assert_float_equal(value(&set, "lat_avg"), 40e6, 1e5);
    assert_true(value(&set, "lat_p99") > value(&set, "lat_p50"));
    assert_true(value(&set, "lat-p99.9") >= value(&set, "lat_p99"));
    assert_true(isnan(value(&set, "w_avg")) && isnan(value(&set, "tps_per_w")));
    assert_true(isnan(value(&set, "waf")));
    assert_float_equal(set_metric_of(set_metric_find("tps"), set.runs[0].result, 1), 200, 1e-9);
    assert_true(isnan(set_metric_of(set_metric_find("tps"), set.runs[0].result, 2)));
    assert_int_equal(set_values(&set, set_metric_find("tps"), -1, values), 1);
    assert_null(set_metric_find("tpm"));
    assert_string_equal(set_metric_nearest("lat_p9"), "lat_p90");
    result_fact_set(&set.runs[0].result->aggregate, "w_avg", 8);
    assert_float_equal(value(&set, "tps_per_w"), 50, 1e-9);
    assert_float_equal(value(&set, "mj_per_txn"), 20, 1e-9);
    set_free(&set);
}

static void make_series(const char *order)
{
    for (uint32_t i = 0; order[i] != '\0'; i++) {
        struct run_recipe recipe = {.no_files = true,
                                    .minute = i + 1,
                                    .pair = {.design = "abba", .series = "s", .order = i + 1}};
        char name[16];

        recipe.pair.side[0] = order[i];
        snprintf(name, sizeof(name), "%c%02u", order[i], i + 1);
        make(name, &recipe);
    }
}

static void test_pairs(void **state)
{
    static const uint32_t whole_a[] = {1, 4, 8, 9}, whole_b[] = {2, 3, 7, 10};
    struct set_pair pairs[8];
    struct set a, b, few, lost;

    make_series("ABBAABBAAB");
    set_init(&a, "a");
    set_init(&b, "b");
    set_init(&few, "few");
    set_init(&lost, "lost");
    add(&a, "A*");
    add(&b, "B*");
    assert_int_equal(set_pairs(&a, &b, pairs), 5);
    for (int i = 0; i < 5; i++) {
        uint32_t x = a.runs[pairs[i].a].result->run.pair.order;
        uint32_t y = b.runs[pairs[i].b].result->run.pair.order;

        assert_int_equal((x + 1) / 2, (y + 1) / 2);
    }
    add(&lost, "B10"); /* as the files were found, and B's run 6 was lost */
    add(&lost, "B0[237]");
    assert_int_equal(set_pairs(&a, &lost, pairs), 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(a.runs[pairs[i].a].result->run.pair.order, whole_a[i]);
        assert_int_equal(lost.runs[pairs[i].b].result->run.pair.order, whole_b[i]);
    }
    add(&few, "B0[23]"); /* most runs of A have no neighbour: no pairs */
    assert_int_equal(set_pairs(&a, &few, pairs), 0);
    assert_int_equal(set_pairs(&few, &few, pairs), 0);
    set_free(&a);
    set_free(&b);
    set_free(&few);
    set_free(&lost);
}

static enum set_match match(const struct set_rows *rows, const char *name)
{
    return set_row_find(rows, name)->match;
}

static void test_what_differs(void **state)
{
    struct text words = {0};
    struct set_rows rows;
    struct set a, b;
    const struct set *both[] = {&a, &b};

    make("a1", &(struct run_recipe){.no_files = true});
    make("a2", &(struct run_recipe){.no_files = true});
    make("b1", &(struct run_recipe){.no_files = true,
                                    .serial = "S2",
                                    .model = "D2",
                                    .firmware = "1.1",
                                    .form_factor = "E1.S"});
    set_init(&a, "a");
    set_init(&b, "b");
    add(&a, "a?");
    add(&b, "b1");
    set_rows_of(both, 2, 0.05, &rows);
    assert_int_equal(match(&rows, "scenario"), SET_SAME);
    assert_int_equal(match(&rows, "capacity"), SET_SAME);
    assert_int_equal(match(&rows, "serial"), SET_DIFFERS);
    assert_int_equal(match(&rows, "firmware"), SET_DIFFERS);
    assert_int_equal(match(&rows, "concurrency"), SET_SAME);
    assert_int_equal(match(&rows, "governor"), SET_UNKNOWN);
    assert_int_equal(match(&rows, "steady_state"), SET_UNKNOWN); /* too short to judge */
    assert_int_equal(match(&rows, "stamp_errors"), SET_SAME);
    assert_null(set_rows_refused(&rows)); /* another drive is what is compared */
    set_row_say(set_row_find(&rows, "firmware"), 2, &words);
    assert_string_equal(text_string(&words), "firmware 1.0 | 1.1");
    make("b2", &(struct run_recipe){.no_files = true, .kernel = "6.2.0", .users = 8, .tps = 200});
    add(&b, "b2");
    set_rows_of(both, 2, 0.05, &rows);
    assert_int_equal(match(&rows, "kernel"), SET_DIFFERS);
    assert_string_equal(set_rows_refused(&rows)->name, "users");
    assert_int_equal(match(&rows, "concurrency"), SET_DIFFERS);
    assert_float_equal(rows.concurrency_ratio, 0.5, 0.01);
    assert_string_equal(set_row_find(&rows, "kernel")->values[1], "6.1.0, 6.2.0");
    text_free(&words);
    set_free(&a);
    set_free(&b);
}

/* A file that was edited is another, though its name is the same. */
static void test_files_that_were_edited(void **state)
{
    struct text words = {0};
    struct set_rows rows;
    struct set a, b;
    const struct set *both[] = {&a, &b};

    make("a1", &(struct run_recipe){
                   .no_files = true, .config_sum = "c0ffee001", .model_sum = "decade001"});
    make("b1", &(struct run_recipe){
                   .no_files = true, .config_sum = "c0ffee001", .model_sum = "facade001"});
    set_init(&a, "a");
    set_init(&b, "b");
    add(&a, "a1");
    add(&b, "b1");
    set_rows_of(both, 2, 0.05, &rows);
    assert_int_equal(match(&rows, "scenario"), SET_SAME);
    assert_int_equal(match(&rows, "model"), SET_DIFFERS);
    assert_null(set_rows_refused(&rows)); /* two models are what is compared */
    set_row_say(set_row_find(&rows, "model"), 2, &words);
    assert_string_equal(text_string(&words), "model D1 file@decade00 | D1 file@facade00");
    make("b2", &(struct run_recipe){
                   .no_files = true, .config_sum = "c0ffee002", .model_sum = "facade001"});
    add(&b, "b2");
    set_rows_of(both, 2, 0.05, &rows);
    assert_string_equal(set_rows_refused(&rows)->name, "scenario");
    assert_string_not_equal(set_row_find(&rows, "scenario")->values[0],
                            set_row_find(&rows, "scenario")->values[1]);
    make("b3", &(struct run_recipe){.no_files = true}); /* of before this was recorded */
    make("b4", &(struct run_recipe){.no_files = true, .model = "D2", .model_sum = "facade001"});
    set_free(&b);
    set_init(&b, "b");
    add(&b, "b3");
    set_rows_of(both, 2, 0.05, &rows);
    assert_int_equal(match(&rows, "scenario"), SET_SAME);
    assert_int_equal(match(&rows, "model"), SET_SAME);
    add(&b, "b4");
    set_rows_of(both, 2, 0.05, &rows);
    assert_string_equal(set_row_find(&rows, "model")->values[1], "D1, D2");
    text_free(&words);
    set_free(&a);
    set_free(&b);
}

static void test_link_and_warmth(void **state)
{
    static const struct result_link full = {8, 8, 4, 4}, half = {8, 8, 2, 4};
    struct text words = {0};
    struct set_rows rows;
    struct set a, b;
    const struct set *both[] = {&a, &b};

    make("a1", &(struct run_recipe){.no_files = true, .link = full, .celsius = 40});
    make("a2", &(struct run_recipe){.no_files = true, .link = full, .celsius = 43});
    make("b1", &(struct run_recipe){.no_files = true, .link = full, .celsius = 44});
    set_init(&a, "a");
    set_init(&b, "b");
    add(&a, "a?");
    add(&b, "b1");
    set_rows_of(both, 2, 0.05, &rows);
    assert_int_equal(match(&rows, "link"), SET_SAME);
    assert_int_equal(match(&rows, "start_temperature"), SET_SAME); /* within 5 degrees */
    assert_int_equal(match(&rows, "throttle"), SET_SAME);
    assert_string_equal(set_row_find(&rows, "link")->values[0], "8.0 GT/s x4 (max 8.0 x4)");
    make("b2",
         &(struct run_recipe){.no_files = true, .link = half, .celsius = 71, .throttled_s = 12});
    add(&b, "b2");
    set_rows_of(both, 2, 0.05, &rows);
    assert_int_equal(match(&rows, "link"), SET_DIFFERS);
    assert_int_equal(match(&rows, "start_temperature"), SET_DIFFERS);
    assert_int_equal(match(&rows, "end_temperature"), SET_DIFFERS);
    assert_int_equal(match(&rows, "throttle"), SET_DIFFERS);
    set_row_say(set_row_find(&rows, "throttle"), 2, &words);
    assert_string_equal(text_string(&words), "throttled 0 s | 12 s in 1 of 2 runs");
    make("b3", &(struct run_recipe){.no_files = true}); /* of before this was recorded */
    set_free(&b);
    set_init(&b, "b");
    add(&b, "b3");
    set_rows_of(both, 2, 0.05, &rows);
    assert_int_equal(match(&rows, "link"), SET_UNKNOWN);
    assert_int_equal(match(&rows, "throttle"), SET_UNKNOWN);
    assert_null(set_rows_refused(&rows));
    text_free(&words);
    set_free(&a);
    set_free(&b);
}

static void test_names_of_sets(void **state)
{
    char value_of[SET_VALUE];
    struct set set;

    make("r1", &(struct run_recipe){.no_files = true, .model = "D9", .firmware = "7"});
    set_init(&set, "");
    add(&set, "r1");
    set_name(&set, "A");
    assert_string_equal(set.label, "D9 fw 7");
    assert_int_equal(set_run_value(&set.runs[0], "firmware", value_of), 1);
    assert_string_equal(value_of, "7");
    assert_int_equal(set_run_value(&set.runs[0], "governor", value_of), 0);
    assert_int_equal(set_run_value(&set.runs[0], "colour", value_of), -ENOENT);
    set_free(&set);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_place, clear_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_runs_are_found),
        CASE(test_unreadable),
        CASE(test_labels),
        CASE(test_files_that_are_refused),
        CASE(test_void_and_shared_runs),
        CASE(test_metrics),
        CASE(test_pairs),
        CASE(test_what_differs),
        CASE(test_files_that_were_edited),
        CASE(test_link_and_warmth),
        CASE(test_names_of_sets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
