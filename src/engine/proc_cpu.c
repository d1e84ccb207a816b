#include "proc_cpu.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KTHREADD = 2 }; /* the parent of all kernel threads */
enum { LOOKS = 5 };

/* proc(5): /proc/PID/stat, behind the name in parentheses. */
struct proc_stat {
    char name[20];
    int32_t parent;
    unsigned long long own, reaped; /* ticks, user and system: its own, of children that ended */
};

static bool stat_read_at(const char *path, struct proc_stat *ret)
{
    char line[512], *from, *to;
    unsigned long long own[2], reaped[2];
    bool read;
    FILE *file;

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

static bool stat_read(int32_t pid, struct proc_stat *ret)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    return stat_read_at(path, ret);
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

static int64_t ticks_to_ns(unsigned long long ticks)
{
    long ticks_s = sysconf(_SC_CLK_TCK);

    return ticks_s > 0 ? (int64_t)(ticks * (unsigned long long)(1000000000 / ticks_s)) : 0;
}

/* Ticks of all processes that have this parent. */
static unsigned long long children_ticks(int32_t parent)
{
    DIR *dir = opendir("/proc");
    unsigned long long ticks = 0;
    struct proc_stat child;
    int32_t pid;

    while (dir != NULL && (pid = next_process(dir)) != 0) {
        if (stat_read(pid, &child) && child.parent == parent) {
            ticks += child.own;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return ticks;
}

int64_t proc_cpu_ns(const struct proc_cpu *cpu)
{
    struct proc_stat stat, again;
    unsigned long long children = 0;

    if (cpu->pid == 0 || !stat_read(cpu->pid, &stat)) {
        return -1;
    }
    if (!cpu->family) {
        return ticks_to_ns(stat.own);
    }
    /* a child that ends meanwhile is missed here and there, or counted twice */
    for (int i = 0; i < LOOKS; i++) {
        children = children_ticks(cpu->pid);
        if (!stat_read(cpu->pid, &again)) {
            return -1;
        }
        if (again.reaped == stat.reaped) {
            break;
        }
        stat = again;
    }
    return ticks_to_ns(stat.own + stat.reaped + children);
}

struct session_sum {
    const struct proc_cpu *cpu;
    unsigned long long ticks;
    uint32_t count;
};

static void add_session(void *context, const struct sql_value *columns, uint32_t count)
{
    struct session_sum *sum = context;
    struct proc_stat stat;
    char path[48], text[24];
    int number;

    if (count < 1 || columns[0].kind == SQL_NULL) {
        return;
    }
    snprintf(text, sizeof(text), "%.*s", (int)columns[0].bytes, columns[0].text);
    number = columns[0].kind == SQL_INT ? (int)columns[0].number : (int)strtol(text, NULL, 10);
    if (sum->cpu->family) {
        snprintf(path, sizeof(path), "/proc/%d/stat", number);
    } else {
        snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)sum->cpu->pid, number);
    }
    if (stat_read_at(path, &stat)) {
        sum->ticks += stat.own;
        sum->count++;
    }
}

int64_t proc_cpu_sessions_ns(const struct proc_cpu *cpu, struct sql_plain *plain,
                             uint32_t *ret_count)
{
    /* with a pool of threads no thread is a connection's; MySQL has no tid there: it refuses */
    static const char maria[] =
        "SELECT CAST(tid AS SIGNED) FROM information_schema.processlist WHERE tid > 0 AND "
        "@@thread_handling = 'one-thread-per-connection'";
    static const char mysql[] =
        "SELECT CAST(thread_os_id AS SIGNED) FROM performance_schema.threads WHERE type = "
        "'FOREGROUND' AND thread_os_id > 0 AND @@thread_handling = 'one-thread-per-connection'";
    static const char postgres[] =
        "SELECT pid::bigint FROM pg_stat_activity WHERE backend_type = 'client backend'";
    struct session_sum sum = {.cpu = cpu};
    struct error ignored = {0};

    *ret_count = 0;
    if (cpu->pid == 0) {
        return -1;
    }
    if (cpu->family) {
        sql_plain_run(plain, postgres, add_session, &sum, &ignored);
    } else if (sql_plain_run(plain, maria, add_session, &sum, &ignored) < 0) {
        sql_plain_run(plain, mysql, add_session, &sum, &ignored);
    }
    *ret_count = sum.count;
    return sum.count > 0 ? ticks_to_ns(sum.ticks) : -1;
}

int64_t proc_cpu_kernel_ns(void)
{
    struct proc_stat stat;
    bool seen = stat_read(KTHREADD, &stat) && strcmp(stat.name, "kthreadd") == 0;

    return seen ? ticks_to_ns(children_ticks(KTHREADD)) : 0;
}
