/* cli/stop: signals that end a run. */
#ifndef RAWTPS_CLI_STOP_H
#define RAWTPS_CLI_STOP_H

#include <stdbool.h>

/*
 * From here on SIGINT, SIGTERM and (unless it was ignored, as under nohup) SIGHUP ask the run to
 * end; a second one ends the program at once, with 130.
 */
void stop_catch(bool quiet);
/*
 * While a run is under way that looks at stop_flag(), a second one is for it to end without waiting
 * for anything and to keep what was measured; a third one, or a few seconds, end the program.
 */
void stop_gently(bool on);
/* How many signals have come. */
const volatile int *stop_flag(void);

#endif
