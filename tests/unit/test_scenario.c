/* Bad input: what a scenario, its files and the options may get wrong, each with its one message.
 */
/* rooms: base io workload sql target plan */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/plan/scenario.h"
#include "base/mem.h"
#include "plan/plan.h"

#define TPCC  "workload: {kind: tpcc, warehouses: 4}\n"
#define SYSB  "workload: {kind: sysbench, tables: 4, rows: 1000, threads: 2}\n"
#define BLOCK "workload: {kind: block, outstanding: 4, read: 50%}\n"
#define FOUR  "warehouses: 4}\n"

struct bad {
    const char *yaml;
    const char *says; /* what the message begins with */
    const char *hint; /* what the hint holds */
    const char *option[4];
    enum exit_code exit; /* EXIT_FINE: EXIT_USAGE */
};

static const struct bad bads[] = {
    /* words */
    {.yaml = "workload:\n  kind: tpcc\n  warehoses: 4\n",
     .says = "t.yaml:3:3: unknown key \"warehoses\" in workload",
     .hint = "did you mean \"warehouses\"?"},
    {.yaml = TPCC "phase: {sample: 1s}\n",
     .says = "t.yaml:2:1: unknown key \"phase\" in the scenario",
     .hint = "did you mean \"phases\"?"},
    {.yaml = TPCC "phases: {sampel: 1s}\n",
     .says = "t.yaml:2:10: unknown key \"sampel\" in phases",
     .hint = "did you mean \"sample\"?"},
    {.yaml = TPCC "database:\n  bufer: 1GiB\n",
     .says = "t.yaml:3:3: unknown key \"bufer\" in database",
     .hint = "did you mean \"buffer\"?"},
    {.yaml = TPCC "drive: {pth: x}\n",
     .says = "t.yaml:2:9: unknown key \"pth\" in drive",
     .hint = "\"path\""},
    {.yaml = TPCC "zzzzzz: 1\n",
     .says = "t.yaml:2:1: unknown key \"zzzzzz\" in the scenario",
     .hint = "rawtps help"},
    {.yaml = "workload: {kind: tpcc, warehouses: 4, threads: 2}\n",
     .says = "t.yaml:1:39: unknown key \"threads\" in workload",
     .hint = "it is a key of kind sysbench"},
    {.yaml = "workload: {kind: block, outstanding: 4, read: 50%, tables: 2}\n",
     .says = "t.yaml:1:52: unknown key \"tables\" in workload",
     .hint = "it is a key of kind sysbench"},
    {.yaml = "workload: {kind: tpcd, warehouses: 4}\n",
     .says = "t.yaml:1:18: kind: must be tpcc, sysbench, block or tpcb, not \"tpcd\"",
     .hint = "\"tpcc\""},
    {.yaml = TPCC "basis: guessed\n",
     .says = "t.yaml:2:8: basis: must be published, exact, source or inferred"},
    {.yaml = TPCC "database: {profile: oracle}\n",
     .says = "t.yaml:2:21: profile: must be innodb, postgres or"},
    {.yaml = TPCC "database: {profile: postgress}\n",
     .says = "t.yaml:2:21: profile: must be",
     .hint = "\"postgres\""},
    {.yaml = TPCC "database: {profile: innodb, like: mysql-8}\n",
     .says = "t.yaml:2:35: like: must be mariadb-10.11, mariadb-10.4,"},
    {.yaml = TPCC "database: {profile: postgres, like: mysql-8.0}\n",
     .says = "t.yaml:2:31: like: a key of profile innodb, and this database's is postgres"},
    {.yaml = TPCC "database:\n  profile: postgres\n  doublewrite: no\n",
     .says = "t.yaml:4:3: doublewrite: a key of profile innodb, and this database's is postgres",
     .hint = "leave it out, or choose its profile: --set database.profile=innodb"},
    {.yaml = TPCC,
     .says = "--set database.os_cache=1GiB: os_cache: a key of profile postgres, and this",
     .option = {"set", "database.os_cache=1GiB"}},
    {.yaml = TPCC "database: {profile: postgres, char_bytes: 2}\n",
     .says = "t.yaml:2:31: char_bytes: a key of profile innodb and sqlserver, and this database's"},
    {.yaml = TPCC "drive: {kind: nvme}\n",
     .says = "t.yaml:2:15: kind: must be sim, null or uring, not \"nvme\""},
    {.yaml = TPCC "drive: {like: h3200u2}\n",
     .says = "t.yaml:2:15: there is no drive model \"h3200u2\"",
     .hint = "did you mean \"h3200-u2\"?"},
    {.yaml = TPCC "vm: smal\n",
     .says = "t.yaml:2:5: there is no VM config \"smal\"",
     .hint = "did you mean \"small\"?"},
    {.yaml = TPCC "vm: ./absent.yaml\n", .says = "./absent.yaml: No such file"},
    {.yaml = TPCC "phases: {start: hot}\n",
     .says = "t.yaml:2:17: start: must be warm or cold, not \"hot\""},
    {.yaml = TPCC "phases: {fill: maybe}\n", .says = "t.yaml:2:16: fill: must be auto, yes or no"},
    {.yaml = "workload: {kind: sysbench, tables: 4, rows: 1000, threads: 2, rand_type: zipf}\n",
     .says = "t.yaml:1:74: rand_type: must be uniform, gaussian, special, pareto or zipfian",
     .hint = "\"zipfian\""},
    {.yaml = "workload: {kind: sysbench, tables: 4, rows: 1000, threads: 2, mix: oltp_rw}\n",
     .says = "t.yaml:1:68: mix: must be oltp_read_write"},
    {.yaml = "workload: {kind: tpcc, local_only: perhaps, warehouses: 4}\n",
     .says = "t.yaml:1:36: local_only: must be yes or no, not \"perhaps\""},
    /* missing */
    {.yaml = "about: nothing\n", .says = "t.yaml:1:1: \"workload\" is missing in the scenario"},
    {.yaml = "workload: {warehouses: 4}\n", .says = "t.yaml:1:1: \"kind\" is missing in workload"},
    {.yaml = "workload: {kind: tpcc}\n",
     .says = "t.yaml:1:1: \"warehouses\" is missing in workload"},
    {.yaml = "workload: {kind: sysbench, tables: 4, rows: 1000}\n",
     .says = "t.yaml:1:1: \"threads\" is missing in workload"},
    {.yaml = "workload: {kind: block, read: 1}\n",
     .says = "t.yaml:1:1: \"outstanding\" is missing in workload"},
    {.yaml = "workload: {kind: block, outstanding: 4}\n",
     .says = "t.yaml:1:1: \"read\" is missing"},
    {.yaml = "workload: {kind: tpcc, warehouses: }\n",
     .says = "t.yaml:1:36: warehouses: a value is missing: a whole number"},
    {.yaml = "workload: {kind: block, outstanding: {threads: 4}, read: 1}\n",
     .says = "t.yaml:1:25: \"queue\" is missing in outstanding"},
    {.yaml = TPCC "phases: {precondition: {max: 1h}}\n",
     .says = "t.yaml:2:10: precondition: one of time, amount"},
    /* numbers and units */
    {.yaml = "workload: {kind: tpcc, users: 0, " FOUR,
     .says = "t.yaml:1:31: users: must be 1 to 1M, not 0"},
    {.yaml = "workload: {kind: tpcc, users: -5, " FOUR,
     .says = "t.yaml:1:31: users: must be 1 to 1M, not -5"},
    {.yaml = "workload: {kind: tpcc, users: many, " FOUR,
     .says = "t.yaml:1:31: users: \"many\" is not a count",
     .hint = "15k"},
    {.yaml = "workload: {kind: tpcc, users: 1.5, " FOUR,
     .says = "t.yaml:1:31: users: \"1.5\" is not a count"},
    {.yaml = "workload: {kind: tpcc, warehouses: 1000000000000}\n",
     .says = "t.yaml:1:36: warehouses: must be 1 to 1M, not 1000000000000"},
    {.yaml = "workload: {kind: tpcc, warehouses: 1T}\n",
     .says = "t.yaml:1:36: warehouses: must be 1 to 1M"},
    {.yaml = "workload: {kind: tpcc, cycle: 5, " FOUR,
     .says = "t.yaml:1:31: cycle: \"5\" is not a duration"},
    {.yaml = "workload: {kind: tpcc, cycle: 2h, " FOUR,
     .says = "t.yaml:1:31: cycle: must be 1us to 1h, not 2h"},
    {.yaml = "workload: {kind: tpcc, wait_factor: -1, " FOUR,
     .says = "t.yaml:1:37: wait_factor: must be 0 to 100"},
    {.yaml = TPCC "database: {buffer: 48}\n",
     .says = "t.yaml:2:20: buffer: must be 1MiB to 64TiB, not 48"},
    {.yaml = TPCC "database: {buffer: 48 apples}\n",
     .says = "t.yaml:2:20: buffer: \"48 apples\" is not a size",
     .hint = "KiB"},
    {.yaml = TPCC "database: {buffer: 48GiBB}\n",
     .says = "t.yaml:2:20: buffer: \"48GiBB\" is not a size"},
    {.yaml = TPCC "database: {leaf_fill: 62}\n",
     .says = "t.yaml:2:23: leaf_fill: \"62\" is not a share"},
    {.yaml = TPCC "database: {page: 12KiB}\n", .says = "t.yaml:2:18: page: must be a power of two"},
    {.yaml = TPCC "phases: {sample: 0s}\n",
     .says = "t.yaml:2:18: sample: must be 100ms to 365d, not 0s"},
    {.yaml = TPCC "phases: {sample: 1y}\n",
     .says = "t.yaml:2:18: sample: \"1y\" is not a duration"},
    {.yaml = TPCC "database: {log_block: 1000}\n",
     .says = "vm0: database.log_block: a multiple of 512 bytes, not 1000"},
    {.yaml = TPCC "database: {profile: sqlserver, gather: 65}\n",
     .says = "t.yaml:2:40: gather: must be 1 to 64, not 65"},
    {.yaml = TPCC "database: {log_block: 8KiB, log_write: 4KiB}\n",
     .says = "vm0: database.log_write: at least 8KiB, a database.log_block, not 4KiB"},
    {.yaml = TPCC "database: {log_write: 4MiB, log_capacity: 7MiB}\n",
     .says = "vm0: database.log_capacity: at least 8MiB, twice database.log_write, not 7MiB"},
    {.yaml = TPCC "database: {cpu_statement: 0s}\n",
     .says = "t.yaml:2:27: cpu_statement and cpu_transaction are both 0"},
    {.yaml = TPCC "database: {profile: sqlserver, cpu_transaction: 0s}\n",
     .says = "t.yaml:2:49: cpu_statement and cpu_transaction are both 0"},
    {.yaml = TPCC "database: {purge: 1ns}\n",
     .says = "t.yaml:2:19: purge: must be 0 or 1ms to 1h, not 1ns",
     .hint = "would crawl"},
    {.yaml = TPCC "database: {checkpoint: 9us}\n",
     .says = "t.yaml:2:24: checkpoint: must be 0 or 10ms to 1d, not 9us",
     .hint = "would crawl"},
    {.yaml = TPCC "database: {cpu_statement: 1ns}\n",
     .says = "t.yaml:2:27: cpu_statement: must be 0 or 100ns to 1s, not 1ns",
     .hint = "would crawl"},
    {.yaml = TPCC "database: {cpu_transaction: 1ns}\n",
     .says = "t.yaml:2:29: cpu_transaction: must be 0 or 1us to 10s, not 1ns",
     .hint = "would crawl"},
    {.yaml = TPCC "phases: {sample: 1s, interval: 2s}\n",
     .says = "t.yaml:2:32: interval: must be at most `sample`"},
    {.yaml = "workload: {kind: tpcc, rate: 100, " FOUR,
     .says = "t.yaml:1:30: rate: \"100\" is not a rate",
     .hint = "/s"},
    {.yaml = TPCC "drive: {link_read: 3400MB}\n",
     .says = "t.yaml:2:20: link_read: \"3400MB\" is not a bandwidth"},
    {.yaml = TPCC "drive: {range: 0%}\n", .says = "t.yaml:2:16: range: must be more than 0"},
    {.yaml = TPCC "drive: {range: 120%}\n",
     .says = "t.yaml:2:16: range: must be at most 100%, not 120%"},
    {.yaml = TPCC "drive: {range: 9TB}\n",
     .says = "t.yaml:2:16: range: the drive has only 3.84 TB"},
    {.yaml = TPCC "seed: -1\n", .says = "t.yaml:2:7: seed: \"-1\" is not a count: it is negative"},
    {.yaml = "workload: {kind: sysbench, tables: 0, rows: 1000, threads: 2}\n",
     .says = "t.yaml:1:36: tables: must be 1 to 10k, not 0"},
    {.yaml = "workload: {kind: sysbench, tables: 4, rows: 1000, threads: 2, range_size: 2000}\n",
     .says = "t.yaml:1:63: range_size: must be at most `rows`, which is 1000"},
    {.yaml = "workload: {kind: block, outstanding: 0, read: 1}\n",
     .says = "t.yaml:1:38: outstanding: must be 1 to 65536, not 0"},
    {.yaml = "workload: {kind: block, outstanding: 4, read: 1, size: 1000}\n",
     .says = "t.yaml:1:56: size: must be a multiple of 512, not 1000"},
    {.yaml = "workload: {kind: block, outstanding: 4, read: 150%}\n",
     .says = "t.yaml:1:47: read: must be at most 100%, not 150%"},
    {.yaml = "workload: {kind: block, outstanding: {threads: 1024, queue: 4096}, read: 1}\n",
     .says = "t.yaml:1:38: outstanding: threads x queue must be at most 65536"},
    {.yaml = "workload: {kind: tpcc, work: 0, " FOUR,
     .says = "t.yaml:1:30: work: must be 1 or more, not 0"},
    {.yaml = "workload: {kind: tpcc, work: 10GiB, " FOUR,
     .says = "t.yaml:1:30: work: \"10GiB\" is not a count"},
    /* kinds of values */
    {.yaml = "workload: tpcc\n",
     .says = "t.yaml:1:11: workload: a section of keys is expected, not a single value"},
    {.yaml = "workload: {kind: tpcc, users: [1], " FOUR,
     .says = "t.yaml:1:31: users: a whole number"},
    {.yaml = TPCC "database: innodb\n",
     .says = "t.yaml:2:11: database: a section of keys is expected"},
    {.yaml = TPCC "vms: {a: 1}\n",
     .says = "t.yaml:2:6: vms: a number or a list is expected, not a section"},
    {.yaml = TPCC "vms: []\n", .says = "t.yaml:2:6: vms: must be 1 to 64 VMs, not 0"},
    {.yaml = TPCC "vms: 65\n", .says = "t.yaml:2:6: vms: must be 1 to 64, not 65"},
    {.yaml = TPCC "vms: [{name: a}, {name: a}]\n", .says = "t.yaml:2:18: two VMs are called \"a\""},
    {.yaml = TPCC "vms: [{name: a/b}]\n",
     .says = "t.yaml:2:7: name: letters, digits, - _ and . are allowed"},
    {.yaml = TPCC "vms: [{nam: a}]\n",
     .says = "t.yaml:2:8: unknown key \"nam\" in vms",
     .hint = "\"name\""},
    {.yaml = TPCC "vms: [7]\n",
     .says = "t.yaml:2:7: vms: a section of keys is expected, not a single value"},
    {.yaml = TPCC "name: two words\n", .says = "t.yaml:2:7: name: no spaces and no / are allowed"},
    {.yaml = TPCC "phases: {precondition: [1h]}\n",
     .says = "t.yaml:2:24: precondition: a duration or a section"},
    {.yaml = BLOCK "database: {buffer: 1GiB}\n",
     .says = "t.yaml:2:1: database: a block workload has none"},
    {.yaml = "workload: {kind: block, outstanding: 4, streams: 7}\n",
     .says = "t.yaml:1:50: streams: a list of 1 to 4 streams is expected"},
    {.yaml = "workload: {kind: block, outstanding: 4, read: 1, size: {a: 1}}\n",
     .says = "t.yaml:1:56: size: a size or a list is expected, not a section"},
    /* what contradicts itself */
    {.yaml = "workload: {kind: tpcc, wait_factor: 1, cycle: 1s, " FOUR,
     .says = "t.yaml:1:40: cycle and wait_factor say the same: give one"},
    {.yaml = "workload: {kind: tpcc, arrivals: poisson, " FOUR,
     .says = "t.yaml:1:34: arrivals: poisson needs `rate`"},
    {.yaml = "workload: {kind: tpcc, arrivals: closed, rate: 5/s, " FOUR,
     .says = "t.yaml:1:34: arrivals: closed has no rate"},
    {.yaml = "workload: {kind: tpcc, mix: {new_order: 0}, " FOUR,
     .says = "t.yaml:1:29: mix: all weights are 0"},
    {.yaml = "workload: {kind: tpcc, mix: {newer: 1}, " FOUR,
     .says = "t.yaml:1:30: unknown key \"newer\" in mix"},
    {.yaml = TPCC "phases: {precondition: {until: steady, time: 1h}}\n",
     .says = "t.yaml:2:10: precondition: time, amount and until: steady exclude one another"},
    {.yaml = TPCC "phases: {precondition: {time: 1h, preset: gate}}\n",
     .says = "t.yaml:2:35: preset: belongs to until: steady"},
    {.yaml = "workload: {kind: block, outstanding: 4, read: 1, streams: [{name: a, share: 1, read: "
             "1}]}\n",
     .says = "t.yaml:1:41: read: belongs into each of the streams"},
    {.yaml = "workload: {kind: block, outstanding: 4, streams: [{name: a, share: 50%, read: 1}]}\n",
     .says = "t.yaml:1:50: streams: the shares add up to 50 %, not 100 %"},
    {.yaml = "workload: {kind: block, outstanding: 4, read: 1, size: [{size: 4K, share: 10%}]}\n",
     .says = "t.yaml:1:56: size: the shares add up to 10 %, not 100 %"},
    {.yaml = "workload: {kind: block, outstanding: 4, read: 1, random: 50%, place: random}\n",
     .says = "t.yaml:1:50: random and place say the same: give one"},
    {.yaml = "workload: {kind: block, outstanding: 4, read: 1, from: 50%, to: 20%}\n",
     .says = "t.yaml:1:65: from must be below to"},
    {.yaml = "workload: {kind: block, outstanding: 4, read: 1, hot: {share: 90%}}\n",
     .says = "t.yaml:1:50: \"range\" is missing in hot"},
    /* YAML itself */
    {.yaml = "workload: {kind: tpcc, warehouses: 4\n", .says = "t.yaml:2:1: not YAML"},
    {.yaml = TPCC "seed: 1\nseed: 2\n",
     .says = "t.yaml:3:1: \"seed\" is here a second time",
     .hint = "line 2"},
    {.yaml = TPCC "about: &a x\n", .says = "t.yaml:2:8: anchors"},
    {.yaml = "", .says = "t.yaml: there is nothing in it"},
    /* options */
    {.yaml = TPCC,
     .says = "--set workload.warehoses=3: unknown key \"warehoses\" in workload",
     .hint = "\"warehouses\"",
     .option = {"set", "workload.warehoses=3"}},
    {.yaml = TPCC,
     .says = "--set workload.users=0: users: must be 1 to 1M, not 0",
     .option = {"set", "workload.users=0"}},
    {.yaml = TPCC,
     .says = "--set drive.like=h32: there is no drive model \"h32\"",
     .option = {"set", "drive.like=h32"}},
    {.yaml = TPCC,
     .says = "--set workload.users: path=value is expected",
     .hint = "drive.like",
     .option = {"set", "workload.users"}},
    {.yaml = TPCC "vms: 2\n",
     .says = "--set vms.0.users=3: \"vms\" is a value, it has no \"0\"",
     .option = {"set", "vms.0.users=3"}},
    {.yaml = TPCC "vms: [{users: 1}]\n",
     .says = "--set vms.4.users=3: \"vms\" is a list of 1, it has no \"4\"",
     .option = {"set", "vms.4.users=3"}},
    {.yaml = TPCC,
     .says = "--set drive.throttle_at=40: throttle_at needs throttle_to, above 0",
     .option = {"set", "drive.throttle_at=40"}},
    {.yaml = TPCC "drive: {gc_unit: 1}\n",
     .says = "t.yaml:2:18: gc_unit: must be 0 or 64KiB to 1TiB, not 1",
     .hint = "would crawl"},
    {.yaml = TPCC "drive: {write_amplification: 0.5}\n",
     .says = "t.yaml:2:30: write_amplification must be 1 or more"},
    {.yaml = TPCC, .says = "--set seed=[1: not YAML", .option = {"set", "seed=[1"}},
    {.yaml = TPCC,
     .says = "--for: sample: \"5\" is not a duration",
     .hint = "2h30m",
     .option = {"for", "5"}},
    {.yaml = TPCC,
     .says = "--for: sample: must be 100ms to 365d, not 1ns",
     .option = {"for", "1ns"}},
    {.yaml = TPCC,
     .says = "--scale: \"2\" is not a scale: it is above 1",
     .hint = "1/400",
     .option = {"scale", "2"}},
    {.yaml = TPCC, .says = "--scale: \"0\" is not a scale: it is 0", .option = {"scale", "0"}},
    {.yaml = TPCC, .says = "--scale: \"fi\" is not a scale", .option = {"scale", "fi"}},
    {.yaml = BLOCK,
     .says = "--scale: a block workload has no database to shrink",
     .hint = "range",
     .option = {"scale", "1/2"}},
    {.yaml = TPCC, .says = "--seed x: seed: \"x\" is not a count", .option = {"seed", "x"}},
    {.yaml = TPCC,
     .says = "--drive and --virtual exclude one another",
     .option = {"drive", "a.img", "virtual", ""}},
    {.yaml = TPCC "drive: {kind: uring}\n",
     .says = "which drive? the scenario names none",
     .hint = "--drive PATH"},
    {.yaml = TPCC,
     .says = "/dev/nvme77n1: there is no such device",
     .hint = "nothing is made",
     .option = {"drive", "/dev/nvme77n1"},
     .exit = EXIT_FAILED},
    {.yaml = TPCC,
     .says = "/dev/null: neither a block device nor a file",
     .option = {"drive", "/dev/null"}},
    {.yaml = TPCC, .says = ".: neither a block device nor a file", .option = {"drive", "."}},
    {.yaml = TPCC,
     .says = "absent/x.img: the folder absent/: No such file",
     .option = {"drive", "absent/x.img"}},
    {.yaml = BLOCK,
     .says = "x.img: how large is the file to be made?",
     .hint = "drive.capacity",
     .option = {"drive", "x.img"}},
    /* too small */
    {.yaml = TPCC,
     .says = "small.img: too small: 1 VM needs",
     .hint = "the largest scale that fits is 1/2",
     .option = {"drive", "small.img"}},
    {.yaml = TPCC "vms: 3\n",
     .says = "small.img: too small: 3 VMs need",
     .hint = "no scale of this scenario fits",
     .option = {"drive", "small.img"}},
    {.yaml = "workload: {kind: tpcc, warehouses: 1500}\nvms: 4\nvm: sqlserver-16c64g\n"
             "drive: {capacity: 1.6TB}\n",
     .says = "h3201-e1s: too small: 4 VMs need 2.4 TB, there are 1.6 TB",
     .hint = "--scale 1/2 or --scale fit; or 2 VMs"},
    {.yaml = "workload: {kind: tpcc, warehouses: 3000}\nvm: sqlserver-16c64g\n",
     .says = "vm0: the data disk of VM config sqlserver-16c64g has 500 GB, database, log and "
             "growth need",
     .hint = "--scale"},
    {.yaml = BLOCK,
     .says = "--set workload.range=1TB: range: a VM's slice has only",
     .option = {"set", "workload.range=1TB", "drive", "small.img"}},
    {.yaml = BLOCK, .says = "empty.img: too small", .option = {"drive", "empty.img"}},
};

static char data_dir[512];

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void request_of(const struct bad *bad, struct plan_request *ret, const char **set)
{
    *ret = (struct plan_request){.scenario = "t.yaml", .data_dir = data_dir, .sets = set};
    for (int i = 0; i < 4 && bad->option[i]; i += 2) {
        const char *name = bad->option[i], *value = bad->option[i + 1];

        ret->virtual_time |= strcmp(name, "virtual") == 0;
        ret->drive = strcmp(name, "drive") == 0 ? value : ret->drive;
        ret->scale = strcmp(name, "scale") == 0 ? value : ret->scale;
        ret->sample = strcmp(name, "for") == 0 ? value : ret->sample;
        ret->seed = strcmp(name, "seed") == 0 ? value : ret->seed;
        if (strcmp(name, "set") == 0) {
            *set = value;
            ret->set_count = 1;
        }
    }
}

static void each_mistake_has_its_message(void **state)
{
    static struct plan plan;
    uint64_t before = mem_allocated_bytes();
    int failed = 0;

    assert_true(sizeof(bads) / sizeof(bads[0]) >= 60);
    for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
        const struct bad *bad = &bads[i];
        struct plan_request request;
        struct error err = {0};
        const char *set = NULL;
        char text[1024] = "";
        int code;

        write_file("t.yaml", bad->yaml);
        request_of(bad, &request, &set);
        code = plan_build(&plan, &request, &err);
        error_format(&err, text, sizeof(text));
        if (code >= 0 || code != err.code || strncmp(text, bad->says, strlen(bad->says)) != 0 ||
            (bad->hint && !strstr(err.hint, bad->hint)) ||
            err.exit != (bad->exit ? bad->exit : EXIT_USAGE) || strchr(err.text, '\n')) {
            print_error("row %zu: %d, exit %d: \"%s\" hint \"%s\"\n   expected \"%s\"\n", i, code,
                        err.exit, text, err.hint, bad->says);
            failed++;
        }
        if (code == 0) {
            plan_free(&plan);
        }
    }
    assert_int_equal(failed, 0);
    assert_int_equal(mem_allocated_bytes(), before);
}

static void a_missing_scenario_is_named_with_the_nearest(void **state)
{
    struct plan_request request = {.scenario = "quik", .data_dir = data_dir};
    static struct plan plan;
    struct error err = {0};

    assert_true(plan_build(&plan, &request, &err) < 0);
    assert_string_equal(err.text, "there is no scenario \"quik\"");
    assert_string_equal(err.hint, "did you mean \"quick\"?");
    request.scenario = "gone.yaml";
    assert_true(plan_build(&plan, &request, &err) < 0);
    assert_string_equal(err.text, "gone.yaml: No such file or directory");
    assert_int_equal(err.exit, EXIT_USAGE);
    request.scenario = "./";
    assert_true(plan_build(&plan, &request, &err) < 0);
    assert_int_equal(err.exit, EXIT_USAGE);
    assert_non_null(strstr(err.hint, "YAML"));
    request.scenario = NULL;
    assert_true(plan_build(&plan, &request, &err) < 0);
    assert_int_equal(err.exit, EXIT_USAGE);
}

/* Mistakes in a VM config or drive model name that file. */
static void mistakes_in_other_files_name_those(void **state)
{
    static const struct {
        const char *file, *text, *set, *says;
    } cases[] = {
        {"v.yaml", "vcpus: 4\n", "vm=v.yaml", "v.yaml:1:1: \"memory\" is missing in the VM config"},
        {"v.yaml", "vcpus: 0\nmemory: 1GiB\n", "vm=v.yaml", "v.yaml:1:8: vcpus: must be 1 to 1024"},
        {"v.yaml", "vcpus: 4\nmemory: 1GiB\ndisks: 5\n", "vm=v.yaml",
         "v.yaml:3:8: disks: a list is expected, not a single value"},
        {"v.yaml", "vcpus: 4\nmemory: 1GiB\ndisks: [{role: a, size: 1GB}, {role: a, size: 1GB}]\n",
         "vm=v.yaml", "v.yaml:3:31: two disks of role \"a\""},
        {"v.yaml", "vcpus: 4\nmemory: 1GiB\ndatabase: {bufer: 1GiB}\n", "vm=v.yaml",
         "v.yaml:3:12: unknown key \"bufer\" in database"},
        {"v.yaml", "vcpus: 4\nmemory: 1GiB\ndatabase: {profile: innodb, autovacuum: no}\n",
         "vm=v.yaml", "v.yaml:3:29: autovacuum: a key of profile postgres, and this database's"},
        {"d.yaml", "capacity: 1TB\n", "drive.like=d.yaml", "d.yaml: \"dies\" is missing"},
        {"d.yaml", "capacity: 1TB\ndices: 4\n", "drive.like=d.yaml",
         "d.yaml:2:1: unknown key \"dices\" in the drive model"},
        {"d.yaml", "capacity: 1TB\nbasis: {dyes: measured}\n", "drive.like=d.yaml",
         "d.yaml:2:9: basis: there is no key \"dyes\""},
    };

    write_file("t.yaml", TPCC);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct plan_request request = {.scenario = "t.yaml", .data_dir = data_dir, .set_count = 1};
        static struct plan plan;
        struct error err = {0};
        char text[1024];

        write_file(cases[i].file, cases[i].text);
        request.sets = &cases[i].set;
        assert_true(plan_build(&plan, &request, &err) < 0);
        error_format(&err, text, sizeof(text));
        if (strncmp(text, cases[i].says, strlen(cases[i].says)) != 0 || err.exit != EXIT_USAGE) {
            fail_msg("case %zu: %s", i, text);
        }
    }
}

/* A value that a key takes. */
static const char *value_of(const struct key *row)
{
    return row->type == KEY_WORD       ? row->words[0]
           : row->type == KEY_FLAG     ? "yes"
           : row->type == KEY_DURATION ? "1s"
           : row->type == KEY_SHARE    ? "50%"
           : row->type == KEY_SIZE     ? "64KiB"
                                       : row->least;
}

/* 0, or what became of a plan of that profile with that key; given: both on the command line. */
static int plan_with(const char *profile, const struct key *row, bool given, struct error *err)
{
    static struct plan plan;
    struct plan_request request = {
        .scenario = "t.yaml", .data_dir = data_dir, .virtual_time = true};
    char yaml[256], sets[2][96];
    const char *const all[] = {sets[0], sets[1]};
    int code;

    snprintf(yaml, sizeof(yaml), TPCC "database:\n  profile: %s\n  %s: %s\n", profile, row->name,
             value_of(row));
    snprintf(sets[0], sizeof(sets[0]), "database.%s=%s", row->name, value_of(row));
    snprintf(sets[1], sizeof(sets[1]), "database.profile=%s", profile);
    write_file("t.yaml", given ? TPCC : yaml);
    request.sets = all;
    request.set_count = given ? 2 : 0;
    code = plan_build(&plan, &request, err);
    if (code == 0) {
        plan_free(&plan);
    }
    return code;
}

/* Every profile that has the key. */
static bool names_all(const char *text, const struct key *row)
{
    bool all = true;

    for (uint32_t p = 0; p < MODEL_PROFILES; p++) {
        const char *profile = model_profile_names[p];

        all = all && (!key_is_for(row, profile) || strstr(text, profile) != NULL);
    }
    return all;
}

/* Else a setting that somebody trusts does nothing. */
static void every_key_of_a_profile_is_refused_by_the_others(void **state)
{
    const struct section *section = section_of(SECTION_DATABASE);
    uint32_t foreign = 0, own = 0;

    for (uint32_t i = 0; i < section->count; i++) {
        const struct key *row = &section->rows[i];

        for (uint32_t p = 0; row->only && p < 2 * MODEL_PROFILES; p++) {
            const char *profile = model_profile_names[p / 2];
            struct error err = {0};
            int code = plan_with(profile, row, p % 2, &err);

            if (key_is_for(row, profile)) {
                assert_int_equal(code, 0);
                own++;
                continue;
            }
            if (code == 0 || strstr(err.text, "a key of profile") == NULL ||
                !names_all(err.text, row) || strstr(err.text, profile) == NULL ||
                strstr(err.file, p % 2 ? row->name : "t.yaml") == NULL ||
                err.line != (p % 2 ? 0 : 4)) {
                fail_msg("%s of %s: %d: %s:%d: %s", row->name, profile, code, err.file, err.line,
                         err.text);
            }
            foreign++;
        }
    }
    assert_true(own >= 18 && foreign >= 36);
}

/* The file was written for its own profile: that is no mistake of whoever tries another one. */
static void another_profile_leaves_the_keys_of_the_file_out(void **state)
{
    static const char *const sets[] = {"database.profile=postgres"};
    struct plan_request request = {.scenario = "t.yaml",
                                   .data_dir = data_dir,
                                   .virtual_time = true,
                                   .sets = sets,
                                   .set_count = 1};
    static struct plan plan;
    struct error err = {0};
    bool said = false;

    write_file("t.yaml", TPCC "database: {profile: innodb, doublewrite: yes, buffer: 64MiB}\n");
    assert_int_equal(plan_build(&plan, &request, &err), 0);
    assert_int_equal(plan.vms[0].model.profile, MODEL_POSTGRES);
    assert_int_equal(plan.vms[0].model.buffer_bytes, 64 << 20);
    assert_false(plan.vms[0].model.doublewrite);
    for (uint32_t i = 0; i < plan.warning_count; i++) {
        said = said || strcmp(plan.warnings[i], "database.doublewrite is left out: it is a key of "
                                                "innodb, and the profile is postgres") == 0;
    }
    assert_true(said);
    for (uint32_t i = 0; i < plan.choice_count; i++) {
        assert_string_not_equal(plan.choices[i].path, "database.doublewrite");
    }
    plan_free(&plan);
}

/* VMs of several profiles share one `database` section. */
static void a_key_is_for_the_vms_that_have_its_profile(void **state)
{
    struct plan_request request = {
        .scenario = "t.yaml", .data_dir = data_dir, .virtual_time = true};
    static struct plan plan;
    struct error err = {0};

    write_file("v.yaml", "vcpus: 4\nmemory: 1GiB\ndatabase: {profile: postgres}\n");
    write_file("t.yaml", TPCC "vms: [{config: small}, {config: v.yaml}]\n"
                              "database: {doublewrite: no, autovacuum: no}\n");
    assert_int_equal(plan_build(&plan, &request, &err), 0);
    assert_false(plan.vms[0].model.doublewrite);
    assert_false(plan.vms[1].model.autovacuum);
    plan_free(&plan);
    write_file("t.yaml", TPCC "vms: [{config: small}, {config: v.yaml}]\n"
                              "database: {leaf_fill: 50%}\n");
    assert_true(plan_build(&plan, &request, &err) < 0);
    assert_string_equal(err.file, "t.yaml");
    assert_int_equal(err.line, 3);
}

static int set_up(void **state)
{
    const char *root = getenv("ROOT");

    if (!realpath(root ? root : ".", data_dir)) {
        return 1;
    }
    write_file("small.img", "");
    write_file("empty.img", "");
    return truncate("small.img", 250 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_has_its_message),
        cmocka_unit_test(a_missing_scenario_is_named_with_the_nearest),
        cmocka_unit_test(mistakes_in_other_files_name_those),
        cmocka_unit_test(every_key_of_a_profile_is_refused_by_the_others),
        cmocka_unit_test(another_profile_leaves_the_keys_of_the_file_out),
        cmocka_unit_test(a_key_is_for_the_vms_that_have_its_profile),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
