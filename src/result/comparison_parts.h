/* result/comparison_parts: what a comparison takes from the seconds of its runs. */
#ifndef RAWTPS_RESULT_COMPARISON_PARTS_H
#define RAWTPS_RESULT_COMPARISON_PARTS_H

#include "result/comparison.h"

/* Intervals within runs, and the ratio curve. Reads the files of every run. */
int comparison_sample(struct comparison *comparison, const struct comparison_options *options,
                      struct error *err);

/*
 * False: nothing that one does the other does: TPC-C and Sysbench, or reads alone and writes alone.
 */
bool comparison_shares_kind(const struct result_vm *a, const struct result_vm *b);

#endif
