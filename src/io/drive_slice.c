#include <errno.h>

#include "base/mem.h"
#include "base/must.h"
#include "io/drive_types.h"

struct drive_slice {
    struct drive drive;
    uint64_t from_bytes;
};

static inline struct drive_slice *slice_of(struct drive *drive)
{
    return (struct drive_slice *)drive;
}

static void slice_submit(struct drive *drive, struct io *io)
{
    if (io->verb != IO_FLUSH) {
        must(io->offset <= drive->capacity_bytes &&
             io->bytes <= drive->capacity_bytes - io->offset);
        io->offset += slice_of(drive)->from_bytes;
    }
    drive_pass(drive, io);
}

static void slice_answered(struct drive *drive, struct io *io)
{
    if (io->verb != IO_FLUSH) {
        io->offset -= slice_of(drive)->from_bytes;
    }
    drive_answered(io);
}

static void slice_close(struct drive *drive)
{
    mem_free(slice_of(drive));
}

static const struct drive_ops drive_slice_ops = {
    .name = "slice",
    .submit = slice_submit,
    .answered = slice_answered,
    .close = slice_close,
};

struct drive *drive_slice_open(struct drive *lower, uint64_t from_bytes, uint64_t bytes,
                               struct error *err)
{
    struct drive_slice *slice;

    must(lower->lower == NULL);
    if (from_bytes % lower->align_bytes || bytes % lower->align_bytes || bytes == 0) {
        error_set(err, EXIT_FAILED, -EINVAL,
                  "slice of %llu bytes at %llu: both must be multiples of %u, and not empty",
                  (unsigned long long)bytes, (unsigned long long)from_bytes, lower->align_bytes);
        return NULL;
    }
    if (from_bytes > lower->capacity_bytes || bytes > lower->capacity_bytes - from_bytes) {
        error_set(err, EXIT_FAILED, -ENOSPC,
                  "slice of %llu bytes at %llu lies beyond the drive's %llu bytes",
                  (unsigned long long)bytes, (unsigned long long)from_bytes,
                  (unsigned long long)lower->capacity_bytes);
        return NULL;
    }
    slice = mem_zalloc(sizeof(*slice));
    if (slice == NULL) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a slice");
        return NULL;
    }
    slice->drive = (struct drive){.ops = &drive_slice_ops,
                                  .loop = lower->loop,
                                  .lower = lower,
                                  .capacity_bytes = bytes,
                                  .align_bytes = lower->align_bytes,
                                  .shares_lower = true};
    slice->from_bytes = from_bytes;
    return &slice->drive;
}
