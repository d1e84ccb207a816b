/* report/html: what the parts of the page's renderer share. */
#ifndef RAWTPS_REPORT_HTML_H
#define RAWTPS_REPORT_HTML_H

#include "doc_parts.h"

/* Words as text or within a quoted attribute. */
void html_add(struct text *out, const char *words);

#endif
