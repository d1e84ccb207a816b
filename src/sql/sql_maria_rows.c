#include "sql_maria_rows.h"

#include <stdio.h>

enum { SIGN_NULL = 0xfb, FLAG_UNSIGNED = 32 };

/* How a column of a binary row is laid out, from the protocol's types. */
enum maria_column {
    COLUMN_TEXT,
    COLUMN_NULL,
    COLUMN_INT1,
    COLUMN_INT2,
    COLUMN_INT4,
    COLUMN_INT8,
    COLUMN_FLOAT,
    COLUMN_DOUBLE,
    COLUMN_DATE,
    COLUMN_TIME,
    COLUMN_UNSIGNED = 16, /* added to INT1 .. INT8 */
};

uint8_t maria_column_of(uint8_t type, uint16_t flags)
{
    static const uint8_t columns[] = {
        [1] = COLUMN_INT1,   [2] = COLUMN_INT2,  [3] = COLUMN_INT4,  [4] = COLUMN_FLOAT,
        [5] = COLUMN_DOUBLE, [6] = COLUMN_NULL,  [7] = COLUMN_DATE,  [8] = COLUMN_INT8,
        [9] = COLUMN_INT4,   [10] = COLUMN_DATE, [11] = COLUMN_TIME, [12] = COLUMN_DATE,
        [13] = COLUMN_INT2,  [14] = COLUMN_DATE,
    };
    uint8_t column = type < sizeof(columns) ? columns[type] : COLUMN_TEXT;
    bool whole = column >= COLUMN_INT1 && column <= COLUMN_INT8;

    return whole && (flags & FLAG_UNSIGNED) ? column | COLUMN_UNSIGNED : column;
}

void sql_maria_value(struct sql_value *ret, const char *text, uint64_t bytes, uint8_t type)
{
    uint8_t column = maria_column_of(type, 0);

    *ret = (struct sql_value){.kind = SQL_TEXT, .text = text, .bytes = (uint32_t)bytes};
    if (column >= COLUMN_INT1 && column <= COLUMN_INT8 &&
        sql_bytes_number(text, ret->bytes, &ret->number)) {
        ret->kind = SQL_INT;
    }
}

bool maria_row_text(struct sql_call *call, const struct maria_statement *known, const char *body,
                    const char *end)
{
    struct sql_value values[SQL_COLUMNS];

    for (uint32_t c = 0; c < known->columns; c++) {
        uint64_t bytes;
        uint8_t column = known->types[c] & (COLUMN_UNSIGNED - 1);

        values[c] = (struct sql_value){.kind = SQL_NULL};
        if (body < end && (uint8_t)*body == SIGN_NULL) {
            body++;
            continue;
        }
        body = maria_length(body, end, &bytes);
        if (body == NULL || bytes > (uint64_t)(end - body)) {
            return false;
        }
        values[c] = (struct sql_value){.kind = SQL_TEXT, .text = body, .bytes = (uint32_t)bytes};
        if (column >= COLUMN_INT1 && column <= COLUMN_INT8 &&
            sql_bytes_number(body, values[c].bytes, &values[c].number)) {
            values[c].kind = SQL_INT;
        }
        body += bytes;
    }
    call->row(call, values, known->columns);
    return true;
}

static int64_t whole_number(const char *at, uint32_t bytes, bool is_unsigned)
{
    uint64_t n = 0;
    uint32_t unused = 64 - 8 * bytes;

    memcpy(&n, at, bytes);
    return is_unsigned ? (int64_t)n : (int64_t)(n << unused) >> unused;
}

/* As the server would have written it. */
static int print_date(char *buf, size_t size, const char *at, uint32_t bytes, bool time)
{
    uint32_t year = bytes >= 4 ? get2(at) : 0, micros = bytes >= 11 ? get4(at + 7) : 0;
    int n;

    if (time) { /* sign, days, hour, minute, second, microseconds */
        uint32_t hours = bytes >= 8 ? get4(at + 1) * 24 + (uint8_t)at[5] : 0;

        micros = bytes >= 12 ? get4(at + 8) : 0;
        n = snprintf(buf, size, "%s%02u:%02u:%02u", bytes && at[0] ? "-" : "", hours,
                     bytes >= 8 ? (uint8_t)at[6] : 0, bytes >= 8 ? (uint8_t)at[7] : 0);
    } else {
        n = snprintf(buf, size, "%04u-%02u-%02u", year, bytes >= 4 ? (uint8_t)at[2] : 0,
                     bytes >= 4 ? (uint8_t)at[3] : 0);
        if (bytes >= 7) {
            n += snprintf(buf + n, size - (size_t)n, " %02u:%02u:%02u", (uint8_t)at[4],
                          (uint8_t)at[5], (uint8_t)at[6]);
        }
    }
    return micros ? n + snprintf(buf + n, size - (size_t)n, ".%06u", micros) : n;
}

enum { PRINTED = 40 };

static bool take_binary_value(struct sql_value *ret, uint8_t type, const char **at, const char *end,
                              char *printed)
{
    static const uint8_t widths[] = {
        [COLUMN_INT1] = 1, [COLUMN_INT2] = 2,  [COLUMN_INT4] = 4,
        [COLUMN_INT8] = 8, [COLUMN_FLOAT] = 4, [COLUMN_DOUBLE] = 8,
    };
    uint8_t column = type & (COLUMN_UNSIGNED - 1);
    uint64_t bytes = column < sizeof(widths) ? widths[column] : 0;
    float single;
    double number;
    int n = 0;

    if (bytes == 0) {
        *at = maria_length(*at, end, &bytes);
    }
    if (*at == NULL || bytes > (uint64_t)(end - *at)) {
        return false;
    }
    *ret = (struct sql_value){.kind = SQL_TEXT, .text = *at, .bytes = (uint32_t)bytes};
    switch (column) {
    case COLUMN_INT1:
    case COLUMN_INT2:
    case COLUMN_INT4:
    case COLUMN_INT8:
        ret->kind = SQL_INT;
        ret->number = whole_number(*at, (uint32_t)bytes, type & COLUMN_UNSIGNED);
        if ((type & COLUMN_UNSIGNED) && ret->number < 0) {
            ret->kind = SQL_TEXT;
            n = snprintf(printed, PRINTED, "%llu", (unsigned long long)ret->number);
        }
        break;
    case COLUMN_FLOAT:
        memcpy(&single, *at, sizeof(single));
        n = snprintf(printed, PRINTED, "%.6g", (double)single);
        break;
    case COLUMN_DOUBLE:
        memcpy(&number, *at, sizeof(number));
        n = snprintf(printed, PRINTED, "%.17g", number);
        break;
    case COLUMN_DATE:
    case COLUMN_TIME:
        n = print_date(printed, PRINTED, *at, (uint32_t)bytes, column == COLUMN_TIME);
        break;
    default:
        break;
    }
    if (n) {
        ret->text = printed;
        ret->bytes = (uint32_t)n;
    }
    *at += bytes;
    return true;
}

/* A zero, a bitmap of NULLs that begins at bit 2, the values. */
bool maria_row_binary(struct sql_call *call, const struct maria_statement *known, const char *body,
                      const char *end)
{
    struct sql_value values[SQL_COLUMNS];
    char printed[SQL_COLUMNS][PRINTED];
    const char *nulls = body + 1, *at = nulls + (known->columns + 9) / 8;

    if (at > end) {
        return false;
    }
    for (uint32_t c = 0; c < known->columns; c++) {
        if ((uint8_t)nulls[(c + 2) / 8] >> (c + 2) % 8 & 1) {
            values[c] = (struct sql_value){.kind = SQL_NULL};
        } else if (!take_binary_value(&values[c], known->types[c], &at, end, printed[c])) {
            return false;
        }
    }
    call->row(call, values, known->columns);
    return true;
}
