#include "load_rows.h"

/* Rows that are committed at once: about 23 MB. */
enum { STRETCH = 100000 };

uint32_t sbtest_parts(const struct plan_vm *vm, struct load_part *ret)
{
    const struct sysbench_settings *sysbench = &vm->model.sysbench;
    uint32_t stretches = (uint32_t)((sysbench->rows + STRETCH - 1) / STRETCH), count = 0;

    /* one stretch of every table after the other: loaders meet in different tables */
    for (uint32_t s = 0; s < stretches; s++) {
        for (uint32_t t = 0; t < sysbench->tables; t++, count++) {
            uint64_t from = (uint64_t)s * STRETCH + 1, to = from + STRETCH;

            to = to > sysbench->rows + 1 ? sysbench->rows + 1 : to;
            if (ret != NULL) {
                ret[count] = (struct load_part){
                    .table = t, .number = s, .from = from, .to = to, .rows = to - from};
            }
        }
    }
    return count;
}

int sbtest_part_rows(const struct load_source *source, const struct load_part *part, load_put *put,
                     void *context)
{
    const struct sysbench_settings *sysbench = &source->vm->model.sysbench;
    char c[SYSBENCH_C_BYTES + 1], pad[SYSBENCH_PAD_BYTES + 1];
    struct load_row row;
    int rc = 0;

    for (uint64_t id = part->from; rc == 0 && id < part->to; id++) {
        uint64_t seed = rng_hash(rng_hash(source->seed + part->table) ^ id);

        sysbench_sql_c(seed, c);
        sysbench_sql_pad(seed, pad);
        row_begin(&row);
        row_int(&row, (int64_t)id);
        row_int(&row, (int64_t)sysbench_loaded_k(sysbench, part->table, id));
        row_bytes(&row, c, SYSBENCH_C_BYTES);
        row_bytes(&row, pad, SYSBENCH_PAD_BYTES);
        rc = put(context, &row);
    }
    return rc;
}
