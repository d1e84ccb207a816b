/* io/guard_rules: who else uses a disk or a file. */
#ifndef RAWTPS_IO_GUARD_RULES_H
#define RAWTPS_IO_GUARD_RULES_H

#include "drive_facts.h"

enum { FOUND_BYTES = 320 };

/*
 * Each says whether something was found, and what, in words that go on after "/dev/x " ("is mounted
 * at /srv", "is below dm-0"). device: st_rdev; disk: what disk_find() gave for it.
 */
/* It backs /, /usr or swap, is mounted, is below another, or is a loop over what others use. */
bool guard_rule_used(const struct disk *disk, dev_t device, char found[FOUND_BYTES]);
bool guard_rule_partitions(const struct disk *disk, char found[FOUND_BYTES]); /* whole disks */
bool guard_rule_opened(dev_t device, char found[FOUND_BYTES]); /* by another process, any way */

/* A file (its resolved path) that swap uses or a loop device stands on. */
bool guard_rule_file_used(const char *path, char found[FOUND_BYTES]);

#endif
