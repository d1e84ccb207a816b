#include "draft.h"

#include "base/checksum.h"
#include "base/mem.h"
#include "base/rng.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- VM configs ---- */

static int keep_config(struct draft *draft, const struct draft_config *config, const char *name,
                       struct error *err)
{
    struct plan *plan = draft->plan;
    uint32_t i = plan->config_count;

    plan->configs[i].text = mem_strndup(config->yaml.bytes, config->yaml.length);
    if (!plan->configs[i].text) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a VM config");
    }
    snprintf(plan->configs[i].name, sizeof(plan->configs[i].name), "%.47s", name);
    sha256_hex(config->yaml.bytes, config->yaml.length, plan->configs[i].sha256);
    plan->config_count++;
    return 0;
}

/* The config of that name, read at its first use. */
static int find_config(struct draft *draft, const struct item *item, const char *name,
                       uint32_t *ret, struct error *err)
{
    uint32_t count = draft->plan->config_count;
    struct draft_config *config = &draft->configs[count];
    char file[256];

    if (draft_find(draft, "vm-configs", name, file, sizeof(file), err)) {
        return item ? item_place(item, err) : err->code;
    }
    for (*ret = 0; *ret < count; ++*ret) {
        if (strcmp(draft->configs[*ret].file, file) == 0) {
            return 0;
        }
    }
    if (count == DRAFT_CONFIGS) {
        return item_error(item, err, "more than %d different VM configs", DRAFT_CONFIGS);
    }
    memcpy(config->file, file, sizeof(file));
    if (yaml_read(&config->yaml, config->file, err)) {
        return err->code;
    }
    return keep_config(draft, config, name, err)
               ? err->code
               : vm_config_read(&config->yaml, &config->config, err);
}

/* ---- settings at full scale ---- */

/* A word of ours, or else of the VM config's; NULL: of neither. Sets it in `ret`. */
static int find_word(const char *name, const struct item *scenario, const struct item *config,
                     struct model_settings *ret, const struct item **ret_item, struct error *err)
{
    const struct section *section = section_of(SECTION_DATABASE);
    const struct key *row = key_find(section->rows, section->count, name);
    const struct item *item = item_get(scenario, name);

    item = item ? item : item_get(config, name);
    *ret_item = item && item->kind == ITEM_SCALAR ? item : NULL;
    if (*ret_item && key_set(row, ret, item->text, err)) {
        return item_place(item, err);
    }
    return 0;
}

/* The profile must be known before the rest: its defaults come first. */
static int find_profile(const struct item *scenario, const struct item *config,
                        enum model_profile_kind *ret, struct error *err)
{
    struct model_settings settings = {.profile = MODEL_INNODB};
    const struct item *item;
    int code = find_word("profile", scenario, config, &settings, &item, err);

    *ret = settings.profile;
    return code;
}

/* So must the version, whose defaults come next. */
static int default_like(const struct item *scenario, const struct item *config,
                        struct model_settings *model, struct error *err)
{
    struct model_settings settings = {.like = LIKE_MARIADB_10_11};
    const struct item *item;

    if (find_word("like", scenario, config, &settings, &item, err)) {
        return err->code;
    }
    if (item && model->profile == MODEL_INNODB) { /* else check_keys() has its word */
        model_defaults_like(model, settings.like);
    }
    return 0;
}

/* Was the profile chosen on the command line, whatever the file has? */
static bool profile_by_hand(const struct draft *draft)
{
    const struct item *root = draft->scenario.yaml.root;
    const struct item *item = item_get(item_get(root, "database"), "profile");

    if (item) {
        return item->given;
    }
    item = item_get(root, "vms");
    item = item && item->kind == ITEM_LIST ? item : item_get(root, "vm");
    return item && item->given;
}

/* The profiles that have a key: "innodb and sqlserver". */
static const char *profiles_of(const struct key *row, char *buf, size_t size)
{
    const char *blank = strchr(row->only, ' ');

    snprintf(buf, size, "%.*s%s%s", (int)strcspn(row->only, " "), row->only, blank ? " and " : "",
             blank ? blank + 1 : "");
    return buf;
}

/*
 * A key that no VM's profile has would change nothing: it is refused.
 *   map       a `database` section
 *   profiles  of the VMs that it is for, a bit each
 *   by_hand   another one than the file was written for: its keys are left out
 */
static int check_keys(struct draft *draft, const struct item *map, uint32_t profiles, bool by_hand,
                      struct error *err)
{
    const struct section *section = section_of(SECTION_DATABASE);
    const char *is = model_profile_names[__builtin_ctz(profiles)];

    for (const struct item *item = map ? map->child : NULL; item; item = item->next) {
        const struct key *row = key_find(section->rows, section->count, item->key);
        char have[64];
        bool ours = false;

        for (uint32_t p = 0; p < MODEL_PROFILES; p++) {
            ours = ours || ((profiles >> p & 1) && key_is_for(row, model_profile_names[p]));
        }
        if (!ours && !item->given && by_hand) {
            plan_warn(draft->plan,
                      "database.%s is left out: it is a key of %s, and the profile is %s",
                      row->name, profiles_of(row, have, sizeof(have)), is);
        } else if (!ours) {
            item_key_error(item, err, "%s: a key of profile %s, and this database's is %s",
                           row->name, profiles_of(row, have, sizeof(have)), is);
            return error_hint(err,
                              "leave it out, or choose its profile: --set database.profile=%.*s",
                              (int)strcspn(row->only, " "), row->only);
        }
    }
    return 0;
}

/* What another profile's keys say is no matter here. Returns the keys that are ours. */
static uint64_t forget_foreign(struct model_settings *model, const struct model_settings *before,
                               uint64_t given)
{
    const struct section *section = section_of(SECTION_DATABASE);

    for (uint32_t i = 0; i < section->count; i++) {
        const struct key *row = &section->rows[i];

        if (!key_is_for(row, model_profile_names[before->profile])) {
            memcpy((char *)model + row->offset, (const char *)before + row->offset, row->bytes);
            given &= ~(1ull << i);
        }
    }
    return given;
}

/* Else a transaction whose pages are all in memory takes no time, and virtual time stands still. */
static int check_cpu(const struct item *mine, const struct item *theirs,
                     const struct model_settings *model, struct error *err)
{
    static const char *const keys[] = {"cpu_statement", "cpu_transaction"};
    const struct item *item = NULL;

    if (model->cpu_statement_ns > 0 || model->cpu_txn_ns > 0) {
        return 0;
    }
    for (int i = 0; i < 2 && !item; i++) {
        item = item_get(mine, keys[i]);
        item = item ? item : item_get(theirs, keys[i]);
    }
    return item_error(item, err,
                      "cpu_statement and cpu_transaction are both 0: a transaction must cost CPU");
}

static int model_of(struct draft *draft, struct draft_vm *vm, struct error *err)
{
    const struct draft_config *config = &draft->configs[vm->config];
    const struct item *mine = item_get(draft->scenario.yaml.root, "database");
    const struct item *theirs = item_get(config->yaml.root, "database");
    const struct scenario_workload *workload = &draft->scenario.workload;
    struct model_settings *model = &vm->model, before;
    enum model_profile_kind profile = MODEL_INNODB, config_profile = MODEL_INNODB;

    if (find_profile(mine, theirs, &profile, err) ||
        find_profile(NULL, theirs, &config_profile, err)) {
        return err->code;
    }
    *model = (struct model_settings){0};
    model_defaults(model, profile, workload->kind == PLAN_TPCC);
    if (default_like(mine, profile == config_profile ? theirs : NULL, model, err)) {
        return err->code;
    }
    model->growth_bytes = 0;
    model->buffer_bytes = config->config.buffer_bytes;
    model->cores = config->config.vcpus;
    before = *model;
    if (theirs && (profile == config_profile || !item_get(theirs, "profile"))) {
        if (database_read(theirs, model, &vm->given, err) ||
            check_keys(draft, theirs, 1u << profile,
                       !item_get(theirs, "profile") && profile_by_hand(draft), err)) {
            return err->code;
        }
    } else if (theirs) {
        plan_warn(draft->plan, "VM config %s is for %s: its database settings are left out",
                  draft->plan->configs[vm->config].name, model_profile_names[config_profile]);
    }
    if (database_read(mine, model, &vm->from_scenario, err)) {
        return err->code;
    }
    vm->from_scenario = forget_foreign(model, &before, vm->from_scenario);
    vm->given = forget_foreign(model, &before, vm->given | vm->from_scenario);
    model->profile = profile;
    model->is_tpcc = workload->kind == PLAN_TPCC;
    model->tpcc = workload->tpcc;
    model->sysbench = workload->sysbench;
    return check_cpu(mine, theirs, model, err);
}

static const struct item *vm_item(const struct draft *draft, uint32_t i)
{
    const struct item *item = item_get(draft->scenario.yaml.root, "vms");

    if (!item || item->kind != ITEM_LIST) {
        return NULL;
    }
    for (item = item->child; i > 0; i--) {
        item = item->next;
    }
    return item;
}

int draft_vms(struct draft *draft, struct error *err)
{
    const struct item *root = draft->scenario.yaml.root;
    uint32_t profiles = 0;

    for (uint32_t i = 0; i < draft->scenario.vm_count; i++) {
        const struct scenario_vm *row = &draft->scenario.vms[i];
        const struct item *item = item_get(vm_item(draft, i), "config");
        struct draft_vm *vm = &draft->vms[i];

        vm->users = row->users > 0 ? row->users : draft->scenario.workload.users;
        vm->config = DRAFT_CONFIGS;
        vm->block = draft->scenario.workload.block;
        item = item ? item : item_get(root, "vm");
        if (draft->scenario.workload.kind == PLAN_BLOCK) {
            continue;
        }
        if (find_config(draft, item, row->config, &vm->config, err) || model_of(draft, vm, err)) {
            return err->code;
        }
        profiles |= 1u << vm->model.profile;
    }
    return profiles ? check_keys(draft, item_get(root, "database"), profiles,
                                 profile_by_hand(draft), err)
                    : 0;
}

/* ---- at a scale ---- */

static uint64_t scaled(uint64_t value, double factor, uint64_t least)
{
    double ret = (double)value * factor + 0.5;

    return ret < (double)least ? least : (uint64_t)ret;
}

/* The workload's size at a scale; returns the factor that it really comes to. */
static double scale_workload(struct model_settings *model, const struct fraction *scale)
{
    if (model->is_tpcc) {
        uint64_t all = model->tpcc.warehouses,
                 few = (all * scale->num + scale->den - 1) / scale->den;

        model->tpcc.warehouses = (uint32_t)(few > 0 ? few : 1);
        return (double)model->tpcc.warehouses / (double)all;
    }
    if (scale->num != scale->den) {
        uint64_t least = model->sysbench.range_size > 1000 ? model->sysbench.range_size : 1000;
        uint64_t all = model->sysbench.rows;

        least = least < all ? least : all;
        model->sysbench.rows = scaled(all, scale->value, least);
        return (double)model->sysbench.rows / (double)all;
    }
    return 1;
}

/* 0 stays 0: the profile has none. */
static uint32_t scaled_rate(uint32_t value, double factor, uint32_t least)
{
    return value > 0 ? (uint32_t)scaled(value, factor, least) : 0;
}

static void scale_model(struct model_settings *model, double factor)
{
    if (factor == 1) {
        return;
    }
    /* pools and logs below these sizes are another regime than the one that is scaled */
    model->buffer_bytes = scaled(model->buffer_bytes, factor, 512ull * model->page_bytes);
    model->log_capacity_bytes = scaled(model->log_capacity_bytes, factor, 8 << 20);
    model->log_capacity_bytes -= model->log_capacity_bytes % 65536;
    model->io_capacity = scaled_rate(model->io_capacity, factor, 20);
    model->io_capacity_max = scaled_rate(model->io_capacity_max, factor, 40);
    model->lru_scan_depth = scaled_rate(model->lru_scan_depth, factor, 16);
    model->growth_bytes =
        model->growth_bytes > 0 ? scaled(model->growth_bytes, factor, 1 << 20) : 0;
}

static double cpu_of(const struct model_settings *model)
{
    double statements = model->is_tpcc ? 28 : 20;

    return model->cpu_txn_ns > 0 ? (double)model->cpu_txn_ns
                                 : (double)model->cpu_statement_ns * statements;
}

double draft_vm_tps(const struct plan_vm *vm)
{
    double cpu_ns = cpu_of(&vm->model), limit = 1e5;

    if (vm->arrivals != PLAN_CLOSED) {
        return vm->rate_per_s;
    }
    if (vm->target == PLAN_MODEL && cpu_ns > 0) {
        limit = (double)vm->vcpus * 1e9 / cpu_ns;
        limit = limit < (double)vm->users * 1e9 / cpu_ns ? limit : (double)vm->users * 1e9 / cpu_ns;
    }
    if (vm->mean_think_ns > 0 && (double)vm->users * 1e9 / vm->mean_think_ns < limit) {
        limit = (double)vm->users * 1e9 / vm->mean_think_ns;
    }
    return limit;
}

/* Space for rows that a run inserts: bytes a transaction (MODEL.md 3.5), and a reserve. */
static uint64_t growth_of(const struct draft *draft, const struct plan_vm *vm)
{
    static const double tpcc_bytes[MODEL_PROFILES] = {
        [MODEL_INNODB] = 450, [MODEL_POSTGRES] = 900, [MODEL_SQLSERVER] = 900};
    static const double reserve[MODEL_PROFILES] = {
        [MODEL_INNODB] = 0.02, [MODEL_POSTGRES] = 0.06, [MODEL_SQLSERVER] = 0.02};
    const struct model_settings *model = &vm->model;
    /* sbtest grows by page splits alone: 0.05 pages a transaction */
    double each = model->is_tpcc ? tpcc_bytes[model->profile] : 0.05 * model->page_bytes;
    double seconds = (double)draft_asked_ns(draft) * 1e-9;
    double bytes = each * draft_vm_tps(vm) * seconds +
                   reserve[model->profile] * (double)vm->footprint.database_bytes;

    return scaled((uint64_t)bytes, 1, 16 << 20);
}

static struct plan_disk *data_disk(struct plan_vm *vm)
{
    for (uint32_t i = 0; i < vm->disk_count; i++) {
        if (strcmp(vm->disks[i].role, "data") == 0) {
            return &vm->disks[i];
        }
    }
    return NULL;
}

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + PLAN_HEAD_BYTES - 1) / PLAN_HEAD_BYTES * PLAN_HEAD_BYTES;
}

/* The data disk comes first, so that the database begins where the VM's slice does. */
static void take_disks(const struct scenario_config *config, double factor, struct plan_vm *ret)
{
    ret->disk_count = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < config->disk_count; i++) {
            if ((strcmp(config->disks[i].role, "data") == 0) == (pass == 0)) {
                struct plan_disk *disk = &ret->disks[ret->disk_count++];

                *disk = config->disks[i];
                disk->bytes = round_up(scaled(disk->bytes, factor, PLAN_HEAD_BYTES));
            }
        }
    }
    if (!data_disk(ret)) {
        memmove(&ret->disks[1], &ret->disks[0], sizeof(ret->disks[0]) * (ret->disk_count % 4));
        ret->disks[0] = (struct plan_disk){.role = "data"};
        ret->disk_count = ret->disk_count < 4 ? ret->disk_count + 1 : 4;
    }
}

static int footprint(struct plan_vm *vm, struct error *err)
{
    if (model_footprint(&vm->model, &vm->footprint, err)) {
        return error_wrap(err, "%s", vm->name);
    }
    return 0;
}

/* Growth where the scenario leaves it to us: what is expected, or what the disk has left. */
static int choose_growth(const struct draft *draft, struct plan_vm *vm, uint64_t disk_bytes,
                         struct error *err)
{
    uint64_t wanted, rest;

    vm->model.growth_bytes = 16 << 20;
    if (footprint(vm, err)) {
        return err->code;
    }
    wanted = growth_of(draft, vm);
    vm->model.growth_bytes = wanted;
    if (footprint(vm, err)) {
        return err->code;
    }
    if (disk_bytes == 0 || vm->footprint.total_bytes <= disk_bytes) {
        return 0;
    }
    rest = vm->footprint.total_bytes - disk_bytes;
    /* page-sized rounding of each table may take some of it back */
    rest += rest / 50 + (16 << 20);
    if (rest + wanted / 4 < wanted) {
        vm->model.growth_bytes = wanted - rest;
        return footprint(vm, err);
    }
    return 0;
}

static int vm_on_disks(const struct draft *draft, const struct scenario_config *config,
                       double factor, struct plan_vm *ret, struct error *err)
{
    char need[UNITS_TEXT], have[UNITS_TEXT];
    struct plan_disk *disk;

    take_disks(config, factor, ret);
    disk = data_disk(ret);
    if (ret->model.growth_bytes == 0 ? choose_growth(draft, ret, disk->bytes, err)
                                     : footprint(ret, err)) {
        return err->code;
    }
    if (disk->bytes == 0 || (factor < 1 && disk->bytes < ret->footprint.total_bytes)) {
        disk->bytes = round_up(ret->footprint.total_bytes);
    }
    if (disk->bytes < ret->footprint.total_bytes) {
        error_set(err, EXIT_USAGE, -ENOSPC,
                  "%s: the data disk of VM config %s has %s, database, log and growth need %s",
                  ret->name, ret->config,
                  units_format_size_decimal(disk->bytes, have, sizeof(have)),
                  units_format_size_decimal(ret->footprint.total_bytes, need, sizeof(need)));
        return error_hint(err, "a larger disk in the VM config, or --scale 1/2, or less "
                               "database.growth");
    }
    for (uint32_t i = 0; i < ret->disk_count; i++) {
        ret->bytes += ret->disks[i].bytes;
    }
    return 0;
}

static uint32_t workers_of(const struct plan_vm *vm)
{
    return vm->workload == PLAN_TPCC && vm->model.tpcc.deferred ? 8 + vm->users / 200 : 0;
}

static int model_at(const struct draft *draft, uint32_t i, const struct fraction *scale,
                    struct plan_vm *ret, struct error *err)
{
    const struct draft_vm *vm = &draft->vms[i];
    const struct scenario_config *config = &draft->configs[vm->config].config;
    double factor;

    if (draft->scenario.workload.kind == PLAN_TPCB) {
        ret->users = vm->users;
        ret->tpcb = draft->scenario.workload.tpcb;
        ret->tpcb.clients = ret->users;
        ret->tpcb.seed = ret->seed;
        return draft_server_at(draft, i, ret, err);
    }
    ret->target = PLAN_MODEL;
    ret->model = vm->model;
    ret->model.seed = ret->model.tpcc.seed = ret->model.sysbench.seed = ret->seed;
    factor = scale_workload(&ret->model, scale);
    scale_model(&ret->model, factor);
    ret->users = (uint32_t)scaled(vm->users, factor, 1);
    ret->rate_per_s *= factor;
    ret->workers = workers_of(ret);
    ret->model.tpcc.users = ret->model.sysbench.threads = ret->users;
    ret->model.sessions = ret->users + ret->workers;
    ret->vcpus = config->vcpus;
    ret->memory_bytes =
        factor == 1 ? config->memory_bytes : scaled(config->memory_bytes, factor, 1);
    if (ret->workload == PLAN_TPCC && ret->arrivals == PLAN_CLOSED) {
        ret->mean_think_ns = ret->model.tpcc.wait_factor * tpcc_mean_cycle_ns(&ret->model.tpcc);
    }
    if (draft->servers) {
        return draft_server_at(draft, i, ret, err);
    }
    snprintf(ret->config, sizeof(ret->config), "%s", draft->plan->configs[vm->config].name);
    return vm_on_disks(draft, config, factor, ret, err);
}

int draft_vm_at(const struct draft *draft, uint32_t i, const struct fraction *scale,
                struct plan_vm *ret, struct error *err)
{
    const struct scenario_workload *workload = &draft->scenario.workload;
    const struct scenario_vm *row = &draft->scenario.vms[i];

    *ret = (struct plan_vm){0};
    memcpy(ret->name, row->name, sizeof(ret->name));
    ret->workload = workload->kind;
    ret->arrivals = workload->arrivals;
    ret->rate_per_s = workload->rate_per_s;
    ret->work_transactions = workload->work_transactions;
    ret->seed = row->seed > 0 ? row->seed : rng_hash(draft->plan->seed * 64 + i);
    if (workload->kind != PLAN_BLOCK) {
        return model_at(draft, i, scale, ret, err);
    }
    ret->target = PLAN_BARE;
    ret->users = draft->vms[i].users;
    ret->block = draft->vms[i].block;
    ret->block.users = ret->users;
    ret->block.seed = ret->seed;
    return 0;
}
