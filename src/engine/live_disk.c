#include "live_disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "proc_cpu.h"

enum { BLOCK_LEAST = 512, BLOCK_MOST = 4096, LOG_BY_BLOCKS = 100800 };

struct asked {
    char datadir[256], neighbors[16], method[32];
};

static void take_text(const struct sql_value *value, char *ret, size_t size)
{
    if (value->kind == SQL_TEXT) {
        snprintf(ret, size, "%.*s", (int)value->bytes, value->text);
    } else if (value->kind == SQL_INT) {
        snprintf(ret, size, "%lld", (long long)value->number);
    }
}

static void take_asked(void *context, const struct sql_value *columns, uint32_t count)
{
    struct asked *asked = context;

    if (count >= 3) {
        take_text(&columns[0], asked->datadir, sizeof(asked->datadir));
        take_text(&columns[1], asked->neighbors, sizeof(asked->neighbors));
        take_text(&columns[2], asked->method, sizeof(asked->method));
    }
}

/* Of the drive, or the one that a partition is part of; -1: it has no such file. */
static long queue_number(dev_t device, const char *name)
{
    static const char *const places[] = {"", "../"};
    char path[96], line[24];
    long number = -1;

    for (uint32_t i = 0; i < 2 && number < 0; i++) {
        FILE *file;

        snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%squeue/%s", major(device),
                 minor(device), places[i], name);
        file = fopen(path, "re");
        if (file != NULL) {
            number = fgets(line, sizeof(line), file) != NULL ? strtol(line, NULL, 10) : -1;
            fclose(file);
        }
    }
    return number;
}

static void add_neighbors(struct server_profile *profile, const struct asked *asked, dev_t device)
{
    long rotational = queue_number(device, "rotational");
    char how[160];

    if (rotational < 0 || asked->neighbors[0] == '\0') {
        return;
    }
    snprintf(how, sizeof(how), "innodb_flush_neighbors is %s, and its drive is %srotational",
             asked->neighbors, rotational > 0 ? "" : "not ");
    server_profile_add(profile, "flush_neighbors",
                       rotational > 0 && strcmp(asked->neighbors, "0") != 0 ? "yes" : "no", how);
}

static void add_block(struct server_profile *profile, const struct server_facts *server,
                      const struct asked *asked, dev_t device)
{
    long block = queue_number(device, "physical_block_size");
    char value[24];

    if (server->number >= LOG_BY_BLOCKS && strncmp(asked->method, "O_DIRECT", 8) == 0 &&
        block >= BLOCK_LEAST && block <= BLOCK_MOST && (block & (block - 1)) == 0) {
        snprintf(value, sizeof(value), "%ld", block);
        server_profile_add(profile, "log_block", value, "a physical block of its drive");
    }
}

void live_disk_add(struct server_profile *profile, struct sql_plain *plain,
                   const struct sql_url *url, const struct server_facts *server)
{
    struct asked asked = {{0}, {0}, {0}};
    struct error ignored = {0};
    struct stat stat_buf;

    if (strcmp(server->flavour, "MariaDB") != 0 || !proc_cpu_is_local(url) ||
        sql_plain_run(plain, "SELECT @@datadir, @@innodb_flush_neighbors, @@innodb_flush_method",
                      take_asked, &asked, &ignored) < 0 ||
        asked.datadir[0] != '/' || stat(asked.datadir, &stat_buf) != 0) {
        return;
    }
    add_neighbors(profile, &asked, stat_buf.st_dev);
    add_block(profile, server, &asked, stat_buf.st_dev);
}
