#include "plan/plan.h"

#include "base/mem.h"
#include "base/must.h"
#include "draft.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- where the shipped files are ---- */

static bool is_data_dir(const char *dir)
{
    char path[1200];

    snprintf(path, sizeof(path), "%s/scenarios", dir);
    if (access(path, X_OK) != 0) {
        return false;
    }
    snprintf(path, sizeof(path), "%s/vm-configs", dir);
    return access(path, X_OK) == 0;
}

static int put_dir(const char *dir, char *ret, uint64_t size, struct error *err)
{
    if (strlen(dir) >= size) {
        return error_set(err, EXIT_FAILED, -ENAMETOOLONG, "%s: the path is too long", dir);
    }
    memcpy(ret, dir, strlen(dir) + 1);
    return 0;
}

/* DIR/build/rawtps of a source tree, PREFIX/bin/rawtps of an installation. */
static bool beside_program(char *dir, size_t size)
{
    static const char *const tries[] = {"..", "../share/rawtps", "."};
    char program[1024];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    char *slash;

    if (length <= 0) {
        return false;
    }
    program[length] = '\0';
    slash = strrchr(program, '/');
    if (!slash) {
        return false;
    }
    *slash = '\0';
    for (uint32_t i = 0; i < 3; i++) {
        char found[1100], *real;

        snprintf(found, sizeof(found), "%s/%s", program, tries[i]);
        real = is_data_dir(found) ? realpath(found, NULL) : NULL;
        if (real) {
            snprintf(dir, size, "%s", real);
            free(real);
            return true;
        }
    }
    return false;
}

int plan_data_dir(char *ret, uint64_t size, struct error *err)
{
    const char *given = getenv("RAWTPS_DATA");
    char dir[1024];

    if (given && *given) {
        if (!is_data_dir(given)) {
            error_set(err, EXIT_USAGE, -ENOENT,
                      "RAWTPS_DATA=%.200s: no scenarios and vm-configs there", given);
            return err->code;
        }
        return put_dir(given, ret, size, err);
    }
    if (beside_program(dir, sizeof(dir))) {
        return put_dir(dir, ret, size, err);
    }
    if (is_data_dir(".")) {
        return put_dir(".", ret, size, err);
    }
    error_set(err, EXIT_FAILED, -ENOENT, "the folders scenarios and vm-configs are not found");
    return error_hint(err, "set RAWTPS_DATA to the folder that holds them");
}

/* ---- what is in them ---- */

static int is_yaml(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return entry->d_name[0] != '.' && length > 5 &&
           strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

char **draft_names(const char *data_dir, const char *folder, uint32_t *ret_count)
{
    struct dirent **entries = NULL;
    char path[1024], **names, *text;
    int count;

    snprintf(path, sizeof(path), "%s/%s", data_dir, folder);
    count = scandir(path, &entries, is_yaml, by_bytes);
    count = count < 0 ? 0 : count;
    /* pointers and the texts behind them in one piece */
    names = mem_zalloc((size_t)count * (sizeof(*names) + sizeof(entries[0]->d_name)) + 1);
    text = names ? (char *)(names + count) : NULL;
    *ret_count = 0;
    for (int i = 0; i < count; i++) {
        if (names) {
            names[i] = text;
            snprintf(text, sizeof(entries[i]->d_name), "%.*s", (int)strlen(entries[i]->d_name) - 5,
                     entries[i]->d_name);
            text += strlen(text) + 1;
            *ret_count = (uint32_t)i + 1;
        }
        free(entries[i]);
    }
    free(entries);
    return names;
}

struct listing {
    struct plan_listing *rows;
    uint32_t count, limit;
};

static struct plan_listing *add_row(struct listing *list, const char *kind, const char *name)
{
    struct plan_listing *row;

    if (list->count == list->limit) {
        uint32_t limit = list->limit * 2 + 32;
        struct plan_listing *rows = mem_resize(list->rows, limit * sizeof(*rows));

        if (!rows) {
            return NULL;
        }
        list->rows = rows;
        list->limit = limit;
    }
    row = &list->rows[list->count++];
    *row = (struct plan_listing){0};
    snprintf(row->kind, sizeof(row->kind), "%s", kind);
    snprintf(row->name, sizeof(row->name), "%s", name);
    return row;
}

static int no_memory(struct error *err)
{
    return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a list");
}

/*
 * A file's `about`; for a drive its `model` where it has none; why, if it cannot be read. Published
 * figures are no scenario, wherever they lie.
 */
static void say_about(struct plan_listing *row)
{
    struct yaml yaml;
    struct error err;
    const struct item *about;

    if (yaml_read(&yaml, row->path, &err)) {
        snprintf(row->about, sizeof(row->about), "cannot be read: %.120s", err.text);
        return;
    }
    if (item_get(yaml.root, "groups")) {
        snprintf(row->kind, sizeof(row->kind), "audit");
    }
    about = item_get(yaml.root, "about");
    about = about ? about : item_get(yaml.root, "model");
    if (about && about->kind == ITEM_SCALAR) {
        snprintf(row->about, sizeof(row->about), "%s", about->text);
    }
    yaml_close(&yaml);
}

static int list_folder(struct listing *list, const char *data_dir, const char *folder,
                       const char *kind, struct error *err)
{
    uint32_t count;
    char **names = draft_names(data_dir, folder, &count);

    for (uint32_t i = 0; i < count; i++) {
        struct plan_listing *row = add_row(list, kind, names[i]);

        if (!row) {
            mem_free(names);
            return no_memory(err);
        }
        snprintf(row->path, sizeof(row->path), "%s/%s/%s.yaml", data_dir, folder, names[i]);
        say_about(row);
    }
    mem_free(names);
    return 0;
}

static int list_profiles(struct listing *list, struct error *err)
{
    static const char *const abouts[MODEL_PROFILES] = {
        [MODEL_INNODB] = "MySQL, MariaDB, Percona: 16 KiB pages, redo log, doublewrite",
        [MODEL_POSTGRES] = "PostgreSQL: 8 KiB pages, WAL with full-page images, heap and indexes",
        [MODEL_SQLSERVER] = "SQL Server: 8 KiB pages, write-through log, gathered checkpoints",
    };

    for (uint32_t i = 0; i < MODEL_PROFILES; i++) {
        struct plan_listing *row = add_row(list, "profile", model_profile_names[i]);

        if (!row) {
            return no_memory(err);
        }
        snprintf(row->about, sizeof(row->about), "%s", abouts[i]);
    }
    return 0;
}

int plan_list(struct plan_listing **ret_rows, uint32_t *ret_count, struct error *err)
{
    struct listing list = {0};
    char data_dir[256];

    if (plan_data_dir(data_dir, sizeof(data_dir), err)) {
        return err->code;
    }
    if (list_folder(&list, data_dir, "scenarios", "scenario", err) ||
        list_folder(&list, data_dir, "vm-configs", "vm-config", err) ||
        list_folder(&list, data_dir, "scenarios/drives", "drive", err) ||
        list_profiles(&list, err)) {
        mem_free(list.rows);
        return err->code;
    }
    *ret_rows = list.rows;
    *ret_count = list.count;
    return 0;
}
