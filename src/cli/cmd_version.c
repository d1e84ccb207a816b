#include "cmd.h"
#include "page.h"
#include "version.h"

struct version_args {
    bool features;
};

static const struct key rows[] = {
    {.name = "features",
     .type = KEY_FLAG,
     KEY_FIELD(struct version_args, features),
     .fallback = "",
     .help = "also name the build id, the compiler and the optional parts that were built in"},
};

static const struct option_group groups[] = {{"Options", rows, 1}};

static enum exit_code version(const void *record, const struct options *options,
                              const struct cmd_line *line)
{
    const struct version_args *args = record;
    struct text text = {0};
    char id[72];

    text_addf(&text, "rawtps %s\n", version_number);
    if (args->features) {
        text_addf(&text, "build id  %s\n", version_build_id(id, sizeof(id)));
        text_addf(&text, "compiler  %s\n", version_compiler);
        text_addf(&text, "features  %s\n", version_features);
    }
    page_write(&text);
    text_free(&text);
    return EXIT_FINE;
}

const struct cmd cmd_version = {
    .name = "version",
    .usage = "[options]",
    .summary = "Say which program this is",
    .about = "",
    .groups = groups,
    .group_count = 1,
    .record_bytes = sizeof(struct version_args),
    .run = version,
};
