/* engine/live_meter: what a live server does during a sample: counters, CPU, reads by table. */
#ifndef RAWTPS_ENGINE_LIVE_METER_H
#define RAWTPS_ENGINE_LIVE_METER_H

#include "engine/fidelity.h"
#include "engine/run.h"
#include "proc_cpu.h"
#include "target/server_facts.h"

/* At one instant, cumulative. */
struct live_reading {
    struct target_facts facts;
    int64_t cpu_ns;                                /* negative: not visible */
    struct fidelity_share tables[FIDELITY_TABLES]; /* pages read, by the model's names */
    uint32_t table_count;                          /* 0: the server does not tell */
};

struct live_meter {
    struct sql_plain *plain;
    enum sql_dialect dialect;
    struct server_facts server;
    struct proc_cpu cpu;
    struct live_reading before, after; /* the sample's ends */
    bool failed;                       /* a reading was refused: the first error is kept */
    struct error error;
    void (*say)(void *context, const struct run_view *view); /* shown on; may be NULL */
    void *context;
};

/* Connect, and ask the server what it is. Errors: EXIT_FAILED with its words. */
int live_meter_open(struct live_meter *meter, const struct sql_url *url, struct error *err);
void live_meter_close(struct live_meter *meter);
/* run_options.watch, context the meter: before is the last reading ahead of the sample. */
void live_meter_watch(void *context, const struct run_view *view);

/* Add to the table of that name; a full list drops it. */
void live_count(struct fidelity_share *tables, uint32_t *count, const char *name, double reads);
/* The model's name for a table, file or index of a server; buf has 24 bytes. */
const char *live_name(const char *name, enum sql_dialect dialect, char *buf);

#endif
