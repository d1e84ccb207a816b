#include "stats/hist.h"

#include "base/must.h"
#include <math.h>
#include <string.h>

enum { HALF = 1 << (HIST_SUB_BITS - 1) };

int64_t hist_highest_of(uint32_t i)
{
    uint32_t bucket = i < 2 * HALF ? 0 : i / HALF - 1;

    must(i < HIST_COUNTS);
    return (((int64_t)i - (int64_t)bucket * HALF + 1) << bucket) - 1;
}

static int64_t lowest_of(uint32_t i)
{
    return i == 0 ? 0 : hist_highest_of(i - 1) + 1;
}

void hist_init(struct hist *hist)
{
    memset(hist, 0, sizeof(*hist));
}

void hist_merge(struct hist *into, const struct hist *from)
{
    if (from->count == 0) {
        return;
    }
    for (uint32_t i = hist_index(from->min_ns), last = hist_index(from->max_ns); i <= last; i++) {
        into->counts[i] += from->counts[i];
    }
    into->min_ns = into->count == 0 || from->min_ns < into->min_ns ? from->min_ns : into->min_ns;
    into->max_ns = from->max_ns > into->max_ns ? from->max_ns : into->max_ns;
    into->sum_ns += from->sum_ns;
    into->sumsq_ns2 += from->sumsq_ns2;
    into->count += from->count;
}

/* Extremes of what lies between two states: true where the later state's are new, else rounded. */
static void set_extremes(struct hist *ret, const struct hist *later, const struct hist *earlier)
{
    uint32_t first = hist_index(later->min_ns), last = hist_index(later->max_ns);

    while (ret->counts[first] == 0) {
        first++;
    }
    while (ret->counts[last] == 0) {
        last--;
    }
    ret->min_ns = lowest_of(first);
    ret->max_ns = hist_highest_of(last);
    if (earlier->count == 0 || later->min_ns < earlier->min_ns || ret->min_ns < later->min_ns) {
        ret->min_ns = later->min_ns;
    }
    if (later->max_ns > earlier->max_ns || ret->max_ns > later->max_ns) {
        ret->max_ns = later->max_ns;
    }
}

void hist_subtract(struct hist *ret, const struct hist *later, const struct hist *earlier)
{
    must(later->count >= earlier->count && ret != later && ret != earlier);
    hist_init(ret);
    if (later->count == earlier->count) {
        return;
    }
    for (uint32_t i = hist_index(later->min_ns), last = hist_index(later->max_ns); i <= last; i++) {
        must(later->counts[i] >= earlier->counts[i]);
        ret->counts[i] = later->counts[i] - earlier->counts[i];
    }
    ret->count = later->count - earlier->count;
    ret->sum_ns = later->sum_ns - earlier->sum_ns;
    ret->sumsq_ns2 = later->sumsq_ns2 - earlier->sumsq_ns2;
    set_extremes(ret, later, earlier);
}

/* ceil(share * count), 1 to count; a product a rounding above a whole number is that number. */
static uint64_t nearest_rank(double share, uint64_t count)
{
    double exact = share * (double)count;
    uint64_t rank = (uint64_t)(exact - exact * 0x1p-50);

    rank += (double)rank < exact - exact * 0x1p-50;
    return rank < 1 ? 1 : rank > count ? count : rank;
}

int64_t hist_quantile(const struct hist *hist, double share)
{
    uint64_t rank, seen = 0;
    uint32_t i, last;

    must(share >= 0 && share <= 1);
    if (hist->count == 0) {
        return 0;
    }
    rank = nearest_rank(share, hist->count);
    last = hist_index(hist->max_ns);
    for (i = hist_index(hist->min_ns); i < last; i++) {
        seen += hist->counts[i];
        if (seen >= rank) {
            break;
        }
    }
    return i == last || hist_highest_of(i) > hist->max_ns ? hist->max_ns : hist_highest_of(i);
}

double hist_mean(const struct hist *hist)
{
    return hist->count == 0 ? 0 : (double)hist->sum_ns / (double)hist->count;
}

double hist_stddev(const struct hist *hist)
{
    unsigned __int128 n = hist->count, s = (unsigned __int128)hist->sum_ns, rest, whole;

    if (n == 0) {
        return 0;
    }
    /* n times the variance is sum of squares less s^2 / n: in whole numbers, so nothing cancels */
    rest = s % n * s;
    whole = hist->sumsq_ns2 - s / n * s - rest / n;
    return sqrt(((double)whole - (double)(rest % n) / (double)n) / (double)n);
}
