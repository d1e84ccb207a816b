#include "load_known.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void copy_value(const struct sql_value *value, char *ret, size_t size)
{
    if (value->kind == SQL_INT) {
        snprintf(ret, size, "%lld", (long long)value->number);
    } else {
        snprintf(ret, size, "%.*s", value->kind == SQL_TEXT ? (int)value->bytes : 0,
                 value->kind == SQL_TEXT ? value->text : "");
    }
}

static int64_t number_of(const struct sql_value *value)
{
    char text[24];

    copy_value(value, text, sizeof(text));
    return strtoll(text, NULL, 10);
}

static void take_database(void *context, const struct sql_value *columns, uint32_t count)
{
    struct load_known *known = context;

    copy_value(&columns[0], known->database, sizeof(known->database));
}

/* ---- tables ---- */

struct tables {
    struct load_known *known;
    const struct sql_schema *schema;
};

static bool is_ours(const struct sql_schema *schema, const char *name)
{
    struct text table = {0}, columns = {0};
    uint32_t count = sql_schema_table_count(schema);
    bool found = false;

    for (uint32_t i = 0; i < count && !found; i++) {
        sql_schema_table(schema, i, &table, &columns);
        found = strcmp(text_string(&table), name) == 0;
    }
    text_free(&table);
    text_free(&columns);
    return found;
}

static void take_table(void *context, const struct sql_value *columns, uint32_t count)
{
    struct tables *tables = context;
    char name[80];

    copy_value(&columns[0], name, sizeof(name));
    if (strcmp(name, "rawtps_load") == 0) {
        tables->known->has_load = true;
    } else if (tables->known->taken[0] == '\0' && is_ours(tables->schema, name)) {
        memcpy(tables->known->taken, name, sizeof(name));
    }
}

static void take_row(void *context, const struct sql_value *columns, uint32_t count)
{
    struct load_known *known = context;
    struct sql_schema_load *row = &known->row;

    if (count < 7) {
        return;
    }
    known->has_row = true;
    copy_value(&columns[0], row->workload, sizeof(row->workload));
    row->schema_version = (uint32_t)number_of(&columns[1]);
    row->seed = (uint64_t)number_of(&columns[2]);
    row->c_load = (uint32_t)number_of(&columns[3]);
    row->scale = (uint64_t)number_of(&columns[4]);
    row->rows_a_table = (uint64_t)number_of(&columns[5]);
    row->complete = number_of(&columns[6]) != 0;
}

/* ---- parts ---- */

static bool grow(struct load_known *known)
{
    uint32_t limit = known->part_limit > 0 ? known->part_limit * 2 : 64;
    char **parts = mem_resize(known->parts, limit * sizeof(*parts));

    if (parts == NULL) {
        known->failed = true;
        return false;
    }
    known->parts = parts;
    known->part_limit = limit;
    return true;
}

static void take_part(void *context, const struct sql_value *columns, uint32_t count)
{
    struct load_known *known = context;
    size_t skip = strlen(KNOWN_NOW);
    char name[80];

    copy_value(&columns[0], name, sizeof(name));
    if (strncmp(name, KNOWN_NOW, skip) == 0) {
        snprintf(known->now, sizeof(known->now), "%.23s", name + skip);
        return;
    }
    if (known->part_count == known->part_limit && !grow(known)) {
        return;
    }
    known->parts[known->part_count] = mem_strdup(name);
    known->failed |= known->parts[known->part_count] == NULL;
    known->part_count += known->parts[known->part_count] != NULL;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool load_known_part(const struct load_known *known, const char *name)
{
    return known->part_count > 0 &&
           bsearch(&name, known->parts, known->part_count, sizeof(*known->parts), compare) != NULL;
}

/* information_schema would leave out what this user may not touch: another's tables */
static const char names_of_postgres[] =
    "SELECT CAST(c.relname AS text) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
    "ON n.oid = c.relnamespace WHERE n.nspname = current_schema() "
    "AND c.relkind IN ('r', 'p', 'v', 'm', 'f')";

int load_known_read(struct load_known *known, struct sql_plain *plain,
                    const struct sql_schema *schema, struct error *err)
{
    bool postgres = schema->dialect == SQL_TEXT_POSTGRES;
    struct tables tables = {.known = known, .schema = schema};
    int rc;

    *known = (struct load_known){0};
    rc = sql_plain_run(plain, postgres ? "SELECT current_database()" : "SELECT DATABASE()",
                       take_database, known, err);
    if (rc == 0 && known->database[0] == '\0') {
        error_set(err, EXIT_USAGE, -EINVAL, "the URL names no database");
        return error_hint(err, "as in mysql://bench@db1/tpcc");
    }
    rc = rc == 0 ? sql_plain_run(plain,
                                 postgres ? names_of_postgres
                                          : "SELECT table_name FROM information_schema.tables "
                                            "WHERE table_schema = DATABASE()",
                                 take_table, &tables, err)
                 : rc;
    if (rc == 0 && known->has_load) {
        rc = sql_plain_run(plain, sql_schema_load_select, take_row, known, err);
        rc = rc == 0
                 ? sql_plain_run(plain, "SELECT part FROM rawtps_load_part", take_part, known, err)
                 : rc;
    }
    if (rc == 0 && known->failed) {
        rc = error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the list of loaded parts");
    }
    if (known->part_count > 0) {
        qsort(known->parts, known->part_count, sizeof(*known->parts), compare);
    }
    return rc;
}

/* ---- whether it will do ---- */

static int refuse_replace(const struct load_known *known, struct error *err)
{
    return error_hint(err, "--replace %s drops these tables, and loads", known->database);
}

static int judge_foreign(const struct load_known *known, struct error *err)
{
    if (known->taken[0] == '\0') {
        return 0;
    }
    error_set(err, EXIT_USAGE, -EEXIST,
              "database %s has a table %s that rawtps did not make (there is no rawtps_load)",
              known->database, known->taken);
    return error_hint(err, "another database, or --replace %s drops the tables, and loads",
                      known->database);
}

int load_known_judge(const struct load_known *known, const struct sql_schema *schema,
                     struct error *err)
{
    const struct sql_schema_load *row = &known->row;
    const char *unit = schema->tpcc ? "warehouses" : schema->sysbench ? "tables" : "units of scale";
    struct sql_schema_load want;

    sql_schema_load_of(schema, &want);
    if (!known->has_row) {
        return judge_foreign(known, err);
    }
    if (strcmp(row->workload, want.workload) != 0) {
        error_set(err, EXIT_USAGE, -EEXIST, "database %s was loaded for %s, the scenario is %s",
                  known->database, row->workload, want.workload);
    } else if (row->schema_version != want.schema_version) {
        error_set(err, EXIT_USAGE, -EEXIST,
                  "database %s was loaded by another version of rawtps (schema %u, this is %u)",
                  known->database, row->schema_version, want.schema_version);
    } else if (row->scale != want.scale) {
        error_set(err, EXIT_USAGE, -EEXIST,
                  "database %s has %" PRIu64 " %s, the scenario says %" PRIu64, known->database,
                  row->scale, unit, want.scale);
    } else if (row->rows_a_table != want.rows_a_table) {
        error_set(err, EXIT_USAGE, -EEXIST,
                  "database %s has %" PRIu64 " rows a table, the scenario says %" PRIu64,
                  known->database, row->rows_a_table, want.rows_a_table);
    } else if (row->seed != want.seed || row->c_load != want.c_load) {
        error_set(err, EXIT_USAGE, -EEXIST,
                  "database %s was loaded with another seed: its rows are others", known->database);
    } else {
        return 0;
    }
    return refuse_replace(known, err);
}

void load_known_free(struct load_known *known)
{
    for (uint32_t i = 0; i < known->part_count; i++) {
        mem_free(known->parts[i]);
    }
    mem_free(known->parts);
    *known = (struct load_known){0};
}
