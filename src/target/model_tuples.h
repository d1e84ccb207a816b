/* target/model_tuples: bytes of PostgreSQL's rows and index entries, and how many a page holds. */
#ifndef RAWTPS_TARGET_MODEL_TUPLES_H
#define RAWTPS_TARGET_MODEL_TUPLES_H

#include "model_layout.h"

/*
 * Of a heap, in bytes, rows aligned to 8 and without their line pointers. bytes: of a row that is
 * inserted; updated: after an update; hot_log: a record of one that stays on its page; insert_more:
 * what a record of an insert holds more than in sysbench-tpcc's table; varies: rows differ in
 * length.
 */
struct heap_shape {
    uint16_t bytes, updated, hot_log, insert_more;
    bool varies;
};

/* As the settings have the tables; of an index that is no heap all is 0. */
struct heap_shape tuples_heap(const struct model_settings *settings, enum index_id id);
/* Bytes of an index entry, with its line pointer. */
uint32_t tuples_entry_bytes(const struct model_settings *settings, enum index_id id);

/* Rows a page in a table or index of TPC-C that `rawtps load` made. */
struct tuples_page {
    double loaded;     /* on average */
    uint32_t capacity; /* of a full page; of indexes that are not filled at random: as loaded */
    uint32_t tail;     /* heaps: of rows that are inserted while the workload runs */
};

/*
 * By filling some hundred pages with rows whose lengths are drawn as the loader draws them.
 * time     some 100,000 draws an index; the same numbers whatever the seed of the scenario
 * source   PostgreSQL manual, "Database Page Layout" and "B-Tree Indexes, Deduplication";
 *          hio.c (heap_multi_insert fills a page), nbtsort.c (_bt_buildadd), nbtdedup.c
 */
struct tuples_page tuples_own_page(const struct model_settings *settings, enum index_id id);
/* Rows a leaf of sbtest's k, made by CREATE INDEX when k was drawn uniformly. */
double tuples_uniform_k(void);

#endif
