/*
 * rooms: engine plan target sql workload io stats base result
 * The engine against queueing theory: if due, begun, ended or the schedule were wrong, a user's
 * latencies would be too, on every drive.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/engine/user.h"
#include "../../src/engine/vm.h"
#include "base/dist.h"
#include "base/mem.h"

/* ---- a workload of one operation, and a target of k exponential servers, first come first served
 */

enum { WAITING = 4096 };
static const struct catalog_kind kinds[] = {{.name = "job", .share = 1}};
static const struct catalog catalog = {.name = "job", .kinds = kinds, .kind_count = 1};
static double think_mean_ns;

static const struct catalog *job_catalog(const struct workload *workload)
{
    return &catalog;
}

static void job_choose(struct workload *workload, uint32_t user, struct user_deck *deck,
                       struct rng *rng, struct txn *txn, struct pause *pause)
{
    txn->step = 0;
    *pause = (struct pause){0};
    pause->think_ns = think_mean_ns > 0 ? (int64_t)dist_exponential(rng, think_mean_ns) : 0;
}

static bool job_next(struct workload *workload, struct txn *txn, struct op *op)
{
    op->verb = OP_READ;
    return txn->step++ == 0;
}

static void job_ended(struct workload *workload, const struct txn *txn, bool rolled_back)
{
}

static const struct workload_ops job_ops = {
    .catalog = job_catalog, .choose = job_choose, .next = job_next, .ended = job_ended};

struct server {
    struct timer timer;
    struct op *op;
};

struct servers {
    struct target target;
    struct loop *loop;
    struct rng rng;
    double service_mean_ns;
    struct server servers[8];
    uint32_t count;
    uint32_t fails_one_in; /* 0: none */
    struct op *queue[WAITING];
    uint32_t from, waiting;
};

static struct servers *the_servers;

static void serve(struct servers *s, struct server *server, struct op *op)
{
    server->op = op;
    loop_arm(s->loop, &server->timer,
             s->loop->now_ns + (int64_t)dist_exponential(&s->rng, s->service_mean_ns));
}

static void served(struct timer *timer)
{
    struct server *server = (struct server *)timer;
    struct servers *s = the_servers;
    struct op *op = server->op;

    server->op = NULL;
    if (s->fails_one_in > 0 && rng_below(&s->rng, s->fails_one_in) == 0) {
        op->status = OP_FAILED;
    }
    if (s->waiting > 0) {
        struct op *next = s->queue[s->from];

        s->from = (s->from + 1) % WAITING;
        s->waiting--;
        serve(s, server, next);
    }
    op->done(op);
}

static bool servers_begin(struct target *target, uint32_t session, struct op *op)
{
    struct servers *s = (struct servers *)target;

    for (uint32_t i = 0; i < s->count; i++) {
        if (s->servers[i].op == NULL) {
            serve(s, &s->servers[i], op);
            return false;
        }
    }
    assert_true(s->waiting < WAITING);
    s->queue[(s->from + s->waiting++) % WAITING] = op;
    return false;
}

static const struct target_ops servers_ops = {.name = "servers", .begin = servers_begin};

/* ---- the bench ------------------------------------------------------------------------------- */

struct bench {
    struct loop loop;
    struct workload workload;
    struct servers servers;
    struct vm *vm;
};

static void bench_open(struct bench *b, uint32_t users, uint32_t servers, double service_ns)
{
    struct error err;
    static struct plan_vm plan;

    memset(b, 0, sizeof(*b));
    assert_int_equal(loop_virtual_open(&b->loop, users * 2 + 64, &err), 0);
    b->workload.ops = &job_ops;
    b->servers = (struct servers){.target = {.ops = &servers_ops},
                                  .loop = &b->loop,
                                  .service_mean_ns = service_ns,
                                  .count = servers};
    rng_init(&b->servers.rng, 7, 1);
    for (uint32_t i = 0; i < servers; i++) {
        b->servers.servers[i].timer.fire = served;
    }
    the_servers = &b->servers;
    b->vm = mem_zalloc(sizeof(struct vm) + users * sizeof(struct user));
    b->vm->plan = &plan;
    b->vm->loop = &b->loop;
    b->vm->workload = &b->workload;
    b->vm->catalog = &catalog;
    b->vm->target = &b->servers.target;
    b->vm->user_count = users;
    b->vm->work_left = UINT64_MAX;
    b->vm->deferred_kind = 1;
    rng_init(&b->vm->arrivals, 11, 2);
    assert_int_equal(record_init(&b->vm->current, 1, &err), 0);
    for (uint32_t id = 0; id < users; id++) {
        user_init(&b->vm->users[id], id, false, 5, id);
    }
}

static const struct kind_record *bench_run(struct bench *b, int64_t warm_ns, int64_t sample_ns)
{
    vm_start(b->vm);
    loop_run(&b->loop, warm_ns);
    record_reset(&b->vm->current);
    loop_run(&b->loop, warm_ns + sample_ns);
    return &b->vm->current.kinds[0];
}

static void bench_close(struct bench *b)
{
    record_free(&b->vm->current);
    mem_free(b->vm);
    loop_close(&b->loop);
}

static void within(const char *what, double found, double expected, double tolerance)
{
    print_message("%s: found %.6g, theory %.6g (%+.2f %%)\n", what, found, expected,
                  100 * (found / expected - 1));
    assert_true(fabs(found / expected - 1) <= tolerance);
}

/* P(an arrival waits) in M/M/k (Erlang 1917). */
static double erlang_c(uint32_t k, double a)
{
    double term = 1, sum = 1;

    for (uint32_t i = 1; i < k; i++) {
        term *= a / i;
        sum += term;
    }
    term *= a / k;
    return term / (1 - a / k) / (sum + term / (1 - a / k));
}

/* P(response > t) in M/M/k, first come first served. */
static double mmk_tail(uint32_t k, double lambda, double mu, double t)
{
    double c = erlang_c(k, lambda / mu), rate = k * mu - lambda;

    if (fabs(rate - mu) < mu * 1e-9) {
        return exp(-mu * t) * (1 + c * mu * t);
    }
    return exp(-mu * t) + c * mu / (rate - mu) * (exp(-mu * t) - exp(-rate * t));
}

static double mmk_quantile(uint32_t k, double lambda, double mu, double share)
{
    double low = 0, high = 1e12;

    while (high - low > 1e-6 * high) {
        double middle = (low + high) / 2;

        if (mmk_tail(k, lambda, mu, middle) > 1 - share) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

static void open_loop(uint32_t k, double load)
{
    struct bench b;
    const double service_ns = 40000, mu = 1 / service_ns, lambda = load * k * mu;
    const struct kind_record *kind;

    bench_open(&b, 3000, k, service_ns);
    think_mean_ns = 0;
    b.vm->poisson = true;
    b.vm->rate_gap_ns = 1 / lambda;
    kind = bench_run(&b, 1000000000ll, (int64_t)(6e6 / lambda));
    within("mean", hist_mean(&kind->response),
           service_ns + erlang_c(k, lambda / mu) / (k * mu - lambda), 0.02);
    within("p99", (double)hist_quantile(&kind->response, 0.99), mmk_quantile(k, lambda, mu, 0.99),
           0.02);
    within("rate", (double)kind->done, 6e6, 0.005);
    bench_close(&b);
}

static void test_mm1_mean_and_p99(void **state)
{
    open_loop(1, 0.8);
}

static void test_mm4_mean_and_p99(void **state)
{
    open_loop(4, 0.8);
}

/* Closed: N users think and ask one server (machine repair; exact mean value analysis). */
static void test_machine_repair(void **state)
{
    struct bench b;
    const uint32_t n = 50;
    const double service_ns = 40000, think_ns = 1600000;
    const struct kind_record *kind;
    double queue = 0, response = 0, rate = 0;

    for (uint32_t i = 1; i <= n; i++) {
        response = service_ns * (1 + queue);
        rate = i / (response + think_ns);
        queue = rate * response;
    }
    think_mean_ns = think_ns;
    bench_open(&b, n, 1, service_ns);
    kind = bench_run(&b, 1000000000ll, 100000000000ll);
    within("response", hist_mean(&kind->response), response, 0.02);
    within("throughput", (double)kind->done / 1e11, rate, 0.02);
    within("N = X(R+Z)",
           (double)kind->done / 1e11 *
               (hist_mean(&kind->response) + (double)kind->pause_ns / (double)kind->done),
           n, 0.005);
    bench_close(&b);
}

/* A failed transaction has no response time, but its user was busy with it. */
static void test_users_of_failed_transactions_are_not_missed(void **state)
{
    struct bench b;
    const uint32_t n = 50;
    const struct kind_record *kind;

    think_mean_ns = 400000;
    bench_open(&b, n, 1, 40000);
    b.servers.fails_one_in = 5;
    kind = bench_run(&b, 1000000000ll, 10000000000ll);
    assert_true(kind->failed > 10000);
    within("N = X(R+Z)",
           (double)kind->done / 1e10 *
               (hist_mean(&kind->response) + (double)kind->pause_ns / (double)kind->done),
           n, 0.005);
    bench_close(&b);
}

/* All that was asked for is done, by users who think too, and the clock stops with the last. */
static void test_work_ends_with_its_last_transaction(void **state)
{
    static const double thinks_ns[] = {0, 1e6, 1e9};

    for (int i = 0; i < 3; i++) {
        for (uint64_t work = 1; work <= 1000; work *= 10) {
            struct bench b;
            int64_t over_ns;

            think_mean_ns = thinks_ns[i];
            bench_open(&b, 50, 1, 40000);
            b.vm->work_left = work;
            vm_start(b.vm);
            loop_run(&b.loop, INT64_MAX);
            over_ns = b.loop.now_ns;
            assert_true(b.loop.stop);
            assert_int_equal(b.vm->current.kinds[0].done, work);
            assert_int_equal(b.vm->promised, 0);
            b.loop.stop = false;
            loop_run(&b.loop, INT64_MAX);
            assert_int_equal(b.loop.now_ns, over_ns);
            assert_int_equal(b.vm->current.kinds[0].done, work);
            bench_close(&b);
        }
    }
}

/* Late service must show: due times come from the schedule, not from when a user was free. */
static void test_latency_counts_from_due(void **state)
{
    struct bench b;
    const struct kind_record *kind;

    think_mean_ns = 0;
    bench_open(&b, 1, 1, 1000000); /* one user, 1 ms of service, asked for twice a millisecond */
    b.vm->rate_gap_ns = 500000;
    kind = bench_run(&b, 0, 1000000000ll);
    assert_true(hist_mean(&kind->service) < 1.3e6);
    assert_true(hist_mean(&kind->response) > 200e6); /* grows to 500 ms; half on average */
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mm1_mean_and_p99),
        cmocka_unit_test(test_mm4_mean_and_p99),
        cmocka_unit_test(test_machine_repair),
        cmocka_unit_test(test_users_of_failed_transactions_are_not_missed),
        cmocka_unit_test(test_work_ends_with_its_last_transaction),
        cmocka_unit_test(test_latency_counts_from_due),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
