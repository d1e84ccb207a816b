/* sql/sql_mysql: what the files that call libmariadb share; none includes its header but this. */
#ifndef RAWTPS_SQL_SQL_MYSQL_H
#define RAWTPS_SQL_SQL_MYSQL_H

#include <mysql.h>

#include <errmsg.h>

#include "sql_drivers.h"
#include "sql_maria_wire.h"

/* What mysql_real_connect() is told of a URL, and points into; NULL: the library chooses. */
struct sql_mysql_place {
    const char *host, *user, *password, *database, *socket;
    unsigned port;
    unsigned long flags;
};
/* NULL: no memory. */
MYSQL *sql_mysql_open(const struct sql_url *url, struct sql_mysql_place *ret);
/* TLS is demanded; the library connects without it, and says nothing, if the server offers none. */
bool sql_mysql_by_tls(const struct sql_url *url);
/* Why a connection does not stand; if the library has no reason, it lacks TLS. */
int sql_mysql_error(struct error *err, const struct sql_url *url, MYSQL *mysql);

/* What a call that waits wants of the socket, and what the socket tells it. */
uint32_t sql_mysql_events(int status);
int sql_mysql_status(uint32_t revents);

/* The URL of a connection that stands, or does not, is no longer needed: wipe it. */
void sql_mysql_forget(struct sql_maria *maria);

/*
 * Connect in a thread, by TLS; the library and the place, which points into maria->url, are the
 * thread's from then on. Negative: errno, and nothing was taken.
 */
int sql_mysql_thread_start(struct sql *sql, MYSQL *mysql, const struct sql_mysql_place *place);

extern const struct sql_plain_ops sql_maria_plain_ops;

#endif
