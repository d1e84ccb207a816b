/* result/metrics: what one VM's counts say, and what the VMs say together. */
#ifndef RAWTPS_RESULT_METRICS_H
#define RAWTPS_RESULT_METRICS_H

#include "result/result.h"

/* Totals, rates and hit ratio of one VM or of the aggregate. */
void metrics_of_vm(struct result_vm *vm);
/* Little's law of one VM or of the aggregate, from its totals. */
void metrics_audit(struct result_vm *vm);
/* Counts and facts of the aggregate as sums of the VMs'; latencies stay as they are. merge.c */
void metrics_sum(struct result *result);

#endif
