#include "report/doc_gate.h"

#include <math.h>

#include "base/json.h"

static void add_side(struct json_writer *json, const char *key, const struct set *set)
{
    json_key_object(json, key);
    json_key_string(json, "label", set->label);
    json_key_array(json, "runs");
    for (uint32_t i = 0; i < set->run_count; i++) {
        json_put_string(json, set->runs[i].path);
    }
    json_end(json);
    json_end(json);
}

static void add_design(struct json_writer *json, const struct gate *gate)
{
    const struct gate_design *design = &gate->file->design;

    json_key_object(json, "design");
    json_key_string(json, "kind",
                    gate->one_run          ? "prediction"
                    : gate->pair_count > 0 ? "paired"
                                           : "welch");
    json_key_uint(json, "pairs", gate->pair_count);
    json_key_num(json, "alpha", gate->alpha);
    json_key_uint(json, "looks", gate->looks);
    json_key_num(json, "power", design->power);
    json_key_uint(json, "min_runs", gate->file->require.min_runs);
    json_key_uint(json, "max_runs", design->max_runs);
    json_end(json);
}

static void add_row(struct json_writer *json, const struct gate *gate, const struct gate_row *row)
{
    const struct gate_metric *rule = row->rule;

    json_begin_object(json);
    json_key_string(json, "metric", row->metric->name);
    json_key_string(json, "key", row->metric->key);
    json_key_string(json, "scope", row->scope);
    json_key_string(json, "verdict", gate_verdict_names[row->verdict]);
    json_key_bool(json, "counts", gate_row_counts(gate, row));
    json_key_bool(json, "advisory", rule->advisory);
    json_key_bool(json, "higher_is_better", row->metric->higher_better);
    json_key_num(json, "margin", rule->margin);
    json_key_bool(json, "equivalence", rule->equivalence);
    json_key_num(json, "improve_min", rule->improve_min);
    json_key_num(json, "max", rule->most);
    json_key_num(json, "min", rule->least);
    json_key_string(json, "by", rule->by == GATE_BY_POINT ? "point" : "bound");
    json_key_num(json, "a", row->a);
    json_key_num(json, "b", row->b);
    json_key_uint(json, "n_a", row->n_a);
    json_key_uint(json, "n_b", row->n_b);
    json_key_num(json, "change", row->change);
    json_key_num(json, "low", row->low);
    json_key_num(json, "high", row->high);
    json_key_num(json, "limit", row->limit);
    json_key_num(json, "held", row->held);
    json_key_num(json, "mde", row->mde);
    json_key_num(json, "cv", row->cv);
    json_key_uint(json, "runs_needed", row->runs_needed);
    json_key_bool(json, "regressed_within_margin", row->regressed);
    json_key_string(json, "message", row->message);
    json_key_string(json, "next", row->next);
    json_end(json);
}

static void add_check(struct json_writer *json, const struct gate_check *check)
{
    json_begin_object(json);
    json_key_string(json, "name", check->name);
    json_key_string(json, "verdict", gate_verdict_names[check->verdict]);
    json_key_bool(json, "asked", check->asked);
    json_key_bool(json, "known", !check->unknown);
    json_key_bool(json, "differs", check->differs);
    json_key_string(json, "a", check->values[0]);
    json_key_string(json, "b", check->values[1]);
    json_key_string(json, "message", check->message);
    json_key_string(json, "next", check->next);
    json_end(json);
}

static void add_change(struct json_writer *json, const struct gate_change *change)
{
    json_begin_object(json);
    json_key_string(json, "metric", change->metric->name);
    json_key_string(json, "since", change->run);
    json_key_num(json, "before", change->point.before);
    json_key_num(json, "after", change->point.after);
    json_key_bool(json, "worse", change->worse);
    json_key_num(json, "p", change->point.p);
    json_end(json);
}

void doc_gate_json(const struct gate *gate, struct text *ret)
{
    struct json_writer json;

    json_writer_init(&json, ret);
    json_begin_object(&json);
    json_key_uint(&json, "schema_version", 1);
    json_key_string(&json, "name", gate->file->name);
    json_key_string(&json, "file", gate->file->path);
    json_key_string(&json, "verdict", gate_verdict_names[gate->verdict]);
    json_key_int(&json, "exit_code", (int)gate->exit);
    json_key_string(&json, "words", gate->words);
    json_key_string(&json, "next", gate->next);
    add_side(&json, "baseline", &gate->baseline);
    add_side(&json, "candidate", &gate->candidate);
    add_design(&json, gate);
    json_key_array(&json, "rows");
    for (uint32_t i = 0; i < gate->row_count; i++) {
        add_row(&json, gate, &gate->rows[i]);
    }
    json_end(&json);
    json_key_array(&json, "checks");
    for (uint32_t i = 0; i < gate->check_count; i++) {
        add_check(&json, &gate->checks[i]);
    }
    json_end(&json);
    json_key_array(&json, "changes");
    for (uint32_t i = 0; i < gate->change_count; i++) {
        add_change(&json, &gate->changes[i]);
    }
    json_end(&json);
    json_end(&json);
}
