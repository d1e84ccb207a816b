// rooms: base stats trace io workload sql target plan result engine
/* What a run directory says of how a run ended is what the program ends with, whatever ended it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/run.h"

static char data_dir[512];
static struct plan plan;

static void build(const char *const *sets, uint32_t count)
{
    struct plan_request request = {.scenario = "t.yaml",
                                   .data_dir = data_dir,
                                   .virtual_time = true,
                                   .sets = sets,
                                   .set_count = count};
    FILE *file = fopen("t.yaml", "w");
    struct error err = {0};

    assert_non_null(file);
    fputs("workload: {kind: block, outstanding: 4, read: 50%, size: 4KiB}\n"
          "phases: {settle: 0s, sample: 1s}\n",
          file);
    fclose(file);
    if (plan_build(&plan, &request, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

/* What run.json in DIR says; frees all else. */
static enum exit_code kept(const char *dir, char ended[16])
{
    struct result result;
    struct error err = {0};
    enum exit_code exit;

    if (run_dir_load(dir, &result, &err) < 0) {
        fail_msg("%s", err.text);
    }
    exit = result.run.exit_code;
    snprintf(ended, 16, "%s", result.run.ended);
    result_free(&result);
    return exit;
}

/* The drive's parameters are refused when it is opened: the directory is there by then. */
static void a_run_that_is_refused_says_by_which_code(void **state)
{
    struct run_options options = {.out = "refused"};
    struct error err = {0};
    struct result result;
    char ended[16];

    build(NULL, 0);
    plan.sim.throttle_at = 40;
    plan.sim.throttle_to = 0;
    assert_true(run_plan(&plan, &options, &result, NULL, &err) < 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    assert_int_equal(kept("refused", ended), EXIT_USAGE);
    assert_string_equal(ended, "failed");
    plan_free(&plan);
}

static void a_run_that_is_over_says_it_too(void **state)
{
    static const char *const rate[] = {"workload.rate=1M/s", "drive.like=sata-slow"};
    struct run_options options = {.out = "fine"};
    struct error err = {0};
    struct result result;
    char ended[16];

    for (uint32_t i = 0; i < 2; i++) {
        options.out = i == 0 ? "fine" : "wanting";
        build(rate, i == 0 ? 0 : 2);
        assert_int_equal(run_plan(&plan, &options, &result, NULL, &err), 0);
        assert_int_equal(kept(options.out, ended), result.run.exit_code);
        assert_string_equal(ended, "complete");
        result_free(&result);
        plan_free(&plan);
    }
}

/* The second time nobody waits, and it is an interrupted run all the same. */
static void a_run_that_is_ended_at_once_was_interrupted(void **state)
{
    static const volatile int pressed = 2;
    struct run_options options = {.out = "twice", .stop = &pressed};
    struct error err = {0};
    struct result result;
    char ended[16];

    build(NULL, 0);
    assert_int_equal(run_plan(&plan, &options, &result, NULL, &err), 0);
    assert_int_equal(result.run.exit_code, EXIT_INTERRUPTED);
    assert_int_equal(kept("twice", ended), EXIT_INTERRUPTED);
    assert_string_equal(ended, "interrupted");
    result_free(&result);
    plan_free(&plan);
}

/* Rules of the database are looked at when the run is over: they count in what it says. */
static void what_is_found_later_is_added(void **state)
{
    struct run_options options = {.out = "later"};
    struct error err = {0};
    struct result result;
    char ended[16];

    build(NULL, 0);
    assert_int_equal(run_plan(&plan, &options, &result, NULL, &err), 0);
    assert_int_equal(kept("later", ended), EXIT_FINE);
    result_check(&result, "rules of the database, after the run", "run", 1, 0, 0, false,
                 EXIT_WRONG_DATA);
    result.run.exit_code = result_exit_code(&result);
    assert_int_equal(run_amend("later", &result, &err), 0);
    assert_int_equal(kept("later", ended), EXIT_WRONG_DATA);
    assert_string_equal(ended, "complete");
    assert_true(run_amend("nowhere", &result, &err) < 0);
    assert_int_equal(err.exit, EXIT_FAILED);
    result_free(&result);
    plan_free(&plan);
}

static int set_up(void **state)
{
    const char *root = getenv("ROOT");

    return !realpath(root ? root : ".", data_dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_is_refused_says_by_which_code),
        cmocka_unit_test(a_run_that_is_over_says_it_too),
        cmocka_unit_test(a_run_that_is_ended_at_once_was_interrupted),
        cmocka_unit_test(what_is_found_later_is_added),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
