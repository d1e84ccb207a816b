/* engine/fidelity: the models held against what real servers were measured to do, cell by cell. */
#ifndef RAWTPS_ENGINE_FIDELITY_H
#define RAWTPS_ENGINE_FIDELITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "target/model.h"

/* Page reads a transaction below which neither pages nor their shares are judged. */
#define FIDELITY_READS_LEAST 1.0

enum { FIDELITY_TABLES = 32, FIDELITY_GATES = 40, FIDELITY_PRIORS = 4, FIDELITY_CHECKS = 4 };

/* Page reads of a table (innodb: tablespace file) or index, a transaction. */
struct fidelity_share {
    char name[24];
    double reads;
};

/* What a window came to, each a transaction where not said otherwise. */
struct fidelity_figures {
    double page_reads, page_writes, dirty_delta, images, log_bytes, log_writes, lock_waits;
    double doublewritten, batches, created;
    double splits;                               /* of leaves: innodb's Sysbench alone */
    double by_checkpoint, by_cleaner, by_victim; /* page writes */
    double tps;                                  /* transactions a second */
    struct fidelity_share tables[FIDELITY_TABLES];
    uint32_t table_count;
};

/* Transactions that ran before the server was restarted with a cold pool. */
struct fidelity_prior {
    enum dist_kind rand_type;
    uint64_t transactions;
};

/* One measurement of a real server, as scenarios/fidelity/truth.json has it. */
struct fidelity_cell {
    char id[80]; /* engine/workload/buffer MiB/storage/client threads[/variant] */
    enum model_profile_kind profile;
    uint32_t nurand_c[3]; /* nurand_fixed: C of last names, customers, items; all 0: by the seed */
    bool is_tpcc, index_full, nurand_fixed, settled, slow_disk, group_commit, one_thread;
    uint32_t buffer_mib, threads, warehouses, tables;
    uint64_t rows; /* a table of sbtest */
    enum dist_kind rand_type;
    struct fidelity_prior priors[FIDELITY_PRIORS];
    uint32_t prior_count;
    uint32_t warm, transactions;
    uint32_t kinds[TPCC_KINDS]; /* of the window: the model gets as many of each */
    int64_t checkpoint_ns;      /* 0: the profile's own */
    int64_t flush_ns;           /* of a log write with its sync; 0: not known */
    double cpu_ms;              /* a transaction; 0: not known */
    struct fidelity_figures truth;
};

/*
 * All cells of the file; *ret is to be freed by mem_free(). Errors: EXIT_FAILED if it cannot be
 * read, EXIT_USAGE for what it says.
 */
int fidelity_read(const char *path, struct fidelity_cell **ret, uint32_t *ret_count,
                  struct error *err);

/* A figure against its measurement (MODEL.md 9.5). */
struct fidelity_gate {
    char quantity[40]; /* "page reads", "share of stock" */
    double model, measured;
    double least, most; /* of the model's figure, to be within tolerance */
    bool judged;        /* false: shown only, the cell is not settled or the gate not for it */
    bool met;
};

struct fidelity_outcome {
    const struct fidelity_cell *cell;
    struct fidelity_figures model; /* mean over the seeds */
    double spread;                 /* of page reads over the seeds: (most - least) / mean */
    struct fidelity_gate gates[FIDELITY_GATES];
    uint32_t gate_count;
    uint32_t checks_failed; /* accounting identities of MODEL.md 8.2 that did not hold */
    char check[160];        /* the first of them, in words */
    int code;               /* 0, or what stopped it: error */
    struct error error;
};

/*
 * Run each cell in virtual time with `seeds` seeds (from 1), up to `jobs` cells at once; rets are
 * in the order of the cells, and the same whatever `jobs` is. watch (may be NULL) is called after
 * each, from any thread but never from two at once. False if any could not be run.
 */
bool fidelity_run(const struct fidelity_cell *const *cells, uint32_t count, uint32_t seeds,
                  uint32_t jobs, struct fidelity_outcome *rets,
                  void (*watch)(void *context, const struct fidelity_outcome *outcome),
                  void *context);

struct fidelity_summary {
    uint32_t judged, met;
    double median_error; /* of the judged gates that have a measurement, as a share of it */
};
/* Over the outcomes' judged gates whose quantity begins with `quantity` (NULL: all). */
void fidelity_sum(const struct fidelity_outcome *outcomes, uint32_t count, const char *quantity,
                  struct fidelity_summary *ret);

#endif
