#include "report/redact.h"

#include "base/mem.h"
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

void serials_add(struct serials *serials, const char *serial)
{
    bool known = strlen(serial) < REDACT_LEAST;

    for (uint32_t i = 0; i < serials->count && !known; i++) {
        known = strcmp(serials->words[i], serial) == 0;
    }
    if (known) {
        return;
    }
    if (serials->count == serials->limit) {
        uint32_t limit = serials->limit * 2 + 8;
        void *words = mem_resize(serials->words, limit * sizeof(serials->words[0]));

        if (!words) {
            return;
        }
        serials->words = words;
        serials->limit = limit;
    }
    snprintf(serials->words[serials->count++], sizeof(serials->words[0]), "%s", serial);
}

/* What stands behind the name of an option, where '_' is '-' too; NULL if it is another. */
static char *behind(char *word, const char *option)
{
    size_t n = strlen(option);

    for (size_t i = 0; i < n; i++) {
        if (word[i] != option[i] && !(word[i] == '_' && option[i] == '-')) {
            return NULL;
        }
    }
    return word + n;
}

/* The serial number that permits to overwrite a drive: of this run's, or its neighbour's. */
static char *permitted(const struct result *result, uint32_t word)
{
    static const char *const options[] = {"--erase", "--erase-a", "--erase-b"};

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        char *rest = behind(result->run.command[word], options[i]);

        if (rest && rest[0] == '=') {
            return rest + 1;
        }
        if (rest && rest[0] == '\0' && word + 1 < result->run.command_count) {
            return result->run.command[word + 1];
        }
    }
    return NULL;
}

void serials_collect(struct serials *serials, const struct result *result)
{
    for (uint32_t i = 0; i < result->drive_count; i++) {
        serials_add(serials, result->drives[i].serial);
    }
    for (uint32_t i = 0; i < result->run.command_count; i++) {
        const char *serial = permitted(result, i);

        if (serial) {
            serials_add(serials, serial);
        }
    }
}

void serials_free(struct serials *serials)
{
    mem_free(serials->words);
    *serials = (struct serials){0};
}

void serials_cross_out(const struct serials *serials, char *string)
{
    for (uint32_t i = 0; i < serials->count; i++) {
        redact_cross_out(string, serials->words[i]);
    }
}

static void cross_out_run(const struct serials *serials, struct result *result)
{
    serials_cross_out(serials, result->run.id);
    serials_cross_out(serials, result->run.label);
    serials_cross_out(serials, result->run.error);
    for (uint32_t i = 0; i < result->run.command_count; i++) {
        char *serial = permitted(result, i);

        if (serial) {
            memset(serial, 'x', strlen(serial)); /* however short */
        }
        serials_cross_out(serials, result->run.command[i]);
    }
    serials_cross_out(serials, result->scenario.name);
    serials_cross_out(serials, result->scenario.settings);
    serials_cross_out(serials, result->scenario.text);
    for (uint32_t i = 0; i < result->scenario.config_count; i++) {
        serials_cross_out(serials, result->scenario.configs[i].text);
    }
    for (uint32_t i = 0; i < result->warning_count; i++) {
        serials_cross_out(serials, result->warnings[i]);
    }
}

static void cross_out_parts(const struct serials *serials, struct result *result)
{
    for (uint32_t i = 0; i < result->drive_count; i++) {
        struct result_drive *drive = &result->drives[i];

        serials_cross_out(serials, drive->path);
        serials_cross_out(serials, drive->model);
        serials_cross_out(serials, drive->how);
        serials_cross_out(serials, drive->flush);
        serials_cross_out(serials, drive->queue);
    }
    for (uint32_t i = 0; i < result->vm_count; i++) {
        serials_cross_out(serials, result->vms[i].error);
        serials_cross_out(serials, result->vms[i].integrity.first);
    }
    serials_cross_out(serials, result->aggregate.error);
    serials_cross_out(serials, result->aggregate.integrity.first);
}

void serials_redact(const struct serials *serials, struct result *result)
{
    cross_out_run(serials, result);
    cross_out_parts(serials, result);
    for (uint32_t i = 0; i < result->drive_count; i++) {
        struct result_drive *drive = &result->drives[i];

        if (drive->serial[0] != '\0') {
            snprintf(drive->serial, sizeof(drive->serial), "redacted");
        }
    }
}

void redact_serials(struct result *result, char *run_dir)
{
    struct serials serials = {0};

    serials_collect(&serials, result);
    serials_cross_out(&serials, run_dir);
    serials_redact(&serials, result);
    serials_free(&serials);
}
