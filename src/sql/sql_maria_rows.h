/* sql/sql_maria_rows: the rows of MySQL and MariaDB, as text and in binary. */
#ifndef RAWTPS_SQL_SQL_MARIA_ROWS_H
#define RAWTPS_SQL_SQL_MARIA_ROWS_H

#include "sql_maria_wire.h"

static inline uint32_t get2(const char *data)
{
    return (uint8_t)data[0] | (uint32_t)(uint8_t)data[1] << 8;
}

static inline uint32_t get4(const char *data)
{
    uint32_t n;

    memcpy(&n, data, 4);
    return n;
}

/* A number of 1, 3, 4 or 9 bytes; NULL if it is not there. */
static inline const char *maria_length(const char *at, const char *end, uint64_t *ret)
{
    uint32_t more;

    if (at == NULL || at >= end) {
        return NULL;
    }
    more = (uint8_t)*at == 0xfc ? 2 : (uint8_t)*at == 0xfd ? 3 : (uint8_t)*at == 0xfe ? 8 : 0;
    *ret = (uint8_t)*at;
    if (more) {
        *ret = 0;
        if (end - at <= (ptrdiff_t)more) {
            return NULL;
        }
        memcpy(ret, at + 1, more);
    }
    return at + 1 + more;
}

/* How a column of a binary row is laid out, from the protocol's type and flags. */
uint8_t maria_column_of(uint8_t type, uint16_t flags);
/* Hand a row to call->row; false if it makes no sense. */
bool maria_row_text(struct sql_call *call, const struct maria_statement *known, const char *body,
                    const char *end);
bool maria_row_binary(struct sql_call *call, const struct maria_statement *known, const char *body,
                      const char *end);

#endif
