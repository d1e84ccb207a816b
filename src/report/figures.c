#include "figures.h"

#include "base/text.h"
#include "base/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *say(const char *word, char buf[FIGURE_TEXT])
{
    snprintf(buf, FIGURE_TEXT, "%s", word);
    return buf;
}

const char *figure_count(uint64_t value, char buf[FIGURE_TEXT])
{
    return units_format_count(value, buf, FIGURE_TEXT);
}

const char *figure_number(double value, char buf[FIGURE_TEXT])
{
    double size = fabs(value);
    int digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;

    if (!isfinite(value)) {
        return say("-", buf);
    }
    if (value == 0) {
        return say("0", buf);
    }
    if (digits == 0 && value > 0 && value < 1e18) {
        return figure_count((uint64_t)llround(value), buf);
    }
    if (size >= 1e15 || size < 0.0005) {
        snprintf(buf, FIGURE_TEXT, "%.2e", value);
    } else {
        snprintf(buf, FIGURE_TEXT, "%.*f", digits, value);
    }
    return buf;
}

const char *figure_duration(double ns, char buf[FIGURE_TEXT])
{
    if (!isfinite(ns) || ns < 0 || ns > 9e18) {
        return say("-", buf);
    }
    return ns < 0.5 ? say("0", buf) : units_format_duration(llround(ns), buf, FIGURE_TEXT);
}

const char *figure_share(double share, char buf[FIGURE_TEXT])
{
    if (!isfinite(share)) {
        return say("-", buf);
    }
    snprintf(buf, FIGURE_TEXT, "%.1f", fmin(fmax(share, -1e9), 1e9) * 100);
    return strcmp(buf, "-0.0") == 0 ? say("0.0", buf) : buf;
}

const char *figure_percent(double share, char buf[FIGURE_TEXT])
{
    size_t n = strlen(figure_share(share, buf));

    snprintf(buf + n, FIGURE_TEXT - n, "%s", isfinite(share) ? "%" : "");
    return buf;
}

const char *figure_size(double bytes, char buf[FIGURE_TEXT])
{
    if (!isfinite(bytes) || bytes < 0 || bytes > 1e19) {
        return say("-", buf);
    }
    return units_format_size((uint64_t)(bytes + 0.5), buf, FIGURE_TEXT);
}

uint32_t figure_width(const char *string)
{
    uint32_t width = 0;

    for (; *string != '\0'; string++) {
        width += ((unsigned char)*string & 0xc0) != 0x80;
    }
    return width;
}

size_t figure_cut(const char *string, uint32_t width)
{
    size_t at = 0;

    while (string[at] != '\0') {
        bool begins = ((unsigned char)string[at] & 0xc0) != 0x80;

        if (begins && width-- == 0) {
            break;
        }
        at++;
    }
    return at;
}
