/* engine/fidelity_run: one cell's database in virtual time: restart, warm-up, window. */
#ifndef RAWTPS_ENGINE_FIDELITY_RUN_H
#define RAWTPS_ENGINE_FIDELITY_RUN_H

#include "engine/fidelity.h"

/*
 * How fast the host is: CPU a transaction where the data lay in memory, else the latency of the
 * disk. Found by running until the model's TPS is the measured one, on which there is no gate;
 * whatever the model does once a second or every 30 s depends on it.
 */
struct fidelity_pace {
    int64_t cpu_ns, latency_ns;
    int64_t data_ns; /* latency of data: PostgreSQL's reads come from the OS cache */
};

/* One seed. Adds the checks that failed to outcome. */
int fidelity_run_seed(const struct fidelity_cell *cell, const struct fidelity_pace *pace,
                      uint64_t seed, struct fidelity_figures *ret, struct fidelity_outcome *outcome,
                      struct error *err);

/* Add `by` times one to the sum. */
void fidelity_figures_add(struct fidelity_figures *sum, const struct fidelity_figures *one,
                          double by);

/* What two readings of the counters say in the same words of a server and of a model, each over n
 * transactions. Log bytes are not among them. */
void fidelity_figures_between(struct fidelity_figures *ret, const struct target_facts *before,
                              const struct target_facts *after, double n);
/* Add to the table of that name; a full list drops it. */
void fidelity_count(struct fidelity_share *tables, uint32_t *count, const char *name, double reads);

/* A check of the model's accounting failed: counted, and the first kept in words. */
void fidelity_check_failed(struct fidelity_outcome *outcome, const char *name, double expected,
                           double found);
/* Fill in the outcome's gates from its model figures. */
void fidelity_judge(struct fidelity_outcome *outcome);

#endif
