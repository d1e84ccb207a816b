/* rooms: base io. If the harm that is done on purpose is not what it says, no test of repair
 * counts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "drive_load.h"
#include "io/drive_types.h"

enum { CAPACITY = 1 << 20, PAGE = 4096, SECTOR = 512 };

struct rig {
    struct loop loop;
    struct drive *sim, *fault, *top;
    uint64_t looked;
    struct io last;
};

static uint8_t one[PAGE], two[PAGE], back[PAGE];

static void look(void *context, const struct io *io)
{
    struct rig *rig = context;

    rig->looked++;
    rig->last = *io;
}

static void rig_open(struct rig *rig, const struct fault_rule *rules, uint32_t count)
{
    struct drive_sim_params params = load_small_drive(CAPACITY);
    struct error err;

    memset(rig, 0, sizeof(*rig));
    assert_int_equal(loop_virtual_open(&rig->loop, 64, &err), 0);
    rig->sim = drive_sim_open(&rig->loop, &params, 1, true, &err);
    assert_non_null(rig->sim);
    rig->fault = drive_fault_open(rig->sim, rules, count, 1, &err);
    assert_non_null(rig->fault);
    rig->top = drive_tap_open(rig->fault, look, rig, &err);
    assert_non_null(rig->top);
    memset(one, 1, PAGE);
    memset(two, 2, PAGE);
}

static void rig_close(struct rig *rig)
{
    drive_close(rig->top);
    loop_close(&rig->loop);
}

static int32_t put(struct rig *rig, uint64_t offset, uint8_t *data)
{
    return load_one(rig->top, IO_WRITE, 0, offset, data, PAGE, NULL);
}

static int32_t get(struct rig *rig, uint64_t offset)
{
    return load_one(rig->top, IO_READ, 0, offset, back, PAGE, NULL);
}

static struct fault_rule rule_of(enum fault_kind kind, enum io_verb verb)
{
    return (struct fault_rule){.kind = kind,
                               .verb = verb,
                               .to_offset = CAPACITY,
                               .every = 1,
                               .count = 1,
                               .error_code = EIO,
                               .distance_bytes = 8 * PAGE};
}

/* ---- what each kind does --------------------------------------------------------------------- */

static void test_error(void **state)
{
    struct fault_rule rule = rule_of(FAULT_ERROR, IO_WRITE);
    struct rig rig;

    rig_open(&rig, &rule, 1);
    assert_int_equal(put(&rig, 0, one), -EIO);
    assert_int_equal(get(&rig, 0), PAGE);
    assert_int_equal(back[0], 0);
    assert_int_equal(put(&rig, 0, one), PAGE);
    assert_int_equal(drive_fault_injected(rig.fault, 0), 1);
    rig_close(&rig);
}

static void test_bit_flip(void **state)
{
    struct fault_rule rule = rule_of(FAULT_BIT_FLIP, IO_READ);
    struct rig rig;
    int wrong = 0;

    rig_open(&rig, &rule, 1);
    put(&rig, 0, one);
    assert_int_equal(get(&rig, 0), PAGE);
    for (int i = 0; i < PAGE; i++) {
        wrong += __builtin_popcount(back[i] ^ one[i]);
    }
    assert_int_equal(wrong, 1);
    assert_int_equal(get(&rig, 0), PAGE);
    assert_memory_equal(back, one, PAGE);
    rig_close(&rig);
}

static void test_torn(void **state)
{
    struct fault_rule rule = rule_of(FAULT_TORN, IO_WRITE);
    uint32_t cuts = 0;
    struct rig rig;

    rule.skip = 1;
    rule.every = 2;
    rule.count = 200;
    rig_open(&rig, &rule, 1);
    for (int i = 0; i < 200; i++) {
        int cut = 0;

        assert_int_equal(put(&rig, 0, one), PAGE);
        assert_int_equal(put(&rig, 0, two), PAGE); /* says that all of it is written */
        get(&rig, 0);
        while (cut < PAGE && back[cut] == 2) {
            cut++;
        }
        assert_true(cut > 0 && cut < PAGE && cut % SECTOR == 0);
        assert_memory_equal(back + cut, one, (size_t)(PAGE - cut));
        cuts |= 1u << cut / SECTOR;
    }
    assert_int_equal(cuts, 0xfe); /* everywhere it can be torn */
    rig_close(&rig);
}

static void test_lost(void **state)
{
    struct fault_rule rule = rule_of(FAULT_LOST, IO_WRITE);
    struct rig rig;

    rule.skip = 1;
    rig_open(&rig, &rule, 1);
    put(&rig, 0, one);
    assert_int_equal(put(&rig, 0, two), PAGE);
    get(&rig, 0);
    assert_memory_equal(back, one, PAGE);
    rig_close(&rig);
}

static void test_stale(void **state)
{
    struct fault_rule rule = rule_of(FAULT_STALE, IO_READ);
    struct rig rig;

    rule.from_offset = 4 * PAGE;
    rule.to_offset = 8 * PAGE;
    rig_open(&rig, &rule, 1);
    put(&rig, 5 * PAGE, one);
    get(&rig, 5 * PAGE); /* nothing known from before: not struck */
    assert_memory_equal(back, one, PAGE);
    assert_int_equal(drive_fault_injected(rig.fault, 0), 0);
    put(&rig, 5 * PAGE, two);
    get(&rig, 5 * PAGE);
    assert_memory_equal(back, one, PAGE);
    assert_int_equal(drive_fault_injected(rig.fault, 0), 1);
    get(&rig, 5 * PAGE);
    assert_memory_equal(back, two, PAGE);
    rig_close(&rig);
}

static void test_misdirected(void **state)
{
    struct fault_rule rule = rule_of(FAULT_MISDIRECTED, IO_WRITE);
    struct rig rig;

    rule.skip = 1;
    rule.count = 2;
    rig_open(&rig, &rule, 1);
    put(&rig, 0, one);
    assert_int_equal(put(&rig, 0, two), PAGE);
    assert_int_equal(rig.last.offset, 0); /* seen from above nothing has moved */
    get(&rig, 0);
    assert_memory_equal(back, one, PAGE);
    get(&rig, 8 * PAGE);
    assert_memory_equal(back, two, PAGE);
    put(&rig, CAPACITY - PAGE, one); /* would end beyond the drive: backwards then */
    get(&rig, CAPACITY - 9 * PAGE);
    assert_memory_equal(back, one, PAGE);
    rig_close(&rig);
}

static void test_short(void **state)
{
    struct fault_rule rules[] = {rule_of(FAULT_SHORT, IO_WRITE), rule_of(FAULT_SHORT, IO_READ)};
    struct rig rig;

    rig_open(&rig, rules, 2);
    assert_int_equal(put(&rig, 0, one), PAGE / 2);
    assert_int_equal(rig.last.bytes, PAGE);
    memset(back, 9, PAGE);
    assert_int_equal(get(&rig, 0), PAGE / 2);
    assert_memory_equal(back, one, PAGE / 2);
    assert_int_equal(back[PAGE / 2], 9);
    get(&rig, 0);
    assert_int_equal(back[PAGE / 2], 0);
    rig_close(&rig);
}

static void test_delay(void **state)
{
    struct fault_rule rule = rule_of(FAULT_DELAY, IO_READ);
    struct rig rig;
    struct io io;

    rule.delay_ns = 5000000;
    rig_open(&rig, &rule, 1);
    put(&rig, 0, one);
    assert_int_equal(load_one(rig.top, IO_READ, 0, 0, back, PAGE, &io), PAGE);
    assert_in_range(io.done_ns - io.sent_ns, 5000000, 5200000);
    assert_memory_equal(back, one, PAGE);
    assert_int_equal(load_one(rig.top, IO_READ, 0, 0, back, PAGE, &io), PAGE);
    assert_in_range(io.done_ns - io.sent_ns, 1, 200000);
    rig_close(&rig);
}

static void test_lost_flush_and_trim(void **state)
{
    struct fault_rule rules[] = {rule_of(FAULT_LOST, IO_FLUSH), rule_of(FAULT_LOST, IO_TRIM)};
    struct rig rig;

    rig_open(&rig, rules, 2);
    put(&rig, 0, one);
    assert_int_equal(load_one(rig.top, IO_FLUSH, 0, 0, NULL, 0, NULL), 0);
    assert_int_equal(load_one(rig.top, IO_TRIM, 0, 0, NULL, PAGE, NULL), 0);
    get(&rig, 0);
    assert_memory_equal(back, one, PAGE);
    assert_int_equal(drive_fault_injected(rig.fault, 0), 1);
    assert_int_equal(drive_fault_injected(rig.fault, 1), 1);
    assert_int_equal(load_one(rig.top, IO_TRIM, 0, 0, NULL, PAGE, NULL), 0);
    get(&rig, 0);
    assert_int_equal(back[0], 0);
    rig_close(&rig);
}

/* ---- on which request ------------------------------------------------------------------------ */

/* For all k: an error on the k-th of 60 requests strikes that one, and no other. */
static void test_error_on_the_kth_request_for_all_k(void **state)
{
    enum { REQUESTS = 60 };

    for (uint64_t k = 0; k < REQUESTS; k++) {
        struct fault_rule rule = rule_of(FAULT_ERROR, IO_READ);
        struct rig rig;

        rule.skip = k;
        rig_open(&rig, &rule, 1);
        for (uint64_t i = 0; i < REQUESTS; i++) {
            put(&rig, i * PAGE, one);
            assert_int_equal(get(&rig, i * PAGE), i == k ? -EIO : PAGE);
        }
        assert_int_equal(drive_fault_injected(rig.fault, 0), 1);
        assert_int_equal(rig.looked, 2 * REQUESTS);
        rig_close(&rig);
    }
}

static void test_skip_every_count_and_range(void **state)
{
    struct fault_rule rule = rule_of(FAULT_ERROR, IO_READ);
    struct rig rig;

    rule.from_offset = 2 * PAGE;
    rule.to_offset = 3 * PAGE;
    rule.skip = 2;
    rule.every = 3;
    rule.count = 4;
    rig_open(&rig, &rule, 1);
    for (int i = 0; i < 30; i++) {
        bool struck = i >= 2 && (i - 2) % 3 == 0 && (i - 2) / 3 < 4;

        assert_int_equal(get(&rig, 2 * PAGE), struck ? -EIO : PAGE);
        assert_int_equal(get(&rig, 1 * PAGE), PAGE);
        assert_int_equal(get(&rig, 3 * PAGE), PAGE);
    }
    assert_int_equal(drive_fault_injected(rig.fault, 0), 4);
    rig_close(&rig);
}

static void test_what_cannot_be_is_refused(void **state)
{
    struct loop loop;
    struct error err;
    struct drive *null;
    struct fault_rule wrong[8];
    uint64_t had;

    loop_virtual_open(&loop, 16, &err);
    null = drive_null_open(&loop, 1ull << 40, 1, &err);
    had = mem_allocated_bytes();
    wrong[0] = rule_of(FAULT_BIT_FLIP, IO_WRITE);
    wrong[1] = rule_of(FAULT_STALE, IO_WRITE);
    wrong[2] = rule_of(FAULT_TORN, IO_READ);
    wrong[3] = rule_of(FAULT_ERROR, IO_READ);
    wrong[3].every = 0;
    wrong[4] = rule_of(FAULT_ERROR, IO_READ);
    wrong[4].error_code = 0;
    wrong[5] = rule_of(FAULT_MISDIRECTED, IO_WRITE);
    wrong[5].distance_bytes = 100;
    wrong[6] = rule_of(FAULT_DELAY, IO_WRITE);
    wrong[6].delay_ns = -1;
    wrong[7] = rule_of(FAULT_STALE, IO_READ);
    wrong[7].to_offset = 1ull << 40;
    for (int i = 0; i < 8; i++) {
        err.code = 0;
        assert_null(drive_fault_open(null, &wrong[i], 1, 1, &err));
        assert_int_equal(err.code, i == 7 ? -E2BIG : -EINVAL);
        assert_int_equal(mem_allocated_bytes(), had);
    }
    drive_close(null);
    loop_close(&loop);
}

/* ---- the drives below ------------------------------------------------------------------------ */

/* A tap above a slice sees the slice's addresses, counts all, and every request comes back once. */
static void test_wrappers_above_slices(void **state)
{
    struct drive_sim_params params = load_small_drive(CAPACITY);
    struct error err;
    struct loop loop;
    struct rig a = {0}, b = {0};
    struct drive *sim, *slice[2];

    loop_virtual_open(&loop, 64, &err);
    sim = drive_sim_open(&loop, &params, 1, true, &err);
    slice[0] = drive_slice_open(sim, 0, CAPACITY / 2, &err);
    slice[1] = drive_slice_open(sim, CAPACITY / 2, CAPACITY / 2, &err);
    a.top = drive_tap_open(slice[0], look, &a, &err);
    b.top = drive_tap_open(slice[1], look, &b, &err);
    memset(one, 1, PAGE);
    memset(two, 2, PAGE);
    for (int i = 0; i < 10; i++) {
        put(&a, PAGE, one);
        put(&b, PAGE, two);
        get(&a, PAGE);
        assert_memory_equal(back, one, PAGE);
    }
    assert_int_equal(a.looked, 20);
    assert_int_equal(b.looked, 10);
    assert_int_equal(b.last.offset, PAGE);
    assert_int_equal(load_one(sim, IO_READ, 0, CAPACITY / 2 + PAGE, back, PAGE, NULL), PAGE);
    assert_memory_equal(back, two, PAGE);
    drive_close(a.top);
    drive_close(b.top);
    drive_close(sim);
    loop_close(&loop);
}

static void test_null_answers_all_in_order_and_later(void **state)
{
    struct load load = {.depth = 32,
                        .bytes = PAGE,
                        .read_share = 0.5,
                        .span_bytes = CAPACITY,
                        .count = 100000,
                        .seed = 1};
    struct load_result result;
    struct drive_facts facts;
    struct error err;
    struct loop loop;
    struct io io;
    struct drive *null;

    loop_virtual_open(&loop, 4, &err); /* one timer does for any depth */
    null = drive_null_open(&loop, CAPACITY, 1000, &err);
    load_run(&load, &loop, null, &result);
    assert_int_equal(result.answered, result.submitted);
    assert_int_equal(result.failed, 0);
    assert_true(result.mean_ns == 1000);
    assert_int_equal(load_one(null, IO_FLUSH, 0, 0, NULL, 0, &io), 0);
    assert_int_equal(io.done_ns - io.sent_ns, 1000);
    drive_facts(null, &facts);
    assert_string_equal(facts.kind, "null");
    assert_int_equal(facts.capacity_bytes, CAPACITY);
    drive_close(null);
    null = drive_null_open(&loop, CAPACITY, 0, &err);
    load_one(null, IO_TRIM, 0, 0, NULL, PAGE, &io); /* asserts that it was not from inside submit */
    assert_int_equal(io.done_ns - io.sent_ns, 1);
    drive_close(null);
    loop_close(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error),
        cmocka_unit_test(test_bit_flip),
        cmocka_unit_test(test_torn),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_stale),
        cmocka_unit_test(test_misdirected),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_delay),
        cmocka_unit_test(test_lost_flush_and_trim),
        cmocka_unit_test(test_error_on_the_kth_request_for_all_k),
        cmocka_unit_test(test_skip_every_count_and_range),
        cmocka_unit_test(test_what_cannot_be_is_refused),
        cmocka_unit_test(test_wrappers_above_slices),
        cmocka_unit_test(test_null_answers_all_in_order_and_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
