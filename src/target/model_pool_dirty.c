#include "model_pool.h"

#include "base/must.h"

/* ---- dirty -------------------------------------------------------------------------------------
 */

static uint32_t order_at(const struct pool *pool, uint32_t i)
{
    uint32_t at = pool->order_first + i;

    return at >= pool->order_limit ? at - pool->order_limit : at;
}

static bool order_stale(const struct pool *pool, uint32_t entry)
{
    const struct pool_frame *f = &pool->frames[entry & FRAME_LINK];

    return (f->prev & FRAME_DIRTY) == 0 || ((f->next ^ entry) & FRAME_GENERATION) != 0;
}

/* An entry that begins a group says its LSN; the others of the group became dirty later. */
static void order_append(struct pool *pool, uint32_t entry, uint64_t lsn)
{
    uint32_t at = order_at(pool, pool->order_count);

    if (at % POOL_ORDER_GROUP == 0 || pool->order_count == 0) {
        pool->order_lsn[at / POOL_ORDER_GROUP] = lsn;
    }
    pool->order[at] = entry;
    pool->order_count++;
}

static void order_compact(struct pool *pool)
{
    uint32_t count = pool->order_count, kept = 0;

    /* the group that is read is never behind the one that is written */
    pool->order_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = order_at(pool, i), entry = pool->order[at];
        uint64_t lsn = pool->order_lsn[at / POOL_ORDER_GROUP];

        if (!order_stale(pool, entry)) {
            order_append(pool, entry, lsn);
            kept++;
        }
    }
    must(kept == pool->order_count);
}

static void order_push(struct pool *pool, uint32_t frame, uint64_t lsn)
{
    uint32_t entry = frame | (pool->frames[frame].next & FRAME_GENERATION);

    /* the ring's last group stays empty, so that no group is written while it is read */
    if (pool->order_count + POOL_ORDER_GROUP >= pool->order_limit &&
        pool->dirty < pool->order_count - pool->order_count / 8) {
        order_compact(pool);
    }
    if (pool->order_count + POOL_ORDER_GROUP >= pool->order_limit) {
        pool->order_missed++;
        return;
    }
    order_append(pool, entry, lsn);
}

/* What did not fit: by a scan, with the LSN of the first that is still queued or of now. */
static void order_refill(struct pool *pool)
{
    uint64_t lsn = pool->order_count ? pool->order_lsn[pool->order_first / POOL_ORDER_GROUP] : 0;

    pool->order_missed = 0;
    pool->order_first = pool->order_count = 0;
    for (uint32_t frame = 0; frame < pool->unused; frame++) {
        if ((pool->frames[frame].prev & FRAME_DIRTY) == 0) {
            continue;
        }
        if (pool->order_count + POOL_ORDER_GROUP >= pool->order_limit) {
            pool->order_missed++;
            continue;
        }
        order_append(pool, frame | (pool->frames[frame].next & FRAME_GENERATION), lsn);
    }
}

static void map_set(struct pool *pool, uint32_t page, bool on)
{
    uint64_t bit = (uint64_t)1 << (page % 64);

    pool->dirty_map[page / 64] =
        on ? pool->dirty_map[page / 64] | bit : pool->dirty_map[page / 64] & ~bit;
}

void pool_dirty(struct pool *pool, uint32_t frame, uint32_t epoch, uint64_t lsn)
{
    struct pool_frame *f = &pool->frames[frame];

    f->stamp = (f->stamp & ~FRAME_EPOCH) | (epoch % FRAME_EPOCHS) << FRAME_EPOCH_SHIFT;
    if (f->prev & FRAME_DIRTY) {
        return;
    }
    f->prev |= FRAME_DIRTY;
    pool->dirty++;
    pool->dirtied++;
    map_set(pool, f->page, true);
    if (pool->order) {
        order_push(pool, frame, lsn);
    }
}

static void pool_undirty(struct pool *pool, uint32_t frame)
{
    struct pool_frame *f = &pool->frames[frame];

    must(f->prev & FRAME_DIRTY);
    f->prev &= ~FRAME_DIRTY;
    f->next += 1u << 28;
    pool->dirty--;
    map_set(pool, f->page, false);
}

void pool_capture(struct pool *pool, uint32_t frame)
{
    must((pool->frames[frame].prev & FRAME_WRITING) == 0);
    pool_undirty(pool, frame);
    pool->frames[frame].prev |= FRAME_WRITING;
    pool->captured++;
}

void pool_written(struct pool *pool, uint32_t frame)
{
    struct pool_frame *f = &pool->frames[frame];

    must(f->prev & FRAME_WRITING);
    f->prev &= ~FRAME_WRITING;
    f->stamp &= ~FRAME_FRESH;
}

void pool_recapture(struct pool *pool, uint32_t frame, uint64_t lsn)
{
    struct pool_frame *f = &pool->frames[frame];

    must(f->prev & FRAME_WRITING);
    f->prev &= ~FRAME_WRITING;
    pool->captured--;
    if (f->prev & FRAME_DIRTY) {
        pool->dirtied--;
        return;
    }
    f->prev |= FRAME_DIRTY;
    pool->dirty++;
    map_set(pool, f->page, true);
    if (pool->order) {
        order_push(pool, frame, lsn);
    }
}

void pool_discard(struct pool *pool, uint32_t frame)
{
    pool_undirty(pool, frame);
    pool->discarded++;
}

static void order_drop_first(struct pool *pool)
{
    pool->order_first = order_at(pool, 1);
    pool->order_count--;
}

uint32_t pool_oldest(struct pool *pool, uint64_t *ret_lsn)
{
    if (pool->order_missed > 0 && pool->order_count < pool->order_limit / 4) {
        order_refill(pool);
    }
    while (pool->order_count > 0) {
        uint32_t entry = pool->order[pool->order_first];

        if (!order_stale(pool, entry)) {
            *ret_lsn = pool->order_lsn[pool->order_first / POOL_ORDER_GROUP];
            return entry & FRAME_LINK;
        }
        order_drop_first(pool);
    }
    return POOL_NONE;
}

void pool_oldest_pop(struct pool *pool)
{
    must(pool->order_count > 0);
    order_drop_first(pool);
}

uint32_t pool_dirty_before(const struct pool *pool, uint64_t lsn)
{
    uint32_t low = 0, high = pool->order_count;

    if (pool->order_count == 0) {
        return 0;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (pool->order_lsn[order_at(pool, middle) / POOL_ORDER_GROUP] <= lsn) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint32_t)((uint64_t)low * pool->dirty / pool->order_count);
}

uint32_t pool_map_next(const uint64_t *map, uint32_t from, uint32_t to)
{
    uint64_t word;
    uint32_t i = from / 64;

    if (from >= to) {
        return POOL_NO_PAGE;
    }
    word = map[i] & (~(uint64_t)0 << (from % 64));
    while (word == 0) {
        if (++i > (to - 1) / 64) {
            return POOL_NO_PAGE;
        }
        word = map[i];
    }
    i = i * 64 + (uint32_t)__builtin_ctzll(word);
    return i < to ? i : POOL_NO_PAGE;
}
