#include "report/redact.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_BYTES = 4 };

static void cross_out(char *string, const char *serial)
{
    size_t n = strlen(serial);

    while (string && (string = strstr(string, serial)) != NULL) {
        memset(string, 'x', n);
        string += n;
    }
}

static void cross_out_run(struct result *result, const char *serial)
{
    cross_out(result->run.id, serial);
    cross_out(result->run.label, serial);
    cross_out(result->run.error, serial);
    for (uint32_t i = 0; i < result->run.command_count; i++) {
        cross_out(result->run.command[i], serial);
    }
    cross_out(result->scenario.name, serial);
    cross_out(result->scenario.text, serial);
    for (uint32_t i = 0; i < result->scenario.config_count; i++) {
        cross_out(result->scenario.configs[i].text, serial);
    }
    for (uint32_t i = 0; i < result->warning_count; i++) {
        cross_out(result->warnings[i], serial);
    }
}

static void cross_out_parts(struct result *result, const char *serial)
{
    for (uint32_t i = 0; i < result->drive_count; i++) {
        struct result_drive *drive = &result->drives[i];

        cross_out(drive->path, serial);
        cross_out(drive->model, serial);
        cross_out(drive->how, serial);
        cross_out(drive->flush, serial);
        cross_out(drive->queue, serial);
    }
    for (uint32_t i = 0; i < result->vm_count; i++) {
        cross_out(result->vms[i].error, serial);
        cross_out(result->vms[i].integrity.first, serial);
    }
    cross_out(result->aggregate.error, serial);
    cross_out(result->aggregate.integrity.first, serial);
}

void redact_serials(struct result *result, char *run_dir)
{
    for (uint32_t i = 0; i < result->drive_count; i++) {
        char serial[sizeof(result->drives[i].serial)];

        memcpy(serial, result->drives[i].serial, sizeof(serial));
        if (strlen(serial) >= LEAST_BYTES) {
            cross_out_run(result, serial);
            cross_out_parts(result, serial);
            cross_out(run_dir, serial);
        }
    }
    for (uint32_t i = 0; i < result->drive_count; i++) {
        struct result_drive *drive = &result->drives[i];

        if (drive->serial[0] != '\0') {
            snprintf(drive->serial, sizeof(drive->serial), "redacted");
        }
    }
}
