#include "scenario.h"

#include "base/units.h"
#include <stdio.h>
#include <string.h>

static const enum section_id workload_sections[] = {[PLAN_TPCC] = SECTION_TPCC,
                                                    [PLAN_SYSBENCH] = SECTION_SYSBENCH,
                                                    [PLAN_BLOCK] = SECTION_BLOCK,
                                                    [PLAN_TPCB] = SECTION_TPCB};

/* ---- workload ---- */

static void workload_defaults(struct scenario_workload *workload)
{
    static const double weights[TPCC_KINDS] = {0.45, 0.43, 0.04, 0.04, 0.04};

    *workload = (struct scenario_workload){0};
    workload->tpcc.wait_factor = 1;
    workload->tpcc.deferred = true;
    memcpy(workload->tpcc.weights, weights, sizeof(weights));
    sysbench_defaults(&workload->sysbench);
    workload->sysbench.rand_type = DIST_SPECIAL;
    workload->range.share = 1;
    workload->stream.size = 4096;
    workload->stream.stream.to = 1;
}

static int read_mix(const struct item *map, struct tpcc_settings *tpcc, struct error *err)
{
    double weights[TPCC_KINDS] = {0}, sum = 0;

    if (section_read(SECTION_MIX, map, weights, NULL, err)) {
        return err->code;
    }
    for (int i = 0; i < TPCC_KINDS; i++) {
        sum += weights[i];
    }
    if (!(sum > 0)) {
        return item_error(map, err, "mix: all weights are 0");
    }
    for (int i = 0; i < TPCC_KINDS; i++) {
        tpcc->weights[i] = weights[i] / sum;
    }
    tpcc->deck = false;
    return 0;
}

static int read_tpcc(const struct item *map, struct scenario_workload *workload, uint64_t given,
                     struct error *err)
{
    const struct item *mix = item_get(map, "mix"), *cycle = item_get(map, "cycle");

    if (mix && mix->kind != ITEM_SCALAR && read_mix(mix, &workload->tpcc, err)) {
        return err->code;
    }
    if (cycle) {
        if (section_has(SECTION_TPCC, given, "wait_factor")) {
            return item_key_error(cycle, err, "cycle and wait_factor say the same: give one");
        }
        workload->tpcc.wait_factor = tpcc_wait_factor(&workload->tpcc, workload->cycle_ns);
    } else {
        workload->cycle_ns =
            (int64_t)(workload->tpcc.wait_factor * tpcc_mean_cycle_ns(&workload->tpcc) + 0.5);
    }
    if (!section_has(SECTION_TPCC, given, "users")) {
        workload->users = workload->tpcc.warehouses * 10;
    }
    workload->tpcc.users = workload->users;
    return 0;
}

static int read_tpcb(struct scenario_workload *workload, uint64_t given, struct error *err)
{
    if (!section_has(SECTION_TPCB, given, "users")) {
        workload->users = 1;
    }
    return 0;
}

static int read_sysbench(const struct item *map, struct scenario_workload *workload, uint64_t given,
                         struct error *err)
{
    const struct sysbench_settings *sysbench = &workload->sysbench;

    if (!section_has(SECTION_SYSBENCH, given, "users")) {
        workload->users = sysbench->threads;
    }
    if (sysbench->range_size > sysbench->rows) {
        return item_key_error(item_get(map, "range_size") ? item_get(map, "range_size") : map, err,
                              "range_size: must be at most `rows`, which is %llu",
                              (unsigned long long)sysbench->rows);
    }
    return 0;
}

/* "1M" transactions, or for bare drives "10GiB". */
static int read_work(const struct item *item, struct scenario_workload *workload, struct error *err)
{
    struct error ignored;
    int code = units_count(item->text, &workload->work_transactions, err);

    if (code && workload->kind == PLAN_BLOCK &&
        units_size(item->text, &workload->work_bytes, &ignored) == 0) {
        code = 0;
    }
    if (code) {
        error_wrap(err, "work");
        return item_place(item, err);
    }
    return workload->work_transactions > 0 || workload->work_bytes > 0
               ? 0
               : item_error(item, err, "work: must be 1 or more, not %.40s", item->text);
}

static int read_pacing(const struct item *map, struct scenario_workload *workload, uint64_t given,
                       struct error *err)
{
    enum section_id id = workload_sections[workload->kind];
    const struct item *work = item_get(map, "work"), *arrivals = item_get(map, "arrivals");
    bool rate = section_has(id, given, "rate");

    if (arrivals && (workload->arrivals == PLAN_CLOSED) == rate) {
        return rate ? item_error(arrivals, err,
                                 "arrivals: closed has no rate: use poisson or constant")
                    : item_error(arrivals, err, "arrivals: %s needs `rate`", arrivals->text);
    }
    if (!arrivals && rate) {
        workload->arrivals = PLAN_POISSON;
    }
    return work && work->kind == ITEM_SCALAR ? read_work(work, workload, err) : 0;
}

static int read_workload(struct scenario *scenario, struct error *err)
{
    const struct item *map = item_get(scenario->yaml.root, "workload"), *item;
    struct scenario_workload *workload = &scenario->workload;
    uint64_t *given;
    enum section_id id;
    const struct key *kind = section_of(SECTION_TPCC)->rows;

    workload_defaults(workload);
    if (map->kind != ITEM_MAP) {
        return item_error(map, err, "workload: a section of keys is expected, not %s",
                          item_kind_name(map));
    }
    item = item_get(map, "kind");
    if (!item || item->kind != ITEM_SCALAR) {
        return item_key_error(
            item ? item : map, err,
            "\"kind\" is missing in workload: tpcc, sysbench, tpcb or block is expected");
    }
    if (key_set(kind, workload, item->text, err)) {
        return item_place(item, err);
    }
    id = workload_sections[workload->kind];
    given = &scenario->given[id];
    if (section_read(id, map, workload, given, err) ||
        (workload->kind == PLAN_TPCC && read_tpcc(map, workload, *given, err)) ||
        (workload->kind == PLAN_SYSBENCH && read_sysbench(map, workload, *given, err)) ||
        (workload->kind == PLAN_TPCB && read_tpcb(workload, *given, err)) ||
        (workload->kind == PLAN_BLOCK && scenario_read_block(map, workload, *given, err))) {
        return err->code;
    }
    return read_pacing(map, workload, *given, err);
}

/* ---- VMs ---- */

static int same_vm_name(const struct scenario *scenario, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++) {
        if (strcmp(scenario->vms[i].name, scenario->vms[j].name) == 0) {
            return 1;
        }
    }
    return 0;
}

static int check_vm_name(const struct scenario *scenario, uint32_t i, const struct item *item,
                         struct error *err)
{
    const char *name = scenario->vms[i].name;

    /* names become file names and columns */
    if (name[0] == '\0' || strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789-_.") != strlen(name)) {
        return item_error(item, err, "name: letters, digits, - _ and . are allowed, not \"%s\"",
                          name);
    }
    return same_vm_name(scenario, i) ? item_error(item, err, "two VMs are called \"%s\"", name) : 0;
}

static int read_vms(struct scenario *scenario, struct error *err)
{
    const struct item *list = item_get(scenario->yaml.root, "vms"), *item;
    uint32_t i = 0;

    scenario->vm_count = scenario->top.vms;
    if (list && list->kind == ITEM_MAP) {
        return item_error(list, err, "vms: a number or a list is expected, not a section");
    }
    if (list && list->kind == ITEM_LIST) {
        if (list->count < 1 || list->count > PLAN_VMS) {
            return item_error(list, err, "vms: must be 1 to %d VMs, not %u", PLAN_VMS, list->count);
        }
        scenario->vm_count = list->count;
    }
    item = list && list->kind == ITEM_LIST ? list->child : NULL;
    for (i = 0; i < scenario->vm_count; i++) {
        struct scenario_vm *vm = &scenario->vms[i];

        *vm = (struct scenario_vm){0};
        memcpy(vm->config, scenario->top.vm, sizeof(vm->config));
        if (item && section_read(SECTION_VMS, item, vm, NULL, err)) {
            return err->code;
        }
        if (vm->name[0] == '\0') {
            snprintf(vm->name, sizeof(vm->name), "vm%u", i);
        }
        if (item && check_vm_name(scenario, i, item, err)) {
            return err->code;
        }
        item = item ? item->next : NULL;
    }
    return 0;
}

/* ---- drive, phases ---- */

int scenario_read_drive(struct scenario *scenario, struct scenario_drive *ret, struct error *err)
{
    const struct item *map = item_get(scenario->yaml.root, "drive");

    return map ? section_read(SECTION_DRIVE, map, ret, &scenario->given[SECTION_DRIVE], err) : 0;
}

static int read_precondition(const struct item *map, struct scenario_phases *phases,
                             struct error *err)
{
    uint64_t given = 0;
    bool time, steady, amount;

    if (section_read(SECTION_PRECONDITION, map, phases, &given, err)) {
        return err->code;
    }
    time = section_has(SECTION_PRECONDITION, given, "time");
    steady = phases->until != 0;
    amount = section_has(SECTION_PRECONDITION, given, "amount");
    if (time + steady + amount > 1) {
        return item_key_error(map, err,
                              "precondition: time, amount and until: steady exclude one another");
    }
    if (time + steady + amount == 0) {
        return item_key_error(map, err,
                              "precondition: one of time, amount and until: steady is expected");
    }
    if (!steady && section_has(SECTION_PRECONDITION, given, "preset")) {
        return item_key_error(item_get(map, "preset"), err, "preset: belongs to until: steady");
    }
    if (time && section_has(SECTION_PRECONDITION, given, "max")) {
        return item_key_error(item_get(map, "max"), err, "max: belongs to amount or until: steady");
    }
    return 0;
}

static int read_phases(struct scenario *scenario, struct error *err)
{
    const struct item *map = item_get(scenario->yaml.root, "phases"), *precondition;
    struct scenario_phases *phases = &scenario->phases;
    const int64_t second_ns = 1000000000;

    *phases = (struct scenario_phases){.sample_ns = 60 * second_ns,
                                       .interval_ns = second_ns,
                                       .settle_ns = 60 * second_ns,
                                       .max_ns = 3 * 3600 * second_ns};
    if (!map) {
        return 0;
    }
    if (section_read(SECTION_PHASES, map, phases, &scenario->given[SECTION_PHASES], err)) {
        return err->code;
    }
    precondition = item_get(map, "precondition");
    if (precondition && precondition->kind == ITEM_LIST) {
        return item_error(precondition, err,
                          "precondition: a duration or a section is expected, not a list");
    }
    if (!item_get(map, "interval") && phases->interval_ns > phases->sample_ns) {
        phases->interval_ns = phases->sample_ns;
    }
    if (phases->interval_ns > phases->sample_ns) {
        return item_error(item_get(map, "interval"), err, "interval: must be at most `sample`");
    }
    return precondition && precondition->kind == ITEM_MAP
               ? read_precondition(precondition, phases, err)
               : 0;
}

int scenario_read(struct scenario *scenario, struct error *err)
{
    const struct item *root = scenario->yaml.root, *database;

    memset(scenario->given, 0, sizeof(scenario->given));
    scenario->top = (struct scenario_top){.vm = "small", .basis = 3, .seed = 1, .vms = 1};
    scenario->drive = (struct scenario_drive){.stamps = true, .latency_ns = 1000};
    scenario->drive.range.share = 1;
    if (section_read(SECTION_TOP, root, &scenario->top, &scenario->given[SECTION_TOP], err) ||
        read_workload(scenario, err) || read_vms(scenario, err) ||
        scenario_read_target(scenario, err) ||
        scenario_read_drive(scenario, &scenario->drive, err) || read_phases(scenario, err)) {
        return err->code;
    }
    database = item_get(root, "database");
    if (database && scenario->workload.kind == PLAN_BLOCK) {
        return item_key_error(database, err, "database: a block workload has none");
    }
    return 0;
}

int drive_model_read(const struct yaml *yaml, struct scenario_drive *ret, struct error *err)
{
    const struct section *section = section_of(SECTION_DRIVE_MODEL);
    const struct item *basis = item_get(yaml->root, "basis");

    if (section_read(SECTION_DRIVE_MODEL, yaml->root, ret, NULL, err)) {
        return err->code;
    }
    if (basis && basis->kind != ITEM_MAP) {
        return item_error(basis, err, "basis: a section is expected, not %s",
                          item_kind_name(basis));
    }
    for (const struct item *item = basis ? basis->child : NULL; item; item = item->next) {
        if (!key_find(section->rows, section->count, item->key)) {
            return item_key_error(item, err, "basis: there is no key \"%.60s\"", item->key);
        }
    }
    return ret->sim.program_suspend_min_ns > ret->sim.program_suspend_max_ns
               ? item_error(yaml->root, err, "program_suspend_min is above program_suspend_max")
               : 0;
}

int vm_config_read(const struct yaml *yaml, struct scenario_config *ret, struct error *err)
{
    const struct item *disks = item_get(yaml->root, "disks"), *disk;

    *ret = (struct scenario_config){0};
    if (section_read(SECTION_CONFIG, yaml->root, ret, NULL, err)) {
        return err->code;
    }
    if (disks && disks->kind != ITEM_LIST) {
        return item_error(disks, err, "disks: a list is expected, not %s", item_kind_name(disks));
    }
    if (disks && disks->count > 4) {
        return item_error(disks, err, "disks: must be at most 4, not %u", disks->count);
    }
    for (disk = disks ? disks->child : NULL; disk; disk = disk->next) {
        if (section_read(SECTION_DISKS, disk, &ret->disks[ret->disk_count], NULL, err)) {
            return err->code;
        }
        for (uint32_t i = 0; i < ret->disk_count; i++) {
            if (strcmp(ret->disks[i].role, ret->disks[ret->disk_count].role) == 0) {
                return item_error(disk, err, "two disks of role \"%s\"", ret->disks[i].role);
            }
        }
        ret->disk_count++;
    }
    if (ret->buffer_bytes == 0) {
        ret->buffer_bytes = ret->memory_bytes / 4 * 3;
    }
    return 0;
}

int database_read(const struct item *map, struct model_settings *settings, uint64_t *given,
                  struct error *err)
{
    const struct item *page = item_get(map, "page");

    if (!map) {
        return 0;
    }
    if (section_read(SECTION_DATABASE, map, settings, given, err)) {
        return err->code;
    }
    if (settings->page_bytes & (settings->page_bytes - 1)) {
        return item_error(page ? page : map, err, "page: must be a power of two, not %u bytes",
                          settings->page_bytes);
    }
    return 0;
}
