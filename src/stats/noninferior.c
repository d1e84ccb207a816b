#include "stats/noninferior.h"

#include "base/dist.h"
#include "base/must.h"
#include "stats/moments.h"
#include "stats/student.h"
#include <math.h>

enum { RUNS_LEAST = 3, RUNS_DEFAULT = 5, RUNS_CAP = 100 };
#define ALPHA_DEFAULT 0.05
#define POWER_DEFAULT 0.80

const char *const noninferior_names[NONINFERIOR_VERDICTS] = {"PASS", "FAIL", "INCONCLUSIVE",
                                                             "INVALID"};

static struct noninferior_rule with_defaults(const struct noninferior_rule *rule)
{
    struct noninferior_rule ret = *rule;

    must(ret.share >= 0 && (ret.share < 1 || ret.kind == NONINFERIOR_IMPROVE));
    ret.alpha = ret.alpha > 0 ? ret.alpha : ALPHA_DEFAULT;
    ret.power = ret.power > 0 ? ret.power : POWER_DEFAULT;
    ret.min_runs = ret.min_runs == 0           ? RUNS_DEFAULT
                   : ret.min_runs < RUNS_LEAST ? RUNS_LEAST
                                               : ret.min_runs;
    ret.max_runs = ret.max_runs == 0 ? RUNS_CAP : ret.max_runs;
    return ret;
}

static enum noninferior_verdict decide(const struct noninferior *judged, enum noninferior_kind kind)
{
    bool two_sided = kind == NONINFERIOR_EQUIVALENCE;

    if (judged->high < judged->limit || (two_sided && judged->low > -judged->limit)) {
        return NONINFERIOR_FAIL;
    }
    if (judged->low > judged->limit && (!two_sided || judged->high < -judged->limit)) {
        return NONINFERIOR_PASS;
    }
    return NONINFERIOR_INCONCLUSIVE;
}

static void count_runs(const struct compare *compare, const struct noninferior_rule *rule,
                       struct noninferior *ret)
{
    double gap = fabs(ret->theta - ret->limit), spread = compare->spread;

    if (ret->why == NONINFERIOR_FEW_RUNS) {
        ret->runs_needed = rule->min_runs;
        return;
    }
    if (rule->kind == NONINFERIOR_EQUIVALENCE) {
        gap = fmin(gap, fabs(ret->theta + ret->limit));
    }
    if (ret->why == NONINFERIOR_TOO_NOISY) {
        gap = rule->share;
    }
    /* one more than the cap, to tell "as many as the cap" from "more" */
    ret->runs_needed = compare_runs_needed(spread, gap, compare->design, rule->alpha, rule->power,
                                           rule->max_runs + 1);
    ret->capped = ret->runs_needed > rule->max_runs;
    ret->runs_needed = ret->runs_needed > rule->max_runs   ? rule->max_runs
                       : ret->runs_needed < rule->min_runs ? rule->min_runs
                                                           : ret->runs_needed;
}

void noninferior_judge(const struct compare *compare, const struct noninferior_rule *rule,
                       struct noninferior *ret)
{
    struct noninferior_rule full = with_defaults(rule);
    uint32_t n = compare->n_a < compare->n_b ? compare->n_a : compare->n_b;

    *ret = (struct noninferior){.verdict = NONINFERIOR_INVALID, .decision = NONINFERIOR_INVALID};
    ret->limit = dist_ln(full.kind == NONINFERIOR_IMPROVE ? 1 + full.share : 1 - full.share);
    if (compare->state == COMPARE_NOT_ABOVE_0) {
        ret->why = NONINFERIOR_NO_LOGARITHM;
        return;
    }
    ret->why = NONINFERIOR_FEW_RUNS;
    ret->theta = full.better == COMPARE_HIGHER ? compare->delta : -compare->delta;
    ret->low = ret->high = ret->theta;
    ret->mde = compare_mde_at(compare, full.alpha, full.power);
    if (compare->state == COMPARE_JUDGED) {
        compare_interval(compare, full.alpha, &ret->low, &ret->high);
        if (full.better == COMPARE_LOWER) {
            double low = ret->low;

            ret->low = -ret->high;
            ret->high = -low;
        }
        ret->decision = decide(ret, full.kind);
    }
    if (n >= full.min_runs) {
        bool blind = full.share > 0 && ret->mde > full.share && ret->decision != NONINFERIOR_FAIL;

        ret->why = blind ? NONINFERIOR_TOO_NOISY : NONINFERIOR_BY_BOUNDS;
        ret->verdict = blind ? NONINFERIOR_INVALID : ret->decision;
    }
    ret->regressed = ret->verdict == NONINFERIOR_PASS && ret->high < 0;
    if (ret->verdict == NONINFERIOR_INVALID || ret->verdict == NONINFERIOR_INCONCLUSIVE) {
        count_runs(compare, &full, ret);
    }
}

static double bound(const double *x, uint32_t n, double alpha, double side)
{
    struct moments logs;

    if (n < 2 || !moments_of_logs(&logs, x, n)) {
        return NAN;
    }
    return dist_exp(logs.mean +
                    side * student_quantile(1 - alpha, n - 1.0) * moments_stddev(&logs) / sqrt(n));
}

double noninferior_upper(const double *x, uint32_t n, double alpha)
{
    return bound(x, n, alpha, 1);
}

double noninferior_lower(const double *x, uint32_t n, double alpha)
{
    return bound(x, n, alpha, -1);
}

void noninferior_predict(const double *baseline, uint32_t n, double candidate,
                         enum compare_better better, double alpha,
                         struct noninferior_prediction *ret)
{
    double sign = better == COMPARE_HIGHER ? 1 : -1, reach;
    struct moments logs;

    *ret = (struct noninferior_prediction){.verdict = NONINFERIOR_INVALID};
    if (n < NONINFERIOR_HISTORY_MIN || !moments_of_logs(&logs, baseline, n) ||
        !isfinite(candidate) || candidate <= 0) {
        return;
    }
    reach = student_quantile(1 - alpha, n - 1.0) * moments_stddev(&logs) * sqrt(1 + 1.0 / n);
    ret->mean = dist_exp(logs.mean);
    ret->bound = dist_exp(logs.mean - sign * reach);
    ret->change = sign * (dist_ln(candidate) - logs.mean);
    ret->verdict = ret->change < -reach ? NONINFERIOR_FAIL : NONINFERIOR_PASS;
}
