#include "sweep_points.h"

#include "base/must.h"
#include "base/units.h"
#include "fit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char by_users[] = "users", by_scenario[] = "scenario";
/* What tells drives apart, each so far as those before it do not. No key of a scenario has a blank.
 */
enum drive_key { BY_MODEL, BY_FORM, BY_CAPACITY, BY_FILE, DRIVE_KEYS };
static const char *const by_drive[DRIVE_KEYS] = {"drive model", "form factor", "drive capacity",
                                                 "model file"};
static const char as_in_file[] = "as the file has it";

/*
 * All values of a result together: settings have 512 bytes, the name of a scenario fewer, and a key
 * that is not set costs its name, which is in another's settings, and a few words.
 */
enum { FILE_SHOWN = 8, SEEN_MOST = 128 };
enum { WHOLE_BYTES = 1024 + SWEEP_KEYS * (SWEEP_NAME + sizeof(as_in_file) + 3) };

/* Not ended by a zero: settings are taken apart where they stand. */
struct span {
    const char *at;
    size_t length;
};

static bool span_is(struct span span, const char *word)
{
    return strlen(word) == span.length && strncmp(span.at, word, span.length) == 0;
}

/* The next "key=value" of a result's settings; false behind the last. */
static bool next_setting(const char **at, struct span *key, struct span *value)
{
    size_t length, name;

    *at += strspn(*at, " ");
    length = strcspn(*at, " ");
    name = strcspn(*at, "= ");
    if (length == 0) {
        return false;
    }
    *key = (struct span){*at, name};
    *value = (struct span){*at + name + (length > name), length > name ? length - name - 1 : 0};
    *at += length;
    return true;
}

static struct span span_of(const char *word)
{
    return (struct span){word, strlen(word)};
}

/* A file grows, and is none the less the same drive. */
static struct span drive_value(const struct result *result, enum drive_key key,
                               char number[UNITS_TEXT])
{
    const struct result_drive *drive = &result->drives[0];

    number[0] = '\0';
    switch (key) {
    case BY_MODEL:
        return span_of(drive->model[0] != '\0' ? drive->model : drive->kind);
    case BY_FORM:
        return span_of(drive->form_factor);
    case BY_CAPACITY:
        if (strcmp(drive->kind, "sim") == 0) {
            units_format_size_decimal(drive->capacity_bytes, number, UNITS_TEXT);
        }
        return span_of(number);
    case BY_FILE:
        return (struct span){drive->model_sha256, strnlen(drive->model_sha256, FILE_SHOWN)};
    case DRIVE_KEYS:
        break;
    }
    return span_of("");
}

/* Nothing where the result has not set it. `number` holds what is no text of the result. */
static struct span value_of(const struct result *result, const char *key, char number[UNITS_TEXT])
{
    const char *at = result->scenario.settings;
    struct span name, value;

    if (strcmp(key, by_users) == 0) {
        snprintf(number, UNITS_TEXT, "%llu", (unsigned long long)result->aggregate.users);
        return span_of(number);
    }
    if (strcmp(key, by_scenario) == 0) {
        return span_of(result->scenario.name);
    }
    for (uint32_t i = 0; i < DRIVE_KEYS; i++) {
        if (strcmp(key, by_drive[i]) == 0) {
            return drive_value(result, (enum drive_key)i, number);
        }
    }
    while (next_setting(&at, &name, &value)) {
        if (span_is(name, key)) {
            return value;
        }
    }
    return (struct span){"", 0};
}

static bool is_same(const struct result *a, const struct result *b, const char *key)
{
    char of_a[UNITS_TEXT], of_b[UNITS_TEXT];
    struct span x = value_of(a, key, of_a), y = value_of(b, key, of_b);

    return x.length == y.length && memcmp(x.at, y.at, x.length) == 0;
}

/* Do the runs of one side give it different values? */
static bool varies(const struct set *const *sets, uint32_t count, const char *key)
{
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t i = 1; i < sets[s]->run_count; i++) {
            if (!is_same(sets[s]->runs[0].result, sets[s]->runs[i].result, key)) {
                return true;
            }
        }
    }
    return false;
}

static void add_key(struct sweep_keys *keys, const struct set *const *sets, uint32_t count,
                    struct span key)
{
    char *name = keys->names[keys->count < SWEEP_KEYS ? keys->count : 0];

    for (uint32_t i = 0; i < keys->count; i++) {
        if (span_is(key, keys->names[i])) {
            return;
        }
    }
    if (keys->count == SWEEP_KEYS || key.length >= SWEEP_NAME) {
        return;
    }
    memcpy(name, key.at, key.length);
    name[key.length] = '\0';
    keys->count += varies(sets, count, name);
}

/* Settings that were looked through: most runs have the same as another. */
struct seen {
    const char *settings[SEEN_MOST];
    uint32_t count;
};

static bool was_seen(struct seen *seen, const char *settings)
{
    for (uint32_t i = 0; i < seen->count; i++) {
        if (strcmp(seen->settings[i], settings) == 0) {
            return true;
        }
    }
    if (seen->count < SEEN_MOST) {
        seen->settings[seen->count++] = settings;
    }
    return false;
}

static void add_settings(struct sweep_keys *ret, const struct set *const *sets, uint32_t count)
{
    struct seen seen = {.count = 0};
    struct span key, value;

    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t i = 0; i < sets[s]->run_count; i++) {
            const char *at = sets[s]->runs[i].result->scenario.settings;

            if (was_seen(&seen, at)) {
                continue;
            }
            while (next_setting(&at, &key, &value)) {
                add_key(ret, sets, count, key);
            }
        }
    }
}

/* Does it tell runs of one side apart that the drive's keys before it do not? */
static bool separates(const struct set *set, uint32_t drive_key)
{
    for (uint32_t i = 1; i < set->run_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const struct result *a = set->runs[i].result, *b = set->runs[j].result;
            bool same = true;

            for (uint32_t k = 0; same && k < drive_key; k++) {
                same = is_same(a, b, by_drive[k]);
            }
            if (same && !is_same(a, b, by_drive[drive_key])) {
                return true;
            }
        }
    }
    return false;
}

/* Sides that have no drive in common are of different drives: that is what is compared. */
static bool is_shared(const struct set *const *sets, uint32_t count, const char *key)
{
    for (uint32_t i = 0; i < sets[0]->run_count; i++) {
        uint32_t having = 1;

        for (uint32_t s = 1; s < count; s++) {
            bool has = false;

            for (uint32_t j = 0; !has && j < sets[s]->run_count; j++) {
                has = is_same(sets[0]->runs[i].result, sets[s]->runs[j].result, key);
            }
            having += has;
        }
        if (having == count) {
            return true;
        }
    }
    return false;
}

static void add_drive(struct sweep_keys *ret, const struct set *const *sets, uint32_t count)
{
    for (uint32_t k = 0; k < DRIVE_KEYS; k++) {
        bool wanted = false;

        if (!varies(sets, count, by_drive[k]) || !is_shared(sets, count, by_drive[k])) {
            continue;
        }
        for (uint32_t s = 0; s < count; s++) {
            wanted = wanted || separates(sets[s], k);
        }
        if (wanted) {
            add_key(ret, sets, count, span_of(by_drive[k]));
        }
    }
}

void sweep_keys_find(struct sweep_keys *ret, const struct set *const *sets, uint32_t count)
{
    ret->count = 0;
    add_key(ret, sets, count, span_of(by_scenario));
    add_settings(ret, sets, count);
    if (ret->count == 0) {
        add_key(ret, sets, count, span_of(by_users));
    }
    add_drive(ret, sets, count);
}

/* Where there is little room "workload.outstanding" is "outstanding", "vms.0.users" "0.users". */
static const char *last_word(const char *key)
{
    const char *word = key, *before = key;

    for (const char *c = key; *c; c++) {
        if (*c == '.') {
            before = word;
            word = c + 1;
        }
    }
    return *before >= '0' && *before <= '9' ? before : word;
}

void sweep_keys_value(const struct sweep_keys *keys, const struct result *result,
                      char ret[SWEEP_NAME])
{
    char whole[WHOLE_BYTES], number[UNITS_TEXT];
    size_t used = 0;

    whole[0] = '\0';
    for (uint32_t i = 0; i < keys->count; i++) {
        struct span value = value_of(result, keys->names[i], number);
        bool bare = keys->count == 1 || strcmp(keys->names[i], by_scenario) == 0;

        if (value.length == 0) {
            value = (struct span){as_in_file, sizeof(as_in_file) - 1};
        }
        used += (size_t)snprintf(whole + used, sizeof(whole) - used, "%s%s%s%.*s",
                                 used > 0 ? " " : "", bare ? "" : last_word(keys->names[i]),
                                 bare ? "" : "=", (int)value.length, value.at);
        must(used < sizeof(whole));
    }
    fit_words(ret, SWEEP_NAME, whole);
}

double sweep_load(const char *value)
{
    struct error err;
    uint64_t whole;
    int64_t ns;
    double number;

    if (units_number(value, &number, &err) == 0 || units_share(value, &number, &err) == 0 ||
        units_rate(value, &number, &err) == 0) {
        return number;
    }
    if (units_count(value, &whole, &err) == 0 || units_size(value, &whole, &err) == 0) {
        return (double)whole;
    }
    return units_duration(value, &ns, &err) == 0 ? (double)ns : NAN;
}
