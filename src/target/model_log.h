/* target/model_log: the redo log: one writer, group commit, a ring that can fill up. */
#ifndef RAWTPS_TARGET_MODEL_LOG_H
#define RAWTPS_TARGET_MODEL_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/rng.h"
#include "io/drive.h"

enum { LOG_WRITES_MOST = 64, LOG_EPOCHS = 128 };

/* Positions (LSN) are bytes since open, never going back. */
struct log_settings {
    uint64_t offset, capacity_bytes; /* of the ring on the drive; multiples of block_bytes */
    uint32_t block_bytes, write_bytes, depth;
    bool fua;             /* durable by FUA, else by a flush after the write */
    bool sync;            /* commits wait until they are durable */
    bool rewrite_last;    /* the last partial block is written again (then depth is 1); else each
                             write begins a block */
    uint64_t limit_bytes; /* not checkpointed yet: beyond, those who write wait */
    uint32_t vm;
};

struct log_write {
    struct io io;
    uint64_t end; /* LSN that is written when it is done */
    bool busy, done;
};

struct model_log {
    struct log_settings is;
    struct drive *drive;
    uint64_t lsn;     /* of everything appended */
    uint64_t issued;  /* up to here in writes that were submitted */
    uint64_t written; /* ... that are done, without a gap */
    uint64_t durable;
    uint64_t wanted;                /* somebody waits for up to here */
    uint64_t checkpoint;            /* below here nothing is needed any more */
    uint64_t position;              /* of the ring, in bytes since open */
    uint64_t group_end;             /* with flushes: what the group under way takes */
    uint32_t epoch;                 /* grows with writes, so that 7 bits say how old a change is */
    uint64_t epoch_end[LOG_EPOCHS]; /* LSN when each of the last epochs ended */
    struct log_write *writes;       /* a ring of `depth`, in the order of submission */
    uint32_t first, in_flight;
    struct io flush;
    bool flushing;
    uint64_t flush_end;
    struct rng rng;
    bool free_of_charge; /* warm: everything is durable at once */
    int error;           /* negative errno of the first request that failed */

    /* durable has grown (or, with an error, will not): wake who waits. From a drive's answer. */
    void (*advanced)(struct model_log *);
    void *owner;

    /* physical = padding (rewritten bytes too) + issued - skipped (while free of charge) */
    uint64_t record_bytes, image_bytes, padding_bytes, physical_bytes, skipped_bytes;
    uint64_t write_count, flush_count;
};

/*
 * buffers: depth x (write_bytes + 2 blocks), or NULL if the drive holds no data.
 * Errors: -ENOMEM.
 */
int log_open(struct model_log *log, const struct log_settings *settings, struct drive *drive,
             void *buffers, uint64_t seed, struct error *err);
void log_close(struct model_log *log);
uint64_t log_buffer_bytes(uint32_t depth, uint32_t write_bytes, uint32_t block_bytes);

/* A record; returns the LSN behind it. Nothing is written yet. */
uint64_t log_append(struct model_log *log, uint32_t bytes);
void log_append_image(struct model_log *log, uint32_t bytes);
/* See to it that everything up to lsn becomes durable. */
void log_want(struct model_log *log, uint64_t lsn);
/* A change that was made in an epoch is durable. Errs on the side of no (epochs are modulo 128). */
bool log_epoch_durable(const struct model_log *log, uint32_t epoch);
static inline bool log_full(const struct model_log *log)
{
    return log->lsn - log->checkpoint > log->is.limit_bytes;
}
bool log_idle(const struct model_log *log);

#endif
