/* workload/tpcb: pgbench's transactions (tpcb-like, simple-update, select-only), for servers. */
#ifndef RAWTPS_WORKLOAD_TPCB_H
#define RAWTPS_WORKLOAD_TPCB_H

#include "workload/workload.h"

enum tpcb_mix { TPCB_LIKE, TPCB_SIMPLE_UPDATE, TPCB_SELECT_ONLY, TPCB_MIXES };
extern const char *const tpcb_mix_names[TPCB_MIXES]; /* "tpcb_like" "simple_update" ... */

enum { TPCB_ACCOUNTS = 100000, TPCB_TELLERS = 10 }; /* a unit of scale; branches: 1 */

/* Statements: key in, answer out. */
enum tpcb_statement {
    TPCB_S_BEGIN,
    TPCB_S_COMMIT,
    TPCB_S_ROLLBACK,
    TPCB_S_ACCOUNT_ADD, /* aid delta */
    TPCB_S_ACCOUNT,     /* aid -> abalance */
    TPCB_S_TELLER_ADD,  /* tid delta */
    TPCB_S_BRANCH_ADD,  /* bid delta */
    TPCB_S_HISTORY,     /* insert tid bid aid delta */
    TPCB_STATEMENTS
};

struct tpcb_settings {
    enum tpcb_mix mix;
    uint32_t scale, clients;
    uint64_t seed;
};

/*
 * aid, bid and tid uniform and independent over the scale, delta uniform in [-5000, 5000]. One
 * kind of transaction, the mix. NULL if a setting is out of range.
 */
struct workload *tpcb_open(const struct tpcb_settings *settings, struct error *err);
const struct catalog *tpcb_catalog(void);

#endif
