/* rooms: base io. What stood of io_uring decides what a run costs: the result must say it rightly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "../../src/io/io_fate.h"
#include "../../src/io/uring_ladder.h"

static void goes_down_rung_by_rung(void **state)
{
    struct uring_options all = {0}, no_defer = {.no_defer = true};
    struct uring_options no_single = {.no_single_issuer = true}, sqpoll = {.sqpoll = true};
    enum ladder_task task = uring_ladder_first(&all);

    assert_int_equal(task, TASK_DEFER);
    for (int rungs = 1; rungs < TASKS; rungs++) {
        assert_true(task < TASKS);
        task = uring_ladder_below(task);
    }
    assert_int_equal(task, TASK_PLAIN);
    assert_int_equal(uring_ladder_below(task), TASKS);
    assert_int_equal(uring_ladder_first(&no_defer), TASK_SINGLE);
    assert_int_equal(uring_ladder_first(&no_single), TASK_COOP);
    assert_int_equal(uring_ladder_first(&sqpoll), TASK_PLAIN);
    assert_true(uring_ladder_refuses(-EINVAL) && uring_ladder_refuses(-ENOMEM));
    assert_false(uring_ladder_refuses(-EPERM) || uring_ladder_refuses(-ENOSYS));
}

static void says_what_stood_and_why_not(void **state)
{
    struct uring_ladder ladder = {.batch = 32, .stands = {true, true, true}};
    char text[160], small[16];

    uring_ladder_describe(&ladder, text, sizeof(text));
    assert_string_equal(text, "uring, batch 32, fixed buffers, fixed file, ring fd, defer");
    ladder.stands[RUNG_BUFFERS] = false;
    ladder.code[RUNG_BUFFERS] = -ENOMEM;
    ladder.memlock_bytes = 65536;
    ladder.stands[RUNG_FILE] = false; /* switched off: no reason to give */
    ladder.task = TASK_COOP;
    ladder.task_code = -EINVAL;
    uring_ladder_describe(&ladder, text, sizeof(text));
    assert_string_equal(text, "uring, batch 32, plain buffers (RLIMIT_MEMLOCK 64 KiB), plain file, "
                              "ring fd, coop (EINVAL)");
    ladder.ring_memlock_bytes = 65536;
    ladder.depth = 240;
    uring_ladder_describe(&ladder, text, sizeof(text));
    assert_non_null(
        strstr(text, "batch 32, at most 240 at once (RLIMIT_MEMLOCK 64 KiB), plain buffers"));
    uring_ladder_describe(&ladder, small, sizeof(small));
    assert_string_equal(small, "uring, batch 32");
}

static void names_what_forbids_io_uring(void **state)
{
    FILE *file = fopen("sysctl", "we");
    struct error err = {0};

    assert_non_null(file);
    fputs("2\n", file);
    fclose(file);
    assert_int_equal(uring_ladder_error(-EPERM, "sysctl", &err), -EPERM);
    assert_int_equal(err.exit, EXIT_FAILED);
    assert_non_null(strstr(err.hint, "/proc/sys/kernel/io_uring_disabled is 2"));
    unlink("sysctl");
    uring_ladder_error(-EPERM, "sysctl", &err); /* no such sysctl: then it is a profile */
    assert_non_null(strstr(err.hint, "seccomp"));
    uring_ladder_error(-ENOSYS, "sysctl", &err);
    assert_non_null(strstr(err.hint, "kernel"));
    uring_ladder_error(-ENOMEM, "sysctl", &err);
    assert_non_null(strstr(err.hint, "RLIMIT_MEMLOCK"));
}

static void judges_every_answer(void **state)
{
    static const struct {
        int verb, result;
        enum io_fate fate;
    } rows[] = {
        {IO_READ, 8192, FATE_DONE},
        {IO_READ, 4096, FATE_SHORT},
        {IO_WRITE, 512, FATE_SHORT},
        {IO_READ, 0, FATE_ENDS},
        {IO_FLUSH, 0, FATE_DONE},
        {IO_TRIM, 0, FATE_DONE},
        {IO_READ, -EAGAIN, FATE_AGAIN},
        {IO_WRITE, -EINTR, FATE_AGAIN},
        {IO_READ, -EINVAL, FATE_ENDS},
        {IO_READ, -EFAULT, FATE_ENDS},
        {IO_READ, -EBADF, FATE_ENDS},
        {IO_WRITE, -ENOSPC, FATE_ENDS},
        {IO_WRITE, -ENODEV, FATE_ENDS},
        {IO_WRITE, -ENXIO, FATE_ENDS},
        {IO_TRIM, -EOPNOTSUPP, FATE_ENDS},
        {IO_READ, -EIO, FATE_FAILED},
        {IO_READ, -ENODATA, FATE_FAILED},
        {IO_READ, -EILSEQ, FATE_FAILED},
        {IO_READ, -EREMOTEIO, FATE_FAILED},
        {IO_READ, -ETIMEDOUT, FATE_FAILED},
        {IO_WRITE, -ECANCELED, FATE_FAILED},
    };
    struct drive drive = {.align_bytes = 512, .capacity_bytes = 1 << 20};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct io io = {.verb = (uint8_t)rows[i].verb, .bytes = 8192, .offset = 12288};
        uint32_t wanted = rows[i].verb <= IO_WRITE ? 8192 : 0;
        struct error err = {0};

        io.real.drive = &drive;
        assert_int_equal(io_fate(&io, rows[i].result, wanted), rows[i].fate);
        io.real.tries = IO_TRIES;
        assert_int_equal(io_fate(&io, rows[i].result, wanted),
                         rows[i].fate == FATE_SHORT ? FATE_FAILED : rows[i].fate);
        if (rows[i].result > 0) {
            continue;
        }
        assert_true(io_fate_error(&err, &io, rows[i].result) < 0);
        assert_int_equal(err.exit, EXIT_FAILED);
        assert_non_null(strstr(err.text, "12288"));
        assert_non_null(strstr(err.text, "alignment 512"));
        assert_true(err.hint[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_down_rung_by_rung),
        cmocka_unit_test(says_what_stood_and_why_not),
        cmocka_unit_test(names_what_forbids_io_uring),
        cmocka_unit_test(judges_every_answer),
    };
    return cmocka_run_group_tests_name("uring_ladder", tests, NULL, NULL);
}
