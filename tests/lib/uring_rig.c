#include "uring_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/must.h"
#include "base/rng.h"

int64_t uring_rig_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int uring_rig_file(const char *name, uint64_t bytes)
{
    int fd = open(name, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);

    must(fd >= 0);
    must(ftruncate(fd, 0) == 0 && fallocate(fd, 0, 0, (off_t)bytes) == 0);
    unlink(name);
    return fd;
}

void uring_rig_open(struct uring_rig *rig, struct uring_options options)
{
    struct error err = {0};

    memset(rig, 0, sizeof(*rig));
    options.depth = options.depth ? options.depth : DEPTH;
    options.buffer_bytes = DEPTH * PAGE;
    if (loop_uring_open(&rig->loop, 64, &options, uring_rig_clock_ns(), &err) < 0) {
        fail_msg("%s (%s)", err.text, err.hint);
    }
    rig->fd = uring_rig_file("data", BYTES);
    rig->drive = drive_uring_open(&rig->loop, rig->fd, BYTES, 512, &err);
    assert_non_null(rig->drive);
}

void uring_rig_close(struct uring_rig *rig)
{
    drive_close(rig->drive);
    loop_close(&rig->loop);
    close(rig->fd);
}

void uring_rig_page_fill(uint64_t *page, uint64_t number, uint64_t salt)
{
    for (uint32_t i = 0; i < PAGE / 8; i++) {
        page[i] = rng_hash(number * PAGE + i + salt);
    }
}

bool uring_rig_page_holds(const uint64_t *page, uint64_t number, uint64_t salt)
{
    for (uint32_t i = 0; i < PAGE / 8; i++) {
        if (page[i] != rng_hash(number * PAGE + i + salt)) {
            return false;
        }
    }
    return true;
}

static void walk_next(struct uring_rig *rig, struct io *io)
{
    uint64_t number = (uint64_t)rig->next++ * 37 % PAGES;

    io->verb = rig->reading ? IO_READ : IO_WRITE;
    io->flags = rig->reading ? 0 : rig->flags;
    io->bytes = PAGE;
    io->offset = number * PAGE;
    if (!rig->reading) {
        uring_rig_page_fill(io->data, number, rig->salt);
    }
    drive_submit(rig->drive, io);
}

static void walk_done(struct io *io)
{
    struct uring_rig *rig = (struct uring_rig *)(uintptr_t)io->owner;
    bool right = io->result == PAGE && io->done_ns >= io->sent_ns && io->sent_ns >= 0;

    if (rig->reading && right) {
        right = uring_rig_page_holds(io->data, io->offset / PAGE, rig->salt);
    }
    rig->done++;
    rig->failed += !right;
    if (rig->next < rig->until) {
        walk_next(rig, io);
    }
}

void uring_rig_start(struct uring_rig *rig, bool reading, uint32_t pages)
{
    char *arena = loop_uring_arena(&rig->loop);

    rig->reading = reading;
    rig->next = rig->done = rig->failed = 0;
    rig->until = pages;
    for (int i = 0; i < DEPTH; i++) {
        rig->ios[i] = (struct io){
            .data = arena + i * PAGE, .done = walk_done, .owner = (uint64_t)(uintptr_t)rig};
        walk_next(rig, &rig->ios[i]);
    }
}

void uring_rig_walk(struct uring_rig *rig, bool reading)
{
    uring_rig_start(rig, reading, PAGES);
    loop_run(&rig->loop, INT64_MAX);
    assert_int_equal(rig->done, PAGES);
    assert_int_equal(rig->failed, 0);
    assert_int_equal(rig->loop.in_flight, 0);
    assert_null(rig->loop.fault);
}

static void keep_result(struct io *io)
{
    struct uring_rig *rig = (struct uring_rig *)(uintptr_t)io->owner;

    rig->result = io->result;
    rig->answers++;
}

void uring_rig_one(struct uring_rig *rig, struct io io)
{
    io.done = keep_result;
    io.owner = (uint64_t)(uintptr_t)rig;
    rig->answers = 0;
    drive_submit(rig->drive, &io);
    assert_int_equal(rig->answers, 0); /* never from inside submit */
    loop_run(&rig->loop, INT64_MAX);
    assert_int_equal(rig->answers, 1);
}
