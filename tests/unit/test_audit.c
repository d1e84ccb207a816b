// rooms: base io workload sql target plan stats report
/* Published figures: Little's law flags exactly the rows and pairs that contradict it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/json.h"
#include "plan/audit_file.h"
#include "report/doc_audit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TESTS = 18, DRIVES = 4 };

static struct audit_file file;
static struct audit_row rows[DRIVES * TESTS + DRIVES];
static struct audit_test tests[TESTS + 1];
static struct audit audit;

static void judge(const char *path)
{
    struct error err = {0};
    char text[1200];

    if (audit_file_read(path, &file, &err)) {
        fail_msg("%s", error_format(&err, text, sizeof(text)));
    }
    audit = (struct audit){.about = file.about, .path = path, .tests = tests};
    audit.test_count = file.test_count;
    assert_true(file.test_count <= TESTS && file.row_count <= sizeof(rows) / sizeof(*rows));
    for (uint32_t i = 0; i < file.row_count; i++) {
        const struct audit_file_row *row = &file.rows[i];

        rows[i] = (struct audit_row){
            .drive = row->drive,
            .note = row->note,
            .own_users = row->own_users,
            .figures = {row->users, row->per_s, row->response_ns, row->think_ns}};
    }
    for (uint32_t i = 0; i < file.test_count; i++) {
        tests[i] = (struct audit_test){.name = file.tests[i].name,
                                       .no_pairs = file.tests[i].no_pairs,
                                       .rows = rows + file.tests[i].first_row,
                                       .row_count = file.tests[i].row_count};
    }
    audit_judge(&audit);
}

static void judge_text(const char *yaml)
{
    FILE *out = fopen("figures.yaml", "w");

    fputs(yaml, out);
    fclose(out);
    judge("figures.yaml");
}

/* What every row and pair must say: rows by drive, N to the digits that are published. */
struct expected_row {
    const char *drive;
    double concurrency, within;
    enum little_verdict verdict;
    double unit;
};
struct expected_test {
    const char *name;
    struct expected_row rows[DRIVES];
    const char *apart; /* pairs that are flagged, as "01 12" */
    uint32_t pairs;
};

#define E1S "H3201 E1.S"
#define U2  "H3200 U.2"
#define DC  "DC1000M"
#define ES  "ES3000 V2"
#define OK  LITTLE_CONSISTENT
#define BAD LITTLE_INCONSISTENT
#define NO  LITTLE_NO_USERS

static const struct expected_test expected[TESTS] = {
    {"SQL Server TPC-C",
     {{E1S, 60040, 1, OK, 1}, {U2, 61576, 1, BAD, 1}, {DC, 59982, 1, OK, 1}, {ES, 14995, 1, OK, 1}},
     "",
     0},
    {"Sysbench OLTP",
     {{E1S, 128.0, .05, OK, 1}, {U2, 183.6, .05, BAD, 1}, {DC, 127.8, .05, OK, 1}},
     "",
     3},
    {"4K random read",
     {{E1S, 510.1, .05, BAD, 1}, {U2, 127.0, .05, OK, 1}, {DC, 127.2, .05, OK, 1}},
     "01 02",
     3},
    {"4K random write",
     {{E1S, 508.0, .05, BAD, 1}, {U2, 127.0, .05, BAD, 1}, {DC, 127.0, .05, BAD, 1}},
     "01 02",
     3},
    {"64K sequential read",
     {{E1S, 63.9, .05, BAD, 1}, {U2, 15.95, .005, OK, 1}, {DC, 15.96, .005, OK, 1}},
     "01 02",
     3},
    {"64K sequential write",
     {{E1S, 63.7, .05, BAD, 1}, {U2, 15842, .5, BAD, 1000}, {DC, 6.0, .05, BAD, 1}},
     "01 02 12",
     3},
    {"SQL", {{E1S, 31.7, .05, NO, 1}, {U2, 31.9, .05, NO, 1}, {DC, 31.9, .05, NO, 1}}, "", 3},
    {"SQL 90-10", {{E1S, 31.7, .05, NO, 1}, {U2, 30.7, .05, NO, 1}, {DC, 31.9, .05, NO, 1}}, "", 3},
    {"SQL 80-20", {{E1S, 31.7, .05, NO, 1}, {U2, 31.9, .05, NO, 1}, {DC, 31.8, .05, NO, 1}}, "", 3},
    {"Oracle", {{E1S, 35.6, .05, NO, 1}, {U2, 35.0, .05, NO, 1}, {DC, 37.3, .05, NO, 1}}, "12", 3},
    {"Oracle 90-10",
     {{E1S, 21.6, .05, NO, 1}, {U2, 21.9, .05, NO, 1}, {DC, 21.9, .05, NO, 1}},
     "",
     3},
    {"Oracle 80-20",
     {{E1S, 21.7, .05, NO, 1}, {U2, 21.9, .05, NO, 1}, {DC, 21.9, .05, NO, 1}},
     "",
     3},
    {"VDI FC boot",
     {{E1S, 34.6, .05, NO, 1}, {U2, 34.2, .05, NO, 1}, {DC, 34.6, .05, NO, 1}},
     "",
     3},
    {"VDI FC initial login",
     {{E1S, 30.0, .05, NO, 1}, {U2, 29.9, .05, NO, 1}, {DC, 29.6, .05, NO, 1}},
     "",
     3},
    {"VDI FC Monday login",
     {{E1S, 15.7, .05, NO, 1}, {U2, 15.9, .05, NO, 1}, {DC, 15.9, .05, NO, 1}},
     "",
     3},
    {"VDI LC boot",
     {{E1S, 15.9, .05, NO, 1}, {U2, 15.9, .05, NO, 1}, {DC, 15.9, .05, NO, 1}},
     "",
     3},
    {"VDI LC initial login",
     {{E1S, 7.9, .05, NO, 1}, {U2, 7.9, .05, NO, 1}, {DC, 7.9, .05, NO, 1}},
     "",
     3},
    {"VDI LC Monday login",
     {{E1S, NAN, 0, LITTLE_NO_FIGURE, 1}, {U2, 15.8, .05, NO, 1}, {DC, 15.9, .05, NO, 1}},
     "",
     1},
};

static void shipped(void)
{
    char path[1024];

    snprintf(path, sizeof(path), "%s/scenarios/audit-seeds.yaml",
             getenv("ROOT") ? getenv("ROOT") : ".");
    judge(path);
}

static void check_row(const char *test, const struct audit_row *row,
                      const struct expected_row *wanted)
{
    assert_string_equal(row->drive, wanted->drive);
    if (row->found.verdict != wanted->verdict || row->found.unit != wanted->unit ||
        fabs(row->found.concurrency - wanted->concurrency) > wanted->within) {
        fail_msg("%s, %s: %s, unit %g, N %g; expected %s, unit %g, N %g", test, row->drive,
                 little_verdict_names[row->found.verdict], row->found.unit, row->found.concurrency,
                 little_verdict_names[wanted->verdict], wanted->unit, wanted->concurrency);
    }
}

static void the_reviews_rows_and_pairs_are_flagged_one_by_one(void **state)
{
    shipped();
    assert_int_equal(audit.test_count, TESTS);
    for (uint32_t i = 0; i < TESTS; i++) {
        const struct expected_test *wanted = &expected[i];
        const struct audit_test *test = &audit.tests[i];
        char apart[64] = "";

        assert_string_equal(test->name, wanted->name);
        assert_int_equal(test->row_count, i == 0 ? 4 : 3);
        for (uint32_t r = 0; r < test->row_count; r++) {
            check_row(test->name, &test->rows[r], &wanted->rows[r]);
        }
        for (uint32_t a = 0; a < test->row_count && !test->no_pairs; a++) {
            for (uint32_t b = a + 1; b < test->row_count; b++) {
                if (audit_apart(test, a, b)) {
                    snprintf(apart + strlen(apart), sizeof(apart) - strlen(apart), "%s%u%u",
                             apart[0] ? " " : "", a, b);
                }
            }
        }
        assert_string_equal(apart, wanted->apart);
        assert_int_equal(test->pairs, wanted->pairs);
    }
    assert_int_equal(audit.rows, 55);
    assert_int_equal(audit.inconsistent, 10);
    assert_int_equal(audit.units, 1);
    assert_int_equal(audit.apart, 10);
    audit_file_close(&file);
}

static void think_time_and_ceiling_are_those_of_the_consistent_rows(void **state)
{
    const struct audit_test *test = &tests[0];
    static const double z_s[] = {4.7406, 4.6181, 4.7436, 4.7438};

    shipped();
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(fabs(test->rows[i].found.own_think_ns / 1e9 - z_s[i]) < 5e-5);
    }
    /* the wrong row is held against the three others, and does not spoil theirs */
    assert_true(fabs(test->rows[1].found.think_ns / 1e9 - 4.7427) < 5e-5);
    assert_true(fabs(test->rows[1].found.off - 0.026) < 5e-4);
    assert_true(fabs(test->rows[1].found.implied_per_s - 12322) < 1);
    assert_true(test->rows[1].found.implied_response_ns > 0 &&
                test->rows[1].found.implied_response_ns < 3e6);
    assert_true(fabs(test->rows[1].found.ceiling_per_s - 12651) < 1);
    assert_true(fabs(test->rows[3].found.ceiling_per_s - 3163) < 1);
    assert_true(test->rows[0].found.ceiling_share > 0.99);
    /* Sysbench: no think time, no ceiling; the R that the published X means */
    assert_true(fabs(tests[1].rows[1].found.implied_response_ns / 1e6 - 16.25) < 0.01);
    assert_true(isnan(tests[1].rows[1].found.ceiling_per_s));
    audit_file_close(&file);
}

static const char *sentence(const struct audit_test *test, uint32_t a, int b)
{
    static struct text text;

    text_clear(&text);
    if (b < 0) {
        audit_say_row(test, a, &text);
    } else {
        audit_say_pair(test, a, (uint32_t)b, &text);
    }
    return text_string(&text);
}

static void every_finding_is_one_sentence(void **state)
{
    shipped();
    assert_string_equal(sentence(&tests[0], 1, -1),
                        "X (R + Z) is 61 576, not the 60 000 declared (+2.6%), with Z 4.7427 s as "
                        "the other rows have it: this R means X = 12 322/s, this X means R = "
                        "1.91ms.");
    assert_string_equal(sentence(&tests[1], 1, -1),
                        "X R is 183.6, not the 128 declared (+43.4%): this R means X = 5 494/s, "
                        "this X means R = 16.2ms, and 23.3ms is the R of DC1000M.");
    assert_string_equal(sentence(&tests[2], 0, -1),
                        "X R is 510.1, not the 128 declared (+298.5%): this R means X = 180 485/s, "
                        "this X means R = 178us, or 510.1 were under way.");
    assert_string_equal(sentence(&tests[5], 1, -1),
                        "X R is 15 842, which is absurd, but 15.8 if the 699.3ms were 699.3us: ask "
                        "which unit was meant.");
    assert_string_equal(sentence(&tests[2], 0, 1),
                        "510.1 were under way on H3201 E1.S and 127.0 on H3200 U.2, 4.0 times "
                        "apart: the two were not run alike, so their latencies cannot be "
                        "compared.");
    assert_string_equal(sentence(&tests[9], 1, 2),
                        "35.0 were under way on H3200 U.2 and 37.3 on DC1000M, 6.7% apart: the two "
                        "were not run alike, so their latencies cannot be compared.");
    assert_string_equal(sentence(&tests[17], 0, -1), "No steady figure was published.");
    audit_file_close(&file);
}

static enum little_verdict verdict_of(const char *yaml, uint32_t row)
{
    enum little_verdict verdict;

    judge_text(yaml);
    verdict = rows[row].found.verdict;
    audit_file_close(&file);
    return verdict;
}

static void a_row_that_nothing_tells_of_is_not_judged(void **state)
{
    assert_int_equal(verdict_of("groups:\n- {name: t, users: 100, rows: [{drive: a, throughput: "
                                "20/s, response: 1s}]}\n",
                                0),
                     LITTLE_NO_THINK);
    assert_int_equal(verdict_of("groups:\n- {name: t, users: 100, think: 4s, rows: [{drive: a, "
                                "throughput: 20/s, response: 1s}]}\n",
                                0),
                     LITTLE_CONSISTENT);
    /* more under way than there are users: no think time explains that */
    assert_int_equal(verdict_of("groups:\n- {name: t, users: 100, rows: [{drive: a, throughput: "
                                "200/s, response: 1s}]}\n",
                                0),
                     LITTLE_INCONSISTENT);
    assert_int_equal(
        verdict_of("groups:\n- {name: t, users: 9, rows: [{drive: a, response: 1s}]}", 0),
        LITTLE_NO_FIGURE);
}

static void two_rows_that_disagree_are_both_flagged(void **state)
{
    judge_text("groups:\n- name: t\n  users: 100\n  rows:\n"
               "  - {drive: a, throughput: 20/s, response: 1s}\n"
               "  - {drive: b, throughput: 25/s, response: 1s}\n");
    assert_int_equal(rows[0].found.verdict, LITTLE_INCONSISTENT);
    assert_int_equal(rows[1].found.verdict, LITTLE_INCONSISTENT);
    assert_true(fabs(rows[0].found.think_ns - 3e9) < 1 && fabs(rows[1].found.think_ns - 4e9) < 1);
    audit_file_close(&file);
}

static void one_wild_row_does_not_make_the_good_ones_suspect(void **state)
{
    judge_text("groups:\n- name: t\n  users: 100\n  rows:\n"
               "  - {drive: a, throughput: 20/s, response: 1s}\n"
               "  - {drive: b, throughput: 60/s, response: 1s}\n"
               "  - {drive: c, throughput: 20.1/s, response: 1s}\n"
               "  - {drive: d, throughput: 19.9/s, response: 1s}\n");
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(rows[i].found.verdict, i == 1 ? LITTLE_INCONSISTENT : LITTLE_CONSISTENT);
    }
    audit_file_close(&file);
}

static void a_unit_is_suspected_without_declared_users_too(void **state)
{
    judge_text("groups:\n- name: t\n  rows:\n"
               "  - {drive: a, throughput: 100k/s, response: 320us}\n"
               "  - {drive: b, throughput: 110k/s, response: 290ms}\n"
               "  - {drive: c, throughput: 90k IOPS, response: 355us}\n");
    assert_true(rows[0].found.unit == 1 && rows[1].found.unit == 1000 && rows[2].found.unit == 1);
    assert_int_equal(audit.inconsistent, 0); /* nothing says that the row contradicts itself */
    audit_file_close(&file);
}

static void refuses(const char *yaml, int line, int column, const char *words, const char *hint)
{
    FILE *out = fopen("bad.yaml", "w");
    struct error err = {0};
    struct audit_file ret;

    fputs(yaml, out);
    fclose(out);
    assert_true(audit_file_read("bad.yaml", &ret, &err) < 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    if (!strstr(err.text, words) || !strstr(err.hint, hint) || err.line != line ||
        err.column != column) {
        fail_msg("%d:%d: %s (%s); expected %d:%d %s (%s)", err.line, err.column, err.text, err.hint,
                 line, column, words, hint);
    }
}

static void bad_files_are_refused_with_place_and_hint(void **state)
{
    refuses("about: x\n", 1, 1, "\"groups\" is missing", "");
    refuses("groups: 3\n", 1, 9, "groups: a list with a row or more is expected", "");
    refuses("groups: []\n", 1, 9, "not an empty one", "");
    refuses("groups:\n- {name: t, rwos: []}\n", 2, 13, "unknown key \"rwos\" in a group",
            "did you mean \"rows\"?");
    refuses("groups:\n- name: t\n  rows:\n  - {drive: a, throughput: 12650}\n", 4, 28,
            "throughput: \"12650\" is not a rate with its unit", "719236 IOPS");
    refuses("groups:\n- name: t\n  rows:\n  - {drive: a, throughput: 3GB/s}\n", 4, 28,
            "is not a rate", "divide it");
    refuses("groups:\n- name: t\n  rows:\n  - {drive: a, throughput: 0 IOPS}\n", 4, 28,
            "must be above 0", "");
    refuses("groups:\n- name: t\n  rows:\n  - {drive: a, response: 2.5}\n", 4, 26,
            "a unit is needed", "units are");
    refuses("groups:\n- name: t\n  rows:\n  - {throughput: 1 TPS}\n", 4, 5,
            "\"drive\" is missing in a row", "");
    refuses("groups:\n- name: t\n  rows:\n  - {drive: a, users: 3, threads: 3}\n", 4, 35,
            "users and threads exclude each other", "");
    refuses("groups:\n- name: t\n  threads: 3\n  think: 1s\n  rows:\n  - {drive: a}\n", 4, 10,
            "threads wait for nothing", "users: 3");
}

static void the_json_tells_every_row(void **state)
{
    const struct json_node *root, *test;
    struct error err = {0};
    struct text text = {0};

    shipped();
    audit_json(&audit, &text);
    root = json_parse(text_string(&text), text.length, "audit", &err);
    assert_non_null(root);
    assert_int_equal(json_length(json_get(root, "tests")), TESTS);
    test = json_get(root, "tests.5");
    assert_string_equal(json_string_or(test, "rows.1.verdict", ""), "inconsistent");
    assert_true(json_num_or(test, "rows.1.unit", 0) == 1000);
    assert_int_equal(json_length(json_get(test, "pairs")), 3);
    assert_true(json_absent(json_get(root, "tests.17.rows.0.per_s")));
    json_free(root);
    text_free(&text);
    audit_file_close(&file);
}

static void names_cannot_speak_to_a_terminal(void **state)
{
    struct doc_text_options options = {.width = 144};
    struct text text = {0};
    struct doc doc;

    judge_text("groups:\n- name: \"t\\e[31m\"\n  threads: 1\n  rows:\n"
               "  - {drive: \"a\\e]0;x\\a\", throughput: 9/s, response: 1s}\n");
    doc_init(&doc);
    doc_audit(&doc, &audit, false);
    doc_text(&doc, &options, &text);
    assert_null(strchr(text_string(&text), '\033'));
    doc_free(&doc);
    text_free(&text);
    audit_file_close(&file);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(the_reviews_rows_and_pairs_are_flagged_one_by_one),
        cmocka_unit_test(think_time_and_ceiling_are_those_of_the_consistent_rows),
        cmocka_unit_test(every_finding_is_one_sentence),
        cmocka_unit_test(a_row_that_nothing_tells_of_is_not_judged),
        cmocka_unit_test(two_rows_that_disagree_are_both_flagged),
        cmocka_unit_test(one_wild_row_does_not_make_the_good_ones_suspect),
        cmocka_unit_test(a_unit_is_suspected_without_declared_users_too),
        cmocka_unit_test(bad_files_are_refused_with_place_and_hint),
        cmocka_unit_test(the_json_tells_every_row),
        cmocka_unit_test(names_cannot_speak_to_a_terminal),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
