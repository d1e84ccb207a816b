/* engine/interference: what else went on on this host while a sample was taken. */
#ifndef RAWTPS_ENGINE_INTERFERENCE_H
#define RAWTPS_ENGINE_INTERFERENCE_H

#include "result/result.h"

/* Counters that only grow. NAN: the host does not tell. */
struct host_load {
    double wall_ns, cpu_ns;            /* of the clock; of this process */
    double ticks, stolen;              /* of all CPUs, in ticks */
    double stalled_us[3];              /* some task waited for CPU, I/O, memory */
    double periods, throttled_periods; /* of the control groups */
};

/* root: "" or a directory that holds proc and sys. */
void host_load_look(struct host_load *ret, const char *root);
/* What the calling thread has run, and how long it was ready to and had no CPU. False: unknown. */
bool host_load_thread(int64_t *ret_run_ns, int64_t *ret_delay_ns);
/* run, delay: of all threads that drive the load, between the looks; NAN: unknown. */
void host_load_between(const struct host_load *from, const struct host_load *until, double run_ns,
                       double delay_ns, struct result_interference *ret);

#endif
