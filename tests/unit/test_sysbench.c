/* rooms: base workload. What Sysbench's mixes ask for, statement by statement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "workload/sysbench.h"
#include "workload_fixture.h"

static struct fixture *fixture_open(const struct sysbench_settings *from)
{
    struct error err;

    return fixture_of(sysbench_open(from, &err));
}

static void choose(struct fixture *fix)
{
    fixture_choose(fix, 0);
}

static void run(struct fixture *fix)
{
    choose(fix);
    stub_run(fix->workload, &fix->txn, false, &fix->asked);
}

static struct sysbench_settings settings_of(enum sysbench_mix mix)
{
    struct sysbench_settings settings;

    sysbench_defaults(&settings);
    settings.mix = mix;
    settings.tables = 100;
    settings.rows = 10000000;
    return settings;
}

/* One letter a statement, so that a whole event is one word. */
static const char *word(const struct stub_txn *asked)
{
    static const char letters[SYSBENCH_STATEMENTS + 1] = "BCRprsodiuxn";
    static char text[STUB_OPS + 1];

    for (uint32_t i = 0; i < asked->count; i++) {
        text[i] = letters[asked->ops[i].statement];
    }
    text[asked->count] = 0;
    return text;
}

static void assert_word(const struct sysbench_settings *settings, const char *golden)
{
    struct fixture *fix = fixture_open(settings);

    run(fix);
    assert_string_equal(word(&fix->asked), golden);
    fixture_close(fix);
}

static void events_ask_in_order(void **state)
{
    static const char *const golden[SYSBENCH_MIXES] = {
        [SYSBENCH_READ_WRITE] = "BpppppppppprsodiuxnC",
        [SYSBENCH_READ_ONLY] = "BpppppppppprsodC",
        [SYSBENCH_WRITE_ONLY] = "BiuxnC",
        [SYSBENCH_POINT_SELECT] = "p",
        [SYSBENCH_UPDATE_INDEX] = "i",
        [SYSBENCH_UPDATE_NON_INDEX] = "u",
        [SYSBENCH_INSERT] = "n",
        [SYSBENCH_DELETE] = "x",
    };

    for (int mix = 0; mix < SYSBENCH_MIXES; mix++) {
        struct sysbench_settings settings = settings_of((enum sysbench_mix)mix);

        assert_word(&settings, golden[mix]);
    }
}

static void options_change_the_event(void **state)
{
    struct sysbench_settings settings = settings_of(SYSBENCH_READ_WRITE);

    settings.skip_trx = true;
    assert_word(&settings, "pppppppppprsodiuxn");
    settings.skip_trx = false;
    settings.point_selects = 2;
    settings.simple_ranges = 0;
    settings.sum_ranges = 3;
    settings.order_ranges = 0;
    settings.distinct_ranges = 0;
    settings.delete_inserts = 2;
    assert_word(&settings, "BppsssiuxnxnC");
}

/* One table a statement kind, drawn anew each time; the pair shares table and id. */
static void tables_are_drawn_once_a_kind(void **state)
{
    struct sysbench_settings settings = settings_of(SYSBENCH_READ_WRITE);
    struct fixture *fix = fixture_open(&settings);
    uint64_t found[100] = {0};
    double shares[100];
    uint32_t alike = 0;

    for (int event = 0; event < 20000; event++) {
        const struct op *ops = fix->asked.ops;

        run(fix);
        for (int i = 2; i <= 10; i++) {
            assert_int_equal(ops[i].key[0], ops[1].key[0]);
        }
        assert_true(ops[17].key[0] == ops[18].key[0] && ops[17].key[1] == ops[18].key[1]);
        alike += ops[11].key[0] == ops[1].key[0];
        found[ops[12].key[0]]++;
    }
    for (int i = 0; i < 100; i++) {
        shares[i] = 0.01;
    }
    assert_true(stub_chi_square(found, shares, 100, 20000) < stub_chi_square_limit(100));
    assert_in_range(alike, 130, 270); /* 1 in 100 */
    fixture_close(fix);
}

static void ranges_are_not_cut_at_the_end(void **state)
{
    struct sysbench_settings settings = settings_of(SYSBENCH_READ_ONLY);
    struct fixture *fix;
    uint32_t beyond = 0;

    settings.rows = 1000;
    settings.rand_type = DIST_UNIFORM;
    fix = fixture_open(&settings);
    for (int event = 0; event < 2000; event++) {
        run(fix);
        for (int i = 11; i <= 14; i++) {
            const struct op *op = &fix->asked.ops[i];

            assert_in_range(op->key[1], 1, 1000);
            assert_int_equal(op->key[2], op->key[1] + 99);
            beyond += op->key[2] > 1000;
        }
    }
    assert_in_range(beyond, 650, 950); /* 99 of 1,000 starts */
    fixture_close(fix);
}

static void inserts_carry_fresh_texts(void **state)
{
    struct sysbench_settings settings = settings_of(SYSBENCH_INSERT);
    struct fixture *fix = fixture_open(&settings);
    int64_t last = 0;

    for (int event = 0; event < 1000; event++) {
        run(fix);
        assert_int_equal(fix->asked.ops[0].key[1], 0);
        assert_in_range(fix->asked.ops[0].key[2], 1, settings.rows);
        assert_true(fix->asked.ops[0].key[3] != last);
        last = fix->asked.ops[0].key[3];
    }
    fixture_close(fix);
}

static void restart_asks_the_same_again(void **state)
{
    for (int mix = 0; mix < SYSBENCH_MIXES; mix++) {
        struct sysbench_settings settings = settings_of((enum sysbench_mix)mix);
        struct fixture *fix = fixture_open(&settings);
        struct stub_txn *first = calloc(1, sizeof(*first));

        for (uint32_t i = 0; i < 500; i++) {
            struct txn txn;
            struct op op = {0};

            choose(fix);
            txn = fix->txn;
            stub_run(fix->workload, &txn, false, first);
            for (uint32_t n = 0; n < i % (first->count + 1); n++) {
                fix->workload->ops->next(fix->workload, &fix->txn, &op);
            }
            fix->workload->ops->restart(fix->workload, &fix->txn);
            stub_run(fix->workload, &fix->txn, false, &fix->asked);
            assert_int_equal(fix->asked.count, first->count);
            for (uint32_t n = 0; n < first->count; n++) {
                assert_memory_equal(fix->asked.ops[n].key, first->ops[n].key, sizeof(op.key));
            }
        }
        free(first);
        fixture_close(fix);
    }
}

/* Ids of events against the distribution's own CDF, in 20 equal parts of 10^9 rows. */
static void ids_follow_the_distribution(void **state)
{
    for (int kind = 0; kind < DIST_KINDS; kind++) {
        struct sysbench_settings settings = settings_of(SYSBENCH_POINT_SELECT);
        struct fixture *fix;
        struct dist dist;
        uint64_t found[20] = {0}, n = 0;
        double shares[20];
        uint32_t used = 0;

        settings.rows = 1000000000;
        settings.rand_type = (enum dist_kind)kind;
        dist_init(&dist, (enum dist_kind)kind, settings.rows, 0);
        fix = fixture_open(&settings);
        for (int event = 0; event < 100000; event++) {
            run(fix);
            assert_in_range(fix->asked.ops[0].key[1], 1, settings.rows);
            found[(fix->asked.ops[0].key[1] - 1) / 50000000]++;
        }
        for (int i = 0; i < 20; i++) {
            double share = dist_cdf(&dist, 5e7 * (i + 1)) - dist_cdf(&dist, 5e7 * i);

            if (share * 100000 >= 5) { /* chi-square's rule; what is rarer is left out */
                shares[used] = share;
                found[used] = found[i];
                n += found[used++];
            }
        }
        assert_true(n >= 99980);
        assert_true(stub_chi_square(found, shares, used, 100000) < stub_chi_square_limit(used));
        fixture_close(fix);
    }
}

/* WORKLOADS 2.3: special's hottest 1 % of ids takes .762 of the draws. */
static void special_is_hot_in_its_centre(void **state)
{
    struct sysbench_settings settings = settings_of(SYSBENCH_READ_WRITE);
    struct fixture *fix = fixture_open(&settings);
    uint64_t hot = 0, all = 0;

    for (int event = 0; event < 20000; event++) {
        run(fix);
        for (int i = 1; i <= 10; i++, all++) {
            hot += fix->asked.ops[i].key[1] > 4950000 && fix->asked.ops[i].key[1] <= 5050000;
        }
    }
    assert_float_equal((double)hot / (double)all, 0.762, 0.004);
    fixture_close(fix);
}

static void loaded_k_is_a_function_of_its_row(void **state)
{
    struct sysbench_settings settings = settings_of(SYSBENCH_READ_WRITE);
    uint64_t hot = 0;

    settings.seed = 5;
    for (uint64_t id = 1; id <= 20000; id++) {
        uint64_t k = sysbench_loaded_k(&settings, 3, id);

        assert_in_range(k, 1, settings.rows);
        assert_int_equal(k, sysbench_loaded_k(&settings, 3, id));
        hot += k > 4950000 && k <= 5050000;
    }
    assert_float_equal((double)hot / 20000, 0.762, 0.013);
    assert_int_not_equal(sysbench_loaded_k(&settings, 3, 9), sysbench_loaded_k(&settings, 4, 9));
}

static void wrong_settings_are_refused(void **state)
{
    struct sysbench_settings own[6];

    for (int i = 0; i < 6; i++) {
        own[i] = settings_of(SYSBENCH_READ_WRITE);
    }
    own[0].tables = 0;
    own[1].rows = 0;
    own[2].range_size = 0;
    own[3].mix = SYSBENCH_UPDATE_INDEX;
    own[3].index_updates = 0;
    own[4].rand_type = DIST_PARETO;
    own[4].rand_param = 1;
    own[5].rand_param = -1;
    for (int i = 0; i < 6; i++) {
        struct error err = {0};

        assert_null(sysbench_open(&own[i], &err));
        assert_int_equal(err.exit, EXIT_USAGE);
        assert_true(err.text[0] != 0);
    }
}

static void catalog_of_a_run_has_its_mix_alone(void **state)
{
    struct sysbench_settings settings = settings_of(SYSBENCH_WRITE_ONLY);
    struct fixture *fix = fixture_open(&settings);
    const struct catalog *catalog = fix->workload->ops->catalog(fix->workload);

    assert_int_equal(catalog->kind_count, 1);
    assert_string_equal(catalog->kinds[0].name, "oltp_write_only");
    assert_true(catalog->kinds[0].share == 1);
    for (int mix = 0; mix < SYSBENCH_MIXES; mix++) {
        assert_string_equal(sysbench_catalog()->kinds[mix].name, sysbench_mix_names[mix]);
    }
    for (int i = 0; i < SYSBENCH_STATEMENTS; i++) {
        assert_non_null(catalog->statements[i].name);
    }
    fixture_close(fix);
}

/* What 100,000 events ask for, 20,000 of each distribution; all compilers agree. */
static void digest_is_golden(void **state)
{
    uint64_t digest = 0xcbf29ce484222325u;

    for (int kind = 0; kind < DIST_KINDS; kind++) {
        struct sysbench_settings settings = settings_of(SYSBENCH_READ_WRITE);
        struct fixture *fix;

        settings.rand_type = (enum dist_kind)kind;
        fix = fixture_open(&settings);
        for (int event = 0; event < 20000; event++) {
            run(fix);
            for (uint32_t n = 0; n < fix->asked.count; n++) {
                digest = stub_digest(digest, &fix->asked.ops[n]);
            }
        }
        fixture_close(fix);
    }
    print_message("sysbench digest %016llx\n", (unsigned long long)digest);
    assert_true(digest == 0x2ae14405170825bau);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_ask_in_order),
        cmocka_unit_test(options_change_the_event),
        cmocka_unit_test(tables_are_drawn_once_a_kind),
        cmocka_unit_test(ranges_are_not_cut_at_the_end),
        cmocka_unit_test(inserts_carry_fresh_texts),
        cmocka_unit_test(restart_asks_the_same_again),
        cmocka_unit_test(ids_follow_the_distribution),
        cmocka_unit_test(special_is_hot_in_its_centre),
        cmocka_unit_test(loaded_k_is_a_function_of_its_row),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(catalog_of_a_run_has_its_mix_alone),
        cmocka_unit_test(digest_is_golden),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
