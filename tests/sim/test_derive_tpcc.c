/* limit: 120
 * The laboratory's TPC-C test, made smaller: what the standard and Little's law demand of every VM.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/run.h"

#define LITTLE 0.005

static struct result result;

static int run_once(void **state)
{
    static const char *const sets[] = {"phases.settle=20s"};
    struct plan_request request = {.scenario = "tpcc-1500-4vm",
                                   .virtual_time = true,
                                   .scale = "1/100",
                                   .sample = "10m",
                                   .sets = sets,
                                   .set_count = 1};
    struct run_options options = {.no_files = true};
    struct plan *plan = mem_zalloc(sizeof(*plan));
    struct error err = {0};
    int rc = plan_build(plan, &request, &err);

    rc = rc == 0 ? run_plan(plan, &options, &result, NULL, &err) : rc;
    if (rc < 0) {
        print_error("%s\n", err.text);
    }
    plan_free(plan);
    mem_free(plan);
    return rc;
}

static int free_result(void **state)
{
    result_free(&result);
    return 0;
}

static void it_is_complete_and_every_check_holds(void **state)
{
    assert_string_equal(result.run.ended, "complete");
    assert_int_equal(result.run.exit_code, EXIT_FINE);
    assert_int_equal(result.vm_count, 4);
    assert_int_equal(result.aggregate.failed, 0);
}

/* TPC-C 5.11, clause 5.2.3: at least 43 % Payment, 4 % each of the other three. */
static void the_mix_is_within_the_standards_bounds(void **state)
{
    static const struct {
        const char *kind;
        double least;
    } bounds[] = {
        {"new_order", 0},   {"payment", 0.43},     {"order_status", 0.04},
        {"delivery", 0.04}, {"stock_level", 0.04},
    };

    for (uint32_t i = 0; i < result.vm_count; i++) {
        const struct result_vm *vm = &result.vms[i];
        double all = (double)(vm->done + vm->rolled_back), sum = 0;

        assert_true(all > 10000);
        for (uint32_t k = 0; k < 5; k++) {
            const struct result_txn *txn = &vm->txns[k];
            double share = (double)(txn->done + txn->rolled_back) / all;

            assert_string_equal(txn->kind, bounds[k].kind);
            if (share < bounds[k].least) {
                fail_msg("%s: %.2f %% %s", vm->name, share * 100, txn->kind);
            }
            sum += share;
        }
        assert_true(fabs(sum - 1) < 1e-9);
        /* clause 2.4.1.4: 1 % of New-Orders are rolled back; within 5 standard deviations */
        all = (double)(vm->txns[0].done + vm->txns[0].rolled_back);
        assert_true(fabs((double)vm->txns[0].rolled_back - 0.01 * all) < 5 * sqrt(0.01 * all));
    }
}

static void users_are_throughput_times_response_and_think_time(void **state)
{
    for (uint32_t i = 0; i <= result.vm_count; i++) {
        const struct result_vm *vm = i < result.vm_count ? &result.vms[i] : &result.aggregate;
        double seconds = (double)(vm->sample_until_ns - vm->sample_from_ns) / 1e9;
        double x = (double)(vm->done + vm->rolled_back) / seconds;
        double n = x * (vm->response.mean_ns + vm->audit.think_mean_ns) / 1e9;

        print_message("# %s: N = %.2f of %llu, TPS %.2f, R %.2f ms, Z %.3f s\n", vm->name, n,
                      (unsigned long long)vm->users, vm->tps, vm->response.mean_ns / 1e6,
                      vm->audit.think_mean_ns / 1e9);
        assert_true(fabs(n / (double)vm->users - 1) <= LITTLE);
        assert_true(fabs(vm->audit.think_mean_ns / 4.743e9 - 1) < 0.02);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_complete_and_every_check_holds),
        cmocka_unit_test(the_mix_is_within_the_standards_bounds),
        cmocka_unit_test(users_are_throughput_times_response_and_think_time),
    };

    return cmocka_run_group_tests(tests, run_once, free_result);
}
