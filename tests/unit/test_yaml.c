/* A YAML file as a tree: places, limits, refusals, values set from outside. */
/* rooms: base io workload sql target plan */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/plan/yaml.h"
#include "base/mem.h"

static void parse(struct yaml *yaml, const char *text)
{
    struct error err = {0};

    if (yaml_parse(yaml, "t.yaml", text, strlen(text), &err)) {
        fail_msg("%s", err.text);
    }
}

static void everything_knows_its_place(void **state)
{
    struct yaml yaml;
    const struct item *list;

    parse(&yaml, "a: 1\nb:\n  c: two words\n  d: [x, 'y: z']\n# note\ne: ~\nf: null\n");
    assert_string_equal(item_get(yaml.root, "a")->text, "1");
    assert_int_equal(item_get(yaml.root, "a")->line, 1);
    assert_int_equal(item_get(yaml.root, "a")->column, 4);
    assert_int_equal(item_get(item_get(yaml.root, "b"), "c")->key_line, 3);
    assert_int_equal(item_get(item_get(yaml.root, "b"), "c")->key_column, 3);
    list = item_get(item_get(yaml.root, "b"), "d");
    assert_int_equal(list->kind, ITEM_LIST);
    assert_int_equal(list->count, 2);
    assert_string_equal(list->child->next->text, "y: z");
    assert_int_equal(list->child->next->column, 10);
    assert_string_equal(item_get(yaml.root, "e")->text, "");
    assert_string_equal(item_get(yaml.root, "f")->text, "null"); /* a kind of drive */
    assert_null(item_get(yaml.root, "z"));
    yaml_close(&yaml);
}

static void what_is_refused_names_the_place(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "t.yaml: there is nothing in it"},
        {"# only a comment\n", "t.yaml: there is nothing in it"},
        {"- a\n- b\n", "t.yaml:1:1: keys and values are expected, not a list"},
        {"word\n", "t.yaml:1:1: keys and values are expected, not a single value"},
        {"a: 1\nb: 2\na: 3\n", "t.yaml:3:1: \"a\" is here a second time"},
        {"a: &x 1\n", "t.yaml:1:4: anchors"},
        {"a: 1\nb: *a\n", "t.yaml:2:4: aliases"},
        {"a: !!int 1\n", "t.yaml:1:4: tags"},
        {"a: 1\n---\nb: 2\n", "t.yaml:2:1: a second document begins here"},
        {"a: [1, 2\n", "t.yaml:2:1: not YAML"},
        {"a: 1\n  b: 2\n", "t.yaml:2:4: not YAML"},
        {"a: 1\nb: \t- x\n\t c: 2\n", "t.yaml:2:5: not YAML"},
        {"a: \"\\0\"\n", "t.yaml:1:4: a zero byte"},
        {"? [1, 2]\n: x\n", "t.yaml:1:3: a key must be a word"},
        {"'': 1\n", "t.yaml:1:1: a key is empty"},
        {"a: x\nb: \xff\n", "t.yaml:2:4: not UTF-8 text"},
        {"a: x\n\xc3\xa9: \xc3\n", "t.yaml:2:5: not UTF-8 text"},
        {"a: {b: {c: {d: {e: {f: {g: {h: {i: {j: {k: {l: {m: 1}}}}}}}}}}}}\n",
         "t.yaml:1:48: nested too deeply"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct error err = {0};
        struct yaml yaml;
        char text[1024];

        assert_int_equal(yaml_parse(&yaml, "t.yaml", cases[i].text, strlen(cases[i].text), &err),
                         -EINVAL);
        error_format(&err, text, sizeof(text));
        if (strncmp(text, cases[i].says, strlen(cases[i].says)) != 0) {
            fail_msg("case %zu: %s, expected %s", i, text, cases[i].says);
        }
        assert_int_equal(err.exit, EXIT_USAGE);
    }
}

static void a_file_cannot_take_all_memory(void **state)
{
    uint64_t before = mem_allocated_bytes();
    struct error err = {0};
    struct yaml yaml;
    char *large = mem_zalloc(YAML_BYTES + 2);

    memset(large, '#', YAML_BYTES + 1);
    assert_int_equal(yaml_parse(&yaml, "t.yaml", large, YAML_BYTES + 1, &err), -EINVAL);
    assert_non_null(strstr(err.text, "larger than"));
    memcpy(large, "a: [", 4);
    for (int i = 4; i < YAML_BYTES; i += 2) {
        memcpy(large + i, "1,", 2);
    }
    large[YAML_BYTES] = ']';
    assert_int_equal(yaml_parse(&yaml, "t.yaml", large, YAML_BYTES, &err), -EINVAL);
    assert_non_null(strstr(err.text, "more than"));
    mem_free(large);
    assert_int_equal(mem_allocated_bytes(), before);
}

static void values_can_be_set_from_outside(void **state)
{
    struct error err = {0};
    struct yaml yaml;
    const struct item *item;

    parse(&yaml, "a: 1\nlist:\n  - {x: 1}\n  - {x: 2}\n");
    assert_int_equal(yaml_set(&yaml, "a", "2", "--set a=2", &err), 0);
    assert_string_equal(item_get(yaml.root, "a")->text, "2");
    assert_string_equal(item_get(yaml.root, "a")->file, "--set a=2");
    assert_true(item_get(yaml.root, "a")->given);
    assert_int_equal(yaml_set(&yaml, "new.deep.key", "[1, {y: 3}]", "--set", &err), 0);
    item = item_get(item_get(item_get(yaml.root, "new"), "deep"), "key");
    assert_int_equal(item->count, 2);
    assert_string_equal(item_get(item->child->next, "y")->text, "3");
    assert_int_equal(yaml_set(&yaml, "list.1.x", "5", "--set", &err), 0);
    assert_string_equal(item_get(item_get(yaml.root, "list")->child->next, "x")->text, "5");
    assert_int_equal(yaml_set(&yaml, "list.2.x", "6", "--set", &err), 0);
    assert_int_equal(item_get(yaml.root, "list")->count, 3);
    assert_int_equal(yaml_set(&yaml, "a", "", "--set", &err), 0);
    assert_string_equal(item_get(yaml.root, "a")->text, "");
    yaml_close(&yaml);
}

static void what_cannot_be_set_says_why(void **state)
{
    static const struct {
        const char *path, *value, *says;
    } cases[] = {
        {"a.b", "1", "\"a\" is a value, it has no \"b\""},
        {"list.7", "1", "\"list\" is a list of 2, it has no \"7\""},
        {"list.x", "1", "\"list\" is a list of 2, it has no \"x\""},
        {"", "1", "a key is missing in the path"},
        {"b..c", "1", "a key is missing in the path"},
        {"b", "[1", "not YAML"},
        {"b", "*x", "aliases"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct error err = {0};
        struct yaml yaml;
        char text[1024];

        parse(&yaml, "a: 1\nlist:\n  - {x: 1}\n  - {x: 2}\n");
        assert_int_equal(yaml_set(&yaml, cases[i].path, cases[i].value, "--set p", &err), -EINVAL);
        error_format(&err, text, sizeof(text));
        assert_memory_equal(text, "--set p: ", 9);
        if (strncmp(text + 9, cases[i].says, strlen(cases[i].says)) != 0) {
            fail_msg("case %zu: %s", i, text);
        }
        yaml_close(&yaml);
    }
}

static void files_that_cannot_be_read_say_so(void **state)
{
    struct error err = {0};
    struct yaml yaml;

    assert_int_equal(yaml_read(&yaml, "absent.yaml", &err), -ENOENT);
    assert_int_equal(err.exit, EXIT_USAGE);
    assert_int_equal(yaml_read(&yaml, ".", &err), -EISDIR);
    assert_int_equal(err.exit, EXIT_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_knows_its_place),
        cmocka_unit_test(what_is_refused_names_the_place),
        cmocka_unit_test(a_file_cannot_take_all_memory),
        cmocka_unit_test(values_can_be_set_from_outside),
        cmocka_unit_test(what_cannot_be_set_says_why),
        cmocka_unit_test(files_that_cannot_be_read_say_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
