/* rooms: base io
 * limit: 120, alone
 * Loop devices stand for drives: each refusal keeps what someone has on one. Needs root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <linux/blkpg.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/guard.h"

enum { MIB = 1 << 20, BYTES = 32 * MIB };

struct device {
    char image[4096], path[64];
};

static __attribute__((format(printf, 1, 2))) int run(const char *format, ...)
{
    char command[8192];
    va_list args;

    va_start(args, format);
    vsnprintf(command, sizeof(command), format, args);
    va_end(args);
    return system(command);
}

static int partition(const struct device *device, int op)
{
    struct blkpg_partition part = {.start = MIB, .length = 16 * MIB, .pno = 1};
    struct blkpg_ioctl_arg arg = {.op = op, .datalen = sizeof(part), .data = &part};
    int fd = open(device->path, O_RDWR | O_CLOEXEC), code = ioctl(fd, BLKPG, &arg);

    close(fd);
    return code;
}

static bool device_open(struct device *device)
{
    FILE *pipe;

    if (run("truncate -s %d image && losetup -f --show image >name 2>/dev/null", BYTES) != 0 ||
        realpath("image", device->image) == NULL) {
        return false;
    }
    pipe = fopen("name", "re");
    device->path[0] = '\0';
    if (pipe) {
        if (fgets(device->path, sizeof(device->path), pipe)) {
            device->path[strcspn(device->path, "\n")] = '\0';
        }
        fclose(pipe);
    }
    if (device->path[0] == '/') {
        partition(device, BLKPG_DEL_PARTITION); /* that someone has left */
    }
    return device->path[0] == '/';
}

/* A partition would outlive the device and be found by whoever gets its number next. */
static void device_close(struct device *device)
{
    run("umount at 2>/dev/null");
    partition(device, BLKPG_DEL_PARTITION);
    run("losetup -d %s 2>/dev/null; rm -rf image name at", device->path);
}

static int setup(void **state)
{
    static struct device device;

    *state = &device;
    return device_open(&device) ? 0 : -1;
}

static int teardown(void **state)
{
    device_close(*state);
    return 0;
}

static uint64_t digest(const struct device *device)
{
    uint64_t sum = 0, word;
    FILE *file = fopen(device->image, "re");

    assert_non_null(file);
    while (fread(&word, sizeof(word), 1, file) == 1) {
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    }
    fclose(file);
    return sum;
}

static void refused(struct guard_request request, enum exit_code exit, const char *words)
{
    struct guard guard;
    struct drive_facts facts;
    struct error err = {0}, look = {0};

    assert_true(guard_look(&request, &facts, &look) < 0);
    assert_true(guard_open(&guard, &request, &err) < 0);
    assert_int_equal(guard.fd, -1);
    if (strstr(err.text, words) == NULL && strstr(err.hint, words) == NULL) {
        fail_msg("\"%s\" (%s) does not say \"%s\"", err.text, err.hint, words);
    }
    assert_string_equal(look.text, err.text);
    assert_int_equal(err.exit, exit);
}

static void accepted(struct guard *guard, struct guard_request request)
{
    struct drive_facts facts;
    struct error err = {0};

    if (guard_look(&request, &facts, &err) < 0 || guard_open(guard, &request, &err) < 0) {
        fail_msg("refused: %s (%s)", err.text, err.hint);
    }
}

static struct guard_request to_write(const struct device *device)
{
    return (struct guard_request){.path = device->path, .erase = device->image, .write = true};
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void needs_the_exact_name(void **state)
{
    const struct device *device = *state;
    struct guard_request request = {.path = device->path, .write = true};
    struct guard guard;

    refused(request, EXIT_USAGE, device->image); /* the hint says what to type */
    request.erase = "yes";
    refused(request, EXIT_USAGE, "backing file");
    request.erase = device->path;
    refused(request, EXIT_USAGE, "backing file");
    request.erase = device->image;
    request.expect_bytes = BYTES - 512;
    refused(request, EXIT_USAGE, "as expected");
    request.expect_bytes = BYTES;
    accepted(&guard, request);
    assert_true(guard.block_device);
    assert_string_equal(guard.facts.kind, "loop");
    assert_int_equal(guard.facts.capacity_bytes, BYTES);
    assert_int_equal(guard.facts.logical_block_bytes, 512);
    assert_non_null(strstr(guard.facts.queue, "nr_requests="));
    guard_close(&guard);
}

static void is_held_for_the_whole_run(void **state)
{
    const struct device *device = *state;
    struct guard guard;

    accepted(&guard, to_write(device));
    assert_true(open(device->path, O_RDWR | O_EXCL | O_CLOEXEC) < 0);
    refused(to_write(device), EXIT_USAGE, "in use");
    guard_close(&guard);
    accepted(&guard, to_write(device));
    guard_close(&guard);
}

static void a_read_needs_no_confirmation(void **state)
{
    const struct device *device = *state;
    struct guard guard;

    accepted(&guard, (struct guard_request){.path = device->path});
    assert_true(fcntl(guard.fd, F_GETFL) & O_DIRECT);
    assert_int_equal(fcntl(guard.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    guard_close(&guard);
}

static void finds_signatures(void **state)
{
    static const char *const makers[][2] = {{"mkfs.ext4 -q -F", "ext4"}, {"mkswap", "swap"}};
    struct device *device = *state;

    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        struct guard_request request = to_write(device);
        struct guard guard;
        uint64_t before;

        if (run("%s %s >/dev/null 2>&1", makers[i][0], device->path) != 0) {
            print_message("not tried: %s\n", makers[i][0]);
            continue;
        }
        before = digest(device);
        request.erase = NULL;
        refused(request, EXIT_USAGE, makers[i][1]);
        request.erase = "elsewhere";
        refused(request, EXIT_USAGE, "--erase names");
        assert_int_equal(digest(device), before);
        accepted(&guard, to_write(device));
        guard_close(&guard);
        run("wipefs -qa %s", device->path);
    }
}

static void finds_a_partition_table(void **state)
{
    struct device *device = *state;
    struct guard_request request = to_write(device);
    uint8_t sector[512] = {0};
    int fd = open(device->path, O_RDWR | O_CLOEXEC);

    sector[446 + 4] = 0x83; /* one Linux partition from sector 2048, of 2048 sectors */
    sector[446 + 9] = 8;
    sector[446 + 13] = 8;
    sector[510] = 0x55;
    sector[511] = 0xaa;
    assert_int_equal(pwrite(fd, sector, sizeof(sector), 0), sizeof(sector));
    assert_int_equal(fsync(fd), 0);
    close(fd);
    request.erase = NULL;
    refused(request, EXIT_USAGE, "partition");
}

static void a_mounted_partition_keeps_the_disk(void **state)
{
    struct device *device = *state;
    struct guard_request request = to_write(device);
    char part[80];
    struct stat st;

    if (partition(device, BLKPG_ADD_PARTITION) != 0) {
        skip();
    }
    snprintf(part, sizeof(part), "%sp1", device->path);
    request.erase = NULL;
    refused(request, EXIT_USAGE, "partitions");
    if (stat(part, &st) < 0 ||
        run("mkfs.ext4 -q -F %s >/dev/null 2>&1 && mkdir -p at && mount %s at", part, part) != 0) {
        skip();
    }
    request = to_write(device);
    refused(request, EXIT_USAGE, "is mounted at");
    request.path = part;
    refused(request, EXIT_USAGE, "is mounted at");
    assert_int_equal(run("umount at && rmdir at"), 0);
}

static void never_a_mounted_one(void **state)
{
    struct device *device = *state;
    struct guard_request request = to_write(device);
    uint64_t before;

    if (run("mkfs.ext4 -q -F %s >/dev/null 2>&1 && mkdir -p at && mount %s at", device->path,
            device->path) != 0) {
        skip();
    }
    before = digest(device);
    refused(request, EXIT_USAGE, "is mounted at");
    request.write = false;
    refused(request, EXIT_USAGE, "is mounted at");
    request = to_write(device);
    assert_int_equal(symlink(device->path, "alias"), 0); /* another name helps nothing */
    request.path = "alias";
    refused(request, EXIT_USAGE, "is mounted at");
    request.path = device->image; /* nor the file behind it */
    refused(request, EXIT_USAGE, "is the file behind");
    assert_int_equal(digest(device), before);
    assert_int_equal(run("umount at && rmdir at && rm alias"), 0);
}

/* A loop device over `below`, which is its name to type too, is refused in these words. */
static void refused_over(const char *below, const char *words)
{
    char path[64] = "";
    FILE *pipe;

    assert_int_equal(run("losetup -r -f --show '%s' >over", below), 0);
    pipe = fopen("over", "re");
    assert_non_null(pipe);
    assert_non_null(fgets(path, sizeof(path), pipe));
    fclose(pipe);
    path[strcspn(path, "\n")] = '\0';
    refused((struct guard_request){.path = path, .erase = below, .write = true}, EXIT_USAGE, words);
    assert_int_equal(run("losetup -d %s && rm over", path), 0);
}

static void never_one_over_what_others_use(void **state)
{
    struct device *device = *state;

    refused_over(device->image, "which is the file behind /dev/loop");
    if (run("mkfs.ext4 -q -F %s >/dev/null 2>&1 && mkdir -p at && mount %s at", device->path,
            device->path) == 0) {
        refused_over(device->path, "which is mounted at");
        assert_int_equal(run("umount at && rmdir at"), 0);
    }
}

static void a_read_only_one_is_said_to_be(void **state)
{
    struct device *device = *state;

    assert_int_equal(run("blockdev --setro %s", device->path), 0);
    refused(to_write(device), EXIT_FAILED, "is read-only");
    assert_int_equal(run("blockdev --setrw %s", device->path), 0);
}

static void never_one_below_another(void **state)
{
    struct device *device = *state;

    if (run("dmsetup create rawtps-test-%d --table '0 2048 linear %s 0' >/dev/null 2>&1", getpid(),
            device->path) != 0) {
        skip();
    }
    refused(to_write(device), EXIT_USAGE, "is below dm-");
    run("dmsetup remove --retry rawtps-test-%d", getpid());
}

static void never_one_that_a_process_has_open(void **state)
{
    struct device *device = *state;
    struct guard guard;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        int fd = open(device->path, O_RDONLY | O_CLOEXEC);

        pause();
        _exit(fd < 0);
    }
    usleep(100000);
    refused(to_write(device), EXIT_USAGE, "is open in process");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    accepted(&guard, to_write(device));
    guard_close(&guard);
}

static void our_own_still_needs_the_name(void **state)
{
    struct device *device = *state;
    struct superblock block = {.scenario = "corners", .filled_bytes = MIB};
    struct guard_request request = to_write(device);
    struct guard guard;
    struct error err;

    accepted(&guard, request);
    assert_int_equal(guard_write_superblock(&guard, &block, &err), 0);
    guard_close(&guard);
    request.erase = NULL;
    refused(request, EXIT_USAGE, "corners");
    accepted(&guard, (struct guard_request){.path = device->path}); /* reading does not */
    assert_true(guard.ours);
    assert_int_equal(guard_hole_between(&guard, 0, BYTES), -1);
    guard_close(&guard);
}

static void never_the_systems_disk(void **state)
{
    struct guard_request request = {.path = "root-node", .erase = "x", .write = true};
    struct stat st;

    assert_int_equal(stat("/", &st), 0);
    if (major(st.st_dev) == 0 || mknod("root-node", S_IFBLK | 0600, st.st_dev) < 0) {
        skip();
    }
    refused(request, EXIT_USAGE, "system's own disk");
    unlink("root-node");
}

int main(void)
{
    struct device device;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(needs_the_exact_name, setup, teardown),
        cmocka_unit_test_setup_teardown(is_held_for_the_whole_run, setup, teardown),
        cmocka_unit_test_setup_teardown(a_read_needs_no_confirmation, setup, teardown),
        cmocka_unit_test_setup_teardown(finds_signatures, setup, teardown),
        cmocka_unit_test_setup_teardown(finds_a_partition_table, setup, teardown),
        cmocka_unit_test_setup_teardown(a_mounted_partition_keeps_the_disk, setup, teardown),
        cmocka_unit_test_setup_teardown(never_a_mounted_one, setup, teardown),
        cmocka_unit_test_setup_teardown(never_one_over_what_others_use, setup, teardown),
        cmocka_unit_test_setup_teardown(a_read_only_one_is_said_to_be, setup, teardown),
        cmocka_unit_test_setup_teardown(never_one_below_another, setup, teardown),
        cmocka_unit_test_setup_teardown(never_one_that_a_process_has_open, setup, teardown),
        cmocka_unit_test_setup_teardown(our_own_still_needs_the_name, setup, teardown),
        cmocka_unit_test(never_the_systems_disk),
    };

    if (geteuid() != 0 || !device_open(&device)) {
        printf("1..0 # SKIP loop devices need root and /dev/loop-control\n");
        return 77;
    }
    device_close(&device);
    return cmocka_run_group_tests_name("guard_device", tests, NULL, NULL);
}
