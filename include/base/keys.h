/* base/keys: one row a key or option: parsing, --help, documents and suggestions come from it. */
#ifndef RAWTPS_BASE_KEYS_H
#define RAWTPS_BASE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* What a value is, and the C type of the field that takes it. */
enum key_type {
    KEY_STRING,    /* const char *: points at the text given, which must live on */
    KEY_TEXT,      /* char[n]: copied; longer text is refused */
    KEY_WORD,      /* one of row->words, kept as its index: bool, enum or uint32_t, uint64_t */
    KEY_FLAG,      /* bool: yes no on off true false; as an option alone it is yes */
    KEY_FLAG_OFF,  /* bool that holds the opposite: `fixed_file: no` sets no_fixed_file */
    KEY_COUNT,     /* uint32_t or uint64_t: 15000 15_000 15k */
    KEY_NUMBER,    /* double: 0.62 */
    KEY_SIZE,      /* uint32_t or uint64_t bytes: 48GiB */
    KEY_DURATION,  /* int64_t nanoseconds: 2h30m */
    KEY_RATE,      /* double a second: 15k/s */
    KEY_BANDWIDTH, /* uint64_t bytes a second: 3400MB/s */
    KEY_SHARE,     /* double: 25% */
    KEY_FRACTION,  /* struct fraction of base/units.h: 1/400 */
    KEY_EXTENT,    /* struct extent: a share or a size, 25% or 100GiB */
    KEY_GROUP,     /* a section or list that its own reader takes apart; no field */
    KEY_TYPES
};

/* A share of something that is known later, or bytes; the other is 0. */
struct extent {
    double share;
    uint64_t bytes;
};

/*
 * A row. Bounds and default are texts in the row's own unit, so that what is checked is what is
 * printed: .least = "1ms", .most = "30d".
 */
struct key {
    const char *name; /* '_' between words; an option's '-' is equal to it */
    enum key_type type;
    uint16_t offset, bytes;   /* the field: KEY_FIELD() */
    const char *least, *most; /* both allowed; NULL: no bound but the field's own */
    const char *fallback;     /* the default in words, "" if there is none; NULL: required */
    const char *const *words; /* KEY_WORD: KEY_WORDS() */
    uint32_t word_count;
    const char *help;        /* one sentence without a full stop */
    char letter;             /* options: -o; 0: none */
    bool many;               /* options: may be given more than once; the caller collects. keys: may
                                be a list or section too, which their own reader takes apart */
    const char *placeholder; /* options: "DIR"; NULL: from the type */
    /* options: the value that stands where none is given, as "report.html"; the next word is then
     * taken only if it is "-" or has the same ending. NULL: a value must be given */
    const char *bare;
    /* keys: 0 is allowed too, below `least`; and why no less is, for the hint of the refusal */
    bool or_zero;
    const char *why;
    /* keys: words of another key, with blanks between, for which alone this one is: "innodb". NULL:
     * for all of them. The reader of the section refuses it elsewhere. */
    const char *only;
};

#define KEY_FIELD(record, member)                                                                  \
    .offset = offsetof(record, member), .bytes = sizeof(((record *)0)->member)
#define KEY_WORDS(array) .words = (array), .word_count = sizeof(array) / sizeof((array)[0])

/* The row of that name ('-' equal to '_'), or NULL. */
const struct key *key_find(const struct key *rows, uint32_t count, const char *name);
const struct key *key_find_letter(const struct key *rows, uint32_t count, char letter);
/* Is the row for that word of the other key? See key.only. */
bool key_is_for(const struct key *row, const char *word);
/* The name that was probably meant, or NULL. */
const char *key_nearest(const struct key *rows, uint32_t count, const char *name);

/*
 * Read text into the row's field of record. Errors: EXIT_USAGE with "users: must be 1 to 1M, not
 * 0", a hint where a word is misspelt, and no place: the caller adds it by units_place(). The field
 * is left alone then.
 */
int key_set(const struct key *row, void *record, const char *text, struct error *err);
/* Is it a value of the row? For keys whose field is elsewhere; as key_set() without a field. */
int key_check(const struct key *row, const char *text, struct error *err);

/* The field as one would write it, exactly; key_set() reads it back. Returns buf. */
const char *key_format(const struct key *row, const void *record, char *buf, size_t size);
/* What is expected, with an example and bounds: "a size such as 48GiB, 1MiB to 1PiB". */
const char *key_expects(const struct key *row, char *buf, size_t size);

/* Rows as options for --help, 80 columns: "  -o, --out DIR      what it does [default]". */
void key_help(const struct key *rows, uint32_t count, struct text *ret);
/* Rows as a Markdown table: key, value, default, meaning. */
void key_document(const struct key *rows, uint32_t count, struct text *ret);

#endif
