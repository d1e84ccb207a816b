/* rooms: base trace io target */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/target/model_cpu.h"
#include "../../src/target/model_log.h"
#include "base/dist.h"
#include "base/mem.h"
#include "io/drive_types.h"

#define SECOND_NS 1000000000ll

/* ---- group commit ------------------------------------------------------------------------------
 */

enum { FLUSH_NS = 500000, COMMITS = 200000 };

struct committer {
    struct loop loop;
    struct drive *null;
    struct model_log log;
    struct timer timer;
    struct rng rng;
    double mean_gap_ns;
    uint32_t left;
    uint64_t before, groups;
};

static void commit_fire(struct timer *timer)
{
    struct committer *c = (struct committer *)((char *)timer - offsetof(struct committer, timer));

    log_want(&c->log, log_append(&c->log, 64));
    if (--c->left > 0) {
        loop_arm(&c->loop, timer,
                 c->loop.now_ns + (int64_t)dist_exponential(&c->rng, c->mean_gap_ns));
    }
}

static void on_advanced(struct model_log *log)
{
    struct committer *c = log->owner;

    c->groups += log->durable > c->before;
    c->before = log->durable;
}

/*
 * Poisson commits, a = commits during one group: the next group is what came meanwhile, or the
 * next one alone: E max(1, N) = a + exp(-a).
 */
static double mean_group(double a)
{
    static struct committer c;
    struct error err;
    struct log_settings settings = {
        .offset = 0,
        .capacity_bytes = 1 << 24,
        .block_bytes = 512,
        .write_bytes = 1 << 20,
        .depth = 1,
        .sync = true,
        .rewrite_last = true,
    };

    memset(&c, 0, sizeof(c));
    assert_int_equal(loop_virtual_open(&c.loop, 64, &err), 0);
    c.null = drive_null_open(&c.loop, 1 << 24, FLUSH_NS, &err); /* a write, then a flush */
    assert_int_equal(log_open(&c.log, &settings, c.null, NULL, 1, &err), 0);
    c.log.advanced = on_advanced;
    c.log.owner = &c;
    c.left = COMMITS;
    c.mean_gap_ns = 2.0 * FLUSH_NS / a;
    c.timer.fire = commit_fire;
    rng_init(&c.rng, 3, (uint64_t)(a * 100));
    loop_arm(&c.loop, &c.timer, 0);
    loop_run(&c.loop, INT64_MAX / 2);
    assert_int_equal(c.log.durable, c.log.lsn);
    log_close(&c.log);
    drive_close(c.null);
    loop_close(&c.loop);
    return (double)COMMITS / (double)c.groups;
}

static void test_group_commit_is_as_large_as_theory_says(void **state)
{
    static const double loads[] = {0.1, 0.5, 1, 3, 10, 40};

    for (uint32_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        double expected = loads[i] + exp(-loads[i]), found = mean_group(loads[i]);

        if (fabs(found / expected - 1) > 0.02) {
            fail_msg("load %.1f: groups of %.3f, theory %.3f", loads[i], found, expected);
        }
    }
}

/* ---- cores -------------------------------------------------------------------------------------
 */

enum { JOBS = 1000000, LINKS = 4096 };

struct station {
    struct loop loop;
    struct model_cpu cpu;
    struct timer timer;
    struct rng rng;
    uint32_t next[LINKS], free[LINKS], free_count, left;
    int64_t came_ns[LINKS];
    double gap_ns, length_ns, sum_ns;
    double *response_ns;
    uint32_t done;
};

static int64_t job_length(struct model_cpu *cpu, uint32_t session)
{
    struct station *s = cpu->owner;

    return (int64_t)dist_exponential(&s->rng, s->length_ns);
}

static void job_done(struct model_cpu *cpu, uint32_t session)
{
    struct station *s = cpu->owner;

    s->response_ns[s->done++] = (double)(s->loop.now_ns - s->came_ns[session]);
    s->sum_ns += s->response_ns[s->done - 1];
    s->free[s->free_count++] = session;
}

static void job_fire(struct timer *timer)
{
    struct station *s = (struct station *)((char *)timer - offsetof(struct station, timer));
    uint32_t session = s->free[--s->free_count];

    s->came_ns[session] = s->loop.now_ns;
    cpu_run(&s->cpu, session);
    if (--s->left > 0) {
        loop_arm(&s->loop, timer, s->loop.now_ns + (int64_t)dist_exponential(&s->rng, s->gap_ns));
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void run_station(uint32_t cores, double load, double *ret_mean, double *ret_p99)
{
    struct station *s = mem_zalloc(sizeof(*s));
    struct error err;

    assert_int_equal(loop_virtual_open(&s->loop, 256, &err), 0);
    assert_int_equal(cpu_open(&s->cpu, &s->loop, cores, s->next, 1, &err), 0);
    s->cpu.length = job_length;
    s->cpu.done = job_done;
    s->cpu.owner = s;
    s->response_ns = mem_array(JOBS, sizeof(double));
    s->left = JOBS;
    s->length_ns = 1e6;
    s->gap_ns = 1e6 / cores / load;
    s->timer.fire = job_fire;
    for (uint32_t i = 0; i < LINKS; i++) {
        s->free[s->free_count++] = i;
    }
    rng_init(&s->rng, 11, cores);
    loop_arm(&s->loop, &s->timer, 0);
    loop_run(&s->loop, INT64_MAX / 2);
    assert_int_equal(s->done, JOBS);
    assert_int_equal(s->cpu.busy, 0);
    *ret_mean = s->sum_ns / JOBS;
    qsort(s->response_ns, JOBS, sizeof(double), by_value);
    *ret_p99 = s->response_ns[JOBS / 100 * 99];
    mem_free(s->response_ns);
    cpu_close(&s->cpu);
    loop_close(&s->loop);
    mem_free(s);
}

/* M/M/1: responses are exponential with mean 1 / (mu - lambda). */
static void test_one_core_queues_as_theory_says(void **state)
{
    double mean, p99, expected = 1e6 / (1 - 0.5);

    run_station(1, 0.5, &mean, &p99);
    assert_true(fabs(mean / expected - 1) < 0.02);
    assert_true(fabs(p99 / (expected * log(100)) - 1) < 0.02);
}

/* M/M/4 at 0.7: waiting by Erlang C (0.4287), 0.357 of a service time. */
static void test_four_cores_queue_as_theory_says(void **state)
{
    double mean, p99, a = 2.8, sum = 1 + a + a * a / 2 + a * a * a / 6, last = a * a * a * a / 24;
    double waits = last / 0.3 / (sum + last / 0.3), expected = 1e6 * (1 + waits / (4 * 0.3));

    run_station(4, 0.7, &mean, &p99);
    assert_true(fabs(mean / expected - 1) < 0.02);
}

/* ---- lengths of bursts -------------------------------------------------------------------------
 */

/* MODEL.md 7.2: the median is 0.766 of the mean, and one burst in a hundred is ten times longer. */
static void test_factors_have_mean_one_and_the_median_of_the_model(void **state)
{
    static struct cpu_factors factors;
    struct rng rng;
    double sum = 0, *draws = mem_array(JOBS, sizeof(double));
    uint32_t tail = 0;

    cpu_factors_init(&factors, 0.6, 0.01, 10);
    rng_init(&rng, 1, 1);
    for (uint32_t i = 0; i < JOBS; i++) {
        sum += draws[i] = (double)cpu_factor(&factors, &rng);
        tail += draws[i] > 6;
    }
    qsort(draws, JOBS, sizeof(double), by_value);
    assert_true(fabs(sum / JOBS - 1) < 0.01);
    assert_true(fabs(draws[JOBS / 2] - 0.766 * 1.01) < 0.01);
    assert_true(tail > JOBS / 250 && tail < JOBS / 100);
    mem_free(draws);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_group_commit_is_as_large_as_theory_says),
        cmocka_unit_test(test_one_core_queues_as_theory_says),
        cmocka_unit_test(test_four_cores_queue_as_theory_says),
        cmocka_unit_test(test_factors_have_mean_one_and_the_median_of_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
