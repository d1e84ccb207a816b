/* engine/fidelity_live: the model held against a live server of the user's own. */
#ifndef RAWTPS_ENGINE_FIDELITY_LIVE_H
#define RAWTPS_ENGINE_FIDELITY_LIVE_H

#include "engine/fidelity.h"
#include "engine/run.h"
#include "plan/plan.h"

struct fidelity_live_options {
    const struct plan_request *request; /* scenario NULL: what the database holds */
    int64_t length_ns;                  /* warm-up and sample of the server together */
    uint32_t seeds;                     /* runs of the model, whose mean is judged */
    const volatile int *stop;
    void (*say)(void *context, const char *text);              /* what is done now; may be NULL */
    void (*watch)(void *context, const struct run_view *view); /* of the live run; may be NULL */
    void *context;
};

/* outcome.cell points to cell. */
struct fidelity_live {
    struct fidelity_cell cell;
    struct fidelity_outcome outcome;
    char notes[6][200]; /* what a reader of the figures must know; "" : no more */
};

/*
 * Warm up, run the scenario against the server, count; then the same on the model in virtual time,
 * with the server's settings, at the pace that gives the measured TPS. Errors: EXIT_USAGE,
 * EXIT_FAILED with the server's words, EXIT_INTERRUPTED.
 */
int fidelity_live_run(const struct fidelity_live_options *options, struct fidelity_live *ret,
                      struct error *err);

#endif
