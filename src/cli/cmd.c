#include "cmd.h"

#include <errno.h>
#include <string.h>

const struct cmd *const cmd_table[] = {&cmd_run,     &cmd_plan,    &cmd_load,       &cmd_check,
                                       &cmd_report,  &cmd_compare, &cmd_bench_pair, &cmd_gate,
                                       &cmd_history, &cmd_audit,   &cmd_fidelity,   &cmd_calibrate,
                                       &cmd_list,    &cmd_version, &cmd_help};
const uint32_t cmd_count = sizeof(cmd_table) / sizeof(cmd_table[0]);

const struct cmd *cmd_find(const char *name)
{
    for (uint32_t i = 0; i < cmd_count; i++) {
        if (strcmp(cmd_table[i]->name, name) == 0) {
            return cmd_table[i];
        }
    }
    return NULL;
}

int cmd_unknown(const char *name, struct error *err)
{
    const char *names[sizeof(cmd_table) / sizeof(cmd_table[0])], *near;

    for (uint32_t i = 0; i < cmd_count; i++) {
        names[i] = cmd_table[i]->name;
    }
    near = text_nearest(name, names, cmd_count);
    error_set(err, EXIT_USAGE, -EINVAL, "unknown command \"%.80s\"", name);
    return near ? error_hint(err, "did you mean \"%s\"?", near)
                : error_hint(err, "`rawtps help` lists the commands");
}
