#include "vm.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "servers.h"
#include "target/model.h"
#include "user.h"

/* Many connections to a server that is far take their time. */
#define VM_CONNECT_NS 60000000000ll
/* Streams of chance of workers, where several loops share a VM. */
#define VM_WORKER_STREAM (1ull << 40)

_Static_assert(sizeof(struct user) <= PLAN_USER_BYTES, "a user costs more than the plan says");

static uint32_t vm_deferred_limit(const struct plan_vm *plan)
{
    return plan->workers > 0 ? 64 + plan->users / 4 : 0;
}

uint32_t vm_kinds(const struct plan_vm *plan)
{
    switch (plan->workload) {
    case PLAN_TPCC:
        return tpcc_catalog()->kind_count;
    case PLAN_SYSBENCH:
        return 1; /* the mix is its only kind */
    case PLAN_TPCB:
        return 1;
    case PLAN_BLOCK:
        return plan->block.stream_count;
    }
    return 0;
}

uint32_t vm_record_kinds(const struct plan_vm *plan)
{
    return vm_kinds(plan) + (plan->workers > 0 ? 1 : 0);
}

static void vm_look(void *context, const struct io *io)
{
    struct vm *vm = context;

    record_io(&vm->current, io);
    if (vm->look != NULL && vm->target != NULL) {
        vm->look(vm->look_context, vm->target, io);
    }
}

static int vm_open_workload(struct vm *vm, struct error *err)
{
    switch (vm->plan->workload) {
    case PLAN_TPCC:
        vm->workload = tpcc_open(&vm->plan->model.tpcc, err);
        break;
    case PLAN_SYSBENCH:
        vm->workload = sysbench_open(&vm->plan->model.sysbench, err);
        break;
    case PLAN_TPCB:
        vm->workload = tpcb_open(&vm->plan->tpcb, err);
        break;
    case PLAN_BLOCK:
        vm->workload = block_open(&vm->plan->block, err);
        break;
    }
    if (vm->workload == NULL) {
        return err->code;
    }
    vm->catalog = vm->workload->ops->catalog(vm->workload);
    return 0;
}

static int vm_open_drive(struct vm *vm, const struct vm_place *place, struct error *err)
{
    vm->drive = drive_tap_open(place->slice, vm_look, vm, err);
    if (vm->drive == NULL) {
        return err->code;
    }
    if (place->stamps) {
        vm->stamp = drive_stamp_open(vm->drive, vm->index, vm->plan->model.page_bytes,
                                     place->stamp_seed, err);
        if (vm->stamp == NULL) {
            return err->code;
        }
        vm->drive = vm->stamp;
    }
    return 0;
}

static int vm_open_people(struct vm *vm, struct error *err)
{
    uint32_t people = vm->user_count + vm->worker_count;

    vm->deferred_limit = vm_deferred_limit(vm->plan);
    vm->deferred_kind = vm->catalog->kind_count;
    if (vm->worker_count > 0) {
        vm->deferred = mem_array(vm->deferred_limit, sizeof(*vm->deferred));
        vm->idle = mem_array(vm->worker_count, sizeof(*vm->idle));
        if (vm->deferred == NULL || vm->idle == NULL) {
            return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for deferred transactions");
        }
    }
    for (uint32_t id = 0; id < people; id++) {
        bool worker = id >= vm->user_count;
        uint64_t stream = vm->first_user + (uint64_t)id;

        stream += worker && vm->first_user > 0 ? VM_WORKER_STREAM : 0;
        user_init(&vm->users[id], id, worker, vm->plan->seed, stream);
    }
    for (uint32_t id = people; id-- > vm->user_count;) {
        vm->idle[vm->idle_workers++] = id;
    }
    return 0;
}

int vm_open(struct vm **ret, const struct plan_vm *plan, uint32_t index,
            const struct vm_place *place, struct error *err)
{
    struct vm *vm = mem_zalloc(sizeof(*vm) + (plan->users + plan->workers) * sizeof(struct user));
    int rc;

    if (vm == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u users", plan->users);
    }
    *ret = vm;
    vm->plan = plan;
    vm->index = index;
    vm->loop = place->loop;
    vm->first_user = plan->first_user;
    vm->user_count = plan->users;
    vm->worker_count = plan->workers;
    vm->work_left = UINT64_MAX;
    vm->rate_gap_ns = plan->arrivals == PLAN_CLOSED ? 0 : 1e9 / plan->rate_per_s;
    vm->poisson = plan->arrivals == PLAN_POISSON;
    vm->direct = plan->target == PLAN_BARE && plan->workers == 0;
    vm->look = place->look;
    vm->look_context = place->look_context;
    rng_init(&vm->arrivals, plan->seed, UINT64_MAX);
    rc = record_init(&vm->current, vm_record_kinds(plan), err);
    rc = rc == 0 ? vm_open_workload(vm, err) : rc;
    rc = rc == 0 ? vm_open_people(vm, err) : rc;
    return rc == 0 && place->slice != NULL ? vm_open_drive(vm, place, err) : rc;
}

static int vm_open_server(struct vm *vm, const struct vm_place *place, struct error *err)
{
    const struct plan_sql *sql = &vm->plan->sql;
    struct target_sql_settings settings = {
        .url = sql->url,
        .texts = place->server->texts,
        .sessions = vm->user_count + vm->worker_count,
        .connections = place->connections,
        .isolation = sql->isolation,
        .prepared = sql->prepared,
        .pipeline = sql->pipeline,
        .ignore_count = sql->ignore_count,
    };

    if (settings.connections > settings.sessions) {
        settings.connections = settings.sessions;
    }
    memcpy(settings.ignore, sql->ignore, sizeof(settings.ignore));
    vm->target = target_sql_open(&settings, vm->loop, vm->index, err);
    if (vm->target == NULL || target_sql_connect(vm->target, VM_CONNECT_NS, err) < 0) {
        return error_wrap(err, "%s", vm->plan->name);
    }
    return 0;
}

int vm_open_target(struct vm *vm, const struct vm_place *place, struct error *err)
{
    const struct plan_vm *plan = vm->plan;

    if (plan->target == PLAN_SQL) {
        return vm_open_server(vm, place, err);
    }
    if (plan->target == PLAN_BARE) {
        vm->target =
            target_block_open(vm->drive, vm->index, vm->user_count,
                              block_largest_bytes(&plan->block), place->buffers, plan->seed, err);
    } else {
        struct model_place model = {
            .loop = vm->loop,
            .data = vm->drive,
            .log = vm->drive,
            .one_drive = true,
            .buffers = place->buffers,
            .buffer_bytes = place->buffer_bytes,
        };

        vm->target = target_model_open(&plan->model, &model, vm->index, err);
    }
    return vm->target == NULL ? err->code : 0;
}

void vm_close(struct vm *vm)
{
    if (vm == NULL) {
        return;
    }
    if (vm->target != NULL) {
        vm->target->ops->free(vm->target);
    }
    if (vm->workload != NULL) {
        vm->workload->ops->free(vm->workload);
    }
    if (vm->drive != NULL) {
        drive_close(vm->drive);
    }
    record_free(&vm->current);
    mem_free(vm->deferred);
    mem_free(vm->idle);
    mem_free(vm);
}

void vm_bound(struct vm *vm)
{
    uint64_t work = vm->plan->work_transactions;

    if (work > 0) {
        vm->work_left = work > vm->promised ? work - vm->promised : 0;
    }
}

int64_t vm_cycles_ns(const struct vm *vm)
{
    return (int64_t)(vm->promised * (uint64_t)vm->loop->now_ns - vm->keyed_ns);
}

uint64_t vm_waiting(const struct vm *vm)
{
    int64_t late_ns = vm->loop->now_ns - vm->next_due_ns;
    int64_t gap_ns = vm->rate_gap_ns < 1 ? 1 : (int64_t)vm->rate_gap_ns;
    uint64_t count;

    if (vm->rate_gap_ns == 0 || late_ns < 0) {
        return 0;
    }
    count = 1 + (vm->poisson && vm->rate_gap_ns >= 1 ? (uint64_t)((double)late_ns / vm->rate_gap_ns)
                                                     : (uint64_t)(late_ns / gap_ns));
    return count < vm->work_left ? count : vm->work_left;
}

void vm_start(struct vm *vm)
{
    vm->next_due_ns = vm->loop->now_ns;
    for (uint32_t id = 0; id < vm->user_count; id++) {
        struct user *user = &vm->users[id];

        user_first(user, rng_unit(&user->rng));
    }
    vm->cycles_last_ns = vm_cycles_ns(vm);
}
