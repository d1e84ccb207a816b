// rooms: base stats result
/* run.json: written, read back, refused where it is wrong, and digested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "result/result.h"
#include "result/schema.h"
#include "sample_result.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_back(struct result *ret, const char *text, size_t bytes, struct error *err)
{
    return result_read_json(ret, text, bytes, "run.json", err);
}

static void a_document_comes_back_byte_for_byte(void **state)
{
    struct result result, back;
    struct text first, second;
    struct error err;

    sample_tpcc(&result, 4);
    result_warn(&result, "odd: \"\\\t\x01 µ \xff\xfe");
    memset(result.drives[0].queue, 0xff, sizeof(result.drives[0].queue) - 1);
    result.fairness = NAN;
    text_init(&first);
    text_init(&second);
    result_write_json(&result, &first);
    assert_int_equal(read_back(&back, text_string(&first), first.length, &err), 0);
    result_write_json(&back, &second);
    assert_string_equal(text_string(&first), text_string(&second));
    assert_true(back.run.seed == result.run.seed);
    assert_true(isnan(back.fairness));
    assert_true(isnan(back.precondition.idle_before_s));
    assert_string_equal(back.scenario.text, result.scenario.text);
    assert_true(back.vms[3].response.sumsq_ns2 == result.vms[3].response.sumsq_ns2);
    text_free(&first);
    text_free(&second);
    result_free(&result);
    result_free(&back);
}

static void an_empty_result_comes_back_too(void **state)
{
    struct result result, back;
    struct text text;
    struct error err;

    assert_int_equal(result_init(&result, 0, &err), 0);
    snprintf(result.run.ended, sizeof(result.run.ended), "running");
    text_init(&text);
    result_write_json(&result, &text);
    assert_int_equal(read_back(&back, text_string(&text), text.length, &err), 0);
    assert_int_equal(back.vm_count, 0);
    text_free(&text);
    result_free(&result);
    result_free(&back);
}

static void the_layout_is_the_documented_one(void **state)
{
    struct result result;
    const struct json_node *root;
    struct text text;
    struct error err;
    unsigned __int128 sumsq;

    sample_tpcc(&result, 2);
    text_init(&text);
    result_write_json(&result, &text);
    root = json_parse(text_string(&text), text.length, "x", &err);
    assert_non_null(root);
    assert_int_equal(json_int_or(root, "schema_version", 0), 1);
    assert_int_equal(json_int_or(root, "vms.1.txns.0.done", 0), result.vms[1].txns[0].done);
    assert_int_equal(json_kind(json_get(root, "vms.0.response.sumsq_ns2")), JSON_KIND_STRING);
    assert_int_equal(json_get_u128(root, "vms.0.response.sumsq_ns2", &sumsq, &err), 0);
    assert_true(sumsq == result.vms[0].response.sumsq_ns2);
    assert_string_equal(json_string_or(root, "vms.0.response.layout", ""), HIST_LAYOUT);
    assert_int_equal(json_int_or(root, "aggregate.ios.0.sizes.8192", 0), 60 * 201);
    assert_true(json_num_or(root, "vms.0.facts.lock_waits", 0) == 30);
    assert_true(json_absent(json_get(root, "vms.0.facts.not_known")));
    assert_int_equal(json_int_or(root, "vms.0.txns.0.spent_ns.log", 0),
                     result.vms[0].txns[0].spent_ns[3]);
    assert_string_equal(json_string_or(root, "hosts.0.hostname", ""), "rig7");
    assert_true(json_absent(json_get(root, "drives.0.serial"))); /* unknown is null */
    assert_string_equal(json_string_or(root, "scenario.vm_configs.0.name", ""), "sqlserver-16c64g");
    assert_true(json_absent(json_get(root, "drives.0.link.speed_gt_s")));
    assert_true(json_absent(json_get(root, "drives.0.health.throttled_s")));
    json_free(root);
    text_free(&text);
    result_free(&result);
}

/* The document with the first `from` replaced by `to`; read must fail and say `says`. */
static void expect_refusal(const char *from, const char *to, int line, const char *says)
{
    struct result result, back;
    struct text text, changed;
    struct error err;
    char line_of[1100];
    const char *at;

    sample_tpcc(&result, 2);
    text_init(&text);
    text_init(&changed);
    result_write_json(&result, &text);
    at = strstr(text_string(&text), from);
    assert_non_null(at);
    text_add_bytes(&changed, text_string(&text), (size_t)(at - text_string(&text)));
    text_add(&changed, to);
    text_add(&changed, at + strlen(from));
    assert_int_not_equal(read_back(&back, text_string(&changed), changed.length, &err), 0);
    error_format(&err, line_of, sizeof(line_of));
    if (!strstr(line_of, says) || err.exit != EXIT_USAGE || (line > 0 && err.line != line)) {
        fail_msg("%s (line %d) does not say: %s", line_of, err.line, says);
    }
    text_free(&text);
    text_free(&changed);
    result_free(&result);
}

/* 0 s throttled and power state 0 are known; a result of before these were recorded knows nothing.
 */
static void what_is_known_of_a_drive_stays_known_and_no_more(void **state)
{
    struct result result, back;
    struct text text;
    struct error err;
    char *from, *until;

    sample_tpcc(&result, 1);
    result.drives[0].link = (struct result_link){8, 16, 4, 4};
    result.drives[0].power_state = 0;
    result.drives[0].health = (struct result_health){40, 44, 39, 45, 0, NAN, NAN};
    text_init(&text);
    result_write_json(&result, &text);
    assert_int_equal(read_back(&back, text_string(&text), text.length, &err), 0);
    assert_true(back.drives[0].link.max_speed_gt_s == 16 && back.drives[0].link.width == 4);
    assert_true(back.drives[0].power_state == 0 && isnan(back.drives[0].numa_node));
    assert_true(back.drives[0].health.temperature_max_c == 45);
    assert_true(result_throttled_s(&back.drives[0].health) == 0);
    assert_true(result_link_degraded(&back.drives[0].link));
    result_free(&back);
    from = strstr(text.data, "\"numa_node\"");
    assert_non_null(from);
    while (*from != ',') {
        from--;
    }
    until = strchr(strstr(from, "\"health\""), '}') + 1;
    memmove(from, until, strlen(until) + 1);
    assert_int_equal(read_back(&back, text.data, strlen(text.data), &err), 0);
    assert_true(isnan(back.drives[0].power_state) && back.drives[0].link.speed_gt_s == 0);
    assert_true(isnan(result_throttled_s(&back.drives[0].health)));
    assert_true(isnan(back.drives[0].health.temperature_start_c));
    result_free(&back);
    text_free(&text);
    result_free(&result);
}

static void a_link_in_words(void **state)
{
    static const struct {
        struct result_link link;
        const char *words;
    } rows[] = {
        {{8, 8, 4, 4}, "8.0 GT/s x4 (max 8.0 x4)"},
        {{2.5, 16, 1, 4}, "2.5 GT/s x1 (max 16.0 x4)"},
        {{8, 0, 4, 0}, "8.0 GT/s x4"},
        {{6, 6, 0, 0}, "6.0 Gb/s (max 6.0)"},
        {{0, 8, 0, 4}, ""},
    };
    char words[48];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_string_equal(result_link_say(&rows[i].link, words, sizeof(words)), rows[i].words);
    }
    assert_false(result_link_degraded(&rows[0].link));
    assert_true(result_link_degraded(&rows[1].link));
    assert_false(result_link_degraded(&rows[2].link));
}

static void wrong_documents_are_refused_with_the_place(void **state)
{
    expect_refusal("\"schema_version\": 1", "\"schema_version\": 2", 0,
                   "schema_version: is 2, this program reads 1");
    expect_refusal("\"schema_version\": 1", "\"schema_version\": \"1\"", 0,
                   "schema_version: must be a whole number, not a string");
    expect_refusal("\"schema_version\": 1,", "", 0, "schema_version: must be a whole number");
    expect_refusal("\"schema_version\": 1,", "\"schema_version\": 1,,", 2, "run.json:2:");
    expect_refusal("\"seed\": \"18446744073709551557\"", "\"seed\": -1", 0, "run.seed: ");
    expect_refusal("\"seed\": \"18446744073709551557\"", "\"seed\": \"18446744073709551616\"", 0,
                   "run.seed: ");
    expect_refusal("\"tps\": ", "\"tps\": \"fast\", \"was\": ", 0,
                   "vms.0.tps: must be a number, not a string");
    expect_refusal("\"virtual_time\": true", "\"virtual_time\": 1", 0,
                   "run.virtual_time: must be true or false");
    expect_refusal("\"layout\": \"hdr", "\"layout\": \"tdigest", 0, "layout: must be \"hdr");
    expect_refusal("\"8192\": ", "\"8k\": ", 0, "vms.0.ios.0.sizes.8k: the size");
    expect_refusal("\"8192\": ", "\"4294967296\": ", 0, "sizes.4294967296");
    expect_refusal("\"kind\": \"new_order\"", "\"kind\": \"just_twenty_four_letters\"", 0,
                   "vms.0.txns.0.kind: longer than 23 bytes");
    expect_refusal("\"ended\": \"complete\"", "\"ended\": null", 0, "run.ended: is missing");
    expect_refusal("\"warnings\": []", "\"warnings\": [7]", 0,
                   "warnings.0: must be a string, not a whole number");
    expect_refusal("\"warnings\": []", "\"warnings\": {}", 0, "warnings: must be a list");
    expect_refusal("\"exit_code\": 0", "\"exit_code\": 4000", 0, "run.exit_code: must be 0 to 255");
    expect_refusal("\"users\": 400", "\"users\": 4e2", 0, "vms.0.users: ");
    expect_refusal("\"users\": 400", "\"users\": 400, \"users\": 500", 0, "duplicate");
}

static void keys_of_a_later_program_are_passed_over(void **state)
{
    struct result result, back;
    struct text text, changed;
    struct error err;

    sample_tpcc(&result, 1);
    text_init(&text);
    text_init(&changed);
    result_write_json(&result, &text);
    text_add(&changed, "{\"later\": {\"a\": [1, 2]},");
    text_add(&changed, text_string(&text) + 1);
    assert_int_equal(read_back(&back, text_string(&changed), changed.length, &err), 0);
    text_free(&text);
    text_free(&changed);
    result_free(&result);
    result_free(&back);
}

static void a_document_cut_anywhere_is_refused_and_leaks_nothing(void **state)
{
    struct result result, back;
    struct text text;
    struct error err;
    uint64_t held;
    size_t end;

    sample_tpcc(&result, 1);
    result.vms[0].txn_count = 1;
    result.aggregate.txn_count = 1;
    text_init(&text);
    result_write_json(&result, &text);
    end = text.length;
    while (end > 0 && text_string(&text)[end - 1] != '}') {
        end--;
    }
    held = mem_allocated_bytes();
    for (size_t n = 0; n < end; n++) {
        assert_int_not_equal(read_back(&back, text_string(&text), n, &err), 0);
        assert_int_equal(err.exit, EXIT_USAGE);
    }
    assert_int_equal(mem_allocated_bytes(), held);
    assert_int_equal(read_back(&back, text_string(&text), end, &err), 0);
    result_free(&back);
    text_free(&text);
    result_free(&result);
}

/* Each value of the document, one after the other, becomes one of another kind. */
static void every_value_of_a_wrong_kind_is_refused_or_read_without_harm(void **state)
{
    static const char *const other[] = {"null",  "[]",   "{}",   "-9223372036854775808",
                                        "1e308", "\"\"", "true", "9223372036854775807"};
    struct result result, back;
    struct text text, changed;
    struct error err;
    uint64_t held;
    uint32_t turn = 0;

    sample_tpcc(&result, 1);
    text_init(&text);
    text_init(&changed);
    result_write_json(&result, &text);
    held = mem_allocated_bytes();
    for (const char *at = strstr(text_string(&text), "\": "); at; at = strstr(at + 1, "\": ")) {
        size_t value = (size_t)(at - text_string(&text)) + 3;
        size_t n = strcspn(text_string(&text) + value, ",\n");

        if (strchr("{[", text_string(&text)[value])) {
            continue;
        }
        text_free(&changed);
        text_add_bytes(&changed, text_string(&text), value);
        text_add(&changed, other[turn++ % (sizeof(other) / sizeof(other[0]))]);
        text_add(&changed, text_string(&text) + value + n);
        if (read_back(&back, text_string(&changed), changed.length, &err) == 0) {
            result_derive(&back);
            result_free(&back);
        }
        text_free(&changed);
        assert_int_equal(mem_allocated_bytes(), held);
    }
    assert_true(turn > 300);
    text_free(&text);
    result_free(&result);
}

static void deep_nesting_is_refused(void **state)
{
    struct result back;
    struct text text;
    struct error err;

    text_init(&text);
    text_add(&text, "{\"schema_version\": 1, \"vms\": ");
    text_add_repeat(&text, '[', 1000000);
    assert_int_not_equal(read_back(&back, text_string(&text), text.length, &err), 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    text_free(&text);
}

static void too_many_of_anything_is_refused(void **state)
{
    struct result back;
    struct text text;
    struct error err;

    text_init(&text);
    text_add(&text, "{\"schema_version\": 1, \"vms\": [");
    for (int i = 0; i < RESULT_VMS + 1; i++) {
        text_addf(&text, "%s{}", i > 0 ? "," : "");
    }
    text_add(&text, "]}");
    assert_int_not_equal(read_back(&back, text_string(&text), text.length, &err), 0);
    assert_non_null(strstr(err.text, "vms: more than 64 elements"));
    text_free(&text);
}

static void the_digest_sees_what_was_measured_and_not_where(void **state)
{
    struct result result;
    char first[72], now[72];

    sample_tpcc(&result, 2);
    result_digest(&result, first);
    assert_int_equal(strlen(first), 64);
    snprintf(result.run.id, sizeof(result.run.id), "another");
    snprintf(result.run.started_utc, sizeof(result.run.started_utc), "2027");
    snprintf(result.run.build_id, sizeof(result.run.build_id), "clang");
    snprintf(result.host.hostname, sizeof(result.host.hostname), "elsewhere");
    snprintf(result.vms[0].host, sizeof(result.vms[0].host), "elsewhere");
    result.run.command[1][0] = 'R';
    result.run.wall_ns++;
    result.run.cpu_ns++;
    result.run.memory_bytes++;
    result.run.peak_memory_bytes++;
    result_digest(&result, now);
    assert_string_equal(first, now);
    result_free(&result);
}

static void the_digest_changes_with_every_figure(void **state)
{
    struct result result;
    char first[72], now[72];
    struct {
        void *at;
        bool real;
    } figures[] = {
        {&result.run.seed, false},
        {&result.aggregate.txns[0].done, false},
        {&result.phases[1].until_ns, false},
        {&result.drives[0].write_amplification, true},
        {&result.fairness, true},
        {&result.aggregate.response.p99_99_ns, false},
        {&result.aggregate.response.sumsq_ns2, false},
        {&result.aggregate.facts[4].value, true},
        {&result.aggregate.ios[2].sizes[0].count, false},
        {&result.aggregate.txns[0].spent_ns[4], false},
        {&result.aggregate.audit.ratio, true},
        {&result.aggregate.steady.drift_p, true},
        {NULL, true}, /* of the first check: below */
        {&result.precondition.bytes_written, false},
        {NULL, false}, /* of a VM: below */
    };

    sample_tpcc(&result, 2);
    result_digest(&result, first);
    figures[14].at = &result.vms[1].skipped;
    figures[12].at = &result.checks[0].found;
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        uint64_t was = *(uint64_t *)figures[i].at;

        if (figures[i].real) {
            *(double *)figures[i].at = nextafter(*(double *)figures[i].at, 1e300);
        } else {
            *(uint64_t *)figures[i].at = was ^ 1;
        }
        result_digest(&result, now);
        if (strcmp(first, now) == 0) {
            fail_msg("figure %zu does not count", i);
        }
        *(uint64_t *)figures[i].at = was;
    }
    result_digest(&result, now);
    assert_string_equal(first, now);
    result_free(&result);
}

static void the_documentation_is_the_table(void **state)
{
    const char *root = getenv("ROOT"), *bless = getenv("BLESS");
    char path[512];
    struct text made, kept;
    FILE *file;
    int c;

    if (!root) {
        skip();
    }
    snprintf(path, sizeof(path), "%s/docs/RESULT.md", root);
    text_init(&made);
    text_init(&kept);
    result_schema_markdown(&made);
    if (bless && strcmp(bless, "1") == 0) {
        file = fopen(path, "w");
        assert_non_null(file);
        fputs(text_string(&made), file);
        assert_int_equal(fclose(file), 0);
    }
    file = fopen(path, "r");
    assert_non_null(file);
    while ((c = fgetc(file)) != EOF) {
        text_add_char(&kept, (char)c);
    }
    fclose(file);
    if (strcmp(text_string(&made), text_string(&kept)) != 0) {
        fail_msg("docs/RESULT.md is not what result_schema says: run this test with BLESS=1");
    }
    text_free(&made);
    text_free(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_comes_back_byte_for_byte),
        cmocka_unit_test(an_empty_result_comes_back_too),
        cmocka_unit_test(the_layout_is_the_documented_one),
        cmocka_unit_test(what_is_known_of_a_drive_stays_known_and_no_more),
        cmocka_unit_test(a_link_in_words),
        cmocka_unit_test(wrong_documents_are_refused_with_the_place),
        cmocka_unit_test(keys_of_a_later_program_are_passed_over),
        cmocka_unit_test(a_document_cut_anywhere_is_refused_and_leaks_nothing),
        cmocka_unit_test(every_value_of_a_wrong_kind_is_refused_or_read_without_harm),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(too_many_of_anything_is_refused),
        cmocka_unit_test(the_digest_sees_what_was_measured_and_not_where),
        cmocka_unit_test(the_digest_changes_with_every_figure),
        cmocka_unit_test(the_documentation_is_the_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
