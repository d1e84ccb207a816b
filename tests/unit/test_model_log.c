/* rooms: base trace io target */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/target/model_log.h"
#include "io/drive_types.h"

enum { BLOCK = 512, RING = 64 * BLOCK, OFFSET = 8 * BLOCK };

struct bench {
    struct loop loop;
    struct drive *null, *tap;
    struct model_log log;
    uint64_t durable[256], last_end, writes, flushes, fua;
    uint32_t advances;
};
static struct bench bench;

static void on_advanced(struct model_log *log)
{
    assert_true(bench.advances == 0 || log->durable >= bench.durable[bench.advances - 1]);
    bench.durable[bench.advances++ % 256] = log->durable;
}

static void look(void *context, const struct io *io)
{
    if (io->verb == IO_FLUSH) {
        bench.flushes++;
        return;
    }
    bench.writes++;
    bench.fua += (io->flags & IO_FUA) != 0;
    assert_int_equal(io->verb, IO_WRITE);
    assert_int_equal(io->area, IO_LOG);
    assert_true(io->offset >= OFFSET && io->offset + io->bytes <= OFFSET + RING);
    assert_int_equal(io->bytes % BLOCK, 0);
    bench.last_end = io->offset + io->bytes;
}

static void open_log(bool fua, bool rewrite, uint32_t depth, uint32_t write_bytes)
{
    struct error err;
    struct log_settings settings = {
        .offset = OFFSET,
        .capacity_bytes = RING,
        .block_bytes = BLOCK,
        .write_bytes = write_bytes,
        .depth = depth,
        .fua = fua,
        .sync = true,
        .rewrite_last = rewrite,
        .limit_bytes = RING,
    };

    memset(&bench, 0, sizeof(bench));
    assert_int_equal(loop_virtual_open(&bench.loop, 64, &err), 0);
    bench.null = drive_null_open(&bench.loop, 1 << 20, 1000, &err);
    bench.tap = drive_tap_open(bench.null, look, NULL, &err);
    assert_non_null(bench.tap);
    assert_int_equal(log_open(&bench.log, &settings, bench.tap, NULL, 1, &err), 0);
    bench.log.advanced = on_advanced;
}

static void close_log(void)
{
    assert_true(log_idle(&bench.log));
    assert_int_equal(bench.log.durable, bench.log.lsn);
    assert_int_equal(bench.log.physical_bytes - bench.log.padding_bytes, bench.log.issued);
    log_close(&bench.log);
    drive_close(bench.tap);
    loop_close(&bench.loop);
}

/* Commits that come while a group is on its way are one group: the next. */
static void test_what_comes_meanwhile_is_the_next_group(void **state)
{
    open_log(false, true, 1, 16 * BLOCK);
    log_want(&bench.log, log_append(&bench.log, 100));
    for (uint32_t i = 0; i < 5; i++) {
        log_want(&bench.log, log_append(&bench.log, 100));
    }
    loop_run(&bench.loop, 1000000);
    assert_int_equal(bench.writes, 2);
    assert_int_equal(bench.flushes, 2);
    assert_int_equal(bench.advances, 2);
    assert_int_equal(bench.durable[0], 100);
    assert_int_equal(bench.durable[1], 600);
    close_log();
}

/* Nothing is acknowledged between the write and its flush. */
static void test_durable_means_flushed(void **state)
{
    open_log(false, true, 1, 16 * BLOCK);
    log_want(&bench.log, log_append(&bench.log, 100));
    loop_run(&bench.loop, 1500);
    assert_int_equal(bench.log.written, 100);
    assert_int_equal(bench.log.durable, 0);
    loop_run(&bench.loop, 2500);
    assert_int_equal(bench.log.durable, 100);
    close_log();
}

/* A group larger than a write is several writes and one flush; the ring's end parts a write. */
static void test_large_groups_and_the_end_of_the_ring(void **state)
{
    open_log(false, true, 1, 4 * BLOCK);
    for (uint32_t i = 0; i < 20; i++) {
        log_want(&bench.log, log_append(&bench.log, 10 * BLOCK + 7));
        loop_run(&bench.loop, bench.loop.now_ns + 1000000);
        assert_int_equal(bench.log.durable, bench.log.lsn);
    }
    assert_int_equal(bench.flushes, 20);
    assert_true(bench.writes >= 60);
    close_log();
}

/* sqlserver: each commit goes out at once, by FUA; the padding of its last block is lost. */
static void test_fua_writes_go_out_side_by_side(void **state)
{
    open_log(true, false, 4, 16 * BLOCK);
    for (uint32_t i = 0; i < 6; i++) {
        log_want(&bench.log, log_append(&bench.log, 100));
    }
    assert_int_equal(bench.log.in_flight, 4);
    loop_run(&bench.loop, 1000000);
    assert_int_equal(bench.writes, 5); /* four single ones, then the two that had to wait */
    assert_int_equal(bench.fua, 5);
    assert_int_equal(bench.flushes, 0);
    assert_int_equal(bench.log.padding_bytes, 5 * BLOCK - 600);
    close_log();
}

/* A page may be written only when the log of its last change is durable. */
static void test_epochs_never_call_a_change_durable_too_early(void **state)
{
    uint32_t epoch_of[3000];
    uint64_t end_of[3000];
    uint32_t false_alarms = 0, judged = 0;

    open_log(true, false, 4, 2 * BLOCK);
    for (uint32_t i = 0; i < 3000; i++) {
        end_of[i] = log_append(&bench.log, 50 + i % 700);
        epoch_of[i] = bench.log.epoch;
        if (i % 3 == 0) {
            log_want(&bench.log, end_of[i]);
        }
        if (i % 2 == 0) {
            loop_run(&bench.loop, bench.loop.now_ns + 300);
        }
        for (uint32_t back = 0; back < 100 && back <= i; back++) {
            uint32_t j = i - back;
            bool durable = end_of[j] <= bench.log.durable;

            judged++;
            if (log_epoch_durable(&bench.log, epoch_of[j])) {
                assert_true(durable);
            } else {
                false_alarms += durable;
            }
        }
        bench.advances = 0;
    }
    assert_true(false_alarms < judged / 5);
    log_want(&bench.log, bench.log.lsn);
    loop_run(&bench.loop, bench.loop.now_ns + 10000000);
    close_log();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_comes_meanwhile_is_the_next_group),
        cmocka_unit_test(test_durable_means_flushed),
        cmocka_unit_test(test_large_groups_and_the_end_of_the_ring),
        cmocka_unit_test(test_fua_writes_go_out_side_by_side),
        cmocka_unit_test(test_epochs_never_call_a_change_durable_too_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
