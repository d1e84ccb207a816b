#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "page.h"
#include "result/result.h"

struct report_args {
    uint32_t format, color;
};

static const struct key rows[] = {
    {.name = "format",
     .type = KEY_WORD,
     KEY_FIELD(struct report_args, format),
     KEY_WORDS(page_format_names),
     .fallback = "text",
     .letter = 'f',
     .help = "how it is written"},
    {.name = "color",
     .type = KEY_WORD,
     KEY_FIELD(struct report_args, color),
     KEY_WORDS(page_color_names),
     .fallback = "auto",
     .help = "colour of verdicts"},
};

static const struct option_group groups[] = {{"Options", rows, 2}};

static void cut_slashes(char *path)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/') {
        path[--n] = '\0';
    }
}

/* The directory as `run` has called it: LATEST is the run that it points to, run.json is left off.
 */
static void name_directory(const char *path, char ret[PATH_MAX])
{
    char target[PATH_MAX], whole[PATH_MAX];
    struct stat st;
    char *last;
    ssize_t n;

    snprintf(ret, PATH_MAX, "%s", path);
    cut_slashes(ret);
    last = strrchr(ret, '/');
    if (stat(ret, &st) == 0 && !S_ISDIR(st.st_mode)) {
        snprintf(last ? last : ret, last ? 1 : PATH_MAX, "%s", last ? "" : ".");
        last = strrchr(ret, '/');
    }
    n = readlink(ret, target, sizeof(target) - 1);
    if (n <= 0) {
        return;
    }
    target[n] = '\0';
    cut_slashes(target);
    if (last == NULL || target[0] == '/') {
        snprintf(ret, PATH_MAX, "%s", target);
    } else if (snprintf(whole, sizeof(whole), "%.*s%s", (int)(last - ret + 1), ret, target) <
               PATH_MAX) {
        memcpy(ret, whole, sizeof(whole));
    }
}

static enum exit_code report(const void *record, const struct options *options,
                             const struct cmd_line *line)
{
    const struct report_args *args = record;
    enum exit_code exit = EXIT_FINE;
    struct text text = {0};
    struct error err = {0};
    struct result result;
    char dir[PATH_MAX];

    if (run_dir_load(options->words[0], &result, &err) < 0) {
        return page_say_error(&err);
    }
    name_directory(options->words[0], dir);
    if (page_render(&result, dir, args->format, page_width(STDOUT_FILENO),
                    page_colour(args->color, STDOUT_FILENO), &text, &err) < 0) {
        exit = page_say_error(&err);
    } else {
        page_write(&text);
    }
    text_free(&text);
    result_free(&result);
    return exit;
}

const struct cmd cmd_report = {
    .name = "report",
    .usage = "RESULTDIR [options]",
    .summary = "Print the table of a run again, from what was saved",
    .about =
        "RESULTDIR is a run directory, results/LATEST or the run.json of one. Needs nothing\n"
        "else: no drive, no network, no clock. Works on a run that was interrupted or killed,\n"
        "and says so.\n",
    .groups = groups,
    .group_count = 1,
    .least_words = 1,
    .most_words = 1,
    .word_name = "a run directory",
    .record_bytes = sizeof(struct report_args),
    .run = report,
};
