#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "run_state.h"

/* run.json is replaced at most so often, whatever the pace of virtual time. */
#define JOURNAL_EVERY_NS 1000000000ll

static void journal_tags(struct run *run)
{
    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        struct vm_total *total = &run->totals[i];
        const struct catalog *catalog = run_find_vm(run, i)->catalog;

        for (uint32_t k = 0; k < total->sample.kind_count; k++) {
            const char *name = k < catalog->kind_count ? catalog->kinds[k].name : "deferred";

            snprintf(total->tags[k][0], HDR_LOG_TAG_MAX, "vm%u.%s", i, name);
            snprintf(total->tags[k][1], HDR_LOG_TAG_MAX, "vm%u.%s.service", i, name);
        }
        for (uint32_t v = 0; v < IO_VERBS; v++) {
            for (uint32_t a = 0; a < IO_AREAS; a++) {
                snprintf(total->io_tags[v * IO_AREAS + a], HDR_LOG_TAG_MAX, "vm%u.io.%s.%s", i,
                         io_verb_names[v], io_area_names[a]);
            }
        }
    }
}

int journal_open(struct run *run, struct error *err)
{
    const struct run_options *options = run->options;
    struct timespec now;
    int rc;

    clock_gettime(CLOCK_REALTIME, &now);
    run->started_unix_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (options->no_files) {
        return 0;
    }
    rc = run_dir_create(&run->dir, options->root, options->out, run->plan->name, now.tv_sec,
                        (uint64_t)now.tv_nsec, err);
    if (rc < 0) {
        return rc;
    }
    run->has_dir = true;
    rc = hdr_log_open(&run->hdr, err);
    if (rc < 0) {
        return rc;
    }
    text_add(&run->lines, result_interval_header);
    run_dir_append(&run->dir, run->dir.intervals_fd, text_string(&run->lines), run->lines.length);
    text_clear(&run->lines);
    hdr_log_header(&run->lines, run->plan->virtual_time ? 0 : run->started_unix_ms);
    run_dir_append(&run->dir, run->dir.hlog_fd, text_string(&run->lines), run->lines.length);
    text_clear(&run->lines);
    return 0;
}

static void journal_csv(struct run *run)
{
    text_clear(&run->lines);
    for (uint32_t i = 0; i <= run->plan->vm_count; i++) {
        result_interval_line(&run->now[i], &run->lines);
    }
    run_dir_append(&run->dir, run->dir.intervals_fd, text_string(&run->lines), run->lines.length);
}

static void journal_hist(struct run *run, const char *tag, const struct record *record,
                         const struct hist *hist)
{
    if (hist->count > 0) {
        hdr_log_line(run->hdr, &run->lines, tag, record->from_ns,
                     record->until_ns - record->from_ns, hist);
    }
}

static void journal_hlog(struct run *run, uint32_t i, const struct record *record)
{
    struct vm_total *total = &run->totals[i];

    text_clear(&run->lines);
    for (uint32_t k = 0; k < record->kind_count; k++) {
        journal_hist(run, total->tags[k][0], record, &record->kinds[k].response);
        journal_hist(run, total->tags[k][1], record, &record->kinds[k].service);
    }
    for (uint32_t v = 0; v < RECORD_IOS; v++) {
        journal_hist(run, total->io_tags[v], record, &record->ios[v].latency);
    }
    run_dir_append(&run->dir, run->dir.hlog_fd, text_string(&run->lines), run->lines.length);
}

void journal_interval(struct run *run, struct record *const *records)
{
    if (!run->has_dir) {
        return;
    }
    if (run->totals[0].tags[0][0][0] == '\0') {
        journal_tags(run);
    }
    journal_csv(run);
    for (uint32_t i = 0; i < run->plan->vm_count; i++) {
        journal_hlog(run, i, records[i]);
    }
}

void journal_event(struct run *run, int64_t at_ns, const char *event, const char *text)
{
    if (!run->has_dir) {
        return;
    }
    text_clear(&run->lines);
    text_addf(&run->lines, "{\"at_ns\":%lld,\"event\":", (long long)at_ns);
    json_escape(&run->lines, event, strlen(event));
    text_add(&run->lines, ",\"text\":");
    json_escape(&run->lines, text, strlen(text));
    text_add(&run->lines, "}\n");
    run_dir_append(&run->dir, run->dir.events_fd, text_string(&run->lines), run->lines.length);
}

int64_t run_wall_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void journal_write(struct run *run)
{
    text_clear(&run->json);
    result_write_json(run->result, &run->json);
    run_dir_sync(&run->dir);
    run_dir_replace(&run->dir, "run.json", text_string(&run->json), run->json.length);
}

void journal_state(struct run *run, bool force)
{
    int64_t now_ns = run_wall_ns();

    if (!run->has_dir || (!force && now_ns - run->last_json_ns < JOURNAL_EVERY_NS)) {
        return;
    }
    run->last_json_ns = now_ns;
    outcome_update(run);
    journal_write(run);
}

void journal_early(struct run *run)
{
    if (run->has_dir) {
        journal_write(run);
    }
}

int run_amend(const char *dir, const struct result *result, struct error *err)
{
    struct run_dir to = {.dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    struct text json = {0};
    int code;

    snprintf(to.path, sizeof(to.path), "%s", dir);
    if (to.dir_fd < 0) {
        return error_set(err, EXIT_FAILED, -errno, "cannot open %s: %s", dir, strerror(errno));
    }
    result_write_json(result, &json);
    code = json.failed ? error_set(&to.error, EXIT_FAILED, -ENOMEM, "no memory for run.json")
                       : run_dir_replace(&to, "run.json", text_string(&json), json.length);
    if (code < 0) {
        *err = to.error;
    }
    text_free(&json);
    close(to.dir_fd);
    return code;
}

void journal_close(struct run *run)
{
    if (run->has_dir) {
        run_dir_close(&run->dir);
    }
    hdr_log_close(run->hdr);
}
