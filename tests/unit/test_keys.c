/* Rows of keys: what is read, what is refused and how, what is shown. */
/* rooms: base */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/keys.h"
#include "base/units.h"

static const char *const colours[] = {"red", "green", "blue"};

struct record {
    const char *string;
    char text[8];
    uint32_t colour;
    bool on, no_cache;
    uint32_t users;
    uint64_t size, speed;
    int64_t wait_ns;
    double share, rate, sigma;
    struct fraction scale;
    struct extent range;
};

static const struct key rows[] = {
    {"out", KEY_STRING, KEY_FIELD(struct record, string), .fallback = "results", .letter = 'o',
     .placeholder = "DIR", .help = "where the run's files go"},
    {"text", KEY_TEXT, KEY_FIELD(struct record, text), .fallback = "", .help = "a short text"},
    {"colour", KEY_WORD, KEY_FIELD(struct record, colour), KEY_WORDS(colours), .fallback = "red",
     .help = "a colour"},
    {"on", KEY_FLAG, KEY_FIELD(struct record, on), .fallback = "no", .help = "a flag"},
    {"cache", KEY_FLAG_OFF, KEY_FIELD(struct record, no_cache), .fallback = "yes", .help = "flag"},
    {"users", KEY_COUNT, KEY_FIELD(struct record, users), "1", "1M", .help = "users"},
    {"buffer_size", KEY_SIZE, KEY_FIELD(struct record, size), "1MiB", "1PiB", .help = "a size"},
    {"speed", KEY_BANDWIDTH, KEY_FIELD(struct record, speed), .help = "a bandwidth"},
    {"wait", KEY_DURATION, KEY_FIELD(struct record, wait_ns), "1ms", .help = "a time"},
    {"share", KEY_SHARE, KEY_FIELD(struct record, share), .most = "200%", .help = "a share"},
    {"rate", KEY_RATE, KEY_FIELD(struct record, rate), .help = "a rate"},
    {"sigma", KEY_NUMBER, KEY_FIELD(struct record, sigma), "-1", "1", .help = "a number"},
    {"range", KEY_EXTENT, KEY_FIELD(struct record, range), .help = "a part"},
    {"scale", KEY_FRACTION, KEY_FIELD(struct record, scale), .help = "a fraction"},
    {"period", KEY_DURATION, KEY_FIELD(struct record, wait_ns), "1ms", "1h", .or_zero = true,
     .why = "so often is too often", .only = "red green", .help = "how often"},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static struct record record;

static void reads_back(const char *name, const char *text, const char *shown)
{
    const struct key *row = key_find(rows, ROWS, name);
    struct error err;
    char buf[64];

    assert_int_equal(key_set(row, &record, text, &err), 0);
    assert_string_equal(key_format(row, &record, buf, sizeof(buf)), shown);
    assert_int_equal(key_set(row, &record, buf, &err), 0);
    assert_string_equal(key_format(row, &record, buf, sizeof(buf)), shown);
}

static void values_are_read_and_shown_exactly(void **state)
{
    reads_back("text", "seven77", "seven77");
    reads_back("colour", "blue", "blue");
    reads_back("on", "true", "yes");
    reads_back("on", "off", "no");
    reads_back("users", "15k", "15000");
    reads_back("buffer_size", "48GiB", "48GiB");
    reads_back("buffer_size", "333 GB", "333GB");
    reads_back("buffer_size", "1048577", "1048577");
    reads_back("buffer_size", "3840GB", "3.84TB");
    reads_back("buffer_size", "3840755982336", "3840755982336");
    reads_back("speed", "3400MB/s", "3400MB/s");
    reads_back("wait", "2h30m", "2h30m");
    reads_back("wait", "4.743s", "4.743s");
    reads_back("share", "25%", "25%");
    reads_back("share", "0.125", "12.5%");
    reads_back("rate", "15k/s", "15000/s");
    reads_back("sigma", "-0.5", "-0.5");
    reads_back("scale", "2/800", "1/400");
    reads_back("range", "25%", "25%");
    reads_back("range", "100 GiB", "100GiB");
}

static void an_off_flag_holds_the_opposite(void **state)
{
    struct error err;

    assert_int_equal(key_set(key_find(rows, ROWS, "cache"), &record, "no", &err), 0);
    assert_true(record.no_cache);
    reads_back("cache", "yes", "yes");
    assert_false(record.no_cache);
}

static void dashes_and_letters_find_rows(void **state)
{
    assert_ptr_equal(key_find(rows, ROWS, "buffer-size"), key_find(rows, ROWS, "buffer_size"));
    assert_ptr_equal(key_find_letter(rows, ROWS, 'o'), &rows[0]);
    assert_null(key_find_letter(rows, ROWS, 'x'));
    assert_null(key_find(rows, ROWS, "buffer"));
    assert_string_equal(key_nearest(rows, ROWS, "buffersize"), "buffer_size");
    assert_null(key_nearest(rows, ROWS, "zzzzzz"));
}

static void what_is_refused_says_why(void **state)
{
    static const struct {
        const char *name, *text, *says, *hint;
    } cases[] = {
        {"users", "0", "users: must be 1 to 1M, not 0", ""},
        {"users", "-3", "users: must be 1 to 1M, not -3", ""},
        {"users", "1.5M", "users: must be 1 to 1M, not 1.5M", ""},
        {"users", "", "users: a value is missing", ""},
        {"users", "many", "users: \"many\" is not a count", "15k"},
        {"buffer_size", "48 apples", "buffer_size: \"48 apples\" is not a size", "KiB"},
        {"wait", "5", "wait: \"5\" is not a duration: a unit is needed", "2h30m"},
        {"wait", "1us", "wait: must be 1ms or more, not 1us", ""},
        {"share", "201%", "share: must be at most 200%, not 201%", ""},
        {"colour", "bleu", "colour: must be red, green or blue, not \"bleu\"", "\"blue\""},
        {"on", "maybe", "on: must be yes or no, not \"maybe\"", ""},
        {"text", "eight888", "text: must be at most 7 bytes long", ""},
        {"range", "0%", "range: must be more than 0", ""},
        {"sigma", "2", "sigma: must be -1 to 1, not 2", ""},
    };
    struct record before = record;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct key *row = key_find(rows, ROWS, cases[i].name);
        struct error err = {0};

        assert_int_equal(key_set(row, &record, cases[i].text, &err), -EINVAL);
        assert_int_equal(err.exit, EXIT_USAGE);
        assert_true(err.code < 0);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_non_null(strstr(err.hint, cases[i].hint));
        assert_true(key_check(row, cases[i].text, &err) < 0);
    }
    assert_memory_equal(&before, &record, sizeof(record));
}

static void help_names_options_and_fits_a_terminal(void **state)
{
    struct text text = {0};
    const char *line;

    key_help(rows, ROWS, &text);
    assert_non_null(strstr(text_string(&text), "  -o, --out DIR "));
    assert_non_null(strstr(text_string(&text), "      --buffer-size SIZE "));
    assert_non_null(strstr(text_string(&text), "a colour: red, green, blue [red]"));
    for (line = text_string(&text); *line; line += strcspn(line, "\n") + 1) {
        assert_true(strcspn(line, "\n") <= 80);
    }
    text_clear(&text);
    key_document(rows, ROWS, &text);
    assert_non_null(strstr(text_string(&text), "| `users` | a whole number, 1 to 1M | required |"));
    text_free(&text);
}

static void a_bound_may_leave_zero_and_says_why(void **state)
{
    const struct key *row = key_find(rows, ROWS, "period");
    struct error err = {0};
    char expects[160];

    assert_int_equal(key_set(row, &record, "0", &err), 0);
    assert_int_equal(record.wait_ns, 0);
    assert_int_equal(key_set(row, &record, "1ms", &err), 0);
    assert_true(key_set(row, &record, "999us", &err) < 0);
    assert_string_equal(err.text, "period: must be 0 or 1ms to 1h, not 999us");
    assert_string_equal(err.hint, "so often is too often");
    assert_true(key_set(row, &record, "2h", &err) < 0);
    assert_string_equal(key_expects(row, expects, sizeof(expects)),
                        "a duration such as 2h30m, 0 or 1ms to 1h");
}

static void a_key_knows_the_words_that_it_is_for(void **state)
{
    const struct key *row = key_find(rows, ROWS, "period"), *all = key_find(rows, ROWS, "wait");
    struct text text = {0};

    assert_true(key_is_for(row, "red") && key_is_for(row, "green"));
    assert_false(key_is_for(row, "blue"));
    assert_false(key_is_for(row, "re"));
    assert_false(key_is_for(row, "greenish"));
    assert_true(key_is_for(all, "blue"));
    key_document(row, 1, &text);
    assert_non_null(strstr(text_string(&text), "| red, green: how often |"));
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_may_leave_zero_and_says_why),
        cmocka_unit_test(a_key_knows_the_words_that_it_is_for),
        cmocka_unit_test(values_are_read_and_shown_exactly),
        cmocka_unit_test(an_off_flag_holds_the_opposite),
        cmocka_unit_test(dashes_and_letters_find_rows),
        cmocka_unit_test(what_is_refused_says_why),
        cmocka_unit_test(help_names_options_and_fits_a_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
