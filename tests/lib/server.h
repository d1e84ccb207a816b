/* lib/server: a private PostgreSQL or MariaDB for a test, by tests/lib/servers.sh. */
#ifndef RAWTPS_LIB_SERVER_H
#define RAWTPS_LIB_SERVER_H

#include <stdbool.h>
#include <stddef.h>

/* "postgresql" or "mysql"; the name is its folder's. */
struct server {
    const char *kind;
    char name[32], url[256], tcp_url[256], root_url[256], tls_url[256], dir[256], ca[256];
    char port[16];
};

/*
 * Up when it returns; the whole program skips (exit 77) if it is not installed. options: as
 * server_start's, e.g. "max_connections=5 tls"; NULL: none. The process ends what it started when
 * it exits; a test that is killed leaves that to the runner.
 */
void server_start(struct server *server, const char *kind, const char *name, const char *options);
void server_stop(struct server *server);  /* in order */
void server_kill(struct server *server);  /* SIGKILL */
void server_again(struct server *server); /* on its data and port */
/* A text as the administrator; rows into buf (may be NULL), columns parted by '|'. */
void server_sql(struct server *server, const char *sql, char *buf, size_t size);
/* The same, but a refusal does not fail the test. */
bool server_sql_try(struct server *server, const char *sql, char *buf, size_t size);
void servers_end(void);

#endif
