#include "pair_series.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "io/guard.h"
#include "page.h"
#include "result/result.h"
#include "stats/compare.h"

enum { PARTIALS = 100, SETTINGS = 512 };
#define SAMPLE_LATE_NS 500000000ll /* a real drive may keep its last interval waiting */

/* The last part of the path that is no '.' or empty. */
static void name_series(struct pair_series *series)
{
    char real[PATH_MAX];
    const char *name = realpath(series->dir, real) ? strrchr(real, '/') + 1 : series->dir;

    snprintf(series->name, sizeof(series->name), "%.*s", (int)sizeof(series->name) - 1, name);
}

/* "03-A", and what was set aside of it. */
static bool is_run_name(const char *name)
{
    return name[0] >= '0' && name[0] <= '9' && name[1] >= '0' && name[1] <= '9' && name[2] == '-' &&
           (name[3] == 'A' || name[3] == 'B') &&
           (name[4] == '\0' || strncmp(name + 4, ".partial-", 9) == 0);
}

struct contents {
    bool there, runs, others; /* the directory, and what is in it */
};

static struct contents look_into(const char *path)
{
    DIR *dir = opendir(path);
    struct contents ret = {.there = dir != NULL};
    const struct dirent *entry;

    while (dir && (entry = readdir(dir)) != NULL) {
        bool run = is_run_name(entry->d_name);

        ret.runs = ret.runs || run;
        ret.others = ret.others ||
                     (!run && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0);
    }
    if (dir) {
        closedir(dir);
    }
    return ret;
}

/* A series that was killed in its first run may have left nothing: it begins. */
static int refuse_contents(const char *dir, bool resume, struct error *err)
{
    struct contents in = look_into(dir);

    if (resume && !in.runs && (!in.there || in.others)) {
        return error_set(err, EXIT_USAGE, -ENOENT, "--resume: there is no series in %s", dir);
    }
    if (!resume && in.runs) {
        error_set(err, EXIT_USAGE, -EEXIST, "%s holds a series already", dir);
        return error_hint(err, "--resume goes on with it; or name a new directory");
    }
    if (!resume && in.others) {
        error_set(err, EXIT_USAGE, -EEXIST, "--out %s: exists and is not an empty directory", dir);
        return error_hint(err, "a series has a directory of its own: name a new one");
    }
    return 0;
}

/* The lock is gone with the process, however it ends. */
static int lock(struct pair_series *series, struct error *err)
{
    series->lock_fd = open(series->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (series->lock_fd >= 0 && flock(series->lock_fd, LOCK_EX | LOCK_NB) == 0) {
        return 0;
    }
    if (series->lock_fd >= 0 && errno == EWOULDBLOCK) {
        error_set(err, EXIT_USAGE, -EBUSY, "another bench-pair is at work in %s", series->dir);
        return error_hint(err, "wait until it is over, or name another --out");
    }
    if (series->lock_fd >= 0) {
        return 0; /* a file system that has no locks */
    }
    return error_set(err, EXIT_FAILED, -errno, "cannot open %s: %s", series->dir, strerror(errno));
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

    *ret = (struct pair_series){.pairs = pairs, .lock_fd = -1};
    if (place(ret, out, root, scenario, err) < 0) {
        return err->code;
    }
    if (refuse_contents(ret->dir, resume, err) < 0) {
        return err->code;
    }
    code = run_dir_folders(ret->dir);
    if (code != 0) {
        return error_set(err, EXIT_FAILED, code, "cannot make %s: %s", ret->dir, strerror(-code));
    }
    /* another may be quicker */
    if (lock(ret, err) < 0 || refuse_contents(ret->dir, resume, err) < 0) {
        return err->code;
    }
    name_series(ret);
    return 0;
}

void pair_series_close(struct pair_series *series)
{
    if (series->lock_fd >= 0) {
        close(series->lock_fd);
    }
    series->lock_fd = -1;
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

/* ---- is a run that stands there one of this series? ---- */

struct difference {
    const char *what;
    char was[SETTINGS], is[SETTINGS];
};

static bool differs(struct difference *ret, const char *what, const char *was, const char *is)
{
    ret->what = what;
    snprintf(ret->was, sizeof(ret->was), "%.*s", SETTINGS - 1, was[0] ? was : "none");
    snprintf(ret->is, sizeof(ret->is), "%.*s", SETTINGS - 1, is[0] ? is : "none");
    return strcmp(ret->was, ret->is) != 0;
}

/* Results of versions that did not record the model's file are taken for the same. */
static bool model_differs(const struct result_drive *drive, const struct plan *plan,
                          struct difference *ret)
{
    return drive->model_sha256[0] && plan->drive_sha256[0] &&
           differs(ret, "the drive model's file", drive->model_sha256, plan->drive_sha256);
}

/* A drive is its serial number where it has one, else its path; one that is simulated its model. */
static bool drive_differs(const struct result *result, const struct plan *plan,
                          struct difference *ret)
{
    const struct result_drive *drive = &result->drives[0];
    struct guard_request request = {
        .path = plan->drive_path,
        .erase = plan->erase[0] != '\0' ? plan->erase : NULL,
        .write = plan->writes,
        .create_bytes = plan->create_bytes,
    };
    struct drive_facts facts = {0};
    struct error ignored;
    char was[32], is[32];

    if (differs(ret, "time", result->run.virtual_time ? "virtual" : "real",
                plan->virtual_time ? "virtual" : "real")) {
        return true;
    }
    if (plan->drive == PLAN_DRIVE_URING) {
        guard_look(&request, &facts, &ignored); /* refused or not: the run itself will say so */
        return strcmp(facts.kind, "file") != 0 && facts.serial[0] && drive->serial[0]
                   ? differs(ret, "drive", drive->serial, facts.serial)
                   : differs(ret, "drive", drive->path,
                             facts.path[0] ? facts.path : plan->drive_path);
    }
    if (plan->drive == PLAN_DRIVE_SIM &&
        (differs(ret, "drive", drive->path, plan->sim.name) || model_differs(drive, plan, ret))) {
        return true;
    }
    snprintf(was, sizeof(was), "%llu", (unsigned long long)drive->capacity_bytes);
    snprintf(is, sizeof(is), "%llu", (unsigned long long)plan->drive_capacity_bytes);
    return result->drive_count > 0 && differs(ret, "capacity", was, is);
}

/* A sample that ends with its work has no length of its own. */
static bool sample_differs(const struct result *result, const struct plan *plan,
                           struct difference *ret)
{
    int64_t was_ns = result->aggregate.sample_until_ns - result->aggregate.sample_from_ns;
    int64_t is_ns = plan->phases[plan->phase_count - 1].length_ns, off_ns = was_ns - is_ns;
    int64_t late_ns = plan->virtual_time ? 0 : SAMPLE_LATE_NS;
    char was[UNITS_TEXT], is[UNITS_TEXT];

    off_ns = off_ns < 0 ? -off_ns : off_ns;
    if (plan->vms[0].work_transactions > 0 || off_ns <= is_ns / 50 + late_ns) {
        return false;
    }
    return differs(ret, "sample", units_format_period(was_ns, was, sizeof(was)),
                   units_format_period(is_ns, is, sizeof(is)));
}

/* Does the line of settings, set apart by blanks, hold this one? */
static bool holds(const char *settings, const char *one, size_t length)
{
    for (const char *at = settings; *at != '\0'; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");

        if (n == length && strncmp(at, one, n) == 0) {
            return true;
        }
        at += n;
    }
    return false;
}

/* What of `settings` the others do not have, into ret. */
static void keep_other(const char *settings, const char *others, char ret[SETTINGS])
{
    size_t used = 0;

    ret[0] = '\0';
    for (const char *at = settings; *at != '\0'; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");

        if (!holds(others, at, n) && used + n + 2 < SETTINGS) {
            used += (size_t)snprintf(ret + used, SETTINGS - used, "%s%.*s", used > 0 ? " " : "",
                                     (int)n, at);
        }
        at += n;
    }
}

/* Of many settings those that differ. */
static bool settings_differ(const char *was, const char *is, struct difference *ret)
{
    char other_was[SETTINGS], other_is[SETTINGS];

    if (strcmp(was, is) == 0) {
        return false;
    }
    keep_other(was, is, other_was);
    keep_other(is, was, other_is);
    return differs(ret, "settings", other_was, other_is) || differs(ret, "settings", was, is);
}

static bool plan_differs(const struct result *result, const struct plan *plan,
                         struct difference *ret)
{
    char settings[sizeof(result->scenario.settings)], was[24], is[24];

    plan_settings(plan, settings, sizeof(settings));
    snprintf(was, sizeof(was), "%llu", (unsigned long long)result->run.seed);
    snprintf(is, sizeof(is), "%llu", (unsigned long long)plan->seed);
    if (differs(ret, "scenario", result->scenario.name, plan->name) ||
        differs(ret, "the scenario's text", result->scenario.sha256, plan->sha256) ||
        settings_differ(result->scenario.settings, settings, ret) ||
        differs(ret, "scale", result->scenario.scale, plan->scale_text) ||
        differs(ret, "seed", was, is)) {
        return true;
    }
    for (uint32_t i = 0; i < sizeof(plan->configs) / sizeof(plan->configs[0]); i++) {
        if (differs(ret, "VM config", result->scenario.configs[i].sha256,
                    plan->configs[i].sha256)) {
            return true;
        }
    }
    return drive_differs(result, plan, ret);
}

static int check_plan(const struct result *result, const struct plan *plan, const char *path,
                      struct error *err)
{
    bool complete = strcmp(result->run.ended, "complete") == 0;
    struct difference difference;

    if (!plan_differs(result, plan, &difference) &&
        !(complete && sample_differs(result, plan, &difference))) {
        return 0;
    }
    error_set(err, EXIT_USAGE, -EINVAL,
              "--resume: %s is another run: %s was %.240s, now it is %.240s", path, difference.what,
              difference.was, difference.is);
    return error_hint(err, "the same command goes on with the series; another one wants another "
                           "--out");
}

static int check_run(const struct pair_series *series, uint32_t order, const struct plan *plan,
                     const struct result *result, const char *path, struct error *err)
{
    const struct result_pair *pair = &result->run.pair;

    if (pair->order != order || strcmp(pair->series, series->name) != 0) {
        error_set(err, EXIT_USAGE, -EINVAL, "%s is no run of the series %s", path, series->name);
        return error_hint(err, "it has the place of one: move it away");
    }
    return check_plan(result, plan, path, err);
}

/* What stands at a place: nothing, something without a result, or a run. */
enum standing { STANDS_NOTHING, STANDS_BARE, STANDS_PARTIAL, STANDS_COMPLETE };

static int look(const struct pair_series *series, uint32_t order, const struct plan *plan,
                enum standing *ret, char ended[24], struct error *err)
{
    char path[SET_PATH], file[SET_PATH + 16];
    struct result result;
    struct stat st;
    int code;

    pair_series_run(series, order, path);
    snprintf(file, sizeof(file), "%s/run.json", path);
    *ret = stat(path, &st) != 0 ? STANDS_NOTHING : STANDS_BARE;
    if (stat(file, &st) != 0) {
        return 0;
    }
    if (run_dir_load(path, &result, err) < 0) {
        return err->code;
    }
    code = check_run(series, order, plan, &result, path, err);
    *ret = strcmp(result.run.ended, "complete") == 0 ? STANDS_COMPLETE : STANDS_PARTIAL;
    snprintf(ended, 24, "%s", result.run.ended);
    result_free(&result);
    return code;
}

int pair_series_check(const struct pair_series *series, uint32_t order, const struct plan *plan,
                      struct error *err)
{
    enum standing standing;
    char ended[24];

    return look(series, order, plan, &standing, ended, err);
}

int pair_series_done(const struct pair_series *series, uint32_t order, const struct plan *plan,
                     bool *ret_done, struct error *err)
{
    char path[SET_PATH], ended[24] = "nothing was measured";
    enum standing standing;

    *ret_done = false;
    if (look(series, order, plan, &standing, ended, err) < 0) {
        return err->code;
    }
    *ret_done = standing == STANDS_COMPLETE;
    pair_series_run(series, order, path);
    return standing == STANDS_BARE || standing == STANDS_PARTIAL ? set_aside(path, ended, err) : 0;
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
