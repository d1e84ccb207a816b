#include <errno.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/must.h"
#include "base/rng.h"
#include "target/target.h"

struct block_session {
    struct io io;
    struct op *op;
    void *buffer;
};

struct target_block {
    struct target target;
    struct drive *drive;
    struct block_session *sessions;
    uint64_t sessions_bytes, stride_bytes;
    uint32_t session_count, largest_bytes;
    bool warm;
    uint64_t begun[IO_VERBS], answered;
};

enum { SECTOR_BYTES = 512, SECTOR_WORDS = SECTOR_BYTES / 8 };

_Static_assert(OP_WRITE - OP_READ == IO_WRITE && OP_FLUSH - OP_READ == IO_FLUSH &&
                   OP_TRIM - OP_READ == IO_TRIM && OP_VERBS - OP_READ == IO_VERBS,
               "the verbs of blocks and of drives run alike");

static struct target_block *block_of(const struct target *target)
{
    return (struct target_block *)((char *)(uintptr_t)target -
                                   offsetof(struct target_block, target));
}

/*
 * The buffers are filled with random words once; each write then moves the first word of every
 * sector on (the rest is not touched) by an odd number, which brings none back in 2^64 writes
 * (Weyl), so that no two writes carry the same sector and nothing in them repeats.
 */
static inline void block_freshen(uint64_t *words, uint32_t bytes)
{
    for (const uint64_t *end = words + bytes / 8; words < end; words += SECTOR_WORDS) {
        *words += 0x9e3779b97f4a7c15u; /* 2^64 / the golden ratio, as in splitmix64 */
    }
}

static enum op_status block_status(const struct io *io)
{
    if (io->result == -EILSEQ) {
        return OP_LOST;
    }
    if (io->result < 0 || (io->verb <= IO_WRITE && (uint32_t)io->result != io->bytes)) {
        return OP_FAILED;
    }
    return OP_OK;
}

static void block_done(struct io *io)
{
    struct target_block *block = (struct target_block *)(uintptr_t)io->owner;
    struct block_session *session = (struct block_session *)io;
    struct op *op = session->op;

    session->op = NULL;
    block->answered++;
    op->status = (uint8_t)block_status(io);
    if (op->spent_ns) {
        op->spent_ns[io->verb == IO_FLUSH ? SPENT_LOG : SPENT_READ] += io->done_ns - io->sent_ns;
    }
    op->done(op);
}

static inline void block_submit(struct target_block *block, struct block_session *session,
                                struct op *op)
{
    struct io *io = &session->io;
    uint32_t verb = op->verb - OP_READ;

    must(session->op == NULL);
    session->op = op;
    io->verb = (uint8_t)verb;
    if (verb == IO_FLUSH) {
        io->offset = io->bytes = 0;
        io->data = NULL;
    } else {
        must(op->bytes > 0 && (verb == IO_TRIM || op->bytes <= block->largest_bytes));
        io->offset = op->offset;
        io->bytes = op->bytes;
        io->data = verb == IO_TRIM ? NULL : session->buffer;
    }
    if (verb == IO_WRITE && io->data) {
        block_freshen(io->data, io->bytes);
    }
    block->begun[verb]++;
    drive_submit(block->drive, io);
}

static bool block_begin(struct target *target, uint32_t number, struct op *op)
{
    struct target_block *block = block_of(target);

    must(number < block->session_count && op->verb < OP_VERBS);
    op->rows = 0;
    op->status = OP_OK;
    if (op->verb < OP_READ || block->warm) {
        return true;
    }
    block_submit(block, &block->sessions[number], op);
    return false;
}

static void block_facts(const struct target *target, struct target_facts *ret)
{
    const struct target_block *block = block_of(target);

    *ret = (struct target_facts){0};
    ret->page_accesses = block->begun[IO_READ];
    ret->page_reads = block->begun[IO_READ];
    ret->pages_written = block->begun[IO_WRITE];
}

static uint32_t block_check(struct target *target, struct target_check *ret, uint32_t limit)
{
    const struct target_block *block = block_of(target);
    uint64_t begun = 0;

    if (limit == 0) {
        return 0;
    }
    for (uint32_t verb = 0; verb < IO_VERBS; verb++) {
        begun += block->begun[verb];
    }
    *ret = (struct target_check){
        .name = "every request was answered",
        .expected = (double)begun,
        .found = (double)block->answered,
        .passed = begun == block->answered,
        .exit = EXIT_WANTING,
    };
    return 1;
}

static void block_warm(struct target *target, bool on)
{
    block_of(target)->warm = on;
}

static void block_stop(struct target *target)
{
}

static void block_free(struct target *target)
{
    struct target_block *block;

    if (target == NULL) {
        return;
    }
    block = block_of(target);
    mem_large_free(block->sessions, block->sessions_bytes);
    mem_free(block);
}

static const struct target_ops target_block_ops = {
    .name = "block",
    .begin = block_begin,
    .facts = block_facts,
    .check = block_check,
    .warm = block_warm,
    .stop = block_stop,
    .free = block_free,
};

static void block_init_session(struct target_block *block, uint32_t number, char *buffers,
                               struct rng *rng)
{
    struct block_session *session = &block->sessions[number];
    uint64_t *words;

    session->io.area = IO_DATA;
    session->io.flags = IO_NO_STAMP;
    session->io.vm = (uint8_t)block->target.vm;
    session->io.done = block_done;
    session->io.owner = (uint64_t)(uintptr_t)block;
    if (buffers == NULL) {
        return;
    }
    session->buffer = words = (void *)(buffers + number * block->stride_bytes);
    for (uint64_t i = 0; i < block->stride_bytes / 8; i++) {
        words[i] = rng_u64(rng);
    }
}

struct target *target_block_open(struct drive *drive, uint32_t vm, uint32_t sessions,
                                 uint32_t largest_bytes, void *buffers, uint64_t seed,
                                 struct error *err)
{
    struct target_block *block = mem_zalloc(sizeof(*block));
    uint64_t bytes = (uint64_t)sessions * sizeof(struct block_session);
    struct rng rng;

    must(offsetof(struct block_session, io) == 0);
    if (block == NULL || (block->sessions = mem_large(bytes)) == NULL) {
        mem_free(block);
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u outstanding requests", sessions);
        return NULL;
    }
    block->target = (struct target){.ops = &target_block_ops, .vm = vm};
    block->drive = drive;
    block->sessions_bytes = bytes;
    block->session_count = sessions;
    block->largest_bytes = largest_bytes;
    block->stride_bytes = largest_bytes;
    rng_init(&rng, seed, (uint64_t)vm << 32 | 0xb10c);
    for (uint32_t i = 0; i < sessions; i++) {
        block_init_session(block, i, buffers, &rng);
    }
    return &block->target;
}
