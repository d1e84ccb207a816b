/* target/server_facts: what a database server says of itself, and whether it will do. */
#ifndef RAWTPS_TARGET_SERVER_FACTS_H
#define RAWTPS_TARGET_SERVER_FACTS_H

#include "sql/sql.h"
#include "target/target.h"
#include "workload/sql_schema.h"

enum { SERVER_SETTINGS = 48, SERVER_FINDINGS = 32 };

/* A setting as the server names and prints it. */
struct server_setting {
    char name[48], value[80];
};

struct server_facts {
    enum sql_dialect dialect;
    char flavour[16]; /* "PostgreSQL" "MariaDB" "MySQL" "Percona" */
    char version[80]; /* as it prints it */
    uint32_t number;  /* 150013, 101114, 80036 */
    uint64_t buffer_bytes, page_bytes, log_capacity_bytes, database_bytes;
    char flush_method[32], isolation[32];
    bool durable; /* a commit answered survives a power cut */
    bool read_only;
    uint32_t connection_limit; /* for this user, reserved ones taken off; UINT32_MAX: none */
    uint32_t connections_used; /* by others, now */
    uint32_t prepared_limit;   /* of all connections together; UINT32_MAX: none */
    struct server_setting settings[SERVER_SETTINGS]; /* durability, size, waits: for the result */
    uint32_t setting_count;
};
/* Errors: EXIT_FAILED with the server's words. Fields that it does not tell stay 0 or "". */
int server_facts_read(struct sql_plain *plain, enum sql_dialect dialect, struct server_facts *ret,
                      struct error *err);

/*
 * The server's counters as the rows that the model reports: cumulative, so subtract. Filled:
 * page_accesses page_hits page_reads pages_written pages_dirty pages_doublewritten page_images
 * frames log_bytes log_writes log_flushes checkpoints lock_waits deadlocks rows_read rows_written;
 * what a server does not count stays 0. They are the whole server's, not this database's alone.
 */
int server_counters_read(struct sql_plain *plain, const struct server_facts *server,
                         struct target_facts *ret, struct error *err);

enum finding_level { FINDING_HARD, FINDING_SOFT, FINDING_FINE };
struct server_finding {
    enum finding_level level;
    char name[32];  /* "connections" */
    char text[240]; /* what was found, and what is needed */
    char hint[240]; /* how to mend it */
};
struct server_need {
    const struct sql_schema *schema;  /* workload and scale that the scenario wants */
    uint32_t connections, statements; /* statements: sql_texts_count() if prepared, else 0 */
    int64_t longest_pause_ns;         /* longest think time: against idle timeouts; 0: none */
    bool load;                        /* before a load: tables need not be there */
    bool procedures;
};
/*
 * Pre-flight of DB-PEERS.md 6: hard findings stop a run (EXIT_FAILED), soft ones are warnings.
 * Also says what rawtps_load tells (ret_load may be NULL).
 *   returns  how many findings that are not FINDING_FINE come first; or negative: the server
 *            could not be asked
 */
int server_preflight(struct sql_plain *plain, const struct server_facts *server,
                     const struct server_need *need, struct server_finding *ret, uint32_t limit,
                     struct sql_schema_load *ret_load, struct error *err);

#endif
