#include "plan/plan.h"

#include "base/checksum.h"
#include "base/mem.h"
#include "base/must.h"
#include "draft.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void plan_warn(struct plan *plan, const char *format, ...)
{
    char *into = plan->warnings[plan->warning_count];
    va_list args;

    if (plan->warning_count == PLAN_WARNINGS) {
        return;
    }
    va_start(args, format);
    vsnprintf(into, sizeof(plan->warnings[0]), format, args);
    va_end(args);
    for (uint32_t i = 0; i < plan->warning_count; i++) {
        if (strcmp(plan->warnings[i], into) == 0) {
            return;
        }
    }
    plan->warning_count++;
}

/* ---- files by name ---- */

static bool is_path(const char *name)
{
    size_t length = strlen(name);

    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".yaml") == 0);
}

static int refuse_name(const char *data_dir, const char *folder, const char *name,
                       struct error *err)
{
    const char *what = strcmp(folder, "scenarios") == 0    ? "scenario"
                       : strcmp(folder, "vm-configs") == 0 ? "VM config"
                                                           : "drive model";
    uint32_t count;
    char **names = draft_names(data_dir, folder, &count);
    const char *near = text_nearest(name, (const char *const *)names, count);

    error_set(err, EXIT_USAGE, -ENOENT, "there is no %s \"%.80s\"", what, name);
    if (near) {
        error_hint(err, "did you mean \"%s\"?", near);
    } else {
        error_hint(err,
                   "`rawtps list` shows what there is in %s/%s; a path has a / or ends in .yaml",
                   data_dir, folder);
    }
    mem_free(names);
    return err->code;
}

int draft_find(const struct draft *draft, const char *folder, const char *name, char *ret,
               uint64_t size, struct error *err)
{
    char path[1024];

    if (!is_path(name)) {
        snprintf(path, sizeof(path), "%s/%s/%s.yaml", draft->data_dir, folder, name);
        if (access(path, F_OK) != 0) {
            return refuse_name(draft->data_dir, folder, name, err);
        }
    } else {
        snprintf(path, sizeof(path), "%s/%s", draft->dir, name);
        if (name[0] == '/' || draft->dir[0] == '\0' || access(path, F_OK) != 0) {
            snprintf(path, sizeof(path), "%s", name);
        }
    }
    if (strlen(path) >= size) {
        return error_set(err, EXIT_USAGE, -ENAMETOOLONG, "the path of \"%.80s\" is too long", name);
    }
    memcpy(ret, path, strlen(path) + 1);
    return 0;
}

static void split_path(struct draft *draft, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *name = draft->plan->name;

    snprintf(draft->dir, sizeof(draft->dir), "%.*s", slash ? (int)(slash - path) : 0, path);
    snprintf(name, sizeof(draft->plan->name), "%.63s", base);
    if (strlen(name) > 5 && strcmp(name + strlen(name) - 5, ".yaml") == 0) {
        name[strlen(name) - 5] = '\0';
    }
}

/* ---- the scenario and what the command line adds ---- */

static int load_scenario(struct draft *draft, struct error *err)
{
    struct plan *plan = draft->plan;
    struct yaml *yaml = &draft->scenario.yaml;

    if (draft_find(draft, "scenarios", draft->request->scenario, plan->path, sizeof(plan->path),
                   err)) {
        return err->code;
    }
    split_path(draft, plan->path);
    if (yaml_read(yaml, plan->path, err)) {
        return err->code;
    }
    if (item_get(yaml->root, "groups")) {
        item_key_error(item_get(yaml->root, "groups"), err,
                       "these are published figures, not a scenario");
        return error_hint(err, "`rawtps audit %s` judges them", plan->path);
    }
    plan->text = mem_strndup(yaml->bytes, yaml->length);
    if (!plan->text) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the scenario");
    }
    plan_hide_passwords(plan->text);
    sha256_hex(yaml->bytes, yaml->length, plan->sha256);
    return 0;
}

static int set_one(struct yaml *yaml, const char *set, struct error *err)
{
    const char *equals = strchr(set, '='), *url = strstr(set, "://");
    char path[200], place[320];

    if (!equals || equals == set || (url && url < equals)) {
        error_set(err, EXIT_USAGE, -EINVAL, "--set %.200s: path=value is expected", set);
        return error_hint(err, "as in --set drive.like=h3200-u2 or --set workload.users=100");
    }
    if ((size_t)(equals - set) >= sizeof(path)) {
        return error_set(err, EXIT_USAGE, -EINVAL, "--set: the path is too long");
    }
    snprintf(path, sizeof(path), "%.*s", (int)(equals - set), set);
    /* a URL may hold a password, and be too wrong to tell where */
    snprintf(place, sizeof(place), "--set %.240s", url ? path : set);
    return yaml_set(yaml, path, equals + 1, place, err);
}

static int set_option(struct yaml *yaml, const char *path, const char *option, const char *value,
                      struct error *err)
{
    char place[320];

    snprintf(place, sizeof(place), "%s %.240s", option, value);
    return yaml_set(yaml, path, value, place, err);
}

/* Paths may hold what YAML would take for syntax: quoted. */
static int set_drive(struct yaml *yaml, const char *path, struct error *err)
{
    struct text quoted = {0};
    int code;

    text_add_char(&quoted, '\'');
    for (; *path; path++) {
        text_addf(&quoted, *path == '\'' ? "''" : "%c", *path);
    }
    text_add_char(&quoted, '\'');
    code = yaml_set(yaml, "drive.kind", "uring", "--drive", err);
    code = code ? code : yaml_set(yaml, "drive.path", text_string(&quoted), "--drive", err);
    text_free(&quoted);
    return code;
}

static int apply_counts(struct draft *draft, struct error *err)
{
    const struct plan_request *request = draft->request;
    struct yaml *yaml = &draft->scenario.yaml;
    const struct item *kind = item_get(item_get(yaml->root, "workload"), "kind");
    bool sysbench = kind && kind->kind == ITEM_SCALAR && strcmp(kind->text, "sysbench") == 0;
    int code = 0;

    if (request->warehouses) {
        code = set_option(yaml, "workload.warehouses", "--warehouses", request->warehouses, err);
    }
    if (code == 0 && request->threads) {
        code = set_option(yaml, sysbench ? "workload.threads" : "workload.users", "--threads",
                          request->threads, err);
    }
    if (code == 0 && request->connections) {
        code = set_option(yaml, "target.connections", "--connections", request->connections, err);
    }
    return code;
}

static int apply_options(struct draft *draft, struct error *err)
{
    const struct plan_request *request = draft->request;
    struct yaml *yaml = &draft->scenario.yaml;

    if (request->set_count > PLAN_SETS) {
        return error_set(err, EXIT_USAGE, -EINVAL, "more than %d --set", PLAN_SETS);
    }
    for (uint32_t i = 0; i < request->set_count; i++) {
        if (set_one(yaml, request->sets[i], err)) {
            return err->code;
        }
    }
    if (request->drive && request->virtual_time) {
        error_set(err, EXIT_USAGE, -EINVAL, "--drive and --virtual exclude one another");
        return error_hint(err, "virtual time has simulated drives: --set drive.like=NAME");
    }
    if (request->drive && set_drive(yaml, request->drive, err)) {
        return err->code;
    }
    if (apply_counts(draft, err)) {
        return err->code;
    }
    return request->seed ? set_option(yaml, "seed", "--seed", request->seed, err) : 0;
}

static int parse_sample(const struct draft *draft, int64_t *ret_ns, struct error *err)
{
    const struct section *phases = section_of(SECTION_PHASES);
    const struct key *row = key_find(phases->rows, phases->count, "sample");
    struct scenario_phases record = {0};

    *ret_ns = 0;
    if (!draft->request->sample) {
        return 0;
    }
    if (key_set(row, &record, draft->request->sample, err)) {
        return units_place(err, "--for", 0, 0);
    }
    *ret_ns = record.sample_ns;
    return 0;
}

static void copy_top(struct draft *draft)
{
    struct plan *plan = draft->plan;
    const struct scenario_top *top = &draft->scenario.top;

    if (top->name[0] != '\0') {
        memcpy(plan->name, top->name, sizeof(plan->name));
    }
    memcpy(plan->about, top->about, sizeof(plan->about));
    snprintf(plan->basis, sizeof(plan->basis), "%s", scenario_bases[top->basis]);
    plan->seed = top->seed;
    plan->vm_count = draft->scenario.vm_count;
    plan->interval_ns = draft->scenario.phases.interval_ns;
    plan->start_warm =
        draft->scenario.phases.start == START_WARM && draft->scenario.workload.kind != PLAN_BLOCK;
    snprintf(plan->erase, sizeof(plan->erase), "%s",
             draft->request->erase ? draft->request->erase : "");
    plan->expect_bytes = draft->request->expect_bytes;
}

/* Names become file names. */
static int check_name(const struct draft *draft, struct error *err)
{
    const struct item *item = item_get(draft->scenario.yaml.root, "name");
    const char *name = draft->plan->name;

    for (const char *c = name; *c; c++) {
        if ((unsigned char)*c <= ' ' || *c == '/' || *c == 0x7f) {
            return item ? item_error(item, err, "name: no spaces and no / are allowed, not \"%s\"",
                                     name)
                        : error_set(err, EXIT_USAGE, -EINVAL,
                                    "%s: the scenario needs a `name` without spaces",
                                    draft->plan->path);
        }
    }
    return name[0] == '.'
               ? error_set(err, EXIT_USAGE, -EINVAL, "the name \"%s\" begins with a dot", name)
               : 0;
}

static int build(struct draft *draft, struct error *err)
{
    int64_t sample_ns;

    if (!draft->request->scenario || draft->request->scenario[0] == '\0') {
        return error_set(err, EXIT_USAGE, -EINVAL, "which scenario? a path or name is needed");
    }
    if (load_scenario(draft, err) || apply_options(draft, err) ||
        scenario_read(&draft->scenario, err) || parse_sample(draft, &sample_ns, err)) {
        return err->code;
    }
    copy_top(draft);
    if (check_name(draft, err) || draft_targets(draft, err) || draft_drive(draft, err) ||
        draft_vms(draft, err) || draft_place(draft, err)) {
        return err->code;
    }
    draft_phases(draft, sample_ns);
    return draft_choices(draft, err) ? err->code : draft_settings(draft, err);
}

static void draft_free(struct draft *draft)
{
    yaml_close(&draft->scenario.yaml);
    yaml_close(&draft->drive_yaml);
    for (uint32_t i = 0; i < DRAFT_CONFIGS; i++) {
        yaml_close(&draft->configs[i].yaml);
    }
    mem_free(draft);
}

int plan_build(struct plan *plan, const struct plan_request *request, struct error *err)
{
    struct draft *draft = mem_zalloc(sizeof(*draft));
    int code;

    memset(plan, 0, sizeof(*plan));
    if (!draft) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a plan");
    }
    draft->plan = plan;
    draft->request = request;
    if (request->data_dir) {
        snprintf(draft->data_dir, sizeof(draft->data_dir), "%s", request->data_dir);
        code = 0;
    } else {
        code = plan_data_dir(draft->data_dir, sizeof(draft->data_dir), err);
    }
    code = code ? code : build(draft, err);
    draft_free(draft);
    if (code) {
        plan_free(plan);
    }
    return code;
}

void plan_free(struct plan *plan)
{
    mem_free(plan->text);
    for (uint32_t i = 0; i < plan->config_count; i++) {
        mem_free(plan->configs[i].text);
    }
    mem_free(plan->choices);
    mem_free(plan->settings);
    memset(plan, 0, sizeof(*plan));
}
