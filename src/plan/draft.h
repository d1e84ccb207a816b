/* plan/draft: a plan while it is being made: the scenario, configs, and VMs at full scale. */
#ifndef RAWTPS_PLAN_DRAFT_H
#define RAWTPS_PLAN_DRAFT_H

#include "base/units.h"
#include "plan/plan.h"
#include "scenario.h"

enum { DRAFT_CONFIGS = 8 };

/* The first bytes of every drive are rawtps' own: its superblock. Slices are multiples of it. */
#define PLAN_HEAD_BYTES 1048576ull

struct draft_config {
    char file[256];
    struct yaml yaml;
    struct scenario_config config;
};

/* A VM at full scale. */
struct draft_vm {
    uint32_t config; /* index; DRAFT_CONFIGS: none (block) */
    uint32_t users;
    struct model_settings model;
    uint64_t given; /* keys of `database` that scenario or config give */
    uint64_t from_scenario;
    struct block_settings block;
    struct sql_url url;
    bool has_url;
};

struct draft {
    struct plan *plan;
    const struct plan_request *request;
    char data_dir[256], dir[256]; /* dir: of the scenario file */
    struct scenario scenario;
    struct draft_config configs[DRAFT_CONFIGS];
    struct draft_vm vms[PLAN_VMS];
    struct yaml drive_yaml;
    bool servers;        /* every VM asks a real server: there is no drive */
    bool drive_model;    /* drive_yaml is open */
    uint64_t model_keys; /* keys of the drive that its model gives */
    char drive_file[256];
    uint64_t room_bytes; /* what the drive gives to the VMs; UINT64_MAX: no bound */
    bool file_absent;    /* uring: the file is made, or grown */
    bool file_ours;      /* uring: rawtps made it, so it may be grown */
    uint64_t file_bytes; /* if it is ours */
    uint64_t free_bytes; /* of the file system then */
};

void plan_warn(struct plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A file named from a scenario: a word is looked up in `folder` of the data directory, a path
 * beside the scenario and then in the working directory. Errors: EXIT_USAGE with the nearest name.
 */
int draft_find(const struct draft *draft, const char *folder, const char *name, char *ret,
               uint64_t size, struct error *err);
/* The names in a folder of the data directory, without .yaml, sorted; freed by mem_free. */
char **draft_names(const char *data_dir, const char *folder, uint32_t *ret_count);

/* plan_target.c: which server each VM asks, if any. */
int draft_targets(struct draft *draft, struct error *err);
int draft_server_at(const struct draft *draft, uint32_t i, struct plan_vm *vm, struct error *err);
int draft_drive(struct draft *draft, struct error *err); /* plan_drive.c */
/* Let a file that is too small be grown, if rawtps made it. wanted_bytes: 0: as is needed. */
bool draft_grow_file(struct draft *draft, uint64_t wanted_bytes);
int draft_vms(struct draft *draft, struct error *err); /* plan_vm.c: at full scale */
/* One VM of the plan at a scale, footprint and slice size included, but for its place. */
int draft_vm_at(const struct draft *draft, uint32_t i, const struct fraction *scale,
                struct plan_vm *ret, struct error *err);
double draft_vm_tps(const struct plan_vm *vm);             /* a rough guess, from above */
int draft_place(struct draft *draft, struct error *err);   /* plan_place.c: scale, slices, memory */
void draft_phases(struct draft *draft, int64_t sample_ns); /* plan_phases.c */
int64_t draft_asked_ns(const struct draft *draft);         /* precondition and sample as written */
int draft_choices(struct draft *draft, struct error *err); /* plan_choices.c */
int draft_settings(struct draft *draft, struct error *err); /* plan_settings.c */

#endif
