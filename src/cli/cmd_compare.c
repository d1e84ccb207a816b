#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "compare_show.h"
#include "page.h"

static const struct key own_rows[] = {
    {.name = "vs",
     .type = KEY_STRING,
     .fallback = "",
     .placeholder = "RUNS",
     .many = true,
     .help = "what follows is the next side; may be given again"},
    {.name = "filter",
     .type = KEY_STRING,
     .fallback = "",
     .placeholder = "KEY:VALUE",
     .many = true,
     .help = "only runs of that value, which may be a pattern, as firmware:2.0.*, scenario:tpcc*, "
             "label:fw1, ended:complete; may be given again"},
};

static const struct option_group groups[] = {
    {"Which runs", own_rows, 2},
    {"How they are shown", compare_show_rows, COMPARE_SHOW_ROWS},
};

struct sides {
    struct set sets[SET_SIDES];
    uint32_t count;
};

static void sides_free(struct sides *sides)
{
    for (uint32_t i = 0; i < sides->count; i++) {
        set_free(&sides->sets[i]);
    }
}

/* A new side, or NULL. */
static struct set *begin_side(struct sides *sides, const char *label, struct error *err)
{
    if (sides->count == SET_SIDES) {
        error_set(err, EXIT_USAGE, -E2BIG, "more than %d sides", SET_SIDES);
        error_hint(err, "runs of one side: LABEL=DIRECTORY, LABEL=PATTERN, or A... --vs B...");
        return NULL;
    }
    set_init(&sides->sets[sides->count], label);
    return &sides->sets[sides->count++];
}

static struct set *labelled(struct sides *sides, const char *label, struct error *err)
{
    for (uint32_t i = 0; i < sides->count; i++) {
        if (strcmp(sides->sets[i].label, label) == 0) {
            return &sides->sets[i];
        }
    }
    return begin_side(sides, label, err);
}

/* u2=results/u2/a results/u2/b e1s=...: a word without a label is of the side before it. */
static int take_labels(struct sides *sides, const struct options *options, struct error *err)
{
    struct set *set = NULL;
    int code = 0;

    for (uint32_t i = 0; code == 0 && i < options->word_count; i++) {
        char label[SET_LABEL];
        const char *pattern = set_take_label(options->words[i], label);

        if (label[0] != '\0') {
            set = labelled(sides, label, err);
        } else if (set == NULL) {
            error_set(err, EXIT_USAGE, -EINVAL, "\"%.80s\" has no label, but later ones have",
                      options->words[i]);
            return error_hint(err, "begin with LABEL=%s", options->words[i]);
        }
        code = set == NULL ? err->code : set_add(set, pattern, err);
    }
    return code;
}

static int add_word(struct set *set, const char *word, struct error *err)
{
    char label[SET_LABEL];
    const char *pattern = set_take_label(word, label);

    if (set->label[0] == '\0') {
        memcpy(set->label, label, sizeof(set->label));
    }
    return set_add(set, pattern, err);
}

/* A... --vs B... --vs C... */
static int take_versus(struct sides *sides, const struct options *options, struct error *err)
{
    uint32_t word = 0;
    struct set *set = begin_side(sides, "", err);
    int code = 0;

    for (uint32_t i = 0; code == 0 && i <= options->many_count; i++) {
        bool last = i == options->many_count;
        uint32_t until = last ? options->word_count : options->many_after[i];

        if (!last && strcmp(options->many_of[i]->name, "vs") != 0) {
            continue;
        }
        while (code == 0 && word < until) {
            code = add_word(set, options->words[word++], err);
        }
        if (code == 0 && set->run_count == 0) {
            error_set(err, EXIT_USAGE, -EINVAL, "no runs stand before --vs");
            return error_hint(err, "usage: rawtps compare A... --vs B...");
        }
        if (code == 0 && !last) {
            set = begin_side(sides, "", err);
            code = set == NULL ? err->code : add_word(set, options->many[i], err);
        }
    }
    return code;
}

static int take_words(struct sides *sides, const struct options *options, struct error *err)
{
    int code = 0;

    for (uint32_t i = 0; code == 0 && i < options->word_count; i++) {
        struct set *set = begin_side(sides, "", err);

        code = set == NULL ? err->code : set_add(set, options->words[i], err);
    }
    return code;
}

static int take_sides(struct sides *sides, const struct options *options, struct error *err)
{
    bool labels = false;

    for (uint32_t i = 0; i < options->word_count; i++) {
        char label[SET_LABEL];

        set_take_label(options->words[i], label);
        labels = labels || label[0] != '\0';
    }
    if (options_has(options, "vs")) {
        return take_versus(sides, options, err);
    }
    return labels ? take_labels(sides, options, err) : take_words(sides, options, err);
}

struct filter {
    char name[40];
    const char *pattern;
};

static bool passes(const struct set_run *run, uint32_t i, void *context)
{
    const struct filter *filter = context;
    char value[SET_VALUE], *at;

    if (set_run_value(run, filter->name, value) != 1) {
        return false;
    }
    if (fnmatch(filter->pattern, value, 0) == 0) {
        return true;
    }
    at = strcmp(filter->name, "scenario") == 0 ? strchr(value, '@') : NULL;
    if (at) {
        *at = '\0';
    }
    return at && fnmatch(filter->pattern, value, 0) == 0;
}

static int refuse_filter(const char *word, const struct filter *filter, struct error *err)
{
    const char *near = set_row_nearest(filter->name);

    if (filter->pattern == NULL) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "--filter: KEY:VALUE was expected, as firmware:2.0.3, not \"%.60s\"",
                         word);
    }
    error_set(err, EXIT_USAGE, -EINVAL, "--filter: runs have no \"%s\"", filter->name);
    return near ? error_hint(err, "did you mean %s?", near)
                : error_hint(err, "as scenario, model, firmware, serial, kernel, host, label, id, "
                                  "seed, ended");
}

static int filter_sides(struct sides *sides, const char *word, struct error *err)
{
    const char *colon = strchr(word, ':');
    struct filter filter = {.pattern = colon ? colon + 1 : NULL};
    char value[SET_VALUE];

    snprintf(filter.name, sizeof(filter.name), "%.*s", colon ? (int)(colon - word) : 0, word);
    for (char *c = filter.name; *c != '\0'; c++) {
        *c = (char)(*c == '-' ? '_' : *c);
    }
    for (uint32_t s = 0; s < sides->count; s++) {
        struct set *set = &sides->sets[s];

        if (!colon || set_run_value(&set->runs[0], filter.name, value) < 0) {
            return refuse_filter(word, &filter, err);
        }
        set_keep(set, passes, &filter);
        if (set->run_count == 0) {
            return error_set(err, EXIT_USAGE, -ENOENT, "--filter %.80s leaves no run of %s", word,
                             set->label[0] != '\0' ? set->label : "a side");
        }
    }
    return 0;
}

static int prepare(struct sides *sides, const struct options *options, struct error *err)
{
    static const char *const letters[SET_SIDES] = {"A", "B", "C", "D", "E", "F", "G", "H"};

    if (take_sides(sides, options, err) < 0) {
        return err->code;
    }
    for (uint32_t i = 0; i < options->many_count; i++) {
        if (strcmp(options->many_of[i]->name, "filter") == 0 &&
            filter_sides(sides, options->many[i], err) < 0) {
            return err->code;
        }
    }
    if (sides->count < 2) {
        error_set(err, EXIT_USAGE, -EINVAL, "one side alone is nothing to compare");
        return error_hint(err, "usage: rawtps compare u2=DIR e1s=DIR, or A... --vs B...");
    }
    for (uint32_t s = 0; s < sides->count; s++) {
        set_name(&sides->sets[s], letters[s]);
    }
    set_tell_apart(sides->sets, sides->count);
    return 0;
}

static enum exit_code compare(const void *record, const struct options *options,
                              const struct cmd_line *line)
{
    const struct args *args = record;
    struct set *sets[SET_SIDES];
    struct comparison_options choice;
    struct sides sides = {0};
    struct error err = {0};
    enum exit_code exit;

    if (compare_show_choose(options, args, &choice, &err) < 0 ||
        prepare(&sides, options, &err) < 0) {
        exit = page_say_error(&err);
    } else {
        for (uint32_t s = 0; s < sides.count; s++) {
            sets[s] = &sides.sets[s];
        }
        exit = compare_show(sets, sides.count, &choice, args);
    }
    sides_free(&sides);
    return exit;
}

const struct cmd cmd_compare = {
    .name = "compare",
    .usage = "A... --vs B... | LABEL=RUNS LABEL=RUNS... [options]",
    .summary = "Hold runs of two or more variants against each other, with a verdict a row",
    .about =
        "RUNS is a run directory, a directory of them, or a pattern. The first side is the base.\n"
        "The run is what is counted: with one run a side there is no verdict, two give one, five\n"
        "a good one. What differs beside the drive is said first. Where the runs of a side differ\n"
        "in load (a key that was set, the users, or the scenario) or in the drive's model, each\n"
        "is compared with the same one of the other side, and all of them together.\n"
        "\n"
        "  rawtps compare u2=results/u2 e1s=results/e1s\n"
        "  rawtps compare fw1='results/fw1-*' fw2='results/fw2-*' fw3='results/fw3-*'\n"
        "  rawtps compare results/a1 results/a2 --vs results/b1 results/b2 --strict\n"
        "  rawtps compare u2=results/u2 e1s=results/e1s --metric lat_p99 --row vms --format csv\n",
    .groups = groups,
    .group_count = 2,
    .least_words = 1,
    .most_words = OPTIONS_WORDS,
    .word_name = "a set of runs",
    .record_bytes = sizeof(struct args),
    .run = compare,
};
