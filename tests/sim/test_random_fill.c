/* limit: 60. An index that was built full splits as often as a live server's, at every age. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/fidelity.h"

/*
 * Measured with MariaDB 10.11.19: sysbench 1.0.20 oltp_read_write on 10 tables of 500,000 rows that
 * had just been loaded, special ids, 8 threads at 250 transactions a second, pool larger than the
 * data; innodb_metrics' index_page_splits over com_commit. Each row begins where the last one ends.
 */
static const struct {
    uint32_t end;
    double splits; /* a transaction */
} measured[] = {{1014, 1.705}, {2067, 1.388},  {3105, 1.100}, {4158, 0.940},
                {5201, 0.817}, {6244, 0.717},  {7293, 0.701}, {8324, 0.646},
                {9384, 0.597}, {10389, 0.580}, {11412, 0.549}};
enum { ROWS = sizeof(measured) / sizeof(measured[0]), SEEDS = 2 };

static void cell_of(struct fidelity_cell *cell, uint32_t row)
{
    *cell = (struct fidelity_cell){
        .profile = MODEL_INNODB,
        .buffer_mib = 1500,
        .threads = 8,
        .tables = 10,
        .rows = 500000,
        .rand_type = DIST_SPECIAL,
        .warm = row > 0 ? measured[row - 1].end : 0,
        .truth = {.tps = 250, .splits = measured[row].splits},
    };
    cell->transactions = measured[row].end - cell->warm;
    snprintf(cell->id, sizeof(cell->id), "until %u", measured[row].end);
}

static void splits_fall_with_age_as_measured(void **state)
{
    struct fidelity_outcome *outcomes = mem_array(ROWS, sizeof(*outcomes));
    const struct fidelity_cell *list[ROWS];
    struct fidelity_cell cells[ROWS];
    double all = 0, expected = 0;

    for (uint32_t i = 0; i < ROWS; i++) {
        cell_of(&cells[i], i);
        list[i] = &cells[i];
    }
    assert_true(fidelity_run(list, ROWS, SEEDS, 2, outcomes, NULL, NULL));
    for (uint32_t i = 0; i < ROWS; i++) {
        double ratio = outcomes[i].model.splits / measured[i].splits;

        print_message("# %s: %.3f, measured %.3f, ratio %.3f\n", cells[i].id,
                      outcomes[i].model.splits, measured[i].splits, ratio);
        assert_true(ratio > 0.9 && ratio < 1.1);
        all += outcomes[i].model.splits * cells[i].transactions;
        expected += measured[i].splits * cells[i].transactions;
    }
    assert_true(all / expected > 0.95 && all / expected < 1.05);
    mem_free(outcomes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_fall_with_age_as_measured),
    };

    return cmocka_run_group_tests_name("random_fill", tests, NULL, NULL);
}
