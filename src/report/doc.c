#include "report/doc.h"

#include "base/mem.h"
#include "base/must.h"
#include "doc_parts.h"
#include "figures.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void doc_init(struct doc *doc)
{
    *doc = (struct doc){0};
    text_init(&doc->words);
    text_add_char(&doc->words, '\0'); /* offset 0 */
}

void doc_free(struct doc *doc)
{
    text_free(&doc->words);
    mem_free(doc->blocks);
    mem_free(doc->cells);
    mem_free(doc->parts);
    mem_free(doc->values);
    *doc = (struct doc){0};
}

/* Make what was added from `from` on harmless: no control characters (C0, DEL, C1), only UTF-8. */
static void clean(char *from, size_t bytes)
{
    for (size_t i = 0, n; i<bytes; i += n> 0 ? n : 1) {
        unsigned char c = (unsigned char)from[i];

        n = text_utf8(from + i, bytes - i);
        if (n == 0 || c < ' ' || c == 0x7f) {
            from[i] = '?';
        } else if (c == 0xc2 && (unsigned char)from[i + 1] < 0xa0) {
            from[i] = from[i + 1] = '?';
        }
    }
}

__attribute__((format(printf, 2, 0))) static uint32_t addv(struct doc *doc, const char *format,
                                                           va_list args)
{
    size_t at = doc->words.length;

    text_addv(&doc->words, format, args);
    if (doc->words.failed || at > UINT32_MAX) {
        doc->failed = true;
        return 0;
    }
    clean(doc->words.data + at, doc->words.length - at);
    text_add_char(&doc->words, '\0');
    return (uint32_t)at;
}

__attribute__((format(printf, 2, 3))) static uint32_t add(struct doc *doc, const char *format, ...)
{
    uint32_t at;
    va_list args;

    va_start(args, format);
    at = addv(doc, format, args);
    va_end(args);
    return at;
}

uint32_t doc_add_word(struct doc *doc, const char *word)
{
    return add(doc, "%s", word);
}

void *doc_more(struct doc *doc, void **array, uint32_t *count, uint32_t *limit, size_t size)
{
    if (doc->failed) {
        return NULL;
    }
    if (*count == *limit) {
        uint32_t grown = *limit > 0 ? *limit * 2 : 32;
        void *ptr = mem_resize(*array, grown * size);

        if (!ptr) {
            doc->failed = true;
            return NULL;
        }
        *array = ptr;
        *limit = grown;
    }
    (*count)++;
    return memset((char *)*array + (*count - 1) * size, 0, size);
}

struct doc_block *doc_add_block(struct doc *doc, enum doc_kind kind)
{
    struct doc_block *block = doc_more(doc, (void **)&doc->blocks, &doc->block_count,
                                       &doc->block_limit, sizeof(*doc->blocks));

    if (block) {
        block->kind = kind;
    }
    return block;
}

static void add_block(struct doc *doc, enum doc_kind kind, uint32_t level, uint32_t key,
                      uint32_t value)
{
    struct doc_block *block = doc_add_block(doc, kind);

    if (block) {
        block->level = level;
        block->key = key;
        block->value = value;
    }
}

void doc_heading(struct doc *doc, uint32_t level, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_block(doc, DOC_HEADING, level, 0, addv(doc, format, args));
    va_end(args);
}

void doc_paragraph(struct doc *doc, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_block(doc, DOC_PARAGRAPH, 0, 0, addv(doc, format, args));
    va_end(args);
}

void doc_note(struct doc *doc, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_block(doc, DOC_NOTE, 0, 0, addv(doc, format, args));
    va_end(args);
}

void doc_pair(struct doc *doc, const char *key, const char *format, ...)
{
    uint32_t name = add(doc, "%s", key);
    va_list args;

    va_start(args, format);
    add_block(doc, DOC_PAIR, 0, name, addv(doc, format, args));
    va_end(args);
}

void doc_verdict(struct doc *doc, enum doc_tone tone, const char *word)
{
    uint32_t at = add(doc, "%s", word);

    if (!doc->failed) {
        must(doc->block_count > 0);
        doc->blocks[doc->block_count - 1].verdict = at;
        doc->blocks[doc->block_count - 1].tone = tone;
    }
}

void doc_table(struct doc *doc, const char *key, const struct doc_column *columns, uint32_t count)
{
    struct doc_block *block = doc_add_block(doc, DOC_TABLE);

    must(count > 0 && count <= DOC_COLUMNS);
    if (block) {
        memcpy(block->columns, columns, count * sizeof(*columns));
        block->column_count = count;
        block->table = key;
        block->first_cell = doc->cell_count;
    }
}

static void add_cell(struct doc *doc, enum doc_tone tone, uint32_t shown, uint32_t raw)
{
    struct doc_cell *cell = doc_more(doc, (void **)&doc->cells, &doc->cell_count, &doc->cell_limit,
                                     sizeof(*doc->cells));
    struct doc_block *block = doc->block_count > 0 ? &doc->blocks[doc->block_count - 1] : NULL;

    if (cell && !doc->failed) {
        must(block && block->kind == DOC_TABLE);
        *cell = (struct doc_cell){.shown = shown, .raw = raw, .tone = tone};
        block->cell_count++;
    }
}

void doc_cell(struct doc *doc, const char *format, ...)
{
    uint32_t at;
    va_list args;

    va_start(args, format);
    at = addv(doc, format, args);
    va_end(args);
    add_cell(doc, DOC_PLAIN, at, at);
}

void doc_cell_tone(struct doc *doc, enum doc_tone tone, const char *word)
{
    uint32_t at = add(doc, "%s", word);

    add_cell(doc, tone, at, at);
}

/* A number for machines; nothing where it is not known. */
static uint32_t raw_number(struct doc *doc, double value)
{
    char buf[FIGURE_TEXT];

    if (!isfinite(value)) {
        return 0;
    }
    snprintf(buf, sizeof(buf), "%.12g", value);
    return add(doc, "%s", buf);
}

void doc_cell_count(struct doc *doc, uint64_t value)
{
    char buf[FIGURE_TEXT];
    uint32_t shown = add(doc, "%s", figure_count(value, buf));

    add_cell(doc, DOC_PLAIN, shown, add(doc, "%llu", (unsigned long long)value));
}

void doc_cell_number(struct doc *doc, double value)
{
    char buf[FIGURE_TEXT];
    uint32_t shown = add(doc, "%s", figure_number(value, buf));

    add_cell(doc, DOC_PLAIN, shown, raw_number(doc, value));
}

void doc_cell_duration(struct doc *doc, double ns)
{
    char buf[FIGURE_TEXT];
    uint32_t shown = add(doc, "%s", figure_duration(ns, buf));

    add_cell(doc, DOC_PLAIN, shown, raw_number(doc, ns));
}

void doc_cell_share(struct doc *doc, double share, bool sign)
{
    char buf[FIGURE_TEXT];
    uint32_t shown = add(doc, "%s", sign ? figure_percent(share, buf) : figure_share(share, buf));

    add_cell(doc, DOC_PLAIN, shown, raw_number(doc, share));
}

void doc_cell_size(struct doc *doc, double bytes)
{
    char buf[FIGURE_TEXT];
    uint32_t shown = add(doc, "%s", figure_size(bytes, buf));

    add_cell(doc, DOC_PLAIN, shown, raw_number(doc, bytes));
}
