/* sql/sql_maria_wire: the protocol of MySQL and MariaDB on a socket that stands. */
#ifndef RAWTPS_SQL_SQL_MARIA_WIRE_H
#define RAWTPS_SQL_SQL_MARIA_WIRE_H

#include "sql_session.h"

enum maria_prepared { PREPARED_NOT, PREPARED_STANDS, PREPARED_NEVER }; /* NEVER: goes as text */

/* What a connection knows of a statement. */
struct maria_statement {
    uint32_t server_id;
    uint8_t prepared;
    uint8_t columns;
    uint8_t types[SQL_COLUMNS]; /* enum maria_column (sql_maria_wire.c) */
};

enum maria_phase {
    PHASE_IDLE,
    PHASE_PREPARE,        /* the answer to COM_STMT_PREPARE */
    PHASE_PREPARE_PARAMS, /* definitions of parameters, and then of columns */
    PHASE_PREPARE_COLUMNS,
    PHASE_ANSWER, /* OK, an error, or how many columns there are */
    PHASE_COLUMNS,
    PHASE_COLUMNS_END,
    PHASE_ROWS,
};

struct sql_maria {
    struct sql sql;
    void *library;       /* MYSQL while it connects */
    struct sql_url *url; /* while it connects */
    struct maria_statement *statements;
    struct maria_statement once; /* of a text that was not prepared */
    enum maria_phase phase;
    uint16_t left, columns;          /* definitions still to come; columns of what is prepared */
    uint16_t definition;             /* number of the next one */
    bool binary;                     /* the rows that come are binary */
    bool no_backslashes;             /* the server's strings know none */
    bool deprecate_eof;              /* definitions end without a packet of their own */
    bool waits;                      /* the library is in the middle of connecting */
    struct sql_mysql_thread *thread; /* of a connection by TLS (sql_maria_calls.c) */
};

extern const struct sql_speech sql_maria_speech;
void sql_maria_free(struct sql *sql);

/* One value of a text answer, by the type's number of the protocol. */
void sql_maria_value(struct sql_value *ret, const char *text, uint64_t bytes, uint8_t type);

#endif
