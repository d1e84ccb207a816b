/* engine/health: how warm the drive was over the sample. */
#ifndef RAWTPS_ENGINE_HEALTH_H
#define RAWTPS_ENGINE_HEALTH_H

#include "io/drive.h"
#include "result/result.h"

/* All zero: nothing is known yet. */
struct health {
    struct drive_health before, last;
    double least_c, most_c;
    bool looked, begun;
    int64_t looked_ns; /* CLOCK_MONOTONIC; of real drives */
};

/* Ask the drive; NULL: there is none. */
void health_look(struct health *health, const struct drive *drive);
/* The sample begins: as the last look found it. */
void health_begin(struct health *health);
/* What is known of the sample so far. */
void health_tell(const struct health *health, struct result_drive *ret);

#endif
