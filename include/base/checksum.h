/* base/checksum: CRC32C for pages, SHA-256 for documents. */
#ifndef RAWTPS_BASE_CHECKSUM_H
#define RAWTPS_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * CRC32C (Castagnoli, RFC 3720 B.4). Start with 0; the result may be carried on as the next seed:
 * crc32c(crc32c(0, a, n), b, m) is the checksum of a then b.
 *   cost    with SSE4.2 three streams of 8 bytes an instruction (found at start); else slicing by 8
 */
uint32_t crc32c(uint32_t seed, const void *data, size_t bytes);
/* The same by tables alone, whatever the processor. */
uint32_t crc32c_software(uint32_t seed, const void *data, size_t bytes);

/* SHA-256 (FIPS 180-4). */
struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
};
enum { SHA256_BYTES = 32, SHA256_HEX = 65 };

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *data, size_t bytes);
void sha256_finish(struct sha256 *sha, uint8_t ret[SHA256_BYTES]); /* sha is used up */
/* All at once, as 64 lower-case hexadecimal digits and a zero; returns ret. */
const char *sha256_hex(const void *data, size_t bytes, char ret[SHA256_HEX]);
const char *sha256_finish_hex(struct sha256 *sha, char ret[SHA256_HEX]);

#endif
