#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "run_state.h"

enum { PSI_CPU, PSI_IO, PSI_MEMORY };

typedef bool take_line(const char *line, void *into);

/* Calls take() for each line of the file until it says that it has what it wants. */
static bool find_line(const char *root, const char *path, take_line *take, void *into)
{
    char whole[3 * PATH_MAX], line[PATH_MAX + 256];
    bool found = false;
    FILE *file;

    snprintf(whole, sizeof(whole), "%s%s", root, path);
    file = fopen(whole, "re");
    if (file == NULL) {
        return false;
    }
    while (!found && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        found = take(line, into);
    }
    fclose(file);
    return found;
}

/* proc_stat(5): user nice system idle iowait irq softirq steal; guests are in user and nice. */
static bool take_ticks(const char *line, void *into)
{
    struct host_load *load = into;
    double at[8];

    if (sscanf(line, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &at[0], &at[1], &at[2], &at[3], &at[4],
               &at[5], &at[6], &at[7]) != 8) {
        return false;
    }
    load->ticks = 0;
    for (int i = 0; i < 8; i++) {
        load->ticks += at[i];
    }
    load->stolen = at[7];
    return true;
}

/* The kernel's accounting/psi. */
static bool take_stalled(const char *line, void *into)
{
    return sscanf(line, "some %*s %*s %*s total=%lf", (double *)into) == 1;
}

/* Of all groups that a limit may come from, as each counts but its own. */
struct periods {
    double all, throttled;
    bool known;
};

static bool take_periods(const char *line, void *into)
{
    struct periods *periods = into;
    double number;

    if (sscanf(line, "nr_periods %lf", &number) == 1) {
        periods->all += number;
        periods->known = true;
    } else if (sscanf(line, "nr_throttled %lf", &number) == 1) {
        periods->throttled += number;
    }
    return false; /* every line */
}

/* cgroups(7): "0::/path" of version 2, "3:cpu,cpuacct:/path" of version 1. */
struct group {
    char unified[PATH_MAX], cpu[PATH_MAX];
};

static bool take_group(const char *line, void *into)
{
    struct group *group = into;
    const char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
    char around[128];

    if (path == NULL) {
        return false;
    }
    snprintf(around, sizeof(around), ",%.*s,", (int)(path - names - 1), names + 1);
    if (strcmp(around, ",,") == 0) {
        snprintf(group->unified, sizeof(group->unified), "%s", path + 1);
    } else if (strstr(around, ",cpu,") != NULL) {
        snprintf(group->cpu, sizeof(group->cpu), "%s", path + 1);
    }
    return false; /* every line */
}

/* The group and those above it. In a container they may not be there, but its root is. */
static void look_upwards(const char *root, const char *mount, char *path, struct periods *ret)
{
    char file[2 * PATH_MAX];
    char *slash;

    while ((slash = strrchr(path, '/')) != NULL) {
        snprintf(file, sizeof(file), "%s%s/cpu.stat", mount, slash[1] == '\0' ? "" : path);
        find_line(root, file, take_periods, ret);
        if (slash == path && slash[1] == '\0') {
            return;
        }
        slash[slash == path] = '\0';
    }
}

static void look_at_groups(struct host_load *ret, const char *root)
{
    struct periods periods = {0, 0, false};
    struct group group = {"", ""};

    find_line(root, "/proc/self/cgroup", take_group, &group);
    look_upwards(root, "/sys/fs/cgroup/cpu", group.cpu, &periods);
    if (!periods.known) {
        char again[PATH_MAX];

        snprintf(again, sizeof(again), "%s", group.unified);
        look_upwards(root, "/sys/fs/cgroup", group.unified, &periods);
        look_upwards(root, "/sys/fs/cgroup/unified", again, &periods);
    }
    if (periods.known) {
        ret->periods = periods.all;
        ret->throttled_periods = periods.throttled;
    }
}

void host_load_look(struct host_load *ret, const char *root)
{
    struct rusage usage;
    struct timespec now;

    *ret = (struct host_load){
        .ticks = NAN,
        .stolen = NAN,
        .stalled_us = {NAN, NAN, NAN},
        .periods = NAN,
        .throttled_periods = NAN,
    };
    clock_gettime(CLOCK_MONOTONIC, &now);
    ret->wall_ns = (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
    getrusage(RUSAGE_SELF, &usage);
    ret->cpu_ns = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
                  (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
    find_line(root, "/proc/stat", take_ticks, ret);
    find_line(root, "/proc/pressure/cpu", take_stalled, &ret->stalled_us[PSI_CPU]);
    find_line(root, "/proc/pressure/io", take_stalled, &ret->stalled_us[PSI_IO]);
    find_line(root, "/proc/pressure/memory", take_stalled, &ret->stalled_us[PSI_MEMORY]);
    look_at_groups(ret, root);
}

struct schedule {
    long long run_ns, delay_ns;
};

/* The kernel's scheduler/sched-stats: run, waited, times. All 0 where it does not count. */
static bool take_schedule(const char *line, void *into)
{
    struct schedule *schedule = into;

    return sscanf(line, "%lld %lld", &schedule->run_ns, &schedule->delay_ns) == 2 &&
           schedule->run_ns > 0;
}

bool host_load_thread(int64_t *ret_run_ns, int64_t *ret_delay_ns)
{
    struct schedule schedule = {0, 0};
    bool known = find_line("", "/proc/thread-self/schedstat", take_schedule, &schedule);

    *ret_run_ns = schedule.run_ns;
    *ret_delay_ns = schedule.delay_ns;
    return known;
}

void host_load_between(const struct host_load *from, const struct host_load *until, double run_ns,
                       double delay_ns, struct result_interference *ret)
{
    double wall_us = (until->wall_ns - from->wall_ns) / 1e3;
    double steal = (until->stolen - from->stolen) / (until->ticks - from->ticks), stalled[3];

    for (int i = 0; i < 3; i++) { /* the kernel's sums run behind, and some have gone back */
        double share = (until->stalled_us[i] - from->stalled_us[i]) / wall_us;

        stalled[i] = isnan(share) ? NAN : fmax(0, fmin(1, share));
    }
    *ret = (struct result_interference){
        .run_ns = run_ns,
        .run_delay_ns = delay_ns,
        .run_delay_share = delay_ns / (run_ns + delay_ns),
        .steal_share = isnan(steal) ? NAN : fmax(0, steal),
        .pressure_cpu = stalled[PSI_CPU],
        .pressure_io = stalled[PSI_IO],
        .pressure_memory = stalled[PSI_MEMORY],
        .periods = until->periods - from->periods,
        .throttled_periods = until->throttled_periods - from->throttled_periods,
        .cpu_ns = until->cpu_ns - from->cpu_ns,
    };
}

void interference_begin(struct run *run)
{
    if (!run->load_begun && atomic_load(&run->shared.sampling)) {
        host_load_look(&run->load_before, "");
        run->load_begun = true;
    }
}

void interference_look(struct run *run)
{
    if (run->load_begun) {
        host_load_look(&run->load_last, "");
    }
}

void interference_tell(struct run *run)
{
    double run_ns = 0, delay_ns = 0;

    if (run->load_last.wall_ns <= 0) {
        return;
    }
    for (uint32_t w = 0; w < run->world_count; w++) {
        int64_t ns = atomic_load(&run->worlds[w].run_ns);

        run_ns += ns < 0 ? NAN : (double)ns;
        delay_ns += (double)atomic_load(&run->worlds[w].delay_ns);
    }
    host_load_between(&run->load_before, &run->load_last, run_ns, delay_ns,
                      &run->result->host.interference);
}
