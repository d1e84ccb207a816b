#include "result/result.h"

#include "base/text.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char result_interval_header[] =
    "start_ns,length_ns,phase,vm,due,done,rolled_back,failed,skipped,retries,tps,mean_ns,stddev_ns,"
    "p50_ns,p95_ns,p99_ns,p99_9_ns,max_ns,read_bytes,write_bytes,flushes,hit_ratio,page_accesses,"
    "pause_ns\n";

/* The shortest digits that read back equal; nothing for NAN. */
static void add_num(struct text *out, double value)
{
    char buf[40] = "";

    for (int digits = 15; digits <= 17 && value - value == 0; digits++) {
        snprintf(buf, sizeof(buf), "%.*g", digits, value);
        if (strtod(buf, NULL) == value) {
            break;
        }
    }
    text_add(out, buf);
}

/* Names of phases are the scenario's: what would break a row is changed. */
static void add_name(struct text *out, const char *name)
{
    for (const char *at = name; *at != '\0'; at++) {
        bool breaks = *at == ',' || *at == '"' || (unsigned char)*at < ' ';

        text_add_char(out, breaks ? '_' : *at);
    }
}

void result_interval_line(const struct result_interval *interval, struct text *ret)
{
    text_addf(ret, "%" PRId64 ",%" PRId64 ",", interval->start_ns, interval->length_ns);
    add_name(ret, interval->phase);
    if (interval->vm < 0) {
        text_add(ret, ",all");
    } else {
        text_addf(ret, ",%" PRId32, interval->vm);
    }
    text_addf(ret, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
              interval->due, interval->done, interval->rolled_back, interval->failed,
              interval->skipped, interval->retries);
    add_num(ret, interval->tps);
    text_add_char(ret, ',');
    add_num(ret, interval->mean_ns);
    text_add_char(ret, ',');
    add_num(ret, interval->stddev_ns);
    text_addf(ret, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, interval->p50_ns,
              interval->p95_ns, interval->p99_ns, interval->p99_9_ns, interval->max_ns);
    text_addf(ret, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", interval->read_bytes,
              interval->write_bytes, interval->flushes);
    add_num(ret, interval->hit_ratio);
    text_addf(ret, ",%" PRIu64 ",%" PRId64 "\n", interval->page_accesses, interval->pause_ns);
}

/* Takes fields off the front of a line; `fine` stays false once one was wrong. */
struct fields {
    const char *at;
    bool fine, ended;
};

static size_t next_field(struct fields *fields, const char **ret)
{
    size_t n = strcspn(fields->at, ",\r\n");

    fields->fine = fields->fine && !fields->ended;
    *ret = fields->at;
    fields->ended = fields->at[n] != ',';
    fields->at += n + (fields->ended ? 0 : 1);
    return n;
}

static uint64_t take_u64(struct fields *fields, uint64_t most)
{
    const char *field;
    size_t n = next_field(fields, &field);
    uint64_t value = 0;

    fields->fine = fields->fine && n > 0;
    for (size_t i = 0; i < n && fields->fine; i++) {
        fields->fine = field[i] >= '0' && field[i] <= '9' &&
                       !__builtin_mul_overflow(value, 10, &value) &&
                       !__builtin_add_overflow(value, (uint64_t)(field[i] - '0'), &value);
    }
    fields->fine = fields->fine && value <= most;
    return value;
}

/* Nothing here lies before the run began, or lasts for centuries: sums of two stay in range. */
static int64_t take_ns(struct fields *fields)
{
    return (int64_t)take_u64(fields, INT64_MAX / 2);
}

static double take_num(struct fields *fields, double empty)
{
    const char *field;
    size_t n = next_field(fields, &field);
    char buf[48], *end;
    double value;

    if (n == 0 || n >= sizeof(buf) || strspn(field, "0123456789+-.eE") < n) {
        fields->fine = fields->fine && n == 0 && empty != empty;
        return empty;
    }
    memcpy(buf, field, n);
    buf[n] = '\0';
    value = strtod(buf, &end);
    fields->fine = fields->fine && *end == '\0' && value - value == 0;
    return value;
}

static int32_t take_vm(struct fields *fields)
{
    if (strncmp(fields->at, "all,", 4) == 0) {
        fields->at += 4;
        return -1;
    }
    return (int32_t)take_u64(fields, INT32_MAX);
}

bool result_interval_parse(const char *line, struct result_interval *ret)
{
    struct fields fields = {.at = line, .fine = true};
    struct result_interval row = {0};
    const char *name;
    size_t n;

    row.start_ns = take_ns(&fields);
    row.length_ns = take_ns(&fields);
    n = next_field(&fields, &name);
    fields.fine = fields.fine && n < sizeof(row.phase);
    memcpy(row.phase, name, fields.fine ? n : 0);
    row.vm = take_vm(&fields);
    row.due = take_u64(&fields, UINT64_MAX);
    row.done = take_u64(&fields, UINT64_MAX);
    row.rolled_back = take_u64(&fields, UINT64_MAX);
    row.failed = take_u64(&fields, UINT64_MAX);
    row.skipped = take_u64(&fields, UINT64_MAX);
    row.retries = take_u64(&fields, UINT64_MAX);
    row.tps = take_num(&fields, 0);
    row.mean_ns = take_num(&fields, 0);
    row.stddev_ns = take_num(&fields, 0);
    row.p50_ns = take_ns(&fields);
    row.p95_ns = take_ns(&fields);
    row.p99_ns = take_ns(&fields);
    row.p99_9_ns = take_ns(&fields);
    row.max_ns = take_ns(&fields);
    row.read_bytes = take_u64(&fields, UINT64_MAX);
    row.write_bytes = take_u64(&fields, UINT64_MAX);
    row.flushes = take_u64(&fields, UINT64_MAX);
    row.hit_ratio = take_num(&fields, NAN);
    row.page_accesses = take_u64(&fields, UINT64_MAX);
    row.pause_ns = take_ns(&fields);
    if (!fields.fine || !fields.ended || fields.at[strspn(fields.at, "\r\n")] != '\0') {
        return false;
    }
    *ret = row;
    return true;
}
