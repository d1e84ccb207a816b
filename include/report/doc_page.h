/* report/doc_page: one run, or a sweep of runs, as a document with charts. */
#ifndef RAWTPS_REPORT_DOC_PAGE_H
#define RAWTPS_REPORT_DOC_PAGE_H

#include "report/doc.h"
#include "result/heat.h"
#include "result/result.h"

/* What a run directory holds. */
struct doc_page_source {
    const struct result *result;        /* derived */
    const char *run_dir;                /* as the user would type it; NULL or "": not said */
    const struct result_interval *rows; /* of intervals.csv; none where row_count is 0 */
    uint64_t row_count;
    const struct heat *heat; /* NULL: not read */
};

/*
 * All that doc_run() says, with charts, in the order of a report: verdict, identity, results, time
 * series, percentiles, heat map, transaction types, where the time went, I/O, audits, steady state,
 * how to repeat it. Every chart's figures are those of run.json and intervals.csv.
 *   time  proportional to rows
 */
void doc_page(struct doc *doc, const struct doc_page_source *source);

/*
 * Runs that differ in load: the throughput-latency curve with its knee (the highest throughput
 * whose p99 is below slo_ns; 0: below ten times the least p99) and a row a run.
 *   results  count of them, at least 2, in any order
 */
void doc_page_sweep(struct doc *doc, const struct result *const *results, uint32_t count,
                    int64_t slo_ns);

#endif
