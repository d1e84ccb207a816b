/* report/draw: a document as PDF, PNG or SVG. */
#ifndef RAWTPS_REPORT_DRAW_H
#define RAWTPS_REPORT_DRAW_H

#include "base/error.h"
#include "base/text.h"
#include "report/doc.h"

enum draw_format { DRAW_PDF, DRAW_PNG, DRAW_SVG };

/*
 * The document on pages of A4 (PDF, its words can be searched), or on one long sheet (PNG, SVG).
 * The same document gives the same bytes.
 *   created_utc  of the run, RFC 3339, as the file's date; "" is the beginning of 1970
 *   ret          the file's bytes are appended
 *   errors       EXIT_FAILED: built without cairo (-ENOSYS), no memory, cairo refuses
 */
int draw_doc(const struct doc *doc, enum draw_format format, const char *created_utc,
             struct text *ret, struct error *err);

#endif
