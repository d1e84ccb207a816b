/* slow, limit: 180
 * Whoever does not trust the table can make it again from intervals.csv and latency.hlog: every
 * figure of it, of run.json and of Little's law, after runs in virtual time and on a file.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/report/figures.h"
#include "base/mem.h"
#include "base/units.h"
#include "engine/run.h"
#include "report/doc_run.h"
#include "result/window.h"
#include "stats/hdr_log.h"
#include "stats/moments.h"

/* One row of the table, from the files of the run directory alone. */
struct derived {
    char name[32];
    double seconds, ended, tps, x; /* x: all that ended a second */
    double mean_ns, stddev_ns, cv, read_mb_s, write_mb_s, hit_ratio, think_ns;
    int64_t p50_ns, p95_ns, p99_ns, p99_9_ns, max_ns;
    uint64_t failed, retries;
};

struct files {
    struct result_interval *rows;
    uint64_t row_count;
    char *hlog;
    struct hdr_log *log;
};

static struct hist line_hist, tag_hist;

/* ---- reading --------------------------------------------------------------------------------- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text;
    long bytes;

    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    bytes = ftell(file);
    rewind(file);
    text = mem_zalloc((size_t)bytes + 1);
    assert_int_equal(fread(text, 1, (size_t)bytes, file), bytes);
    fclose(file);
    return text;
}

static void files_open(struct files *files, const char *dir)
{
    struct error err = {0};
    char path[160];

    assert_int_equal(run_dir_intervals(dir, &files->rows, &files->row_count, &err), 0);
    snprintf(path, sizeof(path), "%s/latency.hlog", dir);
    files->hlog = read_text(path);
    assert_int_equal(hdr_log_open(&files->log, &err), 0);
}

static void files_close(struct files *files)
{
    hdr_log_close(files->log);
    mem_free(files->hlog);
    mem_free(files->rows);
}

/* Adds the sample's histograms of one tag; "vm0." with users true: of all its users' kinds. */
static void add_tag(const struct files *files, const char *tag, bool users, struct hist *ret)
{
    size_t n = strlen(tag);
    struct result_window window;
    int vm = 0;

    assert_int_equal(sscanf(tag, "vm%d.", &vm), 1);
    result_window_of(files->rows, files->row_count, vm, "sample",
                     &window); /* its own: they differ */
    for (const char *at = files->hlog, *end; *at != '\0'; at = end) {
        struct hdr_line line;
        struct error err = {0};
        int rc;

        end = at + strcspn(at, "\n");
        end += *end == '\n';
        if (strncmp(at, "Tag=", 4) != 0 || strncmp(at + 4, tag, n) != 0 ||
            (!users && at[4 + n] != ',')) {
            continue;
        }
        rc = hdr_log_read(files->log, at, (size_t)(end - at), &line, &line_hist, &err);
        assert_int_equal(rc, 1);
        if (users && (strstr(line.tag, ".service") || strstr(line.tag, ".io.") ||
                      strstr(line.tag, ".deferred"))) {
            continue;
        }
        if (line.start_ns + 1000000 > window.from_ns) { /* written in milliseconds */
            hist_merge(ret, &line_hist);
        }
    }
}

/* ---- deriving -------------------------------------------------------------------------------- */

/* Of a histogram that was read, whose largest value is known to its bucket only. */
static int64_t quantile(const struct hist *hist, double share, int64_t max_ns)
{
    int64_t value = hist_quantile(hist, share);

    return value < max_ns ? value : max_ns;
}

static double cv_of(const struct files *files, int32_t vm)
{
    struct moments moments = {0};

    for (uint64_t i = 0; i < files->row_count; i++) {
        const struct result_interval *row = &files->rows[i];

        if (row->vm == vm && strcmp(row->phase, "sample") == 0) {
            moments_add(&moments, row->tps);
        }
    }
    return moments_cv(&moments);
}

static double seconds_of(const struct files *files, int32_t vm)
{
    struct result_window window;

    result_window_of(files->rows, files->row_count, vm, "sample", &window);
    assert_true(vm < 0 || window.whole);
    return (double)(window.until_ns - window.from_ns) / 1e9;
}

static void derive(const struct files *files, int32_t vm, uint32_t vms, struct derived *ret)
{
    struct result_window window;
    char tag[16];

    result_window_of(files->rows, files->row_count, vm, "sample", &window);
    hist_init(&tag_hist);
    for (uint32_t i = 0; i < vms; i++) {
        snprintf(tag, sizeof(tag), "vm%u.", i);
        if (vm < 0 || (uint32_t)vm == i) {
            add_tag(files, tag, true, &tag_hist);
        }
    }
    *ret = (struct derived){
        .seconds = seconds_of(files, vm),
        .ended = (double)(window.done + window.rolled_back),
        .mean_ns = window.mean_ns,
        .stddev_ns = window.stddev_ns,
        .cv = cv_of(files, vm),
        .hit_ratio = window.hit_ratio,
        .p50_ns = quantile(&tag_hist, 0.5, window.max_ns),
        .p95_ns = quantile(&tag_hist, 0.95, window.max_ns),
        .p99_ns = quantile(&tag_hist, 0.99, window.max_ns),
        .p99_9_ns = quantile(&tag_hist, 0.999, window.max_ns),
        .max_ns = window.max_ns,
        .failed = window.failed,
        .retries = window.retries,
    };
    snprintf(ret->name, sizeof(ret->name), vm < 0 ? "all" : "vm%d", vm);
    assert_int_equal(tag_hist.count, window.done + window.rolled_back);
    ret->tps = (double)window.done / ret->seconds;
    ret->x = ret->ended / ret->seconds;
    ret->read_mb_s = (double)window.read_bytes / 1e6 / ret->seconds;
    ret->write_mb_s = (double)window.write_bytes / 1e6 / ret->seconds;
    ret->think_ns = (double)window.pause_ns / ret->ended;
}

/* Rates of all are those of the VMs, each over its own sample. */
static void sum_rates(const struct derived *vms, uint32_t count, struct derived *all)
{
    all->tps = all->x = all->read_mb_s = all->write_mb_s = 0;
    for (uint32_t i = 0; i < count; i++) {
        all->tps += vms[i].tps;
        all->x += vms[i].x;
        all->read_mb_s += vms[i].read_mb_s;
        all->write_mb_s += vms[i].write_mb_s;
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void near(const char *what, const char *name, double got, double wanted, double tolerance)
{
    if (isnan(got) && isnan(wanted)) {
        return;
    }
    if (!(fabs(got - wanted) <= tolerance * fabs(wanted))) {
        fail_msg("%s of %s: run.json has %.17g, the intervals give %.17g", what, name, got, wanted);
    }
}

static void compare(const struct result_vm *vm, const struct derived *d)
{
    const struct result_latency *lat = &vm->response;
    assert_string_equal(vm->name, d->name);
    near("TPS", d->name, vm->tps, d->tps, 1e-12);
    near("avg", d->name, lat->mean_ns, d->mean_ns, 1e-9);
    near("stddev", d->name, lat->stddev_ns, d->stddev_ns, 1e-6);
    near("cv", d->name, vm->tps_cv, d->cv, 1e-9);
    near("rd MB/s", d->name, vm->read_mb_s, d->read_mb_s, 1e-12);
    near("wr MB/s", d->name, vm->write_mb_s, d->write_mb_s, 1e-12);
    near("hit%", d->name, result_fact(vm, "hit_ratio"), d->hit_ratio, 1e-9);
    near("Z", d->name, vm->audit.think_mean_ns, d->think_ns, 1e-9);
    near("X(R+Z)", d->name, vm->audit.concurrency, d->x * (d->mean_ns + d->think_ns) / 1e9, 1e-9);
    assert_int_equal(lat->count, (uint64_t)d->ended);
    assert_int_equal(lat->p50_ns, d->p50_ns);
    assert_int_equal(lat->p95_ns, d->p95_ns);
    assert_int_equal(lat->p99_ns, d->p99_ns);
    assert_int_equal(lat->p99_9_ns, d->p99_9_ns);
    assert_int_equal(lat->max_ns, d->max_ns);
    assert_int_equal(vm->failed, d->failed);
    assert_int_equal(vm->retries, d->retries);
}

static void compare_tag(const struct files *files, const char *tag,
                        const struct result_latency *lat)
{
    hist_init(&tag_hist);
    add_tag(files, tag, false, &tag_hist);
    if (tag_hist.count != lat->count) {
        fail_msg("%s: run.json has %llu, latency.hlog %llu", tag, (unsigned long long)lat->count,
                 (unsigned long long)tag_hist.count);
    }
    assert_int_equal(lat->p50_ns, quantile(&tag_hist, 0.5, lat->max_ns));
    assert_int_equal(lat->p90_ns, quantile(&tag_hist, 0.9, lat->max_ns));
    assert_int_equal(lat->p99_ns, quantile(&tag_hist, 0.99, lat->max_ns));
}

/* Every type of transaction and of I/O, by its own lines. */
static void compare_parts(const struct files *files, uint32_t i, const struct result_vm *vm)
{
    char tag[96];

    for (uint32_t k = 0; k < vm->txn_count; k++) {
        snprintf(tag, sizeof(tag), "vm%u.%s", i, vm->txns[k].kind);
        compare_tag(files, tag, &vm->txns[k].response);
        snprintf(tag, sizeof(tag), "vm%u.%s.service", i, vm->txns[k].kind);
        compare_tag(files, tag, &vm->txns[k].service);
    }
    for (uint32_t k = 0; k < vm->io_count; k++) {
        snprintf(tag, sizeof(tag), "vm%u.io.%s.%s", i, vm->ios[k].verb, vm->ios[k].area);
        compare_tag(files, tag, &vm->ios[k].latency);
    }
}

static void add_row(struct doc *doc, const struct derived *d, bool bare)
{
    doc_cell(doc, "%s", d->name);
    doc_cell_number(doc, d->tps);
    doc_cell_duration(doc, d->mean_ns);
    doc_cell_duration(doc, (double)d->p50_ns);
    doc_cell_duration(doc, (double)d->p95_ns);
    doc_cell_duration(doc, (double)d->p99_ns);
    doc_cell_duration(doc, (double)d->p99_9_ns);
    doc_cell_duration(doc, (double)d->max_ns);
    doc_cell_duration(doc, d->stddev_ns);
    doc_cell_share(doc, d->cv, true);
    doc_cell_number(doc, d->read_mb_s);
    doc_cell_number(doc, d->write_mb_s);
    if (!bare) {
        doc_cell_share(doc, d->hit_ratio, false);
    }
    doc_cell_count(doc, d->failed);
    if (!bare) {
        doc_cell_count(doc, d->retries);
    }
}

static void derived_table(const struct derived *rows, uint32_t count, bool bare, struct text *ret)
{
    static const char *const titles[] = {"VM",      "TPS",     "avg",  "p50",    "p95",
                                         "p99",     "p99.9",   "max",  "stddev", "cv",
                                         "rd MB/s", "wr MB/s", "hit%", "failed", "retried"};
    const struct doc_text_options options = {.width = 144};
    struct doc_column columns[15];
    uint32_t column_count = 0;
    struct doc doc;

    for (uint32_t c = 0; c < 15; c++) {
        if (!bare || (c != 12 && c != 14)) {
            columns[column_count++] = (struct doc_column){bare && c == 1 ? "IOPS" : titles[c],
                                                          titles[c], c == 0 ? DOC_LEFT : DOC_RIGHT};
        }
    }
    doc_init(&doc);
    doc_table(&doc, "vms", columns, column_count);
    for (uint32_t i = 0; i < count; i++) {
        add_row(&doc, &rows[i], bare);
    }
    doc_text(&doc, &options, ret);
    doc_free(&doc);
}

/* "80.1 of 80; Z 202ms, ceiling N/Z 397/s, 98.5% of it" */
static void derived_law(const struct derived *all, uint64_t users, struct text *ret)
{
    double held = all->x * (all->mean_ns + all->think_ns) / 1e9;
    double ceiling = (double)users / (all->think_ns / 1e9);
    char n[FIGURE_TEXT], z[FIGURE_TEXT], most[FIGURE_TEXT], share[FIGURE_TEXT], h[FIGURE_TEXT];

    snprintf(h, sizeof(h), "%.1f", held);
    text_addf(ret, "%s of %s", held < 1000 ? h : figure_number(held, h), figure_count(users, n));
    if (all->think_ns > 0) {
        text_addf(ret, "; Z %s, ceiling N/Z %s/s, %s of it", figure_duration(all->think_ns, z),
                  figure_number(ceiling, most), figure_percent(all->x / ceiling, share));
    }
}

static void holds(const char *page, const struct text *wanted)
{
    if (strstr(page, text_string(wanted)) == NULL) {
        fail_msg("derived:\n%sis not in what was printed:\n%s", text_string(wanted), page);
    }
}

static void compare_page(const struct result *result, const struct derived *rows, bool bare)
{
    const struct doc_text_options options = {.width = 144};
    struct text page = {0}, wanted = {0};
    struct doc doc;

    doc_init(&doc);
    doc_run(&doc, result, "dir");
    doc_text(&doc, &options, &page);
    doc_free(&doc);
    derived_table(rows, result->vm_count + 1, bare, &wanted);
    holds(text_string(&page), &wanted);
    text_clear(&wanted);
    derived_law(&rows[result->vm_count], result->aggregate.audit.users, &wanted);
    holds(text_string(&page), &wanted);
    text_free(&page);
    text_free(&wanted);
}

/* Every user is somewhere: in the cycles that ended, or in those that the sample's ends cut off. */
static void nobody_is_missing(const struct result_vm *vm)
{
    double n = vm->audit.concurrency + vm->audit.cut_off;

    if (fabs(n - (double)vm->users) > 1e-6 * (double)vm->users) {
        fail_msg("%s: %.9g in cycles that ended and %.9g cut off, of %llu users", vm->name,
                 vm->audit.concurrency, vm->audit.cut_off, (unsigned long long)vm->users);
    }
}

static void compare_run(const char *dir, bool bare)
{
    struct derived *rows = mem_array(RESULT_VMS + 1, sizeof(*rows));
    struct result result;
    struct files files;
    struct error err = {0};

    assert_int_equal(run_dir_load(dir, &result, &err), 0);
    files_open(&files, dir);
    for (uint32_t i = 0; i < result.vm_count; i++) {
        derive(&files, (int32_t)i, result.vm_count, &rows[i]);
        compare(&result.vms[i], &rows[i]);
        compare_parts(&files, i, &result.vms[i]);
        nobody_is_missing(&result.vms[i]);
    }
    derive(&files, -1, result.vm_count, &rows[result.vm_count]);
    sum_rates(rows, result.vm_count, &rows[result.vm_count]);
    compare(&result.aggregate, &rows[result.vm_count]);
    compare_page(&result, rows, bare);
    files_close(&files);
    result_free(&result);
    mem_free(rows);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* False: O_DIRECT or io_uring are not to be had here. */
static bool run_into(const struct plan_request *request, const char *dir)
{
    struct run_options options = {.out = dir};
    struct plan *plan = mem_zalloc(sizeof(*plan));
    struct error err = {0};
    struct result result;
    int rc = plan_build(plan, request, &err);

    rc = rc == 0 ? run_plan(plan, &options, &result, NULL, &err) : rc;
    if (rc == 0) {
        const struct result_integrity *integrity = &result.aggregate.integrity;

        assert_int_equal(result.run.exit_code, EXIT_FINE);
        assert_int_equal(result.aggregate.failed, 0);
        for (uint32_t k = 0; k < result.aggregate.io_count; k++) {
            assert_int_equal(result.aggregate.ios[k].errors, 0);
        }
        assert_int_equal(integrity->stamp_errors, 0);
        assert_true(request->virtual_time || (integrity->checked && integrity->stamps_checked > 0));
        result_free(&result);
        plan_free(plan);
    } else if (!strstr(err.text, "O_DIRECT") && !strstr(err.text, "io_uring")) {
        fail_msg("%s", err.text);
    }
    mem_free(plan);
    return rc == 0;
}

static void quick_in_virtual_time(void **state)
{
    struct plan_request request = {.scenario = "quick", .virtual_time = true};

    assert_true(run_into(&request, "quick"));
    compare_run("quick", false);
}

static void sysbench_in_virtual_time(void **state)
{
    struct plan_request request = {
        .scenario = "sysbench-4vm", .virtual_time = true, .scale = "1/1000", .sample = "4s"};

    assert_true(run_into(&request, "sysbench"));
    compare_run("sysbench", false);
}

static void requests_in_virtual_time(void **state)
{
    struct plan_request request = {
        .scenario = "block-8k-70-30", .virtual_time = true, .sample = "3s"};

    assert_true(run_into(&request, "requests"));
    compare_run("requests", true);
}

static void on_a_file(const struct plan_request *request, const char *dir)
{
    bool ran = run_into(request, dir);

    unlink(request->drive);
    if (!ran) {
        skip();
    }
    compare_run(dir, false);
}

static void quick_on_a_file(void **state)
{
    struct plan_request request = {.scenario = "quick", .drive = "derive.img", .sample = "5s"};

    on_a_file(&request, "real");
}

static void the_laboratorys_database_on_a_file(void **state)
{
    struct plan_request request = {
        .scenario = "tpcc-1500", .drive = "lab.img", .scale = "1/1500", .sample = "3s"};

    on_a_file(&request, "lab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quick_in_virtual_time),
        cmocka_unit_test(sysbench_in_virtual_time),
        cmocka_unit_test(requests_in_virtual_time),
        cmocka_unit_test(quick_on_a_file),
        cmocka_unit_test(the_laboratorys_database_on_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
