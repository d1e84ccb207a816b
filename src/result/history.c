#include "result/history.h"

#include <errno.h>
#include <math.h>

#include "base/mem.h"

int history_find(struct history *history, const struct set *set, const struct set_metric *metric,
                 int32_t vm, const struct changepoint_rule *rule, struct error *err)
{
    *history = (struct history){.set = set, .metric = metric, .vm = vm};
    history->values = mem_array(set->run_count, sizeof(*history->values));
    history->runs = mem_array(set->run_count, sizeof(*history->runs));
    if (history->values == NULL || history->runs == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for the history of %u runs",
                         set->run_count);
    }
    for (uint32_t i = 0; i < set->run_count; i++) {
        const struct set_run *run = &set->runs[i];
        double value = set_metric_of(metric, run->result, vm);

        history->wrong += run->state == SET_VOID;
        history->partial += run->state == SET_PARTIAL || run->state == SET_FAILED;
        if (run->state != SET_WHOLE) {
            continue;
        }
        history->unknown += isnan(value);
        if (!isnan(value)) {
            history->runs[history->count] = i;
            history->values[history->count++] = value;
        }
    }
    history->change_count =
        changepoint_find(history->values, history->count, rule, history->changes, HISTORY_CHANGES);
    return 0;
}

void history_free(struct history *history)
{
    mem_free(history->values);
    mem_free(history->runs);
    *history = (struct history){0};
}

double history_share(const struct history *history, const struct changepoint *change)
{
    return history->metric->higher_better ? change->after / change->before - 1
                                          : change->before / change->after - 1;
}
