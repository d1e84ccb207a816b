#include "draft.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Where the VM of that name is, or vm_count. */
static uint32_t find_vm(const struct draft *draft, const char *name)
{
    uint32_t i = 0;

    while (i < draft->scenario.vm_count && strcmp(draft->scenario.vms[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* NAME=URL: the name's length, or an error that does not repeat the URL. */
static int take_name(const char *server, char *ret, size_t size, struct error *err)
{
    const char *equals = strchr(server, '='), *colon = strchr(server, ':');

    if (!equals || equals == server || (colon && colon < equals) ||
        (size_t)(equals - server) >= size) {
        error_set(err, EXIT_USAGE, -EINVAL, "--vm: NAME=URL is expected");
        return error_hint(err, "as in --vm a=postgresql://bench@db1/tpcc");
    }
    snprintf(ret, size, "%.*s", (int)(equals - server), server);
    return (int)(equals - server) + 1;
}

static int set_url(struct draft *draft, uint32_t i, const char *url, const char *place,
                   struct error *err)
{
    if (sql_url_parse(&draft->vms[i].url, url, err)) {
        return error_wrap(err, "%s", place);
    }
    draft->vms[i].has_url = true;
    return 0;
}

/* Names that the scenario has choose its VMs; other names rename all of them, in order. */
static bool names_known(const struct draft *draft)
{
    const struct plan_request *request = draft->request;
    struct error ignored;
    char name[32];

    for (uint32_t s = 0; s < request->server_count; s++) {
        if (take_name(request->servers[s], name, sizeof(name), &ignored) > 0 &&
            find_vm(draft, name) == draft->scenario.vm_count) {
            return false;
        }
    }
    return true;
}

static int take_servers(struct draft *draft, struct error *err)
{
    const struct plan_request *request = draft->request;
    bool known = names_known(draft);

    if (!known && request->server_count != draft->scenario.vm_count) {
        error_set(err, EXIT_USAGE, -EINVAL, "--vm: %u servers for %u VMs whose names are others",
                  request->server_count, draft->scenario.vm_count);
        return error_hint(err, "--set vms=%u, or the scenario's names (the first is %s)",
                          request->server_count, draft->scenario.vms[0].name);
    }
    for (uint32_t s = 0; s < request->server_count; s++) {
        char name[32], place[48];
        int skip = take_name(request->servers[s], name, sizeof(name), err);
        uint32_t i = skip < 0 ? 0 : known ? find_vm(draft, name) : s;

        if (skip < 0) {
            return skip;
        }
        if (draft->vms[i].has_url || (!known && find_vm(draft, name) < s)) {
            return error_set(err, EXIT_USAGE, -EINVAL, "--vm: two servers for %s", name);
        }
        snprintf(place, sizeof(place), "--vm %s", name);
        if (set_url(draft, i, request->servers[s] + skip, place, err)) {
            return err->code;
        }
        memcpy(draft->scenario.vms[i].name, name, sizeof(name));
    }
    return 0;
}

/* The server of every VM that --vm has not named: --target, or target.url. */
static int take_rest(struct draft *draft, struct error *err)
{
    const struct item *item = item_get(item_get(draft->scenario.yaml.root, "target"), "url");
    const char *asked = draft->request->target, *url = draft->scenario.target.url;
    uint32_t without = 0;

    for (uint32_t i = 0; i < draft->scenario.vm_count; i++) {
        if (draft->vms[i].has_url) {
            continue;
        }
        if (!asked && url[0] == '\0') {
            without++;
        } else if (set_url(draft, i, asked ? asked : url, asked ? "--target" : "target.url", err)) {
            return asked ? err->code : item_place(item, err);
        }
    }
    if (without > 0 && without < draft->scenario.vm_count) {
        error_set(err, EXIT_USAGE, -EINVAL, "%u of %u VMs have no server", without,
                  draft->scenario.vm_count);
        return error_hint(err, "--vm NAME=URL for each, or --target URL for the rest");
    }
    return 0;
}

/* Two VMs of one database would load it twice, and lock one another's rows. */
static void warn_shared(struct draft *draft)
{
    for (uint32_t i = 0; i < draft->scenario.vm_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const struct sql_url *a = &draft->vms[i].url, *b = &draft->vms[j].url;

            if (strcmp(a->host, b->host) == 0 && strcmp(a->port, b->port) == 0 &&
                strcmp(a->database, b->database) == 0) {
                plan_warn(draft->plan, "VMs %s and %s use the same database",
                          draft->scenario.vms[j].name, draft->scenario.vms[i].name);
                return;
            }
        }
    }
}

static int refuse_block(struct error *err)
{
    error_set(err, EXIT_USAGE, -EINVAL, "--target: the scenario's workload asks a drive");
    return error_hint(err, "workloads of kind tpcc and sysbench can ask a server");
}

static int refuse_no_server(struct error *err)
{
    error_set(err, EXIT_USAGE, -EINVAL, "a workload of kind tpcb asks a server, no model of one");
    return error_hint(err, "--target postgresql://user@host/database names it");
}

int draft_targets(struct draft *draft, struct error *err)
{
    const struct plan_request *request = draft->request;
    bool asked = request->target || request->server_count > 0;
    bool model = request->virtual_time || request->drive;
    struct plan *plan = draft->plan;

    if (model && draft->scenario.workload.kind == PLAN_TPCB) {
        return refuse_no_server(err);
    }
    if (model && asked) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "--target and --vm exclude --virtual and --drive");
    }
    if (model) {
        if (draft->scenario.target.url[0] != '\0') {
            plan_warn(plan, "%s: the model answers, not the server of target.url",
                      request->virtual_time ? "--virtual" : "--drive");
        }
        return 0;
    }
    if (asked && draft->scenario.workload.kind == PLAN_BLOCK) {
        return refuse_block(err);
    }
    if (take_servers(draft, err) || take_rest(draft, err)) {
        return err->code;
    }
    draft->servers = draft->vms[0].has_url;
    if (!draft->servers && draft->scenario.workload.kind == PLAN_TPCB) {
        return refuse_no_server(err);
    }
    if (draft->servers) {
        plan->start_warm = false; /* a server's pool is what it is */
        warn_shared(draft);
    } else if (item_get(draft->scenario.yaml.root, "target")) {
        plan_warn(plan, "no server is given (--target URL): the model answers");
    }
    return 0;
}

int draft_server_at(const struct draft *draft, uint32_t i, struct plan_vm *vm, struct error *err)
{
    uint32_t people = vm->users;

    vm->target = PLAN_SQL;
    vm->sql = draft->scenario.target.sql;
    vm->sql.url = draft->vms[i].url;
    if (vm->sql.loops > people) {
        vm->sql.loops = people;
    }
    if (vm->sql.connections > 0 && vm->sql.connections < vm->sql.loops) {
        error_set(err, EXIT_USAGE, -EINVAL, "%s: %u connections cannot be shared by %u loops",
                  vm->name, vm->sql.connections, vm->sql.loops);
        return error_hint(err, "target.loops must be at most target.connections");
    }
    if (vm->sql.autocommit && vm->workload != PLAN_SYSBENCH) {
        error_set(err, EXIT_USAGE, -EINVAL,
                  "target.autocommit: these transactions need their "
                  "BEGIN and COMMIT");
        return error_hint(err, "it is for sysbench, whose statements stand alone");
    }
    vm->model.tpcc.procedures = vm->sql.procedures;
    vm->model.sysbench.skip_trx = vm->model.sysbench.skip_trx || vm->sql.autocommit;
    if (vm->sql.procedures && vm->workload != PLAN_TPCC) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "target.procedures: there are procedures for tpcc alone");
    }
    return 0;
}

/* ---- passwords ---- */

const char *plan_server(const struct plan_vm *vm, char *ret, uint64_t size)
{
    struct text url = {0};

    if (vm->target == PLAN_SQL) {
        sql_url_print(&vm->sql.url, &url);
    }
    snprintf(ret, size, "%s", text_string(&url));
    text_free(&url);
    return ret;
}

void plan_hide_passwords(char *text)
{
    sql_url_hide(text);
}
