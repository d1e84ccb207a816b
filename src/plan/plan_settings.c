#include "draft.h"

#include "base/checksum.h"
#include "base/mem.h"
#include "base/must.h"
#include "base/text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTINGS_SUM = 18 }; /* " ...=", 12 digits, 0 */

/* What is said elsewhere in a result, or says nothing of a run. */
static bool elsewhere(const struct item *item)
{
    static const char *const paths[] = {
        "drive.path", "drive.kind", "drive.like",    "drive.capacity", "drive.form_factor",
        "seed",       "scale",      "phases.sample", "target.url",     "about"};
    const struct item *section = item->parent;
    char path[96];

    if (!item->key || !section || (section->parent && (section->parent->parent || !section->key))) {
        return false;
    }
    snprintf(path, sizeof(path), "%s%s%s", section->parent ? section->key : "",
             section->parent ? "." : "", item->key);
    for (uint32_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (strcmp(path, paths[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A value in a list or section would end at these. */
static bool is_bare(const char *value, bool inside)
{
    if (value[0] == '\0' || value[0] == '{' || value[0] == '[') {
        return false;
    }
    for (const char *c = value; *c; c++) {
        if ((unsigned char)*c <= ' ' || *c == 0x7f || *c == '"' || *c == '\\' ||
            (inside && strchr(",{}[]", *c))) {
            return false;
        }
    }
    return true;
}

/* Without a blank, so that settings can be told apart by blanks; as YAML has it. */
static void add_quoted(struct text *ret, const char *value)
{
    text_add_char(ret, '"');
    for (const char *c = value; *c; c++) {
        if ((unsigned char)*c <= ' ' || *c == 0x7f) {
            text_addf(ret, "\\x%02x", (unsigned)(unsigned char)*c);
        } else {
            text_addf(ret, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        }
    }
    text_add_char(ret, '"');
}

static void add_scalar(struct text *ret, const char *value, bool inside)
{
    char *shown = mem_strdup(value);

    if (!shown) {
        ret->failed = true;
        return;
    }
    plan_hide_passwords(shown);
    if (is_bare(shown, inside)) {
        text_add(ret, shown);
    } else {
        add_quoted(ret, shown);
    }
    mem_free(shown);
}

/* The next key of a map in their order, behind `last` (NULL: the first). */
static const struct item *next_key(const struct item *map, const struct item *last)
{
    const struct item *next = NULL;

    for (const struct item *child = map->child; child; child = child->next) {
        if (!elsewhere(child) && (!last || strcmp(child->key, last->key) > 0) &&
            (!next || strcmp(child->key, next->key) < 0)) {
            next = child;
        }
    }
    return next;
}

static void add_value(struct text *ret, const struct item *item, bool inside)
{
    const struct item *child;
    const char *comma = "";

    if (item->kind == ITEM_SCALAR) {
        add_scalar(ret, item->text, inside);
        return;
    }
    text_add_char(ret, item->kind == ITEM_MAP ? '{' : '[');
    child = item->kind == ITEM_MAP ? next_key(item, NULL) : item->child;
    while (child) {
        text_add(ret, comma);
        if (item->kind == ITEM_MAP) {
            add_scalar(ret, child->key, true);
            text_add_char(ret, ':');
        }
        add_value(ret, child, true);
        child = item->kind == ITEM_MAP ? next_key(item, child) : child->next;
        comma = ",";
    }
    text_add_char(ret, item->kind == ITEM_MAP ? '}' : ']');
}

/*
 * A row "path=value" for all that was set at `item`, whose path is `path`, or below it. What was
 * set as a whole is one row, with whatever was set in it later.
 */
static void add_rows(struct text *ret, const struct item *item, struct text *path)
{
    size_t length = path->length;
    uint32_t place = 0;

    for (const struct item *child = item->child; child; child = child->next, place++) {
        const char *dot = length > 0 ? "." : "";

        if (elsewhere(child)) {
            continue;
        }
        if (child->key) {
            text_add(path, dot);
            add_scalar(path, child->key, true);
        } else {
            text_addf(path, "%s%u", dot, place);
        }
        if (child->given && !child->on_way) {
            text_addf(ret, "%s=", text_string(path));
            add_value(ret, child, false);
            text_add_char(ret, '\n');
        } else {
            add_rows(ret, child, path);
        }
        text_cut(path, length);
    }
    ret->failed |= path->failed;
}

static int by_path(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;

    while (*x == *y && *x != '=' && *x != '\0') {
        x++;
        y++;
    }
    return (*x == '=' ? 0 : (unsigned char)*x) - (*y == '=' ? 0 : (unsigned char)*y);
}

/* Rows, each ended by a newline, become a line: sorted, and set apart by blanks. */
static int join(char *rows, struct text *ret)
{
    char **sorted, *at = rows;
    uint32_t count = 0, i;

    for (const char *c = rows; *c; c++) {
        count += *c == '\n';
    }
    sorted = mem_array(count, sizeof(*sorted));
    if (!sorted) {
        return -ENOMEM;
    }
    for (i = 0; i < count; i++) {
        sorted[i] = at;
        at = strchr(at, '\n');
        *at++ = '\0';
    }
    qsort(sorted, count, sizeof(*sorted), by_path);
    for (i = 0; i < count; i++) {
        text_addf(ret, "%s%s", i > 0 ? " " : "", sorted[i]);
    }
    mem_free(sorted);
    return ret->failed ? -ENOMEM : 0;
}

int draft_settings(struct draft *draft, struct error *err)
{
    struct text rows, path, all;
    int code = 0;

    text_init(&rows);
    text_init(&path);
    text_init(&all);
    add_rows(&rows, draft->scenario.yaml.root, &path);
    code = rows.failed ? -ENOMEM : 0;
    if (code == 0 && rows.length > 0) {
        code = join(rows.data, &all);
    }
    draft->plan->settings = code == 0 ? mem_strdup(text_string(&all)) : NULL;
    text_free(&rows);
    text_free(&path);
    text_free(&all);
    return draft->plan->settings
               ? 0
               : error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the settings of a plan");
}

void plan_settings(const struct plan *plan, char *ret, uint64_t size)
{
    const char *all = plan->settings ? plan->settings : "";
    uint64_t length = strlen(all), kept = size - SETTINGS_SUM;
    char sha[SHA256_HEX];

    must(size >= SETTINGS_SUM);
    snprintf(ret, size, "%s", all);
    if (length < size) {
        return;
    }
    while (kept > 0 && ((unsigned char)ret[kept] & 0xc0) == 0x80) {
        kept--; /* no half of a character */
    }
    sha256_hex(all, length, sha);
    snprintf(ret + kept, size - kept, " ...=%.12s", sha);
}
