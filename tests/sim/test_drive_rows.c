/* rooms: base io. The simulated drives of scenarios/drives against what reviews and datasheets say
 * of the real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "drive_file.h"
#include "drive_load.h"
#include "io/drive_types.h"

/* False if it is not within 10 %; the line is the row of the table. */
static bool row(const char *drive, const char *what, const char *unit, double got, double want)
{
    print_message("%-15s %-32s %9.4g %-4s published %9.4g  %+5.1f %%\n", drive, what, got, unit,
                  want, (got / want - 1) * 100);
    return got > want * 0.9 && got < want * 1.1;
}

/* One row of a table of checks; 0: not given. */
struct check {
    const char *what;
    double wa; /* by decree; 0: worked out */
    int64_t stack_ns;
    uint32_t depth, bytes;
    double read_share, span;
    double per_s, mean_us;
};

static void check_rows(const char *drive, const struct check *checks, uint32_t count)
{
    uint32_t missed = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct check *check = &checks[i];
        struct drive_sim_params params;
        struct load load = {.depth = check->depth,
                            .bytes = check->bytes,
                            .read_share = check->read_share,
                            .warm = 200000,
                            .count = 200000,
                            .seed = 3};
        struct load_result result;

        drive_file_read(drive, &params);
        params.write_amplification = check->wa;
        params.stack_ns = check->stack_ns;
        load.span_bytes = (uint64_t)((double)params.capacity_bytes * check->span);
        result = load_on(&params, &load);
        if (check->per_s > 0) {
            missed += !row(drive, check->what, "/s", result.per_s, check->per_s);
        }
        if (check->mean_us > 0) {
            missed += !row(drive, check->what, "us", result.mean_ns / 1000, check->mean_us);
        }
    }
    assert_int_equal(missed, 0);
}

#define CHECK(drive, checks) check_rows(drive, checks, sizeof(checks) / sizeof((checks)[0]))

/* The figures that the parameters were fitted to, and those that they were not. */
static void test_h3201_e1s(void **state)
{
    const int64_t stack = 50000;
    const struct check checks[] = {
        {"4K read 1", 2.37, 0, 1, 4096, 1, 1, 0, 77},
        {"4K read 128", 2.37, 0, 128, 4096, 1, 1, 719e3, 178},
        {"4K read 512", 2.37, 0, 512, 4096, 1, 1, 719236, 709.2},
        {"4K write, whole drive", 6.7, 0, 512, 4096, 0, 1, 111e3, 0},
        {"4K write, a quarter", 2.37, 0, 512, 4096, 0, 0.25, 312913, 1623.4},
        {"4K write 1", 2.37, 0, 1, 4096, 0, 1, 0, 16},
        {"8K read 32", 2.37, 0, 32, 8192, 1, 0.25, 349e3, 92},
        {"8K read 32, stack", 2.37, stack, 32, 8192, 1, 0.25, 219870, 144.1},
        {"8K 90/10, stack, review", 2.37, stack, 32, 8192, 0.9, 0.25, 200283, 158.3},
        {"8K 80/20, stack, review", 2.37, stack, 32, 8192, 0.8, 0.25, 182944, 173.2},
        {"64K read 64", 2.37, 0, 64, 65536, 1, 0.25, 54.4e3, 1180},
        {"64K read 64, review", 2.37, 0, 64, 65536, 1, 0.25, 50344, 1269.6},
        /* one constant, the spare flash, gives both of the fitted write amplifications */
        {"4K write, whole drive, worked out", 0, 0, 512, 4096, 0, 1, 105e3, 0},
        {"4K write, a quarter, worked out", 0, 0, 508, 4096, 0, 0.25, 312913, 1623.4},
    };

    CHECK("h3201-e1s", checks);
}

static void test_h3200_u2(void **state)
{
    const struct check checks[] = {
        {"4K read 127", 0, 0, 127, 4096, 1, 0.25, 788774, 161},
        {"4K write 127", 0, 0, 127, 4096, 0, 0.25, 274362, 463},
        {"64K read 16", 0, 0, 16, 65536, 1, 0.25, 52860, 301.8},
        {"8K read 32", 0, 20000, 32, 8192, 1, 0.25, 281512, 113.2},
        {"8K 90/10", 0, 20000, 32, 8192, 0.9, 0.25, 259351, 118.3},
        {"8K 80/20", 0, 20000, 32, 8192, 0.8, 0.25, 247053, 129},
    };

    CHECK("h3200-u2", checks);
}

static void test_dc1000m(void **state)
{
    const struct check checks[] = {
        {"4K read 127", 0, 0, 127, 4096, 1, 0.25, 580077, 219.3},
        {"4K write 127", 0, 0, 127, 4096, 0, 0.25, 317525, 399.9},
        {"64K read 16", 0, 0, 16, 65536, 1, 0.25, 46502, 343.3},
        {"8K read 32", 0, 50000, 32, 8192, 1, 0.25, 198187, 160.9},
        {"8K 90/10", 0, 50000, 32, 8192, 0.9, 0.25, 197847, 161.1},
        {"8K 80/20", 0, 50000, 32, 8192, 0.8, 0.25, 185634, 171.4},
    };

    CHECK("dc1000m", checks);
}

static void test_es3000v2(void **state)
{
    const struct check small[] = {
        {"4K read 256", 0, 0, 256, 4096, 1, 1, 395e3, 0},
        {"4K write 256", 0, 0, 256, 4096, 0, 1, 115e3, 0},
        {"4K read 1", 0, 0, 1, 4096, 1, 1, 0, 31},
        {"4K write 1", 0, 0, 1, 4096, 0, 1, 0, 9},
    };
    const struct check large[] = {
        {"4K read 256", 0, 0, 256, 4096, 1, 1, 753933, 0},
        {"4K write 256", 0, 0, 256, 4096, 0, 1, 229914, 1110},
        {"4K read 1", 0, 0, 1, 4096, 1, 1, 0, 31},
        {"4K write 1", 0, 0, 1, 4096, 0, 1, 0, 9},
        {"8K 70/30, 256", 0, 0, 256, 8192, 0.7, 1, 281e3, 900},
    };

    CHECK("es3000v2-1.6tb", small);
    CHECK("es3000v2-3.2tb", large);
}

static void test_drives_of_a_class(void **state)
{
    const struct check fast[] = {{"4K read 512", 0, 0, 512, 4096, 1, 1, 2.78e6, 0}};
    const struct check slow[] = {{"4K read 32", 0, 0, 32, 4096, 1, 1, 95e3, 0}};

    CHECK("gen5-fast", fast);
    CHECK("sata-slow", slow);
}

/* In order over what was written at random: as slow as that at first, faster the more is through.
 */
static void test_64k_writes_in_order(void **state)
{
    const struct {
        const char *drive;
        uint32_t depth;
        uint64_t before_bytes;
        double per_s;
    } rows[] = {{"h3201-e1s", 64, 0, 20251},
                {"h3200-u2", 16, 500000000000, 22654},
                {"dc1000m", 6, 1000000000000, 31600}};

    for (int i = 0; i < 3; i++) {
        struct drive_sim_params params;
        struct load load = {.depth = 64, .bytes = 4096, .warm = 1, .count = 200000, .seed = 1};
        struct load_result result;
        struct load_rig rig;

        drive_file_read(rows[i].drive, &params);
        load.span_bytes = params.capacity_bytes / 4;
        load_rig_open(&rig, &params, 1);
        load_run(&load, &rig.loop, rig.drive, &result);
        load.sequential = true;
        load.bytes = 65536;
        load.depth = rows[i].depth;
        load.warm = 20000 + rows[i].before_bytes / load.bytes;
        load.count = 100000;
        load_run(&load, &rig.loop, rig.drive, &result);
        assert_true(row(rows[i].drive, "64K write, in order", "/s", result.per_s, rows[i].per_s));
        load_rig_close(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_h3201_e1s),         cmocka_unit_test(test_h3200_u2),
        cmocka_unit_test(test_dc1000m),           cmocka_unit_test(test_es3000v2),
        cmocka_unit_test(test_drives_of_a_class), cmocka_unit_test(test_64k_writes_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
