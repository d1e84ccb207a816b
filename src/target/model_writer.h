/* target/model_writer: page writes: the cleaner, checkpoints, innodb's flushing and doublewrite. */
#ifndef RAWTPS_TARGET_MODEL_WRITER_H
#define RAWTPS_TARGET_MODEL_WRITER_H

#include "model_core.h"

enum write_kind { WRITE_CHECKPOINT, WRITE_CLEANER, WRITE_VICTIM, WRITE_KINDS };
enum { WRITE_BEFORE = 128 }; /* with a kind: captured before the checkpoint under way began */

enum { BATCH_PAGES = 128 };
enum batch_state {
    BATCH_IDLE,
    BATCH_LOG,
    BATCH_DOUBLE,
    BATCH_DOUBLE_SYNC,
    BATCH_PAGES_OUT,
    BATCH_SYNC
};

/* innodb: up to 128 pages on their way together, protected by one doublewrite. */
struct flush_batch {
    enum batch_state state;
    uint32_t page[BATCH_PAGES];
    uint64_t from_list[BATCH_PAGES / 64]; /* a bit each: from the flush list, stays in memory */
    uint64_t fresh[BATCH_PAGES / 64];
    uint32_t count, out, syncs;
    uint64_t oldest, lsn, newest; /* newest: of its pages, if watched */
};

enum { CHECKPOINT_AHEAD = 4 };
struct checkpoint {
    bool active, syncing;
    uint64_t lsn;  /* everything below is on the drive when it is done */
    uint32_t hand; /* next page to look at */
    uint32_t total, done, out, allowed, before;
    int64_t began_ns;
    uint64_t dirtied;                                /* pages dirtied before it began */
    uint64_t *map;                                   /* postgres: what was dirty when it began */
    uint32_t ahead, steps, coming[CHECKPOINT_AHEAD]; /* pages that are fetched before their turn */
};

struct model_writer {
    struct model *owner;
    struct model_io *slots;
    uint32_t slot_count, slot_free, run_pages;
    struct model_io extra;              /* doublewrite and sync: one at a time */
    uint64_t *newest;                   /* of each slot, if watched: LSN of its last change */
    struct io *held_first, **held_last; /* wait for the log, in order of LSN */
    uint32_t held, out[WRITE_KINDS];
    uint32_t free_low, free_target;
    uint32_t looked; /* frames from the tail on, without finding enough that are clean */
    struct checkpoint checkpoint;
    struct flush_batch batch;
    struct timer interval, pace; /* pace: 10 ms of a checkpoint, 200 ms background writer */
    struct timer sweep;
    uint32_t quota, warm_hand, warm_coming[2];
    uint64_t second_lsn, second_written;
    double lsn_rate, page_rate; /* a second, smoothed */
    int64_t second_ns;          /* MariaDB: when they were last worked out; 0: never */
    uint32_t seconds;           /* ... and how often they could have been since */
    uint32_t scans; /* innodb: of the tail, that frames were short for, in this second */
    bool refill;    /* innodb: the tail is to be looked at, whatever is free */
    uint32_t beside, beside_next; /* headers beside undo pages that were given back: due, which */
    uint32_t tail_due; /* ... dirty pages that its last scan met and has still to write */
    bool asleep;       /* innodb: the flush list is left alone until something wakes the cleaner */
    bool full_charge;  /* the log is near its limit: no pacing */
    uint64_t pages_of[WRITE_KINDS], fresh, doubled, batches, early, errors, checkpoints;
};

/* ---- requests (model_writer.c) ---- */

bool writer_has_slot(const struct model_writer *w);
/*
 * Capture `pages` dirty pages that lie side by side and write them, once their log is durable.
 * victim: the frame to evict when it is done, if it is clean then; POOL_NONE: none.
 */
void writer_run(struct model *m, uint32_t page, uint32_t pages, enum write_kind kind,
                uint32_t victim);
/* The same for pages that are captured already and need the log to be durable up to lsn. */
void writer_send(struct model *m, uint32_t page, uint32_t pages, enum write_kind kind,
                 uint32_t victim, uint64_t lsn, uint64_t newest);
/* A page was captured for a write; returns the LSN to be durable before, 0 if it is already. */
uint64_t writer_capture(struct model *m, uint32_t frame, bool *ret_fresh, uint64_t *newest);
/* ... and is on the drive (or not). */
void writer_settle(struct model *m, uint32_t page, bool ok);
void writer_pump(struct model *m);  /* whatever there is to write that may go out now */
void writer_space(struct model *m); /* the log's checkpoint has moved */

/* A page is on the drive without a write: time does not pass, or the server was stopped. */
void writer_discard(struct model *m, uint32_t frame);
/* innodb: a page that is freed is not written any more (buf_page_t::flush), nor read again. */
void writer_free_page(struct model *m, uint32_t page);

/* ---- checkpoints of sqlserver and postgres (model_checkpoint.c) ---- */

void checkpoint_begin(struct model *m);
void checkpoint_by_log(struct model *m); /* postgres: if there is enough of it */
void checkpoint_pump(struct model *m);
void checkpoint_written(struct model *m, const struct model_io *slot);
void checkpoint_start_timers(struct model *m);
void sweep_victim(struct model *m);

/* ---- innodb (model_flush.c) ---- */

void flush_pump(struct model *m);
void flush_evict_one(struct model *m); /* there is no frame */
void flush_log_advanced(struct model *m);
void flush_page_done(struct model *m);
void flush_move_checkpoint(struct model *m);
uint32_t flush_undoubled(const struct model *m); /* captured, and not yet in `doubled` */
void flush_start_timer(struct model *m);

#endif
