/* engine/world: one loop, one thread, one VM (real time) or all of them (virtual time). */
#ifndef RAWTPS_ENGINE_WORLD_H
#define RAWTPS_ENGINE_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"
#include "vm.h"

enum { OUTBOX_SLOTS = 4, WORLD_STATEMENTS = 48 };

/* Snapshots on their way from a world's thread to the main thread: one writer, one reader. */
struct outbox {
    struct record slots[OUTBOX_SLOTS];
    atomic_uint head, tail;
};

int outbox_init(struct outbox *outbox, uint32_t kind_count, struct error *err);
void outbox_free(struct outbox *outbox);
/* Swap the record in; it comes back empty. False: full, record is as it was. */
bool outbox_push(struct outbox *outbox, struct record *record);
struct record *outbox_peek(struct outbox *outbox); /* NULL: empty */
void outbox_pop(struct outbox *outbox);

/* What all worlds of a run share. */
struct shared {
    const volatile int *asked; /* signals so far: 1 ends the run, 2 at once; NULL: none can come */
    atomic_bool stop;          /* end at the next interval, keep what was measured */
    atomic_uint advance;       /* phases before this index are over (until steady, amount) */
    atomic_bool sampling;      /* the sample has begun */
    atomic_uint ready;         /* worlds that are prepared */
    atomic_int go;             /* 0 wait, 1 go, -1 give up */
    atomic_llong epoch_ns;     /* CLOCK_MONOTONIC instant when the clock is 0 (real time) */
};

static inline bool shared_stopping(struct shared *shared)
{
    return atomic_load_explicit(&shared->stop, memory_order_relaxed) ||
           (shared->asked != NULL && *shared->asked != 0);
}

/* Asked a second time: nobody waits any more for what is under way. */
static inline bool shared_hurried(const struct shared *shared)
{
    return shared->asked != NULL && *shared->asked >= 2;
}

struct run_options;
struct fill;
struct world {
    const struct plan *plan;
    struct shared *shared;
    uint32_t first_vm, vm_count;
    uint32_t loop_index;         /* which of the VM's loops, where a VM has several */
    struct plan_vm *part;        /* PLAN_SQL: the loop's part of its VM; else NULL */
    const struct server *server; /* PLAN_SQL */
    int fd;                      /* uring: the guarded drive */
    uint32_t align_bytes;
    bool filled;       /* by an earlier run, for this layout: the fill is left out */
    int64_t origin_ns; /* uring: CLOCK_MONOTONIC of loop time 0 */
    struct loop loop;
    bool loop_open;
    struct drive *bottom;
    struct vm *vms[PLAN_VMS]; /* first vm_count */
    void *buffers;            /* virtual worlds whose drive holds data */
    uint64_t buffer_bytes;

    /* PLAN_SQL: statements when the sample began, and what they grew by in it */
    struct target_sql_statement statements[WORLD_STATEMENTS];
    uint32_t statement_count;
    bool statements_counted; /* the sample is over */
    int64_t gone_since_ns;   /* no connection since then; negative: there is one */

    /* real time: of its thread, when the sample began, and how they grew in it; -1: unknown */
    int64_t run_before_ns, delay_before_ns;
    _Atomic int64_t run_ns, delay_ns;

    atomic_ullong filled_bytes;
    atomic_ullong warm_transactions;
    /* written by the world, read by who writes results: never both halves of one */
    _Atomic int64_t phase_from_ns[PLAN_PHASES], phase_until_ns[PLAN_PHASES];
    int64_t epoch_ns;
    bool interrupted, failed;
    atomic_bool over; /* nothing more will be published */
    struct error error;
    char how[160];
    /* it is to end: what it still waits for (0: nothing), and for how long at most */
    atomic_uint waiting;
    _Atomic int64_t wait_left_ns;
    uint32_t unanswered; /* by the drive, when it waited no longer */
    struct fill *fill;   /* whose answers may come late; or NULL */
    uint32_t held_at; /* so many requests in the kernel were all that it let in; 0: nothing held */

    /* An interval of all VMs of this world is over: take vms[i]->current's content. */
    void (*publish)(void *context, struct world *world, bool last);
    /* Long preparations call it now and then, so that they can be watched. NULL: nobody does. */
    void (*tick)(void *context, struct world *world);
    void *context;
    const struct run_options *options; /* look: of models' requests; may be NULL */
};

/* The parts of a run, in order; each returns 0 or sets world->error, failed. */
int world_open(struct world *world);
int world_fill(struct world *world);
int world_prepare(struct world *world); /* targets and warm start */
int world_measure(struct world *world); /* from epoch_ns: every timed phase, then drain */
void world_leave(struct world *world);  /* real time: end what only the loop's thread can end */
void world_close(struct world *world);

/*
 * fill.c. Gives up when it is asked to end and the drive does not answer: what it waits for then is
 * the world's until it is closed.
 */
int fill_vm(struct world *world, struct vm *vm, struct error *err);

/* The longest that a world which is to end waits for what is under way. */
#define WORLD_DRAIN_NS 30000000000ll
/* Tell whoever looks what the world waits for; until_ns: of its loop. answers 0: no longer. */
void world_waits(struct world *world, uint32_t answers, int64_t until_ns);

#endif
