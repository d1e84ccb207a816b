#include "drive_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/rng.h"

struct run {
    const struct load *load;
    struct loop *loop;
    struct drive *drive;
    struct load_result *ret;
    struct rng rng;
    uint64_t next, under_way;
    int64_t begin_ns, end_ns, last_ns;
    double sum_ns[2], area_ns;
    uint64_t count[2];
};

static void submit(struct run *run, struct io *io)
{
    const struct load *load = run->load;
    uint64_t places = load->span_bytes / load->bytes;
    uint64_t place = load->sequential ? run->next++ % places : rng_below(&run->rng, places);

    io->verb = rng_unit(&run->rng) < load->read_share ? IO_READ : IO_WRITE;
    io->bytes = load->bytes;
    io->offset = load->from_bytes + place * load->bytes;
    run->ret->submitted++;
    run->under_way++;
    drive_submit(run->drive, io);
}

static void account(struct run *run, const struct io *io)
{
    struct load_result *ret = run->ret;
    uint64_t sample = ret->answered - run->load->warm;

    ret->answered++;
    ret->failed += io->result != (int32_t)io->bytes;
    ret->digest = rng_hash(ret->digest ^ rng_hash((uint64_t)io->done_ns) ^ io->offset ^
                           (uint64_t)io->verb << 60);
    if (ret->answered <= run->load->warm) {
        run->begin_ns = run->last_ns = io->done_ns;
        return;
    }
    run->area_ns += (double)run->under_way * (double)(io->done_ns - run->last_ns);
    run->last_ns = io->done_ns;
    if (sample < run->load->count) {
        run->end_ns = io->done_ns;
        run->sum_ns[io->verb] += (double)(io->done_ns - io->sent_ns);
        run->count[io->verb]++;
        ret->outstanding = run->area_ns / (double)(run->end_ns - run->begin_ns + 1);
    }
}

static void done(struct io *io)
{
    struct run *run = (struct run *)(uintptr_t)io->owner;

    account(run, io);
    run->under_way--;
    if (run->ret->submitted < run->load->warm + run->load->count + run->load->depth) {
        submit(run, io);
    }
}

void load_run(const struct load *load, struct loop *loop, struct drive *drive,
              struct load_result *ret)
{
    struct run run = {.load = load, .loop = loop, .drive = drive, .ret = ret};
    struct io *ios = calloc(load->depth, sizeof(*ios));
    double ns;

    must(ios);
    memset(ret, 0, sizeof(*ret));
    rng_init(&run.rng, load->seed, 77);
    run.begin_ns = run.last_ns = loop->now_ns;
    for (uint32_t i = 0; i < load->depth; i++) {
        ios[i].done = done;
        ios[i].owner = (uintptr_t)&run;
        submit(&run, &ios[i]);
    }
    loop_run(loop, INT64_MAX);
    ns = (double)(run.end_ns - run.begin_ns);
    ret->per_s = (double)load->count * 1e9 / ns;
    ret->mean_ns = (run.sum_ns[0] + run.sum_ns[1]) / (double)load->count;
    ret->read_mean_ns = run.count[0] ? run.sum_ns[0] / (double)run.count[0] : 0;
    ret->write_mean_ns = run.count[1] ? run.sum_ns[1] / (double)run.count[1] : 0;
    free(ios);
}

static void one_done(struct io *io)
{
    *(bool *)(uintptr_t)io->owner = true;
}

int32_t load_one(struct drive *drive, enum io_verb verb, uint8_t flags, uint64_t offset, void *data,
                 uint32_t bytes, struct io *io)
{
    struct io own;
    bool over = false;

    io = io ? io : &own;
    *io = (struct io){.verb = verb,
                      .flags = flags,
                      .offset = offset,
                      .data = data,
                      .bytes = bytes,
                      .done = one_done,
                      .owner = (uintptr_t)&over};
    drive_submit(drive, io);
    must(!over);
    loop_run(drive->loop, INT64_MAX);
    must(over);
    return io->result;
}

struct drive_sim_params load_small_drive(uint64_t capacity_bytes)
{
    return (struct drive_sim_params){
        .name = "small",
        .capacity_bytes = capacity_bytes,
        .dies = 8,
        .read_ns = 50000,
        .read_jitter = 0.1,
        .program_suspend_min_ns = 10000,
        .program_suspend_max_ns = 50000,
        .command_ns = 1000,
        .fixed_ns = 10000,
        .write_ack_ns = 10000,
        .link_read_bytes_per_s = 1000000000,
        .link_write_bytes_per_s = 1000000000,
        .cache_bytes = 1 << 20,
        .program_bytes_per_s = 500000000,
        .stripe_bytes = 64 << 10,
        .over_provisioning = 0.25,
        .write_amplification = 0,
        .stack_ns = 0,
    };
}

void load_rig_open(struct load_rig *rig, const struct drive_sim_params *params, uint64_t seed)
{
    struct error err;

    must(loop_virtual_open(&rig->loop, 4096, &err) == 0);
    rig->drive = drive_sim_open(&rig->loop, params, seed, false, &err);
    must(rig->drive != NULL);
}

void load_rig_close(struct load_rig *rig)
{
    drive_close(rig->drive);
    loop_close(&rig->loop);
}

struct load_result load_on(const struct drive_sim_params *params, const struct load *load)
{
    struct load_result ret;
    struct load_rig rig;

    load_rig_open(&rig, params, 1);
    load_run(load, &rig.loop, rig.drive, &ret);
    load_rig_close(&rig);
    return ret;
}
