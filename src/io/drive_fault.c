#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "base/rng.h"
#include "io/drive_types.h"

enum { SECTOR = 512, PENDING = 256 };
#define STALE_MOST_BYTES (64u << 20) /* two copies of a stale rule's range are kept */

const char *const fault_kind_names[FAULT_KINDS] = {
    [FAULT_ERROR] = "error", [FAULT_BIT_FLIP] = "bit_flip", [FAULT_TORN] = "torn",
    [FAULT_LOST] = "lost",   [FAULT_STALE] = "stale",       [FAULT_MISDIRECTED] = "misdirected",
    [FAULT_SHORT] = "short", [FAULT_DELAY] = "delay"};

/* What sectors of a stale rule's range hold, and held before. */
struct history {
    uint64_t from, bytes;
    uint8_t *now, *before; /* copies */
    uint8_t *known;        /* a sector: how many of the two are, 0 to 2 */
};

struct rule_state {
    struct fault_rule rule;
    struct history history; /* FAULT_STALE only */
    uint64_t matched, injected;
};

/* A request that harm was done to on its way down and that must be mended on its way up. */
struct pending {
    struct io *io;
    struct rule_state *state;
    uint64_t offset;
    uint32_t bytes;
};

struct drive_fault {
    struct drive drive; /* first */
    struct rng rng;
    uint32_t rules, pending_count;
    struct pending pending[PENDING];
    struct rule_state states[];
};

static struct drive_fault *fault_of(const struct drive *drive)
{
    return (struct drive_fault *)(uintptr_t)drive;
}

/* ---- history --------------------------------------------------------------------------------- */

static bool history_holds(const struct history *history, const struct io *io)
{
    return history->bytes > 0 && io->offset >= history->from &&
           io->offset + io->bytes <= history->from + history->bytes;
}

/* Whether all of the request was written twice since the drive was opened. */
static bool history_knows(const struct history *history, const struct io *io)
{
    uint64_t at = io->offset - history->from;

    if (!history_holds(history, io)) {
        return false;
    }
    for (uint64_t s = at / SECTOR; s < (at + io->bytes) / SECTOR; s++) {
        if (history->known[s] < 2) {
            return false;
        }
    }
    return true;
}

static void history_write(struct history *history, const struct io *io)
{
    uint64_t at = io->offset - history->from;

    if (!history_holds(history, io) || io->data == NULL) {
        return;
    }
    memcpy(history->before + at, history->now + at, io->bytes);
    memcpy(history->now + at, io->data, io->bytes);
    for (uint64_t s = at / SECTOR; s < (at + io->bytes) / SECTOR; s++) {
        history->known[s] += history->known[s] < 2;
    }
}

/* Something else happened there. */
static void history_forget(struct history *history, const struct io *io)
{
    for (uint64_t at = io->offset; at < io->offset + io->bytes; at += SECTOR) {
        if (at >= history->from && at < history->from + history->bytes) {
            history->known[(at - history->from) / SECTOR] = 0;
        }
    }
}

static void note_write(struct drive_fault *fault, const struct io *io, bool done)
{
    for (uint32_t i = 0; i < fault->rules; i++) {
        struct history *history = &fault->states[i].history;

        if (history->bytes > 0 && done && io->verb == IO_WRITE) {
            history_write(history, io);
        } else if (history->bytes > 0) {
            history_forget(history, io);
        }
    }
}

/* ---- which request is hit -------------------------------------------------------------------- */

/* Half of it, or some of its first sectors; 0: it has only one unit. */
static uint32_t part_bytes(struct drive_fault *fault, const struct io *io, enum fault_kind kind)
{
    uint32_t unit = fault->drive.align_bytes, units = io->bytes / unit;

    if (units < 2) {
        return 0;
    }
    return unit *
           (kind == FAULT_SHORT ? units / 2 : 1 + (uint32_t)rng_below(&fault->rng, units - 1));
}

static uint64_t elsewhere(const struct drive_fault *fault, const struct rule_state *state,
                          const struct io *io)
{
    uint64_t to = io->offset + state->rule.distance_bytes;

    return to <= fault->drive.capacity_bytes && io->bytes <= fault->drive.capacity_bytes - to
               ? to
               : io->offset - state->rule.distance_bytes;
}

static bool can_hit(struct drive_fault *fault, const struct rule_state *state, const struct io *io)
{
    if (fault->pending_count == PENDING) {
        return false;
    }
    switch (state->rule.kind) {
    case FAULT_BIT_FLIP:
        return io->data != NULL && io->bytes > 0;
    case FAULT_STALE:
        return io->data != NULL && history_knows(&state->history, io);
    case FAULT_TORN:
    case FAULT_SHORT:
        return io->bytes >= 2 * fault->drive.align_bytes;
    case FAULT_MISDIRECTED:
        return elsewhere(fault, state, io) <= fault->drive.capacity_bytes - io->bytes;
    default:
        return true;
    }
}

/* Counts the matches of all rules; returns the first that is to strike, or NULL. */
static struct rule_state *struck_by(struct drive_fault *fault, const struct io *io)
{
    struct rule_state *ret = NULL;

    for (uint32_t i = 0; i < fault->rules; i++) {
        struct rule_state *state = &fault->states[i];
        const struct fault_rule *rule = &state->rule;
        uint64_t match;

        if (io->verb != rule->verb || io->offset < rule->from_offset ||
            io->offset >= rule->to_offset) {
            continue;
        }
        match = state->matched++;
        if (ret == NULL && state->injected < rule->count && match >= rule->skip &&
            (match - rule->skip) % rule->every == 0 && can_hit(fault, state, io)) {
            ret = state;
        }
    }
    return ret;
}

/* ---- harm ------------------------------------------------------------------------------------ */

static void late_fire(struct timer *timer)
{
    struct io *io = (struct io *)((char *)timer - offsetof(struct io, timer));
    struct drive *drive = (struct drive *)(uintptr_t)io->mark;

    io->done_ns = drive->loop->now_ns;
    drive_answered(io);
}

/* The answer, which is in io->result, goes up delay_ns from now. */
static void answer_late(struct drive *drive, struct io *io, int64_t delay_ns)
{
    io->mark = (uintptr_t)drive;
    io->timer.fire = late_fire;
    loop_arm(drive->loop, &io->timer, drive->loop->now_ns + delay_ns);
}

static void answer_self(struct drive *drive, struct io *io, int32_t result, int64_t delay_ns)
{
    io->result = result;
    io->sent_ns = drive->loop->now_ns;
    io->via = drive->upper;
    answer_late(drive, io, delay_ns);
}

static void strike(struct drive_fault *fault, struct rule_state *state, struct io *io)
{
    const struct fault_rule *rule = &state->rule;
    struct drive *drive = &fault->drive;

    state->injected++;
    if (rule->kind == FAULT_ERROR) {
        answer_self(drive, io, -rule->error_code, rule->delay_ns);
        return;
    }
    if (rule->kind == FAULT_LOST) {
        answer_self(drive, io, io->verb == IO_WRITE ? (int32_t)io->bytes : 0, rule->delay_ns);
        return;
    }
    fault->pending[fault->pending_count++] =
        (struct pending){.io = io, .state = state, .offset = io->offset, .bytes = io->bytes};
    if (rule->kind == FAULT_TORN || rule->kind == FAULT_SHORT) {
        io->bytes = part_bytes(fault, io, rule->kind);
    } else if (rule->kind == FAULT_MISDIRECTED) {
        io->offset = elsewhere(fault, state, io);
    }
    drive_pass(drive, io);
}

static void fault_submit(struct drive *drive, struct io *io)
{
    struct drive_fault *fault = fault_of(drive);
    struct rule_state *state = struck_by(fault, io);

    if (io->verb == IO_WRITE || io->verb == IO_TRIM) {
        note_write(fault, io, state == NULL || state->rule.kind == FAULT_DELAY);
    }
    if (state == NULL) {
        drive_pass(drive, io);
        return;
    }
    strike(fault, state, io);
    if (io->verb == IO_WRITE && state->rule.kind == FAULT_MISDIRECTED) {
        note_write(fault, io, false);
    }
}

static struct pending *pending_of(struct drive_fault *fault, const struct io *io)
{
    for (uint32_t i = 0; i < fault->pending_count; i++) {
        if (fault->pending[i].io == io) {
            return &fault->pending[i];
        }
    }
    return NULL;
}

static void mend(struct drive_fault *fault, const struct pending *pending)
{
    struct io *io = pending->io;
    const struct history *history = &pending->state->history;
    uint64_t bit;

    io->offset = pending->offset;
    io->bytes = pending->bytes;
    if (io->result <= 0) {
        return;
    }
    switch (pending->state->rule.kind) {
    case FAULT_BIT_FLIP:
        bit = rng_below(&fault->rng, 8ull * (uint32_t)io->result);
        ((uint8_t *)io->data)[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        break;
    case FAULT_STALE:
        memcpy(io->data, history->before + (io->offset - history->from), (uint32_t)io->result);
        break;
    case FAULT_TORN:
        io->result = (int32_t)io->bytes;
        break;
    default:
        break;
    }
}

static void fault_answered(struct drive *drive, struct io *io)
{
    struct drive_fault *fault = fault_of(drive);
    struct pending *pending = pending_of(fault, io);
    const struct fault_rule *rule;

    if (pending == NULL) {
        drive_answered(io);
        return;
    }
    rule = &pending->state->rule;
    mend(fault, pending);
    *pending = fault->pending[--fault->pending_count];
    if (rule->kind == FAULT_DELAY) {
        answer_late(drive, io, rule->delay_ns);
    } else {
        drive_answered(io);
    }
}

/* ---- open and close -------------------------------------------------------------------------- */

static void fault_close(struct drive *drive)
{
    struct drive_fault *fault = fault_of(drive);

    for (uint32_t i = 0; i < fault->rules; i++) {
        struct history *history = &fault->states[i].history;

        mem_large_free(history->now, history->bytes);
        mem_large_free(history->before, history->bytes);
        mem_free(history->known);
    }
    mem_free(fault);
}

static const struct drive_ops drive_fault_ops = {
    .name = "fault",
    .submit = fault_submit,
    .answered = fault_answered,
    .close = fault_close,
};

/* Verbs that a kind of harm can be done to, as bits. */
static const uint8_t fault_verbs[FAULT_KINDS] = {
    [FAULT_ERROR] = 15,
    [FAULT_BIT_FLIP] = 1 << IO_READ,
    [FAULT_TORN] = 1 << IO_WRITE,
    [FAULT_LOST] = 1 << IO_WRITE | 1 << IO_FLUSH | 1 << IO_TRIM,
    [FAULT_STALE] = 1 << IO_READ,
    [FAULT_MISDIRECTED] = 1 << IO_READ | 1 << IO_WRITE,
    [FAULT_SHORT] = 1 << IO_READ | 1 << IO_WRITE,
    [FAULT_DELAY] = 15,
};

static int rule_check(const struct fault_rule *rule, uint32_t i, struct error *err)
{
    if (rule->kind >= FAULT_KINDS || rule->verb >= IO_VERBS ||
        !(fault_verbs[rule->kind] >> rule->verb & 1)) {
        return error_set(err, EXIT_USAGE, -EINVAL, "fault %u: %s cannot be done to a %s", i,
                         rule->kind < FAULT_KINDS ? fault_kind_names[rule->kind] : "?",
                         rule->verb < IO_VERBS ? io_verb_names[rule->verb] : "?");
    }
    if (rule->every == 0 || rule->delay_ns < 0 || rule->distance_bytes % SECTOR ||
        (rule->kind == FAULT_ERROR && rule->error_code <= 0) ||
        (rule->kind == FAULT_MISDIRECTED && rule->distance_bytes == 0)) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "fault %u: every, error_code and distance_bytes must be above 0, the "
                         "distance in sectors, delay_ns not below 0",
                         i);
    }
    return 0;
}

static int history_open(struct history *history, const struct fault_rule *rule, uint64_t capacity,
                        struct error *err)
{
    uint64_t to = rule->to_offset < capacity ? rule->to_offset : capacity;

    history->from = rule->from_offset / SECTOR * SECTOR;
    if (to <= history->from || to - history->from > STALE_MOST_BYTES) {
        return error_set(err, EXIT_USAGE, -E2BIG,
                         "a stale fault needs a range inside the drive, of at most %u bytes",
                         STALE_MOST_BYTES);
    }
    history->bytes = (to - history->from + SECTOR - 1) / SECTOR * SECTOR;
    history->now = mem_large(history->bytes);
    history->before = mem_large(history->bytes);
    history->known = mem_zalloc(history->bytes / SECTOR);
    if (history->now == NULL || history->before == NULL || history->known == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the copies of a stale fault");
    }
    return 0;
}

uint64_t drive_fault_injected(const struct drive *drive, uint32_t rule)
{
    must(drive->ops == &drive_fault_ops && rule < fault_of(drive)->rules);
    return fault_of(drive)->states[rule].injected;
}

static int rules_open(struct drive_fault *fault, const struct fault_rule *rules, uint32_t count,
                      struct error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        struct rule_state *state = &fault->states[fault->rules++];
        int code = rule_check(&rules[i], i, err);

        state->rule = rules[i];
        if (code == 0 && rules[i].kind == FAULT_STALE) {
            code = history_open(&state->history, &rules[i], fault->drive.capacity_bytes, err);
        }
        if (code < 0) {
            return code;
        }
    }
    return 0;
}

struct drive *drive_fault_open(struct drive *lower, const struct fault_rule *rules, uint32_t count,
                               uint64_t seed, struct error *err)
{
    struct drive_fault *fault = mem_zalloc(sizeof(*fault) + count * sizeof(fault->states[0]));

    if (fault == NULL) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u faults", count);
        return NULL;
    }
    fault->drive = (struct drive){.ops = &drive_fault_ops,
                                  .loop = lower->loop,
                                  .lower = lower,
                                  .capacity_bytes = lower->capacity_bytes,
                                  .align_bytes = lower->align_bytes};
    if (rules_open(fault, rules, count, err) < 0) {
        fault_close(&fault->drive);
        return NULL;
    }
    lower->upper = &fault->drive;
    rng_init(&fault->rng, seed, 3);
    return &fault->drive;
}
