#include "result/result.h"

#include "base/mem.h"
#include "base/text.h"
#include "run_dir_parts.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_BYTES = 64 * 1024, DOCUMENT_BYTES = 64 * 1024 * 1024 };

static int unreadable(struct error *err, const char *path, int code)
{
    enum exit_code exit = code == -ENOENT || code == -ENOTDIR ? EXIT_USAGE : EXIT_FAILED;

    return error_set(err, exit, code, "cannot read %s: %s", path, strerror(-code));
}

static int read_whole(const char *path, uint64_t most_bytes, struct text *ret, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code = 0;
    struct stat st;
    ssize_t n = 1;

    if (fd < 0 || fstat(fd, &st) != 0) {
        code = -errno;
    } else if (!S_ISREG(st.st_mode)) {
        code = error_set(err, EXIT_USAGE, -EINVAL, "%s is not a regular file", path);
        close(fd);
        return code;
    }
    while (code == 0 && n > 0) {
        if (ret->length > most_bytes) {
            code = error_set(err, EXIT_USAGE, -EFBIG, "%s: larger than %" PRIu64 " MiB", path,
                             most_bytes / 1024 / 1024);
            close(fd);
            return code;
        }
        if (!text_reserve(ret, CHUNK_BYTES)) {
            code = -ENOMEM;
            break;
        }
        n = read(fd, ret->data + ret->length, CHUNK_BYTES);
        if (n < 0 && errno != EINTR) {
            code = -errno;
        }
        ret->length += n > 0 ? (size_t)n : 0;
        ret->data[ret->length] = '\0';
        n = n < 0 && code == 0 ? 1 : n;
    }
    if (fd >= 0) {
        close(fd);
    }
    return code == 0 ? 0 : unreadable(err, path, code);
}

/* A file of a run directory; `path` may be the directory, or its run.json. */
static int path_of(const char *path, const char *name, char ret[PATH_MAX], struct error *err)
{
    const char *last = strrchr(path, '/');
    struct stat st;
    int n;

    if (stat(path, &st) != 0) {
        int code = -errno;

        error_set(err, EXIT_USAGE, code, "no run in %s: %s", path, strerror(-code));
        return error_hint(err, "name a run directory, as results/LATEST");
    }
    if (S_ISDIR(st.st_mode)) {
        n = snprintf(ret, PATH_MAX, "%s/%s", path, name);
    } else if (strcmp(name, RUN_DOCUMENT) == 0) {
        n = snprintf(ret, PATH_MAX, "%s", path);
    } else {
        n = snprintf(ret, PATH_MAX, "%.*s%s", last ? (int)(last - path + 1) : 0, path, name);
    }
    return n < PATH_MAX ? 0 : error_set(err, EXIT_USAGE, -ENAMETOOLONG, "the path is too long");
}

int run_dir_load(const char *path, struct result *ret, struct error *err)
{
    char sha256[SHA256_HEX];

    return run_dir_load_summed(path, ret, sha256, err);
}

int run_dir_load_summed(const char *path, struct result *ret, char sha256[SHA256_HEX],
                        struct error *err)
{
    char file[PATH_MAX];
    struct text text;
    int code = path_of(path, RUN_DOCUMENT, file, err);

    if (code != 0) {
        return code;
    }
    text_init(&text);
    code = read_whole(file, DOCUMENT_BYTES, &text, err);
    if (code == 0) {
        sha256_hex(text_string(&text), text.length, sha256);
        code = result_read_json(ret, text_string(&text), text.length, file, err);
    } else if (code == -ENOENT) {
        error_hint(err, "it is not a run directory, or the run ended before its first interval");
    }
    text_free(&text);
    return code;
}

static int add_row(struct result_interval **rows, uint64_t *count, uint64_t *limit,
                   const struct result_interval *row, struct error *err)
{
    if (*count == *limit) {
        uint64_t more = *limit > 0 ? *limit * 2 : 256;
        struct result_interval *grown = mem_resize(*rows, more * sizeof(**rows));

        if (!grown) {
            return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the intervals");
        }
        *rows = grown;
        *limit = more;
    }
    (*rows)[(*count)++] = *row;
    return 0;
}

static int read_rows(char *text, const char *file, struct result_interval **rows, uint64_t *count,
                     struct error *err)
{
    uint64_t limit = 0;
    size_t header = strlen(result_interval_header);
    int code = 0;

    if (strncmp(text, result_interval_header, header) != 0) {
        /* killed before the header was written */
        return strncmp(text, result_interval_header, strlen(text)) == 0
                   ? 0
                   : error_at(err, file, 1, 1, "not the header of a file of intervals");
    }
    text += header;
    for (int line = 2; code == 0; line++) {
        char *end = strchr(text, '\n');
        struct result_interval row;

        if (!end) {
            return 0;
        }
        *end = '\0';
        if (result_interval_parse(text, &row)) {
            code = add_row(rows, count, &limit, &row, err);
        } else if (end[1] != '\0') {
            code = error_at(err, file, line, 1, "not a row of intervals");
        }
        text = end + 1;
    }
    return code;
}

int run_dir_intervals(const char *path, struct result_interval **ret_rows, uint64_t *ret_count,
                      struct error *err)
{
    char file[PATH_MAX], empty[1] = "";
    struct result_interval *rows = NULL;
    struct text text;
    uint64_t count = 0;
    int code = path_of(path, RUN_INTERVALS, file, err);

    if (code != 0) {
        return code;
    }
    text_init(&text);
    code = read_whole(file, UINT64_MAX, &text, err);
    if (code == 0) {
        code = read_rows(text.data ? text.data : empty, file, &rows, &count, err);
    }
    text_free(&text);
    if (code != 0) {
        mem_free(rows);
        return code;
    }
    *ret_rows = rows;
    *ret_count = count;
    return 0;
}
