#include "draft.h"

#include "base/must.h"
#include <stdio.h>
#include <string.h>

#define SECOND_NS 1000000000ll
#define DAY_NS    (86400 * SECOND_NS)

static struct plan_phase *add_phase(struct plan *plan, const char *name, enum plan_phase_kind kind,
                                    enum plan_rule rule)
{
    struct plan_phase *phase = &plan->phases[plan->phase_count];

    must(plan->phase_count < PLAN_PHASES);
    plan->phase_count++;
    *phase = (struct plan_phase){.kind = kind, .rule = rule};
    snprintf(phase->name, sizeof(phase->name), "%s", name);
    return phase;
}

static int64_t precondition_ns(const struct scenario_phases *phases)
{
    bool bounded = phases->until != 0 || phases->amount.share > 0 || phases->amount.bytes > 0;

    return bounded ? phases->max_ns : phases->precondition_ns;
}

int64_t draft_asked_ns(const struct draft *draft)
{
    return precondition_ns(&draft->scenario.phases) + draft->scenario.phases.sample_ns;
}

/* A length that --for shortens in the proportion of the sample; never lengthened. */
static int64_t shortened(int64_t length_ns, int64_t asked_ns, int64_t sample_ns)
{
    double share = (double)sample_ns / (double)asked_ns;
    int64_t ret = (int64_t)((double)length_ns * share + 0.5);

    if (share >= 1 || length_ns == 0) {
        return length_ns;
    }
    return ret < SECOND_NS ? (length_ns < SECOND_NS ? length_ns : SECOND_NS) : ret;
}

static void set_length(struct plan_phase *phase, int64_t length_ns, int64_t asked_ns)
{
    phase->length_ns = length_ns;
    phase->requested_ns = length_ns == asked_ns ? 0 : asked_ns;
}

/* Was its length set on the command line, as --for is? Then it is what was asked for. */
static bool precondition_by_hand(const struct draft *draft)
{
    const struct item *phases = item_get(draft->scenario.yaml.root, "phases");
    const struct item *precondition = item_get(phases, "precondition");
    bool given = precondition && precondition->given;

    for (const struct item *item = precondition ? precondition->child : NULL; item;
         item = item->next) {
        given = given || item->given;
    }
    return given || (phases && phases->given && precondition);
}

static void add_precondition(struct draft *draft, int64_t sample_ns)
{
    const struct scenario_phases *asked = &draft->scenario.phases;
    int64_t asked_ns = precondition_ns(asked), length_ns = asked_ns;
    struct plan *plan = draft->plan;
    struct plan_phase *phase;

    if (asked_ns == 0) {
        return;
    }
    phase = add_phase(plan, "precondition", PHASE_PRECONDITION, RULE_TIME);
    if (!precondition_by_hand(draft)) {
        length_ns = shortened(asked_ns, asked->sample_ns, sample_ns);
    }
    set_length(phase, length_ns, asked_ns);
    if (asked->until != 0) {
        phase->rule = RULE_STEADY;
        memcpy(phase->preset, asked->preset == 1 ? "gate" : "snia", 5);
    } else if (asked->amount.share > 0 || asked->amount.bytes > 0) {
        double used = (double)(plan->footprint_bytes - PLAN_HEAD_BYTES);
        double bytes =
            asked->amount.bytes > 0 ? (double)asked->amount.bytes : used * asked->amount.share;

        phase->rule = RULE_AMOUNT;
        phase->amount_bytes = (uint64_t)(bytes * (double)phase->length_ns / (double)asked_ns);
    }
}

/* In virtual time a warm pool stands for the hours that would have filled it. */
static void add_settle(struct draft *draft, int64_t sample_ns)
{
    const struct scenario_phases *asked = &draft->scenario.phases;
    struct plan *plan = draft->plan;
    int64_t settle_ns = asked->settle_ns < sample_ns ? asked->settle_ns : sample_ns;
    char was[UNITS_TEXT], is[UNITS_TEXT];

    if (settle_ns > 0) {
        struct plan_phase *phase = add_phase(plan, "settle", PHASE_PRECONDITION, RULE_TIME);

        set_length(phase, settle_ns, asked->settle_ns);
    }
    if (precondition_ns(asked) > 0) {
        plan_warn(plan, "virtual time: %s%s of settling stand for the precondition of %s",
                  plan->start_warm ? "a warm start and " : "",
                  units_format_period(settle_ns, is, sizeof(is)),
                  units_format_period(precondition_ns(asked), was, sizeof(was)));
    }
}

/* before: NULL, or the phase that ends when the sample begins. */
static void warn_shortened(struct plan *plan, int64_t asked_ns, int64_t sample_ns,
                           const struct plan_phase *before)
{
    char is[UNITS_TEXT], was[UNITS_TEXT], more[2 * UNITS_TEXT + 64] = "";

    if (sample_ns == asked_ns) {
        return;
    }
    if (before && before->requested_ns > before->length_ns) {
        snprintf(more, sizeof(more), ", and preconditioning takes %s%s instead of %s",
                 before->rule == RULE_TIME ? "" : "at most ",
                 units_format_period(before->length_ns, is, sizeof(is)),
                 units_format_period(before->requested_ns, was, sizeof(was)));
    }
    plan_warn(plan, "--for: the sample is %s instead of %s%s",
              units_format_period(sample_ns, is, sizeof(is)),
              units_format_period(asked_ns, was, sizeof(was)), more);
}

void draft_phases(struct draft *draft, int64_t sample_ns)
{
    const struct scenario_phases *asked = &draft->scenario.phases;
    struct plan *plan = draft->plan;
    bool work = plan->vms[0].work_transactions > 0;
    bool timed = section_has(SECTION_PHASES, draft->scenario.given[SECTION_PHASES], "sample");
    bool settles = plan->virtual_time && (plan->start_warm || plan->vms[0].target == PLAN_BARE) &&
                   asked->start == START_WARM;
    struct plan_phase *sample;
    int64_t asked_ns = work && !timed ? DAY_NS : asked->sample_ns;
    uint32_t before;

    sample_ns = sample_ns > 0 ? sample_ns : asked_ns;
    if (plan->interval_ns > sample_ns) {
        plan->interval_ns = sample_ns;
    }
    if (plan->fill_bytes > 0) {
        struct plan_phase *fill = add_phase(plan, "fill", PHASE_FILL, RULE_DONE);

        fill->amount_bytes = plan->fill_bytes;
    }
    if (plan->start_warm) {
        add_phase(plan, "warm", PHASE_WARM, RULE_DONE);
    }
    before = plan->phase_count;
    if (settles) {
        add_settle(draft, sample_ns);
    } else {
        add_precondition(draft, sample_ns);
    }
    sample = add_phase(plan, "sample", PHASE_SAMPLE, RULE_TIME);
    set_length(sample, sample_ns, asked_ns);
    warn_shortened(plan, asked_ns, sample_ns,
                   plan->phase_count > before + 1 && !settles ? &plan->phases[before] : NULL);
}
