#include "base/json.h"

#include "base/must.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_writer_init(struct json_writer *json, struct text *out)
{
    *json = (struct json_writer){.out = out};
}

static void new_line(struct json_writer *json)
{
    text_add_char(json->out, '\n');
    text_add_repeat(json->out, ' ', json->depth);
}

static bool in_object(const struct json_writer *json)
{
    return json->depth > 0 && json->close[json->depth - 1] == '}';
}

/* What stands before a member of the level. */
static void new_member(struct json_writer *json)
{
    if (json->depth > 0) {
        if (json->filled[json->depth - 1]) {
            text_add_char(json->out, ',');
        }
        json->filled[json->depth - 1] = true;
        new_line(json);
    }
}

static void before_value(struct json_writer *json)
{
    must(json->keyed == in_object(json));
    if (!json->keyed) {
        new_member(json);
    }
    json->keyed = false;
}

static void after_value(struct json_writer *json)
{
    if (json->depth == 0) {
        text_add_char(json->out, '\n');
    }
}

static void begin(struct json_writer *json, char open, char close)
{
    must(json->depth < JSON_DEPTH);
    before_value(json);
    text_add_char(json->out, open);
    json->close[json->depth] = close;
    json->filled[json->depth] = false;
    json->depth++;
}

void json_begin_object(struct json_writer *json)
{
    begin(json, '{', '}');
}

void json_begin_array(struct json_writer *json)
{
    begin(json, '[', ']');
}

void json_end(struct json_writer *json)
{
    must(json->depth > 0 && !json->keyed);
    json->depth--;
    if (json->filled[json->depth]) {
        new_line(json);
    }
    text_add_char(json->out, json->close[json->depth]);
    after_value(json);
}

void json_key(struct json_writer *json, const char *key)
{
    must(in_object(json) && !json->keyed);
    new_member(json);
    json_escape(json->out, key, strlen(key));
    text_add(json->out, ": ");
    json->keyed = true;
}

void json_put_raw(struct json_writer *json, const char *value, size_t bytes)
{
    before_value(json);
    text_add_bytes(json->out, value, bytes);
    after_value(json);
}

void json_put_int(struct json_writer *json, int64_t value)
{
    char buf[24];

    json_put_raw(json, buf, (size_t)snprintf(buf, sizeof(buf), "%" PRId64, value));
}

void json_put_uint(struct json_writer *json, uint64_t value)
{
    char buf[24];

    json_put_raw(json, buf, (size_t)snprintf(buf, sizeof(buf), "%" PRIu64, value));
}

void json_put_num(struct json_writer *json, double value)
{
    char buf[40];
    int n = 0;

    if (value - value != 0) {
        json_put_null(json);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        n = snprintf(buf, sizeof(buf), "%.*g", digits, value);
        if (strtod(buf, NULL) == value) {
            break;
        }
    }
    if (!strpbrk(buf, ".e")) {
        n += snprintf(buf + n, sizeof(buf) - (size_t)n, ".0");
    }
    json_put_raw(json, buf, (size_t)n);
}

void json_put_string_n(struct json_writer *json, const char *value, size_t bytes)
{
    before_value(json);
    json_escape(json->out, value, bytes);
    after_value(json);
}

void json_put_string(struct json_writer *json, const char *value)
{
    if (value) {
        json_put_string_n(json, value, strlen(value));
    } else {
        json_put_null(json);
    }
}

void json_put_bool(struct json_writer *json, bool value)
{
    json_put_raw(json, value ? "true" : "false", value ? 4 : 5);
}

void json_put_null(struct json_writer *json)
{
    json_put_raw(json, "null", 4);
}

void json_put_u128(struct json_writer *json, unsigned __int128 value)
{
    char buf[48], *at = buf + sizeof(buf);

    *--at = '"';
    do {
        *--at = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value > 0);
    *--at = '"';
    json_put_raw(json, at, (size_t)(buf + sizeof(buf) - at));
}

void json_key_int(struct json_writer *json, const char *key, int64_t value)
{
    json_key(json, key);
    json_put_int(json, value);
}

void json_key_uint(struct json_writer *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_put_uint(json, value);
}

void json_key_num(struct json_writer *json, const char *key, double value)
{
    json_key(json, key);
    json_put_num(json, value);
}

void json_key_string(struct json_writer *json, const char *key, const char *value)
{
    json_key(json, key);
    json_put_string(json, value);
}

void json_key_bool(struct json_writer *json, const char *key, bool value)
{
    json_key(json, key);
    json_put_bool(json, value);
}

void json_key_null(struct json_writer *json, const char *key)
{
    json_key(json, key);
    json_put_null(json);
}

void json_key_object(struct json_writer *json, const char *key)
{
    json_key(json, key);
    json_begin_object(json);
}

void json_key_array(struct json_writer *json, const char *key)
{
    json_key(json, key);
    json_begin_array(json);
}

static void escape_control(struct text *out, uint8_t c)
{
    static const char plain[] = "\b\f\n\r\t", named[] = "bfnrt";
    const char *found = c ? strchr(plain, c) : NULL;

    if (found) {
        char pair[2] = {'\\', named[found - plain]};

        text_add_bytes(out, pair, 2);
    } else {
        text_addf(out, "\\u%04x", c);
    }
}

void json_escape(struct text *out, const char *value, size_t bytes)
{
    const uint8_t *at = (const uint8_t *)value, *end = at + bytes;

    text_add_char(out, '"');
    while (at < end) {
        size_t len = text_utf8((const char *)at, (size_t)(end - at));

        if (len == 0) {
            text_add(out, "\xef\xbf\xbd");
            len = 1;
        } else if (*at < 0x20 || *at == 0x7f) {
            escape_control(out, *at);
        } else {
            if (*at == '"' || *at == '\\') {
                text_add_char(out, '\\');
            }
            text_add_bytes(out, at, len);
        }
        at += len;
    }
    text_add_char(out, '"');
}
