/* rooms: base trace io workload target */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../src/target/model_random.h"
#include "../../src/target/model_writer.h"
#include "model_rig.h"

#define SECOND_NS 1000000000ll

/* ---- leaves that were full ---------------------------------------------------------------------
 */

static struct rig rig;

static struct model_random *full_index(uint32_t *ret_capacity)
{
    struct model_settings settings;
    struct model *m;

    rig_settings(&settings, MODEL_INNODB, false, 4, 4000, 1);
    settings.k_fill_pristine = true;
    rig_open(&rig, &settings, 1000, NULL, NULL);
    rig.target->ops->warm(rig.target, true); /* what is removed is purged at once */
    m = target_model_inside(rig.target);
    *ret_capacity = m->layout.index[IX_SBTEST_K].capacity;
    return sysbench_k(m);
}

/* Take `gone` entries from the leaf that holds rank 0, put one in; how often that splits it. */
static uint64_t splits_after(uint32_t gone)
{
    uint32_t capacity;
    struct model_random *k = full_index(&capacity);
    struct model *m = target_model_inside(rig.target);
    struct model_session session = {0};
    uint64_t before = m->facts.leaf_splits;

    assert_true(gone < capacity / 2);
    for (uint32_t i = 0; i < gone; i++) {
        random_remove(k, m, &session, 0, 0);
    }
    random_insert(k, m, &session, 0, 0);
    before = m->facts.leaf_splits - before;
    rig_close(&rig);
    return before;
}

/* Room that removed entries left counts from a 32nd of the page on, 38 entries of 13 bytes. */
static void test_a_leaf_with_a_few_gaps_splits_as_a_full_one(void **state)
{
    (void)state;
    assert_int_equal(splits_after(0), 1);
    assert_int_equal(splits_after(1), 1);
    assert_int_equal(splits_after(30), 1);
    assert_int_equal(splits_after(50), 0);
}

/* ---- neighbours --------------------------------------------------------------------------------
 */

static double writes_of(bool neighbors)
{
    struct model_settings settings;
    struct target_facts facts;
    double writes;

    rig_settings(&settings, MODEL_INNODB, false, 4, 1500, 8);
    settings.sysbench.rand_type = DIST_SPECIAL;
    settings.flush_neighbors = neighbors;
    settings.lru_scan_depth = 200;
    settings.log_capacity_bytes = 4 << 20;
    rig_open(&rig, &settings, 100000, NULL, NULL);
    rig_run(&rig, 5 * SECOND_NS);
    assert_int_equal(rig_checks(&rig), 0);
    rig.target->ops->facts(rig.target, &facts);
    writes = (double)facts.pages_written / (double)rig.done;
    rig_close(&rig);
    return writes;
}

/* Rows that are hot lie side by side: pages are written before they would have to be. */
static void test_neighbours_are_written_too(void **state)
{
    double alone = writes_of(false), together = writes_of(true);

    (void)state;
    assert_true(alone > 0);
    assert_true(together > 1.05 * alone);
}

/* ---- the cleaner -------------------------------------------------------------------------------
 */

/* Pages written from the flush list in a minute in which the log's age passes a tenth. */
static uint64_t written_from_list(uint32_t frames, double think_ns)
{
    struct model_settings settings;
    struct target_facts facts;

    rig_settings(&settings, MODEL_INNODB, false, 4, frames, 8);
    settings.sysbench.tables = 1;
    settings.lru_scan_depth = 400;
    settings.log_capacity_bytes = 2 << 20;
    rig_open(&rig, &settings, 100000, NULL, NULL);
    rig.think_ns = think_ns;
    rig_run(&rig, 60 * SECOND_NS);
    assert_int_equal(rig_checks(&rig), 0);
    rig.target->ops->facts(rig.target, &facts);
    rig_close(&rig);
    return facts.written_by_checkpoint;
}

/*
 * MariaDB's cleaner: as long as there are frames nothing wakes it. Where they run short now and
 * then, the second after that is one in which it writes from the flush list too.
 */
static void test_the_cleaner_sleeps_until_frames_run_short(void **state)
{
    (void)state;
    assert_int_equal(written_from_list(4000, 1e9), 0);
    assert_true(written_from_list(700, 1e9) > 66);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_leaf_with_a_few_gaps_splits_as_a_full_one),
        cmocka_unit_test(test_neighbours_are_written_too),
        cmocka_unit_test(test_the_cleaner_sleeps_until_frames_run_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
