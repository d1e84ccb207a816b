// rooms: base stats result report
/* Golden texts of a made-up run: the table, Markdown, CSV; and that nothing in it can do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "golden.h"
#include "report/doc_run.h"
#include "report/redact.h"
#include "result/result.h"
#include "sample_result.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum format { TEXT, COLOUR, MARKDOWN, CSV };

static void render(const struct result *result, enum format format, uint32_t width,
                   struct text *ret)
{
    struct doc_text_options options = {.width = width, .colour = format == COLOUR};
    struct doc doc;

    doc_init(&doc);
    doc_run(&doc, result, "results/20261130T091500Z-tpcc-1500-4vm-7f3a");
    assert_false(doc.failed);
    text_init(ret);
    if (format == MARKDOWN) {
        doc_markdown(&doc, ret);
    } else if (format == CSV) {
        doc_csv(&doc, ret);
    } else {
        doc_text(&doc, &options, ret);
    }
    assert_false(ret->failed);
    doc_free(&doc);
}

static void expect(const struct result *result, enum format format, uint32_t width,
                   const char *golden)
{
    struct text text;

    render(result, format, width, &text);
    golden_expect(golden, text_string(&text));
    text_free(&text);
}

static bool says(const struct result *result, const char *words)
{
    struct text text;
    bool found;

    render(result, TEXT, 120, &text);
    found = strstr(text_string(&text), words) != NULL;
    text_free(&text);
    return found;
}

static void a_run_of_four_vms_reads_as_designed(void **state)
{
    struct result result;

    sample_tpcc(&result, 4);
    expect(&result, TEXT, 120, "report_tpcc_120.txt");
    expect(&result, TEXT, 80, "report_tpcc_80.txt");
    expect(&result, MARKDOWN, 0, "report_tpcc.md");
    expect(&result, CSV, 0, "report_tpcc.csv");
    result_free(&result);
}

static void bare_requests_are_counted_in_iops(void **state)
{
    struct result result;

    sample_block(&result);
    expect(&result, TEXT, 120, "report_block_120.txt");
    assert_false(says(&result, "TPS"));
    assert_false(says(&result, "TPC"));
    result_free(&result);
}

static void what_failed_stands_in_the_report(void **state)
{
    struct result result;

    sample_tpcc(&result, 2);
    result.vms[1].txns[0].due++;
    result.vms[0].integrity.stamp_errors = 1;
    snprintf(result.vms[0].integrity.first, sizeof(result.vms[0].integrity.first),
             "VM 0, stock, page 77: expected version 3, found 2");
    snprintf(result.run.ended, sizeof(result.run.ended), "void");
    snprintf(result.vms[1].ended, sizeof(result.vms[1].ended), "failed");
    snprintf(result.vms[1].error, sizeof(result.vms[1].error), "read at 4096: I/O error");
    result_warn(&result, "link 8.0 GT/s x2 below its maximum of x4");
    result_derive(&result);
    expect(&result, COLOUR, 100, "report_void_100.txt");
    result_free(&result);
}

static void a_run_that_was_killed_early_says_so(void **state)
{
    struct result result;
    struct error err;

    assert_int_equal(result_init(&result, 1, &err), 0);
    snprintf(result.run.ended, sizeof(result.run.ended), "running");
    snprintf(result.vms[0].name, sizeof(result.vms[0].name), "vm0");
    result_derive(&result);
    assert_true(says(&result, "Partial result: still running, or killed"));
    assert_true(says(&result, "Nothing was measured yet"));
    result_free(&result);
}

/* A drive that was looked at before and after alone has a range all the same. */
static void a_temperature_without_its_range_is_that_of_the_ends(void **state)
{
    struct result result;

    sample_tpcc(&result, 1);
    result.drives[0].health.temperature_start_c = 38;
    result.drives[0].health.temperature_end_c = 41;
    result.drives[0].health.temperature_min_c = result.drives[0].health.temperature_max_c = NAN;
    assert_true(says(&result, "38 to 41 °C, 41 at the end"));
    result.drives[0].health.temperature_start_c = 41;
    assert_true(says(&result, " 41 °C"));
    assert_false(says(&result, "nan"));
    result_free(&result);
}

static void forget_sample(struct result_vm *vm)
{
    memset(&vm->response, 0, sizeof(vm->response));
    vm->fact_count = 0;
    for (uint32_t i = 0; i < vm->txn_count; i++) {
        memset(vm->txns[i].spent_ns, 0, sizeof(vm->txns[i].spent_ns));
        memset(&vm->txns[i].response, 0, sizeof(vm->txns[i].response));
        memset(&vm->txns[i].service, 0, sizeof(vm->txns[i].service));
    }
}

static void a_database_that_was_not_measured_is_no_bare_drive(void **state)
{
    struct result result;

    sample_tpcc(&result, 1);
    forget_sample(&result.vms[0]);
    forget_sample(&result.aggregate);
    snprintf(result.run.ended, sizeof(result.run.ended), "void");
    assert_true(says(&result, "hit%"));
    assert_true(says(&result, "Transaction types"));
    assert_false(says(&result, "IOPS"));
    assert_false(says(&result, "Streams"));
    /* another mix: no name tells what it is, the engine does */
    for (uint32_t i = 0; i < result.aggregate.txn_count; i++) {
        snprintf(result.aggregate.txns[i].kind, sizeof(result.aggregate.txns[i].kind), "k%u", i);
    }
    result_fact_set(&result.aggregate, "page_accesses", 0);
    assert_true(says(&result, "hit%"));
    assert_false(says(&result, "The database"));
    result_free(&result);
}

static void no_line_is_wider_than_the_page(void **state)
{
    struct result result;

    sample_tpcc(&result, 4);
    for (uint32_t width = 80; width <= 120; width++) {
        struct text text;
        uint32_t column = 0;

        render(&result, TEXT, width, &text);
        for (const char *at = text_string(&text); *at != '\0'; at++) {
            column = *at == '\n' ? 0 : column + (((unsigned char)*at & 0xc0) != 0x80);
            assert_true(column <= width);
        }
        text_free(&text);
    }
    result_free(&result);
}

static void colour_only_adds(void **state)
{
    struct result result;
    struct text plain, coloured, bare;

    sample_tpcc(&result, 4);
    render(&result, TEXT, 120, &plain);
    render(&result, COLOUR, 120, &coloured);
    text_init(&bare);
    for (const char *at = text_string(&coloured); *at != '\0'; at++) {
        if (*at == '\033') {
            at = strchr(at, 'm');
        } else {
            text_add_char(&bare, *at);
        }
    }
    assert_string_equal(text_string(&plain), text_string(&bare));
    assert_true(coloured.length > plain.length);
    text_free(&plain);
    text_free(&coloured);
    text_free(&bare);
    result_free(&result);
}

/* The command of a bench-pair has both drives' serial numbers, a run's drives one. */
static void the_other_drive_of_a_pair_is_left_out_too(void **state)
{
    static const char *const words[] = {
        "rawtps", "bench-pair", "--erase-a", "ONE-1234", "--erase_b=TWO-5678", "--erase", "S9"};
    struct result result, other;
    struct set set;
    struct result *held = mem_zalloc(sizeof(*held));

    sample_tpcc(&result, 1);
    snprintf(result.drives[0].serial, sizeof(result.drives[0].serial), "ONE-1234");
    for (uint32_t i = 0; i < result.run.command_count; i++) {
        mem_free(result.run.command[i]);
    }
    mem_free(result.run.command);
    result.run.command = mem_array(7, sizeof(char *));
    result.run.command_count = 7;
    for (uint32_t i = 0; i < 7; i++) {
        result.run.command[i] = mem_strdup(words[i]);
    }
    snprintf(result.scenario.settings, sizeof(result.scenario.settings), "note=TWO-5678");
    redact_serials(&result, NULL);
    assert_string_equal(result.run.command[3], "xxxxxxxx");
    assert_string_equal(result.run.command[4], "--erase_b=xxxxxxxx");
    assert_string_equal(result.run.command[6], "xx");
    assert_string_equal(result.scenario.settings, "note=xxxxxxxx");
    assert_string_equal(result.drives[0].serial, "redacted");
    assert_string_equal(result.run.command[1], "bench-pair");
    result_free(&result);

    /* of two runs, the one knows the other's */
    set_init(&set, "x");
    assert_non_null(held);
    sample_tpcc(held, 1);
    sample_tpcc(&other, 1);
    snprintf(held->drives[0].serial, sizeof(held->drives[0].serial), "ONE-1234");
    snprintf(other.drives[0].serial, sizeof(other.drives[0].serial), "TWO-5678");
    snprintf(other.run.label, sizeof(other.run.label), "not ONE-1234");
    set.runs = mem_array(2, sizeof(*set.runs));
    assert_non_null(set.runs);
    set.runs[set.run_count++].result = held;
    set.runs[set.run_count].result = mem_zalloc(sizeof(other));
    *set.runs[set.run_count++].result = other;
    redact_set(&set);
    assert_string_equal(set.runs[1].result->run.label, "not xxxxxxxx");
    set_free(&set);
}

static void hostile_names_stay_inert(void **state)
{
    static const char *const evil[] = {"\033[2Jx",
                                       "a\r\nb",
                                       ("\xc2\x9b"
                                        "31m"),
                                       "</script>",
                                       "a|b\"c,d",
                                       "\xff\xfe"};
    static const enum format formats[] = {TEXT, MARKDOWN, CSV};

    for (size_t i = 0; i < sizeof(evil) / sizeof(evil[0]); i++) {
        for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
            struct result result;
            struct text text;

            sample_tpcc(&result, 1);
            snprintf(result.scenario.name, sizeof(result.scenario.name), "%s", evil[i]);
            snprintf(result.drives[0].serial, sizeof(result.drives[0].serial), "%s", evil[i]);
            snprintf(result.vms[0].name, sizeof(result.vms[0].name), "%s", evil[i]);
            snprintf(result.vms[0].txns[0].kind, sizeof(result.vms[0].txns[0].kind), "%s", evil[i]);
            result_warn(&result, "%s", evil[i]);
            render(&result, formats[f], 100, &text);
            for (const char *at = text_string(&text); *at != '\0'; at++) {
                unsigned char c = (unsigned char)*at;

                assert_true(c >= ' ' || c == '\n' || (c == '\r' && at[1] == '\n'));
                assert_true(c != 0x7f && c != 0xff);
                assert_false(c == 0xc2 && (unsigned char)at[1] < 0xa0);
            }
            if (formats[f] == MARKDOWN) {
                assert_null(strstr(text_string(&text), "</script>"));
            }
            text_free(&text);
            result_free(&result);
        }
    }
}

/* A reader of RFC 4180 for one row: how many fields it has. */
static uint32_t fields_of(const char **row)
{
    uint32_t fields = 1;
    bool quoted = false;
    const char *at = *row;

    for (; *at != '\0' && (quoted || *at != '\r'); at++) {
        quoted = *at == '"' ? !quoted : quoted;
        fields += *at == ',' && !quoted;
    }
    *row = *at == '\r' ? at + 2 : at;
    return fields;
}

static void every_row_of_a_csv_table_is_as_long_as_its_header(void **state)
{
    struct result result;
    struct text text;
    const char *at;
    uint32_t tables = 0;

    sample_tpcc(&result, 4);
    snprintf(result.vms[2].name, sizeof(result.vms[2].name), "a,\"b\"");
    render(&result, CSV, 0, &text);
    for (at = text_string(&text); *at != '\0'; tables++) {
        uint32_t header;

        assert_int_equal(fields_of(&at), 1);
        header = fields_of(&at);
        assert_true(header > 5);
        while (*at != '\0' && *at != '\r') {
            assert_int_equal(fields_of(&at), header);
        }
        at += *at == '\r' ? 2 : 0;
    }
    assert_int_equal(tables, 5);
    text_free(&text);
    result_free(&result);
}

static void any_number_can_be_shown(void **state)
{
    static const double numbers[] = {0,  -0.0, 0.0001, 0.9996, 9.996, 99.96,    999999.5,
                                     -5, 1e15, 1e300,  -1e300, NAN,   INFINITY, 5e-324};
    static const struct doc_column columns[] = {{"a", "a", DOC_LEFT},
                                                {"b", "b", DOC_RIGHT},
                                                {"c", "c", DOC_RIGHT},
                                                {"d", "d", DOC_RIGHT},
                                                {"e", "e", DOC_RIGHT}};
    struct doc_text_options options = {.width = 80};
    struct text text;
    struct doc doc;

    doc_init(&doc);
    doc_table(&doc, "numbers", columns, 5);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        doc_cell(&doc, "%g", numbers[i]);
        doc_cell_number(&doc, numbers[i]);
        doc_cell_duration(&doc, numbers[i]);
        doc_cell_share(&doc, numbers[i], true);
        doc_cell_size(&doc, numbers[i]);
    }
    text_init(&text);
    doc_text(&doc, &options, &text);
    golden_expect("report_numbers.txt", text_string(&text));
    text_free(&text);
    doc_free(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_of_four_vms_reads_as_designed),
        cmocka_unit_test(bare_requests_are_counted_in_iops),
        cmocka_unit_test(what_failed_stands_in_the_report),
        cmocka_unit_test(a_run_that_was_killed_early_says_so),
        cmocka_unit_test(a_temperature_without_its_range_is_that_of_the_ends),
        cmocka_unit_test(a_database_that_was_not_measured_is_no_bare_drive),
        cmocka_unit_test(no_line_is_wider_than_the_page),
        cmocka_unit_test(colour_only_adds),
        cmocka_unit_test(the_other_drive_of_a_pair_is_left_out_too),
        cmocka_unit_test(hostile_names_stay_inert),
        cmocka_unit_test(every_row_of_a_csv_table_is_as_long_as_its_header),
        cmocka_unit_test(any_number_can_be_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
