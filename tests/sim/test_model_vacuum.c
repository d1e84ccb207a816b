/* rooms: base trace io workload target. Autovacuum of the postgres model: when it comes, what it
 * gives back, how fast it goes, and how little of the pool it takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../src/target/model_postgres.h"
#include "model_rig.h"

#define SECOND 1000000000ll
enum { TABLES = 4, THRESHOLD = 50 + 10000 / 5 };

static struct model *open_sbtest(struct rig *rig, uint32_t frames, bool autovacuum)
{
    struct model_settings settings;

    rig_settings(&settings, MODEL_POSTGRES, false, 1, frames, 4);
    settings.autovacuum = autovacuum;
    rig_open(rig, &settings, 10000, NULL, NULL);
    rig->think_ns = 20e6;
    return target_model_inside(rig->target);
}

/* Files that grow for ever under updates, as without it, would fill a user's drive. */
static void test_what_is_vacuumed_is_used_again(void **state)
{
    static struct rig rig;
    uint32_t grown[2];

    for (uint32_t on = 0; on < 2; on++) {
        struct model *m = open_sbtest(&rig, 3000, on != 0);

        rig_run(&rig, 190 * SECOND);
        grown[on] = m->grown[IX_SBTEST];
        /* after one, two and three minutes */
        assert_int_equal(m->postgres->vacuums, on ? 3 * TABLES : 0);
        assert_int_equal(rig_checks(&rig), 0);
        rig_close(&rig);
    }
    assert_true(grown[1] < grown[0] * 3 / 4);
}

static void test_it_comes_when_a_fifth_is_dead(void **state)
{
    static struct rig rig;
    struct model *m = open_sbtest(&rig, 3000, true);
    struct model_session *s = &m->sessions[0];

    rig.until_ns = 0; /* nobody but us */
    for (uint32_t i = 0; i < THRESHOLD; i++) {
        heap_delete(m, s, IX_SBTEST, 1, m->layout.index[IX_SBTEST].first);
    }
    postgres_end(m, s);
    s->flags = 0;
    loop_run(&rig.loop, rig.loop.now_ns + 61 * SECOND);
    assert_int_equal(m->postgres->vacuums, 0);
    heap_delete(m, s, IX_SBTEST, 1, m->layout.index[IX_SBTEST].first);
    postgres_end(m, s);
    s->flags = 0;
    loop_run(&rig.loop, rig.loop.now_ns + 61 * SECOND);
    assert_int_equal(m->postgres->vacuums, 1);
    rig_close(&rig);
}

/* Unpaced it would take the drive from the users; without its ring, the pool. */
static void test_it_is_paced_and_keeps_to_its_ring(void **state)
{
    static struct rig rig;
    struct model *m = open_sbtest(&rig, 3000, true);
    const struct model_index *heap = &m->layout.index[IX_SBTEST];
    struct model_session *s = &m->sessions[0];
    uint32_t pages = heap->leaves / TABLES;
    int64_t began;

    for (uint32_t i = 0; i < 10 * pages; i++) {
        heap_delete(m, s, IX_SBTEST, 0, heap->first + i % pages);
    }
    postgres_end(m, s);
    s->flags = 0;
    began = 60 * SECOND;
    loop_run(&rig.loop, began + SECOND / 1000);
    assert_in_range(m->postgres->vacuum_pages, 5, 200 / 22 + 2);
    /* a page that is read and made dirty costs 22 of 200 a rest of 2 ms */
    loop_run(&rig.loop, began + SECOND / 20);
    assert_in_range(m->postgres->vacuum_pages, 160, 25 * 10);
    assert_in_range(m->pool.count - m->pool.free_count, 1, 32 + 10);
    loop_run(&rig.loop, began + 5 * SECOND);
    /* heap, both indexes, and heap once more */
    assert_true(m->postgres->vacuum_pages > 2 * pages + 20);
    for (uint32_t page = heap->first; page < heap->first + pages; page++) {
        assert_int_equal(m->postgres->pages[page].dead, 0);
    }
    assert_int_equal(rig_checks(&rig), 0);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_vacuumed_is_used_again),
        cmocka_unit_test(test_it_comes_when_a_fifth_is_dead),
        cmocka_unit_test(test_it_is_paced_and_keeps_to_its_ring),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
