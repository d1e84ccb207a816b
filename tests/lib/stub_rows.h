/* lib/stub_rows: a database for workloads under test: answers at once, from the loaded rows. */
#ifndef RAWTPS_LIB_STUB_ROWS_H
#define RAWTPS_LIB_STUB_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/workload.h"

enum { STUB_SEED = 7, STUB_OPS = 256 };

/* Answer a statement of TPC-C as a freshly loaded database would; equal keys, equal answers. */
void stub_answer_tpcc(struct op *op);

/* A transaction as it was asked: its statements, in order. */
struct stub_txn {
    struct op ops[STUB_OPS];
    uint32_t count;
};

/* Ask txn to its end; tpcc: answer as TPC-C. ret may be NULL. Returns how many were asked. */
uint32_t stub_run(struct workload *workload, struct txn *txn, bool tpcc, struct stub_txn *ret);

/* Fold what was asked, not what was answered, into a digest (FNV-1a, 64 bits a step). */
uint64_t stub_digest(uint64_t digest, const struct op *op);

/* Pearson's sum over classes of expected shares; df = classes - 1. */
double stub_chi_square(const uint64_t *found, const double *shares, uint32_t classes, uint64_t n);
/* What it exceeds once in 10,000 tests (Wilson and Hilferty 1931). */
double stub_chi_square_limit(uint32_t classes);

#endif
