#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "base/mem.h"
#include "base/must.h"
#include "io_fate.h"
#include "ring.h"

enum { CHUNK_BITS = 30, CHUNKS = 64, DEEPEST = 32000 };
static const int64_t STUCK_NS = 1000000000;
static const int64_t DRAIN_NS = 30ll * 1000000000; /* without any answer */
#define SYSCTL "/proc/sys/kernel/io_uring_disabled"

struct error *ring_end(struct ring *ring)
{
    bool first = ring->loop->fault == NULL;

    ring->loop->fault = first ? &ring->fault : ring->loop->fault;
    ring->loop->stop = true;
    return first ? &ring->fault : NULL;
}

static void ring_end_by(struct ring *ring, const struct io *io, int32_t result)
{
    struct error *err = ring_end(ring);

    if (err) {
        io_fate_error(err, io, result);
    }
}

/* ---- requests: ready -> kernel --------------------------------------------------------------- */

static inline int fixed_chunk(const struct ring *ring, const char *data, uint32_t bytes)
{
    uint64_t at = (uint64_t)(data - ring->arena);

    if (at >= ring->fixed_bytes || bytes > ring->fixed_bytes - at ||
        at >> CHUNK_BITS != (at + bytes - 1) >> CHUNK_BITS) {
        return -1;
    }
    return (int)(at >> CHUNK_BITS);
}

static inline void fill_transfer(struct ring *ring, struct io_uring_sqe *sqe, struct io *io,
                                 const struct drive_uring *drive)
{
    char *data = (char *)io->data + io->moved;
    uint32_t bytes = io->bytes - io->moved;
    int chunk = fixed_chunk(ring, data, bytes);
    bool write = io->verb == IO_WRITE;
    int op = chunk >= 0 ? (write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED)
                        : (write ? IORING_OP_WRITE : IORING_OP_READ);

    io_uring_prep_rw(op, sqe, drive->file, data, bytes, io->offset + io->moved);
    sqe->buf_index = (uint16_t)(chunk >= 0 ? chunk : 0);
    if (write && (io->flags & IO_FUA)) {
        sqe->rw_flags = RWF_DSYNC;
    }
}

static inline void fill_one(struct ring *ring, struct io_uring_sqe *sqe, struct io *io)
{
    const struct drive_uring *drive = (const struct drive_uring *)io->real.drive;

    if (__builtin_expect(io->verb == IO_FLUSH, 0)) {
        io_uring_prep_fsync(sqe, drive->file, IORING_FSYNC_DATASYNC);
    } else {
        fill_transfer(ring, sqe, io, drive);
    }
    sqe->flags |= drive->sqe_flags;
    io_uring_sqe_set_data(sqe, io);
}

/* Hear of the side thread's answers by the ring, so that a sleeping loop wakes. */
static void side_listen(struct ring *ring)
{
    struct io_uring_sqe *sqe;

    if (ring->side.owed == 0 || ring->side_listens || ring->ladder.poll) {
        return;
    }
    sqe = io_uring_get_sqe(&ring->uring);
    if (sqe) {
        io_uring_prep_read(sqe, ring->side.wake, &ring->side_word, sizeof(ring->side_word), 0);
        io_uring_sqe_set_data(sqe, NULL);
        ring->side_listens = true;
        ring->flying++;
    }
}

static uint32_t ring_fill(struct ring *ring, int64_t now_ns)
{
    uint32_t room = ring->flying < ring->depth ? ring->depth - ring->flying : 0;
    uint32_t most = room < ring->batch ? room : ring->batch, n = 0;

    while (n < most && ring->ready) {
        struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);
        struct io *io = ring->ready;

        if (sqe == NULL) {
            break;
        }
        ring->ready = io->next;
        fill_one(ring, sqe, io);
        if (io->sent_ns == RING_NOT_SENT) {
            io->sent_ns = now_ns;
        }
        n++;
    }
    if (n) {
        ring->flying += n;
        ring->counts.sent += n;
        if (ring->flying > ring->counts.most_in_flight) {
            ring->counts.most_in_flight = ring->flying;
        }
    }
    return n;
}

/* ---- requests: kernel -> done ---------------------------------------------------------------- */

/* n requests were answered. */
static inline void ring_count(struct ring *ring, uint32_t n)
{
    ring->loop->in_flight -= n;
    ring->counts.done += n;
}

static inline void io_answer(struct io *io, int32_t result, int64_t now_ns)
{
    io->result = result;
    io->done_ns = now_ns;
    drive_answered(io);
}

/* Anything but all bytes at once. */
static void io_odd(struct ring *ring, struct io *io, int32_t result, int64_t now_ns)
{
    switch (io_fate(io, result, io->bytes - io->moved)) {
    case FATE_DONE:
        result = io->verb <= IO_WRITE ? (int32_t)io->bytes : 0;
        break;
    case FATE_SHORT:
        io->moved += (uint32_t)result;
        io->real.tries++;
        ring->counts.shorts++;
        ready_add(ring, io);
        return;
    case FATE_AGAIN:
        ring->counts.again++;
        if (now_ns - ring->progress_ns <= STUCK_NS) {
            ready_add(ring, io);
            return;
        }
        ring_end_by(ring, io, result);
        break;
    case FATE_ENDS:
        ring_end_by(ring, io, result);
        result = result ? result : -EIO;
        break;
    case FATE_FAILED:
        result = result < 0 ? result : -EIO;
        break;
    }
    ring->progress_ns = now_ns;
    ring_count(ring, 1);
    io_answer(io, result, now_ns);
}

static void side_take(struct ring *ring, int64_t now_ns)
{
    struct io *io = io_side_take(&ring->side);

    while (io) {
        struct io *next = io->next;

        io_odd(ring, io, io->result, now_ns);
        io = next;
    }
}

static uint32_t ring_reap(struct ring *ring)
{
    struct io_uring *uring = &ring->uring;
    uint32_t ready = io_uring_cq_ready(uring), mask = uring->cq.ring_mask;
    uint32_t head = *uring->cq.khead;
    int64_t now_ns = ring->loop->now_ns;
    uint32_t whole = 0, others = 0;

    for (uint32_t n = 0; n < ready; n++) {
        const struct io_uring_cqe *cqe = &uring->cq.cqes[(head + n) & mask];
        struct io *io = io_uring_cqe_get_data(cqe);

        if (__builtin_expect(cqe->user_data & 1, 0)) {
            others++;
            ring_poll_answer(ring, cqe);
            continue;
        }
        if (n + 1 < ready) {
            mem_prefetch((void *)(uintptr_t)uring->cq.cqes[(head + n + 1) & mask].user_data);
        }
        if (__builtin_expect(io == NULL, 0)) {
            ring->side_listens = false;
            side_take(ring, now_ns);
        } else if (__builtin_expect(cqe->res == (int32_t)io->bytes, 1)) {
            ring->progress_ns = now_ns;
            whole++;
            io_answer(io, (int32_t)io->bytes, now_ns);
        } else {
            io_odd(ring, io, cqe->res, now_ns);
        }
    }
    io_uring_cq_advance(uring, ready);
    ring_count(ring, whole);
    ring->flying -= ready - others;
    if (ready) {
        uring_pace_note(&ring->pace, ready, now_ns);
    }
    return ready;
}

/* ---- the loop's wait ------------------------------------------------------------------------- */

static int enter_wait(struct ring *ring, int64_t for_ns)
{
    struct __kernel_timespec ts = {.tv_sec = for_ns / 1000000000, .tv_nsec = for_ns % 1000000000};
    struct io_uring_cqe *cqe;

    if (for_ns == INT64_MAX) {
        return io_uring_submit_and_wait(&ring->uring, 1);
    }
    return io_uring_submit_and_wait_timeout(&ring->uring, &cqe, 1, &ts, NULL);
}

/* Sleep for several answers; sockets, and answers that do not come, are not made to wait. */
static int enter_wait_paced(struct ring *ring, int64_t for_ns)
{
    uint32_t wanted = ring->polls.armed ? 1 : uring_pace_wanted(&ring->pace, ring->flying);
    struct __kernel_timespec ts = {.tv_nsec = for_ns < PACE_GUARD_NS ? for_ns : PACE_GUARD_NS};
    struct io_uring_cqe *cqe;
    int code;

    if (wanted == 1) {
        return enter_wait(ring, for_ns);
    }
    code = io_uring_submit_and_wait_timeout(&ring->uring, &cqe, wanted, &ts, NULL);
    if (code == -ETIME && io_uring_cq_ready(&ring->uring) == 0) {
        uring_pace_lost(&ring->pace);
    }
    return code;
}

/* for_ns 0: hand over what is filled, look what is done, and come back. */
static int ring_enter(struct ring *ring, int64_t for_ns)
{
    int code;

    ring->counts.enters++;
    if (for_ns > 0 && !ring->ladder.two_enters) {
        return enter_wait_paced(ring, for_ns);
    }
    code = io_uring_submit_and_get_events(&ring->uring);
    if (for_ns > 0 && code >= 0 && io_uring_cq_ready(&ring->uring) == 0) {
        ring->counts.enters++;
        code = enter_wait_paced(ring, for_ns);
    }
    return code;
}

static void ring_judge(struct ring *ring, int code)
{
    int64_t now_ns = ring->loop->now_ns;
    struct error *err;

    if (code >= 0 || code == -ETIME || code == -EINTR) {
        return;
    }
    if ((code == -EBUSY || code == -EAGAIN || code == -ENOMEM) &&
        now_ns - ring->progress_ns <= STUCK_NS) {
        return;
    }
    err = ring_end(ring);
    if (err) {
        error_set(err, EXIT_FAILED, code, "io_uring takes no more requests: %s", strerror(-code));
        if (code == -EEXIST) {
            error_hint(err, "the loop runs in another thread than the one that opened it");
        }
    }
}

static int64_t sleep_ns(const struct ring *ring, int64_t now_ns, int64_t until_ns)
{
    int64_t left;

    if (ring->ladder.poll || (ring->ready && ring->flying < ring->depth)) {
        return 0;
    }
    if (until_ns == INT64_MAX) {
        must(ring->flying > 0 || ring->polls.armed > 0);
        return INT64_MAX;
    }
    left = until_ns - ring->spin_ns - now_ns;
    return left > 0 ? left : 0;
}

static void uring_wait(struct loop *loop, int64_t until_ns)
{
    struct ring *ring = ring_of(loop);
    int64_t now_ns = ring_clock_ns(ring), for_ns;
    int code;

    side_listen(ring);
    ring_fill(ring, now_ns);
    for_ns = sleep_ns(ring, now_ns, until_ns);
    loop->now_ns = now_ns;
    if (for_ns > 0 || ring->flying > 0 || ring->polls.armed > 0) {
        code = ring_enter(ring, for_ns);
        loop->now_ns = ring_clock_ns(ring);
        if (__builtin_expect(code < 0, 0)) {
            ring_judge(ring, code);
        }
        ring_reap(ring);
    }
    if (__builtin_expect(ring->ladder.poll && ring->side.owed, 0)) {
        side_take(ring, loop->now_ns);
    }
}

/* ---- opening and closing --------------------------------------------------------------------- */

static uint32_t task_flags(enum ladder_task task)
{
    switch (task) {
    case TASK_DEFER:
        return IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
    case TASK_SINGLE:
        return IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN;
    case TASK_COOP:
        return IORING_SETUP_COOP_TASKRUN;
    default:
        return 0;
    }
}

/* Sockets that begin to wait together; more of them cost a system call each so many. */
static uint32_t ring_entries(const struct ring *ring)
{
    return ring->depth + 1 + (ring->polls.limit < 128 ? ring->polls.limit : 128);
}

/* Rings of so many requests and answers; code and task are the ladder's. */
static int ring_setup_sized(struct ring *ring, const struct uring_options *options,
                            uint32_t requests, uint32_t answers)
{
    uint32_t flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP |
                     (options->poll ? IORING_SETUP_IOPOLL : 0) |
                     (options->sqpoll ? IORING_SETUP_SQPOLL : 0);
    struct uring_ladder *ladder = &ring->ladder;
    int code = -EINVAL;

    ladder->task_code = 0;
    for (ladder->task = uring_ladder_first(options); ladder->task < TASKS;
         ladder->task = uring_ladder_below(ladder->task)) {
        struct io_uring_params params = {.flags = flags | task_flags(ladder->task),
                                         .cq_entries = answers,
                                         .sq_thread_idle = 1000};

        code = io_uring_queue_init_params(requests, &ring->uring, &params);
        if (code == 0 && !(params.features & IORING_FEAT_EXT_ARG)) {
            io_uring_queue_exit(&ring->uring);
            return -ENOSYS;
        }
        if (code == 0 || !uring_ladder_refuses(code)) {
            return code;
        }
        ladder->task_code = code;
    }
    return code;
}

/* Rings count as locked memory: where the limit is low, fewer requests go at once. */
static int ring_setup(struct ring *ring, const struct uring_options *options)
{
    static const uint32_t fewer[] = {64, 32, 16}; /* 12 KiB and less: some VMs' within 64 KiB */
    int code = ring_setup_sized(ring, options, ring_entries(ring),
                                2 * (ring->depth + ring->polls.limit) + 16);

    for (uint32_t i = 0; i < 3 && code == -ENOMEM; i++) {
        uint32_t most = 4 * fewer[i] - 16; /* answers that wait for us, and the side thread's */

        if (fewer[i] > ring->depth) {
            continue;
        }
        code = ring_setup_sized(ring, options, fewer[i], 4 * fewer[i]);
        if (code == 0) {
            uring_ladder_shrink(&ring->ladder, most, fewer[i] - 1);
            ring->depth = ring->ladder.depth;
            ring->batch = ring->ladder.batch;
        }
    }
    return code;
}

static void register_buffers(struct ring *ring)
{
    uint64_t bytes = ring->arena_bytes, limit = 1ull << CHUNK_BITS;
    struct iovec chunks[CHUNKS];
    unsigned n = 0;
    int code;

    for (uint64_t at = 0; at < bytes && n < CHUNKS; at += limit) {
        chunks[n++] = (struct iovec){ring->arena + at, bytes - at < limit ? bytes - at : limit};
    }
    code = io_uring_register_buffers(&ring->uring, chunks, n);
    if (code == 0) {
        ring->fixed_bytes = bytes;
        ring->ladder.stands[RUNG_BUFFERS] = true;
        return;
    }
    ring->ladder.code[RUNG_BUFFERS] = code;
    ring->ladder.memlock_bytes = code == -ENOMEM ? uring_ladder_memlock() : 0;
}

static void ring_register(struct ring *ring, const struct uring_options *options)
{
    if (!options->no_ring_fd) {
        int code = io_uring_register_ring_fd(&ring->uring);

        ring->ladder.stands[RUNG_RING_FD] = code == 1;
        ring->ladder.code[RUNG_RING_FD] = code < 0 ? code : 0;
    }
    if (!options->no_fixed_file) {
        int code = io_uring_register_files_sparse(&ring->uring, RING_FILES);

        ring->ladder.stands[RUNG_FILE] = code >= 0;
        ring->ladder.code[RUNG_FILE] = code < 0 ? code : 0;
    }
    if (!options->no_fixed_buffers && ring->arena_bytes) {
        register_buffers(ring);
    }
}

static void ring_free(struct ring *ring)
{
    if (ring) {
        uring_polls_close(&ring->polls);
        mem_large_free(ring->arena, ring->arena_bytes);
        mem_free(ring);
    }
}

/*
 * What is still in the kernel writes into memory that is about to go: wait for it. The kernel keeps
 * pages that a drive may yet write to, so that giving up harms nobody. A drive that has been waited
 * for that long already gets a moment more.
 */
static void ring_drain(struct ring *ring)
{
    const volatile int *pressed = ring->loop->pressed;
    int64_t now_ns = ring_clock_ns(ring), until_ns = now_ns + STUCK_NS;

    until_ns = ring->progress_ns + DRAIN_NS > until_ns ? ring->progress_ns + DRAIN_NS : until_ns;
    ring->flying -= ring->side_listens;
    ring->side_listens = false;
    while (ring->flying > 0 && now_ns < until_ns && !(pressed && *pressed >= 2)) {
        struct io_uring_cqe *cqe;

        enter_wait(ring, STUCK_NS / 10);
        now_ns = ring_clock_ns(ring);
        while (io_uring_peek_cqe(&ring->uring, &cqe) == 0) {
            ring->flying -= ring->flying > 0 && !(cqe->user_data & 1);
            io_uring_cqe_seen(&ring->uring, cqe);
            ring->progress_ns = now_ns;
            until_ns = now_ns + DRAIN_NS;
        }
    }
}

static void uring_close(struct loop *loop)
{
    struct ring *ring = ring_of(loop);

    io_side_close(&ring->side);
    ring_drain(ring);
    io_uring_queue_exit(&ring->uring);
    ring_reads_close(ring);
    ring_free(ring);
}

static const struct loop_ops loop_uring_ops = {
    .name = "uring",
    .wait = uring_wait,
    .close = uring_close,
    .poll = ring_poll,
    .unpoll = ring_unpoll,
    .send = ring_send,
};

static struct ring *ring_new(const struct uring_options *options)
{
    struct ring *ring = mem_zalloc(sizeof(*ring));

    if (ring == NULL) {
        return NULL;
    }
    ring->depth = options->depth < DEEPEST ? options->depth : DEEPEST;
    ring->batch = options->batch && options->batch < ring->depth ? options->batch : ring->depth;
    ring->spin_ns = options->spin_ns;
    ring->ladder = (struct uring_ladder){.depth = ring->depth,
                                         .batch = ring->batch,
                                         .two_enters = options->two_enters,
                                         .poll = options->poll,
                                         .sqpoll = options->sqpoll};
    if (uring_polls_open(&ring->polls, options->polls) < 0) {
        mem_free(ring);
        return NULL;
    }
    if (options->buffer_bytes) {
        ring->arena = mem_large(options->buffer_bytes);
        if (ring->arena == NULL) {
            ring_free(ring);
            return NULL;
        }
        ring->arena_bytes = options->buffer_bytes;
        memset(ring->arena, 0xa5, ring->arena_bytes);
    }
    return ring;
}

int loop_uring_open(struct loop *loop, uint32_t timers, const struct uring_options *options,
                    int64_t start_monotonic_ns, struct error *err)
{
    struct ring *ring;
    int code;

    must(options->depth + options->polls > 0 && !(options->polls && options->poll));
    ring = ring_new(options);
    if (ring == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %llu bytes of buffers",
                         (unsigned long long)options->buffer_bytes);
    }
    code = ring_setup(ring, options);
    if (code < 0) {
        ring_free(ring);
        return uring_ladder_error(code, SYSCTL, err);
    }
    code = loop_init(loop, &loop_uring_ops, timers, err);
    if (code < 0) {
        io_uring_queue_exit(&ring->uring);
        ring_free(ring);
        return code;
    }
    ring_register(ring, options);
    if (!options->no_socket_reads) {
        ring_reads_open(ring);
    }
    io_side_init(&ring->side);
    ring->loop = loop;
    loop->outside = ring;
    loop_uring_start(loop, start_monotonic_ns);
    return 0;
}

void loop_uring_start(struct loop *loop, int64_t start_monotonic_ns)
{
    struct ring *ring = ring_of(loop);

    ring->start_ns = start_monotonic_ns;
    loop->now_ns = ring_clock_ns(ring);
    ring->progress_ns = loop->now_ns;
}

void loop_uring_drain(struct loop *loop)
{
    struct ring *ring = ring_of(loop);

    ring_drain(ring);
    /* the kernel takes a ring down in the background: till then it would hold the drive */
    if (ring->flying == 0) {
        (void)io_uring_unregister_files(&ring->uring);
    }
}

void *loop_uring_arena(struct loop *loop)
{
    return ring_of(loop)->arena;
}

void loop_uring_describe(const struct loop *loop, char *buf, uint64_t size)
{
    uring_ladder_describe(&ring_of(loop)->ladder, buf, size);
}

void loop_uring_counts(const struct loop *loop, struct uring_counts *ret)
{
    *ret = ring_of(loop)->counts;
    ret->limit = ring_of(loop)->ladder.ring_memlock_bytes ? ring_of(loop)->depth : 0;
    ret->workers = uring_ladder_workers();
}
