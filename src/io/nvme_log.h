/* io/nvme_log: what an NVMe controller counts of its own health, by the kernel's admin commands. */
#ifndef RAWTPS_IO_NVME_LOG_H
#define RAWTPS_IO_NVME_LOG_H

#include <stdint.h>

#include "io/drive.h"

enum { NVME_LOG_BYTES = 512 };

/*
 * Ask a controller, as /dev/nvme0, for its SMART log and its power state. What it does not say, or
 * this user may not ask (it takes CAP_SYS_ADMIN), is left as it is. time: milliseconds
 */
void nvme_log_read(const char *path, struct drive_health *ret);

/* The SMART and health log page (02h; NVM Express Base Specification 2.0, 5.16.1.3). */
void nvme_log_parse(const uint8_t page[NVME_LOG_BYTES], struct drive_health *ret);

#endif
