#include "base/text.h"

#include "base/mem.h"
#include "base/must.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 63 };

void text_init(struct text *text)
{
    *text = (struct text){0};
}

void text_free(struct text *text)
{
    mem_free(text->data);
    text_init(text);
}

bool text_reserve(struct text *text, size_t bytes)
{
    size_t need, capacity;
    char *data;

    if (text->failed || __builtin_add_overflow(text->length, bytes, &need) ||
        __builtin_add_overflow(need, 1, &need)) {
        text->failed = true;
        return false;
    }
    if (need <= text->capacity) {
        return true;
    }
    capacity = text->capacity < SIZE_MAX / 2 ? 2 * text->capacity : need;
    capacity = capacity < need ? need : capacity;
    capacity = capacity < 64 ? 64 : capacity;
    data = mem_resize(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    text->data[text->length] = '\0';
    return true;
}

void text_clear(struct text *text)
{
    text_cut(text, 0);
}

void text_cut(struct text *text, size_t length)
{
    must(length <= text->length);
    text->length = length;
    if (text->data) {
        text->data[length] = '\0';
    }
}

void text_add(struct text *text, const char *string)
{
    text_add_bytes(text, string, strlen(string));
}

void text_add_bytes(struct text *text, const void *bytes, size_t n)
{
    if (text_reserve(text, n)) {
        if (n > 0) {
            memcpy(text->data + text->length, bytes, n);
        }
        text->length += n;
        text->data[text->length] = '\0';
    }
}

void text_add_char(struct text *text, char c)
{
    text_add_bytes(text, &c, 1);
}

void text_add_repeat(struct text *text, char c, size_t times)
{
    if (text_reserve(text, times)) {
        memset(text->data + text->length, c, times);
        text->length += times;
        text->data[text->length] = '\0';
    }
}

void text_add_word(struct text *text, const char *word)
{
    if (word[0] != '\0' && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_-+=./:@%,")] == '\0') {
        text_add(text, word);
        return;
    }
    text_add_char(text, '\'');
    for (; *word != '\0'; word++) {
        text_add(text, *word == '\'' ? "'\\'" : "");
        text_add_char(text, *word);
    }
    text_add_char(text, '\'');
}

void text_addf(struct text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_addv(text, format, args);
    va_end(args);
}

void text_addv(struct text *text, const char *format, va_list args)
{
    size_t room = text->capacity - text->length;
    va_list again;
    int n;

    va_copy(again, args);
    n = text->failed ? 0
                     : vsnprintf(text->data ? text->data + text->length : NULL, room, format, args);
    must(n >= 0);
    if ((size_t)n >= room && !text->failed) {
        if (text_reserve(text, (size_t)n)) {
            vsnprintf(text->data + text->length, (size_t)n + 1, format, again);
        } else if (text->data) {
            text->data[text->length] = '\0';
        }
    }
    va_end(again);
    text->length += text->failed ? 0 : (size_t)n;
}

const char *text_string(const struct text *text)
{
    return text->data ? text->data : "";
}

/* Lower case and '-' as '_': what people mix up is not a difference. Returns the length. */
static unsigned fold(const char *word, char ret[WORD_MAX + 1])
{
    unsigned n = 0;

    while (word[n] != '\0' && n < WORD_MAX) {
        ret[n] = word[n] == '-' ? '_' : (char)tolower((unsigned char)word[n]);
        n++;
    }
    ret[n] = '\0';
    return n;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned distance_folded(const char *a, unsigned la, const char *b, unsigned lb)
{
    unsigned rows[3][WORD_MAX + 1], *before = rows[0], *last = rows[1], *row = rows[2];

    for (unsigned j = 0; j <= lb; j++) {
        last[j] = before[j] = j;
    }
    for (unsigned i = 1; i <= la; i++) {
        unsigned *spare = before;

        row[0] = i;
        for (unsigned j = 1; j <= lb; j++) {
            row[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), 1 + least(last[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
        before = last;
        last = row;
        row = spare;
    }
    return last[lb];
}

unsigned text_distance(const char *a, const char *b)
{
    char fa[WORD_MAX + 1], fb[WORD_MAX + 1];
    unsigned la = fold(a, fa), lb = fold(b, fb);

    return distance_folded(fa, la, fb, lb);
}

const char *text_nearest(const char *word, const char *const *list, size_t n)
{
    char fw[WORD_MAX + 1], fl[WORD_MAX + 1];
    unsigned lw = fold(word, fw), best = UINT32_MAX;
    const char *ret = NULL;

    for (size_t i = 0; i < n; i++) {
        unsigned ll = list[i] ? fold(list[i], fl) : 0, longer = ll > lw ? ll : lw, far;

        if (ll == 0 || lw == 0) {
            continue;
        }
        far = distance_folded(fw, lw, fl, ll);
        if (far > (longer < 3 ? 1 : longer / 3)) {
            /* a beginning of it, behind whatever is really close */
            far = lw >= 3 && strncmp(fw, fl, lw) == 0 ? WORD_MAX + far : UINT32_MAX;
        }
        if (far < best) {
            best = far;
            ret = list[i];
        }
    }
    return ret;
}

size_t text_utf8(const char *string, size_t bytes)
{
    const uint8_t *at = (const uint8_t *)string;
    uint8_t first = bytes > 0 ? at[0] : 0xff, low = 0x80, high = 0xbf;
    size_t len = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if (len == 0 || first > 0xf4 || len > bytes) {
        return 0;
    }
    low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : low;
    high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : high;
    for (size_t i = 1; i < len; i++) {
        if (at[i] < low || at[i] > high) {
            return 0;
        }
        low = 0x80;
        high = 0xbf;
    }
    return len;
}
