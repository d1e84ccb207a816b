#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text.h"
#include "golden.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_file(const char *path, struct text *ret)
{
    FILE *file = fopen(path, "r");
    int c;

    text_init(ret);
    while (file && (c = fgetc(file)) != EOF) {
        text_add_char(ret, (char)c);
    }
    if (file) {
        fclose(file);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

void golden_expect(const char *name, const char *text)
{
    const char *root = getenv("ROOT"), *bless = getenv("BLESS");
    struct text kept;
    char path[512];
    size_t at = 0, line = 1, begin = 0;

    snprintf(path, sizeof(path), "%s/tests/unit/golden/%s", root ? root : ".", name);
    if (bless && strcmp(bless, "1") == 0) {
        write_file(path, text);
    }
    read_file(path, &kept);
    while (text[at] != '\0' && text[at] == text_string(&kept)[at]) {
        if (text[at++] == '\n') {
            line++;
            begin = at;
        }
    }
    if (text[at] != text_string(&kept)[at]) {
        print_error("%s, line %zu\n  blessed: %.*s\n  now:     %.*s\n", name, line,
                    (int)strcspn(text_string(&kept) + begin, "\n"), text_string(&kept) + begin,
                    (int)strcspn(text + begin, "\n"), text + begin);
        text_free(&kept);
        fail_msg("not what was blessed; BLESS=1 takes the new one");
    }
    text_free(&kept);
}
