#include "crc32c_fast.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>

/*
 * The instruction takes 3 cycles but may begin every cycle: three lanes side by side. 3 lanes of
 * 168 bytes are 504: a sector of 512 less a stamp is one turn.
 */
enum { LANE = 168 };

/* shift[i][b]: what byte i of a state becomes when LANE zero bytes follow it. */
static uint32_t shift[4][256];

static uint32_t over_lane(uint32_t crc)
{
    return shift[0][crc & 255] ^ shift[1][crc >> 8 & 255] ^ shift[2][crc >> 16 & 255] ^
           shift[3][crc >> 24];
}

static uint64_t load(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, 8);
    return word;
}

__attribute__((target("sse4.2"))) static uint32_t raw_fast(uint32_t crc, const uint8_t *at,
                                                           size_t bytes)
{
    uint64_t a = crc;

    for (; bytes >= 3 * LANE; bytes -= 3 * LANE, at += 3 * LANE) {
        uint64_t b = 0, c = 0;

        for (int i = 0; i < LANE; i += 8) {
            a = _mm_crc32_u64(a, load(at + i));
            b = _mm_crc32_u64(b, load(at + LANE + i));
            c = _mm_crc32_u64(c, load(at + 2 * LANE + i));
        }
        a = over_lane((uint32_t)a) ^ b;
        a = over_lane((uint32_t)a) ^ c;
    }
    for (; bytes >= 8; bytes -= 8, at += 8) {
        a = _mm_crc32_u64(a, load(at));
    }
    for (; bytes > 0; bytes--, at++) {
        a = _mm_crc32_u8((uint32_t)a, *at);
    }
    return (uint32_t)a;
}

crc32c_raw *crc32c_fast_prepare(crc32c_raw *software)
{
    static const uint8_t zeros[LANE];

    for (uint32_t i = 0; i < 4 * 256; i++) {
        shift[i / 256][i % 256] = software(i % 256 << 8 * (i / 256), zeros, LANE);
    }
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2") ? raw_fast : software;
}

#else

crc32c_raw *crc32c_fast_prepare(crc32c_raw *software)
{
    return software;
}

#endif
