#include "report/doc_history.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "doc_metric.h"

enum { SPARKS = 60 };

/* A series in at most SPARKS characters: each the mean of a stretch, from the least to the most. */
static void sparkline(const struct history *history, char buf[4 * SPARKS + 1])
{
    static const char *const bars[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                       "\u2585", "\u2586", "\u2587", "\u2588"};
    uint32_t n = history->count, width = n < SPARKS ? n : SPARKS;
    double means[SPARKS], low = INFINITY, high = -INFINITY;

    buf[0] = '\0';
    for (uint32_t i = 0; i < width; i++) {
        uint32_t from = (uint32_t)((uint64_t)n * i / width);
        uint32_t until = (uint32_t)((uint64_t)n * (i + 1) / width);

        means[i] = 0;
        for (uint32_t k = from; k < until; k++) {
            means[i] += history->values[k] / (until - from);
        }
        low = fmin(low, means[i]);
        high = fmax(high, means[i]);
    }
    for (uint32_t i = 0; i < width; i++) {
        double at = high > low ? (means[i] - low) / (high - low) : 0.5;

        strcat(buf, bars[(int)(at * 7.999)]);
    }
}

static const struct set_run *run_at(const struct history *history, uint32_t i)
{
    return &history->set->runs[history->runs[i]];
}

static const struct changepoint *change_at(const struct history *history, uint32_t i)
{
    for (uint32_t k = 0; k < history->change_count; k++) {
        if (history->changes[k].at == i) {
            return &history->changes[k];
        }
    }
    return NULL;
}

static void add_changes(struct doc *doc, const struct history *history)
{
    static const struct doc_column columns[] = {
        {"changed since", "run", DOC_LEFT}, {"started", "started_utc", DOC_LEFT},
        {"before", "before", DOC_RIGHT},    {"after", "after", DOC_RIGHT},
        {"change", "change", DOC_RIGHT},    {"p", "p", DOC_RIGHT}};

    if (history->change_count == 0) {
        return;
    }
    doc_table(doc, "changes", columns, 6);
    for (uint32_t i = 0; i < history->change_count; i++) {
        const struct changepoint *change = &history->changes[i];
        double share = history_share(history, change);
        char word[40];

        doc_cell(doc, "%s", run_at(history, change->at)->path);
        doc_cell(doc, "%s", run_at(history, change->at)->result->run.started_utc);
        doc_cell_metric(doc, history->metric, change->before);
        doc_cell_metric(doc, history->metric, change->after);
        snprintf(word, sizeof(word), "%+.1f%% %s", 100 * share, share < 0 ? "worse" : "better");
        doc_cell_tone(doc, share < 0 ? DOC_BAD : DOC_GOOD, word);
        doc_cell(doc, "%.1g", change->p);
    }
    doc_note(doc, "change: + is better.");
}

static void add_runs(struct doc *doc, const struct history *history)
{
    static const struct doc_column columns[] = {{"started", "started_utc", DOC_LEFT},
                                                {"run", "run", DOC_LEFT},
                                                {"label", "label", DOC_LEFT},
                                                {"value", "value", DOC_RIGHT},
                                                {"", "change", DOC_LEFT}};

    doc_table(doc, "runs", columns, 5);
    for (uint32_t i = 0; i < history->count; i++) {
        const struct set_run *run = run_at(history, i);
        const struct changepoint *change = change_at(history, i);

        doc_cell(doc, "%s", run->result->run.started_utc);
        doc_cell(doc, "%s", run->path);
        doc_cell(doc, "%s", run->result->run.label);
        doc_cell_metric(doc, history->metric, history->values[i]);
        doc_cell(doc, "%s",
                 change == NULL                       ? ""
                 : history_share(history, change) < 0 ? "<- worse from here"
                                                      : "<- better from here");
    }
}

static void add_chart(struct doc *doc, const struct history *history)
{
    struct doc_chart chart = {.kind = DOC_LINES,
                              .key = "history",
                              .title = history->metric->title,
                              .x = {.title = "run", .unit = DOC_NUMBER},
                              .y = {.title = history->metric->title,
                                    .unit = history->metric->unit == SET_NS ? DOC_NS : DOC_NUMBER}};
    double *x = mem_array(history->count, sizeof(*x));

    if (x == NULL) {
        doc->failed = true;
        return;
    }
    for (uint32_t i = 0; i < history->count; i++) {
        x[i] = i + 1;
    }
    doc_chart(doc, &chart);
    doc_series(doc, history->metric->title, x, history->values, history->count);
    for (uint32_t i = 0; i < history->change_count; i++) {
        const struct changepoint *change = &history->changes[i];

        doc_mark(doc, history_share(history, change) < 0 ? "worse" : "better", x[change->at],
                 history->values[change->at]);
    }
    mem_free(x);
}

/* What makes a series of unlike things, if it is one. */
static void add_differences(struct doc *doc, const struct history *history)
{
    const struct set *sides[1] = {history->set};
    struct set_rows rows;
    struct text words = {0};

    set_rows_of(sides, 1, 0.05, &rows);
    for (uint32_t i = 0; i < rows.count; i++) {
        if (rows.rows[i].strict && !rows.rows[i].invariant && rows.rows[i].match == SET_DIFFERS) {
            text_add(&words, words.length > 0 ? "; " : "");
            set_row_say(&rows.rows[i], 1, &words);
        }
    }
    if (words.length > 0) {
        doc_pair(doc, "differs", "%s", text_string(&words));
        doc_verdict(doc, DOC_DOUBTFUL, "a change may be this, not the drive");
    }
    text_free(&words);
}

void doc_history(struct doc *doc, const struct history *history)
{
    const struct set_metric *metric = history->metric;
    char spark[4 * SPARKS + 1];
    uint32_t n = history->count, left = history->partial + history->wrong + history->unknown;

    doc_heading(doc, 1, "history of %s, %u run%s", metric->name, n, n == 1 ? "" : "s");
    if (n > 0) {
        sparkline(history, spark);
        doc_pair(doc, "series", "%s", spark);
        doc_pair(doc, "from", "%s to %s", run_at(history, 0)->result->run.started_utc,
                 run_at(history, n - 1)->result->run.started_utc);
    }
    if (left > 0) {
        doc_pair(doc, "left out", "%u not complete, %u void, %u without %s", history->partial,
                 history->wrong, history->unknown, metric->name);
    }
    add_differences(doc, history);
    doc_pair(doc, "changes", "%u", history->change_count);
    if (history->change_count > 0) {
        double last = history_share(history, &history->changes[history->change_count - 1]);

        doc_verdict(doc, last < 0 ? DOC_BAD : DOC_GOOD,
                    last < 0 ? "the last is for the worse" : "the last is for the better");
    }
    add_changes(doc, history);
    if (n > 0) {
        add_chart(doc, history);
        add_runs(doc, history);
    }
}

void doc_history_json(const struct history *history, struct text *ret)
{
    struct json_writer json;

    json_writer_init(&json, ret);
    json_begin_object(&json);
    json_key_uint(&json, "schema_version", 1);
    json_key_string(&json, "metric", history->metric->name);
    json_key_string(&json, "key", history->metric->key);
    json_key_bool(&json, "higher_is_better", history->metric->higher_better);
    json_key_uint(&json, "left_out", history->partial + history->wrong + history->unknown);
    json_key_array(&json, "runs");
    for (uint32_t i = 0; i < history->count; i++) {
        json_begin_object(&json);
        json_key_string(&json, "run", run_at(history, i)->path);
        json_key_string(&json, "started_utc", run_at(history, i)->result->run.started_utc);
        json_key_string(&json, "label", run_at(history, i)->result->run.label);
        json_key_num(&json, "value", history->values[i]);
        json_end(&json);
    }
    json_end(&json);
    json_key_array(&json, "changes");
    for (uint32_t i = 0; i < history->change_count; i++) {
        const struct changepoint *change = &history->changes[i];

        json_begin_object(&json);
        json_key_string(&json, "since", run_at(history, change->at)->path);
        json_key_uint(&json, "at", change->at);
        json_key_num(&json, "before", change->before);
        json_key_num(&json, "after", change->after);
        json_key_num(&json, "change", history_share(history, change));
        json_key_bool(&json, "worse", history_share(history, change) < 0);
        json_key_num(&json, "p", change->p);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}
