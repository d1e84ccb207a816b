/* report/doc: a report as a neutral document: said once, rendered many times. */
#ifndef RAWTPS_REPORT_DOC_H
#define RAWTPS_REPORT_DOC_H

#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

enum doc_align { DOC_LEFT, DOC_RIGHT };
/* What colour may say where there is colour; the word says it anyway. */
enum doc_tone { DOC_PLAIN, DOC_GOOD, DOC_BAD, DOC_DOUBTFUL };
enum { DOC_COLUMNS = 24 };

struct doc_column {
    const char *title; /* for people: "p99", "rd MB/s" */
    const char *key;   /* for machines, unit last: "p99_ns" */
    enum doc_align align;
};

struct doc_block; /* private to room report: src/report/doc_parts.h */
struct doc_cell;
struct doc_part; /* of a chart: a series, a band, a limit */

/*
 * Blocks in order. If memory runs out `failed` is set and what follows is dropped: check once at
 * the end. Strings are copied; control characters and what is not UTF-8 become '?', so that a
 * serial number or a label cannot speak to a terminal.
 */
struct doc {
    struct text words; /* all strings, each ended by a zero byte */
    struct doc_block *blocks;
    uint32_t block_count, block_limit;
    struct doc_cell *cells;
    uint32_t cell_count, cell_limit;
    struct doc_part *parts;
    uint32_t part_count, part_limit;
    double *values; /* of charts */
    uint32_t value_count, value_limit;
    bool failed;
};

void doc_init(struct doc *doc);
void doc_free(struct doc *doc);

/* level 1: the title of the report; 2: a part of it. */
void doc_heading(struct doc *doc, uint32_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void doc_paragraph(struct doc *doc, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Small print: how figures were made. */
void doc_note(struct doc *doc, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A key and its value on a line; neighbours are aligned. */
void doc_pair(struct doc *doc, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A word that judges, put behind the pair, note or paragraph that was added last. */
void doc_verdict(struct doc *doc, enum doc_tone tone, const char *word);

/*
 * Begin a table; its cells follow, row by row. columns: at most DOC_COLUMNS, their strings must
 * live as long as doc (literals). key: names the table for machines ("vms", "physical_io").
 */
void doc_table(struct doc *doc, const char *key, const struct doc_column *columns, uint32_t count);
/* The next cell. Machines read the same text. */
void doc_cell(struct doc *doc, const char *format, ...) __attribute__((format(printf, 2, 3)));
void doc_cell_tone(struct doc *doc, enum doc_tone tone, const char *word);
/* Figures: people read 3 significant digits and groups, machines the number in its base unit. */
void doc_cell_count(struct doc *doc, uint64_t value); /* "12 650"; 12650 */
void doc_cell_number(struct doc *doc, double value);  /* "12 650" "93.1" "0.250"; NAN "-" */
void doc_cell_duration(struct doc *doc, double ns);   /* "14.8ms"; 14800000; NAN "-" */
void doc_cell_share(struct doc *doc, double share, bool sign); /* "93.1" or "93.1%"; 0.931 */
void doc_cell_size(struct doc *doc, double bytes);             /* "8 KiB"; 8192 */

/*
 * Charts. Text, Markdown and CSV leave them out: what a chart shows is said by a table too. Times
 * of the run's clock are seconds, latencies ns, shares plain ratios, sizes bytes.
 */
enum doc_chart_kind {
    DOC_LINES,  /* y over x, a line a series */
    DOC_BARS,   /* horizontal, one a category, the value at its end; the first series */
    DOC_STACKS, /* horizontal, one a category, made of all series */
    DOC_HEAT    /* how many, over x and y */
};
enum doc_unit { DOC_NUMBER, DOC_CLOCK, DOC_NS, DOC_SHARE, DOC_BYTES, DOC_PERCENTILE };
struct doc_axis {
    const char *title; /* NULL: none */
    enum doc_unit unit;
    bool log; /* values of 0 and less are left out */
};
struct doc_chart {
    enum doc_chart_kind kind;
    const char *key;      /* names the chart for machines; a literal */
    const char *title;    /* copied */
    struct doc_axis x, y; /* titles are literals; bars: y is the value's */
    const char *group;    /* charts of one group are zoomed together; a literal, or NULL */
    bool curve;           /* lines: points are joined in their order, and x may fall */
};
/* At most so many points of a series are kept: the least and the largest of each bucket. */
enum { DOC_POINTS = 2000 };

/* Begin a chart; its parts follow. */
void doc_chart(struct doc *doc, const struct doc_chart *chart);
/*
 * Lines: x ascends unless it is a curve; a y of NAN is a gap. Bars and stacks: x NULL, a y a
 * category. Copied.
 */
void doc_series(struct doc *doc, const char *label, const double *x, const double *y,
                uint32_t count);
/* The series that was added last stands out among the others of its chart of lines. */
void doc_lead(struct doc *doc);
/* Bars and stacks: the next bar's name. */
void doc_category(struct doc *doc, const char *label);
/* A stretch of the x axis, as a phase. */
void doc_band(struct doc *doc, const char *label, double from, double until);
/* A horizontal line across the chart. */
void doc_limit(struct doc *doc, const char *label, double y);
/* A point with a word at it, as a knee. */
void doc_mark(struct doc *doc, const char *label, double x, double y);
/*
 * Heat: counts[row * columns + column] lie between x_edges[column] and the next and between
 * y_edges[row] and the next; one edge more than columns, than rows.
 */
void doc_heat(struct doc *doc, const double *x_edges, uint32_t columns, const double *y_edges,
              uint32_t rows, const double *counts);

/*
 * The figures of a chart of lines, for gnuplot: a block a series, two empty lines between them.
 * Returns the chart's key, or NULL if the block is none.
 */
const char *doc_chart_data(const struct doc *doc, uint32_t block, struct text *ret);

/* Renderers. Each appends to ret; ret->failed tells of lack of memory. */

struct doc_text_options {
    uint32_t width; /* columns of the terminal, 40 or more; wider tables go on below */
    bool colour;    /* ANSI colours for verdicts */
};
void doc_text(const struct doc *doc, const struct doc_text_options *options, struct text *ret);
/* GitHub's Markdown: pipe tables. */
void doc_markdown(const struct doc *doc, struct text *ret);
/* RFC 4180, tables only, machines' figures: name of the table, header, rows, empty line. */
void doc_csv(const struct doc *doc, struct text *ret);
/*
 * One self-contained page (HTML 5, UTF-8): tables and charts, light and dark, for screen and print.
 * Nothing is loaded, every string is escaped, and without script the tables and bars remain. Its
 * title is the first heading.
 */
void doc_html(const struct doc *doc, struct text *ret);

#endif
