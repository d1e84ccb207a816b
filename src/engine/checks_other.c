#include <inttypes.h>

#include "checks_rules.h"

/* ---- pgbench's tables ---- */

static const struct check_rule tpcb_rules[] = {
    {"pgbench.sum", "the sums of abalance, tbalance, bbalance and the history's delta are equal",
     "accounts, tellers, branches, history",
     "SELECT SUM(a), SUM(t), SUM(b), SUM(h) FROM ("
     "SELECT SUM(abalance) AS a, 0 AS t, 0 AS b, 0 AS h FROM pgbench_accounts "
     "UNION ALL SELECT 0, SUM(tbalance), 0, 0 FROM pgbench_tellers "
     "UNION ALL SELECT 0, 0, SUM(bbalance), 0 FROM pgbench_branches "
     "UNION ALL SELECT 0, 0, 0, SUM(delta) FROM pgbench_history) t "
     "HAVING SUM(a) <> COALESCE(SUM(h), 0) OR SUM(t) <> COALESCE(SUM(h), 0) "
     "OR SUM(b) <> COALESCE(SUM(h), 0)",
     NULL},
    {"pgbench.accounts", "each account: abalance is the sum of its delta", "aid, abalance, delta",
     "SELECT i, SUM(a), SUM(b) FROM ("
     "SELECT aid AS i, abalance AS a, 0 AS b FROM pgbench_accounts WHERE abalance <> 0 "
     "UNION ALL SELECT aid, 0, SUM(delta) FROM pgbench_history GROUP BY aid) t "
     "GROUP BY i HAVING SUM(a) <> SUM(b)",
     NULL},
    {"pgbench.tellers", "each teller: tbalance is the sum of its delta", "tid, tbalance, delta",
     "SELECT i, SUM(a), SUM(b) FROM ("
     "SELECT tid AS i, tbalance AS a, 0 AS b FROM pgbench_tellers "
     "UNION ALL SELECT tid, 0, SUM(delta) FROM pgbench_history GROUP BY tid) t "
     "GROUP BY i HAVING SUM(a) <> SUM(b)",
     NULL},
    {"pgbench.branches", "each branch: bbalance is the sum of its delta", "bid, bbalance, delta",
     "SELECT i, SUM(a), SUM(b) FROM ("
     "SELECT bid AS i, bbalance AS a, 0 AS b FROM pgbench_branches "
     "UNION ALL SELECT bid, 0, SUM(delta) FROM pgbench_history GROUP BY bid) t "
     "GROUP BY i HAVING SUM(a) <> SUM(b)",
     NULL},
};

/* simple_update leaves tellers and branches alone: only the accounts' rule holds then. */
const struct check_rule *check_rules_tpcb(uint32_t *ret_count)
{
    *ret_count = sizeof(tpcb_rules) / sizeof(tpcb_rules[0]);
    return tpcb_rules;
}

/* ---- sbtest ---- */

static bool postgres(const struct plan_vm *vm)
{
    return vm->sql.url.dialect == SQL_POSTGRES;
}

/* Every table under the other; `from` makes the query of one, its number put in for each %u. */
static void each_table(const struct plan_vm *vm, struct text *ret,
                       void (*from)(const struct plan_vm *vm, uint32_t t, struct text *ret))
{
    for (uint32_t t = 1; t <= vm->model.sysbench.tables; t++) {
        if (t > 1) {
            text_add(ret, " UNION ALL ");
        }
        from(vm, t, ret);
    }
}

/* Mixes that insert or delete alone change the number of rows. */
static bool rows_stay(const struct plan_vm *vm)
{
    return vm->model.sysbench.mix != SYSBENCH_INSERT && vm->model.sysbench.mix != SYSBENCH_DELETE;
}

static void rows_of(const struct plan_vm *vm, uint32_t t, struct text *ret)
{
    text_addf(ret, "SELECT %u AS t, COUNT(*) AS n FROM sbtest%u HAVING COUNT(*) <> %" PRIu64, t, t,
              vm->model.sysbench.rows);
}

static void write_rows(const struct plan_vm *vm, struct text *ret)
{
    if (rows_stay(vm)) {
        each_table(vm, ret, rows_of);
    }
}

/* The first ids that are missing, and those that are beyond. */
static void keys_of(const struct plan_vm *vm, uint32_t t, struct text *ret)
{
    uint64_t rows = vm->model.sysbench.rows;

    text_addf(ret,
              "SELECT %u AS t, 'missing' AS what, a.id + 1 AS id FROM sbtest%u a "
              "LEFT JOIN sbtest%u b ON b.id = a.id + 1 WHERE b.id IS NULL AND a.id < %" PRIu64
              " UNION ALL SELECT %u, 'first', MIN(id) FROM sbtest%u HAVING MIN(id) <> 1 "
              "UNION ALL SELECT %u, 'beyond', id FROM sbtest%u WHERE id < 1 OR id > %" PRIu64,
              t, t, t, rows, t, t, t, t, rows);
}

static void write_keys(const struct plan_vm *vm, struct text *ret)
{
    if (rows_stay(vm)) {
        each_table(vm, ret, keys_of);
    }
}

static void index_of(const struct plan_vm *vm, uint32_t t, struct text *ret)
{
    static const char *const sums = "COUNT(*) AS n, SUM(k) AS s, MIN(k) AS l, MAX(k) AS m";

    if (postgres(vm)) {
        /* the rows themselves, and every k that has rows, found by index k alone */
        text_addf(ret,
                  "SELECT %u AS t, a.n, b.n AS bn, a.s, b.s AS bs FROM "
                  "(SELECT %s FROM (SELECT k, c FROM sbtest%u OFFSET 0) x) a, "
                  "(SELECT %s FROM (SELECT k FROM sbtest%u WHERE k > -2147483648 ORDER BY k "
                  "OFFSET 0) x) b "
                  "WHERE a.n <> b.n OR a.s <> b.s OR a.l <> b.l OR a.m <> b.m",
                  t, sums, t, sums, t);
    } else {
        text_addf(ret,
                  "SELECT %u AS t, a.n, b.n AS bn, a.s, b.s AS bs FROM "
                  "(SELECT %s FROM sbtest%u FORCE INDEX (PRIMARY)) a, "
                  "(SELECT %s FROM sbtest%u FORCE INDEX (k_%u)) b "
                  "WHERE a.n <> b.n OR a.s <> b.s OR a.l <> b.l OR a.m <> b.m",
                  t, sums, t, sums, t, t);
    }
}

static void write_index(const struct plan_vm *vm, struct text *ret)
{
    each_table(vm, ret, index_of);
}

static void k_of(const struct plan_vm *vm, uint32_t t, struct text *ret)
{
    text_addf(ret, "SELECT %u AS t, id, k FROM sbtest%u WHERE k < 1", t, t);
}

static void write_k(const struct plan_vm *vm, struct text *ret)
{
    each_table(vm, ret, k_of);
}

/* Other than so many groups of 11 digits. Counted patterns take MySQL's older ones a millisecond
 * and PostgreSQL's five times as long, so lines and digits are looked at apart. */
static void other_than_groups(const struct plan_vm *vm, const char *column, int groups,
                              struct text *ret)
{
    text_addf(ret, "RTRIM(%s) NOT LIKE '", column);
    for (int g = 0; g < groups; g++) {
        text_add(ret, g > 0 ? "-___________" : "___________");
    }
    text_addf(ret,
              "' OR CHAR_LENGTH(REPLACE(RTRIM(%s), '-', '')) <> %d "
              "OR REPLACE(RTRIM(%s), '-', '') %s '[^0-9]'",
              column, groups * 11, column, postgres(vm) ? "~" : "REGEXP");
}

static void text_of(const struct plan_vm *vm, uint32_t t, struct text *ret)
{
    text_addf(ret, "SELECT %u AS t, id, SUBSTRING(c FROM 1 FOR 40) AS c FROM sbtest%u WHERE ", t,
              t);
    other_than_groups(vm, "c", 10, ret);
    text_add(ret, " OR ");
    other_than_groups(vm, "pad", 5, ret);
}

static void write_text(const struct plan_vm *vm, struct text *ret)
{
    each_table(vm, ret, text_of);
}

static const struct check_rule sbtest_rules[] = {
    {"sbtest.rows", "each table has as many rows as the scenario says", "table, rows", NULL,
     write_rows},
    {"sbtest.keys", "each table has the ids from 1 on: none lost, none added", "table, what, id",
     NULL, write_keys},
    {"sbtest.index", "each table: index k agrees with the rows",
     "table, rows, by index, sum of k, by index", NULL, write_index},
    {"sbtest.k", "each row: k is 1 or more", "table, id, k", NULL, write_k},
    {"sbtest.text", "each row: c is ten groups of 11 digits, pad five", "table, id, c", NULL,
     write_text},
};

const struct check_rule *check_rules_sbtest(uint32_t *ret_count)
{
    *ret_count = sizeof(sbtest_rules) / sizeof(sbtest_rules[0]);
    return sbtest_rules;
}
