#include "sql_pg_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

/*
 * Frontend/backend protocol 3.0 as its documentation says (PostgreSQL 7.4 and later). A message is
 * a letter, 4 bytes of length (itself included), and the body. What a call costs is one send and
 * one receive: the statement is prepared, and its columns are asked for, with its first execution.
 */
enum { HEAD = 5, NULL_BYTES = -1, PARSE_ASKED = 1, PARSE_STANDS = 2 };
/* In call.own: a Sync follows it, so that it ends when the server is ready; and its batch's number,
 * which is how many times the server will have been ready before. */
static const uint32_t OWN_SYNC = 1u << 31;

static inline struct sql_pg *pg_of(struct sql *sql)
{
    return (struct sql_pg *)sql;
}

static inline uint32_t get4(const char *data)
{
    uint32_t n;

    memcpy(&n, data, 4);
    return __builtin_bswap32(n);
}

static inline uint16_t get2(const char *data)
{
    uint16_t n;

    memcpy(&n, data, 2);
    return __builtin_bswap16(n);
}

static inline void put4(char *data, uint32_t n)
{
    n = __builtin_bswap32(n);
    memcpy(data, &n, 4);
}

static void add4(struct sql_bytes *out, uint32_t n)
{
    n = __builtin_bswap32(n);
    sql_bytes_add(out, &n, 4);
}

static void add2(struct sql_bytes *out, uint32_t n)
{
    uint16_t two = __builtin_bswap16((uint16_t)n);

    sql_bytes_add(out, &two, 2);
}

/* ---- out ------------------------------------------------------------------------------------- */

static uint32_t message_begin(struct sql_bytes *out, char letter)
{
    uint32_t at = out->count + 1;

    sql_bytes_add_char(out, letter);
    add4(out, 0);
    return at;
}

static void message_end(struct sql_bytes *out, uint32_t at)
{
    if (!out->failed) {
        put4(out->data + at, out->count - at);
    }
}

static void add_name(struct sql_bytes *out, const struct sql_call *call, bool named)
{
    if (named) {
        sql_bytes_add_char(out, 's');
        sql_bytes_add_number(out, call->statement->id);
    }
    sql_bytes_add_char(out, '\0');
}

static void add_parse(struct sql_bytes *out, const struct sql_call *call, bool named)
{
    uint32_t at = message_begin(out, 'P');

    add_name(out, call, named);
    sql_bytes_add_string(out, call->statement->text);
    add2(out, 0); /* the server finds the types */
    message_end(out, at);
    at = message_begin(out, 'D');
    sql_bytes_add_char(out, 'S');
    add_name(out, call, named);
    message_end(out, at);
}

static void add_param(struct sql_bytes *out, const struct sql_value *value)
{
    uint32_t at = out->count;

    switch (value->kind) {
    case SQL_NULL:
        add4(out, (uint32_t)NULL_BYTES);
        break;
    case SQL_INT:
        add4(out, 0);
        sql_bytes_add_number(out, value->number);
        if (!out->failed) {
            put4(out->data + at, out->count - at - 4);
        }
        break;
    case SQL_TEXT:
        add4(out, value->bytes);
        sql_bytes_add(out, value->text, value->bytes);
        break;
    }
}

static void add_bind(struct sql_bytes *out, const struct sql_call *call, bool named)
{
    uint32_t at = message_begin(out, 'B');

    sql_bytes_add_char(out, '\0'); /* the unnamed portal */
    add_name(out, call, named);
    add2(out, 0); /* parameters are text */
    add2(out, call->statement->params);
    for (uint32_t p = 0; p < call->statement->params; p++) {
        add_param(out, &call->params[p]);
    }
    add2(out, 0); /* columns are text */
    message_end(out, at);
    sql_bytes_add(out, "E\0\0\0\x09\0\0\0\0\0", 10);
}

static void add_sync(struct sql_bytes *out)
{
    sql_bytes_add(out, "S\0\0\0\x04", 5);
}

static void add_query(struct sql_bytes *out, const struct sql_call *call)
{
    uint32_t at = message_begin(out, 'Q');

    if (call->statement->params) {
        sql_bytes_add_literal(out, call, SQL_POSTGRES, false);
        sql_bytes_add_char(out, '\0');
    } else {
        sql_bytes_add_string(out, call->statement->text);
    }
    message_end(out, at);
}

static void add_extended(struct sql_pg *pg, struct sql_bytes *out, const struct sql_call *call)
{
    bool named = pg->sql.prepared && !call->statement->utility;
    struct pg_statement *known = named ? &pg->statements[call->statement->id] : NULL;

    if (!named || !known->parsed) {
        add_parse(out, call, named);
    }
    if (named) {
        known->parsed |= PARSE_ASKED;
    }
    add_bind(out, call, named);
}

/* BEGIN and START open a transaction; any other utility but SET and SAVEPOINT ends one. */
static void follow_txn(struct sql_pg *pg, const struct sql_statement *statement)
{
    if (!statement->utility) {
        return;
    }
    switch (statement->text[0] | 0x20) {
    case 'b':
        pg->in_txn = true;
        break;
    case 's':
        pg->in_txn = pg->in_txn || (statement->text[1] | 0x20) == 't';
        break;
    default:
        pg->in_txn = false;
    }
}

static void end_batch(struct sql_pg *pg, struct sql_call *last)
{
    if (last) {
        last->own |= OWN_SYNC;
    }
    pg->open_batch = false;
    pg->batch++;
}

static void pg_send(struct sql *sql, struct sql_call *call)
{
    struct sql_pg *pg = pg_of(sql);
    struct sql_bytes out;

    sql_bytes_init(&out);
    call->own = pg->batch & ~OWN_SYNC;
    if (!sql->pipeline && (call->statement->utility || !sql->prepared)) {
        add_query(&out, call);
        end_batch(pg, call);
    } else {
        follow_txn(pg, call->statement);
        add_extended(pg, &out, call);
        pg->open_batch = true;
        if (!sql->pipeline || !pg->in_txn) {
            add_sync(&out);
            end_batch(pg, call);
        }
    }
    sql_session_send(sql, &out);
    sql_bytes_free(&out);
}

static void pg_flush(struct sql *sql, struct sql_bytes *out)
{
    struct sql_pg *pg = pg_of(sql);

    if (pg->open_batch) {
        add_sync(out);
        end_batch(pg, sql->last);
    }
}

/* ---- in -------------------------------------------------------------------------------------- */

/* Types whose text is a whole number: int8, int2, int4, oid (pg_type.dat). */
bool sql_pg_type_is_number(uint32_t oid)
{
    return oid == 20 || oid == 21 || oid == 23 || oid == 26;
}

void sql_pg_value(struct sql_value *ret, const char *text, int32_t bytes, bool number)
{
    ret->kind = bytes < 0 ? SQL_NULL : SQL_TEXT;
    ret->number = 0;
    ret->text = bytes < 0 ? NULL : text;
    ret->bytes = bytes < 0 ? 0 : (uint32_t)bytes;
    if (number && bytes > 0 && sql_bytes_number(text, ret->bytes, &ret->number)) {
        ret->kind = SQL_INT;
    }
}

static struct pg_statement *statement_of(struct sql_pg *pg, const struct sql_call *call)
{
    bool named = pg->sql.prepared && !call->statement->utility;

    return named ? &pg->statements[call->statement->id] : &pg->once;
}

/* A body that is not what the protocol says: whatever is there, it is not the server we know. */
static void pg_confused(struct sql *sql)
{
    sql_session_lose(sql, "08P01", "the server's answer makes no sense");
}

static bool take_columns(struct pg_statement *known, const char *body, const char *end)
{
    uint16_t count;

    if (end - body < 2) {
        return false;
    }
    count = get2(body);
    body += 2;
    known->columns = (uint8_t)(count < SQL_COLUMNS ? count : SQL_COLUMNS);
    known->numbers = 0;
    for (uint32_t c = 0; c < known->columns; c++) {
        const char *name_end = memchr(body, '\0', (size_t)(end - body));

        if (name_end == NULL || end - name_end < 19) {
            return false;
        }
        /* name; table 4, column 2, type 4, size 2, modifier 4, format 2 */
        known->numbers |= (uint16_t)(sql_pg_type_is_number(get4(name_end + 7)) << c);
        body = name_end + 19;
    }
    return true;
}

static bool take_row(struct sql_call *call, const struct pg_statement *known, const char *body,
                     const char *end)
{
    struct sql_value values[SQL_COLUMNS];
    uint32_t count;

    call->rows++;
    if (call->row == NULL) {
        return true;
    }
    if (end - body < 2) {
        return false;
    }
    count = get2(body);
    count = count < SQL_COLUMNS ? count : SQL_COLUMNS;
    body += 2;
    for (uint32_t c = 0; c < count; c++) {
        int32_t bytes;

        if (end - body < 4) {
            return false;
        }
        bytes = (int32_t)get4(body);
        body += 4;
        if (bytes > end - body) {
            return false;
        }
        sql_pg_value(&values[c], body, bytes, known->numbers >> c & 1);
        body += bytes > 0 ? bytes : 0;
    }
    call->row(call, values, count);
    return true;
}

/* "INSERT 0 1", "UPDATE 3", "SELECT 5", "BEGIN" */
static uint32_t rows_of_tag(const char *tag, const char *end)
{
    const char *digit = end;

    while (digit > tag && digit[-1] >= '0' && digit[-1] <= '9') {
        digit--;
    }
    return digit == end ? 0 : (uint32_t)strtoul(digit, NULL, 10);
}

static const char *field_of(const char *body, const char *end, char field)
{
    while (body < end && *body) {
        if (*body == field) {
            return body + 1;
        }
        body += strnlen(body, (size_t)(end - body)) + 1;
    }
    return "";
}

/* It is going down, or we are not wanted. */
static bool severity_ends_session(const char *severity)
{
    return strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0;
}

/* Those behind an error, up to the Sync, were skipped by the server. */
static void skip_batch(struct sql *sql, uint32_t batch)
{
    static const char skipped[] = "skipped: a statement before it failed";

    while (!sql->gone && !sql->closed && sql->first && (sql->first->own & ~OWN_SYNC) == batch) {
        statement_of(pg_of(sql), sql->first)->parsed &= PARSE_STANDS;
        sql_session_refuse(sql, "25P02", skipped, sizeof(skipped) - 1);
    }
}

static void take_error(struct sql *sql, const char *body, const char *end)
{
    struct sql_pg *pg = pg_of(sql);
    const char *state = field_of(body, end, 'C'), *text = field_of(body, end, 'M');
    struct pg_statement *known;

    if (severity_ends_session(field_of(body, end, 'V')) || sql->first == NULL) {
        sql_session_lose(sql, state, text);
        return;
    }
    known = statement_of(pg, sql->first);
    known->parsed &= PARSE_STANDS; /* it may have been the preparing that failed */
    if (sql->first->own & OWN_SYNC) {
        pg->failed = true;
        snprintf(sql->state, sizeof(sql->state), "%s", state);
        snprintf(sql->error, sizeof(sql->error), "%s", text);
    } else {
        uint32_t batch = sql->first->own;

        sql_session_refuse(sql, state, text, strlen(text));
        skip_batch(sql, batch);
    }
}

/* In a pipeline a call ends when its command is complete, else when the server is ready. */
static void take_complete(struct sql *sql, const char *body, const char *end)
{
    struct sql_call *call = sql->first;

    if (call->rows == 0) {
        call->rows = rows_of_tag(body, end - 1);
    }
    if (!(call->own & OWN_SYNC)) {
        sql_session_end(sql, SQL_DONE);
    }
}

static void take_ready(struct sql *sql)
{
    struct sql_pg *pg = pg_of(sql);
    uint32_t own = (pg->ready++ & ~OWN_SYNC) | OWN_SYNC;
    bool failed = pg->failed;

    pg->failed = false;
    if (sql->first == NULL || sql->first->own != own) {
        return; /* all of this batch have ended */
    }
    if (failed) {
        sql_session_refuse(sql, sql->state, sql->error, strlen(sql->error));
    } else {
        sql_session_end(sql, SQL_DONE);
    }
}

/* One message. Those that a call is needed for are nobody's if there is none. */
static void take_message(struct sql *sql, char letter, const char *body, const char *end)
{
    struct sql_pg *pg = pg_of(sql);
    struct sql_call *call = sql->first;
    bool fine = true;

    switch (letter) {
    case 'D':
        fine = call && take_row(call, statement_of(pg, call), body, end);
        break;
    case 'C':
        fine = call && end > body;
        if (fine) {
            take_complete(sql, body, end);
        }
        break;
    case 'I': /* an empty text */
        fine = call;
        if (fine) {
            static const char nothing[1];

            take_complete(sql, nothing, nothing + 1);
        }
        break;
    case 'Z':
        take_ready(sql);
        break;
    case 'E':
        if (end > body && end[-1] == '\0') {
            take_error(sql, body, end);
        }
        break;
    case 'T':
        fine = call && take_columns(statement_of(pg, call), body, end);
        break;
    case '1':
        if (call) {
            statement_of(pg, call)->parsed = PARSE_STANDS;
        }
        break;
    default: /* 2 t n s N S A: nothing that we want to know */
        break;
    }
    if (!fine) {
        pg_confused(sql);
    }
}

static size_t pg_take(struct sql *sql, const char *data, size_t bytes, size_t *need)
{
    size_t at = 0;

    while (bytes - at >= HEAD) {
        size_t length = (size_t)get4(data + at + 1) + 1;

        if (length < HEAD || length > 1u << 30) {
            pg_confused(sql);
            return bytes;
        }
        if (length > bytes - at) {
            *need = length;
            break;
        }
        take_message(sql, data[at], data + at + HEAD, data + at + length);
        if (sql->gone || sql->closed) {
            return bytes;
        }
        at += length;
    }
    return at;
}

void sql_pg_free(struct sql *sql)
{
    struct sql_pg *pg = pg_of(sql);

    mem_free(pg->statements);
    mem_free(pg);
}

const struct sql_speech sql_pg_speech = {
    .send = pg_send,
    .take = pg_take,
    .flush = pg_flush,
    .free = sql_pg_free,
};
