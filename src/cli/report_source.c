#include "report_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

/* 0 or a negative errno. */
static int write_file(const char *path, const struct text *bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), code = 0;
    size_t done = 0;

    if (fd < 0) {
        return -errno;
    }
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

int report_source_may_write(const char *path, const char *input, struct error *err)
{
    struct stat there, other;

    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode)) {
        return 0;
    }
    if (is_input(path) || (input && stat(input, &other) == 0 && there.st_dev == other.st_dev &&
                           there.st_ino == other.st_ino)) {
        error_set(err, EXIT_USAGE, -EEXIST, "%s is there and is no report: it is not written over",
                  path);
        return error_hint(err, "name another file");
    }
    return 0;
}

int report_source_save(const char *path, const struct text *bytes, struct error *err)
{
    char temporary[PATH_MAX], size[UNITS_TEXT];
    struct stat st;
    bool plain;
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
    /* a pipe or device is written as it is */
    plain = stat(path, &st) != 0 || S_ISREG(st.st_mode);
    if (snprintf(temporary, sizeof(temporary), "%s%s", path, plain ? ".tmp" : "") >= PATH_MAX) {
        return error_set(err, EXIT_USAGE, -ENAMETOOLONG, "the path is too long");
    }
    code = write_file(temporary, bytes);
    if (code == 0 && plain && rename(temporary, path) != 0) {
        code = -errno;
    }
    if (code != 0) {
        if (plain) {
            unlink(temporary);
        }
        return error_set(err, EXIT_FAILED, code, "cannot write %s: %s", path, strerror(-code));
    }
    page_say("wrote %s, %s", path, units_format_size_decimal(bytes->length, size, sizeof(size)));
    return 0;
}
