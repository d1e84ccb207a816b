#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "base/mem.h"
#include "cmd.h"
#include "engine/calibrate.h"
#include "live_say.h"
#include "page.h"
#include "stop.h"

struct calibrate_args {
    struct args args; /* first: the rows of servers and data fill it */
    int64_t length_ns;
    bool load;
};

static const struct key rows[] = {
    {.name = "out",
     .type = KEY_STRING,
     KEY_FIELD(struct calibrate_args, args.out),
     .fallback = "stdout",
     .placeholder = "FILE",
     .letter = 'o',
     .help = "the file that is made; it must not be there"},
    {.name = "for",
     .type = KEY_DURATION,
     KEY_FIELD(struct calibrate_args, length_ns),
     .least = "5s",
     .most = "1d",
     .fallback = "60s",
     .letter = 't',
     .help = "length of all measurements together"},
    {.name = "load",
     .type = KEY_FLAG,
     KEY_FIELD(struct calibrate_args, load),
     .fallback = "",
     .help = "load the scenario's tables first, if there are none; without a scenario TPC-C"},
    {.name = "quiet",
     .type = KEY_FLAG,
     KEY_FIELD(struct calibrate_args, args.quiet),
     .fallback = "",
     .letter = 'q',
     .help = "nothing on stderr but errors"},
};

static const struct option_group groups[] = {
    {"Real servers", args_server_rows, ARGS_SERVER_ROWS},
    {"Their data", &args_plan_rows[ARGS_DATA_ROW], ARGS_DATA_ROWS},
    {"How", rows, sizeof(rows) / sizeof(rows[0])},
};

static void defaults(void *record)
{
    struct calibrate_args *args = record;

    args->length_ns = 60 * 1000000000ll;
}

/* Before anything is measured: a minute later would be late. */
static int open_out(const char *path, int *ret_fd, struct error *err)
{
    *ret_fd = -1;
    if (path == NULL || strcmp(path, "-") == 0) {
        return 0;
    }
    *ret_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (*ret_fd < 0 && errno == EEXIST) {
        error_set(err, EXIT_USAGE, -EEXIST, "--out: %s is there already", path);
        return error_hint(err, "another name, or remove it first");
    }
    return *ret_fd < 0 ? error_set(err, EXIT_FAILED, -errno, "--out: cannot make %s: %s", path,
                                   strerror(errno))
                       : 0;
}

static int write_out(int fd, const char *path, const struct text *text, struct error *err)
{
    const char *bytes = text_string(text);
    size_t left = text->length;
    int code = 0;

    while (code == 0 && left > 0) {
        ssize_t n = write(fd, bytes, left);

        code = n < 0 && errno != EINTR ? errno : 0;
        bytes += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    if (close(fd) != 0 && code == 0) {
        code = errno;
    }
    return code == 0 ? 0
                     : error_set(err, EXIT_FAILED, -code, "--out: cannot write %s: %s", path,
                                 strerror(code));
}

static int calibrate_to(const struct calibrate_args *args, const struct options *options, int fd,
                        struct error *err)
{
    struct live_say say = {.quiet = args->args.quiet, .terminal = isatty(STDERR_FILENO)};
    struct calibration *found = mem_zalloc(sizeof(*found));
    struct args_request words;
    struct calibrate_options how = {.length_ns = args->length_ns,
                                    .load = args->load,
                                    .stop = stop_flag(),
                                    .say = live_say,
                                    .watch = live_say_view,
                                    .context = &say};
    struct text text = {0};
    int code = found ? 0 : error_set(err, EXIT_FAILED, -ENOMEM, "no memory");

    if (code == 0) {
        args_request(&args->args, options, &words);
        how.request = &words.request;
        code = calibrate_run(&how, found, err);
        live_say_end(&say);
    }
    if (code == 0) {
        calibrate_write(found, fd < 0 ? "FILE.yaml" : args->args.out, &text);
        if (fd < 0) {
            page_write(&text);
        } else {
            code = write_out(fd, args->args.out, &text, err);
        }
    }
    text_free(&text);
    mem_free(found);
    return code;
}

static enum exit_code calibrate(const void *record, const struct options *options,
                                const struct cmd_line *line)
{
    const struct calibrate_args *args = record;
    struct error err = {0};
    int fd;

    if (open_out(args->args.out, &fd, &err) < 0) {
        return page_say_error(&err);
    }
    stop_catch(args->args.quiet);
    if (calibrate_to(args, options, fd, &err) < 0) {
        if (fd >= 0) { /* an empty profile would be read as one */
            unlink(args->args.out);
        }
        return page_say_error(&err);
    }
    return EXIT_FINE;
}

const struct cmd cmd_calibrate = {
    .name = "calibrate",
    .usage = "[SCENARIO] --target URL [options]",
    .summary = "Measure what the model must know of a host and its server: a VM config",
    .about =
        "Runs the scenario's workload (without one: that of the tables which `rawtps load` left)\n"
        "with all its users, then with one, and writes a VM config: buffer, page, log, I/O\n"
        "capacity and the rest from the server's variables, CPU of a statement from /proc where\n"
        "the server runs on this host, else from one user's times. Each value says how it was\n"
        "found; log bytes, page traffic and the flush of the log stand in its comments. Touches\n"
        "no tables but those of rawtps.\n"
        "\n"
        "  rawtps calibrate --target mysql://bench@localhost/tpcc -o my-server.yaml\n"
        "  rawtps run tpcc-mariadb --virtual --set vm=my-server.yaml\n"
        "  rawtps calibrate --load --warehouses 4 --target postgresql://localhost/scratch\n",
    .groups = groups,
    .group_count = 3,
    .most_words = 1,
    .word_name = "a scenario",
    .record_bytes = sizeof(struct calibrate_args),
    .defaults = defaults,
    .run = calibrate,
};
