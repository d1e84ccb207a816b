/* lib/sql_rig: connections to a server on a real loop, and calls that wait for their answer. */
#ifndef RAWTPS_LIB_SQL_RIG_H
#define RAWTPS_LIB_SQL_RIG_H

#include "sql/sql.h"

struct sql_rig {
    struct loop loop;
    const struct sql_ops *ops;
    struct sql_url url;
};

/* Room for `connections` at once. Fails the test with the reason. RAWTPS_TEST_POLLED in the
 * environment: the loop does not read, as on an old kernel. */
void sql_rig_open(struct sql_rig *rig, const char *url, uint32_t connections);
void sql_rig_close(struct sql_rig *rig);
/* Connect and wait. NULL, and err, if it does not stand. */
struct sql *sql_rig_try(struct sql_rig *rig, const struct sql_options *options, struct error *err);
struct sql *sql_rig_connect(struct sql_rig *rig, const struct sql_options *options);

struct sql_rig_answer {
    struct sql_call call;
    struct loop *loop; /* NULL: it does not stop the loop when it is there */
    char rows[4096];   /* "1|x;2|NULL;": numbers as #1 */
    uint32_t done, seen, longest;
};
/* Prepare an answer for a statement; params by format: 'i' int64_t, 's' const char *, 'n' NULL. */
void sql_rig_ask(struct sql_rig_answer *answer, const struct sql_statement *statement,
                 const char *format, ...);
/* Begin it and wait until it is done. */
enum sql_fate sql_rig_run(struct sql_rig *rig, struct sql *sql, struct sql_rig_answer *answer);
/* Both at once, for a text without parameters, as a utility. */
enum sql_fate sql_rig_text(struct sql_rig *rig, struct sql *sql, const char *text,
                           struct sql_rig_answer *answer);
/* Wait until each of n that have begun is done. */
void sql_rig_wait(struct sql_rig *rig, struct sql_rig_answer *answers, uint32_t n);
/* The same of what is counted elsewhere: until it is 1; a minute, however slow the host. */
void sql_rig_until(struct sql_rig *rig, const uint32_t *done);
/* Turn the loop for so long. */
void sql_rig_turn(struct sql_rig *rig, int64_t ns);

#endif
