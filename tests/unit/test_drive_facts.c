/* rooms: base io. A drive under a wrong name is erased, or compared with another: trees like /sys.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../../src/io/drive_facts.h"
#include "../../src/io/nvme_log.h"

static char root[] = "sysfs-XXXXXX";

static void folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
}

static void put(const char *name, const void *content, size_t bytes)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", root, name);
    folders(path);
    file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, bytes, file), bytes);
    fclose(file);
}

static void say(const char *name, const char *content)
{
    put(name, content, strlen(content));
}

static void number(const char *device, const char *dir)
{
    char path[512], target[512];

    snprintf(path, sizeof(path), "%s/dev/block/%s", root, device);
    snprintf(target, sizeof(target), "../../%s", dir);
    folders(path);
    assert_int_equal(symlink(target, path), 0);
    snprintf(path, sizeof(path), "%s/dev", dir);
    say(path, device);
}

static void an_nvme_drive_and_its_partition(void **state)
{
    struct disk disk;

    number("259:0", "devices/nvme0n1");
    say("devices/nvme0n1/device/model", "KINGSTON SEDC1000M960G                  \n");
    say("devices/nvme0n1/device/serial", "50026B7282AA0001    \n");
    say("devices/nvme0n1/device/firmware_rev", "SCEKH3.4\n");
    number("259:1", "devices/nvme0n1/nvme0n1p1");
    say("devices/nvme0n1/nvme0n1p1/partition", "1\n");
    for (unsigned minor = 0; minor < 2; minor++) {
        assert_int_equal(disk_find(&disk, makedev(259, minor), root), 0);
        assert_string_equal(disk.name, "nvme0n1");
        assert_string_equal(disk.kind, "nvme");
        assert_string_equal(disk.model, "KINGSTON SEDC1000M960G");
        assert_string_equal(disk.typed, "50026B7282AA0001");
        assert_string_equal(disk.typed_is, "serial number");
        assert_string_equal(disk.firmware, "SCEKH3.4");
        assert_int_equal(disk.partition, minor == 1);
    }
    assert_int_equal(disk_find(&disk, makedev(259, 7), root), -ENODEV);
}

static void a_sata_drive_by_its_vital_product_data(void **state)
{
    static const char page[] = "\0\x80\0\x0e  S3Z8NB0K1234junk";
    struct disk disk;

    number("8:0", "devices/sda");
    say("devices/sda/device/vendor", "ATA     \n");
    say("devices/sda/device/model", "Samsung SSD 860 \n");
    say("devices/sda/device/rev", "4B6Q\n");
    put("devices/sda/device/vpd_pg80", page, sizeof(page) - 1);
    assert_int_equal(disk_find(&disk, makedev(8, 0), root), 0);
    assert_string_equal(disk.kind, "sata");
    assert_string_equal(disk.serial, "S3Z8NB0K1234");
    assert_string_equal(disk.firmware, "4B6Q");
}

static void without_a_serial_the_models_tail(void **state)
{
    struct disk disk;

    number("8:16", "devices/sdb");
    say("devices/sdb/device/vendor", "HGST\n");
    say("devices/sdb/device/model", "HUS 726T6\n");
    assert_int_equal(disk_find(&disk, makedev(8, 16), root), 0);
    assert_string_equal(disk.kind, "sas");
    assert_string_equal(disk.typed, "726T6");
    number("252:9", "devices/zram9");
    assert_int_equal(disk_find(&disk, makedev(252, 9), root), 0);
    assert_string_equal(disk.typed, "zram9");
    number("7:3", "devices/loop3");
    say("devices/loop3/loop/backing_file", "/srv/disk one.img\n");
    assert_int_equal(disk_find(&disk, makedev(7, 3), root), 0);
    assert_string_equal(disk.typed, "/srv/disk one.img");
    assert_string_equal(disk.typed_is, "backing file");
}

static void follows_mapped_devices_down(void **state)
{
    struct disk disk;

    number("254:16", "devices/vdb");
    say("devices/vdb/serial", "VIRT-0001\n");
    number("9:0", "devices/md0");
    say("devices/md0/slaves/vdb/dev", "254:16\n");
    number("253:0", "devices/dm-0");
    say("devices/dm-0/slaves/md0/dev", "9:0\n");
    say("devices/dm-0/dm/name", "vg-data\n");
    assert_int_equal(disk_find(&disk, makedev(253, 0), root), 0);
    assert_string_equal(disk.kind, "dm");
    assert_string_equal(disk.typed, "vg-data");
    assert_true(disk_stands_on(&disk, "vdb", root, 8)); /* two floors down */
    assert_true(disk_stands_on(&disk, "dm-0", root, 8));
    assert_false(disk_stands_on(&disk, "vda", root, 8));
    assert_false(disk_stands_on(&disk, "vdb", root, 1)); /* a cycle would end there */
}

static void link_to(const char *name, const char *target)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", root, name);
    folders(path);
    assert_int_equal(symlink(target, path), 0);
}

static void link_of(unsigned a, unsigned b, struct drive_link *ret, struct drive_health *health)
{
    struct disk disk;

    assert_int_equal(disk_find(&disk, makedev(a, b), root), 0);
    disk_link(&disk, ret);
    disk_health(&disk, root, health);
}

#define PCI "devices/pci0000:00/0000:3d:00.0"

/* A drive in a slot of fewer lanes is another drive: found through the controller, as it hangs. */
static void the_link_and_warmth_of_an_nvme_drive(void **state)
{
    struct drive_link link;
    struct drive_health health;
    struct disk disk;
    char node[8];

    say(PCI "/current_link_speed", "8.0 GT/s PCIe\n");
    say(PCI "/current_link_width", "2\n");
    say(PCI "/max_link_speed", "16.0 GT/s PCIe\n");
    say(PCI "/max_link_width", "4\n");
    say(PCI "/numa_node", "1\n");
    say(PCI "/nvme/nvme3/model", "H3201\n");
    link_to(PCI "/nvme/nvme3/device", "../../../0000:3d:00.0");
    number("259:8", PCI "/nvme/nvme3/nvme3n1");
    link_to(PCI "/nvme/nvme3/nvme3n1/device", "../../nvme3");
    number("259:9", PCI "/nvme/nvme3/nvme3n1/nvme3n1p2");
    say(PCI "/nvme/nvme3/nvme3n1/nvme3n1p2/partition", "2\n");
    link_of(259, 9, &link, &health);
    assert_true(link.speed_gt_s == 8 && link.most_gt_s == 16);
    assert_true(link.lanes == 2 && link.most_lanes == 4);
    assert_true(isnan(health.celsius) && isnan(health.throttled_s));
    say(PCI "/nvme/nvme3/hwmon5/temp1_input", "43850\n");
    link_of(259, 8, &link, &health);
    assert_true(health.celsius == 43.85);
    assert_int_equal(disk_find(&disk, makedev(259, 8), root), 0);
    disk_numa_node(&disk, node, sizeof(node));
    assert_string_equal(node, "1");
    say(PCI "/current_link_speed", "Unknown\n");
    say(PCI "/numa_node", "-1\n");
    link_of(259, 8, &link, &health);
    assert_true(link.speed_gt_s == 0);
    disk_numa_node(&disk, node, sizeof(node));
    assert_string_equal(node, "");
}

/* With native multipath the disk hangs at a subsystem: its one controller is the drive's. */
static void a_subsystem_of_one_controller_and_of_two(void **state)
{
    struct drive_link link;
    struct drive_health health;

    say("devices/pci0/0000:01:00.0/current_link_speed", "32.0 GT/s PCIe\n");
    say("devices/pci0/0000:01:00.0/current_link_width", "4\n");
    say("devices/pci0/0000:01:00.0/hwmon/hwmon1/temp1_input", "51000\n");
    say("devices/pci0/0000:01:00.0/nvme/nvme4/cntlid", "1\n");
    link_to("devices/pci0/0000:01:00.0/nvme/nvme4/device", "../../../0000:01:00.0");
    say("devices/nvme-subsys4/model", "D7\n");
    link_to("devices/nvme-subsys4/nvme4", "../pci0/0000:01:00.0/nvme/nvme4");
    number("259:12", "devices/nvme-subsys4/nvme4n1");
    link_to("devices/nvme-subsys4/nvme4n1/device", "../../nvme-subsys4");
    link_of(259, 12, &link, &health);
    assert_true(link.speed_gt_s == 32 && link.lanes == 4);
    assert_true(health.celsius == 51);
    say("devices/pci0/0000:02:00.0/nvme/nvme5/cntlid", "2\n");
    link_to("devices/nvme-subsys4/nvme5", "../pci0/0000:02:00.0/nvme/nvme5");
    link_of(259, 12, &link, &health);
    assert_true(link.speed_gt_s == 0 && link.lanes == 0 && isnan(health.celsius));
}

static void the_link_and_warmth_of_a_sata_drive(void **state)
{
#define ATA "devices/pci0000:00/0000:00:17.0/ata3"
    struct drive_link link;
    struct drive_health health;

    say("devices/pci0000:00/0000:00:17.0/current_link_speed", "16.0 GT/s PCIe\n");
    say(ATA "/link3/ata_link/link3/sata_spd", "3.0 Gbps\n");
    say(ATA "/link3/ata_link/link3/hw_sata_spd_limit", "6.0 Gbps\n");
    say(ATA "/host2/target2:0:0/2:0:0:0/vendor", "ATA\n");
    say(ATA "/host2/target2:0:0/2:0:0:0/hwmon/hwmon2/temp1_input", "31000\n");
    number("8:32", ATA "/host2/target2:0:0/2:0:0:0/block/sdc");
    link_to(ATA "/host2/target2:0:0/2:0:0:0/block/sdc/device", "../../../2:0:0:0");
    link_of(8, 32, &link, &health);
    assert_true(link.speed_gt_s == 3 && link.most_gt_s == 6 && link.lanes == 0);
    assert_true(health.celsius == 31 && isnan(health.throttled_s));
    number("254:48", "devices/virtio5/block/vdd");
    link_to("devices/virtio5/block/vdd/device", "../../../virtio5");
    link_of(254, 48, &link, &health); /* what is behind nobody tells */
    assert_true(link.speed_gt_s == 0 && isnan(health.celsius));
}

/* NVM Express Base Specification 2.0, figure 207; little-endian. */
static void the_health_that_a_controller_counts(void **state)
{
    uint8_t page[NVME_LOG_BYTES] = {0};
    struct drive_health health = {NAN, NAN, NAN, NAN, NAN};

    nvme_log_parse(page, &health);
    assert_true(isnan(health.celsius) && health.throttled_s == 0 && health.warning_minutes == 0);
    page[1] = 0x3e, page[2] = 0x01;                    /* 318 K */
    page[192] = 7, page[193] = 1;                      /* 263 minutes */
    page[196] = 2;                                     /* 2 minutes */
    page[224] = 0x10, page[225] = 0x27, page[228] = 5; /* 10,000 s and 5 s */
    nvme_log_parse(page, &health);
    assert_true(health.celsius == 45 && health.throttled_s == 10005);
    assert_true(health.warning_minutes == 263 && health.critical_minutes == 2);
    assert_true(isnan(health.power_state));
}

static int make_root(void **state)
{
    return mkdtemp(root) == NULL;
}

static int remove_root(void **state)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_nvme_drive_and_its_partition),
        cmocka_unit_test(a_sata_drive_by_its_vital_product_data),
        cmocka_unit_test(without_a_serial_the_models_tail),
        cmocka_unit_test(follows_mapped_devices_down),
        cmocka_unit_test(the_link_and_warmth_of_an_nvme_drive),
        cmocka_unit_test(a_subsystem_of_one_controller_and_of_two),
        cmocka_unit_test(the_link_and_warmth_of_a_sata_drive),
        cmocka_unit_test(the_health_that_a_controller_counts),
    };
    return cmocka_run_group_tests_name("drive_facts", tests, make_root, remove_root);
}
