/* rooms: base workload. Bare requests: shares, sizes, places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "workload/block.h"
#include "workload_fixture.h"

enum { KIB = 1024, DRAWS = 200000 };
static const uint64_t GIB = (uint64_t)1 << 30;

static struct fixture *fixture_open(const struct block_settings *settings)
{
    struct error err;

    return fixture_of(block_open(settings, &err));
}

static struct op draw(struct fixture *fix)
{
    struct op op = {0}, after;

    fixture_choose(fix, 0);
    assert_true(fix->workload->ops->next(fix->workload, &fix->txn, &op));
    after = op;
    assert_false(fix->workload->ops->next(fix->workload, &fix->txn, &after));
    assert_int_equal(op.stream, fix->txn.kind);
    return op;
}

/* sr-like Oracle (92 % data, 8 % log), with login's sizes for data. */
static struct block_settings two_streams(void)
{
    struct block_settings settings = {
        .stream_count = 2,
        .users = 36,
        .range_bytes = 10 * GIB + 512 * 7,
        .align_bytes = 4096,
        .streams =
            {
                {
                    .name = "data",
                    .share = 0.92,
                    .read = 0.87,
                    .random = 0.8,
                    .read_sizes = {{4 * KIB, 30},
                                   {8 * KIB, 15},
                                   {16 * KIB, 30},
                                   {32 * KIB, 15},
                                   {64 * KIB, 10}},
                    .write_sizes = {{28 * KIB, 0.25}, {512, 0.75}},
                    .read_size_count = 5,
                    .write_size_count = 2,
                },
                {
                    .name = "log",
                    .share = 0.08,
                    .write_sizes = {{16 * KIB, 1}},
                    .write_size_count = 1,
                    .from = 0.5,
                    .to = 0.75,
                },
            },
    };

    return settings;
}

static struct block_settings one_size(uint32_t bytes, double random, uint64_t range_bytes)
{
    struct block_settings settings = {
        .stream_count = 1,
        .users = 1,
        .range_bytes = range_bytes,
        .align_bytes = 4096,
        .streams = {{
            .name = "data",
            .share = 1,
            .read = 1,
            .random = random,
            .read_sizes = {{bytes, 1}},
            .read_size_count = 1,
        }},
    };

    return settings;
}

static void shares_are_as_asked(void **state)
{
    static const uint32_t sizes[7] = {4 * KIB,  8 * KIB,  16 * KIB, 32 * KIB,
                                      64 * KIB, 28 * KIB, 512};
    const double reads = 0.92 * 0.87, writes = 0.92 * 0.13;
    const double shares[8] = {0.3 * reads, 0.15 * reads,  0.3 * reads,   0.15 * reads,
                              0.1 * reads, 0.25 * writes, 0.75 * writes, 0.08};
    struct block_settings settings = two_streams();
    struct fixture *fix = fixture_open(&settings);
    uint64_t found[8] = {0};

    for (int i = 0; i < DRAWS; i++) {
        struct op op = draw(fix);
        uint32_t class = 0;

        if (op.stream == 1) {
            assert_true(op.verb == OP_WRITE && op.bytes == 16 * KIB);
            found[7]++;
            continue;
        }
        while (sizes[class] != op.bytes) {
            class ++;
        }
        assert_int_equal(op.verb, class < 5 ? OP_READ : OP_WRITE);
        found[class]++;
    }
    assert_true(stub_chi_square(found, shares, 8, DRAWS) < stub_chi_square_limit(8));
    fixture_close(fix);
}

static void offsets_are_aligned_and_inside(void **state)
{
    struct block_settings settings = two_streams();
    struct fixture *fix = fixture_open(&settings);
    uint64_t range = settings.range_bytes;

    for (int i = 0; i < DRAWS; i++) {
        struct op op = draw(fix);

        assert_int_equal(op.offset % op.bytes, 0);
        assert_int_equal(op.offset % 4096, 0);
        assert_true(op.offset + op.bytes <= range);
        if (op.stream == 1) {
            assert_true(op.offset >= range / 2 && op.offset + op.bytes <= range / 4 * 3 + 4);
        }
    }
    fixture_close(fix);
}

/* A range that is no multiple of the size: the last place is used, nothing passes the end. */
static void random_places_are_uniform_to_the_last(void **state)
{
    struct block_settings settings = one_size(8 * KIB, 1, 100 * 8 * KIB + 4096);
    struct fixture *fix = fixture_open(&settings);
    uint64_t found[100] = {0};
    double shares[100];

    for (int i = 0; i < DRAWS; i++) {
        struct op op = draw(fix);

        assert_true(op.offset / (8 * KIB) < 100);
        found[op.offset / (8 * KIB)]++;
    }
    for (int i = 0; i < 100; i++) {
        shares[i] = 0.01;
    }
    assert_true(stub_chi_square(found, shares, 100, DRAWS) < stub_chi_square_limit(100));
    fixture_close(fix);
}

static void sequential_goes_on_and_starts_over(void **state)
{
    struct block_settings settings = one_size(64 * KIB, 0, 10 * 64 * KIB + 4096);
    struct fixture *fix = fixture_open(&settings);

    for (uint64_t i = 0; i < 35; i++) {
        assert_int_equal(draw(fix).offset, i % 10 * 64 * KIB);
    }
    fixture_close(fix);
}

static void streams_have_their_own_cursors(void **state)
{
    struct block_settings settings = two_streams();
    struct fixture *fix;
    uint64_t last = 0;

    settings.streams[0].random = 1;
    fix = fixture_open(&settings);
    for (int i = 0; i < DRAWS; i++) {
        struct op op = draw(fix);

        if (op.stream == 1) {
            assert_true(last == 0 || op.offset == last + 16 * KIB);
            last = op.offset;
        }
    }
    assert_true(last > 0);
    fixture_close(fix);
}

static void hot_range_takes_its_share(void **state)
{
    struct block_settings settings = one_size(4 * KIB, 1, 25000 * 4 * KIB);
    struct fixture *fix;
    uint64_t hot = 0, first = 0, last = 0;

    settings.streams[0].hot_share = 0.5;
    settings.streams[0].hot_range = 0.04;
    fix = fixture_open(&settings);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t slot = draw(fix).offset / (4 * KIB);

        hot += slot < 1000;
        first += slot < 500;
        last += slot >= 13000;
    }
    assert_float_equal((double)hot / DRAWS, 0.5, 0.005);
    assert_float_equal((double)first / DRAWS, 0.25, 0.005);
    assert_float_equal((double)last / DRAWS, 0.25, 0.005); /* half of the cold part */
    fixture_close(fix);
}

static void restart_asks_the_same_again(void **state)
{
    struct block_settings settings = two_streams();
    struct fixture *fix = fixture_open(&settings);

    for (int i = 0; i < 1000; i++) {
        struct op first = draw(fix), again = {0};

        fix->workload->ops->restart(fix->workload, &fix->txn);
        assert_true(fix->workload->ops->next(fix->workload, &fix->txn, &again));
        assert_true(again.offset == first.offset && again.bytes == first.bytes &&
                    again.verb == first.verb && again.stream == first.stream);
    }
    fixture_close(fix);
}

static void kinds_are_streams(void **state)
{
    struct block_settings settings = two_streams();
    struct fixture *fix = fixture_open(&settings);
    const struct catalog *catalog = fix->workload->ops->catalog(fix->workload);

    assert_int_equal(catalog->kind_count, 2);
    assert_string_equal(catalog->kinds[1].name, "log");
    assert_true(catalog->kinds[0].share == 0.92);
    assert_int_equal(block_largest_bytes(&settings), 64 * KIB);
    fixture_close(fix);
}

static void wrong_settings_are_refused(void **state)
{
    struct block_settings own[9];

    for (int i = 0; i < 9; i++) {
        own[i] = two_streams();
    }
    own[0].stream_count = 0;
    own[1].streams[1].share = 0.5;
    own[2].streams[0].read = 1.5;
    own[3].streams[0].read_sizes[2].bytes = 1000;
    own[4].streams[1].write_size_count = 0;
    own[5].range_bytes = 32 * KIB;
    own[6].streams[1].to = 0.4;
    own[7].streams[0].hot_share = 0.5;
    own[8].streams[1].write_sizes[0].share = 0;
    for (int i = 0; i < 9; i++) {
        struct error err = {0};

        assert_null(block_open(&own[i], &err));
        assert_int_equal(err.exit, EXIT_USAGE);
        assert_true(err.text[0] != 0);
    }
}

/* What 100,000 requests ask for; all compilers agree. */
static void digest_is_golden(void **state)
{
    struct block_settings settings = two_streams();
    struct fixture *fix;
    uint64_t digest = 0xcbf29ce484222325u;

    settings.streams[0].hot_share = 0.5;
    settings.streams[0].hot_range = 0.04;
    fix = fixture_open(&settings);
    for (int i = 0; i < 100000; i++) {
        struct op op = draw(fix);

        digest = stub_digest(digest, &op);
    }
    print_message("block digest %016llx\n", (unsigned long long)digest);
    assert_true(digest == 0x5dc5cecd7d616f66u);
    fixture_close(fix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_as_asked),
        cmocka_unit_test(offsets_are_aligned_and_inside),
        cmocka_unit_test(random_places_are_uniform_to_the_last),
        cmocka_unit_test(sequential_goes_on_and_starts_over),
        cmocka_unit_test(streams_have_their_own_cursors),
        cmocka_unit_test(hot_range_takes_its_share),
        cmocka_unit_test(restart_asks_the_same_again),
        cmocka_unit_test(kinds_are_streams),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(digest_is_golden),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
