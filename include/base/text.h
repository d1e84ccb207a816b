/* base/text: text that grows, and the word that was probably meant. */
#ifndef RAWTPS_BASE_TEXT_H
#define RAWTPS_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A growing string. Always ends with a zero byte once something was added or reserved. If memory
 * runs out `failed` is set and stays set, and later additions are dropped: check once at the end.
 */
struct text {
    char *data; /* NULL until the first addition: read through text_string() */
    size_t length, capacity;
    bool failed;
};

void text_init(struct text *text);
void text_free(struct text *text);

/* Room for `bytes` more, so that additions up to there allocate nothing. */
bool text_reserve(struct text *text, size_t bytes);
/* Empty it, keeping its memory. */
void text_clear(struct text *text);
/* Cut it to `length` bytes; must be at most text->length. */
void text_cut(struct text *text, size_t length);

void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const void *bytes, size_t n);
void text_add_char(struct text *text, char c);
void text_add_repeat(struct text *text, char c, size_t times);
/* As one word of a shell's command line: quoted where it must be. */
void text_add_word(struct text *text, const char *word);
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_addv(struct text *text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* The string; "" if empty. Valid until the next change. */
const char *text_string(const struct text *text);

/* Bytes of the UTF-8 character that begins `string`, 1 to 4; 0 if it is none (Unicode 15, table
 * 3-7). */
size_t text_utf8(const char *string, size_t bytes);

/*
 * The word of `list` that was probably meant by `word`, or NULL if none is close.
 *   distance  insertions, deletions, changes and swaps of neighbours (optimal string alignment),
 *             case ignored, '-' equal to '_'; close is at most a third of the longer word's
 *             length (at least 1), or a word that begins with a `word` of 3 or more letters
 *   ties      the first of the list
 *   limits    words of up to 63 bytes; list entries may be NULL and are skipped
 */
const char *text_nearest(const char *word, const char *const *list, size_t n);
/* The distance alone; words longer than 63 bytes are cut. */
unsigned text_distance(const char *a, const char *b);

#endif
