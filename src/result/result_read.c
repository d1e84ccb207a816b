#include "result_schema.h"

#include "base/json.h"
#include "base/mem.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where in the document the reader is, for messages. */
struct eye {
    const char *file;
    struct error *err;
    char path[160];
    size_t length;
};

static int see_object(struct eye *eye, const struct schema *schema, const struct json_node *node,
                      void *base);

static void *member(void *base, size_t offset)
{
    return (char *)base + offset;
}

static size_t go_in(struct eye *eye, const char *name)
{
    size_t was = eye->length;
    int n = snprintf(eye->path + was, sizeof(eye->path) - was, "%s%s", was > 0 ? "." : "", name);

    eye->length = was + (size_t)n < sizeof(eye->path) ? was + (size_t)n : sizeof(eye->path) - 1;
    return was;
}

static void go_out(struct eye *eye, size_t was)
{
    eye->length = was;
    eye->path[was] = '\0';
}

__attribute__((format(printf, 2, 3))) static int refuse(struct eye *eye, const char *format, ...)
{
    char what[256];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    return error_at(eye->err, eye->file, 0, 0, "%s: %s",
                    eye->length > 0 ? eye->path : "the document", what);
}

static int no_memory(struct eye *eye)
{
    return error_set(eye->err, EXIT_FAILED, -ENOMEM, "no memory to read %s", eye->file);
}

static int want(struct eye *eye, const struct json_node *node, enum json_kind kind)
{
    static const char *const names[] = {"null",     "true or false", "a whole number", "a number",
                                        "a string", "a list",        "an object"};
    enum json_kind is = json_kind(node);

    if (is == kind || (kind == JSON_KIND_NUM && is == JSON_KIND_INT)) {
        return 0;
    }
    return refuse(eye, "must be %s, not %s", names[kind], names[is]);
}

static int see_int(struct eye *eye, const struct json_node *node, int64_t least, int64_t most,
                   int64_t *ret)
{
    int64_t value = 0;
    int code = want(eye, node, JSON_KIND_INT);

    if (code == 0) {
        json_get_int(node, "", &value, eye->err);
        if (value < least || value > most) {
            return refuse(eye, "must be %" PRId64 " to %" PRId64 ", not %" PRId64, least, most,
                          value);
        }
        *ret = value;
    }
    return code;
}

static int see_big(struct eye *eye, const struct json_node *node, unsigned __int128 most,
                   unsigned __int128 *ret)
{
    unsigned __int128 value = 0;
    struct error why;

    if (json_get_u128(node, "", &value, &why) != 0 || value > most) {
        return refuse(eye, "must be a whole number of 0 or more%s",
                      most == UINT64_MAX ? " below 2^64" : ", as a string of digits");
    }
    *ret = value;
    return 0;
}

static int see_u64(struct eye *eye, const struct json_node *node, uint64_t *ret)
{
    unsigned __int128 value = 0;
    int code = see_big(eye, node, UINT64_MAX, &value);

    if (code == 0) {
        *ret = (uint64_t)value;
    }
    return code;
}

static int see_string(struct eye *eye, const struct json_node *node, size_t room, char *ret)
{
    const char *value = json_string_or(node, "", "");
    int code = want(eye, node, JSON_KIND_STRING);

    if (code == 0 && strlen(value) >= room) {
        return refuse(eye, "longer than %zu bytes", room - 1);
    }
    if (code == 0) {
        memcpy(ret, value, strlen(value) + 1);
    }
    return code;
}

static int see_text(struct eye *eye, const struct json_node *node, char **ret)
{
    int code = want(eye, node, JSON_KIND_STRING);

    if (code == 0) {
        *ret = mem_strdup(json_string_or(node, "", ""));
        code = *ret ? 0 : no_memory(eye);
    }
    return code;
}

static int see_constant(struct eye *eye, const struct json_node *node, const char *constant)
{
    int code = want(eye, node, JSON_KIND_STRING);

    if (code == 0 && strcmp(json_string_or(node, "", ""), constant) != 0) {
        return refuse(eye, "must be \"%s\": no other is known", constant);
    }
    return code;
}

/* The length of a list or object that has room for `limit`. */
static int see_length(struct eye *eye, const struct json_node *node, enum json_kind kind,
                      uint32_t limit, uint32_t *ret)
{
    int code = want(eye, node, kind);

    if (code == 0 && json_length(node) > limit) {
        return refuse(eye, "more than %" PRIu32 " elements", limit);
    }
    if (code == 0) {
        *ret = (uint32_t)json_length(node);
    }
    return code;
}

static int see_element(struct eye *eye, const struct schema_key *key, const struct json_node *node,
                       void *elements, uint32_t i)
{
    if (key->type == KEY_STRINGS) {
        return see_text(eye, node, (char **)elements + i);
    }
    if (key->type == KEY_LINES) {
        return see_string(eye, node, key->size, member(elements, i * key->size));
    }
    return see_object(eye, key->of, node, member(elements, i * key->size));
}

static int see_list(struct eye *eye, const struct schema_key *key, const struct json_node *node,
                    void *base)
{
    uint32_t length = 0, *count = member(base, key->count_offset);
    void *elements = member(base, key->offset);
    int code = see_length(eye, node, JSON_KIND_ARRAY, key->limit, &length);
    char name[16];

    if (code == 0 && key->type == KEY_STRINGS) {
        void *made = mem_array(length, sizeof(char *));

        if (!made) {
            return no_memory(eye);
        }
        *(void **)elements = made;
        elements = made;
    } else if (key->flags & KEY_POINTER) {
        elements = *(void **)elements;
    }
    for (uint32_t i = 0; code == 0 && i < length; i++) {
        size_t was;

        *count = i + 1; /* so that what is allocated is freed whatever comes */
        snprintf(name, sizeof(name), "%" PRIu32, i);
        was = go_in(eye, name);
        code = see_element(eye, key, json_at(node, i), elements, i);
        go_out(eye, was);
    }
    return code;
}

static int see_one(struct eye *eye, const struct schema_key *key, const struct json_node *node,
                   void *base)
{
    uint32_t length = 0;
    int code = see_length(eye, node, JSON_KIND_ARRAY, 1, &length);
    size_t was;

    if (code == 0 && length == 1) {
        was = go_in(eye, "0");
        code = see_object(eye, key->of, json_at(node, 0), member(base, key->offset));
        go_out(eye, was);
    }
    return code;
}

static int see_sizes(struct eye *eye, const struct json_node *node, struct result_io *io)
{
    int code = see_length(eye, node, JSON_KIND_OBJECT, RESULT_SIZES, &io->size_count);

    for (uint32_t i = 0; code == 0 && i < io->size_count; i++) {
        const char *name = json_key_at(node, i);
        char *end;
        unsigned long long bytes = strtoull(name, &end, 10);
        size_t was = go_in(eye, name);

        if (name[0] < '0' || name[0] > '9' || *end != '\0' || bytes > UINT32_MAX) {
            code = refuse(eye, "the size of a request in bytes was expected");
        } else {
            io->sizes[i].bytes = (uint32_t)bytes;
            code = see_u64(eye, json_value_at(node, i), &io->sizes[i].count);
        }
        go_out(eye, was);
    }
    return code;
}

static int see_num(struct eye *eye, const struct json_node *node, double *ret)
{
    int code;

    *ret = NAN;
    if (json_absent(node)) {
        return 0;
    }
    code = want(eye, node, JSON_KIND_NUM);
    if (code == 0) {
        *ret = json_num_or(node, "", NAN);
    }
    return code;
}

static int see_facts(struct eye *eye, const struct json_node *node, struct result_vm *vm)
{
    int code = see_length(eye, node, JSON_KIND_OBJECT, RESULT_FACTS, &vm->fact_count);

    for (uint32_t i = 0; code == 0 && i < vm->fact_count; i++) {
        const char *name = json_key_at(node, i);
        size_t was = go_in(eye, name);

        if (strlen(name) >= sizeof(vm->facts[i].name)) {
            code = refuse(eye, "a name longer than %zu bytes", sizeof(vm->facts[i].name) - 1);
        } else {
            memcpy(vm->facts[i].name, name, strlen(name) + 1);
            code = see_num(eye, json_value_at(node, i), &vm->facts[i].value);
        }
        go_out(eye, was);
    }
    return code;
}

static int see_number(struct eye *eye, const struct schema_key *key, const struct json_node *node,
                      void *at)
{
    int64_t value = 0;
    int code;

    if (key->type == KEY_I64) {
        return see_int(eye, node, INT64_MIN, INT64_MAX, at);
    }
    if (key->type == KEY_U64) {
        return see_u64(eye, node, at);
    }
    if (key->type == KEY_U128) {
        return see_big(eye, node, ~(unsigned __int128)0, at);
    }
    if (key->type == KEY_NUM) {
        return see_num(eye, node, at);
    }
    code = see_int(eye, node, 0, key->flags & KEY_RAISES ? 255 : UINT32_MAX, &value);
    if (code == 0) {
        *(uint32_t *)at = (uint32_t)value;
    }
    return code;
}

static int see_value(struct eye *eye, const struct schema_key *key, const struct json_node *node,
                     void *base)
{
    void *at = member(base, key->offset);

    switch (key->type) {
    case KEY_I64:
    case KEY_U64:
    case KEY_U32:
    case KEY_U128:
    case KEY_NUM:
        return see_number(eye, key, node, at);
    case KEY_BOOL:
        *(bool *)at = json_bool_or(node, "", false);
        return want(eye, node, JSON_KIND_BOOL);
    case KEY_STR:
        return see_string(eye, node, key->size, at);
    case KEY_TEXT:
        return see_text(eye, node, at);
    case KEY_CONSTANT:
        return see_constant(eye, node, key->constant);
    case KEY_OBJECT:
        return see_object(eye, key->of, node, at);
    case KEY_ONE:
        return see_one(eye, key, node, base);
    case KEY_LIST:
    case KEY_STRINGS:
    case KEY_LINES:
        return see_list(eye, key, node, base);
    case KEY_SIZES:
        return see_sizes(eye, node, base);
    case KEY_FACTS:
        return see_facts(eye, node, base);
    }
    return 0;
}

/* Keys that are not ours are passed over: a later rawtps may have added them. */
static int see_object(struct eye *eye, const struct schema *schema, const struct json_node *node,
                      void *base)
{
    int code = want(eye, node, JSON_KIND_OBJECT);

    for (uint32_t i = 0; code == 0 && i < schema->key_count; i++) {
        const struct schema_key *key = &schema->keys[i];
        const struct json_node *value = json_get(node, key->name);
        size_t was = go_in(eye, key->name);

        if (!json_absent(value)) {
            code = see_value(eye, key, value, base);
        } else if (key->flags & KEY_REQUIRED) {
            code = refuse(eye, "is missing");
        } else if (key->type == KEY_NUM && !(key->flags & KEY_UNKNOWN)) {
            *(double *)member(base, key->offset) = NAN;
        }
        go_out(eye, was);
    }
    return code;
}

static int see_version(struct eye *eye, const struct json_node *root)
{
    int64_t version = 0;
    size_t was;
    int code = want(eye, root, JSON_KIND_OBJECT);

    if (code != 0) {
        return code;
    }
    was = go_in(eye, "schema_version");
    code = see_int(eye, json_get(root, "schema_version"), INT64_MIN, INT64_MAX, &version);
    if (code == 0 && version != RESULT_SCHEMA_VERSION) {
        code = refuse(eye, "is %" PRId64 ", this program reads %d", version, RESULT_SCHEMA_VERSION);
        error_hint(eye->err, "read it with the rawtps that wrote it");
    }
    go_out(eye, was);
    return code;
}

int result_read_json(struct result *ret, const char *text, uint64_t bytes, const char *file,
                     struct error *err)
{
    struct eye eye = {.file = file, .err = err};
    const struct json_node *root = json_parse(text, bytes, file, err);
    struct result result;
    uint32_t vms = 0;
    size_t was;
    int code;

    if (!root) {
        return err->code;
    }
    code = see_version(&eye, root);
    if (code == 0) {
        was = go_in(&eye, "vms");
        code = see_length(&eye, json_get(root, "vms"), JSON_KIND_ARRAY, RESULT_VMS, &vms);
        go_out(&eye, was);
    }
    code = code != 0 ? code : result_init(&result, vms, err);
    if (code == 0) {
        code = see_object(&eye, &schema_result, root, &result);
        if (code != 0) {
            result_free(&result);
        } else {
            *ret = result;
        }
    }
    json_free(root);
    return code;
}
