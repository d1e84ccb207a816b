#include "draft.h"

#include "base/checksum.h"
#include "base/mem.h"
#include "io/guard.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

/* ---- simulated ---- */

/* What a drive cannot be without. */
static int check_sim(const struct draft *draft, const struct drive_sim_params *sim,
                     struct error *err)
{
    static const char *const needed[] = {"dies",  "read",    "link_read", "link_write",
                                         "cache", "program", "stripe"};
    const uint64_t values[] = {sim->dies,
                               (uint64_t)sim->read_ns,
                               sim->link_read_bytes_per_s,
                               sim->link_write_bytes_per_s,
                               sim->cache_bytes,
                               sim->program_bytes_per_s,
                               sim->stripe_bytes};

    for (uint32_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (values[i] == 0) {
            return error_at(err, draft->drive_file, 0, 0, "\"%s\" is missing", needed[i]);
        }
    }
    return 0;
}

/* Keys that do not go together, at the first of them that the scenario gives. */
static int check_together(const struct draft *draft, const struct drive_sim_params *sim,
                          struct error *err)
{
    const struct item *map = item_get(draft->scenario.yaml.root, "drive");
    const char *wrong = drive_sim_wrong(sim), *at;

    for (const struct item *item = wrong && map ? map->child : NULL; item; item = item->next) {
        size_t length = strlen(item->key);

        for (at = strstr(wrong, item->key); at; at = strstr(at + 1, item->key)) {
            if ((at == wrong || at[-1] == ' ') && strchr(" ,;", at[length])) {
                return item_error(item, err, "%s", wrong);
            }
        }
    }
    return wrong ? error_at(err, draft->drive_file, 0, 0, "%s", wrong) : 0;
}

static int read_model(struct draft *draft, struct scenario_drive *ret, struct error *err)
{
    const struct item *map = item_get(draft->scenario.yaml.root, "drive");
    const struct item *like = item_get(map, "like");
    const char *name = ret->like[0] != '\0' ? ret->like : "h3201-e1s";

    if (draft_find(draft, "scenarios/drives", name, draft->drive_file, sizeof(draft->drive_file),
                   err)) {
        return like ? item_place(like, err) : err->code;
    }
    if (yaml_read(&draft->drive_yaml, draft->drive_file, err)) {
        return err->code;
    }
    draft->drive_model = true;
    sha256_hex(draft->drive_yaml.bytes, draft->drive_yaml.length, draft->plan->drive_sha256);
    snprintf(ret->like, sizeof(ret->like), "%s", name);
    return drive_model_read(&draft->drive_yaml, ret, err);
}

static int sim_drive(struct draft *draft, struct error *err)
{
    struct scenario_drive *drive = &draft->scenario.drive;
    struct scenario_drive keep = *drive;
    struct plan *plan = draft->plan;

    drive->capacity_bytes = 0;
    if (read_model(draft, drive, err) || scenario_read_drive(&draft->scenario, drive, err) ||
        check_sim(draft, &drive->sim, err)) {
        return err->code;
    }
    drive->kind = keep.kind;
    if (drive->capacity_bytes > 0) {
        drive->sim.capacity_bytes = drive->capacity_bytes;
    }
    if (drive->form_factor[0] != '\0') {
        memcpy(drive->sim.form_factor, drive->form_factor, sizeof(drive->sim.form_factor));
    }
    if (drive->sim.name[0] == '\0') {
        snprintf(drive->sim.name, sizeof(drive->sim.name), "%.63s", drive->like);
    }
    plan->sim = drive->sim;
    plan->drive_capacity_bytes = drive->sim.capacity_bytes / PLAN_HEAD_BYTES * PLAN_HEAD_BYTES;
    plan->sim.capacity_bytes = plan->drive_capacity_bytes;
    if (check_together(draft, &plan->sim, err)) {
        return err->code;
    }
    drive->capacity_bytes = drive->sim.capacity_bytes; /* as somebody gave it: shown, not used */
    snprintf(plan->drive_like, sizeof(plan->drive_like), "%.63s", drive->like);
    snprintf(plan->form_factor, sizeof(plan->form_factor), "%s", plan->sim.form_factor);
    return 0;
}

/* ---- real ---- */

static int block_device_bytes(const char *path, const struct stat *status, uint64_t *ret,
                              struct error *err)
{
    unsigned long long sectors;
    char sysfs[96];
    FILE *file;
    int n;

    snprintf(sysfs, sizeof(sysfs), "/sys/dev/block/%u:%u/size", major(status->st_rdev),
             minor(status->st_rdev));
    file = fopen(sysfs, "re");
    n = file ? fscanf(file, "%llu", &sectors) : 0;
    if (file) {
        fclose(file);
    }
    if (n != 1) {
        return error_set(err, EXIT_FAILED, -ENODEV, "%s: its size cannot be read from %s", path,
                         sysfs);
    }
    *ret = sectors * 512;
    return 0;
}

/* A file that is made: beside it must be a folder, and under /dev nothing is made. */
static int absent_file(struct draft *draft, const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/');
    struct statvfs fs;
    char folder[1024];

    if (strncmp(path, "/dev/", 5) == 0) {
        error_set(err, EXIT_FAILED, -ENOENT, "%s: there is no such device", path);
        return error_hint(err, "lsblk shows what there is; nothing is made in /dev");
    }
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    if (statvfs(folder, &fs) != 0) {
        return error_set(err, EXIT_USAGE, -errno, "%s: the folder %s: %s", path, folder,
                         strerror(errno));
    }
    draft->file_absent = true;
    draft->free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
    draft->plan->drive_capacity_bytes = draft->scenario.drive.capacity_bytes;
    return 0;
}

/* A file that rawtps made may grow: by what is free beside the blocks that it has. */
bool draft_grow_file(struct draft *draft, uint64_t wanted_bytes)
{
    struct plan *plan = draft->plan;
    struct statvfs fs;
    struct stat status;

    bool ranged = draft->scenario.drive.range.share < 1 || draft->scenario.drive.range.bytes > 0;

    if (!draft->file_ours || draft->file_absent || (wanted_bytes == 0 && ranged) ||
        statvfs(plan->drive_path, &fs) != 0 || stat(plan->drive_path, &status) != 0) {
        return false;
    }
    draft->file_absent = true;
    draft->free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize + (uint64_t)status.st_blocks * 512;
    draft->room_bytes = wanted_bytes > 0 ? wanted_bytes : UINT64_MAX;
    plan->drive_capacity_bytes = wanted_bytes;
    return true;
}

static int real_drive(struct draft *draft, struct error *err)
{
    const struct scenario_drive *drive = &draft->scenario.drive;
    struct plan *plan = draft->plan;
    const char *path = drive->path;
    struct stat status;

    if (path[0] == '\0') {
        error_set(err, EXIT_USAGE, -EINVAL, "which drive? the scenario names none");
        return error_hint(err, "--drive PATH names a device or file; --virtual simulates one");
    }
    snprintf(plan->drive_path, sizeof(plan->drive_path), "%s", path);
    snprintf(plan->drive_like, sizeof(plan->drive_like), "%.63s", drive->like);
    memcpy(plan->form_factor, drive->form_factor, sizeof(plan->form_factor));
    plan->data_moves = true;
    if (stat(path, &status) != 0) {
        return errno == ENOENT ? absent_file(draft, path, err)
                               : error_set(err, errno == EACCES ? EXIT_FAILED : EXIT_USAGE, -errno,
                                           "%s: %s", path, strerror(errno));
    }
    if (S_ISBLK(status.st_mode)) {
        if (block_device_bytes(path, &status, &plan->drive_capacity_bytes, err)) {
            return err->code;
        }
    } else if (S_ISREG(status.st_mode)) {
        plan->drive_capacity_bytes = (uint64_t)status.st_size;
        draft->file_ours = guard_made_file(path);
        draft->file_bytes = plan->drive_capacity_bytes;
        if (drive->capacity_bytes > plan->drive_capacity_bytes) {
            draft_grow_file(draft, drive->capacity_bytes);
        }
    } else {
        return error_set(err, EXIT_USAGE, -ENOTBLK, "%s: neither a block device nor a file", path);
    }
    plan->drive_capacity_bytes -= plan->drive_capacity_bytes % 4096;
    if (plan->drive_capacity_bytes < 2 * PLAN_HEAD_BYTES) {
        error_set(err, EXIT_USAGE, -ENOSPC, "%s: too small: it has only %" PRIu64 " bytes", path,
                  S_ISREG(status.st_mode) ? draft->file_bytes : plan->drive_capacity_bytes);
        return error_hint(err, draft->file_ours || status.st_size == 0
                                   ? "a file that is removed is made as large as is needed"
                                   : "a file that is not there is made as large as is needed");
    }
    return 0;
}

/* ---- which, and how much of it ---- */

static void choose_kind(struct draft *draft)
{
    struct scenario_drive *drive = &draft->scenario.drive;
    struct plan *plan = draft->plan;

    if (drive->kind == PLAN_DRIVE_URING && draft->request->virtual_time) {
        drive->kind = PLAN_DRIVE_SIM;
        plan_warn(plan, "--virtual: the drive is simulated like %s",
                  drive->like[0] != '\0' ? drive->like : "h3201-e1s");
    }
    if (draft->servers) {
        drive->kind = PLAN_DRIVE_NONE;
    }
    plan->drive = drive->kind;
    plan->virtual_time = drive->kind == PLAN_DRIVE_SIM || drive->kind == PLAN_DRIVE_NULL;
}

static int find_room(struct draft *draft, struct error *err)
{
    const struct extent *range = &draft->scenario.drive.range;
    const struct item *item = item_get(item_get(draft->scenario.yaml.root, "drive"), "range");
    uint64_t capacity = draft->plan->drive_capacity_bytes;
    char size[UNITS_TEXT];

    draft->room_bytes = capacity > 0 ? capacity : UINT64_MAX;
    if (!item) {
        return 0;
    }
    if (range->share > 1) {
        return item_error(item, err, "range: must be at most 100%%, not %s", item->text);
    }
    if (range->bytes > 0 && capacity > 0 && range->bytes > capacity) {
        return item_error(item, err, "range: the drive has only %s",
                          units_format_size_decimal(capacity, size, sizeof(size)));
    }
    if (range->bytes > 0) {
        draft->room_bytes = range->bytes;
    } else if (capacity > 0) {
        draft->room_bytes = (uint64_t)((double)capacity * range->share);
    }
    return 0;
}

int draft_drive(struct draft *draft, struct error *err)
{
    const struct scenario_drive *drive = &draft->scenario.drive;
    struct plan *plan = draft->plan;
    int code = 0;

    choose_kind(draft);
    if (plan->drive == PLAN_DRIVE_SIM) {
        code = sim_drive(draft, err);
    } else if (plan->drive == PLAN_DRIVE_URING) {
        code = real_drive(draft, err);
    } else if (plan->drive == PLAN_DRIVE_NULL) {
        plan->null_latency_ns = drive->latency_ns;
        plan->drive_capacity_bytes = drive->capacity_bytes;
    }
    if (code) {
        return code;
    }
    plan->uring = drive->uring;
    plan->stamps = drive->stamps && plan->data_moves && draft->scenario.workload.kind != PLAN_BLOCK;
    if (plan->drive == PLAN_DRIVE_NONE) {
        draft->room_bytes = UINT64_MAX;
        return 0;
    }
    return find_room(draft, err);
}
