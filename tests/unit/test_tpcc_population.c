/* rooms: base workload. The rows that TPC-C is loaded with, as functions of their keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stub_rows.h"
#include "workload/tpcc.h"

static void population_agrees_with_itself(void **state)
{
    static const uint32_t places[][2] = {{1, 1}, {1, 10}, {1500, 7}, {4000000, 3}};

    for (int p = 0; p < 4; p++) {
        uint32_t w = places[p][0], d = places[p][1], fixed = 0;
        bool seen[TPCC_CUSTOMERS + 1] = {false};

        for (uint32_t o = 1; o <= TPCC_LOADED_ORDERS; o++) {
            uint32_t c = tpcc_loaded_customer_of_order(9, w, d, o);

            assert_in_range(c, 1, TPCC_CUSTOMERS);
            assert_false(seen[c]);
            seen[c] = true;
            assert_int_equal(tpcc_loaded_order_of_customer(9, w, d, c), o);
            fixed += c == o;
        }
        assert_in_range(fixed, 0, 12); /* a random permutation has 1 fixed point on average */
        for (uint32_t c = 1; c <= TPCC_NAMES; c++) {
            assert_int_equal(tpcc_loaded_name(9, 100, w, d, c), c - 1);
        }
    }
    assert_int_not_equal(tpcc_loaded_customer_of_order(9, 1, 1, 5),
                         tpcc_loaded_customer_of_order(9, 1, 2, 5));
}

static void population_has_the_standards_shares(void **state)
{
    uint64_t lines[11] = {0}, stock[91] = {0}, bad = 0, names = 0, n = 0;
    double eleven[11], ninety_one[91];

    for (uint32_t w = 1; w <= 10; w++) {
        for (uint32_t d = 1; d <= 10; d++) {
            for (uint32_t i = 1; i <= 3000; i++, n++) {
                lines[tpcc_loaded_line_count(9, w, d, i) - 5]++;
                bad += tpcc_loaded_bad_credit(9, w, d, i);
                stock[tpcc_loaded_stock(9, w + 10 * d, i) - 10]++;
                assert_in_range(tpcc_item_price_cents(9, i), 100, 10000);
                assert_in_range(tpcc_loaded_name(9, 223, w, d, i), 0, 999);
                /* 255 OR-ed in: the hottest names are a multiple of 256 less 1, plus C */
                names += i > 1000 && (tpcc_loaded_name(9, 223, w, d, i) + 1000 - 223) % 1000 == 255;
            }
        }
    }
    for (int i = 0; i < 91; i++) {
        ninety_one[i] = 1.0 / 91;
        eleven[i % 11] = 1.0 / 11;
    }
    assert_true(stub_chi_square(lines, eleven, 11, n) < stub_chi_square_limit(11));
    assert_true(stub_chi_square(stock, ninety_one, 91, n) < stub_chi_square_limit(91));
    assert_float_equal((double)bad / (double)n, 0.1, 0.0025);
    /* P(name 255) = (3^8 / 256) / 1000 = 25.6 / 1000 */
    assert_float_equal((double)names / 200000, 0.02563, 0.0015);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(population_agrees_with_itself),
        cmocka_unit_test(population_has_the_standards_shares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
