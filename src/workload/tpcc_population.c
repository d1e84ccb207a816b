#include "workload/tpcc.h"

/* What is hashed with the key, so that two columns of a row do not go together. */
enum column { COLUMN_NAME, COLUMN_ORDERS, COLUMN_LINES, COLUMN_CREDIT, COLUMN_PRICE, COLUMN_STOCK };

static uint64_t hash_of(uint64_t seed, enum column column, uint32_t w, uint32_t d, uint32_t row)
{
    uint64_t place = (uint64_t)w << 32 | (uint64_t)d << 28 | row;

    return rng_hash(rng_hash(seed + ((uint64_t)column << 56)) ^ place);
}

/* Uniform in [0, n); off by at most n / 2^64. */
static uint32_t below(uint64_t hash, uint32_t n)
{
    return (uint32_t)((__uint128_t)hash * n >> 64);
}

/* Clause 4.3.3.1: the first 1,000 customers have all names in order. */
uint32_t tpcc_loaded_name(uint64_t seed, uint32_t c_last_load, uint32_t w, uint32_t d, uint32_t c)
{
    uint64_t hash;

    if (c <= TPCC_NAMES) {
        return c - 1;
    }
    hash = hash_of(seed, COLUMN_NAME, w, d, c);
    return ((below(hash, 256) | below(rng_hash(hash), TPCC_NAMES)) + c_last_load) % TPCC_NAMES;
}

static void orders_of_district(struct permutation *ret, uint64_t seed, uint32_t w, uint32_t d)
{
    permutation_init(ret, TPCC_LOADED_ORDERS, hash_of(seed, COLUMN_ORDERS, w, d, 0));
}

uint32_t tpcc_loaded_customer_of_order(uint64_t seed, uint32_t w, uint32_t d, uint32_t o)
{
    struct permutation perm;

    orders_of_district(&perm, seed, w, d);
    return 1 + (uint32_t)permutation_at(&perm, o - 1);
}

uint32_t tpcc_loaded_order_of_customer(uint64_t seed, uint32_t w, uint32_t d, uint32_t c)
{
    struct permutation perm;

    orders_of_district(&perm, seed, w, d);
    return 1 + (uint32_t)permutation_inverse(&perm, c - 1);
}

uint32_t tpcc_loaded_line_count(uint64_t seed, uint32_t w, uint32_t d, uint32_t o)
{
    return 5 + below(hash_of(seed, COLUMN_LINES, w, d, o), TPCC_MAX_LINES - 5 + 1);
}

bool tpcc_loaded_bad_credit(uint64_t seed, uint32_t w, uint32_t d, uint32_t c)
{
    return below(hash_of(seed, COLUMN_CREDIT, w, d, c), 10) == 0;
}

uint32_t tpcc_item_price_cents(uint64_t seed, uint32_t i)
{
    return 100 + below(hash_of(seed, COLUMN_PRICE, 0, 0, i), 9901); /* 1.00 to 100.00 */
}

uint32_t tpcc_loaded_stock(uint64_t seed, uint32_t w, uint32_t i)
{
    return 10 + below(hash_of(seed, COLUMN_STOCK, w, 0, i), 91);
}
