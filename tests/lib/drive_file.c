#include "drive_file.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/units.h"

enum form { SIZE, BANDWIDTH, DURATION, COUNT, SHARE, NUMBER };

#define FIELD(member) offsetof(struct drive_sim_params, member)

static const struct {
    const char *key;
    enum form form;
    size_t at, bytes;
} keys[] = {
    {"capacity", SIZE, FIELD(capacity_bytes), 8},
    {"link_speed", NUMBER, FIELD(link_gt_s), 8},
    {"link_lanes", COUNT, FIELD(link_lanes), 4},
    {"dies", COUNT, FIELD(dies), 4},
    {"read", DURATION, FIELD(read_ns), 8},
    {"read_jitter", SHARE, FIELD(read_jitter), 8},
    {"program_suspend_min", DURATION, FIELD(program_suspend_min_ns), 8},
    {"program_suspend_max", DURATION, FIELD(program_suspend_max_ns), 8},
    {"suspends", COUNT, FIELD(suspends), 4},
    {"command", DURATION, FIELD(command_ns), 8},
    {"fixed", DURATION, FIELD(fixed_ns), 8},
    {"write_ack", DURATION, FIELD(write_ack_ns), 8},
    {"flush", DURATION, FIELD(flush_ns), 8},
    {"link_read", BANDWIDTH, FIELD(link_read_bytes_per_s), 8},
    {"link_write", BANDWIDTH, FIELD(link_write_bytes_per_s), 8},
    {"cache", SIZE, FIELD(cache_bytes), 8},
    {"program", BANDWIDTH, FIELD(program_bytes_per_s), 8},
    {"stripe", SIZE, FIELD(stripe_bytes), 4},
    {"over_provisioning", SHARE, FIELD(over_provisioning), 8},
    {"write_amplification", NUMBER, FIELD(write_amplification), 8},
    {"stack", DURATION, FIELD(stack_ns), 8},
};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static int find(const char *key)
{
    for (int i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].key, key) == 0) {
            return i;
        }
    }
    return -1;
}

static void set(struct drive_sim_params *params, int i, const char *value)
{
    union {
        uint64_t size;
        int64_t ns;
        double number;
    } v;
    struct error err;
    int (*size_of[])(const char *, uint64_t *, struct error *) = {
        [SIZE] = units_size, [BANDWIDTH] = units_bandwidth, [COUNT] = units_count};
    int code;

    switch (keys[i].form) {
    case DURATION:
        code = units_duration(value, &v.ns, &err);
        break;
    case SHARE:
        code = units_share(value, &v.number, &err);
        break;
    case NUMBER:
        code = units_number(value, &v.number, &err);
        break;
    default:
        code = size_of[keys[i].form](value, &v.size, &err);
    }
    must(code == 0);
    memcpy((char *)params + keys[i].at, &v, keys[i].bytes); /* little-endian: 4 of 8 bytes do */
}

static void read_line(struct drive_sim_params *params, char *line, bool *basis, int seen[2][KEYS])
{
    bool inside = line[0] == ' ';
    char *comment = strstr(line, " #"), *colon = strchr(line, ':'), *value, *end;
    int i;

    if (line[0] == '#' || line[0] == '\n') {
        return;
    }
    if (comment) {
        *comment = 0;
    }
    must(colon);
    *colon = 0;
    value = colon + 1 + strspn(colon + 1, " ");
    for (end = value + strlen(value); end > value && (end[-1] == ' ' || end[-1] == '\n'); end--) {
    }
    *end = 0;
    line += strspn(line, " ");
    i = find(line);
    *basis |= strcmp(line, "basis") == 0;
    if (inside) {
        must(*basis && i >= 0 && !seen[1][i]++);
        must(strcmp(value, "datasheet") == 0 || strcmp(value, "measured") == 0 ||
             strcmp(value, "calibrated") == 0 || strcmp(value, "estimated") == 0);
    } else if (i >= 0) {
        must(!seen[0][i]++);
        set(params, i, value);
    } else if (strcmp(line, "name") == 0) {
        snprintf(params->name, sizeof(params->name), "%s", value);
    } else if (strcmp(line, "model") == 0) {
        snprintf(params->model, sizeof(params->model), "%s", value);
    } else if (strcmp(line, "form_factor") == 0) {
        snprintf(params->form_factor, sizeof(params->form_factor), "%s", value);
    } else {
        must(strcmp(line, "basis") == 0);
    }
}

void drive_file_read(const char *name, struct drive_sim_params *ret)
{
    const char *root = getenv("ROOT");
    char path[512], line[256];
    int seen[2][KEYS] = {0};
    bool basis = false;
    FILE *file;

    memset(ret, 0, sizeof(*ret));
    snprintf(path, sizeof(path), "%s/scenarios/drives/%s.yaml", root ? root : ".", name);
    file = fopen(path, "r");
    must(file);
    while (fgets(line, sizeof(line), file)) {
        read_line(ret, line, &basis, seen);
    }
    fclose(file);
    for (int i = 0; i < KEYS; i++) {
        must(seen[0][i] && seen[1][i]);
    }
    must(strcmp(ret->name, name) == 0 && ret->model[0] && ret->form_factor[0]);
}
