/* result/set: sets of runs that are held against one another: loaded, their metrics, what differs.
 */
#ifndef RAWTPS_RESULT_SET_H
#define RAWTPS_RESULT_SET_H

#include "base/checksum.h"
#include "base/error.h"
#include "base/text.h"
#include "result/result.h"
#include <stdbool.h>
#include <stdint.h>

enum { SET_LABEL = 64, SET_PATH = 512, SET_RUNS = 1000, SET_SIDES = 8, SET_VALUE = 256 };

/* How a run ended, as far as it may be compared. */
enum set_state {
    SET_WHOLE,   /* complete */
    SET_PARTIAL, /* interrupted, or killed: what it has is compared, and marked */
    SET_FAILED,  /* the measurement failed: as partial */
    SET_VOID     /* data came back wrong: never compared */
};

/* Which directory it is, by whatever path; zeros: it is none. */
struct set_place {
    uint64_t device, inode;
};

struct set_run {
    char path[SET_PATH]; /* the run directory, as the user would type it */
    struct set_place place;
    struct result *result;
    enum set_state state;
    char sha256[SHA256_HEX]; /* of its run.json: a copy has the same; "": not known */
};

/* Runs of one variant, in the order in which they were started (then by path). */
struct set {
    char label[SET_LABEL];
    struct set_run *runs;
    uint32_t run_count, run_limit;
};

/* label: longer ones are cut; NULL or "": the caller names it later, as by set_name(). */
void set_init(struct set *set, const char *label);
void set_free(struct set *set);

/*
 * Add runs. A run that is in the set already (by whatever path) is passed over.
 *   pattern  a run directory, a run.json, a directory that holds run directories (all of them, its
 *            LATEST left out, in one level), or a shell glob that gives such
 *   errors   EXIT_USAGE: nothing there, no run in it, a newer schema, truncated or foreign or
 *            hand-edited run.json (with file:line:column); EXIT_FAILED: cannot be read, nor be told
 *            whether it is a run, no memory.
 *            The set keeps what was added before.
 *   time     proportional to the bytes of the run.json files; about 20 kB of memory a VM and run
 */
int set_add(struct set *set, const char *pattern, struct error *err);
/*
 * Add a run that is in memory. The result is the set's from then on, and freed if it is refused:
 * EXIT_USAGE where it contradicts itself (rates against counts, percentiles, totals), no memory.
 */
int set_add_result(struct set *set, const char *path, struct result *result, struct error *err);
/* "label=pattern": what stands before the first '=', if it has no '/', names the set. Returns the
 * pattern and fills label ("" if there is none). */
const char *set_take_label(const char *word, char label[SET_LABEL]);
/* Give a set without a label one: what its runs agree on of label, model and firmware, else `or`.
 */
void set_name(struct set *set, const char *other);
/*
 * Sides of one name are told apart by what they differ in: form factor, file of the drive's model,
 * scenario, settings; if that is not enough by their letter, "D1 (A)". count: at most SET_SIDES.
 */
void set_tell_apart(struct set *sets, uint32_t count);

/* EXIT_WRONG_DATA with the first void run's path if there is one; else 0. */
int set_refuse_void(const struct set *set, struct error *err);
/* EXIT_USAGE if a run is in two of the sets, by whatever path. */
int set_refuse_shared(const struct set *const *sets, uint32_t count, struct error *err);
/* Keep runs alone for which keep() is true; also used for `last: 10` and filters. */
void set_keep(struct set *set, bool (*keep)(const struct set_run *run, uint32_t i, void *context),
              void *context);

/* What a metric's figures are. */
enum set_unit { SET_PER_S, SET_MB_S, SET_NS, SET_SHARE, SET_RATIO, SET_WATT, SET_MJ, SET_PER_W };

struct set_metric {
    const char *name;   /* "lat_p99" */
    const char *title;  /* for people: "lat p99" */
    const char *key;    /* for machines, unit last: "lat_p99_ns" */
    enum set_unit unit; /* set_metric_of() is in it: 1/s, 10^6 B/s, ns, 1, 1, W, mJ, 1/J */
    bool higher_better; /* else lower is */
    bool latency;       /* no verdict on it where concurrency differs (RESULTS.md section 12) */
    bool power;
    bool shown;      /* by `compare` where no metric is named */
    double quantile; /* of response time: 0.99; 0: it is none */
};
/* RESULTS.md section 9: tps iops mb_s worst_second_tps tps_per_w iops_per_w mb_s_per_w lat_avg
 * lat_p50 lat_p90 lat_p95 lat_p99 lat_p99.9 lat_p99.99 lat_max lat_stddev tps_cv w_avg mj_per_txn
 * waf. */
extern const struct set_metric set_metrics[];
extern const uint32_t set_metric_count;
/* NULL if there is none of that name ('_' equal to '-'); the nearest name for a hint, or NULL. */
const struct set_metric *set_metric_find(const char *name);
const char *set_metric_nearest(const char *name);

/*
 * The value of a metric in one run, in its unit.
 *   vm       -1: the aggregate, else the VM's index
 *   returns  NAN: unknown, not recorded, no such VM, or not above 0 (its logarithm is wanted);
 *            power metrics and waf are of the aggregate alone
 */
double set_metric_of(const struct set_metric *metric, const struct result *result, int32_t vm);
/* Values of all runs in their order, NAN where unknown; ret has room for run_count. Returns how
 * many are known. */
uint32_t set_values(const struct set *set, const struct set_metric *metric, int32_t vm,
                    double *ret);
/* VMs that all runs of all sets have; 0 if they differ in number. */
uint32_t set_vm_count(const struct set *const *sets, uint32_t count);

/* Two runs that were made side by side: indexes into the sets. */
struct set_pair {
    uint32_t a, b;
};
/*
 * Pairs by run.pair: of one series, neighbours in its order, one of each side.
 *   ret      room for the lesser run_count
 *   returns  how many; 0 unless there are at least two and at most one run of each set is left over
 */
uint32_t set_pairs(const struct set *a, const struct set *b, struct set_pair *ret);

enum set_match {
    SET_SAME,    /* all runs of all sets; or, of an invariant, it holds in all */
    SET_DIFFERS, /* between or within sets; or an invariant is broken */
    SET_UNKNOWN  /* not recorded by at least one run, and no two known values differ */
};

/* One question of comparability. */
struct set_row {
    const char *name;  /* for `require.same` and machines: "lba_format" */
    const char *title; /* for people: "LBA format" */
    enum set_match match;
    bool invariant; /* asks whether something holds, not whether it is the same */
    bool strict;    /* `compare --strict` refuses if it differs; else it is identity alone */
    bool latency;   /* its difference forbids verdicts on latency (concurrency) */
    bool outcome;   /* it differs as the drives do: both sides were asked the same */
    char values[SET_SIDES][SET_VALUE]; /* of each set; "a, b" where its runs differ; "" unknown */
    double numbers[SET_SIDES];         /* where it is a number (the mean of the runs), else NAN */
};

/*
 * scenario scale sample virtual_time seed_policy build_id vms users concurrency device_class model
 * serial firmware form_factor capacity lba_format link scheduler host cpu kernel governor
 * precondition_bytes precondition_age start_temperature end_temperature; and the invariants
 * complete errors stamp_errors consistency little steady_state throttle interference.
 */
enum { SET_ROWS = 40 };
struct set_rows {
    struct set_row rows[SET_ROWS];
    uint32_t count;
    uint32_t sides;
    double concurrency_ratio; /* largest over smallest mean X (R + Z) less 1; NAN: unknown */
};
enum { SET_CONCURRENCY_PERCENT = 5 }; /* above it no verdict on latency */

/*
 * Hold `count` sets (1 to SET_SIDES, none empty) against one another. One set alone: whether its
 * own runs agree. tolerance: of concurrency, 0.05 for `compare`, 0.02 for `gate`.
 */
void set_rows_of(const struct set *const *sets, uint32_t count, double tolerance,
                 struct set_rows *ret);
const struct set_row *set_row_find(const struct set_rows *rows, const char *name);
/* The nearest of the names that a row can have, for a hint. */
const char *set_row_nearest(const char *name);
/*
 * What one run answers to a row's question, and to "label", "id", "seed", "ended".
 *   returns  1: ret is set; 0: not known; -ENOENT: no such name
 */
int set_run_value(const struct set_run *run, const char *name, char ret[SET_VALUE]);
/* The first row that `--strict` refuses, or NULL. */
const struct set_row *set_rows_refused(const struct set_rows *rows);
/* "kernel 6.1.0-28 | 6.1.0-31", sides in their order; one value alone where they agree. */
void set_row_say(const struct set_row *row, uint32_t sides, struct text *ret);

#endif
