/* rooms: base io. Wrong data that pass for right, or right data called wrong, make a run worthless.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "drive_load.h"
#include "io/drive_types.h"
#include "io/stamp.h"

enum { PAGE = 8192, SECTORS = PAGE / STAMP_SECTOR_BYTES, CAPACITY = 1 << 20 };

static uint8_t page[PAGE], other[PAGE];
static struct stamp_finding finding;

/* ---- the pure part --------------------------------------------------------------------------- */

static void test_fresh_page_is_right(void **state)
{
    for (uint32_t bytes = STAMP_SECTOR_BYTES; bytes <= PAGE; bytes *= 2) {
        stamp_page(page, bytes, 3, 1ull << 40, 7, 99);
        assert_int_equal(stamp_judge(page, bytes, 3, 1ull << 40, 7, &finding), STAMP_RIGHT);
    }
}

static void test_every_flipped_bit_is_corrupt(void **state)
{
    for (uint32_t bit = 0; bit < 8 * PAGE; bit++) {
        stamp_page(page, PAGE, 1, 5, 7, 99);
        page[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(stamp_judge(page, PAGE, 1, 5, 7, &finding), STAMP_CORRUPT);
        assert_int_equal(finding.sector, bit / 8 / STAMP_SECTOR_BYTES);
        assert_int_equal(finding.offset, 5 * PAGE);
        page[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void test_every_cut_is_torn(void **state)
{
    for (uint32_t cut = 1; cut < SECTORS; cut++) {
        stamp_page(page, PAGE, 1, 5, 7, 99);
        stamp_page(other, PAGE, 1, 5, 8, 100);
        memcpy(page, other, cut * STAMP_SECTOR_BYTES);
        assert_int_equal(stamp_judge(page, PAGE, 1, 5, 8, &finding), STAMP_TORN);
        assert_int_equal(finding.found_version, 7);
        assert_int_equal(finding.sector, cut);
        /* of two versions that are both old, and over what was never written */
        assert_int_equal(stamp_judge(page, PAGE, 1, 5, 9, &finding), STAMP_TORN);
        memset(page + cut * STAMP_SECTOR_BYTES, 0, PAGE - cut * STAMP_SECTOR_BYTES);
        assert_int_equal(stamp_judge(page, PAGE, 1, 5, 8, &finding), STAMP_TORN);
    }
}

static void test_old_and_empty_pages_are_stale(void **state)
{
    stamp_page(page, PAGE, 1, 5, 7, 99);
    assert_int_equal(stamp_judge(page, PAGE, 1, 5, 8, &finding), STAMP_STALE);
    assert_int_equal(finding.expected_version, 8);
    assert_int_equal(finding.found_version, 7);
    assert_false(finding.no_stamp);
    memset(page, 0, PAGE);
    assert_int_equal(stamp_judge(page, PAGE, 1, 5, 8, &finding), STAMP_STALE);
    assert_int_equal(finding.found_version, 0);
    assert_true(finding.no_stamp); /* not "version 0 of VM 0" */
    memset(page, 0xff, PAGE);
    assert_int_equal(stamp_judge(page, PAGE, 1, 5, 8, &finding), STAMP_STALE);
}

static void test_somebody_elses_page_is_misdirected(void **state)
{
    stamp_page(page, PAGE, 2, 6, 7, 99);
    assert_int_equal(stamp_judge(page, PAGE, 2, 5, 7, &finding), STAMP_MISDIRECTED);
    assert_int_equal(finding.found_page, 6);
    assert_int_equal(stamp_judge(page, PAGE, 1, 6, 7, &finding), STAMP_MISDIRECTED);
    assert_int_equal(finding.found_vm, 2);
    /* two sectors of a page swapped */
    memcpy(other, page, PAGE);
    memcpy(page, other + STAMP_SECTOR_BYTES, STAMP_SECTOR_BYTES);
    memcpy(page + STAMP_SECTOR_BYTES, other, STAMP_SECTOR_BYTES);
    assert_int_equal(stamp_judge(page, PAGE, 2, 6, 7, &finding), STAMP_MISDIRECTED);
}

static int compare_words(const void *a, const void *b)
{
    return memcmp(a, b, 8);
}

/* A drive that compresses or finds duplicates must find nothing. */
static void test_bodies_do_not_repeat(void **state)
{
    enum { PAGES = 64, WORDS = PAGES * PAGE / 8 };
    uint8_t *all = calloc(PAGES, PAGE);
    double chi = 0;
    uint32_t seen[256] = {0}, body = 0;

    for (uint32_t i = 0; i < PAGES; i++) {
        stamp_page(all + (size_t)i * PAGE, PAGE, 0, 1, 1, i);
    }
    for (uint32_t i = 0; i < PAGES * PAGE; i++) {
        if (i % STAMP_SECTOR_BYTES >= sizeof(struct stamp)) {
            seen[all[i]]++;
            body++;
        }
    }
    for (int b = 0; b < 256; b++) {
        double expected = body / 256.0;

        chi += (seen[b] - expected) * (seen[b] - expected) / expected;
    }
    assert_true(chi < 340); /* 255 degrees of freedom: exceeded once in 3,000 */
    for (uint32_t i = 0; i < PAGES * SECTORS; i++) {
        memset(all + (size_t)i * STAMP_SECTOR_BYTES, 0, sizeof(struct stamp));
    }
    qsort(all, WORDS, 8, compare_words);
    for (uint32_t i = PAGES * SECTORS * sizeof(struct stamp) / 8 + 1; i < WORDS; i++) {
        assert_memory_not_equal(all + 8ull * i, all + 8ull * (i - 1), 8);
    }
    free(all);
}

/* ---- the wrapper ----------------------------------------------------------------------------- */

struct rig {
    struct loop loop;
    struct drive *sim, *top;
};

static void rig_open(struct rig *rig, const struct fault_rule *rules, uint32_t count)
{
    struct drive_sim_params params = load_small_drive(CAPACITY);
    struct error err;

    assert_int_equal(loop_virtual_open(&rig->loop, 64, &err), 0);
    rig->sim = rig->top = drive_sim_open(&rig->loop, &params, 1, true, &err);
    assert_non_null(rig->sim);
    if (count) {
        rig->top = drive_fault_open(rig->top, rules, count, 1, &err);
        assert_non_null(rig->top);
    }
    rig->top = drive_stamp_open(rig->top, 1, PAGE, 42, &err);
    assert_non_null(rig->top);
}

static void rig_close(struct rig *rig)
{
    drive_close(rig->top);
    loop_close(&rig->loop);
}

static struct stamp_counts counts_of(const struct rig *rig)
{
    struct stamp_counts ret;

    drive_stamp_counts(rig->top, &ret);
    return ret;
}

static void test_unwritten_pages_are_not_judged(void **state)
{
    struct rig rig;

    rig_open(&rig, NULL, 0);
    assert_int_equal(load_one(rig.top, IO_READ, 0, 0, page, PAGE, NULL), PAGE);
    assert_int_equal(counts_of(&rig).checked, 0);
    /* nor once they are trimmed, or overwritten by somebody who does not stamp */
    assert_int_equal(load_one(rig.top, IO_WRITE, 0, 0, other, PAGE, NULL), PAGE);
    assert_int_equal(load_one(rig.top, IO_TRIM, 0, 0, NULL, PAGE, NULL), 0);
    assert_int_equal(load_one(rig.top, IO_READ, 0, 0, page, PAGE, NULL), PAGE);
    assert_int_equal(load_one(rig.top, IO_WRITE, 0, 0, other, PAGE, NULL), PAGE);
    assert_int_equal(load_one(rig.top, IO_WRITE, IO_NO_STAMP, 512, other, 512, NULL), 512);
    assert_int_equal(load_one(rig.top, IO_READ, 0, 0, page, PAGE, NULL), PAGE);
    assert_int_equal(counts_of(&rig).checked, 0);
    assert_int_equal(counts_of(&rig).before, 3);
    assert_int_equal(load_one(rig.top, IO_FLUSH, 0, 0, NULL, 0, NULL), 0);
    rig_close(&rig);
}

static void test_every_page_of_a_request_is_checked(void **state)
{
    enum { PAGES = 16 };
    static uint8_t many[PAGES * PAGE];
    struct rig rig;

    for (uint32_t bad = 0; bad < PAGES; bad++) {
        struct stamp_counts counts;

        rig_open(&rig, NULL, 0);
        assert_int_equal(load_one(rig.top, IO_WRITE, 0, PAGE, many, sizeof(many), NULL),
                         sizeof(many));
        assert_int_equal(load_one(rig.top, IO_READ, 0, PAGE, many, sizeof(many), NULL),
                         sizeof(many));
        assert_int_equal(counts_of(&rig).checked, PAGES);
        memset(page, 0x55, PAGE); /* behind the stamps' back */
        rig.sim->upper = NULL;
        assert_int_equal(load_one(rig.sim, IO_WRITE, 0, (1 + bad) * PAGE, page, PAGE, NULL), PAGE);
        rig.sim->upper = rig.top;
        assert_int_equal(load_one(rig.top, IO_READ, 0, PAGE, many, sizeof(many), NULL), -EILSEQ);
        counts = counts_of(&rig);
        assert_int_equal(counts.wrong[STAMP_LOST], 1);
        assert_int_equal(counts.findings, 1);
        assert_int_equal(counts.first[0].page, 1 + bad);
        assert_int_equal(counts.first[0].verdict, STAMP_LOST);
        assert_int_equal(counts.first[0].vm, 1);
        rig_close(&rig);
    }
}

/* Several kinds in one request, each named, and no page twice. */
static void test_one_request_many_verdicts(void **state)
{
    enum { PAGES = 4 };
    static uint8_t many[PAGES * PAGE];
    struct rig rig;
    struct stamp_counts counts;
    struct io io;

    rig_open(&rig, NULL, 0);
    load_one(rig.top, IO_WRITE, 0, 0, many, sizeof(many), NULL);
    memset(page, 0, PAGE);
    load_one(rig.sim, IO_WRITE, 0, PAGE, page, PAGE, NULL);
    load_one(rig.sim, IO_READ, 0, 0, page, PAGE, NULL);
    load_one(rig.sim, IO_WRITE, 0, 2 * PAGE, page, PAGE, NULL);
    page[1000] ^= 4;
    load_one(rig.sim, IO_WRITE, 0, 0, page, PAGE, NULL);
    assert_int_equal(load_one(rig.top, IO_READ, 0, 0, many, sizeof(many), &io), -EILSEQ);
    counts = counts_of(&rig);
    assert_int_equal(counts.wrong[STAMP_CORRUPT], 1);
    assert_int_equal(counts.wrong[STAMP_LOST], 1);
    assert_int_equal(counts.wrong[STAMP_MISDIRECTED], 1);
    assert_int_equal(counts.wrong[STAMP_STALE], 0);
    assert_int_equal(counts.findings, 3);
    assert_true(io.done_ns - io.sent_ns > 100000); /* both reads: the wait was the caller's */
    rig_close(&rig);
}

static void test_a_failed_write_is_unknown_not_wrong(void **state)
{
    struct fault_rule rules[] = {{.kind = FAULT_ERROR,
                                  .verb = IO_WRITE,
                                  .to_offset = CAPACITY,
                                  .skip = 1,
                                  .every = 2,
                                  .count = 1,
                                  .error_code = EIO},
                                 {.kind = FAULT_SHORT,
                                  .verb = IO_WRITE,
                                  .to_offset = CAPACITY,
                                  .skip = 3,
                                  .every = 1,
                                  .count = 1}};
    static uint8_t two[2 * PAGE];
    struct rig rig;

    rig_open(&rig, rules, 2);
    assert_int_equal(load_one(rig.top, IO_WRITE, 0, 0, page, PAGE, NULL), PAGE);
    assert_int_equal(load_one(rig.top, IO_WRITE, 0, 0, page, PAGE, NULL), -EIO);
    assert_int_equal(load_one(rig.top, IO_READ, 0, 0, page, PAGE, NULL), PAGE);
    assert_int_equal(counts_of(&rig).unknown, 1);
    assert_int_equal(load_one(rig.top, IO_WRITE, 0, 0, page, PAGE, NULL), PAGE);
    assert_int_equal(load_one(rig.top, IO_READ, 0, 0, page, PAGE, NULL), PAGE);
    assert_int_equal(counts_of(&rig).checked, 1);
    /* a short one: the first page was moved, the second is unknown */
    assert_int_equal(load_one(rig.top, IO_WRITE, 0, 0, two, 2 * PAGE, NULL), PAGE);
    assert_int_equal(load_one(rig.top, IO_READ, 0, 0, two, 2 * PAGE, NULL), 2 * PAGE);
    assert_int_equal(counts_of(&rig).checked, 2);
    assert_int_equal(counts_of(&rig).unknown, 2);
    rig_close(&rig);
}

/* What an earlier run left must not pass for this run's. */
static void test_another_run_has_other_versions(void **state)
{
    struct error err;
    struct rig rig;
    struct drive *again;

    rig_open(&rig, NULL, 0);
    load_one(rig.top, IO_WRITE, 0, 0, page, PAGE, NULL);
    memcpy(other, page, PAGE);
    again = drive_stamp_open(rig.sim, 1, PAGE, 43, &err);
    load_one(again, IO_WRITE, 0, 0, page, PAGE, NULL);
    load_one(rig.sim, IO_WRITE, 0, 0, other, PAGE, NULL);
    assert_int_equal(load_one(again, IO_READ, 0, 0, page, PAGE, NULL), -EILSEQ);
    again->ops->close(again);
    rig.sim->upper = rig.top;
    rig_close(&rig);
}

static void test_memory(void **state)
{
    uint64_t before, had = mem_allocated_bytes(), made;
    struct rig rig;
    struct error err;

    assert_true(sizeof(struct io) <= 128);
    assert_int_equal(stamp_memory_bytes(500ull << 30, 8192), (500ull << 30) / 8192 * 4);
    rig_open(&rig, NULL, 0);
    before = mem_allocated_bytes();
    made = mem_allocations();
    for (int i = 0; i < 1000; i++) {
        uint64_t at = (uint64_t)(i % (CAPACITY / PAGE)) * PAGE;

        load_one(rig.top, IO_WRITE, 0, at, page, PAGE, NULL);
        if (i % 10 == 0) {
            load_one(rig.sim, IO_TRIM, 0, at, NULL, PAGE, NULL);
        }
        load_one(rig.top, IO_READ, 0, at, page, PAGE, NULL);
    }
    assert_int_equal(counts_of(&rig).wrong[STAMP_LOST], 100);
    assert_int_equal(mem_allocated_bytes(), before);
    assert_int_equal(mem_allocations(), made);
    assert_null(drive_stamp_open(rig.top, 1, 2 * CAPACITY, 1, &err));
    assert_int_equal(err.code, -ENOSPC);
    rig_close(&rig);
    assert_int_equal(mem_allocated_bytes(), had);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fresh_page_is_right),
        cmocka_unit_test(test_every_flipped_bit_is_corrupt),
        cmocka_unit_test(test_every_cut_is_torn),
        cmocka_unit_test(test_old_and_empty_pages_are_stale),
        cmocka_unit_test(test_somebody_elses_page_is_misdirected),
        cmocka_unit_test(test_bodies_do_not_repeat),
        cmocka_unit_test(test_unwritten_pages_are_not_judged),
        cmocka_unit_test(test_every_page_of_a_request_is_checked),
        cmocka_unit_test(test_one_request_many_verdicts),
        cmocka_unit_test(test_a_failed_write_is_unknown_not_wrong),
        cmocka_unit_test(test_another_run_has_other_versions),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
