#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "base/mem.h"
#include "cmd.h"
#include "compare_show.h"
#include "engine/run.h"
#include "live_watch.h"
#include "page.h"
#include "pair_series.h"
#include "stats/compare.h"
#include "stop.h"
#include "version.h"

enum { SIDES = 2, LABEL = 64, WORD = 96, RUN_DIR = 512, DRIVES_MOST = 64 };

struct pair_args {
    struct args args; /* first: the rows of args.h are of it */
    const char *drives[SIDES], *erase[SIDES], *labels[SIDES];
    uint32_t runs;
    bool resume;
};

#define OF(member) KEY_FIELD(struct pair_args, member)
static const struct key pair_rows[] = {
    {.name = "a",
     .type = KEY_STRING,
     OF(drives[0]),
     .fallback = "",
     .placeholder = "DRIVE",
     .help = "the base: a block device or file (a path), or the name of a drive model, as "
             "h3200-u2, which is simulated in virtual time"},
    {.name = "b",
     .type = KEY_STRING,
     OF(drives[1]),
     .fallback = "",
     .placeholder = "DRIVE",
     .help = "what is held against it"},
    {.name = "runs",
     .type = KEY_COUNT,
     OF(runs),
     .least = "1",
     .most = "50",
     .fallback = "5",
     .letter = 'n',
     .help = "runs a side; in the order ABBAABBAAB a drift falls on both alike"},
    {.name = "erase-a",
     .type = KEY_STRING,
     OF(erase[0]),
     .fallback = "",
     .placeholder = "SERIAL",
     .help = "permits to overwrite the drive of exactly this serial number, as --erase of run"},
    {.name = "erase-b",
     .type = KEY_STRING,
     OF(erase[1]),
     .fallback = "",
     .placeholder = "SERIAL",
     .help = "the same for B"},
    {.name = "set-a",
     .type = KEY_STRING,
     .fallback = "",
     .placeholder = "KEY=VALUE",
     .many = true,
     .help = "a key of the scenario for A alone; may be given again"},
    {.name = "set-b",
     .type = KEY_STRING,
     .fallback = "",
     .placeholder = "KEY=VALUE",
     .many = true,
     .help = "a key of the scenario for B alone; may be given again"},
    {.name = "virtual",
     .type = KEY_FLAG,
     OF(args.virtual_time),
     .fallback = "",
     .help = "in virtual time; --a and --b are drive models, or are left out where --set-a and "
             "--set-b make the difference"},
};

static const struct key kept_rows[] = {
    {.name = "results",
     .type = KEY_STRING,
     OF(args.results),
     .fallback = "results",
     .placeholder = "DIR",
     .help = "where the directory of the series is made"},
    {.name = "out",
     .type = KEY_STRING,
     OF(args.out),
     .fallback = "",
     .placeholder = "DIR",
     .letter = 'o',
     .help = "the directory of the series exactly; its runs are DIR/01-A, DIR/02-B, ..."},
    {.name = "resume",
     .type = KEY_FLAG,
     OF(resume),
     .fallback = "",
     .help = "go on with the series of --out: runs that are complete are kept"},
    {.name = "label-a",
     .type = KEY_STRING,
     OF(labels[0]),
     .fallback = "",
     .placeholder = "TEXT",
     .help = "what A is called [the drive]"},
    {.name = "label-b",
     .type = KEY_STRING,
     OF(labels[1]),
     .fallback = "",
     .placeholder = "TEXT",
     .help = "what B is called [the drive]"},
    {.name = "quiet",
     .type = KEY_FLAG,
     OF(args.quiet),
     .fallback = "",
     .letter = 'q',
     .help = "nothing on stderr but errors"},
    {.name = "interval",
     .type = KEY_DURATION,
     OF(args.interval_ns),
     .least = "100ms",
     .most = "1d",
     .fallback = "10s",
     .letter = 'i',
     .help = "between lines of progress, where stderr is no terminal"},
};

/* --for, --scale, --set and --seed are those of `run`. */
enum { SHARED_FROM = 4, SHARED_ROWS = ARGS_PLAN_ROWS - SHARED_FROM };
#define ROWS(rows) (rows), sizeof(rows) / sizeof((rows)[0])
static const struct option_group groups[] = {
    {"Which two", ROWS(pair_rows)},
    {"What is run on both", &args_plan_rows[SHARED_FROM], SHARED_ROWS},
    {"How they are compared", compare_show_rows, COMPARE_SHOW_SHARED},
    {"What is kept, and said meanwhile", ROWS(kept_rows)},
};

struct bench {
    const struct pair_args *args;
    const struct options *options;
    const struct cmd_line *line;
    struct pair_series series;
    uint64_t seed; /* of the first pair */
    struct live_watch *watch;
};

static void defaults(void *record)
{
    struct pair_args *args = record;

    args->args.results = "results";
    args->args.interval_ns = (int64_t)10 * 1000000000;
    args->runs = 5;
}

/* A path has a slash, or is there; else it is the name of a model. */
static bool is_path(const char *drive)
{
    return strchr(drive, '/') != NULL || access(drive, F_OK) == 0;
}

/* Is there a drive model of that name? ret_near: one that may have been meant, or NULL. */
static bool is_model(const struct plan_listing *rows, uint32_t count, const char *name,
                     const char **ret_near)
{
    const char *names[DRIVES_MOST];
    uint32_t n = 0;

    for (uint32_t i = 0; i < count && n < DRIVES_MOST; i++) {
        if (strcmp(rows[i].kind, "drive") == 0) {
            names[n++] = rows[i].name;
        }
    }
    *ret_near = text_nearest(name, names, n);
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* A word that is no path and no model either is a misspelt one of them. */
static int check_model(const char *drive, uint32_t side, struct error *err)
{
    size_t length = strlen(drive);
    struct plan_listing *rows;
    const char *near;
    uint32_t count;

    if (is_path(drive) || (length > 5 && strcmp(drive + length - 5, ".yaml") == 0)) {
        return 0;
    }
    if (plan_list(&rows, &count, err) < 0) {
        return err->code;
    }
    if (!is_model(rows, count, drive, &near)) {
        error_set(err, EXIT_USAGE, -ENOENT,
                  "side %s: --%s %.200s: there is no such file here, and no drive model of that "
                  "name",
                  side == 0 ? "A" : "B", side == 0 ? "a" : "b", drive);
        if (near) {
            error_hint(err, "did you mean \"%s\"?", near);
        } else {
            error_hint(err,
                       "a file to be made has a slash, as ./%.200s; `rawtps list` shows the "
                       "models",
                       drive);
        }
        mem_free(rows);
        return err->code;
    }
    mem_free(rows);
    return 0;
}

static int check_drives(const struct pair_args *args, const struct options *options,
                        struct error *err)
{
    bool settings = options_has(options, "set-a") || options_has(options, "set-b");

    if (!args->drives[0] != !args->drives[1] || (!args->drives[0] && !settings)) {
        error_set(err, EXIT_USAGE, -EINVAL, "bench-pair: --a and --b name the two drives");
        return error_hint(err, "as --a /dev/nvme1n1 --b /dev/nvme2n1, or --a h3200-u2 --b "
                               "h3201-e1s in virtual time");
    }
    for (uint32_t s = 0; args->drives[0] && s < SIDES; s++) {
        if (is_path(args->drives[s]) && args->args.virtual_time) {
            return error_set(err, EXIT_USAGE, -EINVAL,
                             "--virtual touches no drive: --%s %.200s is a path",
                             s == 0 ? "a" : "b", args->drives[s]);
        }
        if (check_model(args->drives[s], s, err) < 0) {
            return err->code;
        }
    }
    if (args->drives[0] && is_path(args->drives[0]) != is_path(args->drives[1])) {
        return error_set(
            err, EXIT_USAGE, -EINVAL,
            "--%s %.200s is a path, --%s %.200s a drive model: real and virtual time "
            "cannot be compared",
            is_path(args->drives[0]) ? "a" : "b", args->drives[is_path(args->drives[0]) ? 0 : 1],
            is_path(args->drives[0]) ? "b" : "a", args->drives[is_path(args->drives[0]) ? 1 : 0]);
    }
    return 0;
}

static const struct key *row_of_set(void)
{
    return key_find(args_plan_rows, ARGS_PLAN_ROWS, "set");
}

static int add_set(struct options *options, const char *value, struct error *err)
{
    if (options->many_count == OPTIONS_MANY) {
        return error_set(err, EXIT_USAGE, -E2BIG, "more than %d settings", OPTIONS_MANY);
    }
    options->many_of[options->many_count] = row_of_set();
    options->many[options->many_count++] = value;
    return 0;
}

/* The plan of one side with that seed; NULL seed: the scenario's. */
static int plan_side(const struct bench *bench, uint32_t side, const char *seed, struct plan **ret,
                     struct error *err)
{
    const char *drive = bench->args->drives[side], *mine = side == 0 ? "set-a" : "set-b";
    struct options options = *bench->options;
    struct args args = bench->args->args;
    char like[WORD];
    uint32_t count = options.many_count;

    args.seed = seed ? seed : args.seed;
    if (drive && is_path(drive)) {
        args.drive = drive;
        args.erase = bench->args->erase[side];
    } else {
        args.virtual_time = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(options.many_of[i]->name, mine) == 0 &&
            add_set(&options, options.many[i], err) < 0) {
            return err->code;
        }
    }
    if (drive && !is_path(drive)) {
        snprintf(like, sizeof(like), "drive.like=%.80s", drive);
        if (add_set(&options, like, err) < 0) {
            return err->code;
        }
    }
    return args_plan(&args, &options, ret, err);
}

/* Both sides can be planned, before anything is measured. */
static int check_plans(struct bench *bench, char name[WORD], struct error *err)
{
    for (uint32_t s = 0; s < SIDES; s++) {
        struct plan *plan;

        if (plan_side(bench, s, NULL, &plan, err) < 0) {
            return error_wrap(err, "side %s", s == 0 ? "A" : "B");
        }
        bench->seed = s == 0 ? plan->seed : bench->seed;
        snprintf(name, WORD, "%.63s", plan->name);
        args_plan_free(plan);
    }
    return 0;
}

static const char *side_label(const struct pair_args *args, uint32_t side)
{
    const char *drive = args->drives[side];

    if (args->labels[side]) {
        return args->labels[side];
    }
    if (drive == NULL || strcmp(drive, args->drives[1 - side]) == 0) {
        return side == 0 ? "A" : "B";
    }
    return strrchr(drive, '/') && strrchr(drive, '/')[1] != '\0' ? strrchr(drive, '/') + 1 : drive;
}

static void say_run(const struct bench *bench, uint32_t order, uint32_t side)
{
    if (!bench->args->args.quiet) {
        page_say("run %u of %u: %s, %s", order, 2 * bench->series.pairs, side == 0 ? "A" : "B",
                 side_label(bench->args, side));
    }
}

static enum exit_code run_planned(const struct bench *bench, const struct plan *plan,
                                  const struct result_pair *pair, const char *dir, uint32_t side)
{
    struct live_watch *watch = bench->watch;
    struct run_options options = {
        .out = dir,
        .root = bench->args->args.results,
        .label = side_label(bench->args, side),
        .pair = pair,
        .tool_version = version_number,
        .command = bench->line->words,
        .command_count = bench->line->count,
        .stop = stop_flag(),
        .watch = live_watch_show,
        .context = watch,
    };
    struct error err = {0};
    struct result result;
    enum exit_code exit;
    char made[RUN_DIR] = "", id[72];
    int code;

    *watch = (struct live_watch){.quiet = bench->args->args.quiet,
                                 .interval_ns = bench->args->args.interval_ns,
                                 .color = bench->args->args.color};
    if (pair->order > 2) { /* a plan's warnings are the same in every run of its side */
        watch->warnings_said = plan->warning_count;
    }
    options.build_id = version_build_id(id, sizeof(id));
    if (live_watch_open(watch, &err) < 0) {
        return page_say_error(&err);
    }
    stop_gently(true);
    code = run_plan(plan, &options, &result, made, &err);
    stop_gently(false);
    if (code < 0) {
        live_watch_close(watch);
        return page_say_error(&err);
    }
    live_watch_close(watch);
    live_watch_last(watch, &result);
    exit = result.run.exit_code;
    if (exit != EXIT_FINE && exit != EXIT_INTERRUPTED) {
        page_say("%s ended with %d%s%s: `rawtps report %s` says why", dir, (int)exit,
                 result.run.error[0] ? ", " : "", result.run.error, dir);
    }
    result_free(&result);
    return exit;
}

/* What would be run at that place. */
static int plan_one(const struct bench *bench, uint32_t order, struct plan **ret, struct error *err)
{
    char seed[24];

    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)bench->seed + (order - 1) / 2);
    return plan_side(bench, compare_abba_is_b(order) ? 1 : 0, seed, ret, err);
}

/* All that stands there is of this series, before anything is run or set aside. */
static int check_runs(const struct bench *bench, struct error *err)
{
    int code = 0;

    for (uint32_t order = 1; code == 0 && order <= 2 * bench->series.pairs; order++) {
        char dir[SET_PATH];
        struct plan *plan;

        pair_series_run(&bench->series, order, dir);
        if (access(dir, F_OK) != 0) {
            continue;
        }
        code = plan_one(bench, order, &plan, err);
        if (code == 0) {
            code = pair_series_check(&bench->series, order, plan, err);
            args_plan_free(plan);
        }
    }
    return code;
}

static enum exit_code run_one(const struct bench *bench, uint32_t order)
{
    uint32_t side = compare_abba_is_b(order) ? 1 : 0;
    struct result_pair pair = {.design = "abba", .order = order};
    char dir[SET_PATH];
    struct error err = {0};
    struct plan *plan;
    enum exit_code exit;
    bool done;

    snprintf(pair.series, sizeof(pair.series), "%s", bench->series.name);
    snprintf(pair.side, sizeof(pair.side), "%s", side == 0 ? "A" : "B");
    if (plan_one(bench, order, &plan, &err) < 0) {
        return page_say_error(&err);
    }
    if (pair_series_done(&bench->series, order, plan, &done, &err) < 0 || done) {
        args_plan_free(plan);
        return err.code < 0 ? page_say_error(&err) : EXIT_FINE;
    }
    pair_series_run(&bench->series, order, dir);
    say_run(bench, order, side);
    exit = run_planned(bench, plan, &pair, dir, side);
    args_plan_free(plan);
    return exit;
}

/* A failed check of a run is found in the comparison too; what cannot run ends the series. */
static bool goes_on(enum exit_code exit)
{
    return exit == EXIT_FINE || exit == EXIT_WANTING || exit == EXIT_INCONCLUSIVE ||
           exit == EXIT_INVALID;
}

static enum exit_code run_all(struct bench *bench)
{
    enum exit_code all = EXIT_FINE;

    for (uint32_t order = 1; order <= 2 * bench->series.pairs; order++) {
        enum exit_code exit = *stop_flag() ? EXIT_INTERRUPTED : run_one(bench, order);

        all = page_graver(all, exit);
        if (!goes_on(exit)) {
            page_say("%s after %u of %u runs; what was measured is in %s",
                     exit == EXIT_INTERRUPTED ? "interrupted" : "ended", order - 1,
                     2 * bench->series.pairs, bench->series.dir);
            page_say("hint: the same command with --out %s --resume goes on", bench->series.dir);
            break;
        }
    }
    return all;
}

/* A void run stays, so that it is refused by name. */
static bool is_whole(const struct set_run *run, uint32_t i, void *context)
{
    return run->state == SET_WHOLE || run->state == SET_VOID;
}

/* Runs may be wanting though each ended well: one that was not complete, or was taken away. */
static enum exit_code say_wanting(const struct bench *bench, const struct set *set, uint32_t side)
{
    if (set->run_count >= bench->series.pairs) {
        return EXIT_FINE;
    }
    page_say("side %s has %u complete runs of the %u that --runs asks for", side == 0 ? "A" : "B",
             set->run_count, bench->series.pairs);
    return EXIT_INCONCLUSIVE;
}

/* What is complete is compared, however far the series came. */
static enum exit_code compare_sides(const struct bench *bench,
                                    const struct comparison_options *choice)
{
    struct set sets[SIDES];
    struct set *const both[SIDES] = {&sets[0], &sets[1]};
    enum exit_code exit = EXIT_FINE;
    struct error err = {0};
    int code = 0;

    for (uint32_t s = 0; s < SIDES; s++) {
        set_init(&sets[s], side_label(bench->args, s));
        code = code == 0 ? pair_series_load(&bench->series, s == 1, &sets[s], &err) : code;
        set_keep(&sets[s], is_whole, NULL);
    }
    set_tell_apart(sets, SIDES);
    if (code < 0) {
        exit = page_say_error(&err);
    }
    for (uint32_t s = 0; code == 0 && s < SIDES; s++) {
        exit = page_graver(exit, say_wanting(bench, &sets[s], s));
    }
    if (code == 0 && sets[0].run_count > 0 && sets[1].run_count > 0) {
        exit = page_graver(exit, compare_show(both, SIDES, choice, &bench->args->args));
        if (!bench->args->args.quiet) {
            page_say("again: rawtps compare '%s=%s/*-A' '%s=%s/*-B'", sets[0].label,
                     bench->series.dir, sets[1].label, bench->series.dir);
        }
    }
    set_free(&sets[0]);
    set_free(&sets[1]);
    return exit;
}

static int prepare(struct bench *bench, struct comparison_options *choice, struct error *err)
{
    const struct pair_args *args = bench->args;
    char name[WORD];

    if (args->resume && !args->args.out) {
        return error_set(err, EXIT_USAGE, -EINVAL, "--resume: --out says which series goes on");
    }
    if (check_drives(args, bench->options, err) < 0 ||
        compare_show_choose(bench->options, &bench->args->args, choice, err) < 0 ||
        check_plans(bench, name, err) < 0) {
        return err->code;
    }
    if (pair_series_open(&bench->series, args->args.out, args->args.results, name, args->runs,
                         args->resume, err) < 0) {
        return err->code;
    }
    return check_runs(bench, err);
}

static enum exit_code bench_pair(const void *record, const struct options *options,
                                 const struct cmd_line *line)
{
    const struct pair_args *args = record;
    struct bench bench = {
        .args = args, .options = options, .line = line, .series = {.lock_fd = -1}};
    struct comparison_options choice;
    struct error err = {0};
    enum exit_code exit;

    bench.watch = mem_zalloc(sizeof(*bench.watch));
    if (bench.watch == NULL) {
        error_set(&err, EXIT_FAILED, -ENOMEM, "no memory to show progress");
        return page_say_error(&err);
    }
    if (prepare(&bench, &choice, &err) < 0) {
        exit = page_say_error(&err);
    } else {
        stop_catch(args->args.quiet);
        exit = run_all(&bench);
        if (*stop_flag() < 2) {
            exit = page_graver(exit, compare_sides(&bench, &choice));
        }
    }
    pair_series_close(&bench.series);
    mem_free(bench.watch);
    return exit;
}

const struct cmd cmd_bench_pair = {
    .name = "bench-pair",
    .usage = "SCENARIO --a DRIVE --b DRIVE [options]",
    .summary = "Run a scenario on two drives in turns, ABBA, and compare them",
    .about =
        "Each run is a run directory of its own. The two of a pair have the same seed, pairs have\n"
        "different ones. Ctrl-C keeps what was measured, compares it, and says how to go on.\n"
        "\n"
        "  rawtps bench-pair sysbench-4vm --a /dev/nvme1n1 --b /dev/nvme2n1 --erase-a SERIAL \\\n"
        "    --erase-b SERIAL --runs 5\n"
        "  rawtps bench-pair quick --a h3200-u2 --b h3201-e1s\n"
        "  rawtps bench-pair quick --virtual --set-b database.profile=postgres --runs 3\n",
    .groups = groups,
    .group_count = sizeof(groups) / sizeof(groups[0]),
    .least_words = 1,
    .most_words = 1,
    .word_name = "a scenario",
    .record_bytes = sizeof(struct pair_args),
    .defaults = defaults,
    .run = bench_pair,
};
