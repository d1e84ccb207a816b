#include "doc_parts.h"
#include <string.h>

/* What Markdown or HTML would take for its own is escaped. */
static void add_words(struct text *out, const char *words)
{
    for (; *words != '\0'; words++) {
        if (*words == '<') {
            text_add(out, "&lt;");
        } else if (*words == '&') {
            text_add(out, "&amp;");
        } else {
            text_add(out, strchr("\\`*_[]|#~", *words) ? "\\" : "");
            text_add_char(out, *words);
        }
    }
}

static void add_verdict(const struct doc *doc, const struct doc_block *block, struct text *out)
{
    if (block->verdict != 0) {
        text_add(out, block->kind == DOC_PAIR ? ": **" : " **");
        add_words(out, doc_word(doc, block->verdict));
        text_add(out, "**");
    }
}

static void add_table(const struct doc *doc, const struct doc_block *table, struct text *out)
{
    for (uint32_t c = 0; c < table->column_count; c++) {
        text_add(out, "| ");
        add_words(out, table->columns[c].title);
        text_add_char(out, ' ');
    }
    text_add(out, "|\n");
    for (uint32_t c = 0; c < table->column_count; c++) {
        text_add(out, table->columns[c].align == DOC_RIGHT ? "|---:" : "|---");
    }
    text_add(out, "|\n");
    for (uint32_t r = 0; r < doc_rows(table); r++) {
        for (uint32_t c = 0; c < table->column_count; c++) {
            text_add(out, "| ");
            add_words(out, doc_word(doc, doc_at(doc, table, r, c)->shown));
            text_add_char(out, ' ');
        }
        text_add(out, "|\n");
    }
}

static void add_block(const struct doc *doc, const struct doc_block *block, struct text *out)
{
    switch (block->kind) {
    case DOC_HEADING:
        text_add(out, block->level > 1 ? "## " : "# ");
        break;
    case DOC_PAIR:
        if (doc_word(doc, block->key)[0] == '\0') {
            text_add(out, "  ");
            break;
        }
        text_add(out, "- **");
        add_words(out, doc_word(doc, block->key));
        text_add(out, "**: ");
        break;
    case DOC_TABLE:
        add_table(doc, block, out);
        return;
    case DOC_CHART:
        return;
    case DOC_PARAGRAPH:
    case DOC_NOTE:
        break;
    }
    add_words(out, doc_word(doc, block->value));
    add_verdict(doc, block, out);
    text_add_char(out, '\n');
}

void doc_markdown(const struct doc *doc, struct text *ret)
{
    for (uint32_t i = 0; i < doc->block_count; i++) {
        enum doc_kind kind = doc->blocks[i].kind;

        if (i > 0 && kind != DOC_CHART &&
            (kind != DOC_PAIR || doc->blocks[i - 1].kind != DOC_PAIR)) {
            text_add_char(ret, '\n');
        }
        add_block(doc, &doc->blocks[i], ret);
    }
}
