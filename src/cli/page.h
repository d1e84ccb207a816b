/* cli/page: what is printed: data on stdout, words on stderr. */
#ifndef RAWTPS_CLI_PAGE_H
#define RAWTPS_CLI_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "report/doc.h"
#include "result/result.h"

/* A page that is no terminal is so wide, so that the same result is the same text everywhere. */
enum { PAGE_WIDTH = 144 };

enum page_color { PAGE_COLOR_AUTO, PAGE_COLOR_ALWAYS, PAGE_COLOR_NEVER, PAGE_COLORS };
extern const char *const page_color_names[PAGE_COLORS];

enum page_format {
    PAGE_TEXT,
    PAGE_MARKDOWN,
    PAGE_CSV,
    PAGE_JSON,
    PAGE_HTML,
    PAGE_DIGEST,
    PAGE_FORMATS
};
extern const char *const page_format_names[PAGE_FORMATS];

/* Before anything else: descriptors 0 to 2 are open, a reader that goes away is no signal. */
void page_open(void);

/*
 * Write to stdout. A reader that has gone away (EPIPE) is no error, and nothing more is written;
 * any other failure is kept for page_close().
 */
void page_write(const struct text *text);

/* Stdout could not be written, so far. */
bool page_failed(void);
/* What the program ends with: `exit`, or EXIT_FAILED after saying so if stdout could not be
 * written. */
enum exit_code page_close(enum exit_code exit);

/* One line on stderr, "rawtps: " before it; control characters become '?'. */
void page_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The error, once, and its hint on a line of its own. Returns err->exit. */
enum exit_code page_say_error(const struct error *err);
/* Bytes as they are to stderr. */
void page_show(const struct text *text);

/* Colour on this descriptor: asked for, or a terminal without NO_COLOR and not TERM=dumb. */
bool page_colour(enum page_color color, int fd);
/* Columns and rows of the terminal; false if it is none. */
bool page_size(int fd, uint32_t *ret_width, uint32_t *ret_height);
/* Width to lay out for. */
uint32_t page_width(int fd);

/* A result as the user asked to see it. run_dir as doc_run(). */
int page_render(const struct result *result, const char *run_dir, enum page_format format,
                uint32_t width, bool colour, struct text *ret, struct error *err);

/* Of two exit codes the one that counts: 2, 4, 130, 3, 6, 1, 5, 0. */
enum exit_code page_graver(enum exit_code a, enum exit_code b);

#endif
