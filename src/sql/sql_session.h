/* sql/sql_session: bytes to and from one server: one send, one wait, one recv. */
#ifndef RAWTPS_SQL_SQL_SESSION_H
#define RAWTPS_SQL_SQL_SESSION_H

#include "sql/sql.h"

#include "sql_bytes.h"

/*
 * A protocol: pg and maria speak on the socket themselves once their library has connected; the
 * library's own calls carry what is encrypted.
 */
struct sql_speech {
    void (*send)(struct sql *, struct sql_call *); /* it has been put in the queue */
    /* Look at complete messages; returns the bytes of them. need: bytes of the one that is not
     * complete, if they are known. */
    size_t (*take)(struct sql *, const char *data, size_t bytes, size_t *need);
    void (*ready)(struct sql *);                        /* instead of take: the library reads */
    void (*flush)(struct sql *, struct sql_bytes *out); /* end of a batch; NULL: nothing to add */
    void (*free)(struct sql *);
};

struct sql {
    const struct sql_speech *speech;
    struct loop *loop;
    struct poll_wait in, out;      /* both on one socket; in.fd < 0: none */
    struct timer timer;            /* deadline of connecting; batches; answers of the lost */
    struct sql_call *first, *last; /* under way, in order */
    char *rest;                    /* the begin of a message */
    uint32_t rest_bytes, rest_capacity;
    char *unsent;
    uint32_t unsent_bytes, unsent_sent, unsent_capacity;
    uint32_t statements;
    uint16_t busy; /* how deep in its own functions: close() then only marks */
    bool prepared, pipeline, standing, gone, closed;
    bool broken; /* nothing more can be sent: what was said before is read at the next turn */
    char state[6], error[160]; /* why it is gone */
    void (*connected)(void *context, struct sql *, const struct error *err);
    void *context;
};

/* Fill the common part; in.fd is -1. */
void sql_session_init(struct sql *sql, struct loop *loop, const struct sql_options *options,
                      void (*connected)(void *context, struct sql *, const struct error *err),
                      void *context);
/* What its timer does: ends what waits for a lost connection, or connecting, or sends a batch. */
void sql_session_timer(struct timer *timer);
/* The socket is ours and stands: watch it, and say so. */
void sql_session_stand(struct sql *sql, int fd, const struct sql_speech *speech);
/* The same for a library's socket: one-shot waits by sql_session_wait(). */
void sql_session_stand_by_library(struct sql *sql, const struct sql_speech *speech);
void sql_session_wait(struct sql *sql, int fd, uint32_t events);
/* Connecting failed: say so. */
void sql_session_fail(struct sql *sql, const struct error *err);

void sql_session_begin(struct sql *sql, struct sql_call *call);
void sql_session_send(struct sql *sql, struct sql_bytes *out);
/* The first call under way ends. The session may be closed, or have a new call, when it returns. */
void sql_session_end(struct sql *sql, enum sql_fate fate);
/* An error for the first call; its fate. */
void sql_session_refuse(struct sql *sql, const char *state, const char *text, size_t bytes);
/* The connection is lost; ends every call. The cause is what was said first. */
void sql_session_lose(struct sql *sql, const char *state, const char *text);
void sql_session_close(struct sql *sql);
uint64_t sql_session_memory_bytes(const struct sql *sql);

/* Functions that call back are between these; leave() may free it. */
static inline void sql_session_enter(struct sql *sql)
{
    sql->busy++;
}
void sql_session_leave(struct sql *sql);

#endif
