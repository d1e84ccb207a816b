#include <string.h>

#include "base/mem.h"
#include "cmd.h"
#include "page.h"
#include "plan/plan.h"

static uint32_t widest(const struct plan_listing *rows, uint32_t count, bool names)
{
    size_t width = 0;

    for (uint32_t i = 0; i < count; i++) {
        size_t n = strlen(names ? rows[i].name : rows[i].kind);

        width = n > width ? n : width;
    }
    return (uint32_t)width;
}

static enum exit_code list(const void *record, const struct options *options,
                           const struct cmd_line *line)
{
    struct plan_listing *rows = NULL;
    uint32_t count = 0, kind, name;
    struct text text = {0};
    struct error err = {0};

    if (plan_list(&rows, &count, &err) < 0) {
        return page_say_error(&err);
    }
    kind = widest(rows, count, false);
    name = widest(rows, count, true);
    for (uint32_t i = 0; i < count; i++) {
        text_addf(&text, "%-*s  %-*s  %s\n", (int)kind, rows[i].kind, (int)name, rows[i].name,
                  rows[i].about);
    }
    page_write(&text);
    text_free(&text);
    mem_free(rows);
    return EXIT_FINE;
}

const struct cmd cmd_list = {
    .name = "list",
    .usage = "",
    .summary = "List scenarios, VM configurations, drive models and database profiles",
    .about = "One line each: what it is, its name as `run` and `plan` take it, and what it is "
             "about.\n",
    .record_bytes = 1,
    .run = list,
};
