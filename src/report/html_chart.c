#include "chart_draw.h"
#include "html.h"

#include "base/json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SVG_WIDTH = 960 };

static const char *const unit_names[] = {"number", "clock", "ns", "share", "bytes", "percentile"};

static bool by_script(const struct doc_block *block)
{
    return block->kind == DOC_CHART && block->chart.kind == DOC_LINES;
}

void html_chart(const struct doc *doc, uint32_t block, struct text *out)
{
    const struct doc_block *chart = &doc->blocks[block];

    text_add(out, "<figure>\n<figcaption>");
    html_add(out, doc_word(doc, chart->value));
    text_add(out, "</figcaption>\n");
    if (!by_script(chart)) {
        html_svg(doc, chart, SVG_WIDTH, out);
    } else {
        text_addf(out, "<div class=\"plot\" id=\"chart-%u\" role=\"img\" aria-label=\"", block);
        html_add(out, doc_word(doc, chart->value));
        for (uint32_t i = 0; i < chart->part_count; i++) {
            const struct doc_part *part = &doc->parts[chart->first_part + i];

            if (part->kind == DOC_SERIES) {
                text_add(out, ", ");
                html_add(out, doc_word(doc, part->label));
            }
        }
        text_add(out, "\"></div>\n<noscript><p class=\"note\">This chart is drawn by a script; the "
                      "tables hold its figures.</p></noscript>\n");
    }
    text_add(out, "</figure>\n");
}

/* A string for a script element: nothing in it can end the element or begin a comment. */
static void add_string(struct text *out, const char *words)
{
    size_t from = out->length;
    struct text plain;

    text_init(&plain);
    json_escape(&plain, words, strlen(words));
    for (size_t i = 0; i < plain.length; i++) {
        if (strchr("<>&", plain.data[i])) {
            text_addf(out, "\\u%04x", (unsigned)plain.data[i]);
        } else {
            text_add_char(out, plain.data[i]);
        }
    }
    out->failed = out->failed || plain.failed || out->length == from;
    text_free(&plain);
}

/* The fewest digits that read back equal; gaps are null. */
static void add_number(struct text *out, double value)
{
    char buf[40];

    if (!isfinite(value)) {
        text_add(out, "null");
        return;
    }
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(buf, sizeof(buf), "%.0f", value);
    } else {
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(buf, sizeof(buf), "%.*g", digits, value);
            if (strtod(buf, NULL) == value) {
                break;
            }
        }
    }
    text_add(out, buf);
}

static void add_numbers(struct text *out, const double *values, uint32_t count)
{
    text_add_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        text_add(out, i > 0 ? "," : "");
        add_number(out, values[i]);
    }
    text_add_char(out, ']');
}

static void add_axis(struct text *out, const char *name, const struct doc_axis *axis)
{
    text_addf(out, ",\n\"%s\":{\"title\":", name);
    add_string(out, axis->title ? axis->title : "");
    text_addf(out, ",\"unit\":\"%s\",\"log\":%s}", unit_names[axis->unit],
              axis->log ? "true" : "false");
}

/* Of a series: its y, and its x or the number of an earlier series that has the same. */
static void add_series(const struct doc *doc, const struct doc_block *chart, uint32_t at,
                       struct text *out)
{
    const struct doc_part *part = &doc->parts[chart->first_part + at];
    uint32_t earlier = 0;

    text_add(out, "\n{\"label\":");
    add_string(out, doc_word(doc, part->label));
    text_add(out, part->lead ? ",\"lead\":true" : "");
    text_add(out, ",\"x\":");
    for (uint32_t i = 0; i < at; i++) {
        const struct doc_part *other = &doc->parts[chart->first_part + i];

        if (other->kind == DOC_SERIES) {
            if (other->x == part->x && other->count == part->count) {
                text_addf(out, "%u", earlier);
                earlier = UINT32_MAX;
                break;
            }
            earlier++;
        }
    }
    if (earlier != UINT32_MAX) {
        add_numbers(out, doc->values + part->x, part->count);
    }
    text_add(out, ",\"y\":");
    add_numbers(out, doc->values + part->y, part->count);
    text_add_char(out, '}');
}

static void add_parts(const struct doc *doc, const struct doc_block *chart, const char *name,
                      enum doc_part_kind kind, struct text *out)
{
    const char *comma = "";

    text_addf(out, ",\n\"%s\":[", name);
    for (uint32_t i = 0; i < chart->part_count; i++) {
        const struct doc_part *part = &doc->parts[chart->first_part + i];

        if (part->kind != kind) {
            continue;
        }
        text_add(out, comma);
        comma = ",";
        if (kind == DOC_SERIES) {
            add_series(doc, chart, i, out);
            continue;
        }
        text_add(out, "{\"label\":");
        add_string(out, doc_word(doc, part->label));
        text_add(out, ",\"from\":");
        add_number(out, part->from);
        text_add(out, ",\"until\":");
        add_number(out, part->until);
        text_add_char(out, '}');
    }
    text_add_char(out, ']');
}

bool html_chart_data(const struct doc *doc, struct text *out)
{
    bool any = false;

    for (uint32_t i = 0; i < doc->block_count; i++) {
        const struct doc_block *chart = &doc->blocks[i];

        if (!by_script(chart)) {
            continue;
        }
        text_addf(out, "%s{\"id\":\"chart-%u\",\"key\":", any ? ",\n" : "[\n", i);
        add_string(out, chart->chart.key);
        text_add(out, ",\"group\":");
        add_string(out, chart->chart.group ? chart->chart.group : "");
        text_add(out, chart->chart.curve ? ",\"curve\":true" : "");
        add_axis(out, "xAxis", &chart->chart.x);
        add_axis(out, "yAxis", &chart->chart.y);
        add_parts(doc, chart, "bands", DOC_BAND, out);
        add_parts(doc, chart, "limits", DOC_LIMIT, out);
        add_parts(doc, chart, "marks", DOC_MARK, out);
        add_parts(doc, chart, "series", DOC_SERIES, out);
        text_add_char(out, '}');
        any = true;
    }
    text_add(out, any ? "]\n" : "");
    return any;
}
