#include <math.h>

#include "gate_parts.h"
#include "result/history.h"

static bool is_first_row(const struct gate *gate, uint32_t row)
{
    for (uint32_t i = 0; i < row; i++) {
        if (gate->file->metrics[i].metric == gate->file->metrics[row].metric) {
            return false;
        }
    }
    return true;
}

/* |change| >= max(min_change, margin / 2): RESULTS section 11. */
static double least_change(const struct gate *gate, const struct gate_metric *rule)
{
    double half = isnan(rule->margin) ? 0 : rule->margin / 2;

    return half > gate->file->history.min_change ? half : gate->file->history.min_change;
}

static int find_changes(struct gate *gate, const struct gate_metric *rule, struct error *err)
{
    struct changepoint_rule how = {.window = gate->file->history.window,
                                   .p = gate->file->history.p,
                                   .min_change = least_change(gate, rule)};
    struct history history;
    int code = history_find(&history, &gate->history, &set_metrics[rule->metric], -1, &how, err);

    for (uint32_t i = 0; code == 0 && i < history.change_count; i++) {
        const struct changepoint *point = &history.changes[i];

        if (gate->change_count == GATE_CHANGES) {
            break;
        }
        gate->changes[gate->change_count++] = (struct gate_change){
            .metric = history.metric,
            .point = *point,
            .run = gate->history.runs[history.runs[point->at]].path,
            .worse = history_share(&history, point) < 0,
        };
    }
    history_free(&history);
    return code;
}

int gate_history_judge(struct gate *gate, struct error *err)
{
    for (uint32_t i = 0; i < gate->file->metric_count && gate->history.run_count > 0; i++) {
        if (is_first_row(gate, i) && find_changes(gate, &gate->file->metrics[i], err) < 0) {
            return err->code;
        }
    }
    return 0;
}
