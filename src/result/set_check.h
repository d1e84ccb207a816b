/* result/set_check: does a run.json agree with itself. */
#ifndef RAWTPS_RESULT_SET_CHECK_H
#define RAWTPS_RESULT_SET_CHECK_H

#include "result/result.h"

/* Totals, rates and percentiles against the counts they come from. Errors: EXIT_USAGE, the key. */
int set_check_run(const struct result *result, const char *path, struct error *err);

#endif
