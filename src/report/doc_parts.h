/* report/doc_parts: what a document is made of, for its renderers. */
#ifndef RAWTPS_REPORT_DOC_PARTS_H
#define RAWTPS_REPORT_DOC_PARTS_H

#include "report/doc.h"

enum doc_kind { DOC_HEADING, DOC_PARAGRAPH, DOC_NOTE, DOC_PAIR, DOC_TABLE, DOC_CHART };

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
    struct doc_chart chart; /* its title is value */
    uint32_t first_part, part_count;
};

struct doc_cell {
    uint32_t shown, raw;
    enum doc_tone tone;
};

enum doc_part_kind { DOC_SERIES, DOC_CATEGORY, DOC_BAND, DOC_LIMIT, DOC_MARK, DOC_GRID };

/* Offsets into doc->values; series of one chart with equal x share them. */
struct doc_part {
    enum doc_part_kind kind;
    uint32_t label;
    uint32_t x, y, count;  /* series; grid: x edges, y edges, columns */
    uint32_t counts, rows; /* grid */
    double from, until;    /* band; limit: from; mark: x, y */
    bool lead;             /* series: stands out */
};

/* Room for one more element; NULL (and doc->failed) if there is no memory. */
void *doc_more(struct doc *doc, void **array, uint32_t *count, uint32_t *limit, size_t size);
/* A string made harmless, copied: its offset. */
uint32_t doc_add_word(struct doc *doc, const char *word);
/* A new block, all zero but its kind; NULL as doc_more(). */
struct doc_block *doc_add_block(struct doc *doc, enum doc_kind kind);

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
