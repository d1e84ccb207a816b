#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "sql_drivers.h"
#include "sql_session.h"

/*
 * A server of which the truth is known. It answers a call delay after it was begun (or after the
 * one before it), and makes no headway while it stalls. Chance comes from the seed and the order in
 * which calls are begun, so it repeats in virtual time.
 */
struct sql_fake {
    struct sql sql;
    int64_t delay_ns, other_ns; /* other: the rest of a bimodal delay */
    double share;               /* of delay_ns */
    int64_t stall_at_ns, stall_ns, gone_at_ns;
    double error_share;
    char error_state[6];
    uint32_t rows;
    int64_t number;
    uint64_t seed;
    uint32_t (*answer)(void *context, const struct sql_call *, uint32_t row, struct sql_value *ret);
    void *answer_context;
};

static inline struct sql_fake *fake_of(struct sql *sql)
{
    return (struct sql_fake *)sql;
}

static bool drawn(struct sql_fake *fake, uint64_t salt, double share)
{
    uint64_t bits = rng_hash(fake->seed + salt + (fake->sql.loop->armed << 8)) >> 11;

    return (double)bits * 0x1p-53 < share;
}

static int64_t answered_ns(const struct sql_fake *fake, int64_t now_ns, int64_t delay_ns)
{
    int64_t from_ns = fake->stall_at_ns, to_ns = from_ns + fake->stall_ns;

    if (fake->stall_ns == 0 || now_ns + delay_ns <= from_ns || now_ns >= to_ns) {
        return now_ns + delay_ns;
    }
    return (now_ns < from_ns ? now_ns + fake->stall_ns : to_ns) + delay_ns;
}

static void fake_arm(struct sql_fake *fake)
{
    struct loop *loop = fake->sql.loop;
    bool first = drawn(fake, 1, fake->share);
    int64_t due_ns = answered_ns(fake, loop->now_ns, first ? fake->delay_ns : fake->other_ns);

    loop_arm(loop, &fake->sql.timer, due_ns);
}

static void fake_send(struct sql *sql, struct sql_call *call)
{
    if (call == sql->first) {
        fake_arm(fake_of(sql));
    }
}

static void answer_rows(struct sql_fake *fake, struct sql_call *call)
{
    struct sql_value values[SQL_COLUMNS] = {{.kind = SQL_INT, .number = fake->number}};
    uint32_t most = fake->answer ? UINT32_MAX : call->statement->utility ? 0 : fake->rows;

    while (call->rows < most) {
        uint32_t columns =
            fake->answer ? fake->answer(fake->answer_context, call, call->rows, values) : 1;

        if (columns == 0) {
            break;
        }
        call->rows++;
        if (call->row) {
            call->row(call, values, columns);
        }
    }
}

static void fake_answers(struct sql *sql)
{
    struct sql_fake *fake = fake_of(sql);
    static const char words[] = "the fake server refuses by chance";

    if (fake->error_share > 0 && !sql->first->statement->utility &&
        drawn(fake, 2, fake->error_share)) {
        sql_session_refuse(sql, fake->error_state, words, sizeof(words) - 1);
    } else {
        answer_rows(fake, sql->first);
        sql_session_end(sql, SQL_DONE);
    }
    if (sql->first && !sql->gone && !sql->closed && !timer_armed(&sql->timer)) {
        fake_arm(fake);
    }
}

static void fake_timer(struct timer *timer)
{
    struct sql *sql = (struct sql *)((char *)timer - offsetof(struct sql, timer));
    struct sql_fake *fake = fake_of(sql);

    sql_session_enter(sql);
    if (sql->gone) {
        sql_session_timer(timer);
    } else if (!sql->standing) {
        sql->standing = true;
        if (sql->loop->now_ns >= fake->gone_at_ns) {
            fake->gone_at_ns = INT64_MAX; /* it goes once; this one has come after it */
        }
        sql->connected(sql->context, sql, NULL);
    } else if (sql->loop->now_ns >= fake->gone_at_ns) {
        sql_session_lose(sql, "08006", "the fake server went away");
    } else {
        fake_answers(sql);
    }
    sql_session_leave(sql);
}

static void fake_free(struct sql *sql)
{
    mem_free(sql);
}

static const struct sql_speech fake_speech = {
    .send = fake_send,
    .free = fake_free,
};

static int64_t duration_of(const struct sql_url *url, const char *key, int64_t otherwise_ns)
{
    struct error ignored;
    char text[64];
    int64_t ns = otherwise_ns;

    if (sql_url_option(url, key, text, sizeof(text))) {
        units_duration(text, &ns, &ignored); /* sql_url_parse() has seen to it */
    }
    return ns;
}

static uint64_t count_of(const struct sql_url *url, const char *key, uint64_t otherwise)
{
    char text[64];

    return sql_url_option(url, key, text, sizeof(text)) ? strtoull(text, NULL, 10) : otherwise;
}

static void read_bimodal(struct sql_fake *fake, char *text)
{
    struct error ignored;
    char *share = strchr(text, ':'), *other = strchr(text, ',');

    if (share && other) {
        *share++ = '\0';
        *other++ = '\0';
        units_duration(text, &fake->delay_ns, &ignored);
        units_share(share, &fake->share, &ignored);
        units_duration(other, &fake->other_ns, &ignored);
    }
}

static void read_options(struct sql_fake *fake, const struct sql_url *url)
{
    struct error ignored;
    char text[64];

    fake->delay_ns = duration_of(url, "delay", 0);
    fake->other_ns = fake->delay_ns;
    fake->share = 1;
    if (sql_url_option(url, "bimodal", text, sizeof(text))) {
        read_bimodal(fake, text);
    }
    fake->stall_at_ns = duration_of(url, "stall_at", 0);
    fake->stall_ns = duration_of(url, "stall", 0);
    fake->gone_at_ns = duration_of(url, "gone_at", INT64_MAX);
    fake->rows = (uint32_t)count_of(url, "rows", 1);
    fake->number = (int64_t)count_of(url, "number", 1);
    fake->seed = rng_hash(count_of(url, "seed", 1));
    if (sql_url_option(url, "error", text, sizeof(text))) {
        char *share = strchr(text, ':');

        snprintf(fake->error_state, sizeof(fake->error_state), "%.*s", (int)strcspn(text, ":"),
                 text);
        if (share) {
            units_share(share + 1, &fake->error_share, &ignored);
        }
    }
}

static int fake_connect(struct sql **ret, struct loop *loop, const struct sql_url *url,
                        const struct sql_options *options,
                        void (*connected)(void *context, struct sql *, const struct error *err),
                        void *context, struct error *err)
{
    struct sql_fake *fake = mem_zalloc(sizeof(*fake));

    if (fake == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for a connection");
    }
    sql_session_init(&fake->sql, loop, options, connected, context);
    fake->sql.speech = &fake_speech;
    fake->sql.timer.fire = fake_timer;
    fake->answer = options->answer;
    fake->answer_context = options->context;
    read_options(fake, url);
    loop_arm(loop, &fake->sql.timer, loop->now_ns + duration_of(url, "connect", 0));
    *ret = &fake->sql;
    return 0;
}

static uint64_t fake_memory_bytes(const struct sql *sql)
{
    return sizeof(struct sql_fake);
}

const struct sql_ops sql_fake_ops = {
    .name = "fake",
    .connect = fake_connect,
    .begin = sql_session_begin,
    .close = sql_session_close,
    .memory_bytes = fake_memory_bytes,
};
