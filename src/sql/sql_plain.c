#include <errno.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/must.h"
#include "sql_drivers.h"

struct sql_plain {
    const struct sql_plain_ops *ops;
    void *self;
    char *piece;
    uint32_t bytes, capacity, rows;
    bool loading;
    enum sql_plain_format format;
};

int sql_plain_open(struct sql_plain **ret, const struct sql_url *url, struct error *err)
{
    const struct sql_plain_ops *ops = NULL;
    struct sql_plain *plain;
    void *self;
    int code;

    if (url->fake) {
        return error_set(err, EXIT_USAGE, -EINVAL, "a fake server has no tables");
    }
    if (!(url->dialect == SQL_POSTGRES ? sql_pg_driver(&ops, err) : sql_maria_driver(&ops, err))) {
        return err->code;
    }
    plain = mem_zalloc(sizeof(*plain));
    if (plain == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a connection");
    }
    code = ops->open(&self, url, err);
    if (code) {
        mem_free(plain);
        return code;
    }
    plain->ops = ops;
    plain->self = self;
    *ret = plain;
    return 0;
}

int sql_plain_run(struct sql_plain *plain, const char *text,
                  void (*row)(void *context, const struct sql_value *columns, uint32_t count),
                  void *context, struct error *err)
{
    if (plain->loading) { /* it was given up */
        plain->loading = false;
        plain->ops->load_abandon(plain->self);
    }
    return plain->ops->run(plain->self, text, row, context, err);
}

struct first {
    bool there, fine;
    int64_t number;
};

static void take_first(void *context, const struct sql_value *columns, uint32_t count)
{
    struct first *first = context;

    if (first->there || count == 0) {
        return;
    }
    first->there = true;
    first->fine = columns[0].kind == SQL_INT;
    first->number = columns[0].number;
    if (columns[0].kind == SQL_TEXT) {
        uint32_t whole = 0;

        while (whole < columns[0].bytes && columns[0].text[whole] != '.') {
            whole++;
        }
        /* a sum of integers is a decimal: 12 or 12.0000 */
        first->fine = sql_bytes_number(columns[0].text, whole, &first->number);
    }
}

int sql_plain_number(struct sql_plain *plain, const char *text, int64_t *ret, struct error *err)
{
    struct first first = {0};
    int code = sql_plain_run(plain, text, take_first, &first, err);

    if (code) {
        return code;
    }
    if (!first.there) {
        return error_set(err, EXIT_FAILED, -ENOENT, "no row: %.300s", text);
    }
    if (!first.fine) {
        return error_set(err, EXIT_FAILED, -EINVAL, "no number: %.300s", text);
    }
    *ret = first.number;
    return 0;
}

/* ---- loading --------------------------------------------------------------------------------- */

int sql_plain_load_begin(struct sql_plain *plain, const char *table, const char *columns,
                         struct error *err)
{
    int code;

    must(!plain->loading);
    if (plain->piece == NULL) {
        plain->capacity = plain->ops->piece_bytes + (64 << 10);
        plain->piece = mem_zalloc(plain->capacity);
        if (plain->piece == NULL) {
            return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for rows");
        }
    }
    code = plain->ops->load_begin(plain->self, table, columns, &plain->format, err);
    plain->loading = code == 0;
    plain->bytes = plain->rows = 0;
    return code;
}

static bool piece_room(struct sql_plain *plain, uint64_t more)
{
    uint64_t wanted = plain->bytes + more;
    char *larger;

    if (wanted <= plain->capacity) {
        return true;
    }
    wanted += wanted / 2;
    larger = wanted < 1u << 30 ? mem_resize(plain->piece, wanted) : NULL;
    if (larger == NULL) {
        return false;
    }
    plain->piece = larger;
    plain->capacity = (uint32_t)wanted;
    return true;
}

static inline char *put_number(char *at, int64_t number)
{
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    char digits[20];
    int n = 0;

    if (number < 0) {
        *at++ = '-';
    }
    do {
        digits[n++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    while (n) {
        *at++ = digits[--n];
    }
    return at;
}

/* \ tab and line ends are written behind a backslash, in both servers' formats. */
static inline char *put_tabs(char *at, const char *text, uint32_t bytes)
{
    static const char signs[256] = {
        ['\\'] = '\\', ['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r', [0] = '0'};

    for (uint32_t i = 0; i < bytes; i++) {
        char sign = signs[(uint8_t)text[i]];

        if (__builtin_expect(sign != 0, 0)) {
            *at++ = '\\';
            *at++ = sign;
        } else {
            *at++ = text[i];
        }
    }
    return at;
}

static void add_tabs(struct sql_plain *plain, const struct sql_value *columns, uint32_t count)
{
    char *at = plain->piece + plain->bytes;

    for (uint32_t c = 0; c < count; c++) {
        const struct sql_value *value = &columns[c];

        if (value->kind == SQL_TEXT) {
            at = put_tabs(at, value->text, value->bytes);
        } else if (value->kind == SQL_INT) {
            at = put_number(at, value->number);
        } else {
            *at++ = '\\';
            *at++ = 'N';
        }
        *at++ = c + 1 < count ? '\t' : '\n';
    }
    plain->bytes = (uint32_t)(at - plain->piece);
}

static void add_values(struct sql_plain *plain, const struct sql_value *columns, uint32_t count)
{
    struct sql_bytes bytes;

    sql_bytes_init(&bytes);
    for (uint32_t c = 0; c < count; c++) {
        sql_bytes_add_char(&bytes, c ? ',' : '(');
        sql_bytes_add_value(&bytes, &columns[c], plain->ops->dialect, true);
    }
    sql_bytes_add_char(&bytes, ')');
    if (plain->rows) {
        plain->piece[plain->bytes++] = ',';
    }
    memcpy(plain->piece + plain->bytes, bytes.data, bytes.count);
    plain->bytes += bytes.count;
    sql_bytes_free(&bytes);
}

static int piece_send(struct sql_plain *plain, struct error *err)
{
    int code = plain->rows ? plain->ops->load_piece(plain->self, plain->piece, plain->bytes,
                                                    plain->rows, err)
                           : 0;

    plain->bytes = plain->rows = 0;
    if (code) {
        plain->loading = false;
        plain->ops->load_abandon(plain->self);
    }
    return code;
}

int sql_plain_load_row(struct sql_plain *plain, const struct sql_value *columns, uint32_t count,
                       struct error *err)
{
    uint64_t most = 4;

    must(plain->loading && count > 0);
    for (uint32_t c = 0; c < count; c++) {
        most += columns[c].kind == SQL_TEXT ? 2ull * columns[c].bytes + 4 : 24;
    }
    if (!piece_room(plain, most)) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a row of this size");
    }
    if (plain->format == PLAIN_TABS) {
        add_tabs(plain, columns, count);
    } else {
        add_values(plain, columns, count);
    }
    plain->rows++;
    return plain->bytes >= plain->ops->piece_bytes ? piece_send(plain, err) : 0;
}

int sql_plain_load_end(struct sql_plain *plain, struct error *err)
{
    int code;

    must(plain->loading);
    code = piece_send(plain, err);
    if (code) {
        return code;
    }
    plain->loading = false;
    return plain->ops->load_end(plain->self, err);
}

void sql_plain_close(struct sql_plain *plain)
{
    if (plain) {
        plain->ops->close(plain->self);
        mem_free(plain->piece);
        mem_free(plain);
    }
}
