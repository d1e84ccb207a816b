#include "stub_rows.h"

#include "base/must.h"
#include "workload/tpcc.h"
#include <math.h>

static void answer(struct op *op, uint32_t rows, int64_t first, int64_t second)
{
    op->rows = rows;
    op->answer[0] = first;
    op->answer[1] = second;
}

static uint32_t some(const struct op *op, uint32_t n)
{
    uint64_t hash = rng_hash((uint64_t)op->key[0] << 24 ^ (uint64_t)op->key[1] << 12 ^
                             (uint64_t)op->key[2] ^ (uint64_t)op->statement << 56);

    return (uint32_t)(hash % n);
}

void stub_answer_tpcc(struct op *op)
{
    uint32_t k0 = (uint32_t)op->key[0], k1 = (uint32_t)op->key[1], k2 = (uint32_t)op->key[2];

    switch (op->statement) {
    case TPCC_S_NO_DISTRICT:
    case TPCC_S_SL_DISTRICT:
        answer(op, 1, TPCC_LOADED_ORDERS + 1 + some(op, 100), 500);
        break;
    case TPCC_S_NO_ITEM:
        answer(op, k0 > 0, k0 > 0 ? tpcc_item_price_cents(STUB_SEED, k0) : 0, 0);
        break;
    case TPCC_S_NO_STOCK:
        answer(op, 1, tpcc_loaded_stock(STUB_SEED, k0, k1), 0);
        break;
    case TPCC_S_PAY_BY_NAME:
    case TPCC_S_OS_BY_NAME:
        answer(op, 1 + some(op, 5), 1 + some(op, TPCC_CUSTOMERS), 0);
        break;
    case TPCC_S_PAY_CUSTOMER:
        answer(op, 1, tpcc_loaded_bad_credit(STUB_SEED, k0, k1, k2), 0);
        break;
    case TPCC_S_OS_LAST_ORDER:
        answer(op, 1, tpcc_loaded_order_of_customer(STUB_SEED, k0, k1, k2), 5 + some(op, 11));
        break;
    case TPCC_S_DEL_OLDEST:
        answer(op, 1, 2101 + some(op, TPCC_LOADED_NEW_ORDERS), 0);
        break;
    case TPCC_S_DEL_ORDER:
        answer(op, 1, tpcc_loaded_customer_of_order(STUB_SEED, k0, k1, k2), 5 + some(op, 11));
        break;
    default:
        answer(op, 1, some(op, 1000000), 0);
    }
}

uint32_t stub_run(struct workload *workload, struct txn *txn, bool tpcc, struct stub_txn *ret)
{
    struct op op = {0};
    uint32_t count = 0;

    while (workload->ops->next(workload, txn, &op)) {
        must(count < STUB_OPS);
        if (ret) {
            ret->ops[count] = op;
        }
        count++;
        if (tpcc) {
            stub_answer_tpcc(&op);
        }
    }
    if (ret) {
        ret->count = count;
    }
    return count;
}

uint64_t stub_digest(uint64_t digest, const struct op *op)
{
    const uint64_t prime = 0x100000001b3u;

    digest = (digest ^ ((uint64_t)op->verb << 32 | op->statement)) * prime;
    for (int i = 0; i < OP_KEYS; i++) {
        bool address = op->verb == OP_BEGIN && i == 7; /* where its transaction lies */

        digest = (digest ^ (digest >> 32) ^ (address ? 0 : (uint64_t)op->key[i])) * prime;
    }
    return digest;
}

double stub_chi_square(const uint64_t *found, const double *shares, uint32_t classes, uint64_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < classes; i++) {
        double each = shares[i] * (double)n, off = (double)found[i] - each;

        sum += off * off / each;
    }
    return sum;
}

double stub_chi_square_limit(uint32_t classes)
{
    double df = classes - 1, a = 2 / (9 * df), root = 1 - a + 3.719 * sqrt(a);

    return df * root * root * root;
}
