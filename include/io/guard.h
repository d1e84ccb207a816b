/* io/guard: nothing is written to a drive that is mounted, in use, or carries a signature. */
#ifndef RAWTPS_IO_GUARD_H
#define RAWTPS_IO_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/drive.h"

/* What rawtps writes at the start of each file or drive that it fills (one 4 KiB block). */
enum { SUPERBLOCK_BYTES = 4096 };
struct superblock {
    char magic[16];                          /* "rawtps superblk" */
    uint32_t version, crc;                   /* CRC32C of the block with this field 0 */
    char scenario[64], sha256[72];           /* of the filled layout */
    uint64_t seed, filled_bytes, used_bytes; /* filled_bytes: everything below is written */
};

struct guard_request {
    const char *path;
    const char *erase;     /* what the user typed after --erase, or NULL */
    bool write;            /* the scenario writes (or must fill) */
    uint64_t create_bytes; /* a regular file that is absent is created with this size; 0: refuse */
    uint64_t expect_bytes; /* --expect-size; 0: none */
};

/* An opened target, kept open (block devices O_EXCL) for the whole run. */
struct guard {
    int fd;
    bool block_device, created, ours; /* ours: carries a valid superblock */
    struct superblock superblock;     /* if ours */
    struct drive_facts facts;         /* identity as far as it can be known */
};

/*
 * All rules, before the first byte. Nothing is created under /dev.
 *   block device  held O_EXCL; never one that is mounted, in use, below another device, or the
 *                 system's own. To write, `erase` must name its serial number (loop: its backing
 *                 file; dm: its name; else the model's last word, else the device name)
 *   file          locked (OFD). To write: absent, empty (nothing in it but holes), or ours; any
 *                 other only if `erase` is its path. Made or grown to create_bytes with its blocks
 *                 allocated, and marked as ours at once with filled_bytes 0, so that a run that was
 *                 cut off leaves a file that the next one may use
 * The offset and size of every request must be multiples of facts.dio_align_bytes.
 * Errors: EXIT_USAGE (refused; the text says what was found, the hint which option permits it or
 * that nothing does), EXIT_FAILED (no permission, no such device, no space, no direct I/O).
 */
int guard_open(struct guard *guard, const struct guard_request *request, struct error *err);
/*
 * Would guard_open refuse? Touches nothing; for `plan`. *ret is set as far as the target was found,
 * also when it is refused; a file that would be made has kind "file" and its planned size.
 */
int guard_look(const struct guard_request *request, struct drive_facts *ret, struct error *err);
/* Is there a file that rawtps made? Touches nothing; false also if it cannot be read. */
bool guard_made_file(const char *path);
/*
 * The first byte between two of a file that was never written (a hole, or blocks that are only
 * reserved), or -1: reading there measures the memory, not the drive. A block device: -1.
 */
int64_t guard_hole_between(const struct guard *guard, uint64_t from, uint64_t until);
/* Size of the file and of its blocks, now. False: it has none of its own (a block device). */
bool guard_file_bytes(const struct guard *guard, uint64_t *ret_bytes, uint64_t *ret_allocated);
/* version and crc are set here. The first block of the drive, written through and flushed. */
int guard_write_superblock(struct guard *guard, const struct superblock *superblock,
                           struct error *err);
/* The file that guard_open() made at path goes: its purpose was refused. Any other stays. */
void guard_unmake(const struct guard *guard, const char *path);
void guard_close(struct guard *guard);

#endif
