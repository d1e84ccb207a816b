#include "scenario.h"

#include "base/must.h"

const char *const scenario_bases[4] = {"published", "exact", "source", "inferred"};

static const char *const kinds[] = {"tpcc", "sysbench", "block", "tpcb"};
static const char *const arrivals[] = {"closed", "constant", "poisson"};
static const char *const decks[] = {"weights", "deck"};
static const char *const draws[] = {"fixed", "per_call"};
static const char *const commits[] = {"once", "per_district"};
static const char *const places[] = {"random", "sequential"};
static const char *const index_sets[] = {"lean", "full"};
static const char *const k_fills[] = {"settled", "pristine"};
static const char *const makers[] = {"sysbench-tpcc", "rawtps"};
static const char *const k_loads[] = {"as_drawn", "special"};
static const char *const durabilities[] = {"flush", "fua"};
static const char *const checkpoints[] = {"automatic", "indirect"};
static const char *const drives[] = {"sim", "null", "uring"};
static const char *const starts[] = {"warm", "cold"};
static const char *const fills[] = {"auto", "yes", "no"};
static const char *const rules[] = {"time", "steady"};
static const char *const presets[] = {"snia", "gate"};

static const struct key top_rows[] = {
    {"name", KEY_TEXT, KEY_FIELD(struct scenario_top, name), .fallback = "the file's name",
     .help = "what results call it"},
    {"about", KEY_TEXT, KEY_FIELD(struct scenario_top, about), .fallback = "",
     .help = "one line for `rawtps list`"},
    {"basis", KEY_WORD, KEY_FIELD(struct scenario_top, basis), KEY_WORDS(scenario_bases),
     .fallback = "inferred", .help = "where its figures come from"},
    {"seed", KEY_COUNT, KEY_FIELD(struct scenario_top, seed), .fallback = "1",
     .help = "all chance comes from it: the same seed gives the same run"},
    {"vms", KEY_COUNT, KEY_FIELD(struct scenario_top, vms), "1", "64", .fallback = "1",
     .many = true, .help = "how many VMs, or a list with a row for each"},
    {"vm", KEY_TEXT, KEY_FIELD(struct scenario_top, vm), .fallback = "small",
     .help = "the VMs' config: a name in vm-configs/, or a path from the scenario"},
    {"workload", KEY_GROUP, .fallback = NULL, .help = "what the users want"},
    {"database", KEY_GROUP, .fallback = "", .help = "how the modelled database does it"},
    {"target", KEY_GROUP, .fallback = "", .help = "a real server that does it instead"},
    {"drive", KEY_GROUP, .fallback = "", .help = "what it is done on"},
    {"phases", KEY_GROUP, .fallback = "", .help = "filling, preconditioning, sample"},
};

static const struct key vms_rows[] = {
    {"name", KEY_TEXT, KEY_FIELD(struct scenario_vm, name), .fallback = "vm0, vm1 ...",
     .help = "what results call the VM"},
    {"config", KEY_TEXT, KEY_FIELD(struct scenario_vm, config), .fallback = "`vm`",
     .help = "its config"},
    {"users", KEY_COUNT, KEY_FIELD(struct scenario_vm, users), "1", "1M",
     .fallback = "the workload's", .help = "its users, threads or requests outstanding"},
    {"seed", KEY_COUNT, KEY_FIELD(struct scenario_vm, seed), .fallback = "from `seed`",
     .help = "its own seed"},
};

/* clang-format off */
#define WORKLOAD_ROWS                                                                             \
    {"kind", KEY_WORD, KEY_FIELD(struct scenario_workload, kind),                                 \
     KEY_WORDS(kinds), .fallback = NULL,                                                          \
     .help = "which workload"},                                                                   \
    {"users", KEY_COUNT, KEY_FIELD(struct scenario_workload, users), "1", "1M",                   \
     .fallback = "tpcc: 10 a warehouse; sysbench: `threads`; block: `outstanding`; tpcb: 1",      \
     .help = "virtual users of a VM; tpcc: fewer than 10 a warehouse stand in all"},              \
    {"rate", KEY_RATE, KEY_FIELD(struct scenario_workload, rate_per_s),                           \
     "0.001/s", "100M/s", .fallback = "",                                                         \
     .help = "open loop: transactions a second that a VM is offered, whatever is answered"},      \
    {"arrivals", KEY_WORD, KEY_FIELD(struct scenario_workload, arrivals),                         \
     KEY_WORDS(arrivals), .fallback = "closed; poisson with `rate`",                              \
     .help = "when transactions are due: after think times, evenly, or at random"},               \
    {"work", KEY_TEXT, KEY_FIELD(struct scenario_workload, work), .fallback = "",                 \
     .help = "stop after so many transactions of a VM (1M); block: or bytes (10GiB)"}
/* clang-format on */

#define TPCC(member)     KEY_FIELD(struct scenario_workload, tpcc.member)
#define SYSBENCH(member) KEY_FIELD(struct scenario_workload, sysbench.member)

static const struct key tpcc_rows[] = {
    WORKLOAD_ROWS,
    {"warehouses", KEY_COUNT, TPCC(warehouses), "1", "1M", .fallback = NULL,
     .help = "the database's size: about 80 to 220 MB each, by profile"},
    {"cycle", KEY_DURATION, KEY_FIELD(struct scenario_workload, cycle_ns), "1us", "1h",
     .fallback = "", .help = "mean keying and think time of a transaction; sets `wait_factor`"},
    {"wait_factor", KEY_NUMBER, TPCC(wait_factor), "0", "100", .fallback = "1",
     .help = "keying and think times against the standard's; 0: no waiting"},
    {"mix", KEY_WORD, TPCC(deck), KEY_WORDS(decks), .fallback = "weights", .many = true,
     .help = "how types are drawn: 45/43/4/4/4, decks of 23 cards, or a section of weights"},
    {"nurand_c", KEY_WORD, TPCC(nurand_per_call), KEY_WORDS(draws), .fallback = "fixed",
     .help = "when the constant of NURand is drawn: once a run as the standard says, or each time"},
    {"local_only", KEY_FLAG, TPCC(local_only), .fallback = "no", .help = "no remote warehouses"},
    {"delivery_commit", KEY_WORD, TPCC(delivery_per_district), KEY_WORDS(commits),
     .fallback = "once", .help = "how often a Delivery commits"},
    {"delivery_deferred", KEY_FLAG, TPCC(deferred), .fallback = "yes",
     .help = "a Delivery answers \"queued\" and a worker carries it out"},
};

static const struct key mix_rows[] = {
    {"new_order", KEY_NUMBER, .bytes = 8, .offset = 0, .least = "0", .most = "1e6", .fallback = "0",
     .help = "weight of New-Order"},
    {"payment", KEY_NUMBER, .bytes = 8, .offset = 8, .least = "0", .most = "1e6", .fallback = "0",
     .help = "of Payment"},
    {"order_status", KEY_NUMBER, .bytes = 8, .offset = 16, .least = "0", .most = "1e6",
     .fallback = "0", .help = "of Order-Status"},
    {"delivery", KEY_NUMBER, .bytes = 8, .offset = 24, .least = "0", .most = "1e6", .fallback = "0",
     .help = "of Delivery"},
    {"stock_level", KEY_NUMBER, .bytes = 8, .offset = 32, .least = "0", .most = "1e6",
     .fallback = "0", .help = "of Stock-Level"},
};

static const struct key sysbench_rows[] = {
    WORKLOAD_ROWS,
    {"mix", KEY_WORD, SYSBENCH(mix), .words = sysbench_mix_names, .word_count = SYSBENCH_MIXES,
     .fallback = "oltp_read_write", .help = "which event"},
    {"tables", KEY_COUNT, SYSBENCH(tables), "1", "10k", .fallback = NULL, .help = "sbtest tables"},
    {"rows", KEY_COUNT, SYSBENCH(rows), "100", "10G", .fallback = NULL, .help = "rows of a table"},
    {"threads", KEY_COUNT, SYSBENCH(threads), "1", "1M", .fallback = NULL,
     .help = "users of a VM, each with one transaction under way"},
    {"range_size", KEY_COUNT, SYSBENCH(range_size), "1", "100k", .fallback = "100",
     .help = "rows of a range"},
    {"point_selects", KEY_COUNT, SYSBENCH(point_selects), "0", "1000", .fallback = "10",
     .help = "selects by id in a transaction"},
    {"simple_ranges", KEY_COUNT, SYSBENCH(simple_ranges), "0", "1000", .fallback = "1",
     .help = "selects of a range"},
    {"sum_ranges", KEY_COUNT, SYSBENCH(sum_ranges), "0", "1000", .fallback = "1",
     .help = "sums over a range"},
    {"order_ranges", KEY_COUNT, SYSBENCH(order_ranges), "0", "1000", .fallback = "1",
     .help = "sorted ranges"},
    {"distinct_ranges", KEY_COUNT, SYSBENCH(distinct_ranges), "0", "1000", .fallback = "1",
     .help = "sorted ranges without duplicates"},
    {"index_updates", KEY_COUNT, SYSBENCH(index_updates), "0", "1000", .fallback = "1",
     .help = "updates of the indexed column"},
    {"non_index_updates", KEY_COUNT, SYSBENCH(non_index_updates), "0", "1000", .fallback = "1",
     .help = "updates of the other column"},
    {"delete_inserts", KEY_COUNT, SYSBENCH(delete_inserts), "0", "1000", .fallback = "1",
     .help = "deletes, each with an insert of the same id"},
    {"skip_trx", KEY_FLAG, SYSBENCH(skip_trx), .fallback = "no",
     .help = "no BEGIN and COMMIT: every statement commits"},
    {"rand_type", KEY_WORD, SYSBENCH(rand_type), .words = dist_names, .word_count = DIST_KINDS,
     .fallback = "special", .help = "how ids are drawn: special of 0.5 to 1.0, uniform of today"},
    {"rand_param", KEY_NUMBER, SYSBENCH(rand_param), "0", "10", .fallback = "0",
     .help = "pareto's h (0.2) or zipfian's exponent (0.8); 0 takes these"},
};

static const struct key tpcb_rows[] = {
    WORKLOAD_ROWS,
    {"mix", KEY_WORD, KEY_FIELD(struct scenario_workload, tpcb.mix), .words = tpcb_mix_names,
     .word_count = TPCB_MIXES, .fallback = "tpcb_like", .help = "which transaction of pgbench"},
    {"scale", KEY_COUNT, KEY_FIELD(struct scenario_workload, tpcb.scale), "1", "100k",
     .fallback = NULL, .help = "the database's size: 100,000 accounts, about 15 MB each"},
};

/* clang-format off */
#define STREAM_ROWS(record, prefix)                                                               \
    {"read", KEY_SHARE, KEY_FIELD(record, prefix stream.read),                                    \
     .most = "100%", .fallback = "required",                                                      \
     .help = "share of reads; the rest are writes"},                                              \
    {"size", KEY_SIZE, KEY_FIELD(record, prefix size),                                            \
     "512", "64MiB", .fallback = "4KiB", .many = true,                                            \
     .help = "bytes of a request, or a list of sizes with shares"},                               \
    {"read_size", KEY_SIZE, KEY_FIELD(record, prefix read_size),                                  \
     "512", "64MiB", .fallback = "`size`", .many = true,                                          \
     .help = "sizes of reads, where they differ"},                                                \
    {"write_size", KEY_SIZE, KEY_FIELD(record, prefix write_size),                                \
     "512", "64MiB", .fallback = "`size`", .many = true,                                          \
     .help = "sizes of writes, where they differ"},                                               \
    {"place", KEY_WORD, KEY_FIELD(record, prefix place),                                          \
     KEY_WORDS(places), .fallback = "random",                                                     \
     .help = "where requests go"},                                                                \
    {"random", KEY_SHARE, KEY_FIELD(record, prefix random),                                       \
     .most = "100%", .fallback = "by `place`",                                                    \
     .help = "share at random places; the rest are sequential"},                                  \
    {"hot", KEY_GROUP, .fallback = "", .help = "a part that gets more than its share"},           \
    {"from", KEY_SHARE, KEY_FIELD(record, prefix stream.from), .most = "100%", .fallback = "0%",  \
     .help = "where in the range the requests' part begins"},                                     \
    {"to", KEY_SHARE, KEY_FIELD(record, prefix stream.to), .most = "100%", .fallback = "100%",    \
     .help = "where it ends"}
/* clang-format on */

static const struct key block_rows[] = {
    WORKLOAD_ROWS,
    {"outstanding", KEY_COUNT, KEY_FIELD(struct scenario_workload, block.users), "1", "65536",
     .fallback = NULL, .many = true,
     .help = "requests in flight of a VM, or a section of threads and queue"},
    {"range", KEY_EXTENT, KEY_FIELD(struct scenario_workload, range), .fallback = "100%",
     .help = "the part of the VM's slice that is used"},
    {"align", KEY_SIZE, KEY_FIELD(struct scenario_workload, block.align_bytes), "512", "64MiB",
     .fallback = "the request's size", .help = "offsets are multiples of this at least"},
    STREAM_ROWS(struct scenario_workload, stream.),
    {"streams", KEY_GROUP, .fallback = "one, of the keys above",
     .help = "a list of streams that share the requests"},
};

static const struct key stream_rows[] = {
    {"name", KEY_TEXT, KEY_FIELD(struct scenario_stream, stream.name), .fallback = NULL,
     .help = "what results call the stream"},
    {"share", KEY_SHARE, KEY_FIELD(struct scenario_stream, stream.share), .most = "100%",
     .fallback = NULL, .help = "of all requests"},
    STREAM_ROWS(struct scenario_stream, ),
};

static const struct key size_rows[] = {
    {"size", KEY_SIZE, KEY_FIELD(struct block_size, bytes), "512", "64MiB", .fallback = NULL,
     .help = "bytes of a request"},
    {"share", KEY_SHARE, KEY_FIELD(struct block_size, share), .most = "100%", .fallback = NULL,
     .help = "of the requests"},
};

static const struct key hot_rows[] = {
    {"share", KEY_SHARE, KEY_FIELD(struct scenario_stream, stream.hot_share), .most = "100%",
     .fallback = NULL, .help = "of the random requests"},
    {"range", KEY_SHARE, KEY_FIELD(struct scenario_stream, stream.hot_range), "0.0001%", "100%",
     .fallback = NULL, .help = "of the range, from its beginning"},
};

static const struct key outstanding_rows[] = {
    {"threads", KEY_COUNT, KEY_FIELD(struct scenario_workload, threads), "1", "1024",
     .fallback = NULL, .help = "users"},
    {"queue", KEY_COUNT, KEY_FIELD(struct scenario_workload, queue), "1", "4096", .fallback = NULL,
     .help = "requests in flight of each"},
};

#define MODEL(member) KEY_FIELD(struct model_settings, member)
#define BY_PROFILE    .fallback = "by profile"

#define ZERO_OR(from, to) .least = (from), .most = (to), .or_zero = true
#define SO_OFTEN                                                                                   \
    .why = "with less from one to the next a run would do little else, and virtual time would "    \
           "crawl"
#define SO_SHORT .why = "a second would hold so many transactions that virtual time would crawl"

static const struct key database_rows[] = {
    {"profile", KEY_WORD, MODEL(profile), .words = model_profile_names,
     .word_count = MODEL_PROFILES, .fallback = "the VM config's", .help = "which database"},
    {"like", KEY_WORD, MODEL(like), .words = model_like_names, .word_count = MODEL_LIKES,
     .fallback = "mariadb-10.11", .only = "innodb",
     .help = "the version whose rules and defaults the keys below begin with"},
    {"buffer", KEY_SIZE, MODEL(buffer_bytes), "1MiB", "64TiB", .fallback = "the VM config's",
     .help = "buffer pool; only its bookkeeping costs memory here"},
    {"page", KEY_SIZE, MODEL(page_bytes), "4KiB", "64KiB", BY_PROFILE, .help = "a page"},
    {"index_set", KEY_WORD, MODEL(index_full), KEY_WORDS(index_sets), BY_PROFILE,
     .help = "secondary indexes of TPC-C: two, or one a foreign key as well"},
    {"char_bytes", KEY_COUNT, MODEL(char_bytes), "1", "4", BY_PROFILE, .only = "innodb sqlserver",
     .help = "bytes of a character, in sqlserver 1 or 2; in innodb of the longest, 4 in utf8mb4, "
             "where tables that `rawtps load` made spend a byte more on each char(n)"},
    {"leaf_fill", KEY_SHARE, MODEL(leaf_fill), "5%", "100%", BY_PROFILE, .only = "sqlserver",
     .help = "how full leaves are after loading"},
    {"tpcc_tables", KEY_WORD, MODEL(tables_own), KEY_WORDS(makers), .fallback = "sysbench-tpcc",
     .only = "innodb postgres",
     .help = "who made and filled TPC-C's tables; those of `rawtps load` have wider columns"},
    {"k_fill", KEY_WORD, MODEL(k_fill_pristine), KEY_WORDS(k_fills), BY_PROFILE,
     .help = "indexes that `rawtps load` makes after the rows (sbtest's k; `tpcc_tables: rawtps`): "
             "after hours of use, or as CREATE INDEX leaves them"},
    {"k_loaded", KEY_WORD, MODEL(k_loaded_special), KEY_WORDS(k_loads), BY_PROFILE,
     .help = "sbtest's k was loaded as ids are drawn, or by the default of Sysbench to 1.0"},
    {"names_loaded", KEY_WORD, MODEL(names_loaded_per_call), KEY_WORDS(draws), BY_PROFILE,
     .help = "tpcc: C of last names when they were loaded; sysbench-tpcc draws one a call"},
    {"log_capacity", KEY_SIZE, MODEL(log_capacity_bytes), "1MiB", "1TiB", BY_PROFILE,
     .help = "redo log; a full one forces a checkpoint"},
    {"log_block", KEY_SIZE, MODEL(log_block_bytes), "512", "64KiB", BY_PROFILE,
     .help = "a log write is a multiple of this"},
    {"log_write", KEY_SIZE, MODEL(log_write_bytes), "512", "64MiB", BY_PROFILE,
     .help = "largest log write"},
    {"log_depth", KEY_COUNT, MODEL(log_depth), "1", "1024", BY_PROFILE,
     .help = "log writes in flight"},
    {"log_durability", KEY_WORD, MODEL(log_fua), KEY_WORDS(durabilities), BY_PROFILE,
     .help = "a flush after each group, or write-through"},
    {"log_sync", KEY_FLAG, MODEL(log_sync), BY_PROFILE,
     .help = "a commit waits until its log is durable"},
    {"checkpoint", KEY_DURATION, MODEL(checkpoint_ns), ZERO_OR("10ms", "1d"), BY_PROFILE, SO_OFTEN,
     .help = "from one checkpoint to the next; 0: by the log alone"},
    {"checkpoint_depth", KEY_COUNT, MODEL(checkpoint_depth), "1", "65536", BY_PROFILE,
     .help = "a checkpoint's writes in flight"},
    {"checkpoint_kind", KEY_WORD, MODEL(checkpoint_indirect), KEY_WORDS(checkpoints), BY_PROFILE,
     .only = "sqlserver", .help = "automatic ones write all at once, indirect ones by and by"},
    {"io_capacity", KEY_COUNT, MODEL(io_capacity), "1", "10M", BY_PROFILE, .only = "innodb",
     .help = "pages a second that the cleaner aims at"},
    {"io_capacity_max", KEY_COUNT, MODEL(io_capacity_max), "1", "10M", BY_PROFILE, .only = "innodb",
     .help = "and at most"},
    {"lru_scan_depth", KEY_COUNT, MODEL(lru_scan_depth), "1", "1M", BY_PROFILE, .only = "innodb",
     .help = "pages kept free"},
    {"doublewrite", KEY_FLAG, MODEL(doublewrite), BY_PROFILE, .only = "innodb",
     .help = "pages are written twice, against torn ones"},
    {"cleaner_sleeps", KEY_FLAG, MODEL(cleaner_sleeps), BY_PROFILE, .only = "innodb",
     .help = "the cleaner sleeps until frames or the log run short, as MariaDB's"},
    {"purge", KEY_DURATION, MODEL(purge_ns), ZERO_OR("1ms", "1h"), BY_PROFILE, SO_OFTEN,
     .only = "innodb",
     .help = "every changed row is visited again so often, as in MariaDB; 0: none is"},
    {"flush_neighbors", KEY_FLAG, MODEL(flush_neighbors), BY_PROFILE, .only = "innodb",
     .help = "a page is written with its dirty neighbours, as on spinning disks"},
    {"full_page_writes", KEY_FLAG, MODEL(full_page_writes), BY_PROFILE, .only = "postgres",
     .help = "whole pages go into the log after a checkpoint"},
    {"data_checksums", KEY_FLAG, MODEL(data_checksums), BY_PROFILE, .only = "postgres",
     .help = "pages carry checksums, so hint bits are logged too"},
    {"autovacuum", KEY_FLAG, MODEL(autovacuum), BY_PROFILE, .only = "postgres",
     .help = "passes over tables of which a fifth has changed, paced by cost"},
    {"os_cache", KEY_SIZE, MODEL(os_cache_bytes), "0", "64TiB", BY_PROFILE, .only = "postgres",
     .help = "cache of the operating system, which answers reads; 0: none"},
    {"optimizer_dives", KEY_FLAG, MODEL(optimizer_dives), BY_PROFILE, .only = "innodb",
     .help = "the optimizer reads index pages for its estimates"},
    {"change_buffer", KEY_FLAG, MODEL(change_buffer), BY_PROFILE, .only = "innodb",
     .help = "changes of absent index leaves wait for their next read"},
    {"gather", KEY_COUNT, MODEL(gather_pages), "1", "64", BY_PROFILE, .only = "sqlserver",
     .help = "adjacent dirty pages written at once"},
    {"cpu_statement", KEY_DURATION, MODEL(cpu_statement_ns), ZERO_OR("100ns", "1s"), BY_PROFILE,
     SO_SHORT,
     .help = "mean CPU of a statement; 0: by `cpu_transaction`, which must not be 0 then"},
    {"cpu_transaction", KEY_DURATION, MODEL(cpu_txn_ns), ZERO_OR("1us", "10s"), BY_PROFILE,
     SO_SHORT,
     .help = "mean CPU of a transaction that is a stored procedure; 0: by `cpu_statement`"},
    {"cpu_page_write", KEY_DURATION, MODEL(cpu_page_write_ns), ZERO_OR("100ns", "10ms"), BY_PROFILE,
     .help =
         "mean CPU that background threads and the kernel use for each page that is written; 0: "
         "it is in `cpu_statement`"},
    {"cpu_sigma", KEY_NUMBER, MODEL(cpu_sigma), "0", "3", BY_PROFILE,
     .help = "spread of CPU times: sigma of their logarithm"},
    {"cpu_tail_share", KEY_SHARE, MODEL(cpu_tail_share), .most = "100%", BY_PROFILE,
     .help = "share of CPU bursts that are much longer"},
    {"cpu_tail_factor", KEY_NUMBER, MODEL(cpu_tail_factor), "1", "1000", BY_PROFILE,
     .help = "and how much"},
    {"lock_timeout", KEY_DURATION, MODEL(lock_timeout_ns), "1ms", "1d", BY_PROFILE,
     .help = "a transaction that waits longer for a row is tried again"},
    {"growth", KEY_SIZE, MODEL(growth_bytes), "1MiB", "64TiB",
     .fallback = "from the expected inserts", .help = "space for rows inserted while running"},
};

#define TARGET(member) KEY_FIELD(struct scenario_target, member)

static const struct key target_rows[] = {
    {"url", KEY_TEXT, TARGET(url), .fallback = "--target",
     .help = "postgresql://user@host:port/database or mysql://...; without one the model answers"},
    {"connections", KEY_COUNT, TARGET(sql.connections), "1", "100k",
     .fallback = "one a user, up to the server's limit", .help = "connections of a VM"},
    {"loops", KEY_COUNT, TARGET(sql.loops), "1", "16", .fallback = "1",
     .help = "threads that drive one server, where one core is not enough"},
    {"patience", KEY_DURATION, TARGET(sql.patience_ns), "1s", "1d", .fallback = "1m",
     .help = "so long without any connection ends a run; its result is kept"},
    {"isolation", KEY_WORD, TARGET(sql.isolation), .words = sql_isolation_names,
     .word_count = ISOLATIONS, .fallback = "default",
     .help = "isolation level of every connection"},
    {"prepared", KEY_FLAG, TARGET(sql.prepared), .fallback = "yes",
     .help = "prepared statements, else text with literals"},
    {"pipeline", KEY_FLAG, TARGET(sql.pipeline), .fallback = "no",
     .help = "send what needs no answer together with what follows (PostgreSQL)"},
    {"procedures", KEY_FLAG, TARGET(sql.procedures), .fallback = "no",
     .help = "tpcc: a stored procedure a transaction; one round trip"},
    {"autocommit", KEY_FLAG, TARGET(sql.autocommit), .fallback = "no",
     .help = "no BEGIN and COMMIT: every statement commits"},
    {"foreign_keys", KEY_FLAG, TARGET(sql.foreign_keys), .fallback = "no",
     .help = "load: foreign keys between the tables of tpcc"},
    {"index_set", KEY_WORD, TARGET(sql.full_indexes), KEY_WORDS(index_sets), .fallback = "lean",
     .help = "load: secondary indexes: two, or one for every foreign key too"},
    {"history_key", KEY_FLAG, TARGET(sql.history_key), .fallback = "no",
     .help = "load: a primary key for history, which clusters insist on"},
    {"partition", KEY_COUNT, TARGET(sql.partitions), "0", "1024", .fallback = "0",
     .help = "load: tables of tpcc in so many partitions by warehouse; 0: none"},
    {"engine_options", KEY_TEXT, TARGET(sql.engine_options), .fallback = "",
     .help = "load: what CREATE TABLE ends with: ENGINE=InnoDB ROW_FORMAT=DYNAMIC"},
    {"ignore", KEY_TEXT, TARGET(ignore), .fallback = "", .many = true,
     .help = "errors after which a transaction counts as skipped: 1062, 23505, or a list"},
};

#define SIM(member) KEY_FIELD(struct scenario_drive, sim.member)
#define BY_MODEL    .fallback = "the model's"

/* clang-format off */
#define SIM_ROWS                                                                                  \
    {"dies", KEY_COUNT, SIM(dies), "1", "4096", BY_MODEL,                                         \
     .help = "flash dies that work at once"},                                                     \
    {"read", KEY_DURATION, SIM(read_ns), "1us", "1s", BY_MODEL,                                   \
     .help = "flash read of a unit (tR)"},                                                        \
    {"read_jitter", KEY_SHARE, SIM(read_jitter), .most = "100%", BY_MODEL,                        \
     .help = "spread of `read`, both ways"},                                                      \
    {"program_suspend_min", KEY_DURATION, SIM(program_suspend_min_ns), "0", "1s", BY_MODEL,       \
     .help = "least wait of a read that meets a program"},                                        \
    {"program_suspend_max", KEY_DURATION, SIM(program_suspend_max_ns), "0", "1s", BY_MODEL,       \
     .help = "longest wait of such a read"},                                                      \
    {"suspends", KEY_COUNT, SIM(suspends), "1", "1000", BY_MODEL,                                 \
     .help = "how often reads may suspend a program; 16 unless given"},                            \
    {"command", KEY_DURATION, SIM(command_ns), "0", "1s", BY_MODEL,                               \
     .help = "serial time of a command: 1 / the highest IOPS"},                                   \
    {"fixed", KEY_DURATION, SIM(fixed_ns), "0", "1s", BY_MODEL,                                   \
     .help = "controller's time of a request"},                                                   \
    {"write_ack", KEY_DURATION, SIM(write_ack_ns), "0", "1s", BY_MODEL,                           \
     .help = "a write is acknowledged from the cache after this"},                                \
    {"flush", KEY_DURATION, SIM(flush_ns), "0", "10s", BY_MODEL,                                  \
     .help = "a flush without power-loss protection; 0: protected"},                              \
    {"link_read", KEY_BANDWIDTH, SIM(link_read_bytes_per_s), "1MB/s", "1TB/s", BY_MODEL,          \
     .help = "from the drive"},                                                                   \
    {"link_write", KEY_BANDWIDTH, SIM(link_write_bytes_per_s), "1MB/s", "1TB/s", BY_MODEL,        \
     .help = "to the drive"},                                                                     \
    {"cache", KEY_SIZE, SIM(cache_bytes), "64KiB", "1TiB", BY_MODEL,                              \
     .help = "write cache"},                                                                      \
    {"program", KEY_BANDWIDTH, SIM(program_bytes_per_s), "1MB/s", "1TB/s", BY_MODEL,              \
     .help = "programming, raw, all dies together"},                                              \
    {"stripe", KEY_SIZE, SIM(stripe_bytes), "4KiB", "64MiB", BY_MODEL,                            \
     .help = "data that go to one die at a time"},                                                \
    {"over_provisioning", KEY_SHARE, SIM(over_provisioning), .most = "1000%", BY_MODEL,           \
     .help = "spare flash against the capacity"},                                                 \
    {"write_amplification", KEY_NUMBER, SIM(write_amplification), "0", "100", BY_MODEL,           \
     .help = "fixed; 0: worked out from what is written"},                                        \
    {"gc_unit", KEY_SIZE, SIM(gc_unit_bytes), ZERO_OR("64KiB", "1TiB"), SO_OFTEN, BY_MODEL,       \
     .help = "garbage is collected each so much that is written; 0: by and by"},                  \
    {"stack", KEY_DURATION, SIM(stack_ns), "0", "1s", BY_MODEL,                                   \
     .help = "the host's virtual stack, added to every request"},                                 \
    {"throttle_at", KEY_NUMBER, SIM(throttle_at), "0", "150", BY_MODEL,                           \
     .help = "degrees Celsius from which it slows down; 0: heat is not imitated"},                \
    {"throttle_to", KEY_SHARE, SIM(throttle_to), "1%", "100%", BY_MODEL,                          \
     .help = "of its speed then"},                                                                \
    {"ambient", KEY_NUMBER, SIM(ambient), "0", "100", BY_MODEL,                                   \
     .help = "temperature of the air"},                                                           \
    {"heat", KEY_NUMBER, SIM(heat), "0", "100", BY_MODEL,                                         \
     .help = "degrees above it a watt"},                                                          \
    {"heat_time", KEY_DURATION, SIM(heat_time_ns), "1s", "1d", BY_MODEL,                          \
     .help = "time constant of warming and cooling"},                                             \
    {"power_idle", KEY_NUMBER, SIM(power_idle), "0", "1000", BY_MODEL,                            \
     .help = "watts when idle"},                                                                  \
    {"power_read", KEY_NUMBER, SIM(power_read), "0", "1000", BY_MODEL,                            \
     .help = "watts more a GB/s read"},                                                           \
    {"power_program", KEY_NUMBER, SIM(power_program), "0", "1000", BY_MODEL,                      \
     .help = "watts more a GB/s programmed"}
/* clang-format on */

#define DRIVE(member) KEY_FIELD(struct scenario_drive, member)

static const struct key drive_rows[] = {
    {"kind", KEY_WORD, DRIVE(kind), KEY_WORDS(drives), .fallback = "sim",
     .help = "simulated in virtual time, one that answers at once, or a real one by io_uring"},
    {"like", KEY_TEXT, DRIVE(like), .fallback = "h3201-e1s",
     .help = "sim: the model: a name in scenarios/drives/, or a path from the scenario"},
    {"path", KEY_TEXT, DRIVE(path), .fallback = "--drive",
     .help = "uring: a block device or a file"},
    {"capacity", KEY_SIZE, DRIVE(capacity_bytes), "1MiB", "8192TiB", .fallback = "the drive's",
     .help = "sim, null: its size; uring: the size of a file that is made"},
    {"range", KEY_EXTENT, DRIVE(range), .fallback = "100%",
     .help = "the part of the drive that is used, from its beginning"},
    {"form_factor", KEY_TEXT, DRIVE(form_factor), .fallback = "",
     .help = "a label: U.2, E1.S; drives do not say it themselves"},
    {"latency", KEY_DURATION, DRIVE(latency_ns), "1ns", "10s", .fallback = "1us",
     .help = "null: it answers after this"},
    {"stamps", KEY_FLAG, DRIVE(stamps), .fallback = "yes",
     .help = "pages carry who and when, checked at every read; for databases"},
    {"batch", KEY_COUNT, DRIVE(uring.batch), "0", "4096", .fallback = "0",
     .help = "uring: most requests a submission; 0: no limit"},
    {"fixed_buffers", KEY_FLAG_OFF, DRIVE(uring.no_fixed_buffers), .fallback = "yes",
     .help = "uring: registered buffers, if the limit on locked memory lets it"},
    {"fixed_file", KEY_FLAG_OFF, DRIVE(uring.no_fixed_file), .fallback = "yes",
     .help = "uring: registered file"},
    {"ring_fd", KEY_FLAG_OFF, DRIVE(uring.no_ring_fd), .fallback = "yes",
     .help = "uring: registered ring"},
    {"defer", KEY_FLAG_OFF, DRIVE(uring.no_defer), .fallback = "yes",
     .help = "uring: DEFER_TASKRUN, if the kernel has it"},
    {"single_issuer", KEY_FLAG_OFF, DRIVE(uring.no_single_issuer), .fallback = "yes",
     .help = "uring: SINGLE_ISSUER, if the kernel has it"},
    {"two_enters", KEY_FLAG, DRIVE(uring.two_enters), .fallback = "no",
     .help = "uring: submit first, and wait only if nothing is done"},
    {"spin", KEY_DURATION, DRIVE(uring.spin_ns), "0", "1ms", .fallback = "0s",
     .help = "uring: wake so much before a deadline and poll"},
    {"poll", KEY_FLAG, DRIVE(uring.poll), .fallback = "no", .help = "uring: polled completions"},
    {"sqpoll", KEY_FLAG, DRIVE(uring.sqpoll), .fallback = "no",
     .help = "uring: a kernel thread submits"},
    SIM_ROWS,
};

static const struct key drive_model_rows[] = {
    {"name", KEY_TEXT, SIM(name), .fallback = "the file's name", .help = "what `like` names"},
    {"about", KEY_GROUP, .fallback = "", .help = "one line for `rawtps list`"},
    {"model", KEY_TEXT, SIM(model), .fallback = "", .help = "the drive that it stands for"},
    {"form_factor", KEY_TEXT, SIM(form_factor), .fallback = "", .help = "U.2, E1.S, M.2"},
    {"firmware", KEY_TEXT, SIM(firmware), .fallback = "", .help = "firmware"},
    {"capacity", KEY_SIZE, SIM(capacity_bytes), "1MiB", "8192TiB", .fallback = NULL,
     .help = "user capacity"},
    {"link_speed", KEY_NUMBER, SIM(link_gt_s), "0", "1000", .fallback = "",
     .help = "what results say of its link: GT/s of a lane, without lanes Gb/s"},
    {"link_lanes", KEY_COUNT, SIM(link_lanes), "0", "64", .fallback = "",
     .help = "and how many lanes"},
    SIM_ROWS,
    {"basis", KEY_GROUP, .fallback = "", .help = "for each key, where its figure comes from"},
};

#define PHASES(member) KEY_FIELD(struct scenario_phases, member)

static const struct key phases_rows[] = {
    {"start", KEY_WORD, PHASES(start), KEY_WORDS(starts), .fallback = "warm",
     .help = "the buffer pool: as after hours of the workload, or empty"},
    {"fill", KEY_WORD, PHASES(fill), KEY_WORDS(fills), .fallback = "auto",
     .help = "write the database first; auto: unless the drive holds this one already"},
    {"precondition", KEY_DURATION, PHASES(precondition_ns), "0", "365d", .fallback = "0s",
     .many = true, .help = "run before the sample, unrecorded; a time or a section"},
    {"sample", KEY_DURATION, PHASES(sample_ns), "100ms", "365d", .fallback = "60s",
     .help = "what is measured"},
    {"interval", KEY_DURATION, PHASES(interval_ns), "10ms", "1h",
     .fallback = "1s, at most `sample`", .help = "a row of the time series"},
    {"settle", KEY_DURATION, PHASES(settle_ns), "0", "1d", .fallback = "60s",
     .help = "virtual time between a warm start and the sample"},
};

static const struct key precondition_rows[] = {
    {"time", KEY_DURATION, PHASES(precondition_ns), "0", "365d", .fallback = "", .help = "so long"},
    {"until", KEY_WORD, PHASES(until), KEY_WORDS(rules), .fallback = "time",
     .help = "steady: until throughput and latency are steady, at most `max`"},
    {"preset", KEY_WORD, PHASES(preset), KEY_WORDS(presets), .fallback = "snia",
     .help = "what is steady: range and excursion at most 20 % and 10 %, or 10 % and 3 %"},
    {"max", KEY_DURATION, PHASES(max_ns), "1s", "365d", .fallback = "3h",
     .help = "the most that `until: steady` or `amount` may take"},
    {"amount", KEY_EXTENT, PHASES(amount), .fallback = "",
     .help = "until so much is written; a share is of the part of the drive that is used"},
};

static const struct key config_rows[] = {
    {"about", KEY_TEXT, KEY_FIELD(struct scenario_config, about), .fallback = "",
     .help = "one line for `rawtps list`"},
    {"vcpus", KEY_COUNT, KEY_FIELD(struct scenario_config, vcpus), "1", "1024", .fallback = NULL,
     .help = "cores that its database has"},
    {"memory", KEY_SIZE, KEY_FIELD(struct scenario_config, memory_bytes), "1MiB", "64TiB",
     .fallback = NULL, .help = "the VM's memory; modelled, not used"},
    {"buffer", KEY_SIZE, KEY_FIELD(struct scenario_config, buffer_bytes), "1MiB", "64TiB",
     .fallback = "three quarters of `memory`", .help = "its database's buffer pool"},
    {"disks", KEY_GROUP, .fallback = "one, as large as is needed",
     .help = "a list of virtual disks: slices of the drive"},
    {"database", KEY_GROUP, .fallback = "", .help = "defaults for a scenario's `database`"},
};

static const struct key disk_rows[] = {
    {"role", KEY_TEXT, KEY_FIELD(struct plan_disk, role), .fallback = NULL,
     .help = "data holds database and log; others take up space"},
    {"size", KEY_SIZE, KEY_FIELD(struct plan_disk, bytes), "1MiB", "8192TiB", .fallback = NULL,
     .help = "its size"},
};

#define ROWS(table) table, sizeof(table) / sizeof(table[0])

static const struct section sections[SECTIONS] = {
    [SECTION_TOP] = {"the scenario", "The scenario", ROWS(top_rows), ""},
    [SECTION_VMS] = {"vms", "`vms:` as a list", ROWS(vms_rows), ""},
    [SECTION_TPCC] = {"workload", "`workload:` of kind tpcc", ROWS(tpcc_rows),
                      "TPC-C-derived: results are not comparable with published TPC results."},
    [SECTION_SYSBENCH] = {"workload", "`workload:` of kind sysbench", ROWS(sysbench_rows), ""},
    [SECTION_BLOCK] = {"workload", "`workload:` of kind block", ROWS(block_rows), ""},
    [SECTION_TPCB] = {"workload", "`workload:` of kind tpcb", ROWS(tpcb_rows),
                      "pgbench's transactions, for servers alone: no model answers them."},
    [SECTION_MIX] = {"mix", "`workload.mix:` of tpcc as a section", ROWS(mix_rows),
                     "Weights; only their ratios matter."},
    [SECTION_STREAMS] = {"streams", "`workload.streams:` of block, each", ROWS(stream_rows), ""},
    [SECTION_SIZES] = {"size", "`size:` as a list, each", ROWS(size_rows), ""},
    [SECTION_HOT] = {"hot", "`hot:`", ROWS(hot_rows), ""},
    [SECTION_OUTSTANDING] = {"outstanding", "`outstanding:` as a section", ROWS(outstanding_rows),
                             ""},
    [SECTION_DATABASE] = {"database", "`database:`", ROWS(database_rows),
                          "Where a default is \"by profile\", `rawtps plan` shows it."},
    [SECTION_TARGET] = {"target", "`target:`", ROWS(target_rows),
                        "A password belongs into ~/.pgpass, ~/.my.cnf or PGPASSWORD, MYSQL_PWD."},
    [SECTION_DRIVE] = {"drive", "`drive:`", ROWS(drive_rows),
                       "The keys from `dies` on override the drive model's."},
    [SECTION_PHASES] = {"phases", "`phases:`", ROWS(phases_rows), ""},
    [SECTION_PRECONDITION] = {"precondition", "`phases.precondition:` as a section",
                              ROWS(precondition_rows), ""},
    [SECTION_CONFIG] = {"the VM config", "A file of `vm-configs/`", ROWS(config_rows), ""},
    [SECTION_DISKS] = {"disks", "`disks:` of a VM config, each", ROWS(disk_rows), ""},
    [SECTION_DRIVE_MODEL] = {"the drive model", "A file of `scenarios/drives/`",
                             ROWS(drive_model_rows), ""},
};

const struct section *section_of(enum section_id id)
{
    must(id < SECTIONS);
    return &sections[id];
}
