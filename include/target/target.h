/* target/target: who carries operations out: a model of a database, a bare drive, a server. */
#ifndef RAWTPS_TARGET_TARGET_H
#define RAWTPS_TARGET_TARGET_H

#include "base/error.h"
#include "io/drive.h"
#include "workload/op.h"
#include "workload/workload.h"

struct target;

/* What a target knows of itself since it was opened: cumulative, so that intervals subtract. */
struct target_facts {
    uint64_t page_accesses, page_hits, page_reads, pages_created; /* pool */
    uint64_t pages_written, pages_dirtied, pages_dirty, pages_doublewritten, page_images;
    uint64_t doublewrite_batches;
    uint64_t written_by_checkpoint, written_by_cleaner, written_by_victim;
    uint64_t frames, frames_resident;
    uint64_t log_bytes, log_record_bytes, log_padding_bytes, log_image_bytes, log_writes,
        log_flushes;
    uint64_t commits_waited, commit_groups; /* mean group = commits_waited / commit_groups */
    uint64_t checkpoints, checkpoint_stalls;
    uint64_t lock_waits, deadlocks, lock_timeouts;
    uint64_t rows_read, rows_written;
    int64_t cpu_busy_ns; /* of all cores together */
    uint32_t cores;
    uint64_t stamps_checked, stamp_errors;
    uint64_t leaf_splits; /* of indexes that grow at random places; models alone */
};

/* Something that must hold after a run: an accounting identity or consistency rule. */
struct target_check {
    char name[48];
    double expected, found, tolerance;
    bool passed;
    enum exit_code exit; /* if it failed: EXIT_WANTING or EXIT_WRONG_DATA */
};

struct target_ops {
    const char *name;
    /*
     * Carry out op for a session. True: op is answered already (status, answer), done() is not
     * called. False: op->done(op) comes later, once.
     */
    bool (*begin)(struct target *, uint32_t session, struct op *);
    void (*facts)(const struct target *, struct target_facts *);
    /* Fills at most limit checks; returns how many. After the run, when nothing is under way. */
    uint32_t (*check)(struct target *, struct target_check *ret, uint32_t limit);
    /*
     * While warm, time does not pass: page reads and writes are accounted but not issued, CPU,
     * locks and log cost nothing, and begin() always returns true. For `start: warm`.
     */
    void (*warm)(struct target *, bool on);
    /*
     * While warm: so much time has passed as far as what is in memory goes (which page was used
     * when), or what computing since the last call takes, if that is more. NULL: no matter.
     */
    void (*elapse)(struct target *, int64_t ns);
    /* Nothing of the background's own (cleaner, checkpoint) may go on after this. */
    void (*stop)(struct target *);
    void (*free)(struct target *);
};

struct target {
    const struct target_ops *ops;
    uint32_t vm;
};

/*
 * block: READ, WRITE, FLUSH and TRIM as they come, one at a time a session. Waiting for a flush is
 * SPENT_LOG, for the others SPENT_READ.
 *   buffers  sessions x largest_bytes, or NULL if the drive holds no data
 */
struct target *target_block_open(struct drive *drive, uint32_t vm, uint32_t sessions,
                                 uint32_t largest_bytes, void *buffers, uint64_t seed,
                                 struct error *err);

#endif
