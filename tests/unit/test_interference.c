// rooms: base stats trace io workload sql target plan result engine
/* A difference may be the host's, not the drive's: what the kernel counts must be read rightly, and
 * nothing made up where it counts nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <sys/stat.h>

#include "../../src/engine/interference.h"

static void put(const char *path, const char *text)
{
    char folder[256];
    FILE *file;

    for (const char *at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/')) {
        snprintf(folder, sizeof(folder), "%.*s", (int)(at - path), path);
        mkdir(folder, 0755);
    }
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void what_grew_is_told_as_shares(void **state)
{
    struct host_load from, until;
    struct result_interference told;

    put("a/proc/stat", "cpu  100 0 50 1000 10 5 5 30 7 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n");
    put("a/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\n"
                               "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
    put("a/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=500\n");
    put("a/proc/self/cgroup", "9:name=systemd:/x\n3:cpu,cpuacct:/box\n0::/other\n");
    put("a/sys/fs/cgroup/cpu/box/cpu.stat", "nr_periods 100\nnr_throttled 10\nthrottled_time 5\n");
    put("a/sys/fs/cgroup/other/cpu.stat", "nr_periods 1\nnr_throttled 1\n");
    host_load_look(&from, "a");
    put("a/proc/stat", "cpu  150 0 60 1100 10 5 5 70 7 0\n");
    put("a/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=3500000\n");
    put("a/sys/fs/cgroup/cpu/box/cpu.stat", "nr_periods 140\nnr_throttled 13\nthrottled_time 9\n");
    host_load_look(&until, "a");
    until.wall_ns = from.wall_ns + 1e10;
    host_load_between(&from, &until, 8.6e6, 86.8e6, &told); /* HOSTS.md section 5 */
    assert_float_equal(told.run_delay_share, 0.910, 0.001);
    assert_float_equal(told.steal_share, 0.2, 1e-9);
    assert_float_equal(told.pressure_cpu, 0.25, 1e-9);
    assert_float_equal(told.pressure_io, 0, 1e-9);
    assert_true(isnan(told.pressure_memory));
    assert_float_equal(told.periods, 40, 1e-9);
    assert_float_equal(told.throttled_periods, 3, 1e-9);
    assert_true(result_interfered(&told));
}

static void a_group_of_version_2(void **state)
{
    struct host_load load;

    put("b/proc/self/cgroup", "0::/user.slice/a:b.scope\n");
    put("b/sys/fs/cgroup/user.slice/a:b.scope/cpu.stat",
        "usage_usec 5\nnr_periods 8\nnr_throttled 2\n");
    host_load_look(&load, "b");
    assert_float_equal(load.periods, 8, 0);
    assert_float_equal(load.throttled_periods, 2, 0);
}

/* A pod's or a slice's limit holds all below it, whatever they are called. */
static void limits_of_groups_above(void **state)
{
    struct host_load load;

    put("c/proc/self/cgroup", "4:cpu,cpuacct:/pod/my box\n0::/\n");
    put("c/sys/fs/cgroup/cpu/cpu.stat", "nr_periods 0\nnr_throttled 0\n");
    put("c/sys/fs/cgroup/cpu/pod/cpu.stat", "nr_periods 60\nnr_throttled 55\n");
    put("c/sys/fs/cgroup/cpu/pod/my box/cpu.stat", "nr_periods 3\nnr_throttled 1\n");
    host_load_look(&load, "c");
    assert_float_equal(load.periods, 63, 0);
    assert_float_equal(load.throttled_periods, 56, 0);
    /* a container that is told the host's name of its group */
    put("d/proc/self/cgroup", "0::/docker/abc\n");
    put("d/sys/fs/cgroup/cpu.stat", "usage_usec 1\nnr_periods 7\nnr_throttled 2\n");
    host_load_look(&load, "d");
    assert_float_equal(load.throttled_periods, 2, 0);
    put("e/proc/self/cgroup", "1:name=systemd:/\n0::/user\n");
    put("e/sys/fs/cgroup/unified/user/cpu.stat", "nr_periods 9\nnr_throttled 4\n");
    host_load_look(&load, "e");
    assert_float_equal(load.throttled_periods, 4, 0);
}

static void a_host_that_tells_nothing(void **state)
{
    struct host_load from, until;
    struct result_interference told;

    host_load_look(&from, "nowhere");
    host_load_look(&until, "nowhere");
    until.wall_ns = from.wall_ns + 1e9;
    host_load_between(&from, &until, NAN, 0, &told);
    assert_true(isnan(told.run_delay_share) && isnan(told.steal_share));
    assert_true(isnan(told.pressure_cpu) && isnan(told.periods));
    assert_true(told.cpu_ns >= 0);
    assert_false(result_interfered(&told));
}

/* A thread that has had its CPU to itself has run and hardly waited. */
static void a_thread_reads_its_own(void **state)
{
    int64_t run_ns = 0, delay_ns = 0;

    if (!host_load_thread(&run_ns, &delay_ns)) {
        skip(); /* a kernel without scheduler statistics */
    }
    assert_true(run_ns > 0 && delay_ns >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grew_is_told_as_shares), cmocka_unit_test(a_group_of_version_2),
        cmocka_unit_test(limits_of_groups_above),      cmocka_unit_test(a_host_that_tells_nothing),
        cmocka_unit_test(a_thread_reads_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
