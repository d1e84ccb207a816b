#include "base/keys.h"

#include "base/must.h"
#include "base/units.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MOST = 128 };

/* A value that was read, before it goes into its field. */
struct value {
    long double number; /* for the bounds */
    union {
        uint64_t whole;
        int64_t ns;
        double real;
        struct fraction fraction;
        struct extent extent;
    };
};

static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b)) {
            return false;
        }
    }
    return *a == *b;
}

const struct key *key_find(const struct key *rows, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (same_name(rows[i].name, name)) {
            return &rows[i];
        }
    }
    return NULL;
}

const struct key *key_find_letter(const struct key *rows, uint32_t count, char letter)
{
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].letter != 0 && rows[i].letter == letter) {
            return &rows[i];
        }
    }
    return NULL;
}

bool key_is_for(const struct key *row, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = row->only; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return row->only == NULL;
}

const char *key_nearest(const struct key *rows, uint32_t count, const char *name)
{
    const char *names[ROWS_MOST];

    must(count <= ROWS_MOST);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = rows[i].name;
    }
    return text_nearest(name, names, count);
}

static int read_flag(const char *text, bool *ret, struct error *err)
{
    static const char *const words[] = {"no", "yes", "off", "on", "false", "true"};

    for (uint32_t i = 0; i < 6; i++) {
        if (strcmp(text, words[i]) == 0) {
            *ret = i % 2 == 1;
            return 0;
        }
    }
    return error_set(err, EXIT_USAGE, -EINVAL, "must be yes or no, not \"%.80s\"", text);
}

static int read_word(const struct key *row, const char *text, uint64_t *ret, struct error *err)
{
    struct text list = {0};
    const char *near;

    for (uint32_t i = 0; i < row->word_count; i++) {
        if (strcmp(row->words[i], text) == 0) {
            *ret = i;
            return 0;
        }
    }
    for (uint32_t i = 0; i < row->word_count; i++) {
        text_addf(&list, "%s%s",
                  i == 0                     ? ""
                  : i + 1 == row->word_count ? " or "
                                             : ", ",
                  row->words[i]);
    }
    error_set(err, EXIT_USAGE, -EINVAL, "must be %s, not \"%.80s\"", text_string(&list), text);
    text_free(&list);
    near = text_nearest(text, row->words, row->word_count);
    return near ? error_hint(err, "did you mean \"%s\"?", near) : err->code;
}

static int read_extent(const char *text, struct extent *ret, struct error *err)
{
    *ret = (struct extent){0};
    if (strchr(text, '%')) {
        return units_share(text, &ret->share, err);
    }
    return units_size(text, &ret->bytes, err);
}

/* Text as the row's type, without bounds. */
static int read_value(const struct key *row, const char *text, struct value *ret, struct error *err)
{
    bool flag = false;
    int code;

    *ret = (struct value){0};
    switch (row->type) {
    case KEY_WORD:
        return read_word(row, text, &ret->whole, err);
    case KEY_FLAG:
    case KEY_FLAG_OFF:
        code = read_flag(text, &flag, err);
        ret->whole = flag != (row->type == KEY_FLAG_OFF);
        return code;
    case KEY_COUNT:
        code = units_count(text, &ret->whole, err);
        ret->number = (long double)ret->whole;
        return code;
    case KEY_SIZE:
        code = units_size(text, &ret->whole, err);
        ret->number = (long double)ret->whole;
        return code;
    case KEY_BANDWIDTH:
        code = units_bandwidth(text, &ret->whole, err);
        ret->number = (long double)ret->whole;
        return code;
    case KEY_DURATION:
        code = units_duration(text, &ret->ns, err);
        ret->number = (long double)ret->ns;
        return code;
    case KEY_NUMBER:
        code = units_number(text, &ret->real, err);
        ret->number = ret->real;
        return code;
    case KEY_RATE:
        code = units_rate(text, &ret->real, err);
        ret->number = ret->real;
        return code;
    case KEY_SHARE:
        code = units_share(text, &ret->real, err);
        ret->number = ret->real;
        return code;
    case KEY_FRACTION:
        code = units_fraction(text, &ret->fraction, err);
        ret->number = ret->fraction.value;
        return code;
    case KEY_EXTENT:
        return read_extent(text, &ret->extent, err);
    default:
        return 0;
    }
}

static bool is_number(enum key_type type)
{
    return type >= KEY_COUNT && type <= KEY_FRACTION;
}

static bool outside(const struct key *row, long double number)
{
    struct value bound;
    struct error ignored;

    if (row->least && !(row->or_zero && number == 0)) {
        must(read_value(row, row->least, &bound, &ignored) == 0);
        if (number < bound.number) {
            return true;
        }
    }
    if (row->most) {
        must(read_value(row, row->most, &bound, &ignored) == 0);
        if (number > bound.number) {
            return true;
        }
    }
    return row->bytes == 4 && (row->type == KEY_COUNT || row->type == KEY_SIZE) &&
           number > UINT32_MAX;
}

static int refuse_bounds(const struct key *row, const char *text, struct error *err)
{
    const char *zero = row->or_zero ? "0 or " : "";

    if (row->least && row->most) {
        error_set(err, EXIT_USAGE, -EINVAL, "%s: must be %s%s to %s, not %.80s", row->name, zero,
                  row->least, row->most, text);
    } else if (row->least) {
        error_set(err, EXIT_USAGE, -EINVAL, "%s: must be %s%s or more, not %.80s", row->name, zero,
                  row->least, text);
    } else {
        error_set(err, EXIT_USAGE, -EINVAL, "%s: must be at most %s, not %.80s", row->name,
                  row->most ? row->most : "4294967295", text);
    }
    return row->why ? error_hint(err, "%s", row->why) : err->code;
}

/* Read and check; err says the row's name. */
static int read_checked(const struct key *row, const char *text, struct value *ret,
                        struct error *err)
{
    char expects[160];

    if (row->type == KEY_GROUP) {
        return error_set(err, EXIT_USAGE, -EINVAL,
                         "%s: a section or list is expected, not \"%.80s\"", row->name, text);
    }
    if (row->type == KEY_STRING) {
        return 0;
    }
    if (text[0] == '\0') {
        return error_set(err, EXIT_USAGE, -EINVAL, "%s: a value is missing: %s is expected",
                         row->name, key_expects(row, expects, sizeof(expects)));
    }
    if (row->type == KEY_TEXT) {
        return strlen(text) < row->bytes
                   ? 0
                   : error_set(err, EXIT_USAGE, -EINVAL, "%s: must be at most %u bytes long",
                               row->name, row->bytes - 1u);
    }
    if (is_number(row->type) && row->type != KEY_NUMBER && row->least && text[0] == '-' &&
        text[1] >= '0' && text[1] <= '9') {
        return refuse_bounds(row, text, err);
    }
    if (read_value(row, text, ret, err)) {
        err->exit = EXIT_USAGE;
        return error_wrap(err, "%s", row->name);
    }
    if (row->type == KEY_EXTENT && ret->extent.bytes == 0 && !(ret->extent.share > 0)) {
        return error_set(err, EXIT_USAGE, -EINVAL, "%s: must be more than 0", row->name);
    }
    return is_number(row->type) && outside(row, ret->number) ? refuse_bounds(row, text, err) : 0;
}

static void put_whole(void *field, uint16_t bytes, uint64_t whole)
{
    switch (bytes) {
    case 1:
        *(uint8_t *)field = (uint8_t)whole;
        break;
    case 4:
        *(uint32_t *)field = (uint32_t)whole;
        break;
    default:
        must(bytes == 8);
        *(uint64_t *)field = whole;
    }
}

static uint64_t get_whole(const void *field, uint16_t bytes)
{
    return bytes == 1   ? *(const uint8_t *)field
           : bytes == 4 ? *(const uint32_t *)field
                        : *(const uint64_t *)field;
}

int key_set(const struct key *row, void *record, const char *text, struct error *err)
{
    void *field = (char *)record + row->offset;
    struct value value = {0};
    int code = read_checked(row, text, &value, err);

    if (code) {
        return code;
    }
    switch (row->type) {
    case KEY_STRING:
        *(const char **)field = text;
        break;
    case KEY_TEXT:
        snprintf(field, row->bytes, "%s", text);
        break;
    case KEY_DURATION:
        *(int64_t *)field = value.ns;
        break;
    case KEY_NUMBER:
    case KEY_RATE:
    case KEY_SHARE:
        *(double *)field = value.real;
        break;
    case KEY_FRACTION:
        *(struct fraction *)field = value.fraction;
        break;
    case KEY_EXTENT:
        *(struct extent *)field = value.extent;
        break;
    default:
        put_whole(field, row->bytes, value.whole);
    }
    return 0;
}

int key_check(const struct key *row, const char *text, struct error *err)
{
    struct value value;

    return read_checked(row, text, &value, err);
}

/* The fewest decimals that read back as the same double. */
static void format_real(double value, bool percent, const char *behind, char *buf, size_t size)
{
    char digits[400];
    struct error ignored;
    double back = 0;

    for (int places = 0; places <= 17; places++) {
        snprintf(digits, sizeof(digits), "%.*f%s", places, percent ? value * 100 : value,
                 percent ? "%" : "");
        if ((percent ? units_share(digits, &back, &ignored)
                     : units_number(digits, &back, &ignored)) == 0 &&
            back == value) {
            snprintf(buf, size, "%.48s%s", digits, behind);
            return;
        }
    }
    snprintf(buf, size, "%.17g%s", percent ? value * 100 : value, percent ? "%" : behind);
}

const char *key_format(const struct key *row, const void *record, char *buf, size_t size)
{
    const void *field = (const char *)record + row->offset;
    const struct fraction *fraction = field;
    const struct extent *extent = field;

    switch (row->type) {
    case KEY_STRING:
        snprintf(buf, size, "%s", *(const char *const *)field ? *(const char *const *)field : "");
        break;
    case KEY_TEXT:
        snprintf(buf, size, "%s", (const char *)field);
        break;
    case KEY_WORD:
        must(get_whole(field, row->bytes) < row->word_count);
        snprintf(buf, size, "%s", row->words[get_whole(field, row->bytes)]);
        break;
    case KEY_FLAG:
    case KEY_FLAG_OFF:
        snprintf(buf, size, "%s",
                 (get_whole(field, 1) != 0) != (row->type == KEY_FLAG_OFF) ? "yes" : "no");
        break;
    case KEY_COUNT:
        snprintf(buf, size, "%" PRIu64, get_whole(field, row->bytes));
        break;
    case KEY_SIZE:
        units_format_size_exact(get_whole(field, row->bytes), buf, size);
        break;
    case KEY_BANDWIDTH:
        units_format_bandwidth_exact(get_whole(field, row->bytes), buf, size);
        break;
    case KEY_DURATION:
        units_format_period(*(const int64_t *)field, buf, size);
        break;
    case KEY_NUMBER:
        format_real(*(const double *)field, false, "", buf, size);
        break;
    case KEY_RATE:
        format_real(*(const double *)field, false, "/s", buf, size);
        break;
    case KEY_SHARE:
        format_real(*(const double *)field, true, "", buf, size);
        break;
    case KEY_FRACTION:
        snprintf(buf, size, fraction->den == 1 ? "%" PRIu64 : "%" PRIu64 "/%" PRIu64, fraction->num,
                 fraction->den);
        break;
    case KEY_EXTENT:
        if (extent->bytes > 0) {
            units_format_size_exact(extent->bytes, buf, size);
        } else {
            format_real(extent->share, true, "", buf, size);
        }
        break;
    default:
        snprintf(buf, size, "...");
    }
    return buf;
}
