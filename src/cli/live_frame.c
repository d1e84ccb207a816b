#include "live_frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/little.h"

/* Little's law is not judged before so long. */
#define AUDIT_FROM_NS 30000000000ll

static void drive_name(const struct run_view *view, char *ret, size_t size)
{
    const struct plan *plan = view->plan;
    const struct result_drive *drive = &view->result->drives[0];

    if (plan->drive == PLAN_DRIVE_NONE) {
        plan_server(&plan->vms[0], ret, size);
    } else if (plan->drive == PLAN_DRIVE_NULL) {
        snprintf(ret, size, "null drive");
    } else if (plan->drive == PLAN_DRIVE_SIM) {
        snprintf(ret, size, "simulated %.80s",
                 plan->sim.model[0] ? plan->sim.model : plan->drive_like);
    } else {
        snprintf(ret, size, "%.90s%s%.40s%s%.20s", plan->drive_path, drive->model[0] ? " " : "",
                 drive->model, drive->firmware[0] ? " fw " : "", drive->firmware);
    }
}

static void row_of(struct live_row *row, const struct result_interval *now,
                   const struct result_interval *so_far)
{
    double seconds = (double)now->length_ns / 1e9;

    *row = (struct live_row){
        .tps_now = now->tps,
        .tps_avg = so_far->tps,
        .avg_ns = (int64_t)so_far->mean_ns,
        .p50_ns = so_far->p50_ns,
        .p95_ns = so_far->p95_ns,
        .p99_ns = so_far->p99_ns,
        .p99_9_ns = so_far->p99_9_ns,
        .max_ns = so_far->max_ns,
        .stddev_ns = (int64_t)so_far->stddev_ns,
        .read_mb_s = seconds > 0 ? (double)now->read_bytes / 1e6 / seconds : 0,
        .write_mb_s = seconds > 0 ? (double)now->write_bytes / 1e6 / seconds : 0,
        .hit_ratio = now->hit_ratio,
        .errors = so_far->failed,
    };
}

/* Bare requests meet no pool. */
static void forget_hits(struct live_frame *frame)
{
    for (uint32_t i = 0; i < frame->vm_count; i++) {
        frame->vms[i].hit_ratio = NAN;
    }
    frame->all.hit_ratio = NAN;
}

static void audit_of(struct live_frame *frame, const struct run_view *view)
{
    double ratio = view->users > 0 ? view->concurrency / view->users : 1;

    frame->concurrency = view->concurrency;
    frame->users_total = view->users;
    frame->audit[0] = '\0';
    if (view->users > 0 && view->phase_ns >= AUDIT_FROM_NS) {
        snprintf(frame->audit, sizeof(frame->audit), "%s",
                 fabs(ratio - 1) <= LITTLE_TOLERANCE ? "ok" : "inconsistent");
    }
}

/* Sysbench's statements a transaction, times transactions a second. */
static void statements_of(struct live_frame *frame, const struct run_view *view)
{
    double reads = 0, writes = 0, others = 0;

    for (uint32_t i = 0; i < view->plan->vm_count; i++) {
        const struct plan_vm *vm = &view->plan->vms[i];
        const struct sysbench_settings *set = &vm->model.sysbench;
        uint32_t selects = 0, changes = 1, control = 0;

        if (vm->workload != PLAN_SYSBENCH) {
            continue;
        }
        if (set->mix == SYSBENCH_READ_WRITE || set->mix == SYSBENCH_READ_ONLY) {
            selects = set->point_selects + set->simple_ranges + set->sum_ranges +
                      set->order_ranges + set->distinct_ranges;
        } else if (set->mix == SYSBENCH_POINT_SELECT) {
            selects = 1;
            changes = 0;
        }
        if (set->mix == SYSBENCH_READ_WRITE || set->mix == SYSBENCH_WRITE_ONLY) {
            changes = set->index_updates + set->non_index_updates + 2 * set->delete_inserts;
        }
        if (set->mix <= SYSBENCH_WRITE_ONLY) {
            changes = set->mix == SYSBENCH_READ_ONLY ? 0 : changes;
            control = set->skip_trx ? 0 : 2;
        }
        reads += view->now[i].tps * selects;
        writes += view->now[i].tps * changes;
        others += view->now[i].tps * control;
    }
    frame->statements_per_s[0] = reads;
    frame->statements_per_s[1] = writes;
    frame->statements_per_s[2] = others;
}

static void users_of(struct live_frame *frame, const struct plan *plan)
{
    frame->users = plan->vms[0].users;
    snprintf(frame->users_word, sizeof(frame->users_word), "%s",
             plan->vms[0].workload == PLAN_TPCC       ? "users"
             : plan->vms[0].workload == PLAN_SYSBENCH ? "threads"
                                                      : "outstanding");
}

void live_frame_of(struct live_frame *frame, const struct run_view *view)
{
    const struct plan *plan = view->plan;
    uint32_t vms = plan->vm_count < LIVE_VMS ? plan->vm_count : LIVE_VMS;
    const struct result_interval *all = &view->now[plan->vm_count];

    snprintf(frame->scenario, sizeof(frame->scenario), "%s", plan->name);
    drive_name(view, frame->drive, sizeof(frame->drive));
    snprintf(frame->phase, sizeof(frame->phase), "%s", view->phase);
    snprintf(frame->next_phase, sizeof(frame->next_phase), "%s",
             view->next_phase ? view->next_phase : "");
    frame->elapsed_ns = view->phase_ns;
    frame->length_ns = view->phase_length_ns;
    frame->at_ns = all->start_ns + all->length_ns;
    frame->iops = plan->vms[0].workload == PLAN_BLOCK;
    frame->vm_count = vms;
    users_of(frame, plan);
    for (uint32_t i = 0; i < vms; i++) {
        row_of(&frame->vms[i], &view->now[i], &view->so_far[i]);
    }
    row_of(&frame->all, all, &view->so_far[plan->vm_count]);
    if (frame->iops) {
        forget_hits(frame);
    }
    audit_of(frame, view);
    statements_of(frame, view);
}
