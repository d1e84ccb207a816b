/* What a gate says of runs whose truth is known: verdicts, exit codes, what to do next, outputs. */
/* rooms: base stats io workload sql target plan result report */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/dist.h"
#include "base/json.h"
#include "base/mem.h"
#include "plan/gate_file.h"
#include "report/doc_gate.h"
#include "result/gate.h"
#include "sample_result.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUNS_MOST = 16 };

/* A gate over runs made in memory; nothing is read but its file. */
struct rig {
    struct gate_file file;
    struct gate gate;
};

static const double steady_noise[RUNS_MOST] = {0.001, -0.002,  0.0015, 0.0,   -0.001,
                                               0.002, -0.0015, 0.0005, 0.001, -0.0005};

static void read_file(struct rig *rig, const char *extra, const char *metrics)
{
    FILE *file = fopen("gate.yaml", "w");
    struct gate_words words;
    struct error err = {0};

    assert_non_null(file);
    fprintf(file,
            "version: 1\nname: firmware\nbaseline: {runs: old/*, label: old}\n"
            "candidate: {runs: new/*, label: new}\n%smetrics: %s\n",
            extra, metrics);
    fclose(file);
    gate_words_here(&words);
    if (gate_file_read("gate.yaml", &words, &rig->file, &err) < 0) {
        fail_msg("%d:%d: %s", err.line, err.column, err.text);
    }
}

static void add_run(struct set *set, const char *side, double tps, double p99_ns)
{
    struct set_run *run = &set->runs[set->run_count];
    struct result *result = mem_zalloc(sizeof(*result));

    assert_non_null(result);
    sample_tpcc(result, 2);
    snprintf(run->path, sizeof(run->path), "%s/%u", side, set->run_count);
    snprintf(result->run.started_utc, sizeof(result->run.started_utc), "2026-11-30T%02u:%02u:00Z",
             10 + set->run_count, strcmp(side, "new") == 0 ? 30 : 0);
    result->aggregate.tps = tps;
    result->aggregate.response.p99_ns = (int64_t)p99_ns;
    for (uint32_t v = 0; v < result->vm_count; v++) {
        result->vms[v].tps = tps / 2;
    }
    run->result = result;
    run->state = SET_WHOLE;
    set->run_count++;
}

/* n_a and n_b runs; B is `change` (a share) better in TPS; the noise is that of above times k. */
static void make(struct rig *rig, const char *extra, const char *metrics, uint32_t n_a,
                 uint32_t n_b, double change, double k)
{
    *rig = (struct rig){0};
    read_file(rig, extra, metrics);
    rig->gate.file = &rig->file;
    set_init(&rig->gate.baseline, "old");
    set_init(&rig->gate.candidate, "new");
    set_init(&rig->gate.history, "history");
    rig->gate.baseline.runs = mem_array(RUNS_MOST, sizeof(struct set_run));
    rig->gate.candidate.runs = mem_array(RUNS_MOST, sizeof(struct set_run));
    for (uint32_t i = 0; i < n_a; i++) {
        add_run(&rig->gate.baseline, "old", 8000 * (1 + k * steady_noise[i]), 20e6);
    }
    for (uint32_t i = 0; i < n_b; i++) {
        add_run(&rig->gate.candidate, "new", 8000 * (1 + change) * (1 + k * steady_noise[i]), 20e6);
    }
}

static void judge(struct rig *rig)
{
    struct error err = {0};

    if (gate_judge(&rig->gate, &err) < 0) {
        fail_msg("%s", err.text);
    }
}

#define ANSWERS(rig, verdict_wanted, exit_wanted)                                                  \
    do {                                                                                           \
        if ((rig)->gate.verdict != (verdict_wanted) || (rig)->gate.exit != (exit_wanted)) {        \
            fail_msg("%s (exit %d): %s; %s", gate_verdict_names[(rig)->gate.verdict],              \
                     (rig)->gate.exit, (rig)->gate.words, (rig)->gate.next);                       \
        }                                                                                          \
    } while (0)

static void says(const char *text, const char *what)
{
    if (strstr(text, what) == NULL) {
        fail_msg("\"%s\" is not in: %s", what, text);
    }
}

static const char tps_2[] = "[{metric: tps, margin: 2%}]";

static void the_same_passes_and_worse_fails(void **state)
{
    static const struct {
        double change;
        enum gate_verdict verdict;
        enum exit_code exit;
    } cases[] = {{0, GATE_PASS, EXIT_FINE},
                 {0.05, GATE_PASS, EXIT_FINE},
                 {-0.01, GATE_PASS, EXIT_FINE},
                 {-0.02, GATE_INCONCLUSIVE, EXIT_INCONCLUSIVE},
                 {-0.05, GATE_FAIL, EXIT_WANTING}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rig rig;

        make(&rig, "", tps_2, 5, 5, cases[i].change, 1);
        judge(&rig);
        ANSWERS(&rig, cases[i].verdict, cases[i].exit);
        assert_true(fabs(rig.gate.rows[0].change - cases[i].change) < 1e-6);
        assert_true(rig.gate.rows[0].regressed == (i == 2));
        gate_close(&rig.gate);
    }
}

static void a_failure_says_by_how_much(void **state)
{
    struct rig rig;

    make(&rig, "", tps_2, 5, 5, -0.05, 1);
    judge(&rig);
    says(rig.gate.rows[0].message, "-5.0% [-5.");
    says(rig.gate.rows[0].message, "] < -2.0%");
    says(rig.gate.next, "rawtps compare 'old/*' --vs 'new/*'");
    gate_close(&rig.gate);
}

/* Less is better of a latency: the same rule with the sign turned. */
static void worse_latency_fails(void **state)
{
    struct rig rig;

    make(&rig, "", "[{metric: lat_p99, margin: 5%}]", 5, 5, 0, 1);
    for (uint32_t i = 0; i < 5; i++) {
        rig.gate.candidate.runs[i].result->aggregate.response.p99_ns += 2000000 + 10000 * i;
    }
    judge(&rig);
    ANSWERS(&rig, GATE_FAIL, EXIT_WANTING);
    assert_true(rig.gate.rows[0].change < -0.08);
    gate_close(&rig.gate);
}

static void too_few_runs_are_no_verdict(void **state)
{
    struct rig rig;

    make(&rig, "", tps_2, 5, 3, -0.2, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_INVALID, EXIT_INVALID);
    says(rig.gate.words, "5 and 3 runs: 5 a side are needed");
    says(rig.gate.next, "add 2 runs to each side");
    gate_close(&rig.gate);
    make(&rig, "", tps_2, 1, 1, 0, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_INVALID, EXIT_INVALID);
    gate_close(&rig.gate);
}

static void noise_above_the_margin_is_said_with_the_runs_needed(void **state)
{
    struct rig rig;

    make(&rig, "", tps_2, 5, 5, 0, 12);
    judge(&rig);
    ANSWERS(&rig, GATE_INVALID, EXIT_INVALID);
    assert_true(rig.gate.rows[0].mde > 0.02);
    assert_true(rig.gate.rows[0].runs_needed > 5);
    says(rig.gate.words, "the gate cannot see 2%");
    gate_close(&rig.gate);
    /* but what is proven worse is proven, however noisy */
    make(&rig, "", tps_2, 5, 5, -0.4, 12);
    judge(&rig);
    ANSWERS(&rig, GATE_FAIL, EXIT_WANTING);
    gate_close(&rig.gate);
}

static void inconclusive_is_handled_as_the_file_says(void **state)
{
    struct rig rig;

    make(&rig, "", tps_2, 5, 5, -0.0195, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_INCONCLUSIVE, EXIT_INCONCLUSIVE);
    says(rig.gate.next, "runs");
    gate_close(&rig.gate);
    make(&rig, "design: {on_inconclusive: pass}\n", tps_2, 5, 5, -0.0195, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_PASS, EXIT_FINE);
    says(rig.gate.words, "1 inconclusive let through");
    gate_close(&rig.gate);
    make(&rig, "design: {on_inconclusive: more}\n", tps_2, 5, 5, -0.0195, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_INCONCLUSIVE, EXIT_INCONCLUSIVE);
    says(rig.gate.next, "add 2 ABBA pairs (A B B A)");
    says(rig.gate.next, "7 of at most 10");
    assert_int_equal(rig.gate.looks, 4);
    assert_true(rig.gate.alpha == 0.0125);
    gate_close(&rig.gate);
}

static void equivalence_refuses_better_too(void **state)
{
    const char *metrics = "[{metric: tps, margin: 2%, equivalence: yes}]";
    struct rig rig;

    make(&rig, "", metrics, 5, 5, 0, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_PASS, EXIT_FINE);
    gate_close(&rig.gate);
    make(&rig, "", metrics, 5, 5, 0.06, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_FAIL, EXIT_WANTING);
    says(rig.gate.rows[0].message, "not equivalent");
    gate_close(&rig.gate);
}

static void an_improvement_may_be_asked_for(void **state)
{
    const char *metrics = "[{metric: tps, improve_min: 3%}]";
    struct rig rig;

    make(&rig, "", metrics, 5, 5, 0.06, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_PASS, EXIT_FINE);
    gate_close(&rig.gate);
    make(&rig, "", metrics, 5, 5, 0, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_FAIL, EXIT_WANTING);
    gate_close(&rig.gate);
}

static void absolute_limits_are_held_against_a_bound_or_the_point(void **state)
{
    static const struct {
        const char *metrics;
        enum gate_verdict verdict;
    } cases[] = {
        {"[{metric: tps, min: 7900}]", GATE_PASS},
        {"[{metric: tps, min: 7999}]", GATE_INCONCLUSIVE},
        {"[{metric: tps, min: 7999, by: point}]", GATE_PASS},
        {"[{metric: tps, min: 8100}]", GATE_FAIL},
        {"[{metric: tps, min: 8100, max: 9000}]", GATE_FAIL},
        {"[{metric: tps, min: 7000, max: 7500}]", GATE_FAIL},
        {"[{metric: tps, min: 7000, max: 9000}]", GATE_PASS},
        {"[{metric: lat_p99, max: 21ms}]", GATE_PASS},
        {"[{metric: lat_p99, max: 19ms}]", GATE_FAIL},
        {"[{metric: lat_p99, margin: 5%, max: 19ms}]", GATE_FAIL},
        {"[{metric: lat_p99, max: 19ms, advisory: yes}, {metric: tps, margin: 2%}]", GATE_PASS},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rig rig;

        make(&rig, "", cases[i].metrics, 5, 5, 0.0001, 1);
        judge(&rig);
        if (rig.gate.verdict != cases[i].verdict) {
            fail_msg("%s: %s: %s", cases[i].metrics, gate_verdict_names[rig.gate.verdict],
                     rig.gate.rows[0].message);
        }
        gate_close(&rig.gate);
    }
}

static void what_runs_do_not_have_is_skipped_or_invalid(void **state)
{
    struct rig rig;

    make(&rig, "", "[{metric: mj_per_txn, margin: 3%}]", 5, 5, 0, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_INVALID, EXIT_INVALID);
    says(rig.gate.rows[0].message, "10 of 10 runs do not have it");
    says(rig.gate.next, "optional");
    gate_close(&rig.gate);
    make(&rig, "", "[{metric: mj_per_txn, margin: 3%, optional: yes}, {metric: tps, margin: 2%}]",
         5, 5, 0, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_PASS, EXIT_FINE);
    assert_int_equal(rig.gate.rows[0].verdict, GATE_SKIPPED);
    gate_close(&rig.gate);
    /* a gate that judged nothing has not passed anything */
    make(&rig, "", "[{metric: mj_per_txn, margin: 3%, optional: yes}]", 5, 5, 0, 1);
    judge(&rig);
    ANSWERS(&rig, GATE_INVALID, EXIT_INVALID);
    gate_close(&rig.gate);
}

static void each_vm_is_a_row(void **state)
{
    struct rig rig;

    make(&rig, "", "[{metric: tps, scope: each_vm, margin: 4%}]", 5, 5, 0, 1);
    for (uint32_t i = 0; i < 5; i++) {
        rig.gate.candidate.runs[i].result->vms[1].tps *= 0.9;
    }
    judge(&rig);
    assert_int_equal(rig.gate.row_count, 2);
    assert_int_equal(rig.gate.rows[0].verdict, GATE_PASS);
    assert_int_equal(rig.gate.rows[1].verdict, GATE_FAIL);
    assert_string_not_equal(rig.gate.rows[0].scope, rig.gate.rows[1].scope);
    ANSWERS(&rig, GATE_FAIL, EXIT_WANTING);
    gate_close(&rig.gate);
    make(&rig, "", "[{metric: tps, margin: 4%}, {metric: tps, scope: vm77, margin: 4%}]", 3, 3, 0,
         1);
    judge(&rig);
    ANSWERS(&rig, GATE_INVALID, EXIT_INVALID);
    says(rig.gate.words, "the runs have no VM \"vm77\"");
    says(rig.gate.next, "name one that they have, "); /* and not more runs of the same */
    gate_close(&rig.gate);
}

/* ---- what must hold ---- */

static void change_kernel(struct result *result)
{
    snprintf(result->host.kernel, sizeof(result->host.kernel), "6.1.0-99");
}
static void add_errors(struct result *result)
{
    result->aggregate.failed = 3;
}
static void disturb(struct result *result)
{
    result->aggregate.steady.excursion_share = 0.09;
}
static void shorten(struct result *result)
{
    result->aggregate.steady.judged = false;
    result->aggregate.steady.rounds = 0;
}
static void crowd(struct result *result)
{
    result->aggregate.audit.concurrency *= 1.2;
}
static void distrust(struct result *result)
{
    snprintf(result->aggregate.audit.verdict, sizeof(result->aggregate.audit.verdict),
             "inconsistent");
}

static void broken_requirements_are_invalid(void **state)
{
    static const struct {
        void (*change)(struct result *result);
        const char *says, *lenient;
    } cases[] = {
        {change_kernel, "kernel", "require: {same: [scenario]}\n"},
        {add_errors, "errors", "require: {errors: 3}\n"},
        {disturb, "steady", "require: {steady_state: no}\n"},
        {shorten, "too short", "require: {steady_state: no}\n"},
        {crowd, "concurrency", "require: {concurrency_tolerance: 10%}\n"},
        {distrust, "Little", NULL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int lenient = 0; lenient < 2; lenient++) {
            struct rig rig;

            if (lenient && cases[i].lenient == NULL) {
                continue;
            }
            make(&rig, lenient ? cases[i].lenient : "", tps_2, 5, 5, 0, 1);
            cases[i].change(rig.gate.candidate.runs[2].result);
            judge(&rig);
            if (lenient) {
                ANSWERS(&rig, GATE_PASS, EXIT_FINE);
            } else {
                ANSWERS(&rig, GATE_INVALID, EXIT_INVALID);
                says(rig.gate.words, cases[i].says);
                assert_true(rig.gate.next[0] != '\0');
            }
            gate_close(&rig.gate);
        }
    }
}

static void runs_that_are_not_whole_are_invalid_and_void_is_graver(void **state)
{
    struct rig rig;

    make(&rig, "", tps_2, 5, 5, 0, 1);
    rig.gate.candidate.runs[0].result->aggregate.sample_until_ns += 5000000000;
    judge(&rig);
    ANSWERS(&rig, GATE_INVALID, EXIT_INVALID);
    says(rig.gate.words, "sample");
    gate_close(&rig.gate);
    make(&rig, "", tps_2, 5, 5, -0.2, 1);
    snprintf(rig.gate.candidate.runs[0].result->run.ended, 16, "interrupted");
    rig.gate.candidate.runs[0].state = SET_PARTIAL;
    judge(&rig);
    ANSWERS(&rig, GATE_INVALID, EXIT_INVALID);
    gate_close(&rig.gate);
    make(&rig, "", tps_2, 5, 5, -0.2, 1);
    rig.gate.baseline.runs[0].state = SET_VOID;
    change_kernel(rig.gate.candidate.runs[0].result);
    judge(&rig);
    ANSWERS(&rig, GATE_VOID, EXIT_WRONG_DATA);
    says(rig.gate.words, "old/0 is void");
    says(rig.gate.next, "rawtps report old/0");
    gate_close(&rig.gate);
}

static void latency_has_no_verdict_where_concurrency_differs(void **state)
{
    struct rig rig;

    make(&rig, "", "[{metric: lat_p99, margin: 5%}]", 5, 5, 0, 1);
    for (uint32_t i = 0; i < 5; i++) {
        crowd(rig.gate.candidate.runs[i].result);
    }
    judge(&rig);
    says(rig.gate.rows[0].message, "no verdict on latency");
    ANSWERS(&rig, GATE_INVALID, EXIT_INVALID);
    gate_close(&rig.gate);
}

/* ---- designs ---- */

static void one_candidate_is_held_against_the_prediction(void **state)
{
    static const struct {
        uint32_t n;
        double change;
        enum gate_verdict verdict;
        bool regressed;
    } cases[] = {{8, 0, GATE_PASS, false},
                 {8, -0.1, GATE_FAIL, false},
                 {8, -0.01, GATE_PASS, true},
                 {4, -0.1, GATE_INVALID, false}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rig rig;

        make(&rig, "", tps_2, cases[i].n, 1, cases[i].change, 1);
        judge(&rig);
        if (rig.gate.verdict != cases[i].verdict ||
            rig.gate.rows[0].regressed != cases[i].regressed) {
            fail_msg("%u, %g: %s: %s", cases[i].n, cases[i].change, rig.gate.words,
                     rig.gate.rows[0].message);
        }
        gate_close(&rig.gate);
    }
}

/* Both sides drift alike: pairs see it, sets drown in it. */
static void abba_pairs_take_out_drift(void **state)
{
    for (int paired = 0; paired < 2; paired++) {
        struct rig rig;

        make(&rig, paired ? "" : "design: {pairing: none}\n", tps_2, 6, 6, 0, 1);
        for (uint32_t i = 0; i < 12; i++) {
            bool b = (i + 1) % 4 == 2 || (i + 1) % 4 == 3;
            struct set *set = b ? &rig.gate.candidate : &rig.gate.baseline;
            struct result *result = set->runs[i / 2].result;

            result->aggregate.tps *= 1 - 0.01 * i;
            snprintf(result->run.pair.design, sizeof(result->run.pair.design), "abba");
            snprintf(result->run.pair.series, sizeof(result->run.pair.series), "s1");
            snprintf(result->run.pair.side, sizeof(result->run.pair.side), b ? "B" : "A");
            result->run.pair.order = i + 1;
        }
        judge(&rig);
        assert_int_equal(rig.gate.pair_count, paired ? 6 : 0);
        ANSWERS(&rig, paired ? GATE_PASS : GATE_INVALID, paired ? EXIT_FINE : EXIT_INVALID);
        gate_close(&rig.gate);
    }
}

static void abba_that_was_asked_for_must_be(void **state)
{
    struct rig rig;

    make(&rig, "design: {pairing: abba}\n", tps_2, 5, 5, 0, 1); /* A B A B ... by their times */
    judge(&rig);
    ANSWERS(&rig, GATE_INVALID, EXIT_INVALID);
    says(rig.gate.words, "not made in ABBA order");
    gate_close(&rig.gate);
    make(&rig, "design: {pairing: abba}\n", tps_2, 6, 6, 0, 1);
    for (uint32_t i = 0; i < 12; i++) {
        bool b = (i + 1) % 4 == 2 || (i + 1) % 4 == 3;
        struct set *set = b ? &rig.gate.candidate : &rig.gate.baseline;

        snprintf(set->runs[i / 2].result->run.started_utc, 32, "2026-11-30T10:%02u:00Z", i);
    }
    judge(&rig);
    assert_int_equal(rig.gate.pair_count, 6);
    ANSWERS(&rig, GATE_PASS, EXIT_FINE);
    gate_close(&rig.gate);
}

static void history_shows_since_when(void **state)
{
    for (int advisory = 0; advisory < 2; advisory++) {
        struct rig rig;

        make(&rig, advisory ? "history: {runs: all/*}\n" : "history: {runs: all/*, advisory: no}\n",
             tps_2, 5, 5, 0, 1);
        rig.gate.history.runs = mem_array(RUNS_MOST, sizeof(struct set_run));
        for (uint32_t i = 0; i < RUNS_MOST; i++) {
            add_run(&rig.gate.history, "all", (i < 8 ? 8000 : 7600) * (1 + steady_noise[i]), 20e6);
        }
        judge(&rig);
        assert_int_equal(rig.gate.change_count, 1);
        assert_string_equal(rig.gate.changes[0].run, "all/8");
        assert_true(rig.gate.changes[0].worse);
        ANSWERS(&rig, advisory ? GATE_PASS : GATE_FAIL, advisory ? EXIT_FINE : EXIT_WANTING);
        gate_close(&rig.gate);
    }
}

/* ---- outputs ---- */

static const char hostile[] = "</failure><script>alert(1)</script>&\"'\x01\xff|`x`\n\xef\xbf\xbf";

static void outputs_hold_what_was_judged(void **state)
{
    struct error err = {0};
    struct text text = {0};
    struct rig rig;
    const struct json_node *json;

    make(&rig, "", "[{metric: tps, margin: 2%}, {metric: lat_p99, max: 35ms}]", 5, 5, -0.05, 1);
    judge(&rig);
    doc_gate_json(&rig.gate, &text);
    json = json_parse(text_string(&text), text.length, "json", &err);
    assert_non_null(json);
    assert_string_equal(json_string_or(json, "verdict", ""), "FAIL");
    assert_int_equal(json_int_or(json, "exit_code", -1), 1);
    assert_string_equal(json_string_or(json, "rows.0.verdict", ""), "FAIL");
    assert_string_equal(json_string_or(json, "rows.1.verdict", ""), "PASS");
    assert_true(fabs(json_num_or(json, "rows.0.change", 0) + 0.05) < 1e-6);
    json_free(json);
    text_clear(&text);
    doc_gate_junit(&rig.gate, &text);
    says(text_string(&text), "<failure type=\"regression\" message=\"-5.0% [");
    says(text_string(&text), "classname=\"gate.tps\" name=\"aggregate margin 2%\"");
    says(text_string(&text), "failures=\"1\" errors=\"0\"");
    text_clear(&text);
    doc_gate_markdown(&rig.gate, &text);
    says(text_string(&text), "FAIL: found wanting");
    says(text_string(&text), "rawtps gate gate.yaml");
    text_free(&text);
    gate_close(&rig.gate);
}

static void hostile_names_stay_inert(void **state)
{
    struct text text = {0};
    struct rig rig;

    make(&rig, "", tps_2, 5, 5, 0, 1);
    snprintf(rig.file.name, sizeof(rig.file.name), "%s", hostile);
    snprintf(rig.gate.baseline.label, sizeof(rig.gate.baseline.label), "%.60s", hostile);
    for (uint32_t i = 0; i < 5; i++) {
        struct result *result = rig.gate.candidate.runs[i].result;

        snprintf(result->host.kernel, sizeof(result->host.kernel), "%s", hostile);
        snprintf(result->drives[0].serial, sizeof(result->drives[0].serial), "%.60s", hostile);
        snprintf(rig.gate.candidate.runs[i].path, 100, "%s", hostile);
    }
    judge(&rig);
    doc_gate_junit(&rig.gate, &text);
    assert_null(strstr(text_string(&text), "<script"));
    assert_null(strchr(text_string(&text), '\x01'));
    assert_null(strchr(text_string(&text), '\xff'));
    assert_null(strstr(text_string(&text), "\xef\xbf\xbf"));
    text_clear(&text);
    doc_gate_markdown(&rig.gate, &text);
    assert_null(strstr(text_string(&text), "<script"));
    assert_null(strchr(text_string(&text), '\x01'));
    text_free(&text);
    gate_close(&rig.gate);
}

/* 64 VMs and 32 rows each are 2,048 rows: a comment that GitHub refuses would be none. */
static void markdown_stays_below_its_limit(void **state)
{
    struct gate_row *more = mem_array(2048, sizeof(*more));
    struct text text = {0};
    struct rig rig;

    make(&rig, "", tps_2, 5, 5, 0, 1);
    judge(&rig);
    for (uint32_t i = 0; i < 2048; i++) {
        more[i] = rig.gate.rows[0];
        more[i].verdict = i == 2000 ? GATE_FAIL : GATE_PASS;
        memset(more[i].message, 'x', sizeof(more[i].message) - 1);
        snprintf(more[i].scope, sizeof(more[i].scope), "vm%u", i);
    }
    mem_free(rig.gate.rows);
    rig.gate.rows = more;
    rig.gate.row_count = 2048;
    doc_gate_markdown(&rig.gate, &text);
    assert_true(text.length < DOC_GATE_MARKDOWN);
    says(text_string(&text), "vm2000"); /* the worst are never what is left out */
    text_free(&text);
    gate_close(&rig.gate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_passes_and_worse_fails),
        cmocka_unit_test(a_failure_says_by_how_much),
        cmocka_unit_test(worse_latency_fails),
        cmocka_unit_test(too_few_runs_are_no_verdict),
        cmocka_unit_test(noise_above_the_margin_is_said_with_the_runs_needed),
        cmocka_unit_test(inconclusive_is_handled_as_the_file_says),
        cmocka_unit_test(equivalence_refuses_better_too),
        cmocka_unit_test(an_improvement_may_be_asked_for),
        cmocka_unit_test(absolute_limits_are_held_against_a_bound_or_the_point),
        cmocka_unit_test(what_runs_do_not_have_is_skipped_or_invalid),
        cmocka_unit_test(each_vm_is_a_row),
        cmocka_unit_test(broken_requirements_are_invalid),
        cmocka_unit_test(runs_that_are_not_whole_are_invalid_and_void_is_graver),
        cmocka_unit_test(latency_has_no_verdict_where_concurrency_differs),
        cmocka_unit_test(one_candidate_is_held_against_the_prediction),
        cmocka_unit_test(abba_pairs_take_out_drift),
        cmocka_unit_test(abba_that_was_asked_for_must_be),
        cmocka_unit_test(history_shows_since_when),
        cmocka_unit_test(outputs_hold_what_was_judged),
        cmocka_unit_test(hostile_names_stay_inert),
        cmocka_unit_test(markdown_stays_below_its_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
