#include "target/server_facts.h"

#include "server_ask.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { POSTGRES_OLDEST = 110000, MARIADB_OLDEST = 100300, MYSQL_OLDEST = 50700 };
enum { PACKET_LEAST = 1 << 20 };

struct flight {
    struct sql_plain *plain;
    const struct server_facts *server;
    const struct server_need *need;
    struct server_finding *findings;
    uint32_t count, limit;
    struct error *err;
    struct server_finding none; /* where what is too much goes */
};

__attribute__((format(printf, 4, 5))) static struct server_finding *
add(struct flight *flight, enum finding_level level, const char *name, const char *format, ...)
{
    struct server_finding *finding =
        flight->count < flight->limit ? &flight->findings[flight->count++] : &flight->none;
    va_list args;

    *finding = (struct server_finding){.level = level};
    snprintf(finding->name, sizeof(finding->name), "%s", name);
    va_start(args, format);
    vsnprintf(finding->text, sizeof(finding->text), format, args);
    va_end(args);
    return finding;
}

__attribute__((format(printf, 2, 3))) static void hint(struct server_finding *finding,
                                                       const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(finding->hint, sizeof(finding->hint), format, args);
    va_end(args);
}

static const char *setting(const struct flight *flight, const char *name)
{
    for (uint32_t i = 0; i < flight->server->setting_count; i++) {
        if (strcmp(flight->server->settings[i].name, name) == 0) {
            return flight->server->settings[i].value;
        }
    }
    return "";
}

static bool is_set(const struct flight *flight, const char *name, const char *value)
{
    return strcasecmp(setting(flight, name), value) == 0;
}

static bool is_postgres(const struct flight *flight)
{
    return flight->server->dialect == SQL_POSTGRES;
}

static void look_at_version(struct flight *flight)
{
    const struct server_facts *server = flight->server;
    uint32_t oldest = is_postgres(flight)                       ? POSTGRES_OLDEST
                      : strcmp(server->flavour, "MariaDB") == 0 ? MARIADB_OLDEST
                                                                : MYSQL_OLDEST;

    if (server->number < oldest) {
        hint(add(flight, FINDING_HARD, "version", "%s %s is not supported", server->flavour,
                 server->version),
             "PostgreSQL from 11, MariaDB from 10.3 and MySQL from 5.7 on are");
    } else {
        add(flight, FINDING_FINE, "version", "%s %s", server->flavour, server->version);
    }
    if (server->read_only) {
        hint(add(flight, FINDING_HARD, "read_only", "the server is read-only"),
             "ask its primary, or end its read-only mode");
    }
}

static void look_at_connections(struct flight *flight)
{
    const struct server_facts *server = flight->server;
    uint32_t wanted = flight->need->connections;
    uint64_t left = server->connection_limit > server->connections_used
                        ? server->connection_limit - server->connections_used
                        : 0;

    if (left > 0 && server->connection_limit != UINT32_MAX) {
        left--; /* the one for counters */
    }
    if (server->connection_limit != UINT32_MAX && wanted > left) {
        hint(add(flight, FINDING_HARD, "connections",
                 "%u connections are wanted, %llu too many: the limit is %u, and %u are in use",
                 wanted, (unsigned long long)(wanted - left), server->connection_limit,
                 server->connections_used),
             "raise max_connections to %llu, or set `connections: %llu`",
             (unsigned long long)wanted + server->connections_used + 4, (unsigned long long)left);
        return;
    }
    add(flight, FINDING_FINE, "connections", "%u wanted, %llu free", wanted,
        (unsigned long long)left);
}

static void look_at_prepared(struct flight *flight)
{
    uint64_t wanted = (uint64_t)flight->need->connections * flight->need->statements;

    if (flight->server->prepared_limit != UINT32_MAX && wanted > flight->server->prepared_limit) {
        hint(add(flight, FINDING_HARD, "prepared_statements",
                 "%u connections prepare %u statements each, max_prepared_stmt_count is %u",
                 flight->need->connections, flight->need->statements,
                 flight->server->prepared_limit),
             "SET GLOBAL max_prepared_stmt_count = %llu, fewer connections, or `prepared: no`",
             (unsigned long long)(wanted < 1048576 ? wanted : 1048576));
    }
}

static const struct {
    enum sql_dialect dialect;
    const char *name, *bad, *what;
} durability[] = {
    {SQL_POSTGRES, "fsync", "off", "nothing is flushed: a power cut destroys the database"},
    {SQL_POSTGRES, "synchronous_commit", "off", "commits are answered before they are durable"},
    {SQL_POSTGRES, "full_page_writes", "off", "torn pages after a power cut stay torn"},
    {SQL_MARIADB, "innodb_flush_log_at_trx_commit", "0", "commits are not flushed"},
    {SQL_MARIADB, "innodb_flush_log_at_trx_commit", "2", "commits are not flushed"},
    {SQL_MARIADB, "innodb_doublewrite", "OFF", "torn pages after a power cut stay torn"},
    {SQL_MARIADB, "innodb_flush_method", "nosync", "nothing is flushed"},
};

static void look_at_durability(struct flight *flight)
{
    for (uint32_t i = 0; i < sizeof(durability) / sizeof(*durability); i++) {
        if (durability[i].dialect == flight->server->dialect &&
            is_set(flight, durability[i].name, durability[i].bad)) {
            hint(add(flight, FINDING_SOFT, "durability", "%s is %s: %s", durability[i].name,
                     durability[i].bad, durability[i].what),
                 "the figures are not those of a durable database");
        }
    }
    if (!is_postgres(flight) && is_set(flight, "log_bin", "ON") &&
        !is_set(flight, "sync_binlog", "1")) {
        hint(add(flight, FINDING_SOFT, "durability",
                 "sync_binlog is %s: the binary log is not "
                 "flushed at commit",
                 setting(flight, "sync_binlog")),
             "the figures are not those of a durable database");
    }
}

/* Values as they are printed: "0", "30s", "5min". */
static bool is_timeout(const struct flight *flight, const char *name)
{
    const char *value = setting(flight, name);

    return value[0] != '\0' && strcmp(value, "0") != 0;
}

static void look_at_waits(struct flight *flight)
{
    static const char *const timeouts[] = {"statement_timeout", "lock_timeout",
                                           "idle_in_transaction_session_timeout"};
    int64_t pause_s = flight->need->longest_pause_ns / 1000000000;
    const char *wait = setting(flight, "wait_timeout");
    int64_t wait_s = sql_text_decimal(wait, (uint32_t)strlen(wait), 0);

    for (uint32_t i = 0; is_postgres(flight) && i < sizeof(timeouts) / sizeof(*timeouts); i++) {
        if (is_timeout(flight, timeouts[i])) {
            add(flight, FINDING_SOFT, "waits", "%s is %s: what takes longer fails", timeouts[i],
                setting(flight, timeouts[i]));
        }
    }
    if (is_postgres(flight) && is_timeout(flight, "idle_session_timeout")) {
        hint(add(flight, FINDING_SOFT, "waits",
                 "idle_session_timeout is %s: connections of users who think longer are lost",
                 setting(flight, "idle_session_timeout")),
             "ALTER ROLE ... SET idle_session_timeout = 0");
    }
    if (wait_s > 0 && wait_s <= pause_s) {
        hint(add(flight, FINDING_SOFT, "waits",
                 "wait_timeout is %lld s, users think up to %lld s: connections will be lost",
                 (long long)wait_s, (long long)pause_s),
             "SET GLOBAL wait_timeout = %lld", (long long)pause_s * 2);
    }
    if (is_set(flight, "autocommit", "OFF")) {
        add(flight, FINDING_SOFT, "isolation",
            "autocommit is OFF: single statements stay in a transaction that nobody ends");
    }
}

static void look_at_size(struct flight *flight)
{
    const struct server_facts *server = flight->server;
    const char *cache = setting(flight, "table_open_cache");
    uint64_t opened =
        (uint64_t)sql_schema_table_count(flight->need->schema) * flight->need->connections;
    uint64_t room = (uint64_t)sql_text_decimal(cache, (uint32_t)strlen(cache), 0);

    add(flight, FINDING_FINE, "size", "%.1f GB of data, %.1f GB of buffers",
        (double)server->database_bytes / 1e9, (double)server->buffer_bytes / 1e9);
    if (room > 0 && flight->need->schema->sysbench && opened > room) {
        hint(add(flight, FINDING_SOFT, "tables",
                 "table_open_cache is %llu, tables times connections are %llu: tables will be "
                 "opened again and again",
                 (unsigned long long)room, (unsigned long long)opened),
             "SET GLOBAL table_open_cache = %llu", (unsigned long long)opened);
    }
}

static void look_at_loading(struct flight *flight)
{
    const char *packet = setting(flight, "max_allowed_packet");

    if (is_postgres(flight)) {
        return;
    }
    if (sql_text_decimal(packet, (uint32_t)strlen(packet), 0) < PACKET_LEAST) {
        hint(add(flight, FINDING_HARD, "load", "max_allowed_packet is %s, a load needs 1 MiB",
                 packet),
             "SET GLOBAL max_allowed_packet = 16777216");
    }
    if (flight->need->schema->procedures && is_set(flight, "log_bin", "ON") &&
        is_set(flight, "log_bin_trust_function_creators", "OFF")) {
        hint(add(flight, FINDING_HARD, "procedures",
                 "with a binary log the server makes no functions that change rows"),
             "SET GLOBAL log_bin_trust_function_creators = 1");
    }
    if (is_set(flight, "local_infile", "OFF")) {
        hint(add(flight, FINDING_SOFT, "load",
                 "local_infile is OFF: rows go by INSERT, which is slower"),
             "SET GLOBAL local_infile = 1");
    }
    if (!is_set(flight, "auto_increment_increment", "1")) {
        add(flight, FINDING_SOFT, "load",
            "auto_increment_increment is %s: rows inserted by a run leave gaps",
            setting(flight, "auto_increment_increment"));
    }
}

/* ---- what lies in the database ----------------------------------------------------------- */

static void take_load(void *context, const struct sql_value *columns, uint32_t count)
{
    struct sql_schema_load *load = context;

    if (count < 7) {
        return;
    }
    server_value_text(&columns[0], load->workload, sizeof(load->workload));
    load->schema_version = (uint32_t)server_value_number(&columns[1]);
    load->seed = (uint64_t)server_value_number(&columns[2]);
    load->c_load = (uint32_t)server_value_number(&columns[3]);
    load->scale = (uint64_t)server_value_number(&columns[4]);
    load->rows_a_table = (uint64_t)server_value_number(&columns[5]);
    load->complete = server_value_number(&columns[6]) != 0;
}

/* How many tables of the names that the first and last table have are there; -1: not known. */
static int64_t count_tables(struct flight *flight, const char *name)
{
    char query[256];
    int64_t ret = -1;

    snprintf(query, sizeof(query),
             "SELECT count(*) FROM information_schema.tables WHERE table_name = '%s' AND "
             "table_schema = %s",
             name, is_postgres(flight) ? "current_schema()" : "database()");
    return sql_plain_number(flight->plain, query, &ret, flight->err) < 0 ? -1 : ret;
}

static int64_t count_own(struct flight *flight)
{
    struct text name, columns;
    int64_t found = 0;

    text_init(&name);
    text_init(&columns);
    for (uint32_t i = 0; i < sql_schema_table_count(flight->need->schema) && found >= 0; i++) {
        int64_t one;

        sql_schema_table(flight->need->schema, i, &name, &columns);
        one = count_tables(flight, text_string(&name));
        found = one < 0 ? one : found + one;
    }
    text_free(&name);
    text_free(&columns);
    return found;
}

static const char *scale_word(const char *workload)
{
    return strcmp(workload, "tpcc") == 0       ? "warehouses"
           : strcmp(workload, "sysbench") == 0 ? "tables"
                                               : "units of scale";
}

static void compare_scale(struct flight *flight, const struct sql_schema_load *load,
                          const struct sql_schema_load *want)
{
    const char *word = scale_word(want->workload);

    if (load->scale < want->scale) {
        hint(add(flight, FINDING_HARD, "scale", "the database has %llu %s, the scenario says %llu",
                 (unsigned long long)load->scale, word, (unsigned long long)want->scale),
             "load it again, or say %llu in the scenario", (unsigned long long)load->scale);
    } else if (load->scale > want->scale) {
        add(flight, FINDING_SOFT, "scale",
            "the database has %llu %s, the scenario asks for the first %llu alone",
            (unsigned long long)load->scale, word, (unsigned long long)want->scale);
    }
    if (load->rows_a_table != want->rows_a_table) {
        hint(add(flight, load->rows_a_table < want->rows_a_table ? FINDING_HARD : FINDING_SOFT,
                 "scale", "the tables have %llu rows each, the scenario says %llu",
                 (unsigned long long)load->rows_a_table, (unsigned long long)want->rows_a_table),
             "load them again, or say rows: %llu", (unsigned long long)load->rows_a_table);
    }
}

static void compare_load(struct flight *flight, const struct sql_schema_load *load)
{
    struct sql_schema_load want;

    sql_schema_load_of(flight->need->schema, &want);
    if (strcmp(load->workload, want.workload) != 0) {
        hint(add(flight, FINDING_HARD, "schema", "the database was loaded for %s, not for %s",
                 load->workload, want.workload),
             "name another database in the URL");
        return;
    }
    if (load->schema_version != want.schema_version) {
        hint(add(flight, FINDING_HARD, "schema",
                 "the database was loaded by another version: schema %u, this program's is %u",
                 load->schema_version, want.schema_version),
             "load it again");
        return;
    }
    if (!load->complete && !flight->need->load) {
        hint(add(flight, FINDING_HARD, "load", "the load of this database was broken off"),
             "`rawtps load` goes on where it ended");
    }
    compare_scale(flight, load, &want);
}

/* Tables of another tool: TPC-C must know its C of last names; the others can do without. */
static void look_at_foreign(struct flight *flight, int64_t found)
{
    const struct sql_schema *schema = flight->need->schema;
    uint32_t wanted = sql_schema_table_count(schema);

    if (found == 0 && flight->need->load) {
        return;
    }
    if (found == 0 || (found < wanted && !flight->need->load)) {
        hint(add(flight, FINDING_HARD, "tables", "%lld of %u tables are there", (long long)found,
                 wanted),
             "fill the database with `rawtps load`");
    } else if (schema->tpcc || flight->need->load) {
        hint(add(flight, FINDING_HARD, "schema",
                 "the tables were made by another tool: there is no rawtps_load"),
             "name an empty database in the URL");
    } else {
        hint(add(flight, FINDING_SOFT, "schema",
                 "the tables were made by another tool: their rows are not known"),
             "`rawtps check` cannot tell what was lost");
    }
}

/* Negative: the server could not be asked. */
static int look_at_procedures(struct flight *flight)
{
    int64_t found = 0, wanted = sql_schema_procedures(flight->need->schema);
    char query[256];

    if (wanted == 0 || flight->need->load) {
        return 0;
    }
    snprintf(query, sizeof(query),
             "SELECT count(*) FROM information_schema.routines WHERE routine_name LIKE "
             "'rawtps%%' AND routine_schema = %s",
             is_postgres(flight) ? "current_schema()" : "database()");
    if (sql_plain_number(flight->plain, query, &found, flight->err) < 0) {
        return flight->err->code;
    }
    if (found < wanted) {
        hint(add(flight, FINDING_HARD, "procedures", "%lld of the %lld stored procedures are there",
                 (long long)found, (long long)wanted),
             "load it again with --set target.procedures=yes and --replace, or run it without");
    }
    return 0;
}

/* Negative: the server could not be asked. */
static int look_at_data(struct flight *flight, struct sql_schema_load *load)
{
    int64_t known = count_tables(flight, "rawtps_load"), found;

    if (known < 0) {
        return flight->err->code;
    }
    if (known > 0 &&
        sql_plain_run(flight->plain, sql_schema_load_select, take_load, load, flight->err) < 0) {
        return flight->err->code;
    }
    found = count_own(flight);
    if (found < 0) {
        return flight->err->code;
    }
    if (load->workload[0] == '\0') {
        look_at_foreign(flight, found);
        return 0;
    }
    if (found < sql_schema_table_count(flight->need->schema) && !flight->need->load) {
        look_at_foreign(flight, found);
    }
    compare_load(flight, load);
    return look_at_procedures(flight);
}

/* Hard ones first, then soft ones, each in the order in which they were found. */
static int sort_findings(struct server_finding *findings, uint32_t count)
{
    int bad = 0;

    for (uint32_t i = 1; i < count; i++) {
        struct server_finding finding = findings[i];
        uint32_t at = i;

        while (at > 0 && findings[at - 1].level > finding.level) {
            findings[at] = findings[at - 1];
            at--;
        }
        findings[at] = finding;
    }
    for (uint32_t i = 0; i < count; i++) {
        bad += findings[i].level != FINDING_FINE;
    }
    return bad;
}

int server_preflight(struct sql_plain *plain, const struct server_facts *server,
                     const struct server_need *need, struct server_finding *ret, uint32_t limit,
                     struct sql_schema_load *ret_load, struct error *err)
{
    struct flight flight = {plain, server, need, ret, 0, limit, err, {0}};
    struct sql_schema_load load = {0};

    look_at_version(&flight);
    look_at_connections(&flight);
    look_at_prepared(&flight);
    if (look_at_data(&flight, &load) < 0) {
        return err->code;
    }
    if (need->load) {
        look_at_loading(&flight);
    }
    look_at_durability(&flight);
    look_at_waits(&flight);
    look_at_size(&flight);
    memset(ret + flight.count, 0, (limit - flight.count) * sizeof(*ret));
    if (ret_load) {
        *ret_load = load;
    }
    return sort_findings(ret, flight.count);
}
