#include "engine/run.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/must.h"
#include "run_state.h"
#include "stats/steady.h"

/* The main thread looks at the worlds so often; a snapshot waits at most that long. */
#define RUN_LOOK_NS    20000000ll
#define RUN_LEAD_NS    5000000ll /* from the start barrier to clock 0 */
#define RUN_SERIES_MAX 1000000u
/* Worlds that are to end at once get so long for it. */
#define RUN_ABANDON_NS 1000000000ll

static uint32_t run_series_limit(const struct plan *plan)
{
    int64_t longest_ns = 0;

    for (uint32_t p = 0; p < plan->phase_count; p++) {
        longest_ns =
            plan->phases[p].length_ns > longest_ns ? plan->phases[p].length_ns : longest_ns;
    }
    longest_ns = longest_ns / plan->interval_ns + 16;
    return longest_ns > RUN_SERIES_MAX ? RUN_SERIES_MAX : (uint32_t)longest_ns;
}

static int run_no_memory(struct error *err)
{
    return error_set(err, EXIT_FAILED, -ENOMEM, "no memory to keep the run's figures");
}

static int series_init(struct series *series, uint32_t limit, struct error *err)
{
    series->tps = mem_array(limit, sizeof(double));
    series->lat_avg_ns = mem_array(limit, sizeof(double));
    series->lat_p99_ns = mem_array(limit, sizeof(double));
    series->limit = limit;
    return series->tps == NULL || series->lat_avg_ns == NULL || series->lat_p99_ns == NULL
               ? run_no_memory(err)
               : 0;
}

static void series_free(struct series *series)
{
    mem_free(series->tps);
    mem_free(series->lat_avg_ns);
    mem_free(series->lat_p99_ns);
}

static int run_init_totals(struct run *run, struct error *err)
{
    const struct plan *plan = run->plan;
    uint32_t limit = run_series_limit(plan);
    int rc = series_init(&run->all_series, limit, err);

    for (uint32_t i = 0; rc == 0 && i < plan->vm_count; i++) {
        struct vm_total *total = &run->totals[i];
        uint32_t kinds = vm_record_kinds(&plan->vms[i]);

        rc = record_init(&total->phase, kinds, err);
        rc = rc == 0 ? record_init(&total->sample, kinds, err) : rc;
        rc = rc == 0 ? series_init(&total->series, limit, err) : rc;
        rc = rc == 0 && total->world_count > 1 ? record_init(&total->joined, kinds, err) : rc;
        for (uint32_t w = 0; run->outboxes != NULL && w < total->world_count && rc == 0; w++) {
            rc = outbox_init(&run->outboxes[total->first_world + w], kinds, err);
        }
    }
    return rc;
}

/* One world for all VMs in virtual time; else one a VM, or one a loop of a VM. */
static uint32_t run_place_worlds(struct run *run)
{
    const struct plan *plan = run->plan;
    uint32_t worlds = 0;

    for (uint32_t i = 0; i < plan->vm_count; i++) {
        struct vm_total *total = &run->totals[i];

        total->first_world = worlds;
        total->world_count = plan->vms[i].target == PLAN_SQL ? plan->vms[i].sql.loops : 1;
        worlds += plan->virtual_time ? 0 : total->world_count;
    }
    return plan->virtual_time ? 1 : worlds;
}

static int run_init(struct run *run, struct error *err)
{
    const struct plan *plan = run->plan;
    uint32_t vms = plan->vm_count;

    run->phase = UINT32_MAX;
    run->totals = mem_array(vms, sizeof(*run->totals));
    if (run->totals == NULL) {
        return run_no_memory(err);
    }
    run->world_count = run_place_worlds(run);
    run->worlds = mem_array(run->world_count, sizeof(*run->worlds));
    run->now = mem_array(vms + 1, sizeof(*run->now));
    run->so_far = mem_array(vms + 1, sizeof(*run->so_far));
    run->responses = mem_zalloc(sizeof(struct hist));
    run->scratch = mem_zalloc(sizeof(struct hist));
    run->scratch_all = mem_zalloc(sizeof(struct hist));
    run->outboxes = plan->virtual_time ? NULL : mem_array(run->world_count, sizeof(*run->outboxes));
    text_init(&run->lines);
    text_init(&run->json);
    if (run->worlds == NULL || run->now == NULL || run->so_far == NULL || run->responses == NULL ||
        run->scratch == NULL || run->scratch_all == NULL ||
        (!plan->virtual_time && run->outboxes == NULL) ||
        !text_reserve(&run->lines, 16 * HDR_LOG_LINE_MAX) || !text_reserve(&run->json, 1 << 20)) {
        return run_no_memory(err);
    }
    return run_init_totals(run, err);
}

static void run_free(struct run *run)
{
    for (uint32_t i = 0; run->totals != NULL && i < run->plan->vm_count; i++) {
        record_free(&run->totals[i].phase);
        record_free(&run->totals[i].sample);
        record_free(&run->totals[i].joined);
        series_free(&run->totals[i].series);
    }
    for (uint32_t w = 0; w < run->world_count; w++) {
        if (run->outboxes != NULL) {
            outbox_free(&run->outboxes[w]);
        }
        if (run->worlds != NULL) {
            mem_free(run->worlds[w].part);
        }
    }
    run_close_servers(run);
    series_free(&run->all_series);
    mem_free(run->worlds);
    mem_free(run->totals);
    mem_free(run->now);
    mem_free(run->so_far);
    mem_free(run->responses);
    mem_free(run->scratch);
    mem_free(run->scratch_all);
    mem_free(run->outboxes);
    text_free(&run->lines);
    text_free(&run->json);
    place_close(&run->place);
}

const struct steady_preset *run_preset(const struct run *run)
{
    const char *name = NULL;

    for (uint32_t p = 0; p < run->plan->phase_count; p++) {
        if (run->plan->phases[p].rule == RULE_STEADY) {
            name = run->plan->phases[p].preset;
        }
    }
    return steady_preset(name);
}

/* A phase ends once enough is written, or the last rounds are steady, or with its patience. */
static void run_judge_phase(struct run *run)
{
    const struct plan_phase *phase = &run->plan->phases[run->phase];
    const struct result_interval *all = &run->now[run->plan->vm_count];

    if (phase->rule == RULE_AMOUNT && run->written_bytes >= phase->amount_bytes) {
        atomic_store(&run->shared.advance, run->phase + 1);
    }
    if (phase->rule != RULE_STEADY || run->steady) {
        return;
    }
    if (phase->requested_ns > 0) { /* a shortened phase has shorter rounds */
        run->watch.shortened = (double)phase->length_ns / (double)phase->requested_ns;
    }
    run->steady = steady_watch(&run->watch, all->length_ns, (double)all->done, all->mean_ns);
    if (run->steady) {
        journal_event(run, all->start_ns + all->length_ns, "steady", phase->name);
        atomic_store(&run->shared.advance, run->phase + 1);
    }
}

/* The phase before this one gave up: the sample is told to be what it is. */
static void run_warn_unsteady(struct run *run, uint32_t phase)
{
    const struct plan_phase *was = &run->plan->phases[phase];

    if (was->rule == RULE_STEADY && !run->steady) {
        result_warn(run->result,
                    "%s: not steady after %u rounds, the most it was given: the sample began "
                    "all the same",
                    was->name, run->watch.rounds);
    }
}

/* A file that somebody has cut ends the run: it would measure holes. */
static void run_look_at_file(struct run *run)
{
    struct error err;

    if (place_look(&run->place, run->plan, false, &err) < 0) {
        journal_event(run, run->phase_from_ns, "cut", err.text);
        atomic_store(&run->shared.stop, true);
    }
}

/* A file that is gone by its name is written to all the same, but nobody finds the data. */
static void run_look_at_name(struct run *run)
{
    char what[240];

    if (!place_named(&run->place, run->plan, what, sizeof(what))) {
        result_warn(run->result, "%s", what);
    }
}

/* One interval of every VM has come in. */
static void run_interval(struct run *run, struct record *const *records)
{
    uint32_t before = run->phase;

    if (before != UINT32_MAX && records[0]->phase != before) {
        run_warn_unsteady(run, before);
    }
    tally_interval(run, records);
    if (run->phase != before) {
        journal_event(run, run->phase_from_ns, "phase", run->plan->phases[run->phase].name);
        run_look_at_name(run);
    }
    if (run->plan->virtual_time) {
        health_of_virtual(run, before);
    }
    if (run->plan->phases[run->phase].kind == PHASE_SAMPLE) {
        interference_look(run);
    }
    journal_interval(run, records);
    run_judge_phase(run);
    journal_state(run, false);
    view_show(run);
    run_look_at_file(run);
}

static void publish_virtual(void *context, struct world *world, bool last)
{
    struct run *run = context;
    struct record *records[PLAN_VMS];

    for (uint32_t i = 0; i < world->vm_count; i++) {
        records[i] = &world->vms[i]->current;
    }
    run_interval(run, records);
    for (uint32_t i = 0; i < world->vm_count; i++) {
        record_reset(records[i]);
    }
}

static void publish_real(void *context, struct world *world, bool last)
{
    struct run *run = context;
    struct timespec wait = {.tv_nsec = 1000000};

    while (!outbox_push(&run->outboxes[world - run->worlds], &world->vms[0]->current) && last) {
        nanosleep(&wait, NULL);
    }
}

static void tick_virtual(void *context, struct world *world)
{
    view_show_fill(context, "warm start", 0);
}

/* A loop's part of its VM: users, connections and rate are shared out. */
static int run_part(struct run *run, struct world *world, uint32_t i, struct error *err)
{
    const struct plan_vm *vm = &run->plan->vms[i];
    uint32_t loops = vm->sql.loops, l = world->loop_index;
    struct plan_vm *part;

    if (vm->target != PLAN_SQL) {
        return 0;
    }
    world->server = &run->servers[i];
    world->gone_since_ns = -1;
    part = mem_zalloc(sizeof(*part));
    if (part == NULL) {
        return run_no_memory(err);
    }
    *part = *vm;
    world->part = part;
    part->first_user = (uint32_t)((uint64_t)vm->users * l / loops);
    part->users = server_share(vm->users, loops, l);
    part->rate_per_s = vm->rate_per_s / loops;
    if (vm->work_transactions > 0) {
        part->work_transactions =
            vm->work_transactions / loops + (l == 0) * (vm->work_transactions % loops);
    }
    /* the load has drawn its constant: the run's must lie right to it */
    part->model.tpcc.c_load_known = run->servers[i].loaded;
    part->model.tpcc.c_load = run->servers[i].load.c_load;
    return 0;
}

static int run_parts(struct run *run, struct error *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < run->plan->vm_count && !run->plan->virtual_time; i++) {
        const struct vm_total *total = &run->totals[i];

        for (uint32_t l = 0; rc == 0 && l < total->world_count; l++) {
            struct world *world = &run->worlds[total->first_world + l];

            world->first_vm = i;
            world->loop_index = l;
            rc = run_part(run, world, i, err);
        }
    }
    return rc;
}

static void run_worlds(struct run *run)
{
    for (uint32_t w = 0; w < run->world_count; w++) {
        struct world *world = &run->worlds[w];

        world->plan = run->plan;
        world->shared = &run->shared;
        world->vm_count = run->plan->virtual_time ? run->plan->vm_count : 1;
        world->fd = run->place.open ? run->place.guard.fd : -1;
        world->align_bytes = run->place.open ? run->place.guard.facts.dio_align_bytes : 0;
        world->filled = run->place.filled;
        world->publish = run->plan->virtual_time ? publish_virtual : publish_real;
        world->tick = run->plan->virtual_time ? tick_virtual : NULL;
        world->context = run;
        world->options = run->options;
    }
}

static void run_count_fill(struct run *run, uint64_t bytes)
{
    run->written_bytes = bytes;
    for (uint32_t p = 0; p < run->plan->phase_count; p++) {
        run->phase_bytes[p] = run->plan->phases[p].kind == PHASE_FILL ? bytes : 0;
    }
}

static int run_virtual(struct run *run, struct error *err)
{
    struct world *world = &run->worlds[0];
    int rc;

    rc = world_open(world);
    rc = rc == 0 ? world_fill(world) : rc;
    rc = rc == 0 ? world_prepare(world) : rc;
    if (rc < 0) {
        *err = world->error;
        return rc;
    }
    run_count_fill(run, atomic_load(&world->filled_bytes));
    world->epoch_ns = world->loop.now_ns;
    outcome_begin(run);
    journal_state(run, true);
    health_look(&run->health, world->bottom);
    world_measure(world);
    return 0;
}

static void run_note_limit(struct world *world)
{
    struct uring_counts counts;

    loop_uring_counts(&world->loop, &counts);
    world->held_at = counts.most_in_flight >= counts.limit ? counts.limit : 0;
}

/* A world's thread, from opening its ring to the last answer. */
static void *run_thread(void *argument)
{
    struct world *world = argument;
    struct shared *shared = world->shared;
    struct timespec wait = {.tv_nsec = 200000};

    if (world_open(world) == 0 && world_fill(world) == 0) {
        world_prepare(world);
    }
    if (world->loop_open) {
        loop_uring_describe(&world->loop, world->how, sizeof(world->how));
    }
    atomic_fetch_add(&shared->ready, 1);
    while (atomic_load(&shared->go) == 0) {
        nanosleep(&wait, NULL);
    }
    if (atomic_load(&shared->go) > 0) {
        world->epoch_ns = atomic_load(&shared->epoch_ns) - world->origin_ns;
        world_measure(world);
        run_note_limit(world);
    }
    world_leave(world);
    atomic_store(&world->over, true);
    return NULL;
}

/*
 * Whoever has asked twice does not wait for a thread that does not come back from the kernel
 * either. True: go on without the worlds.
 */
static bool run_abandons(struct run *run)
{
    if (run->hurried_ns == 0 && shared_hurried(&run->shared)) {
        run->hurried_ns = run_wall_ns();
    }
    run->abandoned = run->hurried_ns > 0 && run_wall_ns() - run->hurried_ns > RUN_ABANDON_NS;
    return run->abandoned;
}

static void run_await_ready(struct run *run)
{
    struct timespec wait = {.tv_nsec = RUN_LOOK_NS};
    uint64_t bytes = 0;

    while (atomic_load(&run->shared.ready) < run->world_count && !run_abandons(run)) {
        uint64_t filled = 0;

        for (uint32_t w = 0; w < run->world_count; w++) {
            filled += atomic_load(&run->worlds[w].filled_bytes);
        }
        if (run->servers == NULL && !shared_stopping(&run->shared)) {
            view_show_fill(
                run, "fill",
                run->plan->fill_bytes > 0 ? (double)filled / (double)run->plan->fill_bytes : 0);
        }
        view_show_waits(run);
        nanosleep(&wait, NULL);
    }
    for (uint32_t w = 0; w < run->world_count; w++) {
        bytes += atomic_load(&run->worlds[w].filled_bytes);
    }
    run_count_fill(run, bytes);
}

/* The interval of VM i, joined from its loops'; NULL if one of them has none yet. */
static struct record *run_peek(struct run *run, uint32_t i)
{
    struct vm_total *total = &run->totals[i];

    for (uint32_t w = 0; w < total->world_count; w++) {
        if (outbox_peek(&run->outboxes[total->first_world + w]) == NULL) {
            return NULL;
        }
    }
    if (total->world_count == 1) {
        return outbox_peek(&run->outboxes[total->first_world]);
    }
    record_reset(&total->joined);
    for (uint32_t w = 0; w < total->world_count; w++) {
        record_join(&total->joined, outbox_peek(&run->outboxes[total->first_world + w]));
    }
    return &total->joined;
}

/* Take one interval of each VM while all have one. */
static void run_collect(struct run *run)
{
    struct record *records[PLAN_VMS];

    for (;;) {
        for (uint32_t i = 0; i < run->plan->vm_count; i++) {
            records[i] = run_peek(run, i);
            if (records[i] == NULL) {
                return;
            }
        }
        run_interval(run, records);
        for (uint32_t w = 0; w < run->world_count; w++) {
            outbox_pop(&run->outboxes[w]);
        }
    }
}

static bool run_all_over(struct run *run)
{
    for (uint32_t w = 0; w < run->world_count; w++) {
        if (!atomic_load(&run->worlds[w].over)) {
            return false;
        }
    }
    return true;
}

static int run_prepared(struct run *run, struct error *err)
{
    for (uint32_t w = 0; w < run->world_count; w++) {
        if (run->worlds[w].failed) {
            *err = run->worlds[w].error;
            return err->code;
        }
    }
    return 0;
}

/* The drive is filled, now or before; but an interrupted fill is none. */
static int run_filled(struct run *run, struct error *err)
{
    if (shared_stopping(&run->shared)) {
        return 0;
    }
    return place_mark(&run->place, run->plan, err) < 0 ? err->code
                                                       : place_watch(&run->place, run->plan, err);
}

static int run_real(struct run *run, struct error *err)
{
    pthread_t *threads = mem_array(run->world_count, sizeof(*threads));
    struct timespec wait = {.tv_nsec = RUN_LOOK_NS};
    uint32_t started = 0;
    int64_t origin_ns = run_wall_ns();
    int rc = threads == NULL ? run_no_memory(err) : 0;

    if (rc < 0) {
        return rc;
    }
    for (; rc == 0 && started < run->world_count; started++) {
        run->worlds[started].origin_ns = origin_ns;
        rc = pthread_create(&threads[started], NULL, run_thread, &run->worlds[started]);
        if (rc != 0) {
            rc = error_set(err, EXIT_FAILED, -rc, "starting a thread: %s", strerror(rc));
            atomic_fetch_add(&run->shared.ready, run->world_count - started);
            break;
        }
    }
    run_await_ready(run);
    rc = rc == 0 ? run_prepared(run, err) : rc;
    rc = rc == 0 ? run_filled(run, err) : rc;
    if (rc == 0) {
        outcome_begin(run);
        journal_state(run, true);
        atomic_store(&run->shared.epoch_ns, run_wall_ns() + RUN_LEAD_NS);
    }
    atomic_store(&run->shared.go, rc == 0 ? 1 : -1);
    while (rc == 0 && !run_all_over(run) && !run_abandons(run)) {
        if (!shared_stopping(&run->shared)) { /* else they may not answer */
            run_mark_servers(run);
            health_of_real(run, false);
        }
        interference_begin(run);
        run_collect(run);
        view_show_waits(run);
        nanosleep(&wait, NULL);
    }
    for (uint32_t w = 0; w < started && !run->abandoned; w++) {
        pthread_join(threads[w], NULL);
    }
    mem_free(threads);
    if (rc == 0 && !shared_hurried(&run->shared)) {
        health_of_real(run, true);
    }
    if (rc == 0) {
        run_collect(run);
    }
    return rc;
}

static void run_finish(struct run *run, char *ret_dir)
{
    struct error cut;

    if (!shared_hurried(&run->shared)) {
        place_look(&run->place, run->plan, true, &cut);
        run_look_at_name(run);
    }
    run->result->check_count = 0; /* else their order would tell how often a state was written */
    run_finish_servers(run);
    outcome_finish(run);
    for (uint32_t w = 0; w < run->world_count && !run->plan->virtual_time; w++) {
        snprintf(run->result->drives[0].how, sizeof(run->result->drives[0].how), "%s",
                 run->worlds[w].how);
        if (run->worlds[w].held_at > 0) {
            result_warn(run->result,
                        "the drive was given %u requests at once at most, however many were due: "
                        "locked memory is limited (`ulimit -l`)",
                        run->worlds[w].held_at);
        }
    }
    journal_event(run, run->worlds[0].loop.now_ns - run->worlds[0].epoch_ns, "ended",
                  run->result->run.ended);
    journal_state(run, true);
    outcome_files(run); /* the last of them may have been the one that did not fit */
    if (ret_dir != NULL) {
        snprintf(ret_dir, 512, "%s", run->has_dir ? run->dir.path : "");
    }
}

int run_plan(const struct plan *plan, const struct run_options *options, struct result *ret,
             char *ret_dir, struct error *err)
{
    struct run run = {.plan = plan, .options = options, .result = ret};
    int rc = result_init(ret, plan->vm_count, err);

    run.wall_start_ns = run_wall_ns();
    run.shared.asked = options->stop;
    rc = rc == 0 ? run_init(&run, err) : rc;
    rc = rc == 0 ? place_open(&run.place, plan, err) : rc;
    rc = rc == 0 ? run_open_servers(&run, err) : rc;
    rc = rc == 0 ? run_parts(&run, err) : rc;
    if (rc == 0) {
        run_worlds(&run);
        rc = journal_open(&run, err);
    }
    if (rc == 0) {
        outcome_early(&run);
        journal_early(&run);
        rc = plan->virtual_time ? run_virtual(&run, err) : run_real(&run, err);
        if (rc < 0) {
            outcome_void(&run, err);
            journal_early(&run);
        }
    }
    if (rc == 0) {
        run_finish(&run, ret_dir);
    }
    for (uint32_t w = 0; run.worlds != NULL && w < run.world_count && !run.abandoned; w++) {
        if (run.worlds[w].plan != NULL) {
            world_close(&run.worlds[w]);
        }
    }
    journal_close(&run);
    if (rc < 0 && atomic_load(&run.shared.go) <= 0) {
        place_unmake(&run.place, plan);
    }
    if (!run.abandoned) { /* else its threads may yet look at it */
        run_free(&run);
    }
    if (rc < 0) {
        result_free(ret);
    }
    return rc;
}
