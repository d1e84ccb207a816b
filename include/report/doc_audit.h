/* report/doc_audit: published figures judged by Little's law, each finding in a sentence. */
#ifndef RAWTPS_REPORT_DOC_AUDIT_H
#define RAWTPS_REPORT_DOC_AUDIT_H

#include "base/text.h"
#include "report/doc.h"
#include "stats/little.h"
#include <stdbool.h>
#include <stdint.h>

enum { AUDIT_ROWS = 64 }; /* most of a test */

/* One drive in one test. The caller sets what is above the line, audit_judge() what is below. */
struct audit_row {
    const char *drive, *note; /* note "" if there is none */
    struct little_row figures;
    bool own_users; /* N is a fact of this row, not the setting of the whole test */
    /* ---- */
    struct little_finding found;
    double concurrency; /* that pairs are held by: own N, else X (R + Z); NAN: not known */
};

/* Rows that may be held against each other. */
struct audit_test {
    const char *name;
    bool no_pairs; /* but not pair by pair */
    struct audit_row *rows;
    uint32_t row_count;
    /* ---- */
    uint32_t inconsistent, units, pairs, apart; /* rows, rows, pairs judged, pairs flagged */
};

/* Strings and arrays are the caller's and must outlive it. */
struct audit {
    const char *about, *path; /* about "" if there is none */
    struct audit_test *tests;
    uint32_t test_count;
    /* ---- */
    uint32_t rows, consistent, inconsistent, units, pairs, apart;
};

/*
 * Hold every row against Little's law, and the rows of a test against each other: pairs whose
 * concurrencies differ by more than LITTLE_PAIR_TOLERANCE. A pair is held by what is known best:
 * a row's own users, else its X (R + Z).
 */
void audit_judge(struct audit *audit);
/* True if the two rows of a test were not run alike. */
bool audit_apart(const struct audit_test *test, uint32_t a, uint32_t b);

/* One sentence with its full stop: what was found of a row, of a pair. Appends to ret. */
void audit_say_row(const struct audit_test *test, uint32_t i, struct text *ret);
void audit_say_pair(const struct audit_test *test, uint32_t a, uint32_t b, struct text *ret);

/*
 * A table of all rows and each finding's sentence.
 *   as_tables   findings as a table too, for machines; else as paragraphs
 */
void doc_audit(struct doc *doc, const struct audit *audit, bool as_tables);
/* The same as one JSON object: `tests`, each with `rows` and the `pairs` that were flagged. */
void audit_json(const struct audit *audit, struct text *ret);

#endif
