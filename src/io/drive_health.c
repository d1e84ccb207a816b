#include "drive_facts.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nvme_log.h"
#include "sysfs.h"

/* ---- where it hangs -------------------------------------------------------------------------- */

/* "nvme3", and not "nvme3n1" or "nvme-subsys0". */
static bool is_controller(const char *name)
{
    size_t digits = strncmp(name, "nvme", 4) == 0 ? strspn(name + 4, "0123456789") : 0;

    return digits > 0 && name[4 + digits] == '\0';
}

/* A subsystem's only controller: of two, nobody knows by which one requests go. */
static bool only_controller(const char *subsystem, char ret[PATH_MAX])
{
    DIR *dir = opendir(subsystem);
    char path[PATH_MAX + 256];
    struct dirent *entry;
    uint32_t found = 0;

    while (dir && (entry = readdir(dir)) != NULL) {
        if (is_controller(entry->d_name)) {
            snprintf(path, sizeof(path), "%s/%s", subsystem, entry->d_name);
            found += realpath(path, ret) != NULL;
        }
    }
    if (dir) {
        closedir(dir);
    }
    return found == 1;
}

/* The device behind the disk: an NVMe controller, a SCSI device. */
static bool find_device(const struct disk *disk, char ret[PATH_MAX])
{
    char link[PATH_MAX + 16], base[PATH_MAX];

    snprintf(link, sizeof(link), "%s/device", disk->dir);
    if (realpath(link, base) == NULL) {
        return false;
    }
    if (strncmp(strrchr(base, '/') + 1, "nvme-subsys", 11) == 0) {
        return only_controller(base, ret);
    }
    memcpy(ret, base, sizeof(base));
    return true;
}

/* ---- link ------------------------------------------------------------------------------------ */

/* "8.0 GT/s PCIe", "6.0 Gbps"; 0 for "Unknown" and "<unknown>". */
static double speed_in(const char *dir, const char *name)
{
    char word[48];
    double speed = sysfs_word(dir, name, word, sizeof(word)) ? strtod(word, NULL) : 0;

    return isfinite(speed) && speed > 0 ? speed : 0;
}

static void pci_link(const char *device, struct drive_link *ret)
{
    char dir[PATH_MAX + 16];

    snprintf(dir, sizeof(dir), "%s/device", device);
    ret->speed_gt_s = speed_in(dir, "current_link_speed");
    ret->most_gt_s = speed_in(dir, "max_link_speed");
    ret->lanes = (uint32_t)sysfs_number(dir, "current_link_width");
    ret->most_lanes = (uint32_t)sysfs_number(dir, "max_link_width");
}

/* .../ata3/host2/target2:0:0/2:0:0:0 has .../ata3/link3/ata_link/link3. */
static void sata_link(const char *device, struct drive_link *ret)
{
    char dir[PATH_MAX + 64], *end;

    for (const char *at = strstr(device, "/ata"); at; at = strstr(at + 1, "/ata")) {
        unsigned long port = strtoul(at + 4, &end, 10);

        if (end > at + 4 && *end == '/') {
            snprintf(dir, sizeof(dir), "%.*s/link%lu/ata_link/link%lu", (int)(end - device), device,
                     port, port);
            ret->speed_gt_s = speed_in(dir, "sata_spd");
            ret->most_gt_s = speed_in(dir, "hw_sata_spd_limit");
            return;
        }
    }
}

void disk_link(const struct disk *disk, struct drive_link *ret)
{
    char device[PATH_MAX];

    *ret = (struct drive_link){0};
    if (!find_device(disk, device)) {
        return;
    }
    if (strcmp(disk->kind, "nvme") == 0) {
        pci_link(device, ret);
    } else if (strcmp(disk->kind, "sata") == 0) {
        sata_link(device, ret);
    }
}

void disk_numa_node(const struct disk *disk, char *ret, size_t size)
{
    char device[PATH_MAX];

    ret[0] = '\0';
    if (strcmp(disk->kind, "nvme") == 0 && find_device(disk, device) &&
        (!sysfs_word(device, "device/numa_node", ret, size) || ret[0] == '-')) {
        ret[0] = '\0';
    }
}

/* ---- health ---------------------------------------------------------------------------------- */

/* The first sensor among dir/hwmonN; NAN: there is none. */
static double sensor_in(const char *dir)
{
    char path[PATH_MAX + 512], word[32];
    double celsius = NAN;
    struct dirent *entry;
    DIR *open = opendir(dir);

    while (open && isnan(celsius) && (entry = readdir(open)) != NULL) {
        if (strncmp(entry->d_name, "hwmon", 5) != 0 || !isdigit((unsigned char)entry->d_name[5])) {
            continue;
        }
        snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
        if (sysfs_word(path, "temp1_input", word, sizeof(word))) {
            celsius = strtod(word, NULL) / 1000;
        }
    }
    if (open) {
        closedir(open);
    }
    return celsius;
}

/* Kernels differ in whether the sensor hangs at the controller or at its PCI device. */
static double temperature_of(const char *device)
{
    static const char *const places[] = {"", "/hwmon", "/device/hwmon"};
    char dir[PATH_MAX + 16];
    double celsius = NAN;

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && isnan(celsius); i++) {
        snprintf(dir, sizeof(dir), "%s%s", device, places[i]);
        celsius = sensor_in(dir);
    }
    return celsius;
}

void disk_health(const struct disk *disk, const char *dev, struct drive_health *ret)
{
    char device[PATH_MAX], path[PATH_MAX];
    double celsius;

    *ret = (struct drive_health){NAN, NAN, NAN, NAN, NAN};
    if (!find_device(disk, device)) {
        return;
    }
    if (strcmp(disk->kind, "nvme") == 0 &&
        snprintf(path, sizeof(path), "%s%s", dev, strrchr(device, '/')) < (int)sizeof(path)) {
        nvme_log_read(path, ret);
    }
    celsius = temperature_of(device);
    if (!isnan(celsius)) {
        ret->celsius = celsius;
    }
}

void drive_health_of_fd(int fd, const char *sysfs, struct drive_health *ret)
{
    struct disk top, disk;
    struct stat st;

    *ret = (struct drive_health){NAN, NAN, NAN, NAN, NAN};
    if (fstat(fd, &st) == 0 &&
        disk_find(&top, S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev, sysfs) == 0) {
        disk_follow(&top, sysfs, &disk);
        disk_health(&disk, "/dev", ret);
    }
}
