#include "sql_maria_rows.h"

#include <stdio.h>

#include "base/mem.h"

/*
 * The client/server protocol of MySQL 4.1 and later, with prepared statements in binary, as the
 * documentation of MySQL and of MariaDB say. A packet is 3 bytes of length, a number, and the body.
 */
enum {
    HEAD = 4,
    COM_QUERY = 0x03,
    COM_STMT_PREPARE = 0x16,
    COM_STMT_EXECUTE = 0x17,
    SIGN_OK = 0x00,
    SIGN_FILE = 0xfb, /* LOAD DATA LOCAL wants a file */
    SIGN_END = 0xfe,
    SIGN_ERROR = 0xff,
    STATUS_MORE = 8, /* another result follows */
    STATUS_NO_BACKSLASHES = 512,
    TYPE_LONGLONG = 8, /* as parameters are sent */
    TYPE_STRING = 254,
};
static const uint32_t PACKET_MOST = 0xffffff;

static inline struct sql_maria *maria_of(struct sql *sql)
{
    return (struct sql_maria *)sql;
}

/* ---- out ------------------------------------------------------------------------------------- */

static void packet_begin(struct sql_bytes *out, uint8_t command)
{
    sql_bytes_add(out, "\0\0\0\0", HEAD);
    sql_bytes_add_char(out, (char)command);
}

/* False if it is too large for one packet. */
static bool packet_end(struct sql_bytes *out)
{
    uint32_t bytes = out->count - HEAD;

    if (out->failed || bytes >= PACKET_MOST) {
        return false;
    }
    memcpy(out->data, &bytes, 3);
    return true;
}

static void add_length(struct sql_bytes *out, uint64_t n)
{
    if (n < 251) {
        sql_bytes_add_char(out, (char)n);
    } else if (n < 1u << 16) {
        sql_bytes_add_char(out, (char)0xfc);
        sql_bytes_add(out, &n, 2);
    } else {
        sql_bytes_add_char(out, (char)0xfd);
        sql_bytes_add(out, &n, 3);
    }
}

static void add_execute(struct sql_bytes *out, const struct sql_call *call, uint32_t server_id)
{
    uint32_t params = call->statement->params, one = 1;
    uint8_t nulls[(SQL_PARAMS + 7) / 8] = {0}, types[2 * SQL_PARAMS] = {0};

    packet_begin(out, COM_STMT_EXECUTE);
    sql_bytes_add(out, &server_id, 4);
    sql_bytes_add_char(out, 0); /* no cursor */
    sql_bytes_add(out, &one, 4);
    if (params == 0) {
        return;
    }
    for (uint32_t p = 0; p < params; p++) {
        nulls[p / 8] |= (uint8_t)((call->params[p].kind == SQL_NULL) << p % 8);
        types[2 * p] = call->params[p].kind == SQL_INT ? TYPE_LONGLONG : TYPE_STRING;
    }
    sql_bytes_add(out, nulls, (params + 7) / 8);
    sql_bytes_add_char(out, 1); /* types follow */
    sql_bytes_add(out, types, 2 * params);
    for (uint32_t p = 0; p < params; p++) {
        const struct sql_value *value = &call->params[p];

        if (value->kind == SQL_INT) {
            sql_bytes_add(out, &value->number, 8);
        } else if (value->kind == SQL_TEXT) {
            add_length(out, value->bytes);
            sql_bytes_add(out, value->text, value->bytes);
        }
    }
}

static void add_text(struct sql_bytes *out, uint8_t command, const char *text)
{
    packet_begin(out, command);
    sql_bytes_add(out, text, (uint32_t)strlen(text));
}

static struct maria_statement *statement_of(struct sql_maria *maria, const struct sql_call *call)
{
    bool known = maria->sql.prepared && !call->statement->utility;

    return known ? &maria->statements[call->statement->id] : &maria->once;
}

static void maria_send(struct sql *sql, struct sql_call *call)
{
    struct sql_maria *maria = maria_of(sql);
    struct maria_statement *known = statement_of(maria, call);
    bool text = known == &maria->once || known->prepared == PREPARED_NEVER;
    struct sql_bytes out;

    sql_bytes_init(&out);
    maria->phase = PHASE_ANSWER;
    maria->binary = !text;
    if (text && call->statement->params == 0) {
        add_text(&out, COM_QUERY, call->statement->text);
    } else if (text) {
        packet_begin(&out, COM_QUERY);
        sql_bytes_add_literal(&out, call, SQL_MARIADB, !maria->no_backslashes);
    } else if (known->prepared == PREPARED_STANDS) {
        add_execute(&out, call, known->server_id);
    } else {
        add_text(&out, COM_STMT_PREPARE, call->statement->text);
        maria->phase = PHASE_PREPARE;
    }
    if (packet_end(&out)) {
        sql_session_send(sql, &out);
    } else {
        static const char large[] = "the statement is larger than 16 MiB, or memory is short";

        maria->phase = PHASE_IDLE;
        sql_session_refuse(sql, "1153", large, sizeof(large) - 1);
    }
    sql_bytes_free(&out);
}

/* ---- in -------------------------------------------------------------------------------------- */

static void maria_confused(struct sql *sql)
{
    sql_session_lose(sql, "2027", "the server's answer makes no sense");
}

/* ER_SERVER_SHUTDOWN 1053, ER_CONNECTION_KILLED 1927, ER_CLIENT_INTERACTION_TIMEOUT 4031, and
 * packets that did not arrive whole 1156..1161. */
static bool number_ends_session(uint32_t number)
{
    return number == 1053 || number == 1927 || number == 4031 || (number >= 1156 && number <= 1161);
}

/* 0xff, number, and since 4.1 '#' and a SQLSTATE. */
static void take_error(struct sql *sql, const char *body, const char *end)
{
    struct sql_maria *maria = maria_of(sql);
    uint32_t number = end - body >= 3 ? get2(body + 1) : 0;
    const char *words = body + (end - body >= 9 && body[3] == '#' ? 9 : 3);
    struct sql_call *call = sql->first;
    char state[6], text[160];

    words = words < end ? words : end;
    snprintf(state, sizeof(state), "%u", number % 100000);
    snprintf(text, sizeof(text), "%.*s", (int)(end - words), words);
    if (call == NULL || number_ends_session(number)) {
        sql_session_lose(sql, state, text);
        return;
    }
    /* ER_UNSUPPORTED_PS: it cannot be prepared, so it goes as text */
    if (maria->phase == PHASE_PREPARE && number == 1295) {
        statement_of(maria, call)->prepared = PREPARED_NEVER;
        maria_send(sql, call);
        return;
    }
    if (number == 1461) {
        snprintf(text, sizeof(text),
                 "max_prepared_stmt_count of the server is reached: raise it, "
                 "use fewer connections, or prepared: no");
    }
    /* ER_UNKNOWN_STMT_HANDLER, ER_NEED_REPREPARE: prepare it anew the next time */
    if (maria->binary && (number == 1243 || number == 1615)) {
        statement_of(maria, call)->prepared = PREPARED_NOT;
    }
    maria->phase = PHASE_IDLE;
    sql_session_refuse(sql, state, text, strlen(text));
}

static void end_result(struct sql *sql, uint32_t status)
{
    struct sql_maria *maria = maria_of(sql);

    maria->no_backslashes = status & STATUS_NO_BACKSLASHES;
    if (status & STATUS_MORE) {
        maria->phase = PHASE_ANSWER;
        return;
    }
    maria->phase = PHASE_IDLE;
    sql_session_end(sql, SQL_DONE);
}

/* Sign, rows changed, last id, status, warnings. counts: the number of rows is the answer. */
static bool take_ok(struct sql *sql, const char *body, const char *end, bool counts)
{
    uint64_t rows = 0, id = 0;
    const char *at = maria_length(body + 1, end, &rows);

    at = maria_length(at, end, &id);
    if (at == NULL || end - at < 2) {
        return false;
    }
    if (counts && sql->first->rows == 0) {
        sql->first->rows = (uint32_t)(rows < UINT32_MAX ? rows : UINT32_MAX);
    }
    end_result(sql, get2(at));
    return true;
}

static bool take_prepared(struct sql *sql, const char *body, const char *end)
{
    struct sql_maria *maria = maria_of(sql);
    struct maria_statement *known = statement_of(maria, sql->first);

    if (end - body < 9) {
        return false;
    }
    known->server_id = get4(body + 1);
    known->prepared = PREPARED_STANDS;
    maria->columns = (uint16_t)get2(body + 5);
    known->columns = (uint8_t)(maria->columns < SQL_COLUMNS ? maria->columns : SQL_COLUMNS);
    maria->left = (uint16_t)get2(body + 7);
    maria->phase = PHASE_PREPARE_PARAMS;
    maria->definition = 0;
    if (maria->left == 0) {
        maria->phase = PHASE_PREPARE_COLUMNS;
        maria->left = maria->columns;
    } else {
        maria->left += !maria->deprecate_eof;
    }
    if (maria->phase == PHASE_PREPARE_COLUMNS && maria->left) {
        maria->left += !maria->deprecate_eof;
    }
    if (maria->left == 0) {
        maria_send(sql, sql->first);
    }
    return true;
}

/* Names, and MariaDB's words on extended types, that nobody wants; the last 13 bytes are 12 (their
 * length), charset 2, length 4, type 1, flags 2, decimals 1, nothing 2. */
static bool take_definition(struct maria_statement *known, uint32_t number, const char *body,
                            const char *end)
{
    const char *fixed = end - 12;

    if (end - body < 13 || fixed[-1] != 12) {
        return false;
    }
    if (number < SQL_COLUMNS) {
        known->types[number] = maria_column_of((uint8_t)fixed[6], (uint16_t)get2(fixed + 7));
    }
    return true;
}

/* The packets behind the answer to preparing; the last one sends the statement at last. */
static bool take_prepare_part(struct sql *sql, const char *body, const char *end)
{
    struct sql_maria *maria = maria_of(sql);
    bool is_end = (uint8_t)*body == SIGN_END && end - body < 9;

    if (maria->phase == PHASE_PREPARE_COLUMNS && !is_end &&
        !take_definition(statement_of(maria, sql->first), maria->definition++, body, end)) {
        return false;
    }
    if (--maria->left) {
        return true;
    }
    if (maria->phase == PHASE_PREPARE_PARAMS && maria->columns) {
        maria->phase = PHASE_PREPARE_COLUMNS;
        maria->left = (uint16_t)(maria->columns + !maria->deprecate_eof);
        return true;
    }
    maria_send(sql, sql->first);
    return true;
}

/* The head of an answer: OK, or a number of columns, and whether their definitions follow. */
static bool take_answer(struct sql *sql, const char *body, const char *end)
{
    struct sql_maria *maria = maria_of(sql);
    struct maria_statement *known = statement_of(maria, sql->first);
    uint64_t columns;
    const char *at;
    bool defined = true;

    if ((uint8_t)*body == SIGN_OK) {
        return take_ok(sql, body, end, true);
    }
    at = maria_length(body, end, &columns);
    if (at == NULL || (uint8_t)*body == SIGN_FILE || columns == 0 || columns > 4096) {
        return false;
    }
    if (at < end) {
        defined = *at != 0; /* MARIADB_CLIENT_CACHE_METADATA */
    }
    maria->definition = 0;
    maria->left = (uint16_t)columns;
    known->columns = (uint8_t)(columns < SQL_COLUMNS ? columns : SQL_COLUMNS);
    maria->phase =
        defined ? PHASE_COLUMNS : (maria->deprecate_eof ? PHASE_ROWS : PHASE_COLUMNS_END);
    return true;
}

static bool take_column(struct sql *sql, const char *body, const char *end)
{
    struct sql_maria *maria = maria_of(sql);

    if (!take_definition(statement_of(maria, sql->first), maria->definition++, body, end)) {
        return false;
    }
    if (--maria->left == 0) {
        maria->phase = maria->deprecate_eof ? PHASE_ROWS : PHASE_COLUMNS_END;
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool take_row(struct sql *sql, const char *body, const char *end)
{
    struct sql_maria *maria = maria_of(sql);
    uint8_t sign = (uint8_t)*body;

    if (sign == SIGN_END && end - body < (maria->deprecate_eof ? (ptrdiff_t)PACKET_MOST : 9)) {
        if (maria->deprecate_eof) {
            return take_ok(sql, body, end, false);
        }
        if (end - body >= 5) {
            end_result(sql, get2(body + 3));
            return true;
        }
        return false;
    }
    sql->first->rows++;
    if (sql->first->row == NULL) {
        return true;
    }
    return maria->binary ? maria_row_binary(sql->first, statement_of(maria, sql->first), body, end)
                         : maria_row_text(sql->first, statement_of(maria, sql->first), body, end);
}

static void take_packet(struct sql *sql, const char *body, const char *end)
{
    struct sql_maria *maria = maria_of(sql);
    bool fine = false;

    if (body == end) {
        maria_confused(sql);
        return;
    }
    if ((uint8_t)*body == SIGN_ERROR) {
        take_error(sql, body, end);
        return;
    }
    switch (maria->phase) {
    case PHASE_IDLE:
        break;
    case PHASE_PREPARE:
        fine = take_prepared(sql, body, end);
        break;
    case PHASE_PREPARE_PARAMS:
    case PHASE_PREPARE_COLUMNS:
        fine = take_prepare_part(sql, body, end);
        break;
    case PHASE_ANSWER:
        fine = take_answer(sql, body, end);
        break;
    case PHASE_COLUMNS:
        fine = take_column(sql, body, end);
        break;
    case PHASE_COLUMNS_END:
        maria->phase = PHASE_ROWS;
        fine = true;
        break;
    case PHASE_ROWS:
        fine = take_row(sql, body, end);
        break;
    }
    if (!fine) {
        maria_confused(sql);
    }
}

static size_t maria_take(struct sql *sql, const char *data, size_t bytes, size_t *need)
{
    size_t at = 0;

    while (bytes - at >= HEAD) {
        size_t length = (get4(data + at) & PACKET_MOST) + HEAD;

        if (length == PACKET_MOST + HEAD) {
            sql_session_lose(sql, "2020", "a row of the answer is larger than 16 MiB");
            return bytes;
        }
        if (length > bytes - at) {
            *need = length;
            break;
        }
        take_packet(sql, data + at + HEAD, data + at + length);
        if (sql->gone || sql->closed) {
            return bytes;
        }
        at += length;
    }
    return at;
}

void sql_maria_free(struct sql *sql)
{
    mem_free(maria_of(sql)->statements);
    mem_free(sql);
}

const struct sql_speech sql_maria_speech = {
    .send = maria_send,
    .take = maria_take,
    .free = sql_maria_free,
};
