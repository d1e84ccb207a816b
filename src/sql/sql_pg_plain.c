#include <errno.h>
#include <poll.h>

#include "base/mem.h"
#include "sql_pq.h"

struct plain_pg {
    PGconn *conn;
    struct sql_url url;
};

static int plain_error(struct plain_pg *plain, const PGresult *result, struct error *err)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *detail = PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
    const char *hint = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);
    int code = PQstatus(plain->conn) == CONNECTION_BAD ? -ECONNRESET : -EIO;

    words = words ? words : PQerrorMessage(plain->conn);
    error_set(err, EXIT_FAILED, code, "%.*s%s%s%s%s%s%s", (int)strcspn(words, "\n"), words,
              detail ? " (" : "", detail ? detail : "", detail ? ")" : "", state ? " [" : "",
              state ? state : "", state ? "]" : "");
    return hint ? error_hint(err, "%s", hint) : err->code;
}

static void plain_close(void *self)
{
    struct plain_pg *plain = self;

    PQfinish(plain->conn);
    explicit_bzero(&plain->url, sizeof(plain->url));
    mem_free(plain);
}

static void plain_no_notices(void *context, const PGresult *result)
{
}

/* Connect, as PQconnectdbParams() does, which leaves no time to ask for verbose errors. */
static void plain_wait(PGconn *conn, int64_t left_ms)
{
    PostgresPollingStatusType status = PGRES_POLLING_WRITING;

    while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED && left_ms > 0) {
        struct pollfd wait = {.fd = PQsocket(conn),
                              .events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT};

        if (PQstatus(conn) == CONNECTION_BAD) {
            break;
        }
        left_ms -= 100;
        if (poll(&wait, 1, 100) != 0) {
            left_ms += 90; /* a limit all the same, should it never block */
            status = PQconnectPoll(conn);
        }
    }
}

static int plain_open(void **ret, const struct sql_url *url, struct error *err)
{
    struct plain_pg *plain = mem_zalloc(sizeof(*plain));
    struct sql_pq_words words;
    int code;

    if (plain == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a connection");
    }
    plain->url = *url;
    sql_pq_words(&words, url);
    plain->conn = PQconnectStartParams(words.keys, words.values, 0);
    if (plain->conn) {
        PQsetErrorVerbosity(plain->conn, PQERRORS_VERBOSE);
        plain_wait(plain->conn, sql_pq_timeout_ns(url) / 1000000);
    }
    if (plain->conn == NULL || PQstatus(plain->conn) != CONNECTION_OK) {
        code = PQstatus(plain->conn) == CONNECTION_BAD
                   ? sql_pq_error(err, url, plain->conn)
                   : sql_url_error(err, url, "timeout expired: the server does not answer",
                                   "is it reachable, and is anything between that drops what it "
                                   "sends? connect_timeout=30 in the URL waits longer");
        plain_close(plain);
        return code;
    }
    PQsetErrorVerbosity(plain->conn, PQERRORS_DEFAULT);
    PQsetNoticeReceiver(plain->conn, plain_no_notices, NULL);
    *ret = plain;
    return 0;
}

static void plain_rows(const PGresult *result,
                       void (*row)(void *context, const struct sql_value *columns, uint32_t count),
                       void *context)
{
    int rows = PQntuples(result), columns = PQnfields(result);
    struct sql_value values[SQL_COLUMNS];

    columns = columns < SQL_COLUMNS ? columns : SQL_COLUMNS;
    for (int r = 0; row && r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            sql_pg_value(&values[c], PQgetvalue(result, r, c),
                         PQgetisnull(result, r, c) ? -1 : PQgetlength(result, r, c),
                         sql_pg_type_is_number(PQftype(result, c)));
        }
        row(context, values, (uint32_t)columns);
    }
}

static int plain_run(void *self, const char *text,
                     void (*row)(void *context, const struct sql_value *columns, uint32_t count),
                     void *context, struct error *err)
{
    struct plain_pg *plain = self;
    PGresult *result;
    int code = 0;

    if (!PQsendQuery(plain->conn, text)) {
        return error_set(err, EXIT_FAILED, -ECONNRESET, "%.*s",
                         (int)strcspn(PQerrorMessage(plain->conn), "\n"),
                         PQerrorMessage(plain->conn));
    }
    PQsetSingleRowMode(plain->conn);
    while ((result = PQgetResult(plain->conn)) != NULL) {
        ExecStatusType status = PQresultStatus(result);

        if (status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK) {
            plain_rows(result, row, context);
        } else if (status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY && code == 0) {
            code = plain_error(plain, result, err);
        }
        PQclear(result);
    }
    return code;
}

static int plain_load_begin(void *self, const char *table, const char *columns,
                            enum sql_plain_format *ret_format, struct error *err)
{
    struct plain_pg *plain = self;
    struct text text;
    PGresult *result;
    int code = 0;

    text_init(&text);
    text_addf(&text, "COPY %s%s%s%s FROM STDIN", table, columns ? " (" : "", columns ? columns : "",
              columns ? ")" : "");
    result = PQexec(plain->conn, text_string(&text));
    if (PQresultStatus(result) != PGRES_COPY_IN) {
        code = plain_error(plain, result, err);
    }
    PQclear(result);
    text_free(&text);
    *ret_format = PLAIN_TABS;
    return code;
}

static int plain_load_result(struct plain_pg *plain, struct error *err)
{
    PGresult *result;
    int code = 0;

    while ((result = PQgetResult(plain->conn)) != NULL) {
        if (PQresultStatus(result) != PGRES_COMMAND_OK && code == 0) {
            code = plain_error(plain, result, err);
        }
        PQclear(result);
    }
    return code;
}

static int plain_load_piece(void *self, const char *data, uint32_t bytes, uint32_t rows,
                            struct error *err)
{
    struct plain_pg *plain = self;
    int code;

    if (PQputCopyData(plain->conn, data, (int)bytes) == 1) {
        return 0;
    }
    code = plain_load_result(plain, err);
    return code ? code
                : error_set(err, EXIT_FAILED, -EIO, "%.*s",
                            (int)strcspn(PQerrorMessage(plain->conn), "\n"),
                            PQerrorMessage(plain->conn));
}

static int plain_load_end(void *self, struct error *err)
{
    struct plain_pg *plain = self;

    PQputCopyEnd(plain->conn, NULL);
    return plain_load_result(plain, err);
}

static void plain_load_abandon(void *self)
{
    struct plain_pg *plain = self;
    struct error ignored;

    if (PQputCopyEnd(plain->conn, "given up") == 1) {
        plain_load_result(plain, &ignored);
    }
}

const struct sql_plain_ops sql_pg_plain_ops = {
    .dialect = SQL_POSTGRES,
    .piece_bytes = 64 << 10,
    .open = plain_open,
    .run = plain_run,
    .load_begin = plain_load_begin,
    .load_piece = plain_load_piece,
    .load_end = plain_load_end,
    .load_abandon = plain_load_abandon,
    .close = plain_close,
};
