/* sql/sql: connections to real databases, one call at a time or pipelined, never blocking. */
#ifndef RAWTPS_SQL_SQL_H
#define RAWTPS_SQL_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "io/loop.h"

enum sql_dialect { SQL_POSTGRES, SQL_MARIADB, SQL_DIALECTS };
extern const char *const sql_dialect_names[SQL_DIALECTS]; /* "postgresql" "mysql" */

/*
 * Where a server is: postgresql://user:password@host:port/database?sslmode=..., mysql://... ,
 * fake://?delay=1ms. host may be [::1] or a socket's folder (percent-encoded). The password never
 * appears in anything that is printed: sql_url_print() leaves it out.
 */
struct sql_url {
    enum sql_dialect dialect;
    bool fake;
    char user[64], password[256], host[256], port[8], database[64], options[256];
};
/* Errors: EXIT_USAGE, what was expected and where in the text. A password that the URL lacks comes
 * from the environment, ~/.pgpass or ~/.my.cnf when connecting. */
int sql_url_parse(struct sql_url *ret, const char *text, struct error *err);
void sql_url_print(const struct sql_url *url, struct text *ret);
/* The value of one of its options, decoded; false if it is not there. */
bool sql_url_option(const struct sql_url *url, const char *key, char *buf, size_t size);
/* Write over the passwords of all URLs in a text, in place, as in argv, where `ps` shows them. */
void sql_url_hide(char *text);

/* A statement as a connection needs it. Immutable, shared by all connections. */
struct sql_statement {
    uint32_t id;      /* from 0, below sql_options.statements: the key of the prepared ones */
    const char *text; /* with $1 (PostgreSQL) or ? (MariaDB) */
    uint8_t params;
    bool utility; /* BEGIN, COMMIT, ROLLBACK, SET: sent as text, never prepared */
};

enum { SQL_PARAMS = 16, SQL_COLUMNS = 16 };
enum sql_kind { SQL_NULL, SQL_INT, SQL_TEXT };
struct sql_value {
    enum sql_kind kind;
    int64_t number;
    const char *text; /* SQL_TEXT: the caller's until done(); of answers: valid during done() */
    uint32_t bytes;
};

/* How a call ended. */
enum sql_fate {
    SQL_DONE,
    SQL_RETRY,   /* 40001 40P01 55P03, 1213 1205 1020: roll back, the same transaction again */
    SQL_REFUSED, /* any other error of the server: in error[] */
    SQL_GONE,    /* the connection is lost; begin() fails until it is connected again */
};

/* One request of the caller's: its own again when done() has been called, once. */
struct sql_call {
    const struct sql_statement *statement;
    struct sql_value params[SQL_PARAMS];
    /* every row of the answer, in order; NULL: rows are only counted */
    void (*row)(struct sql_call *, const struct sql_value *columns, uint32_t count);
    void (*done)(struct sql_call *);
    enum sql_fate fate;
    uint32_t rows;   /* rows of the answer, or rows changed */
    char state[6];   /* SQLSTATE, or the number of a MariaDB error as text */
    char error[160]; /* the server's words, one line */
    struct sql_call *next;
    uint32_t own; /* the connection's */
};

struct sql;

struct sql_options {
    uint32_t statements; /* how many different ids there will be */
    bool prepared;       /* else plain text with literals */
    /*
     * Calls may be begun while others are under way (PostgreSQL only, and not by TLS: there they
     * wait for one another). They are sent together at the loop's next turn. Inside a transaction
     * one error ends all calls of the batch behind it, with SQL_REFUSED and state 25P02.
     */
    bool pipeline;
    /* fake only: row number `row` (from 0) of an answer; returns its columns, 0: no more rows.
     * NULL: as the URL says. */
    uint32_t (*answer)(void *context, const struct sql_call *, uint32_t row, struct sql_value *ret);
    void *context;
};

/*
 * Three implementations: pg, maria, fake. A connection needs two of the loop's polls (fake: none)
 * and one of its timers.
 */
struct sql_ops {
    const char *name;
    /*
     * Begin to connect; connected(context, err) comes later from a turn of the loop, err NULL if it
     * stands; else it is of no use but to be closed, and err is EXIT_FAILED with a hint. Errors at
     * once: -ENOMEM, a URL that the library refuses, a loop without sockets. Names are looked up
     * before it returns (they may block). To connect again, close it and connect anew.
     */
    int (*connect)(struct sql **ret, struct loop *loop, const struct sql_url *url,
                   const struct sql_options *options,
                   void (*connected)(void *context, struct sql *, const struct error *err),
                   void *context, struct error *err);
    /* Send a call; without pipeline one at a time (must()). Answers come in order, done() from a
     * turn of the loop or (the statement cannot be sent, the connection breaks) from begin(). */
    void (*begin)(struct sql *, struct sql_call *);
    /* Calls under way end with SQL_GONE before it returns. Takes NULL. Allowed in callbacks. */
    void (*close)(struct sql *);
    uint64_t (*memory_bytes)(const struct sql *); /* of ours, not the library's */
};
/* NULL, and err, if this program was built without it. */
const struct sql_ops *sql_ops_of(const struct sql_url *url, struct error *err);

/*
 * Blocking helpers for loads, checks and facts, on connections of their own: run one text, see
 * every row. Errors carry the server's words; EXIT_FAILED.
 */
struct sql_plain;
int sql_plain_open(struct sql_plain **ret, const struct sql_url *url, struct error *err);
int sql_plain_run(struct sql_plain *plain, const char *text,
                  void (*row)(void *context, const struct sql_value *columns, uint32_t count),
                  void *context, struct error *err);
/* One number of one row; -ENOENT if there is no row. */
int sql_plain_number(struct sql_plain *plain, const char *text, int64_t *ret, struct error *err);
/* Bulk load: rows as the server's text format wants them (COPY text; LOAD DATA LOCAL, or multi-row
 * INSERT where local_infile is off). columns NULL: all. Any row may bring the error of one before
 * it, and then the load is over; one that is not ended is given up by the next run or close. What
 * was sent is committed piece by piece unless a transaction is open (MariaDB). */
int sql_plain_load_begin(struct sql_plain *plain, const char *table, const char *columns,
                         struct error *err);
int sql_plain_load_row(struct sql_plain *plain, const struct sql_value *columns, uint32_t count,
                       struct error *err);
int sql_plain_load_end(struct sql_plain *plain, struct error *err);
void sql_plain_close(struct sql_plain *plain);

#endif
