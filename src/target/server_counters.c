#include "server_ask.h"
#include "target/server_facts.h"

/* From version 17 on checkpoints have a view of their own, and backends' writes are in pg_stat_io;
 * from 18 on so is what becomes of the WAL. */
static const char *postgres_counters(uint32_t number)
{
#define DATABASES                                                                                  \
    "(SELECT sum(blks_hit)::bigint h, sum(blks_read)::bigint r, sum(tup_fetched + "                \
    "tup_returned)::bigint f, sum(tup_inserted + tup_updated + tup_deleted)::bigint w, "           \
    "sum(deadlocks)::bigint d FROM pg_stat_database) b"
#define SELECTED "SELECT h, r, f, w, d, "
    if (number >= 180000) {
        return SELECTED
            "c.buffers_written + g.buffers_clean + (SELECT sum(writes)::bigint FROM pg_stat_io "
            "WHERE object = 'relation' AND backend_type = 'client backend'), "
            "c.num_timed + c.num_requested, wal_bytes::bigint, "
            "(SELECT sum(writes)::bigint FROM pg_stat_io WHERE object = 'wal'), "
            "(SELECT sum(fsyncs)::bigint FROM pg_stat_io WHERE object = 'wal'), wal_fpi "
            "FROM " DATABASES ", pg_stat_bgwriter g, pg_stat_checkpointer c, pg_stat_wal";
    }
    if (number >= 170000) {
        return SELECTED
            "c.buffers_written + g.buffers_clean + (SELECT sum(writes)::bigint FROM pg_stat_io "
            "WHERE object = 'relation' AND backend_type = 'client backend'), "
            "c.num_timed + c.num_requested, wal_bytes::bigint, wal_write, wal_sync, wal_fpi "
            "FROM " DATABASES ", pg_stat_bgwriter g, pg_stat_checkpointer c, pg_stat_wal";
    }
    if (number >= 140000) {
        return SELECTED "g.buffers_checkpoint + g.buffers_clean + g.buffers_backend, "
                        "g.checkpoints_timed + g.checkpoints_req, wal_bytes::bigint, wal_write, "
                        "wal_sync, wal_fpi FROM " DATABASES ", pg_stat_bgwriter g, pg_stat_wal";
    }
    return SELECTED "g.buffers_checkpoint + g.buffers_clean + g.buffers_backend, "
                    "g.checkpoints_timed + g.checkpoints_req, "
                    "(pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint, 0, 0, 0 "
                    "FROM " DATABASES ", pg_stat_bgwriter g";
}

enum {
    PG_HIT,
    PG_READ,
    PG_FETCHED,
    PG_CHANGED,
    PG_DEADLOCKS,
    PG_WRITTEN,
    PG_CHECKPOINTS,
    PG_LOG_BYTES,
    PG_LOG_WRITES,
    PG_LOG_SYNCS,
    PG_IMAGES,
    PG_NUMBERS
};

static void take_postgres(void *context, const struct sql_value *columns, uint32_t count)
{
    uint64_t *numbers = context;

    for (uint32_t i = 0; i < count && i < PG_NUMBERS; i++) {
        numbers[i] = (uint64_t)server_value_number(&columns[i]);
    }
}

static int count_postgres(struct sql_plain *plain, const struct server_facts *server,
                          struct target_facts *ret, struct error *err)
{
    uint64_t n[PG_NUMBERS] = {0};
    int code = sql_plain_run(plain, postgres_counters(server->number), take_postgres, n, err);

    ret->page_accesses = n[PG_HIT] + n[PG_READ];
    ret->page_hits = n[PG_HIT];
    ret->page_reads = n[PG_READ];
    ret->pages_written = n[PG_WRITTEN];
    ret->page_images = n[PG_IMAGES];
    ret->rows_read = n[PG_FETCHED];
    ret->rows_written = n[PG_CHANGED];
    ret->deadlocks = n[PG_DEADLOCKS];
    ret->checkpoints = n[PG_CHECKPOINTS];
    ret->log_bytes = n[PG_LOG_BYTES];
    ret->log_writes = n[PG_LOG_WRITES];
    ret->log_flushes = n[PG_LOG_SYNCS];
    return code;
}

/* MariaDB and MySQL have dropped different ones of these over the years. */
static const char maria_counters[] =
    "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_buffer_pool_read_requests', "
    "'Innodb_buffer_pool_reads', 'Innodb_pages_read', 'Innodb_pages_created', "
    "'Innodb_pages_written', 'Innodb_dblwr_pages_written', 'Innodb_buffer_pool_pages_dirty', "
    "'Innodb_buffer_pool_pages_total', 'Innodb_buffer_pool_pages_data', 'Innodb_os_log_written', "
    "'Innodb_log_writes', 'Innodb_os_log_fsyncs', 'Innodb_data_fsyncs', 'Innodb_row_lock_waits', "
    "'Innodb_deadlocks', 'Innodb_rows_read', 'Innodb_rows_inserted', 'Innodb_rows_updated', "
    "'Innodb_rows_deleted', 'Rows_read', 'Handler_write', 'Handler_update', 'Handler_delete')";

static uint64_t sum_of(const struct server_asked *asked, const char *a, const char *b,
                       const char *c)
{
    return server_asked_number(asked, a) + server_asked_number(asked, b) +
           server_asked_number(asked, c);
}

static int count_maria(struct sql_plain *plain, struct target_facts *ret, struct error *err)
{
    struct server_asked asked = {0};
    int code = server_ask(plain, maria_counters, &asked, err);
    bool rows = server_asked_text(&asked, "Innodb_rows_read") != NULL;
    uint64_t misses = server_asked_number(&asked, "Innodb_buffer_pool_reads");

    ret->page_accesses = server_asked_number(&asked, "Innodb_buffer_pool_read_requests");
    ret->page_hits = ret->page_accesses > misses ? ret->page_accesses - misses : 0;
    ret->page_reads = server_asked_number(&asked, "Innodb_pages_read");
    ret->pages_created = server_asked_number(&asked, "Innodb_pages_created");
    ret->pages_written = server_asked_number(&asked, "Innodb_pages_written");
    ret->pages_doublewritten = server_asked_number(&asked, "Innodb_dblwr_pages_written");
    ret->pages_dirty = server_asked_number(&asked, "Innodb_buffer_pool_pages_dirty");
    ret->frames = server_asked_number(&asked, "Innodb_buffer_pool_pages_total");
    ret->frames_resident = server_asked_number(&asked, "Innodb_buffer_pool_pages_data");
    ret->log_bytes = server_asked_number(&asked, "Innodb_os_log_written");
    ret->log_writes = server_asked_number(&asked, "Innodb_log_writes");
    ret->log_flushes = server_asked_number(&asked, "Innodb_os_log_fsyncs");
    ret->lock_waits = server_asked_number(&asked, "Innodb_row_lock_waits");
    ret->deadlocks = server_asked_number(&asked, "Innodb_deadlocks");
    ret->rows_read = server_asked_number(&asked, rows ? "Innodb_rows_read" : "Rows_read");
    ret->rows_written =
        rows ? sum_of(&asked, "Innodb_rows_inserted", "Innodb_rows_updated", "Innodb_rows_deleted")
             : sum_of(&asked, "Handler_write", "Handler_update", "Handler_delete");
    return code;
}

int server_counters_read(struct sql_plain *plain, const struct server_facts *server,
                         struct target_facts *ret, struct error *err)
{
    struct target_facts facts = {0};
    int code = server->dialect == SQL_POSTGRES ? count_postgres(plain, server, &facts, err)
                                               : count_maria(plain, &facts, err);

    if (code >= 0) {
        *ret = facts;
    }
    return code < 0 ? code : 0;
}
