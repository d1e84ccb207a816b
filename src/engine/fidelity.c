#include "engine/fidelity.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "fidelity_run.h"

/* Memory that answers at once costs a copy, which the CPU of the transaction has already. */
#define MEMORY_NS 1000
/* The pace is right when TPS is so near; it takes two or three runs. */
#define PACE_WITHIN  0.03
#define PACE_MOST_NS 3600e9
enum { PACE_TRIES = 6, JOBS_MOST = 64 };

/* ---- pace --------------------------------------------------------------------------------------
 */

/*
 * PostgreSQL's data came from the operating system's cache, which held all of it after the load:
 * only the log waited for the disk.
 */
static bool is_buffered(const struct fidelity_cell *cell)
{
    return cell->slow_disk && cell->profile == MODEL_POSTGRES;
}

/* As whole ns, where a cell's figures do not go together an hour at most. */
static int64_t pace_ns(double ns)
{
    return ns < PACE_MOST_NS ? (int64_t)(ns > 0 ? ns : 0) : (int64_t)PACE_MOST_NS;
}

/* A disk that writes the log without a pause does as many groups a second as it can (6.2). */
static void pace_of_log(struct fidelity_pace *pace, const struct fidelity_cell *cell)
{
    double wait_ns = cell->threads > 1 ? 1e9 / (cell->truth.log_writes * cell->truth.tps)
                                       : 1e9 / cell->truth.tps - cell->cpu_ms * 1e6;

    pace->latency_ns = pace_ns(wait_ns / 2); /* a group is a write and a flush */
    pace->latency_ns = pace->latency_ns > MEMORY_NS ? pace->latency_ns : MEMORY_NS;
    pace->cpu_ns = cell->threads > 1 ? pace->cpu_ns : pace_ns(cell->cpu_ms * 1e6);
}

static struct fidelity_pace pace_guess(const struct fidelity_cell *cell)
{
    double cores = cell->threads < 2 ? 1 : 2, txn_ns = 1e9 / cell->truth.tps;
    struct fidelity_pace pace = {.cpu_ns = pace_ns(cores * txn_ns), .latency_ns = MEMORY_NS};

    if (cell->flush_ns > 0) {
        pace.latency_ns = cell->flush_ns / 2; /* a write and a flush */
    } else if (is_buffered(cell)) {
        pace_of_log(&pace, cell);
    } else if (cell->slow_disk) {
        double wait_ns = cell->threads * txn_ns;

        pace.cpu_ns = pace_ns(cell->cpu_ms * 1e6);
        pace.cpu_ns = pace.cpu_ns > 0 ? pace.cpu_ns : pace_ns(txn_ns * 0.5);
        wait_ns -= (double)pace.cpu_ns;
        pace.latency_ns = pace_ns(wait_ns / (cell->truth.page_reads + 2));
        pace.latency_ns = pace.latency_ns > MEMORY_NS ? pace.latency_ns : MEMORY_NS;
    }
    pace.data_ns = is_buffered(cell) ? MEMORY_NS : pace.latency_ns;
    return pace;
}

/* The part of a transaction's time that is not known is scaled by how much too fast it was. */
static void pace_mend(struct fidelity_pace *pace, const struct fidelity_cell *cell, double tps)
{
    double ratio = tps / cell->truth.tps;

    if (!cell->slow_disk || cell->flush_ns > 0 || is_buffered(cell)) {
        pace->cpu_ns = pace_ns((double)pace->cpu_ns * ratio);
        return;
    }
    pace->latency_ns = pace_ns((double)pace->latency_ns * ratio);
    pace->latency_ns = pace->latency_ns > MEMORY_NS ? pace->latency_ns : MEMORY_NS;
    pace->data_ns = pace->latency_ns;
}

/* The first seed, at the pace that the measured TPS asks for. */
static int pace_find(struct fidelity_outcome *outcome, struct fidelity_pace *pace,
                     struct fidelity_figures *ret)
{
    const struct fidelity_cell *cell = outcome->cell;

    *pace = pace_guess(cell);
    for (uint32_t i = 0;; i++) {
        int code;

        outcome->checks_failed = 0;
        code = fidelity_run_seed(cell, pace, 1, ret, outcome, &outcome->error);
        if (code != 0 || i + 1 == PACE_TRIES ||
            fabs(ret->tps / cell->truth.tps - 1) < PACE_WITHIN) {
            return code;
        }
        pace_mend(pace, cell, ret->tps);
    }
}

/* ---- a cell ------------------------------------------------------------------------------------
 */

static void tables_add(struct fidelity_figures *sum, const struct fidelity_figures *one, double by)
{
    for (uint32_t i = 0; i < one->table_count; i++) {
        uint32_t at = 0;

        while (at < sum->table_count && strcmp(sum->tables[at].name, one->tables[i].name) != 0) {
            at++;
        }
        if (at == FIDELITY_TABLES) {
            continue;
        }
        if (at == sum->table_count) {
            sum->table_count++;
            snprintf(sum->tables[at].name, sizeof(sum->tables[at].name), "%s", one->tables[i].name);
        }
        sum->tables[at].reads += one->tables[i].reads * by;
    }
}

void fidelity_figures_add(struct fidelity_figures *sum, const struct fidelity_figures *one,
                          double by)
{
    sum->page_reads += one->page_reads * by;
    sum->page_writes += one->page_writes * by;
    sum->dirty_delta += one->dirty_delta * by;
    sum->images += one->images * by;
    sum->log_bytes += one->log_bytes * by;
    sum->log_writes += one->log_writes * by;
    sum->lock_waits += one->lock_waits * by;
    sum->doublewritten += one->doublewritten * by;
    sum->batches += one->batches * by;
    sum->created += one->created * by;
    sum->splits += one->splits * by;
    sum->by_checkpoint += one->by_checkpoint * by;
    sum->by_cleaner += one->by_cleaner * by;
    sum->by_victim += one->by_victim * by;
    sum->tps += one->tps * by;
    tables_add(sum, one, by);
}

static void run_cell(struct fidelity_outcome *outcome, uint32_t seeds)
{
    struct fidelity_figures one;
    struct fidelity_pace pace;
    double least, most;

    outcome->code = pace_find(outcome, &pace, &one);
    least = most = one.page_reads;
    for (uint32_t seed = 1; outcome->code == 0; seed++) {
        fidelity_figures_add(&outcome->model, &one, 1.0 / seeds);
        least = one.page_reads < least ? one.page_reads : least;
        most = one.page_reads > most ? one.page_reads : most;
        if (seed == seeds) {
            break;
        }
        outcome->code =
            fidelity_run_seed(outcome->cell, &pace, seed + 1, &one, outcome, &outcome->error);
    }
    if (outcome->code == 0) {
        outcome->spread =
            outcome->model.page_reads > 0 ? (most - least) / outcome->model.page_reads : 0;
        fidelity_judge(outcome);
    }
}

/* ---- all cells ---------------------------------------------------------------------------------
 */

struct crew {
    pthread_mutex_t lock;
    struct fidelity_outcome *outcomes;
    uint32_t count, next, seeds;
    bool failed;
    void (*watch)(void *context, const struct fidelity_outcome *outcome);
    void *context;
};

static void *crew_work(void *arg)
{
    struct crew *crew = arg;

    for (;;) {
        struct fidelity_outcome *outcome;

        pthread_mutex_lock(&crew->lock);
        outcome = crew->next < crew->count ? &crew->outcomes[crew->next++] : NULL;
        pthread_mutex_unlock(&crew->lock);
        if (outcome == NULL) {
            return NULL;
        }
        run_cell(outcome, crew->seeds);
        pthread_mutex_lock(&crew->lock);
        crew->failed |= outcome->code != 0;
        if (crew->watch) {
            crew->watch(crew->context, outcome);
        }
        pthread_mutex_unlock(&crew->lock);
    }
}

bool fidelity_run(const struct fidelity_cell *const *cells, uint32_t count, uint32_t seeds,
                  uint32_t jobs, struct fidelity_outcome *rets,
                  void (*watch)(void *context, const struct fidelity_outcome *outcome),
                  void *context)
{
    struct crew crew = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .outcomes = rets,
                        .count = count,
                        .seeds = seeds < 1 ? 1 : seeds,
                        .watch = watch,
                        .context = context};
    pthread_t threads[JOBS_MOST];
    uint32_t started = 0;

    for (uint32_t i = 0; i < count; i++) {
        memset(&rets[i], 0, sizeof(rets[i]));
        rets[i].cell = cells[i];
    }
    jobs = jobs < JOBS_MOST ? jobs : JOBS_MOST;
    while (started + 1 < jobs && started + 1 < count &&
           pthread_create(&threads[started], NULL, crew_work, &crew) == 0) {
        started++;
    }
    crew_work(&crew);
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    return !crew.failed;
}
