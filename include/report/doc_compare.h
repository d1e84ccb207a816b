/* report/doc_compare: sets of runs side by side, as a document and as JSON. */
#ifndef RAWTPS_REPORT_DOC_COMPARE_H
#define RAWTPS_REPORT_DOC_COMPARE_H

#include "report/doc.h"
#include "result/comparison.h"

struct doc_compare_options {
    bool narrow; /* fewer columns: for 80 */
};

/*
 * Who is compared, what is the same and what differs, a row a metric with its verdict, VMs,
 * Little's law, the ratio curve, footnotes (RESULTS.md section 9); charts for renderers that draw.
 */
void doc_compare(struct doc *doc, const struct comparison *comparison,
                 const struct doc_compare_options *options);
/* The same as tables of plain figures in base units, for doc_csv(): metrics, comparable, curve,
 * runs. */
void doc_compare_figures(struct doc *doc, const struct comparison *comparison);
/* The same as one JSON document. */
void doc_compare_json(const struct comparison *comparison, struct text *ret);

#endif
