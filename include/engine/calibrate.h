/* engine/calibrate: what the model must know of a user's host and server, measured there. */
#ifndef RAWTPS_ENGINE_CALIBRATE_H
#define RAWTPS_ENGINE_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "engine/run.h"
#include "plan/plan.h"
#include "target/server_profile.h"

struct calibrate_options {
    const struct plan_request *request; /* scenario NULL: what the database holds */
    int64_t length_ns;                  /* of the measurements together, about */
    bool load;                          /* load the scenario's tables first, if there are none */
    const volatile int *stop;
    void (*say)(void *context, const char *text);              /* what is done now; may be NULL */
    void (*watch)(void *context, const struct run_view *view); /* of the runs; may be NULL */
    void *context;
};

/* A figure a transaction is negative where it is not known; how says why, or from what. */
struct calibration {
    char scenario[64], workload[96], url[256], flavour[16], version[80];
    struct server_profile profile; /* settings, and cpu_statement if it is known */
    uint32_t cores;
    uint64_t memory_bytes;
    char cores_how[120], memory_how[120];
    uint32_t users;
    uint64_t transactions;
    double seconds, tps, mean_ns, p99_ns;
    double cpu_ns, statements; /* a transaction; cpu_ns without what write_ns counts */
    double write_ns;           /* of background and kernel threads a page written; 0: in cpu_ns */
    double page_reads, page_writes, log_bytes, log_writes;
    double single_tps, flush_ns, round_trip_ns; /* of one user */
    char cpu_how[400], write_how[200], flush_how[240];
    char note[160]; /* what a reader of the figures must know; "": nothing */
};

/*
 * Runs the scenario's workload at its users, then with one user, on tables that rawtps has loaded;
 * touches nothing else. Errors: EXIT_USAGE, EXIT_FAILED with the server's words,
 * EXIT_INTERRUPTED.
 */
int calibrate_run(const struct calibrate_options *options, struct calibration *ret,
                  struct error *err);

/* A file of vm-configs/ that `--set vm=` takes, every value with how it was measured. */
void calibrate_write(const struct calibration *calibration, const char *path, struct text *ret);

#endif
