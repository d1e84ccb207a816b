#include "draft.h"

#include "base/must.h"
#include "io/loop.h"
#include "io/stamp.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what all VMs need at a scale ---- */

struct need {
    uint64_t slices_bytes; /* of the drive */
    uint32_t vms_fit;      /* how many of them the room holds, in order */
};

/* A file that is made reserves its blocks, so that it does not grow while it is measured. */
static uint64_t room_of(const struct draft *draft)
{
    return draft->file_absent && draft->free_bytes < draft->room_bytes ? draft->free_bytes
                                                                       : draft->room_bytes;
}

static int need_at(const struct draft *draft, const struct fraction *scale, struct need *ret,
                   struct error *err)
{
    struct plan_vm vm;

    *ret = (struct need){.slices_bytes = PLAN_HEAD_BYTES};
    for (uint32_t i = 0; i < draft->scenario.vm_count; i++) {
        if (draft_vm_at(draft, i, scale, &vm, err)) {
            return err->code;
        }
        ret->slices_bytes += vm.bytes;
        ret->vms_fit += ret->slices_bytes <= room_of(draft);
    }
    return 0;
}

/* The smallest 1/n that leaves anything to scale. */
static uint64_t smallest_scale(const struct draft *draft)
{
    const struct scenario_workload *workload = &draft->scenario.workload;

    return workload->kind == PLAN_TPCC ? workload->tpcc.warehouses
                                       : workload->sysbench.rows / 1000 + 1;
}

/* The largest 1/n that fits, n whole. Errors: -ENOSPC if none does. */
static int largest_scale(const struct draft *draft, struct fraction *ret, struct error *err)
{
    uint64_t low = 1, high = smallest_scale(draft); /* low - 1 does not fit, high may */
    struct need need;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        struct fraction scale = {.value = 1.0 / (double)middle, .num = 1, .den = middle};

        /* a disk too small for its database at full scale is no reason to stop here */
        if (need_at(draft, &scale, &need, err) == 0 && need.slices_bytes <= room_of(draft)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *ret = (struct fraction){.value = 1.0 / (double)low, .num = 1, .den = low};
    if (need_at(draft, ret, &need, err)) {
        return err->code;
    }
    return need.slices_bytes <= room_of(draft) ? 0 : -ENOSPC;
}

static void scale_text(const struct fraction *scale, char *ret, size_t size)
{
    if (scale->den == 1) {
        snprintf(ret, size, "1");
    } else {
        snprintf(ret, size, "%" PRIu64 "/%" PRIu64, scale->num, scale->den);
    }
}

static const char *drive_name(const struct draft *draft)
{
    const struct plan *plan = draft->plan;

    return plan->drive == PLAN_DRIVE_URING ? plan->drive_path
           : plan->drive == PLAN_DRIVE_SIM ? plan->drive_like
                                           : "the drive";
}

/* A file of ours that is too small can be made anew. */
static const char *made_again(const struct draft *draft)
{
    struct stat status;

    return draft->plan->drive == PLAN_DRIVE_URING && !draft->file_absent && draft->file_ours &&
                   stat(draft->plan->drive_path, &status) == 0 && S_ISREG(status.st_mode)
               ? "; or remove the file: it is made as large as is needed"
               : "";
}

static int refuse_small(const struct draft *draft, const struct need *need, struct error *err)
{
    uint64_t room = room_of(draft);
    bool file = room < draft->room_bytes;
    char wants[UNITS_TEXT], has[UNITS_TEXT], largest[48];
    uint32_t count = draft->scenario.vm_count;
    struct fraction scale;
    struct error ignored;
    const char *s = count == 1 ? "" : "s";

    error_set(err, EXIT_USAGE, -ENOSPC, "%.200s: too small: %u VM%s need%s %s, there are %s%s",
              drive_name(draft), count, s, count == 1 ? "s" : "",
              units_format_size_decimal(need->slices_bytes, wants, sizeof(wants)),
              units_format_size_decimal(room, has, sizeof(has)),
              file                                    ? " free in its file system"
              : draft->scenario.drive.range.share < 1 ? " in drive.range"
                                                      : "");
    if (largest_scale(draft, &scale, &ignored)) {
        return error_hint(err, "no scale of this scenario fits%s", made_again(draft));
    }
    scale_text(&scale, largest, sizeof(largest));
    if (need->vms_fit > 0 && need->vms_fit < count) {
        return error_hint(err,
                          "the largest scale that fits is %s: --scale %s or --scale fit; or %u "
                          "VM%s as they are: --set vms=%u",
                          largest, largest, need->vms_fit, need->vms_fit == 1 ? "" : "s",
                          need->vms_fit);
    }
    return error_hint(err, "the largest scale that fits is %s: --scale %s or --scale fit%s",
                      largest, largest, made_again(draft));
}

/* ---- which scale ---- */

static int warn_scale(struct draft *draft, const struct fraction *scale)
{
    const struct scenario_workload *workload = &draft->scenario.workload;
    struct plan *plan = draft->plan;

    if (scale->num == scale->den) {
        return 0;
    }
    plan_warn(plan,
              "scale %s: database, users, buffer, log and disks are shrunk together; not "
              "comparable with another scale",
              plan->scale_text);
    if (workload->kind == PLAN_TPCC) {
        uint64_t few =
            ((uint64_t)workload->tpcc.warehouses * scale->num + scale->den - 1) / scale->den;

        plan_warn(plan, "%" PRIu64 " of %u warehouses: effectively 1/%.4g", few,
                  workload->tpcc.warehouses, (double)workload->tpcc.warehouses / (double)few);
    }
    return 0;
}

static int choose_scale(struct draft *draft, struct fraction *ret, struct error *err)
{
    const char *asked = draft->request->scale;
    struct plan *plan = draft->plan;
    struct need need;
    int code = 0;

    *ret = (struct fraction){.value = 1, .num = 1, .den = 1};
    if (asked && draft->scenario.workload.kind == PLAN_BLOCK) {
        error_set(err, EXIT_USAGE, -EINVAL, "--scale: a block workload has no database to shrink");
        return error_hint(err, "--set drive.range=10%% or --set workload.range=1GiB uses less");
    }
    if (asked && strcmp(asked, "fit") == 0 && draft->servers) {
        return error_set(err, EXIT_USAGE, -EINVAL, "--scale fit: a server is no drive to fit on");
    }
    if (asked && strcmp(asked, "fit") == 0) {
        plan->scale_fitted = true;
        code = largest_scale(draft, ret, err);
        if (code == -ENOSPC && need_at(draft, ret, &need, err) == 0) {
            return refuse_small(draft, &need, err);
        }
    } else if (asked) {
        code = units_fraction(asked, ret, err) ? units_place(err, "--scale", 0, 0) : 0;
    }
    if (code == 0) {
        plan->scale = ret->value;
        scale_text(ret, plan->scale_text, sizeof(plan->scale_text));
        warn_scale(draft, ret);
    }
    return code;
}

/* ---- bare drives: the room is shared evenly ---- */

static int finish_block(const struct draft *draft, struct plan_vm *vm, uint64_t slice,
                        struct error *err)
{
    const struct scenario_workload *workload = &draft->scenario.workload;
    const struct item *item = item_get(item_get(draft->scenario.yaml.root, "workload"), "range");
    uint64_t range = workload->range.bytes > 0 ? workload->range.bytes
                                               : (uint64_t)((double)slice * workload->range.share);
    char has[UNITS_TEXT];

    if (range > slice) {
        error_set(err, EXIT_USAGE, -ENOSPC, "range: a VM's slice has only %s",
                  units_format_size_decimal(slice, has, sizeof(has)));
        return item ? item_place(item, err) : err->code;
    }
    vm->bytes = slice;
    vm->block.range_bytes = range / 65536 * 65536;
    if (vm->block.range_bytes < 16ull * block_largest_bytes(&vm->block)) {
        return error_set(err, EXIT_USAGE, -ENOSPC,
                         "%.200s: %s a VM are too little for requests of %u bytes",
                         drive_name(draft), units_format_size_decimal(range, has, sizeof(has)),
                         block_largest_bytes(&vm->block));
    }
    vm->disks[0] = (struct plan_disk){.role = "data", .bytes = slice};
    vm->disk_count = 1;
    if (workload->work_bytes > 0) {
        double mean = 0;

        for (uint32_t i = 0; i < vm->block.stream_count; i++) {
            const struct block_stream *stream = &vm->block.streams[i];

            for (uint32_t j = 0; j < stream->read_size_count; j++) {
                mean += stream->share * stream->read * stream->read_sizes[j].share *
                        stream->read_sizes[j].bytes;
            }
            for (uint32_t j = 0; j < stream->write_size_count; j++) {
                mean += stream->share * (1 - stream->read) * stream->write_sizes[j].share *
                        stream->write_sizes[j].bytes;
            }
        }
        vm->work_transactions = (uint64_t)((double)workload->work_bytes / mean) + 1;
    }
    return 0;
}

static int block_room(struct draft *draft, uint64_t *ret_slice, struct error *err)
{
    struct plan *plan = draft->plan;
    uint64_t room = draft->room_bytes, made;

    if (room == UINT64_MAX && plan->drive == PLAN_DRIVE_NULL) {
        room = plan->drive_capacity_bytes = 1ull << 40;
    }
    if (room == UINT64_MAX) {
        error_set(err, EXIT_USAGE, -EINVAL, "%.200s: how large is the file to be made?",
                  plan->drive_path);
        return error_hint(err, "--set drive.capacity=10GiB says it");
    }
    made = room > plan->drive_capacity_bytes ? room : plan->drive_capacity_bytes;
    if (draft->file_absent && made > draft->free_bytes) {
        char wants[UNITS_TEXT], has[UNITS_TEXT];

        return error_set(err, EXIT_USAGE, -ENOSPC, "%.200s: %s are more than the %s free there",
                         plan->drive_path, units_format_size_decimal(made, wants, sizeof(wants)),
                         units_format_size_decimal(draft->free_bytes, has, sizeof(has)));
    }
    *ret_slice = room > PLAN_HEAD_BYTES ? (room - PLAN_HEAD_BYTES) / plan->vm_count : 0;
    *ret_slice = *ret_slice / PLAN_HEAD_BYTES * PLAN_HEAD_BYTES;
    if (*ret_slice == 0) {
        return error_set(err, EXIT_USAGE, -ENOSPC, "%.200s: too small for %u VMs",
                         drive_name(draft), plan->vm_count);
    }
    return 0;
}

/* ---- memory ---- */

enum {
    HIST_BYTES = 37 * 1024, /* of a latency histogram of the recorder */
    RECORD_HISTS = 26,      /* of all transaction types and verbs */
    RECORDS = 8,            /* under way, handed over, phase, sample */
    TIMERS_USER = 4,
    TIMERS_VM = 4096
};

static uint64_t vm_memory(const struct plan *plan, const struct plan_vm *vm)
{
    uint64_t people = (uint64_t)vm->users + vm->workers;
    uint64_t bytes = people * PLAN_USER_BYTES + (uint64_t)HIST_BYTES * RECORD_HISTS * RECORDS +
                     loop_memory_bytes((uint32_t)people * TIMERS_USER + TIMERS_VM);

    if (vm->target == PLAN_MODEL) {
        bytes += vm->footprint.memory_bytes;
    }
    if (plan->stamps) {
        bytes += stamp_memory_bytes(vm->bytes, vm->model.page_bytes);
    }
    if (plan->data_moves) {
        bytes += plan->uring.buffer_bytes;
    }
    return bytes;
}

/* Room in the ring and its arena for the hungriest VM; filling takes 8 x 1 MiB. */
static void size_uring(struct plan *plan)
{
    uint64_t depth = 64, buffer = plan->drive == PLAN_DRIVE_NONE ? 4096 : 8ull << 20;

    for (uint32_t i = 0; i < plan->vm_count; i++) {
        const struct plan_vm *vm = &plan->vms[i];
        uint64_t needs = vm->target == PLAN_MODEL
                             ? model_buffer_bytes(&vm->model)
                             : (uint64_t)vm->users * block_largest_bytes(&vm->block);
        uint64_t requests =
            vm->target == PLAN_MODEL ? needs / vm->model.page_bytes + 64 : vm->users;

        if (vm->target == PLAN_SQL) { /* sockets that are waited for; no pages */
            needs = 0;
            requests = vm->sql.connections > 0 ? vm->sql.connections : vm->users;
        }

        depth = requests > depth ? requests : depth;
        buffer = needs > buffer ? needs : buffer;
    }
    plan->uring.depth = depth > 32768 ? 32768 : (uint32_t)depth;
    plan->uring.buffer_bytes = (buffer + 4095) / 4096 * 4096;
}

static void plan_memory(struct plan *plan)
{
    size_uring(plan);
    plan->memory_bytes = 16ull << 20; /* program, files' buffers */
    for (uint32_t i = 0; i < plan->vm_count; i++) {
        plan->vms[i].memory_needed_bytes = vm_memory(plan, &plan->vms[i]);
        plan->memory_bytes += plan->vms[i].memory_needed_bytes;
    }
    if (plan->drive == PLAN_DRIVE_SIM) {
        plan->memory_bytes += drive_sim_memory_bytes(&plan->sim);
    }
}

/* ---- all of it ---- */

static bool block_writes(const struct block_settings *block)
{
    for (uint32_t i = 0; i < block->stream_count; i++) {
        if (block->streams[i].read < 1) {
            return true;
        }
    }
    return false;
}

static bool block_reads(const struct block_settings *block)
{
    for (uint32_t i = 0; i < block->stream_count; i++) {
        if (block->streams[i].read > 0) {
            return true;
        }
    }
    return false;
}

static void count_fill(struct draft *draft)
{
    struct plan *plan = draft->plan;
    uint32_t fill = draft->scenario.phases.fill;

    plan->fill_always = fill == FILL_YES;
    for (uint32_t i = 0; i < plan->vm_count; i++) {
        const struct plan_vm *vm = &plan->vms[i];
        bool model = vm->target == PLAN_MODEL, reads = model || block_reads(&vm->block);

        plan->writes |= model || block_writes(&vm->block);
        if (fill == FILL_YES || (fill == FILL_AUTO && reads)) {
            plan->fill_bytes += model ? vm->footprint.total_bytes : vm->block.range_bytes;
        } else if (reads && plan->data_moves) {
            plan_warn(plan, "fill: no: what is read must have been written by an earlier run; "
                            "reading holes is no measurement");
        }
    }
    if (!plan->data_moves) {
        plan->fill_bytes = 0;
    }
    plan->writes |= plan->fill_bytes > 0;
}

static void warn_vm(struct plan *plan, const struct plan_vm *vm)
{
    char pool[UNITS_TEXT], data[UNITS_TEXT];

    if (vm->target == PLAN_MODEL && vm->model.buffer_bytes >= vm->footprint.database_bytes) {
        plan_warn(plan,
                  "the buffer of %s holds the whole database of %s: hardly anything is read "
                  "from the drive",
                  units_format_size(vm->model.buffer_bytes, pool, sizeof(pool)),
                  units_format_size(vm->footprint.database_bytes, data, sizeof(data)));
    }
    if (vm->workload == PLAN_TPCC && vm->users > vm->model.tpcc.warehouses * 10ull) {
        plan_warn(plan, "%u users for %u warehouse%s: more than the standard's 10 a warehouse",
                  vm->users, vm->model.tpcc.warehouses, vm->model.tpcc.warehouses == 1 ? "" : "s");
    }
}

/* Half a user is one: then a scale shrinks the users less than the rest. */
static void warn_users(struct draft *draft, uint32_t i)
{
    const struct plan_vm *vm = &draft->plan->vms[i];
    uint32_t all = draft->vms[i].users;

    if (vm->target == PLAN_MODEL && draft->plan->scale < 1 && all > 1 &&
        (double)vm->users > 1.1 * all * draft->plan->scale) {
        plan_warn(draft->plan,
                  "%u of %u users: effectively 1/%.4g, less than the rest is shrunk: there is no "
                  "part of a user",
                  vm->users, all, (double)all / vm->users);
    }
}

static int place_servers(struct draft *draft, const struct fraction *scale, struct error *err)
{
    struct plan *plan = draft->plan;

    for (uint32_t i = 0; i < plan->vm_count; i++) {
        if (draft_vm_at(draft, i, scale, &plan->vms[i], err)) {
            return err->code;
        }
        warn_vm(plan, &plan->vms[i]);
    }
    plan_memory(plan);
    return 0;
}

int draft_place(struct draft *draft, struct error *err)
{
    bool block = draft->scenario.workload.kind == PLAN_BLOCK;
    struct plan *plan = draft->plan;
    uint64_t at = PLAN_HEAD_BYTES, slice = 0;
    struct fraction scale;
    struct need need;

    if (choose_scale(draft, &scale, err) || (block && block_room(draft, &slice, err))) {
        return err->code;
    }
    if (draft->servers) {
        return place_servers(draft, &scale, err);
    }
    if (!block && need_at(draft, &scale, &need, err)) {
        return err->code;
    }
    if (!block && need.slices_bytes > room_of(draft) &&
        !(draft_grow_file(draft, 0) && need.slices_bytes <= room_of(draft))) {
        return refuse_small(draft, &need, err);
    }
    for (uint32_t i = 0; i < plan->vm_count; i++) {
        struct plan_vm *vm = &plan->vms[i];

        if (draft_vm_at(draft, i, &scale, vm, err) ||
            (block && finish_block(draft, vm, slice, err))) {
            return err->code;
        }
        vm->from_bytes = at;
        for (uint32_t d = 0; d < vm->disk_count; d++) {
            vm->disks[d].from_bytes = at;
            at += vm->disks[d].bytes;
        }
        must(at == vm->from_bytes + vm->bytes);
        warn_vm(plan, vm);
        warn_users(draft, i);
    }
    plan->footprint_bytes = at;
    if (plan->drive_capacity_bytes < at) {
        plan->drive_capacity_bytes = at; /* a file that is made, or null */
    }
    /* requests find blocks all over a bare file; a database's is sparse beyond what is filled */
    plan->create_bytes = block && draft->file_absent ? plan->drive_capacity_bytes : at;
    if (draft->file_ours && draft->file_absent && plan->create_bytes > draft->file_bytes) {
        char size[UNITS_TEXT];

        plan_warn(plan, "%s was made by rawtps and is too small: it is grown to %s",
                  plan->drive_path,
                  units_format_size_decimal(plan->create_bytes, size, sizeof(size)));
    }
    count_fill(draft);
    plan_memory(plan);
    return 0;
}
