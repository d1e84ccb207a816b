#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 64 };

struct reader {
    const struct option_group *groups;
    uint32_t group_count;
    void *record;
    const char *const *words;
    uint32_t count, next;
    const struct key *seen[OPTIONS_ROWS];
    uint32_t seen_count;
    struct options *ret;
};

/* "data_dir" as it is typed: "--data-dir". */
static const char *typed(const char *name, char buf[NAME_MOST])
{
    snprintf(buf, NAME_MOST, "--%s", name);
    for (char *c = buf; *c != '\0'; c++) {
        *c = (char)(*c == '_' ? '-' : *c);
    }
    return buf;
}

static const struct key *find(const struct reader *reader, const char *name, char letter)
{
    for (uint32_t g = 0; g < reader->group_count; g++) {
        const struct option_group *group = &reader->groups[g];
        const struct key *row = name ? key_find(group->rows, group->count, name)
                                     : key_find_letter(group->rows, group->count, letter);

        if (row) {
            return row;
        }
    }
    return NULL;
}

static int refuse_unknown(const struct reader *reader, const char *name, struct error *err)
{
    const char *names[OPTIONS_ROWS], *near;
    char shown[NAME_MOST];
    uint32_t n = 0;

    for (uint32_t g = 0; g < reader->group_count; g++) {
        for (uint32_t i = 0; i < reader->groups[g].count && n < OPTIONS_ROWS; i++) {
            names[n++] = reader->groups[g].rows[i].name;
        }
    }
    near = text_nearest(name, names, n);
    error_set(err, EXIT_USAGE, -EINVAL, "unknown option --%.80s", name);
    return near ? error_hint(err, "did you mean %s?", typed(near, shown))
                : error_hint(err, "--help lists the options");
}

static int see(struct reader *reader, const struct key *row, struct error *err)
{
    char shown[NAME_MOST];

    for (uint32_t i = 0; i < reader->seen_count && !row->many; i++) {
        if (reader->seen[i] == row) {
            return error_set(err, EXIT_USAGE, -EINVAL, "%s is given twice",
                             typed(row->name, shown));
        }
    }
    if (reader->seen_count < OPTIONS_ROWS && !row->many) {
        reader->seen[reader->seen_count++] = row;
    }
    return 0;
}

/* What the row's reader says, under the name that was typed. */
static int rename_error(const struct key *row, struct error *err)
{
    char shown[NAME_MOST], text[sizeof(err->text)];
    size_t n = strlen(row->name);

    memcpy(text, err->text, sizeof(text));
    if (strncmp(text, row->name, n) == 0 && text[n] == ':') {
        snprintf(err->text, sizeof(err->text), "%s%.*s", typed(row->name, shown),
                 (int)(sizeof(text) - NAME_MOST), text + n);
    }
    return err->code;
}

/* Is the next word the value of an option that may do without? */
static bool is_value(const struct reader *reader, const struct key *row)
{
    const char *word = reader->next < reader->count ? reader->words[reader->next] : "";
    const char *ending = strrchr(row->bare, '.');
    size_t n = strlen(word), m = ending ? strlen(ending) : 0;

    if (word[0] == '-') {
        return word[1] == '\0'; /* else the next option, as --pdf=x.html */
    }
    return m > 0 && n > m && strcmp(word + n - m, ending) == 0;
}

static int take(struct reader *reader, const struct key *row, const char *value, struct error *err)
{
    char shown[NAME_MOST];
    int rc = see(reader, row, err);

    if (rc == 0 && value == NULL && row->type == KEY_FLAG) {
        value = "yes";
    } else if (rc == 0 && value == NULL && row->bare && !is_value(reader, row)) {
        value = row->bare;
    } else if (rc == 0 && value == NULL) {
        if (reader->next == reader->count) {
            char expects[160];

            key_expects(row, expects, sizeof(expects));
            return error_set(err, EXIT_USAGE, -EINVAL, "%s: a value is missing: %s is expected",
                             typed(row->name, shown),
                             row->placeholder ? row->placeholder : expects);
        }
        value = reader->words[reader->next++];
    }
    if (rc == 0 && row->many) {
        if (reader->ret->many_count == OPTIONS_MANY) {
            return error_set(err, EXIT_USAGE, -E2BIG, "%s is given more than %d times",
                             typed(row->name, shown), OPTIONS_MANY);
        }
        reader->ret->many_of[reader->ret->many_count] = row;
        reader->ret->many_after[reader->ret->many_count] = reader->ret->word_count;
        reader->ret->many[reader->ret->many_count++] = value;
    } else if (rc == 0 && key_set(row, reader->record, value, err) < 0) {
        return rename_error(row, err);
    }
    return rc;
}

static int read_long(struct reader *reader, const char *word, struct error *err)
{
    const char *equals = strchr(word, '=');
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    char name[NAME_MOST];
    const struct key *row;

    snprintf(name, sizeof(name), "%.*s", (int)(n < NAME_MOST ? n : NAME_MOST - 1), word);
    if (strcmp(word, "help") == 0) {
        reader->ret->help = true;
        return 0;
    }
    row = n < NAME_MOST && n > 0 ? find(reader, name, 0) : NULL;
    return row ? take(reader, row, equals ? equals + 1 : NULL, err)
               : refuse_unknown(reader, name, err);
}

static int read_short(struct reader *reader, const char *word, struct error *err)
{
    const struct key *row = find(reader, NULL, word[0]);

    if (strcmp(word, "h") == 0) {
        reader->ret->help = true;
        return 0;
    }
    if (row == NULL) {
        error_set(err, EXIT_USAGE, -EINVAL, "unknown option -%.80s", word);
        return error_hint(err, "--help lists the options");
    }
    if (word[1] != '\0' && row->type == KEY_FLAG) {
        return error_set(err, EXIT_USAGE, -EINVAL, "-%c takes no value", word[0]);
    }
    return take(reader, row, word[1] != '\0' ? word + 1 : NULL, err);
}

int options_read(const struct option_group *groups, uint32_t group_count, void *record,
                 const char *const *words, uint32_t count, struct options *ret, struct error *err)
{
    struct reader reader = {.groups = groups,
                            .group_count = group_count,
                            .record = record,
                            .words = words,
                            .count = count,
                            .ret = ret};
    bool words_only = false;
    int rc = 0;

    *ret = (struct options){0};
    while (rc == 0 && reader.next < count) {
        const char *word = words[reader.next++];

        if (words_only || word[0] != '-' || word[1] == '\0') {
            if (ret->word_count == OPTIONS_WORDS) {
                return error_set(err, EXIT_USAGE, -E2BIG, "too many arguments: \"%.80s\"", word);
            }
            ret->words[ret->word_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            words_only = true;
        } else if (word[1] == '-') {
            rc = read_long(&reader, word + 2, err);
        } else {
            rc = read_short(&reader, word + 1, err);
        }
    }
    return rc;
}

uint32_t options_values(const struct options *options, const char *name, const char **ret)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < options->many_count; i++) {
        if (strcmp(options->many_of[i]->name, name) == 0) {
            ret[count++] = options->many[i];
        }
    }
    return count;
}

bool options_has(const struct options *options, const char *name)
{
    const char *values[OPTIONS_MANY];

    return options_values(options, name, values) > 0;
}
