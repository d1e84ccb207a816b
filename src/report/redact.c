#include "report/redact.h"

#include "redact_parts.h"
#include <stdio.h>
#include <string.h>

void redact_cross_out(char *string, const char *serial)
{
    size_t n = strlen(serial);

    while (string && (string = strstr(string, serial)) != NULL) {
        memset(string, 'x', n);
        string += n;
    }
}

static void cross_out_run(struct result *result, const char *serial)
{
    redact_cross_out(result->run.id, serial);
    redact_cross_out(result->run.label, serial);
    redact_cross_out(result->run.error, serial);
    for (uint32_t i = 0; i < result->run.command_count; i++) {
        redact_cross_out(result->run.command[i], serial);
    }
    redact_cross_out(result->scenario.name, serial);
    redact_cross_out(result->scenario.text, serial);
    for (uint32_t i = 0; i < result->scenario.config_count; i++) {
        redact_cross_out(result->scenario.configs[i].text, serial);
    }
    for (uint32_t i = 0; i < result->warning_count; i++) {
        redact_cross_out(result->warnings[i], serial);
    }
}

static void cross_out_parts(struct result *result, const char *serial)
{
    for (uint32_t i = 0; i < result->drive_count; i++) {
        struct result_drive *drive = &result->drives[i];

        redact_cross_out(drive->path, serial);
        redact_cross_out(drive->model, serial);
        redact_cross_out(drive->how, serial);
        redact_cross_out(drive->flush, serial);
        redact_cross_out(drive->queue, serial);
    }
    for (uint32_t i = 0; i < result->vm_count; i++) {
        redact_cross_out(result->vms[i].error, serial);
        redact_cross_out(result->vms[i].integrity.first, serial);
    }
    redact_cross_out(result->aggregate.error, serial);
    redact_cross_out(result->aggregate.integrity.first, serial);
}

void redact_serials(struct result *result, char *run_dir)
{
    for (uint32_t i = 0; i < result->drive_count; i++) {
        char serial[sizeof(result->drives[i].serial)];

        memcpy(serial, result->drives[i].serial, sizeof(serial));
        if (strlen(serial) >= REDACT_LEAST) {
            cross_out_run(result, serial);
            cross_out_parts(result, serial);
            redact_cross_out(run_dir, serial);
        }
    }
    for (uint32_t i = 0; i < result->drive_count; i++) {
        struct result_drive *drive = &result->drives[i];

        if (drive->serial[0] != '\0') {
            snprintf(drive->serial, sizeof(drive->serial), "redacted");
        }
    }
}
