/* report/canvas: paper to draw on: pages of a PDF, or one sheet. */
#ifndef RAWTPS_REPORT_CANVAS_H
#define RAWTPS_REPORT_CANVAS_H

#include "pen.h"
#include "report/draw.h"

struct canvas; /* of who owns the drawing library */

/*
 * A canvas of one page, width x height points. title and created_utc: of the file (PDF). Its bytes
 * are appended to out, the last of them when it is closed.
 */
int canvas_open(struct canvas **ret, enum draw_format format, double width, double height,
                const char *title, const char *created_utc, struct text *out, struct error *err);
struct pen *canvas_pen(struct canvas *canvas);
/* End this page, begin the next; for PDF. */
void canvas_page(struct canvas *canvas);
/* 0, or what the library refused. canvas is freed. */
int canvas_close(struct canvas *canvas, struct error *err);

#endif
