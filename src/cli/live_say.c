#include "live_args.h"

#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "engine/run.h"
#include "page.h"

static uint32_t values_of(const struct options *options, const char *name, const char **ret)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < options->many_count; i++) {
        if (strcmp(options->many_of[i]->name, name) == 0) {
            ret[count++] = options->many[i];
        }
    }
    return count;
}

void live_args_of(const struct args *args, const struct options *options, struct live_args *ret)
{
    *ret = (struct live_args){
        .request = {.scenario = options->word_count > 0 ? options->words[0] : NULL,
                    .target = args->target,
                    .warehouses = args->warehouses,
                    .threads = args->threads,
                    .connections = args->connections,
                    .scale = args->scale,
                    .seed = args->seed}};
    ret->request.sets = ret->sets;
    ret->request.set_count = values_of(options, "set", ret->sets);
    ret->request.servers = ret->servers;
    ret->request.server_count = values_of(options, "vm", ret->servers);
}

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
