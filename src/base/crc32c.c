#include "base/checksum.h"
#include "crc32c_fast.h"

#include <string.h>

/* The Castagnoli polynomial, reflected (RFC 3720 B.4). */
#define POLYNOMIAL 0x82f63b78u

/* Worked out once before main, read only afterwards. */
static uint32_t slices[8][256];
static crc32c_raw *raw;

static uint32_t raw_software(uint32_t crc, const uint8_t *at, size_t bytes)
{
    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t word;

        memcpy(&word, at, 8); /* little-endian */
        word ^= crc;
        crc = slices[7][word & 255] ^ slices[6][word >> 8 & 255] ^ slices[5][word >> 16 & 255] ^
              slices[4][word >> 24 & 255] ^ slices[3][word >> 32 & 255] ^
              slices[2][word >> 40 & 255] ^ slices[1][word >> 48 & 255] ^ slices[0][word >> 56];
    }
    for (; bytes > 0; bytes--, at++) {
        crc = crc >> 8 ^ slices[0][(crc ^ *at) & 255];
    }
    return crc;
}

__attribute__((constructor)) static void crc32c_prepare(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;

        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        }
        slices[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; i++) {
        for (int slice = 1; slice < 8; slice++) {
            uint32_t crc = slices[slice - 1][i];

            slices[slice][i] = crc >> 8 ^ slices[0][crc & 255];
        }
    }
    raw = crc32c_fast_prepare(raw_software);
}

uint32_t crc32c(uint32_t seed, const void *data, size_t bytes)
{
    return ~raw(~seed, data, bytes);
}

uint32_t crc32c_software(uint32_t seed, const void *data, size_t bytes)
{
    return ~raw_software(~seed, data, bytes);
}
