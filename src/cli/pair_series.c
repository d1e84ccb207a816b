#include "pair_series.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "page.h"
#include "result/result.h"
#include "stats/compare.h"

enum { PARTIALS = 100 };

/* The last part of the path that is no '.' or empty. */
static void name_series(struct pair_series *series)
{
    char real[PATH_MAX];
    const char *name = realpath(series->dir, real) ? strrchr(real, '/') + 1 : series->dir;

    snprintf(series->name, sizeof(series->name), "%.*s", (int)sizeof(series->name) - 1, name);
}

static bool is_there(const char *dir)
{
    char first[PAIR_SERIES_DIR + 16];
    struct stat st;

    snprintf(first, sizeof(first), "%s/01-A", dir);
    return stat(first, &st) == 0;
}

static int place(struct pair_series *ret, const char *out, const char *root, const char *scenario,
                 struct error *err)
{
    time_t now = time(NULL);
    char stamp[32] = "";
    struct tm tm;
    int n;

    if (out != NULL) {
        n = snprintf(ret->dir, sizeof(ret->dir), "%s", out);
    } else {
        gmtime_r(&now, &tm);
        strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
        n = snprintf(ret->dir, sizeof(ret->dir), "%s/%s-pair-%.60s", root, stamp, scenario);
    }
    if (n <= 0 || n >= (int)sizeof(ret->dir)) {
        return error_set(err, EXIT_USAGE, -ENAMETOOLONG, "the path of the series is too long");
    }
    while (n > 1 && ret->dir[n - 1] == '/') {
        ret->dir[--n] = '\0';
    }
    return 0;
}

int pair_series_open(struct pair_series *ret, const char *out, const char *root,
                     const char *scenario, uint32_t pairs, bool resume, struct error *err)
{
    int code;

    *ret = (struct pair_series){.pairs = pairs};
    if (place(ret, out, root, scenario, err) < 0) {
        return err->code;
    }
    if (resume && !is_there(ret->dir)) {
        return error_set(err, EXIT_USAGE, -ENOENT, "--resume: there is no series in %s", ret->dir);
    }
    if (!resume && is_there(ret->dir)) {
        error_set(err, EXIT_USAGE, -EEXIST, "%s holds a series already", ret->dir);
        return error_hint(err, "--resume goes on with it; or name a new directory");
    }
    code = run_dir_folders(ret->dir);
    if (code != 0) {
        return error_set(err, EXIT_FAILED, code, "cannot make %s: %s", ret->dir, strerror(-code));
    }
    name_series(ret);
    return 0;
}

void pair_series_run(const struct pair_series *series, uint32_t order, char ret[SET_PATH])
{
    snprintf(ret, SET_PATH, "%s/%02u-%s", series->dir, order, compare_abba_is_b(order) ? "B" : "A");
}

static int set_aside(const char *path, const char *ended, struct error *err)
{
    char other[SET_PATH + 24];
    struct stat st;

    for (int i = 1; i < PARTIALS; i++) {
        snprintf(other, sizeof(other), "%s.partial-%d", path, i);
        if (stat(other, &st) == 0) {
            continue;
        }
        if (rename(path, other) != 0) {
            return error_set(err, EXIT_FAILED, -errno, "cannot set %s aside: %s", path,
                             strerror(errno));
        }
        page_say("%s is not complete (%s): set aside as %s", path, ended, other);
        return 0;
    }
    return error_set(err, EXIT_FAILED, -EEXIST, "too many attempts beside %s", path);
}

static int look(const struct pair_series *series, uint32_t order, const struct result *result,
                const char *path, bool *ret_done, struct error *err)
{
    const struct result_pair *pair = &result->run.pair;

    if (pair->order != order || strcmp(pair->series, series->name) != 0) {
        return error_set(err, EXIT_USAGE, -EINVAL, "%s is no run of the series %s", path,
                         series->name);
    }
    *ret_done = strcmp(result->run.ended, "complete") == 0;
    return *ret_done ? 0 : set_aside(path, result->run.ended, err);
}

int pair_series_done(const struct pair_series *series, uint32_t order, bool *ret_done,
                     struct error *err)
{
    char path[SET_PATH], file[SET_PATH + 16];
    struct result result;
    struct stat st;
    int code;

    *ret_done = false;
    pair_series_run(series, order, path);
    snprintf(file, sizeof(file), "%s/run.json", path);
    if (stat(path, &st) != 0) {
        return 0;
    }
    if (stat(file, &st) != 0) {
        return set_aside(path, "nothing was measured", err);
    }
    if (run_dir_load(path, &result, err) < 0) {
        return err->code;
    }
    code = look(series, order, &result, path, ret_done, err);
    result_free(&result);
    return code;
}

int pair_series_load(const struct pair_series *series, bool is_b, struct set *ret,
                     struct error *err)
{
    char path[SET_PATH], file[SET_PATH + 16];
    struct stat st;

    for (uint32_t order = 1; order <= 2 * series->pairs; order++) {
        if (compare_abba_is_b(order) != is_b) {
            continue;
        }
        pair_series_run(series, order, path);
        snprintf(file, sizeof(file), "%s/run.json", path);
        if (stat(file, &st) == 0 && set_add(ret, path, err) < 0) {
            return err->code;
        }
    }
    return 0;
}
