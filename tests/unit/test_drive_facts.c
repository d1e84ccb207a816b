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
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../../src/io/drive_facts.h"

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
    };
    return cmocka_run_group_tests_name("drive_facts", tests, make_root, remove_root);
}
