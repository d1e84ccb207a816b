/* workload/ask: how a workload fills in a question. */
#ifndef RAWTPS_WORKLOAD_ASK_H
#define RAWTPS_WORKLOAD_ASK_H

#include "workload/op.h"

/* Fills verb, statement and keys; keys that the statement has not are 0. Always true. */
static inline bool ask_keys(struct op *op, uint8_t verb, uint16_t statement, int64_t k0, int64_t k1,
                            int64_t k2, int64_t k3, int64_t k4, int64_t k5, int64_t k6, int64_t k7)
{
    op->verb = verb;
    op->status = OP_OK;
    op->statement = statement;
    op->rows = 0;
    op->key[0] = k0;
    op->key[1] = k1;
    op->key[2] = k2;
    op->key[3] = k3;
    op->key[4] = k4;
    op->key[5] = k5;
    op->key[6] = k6;
    op->key[7] = k7;
    return true;
}

#endif
