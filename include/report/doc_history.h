/* report/doc_history: a series of runs as a document. */
#ifndef RAWTPS_REPORT_DOC_HISTORY_H
#define RAWTPS_REPORT_DOC_HISTORY_H

#include "report/doc.h"
#include "result/history.h"

/* The series in small, its changes, what differs among its runs, and a row a run. */
void doc_history(struct doc *doc, const struct history *history);
/* For programs; `schema_version` 1. */
void doc_history_json(const struct history *history, struct text *ret);

#endif
