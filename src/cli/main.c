#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "cmd.h"
#include "page.h"
#include "plan/plan.h"

enum { STACK_LEAST = 1 << 20 };

static int refuse_words(const struct cmd *cmd, struct error *err)
{
    return error_hint(err, "usage: rawtps %s%s%s", cmd->name, cmd->usage[0] ? " " : "", cmd->usage);
}

static int check_words(const struct cmd *cmd, const struct options *options, struct error *err)
{
    if (options->word_count > cmd->most_words) {
        error_set(err, EXIT_USAGE, -EINVAL, "%s: too many arguments: \"%.80s\"", cmd->name,
                  options->words[cmd->most_words]);
        return refuse_words(cmd, err);
    }
    if (options->word_count < cmd->least_words) {
        error_set(err, EXIT_USAGE, -EINVAL, "%s: %s is missing", cmd->name, cmd->word_name);
        return refuse_words(cmd, err);
    }
    return 0;
}

static enum exit_code show_help(const struct cmd *cmd)
{
    struct text text = {0};

    if (cmd) {
        cmd_help_one(cmd, &text);
    } else {
        cmd_help_all(&text);
    }
    page_write(&text);
    text_free(&text);
    return EXIT_FINE;
}

static enum exit_code run_command(const struct cmd *cmd, const struct cmd_line *line)
{
    void *record = mem_zalloc(cmd->record_bytes);
    struct options options;
    struct error err = {0};
    enum exit_code exit;
    int rc;

    if (record == NULL) {
        error_set(&err, EXIT_FAILED, -ENOMEM, "no memory");
        return page_say_error(&err);
    }
    if (cmd->defaults) {
        cmd->defaults(record);
    }
    rc = options_read(cmd->groups, cmd->group_count, record, line->typed + 2, line->count - 2,
                      &options, &err);
    if (rc == 0 && !options.help) {
        rc = check_words(cmd, &options, &err);
    }
    if (rc < 0) {
        exit = page_say_error(&err);
    } else {
        exit = options.help ? show_help(cmd) : cmd->run(record, &options, line);
    }
    mem_free(record);
    return exit;
}

static enum exit_code run_line(const struct cmd_line *line)
{
    struct error err = {0};
    const struct cmd *cmd;
    const char *name;

    if (line->count < 2) {
        error_set(&err, EXIT_USAGE, -EINVAL, "a command is missing");
        error_hint(&err, "`rawtps help` lists the commands");
        return page_say_error(&err);
    }
    name = line->words[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return show_help(NULL);
    }
    cmd = cmd_find(strcmp(name, "--version") == 0 ? "version" : name);
    if (cmd == NULL) {
        cmd_unknown(name, &err);
        return page_say_error(&err);
    }
    return run_command(cmd, line);
}

static void free_words(int count, char **words)
{
    for (int i = 0; words != NULL && i < count; i++) {
        mem_free(words[i]);
    }
    mem_free(words);
}

/* Words to read options from, before passwords are blotted out of argv, where `ps` shows them. */
static char **keep_words(int argc, char **argv)
{
    char **ret = mem_array((size_t)argc + 1, sizeof(*ret));

    for (int i = 0; ret != NULL && i < argc; i++) {
        ret[i] = mem_strdup(argv[i]);
        if (ret[i] == NULL) {
            free_words(i, ret);
            return NULL;
        }
        plan_hide_passwords(argv[i]);
    }
    return ret;
}

/* Tables of figures lie on the stack. */
static int check_stack(struct error *err)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_LEAST) {
        return 0;
    }
    error_set(err, EXIT_FAILED, -ENOMEM, "the stack is limited to %llu KiB, and %d are needed",
              (unsigned long long)limit.rlim_cur / 1024, STACK_LEAST / 1024);
    return error_hint(err, "`ulimit -s 8192`");
}

int main(int argc, char **argv)
{
    char **words = keep_words(argc, argv);
    struct cmd_line line = {.words = (const char *const *)argv,
                            .typed = (const char *const *)words,
                            .count = (uint32_t)argc};
    struct error err = {0};
    enum exit_code exit;

    page_open();
    if (words == NULL) {
        error_set(&err, EXIT_FAILED, -ENOMEM, "no memory");
        return (int)page_say_error(&err);
    }
    exit = page_close(check_stack(&err) < 0 ? page_say_error(&err) : run_line(&line));
    free_words(argc, words);
    return (int)exit;
}
