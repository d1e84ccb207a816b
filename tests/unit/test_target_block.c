/* rooms: base trace io workload target */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "io/drive_types.h"
#include "target/target.h"

enum { LARGEST = 8192, SESSIONS = 3, LATENCY = 5000 };

struct bench {
    struct loop loop;
    struct drive *drive;
    struct target *target;
    struct op op[SESSIONS];
    int64_t spent_ns[SPENT_KINDS];
    uint32_t done;
    uint8_t written[2][LARGEST];
    uint32_t writes;
};
static struct bench bench;
static uint8_t buffers[SESSIONS * LARGEST] __attribute__((aligned(4096)));

static void on_done(struct op *op)
{
    bench.done++;
}

static void look(void *context, const struct io *io)
{
    if (io->verb == IO_WRITE && io->data && bench.writes < 2) {
        memcpy(bench.written[bench.writes++], io->data, io->bytes);
    }
}

static void open_bench(struct fault_rule *rule, void *memory)
{
    struct error err;

    memset(&bench, 0, sizeof(bench));
    assert_int_equal(loop_virtual_open(&bench.loop, 64, &err), 0);
    bench.drive = drive_null_open(&bench.loop, 1 << 20, LATENCY, &err);
    bench.drive = drive_tap_open(bench.drive, look, NULL, &err);
    if (rule) {
        bench.drive = drive_fault_open(bench.drive, rule, 1, 1, &err);
    }
    assert_non_null(bench.drive);
    bench.target = target_block_open(bench.drive, 1, SESSIONS, LARGEST, memory, 1, &err);
    assert_non_null(bench.target);
}

static void close_bench(void)
{
    bench.target->ops->free(bench.target);
    drive_close(bench.drive);
    loop_close(&bench.loop);
}

static enum op_status ask(uint32_t session, enum op_verb verb, uint64_t offset, uint32_t bytes)
{
    struct op *op = &bench.op[session];
    uint32_t before = bench.done;

    *op = (struct op){.verb = (uint8_t)verb, .done = on_done, .spent_ns = bench.spent_ns};
    op->offset = offset;
    op->bytes = bytes;
    assert_false(bench.target->ops->begin(bench.target, session, op));
    loop_run(&bench.loop, bench.loop.now_ns + LATENCY);
    assert_int_equal(bench.done, before + 1);
    return (enum op_status)op->status;
}

static void test_requests_reach_the_drive_and_are_answered(void **state)
{
    struct target_facts facts;
    struct target_check check;

    open_bench(NULL, NULL);
    assert_int_equal(ask(0, OP_READ, 4096, 4096), OP_OK);
    assert_int_equal(ask(1, OP_WRITE, 0, 8192), OP_OK);
    assert_int_equal(ask(2, OP_FLUSH, 0, 0), OP_OK);
    assert_int_equal(ask(0, OP_TRIM, 8192, 1 << 18), OP_OK);
    assert_int_equal(bench.spent_ns[SPENT_READ], 3 * LATENCY);
    assert_int_equal(bench.spent_ns[SPENT_LOG], LATENCY);
    bench.target->ops->facts(bench.target, &facts);
    assert_int_equal(facts.page_reads, 1);
    assert_int_equal(facts.pages_written, 1);
    assert_int_equal(bench.target->ops->check(bench.target, &check, 1), 1);
    assert_true(check.passed);
    close_bench();
}

/* A drive that compresses or deduplicates must not find anything to save. */
static void test_no_two_writes_carry_the_same_sector(void **state)
{
    open_bench(NULL, buffers);
    assert_int_equal(ask(0, OP_WRITE, 0, LARGEST), OP_OK);
    assert_int_equal(ask(0, OP_WRITE, 0, LARGEST), OP_OK);
    for (uint32_t i = 0; i < LARGEST; i += 512) {
        assert_memory_not_equal(bench.written[0] + i, bench.written[1] + i, 512);
        assert_memory_not_equal(bench.written[0] + i, bench.written[0] + (i + 512) % LARGEST, 512);
    }
    close_bench();
}

static void test_errors_are_the_operation_s_fate(void **state)
{
    struct fault_rule rule = {
        .kind = FAULT_ERROR,
        .verb = IO_READ,
        .to_offset = UINT64_MAX,
        .every = 1,
        .count = 1,
        .error_code = EIO,
    };

    open_bench(&rule, NULL);
    assert_int_equal(ask(0, OP_READ, 0, 4096), OP_FAILED);
    assert_int_equal(ask(0, OP_READ, 0, 4096), OP_OK);
    close_bench();
    rule.error_code = EILSEQ;
    open_bench(&rule, NULL);
    assert_int_equal(ask(0, OP_READ, 0, 4096), OP_LOST);
    close_bench();
}

static void test_warm_costs_nothing(void **state)
{
    struct op op = {.verb = OP_READ};

    open_bench(NULL, NULL);
    bench.target->ops->warm(bench.target, true);
    op.bytes = 4096;
    assert_true(bench.target->ops->begin(bench.target, 0, &op));
    assert_int_equal(op.status, OP_OK);
    bench.target->ops->warm(bench.target, false);
    assert_int_equal(ask(0, OP_READ, 0, 4096), OP_OK);
    close_bench();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_reach_the_drive_and_are_answered),
        cmocka_unit_test(test_no_two_writes_carry_the_same_sector),
        cmocka_unit_test(test_errors_are_the_operation_s_fate),
        cmocka_unit_test(test_warm_costs_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
