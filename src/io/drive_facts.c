#include "drive_facts.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sysfs.h"

enum { FOLLOW = 8 };

/* ---- one disk -------------------------------------------------------------------------------- */

/* SCSI's unit serial number page: 4 bytes of head, the length in the last two. */
static void read_vpd_serial(const char *dir, char *ret, size_t size)
{
    char page[256 + 1];
    ssize_t n = sysfs_read(dir, "device/vpd_pg80", page, sizeof(page));
    size_t length, from = 4, used = 0;

    if (n < 4) {
        return;
    }
    length = ((size_t)(uint8_t)page[2] << 8 | (uint8_t)page[3]) + 4;
    length = length < (size_t)n ? length : (size_t)n;
    while (from < length && page[from] == ' ') {
        from++;
    }
    while (from < length && used + 1 < size && isgraph((unsigned char)page[from])) {
        ret[used++] = page[from++];
    }
    ret[used] = '\0';
}

static void find_kind(struct disk *disk)
{
    static const struct {
        const char *begin, *kind;
    } kinds[] = {{"nvme", "nvme"}, {"vd", "virtio"}, {"loop", "loop"}, {"zram", "zram"},
                 {"ram", "ram"},   {"dm-", "dm"},    {"md", "md"}};
    char vendor[32];

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strncmp(disk->name, kinds[i].begin, strlen(kinds[i].begin)) == 0) {
            snprintf(disk->kind, sizeof(disk->kind), "%s", kinds[i].kind);
            return;
        }
    }
    if (strncmp(disk->name, "sd", 2) == 0) {
        sysfs_word(disk->dir, "device/vendor", vendor, sizeof(vendor));
        snprintf(disk->kind, sizeof(disk->kind), "%s", strcmp(vendor, "ATA") == 0 ? "sata" : "sas");
        return;
    }
    snprintf(disk->kind, sizeof(disk->kind), "%.*s", (int)strcspn(disk->name, "0123456789"),
             disk->name);
}

static void find_identity(struct disk *disk)
{
    const char *dir = disk->dir;

    sysfs_word(dir, "device/model", disk->model, sizeof(disk->model));
    if (!sysfs_word(dir, "device/serial", disk->serial, sizeof(disk->serial)) &&
        !sysfs_word(dir, "serial", disk->serial, sizeof(disk->serial))) {
        read_vpd_serial(dir, disk->serial, sizeof(disk->serial));
    }
    if (!sysfs_word(dir, "device/firmware_rev", disk->firmware, sizeof(disk->firmware))) {
        sysfs_word(dir, "device/rev", disk->firmware, sizeof(disk->firmware));
    }
    sysfs_word(dir, "loop/backing_file", disk->backing, sizeof(disk->backing));
}

/* The serial number; of a loop device its file; of a mapped one its name; else the model's tail. */
static void find_typed(struct disk *disk)
{
    const char *tail = strrchr(disk->model, ' ');

    if (disk->backing[0]) {
        disk->typed_is = "backing file";
        snprintf(disk->typed, sizeof(disk->typed), "%s", disk->backing);
    } else if (disk->serial[0]) {
        disk->typed_is = "serial number";
        snprintf(disk->typed, sizeof(disk->typed), "%s", disk->serial);
    } else if (sysfs_word(disk->dir, "dm/name", disk->typed, sizeof(disk->typed))) {
        disk->typed_is = "device-mapper name";
    } else if (disk->model[0]) {
        disk->typed_is = "model's last word";
        snprintf(disk->typed, sizeof(disk->typed), "%s", tail ? tail + 1 : disk->model);
    } else {
        disk->typed_is = "device name";
        snprintf(disk->typed, sizeof(disk->typed), "%s", disk->name);
    }
}

int disk_find(struct disk *disk, dev_t device, const char *sysfs)
{
    char link[PATH_MAX], probe[32];
    const char *name;

    memset(disk, 0, sizeof(*disk));
    snprintf(link, sizeof(link), "%s/dev/block/%u:%u", sysfs, major(device), minor(device));
    if (realpath(link, disk->dir) == NULL) {
        return -ENODEV;
    }
    if (sysfs_read(disk->dir, "partition", probe, sizeof(probe)) >= 0) {
        disk->partition = true;
        *strrchr(disk->dir, '/') = '\0';
    }
    name = strrchr(disk->dir, '/') + 1;
    snprintf(disk->name, sizeof(disk->name), "%s", name);
    find_kind(disk);
    find_identity(disk);
    find_typed(disk);
    return 0;
}

/* ---- what it stands on ----------------------------------------------------------------------- */

static int disk_of_number(struct disk *disk, const char *dir, const char *sysfs)
{
    char number[32];
    unsigned a, b;

    if (!sysfs_word(dir, "dev", number, sizeof(number)) || sscanf(number, "%u:%u", &a, &b) != 2) {
        return -ENODEV;
    }
    return disk_find(disk, makedev(a, b), sysfs);
}

/* The next disk below by its slaves directory; entry NULL: there is no more. */
static int next_slave(DIR *slaves, const struct disk *disk, const char *sysfs, struct disk *ret)
{
    struct dirent *entry;

    while ((entry = readdir(slaves)) != NULL) {
        char dir[PATH_MAX + 512];

        snprintf(dir, sizeof(dir), "%s/slaves/%s", disk->dir, entry->d_name);
        if (entry->d_name[0] != '.' && disk_of_number(ret, dir, sysfs) == 0) {
            return 0;
        }
    }
    return -ENODEV;
}

static int disk_of_backing(const struct disk *disk, const char *sysfs, struct disk *ret)
{
    struct stat st;

    if (disk->backing[0] == '\0' || stat(disk->backing, &st) < 0) {
        return -ENODEV;
    }
    return disk_find(ret, S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev, sysfs);
}

bool disk_stands_on(const struct disk *disk, const char *name, const char *sysfs, int depth)
{
    char path[PATH_MAX + 16];
    struct disk below;
    bool found = strcmp(disk->name, name) == 0;
    DIR *slaves;

    if (found || depth == 0) {
        return found;
    }
    if (disk_of_backing(disk, sysfs, &below) == 0) {
        return disk_stands_on(&below, name, sysfs, depth - 1);
    }
    snprintf(path, sizeof(path), "%s/slaves", disk->dir);
    slaves = opendir(path);
    while (slaves && !found && next_slave(slaves, disk, sysfs, &below) == 0) {
        found = disk_stands_on(&below, name, sysfs, depth - 1);
    }
    if (slaves) {
        closedir(slaves);
    }
    return found;
}

/* The one disk below, if there is exactly one. */
static bool only_below(const struct disk *disk, const char *sysfs, struct disk *ret)
{
    char path[PATH_MAX + 16];
    struct disk second;
    DIR *slaves;
    bool one;

    if (disk_of_backing(disk, sysfs, ret) == 0) {
        return true;
    }
    snprintf(path, sizeof(path), "%s/slaves", disk->dir);
    slaves = opendir(path);
    if (slaves == NULL) {
        return false;
    }
    one = next_slave(slaves, disk, sysfs, ret) == 0 &&
          next_slave(slaves, disk, sysfs, &second) == -ENODEV;
    closedir(slaves);
    return one;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void say_scheduler(const char *dir, char *ret, size_t size)
{
    char all[128], *begin, *end;

    sysfs_word(dir, "queue/scheduler", all, sizeof(all));
    begin = strchr(all, '[');
    end = begin ? strchr(begin, ']') : NULL;
    if (end) {
        *end = '\0';
    }
    snprintf(ret, size, "%.*s", (int)size - 1, end ? begin + 1 : all);
}

static void say_queue(const char *dir, char *ret, size_t size)
{
    static const char *const keys[] = {"write_cache", "fua",           "nr_requests",
                                       "rotational",  "io_poll",       "wbt_lat_usec",
                                       "nomerges",    "max_sectors_kb"};
    char value[64], name[64];
    size_t used;

    say_scheduler(dir, value, sizeof(value));
    used = (size_t)snprintf(ret, size, "scheduler=%s", value);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && used < size; i++) {
        snprintf(name, sizeof(name), "queue/%s", keys[i]);
        if (sysfs_word(dir, name, value, sizeof(value))) {
            used += (size_t)snprintf(ret + used, size - used, ", %s=%s", keys[i], value);
        }
    }
}

static void say_flush(const char *dir, char *ret, size_t size)
{
    char cache[32];

    sysfs_word(dir, "queue/write_cache", cache, sizeof(cache));
    if (strcmp(cache, "write through") == 0) {
        snprintf(ret, size, "no-op (no volatile cache)");
    } else if (sysfs_number(dir, "queue/fua")) {
        snprintf(ret, size, "fdatasync, RWF_DSYNC as FUA");
    } else {
        snprintf(ret, size, "fdatasync, RWF_DSYNC as write and flush");
    }
}

void disk_follow(const struct disk *top, const char *sysfs, struct disk *ret)
{
    struct disk below;

    *ret = *top;
    for (int i = 0; i < FOLLOW && ret->serial[0] == '\0' && ret->model[0] == '\0'; i++) {
        if (!only_below(ret, sysfs, &below)) {
            break;
        }
        *ret = below;
    }
}

static void facts_of_disk(const struct disk *top, const char *sysfs, struct drive_facts *ret)
{
    struct disk disk;

    disk_follow(top, sysfs, &disk);
    snprintf(ret->model, sizeof(ret->model), "%s", disk.model);
    snprintf(ret->serial, sizeof(ret->serial), "%s", disk.serial);
    snprintf(ret->firmware, sizeof(ret->firmware), "%s", disk.firmware);
    ret->logical_block_bytes = (uint32_t)sysfs_number(top->dir, "queue/logical_block_size");
    ret->physical_block_bytes = (uint32_t)sysfs_number(top->dir, "queue/physical_block_size");
    disk_link(&disk, &ret->link);
    disk_numa_node(&disk, ret->numa_node, sizeof(ret->numa_node));
    say_queue(top->dir, ret->queue, sizeof(ret->queue));
    say_flush(top->dir, ret->flush, sizeof(ret->flush));
}

uint64_t drive_bytes(int fd)
{
    uint64_t bytes = 0;
    struct stat st;

    if (fstat(fd, &st) < 0) {
        return 0;
    }
    if (S_ISBLK(st.st_mode)) {
        return ioctl(fd, BLKGETSIZE64, &bytes) < 0 ? 0 : bytes;
    }
    return (uint64_t)st.st_size;
}

/* What direct I/O asks for: the kernel's word (Linux 6.1), else the logical block, else a page. */
static uint32_t dio_align(int fd, uint32_t logical_bytes)
{
    uint32_t align = 0;
    struct statx st;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &st) == 0 && (st.stx_mask & STATX_DIOALIGN)) {
        align = st.stx_dio_offset_align > st.stx_dio_mem_align ? st.stx_dio_offset_align
                                                               : st.stx_dio_mem_align;
    }
    if (align == 0) {
        align = logical_bytes ? logical_bytes : 4096;
    }
    return align < 512 ? 512 : align;
}

void drive_facts_of_fd(int fd, const char *sysfs, struct drive_facts *ret)
{
    char link[64], path[PATH_MAX];
    struct stat st;
    struct disk disk;
    bool block;
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    snprintf(ret->path, sizeof(ret->path), "%.*s", (int)sizeof(ret->path) - 1, path);
    if (fstat(fd, &st) < 0) {
        return;
    }
    block = S_ISBLK(st.st_mode);
    snprintf(ret->kind, sizeof(ret->kind), "file");
    ret->capacity_bytes = drive_bytes(fd);
    if (disk_find(&disk, block ? st.st_rdev : st.st_dev, sysfs) == 0) {
        facts_of_disk(&disk, sysfs, ret);
        if (block) {
            snprintf(ret->kind, sizeof(ret->kind), "%s", disk.kind);
        }
    }
    if (ret->flush[0] == '\0') {
        snprintf(ret->flush, sizeof(ret->flush), "fdatasync");
    }
    ret->dio_align_bytes = dio_align(fd, ret->logical_block_bytes);
}
