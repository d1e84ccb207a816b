/* engine/vm: one database server's users, target and recorder, in one world. */
#ifndef RAWTPS_ENGINE_VM_H
#define RAWTPS_ENGINE_VM_H

#include "base/rng.h"
#include "io/drive_types.h"
#include "io/stamp.h"
#include "plan/plan.h"
#include "record.h"

enum user_state { USER_IDLE, USER_PAUSED, USER_ASKING, USER_BACKING_OFF, USER_QUEUED };

/*
 * A virtual user: at most PLAN_USER_BYTES. Users lie in one array behind their VM. What a bare
 * request touches of it lies together.
 */
struct user {
    int64_t due_ns, begun_ns;
    int64_t spent_ns[SPENT_KINDS];
    struct rng rng;
    struct user_deck deck;
    uint32_t keying_us, think_us; /* pauses of this transaction */
    uint32_t id;                  /* its place in the array, and its session */
    uint16_t retries;
    uint8_t state;
    uint8_t worker; /* 1: a background worker that carries out deferred parts */
    struct op op;
    struct txn txn;
    struct timer timer; /* when it is due, or its back-off is over */
};

/* A deferred part on its way to a worker. */
struct deferred {
    struct txn txn;
    int64_t queued_ns;
};

struct vm {
    const struct plan_vm *plan;
    struct loop *loop;
    uint32_t index;
    struct workload *workload;
    const struct catalog *catalog;
    struct target *target;
    struct drive *drive, *stamp; /* top of the stack; stamp NULL if off */
    int64_t epoch_ns;            /* the loop's time when the run's clock was 0 */

    struct record current;               /* the interval under way */
    uint32_t open;                       /* transactions of users due and not over */
    uint32_t open_of[CATALOG_KINDS + 1]; /* by kind, the deferred parts last */
    uint64_t done_of[CATALOG_KINDS + 1]; /* committed since the start, by kind */
    bool stopping;                       /* no transaction begins any more */
    bool lost;                           /* data came back wrong */
    bool direct; /* no workers, no answers at once: a due user may begin in place */

    double rate_gap_ns; /* open loop: mean gap between arrivals; 0: closed */
    bool poisson;
    int64_t next_due_ns;
    struct rng arrivals;
    uint64_t work_left;     /* work-bound: transactions still to begin; UINT64_MAX: no bound */
    uint32_t promised;      /* transactions chosen and not over, whether due already or not */
    uint64_t keyed_ns;      /* of these: when keying began, all together; modulo 2^64 */
    int64_t cycles_last_ns; /* vm_cycles_ns() when the last interval ended */

    void (*look)(void *look_context, const struct target *target,
                 const struct io *io); /* or NULL */
    void *look_context;
    struct deferred *deferred; /* ring */
    uint32_t deferred_count, deferred_from, deferred_limit;
    uint32_t idle_workers, *idle; /* stack of idle workers' ids */
    uint32_t deferred_kind;       /* kind_count if there is none */

    uint32_t first_user; /* what the first of these is called in the workload */
    uint32_t user_count, worker_count;
    struct user users[]; /* user_count users, then worker_count workers */
};

static inline struct vm *user_vm(struct user *user)
{
    struct user *first = user - user->id;

    return (struct vm *)((char *)first - offsetof(struct vm, users));
}

uint32_t vm_kinds(const struct plan_vm *plan); /* of users' transactions */
uint32_t vm_record_kinds(const struct plan_vm *plan);

/*
 * drive: the VM's slice. real: pages have bytes (buffers of buffer_bytes, registered arena).
 * Builds stamp, tap, workload and target on it. Errors: -ENOMEM and those of the parts.
 */
struct server;
struct vm_place {
    struct loop *loop;
    const struct server *server; /* PLAN_SQL: asked instead of a drive */
    uint32_t connections;        /* of this loop */
    struct drive *slice;
    void *buffers;
    uint64_t buffer_bytes;
    void (*look)(void *look_context, const struct target *target,
                 const struct io *io); /* or NULL */
    void *look_context;
    bool stamps;
    uint64_t stamp_seed; /* of the first versions: another one each run, so that an earlier run's
                            page cannot pass for this run's */
};
int vm_open(struct vm **ret, const struct plan_vm *plan, uint32_t index,
            const struct vm_place *place, struct error *err);
int vm_open_target(struct vm *vm, const struct vm_place *place, struct error *err);
void vm_close(struct vm *vm);

/* From now on the VM's work counts, those included that users have chosen already. */
void vm_bound(struct vm *vm);
/*
 * Users' time since their last transaction and its thinking ended: what a record will hold when
 * the next one ends. Together with the records it is users times time, exactly.
 */
int64_t vm_cycles_ns(const struct vm *vm);
/*
 * Open loop: what has fallen due by now and no user has been free to begin. Worked out from the
 * rate, so that it costs the same however many they are; of Poisson's arrivals their mean.
 */
uint64_t vm_waiting(const struct vm *vm);
/* Users begin: each is first due within one mean cycle (TPC-C) or at once. */
void vm_start(struct vm *vm);
struct world;
/* Warm start: transactions without time until the pool's hit ratio is stable, or world's stop. */
void vm_warm(struct vm *vm, struct world *world);

#endif
