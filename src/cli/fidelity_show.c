#include "fidelity_show.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"

const char *const fidelity_format_names[FIDELITY_FORMATS] = {"text", "markdown", "csv", "json"};

/* In the order of the summary; each is the beginning of gates' names. */
static const struct {
    const char *begins, *name;
} kinds[] = {
    {"page reads", "page reads"},
    {"page writes", "page writes (innodb: and growth of dirty)"},
    {"page images", "page images"},
    {"share of", "shares of reads"},
    {"log bytes", "log bytes"},
    {"log writes", "log writes"},
    {"pages a doublewrite", "pages a doublewrite batch"},
    {"lock waits", "lock waits"},
    {NULL, "all gates"},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const char *verdict_of(const struct fidelity_gate *gate)
{
    return !gate->judged ? "shown" : gate->met ? "within" : "MISSED";
}

static void put_figure(char *buf, size_t size, double x)
{
    snprintf(buf, size, x >= 1000 ? "%.0f" : x >= 100 ? "%.1f" : x >= 10 ? "%.2f" : "%.3f", x);
}

static void put_ratio(char *buf, size_t size, const struct fidelity_gate *gate)
{
    if (gate->measured > 0) {
        snprintf(buf, size, "%.3f", gate->model / gate->measured);
    } else {
        snprintf(buf, size, "-");
    }
}

static void show_rows(const struct fidelity_outcome *outcomes, uint32_t count, struct text *ret)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < outcomes[i].gate_count; j++) {
            const struct fidelity_gate *gate = &outcomes[i].gates[j];
            char model[32], measured[32], ratio[32];

            put_figure(model, sizeof(model), gate->model);
            put_figure(measured, sizeof(measured), gate->measured);
            put_ratio(ratio, sizeof(ratio), gate);
            text_addf(ret, "%-52s %-30s %9s %9s %6s  %s\n", j == 0 ? outcomes[i].cell->id : "",
                      gate->quantity, model, measured, ratio, verdict_of(gate));
        }
    }
}

/* "14.2 / 14.0" of each kind, bold where it is missed, in brackets where it is not judged. */
static void markdown_gate(const struct fidelity_gate *gate, struct text *ret)
{
    char model[32], measured[32];

    put_figure(model, sizeof(model), gate->model);
    put_figure(measured, sizeof(measured), gate->measured);
    text_addf(ret,
              !gate->judged ? "(%s / %s)"
              : gate->met   ? "%s / %s"
                            : "**%s / %s**",
              model, measured);
}

static void markdown_row(const struct fidelity_outcome *outcome, struct text *ret)
{
    text_addf(ret, "| %s |", outcome->cell->id);
    for (uint32_t k = 0; k + 1 < KINDS; k++) {
        uint32_t judged = 0, met = 0, shown = 0;

        text_add(ret, " ");
        for (uint32_t j = 0; j < outcome->gate_count; j++) {
            const struct fidelity_gate *gate = &outcome->gates[j];

            if (strncmp(gate->quantity, kinds[k].begins, strlen(kinds[k].begins)) != 0) {
                continue;
            }
            judged += gate->judged;
            met += gate->judged && gate->met;
            if (strcmp(kinds[k].begins, "share of") != 0 && shown++ == 0) {
                markdown_gate(gate, ret);
            }
        }
        if (strcmp(kinds[k].begins, "share of") == 0 && judged > 0) {
            text_addf(ret, met == judged ? "%u of %u" : "**%u of %u**", met, judged);
        }
        text_add(ret, " |");
    }
    text_add(ret, "\n");
}

static void show_summary(const struct fidelity_outcome *outcomes, uint32_t count, bool markdown,
                         struct text *ret)
{
    for (uint32_t i = 0; i < KINDS; i++) {
        struct fidelity_summary sum;

        fidelity_sum(outcomes, count, kinds[i].begins, &sum);
        if (sum.judged == 0) {
            continue;
        }
        text_addf(ret,
                  markdown ? "| %s | %u | %u | %.1f %% |\n"
                           : "%-44s %4u of %4u met   median error %5.1f %%\n",
                  kinds[i].name, sum.met, sum.judged, sum.median_error * 100);
    }
}

static void show_table(const struct fidelity_outcome *outcomes, uint32_t count, uint32_t seeds,
                       bool markdown, struct text *ret)
{
    if (markdown) {
        text_addf(ret,
                  "Mean of %u seed%s.\n\n| quantity | met | judged | median error |\n"
                  "|---|---|---|---|\n",
                  seeds, seeds == 1 ? "" : "s");
        show_summary(outcomes, count, true, ret);
        text_add(ret,
                 "\nModel / measured, a transaction; **missed**; (not judged).\n\n"
                 "| cell | page reads | page writes | page images | shares of reads | log bytes "
                 "| log writes | doublewrite batch | lock waits |\n"
                 "|---|---|---|---|---|---|---|---|---|\n");
        for (uint32_t i = 0; i < count; i++) {
            markdown_row(&outcomes[i], ret);
        }
        return;
    }
    text_addf(ret, "%-52s %-30s %9s %9s %6s  %s\n", "cell", "a transaction", "model", "measured",
              "ratio", "verdict");
    show_rows(outcomes, count, ret);
    text_add(ret, "\n");
    show_summary(outcomes, count, false, ret);
}

static void show_csv(const struct fidelity_outcome *outcomes, uint32_t count, struct text *ret)
{
    text_add(ret, "cell,quantity,model,measured,least,most,verdict\n");
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < outcomes[i].gate_count; j++) {
            const struct fidelity_gate *gate = &outcomes[i].gates[j];

            text_addf(ret, "%s,%s,%.6g,%.6g,%.6g,%.6g,%s\n", outcomes[i].cell->id, gate->quantity,
                      gate->model, gate->measured, gate->least, gate->most, verdict_of(gate));
        }
    }
}

static void json_figures(struct json_writer *json, const char *key,
                         const struct fidelity_figures *figures)
{
    json_key_object(json, key);
    json_key_num(json, "page_reads", figures->page_reads);
    json_key_num(json, "page_writes", figures->page_writes);
    json_key_num(json, "dirty_delta", figures->dirty_delta);
    json_key_num(json, "page_images", figures->images);
    json_key_num(json, "log_bytes", figures->log_bytes);
    json_key_num(json, "log_writes", figures->log_writes);
    json_key_num(json, "lock_waits", figures->lock_waits);
    json_key_num(json, "doublewritten", figures->doublewritten);
    json_key_num(json, "doublewrite_batches", figures->batches);
    json_key_num(json, "pages_created", figures->created);
    json_key_num(json, "written_by_checkpoint", figures->by_checkpoint);
    json_key_num(json, "written_by_cleaner", figures->by_cleaner);
    json_key_num(json, "written_by_victim", figures->by_victim);
    json_key_num(json, "tps", figures->tps);
    json_key_object(json, "reads");
    for (uint32_t i = 0; i < figures->table_count; i++) {
        json_key_num(json, figures->tables[i].name, figures->tables[i].reads);
    }
    json_end(json);
    json_end(json);
}

static void json_gate(struct json_writer *json, const struct fidelity_gate *gate)
{
    json_begin_object(json);
    json_key_string(json, "quantity", gate->quantity);
    json_key_num(json, "model", gate->model);
    json_key_num(json, "measured", gate->measured);
    json_key_num(json, "least", gate->least);
    json_key_num(json, "most", gate->most);
    json_key_bool(json, "judged", gate->judged);
    json_key_bool(json, "met", gate->met);
    json_end(json);
}

static void json_cell(struct json_writer *json, const struct fidelity_outcome *outcome)
{
    json_begin_object(json);
    json_key_string(json, "id", outcome->cell->id);
    json_key_num(json, "spread", outcome->spread);
    json_key_uint(json, "checks_failed", outcome->checks_failed);
    json_figures(json, "model", &outcome->model);
    json_figures(json, "measured", &outcome->cell->truth);
    json_key_array(json, "gates");
    for (uint32_t i = 0; i < outcome->gate_count; i++) {
        json_gate(json, &outcome->gates[i]);
    }
    json_end(json);
    json_end(json);
}

static void show_json(const struct fidelity_outcome *outcomes, uint32_t count, uint32_t seeds,
                      struct text *ret)
{
    struct json_writer json;

    json_writer_init(&json, ret);
    json_begin_object(&json);
    json_key_uint(&json, "seeds", seeds);
    json_key_array(&json, "cells");
    for (uint32_t i = 0; i < count; i++) {
        json_cell(&json, &outcomes[i]);
    }
    json_end(&json);
    json_key_array(&json, "summary");
    for (uint32_t i = 0; i < KINDS; i++) {
        struct fidelity_summary sum;

        fidelity_sum(outcomes, count, kinds[i].begins, &sum);
        json_begin_object(&json);
        json_key_string(&json, "quantity", kinds[i].name);
        json_key_uint(&json, "met", sum.met);
        json_key_uint(&json, "judged", sum.judged);
        json_key_num(&json, "median_error", sum.median_error);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

void fidelity_show(const struct fidelity_outcome *outcomes, uint32_t count, uint32_t seeds,
                   enum fidelity_format format, struct text *ret)
{
    switch (format) {
    case FIDELITY_CSV:
        show_csv(outcomes, count, ret);
        break;
    case FIDELITY_JSON:
        show_json(outcomes, count, seeds, ret);
        break;
    default:
        show_table(outcomes, count, seeds, format == FIDELITY_MARKDOWN, ret);
    }
}
