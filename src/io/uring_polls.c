#include "uring_polls.h"

#include <errno.h>
#include <poll.h>

#include "base/mem.h"
#include "base/must.h"
#include "ring.h"

static uint64_t key_of(const struct uring_polls *polls, uint32_t slot)
{
    return (uint64_t)polls->slots[slot].generation << 32 | (uint64_t)slot << 1 | 1;
}

int uring_polls_open(struct uring_polls *polls, uint32_t limit)
{
    *polls = (struct uring_polls){.limit = limit};
    if (limit == 0) {
        return 0;
    }
    polls->slots = mem_array((size_t)limit + 1, sizeof(*polls->slots));
    if (polls->slots == NULL) {
        return -ENOMEM;
    }
    for (uint32_t slot = limit; slot > 0; slot--) {
        polls->slots[slot].next_free = polls->free;
        polls->free = slot;
    }
    return 0;
}

void uring_polls_close(struct uring_polls *polls)
{
    mem_free(polls->slots);
}

uint64_t uring_polls_take(struct uring_polls *polls, struct poll_wait *wait)
{
    uint32_t slot = polls->free;

    must(slot != 0 && wait->slot == POLL_IDLE);
    polls->free = polls->slots[slot].next_free;
    polls->slots[slot].wait = wait;
    polls->slots[slot].generation++;
    polls->armed++;
    wait->slot = slot;
    return key_of(polls, slot);
}

uint64_t uring_polls_release(struct uring_polls *polls, struct poll_wait *wait)
{
    uint32_t slot = wait->slot;

    must(slot != POLL_IDLE && polls->slots[slot].wait == wait);
    polls->slots[slot].wait = NULL;
    polls->slots[slot].next_free = polls->free;
    polls->free = slot;
    polls->armed--;
    wait->slot = POLL_IDLE;
    return key_of(polls, slot);
}

struct poll_wait *uring_polls_find(const struct uring_polls *polls, uint64_t key)
{
    uint32_t slot = (uint32_t)key >> 1;

    if (slot == 0 || slot > polls->limit || polls->slots[slot].generation != key >> 32) {
        return NULL;
    }
    return polls->slots[slot].wait;
}

/* ---- sockets --------------------------------------------------------------------------------- */

static struct io_uring_sqe *poll_sqe(struct ring *ring, uint64_t key)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

    if (sqe == NULL) {
        io_uring_submit(&ring->uring);
        sqe = io_uring_get_sqe(&ring->uring);
    }
    must(sqe != NULL);
    io_uring_sqe_set_data64(sqe, key);
    return sqe;
}

static void poll_arm(struct ring *ring, const struct poll_wait *wait, uint64_t key)
{
    struct io_uring_sqe *sqe = poll_sqe(ring, key);

    if (wait->stays && !ring->polls.one_shot) {
        io_uring_prep_poll_multishot(sqe, wait->fd, wait->events);
    } else {
        io_uring_prep_poll_add(sqe, wait->fd, wait->events);
    }
    io_uring_sqe_set_data64(sqe, key);
}

void ring_poll(struct loop *loop, struct poll_wait *wait)
{
    struct ring *ring = ring_of(loop);

    loop->in_flight += !wait->stays;
    poll_arm(ring, wait, uring_polls_take(&ring->polls, wait));
}

void ring_unpoll(struct loop *loop, struct poll_wait *wait)
{
    struct ring *ring = ring_of(loop);
    uint64_t key = uring_polls_release(&ring->polls, wait);
    struct io_uring_sqe *sqe = poll_sqe(ring, URING_KEY_NONE);

    loop->in_flight -= !wait->stays;
    io_uring_prep_poll_remove(sqe, key);
    io_uring_sqe_set_data64(sqe, URING_KEY_NONE);
}

void ring_poll_answer(struct ring *ring, uint64_t key, int32_t result, bool more)
{
    struct poll_wait *wait = uring_polls_find(&ring->polls, key);

    if (wait == NULL) {
        return;
    }
    if (result == -EINVAL && wait->stays && !ring->polls.one_shot) {
        ring->polls.one_shot = true;
        poll_arm(ring, wait, key);
        return;
    }
    wait->revents = result >= 0 ? (uint32_t)result : POLLERR;
    if (!wait->stays) {
        uring_polls_release(&ring->polls, wait);
        ring->loop->in_flight--;
        wait->ready(wait);
        return;
    }
    wait->ready(wait);
    if (!more && result >= 0 && uring_polls_find(&ring->polls, key) == wait) {
        poll_arm(ring, wait, key);
    }
}
