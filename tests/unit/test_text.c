// rooms: base
/* Text, the word that was meant, errors and counted memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void a_word_is_one_of_the_shell(void **state)
{
    static const char *const rows[][2] = {{"", "''"},
                                          {"a=1/b.img", "a=1/b.img"},
                                          {"two words", "'two words'"},
                                          {"it's", "'it'\\''s'"}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct text text = {0};

        text_add_word(&text, rows[i][0]);
        assert_string_equal(text_string(&text), rows[i][1]);
        text_free(&text);
    }
}

static void text_grows(void **state)
{
    struct text text;

    text_init(&text);
    assert_string_equal(text_string(&text), "");
    for (int i = 0; i < 1000; i++) {
        text_addf(&text, "%d,", i);
    }
    assert_int_equal(text.length, 3890);
    assert_int_equal(strlen(text_string(&text)), 3890);
    text_cut(&text, 4);
    text_add_repeat(&text, '-', 3);
    text_add_char(&text, '>');
    text_add_bytes(&text, "x\0y", 3);
    assert_int_equal(text.length, 11);
    assert_memory_equal(text.data, "0,1,--->x\0y", 12);
    text_clear(&text);
    assert_string_equal(text_string(&text), "");
    text_free(&text);
    text_addf(&text, "%s", "");
    assert_string_equal(text_string(&text), "");
    text_free(&text);
}

static void lack_of_memory_is_kept_in_mind(void **state)
{
    struct text text;

    text_init(&text);
    text_add(&text, "kept");
    assert_false(text_reserve(&text, SIZE_MAX - 64));
    assert_true(text.failed);
    text_addf(&text, "%d", 5);
    text_add(&text, "dropped");
    assert_string_equal(text_string(&text), "kept");
    text_free(&text);
}

static void finds_the_word_that_was_meant(void **state)
{
    static const char *const keys[] = {"users",      "buffer", "think_time",     "keying_time",
                                       "warehouses", NULL,     "checkpoint_age", "log"};
    static const struct {
        const char *word, *meant;
    } rows[] = {
        {"user", "users"},
        {"uesrs", "users"},
        {"USERS", "users"},
        {"bufer", "buffer"},
        {"think-time", "think_time"},
        {"thnik_time", "think_time"},
        {"warehouse", "warehouses"},
        {"warehuoses", "warehouses"},
        {"checkpoint", "checkpoint_age"},
        {"lgo", "log"},
        {"colour", NULL},
        {"x", NULL},
        {"", NULL},
        {"zzzzz", NULL},
        {"ch", NULL},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *found = text_nearest(rows[i].word, keys, sizeof(keys) / sizeof(*keys));

        if (!found || !rows[i].meant ? found != rows[i].meant : strcmp(found, rows[i].meant) != 0) {
            fail_msg("%s: %s", rows[i].word, found ? found : "none");
        }
    }
    assert_null(text_nearest("users", keys, 0));
}

static void distance_counts_a_swap_once(void **state)
{
    char wide[300];

    assert_int_equal(text_distance("abcd", "abdc"), 1);
    assert_int_equal(text_distance("kitten", "sitting"), 3);
    assert_int_equal(text_distance("", "abc"), 3);
    assert_int_equal(text_distance("ca", "abc"), 3);
    memset(wide, 'w', sizeof(wide));
    wide[sizeof(wide) - 1] = '\0';
    assert_int_equal(text_distance(wide, ""), 63);
}

static void errors_say_place_context_and_mend(void **state)
{
    struct error err;
    char buf[1024], wide[2000];

    assert_int_equal(error_at(&err, "t.yaml", 12, 9, "must be 1 or more, not %d", 0), -EINVAL);
    error_wrap(&err, "users");
    error_hint(&err, "try %d", 1);
    assert_string_equal(error_format(&err, buf, sizeof(buf)),
                        "t.yaml:12:9: users: must be 1 or more, not 0");
    assert_string_equal(err.hint, "try 1");
    assert_int_equal(error_set(&err, EXIT_FAILED, -ENOENT, "no drive"), -ENOENT);
    assert_string_equal(error_format(&err, buf, sizeof(buf)), "no drive");
    assert_string_equal(err.hint, "");
    memset(wide, 'w', sizeof(wide));
    wide[sizeof(wide) - 1] = '\0';
    error_wrap(&err, "%s", wide);
    error_wrap(&err, "%s", wide);
    assert_true(strlen(err.text) < sizeof(err.text));
}

static void memory_is_zero_and_counted(void **state)
{
    uint64_t held = mem_allocated_bytes(), made = mem_allocations();
    char *a = mem_zalloc(1000), *b = mem_array(10, 100);

    assert_int_equal(mem_allocated_bytes() - held, 2000);
    assert_int_equal(mem_allocations() - made, 2);
    assert_int_equal((uintptr_t)a % 16, 0);
    memset(a, 'x', 1000);
    a = mem_resize(a, 3000);
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(a[i], i < 1000 ? 'x' : 0);
    }
    assert_int_equal(mem_allocated_bytes() - held, 4000);
    mem_free(a);
    mem_free(b);
    mem_free(NULL);
    assert_int_equal(mem_allocated_bytes(), held);
    assert_null(mem_array(SIZE_MAX / 2, 3));
    assert_null(mem_zalloc(SIZE_MAX - 3));
    assert_int_equal(mem_allocated_bytes(), held);
}

static void large_memory_is_aligned_and_given_back(void **state)
{
    uint64_t held = mem_allocated_bytes();
    size_t bytes = ((size_t)64 << 20) + 12345;
    char *large = mem_large(bytes), *small = mem_large(100);

    assert_non_null(large);
    assert_int_equal((uintptr_t)large % (2 << 20), 0);
    large[0] = large[bytes - 1] = 1;
    assert_int_equal(large[bytes / 2], 0);
    assert_int_equal(mem_allocated_bytes() - held, bytes + 100);
    mem_large_free(large, bytes);
    mem_large_free(small, 100);
    mem_large_free(NULL, 5);
    assert_int_equal(mem_allocated_bytes(), held);
    assert_null(mem_large(0));
    assert_null(mem_large(SIZE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows),
        cmocka_unit_test(a_word_is_one_of_the_shell),
        cmocka_unit_test(lack_of_memory_is_kept_in_mind),
        cmocka_unit_test(finds_the_word_that_was_meant),
        cmocka_unit_test(distance_counts_a_swap_once),
        cmocka_unit_test(errors_say_place_context_and_mend),
        cmocka_unit_test(memory_is_zero_and_counted),
        cmocka_unit_test(large_memory_is_aligned_and_given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
