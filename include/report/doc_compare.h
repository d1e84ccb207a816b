/* report/doc_compare: sets of runs side by side, as a document and as JSON. */
#ifndef RAWTPS_REPORT_DOC_COMPARE_H
#define RAWTPS_REPORT_DOC_COMPARE_H

#include "report/doc.h"
#include "result/comparison.h"
#include "result/sweep.h"

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

/*
 * A sweep: the latency over the throughput of each side with its knee, a row a point and side, what
 * they come to together, and doc_compare()'s table of metrics for each point.
 */
void doc_sweep(struct doc *doc, const struct sweep *sweep,
               const struct doc_compare_options *options);
/* The rows of doc_compare_figures() for each point, for doc_csv(); and as one JSON document. */
void doc_sweep_figures(struct doc *doc, const struct sweep *sweep);
void doc_sweep_json(const struct sweep *sweep, struct text *ret);

#endif
