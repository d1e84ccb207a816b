#include "result/heat.h"

#include "base/mem.h"
#include "run_dir_parts.h"
#include "stats/hdr_log.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* 1 ns to an hour in rows; those at both ends that stay empty are cut off, below a few more. */
enum { ROWS_MOST = 13 * HEAT_DECADE };

struct reader {
    const char *file, *bytes;
    size_t size;
    const struct result *result;
    uint64_t lines; /* of response times */
    int64_t from_ns, until_ns;
    uint32_t stride, columns;
    uint8_t row_of[HIST_COUNTS];
    double *counts; /* ROWS_MOST x HEAT_COLUMNS */
    double total, zeros;
    struct hist hist;
};

/* The next line of a response time from *at on, its end at *ret_end; NULL: no whole one is left. */
static const char *next_line(const struct reader *reader, size_t *at, const char **ret_end)
{
    while (*at < reader->size) {
        const char *line = reader->bytes + *at;
        const char *end = memchr(line, '\n', reader->size - *at);
        const char *comma, *dot;

        if (!end) {
            return NULL;
        }
        *at = (size_t)(end - reader->bytes) + 1;
        comma = memchr(line, ',', (size_t)(end - line));
        if (!comma || strncmp(line, "Tag=", 4) != 0) {
            continue;
        }
        dot = memchr(line, '.', (size_t)(comma - line));
        /* one dot: vm0.new_order; two: vm0.new_order.service, vm0.io.read.data */
        if (dot && !memchr(dot + 1, '.', (size_t)(comma - dot - 1))) {
            *ret_end = end;
            return line;
        }
    }
    return NULL;
}

static bool is_deferred(const struct result *result, const char *line)
{
    const char *dot = strchr(line, '.'), *comma = strchr(line, ',');

    for (uint32_t i = 0; i < result->aggregate.txn_count; i++) {
        const struct result_txn *txn = &result->aggregate.txns[i];
        size_t n = strlen(txn->kind);

        if (txn->deferred && (size_t)(comma - dot - 1) == n &&
            strncmp(dot + 1, txn->kind, n) == 0) {
            return true;
        }
    }
    return false;
}

/* Of a line that ends at `end`: what follows may be the end of the map. */
static int64_t start_ns(const char *line, const char *end)
{
    const char *from = strchr(line, ',') + 1;
    size_t n = (size_t)(end - from);
    char number[32];
    double seconds;

    n = n < sizeof(number) ? n : sizeof(number) - 1;
    memcpy(number, from, n);
    number[n] = '\0';
    seconds = strtod(number, NULL);
    return seconds > 0 && seconds < 4e9 ? llround(seconds * 1e9) : 0;
}

static void survey(struct reader *reader)
{
    const char *line, *end;
    uint64_t intervals = 0;
    int64_t last = -1;

    reader->from_ns = INT64_MAX;
    for (size_t at = 0; (line = next_line(reader, &at, &end));) {
        int64_t start = start_ns(line, end);

        reader->lines++;
        intervals += start != last;
        last = start;
        reader->from_ns = start < reader->from_ns ? start : reader->from_ns;
        reader->until_ns = start > reader->until_ns ? start : reader->until_ns;
    }
    reader->until_ns += 1000000000;
    reader->columns = intervals < HEAT_COLUMNS ? (uint32_t)intervals : (uint32_t)HEAT_COLUMNS;
    reader->stride = (uint32_t)(reader->lines / HEAT_LINES + 1);
    for (uint32_t i = 0; i < HIST_COUNTS; i++) {
        double row = floor(log10(fmax(1, (double)hist_highest_of(i))) * HEAT_DECADE);

        reader->row_of[i] = (uint8_t)fmin(row, ROWS_MOST - 1);
    }
}

static void count_line(struct reader *reader, int64_t start)
{
    double span = (double)(reader->until_ns - reader->from_ns);
    uint32_t column = (uint32_t)(reader->columns * (double)(start - reader->from_ns) / span);
    uint32_t first = hist_index(reader->hist.min_ns), last = hist_index(reader->hist.max_ns);

    column = column < reader->columns ? column : reader->columns - 1;
    reader->total += (double)reader->hist.count;
    reader->zeros += (double)reader->hist.counts[0];
    for (uint32_t i = first > 0 ? first : 1; i <= last && i < HIST_COUNTS; i++) {
        reader->counts[reader->row_of[i] * HEAT_COLUMNS + column] += (double)reader->hist.counts[i];
    }
}

static int count_all(struct reader *reader, struct error *err)
{
    struct hdr_log *log;
    const char *line, *end;
    int rc = hdr_log_open(&log, err);
    uint64_t interval = 0;
    int64_t last = -1;

    for (size_t at = 0; rc == 0 && (line = next_line(reader, &at, &end));) {
        int64_t start = start_ns(line, end);
        struct hdr_line front;

        interval += start != last;
        last = start;
        if (interval % reader->stride != 0 || is_deferred(reader->result, line)) {
            continue;
        }
        rc = hdr_log_read(log, line, (size_t)(end - line), &front, &reader->hist, err);
        if (rc < 0) {
            int number = 1;

            for (const char *c = reader->bytes; c < line; c++) {
                number += *c == '\n';
            }
            snprintf(err->file, sizeof(err->file), "%s", reader->file);
            err->line = number;
            err->column = 1;
            break;
        }
        if (rc > 0 && reader->hist.count > 0) {
            count_line(reader, start);
        }
        rc = 0;
    }
    hdr_log_close(log);
    return rc;
}

static double row_sum(const double *row)
{
    double sum = 0;

    for (uint32_t c = 0; c < HEAT_COLUMNS; c++) {
        sum += row[c];
    }
    return sum;
}

/* The first row that is kept. A few that were faster than all others would stretch the axis. */
static uint32_t cut_below(const struct reader *reader, struct heat *ret)
{
    double most = HEAT_CUT * (reader->total - reader->zeros), below = 0;
    uint32_t row = 0;

    for (; row < ROWS_MOST; row++) {
        double sum = row_sum(reader->counts + row * HEAT_COLUMNS);

        if (below + sum > most) {
            break;
        }
        below += sum;
    }
    ret->total = reader->total;
    ret->zeros = reader->zeros;
    ret->below = reader->zeros + below;
    return row;
}

static int keep(const struct reader *reader, struct heat *ret, struct error *err)
{
    uint32_t first = cut_below(reader, ret), last = ROWS_MOST, n = reader->columns;

    while (last > first && row_sum(reader->counts + (last - 1) * HEAT_COLUMNS) == 0) {
        last--;
    }
    if (first == last) {
        return 0;
    }
    ret->x_edges = mem_array(n + 1, sizeof(double));
    ret->y_edges = mem_array(last - first + 1, sizeof(double));
    ret->counts = mem_array((size_t)(last - first) * n, sizeof(double));
    if (!ret->x_edges || !ret->y_edges || !ret->counts) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the heat map");
    }
    for (uint32_t c = 0; c <= n; c++) {
        ret->x_edges[c] =
            ((double)reader->from_ns + (double)(reader->until_ns - reader->from_ns) * c / n) / 1e9;
    }
    for (uint32_t r = first; r <= last; r++) {
        ret->y_edges[r - first] = pow(10, (double)r / HEAT_DECADE);
    }
    for (uint32_t r = first; r < last; r++) {
        memcpy(ret->counts + (r - first) * n, reader->counts + r * HEAT_COLUMNS,
               n * sizeof(double));
    }
    ret->columns = n;
    ret->rows = last - first;
    ret->stride = reader->stride;
    return 0;
}

static int read_mapped(struct reader *reader, struct heat *ret, struct error *err)
{
    int rc;

    survey(reader);
    if (reader->lines == 0) {
        return 0;
    }
    reader->counts = mem_array((size_t)ROWS_MOST * HEAT_COLUMNS, sizeof(double));
    if (!reader->counts) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the heat map");
    }
    rc = count_all(reader, err);
    if (rc == 0) {
        rc = keep(reader, ret, err);
    }
    mem_free(reader->counts);
    if (rc != 0) {
        heat_free(ret);
    }
    return rc;
}

int heat_read(struct heat *ret, const char *run_dir, const struct result *result, struct error *err)
{
    struct reader *reader;
    char file[PATH_MAX];
    struct stat st;
    int fd, rc = 0;
    void *map;

    *ret = (struct heat){0};
    snprintf(file, sizeof(file), "%s/" RUN_LATENCY, run_dir);
    fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0) {
        rc = fd < 0 && errno != ENOENT && errno != ENOTDIR
                 ? error_set(err, EXIT_FAILED, -errno, "cannot read %s: %s", file, strerror(errno))
                 : 0;
        if (fd >= 0) {
            close(fd);
        }
        return rc;
    }
    map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    reader = mem_zalloc(sizeof(*reader));
    if (map == MAP_FAILED || !reader) {
        rc = error_set(err, EXIT_FAILED, -ENOMEM, "no memory to read %s", file);
    } else {
        reader->file = file;
        reader->bytes = map;
        reader->size = (size_t)st.st_size;
        reader->result = result;
        rc = read_mapped(reader, ret, err);
    }
    if (map != MAP_FAILED) {
        munmap(map, (size_t)st.st_size);
    }
    mem_free(reader);
    return rc;
}

void heat_free(struct heat *heat)
{
    mem_free(heat->x_edges);
    mem_free(heat->y_edges);
    mem_free(heat->counts);
    *heat = (struct heat){0};
}
