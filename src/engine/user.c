#include "user.h"

#include <stddef.h>
#include <string.h>

#include "base/dist.h"
#include "base/must.h"

/* Retries: a mean back-off that doubles, and an end to patience (counted as failed). */
enum { USER_RETRY_LIMIT = 50 };
#define USER_BACKOFF_NS 500000ll
/*
 * Users arrive as if they had been there so many cycles: else as many as think for less than a
 * cycle are due twice in the first one. Without think time they are spread over a moment.
 */
enum { USER_CYCLES = 8 };
#define USER_STAGGER_NS 1e6

static struct user *user_of_timer(struct timer *timer)
{
    return (struct user *)((char *)timer - offsetof(struct user, timer));
}

static struct user *user_of_op(struct op *op)
{
    return (struct user *)((char *)op - offsetof(struct user, op));
}

static void user_answered(struct op *op);
static void user_due(struct timer *timer);
static void user_go_on(struct vm *vm, struct user *user);
static void worker_next(struct vm *vm, struct user *worker);

void user_init(struct user *user, uint32_t id, bool worker, uint64_t seed, uint64_t stream)
{
    memset(user, 0, sizeof(*user));
    user->id = id;
    user->worker = worker;
    user->op.done = user_answered;
    user->op.spent_ns = user->spent_ns;
    rng_init(&user->rng, seed, stream);
}

static inline void user_choose(struct vm *vm, struct user *user)
{
    struct pause pause;

    vm->workload->ops->choose(vm->workload, vm->first_user + user->id, &user->deck, &user->rng,
                              &user->txn, &pause);
    user->keying_us = (uint32_t)((uint64_t)pause.keying_ns / 1000);
    user->think_us = (uint32_t)((uint64_t)pause.think_ns / 1000);
    user->retries = 0;
    memset(user->spent_ns, 0, sizeof(user->spent_ns));
}

/* Open loop: the next instant of the VM's schedule, whoever is free takes it. */
static int64_t vm_next_arrival(struct vm *vm)
{
    int64_t due_ns = vm->next_due_ns;
    double gap = vm->poisson ? dist_exponential(&vm->arrivals, vm->rate_gap_ns) : vm->rate_gap_ns;

    vm->next_due_ns += gap < 1 ? 1 : (int64_t)gap;
    return due_ns;
}

static uint64_t user_keyed_ns(const struct user *user)
{
    return (uint64_t)user->due_ns - (uint64_t)user->keying_us * 1000;
}

static inline void user_begin(struct vm *vm, struct user *user)
{
    vm->current.kinds[user->txn.kind].due++;
    vm->open++;
    vm->open_of[user->txn.kind]++;
    user->begun_ns = vm->loop->now_ns;
    user->op.status = OP_OK;
    user->state = USER_ASKING;
}

/* True: the transaction has begun in place, go on with it. */
static inline bool user_wait(struct vm *vm, struct user *user, int64_t due_ns)
{
    user->due_ns = due_ns;
    vm->keyed_ns += user_keyed_ns(user);
    if (vm->direct && due_ns <= vm->loop->now_ns) {
        user_begin(vm, user);
        return true;
    }
    user->state = USER_PAUSED;
    user->timer.fire = user_due;
    loop_arm(vm->loop, &user->timer, due_ns);
    return false;
}

static bool vm_may_begin(struct vm *vm)
{
    if (vm->stopping || vm->work_left == 0) {
        return false;
    }
    if (vm->work_left != UINT64_MAX) {
        vm->work_left--;
    }
    vm->promised++;
    return true;
}

/* Pauses from before the beginning on, until one ends behind it. */
static int64_t user_arrive(struct vm *vm, struct user *user, int64_t at_ns, int64_t begin_ns)
{
    while (at_ns < begin_ns) {
        at_ns += (int64_t)user->think_us * 1000;
        user_choose(vm, user);
        at_ns += (int64_t)user->keying_us * 1000;
    }
    return at_ns;
}

void user_first(struct user *user, double spread)
{
    struct vm *vm = user_vm(user);
    int64_t now_ns = vm->loop->now_ns, due_ns = now_ns + (int64_t)(spread * USER_STAGGER_NS);
    double cycle_ns = vm->plan->mean_think_ns;

    if (!vm_may_begin(vm)) {
        return;
    }
    user_choose(vm, user);
    if (cycle_ns > USER_STAGGER_NS) {
        due_ns =
            user_arrive(vm, user, now_ns - (int64_t)((USER_CYCLES + spread) * cycle_ns), now_ns);
    }
    if (user_wait(vm, user, vm->rate_gap_ns > 0 ? vm_next_arrival(vm) : due_ns)) {
        user_go_on(vm, user);
    }
}

static void vm_end_user(struct vm *vm, struct user *user)
{
    user->state = USER_IDLE;
    if (vm->work_left == 0 && vm->promised == 0) {
        vm->loop->stop = true; /* the sample ends here, not with the interval */
    }
}

/* Choose the next transaction and wait until it is due. True: it has begun, go on. */
static inline __attribute__((always_inline)) bool user_next(struct vm *vm, struct user *user)
{
    int64_t now_ns = vm->loop->now_ns, pause_ns;

    vm->promised--;
    vm->keyed_ns -= user_keyed_ns(user);
    if (!vm_may_begin(vm)) {
        vm_end_user(vm, user);
        return false;
    }
    pause_ns = (int64_t)user->think_us * 1000; /* thinking belongs to the transaction before */
    user_choose(vm, user);
    pause_ns += (int64_t)user->keying_us * 1000;
    return user_wait(vm, user, vm->rate_gap_ns > 0 ? vm_next_arrival(vm) : now_ns + pause_ns);
}

static inline void user_record(struct vm *vm, struct user *user, uint16_t kind, enum txn_end end)
{
    struct txn_record record = {
        .kind = kind,
        .retries = user->retries,
        .end = end,
        .due_ns = user->due_ns,
        .begun_ns = user->begun_ns,
        .ended_ns = vm->loop->now_ns,
        .pause_ns = user->worker ? 0 : ((int64_t)user->keying_us + user->think_us) * 1000,
        .spent_ns = user->spent_ns,
    };

    record_txn(&vm->current, &record);
}

/* True: the user's next transaction has begun, go on. */
static bool user_end(struct vm *vm, struct user *user, enum txn_end end)
{
    uint16_t kind = user->worker ? (uint16_t)vm->deferred_kind : user->txn.kind;

    vm->done_of[kind] += end == TXN_DONE;
    vm->open_of[kind]--;
    user_record(vm, user, kind, end);
    if (end == TXN_DONE || end == TXN_ROLLED_BACK) {
        vm->workload->ops->ended(vm->workload, &user->txn, end == TXN_ROLLED_BACK);
    }
    if (user->worker) {
        worker_next(vm, user);
        return false;
    }
    vm->open--;
    return user_next(vm, user);
}

static void user_back_off(struct vm *vm, struct user *user)
{
    uint32_t doublings = user->retries < 6 ? user->retries : 6;
    int64_t wait_ns = (int64_t)rng_below(&user->rng, (uint64_t)(USER_BACKOFF_NS << doublings));

    user->retries++;
    vm->workload->ops->restart(vm->workload, &user->txn);
    user->state = USER_BACKING_OFF;
    user->timer.fire = user_due;
    loop_arm(vm->loop, &user->timer, vm->loop->now_ns + wait_ns);
}

/* Its operation has gone wrong. True: the transaction is over; else it is asked again later. */
static bool user_give_up(struct vm *vm, struct user *user, enum txn_end *ret)
{
    *ret = TXN_FAILED;
    switch ((enum op_status)user->op.status) {
    case OP_RETRY:
        if (user->retries < USER_RETRY_LIMIT) {
            user_back_off(vm, user);
            return false;
        }
        break;
    case OP_LOST:
        vm->lost = true;
        break;
    case OP_SKIPPED:
        *ret = TXN_SKIPPED;
        break;
    default:
        break;
    }
    return true;
}

/*
 * One operation after the other; the last one's answer is in user->op. True: the transaction is
 * over; else the target answers later, or the user backs off.
 */
static inline bool user_ask(struct vm *vm, struct user *user, enum txn_end *ret)
{
    while (__builtin_expect(user->op.status == OP_OK, 1)) {
        if (!vm->workload->ops->next(vm->workload, &user->txn, &user->op)) {
            *ret = user->txn.rolled_back ? TXN_ROLLED_BACK : TXN_DONE;
            return true;
        }
        user->op.rows = 0;
        if (!vm->target->ops->begin(vm->target, user->id, &user->op)) {
            return false;
        }
    }
    return user_give_up(vm, user, ret);
}

static void user_go_on(struct vm *vm, struct user *user)
{
    enum txn_end end;

    while (user_ask(vm, user, &end) && user_end(vm, user, end)) {
    }
}

static void user_answered(struct op *op)
{
    struct user *user = user_of_op(op);

    user_go_on(user_vm(user), user);
}

static void worker_begin(struct vm *vm, struct user *worker, const struct deferred *part)
{
    worker->txn = part->txn;
    worker->due_ns = part->queued_ns;
    worker->begun_ns = vm->loop->now_ns;
    worker->retries = 0;
    memset(worker->spent_ns, 0, sizeof(worker->spent_ns));
    worker->spent_ns[SPENT_SESSION] = worker->begun_ns - worker->due_ns;
    worker->state = USER_ASKING;
    /* from a turn of the loop, not from inside the user's own: workers never recurse */
    worker->timer.fire = user_due;
    loop_arm(vm->loop, &worker->timer, vm->loop->now_ns);
}

static void worker_next(struct vm *vm, struct user *worker)
{
    if (vm->deferred_count > 0) {
        struct deferred *part = &vm->deferred[vm->deferred_from];

        vm->deferred_from = (vm->deferred_from + 1) % vm->deferred_limit;
        vm->deferred_count--;
        worker_begin(vm, worker, part);
        return;
    }
    worker->state = USER_IDLE;
    vm->idle[vm->idle_workers++] = worker->id;
}

/* Hand the transaction to a worker. False: the queue is full, the user does it himself. */
static bool user_defer(struct vm *vm, struct user *user)
{
    struct deferred part = {.txn = user->txn, .queued_ns = vm->loop->now_ns};

    if (vm->idle_workers == 0 && vm->deferred_count == vm->deferred_limit) {
        return false;
    }
    vm->current.kinds[vm->deferred_kind].due++;
    vm->open_of[vm->deferred_kind]++;
    if (vm->idle_workers > 0) {
        worker_begin(vm, &vm->users[vm->idle[--vm->idle_workers]], &part);
        return true;
    }
    vm->deferred[(vm->deferred_from + vm->deferred_count++) % vm->deferred_limit] = part;
    return true;
}

/* True: a worker carries the transaction out, the user is done with it. */
static bool user_hand_over(struct vm *vm, struct user *user)
{
    uint16_t kind = user->txn.kind;

    if (vm->worker_count == 0 || !vm->catalog->kinds[kind].deferred || !user_defer(vm, user)) {
        return false;
    }
    vm->current.kinds[kind].due++;
    user->begun_ns = vm->loop->now_ns;
    user_record(vm, user, kind, TXN_DONE);
    return true;
}

static void user_due(struct timer *timer)
{
    struct user *user = user_of_timer(timer);
    struct vm *vm = user_vm(user);

    if (user->state != USER_PAUSED) {
        user->state = USER_ASKING;
        user->op.status = OP_OK;
    } else if (vm->stopping) {
        user->state = USER_IDLE;
        return;
    } else if (!user_hand_over(vm, user)) {
        user_begin(vm, user);
    } else if (!user_next(vm, user)) {
        return;
    }
    user_go_on(vm, user);
}
