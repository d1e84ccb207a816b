#include "base/mem.h"
#include "base/must.h"
#include "doc_parts.h"
#include <math.h>
#include <string.h>

void doc_chart(struct doc *doc, const struct doc_chart *chart)
{
    uint32_t title = doc_add_word(doc, chart->title);
    struct doc_block *block = doc_add_block(doc, DOC_CHART);

    if (block) {
        block->chart = *chart;
        block->chart.title = NULL;
        block->value = title;
        block->table = chart->key;
        block->first_part = doc->part_count;
    }
}

/* The next part of the last block, which is a chart; NULL if there is no memory. */
static struct doc_part *add_part(struct doc *doc, enum doc_part_kind kind, const char *label)
{
    uint32_t word = doc_add_word(doc, label);
    struct doc_part *part = doc_more(doc, (void **)&doc->parts, &doc->part_count, &doc->part_limit,
                                     sizeof(*doc->parts));

    if (part) {
        struct doc_block *block = &doc->blocks[doc->block_count - 1];

        must(doc->block_count > 0 && block->kind == DOC_CHART);
        part->kind = kind;
        part->label = word;
        block->part_count++;
    }
    return part;
}

/* Room for count values: the offset of the first, or 0 and doc->failed. */
static uint32_t add_values(struct doc *doc, uint32_t count)
{
    uint32_t at = doc->value_count;
    uint64_t wanted = (uint64_t)at + count;

    if (wanted > doc->value_limit) {
        uint64_t grown = wanted < 1024 ? 1024 : wanted * 2;
        double *values =
            grown < UINT32_MAX ? mem_resize(doc->values, grown * sizeof(*values)) : NULL;

        if (!values) {
            doc->failed = true;
            return 0;
        }
        doc->values = values;
        doc->value_limit = (uint32_t)grown;
    }
    doc->value_count = (uint32_t)wanted;
    return at;
}

static uint32_t copy_values(struct doc *doc, const double *values, uint32_t count)
{
    uint32_t at = add_values(doc, count);

    if (!doc->failed && count > 0) {
        memcpy(doc->values + at, values, count * sizeof(*values));
    }
    return at;
}

/* Two points a bucket: its least and largest value, in their order; gaps only if all is gap. */
static void bucket_of(const double *y, uint32_t from, uint32_t until, double ret[2])
{
    uint32_t least = until, largest = until;

    for (uint32_t i = from; i < until; i++) {
        if (isfinite(y[i])) {
            least = least == until || y[i] < y[least] ? i : least;
            largest = largest == until || y[i] > y[largest] ? i : largest;
        }
    }
    ret[0] = least == until ? NAN : y[least < largest ? least : largest];
    ret[1] = least == until ? NAN : y[least < largest ? largest : least];
}

/* The x of the points that are kept depend on count alone, so that series keep sharing them. */
static uint32_t thin_x(struct doc *doc, const double *x, uint32_t count)
{
    uint32_t buckets = DOC_POINTS / 2, at = add_values(doc, DOC_POINTS);

    for (uint32_t b = 0; b < buckets && !doc->failed; b++) {
        uint32_t from = (uint32_t)((uint64_t)b * count / buckets);
        uint32_t until = (uint32_t)((uint64_t)(b + 1) * count / buckets);

        doc->values[at + 2 * b] = x[from];
        doc->values[at + 2 * b + 1] = x[from + (until - from) / 2];
    }
    return at;
}

static uint32_t thin_y(struct doc *doc, const double *y, uint32_t count)
{
    uint32_t buckets = DOC_POINTS / 2, at = add_values(doc, DOC_POINTS);

    for (uint32_t b = 0; b < buckets && !doc->failed; b++) {
        bucket_of(y, (uint32_t)((uint64_t)b * count / buckets),
                  (uint32_t)((uint64_t)(b + 1) * count / buckets), doc->values + at + 2 * b);
    }
    return at;
}

/* An earlier series of this chart has the same x: one copy is enough. */
static void share_x(struct doc *doc, struct doc_part *part)
{
    const struct doc_block *block = &doc->blocks[doc->block_count - 1];

    for (uint32_t i = block->first_part; i + 1 < block->first_part + block->part_count; i++) {
        const struct doc_part *other = &doc->parts[i];

        if (other->kind == DOC_SERIES && other->count == part->count &&
            memcmp(doc->values + other->x, doc->values + part->x, part->count * sizeof(double)) ==
                0) {
            doc->value_count = part->x;
            part->x = other->x;
            return;
        }
    }
}

void doc_series(struct doc *doc, const char *label, const double *x, const double *y,
                uint32_t count)
{
    struct doc_part *part = add_part(doc, DOC_SERIES, label);
    bool thin = x && count > DOC_POINTS;

    if (!part || doc->failed) {
        return;
    }
    part->count = thin ? (uint32_t)DOC_POINTS : count;
    if (x) {
        part->x = thin ? thin_x(doc, x, count) : copy_values(doc, x, count);
        if (!doc->failed) {
            share_x(doc, part);
        }
    }
    part->y = thin ? thin_y(doc, y, count) : copy_values(doc, y, count);
}

void doc_lead(struct doc *doc)
{
    bool any = !doc->failed && doc->blocks[doc->block_count - 1].part_count > 0;

    if (any && doc->parts[doc->part_count - 1].kind == DOC_SERIES) {
        doc->parts[doc->part_count - 1].lead = true;
    }
}

void doc_category(struct doc *doc, const char *label)
{
    add_part(doc, DOC_CATEGORY, label);
}

void doc_band(struct doc *doc, const char *label, double from, double until)
{
    struct doc_part *part = add_part(doc, DOC_BAND, label);

    if (part) {
        part->from = from;
        part->until = until;
    }
}

void doc_limit(struct doc *doc, const char *label, double y)
{
    struct doc_part *part = add_part(doc, DOC_LIMIT, label);

    if (part) {
        part->from = y;
    }
}

void doc_mark(struct doc *doc, const char *label, double x, double y)
{
    struct doc_part *part = add_part(doc, DOC_MARK, label);

    if (part) {
        part->from = x;
        part->until = y;
    }
}

void doc_heat(struct doc *doc, const double *x_edges, uint32_t columns, const double *y_edges,
              uint32_t rows, const double *counts)
{
    struct doc_part *part = add_part(doc, DOC_GRID, "");

    if (part) {
        part->count = columns;
        part->rows = rows;
        part->x = copy_values(doc, x_edges, columns + 1);
        part->y = copy_values(doc, y_edges, rows + 1);
        part->counts = copy_values(doc, counts, columns * rows);
    }
}

const char *doc_chart_data(const struct doc *doc, uint32_t block, struct text *ret)
{
    const struct doc_block *chart = &doc->blocks[block];

    if (chart->kind != DOC_CHART || chart->chart.kind != DOC_LINES) {
        return NULL;
    }
    for (uint32_t i = chart->first_part; i < chart->first_part + chart->part_count; i++) {
        const struct doc_part *part = &doc->parts[i];

        if (part->kind != DOC_SERIES) {
            continue;
        }
        text_addf(ret, "%s# %s\n", ret->length > 0 ? "\n\n" : "", doc_word(doc, part->label));
        for (uint32_t k = 0; k < part->count; k++) {
            double y = doc->values[part->y + k];

            text_addf(ret, "%.12g ", doc->values[part->x + k]);
            if (isfinite(y)) {
                text_addf(ret, "%.12g\n", y);
            } else {
                text_add(ret, "?\n");
            }
        }
    }
    return chart->chart.key;
}
