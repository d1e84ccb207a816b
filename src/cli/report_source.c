#include "report_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "page.h"
#include "report/redact.h"

static void cut_slashes(char *path)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/') {
        path[--n] = '\0';
    }
}

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

static int load_charts(struct report_source *source, const char *path, struct error *err)
{
    struct error refused = {0};
    int rc = run_dir_intervals(path, &source->rows, &source->row_count, &refused);

    if (rc < 0 && refused.code != -ENOENT) {
        *err = refused;
        return rc;
    }
    return heat_read(&source->heat, source->dir, &source->result, err);
}

int report_source_load(struct report_source *ret, const char *path, bool charts, struct error *err)
{
    int rc;

    memset(ret, 0, sizeof(*ret));
    rc = run_dir_load(path, &ret->result, err);
    if (rc < 0) {
        return rc;
    }
    name_directory(path, ret->dir);
    rc = charts ? load_charts(ret, path, err) : 0;
    if (rc < 0) {
        report_source_free(ret);
        return rc;
    }
    return 0;
}

void report_source_redact(struct report_source *source)
{
    redact_serials(&source->result, source->dir);
}

void report_source_free(struct report_source *source)
{
    heat_free(&source->heat);
    mem_free(source->rows);
    result_free(&source->result);
    memset(source, 0, sizeof(*source));
}

/* Writes and closes. 0 or a negative errno. */
static int write_bytes(int fd, const struct text *bytes)
{
    size_t done = 0;
    int code = 0;

    while (code == 0 && done < bytes->length) {
        ssize_t n = write(fd, bytes->data + done, bytes->length - done);

        if (n < 0 && errno != EINTR) {
            code = -errno;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    if (close(fd) != 0 && code == 0) {
        code = -errno;
    }
    return code;
}

/* What may be written to as it is, so that no report takes the place of a disk's data. */
static bool is_written(mode_t mode)
{
    return S_ISREG(mode) || S_ISFIFO(mode) || S_ISCHR(mode);
}

/* Into what is there, as a pipe, a terminal or an inherited file. */
static int write_there(const char *path, const struct text *bytes)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
    struct stat st;

    if (fd < 0) {
        return -errno;
    }
    /* path may have become something else since it was looked at */
    if (fstat(fd, &st) != 0 || !is_written(st.st_mode)) {
        close(fd);
        return -EBADF;
    }
    return write_bytes(fd, bytes);
}

/* A new file beside path, whose name nothing has; its name is left in ret. */
static int open_beside(const char *path, char ret[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int fd = -1, dir = slash ? (int)(slash - path + 1) : 0;

    for (int i = 0; i < 100; i++) {
        if (snprintf(ret, PATH_MAX, "%.*s.rawtps-%ld-%d.tmp", dir, path, (long)getpid(), i) >=
            PATH_MAX) {
            return -ENAMETOOLONG;
        }
        fd = open(ret, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            break;
        }
    }
    return fd < 0 ? -errno : fd;
}

/* there: what is at path, NULL if nothing is. */
static int write_anew(const char *path, const struct stat *there, const struct text *bytes)
{
    char beside[PATH_MAX];
    int code, fd;

    if (there && access(path, W_OK) != 0) {
        return -errno;
    }
    fd = open_beside(path, beside);
    if (fd < 0) {
        return fd;
    }
    if (there) {
        fchmod(fd, there->st_mode & 0777);
    }
    code = write_bytes(fd, bytes);
    if (code == 0 && rename(beside, path) != 0) {
        code = -errno;
    }
    if (code != 0) {
        unlink(beside);
    }
    return code;
}

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), most = strlen(end);

    return n >= most && strcasecmp(path + n - most, end) == 0;
}

static bool is_input(const char *path)
{
    static const char *const of_runs[] = {"run.json", "intervals.csv", "latency.hlog",
                                          "events.jsonl", "stdout.log"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < sizeof(of_runs) / sizeof(of_runs[0]); i++) {
        if (strcmp(name, of_runs[i]) == 0) {
            return true;
        }
    }
    return ends_in(name, ".yaml") || ends_in(name, ".yml");
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The directory as it is, and the name in it. False: it cannot be told. */
static bool whole_name(const char *path, char ret[PATH_MAX])
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char dir[PATH_MAX], whole[PATH_MAX];

    if (realpath(path, ret)) {
        return true;
    }
    return snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path + 1) : 1,
                    slash ? path : ".") < PATH_MAX &&
           realpath(dir, whole) && snprintf(ret, PATH_MAX, "%s/%s", whole, name) < PATH_MAX;
}

bool report_source_one_file(const char *a, const char *b)
{
    char left[PATH_MAX], right[PATH_MAX];

    if (strncmp(a, "/dev/", 5) == 0) {
        return false;
    }
    return strcmp(a, b) == 0 ||
           (whole_name(a, left) && whole_name(b, right) && strcmp(left, right) == 0);
}

static const char *kind_of(mode_t mode)
{
    return S_ISBLK(mode) ? "block device" : S_ISDIR(mode) ? "directory" : "socket";
}

/* A link that points nowhere: what it would make, and where, nobody has said. */
static int refuse_loose(const char *path, struct error *err)
{
    struct stat link;

    if (lstat(path, &link) != 0 || !S_ISLNK(link.st_mode)) {
        return 0;
    }
    error_set(err, EXIT_USAGE, -EEXIST, "%s is a link to nothing: no report is written through it",
              path);
    return error_hint(err, "name another file");
}

int report_source_may_write(const char *path, const char *input, struct error *err)
{
    struct stat there, other;
    char whole[PATH_MAX];

    if (strcmp(path, "-") == 0) {
        return 0;
    }
    if (stat(path, &there) != 0) {
        return refuse_loose(path, err);
    }
    if (!is_written(there.st_mode)) {
        error_set(err, EXIT_USAGE, -EEXIST, "%s is a %s: no report is written to it", path,
                  kind_of(there.st_mode));
        return error_hint(err, "name a file, a pipe or -");
    }
    if (!S_ISREG(there.st_mode)) {
        return 0;
    }
    if (is_input(path) || (realpath(path, whole) && is_input(whole)) ||
        (input && stat(input, &other) == 0 && is_same(&there, &other))) {
        error_set(err, EXIT_USAGE, -EEXIST, "%s is there and is no report: it is not written over",
                  path);
        return error_hint(err, "name another file");
    }
    return 0;
}

/* /dev/stdout, or /dev/fd/3: a new file in its place would not be what is open. */
static bool is_open_file(const char *path)
{
    return strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/", 6) == 0;
}

static int write_to(const char *path, const struct text *bytes)
{
    struct stat there, out;
    char whole[PATH_MAX];

    if (stat(path, &there) != 0) {
        return errno == ENOENT ? write_anew(path, NULL, bytes) : -errno;
    }
    if (is_open_file(path) && fstat(STDOUT_FILENO, &out) == 0 && is_same(&there, &out)) {
        page_write(bytes);
        return 0;
    }
    if (!S_ISREG(there.st_mode) || is_open_file(path)) {
        return write_there(path, bytes);
    }
    /* a link stays one: what it points to is written */
    return realpath(path, whole) ? write_anew(whole, &there, bytes) : -errno;
}

int report_source_write(const char *path, const struct text *bytes, struct error *err)
{
    int code;

    if (bytes->failed) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the report");
    }
    if (strcmp(path, "-") == 0) {
        page_write(bytes);
        return 0;
    }
    if (report_source_may_write(path, NULL, err) < 0) {
        return err->code;
    }
    code = write_to(path, bytes);
    return code == 0
               ? 0
               : error_set(err, EXIT_FAILED, code, "cannot write %s: %s", path, strerror(-code));
}

int report_source_save(const char *path, const struct text *bytes, struct error *err)
{
    char size[UNITS_TEXT];

    if (report_source_write(path, bytes, err) < 0) {
        return err->code;
    }
    if (strcmp(path, "-") != 0) {
        page_say("wrote %s, %s", path,
                 units_format_size_decimal(bytes->length, size, sizeof(size)));
    }
    return 0;
}
