#include "report/progress.h"

#include "base/json.h"
#include "base/units.h"
#include "figures.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const progress_style_names[PROGRESS_STYLES] = {"plain", "sysbench", "pgbench"};

bool progress_style_find(const char *name, enum progress_style *ret)
{
    for (uint32_t i = 0; i < PROGRESS_STYLES; i++) {
        if (strcmp(name, progress_style_names[i]) == 0) {
            *ret = (enum progress_style)i;
            return true;
        }
    }
    return false;
}

static double ends_s(const struct result_interval *interval)
{
    return ((double)interval->start_ns + (double)interval->length_ns) / 1e9;
}

static double lasts_s(const struct result_interval *interval)
{
    return interval->length_ns > 0 ? (double)interval->length_ns / 1e9 : 1;
}

static void plain(const struct live_frame *frame, const struct result_interval *interval,
                  struct text *out)
{
    char clock[UNITS_TEXT], avg[FIGURE_TEXT], p99[FIGURE_TEXT], max[FIGURE_TEXT];
    double end_s = ends_s(interval);
    int64_t eta_s = frame->eta_ns / 1000000000;

    text_addf(out, "%s %s  %s %.0f  avg %s  p99 %s  max %s  err %llu",
              units_format_clock(end_s > 0 ? (int64_t)(end_s * 1e9) : 0, clock, sizeof(clock)),
              interval->phase, frame->iops ? "iops" : "tps", interval->tps,
              figure_duration(interval->mean_ns, avg),
              figure_duration((double)interval->p99_ns, p99),
              figure_duration((double)interval->max_ns, max), (unsigned long long)interval->failed);
    if (frame->eta_ns >= 0 && eta_s < 60) {
        text_addf(out, "  ETA %ds", (int)eta_s);
    } else if (frame->eta_ns >= 0) {
        text_addf(out, "  ETA %lldm", (long long)(eta_s / 60));
    }
    text_add_char(out, '\n');
}

/* The line of sysbench 1.0's --report-interval. */
static void sysbench(const struct live_frame *frame, const struct result_interval *interval,
                     struct text *out)
{
    const double *statements = frame->statements_per_s;

    text_addf(out,
              "[ %.0fs ] thds: %.0f tps: %.2f qps: %.2f (r/w/o: %.2f/%.2f/%.2f) "
              "lat (ms,99%%): %.2f err/s: %.2f reconn/s: 0.00\n",
              ends_s(interval), frame->users_total, interval->tps,
              statements[0] + statements[1] + statements[2], statements[0], statements[1],
              statements[2], (double)interval->p99_ns / 1e6,
              (double)interval->failed / lasts_s(interval));
}

/* The line of pgbench's --progress. */
static void pgbench(const struct result_interval *interval, struct text *out)
{
    text_addf(out, "progress: %.1f s, %.1f tps, lat %.3f ms stddev %.3f, %llu failed\n",
              ends_s(interval), interval->tps, interval->mean_ns / 1e6, interval->stddev_ns / 1e6,
              (unsigned long long)interval->failed);
}

void progress_line(enum progress_style style, const struct live_frame *frame,
                   const struct result_interval *interval, struct text *ret)
{
    switch (style) {
    case PROGRESS_SYSBENCH:
        sysbench(frame, interval, ret);
        break;
    case PROGRESS_PGBENCH:
        pgbench(interval, ret);
        break;
    case PROGRESS_PLAIN:
    case PROGRESS_STYLES:
        plain(frame, interval, ret);
        break;
    }
}

static void add_us(struct text *out, const char *key, double ns)
{
    text_addf(out, "\"%s\":%.0f", key, isfinite(ns) ? ns / 1000 : 0);
}

void progress_json(const struct result_interval *interval, struct text *ret)
{
    text_addf(ret, "{\"t\":%.1f,\"phase\":", ends_s(interval));
    json_escape(ret, interval->phase, strnlen(interval->phase, sizeof(interval->phase)));
    if (interval->vm < 0) {
        text_add(ret, ",\"vm\":\"all\"");
    } else {
        text_addf(ret, ",\"vm\":%d", (int)interval->vm);
    }
    text_addf(ret, ",\"tps\":%.10g,\"lat\":{", isfinite(interval->tps) ? interval->tps : 0);
    add_us(ret, "avg", interval->mean_ns);
    text_add_char(ret, ',');
    add_us(ret, "p50", (double)interval->p50_ns);
    text_add_char(ret, ',');
    add_us(ret, "p95", (double)interval->p95_ns);
    text_add_char(ret, ',');
    add_us(ret, "p99", (double)interval->p99_ns);
    text_add_char(ret, ',');
    add_us(ret, "p99_9", (double)interval->p99_9_ns);
    text_add_char(ret, ',');
    add_us(ret, "max", (double)interval->max_ns);
    text_add_char(ret, ',');
    add_us(ret, "stddev", interval->stddev_ns);
    text_addf(ret, "},\"err\":%llu}\n", (unsigned long long)interval->failed);
}
