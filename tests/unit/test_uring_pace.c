/* rooms: base io */
/* A loop that waits for several answers at once must not make slow or few requests wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../src/io/uring_pace.h"

static void turns(struct uring_pace *pace, int count, uint32_t answers, int64_t span_ns)
{
    for (int i = 0; i < count; i++) {
        uring_pace_note(pace, answers, pace->reaped_ns + span_ns);
    }
}

static void fast_answers_are_gathered(void **state)
{
    struct uring_pace pace = {0};

    (void)state;
    assert_int_equal(uring_pace_wanted(&pace, 256), 1);
    turns(&pace, 50, 10, 50000); /* 200,000 a second */
    assert_int_equal(uring_pace_wanted(&pace, 32), 4);
    assert_in_range(uring_pace_wanted(&pace, 256), 15, 32); /* 100 us hold 20 of them */
}

static void few_requests_never_wait(void **state)
{
    struct uring_pace pace = {0};

    (void)state;
    turns(&pace, 50, 10, 50000);
    for (uint32_t flying = 0; flying < PACE_LEAST; flying++) {
        assert_int_equal(uring_pace_wanted(&pace, flying), 1);
    }
}

static void slow_answers_never_wait(void **state)
{
    struct uring_pace pace = {0};

    (void)state;
    turns(&pace, 50, 1, 8000000); /* a disk: 125 a second */
    assert_int_equal(uring_pace_wanted(&pace, 256), 1);
}

static void a_drive_that_slows_down_is_heard_of(void **state)
{
    struct uring_pace pace = {0};

    (void)state;
    turns(&pace, 50, 10, 50000);
    turns(&pace, 2, 1, 8000000);
    assert_int_equal(uring_pace_wanted(&pace, 256), 1);
    turns(&pace, 50, 10, 50000);
    uring_pace_lost(&pace);
    assert_int_equal(uring_pace_wanted(&pace, 256), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_answers_are_gathered),
        cmocka_unit_test(few_requests_never_wait),
        cmocka_unit_test(slow_answers_never_wait),
        cmocka_unit_test(a_drive_that_slows_down_is_heard_of),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
