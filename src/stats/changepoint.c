#include "stats/changepoint.h"

#include "base/dist.h"
#include "base/must.h"
#include "stats/compare.h"
#include "stats/moments.h"
#include "stats/student.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { WINDOW_DEFAULT = 50, WINDOW_LEAST = 4, PART_LEAST = 2, POINTS_MAX = 256 };
#define P_DEFAULT          0.001
#define MIN_CHANGE_DEFAULT 0.01

/* One search: the series, the rule, and the points found so far, ascending. */
struct search {
    const double *x;
    uint32_t n;
    struct changepoint_rule rule;
    struct changepoint points[POINTS_MAX];
    uint32_t count;
};

static struct changepoint_rule with_defaults(const struct changepoint_rule *rule)
{
    struct changepoint_rule ret = *rule;

    ret.window = ret.window == 0 ? WINDOW_DEFAULT : ret.window;
    ret.p = ret.p > 0 ? ret.p : P_DEFAULT;
    ret.min_change = ret.min_change > 0 ? ret.min_change : MIN_CHANGE_DEFAULT;
    must(ret.window >= WINDOW_LEAST && ret.window <= CHANGEPOINT_WINDOW_MAX);
    return ret;
}

static double distance_to(const double *y, uint32_t from, uint32_t until, double value)
{
    double sum = 0;

    for (uint32_t i = from; i < until; i++) {
        sum += fabs(y[i] - value);
    }
    return sum;
}

static double pairs_of(double n)
{
    return n * (n - 1) / 2;
}

/* Where the energy distance of y[0, at) and y[at, n) is largest (Matteson and James 2014, eq. 5).
 */
static uint32_t best_split(const double *y, uint32_t n)
{
    double left = 0, right = 0, across = 0, most = -1;
    uint32_t at = PART_LEAST;

    for (uint32_t i = 0; i < n; i++) {
        right += distance_to(y, i + 1, n, y[i]);
    }
    for (uint32_t i = 1; i < n; i++) {
        /* y[i - 1] goes over to the left */
        double to_left = distance_to(y, 0, i - 1, y[i - 1]);
        double to_right = distance_to(y, i, n, y[i - 1]), l = i, r = n - i, energy;

        left += to_left;
        right -= to_right;
        across += to_right - to_left;
        if (i < PART_LEAST || n - i < PART_LEAST) {
            continue;
        }
        energy = 2 * across / (l * r) - left / pairs_of(l) - right / pairs_of(r);
        energy *= l * r / n;
        if (energy > most) {
            most = energy;
            at = i;
        }
    }
    return at;
}

/* Pooled t test of two parts of the series; false: no change by the rule. */
static bool test_parts(const struct search *search, uint32_t from, uint32_t at, uint32_t until,
                       struct changepoint *ret)
{
    struct moments before, after;
    double df = until - from - 2.0, se, change;

    must(moments_of_logs(&before, search->x + from, at - from));
    must(moments_of_logs(&after, search->x + at, until - at));
    change = after.mean - before.mean;
    *ret = (struct changepoint){at, dist_exp(before.mean), dist_exp(after.mean), change, 1};
    if (df < 1) {
        return false;
    }
    se = sqrt((before.m2 + after.m2) / df * (1.0 / (at - from) + 1.0 / (until - at)));
    ret->p = se > 0 ? 2 * student_cdf(-fabs(change) / se, df) : change == 0 ? 1 : 0;
    return ret->p < search->rule.p && fabs(compare_share(change)) >= search->rule.min_change;
}

/* Ascending, each place once; the oldest goes if there are too many. */
static void keep(struct search *search, const struct changepoint *point)
{
    uint32_t i = search->count;

    while (i > 0 && search->points[i - 1].at > point->at) {
        i--;
    }
    if (i > 0 && search->points[i - 1].at == point->at) {
        return;
    }
    if (search->count == POINTS_MAX) {
        if (i == 0) {
            return;
        }
        memmove(search->points, search->points + 1, (i - 1) * sizeof(*point));
        search->points[i - 1] = *point;
        return;
    }
    memmove(search->points + i + 1, search->points + i, (search->count - i) * sizeof(*point));
    search->points[i] = *point;
    search->count++;
}

static void split_window(struct search *search, uint32_t from, uint32_t until)
{
    struct {
        uint32_t from, until;
    } parts[CHANGEPOINT_WINDOW_MAX];
    uint32_t left = 1;

    parts[0].from = from;
    parts[0].until = until;
    while (left > 0) {
        uint32_t first = parts[--left].from, end = parts[left].until;
        double y[CHANGEPOINT_WINDOW_MAX];
        struct changepoint point;
        uint32_t at;

        if (end - first < 2 * PART_LEAST) {
            continue;
        }
        for (uint32_t i = first; i < end; i++) {
            y[i - first] = dist_ln(search->x[i]);
        }
        at = first + best_split(y, end - first);
        if (!test_parts(search, first, at, end, &point)) {
            continue;
        }
        keep(search, &point);
        parts[left].from = first;
        parts[left++].until = at;
        parts[left].from = at;
        parts[left++].until = end;
    }
}

/* Held against its neighbours, no further than a window away, is each still a change? */
static uint32_t weakest(struct search *search)
{
    uint32_t window = search->rule.window, worst = search->count;
    double worst_p = -1;

    for (uint32_t i = 0; i < search->count; i++) {
        struct changepoint *point = &search->points[i];
        uint32_t from = i > 0 ? point[-1].at : 0;
        uint32_t until = i + 1 < search->count ? point[1].at : search->n;

        from = point->at - from > window ? point->at - window : from;
        until = until - point->at > window ? point->at + window : until;
        if (!test_parts(search, from, point->at, until, point) && point->p > worst_p) {
            worst_p = point->p;
            worst = i;
        }
    }
    return worst;
}

uint32_t changepoint_find(const double *x, uint32_t n, const struct changepoint_rule *rule,
                          struct changepoint *ret, uint32_t limit)
{
    struct search search = {.x = x, .n = n, .rule = with_defaults(rule)};
    uint32_t window = search.rule.window, step = window / 2, until = n < window ? n : window;
    uint32_t worst, count;

    for (uint32_t i = 0; i < n; i++) {
        must(isfinite(x[i]) && x[i] > 0);
    }
    split_window(&search, 0, until);
    while (until < n) {
        until = n - until > step ? until + step : n;
        split_window(&search, until - window, until);
    }
    while ((worst = weakest(&search)) < search.count) {
        search.count--;
        memmove(search.points + worst, search.points + worst + 1,
                (search.count - worst) * sizeof(*ret));
    }
    count = search.count < limit ? search.count : limit;
    memcpy(ret, search.points + search.count - count, count * sizeof(*ret));
    return count;
}
