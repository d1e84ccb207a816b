#include "plan/audit_file.h"

#include "base/mem.h"
#include "base/units.h"
#include "scenario.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A test or a row as it is written; a row's fields come before its test's. */
struct audit_text {
    char name[AUDIT_FILE_NAME], note[AUDIT_FILE_NOTE];
    uint64_t users, threads;
    int64_t think_ns, response_ns;
    const char *throughput;
    bool no_pairs;
};

struct audit_top {
    char about[AUDIT_FILE_NOTE];
};

static const struct key top_rows[] = {
    {"about", KEY_TEXT, KEY_FIELD(struct audit_top, about), .fallback = "",
     .help = "where the figures are from"},
    {"groups", KEY_GROUP, .fallback = NULL, .help = "a list: one test each, as below"},
};

#define USERS_KEYS                                                                                 \
    {"users",                                                                                      \
     KEY_COUNT,                                                                                    \
     KEY_FIELD(struct audit_text, users),                                                          \
     "1",                                                                                          \
     "1G",                                                                                         \
     .fallback = "",                                                                               \
     .help = "virtual users in all, who think between transactions"},                              \
        {"threads",                                                                                \
         KEY_COUNT,                                                                                \
         KEY_FIELD(struct audit_text, threads),                                                    \
         "1",                                                                                      \
         "1G",                                                                                     \
         .fallback = "",                                                                           \
         .help = "threads in all, or requests outstanding, which wait for nothing"},               \
    {                                                                                              \
        "think", KEY_DURATION, KEY_FIELD(struct audit_text, think_ns), "0", "1h",                  \
            .fallback = "", .help = "published mean think and keying time"                         \
    }

static const struct key group_rows[] = {
    {"name", KEY_TEXT, KEY_FIELD(struct audit_text, name), .fallback = NULL, .help = "of the test"},
    USERS_KEYS,
    {"pairs", KEY_FLAG_OFF, KEY_FIELD(struct audit_text, no_pairs), .fallback = "yes",
     .help = "hold the rows against each other"},
    {"rows", KEY_GROUP, .fallback = NULL, .help = "a list: one drive each, as below"},
};

static const struct key row_rows[] = {
    {"drive", KEY_TEXT, KEY_FIELD(struct audit_text, name), .fallback = NULL,
     .help = "what was measured"},
    {"throughput", KEY_STRING, KEY_FIELD(struct audit_text, throughput), .fallback = "",
     .help = "12650 TPS, 719236 IOPS, 50k/s; left out if none was published"},
    {"response", KEY_DURATION, KEY_FIELD(struct audit_text, response_ns), "0", "1d", .fallback = "",
     .help = "mean response time, in the unit that was printed: 2.5ms, 161us"},
    USERS_KEYS,
    {"note", KEY_TEXT, KEY_FIELD(struct audit_text, note), .fallback = "",
     .help = "what else was said"},
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
static const struct section top = {"a file of figures", "the file", top_rows, COUNT(top_rows), ""};
static const struct section group = {"a group", "a group", group_rows, COUNT(group_rows), ""};
static const struct section row = {"a row", "a row of a group", row_rows, COUNT(row_rows), ""};

/* "719236 IOPS", "12650 TPS", "15k/s". */
static int read_throughput(const struct item *map, struct audit_file_row *ret, struct error *err)
{
    static const char *const words[] = {"IOPS", "TPS"};
    const struct item *item = item_get(map, "throughput");
    char text[64];
    size_t length;

    if (!item) {
        return 0;
    }
    snprintf(text, sizeof(text), "%s", item->text);
    length = strlen(text);
    for (uint32_t i = 0; i < COUNT(words); i++) {
        size_t n = strlen(words[i]);

        if (length > n && strcasecmp(text + length - n, words[i]) == 0) {
            length -= n;
            length -= text[length - 1] == ' ';
            snprintf(text + length, sizeof(text) - length, "/s");
            break;
        }
    }
    if (units_rate(text, &ret->per_s, err)) {
        item_error(item, err, "throughput: \"%.60s\" is not a rate with its unit", item->text);
        return error_hint(err, "as in 719236 IOPS, 12650 TPS or 15k/s; bandwidth: divide it by the "
                               "size of a request");
    }
    return ret->per_s > 0 ? 0 : item_error(item, err, "throughput: must be above 0");
}

/* Users, threads and think time of a row, or what its test says of them. */
static int read_users(const struct item *map, const struct item *of_group,
                      const struct audit_text *mine, const struct audit_text *theirs,
                      struct audit_file_row *ret, struct error *err)
{
    bool own = item_get(map, "users") || item_get(map, "threads");
    const struct audit_text *from = own ? mine : theirs;
    const struct item *think =
        item_get(map, "think") ? item_get(map, "think") : item_get(of_group, "think");

    if (from->users > 0 && from->threads > 0) {
        return item_error(item_get(own ? map : of_group, "threads"), err,
                          "users and threads exclude each other: give one");
    }
    if (from->threads > 0 && think && mine->think_ns + theirs->think_ns > 0) {
        item_error(think, err, "think: threads wait for nothing");
        return error_hint(err, "who thinks is a user: users: %llu",
                          (unsigned long long)from->threads);
    }
    ret->own_users = own;
    ret->users = from->users > 0     ? (double)from->users
                 : from->threads > 0 ? (double)from->threads
                                     : NAN;
    ret->think_ns = item_get(map, "think") ? (double)mine->think_ns
                    : think                ? (double)theirs->think_ns
                    : from->users > 0      ? NAN
                                           : 0;
    return 0;
}

static int read_row(const struct item *map, const struct item *of_group,
                    const struct audit_text *theirs, struct audit_file_row *ret, struct error *err)
{
    struct audit_text mine = {0};

    if (section_read_rows(&row, "audit", map, &mine, NULL, err) ||
        read_users(map, of_group, &mine, theirs, ret, err)) {
        return err->code;
    }
    memcpy(ret->drive, mine.name, sizeof(ret->drive));
    memcpy(ret->note, mine.note, sizeof(ret->note));
    ret->line = map->line;
    ret->per_s = NAN;
    ret->response_ns = item_get(map, "response") ? (double)mine.response_ns : NAN;
    return read_throughput(map, ret, err);
}

static int read_list(const struct item *list, const char *of, struct error *err)
{
    if (list->kind != ITEM_LIST || list->count == 0) {
        return item_error(list, err, "%s: a list with a row or more is expected, not %s", of,
                          list->kind == ITEM_LIST ? "an empty one" : item_kind_name(list));
    }
    return 0;
}

static int read_group(const struct item *map, struct audit_file *ret, struct error *err)
{
    struct audit_file_test *test = &ret->tests[ret->test_count++];
    struct audit_text text = {0};
    const struct item *rows;

    if (section_read_rows(&group, "audit", map, &text, NULL, err)) {
        return err->code;
    }
    rows = item_get(map, "rows");
    if (read_list(rows, "rows", err)) {
        return err->code;
    }
    if (rows->count > AUDIT_FILE_ROWS) {
        return item_error(rows, err, "rows: at most %d are expected, not %u", AUDIT_FILE_ROWS,
                          rows->count);
    }
    memcpy(test->name, text.name, sizeof(test->name));
    test->no_pairs = text.no_pairs;
    test->first_row = ret->row_count;
    for (const struct item *item = rows->child; item; item = item->next) {
        if (read_row(item, map, &text, &ret->rows[ret->row_count++], err)) {
            return err->code;
        }
    }
    test->row_count = ret->row_count - test->first_row;
    return 0;
}

static uint32_t rows_of(const struct item *groups)
{
    uint32_t count = 0;

    for (const struct item *item = groups->child; item; item = item->next) {
        const struct item *rows = item->kind == ITEM_MAP ? item_get(item, "rows") : NULL;

        count += rows ? rows->count : 0;
    }
    return count;
}

static int read_tree(const struct yaml *yaml, struct audit_file *ret, struct error *err)
{
    struct audit_top text = {0};
    const struct item *groups;

    if (section_read_rows(&top, "audit", yaml->root, &text, NULL, err)) {
        return err->code;
    }
    memcpy(ret->about, text.about, sizeof(ret->about));
    groups = item_get(yaml->root, "groups");
    if (read_list(groups, "groups", err)) {
        return err->code;
    }
    ret->tests = mem_array(groups->count, sizeof(*ret->tests));
    ret->rows = mem_array(rows_of(groups) + 1, sizeof(*ret->rows));
    if (!ret->tests || !ret->rows) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the figures");
    }
    for (const struct item *item = groups->child; item; item = item->next) {
        if (read_group(item, ret, err)) {
            return err->code;
        }
    }
    return 0;
}

int audit_file_read(const char *path, struct audit_file *ret, struct error *err)
{
    struct audit_file file = {0};
    struct yaml yaml;
    int code;

    if (yaml_read(&yaml, path, err)) {
        return err->code;
    }
    code = read_tree(&yaml, &file, err);
    yaml_close(&yaml);
    if (code) {
        audit_file_close(&file);
        return code;
    }
    *ret = file;
    return 0;
}

void audit_file_close(struct audit_file *file)
{
    mem_free(file->tests);
    mem_free(file->rows);
}
