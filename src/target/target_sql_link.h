/* target/target_sql_link: a connection of the SQL target, from its first breath to its last. */
#ifndef RAWTPS_TARGET_TARGET_SQL_LINK_H
#define RAWTPS_TARGET_TARGET_SQL_LINK_H

#include "target/target_sql.h"

enum { NO_SESSION_HERE = UINT32_MAX, NO_LINK = UINT32_MAX };
/* Calls under way on a connection with pipeline; a whole Sysbench event fits. */
enum { LINK_CALLS = 24, LINK_OPENING = 64 };

#define LINK_BACKOFF_FIRST_NS 100000000ll

enum link_state {
    LINK_DOWN, /* waits for its timer, which opens it */
    LINK_OPENING_NOW,
    LINK_SETUP, /* its first statements are under way */
    LINK_IDLE,
    LINK_BUSY, /* a session has it */
};

/* How the transaction on a connection goes, worst first seen. */
enum link_outcome { OUTCOME_FINE, OUTCOME_RETRY, OUTCOME_FAILED, OUTCOME_SKIPPED };

enum link_purpose { CALL_ASK, CALL_AHEAD, CALL_ROLLBACK, CALL_SETUP };

struct link;
/* The oldest of a connection's calls is answered first. */
struct link_call {
    struct sql_call call;
    struct link *link;
    const struct sql_text *text; /* NULL: setup */
    struct op *op;               /* whose answer it is; of CALL_AHEAD a scratch one */
    int64_t sent_ns;
    uint8_t purpose;
    bool answered; /* from inside begin(): seen to at the next turn */
    bool any_row;
    char texts[SQL_TEXT_BYTES];
};

struct link {
    struct sql *sql;
    struct target_sql *target;
    struct timer timer; /* opens it again, or looks through answers that came too early */
    uint8_t state, outcome;
    bool in_txn, gone, sending;
    uint32_t session, next_idle;
    struct op *op; /* that waits: with CALL_ASK or CALL_ROLLBACK under way */
    int64_t asked_ns, backoff_ns;
    uint32_t head, flying;
    struct link_call *calls;
    struct sql_text_memory memory;
};

/* A user. 24 bytes: there are thousands on a few connections. */
struct link_session {
    struct op *op; /* waits for a connection */
    int64_t since_ns;
    uint32_t next; /* who waits behind */
    uint32_t link; /* whose transaction is under way there */
};

struct target_sql {
    struct target target;
    struct loop *loop;
    const struct sql_ops *ops;
    struct target_sql_settings settings;
    struct sql_options options;
    const struct sql_text *rollback_text;
    struct sql_statement *statements; /* by id of the texts; the last one is the setup's */
    uint32_t text_count, rollback_id, call_limit;
    struct link *links;
    struct link_call *calls;
    struct link_session *sessions;
    uint64_t bytes_of[3];
    uint32_t idle, wait_first, wait_last; /* idle: a stack of links */
    uint32_t opening, connected, busy, waiting;
    bool started, stopped, closing, failed;
    struct error failure; /* the first connection that was refused, before started */
    int64_t gap_since_ns; /* since when none is connected */
    struct op scratch;    /* answers that nobody waits for */
    struct target_sql_counts counts;
    uint64_t begun, answered, commits, deadlocks, lock_timeouts;
    struct target_sql_statement *by_statement;
};

/* Open it at due_ns. */
void link_open_at(struct link *link, int64_t due_ns);
/* It has been lost, and nothing is under way on it: open it again after its back-off. */
void link_lost(struct link *link);
/* Give the call at the end of the queue; its purpose and text are the caller's to fill. */
struct link_call *link_call_new(struct link *link, enum link_purpose purpose);
void link_send(struct link *link, struct link_call *call, const struct sql_statement *statement);

/* For the links: one that is ready for a session; a call of a session has been answered. */
void target_sql_init(struct target *target, uint32_t vm);
void target_sql_ready(struct target_sql *target, struct link *link);
void target_sql_judge(struct link *link, struct link_call *call);

#endif
