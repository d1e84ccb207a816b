/* report/redact: a result that may be shown without saying whose drive it was. */
#ifndef RAWTPS_REPORT_REDACT_H
#define RAWTPS_REPORT_REDACT_H

#include "result/result.h"

/*
 * Serial numbers of drives become "redacted"; wherever else a serial number of 4 bytes or more
 * stands (paths, command, warnings, errors, the scenario's text), it becomes as many 'x'.
 *   run_dir  may be NULL
 */
void redact_serials(struct result *result, char *run_dir);

#endif
