#include "model_random.h"

#include <errno.h>

#include "base/dist.h"
#include "base/mem.h"

#define LN_2 0.6931471805599453
/* innodb: headers and trailer of a page, and a directory slot's share of an entry (MODEL.md 3.1) */
enum { PAGE_ENDS = 128 };
#define SLOT_BYTES 0.5

uint64_t random_memory_bytes(const struct model_index *index)
{
    return index->leaves ? ((uint64_t)index->leaves + index->reserve) * 6 : 0;
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
static uint32_t merge_limit(const struct model *m, const struct model_index *index)
{
    double page = m->is.page_bytes;
    double entry = (page - PAGE_ENDS) / index->capacity - SLOT_BYTES;

    return m->is.profile == MODEL_INNODB ? (uint32_t)(page / 2 / entry) : 0;
}

int random_open(struct model_random *random, const struct model *m, enum index_id id, bool full,
                struct error *err)
{
    const struct model_index *index = &m->layout.index[id];

    *random = (struct model_random){.id = id};
    if (index->leaves == 0) {
        return 0;
    }
    random->leaves = index->leaves + index->reserve;
    random->merge_below = merge_limit(m, index);
    random->fill = mem_large((uint64_t)random->leaves * 2);
    random->next = mem_large((uint64_t)random->leaves * 4);
    if (!random->fill || !random->next) {
        random_close(random);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the %u leaves of %s",
                         random->leaves, index->name);
    }
    for (uint32_t i = 0; i < index->leaves; i++) {
        random->fill[i] = full
                              ? (uint16_t)(m->postgres ? index->capacity * 9 / 10 : index->capacity)
                              : settled_fill(index->capacity, rng_hash(m->is.seed ^ i));
    }
    return 0;
}

void random_close(struct model_random *random)
{
    mem_large_free(random->fill, (uint64_t)random->leaves * 2);
    mem_large_free(random->next, (uint64_t)random->leaves * 4);
    random->fill = NULL;
    random->next = NULL;
}

static uint32_t leaf_page(const struct model_index *index, uint32_t leaf)
{
    return leaf < index->leaves ? index->first + leaf : index->grown_first + leaf - index->leaves;
}

static uint32_t page_leaf(const struct model_index *index, uint32_t page)
{
    return page >= index->grown_first ? page - index->grown_first + index->leaves
                                      : page - index->first;
}

static uint32_t random_leaf(const struct model_random *random, const struct model_index *index,
                            uint64_t rank, uint64_t hash)
{
    uint32_t leaf = index_leaf(index, rank) - index->first, siblings = 0;

    for (uint32_t i = random->next[leaf]; i != 0; i = random->next[i]) {
        siblings++;
    }
    if (siblings > 0) {
        for (uint64_t skip = hash % (siblings + 1); skip > 0; skip--) {
            leaf = random->next[leaf];
        }
    }
    return leaf;
}

uint32_t random_page(const struct model_random *random, const struct model *m, uint64_t rank,
                     uint64_t hash)
{
    const struct model_index *index = &m->layout.index[random->id];

    return leaf_page(index, random_leaf(random, index, rank, hash));
}

/* A page that was given back comes first, without a read. When the reserve is used up, what is
 * purged makes room. */
static uint32_t split_page(struct model_random *random, struct model *m)
{
    const struct model_index *index = &m->layout.index[random->id];
    uint32_t leaf = random->freed;

    if (leaf != 0) {
        random->freed = random->next[leaf];
        bit_clear(m->made, leaf_page(index, leaf) - m->layout.grown_first);
        return leaf_page(index, leaf);
    }
    return m->grown[random->id] >= index->reserve ? POOL_NO_PAGE : model_grow(m, random->id);
}

static void random_split(struct model_random *random, struct model *m, struct model_session *s,
                         uint32_t leaf)
{
    const struct model_index *index = &m->layout.index[random->id];
    uint32_t half = random->fill[leaf] / 2, rest = random->fill[leaf] - half;
    uint32_t page = split_page(random, m);

    random->fill[leaf] = (uint16_t)half;
    if (page == POOL_NO_PAGE) {
        return;
    }
    uint32_t grown = page_leaf(index, page);

    s->split = page;
    random->splits++;
    random->fill[grown] = (uint16_t)rest;
    random->next[grown] = random->next[leaf];
    random->next[leaf] = grown;
    log_append(&m->log, m->log_bytes->split);
}

void random_insert(struct model_random *random, struct model *m, struct model_session *s,
                   uint64_t rank, uint64_t hash)
{
    const struct model_index *index = &m->layout.index[random->id];
    uint32_t leaf = random_leaf(random, index, rank, hash);

    s->leaf = leaf_page(index, leaf);
    s->split = POOL_NO_PAGE;
    s->flags |= SESSION_WROTE;
    if (++random->fill[leaf] > index->capacity) {
        random_split(random, m, s, leaf);
    }
}

/* The right one of two goes. */
static void random_merge(struct model_random *random, struct model *m, struct model_session *s,
                         uint32_t left)
{
    const struct model_index *index = &m->layout.index[random->id];
    uint32_t right = random->next[left], page = leaf_page(index, right);

    random->fill[left] = (uint16_t)(random->fill[left] + random->fill[right]);
    random->next[left] = random->next[right];
    random->next[right] = random->freed;
    random->fill[right] = 0;
    random->freed = right;
    random->merges++;
    s->split = s->leaf == page ? leaf_page(index, left) : page;
    log_append(&m->log, m->log_bytes->merge);
}

static void random_merge_small(struct model_random *random, struct model *m,
                               struct model_session *s, uint32_t home, uint32_t leaf)
{
    uint32_t capacity = m->layout.index[random->id].capacity, left = home;

    if (random->fill[leaf] >= random->merge_below) {
        return;
    }
    while (left != leaf && random->next[left] != leaf) {
        left = random->next[left];
    }
    if (left != leaf && random->fill[left] + random->fill[leaf] <= capacity) {
        random_merge(random, m, s, left);
    } else if (random->next[leaf] != 0 &&
               random->fill[leaf] + random->fill[random->next[leaf]] <= capacity) {
        random_merge(random, m, s, leaf);
    }
}

void random_remove(struct model_random *random, struct model *m, struct model_session *s,
                   uint64_t rank, uint64_t hash)
{
    const struct model_index *index = &m->layout.index[random->id];
    uint32_t home = index_leaf(index, rank) - index->first;
    uint32_t leaf = random_leaf(random, index, rank, hash);

    s->leaf = leaf_page(index, leaf);
    s->split = POOL_NO_PAGE;
    random->fill[leaf] -= random->fill[leaf] > 0;
    random_merge_small(random, m, s, home, leaf);
}

void random_change(struct model_random *random, struct model *m, struct model_session *s,
                   uint64_t rank, uint64_t hash)
{
    const struct model_index *index = &m->layout.index[random->id];
    uint32_t home = index_leaf(index, rank) - index->first, leaf, split;

    if (m->is.profile != MODEL_INNODB) {
        s->leaf = random_page(random, m, rank, hash);
        return;
    }
    random_insert(random, m, s, rank, hash);
    leaf = page_leaf(index, s->leaf);
    split = s->split;
    random->fill[leaf] -= random->fill[leaf] > 0;
    random_merge_small(random, m, s, home, leaf);
    s->split = split != POOL_NO_PAGE ? split : s->split;
}

/*
 * A page that comes or goes is linked in: the one to its right is changed, the one to its left
 * latched (btr0btr: a change of the tree latches both neighbours).
 */
void random_plan(const struct model *m, const struct model_session *s, struct plan *plan,
                 enum index_id id)
{
    const struct model_index *index = &m->layout.index[id];
    uint32_t end = index->first + index->leaves;

    plan_add(plan, id, s->leaf, TOUCH_WRITE);
    if (s->split == POOL_NO_PAGE) {
        return;
    }
    plan_add(plan, id, s->split, TOUCH_WRITE);
    if (m->is.profile != MODEL_INNODB || s->leaf >= end) {
        return;
    }
    if (s->leaf > index->first) {
        plan_add(plan, id, s->leaf - 1, TOUCH_READ);
    }
    if (s->leaf + 1 < end) {
        plan_add(plan, id, s->leaf + 1, TOUCH_WRITE);
    }
}
