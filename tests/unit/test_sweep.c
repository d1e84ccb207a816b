// rooms: base stats result report
/* Sides at several loads: matched by what was swept, each point judged, and all of them together.
 */
#include "report/doc_compare.h"
#include "report/redact.h"
#include "result/sweep.h"
#include "run_maker.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 3 };

static char place[64];
static struct set sets[2];
static const struct set *both[2] = {&sets[0], &sets[1]};
static struct sweep sweep;

static int begin(void **state)
{
    run_maker_place(place);
    set_init(&sets[0], "u2");
    set_init(&sets[1], "e1s");
    return 0;
}

static int end(void **state)
{
    sweep_close(&sweep);
    set_free(&sets[0]);
    set_free(&sets[1]);
    run_maker_clear(place);
    return 0;
}

/* RUNS runs of a side at one load, whose rates lie 0.2 % around tps. */
static void make(uint32_t side, const char *name, double tps, const struct run_recipe *like)
{
    for (uint32_t i = 0; i < RUNS; i++) {
        struct run_recipe recipe = *like;
        struct error err = {0};
        char path[160];

        recipe.tps = tps * (1 + 0.002 * ((double)i - 1) * (side ? 1 : -1));
        recipe.seed = 1 + i;
        recipe.minute = i;
        recipe.no_files = true;
        recipe.serial = side ? "SERIALB2" : "SERIALA1";
        snprintf(path, sizeof(path), "%s/%u-%s-%u", place, side, name, i);
        run_maker_dir(&recipe, path);
        assert_int_equal(set_add(&sets[side], path, &err), 0);
    }
}

static void open_sweep(void)
{
    struct error err = {0};

    assert_true(sweep_found(both, 2));
    if (sweep_open(&sweep, both, 2, &(struct comparison_options){.no_curve = true}, 0, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

/* Queue depths 1 to 16: B is 10 % faster but at the highest, where it is as fast. */
static void make_depths(void)
{
    static const char *const settings[] = {"workload.outstanding=16", "workload.outstanding=1",
                                           "workload.outstanding=4"};
    static const uint32_t users[] = {16, 1, 4};
    static const double tps[] = {1000, 100, 390};

    for (uint32_t i = 0; i < 3; i++) {
        struct run_recipe recipe = {.users = users[i], .settings = settings[i]};
        char name[8];

        snprintf(name, sizeof(name), "%u", users[i]);
        make(0, name, tps[i], &recipe);
        make(1, name, tps[i] * (users[i] == 16 ? 1 : 1.1), &recipe);
    }
    make(1, "64", 1000, &(struct run_recipe){.users = 64, .settings = "workload.outstanding=64"});
}

static enum compare_verdict verdict_at(uint32_t point, const char *metric)
{
    return sweep_row(&sweep.points[point].comparison, set_metric_find(metric))->against[1].verdict;
}

static void test_points_are_matched_by_what_was_swept(void **state)
{
    make_depths();
    open_sweep();
    assert_int_equal(sweep.point_count, 3);
    assert_string_equal(sweep.swept, "workload.outstanding");
    assert_string_equal(sweep.points[0].name, "1"); /* by number, not by word */
    assert_string_equal(sweep.points[2].name, "16");
    assert_true(sweep.points[2].load == 16);
    assert_string_equal(sweep.alone, "64 of B");
    assert_int_equal(sweep.alone_count, 1);
    assert_int_equal(sweep.points[1].parts[1].run_count, RUNS);
    assert_int_equal(verdict_at(0, "tps"), COMPARE_IS_BETTER);
    assert_int_equal(verdict_at(1, "lat_avg"), COMPARE_IS_BETTER);
    assert_int_equal(verdict_at(2, "tps"), COMPARE_SAME);
    assert_null(set_rows_refused(&sweep.rows)); /* another load at another point is no fault */
}

static void test_all_points_together(void **state)
{
    const struct sweep_mean *tps;

    make_depths();
    open_sweep();
    tps = &sweep.means[1][0];
    assert_int_equal(tps->points, 3);
    assert_float_equal(compare_share(tps->delta), pow(1.1, 2 / 3.0) - 1, 1e-4);
    assert_true(tps->low < tps->delta && tps->delta < tps->high && tps->low > 0);
    /* (3 x 245 + 12 x 695) and with 110, 429, 1000 */
    assert_float_equal(sweep.area[1], (3 * 269.5 + 12 * 714.5) / (3 * 245 + 12 * 695), 1e-3);
    assert_int_equal(sweep.knee[0], 2);
    assert_int_equal(sweep.knee[1], 2);
    sweep_close(&sweep);
    /* p99 of A: 14.9, 15.3 and 23.8 ms */
    assert_int_equal(sweep_open(&sweep, both, 2, &(struct comparison_options){.no_curve = true},
                                15500000, &(struct error){0}),
                     0);
    assert_int_equal(sweep.knee[0], 1);
}

static bool is_of_eight_users(const struct set_run *run, uint32_t i, void *context)
{
    return run->result->aggregate.users == 8;
}

static void test_users_and_scenarios_are_swept_too(void **state)
{
    make(0, "a", 100, &(struct run_recipe){.users = 2});
    make(0, "b", 150, &(struct run_recipe){.users = 8});
    make(1, "a", 100, &(struct run_recipe){.users = 2});
    assert_true(sweep_found(both, 2)); /* one side has one load of them */
    make(1, "b", 150, &(struct run_recipe){.users = 8});
    open_sweep();
    assert_string_equal(sweep.swept, "users");
    assert_int_equal(sweep.point_count, 2);
    sweep_close(&sweep);
    make(0, "c", 120, &(struct run_recipe){.users = 8, .scenario = "scans"});
    make(1, "c", 140, &(struct run_recipe){.users = 8, .scenario = "scans"});
    set_keep(&sets[0], is_of_eight_users, NULL);
    set_keep(&sets[1], is_of_eight_users, NULL);
    open_sweep();
    assert_string_equal(sweep.swept, "scenario");
    assert_int_equal(sweep.point_count, 2);
    assert_string_equal(sweep.points[1].name, "scans");
    assert_int_equal(verdict_at(1, "tps"), COMPARE_IS_BETTER);
}

/* Drives alone: by model, and by form factor or file where one model has several. */
static void test_drives_are_named_points(void **state)
{
    struct doc_compare_options options = {.narrow = false};
    struct text text = {0};
    struct doc doc;

    for (uint32_t side = 0; side < 2; side++) {
        make(side, "a", 100, &(struct run_recipe){.model = "H1"});
        make(side, "b", 150, &(struct run_recipe){.model = "H2", .form_factor = "E1.S"});
    }
    make(1, "c", 150, &(struct run_recipe){.model = "H3"});
    open_sweep();
    assert_string_equal(sweep.swept, "drive model");
    assert_int_equal(sweep.point_count, 2);
    assert_string_equal(sweep.points[0].name, "H1");
    assert_string_equal(sweep.points[1].name, "H2");
    assert_string_equal(sweep.alone, "H3 of B");
    assert_true(isnan(sweep.points[0].load));
    doc_init(&doc);
    doc_sweep(&doc, &sweep, &options);
    doc_text(&doc, &(struct doc_text_options){.width = 120}, &text);
    assert_non_null(strstr(text_string(&text), "\n A           u2 fw 1.0 sn ...ALA1 (6 runs)"));
    text_free(&text);
    doc_free(&doc);
    end(state);
    begin(state);
    for (uint32_t side = 0; side < 2; side++) {
        make(side, "a", 100, &(struct run_recipe){.model = "H1", .model_sum = "aaaaaaaaaa"});
        make(side, "b", 150, &(struct run_recipe){.model = "H1", .model_sum = "bbbbbbbbbb"});
        make(side, "c", 150, &(struct run_recipe){.model = "H2", .model_sum = "cccccccccc"});
    }
    open_sweep();
    assert_string_equal(sweep.swept, "drive model, model file");
    assert_int_equal(sweep.point_count, 3);
    assert_string_equal(sweep.points[0].name, "drive model=H1 model file=aaaaaaaa");
    end(state);
    begin(state);
    for (uint32_t side = 0; side < 2; side++) { /* and with the load, which is no drive's own */
        make(side, "a", 100, &(struct run_recipe){.model = "H1", .users = 2});
        make(side, "b", 150, &(struct run_recipe){.model = "H2", .users = 2});
        make(side, "c", 150, &(struct run_recipe){.model = "H2", .users = 8});
    }
    open_sweep();
    assert_string_equal(sweep.swept, "users, drive model");
    assert_int_equal(sweep.point_count, 3);
}

/* A side of several drives none of which the other has is one side: drives are what is compared. */
static void test_other_drives_are_no_points(void **state)
{
    make(0, "a", 100, &(struct run_recipe){.model = "H1"});
    make(0, "b", 150, &(struct run_recipe){.model = "H2"});
    make(1, "a", 100, &(struct run_recipe){.model = "H3"});
    assert_false(sweep_found(both, 2));
    make(0, "c", 100, &(struct run_recipe){.model = "H2", .serial = "OTHER", .users = 8});
    make(1, "c", 100, &(struct run_recipe){.model = "H3", .users = 8});
    open_sweep();
    assert_string_equal(sweep.swept, "users");
}

static void test_what_is_no_sweep(void **state)
{
    make(0, "a", 100, &(struct run_recipe){.settings = "workload.outstanding=4"});
    make(1, "b", 150, &(struct run_recipe){.settings = "workload.outstanding=8"});
    assert_false(sweep_found(both, 2)); /* each side is one thing: they are not alike */
    make(1, "c", 150, &(struct run_recipe){.settings = "workload.outstanding=16"});
    assert_false(sweep_found(both, 2)); /* nothing is on both sides */
}

static void test_several_keys_are_one_point(void **state)
{
    for (uint32_t side = 0; side < 2; side++) {
        make(side, "a", 100,
             &(struct run_recipe){.settings = "workload.outstanding=4 workload.read=70%"});
        make(side, "b", 150,
             &(struct run_recipe){.settings = "workload.outstanding=4 workload.read=100%"});
        make(side, "c", 200,
             &(struct run_recipe){.settings = "workload.outstanding=8 workload.read=100%"});
    }
    open_sweep();
    assert_int_equal(sweep.point_count, 3);
    assert_string_equal(sweep.points[0].name, "outstanding=4 read=100%");
    assert_true(isnan(sweep.points[0].load) && isnan(sweep.area[1]));
}

/* Sections and lists are values like others, and so is what is in quotes, or has a '='. */
static void test_values_of_any_kind(void **state)
{
    static const char *const values[] = {"[{share:50%,size:4K},{share:50%,size:16K}]", "{a:b=c}",
                                         "\"a\\x20b\""};
    uint32_t found = 0;

    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < 3; i++) {
            char name[2] = {(char)('a' + i), '\0'}, settings[128];

            snprintf(settings, sizeof(settings), "workload.size=%s workload.users=4", values[i]);
            make(side, name, 100 + 50 * i, &(struct run_recipe){.settings = settings});
        }
    }
    open_sweep();
    assert_int_equal(sweep.point_count, 3);
    assert_string_equal(sweep.swept, "workload.size");
    for (uint32_t i = 0; i < 9; i++) {
        found += strcmp(sweep.points[i / 3].name, values[i % 3]) == 0;
    }
    assert_int_equal(found, 3);
}

/* Of two VMs' keys both are named. */
static void test_keys_of_vms(void **state)
{
    for (uint32_t side = 0; side < 2; side++) {
        make(side, "a", 100, &(struct run_recipe){.settings = "vms.0.users=2 vms.1.users=3"});
        make(side, "b", 150, &(struct run_recipe){.settings = "vms.0.users=3 vms.1.users=2"});
    }
    open_sweep();
    assert_int_equal(sweep.point_count, 2);
    assert_string_equal(sweep.points[0].name, "0.users=2 1.users=3");
}

/* However much was set, and however long: runs that differ are different points. */
static void test_long_values_are_told_apart(void **state)
{
    char keys[12][512], values[2][512];

    for (uint32_t v = 0; v < 2; v++) {
        snprintf(values[v], sizeof(values[v]), "target.note=%0200u", v);
    }
    for (uint32_t side = 0; side < 2; side++) {
        make(side, "a", 100, &(struct run_recipe){.settings = values[0]});
        make(side, "b", 150, &(struct run_recipe){.settings = values[1]});
    }
    open_sweep();
    assert_int_equal(sweep.point_count, 2);
    assert_true(strlen(sweep.points[0].name) < SWEEP_NAME);
    assert_string_not_equal(sweep.points[0].name, sweep.points[1].name);
    end(state);
    begin(state);
    for (uint32_t k = 0; k < 12; k++) { /* run k has its own value of key k */
        char name[16];

        keys[k][0] = '\0';
        for (uint32_t i = 0; i < 12; i++) {
            size_t used = strlen(keys[k]);

            snprintf(keys[k] + used, sizeof(keys[k]) - used, " some.long_key_%u=%u", i, i == k);
        }
        snprintf(name, sizeof(name), "%u", k);
        for (uint32_t side = 0; side < 2; side++) {
            make(side, name, 100, &(struct run_recipe){.settings = keys[k]});
        }
    }
    open_sweep();
    assert_int_equal(sweep.point_count, 12);
}

/* What is printed has every point, and no serial number where that was asked. */
static void test_what_is_printed(void **state)
{
    struct doc_compare_options options = {.narrow = false};
    struct set *const own[] = {&sets[0], &sets[1]};
    struct text text = {0}, page = {0}, json = {0}, csv = {0};
    struct doc doc, figures;

    make_depths();
    snprintf(sets[1].label, sizeof(sets[1].label), "e1s SERIALB2");
    open_sweep();
    redact_sweep(&sweep, own);
    doc_init(&doc);
    doc_init(&figures);
    doc_sweep(&doc, &sweep, &options);
    doc_text(&doc, &(struct doc_text_options){.width = 120}, &text);
    doc_html(&doc, &page);
    doc_sweep_json(&sweep, &json);
    doc_sweep_figures(&figures, &sweep);
    doc_csv(&figures, &csv);
    assert_false(doc.failed || text.failed || page.failed || json.failed || csv.failed);
    assert_non_null(strstr(text_string(&text), "3 points of workload.outstanding"));
    assert_non_null(strstr(text_string(&text), "workload.outstanding 16\n"));
    assert_non_null(strstr(text_string(&text), "64 of B: not on all sides: not compared"));
    assert_non_null(strstr(text_string(&page), "\"key\":\"sweep\""));
    assert_non_null(strstr(text_string(&json), "\"compare_sweep\""));
    assert_non_null(strstr(text_string(&csv), "\r\n16,tps,agg,B,"));
    for (uint32_t i = 0; i < 4; i++) {
        const struct text *const all[] = {&text, &page, &json, &csv};

        assert_null(strstr(text_string(all[i]), "SERIALA1"));
        assert_null(strstr(text_string(all[i]), "SERIALB2"));
        assert_null(strstr(text_string(all[i]), "ALB2"));
    }
    text_free(&text);
    text_free(&page);
    text_free(&json);
    text_free(&csv);
    doc_free(&doc);
    doc_free(&figures);
}

static bool is_first_seed(const struct set_run *run, uint32_t i, void *context)
{
    return run->result->run.seed == 1;
}

/* One run a point, and throughput left out: nothing is judged, and everything can be printed. */
static void test_little_is_known(void **state)
{
    struct comparison_options options = {
        .metrics = {set_metric_find("lat_max")}, .metric_count = 1, .no_curve = true};
    struct doc_compare_options narrow = {.narrow = true};
    struct text text = {0}, json = {0};
    struct error err = {0};
    struct doc doc;

    make_depths();
    set_keep(&sets[0], is_first_seed, NULL);
    set_keep(&sets[1], is_first_seed, NULL);
    open_sweep();
    assert_int_equal(sweep.means[1][0].points, 3);
    assert_true(isnan(sweep.means[1][0].low));
    doc_sweep_json(&sweep, &json);
    sweep_close(&sweep);
    assert_int_equal(sweep_open(&sweep, both, 2, &options, 0, &err), 0);
    assert_int_equal(sweep.means[1][0].points, 0);
    assert_int_equal(sweep.knee[0], 2);
    doc_init(&doc);
    doc_sweep(&doc, &sweep, &narrow);
    doc_text(&doc, &(struct doc_text_options){.width = 80}, &text);
    doc_sweep_json(&sweep, &json);
    assert_false(doc.failed || text.failed || json.failed);
    assert_non_null(strstr(text_string(&text), "lat max"));
    text_free(&text);
    text_free(&json);
    doc_free(&doc);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_points_are_matched_by_what_was_swept),
        CASE(test_all_points_together),
        CASE(test_users_and_scenarios_are_swept_too),
        CASE(test_drives_are_named_points),
        CASE(test_other_drives_are_no_points),
        CASE(test_what_is_no_sweep),
        CASE(test_several_keys_are_one_point),
        CASE(test_values_of_any_kind),
        CASE(test_keys_of_vms),
        CASE(test_long_values_are_told_apart),
        CASE(test_what_is_printed),
        CASE(test_little_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
