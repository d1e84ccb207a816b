/* workload/catalog: the vocabulary of a workload: its tables, statements and transactions. */
#ifndef RAWTPS_WORKLOAD_CATALOG_H
#define RAWTPS_WORKLOAD_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

struct catalog_table {
    const char *name;
};

struct catalog_statement {
    const char *name; /* "new_order.stock_for_update" */
    uint8_t verb;     /* enum op_verb */
    uint8_t table;    /* index into tables */
};

struct catalog_kind {
    const char *name;     /* "new_order", "oltp_read_write", "data" */
    double share;         /* expected share of all transactions; 0 if it follows from settings */
    int64_t p90_limit_ns; /* TPC-C 5.2.5.3: 90th percentile below this; 0: none */
    bool deferred;        /* users are answered at once ("queued"), the work is done behind */
};

struct catalog {
    const char *name; /* "tpcc", "sysbench", "block" */
    const struct catalog_table *tables;
    const struct catalog_statement *statements;
    const struct catalog_kind *kinds;
    uint16_t table_count, statement_count, kind_count;
};

enum { CATALOG_KINDS = 8 }; /* most kinds a workload has */

#endif
