/* io/superblock: the mark by which rawtps knows its own drives and files again. */
#ifndef RAWTPS_IO_SUPERBLOCK_H
#define RAWTPS_IO_SUPERBLOCK_H

#include "io/guard.h"

/* Is there a valid one? fd may be O_DIRECT. */
bool superblock_read(int fd, struct superblock *ret);
/* Writes it through and flushes. Sets magic, version and crc. Negative errno. */
int superblock_write(int fd, const struct superblock *superblock);

#endif
