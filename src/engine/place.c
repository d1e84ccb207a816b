#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/must.h"

static bool place_fills(const struct plan *plan)
{
    for (uint32_t p = 0; p < plan->phase_count; p++) {
        if (plan->phases[p].kind == PHASE_FILL) {
            return true;
        }
    }
    return false;
}

static uint64_t place_end(const struct plan *plan)
{
    uint64_t end = 0;

    for (uint32_t i = 0; i < plan->vm_count; i++) {
        uint64_t vm_end = plan->vms[i].from_bytes + plan->vms[i].bytes;

        end = vm_end > end ? vm_end : end;
    }
    return end;
}

uint64_t place_fill_bytes(const struct plan_vm *vm)
{
    if (vm->target == PLAN_MODEL) {
        return vm->footprint.total_bytes;
    }
    return vm->block.range_bytes > 0 ? vm->block.range_bytes : vm->bytes;
}

/* Where filling must have written and nothing is, or -1. */
static int64_t place_hole(const struct place *place, const struct plan *plan)
{
    int64_t hole = -1;

    for (uint32_t i = 0; hole < 0 && i < plan->vm_count; i++) {
        const struct plan_vm *vm = &plan->vms[i];

        hole = guard_hole_between(&place->guard, vm->from_bytes,
                                  vm->from_bytes + place_fill_bytes(vm));
    }
    return hole;
}

/* What makes one fill as good as another: where each VM's regions lie. Not the scenario's name. */
static void place_layout(const struct plan *plan, char ret[SHA256_HEX])
{
    struct sha256 sha;

    sha256_init(&sha);
    for (uint32_t i = 0; i < plan->vm_count; i++) {
        const struct plan_vm *vm = &plan->vms[i];
        uint64_t words[5] = {vm->from_bytes, vm->bytes, vm->target};

        if (vm->target == PLAN_MODEL) {
            words[3] = vm->model.page_bytes;
            words[4] = vm->footprint.total_bytes - vm->footprint.data_bytes;
        }
        sha256_add(&sha, words, sizeof(words));
    }
    sha256_finish_hex(&sha, ret);
}

/* Where the last of what filling writes ends. */
static uint64_t place_filled_end(const struct plan *plan)
{
    uint64_t end = 0;

    for (uint32_t i = 0; i < plan->vm_count; i++) {
        uint64_t vm_end = plan->vms[i].from_bytes + place_fill_bytes(&plan->vms[i]);

        end = vm_end > end ? vm_end : end;
    }
    return end;
}

static int place_refuse_holes(const struct place *place, const struct plan *plan, struct error *err)
{
    int64_t hole;

    if (place_fills(plan)) {
        return 0;
    }
    hole = place_hole(place, plan);
    if (hole >= 0) {
        error_set(err, EXIT_USAGE, -EINVAL,
                  "%s: nothing was ever written at byte %lld, and reading holes is no measurement",
                  plan->drive_path, (long long)hole);
        return error_hint(err, "fill it first: --set phases.fill=yes");
    }
    if (place->guard.ours && place->guard.superblock.filled_bytes < place_filled_end(plan)) {
        error_set(err, EXIT_USAGE, -EINVAL,
                  "%s: an earlier run has not filled it as far as this one reads",
                  plan->drive_path);
        return error_hint(err, "fill it first: --set phases.fill=yes");
    }
    return 0;
}

int place_open(struct place *place, const struct plan *plan, struct error *err)
{
    struct guard_request request = {
        .path = plan->drive_path,
        .erase = plan->erase[0] != '\0' ? plan->erase : NULL,
        .write = plan->writes,
        .create_bytes = plan->create_bytes,
        .expect_bytes = plan->expect_bytes,
    };
    char layout[SHA256_HEX];
    int rc;

    if (plan->drive != PLAN_DRIVE_URING) {
        return 0;
    }
    rc = guard_open(&place->guard, &request, err);
    if (rc < 0) {
        return rc;
    }
    place->open = true;
    place_layout(plan, layout);
    place->filled = !plan->fill_always && place->guard.ours &&
                    place->guard.superblock.filled_bytes >= place_end(plan) &&
                    strcmp(place->guard.superblock.sha256, layout) == 0 &&
                    place_hole(place, plan) < 0;
    rc = plan_suits(plan, &place->guard.facts, err);
    return rc < 0 ? rc : place_refuse_holes(place, plan, err);
}

void place_unmake(const struct place *place, const struct plan *plan)
{
    if (place->open) {
        guard_unmake(&place->guard, plan->drive_path);
    }
}

/* Between the superblock and the first VM nothing lies; it is written, so that no hole is left. */
static int place_write_head(const struct place *place, const struct plan *plan, struct error *err)
{
    uint64_t bytes = plan->vms[0].from_bytes;
    void *head = NULL;
    int rc = 0;

    if (bytes <= SUPERBLOCK_BYTES) {
        return 0;
    }
    bytes -= SUPERBLOCK_BYTES;
    if (posix_memalign(&head, SUPERBLOCK_BYTES, bytes) != 0) {
        return error_set(err, EXIT_FAILED, -ENOMEM, "no memory to write the drive's head");
    }
    memset(head, 0x5a, bytes);
    if (pwrite(place->guard.fd, head, bytes, SUPERBLOCK_BYTES) != (ssize_t)bytes) {
        rc = error_set(err, EXIT_FAILED, -errno, "%s: writing its head: %s", plan->drive_path,
                       strerror(errno));
    }
    free(head);
    return rc;
}

int place_mark(struct place *place, const struct plan *plan, struct error *err)
{
    struct superblock block = {
        .seed = plan->seed, .filled_bytes = place_end(plan), .used_bytes = place_end(plan)};

    if (!place->open || !plan->writes || !place_fills(plan)) {
        return 0;
    }
    must(sizeof(block.sha256) >= SHA256_HEX);
    memcpy(block.scenario, plan->name, sizeof(block.scenario));
    place_layout(plan, block.sha256);
    if (place_write_head(place, plan, err) < 0) {
        return err->code;
    }
    return guard_write_superblock(&place->guard, &block, err);
}

static int place_is_cut(struct place *place, const struct plan *plan, uint64_t hole, uint64_t bytes,
                        struct error *err)
{
    place->cut = true;
    if (hole >= bytes) {
        error_set(&place->error, EXIT_WRONG_DATA, -EIO,
                  "%s was cut short while the run used it: it has %llu bytes left",
                  plan->drive_path, (unsigned long long)bytes);
    } else {
        error_set(&place->error, EXIT_WRONG_DATA, -EIO,
                  "%s was cut while the run used it: what was written at byte %llu is gone",
                  plan->drive_path, (unsigned long long)hole);
    }
    error_hint(&place->error, "what was measured is void: leave the file alone and run it again");
    *err = place->error;
    return err->code;
}

int place_look(struct place *place, const struct plan *plan, bool thorough, struct error *err)
{
    uint64_t bytes, allocated;
    int64_t hole = -1;

    if (!place->watched || place->cut || !guard_file_bytes(&place->guard, &bytes, &allocated)) {
        return 0;
    }
    if (thorough || allocated < place->allocated_bytes) {
        hole = place_hole(place, plan);
    }
    place->allocated_bytes = allocated;
    return hole < 0 ? 0 : place_is_cut(place, plan, (uint64_t)hole, bytes, err);
}

int place_watch(struct place *place, const struct plan *plan, struct error *err)
{
    place->watched = place->open;
    return place_look(place, plan, true, err);
}

bool place_named(const struct place *place, const struct plan *plan, char *ret, uint64_t size)
{
    struct stat ours, there;
    bool exists;

    if (!place->open || place->guard.block_device || fstat(place->guard.fd, &ours) < 0) {
        return true;
    }
    exists = stat(plan->drive_path, &there) == 0;
    if (exists && there.st_dev == ours.st_dev && there.st_ino == ours.st_ino) {
        return true;
    }
    if (ours.st_nlink == 0) {
        snprintf(ret, size,
                 "%.100s was %s while the run used it: its data went to a file that is gone, whose "
                 "space is free only when the run is over",
                 plan->drive_path, exists ? "replaced" : "removed");
    } else {
        snprintf(ret, size,
                 "%.100s was moved while the run used it: its data went to the file that had this "
                 "name when the run began",
                 plan->drive_path);
    }
    return false;
}

void place_close(struct place *place)
{
    if (place->open) {
        guard_close(&place->guard);
    }
}
