/* engine/servers: the real servers of a run: what they are, whether they will do, their counters.
 */
#ifndef RAWTPS_ENGINE_SERVERS_H
#define RAWTPS_ENGINE_SERVERS_H

#include "plan/plan.h"
#include "result/result.h"
#include "target/server_facts.h"

/* The server of one VM. All of it is the main thread's but `texts`, which does not change. */
struct server {
    const struct plan_vm *plan;
    struct sql_plain *plain; /* for its counters; NULL after it was lost, and of fakes */
    struct server_facts facts;
    struct sql_schema_load load; /* what rawtps_load says */
    bool loaded;                 /* and whether it says anything */
    struct sql_texts *texts;
    struct server_finding findings[SERVER_FINDINGS];
    uint32_t finding_count;
    uint32_t connections;                 /* of all loops */
    struct target_facts counters, before; /* now, and when the sample began */
    bool counted;                         /* both are of one life of the server */
    bool grown;                           /* the first was read after the second */
    int64_t orders, histories;            /* in the tables before the run, if it is checked */
    bool restarted;                       /* it has been started since */
    int64_t opened_ns;                    /* CLOCK_MONOTONIC */
};

/*
 * Connect to the server of a VM, ask what it is, and hold it against what the plan needs. Errors:
 * EXIT_FAILED with the first hard finding or the server's words.
 */
int server_open(struct server *server, const struct plan_vm *plan, struct error *err);
/* Soft findings, as warnings. */
void server_warn(const struct server *server, struct result *result);
void server_close(struct server *server);

/* Read the counters; connects again where the connection was lost. False: they are not known. */
bool server_count(struct server *server);
/* The sample begins here. */
void server_mark(struct server *server);

/* What the result tells of it. */
void server_describe(const struct server *server, struct result_server *ret);

/*
 * What a run adds to: orders (TPC-C; else 0) and rows of history. Errors: the server's words.
 */
int server_growth(struct server *server, int64_t *ret_orders, int64_t *ret_histories,
                  struct error *err);

/* The share of one of several loops. */
uint32_t server_share(uint32_t whole, uint32_t loops, uint32_t part);

#endif
