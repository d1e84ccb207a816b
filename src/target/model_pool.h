/* target/model_pool: which pages are in memory, and which go next. Metadata only, no page images.
 */
#ifndef RAWTPS_TARGET_MODEL_POOL_H
#define RAWTPS_TARGET_MODEL_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

/*
 * MIDPOINT: two lists, a page grows young when it is used a second after it came. INNODB: the same
 * with what InnoDB's source adds to it, below. CLOCK: usage counts.
 */
enum pool_policy { POOL_MIDPOINT, POOL_INNODB, POOL_CLOCK };

#define POOL_NONE        0x0fffffffu /* no frame; also the most frames there can be */
#define POOL_NO_PAGE     0xffffffffu
#define FRAME_LINK       0x0fffffffu
#define FRAME_OLD        0x10000000u /* in prev: in the old sublist */
#define FRAME_DIRTY      0x20000000u /* in prev: changed since it was last captured for a write */
#define FRAME_READING    0x40000000u /* in prev: on its way in; who waits is in the request */
#define FRAME_WRITING    0x80000000u /* in prev: a captured image is on its way out */
#define FRAME_GENERATION 0xf0000000u /* in next: how often captured, modulo 16 */
#define FRAME_STAMP      0x007fffffu /* in stamp: usage (clock); ms of its arrival, or ... */
#define FRAME_HEAD       0x00800000u /* ... of the eviction clock when it was put at the head */
#define FRAME_EPOCH      0x7f000000u /* in stamp: log epoch of the last change, modulo 128 */
#define FRAME_FRESH      0x80000000u /* in stamp: created here and never yet written */
enum { FRAME_EPOCH_SHIFT = 24, FRAME_EPOCHS = 128, POOL_USAGE_MOST = 5 };
enum { POOL_ORDER_GROUP = 64 }; /* dirty pages that share an LSN */

/*
 * One page in memory: 16 bytes. With a bucket's share, 64 bytes for 12 frames, and the share of
 * the dirty order (innodb), a frame costs at most 24 bytes (pool_frame_bytes).
 */
struct pool_frame {
    uint32_t page, prev, next, stamp;
};

/* One cache line of the page table: 15 entries (tag and frame) and how many spilled over. */
struct pool_bucket {
    uint32_t slot[15], spilled;
} __attribute__((aligned(64)));

struct pool {
    struct pool_frame *frames;
    struct pool_bucket *buckets;
    uint32_t *level1; /* frame + 1 of each level-1 page: they are looked up by number alone */
    uint64_t *dirty_map, *order_lsn;
    uint32_t *order; /* frames as they became dirty, with their generation; stale ones skipped */
    uint32_t count, bucket_count, frame_mask;
    uint32_t pages, level1_first, level1_end;
    enum pool_policy policy;

    uint32_t head, tail, middle; /* one list: young pages, then from `middle` on old ones */
    uint32_t young, old;
    uint32_t free_head, free_count, unused; /* frames from `unused` on were never used */
    uint32_t hand, passes;                  /* clock: where it is, and how often it went round */
    uint32_t scan; /* a place in the list that is kept while frames come and go */
    uint32_t now_ms, slack, clock_shift;
    uint64_t evictions, grown_young; /* grown_young: from old to the head */
    uint32_t dirty;
    uint32_t order_first, order_count, order_limit, order_missed;

    uint64_t accesses, hits, dirtied, captured, discarded, inserted;
};

/*
 * frames   at least 8, below 2^28
 * pages    numbers are [0, pages); those in [level1_first, level1_end) are level-1 pages
 * ordered  keep the order in which pages became dirty (pool_oldest)
 * errors   -ENOMEM
 */
int pool_open(struct pool *pool, enum pool_policy policy, uint32_t frames, uint32_t pages,
              uint32_t level1_first, uint32_t level1_end, bool ordered, struct error *err);
void pool_close(struct pool *pool);
uint64_t pool_memory_bytes(uint32_t frames, uint32_t pages, uint32_t level1_pages, bool ordered);
double pool_frame_bytes(bool ordered); /* frame, bucket and dirty order */

/* A frame to fill, or POOL_NONE. It belongs to no page yet. */
uint32_t pool_take(struct pool *pool);
void pool_give(struct pool *pool, uint32_t frame); /* back, unused */
/* The page is now found. reading: pool_arrive() comes later; else it is in the list at once. */
void pool_insert(struct pool *pool, uint32_t frame, uint32_t page, bool reading);
void pool_arrive(struct pool *pool, uint32_t frame);
/* A page that never came: forgotten. */
void pool_forget(struct pool *pool, uint32_t frame);
/* Its frame is free; must be clean and neither read nor written. */
void pool_evict(struct pool *pool, uint32_t frame);
void pool_promote(struct pool *pool, uint32_t frame);
/* The next page that the clock's hand would evict, or POOL_NONE after two rounds. */
uint32_t pool_sweep(struct pool *pool);

void pool_dirty(struct pool *pool, uint32_t frame, uint32_t epoch, uint64_t lsn);
/* Its image is taken for a write: no longer dirty, being written until pool_written(). */
void pool_capture(struct pool *pool, uint32_t frame);
void pool_written(struct pool *pool, uint32_t frame);
void pool_recapture(struct pool *pool, uint32_t frame, uint64_t lsn); /* the write failed */
void pool_discard(struct pool *pool, uint32_t frame); /* warm: clean without a write */

/*
 * The page that became dirty first (POOL_NONE: none) and the LSN of that, rounded down to what 64
 * pages share. Only if ordered.
 */
uint32_t pool_oldest(struct pool *pool, uint64_t *ret_lsn);
void pool_oldest_pop(struct pool *pool);
/* How many dirty pages became so before an LSN; stale ones taken out by their share. */
uint32_t pool_dirty_before(const struct pool *pool, uint64_t lsn);
/* The first page at or after `from`, below `to`, whose bit is set; POOL_NO_PAGE if there is none.
 */
uint32_t pool_map_next(const uint64_t *map, uint32_t from, uint32_t to);

static inline uint64_t pool_hash(uint32_t page)
{
    return page * 0x9e3779b97f4a7c15u;
}

static inline struct pool_bucket *pool_bucket_of(const struct pool *pool, uint64_t hash)
{
    return &pool->buckets[((hash >> 32) * pool->bucket_count) >> 32];
}

static inline void pool_prefetch(const struct pool *pool, uint32_t page)
{
    if (page < pool->level1_first || page >= pool->level1_end) {
        mem_prefetch(pool_bucket_of(pool, pool_hash(page)));
    }
}

/* A walk from the tail on comes to this frame next (POOL_NONE: to none); it was fetched a step ago:
 * now what leads from it. */
static inline void pool_prefetch_before(const struct pool *pool, uint32_t frame)
{
    if (frame != POOL_NONE) {
        mem_prefetch(&pool->frames[pool->frames[frame].prev & FRAME_LINK]);
        pool_prefetch(pool, pool->frames[frame].page);
    }
}

/* Which slots of a bucket carry the tag: bit i for slot i. */
static inline uint32_t pool_matches(const struct pool_bucket *bucket, uint32_t tag, uint32_t mask)
{
    typedef uint32_t four __attribute__((vector_size(16)));
    typedef uint64_t two __attribute__((vector_size(16)));
    const four *slots = (const four *)(const void *)bucket->slot;
    four keep = {~mask, ~mask, ~mask, ~mask}, want = {tag, tag, tag, tag};
    four m = (four)((slots[0] & keep) == want) & (four){1, 2, 4, 8};

    m |= (four)((slots[1] & keep) == want) & (four){16, 32, 64, 128};
    m |= (four)((slots[2] & keep) == want) & (four){256, 512, 1024, 2048};
    m |= (four)((slots[3] & keep) == want) & (four){4096, 8192, 16384, 0};
    uint64_t x = ((two)m)[0] | ((two)m)[1];

    return (uint32_t)x | (uint32_t)(x >> 32);
}

/* The frame that probably holds the page, POOL_NONE if certainly none does; it is not looked at. */
static inline uint32_t pool_guess(const struct pool *pool, uint32_t page)
{
    uint64_t hash = pool_hash(page);
    const struct pool_bucket *bucket = pool_bucket_of(pool, hash);
    uint32_t found = pool_matches(bucket, (uint32_t)hash & ~pool->frame_mask, pool->frame_mask);
    uint32_t slot = found ? bucket->slot[__builtin_ctz(found)] & pool->frame_mask : 0;

    return slot ? slot - 1 : POOL_NONE;
}

/* The frame of a page whose bucket was fetched: brought nearer. */
static inline void pool_prefetch_frame(const struct pool *pool, uint32_t page)
{
    uint32_t frame = pool_guess(pool, page);

    if (frame != POOL_NONE) {
        mem_prefetch(&pool->frames[frame]);
    }
}

/* The frame of a level-1 page: brought nearer. */
static inline void pool_prefetch_level1(const struct pool *pool, uint32_t page)
{
    uint32_t frame = pool->level1[page - pool->level1_first];

    if (frame) {
        mem_prefetch(&pool->frames[frame - 1]);
    }
}

/* A page whose frame was fetched: those beside it in the list, which it leaves if promoted. */
static inline void pool_prefetch_beside(const struct pool *pool, uint32_t page)
{
    uint32_t frame = pool->policy != POOL_CLOCK ? pool_guess(pool, page) : POOL_NONE;

    if (frame != POOL_NONE) {
        mem_prefetch(&pool->frames[pool->frames[frame].prev & FRAME_LINK]);
        mem_prefetch(&pool->frames[pool->frames[frame].next & FRAME_LINK]);
    }
}

/* The frame that holds a page, be it on its way in, or POOL_NONE. About two cache misses. */
static inline uint32_t pool_find(const struct pool *pool, uint32_t page)
{
    if (page >= pool->level1_first && page < pool->level1_end) {
        uint32_t frame = pool->level1[page - pool->level1_first];

        return frame ? frame - 1 : POOL_NONE;
    }
    uint64_t hash = pool_hash(page);
    uint32_t tag = (uint32_t)hash & ~pool->frame_mask;
    const struct pool_bucket *home = pool_bucket_of(pool, hash), *bucket = home;
    const struct pool_bucket *end = pool->buckets + pool->bucket_count;

    do {
        uint32_t found = pool_matches(bucket, tag, pool->frame_mask);

        for (; found; found &= found - 1) {
            uint32_t slot = bucket->slot[__builtin_ctz(found)] & pool->frame_mask;

            if (slot && pool->frames[slot - 1].page == page) {
                return slot - 1;
            }
        }
        if (bucket->spilled == 0) {
            return POOL_NONE;
        }
        bucket = bucket + 1 == end ? pool->buckets : bucket + 1;
    } while (bucket != home); /* in a small table all may have spilled */
    return POOL_NONE;
}

static inline uint32_t pool_clock(const struct pool *pool)
{
    return (uint32_t)(pool->evictions >> pool->clock_shift) & FRAME_STAMP;
}

/*
 * A page in memory is used. Midpoint (MODEL.md 5.1): old pages become young if they came at least
 * a second ago; young ones go to the head if much was evicted since they were put there. Clock
 * (5.3): the usage count rises to 5.
 *
 * INNODB (buf_LRU_old_adjust_len, buf_page_peek_if_too_old): while the list grows, from one scan
 * of the cleaner to the next, its border moves over most pages that are read, right behind them.
 * They are young without ever having been at the head, their eviction clock is 0, and so whatever
 * uses them next puts them there, without the second. One that sinks back over the border has the
 * time of its arrival still.
 */
static inline void pool_access(struct pool *pool, uint32_t number)
{
    struct pool_frame *frame = &pool->frames[number];

    if (pool->policy == POOL_CLOCK) {
        frame->stamp += (frame->stamp & FRAME_STAMP) < POOL_USAGE_MOST;
        return;
    }
    if (pool->evictions == 0) {
        return; /* buf_page_peek_if_too_old: the order matters from the first eviction on */
    }
    uint32_t stamp = frame->stamp;

    if (stamp & FRAME_HEAD) {
        uint32_t clock = (uint32_t)(pool->evictions >> pool->clock_shift);

        if ((frame->prev & FRAME_OLD) == 0 && ((clock - stamp) & FRAME_STAMP) <= pool->slack) {
            return;
        }
    } else if (frame->prev & FRAME_OLD) {
        if (((pool->now_ms - stamp) & FRAME_STAMP) <= 999) {
            return;
        }
    } else if (pool->evictions >> pool->clock_shift <= pool->slack) {
        return;
    }
    pool_promote(pool, number);
}

static inline bool pool_page_dirty(const struct pool *pool, uint32_t page)
{
    return pool->dirty_map[page / 64] >> (page % 64) & 1;
}

#endif
