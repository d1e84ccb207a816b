/* sql/sql_drivers: who there is to ask for a connection. */
#ifndef RAWTPS_SQL_SQL_DRIVERS_H
#define RAWTPS_SQL_SQL_DRIVERS_H

#include "sql/sql.h"

#include "sql_bytes.h"

/* How rows are written for a bulk load. */
enum sql_plain_format {
    PLAIN_TABS,   /* a line a row, columns parted by tabs, \N, \\ \t \n */
    PLAIN_VALUES, /* (1,'text',NULL) parted by commas */
};

/* A blocking connection of one kind; made of a library's calls. */
struct sql_plain_ops {
    enum sql_dialect dialect;
    uint32_t piece_bytes; /* a piece of a load should have */
    int (*open)(void **ret, const struct sql_url *url, struct error *err);
    int (*run)(void *self, const char *text,
               void (*row)(void *context, const struct sql_value *columns, uint32_t count),
               void *context, struct error *err);
    int (*load_begin)(void *self, const char *table, const char *columns,
                      enum sql_plain_format *ret_format, struct error *err);
    /* Whole rows. */
    int (*load_piece)(void *self, const char *data, uint32_t bytes, uint32_t rows,
                      struct error *err);
    int (*load_end)(void *self, struct error *err);
    void (*load_abandon)(void *self); /* also after an error of load_piece() */
    void (*close)(void *self);
};

/* NULL, and err, if the program was built without the library. */
const struct sql_ops *sql_pg_driver(const struct sql_plain_ops **ret_plain, struct error *err);
const struct sql_ops *sql_maria_driver(const struct sql_plain_ops **ret_plain, struct error *err);
extern const struct sql_ops sql_fake_ops;

/* "postgresql://bench@host:5432/db: text" into err, with the hint; the password is not in it. */
int sql_url_error(struct error *err, const struct sql_url *url, const char *text, const char *hint);

#endif
