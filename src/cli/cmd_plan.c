#include <inttypes.h>
#include <stdio.h>

#include "args.h"
#include "base/units.h"
#include "cmd.h"
#include "engine/run.h"
#include "io/guard.h"
#include "page.h"

static const struct option_group groups[] = {
    {"Options", args_plan_rows, ARGS_PLAN_ROWS},
    {"Real servers", args_server_rows, ARGS_SERVER_ROWS},
};

static void explain_drive(const struct drive_facts *facts, struct text *ret)
{
    char size[UNITS_TEXT];

    text_addf(ret, "\nThe drive as it stands, of which `run` would take this:\n");
    text_addf(ret, "  %s: %s", facts->path, facts->kind[0] ? facts->kind : "unknown kind");
    if (facts->model[0]) {
        text_addf(ret, ", %s", facts->model);
    }
    if (facts->serial[0]) {
        text_addf(ret, ", serial %s", facts->serial);
    }
    if (facts->firmware[0]) {
        text_addf(ret, ", firmware %s", facts->firmware);
    }
    if (facts->capacity_bytes > 0) {
        text_addf(ret, ", %s = %" PRIu64 " bytes",
                  units_format_size_decimal(facts->capacity_bytes, size, sizeof(size)),
                  facts->capacity_bytes);
    }
    text_add(ret, "\n");
}

static enum exit_code look_at_servers(const struct plan *plan, struct text *ret)
{
    struct error err = {0};

    text_add(ret, "\nThe servers as they stand\n");
    if (servers_look(plan, ret, &err) == 0) {
        return EXIT_FINE;
    }
    page_write(ret);
    text_clear(ret);
    return page_say_error(&err);
}

/* What `run` would be told before the first byte. */
static enum exit_code look(const struct plan *plan, struct text *ret)
{
    struct guard_request request = {
        .path = plan->drive_path,
        .erase = plan->erase[0] != '\0' ? plan->erase : NULL,
        .write = plan->writes,
        .create_bytes = plan->create_bytes,
        .expect_bytes = plan->expect_bytes,
    };
    struct drive_facts facts = {0};
    struct error err = {0};
    char words[sizeof(err.file) + sizeof(err.text) + 32];

    if (plan->drive == PLAN_DRIVE_NONE) {
        return look_at_servers(plan, ret);
    }
    if (plan->drive != PLAN_DRIVE_URING) {
        return EXIT_FINE;
    }
    if (guard_look(&request, &facts, &err) == 0 && plan_suits(plan, &facts, &err) == 0) {
        explain_drive(&facts, ret);
        return EXIT_FINE;
    }
    text_addf(ret, "\n`run` would refuse the drive: %s\n",
              error_format(&err, words, sizeof(words)));
    page_write(ret);
    text_clear(ret);
    return page_say_error(&err);
}

static enum exit_code show_plan(const void *record, const struct options *options,
                                const struct cmd_line *line)
{
    struct text text = {0};
    struct error err = {0};
    struct plan *plan;
    enum exit_code exit;

    if (args_plan(record, options, &plan, &err) < 0) {
        return page_say_error(&err);
    }
    plan_explain(plan, &text);
    exit = look(plan, &text);
    page_write(&text);
    text_free(&text);
    args_plan_free(plan);
    return exit;
}

const struct cmd cmd_plan = {
    .name = "plan",
    .usage = "SCENARIO [options]",
    .summary = "Say what a run would do, touching nothing",
    .about =
        "SCENARIO is a YAML file, or the name of one that `rawtps list` shows. Prints the\n"
        "footprint, the bytes to be written and their share of the drive, memory, duration,\n"
        "phases, every key with its default filled in, and whether the drive would be taken. With "
        "a\n"
        "server: what it is, and whether it will do: connections, statements, data, durability.\n",
    .groups = groups,
    .group_count = 2,
    .least_words = 1,
    .most_words = 1,
    .word_name = "a scenario",
    .record_bytes = sizeof(struct args),
    .run = show_plan,
};
