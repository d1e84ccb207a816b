#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/must.h"
#include "model_core.h"
#include "model_postgres.h"

_Static_assert(sizeof(struct model_session) + sizeof(struct lock_session) <= 96,
               "a session costs at most 96 bytes");
_Static_assert(sizeof(struct model_io) <= 128, "an outstanding request costs at most 128 bytes");

/*
 * innodb: pages that every transaction uses and that are always there: the headers of 128 rollback
 * segments, their undo pages, space headers and inodes: 229 to 256 in every pool measured
 */
enum { SYSTEM_FRAMES = 250, SYSTEM_SHARE = 32 };
enum { NODES_LEAST = 4096, NODES_A_SESSION = 8, FRAMES_SPARE = 8192 };
/* postgres: pages of the catalogs that every connection uses: 67 to 75 in every pool measured */
enum { CATALOG_PAGES = 70, CATALOG_SHARE = 64 };

/* ---- open and free -----------------------------------------------------------------------------
 */

/* No more than ever hold a page, and a quarter that the cleaner may keep free. */
static uint32_t frames_of(const struct model_settings *settings, const struct model_layout *layout)
{
    uint64_t frames = settings->buffer_bytes / settings->page_bytes;
    uint64_t most = (uint64_t)layout->pages + layout->pages / 4 + FRAMES_SPARE;

    if (settings->profile == MODEL_INNODB) {
        /* control blocks take a hundredth (8,112 of 8,192, MODEL.md 5.1) */
        frames -= frames / 100;
        frames -= frames / SYSTEM_SHARE < SYSTEM_FRAMES ? frames / SYSTEM_SHARE : SYSTEM_FRAMES;
    }
    frames = frames < most ? frames : most;
    if (settings->profile == MODEL_POSTGRES) {
        frames -= frames / CATALOG_SHARE < CATALOG_PAGES ? frames / CATALOG_SHARE : CATALOG_PAGES;
    }
    return frames < POOL_NONE ? (uint32_t)frames : POOL_NONE - 1;
}

static uint32_t nodes_of(const struct model_settings *settings)
{
    uint64_t nodes = (uint64_t)settings->sessions * NODES_A_SESSION;

    return nodes < NODES_LEAST ? NODES_LEAST : (uint32_t)nodes;
}

static uint32_t log_depth_of(const struct model_settings *settings)
{
    bool rewrites = settings->profile != MODEL_SQLSERVER;
    uint32_t depth = settings->log_depth < LOG_WRITES_MOST ? settings->log_depth : LOG_WRITES_MOST;

    return rewrites || depth < 1 ? 1 : depth;
}

static uint32_t log_write_of(const struct model_settings *settings)
{
    return settings->log_write_bytes / settings->log_block_bytes * settings->log_block_bytes;
}

static int settings_refuse(const struct model_settings *settings, struct error *err)
{
    if (settings->sessions < 1 || settings->sessions >= POOL_NONE) {
        return error_set(err, EXIT_USAGE, -EINVAL, "sessions: 1 or more, not %u",
                         settings->sessions);
    }
    if (settings->cores < 1 || settings->cores > 4096) {
        return error_set(err, EXIT_USAGE, -EINVAL, "cores: 1 to 4096, not %u", settings->cores);
    }
    if (settings->buffer_bytes / settings->page_bytes < 8) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "buffer: at least 8 pages of %u bytes, not %llu bytes",
                         settings->page_bytes, (unsigned long long)settings->buffer_bytes);
    }
    return 0;
}

/* Blocks may have to be as large as the drive's. */
uint64_t model_buffer_bytes(const struct model_settings *settings)
{
    uint32_t block = settings->log_block_bytes;

    return (uint64_t)reader_slots(settings) * settings->page_bytes + writer_buffer_bytes(settings) +
           log_buffer_bytes(log_depth_of(settings), settings->log_write_bytes,
                            block < DRIVE_ALIGN_MOST ? DRIVE_ALIGN_MOST : block);
}

/* Behind those of the users. */
static uint32_t own_sessions(const struct model_settings *settings)
{
    return purge_sessions(settings) + vacuum_sessions(settings) + background_threads(settings);
}

static const enum pool_policy policies[MODEL_PROFILES] = {
    [MODEL_INNODB] = POOL_INNODB,
    [MODEL_POSTGRES] = POOL_CLOCK,
    [MODEL_SQLSERVER] = POOL_MIDPOINT, /* stands for LRU-2 (MODEL.md 5.4) */
};

static int open_parts(struct model *m, const struct model_place *place, struct error *err)
{
    const struct model_settings *is = &m->is;
    const struct model_layout *layout = &m->layout;
    char *buffers = place->buffers;
    bool ordered = is->profile == MODEL_INNODB;
    uint64_t reads = (uint64_t)reader_slots(is) * is->page_bytes, writes = writer_buffer_bytes(is);
    struct log_settings log = {
        .offset = layout->log_offset,
        .capacity_bytes = layout->log_bytes / is->log_block_bytes * is->log_block_bytes,
        .block_bytes = is->log_block_bytes,
        .write_bytes = log_write_of(is),
        .depth = log_depth_of(is),
        .fua = is->log_fua,
        .sync = is->log_sync,
        .rewrite_last = is->profile != MODEL_SQLSERVER,
        .vm = m->target.vm,
    };
    int code;

    /* innodb: cap of MODEL.md 5.2; the others keep a tenth for what is under way */
    log.limit_bytes = log.capacity_bytes / 16 * (is->profile == MODEL_INNODB ? 13 : 14);
    must(buffers == NULL || place->buffer_bytes >= model_buffer_bytes(is));
    if ((code = pool_open(&m->pool, policies[is->profile], frames_of(is, layout), layout->pages,
                          layout->level1_first, layout->level1_end, ordered, err)) ||
        (code = locks_open(&m->locks, is->sessions, nodes_of(is), err)) ||
        (code = cpu_open(&m->cpu, m->loop, is->cores, &m->sessions[0].next,
                         sizeof(struct model_session) / sizeof(uint32_t), err)) ||
        (code = reader_open(m, buffers, err)) || (code = purge_open(m, err)) ||
        (code = writer_open(m, buffers ? buffers + reads : NULL, err)) ||
        (code = log_open(&m->log, &log, place->log, buffers ? buffers + reads + writes : NULL,
                         is->seed, err))) {
        return code;
    }
    session_open_parts(m);
    background_open(m);
    return is->is_tpcc ? tpcc_rows_open(m, err) : sysbench_rows_open(m, err);
}

static uint64_t map_bytes(uint32_t pages)
{
    return ((uint64_t)pages / 64 + 1) * 8;
}

static bool has_pending(const struct model_settings *settings)
{
    return settings->profile == MODEL_INNODB && settings->change_buffer;
}

static int open_maps(struct model *m, struct error *err)
{
    uint32_t grown = m->layout.pages - m->layout.grown_first;

    m->map_bytes = map_bytes(m->layout.pages);
    m->made_bytes = map_bytes(grown);
    m->sessions_bytes =
        ((uint64_t)m->is.sessions + own_sessions(&m->is)) * sizeof(struct model_session);
    m->made = mem_large(m->made_bytes);
    m->sessions = mem_large(m->sessions_bytes);
    m->pending_map = has_pending(&m->is) ? mem_large(m->map_bytes) : NULL;
    if (m->is.profile == MODEL_POSTGRES && m->is.full_page_writes) {
        m->image_map = mem_large(m->map_bytes);
    }
    if (!m->made || !m->sessions || (has_pending(&m->is) && !m->pending_map) ||
        (m->is.profile == MODEL_POSTGRES && m->is.full_page_writes && !m->image_map)) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u sessions and %u pages",
                         m->is.sessions, m->layout.pages);
    }
    return m->is.profile == MODEL_POSTGRES ? postgres_open(m, err) : 0;
}

static void open_small(struct model *m)
{
    m->log_bytes = profile_log(m->is.profile);
    m->statement_log =
        m->is.is_tpcc ? profile_tpcc_log(m->is.profile) : profile_sysbench_log(m->is.profile);
    profile_cpu(&m->is, m->statement_cpu_ns);
    cpu_factors_init(&m->factors, m->is.cpu_sigma, m->is.cpu_tail_share, m->is.cpu_tail_factor);
    rng_init(&m->rng, m->is.seed, (uint64_t)m->target.vm << 32 | 0x30de1);
}

static void model_free(struct target *target);
static const struct target_ops target_model_ops = {
    .name = "model",
    .begin = model_begin,
    .facts = model_facts,
    .check = model_check,
    .warm = model_warm,
    .elapse = model_elapse,
    .stop = model_stop,
    .free = model_free,
};

struct target *target_model_open(const struct model_settings *settings,
                                 const struct model_place *place, uint32_t vm, struct error *err)
{
    struct model *m;
    uint64_t log_end, data_end;

    if (settings_refuse(settings, err) != 0) {
        return NULL;
    }
    m = mem_zalloc(sizeof(*m));
    if (m == NULL) {
        error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a model");
        return NULL;
    }
    m->target = (struct target){.ops = &target_model_ops, .vm = vm};
    m->is = *settings;
    if (m->is.log_block_bytes < place->log->align_bytes) {
        m->is.log_block_bytes = place->log->align_bytes;
    }
    m->loop = place->loop;
    m->data = place->data;
    open_small(m);
    if (layout_open(&m->layout, &m->is, place->one_drive, err) != 0 || open_maps(m, err) != 0 ||
        open_parts(m, place, err) != 0) {
        model_free(&m->target);
        return NULL;
    }
    log_end = m->layout.log_offset + m->layout.log_bytes;
    data_end = m->layout.data_offset + m->layout.data_bytes;
    if (place->log->capacity_bytes < log_end || place->data->capacity_bytes < data_end) {
        error_set(err, EXIT_USAGE, -ENOSPC,
                  "the drive is too small: %llu bytes of data and %llu of log are needed",
                  (unsigned long long)data_end, (unsigned long long)log_end);
        model_free(&m->target);
        return NULL;
    }
    writer_start(m);
    purge_start(m);
    vacuum_start(m);
    return &m->target;
}

static void model_free(struct target *target)
{
    struct model *m;

    if (target == NULL) {
        return;
    }
    m = model_of(target);
    loop_disarm(m->loop, &m->ready_timer);
    loop_disarm(m->loop, &m->lock_timer);
    if (m->rows) {
        m->rows->close(m);
    }
    purge_close(m);
    log_close(&m->log);
    writer_close(m);
    reader_close(m);
    cpu_close(&m->cpu);
    locks_close(&m->locks);
    if (m->pool.count) {
        pool_close(&m->pool);
    }
    mem_large_free(m->witness, (uint64_t)m->layout.pages * 8);
    mem_large_free(m->image_map, m->map_bytes);
    mem_large_free(m->pending_map, m->map_bytes);
    postgres_close(m);
    mem_large_free(m->made, m->made_bytes);
    mem_large_free(m->sessions, m->sessions_bytes);
    mem_free(m);
}

/* ---- before anything is opened -----------------------------------------------------------------
 */

uint64_t target_model_session_bytes(void)
{
    return sizeof(struct model_session) + sizeof(struct lock_session);
}

uint64_t target_model_frame_bytes(void)
{
    return (uint64_t)ceil(pool_frame_bytes(true));
}

static uint64_t memory_of(const struct model_settings *settings, const struct model_layout *layout)
{
    uint64_t maps = (settings->profile == MODEL_POSTGRES ? 2 : has_pending(settings)) *
                    map_bytes(layout->pages);

    return sizeof(struct model) + maps + map_bytes(layout->pages - layout->grown_first) +
           ((uint64_t)settings->sessions + own_sessions(settings)) * sizeof(struct model_session) +
           pool_memory_bytes(frames_of(settings, layout), layout->pages,
                             layout->level1_end - layout->level1_first,
                             settings->profile == MODEL_INNODB) +
           locks_memory_bytes(settings->sessions, nodes_of(settings)) +
           (uint64_t)reader_slots(settings) * sizeof(struct model_io) +
           writer_memory_bytes(settings) + purge_memory_bytes(settings) +
           postgres_memory_bytes(settings, layout) +
           (settings->is_tpcc ? tpcc_rows_memory_bytes(settings)
                              : sysbench_rows_memory_bytes(settings));
}

int model_footprint(const struct model_settings *settings, struct model_footprint *ret,
                    struct error *err)
{
    struct model_layout layout;
    int code = settings_refuse(settings, err);

    if (code != 0 || (code = layout_open(&layout, settings, true, err)) != 0) {
        return code;
    }
    memset(ret, 0, sizeof(*ret));
    ret->database_bytes = (uint64_t)layout.grown_first * layout.page_bytes;
    ret->data_bytes = layout.data_bytes;
    ret->log_bytes = layout.log_bytes;
    ret->doublewrite_bytes = layout.doublewrite_bytes;
    ret->superblock_bytes = layout.superblock_bytes;
    ret->total_bytes = layout.data_offset + layout.data_bytes;
    ret->memory_bytes = memory_of(settings, &layout);
    ret->pages = layout.grown_first;
    ret->frames = frames_of(settings, &layout);
    for (uint32_t id = 0; id < INDEXES; id++) {
        const struct model_index *index = &layout.index[id];
        uint32_t i = ret->table_count;

        if (index->leaves == 0) {
            continue;
        }
        snprintf(ret->tables[i].name, sizeof(ret->tables[i].name), "%s", index->name);
        ret->tables[i].pages = index->leaves;
        ret->tables[i].rows = index->rows;
        ret->tables[i].rows_per_page = index->capacity;
        ret->table_count++;
    }
    return 0;
}

struct model *target_model_inside(struct target *target)
{
    return model_of(target);
}

int target_model_watch(struct target *target, struct error *err)
{
    struct model *m = model_of(target);

    m->witness = mem_large((uint64_t)m->layout.pages * 8);
    if (m->witness == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory to watch %u pages", m->layout.pages);
    }
    return 0;
}
