#include "report/doc_gate.h"

#include <stdio.h>
#include <string.h>

enum { SYSTEM_OUT_WIDTH = 120, SYSTEM_OUT_MOST = 200 * 1024 };

/*
 * Text or the value of an attribute. XML 1.0 has no way to write control characters, U+FFFE and
 * U+FFFF, and what is not UTF-8 is not XML: these become '?'.
 */
static void add_escaped(struct text *out, const char *string)
{
    size_t left = strlen(string);

    while (left > 0) {
        size_t n = text_utf8(string, left);
        unsigned char c = (unsigned char)string[0];
        bool outside =
            n == 3 && memcmp(string, "\xef\xbf", 2) == 0 && (unsigned char)string[2] >= 0xbe;

        if (n == 0 || outside || c == 0x7f || (c < ' ' && c != '\n' && c != '\t')) {
            text_add_char(out, '?');
        } else if (c == '&') {
            text_add(out, "&amp;");
        } else if (c == '<') {
            text_add(out, "&lt;");
        } else if (c == '>') {
            text_add(out, "&gt;");
        } else if (c == '"') {
            text_add(out, "&quot;");
        } else {
            text_add_bytes(out, string, n);
        }
        n = n == 0 ? 1 : n;
        string += n;
        left -= n;
    }
}

static void add_attribute(struct text *out, const char *name, const char *value)
{
    text_addf(out, " %s=\"", name);
    add_escaped(out, value);
    text_add_char(out, '"');
}

static void add_property(struct text *out, const char *name, const char *value)
{
    text_add(out, "      <property");
    add_attribute(out, "name", name);
    add_attribute(out, "value", value);
    text_add(out, "/>\n");
}

/* How a testcase ended. */
struct ending {
    const char *element, *type; /* "failure", "regression"; NULL: it passed */
};

static struct ending ending_of(enum gate_verdict verdict, bool lenient)
{
    switch (verdict) {
    case GATE_FAIL:
        return lenient ? (struct ending){"skipped", NULL}
                       : (struct ending){"failure", "regression"};
    case GATE_INCONCLUSIVE:
        return lenient ? (struct ending){"skipped", NULL}
                       : (struct ending){"failure", "inconclusive"};
    case GATE_INVALID:
        return lenient ? (struct ending){"skipped", NULL} : (struct ending){"error", "invalid"};
    case GATE_VOID:
        return (struct ending){"error", "void"};
    case GATE_SKIPPED:
        return (struct ending){"skipped", NULL};
    default:
        return (struct ending){NULL, NULL};
    }
}

struct counts {
    uint32_t tests, failures, errors, skipped;
};

static void add_case(struct text *out, struct counts *counts, const char *classname,
                     const char *name, struct ending ending, const char *message, const char *next)
{
    counts->tests++;
    text_add(out, "    <testcase");
    add_attribute(out, "classname", classname);
    add_attribute(out, "name", name);
    text_add(out, " time=\"0\"");
    if (ending.element == NULL) {
        text_add(out, "/>\n");
        return;
    }
    counts->failures += strcmp(ending.element, "failure") == 0;
    counts->errors += strcmp(ending.element, "error") == 0;
    counts->skipped += strcmp(ending.element, "skipped") == 0;
    text_addf(out, ">\n      <%s", ending.element);
    if (ending.type != NULL) {
        add_attribute(out, "type", ending.type);
    }
    add_attribute(out, "message", message);
    if (next[0] != '\0' && ending.type != NULL) {
        text_add_char(out, '>');
        add_escaped(out, next);
        text_addf(out, "</%s>\n", ending.element);
    } else {
        text_add(out, "/>\n");
    }
    text_add(out, "    </testcase>\n");
}

static void add_cases(struct text *out, struct counts *counts, const struct gate *gate)
{
    char classname[64], name[200], message[720];

    for (uint32_t i = 0; i < gate->row_count; i++) {
        const struct gate_row *row = &gate->rows[i];
        bool lenient = !gate_row_counts(gate, row);

        snprintf(classname, sizeof(classname), "gate.%s", row->metric->name);
        snprintf(message, sizeof(message), "%s%s%s",
                 lenient ? gate_verdict_names[row->verdict] : "", lenient ? ": " : "",
                 row->message);
        add_case(out, counts, classname, gate_row_rule(row, name, sizeof(name)),
                 ending_of(row->verdict, lenient), message, row->next);
    }
    for (uint32_t i = 0; i < gate->check_count; i++) {
        const struct gate_check *check = &gate->checks[i];
        bool unknown = check->unknown && check->verdict == GATE_PASS;

        if (check->asked) {
            snprintf(message, sizeof(message), "%.80s: not known of every run", check->title);
            add_case(out, counts, "gate.require", check->name,
                     ending_of(unknown ? GATE_SKIPPED : check->verdict, false),
                     unknown ? message : check->message, check->next);
        }
    }
    for (uint32_t i = 0; i < gate->change_count; i++) {
        const struct gate_change *change = &gate->changes[i];
        enum gate_verdict verdict = change->worse ? GATE_FAIL : GATE_PASS;

        snprintf(name, sizeof(name), "%s since %.120s", change->metric->name, change->run);
        snprintf(message, sizeof(message), "%+.1f%% since %.200s",
                 100 * (change->point.after / change->point.before - 1), change->run);
        add_case(out, counts, "gate.history", name,
                 ending_of(verdict, gate->file->history.advisory), message, "");
    }
}

/* "2026-11-30T09:15:00Z" without its zone, as the schema has it. */
static void add_instant(struct text *out, const char *utc)
{
    char instant[24];

    snprintf(instant, sizeof(instant), "%.19s", strlen(utc) >= 19 ? utc : "1970-01-01T00:00:00");
    add_attribute(out, "timestamp", instant);
}

static void add_properties(struct text *out, const struct gate *gate)
{
    const struct set *set = &gate->candidate;
    const struct result *last = set->runs[set->run_count - 1].result;

    text_add(out, "    <properties>\n");
    add_property(out, "verdict", gate_verdict_names[gate->verdict]);
    add_property(out, "answer", gate->words);
    add_property(out, "next", gate->next);
    add_property(out, "baseline", gate->baseline.label);
    add_property(out, "candidate", gate->candidate.label);
    add_property(out, "scenario", last->scenario.name);
    add_property(out, "scenario_sha256", last->scenario.sha256);
    if (last->drive_count > 0) {
        add_property(out, "model", last->drives[0].model);
        add_property(out, "serial", last->drives[0].serial);
        add_property(out, "firmware", last->drives[0].firmware);
    }
    add_property(out, "version", last->run.version);
    text_add(out, "    </properties>\n");
}

static void add_system_out(struct text *out, const struct gate *gate)
{
    struct doc_text_options options = {.width = SYSTEM_OUT_WIDTH};
    struct text table = {0};
    struct doc doc;

    doc_init(&doc);
    doc_gate(&doc, gate);
    doc_text(&doc, &options, &table);
    out->failed = out->failed || doc.failed || table.failed;
    text_add(out, "    <system-out>");
    if (table.length > SYSTEM_OUT_MOST) {
        text_cut(&table, SYSTEM_OUT_MOST);
    }
    add_escaped(out, text_string(&table));
    text_add(out, "</system-out>\n");
    text_free(&table);
    doc_free(&doc);
}

static void add_suite_begin(struct text *out, const char *name, const struct counts *counts)
{
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    add_attribute(out, "name", name);
    text_addf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\"", counts->tests,
              counts->failures, counts->errors, counts->skipped);
}

void doc_gate_junit(const struct gate *gate, struct text *ret)
{
    const struct set *set = &gate->candidate;
    const struct result *last = set->runs[set->run_count - 1].result;
    struct counts counts = {0};
    struct text cases = {0};
    double seconds = 0;

    for (uint32_t i = 0; i < set->run_count; i++) {
        const struct result_vm *all = &set->runs[i].result->aggregate;

        seconds += (double)(all->sample_until_ns - all->sample_from_ns) / 1e9;
    }
    add_cases(&cases, &counts, gate);
    add_suite_begin(ret, gate->file->name, &counts);
    text_addf(ret, " time=\"%.3f\"", seconds > 0 ? seconds : 0);
    add_instant(ret, last->run.started_utc);
    add_attribute(ret, "hostname", last->host.hostname[0] ? last->host.hostname : "unknown");
    text_add(ret, ">\n");
    add_properties(ret, gate);
    text_add_bytes(ret, text_string(&cases), cases.length);
    add_system_out(ret, gate);
    text_add(ret, "  </testsuite>\n</testsuites>\n");
    ret->failed = ret->failed || cases.failed;
    text_free(&cases);
}

void doc_gate_junit_error(const char *name, const struct error *err, struct text *ret)
{
    char message[sizeof(err->file) + sizeof(err->text) + 32];
    struct counts counts = {0};
    struct text one = {0};

    add_case(&one, &counts, "gate", "runs are there", (struct ending){"error", "invalid"},
             error_format(err, message, sizeof(message)), err->hint);
    add_suite_begin(ret, name, &counts);
    text_add(ret, " time=\"0\">\n");
    text_add_bytes(ret, text_string(&one), one.length);
    text_add(ret, "  </testsuite>\n</testsuites>\n");
    ret->failed = ret->failed || one.failed;
    text_free(&one);
}
