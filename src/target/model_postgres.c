#include "model_postgres.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"

/*
 * PostgreSQL 15's heaps, after its source: heapam.c (heap_update, heap_delete), pruneheap.c
 * (heap_page_prune_opt), hio.c (RelationGetBufferForTuple), nbtutils.c (_bt_killitems), and
 * storage/bufpage.h. Sizes are those of 64-bit builds with 8 KiB pages.
 */
enum {
    PAGE = 8192,
    HEAP_PAYLOAD = PAGE - 24,    /* page header */
    LEAF_PAYLOAD = PAGE - 40,    /* and the b-tree's special space */
    LINE = 4,                    /* a line pointer */
    PRUNE_BELOW = PAGE / 10 + 4, /* heap_page_prune_opt: a tenth of the page, and a line pointer */
    IMAGE_HEADER = 7,            /* XLogRecordBlockImageHeader and the hole's length */
    UNIT = 4,                    /* of sizes in struct heap_page */
    CHAINS_MOST = 127,
    ROOM_LOOKS = 16 /* pages of the map of free space that are tried before the file grows */
};
#define ROWS_MOST 67000000ull /* beyond, places are drawn: 8 bytes a row would be too many */

static bool is_heap_id(enum index_id id)
{
    return id <= IX_ITEM || id == IX_SBTEST;
}

/* ---- transactions ------------------------------------------------------------------------------
 */

static uint32_t xid_of(struct model *m, struct model_session *s)
{
    struct model_postgres *pg = m->postgres;

    if (s->xid == 0) {
        if (pg->next_xid - pg->oldest_xid >= XIDS_KEPT) {
            pg->oldest_xid++; /* older than all that are remembered */
        }
        s->xid = pg->next_xid++;
        if (pg->next_xid == 0) {
            pg->next_xid = 1;
        }
        bit_set(pg->running, s->xid % XIDS_KEPT);
    }
    s->flags |= SESSION_WROTE;
    return s->xid;
}

void postgres_end(struct model *m, struct model_session *s)
{
    struct model_postgres *pg = m->postgres;

    if (s->xid == 0) {
        return;
    }
    bit_clear(pg->running, s->xid % XIDS_KEPT);
    s->xid = 0;
    while (pg->oldest_xid != pg->next_xid && !bit_get(pg->running, pg->oldest_xid % XIDS_KEPT)) {
        pg->oldest_xid++;
    }
}

/* Nobody can see any more what the transaction replaced. */
static bool is_removable(const struct model_postgres *pg, uint32_t xid)
{
    return (int32_t)(xid - pg->oldest_xid) < 0;
}

/* ---- pages -------------------------------------------------------------------------------------
 */

static uint64_t page_hash(const struct model *m, uint32_t page)
{
    return rng_hash(m->is.seed ^ 0x9a9e ^ ((uint64_t)page << 20));
}

/* What loading leaves free: rows that vary in length leave between nothing and one of them. */
static uint32_t loaded_free(const struct model *m, enum index_id id, uint32_t page)
{
    const struct model_index *index = &m->layout.index[id];
    double rows = (double)index->rows / index->leaves;
    bool settled =
        index->random && !(m->is.k_fill_pristine && (id == IX_SBTEST_K || layout_own(&m->is)));
    const struct heap_shape *shape = &m->postgres->shapes[id];
    double left = is_heap_id(id) ? HEAP_PAYLOAD - rows * (shape->bytes + LINE)
                                 : LEAF_PAYLOAD * (settled ? 0.31 : 0.1); /* fillfactor 90 */

    if (page >= index->first + index->leaves || page < index->first) {
        return is_heap_id(id) ? HEAP_PAYLOAD : LEAF_PAYLOAD / 2;
    }
    if (is_heap_id(id) && shape->varies) {
        left = (double)(page_hash(m, page) >> 11) * 0x1p-53 * shape->bytes;
    }
    return left < 0 ? 0 : (uint32_t)left;
}

static struct heap_page *page_known(const struct model *m, enum index_id id, uint32_t page)
{
    struct heap_page *p = &m->postgres->pages[page];

    if (!p->known) {
        p->free = loaded_free(m, id, page) / UNIT & 0x7ff;
        p->known = 1;
    }
    return p;
}

static uint32_t free_bytes(const struct heap_page *p)
{
    return (uint32_t)p->free * UNIT;
}

static uint32_t dead_bytes(const struct heap_page *p)
{
    return (uint32_t)p->dead * UNIT;
}

static void set_free(struct heap_page *p, uint32_t bytes)
{
    p->free = (bytes < HEAP_PAYLOAD ? bytes : HEAP_PAYLOAD) / UNIT & 0x7ff;
}

static void set_dead(struct heap_page *p, uint32_t bytes)
{
    p->dead = (bytes < HEAP_PAYLOAD ? bytes : HEAP_PAYLOAD) / UNIT & 0x7ff;
}

static bool is_heap_page(const struct model *m, uint32_t page)
{
    const struct model_postgres *pg = m->postgres;

    return page < pg->heap_end || (page >= m->layout.grown_first && page < pg->grown_end);
}

/* heap_page_prune_opt(): something to gain, and little room or somebody who wanted more. */
static bool is_prunable(const struct model_postgres *pg, const struct heap_page *p)
{
    return p->dead > 0 && (p->full || free_bytes(p) < PRUNE_BELOW) && is_removable(pg, p->xid);
}

/* No transaction number is taken: whoever only reads does not wait for the log at its commit. */
static void page_prune(struct model *m, struct heap_page *p)
{
    log_append(&m->log, m->log_bytes->pending);
    set_free(p, free_bytes(p) + dead_bytes(p));
    p->dead = 0;
    p->full = 0;
    p->fresh = 0;
    m->postgres->pruned++;
}

/* A version on the page has been replaced or deleted. */
static void page_leave(struct model *m, struct model_session *s, struct heap_page *p,
                       uint32_t bytes)
{
    uint32_t xid = xid_of(m, s);

    if (p->dead == 0) {
        p->xid = xid;
    }
    set_dead(p, dead_bytes(p) + bytes);
    p->fresh = 1;
}

/*
 * A chain of heap-only versions needs one line pointer beside that of its root; a row that has a
 * chain already uses again what pruning freed.
 */
static uint32_t chain_line(struct model *m, enum index_id id, struct heap_page *p)
{
    const struct model_index *index = &m->layout.index[id];
    double rows = (double)index->rows / index->leaves;

    if (p->chains >= CHAINS_MOST || rng_unit(&m->rng) * rows < p->chains) {
        return 0;
    }
    p->chains++;
    return LINE;
}

/* ---- changes -----------------------------------------------------------------------------------
 */

/* What the map of free space offers (GetPageWithFreeSpace), or a new one. */
static uint32_t page_with_room(struct model *m, enum index_id id, uint32_t slot, uint32_t bytes)
{
    struct model_postgres *pg = m->postgres;
    uint32_t page, from = pg->last[slot];

    for (uint32_t i = 0; i < ROOM_LOOKS; i++) {
        page = vacuum_room(m, id, slot, from);
        if (page == POOL_NO_PAGE) {
            break;
        }
        if (free_bytes(page_known(m, id, page)) >= bytes + LINE) {
            return page;
        }
        vacuum_no_room(m, page);
    }
    page = model_grow(m, id);
    pg->pages[page] = (struct heap_page){.free = HEAP_PAYLOAD / UNIT, .known = 1};
    return page;
}

/* RelationGetBufferForTuple(): the connection's page, the last one, another one. */
static uint32_t page_for(struct model *m, struct model_session *s, enum index_id id, uint32_t slot,
                         uint32_t bytes)
{
    struct model_postgres *pg = m->postgres;
    uint32_t connection = (uint32_t)(s - m->sessions) % HEAP_TAILS;
    uint32_t *tail = &pg->tails[(uint64_t)connection * pg->slots + slot];
    uint32_t page = *tail ? *tail : pg->last[slot];
    struct heap_page *p = page ? page_known(m, id, page - 1) : NULL;

    if (p == NULL || free_bytes(p) < bytes + LINE) {
        /* free space that pruning made is not in the map of it: only VACUUM puts it there */
        page = page_with_room(m, id, slot, bytes) + 1;
        p = &pg->pages[page - 1];
        pg->last[slot] = page;
    }
    *tail = page;
    set_free(p, free_bytes(p) - bytes - LINE);
    p->fresh = 1;
    xid_of(m, s);
    vacuum_note_change(m, page - 1);
    return page - 1;
}

uint32_t heap_insert(struct model *m, struct model_session *s, enum index_id id, uint32_t slot)
{
    const struct heap_shape *shape = &m->postgres->shapes[id];

    vacuum_note_insert(m, slot);
    if (shape->insert_more > 0) {
        log_append(&m->log, shape->insert_more);
    }
    return page_for(m, s, id, slot, shape->bytes);
}

void heap_delete(struct model *m, struct model_session *s, enum index_id id, uint32_t slot,
                 uint32_t page)
{
    struct heap_page *p = page_known(m, id, page);

    if (is_prunable(m->postgres, p)) {
        page_prune(m, p);
    }
    page_leave(m, s, p, m->postgres->shapes[id].bytes);
    vacuum_note_change(m, page);
    vacuum_note_dead(m, slot, page);
}

bool heap_update(struct model *m, struct model_session *s, enum index_id id, uint32_t slot,
                 uint32_t page, bool indexed)
{
    struct model_postgres *pg = m->postgres;
    struct heap_page *p = page_known(m, id, page);
    const struct heap_shape *shape = &pg->shapes[id];
    uint32_t bytes = shape->updated;

    if (is_prunable(pg, p)) {
        page_prune(m, p);
    }
    s->tail = page;
    vacuum_note_change(m, page);
    if (free_bytes(p) < bytes + LINE) {
        /* the row is locked while another page is sought */
        p->full = 1;
        pg->elsewhere[id]++;
        log_append(&m->log, m->log_bytes->lock + bytes + m->log_bytes->update_moved);
        page_leave(m, s, p, shape->bytes);
        vacuum_note_dead(m, slot, page);
        s->tail = page_for(m, s, id, slot, bytes);
        return true;
    }
    /* what is equal in both versions is left out of the record if they share a page */
    log_append(&m->log, shape->hot_log);
    set_free(p, free_bytes(p) - bytes - (indexed ? LINE : chain_line(m, id, p)));
    page_leave(m, s, p, shape->bytes);
    pg->hot[id] += !indexed;
    pg->same_page[id] += indexed;
    return indexed;
}

void heap_update_row(struct model *m, struct model_session *s, enum index_id id, uint32_t slot,
                     uint64_t rank, bool indexed)
{
    s->old = heap_row_page(m, id, rank);
    if (heap_update(m, s, id, slot, s->old, indexed)) {
        s->flags |= SESSION_MOVED;
        if (s->tail != s->old) {
            heap_row_moves(m, id, rank, s->tail);
        }
    }
}

/* ---- where rows lie ----------------------------------------------------------------------------
 */

void heap_row_moves(struct model *m, enum index_id id, uint64_t rank, uint32_t page)
{
    struct model_postgres *pg = m->postgres;

    pg->moved[id]++;
    if (pg->rows[id]) {
        struct heap_row *row = &pg->rows[id][rank];

        row->before = ((heap_row_page(m, id, rank) + 1) & ENTRY_PAGE) | ENTRY_KEY | ENTRY_NAME;
        row->page = page + 1;
    }
}

/* Too many rows to remember: as many are elsewhere as were moved, each on one of the added pages.
 */
static uint32_t drawn_page(const struct model *m, enum index_id id, uint64_t rank)
{
    const struct model_index *index = &m->layout.index[id];
    uint64_t hash = rng_hash(rank ^ 0x30e5), moved = m->postgres->moved[id];
    uint32_t grown = m->grown[id] < index->reserve ? m->grown[id] : index->reserve;

    if (grown == 0 || (unsigned __int128)hash * index->rows >> 64 >= moved) {
        return index_leaf(index, rank);
    }
    return index->grown_first + (uint32_t)(rng_hash(hash) % grown);
}

uint32_t heap_row_page(const struct model *m, enum index_id id, uint64_t rank)
{
    const struct model_postgres *pg = m->postgres;

    if (pg->rows[id] == NULL) {
        return pg->moved[id] ? drawn_page(m, id, rank) : index_leaf(&m->layout.index[id], rank);
    }
    return pg->rows[id][rank].page ? pg->rows[id][rank].page - 1
                                   : index_leaf(&m->layout.index[id], rank);
}

uint32_t heap_row_before(const struct model *m, enum index_id id, uint64_t rank,
                         enum heap_entry entry)
{
    const struct heap_row *rows = m->postgres->rows[id];

    return rows && (rows[rank].before & (uint32_t)entry) ? (rows[rank].before & ENTRY_PAGE) - 1
                                                         : POOL_NO_PAGE;
}

/* Dead to all: its transaction is older than every one that runs, or the page is pruned. */
static bool is_dead_entry(const struct model *m, uint32_t page)
{
    const struct heap_page *p = &m->postgres->pages[page];

    return p->dead == 0 || is_removable(m->postgres, p->xid);
}

void heap_row_seen(struct model *m, enum index_id id, uint64_t rank, enum heap_entry entry)
{
    uint32_t before = heap_row_before(m, id, rank, entry);

    if (before != POOL_NO_PAGE && is_dead_entry(m, before)) {
        m->postgres->rows[id][rank].before &= ~(uint32_t)entry;
        m->postgres->killed++;
    }
}

void heap_plan_row(const struct model *m, struct plan *plan, enum index_id id, enum index_id key,
                   uint64_t rank, enum touch_mode mode)
{
    uint32_t before = heap_row_before(m, id, rank, ENTRY_KEY), page = heap_row_page(m, id, rank);

    plan_row(m, plan, key, rank, TOUCH_READ);
    if (before != POOL_NO_PAGE) {
        plan_add(plan, id, before, TOUCH_READ);
        plan_row(m, plan, key, rank, TOUCH_HINT);
    }
    plan_add(plan, id, page, mode);
}

/*
 * Three quarters of the rows have a k in the central 1 % of the range (special, MODEL.md 4.2): 75
 * rows a value, which are stored as lists of 6 bytes a row. The others are one or two a value, 20
 * bytes a row. So the central rows take half of the leaves: 322 and 309 of the 631 measured.
 */
#define K_EDGE        0.125 /* of the rows, on either side */
#define K_EDGE_LEAVES (309.0 / 631 / 2)
uint64_t postgres_k_rank(const struct model *m, uint64_t rank)
{
    uint64_t rows = m->is.sysbench.rows, table = rank / rows * rows;
    double u = (double)(rank - table) / (double)rows, v;

    if (!m->is.k_loaded_special) {
        return rank;
    }
    if (u < K_EDGE) {
        v = u / K_EDGE * K_EDGE_LEAVES;
    } else if (u < 1 - K_EDGE) {
        v = K_EDGE_LEAVES + (u - K_EDGE) / (1 - 2 * K_EDGE) * (1 - 2 * K_EDGE_LEAVES);
    } else {
        v = 1 - (1 - u) / K_EDGE * K_EDGE_LEAVES;
    }
    rank = table + (uint64_t)(v * (double)rows);
    return rank < table + rows ? rank : table + rows - 1;
}

/* ---- touches -----------------------------------------------------------------------------------
 */

bool postgres_read(struct model *m, uint32_t page, bool *ret_hint)
{
    struct heap_page *p = &m->postgres->pages[page];

    *ret_hint = false;
    if ((p->dead == 0 && !p->fresh) || !is_heap_page(m, page)) {
        return false;
    }
    if (is_prunable(m->postgres, p)) {
        page_prune(m, p);
        return true;
    }
    *ret_hint = p->fresh;
    p->fresh = 0;
    return false;
}

void postgres_leaf_insert(struct model *m, enum index_id id, uint32_t page)
{
    struct heap_page *p = page_known(m, id, page);
    uint32_t bytes = m->postgres->entry_bytes[id];

    log_append(&m->log, m->log_bytes->leaf_insert);
    if (free_bytes(p) < bytes) {
        /* bottom-up deletion: entries of dead versions go rather than that the leaf is split */
        log_append(&m->log, m->log_bytes->pending + dead_bytes(p) / bytes * 2);
        set_free(p, free_bytes(p) + dead_bytes(p));
        p->dead = 0;
    }
    set_free(p, free_bytes(p) > bytes ? free_bytes(p) - bytes : 0);
    set_dead(p, dead_bytes(p) + bytes);
}

/* VACUUM prunes whatever is dead to all, be there room or not. */
bool heap_vacuum(struct model *m, enum index_id id, uint32_t page)
{
    struct heap_page *p = page_known(m, id, page);

    if (p->dead == 0 || !is_removable(m->postgres, p->xid)) {
        return false;
    }
    page_prune(m, p);
    return true;
}

/* Rows whose entries a leaf held when it was loaded: none of them leads to a dead version. */
static void forget_entries(struct model *m, enum index_id id, uint32_t page)
{
    const struct model_index *index = &m->layout.index[id];
    enum index_id heap = id == IX_CUSTOMER_KEY ? IX_CUSTOMER
                         : id == IX_STOCK_KEY  ? IX_STOCK
                                               : IX_SBTEST;
    struct heap_row *rows = m->postgres->rows[heap];
    bool is_key = id == IX_CUSTOMER_KEY || id == IX_STOCK_KEY || id == IX_SBTEST_KEY;
    uint64_t leaf = page - index->first;

    if (!is_key || rows == NULL || page < index->first || leaf >= index->leaves) {
        return;
    }
    for (uint64_t rank = leaf * index->rows / index->leaves;
         rank < (leaf + 1) * index->rows / index->leaves; rank++) {
        rows[rank].before &= ENTRY_PAGE;
    }
}

bool leaf_vacuum(struct model *m, enum index_id id, uint32_t page)
{
    struct heap_page *p = page_known(m, id, page);

    forget_entries(m, id, page);
    if (p->dead == 0) {
        return false;
    }
    log_append(&m->log, m->log_bytes->pending + dead_bytes(p) / m->postgres->entry_bytes[id] * 2);
    set_free(p, free_bytes(p) + dead_bytes(p));
    p->dead = 0;
    return true;
}

uint32_t postgres_image_bytes(const struct model *m, enum index_id id, uint32_t page)
{
    return PAGE + IMAGE_HEADER - free_bytes(page_known(m, id, page));
}

/* ---- memory ------------------------------------------------------------------------------------
 */

/* Rows whose place is remembered: those that are updated and found again by their key. */
static uint64_t rows_kept(const struct model_layout *layout, enum index_id id)
{
    bool updated = id == IX_WAREHOUSE || id == IX_DISTRICT || id == IX_CUSTOMER || id == IX_STOCK ||
                   id == IX_SBTEST;
    uint64_t rows = layout->index[id].leaves ? layout->index[id].rows : 0;

    return updated && rows <= ROWS_MOST ? rows : 0;
}

static uint32_t slots_of(const struct model_settings *settings)
{
    return settings->is_tpcc ? IX_ITEM + 1 : settings->sysbench.tables;
}

/* As many orders a district as fit into 64 MB, as elsewhere (tpcc_rows_open). */
static uint32_t orders_of(const struct model_settings *settings)
{
    uint32_t orders = 256;
    uint64_t districts = (uint64_t)settings->tpcc.warehouses * TPCC_DISTRICTS;

    while (settings->is_tpcc && orders < 4096 &&
           (uint64_t)orders * 2 * sizeof(struct heap_order) * districts <= (64u << 20)) {
        orders *= 2;
    }
    return settings->is_tpcc ? orders : 0;
}

static uint64_t order_count_of(const struct model_settings *settings)
{
    return settings->is_tpcc
               ? (uint64_t)orders_of(settings) * settings->tpcc.warehouses * TPCC_DISTRICTS
               : 0;
}

uint64_t postgres_memory_bytes(const struct model_settings *settings,
                               const struct model_layout *layout)
{
    uint64_t bytes = sizeof(struct model_postgres);

    if (settings->profile != MODEL_POSTGRES) {
        return 0;
    }
    for (uint32_t id = 0; id < INDEXES; id++) {
        bytes += rows_kept(layout, (enum index_id)id) * sizeof(struct heap_row);
    }
    return bytes + (uint64_t)layout->pages * sizeof(struct heap_page) +
           (HEAP_TAILS + 1ull) * slots_of(settings) * sizeof(uint32_t) +
           order_count_of(settings) * sizeof(struct heap_order) +
           vacuum_memory_bytes(settings, ((uint64_t)layout->pages / 64 + 1) * 8,
                               slots_of(settings)) +
           os_cache_memory_bytes(settings, layout);
}

static void indexes_init(struct model *m)
{
    struct model_postgres *pg = m->postgres;

    for (uint32_t id = 0; id < INDEXES; id++) {
        const struct model_index *index = &m->layout.index[id];

        pg->shapes[id] = tuples_heap(&m->is, (enum index_id)id);
        pg->entry_bytes[id] = (uint8_t)tuples_entry_bytes(&m->is, (enum index_id)id);
        if (is_heap_id((enum index_id)id) && index->leaves > 0) {
            pg->heap_end = index->first + index->leaves;
            pg->grown_end = index->grown_first + index->reserve;
        }
    }
}

int postgres_open(struct model *m, struct error *err)
{
    struct model_postgres *pg = m->postgres = mem_large(sizeof(*pg));
    bool failed = pg == NULL;

    if (pg) {
        pg->slots = slots_of(&m->is);
        pg->order_count = order_count_of(&m->is);
        pg->order_mask = orders_of(&m->is) - 1;
        pg->next_xid = pg->oldest_xid = 1;
        pg->pages = mem_large((uint64_t)m->layout.pages * sizeof(*pg->pages));
        pg->tails = mem_large((uint64_t)HEAP_TAILS * pg->slots * sizeof(*pg->tails));
        pg->last = mem_large((uint64_t)pg->slots * sizeof(*pg->last));
        pg->orders = mem_large(pg->order_count * sizeof(*pg->orders));
        failed = !pg->pages || !pg->tails || !pg->last || (pg->order_count && !pg->orders);
        indexes_init(m);
    }
    for (uint32_t id = 0; id < INDEXES && !failed; id++) {
        pg->row_count[id] = rows_kept(&m->layout, (enum index_id)id);
        pg->rows[id] =
            pg->row_count[id] ? mem_large(pg->row_count[id] * sizeof(struct heap_row)) : NULL;
        failed = pg->row_count[id] && !pg->rows[id];
    }
    return failed ? error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the heaps of %u pages",
                              m->layout.pages)
           : vacuum_open(m, err) != 0 ? err->code
                                      : os_cache_open(m, err);
}

void postgres_close(struct model *m)
{
    struct model_postgres *pg = m->postgres;

    if (pg == NULL) {
        return;
    }
    for (uint32_t id = 0; id < INDEXES; id++) {
        mem_large_free(pg->rows[id], pg->row_count[id] * sizeof(struct heap_row));
    }
    mem_large_free(pg->pages, (uint64_t)m->layout.pages * sizeof(*pg->pages));
    mem_large_free(pg->tails, (uint64_t)HEAP_TAILS * pg->slots * sizeof(*pg->tails));
    mem_large_free(pg->last, (uint64_t)pg->slots * sizeof(*pg->last));
    mem_large_free(pg->orders, pg->order_count * sizeof(*pg->orders));
    os_cache_close(m);
    vacuum_close(m);
    mem_large_free(pg, sizeof(*pg));
    m->postgres = NULL;
}

void postgres_reconnect(struct model *m)
{
    memset(m->postgres->tails, 0,
           (uint64_t)HEAP_TAILS * m->postgres->slots * sizeof(*m->postgres->tails));
}
