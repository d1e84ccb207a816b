/* target/model_profile: what differs between the databases: defaults, log records, CPU. */
#ifndef RAWTPS_TARGET_MODEL_PROFILE_H
#define RAWTPS_TARGET_MODEL_PROFILE_H

#include "target/model.h"

/* Bytes of log that statements write, MODEL.md 6.1. Of the profile; index: statement. */
const uint16_t *profile_tpcc_log(enum model_profile_kind profile);
const uint16_t *profile_sysbench_log(enum model_profile_kind profile);

enum { PROFILE_STATEMENTS = 40 };
_Static_assert((int)TPCC_STATEMENTS <= (int)PROFILE_STATEMENTS, "statements of TPC-C fit");
_Static_assert((int)SYSBENCH_STATEMENTS <= (int)PROFILE_STATEMENTS, "statements of Sysbench fit");

struct profile_log {
    uint16_t commit, leaf_insert, split, merge, lock, pending, bad_credit, update_moved;
};
const struct profile_log *profile_log(enum model_profile_kind profile);

/*
 * Mean CPU of each statement in ns. With cpu_statement_ns every statement costs that. With
 * cpu_txn_ns a statement costs its share of the mean transaction of the mix: one part each, but 20
 * for Stock-Level's count and 2 for Order-Status's lines, which read as many rows; so the mean over
 * the mix is cpu_txn_ns.
 */
void profile_cpu(const struct model_settings *settings, uint32_t ret_ns[PROFILE_STATEMENTS]);

#endif
