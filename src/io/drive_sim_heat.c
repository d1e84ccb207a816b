#include "drive_sim_heat.h"

#define LOOK_NS 10000000

void sim_heat_init(struct sim_heat *heat, const struct drive_sim_params *params)
{
    *heat = (struct sim_heat){
        .celsius = params->ambient + params->power_idle * params->heat,
        .read_joules_per_byte = params->power_read * 1e-9,
        .program_joules_per_byte = params->power_program * 1e-9,
        .speed = 1,
    };
}

bool sim_heat_at(struct sim_heat *heat, const struct drive_sim_params *params, int64_t at_ns)
{
    double past_ns = (double)(at_ns - heat->at_ns), goal, before = heat->speed;

    if (past_ns < LOOK_NS) {
        return false;
    }
    heat->throttled_ns += heat->speed < 1 ? at_ns - heat->at_ns : 0;
    goal = params->ambient + (params->power_idle + heat->joules / (past_ns * 1e-9)) * params->heat;
    /* implicit Euler: right at rest, and stable whatever the step */
    heat->celsius += (goal - heat->celsius) * past_ns / (past_ns + (double)params->heat_time_ns);
    heat->at_ns = at_ns;
    heat->joules = 0;
    if (heat->celsius >= params->throttle_at) {
        heat->speed = params->throttle_to;
    } else if (heat->celsius < params->throttle_at - HEAT_HYSTERESIS) {
        heat->speed = 1;
    }
    return heat->speed != before;
}
