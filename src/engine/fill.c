#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "base/rng.h"
#include "place.h"
#include "world.h"

/*
 * Fill: every byte of a VM's slice is written once, in order, large and several at a time, so that
 * no read meets a hole. Pages carry stamps; the head of a model's slice (log, doublewrite) does
 * not.
 */
enum { FILL_DEPTH = 8, FILL_BYTES = 1 << 20 };
#define FILL_STEP_NS 10000000ll

struct fill {
    struct world *world;
    struct vm *vm;
    uint64_t next, head, end; /* offsets in the slice; below head: no stamps */
    uint32_t chunk, in_flight;
    uint64_t body;
    int error;
    struct io ios[FILL_DEPTH];
};

static void fill_body(struct fill *fill, void *data, uint32_t bytes)
{
    uint64_t *word = data, x = fill->body;

    for (uint32_t i = 0; i < bytes / 8; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        word[i] = x;
    }
    fill->body = x;
}

static void fill_send(struct fill *fill, struct io *io)
{
    uint64_t limit = fill->next < fill->head ? fill->head : fill->end;
    uint64_t left = limit - fill->next;

    io->verb = IO_WRITE;
    io->area = IO_DATA;
    io->flags = fill->next < fill->head || fill->vm->stamp == NULL ? IO_NO_STAMP : 0;
    io->offset = fill->next;
    io->bytes = left < fill->chunk ? (uint32_t)left : fill->chunk;
    io->vm = (uint8_t)fill->vm->index;
    if (io->data != NULL && (io->flags & IO_NO_STAMP)) {
        fill_body(fill, io->data, io->bytes);
    }
    fill->next += io->bytes;
    fill->in_flight++;
    drive_submit(fill->vm->drive, io);
}

static void fill_done(struct io *io)
{
    struct fill *fill = (struct fill *)(uintptr_t)io->owner;
    struct world *world = fill->world;

    fill->in_flight--;
    if (io->result < 0) {
        fill->error = io->result;
    } else {
        atomic_fetch_add_explicit(&world->filled_bytes, io->bytes, memory_order_relaxed);
    }
    if (fill->error == 0 && fill->next < fill->end && !shared_stopping(world->shared)) {
        fill_send(fill, io);
    } else if (fill->in_flight == 0) {
        world->loop.stop = true;
    }
}

static void fill_start(struct fill *fill, struct world *world, struct vm *vm)
{
    const struct plan_vm *plan = vm->plan;
    uint32_t page = plan->target == PLAN_MODEL ? plan->model.page_bytes : 4096;
    struct io *io = fill->ios;

    *fill = (struct fill){
        .world = world, .vm = vm, .end = place_fill_bytes(plan), .body = plan->seed | 1};
    if (plan->target == PLAN_MODEL) {
        fill->head = plan->footprint.total_bytes - plan->footprint.data_bytes;
    }
    fill->chunk = FILL_BYTES;
    if (world->buffers != NULL && world->buffer_bytes / FILL_DEPTH < FILL_BYTES) {
        fill->chunk = (uint32_t)(world->buffer_bytes / FILL_DEPTH / page * page);
        must(fill->chunk > 0);
    }
    for (uint32_t i = 0; i < FILL_DEPTH && fill->next < fill->end; i++, io++) {
        io->done = fill_done;
        io->owner = (uintptr_t)fill;
        io->data =
            world->buffers == NULL ? NULL : (char *)world->buffers + (uint64_t)i * fill->chunk;
        fill_send(fill, io);
    }
}

/* Until all is answered, or for so long at most once the run is to end. */
static void fill_run(struct fill *fill)
{
    struct world *world = fill->world;
    struct loop *loop = &world->loop;
    int64_t until_ns = INT64_MAX;

    while (fill->in_flight > 0 && loop->fault == NULL && loop->now_ns < until_ns &&
           !shared_hurried(world->shared)) {
        if (until_ns == INT64_MAX && shared_stopping(world->shared)) {
            until_ns = loop->now_ns + WORLD_DRAIN_NS;
        }
        if (until_ns < INT64_MAX) {
            world_waits(world, fill->in_flight, until_ns);
        }
        loop->stop = false;
        loop_run(loop, world->plan->virtual_time ? INT64_MAX : loop->now_ns + FILL_STEP_NS);
    }
    loop->stop = false;
}

int fill_vm(struct world *world, struct vm *vm, struct error *err)
{
    struct fill *fill = world->fill;

    if (fill == NULL) {
        fill = world->fill = mem_zalloc(sizeof(*fill));
    }
    if (fill == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory to fill the drive");
    }
    if (fill->in_flight > 0) { /* it is given up, and the run is to end */
        return 0;
    }
    world->loop.stop = false;
    fill_start(fill, world, vm);
    fill_run(fill);
    if (world->loop.fault != NULL) {
        *err = *world->loop.fault;
        return err->code;
    }
    if (fill->error != 0) {
        return error_set(err, EXIT_FAILED, fill->error, "%s: filling the drive at %llu bytes: %s",
                         vm->plan->name, (unsigned long long)fill->next, strerror(-fill->error));
    }
    return 0;
}
