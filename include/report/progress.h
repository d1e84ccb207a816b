/* report/progress: a run in progress, one line an interval. */
#ifndef RAWTPS_REPORT_PROGRESS_H
#define RAWTPS_REPORT_PROGRESS_H

#include "base/text.h"
#include "report/live.h"
#include "result/result.h"
#include <stdbool.h>

enum progress_style { PROGRESS_PLAIN, PROGRESS_SYSBENCH, PROGRESS_PGBENCH, PROGRESS_STYLES };
extern const char *const progress_style_names[PROGRESS_STYLES];
/* False: there is no style of that name. */
bool progress_style_find(const char *name, enum progress_style *ret);

/*
 * One line with its newline, no control characters, for what happened since the last one.
 *   frame     phase, ETA, users; its figures are not used but for statements of the sysbench style
 *   interval  all VMs (vm -1) over the time since the last line
 */
void progress_line(enum progress_style style, const struct live_frame *frame,
                   const struct result_interval *interval, struct text *ret);

/*
 * --json: one object and a newline for one interval and VM. vm is a number or "all", t the end of
 * the interval in seconds since the start barrier, latencies are whole microseconds.
 */
void progress_json(const struct result_interval *interval, struct text *ret);

#endif
