#include <string.h>

#include "base/must.h"
#include "user.h"
#include "world.h"

/*
 * Warm start: every user in turn carries out a whole transaction, and no time passes, except for
 * what is in memory, which ages by what its users would have paused or computed meanwhile. A round
 * is as many transactions as a sixteenth of the pool's frames. A pool that fills and then begins to
 * evict first misses more, then less again, so rounds are compared by windows: it is warm when the
 * mean page reads a transaction of the last WARM_WINDOW rounds and of those before differ by less
 * than WARM_TOLERANCE, or by less than WARM_READS (a pool that holds all that is asked for never
 * fills).
 */
#define WARM_TOLERANCE 0.03
#define WARM_READS     0.02
enum { WARM_WINDOW = 4, WARM_ROUND_MIN = 2000, WARM_ROUNDS = 128, WARM_LOOK = 256 };

static void warm_transaction(struct vm *vm, struct user *user)
{
    struct pause pause = {0};

    vm->workload->ops->choose(vm->workload, user->id, &user->deck, &user->rng, &user->txn, &pause);
    while (vm->workload->ops->next(vm->workload, &user->txn, &user->op)) {
        user->op.status = OP_OK;
        user->op.rows = 0;
        must(vm->target->ops->begin(vm->target, user->id, &user->op));
        must(user->op.status == OP_OK);
    }
    if (vm->target->ops->elapse) {
        vm->target->ops->elapse(vm->target, (pause.keying_ns + pause.think_ns) / vm->user_count);
    }
}

/* Returns page reads a transaction. A round of a large pool takes long: it hears of a stop too. */
static double warm_round(struct vm *vm, struct shared *shared, uint64_t transactions)
{
    struct target_facts before, after;
    uint32_t id = 0;

    vm->target->ops->facts(vm->target, &before);
    for (uint64_t i = 0; i < transactions && !(i % WARM_LOOK == 0 && shared_stopping(shared));
         i++) {
        warm_transaction(vm, &vm->users[id]);
        id = id + 1 == vm->user_count ? 0 : id + 1;
    }
    vm->target->ops->facts(vm->target, &after);
    return (double)(after.page_reads - before.page_reads) / (double)transactions;
}

/* reads: of `count` rounds so far. */
static bool warm_stable(const double *reads, uint32_t count)
{
    double now = 0, before = 0, step;

    if (count < 2 * WARM_WINDOW) {
        return false;
    }
    for (uint32_t i = 0; i < WARM_WINDOW; i++) {
        now += reads[count - 1 - i] / WARM_WINDOW;
        before += reads[count - 1 - WARM_WINDOW - i] / WARM_WINDOW;
    }
    step = now > before ? now - before : before - now;
    return step < WARM_READS || step < WARM_TOLERANCE * before;
}

void vm_warm(struct vm *vm, struct world *world)
{
    struct target_facts facts;
    double reads[WARM_ROUNDS];
    uint64_t round;

    vm->target->ops->facts(vm->target, &facts);
    round = facts.frames / 16 < WARM_ROUND_MIN ? WARM_ROUND_MIN : facts.frames / 16;
    vm->target->ops->warm(vm->target, true);
    for (uint32_t i = 0; i < WARM_ROUNDS && !shared_stopping(world->shared); i++) {
        reads[i] = warm_round(vm, world->shared, round);
        atomic_fetch_add(&world->warm_transactions, round);
        if (world->tick != NULL) {
            world->tick(world->context, world);
        }
        if (warm_stable(reads, i + 1)) {
            break;
        }
    }
    vm->target->ops->warm(vm->target, false);
    for (uint32_t id = 0; id < vm->user_count; id++) {
        memset(vm->users[id].spent_ns, 0, sizeof(vm->users[id].spent_ns));
    }
}
