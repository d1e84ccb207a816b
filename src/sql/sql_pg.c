#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "sql_drivers.h"
#include "sql_pq.h"

/*
 * libpq connects: names, addresses, passwords, SCRAM, TLS. Then the socket is taken from it and
 * sql_pg_wire speaks; a connection by TLS stays with libpq's own non-blocking calls.
 */
enum { TIMEOUT_S = 10 };

static inline struct sql_pg *pg_of(struct sql *sql)
{
    return (struct sql_pg *)sql;
}

/* ---- errors of connecting -------------------------------------------------------------------- */

struct advice {
    const char *sign, *hint; /* sign: a SQLSTATE, or words of libpq's */
};
static const struct advice advices[] = {
    {"28P01", "give the right password in the URL, in PGPASSWORD or in ~/.pgpass"},
    {"28000", "the server's pg_hba.conf does not let this user in from here, or the user is not "
              "there"},
    {"3D000", "name another database in the URL, or make it: CREATE DATABASE"},
    {"53300", "use fewer connections, or raise max_connections on the server"},
    {"57P03", "the server is starting or stopping: try again soon"},
    {"no password supplied", "give one in the URL, in PGPASSWORD or in ~/.pgpass"},
    {"does not support SSL", "sslmode=disable in the URL, or ssl = on in the server's settings"},
    {"certificate", "sslrootcert=FILE in the URL names the authority; sslmode=require does not ask "
                    "who the server is"},
    {"SSL", "see sslmode in the URL, and ssl in the server's settings"},
    {"could not translate", "is the name of the host right?"},
    {"No such file", "is the server running, and is this the folder of its socket?"},
    {"refused", "is the server running there, and does it listen on this port?"},
    {"timeout", "is it reachable, and is anything between that drops what it sends?"},
};

/* From "...failed: FATAL:  28P01: words\nLOCATION: ...": the state, and the words. */
static void split_message(const char *all, char *state, char *words, size_t size)
{
    const char *from = all, *at = all;
    size_t n;

    state[0] = '\0';
    while ((at = strstr(at, ":  ")) != NULL) {
        at += 3;
        n = 0;
        while (n < 5 && (isupper((unsigned char)at[n]) || isdigit((unsigned char)at[n]))) {
            n++;
        }
        if (n == 5 && strncmp(at + 5, ": ", 2) == 0) {
            snprintf(state, 6, "%.5s", at);
            from = at + 7;
            break;
        }
    }
    n = strcspn(from, "\n");
    snprintf(words, size, "%.*s", (int)n, from);
}

int sql_pq_error(struct error *err, const struct sql_url *url, const PGconn *conn)
{
    char state[6], words[400];
    const char *hint = NULL;

    split_message(PQerrorMessage(conn), state, words, sizeof(words));
    for (size_t i = 0; i < sizeof(advices) / sizeof(*advices) && !hint; i++) {
        bool by_state = isdigit((unsigned char)advices[i].sign[0]);

        if (by_state ? strcmp(state, advices[i].sign) == 0
                     : !state[0] && strstr(words, advices[i].sign)) {
            hint = advices[i].hint;
        }
    }
    return sql_url_error(err, url, words[0] ? words : "libpq gives no reason", hint);
}

/* ---- connecting ------------------------------------------------------------------------------ */

static void add_word(struct sql_pq_words *words, const char *key, const char *value)
{
    if (value[0]) {
        words->keys[words->count] = key;
        words->values[words->count++] = value;
    }
}

void sql_pq_words(struct sql_pq_words *words, const struct sql_url *url)
{
    static const char *const keys[] = {"sslmode", "sslrootcert",     "sslcert",
                                       "sslkey",  "connect_timeout", "options"};
    size_t used = 0;

    words->count = 0;
    add_word(words, "host", url->host);
    add_word(words, "port", url->port);
    add_word(words, "user", url->user);
    add_word(words, "password", url->password);
    add_word(words, "dbname", url->database);
    add_word(words, "gssencmode", "disable");
    if (sql_url_option(url, "application_name", words->decoded[used], 256)) {
        add_word(words, "application_name", words->decoded[used++]);
    } else {
        add_word(words, "application_name", "rawtps");
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        if (sql_url_option(url, keys[i], words->decoded[used], 256)) {
            add_word(words, keys[i], words->decoded[used++]);
        } else if (strcmp(keys[i], "connect_timeout") == 0) {
            add_word(words, keys[i], "10");
        }
    }
    words->keys[words->count] = words->values[words->count] = NULL;
}

int64_t sql_pq_timeout_ns(const struct sql_url *url)
{
    char text[16];
    int seconds = sql_url_option(url, "connect_timeout", text, sizeof(text)) ? atoi(text) : 0;

    return (int64_t)(seconds ? seconds : TIMEOUT_S) * 1000000000;
}

static void url_forget(struct sql_pg *pg)
{
    if (pg->url) {
        explicit_bzero(pg->url, sizeof(*pg->url));
        mem_free(pg->url);
        pg->url = NULL;
    }
}

/* The library is given something else to say goodbye to. Negative: errno. */
static int take_socket(PGconn *conn)
{
    int own = PQsocket(conn), fd = fcntl(own, F_DUPFD_CLOEXEC, 3), nothing;

    if (fd < 0) {
        return -errno;
    }
    nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, own) < 0) {
        close(fd);
        fd = -errno;
    }
    if (nothing >= 0) {
        close(nothing);
    }
    return fd;
}

static void pg_by_library_free(struct sql *sql)
{
    struct sql_pg *pg = pg_of(sql);

    PQfinish(pg->library);
    url_forget(pg);
    sql_pg_free(sql);
}

static void pg_stand(struct sql *sql);

static void pg_connecting(struct sql *sql)
{
    struct sql_pg *pg = pg_of(sql);
    PGconn *conn = pg->library;
    struct error err = {0};

    switch (PQconnectPoll(conn)) {
    case PGRES_POLLING_READING:
        sql_session_wait(sql, PQsocket(conn), POLLIN);
        break;
    case PGRES_POLLING_WRITING:
        sql_session_wait(sql, PQsocket(conn), POLLOUT);
        break;
    case PGRES_POLLING_OK:
        pg_stand(sql);
        break;
    default:
        sql_pq_error(&err, pg->url, conn);
        url_forget(pg);
        sql_session_fail(sql, &err);
    }
}

/* ---- calls by the library, for connections by TLS -------------------------------------------- */

static void library_wait(struct sql *sql)
{
    PGconn *conn = pg_of(sql)->library;
    int left = PQflush(conn);

    if (left < 0) {
        sql_session_lose(sql, "08006", PQerrorMessage(conn));
        return;
    }
    sql_session_wait(sql, PQsocket(conn), left > 0 ? POLLIN | POLLOUT : POLLIN);
}

static int library_execute(struct sql_pg *pg, const struct sql_call *call, const char *name)
{
    const char *values[SQL_PARAMS];
    int lengths[SQL_PARAMS], formats[SQL_PARAMS], code;
    char digits[SQL_PARAMS][24];
    struct sql_bytes copy;
    uint32_t at[SQL_PARAMS];

    sql_bytes_init(&copy); /* text must end with a zero for libpq */
    for (uint32_t p = 0; p < call->statement->params; p++) {
        const struct sql_value *value = &call->params[p];

        at[p] = copy.count;
        values[p] = NULL;
        lengths[p] = formats[p] = 0;
        if (value->kind == SQL_INT) {
            snprintf(digits[p], sizeof(digits[p]), "%lld", (long long)value->number);
            values[p] = digits[p];
        } else if (value->kind == SQL_TEXT) {
            sql_bytes_add(&copy, value->text, value->bytes);
            sql_bytes_add_char(&copy, '\0');
        }
    }
    for (uint32_t p = 0; p < call->statement->params; p++) {
        values[p] = call->params[p].kind == SQL_TEXT ? copy.data + at[p] : values[p];
    }
    code = copy.failed ? 0
                       : PQsendQueryPrepared(pg->library, name, call->statement->params, values,
                                             lengths, formats, 0);
    sql_bytes_free(&copy);
    return code;
}

static void library_send(struct sql *sql, struct sql_call *call)
{
    struct sql_pg *pg = pg_of(sql);
    bool named = sql->prepared && !call->statement->utility;
    char name[16];
    int code;

    if (call != sql->first) {
        return; /* its turn comes */
    }
    pg->sent = call;
    snprintf(name, sizeof(name), "s%u", call->statement->id);
    if (!named) {
        struct sql_bytes text;

        sql_bytes_init(&text);
        sql_bytes_add_literal(&text, call, SQL_POSTGRES, false);
        sql_bytes_add_char(&text, '\0');
        code = text.failed ? 0 : PQsendQuery(pg->library, text.data);
        sql_bytes_free(&text);
    } else if (!pg->statements[call->statement->id].parsed) {
        pg->preparing = true;
        code = PQsendPrepare(pg->library, name, call->statement->text, 0, NULL);
    } else {
        code = library_execute(pg, call, name);
    }
    if (code == 0) {
        sql_session_lose(sql, "08006", PQerrorMessage(pg->library));
    } else {
        library_wait(sql);
    }
}

static void library_rows(struct sql *sql, const PGresult *result)
{
    struct sql_call *call = sql->first;
    uint32_t columns = (uint32_t)PQnfields(result), rows = (uint32_t)PQntuples(result);
    struct sql_value values[SQL_COLUMNS];

    columns = columns < SQL_COLUMNS ? columns : SQL_COLUMNS;
    call->rows += rows;
    for (uint32_t r = 0; call->row && r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++) {
            int ri = (int)r, ci = (int)c;
            bool null = PQgetisnull(result, ri, ci);

            sql_pg_value(&values[c], PQgetvalue(result, ri, ci),
                         null ? -1 : PQgetlength(result, ri, ci),
                         sql_pg_type_is_number(PQftype(result, ci)));
        }
        call->row(call, values, columns);
    }
}

static void library_result(struct sql *sql, const PGresult *result)
{
    struct sql_pg *pg = pg_of(sql);
    const char *severity, *words;

    switch (PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
        library_rows(sql, result);
        break;
    case PGRES_COMMAND_OK:
        sql->first->rows = (uint32_t)strtoul(PQcmdTuples((PGresult *)result), NULL, 10);
        break;
    case PGRES_EMPTY_QUERY:
        break;
    default:
        severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
        words = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        pg->failed = true;
        snprintf(sql->state, sizeof(sql->state), "%s", words ? words : "");
        words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        snprintf(sql->error, sizeof(sql->error), "%s",
                 words ? words : PQresultErrorMessage(result));
        if (severity && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0)) {
            char state[6], error[sizeof(sql->error)];

            memcpy(state, sql->state, sizeof(state));
            memcpy(error, sql->error, sizeof(error));
            sql_session_lose(sql, state, error);
        }
    }
}

/* The server is ready: the next step of this call, or the next call. */
static void library_next(struct sql *sql)
{
    struct sql_pg *pg = pg_of(sql);
    bool failed = pg->failed, prepared = pg->preparing;

    pg->failed = pg->preparing = false;
    pg->sent = NULL;
    if (prepared && !failed) {
        pg->statements[sql->first->statement->id].parsed = true;
        library_send(sql, sql->first);
        return;
    }
    if (failed) {
        sql_session_refuse(sql, sql->state, sql->error, strlen(sql->error));
    } else {
        sql_session_end(sql, SQL_DONE);
    }
    if (sql->first && pg->sent == NULL && !sql->gone && !sql->closed) {
        library_send(sql, sql->first);
    }
}

static void library_ready(struct sql *sql)
{
    PGconn *conn = pg_of(sql)->library;

    if (!PQconsumeInput(conn)) {
        sql_session_lose(sql, "08006", "the server closed the connection");
        return;
    }
    while (!sql->gone && !sql->closed && sql->first && !PQisBusy(conn)) {
        PGresult *result = PQgetResult(conn);

        if (result == NULL) {
            library_next(sql);
        } else {
            library_result(sql, result);
            PQclear(result);
        }
    }
    if (PQstatus(conn) == CONNECTION_BAD) {
        sql_session_lose(sql, "08006", "the server closed the connection");
    } else if (!sql->gone && !sql->closed && sql->first) {
        library_wait(sql);
    }
}

static const struct sql_speech library_speech = {
    .send = library_send,
    .ready = library_ready,
    .free = pg_by_library_free,
};
static const struct sql_speech connecting_speech = {
    .ready = pg_connecting,
    .free = pg_by_library_free,
};

static void pg_stand(struct sql *sql)
{
    struct sql_pg *pg = pg_of(sql);
    PGconn *conn = pg->library;
    struct error err = {0};
    int fd;

    if (PQsslInUse(conn)) {
        PQsetnonblocking(conn, 1);
        url_forget(pg);
        sql_session_stand_by_library(sql, &library_speech);
        return;
    }
    fd = take_socket(conn);
    if (fd < 0) {
        sql_url_error(&err, pg->url, strerror(-fd), "ulimit -n: how many files may be open");
        sql_session_fail(sql, &err);
        return;
    }
    PQfinish(conn);
    pg->library = NULL;
    url_forget(pg);
    sql_session_stand(sql, fd, &sql_pg_speech);
}

static int pg_connect(struct sql **ret, struct loop *loop, const struct sql_url *url,
                      const struct sql_options *options,
                      void (*connected)(void *context, struct sql *, const struct error *err),
                      void *context, struct error *err)
{
    struct sql_pg *pg = mem_zalloc(sizeof(*pg));
    struct sql_pq_words words;
    PGconn *conn;
    int code;

    if (!loop_polls(loop)) {
        mem_free(pg);
        return error_set(err, EXIT_USAGE, -EINVAL, "a real server needs real time");
    }
    if (pg) {
        pg->url = mem_zalloc(sizeof(*pg->url));
        pg->statements =
            mem_array(options->prepared ? options->statements : 0, sizeof(*pg->statements));
        sql_session_init(&pg->sql, loop, options, connected, context);
        pg->sql.speech = &connecting_speech;
    }
    sql_pq_words(&words, url);
    conn =
        pg && pg->url && pg->statements ? PQconnectStartParams(words.keys, words.values, 0) : NULL;
    if (conn == NULL) {
        if (pg) {
            pg_by_library_free(&pg->sql);
        }
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a connection");
    }
    pg->library = conn;
    *pg->url = *url;
    PQsetErrorVerbosity(conn, PQERRORS_VERBOSE);
    if (PQstatus(conn) == CONNECTION_BAD) {
        code = sql_pq_error(err, url, conn);
        pg_by_library_free(&pg->sql);
        return code;
    }
    loop_arm(loop, &pg->sql.timer, loop->now_ns + sql_pq_timeout_ns(url));
    sql_session_wait(&pg->sql, PQsocket(conn), POLLOUT);
    *ret = &pg->sql;
    return 0;
}

static uint64_t pg_memory_bytes(const struct sql *sql)
{
    uint64_t statements = sql->prepared ? sql->statements : 0;

    return sizeof(struct sql_pg) + statements * sizeof(struct pg_statement) +
           sql_session_memory_bytes(sql);
}

static const struct sql_ops pg_ops = {
    .name = "pg",
    .connect = pg_connect,
    .begin = sql_session_begin,
    .close = sql_session_close,
    .memory_bytes = pg_memory_bytes,
};

const struct sql_ops *sql_pg_driver(const struct sql_plain_ops **ret_plain, struct error *err)
{
    if (ret_plain) {
        *ret_plain = &sql_pg_plain_ops;
    }
    return &pg_ops;
}
