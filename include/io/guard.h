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
    char magic[16]; /* "rawtps superblk" */
    uint32_t version, crc; /* CRC32C of the block with this field 0 */
    char scenario[64], sha256[72]; /* of the filled layout */
    uint64_t seed, filled_bytes, used_bytes; /* filled_bytes: everything below is written */
};

struct guard_request {
    const char *path;
    const char *erase;       /* what the user typed after --erase, or NULL */
    bool write;              /* the scenario writes (or must fill) */
    uint64_t create_bytes;   /* a regular file that is absent is created with this size; 0: refuse */
    uint64_t expect_bytes;   /* --expect-size; 0: none */
};

/* An opened target, kept open (block devices O_EXCL) for the whole run. */
struct guard {
    int fd;
    bool block_device, created, ours; /* ours: carries a valid superblock */
    struct superblock superblock;     /* if ours */
    struct drive_facts facts;         /* identity as far as it can be known */
};

/*
 * All rules of DRIVES.md section 3, before the first byte. Nothing is created under /dev.
 * Errors: EXIT_USAGE (refused; the text says what was found, the hint which option permits it or
 * that nothing does), EXIT_FAILED (no permission, no such device).
 */
int guard_open(struct guard *guard, const struct guard_request *request, struct error *err);
/* Would guard_open refuse? Touches nothing; for `plan`. */
int guard_look(const struct guard_request *request, struct drive_facts *ret, struct error *err);
int guard_write_superblock(struct guard *guard, const struct superblock *superblock,
                           struct error *err);
void guard_close(struct guard *guard);

#endif
