#include "report/live.h"

#include "base/units.h"
#include "figures.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR = 14, SPARKS = 8, MINUTE_S = 60, HOUR_S = 3600 };

void live_history_add(struct live_history *history, double tps)
{
    if (history->first_ns == 0) {
        history->first_ns = history->step_ns > 0 ? history->step_ns : 1;
        history->step_ns = history->first_ns;
    }
    history->sum += tps;
    history->joined++;
    if (history->joined * history->first_ns < history->step_ns) {
        return;
    }
    history->values[history->count++] = history->sum / history->joined;
    history->sum = 0;
    history->joined = 0;
    if (history->count == LIVE_HISTORY) {
        for (uint32_t i = 0; i < LIVE_HISTORY / 2; i++) {
            history->values[i] = (history->values[2 * i] + history->values[2 * i + 1]) / 2;
        }
        history->count = LIVE_HISTORY / 2;
        history->step_ns *= 2;
    }
}

/* Columns in their order; those with the highest `drop` go first where there is no room. */
struct column {
    const char *title;
    uint8_t width, drop;
};
enum { VM, NOW, AVERAGE, AVG, P50, P95, P99, P99_9, MAX, STDDEV, READ, WRITE, HIT, ERR, COLUMNS };
static const struct column columns[COLUMNS] = {
    [VM] = {"VM", 4, 0},         [NOW] = {"now", 8, 0},      [AVERAGE] = {"mean", 8, 2},
    [AVG] = {"avg", 7, 0},       [P50] = {"p50", 7, 8},      [P95] = {"p95", 7, 6},
    [P99] = {"p99", 7, 0},       [P99_9] = {"p99.9", 7, 7},  [MAX] = {"max", 7, 4},
    [STDDEV] = {"stddev", 7, 9}, [READ] = {"rd MB/s", 8, 5}, [WRITE] = {"wr MB/s", 8, 5},
    [HIT] = {"hit%", 6, 3},      [ERR] = {"err", 5, 0},
};

static void choose_columns(uint32_t width, bool shown[COLUMNS])
{
    uint32_t used = 0;

    for (uint32_t c = 0; c < COLUMNS; c++) {
        shown[c] = true;
        used += columns[c].width + 1u;
    }
    for (uint8_t drop = 9; drop > 0 && used >= width; drop--) {
        for (uint32_t c = 0; c < COLUMNS; c++) {
            if (columns[c].drop == drop) {
                shown[c] = false;
                used -= columns[c].width + 1u;
            }
        }
    }
}

static void add_right(struct text *out, const char *word, uint32_t width)
{
    uint32_t is = figure_width(word);

    text_add_repeat(out, ' ', 1 + (is < width ? width - is : 0));
    text_add(out, word);
}

static void add_titles(struct text *out, const struct live_frame *frame, const bool *shown)
{
    for (uint32_t c = 0; c < COLUMNS; c++) {
        char title[FIGURE_TEXT];

        snprintf(title, sizeof(title), "%s%s",
                 c != NOW && c != AVERAGE ? ""
                 : frame->iops            ? "IOPS "
                                          : "TPS ",
                 columns[c].title);
        if (shown[c]) {
            add_right(out, title, columns[c].width);
        }
    }
    text_add_char(out, '\n');
}

static void add_row(struct text *out, const char *name, const struct live_row *row,
                    const bool *shown)
{
    char cells[COLUMNS][FIGURE_TEXT];

    snprintf(cells[VM], FIGURE_TEXT, "%s", name);
    figure_number(row->tps_now, cells[NOW]);
    figure_number(row->tps_avg, cells[AVERAGE]);
    figure_duration((double)row->avg_ns, cells[AVG]);
    figure_duration((double)row->p50_ns, cells[P50]);
    figure_duration((double)row->p95_ns, cells[P95]);
    figure_duration((double)row->p99_ns, cells[P99]);
    figure_duration((double)row->p99_9_ns, cells[P99_9]);
    figure_duration((double)row->max_ns, cells[MAX]);
    figure_duration((double)row->stddev_ns, cells[STDDEV]);
    figure_number(row->read_mb_s, cells[READ]);
    figure_number(row->write_mb_s, cells[WRITE]);
    figure_share(row->hit_ratio, cells[HIT]);
    figure_count(row->errors, cells[ERR]);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        if (shown[c]) {
            add_right(out, cells[c], columns[c].width);
        }
    }
    text_add_char(out, '\n');
}

/* `most`: rows of single VMs that there is room for. */
static void add_table(struct text *out, const struct live_frame *frame, uint32_t width,
                      uint32_t most)
{
    bool shown[COLUMNS];
    uint32_t vms = frame->vm_count < most ? frame->vm_count : most;
    char name[FIGURE_TEXT];

    vms = vms > LIVE_VMS ? LIVE_VMS : vms;
    choose_columns(width, shown);
    add_titles(out, frame, shown);
    for (uint32_t i = 0; i < vms; i++) {
        snprintf(name, sizeof(name), "%u", i);
        add_row(out, name, &frame->vms[i], shown);
    }
    if (vms < frame->vm_count) {
        text_addf(out, "  ... and %u more VMs\n", frame->vm_count - vms);
    }
    add_row(out, "all", &frame->all, shown);
}

static void add_eta(struct text *out, int64_t ns)
{
    int64_t s = ns / 1000000000;

    if (ns < 0) {
        return;
    }
    if (s < MINUTE_S) {
        text_addf(out, "  ETA %ds", (int)s);
    } else if (s < HOUR_S) {
        text_addf(out, "  ETA %dm", (int)(s / MINUTE_S));
    } else {
        text_addf(out, "  ETA %lldh%02dm", (long long)(s / HOUR_S), (int)(s / MINUTE_S % 60));
    }
}

static void add_progress(struct text *out, const struct live_frame *frame)
{
    char is[UNITS_TEXT], of[UNITS_TEXT];

    text_addf(out, "%s %s", frame->phase,
              units_format_clock(frame->elapsed_ns > 0 ? frame->elapsed_ns : 0, is, sizeof(is)));
    if (frame->length_ns > 0) {
        double share = (double)frame->elapsed_ns / (double)frame->length_ns;
        int full;

        share = share < 0 ? 0 : share > 1 ? 1 : share;
        full = (int)(share * BAR);
        text_addf(out, "/%s ", units_format_clock(frame->length_ns, of, sizeof(of)));
        for (int i = 0; i < BAR; i++) {
            text_add(out, i < full ? "▓" : "░");
        }
        text_addf(out, " %d%%", (int)(share * 100));
    }
    if (frame->next_phase[0] != '\0') {
        text_addf(out, "  next %s", frame->next_phase);
    }
    add_eta(out, frame->eta_ns);
}

/* Put `count` spaces, or a new line and a space, before what stands from `at` on. */
static void part(struct text *out, size_t at, uint32_t count)
{
    size_t bytes = count > 0 ? count : 2, tail = out->length - at;

    text_add_repeat(out, ' ', bytes);
    if (!out->failed) {
        memmove(out->data + at + bytes, out->data + at, tail);
        memset(out->data + at, ' ', bytes);
        out->data[at] = count > 0 ? ' ' : '\n';
    }
}

/* Who and where, and how far: on one line if there is room. */
static void add_head(struct text *out, const struct live_frame *frame, uint32_t width)
{
    size_t begin = out->length, middle;
    uint32_t left, right;
    char buf[FIGURE_TEXT];

    text_addf(out, "rawtps %s · %s · %u VM%s", frame->scenario, frame->drive, frame->vm_count,
              frame->vm_count == 1 ? "" : "s");
    if (frame->users > 0) {
        text_addf(out, " x %s %s", figure_count(frame->users, buf), frame->users_word);
    }
    middle = out->length;
    add_progress(out, frame);
    right = figure_width(text_string(out) + middle);
    left = figure_width(text_string(out) + begin) - right;
    part(out, middle, left + 2 + right < width ? width - 1 - left - right : 0);
    text_add_char(out, '\n');
}

static void add_audit(struct text *out, const struct live_frame *frame)
{
    char held[FIGURE_TEXT], n[FIGURE_TEXT];

    if (frame->users_total > 0) {
        text_addf(out, " N = X·(R+Z): %s of %s %s\n", figure_number(frame->concurrency, held),
                  figure_number(frame->users_total, n), frame->audit);
    }
}

static void add_sparks(struct text *out, const struct live_frame *frame, uint32_t width)
{
    static const char *const sparks[SPARKS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct live_history *history = &frame->history;
    uint32_t room = width > 24 ? width - 24 : 0;
    uint32_t from = history->count > room ? history->count - room : 0;
    char step[UNITS_TEXT];
    double most = 0;

    if (history->count == 0 || room == 0) {
        return;
    }
    for (uint32_t i = from; i < history->count; i++) {
        most = fmax(most, history->values[i]);
    }
    text_add(out, frame->iops ? " IOPS " : " TPS ");
    for (uint32_t i = from; i < history->count; i++) {
        double share = most > 0 ? history->values[i] / most : 0;
        int level = (int)(share * SPARKS);

        text_add(out, sparks[level < 0 ? 0 : level >= SPARKS ? SPARKS - 1 : level]);
    }
    text_addf(out, " (%s/char)\n", units_format_period(history->step_ns, step, sizeof(step)));
}

static void add_warnings(struct text *out, const struct live_frame *frame)
{
    uint32_t count = frame->warning_count;

    for (uint32_t i = count > LIVE_WARNINGS ? count - LIVE_WARNINGS : 0; i < count; i++) {
        const char *at = frame->warnings[i];

        text_add(out, " warning: ");
        for (; *at != '\0'; at++) {
            text_add_char(out, (unsigned char)*at < ' ' || *at == 0x7f ? '?' : *at);
        }
        text_add_char(out, '\n');
    }
}

static void lay_out(const struct live_frame *frame, uint32_t width, uint32_t height,
                    struct text *out)
{
    uint32_t warnings = frame->warning_count < LIVE_WARNINGS ? frame->warning_count : LIVE_WARNINGS;
    uint32_t others = 8 + warnings; /* head 2, titles, "more", all, audit, sparks, cursor */

    add_head(out, frame, width);
    add_table(out, frame, width, height == 0 ? LIVE_VMS : height <= others ? 0 : height - others);
    add_audit(out, frame);
    add_sparks(out, frame, width);
    add_warnings(out, frame);
}

void live_plain(const struct live_frame *frame, uint32_t width, struct text *ret)
{
    lay_out(frame, width, 0, ret);
}

/* Rows of the terminal that the last frame takes now, at `width`. */
static uint32_t rows_taken(const struct live_view *view, uint32_t width)
{
    uint32_t rows = 0;

    for (uint32_t i = 0; i < view->lines; i++) {
        uint32_t is = view->widths[i];

        rows += is > width && width > 0 ? (is + width - 1) / width : 1;
    }
    return rows;
}

/* One line as the terminal gets it, cut to `width`. Returns the columns that it takes. */
static uint16_t draw_line(struct text *out, const char *line, size_t bytes, uint32_t width,
                          bool colour)
{
    bool warning = colour && bytes > 10 && memcmp(line, " warning: ", 10) == 0;
    size_t cut = figure_cut(line, width);
    uint16_t columns_taken = 0;

    cut = cut < bytes ? cut : bytes;
    text_add(out, warning ? "\033[33m" : "");
    text_add_bytes(out, line, cut);
    text_add(out, warning ? "\033[0m" : "");
    text_add(out, "\033[K\n");
    for (size_t i = 0; i < cut; i++) {
        columns_taken += ((unsigned char)line[i] & 0xc0) != 0x80;
    }
    return columns_taken;
}

/*
 * The lines are laid out at the end of ret, drawn behind that, and what was drawn is moved to the
 * front: so whoever reserves room in ret allocates nothing while a run measures.
 */
void live_draw(struct live_view *view, const struct live_frame *frame, uint32_t width,
               uint32_t height, bool colour, struct text *ret)
{
    uint32_t up = rows_taken(view, width), most = width > 1 ? width - 1 : 1;
    size_t begin = ret->length, drawn, bytes;

    lay_out(frame, width, height, ret);
    drawn = ret->length;
    /* the lines are read while ret grows: it must not move */
    if (!text_reserve(ret, (drawn - begin) + (size_t)LIVE_LINES * 16 + 64)) {
        return;
    }
    if (up > 0) {
        text_addf(ret, "\r\033[%uA", up);
    }
    view->lines = 0;
    for (size_t at = begin; at < drawn && view->lines < LIVE_LINES; at += bytes + 1) {
        bytes = strcspn(ret->data + at, "\n");
        view->widths[view->lines++] = draw_line(ret, ret->data + at, bytes, most, colour);
    }
    text_add(ret, "\033[J");
    if (!ret->failed) {
        memmove(ret->data + begin, ret->data + drawn, ret->length - drawn);
        text_cut(ret, ret->length - (drawn - begin));
    }
}
