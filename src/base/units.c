#include "base/units.h"

#include "base/must.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A unit and what it is worth; ratios below 1 are not needed. */
struct unit {
    const char *name;
    uint64_t worth;
};

#define KI  1024ull
#define K10 1000ull
static const struct unit size_units[] = {{"B", 1},
                                         {"K", KI},
                                         {"KiB", KI},
                                         {"KB", K10},
                                         {"M", KI *KI},
                                         {"MiB", KI *KI},
                                         {"MB", K10 *K10},
                                         {"G", KI *KI *KI},
                                         {"GiB", KI *KI *KI},
                                         {"GB", K10 *K10 *K10},
                                         {"T", KI *KI *KI *KI},
                                         {"TiB", KI *KI *KI *KI},
                                         {"TB", K10 *K10 *K10 *K10},
                                         {"P", KI *KI *KI *KI *KI},
                                         {"PiB", KI *KI *KI *KI *KI},
                                         {"PB", K10 *K10 *K10 *K10 *K10},
                                         {NULL, 0}};
/* longest first: a duration must fall */
static const struct unit time_units[] = {{"d", 86400000000000ull},
                                         {"h", 3600000000000ull},
                                         {"min", 60000000000ull},
                                         {"m", 60000000000ull},
                                         {"s", 1000000000ull},
                                         {"ms", 1000000ull},
                                         {"us", 1000ull},
                                         {"µs", 1000ull},
                                         {"ns", 1ull},
                                         {NULL, 0}};
static const struct unit count_units[] = {
    {"k", K10}, {"M", K10 *K10}, {"G", K10 *K10 *K10}, {"T", K10 *K10 *K10 *K10}, {NULL, 0}};
/* nanoseconds are what "per" divides by */
static const struct unit per_units[] = {{"s", 1},    {"sec", 1},  {"m", 60},
                                        {"min", 60}, {"h", 3600}, {NULL, 0}};

#define SIZE_HELP                                                                                  \
    "units are B, K M G T P or KiB MiB GiB TiB PiB (powers of 1024), KB MB GB TB PB (of 1000)"
#define TIME_HELP  "units are d, h, m, s, ms, us, ns, as in 2h30m, 90s, 1.5ms"
#define COUNT_HELP "a whole number, with k, M, G or T for thousands, as in 15000, 15_000 or 15k"
#define RATE_HELP  "a rate is a number and /s, /m or /h, as in 100/s, 15k/s or 2500/m"

/* A decimal number: digits / 10^places; 10^PLACES_MAX times 2^64 still fits in 128 bits. */
enum { PLACES_MAX = 19 };
struct decimal {
    uint64_t digits;
    unsigned places;
};

/* What is being read, for messages. */
struct reader {
    const char *whole, *at;
    const char *what, *help;
    struct error *err;
};

static int refuse(struct reader *in, const char *why)
{
    error_set(in->err, EXIT_USAGE, -EINVAL, "\"%.80s\" is not a %s: %s", in->whole, in->what, why);
    return error_hint(in->err, "%s", in->help);
}

static int too_large(struct reader *in)
{
    error_set(in->err, EXIT_USAGE, -ERANGE, "\"%.80s\" is too large for a %s", in->whole, in->what);
    return error_hint(in->err, "%s", in->help);
}

static int start(struct reader *in, const char *text, const char *what, const char *help,
                 struct error *err)
{
    *in = (struct reader){.whole = text, .at = text, .what = what, .help = help, .err = err};
    if (*text == '\0') {
        return refuse(in, "it is empty");
    }
    if (*text == '-') {
        return refuse(in, "it is negative");
    }
    return 0;
}

/* One more digit; false if the number has more than fit. */
static bool add_digit(struct decimal *ret, char c)
{
    return !__builtin_mul_overflow(ret->digits, 10u, &ret->digits) &&
           !__builtin_add_overflow(ret->digits, (unsigned)(c - '0'), &ret->digits);
}

static int read_decimal(struct reader *in, struct decimal *ret)
{
    bool point = false, any = false;

    *ret = (struct decimal){0};
    for (;; in->at++) {
        char c = *in->at, next = c ? in->at[1] : '\0';

        if (isdigit((unsigned char)c)) {
            if (!add_digit(ret, c)) {
                return point ? refuse(in, "it has too many digits") : too_large(in);
            }
            ret->places += point;
            if (ret->places > PLACES_MAX) {
                return refuse(in, "it has too many digits");
            }
            any = true;
        } else if (c == '.' && !point && isdigit((unsigned char)next)) {
            point = true;
        } else if (!(c == '_' && any && isdigit((unsigned char)next))) {
            break;
        }
    }
    return any ? 0 : refuse(in, "it does not begin with a number");
}

/* The letters that follow, after at most one space, found in the table; "" gives NULL. */
static int read_unit(struct reader *in, const struct unit *units, const struct unit **ret)
{
    const char *at = in->at;
    size_t len = 0;
    char why[96];

    at += *at == ' ';
    while (isalpha((unsigned char)at[len]) || (at[len] & 0x80)) {
        len++;
    }
    *ret = NULL;
    if (len == 0) {
        return 0;
    }
    for (; units->name; units++) {
        if (strncasecmp(units->name, at, len) == 0 && units->name[len] == '\0') {
            *ret = units;
            in->at = at + len;
            return 0;
        }
    }
    snprintf(why, sizeof(why), "there is no unit \"%.*s\"", len > 32 ? 32 : (int)len, at);
    return refuse(in, why);
}

/* number * worth, rounded to the nearest whole; at most limit. */
static int scale(struct reader *in, struct decimal number, uint64_t worth, uint64_t limit,
                 uint64_t *ret)
{
    unsigned __int128 value = (unsigned __int128)number.digits * worth, power = 1;

    for (unsigned i = 0; i < number.places; i++) {
        power *= 10;
    }
    value = (value + power / 2) / power;
    if (value > limit) {
        return too_large(in);
    }
    *ret = (uint64_t)value;
    return 0;
}

static int at_end(struct reader *in)
{
    char why[64];

    if (*in->at == '\0') {
        return 0;
    }
    snprintf(why, sizeof(why), "\"%.32s\" is too much", in->at);
    return refuse(in, why);
}

static double decimal_value(struct decimal number)
{
    double power = 1;

    for (unsigned i = 0; i < number.places; i++) {
        power *= 10;
    }
    return (double)number.digits / power;
}

static int read_size(struct reader *in, uint64_t *ret)
{
    const struct unit *unit;
    struct decimal number;
    int code;

    if ((code = read_decimal(in, &number)) || (code = read_unit(in, size_units, &unit))) {
        return code;
    }
    if ((code = scale(in, number, unit ? unit->worth : 1, UINT64_MAX, ret)) == 0 && *ret == 0 &&
        number.digits > 0) {
        return refuse(in, "it is less than a byte");
    }
    return code;
}

int units_size(const char *text, uint64_t *ret_bytes, struct error *err)
{
    struct reader in;
    uint64_t bytes;
    int code;

    if ((code = start(&in, text, "size", SIZE_HELP, err)) || (code = read_size(&in, &bytes)) ||
        (code = at_end(&in))) {
        return code;
    }
    *ret_bytes = bytes;
    return 0;
}

/* "/s" and the like, from where the reader stands to the end. */
static int read_per(struct reader *in, const struct unit **ret)
{
    int code;

    in->at += *in->at == ' ';
    if (*in->at != '/') {
        return *in->at == '\0' ? refuse(in, "per what? /s is missing") : at_end(in);
    }
    in->at++;
    if ((code = read_unit(in, per_units, ret))) {
        return code;
    }
    return *ret ? at_end(in) : refuse(in, "per what?");
}

int units_bandwidth(const char *text, uint64_t *ret_bytes_per_s, struct error *err)
{
    const struct unit *per;
    struct reader in;
    uint64_t bytes;
    int code;

    if ((code = start(&in, text, "bandwidth",
                      "a bandwidth is a size and /s, as in 3200MB/s or 1GiB/s", err)) ||
        (code = read_size(&in, &bytes)) || (code = read_per(&in, &per))) {
        return code;
    }
    *ret_bytes_per_s = (bytes + per->worth / 2) / per->worth;
    return 0;
}

int units_duration(const char *text, int64_t *ret_ns, struct error *err)
{
    uint64_t total = 0, part = 0, last = UINT64_MAX;
    const struct unit *unit;
    struct decimal number;
    struct reader in;
    int code;

    if ((code = start(&in, text, "duration", TIME_HELP, err))) {
        return code;
    }
    do {
        if ((code = read_decimal(&in, &number)) || (code = read_unit(&in, time_units, &unit))) {
            return code;
        }
        if (!unit && *in.at != '\0') {
            return at_end(&in);
        }
        if (!unit && !(number.digits == 0 && last == UINT64_MAX)) {
            return refuse(&in, "a unit is needed");
        }
        if (unit && unit->worth >= last) {
            return refuse(&in, "its units must fall, each once");
        }
        last = unit ? unit->worth : 1;
        if ((code = scale(&in, number, last, INT64_MAX - total, &part))) {
            return code;
        }
        if (part == 0 && number.digits > 0) {
            return refuse(&in, "it is less than a nanosecond");
        }
        total += part;
        in.at += *in.at == ' ' && isdigit((unsigned char)in.at[1]);
        if (*in.at != '\0' && !isdigit((unsigned char)*in.at)) {
            return at_end(&in);
        }
    } while (*in.at != '\0');
    *ret_ns = (int64_t)total;
    return 0;
}

int units_rate(const char *text, double *ret_per_s, struct error *err)
{
    const struct unit *unit, *per;
    struct decimal number;
    struct reader in;
    int code;

    if ((code = start(&in, text, "rate", RATE_HELP, err)) || (code = read_decimal(&in, &number)) ||
        (code = read_unit(&in, count_units, &unit)) || (code = read_per(&in, &per))) {
        return code;
    }
    *ret_per_s = decimal_value(number) * (double)(unit ? unit->worth : 1) / (double)per->worth;
    return 0;
}

int units_share(const char *text, double *ret_share, struct error *err)
{
    struct decimal number;
    struct reader in;
    bool percent;
    int code;

    if ((code = start(&in, text, "share",
                      "a share is a percentage or a number from 0 to 1, as in 25% or 0.25", err)) ||
        (code = read_decimal(&in, &number))) {
        return code;
    }
    in.at += *in.at == ' ' && in.at[1] == '%';
    percent = *in.at == '%';
    in.at += percent;
    if ((code = at_end(&in))) {
        return code;
    }
    if (!percent && decimal_value(number) > 1) {
        return refuse(&in, "above 1 the % is needed");
    }
    number.places += percent ? 2 : 0;
    *ret_share = decimal_value(number);
    return 0;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static int set_fraction(struct reader *in, uint64_t num, uint64_t den, struct fraction *ret)
{
    uint64_t divisor = common_divisor(num, den);

    if (num == 0 || den == 0) {
        return refuse(in, num == 0 ? "it is 0" : "it divides by 0");
    }
    if (num > den) {
        return refuse(in, "it is above 1");
    }
    ret->num = num / divisor;
    ret->den = den / divisor;
    ret->value = (double)ret->num / (double)ret->den;
    return 0;
}

int units_fraction(const char *text, struct fraction *ret, struct error *err)
{
    struct decimal above, below = {.digits = 1};
    struct reader in;
    int code;

    if ((code = start(&in, text, "scale",
                      "a scale is above 0 and at most 1, as in 1/400, 0.0025 or 1", err)) ||
        (code = read_decimal(&in, &above))) {
        return code;
    }
    if (*in.at == '%') {
        in.at++;
        above.places += 2;
    } else if (*in.at == '/') {
        in.at++;
        if ((code = read_decimal(&in, &below))) {
            return code;
        }
        if (above.places > 0 || below.places > 0) {
            return refuse(&in, "both sides of / are whole numbers");
        }
    }
    if ((code = at_end(&in))) {
        return code;
    }
    for (; above.places > 0; above.places--) {
        if (above.digits % 10 == 0 && above.digits > 0) {
            above.digits /= 10;
        } else if (__builtin_mul_overflow(below.digits, 10u, &below.digits)) {
            return refuse(&in, "it has too many digits");
        }
    }
    return set_fraction(&in, above.digits, below.digits, ret);
}

int units_count(const char *text, uint64_t *ret, struct error *err)
{
    const struct unit *unit;
    struct decimal number;
    unsigned __int128 whole;
    struct reader in;
    uint64_t power = 1;
    int code;

    if ((code = start(&in, text, "count", COUNT_HELP, err)) ||
        (code = read_decimal(&in, &number)) || (code = read_unit(&in, count_units, &unit)) ||
        (code = at_end(&in))) {
        return code;
    }
    whole = (unsigned __int128)number.digits * (unit ? unit->worth : 1);
    for (unsigned i = 0; i < number.places; i++) {
        if (__builtin_mul_overflow(power, 10u, &power)) {
            return refuse(&in, "it has too many digits");
        }
    }
    if (whole % power != 0) {
        return refuse(&in, "it is not whole");
    }
    if (whole / power > UINT64_MAX) {
        return too_large(&in);
    }
    *ret = (uint64_t)(whole / power);
    return 0;
}

int units_number(const char *text, double *ret, struct error *err)
{
    struct reader in = {.whole = text,
                        .at = text,
                        .what = "number",
                        .err = err,
                        .help = "a number is written as in 12, -0.5 or 1e-3"};
    const char *digits = text + (*text == '-' || *text == '+');
    double value;
    char *end;

    /* strtod would take hexadecimal, inf, nan and leading space too */
    if (*text == '\0') {
        return refuse(&in, "it is empty");
    }
    if (strspn(text, "0123456789.eE+-") != strlen(text) ||
        !(isdigit((unsigned char)*digits) || *digits == '.')) {
        return refuse(&in, "digits, a point and an exponent are all it may have");
    }
    value = strtod(text, &end);
    if (end == text || *end != '\0') {
        return refuse(&in, "it is not written as one");
    }
    if (value - value != 0) {
        return too_large(&in);
    }
    *ret = value;
    return 0;
}

int units_place(struct error *err, const char *file, int line, int column)
{
    snprintf(err->file, sizeof(err->file), "%s", file);
    err->line = line;
    err->column = column;
    return err->code;
}
