/* engine/run: carries a plan out and leaves a result. */
#ifndef RAWTPS_ENGINE_RUN_H
#define RAWTPS_ENGINE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "plan/plan.h"
#include "result/result.h"

/* What a watcher of a run is shown after every interval. Valid during the call. */
struct run_view {
    const struct plan *plan;
    const char *phase;
    const char *next_phase;            /* NULL after the last */
    int64_t phase_ns, phase_length_ns; /* length 0: unknown */
    int64_t left_ns;                   /* of the whole run, in its own time; negative: unknown */
    double fill_share;                 /* while filling: 0 to 1; else negative */
    /* vm_count rows and then one for all: the last interval, and the phase so far. NULL in a fill
     */
    const struct result_interval *now, *so_far;
    const struct hist *responses; /* of all VMs in the last interval */
    uint64_t errors;
    double concurrency, users; /* X (R + Z) of the phase so far, and N; N 0: open loop */
    /* the run is to end, and waits for so many answers of drives or servers, for so long at most;
     * now is NULL then. Else 0 */
    uint32_t waiting;
    int64_t wait_left_ns;
    const struct result *result; /* as far as it is known: drives, warnings */
    const char *dir;             /* the run directory, "" if none */
};

struct run_options {
    const char *out;  /* --out DIR or NULL */
    const char *root; /* "results" */
    const char *label;
    const struct result_pair *pair;      /* NULL: the run is none of a series */
    const char *tool_version, *build_id; /* of the program, for the result; NULL: "" */
    const char *const *command;
    uint32_t command_count;
    /* signals so far: 1: end the interval, wait for what is under way, keep what was measured; 2
     * and more: the same without waiting */
    const volatile int *stop;
    void (*watch)(void *context, const struct run_view *view); /* NULL: nobody watches */
    void *context;
    /* of models, NULL: nobody looks: every request that ends, with the target that made it */
    void (*look)(void *look_context, const struct target *target, const struct io *io);
    void *look_context;
    bool check;    /* of servers: that what was committed is in their tables at the end */
    bool no_files; /* tests: no run directory */
};

/*
 * Run the plan. On 0, ret is filled (the caller frees it), run_dir holds the same, and
 * ret->run.exit_code is what the program should end with, which may be a failure that was
 * measured: void, interrupted, failed part-way. ret_dir (512 bytes) gets the run directory.
 * Errors: what stops a run before it has begun (EXIT_USAGE, EXIT_FAILED); nothing is left then.
 */
int run_plan(const struct plan *plan, const struct run_options *options, struct result *ret,
             char *ret_dir, struct error *err);

/*
 * Write run.json of a run that is over again: something has been found since. Errors: EXIT_FAILED.
 */
int run_amend(const char *dir, const struct result *result, struct error *err);

/*
 * What a run would be told by the plan's servers, in words: version, settings, findings. Errors:
 * the first server that cannot be asked, or would be refused (ret has the rest).
 */
int servers_look(const struct plan *plan, struct text *ret, struct error *err);

#endif
