// rooms: base stats result report
/* Any bytes as run.json: refused, or derived, written, read again and reported without harm. */
#include "base/mem.h"
#include "base/must.h"
#include "base/text.h"
#include "report/doc_compare.h"
#include "report/doc_page.h"
#include "report/doc_run.h"
#include "report/redact.h"
#include "result/result.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(const struct result *result)
{
    struct doc_text_options options = {.width = 80, .colour = true};
    struct text text;
    struct doc doc;

    doc_init(&doc);
    doc_run(&doc, result, "results/LATEST");
    text_init(&text);
    doc_text(&doc, &options, &text);
    doc_markdown(&doc, &text);
    doc_csv(&doc, &text);
    text_free(&text);
    doc_free(&doc);
}

/* The page, with intervals that lie where the result says that its sample was. */
static void draw(const struct result *result)
{
    struct result_interval rows[] = {
        {.start_ns = result->aggregate.sample_from_ns, .length_ns = 1000000000, .vm = -1},
        {.start_ns = result->aggregate.sample_until_ns, .length_ns = 1, .vm = -1}};
    struct doc_page_source page = {.result = result, .rows = rows, .row_count = 2};
    const struct result *const sweep[] = {result, result};
    struct text text;
    struct doc doc;

    for (uint32_t i = 0; i < 2; i++) {
        snprintf(rows[i].phase, sizeof(rows[i].phase), "sample");
        rows[i].done = i;
        rows[i].tps = result->aggregate.tps;
        rows[i].mean_ns = result->aggregate.response.mean_ns;
        rows[i].max_ns = result->aggregate.response.max_ns;
    }
    doc_init(&doc);
    doc_page(&doc, &page);
    doc_page_sweep(&doc, sweep, 2, result->run.wall_ns);
    text_init(&text);
    doc_html(&doc, &text);
    must(!doc.failed && !text.failed);
    text_free(&text);
    doc_free(&doc);
}

static void comes_back(const struct result *result)
{
    struct result back;
    struct text first, second;
    struct error err;

    text_init(&first);
    text_init(&second);
    result_write_json(result, &first);
    must(result_read_json(&back, text_string(&first), first.length, "again", &err) == 0);
    result_write_json(&back, &second);
    must(strcmp(text_string(&first), text_string(&second)) == 0);
    result_free(&back);
    text_free(&first);
    text_free(&second);
}

static bool add(struct set *set, const uint8_t *data, size_t size)
{
    struct result *result = mem_zalloc(sizeof(*result));
    struct error err;

    must(result && result_read_json(result, (const char *)data, size, "fuzz", &err) == 0);
    return set_add_result(set, "nowhere", result, &err) == 0;
}

/* What is told of it beside itself; its files are not there. */
static void compare(const struct set *const sets[2])
{
    struct doc_text_options page = {.width = 80};
    struct doc_compare_options options = {.narrow = true};
    struct comparison comparison;
    struct text text = {0};
    struct error err;
    struct doc doc;

    if (comparison_open(&comparison, sets, 2, &(struct comparison_options){.vms = true, .vm = -1},
                        &err) < 0) {
        return;
    }
    doc_init(&doc);
    doc_compare(&doc, &comparison, &options);
    doc_text(&doc, &page, &text);
    doc_compare_json(&comparison, &text);
    doc_compare_figures(&doc, &comparison);
    doc_csv(&doc, &text);
    comparison_close(&comparison);
    text_free(&text);
    doc_free(&doc);
}

static void in_sets(const uint8_t *data, size_t size)
{
    struct set a, b;
    const struct set *const sets[2] = {&a, &b};

    set_init(&a, "a");
    set_init(&b, "b");
    if (add(&a, data, size) && add(&b, data, size) && add(&b, data, size)) {
        snprintf(a.runs[0].path, sizeof(a.runs[0].path), "elsewhere");
        compare(sets);
    }
    set_free(&a);
    set_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct result_interval interval;
    struct result result;
    struct error err;
    struct text line;

    if (result_read_json(&result, (const char *)data, size, "fuzz", &err) == 0) {
        comes_back(&result);
        report(&result);
        result_derive(&result);
        report(&result);
        draw(&result);
        redact_serials(&result, NULL);
        result_free(&result);
        in_sets(data, size);
    }
    text_init(&line);
    text_add_bytes(&line, data, size);
    if (result_interval_parse(text_string(&line), &interval)) {
        text_clear(&line);
        result_interval_line(&interval, &line);
        must(result_interval_parse(text_string(&line), &interval));
    }
    text_free(&line);
    return 0;
}
