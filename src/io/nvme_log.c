#include "nvme_log.h"

#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* NVM Express Base Specification 2.0: figures 83, 202, 207 and 316 */
enum {
    OP_GET_LOG = 0x02,
    OP_GET_FEATURES = 0x0a,
    LOG_SMART = 0x02,
    LOG_KEEP_EVENT = 1 << 15, /* the event that the kernel waits for is not ours to clear */
    FEATURE_POWER = 0x02,
    POWER_STATE_BITS = 0x1f,
    TIMEOUT_MS = 1000
};
#define EVERY_NAMESPACE 0xffffffffu

/* Bytes of the page. */
enum { AT_KELVIN = 1, AT_WARNING = 192, AT_CRITICAL = 196, AT_THROTTLED_1 = 224 };
enum { AT_THROTTLED_2 = 228, ZERO_CELSIUS = 273 };

static uint32_t little(const uint8_t *at, uint32_t bytes)
{
    uint32_t value = 0;

    while (bytes > 0) {
        value = value << 8 | at[--bytes];
    }
    return value;
}

void nvme_log_parse(const uint8_t page[NVME_LOG_BYTES], struct drive_health *ret)
{
    uint32_t kelvin = little(page + AT_KELVIN, 2);

    if (kelvin > 0) {
        ret->celsius = (double)kelvin - ZERO_CELSIUS;
    }
    ret->warning_minutes = little(page + AT_WARNING, 4);
    ret->critical_minutes = little(page + AT_CRITICAL, 4);
    ret->throttled_s =
        (double)little(page + AT_THROTTLED_1, 4) + (double)little(page + AT_THROTTLED_2, 4);
}

void nvme_log_read(const char *path, struct drive_health *ret)
{
    uint8_t page[NVME_LOG_BYTES] = {0};
    struct nvme_admin_cmd log = {.opcode = OP_GET_LOG,
                                 .nsid = EVERY_NAMESPACE,
                                 .addr = (uintptr_t)page,
                                 .data_len = NVME_LOG_BYTES,
                                 .cdw10 =
                                     LOG_SMART | LOG_KEEP_EVENT | (NVME_LOG_BYTES / 4 - 1) << 16,
                                 .timeout_ms = TIMEOUT_MS};
    struct nvme_admin_cmd power = {
        .opcode = OP_GET_FEATURES, .cdw10 = FEATURE_POWER, .timeout_ms = TIMEOUT_MS};
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return;
    }
    if (ioctl(fd, NVME_IOCTL_ADMIN_CMD, &log) == 0) {
        nvme_log_parse(page, ret);
    }
    if (ioctl(fd, NVME_IOCTL_ADMIN_CMD, &power) == 0) {
        ret->power_state = power.result & POWER_STATE_BITS;
    }
    close(fd);
}
