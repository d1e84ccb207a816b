// rooms: base stats result report
/* The page of one run: axes that fit what was measured, notes that are true, and charts that can be
 * read however many VMs there were.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/doc_page.h"
#include "report/doc_run.h"
#include "run_maker.h"
#include "sample_result.h"
#include "stats/hdr_log.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 20, EACH = 1000, COLOURS = 8, VMS = 24 };

static char place[64];

static int make_place(void **state)
{
    run_maker_place(place);
    return 0;
}

static int clear_place(void **state)
{
    run_maker_clear(place);
    return 0;
}

/* ---- heat map -------------------------------------------------------------------------------- */

/* Of 1,000 transactions a second so many take 0, so many 5 ns, the rest 8 to 12 ms, and one stalls.
 */
static void write_log(uint32_t zeros, uint32_t fast)
{
    struct text text = {0};
    struct hdr_log *log;
    struct hist hist;
    struct error err;
    char path[128];
    FILE *file;

    assert_int_equal(hdr_log_open(&log, &err), 0);
    hdr_log_header(&text, 0);
    for (uint32_t s = 0; s < SECONDS; s++) {
        hist_init(&hist);
        for (uint32_t i = 0; i < EACH; i++) {
            int64_t slow = s == 7 && i == EACH - 1 ? 3000000000 : 8000000 + (int64_t)i * 4000;

            hist_record(&hist, i < zeros ? 0 : i < zeros + fast ? 5 : slow);
        }
        hdr_log_line(log, &text, "vm0.point", s * 1000000000ll, 1000000000, &hist);
    }
    snprintf(path, sizeof(path), "%s/latency.hlog", place);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text_string(&text), 1, text.length, file), text.length);
    assert_int_equal(fclose(file), 0);
    hdr_log_close(log);
    text_free(&text);
}

static void read_heat(uint32_t zeros, uint32_t fast, struct heat *ret)
{
    struct result *result = mem_zalloc(sizeof(*result));
    struct error err;

    assert_non_null(result);
    write_log(zeros, fast);
    assert_int_equal(heat_read(ret, place, result, &err), 0);
    mem_free(result);
}

/* What took no time, and a few that were faster than all others, do not stretch the axis. */
static void the_axis_begins_where_response_times_do(void **state)
{
    struct heat heat;
    double counted = 0;

    read_heat(40, 0, &heat);
    assert_in_range((uint64_t)heat.y_edges[0], 5000000, 8000000);
    assert_true(heat.y_edges[heat.rows] >= 3e9); /* a stall is never cut off */
    assert_float_equal(heat.zeros, 40 * SECONDS, 0);
    assert_float_equal(heat.below, heat.zeros, 0);
    for (uint32_t i = 0; i < heat.rows * heat.columns; i++) {
        counted += heat.counts[i];
    }
    assert_float_equal(counted + heat.below, heat.total, 0);
    assert_float_equal(heat.total, SECONDS * EACH, 0);
    heat_free(&heat);
    read_heat(0, 1, &heat); /* one of 1,000: as many as are cut */
    assert_in_range((uint64_t)heat.y_edges[0], 5000000, 8000000);
    assert_float_equal(heat.below, SECONDS, 0);
    assert_float_equal(heat.zeros, 0, 0);
    heat_free(&heat);
    read_heat(0, 10, &heat); /* one of 100 is a way that transactions take */
    assert_in_range((uint64_t)heat.y_edges[0], 1, 5);
    assert_float_equal(heat.below, 0, 0);
    heat_free(&heat);
    read_heat(EACH, 0, &heat); /* nothing but the stall */
    assert_true(heat.rows == 0);
    heat_free(&heat);
}

/* ---- pages ----------------------------------------------------------------------------------- */

struct rig {
    struct result result;
    struct result_interval *rows;
    uint64_t row_count;
    struct heat heat;
    struct doc doc;
    struct text html, text;
};

static double rate_of(uint32_t vm, uint32_t second)
{
    return 100 + (vm * 7 + second * 5) % 24;
}

static void add_row(struct rig *rig, int32_t vm, uint32_t second, double tps)
{
    struct result_interval row = {.start_ns = second * 1000000000ll,
                                  .length_ns = 1000000000,
                                  .phase = "sample",
                                  .vm = vm,
                                  .due = (uint64_t)tps,
                                  .done = (uint64_t)tps,
                                  .tps = tps,
                                  .mean_ns = 1e6 * tps,
                                  .p99_ns = (int64_t)(2e6 * tps),
                                  .hit_ratio = NAN};

    rig->rows[rig->row_count++] = row;
}

static struct rig *make_page(uint32_t vms, uint32_t seconds)
{
    struct run_recipe recipe = {.vms = vms, .seconds = 60};
    struct rig *rig = mem_zalloc(sizeof(*rig));
    struct doc_page_source source = {.result = &rig->result};

    assert_non_null(rig);
    run_maker_result(&recipe, "run", &rig->result);
    for (uint32_t v = 0; v < vms; v++) {
        rig->result.vms[v].tps = 1000 + (v * 5) % vms;
    }
    rig->rows = mem_array((size_t)(vms + 1) * seconds, sizeof(*rig->rows));
    assert_non_null(rig->rows);
    for (uint32_t s = 0; s < seconds; s++) {
        double sum = 0;

        for (uint32_t v = 0; v < vms; v++) {
            add_row(rig, (int32_t)v, s, rate_of(v, s));
            sum += rate_of(v, s);
        }
        add_row(rig, -1, s, sum);
    }
    source.rows = rig->rows;
    source.row_count = rig->row_count;
    doc_init(&rig->doc);
    doc_page(&rig->doc, &source);
    doc_html(&rig->doc, &rig->html);
    assert_false(rig->doc.failed || rig->html.failed);
    return rig;
}

static void page_done(struct rig *rig)
{
    doc_free(&rig->doc);
    text_free(&rig->html);
    text_free(&rig->text);
    result_free(&rig->result);
    mem_free(rig->rows);
    mem_free(rig);
}

static bool shows(const struct rig *rig, const char *words)
{
    return strstr(text_string(&rig->html), words) != NULL;
}

/* The series of a chart by its key: "# all\n0 1200\n..."; "" if it has none, or is not there. */
static const char *chart_data(struct rig *rig, const char *key)
{
    for (uint32_t i = 0; i < rig->doc.block_count; i++) {
        const char *is;

        text_clear(&rig->text);
        is = doc_chart_data(&rig->doc, i, &rig->text);
        if (is && strcmp(is, key) == 0) {
            return text_string(&rig->text);
        }
    }
    return "";
}

static uint32_t count_series(const char *data)
{
    uint32_t count = 0;

    for (; data && *data; data = strchr(data, '\n') ? strchr(data, '\n') + 1 : NULL) {
        count += *data == '#';
    }
    return count;
}

static void thinning_is_said_where_it_was_done(void **state)
{
    static const struct {
        uint32_t vms, seconds;
        bool said;
    } cases[] = {{4, 605, false}, {1, 2000, false}, {1, 2001, true}, {4, 2001, true}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rig *rig = make_page(cases[i].vms, cases[i].seconds);

        assert_int_equal(shows(rig, "Of more than 2000 intervals"), cases[i].said);
        page_done(rig);
    }
}

/* As many lines as there are colours, whatever a page is of; of more VMs their ends and middle. */
static void lines_can_be_told_apart(void **state)
{
    static const uint32_t vms[] = {1, 2, 7, 8, VMS, 64};

    for (size_t i = 0; i < sizeof(vms) / sizeof(vms[0]); i++) {
        struct rig *rig = make_page(vms[i], 30);
        uint32_t own = vms[i] > 1 && vms[i] < COLOURS ? vms[i] : 0;

        for (uint32_t b = 0; b < rig->doc.block_count; b++) {
            text_clear(&rig->text);
            doc_chart_data(&rig->doc, b, &rig->text);
            assert_true(count_series(text_string(&rig->text)) <= COLOURS);
        }
        assert_int_equal(count_series(chart_data(rig, "time_tps")), 1 + own);
        assert_int_equal(count_series(chart_data(rig, "time_tps_vms")), vms[i] >= COLOURS ? 3 : 0);
        assert_int_equal(count_series(chart_data(rig, "time_p99")), vms[i] == 1 ? 0
                                                                    : own > 0   ? 1 + own
                                                                                : 4);
        assert_int_equal(shows(rig, "\"label\":\"all\",\"lead\":true"), vms[i] > 1);
        page_done(rig);
    }
}

static void the_lines_of_many_vms_are_their_ends_and_middle(void **state)
{
    struct rig *rig = make_page(VMS, 10);
    const char *data = chart_data(rig, "time_tps_vms");

    /* the rates of 24 VMs are 100 to 123 in every second */
    assert_non_null(strstr(data, "# lowest VM\n0 100\n1 100\n"));
    assert_non_null(strstr(data, "# median VM\n0 111\n1 111\n"));
    assert_non_null(strstr(data, "# highest VM\n0 123\n1 123\n"));
    data = chart_data(rig, "time_tps");
    assert_non_null(strstr(data, "# all\n0 2676\n"));
    /* and who they are over the whole sample: 5 v mod 24 is 0, 12 and 23 */
    assert_true(shows(rig, ">lowest, vm0<"));
    assert_true(shows(rig, ">median, vm12<"));
    assert_true(shows(rig, ">highest, vm19<"));
    page_done(rig);
}

static void what_was_rolled_back_is_said_beside_the_types(void **state)
{
    struct doc_text_options options = {.width = 200};

    for (int rolled_back = 0; rolled_back < 2; rolled_back++) {
        struct result result;
        struct text text = {0};
        struct doc doc;

        sample_tpcc(&result, 2);
        for (uint32_t i = 0; !rolled_back && i < result.aggregate.txn_count; i++) {
            result.aggregate.txns[i].rolled_back = 0;
        }
        doc_init(&doc);
        doc_run(&doc, &result, NULL);
        doc_text(&doc, &options, &text);
        assert_int_equal(strstr(text_string(&text), "the 120 that were rolled back") != NULL,
                         rolled_back);
        text_free(&text);
        doc_free(&doc);
        result_free(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_axis_begins_where_response_times_do, make_place,
                                        clear_place),
        cmocka_unit_test(thinning_is_said_where_it_was_done),
        cmocka_unit_test(lines_can_be_told_apart),
        cmocka_unit_test(the_lines_of_many_vms_are_their_ends_and_middle),
        cmocka_unit_test(what_was_rolled_back_is_said_beside_the_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
