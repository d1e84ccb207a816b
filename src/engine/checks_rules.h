/* engine/checks_rules: what must hold, as queries whose every row is a breach. */
#ifndef RAWTPS_ENGINE_CHECKS_RULES_H
#define RAWTPS_ENGINE_CHECKS_RULES_H

#include "base/text.h"
#include "plan/plan.h"

/* A rule in words, and the query that finds what breaks it. */
struct check_rule {
    const char *name, *holds;
    const char *columns; /* what a row of the query shows */
    const char *query;   /* in both dialects, without LIMIT; NULL: `write` makes it */
    /* may leave it empty: the rule does not apply, and holds */
    void (*write)(const struct plan_vm *vm, struct text *ret);
};

/* The rules of a workload, in order; sets *ret_count. */
const struct check_rule *check_rules_tpcc(uint32_t *ret_count);
const struct check_rule *check_rules_tpcb(uint32_t *ret_count);
const struct check_rule *check_rules_sbtest(uint32_t *ret_count);

#endif
