#include "base/must.h"
#include "model_core.h"
#include "model_postgres.h"
#include "model_writer.h"
#include <stddef.h>
#include <string.h>

enum { LOCK_LOOKS = 16 };
#define SYSTEM_WRITES 0.1 /* a transaction, to the system pages (MODEL.md 5.2) */
/* New undo pages a transaction: created less splits, at W = 10 with 128 and 256 MiB (measured). */
#define UNDO_CREATED 0.34

/* ---- waiting -----------------------------------------------------------------------------------
 */

void queue_push(struct model *m, struct session_queue *queue, uint32_t number)
{
    model_session(m, number)->next = NO_SESSION;
    if (queue->first == NO_SESSION) {
        queue->first = number;
    } else {
        model_session(m, queue->last)->next = number;
    }
    queue->last = number;
}

uint32_t queue_pop(struct model *m, struct session_queue *queue)
{
    uint32_t number = queue->first;

    if (number != NO_SESSION) {
        queue->first = model_session(m, number)->next;
    }
    return number;
}

void session_wait(struct model *m, uint32_t number, enum spent_kind kind,
                  struct session_queue *queue)
{
    struct model_session *s = model_session(m, number);

    must(!m->warm);
    s->waits_for = (uint8_t)kind;
    s->since_ns = m->loop->now_ns;
    if (queue) {
        queue_push(m, queue, number);
    }
}

void session_wake(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

    if (s->op->spent_ns) {
        s->op->spent_ns[s->waits_for] += m->loop->now_ns - s->since_ns;
    }
    queue_push(m, &m->ready, number);
    if (m->depth == 0 && !timer_armed(&m->ready_timer)) {
        loop_arm(m->loop, &m->ready_timer, m->loop->now_ns);
    }
}

bool session_compute(struct model *m, uint32_t number)
{
    if (model_session(m, number)->cpu_ns == 0 || m->warm) {
        return false;
    }
    session_wait(m, number, SPENT_CPU, NULL);
    cpu_run(&m->cpu, number);
    return true;
}

static bool session_run(struct model *m, uint32_t number);

void model_enter(struct model *m)
{
    m->depth++;
}

/* Whoever was woken for a free frame may have found his page there: the next one's turn. */
static uint32_t next_ready(struct model *m)
{
    if (m->ready.first == NO_SESSION && m->for_frame.first != NO_SESSION &&
        m->pool.free_count > 0) {
        reader_wake_frames(m);
    }
    return queue_pop(m, &m->ready);
}

void model_leave(struct model *m)
{
    uint32_t number;

    if (m->depth == 1) {
        while ((number = next_ready(m)) != NO_SESSION) {
            struct op *op = model_session(m, number)->op;

            if (session_run(m, number)) {
                op->done(op);
            }
        }
    }
    m->depth--;
}

static void ready_fire(struct timer *timer)
{
    struct model *m = (struct model *)((char *)timer - offsetof(struct model, ready_timer));

    model_enter(m);
    model_leave(m);
}

static int64_t burst_length(struct model_cpu *cpu, uint32_t session)
{
    return model_session(cpu->owner, session)->cpu_ns;
}

static void burst_done(struct model_cpu *cpu, uint32_t session)
{
    struct model *m = cpu->owner;

    if (background_is(m, session)) {
        background_done(m, session);
        return;
    }
    model_enter(m);
    model_session(m, session)->cpu_ns = 0;
    session_wake(m, session);
    model_leave(m);
}

static void log_advanced(struct model_log *log)
{
    struct model *m = log->owner;
    bool any = false;
    uint32_t number;

    model_enter(m);
    while ((number = m->for_log.first) != NO_SESSION &&
           (log->error || model_session(m, number)->lsn <= log->durable)) {
        queue_pop(m, &m->for_log);
        if (model_session(m, number)->lsn > log->durable) {
            model_session(m, number)->fate = OP_FAILED;
        }
        session_wake(m, number);
        any = true;
    }
    m->facts.commit_groups += any;
    writer_log_advanced(m);
    model_leave(m);
}

/* ---- locks -------------------------------------------------------------------------------------
 */

static uint32_t now_ms(const struct model *m)
{
    return (uint32_t)(m->loop->now_ns / 1000000);
}

static uint32_t lock_timeout_ms(const struct model *m)
{
    int64_t ms = m->is.lock_timeout_ns / 1000000;

    return ms < 1 ? 1 : ms > INT32_MAX ? INT32_MAX : (uint32_t)ms;
}

static void lock_granted(struct model_locks *locks, uint32_t session)
{
    session_wake(locks->owner, session);
}

static void lock_look_later(struct model *m)
{
    if (m->is.lock_timeout_ns > 0 && !timer_armed(&m->lock_timer)) {
        loop_arm(m->loop, &m->lock_timer,
                 m->loop->now_ns + m->is.lock_timeout_ns / LOCK_LOOKS + 1000000);
    }
}

/* Waits are looked through from time to time: a timeout is late by a sixteenth at most. */
static void lock_fire(struct timer *timer)
{
    struct model *m = (struct model *)((char *)timer - offsetof(struct model, lock_timer));
    uint32_t from = 0;

    model_enter(m);
    while ((from = locks_overdue(&m->locks, from, now_ms(m), lock_timeout_ms(m))) != LOCK_NONE) {
        /* who waits longer for the same row is overdue too */
        uint32_t number = locks_longest(&m->locks, from);

        locks_cancel(&m->locks, number);
        m->facts.lock_timeouts++;
        model_session(m, number)->fate = OP_RETRY;
        session_wake(m, number);
    }
    if (m->locks.waiting > 0) {
        lock_look_later(m);
    }
    model_leave(m);
}

/* False: the session waits; or it cannot have the lock, and its fate says so. */
static bool session_lock(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);
    bool hot = false;
    uint64_t key = m->warm ? 0 : m->rows->lock(m, s->op, &hot);

    if (key == 0) {
        s->phase = PHASE_PREPARE;
        return true;
    }
    if (hot && session_compute(m, number)) {
        return false;
    }
    switch (locks_take(&m->locks, number, key, s->cpu_ns == 0, now_ms(m))) {
    case LOCK_BUSY:
        must(session_compute(m, number));
        return false;
    case LOCK_WAITS:
        s->phase = PHASE_PREPARE;
        session_wait(m, number, SPENT_LOCK, NULL);
        lock_look_later(m);
        return false;
    case LOCK_DEADLOCK:
    case LOCK_NO_MEMORY:
        s->fate = OP_RETRY;
        return false;
    default:
        s->phase = PHASE_PREPARE;
        return true;
    }
}

/* ---- an operation ------------------------------------------------------------------------------
 */

static bool session_finish(struct model *m, uint32_t number, enum op_status status)
{
    struct model_session *s = model_session(m, number);

    s->op->status = (uint8_t)status;
    s->op = NULL;
    s->phase = PHASE_NONE;
    return true;
}

void session_over(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

    if (m->locks.sessions[number].held != LOCK_NONE) {
        locks_release(&m->locks, number);
    }
    if (m->postgres) {
        postgres_end(m, s);
    }
    s->flags = 0;
    s->delivered = 0;
    memset(&s->ordered, 0, sizeof(s->paid_cents));
}

/* The transaction cannot go on: it is rolled back here, no ROLLBACK need follow. */
static bool session_fail(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

    if (s->phase == PHASE_PURGE) { /* nobody's: neither locks nor a transaction */
        return session_finish(m, number, (enum op_status)s->fate);
    }
    if (s->phase != PHASE_COMMIT_END) {
        m->rows->rollback(m, s);
    }
    session_over(m, number);
    s->cpu_ns = 0;
    return session_finish(m, number, (enum op_status)s->fate);
}

static bool statement_writes(const struct op *op)
{
    return op->verb == OP_UPDATE || op->verb == OP_INSERT || op->verb == OP_DELETE;
}

static bool session_space(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

    if (!m->warm && log_full(&m->log) && statement_writes(s->op)) {
        writer_check_log(m);
        if (log_full(&m->log)) {
            if (!session_compute(m, number)) {
                m->facts.checkpoint_stalls++;
                session_wait(m, number, SPENT_LOG, &m->for_space);
            }
            return false;
        }
    }
    s->phase = PHASE_LOCK;
    return true;
}

/*
 * innodb: what a transaction that commits changes of the pages that all share. An undo page is
 * given back when purge is done with all its logs (trx_purge_truncate_rseg_history), so that one
 * has to be created now and then; those of a round of rollback segments ago have been purged.
 * Each commit changes the header of its segment, too, which is written beside such pages; without
 * them what is written of all these is SYSTEM_WRITES. False: nothing.
 */
static bool prepare_system(struct model *m, struct model_session *s)
{
    const struct model_index *system = &m->layout.index[IX_SYSTEM];
    uint32_t ring = system->reserve;

    s->leaf = s->split = POOL_NO_PAGE;
    if (ring > 0 || rng_unit(&m->rng) < SYSTEM_WRITES) {
        s->leaf = system->first + (uint32_t)rng_below(&m->rng, ROLLBACK_PAGES);
    }
    if (ring > 0 && rng_unit(&m->rng) < UNDO_CREATED) {
        s->split = model_grow(m, IX_SYSTEM);
        m->writer->beside += m->is.flush_neighbors;
        writer_free_page(m, system->grown_first + (m->grown[IX_SYSTEM] + ring - UNDO_LIVE) % ring);
    }
    return s->leaf != POOL_NO_PAGE || s->split != POOL_NO_PAGE;
}

static void session_prepare(struct model *m, struct model_session *s)
{
    s->phase = PHASE_WALK;
    if (s->op->verb != OP_COMMIT) {
        m->rows->prepare(m, s, s->op);
    } else if (m->is.profile != MODEL_INNODB || (s->flags & SESSION_WROTE) == 0 ||
               !prepare_system(m, s)) {
        s->phase = PHASE_COMMIT_CPU;
    }
}

static void session_apply(struct model *m, struct model_session *s)
{
    struct op *op = s->op;

    if (op->verb == OP_COMMIT) {
        s->phase = PHASE_COMMIT_CPU;
        return;
    }
    m->rows->apply(m, s, op);
    if (op->verb == OP_SELECT) {
        m->facts.rows_read += op->rows;
    } else {
        m->facts.rows_written += op->rows;
    }
    s->phase = (s->flags & SESSION_TXN) ? PHASE_NONE : PHASE_COMMIT_CPU;
}

/* False: it waits for the log. */
static bool session_commit(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

    s->phase = PHASE_COMMIT_END;
    m->rows->commit(m, s);
    if ((s->flags & SESSION_WROTE) == 0) {
        return true;
    }
    s->lsn = log_append(&m->log, m->log_bytes->commit);
    log_want(&m->log, s->lsn);
    if (!m->is.log_sync || s->lsn <= m->log.durable) {
        return true;
    }
    if (m->log.error) {
        s->fate = OP_FAILED;
        return false;
    }
    m->facts.commits_waited++;
    session_wait(m, number, SPENT_LOG, &m->for_log);
    return false;
}

static bool session_end(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

    if (m->is.log_sync && (s->flags & SESSION_WROTE) && s->lsn > m->log.durable) {
        m->early_commits++;
    }
    session_over(m, number);
    return session_finish(m, number, OP_OK);
}

static bool session_step(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

    switch ((enum session_phase)s->phase) {
    case PHASE_SPACE:
        return session_space(m, number);
    case PHASE_LOCK:
        return session_lock(m, number);
    case PHASE_PREPARE:
        session_prepare(m, s);
        return true;
    case PHASE_WALK:
        if (!reader_walk(m, number)) {
            return false;
        }
        s->phase = PHASE_APPLY;
        return true;
    case PHASE_APPLY:
        session_apply(m, s);
        return true;
    case PHASE_COMMIT_CPU:
        if (session_compute(m, number)) {
            return false;
        }
        s->phase = PHASE_COMMIT_LOG;
        return true;
    case PHASE_COMMIT_LOG:
        return session_commit(m, number);
    case PHASE_PURGE:
        return m->postgres ? vacuum_step(m, number) : purge_step(m, number);
    case PHASE_ROLLBACK:
        if (session_compute(m, number)) {
            return false;
        }
        m->rows->rollback(m, s);
        s->flags &= (uint16_t)~SESSION_WROTE;
        s->phase = PHASE_COMMIT_END;
        return true;
    default:
        must(!"a phase that steps");
        return false;
    }
}

/* True: the operation is answered. False: it waits for something that will run it again. */
static bool session_run(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

    for (;;) {
        if (s->fate != OP_OK) {
            return session_fail(m, number);
        }
        if (s->phase == PHASE_NONE) {
            return session_finish(m, number, OP_OK);
        }
        if (s->phase == PHASE_COMMIT_END) {
            return session_end(m, number);
        }
        if (!session_step(m, number) && s->fate == OP_OK) {
            return false;
        }
    }
}

static void session_begin(struct model *m, uint32_t number, const struct op *op)
{
    struct model_session *s = model_session(m, number);

    if (s->flags & SESSION_TXN) {
        /* whoever begins anew has given up what was open */
        m->rows->rollback(m, s);
    }
    session_over(m, number);
    s->flags = SESSION_TXN;
    s->kind = (uint8_t)op->key[0];
    if (m->rows->foresee) {
        m->rows->foresee(m, op);
    }
}

static uint8_t first_phase(const struct op *op)
{
    return op->verb == OP_COMMIT     ? PHASE_PREPARE
           : op->verb == OP_ROLLBACK ? PHASE_ROLLBACK
                                     : PHASE_SPACE;
}

bool model_begin(struct target *target, uint32_t number, struct op *op)
{
    struct model *m = model_of(target);
    struct model_session *s = model_session(m, number);
    uint32_t cpu_ns = m->statement_cpu_ns[op->statement];

    must(s->op == NULL);
    op->status = OP_OK;
    op->rows = 0;
    m->warm_cpu_ns += m->warm ? cpu_ns : 0;
    if (cpu_ns && !m->warm) {
        s->cpu_ns += (uint32_t)((float)cpu_ns * cpu_factor(&m->factors, &m->rng));
    }
    if (op->verb == OP_BEGIN) {
        session_begin(m, number, op);
        return true;
    }
    s->op = op;
    s->fate = OP_OK;
    s->step = 0;
    s->flags &= (uint16_t) ~(SESSION_LOGGED | SESSION_DESCENDED | SESSION_ARRIVED | SESSION_MOVED);
    s->phase = first_phase(op);
    return session_run(m, number);
}

void session_open_parts(struct model *m)
{
    struct session_queue empty = {NO_SESSION, NO_SESSION};

    m->ready = m->for_frame = m->for_read_slot = m->for_space = m->for_log = empty;
    m->ready_timer.fire = ready_fire;
    m->lock_timer.fire = lock_fire;
    m->locks.granted = lock_granted;
    m->locks.owner = m->cpu.owner = m->log.owner = m;
    m->log.advanced = log_advanced;
    m->cpu.length = burst_length;
    m->cpu.done = burst_done;
}
