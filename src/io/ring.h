/* io/ring: what the loop, its drives and its sockets share of one io_uring. */
#ifndef RAWTPS_IO_RING_H
#define RAWTPS_IO_RING_H

#include <liburing.h>
#include <time.h>

#include "io_side.h"
#include "uring_ladder.h"
#include "uring_pace.h"
#include "uring_polls.h"

enum { RING_FILES = 64, RING_READS = 128, RING_READ_BYTES = 16 << 10 };
static const int64_t RING_NOT_SENT = INT64_MIN; /* io.sent_ns before the first time */

struct ring {
    struct io_uring uring;
    struct loop *loop;
    int64_t start_ns, spin_ns;
    struct io *ready, *ready_last; /* asked for and not handed over, by io->next */
    uint32_t depth, batch;
    uint32_t flying; /* in the kernel */
    uint32_t files;  /* drives opened so far */
    char *arena;
    uint64_t arena_bytes, fixed_bytes; /* fixed_bytes: registered, 0 or all */
    int64_t progress_ns;               /* when the kernel last took or answered something */
    struct uring_ladder ladder;
    struct uring_pace pace;
    struct uring_polls polls;
    struct io_uring_buf_ring *reads; /* RING_READS buffers that the kernel chooses from */
    char *read_data;                 /* NULL: sockets are not read by the ring */
    struct uring_counts counts;
    struct error fault;
    struct io_side side;
    uint64_t side_word; /* what is read from the eventfd */
    bool side_listens;
};

struct drive_uring {
    struct drive drive;
    int fd, file; /* file: what an SQE names: an index if the file is registered */
    uint8_t sqe_flags;
};

static inline struct ring *ring_of(const struct loop *loop)
{
    return loop->outside;
}

static inline int64_t ring_clock_ns(const struct ring *ring)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - ring->start_ns;
}

static inline void ready_add(struct ring *ring, struct io *io)
{
    io->next = NULL;
    if (ring->ready) {
        ring->ready_last->next = io;
    } else {
        ring->ready = io;
    }
    ring->ready_last = io;
}

/* The first cause is the one that counts: where to put it, or NULL. */
struct error *ring_end(struct ring *ring);

/* For the loop's table, and for what it reaps (uring_polls.c). */
void ring_poll(struct loop *loop, struct poll_wait *wait);
void ring_unpoll(struct loop *loop, struct poll_wait *wait);
void ring_send(struct loop *loop, int fd, const char *data, uint32_t bytes);
void ring_poll_answer(struct ring *ring, const struct io_uring_cqe *cqe);
/* Buffers for what the ring reads from sockets; without them (Linux before 6.0) nobody misses more
 * than system calls. */
void ring_reads_open(struct ring *ring);
void ring_reads_close(struct ring *ring);

#endif
