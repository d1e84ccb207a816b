#include "report/doc_audit.h"

#include "base/json.h"
#include "base/must.h"
#include <math.h>
#include <string.h>

bool audit_apart(const struct audit_test *test, uint32_t a, uint32_t b)
{
    double na = test->rows[a].concurrency, nb = test->rows[b].concurrency;

    return na > 0 && nb > 0 && little_pair(na, nb) > LITTLE_PAIR_TOLERANCE;
}

static void judge_rows(struct audit_test *test)
{
    struct little_finding found[AUDIT_ROWS];
    struct little_row rows[AUDIT_ROWS];

    must(test->row_count <= AUDIT_ROWS);
    for (uint32_t i = 0; i < test->row_count; i++) {
        rows[i] = test->rows[i].figures;
    }
    little_judge(rows, test->row_count, found);
    test->inconsistent = test->units = 0;
    for (uint32_t i = 0; i < test->row_count; i++) {
        struct audit_row *row = &test->rows[i];

        row->found = found[i];
        row->concurrency = found[i].verdict == LITTLE_NO_FIGURE ? NAN
                           : row->own_users                     ? row->figures.users
                                                                : found[i].concurrency;
        test->inconsistent += found[i].verdict == LITTLE_INCONSISTENT;
        test->units += found[i].unit != 1;
    }
}

static void judge_pairs(struct audit_test *test)
{
    test->pairs = test->apart = 0;
    for (uint32_t b = 0; b < test->row_count && !test->no_pairs; b++) {
        for (uint32_t a = 0; a < b; a++) {
            test->pairs += test->rows[a].concurrency > 0 && test->rows[b].concurrency > 0;
            test->apart += audit_apart(test, a, b);
        }
    }
}

void audit_judge(struct audit *audit)
{
    audit->rows = audit->consistent = audit->inconsistent = audit->units = 0;
    audit->pairs = audit->apart = 0;
    for (uint32_t i = 0; i < audit->test_count; i++) {
        struct audit_test *test = &audit->tests[i];

        judge_rows(test);
        judge_pairs(test);
        audit->rows += test->row_count;
        audit->inconsistent += test->inconsistent;
        audit->units += test->units;
        audit->pairs += test->pairs;
        audit->apart += test->apart;
        for (uint32_t r = 0; r < test->row_count; r++) {
            audit->consistent += test->rows[r].found.verdict == LITTLE_CONSISTENT;
        }
    }
}

/* Is there another row that this one may be held against, and one that was not run alike? */
static void look_around(const struct audit_test *test, uint32_t i, bool *ret_any, bool *ret_apart)
{
    *ret_any = *ret_apart = false;
    for (uint32_t j = 0; j < test->row_count && !test->no_pairs; j++) {
        *ret_any = *ret_any || (j != i && test->rows[j].concurrency > 0);
        *ret_apart = *ret_apart || (j != i && audit_apart(test, i, j));
    }
}

/* The word of a row: by itself, or where nothing is declared by its neighbours. */
static const char *word_of(const struct audit_test *test, uint32_t i, enum doc_tone *ret_tone)
{
    const struct audit_row *row = &test->rows[i];
    enum little_verdict verdict = row->found.verdict;
    bool any, apart;

    look_around(test, i, &any, &apart);
    *ret_tone = verdict == LITTLE_INCONSISTENT        ? DOC_BAD
                : row->found.unit != 1                ? DOC_DOUBTFUL
                : verdict == LITTLE_CONSISTENT        ? DOC_GOOD
                : verdict == LITTLE_NO_USERS && apart ? DOC_DOUBTFUL
                : verdict == LITTLE_NO_USERS && any   ? DOC_GOOD
                                                      : DOC_PLAIN;
    if (row->found.unit == 1 && verdict == LITTLE_NO_USERS && any) {
        return apart ? "not alike" : "comparable";
    }
    return row->found.unit != 1 ? "unit?" : little_verdict_names[verdict];
}

static void add_row(struct doc *doc, const struct audit_test *test, uint32_t i)
{
    const struct audit_row *row = &test->rows[i];
    enum doc_tone tone;
    const char *word = word_of(test, i, &tone);

    doc_cell(doc, "%s", test->name);
    doc_cell(doc, "%s", row->drive);
    if (row->figures.users > 0) {
        doc_cell_count(doc, (uint64_t)(row->figures.users + 0.5));
    } else {
        doc_cell_number(doc, NAN);
    }
    doc_cell_number(doc, row->figures.per_s);
    doc_cell_duration(doc, row->figures.response_ns);
    doc_cell_duration(doc, row->found.own_think_ns);
    doc_cell_number(doc, row->found.concurrency);
    doc_cell_share(doc, row->found.off, true);
    doc_cell_number(doc, row->found.ceiling_per_s);
    doc_cell_share(doc, row->found.ceiling_share, true);
    doc_cell_tone(doc, tone, word);
    doc_cell(doc, "%s", row->note);
}

static void rows_table(struct doc *doc, const struct audit *audit)
{
    static const struct doc_column columns[] = {
        {"test", "test", DOC_LEFT},
        {"drive", "drive", DOC_LEFT},
        {"N", "users", DOC_RIGHT},
        {"X /s", "per_s", DOC_RIGHT},
        {"R", "response_ns", DOC_RIGHT},
        {"Z", "think_ns", DOC_RIGHT},
        {"X (R + Z)", "concurrency", DOC_RIGHT},
        {"off", "off", DOC_RIGHT},
        {"ceiling", "ceiling_per_s", DOC_RIGHT},
        {"of it", "ceiling_share", DOC_RIGHT},
        {"is", "verdict", DOC_LEFT},
        {"note", "note", DOC_LEFT},
    };
    uint32_t count = sizeof(columns) / sizeof(*columns);

    doc_table(doc, "rows", columns, count);
    for (uint32_t i = 0; i < audit->test_count; i++) {
        for (uint32_t r = 0; r < audit->tests[i].row_count; r++) {
            add_row(doc, &audit->tests[i], r);
        }
    }
}

/* other: the pair's second row; NULL: the finding is of one row */
static void add_finding(struct doc *doc, const struct audit_test *test, const char *kind,
                        const struct audit_row *row, const struct audit_row *other,
                        const struct text *why, bool as_table)
{
    doc->failed = doc->failed || why->failed;
    if (as_table) {
        doc_cell(doc, "%s", kind);
        doc_cell(doc, "%s", test->name);
        doc_cell(doc, "%s", row->drive);
        doc_cell(doc, "%s", other ? other->drive : "");
        doc_cell(doc, "%s", text_string(why));
        return;
    }
    doc_paragraph(doc, "%s, %s%s%s: %s", test->name, row->drive, other ? " with " : "",
                  other ? other->drive : "", text_string(why));
    doc_verdict(doc, other ? DOC_DOUBTFUL : DOC_BAD, kind);
}

static void findings_of(struct doc *doc, const struct audit_test *test, bool as_table)
{
    struct text why;

    text_init(&why);
    for (uint32_t i = 0; i < test->row_count; i++) {
        const struct audit_row *row = &test->rows[i];

        if (row->found.verdict == LITTLE_INCONSISTENT || row->found.unit != 1) {
            text_clear(&why);
            audit_say_row(test, i, &why);
            add_finding(doc, test, row->found.unit != 1 ? "UNIT?" : "INCONSISTENT", row, NULL, &why,
                        as_table);
        }
    }
    for (uint32_t a = 0; a < test->row_count && !test->no_pairs; a++) {
        for (uint32_t b = a + 1; b < test->row_count; b++) {
            if (audit_apart(test, a, b)) {
                text_clear(&why);
                audit_say_pair(test, a, b, &why);
                add_finding(doc, test, "NOT COMPARABLE", &test->rows[a], &test->rows[b], &why,
                            as_table);
            }
        }
    }
    text_free(&why);
}

static void findings(struct doc *doc, const struct audit *audit, bool as_tables)
{
    static const struct doc_column columns[] = {
        {"finding", "finding", DOC_LEFT}, {"test", "test", DOC_LEFT}, {"drive", "drive", DOC_LEFT},
        {"with", "with", DOC_LEFT},       {"why", "why", DOC_LEFT},
    };

    doc_heading(doc, 2, "Findings");
    if (as_tables) {
        doc_table(doc, "findings", columns, sizeof(columns) / sizeof(*columns));
    }
    for (uint32_t i = 0; i < audit->test_count; i++) {
        findings_of(doc, &audit->tests[i], as_tables);
    }
    if (!as_tables && audit->inconsistent + audit->units + audit->apart == 0) {
        doc_paragraph(doc, "None.");
    }
}

void doc_audit(struct doc *doc, const struct audit *audit, bool as_tables)
{
    doc_heading(doc, 1, "rawtps audit · %s", audit->path);
    if (audit->about[0] != '\0') {
        doc_paragraph(doc, "%s", audit->about);
    }
    doc_pair(doc, "rows", "%u: %u consistent, %u inconsistent, %u without users or figures",
             audit->rows, audit->consistent, audit->inconsistent,
             audit->rows - audit->consistent - audit->inconsistent);
    doc_verdict(doc, audit->inconsistent > 0 ? DOC_BAD : DOC_GOOD,
                audit->inconsistent > 0 ? "not ok" : "ok");
    doc_pair(doc, "pairs", "%u: %u comparable, %u not run alike", audit->pairs,
             audit->pairs - audit->apart, audit->apart);
    rows_table(doc, audit);
    findings(doc, audit, as_tables);
    doc_note(doc,
             "Little's law: N users = X (R + Z), X a second, R mean response time, Z mean "
             "think time. A row may be off by 2 %%, a pair by 5 %%. Where Z was not published, "
             "N/X - R, which is printed as Z, is held against the mean Z of the test's other "
             "rows, which is in X (R + Z).");
}

static void json_row(struct json_writer *json, const struct audit_test *test, uint32_t i,
                     struct text *why)
{
    const struct audit_row *row = &test->rows[i];
    const struct little_finding *found = &row->found;

    text_clear(why);
    audit_say_row(test, i, why);
    json_begin_object(json);
    json_key_string(json, "drive", row->drive);
    json_key_num(json, "users", row->figures.users);
    json_key_num(json, "per_s", row->figures.per_s);
    json_key_num(json, "response_ns", row->figures.response_ns);
    json_key_num(json, "think_ns", found->own_think_ns);
    json_key_num(json, "think_expected_ns", found->think_ns);
    json_key_num(json, "concurrency", found->concurrency);
    json_key_num(json, "off", found->off);
    json_key_num(json, "implied_per_s", found->implied_per_s);
    json_key_num(json, "implied_response_ns", found->implied_response_ns);
    json_key_num(json, "ceiling_per_s", found->ceiling_per_s);
    json_key_num(json, "ceiling_share", found->ceiling_share);
    json_key_num(json, "unit", found->unit);
    json_key_string(json, "verdict", little_verdict_names[found->verdict]);
    json_key_string(json, "why", text_string(why));
    json_key_string(json, "note", row->note);
    json_end(json);
}

static void json_pairs(struct json_writer *json, const struct audit_test *test, struct text *why)
{
    json_key_array(json, "pairs");
    for (uint32_t a = 0; a < test->row_count && !test->no_pairs; a++) {
        for (uint32_t b = a + 1; b < test->row_count; b++) {
            if (!audit_apart(test, a, b)) {
                continue;
            }
            text_clear(why);
            audit_say_pair(test, a, b, why);
            json_begin_object(json);
            json_key_string(json, "drive", test->rows[a].drive);
            json_key_string(json, "with", test->rows[b].drive);
            json_key_num(json, "off",
                         little_pair(test->rows[a].concurrency, test->rows[b].concurrency));
            json_key_string(json, "why", text_string(why));
            json_end(json);
        }
    }
    json_end(json);
}

void audit_json(const struct audit *audit, struct text *ret)
{
    struct json_writer json;
    struct text why;

    text_init(&why);
    json_writer_init(&json, ret);
    json_begin_object(&json);
    json_key_string(&json, "about", audit->about);
    json_key_uint(&json, "rows", audit->rows);
    json_key_uint(&json, "consistent", audit->consistent);
    json_key_uint(&json, "inconsistent", audit->inconsistent);
    json_key_uint(&json, "units", audit->units);
    json_key_uint(&json, "pairs", audit->pairs);
    json_key_uint(&json, "apart", audit->apart);
    json_key_array(&json, "tests");
    for (uint32_t i = 0; i < audit->test_count; i++) {
        const struct audit_test *test = &audit->tests[i];

        json_begin_object(&json);
        json_key_string(&json, "name", test->name);
        json_key_array(&json, "rows");
        for (uint32_t r = 0; r < test->row_count; r++) {
            json_row(&json, test, r, &why);
        }
        json_end(&json);
        json_pairs(&json, test, &why);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
    ret->failed = ret->failed || why.failed;
    text_free(&why);
}
