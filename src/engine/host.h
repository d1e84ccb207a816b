/* engine/host: the machine a run was made on. */
#ifndef RAWTPS_ENGINE_HOST_H
#define RAWTPS_ENGINE_HOST_H

#include "result/result.h"

/* Fill result->host. What cannot be known stays "" or 0. */
void host_facts(struct result *result);

#endif
