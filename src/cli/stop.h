/* cli/stop: signals that end a run. */
#ifndef RAWTPS_CLI_STOP_H
#define RAWTPS_CLI_STOP_H

#include <stdbool.h>

/*
 * From here on SIGINT, SIGTERM and (unless it was ignored, as under nohup) SIGHUP ask the run to
 * end; a second one ends the program at once, with 130.
 */
void stop_catch(bool quiet);
/* 0, or 1 once a signal has come. */
const volatile int *stop_flag(void);

#endif
