/* engine/checks: what must hold in a server's tables, each rule by its name. */
#ifndef RAWTPS_ENGINE_CHECKS_H
#define RAWTPS_ENGINE_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/plan.h"

enum { CHECK_ROWS = 3, CHECK_ROW = 160, CHECKS_MOST = 40 };

/* A rule and what was found. */
struct check_finding {
    const char *name;  /* "tpcc.1", "tpcc.R5", "sbtest.keys" */
    const char *holds; /* what must hold, in one sentence */
    bool passed;
    uint64_t broken;                  /* rows that break it; at most CHECK_COUNTED are counted */
    char columns[CHECK_ROW];          /* what the rows below show */
    char rows[CHECK_ROWS][CHECK_ROW]; /* the first of them */
    int64_t took_ns;
};
enum { CHECK_COUNTED = 1000 };

/*
 * All rules of VM i's workload, in one snapshot, one after the other. watch may be NULL; it is
 * called before each rule with its name, and after it with the finding.
 *   returns  how many there are, in ret (at most CHECKS_MOST); negative: the server could not be
 *            asked (EXIT_FAILED), or has none of the tables (EXIT_FAILED, and how to load them)
 */
int checks_run(const struct plan *plan, uint32_t i, struct check_finding *ret,
               const volatile int *stop,
               void (*watch)(void *context, const char *name, const struct check_finding *finding),
               void *context, struct error *err);

#endif
