/* engine/place: the drive that a plan runs on: opened, guarded, filled before or not. */
#ifndef RAWTPS_ENGINE_PLACE_H
#define RAWTPS_ENGINE_PLACE_H

#include "io/guard.h"
#include "plan/plan.h"

struct place {
    struct guard guard;
    bool open;
    bool filled;  /* an earlier run filled it for this very layout: phases.fill auto skips */
    bool watched; /* a file, from when it is filled */
    uint64_t allocated_bytes; /* of it, when it was last looked at */
    bool cut;                 /* it has lost what was written, and why */
    struct error error;
};

/* What filling writes of a VM's slice, from its beginning. */
uint64_t place_fill_bytes(const struct plan_vm *vm);

/*
 * Open and guard plan's drive; nothing to do for simulated ones. Errors: guard_open()'s; EXIT_USAGE
 * if the plan reads what was never written.
 */
int place_open(struct place *place, const struct plan *plan, struct error *err);
/* The run was refused before it began: a file that was made for it goes. */
void place_unmake(const struct place *place, const struct plan *plan);
/* Mark it as filled with this layout. */
int place_mark(struct place *place, const struct plan *plan, struct error *err);
/*
 * Has somebody truncated the file, or punched holes into it, since it was filled? Then what a run
 * reads there is nothing that was written. place_watch() is the first look; those before it find
 * nothing. A look costs one system call, a thorough one several.
 *   errors  EXIT_WRONG_DATA, kept in cut and error too
 */
int place_watch(struct place *place, const struct plan *plan, struct error *err);
int place_look(struct place *place, const struct plan *plan, bool thorough, struct error *err);
/*
 * Is the file that the run uses still the one of its name? False: ret says what became of it: it
 * was removed, moved or replaced. Always true of a device. Two system calls.
 */
bool place_named(const struct place *place, const struct plan *plan, char *ret, uint64_t size);
void place_close(struct place *place);

#endif
