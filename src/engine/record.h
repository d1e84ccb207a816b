/* engine/record: what one VM did in one stretch of time. Adds up. */
#ifndef RAWTPS_ENGINE_RECORD_H
#define RAWTPS_ENGINE_RECORD_H

#include "io/drive.h"
#include "stats/hist.h"
#include "target/target.h"
#include "workload/catalog.h"

enum txn_end { TXN_DONE, TXN_ROLLED_BACK, TXN_FAILED, TXN_SKIPPED };

/* One transaction that is over. due <= begun <= ended. */
struct txn_record {
    uint16_t kind, retries;
    enum txn_end end;
    int64_t due_ns, begun_ns, ended_ns;
    int64_t pause_ns; /* keying and think time that belong to it */
    const int64_t *spent_ns;
};

struct kind_record {
    uint64_t due, done, rolled_back, failed, skipped, retries;
    uint64_t open; /* under way at the end of the stretch */
    int64_t pause_ns, spent_ns[SPENT_KINDS];
    struct hist response, service; /* of done and rolled back */
};

enum { RECORD_SIZES = 16 };

struct io_record {
    uint64_t count, bytes, errors;
    uint32_t size_count;
    struct {
        uint32_t bytes;
        uint64_t count;
    } sizes[RECORD_SIZES]; /* the last one counts all other sizes, bytes 0 */
    struct hist latency;
};

enum { RECORD_IOS = IO_VERBS * IO_AREAS };

/* kinds: the workload's kinds, then one for the deferred parts if the workload has any. */
struct record {
    int64_t from_ns, until_ns;
    uint32_t phase; /* index of the plan's phase */
    uint32_t kind_count;
    struct kind_record *kinds;
    struct io_record ios[RECORD_IOS];
    struct target_facts facts; /* cumulative, at its end */
    /* users' time in cycles that no record has yet, at its beginning and its end */
    int64_t cycles_from_ns, cycles_until_ns;
    double fill_share;
    uint64_t waiting; /* open loop: due at its end, and no user was free to begin */
};

int record_init(struct record *record, uint32_t kind_count, struct error *err);
void record_free(struct record *record);
void record_reset(struct record *record);
/* into becomes both stretches: counts add, until, open, cycles and facts are from's. */
void record_add(struct record *into, const struct record *from);

/* into becomes both halves of one stretch: counts, open, cycles and facts add. */
void record_join(struct record *into, const struct record *from);

void record_txn(struct record *record, const struct txn_record *txn);
void record_io(struct record *record, const struct io *io);

#endif
