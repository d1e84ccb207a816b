/* target/model: a database as a drive sees it: pool, log, checkpoints, locks, CPU. */
#ifndef RAWTPS_TARGET_MODEL_H
#define RAWTPS_TARGET_MODEL_H

#include "target/target.h"
#include "workload/sysbench.h"
#include "workload/tpcc.h"

enum model_profile_kind { MODEL_INNODB, MODEL_POSTGRES, MODEL_SQLSERVER, MODEL_PROFILES };
extern const char *const model_profile_names[MODEL_PROFILES]; /* "innodb" "postgres" "sqlserver" */

/* Versions of innodb whose rules or defaults differ: from this one on, to the next in its line. */
enum model_like {
    LIKE_MARIADB_10_11, /* what the profile is without a word: the one that was measured */
    LIKE_MARIADB_10_4,
    LIKE_MYSQL_8_4,
    LIKE_MYSQL_8_0,
    LIKE_MYSQL_5_7,
    LIKE_MYSQL_5_6,
    LIKE_MYSQL_5_5,
    MODEL_LIKES
};
extern const char *const model_like_names[MODEL_LIKES]; /* "mariadb-10.11" ... "mysql-5.5" */

/*
 * Every choice of the model, filled in by the plan (scenario `database:` section). Defaults of a
 * profile: model_defaults(). Sizes in bytes, MODEL.md sections beside them.
 */
struct model_settings {
    enum model_profile_kind profile;
    enum model_like like; /* innodb: which version the defaults are of */
    /* exactly one of the two workloads */
    bool is_tpcc;
    struct tpcc_settings tpcc;
    struct sysbench_settings sysbench;

    uint32_t page_bytes;   /* 16384 innodb, 8192 others */
    uint64_t buffer_bytes; /* pool; frames = buffer_bytes / page_bytes */
    bool index_full;       /* index_set: full (else lean), 3.1 */
    /* sqlserver: of a character, 1 or 2 (bmf), 3.2; innodb: of the longest, 1 to 4 (utf8mb4) */
    uint32_t char_bytes;
    double leaf_fill;      /* sqlserver: 0.62 (bmf); others 1 */
    bool k_fill_pristine;  /* sbtest.k (and tables_own's) leaves full after CREATE INDEX, 9.4 */
    bool tables_own;       /* tpcc, not sqlserver: tables of `rawtps load`, else sysbench-tpcc's */
    bool k_loaded_special; /* k was loaded by sysbench's default, whatever ids are drawn by now */
    bool names_loaded_per_call; /* last names loaded with a C a call, as sysbench-tpcc does */
    uint64_t log_capacity_bytes;
    uint32_t log_block_bytes;  /* unit of a log write: 512, 4096, 8192 */
    uint32_t log_write_bytes;  /* largest log write; 60 KiB sqlserver */
    uint32_t log_depth;        /* log writes in flight: 1; sqlserver 32 */
    bool log_fua;              /* durability by FUA writes (sqlserver) rather than write + flush */
    bool log_sync;             /* wait for durability at commit */
    int64_t checkpoint_ns;     /* interval; 0: by log only */
    uint32_t checkpoint_depth; /* writes outstanding: 100 sqlserver */
    bool checkpoint_indirect;  /* sqlserver from 2016: spread over the interval, 5.4 */
    uint32_t io_capacity, io_capacity_max; /* pages a second, innodb 5.2 */
    uint32_t lru_scan_depth;
    bool doublewrite;        /* innodb */
    bool flush_neighbors;    /* innodb on a rotational drive: with its dirty neighbours */
    bool cleaner_sleeps;     /* MariaDB from 10.5.8: until it is woken, 9.4 (6) */
    bool full_page_writes;   /* postgres */
    bool data_checksums;     /* postgres: hint bits are logged too */
    bool autovacuum;         /* postgres: tables are vacuumed by its default thresholds */
    uint64_t os_cache_bytes; /* postgres: of the operating system, which answers reads; 0: none */
    int64_t purge_ns;     /* MariaDB from 10.3: old versions are purged so often; 0: not modelled */
    bool optimizer_dives; /* innodb 5.x..: 4 */
    bool change_buffer;
    uint32_t gather_pages;     /* sqlserver: 32 */
    uint32_t cores;            /* vCPUs */
    int64_t cpu_statement_ns;  /* mean CPU of one statement, 7.2; 0 if cpu_txn_ns is used */
    int64_t cpu_txn_ns;        /* mean CPU of a whole transaction (stored procedure), 7.3 */
    int64_t cpu_page_write_ns; /* ... of background threads a page written; 0: in the statements' */
    double cpu_sigma;          /* lognormal sigma 0.6 */
    double cpu_tail_share, cpu_tail_factor; /* 1 % of bursts x 10 */
    int64_t lock_timeout_ns;
    uint32_t sessions;     /* users of this VM, and workers */
    uint64_t growth_bytes; /* reserve for rows inserted while running */
    uint64_t seed;
};

void model_defaults(struct model_settings *settings, enum model_profile_kind profile, bool is_tpcc);
/*
 * What a version does by default where that is not what model_defaults() says: rules, and settings
 * that are the same on every host. Sizes and rates (log_capacity, io_capacity) are left: who runs a
 * server sets them.
 */
void model_defaults_like(struct model_settings *settings, enum model_like like);

/* What the layout comes to, before anything is allocated: for plan and for slicing the drive. */
struct model_footprint {
    uint64_t database_bytes; /* data as loaded: the first part of the data region, all that must
                                be filled; pages behind it are written before they are read */
    uint64_t data_bytes;     /* data region with growth reserve: the last of total_bytes */
    uint64_t log_bytes, doublewrite_bytes, superblock_bytes;
    uint64_t total_bytes;  /* all regions: what must fit on the VM's disks */
    uint64_t memory_bytes; /* what target_model_open() allocates, stamps not included */
    uint64_t pages;        /* of the database as loaded */
    uint64_t frames;
    struct {
        char name[24];
        uint64_t pages, rows;
        uint32_t rows_per_page;
    } tables[32];
    uint32_t table_count;
};
int model_footprint(const struct model_settings *settings, struct model_footprint *ret,
                    struct error *err);

/*
 * data, log: the VM's disks; they may be the same drive, then the log ring comes first (the
 * layout's regions: superblock, log ring, doublewrite, data). buffers: page memory for
 * `buffers_pages` outstanding pages, from the loop's arena; NULL if the drive holds no data.
 */
struct model_place {
    struct loop *loop;
    struct drive *data, *log;
    bool one_drive;
    void *buffers;
    uint64_t buffer_bytes;
};
uint64_t model_buffer_bytes(const struct model_settings *settings); /* needed for real drives */

struct target *target_model_open(const struct model_settings *settings,
                                 const struct model_place *place, uint32_t vm, struct error *err);

/*
 * Which table and page of it lie at an offset of the data drive: names a stamp finding.
 * "stock page 1234" into buf.
 */
void target_model_name(const struct target *target, uint64_t offset, char *buf, uint64_t size);
/*
 * How many pages were added to a table or index since it was loaded; i counts them from 0, NULL
 * behind the last. Returns its name, valid as long as the target.
 */
const char *target_model_added(const struct target *target, uint32_t i, uint64_t *ret_pages);
/* The table or index there; NULL beyond the data. Valid as long as the target. */
const char *target_model_table(const struct target *target, uint64_t offset);
/*
 * The server is stopped in an orderly way and started again: nothing is dirty, nothing in memory.
 * Only when nothing is under way.
 */
void target_model_restart(struct target *target);
/* Size of what a session costs in memory, for the budget of a user. */
uint64_t target_model_session_bytes(void);
uint64_t target_model_frame_bytes(void);

#endif
