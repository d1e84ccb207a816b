/* cli/live_say: what the commands that measure a live server say while they do. */
#ifndef RAWTPS_CLI_LIVE_SAY_H
#define RAWTPS_CLI_LIVE_SAY_H

#include <stdbool.h>

struct run_view;

/* What is under way, on stderr: a line a step, and where that is a terminal one that moves. */
struct live_say {
    bool quiet, terminal, drawn;
};
void live_say(void *context, const char *text);
void live_say_view(void *context, const struct run_view *view);
void live_say_end(struct live_say *say);

#endif
