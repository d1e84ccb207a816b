#include "base/mem.h"
#include "base/must.h"
#include "target_sql_link.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *const sql_isolation_names[ISOLATIONS] = {"default", "read-committed", "repeatable-read",
                                                     "serializable"};

static const char *const isolation_texts[ISOLATIONS][SQL_DIALECTS] = {
    [ISOLATION_READ_COMMITTED] = {"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL "
                                  "READ COMMITTED",
                                  "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"},
    [ISOLATION_REPEATABLE_READ] = {"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL "
                                   "REPEATABLE READ",
                                   "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ"},
    [ISOLATION_SERIALIZABLE] = {"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL "
                                "SERIALIZABLE",
                                "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE"},
};

/* How long target_sql_connect() lets the loop run before it looks again. */
#define LOOK_NS 20000000ll

static struct target_sql *sql_of(const struct target *target)
{
    return (struct target_sql *)((char *)(uintptr_t)target - offsetof(struct target_sql, target));
}

static uint32_t calls_of(const struct target_sql_settings *settings)
{
    return settings->pipeline ? LINK_CALLS : 1;
}

static int settings_check(const struct target_sql_settings *settings, struct error *err)
{
    if ((int)sql_texts_dialect(settings->texts) != (int)settings->url.dialect) {
        return error_set(err, EXIT_USAGE, -EINVAL, "the statements are not in the dialect of %s",
                         sql_dialect_names[settings->url.dialect]);
    }
    if (settings->connections == 0 || settings->connections > settings->sessions) {
        return error_set(err, EXIT_USAGE, -EINVAL, "connections: must be 1 to the %u users, not %u",
                         settings->sessions, settings->connections);
    }
    if (settings->pipeline && settings->url.dialect != SQL_POSTGRES) {
        error_set(err, EXIT_USAGE, -EINVAL, "pipeline: only PostgreSQL takes statements ahead");
        return error_hint(err, "take `pipeline` out");
    }
    return 0;
}

static int fill_statements(struct target_sql *target, struct error *err)
{
    const struct sql_texts *texts = target->settings.texts;
    const struct catalog *catalog = sql_texts_catalog(texts);
    uint32_t count = sql_texts_count(texts);

    target->text_count = count;
    target->statements = mem_array(count + 1, sizeof(*target->statements));
    target->by_statement = mem_array(catalog->statement_count, sizeof(*target->by_statement));
    if (!target->statements || !target->by_statement) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u statements", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct sql_text *text = sql_texts_at(texts, i);

        target->statements[i] =
            (struct sql_statement){i, text->text, text->param_count, text->utility};
        if (catalog->statements[text->statement].verb == OP_ROLLBACK) {
            target->rollback_id = i;
            target->rollback_text = text;
        }
    }
    target->statements[count] = (struct sql_statement){
        count, isolation_texts[target->settings.isolation][target->settings.url.dialect], 0, true};
    for (uint32_t i = 0; i < catalog->statement_count; i++) {
        target->by_statement[i].name = catalog->statements[i].name;
    }
    must(target->rollback_text);
    return 0;
}

static void fill_bytes(const struct target_sql_settings *settings, uint64_t ret[3])
{
    ret[0] = (uint64_t)settings->sessions * sizeof(struct link_session);
    ret[1] = (uint64_t)settings->connections * sizeof(struct link);
    ret[2] = (uint64_t)settings->connections * calls_of(settings) * sizeof(struct link_call);
}

uint64_t target_sql_memory_bytes(const struct target_sql_settings *settings)
{
    uint64_t bytes[3];

    fill_bytes(settings, bytes);
    return bytes[0] + bytes[1] + bytes[2] + sizeof(struct target_sql);
}

static int fill_links(struct target_sql *target, struct error *err)
{
    target->sessions = mem_large(target->bytes_of[0]);
    target->links = mem_large(target->bytes_of[1]);
    target->calls = mem_large(target->bytes_of[2]);
    if (!target->sessions || !target->links || !target->calls) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for %u users on %u connections",
                         target->settings.sessions, target->settings.connections);
    }
    for (uint32_t i = 0; i < target->settings.sessions; i++) {
        target->sessions[i].link = NO_LINK;
    }
    for (uint32_t i = 0; i < target->settings.connections; i++) {
        struct link *link = &target->links[i];

        link->target = target;
        link->session = NO_SESSION_HERE;
        link->calls = target->calls + (uint64_t)i * target->call_limit;
        link->backoff_ns = LINK_BACKOFF_FIRST_NS;
        link_open_at(link, target->loop->now_ns);
    }
    return 0;
}

struct target *target_sql_open(const struct target_sql_settings *settings, struct loop *loop,
                               uint32_t vm, struct error *err)
{
    struct target_sql *target;
    const struct sql_ops *ops;

    if (settings_check(settings, err) < 0) {
        return NULL;
    }
    ops = settings->ops ? settings->ops : sql_ops_of(&settings->url, err);
    target = ops ? mem_zalloc(sizeof(*target)) : NULL;
    if (!target) {
        if (ops) {
            error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a target");
        }
        return NULL;
    }
    target_sql_init(&target->target, vm);
    target->loop = loop;
    target->ops = ops;
    target->settings = *settings;
    target->options.statements = sql_texts_count(settings->texts) + 1;
    target->options.prepared = settings->prepared;
    target->options.pipeline = settings->pipeline;
    target->call_limit = calls_of(settings);
    target->idle = NO_LINK;
    fill_bytes(settings, target->bytes_of);
    if (fill_statements(target, err) < 0 || fill_links(target, err) < 0) {
        target->target.ops->free(&target->target);
        return NULL;
    }
    return &target->target;
}

int target_sql_connect(struct target *base, int64_t timeout_ns, struct error *err)
{
    struct target_sql *target = sql_of(base);
    struct loop *loop = target->loop;
    int64_t limit_ns = loop->now_ns + timeout_ns;

    while (target->connected < target->settings.connections) {
        int64_t before_ns = loop->now_ns;

        loop_run(loop, loop->now_ns + LOOK_NS < limit_ns ? loop->now_ns + LOOK_NS : limit_ns);
        if (target->failed) {
            *err = target->failure;
            return err->code;
        }
        if (loop->fault) {
            *err = *loop->fault;
            return err->code;
        }
        if (loop->stop) {
            return error_set(err, EXIT_INTERRUPTED, -EINTR, "interrupted while connecting");
        }
        if (target->connected < target->settings.connections &&
            (loop->now_ns >= limit_ns || loop->now_ns == before_ns)) {
            return error_set(err, EXIT_FAILED, -ETIMEDOUT,
                             "only %u of %u connections stand after %lld s", target->connected,
                             target->settings.connections, (long long)(timeout_ns / 1000000000));
        }
    }
    target->started = true;
    return 0;
}

uint32_t target_sql_statements(const struct target *base, struct target_sql_statement *ret,
                               uint32_t limit)
{
    const struct target_sql *target = sql_of(base);
    uint32_t count = sql_texts_catalog(target->settings.texts)->statement_count;

    count = count < limit ? count : limit;
    memcpy(ret, target->by_statement, count * sizeof(*ret));
    return count;
}

void target_sql_counts(const struct target *base, struct target_sql_counts *ret)
{
    const struct target_sql *target = sql_of(base);

    *ret = target->counts;
    ret->calls = target->answered;
    ret->connected = target->connected;
    ret->busy = target->busy;
    ret->waiting = target->waiting;
    if (target->started && target->connected == 0) {
        int64_t gap_ns = target->loop->now_ns - target->gap_since_ns;

        ret->longest_gap_ns = gap_ns > ret->longest_gap_ns ? gap_ns : ret->longest_gap_ns;
    }
}
