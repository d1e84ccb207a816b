#include "args.h"
#include "check_show.h"
#include "cmd.h"
#include "page.h"
#include "stop.h"

static const struct key rows[] = {
    {.name = "quiet",
     .type = KEY_FLAG,
     KEY_FIELD(struct args, quiet),
     .fallback = "",
     .letter = 'q',
     .help = "nothing on stderr but errors"},
};

static const struct option_group groups[] = {
    {"Real servers", args_server_rows, ARGS_SERVER_ROWS},
    {"Their data", &args_plan_rows[ARGS_DATA_ROW], ARGS_DATA_ROWS},
    {"What is shown", rows, 1},
};

static enum exit_code check(const void *record, const struct options *options,
                            const struct cmd_line *line)
{
    const struct args *args = record;
    struct error err = {0};
    enum exit_code exit;
    struct plan *plan;

    if (args_plan_servers(args, options, &plan, &err) < 0) {
        return page_say_error(&err);
    }
    stop_catch(args->quiet);
    exit = check_servers(plan, args->quiet);
    args_plan_free(plan);
    return exit;
}

const struct cmd cmd_check = {
    .name = "check",
    .usage = "SCENARIO --target URL [options]",
    .summary = "Check the data of a server: consistency conditions, each by its name",
    .about =
        "All rules of the scenario's workload, in one snapshot: the twelve conditions of TPC-C\n"
        "(3.3.2) and more of its rules, those of sbtest, those of pgbench's tables. Prints a line\n"
        "a rule, and the first rows that break one. Exits with 4 if a rule is broken.\n"
        "\n"
        "  rawtps check tpcc-postgres --target postgresql://bench@db1/tpcc\n",
    .groups = groups,
    .group_count = 3,
    .least_words = 1,
    .most_words = 1,
    .word_name = "a scenario",
    .record_bytes = sizeof(struct args),
    .run = check,
};
