/* engine/proc_cpu: CPU time of a database server that runs on this host, from /proc. */
#ifndef RAWTPS_ENGINE_PROC_CPU_H
#define RAWTPS_ENGINE_PROC_CPU_H

#include "sql/sql.h"

struct proc_cpu {
    int32_t pid;   /* 0: not found */
    bool family;   /* its children count too: PostgreSQL has a process a connection */
    char how[160]; /* which process, or why there is none */
};

/* Is the server of the URL on this host? */
bool proc_cpu_is_local(const struct sql_url *url);
/* False, with the reason in how: the server is elsewhere, or in another name space of processes. */
bool proc_cpu_find(struct proc_cpu *ret, struct sql_plain *plain, const struct sql_url *url);
/* CPU used since the server began, in steps of a tick (10 ms); -1 if it cannot be read. */
int64_t proc_cpu_ns(const struct proc_cpu *cpu);

/*
 * CPU of the threads or processes that serve the connections that now stand, in steps of a tick;
 * the rest of the server's is background. -1: the server does not tell which they are.
 */
int64_t proc_cpu_sessions_ns(const struct proc_cpu *cpu, struct sql_plain *plain,
                             uint32_t *ret_count);
/*
 * CPU that this host's kernel threads used since they began: they write pages out, serve loop
 * devices and RAID, end requests. 0 where they cannot be seen, as in a container.
 */
int64_t proc_cpu_kernel_ns(void);

#endif
