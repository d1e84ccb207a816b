/* report/doc_gate_parts: the pieces of a gate's report, for its several forms. */
#ifndef RAWTPS_REPORT_DOC_GATE_PARTS_H
#define RAWTPS_REPORT_DOC_GATE_PARTS_H

#include "report/doc_gate.h"

/* Sides, design, exit code. */
void doc_gate_sides(struct doc *doc, const struct gate *gate);
/* The table; if it has more than `most` rows, the worst of them. */
void doc_gate_rows(struct doc *doc, const struct gate *gate, uint32_t most);
/* Why rows do not simply pass, and what to do: at most so many. */
void doc_gate_notes(struct doc *doc, const struct gate *gate, uint32_t most);
/* What must hold or be the same. all: also what was not asked for and does not differ. */
void doc_gate_checks(struct doc *doc, const struct gate *gate, bool all);
void doc_gate_history(struct doc *doc, const struct gate *gate);

#endif
