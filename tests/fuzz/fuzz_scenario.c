/* The scenario reader takes any bytes: it answers with a scenario or one error, and keeps nothing.
 */
/* rooms: base io workload sql target plan */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../src/plan/scenario.h"
#include "base/mem.h"
#include "base/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever is refused has one line of text and an exit code. */
static void check_error(const struct error *err)
{
    must(err->code < 0);
    must(err->exit == EXIT_USAGE || err->exit == EXIT_FAILED);
    must(err->text[0] != '\0');
}

static void read_as_others(const struct yaml *yaml, struct error *err)
{
    struct scenario_drive drive = {0};
    struct scenario_config config;
    struct model_settings settings = {.page_bytes = 8192};

    if (drive_model_read(yaml, &drive, err)) {
        check_error(err);
    }
    if (vm_config_read(yaml, &config, err)) {
        check_error(err);
    }
    if (database_read(item_get(yaml->root, "database"), &settings, NULL, err)) {
        check_error(err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario scenario;
    uint64_t before = mem_allocated_bytes();
    struct error err = {0};
    const uint8_t *set = size > 0 ? memchr(data, 0, size) : NULL;
    size_t length = set ? (size_t)(set - data) : size;
    char path[64], value[256];

    memset(&scenario, 0, sizeof(scenario));
    if (yaml_parse(&scenario.yaml, "fuzz.yaml", (const char *)data, length, &err)) {
        check_error(&err);
        must(mem_allocated_bytes() == before);
        return 0;
    }
    /* behind a zero byte: a path, an equals sign and a value, as --set gives them */
    if (set && size - length > 1) {
        size_t rest = size - length - 1, equals;

        memset(path, 0, sizeof(path));
        memset(value, 0, sizeof(value));
        for (equals = 0; equals < rest && set[1 + equals] != '='; equals++) {
        }
        memcpy(path, set + 1, equals < sizeof(path) - 1 ? equals : sizeof(path) - 1);
        if (equals < rest) {
            rest -= equals + 1;
            memcpy(value, set + 2 + equals, rest < sizeof(value) - 1 ? rest : sizeof(value) - 1);
        }
        if (yaml_set(&scenario.yaml, path, value, "--set", &err)) {
            check_error(&err);
        }
    }
    if (scenario_read(&scenario, &err)) {
        check_error(&err);
    }
    read_as_others(&scenario.yaml, &err);
    yaml_close(&scenario.yaml);
    must(mem_allocated_bytes() == before);
    return 0;
}
