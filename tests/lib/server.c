#include "server.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static pid_t server_owner;

static const char *server_root(void)
{
    const char *root = getenv("ROOT");

    return root ? root : ".";
}

/* The script with these words; its output into buf. */
__attribute__((format(printf, 3, 4))) static int server_do(char *buf, size_t size,
                                                           const char *format, ...)
{
    char words[4096], command[5000];
    size_t n = 0;
    va_list args;
    FILE *pipe;
    int code;

    va_start(args, format);
    vsnprintf(words, sizeof(words), format, args);
    va_end(args);
    snprintf(command, sizeof(command), "sh '%s/tests/lib/servers.sh' %s", server_root(), words);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    if (buf) {
        n = fread(buf, 1, size - 1, pipe);
        buf[n] = '\0';
        while (n > 0 && buf[n - 1] == '\n') {
            buf[--n] = '\0';
        }
    }
    while (fgetc(pipe) != EOF) {
    }
    code = pclose(pipe);
    return WIFEXITED(code) ? WEXITSTATUS(code) : 255;
}

static void server_place(void)
{
    char place[256];

    if (server_owner == 0) {
        server_owner = getpid();
        if (getenv("SERVERS") == NULL) {
            assert_int_equal(server_do(place, sizeof(place), "place"), 0);
            setenv("SERVERS", place, 1);
        }
        atexit(servers_end);
    }
}

static void server_get(const struct server *server, const char *what, char *buf, size_t size)
{
    assert_int_equal(server_do(buf, size, "get %s %s", server->name, what), 0);
}

void server_start(struct server *server, const char *kind, const char *name, const char *options)
{
    char said[512];
    int code;

    memset(server, 0, sizeof(*server));
    server->kind = kind;
    snprintf(server->name, sizeof(server->name), "%s", name);
    server_place();
    code = server_do(said, sizeof(said), "start %s %s %s", kind, name, options ? options : "");
    if (code == 77) {
        printf("%s\n", said);
        fflush(stdout);
        servers_end();
        _exit(77);
    }
    assert_int_equal(code, 0);
    server_get(server, "url", server->url, sizeof(server->url));
    server_get(server, "tcp_url", server->tcp_url, sizeof(server->tcp_url));
    server_get(server, "root_url", server->root_url, sizeof(server->root_url));
    server_get(server, "tls_url", server->tls_url, sizeof(server->tls_url));
    server_get(server, "dir", server->dir, sizeof(server->dir));
    server_get(server, "ca", server->ca, sizeof(server->ca));
    server_get(server, "port", server->port, sizeof(server->port));
}

void server_stop(struct server *server)
{
    assert_int_equal(server_do(NULL, 0, "stop %s", server->name), 0);
}

void server_kill(struct server *server)
{
    assert_int_equal(server_do(NULL, 0, "kill %s", server->name), 0);
}

void server_again(struct server *server)
{
    assert_int_equal(server_do(NULL, 0, "again %s", server->name), 0);
}

bool server_sql_try(struct server *server, const char *sql, char *buf, size_t size)
{
    char quoted[4000];
    size_t n = 0;

    for (const char *c = sql; *c && n < sizeof(quoted) - 5; c++) {
        if (*c == '\'') {
            memcpy(quoted + n, "'\\''", 4);
            n += 4;
        } else {
            quoted[n++] = *c;
        }
    }
    quoted[n] = '\0';
    return server_do(buf, size, "sql %s '%s'", server->name, quoted) == 0;
}

void server_sql(struct server *server, const char *sql, char *buf, size_t size)
{
    assert_true(server_sql_try(server, sql, buf, size));
}

void servers_end(void)
{
    if (server_owner == getpid()) {
        server_do(NULL, 0, "end");
    }
}
