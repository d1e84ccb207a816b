#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "gate_parts.h"

const char *gate_row_share(double share, char *buf, size_t size)
{
    double percent = 100 * share, size_percent = fabs(percent);

    if (isnan(share)) {
        snprintf(buf, size, "-");
    } else if (size_percent < 0.005) {
        snprintf(buf, size, "0.0%%");
    } else {
        snprintf(buf, size, size_percent < 0.095 ? "%+.2f%%" : "%+.1f%%", percent);
    }
    return buf;
}

/* A share as the file would write it: "2%" "0.5%". */
static const char *plain_share(double share, char buf[32])
{
    snprintf(buf, 32, "%.4g%%", 100 * share);
    return buf;
}

/* An estimate: two digits say enough. */
static const char *rough_share(double share, char buf[32])
{
    snprintf(buf, 32, share < 0.1 ? "%.2g%%" : "%.0f%%", 100 * share);
    return buf;
}

const char *gate_row_figure(const struct set_metric *metric, double value, char *buf, size_t size)
{
    if (isnan(value)) {
        snprintf(buf, size, "-");
    } else if (metric->unit == SET_NS) {
        units_format_duration((int64_t)(value + 0.5), buf, size);
    } else if (metric->unit == SET_SHARE) {
        snprintf(buf, size, "%.3g%%", 100 * value);
    } else if (value >= 1000 && value < 1e15) {
        units_format_count((uint64_t)(value + 0.5), buf, size);
    } else {
        snprintf(buf, size, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.3g", value);
    }
    return buf;
}

const char *gate_row_rule(const struct gate_row *row, char *buf, size_t size)
{
    const struct gate_metric *rule = row->rule;
    char most[48], least[48], share[32], improve[32];

    snprintf(buf, size, "%s%s%s%s%s%s%s%s%s%s%s", row->scope,
             isnan(rule->margin) ? ""
             : rule->equivalence ? " within "
                                 : " margin ",
             isnan(rule->margin) ? "" : plain_share(rule->margin, share),
             isnan(rule->improve_min) ? "" : " better by ",
             isnan(rule->improve_min) ? "" : plain_share(rule->improve_min, improve),
             isnan(rule->most) ? "" : " max ",
             isnan(rule->most) ? "" : gate_row_figure(row->metric, rule->most, most, sizeof(most)),
             isnan(rule->least) ? "" : " min ",
             isnan(rule->least) ? ""
                                : gate_row_figure(row->metric, rule->least, least, sizeof(least)),
             rule->by == GATE_BY_POINT ? " by point" : "", rule->advisory ? " (advisory)" : "");
    return buf;
}

/* ---- one row ---- */

static void say_interval(const struct gate_row *row, char buf[96])
{
    char change[24], low[24], high[24];

    snprintf(buf, 96, "%s [%s, %s]", gate_row_share(row->change, change, sizeof(change)),
             gate_row_share(row->low, low, sizeof(low)),
             gate_row_share(row->high, high, sizeof(high)));
}

static void say_few(const struct gate *gate, struct gate_row *row)
{
    if (gate->one_run) {
        snprintf(row->message, sizeof(row->message),
                 "one candidate run needs %u baseline runs, there are %u", row->runs_needed,
                 row->n_a);
        snprintf(row->next, sizeof(row->next), "add %u baseline runs, or more candidates",
                 row->runs_needed > row->n_a ? row->runs_needed - row->n_a : 0);
        return;
    }
    if (gate->pair_count > 0) {
        snprintf(row->message, sizeof(row->message), "%u pairs of runs: %u are needed", row->n_a,
                 gate->file->require.min_runs);
    } else {
        snprintf(row->message, sizeof(row->message), "%u and %u runs: %u a side are needed",
                 row->n_a, row->n_b, gate->file->require.min_runs);
    }
}

static void say_noise(const struct gate *gate, struct gate_row *row)
{
    double share = isnan(row->rule->margin) ? row->rule->improve_min : row->rule->margin;
    char margin[32], mde[32], cv[32];

    snprintf(row->message, sizeof(row->message),
             "the gate cannot see %s: runs scatter by %s, so the MDE is %s",
             plain_share(share, margin), rough_share(row->cv, cv), rough_share(row->mde, mde));
    if (gate->one_run) {
        snprintf(row->next, sizeof(row->next), "make more candidate runs, or use a quieter rig");
    }
}

static void say_few_or_noise(const struct gate *gate, struct gate_row *row)
{
    uint32_t least = gate->file->require.min_runs;
    uint32_t have = row->n_a < row->n_b ? row->n_a : row->n_b;

    if ((gate->one_run && row->runs_needed > 0) || (!gate->one_run && have < least) ||
        isnan(row->mde)) {
        say_few(gate, row);
    } else {
        say_noise(gate, row);
    }
}

static void say_margin(const struct gate *gate, struct gate_row *row)
{
    char interval[96], limit[24], against[24];
    const char *side = "<";
    bool above = false;

    say_interval(row, interval);
    gate_row_share(row->limit, limit, sizeof(limit));
    above = row->by_margin == GATE_FAIL && row->rule->equivalence && row->low > -row->limit;
    if (above) {
        gate_row_share(row->rule->margin / (1 - row->rule->margin), against, sizeof(against));
        snprintf(row->message, sizeof(row->message), "%s > %s: not equivalent", interval, against);
        return;
    }
    if (row->by_margin == GATE_INCONCLUSIVE) {
        snprintf(row->message, sizeof(row->message), "%s: %s lies inside%s", interval, limit,
                 row->rule->equivalence && row->low > row->limit ? " on the better side" : "");
        return;
    }
    side = row->by_margin == GATE_PASS ? ">" : "<";
    snprintf(row->message, sizeof(row->message), "%s %s %s%s", interval, side, limit,
             row->regressed ? "; regressed within the margin"
             : row->by_margin == GATE_FAIL && !isnan(row->rule->improve_min)
                 ? "; not so much better"
                 : "");
}

static void say_limit(const struct gate *gate, struct gate_row *row)
{
    const struct gate_metric *rule = row->rule;
    bool point = rule->by == GATE_BY_POINT || row->n_b == 1, above = row->held_above;
    double limit = above ? rule->most : rule->least;
    char held[48], text[48];
    size_t n = strlen(row->message);

    if (row->by_limit == GATE_INVALID || row->by_limit == GATE_SKIPPED) {
        return;
    }
    snprintf(row->message + n, sizeof(row->message) - n, "%s%s %s %s %s %s%s", n > 0 ? "; " : "",
             point   ? "value"
             : above ? "upper bound"
                     : "lower bound",
             gate_row_figure(row->metric, row->held, held, sizeof(held)),
             row->by_limit == GATE_PASS ? "within" : "beyond", above ? "max" : "min",
             gate_row_figure(row->metric, limit, text, sizeof(text)),
             row->by_limit == GATE_INCONCLUSIVE ? ", the mean is not" : "");
}

static void say_runs(const struct gate *gate, struct gate_row *row)
{
    uint32_t have = row->n_a < row->n_b ? row->n_a : row->n_b, most = gate->file->design.max_runs;
    uint32_t need = row->runs_needed > gate->file->require.min_runs ? row->runs_needed
                                                                    : gate->file->require.min_runs;

    if (row->next[0] != '\0' || gate->one_run || row->verdict < GATE_INCONCLUSIVE ||
        row->verdict == GATE_FAIL) {
        return;
    }
    if (row->capped || need > most) {
        snprintf(row->next, sizeof(row->next),
                 "needs %s%u runs a side, beyond max_runs %u: use a quieter rig, longer samples or "
                 "a wider margin",
                 row->capped ? "more than " : "", need, most);
    } else if (need > have) {
        snprintf(row->next, sizeof(row->next), "needs %u runs a side: add %u to each", need,
                 need - have);
    } else {
        snprintf(row->next, sizeof(row->next), "add runs to each side, up to %u", most);
    }
}

void gate_say_row(const struct gate *gate, struct gate_row *row)
{
    if (row->by_margin == GATE_INVALID) {
        say_few_or_noise(gate, row);
    } else if (row->by_margin != GATE_SKIPPED) {
        say_margin(gate, row);
    } else if (row->by_limit == GATE_INVALID) {
        say_few(gate, row);
    }
    say_limit(gate, row);
    say_runs(gate, row);
}

/* ---- the answer ---- */

/* Would more runs give it a verdict? Not where they lack what it asks for. */
static bool wants_runs(const struct gate_row *row)
{
    return row->next[0] == '\0' || strncmp(row->next, "needs ", 6) == 0 ||
           strncmp(row->next, "add ", 4) == 0;
}

/* A side, over all rows of a verdict. */
struct runs_wanted {
    uint32_t have, need; /* the fewest that one has, the most that one wants */
    bool beyond, capped; /* more than max_runs; more than need */
};

static void runs_wanted(const struct gate *gate, enum gate_verdict verdict, struct runs_wanted *ret)
{
    *ret = (struct runs_wanted){.have = UINT32_MAX, .need = gate->file->require.min_runs};
    for (uint32_t i = 0; i < gate->row_count; i++) {
        const struct gate_row *row = &gate->rows[i];
        uint32_t have = row->n_a < row->n_b ? row->n_a : row->n_b;

        if (row->verdict != verdict || row->rule->advisory || !wants_runs(row)) {
            continue;
        }
        ret->have = have < ret->have ? have : ret->have;
        ret->need = row->runs_needed > ret->need ? row->runs_needed : ret->need;
        ret->capped = ret->capped || row->capped;
    }
    ret->beyond = ret->capped || ret->need > gate->file->design.max_runs;
}

static void say_beyond(struct gate *gate, uint32_t need, bool beyond, bool capped)
{
    uint32_t most = gate->file->design.max_runs;

    if (beyond) {
        snprintf(gate->next, sizeof(gate->next), "%s%u runs a side are needed, max_runs is %u",
                 capped ? "more than " : "", need, most);
    } else {
        snprintf(gate->next, sizeof(gate->next),
                 "there are as many runs a side as max_runs, %u, allows", most);
    }
    snprintf(gate->next + strlen(gate->next), sizeof(gate->next) - strlen(gate->next),
             ": use a quieter rig, longer samples or a wider margin; or raise max_runs");
}

/* Two pairs, then another look: chance may bring a verdict before the runs that are needed. */
static void say_look(struct gate *gate, const struct runs_wanted *runs)
{
    uint32_t most = gate->file->design.max_runs, add = most - runs->have < 2 ? 1 : 2;
    size_t n;

    snprintf(gate->next, sizeof(gate->next),
             "add %u ABBA pair%s (%s) by `rawtps bench-pair --runs %u` and ask again: %u of at "
             "most %u a side then; alpha is %.4g for each of %u looks",
             add, add > 1 ? "s" : "", add > 1 ? "A B B A" : "A B", add, runs->have + add, most,
             gate->alpha, gate->looks);
    n = strlen(gate->next);
    if (runs->beyond) {
        snprintf(gate->next + n, sizeof(gate->next) - n,
                 ". By what is seen so far %s%u would be needed: a quieter rig or longer samples "
                 "are surer",
                 runs->capped ? "more than " : "", runs->need);
    }
}

static void say_more(struct gate *gate, enum gate_verdict verdict)
{
    bool more = gate->file->design.on_inconclusive == GATE_INCONCLUSIVE_MORE;
    uint32_t most = gate->file->design.max_runs, add;
    struct runs_wanted runs;

    runs_wanted(gate, verdict, &runs);
    if (runs.have >= most || (runs.beyond && !(more && verdict == GATE_INCONCLUSIVE))) {
        say_beyond(gate, runs.need, runs.beyond, runs.capped);
        return;
    }
    if (verdict == GATE_INCONCLUSIVE && more) {
        say_look(gate, &runs);
        return;
    }
    add = runs.need > runs.have ? runs.need - runs.have : 1;
    snprintf(gate->next, sizeof(gate->next),
             "add %u run%s to each side, in the order A B B A (`rawtps bench-pair --runs %u`), and "
             "ask again: %u a side then",
             add, add > 1 ? "s" : "", add, runs.have + add);
}

static const char *first_check(const struct gate *gate, enum gate_verdict verdict,
                               const char **ret_next)
{
    for (uint32_t i = 0; i < gate->check_count; i++) {
        if (gate->checks[i].verdict == verdict) {
            *ret_next = gate->checks[i].next;
            return gate->checks[i].message;
        }
    }
    return NULL;
}

/* One that no run cures before those that more of them do; NULL if none counts. */
static const struct gate_row *first_invalid(const struct gate *gate)
{
    const struct gate_row *ret = NULL;

    for (uint32_t i = 0; i < gate->row_count; i++) {
        const struct gate_row *row = &gate->rows[i];

        if (row->verdict == GATE_INVALID && !row->rule->advisory &&
            (ret == NULL || (wants_runs(ret) && !wants_runs(row)))) {
            ret = row;
        }
    }
    return ret;
}

static void say_invalid(struct gate *gate)
{
    const char *next = "", *check = first_check(gate, gate->verdict, &next);
    const struct gate_row *row;

    if (check != NULL) {
        snprintf(gate->words, sizeof(gate->words), "no verdict: %s", check);
        snprintf(gate->next, sizeof(gate->next), "%s", next);
        return;
    }
    if (gate->counts[gate->verdict] == 0) {
        snprintf(gate->words, sizeof(gate->words), "no verdict: no row could be judged");
        snprintf(gate->next, sizeof(gate->next), "give the gate a row that the runs do have");
        return;
    }
    row = first_invalid(gate);
    if (row == NULL) {
        return;
    }
    snprintf(gate->words, sizeof(gate->words), "no verdict: %s of %s: %.160s", row->metric->name,
             row->scope, row->message);
    if (wants_runs(row) && !gate->one_run) {
        say_more(gate, GATE_INVALID);
    } else {
        snprintf(gate->next, sizeof(gate->next), "%s", row->next);
    }
}

static void say_pass(struct gate *gate)
{
    uint32_t regressed = 0, open = gate->counts[GATE_INCONCLUSIVE];

    for (uint32_t i = 0; i < gate->row_count; i++) {
        regressed += gate->rows[i].regressed && !gate->rows[i].rule->advisory;
    }
    snprintf(gate->words, sizeof(gate->words), "passed: %u row%s hold%s", gate->counts[GATE_PASS],
             gate->counts[GATE_PASS] == 1 ? "" : "s", gate->counts[GATE_PASS] == 1 ? "s" : "");
    if (open > 0) {
        size_t n = strlen(gate->words);

        snprintf(gate->words + n, sizeof(gate->words) - n, ", %u inconclusive let through", open);
    }
    if (regressed > 0) {
        size_t n = strlen(gate->words);

        snprintf(gate->words + n, sizeof(gate->words) - n, ", %u of them worse within the margin",
                 regressed);
    }
}

/* A host that had no CPUs to spare may be what is found wanting. */
static bool host_interfered(const struct gate *gate)
{
    for (uint32_t i = 0; i < gate->check_count; i++) {
        if (strcmp(gate->checks[i].name, "interference") == 0) {
            return gate->checks[i].differs;
        }
    }
    return false;
}

static void say_fail(struct gate *gate)
{
    uint32_t judged = gate->counts[GATE_FAIL] + gate->counts[GATE_PASS] +
                      gate->counts[GATE_INCONCLUSIVE] + gate->counts[GATE_INVALID];

    if (gate->counts[GATE_FAIL] == 0) {
        snprintf(gate->words, sizeof(gate->words), "the history has become worse");
        snprintf(gate->next, sizeof(gate->next), "`rawtps history '%.200s'` shows since when",
                 gate->file->history.runs[0]);
        return;
    }
    snprintf(gate->words, sizeof(gate->words), "found wanting: %u of %u row%s, proven",
             gate->counts[GATE_FAIL], judged, judged == 1 ? "" : "s");
    snprintf(gate->next, sizeof(gate->next),
             "`rawtps compare '%.140s' --vs '%.140s'` shows where%s", gate->file->baseline.runs[0],
             gate->file->candidate.runs[0],
             host_interfered(gate) ? "; but the host was busy in some of the runs (interference): "
                                     "it may be the cause"
                                   : "");
}

void gate_say_answer(struct gate *gate)
{
    switch (gate->verdict) {
    case GATE_FAIL:
        say_fail(gate);
        break;
    case GATE_INCONCLUSIVE:
        snprintf(gate->words, sizeof(gate->words),
                 "inconclusive: %u row%s may or may not be worse than the margin",
                 gate->counts[GATE_INCONCLUSIVE], gate->counts[GATE_INCONCLUSIVE] == 1 ? "" : "s");
        say_more(gate, GATE_INCONCLUSIVE);
        break;
    case GATE_INVALID:
    case GATE_VOID:
        say_invalid(gate);
        break;
    default:
        say_pass(gate);
    }
}
