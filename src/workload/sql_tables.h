/* workload/sql_tables: the tables of the workloads as data, from which their SQL is made. */
#ifndef RAWTPS_WORKLOAD_SQL_TABLES_H
#define RAWTPS_WORKLOAD_SQL_TABLES_H

#include "workload/sql_schema.h"

/* '~' in a type is the dialect's date and time, '&' a key that the server draws. */
struct sql_table_column {
    const char *name, *type;
};

struct sql_table {
    const char *name; /* '#' in it and in indexes: the table's number */
    const struct sql_table_column *columns;
    uint32_t column_count;
    const char *primary;   /* columns of the primary key; NULL: none */
    const char *warehouse; /* column to partition by; NULL: it is not partitioned */
};

/* An index or foreign key behind the rows. */
struct sql_table_key {
    const char *name;
    uint32_t table;
    const char *columns;
    const char *references; /* "customer (c_w_id, c_d_id, c_id)"; NULL: an index */
    bool full;              /* an index of the full set alone */
};

struct sql_tables {
    const struct sql_table *tables;
    const struct sql_table_key *keys;
    uint32_t table_count, key_count;
};

extern const struct sql_tables sql_tables_tpcc, sql_tables_sysbench, sql_tables_tpcb;
/* TPC-C's history with a primary key, and pgbench_accounts of 2^31 rows or more. */
extern const struct sql_table sql_tables_history_key, sql_tables_big_accounts;

#endif
