/* base/error: what the world refuses, said once, with the place and the mend. */
#ifndef RAWTPS_BASE_ERROR_H
#define RAWTPS_BASE_ERROR_H

/* Exit codes of the program: docs/RESULT.md has the table. */
enum exit_code {
    EXIT_FINE = 0,
    EXIT_WANTING = 1,    /* a check failed, a regression was proven */
    EXIT_USAGE = 2,      /* wrong option, scenario or file */
    EXIT_FAILED = 3,     /* could not run, or the measurement failed */
    EXIT_WRONG_DATA = 4, /* data came back wrong: the run is void */
    EXIT_INCONCLUSIVE = 5,
    EXIT_INVALID = 6,       /* not comparable */
    EXIT_INTERRUPTED = 130, /* partial result kept */
};

/* One refusal. A function that takes a `struct error *` leaves it untouched on success. */
struct error {
    enum exit_code exit; /* what the program should end with */
    int code;            /* negative errno */
    int line, column;    /* from 1; 0: not in a file */
    char file[256];      /* "" if not in a file */
    char text[768];      /* what was found, and what was expected; no full stop, no newline */
    char hint[512];      /* how to mend it; may be "" */
};

/* Fill err; each returns `code` (a negative errno) so that a caller can `return error_set(...)`. */
int error_set(struct error *err, enum exit_code exit, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int error_at(struct error *err, const char *file, int line, int column, const char *format, ...)
    __attribute__((format(printf, 5, 6))); /* exit EXIT_USAGE, code -EINVAL */

/* Add how to mend it. Returns err->code. */
int error_hint(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put `context: ` before the text, by who knows what was being done. Returns err->code. */
int error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "file:12:9: text" or "text" into buf, cut to size; returns buf. */
const char *error_format(const struct error *err, char *buf, unsigned long size);

#endif
