/* cli/live_watch: a run in progress on stderr, or as objects on stdout. */
#ifndef RAWTPS_CLI_LIVE_WATCH_H
#define RAWTPS_CLI_LIVE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/run.h"
#include "page.h"
#include "report/live.h"
#include "report/progress.h"

struct live_watch {
    /* the user's choice */
    bool quiet, json;
    int64_t interval_ns; /* between lines, where stderr is no terminal */
    enum progress_style style;
    enum page_color color;

    bool terminal;
    bool filling; /* the line of a fill is on the terminal */
    struct live_view view;
    struct live_frame frame;
    bool frame_fresh; /* not yet drawn */
    const char *warnings[LIVE_WARNINGS];
    uint32_t warnings_said;
    struct result_interval since; /* all VMs since the last line */
    struct hist responses;        /* the same */
    int64_t drawn_wall_ns, begun_wall_ns, fill_wall_ns, waits_wall_ns, begun_run_ns;
    struct text text, objects;
};

/* The choice set, all else zero. Allocates what it will need; EXIT_FAILED without memory. */
int live_watch_open(struct live_watch *watch, struct error *err);
/* For run_options.watch; context is the struct live_watch. */
void live_watch_show(void *context, const struct run_view *view);
/* Warnings that came with the end, where stderr is no terminal: there the table has them. */
void live_watch_last(struct live_watch *watch, const struct result *result);
/* Draw what has not been drawn, and leave the last frame standing. */
void live_watch_close(struct live_watch *watch);

#endif
