/* report/html: what the parts of the page's renderer share. */
#ifndef RAWTPS_REPORT_HTML_H
#define RAWTPS_REPORT_HTML_H

#include "doc_parts.h"

/* Files that are part of the program; each ends with a zero byte. */
extern const char html_uplot_js[], html_uplot_css[], html_uplot_license[];
extern const char html_page_js[], html_page_css[];

/* Words as text or within a quoted attribute. */
void html_add(struct text *out, const char *words);

/* The figure of a chart: SVG, or the empty place where a script will draw. */
void html_chart(const struct doc *doc, uint32_t block, struct text *out);
/* All charts that a script draws, as one JSON value in which no '<' stands. False: there is none.
 */
bool html_chart_data(const struct doc *doc, struct text *out);

/* The chart by pen, an svg element `width` units wide. */
void html_svg(const struct doc *doc, const struct doc_block *chart, double width, struct text *out);

#endif
