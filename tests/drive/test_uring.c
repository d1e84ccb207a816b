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

#include <unistd.h>

#include "base/mem.h"
#include "io/guard.h"
#include "uring_rig.h"

static void write_then_read(struct uring_options options, const char *says)
{
    struct uring_counts counts;
    struct uring_rig rig;
    char text[160];

    uring_rig_open(&rig, options);
    rig.salt = 99;
    uring_rig_walk(&rig, false);
    uring_rig_walk(&rig, true);
    rig.salt = 98; /* the test can fail: other data are seen as other */
    rig.next = rig.until = 0;
    assert_false(uring_rig_page_holds(rig.ios[0].data, rig.ios[0].offset / PAGE, rig.salt));
    loop_uring_counts(&rig.loop, &counts);
    assert_int_equal(counts.done, 2 * PAGES);
    assert_int_equal(counts.sent, 2 * PAGES + counts.again + counts.shorts);
    assert_true(counts.most_in_flight <= (options.depth ? options.depth : DEPTH));
    loop_uring_describe(&rig.loop, text, sizeof(text));
    if (says && strstr(text, says) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", text, says);
    }
    uring_rig_close(&rig);
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

/* ---- other verbs ----------------------------------------------------------------------------- */

static void flush_fua_and_trim(void **state)
{
    struct uring_rig rig;
    char *page;

    uring_rig_open(&rig, (struct uring_options){0});
    page = loop_uring_arena(&rig.loop);
    rig.flags = IO_FUA;
    uring_rig_walk(&rig, false);
    uring_rig_walk(&rig, true);
    uring_rig_one(&rig, (struct io){.verb = IO_FLUSH});
    assert_int_equal(rig.result, 0);
    uring_rig_one(&rig, (struct io){.verb = IO_TRIM, .bytes = 64 * PAGE, .offset = 64 * PAGE});
    assert_int_equal(rig.result, 0);
    uring_rig_one(&rig,
                  (struct io){.verb = IO_READ, .bytes = PAGE, .offset = 65 * PAGE, .data = page});
    assert_int_equal(rig.result, PAGE);
    for (int i = 0; i < PAGE; i++) {
        assert_int_equal(page[i], 0); /* trimmed: a hole */
    }
    uring_rig_one(&rig,
                  (struct io){.verb = IO_READ, .bytes = PAGE, .offset = 128 * PAGE, .data = page});
    assert_true(uring_rig_page_holds((uint64_t *)page, 128, rig.salt)); /* and nothing beyond */
    uring_rig_close(&rig);
}

static void polls_while_a_thread_flushes(void **state)
{
    struct uring_rig rig;

    uring_rig_open(&rig, (struct uring_options){.poll = true});
    uring_rig_one(&rig, (struct io){.verb = IO_FLUSH});
    assert_int_equal(rig.result, 0);
    uring_rig_one(&rig, (struct io){.verb = IO_TRIM, .bytes = PAGE});
    assert_int_equal(rig.result, 0);
    uring_rig_close(&rig);
}

static void two_drives_on_one_loop(void **state)
{
    struct uring_rig rig, second;
    struct error err;
    struct drive *slice;

    uring_rig_open(&rig, (struct uring_options){0});
    memset(&second, 0, sizeof(second));
    second.fd = uring_rig_file("second", BYTES);
    second.drive = drive_uring_open(&rig.loop, second.fd, BYTES, 512, &err);
    rig.salt = 1;
    uring_rig_walk(&rig, false);
    slice = rig.drive;
    rig.drive = second.drive;
    rig.salt = 2;
    uring_rig_walk(&rig, false);
    uring_rig_walk(&rig, true);
    rig.drive = slice;
    rig.salt = 1;
    uring_rig_walk(&rig, true); /* the first has kept its own */
    drive_close(second.drive);
    close(second.fd);
    uring_rig_close(&rig);
}

static void slices_keep_apart(void **state)
{
    struct error err = {0};
    struct drive *half[2], *whole;
    struct uring_rig rig;
    char *page;

    uring_rig_open(&rig, (struct uring_options){0});
    whole = rig.drive;
    page = loop_uring_arena(&rig.loop);
    for (int i = 0; i < 2; i++) {
        half[i] = drive_slice_open(whole, (uint64_t)i * BYTES / 2, BYTES / 2, &err);
        rig.drive = half[i];
        uring_rig_page_fill((uint64_t *)page, 3, (uint64_t)i);
        uring_rig_one(
            &rig, (struct io){.verb = IO_WRITE, .bytes = PAGE, .offset = 3 * PAGE, .data = page});
    }
    for (int i = 0; i < 2; i++) {
        rig.drive = half[i];
        uring_rig_one(
            &rig, (struct io){.verb = IO_READ, .bytes = PAGE, .offset = 3 * PAGE, .data = page});
        assert_true(uring_rig_page_holds((uint64_t *)page, 3, (uint64_t)i));
        drive_close(half[i]); /* leaves the shared drive open */
    }
    rig.drive = whole;
    assert_null(drive_slice_open(whole, BYTES / 2, BYTES / 2 + 512, &err));
    assert_null(drive_slice_open(whole, 100, 512, &err));
    uring_rig_walk(&rig, false);
    uring_rig_close(&rig);
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
    struct uring_rig rig;
    uint64_t before;

    if (!loop_device(path) || realpath("image", image) == NULL) {
        print_message("not tried: loop devices need root and /dev/loop-control\n");
        skip();
    }
    uring_rig_open(&rig, (struct uring_options){0});
    drive_close(rig.drive);
    if (guard_open(&guard, &request, &err) < 0) {
        fail_msg("%s (%s)", err.text, err.hint);
    }
    rig.drive = drive_uring_open(&rig.loop, guard.fd, BYTES, guard.facts.dio_align_bytes, &err);
    drive_facts(rig.drive, &facts);
    assert_string_equal(facts.kind, "loop");
    uring_rig_walk(&rig, false);
    uring_rig_walk(&rig, true);
    before = flushes_of(path);
    uring_rig_one(&rig, (struct io){.verb = IO_WRITE,
                                    .flags = IO_FUA,
                                    .bytes = PAGE,
                                    .data = loop_uring_arena(&rig.loop)});
    assert_int_equal(rig.result, PAGE);
    /* the kernel adds a flush, or the device has FUA; of many at once it would make fewer */
    assert_true(flushes_of(path) - before == 1 || strstr(facts.queue, "fua=1"));
    before = flushes_of(path);
    uring_rig_one(&rig, (struct io){.verb = IO_FLUSH});
    assert_int_equal(rig.result, 0);
    assert_int_equal(flushes_of(path) - before, 1);
    uring_rig_one(&rig, (struct io){.verb = IO_TRIM, .bytes = 16 * PAGE});
    assert_int_equal(rig.result, 0);
    guard_close(&guard);
    uring_rig_close(&rig);
    snprintf(command, sizeof(command), "losetup -d %s; rm -f image name", path);
    assert_int_equal(system(command), 0);
}

static void allocates_nothing_while_it_runs(void **state)
{
    struct uring_rig rig;
    uint64_t before;

    uring_rig_open(&rig, (struct uring_options){0});
    before = mem_allocations();
    uring_rig_walk(&rig, false);
    uring_rig_walk(&rig, true);
    uring_rig_one(&rig, (struct io){.verb = IO_FLUSH});
    assert_int_equal(mem_allocations(), before);
    uring_rig_close(&rig);
}

static void facts_say_what_stood(void **state)
{
    struct drive_facts facts;
    struct uring_rig rig;

    uring_rig_open(&rig, (struct uring_options){0});
    drive_facts(rig.drive, &facts);
    assert_string_equal(facts.kind, "file");
    assert_int_equal(facts.capacity_bytes, BYTES);
    assert_non_null(strstr(facts.how, "uring, batch 32, "));
    assert_true(facts.flush[0] && facts.dio_align_bytes >= 512);
    uring_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rung_on),          cmocka_unit_test(each_rung_off),
        cmocka_unit_test(every_rung_off),         cmocka_unit_test(more_requests_than_places),
        cmocka_unit_test(flush_fua_and_trim),     cmocka_unit_test(polls_while_a_thread_flushes),
        cmocka_unit_test(two_drives_on_one_loop), cmocka_unit_test(slices_keep_apart),
        cmocka_unit_test(on_a_loop_device),       cmocka_unit_test(allocates_nothing_while_it_runs),
        cmocka_unit_test(facts_say_what_stood),
    };
    return cmocka_run_group_tests_name("uring", tests, NULL, NULL);
}
