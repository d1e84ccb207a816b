#include "sql_session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/must.h"

enum { READ_BYTES = 64 << 10, REST_LEAST = 512, REST_KEPT = 64 << 10 };

static inline struct sql *sql_of_in(struct poll_wait *wait)
{
    return (struct sql *)((char *)wait - offsetof(struct sql, in));
}

static inline struct sql *sql_of_out(struct poll_wait *wait)
{
    return (struct sql *)((char *)wait - offsetof(struct sql, out));
}

static inline struct sql *sql_of_timer(struct timer *timer)
{
    return (struct sql *)((char *)timer - offsetof(struct sql, timer));
}

/* ---- calls ----------------------------------------------------------------------------------- */

void sql_session_leave(struct sql *sql)
{
    if (--sql->busy == 0 && sql->closed) {
        mem_free(sql->rest);
        mem_free(sql->unsent);
        sql->speech->free(sql);
    }
}

void sql_session_end(struct sql *sql, enum sql_fate fate)
{
    struct sql_call *call = sql->first;

    must(call != NULL);
    sql->first = call->next;
    if (sql->first == NULL) {
        sql->last = NULL;
    }
    sql->loop->in_flight--;
    call->next = NULL;
    call->fate = fate;
    call->done(call);
}

static void call_explain(struct sql_call *call, const char *state, const char *text, size_t bytes)
{
    size_t n = bytes < sizeof(call->error) - 1 ? bytes : sizeof(call->error) - 1;

    snprintf(call->state, sizeof(call->state), "%s", state);
    memcpy(call->error, text, n);
    call->error[n] = '\0';
    for (size_t i = 0; i < n; i++) {
        call->error[i] = (unsigned char)call->error[i] < ' ' ? ' ' : call->error[i];
    }
}

/* WORKLOADS.md 1.9: what another attempt of the same transaction may mend. */
static bool state_retries(const char *state)
{
    static const char *const states[] = {"40001", "40P01", "55P03", "1213", "1205", "1020"};

    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
        if (strcmp(state, states[i]) == 0) {
            return true;
        }
    }
    return false;
}

void sql_session_refuse(struct sql *sql, const char *state, const char *text, size_t bytes)
{
    call_explain(sql->first, state, text, bytes);
    sql_session_end(sql, state_retries(state) ? SQL_RETRY : SQL_REFUSED);
}

static void end_all(struct sql *sql)
{
    /* those that are begun by done() wait for the timer */
    struct sql_call *last = sql->last, *call;

    do {
        call = sql->first;
        if (call == NULL) {
            break;
        }
        call_explain(call, sql->state, sql->error, strlen(sql->error));
        sql_session_end(sql, SQL_GONE);
    } while (call != last);
}

void sql_session_lose(struct sql *sql, const char *state, const char *text)
{
    if (sql->gone) {
        return;
    }
    sql->gone = true;
    snprintf(sql->state, sizeof(sql->state), "%s", state);
    snprintf(sql->error, sizeof(sql->error), "%s", text);
    loop_disarm(sql->loop, &sql->timer);
    loop_unpoll(sql->loop, &sql->in);
    loop_unpoll(sql->loop, &sql->out);
    sql_session_enter(sql);
    end_all(sql);
    sql_session_leave(sql);
}

/* ---- out ------------------------------------------------------------------------------------- */

static bool unsent_add(struct sql *sql, const char *data, uint32_t bytes)
{
    if (bytes > sql->unsent_capacity - sql->unsent_bytes) {
        uint64_t wanted = (uint64_t)sql->unsent_bytes + bytes + REST_LEAST;
        char *larger = wanted < UINT32_MAX ? mem_resize(sql->unsent, wanted) : NULL;

        if (larger == NULL) {
            return false;
        }
        sql->unsent = larger;
        sql->unsent_capacity = (uint32_t)wanted;
    }
    memcpy(sql->unsent + sql->unsent_bytes, data, bytes);
    sql->unsent_bytes += bytes;
    return true;
}

static void lose_by(struct sql *sql, int code)
{
    char text[120];

    if (code == 0 || code == ECONNRESET || code == EPIPE) {
        snprintf(text, sizeof(text), "the server closed the connection");
    } else {
        snprintf(text, sizeof(text), "the connection is lost: %s", strerror(code));
    }
    sql_session_lose(sql, "08006", text);
}

/* Bytes taken; negative: lost. */
static int64_t send_some(struct sql *sql, const char *data, uint32_t bytes)
{
    ssize_t n = send(sql->in.fd, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (n < 0) {
        if (errno == EAGAIN || errno == EINTR) {
            return 0;
        }
        return -errno;
    }
    return n;
}

/* The wait for the socket may have told of the end already, together with the last answer. */
static void hear_out(struct sql *sql)
{
    sql->broken = true;
    if (!timer_armed(&sql->timer)) {
        loop_arm(sql->loop, &sql->timer, sql->loop->now_ns);
    }
}

static void unsent_send(struct sql *sql)
{
    while (sql->unsent_sent < sql->unsent_bytes && !sql->gone) {
        int64_t n =
            send_some(sql, sql->unsent + sql->unsent_sent, sql->unsent_bytes - sql->unsent_sent);

        if (n < 0) {
            /* what the server had to say before is read yet */
            if (n != -EPIPE && n != -ECONNRESET) {
                lose_by(sql, (int)-n);
            } else {
                hear_out(sql);
            }
            return;
        }
        if (n == 0) {
            if (sql->out.slot == POLL_IDLE) {
                loop_poll(sql->loop, &sql->out);
            }
            return;
        }
        sql->unsent_sent += (uint32_t)n;
    }
    sql->unsent_bytes = sql->unsent_sent = 0;
}

static void session_writable(struct poll_wait *wait)
{
    struct sql *sql = sql_of_out(wait);

    sql_session_enter(sql);
    unsent_send(sql);
    sql_session_leave(sql);
}

/* What is short goes into the socket at once, so it is out of our hands before it is answered. */
static bool send_by_loop(struct sql *sql, const struct sql_bytes *out)
{
    if (!unsent_add(sql, out->data, out->count)) {
        return false;
    }
    sql->unsent_bytes = 0;
    loop_send(sql->loop, sql->in.fd, sql->unsent, out->count);
    return true;
}

void sql_session_send(struct sql *sql, struct sql_bytes *out)
{
    uint32_t sent = 0;

    if (out->failed) {
        sql_session_lose(sql, "", "no memory for a message of this size");
        return;
    }
    if (!sql->pipeline && sql->unsent_bytes == 0) {
        int64_t n;

        if (sql->in.reads && out->count <= sizeof(out->short_ones) && send_by_loop(sql, out)) {
            return;
        }
        n = send_some(sql, out->data, out->count);

        /* a peer that is gone is heard of by reading, with what it had to say */
        sent = n >= 0 ? (uint32_t)n : out->count;
        if (n < 0) {
            hear_out(sql);
        }
    }
    if (sent == out->count) {
        return;
    }
    if (!unsent_add(sql, out->data + sent, out->count - sent)) {
        sql_session_lose(sql, "", "no memory for a message of this size");
    } else if (!sql->pipeline) {
        unsent_send(sql);
    } else if (!timer_armed(&sql->timer)) {
        loop_arm(sql->loop, &sql->timer, sql->loop->now_ns);
    }
}

/* ---- in -------------------------------------------------------------------------------------- */

static bool rest_room(struct sql *sql, uint64_t bytes)
{
    char *larger;

    if (bytes <= sql->rest_capacity) {
        return true;
    }
    bytes = bytes < REST_LEAST ? REST_LEAST : bytes;
    larger = bytes < UINT32_MAX ? mem_resize(sql->rest, bytes) : NULL;
    if (larger == NULL) {
        sql_session_lose(sql, "", "no memory for an answer of this size");
        return false;
    }
    sql->rest = larger;
    sql->rest_capacity = (uint32_t)bytes;
    return true;
}

static void rest_shrink(struct sql *sql)
{
    if (sql->rest_bytes == 0 && sql->rest_capacity > REST_KEPT) {
        mem_free(sql->rest);
        sql->rest = NULL;
        sql->rest_capacity = 0;
    }
}

static ssize_t read_some(struct sql *sql, char *data, size_t bytes)
{
    ssize_t n = recv(sql->in.fd, data, bytes, MSG_DONTWAIT);

    if (n > 0) {
        return n;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        lose_by(sql, n == 0 ? 0 : errno);
        return -1;
    }
    return 0;
}

/* Into the stack, and only what is not complete is kept. Returns false when there is no more. */
static bool read_through(struct sql *sql)
{
    char data[READ_BYTES];
    uint32_t kept = sql->rest_bytes;
    size_t used, need = 0, have;
    ssize_t n;

    if (kept) {
        memcpy(data, sql->rest, kept);
    }
    n = read_some(sql, data + kept, sizeof(data) - kept);
    if (n <= 0) {
        return false;
    }
    have = kept + (size_t)n;
    sql->rest_bytes = 0;
    used = sql->speech->take(sql, data, have, &need);
    if (sql->gone || sql->closed) {
        return false;
    }
    if (used < have) {
        need = need > have - used ? need : have - used;
        if (!rest_room(sql, need)) {
            return false;
        }
        sql->rest_bytes = (uint32_t)(have - used);
        memcpy(sql->rest, data + used, have - used);
    }
    return have == sizeof(data);
}

/* The rest of one long message, which its buffer already has room for. */
static bool read_long(struct sql *sql)
{
    size_t used, need = 0, room = sql->rest_capacity - sql->rest_bytes;
    ssize_t n;

    if (room == 0) {
        if (!rest_room(sql, 2ull * sql->rest_capacity)) {
            return false;
        }
        room = sql->rest_capacity - sql->rest_bytes;
    }
    n = read_some(sql, sql->rest + sql->rest_bytes, room);
    if (n <= 0) {
        return false;
    }
    sql->rest_bytes += (uint32_t)n;
    used = sql->speech->take(sql, sql->rest, sql->rest_bytes, &need);
    if (sql->gone || sql->closed) {
        return false;
    }
    sql->rest_bytes -= (uint32_t)used;
    memmove(sql->rest, sql->rest + used, sql->rest_bytes);
    rest_shrink(sql);
    if (!rest_room(sql, need)) {
        return false;
    }
    return (size_t)n == room;
}

/* What the loop has read. Only what is not complete is kept. */
static void take_read(struct sql *sql, const char *data, size_t bytes)
{
    bool kept = sql->rest_bytes > 0;
    size_t used, need = 0;

    if (kept) {
        if (!rest_room(sql, sql->rest_bytes + bytes)) {
            return;
        }
        memcpy(sql->rest + sql->rest_bytes, data, bytes);
        sql->rest_bytes += (uint32_t)bytes;
        data = sql->rest;
        bytes = sql->rest_bytes;
    }
    used = sql->speech->take(sql, data, bytes, &need);
    if (sql->gone || sql->closed) {
        return;
    }
    if (used == bytes) {
        sql->rest_bytes = 0;
        rest_shrink(sql);
        return;
    }
    need = need > bytes - used ? need : bytes - used;
    /* room for all of a long message at once; data may lie in what moves */
    if (rest_room(sql, need)) {
        if (used || !kept) {
            memmove(sql->rest, (kept ? sql->rest : data) + used, bytes - used);
        }
        sql->rest_bytes = (uint32_t)(bytes - used);
    }
}

static void session_readable(struct poll_wait *wait)
{
    struct sql *sql = sql_of_in(wait);
    bool more = !wait->reads;

    sql_session_enter(sql);
    if (wait->reads && wait->result > 0) {
        take_read(sql, wait->data, (size_t)wait->result);
    } else if (wait->reads) {
        lose_by(sql, -wait->result);
    }
    while (more && !sql->gone && !sql->closed) {
        more = sql->rest_bytes < READ_BYTES / 2 ? read_through(sql) : read_long(sql);
    }
    sql_session_leave(sql);
}

static void session_ready_by_library(struct poll_wait *wait)
{
    struct sql *sql = sql_of_in(wait);

    sql_session_enter(sql);
    sql->speech->ready(sql);
    sql_session_leave(sql);
}

/* ---- beginning and closing ------------------------------------------------------------------- */

void sql_session_timer(struct timer *timer)
{
    struct sql *sql = sql_of_timer(timer);

    sql_session_enter(sql);
    if (sql->gone) {
        end_all(sql);
        if (sql->first && !sql->closed && !timer_armed(timer)) {
            loop_arm(sql->loop, timer, sql->loop->now_ns);
        }
    } else if (!sql->standing) {
        struct error err;

        error_set(&err, EXIT_FAILED, -ETIMEDOUT, "the server does not answer");
        error_hint(&err, "is it reachable, and is anything between that drops what it sends? "
                         "connect_timeout=30 in the URL waits longer");
        sql_session_fail(sql, &err);
    } else if (sql->broken) {
        session_readable(&sql->in);
        if (!sql->gone && !sql->closed) {
            lose_by(sql, EPIPE);
        }
    } else {
        struct sql_bytes out;

        sql_bytes_init(&out);
        if (sql->speech->flush) {
            sql->speech->flush(sql, &out);
        }
        if (out.failed || !unsent_add(sql, out.data, out.count)) {
            sql_session_lose(sql, "", "no memory for a message");
        } else if (sql->out.slot == POLL_IDLE) {
            unsent_send(sql);
        }
        sql_bytes_free(&out);
    }
    sql_session_leave(sql);
}

void sql_session_init(struct sql *sql, struct loop *loop, const struct sql_options *options,
                      void (*connected)(void *context, struct sql *, const struct error *err),
                      void *context)
{
    sql->loop = loop;
    sql->in.fd = sql->out.fd = -1;
    sql->timer.fire = sql_session_timer;
    sql->statements = options->statements;
    sql->prepared = options->prepared;
    sql->pipeline = options->pipeline;
    sql->connected = connected;
    sql->context = context;
}

static void session_tell(struct sql *sql, const struct error *err)
{
    sql_session_enter(sql);
    sql->connected(sql->context, sql, err);
    sql_session_leave(sql);
}

void sql_session_stand(struct sql *sql, int fd, const struct sql_speech *speech)
{
    sql->speech = speech;
    sql->standing = true;
    loop_disarm(sql->loop, &sql->timer);
    loop_unpoll(sql->loop, &sql->in);
    sql->in.fd = sql->out.fd = fd;
    sql->in.events = POLLIN;
    sql->in.stays = true;
    sql->in.reads = true;
    sql->in.ready = session_readable;
    sql->out.events = POLLOUT;
    sql->out.ready = session_writable;
    loop_poll(sql->loop, &sql->in);
    session_tell(sql, NULL);
}

void sql_session_stand_by_library(struct sql *sql, const struct sql_speech *speech)
{
    sql->speech = speech;
    sql->standing = true;
    loop_disarm(sql->loop, &sql->timer);
    session_tell(sql, NULL);
}

void sql_session_wait(struct sql *sql, int fd, uint32_t events)
{
    loop_unpoll(sql->loop, &sql->in);
    sql->in.fd = fd;
    sql->in.events = events;
    sql->in.stays = sql->in.reads = false;
    sql->in.ready = session_ready_by_library;
    loop_poll(sql->loop, &sql->in);
}

void sql_session_fail(struct sql *sql, const struct error *err)
{
    sql_session_lose(sql, "08001", err->text);
    session_tell(sql, err);
}

void sql_session_begin(struct sql *sql, struct sql_call *call)
{
    must(sql->pipeline || sql->first == NULL || sql->gone);
    must(call->statement->params <= SQL_PARAMS &&
         (call->statement->utility || call->statement->id < sql->statements));
    call->next = NULL;
    call->rows = 0;
    call->state[0] = call->error[0] = '\0';
    if (sql->last) {
        sql->last->next = call;
    } else {
        sql->first = call;
    }
    sql->last = call;
    sql->loop->in_flight++;
    if (!sql->gone) {
        sql_session_enter(sql);
        sql->speech->send(sql, call);
        sql_session_leave(sql);
    } else if (!timer_armed(&sql->timer)) {
        loop_arm(sql->loop, &sql->timer, sql->loop->now_ns);
    }
}

void sql_session_close(struct sql *sql)
{
    if (sql == NULL || sql->closed) {
        return;
    }
    sql_session_enter(sql);
    sql_session_lose(sql, "08003", "the connection was closed");
    loop_disarm(sql->loop, &sql->timer);
    end_all(sql);
    sql->closed = true;
    if (sql->standing && sql->out.fd >= 0) {
        shutdown(sql->out.fd, SHUT_RDWR);
        close(sql->out.fd);
    }
    sql_session_leave(sql);
}

uint64_t sql_session_memory_bytes(const struct sql *sql)
{
    return sql->rest_capacity + sql->unsent_capacity;
}
