#include "scenario.h"

#include "base/must.h"
#include "base/units.h"
#include <string.h>

/* A key that no row has: the nearest one, or the workload that does have it. */
static int refuse_key(const struct section *section, const struct item *item, const char *topic,
                      struct error *err)
{
    static const enum section_id workloads[] = {SECTION_TPCC, SECTION_SYSBENCH, SECTION_BLOCK,
                                                SECTION_TPCB};
    static const char *const names[] = {"tpcc", "sysbench", "block", "tpcb"};
    const char *near = key_nearest(section->rows, section->count, item->key);

    item_key_error(item, err, "unknown key \"%.60s\" in %s", item->key, section->name);
    if (strcmp(section->name, "workload") == 0) {
        for (uint32_t i = 0; i < 4; i++) {
            const struct section *other = section_of(workloads[i]);

            if (key_find(other->rows, other->count, item->key)) {
                return error_hint(err, "it is a key of kind %s", names[i]);
            }
        }
    }
    return near ? error_hint(err, "did you mean \"%s\"?", near)
                : error_hint(err, "`rawtps help %s` lists the keys", topic);
}

static int read_item(const struct key *row, const struct item *item, void *record,
                     struct error *err)
{
    char expects[160];

    if (item->kind == ITEM_SCALAR && row->type != KEY_GROUP) {
        return key_set(row, record, item->text, err) ? item_place(item, err) : 0;
    }
    if (row->type == KEY_GROUP || row->many) {
        return 0;
    }
    return item_error(item, err, "%s: %s is expected, not %s", row->name,
                      key_expects(row, expects, sizeof(expects)), item_kind_name(item));
}

static int refuse_missing(const struct key *row, const struct section *section,
                          const struct item *map, struct error *err)
{
    char expects[160];

    return item_key_error(map, err, "\"%s\" is missing in %s: %s is expected", row->name,
                          section->name, key_expects(row, expects, sizeof(expects)));
}

int section_read(enum section_id id, const struct item *map, void *record, uint64_t *given,
                 struct error *err)
{
    return section_read_rows(section_of(id), "scenario", map, record, given, err);
}

int section_read_rows(const struct section *section, const char *topic, const struct item *map,
                      void *record, uint64_t *given, struct error *err)
{
    uint64_t seen = 0;

    must(section->count <= 64);
    if (map->kind != ITEM_MAP) {
        return item_error(map, err, "%s: a section of keys is expected, not %s",
                          map->key ? map->key : section->name, item_kind_name(map));
    }
    for (const struct item *item = map->child; item; item = item->next) {
        const struct key *row = key_find(section->rows, section->count, item->key);

        /* a file has one way to write a key: '-' is for options */
        if (!row || strcmp(row->name, item->key) != 0) {
            return refuse_key(section, item, topic, err);
        }
        if (read_item(row, item, record, err)) {
            return err->code;
        }
        seen |= 1ull << (row - section->rows);
    }
    for (uint32_t i = 0; i < section->count; i++) {
        if (!section->rows[i].fallback && !(seen >> i & 1)) {
            return refuse_missing(&section->rows[i], section, map, err);
        }
    }
    if (given) {
        *given |= seen;
    }
    return 0;
}

bool section_has(enum section_id id, uint64_t given, const char *key)
{
    const struct section *section = section_of(id);
    const struct key *row = key_find(section->rows, section->count, key);

    must(row != NULL);
    return given >> (row - section->rows) & 1;
}
