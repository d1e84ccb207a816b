#include "doc_parts.h"
#include <string.h>

/* RFC 4180: quotes only where they are needed, doubled inside. */
static void add_field(struct text *out, const char *field)
{
    if (!strpbrk(field, ",\"\r\n")) {
        text_add(out, field);
        return;
    }
    text_add_char(out, '"');
    for (; *field != '\0'; field++) {
        text_add_char(out, *field);
        if (*field == '"') {
            text_add_char(out, '"');
        }
    }
    text_add_char(out, '"');
}

static void add_table(const struct doc *doc, const struct doc_block *table, struct text *out)
{
    add_field(out, table->table);
    text_add(out, "\r\n");
    for (uint32_t c = 0; c < table->column_count; c++) {
        text_add(out, c > 0 ? "," : "");
        add_field(out, table->columns[c].key);
    }
    text_add(out, "\r\n");
    for (uint32_t r = 0; r < doc_rows(table); r++) {
        for (uint32_t c = 0; c < table->column_count; c++) {
            text_add(out, c > 0 ? "," : "");
            add_field(out, doc_word(doc, doc_at(doc, table, r, c)->raw));
        }
        text_add(out, "\r\n");
    }
}

void doc_csv(const struct doc *doc, struct text *ret)
{
    bool first = true;

    for (uint32_t i = 0; i < doc->block_count; i++) {
        if (doc->blocks[i].kind == DOC_TABLE) {
            text_add(ret, first ? "" : "\r\n");
            add_table(doc, &doc->blocks[i], ret);
            first = false;
        }
    }
}
