#include "report/doc_page.h"

#include "base/mem.h"
#include "doc_run_parts.h"
#include "figures.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 8, BARS_MOST = 48, NAME_MOST = 160 };

/* Runs by what was measured, and each of these by its throughput. */
struct sweep_run {
    const struct result *result;
};
struct sweep {
    struct sweep_run *runs;
    uint32_t count;
    int64_t slo_ns;
    bool bare;
};

/* What a line of the chart stands for: the label, or the drive. */
static const char *name_of(const struct result *result, char buf[NAME_MOST])
{
    const struct result_drive *drive = &result->drives[0];

    if (result->run.label[0] != '\0') {
        snprintf(buf, NAME_MOST, "%s", result->run.label);
    } else if (result->drive_count > 0 && drive->model[0] != '\0') {
        snprintf(buf, NAME_MOST, "%s%s%s", drive->model, drive->form_factor[0] != '\0' ? " " : "",
                 drive->form_factor);
    } else {
        snprintf(buf, NAME_MOST, "%s", result->scenario.name);
    }
    return buf;
}

static int by_name_and_load(const void *a, const void *b)
{
    const struct result *left = ((const struct sweep_run *)a)->result;
    const struct result *right = ((const struct sweep_run *)b)->result;
    char left_name[NAME_MOST], right_name[NAME_MOST];
    int order = strcmp(name_of(left, left_name), name_of(right, right_name));

    if (order != 0) {
        return order;
    }
    return (left->aggregate.tps > right->aggregate.tps) -
           (left->aggregate.tps < right->aggregate.tps);
}

/* Runs from `from` on that bear the same name. */
static uint32_t same_name(const struct sweep *sweep, uint32_t from)
{
    char first[NAME_MOST], other[NAME_MOST];
    uint32_t n = 1;

    name_of(sweep->runs[from].result, first);
    while (from + n < sweep->count &&
           strcmp(first, name_of(sweep->runs[from + n].result, other)) == 0) {
        n++;
    }
    return n;
}

static int64_t least_p99(const struct sweep *sweep)
{
    int64_t least = INT64_MAX;

    for (uint32_t i = 0; i < sweep->count; i++) {
        int64_t p99 = sweep->runs[i].result->aggregate.response.p99_ns;

        least = p99 > 0 && p99 < least ? p99 : least;
    }
    return least;
}

/* The run of the highest throughput below the limit, or NULL; one run alone has none. Runs ascend.
 */
static const struct result *knee(const struct sweep *sweep, uint32_t from, uint32_t n)
{
    const struct result *ret = NULL;

    for (uint32_t i = from; n > 1 && i < from + n; i++) {
        const struct result_vm *all = &sweep->runs[i].result->aggregate;

        if (all->response.count > 0 && all->response.p99_ns < sweep->slo_ns) {
            ret = sweep->runs[i].result;
        }
    }
    return ret;
}

static void curve(struct doc *doc, const struct sweep *sweep, uint32_t from, uint32_t n)
{
    double *x = mem_array(n, sizeof(*x)), *y = mem_array(n, sizeof(*y));
    const struct result *at = knee(sweep, from, n);
    char name[NAME_MOST];

    doc->failed = doc->failed || !x || !y;
    if (x && y) {
        for (uint32_t i = 0; i < n; i++) {
            x[i] = sweep->runs[from + i].result->aggregate.tps;
            y[i] = sweep->runs[from + i].result->aggregate.response.mean_ns;
        }
        doc_series(doc, name_of(sweep->runs[from].result, name), x, y, n);
    }
    if (at) {
        doc_mark(doc, "knee", at->aggregate.tps, at->aggregate.response.mean_ns);
    }
    mem_free(x);
    mem_free(y);
}

/* A bar a run: throughput, bytes, the 99th percentile. */
static void bars(struct doc *doc, const struct sweep *sweep, const char *key, const char *title,
                 enum doc_unit unit, double (*value)(const struct result_vm *vm))
{
    struct doc_chart chart = {.kind = DOC_BARS, .key = key, .title = title, .y = {.unit = unit}};
    char name[NAME_MOST], label[NAME_MOST + 32], users[FIGURE_TEXT];
    double values[BARS_MOST];

    doc_chart(doc, &chart);
    for (uint32_t i = 0; i < sweep->count; i++) {
        const struct result_vm *all = &sweep->runs[i].result->aggregate;

        snprintf(label, sizeof(label), "%s, %s", name_of(sweep->runs[i].result, name),
                 figure_count(all->users, users));
        doc_category(doc, label);
        values[i] = value(all);
    }
    doc_series(doc, title, NULL, values, sweep->count);
}

static double tps_of(const struct result_vm *vm)
{
    return vm->tps;
}

static double mb_s_of(const struct result_vm *vm)
{
    return vm->mb_s;
}

static double p99_of(const struct result_vm *vm)
{
    return (double)vm->response.p99_ns;
}

static void run_row(struct doc *doc, const struct result *result, bool is_knee)
{
    const struct result_vm *all = &result->aggregate;
    char name[NAME_MOST];

    doc_cell(doc, "%s", name_of(result, name));
    doc_cell(doc, "%s", result->run.id);
    doc_cell_count(doc, all->users);
    doc_cell_number(doc, all->tps);
    doc_cell_number(doc, all->mb_s);
    doc_cell_duration(doc, all->response.mean_ns);
    doc_cell_duration(doc, (double)all->response.p99_ns);
    doc_cell_duration(doc, (double)all->response.p99_9_ns);
    doc_cell_duration(doc, (double)all->response.max_ns);
    doc_cell(doc, "%s", is_knee ? "knee" : "");
}

static void table(struct doc *doc, const struct sweep *sweep)
{
    const struct doc_column columns[] = {
        {"drive or label", "name", DOC_LEFT},
        {"run", "run", DOC_LEFT},
        {"users", "users", DOC_RIGHT},
        {sweep->bare ? "IOPS" : "TPS", sweep->bare ? "iops" : "tps", DOC_RIGHT},
        {"MB/s", "mb_s", DOC_RIGHT},
        {"avg", "avg_ns", DOC_RIGHT},
        {"p99", "p99_ns", DOC_RIGHT},
        {"p99.9", "p99_9_ns", DOC_RIGHT},
        {"max", "max_ns", DOC_RIGHT},
        {"is", "knee", DOC_LEFT},
    };

    doc_table(doc, "sweep", columns, sizeof(columns) / sizeof(*columns));
    for (uint32_t i = 0, n; i < sweep->count; i += n) {
        const struct result *at;

        n = same_name(sweep, i);
        at = knee(sweep, i, n);
        for (uint32_t k = i; k < i + n; k++) {
            run_row(doc, sweep->runs[k].result, sweep->runs[k].result == at);
        }
    }
}

static void draw(struct doc *doc, const struct sweep *sweep)
{
    struct doc_chart chart = {.kind = DOC_LINES,
                              .key = "sweep",
                              .title = "Latency over throughput",
                              .x = {sweep->bare ? "IOPS" : "TPS", DOC_NUMBER, false},
                              .y = {"average response time", DOC_NS, false}};
    char slo[FIGURE_TEXT];

    doc_heading(doc, 1, "rawtps sweep · %s · %" PRIu32 " runs",
                sweep->runs[0].result->scenario.name, sweep->count);
    doc_chart(doc, &chart);
    for (uint32_t i = 0, lines = 0, n; i < sweep->count && lines < LINES_MOST; i += n, lines++) {
        n = same_name(sweep, i);
        curve(doc, sweep, i, n);
    }
    table(doc, sweep);
    if (sweep->count <= BARS_MOST) {
        bars(doc, sweep, "sweep_tps", sweep->bare ? "IOPS, by outstanding" : "TPS, by users",
             DOC_NUMBER, tps_of);
        bars(doc, sweep, "sweep_mb_s", "MB/s read and written", DOC_NUMBER, mb_s_of);
        bars(doc, sweep, "sweep_p99", "99th percentile of response time", DOC_NS, p99_of);
    }
    doc_note(doc,
             "Knee: the highest throughput whose p99 is below %s. One run a point: run-to-run "
             "variation is not in the curve.",
             figure_duration((double)sweep->slo_ns, slo));
}

void doc_page_sweep(struct doc *doc, const struct result *const *results, uint32_t count,
                    int64_t slo_ns)
{
    struct sweep sweep = {.runs = mem_array(count, sizeof(*sweep.runs)), .count = count};

    if (!sweep.runs) {
        doc->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        sweep.runs[i].result = results[i];
    }
    qsort(sweep.runs, count, sizeof(*sweep.runs), by_name_and_load);
    sweep.bare = run_is_bare(sweep.runs[0].result);
    sweep.slo_ns = slo_ns > 0 ? slo_ns : least_p99(&sweep);
    if (slo_ns <= 0 && sweep.slo_ns < INT64_MAX / 10) {
        sweep.slo_ns *= 10;
    }
    draw(doc, &sweep);
    mem_free(sweep.runs);
}
