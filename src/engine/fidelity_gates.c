#include "fidelity_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Tolerances of MODEL.md 9.5. */
#define PAGES_WITHIN        0.10
#define LOG_INNODB_WITHIN   0.15
#define LOG_POSTGRES_WITHIN 0.10
#define LOG_WRITES_WITHIN   0.10
#define SHARE_POINTS        0.03
#define BATCH_LEAST         90
#define BATCH_MOST          128
#define LOCKS_LEAST         0.07
#define LOCKS_MOST          0.13

static void gate_add(struct fidelity_outcome *outcome, const char *quantity, double model,
                     double measured, double least, double most, bool judged)
{
    struct fidelity_gate *gate = &outcome->gates[outcome->gate_count];

    if (outcome->gate_count == FIDELITY_GATES) {
        return;
    }
    outcome->gate_count++;
    *gate = (struct fidelity_gate){
        .model = model,
        .measured = measured,
        .least = least,
        .most = most,
        .judged = judged,
        .met = model >= least && model <= most,
    };
    snprintf(gate->quantity, sizeof(gate->quantity), "%s", quantity);
}

static void gate_within(struct fidelity_outcome *outcome, const char *quantity, double model,
                        double measured, double share, bool judged)
{
    gate_add(outcome, quantity, model, measured, measured * (1 - share), measured * (1 + share),
             judged);
}

static double share_of(const struct fidelity_figures *figures, const char *name)
{
    double sum = 0, own = 0;

    for (uint32_t i = 0; i < figures->table_count; i++) {
        sum += figures->tables[i].reads;
        own += strcmp(figures->tables[i].name, name) == 0 ? figures->tables[i].reads : 0;
    }
    return sum > 0 ? own / sum : 0;
}

/* Those that MODEL.md 9.5 names: three tables, and the indexes where they are counted apart. */
static bool share_is_named(const char *name)
{
    static const char *const named[] = {"stock", "customer", "order_line"};
    size_t length = strlen(name);

    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(name, named[i]) == 0) {
            return true;
        }
    }
    return strncmp(name, "idx_", 4) == 0 || strncmp(name, "fkey_", 5) == 0 ||
           (length > 5 && strcmp(name + length - 5, "_pkey") == 0);
}

static void gates_of_shares(struct fidelity_outcome *outcome)
{
    const struct fidelity_cell *cell = outcome->cell;
    const struct fidelity_figures *truth = &cell->truth;

    if (!cell->is_tpcc || cell->buffer_mib > 256) {
        return;
    }
    for (uint32_t i = 0; i < truth->table_count; i++) {
        const char *name = truth->tables[i].name;
        double measured = share_of(truth, name);
        char quantity[sizeof(outcome->gates[0].quantity)];

        /* below a point no share can miss by three unless it is counted where it is not named */
        if (!share_is_named(name) || measured < 0.01) {
            continue;
        }
        snprintf(quantity, sizeof(quantity), "share of %s", name);
        gate_add(outcome, quantity, share_of(&outcome->model, name), measured,
                 measured - SHARE_POINTS, measured + SHARE_POINTS,
                 cell->settled && truth->page_reads >= FIDELITY_READS_LEAST);
    }
}

static void gates_of_innodb(struct fidelity_outcome *outcome, bool pages)
{
    const struct fidelity_cell *cell = outcome->cell;
    const struct fidelity_figures *m = &outcome->model, *t = &cell->truth;

    gate_within(outcome, "page writes and growth of dirty", m->page_writes + m->dirty_delta,
                t->page_writes + t->dirty_delta, PAGES_WITHIN, pages);
    if (cell->buffer_mib == 128 && t->batches > 0) {
        gate_add(outcome, "pages a doublewrite batch",
                 m->batches > 0 ? m->doublewritten / m->batches : 0, t->doublewritten / t->batches,
                 BATCH_LEAST, BATCH_MOST, cell->settled);
    }
    if (!cell->is_tpcc && t->splits > 0) { /* of a live server they are not counted */
        gate_within(outcome, "leaf splits", m->splits, t->splits, PAGES_WITHIN, false);
    }
    if (cell->is_tpcc && cell->warehouses == 10 && cell->threads == 8) {
        gate_add(outcome, "lock waits", m->lock_waits, t->lock_waits, LOCKS_LEAST, LOCKS_MOST,
                 cell->settled);
    }
}

static void gates_of_postgres(struct fidelity_outcome *outcome, bool pages)
{
    const struct fidelity_figures *m = &outcome->model, *t = &outcome->cell->truth;

    gate_within(outcome, "page writes", m->page_writes, t->page_writes, PAGES_WITHIN, pages);
    gate_within(outcome, "page images", m->images, t->images, PAGES_WITHIN, pages);
}

void fidelity_judge(struct fidelity_outcome *outcome)
{
    const struct fidelity_cell *cell = outcome->cell;
    const struct fidelity_figures *m = &outcome->model, *t = &cell->truth;
    bool innodb = cell->profile == MODEL_INNODB;
    bool pages = cell->settled && !cell->slow_disk && t->page_reads >= FIDELITY_READS_LEAST;

    gate_within(outcome, "page reads", m->page_reads, t->page_reads, PAGES_WITHIN, pages);
    if (innodb) {
        gates_of_innodb(outcome, pages);
    } else {
        gates_of_postgres(outcome, pages);
    }
    gate_within(outcome, "log bytes", m->log_bytes, t->log_bytes,
                innodb ? LOG_INNODB_WITHIN : LOG_POSTGRES_WITHIN, cell->settled);
    gate_within(outcome, "log writes", m->log_writes, t->log_writes, LOG_WRITES_WITHIN,
                cell->group_commit || cell->one_thread);
    gates_of_shares(outcome);
}

static int errors_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void fidelity_sum(const struct fidelity_outcome *outcomes, uint32_t count, const char *quantity,
                  struct fidelity_summary *ret)
{
    double *errors = mem_array((size_t)count * FIDELITY_GATES + 1, sizeof(*errors));
    uint32_t n = 0;

    memset(ret, 0, sizeof(*ret));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < outcomes[i].gate_count; j++) {
            const struct fidelity_gate *gate = &outcomes[i].gates[j];

            if (!gate->judged ||
                (quantity && strncmp(gate->quantity, quantity, strlen(quantity)) != 0)) {
                continue;
            }
            ret->judged++;
            ret->met += gate->met;
            if (errors && gate->measured > 0) {
                errors[n++] = fabs(gate->model / gate->measured - 1);
            }
        }
    }
    if (n > 0) {
        qsort(errors, n, sizeof(*errors), errors_compare);
        ret->median_error = n % 2 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
    }
    mem_free(errors);
}
