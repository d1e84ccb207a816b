/* lib/sample_result: a made-up run, the same every time, with all that a run leaves. */
#ifndef RAWTPS_TESTS_SAMPLE_RESULT_H
#define RAWTPS_TESTS_SAMPLE_RESULT_H

#include "result/result.h"

enum { SAMPLE_VMS = 4, SAMPLE_SECONDS = 60, SAMPLE_KINDS = 6, SAMPLE_FROM_S = 30 };
extern const char *const sample_kinds[SAMPLE_KINDS]; /* those of TPC-C, and "deferred" */

/* What VM vm did of one kind in one second of the sample. */
void sample_hist(uint32_t vm, uint32_t second, uint32_t kind, struct hist *ret);
/* The row of intervals.csv for one second; vm -1: all. */
void sample_interval(int32_t vm, uint32_t second, struct result_interval *ret);

/* TPC-C on a simulated drive, vm_count up to SAMPLE_VMS, complete and derived. */
void sample_tpcc(struct result *ret, uint32_t vm_count);
/* Bare requests to a drive, one VM, two streams. */
void sample_block(struct result *ret);

#endif
