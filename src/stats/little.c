#include "stats/little.h"

#include "base/must.h"
#include <math.h>
#include <stddef.h>

/* N may be off by so much before a unit is suspected, and by no more with the unit mended. */
#define UNIT_FAR 4

const char *const little_verdict_names[LITTLE_VERDICTS] = {"no figure", "no users", "no think time",
                                                           "consistent", "inconsistent"};

double little_concurrency(double per_s, double response_ns, double think_ns)
{
    return per_s * (response_ns + think_ns) / 1e9;
}

double little_ceiling(double users, double think_ns)
{
    return think_ns > 0 ? users / (think_ns / 1e9) : 0;
}

double little_pair(double a, double b)
{
    must(a > 0 && b > 0);
    return (a > b ? a / b : b / a) - 1;
}

double little_cut_off(double users, double ended, double sample_ns, double cycle_ns,
                      double stddev_ns)
{
    double cv = cycle_ns > 0 ? stddev_ns / cycle_ns : 0;
    double cycles = fmin(ended / users, sample_ns / cycle_ns);

    return fmax(3 / sqrt(ended), 2 / cycles * (1 + cv * cv));
}

static bool has_figures(const struct little_row *row)
{
    return row->per_s > 0 && row->response_ns >= 0;
}

/* N/X - R counts, and may be held against others'. */
static bool tells_think(const struct little_row *row)
{
    return isnan(row->think_ns) && has_figures(row) && row->users > 0;
}

static double own_think(const struct little_row *row)
{
    return tells_think(row) ? row->users / row->per_s * 1e9 - row->response_ns : row->think_ns;
}

/* Mean Z of the others that do not contradict themselves; NAN if there is none. */
static double think_of_others(const struct little_row *rows, uint32_t count, uint32_t but,
                              const struct little_finding *found)
{
    double sum = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (i != but && tells_think(&rows[i]) && found[i].verdict != LITTLE_INCONSISTENT) {
            sum += found[i].own_think_ns;
            n++;
        }
    }
    return n > 0 ? sum / n : NAN;
}

static double off_of(const struct little_row *row, double think_ns)
{
    return little_concurrency(row->per_s, row->response_ns, think_ns) / row->users - 1;
}

/* The rows without a published Z, against one another. */
static void judge_think(const struct little_row *rows, uint32_t count, struct little_finding *ret)
{
    for (;;) {
        uint32_t worst = 0, left = 0;
        double most = LITTLE_TOLERANCE;

        for (uint32_t i = 0; i < count; i++) {
            double think_ns = think_of_others(rows, count, i, ret), off;

            if (!tells_think(&rows[i]) || ret[i].verdict == LITTLE_INCONSISTENT) {
                continue;
            }
            left++;
            /* less than no time to think: no other row is needed to see that */
            off = ret[i].own_think_ns < 0 ? INFINITY
                  : isnan(think_ns)       ? 0
                                          : fabs(off_of(&rows[i], think_ns));
            ret[i].verdict = isnan(think_ns) ? LITTLE_NO_THINK : LITTLE_CONSISTENT;
            if (off > most) {
                most = off;
                worst = i + 1;
            }
        }
        if (worst == 0) {
            return;
        }
        ret[worst - 1].verdict = LITTLE_INCONSISTENT;
        if (left == 2 && isfinite(most)) {
            for (uint32_t i = 0; i < count; i++) {
                if (ret[i].verdict == LITTLE_CONSISTENT && tells_think(&rows[i])) {
                    ret[i].verdict = LITTLE_INCONSISTENT;
                    ret[i].think_ns = ret[worst - 1].own_think_ns;
                    ret[worst - 1].think_ns = ret[i].own_think_ns;
                }
            }
            return;
        }
    }
}

/* What follows for one row once the Z it is held against is known. */
static void derive(const struct little_row *row, struct little_finding *ret)
{
    double think_ns = ret->think_ns;

    ret->concurrency = little_concurrency(row->per_s, row->response_ns, think_ns);
    ret->off = ret->concurrency / row->users - 1;
    ret->implied_per_s = row->users / ((row->response_ns + think_ns) / 1e9);
    ret->implied_response_ns = row->users / row->per_s * 1e9 - think_ns;
    if (think_ns > 0) {
        ret->ceiling_per_s = little_ceiling(row->users, think_ns);
        ret->ceiling_share = row->per_s / ret->ceiling_per_s;
    }
}

/* The median concurrency of the other rows; NAN if there is none. */
static double median_of_others(const struct little_finding *found, uint32_t count, uint32_t but)
{
    double best = NAN;
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++) {
        n += i != but && found[i].concurrency > 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t below = 0;

        for (uint32_t j = 0; j < count; j++) {
            below += j != but && found[j].concurrency > 0 &&
                     (found[j].concurrency < found[i].concurrency ||
                      (found[j].concurrency == found[i].concurrency && j < i));
        }
        /* the lower one of two in the middle */
        if (i != but && found[i].concurrency > 0 && below == (n - 1) / 2) {
            best = found[i].concurrency;
        }
    }
    return best;
}

static bool is_far(double concurrency, double reference)
{
    return concurrency > UNIT_FAR * reference || concurrency * UNIT_FAR < reference;
}

static double suspect_unit(const struct little_row *row, const struct little_finding *found,
                           double reference)
{
    static const double units[] = {1e3, 1e-3, 1e6, 1e-6};

    if (!(found->concurrency > 0) || !(reference > 0) || !is_far(found->concurrency, reference)) {
        return 1;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        if (!is_far(little_concurrency(row->per_s, row->response_ns / units[i], found->think_ns),
                    reference)) {
            return units[i];
        }
    }
    return 1;
}

static enum little_verdict verdict_of(const struct little_row *row,
                                      const struct little_finding *found)
{
    return !has_figures(row)                      ? LITTLE_NO_FIGURE
           : !(row->users > 0)                    ? LITTLE_NO_USERS
           : tells_think(row)                     ? found->verdict
           : fabs(found->off) <= LITTLE_TOLERANCE ? LITTLE_CONSISTENT
                                                  : LITTLE_INCONSISTENT;
}

void little_judge(const struct little_row *rows, uint32_t count, struct little_finding *ret)
{
    for (uint32_t i = 0; i < count; i++) {
        ret[i] = (struct little_finding){.verdict = LITTLE_NO_FIGURE,
                                         .own_think_ns = own_think(&rows[i]),
                                         .think_ns = rows[i].think_ns,
                                         .ceiling_per_s = NAN,
                                         .ceiling_share = NAN,
                                         .unit = 1};
    }
    judge_think(rows, count, ret);
    for (uint32_t i = 0; i < count; i++) {
        if (tells_think(&rows[i]) && isnan(ret[i].think_ns)) {
            ret[i].think_ns = think_of_others(rows, count, i, ret);
        }
        if (ret[i].own_think_ns < 0 && isnan(ret[i].think_ns)) {
            ret[i].think_ns = 0; /* at the least */
        }
        derive(&rows[i], &ret[i]);
        ret[i].verdict = verdict_of(&rows[i], &ret[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        double reference = rows[i].users > 0 ? rows[i].users : median_of_others(ret, count, i);

        ret[i].unit = suspect_unit(&rows[i], &ret[i], reference);
    }
}
