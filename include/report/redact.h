/* report/redact: a result that may be shown without saying whose drive it was. */
#ifndef RAWTPS_REPORT_REDACT_H
#define RAWTPS_REPORT_REDACT_H

#include "result/gate.h"
#include "result/result.h"
#include "result/sweep.h"

/*
 * Serial numbers of drives become "redacted"; wherever else a serial number of 4 bytes or more
 * stands (paths, command, warnings, errors, the scenario's text), it becomes as many 'x'. So does
 * one that the command permits to erase, which may be the other drive's of a pair.
 *   run_dir  may be NULL
 */
void redact_serials(struct result *result, char *run_dir);

/* The same of several runs: of each, whatever serial number any of them knows. */
void redact_set(struct set *set);

/*
 * The same of what was concluded from runs, and of the runs themselves: nothing may be read from
 * their directories afterwards. What is judged is judged already, so that drives stay apart.
 */
void redact_comparison(struct comparison *comparison, struct set *const *sets);
void redact_sweep(struct sweep *sweep, struct set *const *sets);
/* path: of the gate file, where it is shown; may be NULL */
void redact_gate(struct gate *gate, struct gate_file *file, char *path);

#endif
