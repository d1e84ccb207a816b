#include "report/draw.h"

#include "canvas.h"
#include "chart_draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A4 in points, and a sheet for a screen. */
enum { PAGE_WIDTH = 595, PAGE_HEIGHT = 842, MARGIN = 40, SHEET_WIDTH = 840, LINE_BYTES = 1024 };

/* What is laid out: once without drawing (to learn how long a sheet is), then with. */
struct layout {
    const struct doc *doc;
    struct canvas *canvas;
    struct pen *pen;
    double width, bottom; /* of the page: right edge of the text, last line */
    double y;
    bool pages, draws;
    uint32_t page;
};

static void footer(struct layout *layout)
{
    char words[32];

    layout->pen->bold = false;
    snprintf(words, sizeof(words), "rawtps, page %u", layout->page);
    pen_words(layout->pen, layout->width, PAGE_HEIGHT - MARGIN / 2.0, 7, PEN_RIGHT, PEN_FAINT,
              words);
}

static void new_page(struct layout *layout)
{
    if (layout->draws) {
        footer(layout);
        canvas_page(layout->canvas);
    }
    layout->page++;
    layout->y = MARGIN;
}

/* Room for `height` below, on this page or the next. */
static void need(struct layout *layout, double height)
{
    if (layout->pages && layout->y + height > layout->bottom && layout->y > MARGIN) {
        new_page(layout);
    }
}

static double width_of(const struct layout *layout, double size, const char *words)
{
    return layout->pen->ops->width(layout->pen, size, words);
}

/* Bytes of `words` that fit into width: up to a space where there is one, at least a character. */
static size_t fitting(const struct layout *layout, double size, const char *words, double width)
{
    char line[LINE_BYTES];
    size_t end = 0, space = 0, n = strlen(words);

    for (size_t i = figure_cut(words, 1); i <= n && i < sizeof(line);
         i += i < n ? figure_cut(words + i, 1) : 1) {
        memcpy(line, words, i);
        line[i] = '\0';
        if (end > 0 && width_of(layout, size, line) > width) {
            break;
        }
        end = i;
        space = words[i] == ' ' || words[i] == '\0' ? i : space;
    }
    return space > 0 ? space : end;
}

/* Wrapped words from x on; y moves below them. */
static void paragraph(struct layout *layout, double x, double size, enum pen_colour colour,
                      const char *words)
{
    char line[LINE_BYTES];

    while (*words != '\0') {
        size_t n = fitting(layout, size, words, layout->width - x);

        n = n < sizeof(line) ? n : sizeof(line) - 1;
        memcpy(line, words, n);
        line[n] = '\0';
        need(layout, 1.4 * size);
        layout->y += 1.4 * size;
        if (layout->draws) {
            pen_words(layout->pen, x, layout->y - 0.3 * size, size, PEN_LEFT, colour, line);
        }
        words += n;
        words += *words == ' ';
    }
}

static enum pen_colour tone_colour(enum doc_tone tone)
{
    return tone == DOC_GOOD       ? PEN_GOOD
           : tone == DOC_BAD      ? PEN_BAD
           : tone == DOC_DOUBTFUL ? PEN_DOUBTFUL
                                  : PEN_INK;
}

static void draw_verdict(struct layout *layout, const struct doc_block *block, double x)
{
    if (block->verdict != 0) {
        layout->pen->bold = true;
        paragraph(layout, x, 9, tone_colour(block->tone), doc_word(layout->doc, block->verdict));
        layout->pen->bold = false;
    }
}

static void draw_pair(struct layout *layout, const struct doc_block *block)
{
    double column = MARGIN + 86, y;

    need(layout, 13);
    y = layout->y;
    if (layout->draws) {
        pen_words(layout->pen, MARGIN, y + 9, 8, PEN_LEFT, PEN_FAINT,
                  doc_word(layout->doc, block->key));
    }
    paragraph(layout, column, 9, PEN_INK, doc_word(layout->doc, block->value));
    draw_verdict(layout, block, column);
    layout->y = fmax(layout->y, y + 13);
}

/* Natural widths of a table's columns at size 8; returns their sum. */
static double column_widths(const struct layout *layout, const struct doc_block *table,
                            double widths[DOC_COLUMNS])
{
    double sum = 0;

    for (uint32_t c = 0; c < table->column_count; c++) {
        layout->pen->bold = true;
        widths[c] = width_of(layout, 8, table->columns[c].title);
        layout->pen->bold = false;
        for (uint32_t r = 0; r < doc_rows(table); r++) {
            const struct doc_cell *cell = doc_at(layout->doc, table, r, c);

            widths[c] = fmax(widths[c], width_of(layout, 8, doc_word(layout->doc, cell->shown)));
        }
        widths[c] += 9;
        sum += widths[c];
    }
    return sum;
}

/* One row; row UINT32_MAX is the header. */
static void draw_row(struct layout *layout, const struct doc_block *table, uint32_t row,
                     const double widths[DOC_COLUMNS], double scale)
{
    double x = MARGIN, size = 8 * scale;
    bool header = row == UINT32_MAX;

    layout->y += 1.55 * size;
    layout->pen->bold = header;
    for (uint32_t c = 0; layout->draws && c < table->column_count; c++) {
        const struct doc_column *column = &table->columns[c];
        bool right = column->align == DOC_RIGHT;
        const struct doc_cell *cell = header ? NULL : doc_at(layout->doc, table, row, c);
        double w = widths[c] * scale;

        pen_words(layout->pen, right ? x + w - 4.5 * scale : x, layout->y - 0.4 * size, size,
                  right ? PEN_RIGHT : PEN_LEFT, header ? PEN_FAINT : tone_colour(cell->tone),
                  header ? column->title : doc_word(layout->doc, cell->shown));
        x += w;
    }
    layout->pen->bold = false;
    if (layout->draws) {
        pen_line(layout->pen, MARGIN, layout->y, layout->width, layout->y,
                 header ? PEN_FAINT : PEN_RULE, 0.4);
    }
}

static void draw_table(struct layout *layout, const struct doc_block *table)
{
    double widths[DOC_COLUMNS];
    double natural = column_widths(layout, table, widths);
    double scale = fmin(1, (layout->width - MARGIN) / fmax(natural, 1));

    need(layout, 3 * 12.4 * scale);
    layout->y += 4;
    draw_row(layout, table, UINT32_MAX, widths, scale);
    for (uint32_t r = 0; r < doc_rows(table); r++) {
        if (layout->pages && layout->y + 12.4 * scale > layout->bottom) {
            new_page(layout);
            draw_row(layout, table, UINT32_MAX, widths, scale);
        }
        draw_row(layout, table, r, widths, scale);
    }
    layout->y += 8;
}

static void draw_chart(struct layout *layout, const struct doc_block *block)
{
    struct chart_place place = {.x = MARGIN,
                                .w = layout->width - MARGIN,
                                .h = chart_height(layout->doc, block, 8),
                                .font = 8};

    need(layout, place.h + 24);
    layout->y += 16;
    if (layout->draws) {
        layout->pen->bold = true;
        pen_words(layout->pen, MARGIN, layout->y, 9, PEN_LEFT, PEN_INK,
                  doc_word(layout->doc, block->value));
        layout->pen->bold = false;
        place.y = layout->y + 6;
        chart_draw(layout->pen, layout->doc, block, &place);
    }
    layout->y += place.h + 12;
}

static void draw_heading(struct layout *layout, const struct doc_block *block)
{
    double size = block->level > 1 ? 12 : 14;

    need(layout, 90);
    layout->y += layout->y > MARGIN ? 12 : 0;
    layout->pen->bold = true;
    paragraph(layout, MARGIN, size, PEN_INK, doc_word(layout->doc, block->value));
    layout->pen->bold = false;
    layout->y += 3;
}

static void draw_block(struct layout *layout, const struct doc_block *block)
{
    switch (block->kind) {
    case DOC_HEADING:
        draw_heading(layout, block);
        break;
    case DOC_PARAGRAPH:
    case DOC_NOTE:
        paragraph(layout, MARGIN, block->kind == DOC_NOTE ? 7.5 : 9,
                  block->kind == DOC_NOTE ? PEN_FAINT : PEN_INK,
                  doc_word(layout->doc, block->value));
        draw_verdict(layout, block, MARGIN);
        layout->y += 4;
        break;
    case DOC_PAIR:
        draw_pair(layout, block);
        break;
    case DOC_TABLE:
        draw_table(layout, block);
        break;
    case DOC_CHART:
        draw_chart(layout, block);
        break;
    }
}

static void draw_blocks(struct layout *layout)
{
    layout->y = MARGIN;
    layout->page = 1;
    for (uint32_t i = 0; i < layout->doc->block_count; i++) {
        draw_block(layout, &layout->doc->blocks[i]);
    }
    if (layout->draws && layout->pages) {
        footer(layout);
    }
}

static const char *title(const struct doc *doc)
{
    for (uint32_t i = 0; i < doc->block_count; i++) {
        if (doc->blocks[i].kind == DOC_HEADING) {
            return doc_word(doc, doc->blocks[i].value);
        }
    }
    return "rawtps";
}

/* How long the sheet must be: laid out on a page that is thrown away. */
static int measure(struct layout *layout, enum draw_format format, struct error *err)
{
    struct text thrown;
    int rc;

    text_init(&thrown);
    rc = canvas_open(&layout->canvas, format, 16, 16, "", "", &thrown, err);
    if (rc == 0) {
        layout->pen = canvas_pen(layout->canvas);
        draw_blocks(layout);
        rc = canvas_close(layout->canvas, err);
    }
    text_free(&thrown);
    return rc;
}

int draw_doc(const struct doc *doc, enum draw_format format, const char *created_utc,
             struct text *ret, struct error *err)
{
    struct layout layout = {.doc = doc,
                            .pages = format == DRAW_PDF,
                            .width = (format == DRAW_PDF ? PAGE_WIDTH : SHEET_WIDTH) - MARGIN,
                            .bottom = PAGE_HEIGHT - MARGIN};
    double height = PAGE_HEIGHT;
    int rc = 0;

    if (format != DRAW_PDF) {
        rc = measure(&layout, format, err);
        height = ceil(layout.y + MARGIN);
    }
    if (rc == 0) {
        rc = canvas_open(&layout.canvas, format, format == DRAW_PDF ? PAGE_WIDTH : SHEET_WIDTH,
                         height, title(doc), created_utc, ret, err);
    }
    if (rc != 0) {
        return rc;
    }
    layout.pen = canvas_pen(layout.canvas);
    layout.draws = true;
    draw_blocks(&layout);
    return canvas_close(layout.canvas, err);
}
