#include "plan/plan.h"

#include <errno.h>

#include "base/units.h"
#include "io/drive.h"

/* What a VM asks for comes in multiples of this. A model's log does as the drive does. */
static uint32_t unit_of(const struct plan_vm *vm)
{
    return vm->target == PLAN_BARE ? block_unit_bytes(&vm->block) : vm->model.page_bytes;
}

int plan_suits(const struct plan *plan, const struct drive_facts *facts, struct error *err)
{
    uint32_t least = facts->dio_align_bytes;
    char needs[UNITS_TEXT], has[UNITS_TEXT];

    units_format_size_exact(least, needs, sizeof(needs));
    if (least > DRIVE_ALIGN_MOST) {
        error_set(err, EXIT_USAGE, -EINVAL, "%.200s takes multiples of %s alone", plan->drive_path,
                  needs);
        return error_hint(err, "format it with sectors of 4 KiB or 512 bytes, or choose another");
    }
    for (uint32_t i = 0; i < plan->vm_count; i++) {
        uint32_t unit = unit_of(&plan->vms[i]);

        if (least > unit) { /* of a block workload: pages are 4 KiB at least */
            error_set(err, EXIT_USAGE, -EINVAL, "%.200s takes multiples of %s, and %s asks for %s",
                      plan->drive_path, needs, plan->vms[i].name,
                      units_format_size_exact(unit, has, sizeof(has)));
            return error_hint(err, "workload.size says how large requests are");
        }
    }
    return 0;
}
