/* base/rng: dice that give the same numbers everywhere (xoshiro256++, Blackman and Vigna 2019). */
#ifndef RAWTPS_BASE_RNG_H
#define RAWTPS_BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t s[4];
};

/*
 * Start a stream. Equal (seed, stream) give equal numbers; different streams of one seed are
 * independent (each word of state is a splitmix64 output of seed and stream).
 */
void rng_init(struct rng *rng, uint64_t seed, uint64_t stream);

static inline uint64_t rng_rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_u64(struct rng *rng)
{
    uint64_t *s = rng->s, ret = rng_rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rng_rotl(s[3], 45);
    return ret;
}

/* Uniform in [0, n), n >= 1, without modulo bias (Lemire 2019). */
static inline uint64_t rng_below(struct rng *rng, uint64_t n)
{
    __uint128_t m = (__uint128_t)rng_u64(rng) * n;

    if ((uint64_t)m < n) {
        uint64_t floor = -n % n;

        while ((uint64_t)m < floor) {
            m = (__uint128_t)rng_u64(rng) * n;
        }
    }
    return (uint64_t)(m >> 64);
}

/* Uniform in [x, y], both included. */
static inline int64_t rng_between(struct rng *rng, int64_t x, int64_t y)
{
    return x + (int64_t)rng_below(rng, (uint64_t)(y - x) + 1);
}

/* Uniform in [0, 1), 53 bits. */
static inline double rng_unit(struct rng *rng)
{
    return (double)(rng_u64(rng) >> 11) * 0x1p-53;
}

/* Uniform in (0, 1]: safe to take the logarithm of. */
static inline double rng_unit_open(struct rng *rng)
{
    return (double)((rng_u64(rng) >> 11) + 1) * 0x1p-53;
}

/* A 64-bit hash of x (splitmix64's finalizer): chance as a function of a key. */
static inline uint64_t rng_hash(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

#endif
