/* workload/workload: pure. Dice and answers in, questions out; no clock, drive or socket. */
#ifndef RAWTPS_WORKLOAD_WORKLOAD_H
#define RAWTPS_WORKLOAD_WORKLOAD_H

#include "base/error.h"
#include "workload/catalog.h"
#include "workload/op.h"

struct workload;

/* What a user of a workload carries from one transaction to the next. 8 bytes. */
struct user_deck {
    uint8_t left[8]; /* TPC-C deck: cards of each kind left; others: their own */
};

/* How long before and after a transaction its user pauses. */
struct pause {
    int64_t keying_ns; /* before it is due */
    int64_t think_ns;  /* after it has been answered */
};

struct workload_check;

struct workload_ops {
    const struct catalog *(*catalog)(const struct workload *);
    /*
     * Draw user's next transaction whole (its kind and all its input) and its pauses (0 where the
     * workload has none). user counts from 0 within its VM.
     */
    void (*choose)(struct workload *, uint32_t user, struct user_deck *, struct rng *, struct txn *,
                   struct pause *);
    /*
     * The next operation, given the answers to the one before (op as the target left it).
     * False: the transaction is over (after a COMMIT or ROLLBACK was answered, or, without one,
     * after the last operation). May not draw anything that restart() could not repeat.
     */
    bool (*next)(struct workload *, struct txn *, struct op *);
    /* Put txn back to its beginning: the same input is asked again. */
    void (*restart)(struct workload *, struct txn *);
    /* A transaction has ended well: counts for the input audit. */
    void (*ended)(struct workload *, const struct txn *, bool rolled_back);
    /* The input audit so far; fills at most limit rows, returns how many. NULL: has none. */
    uint32_t (*audit)(const struct workload *, struct workload_check *ret, uint32_t limit);
    void (*free)(struct workload *);
};

/* One workload a VM; immutable settings, and counters of the input audit. */
struct workload {
    const struct workload_ops *ops;
};

/* A row of the input audit (TPC-C 5.5.1.5 and the like): what the random numbers came to. */
struct workload_check {
    char name[48];
    double expected_low, expected_high, found; /* shares or means */
    uint64_t samples;
    bool passed;
};
#endif
