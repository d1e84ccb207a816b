/* target/model_core: the model's parts together, and a session's way through an operation. */
#ifndef RAWTPS_TARGET_MODEL_CORE_H
#define RAWTPS_TARGET_MODEL_CORE_H

#include <stddef.h>

#include "model_cpu.h"
#include "model_layout.h"
#include "model_locks.h"
#include "model_log.h"
#include "model_pool.h"
#include "model_profile.h"
#include "target/model.h"

#define NO_SESSION 0xffffffffu

enum session_phase {
    PHASE_NONE,
    PHASE_SPACE, /* log space, if the statement writes */
    PHASE_LOCK,
    PHASE_PREPARE, /* once an operation: places are chosen */
    PHASE_WALK,
    PHASE_APPLY,
    PHASE_COMMIT_CPU,
    PHASE_COMMIT_LOG,
    PHASE_COMMIT_END,
    PHASE_ROLLBACK,
    PHASE_PURGE, /* no user's: innodb's purge, postgres' autovacuum, until nothing is left */
};

enum session_flag {
    SESSION_TXN = 1,       /* between BEGIN and its end */
    SESSION_WROTE = 2,     /* has log records: the commit waits for the log */
    SESSION_LOGGED = 4,    /* the operation's record is appended */
    SESSION_DESCENDED = 8, /* the level-1 page above the current leaf is done */
    SESSION_ARRIVED = 16,  /* the current page is counted already: it was read for us */
    SESSION_NEXT = 32,     /* has raised d_next_o_id */
    SESSION_ORDER = 64,    /* ... inserted the order, the new_order row */
    SESSION_NEW_ORDER = 128,
    SESSION_PAID_W = 256,
    SESSION_PAID_D = 512,
    SESSION_PAID_H = 1024,
    SESSION_MOVED = 2048,  /* postgres: the operation moves its row to another page */
    SESSION_NAMED = 4096,  /* postgres: the customer was found by his name */
    SESSION_MERGED = 8192, /* innodb: the other page that is touched has been freed */
};

/* A session between and within operations: 80 bytes, and 16 in the lock table. */
struct model_session {
    struct op *op;
    uint64_t lsn;     /* of its commit record */
    int64_t since_ns; /* when the current wait began */
    uint32_t next;    /* in whatever queue it waits in */
    uint32_t cpu_ns;  /* used, but not yet spent on a core */
    uint32_t step;    /* page touches done of the operation */
    uint32_t tail;    /* the page that the operation appends to; POOL_NO_PAGE if none */
    uint32_t leaf;    /* random index: where it inserts */
    uint32_t split;   /* ... and the page that splits off; POOL_NO_PAGE if none */
    uint32_t home;    /* district, from 0 over all warehouses */
    union {
        uint32_t old;  /* postgres: the page of the version that the operation replaces */
        uint32_t left; /* innodb: the leaf before the one where a tree changes, or could */
    };
    union {
        uint32_t xid;   /* postgres: of its transaction, 0 before the first change */
        uint32_t right; /* innodb: and the one behind; POOL_NO_PAGE for none */
    };
    union {
        struct {
            uint32_t order;
            uint16_t customer;
            uint8_t lines, line_count;
            uint32_t spare;
        } ordered;             /* New-Order */
        int32_t paid_cents[3]; /* Payment: to warehouse, district and history */
        struct {
            uint32_t inserted, deleted;
        } rows; /* Sysbench */
    };
    uint16_t delivered; /* districts whose oldest order it has removed, a bit each */
    uint16_t flags;
    uint8_t phase, waits_for, kind, fate;
};

/*
 * A page that was never written is created, not read, whatever the touch. HEADER: changed, and not
 * promoted by it: in MariaDB a file's headers come to the end of the LRU list though they are used
 * all the time (measured: each scan of the tail writes them). Of postgres alone: HINT:
 * changed without a log record; ENTRY: a leaf that gets an entry for a new version of a row;
 * VACUUM: a page that autovacuum goes through.
 */
enum touch_mode { TOUCH_READ, TOUCH_WRITE, TOUCH_HINT, TOUCH_ENTRY, TOUCH_HEADER, TOUCH_VACUUM };
struct touch {
    uint32_t page;
    uint8_t index, mode;
};

/* The pages that an operation touches, in order; a window of them if they are many. */
enum { PLAN_TOUCHES = 32 };
struct plan {
    uint32_t base, count; /* touches [base, base + PLAN_TOUCHES) of count are here */
    struct touch touches[PLAN_TOUCHES];
};

struct session_queue {
    uint32_t first, last; /* NO_SESSION if empty */
};

/* An outstanding request and what it is for: 128 bytes. */
struct model_io {
    struct io io;
    union {
        uint64_t lsn; /* write: is not submitted before the log is durable to here */
        struct session_queue waiting; /* read: for the page */
    };
    uint32_t frame; /* read: where to; free: the next free one */
    uint8_t kind;
    uint8_t pages;
};

/* Misses of one extent in ascending order: the start of a scan. */
enum { READ_RUNS = 16 };
struct read_run {
    uint32_t extent, next, length;
};

/* Threads that compute beside the users', in slices. */
struct model_background {
    int64_t due_ns;          /* beyond the slices under way */
    uint32_t threads, first; /* sessions behind all others */
    uint32_t busy;           /* a bit each: has a slice, or waits for a core */
};

struct model;

/* What the rows of a workload are to the model: two implementations, tpcc and sysbench. */
struct rows_ops {
    /* A transaction begins: fetch what it will look at. NULL: nothing is known. */
    void (*foresee)(struct model *, const struct op *);
    /* The row that op locks, 0 if none; hot: many want it, so computing is done before. */
    uint64_t (*lock)(struct model *, const struct op *, bool *ret_hot);
    /* Once, with the lock held: choose where rows go (tail, leaf, split). */
    void (*prepare)(struct model *, struct model_session *, const struct op *);
    /* The same touches every time it is called for an operation. */
    void (*plan)(struct model *, const struct model_session *, const struct op *, struct plan *);
    /* All pages were touched: answers and counters. */
    void (*apply)(struct model *, struct model_session *, struct op *);
    void (*commit)(struct model *, struct model_session *);
    void (*rollback)(struct model *, struct model_session *); /* undo what apply did */
    uint32_t (*check)(struct model *, struct target_check *ret, uint32_t limit);
    void (*close)(struct model *);
};

struct model_tpcc;
struct model_sysbench;
struct model_postgres;
struct model_writer;
struct model_purge;

struct model {
    struct target target;
    struct model_settings is;
    struct model_layout layout;
    struct loop *loop;
    struct drive *data;

    struct pool pool;
    struct model_log log;
    struct model_locks locks;
    struct model_cpu cpu;
    struct cpu_factors factors;
    struct model_writer *writer;
    struct model_purge *purge; /* NULL: there is none */
    struct model_background background;
    const struct rows_ops *rows;
    struct model_tpcc *tpcc;
    struct model_sysbench *sysbench;
    struct model_postgres *postgres; /* NULL: another profile */
    const struct profile_log *log_bytes;
    const uint16_t *statement_log;
    uint32_t statement_cpu_ns[PROFILE_STATEMENTS];
    struct rng rng;

    struct model_session *sessions;
    uint64_t sessions_bytes;
    struct session_queue ready, for_frame, for_read_slot, for_space, for_log;
    uint32_t depth; /* of our own event handlers on the stack */
    bool warm, stopped;
    int64_t warm_ns, warm_cpu_ns; /* passed while it was warmed; computed since that was asked */
    struct timer ready_timer, lock_timer;

    struct model_io *reads;
    uint32_t read_count, read_free; /* first free one, NO_SESSION if none */
    uint64_t *made;                 /* a bit for each page that was added: written at least once */
    uint64_t *image_map;            /* postgres: imaged since the checkpoint began */
    uint64_t *pending_map;          /* the next read changes the page: merge changes (innodb) */
    uint64_t map_bytes, made_bytes;
    uint32_t grown[INDEXES]; /* pages added so far, over all rounds of the reserve */

    struct plan plan;
    struct target_facts facts; /* those that are counted here */
    struct read_run runs[READ_RUNS];
    uint64_t misses, created, ahead, forgotten, early_commits;
    uint64_t *witness; /* tests: LSN of the last change of every page */
};

static inline struct model_session *model_session(const struct model *m, uint32_t number)
{
    return &m->sessions[number];
}

static inline struct model *model_of(const struct target *target)
{
    return (struct model *)((char *)(uintptr_t)target - offsetof(struct model, target));
}

/* ---- sessions (model_session.c) ---- */

bool model_begin(struct target *target, uint32_t number, struct op *op); /* ops->begin */
void session_open_parts(struct model *m);
/* A transaction that is open is given up: its locks are free. */
void session_over(struct model *m, uint32_t number);

void queue_push(struct model *m, struct session_queue *queue, uint32_t number);
uint32_t queue_pop(struct model *m, struct session_queue *queue);
/* Begin to wait in a queue (NULL: elsewhere); and stop: it runs when the current event is over. */
void session_wait(struct model *m, uint32_t number, enum spent_kind kind,
                  struct session_queue *queue);
void session_wake(struct model *m, uint32_t number);
/* Computing that was done comes before any wait. True: the session waits for a core. */
bool session_compute(struct model *m, uint32_t number);
/* Around whatever the model does in answer to an event: runs all that are ready at the end. */
void model_enter(struct model *m);
void model_leave(struct model *m);

/* The pool's own clock, on which the time of a warm start came before 0. */
static inline void model_pool_clock(struct model *m)
{
    m->pool.now_ms = (uint32_t)((m->loop->now_ns + m->warm_ns) / 1000000);
}

/* ---- growth ---- */

static inline bool bit_get(const uint64_t *map, uint32_t i)
{
    return map[i / 64] >> (i % 64) & 1;
}

static inline void bit_set(uint64_t *map, uint32_t i)
{
    map[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline void bit_clear(uint64_t *map, uint32_t i)
{
    map[i / 64] &= ~((uint64_t)1 << (i % 64));
}

/* A page that is to be added to an index: from its reserve; when that is used up, the oldest. */
static inline uint32_t model_grow(struct model *m, enum index_id id)
{
    const struct model_index *index = &m->layout.index[id];
    uint32_t page = index->grown_first + m->grown[id]++ % index->reserve;

    bit_clear(m->made, page - m->layout.grown_first);
    return page;
}

/* ---- plans ---- */

static inline void plan_add(struct plan *plan, enum index_id id, uint32_t page,
                            enum touch_mode mode)
{
    uint32_t at = plan->count++ - plan->base;

    if (at < PLAN_TOUCHES) {
        plan->touches[at] = (struct touch){page, (uint8_t)id, (uint8_t)mode};
    }
}

static inline void plan_row(const struct model *m, struct plan *plan, enum index_id id,
                            uint64_t rank, enum touch_mode mode)
{
    const struct model_index *index = &m->layout.index[id];

    if (index->leaves) {
        plan_add(plan, id, index_leaf(index, rank), mode);
    }
}

/* innodb's estimate of a range: both border leaves and up to ten after the first (MODEL.md 4). */
void plan_dive(const struct model *m, struct plan *plan, enum index_id id, uint64_t low,
               uint64_t high);
/* ---- reading and writing (model_writer.c) ---- */

int writer_open(struct model *m, void *buffers, struct error *err);
void writer_close(struct model *m);
void writer_start(struct model *m);
void writer_stop(struct model *m);
bool writer_idle(const struct model *m);
uint64_t writer_buffer_bytes(const struct model_settings *settings);
uint64_t writer_memory_bytes(const struct model_settings *settings);
/* Frames run short: evict and write. Called after frames were taken, and when there was none. */
void writer_frames(struct model *m, bool none);
void writer_log_advanced(struct model *m);
/* A page became dirty and the log may be near its limit. */
void writer_check_log(struct model *m);
void writer_facts(const struct model *m, struct target_facts *ret);
uint32_t writer_check(const struct model *m, struct target_check *ret, uint32_t limit);
/* warm: a frame for nothing, whatever it holds; and keep the dirty share steady. */
uint32_t writer_warm_frame(struct model *m);
void writer_warm_dirty(struct model *m);

/* ---- computing beside the users' (model_background.c) ---- */

uint32_t background_threads(const struct model_settings *settings);
void background_open(struct model *m);
bool background_is(const struct model *m, uint32_t number);
void background_compute(struct model *m, uint32_t pages); /* they were written */
void background_done(struct model *m, uint32_t number);   /* a slice is over */

/* ---- purge (model_purge.c) ---- */

uint32_t purge_sessions(const struct model_settings *settings); /* behind those of the users */
uint64_t purge_memory_bytes(const struct model_settings *settings);
int purge_open(struct model *m, struct error *err);
void purge_close(struct model *m);
void purge_start(struct model *m); /* also: forget what there is to do */
void purge_stop(struct model *m);
/* A row was changed there. */
void purge_note(struct model *m, const struct touch *touch);
/* An entry of a random index, or a row of new_order (place: its district), is marked as deleted:
 * false if it must be removed at once. */
bool purge_later(struct model *m, enum index_id id, uint32_t place);
void purge_plan(const struct model *m, uint32_t number, struct plan *plan);
bool purge_step(struct model *m, uint32_t number);

/* ---- pages (model_reader.c) ---- */

/*
 * Touch all pages of the session's operation from its step on. False: it waits, and is run again.
 */
bool reader_walk(struct model *m, uint32_t number);
int reader_open(struct model *m, void *buffers, struct error *err);
void reader_close(struct model *m);
uint32_t reader_slots(const struct model_settings *settings);
void reader_wake_frames(struct model *m); /* some are free: as many go on */

/* ---- facts and checks (model_facts.c): ops->facts and so on ---- */

void model_facts(const struct target *target, struct target_facts *ret);
uint32_t model_check(struct target *target, struct target_check *ret, uint32_t limit);
void model_warm(struct target *target, bool on);
void model_elapse(struct target *target, int64_t ns);
void model_stop(struct target *target);

/* ---- rows ---- */

int tpcc_rows_open(struct model *m, struct error *err);
uint64_t tpcc_rows_memory_bytes(const struct model_settings *settings);
int sysbench_rows_open(struct model *m, struct error *err);
uint64_t sysbench_rows_memory_bytes(const struct model_settings *settings);

/* One check with its name; for the check functions. */
struct target_check check_equal(const char *name, double expected, double found,
                                enum exit_code exit);

/* Tests: watch that no page is written before its log; costs 8 bytes a page. */
int target_model_watch(struct target *target, struct error *err);
struct model *target_model_inside(struct target *target);

#endif
