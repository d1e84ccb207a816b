#include "tpcc_txn.h"

_Static_assert(sizeof(struct delivery) <= TXN_STATE_BYTES, "a Delivery fits a transaction");

/* Steps of a district, in order; COMMITTED only where each district commits by itself. */
enum { BEGIN, OLDEST, REMOVE, ORDER, CARRIER, LINES, SUM, CUSTOMER, DELIVERED, COMMITTED };

static struct delivery *delivery_of(struct txn *txn)
{
    return (struct delivery *)&txn->state;
}

/* Clause 2.7.1. */
void delivery_choose(struct tpcc *tpcc, uint32_t w, struct rng *rng, struct txn *txn)
{
    *delivery_of(txn) = (struct delivery){
        .w = w,
        .d = 1,
        .carrier = tpcc_draw_small(rng, 1, 10),
        .per_district = tpcc->settings.delivery_per_district,
    };
}

void delivery_restart(struct txn *txn)
{
    struct delivery *delivery = delivery_of(txn);

    if (delivery->per_district && delivery->d <= TPCC_DISTRICTS) {
        delivery->skipped &= (uint16_t) ~(1u << delivery->d);
        return;
    }
    delivery->d = 1;
    delivery->skipped = 0;
}

static bool ask_oldest(struct delivery *delivery, struct txn *txn, struct op *op)
{
    txn->step = REMOVE;
    return tpcc_ask2(op, TPCC_S_DEL_OLDEST, delivery->w, delivery->d);
}

static bool end_district(struct delivery *delivery, struct txn *txn, struct op *op)
{
    if (delivery->per_district) {
        txn->step = COMMITTED;
        return tpcc_ask1(op, TPCC_S_COMMIT, 0);
    }
    if (delivery->d == TPCC_DISTRICTS) {
        return tpcc_commit(txn, op);
    }
    delivery->d++;
    return ask_oldest(delivery, txn, op);
}

static bool begin_district(struct delivery *delivery, struct txn *txn, struct op *op)
{
    if (delivery->d > TPCC_DISTRICTS) {
        txn->step = TPCC_OVER;
        return false;
    }
    txn->step = OLDEST;
    return tpcc_ask1(op, TPCC_S_BEGIN, TPCC_DELIVERY);
}

/* Clause 2.7.4.2. */
bool delivery_next(struct txn *txn, struct op *op)
{
    struct delivery *it = delivery_of(txn);

    switch (txn->step++) {
    case BEGIN:
        return begin_district(it, txn, op);
    case OLDEST:
        return ask_oldest(it, txn, op);
    case REMOVE:
        if (op->rows == 0) {
            it->skipped |= (uint16_t)(1u << it->d);
            return end_district(it, txn, op);
        }
        it->o = (uint32_t)op->answer[0];
        return tpcc_ask3(op, TPCC_S_DEL_REMOVE, it->w, it->d, it->o);
    case ORDER:
        return tpcc_ask3(op, TPCC_S_DEL_ORDER, it->w, it->d, it->o);
    case CARRIER:
        it->c = (uint16_t)op->answer[0];
        return tpcc_ask4(op, TPCC_S_DEL_CARRIER, it->w, it->d, it->o, it->carrier);
    case LINES:
        return tpcc_ask3(op, TPCC_S_DEL_LINES, it->w, it->d, it->o);
    case SUM:
        return tpcc_ask3(op, TPCC_S_DEL_SUM, it->w, it->d, it->o);
    case CUSTOMER:
        return tpcc_ask4(op, TPCC_S_DEL_CUSTOMER, it->w, it->d, it->c, op->answer[0]);
    case DELIVERED:
        return end_district(it, txn, op);
    default:
        it->d++;
        return begin_district(it, txn, op);
    }
}
