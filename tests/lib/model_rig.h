/* tests/lib/model_rig: users of a model target in virtual time, without an engine. */
#ifndef RAWTPS_TESTS_MODEL_RIG_H
#define RAWTPS_TESTS_MODEL_RIG_H

#include "base/rng.h"
#include "io/drive_types.h"
#include "target/model.h"

struct rig_user {
    struct rig *rig;
    struct op op;
    struct txn txn;
    struct rng rng;
    struct user_deck deck;
    struct timer timer;
    int64_t spent_ns[SPENT_KINDS], begun_ns;
    uint32_t id;
    bool in_next;
};

struct rig {
    struct loop loop;
    struct drive *data;
    void *buffers; /* page memory, if the drive holds data */
    struct workload *workload;
    struct target *target;
    struct model_settings settings;
    struct rig_user *users;
    uint32_t user_count;
    int64_t until_ns; /* no transaction begins at or after */
    double think_ns;  /* mean, exponential; 0: none */
    uint64_t done, rolled_back, retried, failed, lost, busy;
    uint64_t by_kind[CATALOG_KINDS];
    double response_ns;
    int64_t spent_ns[SPENT_KINDS];
};

/*
 * latency_ns: of a null drive that takes the place of the data and the log; wrap: may put a wrapper
 * on it (NULL: none). Fails by must().
 */
void rig_open(struct rig *rig, const struct model_settings *settings, int64_t latency_ns,
              struct drive *(*wrap)(struct drive *, void *), void *context);
/* On a simulated drive that holds data, under stamps. */
void rig_open_stamped(struct rig *rig, const struct model_settings *settings);
/* Transactions of the users in turn, without time. */
void rig_warm(struct rig *rig, uint64_t transactions);
/* For so long; then until nothing is under way. */
void rig_run(struct rig *rig, int64_t ns);
/* All of the target's checks; returns how many failed, and names them on stderr. */
uint32_t rig_checks(struct rig *rig);
void rig_close(struct rig *rig);

/* Settings of a small database, without CPU costs. */
void rig_settings(struct model_settings *settings, enum model_profile_kind profile, bool is_tpcc,
                  uint32_t size, uint32_t frames, uint32_t sessions);

#endif
