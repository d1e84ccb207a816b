#include "load_rows.h"

/* As sql_schema_table() numbers them. */
enum { BRANCHES, TELLERS, ACCOUNTS };

uint32_t tpcb_parts(const struct plan_vm *vm, struct load_part *ret)
{
    uint32_t scale = vm->tpcb.scale, count = 0;

    for (uint32_t s = 0; s < scale; s++, count++) {
        uint64_t from = (uint64_t)s * TPCB_ACCOUNTS + 1;

        if (ret != NULL) {
            ret[count] = (struct load_part){.table = ACCOUNTS,
                                            .number = s,
                                            .from = from,
                                            .to = from + TPCB_ACCOUNTS,
                                            .rows = TPCB_ACCOUNTS};
        }
    }
    for (uint32_t table = BRANCHES; table <= TELLERS; table++, count++) {
        uint64_t rows = (uint64_t)scale * (table == TELLERS ? TPCB_TELLERS : 1);

        if (ret != NULL) {
            ret[count] =
                (struct load_part){.table = table, .from = 1, .to = rows + 1, .rows = rows};
        }
    }
    return count;
}

int tpcb_part_rows(const struct load_source *source, const struct load_part *part, load_put *put,
                   void *context)
{
    struct load_row row;
    int rc = 0;

    for (uint64_t id = part->from; rc == 0 && id < part->to; id++) {
        row_begin(&row);
        row_int(&row, (int64_t)id);
        if (part->table != BRANCHES) {
            uint64_t each = part->table == TELLERS ? TPCB_TELLERS : TPCB_ACCOUNTS;

            row_int(&row, (int64_t)((id - 1) / each + 1));
        }
        row_int(&row, 0);
        if (part->table == ACCOUNTS) {
            row_string(&row, "");
        } else {
            row_null(&row);
        }
        rc = put(context, &row);
    }
    return rc;
}
