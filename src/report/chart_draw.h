/* report/chart_draw: a chart by a pen, for paper and for what needs no script. */
#ifndef RAWTPS_REPORT_CHART_DRAW_H
#define RAWTPS_REPORT_CHART_DRAW_H

#include "doc_parts.h"
#include "figures.h"
#include "pen.h"

/* Where a chart is drawn: left, top, width, height and the size of its words. */
struct chart_place {
    double x, y, w, h, font;
};

/* The height that a chart asks for at this font, without its title. */
double chart_height(const struct doc *doc, const struct doc_block *chart, double font);
void chart_draw(struct pen *pen, const struct doc *doc, const struct doc_block *chart,
                const struct chart_place *place);

/* An axis: from values to places, and where its ticks are. */
enum { CHART_TICKS = 32 };
struct chart_scale {
    enum doc_unit unit;
    bool log;
    double least, largest; /* of values */
    double ticks[CHART_TICKS];
    uint32_t tick_count;
};
/* Nice ticks for least to largest, which are widened to them where `widen`. */
void chart_scale_init(struct chart_scale *scale, const struct doc_axis *axis, double least,
                      double largest, bool widen);
/* 0 at the least, 1 at the largest; NAN where the axis has no place for the value. */
double chart_scale_share(const struct chart_scale *scale, double value);
const char *chart_value(enum doc_unit unit, double value, char buf[FIGURE_TEXT]);

#endif
