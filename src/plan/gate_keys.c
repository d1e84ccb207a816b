#include "gate_keys.h"

#include "base/must.h"

const char *const gate_pairing_names[3] = {"auto", "abba", "none"};
const char *const gate_inconclusive_names[3] = {"fail", "pass", "more"};
static const char *const bys[] = {"bound", "point"};

static const struct key top_rows[] = {
    {"version", KEY_COUNT, KEY_FIELD(struct gate_top, version), "1", "1", .fallback = NULL,
     .help = "of this format: 1"},
    {"name", KEY_TEXT, KEY_FIELD(struct gate_top, name), .fallback = "the file's name",
     .help = "what is judged, for the reports"},
    {"baseline", KEY_GROUP, .fallback = NULL, .help = "the runs that are known to be good"},
    {"candidate", KEY_GROUP, .fallback = NULL, .help = "the runs that are judged"},
    {"require", KEY_GROUP, .fallback = "", .help = "what must hold before anything is judged"},
    {"design", KEY_GROUP, .fallback = "", .help = "how it is judged"},
    {"metrics", KEY_GROUP, .fallback = NULL, .help = "a list: what is judged, and by which margin"},
    {"history", KEY_GROUP, .fallback = "", .help = "a series of runs to look for changes in"},
    {"outputs", KEY_GROUP, .fallback = "", .help = "files to write besides the table on stdout"},
};

static const struct key side_rows[] = {
    {"runs", KEY_STRING, KEY_FIELD(struct gate_side_text, runs), .fallback = NULL, .many = true,
     .help = "run directories, by names with * and ?, relative to this file; or a list of such"},
    {"label", KEY_TEXT, KEY_FIELD(struct gate_side_text, side.label),
     .fallback = "baseline, candidate", .help = "what reports call the side"},
    {"tag", KEY_TEXT, KEY_FIELD(struct gate_side_text, side.tag), .fallback = "",
     .help = "only runs with this `--label`"},
    {"last", KEY_COUNT, KEY_FIELD(struct gate_side_text, side.last), "1", "1000", .fallback = "all",
     .help = "only the last so many of them"},
};

static const struct key require_rows[] = {
    {"same", KEY_GROUP, .fallback = GATE_SAME_DEFAULT,
     .help = "what must be equal in all runs: a list of these and of build_id, users, "
             "device_class, model, firmware, form_factor, scheduler, server, cpu, governor, "
             "precondition_bytes, precondition_age, start_temperature, end_temperature, "
             "seed_policy; interference: the host had CPUs for every run"},
    {"like_workload", KEY_FLAG, KEY_FIELD(struct gate_require, like_workload), .fallback = "yes",
     .help = "scenario file, scale and users are the same, whatever `same` names; no: a type of "
             "transaction in common is enough"},
    {"steady_state", KEY_FLAG, KEY_FIELD(struct gate_require, steady_state), .fallback = "yes",
     .help = "range at most 10%, excursion at most 3%, no drift"},
    {"errors", KEY_COUNT, KEY_FIELD(struct gate_require, errors), .fallback = "0",
     .help = "failed transactions and I/O errors that a run may have"},
    {"stamp_errors", KEY_COUNT, KEY_FIELD(struct gate_require, stamp_errors), "0", "0",
     .fallback = "0", .help = "wrong pages: always 0, a run with one is void"},
    {"throttle_seconds", KEY_NUMBER, KEY_FIELD(struct gate_require, throttle_seconds), "0", "1e6",
     .fallback = "0", .help = "how long the drive may have been throttled by its temperature"},
    {"concurrency_tolerance", KEY_SHARE, KEY_FIELD(struct gate_require, concurrency_tolerance),
     "0%", "100%", .fallback = "2%", .help = "how far the sides' X (R + Z) may lie apart"},
    {"min_runs", KEY_COUNT, KEY_FIELD(struct gate_require, min_runs), "3", "1000", .fallback = "5",
     .help = "runs that a side needs; one candidate is judged by the baseline's spread"},
};

static const struct key design_rows[] = {
    {"pairing", KEY_WORD, KEY_FIELD(struct gate_design, pairing), KEY_WORDS(gate_pairing_names),
     .fallback = "auto", .help = "pairs of runs: if they were made as pairs, always, or never"},
    {"alpha", KEY_NUMBER, KEY_FIELD(struct gate_design, alpha), "0.0001", "0.2", .fallback = "0.05",
     .help = "chance of a wrong answer, one-sided"},
    {"power", KEY_NUMBER, KEY_FIELD(struct gate_design, power), "0.5", "0.999", .fallback = "0.80",
     .help = "chance to see an effect as large as the margin"},
    {"on_inconclusive", KEY_WORD, KEY_FIELD(struct gate_design, on_inconclusive),
     KEY_WORDS(gate_inconclusive_names), .fallback = "fail",
     .help = "exit 5; exit 0 and say so; or exit 5 and name the pairs to add"},
    {"max_runs", KEY_COUNT, KEY_FIELD(struct gate_design, max_runs), "3", "1000", .fallback = "10",
     .help = "most runs a side that are ever asked for"},
};

static const struct key metric_rows[] = {
    {"metric", KEY_STRING, KEY_FIELD(struct gate_metric_text, metric), .fallback = NULL,
     .help = "its name, as `tps` or `lat_p99`"},
    {"scope", KEY_TEXT, KEY_FIELD(struct gate_metric_text, row.scope), .fallback = "aggregate",
     .help = "`aggregate`, `each_vm`, or the name of a VM"},
    {"margin", KEY_SHARE, KEY_FIELD(struct gate_metric_text, row.margin), "0.01%", "90%",
     .fallback = "",
     .help = "how much worse it may be: B / A - 1, of latencies A / B - 1, so that "
             "10% lets them rise by 11%, 50% by 100%"},
    {"equivalence", KEY_FLAG, KEY_FIELD(struct gate_metric_text, row.equivalence), .fallback = "no",
     .help = "nor may it be better by more than the margin"},
    {"improve_min", KEY_SHARE, KEY_FIELD(struct gate_metric_text, row.improve_min), "0.01%",
     "1000%", .fallback = "", .help = "how much better it must be"},
    {"max", KEY_STRING, KEY_FIELD(struct gate_metric_text, most), .fallback = "",
     .help = "absolute limit from above, as 35ms"},
    {"min", KEY_STRING, KEY_FIELD(struct gate_metric_text, least), .fallback = "",
     .help = "absolute limit from below, as 8000"},
    {"by", KEY_WORD, KEY_FIELD(struct gate_metric_text, row.by), KEY_WORDS(bys),
     .fallback = "bound", .help = "what is held against them: the bound of the mean, or the mean"},
    {"optional", KEY_FLAG, KEY_FIELD(struct gate_metric_text, row.optional), .fallback = "no",
     .help = "left out where the runs do not have it"},
    {"advisory", KEY_FLAG, KEY_FIELD(struct gate_metric_text, row.advisory), .fallback = "no",
     .help = "shown, and never changes the exit code"},
};

static const struct key history_rows[] = {
    {"runs", KEY_STRING, KEY_FIELD(struct gate_history_text, runs), .fallback = NULL, .many = true,
     .help = "run directories, as of a side; put in order of their time"},
    {"window", KEY_COUNT, KEY_FIELD(struct gate_history_text, history.window), "4", "200",
     .fallback = "50", .help = "runs that are looked at together"},
    {"p", KEY_NUMBER, KEY_FIELD(struct gate_history_text, history.p), "1e-9", "0.5",
     .fallback = "0.001", .help = "a change is less likely than this to be chance"},
    {"min_change", KEY_SHARE, KEY_FIELD(struct gate_history_text, history.min_change), "0%", "90%",
     .fallback = "1%", .help = "and at least so large"},
    {"advisory", KEY_FLAG, KEY_FIELD(struct gate_history_text, history.advisory), .fallback = "yes",
     .help = "shown, and never changes the exit code"},
};

static const struct key output_rows[] = {
    {"junit", KEY_TEXT, KEY_FIELD(struct gate_outputs, junit), .fallback = "",
     .help = "JUnit XML for a CI server"},
    {"markdown", KEY_TEXT, KEY_FIELD(struct gate_outputs, markdown), .fallback = "",
     .help = "a comment for a pull request, below 60 kB"},
    {"json", KEY_TEXT, KEY_FIELD(struct gate_outputs, json), .fallback = "",
     .help = "everything, for a program"},
    {"html", KEY_TEXT, KEY_FIELD(struct gate_outputs, html), .fallback = "",
     .help = "one page that needs nothing else"},
};

#define ROWS(table) table, sizeof(table) / sizeof(table[0])

static const struct section sections[GATE_SECTIONS] = {
    [GATE_SECTION_TOP] = {"the gate", "The gate", ROWS(top_rows), ""},
    [GATE_SECTION_SIDE] = {"a side", "`baseline:` and `candidate:`", ROWS(side_rows), ""},
    [GATE_SECTION_REQUIRE] = {"require", "`require:`", ROWS(require_rows),
                              "A run that breaks one of these makes the answer INVALID."},
    [GATE_SECTION_DESIGN] = {"design", "`design:`", ROWS(design_rows), ""},
    [GATE_SECTION_METRIC] = {"a metric", "`metrics:`, each", ROWS(metric_rows),
                             "At least one of `margin`, `improve_min`, `max` and `min`."},
    [GATE_SECTION_HISTORY] = {"history", "`history:`", ROWS(history_rows), ""},
    [GATE_SECTION_OUTPUTS] = {"outputs", "`outputs:`", ROWS(output_rows),
                              "Paths from the working directory."},
};

const struct section *gate_keys_of(enum gate_section id)
{
    must(id < GATE_SECTIONS);
    return &sections[id];
}

void gate_file_document(struct text *ret)
{
    text_add(
        ret,
        "# Gate files\n\n"
        "Generated by `rawtps help gate-file` from the tables that read the files.\n\n"
        "`rawtps gate FILE` judges the candidate's runs against the baseline's, row by row, and\n"
        "ends with 0 (passed), 1 (worse than a margin, proven), 4 (data came back wrong), 5 (more\n"
        "runs are needed) or 6 (the runs do not allow a verdict). It reads results and never runs\n"
        "anything. Unknown keys are errors. How verdicts are found: METHOD.md; an example: "
        "gate-example.yaml.\n");
    for (int id = 0; id < GATE_SECTIONS; id++) {
        const struct section *section = &sections[id];

        text_addf(ret, "\n## %s\n\n", section->where);
        if (section->about[0] != '\0') {
            text_addf(ret, "%s\n\n", section->about);
        }
        key_document(section->rows, section->count, ret);
    }
}
