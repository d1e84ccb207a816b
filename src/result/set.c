#include "result/set.h"

#include "base/mem.h"
#include "base/must.h"
#include "fit.h"
#include "set_check.h"
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SET_LATEST   "LATEST"
#define SET_DOCUMENT "run.json"

static const char copy_hint[] = "a run that is copied says nothing new: measure again";

void set_init(struct set *set, const char *label)
{
    *set = (struct set){0};
    snprintf(set->label, sizeof(set->label), "%s", label ? label : "");
}

static void free_result(struct result *result)
{
    if (result) {
        result_free(result);
        mem_free(result);
    }
}

void set_free(struct set *set)
{
    for (uint32_t i = 0; i < set->run_count; i++) {
        free_result(set->runs[i].result);
    }
    mem_free(set->runs);
    *set = (struct set){0};
}

static enum set_state state_of(const struct result *result)
{
    const char *ended = result->run.ended;

    if (strcmp(ended, "void") == 0 || result_exit_code(result) == EXIT_WRONG_DATA) {
        return SET_VOID;
    }
    if (strcmp(ended, "failed") == 0) {
        return SET_FAILED;
    }
    return strcmp(ended, "complete") == 0 ? SET_WHOLE : SET_PARTIAL;
}

/* Zeros where nothing is there. */
static void find_place(const char *path, struct set_place *ret)
{
    struct stat st;
    bool there = stat(path, &st) == 0;

    *ret = (struct set_place){.device = there ? st.st_dev : 0, .inode = there ? st.st_ino : 0};
}

static bool holds_run(const struct set *set, const char *path, const struct set_place *place)
{
    for (uint32_t i = 0; i < set->run_count; i++) {
        const struct set_run *run = &set->runs[i];

        if ((place->inode != 0 && run->place.inode == place->inode &&
             run->place.device == place->device) ||
            strcmp(run->path, path) == 0) {
            return true;
        }
    }
    return false;
}

static int compare_runs(const void *a, const void *b)
{
    const struct set_run *x = a, *y = b;
    uint32_t left = x->result->run.started_ms, right = y->result->run.started_ms;
    int order = strcmp(x->result->run.started_utc, y->result->run.started_utc);

    order = order != 0 ? order : (left > right) - (left < right);
    if (order == 0) {
        order = x->result->run.pair.order < y->result->run.pair.order   ? -1
                : x->result->run.pair.order > y->result->run.pair.order ? 1
                                                                        : 0;
    }
    return order != 0 ? order : strcmp(x->path, y->path);
}

static int make_room(struct set *set, struct error *err)
{
    uint32_t more = set->run_limit > 0 ? set->run_limit * 2 : 16;
    struct set_run *grown;

    if (set->run_count < set->run_limit) {
        return 0;
    }
    if (set->run_count >= SET_RUNS) {
        return error_set(err, EXIT_USAGE, -E2BIG, "more than %d runs on one side", SET_RUNS);
    }
    grown = mem_resize(set->runs, more * sizeof(*grown));
    if (!grown) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u runs", more);
    }
    set->runs = grown;
    set->run_limit = more;
    return 0;
}

int set_add_result(struct set *set, const char *path, struct result *result, struct error *err)
{
    struct set_run *run;

    if (set_check_run(result, path, err) < 0 || make_room(set, err) < 0) {
        free_result(result);
        return err->code;
    }
    run = &set->runs[set->run_count++];
    snprintf(run->path, sizeof(run->path), "%s", path);
    find_place(path, &run->place);
    run->result = result;
    run->sha256[0] = '\0';
    run->state = state_of(result);
    return 0;
}

/* Nothing of two runs is alike to the last byte, not even in virtual time: when each began, its
 * cost, its name. */
static bool is_copy(const struct set_run *a, const struct set_run *b)
{
    return a->sha256[0] != '\0' && strcmp(a->sha256, b->sha256) == 0;
}

/* Another run of the set that one is a copy of, or NULL. */
static const struct set_run *find_copy(const struct set *set, const struct set_run *run)
{
    for (uint32_t i = 0; i < set->run_count; i++) {
        if (&set->runs[i] != run && is_copy(&set->runs[i], run)) {
            return &set->runs[i];
        }
    }
    return NULL;
}

static int refuse_copy(const struct set *set, struct error *err)
{
    const struct set_run *run = &set->runs[set->run_count - 1], *other = find_copy(set, run);

    if (!other) {
        return 0;
    }
    error_set(err, EXIT_USAGE, -EINVAL, "%.200s and %.200s are copies of one run", other->path,
              run->path);
    return error_hint(err, copy_hint);
}

/* path: a run directory. */
static int add_run(struct set *set, const char *path, struct error *err)
{
    struct set_place place;
    struct result *result;
    char sha256[SHA256_HEX];

    if (strlen(path) >= SET_PATH) {
        return error_set(err, EXIT_USAGE, -ENAMETOOLONG, "the path of a run is too long: %.80s",
                         path);
    }
    find_place(path, &place);
    if (holds_run(set, path, &place)) {
        return 0;
    }
    result = mem_zalloc(sizeof(*result));
    if (!result) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a run");
    }
    if (run_dir_load_summed(path, result, sha256, err) < 0) {
        mem_free(result);
        return err->code;
    }
    if (set_add_result(set, path, result, err) < 0) {
        return err->code;
    }
    memcpy(set->runs[set->run_count - 1].sha256, sha256, SHA256_HEX);
    return refuse_copy(set, err);
}

/* 1, 0, or an error: whether a run is there cannot be told, as of one that may not be looked into.
 */
static int is_run(const char *path, struct error *err)
{
    char file[SET_PATH + NAME_MAX + 16];
    struct stat st;
    int n = snprintf(file, sizeof(file), "%s/%s", path, SET_DOCUMENT), code;

    if (n >= (int)sizeof(file)) {
        return 0;
    }
    if (stat(file, &st) == 0) {
        return S_ISREG(st.st_mode);
    }
    code = -errno;
    if (code == -ENOENT || code == -ENOTDIR) {
        return 0;
    }
    error_set(err, EXIT_FAILED, code, "cannot tell whether %s is a run: %s", path, strerror(-code));
    return error_hint(err, "name the runs that may be read one by one");
}

/* A file system keeps lost+found at its top, which only root may read. */
static bool may_be_run(const char *name)
{
    return name[0] != '.' && strcmp(name, SET_LATEST) != 0 && strcmp(name, "lost+found") != 0;
}

/* Runs come by their start in the end; the order of names alone decides which error is first. */
static int add_folder(struct set *set, const char *path, struct error *err)
{
    struct dirent **names = NULL;
    int count = scandir(path, &names, NULL, alphasort), found = 0, code = 0;
    char inside[SET_PATH + NAME_MAX + 2];

    if (count < 0) {
        code = -errno;
        return error_set(err, EXIT_FAILED, code, "cannot read %s: %s", path, strerror(-code));
    }
    for (int i = 0; i < count; i++) {
        int n = snprintf(inside, sizeof(inside), "%s/%s", path, names[i]->d_name), is = 0;

        if (code == 0 && may_be_run(names[i]->d_name) && n < (int)sizeof(inside)) {
            is = is_run(inside, err);
            found += is > 0;
            code = is > 0 ? add_run(set, inside, err) : is;
        }
        free(names[i]);
    }
    free(names);
    if (code == 0 && found == 0) {
        error_set(err, EXIT_USAGE, -ENOENT, "no run in %s: it has no %s, nor a directory that does",
                  path, SET_DOCUMENT);
        return error_hint(err, "name run directories, or a directory of them, as results");
    }
    return code;
}

/* What is no run among the files of a glob is passed over only if it is no directory. */
static int add_place(struct set *set, const char *given, bool globbed, bool *ret_found,
                     struct error *err)
{
    char path[SET_PATH];
    size_t n = strlen(given), tail = strlen("/" SET_DOCUMENT);
    const char *name;
    struct stat st;

    if (n >= sizeof(path)) {
        return error_set(err, EXIT_USAGE, -ENAMETOOLONG, "the path is too long: %.80s", given);
    }
    memcpy(path, given, n + 1);
    while (n > 1 && path[n - 1] == '/') {
        path[--n] = '\0';
    }
    name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (globbed && (strcmp(name, SET_LATEST) == 0 ||
                    (stat(path, &st) == 0 && !S_ISDIR(st.st_mode) && strcmp(name, SET_DOCUMENT)))) {
        return 0;
    }
    *ret_found = true;
    if (n > tail && strcmp(path + n - tail, "/" SET_DOCUMENT) == 0) {
        path[n - tail] = '\0';
        return add_run(set, path, err);
    }
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        int is = is_run(path, err);

        return is < 0 ? is : is > 0 ? add_run(set, path, err) : add_folder(set, path, err);
    }
    return add_run(set, path, err);
}

static int add_glob(struct set *set, const char *pattern, struct error *err)
{
    glob_t found = {0};
    int code = glob(pattern, 0, NULL, &found);
    bool any = false;

    if (code == GLOB_NOSPACE) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the runs of %s", pattern);
    }
    code = 0;
    for (size_t i = 0; code == 0 && i < found.gl_pathc; i++) {
        code = add_place(set, found.gl_pathv[i], true, &any, err);
    }
    globfree(&found);
    if (code == 0 && !any) {
        error_set(err, EXIT_USAGE, -ENOENT, "no run matches %s", pattern);
        error_hint(err, "name run directories, or a directory of them, as results");
        return err->code;
    }
    return code;
}

int set_add(struct set *set, const char *pattern, struct error *err)
{
    struct stat st;
    bool any = false;
    int code = pattern[0] != '\0' && stat(pattern, &st) != 0 && strpbrk(pattern, "*?[")
                   ? add_glob(set, pattern, err)
                   : add_place(set, pattern, false, &any, err);

    if (set->run_count > 1) {
        qsort(set->runs, set->run_count, sizeof(*set->runs), compare_runs);
    }
    return code;
}

const char *set_take_label(const char *word, char label[SET_LABEL])
{
    const char *equals = strchr(word, '='), *slash = strchr(word, '/');
    struct stat st;

    label[0] = '\0';
    if (!equals || equals == word || (slash && slash < equals) || stat(word, &st) == 0) {
        return word;
    }
    snprintf(label, SET_LABEL, "%.*s", (int)(equals - word), word);
    return equals + 1;
}

/* Does every run say the same, and something? */
static bool agree(const struct set *set, const char *(*of)(const struct result *result))
{
    for (uint32_t i = 0; i < set->run_count; i++) {
        if (of(set->runs[i].result)[0] == '\0' ||
            strcmp(of(set->runs[i].result), of(set->runs[0].result)) != 0) {
            return false;
        }
    }
    return set->run_count > 0;
}

static const char *label_of(const struct result *result)
{
    return result->run.label;
}

static const char *model_of(const struct result *result)
{
    return result->drive_count > 0 ? result->drives[0].model : "";
}

static const char *firmware_of(const struct result *result)
{
    return result->drive_count > 0 ? result->drives[0].firmware : "";
}

void set_name(struct set *set, const char *other)
{
    const struct result *first = set->run_count > 0 ? set->runs[0].result : NULL;

    if (set->label[0] != '\0') {
        return;
    }
    if (agree(set, label_of)) {
        fit_words(set->label, sizeof(set->label), label_of(first));
    } else if (agree(set, model_of) && agree(set, firmware_of)) {
        char all[sizeof(first->drives[0].model) + sizeof(first->drives[0].firmware) + 8];

        snprintf(all, sizeof(all), "%s fw %s", model_of(first), firmware_of(first));
        fit_words(set->label, sizeof(set->label), all);
    } else {
        fit_words(set->label, sizeof(set->label), agree(set, model_of) ? model_of(first) : other);
    }
}

static const char *form_of(const struct result *result)
{
    return result->drive_count > 0 ? result->drives[0].form_factor : "";
}

static const char *file_of(const struct result *result)
{
    return result->drive_count > 0 ? result->drives[0].model_sha256 : "";
}

static const char *scenario_of(const struct result *result)
{
    return result->scenario.name;
}

static const char *settings_of(const struct result *result)
{
    return result->scenario.settings;
}

/* What tells sides of one name apart, the shortest first; in the end their letter. */
struct trait {
    const char *before, *behind;
    int most;                                       /* bytes of it */
    const char *(*of)(const struct result *result); /* NULL: the letter */
};
static const struct trait traits[] = {{" ", "", 16, form_of},
                                      {" file@", "", 8, file_of},
                                      {" ", "", 64, scenario_of},
                                      {" ", "", 512, settings_of},
                                      {" (", ")", 1, NULL}};

/* Has another side the same name, and this trait otherwise? */
static bool is_told_by(const struct set *sets, uint32_t count, uint32_t side,
                       const struct trait *trait)
{
    const struct set *set = &sets[side];

    for (uint32_t s = 0; s < count; s++) {
        bool other = s != side && strcmp(sets[s].label, set->label) == 0;

        if (other && (!trait->of || !agree(set, trait->of) || !agree(&sets[s], trait->of) ||
                      strcmp(trait->of(set->runs[0].result), trait->of(sets[s].runs[0].result)))) {
            return true;
        }
    }
    return false;
}

static void add_trait(struct set *sets, uint32_t count, const struct trait *trait)
{
    char labels[SET_SIDES][SET_LABEL];

    for (uint32_t s = 0; s < count; s++) {
        const char letter[2] = {(char)('A' + s), '\0'}, *word = letter;
        char all[SET_LABEL + 600];

        if (trait->of) {
            word = agree(&sets[s], trait->of) ? trait->of(sets[s].runs[0].result) : "";
        }
        memcpy(labels[s], sets[s].label, sizeof(labels[s]));
        if (word[0] != '\0' && is_told_by(sets, count, s, trait)) {
            snprintf(all, sizeof(all), "%s%s%.*s%s", labels[s], trait->before, trait->most, word,
                     trait->behind);
            fit_words(labels[s], sizeof(labels[s]), all);
        }
    }
    for (uint32_t s = 0; s < count; s++) {
        memcpy(sets[s].label, labels[s], sizeof(labels[s]));
    }
}

void set_tell_apart(struct set *sets, uint32_t count)
{
    must(count <= SET_SIDES);
    for (size_t i = 0; i < sizeof(traits) / sizeof(traits[0]); i++) {
        add_trait(sets, count, &traits[i]);
    }
}

int set_refuse_void(const struct set *set, struct error *err)
{
    for (uint32_t i = 0; i < set->run_count; i++) {
        if (set->runs[i].state == SET_VOID) {
            error_set(err, EXIT_WRONG_DATA, -EBADMSG,
                      "%s is void: its data came back wrong, so nothing may be concluded from it",
                      set->runs[i].path);
            return error_hint(err, "`rawtps report %s` says what was wrong", set->runs[i].path);
        }
    }
    return 0;
}

static int refuse_copies(const struct set *a, const struct set *b, struct error *err)
{
    for (uint32_t i = 0; i < a->run_count; i++) {
        const struct set_run *other = find_copy(b, &a->runs[i]);

        if (other) {
            error_set(err, EXIT_USAGE, -EINVAL,
                      "%.200s, of %s, and %.200s, of %s, are copies of one run", a->runs[i].path,
                      a->label, other->path, b->label);
            return error_hint(err, copy_hint);
        }
    }
    return 0;
}

int set_refuse_shared(const struct set *const *sets, uint32_t count, struct error *err)
{
    for (uint32_t s = 1; s < count; s++) {
        for (uint32_t t = 0; t < s; t++) {
            for (uint32_t i = 0; i < sets[s]->run_count; i++) {
                const struct set_run *run = &sets[s]->runs[i];

                if (holds_run(sets[t], run->path, &run->place)) {
                    return error_set(err, EXIT_USAGE, -EINVAL, "%s is in both %s and %s", run->path,
                                     sets[t]->label, sets[s]->label);
                }
            }
            if (refuse_copies(sets[t], sets[s], err) < 0) {
                return err->code;
            }
        }
    }
    return 0;
}

void set_keep(struct set *set, bool (*keep)(const struct set_run *run, uint32_t i, void *context),
              void *context)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < set->run_count; i++) {
        if (keep(&set->runs[i], i, context)) {
            set->runs[kept++] = set->runs[i];
        } else {
            free_result(set->runs[i].result);
        }
    }
    set->run_count = kept;
}

/* The run of b that stands beside `run` in its series, or UINT32_MAX. */
static uint32_t neighbour(const struct set *b, const struct result_pair *pair)
{
    for (uint32_t i = 0; i < b->run_count; i++) {
        const struct result_pair *other = &b->runs[i].result->run.pair;

        if (strcmp(other->design, pair->design) == 0 && strcmp(other->series, pair->series) == 0 &&
            (other->order + 1) / 2 == (pair->order + 1) / 2 && other->order != pair->order &&
            strcmp(other->side, pair->side) != 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

uint32_t set_pairs(const struct set *a, const struct set *b, struct set_pair *ret)
{
    uint32_t most = a->run_count < b->run_count ? a->run_count : b->run_count, count = 0;
    const char *side = NULL;

    for (uint32_t i = 0; i < a->run_count && count < most; i++) {
        const struct result_pair *pair = &a->runs[i].result->run.pair;
        uint32_t j = pair->design[0] != '\0' && pair->order > 0 ? neighbour(b, pair) : UINT32_MAX;

        if (j == UINT32_MAX) {
            continue;
        }
        if (side && strcmp(side, pair->side) != 0) {
            return 0; /* both sides are in one set: not what the series was made for */
        }
        side = pair->side;
        ret[count++] = (struct set_pair){.a = i, .b = j};
    }
    return count >= 2 && a->run_count - count <= 1 && b->run_count - count <= 1 ? count : 0;
}
