#include "compare_show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "page.h"
#include "report/doc_compare.h"
#include "report/redact.h"

enum { NARROW_WIDTH = 100 };
enum format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_CSV, FORMAT_JSON, FORMAT_HTML };

const char *const compare_show_formats[COMPARE_SHOW_FORMATS] = {"text", "markdown", "csv", "json",
                                                                "html"};

const struct key compare_show_rows[COMPARE_SHOW_ROWS] = {
    {.name = "format",
     .type = KEY_WORD,
     KEY_FIELD(struct args, format),
     KEY_WORDS(compare_show_formats),
     .fallback = "text",
     .letter = 'f',
     .help = "how it is written"},
    {.name = "metric",
     .type = KEY_STRING,
     .fallback = "",
     .placeholder = "NAME",
     .letter = 'm',
     .many = true,
     .help = "this metric alone, as tps, lat_p99.9, mb_s; may be given again"},
    {.name = "row",
     .type = KEY_STRING,
     .fallback = "",
     .placeholder = "WHICH",
     .many = true,
     .help = "which rows: agg for all VMs together (the default), vms for each, or one, as vm0; "
             "may be given again"},
    {.name = "strict",
     .type = KEY_FLAG,
     KEY_FIELD(struct args, strict),
     .fallback = "",
     .help = "exit with 6 if the runs were not asked the same in the same place"},
    {.name = "color",
     .type = KEY_WORD,
     KEY_FIELD(struct args, color),
     KEY_WORDS(page_color_names),
     .fallback = "auto",
     .help = "colour of verdicts"},
    {.name = "redact_serial",
     .type = KEY_FLAG,
     KEY_FIELD(struct args, redact_serial),
     .fallback = "",
     .help = "leave serial numbers of drives out, wherever they stand"},
    {.name = "slo",
     .type = KEY_DURATION,
     KEY_FIELD(struct args, slo_ns),
     .fallback = "",
     .least = "1ns",
     .help = "of a sweep: the knee is the highest throughput with a p99 below this [10 x the least "
             "p99]"},
    {.name = "no-curve",
     .type = KEY_FLAG,
     KEY_FIELD(struct args, no_curve),
     .fallback = "",
     .help = "leave out the ratio by percentile and the ± of percentiles, which need every "
             "histogram of every run"},
};

static int choose_metric(const char *name, struct comparison_options *ret, struct error *err)
{
    const struct set_metric *metric = set_metric_find(name);
    const char *near;

    for (uint32_t i = 0; metric && i < ret->metric_count; i++) {
        if (ret->metrics[i] == metric) {
            return 0; /* given again, it is one question still */
        }
    }
    if (metric && ret->metric_count < COMPARISON_METRICS) {
        ret->metrics[ret->metric_count++] = metric;
        return 0;
    }
    if (metric) {
        return error_set(err, EXIT_USAGE, -E2BIG, "--metric is given more than %d times",
                         COMPARISON_METRICS);
    }
    near = set_metric_nearest(name);
    error_set(err, EXIT_USAGE, -EINVAL, "--metric: no metric is called \"%.60s\"", name);
    return near ? error_hint(err, "did you mean %s?", near)
                : error_hint(err, "as tps, iops, mb_s, lat_avg, lat_p99, lat_p99.9, lat_max, "
                                  "tps_cv, w_avg, mj_per_txn");
}

static int choose_row(const char *name, struct comparison_options *ret, struct error *err)
{
    char *end;
    long vm;

    if (strcmp(name, "agg") == 0 || strcmp(name, "all") == 0) {
        ret->aggregate = true;
        return 0;
    }
    if (strcmp(name, "vms") == 0) {
        ret->vms = true;
        ret->vm = -1;
        return 0;
    }
    vm = strncmp(name, "vm", 2) == 0 && name[2] >= '0' && name[2] <= '9'
             ? strtol(name + 2, &end, 10)
             : -1;
    if (vm >= 0 && *end == '\0' && vm < RESULT_VMS) {
        ret->vm = ret->vms ? -1 : (int32_t)vm;
        ret->vms = true;
        ret->named_vm = (int32_t)vm > ret->named_vm ? (int32_t)vm : ret->named_vm;
        return 0;
    }
    return error_set(err, EXIT_USAGE, -EINVAL,
                     "--row: agg, vms or one, as vm0, was expected, not "
                     "\"%.60s\"",
                     name);
}

int compare_show_choose(const struct options *options, const struct args *args,
                        struct comparison_options *ret, struct error *err)
{
    int code = 0;

    *ret = (struct comparison_options){.no_curve = args->no_curve, .vm = -1, .named_vm = -1};
    for (uint32_t i = 0; code == 0 && i < options->many_count; i++) {
        const char *name = options->many_of[i]->name;

        if (strcmp(name, "metric") == 0) {
            code = choose_metric(options->many[i], ret, err);
        } else if (strcmp(name, "row") == 0) {
            code = choose_row(options->many[i], ret, err);
        }
    }
    return code;
}

/* What is shown: a comparison, or one for each point of a sweep. */
struct show {
    struct comparison comparison;
    struct sweep sweep;
    bool is_sweep;
};

static void render_json(const struct show *show, struct text *ret)
{
    if (show->is_sweep) {
        doc_sweep_json(&show->sweep, ret);
    } else {
        doc_compare_json(&show->comparison, ret);
    }
}

static void render_csv(const struct show *show, struct doc *doc, struct text *ret)
{
    if (show->is_sweep) {
        doc_sweep_figures(doc, &show->sweep);
    } else {
        doc_compare_figures(doc, &show->comparison);
    }
    doc_csv(doc, ret);
}

static void render(const struct show *show, const struct args *args, struct doc *doc,
                   struct text *ret)
{
    uint32_t width = page_width(STDOUT_FILENO);
    struct doc_text_options page = {.width = width,
                                    .colour = page_colour(args->color, STDOUT_FILENO)};
    struct doc_compare_options options = {.narrow =
                                              args->format == FORMAT_TEXT && width < NARROW_WIDTH};

    if (args->format == FORMAT_JSON) {
        render_json(show, ret);
        return;
    }
    if (args->format == FORMAT_CSV) {
        render_csv(show, doc, ret);
        return;
    }
    if (show->is_sweep) {
        doc_sweep(doc, &show->sweep, &options);
    } else {
        doc_compare(doc, &show->comparison, &options);
    }
    if (args->format == FORMAT_MARKDOWN) {
        doc_markdown(doc, ret);
    } else if (args->format == FORMAT_HTML) {
        doc_html(doc, ret);
    } else {
        doc_text(doc, &page, ret);
    }
}

static enum exit_code print(const struct show *show, const struct args *args)
{
    enum exit_code exit = EXIT_FINE;
    struct error err = {0};
    struct text text = {0};
    struct doc doc;

    doc_init(&doc);
    render(show, args, &doc, &text);
    if (doc.failed || text.failed) {
        error_set(&err, EXIT_FAILED, -ENOMEM, "no memory for the report");
        exit = page_say_error(&err);
    } else {
        page_write(&text);
    }
    text_free(&text);
    doc_free(&doc);
    return exit;
}

static enum exit_code refuse_differences(const struct set_rows *rows)
{
    const struct set_row *row = set_rows_refused(rows);
    struct text words = {0};

    if (row == NULL) {
        return EXIT_FINE;
    }
    set_row_say(row, rows->sides, &words);
    page_say("--strict: not comparable: %s", text_string(&words));
    text_free(&words);
    return EXIT_INVALID;
}

/* Rows of VMs that the runs do not have would be an empty table. */
static int check_vms(const struct show *show, const struct comparison_options *options,
                     struct error *err)
{
    uint32_t most = 0;

    if (show->is_sweep) {
        for (uint32_t p = 0; p < show->sweep.point_count; p++) {
            const struct comparison *point = &show->sweep.points[p].comparison;
            uint32_t vms = set_vm_count(point->sets, point->count);

            most = vms > most ? vms : most;
        }
    } else {
        most = set_vm_count(show->comparison.sets, show->comparison.count);
    }
    if (most == 0) {
        error_set(err, EXIT_USAGE, -ENOENT, "--row: the runs have not the same VMs");
        return error_hint(err, "--row agg shows all VMs of a run together");
    }
    if (options->named_vm >= (int32_t)most) {
        error_set(err, EXIT_USAGE, -ENOENT, "--row: the runs have no VM vm%d", options->named_vm);
        return error_hint(err, "they have vm0%s%.0u", most > 1 ? " to vm" : "",
                          most > 1 ? most - 1 : 0);
    }
    return 0;
}

static int open_show(struct show *show, struct set *const *sets, uint32_t count,
                     const struct comparison_options *options, const struct args *args,
                     struct error *err)
{
    const struct set *read_only[SET_SIDES];
    int code;

    memcpy(read_only, sets, count * sizeof(*sets));
    show->is_sweep = sweep_found(read_only, count);
    if (show->is_sweep) {
        code = sweep_open(&show->sweep, read_only, count, options, args->slo_ns, err);
    } else {
        code = comparison_open(&show->comparison, read_only, count, options, err);
    }
    code = code == 0 && options->vms ? check_vms(show, options, err) : code;
    if (code == 0 && args->redact_serial && show->is_sweep) {
        redact_sweep(&show->sweep, sets);
    } else if (code == 0 && args->redact_serial) {
        redact_comparison(&show->comparison, sets);
    }
    return code;
}

enum exit_code compare_show(struct set *const *sets, uint32_t count,
                            const struct comparison_options *options, const struct args *args)
{
    struct show *show = mem_zalloc(sizeof(*show));
    struct error err = {0};
    enum exit_code exit;

    if (show == NULL) {
        error_set(&err, EXIT_FAILED, -ENOMEM, "no memory for the comparison");
        return page_say_error(&err);
    }
    if (open_show(show, sets, count, options, args, &err) < 0) {
        exit = page_say_error(&err);
    } else {
        exit = print(show, args);
        if (args->strict) {
            exit = page_graver(exit, refuse_differences(show->is_sweep ? &show->sweep.rows
                                                                       : &show->comparison.rows));
        }
    }
    sweep_close(&show->sweep);
    comparison_close(&show->comparison);
    mem_free(show);
    return exit;
}
