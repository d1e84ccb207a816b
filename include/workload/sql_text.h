/* workload/sql_text: the statements of the workloads as SQL, and what their answers mean. */
#ifndef RAWTPS_WORKLOAD_SQL_TEXT_H
#define RAWTPS_WORKLOAD_SQL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "workload/catalog.h"
#include "workload/op.h"
#include "workload/sysbench.h"
#include "workload/tpcb.h"
#include "workload/tpcc.h"

/* In the order of enum sql_dialect (sql/sql.h), which this room does not know. */
enum sql_text_dialect { SQL_TEXT_POSTGRES, SQL_TEXT_MARIADB, SQL_TEXT_DIALECTS };

enum {
    SQL_TEXT_PARAMS = 10,
    SQL_TEXT_COLUMNS = 4, /* of an answer: those behind are read and dropped */
    SQL_TEXT_BYTES = 512, /* most bytes of all texts among the parameters of one statement */
    SQL_TEXT_ROWS = 128,  /* the middle row is exact up to twice as many rows */
};

/* Where a parameter comes from. */
enum sql_text_from {
    SQL_FROM_KEY,       /* op->key[key], an integer; money in cents, which the text multiplies */
    SQL_FROM_DIST_INFO, /* s_dist_dd of the stock read before */
    SQL_FROM_H_DATA,    /* w_name, 4 blanks, d_name: both read before (clause 2.5.2.2) */
    SQL_FROM_C_DATA,    /* what a Payment puts before the c_data of bad credit (clause 2.5.2.2) */
    SQL_FROM_NAME,      /* last name of number op->key[key] */
    SQL_FROM_C,         /* sbtest.c of text seed op->key[key] */
    SQL_FROM_PAD,       /* sbtest.pad of it */
    SQL_FROM_LINES,     /* a New-Order's lines, for a stored procedure */
};
struct sql_text_param {
    uint8_t from, key;
};

/* What becomes of a column of the answer. */
enum sql_text_into {
    SQL_INTO_NOTHING,
    SQL_INTO_ANSWER,    /* op->answer[answer] of the first row, times 10^scale, exactly */
    SQL_INTO_MIDDLE,    /* op->answer[answer] of row n/2 rounded up, counted from 1 */
    SQL_INTO_CREDIT,    /* op->answer[answer]: 1 if the text is BC */
    SQL_INTO_DIST_INFO, /* remembered for SQL_FROM_DIST_INFO */
    SQL_INTO_W_NAME,    /* and for SQL_FROM_H_DATA */
    SQL_INTO_D_NAME,
    SQL_INTO_ROWS, /* op->rows: a procedure's way to say how many */
};
struct sql_text_column {
    uint8_t into, answer, scale;
};

/* What a procedure is refused with that rolls back by its own rules, in each dialect. */
extern const char *const sql_text_rolled_back[SQL_TEXT_DIALECTS]; /* "RT001" "1644" */

/* A statement in one dialect, and its table or district where the text differs by that. */
struct sql_text {
    const char *text;   /* with $1 (PostgreSQL) or ? (MariaDB) */
    uint16_t statement; /* index into catalog->statements */
    uint8_t param_count, column_count;
    bool utility;    /* BEGIN, COMMIT, ROLLBACK: never prepared */
    bool needed;     /* its answer, or what it remembers, is needed to ask on; else it may be
                        sent ahead of its answer within a transaction */
    bool every_row;  /* its columns want every row, not the first alone */
    bool tells_rows; /* op->rows comes from a column, not from the number of rows */
    bool whole; /* a whole transaction; refused with sql_text_rolled_back it rolled itself back */
    bool duplicate_retries; /* PostgreSQL's 23505 is another transaction's doing: repeat */
    struct sql_text_param params[SQL_TEXT_PARAMS];
    struct sql_text_column columns[SQL_TEXT_COLUMNS];
};

/* What a transaction must remember between two statements: lies with its connection. */
struct sql_text_memory {
    char dist_info[25], w_name[11], d_name[11];
    uint32_t rows, first, held; /* rows seen; ring of the rows behind the middle */
    uint16_t ring[SQL_TEXT_ROWS];
};

/* All statements of a workload in one dialect. Immutable: threads share it. */
struct sql_texts;
struct sql_texts_settings {
    enum sql_text_dialect dialect;
    /* exactly one of the three; read by sql_texts_open() alone */
    const struct tpcc_settings *tpcc;
    const struct sysbench_settings *sysbench;
    const struct tpcb_settings *tpcb;
};
/* Errors: -ENOMEM. */
struct sql_texts *sql_texts_open(const struct sql_texts_settings *settings, struct error *err);
void sql_texts_free(struct sql_texts *texts); /* takes NULL */

enum sql_text_dialect sql_texts_dialect(const struct sql_texts *texts);
const struct catalog *sql_texts_catalog(const struct sql_texts *texts);
/* How many there are, hence how many statements a connection prepares at most. */
uint32_t sql_texts_count(const struct sql_texts *texts);
const struct sql_text *sql_texts_at(const struct sql_texts *texts, uint32_t id);
/* The id of what an operation asks. O(1). */
uint32_t sql_texts_of(const struct sql_texts *texts, const struct op *op);

/*
 * A parameter that is a text, written to buf (without a zero at its end).
 *   returns  its bytes; at most `size`, which SQL_TEXT_BYTES satisfies for a whole statement
 */
uint32_t sql_text_write(const struct sql_text_param *param, const struct op *op,
                        const struct sql_text_memory *memory, char *buf, uint32_t size);

/* Before the first row of an answer. */
void sql_text_begin(struct sql_text_memory *memory, struct op *op);
/*
 * A column of a row, as text (text not NULL) or as number; NULL of the database is text NULL,
 * number 0. Columns of a row come in order, beginning with column 0.
 */
void sql_text_read(const struct sql_text *text, uint32_t column, int64_t number, const char *data,
                   uint32_t bytes, struct sql_text_memory *memory, struct op *op);

/*
 * "123.45" times 10^scale as an integer, exactly: -1, 2 digits behind the point too many are cut
 * (none of ours has any); "" is 0. No floating point.
 */
int64_t sql_text_decimal(const char *data, uint32_t bytes, uint32_t scale);
/* cents as "-123.45" into buf of at least 24 bytes; returns its length. */
uint32_t sql_text_money(int64_t cents, char *buf);

/*
 * Texts of the rows, functions of a seed, for loads and runs. Each ends with a zero.
 *   sysbench  c: ten groups of 11 digits joined by "-" (119 bytes), pad: five groups (59)
 *   tpcc      last name of a number 0..999 (clause 4.3.2.3), at most 15 bytes; returns its length
 */
enum { SYSBENCH_C_BYTES = 119, SYSBENCH_PAD_BYTES = 59, TPCC_NAME_BYTES = 15 };
void sysbench_sql_c(uint64_t text_seed, char ret[SYSBENCH_C_BYTES + 1]);
void sysbench_sql_pad(uint64_t text_seed, char ret[SYSBENCH_PAD_BYTES + 1]);
uint32_t tpcc_sql_name(uint32_t number, char ret[TPCC_NAME_BYTES + 1]);

#endif
