#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "base/rng.h"
#include "io/drive_types.h"
#include "io/stamp.h"

#define VERSION_UNKNOWN UINT32_MAX /* the last write failed: old, new or anything */
enum { VERSION_NONE = 0, REQUEST_PAGES = 8192 };

struct drive_stamp {
    struct drive drive; /* first */
    uint32_t vm, page_bytes, page_shift, last_version;
    uint64_t pages;
    uint32_t *expected; /* version of each page */
    struct rng rng;
    struct stamp_counts counts;

    /* requests with something wrong: looked at, and read again, one at a time */
    struct io *waiting, **waiting_end, *again;
    int64_t first_sent_ns;
    uint32_t suspects;
    uint64_t suspect[REQUEST_PAGES / 64]; /* pages of `again` that held an older version */
};

static struct drive_stamp *stamp_of(const struct drive *drive)
{
    return (struct drive_stamp *)(uintptr_t)drive;
}

static inline uint64_t first_page(const struct drive_stamp *stamp, const struct io *io)
{
    return io->offset >> stamp->page_shift;
}

static inline uint32_t page_count(const struct drive_stamp *stamp, const struct io *io)
{
    return io->bytes >> stamp->page_shift;
}

/* ---- writes ---------------------------------------------------------------------------------- */

static uint32_t next_version(struct drive_stamp *stamp)
{
    do {
        stamp->last_version++;
    } while (stamp->last_version == VERSION_NONE || stamp->last_version == VERSION_UNKNOWN);
    return stamp->last_version;
}

static void stamp_pages(struct drive_stamp *stamp, struct io *io)
{
    uint64_t page = first_page(stamp, io);
    uint32_t n = page_count(stamp, io);

    for (uint32_t i = 0; i < n; i++) {
        stamp->expected[page + i] = next_version(stamp);
        stamp_page((uint8_t *)io->data + ((uint64_t)i << stamp->page_shift), stamp->page_bytes,
                   stamp->vm, page + i, stamp->expected[page + i], rng_u64(&stamp->rng));
    }
    stamp->counts.written += n;
}

/* Pages that a request touches at all from now on hold no stamp of ours. */
static void forget(struct drive_stamp *stamp, const struct io *io, uint32_t version)
{
    uint64_t end = (io->offset + io->bytes + stamp->page_bytes - 1) >> stamp->page_shift;

    for (uint64_t page = first_page(stamp, io); page < end && page < stamp->pages; page++) {
        stamp->expected[page] = version;
    }
}

static bool judged(const struct drive_stamp *stamp, const struct io *io)
{
    return !(io->flags & IO_NO_STAMP) && io->data != NULL && io->bytes > 0;
}

static void stamp_submit(struct drive *drive, struct io *io)
{
    struct drive_stamp *stamp = stamp_of(drive);

    if (judged(stamp, io) && (io->verb == IO_READ || io->verb == IO_WRITE)) {
        must((io->offset | io->bytes) % stamp->page_bytes == 0);
        must(page_count(stamp, io) <= REQUEST_PAGES);
        must(io->offset + io->bytes <= stamp->pages << stamp->page_shift);
        if (io->verb == IO_WRITE) {
            stamp_pages(stamp, io);
        }
    } else if (io->verb == IO_WRITE || io->verb == IO_TRIM) {
        forget(stamp, io, VERSION_NONE);
    }
    drive_pass(drive, io);
}

/* What was not moved is unknown from now on. */
static void write_answered(struct drive_stamp *stamp, const struct io *io)
{
    uint32_t moved = io->result > 0 ? (uint32_t)io->result >> stamp->page_shift : 0;
    uint64_t page = first_page(stamp, io);

    for (uint32_t i = moved; i < page_count(stamp, io); i++) {
        stamp->expected[page + i] = VERSION_UNKNOWN;
    }
}

/* ---- reads ----------------------------------------------------------------------------------- */

static enum stamp_verdict judge(const struct drive_stamp *stamp, const struct io *io, uint32_t i,
                                struct stamp_finding *ret)
{
    uint64_t page = first_page(stamp, io) + i;

    return stamp_judge((uint8_t *)io->data + ((uint64_t)i << stamp->page_shift), stamp->page_bytes,
                       stamp->vm, page, stamp->expected[page], ret);
}

static bool all_right(struct drive_stamp *stamp, const struct io *io)
{
    struct stamp_finding finding;
    uint64_t page = first_page(stamp, io);
    uint32_t n = page_count(stamp, io);
    bool ret = true;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t version = stamp->expected[page + i];

        if (version == VERSION_UNKNOWN) {
            stamp->counts.unknown++;
        } else if (version != VERSION_NONE) {
            stamp->counts.checked++;
            ret &= judge(stamp, io, i, &finding) == STAMP_RIGHT;
        } else {
            stamp->counts.before++;
        }
    }
    return ret;
}

static void record(struct drive_stamp *stamp, struct stamp_finding *finding)
{
    struct stamp_counts *counts = &stamp->counts;

    finding->at_ns = stamp->drive.loop->now_ns;
    counts->wrong[finding->verdict]++;
    if (counts->findings < STAMP_FINDINGS) {
        counts->first[counts->findings++] = *finding;
    }
}

/* A page taken for stale was wrong at the second look too. */
static void record_lost(struct drive_stamp *stamp, uint64_t page)
{
    struct stamp_counts *counts = &stamp->counts;

    counts->wrong[STAMP_STALE]--;
    counts->wrong[STAMP_LOST]++;
    for (uint32_t i = counts->findings; i > 0; i--) {
        struct stamp_finding *finding = &counts->first[i - 1];

        if (finding->page == page && finding->verdict == STAMP_STALE) {
            finding->verdict = STAMP_LOST;
            return;
        }
    }
}

/* Names what is wrong; what may be stale is marked as a suspect. */
static void look_first(struct drive_stamp *stamp, const struct io *io)
{
    uint64_t page = first_page(stamp, io);

    stamp->suspects = 0;
    memset(stamp->suspect, 0, sizeof(stamp->suspect));
    for (uint32_t i = 0; i < page_count(stamp, io); i++) {
        uint32_t version = stamp->expected[page + i];
        struct stamp_finding finding = {0};

        if (version == VERSION_NONE || version == VERSION_UNKNOWN ||
            judge(stamp, io, i, &finding) == STAMP_RIGHT) {
            continue;
        }
        record(stamp, &finding);
        if (finding.verdict == STAMP_STALE) {
            stamp->suspect[i / 64] |= 1ull << (i % 64);
            stamp->suspects++;
        }
    }
}

static void look_again(struct drive_stamp *stamp, const struct io *io)
{
    for (uint32_t i = 0; i < page_count(stamp, io); i++) {
        struct stamp_finding finding;

        if ((stamp->suspect[i / 64] >> (i % 64) & 1) &&
            (io->result != (int32_t)io->bytes || judge(stamp, io, i, &finding) != STAMP_RIGHT)) {
            record_lost(stamp, first_page(stamp, io) + i);
        }
    }
}

static void answer_wrong(struct io *io)
{
    io->result = -EILSEQ;
    drive_answered(io);
}

static void next_waiting(struct drive_stamp *stamp)
{
    while (stamp->again == NULL && stamp->waiting) {
        struct io *io = stamp->waiting;

        stamp->waiting = io->next;
        if (stamp->waiting == NULL) {
            stamp->waiting_end = &stamp->waiting;
        }
        look_first(stamp, io);
        if (stamp->suspects == 0) {
            answer_wrong(io);
            continue;
        }
        stamp->again = io;
        stamp->first_sent_ns = io->sent_ns;
        drive_pass(&stamp->drive, io);
    }
}

static void read_answered(struct drive_stamp *stamp, struct io *io)
{
    if (io == stamp->again) {
        look_again(stamp, io);
        io->sent_ns = stamp->first_sent_ns;
        stamp->again = NULL;
        answer_wrong(io);
        next_waiting(stamp);
    } else if (io->result != (int32_t)io->bytes || all_right(stamp, io)) {
        drive_answered(io);
    } else {
        io->next = NULL;
        *stamp->waiting_end = io;
        stamp->waiting_end = &io->next;
        next_waiting(stamp);
    }
}

static void stamp_answered(struct drive *drive, struct io *io)
{
    struct drive_stamp *stamp = stamp_of(drive);

    if (io->verb == IO_READ && judged(stamp, io)) {
        read_answered(stamp, io);
        return;
    }
    if (io->verb == IO_WRITE && judged(stamp, io) && io->result != (int32_t)io->bytes) {
        write_answered(stamp, io);
    } else if (io->verb == IO_TRIM && io->result < 0) {
        forget(stamp, io, VERSION_UNKNOWN);
    }
    drive_answered(io);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void stamp_close(struct drive *drive)
{
    struct drive_stamp *stamp = stamp_of(drive);

    mem_large_free(stamp->expected, stamp_memory_bytes(drive->capacity_bytes, stamp->page_bytes));
    mem_free(stamp);
}

static const struct drive_ops drive_stamp_ops = {
    .name = "stamp",
    .submit = stamp_submit,
    .answered = stamp_answered,
    .close = stamp_close,
};

uint64_t stamp_memory_bytes(uint64_t capacity_bytes, uint32_t page_bytes)
{
    return capacity_bytes / page_bytes * sizeof(uint32_t);
}

void drive_stamp_counts(const struct drive *drive, struct stamp_counts *ret)
{
    must(drive->ops == &drive_stamp_ops);
    *ret = stamp_of(drive)->counts;
}

struct drive *drive_stamp_open(struct drive *lower, uint32_t vm, uint32_t page_bytes, uint64_t seed,
                               struct error *err)
{
    uint64_t bytes;
    struct drive_stamp *stamp;

    must(page_bytes >= STAMP_SECTOR_BYTES && (page_bytes & (page_bytes - 1)) == 0);
    bytes = stamp_memory_bytes(lower->capacity_bytes, page_bytes);
    if (bytes == 0) {
        error_set(err, EXIT_FAILED, -ENOSPC, "a drive of %llu bytes holds no page of %u bytes",
                  (unsigned long long)lower->capacity_bytes, page_bytes);
        return NULL;
    }
    stamp = mem_zalloc(sizeof(*stamp));
    if (stamp) {
        stamp->expected = mem_large(bytes);
    }
    if (stamp == NULL || stamp->expected == NULL) {
        mem_free(stamp);
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %llu bytes of page versions",
                  (unsigned long long)bytes);
        return NULL;
    }
    stamp->drive = (struct drive){.ops = &drive_stamp_ops,
                                  .loop = lower->loop,
                                  .lower = lower,
                                  .capacity_bytes = lower->capacity_bytes,
                                  .align_bytes = lower->align_bytes};
    lower->upper = &stamp->drive;
    stamp->vm = vm;
    stamp->page_bytes = page_bytes;
    stamp->page_shift = (uint32_t)__builtin_ctz(page_bytes);
    stamp->pages = lower->capacity_bytes >> stamp->page_shift;
    stamp->waiting_end = &stamp->waiting;
    rng_init(&stamp->rng, seed, vm);
    stamp->last_version = (uint32_t)rng_u64(&stamp->rng);
    return &stamp->drive;
}
