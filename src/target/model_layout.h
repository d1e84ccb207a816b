/* target/model_layout: which tables and indexes there are, how many pages, and where a row lies. */
#ifndef RAWTPS_TARGET_MODEL_LAYOUT_H
#define RAWTPS_TARGET_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "target/model.h"

/* The first nine are those of enum tpcc_table, in its order: clustered indexes, or heaps
 * (postgres). */
enum index_id {
    IX_WAREHOUSE,
    IX_DISTRICT,
    IX_CUSTOMER,
    IX_HISTORY,
    IX_ORDERS,
    IX_NEW_ORDERS,
    IX_ORDER_LINE,
    IX_STOCK,
    IX_ITEM,
    IX_CUSTOMER_NAME,    /* (w, d, last, first) */
    IX_ORDERS_CUSTOMER,  /* (w, d, c, o) */
    IX_LINE_STOCK,       /* full: order_line (supply w, i) */
    IX_STOCK_ITEM,       /* full: stock (i) */
    IX_HISTORY_CUSTOMER, /* full: history (c_w, c_d, c) */
    IX_HISTORY_DISTRICT, /* full: history (w, d) */
    IX_CUSTOMER_KEY,     /* primary keys beside heaps (postgres) */
    IX_ORDERS_KEY,
    IX_NEW_ORDERS_KEY,
    IX_ORDER_LINE_KEY,
    IX_STOCK_KEY,
    IX_ITEM_KEY,
    IX_SBTEST, /* all tables, one behind the other */
    IX_SBTEST_K,
    IX_SBTEST_KEY,
    IX_SYSTEM, /* undo, extent maps and the like: innodb */
    INDEXES
};

/*
 * Of innodb's system pages those that transactions share (undo, rollback segments), then three of
 * each table: its map of extents, its bitmap and its inodes. Tables beyond share them. Undo pages
 * that are created and given back again: UNDO_PAGES by turns (layout_undo), UNDO_LIVE not yet.
 */
enum {
    UNDO_LIVE = 128, /* one a rollback segment: TRX_SYS_N_RSEGS */
    ROLLBACK_PAGES = 64,
    HEADER_PAGES = 3,
    HEADER_TABLES = 64,
    UNDO_PAGES = 640
};

/*
 * An index or heap. Its leaves as loaded are pages [first, first + leaves), those added later
 * [grown_first, grown_first + reserve), its level-1 pages from level1_first on (0: it has at most
 * one, which is the root and pinned, or it is a heap). Absent if leaves == 0.
 */
struct model_index {
    const char *name;
    uint32_t first, leaves, grown_first, reserve;
    uint32_t level1_first, level1_shift;
    uint64_t rows;      /* as loaded, in key order */
    uint64_t scale;     /* leaf = rank x scale >> 64 */
    uint32_t capacity;  /* rows that a full leaf holds */
    uint32_t tail_rows; /* rows that a page of a growing tail comes to hold */
    bool random;        /* grows by splits of leaves */
};

struct model_layout {
    struct model_index index[INDEXES];
    uint32_t pages; /* in all */
    uint32_t level1_first, level1_end;
    uint32_t grown_first; /* pages below exist when the database is loaded */
    uint32_t page_bytes;
    uint64_t superblock_bytes, log_bytes, doublewrite_bytes, data_bytes;
    uint64_t log_offset, doublewrite_offset, data_offset;
};

/* one_drive: log ring and data on the same drive. Errors: EXIT_USAGE for what cannot be laid out.
 */
int layout_open(struct model_layout *layout, const struct model_settings *settings, bool one_drive,
                struct error *err);

/* Whether TPC-C's tables are those of `rawtps load`. */
static inline bool layout_own(const struct model_settings *settings)
{
    return settings->is_tpcc && settings->tables_own && settings->profile != MODEL_SQLSERVER;
}

/*
 * innodb: loading by large transactions leaves a system tablespace of many pages that are free (79
 * MB at W = 10), over which undo pages move: 390 frames of 8,112 and 627 of 16,224 held such that
 * were given back, where a small one had 20 to 310 (measured), which count as taken (frames_of).
 */
static inline uint32_t layout_undo(const struct model_settings *settings)
{
    return settings->profile == MODEL_INNODB && layout_own(settings) && settings->purge_ns > 0
               ? UNDO_PAGES
               : 0;
}

/* Whether the leaves of an index that is filled at random are full, as CREATE INDEX leaves them. */
static inline bool layout_full(const struct model_settings *settings, enum index_id id)
{
    return settings->k_fill_pristine &&
           (id == IX_SBTEST_K ||
            (layout_own(settings) &&
             (id == IX_ORDERS_CUSTOMER || id == IX_LINE_STOCK || id == IX_HISTORY_CUSTOMER)));
}

/* The index that a page belongs to, and whether it is a level-1 page. INDEXES if none. */
enum index_id layout_owner(const struct model_layout *layout, uint32_t page, bool *ret_level1);

/* The leaf that holds the row of a rank, counted from 0 in key order. */
static inline uint32_t index_leaf(const struct model_index *index, uint64_t rank)
{
    uint64_t leaf = (uint64_t)((unsigned __int128)rank * index->scale >> 64);

    return index->first + (uint32_t)(leaf < index->leaves ? leaf : index->leaves - 1);
}

/* Leaves counted with those that were added behind the loaded: the page of one, and back. */
static inline uint32_t index_page(const struct model_index *index, uint32_t slot)
{
    return slot < index->leaves ? index->first + slot : index->grown_first + slot - index->leaves;
}

static inline uint32_t index_slot(const struct model_index *index, uint32_t page)
{
    return page >= index->grown_first ? page - index->grown_first + index->leaves
                                      : page - index->first;
}

/* The level-1 page above a leaf; only where level1_first > 0. */
static inline uint32_t index_parent(const struct model_index *index, uint32_t page)
{
    uint32_t leaf = page - index->first;

    if (leaf >= index->leaves) {
        leaf = page - index->grown_first + index->leaves;
    }
    return index->level1_first + (leaf >> index->level1_shift);
}

static inline uint64_t layout_offset(const struct model_layout *layout, uint32_t page)
{
    return layout->data_offset + (uint64_t)page * layout->page_bytes;
}

#endif
