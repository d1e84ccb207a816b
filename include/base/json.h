/* base/json: JSON written as a stream and read as a tree. */
#ifndef RAWTPS_BASE_JSON_H
#define RAWTPS_BASE_JSON_H

#include "base/error.h"
#include "base/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writer: appends to a text. Our mistakes (a value without a key in an object, an end too many)
 * fail must(); lack of memory shows as text->failed. Indented by 1 space a level, a newline behind
 * the outermost value.
 */
enum { JSON_DEPTH = 32 };
struct json_writer {
    struct text *out;
    uint32_t depth;
    bool keyed;              /* a key waits for its value */
    char close[JSON_DEPTH];  /* '}' or ']' of each level */
    bool filled[JSON_DEPTH]; /* the level has a member */
};

void json_writer_init(struct json_writer *json, struct text *out);
void json_begin_object(struct json_writer *json);
void json_begin_array(struct json_writer *json);
void json_end(struct json_writer *json);
void json_key(struct json_writer *json, const char *key);
void json_put_int(struct json_writer *json, int64_t value);
void json_put_uint(struct json_writer *json, uint64_t value);
/* The shortest digits that read back equal, with a point or exponent; NaN and infinity are null. */
void json_put_num(struct json_writer *json, double value);
void json_put_string(struct json_writer *json, const char *value); /* NULL gives null */
void json_put_string_n(struct json_writer *json, const char *value, size_t bytes);
void json_put_bool(struct json_writer *json, bool value);
void json_put_null(struct json_writer *json);
void json_put_u128(struct json_writer *json, unsigned __int128 value); /* decimal string */
/* Text that is JSON already; it is not checked. */
void json_put_raw(struct json_writer *json, const char *value, size_t bytes);

/* A key and its value. */
void json_key_int(struct json_writer *json, const char *key, int64_t value);
void json_key_uint(struct json_writer *json, const char *key, uint64_t value);
void json_key_num(struct json_writer *json, const char *key, double value);
void json_key_string(struct json_writer *json, const char *key, const char *value);
void json_key_bool(struct json_writer *json, const char *key, bool value);
void json_key_null(struct json_writer *json, const char *key);
void json_key_object(struct json_writer *json, const char *key);
void json_key_array(struct json_writer *json, const char *key);

/* `value` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void json_escape(struct text *out, const char *value, size_t bytes);

/*
 * Reader. json_parse gives the root, to be freed with json_free; every other node belongs to it.
 * Errors are EXIT_USAGE, -EINVAL, with file:line:column. A key that stands twice is an error, and
 * so is what follows the value. Integers are exact to 64 bits with sign.
 */
struct json_node;
enum json_kind {
    JSON_KIND_NULL,
    JSON_KIND_BOOL,
    JSON_KIND_INT,
    JSON_KIND_NUM,
    JSON_KIND_STRING,
    JSON_KIND_ARRAY,
    JSON_KIND_OBJECT
};

const struct json_node *json_parse(const char *text, size_t bytes, const char *file,
                                   struct error *err);
void json_free(const struct json_node *root);

/* What stands at a path from `node` ("run.id", "vms.0.tps", "" is node itself); NULL if nothing. */
const struct json_node *json_get(const struct json_node *node, const char *path);
enum json_kind json_kind(const struct json_node *node); /* NULL counts as JSON_KIND_NULL */
bool json_absent(const struct json_node *node);         /* absent or null */

/* The number of members of an array or object, else 0; the i-th of them (order of the file). */
size_t json_length(const struct json_node *node);
const struct json_node *json_at(const struct json_node *node, size_t i); /* arrays */
const char *json_key_at(const struct json_node *node, size_t i);         /* objects; time: i */
const struct json_node *json_value_at(const struct json_node *node, size_t i);

/*
 * Typed: 0 and *ret, or -ENOENT (absent or null), -EINVAL (another type) with an err that names the
 * path. json_get_num takes integers too. A string lives as long as its root.
 */
int json_get_int(const struct json_node *node, const char *path, int64_t *ret, struct error *err);
int json_get_num(const struct json_node *node, const char *path, double *ret, struct error *err);
int json_get_bool(const struct json_node *node, const char *path, bool *ret, struct error *err);
int json_get_string(const struct json_node *node, const char *path, const char **ret,
                    struct error *err);
int json_get_u128(const struct json_node *node, const char *path, unsigned __int128 *ret,
                  struct error *err); /* decimal string, or an integer */
int json_get_array(const struct json_node *node, const char *path, const struct json_node **ret,
                   struct error *err);
int json_get_object(const struct json_node *node, const char *path, const struct json_node **ret,
                    struct error *err);

/* The same with a value for what is absent, null or of another type. */
int64_t json_int_or(const struct json_node *node, const char *path, int64_t fallback);
double json_num_or(const struct json_node *node, const char *path, double fallback);
bool json_bool_or(const struct json_node *node, const char *path, bool fallback);
const char *json_string_or(const struct json_node *node, const char *path, const char *fallback);

#endif
