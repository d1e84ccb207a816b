#include "uring_polls.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

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

static struct io_uring_sqe *poll_sqe(struct ring *ring)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);

    if (sqe == NULL) {
        io_uring_submit(&ring->uring);
        sqe = io_uring_get_sqe(&ring->uring);
    }
    must(sqe != NULL);
    return sqe;
}

static void poll_arm(struct ring *ring, const struct poll_wait *wait, uint64_t key)
{
    struct io_uring_sqe *sqe = poll_sqe(ring);

    if (wait->reads) {
        io_uring_prep_recv_multishot(sqe, wait->fd, NULL, 0, 0);
        sqe->flags |= IOSQE_BUFFER_SELECT;
        sqe->buf_group = 0;
    } else if (wait->stays && !ring->polls.one_shot) {
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
    wait->reads = wait->reads && wait->stays && ring->read_data;
    poll_arm(ring, wait, uring_polls_take(&ring->polls, wait));
}

void ring_unpoll(struct loop *loop, struct poll_wait *wait)
{
    struct ring *ring = ring_of(loop);
    uint64_t key = uring_polls_release(&ring->polls, wait);
    struct io_uring_sqe *sqe = poll_sqe(ring);

    loop->in_flight -= !wait->stays;
    io_uring_prep_cancel64(sqe, key, 0);
    io_uring_sqe_set_data64(sqe, URING_KEY_NONE);
}

void ring_send(struct loop *loop, int fd, const char *data, uint32_t bytes)
{
    struct io_uring_sqe *sqe = poll_sqe(ring_of(loop));

    io_uring_prep_send(sqe, fd, data, bytes, MSG_NOSIGNAL | MSG_WAITALL);
    sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
    io_uring_sqe_set_data64(sqe, URING_KEY_NONE);
}

/* ---- what sockets bring ---------------------------------------------------------------------- */

static void read_give_back(struct ring *ring, uint16_t number)
{
    io_uring_buf_ring_add(ring->reads, ring->read_data + (size_t)number * RING_READ_BYTES,
                          RING_READ_BYTES, number, RING_READS - 1, 0);
    io_uring_buf_ring_advance(ring->reads, 1);
}

/* The first answer of a kernel that cannot: from now on nobody asks for it. */
static bool kernel_cannot(struct ring *ring, struct poll_wait *wait, int32_t result)
{
    if (result != -EINVAL || !wait->stays) {
        return false;
    }
    if (wait->reads) {
        wait->reads = false;
        return true;
    }
    if (!ring->polls.one_shot) {
        ring->polls.one_shot = true;
        return true;
    }
    return false;
}

static void wait_answer(struct ring *ring, struct poll_wait *wait, const struct io_uring_cqe *cqe,
                        const char *data)
{
    uint64_t key = cqe->user_data;
    int32_t result = cqe->res;
    bool more = cqe->flags & IORING_CQE_F_MORE;

    if (kernel_cannot(ring, wait, result) || (wait->reads && result == -ENOBUFS)) {
        if (!more) {
            poll_arm(ring, wait, key);
        }
        return;
    }
    wait->revents = result >= 0 ? (wait->reads ? POLLIN : (uint32_t)result) : POLLERR;
    wait->result = result;
    wait->data = data;
    if (!wait->stays) {
        uring_polls_release(&ring->polls, wait);
        ring->loop->in_flight--;
        wait->ready(wait);
        return;
    }
    wait->ready(wait);
    if (!more && result > 0 && uring_polls_find(&ring->polls, key) == wait) {
        poll_arm(ring, wait, key);
    }
}

void ring_poll_answer(struct ring *ring, const struct io_uring_cqe *cqe)
{
    struct poll_wait *wait = uring_polls_find(&ring->polls, cqe->user_data);
    bool filled = cqe->flags & IORING_CQE_F_BUFFER;
    uint16_t number = (uint16_t)(cqe->flags >> IORING_CQE_BUFFER_SHIFT);

    if (wait) {
        wait_answer(ring, wait, cqe,
                    filled ? ring->read_data + (size_t)number * RING_READ_BYTES : NULL);
    }
    if (filled) {
        read_give_back(ring, number);
    }
}

void ring_reads_open(struct ring *ring)
{
    size_t bytes = RING_READS * sizeof(struct io_uring_buf);
    struct io_uring_buf_reg reg = {.ring_entries = RING_READS};

    if (ring->polls.limit == 0) {
        return;
    }
    ring->reads = mem_large(bytes);
    ring->read_data = mem_large((size_t)RING_READS * RING_READ_BYTES);
    reg.ring_addr = (uint64_t)(uintptr_t)ring->reads;
    if (!ring->reads || !ring->read_data || io_uring_register_buf_ring(&ring->uring, &reg, 0) < 0) {
        ring_reads_close(ring);
        return;
    }
    io_uring_buf_ring_init(ring->reads);
    for (uint16_t i = 0; i < RING_READS; i++) {
        read_give_back(ring, i);
    }
}

void ring_reads_close(struct ring *ring)
{
    mem_large_free(ring->reads, RING_READS * sizeof(struct io_uring_buf));
    mem_large_free(ring->read_data, (size_t)RING_READS * RING_READ_BYTES);
    ring->reads = NULL;
    ring->read_data = NULL;
}
