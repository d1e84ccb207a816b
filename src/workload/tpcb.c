#include "workload/tpcb.h"

#include "ask.h"
#include "base/mem.h"
#include "base/must.h"
#include "sql_texts.h"
#include <errno.h>
#include <stddef.h>

const char *const tpcb_mix_names[TPCB_MIXES] = {"tpcb_like", "simple_update", "select_only"};

enum { ACCOUNTS, TELLERS, BRANCHES, HISTORY, TABLES };
enum { DELTA_LIMIT = 5000 };

static const struct catalog_table tables[TABLES] = {
    [ACCOUNTS] = {"pgbench_accounts"},
    [TELLERS] = {"pgbench_tellers"},
    [BRANCHES] = {"pgbench_branches"},
    [HISTORY] = {"pgbench_history"},
};

static const struct catalog_statement statements[TPCB_STATEMENTS] = {
    [TPCB_S_BEGIN] = {"begin", OP_BEGIN, 0},
    [TPCB_S_COMMIT] = {"commit", OP_COMMIT, 0},
    [TPCB_S_ROLLBACK] = {"rollback", OP_ROLLBACK, 0},
    [TPCB_S_ACCOUNT_ADD] = {"account_add", OP_UPDATE, ACCOUNTS},
    [TPCB_S_ACCOUNT] = {"account", OP_SELECT, ACCOUNTS},
    [TPCB_S_TELLER_ADD] = {"teller_add", OP_UPDATE, TELLERS},
    [TPCB_S_BRANCH_ADD] = {"branch_add", OP_UPDATE, BRANCHES},
    [TPCB_S_HISTORY] = {"insert_history", OP_INSERT, HISTORY},
};

static const struct catalog_kind kinds[TPCB_MIXES] = {
    {.name = "tpcb_like"},
    {.name = "simple_update"},
    {.name = "select_only"},
};

static const struct catalog catalog = {
    .name = "tpcb",
    .tables = tables,
    .statements = statements,
    .kinds = kinds,
    .table_count = TABLES,
    .statement_count = TPCB_STATEMENTS,
    .kind_count = TPCB_MIXES,
};

static const uint16_t tpcb_like[] = {TPCB_S_BEGIN,      TPCB_S_ACCOUNT_ADD, TPCB_S_ACCOUNT,
                                     TPCB_S_TELLER_ADD, TPCB_S_BRANCH_ADD,  TPCB_S_HISTORY,
                                     TPCB_S_COMMIT};
static const uint16_t simple_update[] = {TPCB_S_BEGIN, TPCB_S_ACCOUNT_ADD, TPCB_S_ACCOUNT,
                                         TPCB_S_HISTORY, TPCB_S_COMMIT};
static const uint16_t select_only[] = {TPCB_S_ACCOUNT};

static const struct {
    const uint16_t *statements;
    uint32_t count;
} mixes[TPCB_MIXES] = {
    {tpcb_like, sizeof(tpcb_like) / sizeof(*tpcb_like)},
    {simple_update, sizeof(simple_update) / sizeof(*simple_update)},
    {select_only, 1},
};

struct tpcb {
    struct workload workload;
    struct tpcb_settings settings;
    struct catalog catalog;
    struct catalog_kind kind;
};

struct transfer {
    int64_t aid, bid, tid, delta;
};
_Static_assert(sizeof(struct transfer) <= TXN_STATE_BYTES, "a transfer fits a transaction");

static struct tpcb *tpcb_of(const struct workload *workload)
{
    return (struct tpcb *)((char *)(uintptr_t)workload - offsetof(struct tpcb, workload));
}

static const struct catalog *catalog_of(const struct workload *workload)
{
    return &tpcb_of(workload)->catalog;
}

static void choose(struct workload *workload, uint32_t user, struct user_deck *deck,
                   struct rng *rng, struct txn *txn, struct pause *pause)
{
    struct transfer *transfer = (struct transfer *)&txn->state;
    int64_t scale = tpcb_of(workload)->settings.scale;

    txn->kind = 0;
    txn->step = 0;
    txn->rolled_back = 0;
    transfer->aid = rng_between(rng, 1, TPCB_ACCOUNTS * scale);
    transfer->bid = rng_between(rng, 1, scale);
    transfer->tid = rng_between(rng, 1, TPCB_TELLERS * scale);
    transfer->delta = rng_between(rng, -DELTA_LIMIT, DELTA_LIMIT);
    *pause = (struct pause){0};
}

static bool ask(struct op *op, uint16_t statement, int64_t k0, int64_t k1, int64_t k2, int64_t k3)
{
    return ask_keys(op, statements[statement].verb, statement, k0, k1, k2, k3, 0, 0, 0, 0);
}

static bool next(struct workload *workload, struct txn *txn, struct op *op)
{
    const struct transfer *it = (const struct transfer *)&txn->state;
    enum tpcb_mix mix = tpcb_of(workload)->settings.mix;
    uint16_t statement;

    if (txn->step >= mixes[mix].count) {
        return false;
    }
    statement = mixes[mix].statements[txn->step++];
    switch (statement) {
    case TPCB_S_ACCOUNT_ADD:
        return ask(op, statement, it->aid, it->delta, 0, 0);
    case TPCB_S_ACCOUNT:
        return ask(op, statement, it->aid, 0, 0, 0);
    case TPCB_S_TELLER_ADD:
        return ask(op, statement, it->tid, it->delta, 0, 0);
    case TPCB_S_BRANCH_ADD:
        return ask(op, statement, it->bid, it->delta, 0, 0);
    case TPCB_S_HISTORY:
        return ask(op, statement, it->tid, it->bid, it->aid, it->delta);
    default:
        return ask(op, statement, 0, 0, 0, 0);
    }
}

static void restart(struct workload *workload, struct txn *txn)
{
    txn->step = 0;
}

static void ended(struct workload *workload, const struct txn *txn, bool rolled_back)
{
}

static void tpcb_free(struct workload *workload)
{
    mem_free(tpcb_of(workload));
}

static const struct workload_ops tpcb_ops = {
    .catalog = catalog_of,
    .choose = choose,
    .next = next,
    .restart = restart,
    .ended = ended,
    .free = tpcb_free,
};

const struct catalog *tpcb_catalog(void)
{
    return &catalog;
}

struct workload *tpcb_open(const struct tpcb_settings *settings, struct error *err)
{
    struct tpcb *tpcb;

    if ((uint32_t)settings->mix >= TPCB_MIXES || settings->scale == 0 || settings->clients == 0) {
        error_set(err, EXIT_USAGE, -EINVAL,
                  "tpcb needs a mix, and a scale and a client of 1 or "
                  "more");
        return NULL;
    }
    tpcb = mem_zalloc(sizeof(*tpcb));
    if (!tpcb) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a workload");
        return NULL;
    }
    tpcb->workload.ops = &tpcb_ops;
    tpcb->settings = *settings;
    tpcb->kind = kinds[settings->mix];
    tpcb->kind.share = 1;
    tpcb->catalog = catalog;
    tpcb->catalog.kinds = &tpcb->kind;
    tpcb->catalog.kind_count = 1;
    return &tpcb->workload;
}

static const struct sql_draft drafts[TPCB_STATEMENTS] = {
    [TPCB_S_BEGIN] = {.text = {"BEGIN"}, .keys = "", .columns = "", .utility = true},
    [TPCB_S_COMMIT] =
        {.text = {"COMMIT"}, .keys = "", .columns = "", .needed = true, .utility = true},
    [TPCB_S_ROLLBACK] =
        {.text = {"ROLLBACK"}, .keys = "", .columns = "", .needed = true, .utility = true},
    [TPCB_S_ACCOUNT_ADD] =
        {.text = {"UPDATE pgbench_accounts SET abalance = abalance + ? WHERE aid = ?"},
         .keys = "10",
         .columns = ""},
    [TPCB_S_ACCOUNT] = {.text = {"SELECT abalance FROM pgbench_accounts WHERE aid = ?"},
                        .keys = "0",
                        .columns = "a"},
    [TPCB_S_TELLER_ADD] =
        {.text = {"UPDATE pgbench_tellers SET tbalance = tbalance + ? WHERE tid = ?"},
         .keys = "10",
         .columns = ""},
    [TPCB_S_BRANCH_ADD] =
        {.text = {"UPDATE pgbench_branches SET bbalance = bbalance + ? WHERE bid = ?"},
         .keys = "10",
         .columns = ""},
    [TPCB_S_HISTORY] = {.text = {"INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) "
                                 "VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP)"},
                        .keys = "0123",
                        .columns = ""},
};

static uint32_t text_of(const struct sql_texts *texts, const struct op *op)
{
    return texts->first[op->statement];
}

void tpcb_sql_build(struct sql_texts *texts)
{
    texts->of = text_of;
    for (uint32_t i = 0; i < TPCB_STATEMENTS; i++) {
        sql_texts_add(texts, i, &drafts[i], 0);
    }
}
