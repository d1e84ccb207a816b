/* rooms: base io workload sql target. What real servers are found to be, what they count, and
 * what the pre-flight says of them.
 * must-run, not-sanitized
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sql_bench.h"
#include "target/server_facts.h"

static struct server_finding findings[SERVER_FINDINGS];

static struct server_facts facts_of(int d)
{
    struct server_facts facts;
    struct error err = {0};

    if (server_facts_read(bench_plains[d], (enum sql_dialect)d, &facts, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return facts;
}

static const char *setting(const struct server_facts *facts, const char *name)
{
    for (uint32_t i = 0; i < facts->setting_count; i++) {
        if (strcmp(facts->settings[i].name, name) == 0) {
            return facts->settings[i].value;
        }
    }
    return "";
}

static void a_server_says_what_it_is(void **state)
{
    struct server_facts pg = facts_of(SQL_POSTGRES), maria = facts_of(SQL_MARIADB);

    assert_string_equal(pg.flavour, "PostgreSQL");
    assert_in_range(pg.number, 110000, 300000);
    assert_int_equal(pg.page_bytes, 8192);
    assert_true(pg.buffer_bytes >= 8 << 20 && pg.buffer_bytes % 8192 == 0);
    assert_true(pg.database_bytes > 1 << 20);
    assert_string_equal(pg.isolation, "read committed");
    assert_int_equal(pg.prepared_limit, UINT32_MAX);
    assert_false(pg.read_only);
    assert_true(setting(&pg, "synchronous_commit")[0] != '\0');
    assert_true(maria.flavour[0] == 'M');
    assert_in_range(maria.number, 50700, 200000);
    assert_int_equal(maria.page_bytes, 16384);
    assert_int_equal(maria.prepared_limit, 16382);
    assert_true(maria.log_capacity_bytes > 0);
    assert_string_equal(maria.isolation, "REPEATABLE-READ");
    assert_true(setting(&maria, "innodb_flush_log_at_trx_commit")[0] != '\0');
    for (int d = 0; d < SQL_DIALECTS; d++) {
        struct server_facts facts = d == SQL_POSTGRES ? pg : maria;

        assert_non_null(strchr(facts.version, '.'));
        assert_in_range(facts.connection_limit, 10, 100000);
        assert_true(facts.setting_count > 15);
    }
}

/* What a run of a known size adds to the counters. */
static void counters_grow_with_the_work(void **state)
{
    for (int d = 0; d < SQL_DIALECTS; d++) {
        struct server_facts facts = facts_of(d);
        struct target_facts before, after;
        struct error err = {0};

        bench_do(d, "CREATE TABLE counted (id int PRIMARY KEY, t varchar(1000))");
        assert_int_equal(server_counters_read(bench_plains[d], &facts, &before, &err), 0);
        bench_fill(d, "INSERT INTO counted SELECT seq, repeat('x', 1000) FROM $5000");
        bench_do(d, d == SQL_POSTGRES ? "SELECT pg_stat_force_next_flush()" : "SELECT 1");
        bench_do(d, "SELECT count(t) FROM counted");
        assert_int_equal(server_counters_read(bench_plains[d], &facts, &after, &err), 0);
        assert_true(after.log_bytes - before.log_bytes > 5000 * 1000);
        assert_true(after.log_bytes - before.log_bytes < 5000 * 4000);
        assert_true(after.rows_written - before.rows_written >= 5000);
        assert_true(after.page_accesses > before.page_accesses);
        assert_true(after.page_hits <= after.page_accesses);
    }
}

static const struct server_finding *find(int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(findings[i].name, name) == 0) {
            return &findings[i];
        }
    }
    return NULL;
}

static int preflight(int d, const struct server_need *need, struct sql_schema_load *load)
{
    struct server_facts facts = facts_of(d);
    struct error err = {0};
    int count =
        server_preflight(bench_plains[d], &facts, need, findings, SERVER_FINDINGS, load, &err);

    if (count < 0) {
        fail_msg("%s", err.text);
    }
    for (int i = 0; i < count; i++) {
        assert_true(findings[i].level != FINDING_FINE);
        assert_true(i == 0 || findings[i - 1].level <= findings[i].level);
    }
    assert_true(findings[count].level == FINDING_FINE);
    return count;
}

static void wants(int count, const char *name, enum finding_level level, const char *text)
{
    const struct server_finding *finding = find(count, name);

    if (!finding || finding->level != level || !strstr(finding->text, text)) {
        fail_msg("no finding %s with %s, but: %s", name, text, finding ? finding->text : "none");
    }
}

static void a_database_is_held_against_the_scenario(void **state)
{
    for (int d = 0; d < SQL_DIALECTS; d++) {
        struct tpcc_settings tpcc = {.warehouses = 10, .users = 1, .seed = (uint64_t)-3};
        struct sql_schema schema = {.dialect = (enum sql_text_dialect)d, .tpcc = &tpcc};
        struct server_need need = {.schema = &schema, .connections = 4};
        struct sql_schema_load load;
        struct sysbench_settings sbtest;
        struct text text;

        bench_carry_out(d, &schema, SQL_SCHEMA_DROP);
        wants(preflight(d, &need, NULL), "tables", FINDING_HARD, "0 of 9 tables are there");
        need.load = true;
        assert_null(find(preflight(d, &need, NULL), "tables"));
        bench_carry_out(d, &schema, SQL_SCHEMA_TABLES);
        wants(preflight(d, &need, NULL), "schema", FINDING_HARD, "another tool");
        need.load = false;
        wants(preflight(d, &need, NULL), "schema", FINDING_HARD, "another tool");
        bench_carry_out(d, &schema, SQL_SCHEMA_META);
        text_init(&text);
        sql_schema_load_insert(&schema, &text);
        bench_do(d, text_string(&text));
        text_free(&text);
        wants(preflight(d, &need, &load), "load", FINDING_HARD, "broken off");
        assert_string_equal(load.workload, "tpcc");
        assert_int_equal(load.seed, (uint64_t)-3);
        assert_int_equal(load.scale, 10);
        bench_do(d, sql_schema_load_complete);
        assert_null(find(preflight(d, &need, &load), "load"));
        assert_true(load.complete);
        tpcc.warehouses = 100;
        wants(preflight(d, &need, NULL), "scale", FINDING_HARD,
              "the database has 10 warehouses, the scenario says 100");
        tpcc.warehouses = 5;
        wants(preflight(d, &need, NULL), "scale", FINDING_SOFT, "the first 5 alone");
        sysbench_defaults(&sbtest);
        schema.tpcc = NULL;
        schema.sysbench = &sbtest;
        wants(preflight(d, &need, NULL), "schema", FINDING_HARD, "loaded for tpcc");
    }
}

static void limits_are_found_before_they_are_hit(void **state)
{
    struct tpcc_settings tpcc = {.warehouses = 10, .users = 1, .seed = 1};
    struct sql_schema schema = {.dialect = SQL_TEXT_MARIADB, .tpcc = &tpcc};
    struct server_need need = {.schema = &schema,
                               .connections = 5000,
                               .statements = 48,
                               .longest_pause_ns = 40000 * S,
                               .load = true};
    int count = preflight(SQL_MARIADB, &need, NULL);

    wants(count, "connections", FINDING_HARD, "5000 connections are wanted");
    wants(count, "prepared_statements", FINDING_HARD, "16382");
    wants(count, "waits", FINDING_SOFT, "28800 s");
    schema.dialect = SQL_TEXT_POSTGRES;
    count = preflight(SQL_POSTGRES, &need, NULL);
    wants(count, "connections", FINDING_HARD, "5000 connections are wanted");
    assert_null(find(count, "prepared_statements"));
    need.connections = 4;
    assert_null(find(preflight(SQL_POSTGRES, &need, NULL), "connections"));
}

/* The test's servers do without fsync, so they must be told off. */
static void a_server_that_is_not_durable_is_told_of(void **state)
{
    struct tpcc_settings tpcc = {.warehouses = 10, .users = 1, .seed = 1};
    struct sql_schema schema = {.dialect = SQL_TEXT_POSTGRES, .tpcc = &tpcc};
    struct server_need need = {.schema = &schema, .connections = 4, .load = true};
    struct server_facts facts = facts_of(SQL_POSTGRES);

    assert_false(facts.durable);
    wants(preflight(SQL_POSTGRES, &need, NULL), "durability", FINDING_SOFT, "fsync is off");
    server_sql(&bench_servers[SQL_MARIADB], "SET GLOBAL innodb_flush_log_at_trx_commit = 2", NULL,
               0);
    schema.dialect = SQL_TEXT_MARIADB;
    assert_false(facts_of(SQL_MARIADB).durable);
    wants(preflight(SQL_MARIADB, &need, NULL), "durability", FINDING_SOFT,
          "innodb_flush_log_at_trx_commit is 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_says_what_it_is),
        cmocka_unit_test(counters_grow_with_the_work),
        cmocka_unit_test(a_database_is_held_against_the_scenario),
        cmocka_unit_test(limits_are_found_before_they_are_hit),
        cmocka_unit_test(a_server_that_is_not_durable_is_told_of),
    };

    return cmocka_run_group_tests_name("server_facts", tests, bench_begin, bench_end);
}
