#include "engine/checks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/must.h"
#include "checks_rules.h"
#include "engine/load.h"
#include "load_known.h"

static int64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void add_value(char *ret, size_t size, const struct sql_value *value)
{
    size_t used = strlen(ret);
    const char *comma = used > 0 ? ", " : "";

    switch (value->kind) {
    case SQL_NULL:
        snprintf(ret + used, size - used, "%snull", comma);
        break;
    case SQL_INT:
        snprintf(ret + used, size - used, "%s%lld", comma, (long long)value->number);
        break;
    case SQL_TEXT:
        snprintf(ret + used, size - used, "%s%.*s", comma, (int)value->bytes, value->text);
        break;
    }
}

static void take_breach(void *context, const struct sql_value *columns, uint32_t count)
{
    struct check_finding *finding = context;
    uint64_t at = finding->broken++;

    for (uint32_t i = 0; at < CHECK_ROWS && i < count; i++) {
        add_value(finding->rows[at], sizeof(finding->rows[at]), &columns[i]);
    }
}

/* One snapshot for all rules; a sort or hash that does not fit memory goes to disk. */
static int begin_snapshot(struct sql_plain *plain, bool postgres, struct error *err)
{
    static const char *const of_postgres[] = {
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "SET LOCAL statement_timeout = 0",
        "SET LOCAL enable_mergejoin = off", "SET LOCAL work_mem = '64MB'", NULL};
    static const char *const of_mariadb[] = {
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "SET SESSION tmp_table_size = 67108864, max_heap_table_size = 67108864",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT", NULL};
    const char *const *texts = postgres ? of_postgres : of_mariadb;
    int rc = 0;

    for (; rc == 0 && *texts != NULL; texts++) {
        rc = sql_plain_run(plain, *texts, NULL, NULL, err);
    }
    return rc;
}

static int check_one(struct sql_plain *plain, const struct plan_vm *vm,
                     const struct check_rule *rule, struct check_finding *ret, struct error *err)
{
    int64_t from_ns = clock_ns();
    struct text query = {0};
    int rc = 0;

    *ret = (struct check_finding){.name = rule->name, .holds = rule->holds};
    snprintf(ret->columns, sizeof(ret->columns), "%s", rule->columns);
    if (rule->write != NULL) {
        rule->write(vm, &query);
    } else {
        text_add(&query, rule->query);
    }
    if (query.length > 0) {
        text_addf(&query, " LIMIT %d", CHECK_COUNTED);
        rc = sql_plain_run(plain, text_string(&query), take_breach, ret, err);
    }
    text_free(&query);
    ret->passed = ret->broken == 0;
    ret->took_ns = clock_ns() - from_ns;
    return rc < 0 ? error_wrap(err, "%s", rule->name) : 0;
}

/* The rules hold for any seed, but count on the size that the scenario says. */
static int check_size(struct load_known *known, const struct sql_schema *schema, struct error *err)
{
    struct sql_schema_load want;

    sql_schema_load_of(schema, &want);
    known->row.seed = want.seed;
    known->row.c_load = want.c_load;
    if (load_known_judge(known, schema, err) == 0) {
        return 0;
    }
    return error_hint(err, "name the size that is there: --warehouses, or --set workload...");
}

/* Rules are of tables that are there, and of the scale that the scenario says. */
static int check_tables(struct sql_plain *plain, const struct plan_vm *vm, struct error *err)
{
    struct sql_schema schema;
    struct load_known known;
    int rc;

    load_schema(vm, &schema);
    rc = load_known_read(&known, plain, &schema, err);
    if (rc == 0 && known.taken[0] == '\0') {
        error_set(err, EXIT_FAILED, -ENOENT, "database %s has none of the tables", known.database);
        rc = error_hint(err, "`rawtps load` makes and fills them");
    } else if (rc == 0) {
        rc = known.has_row ? check_size(&known, &schema, err)
                           : load_known_judge(&known, &schema, err);
    }
    load_known_free(&known);
    return rc;
}

static const struct check_rule *rules_of(const struct plan_vm *vm, uint32_t *ret_count)
{
    switch (vm->workload) {
    case PLAN_TPCC:
        return check_rules_tpcc(ret_count);
    case PLAN_SYSBENCH:
        return check_rules_sbtest(ret_count);
    case PLAN_TPCB:
        return check_rules_tpcb(ret_count);
    case PLAN_BLOCK:
        break;
    }
    must(!"a block workload has no tables");
    *ret_count = 0;
    return NULL;
}

int checks_run(const struct plan *plan, uint32_t i, struct check_finding *ret,
               const volatile int *stop,
               void (*watch)(void *context, const char *name, const struct check_finding *finding),
               void *context, struct error *err)
{
    const struct plan_vm *vm = &plan->vms[i];
    uint32_t count, done = 0;
    const struct check_rule *rules = rules_of(vm, &count);
    struct sql_plain *plain = NULL;
    int rc = sql_plain_open(&plain, &vm->sql.url, err);

    must(count <= CHECKS_MOST);
    rc = rc == 0 ? check_tables(plain, vm, err) : rc;
    rc = rc == 0 ? begin_snapshot(plain, vm->sql.url.dialect == SQL_POSTGRES, err) : rc;
    for (; rc == 0 && done < count; done++) {
        if (stop != NULL && *stop != 0) {
            rc = error_set(err, EXIT_INTERRUPTED, -EINTR, "interrupted after %u of %u rules", done,
                           count);
            break;
        }
        if (watch != NULL) {
            watch(context, rules[done].name, NULL);
        }
        rc = check_one(plain, vm, &rules[done], &ret[done], err);
        if (rc == 0 && watch != NULL) {
            watch(context, rules[done].name, &ret[done]);
        }
    }
    if (plain != NULL) {
        sql_plain_close(plain);
    }
    return rc < 0 ? error_wrap(err, "%s", vm->name) : (int)count;
}
