#include "model_locks.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "base/rng.h"

_Static_assert(sizeof(struct lock_node) == 24, "a lock is 24 bytes");
_Static_assert(sizeof(struct lock_session) == 16, "a session costs 16 bytes here");

static uint32_t locks_heads(uint32_t nodes)
{
    uint32_t heads = 64;

    while (heads < nodes) {
        heads *= 2;
    }
    return heads;
}

uint64_t locks_memory_bytes(uint32_t sessions, uint32_t nodes)
{
    return (uint64_t)nodes * sizeof(struct lock_node) + (uint64_t)locks_heads(nodes) * 4 +
           (uint64_t)sessions * sizeof(struct lock_session);
}

int locks_open(struct model_locks *locks, uint32_t sessions, uint32_t nodes, struct error *err)
{
    uint32_t heads = locks_heads(nodes);

    memset(locks, 0, sizeof(*locks));
    locks->nodes = mem_large((uint64_t)nodes * sizeof(struct lock_node));
    locks->heads = mem_large((uint64_t)heads * 4);
    locks->sessions = mem_large((uint64_t)sessions * sizeof(struct lock_session));
    locks->node_count = locks->free_count = nodes;
    locks->session_count = sessions;
    locks->head_mask = heads - 1;
    if (!locks->nodes || !locks->heads || !locks->sessions) {
        locks_close(locks);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u row locks", nodes);
    }
    memset(locks->heads, 0xff, (size_t)heads * 4);
    memset(locks->sessions, 0xff, sessions * sizeof(struct lock_session));
    for (uint32_t i = 0; i < nodes; i++) {
        locks->nodes[i].next = i + 1 < nodes ? i + 1 : LOCK_NONE;
    }
    locks->free = nodes ? 0 : LOCK_NONE;
    return 0;
}

void locks_close(struct model_locks *locks)
{
    mem_large_free(locks->nodes, (uint64_t)locks->node_count * sizeof(struct lock_node));
    mem_large_free(locks->heads, ((uint64_t)locks->head_mask + 1) * 4);
    mem_large_free(locks->sessions, (uint64_t)locks->session_count * sizeof(struct lock_session));
    memset(locks, 0, sizeof(*locks));
}

static uint32_t *locks_head(const struct model_locks *locks, uint64_t key)
{
    return &locks->heads[rng_hash(key) & locks->head_mask];
}

void locks_prefetch(const struct model_locks *locks, uint64_t key)
{
    mem_prefetch(locks_head(locks, key));
}

static void locks_hold(struct model_locks *locks, uint32_t session, uint32_t node)
{
    locks->nodes[node].owner = session;
    locks->nodes[node].next_held = locks->sessions[session].held;
    locks->sessions[session].held = node;
}

/*
 * Whoever waits, waits for the owner; those before it in the ring wait for the same owner. So the
 * owners alone lead round every circle.
 */
static bool locks_circle(const struct model_locks *locks, uint32_t session, uint32_t node)
{
    for (;;) {
        uint32_t owner = locks->nodes[node].owner;

        if (owner == session) {
            return true;
        }
        node = locks->sessions[owner].waiting;
        if (node == LOCK_NONE) {
            return false;
        }
    }
}

static void locks_enqueue(struct model_locks *locks, uint32_t session, uint32_t node,
                          uint32_t now_ms)
{
    uint32_t last = locks->nodes[node].last_waiter;

    if (last == LOCK_NONE) {
        locks->sessions[session].next = session;
    } else {
        locks->sessions[session].next = locks->sessions[last].next;
        locks->sessions[last].next = session;
    }
    locks->nodes[node].last_waiter = session;
    locks->sessions[session].waiting = node;
    locks->sessions[session].since_ms = now_ms;
    locks->waiting++;
    locks->waits++;
}

enum lock_answer locks_take(struct model_locks *locks, uint32_t session, uint64_t key, bool wait,
                            uint32_t now_ms)
{
    uint32_t *head = locks_head(locks, key), node = *head;

    must(locks->sessions[session].waiting == LOCK_NONE);
    while (node != LOCK_NONE && locks->nodes[node].key != key) {
        node = locks->nodes[node].next;
    }
    if (node == LOCK_NONE) {
        node = locks->free;
        if (node == LOCK_NONE) {
            return LOCK_NO_MEMORY;
        }
        locks->free = locks->nodes[node].next;
        locks->free_count--;
        locks->nodes[node] =
            (struct lock_node){.key = key, .next = *head, .last_waiter = LOCK_NONE};
        *head = node;
        locks_hold(locks, session, node);
        return LOCK_GRANTED;
    }
    if (locks->nodes[node].owner == session) {
        return LOCK_HELD;
    }
    if (!wait) {
        return LOCK_BUSY;
    }
    if (locks_circle(locks, session, node)) {
        locks->deadlocks++;
        return LOCK_DEADLOCK;
    }
    locks_enqueue(locks, session, node, now_ms);
    return LOCK_WAITS;
}

static void locks_drop(struct model_locks *locks, uint32_t node)
{
    uint32_t *link = locks_head(locks, locks->nodes[node].key);

    while (*link != node) {
        link = &locks->nodes[*link].next;
    }
    *link = locks->nodes[node].next;
    locks->nodes[node].next = locks->free;
    locks->free = node;
    locks->free_count++;
}

static void locks_pass_on(struct model_locks *locks, uint32_t node)
{
    uint32_t last = locks->nodes[node].last_waiter;
    uint32_t first = locks->sessions[last].next;

    if (first == last) {
        locks->nodes[node].last_waiter = LOCK_NONE;
    } else {
        locks->sessions[last].next = locks->sessions[first].next;
    }
    locks->sessions[first].waiting = LOCK_NONE;
    locks->waiting--;
    locks_hold(locks, first, node);
    locks->granted(locks, first);
}

void locks_release(struct model_locks *locks, uint32_t session)
{
    uint32_t node = locks->sessions[session].held;

    locks->sessions[session].held = LOCK_NONE;
    while (node != LOCK_NONE) {
        uint32_t next = locks->nodes[node].next_held;

        if (locks->nodes[node].last_waiter == LOCK_NONE) {
            locks_drop(locks, node);
        } else {
            locks_pass_on(locks, node);
        }
        node = next;
    }
}

uint32_t locks_longest(const struct model_locks *locks, uint32_t session)
{
    uint32_t node = locks->sessions[session].waiting;

    must(node != LOCK_NONE);
    return locks->sessions[locks->nodes[node].last_waiter].next;
}

void locks_cancel(struct model_locks *locks, uint32_t session)
{
    uint32_t node = locks->sessions[session].waiting, before;

    must(node != LOCK_NONE);
    before = locks->nodes[node].last_waiter;
    while (locks->sessions[before].next != session) {
        before = locks->sessions[before].next;
    }
    if (before == session) {
        locks->nodes[node].last_waiter = LOCK_NONE;
    } else {
        locks->sessions[before].next = locks->sessions[session].next;
        if (locks->nodes[node].last_waiter == session) {
            locks->nodes[node].last_waiter = before;
        }
    }
    locks->sessions[session].waiting = LOCK_NONE;
    locks->waiting--;
}

uint32_t locks_overdue(const struct model_locks *locks, uint32_t from, uint32_t now_ms,
                       uint32_t timeout_ms)
{
    for (uint32_t i = from; i < locks->session_count; i++) {
        const struct lock_session *session = &locks->sessions[i];

        if (session->waiting != LOCK_NONE && now_ms - session->since_ms >= timeout_ms) {
            return i;
        }
    }
    return LOCK_NONE;
}

bool locks_idle(const struct model_locks *locks)
{
    return locks->waiting == 0 && locks->free_count == locks->node_count;
}
