#include "live_say.h"

#include "base/text.h"
#include "base/units.h"
#include "engine/run.h"
#include "page.h"

void live_say_end(struct live_say *say)
{
    struct text out = {0};

    if (say->drawn) {
        text_add(&out, "\r\033[K");
        page_show(&out);
        say->drawn = false;
    }
    text_free(&out);
}

void live_say(void *context, const char *text)
{
    struct live_say *say = context;

    live_say_end(say);
    if (!say->quiet) {
        page_say("%s", text);
    }
}

void live_say_view(void *context, const struct run_view *view)
{
    struct live_say *say = context;
    char left[UNITS_TEXT];
    struct text out = {0};

    if (say->quiet || !say->terminal || view->now == NULL) {
        return;
    }
    text_addf(&out, "\r\033[K%s, %.1f TPS, %s left", view->phase,
              view->now[view->plan->vm_count].tps,
              units_format_clock(view->left_ns > 0 ? view->left_ns : 0, left, sizeof(left)));
    page_show(&out);
    text_free(&out);
    say->drawn = true;
}
