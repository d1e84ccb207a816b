/* plan/plan: a scenario with every choice made. Immutable once built; shared by all threads. */
#ifndef RAWTPS_PLAN_PLAN_H
#define RAWTPS_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "io/drive_types.h"
#include "sql/sql.h"
#include "target/model.h"
#include "target/target_sql.h"
#include "workload/block.h"

enum { PLAN_VMS = 64, PLAN_PHASES = 8, PLAN_WARNINGS = 32, PLAN_SETS = 64 };

/* What the user typed on the command line. Strings NULL if absent. */
struct plan_request {
    const char *scenario;    /* path, or the name of a shipped scenario */
    const char *const *sets; /* "path=value" */
    uint32_t set_count;
    bool virtual_time;
    const char *drive;          /* --drive PATH: overrides drive.path, kind uring */
    const char *target;         /* --target URL: of every VM that --vm does not name */
    const char *const *servers; /* --vm NAME=URL */
    uint32_t server_count;
    const char *warehouses, *threads, *connections; /* as the keys of those names */
    const char *erase;                              /* --erase SERIAL */
    const char *scale;                              /* "1/400", "0.01", "fit" */
    const char *sample;                             /* --for T */
    const char *seed;
    uint64_t expect_bytes; /* --expect-size */
    const char *data_dir; /* where scenarios/ and vm-configs/ are; NULL: found by plan_data_dir() */
};

enum plan_workload { PLAN_TPCC, PLAN_SYSBENCH, PLAN_BLOCK, PLAN_TPCB };
enum plan_target { PLAN_MODEL, PLAN_BARE, PLAN_SQL };
enum plan_drive { PLAN_DRIVE_SIM, PLAN_DRIVE_NULL, PLAN_DRIVE_URING, PLAN_DRIVE_NONE };
enum plan_arrivals { PLAN_CLOSED, PLAN_CONSTANT, PLAN_POISSON }; /* closed: think times only */
enum plan_phase_kind { PHASE_FILL, PHASE_WARM, PHASE_PRECONDITION, PHASE_SAMPLE };
enum plan_rule { RULE_TIME, RULE_AMOUNT, RULE_STEADY, RULE_DONE }; /* DONE: the phase ends itself */

struct plan_disk {
    char role[16]; /* "data", "log", "boot" ... */
    uint64_t bytes;
    uint64_t from_bytes; /* where its slice begins on the drive */
};

/* How a real server is used. */
enum { PLAN_LOOPS = 16 };
struct plan_sql {
    struct sql_url url;
    uint32_t connections; /* 0: one a user and worker, up to the server's limit */
    uint32_t loops;       /* threads that drive it, each with a part of users and connections */
    int64_t patience_ns;  /* so long without any connection ends a run */
    enum sql_isolation isolation;
    bool prepared, pipeline, procedures, autocommit;
    /* of tables that are made by a load */
    bool foreign_keys, full_indexes, history_key;
    uint32_t partitions; /* by warehouse; 0: none */
    char engine_options[128];
    /* errors that end a transaction as skipped: SQLSTATE or number */
    char ignore[TARGET_SQL_IGNORED][6];
    uint32_t ignore_count;
};

struct plan_vm {
    char name[32], config[48];
    uint32_t users, vcpus;
    uint32_t workers; /* that carry out deferred parts: sessions of the model beside the users' */
    uint64_t memory_bytes;
    enum plan_workload workload;
    enum plan_target target;
    struct model_settings model; /* PLAN_MODEL: workload settings are inside */
    struct model_footprint footprint;
    struct block_settings block; /* PLAN_BLOCK */
    struct plan_sql sql;         /* PLAN_SQL; workload settings are in model */
    struct tpcb_settings tpcb;   /* PLAN_TPCB, which servers alone are asked */
    uint32_t first_user;         /* of the VM's users, where these are a part of them */
    enum plan_arrivals arrivals;
    double rate_per_s;          /* open loop: offered transactions a second */
    double mean_think_ns;       /* keying + thinking a transaction; closed loop's Z */
    uint64_t work_transactions; /* work-bound: stop after so many; 0: time-bound */
    struct plan_disk disks[4];
    uint32_t disk_count;
    uint64_t from_bytes, bytes;   /* the VM's slice of the drive */
    uint64_t seed;                /* the VM's own, derived from the plan's */
    uint64_t memory_needed_bytes; /* ours, for this VM */
};

struct plan_phase {
    char name[24];
    enum plan_phase_kind kind;
    enum plan_rule rule;
    char preset[8];        /* RULE_STEADY: "snia" or "gate"; "" is snia */
    int64_t length_ns;     /* RULE_TIME; RULE_STEADY: the most */
    int64_t requested_ns;  /* as the scenario says, before --for; 0 if the same */
    uint64_t amount_bytes; /* RULE_AMOUNT: bytes written */
};

/* One key with its final value, for `plan` and for whoever must repeat the run. */
struct plan_choice {
    char path[72], value[72]; /* "database.buffer", "48GiB" */
    char from[24];            /* "scenario", "command line", "VM config", "profile" ... */
};

struct plan {
    char name[64], about[160], basis[24], path[256];
    char *text; /* the scenario file's exact bytes, NUL-terminated */
    char sha256[72];
    struct {
        char name[48], sha256[72];
        char *text;
    } configs[8]; /* the vm-configs used */
    uint32_t config_count;
    bool virtual_time;
    uint64_t seed;
    char scale_text[24]; /* "1", "1/400" */
    double scale;        /* in (0, 1] */
    bool scale_fitted;

    enum plan_drive drive;
    char drive_path[256], drive_like[64], erase[128], form_factor[16];
    char drive_sha256[72]; /* of the file of its model; "" if it is not simulated */
    struct drive_sim_params sim;
    int64_t null_latency_ns;
    uint64_t drive_capacity_bytes; /* 0 if not known before opening */
    uint64_t expect_bytes;
    struct uring_options uring;
    bool writes; /* anything will be written (also by filling) */
    bool stamps;
    bool data_moves; /* pages have real bytes (uring, or a sim with store) */

    struct plan_vm vms[PLAN_VMS];
    uint32_t vm_count;
    struct plan_phase phases[PLAN_PHASES];
    uint32_t phase_count;
    bool start_warm;
    int64_t interval_ns; /* of the recorder: 1 s */

    uint64_t footprint_bytes; /* of all VMs on the drive */
    uint64_t create_bytes;    /* a file that is made has so many */
    uint64_t fill_bytes;      /* written by the fill phase */
    uint64_t memory_bytes;    /* ours, all in */
    bool fill_always;         /* phases.fill: yes; else a drive that holds this layout may do */
    char warnings[PLAN_WARNINGS][200];
    uint32_t warning_count;
    struct plan_choice *choices; /* every key, in the order of docs/SCENARIO.md */
    uint32_t choice_count;
    char *settings; /* plan_settings(), uncut */
};

/*
 * Read the scenario and fill in every default. Touches no drive but to learn its size (a block
 * device's or file's), so `rawtps plan` may call it on anything.
 * Errors: EXIT_USAGE with file:line:column for what the scenario says, EXIT_USAGE for options,
 * EXIT_FAILED for files that cannot be read.
 */
int plan_build(struct plan *plan, const struct plan_request *request, struct error *err);
void plan_free(struct plan *plan);

/*
 * What the command line set and no result says elsewhere: "path=value ...", sorted by path, each
 * with what it held at last. The seed, scale, sample, server, and the drive's path, model, kind,
 * form and capacity have places of their own.
 *   values   as they were typed, passwords blotted out. Lists and sections as in YAML:
 * "[4K,{a:1}]", the keys of a section sorted. None has a blank: what needs one is "in\x20quotes"
 *   size     at least 18; too long for it: cut, with the beginning of the SHA-256 of all
 */
void plan_settings(const struct plan *plan, char *ret, uint64_t size);

/* All of it in words, for `rawtps plan`: footprint, memory, duration, phases, every key. */
void plan_explain(const struct plan *plan, struct text *ret);

/* The server of a VM without its password, for people; "" if it asks none. Returns ret. */
const char *plan_server(const struct plan_vm *vm, char *ret, uint64_t size);

/* Blot out passwords of URLs in a text, in place: in argv, in what is kept of a scenario. */
void plan_hide_passwords(char *text);

/* Where the shipped files are: $RAWTPS_DATA, beside the program, or the installed place. */
int plan_data_dir(char *ret, uint64_t size, struct error *err);

/* What `rawtps list` shows, one row a file, sorted. */
struct plan_listing {
    char kind[16], name[64], about[160], path[256];
};
int plan_list(struct plan_listing **ret_rows, uint32_t *ret_count, struct error *err);

/*
 * Are the plan's requests multiples of what a drive takes? facts as guard_open() or guard_look()
 * gave them. Errors: EXIT_USAGE.
 */
int plan_suits(const struct plan *plan, const struct drive_facts *facts, struct error *err);

/* What a user of the engine may cost in memory; the engine asserts that it keeps to it. */
enum { PLAN_USER_BYTES = 416 };

#endif
