#include "proc_cpu.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* proc(5): /proc/PID/stat, behind the name in parentheses. */
struct proc_stat {
    char name[20];
    int32_t parent;
    unsigned long long own, reaped; /* ticks, user and system: its own, of children that ended */
};

static bool stat_read(int32_t pid, struct proc_stat *ret)
{
    char path[32], line[512], *from, *to;
    unsigned long long own[2], reaped[2];
    bool read;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    read = file != NULL && fgets(line, sizeof(line), file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    from = read ? strchr(line, '(') : NULL;
    to = read ? strrchr(line, ')') : NULL;
    if (from == NULL || to == NULL ||
        sscanf(to + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu",
               &ret->parent, &own[0], &own[1], &reaped[0], &reaped[1]) != 5) {
        return false;
    }
    snprintf(ret->name, sizeof(ret->name), "%.*s", (int)(to - from - 1), from + 1);
    ret->own = own[0] + own[1];
    ret->reaped = reaped[0] + reaped[1];
    return true;
}

/* The next process; 0: there are no more. */
static int32_t next_process(DIR *dir)
{
    struct dirent *entry;

    while ((entry = readdir(dir)) != NULL) {
        int32_t pid = (int32_t)strtol(entry->d_name, NULL, 10);

        if (pid > 0) {
            return pid;
        }
    }
    return 0;
}

bool proc_cpu_is_local(const struct sql_url *url)
{
    return url->host[0] == '\0' || url->host[0] == '/' || strcmp(url->host, "localhost") == 0 ||
           strncmp(url->host, "127.", 4) == 0 || strcmp(url->host, "::1") == 0;
}

static bool is_postgres(int32_t pid, struct proc_stat *ret)
{
    return stat_read(pid, ret) && strncmp(ret->name, "post", 4) == 0;
}

static bool find_postgres(struct proc_cpu *ret, struct sql_plain *plain)
{
    struct proc_stat own, parent;
    struct error ignored = {0};
    int64_t pid = 0;

    if (sql_plain_number(plain, "SELECT pg_backend_pid()", &pid, &ignored) < 0 ||
        !is_postgres((int32_t)pid, &own) || !is_postgres(own.parent, &parent)) {
        snprintf(ret->how, sizeof(ret->how), "its process is not among those of this host");
        return false;
    }
    ret->pid = own.parent;
    ret->family = true;
    snprintf(ret->how, sizeof(ret->how), "/proc/%d/stat and its children's", (int)ret->pid);
    return true;
}

static void take_path(void *context, const struct sql_value *columns, uint32_t count)
{
    if (count > 0 && columns[0].kind == SQL_TEXT) {
        snprintf(context, 512, "%.*s", (int)columns[0].bytes, columns[0].text);
    }
}

static bool is_maria(const char *name)
{
    return strcmp(name, "mariadbd") == 0 || strcmp(name, "mysqld") == 0;
}

/* The pid file may be closed to us: then the only server of that kind will do. */
static int32_t only_maria(void)
{
    DIR *dir = opendir("/proc");
    struct proc_stat stat;
    int32_t found = 0, count = 0, pid;

    while (dir != NULL && (pid = next_process(dir)) != 0) {
        if (stat_read(pid, &stat) && is_maria(stat.name)) {
            found = pid;
            count++;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return count == 1 ? found : 0;
}

static bool find_maria(struct proc_cpu *ret, struct sql_plain *plain)
{
    char path[512] = "", word[24] = "";
    struct proc_stat stat;
    struct error ignored = {0};
    FILE *file;

    sql_plain_run(plain,
                  "SELECT IF(left(@@pid_file, 1) = '/', @@pid_file, concat(@@datadir, @@pid_file))",
                  take_path, path, &ignored);
    file = path[0] == '/' ? fopen(path, "re") : NULL;
    if (file != NULL) {
        ret->pid = fgets(word, sizeof(word), file) != NULL ? (int32_t)strtol(word, NULL, 10) : 0;
        fclose(file);
    } else {
        ret->pid = only_maria();
    }
    if (ret->pid <= 0 || !stat_read(ret->pid, &stat) || !is_maria(stat.name)) {
        ret->pid = 0;
        snprintf(ret->how, sizeof(ret->how), "its process is not among those of this host");
        return false;
    }
    snprintf(ret->how, sizeof(ret->how), "/proc/%d/stat", (int)ret->pid);
    return true;
}

bool proc_cpu_find(struct proc_cpu *ret, struct sql_plain *plain, const struct sql_url *url)
{
    *ret = (struct proc_cpu){0};
    if (!proc_cpu_is_local(url)) {
        snprintf(ret->how, sizeof(ret->how), "the server is on another host");
        return false;
    }
    return url->dialect == SQL_POSTGRES ? find_postgres(ret, plain) : find_maria(ret, plain);
}

int64_t proc_cpu_ns(const struct proc_cpu *cpu)
{
    long ticks_s = sysconf(_SC_CLK_TCK);
    struct proc_stat stat, child;
    unsigned long long ticks;
    DIR *dir;
    int32_t pid;

    if (cpu->pid == 0 || ticks_s <= 0 || !stat_read(cpu->pid, &stat)) {
        return -1;
    }
    ticks = stat.own + (cpu->family ? stat.reaped : 0);
    dir = cpu->family ? opendir("/proc") : NULL;
    while (dir != NULL && (pid = next_process(dir)) != 0) {
        if (stat_read(pid, &child) && child.parent == cpu->pid) {
            ticks += child.own;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return (int64_t)(ticks * (unsigned long long)(1000000000 / ticks_s));
}
