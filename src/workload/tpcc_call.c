#include "tpcc_txn.h"

#include <stdint.h>

/* A Delivery tells the districts that had no order, a call that found nothing was rolled back. */
static bool call_over(struct txn *txn, const struct op *op)
{
    txn->step = TPCC_OVER;
    txn->rolled_back = op->rows == 0;
    if (txn->kind == TPCC_DELIVERY) {
        ((struct delivery *)&txn->state)->skipped = (uint16_t)op->answer[0];
    }
    return false;
}

bool tpcc_call_next(struct txn *txn, struct op *op)
{
    const struct new_order *order = (const struct new_order *)&txn->state;
    const struct payment *pay = (const struct payment *)&txn->state;
    const struct order_status *status = (const struct order_status *)&txn->state;
    const struct delivery *delivery = (const struct delivery *)&txn->state;
    const struct stock_level *level = (const struct stock_level *)&txn->state;

    if (txn->step++ > 0) {
        return call_over(txn, op);
    }
    op->answer[0] = 0;
    switch (txn->kind) {
    case TPCC_NEW_ORDER:
        return tpcc_ask8(op, TPCC_S_CALL_NEW_ORDER, order->w, order->d, order->c, order->line_count,
                         order->all_local, 0, 0, (int64_t)(intptr_t)txn);
    case TPCC_PAYMENT:
        return tpcc_ask8(op, TPCC_S_CALL_PAYMENT, pay->w, pay->d, pay->c_w, pay->c_d,
                         pay->by_name ? 0 : pay->c, pay->name, pay->amount_cents, 0);
    case TPCC_ORDER_STATUS:
        return tpcc_ask4(op, TPCC_S_CALL_ORDER_STATUS, status->w, status->d,
                         status->by_name ? 0 : status->c, status->name);
    case TPCC_DELIVERY:
        return tpcc_ask2(op, TPCC_S_CALL_DELIVERY, delivery->w, delivery->carrier);
    default:
        return tpcc_ask3(op, TPCC_S_CALL_STOCK_LEVEL, level->w, level->d, level->threshold);
    }
}
