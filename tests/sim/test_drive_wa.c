/* rooms: base io. The write amplification of the simulated drive, which simulates no flash block,
 * against the analytical curve, and against a flash translation layer that does map every page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "close_to.h"
#include "drive_load.h"
#include "io/drive_types.h"

/* ---- pages mapped one by one -----------------------------------------------------------------
 */

enum { PAGE = 4096, LOGICAL = 1 << 18, BLOCK = 256, NONE = -1 };

/* One open block for what the host writes and what is moved; the emptiest block is erased. */
struct ftl {
    int32_t place[LOGICAL]; /* physical page of each logical one */
    int32_t *holds;         /* the other way round */
    int32_t *valid;         /* pages of each block */
    uint32_t blocks, open, next;
    int32_t *free_blocks;
    uint32_t free_count;
    uint64_t host, programmed;
};

static void ftl_put(struct ftl *ftl, uint32_t page)
{
    uint32_t at = ftl->open * BLOCK + ftl->next++;

    ftl->place[page] = (int32_t)at;
    ftl->holds[at] = (int32_t)page;
    ftl->valid[ftl->open]++;
    ftl->programmed++;
    if (ftl->next == BLOCK) {
        ftl->open = (uint32_t)ftl->free_blocks[--ftl->free_count];
        ftl->next = 0;
    }
}

static void ftl_drop(struct ftl *ftl, uint32_t page)
{
    if (ftl->place[page] != NONE) {
        ftl->holds[ftl->place[page]] = NONE;
        ftl->valid[ftl->place[page] / BLOCK]--;
        ftl->place[page] = NONE;
    }
}

static void ftl_collect(struct ftl *ftl)
{
    uint32_t victim = ftl->open;
    int32_t least = BLOCK + 1;

    for (uint32_t b = 0; b < ftl->blocks; b++) {
        /* a free block holds nothing: its count is -1 */
        if (b != ftl->open && ftl->valid[b] >= 0 && ftl->valid[b] < least) {
            least = ftl->valid[b];
            victim = b;
        }
    }
    for (uint32_t i = victim * BLOCK; i < (victim + 1) * BLOCK; i++) {
        int32_t page = ftl->holds[i];

        if (page != NONE) {
            ftl_drop(ftl, (uint32_t)page);
            ftl_put(ftl, (uint32_t)page);
        }
    }
    ftl->free_blocks[ftl->free_count++] = (int32_t)victim;
}

static void ftl_write(struct ftl *ftl, uint32_t page)
{
    ftl->host++;
    ftl_drop(ftl, page);
    ftl_put(ftl, page);
    while (ftl->free_count < 3) {
        ftl_collect(ftl);
    }
}

static struct ftl *ftl_new(double over_provisioning)
{
    struct ftl *ftl = calloc(1, sizeof(*ftl));

    /* the open block and the free ones hold nothing back: they come on top */
    ftl->blocks = (uint32_t)(LOGICAL * (1 + over_provisioning) / BLOCK + 0.5) + 3;
    ftl->holds = malloc(ftl->blocks * BLOCK * sizeof(*ftl->holds));
    ftl->valid = calloc(ftl->blocks, sizeof(*ftl->valid));
    ftl->free_blocks = calloc(ftl->blocks, sizeof(*ftl->free_blocks));
    memset(ftl->place, 0xff, sizeof(ftl->place));
    memset(ftl->holds, 0xff, ftl->blocks * BLOCK * sizeof(*ftl->holds));
    for (uint32_t b = ftl->blocks - 1; b > 0; b--) {
        ftl->free_blocks[ftl->free_count++] = (int32_t)b;
    }
    for (uint32_t page = 0; page < LOGICAL; page++) {
        ftl_write(ftl, page);
    }
    return ftl;
}

static void ftl_free(struct ftl *ftl)
{
    free(ftl->holds);
    free(ftl->valid);
    free(ftl->free_blocks);
    free(ftl);
}

/* ---- the same on both ------------------------------------------------------------------------
 */

struct pattern {
    const char *what;
    double over_provisioning;
    double span;    /* share of the drive that is written */
    double kept;    /* share of the drive that holds data; the rest is trimmed */
    double percent; /* how close */
    bool sequential;
};

static double of_ftl(const struct pattern *pattern)
{
    struct ftl *ftl = ftl_new(pattern->over_provisioning);
    uint32_t span = (uint32_t)(LOGICAL * pattern->span);
    uint64_t programmed = 0, host = 0;
    struct rng rng;
    double ret;

    rng_init(&rng, 7, 1);
    for (uint32_t page = (uint32_t)(LOGICAL * pattern->kept); page < LOGICAL; page++) {
        ftl_drop(ftl, page);
    }
    for (uint32_t i = 0; i < 24 * span; i++) {
        if (i == 12 * span) {
            programmed = ftl->programmed;
            host = ftl->host;
        }
        ftl_write(ftl, pattern->sequential ? i % span : (uint32_t)rng_below(&rng, span));
    }
    ret = (double)(ftl->programmed - programmed) / (double)(ftl->host - host);
    ftl_free(ftl);
    return ret;
}

static double programmed_bytes(const struct drive *drive, double host_bytes)
{
    struct drive_facts facts;

    drive_facts(drive, &facts);
    return facts.write_amplification * host_bytes;
}

static double of_drive(const struct pattern *pattern)
{
    const uint64_t bytes = (uint64_t)LOGICAL * PAGE;
    struct drive_sim_params params = load_small_drive(bytes);
    struct load load = {.depth = 16, .bytes = PAGE, .seed = 1, .sequential = pattern->sequential};
    struct load_result result;
    struct load_rig rig;
    double before, host;

    params.over_provisioning = pattern->over_provisioning;
    load_rig_open(&rig, &params, 1);
    if (pattern->kept < 1) {
        uint64_t from = (uint64_t)((double)bytes * pattern->kept);

        load_one(rig.drive, IO_TRIM, 0, from, NULL, (uint32_t)(bytes - from), NULL);
    }
    load.span_bytes = (uint64_t)((double)bytes * pattern->span);
    load.warm = 0;
    load.count = 6 * load.span_bytes / PAGE;
    load_run(&load, &rig.loop, rig.drive, &result);
    host = (double)(load.count + load.depth) * PAGE;
    before = programmed_bytes(rig.drive, host);
    load_run(&load, &rig.loop, rig.drive, &result);
    host = (programmed_bytes(rig.drive, 2 * host) - before) / host;
    load_rig_close(&rig);
    return host;
}

/*
 * Uniform random writes. Desnoyers, "Analytic modeling of SSD write performance" (SYSTOR 2012), and
 * Xiang and Kurkoski (arXiv:1110.4245): WA = a / (a + W(-a e^-a)) with a = 1 + over-provisioning,
 * W Lambert's function (its branch above -1). The values are that formula's, by another program.
 */
static void test_uniform_random_writes_follow_the_curve(void **state)
{
    const struct {
        struct pattern pattern;
        double curve;
    } rows[] = {
        {{"7 %", 0.07, 1, 1, 10, false}, 7.817},
        {{"14 %", 0.14, 1, 1, 10, false}, 4.253},
        {{"28 %", 0.28, 1, 1, 10, false}, 2.481},
    };

    for (int i = 0; i < 3; i++) {
        double sim = of_drive(&rows[i].pattern), ftl = of_ftl(&rows[i].pattern);

        print_message(
            "over-provisioning %-5s curve %.2f  simulated drive %.2f  mapped pages %.2f\n",
            rows[i].pattern.what, rows[i].curve, sim, ftl);
        close_to(rows[i].pattern.what, sim, rows[i].curve, rows[i].pattern.percent);
        close_to(rows[i].pattern.what, ftl, rows[i].curve, rows[i].pattern.percent);
    }
}

static void test_spans_and_order_do_as_mapped_pages_do(void **state)
{
    const struct pattern rows[] = {
        {"half of a full drive", 0.07, 0.5, 1, 10, false},
        {"a quarter of a full drive", 0.07, 0.25, 1, 10, false},
        {"an eighth of a full drive", 0.14, 0.125, 1, 10, false},
        {"half, the rest trimmed", 0.07, 0.5, 0.5, 10, false},
        {"a quarter, half trimmed", 0.07, 0.25, 0.5, 10, false},
        {"in order", 0.07, 1, 1, 10, true},
        {"in order, half", 0.28, 0.5, 1, 10, true},
    };

    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double sim = of_drive(&rows[i]), ftl = of_ftl(&rows[i]);

        print_message("%-26s over-provisioning %2.0f %%  simulated drive %.2f  mapped pages %.2f\n",
                      rows[i].what, rows[i].over_provisioning * 100, sim, ftl);
        close_to(rows[i].what, sim, ftl, rows[i].percent);
    }
}

enum { RING = 64 }; /* pages at the drive's end, written over and over: four times a block */

static double of_ftl_with_ring(double over_provisioning, uint32_t span)
{
    struct ftl *ftl = ftl_new(over_provisioning);
    uint64_t programmed = 0, host = 0;
    struct rng rng;
    double ret;

    rng_init(&rng, 7, 1);
    for (uint32_t i = 0; i < 24 * span; i++) {
        if (i == 12 * span) {
            programmed = ftl->programmed;
            host = ftl->host;
        }
        ftl_write(ftl, (uint32_t)rng_below(&rng, span));
        ftl_write(ftl, LOGICAL - RING + i % RING);
    }
    ret = (double)(ftl->programmed - programmed) / (double)(ftl->host - host);
    ftl_free(ftl);
    return ret;
}

static double of_drive_with_ring(double over_provisioning, uint32_t span)
{
    struct drive_sim_params params = load_small_drive((uint64_t)LOGICAL * PAGE);
    double before = 0;
    struct load_rig rig;
    struct rng rng;

    params.over_provisioning = over_provisioning;
    rng_init(&rng, 7, 1);
    load_rig_open(&rig, &params, 1);
    for (uint32_t i = 0; i < 12 * span; i++) {
        uint64_t random = rng_below(&rng, span), ring = LOGICAL - RING + i % RING;

        if (i == 6 * span) {
            before = programmed_bytes(rig.drive, 1);
        }
        load_one(rig.drive, IO_WRITE, 0, random * PAGE, NULL, PAGE, NULL);
        load_one(rig.drive, IO_WRITE, 0, ring * PAGE, NULL, PAGE, NULL);
    }
    before = 2 * programmed_bytes(rig.drive, 1) - before;
    load_rig_close(&rig);
    return before;
}

/*
 * Half of the bytes go round a small ring (a doublewrite area). In blocks of their own, as the
 * simulated drive has it, they cost 1. Where all that is written shares one open block with what is
 * moved, each lap of the log finds the ring's bytes dead, but they have used up the spare. By bytes
 * of the span, per lap: x written at random, k x round the ring, all together a = 1 + spare / span;
 *   x = (a - k x) (1 - e^-x), and each byte written costs a / (x (1 + k)).
 * The values are that formula's, by another program; k = 0 is the curve above.
 */
static void test_a_ring_costs_more_where_blocks_are_shared(void **state)
{
    const struct {
        const char *what;
        double over_provisioning, span, apart, shared;
    } rows[] = {
        {"7 %, a quarter", 0.07, 0.25, 1.741, 3.464},
        {"14 %, a quarter", 0.14, 0.25, 1.307, 2.132},
        {"7 %, half", 0.07, 0.5, 2.627, 6.139},
    };

    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t span = (uint32_t)(LOGICAL * rows[i].span);
        double apart = of_drive_with_ring(rows[i].over_provisioning, span);
        double shared = of_ftl_with_ring(rows[i].over_provisioning, span);

        print_message("%-16s half of it to a ring: simulated drive, apart %.2f (%.2f)  mapped "
                      "pages, shared %.2f (%.2f)\n",
                      rows[i].what, apart, rows[i].apart, shared, rows[i].shared);
        close_to(rows[i].what, apart, rows[i].apart, 10);
        close_to(rows[i].what, shared, rows[i].shared, 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform_random_writes_follow_the_curve),
        cmocka_unit_test(test_spans_and_order_do_as_mapped_pages_do),
        cmocka_unit_test(test_a_ring_costs_more_where_blocks_are_shared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
