/* io/drive: where bytes go. One request, one answer, never from inside drive_submit(). */
#ifndef RAWTPS_IO_DRIVE_H
#define RAWTPS_IO_DRIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/loop.h"

enum io_verb { IO_READ, IO_WRITE, IO_FLUSH, IO_TRIM, IO_VERBS };
enum io_area { IO_DATA, IO_LOG, IO_AREAS }; /* what the bytes are to the target: for accounting */
enum io_flag {
    IO_FUA = 1,      /* a write that is durable when it is done */
    IO_NO_STAMP = 2, /* the data carry no page stamps (log, superblock) */
};
extern const char *const io_verb_names[IO_VERBS];
extern const char *const io_area_names[IO_AREAS];

struct drive;

/*
 * One request: the caller's own until drive_submit(), the drive's until done(), which comes once.
 * At most 128 bytes (asserted): it is all the bookkeeping an outstanding request has.
 */
struct io {
    uint8_t verb, area, flags, vm;
    uint32_t bytes;
    uint64_t offset; /* in the drive it is submitted to; IO_FLUSH: 0 */
    void *data;      /* NULL on drives that hold no data (sim without store, null) */
    int32_t result;  /* bytes moved, 0 for a flush or trim, or a negative errno */
    uint32_t moved;  /* uring: bytes already moved by short transfers */
    int64_t sent_ns, done_ns;
    void (*done)(struct io *);
    struct drive *via; /* the wrapper that passed it on last; drives only */
    union {
        struct timer timer; /* virtual drives and wrappers only */
        struct {            /* uring only, from drive_submit() until done() */
            struct drive *drive;
            uint32_t tries;
        } real;
    };
    union {
        struct io *next; /* any list the current owner keeps */
        uint64_t mark;
    };
    uint64_t owner; /* the submitter's own */
};

/* How a drive is attached, now and at most. 0: unknown. A speed without lanes is of a bus that has
 * none (SATA), in Gb/s. */
struct drive_link {
    double speed_gt_s, most_gt_s; /* a lane */
    uint32_t lanes, most_lanes;
};

/* How warm a drive is, and what it has counted since it was made. NAN: unknown. */
struct drive_health {
    double celsius;                           /* now, of the drive as a whole */
    double throttled_s;                       /* slowed down by its temperature */
    double warning_minutes, critical_minutes; /* at or above its own limits of temperature */
    double power_state;                       /* NVMe: 0 is the fastest */
};

/* Facts a drive knows about itself, for the result. Strings are "" and numbers 0 if unknown. */
struct drive_facts {
    char kind[16]; /* sim, null, file, nvme, sata, virtio, loop ... */
    char path[256], model[64], serial[64], firmware[32], form_factor[16];
    uint64_t capacity_bytes;
    uint32_t logical_block_bytes, physical_block_bytes, dio_align_bytes;
    char how[160];  /* "uring, batch 32, fixed buffers, fixed file, ring fd, defer" */
    char flush[96]; /* "fdatasync", "RWF_DSYNC", "no-op (no volatile cache)" */
    char numa_node[8];
    struct drive_link link;
    char queue[256];            /* scheduler, write_cache, fua, nr_requests as "key=value, ..." */
    double write_amplification; /* sim: over the whole run; else 0 */
};

struct drive_ops {
    const char *name;
    void (*submit)(struct drive *, struct io *);
    /* wrappers: a request that went through here has been answered; look, then drive_answered() */
    void (*answered)(struct drive *, struct io *);
    void (*facts)(const struct drive *, struct drive_facts *);
    void (*health)(const struct drive *, struct drive_health *); /* NULL: all is unknown */
    void (*close)(struct drive *); /* frees this one only: drive_close() walks down */
};

/* Larger sectors than pages are read by no database that is modelled. */
enum { DRIVE_ALIGN_MOST = 4096 };

/* The common head of every implementation. */
struct drive {
    const struct drive_ops *ops;
    struct loop *loop;
    struct drive *lower; /* wrappers: the next one down */
    struct drive *upper; /* wrappers and whoever lies above: NULL at the top */
    uint64_t capacity_bytes;
    uint32_t align_bytes; /* of every offset, size and address; 512 to DRIVE_ALIGN_MOST */
    bool shares_lower;    /* slices: drive_close() leaves the drive below open */
};

/*
 * Ask for a request. offset and bytes lie inside the drive and are aligned (must()). The answer
 * comes by io->done() from a later turn of the loop, never from inside this call.
 */
static inline void drive_submit(struct drive *drive, struct io *io)
{
    drive->ops->submit(drive, io);
}

/* For wrappers: hand a request down; its answer comes back through wrapper->ops->answered. */
static inline void drive_pass(struct drive *wrapper, struct io *io)
{
    io->via = wrapper;
    wrapper->lower->ops->submit(wrapper->lower, io);
}

/* For drives: the request is answered (result, sent_ns, done_ns set): up through the wrappers. */
static inline void drive_answered(struct io *io)
{
    struct drive *via = io->via;

    if (via == 0) {
        io->done(io);
        return;
    }
    io->via = via->upper;
    via->ops->answered(via, io);
}

void drive_facts(const struct drive *drive, struct drive_facts *ret); /* of the lowest drive */
/* Of the lowest drive; from any thread. Real: may take milliseconds, and the drive is asked. */
void drive_health(const struct drive *drive, struct drive_health *ret);
void drive_close(struct drive *drive); /* this one and those below,
                                          but not a shared bottom */

#endif
