#include "sql_bytes.h"

#include <ctype.h>

#include "base/mem.h"

static const uint64_t SQL_BYTES_MOST = 1ull << 30;

void sql_bytes_free(struct sql_bytes *bytes)
{
    if (bytes->data != bytes->short_ones) {
        mem_free(bytes->data);
    }
}

bool sql_bytes_grow(struct sql_bytes *bytes, uint64_t n)
{
    uint64_t wanted = 2ull * bytes->capacity;
    char *data;

    wanted = wanted < bytes->count + n ? bytes->count + n : wanted;
    if (bytes->failed || wanted > SQL_BYTES_MOST) {
        bytes->failed = true;
        return false;
    }
    if (bytes->data == bytes->short_ones) {
        data = mem_zalloc(wanted);
        if (data) {
            memcpy(data, bytes->short_ones, bytes->count);
        }
    } else {
        data = mem_resize(bytes->data, wanted);
    }
    if (data == NULL) {
        bytes->failed = true;
        return false;
    }
    bytes->data = data;
    bytes->capacity = (uint32_t)wanted;
    return true;
}

void sql_bytes_add_number(struct sql_bytes *bytes, int64_t number)
{
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    char digits[24];
    uint32_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (number < 0) {
        digits[--at] = '-';
    }
    sql_bytes_add(bytes, digits + at, (uint32_t)sizeof(digits) - at);
}

static void add_text(struct sql_bytes *bytes, const char *text, uint32_t n, bool backslashes)
{
    uint32_t from = 0;

    sql_bytes_add_char(bytes, '\'');
    for (uint32_t i = 0; i < n; i++) {
        if (text[i] == '\'' || (text[i] == '\\' && backslashes)) {
            sql_bytes_add(bytes, text + from, i + 1 - from);
            from = i; /* once more */
        }
    }
    sql_bytes_add(bytes, text + from, n - from);
    sql_bytes_add_char(bytes, '\'');
}

void sql_bytes_add_value(struct sql_bytes *bytes, const struct sql_value *value,
                         enum sql_dialect dialect, bool backslashes)
{
    switch (value->kind) {
    case SQL_NULL:
        sql_bytes_add(bytes, "NULL", 4);
        break;
    case SQL_INT:
        sql_bytes_add_number(bytes, value->number);
        break;
    case SQL_TEXT:
        if (dialect == SQL_POSTGRES && memchr(value->text, '\\', value->bytes)) {
            sql_bytes_add(bytes, " E", 2);
            backslashes = true;
        }
        add_text(bytes, value->text, value->bytes, backslashes);
        break;
    }
}

/* Behind the quotation that begins at `at`: '...' "..." `...`. */
static const char *quotation_end(const char *at)
{
    char quote = *at++;

    while (*at && *at != quote) {
        at += *at == '\\' && at[1] && quote == '\'' ? 2 : 1;
    }
    return *at ? at + 1 : at;
}

void sql_bytes_add_literal(struct sql_bytes *bytes, const struct sql_call *call,
                           enum sql_dialect dialect, bool backslashes)
{
    const struct sql_statement *statement = call->statement;
    const char *at = statement->text, *from = at;
    uint32_t next = 0;

    while (*at) {
        uint32_t param = SQL_PARAMS;
        const char *behind = at + 1;

        if (*at == '\'' || *at == '"' || *at == '`') {
            at = quotation_end(at);
            continue;
        }
        if (dialect == SQL_MARIADB && *at == '?') {
            param = next++;
        } else if (dialect == SQL_POSTGRES && *at == '$' && isdigit((unsigned char)at[1])) {
            for (param = 0; isdigit((unsigned char)*behind); behind++) {
                param = param * 10 + (uint32_t)(*behind - '0');
            }
            param--;
        }
        if (param < statement->params) {
            sql_bytes_add(bytes, from, (uint32_t)(at - from));
            /* a sign must not meet another: `- -1`, not `--1` */
            if (call->params[param].kind == SQL_INT && call->params[param].number < 0) {
                sql_bytes_add_char(bytes, ' ');
            }
            sql_bytes_add_value(bytes, &call->params[param], dialect, backslashes);
            from = behind;
        }
        at = behind;
    }
    sql_bytes_add(bytes, from, (uint32_t)(at - from));
}

bool sql_bytes_number(const char *text, uint32_t bytes, int64_t *ret)
{
    bool negative = bytes > 0 && text[0] == '-';
    uint64_t sum = 0, limit = (uint64_t)INT64_MAX + negative;

    if (bytes == negative || bytes > 20) {
        return false;
    }
    for (uint32_t i = negative; i < bytes; i++) {
        uint32_t digit = (uint32_t)(text[i] - '0');

        if (digit > 9 || sum > (limit - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    *ret = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}
