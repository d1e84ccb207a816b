/* rooms: base io. A wrong page that is not found, or named wrongly, voids the promise. */
/* slow, limit: 300 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "drive_load.h"
#include "io/drive_types.h"
#include "io/stamp.h"

enum { PAGE = 4096, PAGES = 2048, HALF = PAGES / 2, WORKERS = 16, FAULTS = 10000 };
#define CAPACITY ((uint64_t)PAGES * PAGE)

/*
 * Each worker takes a page of the lower half that nobody holds, writes it, reads it, and reads the
 * page one half further up, which a misdirected write would have hit; what came back wrong it
 * writes again.
 */
struct worker {
    struct io io; /* first */
    struct crowd *crowd;
    uint64_t page;
    enum { WRITE, READ, READ_FAR, HEAL_FAR } step;
    uint8_t data[PAGE] __attribute__((aligned(512)));
};

struct crowd {
    struct loop loop;
    struct drive *fault, *stamp;
    struct rng rng;
    bool held[HALF];
    uint64_t wrong, failed, stop_at; /* faults injected */
    struct worker workers[WORKERS];
};

static void send(struct worker *worker, enum io_verb verb, uint64_t page)
{
    worker->io.verb = verb;
    worker->io.offset = page * PAGE;
    worker->io.bytes = PAGE;
    worker->io.data = worker->data;
    drive_submit(worker->crowd->stamp, &worker->io);
}

static void begin(struct worker *worker)
{
    struct crowd *crowd = worker->crowd;

    if (drive_fault_injected(crowd->fault, 0) >= crowd->stop_at) {
        return;
    }
    do {
        worker->page = rng_below(&crowd->rng, HALF);
    } while (crowd->held[worker->page]);
    crowd->held[worker->page] = true;
    worker->step = WRITE;
    send(worker, IO_WRITE, worker->page);
}

static void worker_done(struct io *io)
{
    struct worker *worker = (struct worker *)io;
    struct crowd *crowd = worker->crowd;
    bool bad = io->result != PAGE;

    crowd->wrong += io->result == -EILSEQ;
    crowd->failed += bad && io->result != -EILSEQ;
    switch (worker->step) {
    case WRITE:
        worker->step = READ;
        send(worker, IO_READ, worker->page);
        return;
    case READ:
        worker->step = READ_FAR;
        send(worker, IO_READ, worker->page + HALF);
        return;
    case READ_FAR:
        if (bad) {
            worker->step = HEAL_FAR;
            send(worker, IO_WRITE, worker->page + HALF);
            return;
        }
        break;
    case HEAL_FAR:
        break;
    }
    crowd->held[worker->page] = false;
    begin(worker);
}

static void crowd_run(const struct fault_rule *rule, uint64_t seed, struct stamp_counts *ret,
                      uint64_t *ret_wrong, uint64_t *ret_injected)
{
    struct drive_sim_params params = load_small_drive(CAPACITY);
    struct crowd *crowd = calloc(1, sizeof(*crowd));
    struct drive *sim;
    struct error err;

    assert_int_equal(loop_virtual_open(&crowd->loop, 256, &err), 0);
    sim = drive_sim_open(&crowd->loop, &params, seed, true, &err);
    crowd->fault = drive_fault_open(sim, rule, 1, seed, &err);
    assert_non_null(crowd->fault);
    crowd->stamp = drive_stamp_open(crowd->fault, 1, PAGE, seed, &err);
    crowd->stop_at = rule->count;
    rng_init(&crowd->rng, seed, 4);
    for (uint64_t page = 0; page < 2 * PAGES; page++) { /* twice: every page has a past */
        load_one(crowd->stamp, IO_WRITE, 0, page % PAGES * PAGE, crowd->workers[0].data, PAGE,
                 NULL);
    }
    for (int i = 0; i < WORKERS; i++) {
        crowd->workers[i].crowd = crowd;
        crowd->workers[i].io.done = worker_done;
        begin(&crowd->workers[i]);
    }
    loop_run(&crowd->loop, INT64_MAX);
    drive_stamp_counts(crowd->stamp, ret);
    *ret_wrong = crowd->wrong;
    *ret_injected = drive_fault_injected(crowd->fault, 0);
    assert_int_equal(crowd->failed, 0);
    drive_close(crowd->stamp);
    loop_close(&crowd->loop);
    free(crowd);
}

static void expect_all_named(enum fault_kind kind, enum io_verb verb, enum stamp_verdict verdict,
                             enum stamp_verdict second)
{
    struct fault_rule rule = {.kind = kind,
                              .verb = verb,
                              .to_offset = CAPACITY / 2,
                              .skip = 2 * HALF + 3,
                              .every = kind == FAULT_STALE ? 101 : 7, /* never the second look */
                              .count = FAULTS,
                              .distance_bytes = CAPACITY / 2};
    struct stamp_counts counts;
    uint64_t wrong, injected;

    crowd_run(&rule, 5, &counts, &wrong, &injected);
    assert_int_equal(injected, FAULTS);
    assert_int_equal(wrong, second ? 2 * FAULTS : FAULTS);
    for (enum stamp_verdict v = STAMP_CORRUPT; v < STAMP_VERDICTS; v++) {
        assert_int_equal(counts.wrong[v], v == verdict || v == second ? FAULTS : 0);
    }
    assert_int_equal(counts.findings, STAMP_FINDINGS);
    for (uint32_t i = 0; i < STAMP_FINDINGS; i++) {
        const struct stamp_finding *finding = &counts.first[i];

        assert_true(finding->verdict == verdict || finding->verdict == second);
        assert_int_equal(finding->offset, finding->page * PAGE);
        if (finding->verdict == STAMP_MISDIRECTED) {
            assert_int_equal(finding->page, finding->found_page + HALF);
        } else {
            assert_true(finding->page < HALF);
            assert_int_equal(finding->found_page, finding->page);
        }
        if (verdict == STAMP_LOST || verdict == STAMP_STALE) {
            assert_int_not_equal(finding->found_version, finding->expected_version);
        }
    }
}

static void test_bit_flips(void **state)
{
    expect_all_named(FAULT_BIT_FLIP, IO_READ, STAMP_CORRUPT, STAMP_RIGHT);
}

static void test_torn_writes(void **state)
{
    expect_all_named(FAULT_TORN, IO_WRITE, STAMP_TORN, STAMP_RIGHT);
}

static void test_lost_writes(void **state)
{
    expect_all_named(FAULT_LOST, IO_WRITE, STAMP_LOST, STAMP_RIGHT);
}

static void test_stale_reads(void **state)
{
    expect_all_named(FAULT_STALE, IO_READ, STAMP_STALE, STAMP_RIGHT);
}

/* Found where it went to as misdirected, and where it should have gone to as lost. */
static void test_misdirected_writes(void **state)
{
    expect_all_named(FAULT_MISDIRECTED, IO_WRITE, STAMP_LOST, STAMP_MISDIRECTED);
}

/* ---- no false alarm -------------------------------------------------------------------------- */

enum {
    CLEAN_PAGES = 10000000,
    CLEAN_DRIVE = 4096,
    CLEAN_DEPTH = 16,
    RUN = 8, /* pages a request at most; requests lie in runs, so that one holds a whole run */
};

struct clean {
    struct io io; /* first */
    struct clean_crowd *crowd;
    uint64_t run;
    uint8_t data[RUN * PAGE] __attribute__((aligned(512)));
};

struct clean_crowd {
    struct loop loop;
    struct drive *stamp;
    struct rng rng;
    bool held[CLEAN_DRIVE / RUN];
    uint64_t moved, failed;
    struct clean cleans[CLEAN_DEPTH];
};

static void clean_begin(struct clean *clean)
{
    struct clean_crowd *crowd = clean->crowd;
    uint32_t first, n;

    if (crowd->moved >= 2 * (uint64_t)CLEAN_PAGES + CLEAN_PAGES / 10) {
        return;
    }
    do {
        clean->run = rng_below(&crowd->rng, CLEAN_DRIVE / RUN);
    } while (crowd->held[clean->run]);
    crowd->held[clean->run] = true;
    first = (uint32_t)rng_below(&crowd->rng, RUN);
    n = 1 + (uint32_t)rng_below(&crowd->rng, RUN - first);
    crowd->moved += n;
    clean->io.verb = rng_below(&crowd->rng, 2) ? IO_READ : IO_WRITE;
    clean->io.offset = (clean->run * RUN + first) * PAGE;
    clean->io.bytes = n * PAGE;
    clean->io.data = clean->data;
    drive_submit(crowd->stamp, &clean->io);
}

static void clean_done(struct io *io)
{
    struct clean *clean = (struct clean *)io;

    clean->crowd->failed += io->result != (int32_t)io->bytes;
    clean->crowd->held[clean->run] = false;
    clean_begin(clean);
}

static void test_no_false_alarm_in_ten_million_pages(void **state)
{
    struct drive_sim_params params = load_small_drive((uint64_t)CLEAN_DRIVE * PAGE);
    struct clean_crowd *crowd = calloc(1, sizeof(*crowd));
    struct stamp_counts counts;
    struct error err;

    assert_int_equal(loop_virtual_open(&crowd->loop, 256, &err), 0);
    crowd->stamp =
        drive_stamp_open(drive_sim_open(&crowd->loop, &params, 2, true, &err), 1, PAGE, 2, &err);
    rng_init(&crowd->rng, 2, 4);
    for (int i = 0; i < CLEAN_DEPTH; i++) {
        crowd->cleans[i].crowd = crowd;
        crowd->cleans[i].io.done = clean_done;
        clean_begin(&crowd->cleans[i]);
    }
    loop_run(&crowd->loop, INT64_MAX);
    drive_stamp_counts(crowd->stamp, &counts);
    assert_true(counts.checked >= CLEAN_PAGES);
    assert_int_equal(crowd->failed, 0);
    assert_int_equal(counts.findings, 0);
    assert_int_equal(counts.unknown, 0);
    drive_close(crowd->stamp);
    loop_close(&crowd->loop);
    free(crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bit_flips),
        cmocka_unit_test(test_torn_writes),
        cmocka_unit_test(test_lost_writes),
        cmocka_unit_test(test_stale_reads),
        cmocka_unit_test(test_misdirected_writes),
        cmocka_unit_test(test_no_false_alarm_in_ten_million_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
