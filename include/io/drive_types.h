/* io/drive_types: the drives and wrappers there are, and how to open them. */
#ifndef RAWTPS_IO_DRIVE_TYPES_H
#define RAWTPS_IO_DRIVE_TYPES_H

#include "io/drive.h"

/*
 * null: answers every request latency_ns later (at least 1), moves nothing. Holds no data.
 */
struct drive *drive_null_open(struct loop *loop, uint64_t capacity_bytes, int64_t latency_ns,
                              struct error *err);

/*
 * sim: a flash drive in virtual time (MODEL.md 8.3). Immutable parameters; one is shared by all VMs
 * of a world. Every parameter has a basis in the drive's YAML (datasheet, measured, calibrated).
 *   read   command server -> die of its stripe, waiting for programs there -> link -> fixed
 *   write  command server -> link -> cache; acknowledged when there is room, which the programs
 *          make at program_bytes_per_s / write amplification, less what reads take from them
 *   flush  at once if protected, else when the cache has drained; a write with IO_FUA likewise
 * Unless it is fixed the write amplification follows from the spare flash, and the span and order
 * of what is written (src/io/drive_sim_gc.h). The drive begins full, and rewritten at random over
 * a quarter of it; trimmed whole, it is as fresh out of the box.
 *   cost   70 to 170 ns a request with the loop, 2 timers a read and 1 a write
 */
enum { DRIVE_SIM_SUSPENDS = 16 };
struct drive_sim_params {
    char name[64], model[64], form_factor[16], firmware[32];
    uint64_t capacity_bytes;
    uint32_t dies;      /* FIFO servers that work at once */
    int64_t read_ns;    /* flash read of one unit (tR) */
    double read_jitter; /* uniform +- share of read_ns; 0.10 */
    /* until a program is suspended for a read, and as long again until it goes on */
    int64_t program_suspend_min_ns, program_suspend_max_ns;
    uint32_t suspends;    /* of a program at most: it gets on by 1 / suspends between; 0: 16 */
    int64_t command_ns;   /* serial command server: 1 / the highest IOPS */
    int64_t fixed_ns;     /* controller and host, added last */
    int64_t write_ack_ns; /* acknowledged from the protected cache; also FUA and flush */
    int64_t flush_ns;     /* a flush without power-loss protection takes this; 0: protected */
    uint64_t link_read_bytes_per_s, link_write_bytes_per_s;
    double link_gt_s;             /* for the facts alone: GT/s a lane; 0: not said */
    uint32_t link_lanes;          /* 0: a bus without lanes */
    uint64_t cache_bytes;         /* write cache */
    uint64_t program_bytes_per_s; /* raw, over all dies */
    uint32_t stripe_bytes;        /* host data that go to one die at a time: 96 KiB */
    double over_provisioning;     /* spare share of user capacity: 0.07, 0.28 */
    double write_amplification;   /* fixed, if > 0; else worked out */
    uint64_t gc_unit_bytes; /* garbage is collected each 0 to 2 x so many bytes; 0: by and by */
    int64_t stack_ns;       /* virtual stack of the host, added to every request; 0 */
    /* heat (src/io/drive_sim_heat.h), imitated if throttle_at > 0: degrees Celsius, watts */
    double throttle_at, throttle_to;              /* from here on, so much of the speed */
    double ambient, heat;                         /* temperature of the air, K/W over it */
    int64_t heat_time_ns;                         /* time constant */
    double power_idle, power_read, power_program; /* W; W per GB/s */
};
/*
 *   seed    of dies, jitter and suspensions
 *   store   keep written bytes in memory, for tests on small drives; else data may be NULL
 *   errors  -EINVAL (names the parameter), -ENOMEM
 */
struct drive *drive_sim_open(struct loop *loop, const struct drive_sim_params *params,
                             uint64_t seed, bool store, struct error *err);
/* The parameters that cannot be, each by the name of its key; NULL: drive_sim_open() takes them. */
const char *drive_sim_wrong(const struct drive_sim_params *params);
uint64_t drive_sim_memory_bytes(const struct drive_sim_params *params); /* without store */

/*
 * slice: a part [from_bytes, from_bytes + bytes) of a shared drive, as a drive.
 * lower is a bottom drive (sim, null, uring), shared by several slices and never closed from
 * here. Both bounds are multiples of its alignment and lie inside it, else EXIT_FAILED.
 */
struct drive *drive_slice_open(struct drive *lower, uint64_t from_bytes, uint64_t bytes,
                               struct error *err);

/* tap: calls `look` for every answered request, and lets it pass. Wrapper. */
struct drive *drive_tap_open(struct drive *lower, void (*look)(void *context, const struct io *),
                             void *context, struct error *err);

/*
 * fault: does harm on purpose, each kind on chosen requests. Wrapper; needs a lower drive with data
 * for all but errors. The plan says on which matching request (from 0) what happens.
 */
enum fault_kind {
    FAULT_ERROR,       /* answers -error_code, does nothing */
    FAULT_BIT_FLIP,    /* one bit of the data read is inverted */
    FAULT_TORN,        /* only the first sectors of a page are written */
    FAULT_LOST,        /* a write is answered but not done */
    FAULT_STALE,       /* a read gives what the page held one write before */
    FAULT_MISDIRECTED, /* a write goes to another page */
    FAULT_SHORT,       /* half the bytes are moved */
    FAULT_DELAY,       /* answered delay_ns later */
    FAULT_KINDS
};
extern const char *const fault_kind_names[FAULT_KINDS];
struct fault_rule {
    enum fault_kind kind;
    enum io_verb verb;
    uint64_t from_offset, to_offset; /* requests that begin in here match */
    uint64_t skip, every, count; /* leave out `skip` matches, then each `every`-th, `count` times */
    int error_code;              /* positive errno */
    int64_t delay_ns;
    uint64_t distance_bytes; /* misdirected by */
};
/*
 * A request is struck by the first rule that is due for it. Rules that cannot strike it (no data,
 * one sector only, earlier contents not known) let it pass and do not count it as injected.
 * FAULT_STALE knows what was written through this wrapper; its range is at most 64 MiB.
 * FAULT_MISDIRECTED goes back by the distance where forward is beyond the drive.
 *   errors  -EINVAL (the rule makes no sense), -E2BIG (stale range), -ENOMEM
 */
struct drive *drive_fault_open(struct drive *lower, const struct fault_rule *rules, uint32_t count,
                               uint64_t seed, struct error *err);
uint64_t drive_fault_injected(const struct drive *drive, uint32_t rule);

/*
 * uring: a block device or file by io_uring and O_DIRECT. Must be opened in the thread that runs
 * the loop. Opens the loop too: there is one ring a world.
 */
struct uring_options {
    uint32_t depth;        /* most requests in flight; 0 with polls: no drive */
    uint32_t polls;        /* most sockets that are waited for at once; not with poll */
    uint32_t batch;        /* most requests a submission; 0: no limit below depth */
    uint64_t buffer_bytes; /* arena: depth x largest request; registered if the limit lets it */
    bool no_fixed_buffers, no_fixed_file, no_ring_fd, no_defer, no_single_issuer; /* rungs off */
    bool no_socket_reads; /* sockets are polled, as on Linux before 6.0 */
    bool two_enters;      /* submit, then wait only if nothing is done */
    int64_t spin_ns;      /* wake so much before a deadline and poll */
    bool poll, sqpoll;    /* never by default */
};
/*
 * timers: as in loop_virtual_open. Refused with EXIT_FAILED: no io_uring (the hint names the sysctl
 * or the profile), no memory. A refused feature is not an error: see loop_uring_describe().
 */
int loop_uring_open(struct loop *loop, uint32_t timers, const struct uring_options *options,
                    int64_t start_monotonic_ns, struct error *err);
void *loop_uring_arena(struct loop *loop); /* options.buffer_bytes of aligned, registered memory */
/* Set now_ns = 0 at a CLOCK_MONOTONIC instant (start barrier) before loop_run(). */
void loop_uring_start(struct loop *loop, int64_t start_monotonic_ns);
/*
 * Wait, at most half a minute, for the requests that the kernel still has; nobody is answered. The
 * ring lets go of the drive, which could not be unmounted else for a moment after the program's
 * end. For a loop that another thread closes: only the one that ran it can do these.
 */
void loop_uring_drain(struct loop *loop);
/*
 * What stood of the ladder, for the result: "uring, batch 32, fixed buffers, fixed file, ring fd,
 * defer"; a rung that was left says why: "plain buffers (RLIMIT_MEMLOCK 64 KiB)".
 */
void loop_uring_describe(const struct loop *loop, char *buf, uint64_t size);

/* How busy the ring was, since it was opened. */
struct uring_counts {
    uint64_t enters;         /* system calls */
    uint64_t sent;           /* requests handed over, those sent again included */
    uint64_t done;           /* requests answered */
    uint64_t again;          /* not taken (EAGAIN, EINTR), sent again */
    uint64_t shorts;         /* short transfers whose rest was sent again */
    uint32_t limit;          /* 0: as many as were asked for; else fewer, by RLIMIT_MEMLOCK */
    uint32_t most_in_flight; /* in the kernel at once; more than queue/nr_requests costs workers */
    uint32_t workers;        /* io-wq threads the process has now: 0 if all goes as it should */
};
void loop_uring_counts(const struct loop *loop, struct uring_counts *ret);

/*
 * fd: opened with O_DIRECT and guarded (io/guard.h); stays the caller's. Up to 64 a loop.
 * io->result is what the kernel gave; -EINVAL, -EFAULT, -EBADF (alignment), -ENOSPC, -ENODEV,
 * -ENXIO, -EOPNOTSUPP, a read beyond the end, and a ring that is stuck also set loop->fault and
 * loop->stop. IO_TRIM and what a ring cannot do run in a side thread.
 */
struct drive *drive_uring_open(struct loop *loop, int fd, uint64_t capacity_bytes,
                               uint32_t align_bytes, struct error *err);

#endif
