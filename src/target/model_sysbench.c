#include <errno.h>

#include "base/dist.h"
#include "base/mem.h"
#include "base/must.h"
#include "model_postgres.h"
#include "model_random.h"

/* Pages of the statements: MODEL.md 4.2. */
struct model_sysbench {
    struct model_random k;
    struct dist ks; /* of k as loaded and as inserted */
    uint32_t tail;  /* page that new ids, or postgres' new versions, go to */
    uint64_t tail_rows;
    uint64_t inserted, deleted; /* committed */
    uint64_t pending, next_id;
};

static uint64_t row_of(const struct model *m, const struct op *op)
{
    return (uint64_t)op->key[0] * m->is.sysbench.rows + (uint64_t)op->key[1] - 1;
}

static bool is_loaded(const struct model *m, const struct op *op)
{
    return op->key[1] >= 1 && (uint64_t)op->key[1] <= m->is.sysbench.rows;
}

/* An id beyond the loaded ones lies on the tail. */
static uint64_t row_or_last(const struct model *m, const struct op *op)
{
    uint64_t rows = m->is.sysbench.rows;

    return is_loaded(m, op) ? row_of(m, op) : (uint64_t)op->key[0] * rows + rows - 1;
}

static uint64_t sysbench_lock(struct model *m, const struct op *op, bool *ret_hot)
{
    bool locks =
        op->verb == OP_UPDATE || op->verb == OP_DELETE || (op->verb == OP_INSERT && op->key[1] > 0);

    return locks ? (uint64_t)1 << 56 | row_or_last(m, op) : 0;
}

/* The k of a row as it stands is independent of its id: its rank is uniform. */
static uint64_t old_k_rank(const struct model *m, const struct op *op)
{
    uint64_t hash = rng_hash(row_or_last(m, op) ^ m->is.sysbench.seed);
    uint64_t rows = m->is.sysbench.rows;

    uint64_t rank = (uint64_t)op->key[0] * rows + (uint64_t)((unsigned __int128)hash * rows >> 64);

    return m->postgres ? postgres_k_rank(m, rank) : rank;
}

static uint64_t new_k_rank(const struct model *m, const struct op *op)
{
    uint64_t rows = m->is.sysbench.rows;
    uint64_t rank = (uint64_t)(dist_cdf(&m->sysbench->ks, (double)op->key[2]) * (double)rows);

    rank = (uint64_t)op->key[0] * rows + (rank < rows ? rank : rows - 1);
    return m->postgres ? postgres_k_rank(m, rank) : rank;
}

struct model_random *sysbench_k(struct model *m)
{
    return &m->sysbench->k;
}

static uint32_t tail_page(struct model *m)
{
    struct model_sysbench *b = m->sysbench;

    if (b->tail_rows++ % m->layout.index[IX_SBTEST].tail_rows == 0) {
        b->tail = model_grow(m, IX_SBTEST);
    }
    return b->tail;
}

/* The last row of a range, within its table; of another statement its only one. */
static uint64_t last_row_of(const struct model *m, const struct op *op)
{
    uint64_t row = row_or_last(m, op), end = ((uint64_t)op->key[0] + 1) * m->is.sysbench.rows - 1;
    bool is_range = op->verb == OP_SELECT && op->statement != SYSBENCH_S_POINT;
    uint64_t last = is_range ? row + (uint64_t)(op->key[2] - op->key[1]) : row;

    return last < end ? last : end;
}

static void sysbench_prepare(struct model *m, struct model_session *s, const struct op *op)
{
    struct model_sysbench *b = m->sysbench;
    uint64_t old;

    s->tail = s->leaf = s->split = POOL_NO_PAGE;
    switch ((enum sysbench_statement)op->statement) {
    case SYSBENCH_S_UPDATE_INDEX:
        old = old_k_rank(m, op);
        random_change(&b->k, m, s, old, old);
        break;
    case SYSBENCH_S_UPDATE_NON_INDEX:
        old = old_k_rank(m, op);
        s->leaf = random_page(&b->k, m, old, old);
        break;
    case SYSBENCH_S_DELETE:
        old = old_k_rank(m, op);
        if (m->postgres == NULL) {
            random_remove(&b->k, m, s, old, old);
        }
        break;
    case SYSBENCH_S_INSERT:
        random_insert(&b->k, m, s, new_k_rank(m, op), rng_u64(&m->rng));
        if (op->key[1] == 0 && m->postgres == NULL) {
            s->tail = tail_page(m);
        }
        break;
    default:
        break;
    }
    if (m->postgres) {
        postgres_sysbench_prepare(m, s, op, row_or_last(m, op), is_loaded(m, op));
    }
}

static void plan_range(const struct model *m, struct plan *plan, const struct op *op)
{
    const struct model_index *index = &m->layout.index[IX_SBTEST];
    uint32_t last = index_leaf(index, last_row_of(m, op));

    for (uint32_t page = index_leaf(index, row_or_last(m, op)); page <= last; page++) {
        plan_add(plan, IX_SBTEST, page, TOUCH_READ);
    }
}

/* innodb: old and new k on one leaf, changed twice. */
static void plan_update(const struct model *m, const struct model_session *s, struct plan *plan,
                        const struct op *op, bool indexed)
{
    plan_row(m, plan, IX_SBTEST, row_or_last(m, op), TOUCH_WRITE);
    if (indexed) {
        random_plan(m, s, plan, IX_SBTEST_K);
    }
}

static void sysbench_plan(struct model *m, const struct model_session *s, const struct op *op,
                          struct plan *plan)
{
    if (m->postgres) {
        postgres_sysbench_plan(m, s, op, plan, row_or_last(m, op), last_row_of(m, op));
        return;
    }
    switch ((enum sysbench_statement)op->statement) {
    case SYSBENCH_S_POINT:
        plan_row(m, plan, IX_SBTEST, row_or_last(m, op), TOUCH_READ);
        break;
    case SYSBENCH_S_RANGE:
    case SYSBENCH_S_SUM:
    case SYSBENCH_S_ORDER:
    case SYSBENCH_S_DISTINCT:
        plan_range(m, plan, op);
        break;
    case SYSBENCH_S_UPDATE_INDEX:
        plan_update(m, s, plan, op, true);
        break;
    case SYSBENCH_S_UPDATE_NON_INDEX:
        plan_update(m, s, plan, op, false);
        break;
    case SYSBENCH_S_DELETE:
        plan_row(m, plan, IX_SBTEST, row_or_last(m, op), TOUCH_WRITE);
        random_plan(m, s, plan, IX_SBTEST_K);
        break;
    case SYSBENCH_S_INSERT:
        if (s->tail != POOL_NO_PAGE) {
            plan_add(plan, IX_SBTEST, s->tail, TOUCH_WRITE);
        } else {
            plan_row(m, plan, IX_SBTEST, row_or_last(m, op), TOUCH_WRITE);
        }
        random_plan(m, s, plan, IX_SBTEST_K);
        break;
    default:
        break;
    }
}

static uint32_t range_rows(const struct model *m, const struct op *op)
{
    int64_t last = (int64_t)m->is.sysbench.rows;
    int64_t to = op->key[2] < last ? op->key[2] : last;

    return to >= op->key[1] ? (uint32_t)(to - op->key[1] + 1) : 0;
}

static void sysbench_apply(struct model *m, struct model_session *s, struct op *op)
{
    struct model_sysbench *b = m->sysbench;

    op->rows = 1;
    switch ((enum sysbench_statement)op->statement) {
    case SYSBENCH_S_RANGE:
    case SYSBENCH_S_SUM:
    case SYSBENCH_S_ORDER:
    case SYSBENCH_S_DISTINCT:
        op->rows = range_rows(m, op);
        break;
    case SYSBENCH_S_DELETE:
        s->rows.deleted++;
        b->pending--;
        break;
    case SYSBENCH_S_INSERT:
        s->rows.inserted++;
        b->pending++;
        op->answer[0] = op->key[1] > 0 ? op->key[1] : (int64_t)(m->is.sysbench.rows + b->next_id++);
        break;
    default:
        break;
    }
    if (m->postgres) {
        postgres_sysbench_apply(m, op, row_or_last(m, op), last_row_of(m, op));
    }
}

static void sysbench_commit(struct model *m, struct model_session *s)
{
    m->sysbench->inserted += s->rows.inserted;
    m->sysbench->deleted += s->rows.deleted;
}

static void sysbench_rollback(struct model *m, struct model_session *s)
{
    m->sysbench->pending -= s->rows.inserted;
    m->sysbench->pending += s->rows.deleted;
    if (s->flags & SESSION_WROTE) {
        log_append(&m->log, m->log_bytes->commit);
    }
}

static uint32_t sysbench_check(struct model *m, struct target_check *ret, uint32_t limit)
{
    const struct model_sysbench *b = m->sysbench;
    double loaded = (double)m->is.sysbench.rows * m->is.sysbench.tables;

    if (limit < 1) {
        return 0;
    }
    ret[0] = check_equal("sbtest.rows", loaded + (double)b->inserted - (double)b->deleted,
                         loaded + (double)(int64_t)b->pending, EXIT_WRONG_DATA);
    return 1;
}

static void sysbench_close(struct model *m)
{
    random_close(&m->sysbench->k);
    mem_free(m->sysbench);
    m->sysbench = NULL;
}

static const struct rows_ops sysbench_rows_ops = {
    .lock = sysbench_lock,
    .prepare = sysbench_prepare,
    .plan = sysbench_plan,
    .apply = sysbench_apply,
    .commit = sysbench_commit,
    .rollback = sysbench_rollback,
    .check = sysbench_check,
    .close = sysbench_close,
};

int sysbench_rows_open(struct model *m, struct error *err)
{
    struct model_sysbench *b = m->sysbench = mem_zalloc(sizeof(*b));

    if (b == NULL) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory for sbtest");
    }
    m->rows = &sysbench_rows_ops;
    b->next_id = 1;
    /* loaded by the default of Sysbench to 1.0.x (MODEL.md 4.2), or as ids are drawn now */
    dist_init(&b->ks, m->is.k_loaded_special ? DIST_SPECIAL : m->is.sysbench.rand_type,
              m->is.sysbench.rows, m->is.sysbench.rand_param);
    return random_open(&b->k, m, IX_SBTEST_K, m->is.k_fill_pristine, err);
}

uint64_t sysbench_rows_memory_bytes(const struct model_settings *settings)
{
    struct model_layout layout;
    struct error err;

    if (layout_open(&layout, settings, true, &err) != 0) {
        return 0;
    }
    return sizeof(struct model_sysbench) + random_memory_bytes(&layout.index[IX_SBTEST_K]);
}
