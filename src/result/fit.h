/* result/fit: words that are too long for their place, cut so that they stay told apart. */
#ifndef RAWTPS_RESULT_FIT_H
#define RAWTPS_RESULT_FIT_H

#include <stddef.h>

/*
 * Copy `whole` into `size` bytes (32 or more), its end included. What does not fit ends in "...@"
 * and the beginning of its checksum, so that other words stay other words; no character of UTF-8 is
 * cut in two. Returns ret.
 */
const char *fit_words(char *ret, size_t size, const char *whole);

#endif
