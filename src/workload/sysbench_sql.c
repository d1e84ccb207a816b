#include "base/must.h"
#include "sql_texts.h"

enum { C_GROUPS = 10, PAD_GROUPS = 5, GROUP_DIGITS = 11 };
/* The draft behind the catalog's: an INSERT that leaves the id to the server. */
enum { INSERT_NEXT = SYSBENCH_STATEMENTS, DRAFTS, TEXT_STREAM_PAD = 1 };

/* 36 bits of chance make 11 digits by a fixed-point product: no division, all digits fair. */
static void write_groups(struct rng *rng, uint32_t groups, char *ret)
{
    const uint64_t mask = ((uint64_t)1 << 60) - 1;

    for (uint32_t i = 0; i < groups; i++) {
        uint64_t fraction = rng_u64(rng) >> 4;

        for (uint32_t j = 0; j < GROUP_DIGITS; j++) {
            fraction *= 10;
            *ret++ = (char)('0' + (fraction >> 60));
            fraction &= mask;
        }
        *ret++ = i + 1 < groups ? '-' : '\0';
    }
}

void sysbench_sql_c(uint64_t text_seed, char ret[SYSBENCH_C_BYTES + 1])
{
    struct rng rng;

    rng_init(&rng, text_seed, 0);
    write_groups(&rng, C_GROUPS, ret);
}

void sysbench_sql_pad(uint64_t text_seed, char ret[SYSBENCH_PAD_BYTES + 1])
{
    struct rng rng;

    rng_init(&rng, text_seed, TEXT_STREAM_PAD);
    write_groups(&rng, PAD_GROUPS, ret);
}

#define IN_RANGE " FROM sbtest# WHERE id BETWEEN ? AND ?"

/* '#' is the table. An INSERT that meets its id again met another pair on it: once more. */
static const struct sql_draft drafts[DRAFTS] = {
    [SYSBENCH_S_BEGIN] = {.text = {"BEGIN"}, .keys = "", .columns = "", .utility = true},
    [SYSBENCH_S_COMMIT] =
        {.text = {"COMMIT"}, .keys = "", .columns = "", .needed = true, .utility = true},
    [SYSBENCH_S_ROLLBACK] =
        {.text = {"ROLLBACK"}, .keys = "", .columns = "", .needed = true, .utility = true},
    [SYSBENCH_S_POINT] = {.text = {"SELECT c FROM sbtest# WHERE id = ?"},
                          .keys = "1",
                          .columns = ""},
    [SYSBENCH_S_RANGE] = {.text = {"SELECT c" IN_RANGE}, .keys = "12", .columns = ""},
    [SYSBENCH_S_SUM] = {.text = {"SELECT sum(k)" IN_RANGE}, .keys = "12", .columns = ""},
    [SYSBENCH_S_ORDER] = {.text = {"SELECT c" IN_RANGE " ORDER BY c"}, .keys = "12", .columns = ""},
    [SYSBENCH_S_DISTINCT] = {.text = {"SELECT DISTINCT c" IN_RANGE " ORDER BY c"},
                             .keys = "12",
                             .columns = ""},
    [SYSBENCH_S_UPDATE_INDEX] = {.text = {"UPDATE sbtest# SET k = k + 1 WHERE id = ?"},
                                 .keys = "1",
                                 .columns = ""},
    [SYSBENCH_S_UPDATE_NON_INDEX] = {.text = {"UPDATE sbtest# SET c = ? WHERE id = ?"},
                                     .keys = "C1",
                                     .columns = ""},
    [SYSBENCH_S_DELETE] = {.text = {"DELETE FROM sbtest# WHERE id = ?"},
                           .keys = "1",
                           .columns = ""},
    [SYSBENCH_S_INSERT] = {.text = {"INSERT INTO sbtest# (id, k, c, pad) VALUES (?, ?, ?, ?)"},
                           .keys = "12cp",
                           .columns = "",
                           .duplicate_retries = true},
    [INSERT_NEXT] = {.text = {"INSERT INTO sbtest# (k, c, pad) VALUES (?, ?, ?)"},
                     .keys = "2cp",
                     .columns = ""},
};

static uint32_t text_of(const struct sql_texts *texts, const struct op *op)
{
    uint32_t first = texts->first[op->statement];

    if (op->statement <= SYSBENCH_S_ROLLBACK) {
        return first;
    }
    must(op->key[0] >= 0 && (uint64_t)op->key[0] < texts->tables);
    if (op->statement == SYSBENCH_S_INSERT && op->key[1] == 0) {
        first += texts->tables;
    }
    return first + (uint32_t)op->key[0];
}

void sysbench_sql_build(struct sql_texts *texts, uint32_t tables)
{
    texts->of = text_of;
    texts->tables = tables;
    for (uint32_t i = 0; i < DRAFTS; i++) {
        uint32_t statement = i == INSERT_NEXT ? SYSBENCH_S_INSERT : i;

        for (uint32_t t = 1; t <= (i <= SYSBENCH_S_ROLLBACK ? 1 : tables); t++) {
            sql_texts_add(texts, statement, &drafts[i], t);
        }
    }
}
