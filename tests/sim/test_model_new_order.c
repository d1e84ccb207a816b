/* rooms: base trace io workload target */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../src/target/model_tpcc.h"
#include "model_rig.h"

#define SECOND_NS 1000000000ll

static struct rig rig;

static struct model *open_tables(enum model_profile_kind profile, uint32_t warehouses, bool own)
{
    struct model_settings settings;

    rig_settings(&settings, profile, true, warehouses, 20000, 8);
    settings.tables_own = own;
    settings.tpcc.deck = true;
    rig_open(&rig, &settings, 100000, NULL, NULL);
    return target_model_inside(rig.target);
}

/* A district whose first row lies in the leaf where the one before it ends. */
static uint32_t shared_leaf(const struct model_new_order *queue)
{
    for (uint32_t d = 1; d < queue->districts; d++) {
        uint32_t leaf = queue->ends[d].head;

        if (queue->ends[d - 1].tail == leaf && queue->leaves[leaf].rows == queue->kept &&
            queue->leaves[leaf].district < d && queue->ends[d].tail != leaf) {
            return d;
        }
    }
    fail();
    return 0;
}

/* What a leaf's rows are by the districts' ends, and where their ends are said to lie. */
static void assert_chain(const struct model_new_order *queue)
{
    uint64_t rows = 0, said = 0;
    uint32_t leaf = queue->ends[0].head;

    while (queue->leaves[leaf].prev != UINT32_MAX) {
        leaf = queue->leaves[leaf].prev;
    }
    for (uint32_t next = leaf; next != UINT32_MAX; next = queue->leaves[next].next) {
        assert_true(queue->leaves[next].rows <= queue->full);
        rows += queue->leaves[next].rows;
        leaf = next;
    }
    for (uint32_t d = 0; d < queue->districts; d++) {
        const struct new_order_ends *ends = &queue->ends[d];
        const struct new_order_leaf *head = &queue->leaves[ends->head];

        said += ends->end - ends->oldest;
        assert_true(head->district < d || (head->district == d && head->order <= ends->oldest));
        assert_true(head->next == UINT32_MAX || queue->leaves[head->next].district > d ||
                    (queue->leaves[head->next].district == d &&
                     queue->leaves[head->next].order > ends->oldest));
        assert_true(queue->leaves[ends->tail].next == UINT32_MAX ||
                    queue->leaves[queue->leaves[ends->tail].next].district > d);
    }
    assert_int_equal(rows, said);
}

/* The load left it just as full as inserts in order leave a leaf. */
static void test_a_leaf_of_two_districts_is_split_and_merged_by_turns(void **state)
{
    struct model *m = open_tables(MODEL_INNODB, 2, true);
    struct model_new_order *queue = &m->tpcc->new_order;
    struct model_session s = {0};
    uint32_t d = shared_leaf(queue);
    uint64_t before;

    (void)state;
    for (uint32_t turn = 1; turn <= 5; turn++) {
        new_order_insert(m, &s, d - 1);
        assert_int_equal(queue->splits, turn - 1); /* not behind another insert: it may fill up */
        before = m->log.lsn;
        new_order_insert(m, &s, d - 1);
        assert_int_equal(queue->splits, turn);
        assert_true(s.split != POOL_NO_PAGE && s.right != POOL_NO_PAGE);
        assert_true(m->log.lsn > before);
        for (uint32_t i = 0; i < 2; i++) {
            new_order_purge(m, &s, d, queue->ends[d].oldest + 1);
        }
        assert_int_equal(queue->merges, turn);
        assert_chain(queue);
    }
    rig_close(&rig);
}

/* A leaf from which more is delivered than comes to it has room for what comes. */
static void test_a_leaf_with_room_stays_whole(void **state)
{
    struct model *m = open_tables(MODEL_INNODB, 2, true);
    struct model_new_order *queue = &m->tpcc->new_order;
    struct model_session s = {0};
    uint32_t d = shared_leaf(queue);

    (void)state;
    new_order_purge(m, &s, d, queue->ends[d].oldest + 20);
    for (uint32_t i = 0; i < 20; i++) {
        new_order_insert(m, &s, d - 1);
    }
    assert_int_equal(queue->splits, 0);
    new_order_insert(m, &s, d - 1);
    assert_int_equal(queue->splits, 1);
    rig_close(&rig);
}

static void test_what_is_rolled_back_leaves_the_rows_as_they_were(void **state)
{
    struct model *m = open_tables(MODEL_INNODB, 2, true);
    struct model_new_order *queue = &m->tpcc->new_order;
    struct model_session s = {0};

    (void)state;
    for (uint32_t d = 0; d < queue->districts; d++) {
        struct new_order_ends was = queue->ends[d];

        new_order_insert(m, &s, d);
        new_order_withdraw(m, d);
        new_order_purge(m, &s, d, was.oldest + 1);
        new_order_return(m, d, was.oldest);
        assert_int_equal(queue->ends[d].oldest, was.oldest);
        assert_int_equal(queue->ends[d].end, was.end);
        assert_chain(queue);
    }
    rig_close(&rig);
}

/* Rows come and go until no leaf is one of the load, and until districts are empty. */
static void random_work(bool own, uint32_t every)
{
    struct model *m = open_tables(MODEL_INNODB, 2, own);
    struct model_new_order *queue = &m->tpcc->new_order;
    struct model_session s = {0};
    struct rng rng;

    rng_init(&rng, 7, 1);
    for (uint32_t i = 0; i < 60000; i++) {
        uint32_t d = (uint32_t)(rng_u64(&rng) % queue->districts);

        if (i % every == 0) {
            new_order_insert(m, &s, d);
        } else if (queue->ends[d].oldest < queue->ends[d].end) {
            new_order_purge(m, &s, d, queue->ends[d].oldest + 1);
        }
        if (i % 500 == 0) {
            assert_chain(queue);
        }
    }
    assert_chain(queue);
    assert_true(queue->splits > 0 && queue->merges > 0);
    rig_close(&rig);
}

static void test_no_row_is_lost(void **state)
{
    (void)state;
    random_work(true, 2);
    random_work(false, 2);
    random_work(true, 3); /* more go than come: it runs empty */
}

/* MariaDB 10.11 at W = 10, 20 to 60 s after the load: 0.04 to 0.07 merges a transaction. */
static void test_about_as_many_merges_as_a_server_counts(void **state)
{
    struct model *m = open_tables(MODEL_INNODB, 10, true);
    struct model_new_order *queue = &m->tpcc->new_order;
    double each;

    (void)state;
    rig.think_ns = 50e6;
    rig_run(&rig, 60 * SECOND_NS);
    assert_int_equal(rig_checks(&rig), 0);
    assert_chain(queue);
    each = (double)queue->merges / (double)rig.done;
    print_message("%.4f merges, %.4f splits of %llu\n", each,
                  (double)queue->splits / (double)rig.done, (unsigned long long)rig.done);
    assert_true(each > 0.03 && each < 0.09);
    rig_close(&rig);
}

/* Of pages of 4 KiB no leaves were measured: there are as many, of which none is a giant. */
static void test_rows_are_spread_over_leaves_of_any_size(void **state)
{
    struct model_settings settings;
    const struct model_new_order *queue;

    (void)state;
    rig_settings(&settings, MODEL_INNODB, true, 4, 20000, 8);
    for (settings.page_bytes = 4096; settings.page_bytes <= 65536; settings.page_bytes *= 2) {
        rig_open(&rig, &settings, 100000, NULL, NULL);
        queue = &target_model_inside(rig.target)->tpcc->new_order;
        assert_chain(queue);
        rig_close(&rig);
    }
}

static void test_other_databases_have_none(void **state)
{
    (void)state;
    assert_null(open_tables(MODEL_SQLSERVER, 2, false)->tpcc->new_order.leaves);
    rig_close(&rig);
    assert_null(open_tables(MODEL_POSTGRES, 2, false)->tpcc->new_order.leaves);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_leaf_of_two_districts_is_split_and_merged_by_turns),
        cmocka_unit_test(test_a_leaf_with_room_stays_whole),
        cmocka_unit_test(test_what_is_rolled_back_leaves_the_rows_as_they_were),
        cmocka_unit_test(test_no_row_is_lost),
        cmocka_unit_test(test_about_as_many_merges_as_a_server_counts),
        cmocka_unit_test(test_rows_are_spread_over_leaves_of_any_size),
        cmocka_unit_test(test_other_databases_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
