/* report/doc_gate: the answer of a gate as a document, as JUnit XML, Markdown and JSON. */
#ifndef RAWTPS_REPORT_DOC_GATE_H
#define RAWTPS_REPORT_DOC_GATE_H

#include "report/doc.h"
#include "result/gate.h"

/* The answer, what to do next, a row a rule and scope, what must hold, changes in the history. */
void doc_gate(struct doc *doc, const struct gate *gate);

/*
 * JUnit XML as Jenkins and GitLab read it: one testsuite, a testcase a row and a requirement. FAIL
 * is a <failure type="regression">, INCONCLUSIVE a <failure type="inconclusive"> (<skipped> where
 * the file lets it pass), INVALID and VOID an <error>. Instants come from the runs.
 */
void doc_gate_junit(const struct gate *gate, struct text *ret);
/* The same file where the runs could not even be read: one testcase with one <error>. */
void doc_gate_junit_error(const char *name, const struct error *err, struct text *ret);

/* A comment for a pull request, always below DOC_GATE_MARKDOWN bytes: the worst rows first if not
 * all find room. */
enum { DOC_GATE_MARKDOWN = 60000 };
void doc_gate_markdown(const struct gate *gate, struct text *ret);

/* Everything, for programs; `schema_version` 1. Shares are signed so that + is better. */
void doc_gate_json(const struct gate *gate, struct text *ret);

#endif
