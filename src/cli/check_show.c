#include "check_show.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "engine/checks.h"
#include "page.h"
#include "stop.h"

struct shown {
    bool terminal;
    uint32_t passed, broken;
};

static void show_breach(const struct check_finding *finding, struct text *out)
{
    text_addf(out, "       %s%llu row%s: %s\n", finding->broken >= CHECK_COUNTED ? "at least " : "",
              (unsigned long long)finding->broken, finding->broken == 1 ? "" : "s",
              finding->columns);
    for (uint32_t i = 0; i < CHECK_ROWS && i < finding->broken; i++) {
        text_addf(out, "         %s\n", finding->rows[i]);
    }
}

static void show_rule(void *context, const char *name, const struct check_finding *finding)
{
    struct shown *shown = context;
    char took[UNITS_TEXT];
    struct text out = {0};

    if (finding == NULL) {
        if (shown->terminal) {
            text_addf(&out, "\r%s\033[K", name);
            page_show(&out);
        }
        text_free(&out);
        return;
    }
    if (shown->terminal) {
        text_add(&out, "\r\033[K");
        page_show(&out);
        text_clear(&out);
    }
    shown->passed += finding->passed;
    shown->broken += !finding->passed;
    text_addf(&out, "%s %-16s %s (%s)\n", finding->passed ? "pass  " : "BROKEN", finding->name,
              finding->holds, units_format_duration(finding->took_ns, took, sizeof(took)));
    if (!finding->passed) {
        show_breach(finding, &out);
    }
    page_write(&out);
    text_free(&out);
}

static void show_head(const struct plan_vm *vm, const char *before)
{
    struct text out = {0};
    char url[256];

    text_addf(&out, "%s%s: %s\n", before, vm->name, plan_server(vm, url, sizeof(url)));
    page_write(&out);
    text_free(&out);
}

enum exit_code check_servers(const struct plan *plan, bool quiet)
{
    struct check_finding *findings = mem_array(CHECKS_MOST, sizeof(*findings));
    struct shown shown = {.terminal = !quiet && isatty(STDERR_FILENO)};
    enum exit_code exit = EXIT_FINE;
    struct error err = {0};
    struct text out = {0};

    if (findings == NULL) {
        error_set(&err, EXIT_FAILED, -1, "no memory for findings");
        return page_say_error(&err);
    }
    for (uint32_t i = 0; i < plan->vm_count && exit == EXIT_FINE; i++) {
        show_head(&plan->vms[i], i > 0 ? "\n" : "");
        if (checks_run(plan, i, findings, stop_flag(), show_rule, &shown, &err) < 0) {
            exit = page_say_error(&err);
        }
    }
    if (shown.passed + shown.broken > 0) {
        text_addf(&out, "%u of %u rules hold\n", shown.passed, shown.passed + shown.broken);
        page_write(&out);
    }
    text_free(&out);
    mem_free(findings);
    return shown.broken > 0 ? EXIT_WRONG_DATA : exit;
}
