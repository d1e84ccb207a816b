#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "io/drive_types.h"

/* The latency is one for all, so requests are answered in the order they came: a queue, one timer.
 */
struct drive_null {
    struct drive drive;
    struct timer timer;
    int64_t latency_ns;
    struct io *first, **last;
    bool answering;
};

static struct drive_null *null_of(const struct drive *drive)
{
    return (struct drive_null *)(uintptr_t)drive;
}

static void null_submit(struct drive *drive, struct io *io)
{
    struct drive_null *null = null_of(drive);

    must(io->verb < IO_VERBS && io->offset <= drive->capacity_bytes &&
         io->bytes <= drive->capacity_bytes - io->offset);
    io->sent_ns = drive->loop->now_ns;
    io->done_ns = io->sent_ns + null->latency_ns;
    io->next = NULL;
    *null->last = io;
    null->last = &io->next;
    if (!null->answering && !timer_armed(&null->timer)) {
        loop_arm(drive->loop, &null->timer, io->done_ns);
    }
}

static void null_fire(struct timer *timer)
{
    struct drive_null *null =
        (struct drive_null *)((char *)timer - offsetof(struct drive_null, timer));
    int64_t now_ns = null->drive.loop->now_ns;

    null->answering = true;
    while (null->first && null->first->done_ns <= now_ns) {
        struct io *io = null->first;

        null->first = io->next;
        if (null->first == NULL) {
            null->last = &null->first;
        }
        io->done_ns = now_ns;
        io->result = io->verb <= IO_WRITE ? (int32_t)io->bytes : 0;
        drive_answered(io);
    }
    null->answering = false;
    if (null->first) {
        loop_arm(null->drive.loop, timer, null->first->done_ns);
    }
}

static void null_facts(const struct drive *drive, struct drive_facts *ret)
{
    strcpy(ret->kind, "null");
    strcpy(ret->flush, "no-op (null drive)");
    ret->logical_block_bytes = ret->physical_block_bytes = ret->dio_align_bytes =
        drive->align_bytes;
}

static void null_health(const struct drive *drive, struct drive_health *ret)
{
    ret->throttled_s = 0;
}

static void null_close(struct drive *drive)
{
    struct drive_null *null = null_of(drive);

    loop_disarm(drive->loop, &null->timer);
    mem_free(null);
}

static const struct drive_ops drive_null_ops = {
    .name = "null",
    .submit = null_submit,
    .facts = null_facts,
    .health = null_health,
    .close = null_close,
};

struct drive *drive_null_open(struct loop *loop, uint64_t capacity_bytes, int64_t latency_ns,
                              struct error *err)
{
    struct drive_null *null = mem_zalloc(sizeof(*null));

    if (null == NULL) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a null drive");
        return NULL;
    }
    null->drive = (struct drive){
        .ops = &drive_null_ops, .loop = loop, .capacity_bytes = capacity_bytes, .align_bytes = 512};
    null->timer.fire = null_fire;
    null->latency_ns = latency_ns > 1 ? latency_ns : 1;
    null->last = &null->first;
    return &null->drive;
}
