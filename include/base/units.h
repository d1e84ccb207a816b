/* base/units: numbers as people write them, and back. */
#ifndef RAWTPS_BASE_UNITS_H
#define RAWTPS_BASE_UNITS_H

#include "base/error.h"
#include <stddef.h>
#include <stdint.h>

/*
 * Parsers. Each reads the whole of `text`, gives 0 and sets *ret, or gives -EINVAL (-ERANGE if too
 * large), fills err with what was found, what was expected and the units, and leaves *ret alone.
 * err has no place: the caller that knows the file adds it with units_place(). Numbers are decimal,
 * may carry '_' between digits and a fraction, and are never negative; one space may stand before
 * the unit; case of units does not matter unless said. Arithmetic is exact and then rounded to the
 * nearest. Ranges beyond these are the caller's to check; 0 is accepted but by units_fraction.
 */

/*
 * Bytes: B, K M G T P and KiB MiB GiB TiB PiB are powers of 1024 (as in fio and VDBench), KB MB GB
 * TB PB powers of 1000, no unit is bytes. "48GiB" "500GB" "8K" "16384" "1.5TiB".
 */
int units_size(const char *text, uint64_t *ret_bytes, struct error *err);

/*
 * Nanoseconds: d h m (min) s ms us ns, several in falling order: "2h30m" "90s" "4.743s" "500ms".
 * A bare number is refused, "0" excepted.
 */
int units_duration(const char *text, int64_t *ret_ns, struct error *err);

/* Events a second: k, M, G are decimal; /s /m (/min) /h is needed: "15k/s" "100/s" "2500/m". */
int units_rate(const char *text, double *ret_per_s, struct error *err);

/* Bytes a second: a size and /s: "3200MB/s" "1GiB/s". */
int units_bandwidth(const char *text, uint64_t *ret_bytes_per_s, struct error *err);

/*
 * A share: "25%" or "0.25". A number above 1 needs the %, so that 25 is not taken for 2500 %;
 * "200%" is 2.0, the caller has the upper bound.
 */
int units_share(const char *text, double *ret_share, struct error *err);

/* A scale in (0, 1]: "1/400" "0.0025" "0.25%" "1". num and den are in lowest terms. */
struct fraction {
    double value;
    uint64_t num, den;
};
int units_fraction(const char *text, struct fraction *ret, struct error *err);

/* A whole number: "15000" "15_000" "15k" "1.5M" "10G"; k, M, G, T are decimal. */
int units_count(const char *text, uint64_t *ret, struct error *err);
/* A plain number, with fraction and sign, decimal point or exponent: "-0.5" "1e-3" "12". */
int units_number(const char *text, double *ret, struct error *err);

/* Put the place of the value into err. Returns err->code. */
int units_place(struct error *err, const char *file, int line, int column);

/* Formatters. Each writes into buf, cut to size, and returns buf. UNITS_TEXT bytes always do. */
enum { UNITS_TEXT = 32 };

/* "48 GiB" "1.5 TiB" "8 KiB" "46.6 GiB" "512 B": powers of 1024, 3 significant digits. */
const char *units_format_size(uint64_t bytes, char *buf, size_t size);
/* "500 GB" "3.2 TB" "840 MB": powers of 1000, 3 significant digits. */
const char *units_format_size_decimal(uint64_t bytes, char *buf, size_t size);
/*
 * As a scenario would say it, exactly, and units_size() reads back: "48GiB" "3.84TB" "1.5MiB". The
 * unit with the fewest digits, of at most four before the point and three behind it; bytes where
 * there is none: "3840755982336".
 */
const char *units_format_size_exact(uint64_t bytes, char *buf, size_t size);
/* The same, which units_bandwidth() reads back; whole numbers first: "3400MB/s" "1GiB/s". */
const char *units_format_bandwidth_exact(uint64_t bytes_per_s, char *buf, size_t size);
/* "02:30:00" "00:00:05", "1d 02:30:00"; whole seconds, rounded down. */
const char *units_format_clock(int64_t ns, char *buf, size_t size);
/* "14.8ms" "709us" "1.27ms" "2.00s" "150s": 3 significant digits, ns us ms s. */
const char *units_format_duration(int64_t ns, char *buf, size_t size);
/* As a scenario would say it, exactly, and units_duration() reads back: "2h30m" "4.743s" "0s". */
const char *units_format_period(int64_t ns, char *buf, size_t size);
/* "12 650": groups of three parted by a plain space. */
const char *units_format_count(uint64_t value, char *buf, size_t size);

#endif
