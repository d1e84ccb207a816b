/* target/model_locks: exclusive row locks, held until commit, granted in the order of asking. */
#ifndef RAWTPS_TARGET_MODEL_LOCKS_H
#define RAWTPS_TARGET_MODEL_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define LOCK_NONE 0xffffffffu

enum lock_answer {
    LOCK_GRANTED,
    LOCK_HELD,      /* it was held already */
    LOCK_WAITS,     /* granted() comes later, unless locks_cancel() is called */
    LOCK_BUSY,      /* another holds it, and `wait` was false */
    LOCK_DEADLOCK,  /* to wait would close a circle; not waiting */
    LOCK_NO_MEMORY, /* all nodes are in use */
};

/* One locked row: 24 bytes. */
struct lock_node {
    uint64_t key;
    uint32_t next;  /* of its hash chain, or of the free list */
    uint32_t owner; /* session */
    uint32_t next_held;
    uint32_t last_waiter; /* session; its `next` is the first: a ring */
};

/* What a session costs here: 16 bytes. */
struct lock_session {
    uint32_t held;    /* first node, LOCK_NONE if none */
    uint32_t waiting; /* node, LOCK_NONE if not waiting */
    uint32_t next;    /* in the ring of waiters */
    uint32_t since_ms;
};

struct model_locks {
    struct lock_node *nodes;
    uint32_t *heads;
    struct lock_session *sessions;
    uint32_t node_count, head_mask, session_count, free, free_count, waiting;
    void (*granted)(struct model_locks *, uint32_t session);
    void *owner;
    uint64_t waits, deadlocks;
};

/* Errors: -ENOMEM. */
int locks_open(struct model_locks *locks, uint32_t sessions, uint32_t nodes, struct error *err);
void locks_close(struct model_locks *locks);
uint64_t locks_memory_bytes(uint32_t sessions, uint32_t nodes);

void locks_prefetch(const struct model_locks *locks, uint64_t key); /* soon to be taken */
/*
 * An exclusive lock on a row for a session that waits for none. now_ms: for locks_overdue().
 * Uncontended: one chain of the hash, no events.
 */
enum lock_answer locks_take(struct model_locks *locks, uint32_t session, uint64_t key, bool wait,
                            uint32_t now_ms);
/* All that the session holds; the first waiter of each gets it, by granted(). */
void locks_release(struct model_locks *locks, uint32_t session);
/*
 * Who waits longest for the row that this session waits for: perhaps itself. Whoever takes all out
 * of long queues begins there.
 */
uint32_t locks_longest(const struct model_locks *locks, uint32_t session);
/* No longer waiting. Takes as long as there are others who wait longer for the row. */
void locks_cancel(struct model_locks *locks, uint32_t session);
/* The first session from `from` on that has waited timeout_ms or longer; LOCK_NONE: no more. */
uint32_t locks_overdue(const struct model_locks *locks, uint32_t from, uint32_t now_ms,
                       uint32_t timeout_ms);
bool locks_idle(const struct model_locks *locks); /* nothing held, nobody waiting */

#endif
