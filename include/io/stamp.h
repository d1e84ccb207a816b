/* io/stamp: every sector says whose it is, so that wrong data are found and named. */
#ifndef RAWTPS_IO_STAMP_H
#define RAWTPS_IO_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "io/drive.h"

enum { STAMP_SECTOR_BYTES = 512 };

/* What every 512-byte sector of a stamped page begins with; the rest is random, new each time. */
struct stamp {
    uint32_t magic, vm;
    uint64_t page; /* page number in the slice: offset / page_bytes */
    uint32_t version, sector;
    uint32_t spare, crc; /* CRC32C of the sector with this field 0 */
};

/* What a read gave, against what was expected. */
enum stamp_verdict {
    STAMP_RIGHT,
    STAMP_CORRUPT,     /* the CRC does not hold: bits flipped */
    STAMP_TORN,        /* sectors of different versions */
    STAMP_STALE,       /* an older version, but a second read gave the right one */
    STAMP_LOST,        /* an older version or none of ours, at the second read too */
    STAMP_MISDIRECTED, /* another page's or VM's data */
    STAMP_VERDICTS
};
extern const char *const stamp_verdict_names[STAMP_VERDICTS];

/* One wrong page, for the report. */
struct stamp_finding {
    enum stamp_verdict verdict;
    uint32_t vm, sector;
    uint64_t page, offset;
    uint32_t expected_version;
    uint32_t found_vm, found_version;
    uint64_t found_page;
    bool no_stamp; /* what was found is nobody's page: found_... are 0 */
    int64_t at_ns;
};

enum { STAMP_FINDINGS = 16 };

struct stamp_counts {
    uint64_t written, checked, wrong[STAMP_VERDICTS];
    uint64_t unknown; /* reads of pages whose last write failed: not judged */
    uint64_t before;  /* reads of pages that were not written yet: not judged */
    struct stamp_finding first[STAMP_FINDINGS];
    uint32_t findings;
};

/*
 * Wrapper that stamps every written page and checks every page read. Requests are whole pages, one
 * or many; IO_NO_STAMP requests pass. A read that is not right is read once more, which tells a
 * stale read (the second is right) from a lost write. A wrong page answers io->result = -EILSEQ
 * and is counted. Pages are not judged before their first write (counted as before), nor (counted
 * as unknown) after a failed one until the next.
 *   page_bytes  a power of two, 512 at least; a request holds at most 8192 pages
 *   seed        of the bodies and the first version. On a real drive each run needs another one,
 *               else pages that an earlier run left could pass for this run's
 *   caller      never reads a page while a write of it is under way
 *   memory      4 bytes a page (stamp_memory_bytes), all at open
 *   errors      -ENOMEM, -ENOSPC (not one page fits)
 */
struct drive *drive_stamp_open(struct drive *lower, uint32_t vm, uint32_t page_bytes, uint64_t seed,
                               struct error *err);
uint64_t stamp_memory_bytes(uint64_t capacity_bytes, uint32_t page_bytes);
void drive_stamp_counts(const struct drive *drive, struct stamp_counts *ret);

/*
 * The pure part: fill and judge one page (a multiple of STAMP_SECTOR_BYTES).
 * stamp_judge cannot read again: an older version, or none of ours, is STAMP_STALE for it. Unless
 * the page is right *ret is filled, but for at_ns, with the first of the sectors that hold the
 * worst.
 *   cost  about 0.1 ns a byte each, on a processor with a CRC32C instruction
 */
void stamp_page(void *page, uint32_t page_bytes, uint32_t vm, uint64_t number, uint32_t version,
                uint64_t body_seed);
enum stamp_verdict stamp_judge(const void *page, uint32_t page_bytes, uint32_t vm, uint64_t number,
                               uint32_t version, struct stamp_finding *ret);

#endif
