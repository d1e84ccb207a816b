#include "report/doc_gate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "doc_gate_parts.h"
#include "doc_metric.h"

enum { ROWS_MOST = 4096, NOTES_MOST = 64 };

static enum doc_tone gate_tone(enum gate_verdict verdict)
{
    static const enum doc_tone tones[GATE_VERDICTS] = {
        [GATE_PASS] = DOC_GOOD, [GATE_SKIPPED] = DOC_PLAIN,    [GATE_INCONCLUSIVE] = DOC_DOUBTFUL,
        [GATE_FAIL] = DOC_BAD,  [GATE_INVALID] = DOC_DOUBTFUL, [GATE_VOID] = DOC_BAD};

    return tones[verdict];
}

static const char *share(double value, char buf[32])
{
    return isnan(value) ? "" : gate_row_share(value, buf, 32);
}

/* ---- sides ---- */

static void add_side(struct doc *doc, const char *key, const struct set *set)
{
    const struct result *first = set->runs[0].result;
    const struct result_drive *drive = first->drive_count > 0 ? &first->drives[0] : NULL;

    doc_pair(doc, key, "%s: %u run%s, %s%s%s", set->label, set->run_count,
             set->run_count == 1 ? "" : "s", set->runs[0].path, set->run_count > 1 ? " ... " : "",
             set->run_count > 1 ? set->runs[set->run_count - 1].path : "");
    if (drive != NULL && (drive->model[0] != '\0' || drive->serial[0] != '\0')) {
        doc_pair(doc, "", "%s%s%s%s%s", drive->model, drive->firmware[0] ? " fw " : "",
                 drive->firmware, drive->serial[0] ? " sn " : "", drive->serial);
    }
}

void doc_gate_sides(struct doc *doc, const struct gate *gate)
{
    const struct result *first = gate->candidate.runs[0].result;
    const struct gate_design *design = &gate->file->design;

    add_side(doc, "A baseline", &gate->baseline);
    add_side(doc, "B candidate", &gate->candidate);
    doc_pair(doc, "scenario", "%s @%.12s, %u VM%s", first->scenario.name, first->scenario.sha256,
             first->vm_count, first->vm_count == 1 ? "" : "s");
    if (gate->one_run) {
        doc_pair(doc, "design",
                 "one candidate against the spread of the baseline, one-sided alpha "
                 "%.4g",
                 gate->alpha);
    } else if (gate->pair_count > 0) {
        doc_pair(doc, "design", "%u ABBA pairs, one-sided alpha %.4g, power %.2f", gate->pair_count,
                 gate->alpha, design->power);
    } else {
        doc_pair(doc, "design", "two independent sets (Welch), one-sided alpha %.4g, power %.2f",
                 gate->alpha, design->power);
    }
}

/* ---- rows ---- */

static void add_limit(struct doc *doc, const struct gate_row *row)
{
    const struct gate_metric *rule = row->rule;
    char text[96] = "", figure[40], change[32];

    if (!isnan(row->limit)) {
        snprintf(text, sizeof(text), "%s %s", rule->equivalence ? "within" : ">",
                 share(row->limit, change));
    }
    if (!isnan(rule->most)) {
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%smax %s", text[0] ? ", " : "",
                 gate_row_figure(row->metric, rule->most, figure, sizeof(figure)));
    }
    if (!isnan(rule->least)) {
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%smin %s", text[0] ? ", " : "",
                 gate_row_figure(row->metric, rule->least, figure, sizeof(figure)));
    }
    doc_cell(doc, "%s", text);
}

static void add_row(struct doc *doc, const struct gate_row *row)
{
    char word[48], change[32], low[32], high[32], mde[32] = "";

    doc_cell(doc, "%s", row->metric->name);
    doc_cell(doc, "%s", row->scope);
    doc_cell_metric(doc, row->metric, row->a);
    doc_cell_metric(doc, row->metric, row->b);
    doc_cell(doc, "%s", share(row->change, change));
    if (isnan(row->low)) {
        doc_cell(doc, "%s", "");
    } else {
        doc_cell(doc, "[%s, %s]", share(row->low, low), share(row->high, high));
    }
    add_limit(doc, row);
    if (!isnan(row->mde)) {
        snprintf(mde, sizeof(mde), "%.1f%%", 100 * row->mde);
    }
    doc_cell(doc, "%s", mde);
    doc_cell(doc, "%u+%u", row->n_a, row->n_b);
    snprintf(word, sizeof(word), "%s%s", gate_verdict_names[row->verdict],
             row->rule->advisory ? " (advisory)" : "");
    doc_cell_tone(doc, row->rule->advisory ? DOC_PLAIN : gate_tone(row->verdict), word);
}

void doc_gate_rows(struct doc *doc, const struct gate *gate, uint32_t most)
{
    static const struct doc_column columns[] = {
        {"metric", "metric", DOC_LEFT},  {"scope", "scope", DOC_LEFT},
        {"A", "a", DOC_RIGHT},           {"B", "b", DOC_RIGHT},
        {"change", "change", DOC_RIGHT}, {"bounds", "bounds", DOC_RIGHT},
        {"asked", "asked", DOC_RIGHT},   {"MDE", "mde", DOC_RIGHT},
        {"n", "n", DOC_RIGHT},           {"verdict", "verdict", DOC_LEFT}};
    uint32_t shown = 0;

    doc_table(doc, "gate", columns, sizeof(columns) / sizeof(columns[0]));
    for (int v = GATE_VERDICTS - 1; v >= 0; v--) {
        for (uint32_t i = 0; i < gate->row_count && shown < most; i++) {
            if (gate->row_count <= most ? v == 0 : gate->rows[i].verdict == (enum gate_verdict)v) {
                add_row(doc, &gate->rows[i]);
                shown++;
            }
        }
    }
    doc_note(
        doc,
        "change: B against A, + is better (of what should be low, A/B - 1); bounds: one-sided, "
        "each missed with probability %.4g; MDE: the smallest change that is seen.",
        gate->alpha);
    if (shown < gate->row_count) {
        doc_note(doc, "%u more rows pass or are like these; the JSON output has all.",
                 gate->row_count - shown);
    }
}

void doc_gate_notes(struct doc *doc, const struct gate *gate, uint32_t most)
{
    for (uint32_t i = 0; i < gate->row_count && most > 0; i++) {
        const struct gate_row *row = &gate->rows[i];
        char rule[160];

        if (row->verdict == GATE_PASS && !row->regressed) {
            continue;
        }
        doc_note(doc, "%s %s: %s%s%s.", row->metric->name, gate_row_rule(row, rule, sizeof(rule)),
                 row->message, row->next[0] != '\0' ? ". " : "", row->next);
        doc_verdict(doc, row->rule->advisory ? DOC_PLAIN : gate_tone(row->verdict),
                    gate_verdict_names[row->verdict]);
        most--;
    }
}

/* ---- what must hold ---- */

void doc_gate_checks(struct doc *doc, const struct gate *gate, bool all)
{
    static const struct doc_column columns[] = {{"required", "required", DOC_LEFT},
                                                {"A", "a", DOC_LEFT},
                                                {"B", "b", DOC_LEFT},
                                                {"holds", "holds", DOC_LEFT}};

    doc_table(doc, "requirements", columns, 4);
    for (uint32_t i = 0; i < gate->check_count; i++) {
        const struct gate_check *check = &gate->checks[i];

        if (!all && !check->asked && !check->differs) {
            continue;
        }
        doc_cell(doc, "%s", check->title);
        doc_cell(doc, "%s", check->values[0][0] ? check->values[0] : "not recorded");
        doc_cell(doc, "%s", check->values[1][0] ? check->values[1] : "not recorded");
        if (check->verdict != GATE_PASS) {
            doc_cell_tone(doc, gate_tone(check->verdict), gate_verdict_names[check->verdict]);
        } else if (check->asked && !check->unknown) {
            doc_cell_tone(doc, DOC_GOOD, "yes");
        } else {
            doc_cell(doc, "%s",
                     check->unknown                       ? "not known"
                     : check->differs && check->invariant ? "no, not asked"
                     : check->differs                     ? "differs, not asked"
                                                          : "not asked");
        }
    }
    for (uint32_t i = 0; i < gate->check_count; i++) {
        if (gate->checks[i].verdict != GATE_PASS) {
            doc_note(doc, "%s%s%s.", gate->checks[i].message, gate->checks[i].next[0] ? ". " : "",
                     gate->checks[i].next);
        }
    }
}

void doc_gate_history(struct doc *doc, const struct gate *gate)
{
    static const struct doc_column columns[] = {
        {"metric", "metric", DOC_LEFT},  {"since", "since", DOC_LEFT},
        {"before", "before", DOC_RIGHT}, {"after", "after", DOC_RIGHT},
        {"change", "change", DOC_RIGHT}, {"p", "p", DOC_RIGHT}};
    char buf[32];

    if (!gate->file->history.given) {
        return;
    }
    if (gate->change_count == 0) {
        doc_note(doc, "history: no change in %u runs.", gate->history.run_count);
        return;
    }
    doc_table(doc, "history", columns, 6);
    for (uint32_t i = 0; i < gate->change_count; i++) {
        const struct gate_change *change = &gate->changes[i];
        double ratio = change->point.after / change->point.before;

        doc_cell(doc, "%s", change->metric->name);
        doc_cell(doc, "%s", change->run);
        doc_cell_metric(doc, change->metric, change->point.before);
        doc_cell_metric(doc, change->metric, change->point.after);
        doc_cell_tone(doc, change->worse ? DOC_BAD : DOC_GOOD,
                      share(change->metric->higher_better ? ratio - 1 : 1 / ratio - 1, buf));
        doc_cell(doc, "%.1g", change->point.p);
    }
    doc_note(doc, "history: %u change%s in %u runs%s.", gate->change_count,
             gate->change_count == 1 ? "" : "s", gate->history.run_count,
             gate->file->history.advisory ? ", shown only" : "");
}

void doc_gate(struct doc *doc, const struct gate *gate)
{
    doc_heading(doc, 1, "gate %s: %s", gate->file->name, gate_verdict_names[gate->verdict]);
    doc_pair(doc, "answer", "%s", gate->words);
    doc_verdict(doc, gate_tone(gate->verdict), gate_verdict_names[gate->verdict]);
    if (gate->next[0] != '\0') {
        doc_pair(doc, "next", "%s", gate->next);
    }
    doc_gate_sides(doc, gate);
    doc_gate_rows(doc, gate, ROWS_MOST);
    doc_gate_notes(doc, gate, NOTES_MOST);
    doc_heading(doc, 2, "What must hold");
    doc_gate_checks(doc, gate, false);
    doc_gate_history(doc, gate);
}
