#include "scenario.h"

#include <stdio.h>
#include <string.h>

/* One code into the list: five letters of an SQLSTATE, or the digits of a number. */
static int add_code(const struct item *item, const char *code, size_t length, struct plan_sql *sql,
                    struct error *err)
{
    if (length == 0 || length > 5 ||
        strspn(code, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") < length) {
        return item_error(item, err,
                          "ignore: a number such as 1062 or an SQLSTATE such as 23505 is "
                          "expected, not \"%.*s\"",
                          (int)length, code);
    }
    if (sql->ignore_count == TARGET_SQL_IGNORED) {
        return item_error(item, err, "ignore: at most %d codes", TARGET_SQL_IGNORED);
    }
    snprintf(sql->ignore[sql->ignore_count++], sizeof(sql->ignore[0]), "%.*s", (int)length, code);
    return 0;
}

static int read_codes(const struct item *item, struct plan_sql *sql, struct error *err)
{
    const char *at = item->text;
    int rc = 0;

    while (rc == 0 && *at != '\0') {
        size_t length;

        at += strspn(at, ", ");
        length = strcspn(at, ", ");
        rc = length > 0 ? add_code(item, at, length, sql, err) : 0;
        at += length;
    }
    return rc;
}

static int read_ignored(const struct item *item, struct plan_sql *sql, struct error *err)
{
    if (item->kind == ITEM_SCALAR) {
        return read_codes(item, sql, err);
    }
    if (item->kind == ITEM_MAP) {
        return item_error(item, err, "ignore: a list of codes is expected, not a section");
    }
    for (const struct item *code = item->child; code; code = code->next) {
        if (code->kind != ITEM_SCALAR) {
            return item_error(code, err, "ignore: a code is expected, not %s",
                              item_kind_name(code));
        }
        if (read_codes(code, sql, err)) {
            return err->code;
        }
    }
    return 0;
}

int scenario_read_target(struct scenario *scenario, struct error *err)
{
    const struct item *map = item_get(scenario->yaml.root, "target"), *ignore;
    struct scenario_target *target = &scenario->target;

    *target = (struct scenario_target){
        .sql = {.loops = 1, .prepared = true, .patience_ns = 60000000000ll}};
    if (!map) {
        return 0;
    }
    if (scenario->workload.kind == PLAN_BLOCK) {
        return item_key_error(map, err, "target: a block workload asks a drive, not a server");
    }
    if (section_read(SECTION_TARGET, map, target, &scenario->given[SECTION_TARGET], err)) {
        return err->code;
    }
    ignore = item_get(map, "ignore");
    return ignore ? read_ignored(ignore, &target->sql, err) : 0;
}
