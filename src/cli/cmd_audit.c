#include <errno.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd.h"
#include "page.h"
#include "plan/audit_file.h"
#include "report/doc_audit.h"

enum { AUDIT_TEXT, AUDIT_MARKDOWN, AUDIT_CSV, AUDIT_JSON, AUDIT_FORMATS };
static const char *const format_names[AUDIT_FORMATS] = {"text", "markdown", "csv", "json"};

struct audit_args {
    uint32_t format, color;
};

static const struct key rows[] = {
    {.name = "format",
     .type = KEY_WORD,
     KEY_FIELD(struct audit_args, format),
     KEY_WORDS(format_names),
     .fallback = "text",
     .letter = 'f',
     .help = "how it is written"},
    {.name = "color",
     .type = KEY_WORD,
     KEY_FIELD(struct audit_args, color),
     KEY_WORDS(page_color_names),
     .fallback = "auto",
     .help = "colour of verdicts"},
};

static const struct option_group groups[] = {{"Options", rows, 2}};

static void fill_row(const struct audit_file_row *from, struct audit_row *to)
{
    to->drive = from->drive;
    to->note = from->note;
    to->own_users = from->own_users;
    to->figures = (struct little_row){from->users, from->per_s, from->response_ns, from->think_ns};
}

/* The figures of the file as what is judged; ret->tests and their rows are to be freed. */
static int fill(const struct audit_file *file, struct audit *ret, struct error *err)
{
    struct audit_row *all = mem_array(file->row_count + 1, sizeof(*all));

    ret->about = file->about;
    ret->test_count = file->test_count;
    ret->tests = mem_array(file->test_count + 1, sizeof(*ret->tests));
    if (!all || !ret->tests) {
        mem_free(all);
        mem_free(ret->tests);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the figures");
    }
    for (uint32_t i = 0; i < file->row_count; i++) {
        fill_row(&file->rows[i], &all[i]);
    }
    for (uint32_t i = 0; i < file->test_count; i++) {
        const struct audit_file_test *from = &file->tests[i];

        ret->tests[i] = (struct audit_test){.name = from->name,
                                            .no_pairs = from->no_pairs,
                                            .rows = all + from->first_row,
                                            .row_count = from->row_count};
    }
    audit_judge(ret);
    return 0;
}

static void render(const struct audit *audit, const struct audit_args *args, struct text *ret)
{
    struct doc_text_options options = {.width = page_width(STDOUT_FILENO),
                                       .colour = page_colour(args->color, STDOUT_FILENO)};
    struct doc doc;

    if (args->format == AUDIT_JSON) {
        audit_json(audit, ret);
        return;
    }
    doc_init(&doc);
    doc_audit(&doc, audit, args->format == AUDIT_CSV);
    if (args->format == AUDIT_MARKDOWN) {
        doc_markdown(&doc, ret);
    } else if (args->format == AUDIT_CSV) {
        doc_csv(&doc, ret);
    } else {
        doc_text(&doc, &options, ret);
    }
    ret->failed = ret->failed || doc.failed;
    doc_free(&doc);
}

static enum exit_code audit_figures(const void *record, const struct options *options,
                                    const struct cmd_line *line)
{
    struct audit audit = {.path = options->words[0]};
    struct audit_file file;
    struct text text = {0};
    struct error err = {0};

    if (audit_file_read(options->words[0], &file, &err)) {
        return page_say_error(&err);
    }
    if (fill(&file, &audit, &err)) {
        audit_file_close(&file);
        return page_say_error(&err);
    }
    render(&audit, record, &text);
    page_write(&text);
    text_free(&text);
    mem_free(audit.tests[0].rows);
    mem_free(audit.tests);
    audit_file_close(&file);
    return audit.inconsistent > 0 ? EXIT_WANTING : EXIT_FINE;
}

const struct cmd cmd_audit = {
    .name = "audit",
    .usage = "FILE.yaml [options]",
    .summary = "Hold published figures against Little's law",
    .about =
        "FILE holds figures that somebody published: tests, and what each drive did in them.\n"
        "Users N, throughput X, mean response time R and mean think time Z belong together:\n"
        "N = X (R + Z). Says which rows contradict themselves, where a unit was probably mixed\n"
        "up, which rows were not run alike, so that their latencies cannot be compared, and\n"
        "what part of the ceiling N/Z was reached. Exits with 1 if a row contradicts itself.\n"
        "\n"
        "  rawtps audit scenarios/audit-seeds.yaml\n"
        "\n"
        "A file:\n"
        "\n"
        "    about: a review of two drives\n"
        "    groups:\n"
        "      - name: Sysbench, 4 VMs\n"
        "        threads: 128\n"
        "        rows:\n"
        "          - {drive: A, throughput: 8646 TPS, response: 14.8ms}\n"
        "          - {drive: B, throughput: 7879 TPS, response: 23.3ms}\n"
        "\n"
        "The keys of a group are name, users (who think; Z is then found from the other rows\n"
        "unless think gives it) or threads (who do not), pairs (no: its rows are not held\n"
        "against each other) and rows; those of a row drive, throughput, response, note, and\n"
        "users, threads and think of its own. What was not published is left out.\n",
    .groups = groups,
    .group_count = 1,
    .least_words = 1,
    .most_words = 1,
    .word_name = "a file of figures",
    .record_bytes = sizeof(struct audit_args),
    .run = audit_figures,
};
