#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd.h"
#include "engine/fidelity.h"
#include "fidelity_show.h"
#include "page.h"
#include "plan/plan.h"

enum { PATH_BYTES = 1200, SEEDS_MOST = 99 };

struct fidelity_args {
    const char *truth;
    uint32_t seeds, jobs, format;
    bool quiet, list;
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

static const struct option_group groups[] = {{"Options", rows, sizeof(rows) / sizeof(rows[0])}};

static void defaults(void *record)
{
    struct fidelity_args *args = record;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    args->seeds = 3;
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

static enum exit_code run(const void *record, const struct options *options,
                          const struct cmd_line *line)
{
    const struct fidelity_args *args = record;
    const struct fidelity_cell **meant;
    struct fidelity_cell *cells = NULL;
    uint32_t count = 0, meant_count = 0;
    enum exit_code exit = EXIT_FINE;
    struct error err = {0};

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
    .usage = "[WORD...] [options]",
    .summary = "Hold the database models against what real servers were measured to do",
    .about =
        "Each cell is a measurement of a private MariaDB or PostgreSQL server: an engine, a\n"
        "workload, a buffer pool and a number of clients. The model gets the same, in virtual "
        "time\n"
        "from a cold pool, and each figure is shown as model, measured, ratio and verdict. WORDs\n"
        "choose the cells whose names hold all of them. Exits with 1 if a gate is missed.\n"
        "\n"
        "  rawtps fidelity\n"
        "  rawtps fidelity mariadb tpcc_lean/128 --seeds 1\n"
        "  rawtps fidelity --list\n",
    .groups = groups,
    .group_count = 1,
    .most_words = OPTIONS_WORDS,
    .word_name = "a word",
    .record_bytes = sizeof(struct fidelity_args),
    .defaults = defaults,
    .run = run,
};
