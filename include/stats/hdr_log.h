/* stats/hdr_log: histograms as lines that every HDR tool reads. */
#ifndef RAWTPS_STATS_HDR_LOG_H
#define RAWTPS_STATS_HDR_LOG_H

#include "base/error.h"
#include "base/text.h"
#include "stats/hist.h"
#include <stddef.h>
#include <stdint.h>

/*
 * HDR histogram log 1.3, payload V2, compressed, base64 (the formats of HdrHistogram 2.1). A line:
 *   Tag=vm0.new_order,0.000,1.000,14.812,HISTFAAAA...
 * tag, start of the interval and its length in seconds, its largest value in milliseconds
 * (ns / 1e6, as HdrHistogram's own writer does; its readers skip the column), the histogram in ns.
 * Opaque: the deflate and inflate state and their buffers, so that a line allocates nothing.
 */
struct hdr_log;

enum { HDR_LOG_LINE_MAX = 64 * 1024, HDR_LOG_TAG_MAX = 128 };

int hdr_log_open(struct hdr_log **ret, struct error *err);
void hdr_log_close(struct hdr_log *log); /* takes NULL */

/* The lines at the top of a file. started_unix_ms: wall clock of time 0; 0 leaves that line out. */
void hdr_log_header(struct text *out, int64_t started_unix_ms);

/*
 * Append one line. `tag`: no comma, no space, at most HDR_LOG_TAG_MAX - 1 bytes: else must().
 * Allocates nothing if `out` has HDR_LOG_LINE_MAX bytes reserved.
 *   time    proportional to the buckets between the smallest and the largest value
 */
void hdr_log_line(struct hdr_log *log, struct text *out, const char *tag, int64_t start_ns,
                  int64_t length_ns, const struct hist *hist);

struct hdr_line {
    char tag[HDR_LOG_TAG_MAX]; /* "" if the line has none */
    int64_t start_ns, length_ns;
    int64_t max_ns; /* of the column: true to a microsecond */
};

/*
 * Read one line (without or with its newline). 1: *ret and *ret_hist are set; 0: a comment, a
 * legend or an empty line; negative: err says what is wrong (EXIT_USAGE, no place). Only the layout
 * HIST_LAYOUT is taken. Counts are exact; min and max are bucket-rounded (down, up), sum and sum
 * of squares are those of bucket middles.
 */
int hdr_log_read(struct hdr_log *log, const char *line, size_t bytes, struct hdr_line *ret,
                 struct hist *ret_hist, struct error *err);

#endif
