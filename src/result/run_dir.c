#include "result/result.h"

#include "base/must.h"
#include "run_dir_parts.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ID_TRIES = 64 };

/* "new/../there" may be there, though it cannot be found before there is a "new". */
static bool leads_nowhere(const char *path)
{
    char before[PATH_MAX];
    struct stat st;

    for (const char *up = strstr(path, "/.."); up != NULL; up = strstr(up + 1, "/..")) {
        snprintf(before, sizeof(before), "%.*s", (int)(up - path + 1), path);
        if ((up[3] == '/' || up[3] == '\0') && stat(before, &st) != 0) {
            return true;
        }
    }
    return false;
}

int run_dir_folders(const char *path)
{
    char part[PATH_MAX];
    size_t n = strlen(path);

    if (n == 0 || n >= sizeof(part)) {
        return n == 0 ? -ENOENT : -ENAMETOOLONG;
    }
    if (leads_nowhere(path)) {
        return -ENOENT;
    }
    for (size_t i = 1; i <= n; i++) {
        if (path[i] == '/' || path[i] == '\0') {
            memcpy(part, path, i);
            part[i] = '\0';
            if (mkdir(part, 0777) != 0 && errno != EEXIST) {
                return -errno;
            }
        }
    }
    return 0;
}

static int refuse(struct error *err, int code, const char *what, const char *path)
{
    return error_set(err, EXIT_FAILED, code, "%s %s: %s", what, path, strerror(-code));
}

static bool is_empty(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    bool empty = dir != NULL;

    while (dir && empty && (entry = readdir(dir)) != NULL) {
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    }
    if (dir) {
        closedir(dir);
    }
    return empty;
}

static int refuse_full(const char *out, struct error *err)
{
    error_set(err, EXIT_USAGE, -EEXIST, "--out %s: exists and is not an empty directory", out);
    return error_hint(err, "a run never writes over another: name a new directory");
}

static int take_exactly(struct run_dir *dir, const char *out, struct error *err)
{
    struct stat st;
    char real[PATH_MAX];
    const char *name;
    int code;

    if (strlen(out) >= sizeof(dir->path)) {
        return error_set(err, EXIT_USAGE, -ENAMETOOLONG, "--out %.64s...: the path is too long",
                         out);
    }
    if (stat(out, &st) == 0 && (!S_ISDIR(st.st_mode) || !is_empty(out))) {
        return refuse_full(out, err);
    }
    code = run_dir_folders(out);
    if (code != 0) {
        return refuse(err, code, "cannot make the run directory", out);
    }
    if (!realpath(out, real)) {
        return refuse(err, -errno, "cannot find the run directory", out);
    }
    name = strrchr(real, '/') + 1;
    snprintf(dir->path, sizeof(dir->path), "%s", out);
    snprintf(dir->id, sizeof(dir->id), "%.*s", (int)sizeof(dir->id) - 1, name);
    return 0;
}

/* SplitMix64 (Steele, Lea and Flood 2014): neighbouring seeds give unlike ids. */
static uint64_t scatter(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

static void name_run(char *ret, size_t size, const char *name, int64_t utc_seconds, uint64_t seed)
{
    time_t when = (time_t)utc_seconds;
    struct tm tm;
    char stamp[32] = "", plain[64];
    size_t n = 0;

    if (gmtime_r(&when, &tm)) {
        strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
    }
    for (; name[n] != '\0' && n < sizeof(plain) - 1; n++) {
        bool fine = isalnum((unsigned char)name[n]) || strchr("._-", name[n]);

        plain[n] = name[n];
        if (!fine) {
            plain[n] = '-';
        }
    }
    plain[n] = '\0';
    snprintf(ret, size, "%s-%s-%04x", stamp, plain, (unsigned)(scatter(seed) & 0xffff));
}

static int take_new(struct run_dir *dir, const char *root, const char *name, int64_t utc_seconds,
                    uint64_t id_seed, struct error *err)
{
    int code = run_dir_folders(root);

    if (code != 0) {
        return refuse(err, code, "cannot make", root);
    }
    for (uint64_t i = 0; i < ID_TRIES; i++) {
        int n;

        name_run(dir->id, sizeof(dir->id), name, utc_seconds, id_seed + i);
        n = snprintf(dir->path, sizeof(dir->path), "%s/%s", root, dir->id);
        if (n < 0 || (size_t)n >= sizeof(dir->path)) {
            return error_set(err, EXIT_USAGE, -ENAMETOOLONG, "%.64s...: the path is too long",
                             root);
        }
        if (mkdir(dir->path, 0777) == 0) {
            return 0;
        }
        if (errno != EEXIST) {
            return refuse(err, -errno, "cannot make the run directory", dir->path);
        }
    }
    return refuse(err, -EEXIST, "cannot make the run directory", dir->path);
}

/* root/LATEST becomes a link to the run, in one step: there is always one, old or new. */
static int point_latest(const struct run_dir *dir, const char *root, struct error *err)
{
    char link[PATH_MAX], next[PATH_MAX];
    struct stat st;

    snprintf(link, sizeof(link), "%s/LATEST", root);
    snprintf(next, sizeof(next), "%s/.LATEST.%s", root, dir->id);
    if (lstat(link, &st) == 0 && !S_ISLNK(st.st_mode)) {
        error_set(err, EXIT_FAILED, -EEXIST, "%s is not a symbolic link", link);
        return error_hint(err, "it is to point to the latest run: move it away");
    }
    if (symlink(dir->id, next) != 0) {
        return refuse(err, -errno, "cannot make the link", next);
    }
    if (rename(next, link) != 0) {
        int code = -errno;

        unlink(next);
        return refuse(err, code, "cannot make the link", link);
    }
    return 0;
}

static int open_file(struct run_dir *dir, const char *name, int *ret, struct error *err)
{
    *ret = openat(dir->dir_fd, name, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (*ret >= 0) {
        return 0;
    }
    if (errno == EEXIST) {
        return error_set(err, EXIT_USAGE, -EEXIST, "%s/%s: exists: another run writes there",
                         dir->path, name);
    }
    error_set(err, EXIT_FAILED, -errno, "cannot make %s/%s: %s", dir->path, name, strerror(errno));
    return err->code;
}

static int open_files(struct run_dir *dir, struct error *err)
{
    int code;

    dir->dir_fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir->dir_fd < 0) {
        return refuse(err, -errno, "cannot open the run directory", dir->path);
    }
    code = open_file(dir, RUN_INTERVALS, &dir->intervals_fd, err);
    code = code != 0 ? code : open_file(dir, "events.jsonl", &dir->events_fd, err);
    code = code != 0 ? code : open_file(dir, "stdout.log", &dir->stdout_fd, err);
    return code != 0 ? code : open_file(dir, "latency.hlog", &dir->hlog_fd, err);
}

int run_dir_create(struct run_dir *dir, const char *root, const char *out, const char *name,
                   int64_t utc_seconds, uint64_t id_seed, struct error *err)
{
    int code;

    *dir = (struct run_dir){
        .dir_fd = -1, .intervals_fd = -1, .events_fd = -1, .stdout_fd = -1, .hlog_fd = -1};
    code = out ? take_exactly(dir, out, err) : take_new(dir, root, name, utc_seconds, id_seed, err);
    code = code != 0 ? code : open_files(dir, err);
    code = code != 0 || out ? code : point_latest(dir, root, err);
    if (code != 0) {
        run_dir_close(dir);
    }
    return code;
}

/* Keep the first error: the later ones follow from it. */
static int failed(struct run_dir *dir, int code, const char *what)
{
    if (!dir->failed) {
        dir->failed = true;
        error_set(&dir->error, EXIT_FAILED, code, "cannot write %s in %s: %s", what, dir->path,
                  strerror(-code));
        if (code == -ENOSPC || code == -EDQUOT) {
            error_hint(&dir->error, "what was written before is whole; make room, or take --out");
        }
    }
    return code;
}

static int write_all(int fd, const char *bytes, uint64_t count)
{
    while (count > 0) {
        ssize_t n = write(fd, bytes, count);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? -errno : -EIO;
        }
        bytes += n;
        count -= (uint64_t)n;
    }
    return 0;
}

/* A file that is appended to. */
struct growing {
    const char *name;
    int fd;
    uint64_t *bytes;
};
enum { GROWING = 4 };

static struct growing growing(struct run_dir *dir, int i)
{
    const struct growing files[GROWING] = {
        {RUN_INTERVALS, dir->intervals_fd, &dir->intervals_bytes},
        {"events.jsonl", dir->events_fd, &dir->events_bytes},
        {"stdout.log", dir->stdout_fd, &dir->stdout_bytes},
        {"latency.hlog", dir->hlog_fd, &dir->hlog_bytes},
    };

    return files[i];
}

static struct growing growing_of(struct run_dir *dir, int fd)
{
    int i = 0;

    while (i < GROWING - 1 && growing(dir, i).fd != fd) {
        i++;
    }
    return growing(dir, i);
}

void run_dir_look(struct run_dir *dir)
{
    for (int i = 0; i < GROWING && !dir->failed; i++) {
        struct growing file = growing(dir, i);
        struct stat ours, there;
        const char *what = NULL;

        if (file.fd < 0 || fstat(file.fd, &ours) != 0) {
            continue;
        }
        if (fstatat(dir->dir_fd, file.name, &there, 0) != 0) {
            what = "removed";
        } else if (there.st_dev != ours.st_dev || there.st_ino != ours.st_ino) {
            what = "replaced";
        } else if ((uint64_t)ours.st_size != *file.bytes) {
            what = "changed by another";
        }
        if (what) {
            dir->failed = true;
            error_set(&dir->error, EXIT_FAILED, -ESTALE, "%s/%s was %s while the run wrote it",
                      dir->path, file.name, what);
        }
    }
}

int run_dir_append(struct run_dir *dir, int fd, const char *bytes, uint64_t count)
{
    struct stat st;
    int code;

    must(fd >= 0);
    code = fstat(fd, &st) == 0 ? write_all(fd, bytes, count) : -errno;
    if (code != 0) {
        /* half a line would be taken for a torn end: take it back */
        if (ftruncate(fd, st.st_size) != 0) {
            return failed(dir, -errno, growing_of(dir, fd).name);
        }
        return failed(dir, code, growing_of(dir, fd).name);
    }
    *growing_of(dir, fd).bytes += count;
    return 0;
}

int run_dir_replace(struct run_dir *dir, const char *name, const char *bytes, uint64_t count)
{
    char next[NAME_MAX + 1];
    int fd, code;

    snprintf(next, sizeof(next), ".%.200s.next", name);
    fd = openat(dir->dir_fd, next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return failed(dir, -errno, name);
    }
    code = write_all(fd, bytes, count);
    code = code == 0 && fsync(fd) != 0 ? -errno : code;
    code = close(fd) != 0 && code == 0 ? -errno : code;
    code = code == 0 && renameat(dir->dir_fd, next, dir->dir_fd, name) != 0 ? -errno : code;
    if (code != 0) {
        unlinkat(dir->dir_fd, next, 0);
        return failed(dir, code, name);
    }
    return fsync(dir->dir_fd) == 0 ? 0 : failed(dir, -errno, name);
}

int run_dir_sync(struct run_dir *dir)
{
    int fds[] = {dir->intervals_fd, dir->events_fd, dir->stdout_fd, dir->hlog_fd}, code = 0;

    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (fds[i] >= 0 && fsync(fds[i]) != 0) {
            code = failed(dir, -errno, growing_of(dir, fds[i]).name);
        }
    }
    return code;
}

void run_dir_close(struct run_dir *dir)
{
    int *fds[] = {&dir->intervals_fd, &dir->events_fd, &dir->stdout_fd, &dir->hlog_fd,
                  &dir->dir_fd};

    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (*fds[i] >= 0) {
            close(*fds[i]);
        }
        *fds[i] = -1;
    }
}
