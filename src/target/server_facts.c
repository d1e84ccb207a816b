#include "target/server_facts.h"

#include "server_ask.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What decides the load of the drive, the size and the waits: printed as the server prints it. */
const char *const server_settings_query[SQL_DIALECTS] = {
    "SELECT name, current_setting(name) FROM pg_settings WHERE name IN ('shared_buffers', "
    "'block_size', 'max_wal_size', 'min_wal_size', 'wal_buffers', 'wal_sync_method', 'fsync', "
    "'synchronous_commit', 'full_page_writes', 'wal_level', 'wal_compression', "
    "'wal_init_zero', 'commit_delay', 'checkpoint_timeout', 'checkpoint_completion_target', "
    "'autovacuum', 'max_connections', 'superuser_reserved_connections', 'idle_session_timeout', "
    "'idle_in_transaction_session_timeout', 'statement_timeout', 'lock_timeout', "
    "'default_transaction_isolation', 'transaction_read_only', 'maintenance_work_mem', "
    "'effective_io_concurrency', 'max_files_per_process', 'huge_pages') ORDER BY name",
    "SHOW VARIABLES WHERE Variable_name IN ('innodb_buffer_pool_size', 'innodb_page_size', "
    "'innodb_log_file_size', 'innodb_log_files_in_group', 'innodb_redo_log_capacity', "
    "'innodb_flush_log_at_trx_commit', 'innodb_flush_method', 'innodb_doublewrite', "
    "'innodb_io_capacity', 'innodb_io_capacity_max', 'innodb_lock_wait_timeout', "
    "'innodb_rollback_on_timeout', 'innodb_snapshot_isolation', 'innodb_change_buffering', "
    "'sync_binlog', 'log_bin', 'max_connections', 'max_user_connections', 'back_log', "
    "'max_prepared_stmt_count', 'table_open_cache', 'open_files_limit', 'max_allowed_packet', "
    "'local_infile', 'auto_increment_increment', 'wait_timeout', 'tx_isolation', "
    "'transaction_isolation', 'autocommit', 'read_only', 'innodb_read_only', "
    "'super_read_only', 'thread_handling', 'log_bin_trust_function_creators', 'version', "
    "'version_comment')",
};

static void take_row(void *context, const struct sql_value *columns, uint32_t count)
{
    int64_t *numbers = context;

    for (uint32_t i = 0; i < count && i < 8; i++) {
        numbers[i] = server_value_number(&columns[i]);
    }
}

static void copy_settings(struct server_facts *ret, const struct server_asked *asked)
{
    for (uint32_t i = 0; i < asked->count && i < SERVER_SETTINGS; i++) {
        ret->settings[i] = asked->pairs[i];
        ret->setting_count = i + 1;
    }
}

static void copy_text(char *ret, uint32_t size, const char *text)
{
    snprintf(ret, size, "%.*s", (int)size - 1, text ? text : "");
}

static uint32_t limit_of(int64_t number)
{
    return number <= 0 ? UINT32_MAX : (uint32_t)number;
}

static void take_version(void *context, const struct sql_value *columns, uint32_t count)
{
    struct server_facts *ret = context;

    if (count > 0) {
        server_value_text(&columns[0], ret->version, sizeof(ret->version));
    }
}

static int read_postgres(struct sql_plain *plain, struct server_facts *ret,
                         const struct server_asked *asked, struct error *err)
{
    int64_t numbers[8] = {0};
    int code = sql_plain_run(
        plain,
        "SELECT current_setting('server_version_num')::int, "
        "pg_size_bytes(current_setting('shared_buffers')), "
        "pg_size_bytes(current_setting('max_wal_size')), pg_database_size(current_database()), "
        "current_setting('max_connections')::int - CASE WHEN rolsuper THEN 0 ELSE "
        "current_setting('superuser_reserved_connections')::int + "
        "coalesce(current_setting('reserved_connections', true), '0')::int END, rolconnlimit, "
        "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' "
        "AND pid <> pg_backend_pid()) FROM pg_roles WHERE rolname = current_user",
        take_row, numbers, err);

    if (code < 0) {
        return code;
    }
    copy_text(ret->flavour, sizeof(ret->flavour), "PostgreSQL");
    code = sql_plain_run(plain, "SHOW server_version", take_version, ret, err);
    ret->number = (uint32_t)numbers[0];
    ret->buffer_bytes = (uint64_t)numbers[1];
    ret->log_capacity_bytes = (uint64_t)numbers[2];
    ret->database_bytes = (uint64_t)numbers[3];
    ret->page_bytes = server_asked_number(asked, "block_size");
    ret->connection_limit = limit_of(numbers[4]);
    if (numbers[5] >= 0 && (uint64_t)numbers[5] < ret->connection_limit) {
        ret->connection_limit = (uint32_t)numbers[5];
    }
    ret->connections_used = (uint32_t)numbers[6];
    ret->prepared_limit = UINT32_MAX;
    copy_text(ret->flush_method, sizeof(ret->flush_method),
              server_asked_text(asked, "wal_sync_method"));
    copy_text(ret->isolation, sizeof(ret->isolation),
              server_asked_text(asked, "default_transaction_isolation"));
    ret->read_only = server_asked_is(asked, "transaction_read_only", "on");
    ret->durable = !server_asked_is(asked, "fsync", "off") &&
                   !server_asked_is(asked, "synchronous_commit", "off") &&
                   !server_asked_is(asked, "full_page_writes", "off");
    return code;
}

/* "10.11.14-MariaDB" is 101114. */
static uint32_t version_number(const char *version)
{
    char *end = (char *)(uintptr_t)version;
    uint32_t number = 0;

    for (int i = 0; i < 3; i++) {
        number = number * 100 + (uint32_t)strtoul(end, &end, 10);
        end += *end == '.';
    }
    return number;
}

static const char *flavour_of(const struct server_asked *asked)
{
    const char *version = server_asked_text(asked, "version");
    const char *comment = server_asked_text(asked, "version_comment");

    if (version && strstr(version, "MariaDB")) {
        return "MariaDB";
    }
    return comment && strstr(comment, "Percona") ? "Percona" : "MySQL";
}

static void fill_maria(struct server_facts *ret, const struct server_asked *asked)
{
    const char *isolation = server_asked_text(asked, "transaction_isolation");
    uint64_t files = server_asked_number(asked, "innodb_log_files_in_group");

    copy_text(ret->flavour, sizeof(ret->flavour), flavour_of(asked));
    copy_text(ret->version, sizeof(ret->version), server_asked_text(asked, "version"));
    ret->number = version_number(ret->version);
    ret->buffer_bytes = server_asked_number(asked, "innodb_buffer_pool_size");
    ret->page_bytes = server_asked_number(asked, "innodb_page_size");
    ret->log_capacity_bytes = server_asked_number(asked, "innodb_redo_log_capacity");
    if (ret->log_capacity_bytes == 0) {
        ret->log_capacity_bytes =
            server_asked_number(asked, "innodb_log_file_size") * (files > 0 ? files : 1);
    }
    ret->connection_limit = limit_of((int64_t)server_asked_number(asked, "max_connections"));
    if (server_asked_number(asked, "max_user_connections") > 0 &&
        server_asked_number(asked, "max_user_connections") < ret->connection_limit) {
        ret->connection_limit = (uint32_t)server_asked_number(asked, "max_user_connections");
    }
    ret->prepared_limit = (uint32_t)server_asked_number(asked, "max_prepared_stmt_count");
    copy_text(ret->flush_method, sizeof(ret->flush_method),
              server_asked_text(asked, "innodb_flush_method"));
    copy_text(ret->isolation, sizeof(ret->isolation),
              isolation ? isolation : server_asked_text(asked, "tx_isolation"));
    ret->read_only = server_asked_is(asked, "read_only", "ON") ||
                     server_asked_is(asked, "innodb_read_only", "ON") ||
                     server_asked_is(asked, "super_read_only", "ON");
    ret->durable =
        server_asked_is(asked, "innodb_flush_log_at_trx_commit", "1") &&
        !server_asked_is(asked, "innodb_doublewrite", "OFF") &&
        !server_asked_is(asked, "innodb_flush_method", "nosync") &&
        (!server_asked_is(asked, "log_bin", "ON") || server_asked_is(asked, "sync_binlog", "1"));
}

static int read_maria(struct sql_plain *plain, struct server_facts *ret,
                      const struct server_asked *asked, struct error *err)
{
    struct server_asked used = {0};
    int64_t bytes = 0;
    int code;

    fill_maria(ret, asked);
    code = server_ask(plain, "SHOW GLOBAL STATUS LIKE 'Threads_connected'", &used, err);
    if (code < 0) {
        return code;
    }
    ret->connections_used = (uint32_t)server_asked_number(&used, "Threads_connected");
    ret->connections_used -= ret->connections_used > 0; /* this one */
    code = sql_plain_number(plain,
                            "SELECT coalesce(sum(data_length + index_length), 0) "
                            "FROM information_schema.tables WHERE table_schema = database()",
                            &bytes, err);
    ret->database_bytes = (uint64_t)bytes;
    return code;
}

int server_facts_read(struct sql_plain *plain, enum sql_dialect dialect, struct server_facts *ret,
                      struct error *err)
{
    struct server_asked asked = {0};
    int code = server_ask(plain, server_settings_query[dialect], &asked, err);

    if (code < 0) {
        return code;
    }
    *ret = (struct server_facts){.dialect = dialect};
    copy_settings(ret, &asked);
    return dialect == SQL_POSTGRES ? read_postgres(plain, ret, &asked, err)
                                   : read_maria(plain, ret, &asked, err);
}
