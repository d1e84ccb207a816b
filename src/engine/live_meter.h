/* engine/live_meter: what a live server does during a sample: counters, CPU, reads by table. */
#ifndef RAWTPS_ENGINE_LIVE_METER_H
#define RAWTPS_ENGINE_LIVE_METER_H

#include "engine/fidelity.h"
#include "engine/run.h"
#include "proc_cpu.h"
#include "target/server_facts.h"

/* CPU used so far. */
struct live_cpu {
    int64_t server_ns;   /* negative: not visible */
    int64_t own_ns;      /* of this process */
    int64_t kernel_ns;   /* of the host's kernel threads */
    int64_t sessions_ns; /* of those that serve connections; negative: not known */
    uint32_t sessions;
};

/* At one instant, cumulative. */
struct live_reading {
    struct target_facts facts;
    struct live_cpu cpu;
    struct fidelity_share tables[FIDELITY_TABLES]; /* pages read, by the model's names */
    uint32_t table_count;                          /* 0: the server does not tell */
};

struct live_meter {
    struct sql_plain *plain;
    enum sql_dialect dialect;
    struct server_facts server;
    struct proc_cpu cpu;
    struct live_reading before, after; /* the sample's ends */
    struct live_cpu whole;             /* the last in the sample at which all connections stood */
    bool failed;                       /* a reading was refused: the first error is kept */
    struct error error;
    void (*say)(void *context, const struct run_view *view); /* shown on; may be NULL */
    void *context;
};

/* Connect, and ask the server what it is. Errors: EXIT_FAILED with its words. */
int live_meter_open(struct live_meter *meter, const struct sql_url *url, struct error *err);
void live_meter_close(struct live_meter *meter);
/*
 * Run a plan, writing nothing; before is the last reading ahead of the sample. say and context of
 * the meter are the caller's. A run that ends early, with a failure or without a transaction, or a
 * reading that was refused, is an error; ret is then freed.
 *   lost     what an interruption means to the user: "nothing is written"
 */
int live_meter_run(struct live_meter *meter, const struct plan *plan, const volatile int *stop,
                   const char *lost, struct result *ret, struct error *err);
/* Is it no whole run? The error that says so, or 0. */
int live_meter_refuse(const struct result *result, const char *lost, struct error *err);

/* The model's name for a table, file or index of a server; buf has 24 bytes. */
const char *live_name(const char *name, enum sql_dialect dialect, char *buf);

#endif
