#include "model_layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "base/units.h"
#include "model_tuples.h"

enum { SUPERBLOCK_LEAST = 4096, DOUBLEWRITE_PAGES = 128 };
enum { SYSTEM_PAGES = ROLLBACK_PAGES + HEADER_PAGES * HEADER_TABLES };
/* of a page: headers, trailer, special space (MODEL.md 3.1) */
enum { SQLSERVER_PAYLOAD = 8192 - 96 };
/*
 * innodb: headers, the two records that bound a page, trailer (page0page.h); a directory slot takes
 * 2 bytes for at least four records. Rows that come in the order of a clustered index leave a
 * sixteenth of each leaf free (btr_cur_optimistic_insert, dict_index_get_space_reserve), CREATE
 * INDEX leaves nothing (innodb_fill_factor 100).
 */
enum { INNODB_ENDS = 132, INNODB_RESERVE = 16 };
#define INNODB_SLOT   0.5
#define INNODB_RANDOM 0.69 /* of what a leaf holds that was filled at random (3.1) */
#define POSTGRES_FILL 0.9  /* of one that CREATE INDEX made: its fillfactor by default */

/*
 * Rows per warehouse, and how many a leaf holds as loaded: innodb and postgres as measured after
 * loading in key order (MODEL.md 3.2, 3.3, pages at W = 1,500), sqlserver from the bytes of a row
 * with one byte a character and with two (3.2). growth: rows added per 100 New-Orders, 100
 * Payments beside them. own: bytes of a record in the tables that `rawtps load` makes
 * (sql_tables.c), by InnoDB's DYNAMIC format (rem0rec.h): 5 of header, a bit a column that may be
 * NULL, a length of each that varies, 13 of transaction and roll pointer in clustered indexes, and
 * the columns on average, of one byte a character; seven lines in ten have a date. chars: columns
 * of char(n), whose length is kept too where characters differ in length (utf8mb4).
 */
struct index_shape {
    const char *name;
    uint32_t rows; /* a warehouse; item: in all */
    uint32_t growth;
    bool full, random;
    double innodb, postgres;
    uint16_t ansi_bytes, unicode_bytes;
    double own;
    uint8_t chars;
};

static const struct index_shape tpcc_shapes[IX_SBTEST] = {
    [IX_WAREHOUSE] = {"warehouse", 1, 0, false, false, 1500 / 11.0, 65, 105, 186, 99, 2},
    [IX_DISTRICT] = {"district", 10, 0, false, false, 15000 / 111.0, 65, 110, 191, 107, 2},
    [IX_CUSTOMER] = {"customer", 30000, 0, false, false, 4.5e7 / 1756650, 4.5e7 / 3426450, 681,
                     1304, 573, 5},
    [IX_HISTORY] = {"history", 30000, 100, false, false, 4.5e7 / 185250, 4.5e7 / 441150, 55, 79, 72,
                    0},
    [IX_ORDERS] = {"orders", 30000, 100, false, false, 4.5e7 / 113550, 4.5e7 / 331050, 31, 31, 46.8,
                   0},
    [IX_NEW_ORDERS] = {"new_orders", 9000, 100, false, false, 1.35e7 / 24900, 1.35e7 / 59850, 16,
                       16, 30, 0},
    [IX_ORDER_LINE] = {"order_line", 300000, 1000, false, false, 4.5e8 / 1932600, 4.5e8 / 5110500,
                       61, 85, 75.5, 1},
    [IX_STOCK] = {"stock", 100000, 0, false, false, 1.5e8 / 3160350, 1.5e8 / 6250650, 317, 607, 325,
                  10},
    [IX_ITEM] = {"item", 100000, 0, false, false, 1e5 / 609, 1e5 / 1334, 95, 169, 89, 0},
    [IX_CUSTOMER_NAME] = {"idx_customer", 30000, 0, false, false, 4.5e7 / 166175, 4.5e7 / 338346,
                          51, 79, 44, 0},
    [IX_ORDERS_CUSTOMER] = {"idx_orders", 30000, 100, false, true, 4.5e7 / 74136, 4.5e7 / 235973,
                            16, 16, 22, 0},
    [IX_LINE_STOCK] = {"fkey_order_line_2", 300000, 1000, true, true, 552, 444, 28, 28, 30, 0},
    [IX_STOCK_ITEM] = {"fkey_stock_2", 100000, 0, true, false, 883, 728, 16, 16, 13, 0},
    [IX_HISTORY_CUSTOMER] = {"fkey_history_1", 30000, 100, true, true, 815, 300, 20, 20, 24, 0},
    [IX_HISTORY_DISTRICT] = {"fkey_history_2", 30000, 100, true, true, 1024, 364, 16, 16, 20, 0},
    [IX_CUSTOMER_KEY] = {"customer_pkey", 30000, 0, false, false, 0, 4.5e7 / 123763, 0, 0, 0, 0},
    [IX_ORDERS_KEY] = {"orders_pkey", 30000, 100, false, false, 0, 4.5e7 / 123763, 0, 0, 0, 0},
    [IX_NEW_ORDERS_KEY] = {"new_orders_pkey", 9000, 100, false, false, 0, 1.35e7 / 37816, 0, 0, 0,
                           0},
    [IX_ORDER_LINE_KEY] = {"order_line_pkey", 300000, 1000, false, false, 0, 4.5e8 / 1734105, 0, 0,
                           0, 0},
    [IX_STOCK_KEY] = {"stock_pkey", 100000, 0, false, false, 0, 1.5e8 / 412315, 0, 0, 0, 0},
    [IX_ITEM_KEY] = {"item_pkey", 100000, 0, false, false, 0, 364, 0, 0, 0, 0},
};

static bool is_heap(enum model_profile_kind profile, enum index_id id)
{
    return profile == MODEL_POSTGRES && (id <= IX_ITEM || id == IX_SBTEST);
}

/* Bulk: rows per leaf as loaded; capacity: of a full leaf. */
static void shape_sqlserver(const struct model_settings *settings, uint32_t row_bytes,
                            double *ret_loaded, uint32_t *ret_capacity)
{
    *ret_capacity = SQLSERVER_PAYLOAD / row_bytes;
    *ret_loaded = *ret_capacity * settings->leaf_fill;
}

static uint64_t rows_of(const struct model_settings *settings, enum index_id id)
{
    uint64_t rows = tpcc_shapes[id].rows;

    return id == IX_ITEM || id == IX_ITEM_KEY ? rows : rows * settings->tpcc.warehouses;
}

/* A page of a growing tail: 50/50 splits in sqlserver; else at the insertion point (3.5). */
static uint32_t tail_rows_of(const struct model_settings *settings, enum index_id id,
                             uint32_t capacity)
{
    double fill = settings->profile == MODEL_SQLSERVER ? 0.5
                  : is_heap(settings->profile, id)     ? 1
                  : settings->profile == MODEL_INNODB  ? 0.94
                                                       : 0.9;
    uint32_t rows = (uint32_t)(capacity * fill);

    return rows > 0 ? rows : 1;
}

static void index_shape(struct model_index *index, const struct model_settings *settings,
                        enum index_id id, uint64_t rows, double loaded, uint32_t capacity)
{
    index->rows = rows;
    index->capacity = capacity;
    index->tail_rows = tail_rows_of(settings, id, capacity);
    index->leaves = (uint32_t)((double)rows / loaded);
    if ((double)index->leaves * loaded < (double)rows) {
        index->leaves++;
    }
    index->scale = (uint64_t)(((unsigned __int128)index->leaves << 64) / rows);
}

/*
 * Tables of `rawtps load`. A leaf ends before the row that does not fit, half a row on average.
 * Indexes that are filled at random are made by CREATE INDEX when the rows are there.
 */
static void shape_own(const struct model_settings *settings, const struct index_shape *shape,
                      bool clustered, double *ret_loaded, uint32_t *ret_capacity)
{
    double page = settings->page_bytes - INNODB_ENDS;
    double kept = clustered ? settings->page_bytes / (double)INNODB_RESERVE : 0;
    double row = shape->own + INNODB_SLOT + (settings->char_bytes > 1 ? shape->chars : 0);
    double rows = (page - kept) / row - 0.5;

    *ret_capacity = (uint32_t)(rows + 0.5);
    *ret_loaded = shape->random && !settings->k_fill_pristine ? rows * INNODB_RANDOM : rows;
}

/*
 * Of the tables of `rawtps load`, in leaves that grow: no order there has been delivered, whose
 * carrier takes 4 bytes and whose lines' dates 5 each; of the loaded seven in ten have them.
 */
static uint32_t own_tail_rows(const struct model_settings *settings, enum index_id id)
{
    struct index_shape shape = tpcc_shapes[id];
    uint32_t capacity;
    double rows;

    shape.own -= 0.7 * (id == IX_ORDER_LINE ? 5 : id == IX_ORDERS ? 4 : 0);
    shape_own(settings, &shape, true, &rows, &capacity);
    return capacity;
}

/* The same in PostgreSQL; returns the rows of a heap's page that is added, 0 of an index. */
static uint32_t shape_tuples(const struct model_settings *settings, enum index_id id,
                             double *ret_loaded, uint32_t *ret_capacity)
{
    struct tuples_page page = tuples_own_page(settings, id);

    *ret_loaded = page.loaded;
    *ret_capacity = page.capacity;
    if (tpcc_shapes[id].random) {
        *ret_capacity = (uint32_t)(page.loaded / POSTGRES_FILL);
        *ret_loaded =
            settings->k_fill_pristine ? page.loaded : page.loaded / POSTGRES_FILL * INNODB_RANDOM;
    }
    return page.tail;
}

static void shape_tpcc(struct model_layout *layout, const struct model_settings *settings)
{
    for (uint32_t id = 0; id < IX_SBTEST; id++) {
        const struct index_shape *shape = &tpcc_shapes[id];
        struct model_index *index = &layout->index[id];
        double loaded = settings->profile == MODEL_POSTGRES ? shape->postgres : shape->innodb;
        uint32_t extra = shape->unicode_bytes - shape->ansi_bytes;
        uint32_t capacity = (uint32_t)(loaded + 0.5), tail = 0;

        if ((shape->full && !settings->index_full) || loaded <= 0) {
            continue;
        }
        if (settings->profile == MODEL_SQLSERVER) {
            shape_sqlserver(settings, shape->ansi_bytes + extra * (settings->char_bytes - 1),
                            &loaded, &capacity);
            /* padded to a row a page, against hot pages (3.3) */
            loaded = id <= IX_DISTRICT ? 1 : loaded;
        } else if (layout_own(settings) && settings->profile == MODEL_POSTGRES) {
            tail = shape_tuples(settings, (enum index_id)id, &loaded, &capacity);
        } else if (layout_own(settings)) {
            tail = id <= IX_ITEM ? own_tail_rows(settings, (enum index_id)id) : 0;
            shape_own(settings, shape, id <= IX_ITEM, &loaded, &capacity);
        } else if (shape->random) {
            capacity = (uint32_t)(loaded / INNODB_RANDOM);
        }
        index->name = shape->name;
        index->random = shape->random;
        index_shape(index, settings, (enum index_id)id, rows_of(settings, (enum index_id)id),
                    loaded, capacity);
        index->tail_rows = tail > 0 ? tail : index->tail_rows;
    }
}

static void shape_sbtest(struct model_layout *layout, const struct model_settings *settings)
{
    const struct sysbench_settings *bench = &settings->sysbench;
    double row = 73, k = 1202, key = 0;
    uint32_t row_capacity = 73, k_capacity = 1202, k_sqlserver = 0;

    if (settings->profile == MODEL_POSTGRES) {
        row = row_capacity = 37;
        /* k of the load's default lies densely: duplicates are stored once (btdedup) */
        k = settings->k_loaded_special                                      ? 792
            : settings->k_fill_pristine && bench->rand_type == DIST_UNIFORM ? tuples_uniform_k()
                                                                            : 364;
        k_capacity = (uint32_t)(k / POSTGRES_FILL);
        key = 364;
    } else if (settings->profile == MODEL_SQLSERVER) {
        shape_sqlserver(settings, settings->char_bytes == 2 ? 377 : 197, &row, &row_capacity);
        shape_sqlserver(settings, 13, &k, &k_sqlserver);
        k_capacity = k_sqlserver;
    }
    struct {
        enum index_id id;
        const char *name;
        double loaded;
        uint32_t capacity;
    } shapes[] = {{IX_SBTEST, "sbtest", row, row_capacity},
                  {IX_SBTEST_K, "sbtest.k", k, k_capacity},
                  {IX_SBTEST_KEY, "sbtest_pkey", key, 364}};

    for (uint32_t i = 0; i < 3; i++) {
        struct model_index *index = &layout->index[shapes[i].id];

        if (shapes[i].loaded <= 0) {
            continue;
        }
        /* one table, then all of them: pages are not shared between tables */
        index_shape(index, settings, shapes[i].id, bench->rows, shapes[i].loaded,
                    shapes[i].capacity);
        index->name = shapes[i].name;
        index->random = shapes[i].id == IX_SBTEST_K;
        index->leaves *= bench->tables;
        index->rows *= bench->tables;
    }
}

/* ---- pages -------------------------------------------------------------------------------------
 */

/*
 * postgres: versions that find no room on their page, besides: of 1,000 stock rows 300, and of 200
 * customers 100 while half of the pages have been updated before; a quarter of the lines delivered.
 */
static double rows_moved(const struct model_layout *layout, enum index_id id)
{
    bool heaps = layout->index[IX_STOCK_KEY].leaves > 0;

    return !heaps                ? 0
           : id == IX_STOCK      ? 300
           : id == IX_CUSTOMER   ? 100
           : id == IX_ORDER_LINE ? 250
                                 : 0;
}

static double growth_weight(const struct model_layout *layout, enum index_id id)
{
    const struct model_index *index = &layout->index[id];
    double rows = id < IX_SBTEST    ? tpcc_shapes[id].growth + rows_moved(layout, id)
                  : id == IX_SYSTEM ? 0
                                    : 100;

    if (index->leaves == 0 || rows <= 0) {
        return 0;
    }
    return rows / (index->random ? index->capacity * INNODB_RANDOM : index->tail_rows);
}

/* Each tail of a district needs a page of its own, and each random index some room to split. */
static uint64_t least_reserve(const struct model_layout *layout,
                              const struct model_settings *settings, enum index_id id)
{
    if (is_heap(settings->profile, id) && layout->index[id].leaves > 0 &&
        growth_weight(layout, id) <= 0) {
        return 64 + layout->index[id].leaves / 50; /* where updated rows move to */
    }
    if (growth_weight(layout, id) <= 0) {
        return id == IX_SYSTEM ? layout_undo(settings) : 0;
    }
    if (layout_full(settings, id)) {
        return 64 + layout->index[id].leaves; /* every one that is full comes to be two */
    }
    if (id >= IX_SBTEST) {
        return 64 + layout->index[id].leaves / 100;
    }
    return 64 + 2ull * TPCC_DISTRICTS * settings->tpcc.warehouses;
}

static uint64_t place_growth(struct model_layout *layout, const struct model_settings *settings,
                             uint64_t page)
{
    double sum = 0;

    for (uint32_t id = 0; id < INDEXES; id++) {
        sum += growth_weight(layout, (enum index_id)id);
    }
    for (uint32_t id = 0; id < INDEXES; id++) {
        double weight = growth_weight(layout, (enum index_id)id);
        uint64_t least = least_reserve(layout, settings, (enum index_id)id), reserve = 0;

        if (weight > 0) {
            reserve =
                (uint64_t)((double)(settings->growth_bytes / settings->page_bytes) * weight / sum);
        }
        layout->index[id].grown_first = (uint32_t)page;
        layout->index[id].reserve = (uint32_t)(reserve > least ? reserve : least);
        page += layout->index[id].reserve;
    }
    return page;
}

static uint64_t place_leaves(struct model_layout *layout)
{
    uint64_t page = 0;

    for (uint32_t id = 0; id < INDEXES; id++) {
        layout->index[id].first = (uint32_t)page;
        page += layout->index[id].leaves;
    }
    return page;
}

/* Fan-outs of 870 to 1,130, 285 and 449 (3.4), as powers of two. */
static uint32_t level1_shift(enum model_profile_kind profile)
{
    return profile == MODEL_INNODB ? 10 : profile == MODEL_POSTGRES ? 8 : 9;
}

/* The number of level-1 pages depends on the reserve, whose place follows them: sizes first. */
static uint64_t place_level1(struct model_layout *layout, const struct model_settings *settings,
                             uint64_t page)
{
    uint32_t shift = level1_shift(settings->profile);

    place_growth(layout, settings, page);
    layout->level1_first = (uint32_t)page;
    for (uint32_t id = 0; id < INDEXES; id++) {
        struct model_index *index = &layout->index[id];
        uint64_t leaves = (uint64_t)index->leaves + index->reserve;
        uint64_t above = (leaves + (1u << shift) - 1) >> shift;

        index->level1_shift = shift;
        if (index->leaves == 0 || above <= 1 || id == IX_SYSTEM ||
            is_heap(settings->profile, (enum index_id)id)) {
            continue;
        }
        index->level1_first = (uint32_t)page;
        page += above;
    }
    layout->level1_end = (uint32_t)page;
    return page;
}

static uint64_t round_up(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

static void place_regions(struct model_layout *layout, const struct model_settings *settings,
                          bool one_drive)
{
    uint32_t page = settings->page_bytes;

    layout->page_bytes = page;
    layout->superblock_bytes = round_up(SUPERBLOCK_LEAST, page);
    layout->log_bytes =
        round_up(settings->log_capacity_bytes,
                 page > settings->log_block_bytes ? page : settings->log_block_bytes);
    layout->doublewrite_bytes = settings->doublewrite ? (uint64_t)DOUBLEWRITE_PAGES * page : 0;
    layout->data_bytes = (uint64_t)layout->pages * page;
    layout->log_offset = layout->superblock_bytes;
    layout->doublewrite_offset = layout->superblock_bytes + (one_drive ? layout->log_bytes : 0);
    layout->data_offset = layout->doublewrite_offset + layout->doublewrite_bytes;
}

static int refuse_size(const char *key, uint64_t least, const char *why, uint64_t given,
                       struct error *err)
{
    char most[32], has[32];

    return error_set(err, EXIT_USAGE, -EINVAL, "database.%s: at least %s, %s, not %s", key,
                     units_format_size_exact(least, most, sizeof(most)), why,
                     units_format_size_exact(given, has, sizeof(has)));
}

static int log_check(const struct model_settings *settings, struct error *err)
{
    uint32_t block = settings->log_block_bytes, write = settings->log_write_bytes;

    if (block < 512 || block % 512 != 0) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "database.log_block: a multiple of 512 bytes, not %u", block);
    }
    if (write < block) {
        return refuse_size("log_write", block, "a database.log_block", write, err);
    }
    if (settings->log_capacity_bytes < 2ull * write) {
        return refuse_size("log_capacity", 2ull * write, "twice database.log_write",
                           settings->log_capacity_bytes, err);
    }
    return 0;
}

static int settings_check(const struct model_settings *settings, struct error *err)
{
    uint32_t page = settings->page_bytes;

    if (page < 4096 || page > 65536 || (page & (page - 1)) != 0) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "page size: a power of two from 4 KiB to 64 KiB, not %u", page);
    }
    if (settings->is_tpcc ? settings->tpcc.warehouses == 0
                          : settings->sysbench.tables == 0 || settings->sysbench.rows == 0) {
        return error_set(err, EXIT_USAGE, -EINVAL, "the database has no rows");
    }
    if (settings->profile == MODEL_SQLSERVER &&
        (settings->char_bytes < 1 || settings->char_bytes > 2 || !(settings->leaf_fill >= 0.05) ||
         settings->leaf_fill > 1)) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "sqlserver: 1 or 2 bytes a character and a leaf fill of 5 %% to 100 %%");
    }
    return log_check(settings, err);
}

static const char smaller[] = "less of %s, or --scale, makes it smaller";

static const char *size_key(const struct model_settings *settings)
{
    return settings->is_tpcc ? "workload.warehouses" : "workload.rows";
}

int layout_open(struct model_layout *layout, const struct model_settings *settings, bool one_drive,
                struct error *err)
{
    uint64_t loaded, pages;
    int code = settings_check(settings, err);

    if (code != 0) {
        return code;
    }
    memset(layout, 0, sizeof(*layout));
    if ((settings->is_tpcc
             ? settings->tpcc.warehouses
             : settings->sysbench.tables * (double)settings->sysbench.rows / 1e4) > 1e6) {
        error_set(err, EXIT_USAGE, -ERANGE,
                  "the database is too large: at most 10^6 warehouses or 10^10 rows");
        return error_hint(err, smaller, size_key(settings));
    }
    if (settings->is_tpcc) {
        shape_tpcc(layout, settings);
    } else {
        shape_sbtest(layout, settings);
    }
    if (settings->profile == MODEL_INNODB) {
        layout->index[IX_SYSTEM] = (struct model_index){
            .name = "system", .leaves = SYSTEM_PAGES, .rows = SYSTEM_PAGES, .capacity = 1};
        layout->index[IX_SYSTEM].scale = ~(uint64_t)0;
    }
    loaded = place_level1(layout, settings, place_leaves(layout));
    pages = place_growth(layout, settings, loaded);
    if (pages >= 0xfffffff0u) {
        error_set(err, EXIT_USAGE, -ERANGE,
                  "the database is too large: %llu pages of %u bytes, at most 2^32",
                  (unsigned long long)pages, settings->page_bytes);
        return error_hint(err, smaller, size_key(settings));
    }
    layout->grown_first = (uint32_t)loaded;
    layout->pages = (uint32_t)pages;
    place_regions(layout, settings, one_drive);
    return 0;
}

enum index_id layout_owner(const struct model_layout *layout, uint32_t page, bool *ret_level1)
{
    *ret_level1 = page >= layout->level1_first && page < layout->level1_end;
    for (uint32_t id = 0; id < INDEXES; id++) {
        const struct model_index *index = &layout->index[id];
        uint32_t above = (index->leaves + index->reserve - 1) >> index->level1_shift;

        if (index->leaves == 0) {
            continue;
        }
        if (*ret_level1
                ? index->level1_first && page >= index->level1_first &&
                      page <= index->level1_first + above
                : (page >= index->first && page < index->first + index->leaves) ||
                      (page >= index->grown_first && page < index->grown_first + index->reserve)) {
            return (enum index_id)id;
        }
    }
    return INDEXES;
}
