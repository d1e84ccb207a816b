#include "io_fate.h"

#include <errno.h>
#include <string.h>

enum io_fate io_fate(const struct io *io, int32_t result, uint32_t wanted)
{
    if (result >= 0) {
        if ((uint32_t)result == wanted || io->verb == IO_FLUSH || io->verb == IO_TRIM) {
            return FATE_DONE;
        }
        if (result == 0) {
            return FATE_ENDS;
        }
        return io->real.tries < IO_TRIES ? FATE_SHORT : FATE_FAILED;
    }
    switch (-result) {
    case EAGAIN:
    case EINTR:
        return FATE_AGAIN;
    case EINVAL:
    case EFAULT:
    case EBADF:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENODEV:
    case ENXIO:
    case EROFS:
    case EOPNOTSUPP:
        return FATE_ENDS;
    default:
        return FATE_FAILED;
    }
}

static const char *fate_hint(int32_t result)
{
    switch (-result) {
    case 0:
        return "the file ends there: was it cut while the run used it?";
    case EINVAL:
    case EFAULT:
    case EBADF:
        return "offset, size and address must be multiples of what the drive asks for direct I/O";
    case ENOSPC:
    case EDQUOT:
        return "the file system or thin volume below is full: free some, or fill the file first";
    case ENODEV:
    case ENXIO:
        return "the drive is gone: see the kernel's log";
    case EOPNOTSUPP:
        return "the drive or file system cannot do this: leave the option off";
    default:
        return "see the kernel's log";
    }
}

int io_fate_error(struct error *err, const struct io *io, int32_t result)
{
    const struct drive *drive = io->real.drive;

    error_set(err, EXIT_FAILED, result ? result : -EIO,
              "%s of %u bytes at offset %llu: %s (alignment %u, drive of %llu bytes)",
              io_verb_names[io->verb], io->bytes, (unsigned long long)io->offset,
              result ? strerror(-result) : "nothing was moved", drive->align_bytes,
              (unsigned long long)drive->capacity_bytes);
    return error_hint(err, "%s", fate_hint(result));
}
