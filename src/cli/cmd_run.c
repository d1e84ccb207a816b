#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "base/mem.h"
#include "check_show.h"
#include "cmd.h"
#include "engine/run.h"
#include "live_watch.h"
#include "page.h"
#include "stop.h"
#include "version.h"

enum { DIR_BYTES = 512, OUTPUT_ROWS = 10 };

static const struct key output_rows[OUTPUT_ROWS] = {
    {.name = "results",
     .type = KEY_STRING,
     KEY_FIELD(struct args, results),
     .fallback = "results",
     .placeholder = "DIR",
     .help = "where run directories are made; DIR/LATEST points to the last"},
    {.name = "out",
     .type = KEY_STRING,
     KEY_FIELD(struct args, out),
     .fallback = "",
     .placeholder = "DIR",
     .letter = 'o',
     .help = "the run directory exactly; it must not be there, or be empty"},
    {.name = "label",
     .type = KEY_TEXT,
     KEY_FIELD(struct args, label),
     .fallback = "",
     .help = "a word to know the run by, kept in the result"},
    {.name = "format",
     .type = KEY_WORD,
     KEY_FIELD(struct args, format),
     KEY_WORDS(page_format_names),
     .fallback = "text",
     .letter = 'f',
     .help = "how the final table is written"},
    {.name = "json",
     .type = KEY_FLAG,
     KEY_FIELD(struct args, json),
     .fallback = "",
     .help = "one JSON object an interval and VM on stdout; the final table goes to stderr"},
    {.name = "quiet",
     .type = KEY_FLAG,
     KEY_FIELD(struct args, quiet),
     .fallback = "",
     .letter = 'q',
     .help = "nothing on stderr but errors"},
    {.name = "interval",
     .type = KEY_DURATION,
     KEY_FIELD(struct args, interval_ns),
     .least = "100ms",
     .most = "1d",
     .fallback = "10s",
     .letter = 'i',
     .help = "between lines of progress, where stderr is no terminal"},
    {.name = "progress",
     .type = KEY_WORD,
     KEY_FIELD(struct args, progress),
     .words = progress_style_names,
     .word_count = PROGRESS_STYLES,
     .fallback = "plain",
     .help = "their style"},
    {.name = "color",
     .type = KEY_WORD,
     KEY_FIELD(struct args, color),
     KEY_WORDS(page_color_names),
     .fallback = "auto",
     .help = "colour of verdicts; auto asks the terminal and NO_COLOR"},
    {.name = "check",
     .type = KEY_FLAG,
     KEY_FIELD(struct args, check),
     .fallback = "",
     .help = "of a server: `rawtps check` when the run is over"},
};

static const struct option_group groups[] = {
    {"What is run", args_plan_rows, ARGS_PLAN_ROWS},
    {"Real servers", args_server_rows, ARGS_SERVER_ROWS},
    {"What is shown and kept", output_rows, OUTPUT_ROWS},
};

static void defaults(void *record)
{
    struct args *args = record;

    args->results = "results";
    args->interval_ns = (int64_t)10 * 1000000000;
}

/* "what was printed": the table, as plain text. */
static int keep_table(const char *dir, const struct text *table, struct error *err)
{
    char path[DIR_BYTES + 16];
    const char *bytes = text_string(table);
    size_t left = table->length;
    int fd, code = 0;

    snprintf(path, sizeof(path), "%s/stdout.log", dir);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
        code = errno;
    }
    while (code == 0 && left > 0) {
        ssize_t n = write(fd, bytes, left);

        if (n < 0 && errno != EINTR) {
            code = errno;
        }
        bytes += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0 && close(fd) != 0 && code == 0) {
        code = errno;
    }
    return code == 0
               ? 0
               : error_set(err, EXIT_FAILED, -code, "cannot write %s: %s", path, strerror(code));
}

static enum exit_code print_result(const struct args *args, const struct result *result,
                                   const char *dir)
{
    int fd = args->json ? STDERR_FILENO : STDOUT_FILENO;
    struct text table = {0}, plain = {0};
    enum exit_code exit = EXIT_FINE;
    struct error err = {0};

    if (page_render(result, dir, args->format, page_width(fd), page_colour(args->color, fd), &table,
                    &err) < 0) {
        exit = page_say_error(&err);
    } else if (!args->json) {
        page_write(&table);
    } else if (!args->quiet) {
        page_show(&table);
    }
    if (dir[0] != '\0' &&
        (page_render(result, dir, PAGE_TEXT, PAGE_WIDTH, false, &plain, &err) < 0 ||
         keep_table(dir, &plain, &err) < 0)) {
        exit = page_say_error(&err);
    }
    text_free(&table);
    text_free(&plain);
    return exit;
}

/* The finding names VM, table, page, offset, what was expected and what was found. */
static void say_wrong_pages(const struct result *result)
{
    for (uint32_t i = 0; i < result->vm_count; i++) {
        const struct result_integrity *integrity = &result->vms[i].integrity;

        if (integrity->stamp_errors > 0) {
            page_say("wrong data: %s; %llu wrong of %llu pages checked", integrity->first,
                     (unsigned long long)integrity->stamp_errors,
                     (unsigned long long)integrity->stamps_checked);
        }
    }
}

static void say_checks(const struct result *result)
{
    for (uint32_t i = 0; i < result->check_count; i++) {
        const struct result_check *check = &result->checks[i];

        if (!check->passed && strcmp(check->name, "wrong pages") != 0) {
            page_say("check failed: %s (%s): expected %.6g, found %.6g, tolerance %.3g",
                     check->name, check->scope, check->expected, check->found, check->tolerance);
        }
    }
}

/* Why the program does not end with 0. */
static void say_wrong(const struct result *result, const char *dir)
{
    if (strcmp(result->run.ended, "interrupted") == 0) {
        page_say("interrupted: the result is partial and marked so%s%s", dir[0] != '\0' ? ": " : "",
                 dir);
    }
    if (result->run.error[0] != '\0') {
        page_say("%s", result->run.error);
    }
    say_wrong_pages(result);
    say_checks(result);
}

/* A table that nobody got ends the program with another code than the run: run.json has it too. */
static enum exit_code keep_exit(struct result *result, const char *dir, enum exit_code exit)
{
    struct error err = {0};

    exit = page_graver(exit, page_failed() ? EXIT_FAILED : EXIT_FINE);
    if (exit == result->run.exit_code) {
        return exit;
    }
    result_check(result, "the table could be written", "run", 1, 0, 0, false, exit);
    result->run.exit_code = result_exit_code(result);
    if (dir[0] != '\0' && run_amend(dir, result, &err) < 0) {
        exit = page_graver(exit, page_say_error(&err));
    }
    return exit;
}

/* The rules are part of the run's result, and of what it ends with. */
static enum exit_code check_rules(const struct args *args, const struct plan *plan,
                                  struct result *result, const char *dir)
{
    enum exit_code exit = check_servers(plan, args->quiet);
    struct error err = {0};

    result_check(result, "rules of the database, after the run", "run", 1, exit == EXIT_FINE, 0,
                 exit == EXIT_FINE, exit == EXIT_FINE ? EXIT_WRONG_DATA : exit);
    result->run.exit_code = result_exit_code(result);
    if (dir[0] != '\0' && run_amend(dir, result, &err) < 0) {
        exit = page_graver(exit, page_say_error(&err));
    }
    return exit;
}

static enum exit_code run_built(const struct args *args, const struct plan *plan,
                                const struct cmd_line *line, struct live_watch *watch)
{
    struct run_options options = {
        .out = args->out,
        .root = args->results,
        .label = args->label,
        .tool_version = version_number,
        .command = line->words,
        .command_count = line->count,
        .stop = stop_flag(),
        .watch = live_watch_show,
        .context = watch,
        .check = args->check,
    };
    char dir[DIR_BYTES] = "", id[72];
    struct error err = {0};
    struct result result;
    enum exit_code exit;
    int rc;

    options.build_id = version_build_id(id, sizeof(id));
    stop_catch(args->quiet);
    stop_gently(true);
    rc = run_plan(plan, &options, &result, dir, &err);
    stop_gently(false);
    live_watch_close(watch);
    if (rc < 0) {
        return page_say_error(&err);
    }
    live_watch_last(watch, &result);
    exit = *stop_flag() < 2 ? print_result(args, &result, dir) : EXIT_FINE; /* at once */
    if (result.run.exit_code != EXIT_FINE) {
        say_wrong(&result, dir);
    }
    exit = keep_exit(&result, dir, page_graver(exit, result.run.exit_code));
    if (args->check && exit != EXIT_INTERRUPTED) {
        exit = page_graver(exit, check_rules(args, plan, &result, dir));
    }
    result_free(&result);
    return exit;
}

static int refuse_check(struct error *err)
{
    error_set(err, EXIT_USAGE, -EINVAL, "--check is of a server, and this run asks none");
    return error_hint(err, "--target postgresql://user@host/database, or mysql://..., names one");
}

static enum exit_code run(const void *record, const struct options *options,
                          const struct cmd_line *line)
{
    const struct args *args = record;
    struct live_watch *watch = mem_zalloc(sizeof(*watch));
    enum exit_code exit;
    struct error err = {0};
    struct plan *plan;

    if (watch == NULL) {
        error_set(&err, EXIT_FAILED, -ENOMEM, "no memory to show progress");
        return page_say_error(&err);
    }
    *watch = (struct live_watch){.quiet = args->quiet,
                                 .json = args->json,
                                 .interval_ns = args->interval_ns,
                                 .style = args->progress,
                                 .color = args->color};
    if (args_plan(args, options, &plan, &err) < 0) {
        exit = page_say_error(&err);
    } else {
        bool refused = (args->check && plan->drive != PLAN_DRIVE_NONE && refuse_check(&err) < 0) ||
                       live_watch_open(watch, &err) < 0;

        exit = refused ? page_say_error(&err) : run_built(args, plan, line, watch);
        args_plan_free(plan);
    }
    mem_free(watch);
    return exit;
}

const struct cmd cmd_run = {
    .name = "run",
    .usage = "SCENARIO [options]",
    .summary = "Run a scenario on a drive, a server or in virtual time, and print the table",
    .about =
        "SCENARIO is a YAML file, or the name of one that `rawtps list` shows. The table goes to\n"
        "stdout, progress and warnings to stderr. Ctrl-C ends the interval, waits for what is\n"
        "under way, for 30 s at most, keeps the partial result and exits with 130; a second "
        "Ctrl-C\n"
        "keeps it without waiting and prints no table.\n"
        "\n"
        "--json writes a line for each VM and one for all at the end of every interval:\n"
        "  t      seconds from the beginning of the first phase to the interval's end\n"
        "  phase  name of the phase: precondition, settle, sample\n"
        "  vm     number of the VM, from 0, or \"all\"\n"
        "  tps    transactions a second; requests a second of a bare drive\n"
        "  lat    response times of the interval in microseconds: avg, p50, p95, p99, p99_9,\n"
        "         max, stddev\n"
        "  err    transactions that failed\n"
        "\n"
        "  rawtps run quick --drive scratch.img\n"
        "  rawtps run tpcc-1500-4vm --virtual --set drive.like=h3200-u2\n"
        "  rawtps run tpcc-1500-4vm --drive lab.img --scale 1/400 --for 60s\n"
        "  rawtps run corners-4k-randread --drive /dev/nvme1n1 --erase SERIAL\n"
        "  rawtps run tpcc-postgres --target postgresql://bench@db1/tpcc --warehouses 100\n"
        "  rawtps run sysbench-sql --target mysql://bench@db1/sbtest --threads 32 --for 60s\n",
    .groups = groups,
    .group_count = 3,
    .least_words = 1,
    .most_words = 1,
    .word_name = "a scenario",
    .record_bytes = sizeof(struct args),
    .defaults = defaults,
    .run = run,
};
