/* plan/audit_file: published figures as a file holds them, for the audit by Little's law. */
#ifndef RAWTPS_PLAN_AUDIT_FILE_H
#define RAWTPS_PLAN_AUDIT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { AUDIT_FILE_NAME = 96, AUDIT_FILE_NOTE = 200, AUDIT_FILE_ROWS = 64 /* of a test */ };

/* One drive in one test. What was not published is NAN. */
struct audit_file_row {
    char drive[AUDIT_FILE_NAME], note[AUDIT_FILE_NOTE];
    double users;       /* of the row, else of its test */
    bool own_users;     /* they are the row's */
    double per_s;       /* X */
    double response_ns; /* R */
    double think_ns;    /* Z; 0 where threads do not think */
    int line;           /* of the file */
};

struct audit_file_test {
    char name[AUDIT_FILE_NAME];
    bool no_pairs; /* its rows are not held against each other */
    uint32_t first_row, row_count;
};

struct audit_file {
    char about[AUDIT_FILE_NOTE];
    struct audit_file_test *tests;
    struct audit_file_row *rows; /* of all tests, in order */
    uint32_t test_count, row_count;
};

/*
 * Read a file of published figures. Nothing is judged. *ret is to be closed.
 * Errors: EXIT_USAGE with file:line:column, what was expected, and the nearest key or unit;
 * EXIT_FAILED if the file cannot be read, or without memory.
 */
int audit_file_read(const char *path, struct audit_file *ret, struct error *err);
void audit_file_close(struct audit_file *file);

#endif
