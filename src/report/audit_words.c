#include "report/doc_audit.h"

#include "base/units.h"
#include "figures.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* As it was printed, with all its digits. */
static const char *exact(double ns, char buf[FIGURE_TEXT])
{
    return ns >= 0 && ns < 9e18 ? units_format_period(llround(ns), buf, FIGURE_TEXT)
                                : figure_duration(ns, buf);
}

/* Concurrency with the digits that tell 2 %. */
static const char *under_way(double value, char buf[FIGURE_TEXT])
{
    if (value >= 0 && value < 1000) {
        snprintf(buf, FIGURE_TEXT, "%.*f", value < 10 ? 2 : 1, value);
        return buf;
    }
    return figure_number(value, buf);
}

static const char *left_side(const struct audit_row *row)
{
    return row->found.think_ns > 0 ? "X (R + Z)" : "X R";
}

/* Think time with the digits that tell its rows apart. */
static const char *thinking(double ns, char buf[FIGURE_TEXT])
{
    if (!(ns >= 1e9 && ns < 1e13)) {
        return figure_duration(ns, buf);
    }
    snprintf(buf, FIGURE_TEXT, "%.4f s", ns / 1e9);
    return buf;
}

/* Where Z comes from, if it is more than none. */
static void say_think(const struct audit_row *row, struct text *ret)
{
    char z[FIGURE_TEXT];

    if (row->found.think_ns > 0) {
        text_addf(ret, ", with Z %s%s", thinking(row->found.think_ns, z),
                  isnan(row->figures.think_ns) ? " as the other rows have it" : "");
    }
}

/* Another row of the test that printed the same response time: perhaps it was copied. */
static const struct audit_row *same_response(const struct audit_test *test, uint32_t i)
{
    for (uint32_t j = 0; j < test->row_count; j++) {
        if (j != i && test->rows[j].figures.response_ns == test->rows[i].figures.response_ns) {
            return &test->rows[j];
        }
    }
    return NULL;
}

static void say_unit(const struct audit_row *row, struct text *ret)
{
    char printed[FIGURE_TEXT], meant[FIGURE_TEXT], n[FIGURE_TEXT], would[FIGURE_TEXT];
    double ns = row->figures.response_ns / row->found.unit;

    text_addf(ret, "%s is %s, which is absurd, but %s if the %s were %s: ask which unit was meant.",
              left_side(row), under_way(row->found.concurrency, n),
              under_way(little_concurrency(row->figures.per_s, ns, row->found.think_ns), would),
              exact(row->figures.response_ns, printed), exact(ns, meant));
}

static void say_inconsistent(const struct audit_test *test, uint32_t i, struct text *ret)
{
    const struct audit_row *row = &test->rows[i], *same = same_response(test, i);
    char n[FIGURE_TEXT], users[FIGURE_TEXT], off[FIGURE_TEXT], x[FIGURE_TEXT], r[FIGURE_TEXT];

    text_addf(ret, "%s is %s, not the %s declared (%s%s)", left_side(row),
              under_way(row->found.concurrency, n),
              figure_count((uint64_t)(row->figures.users + 0.5), users),
              row->found.off > 0 ? "+" : "", figure_percent(row->found.off, off));
    say_think(row, ret);
    text_addf(ret, ": this R means X = %s/s, ", figure_number(row->found.implied_per_s, x));
    if (row->found.implied_response_ns > 0) {
        text_addf(ret, "this X means R = %s", figure_duration(row->found.implied_response_ns, r));
    } else {
        text_add(ret, "and this X is above the ceiling N/Z whatever R is");
    }
    if (same) {
        text_addf(ret, ", and %s is the R of %s", exact(row->figures.response_ns, r), same->drive);
    } else if (!(row->found.think_ns > 0)) {
        text_addf(ret, ", or %s were under way", under_way(row->found.concurrency, n));
    }
    text_add_char(ret, '.');
}

static void say_consistent(const struct audit_row *row, struct text *ret)
{
    char n[FIGURE_TEXT], users[FIGURE_TEXT], ceiling[FIGURE_TEXT], share[FIGURE_TEXT];

    text_addf(ret, "%s is %s of the %s declared", left_side(row),
              under_way(row->found.concurrency, n),
              figure_count((uint64_t)(row->figures.users + 0.5), users));
    say_think(row, ret);
    if (row->found.ceiling_per_s > 0) {
        text_addf(ret, "; %s of the ceiling N/Z, %s/s",
                  figure_percent(row->found.ceiling_share, share),
                  figure_number(row->found.ceiling_per_s, ceiling));
    }
    text_add_char(ret, '.');
}

static void say_no_figure(const struct audit_row *row, struct text *ret)
{
    const struct little_row *figures = &row->figures;
    char buf[FIGURE_TEXT];

    text_addf(ret, "No %s was published",
              figures->per_s > 0          ? "response time"
              : figures->response_ns >= 0 ? "throughput"
                                          : "steady figure");
    if (figures->per_s > 0 && row->found.implied_response_ns > 0) {
        text_addf(ret, ": this X means R = %s",
                  figure_duration(row->found.implied_response_ns, buf));
    } else if (figures->response_ns >= 0 && row->found.implied_per_s > 0) {
        text_addf(ret, ": this R means X = %s/s", figure_number(row->found.implied_per_s, buf));
    }
    text_add_char(ret, '.');
}

void audit_say_row(const struct audit_test *test, uint32_t i, struct text *ret)
{
    const struct audit_row *row = &test->rows[i];
    char n[FIGURE_TEXT];

    if (row->found.unit != 1) {
        say_unit(row, ret);
        return;
    }
    switch (row->found.verdict) {
    case LITTLE_INCONSISTENT:
        say_inconsistent(test, i, ret);
        break;
    case LITTLE_CONSISTENT:
        say_consistent(row, ret);
        break;
    case LITTLE_NO_FIGURE:
        say_no_figure(row, ret);
        break;
    case LITTLE_NO_THINK:
        text_add(ret, "Neither Z nor another row that tells it was published.");
        break;
    default:
        text_addf(ret, "%s is %s; how many users there were was not published.", left_side(row),
                  under_way(row->found.concurrency, n));
    }
}

void audit_say_pair(const struct audit_test *test, uint32_t a, uint32_t b, struct text *ret)
{
    double na = test->rows[a].concurrency, nb = test->rows[b].concurrency;
    char left[FIGURE_TEXT], right[FIGURE_TEXT], off[FIGURE_TEXT], more[FIGURE_TEXT];
    double ratio = little_pair(na, nb);

    snprintf(more, sizeof(more), "%.1f", ratio + 1);
    text_addf(ret,
              "%s were under way on %s and %s on %s, %s%s: the two were not run alike, so their "
              "latencies cannot be compared.",
              under_way(na, left), test->rows[a].drive, under_way(nb, right), test->rows[b].drive,
              ratio < 1 ? figure_percent(ratio, off) : more, ratio < 1 ? " apart" : " times apart");
}
