#include "superblock.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"

enum { VERSION = 1 };
static const char MAGIC[16] = "rawtps superblk";

union block {
    struct superblock superblock;
    char bytes[SUPERBLOCK_BYTES];
};
_Static_assert(sizeof(union block) == SUPERBLOCK_BYTES, "one block");

static uint32_t block_crc(const union block *block)
{
    union block copy = *block;

    copy.superblock.crc = 0;
    return crc32c(0, &copy, sizeof(copy));
}

static bool text_ends(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

bool superblock_read(int fd, struct superblock *ret)
{
    _Alignas(SUPERBLOCK_BYTES) union block block;
    const struct superblock *found = &block.superblock;

    if (pread(fd, &block, sizeof(block), 0) != (ssize_t)sizeof(block) ||
        memcmp(found->magic, MAGIC, sizeof(MAGIC)) != 0 || found->version != VERSION ||
        found->crc != block_crc(&block) || !text_ends(found->scenario, sizeof(found->scenario)) ||
        !text_ends(found->sha256, sizeof(found->sha256))) {
        return false;
    }
    *ret = *found;
    return true;
}

int superblock_write(int fd, const struct superblock *superblock)
{
    _Alignas(SUPERBLOCK_BYTES) union block block;
    ssize_t n;

    memset(&block, 0, sizeof(block));
    block.superblock = *superblock;
    memcpy(block.superblock.magic, MAGIC, sizeof(MAGIC));
    block.superblock.version = VERSION;
    block.superblock.crc = block_crc(&block);
    n = pwrite(fd, &block, sizeof(block), 0);
    if (n != (ssize_t)sizeof(block)) {
        return n < 0 ? -errno : -EIO;
    }
    return fdatasync(fd) < 0 ? -errno : 0;
}
