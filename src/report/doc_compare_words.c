#include "doc_compare_parts.h"

#include "figures.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const compare_why_names[] = {
    [COMPARISON_JUDGED] = "judged",
    [COMPARISON_ONE_RUN] = "one run",
    [COMPARISON_ONE_SEED] = "one seed",
    [COMPARISON_CONCURRENCY] = "concurrency differs",
    [COMPARISON_WORKLOAD] = "another workload",
    [COMPARISON_UNKNOWN] = "unknown",
};
const char *const compare_verdict_names[] = {
    [COMPARE_NONE] = "none",
    [COMPARE_SAME] = "same",
    [COMPARE_IS_BETTER] = "better",
    [COMPARE_IS_WORSE] = "worse",
};

const char *compare_note(struct compare_notes *notes, const char *format, ...)
{
    static const char *const marks[COMPARE_NOTES] = {" ¹", " ²", " ³", " ⁴", " ⁵",
                                                     " ⁶", " ⁷", " ⁸", " ⁹"};
    char text[COMPARE_NOTE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    for (uint32_t i = 0; i < notes->count; i++) {
        if (strcmp(notes->texts[i], text) == 0) {
            return marks[i];
        }
    }
    if (notes->count == COMPARE_NOTES) {
        return "";
    }
    memcpy(notes->texts[notes->count], text, sizeof(text));
    return marks[notes->count++];
}

const char *compare_value(const struct set_metric *metric, double value, char ret[COMPARE_WORDS])
{
    char figure[FIGURE_TEXT];

    switch (metric->unit) {
    case SET_NS:
        figure_duration(value, figure);
        break;
    case SET_SHARE:
        figure_percent(value, figure);
        break;
    case SET_RATIO:
    case SET_PER_S:
    case SET_MB_S:
    case SET_WATT:
    case SET_MJ:
    case SET_PER_W:
        figure_number(value, figure);
        break;
    }
    snprintf(ret, COMPARE_WORDS, "%s", figure);
    return ret;
}

const char *compare_share_word(double share, char ret[COMPARE_WORDS])
{
    if (!isfinite(share)) {
        snprintf(ret, COMPARE_WORDS, "-");
    } else {
        snprintf(ret, COMPARE_WORDS, "%.*f%%", fabs(share) < 0.0995 ? 1 : 0, share * 100);
    }
    return ret;
}

const char *compare_change(double share, char ret[COMPARE_WORDS])
{
    double percent = share * 100;

    if (!isfinite(percent)) {
        snprintf(ret, COMPARE_WORDS, "-");
    } else {
        snprintf(ret, COMPARE_WORDS, "%+.*f%%", fabs(percent) < 9.995 ? 2 : fabs(percent) < 99.95,
                 percent);
    }
    return ret;
}

const char *compare_bounds(double low, double high, bool narrow, char ret[COMPARE_WORDS])
{
    double most = fmax(fabs(low), fabs(high)) * 100;
    int digits = most < 1 ? 2 : most < 20 ? 1 : 0;

    if (!isfinite(most)) {
        snprintf(ret, COMPARE_WORDS, "-");
    } else if (most < 0.005) {
        snprintf(ret, COMPARE_WORDS, narrow ? "0, 0" : "[0, 0]");
    } else {
        snprintf(ret, COMPARE_WORDS, narrow ? "%+.*f, %+.*f" : "[%+.*f, %+.*f]", digits, low * 100,
                 digits, high * 100);
    }
    return ret;
}

const char *compare_chance(double p, bool narrow, char ret[COMPARE_WORDS])
{
    char figure[16];

    if (!isfinite(p)) {
        snprintf(ret, COMPARE_WORDS, "-");
        return ret;
    }
    snprintf(figure, sizeof(figure), "%.3f", fmax(p, 0.001));
    snprintf(ret, COMPARE_WORDS, "%s%s", p < 0.001 ? "<" : "",
             narrow && figure[0] == '0' ? figure + 1 : figure);
    return ret;
}

const char *compare_scope(int32_t vm, char ret[COMPARE_WORDS])
{
    if (vm < 0) {
        snprintf(ret, COMPARE_WORDS, "agg");
    } else {
        snprintf(ret, COMPARE_WORDS, "vm%d", vm);
    }
    return ret;
}

const char *compare_side_name(uint32_t side)
{
    static const char *const names[SET_SIDES] = {"A", "B", "C", "D", "E", "F", "G", "H"};

    return names[side];
}

bool compare_shown(const struct comparison_row *row, uint32_t side, double *ret_low,
                   double *ret_high)
{
    const struct compare *compare = &row->against[side].compare;
    double a = row->sides[0].within, b = row->sides[side].within, half;

    if (row->against[side].why == COMPARISON_UNKNOWN ||
        row->against[side].why == COMPARISON_ONE_SEED) {
        return false;
    }
    if (compare->state == COMPARE_JUDGED) {
        *ret_low = compare_share(compare->low);
        *ret_high = compare_share(compare->high);
        return true;
    }
    if (compare->state != COMPARE_TOO_FEW || !isfinite(a + b)) {
        return false;
    }
    /* the two runs' own intervals, as errors that are independent */
    half = sqrt(a * a + b * b);
    *ret_low = compare_share(compare->delta - half);
    *ret_high = compare_share(compare->delta + half);
    return true;
}

void compare_conclude(struct doc *doc, uint32_t better, uint32_t worse, uint32_t judged)
{
    if (better > 0 && worse == 0) {
        doc_verdict(doc, DOC_GOOD, "better");
    } else if (worse > 0 && better == 0) {
        doc_verdict(doc, DOC_BAD, "worse");
    } else if (better + worse > 0) {
        doc_verdict(doc, DOC_DOUBTFUL, "mixed");
    } else if (judged > 0) {
        doc_verdict(doc, DOC_PLAIN, "no difference shown");
    } else {
        doc_verdict(doc, DOC_DOUBTFUL, "no verdict");
    }
}
