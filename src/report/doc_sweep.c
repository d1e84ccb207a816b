#include "doc_compare_parts.h"

#include "base/text.h"
#include "figures.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How the points of one side lie, in one sentence and a word. */
static void verdict_line(struct doc *doc, const struct sweep *sweep, uint32_t side)
{
    const struct sweep_mean *tps = &sweep->means[side][0];
    uint32_t better = 0, worse = 0, judged = 0;
    char change[COMPARE_WORDS], bounds[COMPARE_WORDS] = "";

    for (uint32_t p = 0; p < sweep->point_count; p++) {
        const struct comparison_row *row = sweep_row(&sweep->points[p].comparison, tps->metric);

        if (row && row->against[side].why == COMPARISON_JUDGED) {
            judged++;
            better += row->against[side].verdict == COMPARE_IS_BETTER;
            worse += row->against[side].verdict == COMPARE_IS_WORSE;
        }
    }
    if (tps->points == 0) {
        return;
    }
    if (isfinite(tps->low)) {
        char words[COMPARE_WORDS];

        snprintf(bounds, sizeof(bounds), " %.80s",
                 compare_bounds(compare_share(tps->low), compare_share(tps->high), false, words));
    }
    doc_paragraph(doc,
                  "%s against %s: tps %s%s over %u point%s (geometric mean); better at %u, worse "
                  "at %u of %u that may be judged:",
                  sweep->sets[side]->label, sweep->sets[0]->label,
                  compare_change(compare_share(tps->delta), change), bounds, tps->points,
                  tps->points == 1 ? "" : "s", better, worse, judged);
    compare_conclude(doc, better, worse, judged);
}

/* ---- chart ----------------------------------------------------------------------------------- */

/* Of names that are no numbers nobody knows which is more load: by throughput then. */
static bool loads_known(const struct sweep *sweep)
{
    bool known = true;

    for (uint32_t p = 0; p < sweep->point_count; p++) {
        known = known && isfinite(sweep->points[p].load);
    }
    return known;
}

/* A line a side, its points by load: behind the knee throughput may fall while load rises. */
static void side_line(struct doc *doc, const struct sweep *sweep, uint32_t side)
{
    double x[SWEEP_POINTS], y[SWEEP_POINTS];
    uint32_t count = 0, knee = sweep->knee[side];
    bool by_load = loads_known(sweep);
    char label[SET_LABEL + 8];

    for (uint32_t p = 0; p < sweep->point_count; p++) {
        double tps = sweep_value(sweep, p, side, "tps"),
               avg = sweep_value(sweep, p, side, "lat_avg");
        uint32_t at = count;

        if (!isfinite(tps) || !isfinite(avg)) {
            continue;
        }
        for (; !by_load && at > 0 && x[at - 1] > tps; at--) {
            x[at] = x[at - 1];
            y[at] = y[at - 1];
        }
        x[at] = tps;
        y[at] = avg;
        count++;
    }
    snprintf(label, sizeof(label), "%s %s", compare_side_name(side), sweep->sets[side]->label);
    doc_series(doc, label, x, y, count);
    if (knee < sweep->point_count) {
        snprintf(label, sizeof(label), "knee of %s", compare_side_name(side));
        doc_mark(doc, label, sweep_value(sweep, knee, side, "tps"),
                 sweep_value(sweep, knee, side, "lat_avg"));
    }
}

static void chart(struct doc *doc, const struct sweep *sweep)
{
    const struct doc_chart lines = {.kind = DOC_LINES,
                                    .key = "sweep",
                                    .title = "Latency over throughput",
                                    .x = {"throughput a second", DOC_NUMBER, false},
                                    .y = {"average response time", DOC_NS, false},
                                    .curve = true};

    doc_chart(doc, &lines);
    for (uint32_t s = 0; s < sweep->count; s++) {
        side_line(doc, sweep, s);
    }
}

/* ---- a row a point and side ------------------------------------------------------------------ */

static void against_cells(struct doc *doc, const struct comparison *comparison, uint32_t side,
                          const char *metric, bool interval)
{
    const struct comparison_row *row = sweep_row(comparison, set_metric_find(metric));
    const struct comparison_against *against = row && side > 0 ? &row->against[side] : NULL;
    char words[COMPARE_WORDS];
    double low, high;
    bool known = against && against->compare.state != COMPARE_NOT_ABOVE_0 &&
                 against->why != COMPARISON_UNKNOWN;

    doc_cell(doc, "%s", !known ? "" : compare_change(compare_share(against->compare.delta), words));
    if (interval) {
        bool shown = against && compare_shown(row, side, &low, &high);

        doc_cell(doc, "%s", shown ? compare_bounds(low, high, true, words) : "");
    }
    if (!against) {
        doc_cell(doc, "%s", "");
    } else if (against->why != COMPARISON_JUDGED) {
        doc_cell_tone(doc, DOC_DOUBTFUL, "none");
    } else {
        doc_cell_tone(doc,
                      against->verdict == COMPARE_IS_BETTER  ? DOC_GOOD
                      : against->verdict == COMPARE_IS_WORSE ? DOC_BAD
                                                             : DOC_PLAIN,
                      against->verdict == COMPARE_SAME ? "~"
                                                       : compare_verdict_names[against->verdict]);
    }
}

static void points_table(struct doc *doc, const struct sweep *sweep)
{
    static const struct doc_column columns[] = {
        {"point", "point", DOC_LEFT},
        {"", "side", DOC_LEFT},
        {"n", "n", DOC_RIGHT},
        {"tps ↑", "tps", DOC_RIGHT},
        {"vs A", "tps_change", DOC_RIGHT},
        {"95% CI", "tps_interval", DOC_RIGHT},
        {"", "tps_verdict", DOC_LEFT},
        {"avg ↓", "avg_ns", DOC_RIGHT},
        {"p99 ↓", "p99_ns", DOC_RIGHT},
        {"vs A", "p99_change", DOC_RIGHT},
        {"", "p99_verdict", DOC_LEFT},
        {"is", "knee", DOC_LEFT},
    };

    doc_table(doc, "points", columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t p = 0; p < sweep->point_count; p++) {
        const struct sweep_point *point = &sweep->points[p];

        for (uint32_t s = 0; s < sweep->count; s++) {
            doc_cell(doc, "%s", s == 0 ? point->name : "");
            doc_cell(doc, "%s", compare_side_name(s));
            doc_cell_count(doc, point->parts[s].run_count);
            doc_cell_number(doc, sweep_value(sweep, p, s, "tps"));
            against_cells(doc, &point->comparison, s, "tps", true);
            doc_cell_duration(doc, sweep_value(sweep, p, s, "lat_avg"));
            doc_cell_duration(doc, sweep_value(sweep, p, s, "lat_p99"));
            against_cells(doc, &point->comparison, s, "lat_p99", false);
            doc_cell(doc, "%s", sweep->knee[s] == p ? "knee" : "");
        }
    }
}

/* ---- all points together --------------------------------------------------------------------- */

static void mean_line(struct doc *doc, const struct sweep *sweep, uint32_t side)
{
    char change[COMPARE_WORDS], bounds[COMPARE_WORDS];
    struct text line = {0};

    for (uint32_t m = 0; m < SWEEP_METRICS; m++) {
        const struct sweep_mean *mean = &sweep->means[side][m];

        if (mean->points > 0) {
            text_addf(&line, "%s%s %s", line.length > 0 ? ", " : "", mean->metric->title,
                      compare_change(compare_share(mean->delta), change));
        }
        if (isfinite(mean->low)) {
            text_addf(
                &line, " %s",
                compare_bounds(compare_share(mean->low), compare_share(mean->high), false, bounds));
        }
    }
    if (isfinite(sweep->area[side])) {
        text_addf(&line, ", area under throughput over %s %s", sweep->swept,
                  compare_change(sweep->area[side] - 1, change));
    }
    if (line.length > 0) {
        doc_pair(doc, compare_side_name(side), "against A over all points: %s", text_string(&line));
    }
    text_free(&line);
}

static void knee_line(struct doc *doc, const struct sweep *sweep)
{
    char slo[FIGURE_TEXT], tps[FIGURE_TEXT];
    struct text line = {0};

    for (uint32_t s = 0; s < sweep->count; s++) {
        uint32_t knee = sweep->knee[s];

        if (knee < sweep->point_count) {
            text_addf(&line, "%s%s %s/s at %s", s > 0 ? ", " : "", compare_side_name(s),
                      figure_number(sweep_value(sweep, knee, s, "tps"), tps),
                      sweep->points[knee].name);
        } else {
            text_addf(&line, "%s%s none", s > 0 ? ", " : "", compare_side_name(s));
        }
    }
    doc_pair(doc, "knee", "%s; the highest throughput whose p99 is below %s", text_string(&line),
             figure_duration(sweep->slo_ns, slo));
    text_free(&line);
}

void doc_sweep(struct doc *doc, const struct sweep *sweep,
               const struct doc_compare_options *options)
{
    struct comparison whole = {.count = sweep->count, .rows = sweep->rows};

    doc_heading(doc, 1, "rawtps compare · %s · %u points of %s",
                sweep->sets[0]->runs[0].result->scenario.name, sweep->point_count, sweep->swept);
    for (uint32_t s = 1; s < sweep->count; s++) {
        verdict_line(doc, sweep, s);
    }
    for (uint32_t s = 0; s < sweep->count; s++) {
        whole.sets[s] = sweep->sets[s];
        whole.pairs[s] = sweep->points[0].comparison.pairs[s];
    }
    compare_sides(doc, &whole);
    if (sweep->alone[0] != '\0') {
        doc_pair(doc, "left out", "%s: not on all sides", sweep->alone);
        doc_verdict(doc, DOC_DOUBTFUL, "not compared");
    }
    chart(doc, sweep);
    points_table(doc, sweep);
    for (uint32_t s = 1; s < sweep->count; s++) {
        mean_line(doc, sweep, s);
    }
    knee_line(doc, sweep);
    compare_legend(doc);
    for (uint32_t p = 0; p < sweep->point_count; p++) {
        doc_heading(doc, 2, "%s %s", sweep->swept, sweep->points[p].name);
        compare_metrics(doc, &sweep->points[p].comparison, options->narrow);
    }
}
