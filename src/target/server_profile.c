#include "target/server_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "base/units.h"
#include "server_ask.h"

enum profile_unit { UNIT_BYTES, UNIT_COUNT, UNIT_SECONDS, UNIT_BOOL };

/* Values outside the bounds of the scenario's key are brought to them. */
struct profile_source {
    const char *variable, *key;
    enum profile_unit unit;
    uint64_t least, most;
};

#define MIB (1ull << 20)
#define TIB (1ull << 40)

static const struct profile_source maria_sources[] = {
    {"innodb_buffer_pool_size", "buffer", UNIT_BYTES, MIB, 64 * TIB},
    {"innodb_page_size", "page", UNIT_BYTES, 4096, 65536},
    {"innodb_io_capacity", "io_capacity", UNIT_COUNT, 1, 10000000},
    {"innodb_io_capacity_max", "io_capacity_max", UNIT_COUNT, 1, 10000000},
    {"innodb_lru_scan_depth", "lru_scan_depth", UNIT_COUNT, 1, 1000000},
    {"innodb_doublewrite", "doublewrite", UNIT_BOOL, 0, 0},
    {"innodb_lock_wait_timeout", "lock_timeout", UNIT_SECONDS, 1, 86400},
};

/* Sizes in bytes, times in seconds: PostgreSQL's own units differ from setting to setting. */
static const char postgres_query[] =
    "SELECT name, CASE WHEN unit IN ('B', 'kB', '8kB', 'MB', 'GB') THEN "
    "pg_size_bytes(current_setting(name))::text ELSE setting END FROM pg_settings WHERE name IN "
    "('shared_buffers', 'block_size', 'max_wal_size', 'wal_block_size', 'checkpoint_timeout', "
    "'full_page_writes', 'data_checksums', 'autovacuum', 'synchronous_commit', 'fsync', "
    "'lock_timeout')";

static const struct profile_source postgres_sources[] = {
    {"shared_buffers", "buffer", UNIT_BYTES, MIB, 64 * TIB},
    {"block_size", "page", UNIT_BYTES, 4096, 65536},
    {"max_wal_size", "log_capacity", UNIT_BYTES, MIB, TIB},
    {"wal_block_size", "log_block", UNIT_BYTES, 512, 65536},
    {"checkpoint_timeout", "checkpoint", UNIT_SECONDS, 1, 86400},
    {"full_page_writes", "full_page_writes", UNIT_BOOL, 0, 0},
    {"data_checksums", "data_checksums", UNIT_BOOL, 0, 0},
    {"autovacuum", "autovacuum", UNIT_BOOL, 0, 0},
};

static const char maria_query[] =
    "SHOW VARIABLES WHERE Variable_name IN ('innodb_buffer_pool_size', 'innodb_page_size', "
    "'innodb_io_capacity', 'innodb_io_capacity_max', 'innodb_lru_scan_depth', "
    "'innodb_doublewrite', 'innodb_change_buffering', 'innodb_lock_wait_timeout', "
    "'innodb_flush_neighbors', 'character_set_database', "
    "'innodb_flush_log_at_trx_commit', 'thread_pool_size')";

void server_profile_add(struct server_profile *profile, const char *key, const char *value,
                        const char *how)
{
    struct server_profile_row *row = &profile->rows[profile->count];

    must(profile->count < SERVER_PROFILE_ROWS);
    profile->count++;
    snprintf(row->key, sizeof(row->key), "%s", key);
    snprintf(row->value, sizeof(row->value), "%s", value);
    snprintf(row->how, sizeof(row->how), "%s", how);
}

/* "64MiB" where that is exact: a scenario reads both. */
static void print_bytes(uint64_t bytes, char *ret, size_t size)
{
    if (bytes % MIB == 0) {
        snprintf(ret, size, "%" PRIu64 "MiB", (uint64_t)(bytes / MIB));
    } else {
        snprintf(ret, size, "%" PRIu64, bytes);
    }
}

static bool is_on(const char *text)
{
    return strcasecmp(text, "off") != 0 && strcmp(text, "0") != 0 && strcasecmp(text, "no") != 0;
}

static void add_source(struct server_profile *profile, const struct profile_source *source,
                       const struct server_asked *asked)
{
    const char *text = server_asked_text(asked, source->variable);
    uint64_t number = server_asked_number(asked, source->variable), kept = number;
    char value[40], how[160];

    if (text == NULL || text[0] == '\0') {
        return;
    }
    kept = kept < source->least ? source->least : kept;
    kept = source->most > 0 && kept > source->most ? source->most : kept;
    snprintf(how, sizeof(how), "%s%s%.60s%s", source->variable, kept != number ? " is " : "",
             kept != number ? text : "", kept != number ? ", the model's bound" : "");
    switch (source->unit) {
    case UNIT_BYTES:
        print_bytes(kept, value, sizeof(value));
        break;
    case UNIT_COUNT:
        snprintf(value, sizeof(value), "%" PRIu64, kept);
        break;
    case UNIT_SECONDS:
        snprintf(value, sizeof(value), "%" PRIu64 "s", kept);
        break;
    case UNIT_BOOL:
        snprintf(value, sizeof(value), "%s", is_on(text) ? "yes" : "no");
        snprintf(how, sizeof(how), "%s is %.60s", source->variable, text);
        break;
    }
    server_profile_add(profile, source->key, value, how);
}

/* The version that a scenario's `like` names: the newest that is not newer. */
static enum model_like like_of(const struct server_facts *server)
{
    unsigned major = 0, minor = 0;

    sscanf(server->version, "%u.%u", &major, &minor);
    if (strcmp(server->flavour, "MariaDB") == 0) {
        return major * 100 + minor >= 1005 ? LIKE_MARIADB_10_11 : LIKE_MARIADB_10_4;
    }
    switch (major * 100 + minor) {
    case 507:
        return LIKE_MYSQL_5_7;
    case 506:
        return LIKE_MYSQL_5_6;
    default:
        return major < 8                  ? LIKE_MYSQL_5_5
               : major == 8 && minor <= 3 ? LIKE_MYSQL_8_0
                                          : LIKE_MYSQL_8_4;
    }
}

/* The longest character of the database, whose tables have its character set if none is said. */
static void add_charset(struct server_profile *profile, const struct server_asked *asked)
{
    const char *name = server_asked_text(asked, "character_set_database");
    bool utf8 = name != NULL && strncmp(name, "utf8", 4) == 0; /* utf8mb4 utf8mb3 utf8 */
    char how[160];

    if (utf8) {
        snprintf(how, sizeof(how), "character_set_database is %.60s", name);
        server_profile_add(profile, "char_bytes", strcmp(name, "utf8mb4") == 0 ? "4" : "3", how);
    }
}

static void add_maria(struct server_profile *profile, const struct server_facts *server,
                      const struct server_asked *asked)
{
    const char *buffering = server_asked_text(asked, "innodb_change_buffering");
    const char *commit = server_asked_text(asked, "innodb_flush_log_at_trx_commit");
    const char *neighbors = server_asked_text(asked, "innodb_flush_neighbors");
    char value[40], how[160];

    snprintf(how, sizeof(how), "%.40s %.60s", server->flavour, server->version);
    server_profile_add(profile, "like", model_like_names[like_of(server)], how);
    if (server->log_capacity_bytes >= MIB) {
        print_bytes(server->log_capacity_bytes, value, sizeof(value));
        server_profile_add(profile, "log_capacity", value,
                           "innodb_redo_log_capacity, or innodb_log_file_size x files");
    }
    server_profile_add(profile, "change_buffer",
                       buffering && strcasecmp(buffering, "none") != 0 ? "yes" : "no",
                       buffering ? "innodb_change_buffering" : "the server has none");
    add_charset(profile, asked);
    if (commit != NULL) {
        snprintf(how, sizeof(how), "innodb_flush_log_at_trx_commit is %.20s", commit);
        server_profile_add(profile, "log_sync", strcmp(commit, "1") == 0 ? "yes" : "no", how);
    }
    /* MariaDB asks the drive first */
    if (neighbors != NULL && strcmp(server->flavour, "MariaDB") != 0) {
        server_profile_add(profile, "flush_neighbors", strcmp(neighbors, "0") != 0 ? "yes" : "no",
                           "innodb_flush_neighbors");
    }
    /* MariaDB sets it to the number of processors; of MySQL it is a plugin's, 16 */
    if (strcmp(server->flavour, "MariaDB") == 0) {
        profile->cores = (uint32_t)server_asked_number(asked, "thread_pool_size");
        snprintf(profile->cores_how, sizeof(profile->cores_how),
                 "thread_pool_size, which MariaDB sets to its processors");
    }
}

static void add_postgres(struct server_profile *profile, const struct server_asked *asked)
{
    bool sync = !server_asked_is(asked, "synchronous_commit", "off") &&
                !server_asked_is(asked, "fsync", "off");

    server_profile_add(profile, "log_sync", sync ? "yes" : "no", "synchronous_commit and fsync");
}

int server_profile_read(struct sql_plain *plain, const struct server_facts *server,
                        struct server_profile *ret, struct error *err)
{
    bool postgres = server->dialect == SQL_POSTGRES;
    const struct profile_source *sources = postgres ? postgres_sources : maria_sources;
    uint32_t count = postgres ? sizeof(postgres_sources) / sizeof(*postgres_sources)
                              : sizeof(maria_sources) / sizeof(*maria_sources);
    struct server_asked asked = {0};
    int code = server_ask(plain, postgres ? postgres_query : maria_query, &asked, err);

    if (code < 0) {
        return code;
    }
    memset(ret, 0, sizeof(*ret));
    ret->kind = postgres ? MODEL_POSTGRES : MODEL_INNODB;
    for (uint32_t i = 0; i < count; i++) {
        add_source(ret, &sources[i], &asked);
    }
    if (postgres) {
        add_postgres(ret, &asked);
    } else {
        add_maria(ret, server, &asked);
    }
    return 0;
}
