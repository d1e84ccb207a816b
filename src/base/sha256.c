#include "base/checksum.h"

#include <string.h>

/* FIPS 180-4, 4.2.2: the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void put_be(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
    }
}

/* FIPS 180-4, 6.2.2 */
static void add_block(struct sha256 *sha, const uint8_t *block)
{
    uint32_t w[64], v[8];

    for (int t = 0; t < 16; t++) {
        const uint8_t *at = block + 4 * t;

        w[t] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    }
    for (int t = 16; t < 64; t++) {
        uint32_t x = w[t - 15], y = w[t - 2];

        w[t] = w[t - 16] + (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[t - 7] +
               (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
    }
    memcpy(v, sha->state, sizeof(v));
    /* the eight variables change names by turning the index, not by moving */
    for (unsigned t = 0; t < 64; t++) {
        uint32_t *a = &v[-t & 7], *d = &v[(3 - t) & 7], *h = &v[(7 - t) & 7];
        uint32_t b = v[(1 - t) & 7], c = v[(2 - t) & 7], e = v[(4 - t) & 7];
        uint32_t t1 = *h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
                      ((e & v[(5 - t) & 7]) ^ (~e & v[(6 - t) & 7])) + rounds[t] + w[t];

        *d += t1;
        *h = t1 + (rotr(*a, 2) ^ rotr(*a, 13) ^ rotr(*a, 22)) + ((*a & b) ^ (*a & c) ^ (b & c));
    }
    for (int i = 0; i < 8; i++) {
        sha->state[i] += v[i];
    }
}

void sha256_init(struct sha256 *sha)
{
    /* FIPS 180-4, 5.3.3: the square roots of the first 8 primes */
    *sha = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                     0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *sha, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    size_t used = sha->bytes % 64;

    sha->bytes += bytes;
    while (bytes > 0) {
        size_t part = 64 - used < bytes ? 64 - used : bytes;

        if (part == 64) {
            add_block(sha, at);
        } else {
            memcpy(sha->block + used, at, part);
            used += part;
            if (used == 64) {
                add_block(sha, sha->block);
                used = 0;
            }
        }
        at += part;
        bytes -= part;
    }
}

void sha256_finish(struct sha256 *sha, uint8_t ret[SHA256_BYTES])
{
    uint8_t end[72] = {0x80};
    size_t used = sha->bytes % 64, pad = (used < 56 ? 56 : 120) - used;

    put_be(end + pad, sha->bytes * 8, 8);
    sha256_add(sha, end, pad + 8);
    for (int i = 0; i < 8; i++) {
        put_be(ret + 4 * i, sha->state[i], 4);
    }
}

const char *sha256_finish_hex(struct sha256 *sha, char ret[SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t sum[SHA256_BYTES];

    sha256_finish(sha, sum);
    for (int i = 0; i < SHA256_BYTES; i++) {
        ret[2 * i] = digits[sum[i] >> 4];
        ret[2 * i + 1] = digits[sum[i] & 15];
    }
    ret[2 * SHA256_BYTES] = '\0';
    return ret;
}

const char *sha256_hex(const void *data, size_t bytes, char ret[SHA256_HEX])
{
    struct sha256 sha;

    sha256_init(&sha);
    sha256_add(&sha, data, bytes);
    return sha256_finish_hex(&sha, ret);
}
