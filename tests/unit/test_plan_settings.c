/* What was set on the command line is in a result, whatever it was: else runs of different tests
 * are taken for one. */
/* rooms: base io workload sql target plan */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"

static char data_dir[512], place[] = "/tmp/rawtps-settings-XXXXXX", streams_yaml[64];

/* The settings of a request, cut to `size`. */
static const char *said(struct plan_request request, uint64_t size)
{
    static char ret[4][1024];
    static uint32_t next;
    struct plan *plan = test_malloc(sizeof(*plan));
    struct error err = {0};

    next = (next + 1) % 4;
    request.data_dir = data_dir;
    if (plan_build(plan, &request, &err)) {
        fail_msg("%s (%s)", err.text, err.hint);
    }
    plan_settings(plan, ret[next], size);
    plan_free(plan);
    test_free(plan);
    return ret[next];
}

static const char *said_of(const char *scenario, const char *const *sets, uint32_t count)
{
    return said((struct plan_request){.scenario = scenario, .sets = sets, .set_count = count},
                sizeof(char[1024]));
}

#define SAID(scenario, ...)                                                                        \
    said_of(scenario, (const char *const[]){__VA_ARGS__},                                          \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void sections_and_lists_are_settings(void **state)
{
    assert_string_equal(SAID("block-8k-70-30", "workload.hot.share=90%", "workload.hot.range=10%"),
                        "workload.hot.range=10% workload.hot.share=90%");
    assert_string_equal(SAID("block-8k-70-30", "workload.hot={share: 90%, range: 10%}"),
                        "workload.hot={range:10%,share:90%}");
    assert_string_equal(
        SAID("block-8k-70-30", "workload.size=[{size: 4K, share: 50%}, {share: 50%, size: 16K}]"),
        "workload.size=[{share:50%,size:4K},{share:50%,size:16K}]");
    assert_string_equal(SAID("block-8k-70-30", "workload.outstanding={threads: 2, queue: 4}"),
                        "workload.outstanding={queue:4,threads:2}");
    assert_string_equal(SAID("tpcc-1500", "workload.mix={new_order: 9, payment: 1}"),
                        "workload.mix={new_order:9,payment:1}");
    assert_string_equal(SAID("quick", "phases.precondition={until: steady, max: 1h}"),
                        "phases.precondition={max:1h,until:steady}");
}

static void values_in_lists_are_settings(void **state)
{
    assert_string_equal(
        SAID("quick", "vms=[{name: a}, {name: b}]", "vms.0.users=2", "vms.1.seed=99"),
        "vms=[{name:a,users:2},{name:b,seed:99}]");
    assert_string_equal(SAID(streams_yaml, "vms.0.users=2", "vms.1.seed=99"),
                        "vms.0.users=2 vms.1.seed=99");
    assert_string_equal(SAID(streams_yaml, "workload.streams.1.size=32KiB"),
                        "workload.streams.1.size=32KiB");
    assert_string_equal(
        SAID(streams_yaml, "workload.streams.2.share=10%",
             "workload.streams.2={name: c, size: 4K, read: 0%, share: 20%}",
             "workload.streams.3.name=d", "workload.streams.3.read=0%",
             "workload.streams.3.size=4K", "workload.streams.3.share=20%",
             "workload.streams.0.share=20%"),
        "workload.streams.0.share=20% workload.streams.2={name:c,read:0%,share:20%,size:4K} "
        "workload.streams.3.name=d workload.streams.3.read=0% workload.streams.3.share=20% "
        "workload.streams.3.size=4K");
}

static void the_last_of_a_path_counts(void **state)
{
    assert_string_equal(
        SAID("quick", "workload.users=7", "database.buffer=64MiB", "workload.users=8"),
        "database.buffer=64MiB workload.users=8");
    assert_string_equal(SAID("block-8k-70-30", "workload.hot.share=80%",
                             "workload.hot={share: 90%, range: 10%}", "workload.hot.range=20%"),
                        "workload.hot={range:20%,share:90%}");
}

static void options_are_settings(void **state)
{
    assert_string_equal(said((struct plan_request){.scenario = "quick",
                                                   .threads = "9",
                                                   .warehouses = "12",
                                                   .seed = "5"},
                             1024),
                        "workload.users=9 workload.warehouses=12");
    assert_string_equal(
        said((struct plan_request){.scenario = "sysbench-100x10m", .threads = "9"}, 1024),
        "workload.threads=9");
    assert_string_equal(said((struct plan_request){.scenario = "quick"}, 1024), "");
}

/* These have keys of their own in a result, as sides that are compared may differ in them. */
static void what_is_said_elsewhere_is_not_repeated(void **state)
{
    assert_string_equal(SAID("quick", "drive.like=h3200-u2", "drive.form_factor=U.2", "seed=4",
                             "phases.sample=2s", "drive.capacity=1TB", "about=words"),
                        "");
    assert_string_equal(SAID("quick", "drive={kind: sim, like: h3200-u2, dies: 8}"),
                        "drive={dies:8}");
}

static void no_setting_has_a_blank(void **state)
{
    assert_string_equal(SAID("tpcc-postgres", "target.ignore='40001, 40P01'"),
                        "target.ignore=\"40001,\\x2040P01\"");
    assert_string_equal(SAID("tpcc-postgres", "target.ignore=['40001, 40P01', 1062]"),
                        "target.ignore=[\"40001,\\x2040P01\",1062]");
    assert_string_equal(SAID("tpcc-postgres", "target.engine_options=a=b,c"),
                        "target.engine_options=a=b,c");
}

static void no_password_is_a_setting(void **state)
{
    const char *url = "postgres://me:secret@h/db";
    char set[3][160];

    snprintf(set[0], sizeof(set[0]), "target.url=%s", url);
    snprintf(set[1], sizeof(set[1]), "target={url: '%s', connections: 4}", url);
    snprintf(set[2], sizeof(set[2]), "target.engine_options=%s", url);
    assert_string_equal(SAID("tpcc-postgres", set[0]), "");
    assert_string_equal(SAID("tpcc-postgres", set[1]), "target={connections:4}");
    assert_string_equal(SAID("tpcc-postgres", set[0], set[2]),
                        "target.engine_options=postgres://me:******@h/db");
}

/* Not of what is shown of a value, or of a part: two that differ in the last byte are two. */
static void the_sum_is_of_all(void **state)
{
    const char *ret[2], *whole;
    char set[2][700];

    for (uint32_t i = 0; i < 2; i++) {
        const char *sets[] = {set[i]};
        int n = snprintf(set[i], sizeof(set[i]), "workload.size=[");

        for (uint32_t k = 0; k < 11; k++) {
            n += snprintf(set[i] + n, sizeof(set[i]) - (size_t)n, "{size: %uK, share: 05.0%%}, ",
                          4 * (k + 1));
        }
        snprintf(set[i] + n, sizeof(set[i]) - (size_t)n, "{size: %uK, share: 45%%}]", 64 + 4 * i);
        ret[i] = said(
            (struct plan_request){.scenario = "block-8k-70-30", .sets = sets, .set_count = 1}, 64);
        assert_int_equal(strlen(ret[i]), 63);
        whole = said_of("block-8k-70-30", sets, 1);
        assert_memory_equal(ret[i], whole, 63 - 17);
    }
    assert_memory_equal(ret[0], ret[1], 63 - 12); /* the sum */
    assert_string_not_equal(ret[0], ret[1]);
}

static const char streams[] = "vms:\n- {name: a}\n- {name: b}\n"
                              "workload:\n  kind: block\n  outstanding: 4\n  streams:\n"
                              "  - {name: data, read: 50%, size: 8K, share: 60%}\n  - {name: log, "
                              "read: 0%, size: 16K, share: 40%}\n"
                              "drive: {like: h3200-u2}\nphases: {sample: 1s}\n";

static int set_up(void **state)
{
    const char *root = getenv("ROOT");
    FILE *file;

    if (!realpath(root ? root : ".", data_dir) || !mkdtemp(place)) {
        return 1;
    }
    snprintf(streams_yaml, sizeof(streams_yaml), "%s/streams.yaml", place);
    file = fopen(streams_yaml, "w");
    return !file || fputs(streams, file) < 0 || fclose(file) != 0;
}

static int tear_down(void **state)
{
    return remove(streams_yaml) != 0 || remove(place) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_and_lists_are_settings),
        cmocka_unit_test(values_in_lists_are_settings),
        cmocka_unit_test(the_last_of_a_path_counts),
        cmocka_unit_test(options_are_settings),
        cmocka_unit_test(what_is_said_elsewhere_is_not_repeated),
        cmocka_unit_test(no_setting_has_a_blank),
        cmocka_unit_test(no_password_is_a_setting),
        cmocka_unit_test(the_sum_is_of_all),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
