/* cli/args: what `run`, `plan`, `load` and `check` are told: one record, options they share. */
#ifndef RAWTPS_CLI_ARGS_H
#define RAWTPS_CLI_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "plan/plan.h"

enum { ARGS_LABEL = 64, ARGS_PLAN_ROWS = 8, ARGS_SERVER_ROWS = 5 };

struct args {
    /* of the plan; strings NULL if not given */
    bool virtual_time;
    const char *drive, *erase, *scale, *sample, *seed;
    uint64_t expect_bytes;
    const char *target, *warehouses, *threads, *connections;
    /* of loads and checks */
    uint32_t jobs;
    const char *replace;
    bool check, no_check;
    /* of the run */
    const char *out, *results;
    char label[ARGS_LABEL];
    bool quiet, json;
    int64_t interval_ns;
    uint32_t progress, color, format; /* enum progress_style, page_color, page_format */
    /* of comparisons, whose `format` is one of compare_show.h */
    bool strict, no_curve, redact_serial;
    int64_t slo_ns;
};

extern const struct key args_plan_rows[ARGS_PLAN_ROWS];
/* The rows from here on are those that a load takes too. */
enum { ARGS_DATA_ROW = 5, ARGS_DATA_ROWS = ARGS_PLAN_ROWS - ARGS_DATA_ROW };
/* Which server is asked. */
extern const struct key args_server_rows[ARGS_SERVER_ROWS];

/* What a plan is asked for, with the lists that it points to; the scenario is the first word, or
 * NULL. */
struct args_request {
    struct plan_request request;
    const char *sets[OPTIONS_MANY], *servers[OPTIONS_MANY];
};
void args_request(const struct args *args, const struct options *options, struct args_request *ret);

/* Build the plan that is asked for. *ret is to be freed by args_plan_free(). */
int args_plan(const struct args *args, const struct options *options, struct plan **ret,
              struct error *err);
/* The same, and every VM must have a server. */
int args_plan_servers(const struct args *args, const struct options *options, struct plan **ret,
                      struct error *err);
void args_plan_free(struct plan *plan);

#endif
