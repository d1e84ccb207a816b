#include "sysfs.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t sysfs_read(const char *dir, const char *name, char *buf, size_t size)
{
    char path[PATH_MAX + 128];
    ssize_t n = -1;
    int fd;

    buf[0] = '\0';
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, buf, size - 1);
        close(fd);
    }
    buf[n > 0 ? n : 0] = '\0';
    return n;
}

bool sysfs_word(const char *dir, const char *name, char *ret, size_t size)
{
    char buf[PATH_MAX];
    char *begin = buf, *end;

    sysfs_read(dir, name, buf, sizeof(buf));
    buf[strcspn(buf, "\n")] = '\0';
    while (isspace((unsigned char)*begin)) {
        begin++;
    }
    end = begin + strlen(begin);
    while (end > begin && isspace((unsigned char)end[-1])) {
        end--;
    }
    *end = '\0';
    snprintf(ret, size, "%s", begin);
    return *ret != '\0';
}

uint64_t sysfs_number(const char *dir, const char *name)
{
    char word[32];

    return sysfs_word(dir, name, word, sizeof(word)) ? strtoull(word, NULL, 10) : 0;
}
