#include "tpcc_txn.h"

_Static_assert(sizeof(struct payment) <= TXN_STATE_BYTES, "a Payment fits a transaction");

static struct payment *payment_of(struct txn *txn)
{
    return (struct payment *)&txn->state;
}

/* Clause 2.5.1. */
void payment_choose(struct tpcc *tpcc, uint32_t w, struct rng *rng, struct txn *txn)
{
    struct payment *pay = payment_of(txn);

    *pay = (struct payment){.w = w, .c_w = w};
    pay->d = pay->c_d = tpcc_draw_small(rng, 1, TPCC_DISTRICTS);
    pay->amount_cents = 100 + (uint32_t)rng_below(rng, 499901); /* 1.00 to 5,000.00 */
    if (1 + rng_below(rng, 100) > 85 && !tpcc->settings.local_only) {
        pay->c_w = tpcc_draw_other(tpcc, rng, w);
        pay->c_d = tpcc_draw_small(rng, 1, TPCC_DISTRICTS);
    }
    pay->by_name = 1 + rng_below(rng, 100) <= 60;
    if (pay->by_name) {
        pay->name = tpcc_draw_name(tpcc, rng);
    } else {
        pay->c = tpcc_draw_customer(tpcc, rng);
    }
    tpcc->counts.remote_payments += pay->c_w != w;
    tpcc->counts.payments_by_name += pay->by_name;
}

static bool ask_customer(struct payment *pay, struct txn *txn, struct op *op)
{
    if (pay->by_name) {
        if (op->rows == 0) {
            return tpcc_roll_back(txn, op);
        }
        pay->c = (uint16_t)op->answer[0];
    }
    return tpcc_ask3(op, TPCC_S_PAY_CUSTOMER, pay->c_w, pay->c_d, pay->c);
}

void payment_foresee(const struct txn *txn, struct tpcc_foresight *ret)
{
    const struct payment *pay = (const struct payment *)&txn->state;

    ret->w = pay->c_w;
    ret->d = pay->c_d;
    ret->by_name = pay->by_name;
    ret->c = pay->by_name ? 0 : pay->c;
    ret->name = pay->name;
}

bool payment_next(struct txn *txn, struct op *op)
{
    struct payment *pay = payment_of(txn);

    switch (txn->step++) {
    case 0:
        return tpcc_begin(txn, op, TPCC_PAYMENT);
    case 1:
        return tpcc_ask2(op, TPCC_S_PAY_WAREHOUSE_ADD, pay->w, pay->amount_cents);
    case 2:
        return tpcc_ask1(op, TPCC_S_PAY_WAREHOUSE, pay->w);
    case 3:
        return tpcc_ask3(op, TPCC_S_PAY_DISTRICT_ADD, pay->w, pay->d, pay->amount_cents);
    case 4:
        txn->step += !pay->by_name;
        return tpcc_ask2(op, TPCC_S_PAY_DISTRICT, pay->w, pay->d);
    case 5:
        return tpcc_ask3(op, TPCC_S_PAY_BY_NAME, pay->c_w, pay->c_d, pay->name);
    case 6:
        return ask_customer(pay, txn, op);
    case 7:
        pay->bad_credit = op->answer[0] != 0;
        return tpcc_ask8(op, TPCC_S_PAY_CUSTOMER_ADD, pay->c_w, pay->c_d, pay->c, pay->amount_cents,
                         pay->w, pay->d, pay->bad_credit, 0);
    case 8:
        return tpcc_ask6(op, TPCC_S_PAY_HISTORY, pay->c_w, pay->c_d, pay->c, pay->w, pay->d,
                         pay->amount_cents);
    default:
        return tpcc_commit(txn, op);
    }
}
