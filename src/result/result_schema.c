#include "result_schema.h"

#define AT(s, m)        offsetof(struct s, m)
#define SIZE(s, m)      sizeof(((struct s *)0)->m)
#define ITEM_SIZE(s, m) sizeof(*((struct s *)0)->m)
#define COUNT(s, m)     (uint32_t)(SIZE(s, m) / ITEM_SIZE(s, m))
#define KEYS(k)         (k), sizeof(k) / sizeof((k)[0])
/* The member's size; does not compile if it is another. */
#define EXACTLY(s, m, bytes) sizeof(char[SIZE(s, m) == (bytes) ? (bytes) : -1])

/* Rows: s struct, m member, n name, t type, b its bytes, f flags, o schema, c count, h help. */
#define PLAIN(s, m, n, t, b, f, h)                                                                 \
    {                                                                                              \
        .name = (n), .type = (t), .flags = (f), .offset = AT(s, m), .size = EXACTLY(s, m, b),      \
        .help = (h)                                                                                \
    }
#define I64(s, m, n, f, h)  PLAIN(s, m, n, KEY_I64, sizeof(int64_t), f, h)
#define U64(s, m, n, f, h)  PLAIN(s, m, n, KEY_U64, sizeof(uint64_t), f, h)
#define U32(s, m, n, f, h)  PLAIN(s, m, n, KEY_U32, sizeof(uint32_t), f, h)
#define U128(s, m, n, f, h) PLAIN(s, m, n, KEY_U128, sizeof(unsigned __int128), f, h)
#define NUM(s, m, n, f, h)  PLAIN(s, m, n, KEY_NUM, sizeof(double), f, h)
#define BOOL(s, m, n, f, h) PLAIN(s, m, n, KEY_BOOL, sizeof(bool), f, h)
#define TEXT(s, m, n, f, h) PLAIN(s, m, n, KEY_TEXT, sizeof(char *), f, h)
#define STR(s, m, n, f, h)  PLAIN(s, m, n, KEY_STR, SIZE(s, m), f, h)
#define OBJECT(s, m, n, f, o, h)                                                                   \
    {                                                                                              \
        .name = (n), .type = KEY_OBJECT, .flags = (f), .offset = AT(s, m), .of = &(o), .help = (h) \
    }
/* An object whose keys lie in the same struct as itself. */
#define PART(n, t, f, o, h)                                                                        \
    {                                                                                              \
        .name = (n), .type = (t), .flags = (f), .of = &(o), .help = (h)                            \
    }
/* An object of names that are data. */
#define MAP(n, t, h)                                                                               \
    {                                                                                              \
        .name = (n), .type = (t), .help = (h)                                                      \
    }
#define ROWS(s, m, c, n, t, f, l, o, h)                                                            \
    {                                                                                              \
        .name = (n), .type = (t), .flags = (f), .offset = AT(s, m), .size = ITEM_SIZE(s, m),       \
        .count_offset = AT(s, c), .limit = (l), .of = (o), .help = (h)                             \
    }
#define LIST(s, m, c, n, f, o, h) ROWS(s, m, c, n, KEY_LIST, f, COUNT(s, m), &(o), h)
/* A list that the struct has a pointer to. */
#define FAR_LIST(s, m, c, n, f, l, o, h) ROWS(s, m, c, n, KEY_LIST, (f) | KEY_POINTER, l, &(o), h)

static const struct schema_key latency_keys[] = {
    U64(result_latency, count, "count", 0, "how many were recorded"),
    I64(result_latency, min_ns, "min_ns", 0, "the true least"),
    I64(result_latency, max_ns, "max_ns", 0, "the true greatest"),
    I64(result_latency, sum_ns, "sum_ns", 0, "exact sum"),
    U128(result_latency, sumsq_ns2, "sumsq_ns2", 0, "exact sum of squares"),
    NUM(result_latency, mean_ns, "mean_ns", 0, "sum / count"),
    NUM(result_latency, stddev_ns, "stddev_ns", 0, "population standard deviation"),
    I64(result_latency, p50_ns, "p50_ns", 0,
        "median; percentiles by nearest rank, at most 0.8 % high"),
    I64(result_latency, p90_ns, "p90_ns", 0, "90th percentile"),
    I64(result_latency, p95_ns, "p95_ns", 0, "95th percentile"),
    I64(result_latency, p99_ns, "p99_ns", 0, "99th percentile"),
    I64(result_latency, p99_9_ns, "p99_9_ns", 0, "99.9th percentile"),
    I64(result_latency, p99_99_ns, "p99_99_ns", 0, "99.99th percentile"),
    I64(result_latency, p99_999_ns, "p99_999_ns", 0, "99.999th percentile"),
    {.name = "layout",
     .type = KEY_CONSTANT,
     .constant = HIST_LAYOUT,
     .help = "of the histogram behind it"},
};
static const struct schema latency_schema = {"Latency", KEYS(latency_keys)};

static const struct schema_key spent_keys[] = {
    I64(result_txn, spent_ns[0], "cpu", 0, "waiting for and using a CPU"),
    I64(result_txn, spent_ns[1], "lock", 0, "waiting for row locks"),
    I64(result_txn, spent_ns[2], "read", 0, "waiting for pages to be read"),
    I64(result_txn, spent_ns[3], "log", 0, "waiting for the log to be durable"),
    I64(result_txn, spent_ns[4], "session", 0, "waiting for a session or connection"),
    I64(result_txn, spent_ns[5], "server", 0, "waiting for a server's answers, whatever it did"),
};
static const struct schema spent_schema = {"Time spent", KEYS(spent_keys)};

static const struct schema_key txn_keys[] = {
    STR(result_txn, kind, "kind", KEY_REQUIRED, "the workload's name for it"),
    BOOL(result_txn, deferred, "deferred", 0,
         "carried out behind the user's back: not in the VM's totals, nor in its `tps`"),
    U64(result_txn, due, "due", 0,
        "open at the sample's beginning, or fell due in it, begun or not"),
    U64(result_txn, done, "done", 0, "ended as wanted: what `tps` counts"),
    U64(result_txn, rolled_back, "rolled_back", 0,
        "rolled back as the workload wanted: in `response` and `service`, not in `tps`"),
    U64(result_txn, failed, "failed", 0, "given up"),
    U64(result_txn, skipped, "skipped", 0, "not begun"),
    U64(result_txn, open, "open", 0,
        "under way at the end; in an open loop also what was due and no user was free to begin, "
        "shared out by `due`"),
    U64(result_txn, retries, "retries", 0, "repeated after a deadlock or serialization failure"),
    OBJECT(result_txn, response, "response", 0, latency_schema,
           "from due to ended; `count` is done and rolled back"),
    OBJECT(result_txn, service, "service", 0, latency_schema, "from begun to ended"),
    PART("spent_ns", KEY_OBJECT, 0, spent_schema, "where the time went, all transactions together"),
    I64(result_txn, p90_limit_ns, "p90_limit_ns", KEY_UNKNOWN,
        "the workload's limit for the 90th percentile of response"),
};
static const struct schema txn_schema = {"Transaction type", KEYS(txn_keys)};

static const struct schema_key io_keys[] = {
    STR(result_io, verb, "verb", KEY_REQUIRED, "`read`, `write`, `flush`, `trim`"),
    STR(result_io, area, "area", KEY_REQUIRED, "`data` or `log`"),
    U64(result_io, count, "count", 0, "requests answered"),
    U64(result_io, bytes, "bytes", 0, "bytes moved"),
    U64(result_io, errors, "errors", 0, "requests refused"),
    MAP("sizes", KEY_SIZES, "bytes of a request: how many; `0` counts all further sizes"),
    OBJECT(result_io, latency, "latency", 0, latency_schema, "of the drive, from sent to done"),
};
static const struct schema io_schema = {"Physical I/O", KEYS(io_keys)};

static const struct schema_key audit_keys[] = {
    U64(result_audit, users, "users", 0, "N"),
    NUM(result_audit, response_mean_ns, "response_mean_ns", 0, "R"),
    NUM(result_audit, think_mean_ns, "think_mean_ns", 0, "Z: thinking and keying, as it was"),
    NUM(result_audit, concurrency, "concurrency", 0, "X (R + Z)"),
    NUM(result_audit, ratio, "ratio", 0, "X (R + Z) / N"),
    NUM(result_audit, cut_off, "cut_off", 0,
        "users that it lacks: time of cycles under way at the end, less at the beginning, / "
        "sample"),
    NUM(result_audit, ceiling_tps, "ceiling_tps", KEY_UNKNOWN, "N / Z, where there is think time"),
    NUM(result_audit, ceiling_share, "ceiling_share", KEY_UNKNOWN, "X over the ceiling"),
    STR(result_audit, verdict, "verdict", 0,
        "`ok` within 2 %, `inconsistent`, `too short`, `cut off` (within 2 % with `cut_off`), "
        "`no sample`, `work-bound`, `open loop`"),
};
static const struct schema audit_schema = {"Audit", KEYS(audit_keys)};

static const struct schema_key steady_keys[] = {
    STR(result_steady, preset, "preset", 0, "`snia` or `gate`"),
    BOOL(result_steady, judged, "judged", 0,
         "the sample was long enough; else the shares below are null"),
    BOOL(result_steady, reached, "reached", 0, "within the preset's limits, without drift"),
    U32(result_steady, rounds, "rounds", 0, "whole rounds in the sample"),
    U32(result_steady, mser_cut_s, "mser_cut_s", 0, "seconds of warm-up that MSER-5 would cut"),
    U32(result_steady, warm_up_short_s, "warm_up_short_s", 0,
        "`mser_cut_s` if above 5 % of the sample and 0.1 % of its TPS, else 0"),
    NUM(result_steady, range_share, "range_share", 0, "(max - min) / mean of the last rounds"),
    NUM(result_steady, excursion_share, "excursion_share", 0, "rise of their line / mean"),
    NUM(result_steady, lat_range_share, "lat_range_share", 0, "the same of the mean latency"),
    NUM(result_steady, lat_excursion_share, "lat_excursion_share", 0, "and its line"),
    NUM(result_steady, p99_range_share, "p99_range_share", 0, "of the seconds' p99: advice"),
    NUM(result_steady, p99_excursion_share, "p99_excursion_share", 0, "advice"),
    NUM(result_steady, drift_share, "drift_share", 0, "Theil-Sen slope x T / mean"),
    NUM(result_steady, drift_p, "drift_p", 0, "chance of such a drift by accident"),
};
static const struct schema steady_schema = {"Steady state", KEYS(steady_keys)};

static const struct schema_key integrity_keys[] = {
    BOOL(result_integrity, checked, "checked", 0, "pages carried stamps"),
    U64(result_integrity, stamps_checked, "stamps_checked", 0, "pages compared"),
    U64(result_integrity, stamp_errors, "stamp_errors", 0, "pages that came back wrong"),
    U64(result_integrity, stamps_unjudged, "stamps_unjudged", 0,
        "pages read that this run had not written: of an earlier run's fill, say"),
    STR(result_integrity, first, "first", KEY_UNKNOWN, "the first of them in words"),
};
static const struct schema integrity_schema = {"Integrity", KEYS(integrity_keys)};

static const struct schema_key statement_keys[] = {
    STR(result_statement, name, "name", KEY_REQUIRED, "as the workload calls it"),
    U64(result_statement, count, "count", 0, "round trips that ended in the sample"),
    U64(result_statement, errors, "errors", 0, "of these, refused or lost"),
    U64(result_statement, empty, "empty", 0, "of these, without a row found or changed"),
    I64(result_statement, sum_ns, "sum_ns", 0, "from sent to answered, all together"),
    I64(result_statement, max_ns, "max_ns", 0, "the longest since the run began"),
};
static const struct schema statement_schema = {"Statement", KEYS(statement_keys)};

static const struct schema_key vm_keys[] = {
    STR(result_vm, name, "name", KEY_REQUIRED, "`vm0` ...; `all`"),
    STR(result_vm, config, "config", 0, "its vm-config"),
    STR(result_vm, host, "host", KEY_HERE, "where it ran"),
    STR(result_vm, ended, "ended", 0, "as `run.ended`"),
    STR(result_vm, error, "error", KEY_UNKNOWN, "why it failed"),
    U64(result_vm, users, "users", 0, "virtual users, or requests outstanding"),
    I64(result_vm, sample_from_ns, "sample_from_ns", 0, "the measured phase"),
    I64(result_vm, sample_until_ns, "sample_until_ns", 0, "its end"),
    NUM(result_vm, tps, "tps", 0, "transactions done a second; what was rolled back is not in it"),
    NUM(result_vm, iops, "iops", 0, "reads and writes a second, data and log"),
    NUM(result_vm, mb_s, "mb_s", 0, "10^6 bytes a second, read and written"),
    NUM(result_vm, read_mb_s, "read_mb_s", 0, "read"),
    NUM(result_vm, write_mb_s, "write_mb_s", 0, "written"),
    NUM(result_vm, tps_cv, "tps_cv", 0, "standard deviation / mean of the one-second TPS"),
    NUM(result_vm, worst_second_tps, "worst_second_tps", 0, "the lowest second"),
    U64(result_vm, due, "due", 0, "sums over transaction types that are not deferred"),
    U64(result_vm, done, "done", 0, ""),
    U64(result_vm, rolled_back, "rolled_back", 0, ""),
    U64(result_vm, failed, "failed", 0, ""),
    U64(result_vm, skipped, "skipped", 0, ""),
    U64(result_vm, open, "open", 0, ""),
    U64(result_vm, retries, "retries", 0, ""),
    OBJECT(result_vm, response, "response", 0, latency_schema,
           "of all types; `count` is done and rolled back"),
    OBJECT(result_vm, service, "service", 0, latency_schema, "of all types"),
    LIST(result_vm, txns, txn_count, "txns", 0, txn_schema, "by transaction type"),
    LIST(result_vm, ios, io_count, "ios", 0, io_schema, "by verb and area"),
    LIST(result_vm, statements, statement_count, "statements", 0, statement_schema,
         "of real servers"),
    MAP("facts", KEY_FACTS, "what the target reports: name, number"),
    OBJECT(result_vm, audit, "audit", 0, audit_schema, "Little's law"),
    OBJECT(result_vm, steady, "steady", 0, steady_schema, "steady state"),
    OBJECT(result_vm, integrity, "integrity", 0, integrity_schema, "page stamps"),
};
static const struct schema vm_schema = {"VM", KEYS(vm_keys)};

static const struct schema_key check_keys[] = {
    STR(result_check, name, "name", KEY_REQUIRED, "what must hold"),
    STR(result_check, scope, "scope", 0, "of which VM, or `all`"),
    NUM(result_check, expected, "expected", 0, ""),
    NUM(result_check, found, "found", 0, ""),
    NUM(result_check, tolerance, "tolerance", 0, ""),
    BOOL(result_check, passed, "passed", KEY_REQUIRED, ""),
    U32(result_check, exit, "exit_code", KEY_RAISES, "of the run, if it failed"),
};
static const struct schema check_schema = {"Check", KEYS(check_keys)};

static const struct schema_key phase_keys[] = {
    STR(result_phase, name, "name", KEY_REQUIRED, "as in the scenario"),
    STR(result_phase, rule, "rule", 0, "what ends it"),
    I64(result_phase, from_ns, "from_ns", 0, ""),
    I64(result_phase, until_ns, "until_ns", 0, ""),
    I64(result_phase, requested_ns, "requested_ns", KEY_UNKNOWN, "as the scenario says"),
    U64(result_phase, bytes_written, "bytes_written", 0, "by rawtps, in it"),
};
static const struct schema phase_schema = {"Phase", KEYS(phase_keys)};

static const struct schema_key link_keys[] = {
    NUM(result_link, speed_gt_s, "speed_gt_s", KEY_UNKNOWN, "of a lane of PCIe; of SATA in Gb/s"),
    U32(result_link, width, "width", KEY_UNKNOWN, "lanes"),
    NUM(result_link, max_speed_gt_s, "max_speed_gt_s", KEY_UNKNOWN, "that the drive could do"),
    U32(result_link, max_width, "max_width", KEY_UNKNOWN, "that the drive has"),
};
static const struct schema link_schema = {"Link", KEYS(link_keys)};

static const struct schema_key health_keys[] = {
    NUM(result_health, temperature_start_c, "temperature_start_c", 0, "when the sample began"),
    NUM(result_health, temperature_end_c, "temperature_end_c", 0, "when it ended"),
    NUM(result_health, temperature_min_c, "temperature_min_c", 0, "least of the looks, every 10 s"),
    NUM(result_health, temperature_max_c, "temperature_max_c", 0, "most of them"),
    NUM(result_health, throttled_s, "throttled_s", 0,
        "slowed down by its temperature (NVMe: thermal management 1 and 2)"),
    NUM(result_health, warning_temp_minutes, "warning_temp_minutes", 0,
        "at or above its warning temperature"),
    NUM(result_health, critical_temp_minutes, "critical_temp_minutes", 0,
        "at or above its critical temperature"),
};
static const struct schema health_schema = {"Health", KEYS(health_keys)};

static const struct schema_key drive_keys[] = {
    STR(result_drive, kind, "kind", 0, "`nvme`, `sata`, `virtio`, `loop`, `file`, `sim`, `null`"),
    STR(result_drive, path, "path", KEY_UNKNOWN, ""),
    STR(result_drive, model, "model", KEY_UNKNOWN, ""),
    STR(result_drive, model_sha256, "model_sha256", KEY_HERE | KEY_UNKNOWN,
        "of the file of a simulated drive's model"),
    STR(result_drive, serial, "serial", KEY_UNKNOWN, ""),
    STR(result_drive, firmware, "firmware", KEY_UNKNOWN, ""),
    STR(result_drive, form_factor, "form_factor", KEY_UNKNOWN, "the user's label"),
    STR(result_drive, how, "how", KEY_UNKNOWN, "how requests went to it"),
    STR(result_drive, flush, "flush", KEY_UNKNOWN, "what a flush was"),
    STR(result_drive, queue, "queue", KEY_UNKNOWN, "settings of its queue"),
    U64(result_drive, capacity_bytes, "capacity_bytes", KEY_UNKNOWN, ""),
    U32(result_drive, logical_block_bytes, "logical_block_bytes", KEY_UNKNOWN, ""),
    U32(result_drive, physical_block_bytes, "physical_block_bytes", KEY_UNKNOWN, ""),
    NUM(result_drive, write_amplification, "write_amplification", KEY_UNKNOWN,
        "bytes programmed / bytes written"),
    NUM(result_drive, numa_node, "numa_node", KEY_HERE, "of the host, that it hangs at"),
    NUM(result_drive, power_state, "power_state", KEY_HERE, "NVMe, at the end; 0 is the fastest"),
    OBJECT(result_drive, link, "link", KEY_HERE, link_schema, "how it is attached"),
    OBJECT(result_drive, health, "health", KEY_HERE, health_schema, "over the sample"),
};
static const struct schema drive_schema = {"Drive", KEYS(drive_keys)};

static const struct schema_key setting_keys[] = {
    STR(result_setting, name, "name", KEY_REQUIRED, "as the server calls it"),
    STR(result_setting, value, "value", 0, "as it prints it"),
};
static const struct schema setting_schema = {"Setting", KEYS(setting_keys)};

static const struct schema_key server_keys[] = {
    STR(result_server, vm, "vm", KEY_REQUIRED, "the VM that asked it"),
    STR(result_server, url, "url", KEY_UNKNOWN, "where it was, without a password"),
    STR(result_server, flavour, "flavour", KEY_UNKNOWN,
        "`PostgreSQL`, `MariaDB`, `MySQL`, `Percona`"),
    STR(result_server, version, "version", KEY_UNKNOWN, ""),
    STR(result_server, isolation, "isolation", KEY_UNKNOWN, "of the run's transactions"),
    STR(result_server, flush_method, "flush_method", KEY_UNKNOWN, ""),
    BOOL(result_server, durable, "durable", 0, "a commit that was answered survives a power cut"),
    U64(result_server, buffer_bytes, "buffer_bytes", KEY_UNKNOWN, ""),
    U64(result_server, log_capacity_bytes, "log_capacity_bytes", KEY_UNKNOWN, ""),
    U64(result_server, database_bytes, "database_bytes", KEY_UNKNOWN, "before the run"),
    U32(result_server, connections, "connections", 0, "of the VM"),
    U32(result_server, loops, "loops", 0, "threads that drove them"),
    BOOL(result_server, prepared, "prepared", 0, "prepared statements"),
    BOOL(result_server, pipeline, "pipeline", 0, "statements were sent ahead of answers"),
    BOOL(result_server, procedures, "procedures", 0, "stored procedures"),
    LIST(result_server, settings, setting_count, "settings", 0, setting_schema,
         "durability, sizes, waits"),
};
static const struct schema server_schema = {"Server", KEYS(server_keys)};

static const struct schema_key pair_keys[] = {
    STR(result_pair, design, "design", KEY_REQUIRED, "`abba`: ABBAABBA..."),
    STR(result_pair, series, "series", 0, "which series of runs"),
    U32(result_pair, order, "order", 0, "of this run in the series, from 1"),
    STR(result_pair, side, "side", 0, "`A` or `B`"),
};
static const struct schema pair_schema = {"Pair", KEYS(pair_keys)};

static const struct schema_key run_keys[] = {
    STR(result, run.id, "id", KEY_HERE, "name of the run directory"),
    STR(result, run.tool, "tool", 0, "`rawtps`"),
    STR(result, run.version, "version", 0, ""),
    STR(result, run.build_id, "build_id", KEY_HERE, ""),
    STR(result, run.label, "label", 0, "the user's word for it"),
    ROWS(result, run.command, run.command_count, "command", KEY_STRINGS, KEY_HERE, 256, NULL,
         "as it was typed"),
    STR(result, run.started_utc, "started_utc", KEY_HERE, "RFC 3339"),
    U32(result, run.started_ms, "started_ms", KEY_HERE, "milliseconds of that second"),
    U64(result, run.seed, "seed", 0, ""),
    STR(result, run.ended, "ended", KEY_REQUIRED,
        "`running` (found after a crash), `complete`, `interrupted`, `failed`, `void`"),
    STR(result, run.error, "error", KEY_UNKNOWN, "why it failed"),
    U32(result, run.exit_code, "exit_code", KEY_RAISES, ""),
    BOOL(result, run.virtual_time, "virtual_time", 0, ""),
    I64(result, run.wall_ns, "wall_ns", KEY_HERE, "what the tool itself took"),
    I64(result, run.cpu_ns, "cpu_ns", KEY_HERE, ""),
    U64(result, run.memory_bytes, "memory_bytes", KEY_HERE, "planned"),
    U64(result, run.peak_memory_bytes, "peak_memory_bytes", KEY_HERE, "resident at most"),
    OBJECT(result, run.pair, "pair", KEY_HERE | KEY_UNKNOWN, pair_schema,
           "runs made in turns on two drives"),
};
static const struct schema run_schema = {"run", KEYS(run_keys)};

static const struct schema_key config_keys[] = {
    {.name = "name", .type = KEY_STR, .flags = KEY_REQUIRED, .size = 48, .help = ""},
    {.name = "sha256", .type = KEY_STR, .offset = 48, .size = 72, .help = "of the text"},
    {.name = "text", .type = KEY_TEXT, .offset = 120, .help = "the exact bytes of the file"},
};
static const struct schema config_schema = {"vm-config", KEYS(config_keys)};
_Static_assert(SIZE(result, scenario.configs[0].name) == 48 &&
                   AT(result, scenario.configs[0].sha256) - AT(result, scenario.configs[0]) == 48 &&
                   SIZE(result, scenario.configs[0].sha256) == 72 &&
                   AT(result, scenario.configs[0].text) - AT(result, scenario.configs[0]) == 120,
               "config_keys follow the struct");

static const struct schema_key scenario_keys[] = {
    STR(result, scenario.name, "name", KEY_REQUIRED, ""),
    STR(result, scenario.sha256, "sha256", 0, "of the text"),
    TEXT(result, scenario.text, "text", 0, "the exact bytes of the file"),
    STR(result, scenario.settings, "settings", 0,
        "keys set on the command line that nothing else here says, sorted, set apart by blanks: "
        "`workload.mix={new_order:9,payment:1} workload.users=64`"),
    STR(result, scenario.basis, "basis", 0, "what the scenario rests on"),
    STR(result, scenario.scale, "scale", 0, "`1`, `1/400`"),
    BOOL(result, scenario.comparable, "comparable", 0, "full scale and full phases"),
    LIST(result, scenario.configs, scenario.config_count, "vm_configs", 0, config_schema,
         "the vm-configs used"),
};
static const struct schema scenario_schema = {"scenario", KEYS(scenario_keys)};

static const struct schema_key precondition_keys[] = {
    U64(result, precondition.bytes_written, "bytes_written", 0, "before the sample"),
    NUM(result, precondition.capacity_share, "capacity_share", 0, "of the capacity; 2.0 is 200 %"),
    NUM(result, precondition.idle_before_s, "idle_before_s", 0,
        "seconds between the last write and the sample"),
};
static const struct schema precondition_schema = {"precondition", KEYS(precondition_keys)};

static const struct schema_key interference_keys[] = {
    NUM(result_interference, run_ns, "run_ns", 0, "CPU time of the threads that drive the load"),
    NUM(result_interference, run_delay_ns, "run_delay_ns", 0,
        "time in which they were ready and had no CPU"),
    NUM(result_interference, run_delay_share, "run_delay_share", 0,
        "delay / (run + delay); above 0.02 the host may have set the figures, not the drive"),
    NUM(result_interference, steal_share, "steal_share", 0,
        "of the time of all CPUs: taken by the hypervisor"),
    NUM(result_interference, pressure_cpu, "pressure_cpu", 0,
        "share of the time in which some task of the host waited for a CPU"),
    NUM(result_interference, pressure_io, "pressure_io", 0, "for I/O"),
    NUM(result_interference, pressure_memory, "pressure_memory", 0, "for memory"),
    NUM(result_interference, periods, "periods", 0, "of CPU limits of its control groups"),
    NUM(result_interference, throttled_periods, "throttled_periods", 0,
        "in which the limit held rawtps up"),
    NUM(result_interference, cpu_ns, "cpu_ns", 0, "CPU time of the whole process"),
};
static const struct schema interference_schema = {"Interference", KEYS(interference_keys)};

static const struct schema_key host_keys[] = {
    STR(result, host.hostname, "hostname", 0, ""),
    STR(result, host.kernel, "kernel", 0, ""),
    STR(result, host.cpu_model, "cpu_model", 0, ""),
    STR(result, host.governor, "governor", KEY_UNKNOWN, ""),
    U32(result, host.cores, "cores", KEY_UNKNOWN, ""),
    U64(result, host.memory_bytes, "memory_bytes", KEY_UNKNOWN, ""),
    OBJECT(result, host.interference, "interference", 0, interference_schema,
           "what else it did over the sample"),
};
static const struct schema host_schema = {"Host", KEYS(host_keys)};

static const struct schema_key result_keys[] = {
    U32(result, schema_version, "schema_version", KEY_REQUIRED,
        "1; raised when a key changes or goes, not when one comes"),
    PART("run", KEY_OBJECT, KEY_REQUIRED, run_schema, ""),
    PART("scenario", KEY_OBJECT, KEY_REQUIRED, scenario_schema, ""),
    LIST(result, phases, phase_count, "phases", 0, phase_schema, "in their order"),
    PART("precondition", KEY_OBJECT, 0, precondition_schema, ""),
    PART("hosts", KEY_ONE, KEY_HERE, host_schema, "where it ran"),
    LIST(result, drives, drive_count, "drives", 0, drive_schema, ""),
    FAR_LIST(result, servers, server_count, "servers", 0, RESULT_SERVERS, server_schema,
             "real ones"),
    FAR_LIST(result, vms, vm_count, "vms", KEY_REQUIRED, RESULT_VMS, vm_schema, ""),
    OBJECT(result, aggregate, "aggregate", KEY_REQUIRED, vm_schema,
           "all VMs, from merged histograms"),
    NUM(result, fairness, "fairness", 0, "(max - min) / mean of the VMs' `tps`"),
    FAR_LIST(result, checks, check_count, "checks", 0, RESULT_CHECKS, check_schema, ""),
    ROWS(result, warnings, warning_count, "warnings", KEY_LINES, KEY_POINTER, RESULT_WARNINGS, NULL,
         "in words"),
};
const struct schema schema_result = {"The document", KEYS(result_keys)};

const struct schema *const schema_objects[SCHEMA_OBJECTS] = {
    &schema_result,  &run_schema,          &scenario_schema, &config_schema,
    &phase_schema,   &precondition_schema, &host_schema,     &drive_schema,
    &link_schema,    &health_schema,       &vm_schema,       &txn_schema,
    &spent_schema,   &io_schema,           &latency_schema,  &audit_schema,
    &steady_schema,  &integrity_schema,    &check_schema,    &server_schema,
    &setting_schema, &statement_schema,    &pair_schema,     &interference_schema,
};
