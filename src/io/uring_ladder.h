/* io/uring_ladder: which features of io_uring stand, why the others do not, and how to say so. */
#ifndef RAWTPS_IO_URING_LADDER_H
#define RAWTPS_IO_URING_LADDER_H

#include <stdbool.h>
#include <stdint.h>

#include "io/drive_types.h"

/* How completions come in, best first. */
enum ladder_task {
    TASK_DEFER,  /* SINGLE_ISSUER and DEFER_TASKRUN: Linux 6.1 */
    TASK_SINGLE, /* SINGLE_ISSUER and COOP_TASKRUN: 6.0 */
    TASK_COOP,   /* COOP_TASKRUN: 5.19 */
    TASK_PLAIN,
    TASKS
};
enum ladder_rung { RUNG_BUFFERS, RUNG_FILE, RUNG_RING_FD, RUNGS };

struct uring_ladder {
    uint32_t depth, batch;
    enum ladder_task task;
    int task_code; /* why a better one does not stand: negative errno; 0: it was not asked for */
    bool stands[RUNGS];
    int code[RUNGS];             /* why not: negative errno; 0: switched off or not needed */
    uint64_t memlock_bytes;      /* RLIMIT_MEMLOCK, when it was the reason */
    uint64_t ring_memlock_bytes; /* the same, when depth and batch are less than asked for by it */
    bool two_enters, poll, sqpoll;
};

/* The best that the options allow, and what to try after a refusal; TASKS: nothing is left. */
enum ladder_task uring_ladder_first(const struct uring_options *options);
enum ladder_task uring_ladder_below(enum ladder_task task);
/* May a smaller request succeed where this code was given? */
bool uring_ladder_refuses(int code);

/* RLIMIT_MEMLOCK allows rings of no more than so many in flight, and in a submission. */
void uring_ladder_shrink(struct uring_ladder *ladder, uint32_t depth, uint32_t batch);

/* "uring, batch 32, fixed buffers, fixed file, ring fd, defer" */
void uring_ladder_describe(const struct uring_ladder *ladder, char *buf, uint64_t size);

/*
 * io_uring_setup gave `code` without any feature asked for. sysctl: a file that holds what
 * /proc/sys/kernel/io_uring_disabled holds. EXIT_FAILED.
 */
int uring_ladder_error(int code, const char *sysctl, struct error *err);

/* RLIMIT_MEMLOCK; 0 if there is no limit. */
uint64_t uring_ladder_memlock(void);

/* Threads of this process that io_uring started for requests that would have blocked. */
uint32_t uring_ladder_workers(void);

#endif
