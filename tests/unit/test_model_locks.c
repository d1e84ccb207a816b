/* rooms: base target */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../src/target/model_locks.h"

enum { SESSIONS = 8, NODES = 16 };

static uint32_t granted[64], granted_count;

static void on_granted(struct model_locks *locks, uint32_t session)
{
    granted[granted_count++] = session;
}

static int open_locks(void **state)
{
    static struct model_locks locks;
    struct error err;

    assert_int_equal(locks_open(&locks, SESSIONS, NODES, &err), 0);
    locks.granted = on_granted;
    granted_count = 0;
    *state = &locks;
    return 0;
}

static int close_locks(void **state)
{
    locks_close(*state);
    return 0;
}

/* First come, first served: else a user may wait for ever on a hot row. */
static void test_waiters_are_served_in_order(void **state)
{
    struct model_locks *locks = *state;

    assert_int_equal(locks_take(locks, 0, 42, true, 0), LOCK_GRANTED);
    assert_int_equal(locks_take(locks, 0, 42, true, 0), LOCK_HELD);
    assert_int_equal(locks_take(locks, 1, 42, false, 0), LOCK_BUSY);
    assert_int_equal(locks->waiting, 0);
    for (uint32_t i = 1; i < 5; i++) {
        assert_int_equal(locks_take(locks, i, 42, true, i), LOCK_WAITS);
    }
    assert_int_equal(locks_take(locks, 5, 43, true, 0), LOCK_GRANTED);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(granted_count, i);
        locks_release(locks, i);
        assert_int_equal(granted_count, i < 4 ? i + 1 : 4);
        assert_true(i == 4 || granted[i] == i + 1);
    }
    locks_release(locks, 5);
    assert_true(locks_idle(locks));
}

/* Two who wait for each other would wait for ever. */
static void test_a_circle_is_refused_to_who_would_close_it(void **state)
{
    struct model_locks *locks = *state;

    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(locks_take(locks, i, i, true, 0), LOCK_GRANTED);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(locks_take(locks, i, i + 1, true, 0), LOCK_WAITS);
    }
    assert_int_equal(locks_take(locks, 3, 0, true, 0), LOCK_DEADLOCK);
    assert_int_equal(locks->deadlocks, 1);
    locks_release(locks, 3); /* as its rollback does */
    assert_int_equal(granted_count, 1);
    assert_int_equal(granted[0], 2);
}

/* One who waits behind another waits for what that one waits for. */
static void test_a_circle_through_a_queue_is_found(void **state)
{
    struct model_locks *locks = *state;

    assert_int_equal(locks_take(locks, 0, 10, true, 0), LOCK_GRANTED);
    assert_int_equal(locks_take(locks, 1, 11, true, 0), LOCK_GRANTED);
    assert_int_equal(locks_take(locks, 2, 12, true, 0), LOCK_GRANTED);
    assert_int_equal(locks_take(locks, 1, 10, true, 0), LOCK_WAITS);
    assert_int_equal(locks_take(locks, 2, 10, true, 0), LOCK_WAITS);
    assert_int_equal(locks_take(locks, 0, 12, true, 0), LOCK_DEADLOCK);
}

static void test_whoever_waits_too_long_is_found_and_taken_out(void **state)
{
    struct model_locks *locks = *state;

    assert_int_equal(locks_take(locks, 0, 1, true, 100), LOCK_GRANTED);
    assert_int_equal(locks_take(locks, 1, 1, true, 100), LOCK_WAITS);
    assert_int_equal(locks_take(locks, 2, 1, true, 130), LOCK_WAITS);
    assert_int_equal(locks_overdue(locks, 0, 149, 50), LOCK_NONE);
    assert_int_equal(locks_take(locks, 3, 1, true, 160), LOCK_WAITS);
    assert_int_equal(locks_overdue(locks, 0, 180, 50), 1);
    assert_int_equal(locks_overdue(locks, 2, 180, 50), 2);
    assert_int_equal(locks_overdue(locks, 3, 180, 50), LOCK_NONE);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(locks_longest(locks, i), 1);
    }
    locks_cancel(locks, 2);
    locks_cancel(locks, 3); /* the last of the queue */
    locks_release(locks, 0);
    assert_int_equal(granted_count, 1);
    assert_int_equal(granted[0], 1);
    locks_release(locks, 1);
    assert_true(locks_idle(locks));
}

static void test_a_full_table_refuses_and_recovers(void **state)
{
    struct model_locks *locks = *state;

    for (uint32_t i = 0; i < NODES; i++) {
        assert_int_equal(locks_take(locks, 0, 1000 + i, true, 0), LOCK_GRANTED);
    }
    assert_int_equal(locks_take(locks, 1, 5, true, 0), LOCK_NO_MEMORY);
    locks_release(locks, 0);
    assert_true(locks_idle(locks));
    assert_int_equal(locks_take(locks, 1, 5, true, 0), LOCK_GRANTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_waiters_are_served_in_order, open_locks, close_locks),
        cmocka_unit_test_setup_teardown(test_a_circle_is_refused_to_who_would_close_it, open_locks,
                                        close_locks),
        cmocka_unit_test_setup_teardown(test_a_circle_through_a_queue_is_found, open_locks,
                                        close_locks),
        cmocka_unit_test_setup_teardown(test_whoever_waits_too_long_is_found_and_taken_out,
                                        open_locks, close_locks),
        cmocka_unit_test_setup_teardown(test_a_full_table_refuses_and_recovers, open_locks,
                                        close_locks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
