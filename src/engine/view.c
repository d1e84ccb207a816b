#include <string.h>

#include "run_state.h"

static int64_t view_left_ns(const struct run *run, int64_t phase_ns)
{
    int64_t left_ns = run->plan->phases[run->phase].length_ns - phase_ns;

    for (uint32_t p = run->phase + 1; p < run->plan->phase_count; p++) {
        left_ns += run->plan->phases[p].length_ns;
    }
    return left_ns;
}

/* X (R + Z) of the phase so far; 0 for open loops. */
static double view_concurrency(const struct run *run, const struct result_interval *all)
{
    double pause_ns = 0, ended = (double)(all->done + all->rolled_back);
    const struct record *first = &run->totals[0].phase;
    double length_ns = (double)(first->until_ns - first->from_ns);

    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        for (uint32_t k = 0; k < vm_kinds(&run->plan->vms[i]); k++) {
            pause_ns += (double)run->totals[i].phase.kinds[k].pause_ns;
        }
    }
    return length_ns > 0 ? (ended * all->mean_ns + pause_ns) / length_ns : 0;
}

void view_show(struct run *run)
{
    const struct plan *plan = run->plan;
    struct run_view view = {
        .plan = plan,
        .phase = plan->phases[run->phase].name,
        .phase_length_ns = plan->phases[run->phase].length_ns,
        .fill_share = -1,
        .now = run->now,
        .so_far = run->so_far,
        .responses = run->responses,
        .result = run->result,
        .dir = run->has_dir ? run->dir.path : "",
    };
    const struct record *phase = &run->totals[0].phase;
    const struct result_interval *all = &run->so_far[plan->vm_count];

    if (run->options->watch == NULL) {
        return;
    }
    view.phase_ns = phase->until_ns - run->phase_from_ns;
    view.left_ns = view_left_ns(run, view.phase_ns);
    view.next_phase = run->phase + 1 < plan->phase_count ? plan->phases[run->phase + 1].name : NULL;
    view.errors = all->failed;
    view.concurrency = view_concurrency(run, all);
    for (uint32_t i = 0; i < plan->vm_count; i++) {
        view.users += plan->vms[i].arrivals == PLAN_CLOSED ? plan->vms[i].users : 0;
    }
    run->options->watch(run->options->context, &view);
}

/* What ends within it is not worth a word. */
#define WAITS_SHOWN_NS 500000000ll

void view_show_waits(struct run *run)
{
    struct run_view view = {
        .plan = run->plan,
        .phase = "end",
        .left_ns = -1,
        .fill_share = -1,
        .result = run->result,
        .dir = run->has_dir ? run->dir.path : "",
    };
    int64_t now_ns = run_wall_ns();

    for (uint32_t w = 0; w < run->world_count; w++) {
        uint32_t waiting = atomic_load(&run->worlds[w].waiting);
        int64_t left_ns = atomic_load(&run->worlds[w].wait_left_ns);

        view.waiting += waiting;
        view.wait_left_ns =
            waiting > 0 && left_ns > view.wait_left_ns ? left_ns : view.wait_left_ns;
    }
    if (view.waiting == 0 || run->waits_from_ns == 0) {
        run->waits_from_ns = view.waiting > 0 ? now_ns : 0;
    } else if (run->options->watch != NULL && now_ns - run->waits_from_ns > WAITS_SHOWN_NS) {
        run->options->watch(run->options->context, &view);
    }
}

void view_show_fill(struct run *run, const char *phase, double share)
{
    struct run_view view = {
        .plan = run->plan,
        .phase = phase,
        .left_ns = -1,
        .fill_share = share,
        .result = run->result,
        .dir = run->has_dir ? run->dir.path : "",
    };

    if (run->options->watch != NULL) {
        run->options->watch(run->options->context, &view);
    }
}
