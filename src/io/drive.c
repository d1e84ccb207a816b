#include "io/drive.h"

#include <math.h>
#include <string.h>

const char *const io_verb_names[IO_VERBS] = {
    [IO_READ] = "read", [IO_WRITE] = "write", [IO_FLUSH] = "flush", [IO_TRIM] = "trim"};
const char *const io_area_names[IO_AREAS] = {[IO_DATA] = "data", [IO_LOG] = "log"};

_Static_assert(sizeof(struct io) <= 128, "an outstanding request's bookkeeping");
_Static_assert(sizeof(struct timer) == 32, "a timer");

void drive_facts(const struct drive *drive, struct drive_facts *ret)
{
    while (drive->lower) {
        drive = drive->lower;
    }
    memset(ret, 0, sizeof(*ret));
    ret->capacity_bytes = drive->capacity_bytes;
    drive->ops->facts(drive, ret);
}

void drive_health(const struct drive *drive, struct drive_health *ret)
{
    while (drive->lower) {
        drive = drive->lower;
    }
    *ret = (struct drive_health){NAN, NAN, NAN, NAN, NAN};
    if (drive->ops->health) {
        drive->ops->health(drive, ret);
    }
}

void drive_close(struct drive *drive)
{
    while (drive) {
        struct drive *below = drive->shares_lower ? NULL : drive->lower;

        drive->ops->close(drive);
        drive = below;
    }
}
