#include "chart_draw.h"

#include "base/units.h"
#include <math.h>
#include <stdio.h>

static const double percentiles[] = {0, 50, 90, 99, 99.9, 99.99, 99.999};

const char *chart_value(enum doc_unit unit, double value, char buf[FIGURE_TEXT])
{
    switch (unit) {
    case DOC_CLOCK:
        return fabs(value) < 9e9 ? units_format_clock((int64_t)(value * 1e9), buf, FIGURE_TEXT)
                                 : figure_number(NAN, buf);
    case DOC_NS:
        return figure_duration(value, buf);
    case DOC_SHARE:
        return figure_percent(value, buf);
    case DOC_BYTES:
        return figure_size(value, buf);
    case DOC_PERCENTILE:
        snprintf(buf, FIGURE_TEXT, "%.6g", value);
        return buf;
    case DOC_NUMBER:
        break;
    }
    return figure_number(value, buf);
}

/* The place of a value before it is shifted and stretched. */
static double bend(const struct chart_scale *scale, double value)
{
    if (scale->unit == DOC_PERCENTILE) {
        return value < 100 ? -log10(1 - value / 100) : NAN;
    }
    if (scale->log) {
        return value > 0 ? log10(value) : NAN;
    }
    return value;
}

double chart_scale_share(const struct chart_scale *scale, double value)
{
    double least = bend(scale, scale->least), largest = bend(scale, scale->largest);

    return largest > least ? (bend(scale, value) - least) / (largest - least) : NAN;
}

static void add_tick(struct chart_scale *scale, double value)
{
    double slack = 1e-9 * (scale->largest - scale->least);

    if (scale->tick_count < CHART_TICKS && value >= scale->least - slack &&
        value <= scale->largest + slack) {
        scale->ticks[scale->tick_count++] = value;
    }
}

/* The step of 1, 2, 5 times a power of ten, or a round time, that makes at most 6 of them. */
static double nice_step(enum doc_unit unit, double span)
{
    static const double clock[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                   600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
    double power = pow(10, floor(log10(span / 6)));

    if (unit == DOC_CLOCK) {
        for (uint32_t i = 0; i < sizeof(clock) / sizeof(*clock); i++) {
            if (span / clock[i] <= 8) {
                return clock[i];
            }
        }
        return 86400 * ceil(span / 86400 / 8);
    }
    return span / (power * 1) <= 6   ? power
           : span / (power * 2) <= 6 ? power * 2
           : span / (power * 5) <= 6 ? power * 5
                                     : power * 10;
}

static void log_ticks(struct chart_scale *scale, bool widen)
{
    static const double steps[] = {1, 2, 5};
    double from = floor(log10(scale->least)), until = ceil(log10(scale->largest));
    uint32_t each = until - from <= 3 ? 3 : 1;

    until = until > from ? until : from + 1;
    if (widen) {
        scale->least = pow(10, from);
        scale->largest = pow(10, until);
    }
    for (uint32_t decade = 0; decade < 20 && from + decade <= until; decade++) {
        for (uint32_t i = 0; i < each; i++) {
            add_tick(scale, steps[i] * pow(10, from + decade));
        }
    }
}

static void linear_ticks(struct chart_scale *scale, bool widen)
{
    double step = nice_step(scale->unit, scale->largest - scale->least);
    double first = (widen ? floor(scale->least / step) : ceil(scale->least / step)) * step;

    if (widen) {
        scale->least = first;
        scale->largest = ceil(scale->largest / step - 1e-9) * step;
    }
    for (uint32_t i = 0; i < CHART_TICKS && first + i * step <= scale->largest + step / 2; i++) {
        add_tick(scale, first + i * step);
    }
}

void chart_scale_init(struct chart_scale *scale, const struct doc_axis *axis, double least,
                      double largest, bool widen)
{
    bool any = isfinite(least) && isfinite(largest);

    *scale = (struct chart_scale){.unit = axis->unit, .log = axis->log && any && least > 0};
    scale->least = any ? least : 0;
    scale->largest = any && largest > least ? largest : scale->least + fmax(1, scale->least);
    if (axis->unit == DOC_PERCENTILE) {
        for (uint32_t i = 0; i < sizeof(percentiles) / sizeof(*percentiles); i++) {
            add_tick(scale, percentiles[i]);
        }
    } else if (scale->log) {
        log_ticks(scale, widen);
    } else {
        linear_ticks(scale, widen);
    }
}
