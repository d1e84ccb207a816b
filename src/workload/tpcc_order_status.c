#include "tpcc_txn.h"

_Static_assert(sizeof(struct order_status) <= TXN_STATE_BYTES, "it fits a transaction");

static struct order_status *order_status_of(struct txn *txn)
{
    return (struct order_status *)&txn->state;
}

/* Clause 2.6.1. */
void order_status_choose(struct tpcc *tpcc, uint32_t w, struct rng *rng, struct txn *txn)
{
    struct order_status *status = order_status_of(txn);

    *status = (struct order_status){.w = w, .d = tpcc_draw_small(rng, 1, TPCC_DISTRICTS)};
    status->by_name = 1 + rng_below(rng, 100) <= 60;
    if (status->by_name) {
        status->name = tpcc_draw_name(tpcc, rng);
    } else {
        status->c = tpcc_draw_customer(tpcc, rng);
    }
    tpcc->counts.order_statuses_by_name += status->by_name;
}

static bool ask_last_order(struct order_status *status, struct txn *txn, struct op *op)
{
    if (status->by_name) {
        if (op->rows == 0) {
            return tpcc_roll_back(txn, op);
        }
        status->c = (uint16_t)op->answer[0];
    }
    return tpcc_ask3(op, TPCC_S_OS_LAST_ORDER, status->w, status->d, status->c);
}

bool order_status_next(struct txn *txn, struct op *op)
{
    struct order_status *status = order_status_of(txn);

    switch (txn->step++) {
    case 0:
        return tpcc_ask1(op, TPCC_S_BEGIN, TPCC_ORDER_STATUS);
    case 1:
        if (status->by_name) {
            return tpcc_ask3(op, TPCC_S_OS_BY_NAME, status->w, status->d, status->name);
        }
        return tpcc_ask3(op, TPCC_S_OS_CUSTOMER, status->w, status->d, status->c);
    case 2:
        return ask_last_order(status, txn, op);
    case 3:
        if (op->rows == 0) {
            return tpcc_commit(txn, op);
        }
        status->o = (uint32_t)op->answer[0];
        return tpcc_ask3(op, TPCC_S_OS_LINES, status->w, status->d, status->o);
    default:
        return tpcc_commit(txn, op);
    }
}
