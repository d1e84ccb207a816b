/* io/signature: does a drive carry a file system, a volume of someone else's, a partition table? */
#ifndef RAWTPS_IO_SIGNATURE_H
#define RAWTPS_IO_SIGNATURE_H

#include "base/error.h"

struct signature {
    char text[128]; /* "an ext4 file system", "a dos partition table"; "" if there is none */
};

/*
 * Looks into an open block device or file, which is opened once more for reading without O_DIRECT.
 * Errors: EXIT_FAILED if it cannot be read.
 */
int signature_find(struct signature *ret, int fd, struct error *err);

#endif
