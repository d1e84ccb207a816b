#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "base/mem.h"
#include "cmd.h"
#include "engine/fidelity.h"
#include "engine/fidelity_live.h"
#include "fidelity_show.h"
#include "live_say.h"
#include "page.h"
#include "plan/plan.h"
#include "stop.h"

enum { PATH_BYTES = 1200, SEEDS_MOST = 99 };

struct fidelity_args {
    struct args args; /* first: the rows of servers and data fill it */
    const char *truth;
    uint32_t seeds, jobs, format;
    int64_t length_ns;
    bool quiet, list, measure;
};

static const struct key rows[] = {
    {.name = "seeds",
     .type = KEY_COUNT,
     KEY_FIELD(struct fidelity_args, seeds),
     .least = "1",
     .most = "99",
     .fallback = "3",
     .help = "runs of each cell, whose mean is judged"},
    {.name = "format",
     .type = KEY_WORD,
     KEY_FIELD(struct fidelity_args, format),
     .words = fidelity_format_names,
     .word_count = FIDELITY_FORMATS,
     .fallback = "text",
     .letter = 'f',
     .help = "how the table is written"},
    {.name = "truth",
     .type = KEY_STRING,
     KEY_FIELD(struct fidelity_args, truth),
     .fallback = "",
     .placeholder = "FILE",
     .help = "another file of measurements; the shipped one is scenarios/fidelity/truth.json"},
    {.name = "jobs",
     .type = KEY_COUNT,
     KEY_FIELD(struct fidelity_args, jobs),
     .least = "1",
     .most = "64",
     .fallback = "the number of CPUs",
     .letter = 'j',
     .help = "cells at once; the table does not depend on it"},
    {.name = "list",
     .type = KEY_FLAG,
     KEY_FIELD(struct fidelity_args, list),
     .fallback = "",
     .help = "only name the cells that would be run"},
    {.name = "quiet",
     .type = KEY_FLAG,
     KEY_FIELD(struct fidelity_args, quiet),
     .fallback = "",
     .letter = 'q',
     .help = "nothing on stderr but errors"},
};

static const struct key live_rows[] = {
    {.name = "measure",
     .type = KEY_FLAG,
     KEY_FIELD(struct fidelity_args, measure),
     .fallback = "",
     .help = "a live server instead of the stored cells; the word is a scenario, without one "
             "what the database holds"},
    {.name = "for",
     .type = KEY_DURATION,
     KEY_FIELD(struct fidelity_args, length_ns),
     .least = "5s",
     .most = "1d",
     .fallback = "60s",
     .letter = 't',
     .help = "length of its warm-up and sample together"},
};

static const struct option_group groups[] = {
    {"Options", rows, sizeof(rows) / sizeof(rows[0])},
    {"A server of your own", live_rows, sizeof(live_rows) / sizeof(live_rows[0])},
    {"Real servers", args_server_rows, ARGS_SERVER_ROWS},
    {"Their data", &args_plan_rows[ARGS_DATA_ROW], ARGS_DATA_ROWS},
};

static void defaults(void *record)
{
    struct fidelity_args *args = record;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    args->seeds = 3;
    args->length_ns = 60 * 1000000000ll;
    args->jobs = cpus < 1 ? 1 : cpus > 64 ? 64 : (uint32_t)cpus;
}

/* A cell is meant if its name holds all of the words. */
static bool is_meant(const struct fidelity_cell *cell, const struct options *options)
{
    for (uint32_t i = 0; i < options->word_count; i++) {
        if (strstr(cell->id, options->words[i]) == NULL) {
            return false;
        }
    }
    return true;
}

static int read_cells(const struct fidelity_args *args, struct fidelity_cell **ret,
                      uint32_t *ret_count, struct error *err)
{
    char path[PATH_BYTES + 32], dir[PATH_BYTES];

    if (args->truth != NULL) {
        return fidelity_read(args->truth, ret, ret_count, err);
    }
    if (plan_data_dir(dir, sizeof(dir), err) < 0) {
        return err->code;
    }
    snprintf(path, sizeof(path), "%s/scenarios/fidelity/truth.json", dir);
    return fidelity_read(path, ret, ret_count, err);
}

/* A line a cell on stderr, so that minutes do not pass in silence. */
static void say_done(void *context, const struct fidelity_outcome *outcome)
{
    uint32_t judged = 0, met = 0, *done = context;

    for (uint32_t i = 0; i < outcome->gate_count; i++) {
        judged += outcome->gates[i].judged;
        met += outcome->gates[i].judged && outcome->gates[i].met;
    }
    ++*done;
    page_say("%u: %s: %u of %u gates met", *done, outcome->cell->id, met, judged);
}

static enum exit_code judge(const struct fidelity_outcome *outcomes, uint32_t count)
{
    enum exit_code exit = EXIT_FINE;
    struct fidelity_summary all;

    for (uint32_t i = 0; i < count; i++) {
        const struct fidelity_outcome *outcome = &outcomes[i];

        if (outcome->code != 0) {
            page_say("%s: %s", outcome->cell->id, outcome->error.text);
            exit = page_graver(exit, outcome->error.exit);
        }
        if (outcome->checks_failed > 0) {
            page_say("%s: %u accounting checks failed: %s", outcome->cell->id,
                     outcome->checks_failed, outcome->check);
            exit = page_graver(exit, EXIT_WANTING);
        }
    }
    fidelity_sum(outcomes, count, NULL, &all);
    return all.met < all.judged ? page_graver(exit, EXIT_WANTING) : exit;
}

static enum exit_code run_cells(const struct fidelity_args *args,
                                const struct fidelity_cell *const *cells, uint32_t count)
{
    struct fidelity_outcome *outcomes = mem_array(count, sizeof(*outcomes));
    struct error err = {0};
    struct text text = {0};
    uint32_t done = 0;
    enum exit_code exit;

    if (outcomes == NULL) {
        error_set(&err, EXIT_FAILED, -ENOMEM, "no memory for %u cells", count);
        return page_say_error(&err);
    }
    fidelity_run(cells, count, args->seeds, args->jobs, outcomes, args->quiet ? NULL : say_done,
                 &done);
    fidelity_show(outcomes, count, args->seeds, (enum fidelity_format)args->format, &text);
    page_write(&text);
    text_free(&text);
    exit = judge(outcomes, count);
    mem_free(outcomes);
    return exit;
}

static enum exit_code list_cells(const struct fidelity_cell *const *cells, uint32_t count)
{
    struct text text = {0};

    for (uint32_t i = 0; i < count; i++) {
        text_addf(&text, "%s%s\n", cells[i]->id, cells[i]->settled ? "" : "  (not judged)");
    }
    page_write(&text);
    text_free(&text);
    return EXIT_FINE;
}

static enum exit_code show_live(const struct fidelity_args *args, const struct fidelity_live *live)
{
    struct text text = {0};

    for (uint32_t i = 0; i < sizeof(live->notes) / sizeof(live->notes[0]); i++) {
        if (live->notes[i][0] != '\0' && !args->quiet) {
            page_say("%s", live->notes[i]);
        }
    }
    fidelity_show(&live->outcome, 1, args->seeds, (enum fidelity_format)args->format, &text);
    page_write(&text);
    text_free(&text);
    return judge(&live->outcome, 1);
}

static enum exit_code run_live(const struct fidelity_args *args, const struct options *options)
{
    struct live_say say = {.quiet = args->quiet, .terminal = isatty(STDERR_FILENO)};
    struct fidelity_live *live = mem_zalloc(sizeof(*live));
    struct args_request words;
    struct fidelity_live_options how = {.length_ns = args->length_ns,
                                        .seeds = args->seeds,
                                        .stop = stop_flag(),
                                        .say = live_say,
                                        .watch = live_say_view,
                                        .context = &say};
    enum exit_code exit = EXIT_FINE;
    struct error err = {0};
    int code = live ? 0 : error_set(&err, EXIT_FAILED, -ENOMEM, "no memory");

    if (code == 0 && options->word_count > 1) {
        code = error_set(&err, EXIT_USAGE, -E2BIG, "--measure: one scenario, not %u words",
                         options->word_count);
    }
    if (code == 0) {
        args_request(&args->args, options, &words);
        how.request = &words.request;
        stop_catch(args->quiet);
        code = fidelity_live_run(&how, live, &err);
        live_say_end(&say);
    }
    exit = code < 0 ? page_say_error(&err) : show_live(args, live);
    mem_free(live);
    return exit;
}

static enum exit_code refuse_target(void)
{
    struct error err = {0};

    error_set(&err, EXIT_USAGE, -EINVAL, "a server is measured with --measure");
    error_hint(&err, "without it the stored measurements are the truth, and no server is asked");
    return page_say_error(&err);
}

static enum exit_code run(const void *record, const struct options *options,
                          const struct cmd_line *line)
{
    const struct fidelity_args *args = record;
    const struct fidelity_cell **meant;
    struct fidelity_cell *cells = NULL;
    uint32_t count = 0, meant_count = 0;
    enum exit_code exit = EXIT_FINE;
    struct error err = {0};

    if (args->measure) {
        return run_live(args, options);
    }
    if (args->args.target != NULL) {
        return refuse_target();
    }
    if (read_cells(args, &cells, &count, &err) < 0) {
        return page_say_error(&err);
    }
    meant = mem_array(count + 1, sizeof(*meant));
    for (uint32_t i = 0; meant && i < count; i++) {
        if (is_meant(&cells[i], options)) {
            meant[meant_count++] = &cells[i];
        }
    }
    if (meant_count == 0) {
        error_set(&err, EXIT_USAGE, -ENOENT, "no cell's name holds all of these words");
        error_hint(&err, "`rawtps fidelity --list` names them");
        exit = page_say_error(&err);
    } else {
        exit = args->list ? list_cells(meant, meant_count) : run_cells(args, meant, meant_count);
    }
    mem_free(meant);
    mem_free(cells);
    return exit;
}

const struct cmd cmd_fidelity = {
    .name = "fidelity",
    .usage = "[WORD...] [options] | --measure [SCENARIO] --target URL [options]",
    .summary = "Hold the database models against what real servers were measured to do",
    .about =
        "Each cell is a measurement of a private MariaDB or PostgreSQL server: an engine, a\n"
        "workload, a buffer pool and a number of clients. The model gets the same, in virtual "
        "time\n"
        "from a cold pool, and each figure is shown as model, measured, ratio and verdict. WORDs\n"
        "choose the cells whose names hold all of them. Exits with 1 if a gate is missed.\n"
        "\n"
        "With --measure a server of your own is the truth: warm-up, sample, its counters; then "
        "the\n"
        "model in virtual time with the same data, buffer, users and settings, at the same pace.\n"
        "It begins with a warm pool, or with --set phases.start=cold, for a server that has just\n"
        "been started, with an empty one and the same warm-up. Tables that have just been\n"
        "loaded are those of --set database.k_fill=pristine.\n"
        "\n"
        "  rawtps fidelity\n"
        "  rawtps fidelity mariadb tpcc_lean/128 --seeds 1\n"
        "  rawtps fidelity --list\n"
        "  rawtps fidelity --measure --target mysql://bench@localhost/tpcc --for 2m\n",
    .groups = groups,
    .group_count = 4,
    .most_words = OPTIONS_WORDS,
    .word_name = "a word",
    .record_bytes = sizeof(struct fidelity_args),
    .defaults = defaults,
    .run = run,
};
