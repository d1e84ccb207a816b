#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dist.h"
#include "base/mem.h"
#include "gate_parts.h"
#include "stats/noninferior.h"
#include "stats/student.h"

/* More runs than this are never asked for by number. */
enum { RUNS_ASKED_MOST = 200 };

/* The values of one row: of all runs, or of the runs that are pairs. */
struct values {
    double *a, *b;
    uint32_t n_a, n_b, unknown;
};

static enum compare_better better_of(const struct gate_row *row)
{
    return row->metric->higher_better ? COMPARE_HIGHER : COMPARE_LOWER;
}

/* A difference of logarithms of B and A as a share, + being better. */
static double share_of(const struct gate_row *row, double delta)
{
    return compare_share(row->metric->higher_better ? delta : -delta);
}

/* The geometric mean; NAN if a value is not known. */
static double mean_of(const double *x, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (isnan(x[i])) {
            return NAN;
        }
        sum += dist_ln(x[i]);
    }
    return n > 0 ? dist_exp(sum / n) : NAN;
}

/* ---- by margin ---- */

static enum gate_verdict verdict_of(enum noninferior_verdict verdict)
{
    static const enum gate_verdict verdicts[NONINFERIOR_VERDICTS] = {
        [NONINFERIOR_PASS] = GATE_PASS,
        [NONINFERIOR_FAIL] = GATE_FAIL,
        [NONINFERIOR_INCONCLUSIVE] = GATE_INCONCLUSIVE,
        [NONINFERIOR_INVALID] = GATE_INVALID};

    return verdicts[verdict];
}

static void judge_sets(const struct gate *gate, struct gate_row *row, const struct values *values)
{
    const struct gate_metric *rule = row->rule;
    bool improve = isnan(rule->margin);
    struct noninferior_rule how = {
        .kind = improve             ? NONINFERIOR_IMPROVE
                : rule->equivalence ? NONINFERIOR_EQUIVALENCE
                                    : NONINFERIOR_MARGIN,
        .better = better_of(row),
        .share = improve ? rule->improve_min : rule->margin,
        .alpha = gate->alpha,
        .power = gate->file->design.power,
        .min_runs = gate->file->require.min_runs,
        .max_runs = RUNS_ASKED_MOST,
    };
    struct noninferior judged;
    struct compare compare;

    compare_runs(values->a, values->n_a, values->b, values->n_b,
                 gate->pair_count > 0 ? COMPARE_PAIRED : COMPARE_WELCH, &compare);
    noninferior_judge(&compare, &how, &judged);
    row->by_margin = verdict_of(judged.verdict);
    row->limit = compare_share(judged.limit);
    row->runs_needed = judged.runs_needed;
    row->capped = judged.capped;
    row->regressed = judged.regressed;
    if (compare.state != COMPARE_NOT_ABOVE_0) {
        row->change = share_of(row, compare.delta);
    }
    if (compare.state == COMPARE_JUDGED) {
        row->low = compare_share(judged.low);
        row->high = compare_share(judged.high);
        row->mde = judged.mde;
        row->cv = compare.cv;
    }
}

/*
 * One candidate: its place against the prediction interval of the baseline (RESULTS section 11).
 * What is below the interval and yet within the margin has regressed, but may.
 */
static void judge_one(const struct gate *gate, struct gate_row *row, const struct values *values)
{
    const struct gate_metric *rule = row->rule;
    bool improve = isnan(rule->margin);
    double half, t, limit = improve ? dist_ln(1 + rule->improve_min) : dist_ln(1 - rule->margin);
    uint32_t least = gate->file->require.min_runs > NONINFERIOR_HISTORY_MIN
                         ? gate->file->require.min_runs
                         : NONINFERIOR_HISTORY_MIN;
    struct noninferior_prediction found;

    row->limit = compare_share(limit);
    noninferior_predict(values->a, values->n_a, values->b[0], better_of(row), gate->alpha, &found);
    row->change = share_of(row, dist_ln(row->b / row->a));
    row->by_margin = GATE_INVALID;
    if (found.verdict == NONINFERIOR_INVALID || values->n_a < least) {
        row->runs_needed = least;
        return;
    }
    half = fabs(dist_ln(found.bound / found.mean));
    t = student_quantile(1 - gate->alpha, values->n_a - 1);
    row->cv = half / t / sqrt(1 + 1.0 / values->n_a);
    row->mde = half / t * (t + student_quantile(gate->file->design.power, values->n_a - 1));
    row->low = compare_share(found.change - half);
    row->high = compare_share(found.change + half);
    row->regressed = found.verdict == NONINFERIOR_FAIL;
    if (improve) {
        row->by_margin = found.change - half > limit   ? GATE_PASS
                         : found.change + half < limit ? GATE_FAIL
                                                       : GATE_INCONCLUSIVE;
    } else if (row->regressed && found.change < limit) {
        row->by_margin = GATE_FAIL;
        row->regressed = false;
    } else if (row->mde > rule->margin) {
        row->runs_needed = 0; /* more runs do not narrow it below its spread */
    } else if (rule->equivalence && found.change - half > -limit) {
        row->by_margin = GATE_FAIL;
    } else {
        row->by_margin =
            rule->equivalence && found.change + half > -limit ? GATE_INCONCLUSIVE : GATE_PASS;
    }
}

/* ---- by an absolute limit ---- */

static void judge_limit(const struct gate *gate, struct gate_row *row, const struct values *values,
                        double limit, bool above)
{
    bool point = row->rule->by == GATE_BY_POINT || values->n_b == 1;
    double low = row->b, high = row->b;
    enum gate_verdict verdict;

    if (isnan(limit)) {
        return;
    }
    if (!point && values->n_b < gate->file->require.min_runs) {
        row->runs_needed = gate->file->require.min_runs;
        row->by_limit = GATE_INVALID;
        return;
    }
    if (!point) {
        low = noninferior_lower(values->b, values->n_b, gate->alpha);
        high = noninferior_upper(values->b, values->n_b, gate->alpha);
    }
    verdict = (above ? high <= limit : low >= limit) ? GATE_PASS
              : (above ? low > limit : high < limit) ? GATE_FAIL
                                                     : GATE_INCONCLUSIVE;
    /* of two limits the one that is worse kept is told of */
    if (isnan(row->held) || verdict > row->by_limit) {
        row->by_limit = verdict;
        row->held = above ? high : low;
        row->held_above = above;
    }
}

/* ---- one row ---- */

static void take_values(const struct gate *gate, const struct gate_row *row, double *x,
                        struct values *ret)
{
    double *all_a = x, *all_b = all_a + gate->baseline.run_count;

    *ret = (struct values){.a = all_b + gate->candidate.run_count};
    ret->b = ret->a + gate->baseline.run_count;
    set_values(&gate->baseline, row->metric, row->vm, all_a);
    set_values(&gate->candidate, row->metric, row->vm, all_b);
    if (gate->pair_count > 0) {
        ret->n_a = ret->n_b = gate->pair_count;
        for (uint32_t i = 0; i < gate->pair_count; i++) {
            ret->a[i] = all_a[gate->pairs[i].a];
            ret->b[i] = all_b[gate->pairs[i].b];
        }
    } else {
        ret->n_a = gate->baseline.run_count;
        ret->n_b = gate->candidate.run_count;
        memcpy(ret->a, all_a, ret->n_a * sizeof(*x));
        memcpy(ret->b, all_b, ret->n_b * sizeof(*x));
    }
    for (uint32_t i = 0; i < ret->n_a; i++) {
        ret->unknown += isnan(ret->a[i]);
    }
    for (uint32_t i = 0; i < ret->n_b; i++) {
        ret->unknown += isnan(ret->b[i]);
    }
}

/* More runs of the same do not bring a VM that they do not have. */
static void refuse_vm(const struct gate *gate, struct gate_row *row)
{
    const struct set *sides[2] = {&gate->baseline, &gate->candidate};
    const struct result *result = gate->baseline.runs[0].result;
    uint32_t vms = set_vm_count(sides, 2);

    if (vms == 0) {
        snprintf(row->message, sizeof(row->message), "the runs have not the same VMs");
        snprintf(row->next, sizeof(row->next), "run both sides with the same VMs");
        return;
    }
    snprintf(row->message, sizeof(row->message), "the runs have no VM \"%s\"", row->scope);
    snprintf(row->next, sizeof(row->next), "name one that they have, %.60s%s%.60s",
             result->vms[0].name, vms > 1 ? " to " : "", vms > 1 ? result->vms[vms - 1].name : "");
}

/* A row that cannot be judged at all: true, its verdict and message set. */
static bool refuse_row(const struct gate *gate, struct gate_row *row, const struct values *values)
{
    if (gate_check_broken(gate, "void")) {
        row->verdict = GATE_VOID;
        snprintf(row->message, sizeof(row->message), "not judged: a run is void");
    } else if (row->vm == (int32_t)RESULT_VMS) {
        row->verdict = row->rule->optional ? GATE_SKIPPED : GATE_INVALID;
        refuse_vm(gate, row);
    } else if (values->unknown > 0) {
        row->verdict = row->rule->optional ? GATE_SKIPPED : GATE_INVALID;
        snprintf(row->message, sizeof(row->message), "%u of %u runs do not have it",
                 values->unknown, values->n_a + values->n_b);
        if (!row->rule->optional) {
            snprintf(row->next, sizeof(row->next),
                     "record it in every run, or say `optional: yes`");
        }
    } else if (row->metric->latency && gate_check_broken(gate, "concurrency")) {
        row->verdict = GATE_INVALID;
        snprintf(row->message, sizeof(row->message),
                 "no verdict on latency: the sides differ in concurrency");
    } else {
        return false;
    }
    return true;
}

static void judge_row(const struct gate *gate, struct gate_row *row, double *x)
{
    const struct gate_metric *rule = row->rule;
    struct values values;

    row->change = row->low = row->high = row->limit = row->mde = row->cv = row->held = NAN;
    row->by_margin = row->by_limit = GATE_SKIPPED;
    take_values(gate, row, x, &values);
    row->n_a = values.n_a;
    row->n_b = values.n_b;
    row->a = mean_of(values.a, values.n_a);
    row->b = mean_of(values.b, values.n_b);
    if (refuse_row(gate, row, &values)) {
        return;
    }
    if (!isnan(rule->margin) || !isnan(rule->improve_min)) {
        (gate->one_run ? judge_one : judge_sets)(gate, row, &values);
    }
    judge_limit(gate, row, &values, rule->most, true);
    judge_limit(gate, row, &values, rule->least, false);
    row->verdict = row->by_margin > row->by_limit ? row->by_margin : row->by_limit;
    if (row->verdict == GATE_SKIPPED) {
        row->verdict = GATE_PASS;
    }
    gate_say_row(gate, row);
}

/* ---- all rows ---- */

static uint32_t count_scopes(const struct gate_metric *rule, uint32_t vms)
{
    return strcmp(rule->scope, "each_vm") == 0 && vms > 0 ? vms : 1;
}

/* The VM that all runs have under this name; UINT32_MAX if there is none. */
static uint32_t find_vm(const struct gate *gate, uint32_t vms, const char *name)
{
    const struct result *result = gate->baseline.runs[0].result;

    for (uint32_t i = 0; i < vms; i++) {
        if (strcmp(result->vms[i].name, name) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

static void name_scope(const struct gate *gate, struct gate_row *row, uint32_t scope, uint32_t vms)
{
    uint32_t vm = scope;

    if (strcmp(row->rule->scope, "aggregate") == 0) {
        row->vm = -1;
        snprintf(row->scope, sizeof(row->scope), "aggregate");
        return;
    }
    if (strcmp(row->rule->scope, "each_vm") != 0) {
        vm = find_vm(gate, vms, row->rule->scope);
    }
    row->vm = vm < vms ? (int32_t)vm : (int32_t)RESULT_VMS; /* no such VM: no value */
    snprintf(row->scope, sizeof(row->scope), "%s",
             vm < vms ? gate->baseline.runs[0].result->vms[vm].name : row->rule->scope);
}

int gate_rows_judge(struct gate *gate, struct error *err)
{
    const struct set *sides[2] = {&gate->baseline, &gate->candidate};
    uint32_t vms = set_vm_count(sides, 2), count = 0;
    uint32_t runs = gate->baseline.run_count + gate->candidate.run_count;
    double *x = mem_array(2 * (size_t)runs, sizeof(*x));

    for (uint32_t i = 0; i < gate->file->metric_count; i++) {
        count += count_scopes(&gate->file->metrics[i], vms);
    }
    gate->rows = mem_array(count, sizeof(*gate->rows));
    if (x == NULL || gate->rows == NULL) {
        mem_free(x);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u rows", count);
    }
    for (uint32_t i = 0; i < gate->file->metric_count; i++) {
        const struct gate_metric *rule = &gate->file->metrics[i];

        for (uint32_t scope = 0; scope < count_scopes(rule, vms); scope++) {
            struct gate_row *row = &gate->rows[gate->row_count++];

            row->rule = rule;
            row->metric = &set_metrics[rule->metric];
            name_scope(gate, row, scope, vms);
            judge_row(gate, row, x);
        }
    }
    mem_free(x);
    return 0;
}
