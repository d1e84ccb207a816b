/* report/doc_run_parts: the parts of a run's report. */
#ifndef RAWTPS_REPORT_DOC_RUN_PARTS_H
#define RAWTPS_REPORT_DOC_RUN_PARTS_H

#include "report/doc.h"
#include "result/result.h"

/* Bare requests to a drive, not a database: throughput is IOPS. */
bool run_is_bare(const struct result *result);
/* Has the transaction types of TPC-C. */
bool run_is_tpcc(const struct result *result);

/* Nanoseconds from one instant to another, whatever a file says; at most 9e18 either way. */
static inline double run_span_ns(int64_t from_ns, int64_t until_ns)
{
    double span = (double)until_ns - (double)from_ns;

    return span > 9e18 ? 9e18 : span < -9e18 ? -9e18 : span;
}

/* The title; what must be known before any figure; a row a VM and one for all. */
void run_head(struct doc *doc, const struct result *result, const char *run_dir);
void run_state(struct doc *doc, const struct result *result);
void run_vms(struct doc *doc, const struct result *result);

/* The table of run_types(), and in which way its counts are not those of TPS. */
void run_types_noted(struct doc *doc, const struct result *result);

/* Each adds its heading and tables, or nothing where there is nothing to say. */
void run_types(struct doc *doc, const struct result *result);
void run_time_spent(struct doc *doc, const struct result *result);
void run_physical_io(struct doc *doc, const struct result *result);
void run_database(struct doc *doc, const struct result *result);
void run_failed_checks(struct doc *doc, const struct result *result);

/* Real servers: what they were, and where their time went by statement. */
void run_servers(struct doc *doc, const struct result *result);
void run_statements(struct doc *doc, const struct result *result);

/* Parts of the page alone: charts, and the tables that say the same. */
struct doc_page_source;
void page_identity(struct doc *doc, const struct result *result);
void page_bars(struct doc *doc, const struct result *result);
void page_time(struct doc *doc, const struct doc_page_source *source);
void page_percentiles(struct doc *doc, const struct result *result);
void page_heat(struct doc *doc, const struct doc_page_source *source);
void page_spent(struct doc *doc, const struct result *result);
void page_sizes(struct doc *doc, const struct result *result);
void page_steady(struct doc *doc, const struct doc_page_source *source);
void page_reproduce(struct doc *doc, const struct result *result, const char *run_dir);

/* "38 to 44 °C, 43 at the end"; "" unknown. Returns ret. */
const char *run_temperature(const struct result_drive *drive, char *ret, size_t size);

/* Lines under the main table, and at the end. */
void run_verdicts(struct doc *doc, const struct result *result);
void run_provenance(struct doc *doc, const struct result *result);

#endif
