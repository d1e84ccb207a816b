#include "signature.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say(struct signature *ret, blkid_probe probe)
{
    const char *type = NULL, *usage = NULL, *table = NULL;

    blkid_probe_lookup_value(probe, "TYPE", &type, NULL);
    blkid_probe_lookup_value(probe, "USAGE", &usage, NULL);
    blkid_probe_lookup_value(probe, "PTTYPE", &table, NULL);
    if (type && usage && strcmp(usage, "filesystem") == 0) {
        snprintf(ret->text, sizeof(ret->text), "a file system (%.32s)", type);
    } else if (type) {
        snprintf(ret->text, sizeof(ret->text), "a signature (%.32s, %.32s)", type,
                 usage ? usage : "of unknown use");
    } else if (table) {
        snprintf(ret->text, sizeof(ret->text), "a partition table (%.32s)", table);
    } else {
        snprintf(ret->text, sizeof(ret->text), "a signature that libblkid does not name");
    }
}

static int find(struct signature *ret, blkid_probe probe, int fd)
{
    int found;

    if (blkid_probe_set_device(probe, fd, 0, 0) != 0) {
        return -1;
    }
    blkid_probe_enable_superblocks(probe, 1);
    blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
                                                 BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_BADCSUM);
    blkid_probe_enable_partitions(probe, 1);
    blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC);
    found = blkid_do_safeprobe(probe);
    if (found == 0) {
        say(ret, probe);
    } else if (found == -2) {
        snprintf(ret->text, sizeof(ret->text), "several signatures at once");
    }
    return found == -1 ? -1 : 0;
}

int signature_find(struct signature *ret, int fd, struct error *err)
{
    char path[64];
    int again, code = -1;
    blkid_probe probe;

    ret->text[0] = '\0';
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    again = open(path, O_RDONLY | O_CLOEXEC);
    probe = again >= 0 ? blkid_new_probe() : NULL;
    if (probe) {
        code = find(ret, probe, again);
        blkid_free_probe(probe);
    }
    if (again >= 0) {
        close(again);
    }
    if (code < 0) {
        return error_set(err, EXIT_FAILED, -EIO, "cannot be searched for file systems: %s",
                         strerror(errno ? errno : EIO));
    }
    return 0;
}
