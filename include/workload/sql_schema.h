/* workload/sql_schema: the tables of the workloads as SQL, in the order in which a load makes them.
 */
#ifndef RAWTPS_WORKLOAD_SQL_SCHEMA_H
#define RAWTPS_WORKLOAD_SQL_SCHEMA_H

#include "base/text.h"
#include "workload/sql_text.h"

/* Raised whenever a table changes: a run refuses a database of another version. */
enum { SQL_SCHEMA_VERSION = 1 };

struct sql_schema {
    enum sql_text_dialect dialect;
    /* exactly one of the three */
    const struct tpcc_settings *tpcc; /* warehouses, seed */
    const struct sysbench_settings *sysbench;
    const struct tpcb_settings *tpcb;
    bool index_full;     /* TPC-C: an index a foreign key (WORKLOADS.md 1.2), else lean */
    bool foreign_keys;   /* TPC-C and tpcb */
    bool history_key;    /* TPC-C: history gets a primary key, which clusters insist on */
    bool procedures;     /* TPC-C: one round trip a transaction */
    uint32_t partitions; /* TPC-C: tables that have a warehouse, by hash of it; 0: none */
    const char *options; /* behind every CREATE TABLE, "ENGINE=InnoDB ROW_FORMAT=COMPRESSED",
                            "WITH (fillfactor=90)"; NULL or "": the server's */
};

/* In the order of a load. Every statement is one text for the server. */
enum sql_schema_stage {
    SQL_SCHEMA_META,       /* rawtps_load and rawtps_load_part, IF NOT EXISTS */
    SQL_SCHEMA_TABLES,     /* CREATE TABLE IF NOT EXISTS; MariaDB: with the primary key */
    SQL_SCHEMA_INDEXES,    /* after the rows: PostgreSQL's primary keys, then secondary indexes */
    SQL_SCHEMA_KEYS,       /* foreign keys, if wanted */
    SQL_SCHEMA_PROCEDURES, /* if wanted */
    SQL_SCHEMA_ANALYZE,
    SQL_SCHEMA_DROP, /* IF EXISTS, all that the stages make, rawtps_load last */
    SQL_SCHEMA_STAGES
};

/* -EINVAL: settings that no server takes together (MariaDB: foreign keys with partitions). */
int sql_schema_check(const struct sql_schema *schema, struct error *err);

/*
 * Statement i of a stage, from 0, into ret (cleared first). False: there are no more.
 * The indexes of one table follow each other, and different tables' may be made in parallel.
 *   table  index of the table the statement belongs to (sql_schema_table()), or UINT32_MAX;
 *          may be NULL
 */
bool sql_schema_statement(const struct sql_schema *schema, enum sql_schema_stage stage, uint32_t i,
                          struct text *ret, uint32_t *table);

/*
 * A query whose one number is above 0 if statement i has been carried out already; "" if it may be
 * carried out twice (tables, ANALYZE). For SQL_SCHEMA_INDEXES and SQL_SCHEMA_KEYS, so that a load
 * can be taken up again.
 */
void sql_schema_made(const struct sql_schema *schema, enum sql_schema_stage stage, uint32_t i,
                     struct text *ret);

/* How many stored procedures belong to it. */
uint32_t sql_schema_procedures(const struct sql_schema *schema);

/*
 * The tables that are filled: enum tpcc_table; sbtest by number from 0; tpcb: branches, tellers,
 * accounts, history.
 */
uint32_t sql_schema_table_count(const struct sql_schema *schema);
/* Name into ret (cleared first), and columns "w_id, w_name, ..." as sql_plain_load_begin() wants
 * them, in the order of WORKLOADS.md 1.2 (generated keys are left out). */
void sql_schema_table(const struct sql_schema *schema, uint32_t table, struct text *name,
                      struct text *columns);

/*
 * The one row of rawtps_load: what was loaded, so that a run asks rightly and a load goes on.
 *   rawtps_load(workload varchar(16), schema_version int, seed bigint, c_load int, scale bigint,
 *               rows_a_table bigint, options varchar(200), complete int)
 *   rawtps_load_part(part varchar(64) primary key): parts whose rows have been committed
 * seed is the uint64_t as int64_t. scale: warehouses, tables of sbtest, tpcb's scale.
 */
struct sql_schema_load {
    char workload[17];
    uint32_t schema_version, c_load;
    uint64_t seed, scale, rows_a_table;
    bool complete;
};
/* What the row should say of these settings. */
void sql_schema_load_of(const struct sql_schema *schema, struct sql_schema_load *ret);
/* INSERT of the row (complete 0), and its UPDATE at the end of the load. */
void sql_schema_load_insert(const struct sql_schema *schema, struct text *ret);
extern const char *const sql_schema_load_complete;
/* SELECT workload, schema_version, seed, c_load, scale, rows_a_table, complete FROM rawtps_load */
extern const char *const sql_schema_load_select;

#endif
