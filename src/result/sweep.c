#include "result/sweep.h"

#include "base/mem.h"
#include "base/must.h"
#include "stats/student.h"
#include "sweep_points.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const mean_metrics[SWEEP_METRICS] = {"tps", "lat_avg", "lat_p99"};

/* ---- which points there are ------------------------------------------------------------------ */

static bool has_value(const struct set *set, const struct sweep_keys *keys, const char *value)
{
    char other[SWEEP_NAME];

    for (uint32_t i = 0; i < set->run_count; i++) {
        sweep_keys_value(keys, set->runs[i].result, other);
        if (strcmp(value, other) == 0) {
            return true;
        }
    }
    return false;
}

static bool on_all_sides(const struct set *const *sets, uint32_t count,
                         const struct sweep_keys *keys, const char *value)
{
    bool all = true;

    for (uint32_t s = 0; s < count; s++) {
        all = all && has_value(sets[s], keys, value);
    }
    return all;
}

bool sweep_found(const struct set *const *sets, uint32_t count)
{
    struct sweep_keys keys;
    char value[SWEEP_NAME];

    sweep_keys_find(&keys, sets, count);
    for (uint32_t i = 0; keys.count > 0 && i < sets[0]->run_count; i++) {
        sweep_keys_value(&keys, sets[0]->runs[i].result, value);
        if (on_all_sides(sets, count, &keys, value)) {
            return true;
        }
    }
    return false;
}

/* Once for each value of a side. */
static void say_alone(struct sweep *sweep, const struct sweep_keys *keys, uint32_t side,
                      uint32_t run, const char *value)
{
    size_t used = strlen(sweep->alone);
    char other[SWEEP_NAME];

    for (uint32_t i = 0; i < run; i++) {
        sweep_keys_value(keys, sweep->sets[side]->runs[i].result, other);
        if (strcmp(value, other) == 0) {
            return;
        }
    }
    if (used < sizeof(sweep->alone) - 1) {
        snprintf(sweep->alone + used, sizeof(sweep->alone) - used, "%s%s of %c",
                 used > 0 ? ", " : "", value, 'A' + (int)side);
    }
    sweep->alone_count++;
}

static bool is_known(const struct sweep *sweep, const char *value)
{
    for (uint32_t p = 0; p < sweep->point_count; p++) {
        if (strcmp(sweep->points[p].name, value) == 0) {
            return true;
        }
    }
    return false;
}

/* The runs stay the side's: they are only pointed at. */
static int take_runs(struct set *ret, const struct set *from, const struct sweep_keys *keys,
                     const char *value, struct error *err)
{
    char other[SWEEP_NAME];

    set_init(ret, from->label);
    ret->runs = mem_array(from->run_count, sizeof(*ret->runs));
    if (!ret->runs) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the points of a sweep");
    }
    for (uint32_t i = 0; i < from->run_count; i++) {
        sweep_keys_value(keys, from->runs[i].result, other);
        if (strcmp(value, other) == 0) {
            ret->runs[ret->run_count++] = from->runs[i];
        }
    }
    return 0;
}

static int add_point(struct sweep *sweep, const struct sweep_keys *keys, const char *value,
                     struct error *err)
{
    struct sweep_point *point = &sweep->points[sweep->point_count];
    int code = 0;

    if (sweep->point_count == SWEEP_POINTS) {
        return error_set(err, EXIT_USAGE, -E2BIG, "more than %d values of %.80s", SWEEP_POINTS,
                         sweep->swept);
    }
    sweep->point_count++;
    snprintf(point->name, sizeof(point->name), "%s", value);
    point->load = keys->count == 1 ? sweep_load(value) : NAN;
    for (uint32_t s = 0; code == 0 && s < sweep->count; s++) {
        code = take_runs(&point->parts[s], sweep->sets[s], keys, value, err);
    }
    return code;
}

static int by_load(const void *a, const void *b)
{
    const struct sweep_point *x = a, *y = b;

    if (isfinite(x->load) && isfinite(y->load) && x->load != y->load) {
        return x->load < y->load ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

static int find_points(struct sweep *sweep, const struct sweep_keys *keys, struct error *err)
{
    char value[SWEEP_NAME];
    int code = 0;

    for (uint32_t i = 0; i < keys->count; i++) {
        size_t used = strlen(sweep->swept);

        snprintf(sweep->swept + used, sizeof(sweep->swept) - used, "%s%s", i > 0 ? ", " : "",
                 keys->names[i]);
    }
    for (uint32_t s = 0; s < sweep->count; s++) {
        for (uint32_t i = 0; code == 0 && i < sweep->sets[s]->run_count; i++) {
            sweep_keys_value(keys, sweep->sets[s]->runs[i].result, value);
            if (!on_all_sides(sweep->sets, sweep->count, keys, value)) {
                say_alone(sweep, keys, s, i, value);
            } else if (s == 0 && !is_known(sweep, value)) {
                code = add_point(sweep, keys, value, err);
            }
        }
    }
    qsort(sweep->points, sweep->point_count, sizeof(*sweep->points), by_load);
    return code;
}

/* ---- what they say together ------------------------------------------------------------------ */

const struct comparison_row *sweep_row(const struct comparison *comparison,
                                       const struct set_metric *metric)
{
    for (uint32_t i = 0; i < comparison->metric_count; i++) {
        if (comparison->metrics[i].metric == metric && comparison->metrics[i].vm < 0) {
            return &comparison->metrics[i];
        }
    }
    return NULL;
}

/* Points are runs of their own: their errors are independent, and Satterthwaite has their df. */
static void mean_of(const struct sweep *sweep, uint32_t side, const char *name,
                    struct sweep_mean *ret)
{
    double variance = 0, squares = 0, sum = 0, half;
    bool judged = true;

    *ret = (struct sweep_mean){.metric = set_metric_find(name), .low = NAN, .high = NAN};
    for (uint32_t p = 0; p < sweep->point_count; p++) {
        const struct comparison_row *row = sweep_row(&sweep->points[p].comparison, ret->metric);
        const struct compare *compare = row ? &row->against[side].compare : NULL;

        if (!row || compare->state == COMPARE_NOT_ABOVE_0 ||
            row->against[side].why == COMPARISON_UNKNOWN) {
            continue;
        }
        ret->points++;
        sum += compare->delta;
        judged = judged && row->against[side].why == COMPARISON_JUDGED;
        if (compare->state == COMPARE_JUDGED && compare->df > 0) {
            variance += compare->se * compare->se;
            squares += compare->se * compare->se * compare->se * compare->se / compare->df;
        }
    }
    ret->delta = ret->points > 0 ? sum / ret->points : NAN;
    if (judged && ret->points > 0) {
        half = variance > 0 && squares > 0
                   ? student_quantile(0.975, variance * variance / squares) * sqrt(variance) /
                         ret->points
                   : 0;
        ret->low = ret->delta - half;
        ret->high = ret->delta + half;
    }
}

double sweep_value(const struct sweep *sweep, uint32_t point, uint32_t side, const char *metric)
{
    const struct set *set = &sweep->points[point].parts[side];
    uint32_t known = 0;
    double sum = 0;

    for (uint32_t i = 0; i < set->run_count; i++) {
        double value = set_metric_of(set_metric_find(metric), set->runs[i].result, -1);

        known += isfinite(value);
        sum += isfinite(value) ? log(value) : 0;
    }
    return known > 0 ? exp(sum / known) : NAN;
}

static double area_of(const struct sweep *sweep, uint32_t side)
{
    double area = 0;

    for (uint32_t p = 1; p < sweep->point_count; p++) {
        area += (sweep->points[p].load - sweep->points[p - 1].load) *
                (sweep_value(sweep, p, side, "tps") + sweep_value(sweep, p - 1, side, "tps")) / 2;
    }
    return sweep->point_count > 1 ? area : NAN;
}

static double least_p99(const struct sweep *sweep)
{
    double least = INFINITY;

    for (uint32_t p = 0; p < sweep->point_count; p++) {
        for (uint32_t s = 0; s < sweep->count; s++) {
            least = fmin(least, sweep_value(sweep, p, s, "lat_p99"));
        }
    }
    return least;
}

static uint32_t knee_of(const struct sweep *sweep, uint32_t side)
{
    uint32_t knee = sweep->point_count;
    double most = 0;

    for (uint32_t p = 0; p < sweep->point_count; p++) {
        double tps = sweep_value(sweep, p, side, "tps");

        if (sweep_value(sweep, p, side, "lat_p99") < sweep->slo_ns && tps > most) {
            most = tps;
            knee = p;
        }
    }
    return knee;
}

static uint32_t gravity(const struct set_row *row)
{
    return row->match == SET_SAME ? 0 : row->match == SET_UNKNOWN ? 1 : row->outcome ? 2 : 3;
}

/* A row is as bad as its worst point; what only follows from the load is no difference. */
static void merge_rows(struct sweep *sweep)
{
    sweep->rows = sweep->points[0].comparison.rows;
    for (uint32_t i = 0; i < sweep->rows.count; i++) {
        struct set_row *row = &sweep->rows.rows[i];
        bool constant = true;

        for (uint32_t p = 1; p < sweep->point_count; p++) {
            const struct set_row *other = &sweep->points[p].comparison.rows.rows[i];

            constant = constant && strcmp(other->values[0], row->values[0]) == 0;
            if (gravity(other) > gravity(row)) {
                *row = *other;
            }
        }
        for (uint32_t s = 0; !constant && row->match == SET_SAME && s < sweep->count; s++) {
            snprintf(row->values[s], SET_VALUE, SWEEP_BY_POINT);
        }
    }
}

static void sum_up(struct sweep *sweep, int64_t slo_ns)
{
    merge_rows(sweep);
    sweep->slo_ns = slo_ns > 0 ? (double)slo_ns : 10 * least_p99(sweep);
    for (uint32_t s = 0; s < sweep->count; s++) {
        sweep->knee[s] = knee_of(sweep, s);
        sweep->area[s] = area_of(sweep, s) / area_of(sweep, 0);
        for (uint32_t m = 0; m < SWEEP_METRICS; m++) {
            mean_of(sweep, s, mean_metrics[m], &sweep->means[s][m]);
        }
    }
}

int sweep_open(struct sweep *ret, const struct set *const *sets, uint32_t count,
               const struct comparison_options *options, int64_t slo_ns, struct error *err)
{
    struct sweep_keys keys;
    int code;

    must(count >= 2 && count <= SET_SIDES);
    *ret = (struct sweep){.count = count};
    memcpy(ret->sets, sets, count * sizeof(*sets));
    ret->points = mem_array(SWEEP_POINTS, sizeof(*ret->points));
    if (!ret->points) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the points of a sweep");
    }
    sweep_keys_find(&keys, sets, count);
    code = find_points(ret, &keys, err);
    must(code != 0 || ret->point_count > 0);
    for (uint32_t p = 0; code == 0 && p < ret->point_count; p++) {
        struct sweep_point *point = &ret->points[p];
        const struct set *parts[SET_SIDES];

        for (uint32_t s = 0; s < count; s++) {
            parts[s] = &point->parts[s];
        }
        code = comparison_open(&point->comparison, parts, count, options, err);
    }
    if (code != 0) {
        sweep_close(ret);
        return code;
    }
    sum_up(ret, slo_ns);
    return 0;
}

void sweep_close(struct sweep *sweep)
{
    for (uint32_t p = 0; p < sweep->point_count; p++) {
        comparison_close(&sweep->points[p].comparison);
        for (uint32_t s = 0; s < sweep->count; s++) {
            mem_free(sweep->points[p].parts[s].runs);
        }
    }
    mem_free(sweep->points);
    *sweep = (struct sweep){0};
}
