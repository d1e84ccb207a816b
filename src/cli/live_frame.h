/* cli/live_frame: what the engine shows, as what the report draws. */
#ifndef RAWTPS_CLI_LIVE_FRAME_H
#define RAWTPS_CLI_LIVE_FRAME_H

#include "engine/run.h"
#include "report/live.h"

/* Of a measured phase (view->now not NULL). Leaves history, eta and warnings alone. */
void live_frame_of(struct live_frame *frame, const struct run_view *view);

#endif
