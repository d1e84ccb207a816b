/* rooms: base io. A timer that fires late, early, twice or out of order makes every result wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "io/loop.h"

enum { LIMIT = 4096 };

/* ---- against a sorted reference -------------------------------------------------------------- */

struct ref {
    struct timer timer; /* first */
    struct world *world;
    int64_t due_ns;
    uint64_t order;
    bool armed;
};

struct world {
    struct loop loop;
    struct rng rng;
    struct ref refs[LIMIT];
    uint64_t order, fired, wrong;
    uint32_t depth;
};

/* What the reference would fire next: the least (due_ns, order) of all that is armed. */
static struct ref *ref_first(struct world *world)
{
    struct ref *best = NULL;

    for (int i = 0; i < LIMIT; i++) {
        struct ref *ref = &world->refs[i];

        if (ref->armed && (best == NULL || ref->due_ns < best->due_ns ||
                           (ref->due_ns == best->due_ns && ref->order < best->order))) {
            best = ref;
        }
    }
    return best;
}

/* Microseconds to hours, the borders of the far buckets, ties, and the past. */
static int64_t dice_due(struct world *world)
{
    int64_t now = world->loop.now_ns;
    int shift = 20 + 10 * (int)rng_below(&world->rng, 3);

    switch (rng_below(&world->rng, 8)) {
    case 0:
        return now;
    case 1:
        return now - rng_between(&world->rng, 0, 1000000);
    case 2:
        return ((now >> shift) + rng_between(&world->rng, 1, 3)) << shift;
    case 3:
        return (((now >> shift) + rng_between(&world->rng, 1, 3)) << shift) - 1;
    case 4:
        return now + rng_between(&world->rng, 0, 200000);
    case 5:
        return now + rng_between(&world->rng, 0, 40) * 1000000;
    case 6:
        return now + rng_between(&world->rng, 0, 30ll * 1000000000);
    default:
        return now +
               (rng_between(&world->rng, 0, 5ll * 3600000000000) >> rng_below(&world->rng, 30));
    }
}

static void ref_arm(struct world *world, struct ref *ref)
{
    ref->due_ns = dice_due(world);
    ref->order = world->order++;
    ref->armed = true;
    loop_arm(&world->loop, &ref->timer, ref->due_ns);
}

static void ref_disarm(struct world *world, struct ref *ref)
{
    ref->armed = false;
    loop_disarm(&world->loop, &ref->timer);
}

static void ref_fire(struct timer *timer)
{
    struct ref *ref = (struct ref *)timer;
    struct world *world = ref->world;

    world->wrong += ref_first(world) != ref;
    world->wrong += ref->due_ns > world->loop.now_ns;
    world->wrong += timer_armed(timer);
    ref->armed = false;
    world->fired++;
    for (uint64_t n = rng_below(&world->rng, 4); n > 0; n--) {
        struct ref *other = &world->refs[rng_below(&world->rng, world->depth)];

        if (other->armed && rng_below(&world->rng, 2)) {
            ref_disarm(world, other);
        } else if (!other->armed && world->order < 100000) {
            ref_arm(world, other);
        }
    }
    if (!ref->armed && world->order < 100000) {
        ref_arm(world, ref);
    }
}

static void same_as_reference(void **state)
{
    for (uint32_t depth = 4; depth <= 256; depth *= 4) {
        struct world *world = mem_large(sizeof(*world));
        struct error err;

        rng_init(&world->rng, 7, depth);
        world->depth = depth;
        assert_int_equal(loop_virtual_open(&world->loop, LIMIT, &err), 0);
        for (int i = 0; i < LIMIT; i++) {
            world->refs[i].world = world;
            world->refs[i].timer.fire = ref_fire;
        }
        for (uint32_t i = 0; i < depth; i++) {
            ref_arm(world, &world->refs[i]);
        }
        loop_run(&world->loop, INT64_MAX);
        assert_int_equal(world->order, 100000);
        assert_true(world->fired > 50000);
        assert_int_equal(world->wrong, 0);
        assert_int_equal(loop_armed_count(&world->loop), 0);
        assert_null(ref_first(world));
        loop_close(&world->loop);
        mem_large_free(world, sizeof(*world));
    }
}

/* ---- one property each ----------------------------------------------------------------------- */

struct seen {
    struct timer timer; /* first */
    struct loop *loop;
    int64_t at_ns, again_ns;
    uint32_t times;
    bool stops;
};

static void seen_fire(struct timer *timer)
{
    struct seen *seen = (struct seen *)timer;

    seen->at_ns = seen->loop->now_ns;
    seen->times++;
    seen->loop->stop |= seen->stops;
    if (seen->again_ns) {
        loop_arm(seen->loop, timer, seen->loop->now_ns + seen->again_ns);
    }
}

static void loop_of(struct loop *loop, struct seen *seen, size_t n)
{
    struct error err;

    assert_int_equal(loop_virtual_open(loop, 64, &err), 0);
    memset(seen, 0, n * sizeof(*seen));
    for (size_t i = 0; i < n; i++) {
        seen[i].timer.fire = seen_fire;
        seen[i].loop = loop;
    }
}

static void fires_at_its_very_instant(void **state)
{
    static const int64_t dues[] = {0,
                                   1,
                                   1048575,
                                   1048576,
                                   1048577,
                                   1073741823,
                                   1073741824,
                                   1099511627775,
                                   1099511627776,
                                   1 << 30,
                                   3600000000000000000};
    struct seen seen[11];
    struct loop loop;

    loop_of(&loop, seen, 11);
    for (int i = 0; i < 11; i++) {
        loop_arm(&loop, &seen[i].timer, dues[i]);
    }
    loop_run(&loop, INT64_MAX);
    for (int i = 0; i < 11; i++) {
        assert_int_equal(seen[i].at_ns, dues[i]);
        assert_int_equal(seen[i].times, 1);
    }
    loop_close(&loop);
}

static void ends_at_until(void **state)
{
    struct seen seen[3];
    struct loop loop;

    loop_of(&loop, seen, 3);
    loop_arm(&loop, &seen[0].timer, 5000000000);
    loop_arm(&loop, &seen[1].timer, 5000000001);
    loop_arm(&loop, &seen[2].timer, 4000000000);
    loop_run(&loop, 5000000000);
    assert_int_equal(loop.now_ns, 5000000000);
    assert_int_equal(seen[0].times + seen[2].times, 2);
    assert_int_equal(seen[1].times, 0);
    loop_run(&loop, 5000000000); /* nothing more is due: time stands */
    assert_int_equal(seen[1].times, 0);
    loop_run(&loop, 6000000000);
    assert_int_equal(seen[1].at_ns, 5000000001);
    loop_close(&loop);
}

static void returns_when_there_is_nothing_to_wait_for(void **state)
{
    struct seen seen[1];
    struct loop loop;

    loop_of(&loop, seen, 1);
    loop_run(&loop, INT64_MAX);
    loop_arm(&loop, &seen[0].timer, 10);
    loop_disarm(&loop, &seen[0].timer);
    loop_disarm(&loop, &seen[0].timer); /* idle: no effect */
    loop_run(&loop, INT64_MAX);
    assert_int_equal(seen[0].times, 0);
    loop_close(&loop);
}

static void stops_after_the_current_event(void **state)
{
    struct seen seen[2];
    struct loop loop;

    loop_of(&loop, seen, 2);
    seen[0].stops = true;
    loop_arm(&loop, &seen[0].timer, 10);
    loop_arm(&loop, &seen[1].timer, 10);
    loop_run(&loop, 100);
    assert_int_equal(seen[0].times, 1);
    assert_int_equal(seen[1].times, 0);
    loop.stop = false;
    loop_run(&loop, 100);
    assert_int_equal(seen[1].at_ns, 10);
    loop_close(&loop);
}

/* A disarmed far timer leaves no trace: as many as the limit can be armed again and again. */
static volatile int asked;
static uint32_t ticks;

static void tick_for_ever(struct timer *timer)
{
    struct loop *loop = (struct loop *)((char *)timer + sizeof(*timer));

    asked = ++ticks >= 100000;
    loop_arm(loop, timer, loop->now_ns); /* time never passes */
}

/* Ctrl-C is heard even where virtual time stands still or an interval holds millions of events. */
static void ends_when_it_is_asked_to(void **state)
{
    struct {
        struct timer timer;
        struct loop loop;
    } own = {.timer = {.fire = tick_for_ever}};
    struct error err;

    assert_int_equal(loop_virtual_open(&own.loop, 4, &err), 0);
    own.loop.asked = &asked;
    loop_arm(&own.loop, &own.timer, 0);
    loop_run(&own.loop, INT64_MAX);
    assert_in_range(ticks, 100000, 101000);
    assert_false(own.loop.stop);
    loop_disarm(&own.loop, &own.timer);
    loop_close(&own.loop);
}

static void disarming_frees_the_place(void **state)
{
    struct seen seen[64];
    struct loop loop;

    loop_of(&loop, seen, 64);
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < 64; i++) {
            loop_arm(&loop, &seen[i].timer, (int64_t)(i * round) << (round % 36));
        }
        for (int i = 0; i < 64; i++) {
            loop_disarm(&loop, &seen[(i * 37 + round) % 64].timer);
        }
        assert_int_equal(loop_armed_count(&loop), 0);
    }
    loop_close(&loop);
}

/* Time waits in turns: what is always due lets the world outside in between. */
static uint32_t waits;

static void count_wait(struct loop *loop, int64_t until_ns)
{
    loop->now_ns = until_ns;
    waits++;
}

static void close_nothing(struct loop *loop)
{
}

static void always_due(struct timer *timer)
{
    struct seen *seen = (struct seen *)timer;

    seen->times++;
    if (seen->times < 100) {
        loop_arm(seen->loop, timer, 0);
    }
}

static void due_timers_let_completions_in(void **state)
{
    static const struct loop_ops ops = {
        .name = "count", .wait = count_wait, .close = close_nothing};
    struct seen seen = {.timer.fire = always_due};
    struct loop loop;
    struct error err;

    waits = 0;
    assert_int_equal(loop_init(&loop, &ops, 4, &err), 0);
    seen.loop = &loop;
    loop_arm(&loop, &seen.timer, 0);
    loop_run(&loop, 1000);
    assert_int_equal(seen.times, 100);
    assert_true(waits >= 99);
    loop_close(&loop);
}

static void allocates_nothing_after_open(void **state)
{
    struct seen seen[64];
    struct loop loop;
    uint64_t before;

    loop_of(&loop, seen, 64);
    before = mem_allocations();
    for (int i = 0; i < 64; i++) {
        seen[i].again_ns = 1000ll << (i % 24);
        loop_arm(&loop, &seen[i].timer, i);
    }
    loop_run(&loop, 10000000);
    assert_int_equal(mem_allocations(), before);
    assert_true(loop_memory_bytes(60000) <= 60000 * 32 + 20000);
    loop_close(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_reference),
        cmocka_unit_test(fires_at_its_very_instant),
        cmocka_unit_test(ends_at_until),
        cmocka_unit_test(returns_when_there_is_nothing_to_wait_for),
        cmocka_unit_test(stops_after_the_current_event),
        cmocka_unit_test(ends_when_it_is_asked_to),
        cmocka_unit_test(disarming_frees_the_place),
        cmocka_unit_test(due_timers_let_completions_in),
        cmocka_unit_test(allocates_nothing_after_open),
    };
    return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
