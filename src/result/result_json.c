#include "result_schema.h"

#include "base/checksum.h"
#include "base/json.h"
#include "base/must.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct pen {
    struct json_writer json;
    bool digest; /* leave out what is of this machine and hour */
};

static void put_object(struct pen *pen, const struct schema *schema, const void *base);

static const void *member(const void *base, size_t offset)
{
    return (const char *)base + offset;
}

static uint32_t count_of(const struct schema_key *key, const void *base)
{
    uint32_t count = *(const uint32_t *)member(base, key->count_offset);

    must(count <= key->limit);
    return count;
}

static const void *elements_of(const struct schema_key *key, const void *base)
{
    const void *at = member(base, key->offset);

    return key->flags & KEY_POINTER ? *(const void *const *)at : at;
}

/* What is not UTF-8 becomes '?', which is as long, so that the reader has room for what it reads.
 */
static void put_buffer(struct json_writer *json, const char *buffer, size_t size)
{
    size_t length = strnlen(buffer, size);
    char clean[1024];

    must(size <= sizeof(clean));
    for (size_t i = 0, n; i < length; i += n) {
        n = text_utf8(buffer + i, length - i);
        memcpy(clean + i, n > 0 ? buffer + i : "?", n > 0 ? n : 1);
        n = n > 0 ? n : 1;
    }
    json_put_string_n(json, clean, length);
}

static void put_list(struct pen *pen, const struct schema_key *key, const void *base)
{
    const void *elements = elements_of(key, base);
    uint32_t count = count_of(key, base);

    json_begin_array(&pen->json);
    for (uint32_t i = 0; i < count; i++) {
        put_object(pen, key->of, member(elements, i * key->size));
    }
    json_end(&pen->json);
}

static void put_words(struct pen *pen, const struct schema_key *key, const void *base)
{
    const void *elements = key->type == KEY_STRINGS
                               ? *(const void *const *)member(base, key->offset)
                               : elements_of(key, base);
    uint32_t count = *(const uint32_t *)member(base, key->count_offset);

    json_begin_array(&pen->json);
    for (uint32_t i = 0; i < count; i++) {
        if (key->type == KEY_STRINGS) {
            json_put_string(&pen->json, ((char *const *)elements)[i]);
        } else {
            put_buffer(&pen->json, member(elements, i * key->size), key->size);
        }
    }
    json_end(&pen->json);
}

static void put_sizes(struct pen *pen, const struct result_io *io)
{
    char name[16];

    must(io->size_count <= RESULT_SIZES);
    json_begin_object(&pen->json);
    for (uint32_t i = 0; i < io->size_count; i++) {
        snprintf(name, sizeof(name), "%" PRIu32, io->sizes[i].bytes);
        json_key_uint(&pen->json, name, io->sizes[i].count);
    }
    json_end(&pen->json);
}

static void put_facts(struct pen *pen, const struct result_vm *vm)
{
    must(vm->fact_count <= RESULT_FACTS);
    json_begin_object(&pen->json);
    for (uint32_t i = 0; i < vm->fact_count; i++) {
        json_key_num(&pen->json, vm->facts[i].name, vm->facts[i].value);
    }
    json_end(&pen->json);
}

static void put_u64(struct json_writer *json, uint64_t value)
{
    if (value > INT64_MAX) {
        json_put_u128(json, value);
    } else {
        json_put_uint(json, value);
    }
}

static bool is_unknown(const struct schema_key *key, const void *at)
{
    if (!(key->flags & KEY_UNKNOWN)) {
        return false;
    }
    switch (key->type) {
    case KEY_I64:
    case KEY_U64:
        return *(const uint64_t *)at == 0;
    case KEY_U32:
        return *(const uint32_t *)at == 0;
    case KEY_NUM:
        return *(const double *)at == 0;
    default:
        return *(const char *)at == '\0';
    }
}

static void put_value(struct pen *pen, const struct schema_key *key, const void *base)
{
    const void *at = member(base, key->offset);
    struct json_writer *json = &pen->json;

    if (is_unknown(key, at)) {
        json_put_null(json);
        return;
    }
    switch (key->type) {
    case KEY_I64:
        return json_put_int(json, *(const int64_t *)at);
    case KEY_U64:
        return put_u64(json, *(const uint64_t *)at);
    case KEY_U32:
        return json_put_uint(json, *(const uint32_t *)at);
    case KEY_U128:
        return json_put_u128(json, *(const unsigned __int128 *)at);
    case KEY_NUM:
        return json_put_num(json, *(const double *)at);
    case KEY_BOOL:
        return json_put_bool(json, *(const bool *)at);
    case KEY_STR:
        return put_buffer(json, at, key->size);
    case KEY_TEXT:
        return json_put_string(json, *(char *const *)at);
    case KEY_CONSTANT:
        return json_put_string(json, key->constant);
    case KEY_OBJECT:
        return put_object(pen, key->of, at);
    case KEY_ONE:
        json_begin_array(json);
        put_object(pen, key->of, at);
        return json_end(json);
    case KEY_LIST:
        return put_list(pen, key, base);
    case KEY_STRINGS:
    case KEY_LINES:
        return put_words(pen, key, base);
    case KEY_SIZES:
        return put_sizes(pen, base);
    case KEY_FACTS:
        return put_facts(pen, base);
    }
}

static void put_object(struct pen *pen, const struct schema *schema, const void *base)
{
    json_begin_object(&pen->json);
    for (uint32_t i = 0; i < schema->key_count; i++) {
        const struct schema_key *key = &schema->keys[i];

        if (!pen->digest || !(key->flags & KEY_HERE)) {
            json_key(&pen->json, key->name);
            put_value(pen, key, base);
        }
    }
    json_end(&pen->json);
}

static void write_document(const struct result *result, bool digest, struct text *ret)
{
    struct pen pen = {.digest = digest};

    json_writer_init(&pen.json, ret);
    put_object(&pen, &schema_result, result);
}

void result_write_json(const struct result *result, struct text *ret)
{
    write_document(result, false, ret);
}

void result_digest(const struct result *result, char ret[72])
{
    struct text text;
    char hex[SHA256_HEX];

    text_init(&text);
    write_document(result, true, &text);
    must(!text.failed);
    snprintf(ret, 72, "%s", sha256_hex(text_string(&text), text.length, hex));
    text_free(&text);
}
