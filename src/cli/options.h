/* cli/options: words of the command line into a record, by tables of rows. */
#ifndef RAWTPS_CLI_OPTIONS_H
#define RAWTPS_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/keys.h"

enum { OPTIONS_WORDS = 1024, OPTIONS_MANY = 64, OPTIONS_ROWS = 64 };

/* Options under one heading of --help. All groups of a command fill the same record. */
struct option_group {
    const char *title;
    const struct key *rows;
    uint32_t count;
};

/* What is not in the record. */
struct options {
    const char *words[OPTIONS_WORDS]; /* in order */
    uint32_t word_count;
    const char *many[OPTIONS_MANY];          /* values of options that may be repeated, in order */
    const struct key *many_of[OPTIONS_MANY]; /* the row of each */
    uint32_t many_after[OPTIONS_MANY];       /* words that stood before each */
    uint32_t many_count;
    bool help; /* --help or -h was among them */
};

/*
 * Take apart `count` words: --name value, --name=value, --flag, -n value, -nvalue, and "--" before
 * words that begin with '-'. An option that is no `many` may be given once.
 * Errors: EXIT_USAGE with the nearest name.
 */
int options_read(const struct option_group *groups, uint32_t group_count, void *record,
                 const char *const *words, uint32_t count, struct options *ret, struct error *err);
/* Values of the repeated option of that name, in order; ret has room for OPTIONS_MANY. */
uint32_t options_values(const struct options *options, const char *name, const char **ret);
bool options_has(const struct options *options, const char *name);

#endif
