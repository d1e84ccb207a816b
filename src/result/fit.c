#include "fit.h"

#include "base/checksum.h"
#include "base/must.h"
#include <stdio.h>
#include <string.h>

enum { TAIL_BYTES = 12 }; /* "...@" and 8 digits */

const char *fit_words(char *ret, size_t size, const char *whole)
{
    size_t length = strlen(whole), kept = size - 1 - TAIL_BYTES;
    char sha[SHA256_HEX];

    must(size >= 32);
    if (length < size) {
        memmove(ret, whole, length + 1);
        return ret;
    }
    while (kept > 0 && ((unsigned char)whole[kept] & 0xc0) == 0x80) {
        kept--;
    }
    sha256_hex(whole, length, sha);
    memmove(ret, whole, kept);
    snprintf(ret + kept, size - kept, "...@%.8s", sha);
    return ret;
}
