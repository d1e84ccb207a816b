/* workload/tpcc: TPC-C's users, transactions and data, from the specification (revision 5.11). */
#ifndef RAWTPS_WORKLOAD_TPCC_H
#define RAWTPS_WORKLOAD_TPCC_H

#include "base/dist.h"
#include "workload/workload.h"

enum tpcc_kind {
    TPCC_NEW_ORDER,
    TPCC_PAYMENT,
    TPCC_ORDER_STATUS,
    TPCC_DELIVERY,
    TPCC_STOCK_LEVEL,
    TPCC_KINDS
};

enum tpcc_table {
    TPCC_WAREHOUSE,
    TPCC_DISTRICT,
    TPCC_CUSTOMER,
    TPCC_HISTORY,
    TPCC_ORDERS,
    TPCC_NEW_ORDERS,
    TPCC_ORDER_LINE,
    TPCC_STOCK,
    TPCC_ITEM,
    TPCC_TABLES
};

enum {
    TPCC_DISTRICTS = 10,
    TPCC_CUSTOMERS = 3000,
    TPCC_ITEMS = 100000,
    TPCC_LOADED_ORDERS = 3000,
    TPCC_LOADED_NEW_ORDERS = 900,
    TPCC_NAMES = 1000,
    TPCC_MAX_LINES = 15
};

/*
 * Statements: key in, answer out, in the order in which they are asked. w, d, c, o and i count
 * from 1. A customer is named by number or, in *_BY_NAME, by last-name number 0..999. Keys that a
 * statement has not are 0.
 */
enum tpcc_statement {
    TPCC_S_BEGIN, /* key: kind; key[7]: where its struct txn lies, for tpcc_foresee() */
    TPCC_S_COMMIT,
    TPCC_S_ROLLBACK,
    /* New-Order */
    TPCC_S_NO_WAREHOUSE,    /* w -> w_tax (1/10,000) */
    TPCC_S_NO_CUSTOMER,     /* w d c -> c_discount (1/10,000) */
    TPCC_S_NO_DISTRICT,     /* w d, FOR UPDATE -> d_next_o_id, d_tax */
    TPCC_S_NO_DISTRICT_SET, /* w d o+1 */
    TPCC_S_NO_ORDER,        /* insert w d o c ol_cnt all_local */
    TPCC_S_NO_NEW_ORDER,    /* insert w d o */
    TPCC_S_NO_ITEM,         /* i (0: the unused item) -> i_price cents; rows 0 if there is none */
    TPCC_S_NO_STOCK,        /* supply_w i d, FOR UPDATE -> s_quantity */
    TPCC_S_NO_STOCK_SET,    /* supply_w i new_quantity ol_quantity remote */
    TPCC_S_NO_LINE,         /* insert w d o number i supply_w quantity amount_cents */
    /* Payment */
    TPCC_S_PAY_WAREHOUSE_ADD, /* w h_amount cents */
    TPCC_S_PAY_WAREHOUSE,     /* w */
    TPCC_S_PAY_DISTRICT_ADD,  /* w d h_amount */
    TPCC_S_PAY_DISTRICT,      /* w d */
    TPCC_S_PAY_BY_NAME,       /* c_w c_d name -> c (the middle row); rows: how many matched */
    TPCC_S_PAY_CUSTOMER,      /* c_w c_d c, FOR UPDATE -> 1 if the credit is bad */
    TPCC_S_PAY_CUSTOMER_ADD,  /* c_w c_d c h_amount w d bad_credit */
    TPCC_S_PAY_HISTORY,       /* insert c_w c_d c w d h_amount */
    /* Order-Status */
    TPCC_S_OS_BY_NAME,    /* w d name -> c; rows: how many matched */
    TPCC_S_OS_CUSTOMER,   /* w d c */
    TPCC_S_OS_LAST_ORDER, /* w d c -> o, ol_cnt; rows 0 if he has none */
    TPCC_S_OS_LINES,      /* w d o */
    /* Delivery, for each district */
    TPCC_S_DEL_OLDEST,   /* w d, FOR UPDATE -> o; rows 0: none, skip the district */
    TPCC_S_DEL_REMOVE,   /* delete w d o */
    TPCC_S_DEL_ORDER,    /* w d o -> o_c_id, ol_cnt */
    TPCC_S_DEL_CARRIER,  /* update w d o carrier */
    TPCC_S_DEL_LINES,    /* update w d o: delivery date of all its lines */
    TPCC_S_DEL_SUM,      /* w d o -> sum of ol_amount, cents */
    TPCC_S_DEL_CUSTOMER, /* update w d c sum */
    /* Stock-Level */
    TPCC_S_SL_DISTRICT, /* w d -> d_next_o_id */
    TPCC_S_SL_COUNT,    /* w d next threshold -> the count */
    /* Whole transactions as stored procedures; rows 0: rolled back by its own rules */
    TPCC_S_CALL_NEW_ORDER,    /* w d c ol_cnt all_local; key[7]: where its struct txn lies */
    TPCC_S_CALL_PAYMENT,      /* w d c_w c_d c name h_amount; c 0: by name */
    TPCC_S_CALL_ORDER_STATUS, /* w d c name -> the lines of his last order */
    TPCC_S_CALL_DELIVERY,     /* w carrier -> bit d for each district without an order */
    TPCC_S_CALL_STOCK_LEVEL,  /* w d threshold -> the count */
    TPCC_STATEMENTS
};

struct tpcc_settings {
    uint32_t warehouses, users; /* fewer than 10 a warehouse stand in all of them */
    bool deck;                  /* deck of 23 a user, else independent weights */
    double weights[TPCC_KINDS]; /* sum 1; used if !deck */
    double wait_factor;         /* waits of clause 5.2.5 times this: 1 the standard's, 0 none */
    uint64_t seed;              /* draws the three C constants of the run and of the load */
    bool nurand_per_call;       /* sysbench-tpcc's deviation: C drawn at every call */
    bool local_only;            /* no remote warehouses (same deviation) */
    bool delivery_per_district; /* ten commits instead of one */
    bool c_load_known; /* the database says its C of last names: that of the run keeps apart */
    uint32_t c_load;
    bool c_run_known;  /* the run's three are these, in the order of struct tpcc_constants */
    uint32_t c_run[3]; /* below 256, 1024 and 8192 */
    bool procedures;   /* ask for TPCC_S_CALL_* alone, which a model cannot answer */
    bool deferred;     /* Delivery answers "queued" and is carried out by a worker (2.7.2) */
};

/*
 * Mean cycle without response time at wait factor 1, in ns: 20.99 s weights, 20.696 s deck, less
 * the 0.5 ms that think times lose by being cut at ten means.
 */
double tpcc_mean_cycle_ns(const struct tpcc_settings *settings);
/* The wait factor that gives a mean cycle; for `cycle: 4.743s`. */
double tpcc_wait_factor(const struct tpcc_settings *settings, int64_t cycle_ns);

/*
 * Users of a warehouse are 10u to 10u + 9; more users than that begin again at warehouse 1. NULL if
 * a setting is out of range or weights do not sum to 1. catalog() of what is returned holds the
 * shares of these settings; tpcc_catalog() has none.
 */
struct workload *tpcc_open(const struct tpcc_settings *settings, struct error *err);
const struct catalog *tpcc_catalog(void);

/*
 * The rows that a New-Order or Payment will ask for, whatever is answered: for a target that can
 * fetch ahead. c, name: 0 if it is not asked for so; w, d: the customer's. Of another kind: w 0.
 */
struct tpcc_foresight {
    uint32_t w, d, c, name;
    bool by_name;
    uint32_t line_count;
    uint32_t supply[TPCC_MAX_LINES], item[TPCC_MAX_LINES]; /* item 0: the unused one */
};
void tpcc_foresee(const struct txn *txn, struct tpcc_foresight *ret);

/* The C constants of NURand: of the load and of the run (clause 2.1.6.1 holds between them). */
struct tpcc_constants {
    uint32_t c_last_load, c_last, c_id, i_id;
};
void tpcc_constants(uint64_t seed, struct tpcc_constants *ret);
/* As tpcc_constants(), but the load's C of last names is c_load, whatever seed it was drawn from.
 */
void tpcc_constants_beside(uint64_t seed, uint32_t c_load, struct tpcc_constants *ret);

/*
 * Population (clause 4.3.3.1) as a function of (seed, key), so that a loader, a model and a check
 * agree. Each O(1); a pair of tpcc_loaded_*_of_* is each other's inverse.
 */
uint32_t tpcc_loaded_name(uint64_t seed, uint32_t c_last_load, uint32_t w, uint32_t d, uint32_t c);
uint32_t tpcc_loaded_customer_of_order(uint64_t seed, uint32_t w, uint32_t d, uint32_t o);
uint32_t tpcc_loaded_order_of_customer(uint64_t seed, uint32_t w, uint32_t d, uint32_t c);
uint32_t tpcc_loaded_line_count(uint64_t seed, uint32_t w, uint32_t d, uint32_t o); /* 5..15 */
bool tpcc_loaded_bad_credit(uint64_t seed, uint32_t w, uint32_t d, uint32_t c);
uint32_t tpcc_item_price_cents(uint64_t seed, uint32_t i);
uint32_t tpcc_loaded_stock(uint64_t seed, uint32_t w, uint32_t i); /* s_quantity 10..100 */

#endif
