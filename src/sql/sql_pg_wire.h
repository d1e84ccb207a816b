/* sql/sql_pg_wire: PostgreSQL's protocol 3 on a socket that stands. */
#ifndef RAWTPS_SQL_SQL_PG_WIRE_H
#define RAWTPS_SQL_SQL_PG_WIRE_H

#include "sql_session.h"

/* What a connection knows of a statement. */
struct pg_statement {
    uint8_t parsed; /* not 0: the server has it, or will have it before what is sent next */
    uint8_t columns;
    uint16_t numbers; /* bit c: column c is an integer */
};

struct sql_pg {
    struct sql sql;
    void *library;       /* PGconn while it connects, and of an encrypted connection */
    struct sql_url *url; /* while it connects */
    struct pg_statement *statements;
    struct pg_statement once;    /* of a text that was not prepared */
    uint32_t batch, ready;       /* Syncs sent, and answered */
    bool in_txn;                 /* by what was sent */
    bool open_batch;             /* something was sent that no Sync has followed */
    bool failed;                 /* an error has come for the call that ends with the next ready */
    const struct sql_call *sent; /* library: the call that is under way */
    bool preparing;
};

extern const struct sql_speech sql_pg_speech;
void sql_pg_free(struct sql *sql);

/* One value; of the library's results too. */
void sql_pg_value(struct sql_value *ret, const char *text, int32_t bytes, bool number);
bool sql_pg_type_is_number(uint32_t oid);

#endif
