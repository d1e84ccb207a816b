/* lib/drive_load: so many requests kept outstanding on a drive in virtual time, and what came. */
#ifndef RAWTPS_LIB_DRIVE_LOAD_H
#define RAWTPS_LIB_DRIVE_LOAD_H

#include "io/drive_types.h"

struct load {
    uint32_t depth, bytes;
    double read_share; /* of the requests; the rest writes */
    bool sequential;   /* one stream round the span, else uniform random */
    uint64_t from_bytes, span_bytes;
    uint64_t warm, count; /* requests before the sample, and in it */
    uint64_t seed;
};

struct load_result {
    double per_s, mean_ns; /* of the sample */
    double read_mean_ns, write_mean_ns;
    double outstanding; /* time-weighted mean in the sample */
    uint64_t submitted, answered, failed;
    uint64_t digest; /* of order, times and results of all answers */
};

/* Runs until all that was submitted is answered. The loop and the drive stay the caller's. */
void load_run(const struct load *load, struct loop *loop, struct drive *drive,
              struct load_result *ret);

/* A simulated drive in virtual time of its own; the program ends where it cannot be opened. */
struct load_rig {
    struct loop loop;
    struct drive *drive;
};
void load_rig_open(struct load_rig *rig, const struct drive_sim_params *params, uint64_t seed);
void load_rig_close(struct load_rig *rig);
/* A load on a new drive of seed 1. */
struct load_result load_on(const struct drive_sim_params *params, const struct load *load);

/*
 * One request, waited for: its result. flags as in struct io. io may be NULL; else it is the
 * caller's, to look at the times.
 */
int32_t load_one(struct drive *drive, enum io_verb verb, uint8_t flags, uint64_t offset, void *data,
                 uint32_t bytes, struct io *io);

/* A small simulated drive for tests that want correctness: 8 dies, cache 1 MiB, protected. */
struct drive_sim_params load_small_drive(uint64_t capacity_bytes);

#endif
