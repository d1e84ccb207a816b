#include "guard_rules.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SYSFS "/sys"
enum { FOLLOW = 8, LINE = 8192 };

static bool backs(const struct disk *disk, const char *path)
{
    struct disk top;
    struct stat st;

    return stat(path, &st) == 0 &&
           disk_find(&top, S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev, SYSFS) == 0 &&
           disk_stands_on(&top, disk->name, SYSFS, FOLLOW);
}

/* Calls look(context, first word) for each line of /proc/swaps until it says true. */
static bool any_swap(bool (*look)(const void *context, const char *path), const void *context)
{
    FILE *swaps = fopen("/proc/swaps", "re");
    char line[LINE];
    bool found = false;

    while (swaps && !found && fgets(line, sizeof(line), swaps)) {
        line[strcspn(line, " \t\n")] = '\0';
        found = line[0] == '/' && look(context, line);
    }
    if (swaps) {
        fclose(swaps);
    }
    return found;
}

static bool swap_backed(const void *context, const char *path)
{
    return backs(context, path);
}

static bool rule_system(const struct disk *disk, char found[FOUND_BYTES])
{
    static const char *const places[] = {"/", "/boot", "/boot/efi", "/usr"};

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (backs(disk, places[i])) {
            snprintf(found, FOUND_BYTES, "is on the system's own disk (%s holds %s)", disk->name,
                     places[i]);
            return true;
        }
    }
    if (any_swap(swap_backed, disk)) {
        snprintf(found, FOUND_BYTES, "is on the system's own disk (%s holds swap)", disk->name);
        return true;
    }
    return false;
}

static bool rule_mounted(const struct disk *disk, dev_t device, char found[FOUND_BYTES])
{
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char line[LINE], point[LINE];
    bool mounted = false;
    unsigned a, b;

    while (mounts && !mounted && fgets(line, sizeof(line), mounts)) {
        struct disk other;

        if (sscanf(line, "%*s %*s %u:%u %*s %8191s", &a, &b, point) != 3) {
            continue;
        }
        mounted = makedev(a, b) == device;
        if (!mounted && disk_find(&other, makedev(a, b), SYSFS) == 0) {
            mounted = strcmp(other.name, disk->name) == 0 && disk->partition != other.partition;
        }
    }
    if (mounts) {
        fclose(mounts);
    }
    if (mounted) {
        snprintf(found, FOUND_BYTES, "is mounted at %.256s", point);
    }
    return mounted;
}

static bool first_entry(const char *dir, char *ret, size_t size)
{
    DIR *entries = opendir(dir);
    struct dirent *entry = NULL;

    while (entries && (entry = readdir(entries)) != NULL && entry->d_name[0] == '.') {
    }
    if (entry) {
        snprintf(ret, size, "%.63s", entry->d_name);
    }
    if (entries) {
        closedir(entries);
    }
    return entry != NULL;
}

/* Calls look for each partition's directory in sysfs until it says true. */
static bool any_partition(const struct disk *disk, bool (*look)(const char *dir, void *context),
                          void *context)
{
    DIR *entries = opendir(disk->dir);
    struct dirent *entry;
    bool found = false;

    while (entries && !found && (entry = readdir(entries)) != NULL) {
        char dir[PATH_MAX + 512], mark[PATH_MAX + 512];

        snprintf(dir, sizeof(dir), "%.4095s/%s", disk->dir, entry->d_name);
        snprintf(mark, sizeof(mark), "%.4350s/partition", dir);
        found = entry->d_name[0] != '.' && access(mark, F_OK) == 0 && look(dir, context);
    }
    if (entries) {
        closedir(entries);
    }
    return found;
}

static bool held(const char *dir, void *context)
{
    char path[PATH_MAX + 512], holder[64];

    snprintf(path, sizeof(path), "%.4350s/holders", dir);
    if (!first_entry(path, holder, sizeof(holder))) {
        return false;
    }
    snprintf(context, FOUND_BYTES, "is below %s", holder);
    return true;
}

static bool rule_holders(const struct disk *disk, dev_t device, char found[FOUND_BYTES])
{
    char link[PATH_MAX];

    snprintf(link, sizeof(link), SYSFS "/dev/block/%u:%u", major(device), minor(device));
    return held(link, found) || held(disk->dir, found) ||
           (!disk->partition && any_partition(disk, held, found));
}

static bool name_partition(const char *dir, void *context)
{
    snprintf(context, FOUND_BYTES, "has partitions (%.63s)", strrchr(dir, '/') + 1);
    return true;
}

bool guard_rule_partitions(const struct disk *disk, char found[FOUND_BYTES])
{
    return !disk->partition && any_partition(disk, name_partition, found);
}

/* Does /proc/PID/fd hold the device? */
static bool process_opened(const char *pid, dev_t device)
{
    char path[PATH_MAX];
    struct dirent *entry;
    struct stat st;
    bool found = false;
    DIR *fds;

    snprintf(path, sizeof(path), "/proc/%.32s/fd", pid);
    fds = opendir(path);
    while (fds && !found && (entry = readdir(fds)) != NULL) {
        found = entry->d_name[0] != '.' && fstatat(dirfd(fds), entry->d_name, &st, 0) == 0 &&
                S_ISBLK(st.st_mode) && st.st_rdev == device;
    }
    if (fds) {
        closedir(fds);
    }
    return found;
}

bool guard_rule_opened(dev_t device, char found[FOUND_BYTES])
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    bool opened = false;

    while (processes && !opened && (entry = readdir(processes)) != NULL) {
        char path[64], comm[32] = "?";
        FILE *file;

        if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name) ||
            atoi(entry->d_name) == getpid() || !process_opened(entry->d_name, device)) {
            continue;
        }
        opened = true;
        snprintf(path, sizeof(path), "/proc/%.32s/comm", entry->d_name);
        file = fopen(path, "re");
        if (file) {
            comm[strcspn(fgets(comm, sizeof(comm), file) ? comm : "", "\n")] = '\0';
            fclose(file);
        }
        snprintf(found, FOUND_BYTES, "is open in process %.32s (%.31s)", entry->d_name, comm);
    }
    if (processes) {
        closedir(processes);
    }
    return opened;
}

static bool same_file(const void *context, const char *path)
{
    const struct stat *file = context;
    struct stat st;

    return stat(path, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* except: of a loop device that may. */
static bool loop_stands_on(const struct stat *file, const char *except, char found[FOUND_BYTES])
{
    DIR *blocks = opendir(SYSFS "/block");
    struct dirent *entry;
    bool stands = false;

    while (blocks && !stands && (entry = readdir(blocks)) != NULL) {
        char path[PATH_MAX + 64], backing[PATH_MAX] = "";
        FILE *handle;

        if (strcmp(entry->d_name, except) == 0) {
            continue;
        }
        snprintf(path, sizeof(path), SYSFS "/block/%.255s/loop/backing_file", entry->d_name);
        handle = fopen(path, "re");
        if (handle == NULL) {
            continue;
        }
        if (fgets(backing, sizeof(backing), handle)) {
            backing[strcspn(backing, "\n")] = '\0';
            stands = same_file(file, backing);
        }
        fclose(handle);
        if (stands) {
            snprintf(found, FOUND_BYTES, "is the file behind /dev/%.63s", entry->d_name);
        }
    }
    if (blocks) {
        closedir(blocks);
    }
    return stands;
}

static bool file_used(const struct stat *file, const char *except, char found[FOUND_BYTES])
{
    if (any_swap(same_file, file)) {
        snprintf(found, FOUND_BYTES, "is a swap file");
        return true;
    }
    return loop_stands_on(file, except, found);
}

bool guard_rule_file_used(const char *path, char found[FOUND_BYTES])
{
    struct stat st;

    return stat(path, &st) == 0 && file_used(&st, "", found);
}

static bool device_used(dev_t device, char found[FOUND_BYTES])
{
    struct disk disk;

    return disk_find(&disk, device, SYSFS) == 0 &&
           (guard_rule_used(&disk, device, found) || guard_rule_opened(device, found));
}

/* A loop device whose file, or the device behind it, somebody else uses too. */
static bool rule_backing(const struct disk *disk, char found[FOUND_BYTES])
{
    char below[FOUND_BYTES];
    struct stat st;

    if (disk->backing[0] == '\0' || stat(disk->backing, &st) != 0) {
        return false;
    }
    if (S_ISBLK(st.st_mode) ? !device_used(st.st_rdev, below)
                            : !file_used(&st, disk->name, below)) {
        return false;
    }
    snprintf(found, FOUND_BYTES, "is on %.120s, which %.180s", disk->backing, below);
    return true;
}

bool guard_rule_used(const struct disk *disk, dev_t device, char found[FOUND_BYTES])
{
    return rule_system(disk, found) || rule_mounted(disk, device, found) ||
           rule_holders(disk, device, found) || rule_backing(disk, found);
}
