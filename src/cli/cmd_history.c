#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "page.h"
#include "report/doc_history.h"

enum history_format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_CSV, FORMAT_JSON, FORMAT_HTML };
static const char *const formats[] = {"text", "markdown", "csv", "json", "html"};

struct history_args {
    uint32_t format, color;
    const char *metric, *scope, *scenario, *label, *serial;
    uint32_t last;
    uint32_t window;
    double p, min_change;
};

static void set_defaults(void *record)
{
    *(struct history_args *)record = (struct history_args){
        .metric = "tps", .scope = "aggregate", .window = 50, .p = 0.001, .min_change = 0.01};
}

#define FIELD(member) KEY_FIELD(struct history_args, member)
static const struct key series_rows[] = {
    {.name = "metric",
     .type = KEY_STRING,
     FIELD(metric),
     .fallback = "tps",
     .letter = 'm',
     .placeholder = "NAME",
     .help = "which figure of a run, as tps or lat_p99"},
    {.name = "scope",
     .type = KEY_STRING,
     FIELD(scope),
     .fallback = "aggregate",
     .placeholder = "VM",
     .help = "of all VMs, or of the one of this name"},
    {.name = "scenario",
     .type = KEY_STRING,
     FIELD(scenario),
     .fallback = "all",
     .placeholder = "NAME",
     .help = "only runs of this scenario"},
    {.name = "label",
     .type = KEY_STRING,
     FIELD(label),
     .fallback = "all",
     .placeholder = "TEXT",
     .help = "only runs with this label"},
    {.name = "serial",
     .type = KEY_STRING,
     FIELD(serial),
     .fallback = "all",
     .placeholder = "SERIAL",
     .help = "only runs on the drive of this serial number"},
    {.name = "last",
     .type = KEY_COUNT,
     FIELD(last),
     .least = "1",
     .most = "1000",
     .fallback = "all",
     .help = "only the last so many"},
};
static const struct key change_rows[] = {
    {.name = "window",
     .type = KEY_COUNT,
     FIELD(window),
     .least = "4",
     .most = "200",
     .fallback = "50",
     .help = "runs that are looked at together"},
    {.name = "p",
     .type = KEY_NUMBER,
     FIELD(p),
     .least = "1e-9",
     .most = "0.5",
     .fallback = "0.001",
     .help = "a change is less likely than this to be chance"},
    {.name = "min_change",
     .type = KEY_SHARE,
     FIELD(min_change),
     .least = "0%",
     .most = "90%",
     .fallback = "1%",
     .help = "and at least so large"},
};
static const struct key show_rows[] = {
    {.name = "format",
     .type = KEY_WORD,
     FIELD(format),
     KEY_WORDS(formats),
     .fallback = "text",
     .letter = 'f',
     .help = "how it is written"},
    {.name = "color",
     .type = KEY_WORD,
     FIELD(color),
     KEY_WORDS(page_color_names),
     .fallback = "auto",
     .help = "colour of verdicts"},
};

static const struct option_group groups[] = {
    {"Which series", series_rows, sizeof(series_rows) / sizeof(series_rows[0])},
    {"What counts as a change", change_rows, sizeof(change_rows) / sizeof(change_rows[0])},
    {"What is shown", show_rows, sizeof(show_rows) / sizeof(show_rows[0])},
};

static bool is_wanted(const struct set_run *run, uint32_t i, void *context)
{
    const struct history_args *args = context;
    const struct result *result = run->result;
    const char *serial = result->drive_count > 0 ? result->drives[0].serial : "";

    return (args->scenario == NULL || strcmp(args->scenario, result->scenario.name) == 0) &&
           (args->label == NULL || strcmp(args->label, result->run.label) == 0) &&
           (args->serial == NULL || strcmp(args->serial, serial) == 0);
}

static bool is_late(const struct set_run *run, uint32_t i, void *context)
{
    return i >= *(const uint32_t *)context;
}

static int find_vm(const struct set *set, const char *scope, int32_t *ret, struct error *err)
{
    const struct result *last = set->runs[set->run_count - 1].result;

    *ret = -1;
    if (strcmp(scope, "aggregate") == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < last->vm_count; i++) {
        if (strcmp(last->vms[i].name, scope) == 0) {
            *ret = (int32_t)i;
            return 0;
        }
    }
    error_set(err, EXIT_USAGE, -EINVAL, "--scope: there is no VM \"%.60s\" in %s", scope,
              set->runs[set->run_count - 1].path);
    return error_hint(err, "aggregate, or %s", last->vm_count > 0 ? last->vms[0].name : "nothing");
}

static int find_metric(const char *name, const struct set_metric **ret, struct error *err)
{
    const char *near = set_metric_nearest(name);

    *ret = set_metric_find(name);
    if (*ret != NULL) {
        return 0;
    }
    error_set(err, EXIT_USAGE, -EINVAL, "--metric: there is no metric \"%.60s\"", name);
    return error_hint(err, "did you mean \"%s\"?", near ? near : "tps");
}

static int load(const struct history_args *args, const struct options *options, struct set *set,
                struct error *err)
{
    struct history_args wanted = *args;
    uint32_t first;

    for (uint32_t i = 0; i < options->word_count; i++) {
        if (set_add(set, options->words[i], err) < 0) {
            return err->code;
        }
    }
    set_keep(set, is_wanted, &wanted);
    if (set->run_count == 0) {
        return error_set(err, EXIT_USAGE, -ENOENT, "no run is of that scenario, label and serial");
    }
    first = args->last > 0 && args->last < set->run_count ? set->run_count - args->last : 0;
    set_keep(set, is_late, &first);
    return 0;
}

static void render(const struct history *history, const struct history_args *args, struct text *ret)
{
    struct doc_text_options options = {.width = page_width(STDOUT_FILENO),
                                       .colour = page_colour(args->color, STDOUT_FILENO)};
    struct doc doc;

    if (args->format == FORMAT_JSON) {
        doc_history_json(history, ret);
        return;
    }
    doc_init(&doc);
    doc_history(&doc, history);
    if (args->format == FORMAT_MARKDOWN) {
        doc_markdown(&doc, ret);
    } else if (args->format == FORMAT_CSV) {
        doc_csv(&doc, ret);
    } else if (args->format == FORMAT_HTML) {
        doc_html(&doc, ret);
    } else {
        doc_text(&doc, &options, ret);
    }
    ret->failed = ret->failed || doc.failed;
    doc_free(&doc);
}

static int show(const struct history_args *args, const struct set *set, struct error *err)
{
    struct changepoint_rule rule = {
        .window = args->window, .p = args->p, .min_change = args->min_change};
    const struct set_metric *metric;
    struct history history = {0};
    struct text text = {0};
    int32_t vm;

    if (find_metric(args->metric, &metric, err) < 0 || find_vm(set, args->scope, &vm, err) < 0 ||
        history_find(&history, set, metric, vm, &rule, err) < 0) {
        history_free(&history);
        return err->code;
    }
    render(&history, args, &text);
    page_write(&text);
    text_free(&text);
    history_free(&history);
    return 0;
}

static enum exit_code history_command(const void *record, const struct options *options,
                                      const struct cmd_line *line)
{
    const struct history_args *args = record;
    enum exit_code exit = EXIT_FINE;
    struct error err = {0};
    struct set set;

    set_init(&set, "history");
    if (load(args, options, &set, &err) < 0 || show(args, &set, &err) < 0) {
        exit = page_say_error(&err);
    }
    set_free(&set);
    return exit;
}

const struct cmd cmd_history = {
    .name = "history",
    .usage = "RESULTS... [options]",
    .summary = "One figure over a series of runs, and since which run it is different",
    .about =
        "RESULTS are run directories, or directories of them. Runs stand in order of their time.\n"
        "A change is found by splitting windows of runs where the energy distance of the parts is\n"
        "largest, and counts if a t test on logarithms is below --p and it is at least\n"
        "--min-change. Runs that are void or not complete are left out.\n",
    .groups = groups,
    .group_count = 3,
    .least_words = 1,
    .most_words = OPTIONS_WORDS,
    .word_name = "a directory of runs",
    .record_bytes = sizeof(struct history_args),
    .defaults = set_defaults,
    .run = history_command,
};
