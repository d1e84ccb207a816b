#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "base/mem.h"
#include "sql_maria_rows.h"
#include "sql_mysql.h"

/*
 * Calls by libmariadb's non-blocking functions, for connections by TLS. Each step of a call is a
 * function that may have to wait for the socket, and is then gone on with when that is ready.
 */
enum step { STEP_NONE, STEP_PREPARE, STEP_EXECUTE, STEP_STORE, STEP_QUERY, STEP_RESULT, STEP_MORE };

/* What the library needs of a connection beside MYSQL; sql_maria.library_result. */
struct calls {
    MYSQL_STMT **statements; /* by id; NULL: not prepared */
    MYSQL_STMT *now;
    MYSQL_RES *result;
    char *column; /* of a long text */
    unsigned long column_bytes;
    int code; /* what the step gave */
    my_bool refused;
};

static inline struct sql_maria *maria_of(struct sql *sql)
{
    return (struct sql_maria *)sql;
}

static inline struct calls *calls_of(struct sql *sql)
{
    return maria_of(sql)->library_result;
}

static void calls_run(struct sql *sql);

static void calls_error(struct sql *sql, unsigned number, const char *words)
{
    struct sql_maria *maria = maria_of(sql);
    char state[6];

    maria->step = STEP_NONE;
    snprintf(state, sizeof(state), "%u", number % 100000);
    if ((number >= 2000 && number < 3000) || number == 1053 || number == 1927) {
        sql_session_lose(sql, state, words);
    } else {
        sql_session_refuse(sql, state, words, strlen(words));
    }
}

/* ---- rows of a prepared statement ------------------------------------------------------------ */

static bool fetch_column(struct calls *calls, uint32_t c, const MYSQL_FIELD *field,
                         struct sql_value *ret, char *buf, unsigned long size)
{
    my_bool null = 0;
    unsigned long bytes = 0;
    MYSQL_BIND bind = {.buffer_type = MYSQL_TYPE_STRING,
                       .buffer = buf,
                       .buffer_length = size,
                       .length = &bytes,
                       .is_null = &null};

    if (mysql_stmt_fetch_column(calls->now, &bind, c, 0)) {
        return false;
    }
    if (bytes > size) {
        char *larger = mem_resize(calls->column, bytes);

        if (larger == NULL) {
            return false;
        }
        calls->column = larger;
        bind.buffer = larger;
        bind.buffer_length = bytes;
        if (mysql_stmt_fetch_column(calls->now, &bind, c, 0)) {
            return false;
        }
        buf = larger;
    }
    if (null) {
        *ret = (struct sql_value){.kind = SQL_NULL};
    } else {
        sql_maria_value(ret, buf, bytes, (uint8_t)field->type);
    }
    return true;
}

/* A row with more than one text above this length is more than this slow way can hold. */
enum { COLUMN_BYTES = 4000 };

static bool fetch_rows(struct sql *sql)
{
    struct calls *calls = calls_of(sql);
    struct sql_call *call = sql->first;
    MYSQL_RES *meta = mysql_stmt_result_metadata(calls->now);
    uint32_t columns = meta ? mysql_num_fields(meta) : 0;
    struct sql_value values[SQL_COLUMNS];
    char(*texts)[COLUMN_BYTES] = mem_array(SQL_COLUMNS, COLUMN_BYTES);
    bool fine = texts != NULL;
    int code = MYSQL_NO_DATA;

    columns = columns < SQL_COLUMNS ? columns : SQL_COLUMNS;
    while (fine && call->row && meta) {
        code = mysql_stmt_fetch(calls->now);
        if (code != 0 && code != MYSQL_DATA_TRUNCATED) {
            break;
        }
        for (uint32_t c = 0; c < columns && fine; c++) {
            fine = fetch_column(calls, c, mysql_fetch_field_direct(meta, c), &values[c], texts[c],
                                COLUMN_BYTES);
        }
        if (fine) {
            call->row(call, values, columns);
        }
    }
    if (meta) {
        mysql_free_result(meta);
    }
    mem_free(texts);
    return fine && code == MYSQL_NO_DATA;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int step_start(struct sql *sql)
{
    struct sql_maria *maria = maria_of(sql);
    struct calls *calls = calls_of(sql);
    const char *text = sql->first->statement->text;
    struct sql_bytes bytes;
    int status;

    switch (maria->step) {
    case STEP_PREPARE:
        return mysql_stmt_prepare_start(&calls->code, calls->now, text, strlen(text));
    case STEP_EXECUTE:
        return mysql_stmt_execute_start(&calls->code, calls->now);
    case STEP_STORE:
        return mysql_stmt_store_result_start(&calls->code, calls->now);
    case STEP_RESULT:
        return mysql_store_result_start(&calls->result, maria->library);
    case STEP_MORE:
        return mysql_next_result_start(&calls->code, maria->library);
    default: /* STEP_QUERY: the library copies the text only when it sends it */
        sql_bytes_init(&bytes);
        sql_bytes_add_literal(&bytes, sql->first, SQL_MARIADB, !maria->no_backslashes);
        mem_free(calls->column);
        calls->column = bytes.failed ? NULL : mem_strndup(bytes.data, bytes.count);
        status = calls->column ? mysql_real_query_start(&calls->code, maria->library, calls->column,
                                                        bytes.count)
                               : 0;
        calls->code = calls->column ? calls->code : 1;
        sql_bytes_free(&bytes);
        return status;
    }
}

static int step_go_on(struct sql *sql, int status)
{
    struct sql_maria *maria = maria_of(sql);
    struct calls *calls = calls_of(sql);

    switch (maria->step) {
    case STEP_PREPARE:
        return mysql_stmt_prepare_cont(&calls->code, calls->now, status);
    case STEP_EXECUTE:
        return mysql_stmt_execute_cont(&calls->code, calls->now, status);
    case STEP_STORE:
        return mysql_stmt_store_result_cont(&calls->code, calls->now, status);
    case STEP_RESULT:
        return mysql_store_result_cont(&calls->result, maria->library, status);
    case STEP_MORE:
        return mysql_next_result_cont(&calls->code, maria->library, status);
    default:
        return mysql_real_query_cont(&calls->code, maria->library, status);
    }
}

/* Give the statement its parameters; they are read while it executes. */
static bool bind_params(struct calls *calls, const struct sql_call *call)
{
    MYSQL_BIND binds[SQL_PARAMS] = {0};

    for (uint32_t p = 0; p < call->statement->params; p++) {
        const struct sql_value *value = &call->params[p];

        binds[p].buffer_type = value->kind == SQL_INT    ? MYSQL_TYPE_LONGLONG
                               : value->kind == SQL_TEXT ? MYSQL_TYPE_STRING
                                                         : MYSQL_TYPE_NULL;
        binds[p].buffer = value->kind == SQL_INT ? (void *)(uintptr_t)&value->number
                                                 : (void *)(uintptr_t)value->text;
        binds[p].buffer_length = value->bytes;
    }
    return call->statement->params == 0 || !mysql_stmt_bind_param(calls->now, binds);
}

static void text_rows(struct sql *sql)
{
    MYSQL_RES *result = calls_of(sql)->result;
    uint32_t columns = mysql_num_fields(result);
    struct sql_value values[SQL_COLUMNS];
    const MYSQL_FIELD *fields = mysql_fetch_fields(result);
    MYSQL_ROW row;

    columns = columns < SQL_COLUMNS ? columns : SQL_COLUMNS;
    sql->first->rows += (uint32_t)mysql_num_rows(result);
    while (sql->first->row && (row = mysql_fetch_row(result)) != NULL) {
        const unsigned long *lengths = mysql_fetch_lengths(result);

        for (uint32_t c = 0; c < columns; c++) {
            values[c] = (struct sql_value){.kind = SQL_NULL};
            if (row[c]) {
                sql_maria_value(&values[c], row[c], lengths[c], (uint8_t)fields[c].type);
            }
        }
        sql->first->row(sql->first, values, columns);
    }
    mysql_free_result(result);
    calls_of(sql)->result = NULL;
}

static void calls_done(struct sql *sql)
{
    maria_of(sql)->step = STEP_NONE;
    sql_session_end(sql, SQL_DONE);
}

static void query_done(struct sql *sql)
{
    struct sql_maria *maria = maria_of(sql);
    MYSQL *mysql = maria->library;
    struct calls *calls = calls_of(sql);

    if (mysql_errno(mysql)) {
        calls_error(sql, mysql_errno(mysql), mysql_error(mysql));
        return;
    }
    if (maria->step == STEP_QUERY || (maria->step == STEP_MORE && calls->code == 0)) {
        calls->result = NULL;
        maria->step = STEP_RESULT;
        return;
    }
    if (maria->step == STEP_RESULT) {
        if (calls->result) {
            text_rows(sql);
        } else if (sql->first->rows == 0) {
            sql->first->rows = (uint32_t)mysql_affected_rows(mysql);
        }
        if (mysql_more_results(mysql)) {
            maria->step = STEP_MORE;
            return;
        }
    }
    calls_done(sql);
}

static void statement_done(struct sql *sql)
{
    struct sql_maria *maria = maria_of(sql);
    struct calls *calls = calls_of(sql);
    struct sql_call *call = sql->first;

    if (calls->code) {
        unsigned number = mysql_stmt_errno(calls->now);

        if (maria->step == STEP_PREPARE && number == 1295) { /* ER_UNSUPPORTED_PS */
            maria->statements[call->statement->id].prepared = PREPARED_NEVER;
            maria->step = STEP_QUERY;
        } else {
            calls_error(sql, number, mysql_stmt_error(calls->now));
        }
        return;
    }
    if (maria->step == STEP_PREPARE) {
        maria->statements[call->statement->id].prepared = PREPARED_STANDS;
        maria->step = STEP_EXECUTE;
        calls->code = !bind_params(calls, call);
    } else if (maria->step == STEP_EXECUTE && mysql_stmt_field_count(calls->now)) {
        maria->step = STEP_STORE;
    } else if (maria->step == STEP_EXECUTE) {
        call->rows = (uint32_t)mysql_stmt_affected_rows(calls->now);
        calls_done(sql);
    } else {
        call->rows = (uint32_t)mysql_stmt_num_rows(calls->now);
        if (!fetch_rows(sql)) {
            calls_error(sql, CR_OUT_OF_MEMORY, "an answer could not be read");
            return;
        }
        mysql_stmt_free_result(calls->now);
        calls_done(sql);
    }
}

/* Steps as far as they go without waiting; a call that ends may have begun the next. */
static void calls_run(struct sql *sql)
{
    struct sql_maria *maria = maria_of(sql);

    while (!sql->gone && !sql->closed && maria->step != STEP_NONE && !maria->waits) {
        int status = step_start(sql);

        if (status) {
            maria->waits = true;
            sql_session_wait(sql, (int)mysql_get_socket(maria->library), sql_mysql_events(status));
        } else if (maria->step >= STEP_QUERY) {
            query_done(sql);
        } else {
            statement_done(sql);
        }
    }
}

static void calls_ready(struct sql *sql)
{
    struct sql_maria *maria = maria_of(sql);
    int status = step_go_on(sql, sql_mysql_status(sql->in.revents));

    if (status) {
        sql_session_wait(sql, (int)mysql_get_socket(maria->library), sql_mysql_events(status));
        return;
    }
    maria->waits = false;
    if (maria->step >= STEP_QUERY) {
        query_done(sql);
    } else {
        statement_done(sql);
    }
    if (!sql->gone && !sql->closed) {
        calls_run(sql);
    }
}

static void calls_send(struct sql *sql, struct sql_call *call)
{
    struct sql_maria *maria = maria_of(sql);
    struct calls *calls = calls_of(sql);
    uint32_t id = call->statement->id;
    bool text = call->statement->utility || !sql->prepared ||
                maria->statements[id].prepared == PREPARED_NEVER;

    maria->step = STEP_QUERY;
    calls->code = 0;
    if (!text) {
        if (calls->statements[id] == NULL) {
            calls->statements[id] = mysql_stmt_init(maria->library);
        }
        calls->now = calls->statements[id];
        if (calls->now == NULL) {
            sql_session_lose(sql, "", "no memory for a statement");
            return;
        }
        maria->step = STEP_PREPARE;
        if (maria->statements[id].prepared == PREPARED_STANDS) {
            maria->step = STEP_EXECUTE;
            bind_params(calls, call);
        }
    }
    if (sql->busy == 1) { /* else the loop of calls_run() goes on with it */
        calls_run(sql);
    }
}

/* A call that waits is told that time is over, so that the library is in its right mind again. */
static void calls_free(struct sql *sql)
{
    struct sql_maria *maria = maria_of(sql);
    struct calls *calls = calls_of(sql);

    for (int i = 0; maria->waits && i < 16; i++) {
        maria->waits = step_go_on(sql, MYSQL_WAIT_TIMEOUT) != 0;
    }
    if (!maria->waits) {
        for (uint32_t i = 0; sql->prepared && i < sql->statements; i++) {
            if (calls->statements[i]) {
                mysql_stmt_close(calls->statements[i]);
            }
        }
        mysql_close(maria->library);
    }
    mem_free(calls->statements);
    mem_free(calls->column);
    mem_free(calls);
    sql_maria_free(sql);
}

static const struct sql_speech calls_speech = {
    .send = calls_send,
    .ready = calls_ready,
    .free = calls_free,
};

void sql_mysql_stand(struct sql *sql)
{
    struct sql_maria *maria = maria_of(sql);
    struct calls *calls = mem_zalloc(sizeof(*calls));

    maria->step = STEP_NONE;
    maria->waits = false;
    maria->library_result = calls;
    if (calls) {
        calls->statements =
            mem_array(sql->prepared ? sql->statements : 0, sizeof(*calls->statements));
    }
    if (calls == NULL || calls->statements == NULL) {
        struct error err = {0};

        mem_free(calls);
        error_set(&err, EXIT_FAILED, -ENOMEM, "no memory for a connection");
        sql_session_fail(sql, &err);
        return;
    }
    sql_session_stand_by_library(sql, (int)mysql_get_socket(maria->library), &calls_speech);
}
