/* plan/document: the keys of a scenario as a document, from the tables that read them. */
#ifndef RAWTPS_PLAN_DOCUMENT_H
#define RAWTPS_PLAN_DOCUMENT_H

#include "base/text.h"

/* docs/SCENARIO.md, whole: `rawtps help scenario --markdown`. Appends to ret. */
void scenario_document(struct text *ret);
/* The same keys for a terminal, 80 columns or more: `rawtps help scenario`. */
void scenario_help(struct text *ret);

#endif
