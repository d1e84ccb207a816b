/* sql/sql_bytes: a message that is being made, on the stack as long as it is short. */
#ifndef RAWTPS_SQL_SQL_BYTES_H
#define RAWTPS_SQL_SQL_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sql/sql.h"

struct sql_bytes {
    char *data;
    uint32_t count, capacity;
    bool failed; /* no memory, or more than 1 GiB: nothing may be sent */
    char short_ones[4000];
};

static inline void sql_bytes_init(struct sql_bytes *bytes)
{
    bytes->data = bytes->short_ones;
    bytes->count = 0;
    bytes->capacity = sizeof(bytes->short_ones);
    bytes->failed = false;
}

void sql_bytes_free(struct sql_bytes *bytes);
/* Room for n more; where they go. Never NULL: a failed one writes over its own beginning, so n of a
 * failed one must be small or come by sql_bytes_add(). */
bool sql_bytes_grow(struct sql_bytes *bytes, uint64_t n);

static inline bool sql_bytes_room(struct sql_bytes *bytes, uint64_t n)
{
    return __builtin_expect(n <= bytes->capacity - bytes->count, 1) || sql_bytes_grow(bytes, n);
}

static inline void sql_bytes_add(struct sql_bytes *bytes, const void *data, uint32_t n)
{
    if (sql_bytes_room(bytes, n)) {
        memcpy(bytes->data + bytes->count, data, n);
        bytes->count += n;
    }
}

static inline void sql_bytes_add_char(struct sql_bytes *bytes, char c)
{
    if (sql_bytes_room(bytes, 1)) {
        bytes->data[bytes->count++] = c;
    }
}

/* With the zero behind it. */
static inline void sql_bytes_add_string(struct sql_bytes *bytes, const char *string)
{
    sql_bytes_add(bytes, string, (uint32_t)strlen(string) + 1);
}

/* Decimal digits, and a sign. */
void sql_bytes_add_number(struct sql_bytes *bytes, int64_t number);

/* The statement's text with its parameters in it as literals. backslashes: they escape in the
 * server's strings (MariaDB without NO_BACKSLASH_ESCAPES). */
void sql_bytes_add_literal(struct sql_bytes *bytes, const struct sql_call *call,
                           enum sql_dialect dialect, bool backslashes);
/* One value as a literal. */
void sql_bytes_add_value(struct sql_bytes *bytes, const struct sql_value *value,
                         enum sql_dialect dialect, bool backslashes);

/* A decimal number of a server's answer; false if it is none that fits. */
bool sql_bytes_number(const char *text, uint32_t bytes, int64_t *ret);

#endif
