/* cli/cmd: the table of commands. */
#ifndef RAWTPS_CLI_CMD_H
#define RAWTPS_CLI_CMD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "options.h"

/* What the program was called with. */
struct cmd_line {
    const char *const *words; /* recorded in the result: passwords are blotted out */
    const char *const *typed; /* as it was */
    uint32_t count;
};

struct cmd {
    const char *name;
    const char *usage;   /* behind "rawtps NAME " */
    const char *summary; /* one sentence without a full stop */
    const char *about;   /* a paragraph or more for --help; ends with a newline */
    const struct option_group *groups;
    uint32_t group_count;
    uint32_t least_words, most_words; /* arguments that are no options */
    const char *word_name;            /* what is missing if there are too few: "a scenario" */
    uint64_t record_bytes;            /* of what the options fill */
    void (*defaults)(void *record);   /* NULL: all zero */
    enum exit_code (*run)(const void *record, const struct options *options,
                          const struct cmd_line *line);
};

extern const struct cmd cmd_gate, cmd_history, cmd_compare, cmd_bench_pair;
extern const struct cmd *const cmd_table[];
extern const uint32_t cmd_count;

const struct cmd *cmd_find(const char *name);
/* EXIT_USAGE, with the name that was probably meant. */
int cmd_unknown(const char *name, struct error *err);

extern const struct cmd cmd_audit, cmd_calibrate, cmd_fidelity, cmd_run, cmd_load, cmd_check,
    cmd_plan, cmd_report, cmd_list, cmd_version, cmd_help;

/* cmd_help.c: what `rawtps COMMAND --help` prints. */
void cmd_help_one(const struct cmd *cmd, struct text *ret);
void cmd_help_all(struct text *ret);

#endif
