#include "base/dist.h"
#include "base/must.h"

enum { ROUNDS = 4 };

void permutation_init(struct permutation *perm, uint64_t n, uint64_t key)
{
    uint32_t bits;

    must(n >= 1);
    bits = n <= 4 ? 2 : 64 - (uint32_t)__builtin_clzll(n - 1);
    *perm = (struct permutation){
        .n = n, .key = rng_hash(key), .left_bits = bits / 2, .right_bits = bits - bits / 2};
}

static uint64_t mix(const struct permutation *perm, uint64_t half, int round)
{
    uint64_t x = (half + rng_rotl(perm->key, 16 * round + 1)) * 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x >> 32;
}

/* One round of the network; a round undoes itself. Halves change places by parity, not by moving.
 */
static uint64_t turn(const struct permutation *perm, uint64_t x, int round)
{
    uint64_t right_mask = ((uint64_t)1 << perm->right_bits) - 1;
    uint64_t left_mask = ((uint64_t)1 << perm->left_bits) - 1;

    if (round % 2 == 0) {
        return x ^ ((mix(perm, x & right_mask, round) & left_mask) << perm->right_bits);
    }
    return x ^ (mix(perm, x >> perm->right_bits, round) & right_mask);
}

uint64_t permutation_at(const struct permutation *perm, uint64_t i)
{
    must(i < perm->n);
    do {
        for (int round = 0; round < ROUNDS; round++) {
            i = turn(perm, i, round);
        }
    } while (i >= perm->n);
    return i;
}

uint64_t permutation_inverse(const struct permutation *perm, uint64_t value)
{
    must(value < perm->n);
    do {
        for (int round = ROUNDS - 1; round >= 0; round--) {
            value = turn(perm, value, round);
        }
    } while (value >= perm->n);
    return value;
}
