/* result/result: a run as a document. RESULTS.md has the schema; result_json writes and reads it.
 */
#ifndef RAWTPS_RESULT_RESULT_H
#define RAWTPS_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/checksum.h"
#include "base/error.h"
#include "stats/hist.h"

enum {
    RESULT_SCHEMA_VERSION = 1,
    RESULT_TXNS = 8,
    RESULT_IOS = 8,
    RESULT_SIZES = 16,
    RESULT_FACTS = 64,
    RESULT_STATEMENTS = 48,
    RESULT_SETTINGS = 48,
    RESULT_SERVERS = 16,
    RESULT_VMS = 64,
    RESULT_CHECKS = 512,
    RESULT_WARNINGS = 64,
    RESULT_PHASES = 8,
    RESULT_DRIVES = 8,
    RESULT_SPENT = 6
};

struct result_latency {
    uint64_t count;
    int64_t min_ns, max_ns, sum_ns;
    unsigned __int128 sumsq_ns2;
    double mean_ns, stddev_ns;
    int64_t p50_ns, p90_ns, p95_ns, p99_ns, p99_9_ns, p99_99_ns, p99_999_ns;
};
/* time: proportional to the histogram's buckets, 8 times. */
void result_latency_of(struct result_latency *ret, const struct hist *hist);
/* Add the exact parts (count, extremes, sums, mean, stddev). Percentiles do not add: they become 0.
 */
void result_latency_add(struct result_latency *into, const struct result_latency *from);

/*
 * due counts those that were open when the sample began and those that fell due in it, so that
 * due = done + rolled_back + failed + skipped + open. An open loop's that fell due and no user was
 * free to begin are in both due and open, shared out among the types. open may be left 0 here and
 * told of the VM alone.
 */
struct result_txn {
    char kind[24];
    bool deferred; /* carried out behind the user's back: not in the VM's totals, nor in its TPS */
    uint64_t due, done, rolled_back, failed, skipped, open, retries;
    struct result_latency response, service;
    int64_t spent_ns[RESULT_SPENT]; /* cpu lock read log session server */
    int64_t p90_limit_ns;           /* 0: none */
};
extern const char *const result_spent_names[RESULT_SPENT];

/* How many requests were of a size; 0 bytes: of all sizes that have no row. */
struct result_size {
    uint32_t bytes;
    uint64_t count;
};

struct result_io {
    char verb[8], area[8];
    uint64_t count, bytes, errors;
    struct result_size sizes[RESULT_SIZES];
    uint32_t size_count;
    struct result_latency latency;
};

struct result_fact {
    char name[40];
    double value;
};

/* Statements of real servers: from sent to answered, over the sample. */
struct result_statement {
    char name[40];
    uint64_t count, errors, empty; /* empty: answers without a row */
    int64_t sum_ns, max_ns;        /* max: since the run began */
};

struct result_audit { /* Little's law: N = X (R + Z) */
    uint64_t users;
    double response_mean_ns, think_mean_ns;
    double concurrency; /* X (R + Z) */
    double ratio;       /* concurrency / users; 1 if it holds */
    double cut_off; /* users that it lacks: time of cycles under way at the sample's end, less at
                       its beginning, / sample; 0 if nobody has counted it */
    double ceiling_tps, ceiling_share; /* users / Z; 0 without think time */
    /* "ok" within 2 %, "inconsistent", "too short" to say, "cut off": within 2 % with cut_off, "no
     * sample"; "open loop" if the engine has said so: kept */
    char verdict[24];
};

struct result_steady {
    char preset[16];
    uint32_t rounds, mser_cut_s, warm_up_short_s;
    double range_share, excursion_share, drift_share, drift_p;
    double lat_range_share, lat_excursion_share; /* mean latency: it counts too */
    double p99_range_share, p99_excursion_share; /* advice */
    bool reached, judged;
};

struct result_integrity {
    bool checked; /* stamps were on */
    uint64_t stamps_checked, stamp_errors;
    uint64_t stamps_unjudged; /* pages read that this run had not written before, or in vain */
    char first[256];          /* the first wrong page in words; "" if none */
};

struct result_vm {
    char name[32], config[48], host[64], ended[16], error[256];
    uint64_t users;
    int64_t sample_from_ns, sample_until_ns;
    double tps, iops, mb_s, read_mb_s, write_mb_s;
    double tps_cv, worst_second_tps;
    struct result_latency response, service; /* of all kinds */
    uint64_t due, done, rolled_back, failed, skipped, open, retries;
    struct result_txn txns[RESULT_TXNS];
    uint32_t txn_count;
    struct result_io ios[RESULT_IOS];
    uint32_t io_count;
    struct result_fact facts[RESULT_FACTS];
    uint32_t fact_count;
    struct result_statement statements[RESULT_STATEMENTS];
    uint32_t statement_count;
    struct result_audit audit;
    struct result_steady steady;
    struct result_integrity integrity;
};
/* The value of a fact, or NAN if the VM has none of that name. */
double result_fact(const struct result_vm *vm, const char *name);
void result_fact_set(struct result_vm *vm, const char *name, double value);

struct result_check {
    char name[64], scope[32];
    double expected, found, tolerance;
    bool passed;
    enum exit_code exit;
};

struct result_phase {
    char name[24], rule[16];
    int64_t from_ns, until_ns, requested_ns;
    uint64_t bytes_written;
};

/* How it is attached, now and at most. 0: unknown. A speed without lanes is SATA's, in Gb/s. */
struct result_link {
    double speed_gt_s, max_speed_gt_s; /* a lane */
    uint32_t width, max_width;
};

/* Of the drive over the sample. NAN: unknown. */
struct result_health {
    double temperature_start_c, temperature_end_c, temperature_min_c, temperature_max_c;
    double throttled_s;                                 /* slowed down by its temperature */
    double warning_temp_minutes, critical_temp_minutes; /* at or above its own limits */
};

struct result_drive {
    char kind[16], path[256], model[64], serial[64], firmware[32], form_factor[16];
    char how[160], flush[96], queue[256];
    char model_sha256[72]; /* of the file that a simulated one follows */
    uint64_t capacity_bytes;
    uint32_t logical_block_bytes, physical_block_bytes;
    double write_amplification;
    double numa_node, power_state; /* NAN: unknown */
    struct result_link link;
    struct result_health health;
};
/* "8.0 GT/s x4 (max 8.0 x4)", "6.0 Gb/s (max 6.0)"; "" unknown. Returns ret. */
const char *result_link_say(const struct result_link *link, char *ret, size_t size);
/* Slower or narrower than it could be. */
bool result_link_degraded(const struct result_link *link);
/* Nothing is known of it; result_init() does so for every drive. */
void result_health_forget(struct result_drive *drive);
/*
 * Seconds of the sample in which the drive was slowed down by its temperature: what it counts, or
 * the minutes that it spent at or above its limits, if that is more. NAN: it does not tell.
 */
double result_throttled_s(const struct result_health *health);

/* What else the host did over the sample. NAN: unknown, as in virtual time, where nothing can. */
struct result_interference {
    double run_ns, run_delay_ns; /* of the threads that drive the load; delay: ready, but no CPU */
    double run_delay_share;      /* delay / (run + delay) */
    double steal_share;          /* of all CPUs' time: taken by the hypervisor */
    double pressure_cpu, pressure_io, pressure_memory; /* share of the time that some task waited */
    double periods, throttled_periods;                 /* of the control group's CPU limit */
    double cpu_ns;                                     /* of the whole process */
};
/* Nothing is known of it; result_init() does so. */
void result_interference_forget(struct result_interference *interference);
/* The host, not the drive, may have set the figures. */
bool result_interfered(const struct result_interference *interference);

struct result_setting {
    char name[48], value[80];
};

/* A real server, as it was asked before the run. No password is in here. */
struct result_server {
    char vm[32], url[256], flavour[16], version[80], isolation[32], flush_method[32];
    bool durable; /* a commit that was answered survives a power cut */
    uint64_t buffer_bytes, log_capacity_bytes, database_bytes;
    uint32_t connections, loops;
    bool prepared, pipeline, procedures;
    struct result_setting settings[RESULT_SETTINGS];
    uint32_t setting_count;
};

/* Of runs that were made in turns, to be analysed as pairs: neighbours in order, one of each side.
 */
struct result_pair {
    char design[16]; /* "abba"; "" if it is none of a series */
    char series[40]; /* which series */
    char side[4];    /* "A", "B" */
    uint32_t order;  /* from 1 */
};

struct result {
    uint32_t schema_version;
    struct {
        char id[128], tool[16], version[32], build_id[72], label[64], ended[16];
        char started_utc[32], error[256];
        uint32_t started_ms; /* of that second */
        char **command;
        uint32_t command_count;
        uint64_t seed;
        enum exit_code exit_code;
        bool virtual_time;
        int64_t wall_ns, cpu_ns; /* of the tool itself */
        uint64_t memory_bytes;   /* planned; peak resident in peak_memory_bytes */
        uint64_t peak_memory_bytes;
        struct result_pair pair;
    } run;
    struct {
        char name[64], sha256[72], basis[24], scale[24];
        char settings[512]; /* "key=value ..." of the command line: plan_settings() */
        char *text;
        bool comparable; /* full scale and full phases */
        struct {
            char name[48], sha256[72];
            char *text;
        } configs[8];
        uint32_t config_count;
    } scenario;
    struct result_phase phases[RESULT_PHASES];
    uint32_t phase_count;
    struct {
        uint64_t bytes_written;
        double capacity_share, idle_before_s;
    } precondition;
    struct {
        struct result_interference interference;
        char hostname[64], kernel[96], cpu_model[96], governor[24];
        uint32_t cores;
        uint64_t memory_bytes;
    } host;
    struct result_drive drives[RESULT_DRIVES];
    uint32_t drive_count;
    struct result_server *servers; /* at most RESULT_SERVERS */
    uint32_t server_count;
    struct result_vm *vms; /* vm_count of them */
    uint32_t vm_count;
    struct result_vm aggregate;
    double fairness;             /* (max - min) / mean of the VMs' tps */
    struct result_check *checks; /* at most RESULT_CHECKS */
    uint32_t check_count;
    char (*warnings)[240]; /* at most RESULT_WARNINGS */
    uint32_t warning_count;
};

/* An empty result with room for vm_count VMs. Errors: -ENOMEM. */
int result_init(struct result *result, uint32_t vm_count, struct error *err);
void result_free(struct result *result);
void result_warn(struct result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Add a check; one of the same name and scope is replaced. */
void result_check(struct result *result, const char *name, const char *scope, double expected,
                  double found, double tolerance, bool passed, enum exit_code exit);
/* How many checks are consistency rules, and how many of them are broken. */
uint32_t result_rules(const struct result *result, uint32_t *ret_broken);

/*
 * Derived figures from counts. Idempotent.
 *   given    of each VM: users, sample, txns, ios, facts, response and service of all kinds,
 *            tps_cv, worst_second_tps, audit.think_mean_ns, integrity; of the aggregate: every
 *            latency (from merged histograms), tps_cv, worst_second_tps, shares among its facts
 *   made     of each VM: totals, tps, iops, mb_s, audit; fact hit_ratio if facts page_hits and
 *            page_accesses are there; of the aggregate: its sample (from the first beginning to the
 *            last end), counts, rates and facts as sums (facts that end in _ratio, _share, _mean or
 *            _ns_per_txn are left); fairness; checks of counts, Little's law, I/O errors and
 *            stamps; run.exit_code
 */
void result_derive(struct result *result);
/* What the run should end with: the first of 2, 4, 130, 3, 6, 1, 5, 0 that applies. */
enum exit_code result_exit_code(const struct result *result);

/* run.json: the whole document as text; and back. Errors of reading: EXIT_USAGE with line:column.
 */
struct text;
void result_write_json(const struct result *result, struct text *ret);
int result_read_json(struct result *ret, const char *text, uint64_t bytes, const char *file,
                     struct error *err);
/* Equal for equal runs in virtual time: sha256 over all but id, time, command, build, host, files.
 */
void result_digest(const struct result *result, char ret[72]);

/* One row of intervals.csv (RESULTS.md section 5); vm -1 is "all". */
struct result_interval {
    int64_t start_ns, length_ns;
    char phase[24];
    int32_t vm;
    uint64_t due, done, rolled_back, failed, skipped, retries;
    double tps, mean_ns, stddev_ns;
    int64_t p50_ns, p95_ns, p99_ns, p99_9_ns, max_ns;
    uint64_t read_bytes, write_bytes, flushes;
    double hit_ratio;       /* NAN: unknown */
    uint64_t page_accesses; /* that hit_ratio is a share of */
    int64_t pause_ns;       /* keying and think time of what ended, all together */
};
/* tps of its length and done; average, stddev, percentiles and max of its responses. */
void result_interval_figures(struct result_interval *row, const struct hist *responses);
extern const char result_interval_header[]; /* one line, with newline */
void result_interval_line(const struct result_interval *interval, struct text *ret);
/* Parse one line (no header). False: torn or foreign. */
bool result_interval_parse(const char *line, struct result_interval *ret);

/*
 * A run directory that is being written (RESULTS.md section 2). Writers append and fsync when
 * run_dir_sync() is called; a full disk is an error that keeps what was written.
 */
struct run_dir {
    char path[512], id[128];
    int dir_fd, intervals_fd, events_fd, stdout_fd, hlog_fd;
    uint64_t intervals_bytes, events_bytes, stdout_bytes, hlog_bytes; /* written so far */
    bool failed; /* something could not be written: the first error is kept */
    struct error error;
};
/*
 * out: the directory exactly (--out; must not exist or be empty), or NULL: root/<UTC>-<name>-<id>
 * and root/LATEST points to it. The files are empty: the caller begins intervals_fd with
 * result_interval_header. Errors: EXIT_USAGE (exists), EXIT_FAILED.
 */
int run_dir_create(struct run_dir *dir, const char *root, const char *out, const char *name,
                   int64_t utc_seconds, uint64_t id_seed, struct error *err);
/* Make every folder of a path; those that are there are fine. 0 or -errno: -ENOENT if ".." follows
 * one that is not there. */
int run_dir_folders(const char *path);
int run_dir_append(struct run_dir *dir, int fd, const char *bytes, uint64_t count);
/* Are the files that were appended to still there by their names, and whole? Else it has failed. */
void run_dir_look(struct run_dir *dir);
int run_dir_replace(struct run_dir *dir, const char *name, const char *bytes, uint64_t count);
int run_dir_sync(struct run_dir *dir);
void run_dir_close(struct run_dir *dir);
/* Load run.json of a directory (or of results/LATEST, or the file itself). */
int run_dir_load(const char *path, struct result *ret, struct error *err);
/* The same, and the SHA-256 of its run.json: a copy of the directory has the same. */
int run_dir_load_summed(const char *path, struct result *ret, char sha256[SHA256_HEX],
                        struct error *err);
/* All whole lines of intervals.csv, a torn last one dropped. Caller frees *ret_rows. */
int run_dir_intervals(const char *path, struct result_interval **ret_rows, uint64_t *ret_count,
                      struct error *err);

#endif
