#include "chart_draw.h"
#include "html.h"
#include <math.h>
#include <stdlib.h>

/*
 * SVG of our own: colours are classes, so that a page can be dark; words are text. Areas of one
 * colour that follow one another are one path.
 */
struct svg {
    struct pen pen;
    struct text *out;
    enum pen_colour colour; /* of the open path */
    double opacity;
    bool open;
};

enum { SVG_FONT = 12 };

static const char *const colour_class[PEN_COLOURS] = {"ink", "faint",    "rule", "band", "good",
                                                      "bad", "doubtful", "s0",   "s1",   "s2",
                                                      "s3",  "s4",       "s5",   "s6",   "s7"};

static void close_path(struct svg *svg)
{
    if (svg->open) {
        text_add(svg->out, "\"/>\n");
        svg->open = false;
    }
}

/* With one decimal at most, and none that is zero. */
static void add_number(struct text *out, double value)
{
    long long tenths = isfinite(value) && fabs(value) < 1e9 ? llround(value * 10) : 0;

    text_addf(out, "%s%lld", tenths < 0 ? "-" : "", llabs(tenths) / 10);
    if (tenths % 10 != 0) {
        text_addf(out, ".%lld", llabs(tenths) % 10);
    }
}

static void add_pair(struct text *out, const char *before, double x, double y)
{
    text_add(out, before);
    add_number(out, x);
    text_add_char(out, ' ');
    add_number(out, y);
}

static void svg_area(struct pen *pen, const double box[4], enum pen_colour colour, double opacity)
{
    struct svg *svg = (struct svg *)pen;

    if (svg->open && (svg->colour != colour || svg->opacity != opacity)) {
        close_path(svg);
    }
    if (!svg->open) {
        text_addf(svg->out, "<path class=\"f-%s\" fill-opacity=\"%.2f\" d=\"", colour_class[colour],
                  opacity);
        svg->open = true;
        svg->colour = colour;
        svg->opacity = opacity;
    }
    add_pair(svg->out, "M", box[0], box[1]);
    text_add_char(svg->out, 'h');
    add_number(svg->out, box[2]);
    text_add_char(svg->out, 'v');
    add_number(svg->out, box[3]);
    text_add_char(svg->out, 'h');
    add_number(svg->out, -box[2]);
    text_add_char(svg->out, 'z');
}

static void svg_path(struct pen *pen, const double *xy, uint32_t count, enum pen_colour colour,
                     double width, uint32_t dash)
{
    static const char *const patterns[] = {"6 3", "2 2", "9 2"};
    struct svg *svg = (struct svg *)pen;

    close_path(svg);
    text_addf(svg->out, "<path class=\"k-%s\" stroke-width=\"%.1f\"", colour_class[colour], width);
    if (dash > 0) {
        text_addf(svg->out, " stroke-dasharray=\"%s\"", patterns[(dash - 1) % 3]);
    }
    text_add(svg->out, " d=\"");
    for (uint32_t i = 0; i < count; i++) {
        add_pair(svg->out, i == 0 ? "M" : "L", xy[2 * i], xy[2 * i + 1]);
    }
    text_add(svg->out, "\"/>\n");
}

static void svg_words(struct pen *pen, double x, double y, double size, enum pen_anchor anchor,
                      enum pen_colour colour, const char *words)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    struct svg *svg = (struct svg *)pen;

    close_path(svg);
    text_add(svg->out, "<text x=\"");
    add_number(svg->out, x);
    text_add(svg->out, "\" y=\"");
    add_number(svg->out, y);
    text_addf(svg->out, "\" font-size=\"%.1f\" text-anchor=\"%s\" class=\"f-%s\">", size,
              anchors[anchor], colour_class[colour]);
    html_add(svg->out, words);
    text_add(svg->out, "</text>\n");
}

/* Which font the reader has is not known: a wide guess. */
static double svg_width(struct pen *pen, double size, const char *words)
{
    return 0.68 * size * figure_width(words);
}

static const struct pen_ops svg_ops = {
    .area = svg_area, .path = svg_path, .words = svg_words, .width = svg_width};

void html_svg(const struct doc *doc, const struct doc_block *chart, double width, struct text *out)
{
    struct svg svg = {.pen = {.ops = &svg_ops}, .out = out};
    struct chart_place place = {
        .w = width, .h = chart_height(doc, chart, SVG_FONT), .font = SVG_FONT};

    text_addf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", width, place.h);
    html_add(out, doc_word(doc, chart->value));
    text_add(out, "\">\n");
    chart_draw(&svg.pen, doc, chart, &place);
    close_path(&svg);
    text_add(out, "</svg>\n");
}
