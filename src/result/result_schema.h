/* result/result_schema: the keys of run.json, once: writer, reader and docs/RESULT.md follow it. */
#ifndef RAWTPS_RESULT_RESULT_SCHEMA_H
#define RAWTPS_RESULT_RESULT_SCHEMA_H

#include "result/result.h"
#include <stddef.h>

enum key_type {
    KEY_I64,      /* int64_t */
    KEY_U64,      /* uint64_t; above 2^63 - 1 as a decimal string */
    KEY_U32,      /* uint32_t, also enum exit_code */
    KEY_U128,     /* decimal string */
    KEY_NUM,      /* double; NAN is null */
    KEY_BOOL,     /* bool */
    KEY_STR,      /* char[size] */
    KEY_TEXT,     /* char *, ours to free */
    KEY_CONSTANT, /* always the string in `constant` */
    KEY_OBJECT,   /* the members of `of`, which lie at `offset` */
    KEY_LIST,     /* count (uint32_t at count_offset) times `of`, each `size` bytes */
    KEY_ONE,      /* a list of exactly one `of` */
    KEY_STRINGS,  /* char **, count at count_offset */
    KEY_LINES,    /* char (*)[size], count at count_offset */
    KEY_SIZES,    /* an object: bytes of a request to its count */
    KEY_FACTS,    /* an object: name to number */
};

enum key_flag {
    KEY_POINTER = 1,  /* lists and lines: the struct holds a pointer to them, already allocated */
    KEY_REQUIRED = 2, /* a document without it is refused */
    KEY_UNKNOWN = 4,  /* 0 or "" is unknown: null */
    KEY_HERE = 8,     /* of this machine and hour: not in the digest */
    KEY_RAISES = 16,  /* U32: an exit code */
};

struct schema_key {
    const char *name;
    enum key_type type;
    uint32_t flags;
    size_t offset, size;
    size_t count_offset;
    uint32_t limit; /* most elements */
    const struct schema *of;
    const char *constant;
    const char *help;
};

struct schema {
    const char *name; /* as docs/RESULT.md calls it */
    const struct schema_key *keys;
    uint32_t key_count;
};

extern const struct schema schema_result;

/* Objects in the order docs/RESULT.md describes them. */
enum { SCHEMA_OBJECTS = 24 };
extern const struct schema *const schema_objects[SCHEMA_OBJECTS];

#endif
