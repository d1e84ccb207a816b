#include "live_watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live_frame.h"
#include "stop.h"

#define DRAW_EVERY_NS  1000000000ll
#define WAITS_EVERY_NS 10000000000ll

static int64_t wall_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int live_watch_open(struct live_watch *watch, struct error *err)
{
    uint32_t width, height;

    watch->terminal = page_size(STDERR_FILENO, &width, &height) && !watch->quiet;
    watch->begun_wall_ns = wall_ns();
    text_init(&watch->text);
    text_init(&watch->objects);
    if (!text_reserve(&watch->text, 1 << 16) || !text_reserve(&watch->objects, 1 << 16)) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory to show progress");
    }
    return 0;
}

static void show(struct live_watch *watch)
{
    if (!watch->text.failed) {
        page_show(&watch->text);
    }
    text_clear(&watch->text);
}

/* "fill 43% of 28.1 GB, ETA 38s", and its line on a terminal is written over. */
static void show_fill(struct live_watch *watch, const struct run_view *view)
{
    int64_t now_ns = wall_ns(), every_ns = watch->terminal ? DRAW_EVERY_NS : watch->interval_ns;
    double share = view->fill_share, spent_s;

    if (watch->fill_wall_ns == 0) {
        watch->fill_wall_ns = now_ns;
        watch->drawn_wall_ns = watch->terminal ? 0 : now_ns;
    }
    if (now_ns - watch->drawn_wall_ns < every_ns) {
        return;
    }
    watch->drawn_wall_ns = now_ns;
    spent_s = (double)(now_ns - watch->fill_wall_ns) / 1e9;
    text_addf(&watch->text, "%srawtps: %s", watch->terminal ? "\r" : "", view->phase);
    if (share > 0) {
        text_addf(&watch->text, " %.0f%%", share * 100);
        if (strcmp(view->phase, "fill") == 0) {
            text_addf(&watch->text, " of %.1f GB", (double)view->plan->fill_bytes / 1e9);
        }
        text_addf(&watch->text, ", ETA %.0fs", spent_s / share - spent_s);
    } else {
        text_addf(&watch->text, ", %.0fs so far", spent_s);
    }
    text_add(&watch->text, watch->terminal ? "\033[K" : "\n");
    watch->filling = watch->terminal;
    show(watch);
}

/* Said once, and again now and then: it may be long. */
static void say_waits(struct live_watch *watch, const struct run_view *view)
{
    int64_t now_ns = wall_ns(), left_s = (view->wait_left_ns + 999999999) / 1000000000;
    bool server = view->plan->drive == PLAN_DRIVE_NONE;

    if (watch->waits_wall_ns == 0 || now_ns - watch->waits_wall_ns >= WAITS_EVERY_NS) {
        watch->waits_wall_ns = now_ns;
        page_say("waiting for %u %s%s %s, %lld s more at most%s", view->waiting,
                 server ? "transaction" : "request", view->waiting == 1 ? "" : "s",
                 server ? "under way" : "in flight", (long long)(left_s > 0 ? left_s : 0),
                 *stop_flag() ? "; once more does not wait" : "");
    }
}

static void end_fill(struct live_watch *watch)
{
    if (watch->filling) {
        text_add(&watch->text, "\r\033[K");
        show(watch);
    }
    watch->filling = false;
}

/* Virtual time runs at another pace than ours. */
static int64_t eta_ns(const struct live_watch *watch, const struct run_view *view, int64_t at_ns,
                      int64_t now_ns)
{
    double spent_ns = (double)(now_ns - watch->begun_wall_ns);
    double run_ns = (double)(at_ns - watch->begun_run_ns);

    if (!view->plan->virtual_time || view->left_ns < 0) {
        return view->left_ns;
    }
    return run_ns > 0 ? (int64_t)((double)view->left_ns * spent_ns / run_ns) : -1;
}

static void set_warnings(struct live_watch *watch, const struct result *result)
{
    uint32_t count = result->warning_count,
             first = count > LIVE_WARNINGS ? count - LIVE_WARNINGS : 0;

    for (uint32_t i = first; i < count; i++) {
        watch->warnings[i - first] = result->warnings[i];
    }
    watch->frame.warnings = watch->warnings;
    watch->frame.warning_count = count - first;
}

/* The plan's own come first in the result, but are known before there is one. */
static void say_warnings(struct live_watch *watch, const struct run_view *view)
{
    const struct result *result = view->result;
    uint32_t *said = &watch->warnings_said;

    for (; *said < view->plan->warning_count; ++*said) {
        page_say("warning: %s", view->plan->warnings[*said]);
    }
    for (; *said < result->warning_count; ++*said) {
        page_say("warning: %s", result->warnings[*said]);
    }
}

/* All VMs since the last line. */
static void since_add(struct live_watch *watch, const struct run_view *view)
{
    const struct result_interval *all = &view->now[view->plan->vm_count];
    struct result_interval *since = &watch->since;

    if (since->length_ns == 0) {
        *since = *all;
        hist_init(&watch->responses);
    } else {
        since->length_ns += all->length_ns;
        since->due += all->due;
        since->done += all->done;
        since->rolled_back += all->rolled_back;
        since->failed += all->failed;
        since->skipped += all->skipped;
        since->retries += all->retries;
        since->read_bytes += all->read_bytes;
        since->write_bytes += all->write_bytes;
        since->flushes += all->flushes;
        since->hit_ratio = all->hit_ratio;
    }
    memcpy(since->phase, all->phase, sizeof(since->phase));
    hist_merge(&watch->responses, view->responses);
}

static void since_figures(struct live_watch *watch)
{
    struct result_interval *since = &watch->since;
    double last = watch->frame.all.tps_now;

    result_interval_figures(since, &watch->responses);
    for (uint32_t i = 0; i < 3 && last > 0; i++) { /* they were those of the last interval */
        watch->frame.statements_per_s[i] *= since->tps / last;
    }
}

static void draw(struct live_watch *watch)
{
    uint32_t width = 80, height = 0;

    if (!watch->frame_fresh) {
        return;
    }
    if (watch->terminal) {
        page_size(STDERR_FILENO, &width, &height);
        live_draw(&watch->view, &watch->frame, width, height,
                  page_colour(watch->color, STDERR_FILENO), &watch->text);
    } else if (watch->since.length_ns > 0) {
        since_figures(watch);
        progress_line(watch->style, &watch->frame, &watch->since, &watch->text);
        watch->since.length_ns = 0;
    }
    watch->frame_fresh = false;
    show(watch);
}

/* One object a VM and one for all, without the rows' copies: they are what the CSV holds. */
static void write_objects(struct live_watch *watch, const struct run_view *view)
{
    text_clear(&watch->objects);
    for (uint32_t i = 0; i <= view->plan->vm_count; i++) {
        progress_json(&view->now[i], &watch->objects);
    }
    page_write(&watch->objects);
}

static bool is_due(const struct live_watch *watch, const struct run_view *view, int64_t now_ns)
{
    if (watch->terminal) {
        return now_ns - watch->drawn_wall_ns >= DRAW_EVERY_NS;
    }
    return (view->plan->virtual_time ? now_ns - watch->drawn_wall_ns : watch->since.length_ns) >=
           watch->interval_ns;
}

static void show_interval(struct live_watch *watch, const struct run_view *view)
{
    const struct result_interval *all = &view->now[view->plan->vm_count];
    struct live_history *history = &watch->frame.history;
    int64_t now_ns = wall_ns();

    end_fill(watch);
    if (history->step_ns == 0) {
        history->step_ns = view->plan->interval_ns;
        watch->begun_wall_ns = now_ns;
        watch->drawn_wall_ns = watch->terminal ? 0 : now_ns;
        watch->begun_run_ns = all->start_ns + all->length_ns;
    }
    live_history_add(history, all->tps);
    since_add(watch, view);
    live_frame_of(&watch->frame, view);
    set_warnings(watch, view->result);
    watch->frame.eta_ns = eta_ns(watch, view, watch->frame.at_ns, now_ns);
    watch->frame_fresh = true;
    if (*stop_flag()) {
        watch->view.lines = 0; /* the handler has written below the frame */
    }
    if (is_due(watch, view, now_ns)) {
        draw(watch);
        watch->drawn_wall_ns = now_ns;
    }
}

void live_watch_show(void *context, const struct run_view *view)
{
    struct live_watch *watch = context;

    if (watch->json && view->now) {
        write_objects(watch, view);
    }
    if (watch->quiet) {
        return;
    }
    if (!watch->terminal) {
        say_warnings(watch, view);
    }
    if (view->waiting > 0) {
        end_fill(watch);
        watch->view.lines = 0; /* the words stand below the frame */
        say_waits(watch, view);
    } else if (view->now) {
        show_interval(watch, view);
    } else {
        show_fill(watch, view);
    }
}

void live_watch_last(struct live_watch *watch, const struct result *result)
{
    for (uint32_t i = watch->warnings_said; i < result->warning_count; i++) {
        if (!watch->quiet && !watch->terminal) {
            page_say("warning: %s", result->warnings[i]);
        }
    }
}

void live_watch_close(struct live_watch *watch)
{
    if (!watch->quiet) {
        end_fill(watch);
        draw(watch);
    }
    text_free(&watch->text);
    text_free(&watch->objects);
}
