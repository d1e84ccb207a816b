/* engine/place: the drive that a plan runs on: opened, guarded, filled before or not. */
#ifndef RAWTPS_ENGINE_PLACE_H
#define RAWTPS_ENGINE_PLACE_H

#include "io/guard.h"
#include "plan/plan.h"

struct place {
    struct guard guard;
    bool open;
    bool filled; /* an earlier run filled it for this very layout: phases.fill auto skips */
};

/*
 * Open and guard plan's drive; nothing to do for simulated ones. Errors: guard_open()'s; EXIT_USAGE
 * if the plan reads what was never written.
 */
int place_open(struct place *place, const struct plan *plan, struct error *err);
/* Mark it as filled with this layout. */
int place_mark(struct place *place, const struct plan *plan, struct error *err);
void place_close(struct place *place);

#endif
