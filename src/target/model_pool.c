#include "model_pool.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"

enum {
    BUCKET_FRAMES = 12, /* of 15 slots */
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
    return (uint32_t)((uint64_t)frames * 6 / 10 / POOL_ORDER_GROUP + 2) * POOL_ORDER_GROUP;
}

static uint64_t pool_map_bytes(uint32_t pages)
{
    return ((uint64_t)pages / 64 + 1) * 8;
}

double pool_frame_bytes(bool ordered)
{
    double order = 0.6 * (sizeof(uint32_t) + 8.0 / POOL_ORDER_GROUP);

    return sizeof(struct pool_frame) + (double)sizeof(struct pool_bucket) / BUCKET_FRAMES +
           (ordered ? order : 0);
}

uint64_t pool_memory_bytes(uint32_t frames, uint32_t pages, uint32_t level1_pages, bool ordered)
{
    uint64_t order = ordered ? pool_order_for(frames) : 0;

    return (uint64_t)frames * sizeof(struct pool_frame) +
           (uint64_t)pool_buckets_for(frames) * sizeof(struct pool_bucket) +
           (uint64_t)level1_pages * 4 + pool_map_bytes(pages) + order * 4 +
           order / POOL_ORDER_GROUP * 8;
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
        pool->order_lsn = mem_large(order / POOL_ORDER_GROUP * 8);
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
    mem_large_free(pool->order_lsn, (uint64_t)pool->order_limit / POOL_ORDER_GROUP * 8);
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

/* MIDPOINT: a page that crosses the border is as if it had been put where it is now. */
static void list_cross(struct pool *pool, uint32_t frame, bool old)
{
    struct pool_frame *f = &pool->frames[frame];

    f->prev = old ? f->prev | FRAME_OLD : f->prev & ~FRAME_OLD;
    if (pool->policy == POOL_INNODB) {
        return;
    }
    f->stamp = old ? f->stamp & ~FRAME_HEAD : f->stamp | FRAME_HEAD;
    /* it came long ago: it may be promoted at once */
    frame_set_stamp(pool, frame, old ? pool->now_ms - 1000 : pool_clock(pool));
}

static void list_rebalance(struct pool *pool)
{
    uint32_t want = (uint32_t)((uint64_t)(pool->young + pool->old) * OLD_PER_CENT / 100);

    while (pool->old > want + OLD_TOLERANCE) {
        uint32_t frame = pool->middle;

        pool->middle = frame_next(pool, frame);
        list_cross(pool, frame, false);
        pool->old--;
        pool->young++;
    }
    while (pool->old + OLD_TOLERANCE < want) {
        uint32_t frame = pool->middle == POOL_NONE ? pool->tail : frame_prev(pool, pool->middle);

        pool->middle = frame;
        list_cross(pool, frame, true);
        pool->young--;
        pool->old++;
    }
}

/* At the border; INNODB: behind the first page that is old (buf_LRU_add_block). */
static void list_insert_old(struct pool *pool, uint32_t frame)
{
    bool behind = pool->policy == POOL_INNODB && pool->middle != POOL_NONE;
    uint32_t next = behind ? frame_next(pool, pool->middle) : pool->middle;
    uint32_t prev = behind ? pool->middle : next == POOL_NONE ? pool->tail : frame_prev(pool, next);

    pool->frames[frame].prev |= FRAME_OLD;
    list_link(pool, frame, prev, next);
    pool->middle = behind ? pool->middle : frame;
    pool->old++;
    list_rebalance(pool);
}

static void list_insert_head(struct pool *pool, uint32_t frame)
{
    pool->frames[frame].prev &= ~FRAME_OLD;
    pool->frames[frame].stamp |= FRAME_HEAD;
    frame_set_stamp(pool, frame, pool_clock(pool));
    list_link(pool, frame, POOL_NONE, pool->head);
    pool->young++;
    list_rebalance(pool);
}

void pool_promote(struct pool *pool, uint32_t frame)
{
    pool->grown_young += (pool->frames[frame].prev & FRAME_OLD) != 0;
    list_unlink(pool, frame);
    list_insert_head(pool, frame);
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
    if (reading && pool->policy == POOL_INNODB) {
        list_insert_old(pool, frame); /* buf_page_init_for_read: before it is there */
    } else if (!reading) {
        pool_arrive(pool, frame);
    }
}

void pool_arrive(struct pool *pool, uint32_t frame)
{
    struct pool_frame *f = &pool->frames[frame];

    if (pool->policy == POOL_INNODB && (f->prev & FRAME_READING)) {
        f->prev &= ~FRAME_READING;
        f->stamp = pool->now_ms & FRAME_STAMP;
        return;
    }
    f->prev = POOL_NONE;
    f->next = (f->next & FRAME_GENERATION) | POOL_NONE;
    f->stamp &= FRAME_FRESH;
    if (pool->policy == POOL_CLOCK) {
        /* a page that was read is used by whoever waits for it; one that was created is in use */
        frame_set_stamp(pool, frame, f->stamp != 0);
    } else if (pool->policy == POOL_INNODB) {
        list_insert_head(pool, frame); /* buf_page_create: young from the start */
    } else {
        frame_set_stamp(pool, frame, pool->now_ms);
        list_insert_old(pool, frame);
    }
}

void pool_forget(struct pool *pool, uint32_t frame)
{
    must(pool->frames[frame].prev & FRAME_READING);
    if (pool->policy == POOL_INNODB) {
        list_unlink(pool, frame);
    }
    pool_unregister(pool, frame, pool->frames[frame].page);
    pool_give(pool, frame);
    if (pool->policy == POOL_INNODB) {
        list_rebalance(pool);
    }
}

void pool_evict(struct pool *pool, uint32_t frame)
{
    struct pool_frame *f = &pool->frames[frame];

    must((f->prev & (FRAME_DIRTY | FRAME_READING | FRAME_WRITING)) == 0);
    if (pool->policy != POOL_CLOCK) {
        list_unlink(pool, frame);
    }
    pool_unregister(pool, frame, f->page);
    pool_give(pool, frame);
    pool->evictions++;
    if (pool->policy != POOL_CLOCK) {
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
