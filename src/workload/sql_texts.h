/* workload/sql_texts: how the statements of a workload are put together. */
#ifndef RAWTPS_WORKLOAD_SQL_TEXTS_H
#define RAWTPS_WORKLOAD_SQL_TEXTS_H

#include "base/text.h"
#include "workload/sql_text.h"

enum { SQL_TEXTS_STATEMENTS = 64 };

struct sql_texts {
    enum sql_text_dialect dialect;
    const struct catalog *catalog;
    uint32_t count, limit;
    struct sql_text *texts;
    uint32_t first[SQL_TEXTS_STATEMENTS]; /* by statement of the catalog: id of its first text */
    uint32_t tables;                      /* sbtest */
    uint32_t (*of)(const struct sql_texts *, const struct op *);
    bool failed; /* no memory */
};

/*
 * A statement as its workload writes it, once for all dialects or once each:
 *   ?  a parameter        @  a parameter in cents, as money        #  number of the table
 *   keys     a letter a parameter: '0' to '7' op->key, else what sql_texts_from() says
 *   columns  what becomes of the columns, sql_texts_into()
 */
struct sql_draft {
    const char *text[SQL_TEXT_DIALECTS]; /* the second NULL: as the first */
    const char *keys, *columns;
    bool needed, utility, duplicate_retries, whole;
};

/* Adds a text for a statement; the first one of it is remembered. number replaces '#'. */
void sql_texts_add(struct sql_texts *texts, uint32_t statement, const struct sql_draft *draft,
                   uint32_t number);

/* "supply,item,number,quantity" of each line of a New-Order, in the order of asking. */
uint32_t tpcc_sql_lines(const struct txn *txn, char *buf, uint32_t size);

void tpcc_sql_build(struct sql_texts *texts);
void sysbench_sql_build(struct sql_texts *texts, uint32_t tables);
void tpcb_sql_build(struct sql_texts *texts);

#endif
