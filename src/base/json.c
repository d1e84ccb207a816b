#include "base/json.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A node of ours is a value of jansson's; only this file knows. */
static json_t *of(const struct json_node *node)
{
    return (json_t *)(uintptr_t)node;
}

static const struct json_node *node_of(const json_t *value)
{
    return (const struct json_node *)value;
}

const struct json_node *json_parse(const char *text, size_t bytes, const char *file,
                                   struct error *err)
{
    json_error_t why;
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);

    if (!root) {
        error_at(err, file, why.line > 0 ? why.line : 1, why.column > 0 ? why.column : 1,
                 "not valid JSON: %s", why.text);
    }
    return node_of(root);
}

void json_free(const struct json_node *root)
{
    json_decref(of(root));
}

const struct json_node *json_get(const struct json_node *node, const char *path)
{
    char key[128] = "";
    json_t *value = of(node);

    while (value && *path != '\0') {
        size_t len = strcspn(path, ".");

        if (json_is_array(value)) {
            char *end;
            unsigned long i = strtoul(path, &end, 10);

            value = end == path + len && len > 0 ? json_array_get(value, i) : NULL;
        } else {
            value = len < sizeof(key) ? json_object_get(value, memcpy(key, path, len)) : NULL;
            memset(key, 0, sizeof(key));
        }
        path += len + (path[len] == '.');
    }
    return node_of(value);
}

enum json_kind json_kind(const struct json_node *node)
{
    switch (node ? json_typeof(of(node)) : JSON_NULL) {
    case JSON_OBJECT:
        return JSON_KIND_OBJECT;
    case JSON_ARRAY:
        return JSON_KIND_ARRAY;
    case JSON_STRING:
        return JSON_KIND_STRING;
    case JSON_INTEGER:
        return JSON_KIND_INT;
    case JSON_REAL:
        return JSON_KIND_NUM;
    case JSON_TRUE:
    case JSON_FALSE:
        return JSON_KIND_BOOL;
    default:
        return JSON_KIND_NULL;
    }
}

bool json_absent(const struct json_node *node)
{
    return json_kind(node) == JSON_KIND_NULL;
}

size_t json_length(const struct json_node *node)
{
    return json_is_array(of(node)) ? json_array_size(of(node)) : json_object_size(of(node));
}

const struct json_node *json_at(const struct json_node *node, size_t i)
{
    return node_of(json_array_get(of(node), i));
}

static void *member(const struct json_node *node, size_t i)
{
    void *at = json_object_iter(of(node));

    while (at && i > 0) {
        at = json_object_iter_next(of(node), at);
        i--;
    }
    return at;
}

const char *json_key_at(const struct json_node *node, size_t i)
{
    void *at = member(node, i);

    return at ? json_object_iter_key(at) : NULL;
}

const struct json_node *json_value_at(const struct json_node *node, size_t i)
{
    void *at = member(node, i);

    return at ? node_of(json_object_iter_value(at)) : NULL;
}

static const char *const kind_names[] = {"null",     "true or false", "a whole number", "a number",
                                         "a string", "a list",        "an object"};

/* The node at a path if it is of the kind, else NULL with *ret_code and err set. */
static const struct json_node *typed(const struct json_node *node, const char *path,
                                     enum json_kind kind, int *ret_code, struct error *err)
{
    const struct json_node *value = json_get(node, path);
    enum json_kind is = json_kind(value);
    const char *name = *path ? path : "the document";

    *ret_code = 0;
    if (is == kind || (kind == JSON_KIND_NUM && is == JSON_KIND_INT)) {
        return value;
    }
    if (is == JSON_KIND_NULL) {
        *ret_code = error_set(err, EXIT_USAGE, -ENOENT, "%s is %s: %s was expected", name,
                              value ? "null" : "missing", kind_names[kind]);
    } else {
        *ret_code = error_set(err, EXIT_USAGE, -EINVAL, "%s is %s: %s was expected", name,
                              kind_names[is], kind_names[kind]);
    }
    return NULL;
}

int json_get_int(const struct json_node *node, const char *path, int64_t *ret, struct error *err)
{
    int code;
    const struct json_node *value = typed(node, path, JSON_KIND_INT, &code, err);

    if (value) {
        *ret = json_integer_value(of(value));
    }
    return code;
}

int json_get_num(const struct json_node *node, const char *path, double *ret, struct error *err)
{
    int code;
    const struct json_node *value = typed(node, path, JSON_KIND_NUM, &code, err);

    if (value) {
        *ret = json_number_value(of(value));
    }
    return code;
}

int json_get_bool(const struct json_node *node, const char *path, bool *ret, struct error *err)
{
    int code;
    const struct json_node *value = typed(node, path, JSON_KIND_BOOL, &code, err);

    if (value) {
        *ret = json_is_true(of(value));
    }
    return code;
}

int json_get_string(const struct json_node *node, const char *path, const char **ret,
                    struct error *err)
{
    int code;
    const struct json_node *value = typed(node, path, JSON_KIND_STRING, &code, err);

    if (value) {
        *ret = json_string_value(of(value));
    }
    return code;
}

int json_get_u128(const struct json_node *node, const char *path, unsigned __int128 *ret,
                  struct error *err)
{
    unsigned __int128 sum = 0;
    const char *text = NULL;
    int64_t small = 0;
    int code;

    if (json_kind(json_get(node, path)) == JSON_KIND_INT) {
        code = json_get_int(node, path, &small, err);
        sum = (unsigned __int128)small;
    } else if ((code = json_get_string(node, path, &text, err)) == 0) {
        size_t len = strspn(text, "0123456789");

        /* 38 digits always fit: 2^128 has 39 */
        if (len == 0 || len > 38 || text[len] != '\0') {
            small = -1;
        }
        for (size_t i = 0; i < len && small == 0; i++) {
            sum = sum * 10 + (unsigned)(text[i] - '0');
        }
    }
    if (code == 0 && small < 0) {
        return error_set(err, EXIT_USAGE, -EINVAL, "%s: a count in decimal digits was expected",
                         path);
    }
    if (code == 0) {
        *ret = sum;
    }
    return code;
}

int json_get_array(const struct json_node *node, const char *path, const struct json_node **ret,
                   struct error *err)
{
    int code;
    const struct json_node *value = typed(node, path, JSON_KIND_ARRAY, &code, err);

    if (value) {
        *ret = value;
    }
    return code;
}

int json_get_object(const struct json_node *node, const char *path, const struct json_node **ret,
                    struct error *err)
{
    int code;
    const struct json_node *value = typed(node, path, JSON_KIND_OBJECT, &code, err);

    if (value) {
        *ret = value;
    }
    return code;
}

int64_t json_int_or(const struct json_node *node, const char *path, int64_t fallback)
{
    const json_t *value = of(json_get(node, path));

    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

double json_num_or(const struct json_node *node, const char *path, double fallback)
{
    const json_t *value = of(json_get(node, path));

    return json_is_number(value) ? json_number_value(value) : fallback;
}

bool json_bool_or(const struct json_node *node, const char *path, bool fallback)
{
    const json_t *value = of(json_get(node, path));

    return json_is_boolean(value) ? json_is_true(value) : fallback;
}

const char *json_string_or(const struct json_node *node, const char *path, const char *fallback)
{
    const json_t *value = of(json_get(node, path));

    return json_is_string(value) ? json_string_value(value) : fallback;
}
