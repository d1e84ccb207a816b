#include "model_pool.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"

enum {
    BUCKET_FRAMES = 12, /* of 15 slots */
    ORDER_GROUP = 64,   /* dirty pages that share an LSN */
    OLD_PER_CENT = 37,
    OLD_TOLERANCE = 20
};

_Static_assert(sizeof(struct pool_frame) == 16, "a frame is 16 bytes");
_Static_assert(sizeof(struct pool_bucket) == 64, "a bucket is one cache line");

/* ---- memory ------------------------------------------------------------------------------------
 */

static uint32_t pool_buckets_for(uint32_t frames)
{
    return frames / BUCKET_FRAMES + 1;
}

/* 0.6 of the frames: dirty pages beyond are found again by a scan (order_refill) */
static uint32_t pool_order_for(uint32_t frames)
{
    return (uint32_t)((uint64_t)frames * 6 / 10 / ORDER_GROUP + 2) * ORDER_GROUP;
}

static uint64_t pool_map_bytes(uint32_t pages)
{
    return ((uint64_t)pages / 64 + 1) * 8;
}

double pool_frame_bytes(bool ordered)
{
    double order = 0.6 * (sizeof(uint32_t) + 8.0 / ORDER_GROUP);

    return sizeof(struct pool_frame) + (double)sizeof(struct pool_bucket) / BUCKET_FRAMES +
           (ordered ? order : 0);
}

uint64_t pool_memory_bytes(uint32_t frames, uint32_t pages, uint32_t level1_pages, bool ordered)
{
    uint64_t order = ordered ? pool_order_for(frames) : 0;

    return (uint64_t)frames * sizeof(struct pool_frame) +
           (uint64_t)pool_buckets_for(frames) * sizeof(struct pool_bucket) +
           (uint64_t)level1_pages * 4 + pool_map_bytes(pages) + order * 4 + order / ORDER_GROUP * 8;
}

static int pool_allocate(struct pool *pool, bool ordered)
{
    uint64_t order = ordered ? pool_order_for(pool->count) : 0;

    pool->order_limit = (uint32_t)order;
    pool->frames = mem_large((uint64_t)pool->count * sizeof(struct pool_frame));
    pool->buckets = mem_large((uint64_t)pool->bucket_count * sizeof(struct pool_bucket));
    pool->level1 = mem_large(((uint64_t)pool->level1_end - pool->level1_first + 1) * 4);
    pool->dirty_map = mem_large(pool_map_bytes(pool->pages));
    if (ordered) {
        pool->order = mem_large(order * 4);
        pool->order_lsn = mem_large(order / ORDER_GROUP * 8);
    }
    return pool->frames && pool->buckets && pool->level1 && pool->dirty_map &&
                   (!ordered || (pool->order && pool->order_lsn))
               ? 0
               : -ENOMEM;
}

static uint32_t pool_bits(uint32_t n)
{
    return n == 0 ? 0 : 32 - (uint32_t)__builtin_clz(n);
}

int pool_open(struct pool *pool, enum pool_policy policy, uint32_t frames, uint32_t pages,
              uint32_t level1_first, uint32_t level1_end, bool ordered, struct error *err)
{
    uint64_t slack = (uint64_t)frames * (100 - OLD_PER_CENT) / 400;

    must(frames >= 8 && frames < POOL_NONE);
    must(level1_first <= level1_end && level1_end <= pages);
    memset(pool, 0, sizeof(*pool));
    pool->policy = policy;
    pool->count = frames;
    pool->pages = pages;
    pool->level1_first = level1_first;
    pool->level1_end = level1_end;
    pool->bucket_count = pool_buckets_for(frames);
    pool->frame_mask = (1u << pool_bits(frames)) - 1;
    pool->head = pool->tail = pool->middle = pool->free_head = pool->scan = POOL_NONE;
    pool->free_count = frames;
    while (slack >> pool->clock_shift > FRAME_STAMP / 4) {
        pool->clock_shift++;
    }
    pool->slack = (uint32_t)(slack >> pool->clock_shift);
    if (pool_allocate(pool, ordered) != 0) {
        pool_close(pool);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a buffer pool of %u frames",
                         frames);
    }
    return 0;
}

void pool_close(struct pool *pool)
{
    mem_large_free(pool->frames, (uint64_t)pool->count * sizeof(struct pool_frame));
    mem_large_free(pool->buckets, (uint64_t)pool->bucket_count * sizeof(struct pool_bucket));
    mem_large_free(pool->level1, ((uint64_t)pool->level1_end - pool->level1_first + 1) * 4);
    mem_large_free(pool->dirty_map, pool_map_bytes(pool->pages));
    mem_large_free(pool->order, (uint64_t)pool->order_limit * 4);
    mem_large_free(pool->order_lsn, (uint64_t)pool->order_limit / ORDER_GROUP * 8);
    memset(pool, 0, sizeof(*pool));
}

/* ---- page table --------------------------------------------------------------------------------
 */

static struct pool_bucket *pool_bucket_after(const struct pool *pool, struct pool_bucket *bucket)
{
    return bucket + 1 == pool->buckets + pool->bucket_count ? pool->buckets : bucket + 1;
}

static void table_add(struct pool *pool, uint32_t frame, uint32_t page)
{
    uint64_t hash = pool_hash(page);
    struct pool_bucket *bucket = pool_bucket_of(pool, hash);
    uint32_t entry = ((uint32_t)hash & ~pool->frame_mask) | (frame + 1);

    for (;; bucket = pool_bucket_after(pool, bucket)) {
        for (uint32_t i = 0; i < 15; i++) {
            if (bucket->slot[i] == 0) {
                bucket->slot[i] = entry;
                return;
            }
        }
        bucket->spilled++;
    }
}

static void table_remove(struct pool *pool, uint32_t frame, uint32_t page)
{
    uint64_t hash = pool_hash(page);
    struct pool_bucket *bucket = pool_bucket_of(pool, hash);
    uint32_t entry = ((uint32_t)hash & ~pool->frame_mask) | (frame + 1);

    for (;; bucket = pool_bucket_after(pool, bucket)) {
        uint32_t found = pool_matches(bucket, entry, 0);

        if (found) {
            bucket->slot[__builtin_ctz(found)] = 0;
            return;
        }
        must(bucket->spilled > 0);
        bucket->spilled--;
    }
}

static bool pool_is_level1(const struct pool *pool, uint32_t page)
{
    return page >= pool->level1_first && page < pool->level1_end;
}

static void pool_register(struct pool *pool, uint32_t frame, uint32_t page)
{
    if (pool_is_level1(pool, page)) {
        pool->level1[page - pool->level1_first] = frame + 1;
    } else {
        table_add(pool, frame, page);
    }
}

static void pool_unregister(struct pool *pool, uint32_t frame, uint32_t page)
{
    if (pool_is_level1(pool, page)) {
        pool->level1[page - pool->level1_first] = 0;
    } else {
        table_remove(pool, frame, page);
    }
}

/* ---- the list ----------------------------------------------------------------------------------
 */

static uint32_t frame_prev(const struct pool *pool, uint32_t frame)
{
    return pool->frames[frame].prev & FRAME_LINK;
}

static uint32_t frame_next(const struct pool *pool, uint32_t frame)
{
    return pool->frames[frame].next & FRAME_LINK;
}

static void frame_set_prev(struct pool *pool, uint32_t frame, uint32_t prev)
{
    pool->frames[frame].prev = (pool->frames[frame].prev & ~FRAME_LINK) | prev;
}

static void frame_set_next(struct pool *pool, uint32_t frame, uint32_t next)
{
    pool->frames[frame].next = (pool->frames[frame].next & ~FRAME_LINK) | next;
}

static void frame_set_stamp(struct pool *pool, uint32_t frame, uint32_t stamp)
{
    pool->frames[frame].stamp = (pool->frames[frame].stamp & ~FRAME_STAMP) | (stamp & FRAME_STAMP);
}

static void list_link(struct pool *pool, uint32_t frame, uint32_t prev, uint32_t next)
{
    frame_set_prev(pool, frame, prev);
    frame_set_next(pool, frame, next);
    if (prev == POOL_NONE) {
        pool->head = frame;
    } else {
        frame_set_next(pool, prev, frame);
    }
    if (next == POOL_NONE) {
        pool->tail = frame;
    } else {
        frame_set_prev(pool, next, frame);
    }
}

static void list_unlink(struct pool *pool, uint32_t frame)
{
    uint32_t prev = frame_prev(pool, frame), next = frame_next(pool, frame);

    if (pool->middle == frame) {
        pool->middle = next;
    }
    if (pool->scan == frame) {
        pool->scan = prev;
    }
    if (prev == POOL_NONE) {
        pool->head = next;
    } else {
        frame_set_next(pool, prev, next);
    }
    if (next == POOL_NONE) {
        pool->tail = prev;
    } else {
        frame_set_prev(pool, next, prev);
    }
    if (pool->frames[frame].prev & FRAME_OLD) {
        pool->old--;
    } else {
        pool->young--;
    }
}

/* A young page that grows old may be promoted at once: it came long ago. */
static void list_rebalance(struct pool *pool)
{
    uint32_t want = (uint32_t)((uint64_t)(pool->young + pool->old) * OLD_PER_CENT / 100);

    while (pool->old > want + OLD_TOLERANCE) {
        uint32_t frame = pool->middle;

        pool->middle = frame_next(pool, frame);
        pool->frames[frame].prev &= ~FRAME_OLD;
        frame_set_stamp(pool, frame, pool_clock(pool));
        pool->old--;
        pool->young++;
    }
    while (pool->old + OLD_TOLERANCE < want) {
        uint32_t frame = pool->middle == POOL_NONE ? pool->tail : frame_prev(pool, pool->middle);

        pool->middle = frame;
        pool->frames[frame].prev |= FRAME_OLD;
        frame_set_stamp(pool, frame, pool->now_ms - 1000);
        pool->young--;
        pool->old++;
    }
}

static void list_insert_old(struct pool *pool, uint32_t frame)
{
    uint32_t next = pool->middle;
    uint32_t prev = next == POOL_NONE ? pool->tail : frame_prev(pool, next);

    pool->frames[frame].prev |= FRAME_OLD;
    frame_set_stamp(pool, frame, pool->now_ms);
    list_link(pool, frame, prev, next);
    pool->middle = frame;
    pool->old++;
    list_rebalance(pool);
}

void pool_promote(struct pool *pool, uint32_t frame)
{
    list_unlink(pool, frame);
    pool->frames[frame].prev &= ~FRAME_OLD;
    frame_set_stamp(pool, frame, pool_clock(pool));
    list_link(pool, frame, POOL_NONE, pool->head);
    pool->young++;
    list_rebalance(pool);
}

/* ---- in and out --------------------------------------------------------------------------------
 */

uint32_t pool_take(struct pool *pool)
{
    uint32_t frame = pool->free_head;

    if (pool->free_count == 0) {
        return POOL_NONE;
    }
    pool->free_count--;
    if (frame == POOL_NONE) {
        frame = pool->unused++;
        pool->frames[frame].page = POOL_NO_PAGE;
        return frame;
    }
    pool->free_head = frame_next(pool, frame);
    return frame;
}

void pool_give(struct pool *pool, uint32_t frame)
{
    struct pool_frame *f = &pool->frames[frame];

    f->page = POOL_NO_PAGE;
    f->prev = POOL_NONE;
    f->stamp = 0;
    frame_set_next(pool, frame, pool->free_head);
    pool->free_head = frame;
    pool->free_count++;
}

void pool_insert(struct pool *pool, uint32_t frame, uint32_t page, bool reading)
{
    struct pool_frame *f = &pool->frames[frame];

    pool_register(pool, frame, page);
    f->page = page;
    f->prev = POOL_NONE | (reading ? FRAME_READING : 0);
    f->next = (f->next & FRAME_GENERATION) | POOL_NONE;
    f->stamp = reading ? 0 : FRAME_FRESH;
    pool->inserted++;
    if (!reading) {
        pool_arrive(pool, frame);
    }
}

void pool_arrive(struct pool *pool, uint32_t frame)
{
    struct pool_frame *f = &pool->frames[frame];

    f->prev = POOL_NONE;
    f->next = (f->next & FRAME_GENERATION) | POOL_NONE;
    if (pool->policy == POOL_CLOCK) {
        /* a page that was read is used by whoever waits for it; one that was created is in use */
        frame_set_stamp(pool, frame, (f->stamp & FRAME_FRESH) != 0);
    } else {
        list_insert_old(pool, frame);
    }
}

void pool_forget(struct pool *pool, uint32_t frame)
{
    must(pool->frames[frame].prev & FRAME_READING);
    pool_unregister(pool, frame, pool->frames[frame].page);
    pool_give(pool, frame);
}

void pool_evict(struct pool *pool, uint32_t frame)
{
    struct pool_frame *f = &pool->frames[frame];

    must((f->prev & (FRAME_DIRTY | FRAME_READING | FRAME_WRITING)) == 0);
    if (pool->policy == POOL_MIDPOINT) {
        list_unlink(pool, frame);
    }
    pool_unregister(pool, frame, f->page);
    pool_give(pool, frame);
    pool->evictions++;
    if (pool->policy == POOL_MIDPOINT) {
        list_rebalance(pool);
    }
}

uint32_t pool_sweep(struct pool *pool)
{
    for (uint64_t i = 0; i < (uint64_t)pool->count * (POOL_USAGE_MOST + 2); i++) {
        uint32_t frame = pool->hand;
        struct pool_frame *f = &pool->frames[frame];

        pool->hand = frame + 1 == pool->count ? 0 : frame + 1;
        pool->passes += pool->hand == 0;
        if (frame >= pool->unused || f->page == POOL_NO_PAGE ||
            (f->prev & (FRAME_READING | FRAME_WRITING))) {
            continue;
        }
        if ((f->stamp & FRAME_STAMP) == 0) {
            return frame;
        }
        f->stamp--;
    }
    return POOL_NONE;
}

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

    if (at % ORDER_GROUP == 0 || pool->order_count == 0) {
        pool->order_lsn[at / ORDER_GROUP] = lsn;
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
        uint64_t lsn = pool->order_lsn[at / ORDER_GROUP];

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
    if (pool->order_count + ORDER_GROUP >= pool->order_limit &&
        pool->dirty < pool->order_count - pool->order_count / 8) {
        order_compact(pool);
    }
    if (pool->order_count + ORDER_GROUP >= pool->order_limit) {
        pool->order_missed++;
        return;
    }
    order_append(pool, entry, lsn);
}

/* What did not fit: by a scan, with the LSN of the first that is still queued or of now. */
static void order_refill(struct pool *pool)
{
    uint64_t lsn = pool->order_count ? pool->order_lsn[pool->order_first / ORDER_GROUP] : 0;

    pool->order_missed = 0;
    pool->order_first = pool->order_count = 0;
    for (uint32_t frame = 0; frame < pool->unused; frame++) {
        if ((pool->frames[frame].prev & FRAME_DIRTY) == 0) {
            continue;
        }
        if (pool->order_count + ORDER_GROUP >= pool->order_limit) {
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
            *ret_lsn = pool->order_lsn[pool->order_first / ORDER_GROUP];
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

        if (pool->order_lsn[order_at(pool, middle) / ORDER_GROUP] <= lsn) {
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
