#include "engine/calibrate.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"

enum { COMMENTS_AT = 28 };

static void add_row(struct text *ret, const char *before, const char *key, const char *value,
                    const char *how)
{
    size_t from = ret->length;

    text_addf(ret, "%s%s: %s", before, key, value);
    if (ret->length - from < COMMENTS_AT) {
        text_add_repeat(ret, ' ', COMMENTS_AT - (ret->length - from));
    }
    text_addf(ret, " # %s\n", how);
}

static void add_measured(const struct calibration *c, struct text *ret)
{
    char mean[UNITS_TEXT], p99[UNITS_TEXT], users[UNITS_TEXT], count[UNITS_TEXT];

    text_addf(ret,
              "# Measured with %s, %s users, %.0f s, %s transactions: %.1f TPS, mean %s, p99 %s.\n",
              c->workload, units_format_count(c->users, users, sizeof(users)), c->seconds,
              units_format_count(c->transactions, count, sizeof(count)), c->tps,
              units_format_duration((int64_t)c->mean_ns, mean, sizeof(mean)),
              units_format_duration((int64_t)c->p99_ns, p99, sizeof(p99)));
    text_addf(ret, "# A transaction, by the server's counters: %.2f page reads, %.2f page writes, ",
              c->page_reads, c->page_writes);
    text_addf(ret, "%.0f bytes of log", c->log_bytes);
    if (c->log_writes >= 0) {
        text_addf(ret, " in %.2f writes", c->log_writes);
    }
    text_add(ret, ".\n");
}

/* The wait of a commit is the drive's, so it is for another section. */
static void add_flush(const struct calibration *c, struct text *ret)
{
    char flush[UNITS_TEXT], trip[UNITS_TEXT];

    if (c->flush_ns < 0) {
        text_addf(ret, "# Flush of the log: %s.\n", c->flush_how);
        return;
    }
    units_format_period((int64_t)(c->flush_ns / 1000 + 0.5) * 1000, flush, sizeof(flush));
    text_addf(ret, "# Flush of the log: %s (%s); for a simulated drive: --set drive.flush=%s\n",
              flush, c->flush_how, flush);
    text_addf(ret, "# Round trip: %s (one user's BEGIN; the model has none). One user: %.1f TPS.\n",
              units_format_duration((int64_t)c->round_trip_ns, trip, sizeof(trip)), c->single_tps);
}

static void add_cpu(const struct calibration *c, struct text *ret)
{
    char each[UNITS_TEXT];

    if (c->cpu_ns <= 0) {
        text_add(ret, "# CPU: not measured; the profile's own figure stands.\n");
        return;
    }
    text_addf(ret, "# CPU, %s a transaction: %s.\n",
              units_format_duration((int64_t)c->cpu_ns, each, sizeof(each)), c->cpu_how);
}

void calibrate_write(const struct calibration *c, const char *path, struct text *ret)
{
    const struct server_profile *profile = &c->profile;
    char value[48];

    text_addf(ret, "# Made by `rawtps calibrate` of %s, %s %s.\n", c->url, c->flavour, c->version);
    text_addf(ret,
              "# The model of this server: rawtps run %s --virtual --set vm=%s%s\n"
              "# Keys of the scenario's own `database` section go before these.\n",
              c->scenario, path[0] == '/' ? "" : "./", path);
    add_measured(c, ret);
    if (c->note[0] != '\0') {
        text_addf(ret, "# %s\n", c->note);
    }
    add_cpu(c, ret);
    add_flush(c, ret);
    text_addf(ret, "about: %s %s, calibrated\n", c->flavour, c->version);
    snprintf(value, sizeof(value), "%u", c->cores);
    add_row(ret, "", "vcpus", value, c->cores_how);
    snprintf(value, sizeof(value), "%" PRIu64 "MiB", c->memory_bytes >> 20);
    add_row(ret, "", "memory", value, c->memory_how);
    text_addf(ret, "database:\n  profile: %s\n", model_profile_names[profile->kind]);
    for (uint32_t i = 0; i < profile->count; i++) {
        add_row(ret, "  ", profile->rows[i].key, profile->rows[i].value, profile->rows[i].how);
    }
}
