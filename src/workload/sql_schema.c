#include "workload/sql_schema.h"

#include "base/must.h"
#include "sql_procedures.h"
#include "sql_tables.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BIG_SCALE = 20000 }; /* pgbench: from here on aid is a bigint */

const char *const sql_schema_load_complete = "UPDATE rawtps_load SET complete = 1";
const char *const sql_schema_load_select =
    "SELECT workload, schema_version, seed, c_load, scale, rows_a_table, complete "
    "FROM rawtps_load";

static const struct sql_tables *tables_of(const struct sql_schema *schema)
{
    return schema->tpcc       ? &sql_tables_tpcc
           : schema->sysbench ? &sql_tables_sysbench
                              : &sql_tables_tpcb;
}

static bool is_postgres(const struct sql_schema *schema)
{
    return schema->dialect == SQL_TEXT_POSTGRES;
}

uint32_t sql_schema_table_count(const struct sql_schema *schema)
{
    return schema->sysbench ? schema->sysbench->tables : tables_of(schema)->table_count;
}

static const struct sql_table *table_of(const struct sql_schema *schema, uint32_t table)
{
    if (schema->sysbench) {
        return &sql_tables_sysbench.tables[0];
    }
    if (schema->tpcc && schema->history_key && table == TPCC_HISTORY) {
        return &sql_tables_history_key;
    }
    if (schema->tpcb && schema->tpcb->scale >= BIG_SCALE && table == 2) {
        return &sql_tables_big_accounts;
    }
    return &tables_of(schema)->tables[table];
}

/* A name whose '#' is the number of the table, counted from 1. */
static void add_name(struct text *ret, const char *name, uint32_t table)
{
    for (; *name != '\0'; name++) {
        if (*name == '#') {
            text_addf(ret, "%u", table + 1);
        } else {
            text_add_char(ret, *name);
        }
    }
}

static void add_type(const struct sql_schema *schema, struct text *ret, const char *type)
{
    if (strcmp(type, "~") == 0) {
        text_add(ret, is_postgres(schema) ? "timestamp" : "datetime");
    } else if (strcmp(type, "&") != 0) {
        text_add(ret, type);
    } else if (schema->sysbench) {
        text_add(ret, is_postgres(schema) ? "serial" : "int NOT NULL AUTO_INCREMENT");
    } else {
        text_add(ret, is_postgres(schema) ? "bigserial" : "bigint NOT NULL AUTO_INCREMENT");
    }
}

static bool is_generated(const struct sql_table_column *column)
{
    return strcmp(column->name, "h_id") == 0;
}

static uint32_t partitions_of(const struct sql_schema *schema, const struct sql_table *table)
{
    return table->warehouse ? schema->partitions : 0;
}

static void add_options(const struct sql_schema *schema, struct text *ret, bool parent)
{
    if (schema->options && schema->options[0] != '\0' && !(parent && is_postgres(schema))) {
        text_addf(ret, " %s", schema->options);
    }
}

static void add_columns(const struct sql_schema *schema, const struct sql_table *table,
                        struct text *ret)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        text_addf(ret, "%s%s ", i > 0 ? ", " : "", table->columns[i].name);
        add_type(schema, ret, table->columns[i].type);
    }
    if (!is_postgres(schema) && table->primary) {
        text_addf(ret, ", PRIMARY KEY (%s)", table->primary);
    }
}

static void create_table(const struct sql_schema *schema, uint32_t number, struct text *ret)
{
    const struct sql_table *table = table_of(schema, number);
    uint32_t partitions = partitions_of(schema, table);

    text_add(ret, "CREATE TABLE IF NOT EXISTS ");
    add_name(ret, table->name, number);
    text_add(ret, " (");
    add_columns(schema, table, ret);
    text_add(ret, ")");
    if (is_postgres(schema) && partitions > 0) {
        text_addf(ret, " PARTITION BY HASH (%s)", table->warehouse);
    }
    if (!is_postgres(schema) && (!schema->options || !strstr(schema->options, "ENGINE"))) {
        text_add(ret, " ENGINE=InnoDB");
    }
    add_options(schema, ret, partitions > 0);
    if (!is_postgres(schema) && partitions > 0) {
        text_addf(ret, " PARTITION BY HASH (%s) PARTITIONS %u", table->warehouse, partitions);
    }
}

/* PostgreSQL's partitions are tables of their own, named behind their parents. */
static bool create_partition(const struct sql_schema *schema, uint32_t i, struct text *ret,
                             uint32_t *number)
{
    if (!is_postgres(schema)) {
        return false;
    }
    for (uint32_t t = 0; t < sql_schema_table_count(schema); t++) {
        const struct sql_table *table = table_of(schema, t);
        uint32_t partitions = partitions_of(schema, table);

        if (i < partitions) {
            text_addf(ret,
                      "CREATE TABLE IF NOT EXISTS %s_p%u PARTITION OF %s "
                      "FOR VALUES WITH (MODULUS %u, REMAINDER %u)",
                      table->name, i, table->name, partitions, i);
            add_options(schema, ret, false);
            *number = t;
            return true;
        }
        i -= partitions;
    }
    return false;
}

static bool tables_statement(const struct sql_schema *schema, uint32_t i, struct text *ret,
                             uint32_t *table)
{
    uint32_t count = sql_schema_table_count(schema);

    if (i >= count) {
        return create_partition(schema, i - count, ret, table);
    }
    create_table(schema, i, ret);
    *table = i;
    return true;
}

/* What a key statement makes: a primary key, an index, a sequence's position, a foreign key. */
enum made_kind { MADE_PRIMARY, MADE_INDEX, MADE_SEQUENCE, MADE_FOREIGN };
struct made {
    enum made_kind kind;
    uint32_t table;
    const struct sql_table_key *key;
};

static bool key_wanted(const struct sql_schema *schema, const struct sql_table_key *key,
                       bool foreign)
{
    if (foreign) {
        return key->references && schema->foreign_keys;
    }
    return !key->references && (!key->full || schema->index_full);
}

/* Statement i of the keys of one kind, table by table. */
static bool find_key(const struct sql_schema *schema, bool foreign, uint32_t i, struct made *ret)
{
    const struct sql_tables *tables = tables_of(schema);

    for (uint32_t t = 0; t < sql_schema_table_count(schema); t++) {
        bool own = !foreign && is_postgres(schema) && table_of(schema, t)->primary;

        ret->table = t;
        ret->key = NULL;
        ret->kind = MADE_PRIMARY;
        if (own && i-- == 0) {
            return true;
        }
        ret->kind = MADE_SEQUENCE;
        if (own && schema->sysbench && i-- == 0) {
            return true;
        }
        for (uint32_t k = 0; k < tables->key_count; k++) {
            const struct sql_table_key *key = &tables->keys[k];

            ret->key = key;
            ret->kind = foreign ? MADE_FOREIGN : MADE_INDEX;
            if ((schema->sysbench || key->table == t) && key_wanted(schema, key, foreign) &&
                i-- == 0) {
                return true;
            }
        }
    }
    return false;
}

static void write_key(const struct sql_schema *schema, const struct made *made, struct text *ret)
{
    const struct sql_table *table = table_of(schema, made->table);

    switch (made->kind) {
    case MADE_PRIMARY:
        text_add(ret, "ALTER TABLE ");
        add_name(ret, table->name, made->table);
        text_add(ret, " ADD CONSTRAINT ");
        add_name(ret, table->name, made->table);
        text_addf(ret, "_pkey PRIMARY KEY (%s)", table->primary);
        break;
    case MADE_SEQUENCE:
        text_addf(ret,
                  "SELECT setval(pg_get_serial_sequence('sbtest%u', 'id'), "
                  "coalesce(max(id), 1)) FROM sbtest%u",
                  made->table + 1, made->table + 1);
        break;
    case MADE_INDEX:
        text_add(ret, "CREATE INDEX ");
        add_name(ret, made->key->name, made->table);
        text_add(ret, " ON ");
        add_name(ret, table->name, made->table);
        text_addf(ret, " (%s)", made->key->columns);
        break;
    case MADE_FOREIGN:
        text_addf(ret, "ALTER TABLE %s ADD CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s",
                  table->name, made->key->name, made->key->columns, made->key->references);
        break;
    }
}

static void write_made(const struct sql_schema *schema, const struct made *made, struct text *ret)
{
    const struct sql_table *table = table_of(schema, made->table);

    if (made->kind == MADE_SEQUENCE) {
        return;
    }
    if (is_postgres(schema)) {
        text_add(ret, made->kind == MADE_INDEX
                          ? "SELECT count(*) FROM pg_class WHERE relkind IN ('i', 'I') AND "
                            "pg_table_is_visible(oid) AND relname = '"
                          : "SELECT count(*) FROM pg_constraint c JOIN pg_class r ON r.oid = "
                            "c.conrelid WHERE pg_table_is_visible(r.oid) AND c.conparentid = 0 "
                            "AND c.conname = '");
    } else {
        text_addf(ret, "SELECT count(*) FROM information_schema.%s",
                  made->kind == MADE_INDEX
                      ? "statistics WHERE table_schema = database() AND index_name = '"
                      : "table_constraints WHERE constraint_schema = database() AND "
                        "constraint_name = '");
    }
    if (made->key) {
        add_name(ret, made->key->name, made->table);
    } else {
        add_name(ret, table->name, made->table);
        text_add(ret, "_pkey");
    }
    text_add(ret, "'");
}

static bool meta_statement(const struct sql_schema *schema, uint32_t i, struct text *ret)
{
    static const char *const texts[] = {
        "CREATE TABLE IF NOT EXISTS rawtps_load (workload varchar(16) NOT NULL PRIMARY KEY, "
        "schema_version int NOT NULL, seed bigint NOT NULL, c_load int NOT NULL, "
        "scale bigint NOT NULL, rows_a_table bigint NOT NULL, options varchar(200) NOT NULL, "
        "complete int NOT NULL)",
        "CREATE TABLE IF NOT EXISTS rawtps_load_part (part varchar(64) NOT NULL PRIMARY KEY)",
    };

    if (i >= sizeof(texts) / sizeof(*texts)) {
        return false;
    }
    text_add(ret, texts[i]);
    return true;
}

static bool analyze_statement(const struct sql_schema *schema, uint32_t i, struct text *ret)
{
    if (i >= sql_schema_table_count(schema)) {
        return false;
    }
    text_add(ret, is_postgres(schema) ? "VACUUM ANALYZE " : "ANALYZE TABLE ");
    add_name(ret, table_of(schema, i)->name, i);
    return true;
}

/* Children of foreign keys go before their parents. */
static bool drop_statement(const struct sql_schema *schema, uint32_t i, struct text *ret,
                           uint32_t *table)
{
    static const uint8_t tpcc_order[TPCC_TABLES] = {TPCC_HISTORY,  TPCC_NEW_ORDERS, TPCC_ORDER_LINE,
                                                    TPCC_ORDERS,   TPCC_STOCK,      TPCC_ITEM,
                                                    TPCC_CUSTOMER, TPCC_DISTRICT,   TPCC_WAREHOUSE};
    uint32_t count = sql_schema_table_count(schema);

    if (i >= count) {
        i -= count;
        if (schema->tpcc && sql_procedures_drop(schema->dialect, i, ret)) {
            return true;
        }
        i -= schema->tpcc ? sql_procedures_count() : 0;
        text_add(ret, i == 0 ? "DROP TABLE IF EXISTS rawtps_load_part"
                             : "DROP TABLE IF EXISTS rawtps_load");
        return i < 2;
    }
    *table = schema->tpcc ? tpcc_order[i] : schema->tpcb ? count - 1 - i : i;
    text_add(ret, "DROP TABLE IF EXISTS ");
    add_name(ret, table_of(schema, *table)->name, *table);
    text_add(ret, is_postgres(schema) ? " CASCADE" : "");
    return true;
}

bool sql_schema_statement(const struct sql_schema *schema, enum sql_schema_stage stage, uint32_t i,
                          struct text *ret, uint32_t *table)
{
    uint32_t none;
    struct made made;

    text_clear(ret);
    table = table ? table : &none;
    *table = UINT32_MAX;
    switch (stage) {
    case SQL_SCHEMA_META:
        return meta_statement(schema, i, ret);
    case SQL_SCHEMA_TABLES:
        return tables_statement(schema, i, ret, table);
    case SQL_SCHEMA_INDEXES:
    case SQL_SCHEMA_KEYS:
        if (!find_key(schema, stage == SQL_SCHEMA_KEYS, i, &made)) {
            return false;
        }
        *table = made.table;
        write_key(schema, &made, ret);
        return true;
    case SQL_SCHEMA_PROCEDURES:
        return schema->tpcc && schema->procedures && sql_procedures_create(schema->dialect, i, ret);
    case SQL_SCHEMA_ANALYZE:
        *table = i;
        return analyze_statement(schema, i, ret);
    case SQL_SCHEMA_DROP:
        return drop_statement(schema, i, ret, table);
    case SQL_SCHEMA_STAGES:
        break;
    }
    must(!"a stage");
    return false;
}

void sql_schema_made(const struct sql_schema *schema, enum sql_schema_stage stage, uint32_t i,
                     struct text *ret)
{
    struct made made;

    text_clear(ret);
    if ((stage == SQL_SCHEMA_INDEXES || stage == SQL_SCHEMA_KEYS) &&
        find_key(schema, stage == SQL_SCHEMA_KEYS, i, &made)) {
        write_made(schema, &made, ret);
    }
}

void sql_schema_table(const struct sql_schema *schema, uint32_t number, struct text *name,
                      struct text *columns)
{
    const struct sql_table *table = table_of(schema, number);

    must(number < sql_schema_table_count(schema));
    text_clear(name);
    text_clear(columns);
    add_name(name, table->name, number);
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (!is_generated(&table->columns[i])) {
            text_addf(columns, "%s%s", i > 0 ? ", " : "", table->columns[i].name);
        }
    }
}

uint32_t sql_schema_procedures(const struct sql_schema *schema)
{
    return schema->tpcc && schema->procedures ? sql_procedures_count() : 0;
}

int sql_schema_check(const struct sql_schema *schema, struct error *err)
{
    must((schema->tpcc != NULL) + (schema->sysbench != NULL) + (schema->tpcb != NULL) == 1);
    if (!is_postgres(schema) && schema->partitions > 0 && schema->foreign_keys) {
        error_set(err, EXIT_USAGE, -EINVAL,
                  "foreign keys and partitions: MySQL and MariaDB take but one of them");
        return error_hint(err, "leave out one of the two");
    }
    if (!schema->tpcc && (schema->partitions > 0 || schema->procedures || schema->history_key)) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "partitions, procedures and a key of history are TPC-C's alone");
    }
    return 0;
}

void sql_schema_load_of(const struct sql_schema *schema, struct sql_schema_load *ret)
{
    struct tpcc_constants constants;

    *ret = (struct sql_schema_load){.schema_version = SQL_SCHEMA_VERSION};
    if (schema->tpcc) {
        tpcc_constants(schema->tpcc->seed, &constants);
        ret->c_load = constants.c_last_load;
        ret->seed = schema->tpcc->seed;
        ret->scale = schema->tpcc->warehouses;
    } else if (schema->sysbench) {
        ret->seed = schema->sysbench->seed;
        ret->scale = schema->sysbench->tables;
        ret->rows_a_table = schema->sysbench->rows;
    } else {
        ret->seed = schema->tpcb->seed;
        ret->scale = schema->tpcb->scale;
    }
    snprintf(ret->workload, sizeof(ret->workload), "%s",
             schema->tpcc       ? "tpcc"
             : schema->sysbench ? "sysbench"
                                : "tpcb");
}

void sql_schema_load_insert(const struct sql_schema *schema, struct text *ret)
{
    struct sql_schema_load load;

    sql_schema_load_of(schema, &load);
    text_clear(ret);
    text_addf(ret,
              "INSERT INTO rawtps_load (workload, schema_version, seed, c_load, scale, "
              "rows_a_table, options, complete) VALUES ('%s', %u, %lld, %u, %llu, %llu, "
              "'index_set %s, foreign_keys %s, history_key %s, partitions %u', 0)",
              load.workload, load.schema_version, (long long)load.seed, load.c_load,
              (unsigned long long)load.scale, (unsigned long long)load.rows_a_table,
              schema->index_full ? "full" : "lean", schema->foreign_keys ? "yes" : "no",
              schema->history_key ? "auto" : "none", schema->partitions);
}
