#include "doc_run_parts.h"

#include "figures.h"
#include "report/doc_page.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BARS_MOST = 16 };

/* Of more VMs than there is room for those at both ends and in the middle; the table has all. */
static uint32_t ends(struct doc *doc, const struct result *result,
                     double (*value)(const struct result_vm *vm), double *ret)
{
    static const char *const names[] = {"highest", "median", "lowest"};
    uint32_t order[RESULT_VMS], vms = result->vm_count < RESULT_VMS ? result->vm_count : RESULT_VMS;

    for (uint32_t i = 0; i < vms; i++) {
        uint32_t at = i;

        for (; at > 0 && value(&result->vms[i]) > value(&result->vms[order[at - 1]]); at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const struct result_vm *vm = &result->vms[order[i * (vms - 1) / 2]];
        char name[sizeof(vm->name) + 16];

        snprintf(name, sizeof(name), "%s, %s", names[i], vm->name);
        doc_category(doc, name);
        ret[i] = value(vm);
    }
    return 3;
}

/* StorageReview's order: throughput, then the average, then the 99th percentile. */
static void bars(struct doc *doc, const struct result *result, const char *key, const char *title,
                 enum doc_unit unit, double (*value)(const struct result_vm *vm))
{
    struct doc_chart chart = {.kind = DOC_BARS, .key = key, .title = title, .y = {.unit = unit}};
    double values[BARS_MOST + 1];
    uint32_t n = 0;

    doc_chart(doc, &chart);
    if (result->vm_count > 1 && result->vm_count <= BARS_MOST) {
        for (uint32_t i = 0; i < result->vm_count; i++) {
            doc_category(doc, result->vms[i].name);
            values[n++] = value(&result->vms[i]);
        }
    } else if (result->vm_count > 1) {
        n = ends(doc, result, value, values);
    }
    doc_category(doc, result->vm_count > 1 ? "all" : result->vms[0].name);
    values[n++] = value(&result->aggregate);
    doc_series(doc, title, NULL, values, n);
}

static double tps_of(const struct result_vm *vm)
{
    return vm->tps;
}

static double mean_of(const struct result_vm *vm)
{
    return vm->response.mean_ns;
}

static double p99_of(const struct result_vm *vm)
{
    return (double)vm->response.p99_ns;
}

void page_bars(struct doc *doc, const struct result *result)
{
    bool bare = run_is_bare(result);

    if (result->aggregate.response.count == 0 || result->vm_count == 0) {
        return;
    }
    bars(doc, result, "bars_tps", bare ? "IOPS (more is better)" : "TPS (more is better)",
         DOC_NUMBER, tps_of);
    bars(doc, result, "bars_avg", "Average response time (less is better)", DOC_NS, mean_of);
    bars(doc, result, "bars_p99", "99th percentile of response time (less is better)", DOC_NS,
         p99_of);
}

/* ---- percentiles ----------------------------------------------------------------------------- */

static void percentile_row(struct doc *doc, const char *name, const struct result_latency *lat)
{
    doc_cell(doc, "%s", name);
    doc_cell_count(doc, lat->count);
    doc_cell_duration(doc, (double)lat->min_ns);
    doc_cell_duration(doc, (double)lat->p50_ns);
    doc_cell_duration(doc, (double)lat->p90_ns);
    doc_cell_duration(doc, (double)lat->p95_ns);
    doc_cell_duration(doc, (double)lat->p99_ns);
    doc_cell_duration(doc, (double)lat->p99_9_ns);
    doc_cell_duration(doc, (double)lat->p99_99_ns);
    doc_cell_duration(doc, (double)lat->p99_999_ns);
    doc_cell_duration(doc, (double)lat->max_ns);
}

static void percentile_series(struct doc *doc, const char *name, const struct result_latency *lat)
{
    const double x[] = {0, 50, 90, 95, 99, 99.9, 99.99, 99.999};
    const double y[] = {(double)lat->min_ns,    (double)lat->p50_ns,    (double)lat->p90_ns,
                        (double)lat->p95_ns,    (double)lat->p99_ns,    (double)lat->p99_9_ns,
                        (double)lat->p99_99_ns, (double)lat->p99_999_ns};
    uint32_t n = 0;

    /* a percentile rests on at least one value above it */
    while (n < sizeof(x) / sizeof(*x) && (double)lat->count * (1 - x[n] / 100) >= 0.999) {
        n++;
    }
    doc_series(doc, name, x, y, n);
}

void page_percentiles(struct doc *doc, const struct result *result)
{
    static const struct doc_column columns[] = {
        {"response time", "kind", DOC_LEFT}, {"count", "count", DOC_RIGHT},
        {"min", "min_ns", DOC_RIGHT},        {"p50", "p50_ns", DOC_RIGHT},
        {"p90", "p90_ns", DOC_RIGHT},        {"p95", "p95_ns", DOC_RIGHT},
        {"p99", "p99_ns", DOC_RIGHT},        {"p99.9", "p99_9_ns", DOC_RIGHT},
        {"p99.99", "p99_99_ns", DOC_RIGHT},  {"p99.999", "p99_999_ns", DOC_RIGHT},
        {"max", "max_ns", DOC_RIGHT},
    };
    struct doc_chart chart = {.kind = DOC_LINES,
                              .key = "percentiles",
                              .title = "Response time by percentile",
                              .x = {"percentile", DOC_PERCENTILE, false},
                              .y = {"response time", DOC_NS, true}};
    const struct result_vm *all = &result->aggregate;

    if (all->response.count == 0) {
        return;
    }
    doc_heading(doc, 2, "Latency by percentile");
    doc_chart(doc, &chart);
    percentile_series(doc, "all", &all->response);
    if (all->txn_count > 1) {
        doc_lead(doc);
    }
    for (uint32_t i = 0; all->txn_count > 1 && i < all->txn_count; i++) {
        percentile_series(doc, all->txns[i].kind, &all->txns[i].response);
    }
    doc_table(doc, "percentiles", columns, sizeof(columns) / sizeof(*columns));
    percentile_row(doc, "all", &all->response);
    for (uint32_t i = 0; all->txn_count > 1 && i < all->txn_count; i++) {
        percentile_row(doc, all->txns[i].kind, &all->txns[i].response);
    }
}

static void left_out_note(struct doc *doc, const struct heat *heat)
{
    char count[FIGURE_TEXT], share[FIGURE_TEXT], least[FIGURE_TEXT];
    double few = heat->below - heat->zeros;

    if (heat->zeros > 0) {
        doc_note(doc,
                 "The heat map has no place for response times of 0: %s (%s) were answered "
                 "at once.",
                 figure_count((uint64_t)heat->zeros, count),
                 figure_percent(heat->zeros / heat->total, share));
    }
    if (few > 0) {
        doc_note(doc, "The heat map leaves out %s that took less than %s (%s).",
                 figure_count((uint64_t)few, count), figure_duration(heat->y_edges[0], least),
                 figure_percent(few / heat->total, share));
    }
}

void page_heat(struct doc *doc, const struct doc_page_source *source)
{
    struct doc_chart chart = {.kind = DOC_HEAT,
                              .key = "heat",
                              .title = "Response times over time (darker: more of them)",
                              .x = {"time", DOC_CLOCK, false},
                              .y = {"response time", DOC_NS, true}};
    const struct heat *heat = source->heat;

    if (!heat || heat->rows == 0) {
        return;
    }
    doc_chart(doc, &chart);
    doc_heat(doc, heat->x_edges, heat->columns, heat->y_edges, heat->rows, heat->counts);
    left_out_note(doc, heat);
    if (heat->stride > 1) {
        doc_note(doc, "The heat map counts one interval of %u; all other figures count all.",
                 heat->stride);
    }
}

/* ---- where the time went --------------------------------------------------------------------- */

void page_spent(struct doc *doc, const struct result *result)
{
    struct doc_chart chart = {.kind = DOC_STACKS,
                              .key = "spent",
                              .title = "A transaction's response time, by what it waited for",
                              .y = {.unit = DOC_NS}};
    const struct result_vm *all = &result->aggregate;
    double values[RESULT_SPENT + 1][RESULT_TXNS] = {{0}};
    bool any[RESULT_SPENT + 1] = {false};
    bool some = false;

    for (uint32_t i = 0; i < all->txn_count; i++) {
        const struct result_txn *txn = &all->txns[i];
        double n = (double)txn->response.count, rest = (double)txn->response.sum_ns;

        for (uint32_t j = 0; j < RESULT_SPENT && n > 0; j++) {
            values[j][i] = (double)txn->spent_ns[j] / n;
            rest -= (double)txn->spent_ns[j];
            any[j] = any[j] || txn->spent_ns[j] > 0;
            some = some || any[j];
        }
        values[RESULT_SPENT][i] = n > 0 ? fmax(0, rest) / n : 0;
        any[RESULT_SPENT] = any[RESULT_SPENT] || values[RESULT_SPENT][i] > 0;
    }
    if (!some || run_is_bare(result)) {
        return;
    }
    doc_chart(doc, &chart);
    for (uint32_t i = 0; i < all->txn_count; i++) {
        doc_category(doc, all->txns[i].kind);
    }
    for (uint32_t j = 0; j <= RESULT_SPENT; j++) {
        if (any[j]) {
            doc_series(doc, j < RESULT_SPENT ? result_spent_names[j] : "rest", NULL, values[j],
                       all->txn_count);
        }
    }
}

/* ---- sizes of requests ----------------------------------------------------------------------- */

/* By bytes; 0, which stands for all sizes that had no row, comes last. */
static int compare_sizes(const void *a, const void *b)
{
    uint32_t left = ((const struct result_size *)a)->bytes - 1;
    uint32_t right = ((const struct result_size *)b)->bytes - 1;

    return (left > right) - (left < right);
}

static void size_row(struct doc *doc, const struct result_io *io, const struct result_size *size)
{
    doc_cell(doc, "%s", io->verb);
    doc_cell(doc, "%s", io->area);
    if (size->bytes > 0) {
        doc_cell_size(doc, (double)size->bytes);
    } else {
        doc_cell(doc, "others");
    }
    doc_cell_count(doc, size->count);
    doc_cell_share(doc, (double)size->count / (double)io->count, false);
}

void page_sizes(struct doc *doc, const struct result *result)
{
    static const struct doc_column columns[] = {
        {"I/O", "verb", DOC_LEFT},
        {"area", "area", DOC_LEFT},
        {"size", "size_bytes", DOC_RIGHT},
        {"count", "count", DOC_RIGHT},
        {"% of its kind", "share", DOC_RIGHT},
    };
    const struct result_vm *all = &result->aggregate;
    bool begun = false;

    for (uint32_t i = 0; i < all->io_count; i++) {
        const struct result_io *io = &all->ios[i];
        struct result_size sizes[RESULT_SIZES];

        memcpy(sizes, io->sizes, sizeof(sizes));
        qsort(sizes, io->size_count, sizeof(*sizes), compare_sizes);
        for (uint32_t s = 0; s < io->size_count && io->count > 0; s++) {
            if (!begun) {
                doc_table(doc, "io_sizes", columns, sizeof(columns) / sizeof(*columns));
                begun = true;
            }
            size_row(doc, io, &sizes[s]);
        }
    }
}
