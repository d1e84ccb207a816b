#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd.h"
#include "page.h"
#include "report/draw.h"
#include "report/redact.h"
#include "report_source.h"
#include "result/set.h"

enum { DRAWINGS = 3 };

struct report_args {
    uint32_t format, color;
    const char *html, *draw[DRAWINGS], *gnuplot; /* by enum draw_format */
    int64_t slo_ns;
    bool redact_serial;
};

static const char html_name[] = "report.html", pdf_name[] = "report.pdf", png_name[] = "report.png",
                  svg_name[] = "report.svg";

static const struct key rows[] = {
    {.name = "format",
     .type = KEY_WORD,
     KEY_FIELD(struct report_args, format),
     KEY_WORDS(page_format_names),
     .fallback = "text",
     .letter = 'f',
     .help = "how it is written to stdout"},
    {.name = "color",
     .type = KEY_WORD,
     KEY_FIELD(struct report_args, color),
     KEY_WORDS(page_color_names),
     .fallback = "auto",
     .help = "colour of verdicts"},
    {.name = "redact_serial",
     .type = KEY_FLAG,
     KEY_FIELD(struct report_args, redact_serial),
     .fallback = "",
     .help = "leave serial numbers of drives out, wherever they stand"},
};

static const struct key file_rows[] = {
    {.name = "html",
     .type = KEY_STRING,
     KEY_FIELD(struct report_args, html),
     .fallback = "",
     .bare = html_name,
     .placeholder = "[FILE.html]",
     .help =
         "one self-contained page with charts; without a name report.html in the run directory, "
         "\"-\" is stdout"},
    {.name = "pdf",
     .type = KEY_STRING,
     KEY_FIELD(struct report_args, draw[DRAW_PDF]),
     .fallback = "",
     .bare = pdf_name,
     .placeholder = "[FILE.pdf]",
     .help = "the same on pages of A4, as vectors and words"},
    {.name = "png",
     .type = KEY_STRING,
     KEY_FIELD(struct report_args, draw[DRAW_PNG]),
     .fallback = "",
     .bare = png_name,
     .placeholder = "[FILE.png]",
     .help = "the same as one picture"},
    {.name = "svg",
     .type = KEY_STRING,
     KEY_FIELD(struct report_args, draw[DRAW_SVG]),
     .fallback = "",
     .bare = svg_name,
     .placeholder = "[FILE.svg]",
     .help = "the same as one drawing"},
    {.name = "gnuplot",
     .type = KEY_STRING,
     KEY_FIELD(struct report_args, gnuplot),
     .fallback = "",
     .placeholder = "DIR",
     .help = "the figures of the charts, a .dat file each"},
    {.name = "slo",
     .type = KEY_DURATION,
     KEY_FIELD(struct report_args, slo_ns),
     .fallback = "",
     .least = "1ns",
     .help = "of several runs: the knee is the highest throughput with a p99 below this [10 x the "
             "least p99]"},
};

static const struct option_group groups[] = {{"Options", rows, 3}, {"Files", file_rows, 6}};

static bool wants_charts(const struct report_args *args)
{
    bool drawn = false;

    for (uint32_t i = 0; i < DRAWINGS; i++) {
        drawn = drawn || args->draw[i];
    }
    return drawn || args->html || args->gnuplot || args->format == PAGE_HTML;
}

/* A name that was not given stands in the run directory. */
static const char *place(const char *name, const char *dir, char buf[PATH_MAX])
{
    bool bare = name == html_name || name == pdf_name || name == png_name || name == svg_name;

    if (!bare || !dir || snprintf(buf, PATH_MAX, "%s/%s", dir, name) >= PATH_MAX) {
        return name;
    }
    return buf;
}

static int save_gnuplot(const struct doc *doc, const char *dir, struct error *err)
{
    struct text text = {0};
    char path[PATH_MAX];
    const char *key;
    int rc = 0;

    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        return error_set(err, EXIT_FAILED, -errno, "cannot make %s: %s", dir, strerror(errno));
    }
    for (uint32_t i = 0; rc == 0 && i < doc->block_count; i++) {
        text_clear(&text);
        key = doc_chart_data(doc, i, &text);
        if (key && snprintf(path, sizeof(path), "%s/%s.dat", dir, key) < PATH_MAX) {
            rc = report_source_save(path, &text, err);
        }
    }
    text_free(&text);
    return rc;
}

/* A page and drawings in one file would be the last of them alone. */
static int check_names(const struct report_args *args, const char *dir, struct error *err)
{
    char one[PATH_MAX], two[PATH_MAX];

    for (uint32_t i = 0; i < DRAWINGS; i++) {
        for (uint32_t j = 0; args->draw[i] && j <= i; j++) {
            const char *other = j < i ? args->draw[j] : args->html;

            if (other &&
                report_source_one_file(place(args->draw[i], dir, one), place(other, dir, two))) {
                error_set(err, EXIT_USAGE, -EINVAL,
                          "two of the files that are asked for are one: "
                          "%.200s",
                          other);
                return error_hint(err, "give each a name of its own");
            }
        }
    }
    return 0;
}

/* Every file that was asked for. dir: of the run, NULL where there are several. */
static int save(const struct report_args *args, const struct doc *doc, const char *dir,
                const char *created_utc, struct error *err)
{
    struct text text = {0};
    char buf[PATH_MAX];
    int rc = check_names(args, dir, err);

    if (rc < 0) {
        return rc;
    }
    if (args->html || args->format == PAGE_HTML) {
        doc_html(doc, &text);
        rc = report_source_save(args->html ? place(args->html, dir, buf) : "-", &text, err);
    }
    for (uint32_t i = 0; rc == 0 && i < DRAWINGS; i++) {
        text_clear(&text);
        if (args->draw[i]) {
            rc = draw_doc(doc, (enum draw_format)i, created_utc, &text, err);
        }
        if (rc == 0 && args->draw[i]) {
            rc = report_source_save(place(args->draw[i], dir, buf), &text, err);
        }
    }
    if (rc == 0 && args->gnuplot) {
        rc = save_gnuplot(doc, args->gnuplot, err);
    }
    text_free(&text);
    return rc;
}

static enum exit_code say_and_free(int rc, struct doc *doc, const struct error *err)
{
    doc_free(doc);
    return rc < 0 ? page_say_error(err) : EXIT_FINE;
}

static enum exit_code report_files(const struct report_args *args, struct report_source *source,
                                   const char *dir)
{
    struct doc_page_source page = {.result = &source->result,
                                   .run_dir = source->dir,
                                   .rows = source->rows,
                                   .row_count = source->row_count,
                                   .heat = &source->heat};
    struct error err = {0};
    struct doc doc;
    int rc;

    doc_init(&doc);
    doc_page(&doc, &page);
    rc = doc.failed ? error_set(&err, EXIT_FAILED, -ENOMEM, "no memory for the report")
                    : save(args, &doc, dir, source->result.run.started_utc, &err);
    return say_and_free(rc, &doc, &err);
}

static enum exit_code report_text(const struct report_args *args, struct report_source *source)
{
    enum exit_code exit = EXIT_FINE;
    struct text text = {0};
    struct error err = {0};

    if (page_render(&source->result, source->dir, args->format, page_width(STDOUT_FILENO),
                    page_colour(args->color, STDOUT_FILENO), &text, &err) < 0) {
        exit = page_say_error(&err);
    } else {
        page_write(&text);
    }
    text_free(&text);
    return exit;
}

static int render_sweep(const struct report_args *args, const struct doc *doc,
                        const char *created_utc, struct error *err)
{
    struct doc_text_options options = {.width = page_width(STDOUT_FILENO),
                                       .colour = page_colour(args->color, STDOUT_FILENO)};
    struct text text = {0};

    if (doc->failed) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the report");
    }
    if (wants_charts(args)) {
        return save(args, doc, NULL, created_utc, err);
    }
    if (args->format == PAGE_MARKDOWN) {
        doc_markdown(doc, &text);
    } else if (args->format == PAGE_CSV) {
        doc_csv(doc, &text);
    } else if (args->format == PAGE_TEXT) {
        doc_text(doc, &options, &text);
    } else {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "several runs are written as text, markdown, csv or html");
    }
    page_write(&text);
    text_free(&text);
    return 0;
}

/* A directory that holds runs, and is none. */
static bool holds_runs(const char *path)
{
    char pattern[PATH_MAX];
    struct stat st;
    glob_t found = {0};
    bool holds;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) ||
        snprintf(pattern, sizeof(pattern), "%s/run.json", path) >= PATH_MAX ||
        stat(pattern, &st) == 0 ||
        snprintf(pattern, sizeof(pattern), "%s/*/run.json", path) >= PATH_MAX) {
        return false;
    }
    holds = glob(pattern, GLOB_NOSORT, NULL, &found) == 0;
    globfree(&found);
    return holds;
}

/* A directory may hold anything: a curve through runs of several scenarios says nothing. */
static int one_scenario(const struct set *set, const char *path, struct error *err)
{
    const char *first = set->runs[0].result->scenario.name;

    for (uint32_t i = 1; i < set->run_count; i++) {
        const char *other = set->runs[i].result->scenario.name;

        if (strcmp(first, other) != 0) {
            error_set(err, EXIT_USAGE, -EINVAL,
                      "%s holds %u runs of several scenarios, %.60s and %.60s among them", path,
                      set->run_count, first, other);
            return error_hint(err,
                              "name one of them, or runs of one scenario; `rawtps compare` holds "
                              "sides against each other");
        }
    }
    return 0;
}

static int draw_sweep(const struct report_args *args, struct set *set, struct error *err)
{
    const struct result **results = mem_array(set->run_count, sizeof(*results));
    struct doc doc;
    int rc;

    if (!results) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the runs");
    }
    for (uint32_t i = 0; i < set->run_count; i++) {
        results[i] = set->runs[i].result;
    }
    if (args->redact_serial) {
        redact_set(set);
    }
    doc_init(&doc);
    doc_page_sweep(&doc, results, set->run_count, args->slo_ns);
    rc = render_sweep(args, &doc, results[0]->run.started_utc, err);
    doc_free(&doc);
    mem_free(results);
    return rc;
}

static enum exit_code report_sweep(const struct report_args *args, const struct options *options)
{
    struct error err = {0};
    struct set set;
    int rc = 0;

    set_init(&set, NULL);
    for (uint32_t i = 0; rc == 0 && i < options->word_count; i++) {
        rc = set_add(&set, options->words[i], &err);
    }
    if (rc == 0 && options->word_count == 1) {
        rc = one_scenario(&set, options->words[0], &err);
    }
    rc = rc == 0 ? draw_sweep(args, &set, &err) : rc;
    set_free(&set);
    return rc < 0 ? page_say_error(&err) : EXIT_FINE;
}

static int check_one(const struct report_args *args, struct error *err)
{
    if (args->slo_ns == 0) {
        return 0;
    }
    error_set(err, EXIT_USAGE, -EINVAL, "--slo is of several runs, of which it tells the knee");
    return error_hint(err, "name runs of one scenario that differ in load");
}

static enum exit_code report(const void *record, const struct options *options,
                             const struct cmd_line *line)
{
    const struct report_args *args = record;
    struct report_source *source;
    struct error err = {0};
    enum exit_code exit;
    char dir[PATH_MAX];

    if (options->word_count > 1 || holds_runs(options->words[0])) {
        return report_sweep(args, options);
    }
    source = mem_zalloc(sizeof(*source));
    if (!source) {
        error_set(&err, EXIT_FAILED, -ENOMEM, "no memory for the run");
        return page_say_error(&err);
    }
    if (check_one(args, &err) < 0 ||
        report_source_load(source, options->words[0], wants_charts(args), &err) < 0) {
        mem_free(source);
        return page_say_error(&err);
    }
    snprintf(dir, sizeof(dir), "%s", source->dir);
    if (args->redact_serial) {
        report_source_redact(source);
    }
    exit = wants_charts(args) ? report_files(args, source, dir) : report_text(args, source);
    report_source_free(source);
    mem_free(source);
    return exit;
}

const struct cmd cmd_report = {
    .name = "report",
    .usage = "RESULTDIR... [options]",
    .summary = "Print the table of a run again, from what was saved, or draw it",
    .about =
        "RESULTDIR is a run directory, results/LATEST or the run.json of one, or a directory of\n"
        "runs of one scenario. Needs nothing else: no drive, no network, no clock. Works on a run\n"
        "that was interrupted or killed, and says so. Of several runs, which differ in load, it\n"
        "shows latency over throughput and the knee.\n"
        "\n"
        "  rawtps report results/LATEST --html\n"
        "  rawtps report results/LATEST --html page.html --pdf page.pdf --redact-serial\n",
    .groups = groups,
    .group_count = 2,
    .least_words = 1,
    .most_words = OPTIONS_WORDS,
    .word_name = "a run directory",
    .record_bytes = sizeof(struct report_args),
    .run = report,
};
