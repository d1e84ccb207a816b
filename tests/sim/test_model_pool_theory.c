/* rooms: base target */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../src/target/model_pool.h"
#include "base/dist.h"

/*
 * The hit ratio of independent draws from a Zipf law against characteristic times (Che, Tung, Wang
 * 2002), carried over to the two policies: a page stays for a time that is the same for all.
 */

enum { PAGES = 20000, FRAMES = 2000, DRAWS = 1500000, WARM = 500000 };
enum { USAGE = POOL_USAGE_MOST };

static double chance[PAGES];

static void chances_of(double exponent)
{
    double sum = 0;

    for (uint32_t i = 0; i < PAGES; i++) {
        sum += chance[i] = pow(i + 1, -exponent);
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        chance[i] /= sum;
    }
}

/* ---- midpoint ----------------------------------------------------------------------------------
 */

/*
 * A page comes to the old part; if it is wanted within old_time it goes to the front, from where
 * it falls out after whole_time without use. Shares of time by renewal: out, old, then visits to
 * the front until one is not renewed.
 */
static double midpoint_inside(double rate, double old_time, double whole_time, double *ret_young)
{
    double stays = 1 - exp(-rate * old_time), again = 1 - exp(-rate * whole_time);
    double visits = stays / (1 - again), cycle;
    double old = stays / rate, front = visits * again / rate;

    if (1 - again < 1e-12) { /* it never leaves the front */
        *ret_young = 1 - old_time / whole_time;
        return 1;
    }
    cycle = 1 / rate + old + front;
    *ret_young = visits * (1 - exp(-rate * (whole_time - old_time))) / rate / cycle;
    return (old + front) / cycle;
}

static double midpoint_sum(double old_time, double whole_time, double *ret_young)
{
    double sum = 0, young, all = 0;

    for (uint32_t i = 0; i < PAGES; i++) {
        sum += midpoint_inside(chance[i], old_time, whole_time, &young);
        all += young;
    }
    *ret_young = all;
    return sum;
}

/* For each old_time the whole_time that fills the pool; of these the one with 63 % young. */
static double midpoint_whole(double old_time, double *ret_young)
{
    double low = old_time, high = 1e9;

    for (uint32_t i = 0; i < 40; i++) {
        double middle = low + (high - low) / 2;

        if (midpoint_sum(old_time, middle, ret_young) < FRAMES) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static double midpoint_theory(void)
{
    double low = 1, high = 1e5, whole = 0, young = 0, hits = 0;

    for (uint32_t i = 0; i < 16; i++) {
        double middle = low + (high - low) / 2;

        whole = midpoint_whole(middle, &young);
        if (young > 0.63 * FRAMES) {
            low = middle;
        } else {
            high = middle;
        }
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        hits += chance[i] * midpoint_inside(chance[i], low, whole, &young);
    }
    return hits;
}

/* ---- clock -------------------------------------------------------------------------------------
 */

/*
 * The hand comes round every `period`. A page comes with one use, right behind the hand; each time
 * the hand passes it loses one, or goes if it has none. Expected rounds from each count.
 */
static double clock_inside(double rate, double period)
{
    double rounds[USAGE + 1] = {0}, poisson[USAGE + 1], p = exp(-rate * period);

    for (uint32_t a = 0; a <= USAGE; a++) {
        poisson[a] = p;
        p *= rate * period / (a + 1);
    }
    for (uint32_t pass = 0; pass < 4000; pass++) {
        double before = rounds[USAGE];

        for (uint32_t count = 0; count <= USAGE; count++) {
            double sum = 1, rest = 1;

            for (uint32_t a = 0; count + a < USAGE; a++) {
                rest -= poisson[a];
                sum += count + a > 0 ? poisson[a] * rounds[count + a - 1] : 0;
            }
            rounds[count] = sum + rest * rounds[USAGE - 1];
        }
        if (rounds[USAGE] - before < 1e-9 * before) {
            break;
        }
    }
    return rounds[1] * period / (rounds[1] * period + 1 / rate);
}

static double clock_theory(void)
{
    double low = 1, high = 1e5, hits = 0;

    for (uint32_t i = 0; i < 18; i++) {
        double middle = low + (high - low) / 2, sum = 0;

        for (uint32_t j = 0; j < PAGES; j += j < 200 ? 1 : 20) {
            sum += clock_inside(chance[j], middle) * (j < 200 ? 1 : 20);
        }
        if (sum < FRAMES) {
            low = middle;
        } else {
            high = middle;
        }
    }
    for (uint32_t j = 0; j < PAGES; j += j < 200 ? 1 : 20) {
        hits += chance[j] * clock_inside(chance[j], low) * (j < 200 ? 1 : 20);
    }
    return hits;
}

/* ---- measured ----------------------------------------------------------------------------------
 */

static void make_room(struct pool *pool)
{
    if (pool->free_count > 0) {
        return;
    }
    pool_evict(pool, pool->policy == POOL_CLOCK ? pool_sweep(pool) : pool->tail);
}

static double measured(enum pool_policy policy, double exponent)
{
    struct pool pool;
    struct dist zipf;
    struct rng rng;
    struct error err;
    uint64_t hits = 0;

    assert_int_equal(pool_open(&pool, policy, FRAMES, PAGES, PAGES, PAGES, false, &err), 0);
    pool.slack = 0; /* theory knows no slack: every use of a young page brings it to the front */
    dist_init(&zipf, DIST_ZIPF, PAGES, exponent);
    rng_init(&rng, 5, 0);
    for (uint32_t i = 0; i < WARM + DRAWS; i++) {
        uint32_t page = (uint32_t)dist_draw(&zipf, &rng) - 1, frame = pool_find(&pool, page);

        pool.now_ms += 1000; /* every use is later by the second that midpoint asks for */
        if (frame != POOL_NONE) {
            hits += i >= WARM;
            pool_access(&pool, frame);
            continue;
        }
        make_room(&pool);
        frame = pool_take(&pool);
        pool_insert(&pool, frame, page, true);
        pool_arrive(&pool, frame);
        if (policy == POOL_CLOCK) {
            pool_access(&pool, frame);
        }
    }
    pool_close(&pool);
    return (double)hits / DRAWS;
}

static void compare(enum pool_policy policy, double exponent)
{
    double found, expected;

    chances_of(exponent);
    found = measured(policy, exponent);
    expected = policy == POOL_CLOCK ? clock_theory() : midpoint_theory();
    if (fabs(found - expected) > 0.01) {
        fail_msg("Zipf %.2f: hit ratio %.4f, theory %.4f", exponent, found, expected);
    }
    print_message("zipf %.2f: measured %.4f, theory %.4f\n", exponent, found, expected);
}

static void test_midpoint_hits_as_theory_says(void **state)
{
    compare(POOL_MIDPOINT, 0.7);
    compare(POOL_MIDPOINT, 0.9);
}

static void test_clock_hits_as_theory_says(void **state)
{
    compare(POOL_CLOCK, 0.7);
    compare(POOL_CLOCK, 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_midpoint_hits_as_theory_says),
        cmocka_unit_test(test_clock_hits_as_theory_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
