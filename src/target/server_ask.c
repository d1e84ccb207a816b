#include "server_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t server_value_number(const struct sql_value *value)
{
    if (value->kind == SQL_TEXT) {
        return sql_text_decimal(value->text, value->bytes, 0);
    }
    return value->kind == SQL_INT ? value->number : 0;
}

void server_value_text(const struct sql_value *value, char *buf, uint32_t size)
{
    buf[0] = '\0';
    if (value->kind == SQL_TEXT) {
        snprintf(buf, size, "%.*s", (int)value->bytes, value->text);
    } else if (value->kind == SQL_INT) {
        snprintf(buf, size, "%lld", (long long)value->number);
    }
}

static void take(void *context, const struct sql_value *columns, uint32_t count)
{
    struct server_asked *asked = context;
    struct server_setting *pair = &asked->pairs[asked->count];

    if (asked->count == SERVER_ASKED || count < 2) {
        return;
    }
    asked->count++;
    server_value_text(&columns[0], pair->name, sizeof(pair->name));
    server_value_text(&columns[1], pair->value, sizeof(pair->value));
}

int server_ask(struct sql_plain *plain, const char *query, struct server_asked *ret,
               struct error *err)
{
    return sql_plain_run(plain, query, take, ret, err);
}

const char *server_asked_text(const struct server_asked *asked, const char *name)
{
    for (uint32_t i = 0; i < asked->count; i++) {
        if (strcasecmp(asked->pairs[i].name, name) == 0) {
            return asked->pairs[i].value;
        }
    }
    return NULL;
}

uint64_t server_asked_number(const struct server_asked *asked, const char *name)
{
    const char *text = server_asked_text(asked, name);

    return text ? strtoull(text, NULL, 10) : 0;
}

bool server_asked_is(const struct server_asked *asked, const char *name, const char *value)
{
    const char *text = server_asked_text(asked, name);

    return text && strcasecmp(text, value) == 0;
}
