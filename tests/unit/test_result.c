// rooms: base stats result
/* What is derived from counts: rates, sums, Little's law, checks, the exit code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text.h"
#include "result/result.h"
#include "sample_result.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct result_check *check_of(const struct result *result, const char *name,
                                           const char *scope)
{
    for (uint32_t i = 0; i < result->check_count; i++) {
        if (strcmp(result->checks[i].name, name) == 0 &&
            strcmp(result->checks[i].scope, scope) == 0) {
            return &result->checks[i];
        }
    }
    fail_msg("no check %s of %s", name, scope);
    return NULL;
}

static void throughput_is_what_was_done_over_the_sample(void **state)
{
    struct result result;
    uint64_t done = 0;

    sample_tpcc(&result, 4);
    for (uint32_t v = 0; v < 4; v++) {
        const struct result_vm *vm = &result.vms[v];
        uint64_t own = 0;

        for (uint32_t k = 0; k < 5; k++) {
            own += vm->txns[k].done;
        }
        assert_int_equal(vm->done, own); /* the deferred parts do not count */
        assert_true(vm->tps == (double)own / 60);
        assert_true(vm->read_mb_s == 8192.0 * (100 + v) / 1e6);
        assert_true(fabs(vm->write_mb_s - (8192.0 * 50 + 4096 * 40) / 1e6) < 1e-9);
        assert_true(fabs(vm->iops - (100 + v + 50 + 40)) < 1e-9);
        done += own;
    }
    assert_int_equal(result.aggregate.done, done);
    assert_true(result.aggregate.tps == (double)done / 60);
    assert_int_equal(result.aggregate.users, 1600);
    result_free(&result);
}

/* On a busy host the samples of VMs do not begin and end together. */
static void the_aggregate_throughput_is_the_sum_of_the_vms(void **state)
{
    struct result result;
    const struct result_vm *all = &result.aggregate;
    double x = 0;

    sample_tpcc(&result, 4);
    for (uint32_t v = 0; v < 4; v++) {
        result.vms[v].sample_from_ns += (int64_t)v * 700000000;
        result.vms[v].sample_until_ns += (int64_t)v * 500000000;
    }
    result_derive(&result);
    assert_int_equal(all->sample_from_ns, result.vms[0].sample_from_ns);
    assert_int_equal(all->sample_until_ns, result.vms[3].sample_until_ns);
    for (uint32_t v = 0; v < 4; v++) {
        x += (double)result.vms[v].response.count / (60 - v * 0.2);
    }
    assert_true(fabs(all->tps - result.vms[0].tps - result.vms[1].tps - result.vms[2].tps -
                     result.vms[3].tps) < 1e-9);
    assert_true(all->tps > (double)all->done / 60);
    assert_true(fabs(all->iops - result.vms[0].iops - result.vms[1].iops - result.vms[2].iops -
                     result.vms[3].iops) < 1e-9);
    assert_true(fabs(all->mb_s - all->read_mb_s - all->write_mb_s) < 1e-9);
    assert_true(fabs(all->audit.concurrency -
                     x * (all->response.mean_ns + all->audit.think_mean_ns) / 1e9) < 1e-6);
    result_free(&result);
}

static void the_aggregate_has_sums_of_counts_and_merged_latencies(void **state)
{
    struct result result;
    const struct result_vm *all = &result.aggregate;
    struct hist hist, merged;

    sample_tpcc(&result, 4);
    hist_init(&merged);
    for (uint32_t v = 0; v < 4; v++) {
        for (uint32_t s = 0; s < SAMPLE_SECONDS; s++) {
            for (uint32_t k = 0; k < 5; k++) {
                sample_hist(v, s, k, &hist);
                hist_merge(&merged, &hist);
            }
        }
    }
    assert_int_equal(all->response.count, merged.count);
    assert_int_equal(all->response.p99_ns, hist_quantile(&merged, 0.99));
    assert_true(all->response.sumsq_ns2 == merged.sumsq_ns2);
    assert_int_equal(all->ios[0].count, 60 * (400 + 6));
    assert_int_equal(all->ios[0].sizes[0].count, 60 * (400 + 6));
    assert_true(result_fact(all, "lock_waits") == 120);
    assert_true(fabs(result_fact(all, "hit_ratio") - 79714.0 / 85714.0) < 1e-12);
    assert_true(result_fact(all, "dirty_share") == 0.1); /* a share is not summed */
    assert_true(check_of(&result, "response times merged", "all")->passed);
    result_free(&result);
}

static void deriving_twice_gives_the_same(void **state)
{
    struct result result;
    struct text once, twice;

    sample_tpcc(&result, 4);
    text_init(&once);
    text_init(&twice);
    result_write_json(&result, &once);
    result_derive(&result);
    result_write_json(&result, &twice);
    assert_string_equal(text_string(&once), text_string(&twice));
    text_free(&once);
    text_free(&twice);
    result_free(&result);
}

static void littles_law_is_judged_within_2_percent(void **state)
{
    struct result result;
    struct result_audit *audit;

    sample_tpcc(&result, 1);
    audit = &result.vms[0].audit;
    assert_true(fabs(audit->concurrency - 400) < 1e-6);
    assert_true(fabs(audit->ceiling_tps - 400 / (audit->think_mean_ns / 1e9)) < 1e-9);
    assert_true(audit->ceiling_share > 0.99 && audit->ceiling_share < 1);
    assert_string_equal(audit->verdict, "ok");
    assert_int_equal(result.run.exit_code, EXIT_FINE);

    audit->think_mean_ns *= 1.019;
    result_derive(&result);
    assert_string_equal(audit->verdict, "ok");
    audit->think_mean_ns *= 1.5;
    result_derive(&result);
    assert_string_equal(audit->verdict, "inconsistent");
    assert_false(check_of(&result, "X (R + Z) / N", "vm0")->passed);
    assert_int_equal(result.run.exit_code, EXIT_WANTING);

    snprintf(audit->verdict, sizeof(audit->verdict), "open loop");
    result_derive(&result);
    assert_string_equal(audit->verdict, "open loop");
    assert_string_equal(result.aggregate.audit.verdict, "open loop");
    /* under way are those that have begun, not those that wait for the next that is due */
    assert_true(fabs(audit->concurrency - (double)result.vms[0].response.count / 60 *
                                              result.vms[0].response.mean_ns / 1e9) < 1e-9);
    result_free(&result);
}

static void a_handful_of_transactions_proves_nothing_about_littles_law(void **state)
{
    struct result result;
    struct hist hist;

    sample_tpcc(&result, 1);
    hist_init(&hist);
    for (int i = 0; i < 20; i++) {
        hist_record(&hist, 1000000000);
    }
    result_latency_of(&result.vms[0].response, &hist);
    result.vms[0].users = 3;
    result.vms[0].audit.think_mean_ns = 6e9; /* 20/60 x 7 s = 2.33 of 3 */
    result_derive(&result);
    assert_string_equal(result.vms[0].audit.verdict, "too short");
    result_free(&result);
}

/* Each user's first and last cycle is cut: few cycles each prove nothing, however many users. */
static void a_few_cycles_a_user_prove_nothing_about_littles_law(void **state)
{
    static const struct {
        uint64_t users, cycles;
        const char *verdict; /* of X (R + Z) 5 % above N */
    } rows[] = {{300, 1, "too short"},
                {300, 15, "too short"},
                {300, 100, "inconsistent"},
                {15000, 15, "too short"},
                {15000, 45, "inconsistent"}};
    struct result result;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct result_vm *vm;
        struct hist hist;

        sample_tpcc(&result, 1);
        vm = &result.vms[0];
        hist_init(&hist);
        for (uint64_t j = 0; j < rows[i].users * rows[i].cycles; j++) {
            hist_record(&hist, 1000000);
        }
        result_latency_of(&vm->response, &hist);
        vm->users = rows[i].users;
        vm->audit.think_mean_ns = 1.05 * 60e9 / (double)rows[i].cycles - 1e6;
        result_derive(&result);
        assert_true(fabs(vm->audit.ratio - 1.05) < 1e-6);
        assert_string_equal(vm->audit.verdict, rows[i].verdict);
        result_free(&result);
    }
}

/* One transaction that began long before the sample; and some that took much longer than most. */
static void long_cycles_prove_nothing_about_littles_law(void **state)
{
    static const struct {
        uint64_t users, short_ones, long_ones;
        int64_t long_ns, think_ns;
        const char *verdict;
    } rows[] = {{1, 1, 0, 0, 925000000000, "too short"},
                {128, 10000, 1344, 5000000000, 0, "too short"},
                {128, 10000, 6720, 1000000000, 0, "inconsistent"}};
    struct result result;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct result_vm *vm;
        struct hist hist;

        sample_tpcc(&result, 1);
        vm = &result.vms[0];
        hist_init(&hist);
        for (uint64_t j = 0; j < rows[i].short_ones; j++) {
            hist_record(&hist, 20000000);
        }
        for (uint64_t j = 0; j < rows[i].long_ones; j++) {
            hist_record(&hist, rows[i].long_ns);
        }
        result_latency_of(&vm->response, &hist);
        vm->users = rows[i].users;
        vm->audit.think_mean_ns = (double)rows[i].think_ns;
        result_derive(&result);
        assert_true(fabs(vm->audit.ratio - 1) > 0.05);
        assert_string_equal(vm->audit.verdict, rows[i].verdict);
        result_free(&result);
    }
}

/* A drive that stalls until the sample ends: who waits for it then is not missing. */
static void users_under_way_at_the_end_are_not_missed(void **state)
{
    struct result result;
    struct result_audit *audit;

    sample_tpcc(&result, 1);
    audit = &result.vms[0].audit;
    result.vms[0].users *= 3;
    result_derive(&result);
    assert_string_equal(audit->verdict, "inconsistent");
    assert_int_equal(result.run.exit_code, EXIT_WANTING);
    audit->cut_off = (double)result.vms[0].users - audit->concurrency;
    result_derive(&result);
    assert_string_equal(audit->verdict, "cut off");
    assert_string_equal(result.aggregate.audit.verdict, "cut off");
    assert_int_equal(result.run.exit_code, EXIT_FINE);
    audit->cut_off *= 0.9; /* then figures do contradict themselves */
    result_derive(&result);
    assert_string_equal(audit->verdict, "inconsistent");
    result_free(&result);
}

/* Whose work is done is idle: that N is less than promised is no fault. */
static void users_whose_work_is_done_are_not_missed(void **state)
{
    struct result result;
    struct result_audit *audit;

    sample_tpcc(&result, 1);
    audit = &result.vms[0].audit;
    result.vms[0].users *= 3;
    snprintf(audit->verdict, sizeof(audit->verdict), "work-bound");
    result_derive(&result);
    assert_string_equal(audit->verdict, "work-bound");
    assert_string_equal(result.aggregate.audit.verdict, "work-bound");
    assert_int_equal(result.run.exit_code, EXIT_FINE);
    result.vms[0].users /= 3;
    result_derive(&result);
    assert_string_equal(audit->verdict, "ok");
    result_free(&result);
}

static void published_rows_that_contradict_themselves_are_found(void **state)
{
    /* X a second, R, Z in ns, N; from the reviews' tables (Sysbench: 4 x 32 threads) */
    static const struct {
        uint64_t x, n;
        int64_t r_ns, z_ns;
        const char *verdict;
    } rows[] = {
        {12650, 60000, 2500000, 4740600000, "ok"},
        {12646, 60000, 126500000, 4742700000, "inconsistent"},
        {8646, 128, 14800000, 0, "ok"},
        {5485, 128, 23300000, 0, "ok"},
        {7879, 128, 23300000, 0, "inconsistent"},
    };
    struct result result;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct result_vm *vm;
        struct hist hist;

        sample_tpcc(&result, 1);
        vm = &result.vms[0];
        hist_init(&hist);
        for (uint64_t j = 0; j < rows[i].x; j++) {
            hist_record(&hist, rows[i].r_ns);
        }
        result_latency_of(&vm->response, &hist);
        vm->sample_until_ns = vm->sample_from_ns + 1000000000;
        vm->users = rows[i].n;
        vm->audit.think_mean_ns = (double)rows[i].z_ns;
        result_derive(&result);
        /* a second of 5,485 to 12,650 transactions cannot tell 2.6 %; the run had an hour */
        if (strcmp(vm->audit.verdict, "too short") == 0) {
            vm->response.count *= 3600;
            vm->sample_until_ns = vm->sample_from_ns + 3600000000000;
            result_derive(&result);
        }
        assert_string_equal(vm->audit.verdict, rows[i].verdict);
        result_free(&result);
    }
}

static void counts_that_do_not_add_up_fail_a_check(void **state)
{
    struct result result;

    sample_tpcc(&result, 2);
    assert_int_equal(result.run.exit_code, EXIT_FINE);
    result.vms[1].txns[2].due++;
    result_derive(&result);
    assert_int_equal(result.run.exit_code, EXIT_WANTING);
    result.vms[1].txns[2].failed++;
    result_derive(&result);
    assert_int_equal(result.run.exit_code, EXIT_FINE);
    result.aggregate.response.count--;
    result_derive(&result);
    assert_int_equal(result.run.exit_code, EXIT_WANTING);
    result_free(&result);
}

static void the_gravest_code_wins_in_the_order_of_the_table(void **state)
{
    static const enum exit_code order[] = {EXIT_FINE,       EXIT_INCONCLUSIVE, EXIT_WANTING,
                                           EXIT_INVALID,    EXIT_FAILED,       EXIT_INTERRUPTED,
                                           EXIT_WRONG_DATA, EXIT_USAGE};
    struct result result;
    char name[16];

    sample_tpcc(&result, 1);
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        snprintf(name, sizeof(name), "no. %zu", i);
        result_check(&result, name, "all", 0, 1, 0, false, order[i]);
        assert_int_equal(result_exit_code(&result), order[i]);
    }
    result_free(&result);

    sample_tpcc(&result, 1);
    snprintf(result.run.ended, sizeof(result.run.ended), "interrupted");
    assert_int_equal(result_exit_code(&result), EXIT_INTERRUPTED);
    snprintf(result.vms[0].ended, sizeof(result.vms[0].ended), "failed");
    assert_int_equal(result_exit_code(&result), EXIT_INTERRUPTED);
    result.vms[0].integrity.stamp_errors = 1;
    assert_int_equal(result_exit_code(&result), EXIT_WRONG_DATA);
    result.vms[0].integrity.stamp_errors = 0;
    snprintf(result.run.ended, sizeof(result.run.ended), "running");
    assert_int_equal(result_exit_code(&result), EXIT_FAILED); /* killed */
    result_free(&result);
}

static void io_errors_fail_the_measurement(void **state)
{
    struct result result;

    sample_tpcc(&result, 1);
    result.vms[0].ios[1].errors = 3;
    result_derive(&result);
    assert_int_equal(result.run.exit_code, EXIT_FAILED);
    assert_int_equal(result.aggregate.ios[1].errors, 3);
    result_free(&result);
}

static void warnings_are_kept_once_and_do_not_overflow(void **state)
{
    struct result result;

    sample_tpcc(&result, 1);
    result_warn(&result, "link below its maximum");
    result_warn(&result, "link below its maximum");
    assert_int_equal(result.warning_count, 1);
    for (int i = 0; i < 2 * RESULT_WARNINGS; i++) {
        result_warn(&result, "warning %d", i);
    }
    assert_int_equal(result.warning_count, RESULT_WARNINGS);
    assert_non_null(strstr(result.warnings[RESULT_WARNINGS - 1], "more warnings"));
    result_free(&result);
}

static void a_failed_check_is_never_crowded_out(void **state)
{
    struct result result;
    char name[16];

    sample_tpcc(&result, 1);
    for (int i = 0; i < 2 * RESULT_CHECKS; i++) {
        snprintf(name, sizeof(name), "check %d", i);
        result_check(&result, name, "vm0", 0, 0, 0, true, EXIT_WANTING);
    }
    result_check(&result, "the last", "vm0", 0, 1, 0, false, EXIT_WANTING);
    assert_int_equal(result.check_count, RESULT_CHECKS);
    assert_int_equal(result_exit_code(&result), EXIT_WANTING);
    result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(throughput_is_what_was_done_over_the_sample),
        cmocka_unit_test(the_aggregate_throughput_is_the_sum_of_the_vms),
        cmocka_unit_test(the_aggregate_has_sums_of_counts_and_merged_latencies),
        cmocka_unit_test(deriving_twice_gives_the_same),
        cmocka_unit_test(littles_law_is_judged_within_2_percent),
        cmocka_unit_test(long_cycles_prove_nothing_about_littles_law),
        cmocka_unit_test(users_under_way_at_the_end_are_not_missed),
        cmocka_unit_test(users_whose_work_is_done_are_not_missed),
        cmocka_unit_test(a_few_cycles_a_user_prove_nothing_about_littles_law),
        cmocka_unit_test(a_handful_of_transactions_proves_nothing_about_littles_law),
        cmocka_unit_test(published_rows_that_contradict_themselves_are_found),
        cmocka_unit_test(counts_that_do_not_add_up_fail_a_check),
        cmocka_unit_test(the_gravest_code_wins_in_the_order_of_the_table),
        cmocka_unit_test(io_errors_fail_the_measurement),
        cmocka_unit_test(warnings_are_kept_once_and_do_not_overflow),
        cmocka_unit_test(a_failed_check_is_never_crowded_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
