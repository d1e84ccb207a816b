#include "doc_parts.h"
#include "figures.h"
#include <stdint.h>
#include <string.h>

enum { GAP = 2, LEAST_WIDTH = 40 };

/* How a table lies on the page. */
struct grid {
    uint32_t widths[DOC_COLUMNS];
    uint32_t gap;
};

struct page {
    const struct doc *doc;
    struct doc_text_options options;
    struct text *out;
};

static void add_toned(struct page *page, enum doc_tone tone, const char *word)
{
    static const char *const codes[] = {
        [DOC_GOOD] = "\033[32m", [DOC_BAD] = "\033[1;31m", [DOC_DOUBTFUL] = "\033[33m"};
    bool colour = page->options.colour && tone != DOC_PLAIN;

    text_add(page->out, colour ? codes[tone] : "");
    text_add(page->out, word);
    text_add(page->out, colour ? "\033[0m" : "");
}

/*
 * Words from column `column` on, broken at spaces; later lines are indented. Double spaces inside
 * stay. A word longer than a line stands alone. Returns the column behind it.
 */
static uint32_t add_wrapped(struct page *page, const char *words, uint32_t column, uint32_t indent)
{
    bool first = true;

    while (*words != '\0') {
        size_t gap = strspn(words, " "), n = strcspn(words + gap, " ");
        uint32_t width = 0;

        for (size_t i = gap; i < gap + n; i++) {
            width += ((unsigned char)words[i] & 0xc0) != 0x80;
        }
        if (!first && n > 0 && column + gap + width > page->options.width) {
            text_add_char(page->out, '\n');
            text_add_repeat(page->out, ' ', indent);
            column = indent;
        } else {
            text_add_bytes(page->out, words, gap);
            column += (uint32_t)gap;
        }
        text_add_bytes(page->out, words + gap, n);
        column += width;
        words += gap + n;
        first = false;
    }
    return column;
}

static void add_line(struct page *page, const struct doc_block *block, uint32_t column,
                     uint32_t indent)
{
    const char *verdict = doc_word(page->doc, block->verdict);

    column = add_wrapped(page, doc_word(page->doc, block->value), column, indent);
    if (*verdict != '\0') {
        if (column + 2 + figure_width(verdict) > page->options.width) {
            text_add_char(page->out, '\n');
            text_add_repeat(page->out, ' ', indent);
        } else {
            text_add(page->out, block->kind == DOC_PAIR ? ": " : " ");
        }
        add_toned(page, block->tone, verdict);
    }
    text_add_char(page->out, '\n');
}

/* The widest key of the run of pairs that `block` stands in. */
static uint32_t key_width(const struct doc *doc, uint32_t block)
{
    uint32_t width = 0;

    while (block > 0 && doc->blocks[block - 1].kind == DOC_PAIR) {
        block--;
    }
    for (; block < doc->block_count && doc->blocks[block].kind == DOC_PAIR; block++) {
        uint32_t w = figure_width(doc_word(doc, doc->blocks[block].key));

        width = w > width ? w : width;
    }
    return width;
}

static void add_pair(struct page *page, uint32_t at)
{
    const struct doc_block *block = &page->doc->blocks[at];
    const char *key = doc_word(page->doc, block->key);
    uint32_t width = key_width(page->doc, at);

    text_add_char(page->out, ' ');
    text_add(page->out, key);
    text_add_repeat(page->out, ' ', width - figure_width(key) + GAP);
    add_line(page, block, 1 + width + GAP, 1 + width + GAP);
}

static void add_field(struct page *page, const char *word, enum doc_tone tone, uint32_t width,
                      bool right, bool last)
{
    uint32_t pad = width - figure_width(word);

    if (right) {
        text_add_repeat(page->out, ' ', pad);
    }
    add_toned(page, tone, word);
    if (!right && !last) {
        text_add_repeat(page->out, ' ', pad);
    }
}

/* Some columns of a table: the first, and those from `from` up to `to`. row UINT32_MAX: titles. */
static void add_row(struct page *page, const struct doc_block *table, const struct grid *grid,
                    uint32_t from, uint32_t to, uint32_t row)
{
    text_add_char(page->out, ' ');
    for (uint32_t c = 0; c < to; c = c == 0 ? from : c + 1) {
        const struct doc_cell *cell = row < UINT32_MAX ? doc_at(page->doc, table, row, c) : NULL;

        text_add_repeat(page->out, ' ', c == 0 ? 0 : grid->gap);
        add_field(page, cell ? doc_word(page->doc, cell->shown) : table->columns[c].title,
                  cell ? cell->tone : DOC_PLAIN, grid->widths[c],
                  table->columns[c].align == DOC_RIGHT, c + 1 == to);
    }
    text_add_char(page->out, '\n');
}

/* Two spaces between columns; one where that makes the table fit. */
static void measure(const struct page *page, const struct doc_block *table, struct grid *grid)
{
    uint32_t sum = 0;

    for (uint32_t c = 0; c < table->column_count; c++) {
        uint32_t *width = &grid->widths[c];

        *width = figure_width(table->columns[c].title);
        for (uint32_t r = 0; r < doc_rows(table); r++) {
            uint32_t w = figure_width(doc_word(page->doc, doc_at(page->doc, table, r, c)->shown));

            *width = w > *width ? w : *width;
        }
        sum += *width;
    }
    grid->gap = sum + GAP * (table->column_count - 1) + 1 <= page->options.width ? GAP
                : sum + table->column_count <= page->options.width               ? 1
                                                                                 : GAP;
}

/* A table that is too wide goes on below, its first column repeated. */
static void add_table(struct page *page, const struct doc_block *table)
{
    struct grid grid = {0};
    uint32_t from = 1;

    measure(page, table, &grid);
    do {
        uint32_t to = from, used = 1 + grid.widths[0];

        while (to < table->column_count &&
               (to == from || used + grid.gap + grid.widths[to] <= page->options.width)) {
            used += grid.gap + grid.widths[to];
            to++;
        }
        to = to > table->column_count ? table->column_count : to;
        add_row(page, table, &grid, from, to, UINT32_MAX);
        for (uint32_t r = 0; r < doc_rows(table); r++) {
            add_row(page, table, &grid, from, to, r);
        }
        from = to;
    } while (from < table->column_count);
}

static void add_block(struct page *page, uint32_t at)
{
    const struct doc_block *block = &page->doc->blocks[at];
    enum doc_kind before = at > 0 ? page->doc->blocks[at - 1].kind : DOC_HEADING;
    bool apart =
        block->kind == DOC_HEADING || ((block->kind == DOC_NOTE || block->kind == DOC_PARAGRAPH) &&
                                       before != block->kind && before != DOC_HEADING);

    if (at > 0 && apart) {
        text_add_char(page->out, '\n');
    }
    switch (block->kind) {
    case DOC_HEADING:
    case DOC_PARAGRAPH:
        add_line(page, block, 0, block->kind == DOC_HEADING ? 4 : 0);
        break;
    case DOC_NOTE:
        text_add_char(page->out, ' ');
        add_line(page, block, 1, 1);
        break;
    case DOC_PAIR:
        add_pair(page, at);
        break;
    case DOC_TABLE:
        add_table(page, block);
        break;
    case DOC_CHART:
        break;
    }
}

void doc_text(const struct doc *doc, const struct doc_text_options *options, struct text *ret)
{
    struct page page = {.doc = doc, .options = *options, .out = ret};

    page.options.width = options->width < LEAST_WIDTH ? LEAST_WIDTH : options->width;
    for (uint32_t i = 0; i < doc->block_count; i++) {
        add_block(&page, i);
    }
}
