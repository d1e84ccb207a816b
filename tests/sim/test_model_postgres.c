/* rooms: base trace io workload target. How postgres' heaps, images, background writer and log
 * behave: what a version does to its page, when a read changes one, what is written and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/target/model_postgres.h"
#include "../../src/target/model_writer.h"
#include "model_rig.h"

#define MS 1000000ll
enum { SECOND_MS = 1000, ROWS_A_PAGE = 37 };

/* Four tables of 10,000 rows a size: 271 heap pages each. */
static struct model *open_sbtest(struct rig *rig, uint32_t frames, uint32_t sessions)
{
    struct model_settings settings;

    rig_settings(&settings, MODEL_POSTGRES, false, 1, frames, sessions);
    rig_open(rig, &settings, 10000, NULL, NULL);
    return target_model_inside(rig->target);
}

static struct model *open_tpcc(struct rig *rig, const struct model_settings *settings)
{
    rig_open(rig, settings, 10000, NULL, NULL);
    rig->think_ns = 20e6;
    return target_model_inside(rig->target);
}

static void close_rig(struct rig *rig)
{
    for (uint32_t i = 0; i < rig->settings.sessions; i++) {
        postgres_end(target_model_inside(rig->target),
                     &target_model_inside(rig->target)->sessions[i]);
    }
    rig_close(rig);
}

/* ---- versions ----------------------------------------------------------------------------------
 */

static void test_a_full_page_sends_its_first_version_away_and_keeps_the_next(void **state)
{
    static struct rig rig;
    struct model *m = open_sbtest(&rig, 2000, 2);
    struct model_session *s = &m->sessions[0];
    uint32_t page = m->layout.index[IX_SBTEST].first;

    heap_update_row(m, s, IX_SBTEST, 0, 5, false);
    assert_true(s->flags & SESSION_MOVED);
    assert_int_equal(s->old, page);
    assert_true(s->tail >= m->layout.index[IX_SBTEST].grown_first);
    assert_int_equal(heap_row_page(m, IX_SBTEST, 5), s->tail);
    /* what a transaction leaves behind, it cannot use itself: statements of its own neither */
    s->flags &= (uint16_t)~SESSION_MOVED;
    heap_update_row(m, s, IX_SBTEST, 0, 6, false);
    assert_true(s->flags & SESSION_MOVED);
    postgres_end(m, s);
    /* the next to come prunes the page: two rows' room, for two other rows */
    for (uint32_t row = 7; row < 9; row++) {
        s->flags = 0;
        heap_update_row(m, s, IX_SBTEST, 0, row, false);
        assert_false(s->flags & SESSION_MOVED);
        assert_int_equal(heap_row_page(m, IX_SBTEST, row), page);
    }
    heap_update_row(m, s, IX_SBTEST, 0, 9, false);
    assert_true(s->flags & SESSION_MOVED);
    close_rig(&rig);
}

static void test_an_indexed_column_costs_an_entry_in_every_index_wherever_the_row_goes(void **state)
{
    static struct rig rig;
    struct model *m = open_sbtest(&rig, 2000, 2);
    struct model_session *s = &m->sessions[0];

    heap_update_row(m, s, IX_SBTEST, 0, 5, true);
    postgres_end(m, s);
    s->flags = 0;
    heap_update_row(m, s, IX_SBTEST, 0, 6, true);
    assert_true(s->flags & SESSION_MOVED); /* never heap-only, though there is room */
    assert_int_equal(s->tail, s->old);
    close_rig(&rig);
}

static void test_nothing_is_pruned_that_an_older_transaction_may_see(void **state)
{
    static struct rig rig;
    struct model *m = open_sbtest(&rig, 2000, 2);
    struct model_session *old = &m->sessions[0], *s = &m->sessions[1];
    uint32_t page = m->layout.index[IX_SBTEST].first;
    bool hint;

    heap_update_row(m, old, IX_SBTEST, 0, 1000, false); /* begins to run, elsewhere */
    heap_update_row(m, s, IX_SBTEST, 0, 5, false);
    postgres_end(m, s);
    assert_false(postgres_read(m, page, &hint));
    assert_int_equal(heap_row_before(m, IX_SBTEST, 5, ENTRY_KEY), page);
    heap_row_seen(m, IX_SBTEST, 5, ENTRY_KEY); /* not dead to all: not marked */
    assert_int_equal(heap_row_before(m, IX_SBTEST, 5, ENTRY_KEY), page);
    postgres_end(m, old);
    assert_true(postgres_read(m, page, &hint));
    assert_false(postgres_read(m, page, &hint)); /* once */
    heap_row_seen(m, IX_SBTEST, 5, ENTRY_KEY);
    assert_int_equal(heap_row_before(m, IX_SBTEST, 5, ENTRY_KEY), POOL_NO_PAGE);
    /* the other index has a dead entry of its own */
    assert_int_equal(heap_row_before(m, IX_SBTEST, 5, ENTRY_NAME), page);
    close_rig(&rig);
}

static void test_connections_insert_into_pages_of_their_own(void **state)
{
    static struct rig rig;
    struct model *m = open_sbtest(&rig, 2000, 2);
    uint32_t first, other, same;

    for (uint32_t i = 0; i < ROWS_A_PAGE; i++) {
        first = heap_insert(m, &m->sessions[0], IX_SBTEST, 0);
    }
    other = heap_insert(m, &m->sessions[1], IX_SBTEST, 0); /* the last page is full: a new one */
    assert_int_not_equal(other, first);
    same = heap_insert(m, &m->sessions[0], IX_SBTEST, 0);
    assert_int_not_equal(same, other); /* its own is full; of the other's room it does not know */
    assert_int_not_equal(heap_insert(m, &m->sessions[0], IX_SBTEST, 1), same);
    close_rig(&rig);
}

/* ---- images and hints --------------------------------------------------------------------------
 */

static void facts_of(const struct model_settings *settings, struct target_facts *ret)
{
    static struct rig rig;

    open_tpcc(&rig, settings);
    rig_run(&rig, 5 * SECOND_MS * MS);
    rig.target->ops->facts(rig.target, ret);
    assert_int_equal(rig_checks(&rig), 0);
    rig_close(&rig);
}

static void test_hint_bits_cost_images_only_with_checksums(void **state)
{
    struct model_settings settings;
    struct target_facts without, with, none;

    rig_settings(&settings, MODEL_POSTGRES, true, 1, 1500, 4);
    settings.checkpoint_ns = SECOND_MS * MS;
    facts_of(&settings, &without);
    settings.data_checksums = true;
    facts_of(&settings, &with);
    assert_true(without.page_images > 1000);
    assert_true(with.page_images > without.page_images + without.page_images / 200);
    settings.full_page_writes = false;
    settings.data_checksums = false;
    facts_of(&settings, &none);
    assert_int_equal(none.page_images + none.log_image_bytes, 0);
}

static void test_an_image_leaves_out_the_hole(void **state)
{
    static struct rig rig;
    struct model *m = open_sbtest(&rig, 2000, 1);
    uint32_t full = m->layout.index[IX_SBTEST].first, key = m->layout.index[IX_SBTEST_KEY].first;
    uint32_t added = heap_insert(m, &m->sessions[0], IX_SBTEST, 0);

    assert_in_range(postgres_image_bytes(m, IX_SBTEST, full), 8192 - 64, 8192);
    assert_in_range(postgres_image_bytes(m, IX_SBTEST_KEY, key), 7300, 7500); /* fillfactor 90 */
    assert_in_range(postgres_image_bytes(m, IX_SBTEST, added), 200, 300);     /* one row */
    close_rig(&rig);
}

static void test_a_file_grows_by_a_write_and_no_image(void **state)
{
    static struct rig rig;
    struct model_settings settings;
    struct target_facts facts;
    struct model *m;

    rig_settings(&settings, MODEL_POSTGRES, true, 1, 60000, 4); /* nothing is ever evicted */
    settings.checkpoint_ns = 0;
    m = open_tpcc(&rig, &settings);
    rig_run(&rig, 5 * SECOND_MS * MS);
    rig.target->ops->facts(rig.target, &facts);
    assert_true(facts.pages_created > 50);
    assert_int_equal(facts.written_by_victim, facts.pages_created);
    for (uint32_t page = m->layout.grown_first; page < m->layout.pages; page++) {
        if (bit_get(m->made, page - m->layout.grown_first)) {
            assert_true(bit_get(m->image_map, page));
        }
    }
    assert_int_equal(rig_checks(&rig), 0);
    rig_close(&rig);
}

/* Most of what Stock-Level reads was updated lately: readers change pages too (MODEL.md 0, 6). */
static void test_reads_prune(void **state)
{
    static struct rig rig;
    struct model_settings settings;
    struct model *m;
    double each;

    rig_settings(&settings, MODEL_POSTGRES, true, 1, 30000, 4);
    settings.tpcc.weights[TPCC_NEW_ORDER] = 1;
    settings.tpcc.weights[TPCC_PAYMENT] = settings.tpcc.weights[TPCC_ORDER_STATUS] = 0;
    settings.tpcc.weights[TPCC_DELIVERY] = settings.tpcc.weights[TPCC_STOCK_LEVEL] = 0;
    m = open_tpcc(&rig, &settings);
    rig_run(&rig, 2 * SECOND_MS * MS);
    each = (double)m->postgres->pruned / (double)rig.done;
    /* a first version of ten goes elsewhere, later ones stay: fewer of them as pages have room */
    assert_true(m->postgres->elsewhere[IX_STOCK] > 1000);
    assert_true(m->postgres->hot[IX_STOCK] > 50);
    rig_close(&rig);
    settings.tpcc.weights[TPCC_NEW_ORDER] = 0.9;
    settings.tpcc.weights[TPCC_STOCK_LEVEL] = 0.1;
    m = open_tpcc(&rig, &settings);
    rig_run(&rig, 2 * SECOND_MS * MS);
    assert_true((double)m->postgres->pruned > each * (double)rig.by_kind[TPCC_NEW_ORDER] * 1.1);
    rig_close(&rig);
}

/* ---- writers -----------------------------------------------------------------------------------
 */

/* Once everything has had its turn: without allocations the pool is gone round in two minutes. */
static void test_the_background_writer_goes_round_an_idle_pool_in_two_minutes(void **state)
{
    static struct rig rig;
    struct model_settings settings;
    struct model *m;
    uint32_t dirty = 0;

    /* 2,400 frames beside the catalogs' */
    rig_settings(&settings, MODEL_POSTGRES, false, 1, 2438, 1);
    settings.checkpoint_ns = 0;
    rig_open(&rig, &settings, 10000, NULL, NULL);
    m = target_model_inside(rig.target);
    rig_run(&rig, 2 * SECOND_MS * MS);
    for (uint32_t i = 0; i < m->pool.unused; i++) {
        m->pool.frames[i].stamp &= ~FRAME_STAMP; /* nobody used it lately */
    }
    dirty = m->pool.dirty;
    assert_true(dirty > 300);
    m->postgres->bgwriter = (struct bgwriter){0}; /* it has been round already */
    for (uint32_t i = 0; i < 700; i++) {
        bgwriter_round(m);
        loop_run(&rig.loop, rig.loop.now_ns + MS);
        assert_true(i != 100 || m->pool.dirty > dirty / 2);
    }
    assert_true(m->pool.dirty < dirty / 20);
    rig_close(&rig);
}

static void test_the_log_is_written_though_nobody_commits(void **state)
{
    static struct rig rig;
    struct model *m = open_sbtest(&rig, 2000, 1);

    heap_update_row(m, &m->sessions[0], IX_SBTEST, 0, 5, false);
    assert_true(m->log.durable < m->log.lsn);
    loop_run(&rig.loop, rig.loop.now_ns + 250 * MS); /* wal_writer_delay */
    assert_int_equal(m->log.durable, m->log.lsn);
    close_rig(&rig);
}

/* Whoever only reads has no transaction number: though he prunes, he does not wait for the log. */
static void test_readers_do_not_wait_for_the_log(void **state)
{
    static struct rig rig;
    struct model *m = open_sbtest(&rig, 2000, 1);
    struct op op = {.verb = OP_BEGIN, .statement = SYSBENCH_S_BEGIN};
    int64_t spent_ns[SPENT_KINDS] = {0};
    struct model_session *s = &m->sessions[0];

    heap_update_row(m, s, IX_SBTEST, 0, 5, false);
    postgres_end(m, s);
    s->flags = 0;
    m->warm = true; /* no page is waited for */
    assert_true(rig.target->ops->begin(rig.target, 0, &op));
    op = (struct op){.verb = OP_SELECT, .statement = SYSBENCH_S_POINT, .key = {0, 6}};
    op.spent_ns = spent_ns;
    assert_true(rig.target->ops->begin(rig.target, 0, &op));
    assert_int_equal(m->postgres->pruned, 1);
    assert_false(s->flags & SESSION_WROTE);
    m->warm = false;
    close_rig(&rig);
}

/* A server that was just started makes its first checkpoint after the whole interval. */
static void test_the_first_checkpoint_comes_after_its_interval(void **state)
{
    static struct rig rig;
    struct model_settings settings;
    struct model *m;

    rig_settings(&settings, MODEL_POSTGRES, false, 1, 2000, 2);
    settings.checkpoint_ns = 4 * SECOND_MS * MS;
    rig_open(&rig, &settings, 10000, NULL, NULL);
    rig.think_ns = 10e6;
    m = target_model_inside(rig.target);
    rig_run(&rig, 5000 * MS);
    assert_int_equal(m->writer->checkpoint.began_ns, settings.checkpoint_ns);
    rig_close(&rig);
}

/* Log of max_wal_size / 1.9 asks for a checkpoint, which is spread so that it ends in time. */
static void test_checkpoints_come_by_the_log_too_and_stay_below_its_size(void **state)
{
    static struct rig rig;
    struct model_settings settings;
    struct target_facts facts;
    struct model *m;

    rig_settings(&settings, MODEL_POSTGRES, true, 1, 3000, 4);
    settings.checkpoint_ns = 1000 * SECOND_MS * MS;
    settings.log_capacity_bytes = 32 << 20;
    m = open_tpcc(&rig, &settings);
    rig_run(&rig, 10 * SECOND_MS * MS);
    rig.target->ops->facts(rig.target, &facts);
    double wanted = (double)m->log.is.limit_bytes / 1.9;
    double began = (double)m->log.lsn / wanted;

    assert_true(facts.checkpoints > 2);
    assert_true((double)facts.checkpoints > began - 2 && (double)facts.checkpoints <= began);
    assert_int_equal(facts.checkpoint_stalls, 0);
    assert_int_equal(rig_checks(&rig), 0);
    rig_close(&rig);
}

/* Pages that the operating system holds are read without the drive; the pool counts them alike. */
static void count_read(void *context, const struct io *io)
{
    *(uint64_t *)context += io->verb == IO_READ;
}

static struct drive *counted(struct drive *drive, void *context)
{
    struct error err;

    return drive_tap_open(drive, count_read, context, &err);
}

static void test_the_cache_of_the_operating_system_answers_reads(void **state)
{
    static const uint64_t sizes[] = {0, 2000ull * 8192, 1 << 30};
    static struct rig rig;
    struct model_settings settings;
    uint64_t reads[3] = {0}, asked[3] = {0};

    for (uint32_t i = 0; i < 3; i++) {
        rig_settings(&settings, MODEL_POSTGRES, true, 1, 1000, 4);
        settings.os_cache_bytes = sizes[i];
        rig_open(&rig, &settings, 10000, counted, &asked[i]);
        rig.think_ns = 20e6;
        rig_run(&rig, 10 * SECOND_MS * MS);
        reads[i] = target_model_inside(rig.target)->facts.page_reads;
        assert_int_equal(rig_checks(&rig), 0);
        rig_close(&rig);
    }
    assert_int_equal(asked[0], reads[0]);
    assert_true(asked[1] < reads[1] * 9 / 10);
    assert_true(asked[2] < asked[1] && reads[2] > reads[0] * 9 / 10);
    assert_true(asked[2] < reads[2] * 7 / 10); /* each page once */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_full_page_sends_its_first_version_away_and_keeps_the_next),
        cmocka_unit_test(
            test_an_indexed_column_costs_an_entry_in_every_index_wherever_the_row_goes),
        cmocka_unit_test(test_nothing_is_pruned_that_an_older_transaction_may_see),
        cmocka_unit_test(test_connections_insert_into_pages_of_their_own),
        cmocka_unit_test(test_hint_bits_cost_images_only_with_checksums),
        cmocka_unit_test(test_an_image_leaves_out_the_hole),
        cmocka_unit_test(test_a_file_grows_by_a_write_and_no_image),
        cmocka_unit_test(test_reads_prune),
        cmocka_unit_test(test_the_background_writer_goes_round_an_idle_pool_in_two_minutes),
        cmocka_unit_test(test_the_log_is_written_though_nobody_commits),
        cmocka_unit_test(test_readers_do_not_wait_for_the_log),
        cmocka_unit_test(test_the_first_checkpoint_comes_after_its_interval),
        cmocka_unit_test(test_checkpoints_come_by_the_log_too_and_stay_below_its_size),
        cmocka_unit_test(test_the_cache_of_the_operating_system_answers_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
