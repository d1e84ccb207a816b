#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "sql_mysql.h"

/*
 * Connections by TLS. libmariadb waits inside its TLS library, non-blocking calls or not, so each
 * of these has a thread: it makes the library's calls, and an eventfd tells the loop of the answer,
 * which the loop's thread then reads. At any time only one of the two uses the connection.
 */
enum turn { TURN_LOOP, TURN_THREAD, TURN_END };
enum { RESULTS = 4, COLUMN_BYTES = 4000, STACK_BYTES = 256 << 10 };

struct sql_mysql_thread {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    enum turn turn;
    int wake;
    MYSQL *mysql;
    struct sql_mysql_place place;
    bool connects;               /* the first turn */
    MYSQL_STMT **statements;     /* by id; NULL: not prepared */
    const struct sql_call *call; /* of this turn */
    bool as_text, no_backslashes;
    unsigned number; /* of its error; 0: fine */
    char words[200];
    uint64_t rows;
    MYSQL_RES *results[RESULTS];
    uint32_t result_count;
    MYSQL_STMT *now; /* has rows */
    char *column;    /* of a long text */
};

static inline struct sql_maria *maria_of(struct sql *sql)
{
    return (struct sql_maria *)sql;
}

static inline struct sql_mysql_thread *thread_of(struct sql *sql)
{
    return maria_of(sql)->thread;
}

/* ---- in the thread --------------------------------------------------------------------------- */

static void turn_failed(struct sql_mysql_thread *thread, unsigned number, const char *words)
{
    thread->number = number ? number : CR_UNKNOWN_ERROR;
    snprintf(thread->words, sizeof(thread->words), "%s", words);
}

static void turn_text(struct sql_mysql_thread *thread)
{
    MYSQL *mysql = thread->mysql;
    struct sql_bytes text;
    int more;

    sql_bytes_init(&text);
    sql_bytes_add_literal(&text, thread->call, SQL_MARIADB, !thread->no_backslashes);
    more = text.failed || mysql_real_query(mysql, text.data, text.count);
    sql_bytes_free(&text);
    while (more == 0) {
        MYSQL_RES *result = mysql_store_result(mysql);

        if (result == NULL) {
            thread->rows += mysql_errno(mysql) ? 0 : mysql_affected_rows(mysql);
        } else if (thread->result_count < RESULTS) {
            thread->results[thread->result_count++] = result;
        } else {
            mysql_free_result(result);
        }
        more = mysql_errno(mysql) ? 1 : mysql_next_result(mysql);
    }
    if (more > 0) {
        turn_failed(thread, mysql_errno(mysql), mysql_error(mysql));
    }
    thread->no_backslashes = mysql->server_status & SERVER_STATUS_NO_BACKSLASH_ESCAPES;
}

static bool bind_params(MYSQL_STMT *stmt, const struct sql_call *call)
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
    return call->statement->params == 0 || !mysql_stmt_bind_param(stmt, binds);
}

/* The statement of a call, prepared; NULL if that failed. */
static MYSQL_STMT *turn_prepare(struct sql_mysql_thread *thread)
{
    const struct sql_statement *statement = thread->call->statement;
    MYSQL_STMT *stmt = thread->statements[statement->id];

    if (stmt) {
        return stmt;
    }
    stmt = mysql_stmt_init(thread->mysql);
    if (stmt == NULL || mysql_stmt_prepare(stmt, statement->text, strlen(statement->text))) {
        turn_failed(thread, stmt ? mysql_stmt_errno(stmt) : CR_OUT_OF_MEMORY,
                    stmt ? mysql_stmt_error(stmt) : "no memory for a statement");
        if (stmt) {
            mysql_stmt_close(stmt);
        }
        return NULL;
    }
    thread->statements[statement->id] = stmt;
    return stmt;
}

static void turn_execute(struct sql_mysql_thread *thread)
{
    MYSQL_STMT *stmt = turn_prepare(thread);

    if (stmt == NULL) {
        return;
    }
    if (!bind_params(stmt, thread->call) || mysql_stmt_execute(stmt) ||
        (mysql_stmt_field_count(stmt) && mysql_stmt_store_result(stmt))) {
        turn_failed(thread, mysql_stmt_errno(stmt), mysql_stmt_error(stmt));
    } else if (mysql_stmt_field_count(stmt)) {
        thread->now = stmt;
        thread->rows = mysql_stmt_num_rows(stmt);
    } else {
        thread->rows = mysql_stmt_affected_rows(stmt);
    }
}

static void turn_take(struct sql_mysql_thread *thread)
{
    const struct sql_mysql_place *place = &thread->place;

    if (thread->connects) {
        if (!mysql_real_connect(thread->mysql, place->host, place->user, place->password,
                                place->database, place->port, place->socket, place->flags)) {
            turn_failed(thread, mysql_errno(thread->mysql), mysql_error(thread->mysql));
        }
        return;
    }
    if (!thread->as_text) {
        turn_execute(thread);
        if (thread->number != 1295) { /* ER_UNSUPPORTED_PS */
            return;
        }
        thread->number = 0;
        thread->as_text = true; /* tells the loop */
    }
    turn_text(thread);
}

static void *thread_run(void *context)
{
    struct sql_mysql_thread *thread = context;
    uint64_t one = 1;

    mysql_thread_init();
    pthread_mutex_lock(&thread->mutex);
    for (;;) {
        while (thread->turn == TURN_LOOP) {
            pthread_cond_wait(&thread->cond, &thread->mutex);
        }
        if (thread->turn == TURN_END) {
            break;
        }
        pthread_mutex_unlock(&thread->mutex);
        turn_take(thread);
        pthread_mutex_lock(&thread->mutex);
        thread->turn = thread->turn == TURN_END ? TURN_END : TURN_LOOP;
        if (write(thread->wake, &one, sizeof(one)) < 0) {
            break;
        }
    }
    pthread_mutex_unlock(&thread->mutex);
    mysql_thread_end();
    return NULL;
}

/* ---- in the loop ----------------------------------------------------------------------------- */

static void turn_give(struct sql *sql)
{
    struct sql_mysql_thread *thread = thread_of(sql);

    thread->number = 0;
    thread->rows = 0;
    thread->now = NULL;
    thread->result_count = 0;
    pthread_mutex_lock(&thread->mutex);
    thread->turn = TURN_THREAD;
    pthread_cond_signal(&thread->cond);
    pthread_mutex_unlock(&thread->mutex);
    sql_session_wait(sql, thread->wake, POLLIN);
}

static void thread_send(struct sql *sql, struct sql_call *call)
{
    struct sql_mysql_thread *thread = thread_of(sql);
    const struct sql_statement *statement = call->statement;

    thread->call = call;
    thread->as_text = statement->utility || !sql->prepared ||
                      maria_of(sql)->statements[statement->id].prepared == PREPARED_NEVER ||
                      strncasecmp(statement->text, "CALL ", 5) == 0;
    turn_give(sql);
}

static void text_rows(struct sql_call *call, MYSQL_RES *result)
{
    uint32_t columns = mysql_num_fields(result);
    struct sql_value values[SQL_COLUMNS];
    const MYSQL_FIELD *fields = mysql_fetch_fields(result);
    MYSQL_ROW row;

    columns = columns < SQL_COLUMNS ? columns : SQL_COLUMNS;
    call->rows += (uint32_t)mysql_num_rows(result);
    while (call->row && (row = mysql_fetch_row(result)) != NULL) {
        const unsigned long *lengths = mysql_fetch_lengths(result);

        for (uint32_t c = 0; c < columns; c++) {
            values[c] = (struct sql_value){.kind = SQL_NULL};
            if (row[c]) {
                sql_maria_value(&values[c], row[c], lengths[c], (uint8_t)fields[c].type);
            }
        }
        call->row(call, values, columns);
    }
}

static bool fetch_column(struct sql_mysql_thread *thread, uint32_t c, const MYSQL_FIELD *field,
                         struct sql_value *ret, char *buf)
{
    my_bool null = 0;
    unsigned long bytes = 0;
    MYSQL_BIND bind = {.buffer_type = MYSQL_TYPE_STRING,
                       .buffer = buf,
                       .buffer_length = COLUMN_BYTES,
                       .length = &bytes,
                       .is_null = &null};

    if (mysql_stmt_fetch_column(thread->now, &bind, c, 0)) {
        return false;
    }
    if (bytes > COLUMN_BYTES) { /* one long text a row */
        char *larger = mem_resize(thread->column, bytes);

        if (larger == NULL) {
            return false;
        }
        thread->column = larger;
        bind.buffer = buf = larger;
        bind.buffer_length = bytes;
        if (mysql_stmt_fetch_column(thread->now, &bind, c, 0)) {
            return false;
        }
    }
    if (null) {
        *ret = (struct sql_value){.kind = SQL_NULL};
    } else {
        sql_maria_value(ret, buf, bytes, (uint8_t)field->type);
    }
    return true;
}

static bool binary_rows(struct sql_mysql_thread *thread, struct sql_call *call)
{
    MYSQL_RES *meta = mysql_stmt_result_metadata(thread->now);
    uint32_t columns = meta ? mysql_num_fields(meta) : 0;
    struct sql_value values[SQL_COLUMNS];
    char(*texts)[COLUMN_BYTES] = mem_array(SQL_COLUMNS, COLUMN_BYTES);
    bool fine = texts && meta;
    int code = fine ? 0 : MYSQL_NO_DATA;

    columns = columns < SQL_COLUMNS ? columns : SQL_COLUMNS;
    while (fine && (code = mysql_stmt_fetch(thread->now)) != MYSQL_NO_DATA && code != 1) {
        for (uint32_t c = 0; c < columns && fine; c++) {
            fine = fetch_column(thread, c, mysql_fetch_field_direct(meta, c), &values[c], texts[c]);
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

static void turn_answers(struct sql *sql)
{
    struct sql_mysql_thread *thread = thread_of(sql);
    struct sql_call *call = sql->first;
    char state[6];

    for (uint32_t r = 0; r < thread->result_count; r++) {
        if (thread->number == 0) {
            text_rows(call, thread->results[r]);
        }
        mysql_free_result(thread->results[r]);
    }
    if (call->rows == 0) {
        call->rows = (uint32_t)thread->rows;
    }
    if (thread->now) {
        if (call->row && !binary_rows(thread, call)) {
            turn_failed(thread, CR_OUT_OF_MEMORY, "an answer could not be read");
        }
        mysql_stmt_free_result(thread->now);
    }
    if (thread->as_text && !call->statement->utility && sql->prepared) {
        maria_of(sql)->statements[call->statement->id].prepared = PREPARED_NEVER;
    }
    snprintf(state, sizeof(state), "%u", thread->number % 100000);
    if (thread->number == 0) {
        sql_session_end(sql, SQL_DONE);
    } else if (thread->number >= CR_MIN_ERROR || thread->number == 1053 || thread->number == 1927) {
        sql_session_lose(sql, state, thread->words);
    } else {
        sql_session_refuse(sql, state, thread->words, strlen(thread->words));
    }
}

static void thread_ready(struct sql *sql)
{
    uint64_t count;

    if (read(thread_of(sql)->wake, &count, sizeof(count)) == sizeof(count) && sql->first) {
        turn_answers(sql);
    }
}

/* Whatever the thread waits for ends when its socket does. */
static void thread_end(struct sql_mysql_thread *thread)
{
    pthread_mutex_lock(&thread->mutex);
    if (thread->turn == TURN_THREAD) {
        int fd = (int)mysql_get_socket(thread->mysql);

        if (fd >= 0) {
            shutdown(fd, SHUT_RDWR);
        }
    }
    thread->turn = TURN_END;
    pthread_cond_signal(&thread->cond);
    pthread_mutex_unlock(&thread->mutex);
    pthread_join(thread->thread, NULL);
}

static void thread_free(struct sql *sql)
{
    struct sql_maria *maria = maria_of(sql);
    struct sql_mysql_thread *thread = maria->thread;

    thread_end(thread);
    for (uint32_t i = 0; sql->prepared && i < sql->statements; i++) {
        if (thread->statements[i]) {
            mysql_stmt_close(thread->statements[i]);
        }
    }
    mysql_close(thread->mysql);
    close(thread->wake);
    mem_free(thread->statements);
    mem_free(thread->column);
    mem_free(thread);
    sql_mysql_forget(maria);
    sql_maria_free(sql);
}

static const struct sql_speech thread_speech = {
    .send = thread_send,
    .ready = thread_ready,
    .free = thread_free,
};

static void thread_connected(struct sql *sql)
{
    struct sql_maria *maria = maria_of(sql);
    struct sql_mysql_thread *thread = maria->thread;
    struct error err = {0};

    if (thread->number || !mysql_get_ssl_cipher(thread->mysql)) {
        sql_mysql_error(&err, maria->url, thread->mysql);
        sql_mysql_forget(maria);
        sql_session_fail(sql, &err);
        return;
    }
    thread->connects = false;
    thread->no_backslashes = thread->mysql->server_status & SERVER_STATUS_NO_BACKSLASH_ESCAPES;
    sql_mysql_forget(maria);
    sql_session_stand_by_library(sql, &thread_speech);
}

static void thread_connecting(struct sql *sql)
{
    uint64_t count;

    if (read(thread_of(sql)->wake, &count, sizeof(count)) == sizeof(count)) {
        thread_connected(sql);
    }
}

static const struct sql_speech thread_connecting_speech = {
    .ready = thread_connecting,
    .free = thread_free,
};

int sql_mysql_thread_start(struct sql *sql, MYSQL *mysql, const struct sql_mysql_place *place)
{
    struct sql_maria *maria = maria_of(sql);
    struct sql_mysql_thread *thread = mem_zalloc(sizeof(*thread));
    pthread_attr_t attr;
    int code;

    if (thread == NULL) {
        return -ENOMEM;
    }
    thread->mysql = mysql;
    thread->place = *place;
    thread->connects = true;
    thread->turn = TURN_LOOP;
    thread->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    thread->statements =
        mem_array(sql->prepared ? sql->statements : 0, sizeof(*thread->statements));
    pthread_mutex_init(&thread->mutex, NULL);
    pthread_cond_init(&thread->cond, NULL);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    code = thread->wake < 0 ? errno
           : thread->statements == NULL
               ? ENOMEM
               : pthread_create(&thread->thread, &attr, thread_run, thread);
    pthread_attr_destroy(&attr);
    if (code) {
        if (thread->wake >= 0) {
            close(thread->wake);
        }
        mem_free(thread->statements);
        mem_free(thread);
        return -code;
    }
    maria->thread = thread;
    sql->speech = &thread_connecting_speech;
    turn_give(sql);
    return 0;
}
