// rooms: base stats result
/* A run directory: named, written, killed, filled to the brim, and read again figure by figure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "result/result.h"
#include "result/window.h"
#include "sample_result.h"
#include "stats/hdr_log.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char base[512]; /* a fresh directory for all tests */

static const char *in(const char *name)
{
    static char paths[4][1024];
    static unsigned turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", base, name);
    return path;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void read_file(const char *path, struct text *ret)
{
    FILE *file = fopen(path, "r");
    int c;

    assert_non_null(file);
    text_clear(ret);
    while ((c = fgetc(file)) != EOF) {
        text_add_char(ret, (char)c);
    }
    fclose(file);
}

static void write_run(struct run_dir *dir, const struct result *result)
{
    struct text text;

    text_init(&text);
    result_write_json(result, &text);
    assert_int_equal(run_dir_replace(dir, "run.json", text_string(&text), text.length), 0);
    text_free(&text);
}

static void a_run_is_named_by_time_scenario_and_chance(void **state)
{
    struct run_dir dir, again;
    struct error err;
    char latest[256] = "";
    uint64_t seed = 7;

    assert_int_equal(
        run_dir_create(&dir, in("results"), NULL, "tpcc 1500/4vm", 1796116500, seed, &err), 0);
    assert_int_equal(strncmp(dir.id, "20261201T091500Z-tpcc-1500-4vm-", 31), 0);
    assert_int_equal(strlen(dir.id), 35);
    assert_int_equal(readlink(in("results/LATEST"), latest, sizeof(latest) - 1), strlen(dir.id));
    assert_string_equal(latest, dir.id);

    /* the same second and seed: another directory, and LATEST moves on */
    assert_int_equal(
        run_dir_create(&again, in("results"), NULL, "tpcc 1500/4vm", 1796116500, seed, &err), 0);
    assert_string_not_equal(again.id, dir.id);
    memset(latest, 0, sizeof(latest));
    assert_true(readlink(in("results/LATEST"), latest, sizeof(latest) - 1) > 0);
    assert_string_equal(latest, again.id);
    run_dir_close(&dir);
    run_dir_close(&again);
    run_dir_close(&again); /* harmless */
}

static void a_latest_that_is_not_ours_is_left_alone(void **state)
{
    struct run_dir dir;
    struct error err;
    struct text text;

    assert_int_equal(mkdir(in("foreign"), 0777), 0);
    write_file(in("foreign/LATEST"), "mine");
    assert_int_not_equal(run_dir_create(&dir, in("foreign"), NULL, "x", 0, 1, &err), 0);
    assert_int_equal(err.exit, EXIT_FAILED);
    assert_non_null(strstr(err.text, "LATEST is not a symbolic link"));
    text_init(&text);
    read_file(in("foreign/LATEST"), &text);
    assert_string_equal(text_string(&text), "mine");
    text_free(&text);
}

static void out_is_taken_exactly_and_never_over_another(void **state)
{
    struct run_dir dir, other;
    struct result result, back;
    struct error err;
    struct stat st;

    assert_int_equal(run_dir_create(&dir, in("unused"), in("a/b/mine"), "x", 0, 1, &err), 0);
    assert_string_equal(dir.path, in("a/b/mine"));
    assert_string_equal(dir.id, "mine");
    assert_int_equal(stat(in("unused"), &st), -1); /* no LATEST for --out */
    sample_tpcc(&result, 1);
    write_run(&dir, &result);
    run_dir_close(&dir);

    assert_int_not_equal(run_dir_create(&other, "", in("a/b/mine"), "x", 0, 1, &err), 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    assert_non_null(strstr(err.text, "exists and is not an empty directory"));
    assert_int_equal(run_dir_load(in("a/b/mine"), &back, &err), 0);
    result_free(&back);

    write_file(in("a/file"), "");
    assert_int_not_equal(run_dir_create(&other, "", in("a/file"), "x", 0, 1, &err), 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    assert_int_not_equal(run_dir_create(&other, "", in("a/file/deeper"), "x", 0, 1, &err), 0);
    assert_int_equal(err.exit, EXIT_FAILED);
    assert_int_equal(mkdir(in("a/empty"), 0777), 0);
    assert_int_equal(run_dir_create(&other, "", in("a/empty/"), "x", 0, 1, &err), 0);
    assert_string_equal(other.id, "empty");
    run_dir_close(&other);
    result_free(&result);
}

static void what_is_not_a_run_is_said_to_be_none(void **state)
{
    struct result back;
    struct result_interval *rows;
    struct error err;
    uint64_t count;

    assert_int_not_equal(run_dir_load(in("nowhere"), &back, &err), 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    assert_int_equal(mkdir(in("hollow"), 0777), 0);
    assert_int_not_equal(run_dir_load(in("hollow"), &back, &err), 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    assert_non_null(strstr(err.hint, "not a run directory"));
    assert_int_not_equal(run_dir_intervals(in("hollow"), &rows, &count, &err), 0);
    write_file(in("hollow/intervals.csv"), "a,b,c\n1,2,3\n");
    assert_int_not_equal(run_dir_intervals(in("hollow"), &rows, &count, &err), 0);
    assert_int_equal(err.line, 1);
    assert_int_equal(mkfifo(in("hollow/run.json"), 0666), 0);
    assert_int_not_equal(run_dir_load(in("hollow"), &back, &err), 0); /* does not hang */
    assert_int_equal(err.exit, EXIT_USAGE);
}

static void an_interval_comes_back_equal(void **state)
{
    struct result_interval row, back;
    struct text line, again;

    text_init(&line);
    text_init(&again);
    for (int32_t vm = -1; vm < SAMPLE_VMS; vm++) {
        for (uint32_t s = 0; s < SAMPLE_SECONDS; s++) {
            sample_interval(vm, s, &row);
            row.hit_ratio = s % 2 ? NAN : 1.0 / 3;
            row.mean_ns = 1e9 / (s + 1);
            text_clear(&line);
            result_interval_line(&row, &line);
            assert_true(result_interval_parse(text_string(&line), &back));
            assert_true(isnan(row.hit_ratio) == isnan(back.hit_ratio));
            assert_true(row.mean_ns == back.mean_ns && row.stddev_ns == back.stddev_ns);
            assert_int_equal(row.flushes, back.flushes);
            text_clear(&again);
            result_interval_line(&back, &again);
            assert_string_equal(text_string(&line), text_string(&again));
        }
    }
    text_free(&line);
    text_free(&again);
}

static void a_torn_or_foreign_line_is_no_interval(void **state)
{
    struct result_interval row, back;
    struct text line;

    text_init(&line);
    sample_interval(1, 3, &row);
    result_interval_line(&row, &line);
    assert_true(result_interval_parse(text_string(&line), &back));
    /* whatever is cut off before the last field, it is seen; the last may end in any digit */
    for (const char *at = strrchr(text_string(&line), ','); line.length > 0;) {
        text_cut(&line, (size_t)(at - text_string(&line)) < line.length
                            ? (size_t)(at - text_string(&line))
                            : line.length - 1);
        assert_false(result_interval_parse(text_string(&line), &back));
    }
    text_free(&line);
    assert_false(result_interval_parse(result_interval_header, &back));
    assert_false(
        result_interval_parse("0,1,sample,0,1,1,0,0,0,0,1,nan,1,1,1,1,1,1,1,1,1,0.5,1,1\n", &back));
    assert_false(
        result_interval_parse("0,1,sample,0,-1,1,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,0.5,1,1\n", &back));
    assert_false(result_interval_parse(
        "0,1,sample,0,18446744073709551616,1,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,0.5,1,1\n", &back));
    assert_false(
        result_interval_parse("0,1,sample,0,1,1,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,0.5,1,1,9\n", &back));
    /* times that no run has, whose sums would overflow */
    assert_false(result_interval_parse(
        "-9223372036854775808,1,sample,0,1,1,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,0.5,1,1\n", &back));
    assert_false(result_interval_parse(
        "0,9223372036854775807,sample,0,1,1,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,0.5,1,1\n", &back));
    assert_false(result_interval_parse(
        "0,1,sample,0,1,1,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,0.5,1,-9223372036854775808\n", &back));
    assert_false(
        result_interval_parse("0,1,sample,0,1,1,0,0,0,0,1,1,1,-1,1,1,1,1,1,1,1,0.5,1,1\n", &back));
    assert_false(result_interval_parse(
        "0,1,a_phase_whose_name_is_too_long,0,1,1,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,,1,1\n", &back));
    assert_true(
        result_interval_parse("0,1,sample,all,1,1,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,,1,1\r\n", &back));
    assert_int_equal(back.vm, -1);
    assert_true(isnan(back.hit_ratio));
}

static void append_second(struct run_dir *dir, struct hdr_log *log, struct text *text, uint32_t s)
{
    struct result_interval row;
    struct hist hist;
    char tag[64];

    text_clear(text);
    for (int32_t vm = -1; vm < SAMPLE_VMS; vm++) {
        sample_interval(vm, s, &row);
        result_interval_line(&row, text);
    }
    assert_int_equal(run_dir_append(dir, dir->intervals_fd, text_string(text), text->length), 0);
    text_clear(text);
    for (uint32_t vm = 0; vm < SAMPLE_VMS; vm++) {
        for (uint32_t k = 0; k < SAMPLE_KINDS; k++) {
            sample_hist(vm, s, k, &hist);
            snprintf(tag, sizeof(tag), "vm%u.%s", vm, sample_kinds[k]);
            hdr_log_line(log, text, tag, row.start_ns, row.length_ns, &hist);
        }
    }
    assert_int_equal(run_dir_append(dir, dir->hlog_fd, text_string(text), text->length), 0);
    assert_int_equal(run_dir_sync(dir), 0);
}

/* All lines of latency.hlog whose tag is of the VM, its deferred parts left out, as one. */
static void merge_hlog(const char *path, uint32_t vm, struct hist *ret)
{
    struct hdr_log *log;
    struct hdr_line line;
    struct hist hist;
    struct error err;
    struct text text;
    char like[16];

    text_init(&text);
    read_file(path, &text);
    assert_int_equal(hdr_log_open(&log, &err), 0);
    snprintf(like, sizeof(like), "vm%u.", vm);
    hist_init(ret);
    for (char *at = strtok(text.data, "\n"); at; at = strtok(NULL, "\n")) {
        if (hdr_log_read(log, at, strlen(at), &line, &hist, &err) == 1 &&
            strncmp(line.tag, like, strlen(like)) == 0 && !strstr(line.tag, "deferred")) {
            hist_merge(ret, &hist);
        }
    }
    hdr_log_close(log);
    text_free(&text);
}

static void every_number_of_the_table_can_be_derived_again_from_the_files(void **state)
{
    struct result result, back;
    struct result_interval *rows;
    struct result_window window;
    struct run_dir dir;
    struct hdr_log *log;
    struct hist hist;
    struct error err;
    struct text text;
    uint64_t count;

    text_init(&text);
    assert_int_equal(hdr_log_open(&log, &err), 0);
    assert_int_equal(run_dir_create(&dir, "", in("derive"), "x", 0, 1, &err), 0);
    run_dir_append(&dir, dir.intervals_fd, result_interval_header, strlen(result_interval_header));
    hdr_log_header(&text, 0);
    run_dir_append(&dir, dir.hlog_fd, text_string(&text), text.length);
    for (uint32_t s = 0; s < SAMPLE_SECONDS; s++) {
        append_second(&dir, log, &text, s);
    }
    sample_tpcc(&result, SAMPLE_VMS);
    write_run(&dir, &result);
    run_dir_close(&dir);
    hdr_log_close(log);

    assert_int_equal(run_dir_load(in("derive"), &back, &err), 0);
    assert_int_equal(run_dir_intervals(in("derive/run.json"), &rows, &count, &err), 0);
    assert_int_equal(count, SAMPLE_SECONDS * (SAMPLE_VMS + 1));
    for (uint32_t v = 0; v <= SAMPLE_VMS; v++) {
        const struct result_vm *vm = v < SAMPLE_VMS ? &back.vms[v] : &back.aggregate;

        result_window_of(rows, count, v < SAMPLE_VMS ? (int32_t)v : -1, "sample", &window);
        assert_true(window.whole);
        assert_int_equal(window.from_ns, vm->sample_from_ns);
        assert_int_equal(window.until_ns, vm->sample_until_ns);
        assert_int_equal(window.done, vm->done);
        assert_int_equal(window.rolled_back, vm->rolled_back);
        assert_int_equal(window.retries, vm->retries);
        assert_int_equal(window.failed, vm->failed);
        assert_true(window.tps == vm->tps);
        assert_true(window.read_mb_s == vm->read_mb_s);
        assert_true(window.write_mb_s == vm->write_mb_s);
        assert_int_equal(window.max_ns, vm->response.max_ns);
        assert_true(fabs(window.mean_ns / vm->response.mean_ns - 1) < 1e-9);
        assert_true(fabs(window.stddev_ns / vm->response.stddev_ns - 1) < 1e-6);
    }
    for (uint32_t v = 0; v < SAMPLE_VMS; v++) {
        const struct result_latency *lat = &back.vms[v].response;

        merge_hlog(in("derive/latency.hlog"), v, &hist);
        assert_int_equal(hist.count, lat->count);
        assert_int_equal(hist_quantile(&hist, 0.5), lat->p50_ns);
        assert_int_equal(hist_quantile(&hist, 0.95), lat->p95_ns);
        assert_int_equal(hist_quantile(&hist, 0.99), lat->p99_ns);
        assert_int_equal(hist_quantile(&hist, 0.999), lat->p99_9_ns);
    }
    mem_free(rows);
    text_free(&text);
    result_free(&result);
    result_free(&back);
}

static void a_missing_interval_is_seen(void **state)
{
    struct result_interval rows[3];
    struct result_window window;

    sample_interval(0, 0, &rows[0]);
    sample_interval(0, 1, &rows[1]);
    sample_interval(0, 3, &rows[2]);
    result_window_of(rows, 2, 0, "sample", &window);
    assert_true(window.whole);
    result_window_of(rows, 3, 0, NULL, &window);
    assert_false(window.whole);
    assert_int_equal(window.intervals, 3);
    result_window_of(rows, 3, 7, NULL, &window);
    assert_int_equal(window.intervals, 0);
    assert_true(window.tps == 0);
}

static void a_torn_last_line_is_dropped_and_a_wrong_one_inside_is_not(void **state)
{
    struct result_interval row, *rows;
    struct error err;
    struct text text;
    uint64_t count;

    assert_int_equal(mkdir(in("torn"), 0777), 0);
    text_init(&text);
    text_add(&text, result_interval_header);
    sample_interval(0, 0, &row);
    result_interval_line(&row, &text);
    result_interval_line(&row, &text);
    for (size_t n = text.length; n-- > 0;) {
        text_cut(&text, n);
        write_file(in("torn/intervals.csv"), text_string(&text));
        assert_int_equal(run_dir_intervals(in("torn"), &rows, &count, &err), 0);
        assert_true(count <= 1);
        mem_free(rows);
    }
    text_add(&text, result_interval_header);
    text_add(&text, "0,1,sam\n");
    result_interval_line(&row, &text);
    write_file(in("torn/intervals.csv"), text_string(&text));
    assert_int_not_equal(run_dir_intervals(in("torn"), &rows, &count, &err), 0);
    assert_int_equal(err.line, 2);
    assert_int_equal(err.exit, EXIT_USAGE);
    text_free(&text);
}

static void write_until_killed(int ready)
{
    struct result result;
    struct run_dir dir;
    struct hdr_log *log;
    struct error err;
    struct text text;

    text_init(&text);
    sample_tpcc(&result, SAMPLE_VMS);
    snprintf(result.run.ended, sizeof(result.run.ended), "running");
    if (run_dir_create(&dir, "", in("killed"), "x", 0, 1, &err) != 0 ||
        hdr_log_open(&log, &err) != 0) {
        _exit(1);
    }
    run_dir_append(&dir, dir.intervals_fd, result_interval_header, strlen(result_interval_header));
    for (uint32_t s = 0;; s++) {
        append_second(&dir, log, &text, s % SAMPLE_SECONDS);
        write_run(&dir, &result);
        if (s == 3 && write(ready, "!", 1) != 1) {
            _exit(1);
        }
    }
}

static void a_killed_run_leaves_a_readable_directory(void **state)
{
    struct result back;
    struct result_interval *rows;
    struct error err;
    uint64_t count;
    int ready[2];
    char word;
    pid_t child;

    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        write_until_killed(ready[1]);
    }
    assert_int_equal(read(ready[0], &word, 1), 1);
    usleep(20000);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(run_dir_load(in("killed"), &back, &err), 0);
    assert_string_equal(back.run.ended, "running");
    assert_int_equal(run_dir_intervals(in("killed"), &rows, &count, &err), 0);
    assert_true(count >= 4 * (SAMPLE_VMS + 1));
    mem_free(rows);
    result_free(&back);
}

/* Fill the file system but for a few bytes: 1 KiB blocks of a 64 KiB tmpfs are 16 pages. */
static void fill(const char *path)
{
    static const char page[4096];
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    assert_true(fd >= 0);
    while (write(fd, page, sizeof(page)) > 0) {
    }
    close(fd);
}

static void a_full_disk_loses_nothing_that_was_written(void **state)
{
    struct result result, back;
    struct result_interval row, *rows;
    struct run_dir dir;
    struct error err;
    struct text text;
    uint64_t count, line_bytes;
    struct stat st;
    int failures = 0;

    assert_int_equal(mkdir(in("small"), 0777), 0);
    if (geteuid() != 0 || mount("none", in("small"), "tmpfs", 0, "size=128k") != 0) {
        print_message("# skip: no tmpfs can be mounted here: %s\n", strerror(errno));
        skip();
    }
    text_init(&text);
    sample_tpcc(&result, 1);
    assert_int_equal(run_dir_create(&dir, "", in("small/run"), "x", 0, 1, &err), 0);
    run_dir_append(&dir, dir.intervals_fd, result_interval_header, strlen(result_interval_header));
    write_run(&dir, &result);
    fill(in("small/ballast"));
    sample_interval(0, 0, &row);
    result_interval_line(&row, &text);
    line_bytes = text.length;
    for (int i = 0; i < 200; i++) { /* fits the rest of a page, then no more */
        failures += run_dir_append(&dir, dir.intervals_fd, text_string(&text), text.length) != 0;
        assert_int_equal(dir.failed, failures > 0);
    }
    assert_true(failures > 0 && failures < 200);
    assert_int_equal(dir.error.code, -ENOSPC);
    assert_non_null(strstr(dir.error.text, "cannot write intervals.csv"));
    result_warn(&result, "results are incomplete");
    text_clear(&text);
    result_write_json(&result, &text);
    assert_int_equal(run_dir_replace(&dir, "run.json", text_string(&text), text.length), -ENOSPC);
    assert_non_null(strstr(dir.error.text, "cannot write intervals.csv")); /* the first one stays */

    assert_int_equal(run_dir_load(in("small/run"), &back, &err), 0);
    assert_int_equal(back.warning_count, 0); /* the state before */
    result_free(&back);
    assert_int_equal(run_dir_intervals(in("small/run"), &rows, &count, &err), 0);
    assert_int_equal(count, 200 - failures); /* whole lines only */
    assert_int_equal(stat(in("small/run/intervals.csv"), &st), 0);
    assert_int_equal(st.st_size, strlen(result_interval_header) + count * line_bytes);
    mem_free(rows);

    /* room again: the run goes on */
    assert_int_equal(unlink(in("small/ballast")), 0);
    write_run(&dir, &result);
    assert_int_equal(run_dir_sync(&dir), 0);
    assert_true(dir.failed);
    assert_int_equal(run_dir_load(in("small/run"), &back, &err), 0);
    assert_int_equal(back.warning_count, 1);
    result_free(&back);
    run_dir_close(&dir);
    text_free(&text);
    result_free(&result);
    assert_int_equal(umount(in("small")), 0);
}

static void a_place_that_cannot_be_written_is_said(void **state)
{
    struct run_dir dir;
    struct error err;

    assert_int_not_equal(run_dir_create(&dir, "/proc/nowhere", NULL, "x", 0, 1, &err), 0);
    assert_int_equal(err.exit, EXIT_FAILED);
    assert_non_null(strstr(err.text, "/proc/nowhere"));
}

static int make_base(void **state)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(base, sizeof(base), "%s/rawtps-dir-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(base) ? 0 : -1;
}

static int remove_base(void **state)
{
    char command[600];

    umount(in("small"));
    snprintf(command, sizeof(command), "rm -rf '%s'", base);
    return system(command); /* NOLINT(cert-env33-c): our own directory */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_named_by_time_scenario_and_chance),
        cmocka_unit_test(a_latest_that_is_not_ours_is_left_alone),
        cmocka_unit_test(out_is_taken_exactly_and_never_over_another),
        cmocka_unit_test(what_is_not_a_run_is_said_to_be_none),
        cmocka_unit_test(an_interval_comes_back_equal),
        cmocka_unit_test(a_torn_or_foreign_line_is_no_interval),
        cmocka_unit_test(every_number_of_the_table_can_be_derived_again_from_the_files),
        cmocka_unit_test(a_missing_interval_is_seen),
        cmocka_unit_test(a_torn_last_line_is_dropped_and_a_wrong_one_inside_is_not),
        cmocka_unit_test(a_killed_run_leaves_a_readable_directory),
        cmocka_unit_test(a_full_disk_loses_nothing_that_was_written),
        cmocka_unit_test(a_place_that_cannot_be_written_is_said),
    };

    return cmocka_run_group_tests(tests, make_base, remove_base);
}
