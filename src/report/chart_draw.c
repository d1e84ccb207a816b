#include "chart_draw.h"

#include "base/mem.h"
#include <math.h>

/* Blue and vermilion first; after Okabe and Ito 2008, darkened for white paper. */
const uint32_t pen_colours[PEN_COLOURS] = {
    [PEN_INK] = 0x1f2328,        [PEN_FAINT] = 0x59636e,      [PEN_RULE] = 0xd1d9e0,
    [PEN_BAND] = 0x8c959f,       [PEN_GOOD] = 0x1a7f37,       [PEN_BAD] = 0xcf222e,
    [PEN_DOUBTFUL] = 0x9a6700,   [PEN_SERIES] = 0x0969da,     [PEN_SERIES + 1] = 0xd55e00,
    [PEN_SERIES + 2] = 0x009e73, [PEN_SERIES + 3] = 0xcc79a7, [PEN_SERIES + 4] = 0x8a6d00,
    [PEN_SERIES + 5] = 0x56b4e9, [PEN_SERIES + 6] = 0x6639ba, [PEN_SERIES + 7] = 0x59636e};

enum { LEGEND_MAX = 24, SHADES = 16 };

/* A chart while it is drawn: the plot's own rectangle, and its axes. */
struct plot {
    struct pen *pen;
    const struct doc *doc;
    const struct doc_block *chart;
    struct chart_place place;
    double left, top, width, height;
    struct chart_scale x, y;
};

static const struct doc_part *part_at(const struct plot *plot, uint32_t i)
{
    return &plot->doc->parts[plot->chart->first_part + i];
}

static uint32_t count_of(const struct doc *doc, const struct doc_block *chart,
                         enum doc_part_kind kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < chart->part_count; i++) {
        count += doc->parts[chart->first_part + i].kind == kind;
    }
    return count;
}

double chart_height(const struct doc *doc, const struct doc_block *chart, double font)
{
    uint32_t bars = count_of(doc, chart, DOC_CATEGORY);

    if (chart->chart.kind == DOC_BARS || chart->chart.kind == DOC_STACKS) {
        return font * (1.9 * bars + (chart->chart.kind == DOC_STACKS ? 2.4 : 0.6));
    }
    return font * 20;
}

static double place_x(const struct plot *plot, double value)
{
    return plot->left + plot->width * chart_scale_share(&plot->x, value);
}

static double place_y(const struct plot *plot, double value)
{
    double share = chart_scale_share(&plot->y, value);

    return plot->top + plot->height * (1 - fmin(fmax(share, 0), 1));
}

/* ---- lines and heat -------------------------------------------------------------------------- */

static void stretch(double value, bool positive, double *least, double *largest)
{
    if (isfinite(value) && (!positive || value > 0)) {
        *least = isnan(*least) || value < *least ? value : *least;
        *largest = isnan(*largest) || value > *largest ? value : *largest;
    }
}

static void find_scales(struct plot *plot)
{
    const struct doc_chart *chart = &plot->chart->chart;
    double x[2] = {NAN, NAN}, y[2] = {NAN, NAN};

    for (uint32_t i = 0; i < plot->chart->part_count; i++) {
        const struct doc_part *part = part_at(plot, i);
        const double *values = plot->doc->values;
        uint32_t edge = part->kind == DOC_GRID ? 1 : 0;

        if (part->kind == DOC_SERIES || part->kind == DOC_GRID) {
            for (uint32_t k = 0; k < part->count + edge; k++) {
                stretch(values[part->x + k], chart->x.log, &x[0], &x[1]);
            }
            for (uint32_t k = 0; k < (edge ? part->rows + 1 : part->count); k++) {
                stretch(values[part->y + k], chart->y.log, &y[0], &y[1]);
            }
        } else if (part->kind == DOC_LIMIT) {
            stretch(part->from, chart->y.log, &y[0], &y[1]);
        } else if (part->kind == DOC_MARK) {
            stretch(part->from, chart->x.log, &x[0], &x[1]);
            stretch(part->until, chart->y.log, &y[0], &y[1]);
        }
    }
    if (!chart->y.log && chart->kind == DOC_LINES && y[0] > 0 && y[0] < 0.5 * y[1]) {
        y[0] = 0;
    }
    chart_scale_init(&plot->x, &chart->x, x[0], x[1], false);
    chart_scale_init(&plot->y, &chart->y, y[0], y[1], chart->kind == DOC_LINES);
}

static void draw_axes(const struct plot *plot)
{
    const struct doc_chart *chart = &plot->chart->chart;
    double font = plot->place.font * 0.85, bottom = plot->top + plot->height;
    char buf[FIGURE_TEXT];

    for (uint32_t i = 0; i < plot->y.tick_count; i++) {
        double y = place_y(plot, plot->y.ticks[i]);

        pen_line(plot->pen, plot->left, y, plot->left + plot->width, y, PEN_RULE, 0.5);
        pen_words(plot->pen, plot->left - 4, y + font * 0.35, font, PEN_RIGHT, PEN_FAINT,
                  chart_value(plot->y.unit, plot->y.ticks[i], buf));
    }
    for (uint32_t i = 0; i < plot->x.tick_count; i++) {
        double x = place_x(plot, plot->x.ticks[i]);

        pen_line(plot->pen, x, bottom, x, bottom + 3, PEN_FAINT, 0.5);
        pen_words(plot->pen, x, bottom + 3 + font, font, PEN_MIDDLE, PEN_FAINT,
                  chart_value(plot->x.unit, plot->x.ticks[i], buf));
    }
    pen_line(plot->pen, plot->left, bottom, plot->left + plot->width, bottom, PEN_FAINT, 0.7);
    if (chart->x.title) {
        pen_words(plot->pen, plot->left + plot->width, bottom + 4 + 2.2 * font, font, PEN_RIGHT,
                  PEN_FAINT, chart->x.title);
    }
    if (chart->y.title) {
        pen_words(plot->pen, plot->left, plot->top - 0.5 * font, font, PEN_LEFT, PEN_FAINT,
                  chart->y.title);
    }
}

/* Swatches and names from x on; stays within the chart's width. */
static void draw_legend(const struct plot *plot, double x, double y)
{
    double font = plot->place.font * 0.85;
    uint32_t series = 0;

    for (uint32_t i = 0; i < plot->chart->part_count && series < LEGEND_MAX; i++) {
        const struct doc_part *part = part_at(plot, i);
        const char *label = doc_word(plot->doc, part->label);
        double width = plot->pen->ops->width(plot->pen, font, label) + 2.6 * font;

        if (part->kind != DOC_SERIES) {
            continue;
        }
        if (x + width > plot->place.x + plot->place.w) {
            return;
        }
        pen_area(plot->pen, x, y - 0.7 * font, 0.9 * font, 0.7 * font, pen_series(series), 1);
        pen_words(plot->pen, x + 1.3 * font, y, font, PEN_LEFT, PEN_INK, label);
        x += width;
        series++;
    }
}

static void draw_band(const struct plot *plot, const struct doc_part *part, uint32_t i)
{
    double from = fmin(fmax(chart_scale_share(&plot->x, part->from), 0), 1);
    double until = fmin(fmax(chart_scale_share(&plot->x, part->until), 0), 1);
    double x = plot->left + plot->width * from, w = plot->width * (until - from);
    double font = plot->place.font * 0.8;

    if (isnan(w) || w <= 0) {
        return;
    }
    pen_area(plot->pen, x, plot->top, w, plot->height, PEN_BAND, i % 2 == 0 ? 0.16 : 0.05);
    if (plot->pen->ops->width(plot->pen, font, doc_word(plot->doc, part->label)) < w - 4) {
        pen_words(plot->pen, x + 3, plot->top + font, font, PEN_LEFT, PEN_FAINT,
                  doc_word(plot->doc, part->label));
    }
}

static void draw_series(const struct plot *plot, const struct doc_part *part, uint32_t at)
{
    double *xy = mem_array(part->count, 2 * sizeof(*xy));
    const double *values = plot->doc->values;
    double width = (part->count > 200 ? 0.7 : 1.3) * (part->lead ? 2 : 1);
    uint32_t n = 0;

    for (uint32_t i = 0; xy && i <= part->count; i++) {
        double y = i < part->count ? values[part->y + i] : NAN;
        double x = i < part->count ? place_x(plot, values[part->x + i]) : NAN;

        if (isfinite(y) && isfinite(x) && !(plot->y.log && y <= 0)) {
            xy[2 * n] = x;
            xy[2 * n + 1] = place_y(plot, y);
            n++;
        } else if (n > 0) {
            plot->pen->ops->path(plot->pen, xy, n, pen_series(at), width,
                                 part->count > 400 ? 0 : at % 4);
            n = 0;
        }
    }
    mem_free(xy);
}

static void draw_mark(const struct plot *plot, const struct doc_part *part)
{
    double x = place_x(plot, part->from), y = place_y(plot, part->until);
    double font = plot->place.font * 0.85;
    const char *label = doc_word(plot->doc, part->label);

    if (isfinite(x) && isfinite(y)) {
        bool fits =
            x + 6 + plot->pen->ops->width(plot->pen, font, label) <= plot->left + plot->width;

        pen_line(plot->pen, x - 4, y - 4, x + 4, y + 4, PEN_INK, 1.2);
        pen_line(plot->pen, x - 4, y + 4, x + 4, y - 4, PEN_INK, 1.2);
        pen_words(plot->pen, fits ? x + 6 : x - 6, y - 4, font, fits ? PEN_LEFT : PEN_RIGHT,
                  PEN_INK, label);
    }
}

static void draw_limit(const struct plot *plot, const struct doc_part *part)
{
    double y = place_y(plot, part->from), font = plot->place.font * 0.8;
    const double xy[4] = {plot->left, y, plot->left + plot->width, y};

    plot->pen->ops->path(plot->pen, xy, 2, PEN_BAD, 0.8, 2);
    pen_words(plot->pen, plot->left + plot->width - 2, y - 2, font, PEN_RIGHT, PEN_BAD,
              doc_word(plot->doc, part->label));
}

/* Cells of one shade: 1 to SHADES. */
static void draw_shade(const struct plot *plot, const struct doc_part *part, double most,
                       uint32_t shade)
{
    const double *values = plot->doc->values, *counts = values + part->counts;

    for (uint32_t row = 0; row < part->rows; row++) {
        double low = place_y(plot, values[part->y + row]);
        double high = place_y(plot, values[part->y + row + 1]);

        for (uint32_t column = 0; column < part->count; column++) {
            double count = counts[row * part->count + column];
            double x = place_x(plot, values[part->x + column]);

            if (count > 0 && (uint32_t)ceil(SHADES * log1p(count) / log1p(most)) == shade) {
                pen_area(plot->pen, x, high, place_x(plot, values[part->x + column + 1]) - x + 0.2,
                         low - high + 0.2, PEN_SERIES, (double)shade / SHADES);
            }
        }
    }
}

static void draw_grid(const struct plot *plot, const struct doc_part *part)
{
    double most = 0;

    for (uint32_t i = 0; i < part->count * part->rows; i++) {
        most = fmax(most, plot->doc->values[part->counts + i]);
    }
    for (uint32_t shade = 1; most > 0 && shade <= SHADES; shade++) {
        draw_shade(plot, part, most, shade);
    }
}

static void draw_plot(struct plot *plot)
{
    double font = plot->place.font;
    uint32_t series = 0, bands = 0;

    plot->left = plot->place.x + 5.4 * font;
    plot->width = plot->place.w - 5.4 * font - 1.5 * font;
    plot->top = plot->place.y + 2.8 * font;
    plot->height = plot->place.h - 2.8 * font - 2.6 * font;
    find_scales(plot);
    for (uint32_t i = 0; i < plot->chart->part_count; i++) {
        if (part_at(plot, i)->kind == DOC_BAND) {
            draw_band(plot, part_at(plot, i), bands++);
        }
    }
    if (plot->chart->chart.kind == DOC_LINES) {
        draw_legend(plot, plot->left, plot->place.y + font);
    }
    draw_axes(plot);
    for (uint32_t i = 0; i < plot->chart->part_count; i++) {
        const struct doc_part *part = part_at(plot, i);

        if (part->kind == DOC_SERIES) {
            draw_series(plot, part, series++);
        } else if (part->kind == DOC_GRID) {
            draw_grid(plot, part);
        } else if (part->kind == DOC_LIMIT) {
            draw_limit(plot, part);
        } else if (part->kind == DOC_MARK) {
            draw_mark(plot, part);
        }
    }
}

/* ---- bars ------------------------------------------------------------------------------------ */

/* The sum of a bar's parts. */
static double bar_total(const struct plot *plot, uint32_t bar)
{
    double sum = 0;

    for (uint32_t i = 0; i < plot->chart->part_count; i++) {
        const struct doc_part *part = part_at(plot, i);
        double value =
            part->kind == DOC_SERIES && bar < part->count ? plot->doc->values[part->y + bar] : 0;

        sum += isfinite(value) && value > 0 ? value : 0;
    }
    return sum;
}

static void draw_bar(const struct plot *plot, uint32_t bar, double most, double y)
{
    double font = plot->place.font, x = plot->left, total = bar_total(plot, bar);
    char buf[FIGURE_TEXT];
    uint32_t series = 0;

    for (uint32_t i = 0; i < plot->chart->part_count; i++) {
        const struct doc_part *part = part_at(plot, i);

        if (part->kind == DOC_SERIES) {
            double value = bar < part->count ? plot->doc->values[part->y + bar] : 0;
            double w = isfinite(value) && value > 0 && most > 0 ? plot->width * value / most : 0;

            pen_area(plot->pen, x, y, w, 1.3 * font, pen_series(series), 1);
            x += w;
            series++;
        }
    }
    pen_words(plot->pen, x + 0.4 * font, y + font, font, PEN_LEFT, PEN_INK,
              chart_value(plot->chart->chart.y.unit, total, buf));
}

static void draw_bars(struct plot *plot)
{
    double font = plot->place.font, most = 0, widest = 0, y = plot->place.y;
    uint32_t bar = 0;

    for (uint32_t i = 0; i < plot->chart->part_count; i++) {
        const struct doc_part *part = part_at(plot, i);

        if (part->kind == DOC_CATEGORY) {
            most = fmax(most, bar_total(plot, bar++));
            widest = fmax(widest,
                          plot->pen->ops->width(plot->pen, font, doc_word(plot->doc, part->label)));
        }
    }
    plot->left = plot->place.x + fmin(widest, 0.4 * plot->place.w) + 0.8 * font;
    plot->width = fmax(0, plot->place.x + plot->place.w - plot->left - 6 * font);
    if (plot->chart->chart.kind == DOC_STACKS) {
        draw_legend(plot, plot->left, y + font);
        y += 1.8 * font;
    }
    bar = 0;
    for (uint32_t i = 0; i < plot->chart->part_count; i++) {
        if (part_at(plot, i)->kind == DOC_CATEGORY) {
            pen_words(plot->pen, plot->left - 0.6 * font, y + font, font, PEN_RIGHT, PEN_INK,
                      doc_word(plot->doc, part_at(plot, i)->label));
            draw_bar(plot, bar++, most, y);
            y += 1.9 * font;
        }
    }
}

void chart_draw(struct pen *pen, const struct doc *doc, const struct doc_block *chart,
                const struct chart_place *place)
{
    struct plot plot = {.pen = pen, .doc = doc, .chart = chart, .place = *place};

    if (chart->chart.kind == DOC_BARS || chart->chart.kind == DOC_STACKS) {
        draw_bars(&plot);
    } else {
        draw_plot(&plot);
    }
}
