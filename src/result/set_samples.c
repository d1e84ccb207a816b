#include "result/set_samples.h"

#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stats/hdr_log.h"

enum { MOST_BYTES = SET_PATH + 32 };

/* An interval of so much of the usual length is a whole one. */
#define WHOLE_INTERVAL 0.98

void set_samples_free(struct set_samples *samples)
{
    mem_free(samples->tps);
    mem_free(samples->mb_s);
    mem_free(samples->mean_ns);
    bootstrap_close(&samples->latency);
    *samples = (struct set_samples){0};
}

static bool in_sample(const struct result_interval *row, const struct result_vm *all)
{
    return row->vm == -1 && strcmp(row->phase, "sample") == 0 &&
           row->start_ns >= all->sample_from_ns && row->start_ns < all->sample_until_ns;
}

static int take_rows(struct set_samples *ret, const struct result_vm *all,
                     const struct result_interval *rows, uint64_t count, struct error *err)
{
    int64_t usual_ns = 0;

    for (uint64_t i = 0; i < count; i++) {
        usual_ns =
            in_sample(&rows[i], all) && rows[i].length_ns > usual_ns ? rows[i].length_ns : usual_ns;
    }
    ret->tps = mem_array(count + 1, sizeof(*ret->tps));
    ret->mb_s = mem_array(count + 1, sizeof(*ret->mb_s));
    ret->mean_ns = mem_array(count + 1, sizeof(*ret->mean_ns));
    if (!ret->tps || !ret->mb_s || !ret->mean_ns) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the intervals of a run");
    }
    for (uint64_t i = 0; i < count; i++) {
        double bytes = (double)rows[i].read_bytes + (double)rows[i].write_bytes;

        if (!in_sample(&rows[i], all) ||
            (double)rows[i].length_ns < WHOLE_INTERVAL * (double)usual_ns || usual_ns <= 0) {
            continue;
        }
        ret->tps[ret->seconds] = rows[i].tps;
        ret->mb_s[ret->seconds++] = bytes * 1e3 / (double)rows[i].length_ns;
        if (rows[i].done + rows[i].rolled_back > 0) {
            ret->mean_ns[ret->mean_count++] = rows[i].mean_ns;
        }
    }
    return 0;
}

static int load_intervals(struct set_samples *ret, const struct set_run *run, struct error *err)
{
    struct result_interval *rows = NULL;
    uint64_t count = 0;
    int code = run_dir_intervals(run->path, &rows, &count, err);

    if (code == -ENOENT) {
        return 0;
    }
    if (code == 0) {
        code = take_rows(ret, &run->result->aggregate, rows, count, err);
        mem_free(rows);
    }
    return code;
}

/* "Tag=vm0.new_order,": response times of a kind that is not deferred. */
static bool is_wanted(const struct result *result, const char *line)
{
    const char *name = strchr(line, '.'), *end = strchr(line, ',');

    if (strncmp(line, "Tag=vm", 6) != 0 || !name || !end || name > end ||
        memchr(name + 1, '.', (size_t)(end - name - 1))) {
        return false;
    }
    name++;
    for (uint32_t v = 0; v < result->vm_count; v++) {
        for (uint32_t i = 0; i < result->vms[v].txn_count; i++) {
            const struct result_txn *txn = &result->vms[v].txns[i];

            if (strlen(txn->kind) == (size_t)(end - name) &&
                strncmp(txn->kind, name, (size_t)(end - name)) == 0) {
                return !txn->deferred;
            }
        }
    }
    return strncmp(name, "deferred,", 9) != 0;
}

struct reader {
    const struct set_run *run;
    struct set_samples *ret;
    struct hdr_log *log;
    struct hist *hist;
    char path[MOST_BYTES];
};

static int take_line(struct reader *reader, const char *line, size_t bytes, int number,
                     struct error *err)
{
    struct hdr_line front;
    struct error why = {0};
    int code;

    if (line[bytes - 1] != '\n') {
        return 0; /* torn: the run was killed */
    }
    if (*line == '\0' || !strchr("#\"T0123456789", *line)) {
        return error_at(err, reader->path, number, 1, "not a line of a histogram log");
    }
    if (!is_wanted(reader->run->result, line)) {
        return 0;
    }
    code = hdr_log_read(reader->log, line, bytes, &front, reader->hist, &why);
    if (code < 0) {
        return error_at(err, reader->path, number, 1, "%s", why.text);
    }
    if (code > 0) {
        bootstrap_add(&reader->ret->latency, front.start_ns, front.length_ns, reader->hist);
    }
    return 0;
}

static int read_lines(struct reader *reader, FILE *file, struct error *err)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int code = 0;

    for (int number = 1; code == 0 && (n = getline(&line, &room, file)) > 0; number++) {
        code = take_line(reader, line, (size_t)n, number, err);
    }
    if (code == 0 && ferror(file)) {
        code = error_set(err, EXIT_FAILED, -EIO, "cannot read %s", reader->path);
    }
    free(line);
    return code;
}

/* *ret is NULL if there is none. A pipe in its place would be waited for. */
static int open_log(const char *path, FILE **ret, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code = -errno;
    struct stat st;

    *ret = NULL;
    if (fd < 0) {
        return code == -ENOENT
                   ? 0
                   : error_set(err, EXIT_FAILED, code, "cannot read %s: %s", path, strerror(-code));
    }
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return error_set(err, EXIT_USAGE, -EINVAL, "%s is not a regular file", path);
    }
    *ret = fdopen(fd, "r");
    if (!*ret) {
        close(fd);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory to read %s", path);
    }
    return 0;
}

static int load_histograms(struct set_samples *ret, const struct set_run *run, uint32_t blocks,
                           struct error *err)
{
    const struct result_vm *all = &run->result->aggregate;
    struct reader reader = {.run = run, .ret = ret};
    FILE *file;
    int code;

    snprintf(reader.path, sizeof(reader.path), "%s/latency.hlog", run->path);
    if (all->sample_until_ns <= all->sample_from_ns) {
        return 0;
    }
    code = open_log(reader.path, &file, err);
    if (code != 0 || !file) {
        return code;
    }
    code = bootstrap_open(&ret->latency, all->sample_from_ns, all->sample_until_ns, blocks, err);
    code = code == 0 ? hdr_log_open(&reader.log, err) : code;
    reader.hist = mem_zalloc(sizeof(*reader.hist));
    if (code == 0 && !reader.hist) {
        code = error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a histogram");
    }
    code = code == 0 ? read_lines(&reader, file, err) : code;
    hdr_log_close(reader.log);
    mem_free(reader.hist);
    fclose(file);
    return code;
}

int set_samples_load(struct set_samples *ret, const struct set_run *run, uint32_t blocks,
                     struct error *err)
{
    int code;

    *ret = (struct set_samples){.seed = bootstrap_seed(run->result->run.id)};
    code = load_intervals(ret, run, err);
    if (code == 0 && blocks > 0) {
        code = load_histograms(ret, run, blocks, err);
    }
    if (code != 0) {
        set_samples_free(ret);
    }
    return code;
}

double set_samples_within(struct set_samples *samples, const struct set_metric *metric)
{
    struct bootstrap_interval interval;

    if (strcmp(metric->name, "tps") == 0) {
        return bootstrap_batch_share(samples->tps, samples->seconds);
    }
    if (strcmp(metric->name, "mb_s") == 0) {
        return bootstrap_batch_share(samples->mb_s, samples->seconds);
    }
    if (strcmp(metric->name, "lat_avg") == 0) {
        return bootstrap_batch_share(samples->mean_ns, samples->mean_count);
    }
    if (metric->quantile > 0 && samples->latency.count > 0) {
        bootstrap_quantiles(&samples->latency, &metric->quantile, 1, samples->seed, &interval);
        return interval.ok && interval.value > 0
                   ? (interval.high - interval.low) / 2 / interval.value
                   : NAN;
    }
    return NAN;
}
