/* engine/load: fills a server's tables for a scenario, and goes on where an earlier load ended. */
#ifndef RAWTPS_ENGINE_LOAD_H
#define RAWTPS_ENGINE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/checks.h"
#include "plan/plan.h"
#include "workload/sql_schema.h"

enum load_stage { LOAD_LOOK, LOAD_TABLES, LOAD_ROWS, LOAD_INDEXES, LOAD_ANALYZE, LOAD_STAGES };
extern const char *const load_stage_names[LOAD_STAGES]; /* "looking" "tables" "rows" ... */

/* How far a load is. Valid during the call. */
struct load_view {
    const char *vm;
    enum load_stage stage;
    uint64_t rows, rows_all;   /* rows: put by this process, and found from an earlier load */
    uint64_t rows_before;      /* of these, found */
    uint32_t steps, steps_all; /* of the other stages: statements */
    int64_t stage_ns;          /* since the stage began */
    int64_t left_ns;           /* of the stage, at the rate so far; negative: unknown */
};

struct load_options {
    uint32_t jobs;            /* connections, each with a thread of its own; 0: one a core */
    const char *replace;      /* the name of the database whose tables may be dropped; or NULL */
    const volatile int *stop; /* set to 1 by a signal: end as soon as possible, keep what stands */
    void (*watch)(void *context, const struct load_view *view); /* about 5 times a second */
    void *context;
};

/* What became of one VM's database. */
struct load_report {
    bool was_complete;    /* an earlier load had finished: nothing was done */
    uint64_t rows_before; /* found from an earlier load */
    uint64_t rows;        /* put by this one */
    int64_t rows_ns;      /* wall time of that */
    int64_t cpu_ns;       /* of this process meanwhile, all threads */
    int64_t index_ns, all_ns;
};

/*
 * Load the tables of VM i of a plan whose target is a server. Parts of tables are committed one by
 * one together with their names in rawtps_load_part, so that a load that was killed goes on with
 * the first part that is missing. Ends without checking the data: checks_run() does.
 * Errors: EXIT_USAGE if the tables are another tool's, or of another size or seed (the hint says
 * what --replace would drop); EXIT_FAILED with the server's words; EXIT_INTERRUPTED.
 */
int load_run(const struct plan *plan, uint32_t i, const struct load_options *options,
             struct load_report *ret, struct error *err);

/* The tables of VM i as SQL; points into the plan. */
void load_schema(const struct plan_vm *vm, struct sql_schema *ret);

#endif
