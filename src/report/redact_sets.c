#include "report/redact.h"

#include "redact_parts.h"
#include <stdio.h>
#include <string.h>

static void collect(struct serials *ret, struct set *const *sets, uint32_t count)
{
    *ret = (struct serials){0};
    for (uint32_t s = 0; s < count; s++) {
        for (uint32_t i = 0; i < sets[s]->run_count; i++) {
            serials_collect(ret, sets[s]->runs[i].result);
        }
    }
}

static void redact_names(const struct serials *serials, struct set *set)
{
    serials_cross_out(serials, set->label);
    for (uint32_t i = 0; i < set->run_count; i++) {
        serials_cross_out(serials, set->runs[i].path);
    }
}

static void redact_runs(const struct serials *serials, struct set *set)
{
    redact_names(serials, set);
    for (uint32_t i = 0; i < set->run_count; i++) {
        serials_redact(serials, set->runs[i].result);
    }
}

void redact_set(struct set *set)
{
    struct serials serials;

    collect(&serials, &set, 1);
    redact_runs(&serials, set);
    serials_free(&serials);
}

static void redact_values(const struct serials *serials, const char *name, char *value)
{
    if (strcmp(name, "serial") == 0 && value[0] != '\0') {
        snprintf(value, SET_VALUE, "redacted");
    }
    serials_cross_out(serials, value);
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
        redact_runs(&serials, sets[s]);
    }
    serials_free(&serials);
}

void redact_sweep(struct sweep *sweep, struct set *const *sets)
{
    struct serials serials;

    collect(&serials, sets, sweep->count);
    redact_rows(&serials, &sweep->rows);
    serials_cross_out(&serials, sweep->swept);
    serials_cross_out(&serials, sweep->alone);
    for (uint32_t p = 0; p < sweep->point_count; p++) {
        struct sweep_point *point = &sweep->points[p];

        serials_cross_out(&serials, point->name);
        redact_rows(&serials, &point->comparison.rows);
        for (uint32_t s = 0; s < sweep->count; s++) {
            redact_names(&serials, &point->parts[s]); /* their results are the sides' */
        }
    }
    for (uint32_t s = 0; s < sweep->count; s++) {
        redact_runs(&serials, sets[s]);
    }
    serials_free(&serials);
}

static void redact_file(const struct serials *serials, struct gate_file *file)
{
    struct gate_side *sides[2] = {&file->baseline, &file->candidate};

    serials_cross_out(serials, file->name);
    serials_cross_out(serials, file->dir);
    for (uint32_t s = 0; s < 2; s++) {
        serials_cross_out(serials, sides[s]->label);
        serials_cross_out(serials, sides[s]->tag);
        for (uint32_t i = 0; i < sides[s]->run_count; i++) {
            serials_cross_out(serials, sides[s]->runs[i]);
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
        serials_cross_out(serials, check->message);
        serials_cross_out(serials, check->next);
    }
}

void redact_gate(struct gate *gate, struct gate_file *file, char *path)
{
    struct set *sets[] = {&gate->baseline, &gate->candidate, &gate->history};
    struct serials serials;

    collect(&serials, sets, 3);
    redact_checks(&serials, gate);
    for (uint32_t i = 0; i < gate->row_count; i++) {
        serials_cross_out(&serials, gate->rows[i].message);
        serials_cross_out(&serials, gate->rows[i].next);
    }
    serials_cross_out(&serials, gate->words);
    serials_cross_out(&serials, gate->next);
    redact_file(&serials, file);
    serials_cross_out(&serials, path);
    for (uint32_t s = 0; s < 3; s++) {
        redact_runs(&serials, sets[s]);
    }
    serials_free(&serials);
}
