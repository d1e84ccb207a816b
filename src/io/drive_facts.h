/* io/drive_facts: which drive this is, from sysfs, followed through partitions, loop, dm and md. */
#ifndef RAWTPS_IO_DRIVE_FACTS_H
#define RAWTPS_IO_DRIVE_FACTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "io/drive.h"

/* A whole disk as the kernel shows it. Unknown is "" or 0. */
struct disk {
    char name[64];      /* "nvme0n1" */
    char dir[PATH_MAX]; /* its directory in sysfs */
    bool partition;     /* the device number asked for was a partition of it */
    char kind[16];      /* nvme sata sas virtio loop zram ram dm md, else as its name begins */
    char model[64], serial[64], firmware[32];
    char backing[PATH_MAX]; /* loop: the file behind */
    char typed[PATH_MAX];   /* what --erase must name */
    const char *typed_is;   /* "serial number", "backing file" ... */
};

/* sysfs: "/sys", or a tree that looks like it. Errors: -ENODEV if the kernel shows no such disk. */
int disk_find(struct disk *disk, dev_t device, const char *sysfs);

/*
 * Is any of this disk, or of what it stands on (slaves, the disk of a backing file), the disk named
 * `name`? depth ends cycles: 8.
 */
bool disk_stands_on(const struct disk *disk, const char *name, const char *sysfs, int depth);

/* The disk that has an identity, below what is only mapped; `top` itself if there is none. */
void disk_follow(const struct disk *top, const char *sysfs, struct disk *ret);

/* drive_health.c: how it is attached, and how warm it is. dev: "/dev", where NVMe is asked. */
void disk_link(const struct disk *disk, struct drive_link *ret);
void disk_numa_node(const struct disk *disk, char *ret, size_t size); /* "" if it has none */
void disk_health(const struct disk *disk, const char *dev, struct drive_health *ret);
/* Of an open block device or file; a file's is that of its disk. */
void drive_health_of_fd(int fd, const char *sysfs, struct drive_health *ret);

/* Identity, queue and flush of an open block device or file; a file's are those of its disk. */
void drive_facts_of_fd(int fd, const char *sysfs, struct drive_facts *ret);

/* The bytes of an open block device or file; 0 if that cannot be told. */
uint64_t drive_bytes(int fd);

#endif
