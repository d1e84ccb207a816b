#include "report/doc_page.h"

#include "base/mem.h"
#include "doc_run_parts.h"
#include "figures.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 8, BARS_MOST = 48, NAME_MOST = 160 };

/* One load of one drive or label: its runs differ in their seeds. */
struct point {
    uint32_t from, runs, whole; /* among the runs; whole: those that finished and may be believed */
    double offered;             /* what was due a second, of all its runs */
    double tps, mb_s, mean_ns, p99_ns; /* means over the whole ones; NAN if there is none */
};

/* Runs by what was measured, those of a point beside each other; a name's points by load. */
struct sweep {
    const struct result **runs;
    struct point *points;
    uint32_t count, point_count;
    uint32_t broken; /* runs that are in no point */
    int64_t slo_ns;
    bool bare;
    bool open;  /* loads are rates */
    bool files; /* simulated drives of one name follow several model files */
};

/* What a line of the chart stands for: the label, or the drive. */
static const char *base_name(const struct result *result, char buf[NAME_MOST])
{
    const struct result_drive *drive = &result->drives[0];

    if (result->run.label[0] != '\0') {
        snprintf(buf, NAME_MOST, "%s", result->run.label);
    } else if (result->drive_count > 0 && drive->model[0] != '\0') {
        snprintf(buf, NAME_MOST, "%s%s%s", drive->model, drive->form_factor[0] != '\0' ? " " : "",
                 drive->form_factor);
    } else {
        snprintf(buf, NAME_MOST, "%s", result->scenario.name);
    }
    return buf;
}

/* Of an unlabelled run: the model file that its simulated drive follows; "" if none. */
static const char *file_of(const struct result *result)
{
    return result->run.label[0] == '\0' && result->drive_count > 0 ? result->drives[0].model_sha256
                                                                   : "";
}

static const char *name_of(const struct sweep *sweep, const struct result *result,
                           char buf[NAME_MOST])
{
    size_t used = strlen(base_name(result, buf));

    if (sweep->files && file_of(result)[0] != '\0') {
        snprintf(buf + used, NAME_MOST - used, " @%.8s", file_of(result));
    }
    return buf;
}

/* "" of a run that may stand for its load, else what is wrong with it. */
static const char *flaw_of(const struct result *result)
{
    const char *ended = result->run.ended;

    if (strcmp(ended, "void") == 0 || result_exit_code(result) == EXIT_WRONG_DATA) {
        return "void";
    }
    return strcmp(ended, "complete") == 0 ? "" : strcmp(ended, "running") == 0 ? "killed" : ended;
}

/* Equal where two runs differ in nothing but seed and luck. */
static int compare_loads(const struct result *a, const struct result *b)
{
    char left[NAME_MOST], right[NAME_MOST];
    int order = strcmp(base_name(a, left), base_name(b, right));

    order = order != 0 ? order : strcmp(file_of(a), file_of(b));
    order = order != 0 ? order : strcmp(a->scenario.name, b->scenario.name);
    order = order != 0 ? order : strcmp(a->scenario.sha256, b->scenario.sha256);
    order = order != 0 ? order : strcmp(a->scenario.settings, b->scenario.settings);
    return order != 0 ? order
                      : (a->aggregate.users > b->aggregate.users) -
                            (a->aggregate.users < b->aggregate.users);
}

static int by_load(const void *a, const void *b)
{
    const struct result *left = *(const struct result *const *)a;
    const struct result *right = *(const struct result *const *)b;
    int order = compare_loads(left, right);

    order = order != 0 ? order : strcmp(left->run.started_utc, right->run.started_utc);
    return order != 0 ? order : strcmp(left->run.id, right->run.id);
}

/*
 * By users, or at one number of them by what was due a second, as rates are. Points that no run
 * stands for come last: they have no throughput.
 */
static int compare_points(const struct sweep *sweep, const struct point *a, const struct point *b)
{
    char left[NAME_MOST], right[NAME_MOST];
    int order = strcmp(name_of(sweep, sweep->runs[a->from], left),
                       name_of(sweep, sweep->runs[b->from], right));
    uint64_t users[2] = {sweep->runs[a->from]->aggregate.users,
                         sweep->runs[b->from]->aggregate.users};

    order = order != 0 ? order : (a->whole == 0) - (b->whole == 0);
    order = order != 0 ? order : (users[0] > users[1]) - (users[0] < users[1]);
    return order != 0 ? order : (a->offered > b->offered) - (a->offered < b->offered);
}

static void sort_points(struct sweep *sweep)
{
    for (uint32_t i = 1; i < sweep->point_count; i++) {
        struct point point = sweep->points[i];
        uint32_t at = i;

        for (; at > 0 && compare_points(sweep, &point, &sweep->points[at - 1]) < 0; at--) {
            sweep->points[at] = sweep->points[at - 1];
        }
        sweep->points[at] = point;
    }
}

/* A second: of an open loop what fell due, else what users asked for. */
static double offered_of(const struct result *result)
{
    const struct result_vm *all = &result->aggregate;
    double ns = run_span_ns(all->sample_from_ns, all->sample_until_ns);
    double rate = result_fact(all, "offered_per_s");

    return rate > 0 ? rate : ns > 0 ? (double)all->due * 1e9 / ns : 0;
}

static void measure(const struct sweep *sweep, struct point *point)
{
    for (uint32_t i = point->from; i < point->from + point->runs; i++) {
        const struct result_vm *all = &sweep->runs[i]->aggregate;

        point->offered += offered_of(sweep->runs[i]);
        if (flaw_of(sweep->runs[i])[0] == '\0') {
            point->whole++;
            point->tps += all->tps;
            point->mb_s += all->mb_s;
            point->mean_ns += all->response.mean_ns;
            point->p99_ns += (double)all->response.p99_ns;
        }
    }
    point->offered /= point->runs;
    point->tps /= point->whole;
    point->mb_s /= point->whole;
    point->mean_ns /= point->whole;
    point->p99_ns /= point->whole;
}

/* Runs of one name lie side by side. */
static void find_files(struct sweep *sweep)
{
    char left[NAME_MOST], right[NAME_MOST];

    for (uint32_t i = 1; i < sweep->count && !sweep->files; i++) {
        const struct result *a = sweep->runs[i - 1], *b = sweep->runs[i];

        sweep->files = strcmp(base_name(a, left), base_name(b, right)) == 0 &&
                       strcmp(file_of(a), file_of(b)) != 0;
    }
}

static void find_points(struct sweep *sweep)
{
    find_files(sweep);
    for (uint32_t i = 0, n; i < sweep->count; i += n) {
        struct point *point = &sweep->points[sweep->point_count++];

        n = 1;
        while (i + n < sweep->count && compare_loads(sweep->runs[i], sweep->runs[i + n]) == 0) {
            n++;
        }
        *point = (struct point){.from = i, .runs = n};
        measure(sweep, point);
        sweep->broken += n - point->whole;
    }
    sort_points(sweep);
}

/* Points from `from` on that bear the same name. */
static uint32_t same_name(const struct sweep *sweep, uint32_t from)
{
    char first[NAME_MOST], other[NAME_MOST];
    uint32_t n = 1;

    name_of(sweep, sweep->runs[sweep->points[from].from], first);
    while (from + n < sweep->point_count &&
           strcmp(first, name_of(sweep, sweep->runs[sweep->points[from + n].from], other)) == 0) {
        n++;
    }
    return n;
}

/* Of these points, how many come first that some run stands for. */
static uint32_t count_whole(const struct sweep *sweep, uint32_t from, uint32_t n)
{
    uint32_t ret = 0;

    while (ret < n && sweep->points[from + ret].whole > 0) {
        ret++;
    }
    return ret;
}

static double least_p99(const struct sweep *sweep)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < sweep->point_count; i++) {
        double p99_ns = sweep->points[i].p99_ns;

        least = p99_ns > 0 && p99_ns < least ? p99_ns : least;
    }
    return least;
}

/* The highest throughput below the limit, or NULL; one point alone has none. */
static const struct point *knee(const struct sweep *sweep, uint32_t from, uint32_t n)
{
    const struct point *ret = NULL;

    for (uint32_t i = from; n > 1 && i < from + n; i++) {
        const struct point *point = &sweep->points[i];

        if (point->whole > 0 && point->p99_ns > 0 && point->p99_ns < (double)sweep->slo_ns &&
            (!ret || point->tps > ret->tps)) {
            ret = point;
        }
    }
    return ret;
}

/* n points that runs stand for. */
static void curve(struct doc *doc, const struct sweep *sweep, uint32_t from, uint32_t n)
{
    double *x = mem_array(n, sizeof(*x)), *y = mem_array(n, sizeof(*y));
    const struct point *at = knee(sweep, from, n);
    char name[NAME_MOST];

    doc->failed = doc->failed || !x || !y;
    if (x && y) {
        for (uint32_t i = 0; i < n; i++) {
            x[i] = sweep->points[from + i].tps;
            y[i] = sweep->points[from + i].mean_ns;
        }
        doc_series(doc, name_of(sweep, sweep->runs[sweep->points[from].from], name), x, y, n);
    }
    if (at) {
        doc_mark(doc, "knee", at->tps, at->mean_ns);
    }
    mem_free(x);
    mem_free(y);
}

static const char *load_of(const struct sweep *sweep, const struct result *result,
                           char buf[FIGURE_TEXT])
{
    if (!sweep->open) {
        return figure_count(result->aggregate.users, buf);
    }
    figure_number(offered_of(result), buf);
    snprintf(buf + strlen(buf), FIGURE_TEXT - strlen(buf), "/s");
    return buf;
}

/* A bar a point: throughput, bytes, the 99th percentile. */
static void bars(struct doc *doc, const struct sweep *sweep, const char *key, const char *title,
                 enum doc_unit unit, double (*value)(const struct point *point))
{
    struct doc_chart chart = {.kind = DOC_BARS, .key = key, .title = title, .y = {.unit = unit}};
    char name[NAME_MOST], label[NAME_MOST + 32], load[FIGURE_TEXT];
    double values[BARS_MOST];
    uint32_t count = 0;

    doc_chart(doc, &chart);
    for (uint32_t i = 0; i < sweep->point_count; i++) {
        const struct point *point = &sweep->points[i];
        const struct result *first = sweep->runs[point->from];

        if (point->whole > 0) {
            snprintf(label, sizeof(label), "%s, %s", name_of(sweep, first, name),
                     load_of(sweep, first, load));
            doc_category(doc, label);
            values[count++] = value(point);
        }
    }
    doc_series(doc, title, NULL, values, count);
}

static double tps_of(const struct point *point)
{
    return point->tps;
}

static double mb_s_of(const struct point *point)
{
    return point->mb_s;
}

static double p99_of(const struct point *point)
{
    return point->p99_ns;
}

static void run_row(struct doc *doc, const struct sweep *sweep, const struct result *result,
                    bool is_knee)
{
    const struct result_vm *all = &result->aggregate;
    const char *flaw = flaw_of(result);
    char name[NAME_MOST];

    doc_cell(doc, "%s", name_of(sweep, result, name));
    doc_cell(doc, "%s", result->run.id);
    doc_cell_count(doc, all->users);
    if (sweep->open) {
        doc_cell_number(doc, offered_of(result));
    }
    doc_cell_number(doc, all->tps);
    doc_cell_number(doc, all->mb_s);
    doc_cell_duration(doc, all->response.mean_ns);
    doc_cell_duration(doc, (double)all->response.p99_ns);
    doc_cell_duration(doc, (double)all->response.p99_9_ns);
    doc_cell_duration(doc, (double)all->response.max_ns);
    if (flaw[0] != '\0') {
        doc_cell_tone(doc, strcmp(flaw, "void") == 0 ? DOC_BAD : DOC_DOUBTFUL, flaw);
    } else {
        doc_cell(doc, "%s", is_knee ? "knee" : "");
    }
}

static void table(struct doc *doc, const struct sweep *sweep)
{
    const struct doc_column all[] = {
        {"drive or label", "name", DOC_LEFT},
        {"run", "run", DOC_LEFT},
        {"users", "users", DOC_RIGHT},
        {"due/s", "offered_per_s", DOC_RIGHT},
        {sweep->bare ? "IOPS" : "TPS", sweep->bare ? "iops" : "tps", DOC_RIGHT},
        {"MB/s", "mb_s", DOC_RIGHT},
        {"avg", "avg_ns", DOC_RIGHT},
        {"p99", "p99_ns", DOC_RIGHT},
        {"p99.9", "p99_9_ns", DOC_RIGHT},
        {"max", "max_ns", DOC_RIGHT},
        {"is", "knee", DOC_LEFT},
    };
    struct doc_column columns[sizeof(all) / sizeof(*all)];
    uint32_t count = 0;

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (sweep->open || strcmp(all[i].key, "offered_per_s") != 0) {
            columns[count++] = all[i];
        }
    }
    doc_table(doc, "sweep", columns, count);
    for (uint32_t i = 0, n; i < sweep->point_count; i += n) {
        const struct point *at;

        n = same_name(sweep, i);
        at = knee(sweep, i, count_whole(sweep, i, n));
        for (uint32_t p = i; p < i + n; p++) {
            const struct point *point = &sweep->points[p];

            for (uint32_t k = point->from; k < point->from + point->runs; k++) {
                run_row(doc, sweep, sweep->runs[k], point == at);
            }
        }
    }
}

/* A line a name, so far as there are colours; what is left out is said. */
static void lines(struct doc *doc, const struct sweep *sweep)
{
    struct doc_chart chart = {.kind = DOC_LINES,
                              .key = "sweep",
                              .title = "Latency over throughput",
                              .x = {sweep->bare ? "IOPS" : "TPS", DOC_NUMBER, false},
                              .y = {"average response time", DOC_NS, false},
                              .curve = true};
    uint32_t drawn = 0, left = 0;

    doc_chart(doc, &chart);
    for (uint32_t i = 0, n; i < sweep->point_count; i += n) {
        uint32_t whole;

        n = same_name(sweep, i);
        whole = count_whole(sweep, i, n);
        if (whole > 0 && drawn < LINES_MOST) {
            curve(doc, sweep, i, whole);
            drawn++;
        } else {
            left += whole > 0;
        }
    }
    if (left > 0) {
        doc_note(doc,
                 "The chart has the first %d lines of %" PRIu32 ": %" PRIu32
                 " more are in the table alone.",
                 LINES_MOST, drawn + left, left);
    }
}

static const char *by_what(const struct sweep *sweep)
{
    if (sweep->open) {
        return sweep->bare ? "IOPS, by rate" : "TPS, by rate";
    }
    return sweep->bare ? "IOPS, by outstanding" : "TPS, by users";
}

static void all_bars(struct doc *doc, const struct sweep *sweep)
{
    uint32_t whole = 0;

    for (uint32_t i = 0; i < sweep->point_count; i++) {
        whole += sweep->points[i].whole > 0;
    }
    if (whole > BARS_MOST) {
        doc_note(doc, "No bars: %" PRIu32 " points are more than the %d that fit.", whole,
                 BARS_MOST);
    } else if (whole > 0) {
        bars(doc, sweep, "sweep_tps", by_what(sweep), DOC_NUMBER, tps_of);
        bars(doc, sweep, "sweep_mb_s", "MB/s read and written", DOC_NUMBER, mb_s_of);
        bars(doc, sweep, "sweep_p99", "99th percentile of response time", DOC_NS, p99_of);
    }
}

/* What the curve is made of, and what it is not. */
static void notes(struct doc *doc, const struct sweep *sweep)
{
    uint32_t most = 0;
    char slo[FIGURE_TEXT];

    for (uint32_t i = 0; i < sweep->point_count; i++) {
        most = sweep->points[i].whole > most ? sweep->points[i].whole : most;
    }
    if (most > 1) {
        doc_note(doc,
                 "Knee: the highest throughput whose p99 is below %s. A point is the mean of the "
                 "runs that were asked the same, up to %" PRIu32
                 ": `rawtps compare` says how they scatter.",
                 figure_duration((double)sweep->slo_ns, slo), most);
    } else if (most == 1) {
        doc_note(doc,
                 "Knee: the highest throughput whose p99 is below %s. One run a point: run-to-run "
                 "variation is not in the curve.",
                 figure_duration((double)sweep->slo_ns, slo));
    }
    if (sweep->broken > 0) {
        doc_note(doc,
                 "%" PRIu32 " of %" PRIu32
                 " runs are void or did not finish: they are in no curve, knee or bar.",
                 sweep->broken, sweep->count);
    }
}

static bool all_open(const struct sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->count; i++) {
        if (strcmp(sweep->runs[i]->aggregate.audit.verdict, "open loop") != 0) {
            return false;
        }
    }
    return true;
}

static void draw(struct doc *doc, const struct sweep *sweep)
{
    doc_heading(doc, 1, "rawtps sweep · %s · %" PRIu32 " runs", sweep->runs[0]->scenario.name,
                sweep->count);
    if (sweep->broken < sweep->count) {
        lines(doc, sweep);
    }
    table(doc, sweep);
    all_bars(doc, sweep);
    notes(doc, sweep);
}

void doc_page_sweep(struct doc *doc, const struct result *const *results, uint32_t count,
                    int64_t slo_ns)
{
    struct sweep sweep = {.runs = mem_array(count, sizeof(*sweep.runs)),
                          .points = mem_array(count, sizeof(*sweep.points)),
                          .count = count,
                          .slo_ns = slo_ns};
    double least;

    if (sweep.runs && sweep.points) {
        memcpy(sweep.runs, results, count * sizeof(*sweep.runs));
        qsort(sweep.runs, count, sizeof(*sweep.runs), by_load);
        find_points(&sweep);
        sweep.bare = run_is_bare(sweep.runs[0]);
        sweep.open = all_open(&sweep);
        least = least_p99(&sweep);
        if (slo_ns <= 0) {
            sweep.slo_ns = least < 9e17 ? (int64_t)(10 * least) : INT64_MAX;
        }
        draw(doc, &sweep);
    } else {
        doc->failed = true;
    }
    mem_free(sweep.runs);
    mem_free(sweep.points);
}
