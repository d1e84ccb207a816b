#include "doc_compare_parts.h"

#include "figures.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct sheet {
    struct doc *doc;
    const struct comparison *comparison;
    struct compare_notes notes;
    bool narrow, pair; /* pair: two sides, a column each */
    bool vms;          /* rows of VMs are among them */
};

static const char *arrow(const struct set_metric *metric)
{
    return metric->higher_better ? "↑" : "↓";
}

/* The fewest transactions of a run, of all VMs or of any one. */
static double fewest(const struct comparison *comparison, bool of_vm)
{
    double ret = INFINITY;

    for (uint32_t s = 0; s < comparison->count; s++) {
        for (uint32_t i = 0; i < comparison->sets[s]->run_count; i++) {
            const struct result *result = comparison->sets[s]->runs[i].result;

            if (!of_vm) {
                ret = fmin(ret, (double)result->aggregate.response.count);
            }
            for (uint32_t v = 0; of_vm && v < result->vm_count; v++) {
                ret = fmin(ret, (double)result->vms[v].response.count);
            }
        }
    }
    return ret;
}

/* What a quantile rests on, where that is little; one note for all VMs. */
static const char *thin_mark(struct sheet *sheet, const struct comparison_row *row)
{
    bool of_vm = row->vm >= 0;
    double beyond;

    if (row->metric->quantile <= 0) {
        return "";
    }
    beyond = fewest(sheet->comparison, of_vm) * (1 - row->metric->quantile);
    if (beyond < 0.5) {
        return compare_note(
            &sheet->notes, "%s%s is the slowest transaction of a run%s, which has too few for it.",
            row->metric->title + strlen("lat "), of_vm ? " of a VM" : "", of_vm ? " or more" : "");
    }
    return beyond < 100 ? compare_note(&sheet->notes,
                                       "%s%s rests on the %.0f slowest transaction%s of a "
                                       "run%s.",
                                       row->metric->title + strlen("lat "), of_vm ? " of a VM" : "",
                                       beyond, beyond < 1.5 ? "" : "s", of_vm ? " or more" : "")
                        : "";
}

static void value_cell(struct sheet *sheet, const struct comparison_row *row, uint32_t side)
{
    const struct comparison_side *mine = &row->sides[side];
    char value[COMPARE_WORDS], half[COMPARE_WORDS];

    compare_value(row->metric, mine->value, value);
    if (isfinite(mine->within) && isfinite(mine->value)) {
        doc_cell(sheet->doc, "%s ±%s%s", value, compare_share_word(mine->within, half),
                 thin_mark(sheet, row));
    } else {
        doc_cell(sheet->doc, "%s%s", value, thin_mark(sheet, row));
    }
}

static const char *scenario_of(const struct comparison *comparison, uint32_t side)
{
    return comparison->sets[side]->runs[0].result->scenario.name;
}

static const char *why_mark(struct sheet *sheet, const struct comparison_row *row, uint32_t side)
{
    const struct comparison *comparison = sheet->comparison;
    const struct set_row *held = set_row_find(&comparison->rows, "concurrency");

    switch (row->against[side].why) {
    case COMPARISON_JUDGED:
        break;
    case COMPARISON_ONE_RUN:
        return compare_note(&sheet->notes,
                            "within-run only: does not include run-to-run variation (simulated "
                            "false-positive rate 8 to 53 %%). Two runs a side give a verdict, five "
                            "a good one.");
    case COMPARISON_ONE_SEED:
        return compare_note(&sheet->notes, "runs in virtual time that repeat a seed are one run: "
                                           "give each its own --seed.");
    case COMPARISON_CONCURRENCY:
        return compare_note(
            &sheet->notes,
            "no verdict on latency: %s held %s under way and %s %s; more than %d %% "
            "apart, waiting is another thing.",
            compare_side_name(0), held->values[0], compare_side_name(side), held->values[side],
            SET_CONCURRENCY_PERCENT);
    case COMPARISON_WORKLOAD:
        return compare_note(&sheet->notes,
                            "not comparable: %s ran %.40s and %s %.40s, which have no type of "
                            "transaction in common.",
                            compare_side_name(0), scenario_of(comparison, 0),
                            compare_side_name(side), scenario_of(comparison, side));
    case COMPARISON_UNKNOWN:
        return compare_note(&sheet->notes, "not recorded by the runs of both sides.");
    }
    return "";
}

static const char *doubt_mark(struct sheet *sheet, const struct comparison_against *against)
{
    if (against->too_fine) {
        return compare_note(&sheet->notes,
                            "less than a counter of the histogram (0.8 %%): not told apart.");
    }
    return against->why == COMPARISON_JUDGED && against->ranks_differ
               ? compare_note(&sheet->notes,
                              "by ranks (Mann-Whitney, exact) p is %.3f: it does not agree.",
                              against->compare.rank_p)
               : "";
}

static void verdict_cell(struct sheet *sheet, const struct comparison_row *row, uint32_t side)
{
    const struct comparison_against *against = &row->against[side];
    char word[COMPARE_WORDS];

    if (against->why != COMPARISON_JUDGED) {
        snprintf(word, sizeof(word), "%s%s", sheet->narrow ? "none" : "no verdict",
                 why_mark(sheet, row, side));
        doc_cell_tone(sheet->doc, DOC_DOUBTFUL, word);
        return;
    }
    snprintf(word, sizeof(word), "%s%s",
             against->verdict == COMPARE_SAME ? "~" : compare_verdict_names[against->verdict],
             doubt_mark(sheet, against));
    doc_cell_tone(sheet->doc,
                  against->verdict == COMPARE_IS_BETTER  ? DOC_GOOD
                  : against->verdict == COMPARE_IS_WORSE ? DOC_BAD
                                                         : DOC_PLAIN,
                  word);
}

/* "B vs A" to "verdict". */
static void against_cells(struct sheet *sheet, const struct comparison_row *row, uint32_t side)
{
    const struct comparison_against *against = &row->against[side];
    const struct compare *compare = &against->compare;
    bool judged = compare->state == COMPARE_JUDGED && against->why != COMPARISON_UNKNOWN &&
                  against->why != COMPARISON_ONE_SEED;
    bool known = compare->state != COMPARE_NOT_ABOVE_0 && against->why != COMPARISON_UNKNOWN;
    char word[COMPARE_WORDS];
    double low, high;

    doc_cell(sheet->doc, "%s",
             !known             ? "-"
             : against->crosses ? "~"
                                : compare_change(compare_share(compare->delta), word));
    if (compare_shown(row, side, &low, &high)) {
        doc_cell(sheet->doc, "%s%s", compare_bounds(low, high, sheet->narrow, word),
                 judged || sheet->narrow ? "" : why_mark(sheet, row, side));
    } else {
        doc_cell(sheet->doc, "-");
    }
    doc_cell(sheet->doc, "%s", judged ? compare_chance(compare->p, sheet->narrow, word) : "-");
    if (!sheet->narrow) {
        doc_cell(sheet->doc, "%u+%u", row->sides[0].known, row->sides[side].known);
    }
    doc_cell(sheet->doc, "%s", judged ? compare_share_word(against->mde, word) : "-");
    verdict_cell(sheet, row, side);
}

static void blank_cells(struct sheet *sheet, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        doc_cell(sheet->doc, "%s", "");
    }
}

/* Metric, and where there is room or need, of what. */
static void name_cells(struct sheet *sheet, const char *name, const char *scope)
{
    if (!sheet->narrow) {
        doc_cell(sheet->doc, "%s", name);
        doc_cell(sheet->doc, "%s", scope);
    } else {
        doc_cell(sheet->doc, "%s%s%s", sheet->vms ? scope : "", sheet->vms ? " " : "", name);
    }
}

static void metric_rows(struct sheet *sheet, const struct comparison_row *row)
{
    char name[COMPARE_WORDS], scope[COMPARE_WORDS];

    snprintf(name, sizeof(name), "%s %s", row->metric->title, arrow(row->metric));
    compare_scope(row->vm, scope);
    if (sheet->pair) {
        name_cells(sheet, name, scope);
        value_cell(sheet, row, 0);
        value_cell(sheet, row, 1);
        against_cells(sheet, row, 1);
        return;
    }
    for (uint32_t s = 0; s < sheet->comparison->count; s++) {
        name_cells(sheet, s == 0 ? name : "", s == 0 ? scope : "");
        doc_cell(sheet->doc, "%s", compare_side_name(s));
        value_cell(sheet, row, s);
        if (s == 0) {
            blank_cells(sheet, sheet->narrow ? 5 : 6);
        } else {
            against_cells(sheet, row, s);
        }
    }
}

/* The VMs of a run should be served alike; so much apart is not: ours. */
#define UNEVEN 0.05

static void spread_cell(struct sheet *sheet, uint32_t side)
{
    char word[COMPARE_WORDS];

    doc_cell(sheet->doc, "spread %s", compare_share_word(sheet->comparison->fairness[side], word));
}

static void little_cell(struct sheet *sheet, uint32_t side)
{
    const struct comparison *comparison = sheet->comparison;
    const struct set_row *little = set_row_find(&comparison->rows, "little");
    double held = comparison->concurrency[side], users = comparison->users[side];

    if (strcmp(little->values[side], "open loop") == 0) {
        doc_cell(sheet->doc, "%.1f open loop", held);
    } else {
        doc_cell(sheet->doc, held < 1000 ? "%.1f/%.0f %s" : "%.0f/%.0f %s", held, users,
                 little->values[side]);
    }
}

/* A row that is about the sides and compares nothing. */
static void side_row(struct sheet *sheet, const char *name, const char *scope,
                     void (*cell)(struct sheet *sheet, uint32_t side), const char *verdict,
                     enum doc_tone tone)
{
    uint32_t blank = sheet->narrow ? 4 : 5;

    if (sheet->pair) {
        name_cells(sheet, name, scope);
        cell(sheet, 0);
        cell(sheet, 1);
        blank_cells(sheet, blank);
        doc_cell_tone(sheet->doc, tone, verdict);
        return;
    }
    for (uint32_t s = 0; s < sheet->comparison->count; s++) {
        name_cells(sheet, s == 0 ? name : "", s == 0 ? scope : "");
        doc_cell(sheet->doc, "%s", compare_side_name(s));
        cell(sheet, s);
        blank_cells(sheet, blank);
        doc_cell_tone(sheet->doc, tone, s == 0 ? verdict : "");
    }
}

static void vm_row(struct sheet *sheet)
{
    uint32_t vms = set_vm_count(sheet->comparison->sets, sheet->comparison->count);
    char scope[COMPARE_WORDS];
    bool even = true;

    if (vms < 2) {
        return;
    }
    for (uint32_t s = 0; s < sheet->comparison->count; s++) {
        even = even && sheet->comparison->fairness[s] <= UNEVEN;
    }
    snprintf(scope, sizeof(scope), "vm0..%u", vms - 1);
    side_row(sheet, sheet->narrow && !sheet->vms ? "tps of VMs" : "tps", scope, spread_cell,
             even ? "fair" : "uneven", even ? DOC_GOOD : DOC_DOUBTFUL);
}

static void little_row(struct sheet *sheet)
{
    const struct set_row *held = set_row_find(&sheet->comparison->rows, "concurrency");
    bool differs = held->match == SET_DIFFERS;

    side_row(sheet, "N=X(R+Z)", "agg", little_cell, differs ? "differs" : "",
             differs ? DOC_BAD : DOC_PLAIN);
}

static const struct doc_column pair_columns[] = {
    {"", "metric", DOC_LEFT},        {"", "scope", DOC_LEFT},
    {"A", "a", DOC_RIGHT},           {"B", "b", DOC_RIGHT},
    {"B vs A", "change", DOC_RIGHT}, {"95% CI", "interval", DOC_RIGHT},
    {"p", "p", DOC_RIGHT},           {"n", "n", DOC_RIGHT},
    {"MDE", "mde", DOC_RIGHT},       {"verdict", "verdict", DOC_LEFT},
};
static const struct doc_column pair_columns_narrow[] = {
    {"", "metric", DOC_LEFT},
    {"A", "a", DOC_RIGHT},
    {"B", "b", DOC_RIGHT},
    {"B vs A", "change", DOC_RIGHT},
    {"95% CI", "interval", DOC_RIGHT},
    {"p", "p", DOC_RIGHT},
    {"MDE", "mde", DOC_RIGHT},
    {"verdict", "verdict", DOC_LEFT},
};
static const struct doc_column long_columns[] = {
    {"", "metric", DOC_LEFT},      {"", "scope", DOC_LEFT},
    {"", "side", DOC_LEFT},        {"value", "value", DOC_RIGHT},
    {"vs A", "change", DOC_RIGHT}, {"95% CI", "interval", DOC_RIGHT},
    {"p", "p", DOC_RIGHT},         {"n", "n", DOC_RIGHT},
    {"MDE", "mde", DOC_RIGHT},     {"verdict", "verdict", DOC_LEFT},
};
static const struct doc_column long_columns_narrow[] = {
    {"", "metric", DOC_LEFT},          {"", "side", DOC_LEFT},
    {"value", "value", DOC_RIGHT},     {"vs A", "change", DOC_RIGHT},
    {"95% CI", "interval", DOC_RIGHT}, {"p", "p", DOC_RIGHT},
    {"MDE", "mde", DOC_RIGHT},         {"verdict", "verdict", DOC_LEFT},
};

static void metrics_table(struct sheet *sheet)
{
    const struct comparison *comparison = sheet->comparison;

    if (sheet->narrow) {
        doc_table(sheet->doc, "metrics", sheet->pair ? pair_columns_narrow : long_columns_narrow,
                  8);
    } else {
        doc_table(sheet->doc, "metrics", sheet->pair ? pair_columns : long_columns, 10);
    }
    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        metric_rows(sheet, &comparison->metrics[i]);
    }
    vm_row(sheet);
    little_row(sheet);
}

static bool has_band(const struct comparison *comparison)
{
    for (uint32_t s = 1; s < comparison->count; s++) {
        for (uint32_t q = 0; q < BOOTSTRAP_CURVE; q++) {
            if (comparison->curve[s][q].ok) {
                return true;
            }
        }
    }
    return false;
}

static void distance_note(struct doc *doc, const struct comparison *comparison)
{
    struct text line = {0};

    for (uint32_t s = 1; s < comparison->count; s++) {
        text_addf(&line, "%s%s %.3f", s > 1 ? ", " : "", compare_side_name(s), comparison->ks[s]);
    }
    doc_note(doc,
             "Kolmogorov and Smirnov's distance of the response times from A's, 0 to 1, for "
             "information: %s.",
             text_string(&line));
    text_free(&line);
}

static void curve_table(struct doc *doc, const struct comparison *comparison)
{
    static const char *const ratios[SET_SIDES] = {"",    "B/A", "C/A", "D/A",
                                                  "E/A", "F/A", "G/A", "H/A"};
    struct doc_column columns[1 + 2 * SET_SIDES] = {{"response", "percentile", DOC_LEFT}};
    bool alone = comparison->sets[0]->run_count == 1, band = has_band(comparison);
    uint32_t count = 1;

    for (uint32_t s = 1; s < comparison->count; s++) {
        alone = alone || comparison->sets[s]->run_count == 1;
        columns[count++] = (struct doc_column){ratios[s], "ratio", DOC_RIGHT};
        if (band) {
            columns[count++] = (struct doc_column){"95% band", "band", DOC_RIGHT};
        }
    }
    doc_heading(doc, 2, "Response times: ratio by percentile");
    if (!band) {
        doc_note(doc, "No 95%% band: a sample under 20 s is too short for one.");
    } else if (alone) {
        doc_note(doc, "One run on a side: the band is within-run only.");
    }
    doc_table(doc, "curve", columns, count);
    for (uint32_t q = 0; q < BOOTSTRAP_CURVE; q++) {
        doc_cell(doc, "p%.6g", bootstrap_curve[q] * 100);
        for (uint32_t s = 1; s < comparison->count; s++) {
            const struct bootstrap_interval *at = &comparison->curve[s][q];

            if (at->ok) {
                doc_cell(doc, "%.3f", at->value);
                doc_cell(doc, "%.3f..%.3f", at->low, at->high);
            } else {
                doc_cell(doc, isfinite(at->value) && at->value > 0 ? "%.3f" : "-", at->value);
                if (band) {
                    doc_cell(doc, "-");
                }
            }
        }
    }
    distance_note(doc, comparison);
}

static void holm_note(struct doc *doc, const struct comparison *comparison, uint32_t side)
{
    const struct comparison_row *best = NULL;
    char chance[COMPARE_WORDS];
    uint32_t judged = 0;

    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        const struct comparison_row *row = &comparison->metrics[i];

        if (isfinite(row->against[side].p_holm)) {
            judged++;
            best = !best || row->against[side].p_holm < best->against[side].p_holm ? row : best;
        }
    }
    if (judged < 2) {
        return;
    }
    doc_note(doc,
             "%s against A, did anything change? Over %u metrics (Holm) the least p is %s, %s: "
             "%s.",
             compare_side_name(side), judged,
             compare_chance(best->against[side].p_holm, false, chance), best->metric->title,
             best->against[side].p_holm <= 0.05 ? "yes" : "nothing that is shown");
}

/* Verdicts stand, as a file may have been copied for another drive; but whoever reads must know. */
static void scenario_note(struct doc *doc, const struct comparison *comparison, uint32_t side)
{
    if (comparison->scenario[side] && !comparison->unlike[side]) {
        doc_note(
            doc,
            "%s and A ran different scenario files (%.40s, %.40s): not comparable unless these "
            "ask for the same work.",
            compare_side_name(side), scenario_of(comparison, side), scenario_of(comparison, 0));
    }
}

/* What no comparison of so few runs sees below. */
static void noise_note(struct doc *doc, const struct comparison *comparison, uint32_t side)
{
    static const char *const shown[] = {"tps", "iops", "lat_avg", "lat_p99", "lat_p99.9"};
    struct text line = {0};
    char word[COMPARE_WORDS];

    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        const struct comparison_row *row = &comparison->metrics[i];

        for (size_t j = 0; j < sizeof(shown) / sizeof(shown[0]); j++) {
            if (row->vm < 0 && row->against[side].why == COMPARISON_JUDGED &&
                strcmp(row->metric->name, shown[j]) == 0) {
                text_addf(&line, "%s%s %s", line.length > 0 ? ", " : "", row->metric->title,
                          compare_share_word(row->against[side].compare.cv, word));
            }
        }
    }
    if (line.length > 0) {
        doc_note(doc, "Noise floor, run-to-run CV of A and %s: %s.", compare_side_name(side),
                 text_string(&line));
    }
    text_free(&line);
}

/* How far apart the sides are in what their runs scatter by, and how often that shows. */
static void effect_note(struct doc *doc, const struct comparison *comparison, uint32_t side)
{
    static const char *const shown[] = {"tps", "lat_avg", "lat_p99"};
    struct text line = {0};

    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        const struct comparison_row *row = &comparison->metrics[i];
        const struct compare *compare = &row->against[side].compare;

        for (size_t j = 0; j < sizeof(shown) / sizeof(shown[0]); j++) {
            if (row->vm < 0 && row->against[side].why == COMPARISON_JUDGED &&
                isfinite(compare->hedges_g) && strcmp(row->metric->name, shown[j]) == 0) {
                text_addf(&line, "%s%s %+.3g, %.2f", line.length > 0 ? "; " : "",
                          row->metric->title, compare->hedges_g, compare->a12);
            }
        }
    }
    if (line.length > 0) {
        doc_note(doc,
                 "Effect size of %s against A, Hedges g and A12 (the chance that a run of %s is "
                 "above one of A): %s.",
                 compare_side_name(side), compare_side_name(side), text_string(&line));
    }
    text_free(&line);
}

static bool is_judged(const struct comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        for (uint32_t s = 1; s < comparison->count; s++) {
            if (comparison->metrics[i].against[s].why == COMPARISON_JUDGED) {
                return true;
            }
        }
    }
    return false;
}

static void footnotes(struct sheet *sheet)
{
    static const char *const marks[] = {"¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

    for (uint32_t i = 0; i < sheet->notes.count; i++) {
        doc_note(sheet->doc, "%s %s", marks[i], sheet->notes.texts[i]);
    }
}

void compare_legend(struct doc *doc)
{
    doc_note(doc,
             "~: the 95 %% interval contains 0. MDE: the least change that four of five such "
             "comparisons show by a one-sided test at 5 %%, if the sides scatter alike; verdicts "
             "are two-sided and take each side's own scatter, so that of few runs a change above "
             "the MDE may still be ~. ±: within one run.");
}

void compare_metrics(struct doc *doc, const struct comparison *comparison, bool narrow)
{
    struct sheet sheet = {
        .doc = doc, .comparison = comparison, .narrow = narrow, .pair = comparison->count == 2};

    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        sheet.vms = sheet.vms || comparison->metrics[i].vm >= 0;
    }
    metrics_table(&sheet);
    footnotes(&sheet);
}

/* Histograms are large: of very many runs they are not all read. */
static void first_runs_note(struct doc *doc, const struct comparison *comparison)
{
    uint32_t most = 0;

    for (uint32_t s = 0; s < comparison->count; s++) {
        most = comparison->sets[s]->run_count > most ? comparison->sets[s]->run_count : most;
    }
    if (most > BOOTSTRAP_RUNS_MAX) {
        doc_note(doc,
                 "The ratio by percentile and ± are of the first %d runs of each side; all other "
                 "figures are of all runs.",
                 (int)BOOTSTRAP_RUNS_MAX);
    }
}

void compare_tables(struct doc *doc, const struct comparison *comparison, bool narrow)
{
    compare_metrics(doc, comparison, narrow);
    if (is_judged(comparison)) {
        compare_legend(doc);
    }
    for (uint32_t s = 1; s < comparison->count; s++) {
        scenario_note(doc, comparison, s);
        noise_note(doc, comparison, s);
        effect_note(doc, comparison, s);
        holm_note(doc, comparison, s);
    }
    if (comparison->has_curve) {
        curve_table(doc, comparison);
        first_runs_note(doc, comparison);
    }
}
