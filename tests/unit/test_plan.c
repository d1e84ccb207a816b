/* A plan: every shipped scenario works; scale, slices, phases, memory and choices add up. */
/* rooms: base io workload sql target plan */
#include <dirent.h>
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

#include "base/mem.h"
#include "plan/document.h"
#include "plan/plan.h"

static char data_dir[512];
static struct plan plan;

static void build(const struct plan_request *request)
{
    struct error err = {0};
    char text[1024];

    if (plan_build(&plan, request, &err)) {
        fail_msg("%s: %s (%s)", request->scenario, error_format(&err, text, sizeof(text)),
                 err.hint);
    }
}

static struct plan_request ask(const char *scenario)
{
    return (struct plan_request){.scenario = scenario, .data_dir = data_dir};
}

static void check_slices(void)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < plan.vm_count; i++) {
        const struct plan_vm *vm = &plan.vms[i];
        uint64_t disks = 0;

        assert_true(vm->from_bytes >= at && vm->from_bytes >= 4096);
        assert_int_equal(vm->from_bytes % 65536, 0);
        at = vm->from_bytes + vm->bytes;
        assert_int_equal(vm->disks[0].from_bytes, vm->from_bytes);
        assert_string_equal(vm->disks[0].role, "data");
        for (uint32_t d = 0; d < vm->disk_count; d++) {
            disks += vm->disks[d].bytes;
        }
        assert_int_equal(disks, vm->bytes);
        if (vm->target == PLAN_MODEL) {
            assert_true(vm->footprint.total_bytes <= vm->disks[0].bytes);
        } else {
            assert_true(vm->block.range_bytes <= vm->bytes);
        }
        assert_true(vm->users > 0 && vm->memory_needed_bytes > 0);
    }
    assert_int_equal(at, plan.footprint_bytes);
    assert_true(plan.footprint_bytes <= plan.drive_capacity_bytes);
}

static bool is_scenario(const char *name)
{
    size_t length = strlen(name);

    /* published figures lie there too */
    return length > 5 && strcmp(name + length - 5, ".yaml") == 0 && strncmp(name, "audit-", 6) != 0;
}

static void every_shipped_scenario_is_planned(void **state)
{
    uint64_t before = mem_allocated_bytes();
    struct dirent *entry;
    uint32_t count = 0;
    char path[1024];
    DIR *dir;

    snprintf(path, sizeof(path), "%s/scenarios", data_dir);
    dir = opendir(path);
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        if (is_scenario(entry->d_name)) {
            struct plan_request request = ask(path);
            struct text text = {0};

            snprintf(path, sizeof(path), "%s/scenarios/%s", data_dir, entry->d_name);
            /* no model answers pgbench's transactions: a server is planned for */
            request.virtual_time = strncmp(entry->d_name, "tpcb-", 5) != 0;
            build(&request);
            if (request.virtual_time) {
                check_slices();
            }
            assert_int_equal(plan.virtual_time, request.virtual_time);
            assert_int_equal(plan.phases[plan.phase_count - 1].kind, PHASE_SAMPLE);
            plan_explain(&plan, &text);
            assert_true(text.length > 1000 && !text.failed);
            text_free(&text);
            plan_free(&plan);
            count++;
        }
    }
    closedir(dir);
    assert_true(count >= 11);
    assert_int_equal(mem_allocated_bytes(), before);
}

static void the_labs_test_is_what_they_say(void **state)
{
    struct plan_request request = ask("tpcc-1500-4vm");

    request.virtual_time = true;
    build(&request);
    assert_int_equal(plan.vm_count, 4);
    assert_int_equal(plan.vms[0].users, 15000);
    assert_int_equal(plan.vms[0].model.tpcc.warehouses, 1500);
    assert_int_equal(plan.vms[0].model.buffer_bytes, 48ull << 30);
    assert_true(fabs(plan.vms[0].mean_think_ns - 4.743e9) < 1e5);
    assert_true(fabs((double)plan.vms[0].footprint.database_bytes - 333e9) < 8e9);
    assert_int_equal(plan.vms[0].bytes / 1000000000, 600);
    assert_true(plan.memory_bytes < 2500ull << 20);
    assert_int_equal(plan.phases[plan.phase_count - 1].length_ns, 1800ll * 1000000000);
    assert_true(plan.start_warm);
    assert_true(plan.vms[0].seed != plan.vms[1].seed);
    plan_free(&plan);
}

static void virtual_time_is_warmed_instead_of_preconditioned(void **state)
{
    struct plan_request request = ask("sysbench-4vm");

    build(&request);
    assert_true(plan.virtual_time);
    assert_int_equal(plan.phase_count, 3);
    assert_int_equal(plan.phases[0].kind, PHASE_WARM);
    assert_string_equal(plan.phases[1].name, "settle");
    assert_int_equal(plan.phases[1].length_ns, 60000000000ll);
    assert_non_null(strstr(plan.warnings[0], "2h"));
    plan_free(&plan);
    request.sets = (const char *const[]){"phases.start=cold"};
    request.set_count = 1;
    build(&request);
    assert_int_equal(plan.phase_count, 2);
    assert_string_equal(plan.phases[0].name, "precondition");
    assert_int_equal(plan.phases[0].length_ns, 7200ll * 1000000000);
    plan_free(&plan);
}

static void a_short_sample_has_a_short_interval(void **state)
{
    struct plan_request request = ask("quick");
    const char *sets[] = {"phases.sample=100ms"};

    request.virtual_time = true;
    request.sets = sets;
    request.set_count = 1;
    build(&request);
    assert_int_equal(plan.interval_ns, 100000000);
    plan_free(&plan);
}

/* Frames that no page will ever fill cost nothing, so a buffer may be as large as one likes. */
static void a_buffer_larger_than_the_database_costs_no_more(void **state)
{
    struct plan_request request = ask("quick");
    const char *sets[] = {"database.buffer=1GiB"};
    uint64_t bytes;

    request.virtual_time = true;
    request.sets = sets;
    request.set_count = 1;
    build(&request);
    bytes = plan.memory_bytes;
    assert_true(plan.vms[0].footprint.frames > plan.vms[0].footprint.pages);
    plan_free(&plan);
    sets[0] = "database.buffer=64TiB";
    build(&request);
    assert_int_equal(plan.memory_bytes, bytes);
    plan_free(&plan);
}

static void a_real_drive_is_filled_first(void **state)
{
    struct plan_request request = ask("quick");

    request.drive = "quick.img";
    build(&request);
    assert_false(plan.virtual_time);
    assert_int_equal(plan.drive, PLAN_DRIVE_URING);
    assert_int_equal(plan.phases[0].kind, PHASE_FILL);
    assert_int_equal(plan.phases[0].rule, RULE_DONE);
    assert_int_equal(plan.phases[1].kind, PHASE_WARM);
    assert_int_equal(plan.phases[2].kind, PHASE_PRECONDITION);
    assert_int_equal(plan.phases[3].kind, PHASE_SAMPLE);
    assert_true(plan.writes && plan.stamps && plan.data_moves);
    assert_true(plan.fill_bytes > 500000000 && plan.fill_bytes < 1500000000);
    assert_true(plan.drive_capacity_bytes >= plan.footprint_bytes);
    assert_true(plan.uring.depth >= 64 && plan.uring.buffer_bytes >= 8 << 20);
    assert_true(plan.uring.buffer_bytes >= model_buffer_bytes(&plan.vms[0].model));
    plan_free(&plan);
}

static void for_shortens_in_proportion(void **state)
{
    struct plan_request request = ask("tpcc-1500-4vm");

    request.drive = "x.img";
    request.scale = "1/400";
    request.sample = "60s";
    build(&request);
    assert_int_equal(plan.phases[2].kind, PHASE_PRECONDITION);
    assert_int_equal(plan.phases[2].length_ns, 300ll * 1000000000);
    assert_int_equal(plan.phases[2].requested_ns, 9000ll * 1000000000);
    assert_int_equal(plan.phases[3].length_ns, 60ll * 1000000000);
    assert_int_equal(plan.phases[3].requested_ns, 1800ll * 1000000000);
    plan_free(&plan);
    request.sample = "2h";
    build(&request);
    assert_int_equal(plan.phases[2].length_ns, 9000ll * 1000000000);
    assert_int_equal(plan.phases[2].requested_ns, 0);
    plan_free(&plan);
}

static bool warned(const char *words)
{
    for (uint32_t i = 0; i < plan.warning_count; i++) {
        if (strstr(plan.warnings[i], words)) {
            return true;
        }
    }
    return false;
}

static void scale_shrinks_all_together(void **state)
{
    struct plan_request request = ask("tpcc-1500-4vm");

    request.scale = "1/400";
    build(&request);
    assert_int_equal(plan.vms[0].model.tpcc.warehouses, 4);
    assert_int_equal(plan.vms[0].users, 40);
    assert_true(fabs((double)plan.vms[0].model.buffer_bytes - 51539607552.0 * 4 / 1500) < 8192);
    assert_true(plan.vms[0].bytes < 3000000000ull);
    assert_string_equal(plan.scale_text, "1/400");
    assert_true(warned("not comparable with another scale"));
    assert_true(warned("4 of 1500 warehouses"));
    check_slices();
    plan_free(&plan);

    request = ask("sysbench-100x10m");
    request.scale = "1%";
    build(&request);
    assert_int_equal(plan.vms[0].model.sysbench.rows, 100000);
    assert_int_equal(plan.vms[0].model.sysbench.tables, 100);
    assert_int_equal(plan.vms[0].users, 1);
    plan_free(&plan);

    request.threads = "16"; /* a sweep of threads that all come to one user is told so */
    build(&request);
    assert_int_equal(plan.vms[0].users, 1);
    assert_true(warned("1 of 16 users: effectively 1/16"));
    plan_free(&plan);
    request.threads = "400";
    build(&request);
    assert_int_equal(plan.vms[0].users, 4);
    assert_false(warned("of 400 users"));
    plan_free(&plan);
}

static void fit_takes_the_largest_scale(void **state)
{
    struct plan_request request = ask("tpcc-1500-4vm");
    static const char *const set[] = {"drive.capacity=1TB"};
    struct error err = {0};
    char next[32];
    unsigned den;

    request.scale = "fit";
    request.sets = set;
    request.set_count = 1;
    build(&request);
    assert_true(plan.scale_fitted);
    assert_true(plan.footprint_bytes <= 1000000000000ull);
    assert_int_equal(sscanf(plan.scale_text, "1/%u", &den), 1);
    plan_free(&plan);
    snprintf(next, sizeof(next), "1/%u", den - 1);
    request.scale = next;
    assert_true(plan_build(&plan, &request, &err) < 0);
    assert_non_null(strstr(err.text, "too small"));
}

/* Whoever models his MySQL 5.7 means its rules, but what he sets himself comes after them. */
static void a_version_sets_defaults_and_keys_override_them(void **state)
{
    static const char *sets[3] = {"database.like=mysql-5.7"};
    struct plan_request request = ask("quick");
    const struct model_settings *model = &plan.vms[0].model;

    build(&request);
    assert_int_equal(model->like, LIKE_MARIADB_10_11);
    assert_true(model->cleaner_sleeps && model->purge_ns > 0 && !model->change_buffer);
    plan_free(&plan);
    request.sets = sets;
    request.set_count = 1;
    build(&request);
    assert_int_equal(model->like, LIKE_MYSQL_5_7);
    assert_true(!model->cleaner_sleeps && model->purge_ns == 0 && model->change_buffer);
    assert_true(model->flush_neighbors);
    plan_free(&plan);
    sets[1] = "database.flush_neighbors=no";
    sets[2] = "database.purge=2s";
    request.set_count = 3;
    build(&request);
    assert_true(!model->flush_neighbors && model->purge_ns == 2000000000);
    plan_free(&plan);
}

static void sets_reach_any_key(void **state)
{
    static const char *const sets[] = {"drive.like=h3200-u2",
                                       "workload.users=100",
                                       "database.buffer=64MiB",
                                       "database.doublewrite=no",
                                       "phases.sample=1h",
                                       "vms=[{name: a}, {name: b, users: 7}]",
                                       "vms.0.users=3",
                                       "drive.write_amplification=2.5",
                                       "seed=42"};
    struct plan_request request = ask("quick");

    request.sets = sets;
    request.set_count = sizeof(sets) / sizeof(sets[0]);
    build(&request);
    assert_string_equal(plan.drive_like, "h3200-u2");
    assert_string_equal(plan.vms[0].name, "a");
    assert_int_equal(plan.vms[0].users, 3);
    assert_int_equal(plan.vms[1].users, 7);
    assert_int_equal(plan.vms[0].model.buffer_bytes, 64 << 20);
    assert_false(plan.vms[0].model.doublewrite);
    assert_int_equal(plan.phases[plan.phase_count - 1].length_ns, 3600ll * 1000000000);
    assert_true(plan.sim.write_amplification == 2.5);
    assert_int_equal(plan.seed, 42);
    plan_free(&plan);
}

/* Two runs that differ in the last of many keys must not look like one and the same. */
static void many_settings_are_cut_and_told_apart(void **state)
{
    const char *sets[] = {"workload.users=100",      "database.buffer=64MiB", "workload.cycle=2s",
                          "database.doublewrite=no", "drive.flush=9us",       ""};
    struct plan_request request = ask("quick");
    char said[2][64], whole[512];

    request.sets = sets;
    request.set_count = sizeof(sets) / sizeof(sets[0]);
    for (int i = 0; i < 2; i++) {
        sets[5] = i == 0 ? "drive.write_amplification=2.5" : "drive.write_amplification=3.5";
        build(&request);
        plan_settings(&plan, whole, sizeof(whole));
        assert_non_null(strstr(whole, sets[5]));
        assert_null(strstr(whole, "..."));
        plan_settings(&plan, said[i], sizeof(said[i]));
        assert_int_equal(strlen(said[i]), sizeof(said[i]) - 1);
        plan_free(&plan);
    }
    assert_string_not_equal(said[0], said[1]);
}

static void blocks_become_streams(void **state)
{
    static const char *const sets[] = {
        "workload={kind: block, outstanding: {threads: 4, queue: 8}, work: 1GiB, range: 10%, "
        "streams: "
        "[{name: data, share: 90%, read: 70%, size: [{size: 4K, share: 50%}, {size: 16K, share: "
        "50%}],"
        " hot: {share: 80%, range: 20%}}, {name: log, share: 10%, read: 0%, size: 64K, place: "
        "sequential}]}"};
    struct plan_request request = ask("block-8k-70-30");
    const struct block_settings *block = &plan.vms[0].block;

    request.sets = sets;
    request.set_count = 1;
    build(&request);
    assert_int_equal(block->users, 32);
    assert_int_equal(block->stream_count, 2);
    assert_int_equal(block->streams[0].read_size_count, 2);
    assert_int_equal(block->streams[0].write_sizes[1].bytes, 16384);
    assert_true(block->streams[0].random == 1 && block->streams[1].random == 0);
    assert_true(fabs(block->streams[0].hot_range - 0.2) < 1e-9);
    assert_true(fabs((double)block->range_bytes - 384e9) < 1e7);
    /* mean request: 0.9 x 10 KiB + 0.1 x 64 KiB */
    assert_true(fabs((double)plan.vms[0].work_transactions - 1048576 / 15.4) < 2);
    plan_free(&plan);
}

static void readers_of_unwritten_ranges_fill_them(void **state)
{
    static const char *const sets[] = {"drive.capacity=256MiB"};
    static const char *const bare[] = {"drive.capacity=256MiB", "phases.fill=no"};
    struct plan_request request = ask("block-8k-randread");

    request.drive = "block.img";
    request.sets = sets;
    request.set_count = 1;
    build(&request);
    assert_int_equal(plan.phases[0].kind, PHASE_FILL);
    assert_int_equal(plan.fill_bytes, plan.vms[0].block.range_bytes);
    assert_true(plan.writes && !plan.stamps);
    plan_free(&plan);
    request.sets = bare;
    request.set_count = 2;
    build(&request);
    assert_false(plan.writes);
    assert_true(warned("reading holes"));
    plan_free(&plan);
}

static const struct plan_phase *precondition(void)
{
    for (uint32_t p = 0; p < plan.phase_count; p++) {
        if (strcmp(plan.phases[p].name, "precondition") == 0) {
            return &plan.phases[p];
        }
    }
    fail_msg("there is no precondition");
    return NULL;
}

/* A word of what was not done sends people looking for it. */
static void what_for_shortens_is_said_and_nothing_else(void **state)
{
    static const struct {
        const char *sets[2], *sample;
        int64_t precondition_s;
        const char *says; /* all of the warning; NULL: none */
    } cases[] = {
        {{"phases={start: cold, precondition: 60s, sample: 120s}"},
         "60s",
         60, /* the whole section was set on the command line */
         "--for: the sample is 1m instead of 2m"},
        {{"phases.sample=120s", "phases.precondition=60s"},
         "60s",
         60,
         "--for: the sample is 1m instead of 2m"},
        {{"phases.sample=120s", "phases.precondition={until: steady, max: 90s}"},
         "30s",
         90,
         "--for: the sample is 30s instead of 2m"},
        {{"phases.sample=10s"},
         "5s",
         30,
         "--for: the sample is 5s instead of 10s, and preconditioning takes 30s instead of 1m"},
        {{"phases.sample=10s"}, "20s", 60, "--for: the sample is 20s instead of 10s"},
        {{"phases.sample=10s"}, "10s", 60, NULL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct plan_request request = {.scenario = "for.yaml", .data_dir = data_dir};
        FILE *file = fopen("for.yaml", "w");
        const char *said = NULL;

        assert_non_null(file);
        fputs("workload: {kind: block, outstanding: 4, read: 50%}\n"
              "drive: {kind: \"null\", capacity: 1GiB}\nphases: {start: cold, precondition: 1m}\n",
              file);
        fclose(file);
        request.sets = cases[i].sets;
        request.set_count = cases[i].sets[1] ? 2 : 1;
        request.sample = cases[i].sample;
        build(&request);
        assert_int_equal(precondition()->length_ns, cases[i].precondition_s * 1000000000);
        for (uint32_t w = 0; w < plan.warning_count; w++) {
            said = strncmp(plan.warnings[w], "--for", 5) == 0 ? plan.warnings[w] : said;
        }
        if (cases[i].says == NULL) {
            assert_null(said);
        } else {
            assert_non_null(said);
            assert_string_equal(said, cases[i].says);
        }
        plan_free(&plan);
    }
}

static void what_is_unusual_is_said(void **state)
{
    static const char *const sets[] = {"database.buffer=100GiB", "workload.users=41"};
    static const char *const uring[] = {"drive.kind=uring", "drive.like=gen5-fast"};
    struct plan_request request = ask("quick");

    request.sets = sets;
    request.set_count = 2;
    build(&request);
    assert_true(warned("holds the whole database"));
    assert_true(warned("more than the standard's 10"));
    plan_free(&plan);
    request.sets = uring;
    request.virtual_time = true;
    build(&request);
    assert_int_equal(plan.drive, PLAN_DRIVE_SIM);
    assert_true(warned("simulated like gen5-fast"));
    plan_free(&plan);
}

static void the_same_request_gives_the_same_plan(void **state)
{
    struct plan_request request = ask("quick");
    struct text first = {0}, second = {0};

    build(&request);
    plan_explain(&plan, &first);
    plan_free(&plan);
    build(&request);
    plan_explain(&plan, &second);
    plan_free(&plan);
    assert_string_equal(text_string(&first), text_string(&second));
    assert_non_null(
        strstr(text_string(&first), "TPC-C-derived; not comparable with published TPC"));
    assert_non_null(strstr(text_string(&first), "users / Z = 40 / 0.2s = 200.0 TPS"));
    text_free(&first);
    text_free(&second);
}

static void lists_name_what_is_shipped(void **state)
{
    struct plan_listing *rows = NULL;
    uint32_t count = 0, kinds[4] = {0};
    struct error err = {0};

    assert_int_equal(setenv("RAWTPS_DATA", data_dir, 1), 0);
    assert_int_equal(plan_list(&rows, &count, &err), 0);
    for (uint32_t i = 0; i < count; i++) {
        kinds[0] += strcmp(rows[i].kind, "scenario") == 0;
        kinds[1] += strcmp(rows[i].kind, "vm-config") == 0;
        kinds[2] += strcmp(rows[i].kind, "drive") == 0;
        kinds[3] += strcmp(rows[i].kind, "profile") == 0;
        assert_true(rows[i].about[0] != '\0');
        assert_null(strstr(rows[i].about, "cannot be read"));
    }
    assert_true(kinds[0] >= 11 && kinds[1] >= 4 && kinds[2] >= 5 && kinds[3] == 3);
    mem_free(rows);
}

/* docs/SCENARIO.md is what the tables say. */
static void the_document_is_up_to_date(void **state)
{
    struct text text = {0};
    char path[1024], *shipped = mem_zalloc(1 << 20);
    const char *bless = getenv("BLESS");
    FILE *file;

    scenario_document(&text);
    snprintf(path, sizeof(path), "%s/docs/SCENARIO.md", data_dir);
    if (bless && *bless == '1') {
        file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(text_string(&text), file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(shipped, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    assert_true(strcmp(shipped, text_string(&text)) == 0);
    mem_free(shipped);
    text_clear(&text);
    scenario_help(&text);
    assert_non_null(strstr(text_string(&text), "warehouses"));
    text_free(&text);
}

static int set_up(void **state)
{
    const char *root = getenv("ROOT");

    return realpath(root ? root : ".", data_dir) ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_scenario_is_planned),
        cmocka_unit_test(the_labs_test_is_what_they_say),
        cmocka_unit_test(virtual_time_is_warmed_instead_of_preconditioned),
        cmocka_unit_test(a_short_sample_has_a_short_interval),
        cmocka_unit_test(a_buffer_larger_than_the_database_costs_no_more),
        cmocka_unit_test(a_real_drive_is_filled_first),
        cmocka_unit_test(for_shortens_in_proportion),
        cmocka_unit_test(scale_shrinks_all_together),
        cmocka_unit_test(fit_takes_the_largest_scale),
        cmocka_unit_test(a_version_sets_defaults_and_keys_override_them),
        cmocka_unit_test(sets_reach_any_key),
        cmocka_unit_test(many_settings_are_cut_and_told_apart),
        cmocka_unit_test(blocks_become_streams),
        cmocka_unit_test(readers_of_unwritten_ranges_fill_them),
        cmocka_unit_test(what_for_shortens_is_said_and_nothing_else),
        cmocka_unit_test(what_is_unusual_is_said),
        cmocka_unit_test(the_same_request_gives_the_same_plan),
        cmocka_unit_test(lists_name_what_is_shipped),
        cmocka_unit_test(the_document_is_up_to_date),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
