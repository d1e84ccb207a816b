/* rooms: base io. What a request costs on a drive that is not there:
 * cost_drive null|read|write|mixed|stamp [N]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "io/drive_types.h"
#include "io/stamp.h"

enum { DEPTH = 256, PAGE = 8192 };

struct bench {
    struct loop loop;
    struct drive *drive;
    struct rng rng;
    uint64_t left, span_pages, done, write_below;
    struct io ios[DEPTH];
    uint8_t data[PAGE];
};

static void send(struct bench *bench, struct io *io)
{
    uint64_t r = rng_u64(&bench->rng);

    if (bench->left == 0) {
        return;
    }
    bench->left--;
    io->verb = (r & 1023) < bench->write_below ? IO_WRITE : IO_READ;
    io->bytes = PAGE;
    io->offset = (uint64_t)(((__uint128_t)r * bench->span_pages) >> 64) * PAGE;
    drive_submit(bench->drive, io);
}

static void done(struct io *io)
{
    struct bench *bench = (struct bench *)(uintptr_t)io->owner;

    bench->done++;
    send(bench, io);
}

static struct drive_sim_params params(uint64_t capacity_bytes)
{
    return (struct drive_sim_params){.name = "bench",
                                     .capacity_bytes = capacity_bytes,
                                     .dies = 64,
                                     .read_ns = 60000,
                                     .read_jitter = 0.1,
                                     .program_suspend_min_ns = 36000,
                                     .program_suspend_max_ns = 120000,
                                     .command_ns = 1390,
                                     .fixed_ns = 17000,
                                     .write_ack_ns = 13000,
                                     .link_read_bytes_per_s = 3400ull << 20,
                                     .link_write_bytes_per_s = 2500000000,
                                     .cache_bytes = 64 << 20,
                                     .program_bytes_per_s = 2900ull << 20,
                                     .stripe_bytes = 96 << 10,
                                     .over_provisioning = 0.08};
}

static void open_drive(struct bench *bench, const char *kind, struct error *err)
{
    struct drive_sim_params p = params(3840000000000);

    bench->write_below = strcmp(kind, "write") == 0 ? 1024 : strcmp(kind, "mixed") == 0 ? 512 : 0;
    if (strncmp(kind, "null", 4) == 0) {
        bench->drive = drive_null_open(&bench->loop, p.capacity_bytes, 1000, err);
    } else if (strcmp(kind, "stamp") == 0) {
        p = params(8 << 20);
        bench->write_below = 1024;
        bench->drive =
            drive_stamp_open(drive_sim_open(&bench->loop, &p, 1, true, err), 1, PAGE, 1, err);
    } else {
        bench->drive = drive_sim_open(&bench->loop, &p, 1, false, err);
    }
    bench->span_pages = bench->drive->capacity_bytes / PAGE;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    const char *kind = argc > 1 ? argv[1] : "null";
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
    struct timespec a, b;
    struct error err;

    if (loop_virtual_open(&bench.loop, DEPTH + 16, &err)) {
        return 1;
    }
    open_drive(&bench, kind, &err);
    bench.left = count;
    rng_init(&bench.rng, 1, 1);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (int i = 0; i < DEPTH; i++) {
        bench.ios[i].owner = (uintptr_t)&bench;
        bench.ios[i].done = done;
        bench.ios[i].data = strcmp(kind, "stamp") == 0 ? bench.data : NULL;
        send(&bench, &bench.ios[i]);
    }
    loop_run(&bench.loop, INT64_MAX);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    printf("%s: %.0f ns of CPU a request\n", kind,
           ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
               (double)bench.done);
    drive_close(bench.drive);
    loop_close(&bench.loop);
    return bench.done == count ? 0 : 1;
}
