#include "host.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void first_line(const char *path, char *buf, size_t size)
{
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        return;
    }
    if (fgets(buf, (int)size, file) != NULL) {
        buf[strcspn(buf, "\n")] = '\0';
    }
    fclose(file);
}

static void cpu_model(char *buf, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];

    if (file == NULL) {
        return;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        char *value = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            value[strcspn(value, "\n")] = '\0';
            snprintf(buf, size, "%s", value + 2);
            break;
        }
    }
    fclose(file);
}

void host_facts(struct result *result)
{
    struct utsname names;
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

    if (uname(&names) == 0) {
        snprintf(result->host.hostname, sizeof(result->host.hostname), "%.63s", names.nodename);
        snprintf(result->host.kernel, sizeof(result->host.kernel), "%.64s", names.release);
    }
    cpu_model(result->host.cpu_model, sizeof(result->host.cpu_model));
    first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", result->host.governor,
               sizeof(result->host.governor));
    result->host.cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    result->host.memory_bytes =
        pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}
