/* report/doc_parts: what a document is made of, for its renderers. */
#ifndef RAWTPS_REPORT_DOC_PARTS_H
#define RAWTPS_REPORT_DOC_PARTS_H

#include "report/doc.h"

enum doc_kind { DOC_HEADING, DOC_PARAGRAPH, DOC_NOTE, DOC_PAIR, DOC_TABLE };

/* Strings are offsets into doc->words; 0 is "". */
struct doc_block {
    enum doc_kind kind;
    uint32_t level;
    uint32_t key, value; /* pair: both; table: key is a literal below; others: value */
    uint32_t verdict;
    enum doc_tone tone;
    const char *table;
    struct doc_column columns[DOC_COLUMNS];
    uint32_t column_count;
    uint32_t first_cell, cell_count;
};

struct doc_cell {
    uint32_t shown, raw;
    enum doc_tone tone;
};

static inline const char *doc_word(const struct doc *doc, uint32_t at)
{
    return at == 0 ? "" : doc->words.data + at;
}

static inline const struct doc_cell *doc_at(const struct doc *doc, const struct doc_block *table,
                                            uint32_t row, uint32_t column)
{
    return &doc->cells[table->first_cell + row * table->column_count + column];
}

static inline uint32_t doc_rows(const struct doc_block *table)
{
    return table->column_count > 0 ? table->cell_count / table->column_count : 0;
}

#endif
