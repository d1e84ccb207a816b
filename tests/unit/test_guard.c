/* rooms: base io. What the guard lets through is overwritten: each rule keeps someone's data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/guard.h"

enum { MIB = 1 << 20 };
static char folder[] = "guard-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[4][512];
    static int turn;
    char *here = path[turn++ % 4];

    snprintf(here, sizeof(path[0]), "%s/%s", folder, name);
    return here;
}

static const char *made(const char *name, const char *content, uint64_t bytes)
{
    const char *path = in_folder(name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    if (content) {
        assert_int_equal(pwrite(fd, content, strlen(content), 0), strlen(content));
    }
    close(fd);
    return path;
}

static uint64_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (uint64_t)st.st_size : UINT64_MAX;
}

/* Both must refuse, with the same words; guard_look must not touch. */
static void refused(struct guard_request request, enum exit_code exit, const char *words)
{
    struct guard guard;
    struct drive_facts facts;
    struct error err = {0}, look = {0};

    assert_true(guard_look(&request, &facts, &look) < 0);
    assert_int_equal(look.exit, exit);
    assert_true(guard_open(&guard, &request, &err) < 0);
    assert_int_equal(err.exit, exit);
    assert_int_equal(guard.fd, -1);
    if (strstr(err.text, words) == NULL && strstr(err.hint, words) == NULL) {
        fail_msg("\"%s\" (%s) does not say \"%s\"", err.text, err.hint, words);
    }
    assert_string_equal(err.text, look.text);
}

static void accepted(struct guard *guard, struct guard_request request)
{
    struct drive_facts facts;
    struct error err = {0};

    if (guard_look(&request, &facts, &err) < 0 || guard_open(guard, &request, &err) < 0) {
        fail_msg("refused: %s (%s)", err.text, err.hint);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void makes_a_file_with_its_blocks(void **state)
{
    struct guard guard;
    struct stat st;
    const char *path = in_folder("new");
    struct drive_facts facts;
    struct error err;

    assert_int_equal(
        guard_look(&(struct guard_request){.path = path, .write = true, .create_bytes = 4096000},
                   &facts, &err),
        0);
    assert_int_equal(size_of(path), UINT64_MAX); /* only looked */
    assert_int_equal(facts.capacity_bytes, 4096000);
    accepted(&guard, (struct guard_request){.path = path, .write = true, .create_bytes = 4096001});
    assert_true(guard.created && guard.ours && !guard.block_device);
    assert_int_equal(guard.superblock.filled_bytes, 0);
    assert_int_equal(guard.facts.capacity_bytes, 4096000 + 4096);
    assert_string_equal(guard.facts.kind, "file");
    assert_true(guard.facts.dio_align_bytes >= 512);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_blocks * 512 >= 4096001);
    /* the first block is written, the rest only reserved: reading there measures nothing */
    assert_true(guard_hole_between(&guard, 0, 4096000) > 0);
    guard_close(&guard);
}

static void knows_its_own_file_again(void **state)
{
    struct superblock block = {
        .scenario = "quick", .sha256 = "0123", .seed = 7, .filled_bytes = MIB};
    const char *path = in_folder("ours");
    struct guard guard;
    struct error err;
    char page[4096];
    int fd;

    accepted(&guard, (struct guard_request){.path = path, .write = true, .create_bytes = MIB});
    assert_int_equal(guard_write_superblock(&guard, &block, &err), 0);
    guard_close(&guard);
    accepted(&guard, (struct guard_request){.path = path, .write = true, .create_bytes = 2 * MIB});
    assert_true(guard.ours && !guard.created);
    assert_string_equal(guard.superblock.scenario, "quick");
    assert_int_equal(guard.superblock.filled_bytes, MIB);
    assert_int_equal(guard.facts.capacity_bytes, 2 * MIB); /* it grew, and stayed ours */
    guard_close(&guard);
    accepted(&guard, (struct guard_request){.path = path});
    assert_true(guard.ours);
    guard_close(&guard);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, page, sizeof(page), 0), sizeof(page));
    page[4000] ^= 1; /* one bit: no longer ours */
    assert_int_equal(pwrite(fd, page, sizeof(page), 0), sizeof(page));
    close(fd);
    refused((struct guard_request){.path = path, .write = true, .create_bytes = MIB}, EXIT_USAGE,
            "not a file that rawtps made");
}

static void keeps_a_file_of_someone_else(void **state)
{
    const char *path = made("letter", "dear reader", 8192);
    struct guard_request request = {.path = path, .write = true, .create_bytes = MIB};
    char wrong[600], full[4096];
    struct guard guard;

    refused(request, EXIT_USAGE, "--erase");
    snprintf(wrong, sizeof(wrong), "%sx", path);
    request.erase = wrong;
    refused(request, EXIT_USAGE, "--erase names");
    request.erase = "yes";
    refused(request, EXIT_USAGE, "--erase names");
    assert_int_equal(size_of(path), 8192);
    assert_non_null(realpath(path, full));
    request.erase = full;
    accepted(&guard, request);
    assert_int_equal(guard.facts.capacity_bytes, MIB);
    guard_close(&guard);
}

static void takes_an_empty_file(void **state)
{
    struct guard guard;

    accepted(&guard, (struct guard_request){
                         .path = made("empty", NULL, 0), .write = true, .create_bytes = MIB});
    assert_true(guard.ours && !guard.created);
    guard_close(&guard);
    accepted(&guard, (struct guard_request){
                         .path = made("hole", NULL, 4 * MIB), .write = true, .create_bytes = MIB});
    assert_int_equal(guard.facts.capacity_bytes, 4 * MIB);
    guard_close(&guard);
    refused((struct guard_request){.path = made("nothing", NULL, 0)}, EXIT_USAGE,
            "nothing to read");
    refused((struct guard_request){.path = made("no-size", NULL, 0), .write = true}, EXIT_USAGE,
            "");
}

static void refuses_what_is_no_drive(void **state)
{
    struct guard_request request = {.write = true, .create_bytes = MIB};
    const char *link = in_folder("nowhere");

    request.path = folder;
    refused(request, EXIT_USAGE, "folder");
    request.path = "/dev/null";
    refused(request, EXIT_USAGE, "character device");
    request.path = "";
    refused(request, EXIT_USAGE, "no drive");
    request.path = "/dev/rawtps-no-such-drive";
    refused(request, EXIT_USAGE, "under /dev");
    assert_int_equal(size_of(request.path), UINT64_MAX);
    request.path = "/dev/../dev/rawtps-no-such-drive";
    refused(request, EXIT_USAGE, "under /dev");
    assert_int_equal(symlink("/dev/rawtps-no-such-drive", link), 0);
    request.path = link;
    refused(request, EXIT_USAGE, "");
    assert_int_equal(size_of("/dev/rawtps-no-such-drive"), UINT64_MAX);
    request.path = in_folder("no/such/folder");
    refused(request, EXIT_FAILED, "no folder");
    request = (struct guard_request){.path = in_folder("absent")};
    refused(request, EXIT_FAILED, "does not exist");
}

static void a_link_to_dev_makes_nothing_there(void **state)
{
    const char *link = in_folder("devices");

    assert_int_equal(symlink("/dev", link), 0);
    refused((struct guard_request){.path = in_folder("devices/rawtps-new"),
                                   .write = true,
                                   .create_bytes = MIB},
            EXIT_USAGE, "under /dev");
    assert_int_equal(size_of("/dev/rawtps-new"), UINT64_MAX);
}

static void says_how_much_is_free(void **state)
{
    const char *path = in_folder("huge");

    refused((struct guard_request){.path = path, .write = true, .create_bytes = 1ull << 50},
            EXIT_FAILED, "free");
    assert_int_equal(size_of(path), UINT64_MAX); /* nothing is left behind */
}

static void one_run_at_a_time(void **state)
{
    const char *path = in_folder("locked");
    struct guard_request request = {.path = path, .write = true, .create_bytes = MIB};
    struct guard first, second;
    struct error err = {0};

    accepted(&first, request);
    assert_true(guard_open(&second, &request, &err) < 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    assert_non_null(strstr(err.text, "another run"));
    guard_close(&first);
    accepted(&second, request);
    guard_close(&second);
}

static void holds_the_expected_size(void **state)
{
    const char *path = made("sized", "data", MIB);
    struct guard guard;

    refused((struct guard_request){.path = path, .expect_bytes = MIB + 1}, EXIT_USAGE, "1048576");
    accepted(&guard, (struct guard_request){.path = path, .expect_bytes = MIB});
    guard_close(&guard);
}

static void needs_permission(void **state)
{
    const char *path = made("locked-away", NULL, 0);
    struct guard_request request = {.path = path, .write = true, .create_bytes = MIB};

    if (geteuid() == 0) { /* root may all: become nobody for a moment */
        assert_int_equal(chmod(folder, 0755), 0);
        assert_int_equal(chmod(path, 0444), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    assert_int_equal(chmod(path, 0444) == 0 || geteuid() == 65534, 1);
    refused(request, EXIT_FAILED, "ermission");
    if (getuid() == 0) {
        assert_int_equal(seteuid(0), 0);
    }
}

static int make_folder(void **state)
{
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[600];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_a_file_with_its_blocks),
        cmocka_unit_test(knows_its_own_file_again),
        cmocka_unit_test(keeps_a_file_of_someone_else),
        cmocka_unit_test(takes_an_empty_file),
        cmocka_unit_test(refuses_what_is_no_drive),
        cmocka_unit_test(a_link_to_dev_makes_nothing_there),
        cmocka_unit_test(says_how_much_is_free),
        cmocka_unit_test(one_run_at_a_time),
        cmocka_unit_test(holds_the_expected_size),
        cmocka_unit_test(needs_permission),
    };
    return cmocka_run_group_tests_name("guard", tests, make_folder, remove_folder);
}
