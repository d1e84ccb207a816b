/* target/server_profile: a server's settings as the model's, each with the variable it came from.
 */
#ifndef RAWTPS_TARGET_SERVER_PROFILE_H
#define RAWTPS_TARGET_SERVER_PROFILE_H

#include "target/model.h"
#include "target/server_facts.h"

enum { SERVER_PROFILE_ROWS = 24 };

/* A key of a scenario's `database` section. */
struct server_profile_row {
    char key[24], value[40];
    char how[160]; /* where it is from, in words */
};

struct server_profile {
    enum model_profile_kind kind; /* innodb or postgres */
    uint32_t cores;               /* that the server says it has; 0: it does not say */
    char cores_how[80];
    struct server_profile_row rows[SERVER_PROFILE_ROWS]; /* buffer first */
    uint32_t count;
};

/* What the model takes from a server's variables; those that it does not tell are left out.
 * Errors: EXIT_FAILED with the server's words. */
int server_profile_read(struct sql_plain *plain, const struct server_facts *server,
                        struct server_profile *ret, struct error *err);

/* One more row, measured or chosen; must fit. */
void server_profile_add(struct server_profile *profile, const char *key, const char *value,
                        const char *how);

#endif
