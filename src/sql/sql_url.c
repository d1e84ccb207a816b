#include "sql/sql.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "sql_drivers.h"

enum { KIND_PG = 1, KIND_MARIA = 2, KIND_FAKE = 4, KIND_REAL = KIND_PG | KIND_MARIA };

struct scheme {
    const char *name;
    enum sql_dialect dialect;
    int kind;
};
static const struct scheme schemes[] = {
    {"postgresql", SQL_POSTGRES, KIND_PG}, {"postgres", SQL_POSTGRES, KIND_PG},
    {"mysql", SQL_MARIADB, KIND_MARIA},    {"mariadb", SQL_MARIADB, KIND_MARIA},
    {"fake", SQL_POSTGRES, KIND_FAKE},
};
enum { SCHEMES = sizeof(schemes) / sizeof(*schemes) };

static bool is_any(const char *value)
{
    return true;
}

static bool is_mode(const char *value)
{
    static const char *const modes[] = {"disable", "allow",     "prefer",
                                        "require", "verify-ca", "verify-full"};

    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        if (strcmp(value, modes[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_seconds(const char *value)
{
    size_t digits = strspn(value, "0123456789");

    return digits > 0 && digits < 5 && value[digits] == '\0' && atoi(value) > 0;
}

static bool is_count(const char *value)
{
    size_t digits = strspn(value, "0123456789");

    return digits > 0 && digits < 10 && value[digits] == '\0';
}

static bool is_duration(const char *value)
{
    struct error ignored;
    int64_t ns;

    return units_duration(value, &ns, &ignored) == 0;
}

static bool share_of(const char *value, size_t bytes)
{
    char text[32];
    struct error ignored;
    double share;

    if (bytes >= sizeof(text)) {
        return false;
    }
    memcpy(text, value, bytes);
    text[bytes] = '\0';
    return units_share(text, &share, &ignored) == 0 && share <= 1;
}

static bool is_bimodal(const char *value) /* 1ms:0.9,10ms */
{
    const char *colon = strchr(value, ':'), *comma = strchr(value, ',');
    char text[32];

    if (!colon || !comma || comma < colon || (size_t)(colon - value) >= sizeof(text)) {
        return false;
    }
    memcpy(text, value, (size_t)(colon - value));
    text[colon - value] = '\0';
    return is_duration(text) && share_of(colon + 1, (size_t)(comma - colon - 1)) &&
           is_duration(comma + 1);
}

static bool is_error(const char *value) /* 40001:0.01 */
{
    const char *colon = strchr(value, ':');

    return colon && colon > value && colon - value <= 5 && share_of(colon + 1, strlen(colon + 1));
}

static bool is_dialect(const char *value)
{
    return strcmp(value, "postgresql") == 0 || strcmp(value, "mysql") == 0;
}

struct option {
    const char *key;
    int kinds;
    bool (*fits)(const char *value);
    const char *wants;
};
static const struct option options[] = {
    {"sslmode", KIND_REAL, is_mode, "disable, allow, prefer, require, verify-ca or verify-full"},
    {"sslrootcert", KIND_REAL, is_any, "a file"},
    {"sslcert", KIND_REAL, is_any, "a file"},
    {"sslkey", KIND_REAL, is_any, "a file"},
    {"connect_timeout", KIND_REAL, is_seconds, "whole seconds, 1 to 9999"},
    {"host", KIND_REAL, is_any, "a name, an address or a socket's path"},
    {"socket", KIND_MARIA, is_any, "a socket's path"},
    {"application_name", KIND_PG, is_any, "a name"},
    {"options", KIND_PG, is_any, "options for the server"},
    {"delay", KIND_FAKE, is_duration, "a duration as 1ms"},
    {"connect", KIND_FAKE, is_duration, "a duration as 1ms"},
    {"bimodal", KIND_FAKE, is_bimodal, "as 1ms:0.9,10ms"},
    {"stall_at", KIND_FAKE, is_duration, "a duration as 5s"},
    {"stall", KIND_FAKE, is_duration, "a duration as 2s"},
    {"gone_at", KIND_FAKE, is_duration, "a duration as 3s"},
    {"error", KIND_FAKE, is_error, "a state and a share, as 40001:0.01"},
    {"rows", KIND_FAKE, is_count, "a whole number"},
    {"number", KIND_FAKE, is_count, "a whole number"},
    {"seed", KIND_FAKE, is_count, "a whole number"},
    {"dialect", KIND_FAKE, is_dialect, "postgresql or mysql"},
};
enum { OPTIONS = sizeof(options) / sizeof(*options) };

/* ---- parsing --------------------------------------------------------------------------------- */

struct reader {
    const char *text, *at; /* at: where an error is */
    struct error *err;
};

/* The text itself is not shown: a password may be anywhere in it. */
static int refuse(const struct reader *reader, const char *at, const char *what)
{
    error_set(reader->err, EXIT_USAGE, -EINVAL, "URL of the server, at character %d: %s",
              (int)(at - reader->text) + 1, what);
    return error_hint(reader->err, "expected is postgresql://user@host:port/database or "
                                   "mysql://user@host:port/database; other signs than letters and "
                                   "digits in a part are written as %%2F and so on");
}

static int hex(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int decode(const struct reader *reader, const char *from, const char *to, char *ret,
                  size_t size, const char *what)
{
    char text[96];
    size_t n = 0;

    while (from < to) {
        int c = (unsigned char)*from;

        if (c == '%') {
            if (to - from < 3 || hex(from[1]) < 0 || hex(from[2]) < 0) {
                return refuse(reader, from, "% must be followed by two hexadecimal digits");
            }
            c = hex(from[1]) << 4 | hex(from[2]);
            from += 2;
        }
        if (c < ' ' || c == 127) {
            return refuse(reader, from, "a control character");
        }
        if (n + 1 >= size) {
            snprintf(text, sizeof(text), "%s is longer than %zu bytes", what, size - 1);
            return refuse(reader, from, text);
        }
        ret[n++] = (char)c;
        from++;
    }
    ret[n] = '\0';
    return 0;
}

static int parse_user(const struct reader *reader, const char *from, const char *to,
                      struct sql_url *url)
{
    const char *colon = memchr(from, ':', (size_t)(to - from));
    int code = decode(reader, from, colon ? colon : to, url->user, sizeof(url->user), "the user");

    if (code == 0 && colon) {
        code = decode(reader, colon + 1, to, url->password, sizeof(url->password), "the password");
    }
    if (code == 0 && url->user[0] == '\0') {
        return refuse(reader, from, "no user before the @");
    }
    return code;
}

static int parse_port(const struct reader *reader, const char *from, const char *to,
                      struct sql_url *url)
{
    long port = 0;

    for (const char *c = from; c < to; c++) {
        port = *c >= '0' && *c <= '9' && port < 100000 ? port * 10 + *c - '0' : 1000000;
    }
    if (from == to || port < 1 || port > 65535) {
        return refuse(reader, from, "the port must be 1 to 65535");
    }
    snprintf(url->port, sizeof(url->port), "%ld", port);
    return 0;
}

/* IPv6, and perhaps the name of an interface: fe80::1%eth0 */
static bool is_address(const char *host)
{
    size_t n = strspn(host, "0123456789abcdefABCDEF:.");

    return strchr(host, ':') && (host[n] == '\0' || host[n] == '%');
}

static int parse_host(const struct reader *reader, const char *from, const char *to,
                      struct sql_url *url)
{
    const char *end, *colon;
    int code;

    if (from < to && *from == '[') {
        end = memchr(from, ']', (size_t)(to - from));
        if (end == NULL) {
            return refuse(reader, from, "no ] behind the address");
        }
        code = decode(reader, from + 1, end, url->host, sizeof(url->host), "the host");
        if (code == 0 && !is_address(url->host)) {
            return refuse(reader, from, "in [ ] an IPv6 address is expected");
        }
        colon = end + 1 < to ? end + 1 : NULL;
        if (colon && *colon != ':') {
            return refuse(reader, colon, "behind ] a port or the database is expected");
        }
    } else {
        colon = memchr(from, ':', (size_t)(to - from));
        end = colon ? colon : to;
        if (colon && memchr(colon + 1, ':', (size_t)(to - colon - 1))) {
            return refuse(reader, colon, "an IPv6 address is written in [ ]");
        }
        code = decode(reader, from, end, url->host, sizeof(url->host), "the host");
    }
    if (code == 0 && strpbrk(url->host, " ,@")) {
        return refuse(reader, from, "the host is one name, address or socket's path");
    }
    return code == 0 && colon ? parse_port(reader, colon + 1, to, url) : code;
}

static int parse_option(const struct reader *reader, const char *from, const char *to, int kind)
{
    const char *equals = memchr(from, '=', (size_t)(to - from)), *keys[OPTIONS], *nearest;
    char key[32], value[256], text[200];
    size_t n = 0;
    int code;

    if (equals == NULL) {
        return refuse(reader, from, "an option is written key=value");
    }
    code = decode(reader, from, equals, key, sizeof(key), "the name of an option");
    code = code ? code : decode(reader, equals + 1, to, value, sizeof(value), "an option");
    if (code) {
        return code;
    }
    if (strcmp(key, "password") == 0 || strcmp(key, "user") == 0) {
        return refuse(reader, from, "user and password stand before the @");
    }
    for (size_t i = 0; i < OPTIONS; i++) {
        if (!(options[i].kinds & kind)) {
            continue;
        }
        keys[n++] = options[i].key;
        if (strcmp(key, options[i].key) != 0) {
            continue;
        }
        if (options[i].fits(value)) {
            return 0;
        }
        snprintf(text, sizeof(text), "%s wants %s, not \"%.60s\"", key, options[i].wants, value);
        return refuse(reader, equals + 1, text);
    }
    nearest = text_nearest(key, keys, n);
    snprintf(text, sizeof(text), "there is no option \"%s\"%s%s%s", key,
             nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return refuse(reader, from, text);
}

static int parse_options(const struct reader *reader, const char *from, struct sql_url *url,
                         int kind)
{
    const char *all = from;

    if (strlen(from) >= sizeof(url->options)) {
        return refuse(reader, from, "the options are longer than 255 bytes");
    }
    while (*from) {
        const char *to = from + strcspn(from, "&");
        int code = parse_option(reader, from, to, kind);

        if (code) {
            return code;
        }
        from = *to ? to + 1 : to;
    }
    snprintf(url->options, sizeof(url->options), "%s", all);
    return 0;
}

static const struct scheme *parse_scheme(const struct reader *reader, const char **ret_behind)
{
    const char *colon = strstr(reader->text, "://"), *names[SCHEMES], *nearest = NULL;
    size_t bytes = colon ? (size_t)(colon - reader->text) : 0;
    char word[24] = "", text[160];

    for (size_t i = 0; i < SCHEMES; i++) {
        names[i] = schemes[i].name;
        if (bytes && strlen(names[i]) == bytes && strncmp(names[i], reader->text, bytes) == 0) {
            *ret_behind = colon + 3;
            return &schemes[i];
        }
    }
    if (bytes && bytes < sizeof(word)) {
        memcpy(word, reader->text, bytes);
        nearest = text_nearest(word, names, SCHEMES);
    }
    snprintf(text, sizeof(text), "it must begin with postgresql:// or mysql://%s%s%s",
             nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "://?" : "");
    refuse(reader, reader->text, text);
    return NULL;
}

/* host= and socket= of the options are where the host would be. */
static int place_options(const struct reader *reader, struct sql_url *url)
{
    char place[sizeof(url->host)];

    if (sql_url_option(url, "host", place, sizeof(place)) ||
        sql_url_option(url, "socket", place, sizeof(place))) {
        if (url->host[0]) {
            return refuse(reader, reader->at, "the host is given twice");
        }
        snprintf(url->host, sizeof(url->host), "%s", place);
    }
    if (url->fake && sql_url_option(url, "dialect", place, sizeof(place))) {
        url->dialect = strcmp(place, "mysql") == 0 ? SQL_MARIADB : SQL_POSTGRES;
    }
    return 0;
}

int sql_url_parse(struct sql_url *ret, const char *text, struct error *err)
{
    struct reader reader = {.text = text, .at = text, .err = err};
    struct sql_url url = {0};
    const struct scheme *scheme;
    const char *at, *end, *sign = NULL, *behind;
    int code = 0;

    scheme = parse_scheme(&reader, &at);
    if (scheme == NULL) {
        return -EINVAL;
    }
    url.dialect = scheme->dialect;
    url.fake = scheme->kind == KIND_FAKE;
    end = at + strcspn(at, "/?#");
    for (const char *c = at; c < end; c++) {
        sign = *c == '@' ? c : sign; /* the last: a password may hold one that was not coded */
    }
    if (strchr(end, '@')) {
        /* else a part of a password would be shown as the name of something */
        return refuse(&reader, strchr(end, '@'),
                      "an @ behind the host; in a password / is written %2F, ? %3F and # %23");
    }
    if (sign) {
        code = parse_user(&reader, at, sign, &url);
        at = sign + 1;
    }
    code = code ? code : parse_host(&reader, at, end, &url);
    if (code == 0 && *end == '/') {
        at = end + 1;
        end = at + strcspn(at, "?#");
        code = decode(&reader, at, end, url.database, sizeof(url.database), "the database's name");
    }
    behind = end;
    if (code == 0 && *behind == '#') {
        code = refuse(&reader, behind, "# has no meaning here; in a password it is written %23");
    }
    if (code == 0 && *behind == '?') {
        reader.at = behind;
        code = parse_options(&reader, behind + 1, &url, scheme->kind);
        code = code ? code : place_options(&reader, &url);
    }
    if (code == 0) {
        *ret = url;
    }
    return code;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void print_coded(struct text *ret, const char *part, const char *allowed)
{
    for (const char *c = part; *c; c++) {
        if (isalnum((unsigned char)*c) || strchr(allowed, *c)) {
            text_add_char(ret, *c);
        } else {
            text_addf(ret, "%%%02X", (unsigned char)*c);
        }
    }
}

void sql_url_print(const struct sql_url *url, struct text *ret)
{
    bool address = strchr(url->host, ':') && url->host[0] != '/';
    char place[8];

    text_addf(ret, "%s://", url->fake ? "fake" : sql_dialect_names[url->dialect]);
    if (url->user[0]) {
        print_coded(ret, url->user, "-._~");
        text_add_char(ret, '@');
    }
    if (!sql_url_option(url, "host", place, sizeof(place)) &&
        !sql_url_option(url, "socket", place, sizeof(place))) {
        text_add(ret, address ? "[" : "");
        print_coded(ret, url->host, address ? "-._~:" : "-._~");
        text_add(ret, address ? "]" : "");
    }
    if (url->port[0]) {
        text_addf(ret, ":%s", url->port);
    }
    text_add_char(ret, '/');
    print_coded(ret, url->database, "-._~");
    if (url->options[0]) {
        text_addf(ret, "?%s", url->options);
    }
}

bool sql_url_option(const struct sql_url *url, const char *key, char *buf, size_t size)
{
    struct error ignored;
    struct reader reader = {.text = url->options, .err = &ignored};
    size_t bytes = strlen(key);

    for (const char *at = url->options; *at; at += strcspn(at, "&"), at += *at == '&') {
        if (strncmp(at, key, bytes) == 0 && at[bytes] == '=') {
            const char *from = at + bytes + 1, *to = at + strcspn(at, "&");

            if (decode(&reader, from, to, buf, size, "") < 0) {
                buf[0] = '\0';
            }
            return true;
        }
    }
    return false;
}

static void hide_option(char *at, const char *end)
{
    static const char name[] = "password=";

    while ((at = memmem(at, (size_t)(end - at), name, sizeof(name) - 1)) != NULL) {
        for (at += sizeof(name) - 1; at < end && *at != '&'; at++) {
            *at = '*';
        }
    }
}

/* What stands between the user's ':' and the '@' of a URL in text becomes ***. */
void sql_url_hide(char *text)
{
    char *at = strstr(text, "://");

    while (at) {
        char *begin = at + 3, *end = begin + strcspn(begin, " \t\r\n'\""), *next, *host, *colon;

        next = strstr(begin, "://");
        end = next && next < end ? next : end;
        /* the last @, whatever is before it: a password may hold / ? # and @ by mistake */
        host = memrchr(begin, '@', (size_t)(end - begin));
        colon = host ? memchr(begin, ':', (size_t)(host - begin)) : NULL;
        if (colon && colon + 1 < host) {
            memset(colon + 1, '*', (size_t)(host - colon - 1));
        }
        hide_option(host ? host : begin, end);
        at = next;
    }
}

int sql_url_error(struct error *err, const struct sql_url *url, const char *text, const char *hint)
{
    struct text shown;

    text_init(&shown);
    sql_url_print(url, &shown);
    error_set(err, EXIT_FAILED, -ECONNREFUSED, "%s: %s", text_string(&shown), text);
    text_free(&shown);
    return hint ? error_hint(err, "%s", hint) : err->code;
}
