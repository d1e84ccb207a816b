#include "set_rows.h"

#include "base/must.h"
#include "fit.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What may stand behind an answer, ", ..." included: its file, or how many runs it is of. */
enum { FILES_SHOWN = 24, BROKEN_SHOWN = 40, NAMED_MOST = 16 };

/* What one set answers to a question. */
struct side {
    uint32_t runs, unknown, broken;
    double sum; /* of numbers */
    uint32_t numbers;
};

/* The answers of all runs so far, whichever set they are of. */
struct common {
    struct set_answer first;
    bool known, differs;
    bool files;                          /* there are answers that only their files tell apart */
    struct set_answer named[NAMED_MOST]; /* these that have files, each once */
    uint32_t named_count;
    double least, most;
};

/* Has an earlier answer the same name, from other files? Not of the first alone: two sides may be
 * alike in name where a third has another. */
static bool other_files(struct common *common, const struct set_answer *answer)
{
    bool other = false, known = answer->files[0] == '\0';

    for (uint32_t i = 0; i < common->named_count; i++) {
        const struct set_answer *named = &common->named[i];
        bool same_name = strcmp(named->text, answer->text) == 0;
        bool same_files = strcmp(named->files, answer->files) == 0;

        other = other || (answer->files[0] != '\0' && same_name && !same_files);
        known = known || (same_name && same_files);
    }
    if (!known && common->named_count < NAMED_MOST) {
        common->named[common->named_count++] = *answer;
    }
    return other;
}

static bool alike(const struct set_question *question, const struct common *common,
                  const struct set_answer *answer)
{
    double near = question->near, share = question->share;

    if (!isfinite(answer->number) || !isfinite(common->first.number)) {
        return strcmp(answer->text, common->first.text) == 0;
    }
    if (near == 0 && share == 0) {
        return answer->number == common->first.number &&
               strcmp(answer->text, common->first.text) == 0;
    }
    return common->most - common->least <= fmax(near, share * fmax(common->least, 0));
}

static void hear(const struct set_question *question, struct common *common,
                 const struct set_answer *answer)
{
    double number = answer->number;
    bool files = other_files(common, answer);

    if (!common->known) {
        common->known = true;
        common->first = *answer;
        common->least = common->most = number;
        return;
    }
    common->least = fmin(common->least, number);
    common->most = fmax(common->most, number);
    common->files = common->files || files;
    common->differs = common->differs || common->files || !alike(question, common, answer);
}

/* Is it one of "a, b"? What is added may have a comma itself. */
static bool has_text(const char *value, const char *text)
{
    size_t n = strlen(text);

    for (const char *at = value; n > 0 && (at = strstr(at, text)) != NULL; at++) {
        bool begins = at == value || (at - value >= 2 && strncmp(at - 2, ", ", 2) == 0);

        if (begins && (at[n] == '\0' || strncmp(at + n, ", ", 2) == 0)) {
            return true;
        }
    }
    return false;
}

/* Add a text to "a, b" unless it is there. */
static void add_text(char value[SET_VALUE], const char *text)
{
    size_t had = strlen(value);

    if (has_text(value, text)) {
        return;
    }
    if (had + strlen(text) + 2 + 5 < SET_VALUE) {
        snprintf(value + had, SET_VALUE - had, "%s%s", had > 0 ? ", " : "", text);
    } else if (had >= 3 && strcmp(value + had - 3, "...") != 0) {
        snprintf(value + had, SET_VALUE - had, ", ...");
    }
}

/* Words that both end in, from a blank on: " GB", " waiting for a CPU". */
static size_t common_tail(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), same = 0, ret = 0;

    while (same + 1 < n && same + 1 < m && a[n - 1 - same] == b[m - 1 - same]) {
        same++;
        ret = a[n - same] == ' ' ? same : ret;
    }
    return ret;
}

/* Which answers of a set count: all that are known, or of an invariant those that break it. */
struct choice {
    const struct set_question *question;
    const struct set *set;
    bool broken;
};

static bool answer_of(const struct choice *choice, uint32_t run, struct set_answer *ret)
{
    *ret = (struct set_answer){.number = NAN};
    return choice->question->ask(choice->set->runs[run].result, ret) &&
           (!choice->broken || ret->broken);
}

/* "38 to 44 °C": many different numbers are better said by their ends. */
static void say_range(const struct choice *choice, char value[SET_VALUE])
{
    struct set_answer least = {0}, most = {0}, answer;
    char all[2 * SET_VALUE];

    for (uint32_t i = 0; i < choice->set->run_count; i++) {
        if (!answer_of(choice, i, &answer)) {
            continue;
        }
        if (least.text[0] == '\0' || answer.number < least.number) {
            least = answer;
        }
        if (most.text[0] == '\0' || answer.number > most.number) {
            most = answer;
        }
    }
    if (strcmp(least.text, most.text) == 0) {
        snprintf(value, SET_VALUE, "%s", least.text);
    } else {
        size_t tail = common_tail(least.text, most.text);

        snprintf(all, sizeof(all), "%.*s to %s", (int)(strlen(least.text) - tail), least.text,
                 most.text);
        fit_words(value, SET_VALUE, all);
    }
}

static void say_answers(const struct choice *choice, char value[SET_VALUE])
{
    uint32_t known = 0, numbers = 0;
    struct set_answer answer;

    value[0] = '\0';
    for (uint32_t i = 0; i < choice->set->run_count; i++) {
        if (answer_of(choice, i, &answer)) {
            known++;
            numbers += isfinite(answer.number);
            add_text(value, answer.text);
        }
    }
    if (known > 1 && numbers == known) {
        say_range(choice, value);
    }
}

/* What say_answers() says, each answer with the beginning of its files' sum. */
static void say_files(const struct choice *choice, char value[SET_VALUE])
{
    struct set_answer answer;

    value[0] = '\0';
    for (uint32_t i = 0; i < choice->set->run_count; i++) {
        char text[SET_VALUE], name[SET_VALUE - FILES_SHOWN];

        if (answer_of(choice, i, &answer)) {
            snprintf(text, sizeof(text), "%s%s%.8s", fit_words(name, sizeof(name), answer.text),
                     answer.files[0] ? " file@" : "", answer.files);
            add_text(value, text);
        }
    }
}

static void hear_set(const struct set_question *question, const struct set *set,
                     struct common *common, struct side *side)
{
    for (uint32_t i = 0; i < set->run_count; i++) {
        struct set_answer answer = {.number = NAN};

        side->runs++;
        if (!question->ask(set->runs[i].result, &answer)) {
            side->unknown++;
            continue;
        }
        side->broken += answer.broken;
        hear(question, common, &answer);
        if (isfinite(answer.number)) {
            side->sum += answer.number;
            side->numbers++;
        }
    }
}

/* "3.1% to 8.0% waiting for a CPU in 4 of 5 runs". */
static void say_broken(const struct choice *choice, const struct side *side, char value[SET_VALUE])
{
    char what[SET_VALUE], most[SET_VALUE - BROKEN_SHOWN];

    say_answers(choice, what);
    if (side->runs > 1) {
        snprintf(value, SET_VALUE, "%s in %u of %u runs", fit_words(most, sizeof(most), what),
                 side->broken, side->runs);
    } else {
        memcpy(value, what, SET_VALUE);
    }
}

static void ask_all(const struct set_question *question, const struct set *const *sets,
                    uint32_t count, struct set_row *row)
{
    struct common common = {0};
    uint32_t unknown = 0, broken = 0;

    *row = (struct set_row){.name = question->name,
                            .title = question->title,
                            .invariant = question->invariant,
                            .strict = question->strict};
    for (uint32_t s = 0; s < count; s++) {
        struct choice choice = {.question = question, .set = sets[s]};
        struct side side = {0};

        hear_set(question, sets[s], &common, &side);
        row->numbers[s] = side.numbers > 0 ? side.sum / side.numbers : NAN;
        choice.broken = question->invariant && side.broken > 0;
        if (choice.broken) {
            say_broken(&choice, &side, row->values[s]);
        } else {
            say_answers(&choice, row->values[s]);
        }
        unknown += side.unknown;
        broken += side.broken;
    }
    for (uint32_t s = 0; common.files && s < count; s++) {
        say_files(&(struct choice){.question = question, .set = sets[s]}, row->values[s]);
    }
    if (question->invariant) {
        row->match = broken > 0 ? SET_DIFFERS : unknown > 0 ? SET_UNKNOWN : SET_SAME;
    } else {
        row->match = common.differs ? SET_DIFFERS : unknown > 0 ? SET_UNKNOWN : SET_SAME;
    }
}

/* ---- what was written before the sample ------------------------------------------------------ */

/* Lengths of a phase that ends by the clock, and bytes of one that ends by them. */
#define ALIKE_SHARE 0.05

static bool is_near(double a, double b, double near)
{
    return fabs(a - b) <= fmax(near, ALIKE_SHARE * fmin(a, b));
}

static bool phase_alike(const struct result_phase *a, const struct result_phase *b)
{
    if (strcmp(a->name, b->name) != 0 || strcmp(a->rule, b->rule) != 0) {
        return false;
    }
    if (strcmp(a->rule, "until_steady") == 0) {
        return a->requested_ns == b->requested_ns;
    }
    if (strcmp(a->rule, "fixed") == 0) {
        return is_near((double)a->until_ns - (double)a->from_ns,
                       (double)b->until_ns - (double)b->from_ns, 1e9);
    }
    return is_near((double)a->bytes_written, (double)b->bytes_written, 1e6);
}

/* Phases before the sample; a result that has none tells nothing of what was asked. */
static bool asked_alike(const struct result *a, const struct result *b)
{
    if (a->phase_count != b->phase_count || a->phase_count < 2) {
        return false;
    }
    for (uint32_t i = 0; i < a->phase_count; i++) {
        bool sample = strcmp(a->phases[i].name, "sample") == 0;

        if (sample ? strcmp(b->phases[i].name, "sample") != 0
                   : !phase_alike(&a->phases[i], &b->phases[i])) {
            return false;
        }
    }
    return true;
}

/* Are as many runs of b as of a like this one of a, by what was written before them? */
static bool has_like(const struct set *a, uint32_t run, const struct set *b)
{
    double wanted = (double)a->runs[run].result->precondition.bytes_written;
    uint32_t here = 0, there = 0;

    for (uint32_t i = 0; i < a->run_count; i++) {
        here += is_near((double)a->runs[i].result->precondition.bytes_written, wanted, 1e6);
    }
    for (uint32_t i = 0; i < b->run_count; i++) {
        there += is_near((double)b->runs[i].result->precondition.bytes_written, wanted, 1e6);
    }
    return here == there;
}

/*
 * The first run of a series fills the drive, the others find it full: of each side as many. One
 * side alone is held against nothing.
 */
static bool sides_alike(const struct set *const *sets, uint32_t count)
{
    bool alike = count > 1;

    for (uint32_t s = 1; alike && s < count; s++) {
        alike = sets[s]->run_count == sets[0]->run_count;
        for (uint32_t i = 0; alike && i < sets[0]->run_count; i++) {
            alike = has_like(sets[0], i, sets[s]);
        }
    }
    return alike;
}

/* Where every side wrote as long as the others, more bytes are what a faster drive takes. */
static void bytes_row(const struct set *const *sets, uint32_t count, struct set_row *row)
{
    bool alike = true;

    if (sides_alike(sets, count)) {
        row->match = SET_SAME;
    }
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t i = 0; i < sets[s]->run_count; i++) {
            alike = alike && asked_alike(sets[0]->runs[0].result, sets[s]->runs[i].result);
        }
    }
    if (row->match == SET_DIFFERS && alike) {
        row->outcome = true;
        row->strict = false;
    }
}

/* Seeds may differ from run to run; the sets should have the same ones. */
static void seed_row(const struct set *const *sets, uint32_t count, struct set_row *row)
{
    row->match = SET_SAME;
    for (uint32_t s = 0; s < count; s++) {
        uint64_t least = UINT64_MAX, most = 0, sum = 0;

        for (uint32_t i = 0; i < sets[s]->run_count; i++) {
            uint64_t seed = sets[s]->runs[i].result->run.seed;

            least = seed < least ? seed : least;
            most = seed > most ? seed : most;
            sum += seed;
        }
        if (least == most) {
            snprintf(row->values[s], SET_VALUE, "%llu", (unsigned long long)least);
        } else {
            snprintf(row->values[s], SET_VALUE, "%llu to %llu", (unsigned long long)least,
                     (unsigned long long)most);
        }
        row->numbers[s] = (double)sum / sets[s]->run_count;
        if (strcmp(row->values[s], row->values[0]) != 0 || row->numbers[s] != row->numbers[0]) {
            row->match = SET_DIFFERS;
        }
    }
}

static bool is_open(const struct result *result)
{
    return strcmp(result->aggregate.audit.verdict, "open loop") == 0;
}

/*
 * Closed loops hold X (R + Z) under way whatever the drive does, so sides that differ in it were
 * not asked the same. An open loop holds what it offers; what is under way is the answer there.
 */
static bool concurrency_of(const struct result *result, double *ret)
{
    const struct result_vm *all = &result->aggregate;
    double seconds = (double)(all->sample_until_ns - all->sample_from_ns) / 1e9;

    *ret = is_open(result) ? (double)all->due / seconds : all->audit.concurrency;
    return all->response.count > 0 && seconds > 0 && isfinite(*ret) && *ret > 0;
}

static void concurrency_row(const struct set *const *sets, uint32_t count, double tolerance,
                            struct set_rows *rows, struct set_row *row)
{
    bool unknown = false, open = false, closed = false;
    double least = INFINITY, most = 0;

    for (uint32_t s = 0; s < count; s++) {
        double sum = 0, one;
        uint32_t known = 0;

        for (uint32_t i = 0; i < sets[s]->run_count; i++) {
            const struct result *result = sets[s]->runs[i].result;

            if (concurrency_of(result, &one)) {
                open = open || is_open(result);
                closed = closed || !is_open(result);
                sum += one;
                known++;
            }
        }
        unknown = unknown || known == 0;
        row->numbers[s] = known > 0 ? sum / known : NAN;
        if (known > 0) {
            snprintf(row->values[s], SET_VALUE, open ? "%.1f/s offered" : "%.1f", sum / known);
            least = fmin(least, sum / known);
            most = fmax(most, sum / known);
        }
    }
    rows->concurrency_ratio = most > 0 ? most / least - 1 : NAN;
    row->match = (most > 0 && most / least - 1 > tolerance) || (open && closed) ? SET_DIFFERS
                 : unknown                                                      ? SET_UNKNOWN
                                                                                : SET_SAME;
}

static struct set_row *add_row(struct set_rows *rows, const char *name, const char *title)
{
    must(rows->count < SET_ROWS);
    rows->rows[rows->count] =
        (struct set_row){.name = name, .title = title, .strict = true, .latency = false};
    return &rows->rows[rows->count++];
}

void set_rows_of(const struct set *const *sets, uint32_t count, double tolerance,
                 struct set_rows *ret)
{
    struct set_row *row;

    must(count > 0 && count <= SET_SIDES);
    *ret = (struct set_rows){.sides = count, .concurrency_ratio = NAN};
    for (uint32_t i = 0; i < set_question_count; i++) {
        must(ret->count < SET_ROWS);
        row = &ret->rows[ret->count++];
        ask_all(&set_questions[i], sets, count, row);
        if (strcmp(set_questions[i].name, "precondition_bytes") == 0) {
            bytes_row(sets, count, row);
        } else if (strcmp(set_questions[i].name, "virtual_time") == 0) {
            seed_row(sets, count, add_row(ret, "seed_policy", "seeds"));
        } else if (strcmp(set_questions[i].name, "users") == 0) {
            row = add_row(ret, "concurrency", "concurrency X(R+Z)");
            row->latency = true;
            concurrency_row(sets, count, tolerance, ret, row);
        }
    }
}

const struct set_row *set_row_find(const struct set_rows *rows, const char *name)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->rows[i].name, name) == 0) {
            return &rows->rows[i];
        }
    }
    return NULL;
}

/* Rows that are not one question to every run. */
static const char *const others[] = {"seed_policy", "concurrency"};
enum { OTHERS = sizeof(others) / sizeof(others[0]) };

/* The i-th of the names that a row can have; NULL behind the last. */
static const char *set_row_name(uint32_t i)
{
    if (i < set_question_count) {
        return set_questions[i].name;
    }
    return i - set_question_count < OTHERS ? others[i - set_question_count] : NULL;
}

const char *set_row_nearest(const char *name)
{
    const char *names[SET_ROWS];
    uint32_t count = 0;

    while (count < SET_ROWS && set_row_name(count)) {
        names[count] = set_row_name(count);
        count++;
    }
    return text_nearest(name, names, count);
}

int set_run_value(const struct set_run *run, const char *name, char ret[SET_VALUE])
{
    const struct result *result = run->result;
    struct set_answer answer = {.number = NAN};

    ret[0] = '\0';
    if (strcmp(name, "label") == 0 || strcmp(name, "id") == 0) {
        snprintf(ret, SET_VALUE, "%s", name[0] == 'l' ? result->run.label : result->run.id);
        return ret[0] != '\0';
    }
    if (strcmp(name, "ended") == 0) {
        snprintf(ret, SET_VALUE, "%s", result->run.ended);
        return 1;
    }
    if (strcmp(name, "seed") == 0) {
        snprintf(ret, SET_VALUE, "%llu", (unsigned long long)result->run.seed);
        return 1;
    }
    for (uint32_t i = 0; i < set_question_count; i++) {
        if (strcmp(set_questions[i].name, name) == 0) {
            if (!set_questions[i].ask(result, &answer)) {
                return 0;
            }
            snprintf(ret, SET_VALUE, "%s", answer.text);
            return 1;
        }
    }
    return -ENOENT;
}

const struct set_row *set_rows_refused(const struct set_rows *rows)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        if (rows->rows[i].strict && rows->rows[i].match == SET_DIFFERS) {
            return &rows->rows[i];
        }
    }
    return NULL;
}

void set_row_say(const struct set_row *row, uint32_t count, struct text *ret)
{
    bool equal = true;

    for (uint32_t s = 1; s < count; s++) {
        equal = equal && strcmp(row->values[s], row->values[0]) == 0;
    }
    text_addf(ret, "%s ", row->title);
    if (row->match == SET_SAME && row->invariant) {
        text_add(ret, row->values[0]);
    } else if (equal && row->values[0][0] != '\0') {
        text_add(ret, row->values[0]);
    } else {
        for (uint32_t s = 0; s < count; s++) {
            text_addf(ret, "%s%s", s > 0 ? " | " : "",
                      row->values[s][0] != '\0' ? row->values[s] : "unknown");
        }
    }
    text_add(ret, row->outcome ? " (asked alike)" : "");
}
