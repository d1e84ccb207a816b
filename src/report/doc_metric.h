/* report/doc_metric: a figure of a metric, as its unit is read. */
#ifndef RAWTPS_REPORT_DOC_METRIC_H
#define RAWTPS_REPORT_DOC_METRIC_H

#include "report/doc.h"
#include "result/set.h"

static inline void doc_cell_metric(struct doc *doc, const struct set_metric *metric, double value)
{
    if (metric->unit == SET_NS) {
        doc_cell_duration(doc, value);
    } else if (metric->unit == SET_SHARE) {
        doc_cell_share(doc, value, true);
    } else {
        doc_cell_number(doc, value);
    }
}

#endif
