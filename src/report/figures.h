/* report/figures: numbers as people read them. */
#ifndef RAWTPS_REPORT_FIGURES_H
#define RAWTPS_REPORT_FIGURES_H

#include <stddef.h>
#include <stdint.h>

enum { FIGURE_TEXT = 40 };

/* Each writes into buf and returns it. NAN is "-". */
const char *figure_count(uint64_t value, char buf[FIGURE_TEXT]); /* "12 650" */
const char *figure_number(double value, char buf[FIGURE_TEXT]);  /* "12 650" "93.1" "0.250" */
const char *figure_duration(double ns, char buf[FIGURE_TEXT]);   /* "14.8ms" */
const char *figure_share(double share, char buf[FIGURE_TEXT]);   /* "93.1" */
const char *figure_percent(double share, char buf[FIGURE_TEXT]); /* "93.1%" */
const char *figure_size(double bytes, char buf[FIGURE_TEXT]);    /* "8 KiB" */

/* Columns that a string takes on a terminal: one a character. */
uint32_t figure_width(const char *string);
/* Bytes of the first `width` characters. */
size_t figure_cut(const char *string, uint32_t width);

#endif
