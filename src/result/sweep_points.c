#include "sweep_points.h"

#include "base/checksum.h"
#include "base/must.h"
#include "base/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char by_users[] = "users", by_scenario[] = "scenario";
static const char as_in_file[] = "as the file has it";

/*
 * All values of a result together: settings have 512 bytes, the name of a scenario fewer, and a key
 * that is not set costs its name, which is in another's settings, and a few words.
 */
enum { TAIL_BYTES = 12, WHOLE_BYTES = 1024 + SWEEP_KEYS * (SWEEP_NAME + sizeof(as_in_file) + 3) };

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

/* Nothing where the result has not set it. `number` holds what is no text of the result. */
static struct span value_of(const struct result *result, const char *key, char number[24])
{
    const char *at = result->scenario.settings;
    struct span name, value;

    if (strcmp(key, by_users) == 0) {
        snprintf(number, 24, "%llu", (unsigned long long)result->aggregate.users);
        return (struct span){number, strlen(number)};
    }
    if (strcmp(key, by_scenario) == 0) {
        return (struct span){result->scenario.name, strlen(result->scenario.name)};
    }
    while (next_setting(&at, &name, &value)) {
        if (span_is(name, key)) {
            return value;
        }
    }
    return (struct span){"", 0};
}

/* Do the runs of one side give it different values? */
static bool varies(const struct set *const *sets, uint32_t count, const char *key)
{
    char of_first[24], of_other[24];

    for (uint32_t s = 0; s < count; s++) {
        struct span first = value_of(sets[s]->runs[0].result, key, of_first);

        for (uint32_t i = 1; i < sets[s]->run_count; i++) {
            struct span other = value_of(sets[s]->runs[i].result, key, of_other);

            if (first.length != other.length || memcmp(first.at, other.at, first.length) != 0) {
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

void sweep_keys_find(struct sweep_keys *ret, const struct set *const *sets, uint32_t count)
{
    struct span key, value;

    ret->count = 0;
    add_key(ret, sets, count, (struct span){by_scenario, sizeof(by_scenario) - 1});
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t i = 0; i < sets[s]->run_count; i++) {
            const char *at = sets[s]->runs[i].result->scenario.settings;

            while (next_setting(&at, &key, &value)) {
                add_key(ret, sets, count, key);
            }
        }
    }
    if (ret->count == 0) {
        add_key(ret, sets, count, (struct span){by_users, sizeof(by_users) - 1});
    }
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

/* What is too long for a name ends in its checksum: other values stay other points. */
static void shorten(const char *whole, size_t length, char ret[SWEEP_NAME])
{
    char sha[SHA256_HEX];
    size_t kept = SWEEP_NAME - 1 - TAIL_BYTES;

    while (kept > 0 && ((unsigned char)whole[kept] & 0xc0) == 0x80) {
        kept--;
    }
    sha256_hex(whole, length, sha);
    snprintf(ret, SWEEP_NAME, "%.*s...@%.8s", (int)kept, whole, sha);
}

void sweep_keys_value(const struct sweep_keys *keys, const struct result *result,
                      char ret[SWEEP_NAME])
{
    char whole[WHOLE_BYTES] = "", number[24];
    size_t used = 0;

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
    if (used < SWEEP_NAME) {
        memcpy(ret, whole, used + 1);
    } else {
        shorten(whole, used, ret);
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
