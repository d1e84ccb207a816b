#include "set_rows.h"

#include "base/must.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILES_SHOWN = 24 }; /* what may stand behind an answer, ", ..." included */

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
    bool files; /* there are answers that only their files tell apart */
    double least, most;
};

/* Of the same name, from other files. */
static bool other_files(const struct set_answer *a, const struct set_answer *b)
{
    return a->files[0] != '\0' && b->files[0] != '\0' && strcmp(a->files, b->files) != 0 &&
           strcmp(a->text, b->text) == 0;
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

    if (!common->known) {
        common->known = true;
        common->first = *answer;
        common->least = common->most = number;
        return;
    }
    common->least = fmin(common->least, number);
    common->most = fmax(common->most, number);
    common->files = common->files || other_files(&common->first, answer);
    common->differs = common->differs || common->files || !alike(question, common, answer);
}

/* Add a text to "a, b" unless it is there. */
static void add_text(char value[SET_VALUE], const char *text)
{
    size_t had = strlen(value), n = strlen(text);

    for (const char *at = value; *at != '\0';) {
        const char *end = strstr(at, ", ");
        size_t len = end ? (size_t)(end - at) : strlen(at);

        if (len == n && strncmp(at, text, n) == 0) {
            return;
        }
        at += len + (end ? 2 : 0);
    }
    if (had + n + 2 + 5 < SET_VALUE) {
        snprintf(value + had, SET_VALUE - had, "%s%s", had > 0 ? ", " : "", text);
    } else if (had >= 3 && strcmp(value + had - 3, "...") != 0) {
        snprintf(value + had, SET_VALUE - had, ", ...");
    }
}

/* Many different numbers are better said by their ends. */
static void say_range(const struct set_question *question, const struct set *set,
                      char value[SET_VALUE])
{
    struct set_answer least = {0}, most = {0}, answer;

    for (uint32_t i = 0; i < set->run_count; i++) {
        answer = (struct set_answer){.number = NAN};
        if (!question->ask(set->runs[i].result, &answer) || !isfinite(answer.number)) {
            continue;
        }
        if (least.text[0] == '\0' || answer.number < least.number) {
            least = answer;
        }
        if (most.text[0] == '\0' || answer.number > most.number) {
            most = answer;
        }
    }
    if (least.text[0] != '\0' && strcmp(least.text, most.text) == 0) {
        snprintf(value, SET_VALUE, "%.100s", least.text);
    } else if (least.text[0] != '\0') {
        snprintf(value, SET_VALUE, "%.56s to %.56s", least.text, most.text);
    }
}

static void ask_set(const struct set_question *question, const struct set *set,
                    struct common *common, struct side *side, char value[SET_VALUE])
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
        add_text(value, answer.text);
        if (isfinite(answer.number)) {
            side->sum += answer.number;
            side->numbers++;
        }
    }
    if (side->numbers > 1 && side->numbers == side->runs - side->unknown) {
        say_range(question, set, value);
    }
}

/* What ask_set() says, each answer with the beginning of its files' sum. */
static void say_files(const struct set_question *question, const struct set *set,
                      char value[SET_VALUE])
{
    value[0] = '\0';
    for (uint32_t i = 0; i < set->run_count; i++) {
        struct set_answer answer = {.number = NAN};
        char text[SET_VALUE];

        if (question->ask(set->runs[i].result, &answer)) {
            snprintf(text, sizeof(text), "%.*s%s%.8s", SET_VALUE - FILES_SHOWN, answer.text,
                     answer.files[0] ? " file@" : "", answer.files);
            add_text(value, text);
        }
    }
}

static void say_broken(const struct side *side, char value[SET_VALUE])
{
    char what[SET_VALUE];

    if (side->runs > 1 && side->broken > 0) {
        snprintf(what, sizeof(what), "%.80s", value);
        snprintf(value, SET_VALUE, "%.80s in %u of %u runs", what, side->broken, side->runs);
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
        struct side side = {0};

        ask_set(question, sets[s], &common, &side, row->values[s]);
        row->numbers[s] = side.numbers > 0 ? side.sum / side.numbers : NAN;
        if (question->invariant && side.broken > 0) {
            row->values[s][0] = '\0';
            for (uint32_t i = 0; i < sets[s]->run_count; i++) {
                struct set_answer answer = {.number = NAN};

                if (question->ask(sets[s]->runs[i].result, &answer) && answer.broken) {
                    add_text(row->values[s], answer.text);
                }
            }
            say_broken(&side, row->values[s]);
        }
        unknown += side.unknown;
        broken += side.broken;
    }
    for (uint32_t s = 0; common.files && s < count; s++) {
        say_files(question, sets[s], row->values[s]);
    }
    if (question->invariant) {
        row->match = broken > 0 ? SET_DIFFERS : unknown > 0 ? SET_UNKNOWN : SET_SAME;
    } else {
        row->match = common.differs ? SET_DIFFERS : unknown > 0 ? SET_UNKNOWN : SET_SAME;
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
        ask_all(&set_questions[i], sets, count, &ret->rows[ret->count++]);
        if (strcmp(set_questions[i].name, "virtual_time") == 0) {
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
}
