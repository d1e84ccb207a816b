#include "tpcc_txn.h"

_Static_assert(sizeof(struct stock_level) <= TXN_STATE_BYTES, "a Stock-Level fits a transaction");

static struct stock_level *stock_level_of(struct txn *txn)
{
    return (struct stock_level *)&txn->state;
}

/* Clause 2.8.1: the district is the terminal's own. */
void stock_level_choose(uint32_t w, uint32_t d, struct rng *rng, struct txn *txn)
{
    *stock_level_of(txn) = (struct stock_level){
        .w = w,
        .d = (uint8_t)d,
        .threshold = tpcc_draw_small(rng, 10, 20),
    };
}

bool stock_level_next(struct txn *txn, struct op *op)
{
    struct stock_level *level = stock_level_of(txn);

    switch (txn->step++) {
    case 0:
        return tpcc_ask1(op, TPCC_S_BEGIN, TPCC_STOCK_LEVEL);
    case 1:
        return tpcc_ask2(op, TPCC_S_SL_DISTRICT, level->w, level->d);
    case 2:
        level->next_o = (uint32_t)op->answer[0];
        return tpcc_ask4(op, TPCC_S_SL_COUNT, level->w, level->d, level->next_o, level->threshold);
    default:
        return tpcc_commit(txn, op);
    }
}
