/* cli/report_source: what a report is made from, and where it goes. */
#ifndef RAWTPS_CLI_REPORT_SOURCE_H
#define RAWTPS_CLI_REPORT_SOURCE_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "report/doc_page.h"

/* A run directory in memory. */
struct report_source {
    struct result result;
    struct result_interval *rows;
    uint64_t row_count;
    struct heat heat;
    char dir[PATH_MAX]; /* as `run` has called it: LATEST is the run that it points to */
};

/*
 * path: a run directory, results/LATEST or a run.json. charts: read intervals and histograms too;
 * one that is not there is no error.
 */
int report_source_load(struct report_source *ret, const char *path, bool charts, struct error *err);
/* No serial number is kept, in the directory's name neither. */
void report_source_redact(struct report_source *source);
void report_source_free(struct report_source *source);

/*
 * Refuses a path at which something is that no report may take the place of: a file that a run
 * left behind, a YAML file, or `input` (NULL: none); a block device, a directory, a socket, or a
 * link to nothing. Errors: EXIT_USAGE, -EEXIST.
 */
int report_source_may_write(const char *path, const char *input, struct error *err);
/* Whether two reports would be written to one file, however it is spelled; never under /dev. */
bool report_source_one_file(const char *a, const char *b);
/*
 * Write a file through a name beside it that nothing has, what a link points to, a pipe or a
 * character device as it is, or stdout if path is "-". Refuses what report_source_may_write() does.
 */
int report_source_write(const char *path, const struct text *bytes, struct error *err);
/* The same, and say on stderr what was written. */
int report_source_save(const char *path, const struct text *bytes, struct error *err);

#endif
