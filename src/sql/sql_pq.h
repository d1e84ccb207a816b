/* sql/sql_pq: what the files that call libpq share; none includes its header but this one. */
#ifndef RAWTPS_SQL_SQL_PQ_H
#define RAWTPS_SQL_SQL_PQ_H

#include <libpq-fe.h>

#include "sql_drivers.h"
#include "sql_pg_wire.h"

enum { PG_WORDS = 16 };

/* What libpq is told of a URL. It points into both. */
struct sql_pq_words {
    const char *keys[PG_WORDS], *values[PG_WORDS];
    int count;
    char decoded[8][256]; /* values of options */
};
void sql_pq_words(struct sql_pq_words *words, const struct sql_url *url);
int64_t sql_pq_timeout_ns(const struct sql_url *url);
/* Why a connection does not stand. Its messages must be verbose. */
int sql_pq_error(struct error *err, const struct sql_url *url, const PGconn *conn);

extern const struct sql_plain_ops sql_pg_plain_ops;

#endif
