/* The rows of a load: TPC-C 4.3.3.1 and sbtest, each a function of seed and key. */
/* rooms: base stats io workload sql target plan result engine */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/engine/load_rows.h"
#include "base/checksum.h"

static struct plan_vm vm;
static struct load_source source;

/* What the rows of a part came to. */
struct seen {
    uint64_t rows, bytes, nulls, originals, bad_credit;
    uint32_t columns, shortest, longest; /* of the last column, if it is a text */
    int64_t sum;                         /* of column `summed` */
    uint32_t summed;
    uint64_t names[1000];
    char sha256[SHA256_HEX];
    struct sha256 sha;
    int64_t last_key[4];
    uint32_t key_columns[4], key_count;
    bool ascending;
};

static bool later(const struct seen *seen, const int64_t *key)
{
    for (uint32_t i = 0; i < seen->key_count; i++) {
        if (key[i] != seen->last_key[i]) {
            return key[i] > seen->last_key[i];
        }
    }
    return false;
}

static int look(void *context, const struct load_row *row)
{
    struct seen *seen = context;
    const struct sql_value *last = &row->columns[row->count - 1];
    int64_t key[4] = {0};

    seen->columns = row->count;
    for (uint32_t i = 0; i < row->count; i++) {
        const struct sql_value *value = &row->columns[i];

        seen->nulls += value->kind == SQL_NULL;
        if (value->kind == SQL_TEXT) {
            seen->bytes += value->bytes;
            sha256_add(&seen->sha, value->text, value->bytes);
            seen->bad_credit += value->bytes == 2 && memcmp(value->text, "BC", 2) == 0 && i == 13;
        } else {
            sha256_add(&seen->sha, &value->number, sizeof(value->number));
        }
    }
    if (last->kind == SQL_TEXT) {
        seen->originals += memmem(last->text, last->bytes, "ORIGINAL", 8) != NULL;
        seen->longest = last->bytes > seen->longest ? last->bytes : seen->longest;
        seen->shortest =
            seen->rows == 0 || last->bytes < seen->shortest ? last->bytes : seen->shortest;
    }
    seen->sum += row->columns[seen->summed].number;
    for (uint32_t i = 0; i < seen->key_count; i++) {
        key[i] = row->columns[seen->key_columns[i]].number;
    }
    seen->ascending = seen->rows == 0 || (seen->ascending && later(seen, key));
    memcpy(seen->last_key, key, sizeof(key));
    seen->rows++;
    return 0;
}

static struct seen look_at(uint32_t table, uint32_t number, uint32_t summed, uint32_t key_count,
                           const uint32_t *key_columns)
{
    struct load_part part = {.table = table, .number = number};
    struct seen seen = {.summed = summed, .key_count = key_count};

    memcpy(seen.key_columns, key_columns, key_count * sizeof(*key_columns));
    sha256_init(&seen.sha);
    assert_int_equal(load_part_rows(&source, &part, look, &seen), 0);
    sha256_finish_hex(&seen.sha, seen.sha256);
    return seen;
}

static int tpcc(void **state)
{
    vm = (struct plan_vm){.workload = PLAN_TPCC};
    vm.model.tpcc.warehouses = 3;
    vm.model.tpcc.seed = 7;
    source =
        (struct load_source){.vm = &vm, .seed = 7, .c_load = 123, .now = "2026-01-31 12:00:00"};
    return 0;
}

static void a_warehouse_has_the_rows_of_the_standard(void **state)
{
    static const uint32_t item_key[] = {0}, stock_key[] = {1, 0}, customer_key[] = {2, 1, 0};
    struct seen item = look_at(TPCC_ITEM, 0, 0, 1, item_key);
    struct seen stock = look_at(TPCC_STOCK, 2, 2, 2, stock_key);
    struct seen customer = look_at(TPCC_CUSTOMER, 2, 0, 3, customer_key);
    struct seen orders = look_at(TPCC_ORDERS, 2, 6, 3, customer_key);
    struct seen lines = look_at(TPCC_ORDER_LINE, 2, 0, 3, customer_key);
    struct seen open = look_at(TPCC_NEW_ORDERS, 2, 0, 3, customer_key);
    struct seen history = look_at(TPCC_HISTORY, 2, 0, 3, customer_key);

    assert_int_equal(item.rows, 100000);
    assert_int_equal(item.columns, 5);
    assert_in_range(item.originals, 9500, 10500);
    assert_in_range(item.shortest, 26, 26);
    assert_in_range(item.longest, 50, 50);
    assert_true(item.ascending && stock.ascending && customer.ascending && orders.ascending);
    assert_true(open.ascending);
    assert_int_equal(stock.rows, 100000);
    assert_int_equal(stock.columns, 17);
    assert_in_range(stock.originals, 9500, 10500);
    assert_in_range(stock.sum / 1000, 54 * 100, 56 * 100); /* s_quantity 10 to 100: 55 on average */
    assert_int_equal(customer.rows, 30000);
    assert_int_equal(customer.columns, 21);
    assert_in_range(customer.bad_credit, 2700, 3300);
    assert_in_range(customer.shortest, 300, 300);
    assert_in_range(customer.longest, 500, 500);
    assert_int_equal(orders.rows, 30000);
    assert_int_equal(orders.columns, 8);
    assert_int_equal(orders.nulls, 9000); /* carriers */
    assert_int_equal(lines.rows, (uint64_t)orders.sum);
    assert_int_equal(lines.columns, 10);
    assert_in_range(lines.nulls, 88000, 92000);
    assert_int_equal(open.rows, 9000);
    assert_int_equal(history.rows, 30000);
    assert_int_equal(history.columns, 8);
}

static void every_row_is_a_function_of_seed_and_key(void **state)
{
    static const uint32_t key[] = {0};
    struct seen first = look_at(TPCC_CUSTOMER, 1, 0, 1, key);
    struct seen again = look_at(TPCC_CUSTOMER, 1, 0, 1, key);
    struct seen other = look_at(TPCC_CUSTOMER, 2, 0, 1, key);

    assert_string_equal(first.sha256, again.sha256);
    assert_string_not_equal(first.sha256, other.sha256);
    source.seed = 8;
    other = look_at(TPCC_CUSTOMER, 1, 0, 1, key);
    assert_string_not_equal(first.sha256, other.sha256);
}

static void parts_cover_every_warehouse_once(void **state)
{
    struct load_part parts[64];
    uint32_t counts[TPCC_TABLES][4] = {{0}};
    uint64_t rows;
    uint32_t count = load_parts(&vm, NULL, &rows);

    assert_int_equal(count, 1 + 3 * 8);
    load_parts(&vm, parts, &rows);
    assert_int_equal(rows, 100000 + 3 * (1 + 10 + 30000 * 3 + 9000 + 300000 + 100000));
    for (uint32_t i = 0; i < count; i++) {
        counts[parts[i].table][parts[i].number]++;
    }
    assert_int_equal(counts[TPCC_ITEM][0], 1);
    for (uint32_t w = 1; w <= 3; w++) {
        for (uint32_t t = 0; t < TPCC_TABLES; t++) {
            assert_int_equal(counts[t][w], t == TPCC_ITEM ? 0 : 1);
        }
    }
}

static void sbtest_has_the_ids_from_1_on(void **state)
{
    static const uint32_t key[] = {0};
    struct load_part parts[8];
    struct seen seen = {.key_count = 1, .key_columns = {key[0]}};
    uint64_t rows;

    vm = (struct plan_vm){.workload = PLAN_SYSBENCH};
    sysbench_defaults(&vm.model.sysbench);
    vm.model.sysbench.tables = 2;
    vm.model.sysbench.rows = 150000;
    source.vm = &vm;
    assert_int_equal(load_parts(&vm, NULL, &rows), 4);
    load_parts(&vm, parts, &rows);
    assert_int_equal(rows, 300000);
    sha256_init(&seen.sha);
    for (uint32_t i = 0; i < 4; i++) {
        if (parts[i].table == 1) {
            assert_int_equal(load_part_rows(&source, &parts[i], look, &seen), 0);
        }
    }
    assert_true(seen.ascending);
    assert_int_equal(seen.rows, 150000);
    assert_int_equal(seen.last_key[0], 150000);
    assert_int_equal(seen.columns, 4);
    assert_int_equal(seen.bytes, 150000 * (119 + 59));
}

static void decimals_are_exact(void **state)
{
    static const struct {
        int64_t units;
        uint32_t digits;
        const char *text;
    } cases[] = {{0, 2, "0.00"},      {5, 2, "0.05"},         {-1000, 2, "-10.00"},
                 {2000, 4, "0.2000"}, {999999, 2, "9999.99"}, {7, 0, "7"}};
    struct load_row row;

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        row_begin(&row);
        row_decimal(&row, cases[i].units, cases[i].digits);
        assert_int_equal(row.columns[0].bytes, strlen(cases[i].text));
        assert_memory_equal(row.columns[0].text, cases[i].text, row.columns[0].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_warehouse_has_the_rows_of_the_standard, tpcc),
        cmocka_unit_test_setup(every_row_is_a_function_of_seed_and_key, tpcc),
        cmocka_unit_test_setup(parts_cover_every_warehouse_once, tpcc),
        cmocka_unit_test_setup(sbtest_has_the_ids_from_1_on, tpcc),
        cmocka_unit_test(decimals_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
