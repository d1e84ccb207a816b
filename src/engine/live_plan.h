/* engine/live_plan: plans that measure one live server, and their twins on its model. */
#ifndef RAWTPS_ENGINE_LIVE_PLAN_H
#define RAWTPS_ENGINE_LIVE_PLAN_H

#include "plan/plan.h"
#include "target/server_profile.h"

enum { LIVE_SETS = PLAN_SETS, LIVE_SET = 96 };

/* A request that grows: what the user asked, then what is found out. */
struct live_plan {
    struct plan_request request;
    const char *sets[LIVE_SETS];
    char texts[LIVE_SETS][LIVE_SET];
    uint32_t set_count;
    char scenario[256], warehouses[24], threads[16];
    bool found; /* the scenario was chosen by what the database holds */
};

/*
 * Take the request over; texts of it must stay. Without a scenario the database says which: tables
 * of TPC-C or sbtest that a load of rawtps left, then with 8 users.
 *   load     nothing needs to be there yet: TPC-C with the warehouses asked for, or 2
 * Errors: EXIT_USAGE without --target; EXIT_FAILED if it cannot be asked, or holds no such tables.
 */
int live_plan_open(struct live_plan *live, const struct plan_request *request, bool load,
                   struct error *err);
/* One more `--set`. */
void live_plan_set(struct live_plan *live, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Build it; *ret is to be freed by live_plan_free(). Errors: those of plan_build(); EXIT_USAGE if
 * it asks no server, several, or has a workload of which there is no model.
 */
int live_plan_build(const struct live_plan *live, struct plan **ret, struct error *err);
/* EXIT_FAILED unless rawtps has loaded the tables of its server. */
int live_plan_look(const struct plan *plan, struct error *err);
/* The same workload in virtual time on the model that the profile describes, its drive answering
 * after latency_ns. */
int live_plan_twin(const struct live_plan *live, const struct server_profile *profile,
                   uint32_t cores, int64_t latency_ns, uint64_t seed, struct plan **ret,
                   struct error *err);
void live_plan_free(struct plan *plan);

#endif
