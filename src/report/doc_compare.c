#include "doc_compare_parts.h"

#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Many serial numbers of one maker begin alike: the end tells them apart. */
enum { SERIAL_TAIL = 4 };

static const char *value_of(const struct comparison *comparison, const char *row, uint32_t side)
{
    const struct set_row *found = set_row_find(&comparison->rows, row);

    return found && strcmp(found->values[side], SWEEP_BY_POINT) != 0 ? found->values[side] : "";
}

static void identity_line(struct doc *doc, const struct comparison *comparison, uint32_t side)
{
    const struct set *set = comparison->sets[side];
    const char *serial = value_of(comparison, "serial", side);
    const char *model = value_of(comparison, "model", side);
    const char *form = value_of(comparison, "form_factor", side);
    const char *firmware = value_of(comparison, "firmware", side);
    const char *server = value_of(comparison, "server", side);
    bool tail = strlen(serial) > SERIAL_TAIL + 3 && !strchr(serial, ',') && !strchr(serial, '/') &&
                strcmp(serial, "redacted") != 0;
    struct text line = {0};

    if (strcmp(set->label, model) != 0) {
        text_addf(&line, "%s", set->label);
    }
    if (model[0] != '\0') {
        text_addf(&line, "%s%s", line.length > 0 ? " = " : "", model);
    } else if (strcmp(server, "none") != 0) {
        text_addf(&line, " = %s", server);
    }
    text_addf(&line, "%s%s%s%s", form[0] ? " " : "", form, firmware[0] ? " fw " : "", firmware);
    text_addf(&line, "%s%s%s", serial[0] ? " sn " : "", tail ? "..." : "",
              tail ? serial + strlen(serial) - SERIAL_TAIL : serial);
    doc_pair(doc, compare_side_name(side), "%s (%u run%s)", text_string(&line), set->run_count,
             set->run_count == 1 ? "" : "s");
    text_free(&line);
}

static void order_line(struct doc *doc, const struct comparison *comparison)
{
    char order[128];
    bool paired = false;

    for (uint32_t s = 1; s < comparison->count; s++) {
        if (comparison->pairs[s] > 0) {
            comparison_order(comparison, s, order, sizeof(order));
            doc_pair(doc, comparison->count > 2 ? compare_side_name(s) : "order",
                     "%s%s, analysed as %u pairs", order,
                     strlen(order) + 1 < sizeof(order) ? "" : "...", comparison->pairs[s]);
            paired = true;
        }
    }
    if (!paired) {
        doc_pair(doc, "order", "independent runs (Welch)%s",
                 comparison->sets[0]->run_count > 1
                     ? "; what `rawtps bench-pair` makes is analysed as pairs"
                     : "");
    }
}

/* Rows of one kind in a line: "scenario sysbench-oltp@9f3c, VMs 4". */
static void match_line(struct doc *doc, const struct comparison *comparison, enum set_match match,
                       const char *title)
{
    struct text line = {0};

    for (uint32_t i = 0; i < comparison->rows.count; i++) {
        const struct set_row *row = &comparison->rows.rows[i];
        bool said = row->match == match && (match != SET_SAME || row->strict) &&
                    (match != SET_SAME || strcmp(row->name, "concurrency") != 0) &&
                    (match != SET_SAME || strcmp(row->values[0], "none") != 0);

        if (said && match == SET_UNKNOWN) {
            text_addf(&line, "%s%s", line.length > 0 ? ", " : "", row->title);
        } else if (said) {
            text_add(&line, line.length > 0 ? ", " : "");
            set_row_say(row, comparison->count, &line);
        }
    }
    if (line.length > 0) {
        doc_pair(doc, title, "%s", text_string(&line));
    }
    text_free(&line);
}

static void comparable_line(struct doc *doc, const struct comparison *comparison)
{
    struct text line = {0};

    for (uint32_t i = 0; i < comparison->rows.count; i++) {
        const struct set_row *row = &comparison->rows.rows[i];

        if (row->strict && row->match == SET_DIFFERS) {
            text_addf(&line, "%s%s", line.length > 0 ? ", " : "", row->title);
        }
    }
    if (line.length > 0) {
        doc_pair(doc, "comparable", "differing in %s", text_string(&line));
        doc_verdict(doc, DOC_BAD, "not strictly");
    } else {
        doc_pair(doc, "comparable", "asked the same in the same place");
        doc_verdict(doc, DOC_GOOD, "yes");
    }
    text_free(&line);
}

/* Interrupted and killed runs are compared as far as they go. */
static void partial_lines(struct doc *doc, const struct comparison *comparison)
{
    for (uint32_t s = 0; s < comparison->count; s++) {
        for (uint32_t i = 0; i < comparison->sets[s]->run_count; i++) {
            const struct set_run *run = &comparison->sets[s]->runs[i];

            if (run->state != SET_WHOLE) {
                doc_pair(doc, "partial", "%s: %s", run->path,
                         strcmp(run->result->run.ended, "running") == 0 ? "killed"
                                                                        : run->result->run.ended);
                doc_verdict(doc, DOC_DOUBTFUL, "incomplete");
            }
        }
    }
}

static void bars(struct doc *doc, const struct comparison *comparison, const char *name,
                 const char *title, enum doc_unit unit)
{
    const struct set_metric *metric = set_metric_find(name);
    double values[SET_SIDES];

    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        const struct comparison_row *row = &comparison->metrics[i];
        struct doc_chart chart = {.kind = DOC_BARS,
                                  .key = metric->key,
                                  .title = title,
                                  .y = {.title = metric->title, .unit = unit}};

        if (row->metric != metric || row->vm >= 0) {
            continue;
        }
        doc_chart(doc, &chart);
        for (uint32_t s = 0; s < comparison->count; s++) {
            char label[SET_LABEL + 8];

            snprintf(label, sizeof(label), "%s %s", compare_side_name(s),
                     comparison->sets[s]->label);
            doc_category(doc, label);
            values[s] = row->sides[s].value;
        }
        doc_series(doc, metric->title, NULL, values, comparison->count);
    }
}

/* Of two sides with the band of its interval; of more there would be three lines each. */
static void curve_chart(struct doc *doc, const struct comparison *comparison)
{
    uint32_t lines = comparison->count > 2 ? 1 : 3;
    const struct doc_chart chart = {.kind = DOC_LINES,
                                    .key = "curve",
                                    .title = "Response time against A, by percentile",
                                    .x = {.title = "percentile", .unit = DOC_PERCENTILE},
                                    .y = {.title = "ratio"}};
    double x[BOOTSTRAP_CURVE], y[BOOTSTRAP_CURVE];

    doc_chart(doc, &chart);
    for (uint32_t s = 1; s < comparison->count; s++) {
        static const char *const which[] = {"", ", low", ", high"};

        for (uint32_t line = 0; line < lines; line++) {
            char label[SET_LABEL + 16];

            for (uint32_t q = 0; q < BOOTSTRAP_CURVE; q++) {
                const struct bootstrap_interval *at = &comparison->curve[s][q];

                x[q] = bootstrap_curve[q] * 100;
                y[q] = line == 0 ? at->value : line == 1 ? at->low : at->high;
                y[q] = y[q] > 0 && (line == 0 || at->ok) ? y[q] : NAN;
            }
            snprintf(label, sizeof(label), "%s%s", comparison->sets[s]->label, which[line]);
            doc_series(doc, label, x, y, BOOTSTRAP_CURVE);
        }
    }
    doc_limit(doc, "as A", 1);
}

static const char *const first[] = {"tps", "lat_avg", "lat_p99"};

static bool comes_first(const struct comparison_row *row)
{
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
        if (strcmp(row->metric->name, first[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* What differs where the figures that are asked for first do not: " (WAF better)". */
static void other_verdicts(const struct comparison *comparison, uint32_t side, struct text *line)
{
    uint32_t said = 0;

    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        const struct comparison_row *row = &comparison->metrics[i];
        enum compare_verdict verdict = row->against[side].verdict;

        if (row->vm < 0 && !comes_first(row) &&
            (verdict == COMPARE_IS_BETTER || verdict == COMPARE_IS_WORSE)) {
            text_addf(line, "%s%s %s", said++ == 0 ? " (" : ", ", row->metric->title,
                      verdict == COMPARE_IS_BETTER ? "better" : "worse");
        }
    }
    text_add(line, said > 0 ? ")" : "");
}

/* One sentence on the figures that are asked for first; words that judge them all together. */
static void verdict_line(struct doc *doc, const struct comparison *comparison, uint32_t side)
{
    uint32_t better = 0, worse = 0, same = 0;
    struct text line = {0};
    char word[COMPARE_WORDS];

    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        const struct comparison_row *row = &comparison->metrics[i];
        const struct comparison_against *against = &row->against[side];

        if (row->vm >= 0 || !comes_first(row) || against->compare.state == COMPARE_NOT_ABOVE_0) {
            continue;
        }
        better += against->verdict == COMPARE_IS_BETTER;
        worse += against->verdict == COMPARE_IS_WORSE;
        same += against->verdict == COMPARE_SAME;
        text_addf(&line, "%s%s %s", line.length > 0 ? ", " : "", row->metric->title,
                  against->verdict == COMPARE_SAME
                      ? "~"
                      : compare_change(compare_share(against->compare.delta), word));
    }
    if (better + worse == 0 && same > 0) {
        other_verdicts(comparison, side, &line);
    }
    if (line.length > 0) {
        doc_paragraph(doc, "%s against %s: %s:", comparison->sets[side]->label,
                      comparison->sets[0]->label, text_string(&line));
        compare_conclude(doc, better, worse, better + worse + same);
    }
    text_free(&line);
}

void compare_sides(struct doc *doc, const struct comparison *comparison)
{
    for (uint32_t s = 0; s < comparison->count; s++) {
        identity_line(doc, comparison, s);
    }
    order_line(doc, comparison);
    match_line(doc, comparison, SET_SAME, "same");
    match_line(doc, comparison, SET_DIFFERS, "differs");
    match_line(doc, comparison, SET_UNKNOWN, "unknown");
    comparable_line(doc, comparison);
    partial_lines(doc, comparison);
}

void doc_compare(struct doc *doc, const struct comparison *comparison,
                 const struct doc_compare_options *options)
{
    doc_heading(doc, 1, "rawtps compare · %s", comparison->sets[0]->runs[0].result->scenario.name);
    for (uint32_t s = 1; s < comparison->count; s++) {
        verdict_line(doc, comparison, s);
    }
    compare_sides(doc, comparison);
    bars(doc, comparison, "tps", "Transactions a second", DOC_NUMBER);
    bars(doc, comparison, "lat_avg", "Average latency", DOC_NS);
    bars(doc, comparison, "lat_p99", "99th percentile", DOC_NS);
    compare_tables(doc, comparison, options->narrow);
    if (comparison->has_curve) {
        curve_chart(doc, comparison);
    }
}
