#include "result/comparison.h"

#include "base/mem.h"
#include "base/must.h"
#include "comparison_parts.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of verdicts (RESULTS.md section 9). */
#define COMPARISON_ALPHA 0.05

void comparison_close(struct comparison *comparison)
{
    mem_free(comparison->metrics);
    *comparison = (struct comparison){0};
}

/* Room for one value a run of each side, and for the pairs. */
struct bench {
    double *a, *b, *paired_a, *paired_b;
    struct set_pair *pairs;
};

static void bench_close(struct bench *bench)
{
    mem_free(bench->a);
    mem_free(bench->b);
    mem_free(bench->paired_a);
    mem_free(bench->paired_b);
    mem_free(bench->pairs);
}

static int bench_open(struct bench *bench, struct error *err)
{
    *bench = (struct bench){.a = mem_array(SET_RUNS, sizeof(double)),
                            .b = mem_array(SET_RUNS, sizeof(double)),
                            .paired_a = mem_array(SET_RUNS, sizeof(double)),
                            .paired_b = mem_array(SET_RUNS, sizeof(double)),
                            .pairs = mem_array(SET_RUNS, sizeof(*bench->pairs))};
    if (!bench->a || !bench->b || !bench->paired_a || !bench->paired_b || !bench->pairs) {
        bench_close(bench);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the comparison");
    }
    return 0;
}

static uint32_t keep_known(double *values, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (isfinite(values[i])) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

static void side_of(const struct set *set, const struct comparison_row *row, double *values,
                    struct comparison_side *ret)
{
    *ret = (struct comparison_side){.value = NAN, .within = NAN, .least = NAN, .most = NAN};
    ret->known = set_values(set, row->metric, row->vm, values);
    for (uint32_t i = 0; i < set->run_count; i++) {
        if (isfinite(values[i])) {
            ret->least = fmin(ret->least, values[i]);
            ret->most = fmax(ret->most, values[i]);
        }
    }
}

static void judge_pairs(const struct comparison *comparison, struct bench *bench, uint32_t side,
                        struct compare *ret)
{
    uint32_t pairs = set_pairs(comparison->sets[0], comparison->sets[side], bench->pairs), n = 0;

    for (uint32_t i = 0; i < pairs; i++) {
        double a = bench->a[bench->pairs[i].a], b = bench->b[bench->pairs[i].b];

        if (isfinite(a) && isfinite(b)) {
            bench->paired_a[n] = a;
            bench->paired_b[n++] = b;
        }
    }
    compare_runs(bench->paired_a, n, bench->paired_b, n, COMPARE_PAIRED, ret);
}

static enum comparison_why why_not(const struct comparison *comparison,
                                   const struct comparison_row *row, uint32_t side)
{
    const struct comparison_side *a = &row->sides[0], *b = &row->sides[side];
    const struct set_row *concurrency = set_row_find(&comparison->rows, "concurrency");
    double x = concurrency->numbers[0], y = concurrency->numbers[side];

    if (a->known == 0 || b->known == 0) {
        return COMPARISON_UNKNOWN;
    }
    if (comparison->unlike[side]) {
        return COMPARISON_WORKLOAD;
    }
    if (row->metric->latency &&
        (fmax(x, y) / fmin(x, y) - 1 > SET_CONCURRENCY_PERCENT / 100.0 || isnan(x + y))) {
        return COMPARISON_CONCURRENCY;
    }
    if (a->known < 2 || b->known < 2) {
        return COMPARISON_ONE_RUN;
    }
    return comparison->one_seed[0] || comparison->one_seed[side] ? COMPARISON_ONE_SEED
                                                                 : COMPARISON_JUDGED;
}

/* Percentiles are known to a counter of the histogram, whatever their runs agree on. */
#define COMPARISON_FINEST (1 / 128.0)

static bool rejects(double p)
{
    return p <= COMPARISON_ALPHA;
}

/* Three runs a side, all of B above all of A, have an exact p of 0.1: ranks cannot reject. */
static bool ranks_can_reject(uint32_t n_a, uint32_t n_b)
{
    double orders = 1;

    for (uint32_t i = 1; i <= n_a; i++) {
        orders *= (double)(n_b + i) / i;
    }
    return rejects(2 / orders);
}

static void judge(const struct comparison *comparison, struct bench *bench,
                  struct comparison_row *row, uint32_t side)
{
    struct comparison_against *ret = &row->against[side];
    const struct compare *compare = &ret->compare;

    *ret = (struct comparison_against){.p_holm = NAN};
    if (comparison->pairs[side] > 0) {
        judge_pairs(comparison, bench, side, &ret->compare);
    } else {
        uint32_t n_a = keep_known(bench->a, comparison->sets[0]->run_count);
        uint32_t n_b = keep_known(bench->b, comparison->sets[side]->run_count);

        compare_runs(bench->a, n_a, bench->b, n_b, COMPARE_WELCH, &ret->compare);
    }
    ret->why = why_not(comparison, row, side);
    if (compare->state != COMPARE_JUDGED && ret->why == COMPARISON_JUDGED) {
        ret->why = compare->state == COMPARE_TOO_FEW ? COMPARISON_ONE_RUN : COMPARISON_UNKNOWN;
    }
    ret->mde = row->metric->quantile > 0 ? fmax(compare->mde, COMPARISON_FINEST) : compare->mde;
    ret->too_fine = ret->why == COMPARISON_JUDGED && row->metric->quantile > 0 &&
                    rejects(compare->p) && fabs(compare->delta) <= log(1 + COMPARISON_FINEST);
    if (ret->too_fine) {
        ret->verdict = COMPARE_SAME;
    } else if (ret->why == COMPARISON_JUDGED) {
        ret->verdict =
            compare_verdict_of(compare, row->metric->higher_better ? COMPARE_HIGHER : COMPARE_LOWER,
                               compare->p, COMPARISON_ALPHA);
        ret->crosses = compare->low <= 0 && compare->high >= 0;
        ret->ranks_differ = isfinite(compare->rank_p) &&
                            ranks_can_reject(compare->n_a, compare->n_b) &&
                            rejects(compare->rank_p) != rejects(compare->p);
    }
}

/* The geometric mean of all runs of a side, whether they are in pairs or not. */
static void average(const struct set *set, double *values, struct comparison_row *row,
                    uint32_t side)
{
    struct compare one;
    uint32_t n;

    set_values(set, row->metric, row->vm, values);
    n = keep_known(values, set->run_count);
    if (n > 0) {
        compare_runs(values, n, values, n, COMPARE_WELCH, &one);
        row->sides[side].value = one.mean_a;
    }
}

static void judge_row(const struct comparison *comparison, struct bench *bench,
                      struct comparison_row *row)
{
    for (uint32_t s = 0; s < comparison->count; s++) {
        side_of(comparison->sets[s], row, bench->b, &row->sides[s]);
    }
    for (uint32_t s = 1; s < comparison->count; s++) {
        set_values(comparison->sets[0], row->metric, row->vm, bench->a);
        set_values(comparison->sets[s], row->metric, row->vm, bench->b);
        judge(comparison, bench, row, s);
    }
    for (uint32_t s = 0; s < comparison->count; s++) {
        average(comparison->sets[s], bench->b, row, s);
    }
}

/* Nobody has it: not worth a row unless it was asked for. */
static bool is_empty(const struct comparison_row *row, uint32_t count)
{
    for (uint32_t s = 0; s < count; s++) {
        if (row->sides[s].known > 0) {
            return false;
        }
    }
    return true;
}

static void add_rows(struct comparison *ret, struct bench *bench,
                     const struct comparison_options *options, const struct set_metric *metric)
{
    uint32_t vms = options->vms ? set_vm_count(ret->sets, ret->count) : 0;
    bool aggregate = options->aggregate || !options->vms;

    for (int32_t vm = -1; vm < (int32_t)vms; vm++) {
        struct comparison_row *row = &ret->metrics[ret->metric_count];

        if (vm < 0 ? !aggregate : options->vm >= 0 && vm != options->vm) {
            continue;
        }
        *row = (struct comparison_row){.metric = metric, .vm = vm};
        judge_row(ret, bench, row);
        ret->metric_count += options->metric_count > 0 || !is_empty(row, ret->count);
    }
}

static int judge_all(struct comparison *ret, const struct comparison_options *options,
                     struct error *err)
{
    uint32_t vms = set_vm_count(ret->sets, ret->count);
    uint32_t most = options->metric_count > 0 ? options->metric_count : set_metric_count;
    struct bench bench;

    ret->metrics = mem_array((size_t)most * (vms + 1) + 1, sizeof(*ret->metrics));
    if (!ret->metrics) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the comparison");
    }
    if (bench_open(&bench, err) < 0) {
        return err->code;
    }
    for (uint32_t s = 1; s < ret->count; s++) {
        ret->pairs[s] = set_pairs(ret->sets[0], ret->sets[s], bench.pairs);
    }
    for (uint32_t i = 0; i < options->metric_count; i++) {
        add_rows(ret, &bench, options, options->metrics[i]);
    }
    for (uint32_t i = 0; options->metric_count == 0 && i < set_metric_count; i++) {
        if (set_metrics[i].shown) {
            add_rows(ret, &bench, options, &set_metrics[i]);
        }
    }
    bench_close(&bench);
    return 0;
}

/* "Did anything change?" is asked of the aggregate's rows alone: the VMs' are parts of them. */
static void adjust(struct comparison *comparison)
{
    for (uint32_t s = 1; s < comparison->count; s++) {
        double p[COMPARISON_METRICS];
        uint32_t at[COMPARISON_METRICS], n = 0;

        for (uint32_t i = 0; i < comparison->metric_count && n < COMPARISON_METRICS; i++) {
            const struct comparison_row *row = &comparison->metrics[i];

            if (row->vm < 0 && row->against[s].why == COMPARISON_JUDGED) {
                at[n] = i;
                p[n++] = row->against[s].compare.p;
            }
        }
        compare_holm(p, n, p);
        for (uint32_t i = 0; i < n; i++) {
            comparison->metrics[at[i]].against[s].p_holm = p[i];
        }
    }
}

bool comparison_shares_kind(const struct result_vm *a, const struct result_vm *b)
{
    for (uint32_t i = 0; i < a->txn_count; i++) {
        for (uint32_t j = 0; j < b->txn_count; j++) {
            if (strcmp(a->txns[i].kind, b->txns[j].kind) == 0) {
                return true;
            }
        }
    }
    return a->txn_count == 0 || b->txn_count == 0;
}

static void compare_scenarios(struct comparison *comparison, uint32_t side)
{
    for (uint32_t i = 0; i < comparison->sets[0]->run_count; i++) {
        const struct result *a = comparison->sets[0]->runs[i].result;

        for (uint32_t j = 0; j < comparison->sets[side]->run_count; j++) {
            const struct result *b = comparison->sets[side]->runs[j].result;

            comparison->unlike[side] |= !comparison_shares_kind(&a->aggregate, &b->aggregate);
            comparison->scenario[side] |= strcmp(a->scenario.name, b->scenario.name) != 0 ||
                                          strcmp(a->scenario.sha256, b->scenario.sha256) != 0;
        }
    }
}

/* In virtual time a seed that comes again is the same run, to the bit. */
static bool repeats_seed(const struct set *set)
{
    for (uint32_t i = 0; i < set->run_count; i++) {
        const struct result *one = set->runs[i].result;

        for (uint32_t j = 0; j < i; j++) {
            const struct result *other = set->runs[j].result;

            if (one->run.virtual_time && other->run.virtual_time &&
                one->run.seed == other->run.seed) {
                return true;
            }
        }
    }
    return false;
}

static void describe(struct comparison *comparison, uint32_t side)
{
    const struct set *set = comparison->sets[side];

    comparison->one_seed[side] = repeats_seed(set);
    for (uint32_t i = 0; i < set->run_count; i++) {
        const struct result *result = set->runs[i].result;

        comparison->fairness[side] += result->fairness / set->run_count;
        comparison->users[side] += (double)result->aggregate.audit.users / set->run_count;
        comparison->concurrency[side] += result->aggregate.audit.concurrency / set->run_count;
    }
}

int comparison_open(struct comparison *ret, const struct set *const *sets, uint32_t count,
                    const struct comparison_options *options, struct error *err)
{
    struct comparison made = {.count = count};
    int code;

    must(count >= 2 && count <= SET_SIDES);
    for (uint32_t s = 0; s < count; s++) {
        must(sets[s]->run_count > 0);
        made.sets[s] = sets[s];
        if (set_refuse_void(sets[s], err) < 0) {
            return err->code;
        }
        describe(&made, s);
    }
    if (set_refuse_shared(sets, count, err) < 0) {
        return err->code;
    }
    for (uint32_t s = 1; s < count; s++) {
        compare_scenarios(&made, s);
    }
    set_rows_of(sets, count, SET_CONCURRENCY_PERCENT / 100.0, &made.rows);
    code = judge_all(&made, options, err);
    if (code == 0) {
        adjust(&made);
        code = comparison_sample(&made, options, err);
    }
    if (code != 0) {
        comparison_close(&made);
        return code;
    }
    *ret = made;
    return 0;
}

static void put_order(const struct set *set, const char *series, char *ret, size_t size)
{
    for (uint32_t i = 0; i < set->run_count; i++) {
        const struct result_pair *pair = &set->runs[i].result->run.pair;

        if (pair->order > 0 && pair->order < size && strcmp(pair->series, series) == 0) {
            ret[pair->order - 1] = pair->side[0];
        }
    }
}

void comparison_order(const struct comparison *comparison, uint32_t side, char *ret, size_t size)
{
    const struct set *base = comparison->sets[0];
    const char *series = base->runs[0].result->run.pair.series;

    memset(ret, 0, size);
    if (comparison->pairs[side] > 0) {
        put_order(base, series, ret, size);
        put_order(comparison->sets[side], series, ret, size);
        for (size_t i = 0, known = 0; i < size; i++) {
            for (; ret[i] != '\0' && known < i; known++) {
                ret[known] = (char)(ret[known] == '\0' ? '.' : ret[known]);
            }
        }
    }
}
