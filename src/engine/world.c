#include "world.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "base/units.h"
#include "engine/run.h"
#include "interference.h"
#include "servers.h"
#include "user.h"

#define DRAIN_STEP_NS 10000000ll
/* Requests of the background, behind transactions that took all the time there was. */
#define DRAIN_LAST_NS 1000000000ll
/* A real loop in which nothing happens hears of a signal so often. */
#define LISTEN_NS 100000000ll
/* And so long without any connection to a server. */
#define DRAIN_ALONE_NS 5000000000ll
/* Timers a VM needs besides its users': background of the target, requests in flight. */
enum { WORLD_TIMERS_VM = 4096 };

static const struct plan_vm *world_vm(const struct world *world, uint32_t i)
{
    return world->part != NULL ? world->part : &world->plan->vms[world->first_vm + i];
}

static uint32_t world_connections(const struct world *world)
{
    return server_share(world->server->connections, world->server->plan->sql.loops,
                        world->loop_index);
}

static uint32_t world_timers(const struct world *world)
{
    uint64_t timers = WORLD_TIMERS_VM;

    for (uint32_t i = 0; i < world->vm_count; i++) {
        const struct plan_vm *vm = world_vm(world, i);

        timers += (uint64_t)(vm->users + vm->workers) * 4 + WORLD_TIMERS_VM;
    }
    return (uint32_t)timers;
}

static int world_open_virtual(struct world *world)
{
    const struct plan *plan = world->plan;
    struct error *err = &world->error;
    int rc = loop_virtual_open(&world->loop, world_timers(world), err);

    if (rc < 0) {
        return rc;
    }
    world->loop_open = true;
    if (plan->drive == PLAN_DRIVE_NULL) {
        world->bottom =
            drive_null_open(&world->loop, plan->drive_capacity_bytes, plan->null_latency_ns, err);
    } else {
        world->bottom = drive_sim_open(&world->loop, &plan->sim, plan->seed, plan->data_moves, err);
    }
    if (world->bottom == NULL) {
        return err->code;
    }
    if (plan->data_moves) {
        world->buffer_bytes = plan->uring.buffer_bytes;
        world->buffers = mem_large(world->buffer_bytes * world->vm_count);
        if (world->buffers == NULL) {
            return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for page buffers");
        }
    }
    return 0;
}

static int world_open_real(struct world *world)
{
    const struct plan *plan = world->plan;
    struct error *err = &world->error;
    int rc =
        loop_uring_open(&world->loop, world_timers(world), &plan->uring, world->origin_ns, err);

    if (rc < 0) {
        return rc;
    }
    world->loop_open = true;
    world->bottom = drive_uring_open(&world->loop, world->fd, plan->drive_capacity_bytes,
                                     world->align_bytes, err);
    if (world->bottom == NULL) {
        return err->code;
    }
    world->buffers = loop_uring_arena(&world->loop);
    world->buffer_bytes = plan->uring.buffer_bytes;
    return 0;
}

/* A loop without a drive: sockets alone. */
static int world_open_servers(struct world *world)
{
    struct uring_options options = world->plan->uring;
    int rc;

    options.depth = 0;
    options.buffer_bytes = 0;
    options.polls = world_connections(world) * 2 + 64;
    rc = loop_uring_open(&world->loop, world_timers(world), &options, world->origin_ns,
                         &world->error);
    world->loop_open = rc == 0;
    return rc;
}

static void world_place(const struct world *world, uint32_t i, struct vm_place *ret)
{
    *ret = (struct vm_place){
        .loop = (struct loop *)&world->loop,
        .buffer_bytes = world->buffer_bytes,
        .stamps = world->plan->stamps,
        .stamp_seed = world->plan->seed ^ (uint64_t)world->origin_ns,
    };
    if (world->options != NULL) {
        ret->look = world->options->look;
        ret->look_context = world->options->look_context;
    }
    if (world->server != NULL) {
        ret->server = world->server;
        ret->connections = world_connections(world);
    }
    if (world->buffers != NULL) {
        ret->buffers =
            (char *)world->buffers + (world->plan->virtual_time ? i : 0) * world->buffer_bytes;
    }
}

int world_open(struct world *world)
{
    const struct plan *plan = world->plan;
    int rc = world->server != NULL ? world_open_servers(world)
             : plan->virtual_time  ? world_open_virtual(world)
                                   : world_open_real(world);

    world->loop.pressed = world->shared->asked;
    for (uint32_t i = 0; rc == 0 && i < world->vm_count; i++) {
        const struct plan_vm *vm = world_vm(world, i);
        struct vm_place place;

        world_place(world, i, &place);
        if (world->bottom != NULL) {
            place.slice = drive_slice_open(world->bottom, vm->from_bytes, vm->bytes, &world->error);
            rc = place.slice == NULL ? world->error.code : 0;
        }
        rc = rc == 0 ? vm_open(&world->vms[i], vm, world->first_vm + i, &place, &world->error) : rc;
    }
    world->failed = rc < 0;
    return rc;
}

static bool plan_has(const struct plan *plan, enum plan_phase_kind kind, uint32_t *ret_index)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (plan->phases[i].kind == kind) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}

int world_fill(struct world *world)
{
    uint32_t phase;
    int rc = 0;

    if (world->filled || !plan_has(world->plan, PHASE_FILL, &phase)) {
        return 0;
    }
    world->phase_from_ns[phase] = world->loop.now_ns;
    for (uint32_t i = 0; rc == 0 && i < world->vm_count; i++) {
        rc = fill_vm(world, world->vms[i], &world->error);
        record_reset(&world->vms[i]->current);
    }
    world->phase_until_ns[phase] = world->loop.now_ns;
    world->failed = rc < 0;
    return rc;
}

int world_prepare(struct world *world)
{
    uint32_t phase;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < world->vm_count; i++) {
        struct vm_place place;

        world_place(world, i, &place);
        rc = vm_open_target(world->vms[i], &place, &world->error);
        if (rc == 0 && plan_has(world->plan, PHASE_WARM, &phase)) {
            vm_warm(world->vms[i], world);
            record_reset(&world->vms[i]->current);
        }
    }
    world->failed = rc < 0;
    return rc;
}

static void world_publish(struct world *world, uint32_t phase, int64_t from_ns, bool last)
{
    for (uint32_t i = 0; i < world->vm_count; i++) {
        struct vm *vm = world->vms[i];
        struct record *record = &vm->current;

        if (record->until_ns == 0) { /* else the stretch before could not be handed over */
            record->from_ns = from_ns - world->epoch_ns;
            record->cycles_from_ns = vm->cycles_last_ns;
        }
        record->until_ns = world->loop.now_ns - world->epoch_ns;
        record->phase = phase;
        record->cycles_until_ns = vm->cycles_last_ns = vm_cycles_ns(vm);
        record->waiting = vm_waiting(vm);
        vm->target->ops->facts(vm->target, &record->facts);
        for (uint32_t k = 0; k < record->kind_count; k++) {
            record->kinds[k].open = vm->open_of[k];
        }
    }
    world->publish(world->context, world, last);
}

static bool world_lost(const struct world *world)
{
    for (uint32_t i = 0; i < world->vm_count; i++) {
        if (world->vms[i]->lost) {
            return true;
        }
    }
    return false;
}

static bool world_work_over(const struct world *world)
{
    for (uint32_t i = 0; i < world->vm_count; i++) {
        if (world->vms[i]->work_left > 0 || world->vms[i]->promised > 0) {
            return false;
        }
    }
    return true;
}

/* A server that does not come back within its patience ends the run. */
static bool world_forsaken(struct world *world)
{
    struct target_sql_counts counts;
    char gap[UNITS_TEXT], url[256];

    if (world->server == NULL) {
        return false;
    }
    target_sql_counts(world->vms[0]->target, &counts);
    if (counts.connected > 0) {
        world->gone_since_ns = -1;
        return false;
    }
    if (world->gone_since_ns < 0) {
        world->gone_since_ns = world->loop.now_ns;
    }
    if (world->loop.now_ns - world->gone_since_ns < world->server->plan->sql.patience_ns) {
        return false;
    }
    units_format_duration(world->loop.now_ns - world->gone_since_ns, gap, sizeof(gap));
    error_set(&world->error, EXIT_FAILED, -ENOTCONN,
              "%s: the server has not been reached for %s: %s%s%s", world->server->plan->name, gap,
              plan_server(world->server->plan, url, sizeof(url)),
              counts.code_count > 0 ? "; the last it said: " : "",
              counts.code_count > 0 ? counts.codes[counts.code_count - 1].error : "");
    return true;
}

/* True: something ends the run here. */
static bool world_ends(struct world *world)
{
    if (world->loop.fault != NULL) {
        world->error = *world->loop.fault;
        world->failed = true;
        atomic_store(&world->shared->stop, true);
        return true;
    }
    if (world_forsaken(world)) {
        world->failed = true;
        atomic_store(&world->shared->stop, true);
        return true;
    }
    if (world_lost(world)) {
        atomic_store(&world->shared->stop, true);
        return true;
    }
    if (shared_stopping(world->shared)) {
        world->interrupted = true;
        return true;
    }
    return false;
}

/*
 * A VM whose work is over stops the loop; the others go on. The loop hears of a signal between two
 * turns, however much there is to do in an interval, and however little.
 */
static void world_run(struct world *world, int64_t until_ns)
{
    struct loop *loop = &world->loop;
    bool over = false;

    loop->asked = world->shared->asked;
    while (!over) {
        int64_t next_ns = until_ns;

        if (!world->plan->virtual_time && loop->now_ns + LISTEN_NS < until_ns) {
            next_ns = loop->now_ns + LISTEN_NS;
        }
        loop->stop = false;
        loop_run(loop, next_ns);
        over = loop->stop ? loop->fault != NULL || world_work_over(world)
                          : loop->now_ns >= until_ns || loop->now_ns < next_ns ||
                                shared_stopping(world->shared);
    }
    loop->asked = NULL;
}

static void world_mark_statements(struct world *world)
{
    if (world->server != NULL) {
        world->statement_count =
            target_sql_statements(world->vms[0]->target, world->statements, WORLD_STATEMENTS);
    }
}

/* From what they were when the sample began to what they grew by. */
static void world_count_statements(struct world *world)
{
    struct target_sql_statement now[WORLD_STATEMENTS];
    uint32_t count = world->server == NULL
                         ? 0
                         : target_sql_statements(world->vms[0]->target, now, WORLD_STATEMENTS);

    must(world->server == NULL || count == world->statement_count);
    for (uint32_t i = 0; i < count; i++) {
        struct target_sql_statement *row = &world->statements[i];

        row->count = now[i].count - row->count;
        row->errors = now[i].errors - row->errors;
        row->empty = now[i].empty - row->empty;
        row->sum_ns = now[i].sum_ns - row->sum_ns;
        row->max_ns = now[i].max_ns;
    }
    world->statements_counted = true;
}

/* What the world's thread ran and waited for a CPU since the sample began. */
static void world_mark_load(struct world *world)
{
    bool known = !world->plan->virtual_time &&
                 host_load_thread(&world->run_before_ns, &world->delay_before_ns);

    atomic_store(&world->run_ns, known ? 0 : -1);
}

static void world_count_load(struct world *world)
{
    int64_t run_ns, delay_ns;

    if (atomic_load(&world->run_ns) >= 0 && host_load_thread(&run_ns, &delay_ns)) {
        atomic_store(&world->delay_ns, delay_ns - world->delay_before_ns);
        atomic_store(&world->run_ns, run_ns - world->run_before_ns);
    }
}

/* One phase of the run's clock, interval by interval. True: the run ends here. */
static bool world_phase(struct world *world, uint32_t index)
{
    const struct plan_phase *phase = &world->plan->phases[index];
    bool last_phase = index + 1 == world->plan->phase_count, over = false, ends = false;
    int64_t from_ns = world->loop.now_ns, end_ns = from_ns + phase->length_ns, next_ns = from_ns;

    world->phase_from_ns[index] = from_ns - world->epoch_ns;
    if (phase->kind == PHASE_SAMPLE) {
        world_mark_statements(world);
        world_mark_load(world);
        atomic_store(&world->shared->sampling, true);
    }
    for (uint32_t i = 0; phase->kind == PHASE_SAMPLE && i < world->vm_count; i++) {
        vm_bound(world->vms[i]);
    }
    while (!over) { /* ticks keep to the schedule; an interval begins where the last one ended */
        next_ns += world->plan->interval_ns;
        next_ns = next_ns < end_ns ? next_ns : end_ns;
        world_run(world, next_ns);
        ends = world_ends(world);
        over = ends || world->loop.now_ns >= end_ns || world->loop.now_ns < next_ns ||
               world_work_over(world) ||
               (phase->rule != RULE_TIME && atomic_load(&world->shared->advance) > index);
        if (phase->kind == PHASE_SAMPLE) {
            world_count_load(world);
        }
        world_publish(world, index, from_ns, over && (ends || last_phase));
        from_ns = world->loop.now_ns;
    }
    world->phase_until_ns[index] = world->loop.now_ns - world->epoch_ns;
    if (phase->kind == PHASE_SAMPLE) {
        world_count_statements(world);
    }
    return ends;
}

static uint32_t world_under_way(const struct world *world)
{
    uint32_t open = 0;

    for (uint32_t i = 0; i < world->vm_count; i++) {
        const struct vm *vm = world->vms[i];

        open += vm->open + (vm->worker_count > 0 ? vm->open_of[vm->deferred_kind] : 0);
    }
    return open;
}

/* Nobody is there who could answer. */
static bool world_alone(const struct world *world)
{
    struct target_sql_counts counts;

    if (world->server == NULL) {
        return false;
    }
    target_sql_counts(world->vms[0]->target, &counts);
    return counts.connected == 0;
}

void world_waits(struct world *world, uint32_t answers, int64_t until_ns)
{
    atomic_store(&world->wait_left_ns, until_ns - world->loop.now_ns);
    atomic_store(&world->waiting, answers);
}

/* What the drive owes, or the server. */
static uint32_t world_owed(const struct world *world)
{
    return world->server != NULL ? world_under_way(world) : world->loop.in_flight;
}

/* Transactions under way end, for which there is time until then. */
static void world_end_transactions(struct world *world, int64_t until_ns)
{
    int64_t alone_ns = world->loop.now_ns;

    while (world_under_way(world) > 0 && world->loop.now_ns < until_ns &&
           world->loop.fault == NULL && !shared_hurried(world->shared)) {
        int64_t next_ns = world->loop.now_ns + DRAIN_STEP_NS;

        world_waits(world, world_owed(world), until_ns);
        loop_run(&world->loop, next_ns);
        if (!world_alone(world)) {
            alone_ns = next_ns;
        }
        if (world->loop.now_ns - alone_ns > DRAIN_ALONE_NS) {
            break;
        }
        if (world->loop.now_ns < next_ns) { /* nothing is left that could end them */
            break;
        }
    }
}

/* What the background has asked for comes back. */
static void world_end_background(struct world *world, int64_t until_ns)
{
    bool over = world->loop.fault != NULL, real = !world->plan->virtual_time;

    if (real && until_ns < world->loop.now_ns + DRAIN_LAST_NS) {
        until_ns = world->loop.now_ns + DRAIN_LAST_NS;
    } else if (!real) {
        until_ns = world->loop.now_ns + WORLD_DRAIN_NS;
    }
    while (!over && !shared_hurried(world->shared)) {
        int64_t next_ns = real ? world->loop.now_ns + DRAIN_STEP_NS : until_ns;

        world_waits(world, world_owed(world), until_ns);
        loop_run(&world->loop, next_ns);
        over = world->loop.now_ns < next_ns || world->loop.now_ns >= until_ns ||
               world->loop.fault != NULL;
    }
}

/* No transaction begins any more; those under way end, then the background. */
static void world_drain(struct world *world)
{
    int64_t until_ns = world->loop.now_ns + WORLD_DRAIN_NS;

    world->loop.stop = world->loop.fault != NULL;
    for (uint32_t i = 0; i < world->vm_count; i++) {
        world->vms[i]->stopping = true;
    }
    if (world->failed) { /* nobody answers any more */
        until_ns = world->loop.now_ns;
    }
    world_end_transactions(world, until_ns);
    for (uint32_t i = 0; i < world->vm_count; i++) {
        world->vms[i]->target->ops->stop(world->vms[i]->target);
        for (uint32_t id = 0; id < world->vms[i]->user_count; id++) {
            loop_disarm(&world->loop, &world->vms[i]->users[id].timer);
        }
    }
    world_end_background(world, until_ns);
    world->unanswered = world->server == NULL ? world->loop.in_flight : 0;
}

static void world_woken(struct timer *timer)
{
}

/* A loop in which nothing is armed does not wait. */
static void world_wait(struct world *world, int64_t until_ns)
{
    struct timer timer = {.fire = world_woken};

    loop_arm(&world->loop, &timer, until_ns);
    loop_run(&world->loop, until_ns);
    loop_disarm(&world->loop, &timer);
}

int world_measure(struct world *world)
{
    uint32_t phase;
    bool ends = false, samples_at_once = !plan_has(world->plan, PHASE_PRECONDITION, &phase);

    for (uint32_t i = 0; i < world->vm_count; i++) {
        world->vms[i]->epoch_ns = world->epoch_ns;
    }
    if (world->loop.now_ns < world->epoch_ns) {
        world_wait(world, world->epoch_ns);
    }
    for (uint32_t i = 0; i < world->vm_count && !shared_stopping(world->shared); i++) {
        if (samples_at_once) { /* there may be less to do than users who do it */
            vm_bound(world->vms[i]);
        }
        vm_start(world->vms[i]);
    }
    ends = world_ends(world);
    for (uint32_t p = 0; p < world->plan->phase_count && !ends; p++) {
        enum plan_phase_kind kind = world->plan->phases[p].kind;

        if (kind == PHASE_PRECONDITION || kind == PHASE_SAMPLE) {
            ends = world_phase(world, p);
        }
    }
    world_drain(world);
    return world->failed ? world->error.code : 0;
}

void world_leave(struct world *world)
{
    if (world->server != NULL && world->vms[0] != NULL && world->vms[0]->target != NULL) {
        target_sql_close(world->vms[0]->target);
    }
    if (world->loop_open) {
        loop_uring_drain(&world->loop);
    }
    world_waits(world, 0, 0);
}

void world_close(struct world *world)
{
    for (uint32_t i = 0; i < world->vm_count; i++) {
        vm_close(world->vms[i]);
    }
    if (world->bottom != NULL) {
        drive_close(world->bottom);
    }
    if (world->plan->virtual_time && world->buffers != NULL) {
        mem_large_free(world->buffers, world->buffer_bytes * world->vm_count);
    }
    if (world->loop_open) {
        loop_close(&world->loop);
    }
    mem_free(world->fill);
}
