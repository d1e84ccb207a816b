#include "report/redact.h"

#include "base/mem.h"
#include "redact_parts.h"
#include <stdio.h>
#include <string.h>

/* Every serial number that the runs of some sets have, each once. */
struct serials {
    char (*words)[sizeof(((struct result_drive *)0)->serial)];
    uint32_t count, limit;
};

static void add_serial(struct serials *serials, const char *serial)
{
    bool known = strlen(serial) < REDACT_LEAST;

    for (uint32_t i = 0; i < serials->count && !known; i++) {
        known = strcmp(serials->words[i], serial) == 0;
    }
    if (!known && serials->count < serials->limit) {
        snprintf(serials->words[serials->count++], sizeof(serials->words[0]), "%s", serial);
    }
}

static void collect(struct serials *ret, struct set *const *sets, uint32_t count)
{
    *ret = (struct serials){0};
    for (uint32_t s = 0; s < count; s++) {
        ret->limit += sets[s]->run_count * RESULT_DRIVES;
    }
    ret->words = mem_array(ret->limit > 0 ? ret->limit : 1, sizeof(ret->words[0]));
    ret->limit = ret->words ? ret->limit : 0;
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t i = 0; i < sets[s]->run_count; i++) {
            const struct result *result = sets[s]->runs[i].result;

            for (uint32_t d = 0; d < result->drive_count; d++) {
                add_serial(ret, result->drives[d].serial);
            }
        }
    }
}

static void cross_out_all(const struct serials *serials, char *string)
{
    for (uint32_t i = 0; i < serials->count; i++) {
        redact_cross_out(string, serials->words[i]);
    }
}

static void redact_names(const struct serials *serials, struct set *set)
{
    cross_out_all(serials, set->label);
    for (uint32_t i = 0; i < set->run_count; i++) {
        cross_out_all(serials, set->runs[i].path);
    }
}

static void redact_set(const struct serials *serials, struct set *set)
{
    redact_names(serials, set);
    for (uint32_t i = 0; i < set->run_count; i++) {
        redact_serials(set->runs[i].result, NULL);
    }
}

static void redact_values(const struct serials *serials, const char *name, char *value)
{
    if (strcmp(name, "serial") == 0 && value[0] != '\0') {
        snprintf(value, SET_VALUE, "redacted");
    }
    cross_out_all(serials, value);
}

static void redact_rows(const struct serials *serials, struct set_rows *rows)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        for (uint32_t s = 0; s < rows->sides; s++) {
            redact_values(serials, rows->rows[i].name, rows->rows[i].values[s]);
        }
    }
}

void redact_comparison(struct comparison *comparison, struct set *const *sets)
{
    struct serials serials;

    collect(&serials, sets, comparison->count);
    redact_rows(&serials, &comparison->rows);
    for (uint32_t s = 0; s < comparison->count; s++) {
        redact_set(&serials, sets[s]);
    }
    mem_free(serials.words);
}

void redact_sweep(struct sweep *sweep, struct set *const *sets)
{
    struct serials serials;

    collect(&serials, sets, sweep->count);
    redact_rows(&serials, &sweep->rows);
    cross_out_all(&serials, sweep->swept);
    cross_out_all(&serials, sweep->alone);
    for (uint32_t p = 0; p < sweep->point_count; p++) {
        struct sweep_point *point = &sweep->points[p];

        cross_out_all(&serials, point->name);
        redact_rows(&serials, &point->comparison.rows);
        for (uint32_t s = 0; s < sweep->count; s++) {
            redact_names(&serials, &point->parts[s]); /* their results are the sides' */
        }
    }
    for (uint32_t s = 0; s < sweep->count; s++) {
        redact_set(&serials, sets[s]);
    }
    mem_free(serials.words);
}

static void redact_file(const struct serials *serials, struct gate_file *file)
{
    struct gate_side *sides[2] = {&file->baseline, &file->candidate};

    cross_out_all(serials, file->name);
    cross_out_all(serials, file->dir);
    for (uint32_t s = 0; s < 2; s++) {
        cross_out_all(serials, sides[s]->label);
        cross_out_all(serials, sides[s]->tag);
        for (uint32_t i = 0; i < sides[s]->run_count; i++) {
            cross_out_all(serials, sides[s]->runs[i]);
        }
    }
}

static void redact_checks(const struct serials *serials, struct gate *gate)
{
    for (uint32_t i = 0; i < gate->check_count; i++) {
        struct gate_check *check = &gate->checks[i];

        redact_values(serials, check->name, check->values[0]);
        redact_values(serials, check->name, check->values[1]);
        if (strcmp(check->name, "serial") == 0 && check->message[0] != '\0') {
            snprintf(check->message, sizeof(check->message), "%s: not the same", check->title);
        }
        cross_out_all(serials, check->message);
        cross_out_all(serials, check->next);
    }
}

void redact_gate(struct gate *gate, struct gate_file *file, char *path)
{
    struct set *sets[] = {&gate->baseline, &gate->candidate, &gate->history};
    struct serials serials;

    collect(&serials, sets, 3);
    redact_checks(&serials, gate);
    for (uint32_t i = 0; i < gate->row_count; i++) {
        cross_out_all(&serials, gate->rows[i].message);
        cross_out_all(&serials, gate->rows[i].next);
    }
    cross_out_all(&serials, gate->words);
    cross_out_all(&serials, gate->next);
    redact_file(&serials, file);
    cross_out_all(&serials, path);
    for (uint32_t s = 0; s < 3; s++) {
        redact_set(&serials, sets[s]);
    }
    mem_free(serials.words);
}
