/* report/doc_compare_parts: what the parts of a comparison's report share. */
#ifndef RAWTPS_REPORT_DOC_COMPARE_PARTS_H
#define RAWTPS_REPORT_DOC_COMPARE_PARTS_H

#include "report/doc_compare.h"

enum { COMPARE_NOTES = 9, COMPARE_NOTE = 320, COMPARE_WORDS = 96 };

/* Footnotes, each said once. */
struct compare_notes {
    char texts[COMPARE_NOTES][COMPARE_NOTE];
    uint32_t count;
};
/* " ¹": the mark of that text; "" if there are too many. */
const char *compare_note(struct compare_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Words of cells; each writes into ret and returns it. */
const char *compare_value(const struct set_metric *metric, double value, char ret[COMPARE_WORDS]);
const char *compare_change(double share, char ret[COMPARE_WORDS]); /* "+9.73%" */
const char *compare_bounds(double low, double high, bool narrow, char ret[COMPARE_WORDS]);
const char *compare_chance(double p, bool narrow, char ret[COMPARE_WORDS]); /* "0.034" */
const char *compare_share_word(double share, char ret[COMPARE_WORDS]);      /* "1.1%" */
const char *compare_scope(int32_t vm, char ret[COMPARE_WORDS]);             /* "agg", "vm0" */
const char *compare_side_name(uint32_t side);                               /* "A", "B" */
extern const char *const compare_why_names[];     /* by enum comparison_why, for machines */
extern const char *const compare_verdict_names[]; /* by enum compare_verdict */

/* The interval that a row shows: of the comparison, or of its runs alone. False: there is none. */
bool compare_shown(const struct comparison_row *row, uint32_t side, double *ret_low,
                   double *ret_high);

/* What so many better and worse ones of those that were judged come to, in a word. */
void compare_conclude(struct doc *doc, uint32_t better, uint32_t worse, uint32_t judged);

/* doc_compare.c: who is compared, in which order, and what is the same and what differs. */
void compare_sides(struct doc *doc, const struct comparison *comparison);

/* doc_compare_table.c: a row a metric, its footnotes; and what explains all such tables. */
void compare_tables(struct doc *doc, const struct comparison *comparison, bool narrow);
void compare_metrics(struct doc *doc, const struct comparison *comparison, bool narrow);
void compare_legend(struct doc *doc);

/* doc_compare_figures.c */
struct json_writer;
void compare_json(struct json_writer *json, const struct comparison *comparison);

#endif
