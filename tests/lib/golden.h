/* lib/golden: a text against the one that was blessed. */
#ifndef RAWTPS_TESTS_GOLDEN_H
#define RAWTPS_TESTS_GOLDEN_H

/*
 * Fails the cmocka test if `text` is not what $ROOT/tests/unit/golden/`name` holds, and prints the
 * first line that differs. With BLESS=1 the file is written instead.
 */
void golden_expect(const char *name, const char *text);

#endif
