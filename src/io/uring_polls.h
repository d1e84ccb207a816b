/* io/uring_polls: which sockets a ring watches, by keys that stay true when a slot is used again.
 */
#ifndef RAWTPS_IO_URING_POLLS_H
#define RAWTPS_IO_URING_POLLS_H

#include <stdbool.h>
#include <stdint.h>

#include "io/loop.h"

struct uring_poll {
    struct poll_wait *wait; /* NULL: free */
    uint32_t generation, next_free;
};

struct uring_polls {
    struct uring_poll *slots; /* from 1 */
    uint32_t limit, armed, free;
    bool one_shot; /* the kernel knows no multishot (before 5.13) */
};

/* A key is odd, so that it is never the address of a request. KEY_NONE is nobody's. */
static const uint64_t URING_KEY_NONE = 1;

int uring_polls_open(struct uring_polls *polls, uint32_t limit); /* -ENOMEM */
void uring_polls_close(struct uring_polls *polls);
uint64_t uring_polls_take(struct uring_polls *polls, struct poll_wait *wait);
/* Gives the slot back; the key that the kernel knows it by. */
uint64_t uring_polls_release(struct uring_polls *polls, struct poll_wait *wait);
/* Who waits by this key; NULL if he does no longer. */
struct poll_wait *uring_polls_find(const struct uring_polls *polls, uint64_t key);

#endif
