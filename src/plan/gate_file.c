#include "plan/gate_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "gate_keys.h"

struct gate_reader {
    const struct item *root;
    const struct gate_words *words;
    struct gate_file *ret;
    struct error *err;
};

static int read_section(const struct gate_reader *reader, enum gate_section id,
                        const struct item *map, void *record, uint64_t *given)
{
    return section_read_rows(gate_keys_of(id), "gate-file", map, record, given, reader->err);
}

/* A word of a table, or the nearest one. */
static int read_word(const struct gate_reader *reader, const struct item *item, const char *what,
                     const char *const *words, uint32_t count, uint32_t *ret)
{
    const char *near;

    if (item->kind != ITEM_SCALAR) {
        return item_error(item, reader->err, "%s: a word is expected, not %s", what,
                          item_kind_name(item));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(words[i], item->text) == 0) {
            *ret = i;
            return 0;
        }
    }
    near = text_nearest(item->text, words, count);
    item_error(item, reader->err, "%s: there is no \"%.60s\"", what, item->text);
    return near ? error_hint(reader->err, "did you mean \"%s\"?", near)
                : error_hint(reader->err, "`rawtps help gate-file` lists the keys and words");
}

/* ---- runs ---- */

/* What is special to a glob is escaped in the directory of the file, which is no glob. */
static void add_dir(const char *dir, bool globbed, char ret[GATE_PATH])
{
    size_t n = 0;

    for (; *dir != '\0' && n + 2 < GATE_PATH; dir++) {
        if (globbed && strchr("*?[\\", *dir)) {
            ret[n++] = '\\';
        }
        ret[n++] = *dir;
    }
    ret[n] = '\0';
}

static int read_glob(const struct gate_reader *reader, const struct item *item, char ret[GATE_PATH],
                     struct gate_place *place)
{
    if (item->kind != ITEM_SCALAR) {
        return item_error(item, reader->err,
                          "runs: a path such as results/fw1/* is expected, not "
                          "%s",
                          item_kind_name(item));
    }
    if (item->text[0] == '\0') {
        return item_error(item, reader->err, "runs: a path such as results/fw1/* is expected");
    }
    if (item->text[0] != '/') {
        add_dir(reader->ret->dir, strpbrk(item->text, "*?[") != NULL, ret);
    }
    if (strlen(ret) + strlen(item->text) >= GATE_PATH) {
        return item_error(item, reader->err, "runs: the path is longer than %d bytes",
                          GATE_PATH - 1);
    }
    strcat(ret, item->text);
    *place = (struct gate_place){item->line, item->column};
    return 0;
}

static int read_globs(const struct gate_reader *reader, const struct item *map,
                      char (*runs)[GATE_PATH], struct gate_place *places, uint32_t *ret_count)
{
    const struct item *item = item_get(map, "runs");

    *ret_count = 1;
    if (item->kind != ITEM_LIST) {
        return read_glob(reader, item, runs[0], &places[0]);
    }
    if (item->count == 0 || item->count > GATE_GLOBS) {
        return item_error(item, reader->err, "runs: 1 to %d paths are expected, not %u", GATE_GLOBS,
                          item->count);
    }
    *ret_count = 0;
    for (item = item->child; item != NULL; item = item->next) {
        if (read_glob(reader, item, runs[*ret_count], &places[*ret_count]) < 0) {
            return reader->err->code;
        }
        (*ret_count)++;
    }
    return 0;
}

static int read_side(const struct gate_reader *reader, const char *name, struct gate_side *ret)
{
    const struct item *map = item_get(reader->root, name);
    struct gate_side_text text = {0};

    snprintf(text.side.label, sizeof(text.side.label), "%s", name);
    if (read_section(reader, GATE_SECTION_SIDE, map, &text, NULL) < 0) {
        return reader->err->code;
    }
    *ret = text.side;
    return read_globs(reader, map, ret->runs, ret->places, &ret->run_count);
}

static int read_history(const struct gate_reader *reader)
{
    const struct item *map = item_get(reader->root, "history");
    struct gate_history *ret = &reader->ret->history;
    struct gate_history_text text = {
        .history = {.window = 50, .p = 0.001, .min_change = 0.01, .advisory = true}};

    if (map != NULL && read_section(reader, GATE_SECTION_HISTORY, map, &text, NULL) < 0) {
        return reader->err->code;
    }
    *ret = text.history;
    ret->given = map != NULL;
    return map == NULL ? 0 : read_globs(reader, map, ret->runs, ret->places, &ret->run_count);
}

/* ---- require ---- */

static int add_same(const struct gate_reader *reader, const struct item *item)
{
    struct gate_require *ret = &reader->ret->require;
    uint32_t word;

    if (read_word(reader, item, "same", reader->words->same, reader->words->same_count, &word) <
        0) {
        return reader->err->code;
    }
    for (uint32_t i = 0; i < ret->same_count; i++) {
        if (ret->same[i] == word) {
            return item_error(item, reader->err, "same: \"%s\" stands here twice", item->text);
        }
    }
    if (ret->same_count == GATE_SAME) {
        return item_error(item, reader->err, "same: at most %d words", GATE_SAME);
    }
    ret->same[ret->same_count++] = word;
    return 0;
}

static void fill_same(const struct gate_words *words, struct gate_require *ret)
{
    const char *at = GATE_SAME_DEFAULT;

    while (*at != '\0' && ret->same_count < GATE_SAME) {
        size_t n = strcspn(at, ",");

        for (uint32_t i = 0; i < words->same_count; i++) {
            if (strlen(words->same[i]) == n && strncmp(words->same[i], at, n) == 0) {
                ret->same[ret->same_count++] = i;
            }
        }
        at += n;
        at += strspn(at, ", ");
    }
}

static int read_require(const struct gate_reader *reader)
{
    const struct item *map = item_get(reader->root, "require"), *same = item_get(map, "same");
    struct gate_require *ret = &reader->ret->require;

    *ret = (struct gate_require){
        .like_workload = true, .steady_state = true, .concurrency_tolerance = 0.02, .min_runs = 5};
    if (map != NULL && read_section(reader, GATE_SECTION_REQUIRE, map, ret, NULL) < 0) {
        return reader->err->code;
    }
    if (same == NULL) {
        fill_same(reader->words, ret);
        return 0;
    }
    if (same->kind != ITEM_LIST) {
        return item_error(same, reader->err, "same: a list of words is expected, not %s",
                          item_kind_name(same));
    }
    for (same = same->child; same != NULL; same = same->next) {
        if (add_same(reader, same) < 0) {
            return reader->err->code;
        }
    }
    return 0;
}

static int read_design(const struct gate_reader *reader)
{
    const struct item *map = item_get(reader->root, "design"), *item = item_get(map, "max_runs");
    struct gate_design *ret = &reader->ret->design;

    *ret = (struct gate_design){.alpha = 0.05, .power = 0.8, .max_runs = 10};
    if (map != NULL && read_section(reader, GATE_SECTION_DESIGN, map, ret, NULL) < 0) {
        return reader->err->code;
    }
    if (ret->max_runs < reader->ret->require.min_runs) {
        if (item == NULL) {
            ret->max_runs = reader->ret->require.min_runs;
            return 0;
        }
        return item_error(item, reader->err, "max_runs: must be at least min_runs, %u",
                          reader->ret->require.min_runs);
    }
    return 0;
}

/* ---- metrics ---- */

static int read_limit(const struct gate_reader *reader, const struct item *map, const char *key,
                      const char *text, enum gate_unit unit, double *ret)
{
    int64_t ns = 0;
    int code;

    if (text == NULL) {
        return 0;
    }
    if (unit == GATE_DURATION) {
        code = units_duration(text, &ns, reader->err);
        *ret = code == 0 ? (double)ns : *ret;
    } else if (unit == GATE_SHARE) {
        code = units_share(text, ret, reader->err);
    } else {
        code = units_number(text, ret, reader->err);
    }
    if (code < 0) {
        error_wrap(reader->err, "%s", key);
        return item_place(item_get(map, key), reader->err);
    }
    return *ret > 0 ? 0 : item_error(item_get(map, key), reader->err, "%s: must be above 0", key);
}

static int check_metric(const struct gate_reader *reader, const struct item *map,
                        const struct gate_metric *row)
{
    if (isnan(row->margin) && isnan(row->improve_min) && isnan(row->most) && isnan(row->least)) {
        item_error(map, reader->err, "metrics: one of margin, improve_min, max and min is missing");
        return error_hint(reader->err, "for example {metric: tps, margin: 2%%}");
    }
    if (!isnan(row->improve_min) && !isnan(row->margin)) {
        return item_error(map, reader->err, "metrics: margin and improve_min exclude one another");
    }
    if (row->equivalence && isnan(row->margin)) {
        return item_error(map, reader->err, "equivalence: a margin is needed");
    }
    if (row->scope[0] == '\0') {
        return item_error(map, reader->err, "scope: aggregate, each_vm or a VM's name is expected");
    }
    for (uint32_t i = 0; i < reader->ret->metric_count; i++) {
        const struct gate_metric *other = &reader->ret->metrics[i];

        if (other->metric == row->metric && strcmp(other->scope, row->scope) == 0) {
            return item_error(map, reader->err, "metrics: a second row on %s of %s",
                              reader->words->metrics[row->metric], row->scope);
        }
    }
    return 0;
}

static int read_metric(const struct gate_reader *reader, const struct item *map)
{
    struct gate_metric_text text = {
        .row = {
            .scope = "aggregate", .margin = NAN, .improve_min = NAN, .most = NAN, .least = NAN}};
    const struct gate_words *words = reader->words;
    struct gate_metric *row = &text.row;
    enum gate_unit unit;

    if (read_section(reader, GATE_SECTION_METRIC, map, &text, NULL) < 0 ||
        read_word(reader, item_get(map, "metric"), "metric", words->metrics, words->metric_count,
                  &row->metric) < 0) {
        return reader->err->code;
    }
    unit = words->units[row->metric];
    row->place = (struct gate_place){map->line, map->column};
    if (read_limit(reader, map, "max", text.most, unit, &row->most) < 0 ||
        read_limit(reader, map, "min", text.least, unit, &row->least) < 0 ||
        check_metric(reader, map, row) < 0) {
        return reader->err->code;
    }
    reader->ret->metrics[reader->ret->metric_count++] = *row;
    return 0;
}

static int read_metrics(const struct gate_reader *reader)
{
    const struct item *list = item_get(reader->root, "metrics");

    if (list->kind != ITEM_LIST || list->count == 0 || list->count > GATE_METRICS) {
        item_error(list, reader->err, "metrics: a list of 1 to %d rows is expected", GATE_METRICS);
        return error_hint(reader->err, "for example [{metric: tps, margin: 2%%}]");
    }
    for (list = list->child; list != NULL; list = list->next) {
        if (read_metric(reader, list) < 0) {
            return reader->err->code;
        }
    }
    return 0;
}

/* ---- the whole ---- */

static int read_outputs(const struct gate_reader *reader)
{
    const struct item *map = item_get(reader->root, "outputs");
    struct gate_outputs *ret = &reader->ret->outputs;
    const char *const paths[] = {ret->junit, ret->markdown, ret->json, ret->html};

    if (map == NULL) {
        return 0;
    }
    if (read_section(reader, GATE_SECTION_OUTPUTS, map, ret, NULL) < 0) {
        return reader->err->code;
    }
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (paths[i][0] != '\0' && strcmp(paths[i], paths[j]) == 0) {
                return item_error(map, reader->err, "outputs: two of them are %s", paths[i]);
            }
        }
    }
    return 0;
}

/* What the file is called when it does not say: its own name without .yaml. */
static void name_after(const char *path, struct gate_file *ret)
{
    const char *last = strrchr(path, '/'), *base = last ? last + 1 : path;
    size_t n = strlen(base);

    if (n > 5 && strcmp(base + n - 5, ".yaml") == 0) {
        n -= 5;
    }
    snprintf(ret->name, sizeof(ret->name), "%.*s", (int)(n < 127 ? n : 127), base);
    snprintf(ret->dir, sizeof(ret->dir), "%.*s", last ? (int)(last - path + 1) : 0, path);
}

static int read_tree(const struct gate_reader *reader)
{
    struct gate_top top = {0};

    if (read_section(reader, GATE_SECTION_TOP, reader->root, &top, NULL) < 0 ||
        read_side(reader, "baseline", &reader->ret->baseline) < 0 ||
        read_side(reader, "candidate", &reader->ret->candidate) < 0 || read_require(reader) < 0 ||
        read_design(reader) < 0 || read_metrics(reader) < 0 || read_history(reader) < 0 ||
        read_outputs(reader) < 0) {
        return reader->err->code;
    }
    if (top.name[0] != '\0') {
        memcpy(reader->ret->name, top.name, sizeof(top.name));
    }
    return 0;
}

int gate_file_read(const char *path, const struct gate_words *words, struct gate_file *ret,
                   struct error *err)
{
    struct gate_reader reader = {.words = words, .ret = ret, .err = err};
    struct yaml yaml = {0};
    int code = 0;

    *ret = (struct gate_file){.path = path};
    name_after(path, ret);
    if (strlen(path) >= sizeof(ret->dir)) {
        return error_set(err, EXIT_USAGE, -ENAMETOOLONG,
                         "the path %.80s... is longer than 255 "
                         "bytes",
                         path);
    }
    if (yaml_read(&yaml, path, err) < 0) {
        return err->code;
    }
    reader.root = yaml.root;
    code = read_tree(&reader);
    yaml_close(&yaml);
    return code;
}
