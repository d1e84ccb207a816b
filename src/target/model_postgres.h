/* target/model_postgres: heaps of row versions: where a row lies, what its page has room for. */
#ifndef RAWTPS_TARGET_MODEL_POSTGRES_H
#define RAWTPS_TARGET_MODEL_POSTGRES_H

#include "model_core.h"
#include "model_tuples.h"

/*
 * What a page holds, kept whether it is in memory or not: 8 bytes; sizes in units of 4 bytes. Not
 * known: as it was loaded. dead: what pruning frees; chains: rows with a chain of heap-only
 * versions; full: an update found no room here; fresh: has versions without hint bits. xid: the
 * first transaction that left a version dead since the page was pruned (pd_prune_xid).
 */
struct heap_page {
    uint32_t free : 11, dead : 11, chains : 7, known : 1, full : 1, fresh : 1;
    uint32_t xid;
};

/*
 * Where a row lies, and where dead index entries still lead to first: by the primary key, by the
 * index of names; pages + 1, 0: none.
 */
struct heap_row {
    uint32_t page, before;
};
enum heap_entry { ENTRY_KEY = 0x80000000, ENTRY_NAME = 0x40000000, ENTRY_PAGE = 0x3fffffff };

/* The pages of an order's row, its new_orders row, and its first and last line; + 1. */
struct heap_order {
    uint32_t order, new_order, first_line, last_line;
};

/* See model_bgwriter.c. */
struct bgwriter {
    uint32_t next, passes;      /* where it looks next, and how often it went round */
    uint32_t hand, hand_passes; /* of the clock, when it last looked */
    uint64_t inserted;
    double allocated, density; /* smoothed: frames taken a round; looked at for one to reuse */
    bool began;
};

enum { XIDS_KEPT = 65536, HEAP_TAILS = 64 };

struct model_vacuum;

struct model_postgres {
    struct heap_shape shapes[INDEXES];
    uint8_t entry_bytes[INDEXES];
    struct heap_page *pages;
    struct heap_row *rows[INDEXES]; /* NULL: too many rows, drawn (MODEL.md 9.4) */
    uint64_t row_count[INDEXES], moved[INDEXES];
    uint32_t *tails; /* [connection][slot]: page + 1 that it inserts into */
    uint32_t *last;  /* [slot]: page + 1 that was added last */
    uint32_t slots;
    struct heap_order *orders;
    uint32_t order_mask;
    uint64_t order_count;
    uint32_t heap_end, grown_end; /* heap pages: [0, heap_end) and [grown_first, grown_end) */
    uint32_t next_xid, oldest_xid;
    uint64_t running[XIDS_KEPT / 64]; /* a bit a transaction, by number modulo XIDS_KEPT */
    struct bgwriter bgwriter;
    struct model_vacuum *vacuum; /* NULL: off */
    struct pool *os_cache;       /* NULL: none */
    uint64_t os_cache_reads;
    uint64_t images[INDEXES];
    uint64_t hot[INDEXES], same_page[INDEXES], elsewhere[INDEXES]; /* updates, by their kind */
    uint64_t pruned, killed;
    uint64_t vacuums, vacuum_pages; /* tables that autovacuum went through, pages it visited */
};

int postgres_open(struct model *m, struct error *err);
void postgres_close(struct model *m);
uint64_t postgres_memory_bytes(const struct model_settings *settings,
                               const struct model_layout *layout);
/* The transaction is over: what it left dead may go once all older ones are over too. */
void postgres_end(struct model *m, struct model_session *s);
/* New connections: none has a page that it inserts into. */
void postgres_reconnect(struct model *m);

/* ---- changes of heaps: space and log at once; pages are dirtied as the plan touches them ---- */

/* slot: the heap's number among those that a connection inserts into: sbtest has one a table. */
uint32_t heap_insert(struct model *m, struct model_session *s, enum index_id id, uint32_t slot);
void heap_delete(struct model *m, struct model_session *s, enum index_id id, uint32_t slot,
                 uint32_t page);
/*
 * A new version of a row on a page. False: heap-only (HOT), on the same page. True: every index
 * gets an entry for it; s->tail is its page, which may be the same. indexed: an indexed column
 * changes.
 */
bool heap_update(struct model *m, struct model_session *s, enum index_id id, uint32_t slot,
                 uint32_t page, bool indexed);
/* The same for a row that may have moved; sets SESSION_MOVED, and s->old: where it was. */
void heap_update_row(struct model *m, struct model_session *s, enum index_id id, uint32_t slot,
                     uint64_t rank, bool indexed);
/* A row comes to lie on another page; its index entry for the old one is dead. */
void heap_row_moves(struct model *m, enum index_id id, uint64_t rank, uint32_t page);

/* ---- where rows lie ---- */

uint32_t heap_row_page(const struct model *m, enum index_id id, uint64_t rank);
/* The page that a dead entry leads to, POOL_NO_PAGE if there is none. */
uint32_t heap_row_before(const struct model *m, enum index_id id, uint64_t rank,
                         enum heap_entry entry);
/* An index scan came past it: the dead entry is marked. */
void heap_row_seen(struct model *m, enum index_id id, uint64_t rank, enum heap_entry entry);
/* A row by its key: index, dead version if one is met, row; and the mark on the index. */
void heap_plan_row(const struct model *m, struct plan *plan, enum index_id id, enum index_id key,
                   uint64_t rank, enum touch_mode mode);

/* ---- TPC-C (model_postgres_tpcc.c) ---- */

void postgres_tpcc_prepare(struct model *m, struct model_session *s, const struct op *op);
/* False: as for any other database. */
bool postgres_tpcc_plan(const struct model *m, const struct model_session *s, const struct op *op,
                        struct plan *plan);
void postgres_tpcc_apply(struct model *m, struct model_session *s, const struct op *op);

/* ---- Sysbench (model_postgres_sysbench.c): row, last: ranks over all tables ---- */

void postgres_sysbench_prepare(struct model *m, struct model_session *s, const struct op *op,
                               uint64_t row, bool is_loaded);
void postgres_sysbench_plan(const struct model *m, const struct model_session *s,
                            const struct op *op, struct plan *plan, uint64_t row, uint64_t last);
void postgres_sysbench_apply(struct model *m, const struct op *op, uint64_t row, uint64_t last);

/* ---- the operating system's cache (model_os_cache.c) ---- */

int os_cache_open(struct model *m, struct error *err);
void os_cache_close(struct model *m);
uint64_t os_cache_memory_bytes(const struct model_settings *settings,
                               const struct model_layout *layout);
/* A page was read from the drive, or written. */
void os_cache_note(struct model *m, uint32_t page);
/* True: it is there, the drive is not asked; the session pays for the copy. */
bool os_cache_read(struct model *m, struct model_session *s, uint32_t page);

/* Every 200 ms (model_bgwriter.c). */
void bgwriter_round(struct model *m);

/* ---- autovacuum (model_vacuum.c) ---- */

uint32_t vacuum_sessions(const struct model_settings *settings); /* behind those of the users */
uint64_t vacuum_memory_bytes(const struct model_settings *settings, uint64_t map_bytes,
                             uint32_t slots);
int vacuum_open(struct model *m, struct error *err);
void vacuum_close(struct model *m);
void vacuum_start(struct model *m);
void vacuum_stop(struct model *m);
/* A version that index entries lead to is dead; a row was inserted; a page is not all-visible. */
void vacuum_note_dead(struct model *m, uint32_t slot, uint32_t page);
void vacuum_note_insert(struct model *m, uint32_t slot);
void vacuum_note_change(struct model *m, uint32_t page);
/* A page of the table on which there is room, as far as the map of free space knows, looked for
 * from a page on; POOL_NO_PAGE: none. vacuum_no_room(): there is not. */
uint32_t vacuum_room(struct model *m, enum index_id id, uint32_t slot, uint32_t from);
void vacuum_no_room(struct model *m, uint32_t page);
void vacuum_plan(const struct model *m, struct plan *plan);
bool vacuum_step(struct model *m, uint32_t number);
/* True: the page is changed and logged; ret_hint: it is changed. */
bool vacuum_touch(struct model *m, enum index_id id, uint32_t page, bool *ret_hint);
/* What it does to a heap page, and to a leaf (model_postgres.c). True: changed and logged. */
bool heap_vacuum(struct model *m, enum index_id id, uint32_t page);
bool leaf_vacuum(struct model *m, enum index_id id, uint32_t page);

/* ---- touches (from model_reader.c) ---- */

/* A heap page is read: prune it if that is due, set hint bits. True: it is changed and logged. */
bool postgres_read(struct model *m, uint32_t page, bool *ret_hint);
/* Entries for new versions of rows go into a leaf. */
void postgres_leaf_insert(struct model *m, enum index_id id, uint32_t page);
/* A file grows by a page: zeros are written at once (smgrextend). */
void postgres_extend(struct model *m, uint32_t frame);
/* k as it is loaded lies on leaves with many and leaves with few rows: where a rank's leaf is. */
uint64_t postgres_k_rank(const struct model *m, uint64_t rank);
/* Bytes of the page in a full-page image: without the hole. */
uint32_t postgres_image_bytes(const struct model *m, enum index_id id, uint32_t page);

#endif
