/* target/target_sql: many users on a few connections to a real database. */
#ifndef RAWTPS_TARGET_TARGET_SQL_H
#define RAWTPS_TARGET_TARGET_SQL_H

#include "io/loop.h"
#include "sql/sql.h"
#include "target/target.h"
#include "workload/sql_text.h"

enum sql_isolation {
    ISOLATION_DEFAULT, /* the server's */
    ISOLATION_READ_COMMITTED,
    ISOLATION_REPEATABLE_READ,
    ISOLATION_SERIALIZABLE,
    ISOLATIONS
};
extern const char *const sql_isolation_names[ISOLATIONS]; /* "default" "read-committed" ... */

enum { TARGET_SQL_IGNORED = 16, TARGET_SQL_CODES = 24 };

struct target_sql_settings {
    struct sql_url url;
    const struct sql_texts *texts; /* of the url's dialect; outlives the target */
    uint32_t sessions;             /* users and workers: op sessions are below this */
    uint32_t connections;          /* 1 to sessions */
    enum sql_isolation isolation;
    bool prepared, pipeline;            /* pipeline: PostgreSQL only */
    char ignore[TARGET_SQL_IGNORED][6]; /* SQLSTATEs or numbers: skipped instead of failed */
    uint32_t ignore_count;
    const struct sql_ops *ops; /* NULL: those of the url; for tests */
};

/*
 * Connections are begun, at most 64 at a time, from the turns of the loop; operations may be begun
 * at once, they wait. What the operations are answered:
 *   OP_OK       answered, or (pipeline) sent ahead: a failure comes with the next one that waits
 *   OP_RETRY    deadlock, serialization failure, lock timeout; ROLLBACK has been answered already
 *   OP_FAILED   the server refused, and rolled back; or the connection was lost
 *   OP_SKIPPED  as OP_FAILED, by a code of `ignore`
 * SPENT_SESSION: waiting for a connection (first come, first served). SPENT_SERVER: the rest.
 * Nothing is allocated after it was opened but by the libraries and for a new connection.
 * Errors: EXIT_USAGE for settings that do not go together, EXIT_FAILED.
 */
struct target *target_sql_open(const struct target_sql_settings *settings, struct loop *loop,
                               uint32_t vm, struct error *err);
uint64_t target_sql_memory_bytes(const struct target_sql_settings *settings);

/*
 * Run the loop until every connection stands. Errors: what the first refused connection said (with
 * which of how many it was), or after timeout_ns how many stand. Once this has returned 0, lost
 * connections are made again (0.1 s after the loss, doubling to 5 s) and only counted.
 */
int target_sql_connect(struct target *target, int64_t timeout_ns, struct error *err);

/*
 * Close every connection, in the thread that runs the loop. What was counted can still be asked
 * for; nothing can be begun any more. Freeing the target does so too.
 */
void target_sql_close(struct target *target);

/* A statement of the catalog so far: round trips that ended, well or not. */
struct target_sql_statement {
    const char *name;
    uint64_t count, errors;
    uint64_t empty; /* answers of no row: nothing found, or nothing changed */
    int64_t sum_ns, max_ns;
};
/* All statements of the catalog in its order, those never sent too; returns how many. */
uint32_t target_sql_statements(const struct target *target, struct target_sql_statement *ret,
                               uint32_t limit);

/* What went wrong so far, by SQLSTATE or number. */
struct target_sql_code {
    char state[6];
    bool retried, ignored;
    uint64_t count;
    char error[160]; /* the first one's words */
};
struct target_sql_counts {
    uint64_t calls, retried, refused, skipped;
    uint64_t lost;       /* connections lost */
    uint64_t reconnects; /* and made again */
    uint64_t unknown;    /* connection lost while a commit was under way: nobody knows */
    uint64_t waits;      /* operations that had to wait for a connection */
    int64_t wait_ns, longest_gap_ns;   /* longest time without any connection */
    uint32_t connected, busy, waiting; /* now */
    struct target_sql_code codes[TARGET_SQL_CODES];
    uint32_t code_count;
};
void target_sql_counts(const struct target *target, struct target_sql_counts *ret);

#endif
