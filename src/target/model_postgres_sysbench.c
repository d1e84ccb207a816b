#include "model_postgres.h"
#include "model_random.h"

/*
 * Sysbench's statements on heaps (MODEL.md 4.2, 5.3): rows in the order of ids lie on pages in any
 * order once they have moved; each new version that is not heap-only adds an entry to both indexes.
 */

void postgres_sysbench_prepare(struct model *m, struct model_session *s, const struct op *op,
                               uint64_t row, bool is_loaded)
{
    uint32_t slot = (uint32_t)op->key[0];

    switch ((enum sysbench_statement)op->statement) {
    case SYSBENCH_S_UPDATE_INDEX:
    case SYSBENCH_S_UPDATE_NON_INDEX:
        heap_update_row(m, s, IX_SBTEST, slot, row, op->statement == SYSBENCH_S_UPDATE_INDEX);
        break;
    case SYSBENCH_S_DELETE:
        s->old = heap_row_page(m, IX_SBTEST, row);
        heap_delete(m, s, IX_SBTEST, slot, s->old);
        break;
    case SYSBENCH_S_INSERT:
        s->tail = heap_insert(m, s, IX_SBTEST, slot);
        if (is_loaded) {
            heap_row_moves(m, IX_SBTEST, row, s->tail);
        }
        break;
    default:
        break;
    }
}

static void plan_range(const struct model *m, struct plan *plan, uint64_t from, uint64_t to)
{
    const struct model_index *key = &m->layout.index[IX_SBTEST_KEY];
    uint32_t last = POOL_NO_PAGE, end = index_leaf(key, to);
    bool dead = false;

    for (uint32_t page = index_leaf(key, from); page <= end; page++) {
        plan_add(plan, IX_SBTEST_KEY, page, TOUCH_READ);
    }
    for (uint64_t row = from; row <= to; row++) {
        uint32_t before = heap_row_before(m, IX_SBTEST, row, ENTRY_KEY);
        uint32_t page = heap_row_page(m, IX_SBTEST, row);

        if (before != POOL_NO_PAGE && before != last) {
            plan_add(plan, IX_SBTEST, before, TOUCH_READ);
            last = before;
        }
        if (page != last) {
            plan_add(plan, IX_SBTEST, page, TOUCH_READ);
            last = page;
        }
        dead |= before != POOL_NO_PAGE;
    }
    if (dead) {
        plan_row(m, plan, IX_SBTEST_KEY, from, TOUCH_HINT);
    }
}

static void plan_update(const struct model *m, const struct model_session *s, struct plan *plan,
                        uint64_t row)
{
    plan_row(m, plan, IX_SBTEST_KEY, row, TOUCH_READ);
    plan_add(plan, IX_SBTEST, s->old, TOUCH_WRITE);
    if (s->flags & SESSION_MOVED) {
        if (s->tail != s->old) {
            plan_add(plan, IX_SBTEST, s->tail, TOUCH_WRITE);
        }
        plan_row(m, plan, IX_SBTEST_KEY, row, TOUCH_ENTRY);
        plan_add(plan, IX_SBTEST_K, s->leaf, TOUCH_ENTRY);
    }
}

void postgres_sysbench_plan(const struct model *m, const struct model_session *s,
                            const struct op *op, struct plan *plan, uint64_t row, uint64_t last)
{
    switch ((enum sysbench_statement)op->statement) {
    case SYSBENCH_S_POINT:
        heap_plan_row(m, plan, IX_SBTEST, IX_SBTEST_KEY, row, TOUCH_READ);
        break;
    case SYSBENCH_S_RANGE:
    case SYSBENCH_S_SUM:
    case SYSBENCH_S_ORDER:
    case SYSBENCH_S_DISTINCT:
        plan_range(m, plan, row, last);
        break;
    case SYSBENCH_S_UPDATE_INDEX:
    case SYSBENCH_S_UPDATE_NON_INDEX:
        plan_update(m, s, plan, row);
        break;
    case SYSBENCH_S_DELETE:
        plan_row(m, plan, IX_SBTEST_KEY, row, TOUCH_READ);
        plan_add(plan, IX_SBTEST, s->old, TOUCH_WRITE);
        break;
    case SYSBENCH_S_INSERT:
        plan_add(plan, IX_SBTEST, s->tail, TOUCH_WRITE);
        plan_row(m, plan, IX_SBTEST_KEY, row, TOUCH_WRITE);
        random_plan(m, s, plan, IX_SBTEST_K);
        break;
    default:
        break;
    }
}

void postgres_sysbench_apply(struct model *m, const struct op *op, uint64_t row, uint64_t last)
{
    if (op->verb != OP_SELECT) {
        return;
    }
    for (; row <= last; row++) {
        heap_row_seen(m, IX_SBTEST, row, ENTRY_KEY);
    }
}
