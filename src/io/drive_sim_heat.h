/* io/drive_sim_heat: how warm a simulated drive is, and whether it must slow down. */
#ifndef RAWTPS_IO_DRIVE_SIM_HEAT_H
#define RAWTPS_IO_DRIVE_SIM_HEAT_H

#include "io/drive_types.h"

/*
 * One body of one temperature, warmed by what the drive does and cooled by the air:
 *   power    power_idle + power_read x GB/s read + power_program x GB/s programmed
 *   change   (ambient + power x heat - temperature) / heat_time
 * It slows down at throttle_at and is fast again 3 degrees below it; at open it is as warm as when
 * idle for long.
 */
enum { HEAT_HYSTERESIS = 3 }; /* degrees */

struct sim_heat {
    double celsius, joules; /* read and programmed since at_ns */
    double read_joules_per_byte, program_joules_per_byte;
    int64_t at_ns, throttled_ns;
    double speed; /* 1, or params.throttle_to */
};

void sim_heat_init(struct sim_heat *heat, const struct drive_sim_params *params);
static inline bool sim_heat_imitated(const struct drive_sim_params *params)
{
    return params->throttle_at > 0;
}
/* True if the speed changed. Looks at most every 10 ms: cheap to call for each request. */
bool sim_heat_at(struct sim_heat *heat, const struct drive_sim_params *params, int64_t at_ns);

#endif
