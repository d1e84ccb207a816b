#include <errno.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/must.h"
#include "model_random.h"
#include "model_tpcc.h"

/*
 * innodb's purge in MariaDB: the master task wakes it once a second (srv_master_callback); it goes
 * to every row that was changed meanwhile (from 10.3, MDEV-12288) and takes delete-marked entries
 * out of secondary indexes. So a page that was changed is wanted once more up to a second later,
 * and read again if it has left a small pool. That purge changes rows too (their transaction ids)
 * is not modelled: with it Sysbench's page writes are 20 % too high at 128 MiB.
 */

/* innodb_purge_threads, default; each waits for one page at a time. */
enum { PURGE_WORKERS = 4, PURGE_ITEMS = 1 << 16 };
/* as an index: rows of new_order that were marked as deleted */
enum { PURGE_DELIVERED = INDEXES };

/* A page; of a random index the place of an entry, of delivered rows their district. */
struct purge_item {
    uint32_t page;
    uint8_t index;
};

struct model_purge {
    struct model *owner;
    struct timer timer;
    struct op ops[PURGE_WORKERS];
    struct purge_item now[PURGE_WORKERS];
    bool busy[PURGE_WORKERS];
    struct purge_item *items; /* a ring; what does not fit is forgotten */
    uint32_t first, count, due;
};

uint64_t purge_memory_bytes(const struct model_settings *settings)
{
    return purge_sessions(settings) > 0
               ? sizeof(struct model_purge) + PURGE_ITEMS * sizeof(struct purge_item)
               : 0;
}

uint32_t purge_sessions(const struct model_settings *settings)
{
    return settings->profile == MODEL_INNODB && settings->purge_ns > 0 ? PURGE_WORKERS : 0;
}

static bool purge_push(struct model_purge *purge, uint32_t page, uint8_t index)
{
    const struct purge_item *last;

    if (purge->count == PURGE_ITEMS) {
        return false;
    }
    last = &purge->items[(purge->first + purge->count - 1) % PURGE_ITEMS];
    if (purge->count == 0 || last->page != page || last->index != index || index == IX_SBTEST_K) {
        purge->items[(purge->first + purge->count++) % PURGE_ITEMS] =
            (struct purge_item){page, index};
    }
    return true;
}

void purge_note(struct model *m, const struct touch *touch)
{
    if (!m->warm && (touch->index <= IX_ITEM || touch->index == IX_SBTEST)) {
        purge_push(m->purge, touch->page, touch->index);
    }
}

bool purge_later(struct model *m, enum index_id id, uint32_t place)
{
    if (m->purge == NULL || m->warm || (id != IX_SBTEST_K && id != IX_NEW_ORDERS)) {
        return false;
    }
    return purge_push(m->purge, place, id == IX_NEW_ORDERS ? PURGE_DELIVERED : (uint8_t)id);
}

/* Most pages are still there: no more is to be done than to use them. */
static bool touch_resident(struct pool *pool, uint32_t page)
{
    uint32_t frame = pool_find(pool, page);

    if (frame == POOL_NONE || (pool->frames[frame].prev & FRAME_READING)) {
        return false;
    }
    pool->accesses++;
    pool->hits++;
    pool_access(pool, frame);
    return true;
}

/* Leaves of new_order are given back. */
static bool page_gone(const struct model *m, const struct purge_item *item)
{
    return item->index == IX_NEW_ORDERS && !new_order_holds(m, item->page);
}

/* True: another page is to be touched, by a walk. */
static bool purge_next(struct model_purge *purge, uint32_t worker)
{
    struct model *m = purge->owner;
    struct purge_item *item = &purge->now[worker];

    do {
        if (purge->due == 0 || m->stopped || m->warm) {
            return false;
        }
        *item = purge->items[purge->first];
        purge->first = (purge->first + 1) % PURGE_ITEMS;
        purge->count--;
        purge->due--;
        if (item->index == IX_SBTEST_K) {
            random_purge(sysbench_k(m), m, model_session(m, m->is.sessions + worker), item->page);
            return true;
        }
        if (item->index == PURGE_DELIVERED) {
            new_order_purge(m, model_session(m, m->is.sessions + worker), item->page,
                            m->tpcc->districts[item->page].oldest);
            return true;
        }
    } while (page_gone(m, item) || touch_resident(&m->pool, item->page));
    return true;
}

void purge_plan(const struct model *m, uint32_t number, struct plan *plan)
{
    const struct purge_item *item = &m->purge->now[number - m->is.sessions];

    if (item->index == IX_SBTEST_K) {
        random_plan(m, model_session(m, number), plan, IX_SBTEST_K);
    } else if (item->index == PURGE_DELIVERED) {
        random_plan(m, model_session(m, number), plan, IX_NEW_ORDERS);
    } else {
        plan_add(plan, (enum index_id)item->index, item->page, TOUCH_READ);
    }
}

bool purge_step(struct model *m, uint32_t number)
{
    struct model_session *s = model_session(m, number);

    do {
        if (!reader_walk(m, number)) {
            return false;
        }
        s->step = 0;
        s->flags = SESSION_LOGGED;
    } while (purge_next(m->purge, number - m->is.sessions));
    s->phase = PHASE_NONE;
    return true;
}

static void worker_done(struct op *op)
{
    struct model_purge *purge = (struct model_purge *)(uintptr_t)op->key[0];

    purge->busy[op - purge->ops] = false;
}

static void purge_fire(struct timer *timer)
{
    struct model_purge *purge =
        (struct model_purge *)((char *)timer - offsetof(struct model_purge, timer));
    struct model *m = purge->owner;

    loop_arm(m->loop, timer, m->loop->now_ns + m->is.purge_ns);
    model_enter(m);
    purge->due = purge->count;
    model_pool_clock(m);
    for (uint32_t i = 0; i < PURGE_WORKERS; i++) {
        struct model_session *s = model_session(m, m->is.sessions + i);

        if (purge->busy[i]) {
            continue;
        }
        *s = (struct model_session){.op = &purge->ops[i], .flags = SESSION_LOGGED};
        if (!purge_next(purge, i)) {
            continue;
        }
        purge->busy[i] = true;
        s->phase = PHASE_PURGE;
        s->since_ns = m->loop->now_ns;
        queue_push(m, &m->ready, m->is.sessions + i);
    }
    model_leave(m);
}

void purge_start(struct model *m)
{
    if (m->purge == NULL) {
        return;
    }
    loop_disarm(m->loop, &m->purge->timer);
    m->purge->count = m->purge->due = 0;
    loop_arm(m->loop, &m->purge->timer, m->loop->now_ns + m->is.purge_ns);
}

void purge_stop(struct model *m)
{
    if (m->purge != NULL) {
        loop_disarm(m->loop, &m->purge->timer);
    }
}

int purge_open(struct model *m, struct error *err)
{
    struct model_purge *purge;

    if (purge_sessions(&m->is) == 0) {
        return 0;
    }
    purge = m->purge = mem_zalloc(sizeof(*purge));
    if (purge != NULL) {
        purge->items = mem_array(PURGE_ITEMS, sizeof(*purge->items));
    }
    if (purge == NULL || purge->items == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for purge");
    }
    purge->owner = m;
    purge->timer.fire = purge_fire;
    for (uint32_t i = 0; i < PURGE_WORKERS; i++) {
        purge->ops[i].verb = OP_UPDATE;
        purge->ops[i].key[0] = (int64_t)(uintptr_t)purge;
        purge->ops[i].done = worker_done;
    }
    return 0;
}

void purge_close(struct model *m)
{
    if (m->purge == NULL) {
        return;
    }
    loop_disarm(m->loop, &m->purge->timer);
    mem_free(m->purge->items);
    mem_free(m->purge);
    m->purge = NULL;
}
