#include <errno.h>

#include "base/mem.h"
#include "io/drive_types.h"

struct drive_tap {
    struct drive drive; /* first */
    void (*look)(void *context, const struct io *);
    void *context;
};

static void tap_submit(struct drive *drive, struct io *io)
{
    drive_pass(drive, io);
}

static void tap_answered(struct drive *drive, struct io *io)
{
    struct drive_tap *tap = (struct drive_tap *)drive;

    tap->look(tap->context, io);
    drive_answered(io);
}

static void tap_close(struct drive *drive)
{
    mem_free(drive);
}

static const struct drive_ops drive_tap_ops = {
    .name = "tap",
    .submit = tap_submit,
    .answered = tap_answered,
    .close = tap_close,
};

struct drive *drive_tap_open(struct drive *lower, void (*look)(void *context, const struct io *),
                             void *context, struct error *err)
{
    struct drive_tap *tap = mem_zalloc(sizeof(*tap));

    if (tap == NULL) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a tap");
        return NULL;
    }
    tap->drive = (struct drive){.ops = &drive_tap_ops,
                                .loop = lower->loop,
                                .lower = lower,
                                .capacity_bytes = lower->capacity_bytes,
                                .align_bytes = lower->align_bytes};
    lower->upper = &tap->drive;
    tap->look = look;
    tap->context = context;
    return &tap->drive;
}
