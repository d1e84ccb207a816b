// rooms: base stats result
/* What a table of comparability shows of a side: short enough, never so that two become one. And by
 * which names sides are told apart.
 */
#include "base/mem.h"
#include "result/set.h"
#include "run_maker.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDES = 3, GB = 1000000000 };

static struct set sets[SIDES];
static const struct set *all[SIDES] = {&sets[0], &sets[1], &sets[2]};
static struct set_rows rows;

static int begin(void **state)
{
    for (uint32_t s = 0; s < SIDES; s++) {
        set_init(&sets[s], "");
    }
    return 0;
}

static int end(void **state)
{
    for (uint32_t s = 0; s < SIDES; s++) {
        set_free(&sets[s]);
    }
    return 0;
}

/* A run of a side, which the test may change. */
static struct result *add(uint32_t side, const struct run_recipe *recipe)
{
    struct result *result = mem_zalloc(sizeof(*result));
    struct error err = {0};
    char path[32];

    assert_non_null(result);
    snprintf(path, sizeof(path), "%u/%u", side, sets[side].run_count);
    run_maker_result(recipe, path, result);
    assert_int_equal(set_add_result(&sets[side], path, result, &err), 0);
    return result;
}

static const struct set_row *ask(const char *name, uint32_t sides)
{
    set_rows_of(all, sides, 0.05, &rows);
    return set_row_find(&rows, name);
}

#define PUT(field, word) snprintf(field, sizeof(field), "%s", word)

/* ---- values ---------------------------------------------------------------------------------- */

static void disturbed(uint32_t side, double share, double periods)
{
    struct result *result = add(side, &(struct run_recipe){.tps = 100});

    result->host.interference.run_delay_share = share;
    result->host.interference.throttled_periods = periods;
}

/* Many runs are said by the least and the most that they have, whole. */
static void test_interference_is_a_range(void **state)
{
    const struct set_row *row;

    for (uint32_t i = 0; i < 40; i++) {
        disturbed(0, 0.031 + 0.001 * i, 0);
        disturbed(1, i == 0 ? 0.01 : 0.05, i == 39);
    }
    row = ask("interference", 2);
    assert_int_equal(row->match, SET_DIFFERS);
    assert_string_equal(row->values[0], "3.1% to 7.0% waiting for a CPU in 40 of 40 runs");
    assert_string_equal(row->values[1], "5.0% waiting for a CPU in 39 of 40 runs");
}

static void test_ranges_name_their_unit_once(void **state)
{
    static const double celsius[] = {38, 44, 41};

    for (uint32_t i = 0; i < 3; i++) {
        add(0, &(struct run_recipe){.celsius = celsius[i]});
        add(1, &(struct run_recipe){.celsius = 40});
        add(1, &(struct run_recipe){.celsius = 40})->drives[0].capacity_bytes = (i + 1) * GB;
    }
    assert_string_equal(ask("start_temperature", 2)->values[0], "38 to 44 °C");
    assert_string_equal(ask("start_temperature", 2)->values[1], "40 °C");
    assert_string_equal(ask("capacity", 2)->values[1], "1.0 to 3840.8 GB");
}

/* A text that has a comma itself is still said once. */
static void test_texts_are_said_once(void **state)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct result *result = add(0, &(struct run_recipe){.tps = 100});

        result->server_count = 1;
        PUT(result->servers[0].flavour, "postgresql");
        PUT(result->servers[0].version, i == 3 ? "15.2" : "15.1");
    }
    assert_string_equal(ask("server", 1)->values[0],
                        "postgresql 15.1, not durable, postgresql 15.2, not durable");
}

/* Every word of a result as long as it can be, of sides that differ in its last letter alone. */
static void lengthen(struct result *result, char last, uint32_t drives)
{
    char word[300];

    memset(word, 'w', sizeof(word));
    memcpy(word, "name", 4);
#define LONG(field) snprintf(field, sizeof(field), "%.*s%c", (int)sizeof(field) - 2, word, last)
    LONG(result->scenario.name);
    LONG(result->scenario.settings);
    LONG(result->host.kernel);
    LONG(result->host.cpu_model);
    LONG(result->host.hostname);
    result->drive_count = drives;
    for (uint32_t d = 0; d < drives; d++) {
        result->drives[d] = result->drives[0];
        LONG(result->drives[d].model);
        LONG(result->drives[d].queue);
        LONG(result->drives[d].serial);
        LONG(result->drives[d].firmware);
    }
}

static void test_long_words_stay_told_apart(void **state)
{
    static const char *const names[] = {"scenario", "kernel", "cpu",      "host",
                                        "model",    "serial", "firmware", "scheduler"};

    for (uint32_t drives = 1; drives <= RESULT_DRIVES; drives += RESULT_DRIVES - 1) {
        lengthen(add(0, &(struct run_recipe){.tps = 100}), 'a', drives);
        lengthen(add(1, &(struct run_recipe){.tps = 100}), 'b', drives);
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            const struct set_row *row = ask(names[i], 2);

            if (row->match != SET_DIFFERS || strcmp(row->values[0], row->values[1]) == 0) {
                fail_msg("%s of %u drives: %s, %s", names[i], drives, row->values[0],
                         row->values[1]);
            }
            for (uint32_t s = 0; s < 2; s++) { /* whole, or it shows where it was cut */
                const char *value = row->values[s], *cut = strstr(value, "...@");

                assert_true(cut ? strlen(cut) == 12 : value[strlen(value) - 1] == (s ? 'b' : 'a'));
            }
        }
        end(state);
        begin(state);
    }
}

/* Two of three sides have files of their own under one name; the first is of another. */
static void test_files_of_later_sides(void **state)
{
    const struct set_row *row;

    add(0, &(struct run_recipe){.model = "D1", .model_sum = "aaaaaaaaaa"});
    add(1, &(struct run_recipe){.model = "D2", .model_sum = "bbbbbbbbbb"});
    add(2, &(struct run_recipe){.model = "D2", .model_sum = "cccccccccc"});
    row = ask("model", 3);
    assert_string_equal(row->values[1], "D2 file@bbbbbbbb");
    assert_string_equal(row->values[2], "D2 file@cccccccc");
}

/* ---- what was written before the sample ------------------------------------------------------ */

/* seconds of a phase of that rule, in which so much was written. */
static void precondition(uint32_t side, const char *rule, uint32_t seconds, double gb)
{
    struct result *result = add(side, &(struct run_recipe){.tps = 100});

    result->phase_count = rule ? 2 : 0;
    PUT(result->phases[0].name, "precondition");
    PUT(result->phases[0].rule, rule ? rule : "");
    PUT(result->phases[1].name, "sample");
    result->phases[0].until_ns = result->phases[1].from_ns = seconds * 1000000000ll;
    result->phases[0].requested_ns = 7200 * 1000000000ll;
    result->phases[0].bytes_written = (uint64_t)(gb * 1e9);
    result->precondition.bytes_written = (uint64_t)(gb * 1e9);
}

static void test_bytes_before_the_sample(void **state)
{
    static const struct {
        const char *rule;
        uint32_t seconds[2];
        double gb[2];
        enum set_match match;
        bool strict; /* a difference of the set-up */
    } cases[] = {
        {"fixed", {600, 600}, {40, 41}, SET_SAME, false},
        {"fixed", {600, 601}, {40, 80}, SET_DIFFERS, false}, /* the faster drive took more */
        {"fixed", {600, 900}, {40, 60}, SET_DIFFERS, true},
        {"until_steady", {600, 900}, {40, 60}, SET_DIFFERS, false},
        {"amount", {600, 300}, {40, 40}, SET_SAME, false},
        {"amount", {600, 600}, {40, 30}, SET_DIFFERS, true},
        {"done", {60, 0}, {40, 0}, SET_DIFFERS, true}, /* filled, and found filled */
        {NULL, {0, 0}, {40, 60}, SET_DIFFERS, true},   /* nobody knows what was asked */
        {NULL, {0, 0}, {0, 0}, SET_SAME, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct set_row *row, *refused;
        struct text words = {0};

        for (uint32_t s = 0; s < 2; s++) {
            precondition(s, cases[i].rule, cases[i].seconds[s], cases[i].gb[s]);
        }
        row = ask("precondition_bytes", 2);
        refused = set_rows_refused(&rows);
        if (row->match != cases[i].match || (refused != NULL) != cases[i].strict ||
            row->outcome != (row->match == SET_DIFFERS && !cases[i].strict)) {
            fail_msg("case %zu: match %d, refused %s", i, row->match,
                     refused ? refused->name : "none");
        }
        set_row_say(row, 2, &words);
        assert_int_equal(strstr(text_string(&words), " (asked alike)") != NULL, row->outcome);
        text_free(&words);
        end(state);
        begin(state);
    }
}

/* The first run of each side of a series fills its drive, the others find it full. */
static void test_bytes_of_a_series(void **state)
{
    static const struct {
        double gb[2][3];
        enum set_match match;
    } cases[] = {{{{1.01, 0.154, 0.154}, {1.0, 0.155, 0.154}}, SET_SAME},
                 {{{1.01, 0.154, 0.154}, {0.155, 0.155, 0.155}}, SET_DIFFERS},
                 {{{1.01, 1.01, 0.154}, {1.01, 0.154, 0.154}}, SET_DIFFERS},
                 {{{1.01, 0.154, 0.154}, {1.01, 0.154, 0.2}}, SET_DIFFERS}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (uint32_t s = 0; s < 2; s++) {
            for (uint32_t r = 0; r < 3; r++) {
                precondition(s, "done", 60, cases[i].gb[s][r]);
            }
        }
        assert_int_equal(ask("precondition_bytes", 2)->match, cases[i].match);
        /* of one side, as `history` asks, the runs differ */
        assert_int_equal(ask("precondition_bytes", 1)->match, SET_DIFFERS);
        end(state);
        begin(state);
    }
}

/* ---- names of sides -------------------------------------------------------------------------- */

static void names_are(const char *a, const char *b, const char *c)
{
    const char *const wanted[SIDES] = {a, b, c};
    static const char *const letters[SIDES] = {"A", "B", "C"};

    for (uint32_t s = 0; s < SIDES; s++) {
        set_name(&sets[s], letters[s]);
    }
    set_tell_apart(sets, SIDES);
    for (uint32_t s = 0; s < SIDES; s++) {
        assert_string_equal(sets[s].label, wanted[s]);
    }
}

static void test_names_that_differ_are_left(void **state)
{
    add(0, &(struct run_recipe){.model = "D1"});
    add(1, &(struct run_recipe){.model = "D2"});
    add(2, &(struct run_recipe){.label = "mine"});
    names_are("D1 fw 1.0", "D2 fw 1.0", "mine");
}

static void test_files_tell_sides_apart(void **state)
{
    add(0, &(struct run_recipe){.model = "D1", .model_sum = "aaaaaaaaaa"});
    add(1, &(struct run_recipe){.model = "D2", .model_sum = "bbbbbbbbbb"});
    add(2, &(struct run_recipe){.model = "D1", .model_sum = "cccccccccc"});
    names_are("D1 fw 1.0 file@aaaaaaaa", "D2 fw 1.0", "D1 fw 1.0 file@cccccccc");
}

/* No trait tells all three apart, but two of them together do; and then only the letter is left. */
static void test_traits_add_up(void **state)
{
    add(0, &(struct run_recipe){.form_factor = "U.2", .settings = "a=1"});
    add(1, &(struct run_recipe){.form_factor = "E1.S", .settings = "a=1"});
    add(2, &(struct run_recipe){.form_factor = "E1.S", .settings = "a=2"});
    names_are("D1 fw 1.0 U.2", "D1 fw 1.0 E1.S a=1", "D1 fw 1.0 E1.S a=2");
    end(state);
    begin(state);
    add(0, &(struct run_recipe){.serial = "SERIAL1"});
    add(1, &(struct run_recipe){.serial = "SERIAL2"});
    add(2, &(struct run_recipe){.model = "D3"});
    names_are("D1 fw 1.0 (A)", "D1 fw 1.0 (B)", "D3 fw 1.0");
}

/* However long a name is, what tells it apart is still there. */
static void test_long_names_are_told_apart(void **state)
{
    static char settings[2][400];

    for (uint32_t s = 0; s < SIDES; s++) {
        memset(settings[s % 2], 'x', sizeof(settings[0]) - 1);
        settings[s % 2][398] = (char)('0' + s % 2);
        add(s, &(struct run_recipe){
                   .model = "A-drive-whose-name-is-forty-letters-long",
                   .firmware = "firmware",
                   .settings = settings[s % 2],
               });
    }
    for (uint32_t s = 0; s < SIDES; s++) {
        set_name(&sets[s], "?");
    }
    set_tell_apart(sets, SIDES);
    assert_string_not_equal(sets[0].label, sets[1].label);
    assert_string_not_equal(sets[0].label, sets[2].label);
    assert_string_not_equal(sets[1].label, sets[2].label);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_interference_is_a_range),   CASE(test_ranges_name_their_unit_once),
        CASE(test_texts_are_said_once),       CASE(test_long_words_stay_told_apart),
        CASE(test_files_of_later_sides),      CASE(test_bytes_before_the_sample),
        CASE(test_bytes_of_a_series),         CASE(test_names_that_differ_are_left),
        CASE(test_files_tell_sides_apart),    CASE(test_traits_add_up),
        CASE(test_long_names_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
