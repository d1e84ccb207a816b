#include "result/gate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "base/units.h"
#include "gate_parts.h"
#include "set_rows.h"

const char *const gate_verdict_names[GATE_VERDICTS] = {"PASS", "SKIPPED", "INCONCLUSIVE",
                                                       "FAIL", "INVALID", "VOID"};

void gate_words_here(struct gate_words *ret)
{
    must(set_metric_count <= GATE_WORDS);
    *ret = (struct gate_words){.metric_count = set_metric_count};
    for (uint32_t i = 0; i < set_metric_count; i++) {
        ret->metrics[i] = set_metrics[i].name;
        ret->units[i] = set_metrics[i].unit == SET_NS      ? GATE_DURATION
                        : set_metrics[i].unit == SET_SHARE ? GATE_SHARE
                                                           : GATE_NUMBER;
    }
    /* the rows of set_rows_of() that ask whether two sides are the same, and whether by the host */
    for (uint32_t i = 0; i < set_question_count; i++) {
        if (!set_questions[i].invariant || strcmp(set_questions[i].name, "interference") == 0) {
            must(ret->same_count < GATE_SAME);
            ret->same[ret->same_count++] = set_questions[i].name;
        }
    }
    must(ret->same_count < GATE_SAME);
    ret->same[ret->same_count++] = "seed_policy";
}

/* ---- loading ---- */

static int add_globs(struct set *set, const struct gate_file *file, const char (*runs)[GATE_PATH],
                     const struct gate_place *places, uint32_t count, struct error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (set_add(set, runs[i], err) < 0) {
            /* an error in a run.json has a place of its own */
            return err->file[0] == '\0'
                       ? units_place(err, file->path, places[i].line, places[i].column)
                       : err->code;
        }
    }
    return 0;
}

static bool has_tag(const struct set_run *run, uint32_t i, void *context)
{
    return strcmp(run->result->run.label, context) == 0;
}

static bool is_late(const struct set_run *run, uint32_t i, void *context)
{
    return i >= *(const uint32_t *)context;
}

static int load_side(struct set *set, const struct gate_file *file, const struct gate_side *side,
                     struct error *err)
{
    char tag[sizeof(side->tag)];
    uint32_t first;

    set_init(set, side->label);
    if (add_globs(set, file, side->runs, side->places, side->run_count, err) < 0) {
        return err->code;
    }
    memcpy(tag, side->tag, sizeof(tag));
    if (tag[0] != '\0') {
        set_keep(set, has_tag, tag);
    }
    if (set->run_count == 0) {
        error_at(err, file->path, side->places[0].line, side->places[0].column,
                 "no run of %s has the label \"%s\"", side->runs[0], side->tag);
        return error_hint(err, "`rawtps run --label %s` gives one", side->tag);
    }
    first = side->last > 0 && side->last < set->run_count ? set->run_count - side->last : 0;
    set_keep(set, is_late, &first);
    return 0;
}

int gate_open(struct gate *gate, const struct gate_file *file, struct error *err)
{
    const struct gate_history *history = &file->history;
    const struct set *sides[2] = {&gate->baseline, &gate->candidate};

    *gate = (struct gate){.file = file};
    set_init(&gate->baseline, file->baseline.label);
    set_init(&gate->candidate, file->candidate.label);
    set_init(&gate->history, "history");
    if (load_side(&gate->baseline, file, &file->baseline, err) < 0 ||
        load_side(&gate->candidate, file, &file->candidate, err) < 0) {
        return err->code;
    }
    if (set_refuse_shared(sides, 2, err) < 0) {
        return units_place(err, file->path, file->candidate.places[0].line,
                           file->candidate.places[0].column);
    }
    if (!history->given) {
        return 0;
    }
    return add_globs(&gate->history, file, history->runs, history->places, history->run_count, err);
}

void gate_close(struct gate *gate)
{
    set_free(&gate->baseline);
    set_free(&gate->candidate);
    set_free(&gate->history);
    mem_free(gate->rows);
    mem_free(gate->pairs);
    gate->rows = NULL;
    gate->pairs = NULL;
}

/* ---- the answer ---- */

static enum exit_code exit_of(enum gate_verdict verdict)
{
    static const enum exit_code exits[GATE_VERDICTS] = {[GATE_PASS] = EXIT_FINE,
                                                        [GATE_SKIPPED] = EXIT_FINE,
                                                        [GATE_INCONCLUSIVE] = EXIT_INCONCLUSIVE,
                                                        [GATE_FAIL] = EXIT_WANTING,
                                                        [GATE_INVALID] = EXIT_INVALID,
                                                        [GATE_VOID] = EXIT_WRONG_DATA};

    return exits[verdict];
}

bool gate_row_counts(const struct gate *gate, const struct gate_row *row)
{
    return !row->rule->advisory && !(row->verdict == GATE_INCONCLUSIVE &&
                                     gate->file->design.on_inconclusive == GATE_INCONCLUSIVE_PASS);
}

static void answer(struct gate *gate)
{
    enum gate_verdict worst = GATE_PASS;
    uint32_t judged = 0;

    for (uint32_t i = 0; i < gate->check_count; i++) {
        worst = gate->checks[i].verdict > worst ? gate->checks[i].verdict : worst;
    }
    for (uint32_t i = 0; i < gate->row_count; i++) {
        const struct gate_row *row = &gate->rows[i];

        if (!row->rule->advisory) {
            gate->counts[row->verdict]++;
            judged += row->verdict != GATE_SKIPPED;
        }
        if (gate_row_counts(gate, row) && row->verdict > worst) {
            worst = row->verdict;
        }
    }
    for (uint32_t i = 0; i < gate->change_count && !gate->file->history.advisory; i++) {
        /* the last change of a metric is how it stands today */
        bool last =
            i + 1 == gate->change_count || gate->changes[i + 1].metric != gate->changes[i].metric;

        worst = last && gate->changes[i].worse && worst < GATE_FAIL ? GATE_FAIL : worst;
    }
    worst = worst == GATE_SKIPPED ? GATE_PASS : worst;
    gate->verdict = judged == 0 && worst == GATE_PASS ? GATE_INVALID : worst;
    gate->exit = exit_of(gate->verdict);
}

/* ---- pairs ---- */

/* Runs that were made in ABBA order by hand: by the instants at which they began. */
static uint32_t pair_by_time(const struct gate *gate, struct set_pair *ret)
{
    const struct set *a = &gate->baseline, *b = &gate->candidate;
    uint32_t i = 0, j = 0, order = 0, count = 0, last_a = 0, last_b = 0;
    bool flip = false;

    while (i < a->run_count || j < b->run_count) {
        const char *at_a = i < a->run_count ? a->runs[i].result->run.started_utc : NULL;
        const char *at_b = j < b->run_count ? b->runs[j].result->run.started_utc : NULL;
        int first = at_a == NULL ? 1 : at_b == NULL ? -1 : strcmp(at_a, at_b);
        bool is_b = first > 0;

        order++;
        flip = order == 1 ? is_b : flip;
        if (first == 0 || is_b != (flip ^ (order % 4 == 2 || order % 4 == 3))) {
            return 0;
        }
        *(is_b ? &last_b : &last_a) = is_b ? j++ : i++;
        if (order % 2 == 0) {
            ret[count++] = (struct set_pair){last_a, last_b};
        }
    }
    return count;
}

static int make_pairs(struct gate *gate, struct error *err)
{
    uint32_t a = gate->baseline.run_count, b = gate->candidate.run_count;
    uint32_t pairing = gate->file->design.pairing;

    gate->pairs = mem_array(a < b ? a : b, sizeof(*gate->pairs));
    if (gate->pairs == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for pairs of runs");
    }
    if (pairing != GATE_PAIRING_NONE && !gate->one_run) {
        gate->pair_count = set_pairs(&gate->baseline, &gate->candidate, gate->pairs);
    }
    if (pairing == GATE_PAIRING_ABBA && !gate->one_run && gate->pair_count == 0) {
        gate->pair_count = pair_by_time(gate, gate->pairs);
    }
    return 0;
}

int gate_judge(struct gate *gate, struct error *err)
{
    const struct gate_design *design = &gate->file->design;

    gate->one_run = gate->candidate.run_count == 1 && gate->baseline.run_count > 1;
    gate->looks = design->on_inconclusive == GATE_INCONCLUSIVE_MORE
                      ? 1 + (design->max_runs - gate->file->require.min_runs + 1) / 2
                      : 1;
    gate->alpha = design->alpha / gate->looks;
    if (make_pairs(gate, err) < 0) {
        return err->code;
    }
    gate_check_all(gate);
    if (gate_rows_judge(gate, err) < 0 || gate_history_judge(gate, err) < 0) {
        return err->code;
    }
    answer(gate);
    gate_say_answer(gate);
    return 0;
}
