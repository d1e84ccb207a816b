#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "base/units.h"
#include "check_show.h"
#include "cmd.h"
#include "engine/load.h"
#include "page.h"
#include "stop.h"

enum { BAR = 30, LOAD_ROWS_OPTIONS = 5 };

static const struct key rows[LOAD_ROWS_OPTIONS] = {
    {.name = "jobs",
     .type = KEY_COUNT,
     KEY_FIELD(struct args, jobs),
     .least = "1",
     .most = "512",
     .fallback = "one a core",
     .letter = 'j',
     .help = "connections that load at once"},
    {.name = "replace",
     .type = KEY_STRING,
     KEY_FIELD(struct args, replace),
     .fallback = "",
     .placeholder = "DATABASE",
     .help = "permits to drop the tables of exactly this database, whoever made them"},
    {.name = "no-check",
     .type = KEY_FLAG,
     KEY_FIELD(struct args, no_check),
     .fallback = "",
     .help = "leave out the rules of `rawtps check` at the end"},
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
};

static const struct option_group groups[] = {
    {"Real servers", args_server_rows, ARGS_SERVER_ROWS},
    {"What is loaded", &args_plan_rows[ARGS_DATA_ROW], ARGS_DATA_ROWS},
    {"How", rows, LOAD_ROWS_OPTIONS},
};

static void defaults(void *record)
{
    struct args *args = record;

    args->interval_ns = (int64_t)10 * 1000000000;
}

/* A load in progress on stderr. */
struct shown {
    bool terminal, quiet, drawn;
    int64_t interval_ns, last_ns;
    enum load_stage stage;
};

static int64_t wall_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void add_bar(struct text *out, double share)
{
    int full = (int)(share * BAR);

    text_add_char(out, '[');
    text_add_repeat(out, '#', (size_t)full);
    text_add_repeat(out, '.', (size_t)(BAR - full));
    text_add(out, "] ");
}

static void add_progress(const struct shown *shown, const struct load_view *view, struct text *out)
{
    double share = view->rows_all > 0 ? (double)view->rows / (double)view->rows_all : 0;
    uint64_t put = view->rows - view->rows_before;
    char rows_text[UNITS_TEXT], all[UNITS_TEXT], rate[UNITS_TEXT], left[UNITS_TEXT];

    text_addf(out, "%s: %s", view->vm, load_stage_names[view->stage]);
    if (view->stage != LOAD_ROWS) {
        if (view->steps_all > 0) {
            text_addf(out, " %u of %u", view->steps, view->steps_all);
        }
        return;
    }
    text_add(out, " ");
    if (shown->terminal) {
        add_bar(out, share > 1 ? 1 : share);
    }
    text_addf(out, "%.1f %%, %s of about %s", share > 1 ? 100 : share * 100,
              units_format_count(view->rows, rows_text, sizeof(rows_text)),
              units_format_count(view->rows_all, all, sizeof(all)));
    if (view->stage_ns > 0) {
        uint64_t per_s = (uint64_t)((double)put * 1e9 / (double)view->stage_ns);

        text_addf(out, ", %s/s", units_format_count(per_s, rate, sizeof(rate)));
    }
    if (view->left_ns >= 0) {
        text_addf(out, ", ETA %s", units_format_clock(view->left_ns, left, sizeof(left)));
    }
}

static void show(void *context, const struct load_view *view)
{
    struct shown *shown = context;
    bool other = !shown->drawn || view->stage != shown->stage;
    struct text out = {0};
    int64_t now_ns = wall_ns();

    if (shown->quiet ||
        (!shown->terminal && !other && now_ns - shown->last_ns < shown->interval_ns)) {
        return;
    }
    if (shown->terminal) {
        text_add(&out, other && shown->drawn ? "\n\r\033[K" : "\r\033[K");
    }
    add_progress(shown, view, &out);
    if (!shown->terminal) {
        text_add(&out, "\n");
    }
    page_show(&out);
    text_free(&out);
    shown->last_ns = now_ns;
    shown->stage = view->stage;
    shown->drawn = true;
}

static void add_rate(struct text *out, const char *before, uint64_t count, int64_t ns,
                     const char *behind)
{
    char text[UNITS_TEXT];

    if (ns > 0) {
        text_addf(
            out, "%s%s%s", before,
            units_format_count((uint64_t)((double)count * 1e9 / (double)ns), text, sizeof(text)),
            behind);
    }
}

static void print_report(const struct plan_vm *vm, const struct load_report *report)
{
    char url[256], rows_text[UNITS_TEXT], a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];
    struct text out = {0};

    text_addf(&out, "%s: %s: ", vm->name, plan_server(vm, url, sizeof(url)));
    if (report->was_complete) {
        text_add(&out, "is loaded already: nothing to do\n");
    } else {
        text_addf(&out, "%s rows", units_format_count(report->rows, rows_text, sizeof(rows_text)));
        if (report->rows_before > 0) {
            text_addf(&out, " (after about %s of an earlier load)",
                      units_format_count(report->rows_before, a, sizeof(a)));
        }
        text_addf(&out, " in %s", units_format_duration(report->rows_ns, a, sizeof(a)));
        add_rate(&out, ": ", report->rows, report->rows_ns, " rows/s");
        text_addf(&out, "; client CPU %s", units_format_duration(report->cpu_ns, b, sizeof(b)));
        add_rate(&out, ", ", report->rows, report->cpu_ns, " rows/s a core");
        text_addf(&out, "; indexes and statistics %s\n",
                  units_format_duration(report->index_ns, c, sizeof(c)));
    }
    page_write(&out);
    text_free(&out);
}

static enum exit_code load_all(const struct args *args, const struct plan *plan)
{
    struct shown shown = {
        .terminal = isatty(STDERR_FILENO), .quiet = args->quiet, .interval_ns = args->interval_ns};
    struct load_options options = {.jobs = args->jobs,
                                   .replace = args->replace,
                                   .stop = stop_flag(),
                                   .watch = show,
                                   .context = &shown};
    enum exit_code exit = EXIT_FINE;

    for (uint32_t i = 0; i < plan->vm_count && exit == EXIT_FINE; i++) {
        struct load_report report;
        struct error err = {0};
        int rc = load_run(plan, i, &options, &report, &err);

        if (shown.terminal && shown.drawn) {
            struct text line = {0};

            text_add(&line, "\n");
            page_show(&line);
            text_free(&line);
        }
        shown.drawn = false;
        if (rc < 0) {
            error_wrap(&err, "%s", plan->vms[i].name);
            exit = page_say_error(&err);
        } else {
            print_report(&plan->vms[i], &report);
        }
    }
    return exit;
}

static enum exit_code load(const void *record, const struct options *options,
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
    exit = load_all(args, plan);
    if (exit == EXIT_FINE && !args->no_check) {
        exit = check_servers(plan, args->quiet);
    }
    args_plan_free(plan);
    return exit;
}

const struct cmd cmd_load = {
    .name = "load",
    .usage = "SCENARIO --target URL [options]",
    .summary = "Fill the tables of a server for a scenario",
    .about =
        "Makes the tables, fills them by COPY or LOAD DATA (or INSERT, where the server allows\n"
        "neither), makes the indexes, analyzes, and checks the rules of `rawtps check`. A load\n"
        "that was interrupted or killed goes on where it ended when it is called again; one that\n"
        "is complete is left as it is. Tables that rawtps did not make, or of another size, are\n"
        "refused unless --replace names their database.\n"
        "\n"
        "  rawtps load tpcc-postgres --target postgresql://bench@db1/tpcc --warehouses 100\n",
    .groups = groups,
    .group_count = 3,
    .least_words = 1,
    .most_words = 1,
    .word_name = "a scenario",
    .record_bytes = sizeof(struct args),
    .defaults = defaults,
    .run = load,
};
