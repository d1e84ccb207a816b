#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void put(char *buf, size_t size, const char *format,
                                                      va_list args)
{
    vsnprintf(buf, size, format, args);
}

static void clear(struct error *err, enum exit_code exit, int code)
{
    err->exit = exit;
    err->code = code;
    err->line = err->column = 0;
    err->file[0] = err->hint[0] = '\0';
}

int error_set(struct error *err, enum exit_code exit, int code, const char *format, ...)
{
    va_list args;

    clear(err, exit, code);
    va_start(args, format);
    put(err->text, sizeof(err->text), format, args);
    va_end(args);
    return code;
}

int error_at(struct error *err, const char *file, int line, int column, const char *format, ...)
{
    va_list args;

    clear(err, EXIT_USAGE, -EINVAL);
    snprintf(err->file, sizeof(err->file), "%s", file ? file : "");
    err->line = line;
    err->column = column;
    va_start(args, format);
    put(err->text, sizeof(err->text), format, args);
    va_end(args);
    return err->code;
}

int error_hint(struct error *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put(err->hint, sizeof(err->hint), format, args);
    va_end(args);
    return err->code;
}

int error_wrap(struct error *err, const char *format, ...)
{
    char context[sizeof(err->text)], text[sizeof(err->text)];
    va_list args;
    size_t used;

    va_start(args, format);
    put(context, sizeof(context), format, args);
    va_end(args);
    memcpy(text, err->text, sizeof(text));
    used =
        (size_t)snprintf(err->text, sizeof(err->text), "%.*s: ", (int)sizeof(context) - 3, context);
    if (used < sizeof(err->text)) {
        size_t n = strnlen(text, sizeof(err->text) - used - 1);

        memcpy(err->text + used, text, n);
        err->text[used + n] = '\0';
    }
    return err->code;
}

const char *error_format(const struct error *err, char *buf, unsigned long size)
{
    if (err->file[0] == '\0') {
        snprintf(buf, size, "%s", err->text);
    } else if (err->line == 0) {
        snprintf(buf, size, "%s: %s", err->file, err->text);
    } else if (err->column == 0) {
        snprintf(buf, size, "%s:%d: %s", err->file, err->line, err->text);
    } else {
        snprintf(buf, size, "%s:%d:%d: %s", err->file, err->line, err->column, err->text);
    }
    return buf;
}
