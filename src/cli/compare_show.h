/* cli/compare_show: sets of runs compared and printed, for `compare` and `bench-pair`. */
#ifndef RAWTPS_CLI_COMPARE_SHOW_H
#define RAWTPS_CLI_COMPARE_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "args.h"
#include "result/comparison.h"

enum { COMPARE_SHOW_ROWS = 8, COMPARE_SHOW_SHARED = 6, COMPARE_SHOW_FORMATS = 5 };
extern const char *const compare_show_formats[COMPARE_SHOW_FORMATS];

/* Of a struct args: format, metric, row, strict, color and redact_serial, which both take; slo and
 * no-curve. */
extern const struct key compare_show_rows[COMPARE_SHOW_ROWS];

/* --metric and --row among the repeated options. Errors: EXIT_USAGE with the nearest name. */
int compare_show_choose(const struct options *options, const struct args *args,
                        struct comparison_options *ret, struct error *err);
/*
 * Compare, point by point if the runs of a side differ in load, and print to stdout; with `strict`
 * 6 if the sets are not comparable, and why on stderr. The sets may be redacted.
 */
enum exit_code compare_show(struct set *const *sets, uint32_t count,
                            const struct comparison_options *options, const struct args *args);

#endif
