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

void record_txn_unended(struct kind_record *kind, enum txn_end end, int64_t response_ns);
void record_io_size(struct io_record *rec, uint32_t bytes, uint64_t count);

/* The two never overlap: added in pairs. */
static inline void record_spent(int64_t *restrict into, const int64_t *restrict from)
{
#pragma GCC unroll 6
    for (uint32_t i = 0; i < SPENT_KINDS; i++) {
        into[i] += from[i];
    }
}

/* Count a transaction; about 100 instructions, as all requests and transactions go through here. */
static inline void record_txn(struct record *record, const struct txn_record *txn)
{
    struct kind_record *kind = &record->kinds[txn->kind];
    int64_t response_ns = txn->ended_ns - txn->due_ns;

    kind->retries += txn->retries;
    kind->pause_ns += txn->pause_ns;
    record_spent(kind->spent_ns, txn->spent_ns);
    if (__builtin_expect(txn->end > TXN_ROLLED_BACK, 0)) {
        record_txn_unended(kind, txn->end, response_ns);
        return;
    }
    kind->done += txn->end == TXN_DONE;
    kind->rolled_back += txn->end == TXN_ROLLED_BACK;
    hist_record(&kind->response, response_ns);
    hist_record(&kind->service, txn->ended_ns - txn->begun_ns);
}

/* Count a request that has been answered. */
static inline void record_io(struct record *record, const struct io *io)
{
    struct io_record *rec = &record->ios[io->verb * IO_AREAS + io->area];

    rec->count++;
    if (__builtin_expect(io->result < 0, 0)) {
        rec->errors++;
        return;
    }
    rec->bytes += io->bytes;
    hist_record(&rec->latency, io->done_ns - io->sent_ns);
    if (__builtin_expect(rec->sizes[0].bytes == io->bytes && rec->size_count > 0, 1)) {
        rec->sizes[0].count++;
    } else {
        record_io_size(rec, io->bytes, 1);
    }
}

#endif
