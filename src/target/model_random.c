#include "model_random.h"

#include <errno.h>

#include "base/dist.h"
#include "base/mem.h"

#define LN_2 0.6931471805599453

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

int random_open(struct model_random *random, const struct model *m, enum index_id id, bool full,
                struct error *err)
{
    const struct model_index *index = &m->layout.index[id];

    *random = (struct model_random){.id = id};
    if (index->leaves == 0) {
        return 0;
    }
    random->leaves = index->leaves + index->reserve;
    random->fill = mem_large((uint64_t)random->leaves * 2);
    random->next = mem_large((uint64_t)random->leaves * 4);
    if (!random->fill || !random->next) {
        random_close(random);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the %u leaves of %s",
                         random->leaves, index->name);
    }
    for (uint32_t i = 0; i < index->leaves; i++) {
        random->fill[i] = full ? (uint16_t)index->capacity
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

/* When the reserve is used up, old versions are taken to be purged instead. */
static void random_split(struct model_random *random, struct model *m, struct model_session *s,
                         uint32_t leaf)
{
    const struct model_index *index = &m->layout.index[random->id];
    uint32_t half = random->fill[leaf] / 2;

    random->fill[leaf] = (uint16_t)half;
    if (m->grown[random->id] >= index->reserve) {
        return;
    }
    s->split = model_grow(m, random->id);
    uint32_t grown = page_leaf(index, s->split);

    random->fill[grown] = (uint16_t)half;
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

void random_remove(struct model_random *random, const struct model *m, uint32_t page)
{
    uint32_t leaf = page_leaf(&m->layout.index[random->id], page);

    random->fill[leaf] -= random->fill[leaf] > 0;
}

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
        plan_add(plan, id, s->leaf + 1, TOUCH_READ);
    }
}
