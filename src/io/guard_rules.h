/* io/guard_rules: who else uses a disk or a file. */
#ifndef RAWTPS_IO_GUARD_RULES_H
#define RAWTPS_IO_GUARD_RULES_H

#include "drive_facts.h"

enum { FOUND_BYTES = 320 };

/*
 * Each says whether something was found, and what, in words that go on after "/dev/x " ("is mounted
 * at /srv", "is below dm-0"). device: st_rdev; disk: what disk_find() gave for it.
 */
bool guard_rule_system(const struct disk *disk, char found[FOUND_BYTES]); /* backs /, /usr, swap */
bool guard_rule_mounted(const struct disk *disk, dev_t device, char found[FOUND_BYTES]);
bool guard_rule_holders(const struct disk *disk, dev_t device, char found[FOUND_BYTES]);
bool guard_rule_partitions(const struct disk *disk, char found[FOUND_BYTES]); /* whole disks */
bool guard_rule_opened(dev_t device, char found[FOUND_BYTES]); /* by another process, any way */

/* A loop device whose file, or the device behind it, somebody else uses too. */
bool guard_rule_backing(const struct disk *disk, char found[FOUND_BYTES]);

/* A file (its resolved path) that swap uses or a loop device stands on. */
bool guard_rule_file_used(const char *path, char found[FOUND_BYTES]);

#endif
