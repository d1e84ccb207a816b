/* workload/sysbench: the Sysbench OLTP mixes on sbtest tables, from their documentation. */
#ifndef RAWTPS_WORKLOAD_SYSBENCH_H
#define RAWTPS_WORKLOAD_SYSBENCH_H

#include "base/dist.h"
#include "workload/workload.h"

enum sysbench_mix {
    SYSBENCH_READ_WRITE,
    SYSBENCH_READ_ONLY,
    SYSBENCH_WRITE_ONLY,
    SYSBENCH_POINT_SELECT,
    SYSBENCH_UPDATE_INDEX,
    SYSBENCH_UPDATE_NON_INDEX,
    SYSBENCH_INSERT,
    SYSBENCH_DELETE,
    SYSBENCH_MIXES
};
extern const char *const sysbench_mix_names[SYSBENCH_MIXES]; /* "oltp_read_write" ... */

/* Statements: key[0] is the table from 0, key[1] the id from 1. */
enum sysbench_statement {
    SYSBENCH_S_BEGIN,
    SYSBENCH_S_COMMIT,
    SYSBENCH_S_ROLLBACK,
    SYSBENCH_S_POINT, /* t id */
    SYSBENCH_S_RANGE, /* t from to: simple, sum, order, distinct */
    SYSBENCH_S_SUM,
    SYSBENCH_S_ORDER,
    SYSBENCH_S_DISTINCT,
    SYSBENCH_S_UPDATE_INDEX,     /* t id */
    SYSBENCH_S_UPDATE_NON_INDEX, /* t id text_seed */
    SYSBENCH_S_DELETE,           /* t id */
    SYSBENCH_S_INSERT,           /* t id k text_seed; id 0: the next auto-increment value */
    SYSBENCH_STATEMENTS
};

struct sysbench_settings {
    enum sysbench_mix mix;
    uint32_t tables, threads, range_size;
    uint64_t rows; /* a table */
    uint32_t point_selects, simple_ranges, sum_ranges, order_ranges, distinct_ranges;
    uint32_t index_updates, non_index_updates, delete_inserts;
    bool skip_trx;
    enum dist_kind rand_type;
    double rand_param; /* 0: the distribution's default */
    uint64_t seed;
};
/* Sysbench 1.0's defaults: 10 point selects, 1 of each other, range 100. */
void sysbench_defaults(struct sysbench_settings *settings);

/*
 * One kind of transaction, the mix: catalog() of what is returned has that kind alone,
 * sysbench_catalog() names all mixes. NULL if a setting is out of range or no statement is left.
 */
struct workload *sysbench_open(const struct sysbench_settings *settings, struct error *err);
const struct catalog *sysbench_catalog(void);

/* k of a loaded row: drawn from the load's distribution; function of (seed, table, id). */
uint64_t sysbench_loaded_k(const struct sysbench_settings *settings, uint32_t table, uint64_t id);

#endif
