/* limit: 120, not-sanitized
 * What a user, a frame and a request cost in memory, and that nothing is allocated while a run
 * measures: else a full-scale run would not fit, and pauses of the allocator would be latencies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/engine/user.h"
#include "base/mem.h"
#include "engine/run.h"

enum { USER_BYTES = 512, FRAME_BYTES = 24, IO_BYTES = 128 };

static void a_user_a_frame_and_a_request_are_small(void **state)
{
    print_message("# a user %zu + %llu bytes, a frame %llu, a request %zu\n", sizeof(struct user),
                  (unsigned long long)target_model_session_bytes(),
                  (unsigned long long)target_model_frame_bytes(), sizeof(struct io));
    assert_true(sizeof(struct user) + target_model_session_bytes() <= USER_BYTES);
    assert_true(target_model_frame_bytes() <= FRAME_BYTES);
    assert_true(sizeof(struct io) <= IO_BYTES);
}

/* ---- runs that are watched ------------------------------------------------------------------- */

struct watched {
    uint32_t intervals; /* of the sample */
    uint64_t first, last, bytes;
};

/* A second of wall time passes once, so that the state is written on the way in virtual time too.
 */
static void look(void *context, const struct run_view *view)
{
    const struct timespec second = {.tv_sec = 1, .tv_nsec = 50000000};
    struct watched *watched = context;

    if (view->now == NULL || strcmp(view->phase, "sample") != 0) {
        return;
    }
    watched->last = mem_allocations();
    watched->bytes = mem_allocated_bytes();
    if (watched->intervals++ == 0) {
        watched->first = watched->last;
        nanosleep(&second, NULL);
    }
}

/* False: io_uring or O_DIRECT are not to be had here. */
static bool run_watched(const struct plan_request *request, const char *out,
                        struct watched *watched)
{
    struct run_options options = {
        .out = out, .no_files = out == NULL, .watch = look, .context = watched};
    struct plan *plan = mem_zalloc(sizeof(*plan));
    struct error err = {0};
    struct result result;
    int rc;

    memset(watched, 0, sizeof(*watched));
    rc = plan_build(plan, request, &err);
    if (rc == 0) {
        rc = run_plan(plan, &options, &result, NULL, &err);
    }
    if (rc == 0) {
        /* how even the random input of two seconds was is not what is asked here */
        assert_true(result.run.exit_code == EXIT_FINE || result.run.exit_code == EXIT_WANTING);
        result_free(&result);
        plan_free(plan);
    } else if (!strstr(err.text, "O_DIRECT") && !strstr(err.text, "io_uring")) {
        fail_msg("%s", err.text);
    }
    mem_free(plan);
    return rc == 0;
}

static void nothing_is_allocated(const struct watched *watched, uint32_t least)
{
    assert_true(watched->intervals >= least);
    assert_int_equal(watched->last - watched->first, 0);
}

static void nothing_is_allocated_in_virtual_time(void **state)
{
    static const char *const scenarios[] = {"quick", "sysbench-4vm", "block-8k-70-30"};
    struct watched watched;

    for (uint32_t i = 0; i < 3; i++) {
        struct plan_request request = {.scenario = scenarios[i],
                                       .virtual_time = true,
                                       .sample = "3s",
                                       .scale = i == 1 ? "1/1000" : NULL};

        assert_true(run_watched(&request, scenarios[i], &watched));
        nothing_is_allocated(&watched, 3);
    }
}

static void nothing_is_allocated_in_real_time(void **state)
{
    static const char *const sets[] = {"workload.warehouses=1"};
    struct plan_request request = {
        .scenario = "quick", .drive = "memory.img", .sample = "3s", .sets = sets, .set_count = 1};
    struct watched watched;
    bool ran = run_watched(&request, "real", &watched);

    unlink("memory.img");
    if (!ran) {
        skip();
    }
    nothing_is_allocated(&watched, 3);
}

/* All that grows with the users: themselves, sessions, timers, locks, what the pool keeps open. */
static void a_thousand_more_users_cost_a_thousand_times_that(void **state)
{
    static const char *const few[] = {"drive.kind=null", "workload.users=1000", "vms=1",
                                      "workload.cycle=20s"};
    static const char *const many[] = {"drive.kind=null", "workload.users=11000", "vms=1",
                                       "workload.cycle=20s"};
    struct plan_request request = {
        .scenario = "quick", .virtual_time = true, .sample = "2s", .sets = few, .set_count = 4};
    struct watched watched;
    uint64_t bytes;

    assert_true(run_watched(&request, NULL, &watched));
    bytes = watched.bytes;
    request.sets = many;
    assert_true(run_watched(&request, NULL, &watched));
    bytes = watched.bytes > bytes ? (watched.bytes - bytes) / 10000 : 0;
    print_message("# a user more, all in: %llu bytes\n", (unsigned long long)bytes);
    assert_true(bytes > 0 && bytes <= 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_user_a_frame_and_a_request_are_small),
        cmocka_unit_test(nothing_is_allocated_in_virtual_time),
        cmocka_unit_test(nothing_is_allocated_in_real_time),
        cmocka_unit_test(a_thousand_more_users_cost_a_thousand_times_that),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
