#include "base/rng.h"

void rng_init(struct rng *rng, uint64_t seed, uint64_t stream)
{
    /* for one seed each word is a bijection of the stream: no two streams share a word */
    for (uint64_t i = 0; i < 4; i++) {
        rng->s[i] = rng_hash(rng_hash(seed + i * 0x9e3779b97f4a7c15u) + stream);
    }
    if ((rng->s[0] | rng->s[1] | rng->s[2] | rng->s[3]) == 0) {
        rng->s[0] = 1; /* the one state that xoshiro cannot leave */
    }
}
