// rooms: base
/* What a run writes must read back as what it was, and a damaged file must say where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static const struct json_node *parse(const char *text)
{
    struct error err = {0};
    const struct json_node *root = json_parse(text, strlen(text), "run.json", &err);

    assert_string_equal(err.text, "");
    return root;
}

static void writes_one_space_a_level(void **state)
{
    struct json_writer json;
    struct text out;

    text_init(&out);
    json_writer_init(&json, &out);
    json_begin_object(&json);
    json_key_int(&json, "schema_version", 1);
    json_key_array(&json, "vms");
    json_begin_object(&json);
    json_key_num(&json, "tps", 3157.34);
    json_end(&json);
    json_put_null(&json);
    json_end(&json);
    json_key_object(&json, "empty");
    json_end(&json);
    json_end(&json);
    assert_string_equal(text_string(&out),
                        "{\n \"schema_version\": 1,\n \"vms\": [\n  {\n   "
                        "\"tps\": 3157.34\n  },\n  null\n ],\n \"empty\": {}\n}\n");
    text_free(&out);
}

static void numbers_are_shortest_and_exact(void **state)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0.1, "0.1\n"},        {1, "1.0\n"},
                {-0.0, "-0.0\n"},      {1e300, "1e+300\n"},
                {NAN, "null\n"},       {INFINITY, "null\n"},
                {-INFINITY, "null\n"}, {1.0 / 3, "0.3333333333333333\n"},
                {0.05, "0.05\n"},      {5e-324, "4.94065645841247e-324\n"}};
    struct json_writer json;
    struct text out;
    struct rng rng;

    text_init(&out);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        text_clear(&out);
        json_writer_init(&json, &out);
        json_put_num(&json, rows[i].value);
        assert_string_equal(text_string(&out), rows[i].text);
    }
    rng_init(&rng, 4, 4);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = rng_u64(&rng);
        const struct json_node *root;
        double value, back;

        memcpy(&value, &bits, sizeof(value));
        if (value - value != 0) {
            continue;
        }
        text_clear(&out);
        json_writer_init(&json, &out);
        json_put_num(&json, value);
        root = parse(text_string(&out));
        back = json_num_or(root, "", NAN);
        assert_memory_equal(&back, &value, sizeof(value));
        json_free(root);
    }
    text_free(&out);
}

static void integers_are_exact_to_64_bits(void **state)
{
    static const int64_t values[] = {0, -1, INT64_MAX, INT64_MIN, 9007199254740993};
    unsigned __int128 big = (unsigned __int128)UINT64_MAX * 1000000007u, back128 = 0;
    const struct json_node *root;
    struct error err = {0};
    struct json_writer json;
    struct text out;

    text_init(&out);
    json_writer_init(&json, &out);
    json_begin_object(&json);
    json_key_array(&json, "ints");
    for (int i = 0; i < 5; i++) {
        json_put_int(&json, values[i]);
    }
    json_end(&json);
    json_key_uint(&json, "most", INT64_MAX);
    json_key(&json, "big");
    json_put_u128(&json, big);
    json_key(&json, "zero");
    json_put_u128(&json, 0);
    json_end(&json);
    root = parse(text_string(&out));
    assert_int_equal(json_length(json_get(root, "ints")), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_true(json_int_or(json_at(json_get(root, "ints"), i), "", 77) == values[i]);
    }
    assert_true(json_int_or(root, "ints.4", 0) == 9007199254740993);
    assert_int_equal(json_get_u128(root, "big", &back128, &err), 0);
    assert_true(back128 == big);
    assert_int_equal(json_get_u128(root, "zero", &back128, &err), 0);
    assert_true(back128 == 0);
    json_free(root);
    text_free(&out);
}

static void strings_survive(void **state)
{
    static const char awkward[] = "a\"b\\c\n\t\r\b\f\x01\x1f\x7f /é€😀\0z";
    const struct json_node *root;
    const char *back = NULL;
    struct error err = {0};
    struct json_writer json;
    struct text out;

    text_init(&out);
    json_writer_init(&json, &out);
    json_begin_object(&json);
    json_key_string(&json, "key \"1\"", awkward);
    json_key_string(&json, "none", NULL);
    json_end(&json);
    root = parse(text_string(&out));
    assert_int_equal(json_get_string(root, "key \"1\"", &back, &err), 0);
    assert_string_equal(back, awkward);
    assert_true(json_absent(json_get(root, "none")) && json_get(root, "none"));
    json_free(root);
    text_clear(&out);
    json_escape(&out, "a\xff\xc3(\xed\xa0\x80\xf5", 8);
    assert_string_equal(text_string(&out), "\"a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd"
                                           "\xef\xbf\xbd\xef\xbf\xbd\"");
    text_free(&out);
}

static void a_damaged_file_says_where(void **state)
{
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } rows[] = {
        {"{\n \"a\": 1,\n \"b\" 2\n}", 3, 6, "':' expected"},
        {"{\n \"a\": [1, 2\n", 3, 0, "']' expected"},
        {"", 1, 0, ""},
        {"{\"a\": 1, \"a\": 2}", 1, 12, "duplicate"},
        {"{} x", 1, 4, "end of file expected"},
        {"[1e999]", 1, 0, "real number overflow"},
        {"[99999999999999999999]", 1, 0, "too big integer"},
        {"[\"\xff\"]", 1, 0, "unable to decode"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct error err = {0};

        assert_null(json_parse(rows[i].text, strlen(rows[i].text), "run.json", &err));
        assert_string_equal(err.file, "run.json");
        assert_int_equal(err.exit, EXIT_USAGE);
        if (!strstr(err.text, rows[i].says) || err.line != rows[i].line || err.column < 1 ||
            (rows[i].column && err.column != rows[i].column)) {
            fail_msg("%s: %d:%d: %s", rows[i].text, err.line, err.column, err.text);
        }
    }
}

static void a_wrong_type_names_the_key(void **state)
{
    const struct json_node *root =
        parse("{\"run\": {\"id\": 7, \"n\": null}, \"vms\": [{\"tps\": 1}]}");
    const struct json_node *node = NULL;
    const char *string = "before";
    struct error err = {0};
    int64_t i = -5;
    double d = -5;
    bool b;

    assert_int_equal(json_get_string(root, "run.id", &string, &err), -EINVAL);
    assert_string_equal(err.text, "run.id is a whole number: a string was expected");
    assert_string_equal(string, "before");
    assert_int_equal(json_get_int(root, "run.n", &i, &err), -ENOENT);
    assert_string_equal(err.text, "run.n is null: a whole number was expected");
    assert_int_equal(json_get_bool(root, "run.what", &b, &err), -ENOENT);
    assert_string_equal(err.text, "run.what is missing: true or false was expected");
    assert_int_equal(json_get_array(root, "run", &node, &err), -EINVAL);
    assert_int_equal(json_get_object(root, "vms.1", &node, &err), -ENOENT);
    assert_int_equal(json_get_num(root, "vms.0.tps", &d, &err), 0);
    assert_true(d == 1 && i == -5);
    assert_null(json_get(root, "vms.x.tps"));
    assert_null(json_get(root, "run.id.deeper"));
    json_free(root);
}

static void members_keep_their_order(void **state)
{
    const struct json_node *root = parse("{\"zeta\": 1, \"alpha\": 2, \"mid\": 3}");

    assert_int_equal(json_length(root), 3);
    assert_string_equal(json_key_at(root, 0), "zeta");
    assert_string_equal(json_key_at(root, 2), "mid");
    assert_int_equal(json_int_or(json_value_at(root, 1), "", 0), 2);
    assert_null(json_key_at(root, 3));
    json_free(root);
}

static void writing_into_reserved_room_allocates_nothing(void **state)
{
    struct json_writer json;
    struct text out;
    uint64_t before;

    text_init(&out);
    text_reserve(&out, 100000);
    before = mem_allocations();
    json_writer_init(&json, &out);
    json_begin_array(&json);
    for (int i = 0; i < 1000; i++) {
        json_put_num(&json, i / 7.0);
        json_put_string(&json, "new_order");
    }
    json_end(&json);
    assert_int_equal(mem_allocations(), before);
    assert_false(out.failed);
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_one_space_a_level),
        cmocka_unit_test(numbers_are_shortest_and_exact),
        cmocka_unit_test(integers_are_exact_to_64_bits),
        cmocka_unit_test(strings_survive),
        cmocka_unit_test(a_damaged_file_says_where),
        cmocka_unit_test(a_wrong_type_names_the_key),
        cmocka_unit_test(members_keep_their_order),
        cmocka_unit_test(writing_into_reserved_room_allocates_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
