#include <string.h>

#include "base/must.h"
#include "user.h"
#include "world.h"

/*
 * Warm start: every user in turn carries out a whole transaction, and no time passes. A round is as
 * many transactions as a sixteenth of the pool's frames; the pool is warm when it is full and two
 * rounds differ in page reads a transaction by less than WARM_TOLERANCE.
 */
#define WARM_TOLERANCE 0.02
enum { WARM_ROUND_MIN = 2000, WARM_ROUNDS = 400 };

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
}

static uint64_t warm_round(struct vm *vm, uint64_t transactions, double *ret_reads)
{
    struct target_facts before, after;
    uint32_t id = 0;

    vm->target->ops->facts(vm->target, &before);
    for (uint64_t i = 0; i < transactions; i++) {
        warm_transaction(vm, &vm->users[id]);
        id = id + 1 == vm->user_count ? 0 : id + 1;
    }
    vm->target->ops->facts(vm->target, &after);
    *ret_reads = (double)(after.page_reads - before.page_reads) / (double)transactions;
    return after.frames_resident * 100 / (after.frames > 0 ? after.frames : 1);
}

void vm_warm(struct vm *vm, struct world *world)
{
    struct target_facts facts;
    uint64_t round;
    double reads, before = -1;

    vm->target->ops->facts(vm->target, &facts);
    round = facts.frames / 16 < WARM_ROUND_MIN ? WARM_ROUND_MIN : facts.frames / 16;
    vm->target->ops->warm(vm->target, true);
    for (uint32_t i = 0; i < WARM_ROUNDS && !shared_stopping(world->shared); i++) {
        uint64_t full = warm_round(vm, round, &reads);

        atomic_fetch_add(&world->warm_transactions, round);
        if (world->tick != NULL) {
            world->tick(world->context, world);
        }
        if (before >= 0 && reads <= before * (1 + WARM_TOLERANCE) &&
            reads >= before * (1 - WARM_TOLERANCE) && (full >= 95 || reads < 0.01)) {
            break;
        }
        before = reads;
    }
    vm->target->ops->warm(vm->target, false);
    for (uint32_t id = 0; id < vm->user_count; id++) {
        memset(vm->users[id].spent_ns, 0, sizeof(vm->users[id].spent_ns));
    }
}
