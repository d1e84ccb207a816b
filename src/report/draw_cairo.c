#include "base/mem.h"
#include "canvas.h"
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/* A PNG has so many pixels a point, fewer if it would be longer than cairo can. */
enum { PNG_SCALE = 2, PNG_LONGEST = 32000 };

struct canvas {
    struct pen pen;
    enum draw_format format;
    cairo_surface_t *surface;
    cairo_t *cairo;
    struct text *out;
};

static cairo_status_t take_bytes(void *user, const unsigned char *bytes, unsigned int count)
{
    struct text *out = user;

    text_add_bytes(out, bytes, count);
    return out->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static void set_colour(struct canvas *canvas, enum pen_colour colour, double opacity)
{
    uint32_t rgb = pen_colours[colour];

    cairo_set_source_rgba(canvas->cairo, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
                          (rgb & 255) / 255.0, opacity);
}

static void cairo_area(struct pen *pen, const double box[4], enum pen_colour colour, double opacity)
{
    struct canvas *canvas = (struct canvas *)pen;

    set_colour(canvas, colour, opacity);
    cairo_rectangle(canvas->cairo, box[0], box[1], box[2], box[3]);
    cairo_fill(canvas->cairo);
}

static void cairo_line(struct pen *pen, const double *xy, uint32_t count, enum pen_colour colour,
                       double width, uint32_t dash)
{
    static const double patterns[][2] = {{6, 3}, {2, 2}, {9, 2}};
    struct canvas *canvas = (struct canvas *)pen;

    set_colour(canvas, colour, 1);
    cairo_set_line_width(canvas->cairo, width);
    cairo_set_dash(canvas->cairo, patterns[dash > 0 ? (dash - 1) % 3 : 0], dash > 0 ? 2 : 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0) {
            cairo_move_to(canvas->cairo, xy[0], xy[1]);
        } else {
            cairo_line_to(canvas->cairo, xy[2 * i], xy[2 * i + 1]);
        }
    }
    cairo_stroke(canvas->cairo);
}

static void set_font(struct canvas *canvas, double size)
{
    cairo_select_font_face(canvas->cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           canvas->pen.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas->cairo, size);
}

static double words_width(struct pen *pen, double size, const char *words)
{
    struct canvas *canvas = (struct canvas *)pen;
    cairo_text_extents_t extents;

    set_font(canvas, size);
    cairo_text_extents(canvas->cairo, words, &extents);
    return extents.x_advance;
}

static void cairo_words(struct pen *pen, double x, double y, double size, enum pen_anchor anchor,
                        enum pen_colour colour, const char *words)
{
    struct canvas *canvas = (struct canvas *)pen;
    double share = anchor == PEN_LEFT ? 0 : anchor == PEN_MIDDLE ? 0.5 : 1;
    double shift = share > 0 ? share * words_width(pen, size, words) : 0;

    set_font(canvas, size);
    set_colour(canvas, colour, 1);
    cairo_move_to(canvas->cairo, x - shift, y);
    cairo_show_text(canvas->cairo, words);
}

static const struct pen_ops cairo_ops = {
    .area = cairo_area, .path = cairo_line, .words = cairo_words, .width = words_width};

static cairo_surface_t *open_surface(enum draw_format format, double width, double height,
                                     struct text *out, double *ret_scale)
{
    *ret_scale = 1;
    if (format == DRAW_PDF) {
        return cairo_pdf_surface_create_for_stream(take_bytes, out, width, height);
    }
    if (format == DRAW_SVG) {
        return cairo_svg_surface_create_for_stream(take_bytes, out, width, height);
    }
    *ret_scale = fmin(PNG_SCALE, PNG_LONGEST / fmax(width, height));
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * *ret_scale),
                                      (int)ceil(height * *ret_scale));
}

/* Glyphs are placed without regard to pixels, so that every surface lays out alike. */
static void set_options(struct canvas *canvas)
{
    cairo_font_options_t *options = cairo_font_options_create();

    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(canvas->cairo, options);
    cairo_font_options_destroy(options);
}

static int refused(struct error *err, cairo_status_t status)
{
    return error_set(err, EXIT_FAILED, status == CAIRO_STATUS_NO_MEMORY ? -ENOMEM : -EIO,
                     "cairo cannot draw the report: %s", cairo_status_to_string(status));
}

int canvas_open(struct canvas **ret, enum draw_format format, double width, double height,
                const char *title, const char *created_utc, struct text *out, struct error *err)
{
    struct canvas *canvas = mem_zalloc(sizeof(*canvas));
    double scale;

    if (!canvas) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory to draw the report");
    }
    canvas->pen.ops = &cairo_ops;
    canvas->format = format;
    canvas->out = out;
    canvas->surface = open_surface(format, width, height, out, &scale);
    if (format == DRAW_PDF) {
        cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_TITLE, title);
        cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_CREATOR, "rawtps");
        cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                       created_utc[0] != '\0' ? created_utc
                                                              : "1970-01-01T00:00:00Z");
    }
    canvas->cairo = cairo_create(canvas->surface);
    set_options(canvas);
    if (format != DRAW_PDF) {
        cairo_scale(canvas->cairo, scale, scale);
        cairo_set_source_rgb(canvas->cairo, 1, 1, 1);
        cairo_paint(canvas->cairo);
    }
    if (cairo_status(canvas->cairo) != CAIRO_STATUS_SUCCESS) {
        return canvas_close(canvas, err);
    }
    *ret = canvas;
    return 0;
}

struct pen *canvas_pen(struct canvas *canvas)
{
    return &canvas->pen;
}

void canvas_page(struct canvas *canvas)
{
    cairo_show_page(canvas->cairo);
}

int canvas_close(struct canvas *canvas, struct error *err)
{
    cairo_status_t status = cairo_status(canvas->cairo);

    if (status == CAIRO_STATUS_SUCCESS && canvas->format == DRAW_PNG) {
        cairo_surface_flush(canvas->surface);
        status = cairo_surface_write_to_png_stream(canvas->surface, take_bytes, canvas->out);
    }
    cairo_destroy(canvas->cairo);
    cairo_surface_finish(canvas->surface);
    if (status == CAIRO_STATUS_SUCCESS) {
        status = cairo_surface_status(canvas->surface);
    }
    cairo_surface_destroy(canvas->surface);
    mem_free(canvas);
    return status == CAIRO_STATUS_SUCCESS ? 0 : refused(err, status);
}
