/* rooms: base io
 * limit: 120, must-run
 * What goes wrong below io_uring is said, ends the run or does no harm; time goes on meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/must.h"
#include "uring_rig.h"

/* ---- what the world forbids ------------------------------------------------------------------ */

static int in_child(void (*act)(void))
{
    int status;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* In a child, asserts would jump into the parent's frames: exit codes speak instead. */
static void child_without_memlock(void)
{
    struct rlimit limit = {65536, 65536};
    struct uring_options options = {.depth = DEPTH, .buffer_bytes = 4 << 20};
    struct loop loop;
    struct error err;
    char text[160];

    if (setrlimit(RLIMIT_MEMLOCK, &limit) < 0 || (geteuid() == 0 && setresuid(1234, 1234, 1234))) {
        _exit(2);
    }
    if (loop_uring_open(&loop, 4, &options, uring_rig_clock_ns(), &err) < 0) {
        _exit(3);
    }
    loop_uring_describe(&loop, text, sizeof(text));
    if (strstr(text, "plain buffers (RLIMIT_MEMLOCK 64 KiB), fixed file, ring fd") == NULL) {
        _exit(4);
    }
    loop_close(&loop);
}

static void little_locked_memory_is_said(void **state)
{
    assert_int_equal(in_child(child_without_memlock), 0);
}

enum { CROWD = 300 };

static void crowd_done(struct io *io)
{
    *(uint32_t *)(uintptr_t)io->owner += io->result == PAGE;
}

/* Two VMs that ask for rings of megabytes; more requests than the small rings take at once. */
static void child_with_small_rings(void)
{
    static struct io ios[CROWD];
    struct rlimit limit = {65536, 65536};
    struct uring_options options = {.depth = 4096, .buffer_bytes = CROWD * PAGE};
    struct loop loop, other;
    struct drive *drive;
    struct error err;
    char text[160];
    uint32_t done = 0;
    int fd = uring_rig_file("small", BYTES);

    if (setrlimit(RLIMIT_MEMLOCK, &limit) < 0 || (geteuid() == 0 && setresuid(1234, 1234, 1234))) {
        _exit(2);
    }
    if (loop_uring_open(&loop, 4, &options, uring_rig_clock_ns(), &err) < 0 ||
        loop_uring_open(&other, 4, &options, uring_rig_clock_ns(), &err) < 0) {
        _exit(3);
    }
    loop_uring_describe(&loop, text, sizeof(text));
    if (strstr(text, "batch 63, at most 240 at once (RLIMIT_MEMLOCK 64 KiB)") == NULL) {
        _exit(4);
    }
    drive = drive_uring_open(&loop, fd, BYTES, 512, &err);
    for (uint32_t i = 0; i < CROWD; i++) {
        ios[i] = (struct io){.verb = IO_READ,
                             .bytes = PAGE,
                             .offset = (uint64_t)i * PAGE,
                             .data = (char *)loop_uring_arena(&loop) + i * PAGE,
                             .done = crowd_done,
                             .owner = (uint64_t)(uintptr_t)&done};
        drive_submit(drive, &ios[i]);
    }
    loop_run(&loop, INT64_MAX);
    _exit(done == CROWD ? 0 : 5);
}

static void rings_shrink_to_the_locked_memory_there_is(void **state)
{
    assert_int_equal(in_child(child_with_small_rings), 0);
}

static void child_without_uring(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, filter};
    struct uring_options options = {.depth = 4};
    uint64_t before = mem_allocated_bytes();
    struct error err = {0};
    struct loop loop;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program)) {
        _exit(77);
    }
    if (loop_uring_open(&loop, 4, &options, uring_rig_clock_ns(), &err) != -EPERM) {
        _exit(2);
    }
    if (err.exit != EXIT_FAILED || strstr(err.hint, "seccomp") == NULL) {
        _exit(3);
    }
    _exit(mem_allocated_bytes() == before ? 0 : 4);
}

static void no_uring_is_said(void **state)
{
    int code = in_child(child_without_uring);

    if (code == 77) {
        print_message("not tried: no seccomp here\n");
        skip();
    }
    assert_int_equal(code, 0);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static void a_short_read_asks_for_the_rest(void **state)
{
    struct uring_counts counts;
    struct uring_rig rig;
    char *page;

    uring_rig_open(&rig, (struct uring_options){0});
    page = loop_uring_arena(&rig.loop);
    uring_rig_walk(&rig, false);
    assert_int_equal(ftruncate(rig.fd, BYTES - PAGE / 2), 0); /* someone cuts the file */
    uring_rig_one(
        &rig, (struct io){.verb = IO_READ, .bytes = PAGE, .offset = BYTES - PAGE, .data = page});
    loop_uring_counts(&rig.loop, &counts);
    assert_int_equal(counts.shorts, 1);
    assert_true(rig.result < 0);
    assert_non_null(rig.loop.fault);
    assert_int_equal(rig.loop.fault->exit, EXIT_FAILED);
    assert_non_null(strstr(rig.loop.fault->text, "nothing was moved"));
    assert_true(rig.loop.stop);
    uring_rig_close(&rig);
}

static void our_mistake_ends_the_run(void **state)
{
    struct error err;
    struct drive *read_only;
    struct uring_rig rig;
    int fd;

    uring_rig_open(&rig, (struct uring_options){0});
    fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC); /* not open for writing: EBADF */
    read_only = drive_uring_open(&rig.loop, fd, BYTES, 512, &err);
    drive_close(rig.drive);
    rig.drive = read_only;
    uring_rig_one(&rig, (struct io){.verb = IO_WRITE,
                                    .bytes = PAGE,
                                    .offset = 4 * PAGE,
                                    .data = loop_uring_arena(&rig.loop)});
    assert_int_equal(rig.result, -EBADF);
    assert_true(rig.loop.stop);
    assert_non_null(rig.loop.fault);
    assert_int_equal(rig.loop.fault->exit, EXIT_FAILED);
    assert_non_null(strstr(rig.loop.fault->text, "write of 8192 bytes at offset 32768"));
    close(fd);
    uring_rig_close(&rig);
}

/* ---- time ------------------------------------------------------------------------------------ */

struct tick {
    struct timer timer; /* first */
    struct loop *loop;
    uint32_t times;
    int64_t worst_ns;
};

static void tick_fire(struct timer *timer)
{
    struct tick *tick = (struct tick *)timer;
    int64_t late = tick->loop->now_ns - timer->due_ns;

    must(late >= 0);
    tick->worst_ns = late > tick->worst_ns ? late : tick->worst_ns;
    tick->times++;
    loop_arm(tick->loop, timer, timer->due_ns + 1000000);
}

static void timers_fire_while_requests_fly(void **state)
{
    struct tick tick = {.timer.fire = tick_fire};
    struct uring_rig rig;
    int64_t from;

    uring_rig_open(&rig, (struct uring_options){0});
    uring_rig_walk(&rig, false);
    tick.loop = &rig.loop;
    from = rig.loop.now_ns;
    loop_arm(&rig.loop, &tick.timer, from + 1000000);
    uring_rig_start(&rig, true, UINT32_MAX);
    loop_run(&rig.loop, from + 100000000);
    assert_true(rig.loop.now_ns >= from + 100000000);
    assert_true(tick.times >= 99 && tick.times <= rig.loop.now_ns / 1000000 + 1);
    assert_true(rig.done > DEPTH);
    assert_int_equal(rig.failed, 0);
    rig.until = rig.next; /* let what is under way come home */
    loop_disarm(&rig.loop, &tick.timer);
    loop_run(&rig.loop, INT64_MAX);
    assert_int_equal(rig.loop.in_flight, 0);
    uring_rig_close(&rig);
}

static void sleeps_until_a_timer(void **state)
{
    struct tick tick = {.timer.fire = tick_fire};
    struct rusage before, after;
    struct uring_rig rig;

    uring_rig_open(&rig, (struct uring_options){0});
    tick.loop = &rig.loop;
    loop_arm(&rig.loop, &tick.timer, 50000000);
    getrusage(RUSAGE_SELF, &before);
    loop_run(&rig.loop, 50500000);
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(tick.times, 1);
    /* it sleeps: far less time in the processor than on the wall */
    assert_true((after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000 +
                    after.ru_utime.tv_usec - before.ru_utime.tv_usec <
                25000);
    uring_rig_close(&rig);
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
    signals++;
}

static void a_signal_does_no_harm(void **state)
{
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    struct sigaction act = {.sa_handler = on_signal};
    struct uring_rig rig;

    sigaction(SIGALRM, &act, NULL);
    uring_rig_open(&rig, (struct uring_options){0});
    setitimer(ITIMER_REAL, &often, NULL);
    for (int round = 0; round < 4; round++) {
        uring_rig_walk(&rig, false);
        uring_rig_walk(&rig, true);
    }
    loop_run(&rig.loop, rig.loop.now_ns + 1); /* nothing armed: returns */
    setitimer(ITIMER_REAL, &never, NULL);
    assert_true(signals > 0);
    uring_rig_close(&rig);
}

static void closing_waits_for_what_flies(void **state)
{
    struct uring_rig rig;

    uring_rig_open(&rig, (struct uring_options){0});
    uring_rig_walk(&rig, false);
    uring_rig_start(&rig, true, DEPTH);
    loop_run(&rig.loop, rig.loop.now_ns + 1);
    uring_rig_close(&rig); /* sanitizers see who writes into the arena now */
    assert_true(rig.done < DEPTH || rig.loop.in_flight == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_locked_memory_is_said),
        cmocka_unit_test(rings_shrink_to_the_locked_memory_there_is),
        cmocka_unit_test(no_uring_is_said),
        cmocka_unit_test(a_short_read_asks_for_the_rest),
        cmocka_unit_test(our_mistake_ends_the_run),
        cmocka_unit_test(timers_fire_while_requests_fly),
        cmocka_unit_test(sleeps_until_a_timer),
        cmocka_unit_test(a_signal_does_no_harm),
        cmocka_unit_test(closing_waits_for_what_flies),
    };
    return cmocka_run_group_tests_name("uring_trouble", tests, NULL, NULL);
}
