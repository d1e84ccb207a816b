#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"

/* 3 significant digits of a value below 1000 (or 1024). */
static int places(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

static const char *format_size(uint64_t bytes, unsigned step, const char *const *names, char *buf,
                               size_t size)
{
    uint64_t unit = 1;
    char digits[32];
    size_t len;

    while (bytes / unit >= step) {
        unit *= step;
        names++;
    }
    snprintf(digits, sizeof(digits), "%.*f", places((double)bytes / (double)unit),
             (double)bytes / (double)unit);
    if (strchr(digits, '.')) {
        len = strlen(digits);
        while (digits[len - 1] == '0') {
            digits[--len] = '\0';
        }
        if (digits[len - 1] == '.') {
            digits[len - 1] = '\0';
        }
    }
    snprintf(buf, size, "%s %s", digits, *names);
    return buf;
}

const char *units_format_size(uint64_t bytes, char *buf, size_t size)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    return format_size(bytes, 1024, names, buf, size);
}

const char *units_format_size_decimal(uint64_t bytes, char *buf, size_t size)
{
    static const char *const names[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};

    return format_size(bytes, 1000, names, buf, size);
}

/* bytes as a number of `unit`, exactly; how long that is, or 0 if it would be too long. */
static size_t exact_digits(uint64_t bytes, uint64_t unit, int most_places, char buf[UNITS_TEXT])
{
    uint64_t whole = bytes / unit, rest = bytes % unit, step = 1;
    int width = 0;
    size_t len;

    if (whole == 0 || whole >= 10000) {
        return 0;
    }
    while (rest * step % unit != 0) {
        if (++width > most_places) {
            return 0;
        }
        step *= 10;
    }
    len = (size_t)snprintf(buf, UNITS_TEXT, "%" PRIu64, whole);
    if (width == 0) {
        return len;
    }
    must(len + 1 + (size_t)width < UNITS_TEXT);
    rest = rest * step / unit;
    buf[len] = '.';
    for (int i = width; i > 0; i--) {
        buf[len + (size_t)i] = (char)('0' + rest % 10);
        rest /= 10;
    }
    len += 1 + (size_t)width;
    buf[len] = '\0';
    return len;
}

/* In the unit with the fewest digits, the largest of such; bytes are no unit, and have more. */
static void exact_size(uint64_t bytes, int most_places, char *buf, size_t size)
{
    static const struct {
        const char *name;
        uint64_t worth;
    } units[] = {{"PiB", 1ull << 50},      {"PB", 1000000000000000ull}, {"TiB", 1ull << 40},
                 {"TB", 1000000000000ull}, {"GiB", 1ull << 30},         {"GB", 1000000000ull},
                 {"MiB", 1ull << 20},      {"MB", 1000000ull},          {"KiB", 1ull << 10},
                 {"KB", 1000ull}};
    size_t best;

    snprintf(buf, size, "%" PRIu64, bytes);
    best = strlen(buf);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        char digits[UNITS_TEXT];
        size_t length = exact_digits(bytes, units[i].worth, most_places, digits);

        if (length > 0 && length < best) {
            best = length;
            snprintf(buf, size, "%s%s", digits, units[i].name);
        }
    }
}

const char *units_format_size_exact(uint64_t bytes, char *buf, size_t size)
{
    exact_size(bytes, 3, buf, size);
    return buf;
}

const char *units_format_bandwidth_exact(uint64_t bytes_per_s, char *buf, size_t size)
{
    char amount[UNITS_TEXT];

    exact_size(bytes_per_s, 0, amount, sizeof(amount));
    if (strchr(amount, 'B') == NULL) {
        exact_size(bytes_per_s, 3, amount, sizeof(amount));
    }
    snprintf(buf, size, "%s/s", amount);
    return buf;
}

const char *units_format_clock(int64_t ns, char *buf, size_t size)
{
    int64_t s = (ns < 0 ? 0 : ns) / 1000000000, days = s / 86400;
    char day[24] = "";

    if (days > 0) {
        snprintf(day, sizeof(day), "%" PRId64 "d ", days);
    }
    snprintf(buf, size, "%s%02d:%02d:%02d", day, (int)(s / 3600 % 24), (int)(s / 60 % 60),
             (int)(s % 60));
    return buf;
}

const char *units_format_duration(int64_t ns, char *buf, size_t size)
{
    static const char *const names[] = {"ns", "us", "ms", "s"};
    double value = (double)ns;
    int i = 0;

    if (ns < 1000) {
        snprintf(buf, size, "%" PRId64 "ns", ns);
        return buf;
    }
    while (i < 3 && value >= 999.5) {
        value /= 1000;
        i++;
    }
    snprintf(buf, size, "%.*f%s", places(value), value, names[i]);
    return buf;
}

/* ns as a number of `unit` with as many places as it needs. */
static void add_exact(char *buf, size_t size, int64_t ns, int64_t unit, const char *name)
{
    size_t len = strlen(buf);
    char fraction[16] = "";
    int64_t rest = ns % unit;
    int width = 0;

    for (int64_t u = unit; u > 1; u /= 10) {
        width++;
    }
    if (rest > 0) {
        int n = snprintf(fraction, sizeof(fraction), ".%0*" PRId64, width, rest);

        while (n > 0 && fraction[n - 1] == '0') {
            fraction[--n] = '\0';
        }
    }
    snprintf(buf + len, size - len, "%" PRId64 "%s%s", ns / unit, fraction, name);
}

const char *units_format_period(int64_t ns, char *buf, size_t size)
{
    const int64_t s = 1000000000, hour = 3600 * s, minute = 60 * s;

    buf[0] = '\0';
    if (ns <= 0) {
        snprintf(buf, size, "0s");
        return buf;
    }
    if (ns < s) {
        int64_t unit = ns >= 1000000 ? 1000000 : ns >= 1000 ? 1000 : 1;

        add_exact(buf, size, ns, unit, unit == 1 ? "ns" : unit == 1000 ? "us" : "ms");
        return buf;
    }
    if (ns >= hour) {
        add_exact(buf, size, ns / hour, 1, "h");
    }
    if (ns % hour >= minute) {
        add_exact(buf, size, ns % hour / minute, 1, "m");
    }
    if (ns % minute > 0) {
        add_exact(buf, size, ns % minute, s, "s");
    }
    return buf;
}

const char *units_format_count(uint64_t value, char *buf, size_t size)
{
    char digits[24], grouped[40], *out = grouped;
    int n = snprintf(digits, sizeof(digits), "%" PRIu64, value);

    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) {
            *out++ = ' ';
        }
        *out++ = digits[i];
    }
    *out = '\0';
    snprintf(buf, size, "%s", grouped);
    return buf;
}
