/* rooms: base io
 * limit: 120, must-run
 * Bytes through io_uring with every feature on and off: what is written is read, and counted once.
 */
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
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/must.h"
#include "base/rng.h"
#include "io/drive_types.h"
#include "io/guard.h"

enum { PAGE = 8192, PAGES = 512, DEPTH = 32, BYTES = PAGE * PAGES };

/* A loop, a drive on a file, and requests that walk over its pages. */
struct rig {
    struct loop loop;
    struct drive *drive;
    struct io ios[DEPTH];
    int fd;
    uint32_t next, until; /* pages asked for, and how many in all */
    uint32_t done, failed;
    uint64_t salt;
    bool reading;
    uint8_t flags;
};

static int64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int file_of(const char *name, uint64_t bytes)
{
    int fd = open(name, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);

    must(fd >= 0);
    must(ftruncate(fd, 0) == 0 && fallocate(fd, 0, 0, (off_t)bytes) == 0);
    unlink(name);
    return fd;
}

static void rig_open(struct rig *rig, struct uring_options options)
{
    struct error err = {0};

    memset(rig, 0, sizeof(*rig));
    options.depth = options.depth ? options.depth : DEPTH;
    options.buffer_bytes = DEPTH * PAGE;
    if (loop_uring_open(&rig->loop, 64, &options, clock_ns(), &err) < 0) {
        fail_msg("%s (%s)", err.text, err.hint);
    }
    rig->fd = file_of("data", BYTES);
    rig->drive = drive_uring_open(&rig->loop, rig->fd, BYTES, 512, &err);
    assert_non_null(rig->drive);
}

static void rig_close(struct rig *rig)
{
    drive_close(rig->drive);
    loop_close(&rig->loop);
    close(rig->fd);
}

static void page_fill(uint64_t *page, uint64_t number, uint64_t salt)
{
    for (uint32_t i = 0; i < PAGE / 8; i++) {
        page[i] = rng_hash(number * PAGE + i + salt);
    }
}

static bool page_holds(const uint64_t *page, uint64_t number, uint64_t salt)
{
    for (uint32_t i = 0; i < PAGE / 8; i++) {
        if (page[i] != rng_hash(number * PAGE + i + salt)) {
            return false;
        }
    }
    return true;
}

static void walk_next(struct rig *rig, struct io *io)
{
    uint64_t number = (uint64_t)rig->next++ * 37 % PAGES;

    io->verb = rig->reading ? IO_READ : IO_WRITE;
    io->flags = rig->reading ? 0 : rig->flags;
    io->bytes = PAGE;
    io->offset = number * PAGE;
    if (!rig->reading) {
        page_fill(io->data, number, rig->salt);
    }
    drive_submit(rig->drive, io);
}

static void walk_done(struct io *io)
{
    struct rig *rig = (struct rig *)(uintptr_t)io->owner;
    bool right = io->result == PAGE && io->done_ns >= io->sent_ns && io->sent_ns >= 0;

    if (rig->reading && right) {
        right = page_holds(io->data, io->offset / PAGE, rig->salt);
    }
    rig->done++;
    rig->failed += !right;
    if (rig->next < rig->until) {
        walk_next(rig, io);
    }
}

/* Every page once, in a scattered order, DEPTH at a time. */
static void walk(struct rig *rig, bool reading)
{
    char *arena = loop_uring_arena(&rig->loop);

    rig->reading = reading;
    rig->next = rig->done = rig->failed = 0;
    rig->until = PAGES;
    for (int i = 0; i < DEPTH; i++) {
        rig->ios[i] = (struct io){
            .data = arena + i * PAGE, .done = walk_done, .owner = (uint64_t)(uintptr_t)rig};
        walk_next(rig, &rig->ios[i]);
    }
    loop_run(&rig->loop, INT64_MAX);
    assert_int_equal(rig->done, PAGES);
    assert_int_equal(rig->failed, 0);
    assert_int_equal(rig->loop.in_flight, 0);
    assert_null(rig->loop.fault);
}

static void write_then_read(struct uring_options options, const char *says)
{
    struct uring_counts counts;
    struct rig rig;
    char text[160];

    rig_open(&rig, options);
    rig.salt = 99;
    walk(&rig, false);
    walk(&rig, true);
    rig.salt = 98; /* the test can fail: other data are seen as other */
    rig.next = rig.until = 0;
    assert_false(page_holds(rig.ios[0].data, rig.ios[0].offset / PAGE, rig.salt));
    loop_uring_counts(&rig.loop, &counts);
    assert_int_equal(counts.done, 2 * PAGES);
    assert_int_equal(counts.sent, 2 * PAGES + counts.again + counts.shorts);
    assert_true(counts.most_in_flight <= (options.depth ? options.depth : DEPTH));
    loop_uring_describe(&rig.loop, text, sizeof(text));
    if (says && strstr(text, says) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", text, says);
    }
    rig_close(&rig);
}

/* ---- rungs ----------------------------------------------------------------------------------- */

static void every_rung_on(void **state)
{
    write_then_read((struct uring_options){.batch = 16}, "uring, batch 16, fixed buffers");
}

static void each_rung_off(void **state)
{
    write_then_read((struct uring_options){.no_fixed_buffers = true}, "plain buffers,");
    write_then_read((struct uring_options){.no_fixed_file = true}, "plain file");
    write_then_read((struct uring_options){.no_ring_fd = true}, "plain ring fd");
    write_then_read((struct uring_options){.no_defer = true}, "coop, single issuer");
    write_then_read((struct uring_options){.no_single_issuer = true}, "coop");
    write_then_read((struct uring_options){.two_enters = true}, "two enters");
    write_then_read((struct uring_options){.batch = 1}, "batch 1,");
    write_then_read((struct uring_options){.spin_ns = 60000}, NULL);
}

static void every_rung_off(void **state)
{
    write_then_read((struct uring_options){.no_fixed_buffers = true,
                                           .no_fixed_file = true,
                                           .no_ring_fd = true,
                                           .no_defer = true,
                                           .no_single_issuer = true},
                    "plain buffers, plain file, plain ring fd, coop");
}

/* More requests than the ring has room for wait their turn: none is lost, none goes too early. */
static void more_requests_than_places(void **state)
{
    write_then_read((struct uring_options){.depth = 1}, "batch 1,");
    write_then_read((struct uring_options){.depth = 5, .batch = 3}, "batch 3,");
}

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
    if (loop_uring_open(&loop, 4, &options, clock_ns(), &err) < 0) {
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
    if (loop_uring_open(&loop, 4, &options, clock_ns(), &err) != -EPERM) {
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

/* ---- other verbs ----------------------------------------------------------------------------- */

static int32_t results[4];
static uint32_t answers;

static void keep_result(struct io *io)
{
    results[answers++] = io->result;
}

static void one(struct rig *rig, struct io io)
{
    static struct io kept;

    kept = io;
    kept.done = keep_result;
    answers = 0;
    drive_submit(rig->drive, &kept);
    assert_int_equal(answers, 0); /* never from inside submit */
    loop_run(&rig->loop, INT64_MAX);
    assert_int_equal(answers, 1);
}

static void flush_fua_and_trim(void **state)
{
    struct rig rig;
    char *page;

    rig_open(&rig, (struct uring_options){0});
    page = loop_uring_arena(&rig.loop);
    rig.flags = IO_FUA;
    walk(&rig, false);
    walk(&rig, true);
    one(&rig, (struct io){.verb = IO_FLUSH});
    assert_int_equal(results[0], 0);
    one(&rig, (struct io){.verb = IO_TRIM, .bytes = 64 * PAGE, .offset = 64 * PAGE});
    assert_int_equal(results[0], 0);
    one(&rig, (struct io){.verb = IO_READ, .bytes = PAGE, .offset = 65 * PAGE, .data = page});
    assert_int_equal(results[0], PAGE);
    for (int i = 0; i < PAGE; i++) {
        assert_int_equal(page[i], 0); /* trimmed: a hole */
    }
    one(&rig, (struct io){.verb = IO_READ, .bytes = PAGE, .offset = 128 * PAGE, .data = page});
    assert_true(page_holds((uint64_t *)page, 128, rig.salt)); /* and nothing beyond */
    rig_close(&rig);
}

static void polls_while_a_thread_flushes(void **state)
{
    struct rig rig;

    rig_open(&rig, (struct uring_options){.poll = true});
    one(&rig, (struct io){.verb = IO_FLUSH});
    assert_int_equal(results[0], 0);
    one(&rig, (struct io){.verb = IO_TRIM, .bytes = PAGE});
    assert_int_equal(results[0], 0);
    rig_close(&rig);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static void a_short_read_asks_for_the_rest(void **state)
{
    struct uring_counts counts;
    struct rig rig;
    char *page;

    rig_open(&rig, (struct uring_options){0});
    page = loop_uring_arena(&rig.loop);
    walk(&rig, false);
    assert_int_equal(ftruncate(rig.fd, BYTES - PAGE / 2), 0); /* someone cuts the file */
    one(&rig, (struct io){.verb = IO_READ, .bytes = PAGE, .offset = BYTES - PAGE, .data = page});
    loop_uring_counts(&rig.loop, &counts);
    assert_int_equal(counts.shorts, 1);
    assert_true(results[0] < 0);
    assert_non_null(rig.loop.fault);
    assert_int_equal(rig.loop.fault->exit, EXIT_FAILED);
    assert_non_null(strstr(rig.loop.fault->text, "nothing was moved"));
    assert_true(rig.loop.stop);
    rig_close(&rig);
}

static void our_mistake_ends_the_run(void **state)
{
    struct error err;
    struct drive *read_only;
    struct rig rig;
    int fd;

    rig_open(&rig, (struct uring_options){0});
    fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC); /* not open for writing: EBADF */
    read_only = drive_uring_open(&rig.loop, fd, BYTES, 512, &err);
    drive_close(rig.drive);
    rig.drive = read_only;
    one(&rig, (struct io){.verb = IO_WRITE,
                          .bytes = PAGE,
                          .offset = 4 * PAGE,
                          .data = loop_uring_arena(&rig.loop)});
    assert_int_equal(results[0], -EBADF);
    assert_true(rig.loop.stop);
    assert_non_null(rig.loop.fault);
    assert_int_equal(rig.loop.fault->exit, EXIT_FAILED);
    assert_non_null(strstr(rig.loop.fault->text, "write of 8192 bytes at offset 32768"));
    close(fd);
    rig_close(&rig);
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
    struct rig rig;
    int64_t from;

    rig_open(&rig, (struct uring_options){0});
    walk(&rig, false);
    tick.loop = &rig.loop;
    from = rig.loop.now_ns;
    loop_arm(&rig.loop, &tick.timer, from + 1000000);
    rig.reading = true;
    rig.next = rig.done = 0;
    rig.until = UINT32_MAX;
    for (int i = 0; i < DEPTH; i++) {
        walk_next(&rig, &rig.ios[i]);
    }
    loop_run(&rig.loop, from + 100000000);
    assert_true(rig.loop.now_ns >= from + 100000000);
    assert_true(tick.times >= 99 && tick.times <= rig.loop.now_ns / 1000000 + 1);
    assert_true(rig.done > DEPTH);
    assert_int_equal(rig.failed, 0);
    rig.until = rig.next; /* let what is under way come home */
    loop_disarm(&rig.loop, &tick.timer);
    loop_run(&rig.loop, INT64_MAX);
    assert_int_equal(rig.loop.in_flight, 0);
    rig_close(&rig);
}

static void sleeps_until_a_timer(void **state)
{
    struct tick tick = {.timer.fire = tick_fire};
    struct rusage before, after;
    struct rig rig;

    rig_open(&rig, (struct uring_options){0});
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
    rig_close(&rig);
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
    struct rig rig;

    sigaction(SIGALRM, &act, NULL);
    rig_open(&rig, (struct uring_options){0});
    setitimer(ITIMER_REAL, &often, NULL);
    for (int round = 0; round < 4; round++) {
        walk(&rig, false);
        walk(&rig, true);
    }
    loop_run(&rig.loop, rig.loop.now_ns + 1); /* nothing armed: returns */
    setitimer(ITIMER_REAL, &never, NULL);
    assert_true(signals > 0);
    rig_close(&rig);
}

static void two_drives_on_one_loop(void **state)
{
    struct rig rig, second;
    struct error err;
    struct drive *slice;

    rig_open(&rig, (struct uring_options){0});
    memset(&second, 0, sizeof(second));
    second.fd = file_of("second", BYTES);
    second.drive = drive_uring_open(&rig.loop, second.fd, BYTES, 512, &err);
    rig.salt = 1;
    walk(&rig, false);
    slice = rig.drive;
    rig.drive = second.drive;
    rig.salt = 2;
    walk(&rig, false);
    walk(&rig, true);
    rig.drive = slice;
    rig.salt = 1;
    walk(&rig, true); /* the first has kept its own */
    drive_close(second.drive);
    close(second.fd);
    rig_close(&rig);
}

static void slices_keep_apart(void **state)
{
    struct error err = {0};
    struct drive *half[2], *whole;
    struct rig rig;
    char *page;

    rig_open(&rig, (struct uring_options){0});
    whole = rig.drive;
    page = loop_uring_arena(&rig.loop);
    for (int i = 0; i < 2; i++) {
        half[i] = drive_slice_open(whole, (uint64_t)i * BYTES / 2, BYTES / 2, &err);
        rig.drive = half[i];
        page_fill((uint64_t *)page, 3, (uint64_t)i);
        one(&rig, (struct io){.verb = IO_WRITE, .bytes = PAGE, .offset = 3 * PAGE, .data = page});
    }
    for (int i = 0; i < 2; i++) {
        rig.drive = half[i];
        one(&rig, (struct io){.verb = IO_READ, .bytes = PAGE, .offset = 3 * PAGE, .data = page});
        assert_true(page_holds((uint64_t *)page, 3, (uint64_t)i));
        drive_close(half[i]); /* leaves the shared drive open */
    }
    rig.drive = whole;
    assert_null(drive_slice_open(whole, BYTES / 2, BYTES / 2 + 512, &err));
    assert_null(drive_slice_open(whole, 100, 512, &err));
    walk(&rig, false);
    rig_close(&rig);
}

static void closing_waits_for_what_flies(void **state)
{
    char *arena;
    struct rig rig;

    rig_open(&rig, (struct uring_options){0});
    walk(&rig, false);
    arena = loop_uring_arena(&rig.loop);
    rig.reading = true;
    rig.next = rig.done = rig.until = 0;
    for (int i = 0; i < DEPTH; i++) {
        rig.ios[i].data = arena + i * PAGE;
        walk_next(&rig, &rig.ios[i]);
    }
    loop_run(&rig.loop, rig.loop.now_ns + 1);
    rig_close(&rig); /* sanitizers see who writes into the arena now */
    assert_true(rig.done < DEPTH || rig.loop.in_flight == 0);
}

/* ---- on a block device ----------------------------------------------------------------------- */

static uint64_t flushes_of(const char *device)
{
    unsigned long long field[17] = {0};
    char path[128];
    FILE *file;

    snprintf(path, sizeof(path), "/sys/block/%s/stat", strrchr(device, '/') + 1);
    file = fopen(path, "re");
    assert_non_null(file);
    for (int i = 0; i < 17; i++) {
        assert_int_equal(fscanf(file, "%llu", &field[i]), 1);
    }
    fclose(file);
    return field[15];
}

static bool loop_device(char ret[64])
{
    FILE *file;
    bool found;

    if (geteuid() != 0 ||
        system("truncate -s 4M image && losetup -f --show image >name 2>/dev/null") != 0) {
        return false;
    }
    file = fopen("name", "re");
    found = file && fgets(ret, 64, file);
    ret[strcspn(ret, "\n")] = '\0';
    if (file) {
        fclose(file);
    }
    return found;
}

static void on_a_loop_device(void **state)
{
    char path[64] = "", image[4096], command[128];
    struct guard_request request = {.path = path, .erase = image, .write = true};
    struct drive_facts facts;
    struct guard guard;
    struct error err = {0};
    struct rig rig;
    uint64_t before;

    if (!loop_device(path) || realpath("image", image) == NULL) {
        print_message("not tried: loop devices need root and /dev/loop-control\n");
        skip();
    }
    rig_open(&rig, (struct uring_options){0});
    drive_close(rig.drive);
    if (guard_open(&guard, &request, &err) < 0) {
        fail_msg("%s (%s)", err.text, err.hint);
    }
    rig.drive = drive_uring_open(&rig.loop, guard.fd, BYTES, guard.facts.dio_align_bytes, &err);
    drive_facts(rig.drive, &facts);
    assert_string_equal(facts.kind, "loop");
    walk(&rig, false);
    walk(&rig, true);
    before = flushes_of(path);
    one(&rig,
        (struct io){
            .verb = IO_WRITE, .flags = IO_FUA, .bytes = PAGE, .data = loop_uring_arena(&rig.loop)});
    assert_int_equal(results[0], PAGE);
    /* the kernel adds a flush, or the device has FUA; of many at once it would make fewer */
    assert_true(flushes_of(path) - before == 1 || strstr(facts.queue, "fua=1"));
    before = flushes_of(path);
    one(&rig, (struct io){.verb = IO_FLUSH});
    assert_int_equal(results[0], 0);
    assert_int_equal(flushes_of(path) - before, 1);
    one(&rig, (struct io){.verb = IO_TRIM, .bytes = 16 * PAGE});
    assert_int_equal(results[0], 0);
    guard_close(&guard);
    rig_close(&rig);
    snprintf(command, sizeof(command), "losetup -d %s; rm -f image name", path);
    assert_int_equal(system(command), 0);
}

static void allocates_nothing_while_it_runs(void **state)
{
    struct rig rig;
    uint64_t before;

    rig_open(&rig, (struct uring_options){0});
    before = mem_allocations();
    walk(&rig, false);
    walk(&rig, true);
    one(&rig, (struct io){.verb = IO_FLUSH});
    assert_int_equal(mem_allocations(), before);
    rig_close(&rig);
}

static void facts_say_what_stood(void **state)
{
    struct drive_facts facts;
    struct rig rig;

    rig_open(&rig, (struct uring_options){0});
    drive_facts(rig.drive, &facts);
    assert_string_equal(facts.kind, "file");
    assert_int_equal(facts.capacity_bytes, BYTES);
    assert_non_null(strstr(facts.how, "uring, batch 32, "));
    assert_true(facts.flush[0] && facts.dio_align_bytes >= 512);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rung_on),
        cmocka_unit_test(each_rung_off),
        cmocka_unit_test(every_rung_off),
        cmocka_unit_test(more_requests_than_places),
        cmocka_unit_test(little_locked_memory_is_said),
        cmocka_unit_test(no_uring_is_said),
        cmocka_unit_test(flush_fua_and_trim),
        cmocka_unit_test(polls_while_a_thread_flushes),
        cmocka_unit_test(a_short_read_asks_for_the_rest),
        cmocka_unit_test(our_mistake_ends_the_run),
        cmocka_unit_test(timers_fire_while_requests_fly),
        cmocka_unit_test(sleeps_until_a_timer),
        cmocka_unit_test(a_signal_does_no_harm),
        cmocka_unit_test(two_drives_on_one_loop),
        cmocka_unit_test(slices_keep_apart),
        cmocka_unit_test(closing_waits_for_what_flies),
        cmocka_unit_test(on_a_loop_device),
        cmocka_unit_test(allocates_nothing_while_it_runs),
        cmocka_unit_test(facts_say_what_stood),
    };
    return cmocka_run_group_tests_name("uring", tests, NULL, NULL);
}
