/* lib/sql_bench: small databases on real servers, and users of the SQL target who ask them. */
#ifndef RAWTPS_LIB_SQL_BENCH_H
#define RAWTPS_LIB_SQL_BENCH_H

#include "server.h"
#include "target/target_sql.h"
#include "workload/sql_schema.h"

#define S 1000000000ll

/* One of each, by dialect; both are up from bench_begin() on. */
extern struct server bench_servers[SQL_DIALECTS];
extern struct sql_plain *bench_plains[SQL_DIALECTS];
int bench_begin(void **state); /* for cmocka_run_group_tests; always 0 */
int bench_end(void **state);
/* Its plain connection once more, after the server was away. */
void bench_plain_again(int d);

/* Carry out a text as the user bench; it must not be refused. */
void bench_do(int d, const char *text);
/* The same, and '$' stands for a series from 1 to the number behind it, whose column is seq. */
void bench_fill(int d, const char *text);
/* What a query gives: all columns of all rows, a blank behind each. Valid until the next one. */
const char *bench_look(int d, const char *query);
void bench_carry_out(int d, const struct sql_schema *schema, enum sql_schema_stage stage);

/*
 * A database as large as TPC-C's keys demand, but made in seconds: 100 orders a district. Of a
 * second warehouse there are a few rows alone, and no foreign keys then.
 */
extern const struct tpcc_settings bench_tpcc;
void bench_new_tpcc(int d, uint32_t warehouses);
/* k is the id. */
void bench_new_sbtest(int d, const struct sysbench_settings *settings);

enum { BENCH_USERS = 32 };

struct bench_user {
    struct op op;
    struct txn txn;
    struct user_deck deck;
    struct rng rng;
    struct timer timer;
    int64_t spent_ns[SPENT_KINDS];
};

struct sql_bench {
    int d;
    struct loop loop;
    struct sql_texts *texts;
    struct target *target;
    struct workload *workload;
    struct bench_user users[BENCH_USERS];
    uint32_t user_count, left; /* left: transactions still to begin */
    uint32_t under_way;
    uint64_t done, rolled_back, retried, failed, digest, inserted, deleted;
    bool answered;
};

enum bench_way { BY_TEXT, PREPARED, PIPELINE, PROCEDURES, WAYS };

/* The one there is; by a real loop. */
extern struct sql_bench bench;
void bench_open(int d, const struct sql_texts_settings *of, uint32_t users, uint32_t connections,
                enum bench_way way);
void bench_close(void);
struct target_sql_counts bench_counts(void);
/* Asks one thing, and waits. It must be answered well. */
struct op bench_ask(uint16_t statement, int64_t k0, int64_t k1, int64_t k2, int64_t k3, int64_t k4,
                    int64_t k5, int64_t k6, int64_t k7);

/* All users together begin so many transactions, and repeat what they are told to repeat. The
 * bench frees the workload. */
void bench_users_begin(struct workload *workload, uint32_t transactions);
/* Until all have ended, or for so long. */
void bench_users_run(int64_t ns);

#endif
