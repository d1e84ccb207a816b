/* base/crc32c_fast: CRC32C by the processor's own instruction, where it has one. */
#ifndef RAWTPS_BASE_CRC32C_FAST_H
#define RAWTPS_BASE_CRC32C_FAST_H

#include <stddef.h>
#include <stdint.h>

/* On a state that is not inverted. */
typedef uint32_t crc32c_raw(uint32_t crc, const uint8_t *at, size_t bytes);

/* Work out its tables with the help of `software`; gives what should be used. Before main only. */
crc32c_raw *crc32c_fast_prepare(crc32c_raw *software);

#endif
