/* rooms: base io sql. What a round trip to a server costs its client: point-selects of sbtest1.
 *   cost_sql URL CONNECTIONS SECONDS ROWS [mode]    mode: point (default), text, range
 * prints: calls, calls a second, CPU microseconds a call (user and system), resident KiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/must.h"
#include "base/rng.h"
#include "io/drive_types.h"
#include "sql/sql.h"

struct client {
    struct sql_call call;
    struct sql *sql;
    struct bench *bench;
};

struct bench {
    struct loop loop;
    const struct sql_ops *ops;
    struct sql_statement statement;
    uint32_t standing, connections;
    uint64_t calls, failed, seed;
    int64_t rows;
    bool ends;
    struct timer end;
    uint32_t under_way;
    struct client clients[];
};

static void again(struct client *client)
{
    struct bench *bench = client->bench;

    client->call.params[0].kind = client->call.params[1].kind = SQL_INT;
    client->call.params[0].number = 1 + (int64_t)(rng_hash(bench->seed++) % (uint64_t)bench->rows);
    client->call.params[1].number = client->call.params[0].number + 99;
    bench->under_way++;
    bench->ops->begin(client->sql, &client->call);
}

static void done(struct sql_call *call)
{
    struct client *client = (struct client *)call;

    client->bench->calls++;
    client->bench->under_way--;
    if (call->fate != SQL_DONE) {
        client->bench->failed++;
        fprintf(stderr, "%s %s\n", call->state, call->error);
        client->bench->loop.stop = true;
    } else if (!client->bench->ends) {
        again(client);
    } else if (client->bench->under_way == 0) {
        client->bench->loop.stop = true;
    }
}

static void connected(void *context, struct sql *sql, const struct error *err)
{
    struct client *client = context;

    if (err) {
        fprintf(stderr, "%s (%s)\n", err->text, err->hint);
        exit(1);
    }
    client->bench->loop.stop = ++client->bench->standing == client->bench->connections;
}

static void time_is_over(struct timer *timer)
{
    struct bench *bench = (struct bench *)((char *)timer - offsetof(struct bench, end));

    bench->ends = true;
    bench->loop.stop = bench->under_way == 0;
}

static double cpu_us(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e6 +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static long resident_kib(const char *key)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");

    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, key, strlen(key)) == 0) {
            kib = atol(line + strlen(key));
        }
    }
    fclose(file);
    return kib;
}

static void choose(struct bench *bench, enum sql_dialect dialect, const char *mode)
{
    static const char *const texts[2][2] = {
        {"SELECT c FROM sbtest1 WHERE id = $1", "SELECT c FROM sbtest1 WHERE id = ?"},
        {"SELECT c FROM sbtest1 WHERE id BETWEEN $1 AND $2",
         "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?"}};
    bool range = strcmp(mode, "range") == 0;

    bench->statement = (struct sql_statement){.text = texts[range][dialect], .params = 1 + range};
}

/* A few at a time, as a listen queue has them. */
static void connect_all(struct bench *bench, const struct sql_url *url,
                        const struct sql_options *how)
{
    uint32_t n = bench->connections;
    struct error err = {0};

    for (uint32_t i = 0; i < n; i++) {
        struct client *client = &bench->clients[i];

        client->bench = bench;
        client->call.statement = &bench->statement;
        client->call.done = done;
        if (bench->ops->connect(&client->sql, &bench->loop, url, how, connected, client, &err)) {
            fprintf(stderr, "%s (%s)\n", err.text, err.hint);
            exit(1);
        }
        bench->connections = i + 1;
        if ((i + 1) % 32 == 0 || i + 1 == n) {
            while (bench->standing <= i) {
                bench->loop.stop = false;
                loop_run(&bench->loop, INT64_MAX);
            }
        }
    }
    bench->loop.stop = false;
}

static void measure(struct bench *bench, int64_t ns)
{
    double before;
    int64_t begun_ns;

    for (uint32_t i = 0; i < bench->connections; i++) {
        again(&bench->clients[i]);
    }
    loop_run(&bench->loop, bench->loop.now_ns + 300000000);
    bench->end.fire = time_is_over;
    loop_arm(&bench->loop, &bench->end, bench->loop.now_ns + ns);
    bench->calls = 0;
    begun_ns = bench->loop.now_ns;
    before = cpu_us();
    loop_run(&bench->loop, INT64_MAX);
    printf("%llu calls %.0f a second %.2f us a call %ld KiB peak %ld KiB failed %llu\n",
           (unsigned long long)bench->calls,
           (double)bench->calls * 1e9 / (double)(bench->loop.now_ns - begun_ns),
           (cpu_us() - before) / (double)bench->calls, resident_kib("VmRSS:"),
           resident_kib("VmHWM:"), (unsigned long long)bench->failed);
}

int main(int argc, char **argv)
{
    uint32_t n = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
    struct bench *bench = calloc(1, sizeof(*bench) + n * sizeof(struct client));
    const char *mode = argc > 5 ? argv[5] : "point";
    struct uring_options options = {.polls = 2 * n};
    struct sql_options how = {.statements = 1, .prepared = strcmp(mode, "text") != 0};
    struct sql_url url;
    struct error err = {0};
    struct timespec now;

    if (argc < 5 || bench == NULL || sql_url_parse(&url, argv[1], &err) < 0) {
        fprintf(stderr, "cost_sql URL CONNECTIONS SECONDS ROWS [point|text|range] %s\n", err.text);
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    bench->ops = sql_ops_of(&url, &err);
    bench->connections = n;
    bench->rows = atoi(argv[4]);
    choose(bench, url.dialect, mode);
    must(loop_uring_open(&bench->loop, n + 8, &options,
                         (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, &err) == 0);
    connect_all(bench, &url, &how);
    measure(bench, atoi(argv[3]) * 1000000000ll);
    for (uint32_t i = 0; i < n; i++) {
        bench->ops->close(bench->clients[i].sql);
    }
    loop_close(&bench->loop);
    free(bench);
    return 0;
}
