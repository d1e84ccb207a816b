#include "model_cpu.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/dist.h"
#include "base/mem.h"
#include "base/must.h"

int cpu_open(struct model_cpu *cpu, struct loop *loop, uint32_t cores, uint32_t *next,
             uint32_t stride, struct error *err)
{
    memset(cpu, 0, sizeof(*cpu));
    must(cores >= 1);
    cpu->cores = mem_array(cores, sizeof(*cpu->cores));
    if (cpu->cores == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u cores", cores);
    }
    for (uint32_t i = 0; i < cores; i++) {
        cpu->cores[i].cpu = cpu;
        cpu->cores[i].session = CPU_IDLE;
    }
    cpu->loop = loop;
    cpu->core_count = cores;
    cpu->next = next;
    cpu->stride = stride;
    cpu->first = cpu->last = CPU_IDLE;
    return 0;
}

void cpu_close(struct model_cpu *cpu)
{
    for (uint32_t i = 0; cpu->cores && i < cpu->core_count; i++) {
        loop_disarm(cpu->loop, &cpu->cores[i].timer);
    }
    mem_free(cpu->cores);
    cpu->cores = NULL;
}

static void core_fire(struct timer *timer);

static void core_begin(struct cpu_core *core, uint32_t session)
{
    struct model_cpu *cpu = core->cpu;
    int64_t length_ns = cpu->length(cpu, session);

    must(length_ns >= 0);
    core->session = session;
    core->began_ns = cpu->loop->now_ns;
    core->timer.fire = core_fire;
    loop_arm(cpu->loop, &core->timer, cpu->loop->now_ns + length_ns);
}

/* The next in the queue begins before the one that is done goes on: he may want the core again. */
static void core_fire(struct timer *timer)
{
    struct cpu_core *core = (struct cpu_core *)timer;
    struct model_cpu *cpu = core->cpu;
    uint32_t session = core->session, first = cpu->first;

    cpu->busy_ns += cpu->loop->now_ns - core->began_ns;
    core->session = CPU_IDLE;
    if (first == CPU_IDLE) {
        cpu->busy--;
    } else {
        cpu->first = first == cpu->last ? CPU_IDLE : cpu->next[(uint64_t)first * cpu->stride];
        core_begin(core, first);
    }
    cpu->done(cpu, session);
}

void cpu_run(struct model_cpu *cpu, uint32_t session)
{
    uint32_t i = 0;

    if (cpu->busy == cpu->core_count) {
        if (cpu->first == CPU_IDLE) {
            cpu->first = session;
        } else {
            cpu->next[(uint64_t)cpu->last * cpu->stride] = session;
        }
        cpu->last = session;
        return;
    }
    while (cpu->cores[i].session != CPU_IDLE) {
        i++;
    }
    cpu->busy++;
    core_begin(&cpu->cores[i], session);
}

int64_t cpu_busy_ns(const struct model_cpu *cpu)
{
    int64_t sum = cpu->busy_ns;

    for (uint32_t i = 0; i < cpu->core_count; i++) {
        if (cpu->cores[i].session != CPU_IDLE) {
            sum += cpu->loop->now_ns - cpu->cores[i].began_ns;
        }
    }
    return sum;
}

/* Quantiles of the normal distribution by summing its density in steps of 1/1024. */
void cpu_factors_init(struct cpu_factors *factors, double sigma, double tail_share,
                      double tail_factor)
{
    const double step = 1.0 / 1024, density = 0.3989422804014327; /* 1 / sqrt(2 pi) */
    double p = 0, sum = 0, z = -8;
    uint32_t i = 0;

    while (i < CPU_FACTORS) {
        p += density * dist_exp(-z * z / 2) * step;
        z += step;
        while (i < CPU_FACTORS && (p * CPU_FACTORS >= i + 0.5 || z > 8)) {
            double x = dist_exp(sigma * z);

            factors->body[i++] = (float)x;
            sum += (double)(float)x;
        }
    }
    double scale = CPU_FACTORS / sum / (1 + tail_share * (tail_factor - 1));

    for (i = 0; i < CPU_FACTORS; i++) {
        factors->body[i] = (float)(factors->body[i] * scale);
    }
    /* the high bits of a draw tell the tail, the low ones the quantile */
    factors->tail_below = (uint64_t)(tail_share * 18446744073709549568.0);
    factors->tail_factor = (float)tail_factor;
}
