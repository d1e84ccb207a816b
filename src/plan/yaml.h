/* plan/yaml: a YAML file as a small tree in which everything knows its place. */
#ifndef RAWTPS_PLAN_YAML_H
#define RAWTPS_PLAN_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum item_kind { ITEM_SCALAR, ITEM_LIST, ITEM_MAP };

/* Most that a file may be and hold; more is refused, so that no file can exhaust memory or stack.
 */
enum { YAML_BYTES = 256 * 1024, YAML_ITEMS = 5000, YAML_DEPTH = 12 };

/* A value, and the key it has in a map. Texts end with a zero and live as long as the tree. */
struct item {
    enum item_kind kind;
    const char *text; /* scalars; "" for a value left out or ~ */
    const char *key;  /* in a map; else NULL */
    const char *file; /* what to print as the place: a path, or "--set drive.like=x" */
    int line, column; /* of the value, from 1; 0: not in a file */
    int key_line, key_column;
    bool given;  /* put there by yaml_set(), not by the file */
    bool on_way; /* a map that yaml_set() made for a path that goes on below it */
    struct item *parent, *child, *last, *next;
    uint32_t count; /* children */
};

struct yaml_block;

struct yaml {
    struct item *root;
    char *bytes; /* the file as it is, with a zero behind it; NULL after yaml_parse() */
    size_t length;
    struct yaml_block *blocks;
    uint32_t items;
};

/*
 * One document of maps, lists and scalars with a map at its root. Refused, with the place: more
 * than one document, anchors, aliases, tags, a key twice in a map, keys that are not scalars, zero
 * bytes, bytes that are not UTF-8, and whatever is beyond the limits. `file` is printed as the
 * place and must outlive the tree. Errors: EXIT_USAGE; yaml_read also EXIT_FAILED if the file is
 * there and cannot be read.
 */
int yaml_parse(struct yaml *yaml, const char *file, const char *text, size_t length,
               struct error *err);
int yaml_read(struct yaml *yaml, const char *file, struct error *err);
void yaml_close(struct yaml *yaml);

/*
 * Put a value at a path of keys and list places ("vms.0.users"), making maps on the way. The value
 * is YAML in one line: 15k, {until: steady}, [1, 2]. place is printed as its place; copied.
 */
int yaml_set(struct yaml *yaml, const char *path, const char *value, const char *place,
             struct error *err);

/* The value of a key of a map, or NULL. map may be NULL. */
struct item *item_get(const struct item *map, const char *key);
/* An error at a value; at its key. */
int item_error(const struct item *item, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int item_key_error(const struct item *item, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Put the place of a value into err, which says the rest. Returns err->code. */
int item_place(const struct item *item, struct error *err);
const char *item_kind_name(const struct item *item); /* "a list", "a section", "a value" */

#endif
