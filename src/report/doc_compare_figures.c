#include "doc_compare_parts.h"

#include "base/json.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const match_names[] = {
    [SET_SAME] = "same", [SET_DIFFERS] = "differs", [SET_UNKNOWN] = "unknown"};
static const char *const state_names[] = {[SET_WHOLE] = "complete",
                                          [SET_PARTIAL] = "partial",
                                          [SET_FAILED] = "failed",
                                          [SET_VOID] = "void"};

/* The numbers of one side in one row, said once for CSV and JSON. Shares; NAN is unknown. */
static const struct doc_column metric_columns[] = {
    {"metric", "metric", DOC_LEFT},
    {"scope", "scope", DOC_LEFT},
    {"side", "side", DOC_LEFT},
    {"label", "label", DOC_LEFT},
    {"verdict", "verdict", DOC_LEFT},
    {"why", "why", DOC_LEFT},
    {"design", "design", DOC_LEFT},
    {"n_a", "n_a", DOC_RIGHT},
    {"n", "n", DOC_RIGHT},
    {"value", "value", DOC_RIGHT},
    {"within", "within_share", DOC_RIGHT},
    {"change", "change_share", DOC_RIGHT},
    {"low", "low_share", DOC_RIGHT},
    {"high", "high_share", DOC_RIGHT},
    {"p", "p", DOC_RIGHT},
    {"p_holm", "p_holm", DOC_RIGHT},
    {"mde", "mde_share", DOC_RIGHT},
    {"cv", "cv_share", DOC_RIGHT},
    {"rank_p", "rank_p", DOC_RIGHT},
    {"hedges_g", "hedges_g", DOC_RIGHT},
    {"a12", "a12", DOC_RIGHT},
};
enum { METRIC_WORDS = 7, METRIC_COLUMNS = sizeof(metric_columns) / sizeof(metric_columns[0]) };

struct figures {
    const char *words[METRIC_WORDS];
    double numbers[METRIC_COLUMNS - METRIC_WORDS];
    char scope[COMPARE_WORDS];
};

static void figures_of(const struct comparison *comparison, const struct comparison_row *row,
                       uint32_t side, struct figures *ret)
{
    const struct comparison_against *against = &row->against[side];
    const struct compare *compare = &against->compare;
    bool judged = side > 0 && compare->state == COMPARE_JUDGED;
    bool known =
        side > 0 && compare->state != COMPARE_NOT_ABOVE_0 && against->why != COMPARISON_UNKNOWN;
    double low = NAN, high = NAN;

    if (side > 0) {
        compare_shown(row, side, &low, &high);
    }
    compare_scope(row->vm, ret->scope);
    ret->words[0] = row->metric->key;
    ret->words[1] = ret->scope;
    ret->words[2] = compare_side_name(side);
    ret->words[3] = comparison->sets[side]->label;
    ret->words[4] = side == 0 ? "base" : compare_verdict_names[against->verdict];
    ret->words[5] = side == 0 ? "" : compare_why_names[against->why];
    ret->words[6] = side == 0 ? "" : comparison->pairs[side] > 0 ? "paired" : "welch";
    ret->numbers[0] = side == 0 ? NAN : known ? compare->n_a : row->sides[0].known;
    ret->numbers[1] = side == 0 || !known ? row->sides[side].known : compare->n_b;
    ret->numbers[2] = row->sides[side].value;
    ret->numbers[3] = row->sides[side].within;
    ret->numbers[4] = known ? compare_share(compare->delta) : NAN;
    ret->numbers[5] = low;
    ret->numbers[6] = high;
    ret->numbers[7] = judged ? compare->p : NAN;
    ret->numbers[8] = side > 0 ? against->p_holm : NAN;
    ret->numbers[9] = judged ? against->mde : NAN;
    ret->numbers[10] = judged ? compare->cv : NAN;
    ret->numbers[11] = judged ? compare->rank_p : NAN;
    ret->numbers[12] = judged ? compare->hedges_g : NAN;
    ret->numbers[13] = judged ? compare->a12 : NAN;
}

static void metrics_table(struct doc *doc, const struct comparison *comparison)
{
    struct figures figures;

    doc_table(doc, "metrics", metric_columns, METRIC_COLUMNS);
    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        for (uint32_t s = 0; s < comparison->count; s++) {
            figures_of(comparison, &comparison->metrics[i], s, &figures);
            for (uint32_t c = 0; c < METRIC_WORDS; c++) {
                doc_cell(doc, "%s", figures.words[c]);
            }
            for (uint32_t c = 0; c < METRIC_COLUMNS - METRIC_WORDS; c++) {
                doc_cell_number(doc, figures.numbers[c]);
            }
        }
    }
}

static void comparable_table(struct doc *doc, const struct comparison *comparison)
{
    static const struct doc_column columns[] = {
        {"name", "name", DOC_LEFT}, {"match", "match", DOC_LEFT}, {"strict", "strict", DOC_LEFT},
        {"side", "side", DOC_LEFT}, {"value", "value", DOC_LEFT},
    };

    doc_table(doc, "comparable", columns, 5);
    for (uint32_t i = 0; i < comparison->rows.count; i++) {
        const struct set_row *row = &comparison->rows.rows[i];

        for (uint32_t s = 0; s < comparison->count; s++) {
            doc_cell(doc, "%s", row->name);
            doc_cell(doc, "%s", match_names[row->match]);
            doc_cell(doc, "%s", row->strict ? "yes" : "no");
            doc_cell(doc, "%s", compare_side_name(s));
            doc_cell(doc, "%s", row->values[s]);
        }
    }
}

static void curve_table(struct doc *doc, const struct comparison *comparison)
{
    static const struct doc_column columns[] = {
        {"side", "side", DOC_LEFT},    {"percentile", "percentile", DOC_RIGHT},
        {"ratio", "ratio", DOC_RIGHT}, {"low", "low", DOC_RIGHT},
        {"high", "high", DOC_RIGHT},
    };

    if (!comparison->has_curve) {
        return;
    }
    doc_table(doc, "curve", columns, 5);
    for (uint32_t s = 1; s < comparison->count; s++) {
        for (uint32_t q = 0; q < BOOTSTRAP_CURVE; q++) {
            const struct bootstrap_interval *at = &comparison->curve[s][q];

            doc_cell(doc, "%s", compare_side_name(s));
            doc_cell_number(doc, bootstrap_curve[q] * 100);
            doc_cell_number(doc, at->value > 0 ? at->value : NAN);
            doc_cell_number(doc, at->ok ? at->low : NAN);
            doc_cell_number(doc, at->ok ? at->high : NAN);
        }
    }
}

static void runs_table(struct doc *doc, const struct comparison *comparison)
{
    static const struct doc_column columns[] = {
        {"side", "side", DOC_LEFT},   {"label", "label", DOC_LEFT},   {"run", "run", DOC_LEFT},
        {"state", "state", DOC_LEFT}, {"metric", "metric", DOC_LEFT}, {"value", "value", DOC_RIGHT},
    };

    doc_table(doc, "runs", columns, 6);
    for (uint32_t s = 0; s < comparison->count; s++) {
        const struct set *set = comparison->sets[s];

        for (uint32_t r = 0; r < set->run_count; r++) {
            for (uint32_t i = 0; i < comparison->metric_count; i++) {
                const struct comparison_row *row = &comparison->metrics[i];

                if (row->vm >= 0) {
                    continue;
                }
                doc_cell(doc, "%s", compare_side_name(s));
                doc_cell(doc, "%s", set->label);
                doc_cell(doc, "%s", set->runs[r].path);
                doc_cell(doc, "%s", state_names[set->runs[r].state]);
                doc_cell(doc, "%s", row->metric->key);
                doc_cell_number(doc, set_metric_of(row->metric, set->runs[r].result, -1));
            }
        }
    }
}

void doc_compare_figures(struct doc *doc, const struct comparison *comparison)
{
    metrics_table(doc, comparison);
    comparable_table(doc, comparison);
    curve_table(doc, comparison);
    runs_table(doc, comparison);
}

static void json_sides(struct json_writer *json, const struct comparison *comparison)
{
    json_key_array(json, "sides");
    for (uint32_t s = 0; s < comparison->count; s++) {
        const struct set *set = comparison->sets[s];
        char order[128];

        comparison_order(comparison, s, order, sizeof(order));
        json_begin_object(json);
        json_key_string(json, "side", compare_side_name(s));
        json_key_string(json, "label", set->label);
        json_key_string(json, "order", s > 0 && order[0] != '\0' ? order : NULL);
        json_key_uint(json, "pairs", comparison->pairs[s]);
        json_key_num(json, "users", comparison->users[s]);
        json_key_num(json, "concurrency", comparison->concurrency[s]);
        json_key_num(json, "fairness", comparison->fairness[s]);
        json_key_num(json, "ks", s > 0 && comparison->has_curve ? comparison->ks[s] : NAN);
        json_key_array(json, "runs");
        for (uint32_t r = 0; r < set->run_count; r++) {
            json_begin_object(json);
            json_key_string(json, "path", set->runs[r].path);
            json_key_string(json, "id", set->runs[r].result->run.id);
            json_key_string(json, "state", state_names[set->runs[r].state]);
            json_end(json);
        }
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

static void json_rows(struct json_writer *json, const struct comparison *comparison)
{
    json_key_array(json, "comparable");
    for (uint32_t i = 0; i < comparison->rows.count; i++) {
        const struct set_row *row = &comparison->rows.rows[i];

        json_begin_object(json);
        json_key_string(json, "name", row->name);
        json_key_string(json, "match", match_names[row->match]);
        json_key_bool(json, "strict", row->strict);
        json_key_bool(json, "invariant", row->invariant);
        json_key_array(json, "values");
        for (uint32_t s = 0; s < comparison->count; s++) {
            json_put_string(json, row->values[s][0] != '\0' ? row->values[s] : NULL);
        }
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

static void json_metric(struct json_writer *json, const struct comparison *comparison,
                        const struct comparison_row *row, uint32_t side)
{
    const struct set *set = comparison->sets[side];
    struct figures figures;

    figures_of(comparison, row, side, &figures);
    json_begin_object(json);
    for (uint32_t c = 0; c < METRIC_WORDS; c++) {
        json_key_string(json, metric_columns[c].key, figures.words[c]);
    }
    for (uint32_t c = METRIC_WORDS; c < METRIC_COLUMNS; c++) {
        json_key_num(json, metric_columns[c].key, figures.numbers[c - METRIC_WORDS]);
    }
    json_key_array(json, "values");
    for (uint32_t r = 0; r < set->run_count; r++) {
        json_put_num(json, set_metric_of(row->metric, set->runs[r].result, row->vm));
    }
    json_end(json);
    json_end(json);
}

static void json_curve(struct json_writer *json, const struct comparison *comparison)
{
    json_key_array(json, "curve");
    for (uint32_t s = 1; comparison->has_curve && s < comparison->count; s++) {
        for (uint32_t q = 0; q < BOOTSTRAP_CURVE; q++) {
            const struct bootstrap_interval *at = &comparison->curve[s][q];

            json_begin_object(json);
            json_key_string(json, "side", compare_side_name(s));
            json_key_num(json, "percentile", bootstrap_curve[q] * 100);
            json_key_num(json, "ratio", at->value > 0 ? at->value : NAN);
            json_key_num(json, "low", at->ok ? at->low : NAN);
            json_key_num(json, "high", at->ok ? at->high : NAN);
            json_end(json);
        }
    }
    json_end(json);
}

/* The members of an object that is open. */
void compare_json(struct json_writer *json, const struct comparison *comparison)
{
    json_key_bool(json, "comparable_strictly", set_rows_refused(&comparison->rows) == NULL);
    json_sides(json, comparison);
    json_rows(json, comparison);
    json_key_array(json, "metrics");
    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        for (uint32_t s = 0; s < comparison->count; s++) {
            json_metric(json, comparison, &comparison->metrics[i], s);
        }
    }
    json_end(json);
    json_curve(json, comparison);
}

void doc_compare_json(const struct comparison *comparison, struct text *ret)
{
    struct json_writer json;

    json_writer_init(&json, ret);
    json_begin_object(&json);
    json_key_string(&json, "kind", "compare");
    json_key_int(&json, "schema_version", 1);
    compare_json(&json, comparison);
    json_end(&json);
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

void doc_sweep_figures(struct doc *doc, const struct sweep *sweep)
{
    struct doc_column columns[1 + METRIC_COLUMNS] = {{"point", "point", DOC_LEFT}};
    struct figures figures;

    memcpy(columns + 1, metric_columns, sizeof(metric_columns));
    doc_table(doc, "sweep", columns, 1 + METRIC_COLUMNS);
    for (uint32_t p = 0; p < sweep->point_count; p++) {
        const struct comparison *comparison = &sweep->points[p].comparison;

        for (uint32_t i = 0; i < comparison->metric_count * sweep->count; i++) {
            figures_of(comparison, &comparison->metrics[i / sweep->count], i % sweep->count,
                       &figures);
            doc_cell(doc, "%s", sweep->points[p].name);
            for (uint32_t c = 0; c < METRIC_WORDS; c++) {
                doc_cell(doc, "%s", figures.words[c]);
            }
            for (uint32_t c = 0; c < METRIC_COLUMNS - METRIC_WORDS; c++) {
                doc_cell_number(doc, figures.numbers[c]);
            }
        }
    }
}

static double share_of(double delta)
{
    return isfinite(delta) ? compare_share(delta) : NAN;
}

static void json_means(struct json_writer *json, const struct sweep *sweep)
{
    json_key_array(json, "means");
    for (uint32_t s = 1; s < sweep->count; s++) {
        for (uint32_t m = 0; m < SWEEP_METRICS; m++) {
            const struct sweep_mean *mean = &sweep->means[s][m];

            json_begin_object(json);
            json_key_string(json, "side", compare_side_name(s));
            json_key_string(json, "metric", mean->metric->key);
            json_key_uint(json, "points", mean->points);
            json_key_num(json, "change_share", share_of(mean->delta));
            json_key_num(json, "low_share", share_of(mean->low));
            json_key_num(json, "high_share", share_of(mean->high));
            json_end(json);
        }
    }
    json_end(json);
    json_key_array(json, "knees");
    for (uint32_t s = 0; s < sweep->count; s++) {
        json_put_string(
            json, sweep->knee[s] < sweep->point_count ? sweep->points[sweep->knee[s]].name : NULL);
    }
    json_end(json);
    json_key_array(json, "areas");
    for (uint32_t s = 0; s < sweep->count; s++) {
        json_put_num(json, sweep->area[s]);
    }
    json_end(json);
}

void doc_sweep_json(const struct sweep *sweep, struct text *ret)
{
    struct json_writer json;

    json_writer_init(&json, ret);
    json_begin_object(&json);
    json_key_string(&json, "kind", "compare_sweep");
    json_key_int(&json, "schema_version", 1);
    json_key_string(&json, "swept", sweep->swept);
    json_key_bool(&json, "comparable_strictly", set_rows_refused(&sweep->rows) == NULL);
    json_key_string(&json, "not_compared", sweep->alone[0] != '\0' ? sweep->alone : NULL);
    json_key_num(&json, "slo_ns", sweep->slo_ns);
    json_means(&json, sweep);
    json_key_array(&json, "points");
    for (uint32_t p = 0; p < sweep->point_count; p++) {
        json_begin_object(&json);
        json_key_string(&json, "point", sweep->points[p].name);
        json_key_num(&json, "load", sweep->points[p].load);
        compare_json(&json, &sweep->points[p].comparison);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}
