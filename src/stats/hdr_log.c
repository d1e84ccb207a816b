#include "stats/hdr_log.h"

#include "base/mem.h"
#include "base/must.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

/* HdrHistogram 2.1, V2 encoding: cookies with the word size of LEB128. */
#define COOKIE_PLAIN   (0x1c849303u | 0x10u)
#define COOKIE_DEFLATE (0x1c849304u | 0x10u)

enum {
    HEAD = 40,
    OUTER_HEAD = 8,
    LEB_MAX = 9,
    PLAIN_MAX = HEAD + LEB_MAX * HIST_COUNTS,
    PACKED_MAX = PLAIN_MAX + PLAIN_MAX / 8 + 256,
    DIGITS = 2,
    WINDOW_BITS = 12,
    MEMORY_LEVEL = 4, /* small tables: they are cleared for each line */
    EFFORT = 4
};

struct hdr_log {
    z_stream deflate, inflate;
    int8_t base64_value[256];
    uint8_t plain[PLAIN_MAX], packed[PACKED_MAX];
};

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int hdr_log_open(struct hdr_log **ret, struct error *err)
{
    struct hdr_log *log = mem_zalloc(sizeof(*log));

    if (!log) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the histogram log");
    }
    if (deflateInit2(&log->deflate, EFFORT, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        mem_free(log);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory to compress the histogram log");
    }
    if (inflateInit(&log->inflate) != Z_OK) {
        deflateEnd(&log->deflate);
        mem_free(log);
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory to read a histogram log");
    }
    memset(log->base64_value, -1, sizeof(log->base64_value));
    for (int i = 0; i < 64; i++) {
        log->base64_value[(uint8_t)base64_digits[i]] = (int8_t)i;
    }
    *ret = log;
    return 0;
}

void hdr_log_close(struct hdr_log *log)
{
    if (log) {
        deflateEnd(&log->deflate);
        inflateEnd(&log->inflate);
        mem_free(log);
    }
}

void hdr_log_header(struct text *out, int64_t started_unix_ms)
{
    text_add(out, "#[Histogram log format version 1.3]\n");
    if (started_unix_ms > 0) {
        time_t s = (time_t)(started_unix_ms / 1000);
        struct tm utc;

        gmtime_r(&s, &utc);
        text_addf(out,
                  "#[StartTime: %" PRId64 ".%03d (seconds since epoch), "
                  "%04d-%02d-%02dT%02d:%02d:%02dZ]\n",
                  started_unix_ms / 1000, (int)(started_unix_ms % 1000), utc.tm_year + 1900,
                  utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
    }
    text_add(out, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                  "\"Interval_Compressed_Histogram\"\n");
}

static uint8_t *put_be(uint8_t *at, uint64_t value, int bytes)
{
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
        *at++ = (uint8_t)(value >> shift);
    }
    return at;
}

static uint64_t get_be(const uint8_t *at, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

/* Zigzag LEB128; a ninth byte holds 8 bits. */
static uint8_t *put_leb(uint8_t *at, int64_t value)
{
    uint64_t z = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);

    for (int i = 0; i < LEB_MAX - 1 && z > 0x7f; i++) {
        *at++ = (uint8_t)(z | 0x80);
        z >>= 7;
    }
    *at++ = (uint8_t)z;
    return at;
}

/* NULL if the bytes end too soon. */
static const uint8_t *get_leb(const uint8_t *at, const uint8_t *end, int64_t *ret)
{
    uint64_t z = 0;

    for (int i = 0; i < LEB_MAX; i++, at++) {
        uint64_t bits = at < end ? *at : 0;

        if (at == end) {
            return NULL;
        }
        z |= (i < LEB_MAX - 1 ? bits & 0x7f : bits) << 7 * i;
        if (bits < 0x80) {
            at++;
            break;
        }
    }
    *ret = (int64_t)(z >> 1) ^ -(int64_t)(z & 1);
    return at;
}

static uint8_t *put_zeros(uint8_t *at, uint32_t zeros)
{
    return zeros == 0 ? at : put_leb(at, zeros == 1 ? 0 : -(int64_t)zeros);
}

static size_t encode_plain(uint8_t *plain, const struct hist *hist)
{
    uint32_t zeros = 0, i = 0, last = 0;
    uint8_t *at = plain + HEAD;

    if (hist->count > 0) {
        i = zeros = hist_index(hist->min_ns);
        last = hist_index(hist->max_ns);
    }
    for (; i <= last; i++) {
        if (hist->counts[i] == 0) {
            zeros++;
            continue;
        }
        at = put_zeros(at, zeros);
        at = put_leb(at, (int64_t)hist->counts[i]);
        zeros = 0;
    }
    at = put_zeros(at, zeros);
    put_be(plain, COOKIE_PLAIN, 4);
    put_be(plain + 4, (uint64_t)(at - plain - HEAD), 4);
    put_be(plain + 8, 0, 4); /* normalizing offset */
    put_be(plain + 12, DIGITS, 4);
    put_be(plain + 16, 1, 8);
    put_be(plain + 24, (uint64_t)HIST_HIGHEST_NS, 8);
    put_be(plain + 32, 0x3ff0000000000000u, 8); /* 1.0: integer to double ratio */
    return (size_t)(at - plain);
}

static size_t encode(struct hdr_log *log, const struct hist *hist)
{
    z_stream *z = &log->deflate;
    size_t packed;

    must(deflateReset(z) == Z_OK);
    z->next_in = log->plain;
    z->avail_in = (uInt)encode_plain(log->plain, hist);
    z->next_out = log->packed + OUTER_HEAD;
    z->avail_out = PACKED_MAX - OUTER_HEAD;
    must(deflate(z, Z_FINISH) == Z_STREAM_END);
    packed = PACKED_MAX - OUTER_HEAD - z->avail_out;
    put_be(log->packed, COOKIE_DEFLATE, 4);
    put_be(log->packed + 4, packed, 4);
    return OUTER_HEAD + packed;
}

static void add_base64(struct text *out, const uint8_t *at, size_t bytes)
{
    char *to;

    if (!text_reserve(out, (bytes + 2) / 3 * 4)) {
        return;
    }
    to = out->data + out->length;
    for (; bytes > 0; at += 3) {
        size_t part = bytes < 3 ? bytes : 3;
        uint32_t three =
            (uint32_t)at[0] << 16 | (part > 1 ? (uint32_t)at[1] << 8 : 0) | (part > 2 ? at[2] : 0);

        *to++ = base64_digits[three >> 18];
        *to++ = base64_digits[three >> 12 & 63];
        *to++ = part > 1 ? base64_digits[three >> 6 & 63] : '=';
        *to++ = part > 2 ? base64_digits[three & 63] : '=';
        bytes -= part;
    }
    *to = '\0';
    out->length = (size_t)(to - out->data);
}

/* ns as units of 10^9 or 10^6 ns with 3 places, rounded to the nearest. */
static void add_thousandths(struct text *out, int64_t ns, int64_t unit)
{
    int64_t thousandths = (ns + unit / 2000) / (unit / 1000);

    text_addf(out, ",%" PRId64 ".%03d", thousandths / 1000, (int)(thousandths % 1000));
}

void hdr_log_line(struct hdr_log *log, struct text *out, const char *tag, int64_t start_ns,
                  int64_t length_ns, const struct hist *hist)
{
    must(strlen(tag) < HDR_LOG_TAG_MAX && !strpbrk(tag, ", \n\r"));
    must(start_ns >= 0 && length_ns >= 0);
    text_addf(out, "Tag=%s", tag);
    add_thousandths(out, start_ns, 1000000000);
    add_thousandths(out, length_ns, 1000000000);
    add_thousandths(out, hist->max_ns, 1000000);
    text_add_char(out, ',');
    add_base64(out, log->packed, encode(log, hist));
    text_add_char(out, '\n');
}

static int bad(struct error *err, const char *what)
{
    return error_set(err, EXIT_USAGE, -EINVAL, "not a line of a histogram log: %s", what);
}

/* Bytes decoded, or negative. */
static long from_base64(const struct hdr_log *log, const char *text, size_t bytes, uint8_t *ret)
{
    uint32_t bits = 0;
    uint8_t *to = ret;
    int held = 0;

    while (bytes > 0 && text[bytes - 1] == '=') {
        bytes--;
    }
    if (bytes / 4 * 3 + 3 > PACKED_MAX) {
        return -1;
    }
    for (size_t i = 0; i < bytes; i++) {
        int value = log->base64_value[(uint8_t)text[i]];

        if (value < 0) {
            return -1;
        }
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            *to++ = (uint8_t)(bits >> held);
        }
    }
    return to - ret;
}

static int unpack(struct hdr_log *log, size_t packed, size_t *ret_plain, struct error *err)
{
    z_stream *z = &log->inflate;

    if (packed < OUTER_HEAD || get_be(log->packed, 4) != COOKIE_DEFLATE ||
        get_be(log->packed + 4, 4) != packed - OUTER_HEAD) {
        return bad(err, "the histogram is not in the compressed V2 encoding");
    }
    must(inflateReset(z) == Z_OK);
    z->next_in = log->packed + OUTER_HEAD;
    z->avail_in = (uInt)(packed - OUTER_HEAD);
    z->next_out = log->plain;
    z->avail_out = PLAIN_MAX;
    if (inflate(z, Z_FINISH) != Z_STREAM_END) {
        return bad(err, "the histogram does not decompress");
    }
    *ret_plain = PLAIN_MAX - z->avail_out;
    return 0;
}

static void add_counter(struct hist *hist, uint32_t i, uint64_t count)
{
    int64_t high = hist_highest_of(i), low = i == 0 ? 0 : hist_highest_of(i - 1) + 1;
    uint64_t middle = (uint64_t)(low + (high - low) / 2);

    hist->counts[i] = count;
    hist->min_ns = hist->count == 0 ? low : hist->min_ns;
    hist->max_ns = high;
    hist->count += count;
    hist->sum_ns = (int64_t)((uint64_t)hist->sum_ns + middle * count); /* a hostile one wraps */
    hist->sumsq_ns2 += (unsigned __int128)middle * middle * count;
}

static int decode_plain(const uint8_t *plain, size_t bytes, struct hist *ret, struct error *err)
{
    const uint8_t *at = plain + HEAD, *end = plain + bytes;
    uint64_t i = 0;

    hist_init(ret);
    if (bytes < HEAD || get_be(plain, 4) != COOKIE_PLAIN || get_be(plain + 4, 4) != bytes - HEAD) {
        return bad(err, "the histogram is not in the V2 encoding");
    }
    if (get_be(plain + 8, 4) != 0 || get_be(plain + 12, 4) != DIGITS ||
        get_be(plain + 16, 8) != 1 || get_be(plain + 24, 8) != (uint64_t)HIST_HIGHEST_NS ||
        get_be(plain + 32, 8) != 0x3ff0000000000000u) {
        return bad(err, "its histogram has another layout than " HIST_LAYOUT);
    }
    while (at < end) {
        int64_t count = 0;

        at = get_leb(at, end, &count);
        if (!at || count < -(int64_t)HIST_COUNTS || i >= HIST_COUNTS) {
            return bad(err, "the histogram's counts are damaged");
        }
        if (count > 0 && i > hist_index(HIST_HIGHEST_NS)) {
            return bad(err, "the histogram has values above an hour");
        }
        if (count > 0) {
            add_counter(ret, (uint32_t)i, (uint64_t)count);
        }
        i += count < 0 ? (uint64_t)-count : 1;
    }
    return i <= HIST_COUNTS ? 0 : bad(err, "the histogram has too many counts");
}

/* "12.345," at *at as ns of `unit`; moves behind the comma. */
static bool read_thousandths(const char **at, const char *end, int64_t unit, int64_t *ret)
{
    int64_t whole = 0, part = 0, worth = unit;
    const char *from = *at;

    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
        if (whole > INT64_MAX / unit / 20) {
            return false;
        }
        whole = whole * 10 + (**at - '0');
    }
    if (*at == from) {
        return false;
    }
    if (*at < end && **at == '.') {
        for ((*at)++; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
            worth /= 10;
            part += worth * (**at - '0');
        }
    }
    *ret = whole * unit + part;
    return *at < end && *(*at)++ == ',';
}

static int read_front(const char **at, const char *end, struct hdr_line *ret, struct error *err)
{
    if (end - *at > 4 && strncmp(*at, "Tag=", 4) == 0) {
        const char *comma = memchr(*at, ',', (size_t)(end - *at));
        size_t len = comma ? (size_t)(comma - *at - 4) : HDR_LOG_TAG_MAX;

        if (len >= HDR_LOG_TAG_MAX) {
            return bad(err, comma ? "its tag is too long" : "it ends in its tag");
        }
        memcpy(ret->tag, *at + 4, len);
        *at = comma + 1;
    }
    if (!read_thousandths(at, end, 1000000000, &ret->start_ns) ||
        !read_thousandths(at, end, 1000000000, &ret->length_ns) ||
        !read_thousandths(at, end, 1000000, &ret->max_ns)) {
        return bad(err, "start, length, maximum and a comma behind each were expected");
    }
    return 0;
}

int hdr_log_read(struct hdr_log *log, const char *line, size_t bytes, struct hdr_line *ret,
                 struct hist *ret_hist, struct error *err)
{
    const char *at = line, *end = line + bytes;
    struct hdr_line front = {0};
    size_t plain = 0;
    long packed;
    int code;

    while (end > at && (end[-1] == '\n' || end[-1] == '\r')) {
        end--;
    }
    if (at == end || *at == '#' || *at == '"') {
        return 0;
    }
    if ((code = read_front(&at, end, &front, err))) {
        return code;
    }
    packed = from_base64(log, at, (size_t)(end - at), log->packed);
    if (packed < 0) {
        return bad(err, "the histogram is not base64");
    }
    if ((code = unpack(log, (size_t)packed, &plain, err)) ||
        (code = decode_plain(log->plain, plain, ret_hist, err))) {
        return code;
    }
    *ret = front;
    return 1;
}
