#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd.h"
#include "page.h"
#include "plan/gate_file.h"
#include "report/doc_gate.h"
#include "report/redact.h"
#include "report_source.h"

enum gate_format {
    FORMAT_TEXT,
    FORMAT_MARKDOWN,
    FORMAT_CSV,
    FORMAT_JSON,
    FORMAT_HTML,
    FORMAT_JUNIT
};
static const char *const formats[] = {"text", "markdown", "csv", "json", "html", "junit"};

struct gate_args {
    uint32_t format, color;
    const char *junit, *markdown, *json, *html;
    bool redact_serial;
};

static const struct key rows[] = {
    {.name = "format",
     .type = KEY_WORD,
     KEY_FIELD(struct gate_args, format),
     KEY_WORDS(formats),
     .fallback = "text",
     .letter = 'f',
     .help = "how the answer is written to stdout"},
    {.name = "color",
     .type = KEY_WORD,
     KEY_FIELD(struct gate_args, color),
     KEY_WORDS(page_color_names),
     .fallback = "auto",
     .help = "colour of verdicts"},
    {.name = "junit",
     .type = KEY_STRING,
     KEY_FIELD(struct gate_args, junit),
     .fallback = "outputs.junit",
     .placeholder = "FILE",
     .help = "JUnit XML for a CI server"},
    {.name = "markdown",
     .type = KEY_STRING,
     KEY_FIELD(struct gate_args, markdown),
     .fallback = "outputs.markdown",
     .placeholder = "FILE",
     .help = "a comment for a pull request, below 60 kB"},
    {.name = "json",
     .type = KEY_STRING,
     KEY_FIELD(struct gate_args, json),
     .fallback = "outputs.json",
     .placeholder = "FILE",
     .help = "everything, for a program"},
    {.name = "html",
     .type = KEY_STRING,
     KEY_FIELD(struct gate_args, html),
     .fallback = "outputs.html",
     .placeholder = "FILE",
     .help = "one page that needs nothing else"},
    {.name = "redact_serial",
     .type = KEY_FLAG,
     KEY_FIELD(struct gate_args, redact_serial),
     .fallback = "",
     .help = "leave serial numbers of drives out of all of these, wherever they stand"},
};

static const struct option_group groups[] = {{"Options", rows, sizeof(rows) / sizeof(rows[0])}};

static void render_doc(const struct gate *gate, enum gate_format format, bool colour,
                       struct text *ret)
{
    struct doc_text_options options = {.width = page_width(STDOUT_FILENO), .colour = colour};
    struct doc doc;

    doc_init(&doc);
    doc_gate(&doc, gate);
    if (format == FORMAT_CSV) {
        doc_csv(&doc, ret);
    } else if (format == FORMAT_HTML) {
        doc_html(&doc, ret);
    } else {
        doc_text(&doc, &options, ret);
    }
    ret->failed = ret->failed || doc.failed;
    doc_free(&doc);
}

static void render(const struct gate *gate, enum gate_format format, bool colour, struct text *ret)
{
    switch (format) {
    case FORMAT_MARKDOWN:
        doc_gate_markdown(gate, ret);
        break;
    case FORMAT_JSON:
        doc_gate_json(gate, ret);
        break;
    case FORMAT_JUNIT:
        doc_gate_junit(gate, ret);
        break;
    default:
        render_doc(gate, format, colour, ret);
    }
}

/* Where the file or the command line wants each form; NULL nowhere. */
static const char *path_of(const struct gate_args *args, const struct gate_file *file,
                           enum gate_format format)
{
    const char *given = NULL, *told = "";

    switch (format) {
    case FORMAT_JUNIT:
        given = args->junit, told = file->outputs.junit;
        break;
    case FORMAT_MARKDOWN:
        given = args->markdown, told = file->outputs.markdown;
        break;
    case FORMAT_JSON:
        given = args->json, told = file->outputs.json;
        break;
    case FORMAT_HTML:
        given = args->html, told = file->outputs.html;
        break;
    default:
        break;
    }
    told = given != NULL ? given : told;
    return told[0] != '\0' ? told : NULL;
}

static const enum gate_format outputs[] = {FORMAT_JUNIT, FORMAT_MARKDOWN, FORMAT_JSON, FORMAT_HTML};
enum { OUTPUTS = sizeof(outputs) / sizeof(outputs[0]) };

/* Before anything is judged or written. */
static int check_outputs(const struct gate_args *args, const struct gate_file *file,
                         const char *gate_path, struct error *err)
{
    for (uint32_t i = 0; i < OUTPUTS; i++) {
        const char *path = path_of(args, file, outputs[i]);

        if (path != NULL && report_source_may_write(path, gate_path, err) < 0) {
            return error_wrap(err, "outputs: %s", formats[outputs[i]]);
        }
        for (uint32_t j = 0; path != NULL && j < i; j++) {
            const char *other = path_of(args, file, outputs[j]);

            if (other != NULL && report_source_one_file(path, other)) {
                return error_set(err, EXIT_USAGE, -EINVAL, "outputs: %s and %s are one file: %s",
                                 formats[outputs[j]], formats[outputs[i]], path);
            }
        }
    }
    return 0;
}

static enum exit_code write_outputs(const struct gate_args *args, const struct gate *gate)
{
    enum exit_code exit = gate->exit;

    for (uint32_t i = 0; i < OUTPUTS; i++) {
        const char *path = path_of(args, gate->file, outputs[i]);
        struct error err = {0};
        struct text text = {0};

        if (path != NULL) {
            render(gate, outputs[i], false, &text);
            if (report_source_write(path, &text, &err) < 0) {
                exit = page_graver(exit, page_say_error(&err));
            }
        }
        text_free(&text);
    }
    return exit;
}

/* A CI server that finds no report shows nothing: it is told of the error too. */
static void write_error(const struct gate_args *args, const struct gate_file *file,
                        const struct error *why)
{
    const char *path = path_of(args, file, FORMAT_JUNIT);
    struct error err = {0};
    struct text text = {0};

    if (path != NULL) {
        doc_gate_junit_error(file->name, why, &text);
        if (report_source_write(path, &text, &err) < 0) {
            page_say_error(&err);
        }
    }
    text_free(&text);
}

/* path: of the gate file, which may be redacted with all the rest. */
static enum exit_code judge(const struct gate_args *args, struct gate_file *file, char *path)
{
    struct error err = {0};
    struct text text = {0};
    enum exit_code exit;
    struct gate gate;

    if (gate_open(&gate, file, &err) < 0 || gate_judge(&gate, &err) < 0) {
        write_error(args, file, &err);
        gate_close(&gate);
        return page_say_error(&err);
    }
    if (args->redact_serial) {
        redact_gate(&gate, file, path);
    }
    render(&gate, args->format, page_colour(args->color, STDOUT_FILENO), &text);
    page_write(&text);
    text_free(&text);
    exit = write_outputs(args, &gate);
    gate_close(&gate);
    return exit;
}

static enum exit_code gate_command(const void *record, const struct options *options,
                                   const struct cmd_line *line)
{
    struct gate_file *file = mem_zalloc(sizeof(*file));
    char *path = mem_strdup(options->words[0]);
    struct error err = {0};
    struct gate_words words;
    enum exit_code exit;

    if (file == NULL || path == NULL) {
        mem_free(file);
        mem_free(path);
        error_set(&err, EXIT_FAILED, -ENOMEM, "no memory");
        return page_say_error(&err);
    }
    gate_words_here(&words);
    exit =
        gate_file_read(path, &words, file, &err) < 0 || check_outputs(record, file, path, &err) < 0
            ? page_say_error(&err)
            : judge(record, file, path);
    mem_free(file);
    mem_free(path);
    return exit;
}

const struct cmd cmd_gate = {
    .name = "gate",
    .usage = "GATE.yaml [options]",
    .summary = "Judge a candidate's runs against a baseline's, for CI",
    .about =
        "GATE.yaml names the runs of both sides, what must hold, and how much worse each metric\n"
        "may be; `rawtps help gate-file` has its keys. Reads results and never runs anything.\n"
        "Every row is PASS, FAIL (worse than its margin, proven), INCONCLUSIVE (more runs are\n"
        "needed, and how many is said) or INVALID (these runs do not allow a verdict, and why is\n"
        "said). Ends with 0 passed, 1 found wanting, 4 void, 5 inconclusive, 6 invalid. Runs are\n"
        "looked for from where GATE.yaml is; files are written from where this is run.\n",
    .groups = groups,
    .group_count = 1,
    .least_words = 1,
    .most_words = 1,
    .word_name = "a gate file",
    .record_bytes = sizeof(struct gate_args),
    .run = gate_command,
};
