/* io/sysfs: small files of the kernel, as words and numbers. */
#ifndef RAWTPS_IO_SYSFS_H
#define RAWTPS_IO_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The bytes of dir/name as they are, and a zero byte behind. Returns how many; negative: none. */
ssize_t sysfs_read(const char *dir, const char *name, char *buf, size_t size);
/* One line without the blanks around it; false if there is none. */
bool sysfs_word(const char *dir, const char *name, char *ret, size_t size);
/* 0 if there is none. */
uint64_t sysfs_number(const char *dir, const char *name);

#endif
