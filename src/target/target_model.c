#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "model_core.h"

_Static_assert(sizeof(struct model_session) + sizeof(struct lock_session) <= 96,
               "a session costs at most 96 bytes");
_Static_assert(sizeof(struct model_io) <= 128, "an outstanding request costs at most 128 bytes");

enum { NODES_LEAST = 4096, NODES_A_SESSION = 8, LOCK_LOOKS = 16 };
#define SYSTEM_WRITES 0.1 /* a transaction, to the system pages (MODEL.md 5.2) */

static struct model *model_of(const struct target *target)
{
    return (struct model *)((char *)(uintptr_t)target - offsetof(struct model, target));
}

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

void model_leave(struct model *m)
{
    uint32_t number;

    if (m->depth == 1) {
        while ((number = queue_pop(m, &m->ready)) != NO_SESSION) {
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
    uint32_t number = LOCK_NONE;

    model_enter(m);
    while ((number = locks_overdue(&m->locks, number + 1, now_ms(m), lock_timeout_ms(m))) !=
           LOCK_NONE) {
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

static void session_over(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

    if (m->locks.sessions[number].held != LOCK_NONE) {
        locks_release(&m->locks, number);
    }
    s->flags = 0;
    s->delivered = 0;
    memset(&s->ordered, 0, sizeof(s->paid_cents));
}

/* The transaction cannot go on: it is rolled back here, no ROLLBACK need follow. */
static bool session_fail(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

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

static void session_prepare(struct model *m, struct model_session *s)
{
    s->phase = PHASE_WALK;
    if (s->op->verb != OP_COMMIT) {
        m->rows->prepare(m, s, s->op);
    } else if (m->is.profile == MODEL_INNODB && (s->flags & SESSION_WROTE) &&
               rng_unit(&m->rng) < SYSTEM_WRITES) {
        const struct model_index *system = &m->layout.index[IX_SYSTEM];

        s->leaf = system->first + (uint32_t)rng_below(&m->rng, system->leaves);
    } else {
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
}

static uint8_t first_phase(const struct op *op)
{
    return op->verb == OP_COMMIT     ? PHASE_PREPARE
           : op->verb == OP_ROLLBACK ? PHASE_ROLLBACK
                                     : PHASE_SPACE;
}

static bool model_begin(struct target *target, uint32_t number, struct op *op)
{
    struct model *m = model_of(target);
    struct model_session *s = model_session(m, number);
    uint32_t cpu_ns = m->statement_cpu_ns[op->statement];

    must(s->op == NULL);
    op->status = OP_OK;
    op->rows = 0;
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

/* ---- facts and checks --------------------------------------------------------------------------
 */

static void model_facts(const struct target *target, struct target_facts *ret)
{
    const struct model *m = model_of(target);

    *ret = m->facts;
    ret->page_accesses = m->pool.accesses;
    ret->page_hits = m->pool.hits;
    ret->pages_created = m->created;
    ret->pages_dirtied = m->pool.dirtied;
    ret->pages_dirty = m->pool.dirty;
    ret->frames = m->pool.count;
    ret->frames_resident = m->pool.count - m->pool.free_count;
    ret->log_bytes = m->log.physical_bytes;
    ret->log_record_bytes = m->log.record_bytes;
    ret->log_image_bytes = m->log.image_bytes;
    ret->log_padding_bytes = m->log.padding_bytes;
    ret->log_writes = m->log.write_count;
    ret->log_flushes = m->log.flush_count;
    ret->lock_waits = m->locks.waits;
    ret->deadlocks = m->locks.deadlocks;
    ret->cpu_busy_ns = cpu_busy_ns(&m->cpu);
    ret->cores = m->cpu.core_count;
    writer_facts(m, ret);
}

struct target_check check_equal(const char *name, double expected, double found,
                                enum exit_code exit)
{
    struct target_check check = {
        .expected = expected,
        .found = found,
        .passed = expected == found,
        .exit = exit,
    };

    snprintf(check.name, sizeof(check.name), "%s", name);
    return check;
}

/* What was still open when the run ended is rolled back, as a database would when it starts. */
static void model_roll_back_open(struct model *m)
{
    for (uint32_t i = 0; i < m->is.sessions; i++) {
        struct model_session *s = model_session(m, i);

        if (s->flags & SESSION_TXN) {
            m->rows->rollback(m, s);
            session_over(m, i);
        }
    }
}

static double count_dirty(const struct model *m)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i <= m->pool.pages / 64; i++) {
        count += (uint64_t)__builtin_popcountll(m->pool.dirty_map[i]);
    }
    return (double)count;
}

/* MODEL.md 8.2 (1), (4); the writer adds (2), (3) and (5), the rows (7). */
static uint32_t model_identities(const struct model *m, struct target_check *ret)
{
    const struct pool *pool = &m->pool;
    const struct model_log *log = &m->log;
    uint32_t n = 0;
    double gone = (double)(pool->evictions + m->forgotten);

    ret[n++] = check_equal("pool.accesses", (double)pool->accesses,
                           (double)(pool->hits + m->misses), EXIT_WANTING);
    ret[n++] = check_equal("pool.reads", (double)(m->misses - m->created + m->ahead),
                           (double)m->facts.page_reads, EXIT_WANTING);
    ret[n++] = check_equal("pool.resident", (double)pool->inserted - gone,
                           (double)(pool->count - pool->free_count), EXIT_WANTING);
    ret[n++] = check_equal("pool.dirty",
                           (double)(pool->dirtied - pool->captured) - (double)pool->discarded,
                           count_dirty(m), EXIT_WANTING);
    ret[n++] = check_equal("log.lsn", (double)(log->record_bytes + log->image_bytes),
                           (double)log->lsn, EXIT_WANTING);
    ret[n++] = check_equal("log.written", (double)(log->issued - log->skipped_bytes),
                           (double)(log->physical_bytes - log->padding_bytes), EXIT_WANTING);
    ret[n++] = check_equal("log.acknowledged_early", 0, (double)m->early_commits, EXIT_WRONG_DATA);
    ret[n++] = check_equal("locks.left", 0, (double)(m->locks.node_count - m->locks.free_count),
                           EXIT_WANTING);
    return n;
}

enum { OWN_CHECKS = 8 };

static uint32_t model_check(struct target *target, struct target_check *ret, uint32_t limit)
{
    struct model *m = model_of(target);
    uint32_t n;

    model_roll_back_open(m);
    if (limit < OWN_CHECKS) {
        return 0;
    }
    n = model_identities(m, ret);
    must(n == OWN_CHECKS);
    n += writer_check(m, ret + n, limit - n);
    return n + m->rows->check(m, ret + n, limit - n);
}

static void model_warm(struct target *target, bool on)
{
    struct model *m = model_of(target);

    must(m->ready.first == NO_SESSION && log_idle(&m->log) && writer_idle(m));
    m->warm = on;
    m->log.free_of_charge = on;
    log_append(&m->log, 0);
    if (!on) {
        writer_start(m);
    }
}

static void model_stop(struct target *target)
{
    struct model *m = model_of(target);

    m->stopped = true;
    loop_disarm(m->loop, &m->lock_timer);
    writer_stop(m);
}

void target_model_name(const struct target *target, uint64_t offset, char *buf, uint64_t size)
{
    const struct model *m = model_of(target);
    const struct model_layout *layout = &m->layout;
    bool level1;
    uint64_t page = (offset - layout->data_offset) / layout->page_bytes;
    enum index_id id;

    if (offset < layout->data_offset || page >= layout->pages) {
        const char *region = offset < layout->superblock_bytes     ? "superblock"
                             : offset < layout->doublewrite_offset ? "log"
                             : offset < layout->data_offset        ? "doublewrite"
                                                                   : "beyond the data";
        snprintf(buf, size, "%s", region);
        return;
    }
    id = layout_owner(layout, (uint32_t)page, &level1);
    if (id == INDEXES) {
        snprintf(buf, size, "page %llu", (unsigned long long)page);
        return;
    }
    uint64_t first = layout->index[id].first;
    bool grown = !level1 && page >= layout->grown_first;

    first = level1  ? layout->index[id].level1_first
            : grown ? layout->index[id].grown_first - layout->index[id].leaves
                    : first;
    snprintf(buf, size, "%s %s %llu", layout->index[id].name, level1 ? "inner page" : "page",
             (unsigned long long)(page - first));
}

/* ---- open and free -----------------------------------------------------------------------------
 */

static uint32_t frames_of(const struct model_settings *settings)
{
    uint64_t frames = settings->buffer_bytes / settings->page_bytes;

    return frames < POOL_NONE ? (uint32_t)frames : POOL_NONE - 1;
}

static uint32_t nodes_of(const struct model_settings *settings)
{
    uint64_t nodes = (uint64_t)settings->sessions * NODES_A_SESSION;

    return nodes < NODES_LEAST ? NODES_LEAST : (uint32_t)nodes;
}

static uint32_t log_depth_of(const struct model_settings *settings)
{
    bool rewrites = settings->profile != MODEL_SQLSERVER;
    uint32_t depth = settings->log_depth < LOG_WRITES_MOST ? settings->log_depth : LOG_WRITES_MOST;

    return rewrites || depth < 1 ? 1 : depth;
}

static uint32_t log_write_of(const struct model_settings *settings)
{
    return settings->log_write_bytes / settings->log_block_bytes * settings->log_block_bytes;
}

static int settings_refuse(const struct model_settings *settings, struct error *err)
{
    if (settings->sessions < 1 || settings->sessions >= POOL_NONE) {
        return error_set(err, EXIT_USAGE, -EINVAL, "sessions: 1 or more, not %u",
                         settings->sessions);
    }
    if (settings->cores < 1 || settings->cores > 4096) {
        return error_set(err, EXIT_USAGE, -EINVAL, "cores: 1 to 4096, not %u", settings->cores);
    }
    if (frames_of(settings) < 8) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "buffer: at least 8 pages of %u bytes, not %llu bytes",
                         settings->page_bytes, (unsigned long long)settings->buffer_bytes);
    }
    return 0;
}

uint64_t model_buffer_bytes(const struct model_settings *settings)
{
    return (uint64_t)reader_slots(settings) * settings->page_bytes + writer_buffer_bytes(settings) +
           log_buffer_bytes(log_depth_of(settings), log_write_of(settings),
                            settings->log_block_bytes);
}

static int open_parts(struct model *m, const struct model_place *place, struct error *err)
{
    const struct model_settings *is = &m->is;
    const struct model_layout *layout = &m->layout;
    char *buffers = place->buffers;
    bool ordered = is->profile == MODEL_INNODB;
    uint64_t reads = (uint64_t)reader_slots(is) * is->page_bytes, writes = writer_buffer_bytes(is);
    struct log_settings log = {
        .offset = layout->log_offset,
        .capacity_bytes = layout->log_bytes / is->log_block_bytes * is->log_block_bytes,
        .block_bytes = is->log_block_bytes,
        .write_bytes = log_write_of(is),
        .depth = log_depth_of(is),
        .fua = is->log_fua,
        .sync = is->log_sync,
        .rewrite_last = is->profile != MODEL_SQLSERVER,
        .vm = m->target.vm,
    };
    int code;

    /* innodb: cap of MODEL.md 5.2; the others keep a tenth for what is under way */
    log.limit_bytes = log.capacity_bytes / 16 * (is->profile == MODEL_INNODB ? 13 : 14);
    must(buffers == NULL || place->buffer_bytes >= model_buffer_bytes(is));
    if ((code = pool_open(&m->pool, is->profile == MODEL_POSTGRES ? POOL_CLOCK : POOL_MIDPOINT,
                          frames_of(is), layout->pages, layout->level1_first, layout->level1_end,
                          ordered, err)) ||
        (code = locks_open(&m->locks, is->sessions, nodes_of(is), err)) ||
        (code = cpu_open(&m->cpu, m->loop, is->cores, &m->sessions[0].next,
                         sizeof(struct model_session) / sizeof(uint32_t), err)) ||
        (code = reader_open(m, buffers, err)) ||
        (code = writer_open(m, buffers ? buffers + reads : NULL, err)) ||
        (code = log_open(&m->log, &log, place->log, buffers ? buffers + reads + writes : NULL,
                         is->seed, err))) {
        return code;
    }
    m->locks.granted = lock_granted;
    m->locks.owner = m->cpu.owner = m->log.owner = m;
    m->log.advanced = log_advanced;
    m->cpu.length = burst_length;
    m->cpu.done = burst_done;
    return is->is_tpcc ? tpcc_rows_open(m, err) : sysbench_rows_open(m, err);
}

static uint64_t map_bytes(uint32_t pages)
{
    return ((uint64_t)pages / 64 + 1) * 8;
}

static int open_maps(struct model *m, struct error *err)
{
    uint32_t grown = m->layout.pages - m->layout.grown_first;

    m->map_bytes = map_bytes(m->layout.pages);
    m->made_bytes = map_bytes(grown);
    m->sessions_bytes = (uint64_t)m->is.sessions * sizeof(struct model_session);
    m->made = mem_large(m->made_bytes);
    m->sessions = mem_large(m->sessions_bytes);
    if (m->is.profile == MODEL_POSTGRES) {
        m->slot_map = mem_large(m->map_bytes);
        m->prune_map = mem_large(m->map_bytes);
        m->image_map = m->is.full_page_writes ? mem_large(m->map_bytes) : NULL;
    }
    if (!m->made || !m->sessions ||
        (m->is.profile == MODEL_POSTGRES &&
         (!m->slot_map || !m->prune_map || (m->is.full_page_writes && !m->image_map)))) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u sessions and %u pages",
                         m->is.sessions, m->layout.pages);
    }
    return 0;
}

static void open_small(struct model *m)
{
    struct session_queue empty = {NO_SESSION, NO_SESSION};

    m->ready = m->for_frame = m->for_read_slot = m->for_space = m->for_log = empty;
    m->ready_timer.fire = ready_fire;
    m->lock_timer.fire = lock_fire;
    m->log_bytes = profile_log(m->is.profile);
    m->statement_log =
        m->is.is_tpcc ? profile_tpcc_log(m->is.profile) : profile_sysbench_log(m->is.profile);
    profile_cpu(&m->is, m->statement_cpu_ns);
    cpu_factors_init(&m->factors, m->is.cpu_sigma, m->is.cpu_tail_share, m->is.cpu_tail_factor);
    rng_init(&m->rng, m->is.seed, (uint64_t)m->target.vm << 32 | 0x30de1);
}

static void model_free(struct target *target);
static const struct target_ops target_model_ops = {
    .name = "model",
    .begin = model_begin,
    .facts = model_facts,
    .check = model_check,
    .warm = model_warm,
    .stop = model_stop,
    .free = model_free,
};

struct target *target_model_open(const struct model_settings *settings,
                                 const struct model_place *place, uint32_t vm, struct error *err)
{
    struct model *m;
    uint64_t log_end, data_end;

    if (settings_refuse(settings, err) != 0) {
        return NULL;
    }
    m = mem_zalloc(sizeof(*m));
    if (m == NULL) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a model");
        return NULL;
    }
    m->target = (struct target){.ops = &target_model_ops, .vm = vm};
    m->is = *settings;
    m->loop = place->loop;
    m->data = place->data;
    open_small(m);
    if (layout_open(&m->layout, settings, place->one_drive, err) != 0 || open_maps(m, err) != 0 ||
        open_parts(m, place, err) != 0) {
        model_free(&m->target);
        return NULL;
    }
    log_end = m->layout.log_offset + m->layout.log_bytes;
    data_end = m->layout.data_offset + m->layout.data_bytes;
    if (place->log->capacity_bytes < log_end || place->data->capacity_bytes < data_end) {
        error_set(err, EXIT_USAGE, -ENOSPC,
                  "the drive is too small: %llu bytes of data and %llu of log are needed",
                  (unsigned long long)data_end, (unsigned long long)log_end);
        model_free(&m->target);
        return NULL;
    }
    writer_start(m);
    return &m->target;
}

static void model_free(struct target *target)
{
    struct model *m;

    if (target == NULL) {
        return;
    }
    m = model_of(target);
    loop_disarm(m->loop, &m->ready_timer);
    loop_disarm(m->loop, &m->lock_timer);
    if (m->rows) {
        m->rows->close(m);
    }
    log_close(&m->log);
    writer_close(m);
    reader_close(m);
    cpu_close(&m->cpu);
    locks_close(&m->locks);
    if (m->pool.count) {
        pool_close(&m->pool);
    }
    mem_large_free(m->witness, (uint64_t)m->layout.pages * 8);
    mem_large_free(m->image_map, m->map_bytes);
    mem_large_free(m->prune_map, m->map_bytes);
    mem_large_free(m->slot_map, m->map_bytes);
    mem_large_free(m->made, m->made_bytes);
    mem_large_free(m->sessions, m->sessions_bytes);
    mem_free(m);
}

/* ---- before anything is opened -----------------------------------------------------------------
 */

uint64_t target_model_session_bytes(void)
{
    return sizeof(struct model_session) + sizeof(struct lock_session);
}

uint64_t target_model_frame_bytes(void)
{
    return (uint64_t)ceil(pool_frame_bytes(true));
}

static uint64_t memory_of(const struct model_settings *settings, const struct model_layout *layout)
{
    uint64_t maps = settings->profile == MODEL_POSTGRES ? 3 * map_bytes(layout->pages) : 0;

    return sizeof(struct model) + maps + map_bytes(layout->pages - layout->grown_first) +
           (uint64_t)settings->sessions * sizeof(struct model_session) +
           pool_memory_bytes(frames_of(settings), layout->pages,
                             layout->level1_end - layout->level1_first,
                             settings->profile == MODEL_INNODB) +
           locks_memory_bytes(settings->sessions, nodes_of(settings)) +
           (uint64_t)reader_slots(settings) * sizeof(struct model_io) +
           writer_memory_bytes(settings) +
           (settings->is_tpcc ? tpcc_rows_memory_bytes(settings)
                              : sysbench_rows_memory_bytes(settings));
}

int model_footprint(const struct model_settings *settings, struct model_footprint *ret,
                    struct error *err)
{
    struct model_layout layout;
    int code = settings_refuse(settings, err);

    if (code != 0 || (code = layout_open(&layout, settings, true, err)) != 0) {
        return code;
    }
    memset(ret, 0, sizeof(*ret));
    ret->database_bytes = (uint64_t)layout.grown_first * layout.page_bytes;
    ret->data_bytes = layout.data_bytes;
    ret->log_bytes = layout.log_bytes;
    ret->doublewrite_bytes = layout.doublewrite_bytes;
    ret->superblock_bytes = layout.superblock_bytes;
    ret->total_bytes = layout.data_offset + layout.data_bytes;
    ret->memory_bytes = memory_of(settings, &layout);
    ret->pages = layout.grown_first;
    ret->frames = frames_of(settings);
    for (uint32_t id = 0; id < INDEXES; id++) {
        const struct model_index *index = &layout.index[id];
        uint32_t i = ret->table_count;

        if (index->leaves == 0) {
            continue;
        }
        snprintf(ret->tables[i].name, sizeof(ret->tables[i].name), "%s", index->name);
        ret->tables[i].pages = index->leaves;
        ret->tables[i].rows = index->rows;
        ret->tables[i].rows_per_page = index->capacity;
        ret->table_count++;
    }
    return 0;
}

struct model *target_model_inside(struct target *target)
{
    return model_of(target);
}

int target_model_watch(struct target *target, struct error *err)
{
    struct model *m = model_of(target);

    m->witness = mem_large((uint64_t)m->layout.pages * 8);
    if (m->witness == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory to watch %u pages", m->layout.pages);
    }
    return 0;
}
