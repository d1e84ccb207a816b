#include "base/keys.h"

#include <stdio.h>
#include <string.h>

/* How a type is called, an example, and its placeholder in --help. */
static const struct {
    const char *what, *example, *placeholder;
} type_names[KEY_TYPES] = {
    [KEY_STRING] = {"text", NULL, "TEXT"},
    [KEY_TEXT] = {"text", NULL, "TEXT"},
    [KEY_WORD] = {"a word", NULL, "WORD"},
    [KEY_FLAG] = {"yes or no", NULL, NULL},
    [KEY_FLAG_OFF] = {"yes or no", NULL, NULL},
    [KEY_COUNT] = {"a whole number", "15000 or 15k", "N"},
    [KEY_NUMBER] = {"a number", "0.62", "X"},
    [KEY_SIZE] = {"a size", "48GiB", "SIZE"},
    [KEY_DURATION] = {"a duration", "2h30m", "TIME"},
    [KEY_RATE] = {"a rate", "15k/s", "RATE"},
    [KEY_BANDWIDTH] = {"a bandwidth", "3400MB/s", "BANDWIDTH"},
    [KEY_SHARE] = {"a share", "25%", "SHARE"},
    [KEY_FRACTION] = {"a fraction", "1/400", "1/N"},
    [KEY_EXTENT] = {"a share or a size", "25% or 100GiB", "EXTENT"},
    [KEY_GROUP] = {"a section or list", NULL, NULL},
};

static void add_words(const struct key *row, const char *between, struct text *ret)
{
    for (uint32_t i = 0; i < row->word_count; i++) {
        text_addf(ret, "%s%s", i == 0 ? "" : between, row->words[i]);
    }
}

static void add_bounds(const struct key *row, const char *before, struct text *ret)
{
    const char *zero = row->or_zero ? "0 or " : "";

    if (row->least && row->most) {
        text_addf(ret, "%s%s%s to %s", before, zero, row->least, row->most);
    } else if (row->least) {
        text_addf(ret, "%s%s%s or more", before, zero, row->least);
    } else if (row->most) {
        text_addf(ret, "%sat most %s", before, row->most);
    }
}

const char *key_expects(const struct key *row, char *buf, size_t size)
{
    struct text text = {0};

    if (row->type == KEY_WORD) {
        add_words(row, ", ", &text);
    } else {
        text_add(&text, type_names[row->type].what);
        if (type_names[row->type].example) {
            text_addf(&text, " such as %s", type_names[row->type].example);
        }
        add_bounds(row, ", ", &text);
    }
    snprintf(buf, size, "%s", text_string(&text));
    text_free(&text);
    return buf;
}

enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

/* Words into lines from HELP_COLUMN on; `at` is the column reached on the current line. */
static void add_wrapped(const char *words, size_t at, struct text *ret)
{
    bool first = true;

    if (at >= HELP_COLUMN) {
        text_add_char(ret, '\n');
        at = 0;
    }
    text_add_repeat(ret, ' ', HELP_COLUMN - at);
    at = HELP_COLUMN;
    while (*words) {
        size_t len = strcspn(words, " ");

        if (!first && at + 1 + len > HELP_WIDTH) {
            text_add_char(ret, '\n');
            text_add_repeat(ret, ' ', HELP_COLUMN);
            at = HELP_COLUMN;
        } else if (!first) {
            text_add_char(ret, ' ');
            at++;
        }
        text_add_bytes(ret, words, len);
        at += len;
        first = false;
        words += len;
        words += strspn(words, " ");
    }
    text_add_char(ret, '\n');
}

static void help_row(const struct key *row, struct text *ret)
{
    const char *placeholder =
        row->placeholder ? row->placeholder : type_names[row->type].placeholder;
    struct text words = {0};
    size_t from = ret->length;

    text_addf(ret, row->letter ? "  -%c, --" : "      --", row->letter ? row->letter : ' ');
    for (const char *c = row->name; *c; c++) {
        text_add_char(ret, *c == '_' ? '-' : *c);
    }
    if (placeholder) {
        text_addf(ret, " %s", placeholder);
    }
    text_add(&words, row->help);
    if (row->type == KEY_WORD) {
        text_add(&words, ": ");
        add_words(row, ", ", &words);
    }
    if (row->fallback && *row->fallback) {
        text_addf(&words, " [%s]", row->fallback);
    }
    add_wrapped(text_string(&words), ret->length - from, ret);
    text_free(&words);
}

void key_help(const struct key *rows, uint32_t count, struct text *ret)
{
    for (uint32_t i = 0; i < count; i++) {
        help_row(&rows[i], ret);
    }
}

/* "innodb, sqlserver: " */
static void add_only(const struct key *row, struct text *ret)
{
    for (const char *c = row->only ? row->only : ""; *c; c++) {
        text_addf(ret, *c == ' ' ? ",%c" : "%c", *c);
    }
    text_add(ret, row->only ? ": " : "");
}

void key_document(const struct key *rows, uint32_t count, struct text *ret)
{
    text_add(ret, "| key | value | default | meaning |\n|---|---|---|---|\n");
    for (uint32_t i = 0; i < count; i++) {
        const struct key *row = &rows[i];

        text_addf(ret, "| `%s` | ", row->name);
        if (row->type == KEY_WORD) {
            add_words(row, ", ", ret);
        } else {
            text_add(ret, type_names[row->type].what);
            add_bounds(row, ", ", ret);
        }
        text_addf(ret, " | %s | ", row->fallback ? row->fallback : "required");
        add_only(row, ret);
        text_addf(ret, "%s |\n", row->help);
    }
}
