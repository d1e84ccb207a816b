#include "io/loop.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"

/*
 * Near timers lie in a heap, far ones in two rings of unsorted buckets and a rest list. Everything
 * far is due at or after near_until_ns, everything in the heap before it, so the heap's root is
 * always the next timer. A bucket is poured into the heap when time has come to its beginning.
 * Rings do not wrap: each shows one aligned block of time, so a bucket never mixes two rounds.
 */
enum {
    ROOT = 3,              /* children of p are 4p-8 .. 4p-5, each four on one cache line */
    RING_BITS = 10,        /* buckets in a ring */
    RING = 1 << RING_BITS, /* ring 0: 1024 of 1.05 ms; ring 1: 1024 of 1.07 s */
    RINGS = 2,
    BUCKET_BITS = 20,
    WORDS = RING / 64,
    REST = RINGS * RING, /* the list of all that lies beyond the rings */
    LISTS = REST + 1,
    FIRES_A_TURN = 64, /* then let completions in */
};

static const uint32_t FAR = 0x80000000u;  /* in timer.slot: the rest is a node */
static const uint32_t HEAD = 0x80000000u; /* in far_node.prev: the rest is a list */

struct far_node {
    struct timer *timer;
    uint32_t next, prev; /* node 0 is none */
};

struct loop_far {
    int64_t near_until_ns;
    int64_t block[RINGS]; /* ring r shows the times whose due_ns >> ring_shift(r + 1) is this */
    int64_t rest_min_ns;  /* nothing in the rest list is due before */
    uint32_t count, free;
    uint32_t used[RINGS]; /* bit w: words[r][w] is not 0 */
    uint64_t words[RINGS][WORDS];
    uint32_t heads[LISTS];
    struct far_node nodes[];
};

static inline int ring_shift(int ring)
{
    return BUCKET_BITS + ring * RING_BITS;
}

/* ---- near ------------------------------------------------------------------------------------ */

static inline bool entry_before(const struct loop_entry *a, const struct loop_entry *b)
{
    if (a->due_ns != b->due_ns) {
        return a->due_ns < b->due_ns;
    }
    return a->timer->order < b->timer->order;
}

static inline void heap_put(struct loop *loop, uint32_t slot, struct loop_entry entry)
{
    loop->heap[slot] = entry;
    entry.timer->slot = slot;
}

static void heap_rise(struct loop *loop, uint32_t slot, struct loop_entry entry)
{
    while (slot > ROOT) {
        uint32_t parent = slot / 4 + 2;

        if (!entry_before(&entry, &loop->heap[parent])) {
            break;
        }
        heap_put(loop, slot, loop->heap[parent]);
        slot = parent;
    }
    heap_put(loop, slot, entry);
}

static uint32_t first_of(const struct loop *loop, uint32_t child, uint32_t stop)
{
    uint32_t best = child;

    for (uint32_t c = child + 1; c < stop; c++) {
        if (entry_before(&loop->heap[c], &loop->heap[best])) {
            best = c;
        }
    }
    return best;
}

/* Four children are compared without jumps, which nobody could predict; ties go the slow way. */
static inline uint32_t first_child(const struct loop *loop, uint32_t child, uint32_t end)
{
    const struct loop_entry *e = loop->heap + child;
    uint32_t a, b;

    if (child + 4 > end) {
        return first_of(loop, child, end);
    }
    a = e[1].due_ns < e[0].due_ns;
    b = 2 + (e[3].due_ns < e[2].due_ns);
    if (__builtin_expect((e[0].due_ns == e[1].due_ns) | (e[2].due_ns == e[3].due_ns) |
                             (e[a].due_ns == e[b].due_ns),
                         0)) {
        return first_of(loop, child, child + 4);
    }
    return child + a + ((b - a) & -(uint32_t)(e[b].due_ns < e[a].due_ns));
}

static void heap_sink(struct loop *loop, uint32_t slot, struct loop_entry entry)
{
    uint32_t end = ROOT + loop->count;

    for (;;) {
        uint32_t child = 4 * slot - 8;

        if (child >= end) {
            break;
        }
        child = first_child(loop, child, end);
        if (!entry_before(&loop->heap[child], &entry)) {
            break;
        }
        heap_put(loop, slot, loop->heap[child]);
        slot = child;
    }
    heap_put(loop, slot, entry);
}

static inline void heap_push(struct loop *loop, struct timer *timer)
{
    heap_rise(loop, ROOT + loop->count++, (struct loop_entry){timer->due_ns, timer});
}

static void heap_remove(struct loop *loop, uint32_t slot)
{
    uint32_t last = ROOT + --loop->count;
    struct loop_entry moved = loop->heap[last];

    if (slot == last) {
        return;
    }
    if (slot > ROOT && entry_before(&moved, &loop->heap[slot / 4 + 2])) {
        heap_rise(loop, slot, moved);
    } else {
        heap_sink(loop, slot, moved);
    }
}

/* ---- far ------------------------------------------------------------------------------------- */

static uint32_t far_list(const struct loop_far *far, int64_t due_ns)
{
    for (int r = 0; r < RINGS; r++) {
        if (due_ns >> ring_shift(r + 1) == far->block[r]) {
            return (uint32_t)(r * RING) + (uint32_t)((due_ns >> ring_shift(r)) & (RING - 1));
        }
    }
    return REST;
}

static void far_mark(struct loop_far *far, uint32_t list, bool full)
{
    uint32_t ring = list / RING, bit = list % RING, word = bit / 64;

    if (list == REST) {
        return;
    }
    if (full) {
        far->words[ring][word] |= 1ull << (bit % 64);
        far->used[ring] |= 1u << word;
    } else {
        far->words[ring][word] &= ~(1ull << (bit % 64));
        if (far->words[ring][word] == 0) {
            far->used[ring] &= ~(1u << word);
        }
    }
}

static void far_link(struct loop_far *far, uint32_t node)
{
    struct timer *timer = far->nodes[node].timer;
    uint32_t list = far_list(far, timer->due_ns), head = far->heads[list];

    far->nodes[node].next = head;
    far->nodes[node].prev = HEAD | list;
    far->heads[list] = node;
    if (head) {
        far->nodes[head].prev = node;
    } else {
        far_mark(far, list, true);
    }
    if (list == REST && timer->due_ns < far->rest_min_ns) {
        far->rest_min_ns = timer->due_ns;
    }
}

static void far_push(struct loop_far *far, struct timer *timer)
{
    uint32_t node = far->free;

    far->free = far->nodes[node].next;
    far->count++;
    far->nodes[node].timer = timer;
    timer->slot = FAR | node;
    far_link(far, node);
}

static void far_free(struct loop_far *far, uint32_t node)
{
    far->nodes[node].next = far->free;
    far->free = node;
    far->count--;
}

static void far_remove(struct loop_far *far, uint32_t node)
{
    uint32_t next = far->nodes[node].next, prev = far->nodes[node].prev;

    if (next) {
        far->nodes[next].prev = prev;
    }
    if (!(prev & HEAD)) {
        far->nodes[prev].next = next;
    } else {
        far->heads[prev & ~HEAD] = next;
        if (next == 0) {
            far_mark(far, prev & ~HEAD, false);
        }
    }
    far_free(far, node);
}

static inline int64_t far_first(const struct loop_far *far, int ring)
{
    uint32_t word = (uint32_t)__builtin_ctz(far->used[ring]);
    uint32_t bucket = word * 64 + (uint32_t)__builtin_ctzll(far->words[ring][word]);

    return (far->block[ring] << RING_BITS) + bucket;
}

/* The beginning of the first bucket that holds something: no far timer is due before. */
static int64_t far_begin_ns(const struct loop_far *far)
{
    for (int r = 0; r < RINGS; r++) {
        if (far->used[r]) {
            return far_first(far, r) << ring_shift(r);
        }
    }
    return far->heads[REST] ? far->rest_min_ns : INT64_MAX;
}

static uint32_t far_take(struct loop_far *far, uint32_t list)
{
    uint32_t node = far->heads[list];

    far->heads[list] = 0;
    far_mark(far, list, false);
    return node;
}

/* Ring 0's first bucket goes into the heap. */
static void far_pour_near(struct loop *loop)
{
    struct loop_far *far = loop->far;
    int64_t bucket = far_first(far, 0);
    uint32_t node = far_take(far, (uint32_t)(bucket & (RING - 1)));

    far->near_until_ns = (bucket + 1) << BUCKET_BITS;
    while (node) {
        struct timer *timer = far->nodes[node].timer;
        uint32_t next = far->nodes[node].next;

        if (next) {
            mem_prefetch(far->nodes[next].timer);
        }
        far_free(far, node);
        heap_push(loop, timer);
        node = next;
    }
}

static void far_spread(struct loop_far *far, uint32_t node)
{
    while (node) {
        uint32_t next = far->nodes[node].next;

        far_link(far, node);
        node = next;
    }
}

/* Ring 0 is empty: it shows ring 1's first bucket from now on. */
static void far_pour_ring(struct loop_far *far)
{
    int64_t bucket = far_first(far, 1);
    uint32_t node = far_take(far, RING + (uint32_t)(bucket & (RING - 1)));

    far->block[0] = bucket;
    far->near_until_ns = bucket << ring_shift(1);
    far_spread(far, node);
}

/* Both rings are empty: once the rest list's first timer is due, they show its time. */
static void far_pour_rest(struct loop_far *far, int64_t now_ns)
{
    int64_t min_ns = INT64_MAX;

    for (uint32_t n = far->heads[REST]; n; n = far->nodes[n].next) {
        int64_t due_ns = far->nodes[n].timer->due_ns;

        min_ns = due_ns < min_ns ? due_ns : min_ns;
    }
    if (min_ns > now_ns) {
        far->rest_min_ns = min_ns;
        return;
    }
    far->rest_min_ns = INT64_MAX;
    for (int r = 0; r < RINGS; r++) {
        far->block[r] = min_ns >> ring_shift(r + 1);
    }
    far->near_until_ns = far->block[0] << ring_shift(1);
    far_spread(far, far_take(far, REST));
}

/* Fill the empty heap with what time has come to. */
static void far_pour(struct loop *loop)
{
    struct loop_far *far = loop->far;

    while (loop->count == 0 && far->count && far_begin_ns(far) <= loop->now_ns) {
        if (far->used[0]) {
            far_pour_near(loop);
        } else if (far->used[1]) {
            far_pour_ring(far);
        } else {
            far_pour_rest(far, loop->now_ns);
        }
    }
}

/* ---- loop ------------------------------------------------------------------------------------ */

static uint64_t heap_bytes(uint32_t limit)
{
    return ((uint64_t)limit + ROOT) * sizeof(struct loop_entry);
}

static uint64_t far_bytes(uint32_t limit)
{
    return sizeof(struct loop_far) + ((uint64_t)limit + 1) * sizeof(struct far_node);
}

uint64_t loop_memory_bytes(uint32_t limit)
{
    return heap_bytes(limit) + far_bytes(limit);
}

static void far_init(struct loop_far *far, uint32_t limit)
{
    far->near_until_ns = 1 << BUCKET_BITS;
    far->rest_min_ns = INT64_MAX;
    far->free = 1;
    for (uint32_t n = 1; n < limit; n++) {
        far->nodes[n].next = n + 1;
    }
}

int loop_init(struct loop *loop, const struct loop_ops *ops, uint32_t limit, struct error *err)
{
    must(limit > 0 && limit < FAR - ROOT);
    memset(loop, 0, sizeof(*loop));
    loop->heap = mem_large(heap_bytes(limit));
    loop->far = mem_large(far_bytes(limit));
    if (loop->heap == NULL || loop->far == NULL) {
        mem_large_free(loop->heap, heap_bytes(limit));
        mem_large_free(loop->far, far_bytes(limit));
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u timers (%llu bytes)", limit,
                         (unsigned long long)loop_memory_bytes(limit));
    }
    loop->ops = ops;
    loop->limit = limit;
    far_init(loop->far, limit);
    return 0;
}

void loop_close(struct loop *loop)
{
    loop->ops->close(loop);
    mem_large_free(loop->heap, heap_bytes(loop->limit));
    mem_large_free(loop->far, far_bytes(loop->limit));
    memset(loop, 0, sizeof(*loop));
}

uint32_t loop_armed_count(const struct loop *loop)
{
    return loop->count + loop->far->count;
}

void loop_arm(struct loop *loop, struct timer *timer, int64_t due_ns)
{
    must(timer->slot == TIMER_IDLE);
    must(loop_armed_count(loop) < loop->limit);
    timer->due_ns = due_ns;
    timer->order = loop->armed++;
    if (due_ns < loop->far->near_until_ns) {
        heap_push(loop, timer);
    } else {
        far_push(loop->far, timer);
    }
}

void loop_disarm(struct loop *loop, struct timer *timer)
{
    if (timer->slot == TIMER_IDLE) {
        return;
    }
    if (timer->slot & FAR) {
        far_remove(loop->far, timer->slot & ~FAR);
    } else {
        heap_remove(loop, timer->slot);
    }
    timer->slot = TIMER_IDLE;
}

static inline void fire_root(struct loop *loop)
{
    struct timer *timer = loop->heap[ROOT].timer;
    struct loop_entry last = loop->heap[ROOT + --loop->count];

    if (loop->count) {
        heap_sink(loop, ROOT, last);
    }
    timer->slot = TIMER_IDLE;
    loop->fired++;
    timer->fire(timer);
}

/*
 * Fire what is due. What is armed meanwhile waits for the next turn, so that timers that are always
 * due cannot keep completions out.
 */
static void fire_due(struct loop *loop)
{
    uint64_t fence = loop->armed;

    for (int left = FIRES_A_TURN; left > 0 && !loop->stop; left--) {
        if (loop->count == 0) {
            far_pour(loop);
        }
        if (loop->count == 0 || loop->heap[ROOT].due_ns > loop->now_ns ||
            loop->heap[ROOT].timer->order >= fence) {
            return;
        }
        fire_root(loop);
    }
}

/* When there may be something to fire; INT64_MAX: nothing is armed. */
static inline int64_t next_ns(const struct loop *loop)
{
    return loop->count        ? loop->heap[ROOT].due_ns
           : loop->far->count ? far_begin_ns(loop->far)
                              : INT64_MAX;
}

static inline bool asked_to_end(const struct loop *loop)
{
    return loop->stop || (loop->asked != NULL && *loop->asked != 0);
}

void loop_run(struct loop *loop, int64_t until_ns)
{
    while (!asked_to_end(loop)) {
        int64_t next;

        fire_due(loop);
        if (loop->stop) {
            return;
        }
        next = next_ns(loop);
        if (next > until_ns) {
            if (loop->now_ns >= until_ns) {
                return;
            }
            next = until_ns;
        }
        if (loop_armed_count(loop) == 0 && loop->in_flight == 0) {
            return;
        }
        loop->ops->wait(loop, next > loop->now_ns ? next : loop->now_ns);
    }
}
