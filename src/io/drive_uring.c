#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "drive_facts.h"
#include "ring.h"

/* Apart from the others' path, which needs no frame. */
static __attribute__((noinline)) void drive_uring_aside(struct ring *ring, struct io *io)
{
    const struct drive_uring *drive = (const struct drive_uring *)io->real.drive;
    int code = io_side_ask(&ring->side, io, drive->fd);
    struct error *err = code < 0 ? ring_end(ring) : NULL;

    io->sent_ns = ring_clock_ns(ring);
    if (err) {
        error_set(err, EXIT_FAILED, code, "no thread for requests that block: %s", strerror(-code));
    }
}

static void drive_uring_submit(struct drive *drive, struct io *io)
{
    struct ring *ring = ring_of(drive->loop);

    io->moved = 0;
    io->sent_ns = RING_NOT_SENT;
    io->real.drive = drive;
    io->real.tries = 0;
    if (drive->loop->in_flight++ == 0) {
        ring->progress_ns = drive->loop->now_ns;
    }
    if (io->verb != IO_FLUSH) {
        must(((io->offset | io->bytes | (uintptr_t)io->data) & (drive->align_bytes - 1)) == 0);
        must(io->bytes > 0 && io->offset <= drive->capacity_bytes &&
             io->bytes <= drive->capacity_bytes - io->offset);
    }
    if (__builtin_expect(io->verb == IO_TRIM || (io->verb == IO_FLUSH && ring->ladder.poll), 0)) {
        drive_uring_aside(ring, io);
    } else {
        ready_add(ring, io);
    }
}

static void drive_uring_facts(const struct drive *drive, struct drive_facts *ret)
{
    drive_facts_of_fd(((const struct drive_uring *)drive)->fd, "/sys", ret);
    ret->capacity_bytes = drive->capacity_bytes;
    loop_uring_describe(drive->loop, ret->how, sizeof(ret->how));
}

static void drive_uring_health(const struct drive *drive, struct drive_health *ret)
{
    drive_health_of_fd(((const struct drive_uring *)drive)->fd, "/sys", ret);
}

static void drive_uring_close(struct drive *drive)
{
    mem_free(drive);
}

static const struct drive_ops drive_uring_ops = {
    .name = "uring",
    .submit = drive_uring_submit,
    .facts = drive_uring_facts,
    .health = drive_uring_health,
    .close = drive_uring_close,
};

static void drive_register(struct ring *ring, struct drive_uring *drive)
{
    int index = (int)ring->files, code;

    drive->file = drive->fd;
    if (!ring->ladder.stands[RUNG_FILE] || index >= RING_FILES) {
        return;
    }
    code = io_uring_register_files_update(&ring->uring, (unsigned)index, &drive->fd, 1);
    if (code < 0) {
        ring->ladder.stands[RUNG_FILE] = false;
        ring->ladder.code[RUNG_FILE] = code;
        return;
    }
    ring->files++;
    drive->file = index;
    drive->sqe_flags = IOSQE_FIXED_FILE;
}

struct drive *drive_uring_open(struct loop *loop, int fd, uint64_t capacity_bytes,
                               uint32_t align_bytes, struct error *err)
{
    struct drive_uring *drive = mem_zalloc(sizeof(*drive));

    must(align_bytes >= 512 && (align_bytes & (align_bytes - 1)) == 0);
    if (drive == NULL) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a drive");
        return NULL;
    }
    drive->drive = (struct drive){.ops = &drive_uring_ops,
                                  .loop = loop,
                                  .capacity_bytes = capacity_bytes,
                                  .align_bytes = align_bytes};
    drive->fd = fd;
    drive_register(ring_of(loop), drive);
    return &drive->drive;
}
