#include "html.h"
#include <string.h>

static const char policy[] =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

void html_add(struct text *out, const char *words)
{
    for (; *words != '\0'; words++) {
        const char *safe = *words == '<'    ? "&lt;"
                           : *words == '>'  ? "&gt;"
                           : *words == '&'  ? "&amp;"
                           : *words == '"'  ? "&quot;"
                           : *words == '\'' ? "&#39;"
                                            : NULL;

        if (safe) {
            text_add(out, safe);
        } else {
            text_add_char(out, *words);
        }
    }
}

static const char *tone_class(enum doc_tone tone)
{
    return tone == DOC_GOOD       ? "good"
           : tone == DOC_BAD      ? "bad"
           : tone == DOC_DOUBTFUL ? "doubtful"
                                  : "plain";
}

static void add_words(const struct doc *doc, const struct doc_block *block, struct text *out)
{
    html_add(out, doc_word(doc, block->value));
    if (block->verdict != 0) {
        text_addf(out, " <strong class=\"%s\">", tone_class(block->tone));
        html_add(out, doc_word(doc, block->verdict));
        text_add(out, "</strong>");
    }
}

static void add_cell(const struct doc *doc, const struct doc_block *table, uint32_t row,
                     uint32_t column, struct text *out)
{
    const struct doc_cell *cell = doc_at(doc, table, row, column);
    const char *raw = doc_word(doc, cell->raw);
    bool figure = table->columns[column].align == DOC_RIGHT;
    const char *tag = column == 0 && !figure ? "th" : "td";

    text_addf(out, "<%s%s", tag, column == 0 && !figure ? " scope=\"row\"" : "");
    if (figure || cell->tone != DOC_PLAIN) {
        text_addf(out, " class=\"%s%s%s\"", figure ? "r" : "",
                  figure && cell->tone != DOC_PLAIN ? " " : "",
                  cell->tone != DOC_PLAIN ? tone_class(cell->tone) : "");
    }
    if (cell->raw != cell->shown && raw[0] != '\0') {
        text_add(out, " data-value=\"");
        html_add(out, raw);
        text_add_char(out, '"');
    }
    text_add_char(out, '>');
    html_add(out, doc_word(doc, cell->shown));
    text_addf(out, "</%s>", tag);
}

static void add_table(const struct doc *doc, const struct doc_block *table, struct text *out)
{
    text_add(out, "<div class=\"table\"><table data-key=\"");
    html_add(out, table->table);
    text_add(out, "\">\n<thead><tr>");
    for (uint32_t c = 0; c < table->column_count; c++) {
        text_addf(out, "<th scope=\"col\"%s data-key=\"",
                  table->columns[c].align == DOC_RIGHT ? " class=\"r\"" : "");
        html_add(out, table->columns[c].key);
        text_add(out, "\">");
        html_add(out, table->columns[c].title);
        text_add(out, "</th>");
    }
    text_add(out, "</tr></thead>\n<tbody>\n");
    for (uint32_t r = 0; r < doc_rows(table); r++) {
        text_add(out, "<tr>");
        for (uint32_t c = 0; c < table->column_count; c++) {
            add_cell(doc, table, r, c, out);
        }
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody></table></div>\n");
}

static void add_pair(const struct doc *doc, uint32_t at, struct text *out)
{
    const struct doc_block *block = &doc->blocks[at];

    if (at == 0 || block[-1].kind != DOC_PAIR) {
        text_add(out, "<dl>\n");
    }
    text_add(out, "<div><dt>");
    html_add(out, doc_word(doc, block->key));
    text_add(out, "</dt><dd>");
    add_words(doc, block, out);
    text_add(out, "</dd></div>\n");
    if (at + 1 == doc->block_count || block[1].kind != DOC_PAIR) {
        text_add(out, "</dl>\n");
    }
}

static void add_block(const struct doc *doc, uint32_t at, struct text *out)
{
    const struct doc_block *block = &doc->blocks[at];
    const char *tag = block->kind == DOC_HEADING ? block->level > 1 ? "h2" : "h1" : "p";

    if (block->kind == DOC_TABLE) {
        add_table(doc, block, out);
    } else if (block->kind == DOC_PAIR) {
        add_pair(doc, at, out);
    } else if (block->kind == DOC_CHART) {
        html_chart(doc, at, out);
    } else {
        text_addf(out, "<%s%s>", tag,
                  block->kind == DOC_NOTE                               ? " class=\"note\""
                  : block->kind == DOC_PARAGRAPH && block->verdict != 0 ? " class=\"banner\""
                                                                        : "");
        add_words(doc, block, out);
        text_addf(out, "</%s>\n", tag);
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

/* The library of the charts, their figures, and who draws them. */
static void add_scripts(const struct doc *doc, struct text *out)
{
    struct text data;

    text_init(&data);
    if (html_chart_data(doc, &data)) {
        text_addf(out, "<style>\n%s</style>\n<script>\n%s</script>\n", html_uplot_css,
                  html_uplot_js);
        text_add(out, "<script type=\"application/json\" id=\"rawtps-data\">\n");
        text_add(out, text_string(&data));
        text_addf(out, "</script>\n<script>\n%s</script>\n", html_page_js);
        text_add(out, "<footer><details><summary>Charts by uPlot 1.6.32</summary>\n<pre>");
        html_add(out, html_uplot_license);
        text_add(out, "</pre></details></footer>\n");
    }
    out->failed = out->failed || data.failed;
    text_free(&data);
}

void doc_html(const struct doc *doc, struct text *ret)
{
    text_add(ret, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    text_addf(ret, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy);
    text_add(ret, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    text_add(ret, "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    html_add(ret, title(doc));
    text_addf(ret, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", html_page_css);
    for (uint32_t i = 0; i < doc->block_count; i++) {
        add_block(doc, i, ret);
    }
    text_add(ret, "</main>\n");
    add_scripts(doc, ret);
    text_add(ret, "</body>\n</html>\n");
}
