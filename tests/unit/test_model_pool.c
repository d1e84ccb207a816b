/* rooms: base target */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/target/model_pool.h"
#include "base/rng.h"

enum { FRAMES = 500, PAGES = 20000, LEVEL1 = 19000 };

static void open_pool(struct pool *pool, enum pool_policy policy, bool ordered)
{
    struct error err;

    assert_int_equal(pool_open(pool, policy, FRAMES, PAGES, LEVEL1, PAGES, ordered, &err), 0);
}

static uint32_t bring(struct pool *pool, uint32_t page)
{
    uint32_t frame = pool_take(pool);

    assert_int_not_equal(frame, POOL_NONE);
    pool_insert(pool, frame, page, true);
    pool_arrive(pool, frame);
    return frame;
}

/* A user's 48 GiB pool may cost its bookkeeping only. */
static void test_a_frame_costs_at_most_24_bytes(void **state)
{
    assert_true(pool_frame_bytes(true) <= 24);
    assert_true(pool_frame_bytes(false) <= 24);
    assert_true(pool_memory_bytes(6291456, 1000, 10, true) <= 24ull * 6291456 + (1 << 20));
}

/* A page that is in memory and not found would be read again, and be there twice. */
static void test_finds_what_is_there_and_nothing_else(void **state)
{
    static bool there[PAGES];
    struct pool pool;
    struct rng rng;
    uint32_t count = 0;

    memset(there, 0, sizeof(there));
    open_pool(&pool, POOL_MIDPOINT, false);
    rng_init(&rng, 1, 0);
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t page = (uint32_t)rng_below(&rng, PAGES), frame = pool_find(&pool, page);

        assert_int_equal(frame != POOL_NONE, there[page]);
        if (there[page]) {
            assert_int_equal(pool.frames[frame].page, page);
            if (i % 3 == 0) {
                pool_access(&pool, frame);
            } else if (i % 3 == 1) {
                pool_evict(&pool, frame);
                there[page] = false;
                count--;
            }
            continue;
        }
        if (pool.free_count == 0) {
            uint32_t tail = pool.tail;

            there[pool.frames[tail].page] = false;
            pool_evict(&pool, tail);
            count--;
        }
        pool.now_ms += 7;
        bring(&pool, page);
        there[page] = true;
        count++;
        assert_int_equal(pool.young + pool.old, count);
        assert_int_equal(pool.free_count, FRAMES - count);
    }
    pool_close(&pool);
}

/* A scan must not flush the pool: what is read twice within a second stays old (MODEL.md 5.1). */
static void test_old_pages_grow_young_after_a_second(void **state)
{
    struct pool pool;
    uint32_t frame, other;

    open_pool(&pool, POOL_MIDPOINT, false);
    for (uint32_t page = 0; page < FRAMES; page++) {
        bring(&pool, page);
    }
    other = pool.tail;
    frame = pool_find(&pool, FRAMES - 1);
    pool.now_ms += 1000;
    pool_access(&pool, frame); /* while nothing was evicted yet the order does not matter */
    assert_true(pool.frames[frame].prev & FRAME_OLD);
    pool_evict(&pool, other);
    other = pool.tail;
    pool.now_ms -= 1;
    pool_access(&pool, frame);
    pool_access(&pool, frame);
    assert_true(pool.frames[frame].prev & FRAME_OLD);
    pool.now_ms += 1;
    pool_access(&pool, frame);
    assert_false(pool.frames[frame].prev & FRAME_OLD);
    assert_int_equal(pool.head, frame);
    assert_true(pool.frames[other].prev & FRAME_OLD);
    assert_in_range(pool.old, FRAMES * 37 / 100 - 21, FRAMES * 37 / 100 + 21);
    pool_close(&pool);
}

/*
 * InnoDB's cleaner frees many frames at once; until the next time its border moves over most pages
 * that are read. Without it what is used twice within a second would be read again and again.
 */
static void test_innodb_keeps_what_is_used_while_the_list_grows(void **state)
{
    struct pool pool;
    uint32_t young = 0, frame;

    open_pool(&pool, POOL_INNODB, false);
    for (uint32_t page = 0; page < FRAMES; page++) {
        bring(&pool, page);
        pool.now_ms++;
    }
    for (uint32_t i = 0; i < FRAMES / 2; i++) {
        pool_evict(&pool, pool.tail);
    }
    for (uint32_t page = FRAMES; page < FRAMES + 200; page++) {
        bring(&pool, page);
    }
    for (uint32_t page = FRAMES; page < FRAMES + 200; page++) {
        frame = pool_find(&pool, page);
        young += (pool.frames[frame].prev & FRAME_OLD) == 0;
    }
    assert_in_range(young, 80, 92); /* of those that came when 37 % and 20 were there */
    assert_int_equal(pool.grown_young, 0);
    frame = pool.frames[pool.middle].prev & FRAME_LINK;
    assert_true(pool.frames[frame].page >= FRAMES);
    pool_access(&pool, frame);
    assert_int_equal(pool.head, frame);
    pool_close(&pool);
}

/* ... and one that sinks back before it is used has to wait for its second as if nothing was. */
static void test_innodb_remembers_when_a_page_came(void **state)
{
    struct pool pool;
    uint32_t frame;

    open_pool(&pool, POOL_INNODB, false);
    for (uint32_t page = 0; page < FRAMES; page++) {
        bring(&pool, page);
    }
    for (uint32_t i = 0; i < FRAMES / 2; i++) {
        pool_evict(&pool, pool.tail);
    }
    pool.now_ms += 5000;
    for (uint32_t page = FRAMES; page < FRAMES + FRAMES / 2; page++) {
        bring(&pool, page);
    }
    frame = pool.frames[pool.middle].prev & FRAME_LINK;
    assert_true(pool.frames[frame].page >= FRAMES);
    assert_false(pool.frames[frame].prev & FRAME_OLD);
    for (uint32_t i = 0; i < 100; i++) {
        pool_evict(&pool, pool.tail);
    }
    assert_true(pool.frames[frame].prev & FRAME_OLD);
    pool.now_ms += 999;
    pool_access(&pool, frame);
    assert_true(pool.frames[frame].prev & FRAME_OLD);
    pool.now_ms += 1;
    pool_access(&pool, frame);
    assert_int_equal(pool.head, frame);
    assert_int_equal(pool.grown_young, 1);
    pool_close(&pool);
}

static void test_the_clock_spares_what_was_used(void **state)
{
    struct pool pool;
    uint32_t victim;

    open_pool(&pool, POOL_CLOCK, false);
    for (uint32_t page = 0; page < FRAMES; page++) {
        uint32_t frame = bring(&pool, page);

        for (uint32_t i = 0; i < 9 && page != 123; i++) {
            pool_access(&pool, frame); /* to five, no further */
        }
    }
    victim = pool_sweep(&pool);
    assert_int_equal(pool.frames[victim].page, 123);
    for (uint32_t i = 0; i < 3; i++) {
        pool_access(&pool, victim);
    }
    victim = pool_sweep(&pool); /* 3 uses against the 4 that are left of 5 after a round */
    assert_int_equal(pool.frames[victim].page, 123);
    pool_close(&pool);
}

/* The log could not be cut if a page that became dirty early were not found first. */
static void test_dirty_pages_come_oldest_first(void **state)
{
    struct pool pool;
    uint64_t lsn = 0, before = 0;
    uint32_t count = 0;

    open_pool(&pool, POOL_MIDPOINT, true);
    for (uint32_t page = 0; page < 200; page++) {
        pool_dirty(&pool, bring(&pool, page), 0, page * 10);
    }
    for (uint32_t page = 0; page < 200; page += 2) {
        uint32_t frame = pool_find(&pool, page);

        pool_capture(&pool, frame);
        pool_written(&pool, frame);
    }
    pool_dirty(&pool, pool_find(&pool, 0), 0, 5000); /* again: now it is the youngest */
    for (uint32_t frame; (frame = pool_oldest(&pool, &lsn)) != POOL_NONE; count++) {
        assert_true(lsn >= before);
        assert_true(count == 100 ? pool.frames[frame].page == 0
                                 : pool.frames[frame].page == 2 * count + 1);
        before = lsn;
        pool_oldest_pop(&pool);
        pool_capture(&pool, frame);
        pool_written(&pool, frame);
    }
    assert_int_equal(count, 101);
    assert_int_equal(pool.dirty, 0);
    pool_close(&pool);
}

/* All frames dirty is more than the order holds: none may be forgotten. */
static void test_more_dirty_pages_than_the_order_holds(void **state)
{
    struct pool pool;
    uint64_t lsn;
    uint32_t count = 0;

    open_pool(&pool, POOL_MIDPOINT, true);
    for (uint32_t page = 0; page < FRAMES; page++) {
        pool_dirty(&pool, bring(&pool, page), 0, page);
    }
    assert_true(pool.order_missed > 0);
    for (uint32_t frame; (frame = pool_oldest(&pool, &lsn)) != POOL_NONE; count++) {
        pool_oldest_pop(&pool);
        pool_capture(&pool, frame);
        pool_written(&pool, frame);
    }
    assert_int_equal(count, FRAMES);
    pool_close(&pool);
}

/* The same pages dirtied and cleaned for ever leave stale entries: they must not fill the order. */
static void test_stale_entries_do_not_fill_the_order(void **state)
{
    struct pool pool;
    uint32_t hot, cold;
    uint64_t lsn;

    open_pool(&pool, POOL_MIDPOINT, true);
    cold = bring(&pool, 1);
    hot = bring(&pool, 2);
    pool_dirty(&pool, cold, 0, 1);
    for (uint32_t i = 0; i < 10000; i++) {
        pool_dirty(&pool, hot, 0, 2 + i);
        pool_capture(&pool, hot);
        pool_written(&pool, hot);
    }
    pool_dirty(&pool, hot, 0, 20000);
    assert_int_equal(pool.order_missed, 0);
    assert_int_equal(pool_oldest(&pool, &lsn), cold);
    assert_int_equal(lsn, 1);
    pool_close(&pool);
}

static void test_a_page_changed_while_it_is_written_stays_dirty(void **state)
{
    struct pool pool;
    uint32_t frame;

    open_pool(&pool, POOL_MIDPOINT, true);
    frame = bring(&pool, 64);
    pool_dirty(&pool, frame, 0, 1);
    pool_capture(&pool, frame);
    assert_false(pool_page_dirty(&pool, 64));
    pool_dirty(&pool, frame, 0, 2);
    pool_written(&pool, frame);
    assert_true(pool_page_dirty(&pool, 64));
    assert_int_equal(pool_map_next(pool.dirty_map, 0, PAGES), 64);
    assert_int_equal(pool_map_next(pool.dirty_map, 65, PAGES), POOL_NO_PAGE);
    assert_int_equal(pool_map_next(pool.dirty_map, 0, 64), POOL_NO_PAGE);
    assert_int_equal(pool.dirtied, 2);
    assert_int_equal(pool.captured, 1);
    pool_close(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_frame_costs_at_most_24_bytes),
        cmocka_unit_test(test_finds_what_is_there_and_nothing_else),
        cmocka_unit_test(test_old_pages_grow_young_after_a_second),
        cmocka_unit_test(test_innodb_keeps_what_is_used_while_the_list_grows),
        cmocka_unit_test(test_innodb_remembers_when_a_page_came),
        cmocka_unit_test(test_the_clock_spares_what_was_used),
        cmocka_unit_test(test_dirty_pages_come_oldest_first),
        cmocka_unit_test(test_more_dirty_pages_than_the_order_holds),
        cmocka_unit_test(test_stale_entries_do_not_fill_the_order),
        cmocka_unit_test(test_a_page_changed_while_it_is_written_stays_dirty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
