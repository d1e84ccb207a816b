/* lib/workload_fixture: a workload and one user of it, as the tests of workloads ask for it. */
#ifndef RAWTPS_TESTS_WORKLOAD_FIXTURE_H
#define RAWTPS_TESTS_WORKLOAD_FIXTURE_H

#include "stub_rows.h"
#include "workload/workload.h"

struct fixture {
    struct workload *workload;
    struct rng rng;
    struct user_deck deck;
    struct txn txn;
    struct pause pause;
    struct stub_txn asked;
};

/* Takes the workload (NULL fails the test); its user draws from seed 42. */
struct fixture *fixture_of(struct workload *workload);
void fixture_close(struct fixture *fix);

/* Draw the user's next transaction. */
void fixture_choose(struct fixture *fix, uint32_t user);

#endif
