#include "uring_ladder.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/units.h"

enum ladder_task uring_ladder_first(const struct uring_options *options)
{
    if (options->sqpoll || options->no_single_issuer) {
        return options->sqpoll ? TASK_PLAIN : TASK_COOP;
    }
    return options->no_defer ? TASK_SINGLE : TASK_DEFER;
}

enum ladder_task uring_ladder_below(enum ladder_task task)
{
    return task + 1;
}

bool uring_ladder_refuses(int code)
{
    return code == -EINVAL || code == -ENOMEM || code == -EOPNOTSUPP;
}

void uring_ladder_shrink(struct uring_ladder *ladder, uint32_t depth, uint32_t batch)
{
    ladder->depth = ladder->depth < depth ? ladder->depth : depth;
    ladder->batch = ladder->batch < batch ? ladder->batch : batch;
    ladder->ring_memlock_bytes = uring_ladder_memlock();
}

struct words {
    char *at;
    uint64_t left;
};

static __attribute__((format(printf, 2, 3))) void say(struct words *words, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(words->at, words->left, format, args);
    va_end(args);
    if (n > 0) {
        uint64_t used = (uint64_t)n < words->left ? (uint64_t)n : words->left - 1;

        words->at += used;
        words->left -= used;
    }
}

static void say_rung(struct words *words, const struct uring_ladder *ladder, enum ladder_rung rung)
{
    static const char *const names[RUNGS][2] = {{"plain buffers", "fixed buffers"},
                                                {"plain file", "fixed file"},
                                                {"plain ring fd", "ring fd"}};
    char limit[UNITS_TEXT];

    say(words, ", %s", names[rung][ladder->stands[rung]]);
    if (ladder->stands[rung] || ladder->code[rung] == 0) {
        return;
    }
    if (rung == RUNG_BUFFERS && ladder->memlock_bytes) {
        units_format_size(ladder->memlock_bytes, limit, sizeof(limit));
        say(words, " (RLIMIT_MEMLOCK %s)", limit);
    } else {
        say(words, " (%s)", strerrorname_np(-ladder->code[rung]));
    }
}

void uring_ladder_describe(const struct uring_ladder *ladder, char *buf, uint64_t size)
{
    static const char *const tasks[TASKS] = {"defer", "coop, single issuer", "coop", "no coop"};
    struct words words = {buf, size};
    char limit[UNITS_TEXT];

    say(&words, "uring, batch %u", ladder->batch);
    if (ladder->ring_memlock_bytes) {
        units_format_size(ladder->ring_memlock_bytes, limit, sizeof(limit));
        say(&words, ", at most %u at once (RLIMIT_MEMLOCK %s)", ladder->depth, limit);
    }
    for (int r = 0; r < RUNGS; r++) {
        say_rung(&words, ladder, r);
    }
    say(&words, ", %s", tasks[ladder->task]);
    if (ladder->task_code) {
        say(&words, " (%s)", strerrorname_np(-ladder->task_code));
    }
    say(&words, "%s%s%s", ladder->two_enters ? ", two enters" : "", ladder->poll ? ", poll" : "",
        ladder->sqpoll ? ", sqpoll" : "");
}

static int read_number(const char *path)
{
    FILE *file = fopen(path, "re");
    int value = 0;

    if (file) {
        if (fscanf(file, "%d", &value) != 1) {
            value = 0;
        }
        fclose(file);
    }
    return value;
}

int uring_ladder_error(int code, const char *sysctl, struct error *err)
{
    int disabled = read_number(sysctl);

    error_set(err, EXIT_FAILED, code, "io_uring is not to be had: %s", strerror(-code));
    if (code == -EPERM && disabled) {
        return error_hint(err,
                          "/proc/sys/kernel/io_uring_disabled is %d: as root, "
                          "`sysctl kernel.io_uring_disabled=0`",
                          disabled);
    }
    if (code == -EPERM || code == -EACCES) {
        return error_hint(err,
                          "a seccomp profile forbids it, as those of containers do: run outside, "
                          "or with one that allows io_uring_setup, _enter and _register");
    }
    if (code == -ENOSYS) {
        return error_hint(err, "the kernel has none, or a seccomp profile hides it: "
                               "Linux 5.11 or later is needed, 6.1 is better");
    }
    if (code == -ENOMEM) {
        return error_hint(err, "memory is short, or RLIMIT_MEMLOCK is (`ulimit -l`)");
    }
    return error_hint(err, "Linux 5.11 or later is needed, 6.1 is better");
}

uint64_t uring_ladder_memlock(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
               ? limit.rlim_cur
               : 0;
}

uint32_t uring_ladder_workers(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    uint32_t workers = 0;

    while (tasks && (entry = readdir(tasks)) != NULL) {
        char path[sizeof(entry->d_name) + 32], comm[32] = "";
        FILE *file;

        snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
        file = fopen(path, "re");
        if (file) {
            workers += fgets(comm, sizeof(comm), file) && strncmp(comm, "iou-wrk", 7) == 0;
            fclose(file);
        }
    }
    if (tasks) {
        closedir(tasks);
    }
    return workers;
}
