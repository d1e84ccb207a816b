#include "model_random.h"

#include <errno.h>
#include <math.h>

#include "base/dist.h"
#include "base/mem.h"
#include "model_writer.h"

#define LN_2 0.6931471805599453
/* innodb: headers and trailer of a page, and a directory slot's share of an entry (MODEL.md 3.1) */
enum { PAGE_ENDS = 128 };
#define NO_LEAF    0xffffffffu
#define TIDY_SHARE 32 /* of a page */
#define SLOT_BYTES 0.5

/* fill, heap, next and from of each leaf, and head of those that were loaded */
uint64_t random_memory_bytes(const struct model_index *index)
{
    return index->leaves ? ((uint64_t)index->leaves + index->reserve) * 12 + index->leaves * 4ull
                         : 0;
}

/* Random inserts leave fills between half and full with density 1 / x: 0.69 on average. */
static uint16_t settled_fill(uint32_t capacity, uint64_t hash)
{
    double u = (double)(hash >> 11) * 0x1p-53;

    return (uint16_t)(capacity * 0.5 * dist_exp(u * LN_2));
}

/*
 * A page whose records take less than half of it is merged with a neighbour that has room (MySQL
 * manual, "Merge Threshold for Index Pages", 50 %). The two halves of a leaf that has just split
 * are such pages: a leaf that was full splits and is merged again and again.
 */
static void innodb_limits(struct model_random *random, const struct model *m,
                          const struct model_index *index)
{
    double page = m->is.page_bytes, whole = (page - PAGE_ENDS) / index->capacity;

    if (m->is.profile == MODEL_INNODB) {
        random->merge_below = (uint32_t)(page / 2 / (whole - SLOT_BYTES));
        random->tidy_room = (uint32_t)ceil(page / TIDY_SHARE / whole);
    }
}

/*
 * A leaf whose free bytes are what removed records left behind takes another record only if a
 * reorganization would win a 32nd of the page, else it splits though there is room
 * (btr_cur_optimistic_insert, BTR_CUR_PAGE_REORGANIZE_LIMIT).
 */
static bool leaf_takes(const struct model_random *random, const struct model_index *index,
                       uint32_t leaf)
{
    uint32_t fill = random->fill[leaf], heap = random->heap[leaf];

    return fill < index->capacity &&
           (heap == fill || heap < index->capacity || index->capacity - fill >= random->tidy_room);
}

static int random_allocate(struct model_random *random, const struct model_index *index)
{
    random->loaded = index->leaves;
    random->leaves = index->leaves + index->reserve;
    random->fill = mem_large((uint64_t)random->leaves * 2);
    random->heap = mem_large((uint64_t)random->leaves * 2);
    random->next = mem_large((uint64_t)random->leaves * 4);
    random->from = mem_large((uint64_t)random->leaves * 4);
    random->head = mem_large((uint64_t)random->loaded * 4);
    return random->fill && random->heap && random->next && random->from && random->head ? 0
                                                                                        : -ENOMEM;
}

int random_open(struct model_random *random, const struct model *m, enum index_id id, bool full,
                struct error *err)
{
    const struct model_index *index = &m->layout.index[id];

    *random = (struct model_random){.id = id, .freed = NO_LEAF};
    if (index->leaves == 0) {
        return 0;
    }
    if (random_allocate(random, index) != 0) {
        random_close(random);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the %u leaves of %s",
                         index->leaves + index->reserve, index->name);
    }
    innodb_limits(random, m, index);
    random->shift = (uint32_t)__builtin_clz(index->leaves);
    for (uint32_t i = 0; i < index->leaves; i++) {
        random->fill[i] = full
                              ? (uint16_t)(m->postgres ? index->capacity * 9 / 10 : index->capacity)
                              : settled_fill(index->capacity, rng_hash(m->is.seed ^ i));
        /* every other one is what a split left behind */
        random->heap[i] = i % 2 ? (uint16_t)index->capacity : random->fill[i];
        random->next[i] = i + 1 < index->leaves ? i + 1 : NO_LEAF;
        random->from[i] = i << random->shift;
        random->head[i] = i;
    }
    return 0;
}

void random_close(struct model_random *random)
{
    mem_large_free(random->fill, (uint64_t)random->leaves * 2);
    mem_large_free(random->heap, (uint64_t)random->leaves * 2);
    mem_large_free(random->next, (uint64_t)random->leaves * 4);
    mem_large_free(random->from, (uint64_t)random->leaves * 4);
    mem_large_free(random->head, (uint64_t)random->loaded * 4);
    random->fill = random->heap = NULL;
    random->next = random->from = random->head = NULL;
}

/*
 * A row's place among all keys, the whole range being 2^32: of innodb by its rank; of the others,
 * who merge nothing, anywhere in what the loaded leaf held, by its hash.
 */
static uint32_t place_of(const struct model_random *random, const struct model *m, uint64_t rank,
                         uint64_t hash)
{
    const struct model_index *index = &m->layout.index[random->id];
    unsigned __int128 place = (unsigned __int128)rank * index->scale;
    uint32_t slot = index_leaf(index, rank) - index->first;
    uint64_t within = m->is.profile == MODEL_INNODB ? (uint64_t)place : hash;

    return slot << random->shift | (uint32_t)(within >> (64 - random->shift));
}

static uint32_t random_leaf(const struct model_random *random, uint32_t place)
{
    uint32_t leaf = random->head[place >> random->shift];

    while (random->next[leaf] != NO_LEAF && random->from[random->next[leaf]] <= place) {
        leaf = random->next[leaf];
    }
    return leaf;
}

/* The first place behind a leaf. */
static uint64_t leaf_end(const struct model_random *random, uint32_t leaf)
{
    return random->next[leaf] != NO_LEAF ? random->from[random->next[leaf]]
                                         : (uint64_t)random->loaded << random->shift;
}

/* Who looks for a place in [from, to) begins at `leaf`, if his slot begins there. */
static void random_lead(struct model_random *random, uint64_t from, uint64_t to, uint32_t leaf)
{
    uint64_t unit = (uint64_t)1 << random->shift;

    for (uint64_t slot = (from + unit - 1) >> random->shift; slot << random->shift < to; slot++) {
        random->head[slot] = leaf;
    }
}

uint32_t random_page(const struct model_random *random, const struct model *m, uint64_t rank,
                     uint64_t hash)
{
    return index_page(&m->layout.index[random->id],
                      random_leaf(random, place_of(random, m, rank, hash)));
}

uint32_t random_renew(struct model *m, enum index_id id, uint32_t leaf)
{
    uint32_t page = index_page(&m->layout.index[id], leaf), frame;

    if (page >= m->layout.grown_first) {
        bit_clear(m->made, page - m->layout.grown_first);
    }
    frame = pool_find(&m->pool, page);
    if (frame != POOL_NONE && (m->pool.frames[frame].prev & FRAME_READING) == 0) {
        m->pool.frames[frame].stamp |= FRAME_FRESH; /* written without a doublewrite */
    }
    return page;
}

/* A page that was given back comes first. */
static uint32_t split_page(struct model_random *random, struct model *m)
{
    const struct model_index *index = &m->layout.index[random->id];
    uint32_t leaf = random->freed;

    if (leaf == NO_LEAF) {
        return m->grown[random->id] >= index->reserve ? POOL_NO_PAGE : model_grow(m, random->id);
    }
    random->freed = random->next[leaf];
    return random_renew(m, random->id, leaf);
}

/* When the reserve is used up, or one key fills a page, what is purged makes room. */
static void random_split(struct model_random *random, struct model *m, struct model_session *s,
                         uint32_t leaf)
{
    const struct model_index *index = &m->layout.index[random->id];
    uint32_t half = random->fill[leaf] / 2, rest = random->fill[leaf] - half, page, right;
    uint64_t from = random->from[leaf], end = leaf_end(random, leaf), middle = (from + end) / 2;

    page = middle > from ? split_page(random, m) : POOL_NO_PAGE;
    random->fill[leaf] = (uint16_t)half;
    if (page == POOL_NO_PAGE) {
        random->heap[leaf] = (uint16_t)half;
        return;
    }
    right = index_slot(index, page);
    s->split = page;
    m->facts.leaf_splits++;
    random->fill[right] = random->heap[right] = (uint16_t)rest;
    random->from[right] = (uint32_t)middle;
    random->next[right] = random->next[leaf];
    random->next[leaf] = right;
    random_lead(random, middle, end, right);
    log_append(&m->log, m->log_bytes->split);
}

/*
 * A change of the tree latches both neighbours (btr_cur_latch_leaves, BTR_MODIFY_TREE), so does one
 * that comes to nothing: purge looks for a leaf to merge with, and there is none.
 */
static void note_neighbors(const struct model_random *random, const struct model *m,
                           struct model_session *s, uint32_t leaf)
{
    const struct model_index *index = &m->layout.index[random->id];
    uint32_t next = random->next[leaf], from = random->from[leaf];

    if (m->is.profile != MODEL_INNODB) {
        return; /* of postgres other things are kept there */
    }
    s->left = from > 0 ? index_page(index, random_leaf(random, from - 1)) : POOL_NO_PAGE;
    s->right = next != NO_LEAF ? index_page(index, next) : POOL_NO_PAGE;
}

/* Nothing of the tree changes at this leaf. */
static void leaf_alone(const struct model *m, struct model_session *s, uint32_t page)
{
    s->leaf = page;
    s->split = POOL_NO_PAGE;
    if (m->is.profile == MODEL_INNODB) {
        s->left = s->right = POOL_NO_PAGE;
        s->flags &= (uint16_t)~SESSION_MERGED;
    }
}

static void leaf_insert(struct model_random *random, struct model *m, struct model_session *s,
                        uint32_t leaf)
{
    const struct model_index *index = &m->layout.index[random->id];
    bool takes = leaf_takes(random, index, leaf);

    leaf_alone(m, s, index_page(index, leaf));
    s->flags |= SESSION_WROTE;
    random->fill[leaf]++;
    if (!takes) {
        note_neighbors(random, m, s, leaf);
        random_split(random, m, s, leaf);
    } else if (random->heap[leaf] < random->fill[leaf]) {
        random->heap[leaf] = random->fill[leaf];
    }
}

void random_insert(struct model_random *random, struct model *m, struct model_session *s,
                   uint64_t rank, uint64_t hash)
{
    leaf_insert(random, m, s, random_leaf(random, place_of(random, m, rank, hash)));
}

/* Where one page's records go into another: behind its own, or it is reorganized (btr0btr). */
static uint16_t merged_heap(const struct model_random *random, const struct model_index *index,
                            uint32_t from, uint32_t to)
{
    uint32_t behind = (uint32_t)random->heap[to] + random->fill[from];

    return (uint16_t)(behind <= index->capacity ? behind
                                                : (uint32_t)random->fill[to] + random->fill[from]);
}

/* The right one of two goes; `from` says whose records are moved. */
static void random_merge(struct model_random *random, struct model *m, struct model_session *s,
                         uint32_t left, uint32_t from)
{
    const struct model_index *index = &m->layout.index[random->id];
    uint32_t right = random->next[left], page = index_page(index, right);

    random->heap[left] = merged_heap(random, index, from, from == left ? right : left);
    random_lead(random, random->from[right], leaf_end(random, right), left);
    random->fill[left] = (uint16_t)(random->fill[left] + random->fill[right]);
    random->next[left] = random->next[right];
    random->next[right] = random->freed;
    random->fill[right] = random->heap[right] = 0;
    random->freed = right;
    note_neighbors(random, m, s, left);
    s->leaf = index_page(index, left);
    s->split = page;
    s->flags |= SESSION_MERGED;
    writer_free_page(m, page);
    log_append(&m->log, m->log_bytes->merge);
}

/* With its left neighbour, if both have room in one page, else with its right one. */
static void random_merge_small(struct model_random *random, struct model *m,
                               struct model_session *s, uint32_t leaf)
{
    uint32_t capacity = m->layout.index[random->id].capacity, next = random->next[leaf];

    if (random->fill[leaf] >= random->merge_below) {
        return;
    }
    note_neighbors(random, m, s, leaf);
    if (random->from[leaf] > 0) {
        uint32_t left = random_leaf(random, random->from[leaf] - 1);

        if (random->fill[left] + random->fill[leaf] <= capacity) {
            random_merge(random, m, s, left, leaf);
            return;
        }
    }
    if (next != NO_LEAF && random->fill[leaf] + random->fill[next] <= capacity) {
        random_merge(random, m, s, leaf, leaf);
    }
}

void random_purge(struct model_random *random, struct model *m, struct model_session *s,
                  uint32_t place)
{
    uint32_t leaf = random_leaf(random, place);

    leaf_alone(m, s, index_page(&m->layout.index[random->id], leaf));
    random->fill[leaf] -= random->fill[leaf] > 0;
    random_merge_small(random, m, s, leaf);
}

void random_remove(struct model_random *random, struct model *m, struct model_session *s,
                   uint64_t rank, uint64_t hash)
{
    uint32_t place = place_of(random, m, rank, hash);

    if (purge_later(m, random->id, place)) {
        leaf_alone(m, s, index_page(&m->layout.index[random->id], random_leaf(random, place)));
    } else {
        random_purge(random, m, s, place);
    }
}

void random_change(struct model_random *random, struct model *m, struct model_session *s,
                   uint64_t rank, uint64_t hash)
{
    uint32_t place = place_of(random, m, rank, hash), leaf = random_leaf(random, place), split;
    uint32_t page = index_page(&m->layout.index[random->id], leaf);

    if (m->is.profile != MODEL_INNODB) {
        s->leaf = page;
        return;
    }
    leaf_insert(random, m, s, leaf);
    if (purge_later(m, random->id, place)) {
        return;
    }
    split = s->split;
    random_purge(random, m, s, place);
    s->leaf = page;
    if (split != POOL_NO_PAGE) {
        s->split = split;
        s->flags &= (uint16_t)~SESSION_MERGED;
    }
}

/*
 * Where a page comes or goes the headers of its file change: map of extents, bitmap, inodes. Which
 * file a page that was added belongs to is not kept.
 */
static void plan_headers(const struct model *m, const struct model_session *s, struct plan *plan,
                         enum index_id id)
{
    const struct model_index *index = &m->layout.index[id];
    uint32_t table = (uint32_t)id, page = s->leaf - index->first;

    if (id == IX_SBTEST_K) {
        table = page < index->leaves
                    ? (uint32_t)((uint64_t)page * m->is.sysbench.tables / index->leaves)
                    : s->leaf % m->is.sysbench.tables;
    }
    table %= HEADER_TABLES;
    for (uint32_t i = 0; i < HEADER_PAGES; i++) {
        plan_add(plan, IX_SYSTEM,
                 m->layout.index[IX_SYSTEM].first + ROLLBACK_PAGES + table * HEADER_PAGES + i,
                 TOUCH_HEADER);
    }
}

/* A page that comes or goes is linked in: the one to its right is changed, too. */
void random_plan(const struct model *m, const struct model_session *s, struct plan *plan,
                 enum index_id id)
{
    bool changes = s->split != POOL_NO_PAGE;

    plan_add(plan, id, s->leaf, TOUCH_WRITE);
    if (changes) {
        plan_add(plan, id, s->split, (s->flags & SESSION_MERGED) ? TOUCH_READ : TOUCH_WRITE);
    }
    if (m->is.profile != MODEL_INNODB) {
        return;
    }
    if (s->left != POOL_NO_PAGE) {
        plan_add(plan, id, s->left, TOUCH_READ);
    }
    if (s->right != POOL_NO_PAGE) {
        plan_add(plan, id, s->right, changes ? TOUCH_WRITE : TOUCH_READ);
    }
    if (changes) {
        plan_headers(m, s, plan, id);
    }
}
