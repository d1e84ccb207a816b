/* cli/check_show: consistency rules of servers' tables, rule by rule on stdout. */
#ifndef RAWTPS_CLI_CHECK_SHOW_H
#define RAWTPS_CLI_CHECK_SHOW_H

#include <stdbool.h>

#include "plan/plan.h"

/*
 * Check every VM's tables; prints a line a rule, and the first rows that break one. quiet: nothing
 * on stderr but errors. Returns EXIT_FINE, EXIT_WRONG_DATA if a rule is broken, or why the rules
 * could not be checked.
 */
enum exit_code check_servers(const struct plan *plan, bool quiet);

#endif
