/* engine/outcome_vm: what one VM, and all together, did: records become result_vm. */
#ifndef RAWTPS_ENGINE_OUTCOME_VM_H
#define RAWTPS_ENGINE_OUTCOME_VM_H

#include "run_state.h"

void outcome_vm_begin(struct run *run, uint32_t i);
void outcome_vm(struct run *run, uint32_t i);
void outcome_vm_finish(struct run *run, uint32_t i); /* checks, stamps, input audit */
void outcome_aggregate(struct run *run);

#endif
