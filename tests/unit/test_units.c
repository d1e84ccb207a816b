// rooms: base
/* Sizes, times, rates and shares as people write them: what is taken, and what is said if not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/units.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum kind { SIZE, DURATION, RATE, BANDWIDTH, SHARE, SCALE, COUNT, NUMBER };

static int read_any(enum kind kind, const char *text, double *ret, struct error *err)
{
    struct fraction fraction = {0};
    uint64_t u = 0;
    int64_t ns = 0;
    double d = 0;
    int code = -1;

    switch (kind) {
    case SIZE:
        code = units_size(text, &u, err);
        d = (double)u;
        break;
    case DURATION:
        code = units_duration(text, &ns, err);
        d = (double)ns;
        break;
    case RATE:
        code = units_rate(text, &d, err);
        break;
    case BANDWIDTH:
        code = units_bandwidth(text, &u, err);
        d = (double)u;
        break;
    case SHARE:
        code = units_share(text, &d, err);
        break;
    case SCALE:
        code = units_fraction(text, &fraction, err);
        d = fraction.value;
        break;
    case COUNT:
        code = units_count(text, &u, err);
        d = (double)u;
        break;
    case NUMBER:
        code = units_number(text, &d, err);
        break;
    }
    *ret = d;
    return code;
}

#define KIB 1024.0
#define S   1e9

static const struct good {
    enum kind kind;
    const char *text;
    double value;
} goods[] = {
    {SIZE, "48GiB", 48 * KIB *KIB *KIB},
    {SIZE, "48 GiB", 48 * KIB *KIB *KIB},
    {SIZE, "48gib", 48 * KIB *KIB *KIB},
    {SIZE, "500GB", 500e9},
    {SIZE, "8K", 8192},
    {SIZE, "8k", 8192},
    {SIZE, "8KB", 8000},
    {SIZE, "16384", 16384},
    {SIZE, "16384B", 16384},
    {SIZE, "16_384", 16384},
    {SIZE, "1.5TiB", 1.5 * KIB *KIB *KIB *KIB},
    {SIZE, "0", 0},
    {SIZE, ".5K", 512},
    {SIZE, "0.1K", 102},
    {SIZE, "2P", 2 * KIB *KIB *KIB *KIB *KIB},
    {SIZE, "7.68TB", 7.68e12},
    {DURATION, "2h30m", 9000 * S},
    {DURATION, "2h 30m", 9000 * S},
    {DURATION, "90s", 90 * S},
    {DURATION, "4.743s", 4743000000.0},
    {DURATION, "500ms", 5e8},
    {DURATION, "50us", 50000},
    {DURATION, "50µs", 50000},
    {DURATION, "1ns", 1},
    {DURATION, "1d", 86400 * S},
    {DURATION, "30min", 1800 * S},
    {DURATION, "0", 0},
    {DURATION, "0s", 0},
    {DURATION, "2.5h", 9000 * S},
    {DURATION, "1h1m1s1ms1us1ns", 3661001001001.0},
    {RATE, "15k/s", 15000},
    {RATE, "100/s", 100},
    {RATE, "2500/m", 2500 / 60.0},
    {RATE, "3600 / h", 1},
    {RATE, "0.5/s", 0.5},
    {RATE, "1.2M/s", 1.2e6},
    {BANDWIDTH, "3200MB/s", 3.2e9},
    {BANDWIDTH, "1GiB/s", 1073741824},
    {SHARE, "25%", 0.25},
    {SHARE, "25 %", 0.25},
    {SHARE, "0.25", 0.25},
    {SHARE, "0", 0},
    {SHARE, "1", 1},
    {SHARE, "200%", 2},
    {SHARE, "33.3%", 0.333},
    {SCALE, "1/400", 0.0025},
    {SCALE, "0.0025", 0.0025},
    {SCALE, "0.25%", 0.0025},
    {SCALE, "1", 1},
    {SCALE, "3/3", 1},
    {COUNT, "15000", 15000},
    {COUNT, "15k", 15000},
    {COUNT, "15_000", 15000},
    {COUNT, "10M", 1e7},
    {COUNT, "1.5k", 1500},
    {COUNT, "2G", 2e9},
    {NUMBER, "-0.5", -0.5},
    {NUMBER, "1e-3", 0.001},
    {NUMBER, "12", 12},
};

static const struct bad {
    enum kind kind;
    const char *text, *says, *hints;
    int code;
} bads[] = {
    {SIZE, "", "empty", "KiB", -EINVAL},
    {SIZE, "-1", "negative", "KiB", -EINVAL},
    {SIZE, "48GiBs", "no unit \"GiBs\"", "KiB", -EINVAL},
    {SIZE, "48 potatoes", "no unit \"potatoes\"", "KiB", -EINVAL},
    {SIZE, "GiB", "begin with a number", "KiB", -EINVAL},
    {SIZE, "20000P", "too large", "KiB", -ERANGE},
    {SIZE, "18446744073709551616", "too large", "KiB", -ERANGE},
    {SIZE, "99999999999999999999999999", "too large", "KiB", -ERANGE},
    {SIZE, "1.5.5G", "too much", "KiB", -EINVAL},
    {SIZE, "1 2G", "too much", "KiB", -EINVAL},
    {SIZE, "0.1", "less than a byte", "KiB", -EINVAL},
    {SIZE, "8K ", "too much", "KiB", -EINVAL},
    {SIZE, " 8K", "begin with a number", "KiB", -EINVAL},
    {SIZE, "8,5G", "too much", "KiB", -EINVAL},
    {SIZE, "0x10", "no unit \"x\"", "KiB", -EINVAL},
    {SIZE, "1e9", "no unit \"e\"", "KiB", -EINVAL},
    {SIZE, "1__0", "too much", "KiB", -EINVAL},
    {SIZE, "0.0000000000000000000000000000000000000000001G", "too many digits", "KiB", -EINVAL},
    {DURATION, "30", "unit is needed", "2h30m", -EINVAL},
    {DURATION, "", "empty", "2h30m", -EINVAL},
    {DURATION, "-5s", "negative", "2h30m", -EINVAL},
    {DURATION, "30m2h", "must fall", "2h30m", -EINVAL},
    {DURATION, "1h1h", "must fall", "2h30m", -EINVAL},
    {DURATION, "5 weeks", "no unit \"weeks\"", "2h30m", -EINVAL},
    {DURATION, "1h30", "unit is needed", "2h30m", -EINVAL},
    {DURATION, "300000d", "too large", "2h30m", -ERANGE},
    {DURATION, "100000d 10000000h", "too large", "2h30m", -ERANGE},
    {DURATION, "0.1ns", "less than a nanosecond", "2h30m", -EINVAL},
    {DURATION, "2h30m ", "too much", "2h30m", -EINVAL},
    {DURATION, "1:30", "too much", "2h30m", -EINVAL},
    {DURATION, "forever", "begin with a number", "2h30m", -EINVAL},
    {RATE, "15k", "/s is missing", "15k/s", -EINVAL},
    {RATE, "15k/", "per what", "15k/s", -EINVAL},
    {RATE, "15k/fortnight", "no unit \"fortnight\"", "15k/s", -EINVAL},
    {RATE, "15q/s", "no unit \"q\"", "15k/s", -EINVAL},
    {RATE, "15k/s/s", "too much", "15k/s", -EINVAL},
    {RATE, "-1/s", "negative", "15k/s", -EINVAL},
    {BANDWIDTH, "3200MB", "/s is missing", "3200MB/s", -EINVAL},
    {BANDWIDTH, "fast", "begin with a number", "3200MB/s", -EINVAL},
    {SHARE, "25", "% is needed", "25%", -EINVAL},
    {SHARE, "1.01", "% is needed", "25%", -EINVAL},
    {SHARE, "-5%", "negative", "25%", -EINVAL},
    {SHARE, "5%%", "too much", "25%", -EINVAL},
    {SHARE, "half", "begin with a number", "25%", -EINVAL},
    {SCALE, "0", "it is 0", "1/400", -EINVAL},
    {SCALE, "1/0", "divides by 0", "1/400", -EINVAL},
    {SCALE, "2/1", "above 1", "1/400", -EINVAL},
    {SCALE, "400", "above 1", "1/400", -EINVAL},
    {SCALE, "1/", "begin with a number", "1/400", -EINVAL},
    {SCALE, "1/2.5", "whole numbers", "1/400", -EINVAL},
    {SCALE, "1/2/3", "too much", "1/400", -EINVAL},
    {SCALE, "fit", "begin with a number", "1/400", -EINVAL},
    {COUNT, "1.5", "not whole", "15k", -EINVAL},
    {COUNT, "-3", "negative", "15k", -EINVAL},
    {COUNT, "15 apples", "no unit \"apples\"", "15k", -EINVAL},
    {COUNT, "18446744073709551615k", "too large", "15k", -ERANGE},
    {COUNT, "ten", "begin with a number", "15k", -EINVAL},
    {COUNT, "", "empty", "15k", -EINVAL},
    {COUNT, "5%", "too much", "15k", -EINVAL},
    {NUMBER, "nan", "digits", "12", -EINVAL},
    {NUMBER, "inf", "digits", "12", -EINVAL},
    {NUMBER, "0x1p3", "digits", "12", -EINVAL},
    {NUMBER, "1e999", "too large", "12", -ERANGE},
    {NUMBER, "1e", "not written", "12", -EINVAL},
    {NUMBER, "", "empty", "12", -EINVAL},
};

static void takes_what_people_write(void **state)
{
    for (size_t i = 0; i < sizeof(goods) / sizeof(*goods); i++) {
        struct error err = {0};
        double value = -1;

        if (read_any(goods[i].kind, goods[i].text, &value, &err) != 0 || err.text[0] ||
            fabs(value - goods[i].value) > fabs(goods[i].value) * 1e-15) {
            fail_msg("\"%s\": %.17g, not %.17g %s", goods[i].text, value, goods[i].value, err.text);
        }
    }
}

static void says_what_is_wrong(void **state)
{
    for (size_t i = 0; i < sizeof(bads) / sizeof(*bads); i++) {
        const struct bad *bad = &bads[i];
        struct error err = {0};
        double value = -1;
        int code = read_any(bad->kind, bad->text, &value, &err);

        if (code != bad->code || (code && (!strstr(err.text, bad->says) || err.exit != EXIT_USAGE ||
                                           !strstr(err.hint, bad->hints) || value != 0))) {
            fail_msg("\"%s\": %d \"%s\" (%s) %g", bad->text, code, err.text, err.hint, value);
        }
    }
    assert_true(sizeof(bads) / sizeof(*bads) >= 60);
}

static void long_junk_does_not_overrun(void **state)
{
    char junk[4096];
    struct error err;
    double value;

    for (int kind = SIZE; kind <= NUMBER; kind++) {
        memset(junk, kind % 2 ? 'x' : '9', sizeof(junk));
        junk[0] = '1';
        junk[sizeof(junk) - 1] = '\0';
        assert_true(read_any((enum kind)kind, junk, &value, &err) < 0);
        assert_true(strlen(err.text) < sizeof(err.text));
    }
}

static void sizes_are_exact_to_the_byte(void **state)
{
    uint64_t bytes = 0;
    struct error err;

    assert_int_equal(units_size("18446744073709551615", &bytes, &err), 0);
    assert_true(bytes == UINT64_MAX);
    assert_int_equal(units_size("15.999999999GiB", &bytes, &err), 0);
    assert_true(bytes == 17179869183);
}

static void fractions_are_in_lowest_terms(void **state)
{
    struct fraction f = {0};
    struct error err;

    assert_int_equal(units_fraction("0.0025", &f, &err), 0);
    assert_true(f.num == 1 && f.den == 400);
    assert_int_equal(units_fraction("6/8", &f, &err), 0);
    assert_true(f.num == 3 && f.den == 4 && f.value == 0.75);
    assert_int_equal(units_fraction("100%", &f, &err), 0);
    assert_true(f.num == 1 && f.den == 1);
}

static void place_is_added_by_who_knows_it(void **state)
{
    struct error err;
    uint64_t bytes;
    char buf[256];

    assert_int_equal(units_size("8X", &bytes, &err), -EINVAL);
    assert_int_equal(units_place(&err, "a.yaml", 12, 9), -EINVAL);
    assert_string_equal(error_format(&err, buf, sizeof(buf)),
                        "a.yaml:12:9: \"8X\" is not a size: there is no unit \"X\"");
}

typedef const char *format_time(int64_t, char *, size_t);
typedef const char *format_whole(uint64_t, char *, size_t);

static void shows_times_as_tables_do(void **state)
{
    static const struct {
        format_time *format;
        int64_t ns;
        const char *text;
    } rows[] = {
        {units_format_clock, 9000000000000, "02:30:00"},
        {units_format_clock, 5999999999, "00:00:05"},
        {units_format_clock, 95400000000000, "1d 02:30:00"},
        {units_format_clock, -5, "00:00:00"},
        {units_format_duration, 14800000, "14.8ms"},
        {units_format_duration, 709200, "709us"},
        {units_format_duration, 1274000, "1.27ms"},
        {units_format_duration, 2000000000, "2.00s"},
        {units_format_duration, 999499, "999us"},
        {units_format_duration, 999500, "1.00ms"},
        {units_format_duration, 9994999, "9.99ms"},
        {units_format_duration, 9995001, "10.0ms"},
        {units_format_duration, 999, "999ns"},
        {units_format_duration, 0, "0ns"},
        {units_format_duration, 150000000000, "150s"},
        {units_format_duration, 4743000000000, "4743s"},
        {units_format_period, 9000000000000, "2h30m"},
        {units_format_period, 4743000000, "4.743s"},
        {units_format_period, 0, "0s"},
        {units_format_period, 90000000000, "1m30s"},
        {units_format_period, 1500, "1.5us"},
        {units_format_period, 3600000000001, "1h0.000000001s"},
    };
    char buf[UNITS_TEXT];

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_string_equal(rows[i].format(rows[i].ns, buf, sizeof(buf)), rows[i].text);
    }
}

static void shows_sizes_and_counts(void **state)
{
    static const struct {
        format_whole *format;
        uint64_t value;
        const char *text;
    } rows[] = {
        {units_format_size, 51539607552, "48 GiB"},
        {units_format_size, 1649267441664, "1.5 TiB"},
        {units_format_size, 8192, "8 KiB"},
        {units_format_size, 50000000000, "46.6 GiB"},
        {units_format_size, 512, "512 B"},
        {units_format_size, 0, "0 B"},
        {units_format_size, UINT64_MAX, "16 EiB"},
        {units_format_size_decimal, 500000000000, "500 GB"},
        {units_format_size_decimal, 3200631791616, "3.2 TB"},
        {units_format_size_decimal, 7680000000000, "7.68 TB"},
        {units_format_size_decimal, 999, "999 B"},
        {units_format_size_exact, 51539607552, "48GiB"},
        {units_format_size_exact, 3840000000000, "3.84TB"},
        {units_format_size_exact, 500000000000, "500GB"},
        {units_format_size_exact, 960197124096, "960197124096"},
        {units_format_size_exact, 3840755982336, "3840755982336"},
        {units_format_size_exact, 1572864, "1.5MiB"},
        {units_format_size_exact, 16384, "16KiB"},
        {units_format_size_exact, 1234, "1234"},
        {units_format_size_exact, 1048577, "1048577"},
        {units_format_size_exact, 512, "512"},
        {units_format_size_exact, 0, "0"},
        {units_format_bandwidth_exact, 3400000000, "3400MB/s"},
        {units_format_bandwidth_exact, 3565158400, "3400MiB/s"},
        {units_format_bandwidth_exact, 1073741824, "1GiB/s"},
        {units_format_count, 12650, "12 650"},
        {units_format_count, 999, "999"},
        {units_format_count, 1000, "1 000"},
        {units_format_count, UINT64_MAX, "18 446 744 073 709 551 615"},
    };
    char buf[UNITS_TEXT];

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_string_equal(rows[i].format(rows[i].value, buf, sizeof(buf)), rows[i].text);
    }
}

static void a_shown_period_reads_back_equal(void **state)
{
    uint64_t x = 1;
    char buf[UNITS_TEXT];
    struct error err;

    for (int i = 0; i < 20000; i++) {
        int64_t ns = (int64_t)(x >> (1 + i % 62)), back = -1;

        units_format_period(ns, buf, sizeof(buf));
        if (units_duration(buf, &back, &err) != 0 || back != ns) {
            fail_msg("%s is %" PRId64 ", not %" PRId64, buf, back, ns);
        }
        x = x * 6364136223846793005u + 1442695040888963407u;
    }
}

/* Sizes with few digits, as people choose them, and sizes with many. */
static void a_shown_size_reads_back_equal(void **state)
{
    uint64_t x = 1;
    char buf[UNITS_TEXT];
    struct error err;

    for (int i = 0; i < 40000; i++) {
        uint64_t bytes = x >> (1 + i % 62), back = 0;

        bytes = i % 4 == 0   ? bytes
                : i % 4 == 1 ? bytes % 10000 << (i / 4 % 5 * 10)
                : i % 4 == 2 ? bytes % 10000000 * 1000000
                             : bytes % 100000 * 1000000000;
        units_format_size_exact(bytes, buf, sizeof(buf));
        if (units_size(buf, &back, &err) != 0 || back != bytes) {
            fail_msg("%s is %" PRIu64 ", not %" PRIu64, buf, back, bytes);
        }
        units_format_bandwidth_exact(bytes, buf, sizeof(buf));
        if (units_bandwidth(buf, &back, &err) != 0 || back != bytes) {
            fail_msg("%s is %" PRIu64 ", not %" PRIu64, buf, back, bytes);
        }
        x = x * 6364136223846793005u + 1442695040888963407u;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_what_people_write),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(long_junk_does_not_overrun),
        cmocka_unit_test(sizes_are_exact_to_the_byte),
        cmocka_unit_test(fractions_are_in_lowest_terms),
        cmocka_unit_test(place_is_added_by_who_knows_it),
        cmocka_unit_test(shows_times_as_tables_do),
        cmocka_unit_test(shows_sizes_and_counts),
        cmocka_unit_test(a_shown_period_reads_back_equal),
        cmocka_unit_test(a_shown_size_reads_back_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
