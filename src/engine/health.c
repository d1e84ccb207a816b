#include <math.h>

#include "run_state.h"

/* A look at a drive's temperature is a command to it. */
#define HEALTH_EVERY_NS 10000000000ll

void health_look(struct health *health, const struct drive *drive)
{
    if (drive == NULL) {
        return;
    }
    drive_health(drive, &health->last);
    health->looked = true;
    if (health->begun) { /* fmin() and fmax() pass over what is not known */
        health->least_c = fmin(health->least_c, health->last.celsius);
        health->most_c = fmax(health->most_c, health->last.celsius);
    }
}

void health_begin(struct health *health)
{
    if (health->looked) {
        health->begun = true;
        health->before = health->last;
        health->least_c = health->most_c = health->last.celsius;
    }
}

void health_tell(const struct health *health, struct result_drive *ret)
{
    const struct drive_health *from = &health->before, *to = &health->last;

    if (!health->begun) {
        return;
    }
    ret->power_state = to->power_state;
    ret->health = (struct result_health){
        .temperature_start_c = from->celsius,
        .temperature_end_c = to->celsius,
        .temperature_min_c = health->least_c,
        .temperature_max_c = health->most_c,
        .throttled_s = to->throttled_s - from->throttled_s,
        .warning_temp_minutes = to->warning_minutes - from->warning_minutes,
        .critical_temp_minutes = to->critical_minutes - from->critical_minutes,
    };
}

void health_of_virtual(struct run *run, uint32_t before)
{
    if (run->phase != before && run->plan->phases[run->phase].kind == PHASE_SAMPLE) {
        health_begin(&run->health);
    }
    health_look(&run->health, run->worlds[0].bottom);
}

void health_of_real(struct run *run, bool last)
{
    struct health *health = &run->health;
    int64_t now_ns = run_wall_ns();
    bool begins = !health->begun && atomic_load(&run->shared.sampling);
    bool due = health->begun && (last || now_ns - health->looked_ns > HEALTH_EVERY_NS);

    if (begins || due) {
        health_look(health, run->worlds[0].bottom);
        health->looked_ns = now_ns;
    }
    if (begins) {
        health_begin(health);
    }
}
