/* lib/uring_rig: a real loop with a drive on a scratch file, and requests that walk over its pages.
 */
#ifndef RAWTPS_LIB_URING_RIG_H
#define RAWTPS_LIB_URING_RIG_H

#include "io/drive_types.h"

enum { PAGE = 8192, PAGES = 512, DEPTH = 32, BYTES = PAGE * PAGES };

struct uring_rig {
    struct loop loop;
    struct drive *drive;
    struct io ios[DEPTH];
    int fd;
    uint32_t next, until; /* pages asked for, and how many in all */
    uint32_t done, failed;
    uint64_t salt; /* of what is written, and of what a read expects */
    bool reading;
    uint8_t flags;  /* of writes */
    int32_t result; /* of uring_rig_one() */
    uint32_t answers;
};

int64_t uring_rig_clock_ns(void);
int uring_rig_file(const char *name,
                   uint64_t bytes); /* O_DIRECT, blocks allocated, already unlinked */
/* options.depth 0: DEPTH. The arena holds DEPTH pages. Fails the test with the reason. */
void uring_rig_open(struct uring_rig *rig, struct uring_options options);
void uring_rig_close(struct uring_rig *rig);

void uring_rig_page_fill(uint64_t *page, uint64_t number, uint64_t salt);
bool uring_rig_page_holds(const uint64_t *page, uint64_t number, uint64_t salt);

/* Every page once, in a scattered order, DEPTH at a time; asserts that all came back right. */
void uring_rig_walk(struct uring_rig *rig, bool reading);
/* Start a walk of `pages` requests without running the loop. */
void uring_rig_start(struct uring_rig *rig, bool reading, uint32_t pages);
/* One request to its end; its result in rig->result. */
void uring_rig_one(struct uring_rig *rig, struct io io);

#endif
