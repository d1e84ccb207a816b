#include "workload/sysbench.h"

#include "ask.h"
#include "base/mem.h"
#include "base/must.h"
#include <errno.h>
#include <stddef.h>

const char *const sysbench_mix_names[SYSBENCH_MIXES] = {
    "oltp_read_write",   "oltp_read_only",        "oltp_write_only", "oltp_point_select",
    "oltp_update_index", "oltp_update_non_index", "oltp_insert",     "oltp_delete",
};

static const struct catalog_table tables[] = {{"sbtest"}};

static const struct catalog_statement statements[SYSBENCH_STATEMENTS] = {
    [SYSBENCH_S_BEGIN] = {"begin", OP_BEGIN, 0},
    [SYSBENCH_S_COMMIT] = {"commit", OP_COMMIT, 0},
    [SYSBENCH_S_ROLLBACK] = {"rollback", OP_ROLLBACK, 0},
    [SYSBENCH_S_POINT] = {"point_select", OP_SELECT, 0},
    [SYSBENCH_S_RANGE] = {"simple_range", OP_SELECT, 0},
    [SYSBENCH_S_SUM] = {"sum_range", OP_SELECT, 0},
    [SYSBENCH_S_ORDER] = {"order_range", OP_SELECT, 0},
    [SYSBENCH_S_DISTINCT] = {"distinct_range", OP_SELECT, 0},
    [SYSBENCH_S_UPDATE_INDEX] = {"index_update", OP_UPDATE, 0},
    [SYSBENCH_S_UPDATE_NON_INDEX] = {"non_index_update", OP_UPDATE, 0},
    [SYSBENCH_S_DELETE] = {"delete", OP_DELETE, 0},
    [SYSBENCH_S_INSERT] = {"insert", OP_INSERT, 0},
};

static const struct catalog_kind kinds[SYSBENCH_MIXES] = {
    {.name = "oltp_read_write"},   {.name = "oltp_read_only"},    {.name = "oltp_write_only"},
    {.name = "oltp_point_select"}, {.name = "oltp_update_index"}, {.name = "oltp_update_non_index"},
    {.name = "oltp_insert"},       {.name = "oltp_delete"},
};

static const struct catalog catalog = {
    .name = "sysbench",
    .tables = tables,
    .statements = statements,
    .kinds = kinds,
    .table_count = 1,
    .statement_count = SYSBENCH_STATEMENTS,
    .kind_count = SYSBENCH_MIXES,
};

enum { PARTS = 12, LOADED_K_STREAM = 0x6b };

/* A part of an event: one statement kind, some times on one table. */
struct part {
    uint16_t statement;
    uint32_t times;
};

struct sysbench {
    struct workload workload;
    struct sysbench_settings settings;
    struct dist ids;
    struct catalog catalog;
    struct catalog_kind kind;
    struct part parts[PARTS];
    uint32_t part_count;
};

/* An event under way; txn.step is the part. All its input follows from seed. */
struct event {
    uint64_t seed, id; /* id: of the row that was deleted and comes back */
    struct rng rng;
    uint32_t table, left;
    bool insert_next;
};
_Static_assert(sizeof(struct event) <= TXN_STATE_BYTES, "an event fits a transaction");

static struct sysbench *sysbench_of(const struct workload *workload)
{
    return (struct sysbench *)((char *)(uintptr_t)workload - offsetof(struct sysbench, workload));
}

static struct event *event_of(struct txn *txn)
{
    return (struct event *)&txn->state;
}

static const struct catalog *catalog_of(const struct workload *workload)
{
    return &sysbench_of(workload)->catalog;
}

static void enter_part(const struct sysbench *bench, struct txn *txn)
{
    const struct part *part = &bench->parts[txn->step];
    struct event *event = event_of(txn);

    event->left = part->times;
    if (part->statement > SYSBENCH_S_ROLLBACK) {
        event->table = (uint32_t)rng_below(&event->rng, bench->settings.tables);
    }
}

static void restart(struct workload *workload, struct txn *txn)
{
    struct event *event = event_of(txn);

    txn->step = 0;
    event->insert_next = false;
    rng_init(&event->rng, event->seed, 0);
    enter_part(sysbench_of(workload), txn);
}

static void choose(struct workload *workload, uint32_t user, struct user_deck *deck,
                   struct rng *rng, struct txn *txn, struct pause *pause)
{
    txn->kind = 0;
    txn->rolled_back = 0;
    event_of(txn)->seed = rng_u64(rng);
    restart(workload, txn);
    *pause = (struct pause){0};
}

static uint64_t draw_id(const struct sysbench *bench, struct event *event)
{
    return dist_draw(&bench->ids, &event->rng);
}

static bool ask(struct op *op, enum sysbench_statement statement, uint32_t table, uint64_t k1,
                uint64_t k2, uint64_t k3)
{
    return ask_keys(op, statements[statement].verb, (uint16_t)statement, table, (int64_t)k1,
                    (int64_t)k2, (int64_t)k3, 0, 0, 0, 0);
}

/* id 0: the next auto-increment value. */
static bool ask_insert(const struct sysbench *bench, struct event *event, struct op *op,
                       uint64_t id)
{
    uint64_t k = draw_id(bench, event), text = rng_u64(&event->rng);

    return ask(op, SYSBENCH_S_INSERT, event->table, id, k, text);
}

static bool ask_part(const struct sysbench *bench, struct event *event, struct op *op,
                     enum sysbench_statement statement)
{
    uint64_t id;

    switch (statement) {
    case SYSBENCH_S_BEGIN:
    case SYSBENCH_S_COMMIT:
    case SYSBENCH_S_ROLLBACK:
        return ask(op, statement, 0, 0, 0, 0);
    case SYSBENCH_S_RANGE:
    case SYSBENCH_S_SUM:
    case SYSBENCH_S_ORDER:
    case SYSBENCH_S_DISTINCT:
        id = draw_id(bench, event);
        return ask(op, statement, event->table, id, id + bench->settings.range_size - 1, 0);
    case SYSBENCH_S_UPDATE_NON_INDEX:
        id = draw_id(bench, event);
        return ask(op, statement, event->table, id, rng_u64(&event->rng), 0);
    case SYSBENCH_S_INSERT:
        return ask_insert(bench, event, op, 0);
    case SYSBENCH_S_DELETE:
        event->id = draw_id(bench, event);
        event->insert_next = bench->settings.mix != SYSBENCH_DELETE;
        return ask(op, statement, event->table, event->id, 0, 0);
    default:
        return ask(op, statement, event->table, draw_id(bench, event), 0, 0);
    }
}

static bool next(struct workload *workload, struct txn *txn, struct op *op)
{
    const struct sysbench *bench = sysbench_of(workload);
    struct event *event = event_of(txn);

    if (event->insert_next) {
        event->insert_next = false;
        return ask_insert(bench, event, op, event->id);
    }
    if (event->left == 0) {
        if ((uint32_t)txn->step + 1 >= bench->part_count) {
            return false;
        }
        txn->step++;
        enter_part(bench, txn);
    }
    event->left--;
    return ask_part(bench, event, op, (enum sysbench_statement)bench->parts[txn->step].statement);
}

static void ended(struct workload *workload, const struct txn *txn, bool rolled_back)
{
}

static void sysbench_free(struct workload *workload)
{
    mem_free(sysbench_of(workload));
}

static const struct workload_ops sysbench_ops = {
    .catalog = catalog_of,
    .choose = choose,
    .next = next,
    .restart = restart,
    .ended = ended,
    .free = sysbench_free,
};

static void add_part(struct sysbench *bench, enum sysbench_statement statement, uint32_t times)
{
    must(bench->part_count < PARTS);
    if (times > 0) {
        bench->parts[bench->part_count++] = (struct part){(uint16_t)statement, times};
    }
}

static void add_reads(struct sysbench *bench)
{
    const struct sysbench_settings *settings = &bench->settings;

    add_part(bench, SYSBENCH_S_POINT, settings->point_selects);
    add_part(bench, SYSBENCH_S_RANGE, settings->simple_ranges);
    add_part(bench, SYSBENCH_S_SUM, settings->sum_ranges);
    add_part(bench, SYSBENCH_S_ORDER, settings->order_ranges);
    add_part(bench, SYSBENCH_S_DISTINCT, settings->distinct_ranges);
}

static void add_writes(struct sysbench *bench)
{
    const struct sysbench_settings *settings = &bench->settings;

    add_part(bench, SYSBENCH_S_UPDATE_INDEX, settings->index_updates);
    add_part(bench, SYSBENCH_S_UPDATE_NON_INDEX, settings->non_index_updates);
    add_part(bench, SYSBENCH_S_DELETE, settings->delete_inserts);
}

/* Mixes of one statement kind send it in autocommit. */
static void add_single(struct sysbench *bench)
{
    switch (bench->settings.mix) {
    case SYSBENCH_POINT_SELECT:
        add_part(bench, SYSBENCH_S_POINT, 1);
        break;
    case SYSBENCH_UPDATE_INDEX:
        add_part(bench, SYSBENCH_S_UPDATE_INDEX, bench->settings.index_updates);
        break;
    case SYSBENCH_UPDATE_NON_INDEX:
        add_part(bench, SYSBENCH_S_UPDATE_NON_INDEX, bench->settings.non_index_updates);
        break;
    case SYSBENCH_INSERT:
        add_part(bench, SYSBENCH_S_INSERT, 1);
        break;
    default:
        add_part(bench, SYSBENCH_S_DELETE, 1);
    }
}

static void add_parts(struct sysbench *bench)
{
    enum sysbench_mix mix = bench->settings.mix;
    uint32_t transaction = bench->settings.skip_trx ? 0 : 1;

    if (mix > SYSBENCH_WRITE_ONLY) {
        add_single(bench);
        return;
    }
    add_part(bench, SYSBENCH_S_BEGIN, transaction);
    if (mix != SYSBENCH_WRITE_ONLY) {
        add_reads(bench);
    }
    if (mix != SYSBENCH_READ_ONLY) {
        add_writes(bench);
    }
    add_part(bench, SYSBENCH_S_COMMIT, transaction);
}

void sysbench_defaults(struct sysbench_settings *settings)
{
    *settings = (struct sysbench_settings){
        .mix = SYSBENCH_READ_WRITE,
        .tables = 1,
        .threads = 1,
        .range_size = 100,
        .rows = 10000,
        .point_selects = 10,
        .simple_ranges = 1,
        .sum_ranges = 1,
        .order_ranges = 1,
        .distinct_ranges = 1,
        .index_updates = 1,
        .non_index_updates = 1,
        .delete_inserts = 1,
        .rand_type = DIST_SPECIAL,
    };
}

const struct catalog *sysbench_catalog(void)
{
    return &catalog;
}

static int settings_check(const struct sysbench_settings *settings, struct error *err)
{
    if ((uint32_t)settings->mix >= SYSBENCH_MIXES || (uint32_t)settings->rand_type >= DIST_KINDS) {
        return error_set(err, EXIT_USAGE, -EINVAL, "no such Sysbench mix or distribution");
    }
    if (settings->tables == 0 || settings->rows == 0 || settings->threads == 0 ||
        settings->range_size == 0) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "Sysbench needs a table, a row, a thread and a range of 1 or more");
    }
    if (!(settings->rand_param >= 0) ||
        (settings->rand_type == DIST_PARETO && settings->rand_param >= 1)) {
        return error_set(err, EXIT_USAGE, -EINVAL, "%g is no parameter of the %s distribution",
                         settings->rand_param, dist_names[settings->rand_type]);
    }
    return 0;
}

struct workload *sysbench_open(const struct sysbench_settings *settings, struct error *err)
{
    struct sysbench *bench;

    if (settings_check(settings, err) < 0) {
        return NULL;
    }
    bench = mem_zalloc(sizeof(*bench));
    if (!bench) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a workload");
        return NULL;
    }
    bench->workload.ops = &sysbench_ops;
    bench->settings = *settings;
    dist_init(&bench->ids, settings->rand_type, settings->rows, settings->rand_param);
    add_parts(bench);
    if (bench->part_count == 0) {
        error_set(err, EXIT_USAGE, -EINVAL, "%s has no statement: all its counts are 0",
                  sysbench_mix_names[settings->mix]);
        mem_free(bench);
        return NULL;
    }
    bench->kind = kinds[settings->mix];
    bench->kind.share = 1;
    bench->catalog = catalog;
    bench->catalog.kinds = &bench->kind;
    bench->catalog.kind_count = 1;
    return &bench->workload;
}

uint64_t sysbench_loaded_k(const struct sysbench_settings *settings, uint32_t table, uint64_t id)
{
    struct dist dist;
    struct rng rng;

    dist_init(&dist, settings->rand_type, settings->rows, settings->rand_param);
    rng_init(&rng, settings->seed + LOADED_K_STREAM, (uint64_t)table << 40 ^ id);
    return dist_draw(&dist, &rng);
}
