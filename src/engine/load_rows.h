/* engine/load_rows: the rows that a load puts into tables, each a function of (seed, table, key).
 */
#ifndef RAWTPS_ENGINE_LOAD_ROWS_H
#define RAWTPS_ENGINE_LOAD_ROWS_H

#include "base/rng.h"
#include "plan/plan.h"
#include "sql/sql.h"

enum { LOAD_COLUMNS = 24, LOAD_TEXT = 1024 };

/* A row while it is made: columns in the table's order; texts point into `text`. */
struct load_row {
    struct sql_value columns[LOAD_COLUMNS];
    uint32_t count, used;
    char text[LOAD_TEXT];
};

/* What rows are made from. */
struct load_source {
    const struct plan_vm *vm;
    uint64_t seed;
    uint32_t c_load; /* tpcc: the C of last names */
    char now[24];    /* "2026-01-31 12:00:00": every "now" of the load */
};

/* A stretch of one table that is committed at once. */
struct load_part {
    uint32_t table;    /* of sql_schema_table() */
    uint32_t number;   /* tpcc: the warehouse; others: which stretch of the table, from 0 */
    uint64_t from, to; /* keys [from, to), where a table has one key; else 0 */
    uint64_t rows;     /* about so many */
};

/* Takes one row; a negative return ends the part and is its result. */
typedef int load_put(void *context, const struct load_row *row);

/*
 * Every row of a part, in the order of its primary key. About 0.3 us a row and 1 ns a byte.
 * Returns 0 or what put() gave.
 */
int load_part_rows(const struct load_source *source, const struct load_part *part, load_put *put,
                   void *context);

/*
 * The parts of a VM's tables, in the order in which they are best loaded: ret NULL counts them.
 * One warehouse follows the other, and within it the tables; or one sbtest table the other.
 */
uint32_t load_parts(const struct plan_vm *vm, struct load_part *ret, uint64_t *ret_rows);

/* The kinds of workloads: load_tpcc.c, load_sbtest.c, load_tpcb.c. */
uint32_t tpcc_parts(const struct plan_vm *vm, struct load_part *ret);
int tpcc_part_rows(const struct load_source *source, const struct load_part *part, load_put *put,
                   void *context);
uint32_t sbtest_parts(const struct plan_vm *vm, struct load_part *ret);
int sbtest_part_rows(const struct load_source *source, const struct load_part *part, load_put *put,
                     void *context);
uint32_t tpcb_parts(const struct plan_vm *vm, struct load_part *ret);
int tpcb_part_rows(const struct load_source *source, const struct load_part *part, load_put *put,
                   void *context);

/* ---- columns ---- */

static inline void row_begin(struct load_row *row)
{
    row->count = row->used = 0;
}

void row_int(struct load_row *row, int64_t value);
void row_null(struct load_row *row);
void row_string(struct load_row *row, const char *text);                /* which outlives the row */
void row_bytes(struct load_row *row, const char *text, uint32_t bytes); /* copied */
void row_decimal(struct load_row *row, int64_t units, uint32_t digits); /* 12345, 2: 123.45 */
/* Letters of both cases and digits, of a length in [least, most] (clause 4.3.2.2). */
void row_letters(struct load_row *row, struct rng *rng, uint32_t least, uint32_t most);
void row_digits(struct load_row *row, struct rng *rng, uint32_t count);

#endif
