#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "plan/plan.h"
#include "report/doc_page.h"
#include "report/doc_run.h"

enum { WIDTH_LEAST = 40 };

const char *const page_color_names[PAGE_COLORS] = {"auto", "always", "never"};
const char *const page_format_names[PAGE_FORMATS] = {"text", "markdown", "csv",
                                                     "json", "html",     "digest"};

/* What became of stdout: there is one a process. */
static struct {
    bool gone; /* its reader went away */
    int error; /* the first errno, else 0 */
} out;

void page_open(void)
{
    int fd;

    signal(SIGPIPE, SIG_IGN);
    /* a file that may not grow (ulimit -f) is an error like a full disk */
    signal(SIGXFSZ, SIG_IGN);
    /* read-only, so that writing to what was closed is an error and not a file of ours */
    do {
        fd = open("/dev/null", O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) {
        close(fd);
    }
}

/* 0 or the errno. */
static int write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t n = write(fd, bytes, count);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return errno;
        }
        bytes += n;
        count -= (size_t)n;
    }
    return 0;
}

static void write_bytes(const char *bytes, size_t count)
{
    int code = out.gone || out.error ? 0 : write_all(STDOUT_FILENO, bytes, count);

    out.gone = out.gone || code == EPIPE;
    if (code != 0 && code != EPIPE) {
        out.error = code;
    }
}

void page_write(const struct text *text)
{
    if (text->failed) {
        out.error = out.error ? out.error : ENOMEM;
        return;
    }
    write_bytes(text_string(text), text->length);
}

bool page_failed(void)
{
    return out.error != 0;
}

enum exit_code page_close(enum exit_code exit)
{
    if (out.error == 0) {
        return exit;
    }
    page_say("cannot write the output: %s", strerror(out.error));
    return page_graver(exit, EXIT_FAILED);
}

void page_say(const char *format, ...)
{
    char line[2048] = "rawtps: ";
    size_t begin = strlen(line), n;
    va_list args;

    va_start(args, format);
    vsnprintf(line + begin, sizeof(line) - begin - 1, format, args);
    va_end(args);
    n = strlen(line);
    for (size_t i = begin; i < n; i++) {
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f) {
            line[i] = '?';
        }
    }
    line[n++] = '\n';
    write_all(STDERR_FILENO, line, n);
}

enum exit_code page_say_error(const struct error *err)
{
    char words[sizeof(err->file) + sizeof(err->text) + 32], hint[sizeof(err->hint)];

    /* what was typed may be quoted, wherever it stood */
    error_format(err, words, sizeof(words));
    plan_hide_passwords(words);
    page_say("%s", words);
    if (err->hint[0] != '\0') {
        memcpy(hint, err->hint, sizeof(hint));
        plan_hide_passwords(hint);
        page_say("hint: %s", hint);
    }
    return err->exit;
}

void page_show(const struct text *text)
{
    write_all(STDERR_FILENO, text_string(text), text->length);
}

bool page_colour(enum page_color color, int fd)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

    if (color != PAGE_COLOR_AUTO) {
        return color == PAGE_COLOR_ALWAYS;
    }
    return isatty(fd) && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}

bool page_size(int fd, uint32_t *ret_width, uint32_t *ret_height)
{
    struct winsize size;

    if (!isatty(fd)) {
        return false;
    }
    *ret_width = 80;
    *ret_height = 0;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        *ret_width = size.ws_col > WIDTH_LEAST ? size.ws_col : WIDTH_LEAST;
        *ret_height = size.ws_row;
    }
    return true;
}

uint32_t page_width(int fd)
{
    uint32_t width, height;

    return page_size(fd, &width, &height) ? width : PAGE_WIDTH;
}

int page_render(const struct result *result, const char *run_dir, enum page_format format,
                uint32_t width, bool colour, struct text *ret, struct error *err)
{
    struct doc_text_options options = {.width = width, .colour = colour};
    char digest[72];
    struct doc doc;

    doc_init(&doc);
    if (format == PAGE_JSON) {
        result_write_json(result, ret);
    } else if (format == PAGE_DIGEST) {
        result_digest(result, digest);
        text_addf(ret, "%s\n", digest);
    } else if (format == PAGE_HTML) {
        doc_page(&doc, &(struct doc_page_source){.result = result, .run_dir = run_dir});
        doc_html(&doc, ret);
    } else {
        doc_run(&doc, result, run_dir);
        if (format == PAGE_MARKDOWN) {
            doc_markdown(&doc, ret);
        } else if (format == PAGE_CSV) {
            doc_csv(&doc, ret);
        } else {
            doc_text(&doc, &options, ret);
        }
    }
    ret->failed = ret->failed || doc.failed;
    doc_free(&doc);
    return ret->failed ? error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the report") : 0;
}

enum exit_code page_graver(enum exit_code a, enum exit_code b)
{
    static const enum exit_code order[] = {EXIT_USAGE,       EXIT_WRONG_DATA, EXIT_INTERRUPTED,
                                           EXIT_FAILED,      EXIT_INVALID,    EXIT_WANTING,
                                           EXIT_INCONCLUSIVE};

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (a == order[i] || b == order[i]) {
            return order[i];
        }
    }
    return EXIT_FINE;
}
