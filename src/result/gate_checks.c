#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "comparison_parts.h"
#include "gate_parts.h"
#include "set_rows.h"
#include "stats/steady.h"

static struct gate_check *add_check(struct gate *gate, const char *name, const char *title)
{
    must(gate->check_count < GATE_CHECKS);
    gate->checks[gate->check_count] = (struct gate_check){.name = name, .title = title};
    return &gate->checks[gate->check_count++];
}

/* Does it ask for sameness, and not whether something holds? */
static bool is_same_word(const char *name)
{
    struct gate_words words;

    gate_words_here(&words);
    for (uint32_t i = 0; i < words.same_count; i++) {
        if (strcmp(words.same[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_same_asked(const struct gate *gate, const char *name)
{
    const struct gate_require *require = &gate->file->require;
    struct gate_words words;

    gate_words_here(&words);
    for (uint32_t i = 0; i < require->same_count; i++) {
        if (strcmp(words.same[require->same[i]], name) == 0) {
            return true;
        }
    }
    return false;
}

/* What to do about it, where it can be said. */
static const char *advice_of(const char *name)
{
    static const struct {
        const char *name, *advice;
    } rows[] = {
        {"complete", "run those again; a partial run says nothing of the rest"},
        {"errors", "see their messages by `rawtps report`, and run again when they are gone"},
        {"stamp_errors", "the drive returned wrong data: stop, and see `rawtps report`"},
        {"consistency", "the database's rules are broken: stop, and see `rawtps report`"},
        {"little", "concurrency was not what was asked for: see the audit by `rawtps report`"},
        {"concurrency", "run both sides with the same users; throughput and latency of different "
                        "concurrency are not comparable"},
        {"throttle", "cool the drive, or wait longer between runs"},
        {"interference", "run again when nothing else runs on the host"},
        {"serial", "run both sides on one drive, or leave serial out of `same`"},
        {"host", "run both sides on one host, or leave host out of `same`"},
        {"kernel", "run both sides under one kernel, or leave kernel out of `same`"},
        {"scenario", "run both sides with the same scenario file and --set; what the candidate "
                     "is, as a drive's model file, may differ, or leave scenario out of `same`"},
        {"sample", "sample both sides equally long"},
        {"scale", "run both sides at one scale"},
        {"workload", "run both sides with the same scenario file, scale and users; or say "
                     "`like_workload: no` and know why"},
        {"vms", "run both sides with the same VMs"},
        {"capacity", "compare drives of one size, or leave capacity out of `same`"},
        {"link", "bring the link to the same speed and width, or leave link out of `same`"},
        {"lba_format", "format both alike, or leave lba_format out of `same`"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return rows[i].advice;
        }
    }
    return "";
}

static bool is_void(const char *name)
{
    return strcmp(name, "stamp_errors") == 0 || strcmp(name, "consistency") == 0;
}

static const char *value_of(const struct gate_check *check, uint32_t side)
{
    return check->values[side][0] != '\0' ? check->values[side] : "not recorded";
}

static void break_check(struct gate_check *check, enum gate_verdict verdict)
{
    check->verdict = verdict;
    if (check->message[0] == '\0') {
        bool equal = strcmp(check->values[0], check->values[1]) == 0;

        if (equal && is_same_word(check->name)) {
            snprintf(check->message, sizeof(check->message), "%s: not the same in all runs (%s)",
                     check->title, value_of(check, 0));
        } else {
            snprintf(check->message, sizeof(check->message), "%s: %s%s%s", check->title,
                     value_of(check, 0), equal ? "" : " against ", equal ? "" : value_of(check, 1));
        }
    }
    if (check->next[0] == '\0') {
        snprintf(check->next, sizeof(check->next), "%s", advice_of(check->name));
    }
}

/* Alike is not enough for a link: slower than both ends can, it is what was measured. */
static void check_link(struct gate *gate, struct gate_check *check)
{
    const struct set *sides[2] = {&gate->baseline, &gate->candidate};

    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s]->run_count && !check->differs; i++) {
            const struct result *result = sides[s]->runs[i].result;

            for (uint32_t d = 0; d < result->drive_count && !check->differs; d++) {
                char link[64];

                check->differs = result_link_degraded(&result->drives[d].link);
                snprintf(check->message, check->differs ? sizeof(check->message) : 0,
                         "link: %s is below its best in %.120s",
                         result_link_say(&result->drives[d].link, link, sizeof(link)),
                         sides[s]->runs[i].path);
            }
        }
    }
}

static void check_row(struct gate *gate, const struct set_row *from)
{
    static const char *const always[] = {"complete", "stamp_errors", "consistency", "little",
                                         "concurrency"};
    struct gate_check *check;

    if (strcmp(from->name, "errors") == 0 || strcmp(from->name, "throttle") == 0 ||
        strcmp(from->name, "steady_state") == 0) {
        return; /* these have limits of the file */
    }
    check = add_check(gate, from->name, from->title);
    memcpy(check->values[0], from->values[0], sizeof(check->values[0]));
    memcpy(check->values[1], from->values[1], sizeof(check->values[1]));
    check->unknown = from->match == SET_UNKNOWN;
    check->differs = from->match == SET_DIFFERS && !from->outcome;
    check->invariant = from->invariant;
    check->asked = is_same_asked(gate, from->name);
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++) {
        check->asked = check->asked || strcmp(always[i], from->name) == 0;
    }
    if (check->asked && strcmp(from->name, "link") == 0) {
        check_link(gate, check);
    }
    if (check->asked && check->differs) {
        break_check(check, is_void(from->name) ? GATE_VOID : GATE_INVALID);
    }
}

/* ---- limits of the file ---- */

/* The most that one run says to a question; 0 if none says anything. */
static double most_of(const struct set *set, const char *name)
{
    double most = 0;

    for (uint32_t q = 0; q < set_question_count; q++) {
        for (uint32_t i = 0; i < set->run_count && !strcmp(set_questions[q].name, name); i++) {
            struct set_answer answer = {.number = NAN};

            if (set_questions[q].ask(set->runs[i].result, &answer)) {
                most = fmax(most, answer.number);
            }
        }
    }
    return most;
}

static void check_count(struct gate *gate, const struct set_row *from, double most,
                        const char *what)
{
    struct gate_check *check = add_check(gate, from->name, from->title);

    check->asked = true;
    check->unknown = from->match == SET_UNKNOWN;
    memcpy(check->values[0], from->values[0], sizeof(check->values[0]));
    memcpy(check->values[1], from->values[1], sizeof(check->values[1]));
    check->differs =
        most_of(&gate->baseline, from->name) > most || most_of(&gate->candidate, from->name) > most;
    if (check->differs) {
        snprintf(check->message, sizeof(check->message),
                 "%s: %.80s against %.80s; at most %g a run "
                 "are allowed",
                 what, value_of(check, 0), value_of(check, 1), most);
        break_check(check, GATE_INVALID);
    }
}

/* "" if the run was steady as the preset `gate` has it, else why not. */
static void unsteady(const struct result *result, char ret[120])
{
    const struct steady_preset *preset = steady_preset("gate");
    const struct result_steady *steady = &result->aggregate.steady;

    ret[0] = '\0';
    if (!steady->judged || steady->rounds < preset->window_rounds) {
        snprintf(ret, 120, "too short, %u of %u rounds", steady->rounds, preset->window_rounds);
    } else if (!(steady->range_share <= preset->range_limit)) {
        snprintf(ret, 120, "range %.1f%% > %.0f%%", 100 * steady->range_share,
                 100 * preset->range_limit);
    } else if (!(steady->excursion_share <= preset->excursion_limit)) {
        snprintf(ret, 120, "excursion %.1f%% > %.0f%%", 100 * steady->excursion_share,
                 100 * preset->excursion_limit);
    } else if (fabs(steady->drift_share) > 0.02 && steady->drift_p <= 0.05) {
        snprintf(ret, 120, "drift %+.1f%%", 100 * steady->drift_share);
    }
}

static uint32_t count_unsteady(const struct set *set, char value[SET_VALUE], bool *ret_short)
{
    char why[120], first[120] = "";
    uint32_t count = 0;

    for (uint32_t i = 0; i < set->run_count; i++) {
        unsteady(set->runs[i].result, why);
        if (why[0] != '\0') {
            memcpy(first, count == 0 ? why : first, sizeof(first));
            *ret_short = *ret_short || strncmp(why, "too short", 9) == 0;
            count++;
        }
    }
    if (count > 0) {
        snprintf(value, SET_VALUE, "%.60s in %u of %u runs", first, count, set->run_count);
    } else {
        snprintf(value, SET_VALUE, "steady");
    }
    return count;
}

static void check_steady(struct gate *gate)
{
    struct gate_check *check = add_check(gate, "steady_state", "steady state");
    bool is_short = false;
    uint32_t count = count_unsteady(&gate->baseline, check->values[0], &is_short) +
                     count_unsteady(&gate->candidate, check->values[1], &is_short);

    check->invariant = true;
    check->asked = gate->file->require.steady_state;
    check->differs = count > 0;
    if (!check->asked || count == 0) {
        return;
    }
    snprintf(check->next, sizeof(check->next), "%s",
             is_short ? "sample for 5 minutes or more, or say `steady_state: no` and know why"
                      : "precondition for longer, or `phases: {until: steady}`");
    break_check(check, GATE_INVALID);
}

static void check_pairs(struct gate *gate)
{
    struct gate_check *check;

    if (gate->file->design.pairing != GATE_PAIRING_ABBA || gate->one_run) {
        return;
    }
    check = add_check(gate, "pairing", "pairing");
    check->asked = true;
    if (gate->pair_count > 0) {
        snprintf(check->values[0], SET_VALUE, "%u pairs", gate->pair_count);
        memcpy(check->values[1], check->values[0], SET_VALUE);
        return;
    }
    check->differs = true;
    snprintf(check->message, sizeof(check->message),
             "pairing: the runs were not made in ABBA order");
    snprintf(check->next, sizeof(check->next),
             "run them by `rawtps bench-pair`, or say `pairing: none`");
    break_check(check, GATE_INVALID);
}

static void check_void(struct gate *gate)
{
    const struct set *sides[2] = {&gate->baseline, &gate->candidate};
    struct gate_check *check = NULL;

    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s]->run_count; i++) {
            if (sides[s]->runs[i].state != SET_VOID) {
                continue;
            }
            if (check == NULL) {
                check = add_check(gate, "void", "data");
                check->asked = check->differs = true;
                snprintf(check->message, sizeof(check->message),
                         "%.180s is void: its data came back wrong", sides[s]->runs[i].path);
                snprintf(check->next, sizeof(check->next), "`rawtps report %.160s`",
                         sides[s]->runs[i].path);
                break_check(check, GATE_VOID);
            }
            snprintf(check->values[s], SET_VALUE, "wrong in %.100s", sides[s]->runs[i].path);
        }
    }
}

/* Why two runs were not asked the same; false: they were. */
static bool unlike(const struct result *a, const struct result *b, bool all, char *ret, size_t size)
{
    if (!comparison_shares_kind(&a->aggregate, &b->aggregate)) {
        snprintf(ret, size, "workload: %s and %s have no type of transaction in common",
                 a->scenario.name, b->scenario.name);
    } else if (all && strcmp(a->scenario.name, b->scenario.name) != 0) {
        snprintf(ret, size, "workload: scenario %s against %s", a->scenario.name, b->scenario.name);
    } else if (all && strcmp(a->scenario.sha256, b->scenario.sha256) != 0) {
        snprintf(ret, size, "workload: scenario %s is not the same text in all runs",
                 a->scenario.name);
    } else if (all && strcmp(a->scenario.scale, b->scenario.scale) != 0) {
        snprintf(ret, size, "workload: scale %s against %s", a->scenario.scale, b->scenario.scale);
    } else if (all && a->aggregate.users != b->aggregate.users) {
        snprintf(ret, size, "workload: %llu against %llu users",
                 (unsigned long long)a->aggregate.users, (unsigned long long)b->aggregate.users);
    } else {
        return false;
    }
    return true;
}

/* What no file can leave out: both sides did the same work. */
static void check_workload(struct gate *gate)
{
    const struct set *sides[2] = {&gate->baseline, &gate->candidate};
    const struct result *first = gate->baseline.runs[0].result;
    struct gate_check *check = add_check(gate, "workload", "workload");

    check->asked = true;
    for (uint32_t s = 0; s < 2; s++) {
        snprintf(check->values[s], SET_VALUE, "%.63s", sides[s]->runs[0].result->scenario.name);
        for (uint32_t i = 0; i < sides[s]->run_count && !check->differs; i++) {
            check->differs =
                unlike(first, sides[s]->runs[i].result, gate->file->require.like_workload,
                       check->message, sizeof(check->message));
        }
    }
    if (check->differs) {
        break_check(check, GATE_INVALID);
    }
}

bool gate_check_broken(const struct gate *gate, const char *name)
{
    for (uint32_t i = 0; i < gate->check_count; i++) {
        if (strcmp(gate->checks[i].name, name) == 0) {
            return gate->checks[i].verdict >= GATE_INVALID;
        }
    }
    return false;
}

void gate_check_all(struct gate *gate)
{
    const struct set *sides[2] = {&gate->baseline, &gate->candidate};
    const struct gate_require *require = &gate->file->require;
    const struct set_row *row;
    struct set_rows rows;

    check_void(gate);
    set_rows_of(sides, 2, require->concurrency_tolerance, &rows);
    for (uint32_t i = 0; i < rows.count; i++) {
        check_row(gate, &rows.rows[i]);
    }
    if ((row = set_row_find(&rows, "errors")) != NULL) {
        check_count(gate, row, (double)require->errors, "errors");
    }
    if ((row = set_row_find(&rows, "throttle")) != NULL) {
        check_count(gate, row, require->throttle_seconds, "seconds throttled");
    }
    check_steady(gate);
    check_pairs(gate);
    check_workload(gate);
}
