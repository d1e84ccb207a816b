/* target/model_cpu: the virtual cores of a VM: FIFO servers for bursts of computing. */
#ifndef RAWTPS_TARGET_MODEL_CPU_H
#define RAWTPS_TARGET_MODEL_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/rng.h"
#include "io/loop.h"

/* Factors with mean 1, so that a draw costs a table look-up. */
enum { CPU_FACTORS = 4096 };
struct cpu_factors {
    float body[CPU_FACTORS]; /* lognormal quantiles, at the middle of equal shares */
    uint64_t tail_below;     /* a 64-bit draw below: the tail */
    float tail_factor;
};

struct cpu_core {
    struct timer timer;
    struct model_cpu *cpu;
    int64_t began_ns;
    uint32_t session; /* CPU_IDLE if none */
};
#define CPU_IDLE 0xffffffffu

struct model_cpu {
    struct loop *loop;
    struct cpu_core *cores;
    uint32_t core_count, busy;
    uint32_t *next; /* the caller's: a link for each session, `stride` words apart */
    uint32_t stride, first, last;
    int64_t busy_ns;
    int64_t (*length)(struct model_cpu *, uint32_t session); /* of the burst that now begins */
    void (*done)(struct model_cpu *, uint32_t session);
    void *owner;
};

/*
 * next, stride: where a session keeps its link: next[session * stride].
 * Errors: -ENOMEM.
 */
int cpu_open(struct model_cpu *cpu, struct loop *loop, uint32_t cores, uint32_t *next,
             uint32_t stride, struct error *err);
void cpu_close(struct model_cpu *cpu);
/* A burst; done() comes from a later turn of the loop. */
void cpu_run(struct model_cpu *cpu, uint32_t session);
int64_t cpu_busy_ns(const struct model_cpu *cpu); /* of all cores, up to now */

/*
 * Lognormal of `sigma`, and a share `tail_share` of draws times tail_factor (MODEL.md 7.2); scaled
 * so that the mean of all is 1.
 */
void cpu_factors_init(struct cpu_factors *factors, double sigma, double tail_share,
                      double tail_factor);
static inline float cpu_factor(const struct cpu_factors *factors, struct rng *rng)
{
    uint64_t r = rng_u64(rng);
    float body = factors->body[r % CPU_FACTORS];

    return __builtin_expect(r < factors->tail_below, 0) ? body * factors->tail_factor : body;
}

#endif
