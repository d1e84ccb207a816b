/* report/doc_run: one run as a document. */
#ifndef RAWTPS_REPORT_DOC_RUN_H
#define RAWTPS_REPORT_DOC_RUN_H

#include "report/doc.h"
#include "result/result.h"

/*
 * The final report (REPORTS.md section 2): who and where, a row a VM and one for all, Little's law,
 * steady state, integrity, transaction types, where the time went, physical I/O, checks, warnings.
 *   result   derived (result_derive) and complete or partial: what is missing is said
 *   run_dir  where the files are, as the user would type it; NULL or "": not said
 */
void doc_run(struct doc *doc, const struct result *result, const char *run_dir);

#endif
