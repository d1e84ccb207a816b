/* rooms: base workload target io trace */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/target/model_layout.h"
#include "../../src/target/model_tuples.h"

static void settings_of(struct model_settings *settings, enum model_profile_kind profile,
                        bool is_tpcc)
{
    model_defaults(settings, profile, is_tpcc);
    settings->tpcc.warehouses = 1500;
    sysbench_defaults(&settings->sysbench);
    settings->sysbench.tables = 100;
    settings->sysbench.rows = 10000000;
    settings->sessions = 100;
}

static double database_gb(enum model_profile_kind profile, bool is_tpcc, bool full)
{
    struct model_settings settings;
    struct model_footprint print;
    struct error err;

    settings_of(&settings, profile, is_tpcc);
    settings.index_full = full;
    assert_int_equal(model_footprint(&settings, &print, &err), 0);
    return (double)print.database_bytes / 1e9;
}

static void assert_about(double found, double expected)
{
    if (fabs(found - expected) > expected * 0.01) {
        fail_msg("%.1f GB, not %.1f", found, expected);
    }
}

/* The labs' databases: MODEL.md 3.3. */
static void test_databases_are_as_large_as_the_labs_say(void **state)
{
    assert_about(database_gb(MODEL_SQLSERVER, true, false), 329.6);
    assert_about(database_gb(MODEL_INNODB, true, false), 121.5);
    assert_about(database_gb(MODEL_POSTGRES, true, false), 152.6);
    assert_about(database_gb(MODEL_INNODB, false, false), 238);
    assert_about(database_gb(MODEL_POSTGRES, false, false), 265);
    assert_true(database_gb(MODEL_INNODB, true, true) > 121.5 + 15);
}

struct counted {
    enum index_id id;
    uint32_t leaves;
};

static void assert_counted(const struct model_settings *settings, const struct counted *counted,
                           uint32_t count)
{
    struct model_layout layout;
    struct error err;

    assert_int_equal(layout_open(&layout, settings, true, &err), 0);
    for (uint32_t i = 0; i < count; i++) {
        double found = layout.index[counted[i].id].leaves;

        if (fabs(found - counted[i].leaves) > 0.01 * counted[i].leaves) {
            fail_msg("%s: %.0f leaves, not %u", layout.index[counted[i].id].name, found,
                     counted[i].leaves);
        }
    }
}

/*
 * Leaves that MariaDB 10.11.19 had after `rawtps load tpcc-mariadb -w 10` (n_leaf_pages of
 * mysql.innodb_index_stats). A column that is made wider changes them, and the reads of a run.
 */
static void test_tables_of_ours_have_the_leaves_that_a_server_counts(void **state)
{
    static const struct counted counted[] = {
        {IX_CUSTOMER, 11515},      {IX_CUSTOMER_NAME, 823},
        {IX_HISTORY, 1433},        {IX_ITEM, 591},
        {IX_NEW_ORDERS, 181},      {IX_ORDERS, 935},
        {IX_ORDERS_CUSTOMER, 416}, {IX_STOCK, 21705},
        {IX_ORDER_LINE, 15007},
    };
    struct model_settings settings;

    settings_of(&settings, MODEL_INNODB, true);
    settings.tpcc.warehouses = 10;
    settings.tables_own = settings.k_fill_pristine = true;
    assert_counted(&settings, counted, sizeof(counted) / sizeof(counted[0]));
}

/* The same of PostgreSQL 15: pages of heaps (relpages), leaves of indexes (pgstatindex). */
static void test_heaps_of_ours_have_the_pages_that_a_server_counts(void **state)
{
    static const struct counted ten[] = {
        {IX_CUSTOMER, 22623},
        {IX_HISTORY, 3239},
        {IX_ORDERS, 2206},
        {IX_NEW_ORDERS, 488},
        {IX_ORDER_LINE, 34987},
        {IX_STOCK, 43483},
        {IX_ITEM, 1300},
        {IX_CUSTOMER_NAME, 2028},
        {IX_ORDERS_CUSTOMER, 1150},
        {IX_LINE_STOCK, 5310},
        {IX_STOCK_ITEM, 1150},
        {IX_HISTORY_CUSTOMER, 1150},
        {IX_HISTORY_DISTRICT, 256},
        {IX_CUSTOMER_KEY, 1150},
        {IX_ORDERS_KEY, 1150},
        {IX_NEW_ORDERS_KEY, 345},
        {IX_ORDER_LINE_KEY, 11499},
        {IX_STOCK_KEY, 2733},
        {IX_ITEM_KEY, 274},
    };
    static const struct counted two[] = {
        {IX_CUSTOMER, 4527},  {IX_ORDER_LINE, 7007}, {IX_STOCK, 8697},
        {IX_STOCK_ITEM, 493}, {IX_LINE_STOCK, 1063},
    };
    struct model_settings settings;

    settings_of(&settings, MODEL_POSTGRES, true);
    settings.tables_own = settings.k_fill_pristine = settings.index_full = true;
    settings.tpcc.warehouses = 10;
    assert_counted(&settings, ten, sizeof(ten) / sizeof(ten[0]));
    settings.tpcc.warehouses = 2;
    assert_counted(&settings, two, sizeof(two) / sizeof(two[0]));
}

/* One row a key, and lists of up to 132: as many leaves as CREATE INDEX made of 300,000 rows. */
static void test_equal_keys_are_stored_once(void **state)
{
    static const uint32_t leaves[][2] = {{1, 820},   {2, 739},   {50, 261},  {100, 250}, {120, 250},
                                         {132, 253}, {133, 251}, {200, 250}, {1500, 267}};
    struct model_settings settings;

    settings_of(&settings, MODEL_POSTGRES, true);
    settings.tables_own = settings.k_fill_pristine = settings.index_full = true;
    for (uint32_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
        struct tuples_page page;

        settings.tpcc.warehouses = leaves[i][0];
        page = tuples_own_page(&settings, IX_STOCK_ITEM);
        if (fabs(300000 / page.loaded - leaves[i][1]) > 1.5) {
            fail_msg("%u rows a key: %.1f leaves, not %u", leaves[i][0], 300000 / page.loaded,
                     leaves[i][1]);
        }
    }
}

/* A k that was drawn uniformly, and one by Sysbench's default: 500,000 rows had 1,199 and 617. */
static void test_k_is_as_it_was_drawn(void **state)
{
    static const struct counted uniform[] = {
        {IX_SBTEST, 13514}, {IX_SBTEST_K, 1199}, {IX_SBTEST_KEY, 1367}};
    struct model_settings settings;
    struct model_layout layout;
    struct error err;

    settings_of(&settings, MODEL_POSTGRES, false);
    settings.sysbench.tables = 1;
    settings.sysbench.rows = 500000;
    settings.sysbench.rand_type = DIST_UNIFORM;
    settings.k_fill_pristine = true;
    assert_counted(&settings, uniform, 3);
    settings.k_loaded_special = true;
    assert_int_equal(layout_open(&layout, &settings, true, &err), 0);
    assert_in_range(layout.index[IX_SBTEST_K].leaves, 617, 632);
}

/* Orders that are not delivered have no dates, but a map of what is NULL: fewer lines a page. */
static void test_new_lines_are_longer_than_old_ones(void **state)
{
    struct model_settings settings;
    struct model_layout layout;
    struct heap_shape shape;
    struct error err;

    settings_of(&settings, MODEL_POSTGRES, true);
    settings.tables_own = true;
    assert_int_equal(layout_open(&layout, &settings, true, &err), 0);
    assert_int_equal(layout.index[IX_ORDER_LINE].tail_rows, 81); /* 8,168 / (96 + 4) */
    assert_in_range(layout.index[IX_ORDER_LINE].capacity, 85, 86);
    shape = tuples_heap(&settings, IX_ORDER_LINE);
    assert_int_equal(shape.bytes, 96);
    assert_int_equal(shape.updated, 96);
    settings.tables_own = false;
    shape = tuples_heap(&settings, IX_ORDER_LINE);
    assert_int_equal(shape.bytes, 88);
    assert_int_equal(shape.insert_more, 0);
}

/* An index that was made when the rows were there splits at every leaf: it needs as many more. */
static void test_full_leaves_have_room_to_split(void **state)
{
    struct model_settings settings;
    struct model_layout full, settled;
    struct error err;

    settings_of(&settings, MODEL_INNODB, true);
    settings.tables_own = settings.index_full = true;
    assert_int_equal(layout_open(&settled, &settings, true, &err), 0);
    settings.k_fill_pristine = true;
    settings.growth_bytes = 0;
    assert_int_equal(layout_open(&full, &settings, true, &err), 0);
    for (uint32_t id = IX_ORDERS_CUSTOMER; id <= IX_HISTORY_CUSTOMER; id++) {
        if (id != IX_STOCK_ITEM) {
            assert_true(full.index[id].reserve > full.index[id].leaves);
            assert_true(full.index[id].leaves < 0.7 * settled.index[id].leaves);
        }
    }
}

static void layout_of(struct model_layout *layout, enum model_profile_kind profile, bool is_tpcc)
{
    struct model_settings settings;
    struct error err;

    settings_of(&settings, profile, is_tpcc);
    settings.tpcc.warehouses = 3;
    settings.sysbench.rows = 100000;
    settings.index_full = true;
    assert_int_equal(layout_open(layout, &settings, true, &err), 0);
}

/* Two tables on one page would share its fate. */
static void test_every_page_belongs_to_one_index(void **state)
{
    for (uint32_t i = 0; i < 2 * MODEL_PROFILES; i++) {
        struct model_layout layout;
        uint64_t count = 0;
        bool level1;

        layout_of(&layout, (enum model_profile_kind)(i / 2), i % 2);
        for (uint32_t page = 0; page < layout.pages; page++) {
            assert_int_not_equal(layout_owner(&layout, page, &level1), INDEXES);
        }
        for (uint32_t id = 0; id < INDEXES; id++) {
            count += layout.index[id].leaves + layout.index[id].reserve;
        }
        count += layout.level1_end - layout.level1_first;
        assert_int_equal(count, layout.pages);
    }
}

static void test_rows_lie_in_key_order_and_fill_all_leaves(void **state)
{
    struct model_layout layout;

    layout_of(&layout, MODEL_INNODB, true);
    for (uint32_t id = 0; id < IX_SBTEST; id++) {
        const struct model_index *index = &layout.index[id];
        uint32_t before = index->first;

        if (index->leaves == 0) {
            continue;
        }
        assert_int_equal(index_leaf(index, 0), index->first);
        for (uint64_t rank = 0; rank < index->rows; rank++) {
            uint32_t page = index_leaf(index, rank);

            assert_true(page == before || page == before + 1);
            before = page;
        }
        assert_int_equal(before, index->first + index->leaves - 1);
    }
}

/* Every leaf has one parent, and the parents of an index are its own. */
static void test_parents_are_level1_pages_of_the_index(void **state)
{
    struct model_layout layout;
    const struct model_index *stock;
    bool level1;

    layout_of(&layout, MODEL_SQLSERVER, true);
    stock = &layout.index[IX_ORDER_LINE];
    assert_true(stock->level1_first > 0);
    for (uint32_t i = 0; i < stock->leaves + stock->reserve; i++) {
        uint32_t page =
            i < stock->leaves ? stock->first + i : stock->grown_first + i - stock->leaves;

        assert_int_equal(layout_owner(&layout, index_parent(stock, page), &level1), IX_ORDER_LINE);
        assert_true(level1);
    }
}

static void test_regions_do_not_overlap(void **state)
{
    struct model_layout layout;

    layout_of(&layout, MODEL_INNODB, true);
    assert_true(layout.log_offset >= layout.superblock_bytes);
    assert_true(layout.doublewrite_offset >= layout.log_offset + layout.log_bytes);
    assert_true(layout.data_offset >= layout.doublewrite_offset + layout.doublewrite_bytes);
    assert_int_equal(layout.data_offset % layout.page_bytes, 0);
    assert_int_equal(layout.log_offset % layout.page_bytes, 0);
}

static void test_what_cannot_be_laid_out_is_refused(void **state)
{
    struct model_settings settings;
    struct model_footprint print;
    struct error err;

    settings_of(&settings, MODEL_SQLSERVER, true);
    settings.tpcc.warehouses = 0;
    assert_true(model_footprint(&settings, &print, &err) < 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    settings_of(&settings, MODEL_SQLSERVER, true);
    settings.tpcc.warehouses = 2000000000;
    assert_true(model_footprint(&settings, &print, &err) < 0);
    settings_of(&settings, MODEL_SQLSERVER, true);
    settings.leaf_fill = 0;
    assert_true(model_footprint(&settings, &print, &err) < 0);
    settings_of(&settings, MODEL_INNODB, true);
    settings.page_bytes = 10000;
    assert_true(model_footprint(&settings, &print, &err) < 0);
    settings_of(&settings, MODEL_INNODB, true);
    settings.log_capacity_bytes = 100;
    assert_true(model_footprint(&settings, &print, &err) < 0);
    settings_of(&settings, MODEL_INNODB, true);
    settings.buffer_bytes = 16384;
    assert_true(model_footprint(&settings, &print, &err) < 0);
}

/* Full scale, four VMs: MODEL and users in 2.5 GiB. */
static void test_full_scale_fits_in_memory(void **state)
{
    struct model_settings settings;
    struct model_footprint print;
    struct error err;

    settings_of(&settings, MODEL_SQLSERVER, true);
    settings.sessions = 15000;
    settings.growth_bytes = 16ull << 30;
    assert_int_equal(model_footprint(&settings, &print, &err), 0);
    assert_int_equal(print.frames, 6291456);
    assert_true(4 * print.memory_bytes + 4 * 15000 * 416 < (5ull << 30) / 2 * 9 / 10);
    assert_true(target_model_session_bytes() <= 96);
    assert_true(target_model_frame_bytes() <= 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_databases_are_as_large_as_the_labs_say),
        cmocka_unit_test(test_tables_of_ours_have_the_leaves_that_a_server_counts),
        cmocka_unit_test(test_heaps_of_ours_have_the_pages_that_a_server_counts),
        cmocka_unit_test(test_equal_keys_are_stored_once),
        cmocka_unit_test(test_k_is_as_it_was_drawn),
        cmocka_unit_test(test_new_lines_are_longer_than_old_ones),
        cmocka_unit_test(test_full_leaves_have_room_to_split),
        cmocka_unit_test(test_every_page_belongs_to_one_index),
        cmocka_unit_test(test_rows_lie_in_key_order_and_fill_all_leaves),
        cmocka_unit_test(test_parents_are_level1_pages_of_the_index),
        cmocka_unit_test(test_regions_do_not_overlap),
        cmocka_unit_test(test_what_cannot_be_laid_out_is_refused),
        cmocka_unit_test(test_full_scale_fits_in_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
