#include "yaml.h"

#include "base/mem.h"
#include "base/must.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

/* ---- memory: blocks that go all at once ---- */

enum { BLOCK_BYTES = 16 * 1024 };

struct yaml_block {
    struct yaml_block *next;
    size_t used, size;
    char data[];
};

static void *take(struct yaml *yaml, size_t bytes)
{
    struct yaml_block *block = yaml->blocks;
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    void *ret;

    bytes = (bytes + 15) / 16 * 16;
    size = (size + 15) / 16 * 16;
    if (!block || block->size - block->used < bytes) {
        block = mem_zalloc(sizeof(*block) + size);
        if (!block) {
            return NULL;
        }
        block->size = size;
        block->next = yaml->blocks;
        yaml->blocks = block;
    }
    ret = block->data + block->used;
    block->used += bytes;
    return ret;
}

static char *keep(struct yaml *yaml, const void *text, size_t length)
{
    char *ret = take(yaml, length + 1);

    if (ret) {
        memcpy(ret, text, length);
    }
    return ret;
}

static int no_memory(struct error *err)
{
    return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a YAML file");
}

/* ---- building the tree from libyaml's events ---- */

struct build {
    struct yaml *yaml;
    const char *file;
    const char *place; /* of yaml_set(): no lines then */
    struct error *err;
    struct item *into; /* the map or list that is open */
    const char *key;   /* read, its value not yet */
    int key_line, key_column;
    unsigned depth;
};

static int refuse(struct build *build, yaml_mark_t mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(struct build *build, yaml_mark_t mark, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (build->place) {
        return error_at(build->err, build->place, 0, 0, "%s", text);
    }
    return error_at(build->err, build->file, (int)mark.line + 1, (int)mark.column + 1, "%s", text);
}

static struct item *add_item(struct build *build, enum item_kind kind, yaml_mark_t mark)
{
    struct item *item = take(build->yaml, sizeof(*item)), *into = build->into;

    if (!item) {
        return NULL;
    }
    item->kind = kind;
    item->text = "";
    item->file = build->place ? build->place : build->file;
    item->given = build->place != NULL;
    item->line = build->place ? 0 : (int)mark.line + 1;
    item->column = build->place ? 0 : (int)mark.column + 1;
    item->key = build->key;
    item->key_line = build->key_line;
    item->key_column = build->key_column;
    item->parent = into;
    build->key = NULL;
    if (!into) {
        build->yaml->root = item;
        return item;
    }
    if (into->last) {
        into->last->next = item;
    } else {
        into->child = item;
    }
    into->last = item;
    into->count++;
    return item;
}

static int put_key(struct build *build, const yaml_event_t *event)
{
    yaml_mark_t mark = event->start_mark;
    const char *text = (const char *)event->data.scalar.value;
    struct item *twice;

    if (event->data.scalar.length == 0) {
        return refuse(build, mark, "a key is empty");
    }
    twice = item_get(build->into, text);
    if (twice) {
        refuse(build, mark, "\"%.60s\" is here a second time", text);
        return twice->key_line ? error_hint(build->err, "it is in line %d already", twice->key_line)
                               : build->err->code;
    }
    build->key = keep(build->yaml, text, event->data.scalar.length);
    build->key_line = build->place ? 0 : (int)mark.line + 1;
    build->key_column = build->place ? 0 : (int)mark.column + 1;
    return build->key ? 0 : no_memory(build->err);
}

/* "null" is a word here: a kind of drive. */
static bool is_null(const yaml_event_t *event)
{
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           strcmp((const char *)event->data.scalar.value, "~") == 0;
}

static int put_scalar(struct build *build, const yaml_event_t *event)
{
    struct item *item = add_item(build, ITEM_SCALAR, event->start_mark);

    if (!item) {
        return no_memory(build->err);
    }
    if (!is_null(event)) {
        item->text = keep(build->yaml, event->data.scalar.value, event->data.scalar.length);
    }
    return item->text ? 0 : no_memory(build->err);
}

static int put_open(struct build *build, enum item_kind kind, yaml_mark_t mark)
{
    if (++build->depth > YAML_DEPTH) {
        return refuse(build, mark, "nested too deeply: %d levels are the most", YAML_DEPTH);
    }
    build->into = add_item(build, kind, mark);
    return build->into ? 0 : no_memory(build->err);
}

/* What is refused wherever it stands. */
static int refuse_extras(struct build *build, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    yaml_mark_t mark = event->start_mark;

    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return refuse(build, mark, "aliases (*name) are not read: write the value out");
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        if (memchr(event->data.scalar.value, 0, event->data.scalar.length)) {
            return refuse(build, mark, "a zero byte");
        }
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    default:
        return 0;
    }
    if (++build->yaml->items > YAML_ITEMS) {
        return refuse(build, mark, "more than %d values", YAML_ITEMS);
    }
    if (anchor) {
        return refuse(build, mark, "anchors (&name) are not read: write the value out");
    }
    return tag ? refuse(build, mark, "tags (!name) are not read") : 0;
}

static int put(struct build *build, const yaml_event_t *event)
{
    bool in_map = build->into && build->into->kind == ITEM_MAP;
    bool value = event->type == YAML_SCALAR_EVENT || event->type == YAML_SEQUENCE_START_EVENT ||
                 event->type == YAML_MAPPING_START_EVENT;
    int code = refuse_extras(build, event);

    if (code) {
        return code;
    }
    if (value && in_map && !build->key) {
        return event->type == YAML_SCALAR_EVENT
                   ? put_key(build, event)
                   : refuse(build, event->start_mark, "a key must be a word");
    }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return build->yaml->root ? refuse(build, event->start_mark, "a second document begins here")
                                 : 0;
    case YAML_SCALAR_EVENT:
        return put_scalar(build, event);
    case YAML_SEQUENCE_START_EVENT:
        return put_open(build, ITEM_LIST, event->start_mark);
    case YAML_MAPPING_START_EVENT:
        return put_open(build, ITEM_MAP, event->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        build->into = build->into->parent;
        build->depth--;
        return 0;
    default:
        return 0;
    }
}

/* The line and column of a byte, for what libyaml refuses before it counts lines. */
static yaml_mark_t mark_of(const char *text, size_t offset)
{
    yaml_mark_t mark = {0};

    for (size_t i = 0; i < offset; i++) {
        mark.column += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (text[i] == '\n') {
            mark.line++;
            mark.column = 0;
        }
    }
    return mark;
}

static int refuse_parser(struct build *build, const yaml_parser_t *parser, const char *text,
                         size_t length)
{
    const char *problem = parser->problem ? parser->problem : "it cannot be read";

    if (parser->error == YAML_MEMORY_ERROR) {
        return no_memory(build->err);
    }
    if (parser->error == YAML_READER_ERROR) {
        size_t at = parser->problem_offset < length ? parser->problem_offset : length;

        return refuse(build, mark_of(text, at), "not UTF-8 text: %s", problem);
    }
    refuse(build, parser->problem_mark, "not YAML: %s", problem);
    return parser->problem_mark.index < length && text[parser->problem_mark.index] == '\t'
               ? error_hint(build->err, "indent by spaces: YAML allows no tabs")
               : build->err->code;
}

static int build_tree(struct build *build, const char *text, size_t length)
{
    yaml_parser_t parser;
    yaml_event_t event;
    /* editors of some systems begin UTF-8 files with a byte order mark */
    size_t mark_bytes = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    bool end = false;
    int code = 0;

    if (!yaml_parser_initialize(&parser)) {
        return no_memory(build->err);
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text + mark_bytes,
                                 length - mark_bytes);
    while (code == 0 && !end) {
        if (!yaml_parser_parse(&parser, &event)) {
            code = refuse_parser(build, &parser, text + mark_bytes, length - mark_bytes);
            break;
        }
        code = put(build, &event);
        end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return code;
}

int yaml_parse(struct yaml *yaml, const char *file, const char *text, size_t length,
               struct error *err)
{
    struct build build = {.yaml = yaml, .file = file, .err = err};
    int code;

    *yaml = (struct yaml){0};
    if (length > YAML_BYTES) {
        return error_at(err, file, 0, 0, "larger than %d KiB", YAML_BYTES / 1024);
    }
    code = build_tree(&build, text, length);
    if (code == 0 && !yaml->root) {
        code = error_at(err, file, 0, 0, "there is nothing in it");
    } else if (code == 0 && yaml->root->kind != ITEM_MAP) {
        code = item_error(yaml->root, err, "keys and values are expected, not %s",
                          item_kind_name(yaml->root));
    }
    if (code) {
        yaml_close(yaml);
    }
    return code;
}

/* ---- files ---- */

static int read_failed(const char *file, int error, struct error *err)
{
    bool wrong_name = error == ENOENT || error == ENOTDIR || error == EISDIR;

    error_set(err, wrong_name ? EXIT_USAGE : EXIT_FAILED, -error, "%s: %s", file, strerror(error));
    return error == EISDIR ? error_hint(err, "a YAML file is wanted: name one that is in it")
                           : err->code;
}

static int read_bytes(const char *file, char **ret, size_t *ret_length, struct error *err)
{
    char *bytes = mem_zalloc(YAML_BYTES + 2);
    /* a pipe that nobody writes to would be waited for at the opening: so it is empty */
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = 0;
    size_t length = 0;
    struct stat status;
    ssize_t n = 1;

    if (fd < 0 || !bytes) {
        error = fd < 0 ? errno : ENOMEM;
    } else if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        error = EISDIR;
    } else if (fcntl(fd, F_SETFL, 0) != 0) {
        error = errno;
    }
    while (error == 0 && n > 0 && length < YAML_BYTES + 1) {
        n = read(fd, bytes + length, YAML_BYTES + 1 - length);
        error = n < 0 ? errno : 0;
        length += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    if (error) {
        mem_free(bytes);
        return read_failed(file, error, err);
    }
    *ret = bytes;
    *ret_length = length;
    return 0;
}

int yaml_read(struct yaml *yaml, const char *file, struct error *err)
{
    char *bytes = NULL;
    size_t length = 0;
    int code = read_bytes(file, &bytes, &length, err);

    if (code) {
        return code;
    }
    code = yaml_parse(yaml, file, bytes, length, err);
    if (code) {
        mem_free(bytes);
        return code;
    }
    yaml->bytes = bytes;
    yaml->length = length;
    return 0;
}

void yaml_close(struct yaml *yaml)
{
    while (yaml->blocks) {
        struct yaml_block *next = yaml->blocks->next;

        mem_free(yaml->blocks);
        yaml->blocks = next;
    }
    mem_free(yaml->bytes);
    *yaml = (struct yaml){0};
}

/* ---- values from outside the file ---- */

/* The child of that name or place; *ret_list_end: one behind the last of a list. */
static struct item *child_at(struct item *into, const char *name, size_t length, bool *ret_list_end)
{
    uint32_t place = 0;

    *ret_list_end = false;
    if (into->kind == ITEM_MAP) {
        for (struct item *child = into->child; child; child = child->next) {
            if (strlen(child->key) == length && memcmp(child->key, name, length) == 0) {
                return child;
            }
        }
        return NULL;
    }
    for (size_t i = 0; i < length; i++) {
        if (name[i] < '0' || name[i] > '9' || length > 6) {
            return NULL;
        }
        place = place * 10 + (uint32_t)(name[i] - '0');
    }
    *ret_list_end = place == into->count;
    for (struct item *child = into->child; child; child = child->next) {
        if (place-- == 0) {
            return child;
        }
    }
    return NULL;
}

static int set_step(struct build *build, struct item *into, const char *name, size_t length,
                    struct item **ret)
{
    yaml_mark_t nowhere = {0};
    bool list_end;

    if (length == 0) {
        return refuse(build, nowhere, "a key is missing in the path");
    }
    if (into->kind == ITEM_SCALAR) {
        return refuse(build, nowhere, "\"%s\" is a value, it has no \"%.*s\"",
                      into->key ? into->key : "?", (int)length, name);
    }
    *ret = child_at(into, name, length, &list_end);
    if (*ret) {
        return 0;
    }
    if (into->kind == ITEM_LIST && !list_end) {
        return refuse(build, nowhere, "\"%s\" is a list of %u, it has no \"%.*s\"",
                      into->key ? into->key : "?", into->count, (int)length, name);
    }
    if (++build->yaml->items > YAML_ITEMS) {
        return refuse(build, nowhere, "more than %d values", YAML_ITEMS);
    }
    build->into = into;
    build->key = into->kind == ITEM_MAP ? keep(build->yaml, name, length) : NULL;
    build->key_line = build->key_column = 0;
    *ret = add_item(build, ITEM_MAP, nowhere);
    if (!*ret) {
        return no_memory(build->err);
    }
    (*ret)->on_way = true;
    return 0;
}

/* What was parsed takes the place of what was there, under the same key. */
static void replace(struct item *item, const struct item *with)
{
    struct item kept = *item;

    *item = *with;
    item->key = kept.key;
    item->key_line = item->key_column = 0;
    item->parent = kept.parent;
    item->next = kept.next;
    for (struct item *child = item->child; child; child = child->next) {
        child->parent = item;
    }
}

int yaml_set(struct yaml *yaml, const char *path, const char *value, const char *place,
             struct error *err)
{
    char *where = keep(yaml, place, strlen(place));
    struct build build = {.yaml = yaml, .file = where, .place = where, .err = err};
    struct item *at = yaml->root, *root = yaml->root, *parsed;
    size_t depth = 0;
    int code;

    if (!where) {
        return no_memory(err);
    }
    yaml->root = NULL;
    code = build_tree(&build, value, strlen(value));
    parsed = yaml->root;
    yaml->root = root;
    if (code) {
        return code;
    }
    for (;; path++) {
        size_t length = strcspn(path, ".");

        build.err = err;
        if (++depth > YAML_DEPTH) {
            return error_at(err, where, 0, 0, "the path has too many parts");
        }
        code = set_step(&build, at, path, length, &at);
        if (code) {
            return code;
        }
        path += length;
        if (*path == '\0') {
            break;
        }
    }
    if (parsed) {
        replace(at, parsed);
    } else {
        replace(at, &(struct item){.kind = ITEM_SCALAR, .text = "", .file = where, .given = true});
    }
    return 0;
}

/* ---- reading the tree ---- */

struct item *item_get(const struct item *map, const char *key)
{
    if (!map || map->kind != ITEM_MAP) {
        return NULL;
    }
    for (struct item *child = map->child; child; child = child->next) {
        if (strcmp(child->key, key) == 0) {
            return child;
        }
    }
    return NULL;
}

int item_place(const struct item *item, struct error *err)
{
    snprintf(err->file, sizeof(err->file), "%s", item->file);
    err->line = item->line;
    err->column = item->column;
    return err->code;
}

int item_error(const struct item *item, struct error *err, const char *format, ...)
{
    char text[500];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return error_at(err, item->file, item->line, item->column, "%s", text);
}

int item_key_error(const struct item *item, struct error *err, const char *format, ...)
{
    bool keyed = item->key && item->key_line; /* what stands in a list has no key of its own */
    char text[500];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return error_at(err, item->file, keyed ? item->key_line : item->line,
                    keyed ? item->key_column : item->column, "%s", text);
}

const char *item_kind_name(const struct item *item)
{
    return item->kind == ITEM_LIST  ? "a list"
           : item->kind == ITEM_MAP ? "a section"
                                    : "a single value";
}
