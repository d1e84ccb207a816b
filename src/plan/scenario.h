/* plan/scenario: what a scenario file may say: its sections, keys, and the records they fill. */
#ifndef RAWTPS_PLAN_SCENARIO_H
#define RAWTPS_PLAN_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/keys.h"
#include "base/text.h"
#include "plan/plan.h"
#include "yaml.h"

/* A table of keys, with the record type its rows' fields lie in. */
enum section_id {
    SECTION_TOP,  /* struct scenario_top */
    SECTION_VMS,  /* struct scenario_vm: one of the list `vms` */
    SECTION_TPCC, /* struct scenario_workload, as the next three */
    SECTION_SYSBENCH,
    SECTION_BLOCK,
    SECTION_TPCB,
    SECTION_MIX,          /* double[TPCC_KINDS] */
    SECTION_STREAMS,      /* struct scenario_stream */
    SECTION_SIZES,        /* struct block_size */
    SECTION_HOT,          /* struct scenario_stream */
    SECTION_OUTSTANDING,  /* struct scenario_workload */
    SECTION_DATABASE,     /* struct model_settings */
    SECTION_TARGET,       /* struct scenario_target */
    SECTION_DRIVE,        /* struct scenario_drive */
    SECTION_PHASES,       /* struct scenario_phases */
    SECTION_PRECONDITION, /* struct scenario_phases */
    SECTION_CONFIG,       /* struct scenario_config: a file of vm-configs/ */
    SECTION_DISKS,        /* struct plan_disk: one of its list `disks` */
    SECTION_DRIVE_MODEL,  /* struct scenario_drive: a file of scenarios/drives/ */
    SECTIONS
};
struct section {
    const char *name;  /* as in messages: "unknown key "x" in workload" */
    const char *where; /* as in the document: "`workload:` of kind tpcc" */
    const struct key *rows;
    uint32_t count;
    const char *about; /* for the document */
};
const struct section *section_of(enum section_id id);

struct scenario_top {
    char name[64], about[160], vm[128];
    uint32_t basis;
    uint64_t seed;
    uint32_t vms; /* if `vms` is a number */
};
extern const char *const scenario_bases[4];

struct scenario_vm {
    char name[32], config[128];
    uint32_t users; /* 0: the workload's */
    uint64_t seed;
};

struct scenario_stream {
    struct block_stream stream;
    uint32_t place; /* 0 random, 1 sequential */
    double random;
    uint32_t size, read_size, write_size;
};

struct scenario_workload {
    uint32_t kind; /* enum plan_workload */
    struct tpcc_settings tpcc;
    struct sysbench_settings sysbench;
    struct tpcb_settings tpcb;
    struct scenario_stream stream; /* the only one, if there is no list */
    struct block_settings block;   /* streams filled in */
    uint32_t users, threads, queue;
    struct extent range;
    int64_t cycle_ns;
    double rate_per_s;
    uint32_t arrivals; /* enum plan_arrivals */
    char work[32];
    uint64_t work_transactions, work_bytes;
};

struct scenario_drive {
    uint32_t kind; /* enum plan_drive */
    char like[128], path[256], form_factor[16];
    uint64_t capacity_bytes;
    struct extent range;
    int64_t latency_ns;
    bool stamps;
    struct drive_sim_params sim;
    struct uring_options uring;
};

struct scenario_target {
    char url[600], ignore[64];
    struct plan_sql sql;
};

enum { START_WARM, START_COLD };
enum { FILL_AUTO, FILL_YES, FILL_NO };
struct scenario_phases {
    uint32_t start, fill, until; /* until: 0 nothing, 1 steady */
    uint32_t preset;             /* 0 snia, 1 gate */
    int64_t precondition_ns, max_ns, sample_ns, interval_ns, settle_ns;
    struct extent amount;
};

struct scenario_config {
    char about[160];
    uint32_t vcpus;
    uint64_t memory_bytes, buffer_bytes;
    struct plan_disk disks[4];
    uint32_t disk_count;
};

/* A whole file as it was read; `database` and `config` sections are applied for each VM later. */
struct scenario {
    struct yaml yaml;
    struct scenario_top top;
    struct scenario_vm vms[PLAN_VMS];
    uint32_t vm_count;
    struct scenario_workload workload;
    struct scenario_target target;
    struct scenario_drive drive;
    struct scenario_phases phases;
    uint64_t given[SECTIONS]; /* which keys the file or --set has: a bit a row */
};

/*
 * Read a section into its record. Keys that are not of the section, values that are not of their
 * key and lists where a value belongs are refused, each with its place. Rows of type KEY_GROUP, and
 * lists and sections of rows marked `many`, are left to the caller. given   a bit for each row the
 * section holds; may be NULL
 */
int section_read(enum section_id id, const struct item *map, void *record, uint64_t *given,
                 struct error *err);
/* The same by a table that is not of scenarios. topic: of `rawtps help`, which lists its keys. */
int section_read_rows(const struct section *section, const char *topic, const struct item *map,
                      void *record, uint64_t *given, struct error *err);
bool section_has(enum section_id id, uint64_t given, const char *key);

/* Everything but the drive's model and the VMs' configs, from a tree. Errors: EXIT_USAGE. */
int scenario_read(struct scenario *scenario, struct error *err);
/* `workload:` of kind block: streams, sizes, hot ranges. For scenario_read(). */
int scenario_read_block(const struct item *map, struct scenario_workload *workload, uint64_t given,
                        struct error *err);
/* `target:`, for scenario_read(). */
int scenario_read_target(struct scenario *scenario, struct error *err);
/* `drive:` into a record that may hold a model's parameters already. */
int scenario_read_drive(struct scenario *scenario, struct scenario_drive *ret, struct error *err);
/* A file of scenarios/drives/. */
int drive_model_read(const struct yaml *yaml, struct scenario_drive *ret, struct error *err);
/* A file of vm-configs/, but for its `database` section. */
int vm_config_read(const struct yaml *yaml, struct scenario_config *ret, struct error *err);
/* A `database` section over settings that hold defaults; NULL: none. */
int database_read(const struct item *map, struct model_settings *settings, uint64_t *given,
                  struct error *err);

#endif
