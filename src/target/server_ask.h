/* target/server_ask: names and numbers that a server prints, found again by their names. */
#ifndef RAWTPS_TARGET_SERVER_ASK_H
#define RAWTPS_TARGET_SERVER_ASK_H

#include "target/server_facts.h"

/* Pairs of a name and a value, as SHOW VARIABLES gives them. */
enum { SERVER_ASKED = 64 };
struct server_asked {
    struct server_setting pairs[SERVER_ASKED];
    uint32_t count;
};

/* Append what a query of two columns gives. */
int server_ask(struct sql_plain *plain, const char *query, struct server_asked *ret,
               struct error *err);
/* NULL if it was not told. */
const char *server_asked_text(const struct server_asked *asked, const char *name);
/* 0 if it was not told or is no number. */
uint64_t server_asked_number(const struct server_asked *asked, const char *name);
bool server_asked_is(const struct server_asked *asked, const char *name, const char *value);

/* A value of an answer as a number, whatever its kind. */
int64_t server_value_number(const struct sql_value *value);
void server_value_text(const struct sql_value *value, char *buf, uint32_t size);

/* The settings of server_facts_read(), each for its dialect. */
extern const char *const server_settings_query[SQL_DIALECTS];

#endif
