#include "fidelity_run.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "io/drive_types.h"

#define SECOND_NS 1000000000ll
/* Between warm-up and window the counters are read; PostgreSQL's are handed in late (9). */
#define PAUSE_NS     1200000000ll
#define WAIT_MOST_NS (3600 * SECOND_NS)
enum { CORES = 2, RETRIES_MOST = 1000 };

/* What is left of a window's transactions by kind; drawn without putting back. */
struct deal {
    uint32_t left[TPCC_KINDS], sum;
};

struct client {
    struct op op;
    struct txn txn;
    struct rng rng;
    struct user_deck deck;
    int64_t spent_ns[SPENT_KINDS];
    struct timer timer;
    struct cell_run *run;
    uint32_t id;
    bool busy;
};

struct cell_run {
    const struct fidelity_cell *cell;
    struct model_settings settings;
    struct loop loop;
    bool loop_open;
    struct drive *drive;
    struct drive *log; /* NULL: on the same drive */
    struct target *target;
    struct workload *workload;
    struct client *clients;
    struct rng rng;
    struct deal deal;
    uint64_t to_begin, ended, failed;
    uint32_t busy;
    struct fidelity_share *tables; /* where reads are counted; NULL: not now */
    uint32_t *table_count;
};

/* ---- clients -----------------------------------------------------------------------------------
 */

static void deal_fill(struct cell_run *run)
{
    const struct fidelity_cell *cell = run->cell;

    memcpy(run->deal.left, cell->kinds, sizeof(run->deal.left));
    run->deal.sum = 0;
    for (uint32_t i = 0; i < TPCC_KINDS; i++) {
        run->deal.sum += run->deal.left[i];
    }
}

static uint32_t deal_next(struct cell_run *run)
{
    uint32_t card, kind = 0;

    if (run->deal.sum == 0) {
        deal_fill(run);
    }
    card = (uint32_t)rng_below(&run->rng, run->deal.sum--);
    while (card >= run->deal.left[kind]) {
        card -= run->deal.left[kind++];
    }
    run->deal.left[kind]--;
    return kind;
}

/* sysbench-tpcc: any warehouse for each transaction, not a terminal's own. */
static void client_choose(struct client *client)
{
    struct cell_run *run = client->run;
    struct pause pause;
    uint32_t user = client->id, kind = 0;

    if (run->cell->is_tpcc) {
        kind = deal_next(run);
        user = (uint32_t)rng_below(&client->rng, (uint64_t)run->cell->warehouses * 10);
    }
    do {
        run->workload->ops->choose(run->workload, user, &client->deck, &client->rng, &client->txn,
                                   &pause);
    } while (client->txn.kind != kind);
}

/* sysbench-tpcc's Order-Status reads the lines of the order of its district's number. */
static bool client_next(struct client *client)
{
    struct workload *workload = client->run->workload;

    if (!workload->ops->next(workload, &client->txn, &client->op)) {
        return false;
    }
    if (client->run->cell->is_tpcc && client->op.statement == TPCC_S_OS_LINES) {
        client->op.key[2] = client->op.key[1];
    }
    client->op.status = OP_OK;
    client->op.rows = 0;
    return true;
}

static void client_over(struct client *client)
{
    client->busy = false;
    client->run->busy--;
    client->run->ended++;
    if (client->run->to_begin > 0) {
        loop_arm(&client->run->loop, &client->timer, client->run->loop.now_ns);
    } else if (client->run->busy == 0) {
        client->run->loop.stop = true;
    }
}

static void client_go(struct client *client)
{
    struct cell_run *run = client->run;

    for (;;) {
        if (client->op.status == OP_RETRY) {
            run->workload->ops->restart(run->workload, &client->txn);
        } else if (client->op.status != OP_OK) {
            run->failed++;
            client_over(client);
            return;
        }
        if (!client_next(client)) {
            client_over(client);
            return;
        }
        if (!run->target->ops->begin(run->target, client->id, &client->op)) {
            return;
        }
    }
}

static void client_answered(struct op *op)
{
    client_go((struct client *)((char *)op - offsetof(struct client, op)));
}

static void client_due(struct timer *timer)
{
    struct client *client = (struct client *)((char *)timer - offsetof(struct client, timer));

    if (client->run->to_begin == 0) {
        if (client->run->busy == 0) {
            client->run->loop.stop = true;
        }
        return;
    }
    client->run->to_begin--;
    client->run->busy++;
    client->busy = true;
    client->op.status = OP_OK;
    client_choose(client);
    client_go(client);
}

/* Closed loop of all clients without think time. */
static int run_transactions(struct cell_run *run, uint64_t count, struct error *err)
{
    if (count == 0) {
        return 0;
    }
    run->to_begin = count;
    run->loop.stop = false;
    for (uint32_t i = 0; i < run->cell->threads; i++) {
        loop_arm(&run->loop, &run->clients[i].timer, run->loop.now_ns + i);
    }
    loop_run(&run->loop, run->loop.now_ns + WAIT_MOST_NS);
    run->loop.stop = false;
    if (run->busy > 0 || run->to_begin > 0 || run->failed > 0) {
        return error_set(err, EXIT_FAILED, -ETIME,
                         "%llu transactions failed, %llu had not begun after an hour",
                         (unsigned long long)run->failed, (unsigned long long)run->to_begin);
    }
    return 0;
}

/* ---- before the window -------------------------------------------------------------------------
 */

static int run_prior(struct cell_run *run, const struct fidelity_prior *prior, struct error *err)
{
    struct sysbench_settings settings = run->settings.sysbench;
    struct workload *own = run->workload;

    settings.rand_type = prior->rand_type;
    run->workload = sysbench_open(&settings, err);
    if (run->workload == NULL) {
        run->workload = own;
        return err->code;
    }
    run->target->ops->warm(run->target, true);
    for (uint64_t i = 0; i < prior->transactions; i++) {
        struct client *client = &run->clients[i % run->cell->threads];

        client_choose(client);
        while (client_next(client)) {
            must(run->target->ops->begin(run->target, client->id, &client->op));
        }
    }
    run->target->ops->warm(run->target, false);
    run->workload->ops->free(run->workload);
    run->workload = own;
    target_model_restart(run->target);
    return 0;
}

static void settings_of(struct model_settings *s, const struct fidelity_cell *cell,
                        const struct fidelity_pace *pace, uint64_t seed)
{
    model_defaults(s, cell->profile, cell->is_tpcc);
    s->buffer_bytes = (uint64_t)cell->buffer_mib << 20;
    s->sessions = cell->threads;
    s->cores = CORES;
    s->cpu_statement_ns = 0;
    s->cpu_txn_ns = pace->cpu_ns;
    s->growth_bytes = 1ull << 30;
    s->log_capacity_bytes = cell->profile == MODEL_INNODB ? 256ull << 20 : 2ull << 30;
    s->index_full = cell->index_full;
    s->seed = seed;
    s->k_fill_pristine = true;
    s->k_loaded_special = true;
    s->names_loaded_per_call = true;
    if (cell->profile == MODEL_POSTGRES) {
        s->autovacuum = false; /* as in the servers that were measured */
        s->checkpoint_ns = cell->checkpoint_ns ? cell->checkpoint_ns : 30 * SECOND_NS;
    }
    if (cell->checkpoint_ns) {
        s->log_capacity_bytes = 8ull << 30;
    }
    s->tpcc = (struct tpcc_settings){
        .warehouses = cell->warehouses,
        .users = cell->warehouses * 10, /* of whom client_choose() takes any */
        .weights = {10 / 23.0, 10 / 23.0, 1 / 23.0, 1 / 23.0, 1 / 23.0},
        .seed = seed,
        .nurand_per_call = !cell->nurand_fixed,
        .local_only = true,
        .c_run_known = cell->nurand_c[0] + cell->nurand_c[1] + cell->nurand_c[2] > 0,
        .c_run = {cell->nurand_c[0], cell->nurand_c[1], cell->nurand_c[2]},
    };
    sysbench_defaults(&s->sysbench);
    s->sysbench.tables = cell->tables;
    s->sysbench.rows = cell->rows;
    s->sysbench.threads = cell->threads;
    s->sysbench.rand_type = cell->rand_type;
    s->sysbench.seed = seed;
}

/* innodb counts reads by tablespace file, which holds a table and its secondary indexes. */
static const char *table_counted_as(const struct fidelity_cell *cell, const char *name)
{
    static const char *const files[][2] = {
        {"idx_customer", "customer"},  {"idx_orders", "orders"},
        {"fkey_stock_2", "stock"},     {"fkey_order_line_2", "order_line"},
        {"fkey_history_1", "history"}, {"fkey_history_2", "history"},
    };

    for (uint32_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (cell->profile == MODEL_INNODB && strcmp(name, files[i][0]) == 0) {
            return files[i][1];
        }
    }
    return name;
}

static void run_look(void *context, const struct io *io)
{
    struct cell_run *run = context;
    const char *name;

    if (run->tables == NULL || io->verb != IO_READ || io->area != IO_DATA) {
        return;
    }
    name = target_model_table(run->target, io->offset);
    name = name ? table_counted_as(run->cell, name) : "?";
    fidelity_count(run->tables, run->table_count, name, 1);
}

static int run_open_drive(struct cell_run *run, const struct fidelity_pace *pace, struct error *err)
{
    struct model_footprint print;
    struct drive *null;
    int code = model_footprint(&run->settings, &print, err);

    if (code != 0) {
        return code;
    }
    null = drive_null_open(&run->loop, print.total_bytes, pace->data_ns, err);
    run->drive = null ? drive_tap_open(null, run_look, run, err) : NULL;
    if (run->drive == NULL) {
        if (null != NULL) {
            drive_close(null);
        }
        return err->code;
    }
    if (pace->data_ns != pace->latency_ns) {
        run->log = drive_null_open(&run->loop, print.total_bytes, pace->latency_ns, err);
        return run->log ? 0 : err->code;
    }
    return 0;
}

static int run_open(struct cell_run *run, const struct fidelity_cell *cell,
                    const struct fidelity_pace *pace, uint64_t seed, struct error *err)
{
    struct model_place place = {.loop = &run->loop};
    int code;

    run->cell = cell;
    settings_of(&run->settings, cell, pace, seed);
    rng_init(&run->rng, seed, 0xf1de);
    code = loop_virtual_open(&run->loop, cell->threads * 4 + 8192, err);
    run->loop_open = code == 0;
    code = code == 0 ? run_open_drive(run, pace, err) : code;
    if (code != 0) {
        return code;
    }
    place.data = run->drive;
    place.log = run->log ? run->log : run->drive;
    place.one_drive = run->log == NULL;
    run->workload = cell->is_tpcc ? tpcc_open(&run->settings.tpcc, err)
                                  : sysbench_open(&run->settings.sysbench, err);
    run->target = run->workload ? target_model_open(&run->settings, &place, 0, err) : NULL;
    run->clients = mem_array(cell->threads, sizeof(*run->clients));
    if (run->target == NULL || run->clients == NULL) {
        return run->target == NULL ? err->code
                                   : error_set(err, EXIT_FAILED, -ENOMEM, "no memory for clients");
    }
    for (uint32_t i = 0; i < cell->threads; i++) {
        struct client *client = &run->clients[i];

        client->run = run;
        client->id = i;
        client->op.done = client_answered;
        client->op.spent_ns = client->spent_ns;
        client->timer.fire = client_due;
        rng_init(&client->rng, seed, i);
    }
    return 0;
}

static void run_close(struct cell_run *run)
{
    if (run->target) {
        run->target->ops->free(run->target);
    }
    if (run->workload) {
        run->workload->ops->free(run->workload);
    }
    if (run->drive) {
        drive_close(run->drive);
    }
    if (run->log) {
        drive_close(run->log);
    }
    if (run->loop_open) {
        loop_close(&run->loop);
    }
    mem_free(run->clients);
}

/* ---- the window --------------------------------------------------------------------------------
 */

void fidelity_count(struct fidelity_share *tables, uint32_t *count, const char *name, double reads)
{
    uint32_t i = 0;

    while (i < *count && strcmp(tables[i].name, name) != 0) {
        i++;
    }
    if (i == FIDELITY_TABLES) {
        return;
    }
    if (i == *count) {
        tables[i] = (struct fidelity_share){0};
        snprintf(tables[i].name, sizeof(tables[i].name), "%s", name);
        ++*count;
    }
    tables[i].reads += reads;
}

void fidelity_figures_between(struct fidelity_figures *ret, const struct target_facts *before,
                              const struct target_facts *after, double n)
{
    const struct target_facts *a = before, *b = after;

    ret->page_reads = (double)(b->page_reads - a->page_reads) / n;
    ret->page_writes = (double)(b->pages_written - a->pages_written) / n;
    ret->dirty_delta = ((double)b->pages_dirty - (double)a->pages_dirty) / n;
    ret->images = (double)(b->page_images - a->page_images) / n;
    ret->log_writes = (double)(b->log_writes - a->log_writes) / n;
    ret->lock_waits = (double)(b->lock_waits - a->lock_waits) / n;
    ret->doublewritten = (double)(b->pages_doublewritten - a->pages_doublewritten) / n;
    ret->created = (double)(b->pages_created - a->pages_created) / n;
    ret->splits = (double)(b->leaf_splits - a->leaf_splits) / n;
}

static void figures_of(struct fidelity_figures *ret, const struct target_facts *a,
                       const struct target_facts *b, double n, double seconds)
{
    fidelity_figures_between(ret, a, b, n);
    ret->log_bytes = (double)(b->log_record_bytes + b->log_image_bytes - a->log_record_bytes -
                              a->log_image_bytes) /
                     n;
    ret->batches = (double)(b->doublewrite_batches - a->doublewrite_batches) / n;
    ret->by_checkpoint = (double)(b->written_by_checkpoint - a->written_by_checkpoint) / n;
    ret->by_cleaner = (double)(b->written_by_cleaner - a->written_by_cleaner) / n;
    ret->by_victim = (double)(b->written_by_victim - a->written_by_victim) / n;
    ret->tps = seconds > 0 ? n / seconds : 0;
    for (uint32_t i = 0; i < ret->table_count; i++) {
        ret->tables[i].reads /= n;
    }
}

/*
 * PostgreSQL counts the pages by which a file grows among those that are read, in all and of each
 * relation: ReadBuffer(P_NEW) finds none.
 */
static void count_added(struct cell_run *run, struct fidelity_figures *ret, double sign)
{
    const char *name;
    uint64_t pages;

    for (uint32_t i = 0; (name = target_model_added(run->target, i, &pages)) != NULL; i++) {
        fidelity_count(ret->tables, &ret->table_count, name, sign * (double)pages);
    }
}

static int run_window(struct cell_run *run, struct fidelity_figures *ret, struct error *err)
{
    const struct fidelity_cell *cell = run->cell;
    struct target_facts before, after;
    int64_t began_ns;
    int code;

    deal_fill(run);
    run->target->ops->facts(run->target, &before);
    run->tables = ret->tables;
    run->table_count = &ret->table_count;
    began_ns = run->loop.now_ns;
    if (cell->profile == MODEL_POSTGRES) {
        count_added(run, ret, -1);
    }
    code = run_transactions(run, cell->transactions, err);
    if (code != 0) {
        return code;
    }
    double seconds = (double)(run->loop.now_ns - began_ns) / SECOND_NS;

    if (cell->profile == MODEL_POSTGRES) {
        loop_run(&run->loop, run->loop.now_ns + PAUSE_NS);
        count_added(run, ret, 1);
    }
    run->tables = NULL;
    run->target->ops->facts(run->target, &after);
    figures_of(ret, &before, &after, cell->transactions, seconds);
    if (cell->profile == MODEL_POSTGRES) {
        ret->page_reads += ret->created;
    }
    return 0;
}

void fidelity_check_failed(struct fidelity_outcome *outcome, const char *name, double expected,
                           double found)
{
    if (outcome->checks_failed++ == 0) {
        snprintf(outcome->check, sizeof(outcome->check), "%.47s: expected %.6g, found %.6g", name,
                 expected, found);
    }
}

static void run_check(struct cell_run *run, struct fidelity_outcome *outcome)
{
    struct target_check checks[32];
    uint32_t count;

    run->target->ops->stop(run->target);
    loop_run(&run->loop, run->loop.now_ns + 10 * SECOND_NS);
    count = run->target->ops->check(run->target, checks, 32);
    for (uint32_t i = 0; i < count; i++) {
        if (!checks[i].passed) {
            fidelity_check_failed(outcome, checks[i].name, checks[i].expected, checks[i].found);
        }
    }
}

int fidelity_run_seed(const struct fidelity_cell *cell, const struct fidelity_pace *pace,
                      uint64_t seed, struct fidelity_figures *ret, struct fidelity_outcome *outcome,
                      struct error *err)
{
    struct cell_run *run = mem_zalloc(sizeof(*run));
    int code;

    if (run == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a run");
    }
    memset(ret, 0, sizeof(*ret));
    code = run_open(run, cell, pace, seed, err);
    for (uint32_t i = 0; code == 0 && i < cell->prior_count; i++) {
        code = run_prior(run, &cell->priors[i], err);
    }
    code = code == 0 ? run_transactions(run, cell->warm, err) : code;
    if (code == 0) {
        loop_run(&run->loop, run->loop.now_ns + PAUSE_NS);
        code = run_window(run, ret, err);
    }
    if (code == 0) {
        run_check(run, outcome);
    }
    run_close(run);
    mem_free(run);
    return code;
}
