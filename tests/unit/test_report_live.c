// rooms: base stats result report
/* The live view on a terminal that a test can read, and the lines for those without one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "golden.h"
#include "report/live.h"
#include "report/progress.h"
#include "sample_result.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const warnings[] = {"first", "link below its maximum", "odd \033[2J name"};

static void frame_of(struct live_frame *frame, uint32_t vms)
{
    memset(frame, 0, sizeof(*frame));
    snprintf(frame->scenario, sizeof(frame->scenario), "sysbench-4vm");
    snprintf(frame->drive, sizeof(frame->drive), "/dev/nvme1n1 H3201 E1.S fw 2.0.3");
    snprintf(frame->phase, sizeof(frame->phase), "precondition");
    snprintf(frame->next_phase, sizeof(frame->next_phase), "sample");
    frame->elapsed_ns = 1300000000000;
    frame->length_ns = 3600000000000;
    frame->at_ns = 1300000000000;
    frame->eta_ns = 5900000000000;
    frame->vm_count = vms;
    frame->users = 32;
    snprintf(frame->users_word, sizeof(frame->users_word), "threads");
    for (uint32_t i = 0; i <= vms; i++) {
        struct live_row *row = i < vms ? &frame->vms[i] : &frame->all;
        double n = i < vms ? 1 : vms;

        *row = (struct live_row){.tps_now = (2158 + i) * n,
                                 .tps_avg = 2161 * n,
                                 .avg_ns = 14800000,
                                 .p50_ns = 13200000,
                                 .p95_ns = 22600000,
                                 .p99_ns = 27500000,
                                 .p99_9_ns = 45000000,
                                 .max_ns = 131000000,
                                 .stddev_ns = 4900000,
                                 .read_mb_s = 412 * n,
                                 .write_mb_s = 188 * n,
                                 .hit_ratio = i == 1 ? NAN : 0.931,
                                 .errors = i};
    }
    frame->concurrency = 127.9;
    frame->users_total = 128;
    snprintf(frame->audit, sizeof(frame->audit), "ok");
    frame->statements_per_s[0] = 121046.8;
    frame->statements_per_s[1] = 34584.8;
    frame->statements_per_s[2] = 17292.4;
    frame->history.step_ns = 1000000000;
    for (int i = 0; i < 1300; i++) {
        live_history_add(&frame->history, i / 100 == 7 ? 2000 : 8600 + i % 7 * 20);
    }
}

/* A terminal of our own: what the bytes leave on the screen. Lines wrap at `width`. */
enum { SCREEN_ROWS = 200, SCREEN_COLUMNS = 200 };
struct screen {
    char cells[SCREEN_ROWS][SCREEN_COLUMNS][5];
    uint32_t width, row, column;
};

static void screen_put(struct screen *screen, const char *character, size_t n)
{
    if (screen->column == screen->width) {
        screen->row++;
        screen->column = 0;
    }
    assert_true(screen->row < SCREEN_ROWS);
    memcpy(screen->cells[screen->row][screen->column], character, n);
    screen->cells[screen->row][screen->column++][n] = '\0';
}

static void screen_clear(struct screen *screen, bool below)
{
    for (uint32_t c = screen->column; c < SCREEN_COLUMNS; c++) {
        screen->cells[screen->row][c][0] = '\0';
    }
    for (uint32_t r = screen->row + 1; below && r < SCREEN_ROWS; r++) {
        memset(screen->cells[r], 0, sizeof(screen->cells[r]));
    }
}

static const char *screen_control(struct screen *screen, const char *at)
{
    unsigned n = 0;

    assert_int_equal(at[1], '[');
    for (at += 2; *at >= '0' && *at <= '9'; at++) {
        n = n * 10 + (unsigned)(*at - '0');
    }
    switch (*at) {
    case 'A':
        assert_true(n <= screen->row);
        screen->row -= n;
        break;
    case 'K':
        screen_clear(screen, false);
        break;
    case 'J':
        screen_clear(screen, true);
        break;
    case 'm':
        break;
    default:
        fail_msg("a control sequence that is not ours: %c", *at);
    }
    return at + 1;
}

static void screen_write(struct screen *screen, const char *at)
{
    while (*at != '\0') {
        size_t n = text_utf8(at, strlen(at));

        assert_true(n > 0);
        if (*at == '\033') {
            at = screen_control(screen, at);
            continue;
        }
        if (*at == '\n') {
            screen->row++;
            screen->column = 0;
        } else if (*at == '\r') {
            screen->column = 0;
        } else {
            assert_true((unsigned char)*at >= ' ');
            screen_put(screen, at, n);
        }
        at += n;
    }
}

static void screen_text(const struct screen *screen, struct text *ret)
{
    uint32_t rows = SCREEN_ROWS;

    while (rows > 0 && screen->cells[rows - 1][0][0] == '\0') {
        rows--;
    }
    text_clear(ret);
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < screen->width && screen->cells[r][c][0] != '\0'; c++) {
            text_add(ret, screen->cells[r][c]);
        }
        text_add_char(ret, '\n');
    }
}

static void draw(struct screen *screen, struct live_view *view, const struct live_frame *frame,
                 uint32_t height)
{
    struct text text;

    text_init(&text);
    live_draw(view, frame, screen->width, height, true, &text);
    screen_write(screen, text_string(&text));
    text_free(&text);
}

static void a_frame_looks_as_designed(void **state)
{
    static const uint32_t widths[] = {160, 120, 80, 40};
    struct live_frame frame;
    struct text text;
    char name[32];

    frame_of(&frame, 4);
    frame.warnings = warnings;
    frame.warning_count = 3;
    text_init(&text);
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        text_clear(&text);
        live_plain(&frame, widths[i], &text);
        snprintf(name, sizeof(name), "live_%u.txt", widths[i]);
        golden_expect(name, text_string(&text));
    }
    text_free(&text);
}

static void redrawing_leaves_only_the_last_frame(void **state)
{
    struct screen *screen = calloc(1, sizeof(*screen)), *fresh = calloc(1, sizeof(*fresh));
    struct live_view view = {0}, first = {0};
    struct live_frame frame;
    struct text now, once;

    assert_true(screen && fresh);
    text_init(&now);
    text_init(&once);
    screen->width = fresh->width = 120;
    frame_of(&frame, 4);
    frame.warnings = warnings;
    frame.warning_count = 3;
    for (int i = 0; i < 5; i++) {
        draw(screen, &view, &frame, 50);
    }
    frame.warning_count = 0; /* fewer lines than before */
    frame.all.tps_now = 7;
    draw(screen, &view, &frame, 50);
    draw(fresh, &first, &frame, 50);
    screen_text(screen, &now);
    screen_text(fresh, &once);
    assert_string_equal(text_string(&now), text_string(&once));
    text_free(&now);
    text_free(&once);
    free(screen);
    free(fresh);
}

/* What the terminal does with the lines of a wider frame: it wraps them. */
static void a_narrower_terminal_is_drawn_over_cleanly(void **state)
{
    struct screen *wide = calloc(1, sizeof(*wide)), *narrow = calloc(1, sizeof(*narrow));
    struct screen *fresh = calloc(1, sizeof(*fresh));
    struct live_view view = {0}, first = {0};
    struct live_frame frame;
    struct text now, once;

    assert_true(wide && narrow && fresh);
    text_init(&now);
    text_init(&once);
    wide->width = 160;
    narrow->width = fresh->width = 60;
    frame_of(&frame, 4);
    draw(wide, &view, &frame, 50);
    screen_text(wide, &now);
    screen_write(narrow, text_string(&now)); /* wrapped */
    draw(narrow, &view, &frame, 50);
    draw(fresh, &first, &frame, 50);
    screen_text(narrow, &now);
    screen_text(fresh, &once);
    assert_string_equal(text_string(&now), text_string(&once));
    text_free(&now);
    text_free(&once);
    free(wide);
    free(narrow);
    free(fresh);
}

static void a_frame_fits_the_terminal(void **state)
{
    struct screen *screen = calloc(1, sizeof(*screen));
    struct live_frame frame;
    struct text text;

    assert_non_null(screen);
    frame_of(&frame, 64);
    text_init(&text);
    for (uint32_t height = 12; height < 90; height++) {
        struct live_view view = {0};

        memset(screen, 0, sizeof(*screen));
        screen->width = 20 + height;
        draw(screen, &view, &frame, height);
        assert_true(screen->row < height);
        screen_text(screen, &text);
        assert_non_null(strstr(text_string(&text), "\n  all"));
        assert_true(height >= 72 || strstr(text_string(&text), "more VMs"));
    }
    text_free(&text);
    free(screen);
}

static void drawing_allocates_nothing_once_there_is_room(void **state)
{
    struct live_view view = {0};
    struct live_frame frame;
    struct text text;
    uint64_t before;

    frame_of(&frame, 64);
    frame.warnings = warnings;
    frame.warning_count = 3;
    text_init(&text);
    assert_true(text_reserve(&text, 64 * 1024));
    before = mem_allocations();
    live_draw(&view, &frame, 200, 0, true, &text);
    live_history_add(&frame.history, 1);
    assert_true(text.length > 1000);
    assert_int_equal(mem_allocations(), before);
    text_free(&text);
}

static void history_halves_and_keeps_the_mean(void **state)
{
    struct live_history history = {.step_ns = 1000000000};
    double sum = 0;

    for (int i = 0; i < 64 * 64; i++) {
        live_history_add(&history, i);
        assert_true(history.count < LIVE_HISTORY);
    }
    assert_int_equal(history.step_ns, 128000000000);
    assert_int_equal(history.count, 32);
    for (uint32_t i = 0; i < history.count; i++) {
        sum += history.values[i];
    }
    assert_true(fabs(sum / history.count - (64 * 64 - 1) / 2.0) < 1e-9);
}

static void progress_lines_are_those_that_parsers_know(void **state)
{
    struct result_interval interval = {.start_ns = 1290000000000,
                                       .length_ns = 10000000000,
                                       .phase = "sample",
                                       .vm = -1,
                                       .done = 86462,
                                       .failed = 5,
                                       .tps = 8646.2,
                                       .mean_ns = 14800000,
                                       .stddev_ns = 4900000,
                                       .p99_ns = 27170000,
                                       .max_ns = 141000000};
    struct live_frame frame;
    struct text text;
    enum progress_style style;

    frame_of(&frame, 4);
    text_init(&text);
    for (uint32_t i = 0; i < PROGRESS_STYLES; i++) {
        assert_true(progress_style_find(progress_style_names[i], &style));
        progress_line(style, &frame, &interval, &text);
    }
    assert_false(progress_style_find("fio", &style));
    golden_expect("progress.txt", text_string(&text));
    text_free(&text);
}

static void each_object_is_one_line_of_json(void **state)
{
    struct result_interval interval;
    const struct json_node *root;
    struct text text;
    struct error err;

    text_init(&text);
    for (int32_t vm = -1; vm < SAMPLE_VMS; vm++) {
        sample_interval(vm, 5, &interval);
        snprintf(interval.phase, sizeof(interval.phase), "a \"b\"\n");
        text_clear(&text);
        progress_json(&interval, &text);
        assert_int_equal(strcspn(text_string(&text), "\n"), text.length - 1);
        root = json_parse(text_string(&text), text.length, "x", &err);
        assert_non_null(root);
        assert_true(json_num_or(root, "t", 0) == 36);
        assert_string_equal(json_string_or(root, "phase", ""), "a \"b\"\n");
        assert_true(json_num_or(root, "tps", 0) == interval.tps);
        assert_int_equal(json_int_or(root, "lat.p99_9", 0), (interval.p99_9_ns + 500) / 1000);
        assert_int_equal(json_int_or(root, "vm", -1), vm);
        assert_true(vm >= 0 || strcmp(json_string_or(root, "vm", ""), "all") == 0);
        json_free(root);
    }
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_looks_as_designed),
        cmocka_unit_test(redrawing_leaves_only_the_last_frame),
        cmocka_unit_test(a_narrower_terminal_is_drawn_over_cleanly),
        cmocka_unit_test(a_frame_fits_the_terminal),
        cmocka_unit_test(drawing_allocates_nothing_once_there_is_room),
        cmocka_unit_test(history_halves_and_keeps_the_mean),
        cmocka_unit_test(progress_lines_are_those_that_parsers_know),
        cmocka_unit_test(each_object_is_one_line_of_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
