/* rooms: base. The least that a client of PostgreSQL costs here, to hold sysbench and rawtps
 * against: bare_query HOST PORT USER PASSWORD DATABASE SECONDS. One connection; one prepared
 * SELECT of a row of sbtest1 by its key, sent as ready-made bytes and its answer read until the
 * server is ready again: two system calls, no protocol library, no clock a query, no statistics.
 * Prints: queries, queries a second. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/must.h"
#include "base/rng.h"

enum { ROWS = 100000, LOOKS = 64, KEY_AT = 18 };

/* Bind (statement s, one binary int4 at KEY_AT, results as text), Execute, Sync. */
static unsigned char message[] = {'B', 0, 0, 0, 23, 0, 's', 0, 0,   1, 0, 1,   0,
                                  1,   0, 0, 0, 4,  0, 0,   0, 0,   0, 0, 'E', 0,
                                  0,   0, 9, 0, 0,  0, 0,   0, 'S', 0, 0, 0,   4};

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static PGconn *bare_connect(char **argv)
{
    const char *const names[] = {"host", "port", "user", "password", "dbname", "sslmode", NULL};
    const char *const values[] = {argv[1], argv[2], argv[3], argv[4], argv[5], "disable", NULL};
    PGconn *conn = PQconnectdbParams(names, values, 0);
    PGresult *result = PQprepare(conn, "s", "SELECT c FROM sbtest1 WHERE id = $1::int", 1, NULL);

    if (PQresultStatus(result) != PGRES_COMMAND_OK) {
        fprintf(stderr, "bare_query: %s", PQerrorMessage(conn));
        exit(1);
    }
    PQclear(result);
    return conn;
}

int main(int argc, char **argv)
{
    double from, until;
    struct rng rng;
    uint64_t done = 0;
    int fd;

    if (argc != 7) {
        fprintf(stderr, "usage: bare_query HOST PORT USER PASSWORD DATABASE SECONDS\n");
        return 2;
    }
    fd = PQsocket(bare_connect(argv));
    must(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0);
    rng_init(&rng, 1, 1);
    from = seconds();
    until = from + atof(argv[6]);
    for (uint32_t turn = 1; turn % LOOKS != 0 || seconds() < until; turn++) {
        uint32_t key = htonl(1 + (uint32_t)rng_below(&rng, ROWS));
        unsigned char answer[4096];
        ssize_t n = 0;

        memcpy(message + KEY_AT, &key, sizeof(key));
        must(send(fd, message, sizeof(message), 0) == (ssize_t)sizeof(message));
        do { /* ReadyForQuery is six bytes: Z, its length, the state */
            ssize_t more = recv(fd, answer + n, sizeof(answer) - (size_t)n, 0);

            must(more > 0);
            n += more;
        } while (n < 6 || answer[n - 6] != 'Z');
        must(answer[0] == '2');
        done++;
    }
    printf("%llu %.0f\n", (unsigned long long)done, (double)done / (seconds() - from));
    return 0;
}
