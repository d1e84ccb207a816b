/* cli/live_args: what the commands that measure a live server are told, as a request. */
#ifndef RAWTPS_CLI_LIVE_ARGS_H
#define RAWTPS_CLI_LIVE_ARGS_H

#include "args.h"

struct run_view;

struct live_args {
    struct plan_request request;
    const char *sets[OPTIONS_MANY], *servers[OPTIONS_MANY];
};
/* The scenario is the first word, or NULL. */
void live_args_of(const struct args *args, const struct options *options, struct live_args *ret);

/* What is under way, on stderr: a line a step, and where that is a terminal one that moves. */
struct live_say {
    bool quiet, terminal, drawn;
};
void live_say(void *context, const char *text);
void live_say_view(void *context, const struct run_view *view);
void live_say_end(struct live_say *say);

#endif
