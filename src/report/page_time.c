#include "doc_run_parts.h"

#include "base/mem.h"
#include "base/units.h"
#include "figures.h"
#include "report/doc_page.h"
#include "result/window.h"
#include "stats/steady.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With the line of all VMs as many lines as there are colours. */
enum { VMS_MOST = 7, STRETCHES = 30, ROUNDS_MOST = 4096 };

/* One column of the intervals of one VM. */
struct column {
    double *x, *y;
    uint32_t count;
    bool thinned; /* some column was longer than a chart keeps */
};

enum figure {
    FIGURE_TPS,
    FIGURE_MEAN,
    FIGURE_P50,
    FIGURE_P95,
    FIGURE_P99,
    FIGURE_P99_9,
    FIGURE_MAX,
    FIGURE_READ,
    FIGURE_WRITE,
    FIGURE_HIT
};

static double figure_of(const struct result_interval *row, enum figure figure)
{
    double seconds = (double)row->length_ns / 1e9;
    bool any = row->done + row->rolled_back > 0;

    switch (figure) {
    case FIGURE_TPS:
        return row->tps;
    case FIGURE_MEAN:
        return any ? row->mean_ns : NAN;
    case FIGURE_P50:
        return any ? (double)row->p50_ns : NAN;
    case FIGURE_P95:
        return any ? (double)row->p95_ns : NAN;
    case FIGURE_P99:
        return any ? (double)row->p99_ns : NAN;
    case FIGURE_P99_9:
        return any ? (double)row->p99_9_ns : NAN;
    case FIGURE_MAX:
        return any ? (double)row->max_ns : NAN;
    case FIGURE_READ:
        return seconds > 0 ? (double)row->read_bytes / 1e6 / seconds : NAN;
    case FIGURE_WRITE:
        return seconds > 0 ? (double)row->write_bytes / 1e6 / seconds : NAN;
    case FIGURE_HIT:
        break;
    }
    return row->hit_ratio;
}

static void gather(const struct doc_page_source *source, int32_t vm, enum figure figure,
                   struct column *ret)
{
    ret->count = 0;
    for (uint64_t i = 0; i < source->row_count; i++) {
        const struct result_interval *row = &source->rows[i];

        if (row->vm == vm) {
            ret->x[ret->count] = (double)row->start_ns / 1e9;
            ret->y[ret->count++] = figure_of(row, figure);
        }
    }
}

static void keep_series(struct doc *doc, struct column *column, const char *label)
{
    if (column->count > 0) {
        doc_series(doc, label, column->x, column->y, column->count);
        column->thinned = column->thinned || column->count > DOC_POINTS;
    }
}

static void add_series(struct doc *doc, const struct doc_page_source *source, struct column *column,
                       int32_t vm, enum figure figure, const char *label)
{
    gather(source, vm, figure, column);
    keep_series(doc, column, label);
}

static void begin(struct doc *doc, const struct doc_page_source *source, const char *key,
                  const char *title, const struct doc_axis *y)
{
    struct doc_chart chart = {.kind = DOC_LINES,
                              .key = key,
                              .title = title,
                              .x = {"time", DOC_CLOCK, false},
                              .y = *y,
                              .group = "time"};
    const struct result *result = source->result;

    doc_chart(doc, &chart);
    for (uint32_t i = 0; i < result->phase_count; i++) {
        doc_band(doc, result->phases[i].name, (double)result->phases[i].from_ns / 1e9,
                 (double)result->phases[i].until_ns / 1e9);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of each interval the VM that stands at a share of them. VMs' rows come before that of all. */
static void gather_ranked(const struct doc_page_source *source, enum figure figure, double share,
                          struct column *ret)
{
    double values[RESULT_VMS];
    uint32_t known = 0;

    ret->count = 0;
    for (uint64_t i = 0; i < source->row_count; i++) {
        const struct result_interval *row = &source->rows[i];
        double value = figure_of(row, figure);

        if (row->vm >= 0 && known < RESULT_VMS && isfinite(value)) {
            values[known++] = value;
        } else if (row->vm < 0) {
            qsort(values, known, sizeof(*values), by_value);
            ret->x[ret->count] = (double)row->start_ns / 1e9;
            ret->y[ret->count++] = known > 0 ? values[(uint32_t)(share * (known - 1))] : NAN;
            known = 0;
        }
    }
}

/* More VMs than can be told apart: how far they lie from one another. */
static void spread(struct doc *doc, const struct doc_page_source *source, struct column *column,
                   enum figure figure)
{
    static const char *const labels[] = {"lowest VM", "median VM", "highest VM"};

    for (uint32_t i = 0; i < 3; i++) {
        gather_ranked(source, figure, i / 2.0, column);
        keep_series(doc, column, labels[i]);
    }
}

static void vm_series(struct doc *doc, const struct doc_page_source *source, struct column *column,
                      enum figure figure)
{
    const struct result *result = source->result;

    if (result->vm_count < 2) {
        return;
    }
    doc_lead(doc); /* that of all */
    for (uint32_t i = 0; i < result->vm_count; i++) {
        add_series(doc, source, column, (int32_t)i, figure, result->vms[i].name);
    }
}

static bool any_known(const struct doc_page_source *source, enum figure figure)
{
    for (uint64_t i = 0; i < source->row_count; i++) {
        double value = source->rows[i].vm == -1 ? figure_of(&source->rows[i], figure) : 0;

        if (isfinite(value) && value != 0) {
            return true;
        }
    }
    return false;
}

/* What the VMs do together is so much more than what one does that both need an axis of their own
 * where there are many. */
static void rate_charts(struct doc *doc, const struct doc_page_source *source,
                        struct column *column)
{
    const char *unit = run_is_bare(source->result) ? "IOPS" : "TPS";
    const char *what = run_is_bare(source->result) ? "IOPS" : "Transactions a second";
    uint32_t vms = source->result->vm_count;
    char title[120];

    begin(doc, source, "time_tps", what, &(struct doc_axis){unit, DOC_NUMBER, false});
    add_series(doc, source, column, -1, FIGURE_TPS, "all");
    if (vms <= VMS_MOST) {
        vm_series(doc, source, column, FIGURE_TPS);
        return;
    }
    snprintf(title, sizeof(title),
             "%s of one VM: lowest, median and highest of %u in each interval", what, vms);
    begin(doc, source, "time_tps_vms", title, &(struct doc_axis){unit, DOC_NUMBER, false});
    spread(doc, source, column, FIGURE_TPS);
}

static void p99_chart(struct doc *doc, const struct doc_page_source *source, struct column *column)
{
    begin(doc, source, "time_p99", "99th percentile of each interval",
          &(struct doc_axis){"p99", DOC_NS, false});
    add_series(doc, source, column, -1, FIGURE_P99, "all");
    if (source->result->vm_count <= VMS_MOST) {
        vm_series(doc, source, column, FIGURE_P99);
    } else {
        doc_lead(doc);
        spread(doc, source, column, FIGURE_P99);
    }
}

static void charts(struct doc *doc, const struct doc_page_source *source, struct column *column)
{
    rate_charts(doc, source, column);
    begin(doc, source, "time_latency", "Response time of each interval, all VMs",
          &(struct doc_axis){"response time", DOC_NS, true});
    add_series(doc, source, column, -1, FIGURE_MEAN, "avg");
    add_series(doc, source, column, -1, FIGURE_P99, "p99");
    add_series(doc, source, column, -1, FIGURE_P50, "p50");
    add_series(doc, source, column, -1, FIGURE_P99_9, "p99.9");
    add_series(doc, source, column, -1, FIGURE_MAX, "max");
    if (source->result->vm_count > 1) {
        p99_chart(doc, source, column);
    }
    if (any_known(source, FIGURE_READ) || any_known(source, FIGURE_WRITE)) {
        begin(doc, source, "time_io", "What the drive read and wrote, all VMs",
              &(struct doc_axis){"MB/s", DOC_NUMBER, false});
        add_series(doc, source, column, -1, FIGURE_READ, "read");
        add_series(doc, source, column, -1, FIGURE_WRITE, "written");
    }
    if (any_known(source, FIGURE_HIT)) {
        begin(doc, source, "time_hit", "Buffer hit ratio, all VMs",
              &(struct doc_axis){"of page accesses", DOC_SHARE, false});
        add_series(doc, source, column, -1, FIGURE_HIT, "hit ratio");
    }
}

static void phase_row(struct doc *doc, const char *name, const struct result_window *window)
{
    double seconds = run_span_ns(window->from_ns, window->until_ns) / 1e9;

    doc_cell(doc, "%s", name);
    doc_cell_duration(doc, seconds * 1e9);
    doc_cell_number(doc, window->tps);
    doc_cell_number(doc, window->worst_second_tps);
    doc_cell_share(doc, window->tps_cv, true);
    doc_cell_duration(doc, window->mean_ns);
    doc_cell_duration(doc, (double)window->max_ns);
    doc_cell_number(doc, window->read_mb_s);
    doc_cell_number(doc, window->write_mb_s);
    doc_cell_share(doc, window->hit_ratio, false);
    doc_cell_count(doc, window->failed);
}

static void begin_table(struct doc *doc, const char *key, const char *title, const char *first)
{
    const struct doc_column columns[] = {
        {title, first, DOC_LEFT},
        {"length", "length_ns", DOC_RIGHT},
        {"TPS", "tps", DOC_RIGHT},
        {"lowest second", "worst_second_tps", DOC_RIGHT},
        {"cv", "tps_cv", DOC_RIGHT},
        {"avg", "avg_ns", DOC_RIGHT},
        {"max", "max_ns", DOC_RIGHT},
        {"rd MB/s", "read_mb_s", DOC_RIGHT},
        {"wr MB/s", "write_mb_s", DOC_RIGHT},
        {"hit%", "hit_ratio", DOC_RIGHT},
        {"failed", "failed", DOC_RIGHT},
    };

    doc_table(doc, key, columns, sizeof(columns) / sizeof(*columns));
}

static void phase_table(struct doc *doc, const struct doc_page_source *source)
{
    const struct result *result = source->result;

    begin_table(doc, "phases", "phase", "phase");
    for (uint32_t i = 0; i < result->phase_count; i++) {
        struct result_window window;

        result_window_of(source->rows, source->row_count, -1, result->phases[i].name, &window);
        if (window.intervals > 0) {
            phase_row(doc, result->phases[i].name, &window);
        }
    }
}

/* Which of STRETCHES equal parts of the run a row lies in. */
static uint32_t stretch_of(const struct doc_page_source *source, uint64_t row)
{
    double first = (double)source->rows[0].start_ns;
    double last = (double)source->rows[source->row_count - 1].start_ns;
    double share = ((double)source->rows[row].start_ns - first) / fmax(1, last - first + 1);

    return (uint32_t)(fmin(fmax(share, 0), 1) * (STRETCHES - 1e-6));
}

/* The charts' figures for who has no script: the run in equal parts. Rows ascend in time. */
static void stretch_table(struct doc *doc, const struct doc_page_source *source)
{
    char from[UNITS_TEXT];

    begin_table(doc, "over_time", "from", "from");
    for (uint64_t i = 0, end; i < source->row_count; i = end) {
        struct result_window window;

        end = i;
        while (end < source->row_count && stretch_of(source, end) == stretch_of(source, i)) {
            end++;
        }
        result_window_of(source->rows + i, end - i, -1, NULL, &window);
        if (window.intervals > 0) {
            phase_row(doc, units_format_clock(window.from_ns, from, sizeof(from)), &window);
        }
    }
}

/* Memory for one column; false: there is none. */
static bool column_open(struct column *column, uint64_t rows)
{
    column->x = mem_array(rows, sizeof(double));
    column->y = mem_array(rows, sizeof(double));
    return column->x && column->y;
}

static void column_close(struct column *column)
{
    mem_free(column->x);
    mem_free(column->y);
}

void page_time(struct doc *doc, const struct doc_page_source *source)
{
    struct column column = {0};

    if (source->row_count == 0 || source->row_count > UINT32_MAX) {
        return;
    }
    doc_heading(doc, 2, "Over time");
    if (column_open(&column, source->row_count)) {
        charts(doc, source, &column);
    } else {
        doc->failed = true;
    }
    column_close(&column);
    phase_table(doc, source);
    stretch_table(doc, source);
    if (column.thinned) {
        doc_note(doc,
                 "Of more than %d intervals a chart shows the least and the largest value of each "
                 "stretch; all are in intervals.csv.",
                 (int)DOC_POINTS);
    }
}

/* ---- steady state ---------------------------------------------------------------------------- */

/*
 * Means of rounds of the sample, each as long as `round_s`; returns how many are whole. Throughput
 * weighs by time, latency by what was done, as `steady` of run.json does.
 */
static uint32_t round_means(const struct doc_page_source *source, double round_s,
                            enum figure figure, double *ret)
{
    double from = (double)source->result->aggregate.sample_from_ns / 1e9, sum = 0, weight = 0;
    uint32_t rounds = 0;

    for (uint64_t i = 0; i < source->row_count && rounds < ROUNDS_MOST; i++) {
        const struct result_interval *row = &source->rows[i];
        double at = (double)row->start_ns / 1e9, length = (double)row->length_ns / 1e9;
        double weighs = figure == FIGURE_TPS ? length : length * row->tps;

        if (row->vm != -1 || strcmp(row->phase, "sample") != 0) {
            continue;
        }
        if (isfinite(figure_of(row, figure))) {
            sum += figure_of(row, figure) * weighs;
            weight += weighs;
        }
        if (at + length >= from + (rounds + 1) * round_s - 1e-6) {
            ret[rounds++] = weight > 0 ? sum / weight : NAN;
            sum = weight = 0;
        }
    }
    return rounds;
}

/* The least-squares line through y over x = 1 ... n. */
static void fit(const double *y, uint32_t n, double first, double *ret_slope, double *ret_at_0)
{
    double mean_x = first + (n - 1) / 2.0, mean_y = 0, xy = 0, xx = 0;

    for (uint32_t i = 0; i < n; i++) {
        mean_y += y[i] / n;
    }
    for (uint32_t i = 0; i < n; i++) {
        double dx = first + i - mean_x;

        xy += dx * (y[i] - mean_y);
        xx += dx * dx;
    }
    *ret_slope = xx > 0 ? xy / xx : 0;
    *ret_at_0 = mean_y - *ret_slope * mean_x;
}

/* The window with its limits drawn, and the fitted line (SNIA PTS 2.0.2). */
static void window_parts(struct doc *doc, const double *means, uint32_t rounds,
                         const struct steady_preset *preset)
{
    uint32_t n = preset->window_rounds, from = rounds - n;
    double slope, at_0, mean = 0, x[2] = {from + 1.0, rounds}, y[2];
    char words[64];

    for (uint32_t i = from; i < rounds; i++) {
        mean += means[i] / n;
    }
    fit(means + from, n, from + 1, &slope, &at_0);
    y[0] = at_0 + slope * x[0];
    y[1] = at_0 + slope * x[1];
    snprintf(words, sizeof(words), "y = %.6g %c %.6g x", at_0, slope < 0 ? '-' : '+', fabs(slope));
    doc_series(doc, words, x, y, 2);
    doc_band(doc, "measurement window", from + 0.5, rounds + 0.5);
    snprintf(words, sizeof(words), "mean +%.3g%%", preset->range_limit * 50);
    doc_limit(doc, words, mean * (1 + preset->range_limit / 2));
    snprintf(words, sizeof(words), "mean -%.3g%%", preset->range_limit * 50);
    doc_limit(doc, words, mean * (1 - preset->range_limit / 2));
}

/* One chart: what is drawn, and how its rounds are called. */
struct steady_view {
    const char *key, *title;
    struct doc_axis y;
    enum figure figure;
};

static void steady_chart(struct doc *doc, const struct doc_page_source *source, double round_s,
                         const struct steady_preset *preset, const struct steady_view *view)
{
    struct doc_chart chart = {
        .kind = DOC_LINES, .key = view->key, .x = {"round", DOC_NUMBER, false}, .y = view->y};
    double *x = mem_array(ROUNDS_MOST, sizeof(*x)), *means = mem_array(ROUNDS_MOST, sizeof(*means));
    uint32_t rounds = x && means ? round_means(source, round_s, view->figure, means) : 0;
    char title[96];

    snprintf(title, sizeof(title), "Steady state: %s of rounds of %.0f s", view->title, round_s);
    chart.title = title;
    if (rounds > 0) {
        for (uint32_t i = 0; i < rounds; i++) {
            x[i] = i + 1;
        }
        doc_chart(doc, &chart);
        doc_series(doc, "round", x, means, rounds);
        if (rounds >= preset->window_rounds) {
            window_parts(doc, means, rounds, preset);
        }
    }
    doc->failed = doc->failed || !x || !means;
    mem_free(x);
    mem_free(means);
}

static void steady_row(struct doc *doc, const char *name, double allowed, double measured,
                       const char *broken)
{
    doc_cell(doc, "%s", name);
    doc_cell_share(doc, allowed, true);
    doc_cell_share(doc, measured, true);
    doc_cell_tone(doc, broken ? DOC_DOUBTFUL : DOC_GOOD, broken ? broken : "holds");
}

/* A limit on the range or excursion of one figure; advice never counts. */
static void limit_row(struct doc *doc, const char *name, double allowed, double measured,
                      bool advice)
{
    const char *broken = advice ? "does not hold (advice)" : "does not hold";

    steady_row(doc, name, allowed, measured, fabs(measured) <= allowed ? NULL : broken);
}

static void steady_table(struct doc *doc, const struct result_steady *steady,
                         const struct steady_preset *preset)
{
    static const struct doc_column columns[] = {{"steady state", "what", DOC_LEFT},
                                                {"allowed", "allowed", DOC_RIGHT},
                                                {"measured", "measured", DOC_RIGHT},
                                                {"is", "holds", DOC_LEFT}};
    double range = preset->range_limit, excursion = preset->excursion_limit;
    bool drifts = fabs(steady->drift_share) > 0.02 && steady->drift_p <= 0.05;

    doc_table(doc, "steady", columns, 4);
    limit_row(doc, "range of the window", range, steady->range_share, false);
    limit_row(doc, "excursion of its fitted line", excursion, steady->excursion_share, false);
    if (steady->lat_range_share != 0 || steady->lat_excursion_share != 0) {
        limit_row(doc, "mean latency: range", range, steady->lat_range_share, false);
        limit_row(doc, "mean latency: excursion", excursion, steady->lat_excursion_share, false);
    }
    if (steady->p99_range_share != 0 || steady->p99_excursion_share != 0) {
        limit_row(doc, "p99: range", range, steady->p99_range_share, true);
        limit_row(doc, "p99: excursion", excursion, steady->p99_excursion_share, true);
    }
    steady_row(doc, "drift over the sample (or p > 0.05)", 0.02, steady->drift_share,
               drifts ? "drifts" : NULL);
}

void page_steady(struct doc *doc, const struct doc_page_source *source)
{
    const struct result_vm *all = &source->result->aggregate;
    const struct result_steady *steady = &all->steady;
    const struct steady_preset *preset = steady_preset(steady->preset);
    double seconds = run_span_ns(all->sample_from_ns, all->sample_until_ns) / 1e9, round_s;
    bool bare = run_is_bare(source->result);

    preset = preset ? preset : &steady_presets[0]; /* of another version */
    if (!steady->judged || steady->rounds == 0 || source->row_count == 0) {
        return;
    }
    round_s = fmax(1, floor(seconds / steady->rounds));
    round_s = round_s > preset->round_s ? preset->round_s : round_s;
    doc_heading(doc, 2, "Steady state");
    steady_chart(doc, source, round_s, preset,
                 &(struct steady_view){.key = "steady_tps",
                                       .title = bare ? "mean IOPS" : "mean TPS",
                                       .y = {bare ? "IOPS" : "TPS", DOC_NUMBER, false},
                                       .figure = FIGURE_TPS});
    steady_chart(doc, source, round_s, preset,
                 &(struct steady_view){.key = "steady_latency",
                                       .title = "mean response time",
                                       .y = {"response time", DOC_NS, false},
                                       .figure = FIGURE_MEAN});
    steady_table(doc, steady, preset);
}
