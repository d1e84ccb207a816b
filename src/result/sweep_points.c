#include "sweep_points.h"

#include "base/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char by_users[] = "users", by_scenario[] = "scenario";

/* The next "key=value" of a result's settings; false behind the last. */
static bool next_setting(const char **at, char key[SWEEP_NAME], char value[SWEEP_NAME])
{
    size_t length, name;

    *at += strspn(*at, " ");
    length = strcspn(*at, " ");
    name = strcspn(*at, "= ");
    if (length == 0) {
        return false;
    }
    snprintf(key, SWEEP_NAME, "%.*s", (int)name, *at);
    snprintf(value, SWEEP_NAME, "%.*s", length > name ? (int)(length - name - 1) : 0,
             *at + name + (length > name));
    *at += length;
    return true;
}

static void value_of(const struct result *result, const char *key, char ret[SWEEP_NAME])
{
    const char *at = result->scenario.settings;
    char name[SWEEP_NAME];

    if (strcmp(key, by_users) == 0) {
        snprintf(ret, SWEEP_NAME, "%llu", (unsigned long long)result->aggregate.users);
        return;
    }
    if (strcmp(key, by_scenario) == 0) {
        snprintf(ret, SWEEP_NAME, "%s", result->scenario.name);
        return;
    }
    while (next_setting(&at, name, ret)) {
        if (strcmp(name, key) == 0) {
            return;
        }
    }
    ret[0] = '\0';
}

/* Do the runs of one side give it different values? */
static bool varies(const struct set *const *sets, uint32_t count, const char *key)
{
    char first[SWEEP_NAME], other[SWEEP_NAME];

    for (uint32_t s = 0; s < count; s++) {
        value_of(sets[s]->runs[0].result, key, first);
        for (uint32_t i = 1; i < sets[s]->run_count; i++) {
            value_of(sets[s]->runs[i].result, key, other);
            if (strcmp(first, other) != 0) {
                return true;
            }
        }
    }
    return false;
}

static void add_key(struct sweep_keys *keys, const struct set *const *sets, uint32_t count,
                    const char *key)
{
    for (uint32_t i = 0; i < keys->count; i++) {
        if (strcmp(keys->names[i], key) == 0) {
            return;
        }
    }
    if (keys->count < SWEEP_KEYS && varies(sets, count, key)) {
        snprintf(keys->names[keys->count++], SWEEP_NAME, "%s", key);
    }
}

void sweep_keys_find(struct sweep_keys *ret, const struct set *const *sets, uint32_t count)
{
    char key[SWEEP_NAME], value[SWEEP_NAME];

    *ret = (struct sweep_keys){.count = 0};
    add_key(ret, sets, count, by_scenario);
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t i = 0; i < sets[s]->run_count; i++) {
            const char *at = sets[s]->runs[i].result->scenario.settings;

            while (next_setting(&at, key, value)) {
                add_key(ret, sets, count, key);
            }
        }
    }
    if (ret->count == 0) {
        add_key(ret, sets, count, by_users);
    }
}

/* "workload.outstanding" is "outstanding" where there is little room. */
static const char *last_word(const char *key)
{
    const char *dot = strrchr(key, '.');

    return dot ? dot + 1 : key;
}

void sweep_keys_value(const struct sweep_keys *keys, const struct result *result,
                      char ret[SWEEP_NAME])
{
    char value[SWEEP_NAME];
    size_t used = 0;

    ret[0] = '\0';
    for (uint32_t i = 0; i < keys->count && used < SWEEP_NAME; i++) {
        value_of(result, keys->names[i], value);
        if (value[0] == '\0') {
            snprintf(value, sizeof(value), "as the file has it");
        }
        if (keys->count == 1) {
            memcpy(ret, value, sizeof(value));
        } else if (strcmp(keys->names[i], by_scenario) == 0) {
            used += (size_t)snprintf(ret, SWEEP_NAME, "%s", value);
        } else {
            used += (size_t)snprintf(ret + used, SWEEP_NAME - used, "%s%s=%s", used > 0 ? " " : "",
                                     last_word(keys->names[i]), value);
        }
    }
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
