/* report/pen: lines, areas and words, wherever they are drawn. */
#ifndef RAWTPS_REPORT_PEN_H
#define RAWTPS_REPORT_PEN_H

#include <stdbool.h>
#include <stdint.h>

/* What a colour is for; the paper decides which it is. PEN_SERIES + i is that of the i-th series.
 */
enum pen_colour {
    PEN_INK,
    PEN_FAINT,
    PEN_RULE,
    PEN_BAND,
    PEN_GOOD,
    PEN_BAD,
    PEN_DOUBTFUL,
    PEN_SERIES,
    PEN_SERIES_COUNT = 8,
    PEN_COLOURS = PEN_SERIES + PEN_SERIES_COUNT
};
/* As 0xrrggbb, on white paper: told apart by the colour-blind. */
extern const uint32_t pen_colours[PEN_COLOURS];

enum pen_anchor { PEN_LEFT, PEN_MIDDLE, PEN_RIGHT };

struct pen;
/* Units are points (or pixels), y grows downwards; words stand on y. */
struct pen_ops {
    void (*area)(struct pen *pen, const double box[4], enum pen_colour colour, double opacity);
    /* xy: count points, x and y by turns; dash 0: none, 1, 2, 3: patterns */
    void (*path)(struct pen *pen, const double *xy, uint32_t count, enum pen_colour colour,
                 double width, uint32_t dash);
    void (*words)(struct pen *pen, double x, double y, double size, enum pen_anchor anchor,
                  enum pen_colour colour, const char *words);
    double (*width)(struct pen *pen, double size, const char *words);
};
struct pen {
    const struct pen_ops *ops;
    bool bold; /* of words that follow */
};

static inline enum pen_colour pen_series(uint32_t i)
{
    return (enum pen_colour)(PEN_SERIES + i % PEN_SERIES_COUNT);
}

static inline void pen_area(struct pen *pen, double x, double y, double w, double h,
                            enum pen_colour colour, double opacity)
{
    const double box[4] = {x, y, w > 0 ? w : 0, h > 0 ? h : 0};

    pen->ops->area(pen, box, colour, opacity);
}

static inline void pen_line(struct pen *pen, double x, double y, double to_x, double to_y,
                            enum pen_colour colour, double width)
{
    const double xy[4] = {x, y, to_x, to_y};

    pen->ops->path(pen, xy, 2, colour, width, 0);
}

static inline void pen_words(struct pen *pen, double x, double y, double size,
                             enum pen_anchor anchor, enum pen_colour colour, const char *words)
{
    pen->ops->words(pen, x, y, size, anchor, colour, words);
}

#endif
