/* workload/tpcc_txn: what the five transactions of TPC-C share. */
#ifndef RAWTPS_WORKLOAD_TPCC_TXN_H
#define RAWTPS_WORKLOAD_TPCC_TXN_H

#include "ask.h"
#include "workload/tpcc.h"

/*
 * What the random numbers came to. Input is counted when it is drawn, so that a transaction still
 * under way at the end (the long ones more often) does not bend the shares; outcomes when it ended.
 */
struct tpcc_counts {
    uint64_t chosen[TPCC_KINDS];
    uint64_t orders_of[TPCC_MAX_LINES + 1]; /* New-Orders by their number of lines */
    uint64_t remote_lines;
    uint64_t remote_payments, payments_by_name, order_statuses_by_name;
    uint64_t ended_new_orders, rolled_back;
    uint64_t ended_deliveries, skipping_deliveries;
};

struct tpcc {
    struct workload workload;
    struct tpcc_settings settings;
    struct tpcc_constants constants;
    struct catalog catalog;
    struct catalog_kind kinds[TPCC_KINDS]; /* with the shares of these settings */
    uint64_t weight_limits[TPCC_KINDS];    /* cumulative, of 2^53 */
    int64_t keying_ns[TPCC_KINDS];
    double think_mean_ns[TPCC_KINDS];
    struct tpcc_counts counts;
};

extern const struct catalog_statement tpcc_statements[TPCC_STATEMENTS];
extern const struct catalog_kind tpcc_kinds[TPCC_KINDS];

/* Clauses 5.2.5.4 and 5.2.5.7: seconds at wait factor 1. */
struct tpcc_waits {
    uint32_t keying_s, think_mean_s;
};
extern const struct tpcc_waits tpcc_waits[TPCC_KINDS];
/* Cards of each kind in a deck: 23 in all (clause 5.2.4.2). */
extern const uint8_t tpcc_deck[TPCC_KINDS];

enum { TPCC_OVER = UINT16_MAX }; /* a step after which there is none */

/*
 * The transactions as they lie in struct txn: input first, then what answers have told. Home
 * warehouse w; all count from 1, names from 0.
 */
struct new_order {
    uint64_t lines[TPCC_MAX_LINES]; /* new_order_line(), in the order of asking */
    uint32_t w, o, price_cents;
    uint16_t c;
    uint8_t d, line_count, all_local;
};

struct payment {
    uint32_t w, c_w, amount_cents;
    uint16_t c, name;
    uint8_t d, c_d;
    bool by_name, bad_credit;
};

struct order_status {
    uint32_t w, o;
    uint16_t c, name;
    uint8_t d;
    bool by_name;
};

struct delivery {
    uint32_t w, o;
    uint16_t c, skipped; /* skipped: bit d for district d */
    uint8_t d, carrier;
    bool per_district;
};

struct stock_level {
    uint32_t w, next_o;
    uint8_t d, threshold;
};

_Static_assert(sizeof(struct new_order) <= TXN_STATE_BYTES, "a New-Order fits a transaction");

/* Draw the input of a transaction of a user of warehouse w. */
void new_order_choose(struct tpcc *tpcc, uint32_t w, struct rng *rng, struct txn *txn);
void payment_choose(struct tpcc *tpcc, uint32_t w, struct rng *rng, struct txn *txn);
void order_status_choose(struct tpcc *tpcc, uint32_t w, struct rng *rng, struct txn *txn);
void delivery_choose(struct tpcc *tpcc, uint32_t w, struct rng *rng, struct txn *txn);
void stock_level_choose(uint32_t w, uint32_t d, struct rng *rng, struct txn *txn);

void new_order_foresee(const struct txn *txn, struct tpcc_foresight *ret);
void payment_foresee(const struct txn *txn, struct tpcc_foresight *ret);

/* workload_ops.next of each kind. */
bool new_order_next(struct txn *txn, struct op *op);
bool payment_next(struct txn *txn, struct op *op);
bool order_status_next(struct txn *txn, struct op *op);
bool delivery_next(struct txn *txn, struct op *op);
bool stock_level_next(struct txn *txn, struct op *op);

/* All kinds at once, where a transaction is one call of a stored procedure (tpcc_call.c). */
bool tpcc_call_next(struct txn *txn, struct op *op);

/* Back to the first district, or, with a commit a district, to the one that is not committed. */
void delivery_restart(struct txn *txn);

/* workload_ops.audit (tpcc_audit.c). */
uint32_t tpcc_audit(const struct workload *workload, struct workload_check *ret, uint32_t limit);

/* NURand with the run's C, or, with nurand_per_call, one drawn for this call. */
static inline uint32_t tpcc_nurand(const struct tpcc *tpcc, struct rng *rng, uint32_t a, uint32_t x,
                                   uint32_t y, uint32_t c)
{
    if (tpcc->settings.nurand_per_call) {
        c = (uint32_t)rng_below(rng, (uint64_t)a + 1);
    }
    return (uint32_t)dist_nurand(rng, a, x, y, c);
}

static inline uint16_t tpcc_draw_customer(const struct tpcc *tpcc, struct rng *rng)
{
    return (uint16_t)tpcc_nurand(tpcc, rng, 1023, 1, TPCC_CUSTOMERS, tpcc->constants.c_id);
}

static inline uint16_t tpcc_draw_name(const struct tpcc *tpcc, struct rng *rng)
{
    return (uint16_t)tpcc_nurand(tpcc, rng, 255, 0, TPCC_NAMES - 1, tpcc->constants.c_last);
}

static inline uint32_t tpcc_draw_item(const struct tpcc *tpcc, struct rng *rng)
{
    return tpcc_nurand(tpcc, rng, 8191, 1, TPCC_ITEMS, tpcc->constants.i_id);
}

/* Uniform over the warehouses other than home; home if there is no other, or none is wanted. */
static inline uint32_t tpcc_draw_other(const struct tpcc *tpcc, struct rng *rng, uint32_t home)
{
    uint32_t w, count = tpcc->settings.warehouses;

    if (count == 1 || tpcc->settings.local_only) {
        return home;
    }
    w = 1 + (uint32_t)rng_below(rng, count - 1);
    return w >= home ? w + 1 : w;
}

static inline uint8_t tpcc_draw_small(struct rng *rng, uint32_t x, uint32_t y)
{
    return (uint8_t)(x + rng_below(rng, y - x + 1));
}

/* Ask a statement of TPC-C by its number of keys. Always true. */
static inline bool tpcc_ask8(struct op *op, enum tpcc_statement statement, int64_t k0, int64_t k1,
                             int64_t k2, int64_t k3, int64_t k4, int64_t k5, int64_t k6, int64_t k7)
{
    return ask_keys(op, tpcc_statements[statement].verb, (uint16_t)statement, k0, k1, k2, k3, k4,
                    k5, k6, k7);
}

static inline bool tpcc_ask6(struct op *op, enum tpcc_statement statement, int64_t k0, int64_t k1,
                             int64_t k2, int64_t k3, int64_t k4, int64_t k5)
{
    return tpcc_ask8(op, statement, k0, k1, k2, k3, k4, k5, 0, 0);
}

static inline bool tpcc_ask4(struct op *op, enum tpcc_statement statement, int64_t k0, int64_t k1,
                             int64_t k2, int64_t k3)
{
    return tpcc_ask8(op, statement, k0, k1, k2, k3, 0, 0, 0, 0);
}

static inline bool tpcc_ask3(struct op *op, enum tpcc_statement statement, int64_t k0, int64_t k1,
                             int64_t k2)
{
    return tpcc_ask8(op, statement, k0, k1, k2, 0, 0, 0, 0, 0);
}

static inline bool tpcc_ask2(struct op *op, enum tpcc_statement statement, int64_t k0, int64_t k1)
{
    return tpcc_ask8(op, statement, k0, k1, 0, 0, 0, 0, 0, 0);
}

static inline bool tpcc_ask1(struct op *op, enum tpcc_statement statement, int64_t k0)
{
    return tpcc_ask8(op, statement, k0, 0, 0, 0, 0, 0, 0, 0);
}

/* The last question of a transaction: COMMIT, or ROLLBACK by its own rules. */
static inline bool tpcc_commit(struct txn *txn, struct op *op)
{
    txn->step = TPCC_OVER;
    return tpcc_ask1(op, TPCC_S_COMMIT, 0);
}

static inline bool tpcc_roll_back(struct txn *txn, struct op *op)
{
    txn->step = TPCC_OVER;
    txn->rolled_back = 1;
    return tpcc_ask1(op, TPCC_S_ROLLBACK, 0);
}

/* BEGIN of a transaction that can be foreseen. Always true. */
static inline bool tpcc_begin(const struct txn *txn, struct op *op, enum tpcc_kind kind)
{
    return tpcc_ask8(op, TPCC_S_BEGIN, kind, 0, 0, 0, 0, 0, 0, (int64_t)(intptr_t)txn);
}

#endif
